// Wetting and drying: a thread an element that may fall dry, of which there are few in an ocean. Those with water
// everywhere read 8 NP bytes to limit, 8 NV to correct; the others read and write 24 NP, and correct NG (6 NV + 8 + 4
// NP) flops, NP^2 more numbers where they are not affine.
#define PLEX_SHORE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "shore.h"

extern "C" __global__ void plex_dg_shore_limit(PlexDGShoreArgs args, void *u, int single)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (l < args.n) plex_shore_limit(&args, l, u, single);
}
PLEX_EXPORT_KERNEL(plex_dg_shore_limit)

extern "C" __global__ void plex_dg_shore_correct(PlexDGShoreArgs args, const void *u, void *r, double s, void *next,
                                                 double b, int single)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (l < args.n) plex_shore_correct(&args, l, u, r, s, next, b, single);
}
PLEX_EXPORT_KERNEL(plex_dg_shore_correct)
