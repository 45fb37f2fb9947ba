/*
  Sums of matrix entries that several processes add to (see src/dm/halo.c for which these are).

  B = [rows owned here | others' rows, which are sent | what was received], written by the assembly kernels up to the
  last part. The owners then have all terms of their rows, and write the sums into their matrix. Nothing is allocated or
  negotiated here: the star forest, the lists and the memory stay as long as the pattern.

  Where a strategy sums the rows to be sent first (PlexProduct.early), they travel while it still works on the others:

    side queue   zeros | others' rows | to the host's memory | MPI | to the device's memory
    main queue         | all else ..................................................... | terms added up, row by row
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

struct _n_PlexExchange {
  PlexBackend  backend;
  PetscScalar *B;                      /* [own+sent+received] in the backend's memory, as are */
  int         *start, *items, *target; /* the lists of sums */
  /* [sent+received] pinned, where MPI cannot read the device's memory; else NULL */
  PetscScalar *staging;
  PlexModule   module;
  PlexKernel   kernel;
};

PetscErrorCode PlexExchangeCreate_Private(PlexBackend backend, PlexHalo h, PlexExchange *exchange)
{
  PlexExchange x;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *exchange  = x;
  x->backend = backend;
  PetscCall(PetscObjectReference((PetscObject)backend));
  PetscCall(PlexBackendMalloc(backend, sizeof(PetscScalar) * (h->own + h->sent + h->received), (void **)&x->B));
  PetscCall(PlexBackendUpload(backend, h->sumStart, sizeof(int) * (h->nsums + 1), (void **)&x->start));
  PetscCall(PlexBackendUpload(backend, h->sumItems, sizeof(int) * (h->own + h->received), (void **)&x->items));
  PetscCall(PlexBackendUpload(backend, h->sumTarget, sizeof(int) * h->nsums, (void **)&x->target));
  if (backend->device && !use_gpu_aware_mpi) PetscCall(PlexBackendStagingMalloc(h->sent + h->received, &x->staging));
  if (backend->kernels && h->nsums) {
    PetscCall(PlexBackendCompileFile(backend, "assembly/exchange.cu", &x->module));
    PetscCall(PlexModuleGetKernel(x->module, "plex_sum", &x->kernel));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexExchangeDestroy_Private(PlexExchange *exchange)
{
  PlexExchange x = *exchange;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&x->module));
  PetscCall(PlexBackendStagingFree(&x->staging));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->B));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->start));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->items));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->target));
  PetscCall(PlexBackendDestroy(&x->backend));
  PetscCall(PetscFree(*exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscScalar *PlexExchangeGetArray_Private(PlexExchange x)
{
  return x ? x->B : NULL;
}

/* Others' rows to their owners, in the side queue. MPI reads and writes B itself, or the host's copy of what is sent
   and received. A star forest that is given the device's memory waits for PETSc's stream, the main queue, and so for
   all that was launched. */
static PetscErrorCode PlexExchangeSend(PlexExchange x, PlexHalo h, PetscBool early)
{
  PetscScalar       *sent = x->B + h->own, *received = sent + h->sent;
  PetscScalar       *from = x->staging ? x->staging : sent, *to = x->staging ? x->staging + h->sent : received;
  const PetscBool    direct  = (PetscBool)(x->backend->device && !x->staging);
  const PetscMemType memtype = direct ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  if (direct) PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, early));
  else PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, (PetscBool)!early));
  if (x->staging) PetscCall(PlexBackendCopyOut(x->backend, from, sent, sizeof(PetscScalar) * h->sent));
  PetscCall(PetscSFBcastWithMemTypeBegin(h->sf, MPIU_SCALAR, memtype, from, memtype, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(h->sf, MPIU_SCALAR, from, to, MPI_REPLACE));
  if (x->staging) PetscCall(PlexBackendCopyIn(x->backend, received, to, sizeof(PetscScalar) * h->received));
  PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, (PetscBool)!direct));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexExchangeZero_Private(PlexExchange x, PlexHalo h)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendZero(x->backend, x->B, sizeof(PetscScalar) * (h->own + h->sent)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexExchangeSum_Private(PlexExchange x, PlexHalo h, PetscBool early, PetscBool add, PetscScalar A[],
                                       PetscScalar O[])
{
  int   n = (int)h->nsums, adds = (int)add;
  void *arguments[] = {&x->B, &x->start, &x->items, &x->target, &A, &O, &n, &adds};

  PetscFunctionBegin;
  PetscCall(PlexExchangeSend(x, h, early));
  if (x->kernel) {
    PetscCall(PlexKernelLaunch(x->kernel, (n + 127) / 128, 128, 0, arguments));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < n; ++k) {
    PetscScalar *to  = x->target[k] >= 0 ? &A[x->target[k]] : &O[-x->target[k] - 1];
    PetscScalar  sum = 0.0;

    for (int i = x->start[k]; i < x->start[k + 1]; ++i) sum += x->B[x->items[i]];
    *to = add ? *to + sum : sum;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. seconds: all exchanges of this process; 0: not taken */
PetscErrorCode PlexExchangeView_Private(PlexExchange x, PlexHalo h, PetscBool early, double seconds, PetscViewer viewer)
{
  MPI_Comm       comm    = PetscObjectComm((PetscObject)h->sf);
  PetscLogDouble most[3] = {(double)h->sent, (double)h->nto, seconds}, total[2] = {(double)h->sent, (double)h->nown};

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, total, 2, MPI_DOUBLE, MPI_SUM, comm));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "exchange: %.0f interface rows, %.4g MB sent in all, at most %.4g MB to %.0f "
                                   "neighbours by a process, %s%s\n",
                                   total[1], 8e-6 * PLEX_REALS * total[0], 8e-6 * PLEX_REALS * most[0], most[1],
                                   !x->backend->device ? "from the host's memory"
                                   : x->staging        ? "through the host (MPI is not GPU-aware)"
                                                       : "from the GPU's memory",
                                   early && x->staging ? ", while the rest is assembled" : ""));
  if (most[2] > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "exchange time: %.4g ms by itself, the longest of all processes, waiting for "
                                     "others included\n",
                                     1e3 * most[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
