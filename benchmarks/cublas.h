/* Matrix products by cuBLAS on PETSc's device, as a yardstick. The library is there where PETSc was built with CUDA,
   and asked for its functions by name. */
#ifndef BENCH_CUBLAS_H
#define BENCH_CUBLAS_H

#include <plexgpu/private/backendimpl.h>

#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <dlfcn.h>

typedef cublasStatus_t (*BenchDgemmFn)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                       const double *, const double *, int, const double *, int, const double *,
                                       double *, int);
typedef cublasStatus_t (*BenchSgemmFn)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                       const float *, const float *, int, const float *, int, const float *, float *,
                                       int);
typedef cublasStatus_t (*BenchDgemmBatchFn)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                            const double *, const double *, int, long long, const double *, int,
                                            long long, const double *, double *, int, long long, int);
typedef cublasStatus_t (*BenchMathModeFn)(cublasHandle_t, cublasMath_t);
#endif

/* C = A B of `batch` products of double precision one behind the other in memory, A[k][m], B[n][k], C[n][m], first
   index slowest */
typedef struct {
  PetscInt    m, n, k, batch;
  const void *A, *B;
  void       *C;
} BenchBatch;

static inline PetscErrorCode BenchMultiplyBatch(void *ctx)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  {
    static BenchDgemmBatchFn dgemm;
    const BenchBatch        *p = (const BenchBatch *)ctx;
    const int                m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const double             one = 1., zero = 0.;
    cublasHandle_t           handle;
    cublasStatus_t           status;

    if (!dgemm) *(void **)&dgemm = dlsym(RTLD_DEFAULT, "cublasDgemmStridedBatched");
    PetscCheck(dgemm, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuBLAS is not among the libraries of this program");
    PetscCall(PetscCUBLASGetHandle(&handle));
    status = (*dgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, (const double *)p->A, m, (long long)m * k,
                      (const double *)p->B, k, (long long)k * n, &zero, (double *)p->C, m, (long long)m * n,
                      (int)p->batch);
    PetscCheck(status == CUBLAS_STATUS_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuBLAS error %d", (int)status);
  }
#else
  (void)ctx;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "cuBLAS is there where PETSc was built with CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C[n][m] = beta C + A B, A[k][m], B[n][k], first index slowest; in tf32: factors of single precision are cut to 11
   bits */
typedef struct {
  PlexPrecision precision;
  PetscBool     tf32;
  PetscInt      m, n, k;
  PetscReal     beta;
  const void   *A, *B;
  void         *C;
} BenchProduct;

static inline PetscErrorCode BenchMultiply(void *ctx)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  {
    static BenchDgemmFn    dgemm;
    static BenchSgemmFn    sgemm;
    static BenchMathModeFn mode;
    const BenchProduct    *p = (const BenchProduct *)ctx;
    const int              m = (int)p->m, n = (int)p->n, k = (int)p->k;
    cublasHandle_t         handle;
    cublasStatus_t         status;

    if (!dgemm) {
      *(void **)&dgemm = dlsym(RTLD_DEFAULT, "cublasDgemm_v2");
      *(void **)&sgemm = dlsym(RTLD_DEFAULT, "cublasSgemm_v2");
      *(void **)&mode  = dlsym(RTLD_DEFAULT, "cublasSetMathMode");
      PetscCheck(dgemm && sgemm && mode, PETSC_COMM_SELF, PETSC_ERR_LIB,
                 "cuBLAS is not among the libraries of this program");
    }
    PetscCall(PetscCUBLASGetHandle(&handle));
    if (p->precision == PLEX_PRECISION_SINGLE) {
      const float one = 1.f, beta = (float)p->beta;

      status = (*mode)(handle, p->tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
      PetscCheck(status == CUBLAS_STATUS_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuBLAS error %d", (int)status);
      status = (*sgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, (const float *)p->A, m, (const float *)p->B, k,
                        &beta, (float *)p->C, m);
    } else {
      const double one = 1., beta = p->beta;

      status = (*dgemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, (const double *)p->A, m, (const double *)p->B,
                        k, &beta, (double *)p->C, m);
    }
    PetscCheck(status == CUBLAS_STATUS_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuBLAS error %d", (int)status);
  }
#else
  (void)ctx;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "cuBLAS is there where PETSc was built with CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
