/*
  A GPU as backends have it: memory, copies, modules, launches and time, through the driver. The main queue is PETSc's
  stream, the side queue one of our own.

  cuda/cuda.c and hip/hip.c include this file, each once. The names are those of CUDA's driver; hip/hipimpl.h maps them
  to HIP's, which have the same parameters.
*/
#include <plexgpu/private/util.h>

typedef struct {
  CUdevice  id;
  PetscBool retained;                    /* of CUDA the primary context, by us */
  CUstream  main;                        /* of HIP without PETSc's the main queue, else NULL */
  CUevent   begin[PLEX_MAX_TIMERS], end; /* of the timers */
  PlexQueue queue;                       /* at present */
  CUstream  side;                        /* the side queue */
  CUevent   reached;                     /* what the other queue waits for */
  void     *pinned[2]; /* where large copies go by turns, of PLEX_DEVICE_PINNED bytes; when they left */
  CUevent   left[2];
} PlexDevice;

#define PLEX_DEVICE_PINNED ((size_t)32 << 20)
#define PLEX_DEVICE_LARGE  ((size_t)96 << 20) /* a copy from which pinned memory is worth its allocation */

/* Of the file that includes this one: the stream of the main queue; the device's name for compilers; asks that a block
   may have so much dynamic shared memory, and static with it; gives back what it has got itself */
static PetscErrorCode PlexDeviceGetMain(PlexDevice *, CUstream *);
static PetscErrorCode PlexDeviceGrantShared(CUfunction, size_t dynamic, size_t all);
static PetscErrorCode PlexDeviceRelease(PlexDevice *);
static PetscErrorCode PlexDeviceGetArch(CUdevice, char arch[], size_t len);
/* registers and blocks of a multiprocessor, where they can be asked for */
static PetscErrorCode PlexDeviceGetProcessor(CUdevice, PlexBackendLimits *);

/* The stream of the present queue */
static PetscErrorCode PlexDeviceGetStream(PlexBackend b, CUstream *stream)
{
  PlexDevice *device = (PlexDevice *)b->data;

  PetscFunctionBegin;
  *stream = device->side;
  if (device->queue == PLEX_QUEUE_MAIN) PetscCall(PlexDeviceGetMain(device, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendSetQueue_Device(PlexBackend b, PlexQueue queue, PetscBool after)
{
  PlexDevice *device = (PlexDevice *)b->data;
  CUstream    stream;

  PetscFunctionBegin;
  if (after) {
    device->queue = queue == PLEX_QUEUE_MAIN ? PLEX_QUEUE_SIDE : PLEX_QUEUE_MAIN;
    PetscCall(PlexDeviceGetStream(b, &stream));
    PlexCallCU(PlexCU.cuEventRecord(device->reached, stream));
  }
  device->queue = queue;
  if (after) {
    PetscCall(PlexDeviceGetStream(b, &stream));
    PlexCallCU(PlexCU.cuStreamWaitEvent(stream, device->reached, 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetAttribute(CUdevice device, CUdevice_attribute attribute, size_t *value)
{
  int v;

  PetscFunctionBegin;
  PlexCallCU(PlexCU.cuDeviceGetAttribute(&v, attribute, device));
  *value = (size_t)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendGetLimits_Device(PlexBackend b, PlexBackendLimits *limits)
{
  PlexDevice *device = (PlexDevice *)b->data;
  size_t      processors, threads, resident, warp;

  PetscFunctionBegin;
  if (b->limits.memory) *limits = b->limits;
  else {
    PetscCall(PetscMemzero(limits, sizeof(*limits)));
    PlexCallCU(PlexCU.cuDeviceGetName(limits->name, (int)sizeof(limits->name), device->id));
    PetscCall(PlexDeviceGetArch(device->id, limits->arch, sizeof(limits->arch)));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                     &limits->sharedPerBlock));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                                     &limits->sharedPerProcessor));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &limits->cacheL2));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &resident));
    PetscCall(PlexDeviceGetAttribute(device->id, CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp));
    PetscCall(PlexDeviceGetProcessor(device->id, limits));
    limits->multiprocessors     = (PetscInt)processors;
    limits->threadsPerBlock     = (PetscInt)threads;
    limits->threadsPerProcessor = (PetscInt)resident;
    limits->warpSize            = (PetscInt)warp;
  }
  PlexCallCU(PlexCU.cuMemGetInfo(&limits->memoryFree, &limits->memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Memory
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexBackendMalloc_Device(PlexBackend b, size_t bytes, void **p)
{
  CUdeviceptr d = 0;
  CUresult    result;

  PetscFunctionBegin;
  (void)b;
  result = PlexCU.cuMemAlloc(&d, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) d = 0;
  else PlexCallCU(result);
  *p = (void *)(uintptr_t)d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendFree_Device(PlexBackend b, void *p)
{
  PetscFunctionBegin;
  (void)b;
  PlexCallCU(PlexCU.cuMemFree((CUdeviceptr)(uintptr_t)p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  char       *to;
  const char *from;
  size_t      bytes;
} PlexCopy;

#define PLEX_COPY_PART ((size_t)1 << 18) /* bytes that are an item of a loop in threads */

static void PlexCopyLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexCopy *c     = (const PlexCopy *)ctx;
  const size_t    first = PLEX_COPY_PART * (size_t)begin;

  memcpy(c->to + first, c->from + first, PetscMin(PLEX_COPY_PART * (size_t)end, c->bytes) - first);
}

/* A copy through pinned memory, which several threads fill: what the driver does with other memory, one thread after
   the other, reaches a third of what the bus can do */
static PetscErrorCode PlexDeviceCopyInPinned(PlexDevice *device, CUstream stream, char *to, const char *from,
                                             size_t bytes)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2 && !device->pinned[k]; ++k) {
    PlexCallCU(PlexCU.cuMemAllocHost(&device->pinned[k], PLEX_DEVICE_PINNED));
    PlexCallCU(PlexCU.cuEventCreate(&device->left[k], CU_EVENT_DISABLE_TIMING));
  }
  for (int k = 0; bytes; k = !k) {
    PlexCopy c = {.to = (char *)device->pinned[k], .from = from, .bytes = PetscMin(bytes, PLEX_DEVICE_PINNED)};

    PlexCallCU(PlexCU.cuEventSynchronize(device->left[k]));
    PetscCall(PlexThreadsRun((PetscInt)((c.bytes - 1) / PLEX_COPY_PART + 1), 1, PlexCopyLoop, &c));
    PlexCallCU(PlexCU.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, c.to, c.bytes, stream));
    PlexCallCU(PlexCU.cuEventRecord(device->left[k], stream));
    to += c.bytes;
    from += c.bytes;
    bytes -= c.bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits: the host's memory may be pinned, and then the copy would read it after the return */
static PetscErrorCode PlexBackendCopyIn_Device(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  if (bytes >= PLEX_DEVICE_LARGE) {
    PetscCall(PlexDeviceCopyInPinned((PlexDevice *)b->data, stream, (char *)to, (const char *)from, bytes));
    PlexCallCU(PlexCU.cuStreamSynchronize(stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexCallCU(PlexCU.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, (void *)from, bytes, stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCopyOut_Device(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemcpyDtoHAsync(to, (CUdeviceptr)(uintptr_t)from, bytes, stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCopy_Device(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendZero_Device(PlexBackend b, void *p, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemsetD8Async((CUdeviceptr)(uintptr_t)p, 0, bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Modules, kernels, launches
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexBackendCompile_Device(PlexBackend b, const char name[], PetscInt ndefines,
                                                const char *const defines[], const char source[], PlexModule m)
{
  const PlexRTCSource s = {.name     = name,
                           .text     = source,
                           .arch     = b->limits.arch,
                           .ndefines = ndefines,
                           .defines  = defines};
  PlexRTCCode         code;
  CUmodule            module;
  CUresult            result;

  PetscFunctionBegin;
  PetscCall(PlexRTCCompile(&s, PETSC_TRUE, &code));
  result = PlexCU.cuModuleLoadData(&module, code.cubin);
  if (result != CUDA_SUCCESS && code.installed) { /* by a compiler newer than this driver */
    PetscCall(PetscInfo(b, "Kernels %s, installed with the library, cannot be loaded: error %d\n", name, (int)result));
    PetscCall(PetscFree(code.cubin));
    PetscCall(PlexRTCCompile(&s, PETSC_FALSE, &code));
    result = PlexCU.cuModuleLoadData(&module, code.cubin);
  }
  PetscCall(PetscFree(code.cubin));
  PlexCallCU(result);
  m->fromCache = code.fromCache;
  m->installed = code.installed;
  m->handle    = module;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleDestroy_Device(PlexModule m)
{
  PetscFunctionBegin;
  if (m->handle) PlexCallCU(PlexCU.cuModuleUnload((CUmodule)m->handle));
  m->handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleGetKernel_Device(PlexModule m, const char name[], PlexKernel k)
{
  CUfunction function = NULL;
  CUresult   result;

  PetscFunctionBegin;
  result = PlexCU.cuModuleGetFunction(&function, (CUmodule)m->handle, name);
  if (result == CUDA_ERROR_NOT_FOUND) function = NULL;
  else PlexCallCU(result);
  k->handle = function;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleGetVariable_Device(PlexModule m, const char name[], void **variable, size_t *bytes)
{
  CUdeviceptr pointer = 0;
  CUresult    result;

  PetscFunctionBegin;
  result = PlexCU.cuModuleGetGlobal(&pointer, bytes, (CUmodule)m->handle, name);
  if (result == CUDA_ERROR_NOT_FOUND) pointer = 0;
  else PlexCallCU(result);
  *variable = (void *)(uintptr_t)pointer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKernelGetAttributes_Device(PlexKernel k, PlexKernelAttributes *attributes)
{
  CUfunction function = (CUfunction)k->handle;
  int        registers, threads, local, shared;

  PetscFunctionBegin;
  PlexCallCU(PlexCU.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  PlexCallCU(PlexCU.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  PlexCallCU(PlexCU.cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
  PlexCallCU(PlexCU.cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  attributes->registers       = (PetscInt)registers;
  attributes->threadsPerBlock = (PetscInt)threads;
  attributes->localBytes      = (size_t)local;
  attributes->sharedBytes     = (size_t)shared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More shared memory than a block may have without asking is asked for, as much as is needed, once */
static PetscErrorCode PlexKernelGrantShared(PlexKernel k, size_t sharedBytes)
{
  PlexKernelAttributes     attributes;
  const PlexBackendLimits *limits = &k->module->backend->limits;

  PetscFunctionBegin;
  PetscCall(PlexKernelGetAttributes_Device(k, &attributes));
  PetscCheck(attributes.sharedBytes + sharedBytes <= limits->sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: a block needs %zu bytes of shared memory (%zu of them its own arrays) and %s has %zu: use "
             "smaller partitions (-plex_assembly_partition_size) or smaller blocks (of DG -plex_dg_block_elements)",
             k->name, attributes.sharedBytes + sharedBytes, attributes.sharedBytes, limits->name,
             limits->sharedPerBlock);
  PetscCall(PlexDeviceGrantShared((CUfunction)k->handle, sharedBytes, attributes.sharedBytes + sharedBytes));
  k->sharedLimit = sharedBytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKernelGetOccupancy_Device(PlexKernel k, PetscInt block, size_t sharedBytes, PetscInt *blocks)
{
  int resident;

  PetscFunctionBegin;
  if (sharedBytes > k->sharedLimit) PetscCall(PlexKernelGrantShared(k, sharedBytes));
  PlexCallCU(PlexCU.cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (CUfunction)k->handle, (int)block,
                                                                sharedBytes));
  *blocks = (PetscInt)resident;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKernelLaunch_Device(PlexKernel k, PetscInt grid, PetscInt block, size_t sharedBytes,
                                              void **args)
{
  CUfunction function = (CUfunction)k->handle;
  CUstream   stream;
  CUresult   result;

  PetscFunctionBegin;
  if (sharedBytes > k->sharedLimit) PetscCall(PlexKernelGrantShared(k, sharedBytes));
  PetscCall(PlexDeviceGetStream(k->module->backend, &stream));
  result = PlexCU.cuLaunchKernel(function, (unsigned)grid, 1, 1, (unsigned)block, 1, 1, (unsigned)sharedBytes, stream,
                                 args, NULL);
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || result == CUDA_ERROR_INVALID_VALUE) {
    PlexKernelAttributes attributes;

    PetscCall(PlexKernelGetAttributes_Device(k, &attributes));
    PetscCheck(block <= attributes.threadsPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Kernel %s uses %" PetscInt_FMT " registers a thread, so a block may have %" PetscInt_FMT
               " threads, not %" PetscInt_FMT ": choose -plex_assembly_block_size (of DG -plex_dg_block_elements)",
               k->name, attributes.registers, attributes.threadsPerBlock, block);
  }
  PlexCallCU(result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Time, start and end
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexBackendSynchronize_Device(PlexBackend b)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendTimerBegin_Device(PlexBackend b)
{
  PlexDevice *device = (PlexDevice *)b->data;
  CUstream    stream;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuEventRecord(device->begin[b->timers], stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendTimerEnd_Device(PlexBackend b, PetscLogDouble *seconds)
{
  PlexDevice *device = (PlexDevice *)b->data;
  CUstream    stream;
  float       milliseconds;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetStream(b, &stream));
  PlexCallCU(PlexCU.cuEventRecord(device->end, stream));
  PlexCallCU(PlexCU.cuEventSynchronize(device->end));
  PlexCallCU(PlexCU.cuEventElapsedTime(&milliseconds, device->begin[b->timers], device->end));
  *seconds = (PetscLogDouble)milliseconds * 1e-3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendDestroy_Device(PlexBackend b)
{
  PlexDevice *device = (PlexDevice *)b->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_MAX_TIMERS; ++k) PlexCallCU(PlexCU.cuEventDestroy(device->begin[k]));
  PlexCallCU(PlexCU.cuEventDestroy(device->end));
  PlexCallCU(PlexCU.cuEventDestroy(device->reached));
  PlexCallCU(PlexCU.cuStreamDestroy(device->side));
  for (int k = 0; k < 2 && device->pinned[k]; ++k) {
    PlexCallCU(PlexCU.cuMemFreeHost(device->pinned[k]));
    PlexCallCU(PlexCU.cuEventDestroy(device->left[k]));
  }
  PetscCall(PlexDeviceRelease(device));
  PetscCall(PetscFree(b->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The side queue does not wait for PETSc's default stream on its own accord; its blocks of threads go first where both
   have some */
static PetscErrorCode PlexDeviceCreateSide(PlexDevice *device)
{
  int least, greatest;

  PetscFunctionBegin;
  PlexCallCU(PlexCU.cuCtxGetStreamPriorityRange(&least, &greatest));
  PlexCallCU(PlexCU.cuStreamCreateWithPriority(&device->side, CU_STREAM_NON_BLOCKING, greatest));
  PlexCallCU(PlexCU.cuEventCreate(&device->reached, CU_EVENT_DISABLE_TIMING));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operations, events and the side queue of a device whose number is in `device` */
static PetscErrorCode PlexDeviceSetUp(PlexBackend b, PlexDevice *device)
{
  PetscFunctionBegin;
  b->data               = device;
  b->device             = PETSC_TRUE;
  b->kernels            = PETSC_TRUE;
  b->ops->destroy       = PlexBackendDestroy_Device;
  b->ops->getlimits     = PlexBackendGetLimits_Device;
  b->ops->malloc        = PlexBackendMalloc_Device;
  b->ops->free          = PlexBackendFree_Device;
  b->ops->copyin        = PlexBackendCopyIn_Device;
  b->ops->copyout       = PlexBackendCopyOut_Device;
  b->ops->copy          = PlexBackendCopy_Device;
  b->ops->zero          = PlexBackendZero_Device;
  b->ops->compile       = PlexBackendCompile_Device;
  b->ops->moduledestroy = PlexModuleDestroy_Device;
  b->ops->getkernel     = PlexModuleGetKernel_Device;
  b->ops->getvariable   = PlexModuleGetVariable_Device;
  b->ops->launch        = PlexKernelLaunch_Device;
  b->ops->attributes    = PlexKernelGetAttributes_Device;
  b->ops->occupancy     = PlexKernelGetOccupancy_Device;
  b->ops->setqueue      = PlexBackendSetQueue_Device;
  b->ops->synchronize   = PlexBackendSynchronize_Device;
  b->ops->timerbegin    = PlexBackendTimerBegin_Device;
  b->ops->timerend      = PlexBackendTimerEnd_Device;
  for (PetscInt k = 0; k < PLEX_MAX_TIMERS; ++k) PlexCallCU(PlexCU.cuEventCreate(&device->begin[k], CU_EVENT_DEFAULT));
  PlexCallCU(PlexCU.cuEventCreate(&device->end, CU_EVENT_DEFAULT));
  PetscCall(PlexDeviceCreateSide(device));
  PetscFunctionReturn(PETSC_SUCCESS);
}
