/*
  Loads HIP's runtime and hiprtc and finds their functions.
*/
#define _GNU_SOURCE
#include "hipimpl.h"

#if PLEXGPU_HIP
  #include <dlfcn.h>

PlexHIPFunctions PlexHIP;

  #define PLEX_STRING(s)   #s
  #define PLEX_EXPANDED(s) PLEX_STRING(s) /* hipGetDeviceProperties is a macro in ROCm 6 */

/* The library that this was compiled for, of that version: others have other numbers for attributes */
static void *PlexHIPOpen(const char name[])
{
  const char *const folders[] = {"", getenv("ROCM_PATH"), "/opt/rocm"};
  char              path[PETSC_MAX_PATH_LEN];
  void             *library = NULL;

  for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(folders) && !library; ++f) {
    if (!folders[f]) continue;
    (void)snprintf(path, sizeof(path), "%s%s%s.so.%d", folders[f], folders[f][0] ? "/lib/" : "", name,
                   HIP_VERSION_MAJOR);
    library = dlopen(path, RTLD_NOW);
  }
  return library;
}

PetscErrorCode PlexLoadHIP(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[512];

  PetscFunctionBegin;
  if (!tried) {
    void       *library = PlexHIPOpen("libamdhip64"), *rtc = library ? PlexHIPOpen("libhiprtc") : NULL;
    const char *missing = NULL;

    tried = PETSC_TRUE;
    if (!rtc) rtc = library; /* of ROCm 5, which has both in one */
    if (!library)
      PetscCall(PetscSNPrintf(reason, sizeof(reason),
                              "libamdhip64.so.%d cannot be loaded: it comes with ROCm, or as Debian's libamdhip64-5; "
                              "set LD_LIBRARY_PATH or ROCM_PATH",
                              HIP_VERSION_MAJOR));
    else {
  #define PLEX_FIND(name) \
    *(void **)&PlexHIP.name = dlsym(from, PLEX_EXPANDED(name)); \
    if (!PlexHIP.name) missing = PLEX_EXPANDED(name);
      void *from               = library;

      PLEX_HIP_FUNCTIONS(PLEX_FIND)
      from = rtc;
      PLEX_HIPRTC_FUNCTIONS(PLEX_FIND)
      if (missing) PetscCall(PetscSNPrintf(reason, sizeof(reason), "HIP's libraries have no %s", missing));
    }
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLoadHIPDevice(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[256];
  hipError_t       result;
  int              n = 0;

  PetscFunctionBegin;
  PetscCall(PlexLoadHIP(why));
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  if (!tried) {
    tried  = PETSC_TRUE;
    result = PlexHIP.hipInit(0);
    if (result == hipSuccess) result = PlexHIP.hipGetDeviceCount(&n);
    if (result != hipSuccess)
      PetscCall(PetscSNPrintf(reason, sizeof(reason), "HIP says: %s (error %d)", PlexHIP.hipGetErrorString(result),
                              (int)result));
    else if (!n)
      PetscCall(PetscStrncpy(reason, "HIP sees no device; is ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES set?",
                             sizeof(reason)));
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
