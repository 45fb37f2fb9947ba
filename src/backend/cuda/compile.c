/*
  Kernels compiled with NVRTC to machine code of one architecture, and kept in the cache: rtc.h.
*/
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include "rtc.h"

static PetscErrorCode PlexRTCCheck(const char name[], const void *code, size_t n)
{
  PetscFunctionBegin;
  PetscCall(PlexCUDACheckRegisters(name, code, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRTCInputCreate(const PlexRTCSource *s, PlexRTCInput *in)
{
  size_t length;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(in, sizeof(*in)));
  PetscCall(PetscMalloc1(s->ndefines + 4, &in->options));
  PetscCall(PetscStrallocpy("-default-device", &in->options[in->n++]));
  for (PetscInt i = -1; i < s->ndefines; ++i) {
    const char *option = i < 0 ? "--gpu-architecture=" : "-D", *value = i < 0 ? s->arch : s->defines[i];

    PetscCall(PetscStrlen(value, &length));
    length += strlen(option) + 1;
    PetscCall(PetscMalloc1(length, &in->options[in->n]));
    PetscCall(PetscSNPrintf(in->options[in->n++], length, "%s%s", option, value));
  }
  for (PetscInt i = 0; i < in->n; ++i) PetscCall(PlexCacheKeyAdd(&in->key, in->options[i]));
  PetscCall(PlexCacheKeyAddSource(&in->key, s->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options that do not show in machine code, or depend on the compiler. lines: with numbers of lines, which hold
   paths of this machine. key: of what this compiler makes */
static PetscErrorCode PlexRTCInputComplete(PlexRTCInput *in, PetscBool lines, PlexCacheKey *key)
{
  const PetscInt first = in->n;
  char           version[64];
  int            major, minor;

  PetscFunctionBegin;
  (void)PlexCU.nvrtcVersion(&major, &minor);
  PetscCall(PetscSNPrintf(version, sizeof(version), "nvrtc %d.%d", major, minor));
  /* 20 has designated initializers, as C */
  PetscCall(PetscStrallocpy(major >= 12 ? "--std=c++20" : "--std=c++17", &in->options[in->n++]));
  if (lines) PetscCall(PetscStrallocpy("-lineinfo", &in->options[in->n++]));
  *key = in->key;
  PetscCall(PlexCacheKeyAdd(key, version));
  for (PetscInt i = first; i < in->n; ++i) PetscCall(PlexCacheKeyAdd(key, in->options[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCUDAPrecompile(const PlexRTCSource *s, const char folder[], char path[PETSC_MAX_PATH_LEN],
                                         PetscBool *made)
{
  PlexRTCInput in;
  PlexCacheKey key;
  void        *cubin;
  size_t       n;

  PetscFunctionBegin;
  PetscCall(PlexRTCInputCreate(s, &in));
  PetscCall(PlexCacheGetPathIn(folder, &in.key, s->name, ".cubin", path));
  PetscCall(PlexCacheRead(path, &cubin, &n));
  *made = (PetscBool)!cubin;
  if (!cubin) {
    const char *why;
    PetscBool   written;

    PetscCall(PlexLoadNVRTC(&why));
    PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_LIB, "Kernels %s cannot be compiled: %s", s->name, why);
    PetscCall(PlexRTCInputComplete(&in, PETSC_FALSE, &key));
    PetscCall(PlexRTCCall(s->name, in.n, (const char *const *)in.options, s->text, &cubin, &n));
    PetscCall(PlexCacheWrite(path, cubin, n, &written));
    PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", path);
  }
  PetscCall(PetscFree(cubin));
  PetscCall(PlexRTCInputDestroy(&in));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Compiles for an architecture ("sm_90") without a GPU; *cubinSize bytes of machine code, kept in the cache */
PetscErrorCode PlexCompileOnly_CUDA(const char name[], PetscInt ndefines, const char *const defines[],
                                    const char source[], const char arch[], size_t *cubinSize)
{
#if PetscDefined(HAVE_CUDA)
  char         *text;
  PlexRTCSource s = {.name = name, .arch = arch, .ndefines = ndefines, .defines = defines};
  PlexRTCCode   code;

  PetscFunctionBegin;
  PetscCall(PlexSourceFlatten(name, source, &text));
  s.text = text;
  PetscCall(PlexRTCCompile(&s, PETSC_TRUE, &code));
  *cubinSize = code.n;
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(code.cubin));
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

PetscErrorCode PlexCanCompileFor_CUDA(const char arch[], char why[], size_t len)
{
#if PetscDefined(HAVE_CUDA)
  char              option[64];
  const char       *missing;
  const char *const options[] = {option};
  nvrtcProgram      program;
  nvrtcResult       result;

  PetscFunctionBegin;
  PetscCall(PlexLoadNVRTC(&missing));
  PetscCall(PetscStrncpy(why, missing ? missing : "", len));
  if (missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "--gpu-architecture=%s", arch));
  result = PlexCU.nvrtcCreateProgram(&program, "", "nothing", 0, NULL, NULL);
  if (result == NVRTC_SUCCESS) {
    result = PlexCU.nvrtcCompileProgram(program, 1, options);
    (void)PlexCU.nvrtcDestroyProgram(&program);
  }
  if (result != NVRTC_SUCCESS)
    PetscCall(PetscSNPrintf(why, len, "NVRTC says of %s: %s", option, PlexCU.nvrtcGetErrorString(result)));
#else
  PetscFunctionBegin;
  (void)arch;
  PetscCall(PetscStrncpy(why, "PETSc was configured without CUDA", len));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPrecompile_CUDA(const char file[], const char arch[], const char folder[],
                                   char path[PETSC_MAX_PATH_LEN], PetscBool *made)
{
#if PetscDefined(HAVE_CUDA)
  const char   *define;
  char          text[PETSC_MAX_PATH_LEN], *flat;
  PlexRTCSource s = {.name = file, .arch = arch, .ndefines = 1, .defines = &define};

  PetscFunctionBegin;
  PetscCall(PlexKernelFileGetSource(file, text, &define));
  PetscCall(PlexSourceFlatten(file, text, &flat));
  s.text = flat;
  PetscCall(PlexCUDAPrecompile(&s, folder, path, made));
  PetscCall(PetscFree(flat));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  PetscFunctionBegin;
  (void)folder;
  path[0] = 0;
  *made   = PETSC_FALSE;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "Kernels %s cannot be compiled for %s: PETSc was configured without CUDA",
          file, arch);
#endif
}
