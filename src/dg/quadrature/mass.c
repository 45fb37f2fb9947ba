/*
  Mass matrices of DG with quadrature (section 2.2.5): of each element where det J is not constant, else of the
  reference element alone

    M_ij = sum_g phi_i(g) phi_j(g) det J(g) w_g
*/
#include <petscblaslapack.h>
#include <unistd.h>
#include "quadratureimpl.h"

/* Inverse of a symmetric positive definite matrix, in place, by Cholesky factorization */
static PetscErrorCode PlexDGInvertMass(PetscInt n, PetscScalar A[], PetscInt cell)
{
  PetscBLASInt bn, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bn, A, &bn, &info));
  if (!info) PetscCallBLAS("LAPACKpotri", LAPACKpotri_("L", &bn, A, &bn, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "The mass matrix of cell %" PetscInt_FMT
             " is singular: a higher -plex_dg_quadrature_degree has more points",
             cell);
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = i + 1; j < n; ++j) A[j * n + i] = A[i * n + j]; /* LAPACK has set the lower half by columns */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureSetMass_Private(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R)
{
  const PetscInt Np = R->Np, NG = Q->NG, n = Q->affine ? 1 : mesh->Ne;
  PetscBLASInt   bNp, bNG;
  PetscReal     *weighted;

  PetscFunctionBegin;
  PetscCheck((PetscReal)n * Np * Np * sizeof(PetscReal) <
               (PetscReal)sysconf(_SC_PHYS_PAGES) * (PetscReal)sysconf(_SC_PAGESIZE),
             PETSC_COMM_SELF, PETSC_ERR_MEM,
             "Mass matrices of %" PetscInt_FMT " elements of degree %" PetscInt_FMT
             " are %g GB, more than this machine has: elements that are no parallelepipeds or straight simplices have "
             "one each. Use a lower -plex_dg_degree, or more processes",
             n, R->N, 1e-9 * (double)n * (double)Np * (double)Np * sizeof(PetscReal));
  PetscCall(PetscBLASIntCast(Np, &bNp));
  PetscCall(PetscBLASIntCast(NG, &bNG));
  PetscCall(PetscMalloc1((size_t)n * Np * Np, &Q->Minv));
  PetscCall(PetscMalloc1(NG * Np, &weighted));
  for (PetscInt e = 0; e < n; ++e) {
    const PetscScalar one = 1., zero = 0.;
    PetscScalar      *M = &Q->Minv[(size_t)e * Np * Np];

    for (PetscInt g = 0; g < NG; ++g)
      for (PetscInt i = 0; i < Np; ++i)
        weighted[g * Np + i] = Q->phi[g * Np + i] * Q->weights[g] * (Q->affine ? 1. : Q->detJ[(size_t)e * NG + g]);
    PetscCallBLAS("BLASgemm",
                  BLASgemm_("N", "T", &bNp, &bNp, &bNG, &one, weighted, &bNp, Q->phi, &bNp, &zero, M, &bNp));
    PetscCall(PlexDGInvertMass(Np, M, Q->affine ? -1 : mesh->cells[e]));
  }
  PetscCall(PetscFree(weighted));
  PetscFunctionReturn(PETSC_SUCCESS);
}
