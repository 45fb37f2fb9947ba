/*
  States as pictures: the polynomials of a field, or of a vector, at points of the elements; src/view/ draws them
*/
#include "outputimpl.h"

typedef struct {
  PlexDG             parts[2];
  Vec                U;
  const PetscScalar *u;         /* of U, */
  const PetscScalar *values[2]; /* and of it those of a part */
  PlexDGField        field;
  PetscReal         *shapes[2], *B[2]; /* [n][nx] of coordinates; [n][Np] of states */
} PlexDGPicture;

static PetscErrorCode PlexDGPictureTabulate(PlexSampler s, PetscInt k, PetscInt n, const PetscReal points[])
{
  PlexDGPicture  *p    = (PlexDGPicture *)s->data;
  PlexDGMesh      mesh = p->parts[k]->mesh;
  PlexDGReference R    = p->parts[k]->reference;

  PetscFunctionBegin;
  PetscCall(PetscFree(p->shapes[k]));
  PetscCall(PetscFree(p->B[k]));
  PetscCall(PetscMalloc1(n * mesh->nx, &p->shapes[k]));
  PetscCall(PetscMalloc1(n * R->Np, &p->B[k]));
  PetscCall(PlexDGMeshTabulate(mesh, n, points, p->shapes[k], NULL));
  PetscCall(PlexDGReferenceInterpolate(R, n, points, p->B[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPicturePosition(PlexSampler s, PetscInt k, PetscInt e, PetscReal x[])
{
  const PlexDGPicture *p    = (PlexDGPicture *)s->data;
  PlexDGMesh           mesh = p->parts[k]->mesh;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->kinds[k].n; ++i) {
    x[3 * i + 2] = 0.;
    PetscCall(PlexDGMeshGetPosition(mesh, e, &p->shapes[k][i * mesh->nx], &x[3 * i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPictureValues(PlexSampler s, PetscInt k, PetscInt e, PetscReal v[])
{
  const PlexDGPicture *p  = (PlexDGPicture *)s->data;
  const PetscInt       Np = p->parts[k]->reference->Np, Nf = p->parts[k]->system->Nf;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < s->nc; ++c) {
    const PetscScalar *u = &p->values[k][((size_t)e * Nf + p->field.first + c) * Np];

    for (PetscInt i = 0; i < s->kinds[k].n; ++i) {
      PetscReal sum = 0.;

      for (PetscInt j = 0; j < Np; ++j) sum += p->B[k][i * Np + j] * PetscRealPart(u[j]);
      v[i * s->nc + c] = sum;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPictureDestroy(PlexSampler s)
{
  PlexDGPicture *p = (PlexDGPicture *)s->data;

  PetscFunctionBegin;
  PetscCall(VecRestoreArrayRead(p->U, &p->u));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscFree(p->shapes[k]));
    PetscCall(PetscFree(p->B[k]));
  }
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the system's fields, then its vectors, the one of this name */
static PetscErrorCode PlexDGPictureFind(PlexDG dg, const char name[], PlexDGField *field)
{
  PlexDGSystem system = dg->system;
  PlexDGField  all[2 * PLEX_DG_MAX_FIELDS];
  const char  *names[2 * PLEX_DG_MAX_FIELDS];
  PetscInt     n = 0, which;

  PetscFunctionBegin;
  for (; n < system->Nf; ++n) {
    all[n] = (PlexDGField){.first = n, .n = 1};
    PetscCall(PetscStrncpy(all[n].name, system->fields[n], sizeof(all[n].name)));
  }
  for (PetscInt k = 0; k < system->Nf;) {
    PlexDGNextField_Private(system, &k, &all[n]);
    if (all[n].n > 1) ++n;
  }
  for (PetscInt k = 0; k < n; ++k) names[k] = all[k].name;
  PetscCall(PlexSamplerFind_Private((PetscObject)dg, name, n, names, &which));
  *field = all[which];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerCreate_DG(PetscObject source, Vec U, PetscReal t, const char field[], PlexSampler s)
{
  PlexDG         dg = (PlexDG)source;
  PlexDGPicture *p;

  PetscFunctionBegin;
  (void)t;
  PetscCheck(U, PetscObjectComm(source), PETSC_ERR_ARG_NULL, "A PlexDG is drawn with a state");
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PetscNew(&p));
  PetscCall(PlexDGPictureFind(dg, field, &p->field));
  s->nkinds = PlexDGGetParts(dg, p->parts);
  p->U      = U;
  PetscCall(VecGetArrayRead(U, &p->u));
  for (PetscInt k = 0; k < s->nkinds; ++k) {
    p->values[k]       = (const PetscScalar *)PlexDGPartsGetArray(p->parts, k, p->u, PETSC_FALSE);
    s->kinds[k].tensor = p->parts[k]->mesh->tensor;
    s->kinds[k].degree = p->parts[k]->reference->N;
    s->kinds[k].Ne     = p->parts[k]->mesh->Ne;
  }
  PetscCall(PetscStrncpy(s->label, p->field.name, sizeof(s->label)));
  s->dim      = p->parts[0]->mesh->dim;
  s->nc       = p->field.n;
  s->data     = p;
  s->tabulate = PlexDGPictureTabulate;
  s->position = PlexDGPicturePosition;
  s->values   = PlexDGPictureValues;
  s->destroy  = PlexDGPictureDestroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}
