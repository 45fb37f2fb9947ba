/*
  Products by BLAS in the operator's precision, and what the host's ways share besides
*/
#include <plexgpu/dg.h>
#include <petscblaslapack.h>
#include "dgimpl.h"

#if defined(PETSC_BLASLAPACK_UNDERSCORE)
  #define PlexSgemm sgemm_
#elif defined(PETSC_BLASLAPACK_CAPS)
  #define PlexSgemm SGEMM
#else
  #define PlexSgemm sgemm
#endif
extern void PlexSgemm(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *, const float *, const PetscBLASInt *, const float *, float *, const PetscBLASInt *);

PetscErrorCode PlexDGGemm_Private(PlexPrecision precision, PetscInt rows, PetscInt columns, PetscInt inner, double alpha, const void *A, const void *B, double beta, void *C)
{
  PetscBLASInt m, n, k;

  PetscFunctionBegin;
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

PetscErrorCode PlexDGGetMeet_Private(PlexDGReference R, int **meet)
{
  const PetscInt Nfp = R->Nfp;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((R->faces + 1) * R->turns * Nfp, meet));
  for (PetscInt f = 0; f <= R->faces; ++f) {
    for (PetscInt t = 0; t < R->turns; ++t) {
      for (PetscInt m = 0; m < Nfp; ++m) {
        const int node = R->turn[t * Nfp + m];

        (*meet)[(f * R->turns + t) * Nfp + m] = f < R->faces ? R->faceNodes[f * Nfp + node] : node;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
