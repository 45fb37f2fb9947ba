/*
  Loads libcuda and NVRTC and finds their functions.
*/
#define _GNU_SOURCE
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include <dlfcn.h>

PlexCUDAFunctions PlexCU;

  #define PLEX_STRING(s)   #s
  #define PLEX_EXPANDED(s) PLEX_STRING(s)
  #define PLEX_FIND(name)  PetscCall(PlexLoadFind(library, PLEX_EXPANDED(name), (void **)&PlexCU.name, &missing));

static PetscErrorCode PlexLoadFind(void *library, const char name[], void **function, const char **missing)
{
  PetscFunctionBegin;
  *function = dlsym(library, name);
  if (!*function) *missing = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is a GPU: cheap, and no error on machines that have the toolkit's stub of a driver, or none */
PetscErrorCode PlexLoadDriver(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[256];

  PetscFunctionBegin;
  if (!tried) {
    void       *library = dlopen("libcuda.so.1", RTLD_NOW);
    const char *missing = NULL, *message = NULL;
    int         n = 0;

    tried = PETSC_TRUE;
    if (!library) PetscCall(PetscSNPrintf(reason, sizeof(reason), "no NVIDIA driver (%s)", dlerror()));
    else {
      PLEX_DRIVER_FUNCTIONS(PLEX_FIND)
      if (missing)
        PetscCall(PetscSNPrintf(reason, sizeof(reason), "the NVIDIA driver is too old for CUDA %d.%d: it has no %s",
                                CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, missing));
      else {
        CUresult result = PlexCU.cuInit(0);

        if (result == CUDA_SUCCESS) result = PlexCU.cuDeviceGetCount(&n);
        if (result != CUDA_SUCCESS) {
          (void)PlexCU.cuGetErrorString(result, &message);
          PetscCall(PetscSNPrintf(reason, sizeof(reason), "the driver says: %s (error %d)",
                                  message ? message : "nothing", (int)result));
        } else if (!n)
          PetscCall(PetscStrncpy(reason, "the driver sees no device; is CUDA_VISIBLE_DEVICES set?", sizeof(reason)));
      }
    }
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries folder/libnvrtc.so.<version> and the plain names; folder NULL: where the loader looks */
static void *PlexLoadNVRTCFrom(const char folder[])
{
  char  path[PETSC_MAX_PATH_LEN + 32];
  void *library = NULL;

  for (int k = 0; k < 3 && !library; ++k) {
    const int versions[] = {CUDA_VERSION / 1000, CUDA_VERSION / 1000 == 12 ? 13 : 12, 0};

    if (versions[k])
      (void)snprintf(path, sizeof(path), "%s%slibnvrtc.so.%d", folder ? folder : "", folder ? "/" : "", versions[k]);
    else (void)snprintf(path, sizeof(path), "%s%slibnvrtc.so", folder ? folder : "", folder ? "/" : "");
    library = dlopen(path, RTLD_NOW);
  }
  return library;
}

/* NVRTC is part of the toolkit that PETSc was built with: beside its CUDA runtime, on the loader's path, or in
   $CUDA_HOME */
static void *PlexLoadNVRTCAnywhere(void)
{
  const char *const homes[] = {getenv("PLEXGPU_CUDA_DIR"), getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
  const char *const parts[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
  void             *library = NULL, *runtime = dlsym(RTLD_DEFAULT, "cudaGetDevice");
  char              folder[PETSC_MAX_PATH_LEN];
  Dl_info           info;

  if (runtime && dladdr(runtime, &info) && info.dli_fname && strchr(info.dli_fname, '/')) {
    (void)snprintf(folder, sizeof(folder), "%s", info.dli_fname);
    *strrchr(folder, '/') = 0;
    library               = PlexLoadNVRTCFrom(folder);
  }
  if (!library) library = PlexLoadNVRTCFrom(NULL);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(homes) && !library; ++i) {
    if (!homes[i] || !homes[i][0]) continue;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(parts) && !library; ++k) {
      (void)snprintf(folder, sizeof(folder), "%s/%s", homes[i], parts[k]);
      library = PlexLoadNVRTCFrom(folder);
    }
  }
  return library;
}

PetscErrorCode PlexLoadNVRTC(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[256];

  PetscFunctionBegin;
  if (!tried) {
    void       *library = PlexLoadNVRTCAnywhere();
    const char *missing = NULL;

    tried = PETSC_TRUE;
    if (!library)
      PetscCall(PetscSNPrintf(reason, sizeof(reason),
                              "libnvrtc.so.%d cannot be loaded: it comes with the CUDA toolkit; set CUDA_HOME or "
                              "LD_LIBRARY_PATH",
                              CUDA_VERSION / 1000));
    else {
      PLEX_NVRTC_FUNCTIONS(PLEX_FIND)
      if (missing)
        PetscCall(PetscSNPrintf(reason, sizeof(reason), "libnvrtc has no %s: a newer CUDA toolkit is needed", missing));
    }
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
