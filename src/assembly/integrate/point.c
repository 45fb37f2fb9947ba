/* The arguments that the pointwise functions of an assembly have at one point of the mesh, one array at a time. */
#include "point.h"
#include <integrate/normals.h>

PetscErrorCode PlexOffsetsCreate_Private(PlexElements el, PlexOffsets *o)
{
  const PlexCohesive c = el->cohesive;

  PetscFunctionBegin;
  if (c) {
    PetscCall(PetscCalloc4(c->Nf + 1, &o->uOff, c->Nf + 1, &o->uOff_x, el->NfAux + 1, &o->aOff, el->NfAux + 1,
                           &o->aOff_x));
    PetscCall(PetscArraycpy(o->uOff, c->uOff, c->Nf + 1));
    PetscCall(PetscArraycpy(o->uOff_x, c->uOff_x, c->Nf + 1));
    PetscCall(PetscArraycpy(o->aOff, c->aOff, el->NfAux + 1));
    PetscCall(PetscArraycpy(o->aOff_x, c->aOff_x, el->NfAux + 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc4(el->Nf + 1, &o->uOff, el->Nf + 1, &o->uOff_x, el->NfAux + 1, &o->aOff, el->NfAux + 1,
                         &o->aOff_x));
  for (PetscInt f = 0; f < el->Nf; ++f) {
    o->uOff[f + 1]   = o->uOff[f] + el->Nc[f];
    o->uOff_x[f + 1] = o->uOff_x[f] + el->Nc[f] * el->cellDim; /* as PETSc has it on surfaces */
  }
  for (PetscInt f = 0; f < el->NfAux; ++f) {
    o->aOff[f + 1]   = o->aOff[f] + el->Nc[el->Nf + f];
    o->aOff_x[f + 1] = o->aOff_x[f] + el->Nc[el->Nf + f] * el->cellDim;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOffsetsDestroy_Private(PlexOffsets *o)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(o->uOff, o->uOff_x, o->aOff, o->aOff_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d x / d xi of the point in J[k][a], and its inverse in invJ[a][k]; returns the determinant */
static PetscReal PlexPointMap(const PlexPoint *p, PetscReal invJ[9])
{
  PlexElements   el   = p->elements;
  const PetscInt dim  = el->dim;
  const int     *v    = &el->vertices[(size_t)p->e * el->Nv];
  PetscReal      J[9] = {0.}, det;

  for (PetscInt n = 0; n < el->Nv; ++n)
    for (PetscInt k = 0; k < dim; ++k)
      for (PetscInt a = 0; a < dim; ++a)
        J[k * dim + a] += el->x[(size_t)v[n] * dim + k] * el->dpsi[(p->q * el->Nv + n) * dim + a];
  if (el->cellDim < dim) plex_complete_jacobian((int)dim, (int)el->cellDim, J);
  if (dim == 1) {
    det     = J[0];
    invJ[0] = 1. / det;
  } else if (dim == 2) {
    det     = J[0] * J[3] - J[1] * J[2];
    invJ[0] = J[3] / det;
    invJ[1] = -J[1] / det;
    invJ[2] = -J[2] / det;
    invJ[3] = J[0] / det;
  } else {
    det = 0.;
    for (PetscInt a = 0; a < 3; ++a) {
      for (PetscInt k = 0; k < 3; ++k) {
        const PetscInt k1 = (k + 1) % 3, k2 = (k + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;

        invJ[a * 3 + k] = J[k1 * 3 + a1] * J[k2 * 3 + a2] - J[k1 * 3 + a2] * J[k2 * 3 + a1];
      }
    }
    for (PetscInt k = 0; k < 3; ++k) det += J[k * 3] * invJ[k];
    for (PetscInt k = 0; k < 9; ++k) invJ[k] /= det;
  }
  return det;
}

/* Values of the fields from `first` on, n of them: dofs are those of the element */
static void PlexPointValues(const PlexPoint *p, PetscInt first, PetscInt n, const PetscScalar values[],
                            const int dofs[], PetscScalar out[])
{
  PlexElements el = p->elements;

  for (PetscInt f = first; f < first + n; ++f) {
    const PetscInt Nc = el->Nc[f], begin = el->offset[f] - el->offset[first];

    for (PetscInt c = 0; c < Nc; ++c, ++out) {
      *out = 0.;
      for (PetscInt k = 0; k < el->Nn[f]; ++k)
        *out += values[dofs[begin + k * Nc + c]] * el->phi[f][p->q * el->Nn[f] + k];
    }
  }
}

static void PlexPointGradients(const PlexPoint *p, PetscInt first, PetscInt n, const PetscScalar values[],
                               const int dofs[], PetscScalar out[])
{
  PlexElements   el  = p->elements;
  const PetscInt dim = el->dim;
  PetscReal      invJ[9];

  (void)PlexPointMap(p, invJ);
  for (PetscInt f = first; f < first + n; ++f) {
    const PetscInt Nc = el->Nc[f], begin = el->offset[f] - el->offset[first];

    for (PetscInt c = 0; c < Nc; ++c, out += dim) {
      for (PetscInt d = 0; d < dim; ++d) out[d] = 0.;
      for (PetscInt k = 0; k < el->Nn[f]; ++k) {
        const PetscReal  *dphi  = &el->dphi[f][(p->q * el->Nn[f] + k) * dim];
        const PetscScalar value = values[dofs[begin + k * Nc + c]];

        for (PetscInt d = 0; d < dim; ++d)
          for (PetscInt a = 0; a < dim; ++a) out[d] += value * dphi[a] * invJ[a * dim + d];
      }
    }
  }
}

void PlexPointFill_Private(void *ctx, PlexGuarded argument, void *array)
{
  const PlexPoint *p       = (const PlexPoint *)ctx;
  PlexElements     el      = p->elements;
  const int       *dofs    = &el->dofs[(size_t)p->e * el->ef];
  const int       *dofsAux = el->ea ? &el->dofsAux[(size_t)p->e * el->ea] : NULL;
  PetscScalar     *out     = (PetscScalar *)array;
  PetscReal        invJ[9];

  switch (argument) {
  case PLEX_GUARD_U:
    PlexPointValues(p, 0, el->Nf, p->u, dofs, out);
    break;
  case PLEX_GUARD_U_T:
    PlexPointValues(p, 0, el->Nf, p->u_t, dofs, out);
    break;
  case PLEX_GUARD_U_X:
    PlexPointGradients(p, 0, el->Nf, p->u, dofs, out);
    break;
  case PLEX_GUARD_A:
    PlexPointValues(p, el->Nf, el->NfAux, p->aux, dofsAux, out);
    break;
  case PLEX_GUARD_A_X:
    PlexPointGradients(p, el->Nf, el->NfAux, p->aux, dofsAux, out);
    break;
  case PLEX_GUARD_X:
    for (PetscInt d = 0; d < el->dim; ++d) {
      PetscReal x = 0.;

      for (PetscInt n = 0; n < el->Nv; ++n)
        x += el->x[(size_t)el->vertices[(size_t)p->e * el->Nv + n] * el->dim + d] * el->psi[p->q * el->Nv + n];
      ((PetscReal *)array)[d] = x;
    }
    break;
  default: /* PETSc's detJ 2^dim */
    out[0] = PlexPointMap(p, invJ) * (PetscReal)(1 << el->cellDim);
  }
}
