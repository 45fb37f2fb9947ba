/*
  Traces between processes: of each face that two processes have, either sends the values at its nodes, and nothing
  else, in the precision in which they are used.

    main queue   packed | elements without such faces ......................... | the others
    side queue          | to the host's memory | MPI | to the device's memory

  Where MPI reads the device's memory there are no copies: the side queue says when values are packed, MPI begins then,
  and ends while the elements without such faces are computed.

  Nothing is allocated or negotiated here: messages, memory and lists stay as long as the operator. The traces that a
  process sends another one are contiguous on both sides, and each is received in the place of the one that is sent
  back: a message is a range of places.

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

/* The traces first .. first + n - 1 here, there .. there + n - 1 on another process, lie across each other */
typedef struct {
  PetscInt rank, first, there, n;
} PlexDGMessage;

struct _n_PlexDGExchange {
  PlexBackend   backend;
  PetscBool     alone; /* one process: nothing travels */
  PetscInt      nparts;
  PlexDGPacked  parts[2];
  PetscInt      n, size, Nf; /* traces of all parts, values of a trace */
  PlexPrecision precision;
  size_t        bytes;              /* of a trace */
  void         *out, *in;           /* [n][size]; of fields [n][Nf][Nfp] */
  PetscScalar  *staging;            /* [2 n] traces, pinned, where MPI cannot read the device's memory; else NULL */
  MPI_Datatype  unit;               /* a trace */
  PetscMPIInt   nmessages, ntraces; /* both in either direction */
  MPI_Request  *requests;           /* [2][nmessages] persistent: what is received; what is sent */
  PlexModule    module;
  PlexKernel    kernel;
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

/* Messages in an order that is the same on both sides: by the place on the process of the lower rank */
static int PlexDGMessageCompare(const void *a, const void *b, void *ctx)
{
  const PlexDGMessage *x = (const PlexDGMessage *)a, *y = (const PlexDGMessage *)b;
  const PetscInt       rank = *(PetscMPIInt *)ctx;
  const PetscInt       p = x->rank < rank ? x->there : x->first, q = y->rank < rank ? y->there : y->first;

  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (p > q) - (p < q);
}

/* Ranges of places that are consecutive on both sides; messages[] of as many as there are traces, PetscFree() it */
static PetscErrorCode PlexDGExchangeGetMessages(PetscSF sf, PetscMPIInt rank, PetscInt *n, PlexDGMessage *messages[])
{
  const PetscInt    *leaves;
  const PetscSFNode *roots;
  PetscInt           nleaves;
  PlexDGMessage     *last = NULL;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, &roots));
  PetscCall(PetscMalloc1(PetscMax(nleaves, 0), messages));
  *n = 0;
  for (PetscInt k = 0; k < nleaves; ++k) {
    const PetscInt here = leaves ? leaves[k] : k;

    if (last && last->rank == roots[k].rank && last->first + last->n == here && last->there + last->n == roots[k].index)
      ++last->n;
    else {
      last  = &(*messages)[(*n)++];
      *last = (PlexDGMessage){.rank = roots[k].rank, .first = here, .there = roots[k].index, .n = 1};
    }
  }
  if (*n > 1) PetscCall(PetscTimSort(*n, *messages, sizeof(**messages), PlexDGMessageCompare, &rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two processes have their messages in the same order, and MPI keeps it */
static PetscErrorCode PlexDGExchangeCreateRequests(PlexDG dg, PlexDGExchange x, PetscSF sf)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  char          *out = (char *)(x->staging ? (void *)x->staging : x->out), *in = (char *)x->in;
  PetscMPIInt    rank, tag, count, other;
  PetscInt       n = 0;
  PlexDGMessage *messages;

  PetscFunctionBegin;
  if (x->staging) in = out + (size_t)x->n * x->bytes;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscObjectGetNewTag((PetscObject)dg, &tag));
  PetscCall(PetscMPIIntCast(x->size, &count));
  PetscCallMPI(MPI_Type_contiguous(count, x->precision == PLEX_PRECISION_SINGLE ? MPI_FLOAT : MPI_DOUBLE, &x->unit));
  PetscCallMPI(MPI_Type_commit(&x->unit));
  PetscCall(PlexDGExchangeGetMessages(sf, rank, &n, &messages));
  PetscCall(PetscMPIIntCast(2 * n, &x->nmessages)); /* all requests are an argument, too */
  x->nmessages /= 2;
  PetscCall(PetscMalloc1(2 * n, &x->requests));
  for (PetscInt k = 0; k < n; ++k) {
    const size_t at = (size_t)messages[k].first * x->bytes;

    PetscCall(PetscMPIIntCast(messages[k].n, &count));
    x->ntraces += count;
    PetscCall(PetscMPIIntCast(messages[k].rank, &other));
    PetscCallMPI(MPI_Recv_init(in + at, count, x->unit, other, tag, comm, &x->requests[k]));
    PetscCallMPI(MPI_Send_init(out + at, count, x->unit, other, tag, comm, &x->requests[n + k]));
  }
  PetscCall(PetscFree(messages));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExchangeCreate_Private(PlexDG dg, PetscInt size, PlexPrecision precision, PlexDGExchange *exchange)
{
  PlexDG         parts[2];
  PlexDGExchange x;
  PetscMPIInt    processes;
  size_t         bytes;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *exchange  = x;
  x->backend = dg->backend;
  PetscCall(PetscObjectReference((PetscObject)x->backend));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dg), &processes));
  x->alone  = (PetscBool)(processes == 1);
  x->nparts = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < x->nparts; ++k) {
    PetscCall(PlexDGPackedCreate(parts[k], &x->parts[k]));
    x->n += x->parts[k].n;
  }
  x->Nf        = dg->system->Nf;
  x->size      = size;
  x->precision = precision;
  x->bytes     = PlexPrecisionSize(precision) * (size_t)size;
  bytes        = (size_t)x->n * x->bytes;
  PetscCall(PlexBackendMalloc(x->backend, bytes, &x->out));
  PetscCall(PlexBackendMalloc(x->backend, bytes, &x->in));
  if (x->backend->device && !use_gpu_aware_mpi && !x->alone) {
    const size_t n = (2 * bytes + sizeof(PetscScalar) - 1) / sizeof(PetscScalar);

    /* PETSc pins memory for its own devices alone */
    if (x->backend->apart) PetscCall(PetscMalloc1(n, &x->staging));
    else PetscCall(PlexBackendStagingMalloc(n, &x->staging));
  }
  if (!x->alone) PetscCall(PlexDGExchangeCreateRequests(dg, x, x->nparts > 1 ? dg->partsSF : dg->mesh->sf));
  if (x->backend->kernels) {
    PetscCall(PlexBackendCompileFile(x->backend, "dg/traces.cu", &x->module));
    PetscCall(PlexModuleGetKernel(x->module, "plex_dg_pack", &x->kernel));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGExchangeGetArrays_Private(PlexDGExchange x, void **out, void **in)
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
  for (PetscMPIInt k = 0; k < 2 * x->nmessages; ++k) PetscCallMPI(MPI_Request_free(&x->requests[k]));
  PetscCall(PetscFree(x->requests));
  if (!x->alone) PetscCallMPI(MPI_Type_free(&x->unit));
  if (x->backend->apart) PetscCall(PetscFree(x->staging));
  else PetscCall(PlexBackendStagingFree(&x->staging));
  for (PetscInt k = 0; k < x->nparts; ++k) {
    PetscCall(PlexBackendFree(x->backend, (void **)&x->parts[k].sent));
    PetscCall(PlexBackendFree(x->backend, (void **)&x->parts[k].faceNodes));
  }
  PetscCall(PlexBackendFree(x->backend, &x->out));
  PetscCall(PlexBackendFree(x->backend, &x->in));
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
                                             PetscInt first, PetscInt end, void *out)
{
  long long n       = (long long)(end - first) * x->size;
  int       isfloat = (int)single, half = x->precision == PLEX_PRECISION_SINGLE, Nf = (int)x->Nf, Np = (int)p->Np,
            Nfp = (int)(x->size / x->Nf), faces = (int)p->faces, *sent = p->sent + first, *faceNodes = p->faceNodes;
  void     *arguments[] = {&u, &out, &sent, &faceNodes, &n, &Nf, &Np, &Nfp, &faces, &isfloat, &half};

  PetscFunctionBegin;
  if (x->kernel && n) PetscCall(PlexKernelLaunch(x->kernel, (PetscInt)((n + 127) / 128), 128, 0, arguments));
  for (PetscInt g = 0; !x->kernel && g < end - first; ++g) {
    const int *nodes = &faceNodes[sent[g] % faces * Nfp];

    for (int k = 0; k < Nf; ++k)
      for (int m = 0; m < Nfp; ++m) {
        const size_t at = ((size_t)(sent[g] / faces) * Nf + k) * Np + nodes[m], to = ((size_t)g * Nf + k) * Nfp + m;
        const double value = single ? (double)((const float *)u)[at] : ((const double *)u)[at];

        if (half) ((float *)out)[to] = (float)value;
        else ((double *)out)[to] = value;
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packs the values of fields at the nodes of faces */
PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange x, const void *u, PetscBool single)
{
  char *out = (char *)x->out, *in = (char *)x->in;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < x->nparts; ++k) {
    const PlexDGPacked *p = &x->parts[k];

    if (p->nmet)
      PetscCall(PlexDGExchangePackPart(x, p, u, single, 0, p->nmet, in + (size_t)x->parts[1 - k].start * x->bytes));
    PetscCall(PlexDGExchangePackPart(x, p, u, single, p->nmet, p->n, out + (size_t)(p->start + p->nmet) * x->bytes));
    u = (const char *)u + (size_t)p->values * (single ? sizeof(float) : sizeof(double));
  }
  PetscCall(PlexDGExchangePacked_Private(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits until values are packed, and on the host if MPI needs them there, but not for what was launched since then, and
   starts the messages */
PetscErrorCode PlexDGExchangeSend_Private(PlexDGExchange x)
{
  PetscFunctionBegin;
  if (x->alone) PetscFunctionReturn(PETSC_SUCCESS);
  if (x->backend->device) {
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
    if (x->staging) PetscCall(PlexBackendCopyOut(x->backend, x->staging, x->out, (size_t)x->n * x->bytes));
    else PetscCall(PlexBackendSynchronize(x->backend));
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_FALSE));
  }
  if (!x->nmessages) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Startall_irecv(x->ntraces, x->unit, x->nmessages, x->requests));
  PetscCallMPI(MPI_Startall_isend(x->ntraces, x->unit, x->nmessages, x->requests + x->nmessages));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExchangeReceive_Private(PlexDGExchange x)
{
  PetscFunctionBegin;
  if (x->alone) PetscFunctionReturn(PETSC_SUCCESS);
  if (x->nmessages) PetscCallMPI(MPI_Waitall(2 * x->nmessages, x->requests, MPI_STATUSES_IGNORE));
  if (x->staging) {
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_SIDE, PETSC_FALSE));
    for (PetscInt k = 0; k < x->nparts; ++k) { /* what met is there already */
      const PlexDGPacked *p  = &x->parts[k];
      const size_t        at = (size_t)(p->start + p->nmet) * x->bytes;

      PetscCall(PlexBackendCopyIn(x->backend, (char *)x->in + at, (char *)x->staging + (size_t)x->n * x->bytes + at,
                                  (size_t)(p->n - p->nmet) * x->bytes));
    }
    PetscCall(PlexBackendSetQueue(x->backend, PLEX_QUEUE_MAIN, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
