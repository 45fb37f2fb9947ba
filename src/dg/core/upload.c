/* Copies in the memory of the operator's backend, until PlexDGReset() */
#include <plexgpu/private/dgimpl.h>

PetscErrorCode PlexDGUpload(PlexDG dg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryUpload(dg->backend, &dg->memory, values, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadReals(PlexDG dg, size_t n, const PetscReal values[], const void **at)
{
  float *single;

  PetscFunctionBegin;
  if (dg->precision == PLEX_PRECISION_DOUBLE) {
    PetscCall(PlexDGUpload(dg, values, n * sizeof(double), at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &single));
  for (size_t k = 0; k < n; ++k) single[k] = (float)values[k];
  PetscCall(PlexDGUpload(dg, single, n * sizeof(float), at));
  PetscCall(PetscFree(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}
