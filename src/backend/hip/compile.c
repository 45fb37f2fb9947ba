/*
  Kernels compiled with hiprtc to machine code of one architecture, and kept in the cache: cuda/rtc.h.
*/
#include "hipimpl.h"

#if PLEXGPU_HIP
  #include "../cuda/rtc.h"

/* CDNA (gfx900 to gfx950) runs 64 threads in step, RDNA (gfx1010 and on) 32 */
static PetscInt PlexHIPGetWarp(const char arch[])
{
  return strspn(arch, "gfx0123456789abcdef") >= 7 ? 32 : 64;
}

static PetscErrorCode PlexRTCInputCreate(const PlexRTCSource *s, PlexRTCInput *in)
{
  size_t length;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(in, sizeof(*in)));
  PetscCall(PetscMalloc1(s->ndefines + 5, &in->options));
  PetscCall(PetscStrallocpy(PlexHIPGetWarp(s->arch) == 64 ? "-DPLEX_WARP=64" : "-DPLEX_WARP=32",
                            &in->options[in->n++]));
  PetscCall(PetscStrallocpy("-w", &in->options[in->n++]));
  for (PetscInt i = -1; i < s->ndefines; ++i) {
    const char *option = i < 0 ? "--offload-arch=" : "-D", *value = i < 0 ? s->arch : s->defines[i];

    PetscCall(PetscStrlen(value, &length));
    length += strlen(option) + 1;
    PetscCall(PetscMalloc1(length, &in->options[in->n]));
    PetscCall(PetscSNPrintf(in->options[in->n++], length, "%s%s", option, value));
  }
  for (PetscInt i = 0; i < in->n; ++i) PetscCall(PlexCacheKeyAdd(&in->key, in->options[i]));
  PetscCall(PlexCacheKeyAddSource(&in->key, s->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRTCInputComplete(PlexRTCInput *in, PetscBool lines, PlexCacheKey *key)
{
  char version[64];
  int  number = 0;

  PetscFunctionBegin;
  (void)lines;
  (void)PlexHIP.hipRuntimeGetVersion(&number);
  PetscCall(PetscSNPrintf(version, sizeof(version), "hiprtc %d", number));
  /* 20 has designated initializers, as C */
  PetscCall(PetscStrallocpy("-std=c++20", &in->options[in->n++]));
  *key = in->key;
  PetscCall(PlexCacheKeyAdd(key, version));
  PetscCall(PlexCacheKeyAdd(key, in->options[in->n - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRTCCheck(const char name[], const void *code, size_t n)
{
  PetscFunctionBegin;
  (void)name;
  (void)code;
  (void)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Compiles for an architecture ("gfx90a") without a GPU; *size bytes of machine code, kept in the cache */
PetscErrorCode PlexCompileOnly_HIP(const char name[], PetscInt ndefines, const char *const defines[],
                                   const char source[], const char arch[], size_t *size)
{
#if PLEXGPU_HIP
  char         *text;
  PlexRTCSource s = {.name = name, .arch = arch, .ndefines = ndefines, .defines = defines};
  PlexRTCCode   code;

  PetscFunctionBegin;
  PetscCall(PlexSourceFlatten(name, source, &text));
  s.text = text;
  PetscCall(PlexRTCCompile(&s, PETSC_FALSE, &code));
  *size = code.n;
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(code.cubin));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  PetscFunctionBegin;
  (void)ndefines;
  (void)defines;
  (void)source;
  *size = 0;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "Kernels %s cannot be compiled for %s: PlexGPU was built without HIP", name,
          arch);
#endif
}

/* why[len]: why not, or empty: kernels can be compiled for an architecture */
PetscErrorCode PlexCanCompileFor_HIP(const char arch[], char why[], size_t len)
{
#if PLEXGPU_HIP
  char          option[64];
  const char   *missing, *options[] = {option};
  hiprtcProgram program;
  hiprtcResult  result;

  PetscFunctionBegin;
  PetscCall(PlexLoadHIP(&missing));
  PetscCall(PetscStrncpy(why, missing ? missing : "", len));
  if (missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "--offload-arch=%s", arch));
  result = PlexHIP.hiprtcCreateProgram(&program, "extern \"C\" __global__ void nothing() {}\n", "nothing", 0, NULL,
                                       NULL);
  if (result == HIPRTC_SUCCESS) {
    result = PlexHIP.hiprtcCompileProgram(program, 1, options);
    (void)PlexHIP.hiprtcDestroyProgram(&program);
  }
  if (result != HIPRTC_SUCCESS)
    PetscCall(PetscSNPrintf(why, len, "hiprtc says of %s: %s", option, PlexHIP.hiprtcGetErrorString(result)));
#else
  PetscFunctionBegin;
  (void)arch;
  PetscCall(PetscStrncpy(why, "PlexGPU was built without HIP", len));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
