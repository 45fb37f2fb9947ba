/*
  The cuda backend: memory, copies and launches through the CUDA driver, on PETSc's device. The main queue is PETSc's
  stream, the side queue one of our own.
*/
#include "cudaimpl.h"
#include <plexgpu/private/util.h>

#if !PetscDefined(HAVE_CUDA)

PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *flg, char why[], size_t len)
{
  PetscFunctionBegin;
  *flg = PETSC_FALSE;
  PetscCall(PetscStrncpy(why,
                         "PETSc was configured without CUDA: use -plex_assembly_backend host (of DG -plex_dg_backend, "
                         "-plex_hdg_backend), or a PETSc with --with-cuda",
                         len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_CUDA(PlexBackend b)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)b), PETSC_ERR_SUP,
          "PETSc was configured without CUDA: use -plex_assembly_backend host (of DG -plex_dg_backend, "
          "-plex_hdg_backend), or a PETSc with --with-cuda");
}

#else
  #include <petscdevice_cuda.h>

typedef struct {
  CUdevice  device;
  PetscBool retained;                    /* the primary context, by us */
  CUevent   begin[PLEX_MAX_TIMERS], end; /* of the timers */
  PlexQueue queue;                       /* at present */
  CUstream  side;                        /* the side queue */
  CUevent   reached;                     /* what the other queue waits for */
  void     *pinned[2];                   /* where large copies go by turns, of PLEX_CUDA_PINNED bytes; when they left */
  CUevent   left[2];
} PlexCUDA;

  #define PLEX_CUDA_PINNED ((size_t)32 << 20)
  #define PLEX_CUDA_LARGE  ((size_t)96 << 20) /* a copy from which pinned memory is worth its allocation */

PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *flg, char why[], size_t len)
{
  const char *reason;

  PetscFunctionBegin;
  PetscCall(PlexLoadDriver(&reason));
  if (!reason) PetscCall(PlexLoadNVRTC(&reason));
  *flg = (PetscBool)!reason;
  if (reason)
    PetscCall(PetscSNPrintf(why, len,
                            "no CUDA device is usable here (%s): use -plex_assembly_backend host (of DG "
                            "-plex_dg_backend, -plex_hdg_backend)",
                            reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stream of the present queue */
static PetscErrorCode PlexCUDAGetStream(PlexBackend b, CUstream *stream)
{
  PlexCUDA    *cuda = (PlexCUDA *)b->data;
  cudaStream_t s;

  PetscFunctionBegin;
  *stream = cuda->side;
  if (cuda->queue == PLEX_QUEUE_SIDE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscGetCurrentCUDAStream(&s));
  *stream = (CUstream)s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendSetQueue_CUDA(PlexBackend b, PlexQueue queue, PetscBool after)
{
  PlexCUDA *cuda = (PlexCUDA *)b->data;
  CUstream  stream;

  PetscFunctionBegin;
  if (after) {
    cuda->queue = queue == PLEX_QUEUE_MAIN ? PLEX_QUEUE_SIDE : PLEX_QUEUE_MAIN;
    PetscCall(PlexCUDAGetStream(b, &stream));
    PlexCallCU(PlexCU.cuEventRecord(cuda->reached, stream));
  }
  cuda->queue = queue;
  if (after) {
    PetscCall(PlexCUDAGetStream(b, &stream));
    PlexCallCU(PlexCU.cuStreamWaitEvent(stream, cuda->reached, 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCUDAGetAttribute(CUdevice device, CUdevice_attribute attribute, size_t *value)
{
  int v;

  PetscFunctionBegin;
  PlexCallCU(PlexCU.cuDeviceGetAttribute(&v, attribute, device));
  *value = (size_t)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendGetLimits_CUDA(PlexBackend b, PlexBackendLimits *limits)
{
  PlexCUDA *cuda = (PlexCUDA *)b->data;
  size_t    major, minor, processors, threads, warp;

  PetscFunctionBegin;
  if (b->limits.memory) *limits = b->limits;
  else {
    PetscCall(PetscMemzero(limits, sizeof(*limits)));
    PlexCallCU(PlexCU.cuDeviceGetName(limits->name, (int)sizeof(limits->name), cuda->device));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
    PetscCall(PetscSNPrintf(limits->arch, sizeof(limits->arch), "sm_%zu%zu", major, minor));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                   &limits->sharedPerBlock));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                                   &limits->sharedPerProcessor));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &limits->cacheL2));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads));
    PetscCall(PlexCUDAGetAttribute(cuda->device, CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp));
    limits->multiprocessors = (PetscInt)processors;
    limits->threadsPerBlock = (PetscInt)threads;
    limits->warpSize        = (PetscInt)warp;
  }
  PlexCallCU(PlexCU.cuMemGetInfo(&limits->memoryFree, &limits->memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Memory
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexBackendMalloc_CUDA(PlexBackend b, size_t bytes, void **p)
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

static PetscErrorCode PlexBackendFree_CUDA(PlexBackend b, void *p)
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
static PetscErrorCode PlexCUDACopyInPinned(PlexCUDA *cuda, CUstream stream, char *to, const char *from, size_t bytes)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2 && !cuda->pinned[k]; ++k) {
    PlexCallCU(PlexCU.cuMemAllocHost(&cuda->pinned[k], PLEX_CUDA_PINNED));
    PlexCallCU(PlexCU.cuEventCreate(&cuda->left[k], CU_EVENT_DISABLE_TIMING));
  }
  for (int k = 0; bytes; k = !k) {
    PlexCopy c = {.to = (char *)cuda->pinned[k], .from = from, .bytes = PetscMin(bytes, PLEX_CUDA_PINNED)};

    PlexCallCU(PlexCU.cuEventSynchronize(cuda->left[k]));
    PetscCall(PlexThreadsRun((PetscInt)((c.bytes - 1) / PLEX_COPY_PART + 1), 1, PlexCopyLoop, &c));
    PlexCallCU(PlexCU.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, c.to, c.bytes, stream));
    PlexCallCU(PlexCU.cuEventRecord(cuda->left[k], stream));
    to += c.bytes;
    from += c.bytes;
    bytes -= c.bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits: the host's memory may be pinned, and then the copy would read it after the return */
static PetscErrorCode PlexBackendCopyIn_CUDA(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  if (bytes >= PLEX_CUDA_LARGE) {
    PetscCall(PlexCUDACopyInPinned((PlexCUDA *)b->data, stream, (char *)to, (const char *)from, bytes));
    PlexCallCU(PlexCU.cuStreamSynchronize(stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexCallCU(PlexCU.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, from, bytes, stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCopyOut_CUDA(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemcpyDtoHAsync(to, (CUdeviceptr)(uintptr_t)from, bytes, stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCopy_CUDA(PlexBackend b, void *to, const void *from, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendZero_CUDA(PlexBackend b, void *p, size_t bytes)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuMemsetD8Async((CUdeviceptr)(uintptr_t)p, 0, bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Modules, kernels, launches
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexBackendCompile_CUDA(PlexBackend b, const char name[], PetscInt ndefines,
                                              const char *const defines[], const char source[], PlexModule m)
{
  const PlexCUDASource s = {.name     = name,
                            .text     = source,
                            .arch     = b->limits.arch,
                            .ndefines = ndefines,
                            .defines  = defines};
  PlexCUDACode         code;
  CUmodule             module;
  CUresult             result;

  PetscFunctionBegin;
  PetscCall(PlexCUDACompile(&s, PETSC_TRUE, &code));
  result = PlexCU.cuModuleLoadData(&module, code.cubin);
  if (result != CUDA_SUCCESS && code.installed) { /* by a compiler newer than this driver */
    PetscCall(PetscInfo(b, "Kernels %s, installed with the library, cannot be loaded: error %d\n", name, (int)result));
    PetscCall(PetscFree(code.cubin));
    PetscCall(PlexCUDACompile(&s, PETSC_FALSE, &code));
    result = PlexCU.cuModuleLoadData(&module, code.cubin);
  }
  PetscCall(PetscFree(code.cubin));
  PlexCallCU(result);
  m->fromCache = code.fromCache;
  m->installed = code.installed;
  m->handle    = module;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleDestroy_CUDA(PlexModule m)
{
  PetscFunctionBegin;
  if (m->handle) PlexCallCU(PlexCU.cuModuleUnload((CUmodule)m->handle));
  m->handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleGetKernel_CUDA(PlexModule m, const char name[], PlexKernel k)
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

static PetscErrorCode PlexModuleGetVariable_CUDA(PlexModule m, const char name[], void **variable, size_t *bytes)
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

static PetscErrorCode PlexKernelGetAttributes_CUDA(PlexKernel k, PlexKernelAttributes *attributes)
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

/* A block may have 48 KiB of shared memory without asking; more is asked for, as much as is needed, once */
static PetscErrorCode PlexKernelGrantShared(PlexKernel k, size_t sharedBytes)
{
  PlexKernelAttributes     attributes;
  const PlexBackendLimits *limits = &k->module->backend->limits;

  PetscFunctionBegin;
  PetscCall(PlexKernelGetAttributes_CUDA(k, &attributes));
  PetscCheck(attributes.sharedBytes + sharedBytes <= limits->sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: a block needs %zu bytes of shared memory (%zu of them its own arrays) and %s has %zu: use "
             "smaller partitions (-plex_assembly_partition_size) or smaller blocks (of DG -plex_dg_block_elements)",
             k->name, attributes.sharedBytes + sharedBytes, attributes.sharedBytes, limits->name,
             limits->sharedPerBlock);
  if (attributes.sharedBytes + sharedBytes > 48 * 1024)
    PlexCallCU(PlexCU.cuFuncSetAttribute((CUfunction)k->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         (int)sharedBytes));
  k->sharedLimit = sharedBytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKernelLaunch_CUDA(PlexKernel k, PetscInt grid, PetscInt block, size_t sharedBytes,
                                            void **args)
{
  CUfunction function = (CUfunction)k->handle;
  CUstream   stream;
  CUresult   result;

  PetscFunctionBegin;
  if (sharedBytes > k->sharedLimit) PetscCall(PlexKernelGrantShared(k, sharedBytes));
  PetscCall(PlexCUDAGetStream(k->module->backend, &stream));
  result = PlexCU.cuLaunchKernel(function, (unsigned)grid, 1, 1, (unsigned)block, 1, 1, (unsigned)sharedBytes, stream,
                                 args, NULL);
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || result == CUDA_ERROR_INVALID_VALUE) {
    PlexKernelAttributes attributes;

    PetscCall(PlexKernelGetAttributes_CUDA(k, &attributes));
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

static PetscErrorCode PlexBackendSynchronize_CUDA(PlexBackend b)
{
  CUstream stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuStreamSynchronize(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendTimerBegin_CUDA(PlexBackend b)
{
  PlexCUDA *cuda = (PlexCUDA *)b->data;
  CUstream  stream;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuEventRecord(cuda->begin[b->timers], stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendTimerEnd_CUDA(PlexBackend b, PetscLogDouble *seconds)
{
  PlexCUDA *cuda = (PlexCUDA *)b->data;
  CUstream  stream;
  float     milliseconds;

  PetscFunctionBegin;
  PetscCall(PlexCUDAGetStream(b, &stream));
  PlexCallCU(PlexCU.cuEventRecord(cuda->end, stream));
  PlexCallCU(PlexCU.cuEventSynchronize(cuda->end));
  PlexCallCU(PlexCU.cuEventElapsedTime(&milliseconds, cuda->begin[b->timers], cuda->end));
  *seconds = (PetscLogDouble)milliseconds * 1e-3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendDestroy_CUDA(PlexBackend b)
{
  PlexCUDA *cuda = (PlexCUDA *)b->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_MAX_TIMERS; ++k) PlexCallCU(PlexCU.cuEventDestroy(cuda->begin[k]));
  PlexCallCU(PlexCU.cuEventDestroy(cuda->end));
  PlexCallCU(PlexCU.cuEventDestroy(cuda->reached));
  PlexCallCU(PlexCU.cuStreamDestroy(cuda->side));
  for (int k = 0; k < 2 && cuda->pinned[k]; ++k) {
    PlexCallCU(PlexCU.cuMemFreeHost(cuda->pinned[k]));
    PlexCallCU(PlexCU.cuEventDestroy(cuda->left[k]));
  }
  if (cuda->retained) PlexCallCU(PlexCU.cuDevicePrimaryCtxRelease(cuda->device));
  PetscCall(PetscFree(b->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc chooses the device of this rank and makes its primary context current: the runtime's and the driver's calls
   share it */
static PetscErrorCode PlexCUDASetContext(PlexCUDA *cuda)
{
  PetscDeviceContext dctx;
  PetscDevice        device;
  PetscInt           id;
  CUcontext          context;

  PetscFunctionBegin;
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
  PlexCallCU(PlexCU.cuCtxGetCurrent(&context));
  if (!context) {
    PetscCall(PetscDeviceContextGetDevice(dctx, &device));
    PetscCall(PetscDeviceGetDeviceId(device, &id));
    PlexCallCU(PlexCU.cuDeviceGet(&cuda->device, (int)id));
    PlexCallCU(PlexCU.cuDevicePrimaryCtxRetain(&context, cuda->device));
    cuda->retained = PETSC_TRUE;
    PlexCallCU(PlexCU.cuCtxSetCurrent(context));
  } else PlexCallCU(PlexCU.cuCtxGetDevice(&cuda->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The side queue does not wait for PETSc's default stream on its own accord; its blocks of threads go first where both
   have some */
static PetscErrorCode PlexCUDACreateSide(PlexCUDA *cuda)
{
  int least, greatest;

  PetscFunctionBegin;
  PlexCallCU(PlexCU.cuCtxGetStreamPriorityRange(&least, &greatest));
  PlexCallCU(PlexCU.cuStreamCreateWithPriority(&cuda->side, CU_STREAM_NON_BLOCKING, greatest));
  PlexCallCU(PlexCU.cuEventCreate(&cuda->reached, CU_EVENT_DISABLE_TIMING));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_CUDA(PlexBackend b)
{
  PlexCUDA *cuda;

  PetscFunctionBegin;
  PetscCall(PetscNew(&cuda));
  b->data               = cuda;
  b->device             = PETSC_TRUE;
  b->kernels            = PETSC_TRUE;
  b->ops->destroy       = PlexBackendDestroy_CUDA;
  b->ops->getlimits     = PlexBackendGetLimits_CUDA;
  b->ops->malloc        = PlexBackendMalloc_CUDA;
  b->ops->free          = PlexBackendFree_CUDA;
  b->ops->copyin        = PlexBackendCopyIn_CUDA;
  b->ops->copyout       = PlexBackendCopyOut_CUDA;
  b->ops->copy          = PlexBackendCopy_CUDA;
  b->ops->zero          = PlexBackendZero_CUDA;
  b->ops->compile       = PlexBackendCompile_CUDA;
  b->ops->moduledestroy = PlexModuleDestroy_CUDA;
  b->ops->getkernel     = PlexModuleGetKernel_CUDA;
  b->ops->getvariable   = PlexModuleGetVariable_CUDA;
  b->ops->launch        = PlexKernelLaunch_CUDA;
  b->ops->attributes    = PlexKernelGetAttributes_CUDA;
  b->ops->setqueue      = PlexBackendSetQueue_CUDA;
  b->ops->synchronize   = PlexBackendSynchronize_CUDA;
  b->ops->timerbegin    = PlexBackendTimerBegin_CUDA;
  b->ops->timerend      = PlexBackendTimerEnd_CUDA;
  b->ops->gemm          = PlexBackendGemm_CUDA;
  PetscCall(PlexCUDASetContext(cuda));
  for (PetscInt k = 0; k < PLEX_MAX_TIMERS; ++k) PlexCallCU(PlexCU.cuEventCreate(&cuda->begin[k], CU_EVENT_DEFAULT));
  PlexCallCU(PlexCU.cuEventCreate(&cuda->end, CU_EVENT_DEFAULT));
  PetscCall(PlexCUDACreateSide(cuda));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
