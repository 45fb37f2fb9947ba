/*
  The COO path as a yardstick: an element kernel writes all element matrices, and MatSetValuesCOO() sums them into a
  matrix of its own, which was given the rows and columns of all of them once. The kernel is that of a strategy that is
  registered here ("coo"), so that integration is the same as in the others; the strategy fills nothing of the matrix
  that it is called with.
*/
#ifndef BENCH_COO_H
#define BENCH_COO_H

#include "../examples/timing.h"
#include <plexgpu/private/backendimpl.h>
#include <plex_args.h>

#define BENCH_COO "coo"

static char CooKernelFile[PETSC_MAX_PATH_LEN]; /* coo.cu */
/* elements whose matrices are interleaved; 0: as the threads that write them */
static PetscInt CooInterleave = 0;

typedef struct {
  PetscInt   positions;  /* of elements, padding included */
  PetscInt   interleave; /* of G */
  int       *device;     /* interleaved [positions][NV + EF + number], as coo.cu has it */
  PetscReal *G;          /* [positions][EF*EF], interleaved or not, in the backend's memory */
  Mat        mat;        /* the sums */
  PlexKernel kernel;
} CooPlan;

static PetscErrorCode CooSetUp(PlexAssembly plex, PlexProduct *product)
{
  PlexElements   el = plex->elements;
  const PetscInt W = product->team == 1 ? 32 : 1, EF = el->ef, N = el->ea ? 1 : 0, K = el->Nv + EF + N;
  CooPlan       *plan;
  char           define[64];
  const char    *defines[] = {define};
  int           *host;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan    = plan;
  plan->interleave = CooInterleave ? CooInterleave : W;
  plan->positions  = (el->Ne + 31) / 32 * 32;
  PetscCall(PetscMalloc1((size_t)plan->positions * K, &host));
  for (size_t k = 0; k < (size_t)plan->positions * K; ++k) host[k] = -1;
  for (PetscInt e = 0; e < el->Ne; ++e) {
    int *to = &host[(size_t)(e / W) * K * W + e % W];

    for (PetscInt k = 0; k < el->Nv; ++k) to[k * W] = el->vertices[(size_t)e * el->Nv + k];
    for (PetscInt k = 0; k < EF; ++k) to[(el->Nv + k) * W] = el->dofs[(size_t)e * EF + k];
    if (N) to[(el->Nv + EF) * W] = (int)e;
  }
  PetscCall(PlexBackendUpload(plex->backend, host, sizeof(int) * (size_t)plan->positions * K, (void **)&plan->device));
  PetscCall(PetscFree(host));
  PetscCall(PlexBackendMalloc(plex->backend, sizeof(PetscReal) * (size_t)plan->positions * EF * EF, (void **)&plan->G));
  PetscCall(PlexBackendZero(plex->backend, plan->G, sizeof(PetscReal) * (size_t)plan->positions * EF * EF));
  product->flops = PlexAssemblyCountFlops(plex, product, (double)el->Ne * PlexAssemblyPoints(plex, product),
                                          (double)el->Ne * EF, 0) +
                   (double)el->Ne * EF * EF;
  /* the element matrices are written and read, 8 bytes of permutation each; 16 of a non-zero: where its entries begin,
     itself */
  product->bytes = (double)el->Ne * (4.0 * K + 8.0 * (el->dim * el->Nv + EF) + 24.0 * EF * EF) +
                   16.0 * (double)product->Nt;
  PetscCall(PetscSNPrintf(define, sizeof(define), "COO_INTERLEAVE=%d", (int)plan->interleave));
  PetscCall(PlexAssemblyCompile(plex, product, CooKernelFile, 1, defines));
  PetscCall(PlexModuleGetKernel(product->module, "coo_integrate", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CooCompute(PlexAssembly plex, PlexProduct *product, const void *args)
{
  CooPlan       *plan        = (CooPlan *)product->plan;
  const PetscInt teams       = product->block / product->team;
  int            n           = (int)plan->positions;
  void          *arguments[] = {(void *)args, &plan->device, &plan->G, &n};

  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(plan->kernel, (n + teams - 1) / teams, product->block, product->work * teams, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CooResetProduct(PlexAssembly plex, PlexProduct *product)
{
  CooPlan *plan = (CooPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(plex->backend, (void **)&plan->device));
  PetscCall(PlexBackendFree(plex->backend, (void **)&plan->G));
  PetscCall(MatDestroy(&plan->mat));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CooCreate(PlexAssembly plex)
{
  PetscFunctionBegin;
  plex->ops->setup        = CooSetUp;
  plex->ops->compute      = CooCompute;
  plex->ops->resetproduct = CooResetProduct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `file`: where coo.cu is; `interleave`: 1 or 32 elements, 0: as the threads that write */
static PetscErrorCode CooRegister(const char file[], PetscInt interleave)
{
  PetscFunctionBegin;
  PetscCall(PetscGetRealPath(file, CooKernelFile));
  CooInterleave = interleave;
  PetscCall(PlexAssemblyRegister(BENCH_COO, CooCreate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the sums, told once where each entry of the element matrices belongs; those of constrained dofs belong
   nowhere */
static PetscErrorCode CooPreallocate(PlexAssembly plex, CooPlan *plan, Mat J)
{
  PlexElements     el      = plex->elements;
  PlexPattern      pattern = plex->pattern;
  const PetscInt   W = plan->interleave, EF = el->ef;
  const PetscCount n = (PetscCount)plan->positions * EF * EF;
  PetscInt         rows, *i, *j;
  MatType          type;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &i, n, &j));
  for (PetscCount k = 0; k < n; ++k) i[k] = j[k] = -1;
  for (PetscInt e = 0; e < el->Ne; ++e) {
    const PetscCount first = (PetscCount)(e / W) * EF * EF * W + e % W;

    for (PetscInt a = 0; a < EF; ++a) {
      for (PetscInt b = 0; b < EF; ++b) {
        i[first + (a * EF + b) * W] = pattern->row[el->dofs[(size_t)e * EF + a]];
        j[first + (a * EF + b) * W] = pattern->column[el->dofs[(size_t)e * EF + b]];
      }
    }
  }
  PetscCall(MatGetSize(J, &rows, NULL));
  PetscCall(MatGetType(J, &type));
  PetscCall(MatCreate(PETSC_COMM_SELF, &plan->mat));
  PetscCall(MatSetSizes(plan->mat, rows, rows, rows, rows));
  PetscCall(MatSetType(plan->mat, type));
  PetscCall(MatSetPreallocationCOO(plan->mat, n, i, j));
  PetscCall(PetscFree2(i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Jacobian by this path, into a matrix that CooGetMatrix() gives */
static PetscErrorCode CooJacobian(PlexAssembly plex, TimingProblem *problem)
{
  CooPlan *plan;

  PetscFunctionBegin;
  PetscCall(TimingJacobian(plex, problem));
  plan = (CooPlan *)plex->product[PLEX_JACOBIAN].plan;
  if (!plan->mat) PetscCall(CooPreallocate(plex, plan, problem->J));
  PetscCall(MatSetValuesCOO(plan->mat, plan->G, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CooGetMatrix(PlexAssembly plex, Mat *mat)
{
  PetscFunctionBegin;
  *mat = ((CooPlan *)plex->product[PLEX_JACOBIAN].plan)->mat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
