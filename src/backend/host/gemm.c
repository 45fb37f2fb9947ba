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
extern void PlexSgemm(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const PetscBLASInt *,
                      const float *, const float *, const PetscBLASInt *, const float *, const PetscBLASInt *,
                      const float *, float *, const PetscBLASInt *);

PetscErrorCode PlexBackendGemm_Host(PlexBackend backend, PlexPrecision precision, const PlexGemm *p)
{
  PetscBLASInt m, n, k;

  PetscFunctionBegin;
  (void)backend;
  PetscCall(PetscBLASIntCast(p->rows, &m));
  PetscCall(PetscBLASIntCast(p->columns, &n));
  PetscCall(PetscBLASIntCast(p->inner, &k));
  if (precision == PLEX_PRECISION_SINGLE) {
    const float  a = (float)p->alpha, b = (float)p->beta;
    const float *A = (const float *)p->A, *B = (const float *)p->B;

    PetscCallBLAS("sgemm", PlexSgemm("N", "N", &m, &n, &k, &a, A, &m, B, &k, &b, (float *)p->C, &m));
  } else {
    const PetscScalar  a = p->alpha, b = p->beta;
    const PetscScalar *A = (const PetscScalar *)p->A, *B = (const PetscScalar *)p->B;

    PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &m, &n, &k, &a, A, &m, B, &k, &b, (PetscScalar *)p->C, &m));
  }
  PetscCall(PetscLogFlops(2. * p->rows * p->columns * p->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
