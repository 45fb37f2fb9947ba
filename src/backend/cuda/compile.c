/*
  Kernels compiled with NVRTC to machine code of one architecture, and kept in the cache.
*/
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)

/* Fails with the compiler's messages, the first 1500 characters of them */
static PetscErrorCode PlexNVRTCFail(const char name[], nvrtcProgram program, nvrtcResult result)
{
  char   said[1500] = "", *log;
  size_t n          = 0;

  PetscFunctionBegin;
  if (PlexCU.nvrtcGetProgramLogSize(program, &n) == NVRTC_SUCCESS && n > 1) {
    PetscCall(PetscMalloc1(n + 1, &log));
    log[n] = 0;
    if (PlexCU.nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) PetscCall(PetscStrncpy(said, log, sizeof(said)));
    PetscCall(PetscFree(log));
  }
  (void)PlexCU.nvrtcDestroyProgram(&program);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "Kernels %s do not compile (NVRTC: %s):\n%s", name,
          PlexCU.nvrtcGetErrorString(result), said);
}

static PetscErrorCode PlexNVRTCCompile(const char name[], PetscInt noptions, const char *const options[],
                                       const char text[], void **cubin, size_t *n)
{
  nvrtcProgram   program;
  nvrtcResult    result;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  result = PlexCU.nvrtcCreateProgram(&program, text, name, 0, NULL, NULL);
  PetscCheck(result == NVRTC_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "NVRTC cannot start on %s: %s", name,
             PlexCU.nvrtcGetErrorString(result));
  result = PlexCU.nvrtcCompileProgram(program, (int)noptions, options);
  if (result != NVRTC_SUCCESS) PetscCall(PlexNVRTCFail(name, program, result));
  result = PlexCU.nvrtcGetCUBINSize(program, n);
  PetscCheck(result == NVRTC_SUCCESS && *n, PETSC_COMM_SELF, PETSC_ERR_LIB, "NVRTC gives no machine code of %s: %s",
             name, PlexCU.nvrtcGetErrorString(result));
  PetscCall(PetscMalloc1(*n, (char **)cubin));
  result = PlexCU.nvrtcGetCUBIN(program, (char *)*cubin);
  (void)PlexCU.nvrtcDestroyProgram(&program);
  PetscCheck(result == NVRTC_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_LIB, "NVRTC gives no machine code of %s: %s", name,
             PlexCU.nvrtcGetErrorString(result));
  ierr = PlexCUDACheckRegisters(name, *cubin, *n);
  if (ierr) PetscCall(PetscFree(*cubin));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCUDACompile(const char name[], PetscInt ndefines, const char *const defines[], const char text[],
                               const char arch[], void **cubin, size_t *n, PetscBool *fromCache)
{
  char         define[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN], version[64], **options;
  const char  *why;
  PlexCacheKey key = {
    0, {0, 0}
  };
  PetscInt  k = 0;
  size_t    length;
  int       major, minor, lock;
  PetscBool written;

  PetscFunctionBegin;
  PetscCall(PlexLoadNVRTC(&why));
  PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_LIB, "Kernels %s cannot be compiled: %s", name, why);
  (void)PlexCU.nvrtcVersion(&major, &minor);
  PetscCall(PetscSNPrintf(version, sizeof(version), "nvrtc %d.%d", major, minor));
  PetscCall(PetscCalloc1(ndefines + 4, &options));
  PetscCall(PetscSNPrintf(define, sizeof(define), "--gpu-architecture=%s", arch));
  PetscCall(PetscStrallocpy(define, &options[k++]));
  /* 20 has designated initializers, as C */
  PetscCall(PetscStrallocpy(major >= 12 ? "--std=c++20" : "--std=c++17", &options[k++]));
  PetscCall(PetscStrallocpy("-default-device", &options[k++]));
  PetscCall(PetscStrallocpy("-lineinfo", &options[k++]));
  for (PetscInt i = 0; i < ndefines; ++i) {
    PetscCall(PetscStrlen(defines[i], &length));
    PetscCall(PetscMalloc1(length + 3, &options[k++]));
    PetscCall(PetscSNPrintf(options[k - 1], length + 3, "-D%s", defines[i]));
  }
  PetscCall(PlexCacheKeyAdd(&key, version));
  for (PetscInt i = 0; i < k; ++i) PetscCall(PlexCacheKeyAdd(&key, options[i]));
  PetscCall(PlexCacheKeyAdd(&key, text));
  PetscCall(PlexCacheGetPath(&key, name, ".cubin", path));
  PetscCall(PlexCacheRead(path, cubin, n));
  if (!*cubin) {
    PetscErrorCode ierr = PETSC_SUCCESS;

    PetscCall(PlexCacheLock(path, &lock));
    PetscCall(PlexCacheRead(path, cubin, n)); /* another process may have compiled it in the meantime */
    *fromCache = (PetscBool)(*cubin != NULL);
    if (!*cubin) ierr = PlexNVRTCCompile(name, k, (const char *const *)options, text, cubin, n);
    if (!ierr && !*fromCache) ierr = PlexCacheWrite(path, *cubin, *n, &written);
    PetscCall(PlexCacheUnlock(path, &lock));
    PetscCall(ierr);
  } else *fromCache = PETSC_TRUE;
  for (PetscInt i = 0; i < k; ++i) PetscCall(PetscFree(options[i]));
  PetscCall(PetscFree(options));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Compiles for an architecture ("sm_90") without a GPU; *cubinSize bytes of machine code, kept in the cache */
PetscErrorCode PlexCompileOnly_CUDA(const char name[], PetscInt ndefines, const char *const defines[],
                                    const char source[], const char arch[], size_t *cubinSize)
{
#if PetscDefined(HAVE_CUDA)
  char     *text;
  void     *cubin;
  PetscBool fromCache;

  PetscFunctionBegin;
  PetscCall(PlexSourceFlatten(name, source, &text));
  PetscCall(PlexCUDACompile(name, ndefines, defines, text, arch, &cubin, cubinSize, &fromCache));
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(cubin));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  PetscFunctionBegin;
  (void)ndefines;
  (void)defines;
  (void)source;
  *cubinSize = 0;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "Kernels %s cannot be compiled for %s: PETSc was configured without CUDA",
          name, arch);
#endif
}
