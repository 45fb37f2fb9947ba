/*
  Solutions as pictures: u, q or post-processed u (star) at points of the elements, and the elements' degree where they
  have several; src/view/ draws them
*/
#include "elastic.h"
#include "groups.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */
#include "../view/viewimpl.h"

/* Elements of one type and degree: all, or a group */
typedef struct {
  PlexHDG            hdg;
  PetscInt           kind, m;                       /* of the sampler's kinds of cells; basis functions of the field */
  const PetscScalar *c;                             /* [Ne][nc][m] coefficients */
  PetscReal         *points, *phi, *shape, *dshape; /* [n][dim], [n][m], [n][Nv], [n][Nv][dim] */
} PlexHDGPicturePart;

enum {
  PICTURE_U,
  PICTURE_Q,
  PICTURE_STAR,
  PICTURE_DEGREE
};

typedef struct {
  int                 which;
  PetscBool           post; /* functions are those of degree P + 1 */
  Vec                 v;
  const PetscScalar  *c; /* of v */
  PetscInt            n;
  PlexHDGPicturePart *parts; /* [n] those of one kind are neighbours */
} PlexHDGPicture;

static PetscErrorCode PlexHDGPictureTabulate(PlexSampler s, PetscInt k, PetscInt n, const PetscReal points[])
{
  PlexHDGPicture *picture = (PlexHDGPicture *)s->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < picture->n; ++i) {
    PlexHDGPicturePart *p    = &picture->parts[i];
    PlexHDGMesh         mesh = p->hdg->mesh;

    if (p->kind != k) continue;
    PetscCall(PetscFree4(p->points, p->phi, p->shape, p->dshape));
    PetscCall(PetscMalloc4(n * s->dim, &p->points, n * p->m, &p->phi, n * mesh->Nv, &p->shape, n * mesh->Nv * s->dim,
                           &p->dshape));
    PetscCall(PetscArraycpy(p->points, points, n * s->dim));
    PetscCall(PlexHDGBasis(p->hdg->reference->cell, p->hdg->reference->P + picture->post, n, points, p->phi, NULL));
    if (!mesh->affine) PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, n, points, p->shape, p->dshape));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part that has element *e of a kind, which becomes its number there */
static const PlexHDGPicturePart *PlexHDGPictureFind(const PlexHDGPicture *picture, PetscInt k, PetscInt *e)
{
  const PlexHDGPicturePart *p = picture->parts;

  while (p->kind != k || *e >= p->hdg->mesh->Ne) {
    if (p->kind == k) *e -= p->hdg->mesh->Ne;
    ++p;
  }
  return p;
}

static PetscErrorCode PlexHDGPicturePosition(PlexSampler s, PetscInt k, PetscInt e, PetscReal x[])
{
  const PlexHDGPicturePart *p  = PlexHDGPictureFind((PlexHDGPicture *)s->data, k, &e);
  const PetscInt            Nv = p->hdg->mesh->Nv;
  PetscReal                 J[3][3];

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
  const PlexHDGPicture     *picture = (PlexHDGPicture *)s->data;
  const PlexHDGPicturePart *p       = PlexHDGPictureFind(picture, k, &e);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->kinds[k].n; ++i)
    for (PetscInt d = 0; d < s->nc; ++d) {
      PetscReal sum = 0.;

      for (PetscInt j = 0; picture->which != PICTURE_DEGREE && j < p->m; ++j)
        sum += p->phi[i * p->m + j] * PetscRealPart(p->c[((size_t)e * s->nc + d) * p->m + j]);
      v[i * s->nc + d] = picture->which == PICTURE_DEGREE ? (PetscReal)p->hdg->degree : sum;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPictureDestroy(PlexSampler s)
{
  PlexHDGPicture *picture = (PlexHDGPicture *)s->data;

  PetscFunctionBegin;
  PetscCall(VecRestoreArrayRead(picture->v, &picture->c));
  for (PetscInt i = 0; i < picture->n; ++i) {
    PlexHDGPicturePart *p = &picture->parts[i];

    PetscCall(PetscFree4(p->points, p->phi, p->shape, p->dshape));
  }
  PetscCall(PetscFree(picture->parts));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts, and kinds of cells: one of each type, with the largest degree */
static PetscErrorCode PlexHDGPictureSetParts(PlexHDG hdg, PlexHDGPicture *picture, PlexSampler s)
{
  size_t at = 0;

  PetscFunctionBegin;
  picture->n = hdg->groups ? hdg->groups->n : 1;
  PetscCall(PetscCalloc1(picture->n, &picture->parts));
  s->nkinds = 0;
  for (PetscInt i = 0; i < picture->n; ++i) {
    PlexHDG             part = hdg->groups ? hdg->groups->group[i].part : hdg;
    PlexHDGReference    R    = part->reference;
    PlexHDGPicturePart *p    = &picture->parts[i];

    if (!i || R->cell != picture->parts[i - 1].hdg->reference->cell) {
      s->kinds[s->nkinds].tensor = (PetscBool)(R->cell == DM_POLYTOPE_QUADRILATERAL ||
                                               R->cell == DM_POLYTOPE_HEXAHEDRON);
      s->kinds[s->nkinds].degree = 0;
      s->kinds[s->nkinds++].Ne   = 0;
    }
    p->kind = s->nkinds - 1;
    p->hdg  = part;
    p->m    = picture->post ? R->Npost : R->Np;
    p->c    = picture->c + at;
    at += (size_t)part->mesh->Ne * s->nc * p->m;
    s->kinds[p->kind].degree = PetscMax(s->kinds[p->kind].degree, R->P + picture->post);
    s->kinds[p->kind].Ne += part->mesh->Ne;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerCreate_HDG(PetscObject source, Vec U, PetscReal t, const char field[], PlexSampler s)
{
  const char *const names[] = {"u", "q", "star", "degree"};
  PlexHDG           hdg     = (PlexHDG)source;
  PlexHDGPicture   *p;
  PetscInt          which, dim;

  PetscFunctionBegin;
  (void)t;
  PetscCheck(!U, PetscObjectComm(source), PETSC_ERR_ARG_WRONG, "A PlexHDG is drawn with its own solution, U NULL");
  PetscCheck(hdg->trace, PetscObjectComm(source), PETSC_ERR_ORDER, "There is no solution yet: call PlexHDGSolve()");
  dim = hdg->mesh->dim;
  PetscCall(PlexSamplerFind_Private(source, field, hdg->elastic ? 1 : 4, names, &which));
  PetscCall(PetscNew(&p));
  p->which = (int)which;
  p->post  = (PetscBool)(which == PICTURE_STAR || hdg->elastic);
  p->v     = which == PICTURE_Q ? hdg->q : which == PICTURE_STAR ? hdg->star : hdg->u;
  s->nc    = which == PICTURE_Q || hdg->elastic ? dim : 1;
  PetscCall(VecGetArrayRead(p->v, &p->c));
  PetscCall(PetscStrncpy(s->label, names[which], sizeof(s->label)));
  s->dim = dim;
  PetscCall(PlexHDGPictureSetParts(hdg, p, s));
  s->data     = p;
  s->tabulate = PlexHDGPictureTabulate;
  s->position = PlexHDGPicturePosition;
  s->values   = PlexHDGPictureValues;
  s->destroy  = PlexHDGPictureDestroy;
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
