// How kernels reach the memory variables of a perfectly matched layer, which are read and written once a stage: what pml.h is
// put behind
#pragma once
#define PLEX_PML_FUNCTION static __device__ __forceinline__
#define PLEX_PML_REAL     plex_real
#include "pml_args.h"

PLEX_DEVICE plex_real plex_pml_get(const PlexDGPMLStage *, const void *array, long long at)
{
  return __ldcs((const plex_real *)array + at);
}

PLEX_DEVICE void plex_pml_set(const PlexDGPMLStage *, void *array, long long at, plex_real value)
{
  __stcs((plex_real *)array + at, value);
}
