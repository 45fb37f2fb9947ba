/*
  The HIP backend, for GPUs of AMD: HIP's runtime and hiprtc, loaded when they are first asked for (load.c); kernels
  compiled at run time, memory and launches (hip.c). Nothing is linked. The sources are those of the CUDA
  backend, cuda/device.h and cuda/rtc.h, with HIP's names for the driver's and NVRTC's, below.

  PLEXGPU_HIP comes from the makefile: whether HIP's headers were found. PETSc need not have HIP; then vectors and
  matrices live on the host, and the backend copies.
*/
#pragma once

#include "../interface/backendimpl.h"

#if PLEXGPU_HIP
  #ifndef __HIP_PLATFORM_AMD__
    #define __HIP_PLATFORM_AMD__ 1
  #endif
  #include <hip/hip_runtime_api.h>
  #include <hip/hiprtc.h>

/* The functions that are used */
  #define PLEX_HIP_FUNCTIONS(X) \
    X(hipInit) \
    X(hipGetErrorString) \
    X(hipRuntimeGetVersion) \
    X(hipGetDeviceCount) \
    X(hipDeviceGetName) \
    X(hipDeviceGetAttribute) \
    X(hipGetDeviceProperties) \
    X(hipSetDevice) \
    X(hipMemGetInfo) \
    X(hipMalloc) \
    X(hipFree) \
    X(hipHostMalloc) \
    X(hipHostFree) \
    X(hipMemcpyHtoDAsync) \
    X(hipMemcpyDtoHAsync) \
    X(hipMemcpyDtoDAsync) \
    X(hipMemsetD8Async) \
    X(hipDeviceGetStreamPriorityRange) \
    X(hipStreamCreateWithPriority) \
    X(hipStreamDestroy) \
    X(hipStreamWaitEvent) \
    X(hipStreamSynchronize) \
    X(hipEventCreateWithFlags) \
    X(hipEventDestroy) \
    X(hipEventRecord) \
    X(hipEventSynchronize) \
    X(hipEventElapsedTime) \
    X(hipModuleLoadData) \
    X(hipModuleUnload) \
    X(hipModuleGetFunction) \
    X(hipModuleGetGlobal) \
    X(hipFuncGetAttribute) \
    X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(hipModuleLaunchKernel)
  #define PLEX_HIPRTC_FUNCTIONS(X) \
    X(hiprtcGetErrorString) \
    X(hiprtcCreateProgram) \
    X(hiprtcCompileProgram) \
    X(hiprtcDestroyProgram) \
    X(hiprtcGetProgramLogSize) \
    X(hiprtcGetProgramLog) \
    X(hiprtcGetCodeSize) \
    X(hiprtcGetCode)

typedef struct {
  #define PLEX_FIELD(name) __typeof__(&name) name;
  PLEX_HIP_FUNCTIONS(PLEX_FIELD)
  PLEX_HIPRTC_FUNCTIONS(PLEX_FIELD)
  #undef PLEX_FIELD
} PlexHIPFunctions;

extern PlexHIPFunctions PlexHIP PETSC_VISIBILITY_INTERNAL;

/* Load what is not loaded yet; *why is NULL, or says why it cannot be used. PlexLoadHIP(): the libraries, which compile
   without a GPU; PlexLoadHIPDevice(): and a GPU is there */
PETSC_INTERN PetscErrorCode PlexLoadHIP(const char **why);
PETSC_INTERN PetscErrorCode PlexLoadHIPDevice(const char **why);

  #define PlexCallCU(...) \
    do { \
      hipError_t plex_result_ = __VA_ARGS__; \
      PetscCheck(plex_result_ == hipSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "HIP error %d: %s", (int)plex_result_, \
                 PlexHIP.hipGetErrorString(plex_result_)); \
    } while (0)

  /* What device.h and rtc.h call CUDA's */
  #define PlexCU      PlexHIP
  #define CUresult    hipError_t
  #define CUdevice    hipDevice_t
  #define CUdeviceptr hipDeviceptr_t
  #define CUstream    hipStream_t
  #define CUevent     hipEvent_t
  #define CUmodule    hipModule_t
  #define CUfunction  hipFunction_t

  #define CUDA_SUCCESS                       hipSuccess
  #define CUDA_ERROR_NOT_FOUND               hipErrorNotFound
  #define CUDA_ERROR_OUT_OF_MEMORY           hipErrorOutOfMemory
  #define CUDA_ERROR_INVALID_VALUE           hipErrorInvalidValue
  #define CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES hipErrorLaunchOutOfResources

  #define CUdevice_attribute                                       hipDeviceAttribute_t
  #define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN    hipDeviceAttributeMaxSharedMemoryPerBlock
  #define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
  #define CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE                        hipDeviceAttributeL2CacheSize
  #define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT                 hipDeviceAttributeMultiprocessorCount
  #define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK                hipDeviceAttributeMaxThreadsPerBlock
  #define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR       hipDeviceAttributeMaxThreadsPerMultiProcessor
  #define CU_DEVICE_ATTRIBUTE_WARP_SIZE                            hipDeviceAttributeWarpSize

  #define CU_FUNC_ATTRIBUTE_NUM_REGS              HIP_FUNC_ATTRIBUTE_NUM_REGS
  #define CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
  #define CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES      HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
  #define CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES     HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
  #define CU_EVENT_DEFAULT                        hipEventDefault
  #define CU_EVENT_DISABLE_TIMING                 hipEventDisableTiming
  #define CU_STREAM_NON_BLOCKING                  hipStreamNonBlocking

  #define cuDeviceGetName             hipDeviceGetName
  #define cuDeviceGetAttribute        hipDeviceGetAttribute
  #define cuMemGetInfo                hipMemGetInfo
  #define cuMemAlloc                  hipMalloc
  #define cuMemFree                   hipFree
  #define cuMemAllocHost(p, n)        hipHostMalloc(p, n, hipHostMallocDefault)
  #define cuMemFreeHost               hipHostFree
  #define cuMemcpyHtoDAsync           hipMemcpyHtoDAsync
  #define cuMemcpyDtoHAsync           hipMemcpyDtoHAsync
  #define cuMemcpyDtoDAsync           hipMemcpyDtoDAsync
  #define cuMemsetD8Async             hipMemsetD8Async
  #define cuCtxGetStreamPriorityRange hipDeviceGetStreamPriorityRange
  #define cuStreamCreateWithPriority  hipStreamCreateWithPriority
  #define cuStreamDestroy             hipStreamDestroy
  #define cuStreamWaitEvent           hipStreamWaitEvent
  #define cuStreamSynchronize         hipStreamSynchronize
  #define cuEventCreate               hipEventCreateWithFlags
  #define cuEventDestroy              hipEventDestroy
  #define cuEventRecord               hipEventRecord
  #define cuEventSynchronize          hipEventSynchronize
  #define cuEventElapsedTime          hipEventElapsedTime
  #define cuModuleLoadData            hipModuleLoadData
  #define cuModuleUnload              hipModuleUnload
  #define cuModuleGetFunction         hipModuleGetFunction
  #define cuModuleGetGlobal           hipModuleGetGlobal
  #define cuFuncGetAttribute          hipFuncGetAttribute
  #define cuLaunchKernel              hipModuleLaunchKernel

  #define cuOccupancyMaxActiveBlocksPerMultiprocessor hipModuleOccupancyMaxActiveBlocksPerMultiprocessor

  #define nvrtcProgram           hiprtcProgram
  #define nvrtcResult            hiprtcResult
  #define NVRTC_SUCCESS          HIPRTC_SUCCESS
  #define nvrtcGetErrorString    hiprtcGetErrorString
  #define nvrtcCreateProgram     hiprtcCreateProgram
  #define nvrtcCompileProgram    hiprtcCompileProgram
  #define nvrtcDestroyProgram    hiprtcDestroyProgram
  #define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
  #define nvrtcGetProgramLog     hiprtcGetProgramLog
  #define nvrtcGetCUBINSize      hiprtcGetCodeSize
  #define nvrtcGetCUBIN          hiprtcGetCode

  #define PLEX_RTC_NAME    "hiprtc"
  #define PLEX_RTC_SUFFIX  ".hsaco"
  #define PLEX_RTC_OPTIONS const char **
  #define PlexLoadRTC      PlexLoadHIP
  #define PlexRTCCompile   PlexRTCCompile_HIP
  #include "../cuda/rtcimpl.h"
/* From the cache, or compiled */
PETSC_INTERN PetscErrorCode PlexRTCCompile(const PlexRTCSource *, PetscBool installed, PlexRTCCode *);
#endif
