/*
  Sparse products of PCGAMG's set-up, on the host. PETSc's matrices on a GPU of NVIDIA are multiplied by cusparseSpGEMM(),
  which of CUDA 13.0 did not come back on matrices of 2,197 rows and more whose product it had computed once before in
  the same process, and which ends with "insufficient resources" where a product has more than 2^31 terms
  (docs/notes/2026-gamg.md). Whether it will cannot be told before. Prefixes of matrices do not
  reach these options.
*/
#include <plexgpu/private/util.h>

/* the last four: of a process's parts of a distributed product, which have prefixes of their own */
static const char *const options[PLEX_HOST_PRODUCTS] = {
  "-matmatmult_backend_cpu",
  "-matptap_backend_cpu",
  "-mattransposematmult_backend_cpu",
  "-mat_product_algorithm_backend_cpu",
  "-inner_C_loc_mat_product_algorithm_backend_cpu",
  "-inner_C_oth_mat_product_algorithm_backend_cpu",
  "-inner_diag_mat_product_algorithm_backend_cpu",
  "-inner_offdiag_mat_product_algorithm_backend_cpu",
};

PetscErrorCode PlexHostProductsBegin(PetscBool mine[PLEX_HOST_PRODUCTS])
{
  PetscBool given;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_HOST_PRODUCTS; ++k) {
    PetscCall(PetscOptionsHasName(NULL, NULL, options[k], &given));
    mine[k] = (PetscBool)!given;
    if (!given) PetscCall(PetscOptionsSetValue(NULL, options[k], "true"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHostProductsEnd(const PetscBool mine[PLEX_HOST_PRODUCTS])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_HOST_PRODUCTS; ++k)
    if (mine[k]) PetscCall(PetscOptionsClearValue(NULL, options[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
