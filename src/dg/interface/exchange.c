/*
  Traces between processes: of each face that two processes have, either sends the values at its nodes, and nothing
  else.

    main queue   packed | elements without such faces ......................... | the others
    side queue          | to the host's memory | MPI | to the device's memory

  Nothing is allocated or negotiated here: the star forest is the mesh's, memory and lists stay as long as the operator.
*/
#include "dgimpl.h"

struct _n_PlexDGExchange {
  PlexBackend  backend;
  PetscSF      sf;                     /* not owned */
  PetscInt     n, size, Np, Nf, faces; /* traces, values of a trace */
  MPI_Datatype unit;                   /* a trace */
  int         *sent;                   /* [n] traces that are sent, in the backend's memory, as are */
  int         *faceNodes;              /* [faces][Nfp] */
  PetscScalar *out, *in;               /* [n][size]; of fields [n][Nf][Nfp] */
  PetscScalar *staging;                /* [2 n size] pinned, where MPI cannot read the device's memory; else NULL */
  PlexModule   module;
  PlexKernel   kernel;
};

PetscErrorCode PlexDGExchangeCreate_Private(PlexDG dg, PetscInt size, PlexDGExchange *exchange)
{
  PlexDGReference R = dg->reference;
  PlexDGExchange  x;
  size_t          n;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *exchange  = x;
  x->backend = dg->backend;
  PetscCall(PetscObjectReference((PetscObject)x->backend));
  x->sf    = dg->mesh->sf;
  x->n     = dg->mesh->nghosts;
  x->Np    = R->Np;
  x->Nf    = dg->system->Nf;
  x->faces = R->faces;
  x->size  = size;
  n        = (size_t)x->n * x->size;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)x->size, MPIU_SCALAR, &x->unit));
  PetscCallMPI(MPI_Type_commit(&x->unit));
  PetscCall(PlexBackendUpload(x->backend, dg->mesh->sent, sizeof(int) * x->n, (void **)&x->sent));
  PetscCall(PlexBackendUpload(x->backend, R->faceNodes, sizeof(int) * R->faces * R->Nfp, (void **)&x->faceNodes));
  PetscCall(PlexBackendMalloc(x->backend, sizeof(PetscScalar) * n, (void **)&x->out));
  PetscCall(PlexBackendMalloc(x->backend, sizeof(PetscScalar) * n, (void **)&x->in));
  if (x->backend->device && !use_gpu_aware_mpi) PetscCall(PlexBackendStagingMalloc(2 * n, &x->staging));
  if (x->backend->kernels) {
    PetscCall(PlexBackendCompileFile(x->backend, "dg/traces.cu", &x->module));
    PetscCall(PlexModuleGetKernel(x->module, "plex_dg_pack", &x->kernel));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGExchangeGetArrays_Private(PlexDGExchange x, PetscScalar **out, PetscScalar **in)
{
  *out = x->out;
  *in  = x->in;
}

PetscErrorCode PlexDGExchangeDestroy_Private(PlexDGExchange *exchange)
{
  PlexDGExchange x = *exchange;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&x->module));
  PetscCall(PlexBackendStagingFree(&x->staging));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->sent));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->faceNodes));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->out));
  PetscCall(PlexBackendFree(x->backend, (void **)&x->in));
  PetscCallMPI(MPI_Type_free(&x->unit));
  PetscCall(PlexBackendDestroy(&x->backend));
  PetscCall(PetscFree(*exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is sent is there. From here on the side queue does not wait for later work of the main queue */
PetscErrorCode PlexDGExchangePacked_Private(PlexDGExchange x)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_TRUE));
  PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs the values of fields at the nodes of faces */
PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange x, const void *u, PetscBool single)
{
  int isfloat = (int)single, n = (int)(x->n * x->size), Nf = (int)x->Nf, Np = (int)x->Np, Nfp = (int)(x->size / x->Nf),
      faces         = (int)x->faces;
  void *arguments[] = {&u, &x->out, &x->sent, &x->faceNodes, &n, &Nf, &Np, &Nfp, &faces, &isfloat};

  PetscFunctionBegin;
  if (x->kernel && n) PetscCall(PlexKernelLaunch(x->kernel, (n + 127) / 128, 128, 0, arguments));
  for (int g = 0; !x->kernel && g < x->n; ++g) {
    const int *nodes = &x->faceNodes[x->sent[g] % faces * Nfp];

    for (int k = 0; k < Nf; ++k)
      for (int m = 0; m < Nfp; ++m) {
        const size_t at = ((size_t)(x->sent[g] / faces) * Nf + k) * Np + nodes[m];

        x->out[(g * Nf + k) * Nfp + m] = single ? ((const float *)u)[at] : ((const double *)u)[at];
      }
  }
  PetscCall(PlexDGExchangePacked_Private(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies values to the host if MPI needs them there, and starts the messages. A star forest that is given device memory
   waits for all that was launched */
PetscErrorCode PlexDGExchangeSend_Private(PlexDGExchange x)
{
  const PetscMemType memtype = x->backend->device && !x->staging ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  const size_t       n       = (size_t)x->n * x->size;

  PetscFunctionBegin;
  if (x->staging) {
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
    PetscCall(PlexBackendCopyOut(x->backend, x->staging, x->out, sizeof(PetscScalar) * n));
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_FALSE));
  }
  PetscCall(PetscSFBcastWithMemTypeBegin(x->sf, x->unit, memtype, x->staging ? x->staging : x->out, memtype,
                                         x->staging ? x->staging + n : x->in, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExchangeReceive_Private(PlexDGExchange x)
{
  const size_t n = (size_t)x->n * x->size;

  PetscFunctionBegin;
  PetscCall(PetscSFBcastEnd(x->sf, x->unit, x->staging ? x->staging : x->out, x->staging ? x->staging + n : x->in,
                            MPI_REPLACE));
  if (x->staging) {
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
    PetscCall(PlexBackendCopyIn(x->backend, x->in, x->staging + n, sizeof(PetscScalar) * n));
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
