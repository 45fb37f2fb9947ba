/*
  Solutions as pictures: u, q or post-processed u (star) at points of the elements; src/view/ draws them
*/
#include "elastic.h"            /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */
#include "../view/viewimpl.h"

typedef struct {
  PlexHDG            hdg;
  PetscInt           degree, m;                     /* of the field; its basis functions */
  Vec                v;                             /* [Ne][nc][m] coefficients */
  const PetscScalar *c;                             /* of v */
  PetscReal         *points, *phi, *shape, *dshape; /* [n][dim], [n][m], [n][Nv], [n][Nv][dim] */
} PlexHDGPicture;

static PetscErrorCode PlexHDGPictureTabulate(PlexSampler s, PetscInt k, PetscInt n, const PetscReal points[])
{
  PlexHDGPicture *p    = (PlexHDGPicture *)s->data;
  PlexHDGMesh     mesh = p->hdg->mesh;

  PetscFunctionBegin;
  (void)k;
  PetscCall(PetscFree4(p->points, p->phi, p->shape, p->dshape));
  PetscCall(PetscMalloc4(n * s->dim, &p->points, n * p->m, &p->phi, n * mesh->Nv, &p->shape, n * mesh->Nv * s->dim,
                         &p->dshape));
  PetscCall(PetscArraycpy(p->points, points, n * s->dim));
  PetscCall(PlexHDGBasis(p->hdg->reference->cell, p->degree, n, points, p->phi, NULL));
  if (!mesh->affine) PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, n, points, p->shape, p->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPicturePosition(PlexSampler s, PetscInt k, PetscInt e, PetscReal x[])
{
  const PlexHDGPicture *p  = (PlexHDGPicture *)s->data;
  const PetscInt        Nv = p->hdg->mesh->Nv;
  PetscReal             J[3][3];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->kinds[k].n; ++i) {
    x[3 * i + 2] = 0.;
    PlexHDGMeshMap_Private(p->hdg->mesh, e, &p->points[i * s->dim], &p->shape[i * Nv], &p->dshape[i * Nv * s->dim],
                           &x[3 * i], J);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPictureValues(PlexSampler s, PetscInt k, PetscInt e, PetscReal v[])
{
  const PlexHDGPicture *p = (PlexHDGPicture *)s->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->kinds[k].n; ++i)
    for (PetscInt d = 0; d < s->nc; ++d) {
      PetscReal sum = 0.;

      for (PetscInt j = 0; j < p->m; ++j)
        sum += p->phi[i * p->m + j] * PetscRealPart(p->c[((size_t)e * s->nc + d) * p->m + j]);
      v[i * s->nc + d] = sum;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPictureDestroy(PlexSampler s)
{
  PlexHDGPicture *p = (PlexHDGPicture *)s->data;

  PetscFunctionBegin;
  PetscCall(VecRestoreArrayRead(p->v, &p->c));
  PetscCall(PetscFree4(p->points, p->phi, p->shape, p->dshape));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerCreate_HDG(PetscObject source, Vec U, PetscReal t, const char field[], PlexSampler s)
{
  const char *const names[] = {"u", "q", "star"};
  PlexHDG           hdg     = (PlexHDG)source;
  PlexHDGReference  R       = hdg->reference;
  PlexHDGPicture   *p;
  PetscInt          which;

  PetscFunctionBegin;
  (void)t;
  PetscCheck(!U, PetscObjectComm(source), PETSC_ERR_ARG_WRONG, "A PlexHDG is drawn with its own solution, U NULL");
  PetscCheck(hdg->trace, PetscObjectComm(source), PETSC_ERR_ORDER, "There is no solution yet: call PlexHDGSolve()");
  PetscCall(PlexSamplerFind_Private(source, field, hdg->elastic ? 1 : 3, names, &which));
  PetscCall(PetscNew(&p));
  p->hdg    = hdg;
  p->degree = R->P;
  p->m      = R->Np;
  p->v      = which == 0 ? hdg->u : which == 1 ? hdg->q : hdg->star;
  s->nc     = which == 1 ? R->dim : 1;
  if (which == 2 || hdg->elastic) {
    p->degree = R->P + 1;
    p->m      = R->Npost;
  }
  if (hdg->elastic) s->nc = R->dim;
  PetscCall(VecGetArrayRead(p->v, &p->c));
  PetscCall(PetscStrncpy(s->label, names[which], sizeof(s->label)));
  s->dim             = R->dim;
  s->nkinds          = 1;
  s->kinds[0].tensor = (PetscBool)(R->cell == DM_POLYTOPE_QUADRILATERAL || R->cell == DM_POLYTOPE_HEXAHEDRON);
  s->kinds[0].degree = p->degree;
  s->kinds[0].Ne     = hdg->mesh->Ne;
  s->data            = p;
  s->tabulate        = PlexHDGPictureTabulate;
  s->position        = PlexHDGPicturePosition;
  s->values          = PlexHDGPictureValues;
  s->destroy         = PlexHDGPictureDestroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_hdg_monitor_image, after a solve */
PetscErrorCode PlexHDGMonitorImage_Private(PlexHDG hdg)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)hdg);
  char      file[PETSC_MAX_PATH_LEN], name[PETSC_MAX_PATH_LEN];
  PetscInt *written; /* pictures so far; attached to the PlexHDG */
  PetscBool set;
  PlexImage image;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)hdg)->options, ((PetscObject)hdg)->prefix, "-plex_hdg_monitor_image",
                                  file, sizeof(file), &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(file[0], comm, PETSC_ERR_ARG_WRONG, "Option -plex_hdg_monitor_image has no name of a file");
  PetscCall(PetscObjectContainerQuery((PetscObject)hdg, "PlexGPU pictures", &written));
  if (!written) {
    PetscCall(PetscNew(&written));
    PetscCall(PetscObjectContainerCompose((PetscObject)hdg, "PlexGPU pictures", written, PetscCtxDestroyDefault));
  }
  PetscCall(PlexImageName_Private(comm, file, (*written)++, name));
  PetscCall(PlexImageCreateFromOptions_Private(comm, ((PetscObject)hdg)->prefix, &image));
  PetscCall(PlexImageWrite(image, (PetscObject)hdg, NULL, 0., name));
  PetscCall(PlexImageDestroy(&image));
  PetscFunctionReturn(PETSC_SUCCESS);
}
