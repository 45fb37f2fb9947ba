/*
  Traces between processes: of each face that two processes have, either sends the values at its nodes, and nothing
  else.

    main queue   packed | elements without such faces ......................... | the others
    side queue          | to the host's memory | MPI | to the device's memory

  Nothing is allocated or negotiated here: the star forest is the mesh's, memory and lists stay as long as the operator.

  Of the parts of a mixed mesh either one's values are packed where the other one receives them.
*/
#include "dgimpl.h"

/* What is packed of the elements of one kind */
typedef struct {
  PetscInt start, nmet, n; /* traces: the place of the first, those between parts, all */
  PetscInt Np, faces, values;
  int     *sent;      /* [n] traces that are sent, in the backend's memory, as are */
  int     *faceNodes; /* [faces][Nfp] */
} PlexDGPacked;

struct _n_PlexDGExchange {
  PlexBackend  backend;
  PetscSF      sf;    /* not owned */
  PetscBool    alone; /* one process: nothing travels */
  PetscInt     nparts;
  PlexDGPacked parts[2];
  PetscInt     n, size, Nf; /* traces of all parts, values of a trace */
  MPI_Datatype unit;        /* a trace */
  PetscScalar *out, *in;    /* [n][size]; of fields [n][Nf][Nfp] */
  PetscScalar *staging;     /* [2 n size] pinned, where MPI cannot read the device's memory; else NULL */
  PlexModule   module;
  PlexKernel   kernel;
};

static PetscErrorCode PlexDGPackedCreate(PlexDG dg, PlexDGPacked *p)
{
  PlexDGReference R = dg->reference;

  PetscFunctionBegin;
  p->start  = dg->start;
  p->nmet   = dg->mesh->nmet;
  p->n      = dg->mesh->nghosts;
  p->Np     = R->Np;
  p->faces  = R->faces;
  p->values = dg->mesh->Ne * dg->system->Nf * R->Np;
  PetscCall(PlexBackendUpload(dg->backend, dg->mesh->sent, sizeof(int) * p->n, (void **)&p->sent));
  PetscCall(PlexBackendUpload(dg->backend, R->faceNodes, sizeof(int) * R->faces * R->Nfp, (void **)&p->faceNodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExchangeCreate_Private(PlexDG dg, PetscInt size, PlexDGExchange *exchange)
{
  PlexDG         parts[2];
  PlexDGExchange x;
  PetscMPIInt    processes;
  size_t         n;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *exchange  = x;
  x->backend = dg->backend;
  PetscCall(PetscObjectReference((PetscObject)x->backend));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dg), &processes));
  x->alone  = (PetscBool)(processes == 1);
  x->nparts = PlexDGGetParts(dg, parts);
  x->sf     = x->nparts > 1 ? dg->partsSF : dg->mesh->sf;
  for (PetscInt k = 0; k < x->nparts; ++k) {
    PetscCall(PlexDGPackedCreate(parts[k], &x->parts[k]));
    x->n += x->parts[k].n;
  }
  x->Nf   = dg->system->Nf;
  x->size = size;
  n       = (size_t)x->n * x->size;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)x->size, MPIU_SCALAR, &x->unit));
  PetscCallMPI(MPI_Type_commit(&x->unit));
  PetscCall(PlexBackendMalloc(x->backend, sizeof(PetscScalar) * n, (void **)&x->out));
  PetscCall(PlexBackendMalloc(x->backend, sizeof(PetscScalar) * n, (void **)&x->in));
  if (x->backend->device && !use_gpu_aware_mpi && !x->alone) PetscCall(PlexBackendStagingMalloc(2 * n, &x->staging));
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
  for (PetscInt k = 0; k < x->nparts; ++k) {
    PetscCall(PlexBackendFree(x->backend, (void **)&x->parts[k].sent));
    PetscCall(PlexBackendFree(x->backend, (void **)&x->parts[k].faceNodes));
  }
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

/* The traces sent[first .. end) of a part, to out[end - first][Nf][Nfp] */
static PetscErrorCode PlexDGExchangePackPart(PlexDGExchange x, const PlexDGPacked *p, const void *u, PetscBool single,
                                             PetscInt first, PetscInt end, PetscScalar *out)
{
  int   isfloat = (int)single, n = (int)((end - first) * x->size), Nf = (int)x->Nf, Np = (int)p->Np,
        Nfp = (int)(x->size / x->Nf), faces = (int)p->faces, *sent = p->sent + first, *faceNodes = p->faceNodes;
  void *arguments[] = {&u, &out, &sent, &faceNodes, &n, &Nf, &Np, &Nfp, &faces, &isfloat};

  PetscFunctionBegin;
  if (x->kernel && n) PetscCall(PlexKernelLaunch(x->kernel, (n + 127) / 128, 128, 0, arguments));
  for (int g = 0; !x->kernel && g < end - first; ++g) {
    const int *nodes = &faceNodes[sent[g] % faces * Nfp];

    for (int k = 0; k < Nf; ++k)
      for (int m = 0; m < Nfp; ++m) {
        const size_t at = ((size_t)(sent[g] / faces) * Nf + k) * Np + nodes[m];

        out[(g * Nf + k) * Nfp + m] = single ? ((const float *)u)[at] : ((const double *)u)[at];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs the values of fields at the nodes of faces */
PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange x, const void *u, PetscBool single)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < x->nparts; ++k) {
    const PlexDGPacked *p = &x->parts[k];

    if (p->nmet)
      PetscCall(PlexDGExchangePackPart(x, p, u, single, 0, p->nmet, x->in + (size_t)x->parts[1 - k].start * x->size));
    PetscCall(PlexDGExchangePackPart(x, p, u, single, p->nmet, p->n, x->out + (size_t)(p->start + p->nmet) * x->size));
    u = (const char *)u + (size_t)p->values * (single ? sizeof(float) : sizeof(double));
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
  if (x->alone) PetscFunctionReturn(PETSC_SUCCESS);
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
  if (x->alone) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFBcastEnd(x->sf, x->unit, x->staging ? x->staging : x->out, x->staging ? x->staging + n : x->in,
                            MPI_REPLACE));
  if (x->staging) {
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
    for (PetscInt k = 0; k < x->nparts; ++k) { /* what met is there already */
      const PlexDGPacked *p  = &x->parts[k];
      const size_t        at = (size_t)(p->start + p->nmet) * x->size;

      PetscCall(PlexBackendCopyIn(x->backend, x->in + at, x->staging + n + at,
                                  sizeof(PetscScalar) * (size_t)(p->n - p->nmet) * x->size));
    }
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
