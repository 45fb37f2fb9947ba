/*
  The matrices of collocation and redistribution: W of equations 2.8, 2.15, 2.16, 2.17 and 2.20
*/
#include "quadratureimpl.h"

/* A[n][Np] = A Minv, which is symmetric */
static PetscErrorCode PlexDGTableSolve(PetscInt n, PetscInt Np, const PetscReal Minv[], PetscReal A[])
{
  PetscReal *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Np, &row));
  for (PetscInt r = 0; r < n; ++r) {
    PetscCall(PetscArraycpy(row, &A[r * Np], Np));
    for (PetscInt i = 0; i < Np; ++i) {
      A[r * Np + i] = 0.;
      for (PetscInt j = 0; j < Np; ++j) A[r * Np + i] += row[j] * Minv[j * Np + i];
    }
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTablesCreate_Private(PlexDGQuadrature Q, PlexDGReference R, PetscBool solved, PlexDGTables *t)
{
  const PetscInt Np = R->Np, Nfp = R->Nfp, NG = Q->NG, MG = Q->MG, dim = R->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(Np * NG, &t->W0, NG * Np, &t->W2, dim * NG * Np, &t->W3, Nfp * MG, &t->W4, R->faces * MG * Np, &t->W5, MG * Nfp, &t->face));
  for (PetscInt g = 0; g < NG; ++g) {
    for (PetscInt i = 0; i < Np; ++i) {
      t->W0[i * NG + g] = Q->phi[g * Np + i];
      t->W2[g * Np + i] = Q->weights[g] * Q->phi[g * Np + i];
      for (PetscInt a = 0; a < dim; ++a) t->W3[(a * NG + g) * Np + i] = Q->weights[g] * Q->dphi[(a * NG + g) * Np + i];
    }
  }
  PetscCall(PetscArrayzero(t->W5, R->faces * MG * Np));
  for (PetscInt g = 0; g < MG; ++g) {
    for (PetscInt m = 0; m < Nfp; ++m) {
      t->W4[m * MG + g]    = Q->psi[g * Nfp + m];
      t->face[g * Nfp + m] = Q->faceWeights[g] * Q->psi[g * Nfp + m];
      for (PetscInt f = 0; f < R->faces; ++f) t->W5[(f * MG + g) * Np + R->faceNodes[f * Nfp + m]] = t->face[g * Nfp + m];
    }
  }
  if (solved) {
    PetscCall(PlexDGTableSolve(NG, Np, Q->Minv, t->W2));
    PetscCall(PlexDGTableSolve(dim * NG, Np, Q->Minv, t->W3));
    PetscCall(PlexDGTableSolve(R->faces * MG, Np, Q->Minv, t->W5));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTablesDestroy_Private(PlexDGTables *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(t->W0, t->W2, t->W3, t->W4, t->W5, t->face));
  PetscFunctionReturn(PETSC_SUCCESS);
}
