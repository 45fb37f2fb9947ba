/*
  Products of matrices by cuBLAS, with PETSc's handle and on its stream. Its functions are looked for where PETSc has
  loaded them: nothing is linked.
*/
#define _GNU_SOURCE
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <dlfcn.h>

  #define PLEX_STRING(s)   #s
  #define PLEX_EXPANDED(s) PLEX_STRING(s) /* cublasDgemm is a macro for cublasDgemm_v2 */

PetscErrorCode PlexBackendGemm_CUDA(PlexBackend b, PlexPrecision precision, const PlexGemm *p)
{
  static __typeof__(&cublasDgemm) dgemm = NULL;
  static __typeof__(&cublasSgemm) sgemm = NULL;
  const int                       m = (int)p->rows, n = (int)p->columns, k = (int)p->inner;
  const float                     a = (float)p->alpha, z = (float)p->beta;
  cublasHandle_t                  handle;
  cublasStatus_t                  status;

  PetscFunctionBegin;
  (void)b;
  if (!dgemm) {
    *(void **)&dgemm = dlsym(RTLD_DEFAULT, PLEX_EXPANDED(cublasDgemm));
    *(void **)&sgemm = dlsym(RTLD_DEFAULT, PLEX_EXPANDED(cublasSgemm));
    PetscCheck(dgemm && sgemm, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "cuBLAS, which PETSc is linked with, is not there: use another -plex_dg_gemm than blas");
  }
  PetscCall(PetscCUBLASGetHandle(&handle));
  if (precision == PLEX_PRECISION_SINGLE)
    status = (*sgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &a, (const float *)p->A, m, (const float *)p->B, k, &z,
                      (float *)p->C, m);
  else
    status = (*dgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &p->alpha, (const double *)p->A, m,
                      (const double *)p->B, k, &p->beta, (double *)p->C, m);
  PetscCheck(status == CUBLAS_STATUS_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "cuBLAS cannot multiply matrices of %d x %d and %d x %d: status %d", m, k, k, n, (int)status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
