// Shock capturing after a stage: a thread an element. All elements read their state, 8 NF NP bytes, and write a record of
// 8 (NF + DIM + 2); then read records of neighbours. Those at a shock are read again and written.
#define PLEX_SHOCK_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "shock.h"

extern "C" __global__ void plex_dg_shock_record(PlexDGShockArgs args, const void *u, int single)
{
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (e < args.Ne) plex_shock_record(&args, e, u, single);
}
PLEX_EXPORT_KERNEL(plex_dg_shock_record)

extern "C" __global__ void plex_dg_shock_pack(PlexDGShockArgs args, int rings)
{
  const int g = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (g < args.nghosts) plex_shock_pack(&args, g, rings);
}
PLEX_EXPORT_KERNEL(plex_dg_shock_pack)

extern "C" __global__ void plex_dg_shock_limit(PlexDGShockArgs args, void *u, int single)
{
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (e < args.Ne) plex_shock_limit(&args, e, u, single);
}
PLEX_EXPORT_KERNEL(plex_dg_shock_limit)
