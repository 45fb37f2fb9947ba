/*
  The matrices of collocation and redistribution: W of equations 2.8, 2.15, 2.16, 2.17 and 2.20
*/
#include <petscblaslapack.h>
#include "quadratureimpl.h"

/* A[n][Np] = A Minv, which is symmetric */
static PetscErrorCode PlexDGTableSolve(PetscInt n, PetscInt Np, const PetscReal Minv[], PetscReal A[])
{
  const PetscScalar one = 1., zero = 0.;
  PetscBLASInt      bn, bNp;
  PetscReal        *copy;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(Np, &bNp));
  PetscCall(PetscMalloc1((size_t)n * Np, &copy));
  PetscCall(PetscArraycpy(copy, A, (size_t)n * Np));
  PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &bNp, &bn, &bNp, &one, Minv, &bNp, copy, &bNp, &zero, A, &bNp));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTablesCreate_Private(PlexDGQuadrature Q, PlexDGReference R, PetscBool solved, PlexDGTables *t)
{
  const PetscInt Np = R->Np, Nfp = R->Nfp, NG = Q->NG, MG = Q->MG, dim = R->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(Np * NG, &t->W0, NG * Np, &t->W2, dim * NG * Np, &t->W3, Nfp * MG, &t->W4, R->faces * MG * Np,
                         &t->W5, MG * Nfp, &t->face));
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
      for (PetscInt f = 0; f < R->faces; ++f)
        t->W5[(f * MG + g) * Np + R->faceNodes[f * Nfp + m]] = t->face[g * Nfp + m];
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
