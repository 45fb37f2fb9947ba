/*
  Tables of the reference element for linear elasticity (elastic.c has the method).

  A component of the displacement has on a simplex all polynomials of degree P + 1. On a square or a cube it has those
  of degree P in each coordinate, and of degree P + 1 the Legendre polynomials of one coordinate alone: all polynomials
  of total degree P + 1 are among them, and on an affine cell their strain is in the space of the stress. Products of
  degree P + 1, such as l_{P+1}(x) l_{P+1}(y), are not: neither strain nor trace of degree P would see them, and the
  local problem would be singular.
*/
#include "elastic.h"

/* Whether function i of degree P + 1 is one of a component */
static PetscBool PlexHDGElasticHasFunction(PlexHDGReference R, PetscInt i)
{
  PetscInt higher = 0, others = 0;

  if (R->faces == R->dim + 1) return PETSC_TRUE;
  for (PetscInt a = 0; a < R->dim; ++a, i /= R->P + 2) {
    if (i % (R->P + 2) == R->P + 1) ++higher;
    else if (i % (R->P + 2)) ++others;
  }
  return (PetscBool)(!higher || (higher == 1 && !others));
}

/* U[n][Nu] of phi[n][Npost] */
static void PlexHDGElasticSelect(PlexHDGReference R, PlexHDGElastic el, PetscInt n, const PetscReal phi[],
                                 PetscReal U[])
{
  for (PetscInt q = 0; q < n; ++q)
    for (PetscInt j = 0; j < el->Nu; ++j) U[q * el->Nu + j] = phi[q * R->Npost + el->functions[j]];
}

/* Q and E */
static PetscErrorCode PlexHDGElasticSetFaces(PlexHDGReference R, PlexHDGElastic el)
{
  const PetscInt Nf = R->Nf, Nu = el->Nu;
  PetscReal     *phi, *U;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->Nqf * R->Npost, &phi, R->Nqf * Nu, &U));
  for (PetscInt f = 0; f < R->faces; ++f) {
    const PetscReal *Q = &el->Q[f * R->turns * Nf * Nu];

    PetscCall(PlexHDGBasis(R->cell, R->P + 1, R->Nqf, &R->pointsFace[f * R->Nqf * R->dim], phi, NULL));
    PlexHDGElasticSelect(R, el, R->Nqf, phi, U);
    for (PetscInt t = 0; t < R->turns; ++t)
      PlexHDGReferenceMoments(R->Nqf, R->weightsFace, Nf, &R->psi[t * R->Nqf * Nf], Nu, U,
                              &el->Q[(f * R->turns + t) * Nf * Nu]);
    for (PetscInt i = 0; i < Nu; ++i) {
      for (PetscInt j = 0; j < Nu; ++j) {
        PetscReal sum = 0.;

        for (PetscInt m = 0; m < Nf; ++m) sum += Q[m * Nu + i] * Q[m * Nu + j];
        el->E[(f * Nu + i) * Nu + j] = sum;
      }
    }
  }
  PetscCall(PetscFree2(phi, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticCreate_Private(PlexHDG hdg)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGElastic   el;
  PetscInt         most = hdg->reference->dim * PetscMax(R->Npost, PetscMax(R->Nt, R->Np * (R->dim + 1) / 2));

  PetscFunctionBegin;
  PetscCheck((PetscInt64)mesh->Ne * most < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " elastic elements of degree %" PetscInt_FMT ", each with %" PetscInt_FMT
             " numbers of a field, are too many for one process: use more processes",
             mesh->Ne, R->P, most);
  PetscCall(PetscNew(&el));
  hdg->elastic = el;
  PetscCall(PetscMalloc1(R->Npost, &el->functions));
  for (PetscInt i = 0; i < R->Npost; ++i)
    if (PlexHDGElasticHasFunction(R, i)) el->functions[el->Nu++] = (int)i;
  PetscCall(PetscMalloc4(R->Nq * el->Nu, &el->U, R->dim * R->Np * el->Nu, &el->D, R->faces * R->turns * R->Nf * el->Nu,
                         &el->Q, R->faces * el->Nu * el->Nu, &el->E));
  PlexHDGElasticSelect(R, el, R->Nq, R->phiPost, el->U);
  for (PetscInt a = 0; a < R->dim; ++a)
    PlexHDGReferenceMoments(R->Nq, R->weights, R->Np, &R->dphi[a * R->Nq * R->Np], el->Nu, el->U,
                            &el->D[a * R->Np * el->Nu]);
  PetscCall(PlexHDGElasticSetFaces(R, el));
  for (PetscInt q = 0; q < R->Nqf; ++q) el->area += R->weightsFace[q];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticDestroy_Private(PlexHDG hdg)
{
  PlexHDGElastic el = hdg->elastic;

  PetscFunctionBegin;
  if (!el) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(el->functions));
  PetscCall(PetscFree4(el->U, el->D, el->Q, el->E));
  PetscCall(PetscFree(el->held));
  PetscCall(PetscFree(el->bits));
  PetscCall(PetscFree(hdg->elastic));
  PetscFunctionReturn(PETSC_SUCCESS);
}
