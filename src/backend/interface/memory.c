/*
  Memory of a backend: allocation, copies, the measured copy bandwidth.
*/
#include "backendimpl.h"

/* The device's limits, with the memory that is free now */
PetscErrorCode PlexBackendGetLimits(PlexBackend b, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscUseTypeMethod(b, getlimits, limits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No bytes: NULL */
PetscErrorCode PlexBackendMalloc(PlexBackend b, size_t bytes, void **p)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  *p = NULL;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscUseTypeMethod(b, malloc, bytes, p);
  if (!*p) {
    PlexBackendLimits limits;

    PetscCall(PlexBackendGetLimits(b, &limits));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM,
            "%zu bytes are needed and %zu of %zu are free on %s (backend %s): use more processes with a device each, "
            "or a smaller mesh%s",
            bytes, limits.memoryFree, limits.memory, limits.name, ((PetscObject)b)->type_name,
            b->device ? ", or, for assembly, a strategy that stores no element data (-plex_assembly_type local_row), "
                        "or -plex_assembly_backend host (of DG -plex_dg_backend, -plex_hdg_backend)"
                      : "");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendFree(PlexBackend b, void **p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscUseTypeMethod(b, free, *p);
  *p = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The backend's memory <- the host's; `from` may be used again on return */
PetscErrorCode PlexBackendCopyIn(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscUseTypeMethod(b, copyin, to, from, bytes);
  if (b->device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host's memory <- the backend's, after all that was launched before */
PetscErrorCode PlexBackendCopyOut(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscUseTypeMethod(b, copyout, to, from, bytes);
  if (b->device) PetscCall(PetscLogGpuToCpu((PetscLogDouble)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Within the backend's memory, in the order of the launches */
PetscErrorCode PlexBackendCopy(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  if (bytes) PetscUseTypeMethod(b, copy, to, from, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendZero(PlexBackend b, void *p, size_t bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  if (bytes) PetscUseTypeMethod(b, zero, p, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendUpload(PlexBackend b, const void *from, size_t bytes, void **p)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, bytes, p));
  PetscCall(PlexBackendCopyIn(b, *p, from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where one queue is all there is, it does things in the order in which they come, whatever they are said to wait
   for */
PetscErrorCode PlexBackendSetQueue(PlexBackend b, PlexQueue queue, PetscBool after)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscTryTypeMethod(b, setqueue, queue, after);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendSynchronize(PlexBackend b)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscUseTypeMethod(b, synchronize);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begin and end may be within others */
PetscErrorCode PlexBackendTimerBegin(PlexBackend b)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscCheck(b->timers < PLEX_MAX_TIMERS, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "%d timers of a backend within each other are the most: PlexBackendTimerEnd() ends the last that began",
             PLEX_MAX_TIMERS);
  PetscUseTypeMethod(b, timerbegin);
  ++b->timers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendTimerEnd(PlexBackend b, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscCheck(b->timers > 0, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "No timer of the backend has begun: call PlexBackendTimerBegin() first");
  --b->timers;
  PetscUseTypeMethod(b, timerend, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes read plus bytes written a second: the median of some copies of so many bytes, or of a quarter of the free
   memory where that is less */
static PetscErrorCode PlexBackendMeasureCopies(PlexBackend b, size_t bytes, double *bandwidth)
{
  const PetscInt    repeats = 7;
  PlexBackendLimits limits;
  PetscReal         times[7];
  PetscLogDouble    seconds;
  void             *from, *to;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(b, &limits));
  bytes = PetscMin(bytes, limits.memoryFree / 4) / 256 * 256;
  PetscCheck(bytes > 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory is free on %s to measure its copy bandwidth",
             limits.name);
  PetscCall(PlexBackendMalloc(b, bytes, &from));
  PetscCall(PlexBackendMalloc(b, bytes, &to));
  PetscCall(PlexBackendZero(b, from, bytes));
  PetscCall(PlexBackendCopy(b, to, from, bytes));
  for (PetscInt i = 0; i < repeats; ++i) {
    PetscCall(PlexBackendTimerBegin(b));
    PetscCall(PlexBackendCopy(b, to, from, bytes));
    PetscCall(PlexBackendTimerEnd(b, &seconds));
    times[i] = (PetscReal)seconds;
  }
  PetscCall(PetscSortReal(repeats, times));
  PetscCall(PlexBackendFree(b, &from));
  PetscCall(PlexBackendFree(b, &to));
  *bandwidth = 2. * (double)bytes / (double)PetscMax(times[repeats / 2], 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The yardstick of every kernel that moves data: of copies of 1 GiB, on the host of a quarter of that. Measured once a
   run */
PetscErrorCode PlexBackendGetCopyBandwidth(PlexBackend b, double *bandwidth)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  if (b->bandwidth <= 0)
    PetscCall(PlexBackendMeasureCopies(b, b->device ? (size_t)1 << 30 : (size_t)1 << 28, &b->bandwidth));
  *bandwidth = b->bandwidth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for a view, which is to cost nothing to speak of: what was measured in this run, else what an earlier one
   has kept as a line of text beside the compiled kernels, by device, on the host by the machine's name; else of smaller
   copies, kept for the next. 0: not known */
PetscErrorCode PlexBackendRecallCopyBandwidth(PlexBackend b, double *bandwidth)
{
  PlexBackendLimits limits;
  PlexCacheKey      key       = {.n = 0};
  char              host[256] = "", path[PETSC_MAX_PATH_LEN], line[64];
  void             *kept      = NULL;
  size_t            n;
  PetscBool         written;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  *bandwidth = b->bandwidth > 0 ? b->bandwidth : b->recalled;
  if (*bandwidth > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(b, &limits));
  if (!b->device) PetscCall(PetscGetHostName(host, sizeof(host)));
  PetscCall(PlexCacheKeyAdd(&key, limits.name));
  PetscCall(PlexCacheKeyAdd(&key, host));
  PetscCall(PlexCacheGetPath(&key, "bandwidth", ".txt", path));
  PetscCall(PlexCacheRead(path, &kept, &n));
  if (kept && n < sizeof(line)) {
    PetscCall(PetscArraycpy(line, (char *)kept, n));
    line[n]     = '\0';
    b->recalled = strtod(line, NULL);
  }
  PetscCall(PetscFree(kept));
  if (!(b->recalled > 1e6 && b->recalled < 1e15)) {
    b->recalled = 0.;
    if (limits.memoryFree < (size_t)1 << 27) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PlexBackendMeasureCopies(b, b->device ? (size_t)1 << 28 : (size_t)1 << 25, &b->recalled));
    PetscCall(PetscSNPrintf(line, sizeof(line), "%.4e bytes a second\n", b->recalled));
    PetscCall(PetscStrlen(line, &n));
    PetscCall(PlexCacheWrite(path, line, n, &written));
  }
  *bandwidth = b->recalled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendStagingMalloc(size_t n, PetscScalar **staging)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(PetscMallocSetCUDAHost());
#elif PetscDefined(HAVE_HIP)
  PetscCall(PetscMallocSetHIPHost());
#endif
  PetscCall(PetscMalloc1(n, staging));
#if PetscDefined(HAVE_CUDA)
  PetscCall(PetscMallocResetCUDAHost());
#elif PetscDefined(HAVE_HIP)
  PetscCall(PetscMallocResetHIPHost());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendStagingFree(PetscScalar **staging)
{
  PetscFunctionBegin;
  if (!*staging) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  PetscCall(PetscMallocSetCUDAHost());
#elif PetscDefined(HAVE_HIP)
  PetscCall(PetscMallocSetHIPHost());
#endif
  PetscCall(PetscFree(*staging));
#if PetscDefined(HAVE_CUDA)
  PetscCall(PetscMallocResetCUDAHost());
#elif PetscDefined(HAVE_HIP)
  PetscCall(PetscMallocResetHIPHost());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Libraries count columns in 32 bits: longer products are several */
#define PLEX_GEMM_COLUMNS (1 << 30)

static PetscErrorCode PlexBackendGemmPieces(PlexBackend b, PlexPrecision precision, const PlexGemm *p)
{
  const size_t real  = precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(PetscScalar);
  PlexGemm     piece = *p;

  PetscFunctionBegin;
  for (PetscInt64 first = 0; first < p->columns; first += PLEX_GEMM_COLUMNS) {
    piece.columns = (PetscInt)PetscMin(PLEX_GEMM_COLUMNS, p->columns - first);
    piece.B       = (const char *)p->B + (size_t)first * (size_t)p->inner * real;
    piece.C       = (char *)p->C + (size_t)first * (size_t)p->rows * real;
    PetscUseTypeMethod(b, gemm, precision, &piece);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendGemm(PlexBackend b, PlexPrecision precision, const PlexGemm *p)
{
  PetscLogDouble begin;

  PetscFunctionBegin;
  PetscCheck(b->ops->gemm, PETSC_COMM_SELF, PETSC_ERR_SUP, "Backend %s has no library for products of matrices",
             ((PetscObject)b)->type_name);
  if (!p->rows || !p->columns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLaunchesBegin(b, &begin));
  PetscCall(PlexBackendGemmPieces(b, precision, p));
  PetscCall(PlexLaunchesEnd(b, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes `memory` a part of the list */
PetscErrorCode PlexMemoryAdd(PlexMemory *list, size_t bytes, void *memory)
{
  PetscFunctionBegin;
  if (!memory) PetscFunctionReturn(PETSC_SUCCESS);
  if (list->n == list->allocated) {
    list->allocated = 2 * list->allocated + 16;
    PetscCall(PetscRealloc(sizeof(*list->arrays) * list->allocated, &list->arrays));
  }
  list->arrays[list->n++] = memory;
  list->bytes += (double)bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMemoryUpload(PlexBackend b, PlexMemory *list, const void *values, size_t bytes, const void **at)
{
  void *memory;

  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(b, values, bytes, &memory));
  PetscCall(PlexMemoryAdd(list, bytes, memory));
  *at = memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMemoryAllocate(PlexBackend b, PlexMemory *list, size_t bytes, void **at)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, bytes, at));
  PetscCall(PlexMemoryAdd(list, bytes, *at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMemoryFree(PlexBackend b, PlexMemory *list)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < list->n; ++k) PetscCall(PlexBackendFree(b, &list->arrays[k]));
  PetscCall(PetscFree(list->arrays));
  PetscCall(PetscMemzero(list, sizeof(*list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMemoryUploadInts(PlexBackend b, PlexMemory *list, PetscInt n, const PetscInt values[],
                                    const int **at)
{
#if PetscDefined(USE_64BIT_INDICES)
  int *ints;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &ints));
  for (PetscInt i = 0; i < n; ++i) ints[i] = (int)values[i];
  PetscCall(PlexMemoryUpload(b, list, ints, sizeof(int) * (size_t)n, (const void **)at));
  PetscCall(PetscFree(ints));
#else
  PetscFunctionBegin;
  PetscCall(PlexMemoryUpload(b, list, values, sizeof(int) * (size_t)n, (const void **)at));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCopyOutInts(PlexBackend b, PetscInt n, PetscInt to[], const int from[])
{
#if PetscDefined(USE_64BIT_INDICES)
  int *ints;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &ints));
  PetscCall(PlexBackendCopyOut(b, ints, from, sizeof(int) * (size_t)n));
  for (PetscInt i = 0; i < n; ++i) to[i] = ints[i];
  PetscCall(PetscFree(ints));
#else
  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(b, to, from, sizeof(int) * (size_t)n));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
