// Extrema of water over the steps of a run: a thread a node. It reads the state (8 NF bytes), the depth, and highest,
// fastest and arrival (32 bytes); where the wave has not arrived the initial elevation as well (8 bytes). It writes what
// has changed, 24 bytes at most: 64 to 88 bytes a node and step before the wave is there, 56 to 72 afterwards, and 5 NF
// flops at most.
#define PLEX_EXTREMA_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "extrema.h"

extern "C" __global__ void plex_dg_extrema(PlexDGExtremaArgs args, const double *u, double t, int first)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < args.n) plex_extrema_see(&args, u, t, first, k);
}
PLEX_EXPORT_KERNEL(plex_dg_extrema)
