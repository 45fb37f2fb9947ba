/*
  Products of matrices by BLAS, where the backend's memory is the host's
*/
#include "../interface/backendimpl.h"
#include <petscblaslapack.h>

#if defined(PETSC_BLASLAPACK_UNDERSCORE)
  #define PlexSgemm sgemm_
#elif defined(PETSC_BLASLAPACK_CAPS)
  #define PlexSgemm SGEMM
#else
  #define PlexSgemm sgemm
#endif
extern void PlexSgemm(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *, const float *, const PetscBLASInt *, const float *, float *, const PetscBLASInt *);

PetscErrorCode PlexBackendGemm_Host(PlexBackend backend, PlexPrecision precision, PetscInt rows, PetscInt columns, PetscInt inner, double alpha, const void *A, const void *B, double beta, void *C)
{
  PetscBLASInt m, n, k;

  PetscFunctionBegin;
  (void)backend;
  PetscCall(PetscBLASIntCast(rows, &m));
  PetscCall(PetscBLASIntCast(columns, &n));
  PetscCall(PetscBLASIntCast(inner, &k));
  if (precision == PLEX_PRECISION_SINGLE) {
    const float a = (float)alpha, b = (float)beta;

    PetscCallBLAS("sgemm", PlexSgemm("N", "N", &m, &n, &k, &a, (const float *)A, &m, (const float *)B, &k, &b, (float *)C, &m));
  } else {
    const PetscScalar a = alpha, b = beta;

    PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &m, &n, &k, &a, (const PetscScalar *)A, &m, (const PetscScalar *)B, &k, &b, (PetscScalar *)C, &m));
  }
  PetscCall(PetscLogFlops(2. * rows * columns * inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
