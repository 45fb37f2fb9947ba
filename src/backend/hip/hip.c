/*
  The hip backend: cuda/device.h and cuda/rtc.h through HIP, on PETSc's device where PETSc has HIP; else on the one of
  the process's number on its node.
*/
#include "hipimpl.h"

#if !PLEXGPU_HIP

PetscErrorCode PlexBackendAvailable_HIP(PetscBool *flg, char why[], size_t len)
{
  PetscFunctionBegin;
  *flg = PETSC_FALSE;
  PetscCall(PetscStrncpy(why, "PlexGPU was built without HIP, whose headers were not found", len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_HIP(PlexBackend b)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)b), PETSC_ERR_SUP,
          "PlexGPU was built without HIP, whose headers were not found");
}

#else
  #if PetscDefined(HAVE_HIP)
    #include <petscdevice_hip.h>
  #endif
  #include "../cuda/rtc.h"
  #include "../cuda/device.h"

/* ------------------------------------------------------------------------------------------------------------------
   Compiling with hiprtc
   ------------------------------------------------------------------------------------------------------------------ */

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

/* ------------------------------------------------------------------------------------------------------------------
   The device
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode PlexBackendAvailable_HIP(PetscBool *flg, char why[], size_t len)
{
  const char *reason;

  PetscFunctionBegin;
  PetscCall(PlexLoadHIPDevice(&reason));
  *flg = (PetscBool)!reason;
  if (reason)
    PetscCall(PetscSNPrintf(why, len,
                            "no HIP device is usable here (%s): use -plex_assembly_backend host (of DG "
                            "-plex_dg_backend, -plex_hdg_backend)",
                            reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetMain(PlexDevice *d, hipStream_t *stream)
{
  PetscFunctionBegin;
  *stream = d->main;
  #if PetscDefined(HAVE_HIP)
  PetscCall(PetscGetCurrentHIPStream(stream));
  #endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetArch(hipDevice_t id, char arch[], size_t len)
{
  hipDeviceProp_t properties;

  PetscFunctionBegin;
  PlexCallCU(PlexHIP.hipGetDeviceProperties(&properties, id));
  PetscCall(PetscStrncpy(arch, properties.gcnArchName, len)); /* "gfx90a:sramecc+:xnack-" */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* HIP has these limits of NVIDIA's GPUs only */
static PetscErrorCode PlexDeviceGetProcessor(hipDevice_t id, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  (void)id;
  (void)limits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block may have all the shared memory there is without asking */
static PetscErrorCode PlexDeviceGrantShared(hipFunction_t function, size_t sharedBytes, size_t all)
{
  PetscFunctionBegin;
  (void)function;
  (void)sharedBytes;
  (void)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceRelease(PlexDevice *d)
{
  PetscFunctionBegin;
  if (d->main) PlexCallCU(PlexHIP.hipStreamDestroy(d->main));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if PetscDefined(HAVE_HIP)
static PetscErrorCode PlexHIPSetDevice(PlexDevice *d)
{
  PetscDeviceContext dctx;
  PetscDevice        device;
  PetscInt           id;

  PetscFunctionBegin;
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_HIP));
  PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
  PetscCall(PetscDeviceContextGetDevice(dctx, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &id));
  d->id = (hipDevice_t)id;
  PlexCallCU(PlexHIP.hipSetDevice((int)id));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #else
/* Processes of a node take its devices by turns; what starts them says their numbers there */
static PetscErrorCode PlexHIPSetDevice(PlexDevice *d)
{
  const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"};
  int               n = 0, rank = 0;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k)
    if (getenv(names[k])) {
      rank = atoi(getenv(names[k]));
      break;
    }
  PlexCallCU(PlexHIP.hipGetDeviceCount(&n));
  d->id = (hipDevice_t)(PetscMax(rank, 0) % PetscMax(n, 1));
  PlexCallCU(PlexHIP.hipSetDevice(d->id));
  PlexCallCU(PlexHIP.hipStreamCreateWithPriority(&d->main, hipStreamNonBlocking, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

PetscErrorCode PlexBackendCreate_HIP(PlexBackend b)
{
  PlexDevice *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  b->data  = d;
  b->apart = (PetscBool)!PetscDefined(HAVE_HIP);
  PetscCall(PlexHIPSetDevice(d));
  PetscCall(PlexDeviceSetUp(b, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* ------------------------------------------------------------------------------------------------------------------
   Without a GPU
   ------------------------------------------------------------------------------------------------------------------ */

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
