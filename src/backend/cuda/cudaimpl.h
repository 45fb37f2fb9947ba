/*
  The CUDA backend: the driver and NVRTC, loaded when they are first asked for (load.c), kernels compiled at run time
  (compile.c), memory and launches (cuda.c). Nothing is linked, so the library loads where there is neither GPU nor
  driver.
*/
#pragma once

#include "../interface/backendimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include <cuda.h>
  #include <nvrtc.h>

/* The functions that are used. cuda.h's macros name the version (cuMemAlloc is cuMemAlloc_v2), here as in a program
   that links. */
  #define PLEX_DRIVER_FUNCTIONS(X) \
    X(cuInit) \
    X(cuGetErrorString) \
    X(cuDriverGetVersion) \
    X(cuDeviceGetCount) \
    X(cuDeviceGet) \
    X(cuDeviceGetName) \
    X(cuDeviceGetAttribute) \
    X(cuDevicePrimaryCtxRetain) \
    X(cuDevicePrimaryCtxRelease) \
    X(cuCtxGetCurrent) \
    X(cuCtxSetCurrent) \
    X(cuCtxGetDevice) \
    X(cuMemGetInfo) \
    X(cuMemAlloc) \
    X(cuMemFree) \
    X(cuMemAllocHost) \
    X(cuMemFreeHost) \
    X(cuMemcpyHtoDAsync) \
    X(cuMemcpyDtoHAsync) \
    X(cuMemcpyDtoDAsync) \
    X(cuMemsetD8Async) \
    X(cuCtxGetStreamPriorityRange) \
    X(cuStreamCreateWithPriority) \
    X(cuStreamDestroy) \
    X(cuStreamWaitEvent) \
    X(cuStreamSynchronize) \
    X(cuEventCreate) \
    X(cuEventDestroy) \
    X(cuEventRecord) \
    X(cuEventSynchronize) \
    X(cuEventElapsedTime) \
    X(cuModuleLoadData) \
    X(cuModuleUnload) \
    X(cuModuleGetFunction) \
    X(cuModuleGetGlobal) \
    X(cuFuncGetAttribute) \
    X(cuFuncSetAttribute) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cuLaunchKernel)
  #define PLEX_NVRTC_FUNCTIONS(X) \
    X(nvrtcVersion) \
    X(nvrtcGetErrorString) \
    X(nvrtcCreateProgram) \
    X(nvrtcCompileProgram) \
    X(nvrtcDestroyProgram) \
    X(nvrtcGetProgramLogSize) \
    X(nvrtcGetProgramLog) \
    X(nvrtcGetCUBINSize) \
    X(nvrtcGetCUBIN)

typedef struct {
  #define PLEX_FIELD(name) __typeof__(&name) name;
  PLEX_DRIVER_FUNCTIONS(PLEX_FIELD)
  PLEX_NVRTC_FUNCTIONS(PLEX_FIELD)
  #undef PLEX_FIELD
} PlexCUDAFunctions;

extern PlexCUDAFunctions PlexCU PETSC_VISIBILITY_INTERNAL;

/* Load what is not loaded yet; *why is NULL, or says why it cannot be used */
PETSC_INTERN PetscErrorCode PlexLoadDriver(const char **why);
PETSC_INTERN PetscErrorCode PlexLoadNVRTC(const char **why);

  #define PlexCallCU(...) \
    do { \
      CUresult    plex_result_  = __VA_ARGS__; \
      const char *plex_message_ = NULL; \
      if (PetscUnlikely(plex_result_ != CUDA_SUCCESS)) { \
        (void)PlexCU.cuGetErrorString(plex_result_, &plex_message_); \
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_GPU, "CUDA error %d: %s", (int)plex_result_, \
                plex_message_ ? plex_message_ : "unknown"); \
      } \
    } while (0)

/* Products by cuBLAS: gemm.c */
PETSC_INTERN PetscErrorCode PlexBackendGemm_CUDA(PlexBackend, PlexPrecision, const PlexGemm *);

/* An error where a kernel of a cubin has products on tensor cores in fewer registers than they need: registers.c */
PETSC_INTERN PetscErrorCode PlexCUDACheckRegisters(const char name[], const void *cubin, size_t n);

  #define PLEX_RTC_NAME    "NVRTC"
  #define PLEX_RTC_SUFFIX  ".cubin"
  #define PLEX_RTC_OPTIONS const char *const *
  #define PlexLoadRTC      PlexLoadNVRTC
  #define PlexRTCCompile   PlexRTCCompile_CUDA
  #include "rtcimpl.h"
/* From the cache, or installed with the library where that is allowed, or compiled */
PETSC_INTERN PetscErrorCode PlexRTCCompile(const PlexRTCSource *, PetscBool installed, PlexRTCCode *);
#endif
