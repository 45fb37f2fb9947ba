/* What a stage of nodal DG on a GPU is compared with: the least time that its bytes and flops need, the host backend on
   one core, cuBLAS's products alone */
#ifndef BENCH_DG_YARDSTICKS_H
#define BENCH_DG_YARDSTICKS_H

#include "dg_parts.h"
#include "cublas.h"

/* Flops a second of products of square matrices by cuBLAS: in double precision; in single precision, where the kernels
   take three products of tf32 for one, a third of the rate of those or that of plain ones, which is higher */
static inline PetscErrorCode YardstickPeak(PlexBackend backend, PlexPrecision precision, double *rate)
{
  const PetscInt n       = 8192;
  BenchProduct   product = {.precision = precision, .m = n, .n = n, .k = n};
  void          *memory[3];
  PetscLogDouble seconds = 0.;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(BenchNumbers(backend, precision, (size_t)n * n, &memory[k]));
  product.A = memory[0];
  product.B = memory[1];
  product.C = memory[2];
  *rate     = 0.;
  for (int tf32 = 0; tf32 <= (precision == PLEX_PRECISION_SINGLE); ++tf32) {
    product.tf32 = (PetscBool)tf32;
    PetscCall(BenchMultiply(&product));
    PetscCall(BenchMedian(backend, BenchMultiply, &product, 3, &seconds));
    *rate = PetscMax(*rate, 2. * n * n * n / seconds / (tf32 ? 3. : 1.));
  }
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of the products with all D_a, of all fields of all elements, and with L: two large ones */
static inline PetscErrorCode YardstickProducts(PlexDG dg, PetscInt reps, PetscLogDouble *seconds)
{
  PlexDGReference R       = dg->reference;
  const PetscInt  columns = dg->mesh->Ne * dg->system->Nf, nface = R->faces * R->Nfp,
                  most     = PetscMax(R->dim * R->Np, nface);
  const size_t    sizes[3] = {(size_t)most * R->Np, (size_t)columns * R->Np, (size_t)columns * most};
  BenchProduct    D        = {.precision = dg->precision, .m = R->dim * R->Np, .n = columns, .k = R->Np},
                  L        = {.precision = dg->precision, .m = R->Np, .n = columns, .k = nface, .beta = 1.};
  void           *memory[3];
  PetscLogDouble  second = 0.;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(BenchNumbers(dg->backend, dg->precision, sizes[k], &memory[k]));
  D.A = L.A = memory[0];
  D.B = L.C = memory[1];
  D.C       = memory[2];
  L.B       = memory[2];
  PetscCall(BenchMultiply(&D));
  PetscCall(BenchMultiply(&L));
  PetscCall(BenchMedian(dg->backend, BenchMultiply, &D, reps, seconds));
  PetscCall(BenchMedian(dg->backend, BenchMultiply, &L, reps, &second));
  *seconds += second;
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(dg->backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stage on the host: right-hand side, residual and state; the latter two are PETSc's vectors and double */
typedef struct {
  PlexDG dg;
  Vec    U, R, residual;
} YardstickHost;

static inline PetscErrorCode YardstickHostStage(void *ctx)
{
  YardstickHost *host = (YardstickHost *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeRHS(host->dg, 0., host->U, host->R));
  PetscCall(VecAXPBY(host->residual, 1e-6, -0.5, host->R));
  PetscCall(VecAXPY(host->U, 0.3, host->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes and flops of a stage in one kernel: state and residual read and written, traces of neighbours read once a face
   node, geometry, links and coefficients of the elements; products with the D_a that the system needs (those of a curl
   are two a component and not three), and one with L a field */
static inline void YardstickCount(PlexDG dg, double *bytes, double *flops)
{
  PlexDGReference R   = dg->reference;
  const PetscInt  dim = R->dim, Nf = dg->system->Nf;
  const PetscBool maxwell = (PetscBool)!strcmp(dg->system->name, "maxwell");
  const double    Ne = dg->mesh->Ne, real = (double)BenchReal(dg->precision),
                  products = maxwell ? (dim == 3 ? 12. : 8.) : (double)Nf * dim;

  *bytes = Ne * (real * (4. * R->Np * Nf + (double)R->faces * R->Nfp * Nf + (double)dim * dim +
                         (double)dg->system->ncoefficients) +
                 4. * R->faces);
  *flops = 2. * Ne * R->Np * (products * R->Np + (double)Nf * R->faces * R->Nfp);
}

#endif
