/*
  Products of matrices by cuBLAS, with PETSc's handle and on its stream. Its functions are looked for where PETSc has loaded them: nothing is linked.
*/
#define _GNU_SOURCE
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <dlfcn.h>

  #define PLEX_STRING(s)   #s
  #define PLEX_EXPANDED(s) PLEX_STRING(s) /* cublasDgemm is a macro for cublasDgemm_v2 */

PetscErrorCode PlexBackendGemm_CUDA(PlexBackend b, PlexPrecision precision, PetscInt rows, PetscInt columns, PetscInt inner, double alpha, const void *A, const void *B, double beta, void *C)
{
  static __typeof__(&cublasDgemm) dgemm = NULL;
  static __typeof__(&cublasSgemm) sgemm = NULL;
  const float                     a = (float)alpha, z = (float)beta;
  cublasHandle_t                  handle;
  cublasStatus_t                  status;

  PetscFunctionBegin;
  (void)b;
  if (!dgemm) {
    *(void **)&dgemm = dlsym(RTLD_DEFAULT, PLEX_EXPANDED(cublasDgemm));
    *(void **)&sgemm = dlsym(RTLD_DEFAULT, PLEX_EXPANDED(cublasSgemm));
    PetscCheck(dgemm && sgemm, PETSC_COMM_SELF, PETSC_ERR_SUP, "cuBLAS, which PETSc is linked with, is not there: use another -plex_dg_gemm than blas");
  }
  PetscCall(PetscCUBLASGetHandle(&handle));
  if (precision == PLEX_PRECISION_SINGLE) status = (*sgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)rows, (int)columns, (int)inner, &a, (const float *)A, (int)rows, (const float *)B, (int)inner, &z, (float *)C, (int)rows);
  else status = (*dgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)rows, (int)columns, (int)inner, &alpha, (const double *)A, (int)rows, (const double *)B, (int)inner, &beta, (double *)C, (int)rows);
  PetscCheck(status == CUBLAS_STATUS_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuBLAS cannot multiply matrices of %" PetscInt_FMT " x %" PetscInt_FMT " and %" PetscInt_FMT " x %" PetscInt_FMT ": status %d", rows, inner, inner, columns, (int)status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
