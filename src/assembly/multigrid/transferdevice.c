/*
  Transfers by the kernels of cuda/dm/transfer.cu: what they read, in the backend's memory, and launches.

    forward     a thread a node that is computed, in the order of elements
    transpose   a thread a node of the first space, which sums over its elements: those that compute a node there whose
                value depends on it
*/
#include "multigrid.h"

#define PLEX_TRANSFER_BLOCK 256

struct _n_PlexTransferDevice {
  PlexBackend        backend;
  PlexModule         module;
  PlexMemory         memory;
  int                nTo, nFrom;            /* nodes that are computed; nodes of the first space */
  const int         *items, *nodesTo;       /* [nTo] element Nto + k, and the node's first dof */
  const int         *first, *list;          /* [nFrom + 1], [first[nFrom]] element Nfrom + j */
  const int         *nodesFrom;             /* [nFrom] first dof */
  const int         *rows, *columns;        /* S by rows */
  const int         *byColumn, *columnRows; /* and by columns */
  const PetscScalar *values, *columnValues;
  const int         *from, *to, *places; /* places NULL: none were given */
};

static PetscErrorCode PlexTransferUploadInts(PlexTransferDevice d, size_t n, const int x[], const int **device)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryUpload(d->backend, &d->memory, x, n * sizeof(int), (const void **)device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes that are computed */
static PetscErrorCode PlexTransferUploadItems(PlexTransfer t, PlexTransferDevice d)
{
  const size_t all = (size_t)t->Ne * t->Nto;
  int         *items, *nodes, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(all, &items, all, &nodes));
  for (size_t i = 0; i < all; ++i) {
    if (t->to[i] < 0) continue;
    items[n]   = (int)i;
    nodes[n++] = t->to[i];
  }
  d->nTo = n;
  PetscCall(PlexTransferUploadInts(d, n, items, &d->items));
  PetscCall(PlexTransferUploadInts(d, n, nodes, &d->nodesTo));
  PetscCall(PetscFree2(items, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether element e computes a node whose value depends on its node j */
static PetscBool PlexTransferUses(PlexTransfer t, const int byColumn[], const int columnRows[], PetscInt e, PetscInt j)
{
  for (int s = byColumn[j]; s < byColumn[j + 1]; ++s)
    if (t->to[(size_t)e * t->Nto + columnRows[s]] >= 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Lists of the elements of each node of the first space, Nl dofs in a local vector */
static PetscErrorCode PlexTransferUploadLists(PlexTransfer t, PlexTransferDevice d, PetscInt Nl, const int byColumn[],
                                              const int columnRows[])
{
  const size_t all = (size_t)t->Ne * t->Nfrom;
  int         *number, *nodes, *first, *list, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(Nl, &number, Nl, &nodes, Nl + 1, &first, all, &list));
  for (PetscInt k = 0; k < Nl; ++k) number[k] = -1;
  for (size_t i = 0; i < all; ++i) {
    if (number[t->from[i]] >= 0) continue;
    number[t->from[i]] = n;
    nodes[n++]         = t->from[i];
  }
  for (int k = 0; k <= n; ++k) first[k] = 0;
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt e = 0; e < t->Ne; ++e) {
      for (PetscInt j = 0; j < t->Nfrom; ++j) {
        const size_t i = (size_t)e * t->Nfrom + j;

        if (!PlexTransferUses(t, byColumn, columnRows, e, j)) continue;
        if (pass) list[first[number[t->from[i]]]++] = (int)i;
        else first[number[t->from[i]] + 1]++;
      }
    }
    for (int k = 0; k < n && !pass; ++k) first[k + 1] += first[k];
  }
  for (int k = n; k > 0; --k) first[k] = first[k - 1]; /* they were moved on by their lengths */
  first[0] = 0;
  d->nFrom = n;
  PetscCall(PlexTransferUploadInts(d, n, nodes, &d->nodesFrom));
  PetscCall(PlexTransferUploadInts(d, n + 1, first, &d->first));
  PetscCall(PlexTransferUploadInts(d, first[n], list, &d->list));
  PetscCall(PetscFree4(number, nodes, first, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTransferUploadTable(PlexTransfer t, PlexTransferDevice d, PetscInt Nl)
{
  const int    n = t->rows[t->Nto];
  int         *byColumn, *columnRows, m = 0;
  PetscScalar *values, *columnValues;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(t->Nfrom + 1, &byColumn, n, &columnRows, n, &values, n, &columnValues));
  for (int s = 0; s < n; ++s) values[s] = t->values[s];
  for (PetscInt j = 0; j < t->Nfrom; ++j) {
    byColumn[j] = m;
    for (PetscInt k = 0; k < t->Nto; ++k) {
      for (int s = t->rows[k]; s < t->rows[k + 1]; ++s) {
        if (t->columns[s] != j) continue;
        columnRows[m]     = (int)k;
        columnValues[m++] = values[s];
      }
    }
  }
  byColumn[t->Nfrom] = m;
  PetscCall(PlexTransferUploadInts(d, t->Nto + 1, t->rows, &d->rows));
  PetscCall(PlexTransferUploadInts(d, n, t->columns, &d->columns));
  PetscCall(PlexTransferUploadInts(d, t->Nfrom + 1, byColumn, &d->byColumn));
  PetscCall(PlexTransferUploadInts(d, n, columnRows, &d->columnRows));
  PetscCall(PlexMemoryUpload(d->backend, &d->memory, values, n * sizeof(*values), (const void **)&d->values));
  PetscCall(PlexMemoryUpload(d->backend, &d->memory, columnValues, n * sizeof(*columnValues),
                             (const void **)&d->columnValues));
  PetscCall(PlexTransferUploadLists(t, d, Nl, byColumn, columnRows));
  PetscCall(PetscFree4(byColumn, columnRows, values, columnValues));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferSetUpDevice(PlexTransfer t, PlexBackend backend, PetscInt NlFrom)
{
  PlexTransferDevice d;

  PetscFunctionBegin;
  if (!backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((double)t->Ne * (double)PetscMax(t->Nfrom, t->Nto) < INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_type plexpmg: %" PetscInt_FMT " elements of %" PetscInt_FMT
             " nodes on one process are more than its kernels count: use more processes",
             t->Ne, PetscMax(t->Nfrom, t->Nto));
  PetscCall(PetscNew(&d));
  t->device  = d;
  d->backend = backend;
  PetscCall(PetscObjectReference((PetscObject)backend));
  PetscCall(PlexTransferUploadItems(t, d));
  PetscCall(PlexTransferUploadTable(t, d, NlFrom));
  PetscCall(PlexTransferUploadInts(d, (size_t)t->Ne * t->Nfrom, t->from, &d->from));
  PetscCall(PlexTransferUploadInts(d, (size_t)t->Ne * t->Nto, t->to, &d->to));
  PetscCall(PlexBackendCompileFile(backend, "dm/transfer.cu", &d->module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferSetPlaces(PlexTransfer t, PetscInt Nl, const int places[])
{
  PetscFunctionBegin;
  if (t->device) PetscCall(PlexTransferUploadInts(t->device, Nl, places, &t->device->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferGetBytesDevice(PlexTransferDevice d, double *bytes)
{
  PetscFunctionBegin;
  *bytes = d ? d->memory.bytes : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferDestroyDevice(PlexTransferDevice *device)
{
  PlexTransferDevice d = *device;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMemoryFree(d->backend, &d->memory));
  PetscCall(PlexModuleDestroy(&d->module));
  PetscCall(PlexBackendDestroy(&d->backend));
  PetscCall(PetscFree(*device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferLaunch(PlexTransfer t, PetscBool global, const PetscScalar x[], PetscScalar y[])
{
  PlexTransferDevice d  = t->device;
  int                Nc = (int)t->Nc, Nfrom = (int)t->Nfrom, Nto = (int)t->Nto;
  const int         *places = global ? d->places : NULL;
  PlexKernel         kernel;
  void              *args[] = {&d->nTo,     &Nc,        &Nfrom,   &Nto,    &d->items, &d->nodesTo, &d->rows,
                               &d->columns, &d->values, &d->from, &places, &x,        &y};

  PetscFunctionBegin;
  if (!d->nTo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleGetKernel(d->module, "plex_transfer", &kernel));
  PetscCall(PlexKernelLaunch(kernel, (d->nTo + PLEX_TRANSFER_BLOCK - 1) / PLEX_TRANSFER_BLOCK, PLEX_TRANSFER_BLOCK, 0,
                             args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTransferLaunchTranspose(PlexTransfer t, const PetscScalar y[], PetscScalar x[])
{
  PlexTransferDevice d  = t->device;
  int                Nc = (int)t->Nc, Nfrom = (int)t->Nfrom, Nto = (int)t->Nto;
  PlexKernel         kernel;
  void              *args[] =
    {&d->nFrom,        &Nc,    &Nfrom,     &Nto, &d->first, &d->list, &d->nodesFrom, &d->byColumn, &d->columnRows,
     &d->columnValues, &d->to, &d->places, &y,   &x};

  PetscFunctionBegin;
  if (!d->nFrom) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleGetKernel(d->module, "plex_transfer_transpose", &kernel));
  PetscCall(PlexKernelLaunch(kernel, (d->nFrom + PLEX_TRANSFER_BLOCK - 1) / PLEX_TRANSFER_BLOCK, PLEX_TRANSFER_BLOCK, 0,
                             args));
  PetscFunctionReturn(PETSC_SUCCESS);
}
