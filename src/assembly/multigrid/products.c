/*
  Where the products of PCGAMG's set-up are computed. cuSPARSE's and hipSPARSE's count the terms of a sparse product in 32
  bits: cusparseSpGEMM() ends with "insufficient resources" beyond. Those of A P, where a row of P has the modes of the
  aggregates that it reaches, are estimated before P is there; larger ones are left to the host, as PETSc's options can.
*/
#include "multigrid.h"

#define PLEX_AGGREGATES 12 /* that a row of a smoothed prolongation reaches: 8 on a lattice of hexahedra */

static const char *const options[PLEX_PRODUCTS] = {"-matmatmult_backend_cpu", "-matptap_backend_cpu",
                                                   "-mattransposematmult_backend_cpu",
                                                   "-mat_product_algorithm_backend_cpu"};

PetscErrorCode PlexProductsBegin(Mat A, PetscBool mine[PLEX_PRODUCTS])
{
  MatNullSpace near;
  MatInfo      info;
  PetscInt     modes    = 0, bs;
  PetscBool    constant = PETSC_FALSE, given;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mine, PLEX_PRODUCTS));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_MAX, &info));
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatNullSpaceGetVecs(near, &constant, &modes, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  modes = PetscMax(modes + constant, bs);
  if (info.nz_used * (double)modes * PLEX_AGGREGATES <= 2147483647.) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(A, "%g entries and %" PetscInt_FMT " modes: sparse products on the host\n", info.nz_used, modes));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    PetscCall(PetscOptionsHasName(NULL, NULL, options[k], &given));
    if (given) continue;
    PetscCall(PetscOptionsSetValue(NULL, options[k], "true"));
    mine[k] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexProductsEnd(const PetscBool mine[PLEX_PRODUCTS])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k)
    if (mine[k]) PetscCall(PetscOptionsClearValue(NULL, options[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
