// Wetting and drying: a warp an element that may fall dry, of which there are few in an ocean, so that a thread each would
// be the time of a thread. Those with water everywhere read 8 NP bytes to limit, 8 NV to correct; the others read and
// write 24 NP, and correct NG (6 NV + 8 + 4 NP) flops, NP^2 more numbers where they are not affine.
#define PLEX_SHORE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"

static __device__ __forceinline__ double plex_shore_sum(double x)
{
  for (int lane = 16; lane; lane /= 2) x += plex_lane_xor(x, lane);
  return x;
}
static __device__ __forceinline__ double plex_shore_least(double x)
{
  for (int lane = 16; lane; lane /= 2) x = fmin(x, plex_lane_xor(x, lane));
  return x;
}
#define PLEX_SHORE_LANES    32
#define PLEX_SHORE_LANE     ((int)threadIdx.x % 32)
#define PLEX_SHORE_SUM(x)   plex_shore_sum(x)
#define PLEX_SHORE_LEAST(x) plex_shore_least(x)
#define PLEX_SHORE_ANY(x)   plex_lanes_any(x)
#define PLEX_SHORE_SYNC     plex_lanes_sync()
#include "shore.h"

extern "C" __global__ void plex_dg_shore_limit(PlexDGShoreArgs args, void *u, int single)
{
  PLEX_DYNAMIC_SHARED(double, work);
  const int warp = (int)threadIdx.x / 32, l = (int)blockIdx.x * PLEX_SHORE_WARPS + warp;

  if (l < args.n) plex_shore_limit(&args, l, u, single, work + warp * PLEX_SHORE_WORK(args.NP));
}
PLEX_EXPORT_KERNEL(plex_dg_shore_limit)

extern "C" __global__ void plex_dg_shore_correct(PlexDGShoreArgs args, const void *u, void *r, double s, void *next,
                                                 double b, int single)
{
  PLEX_DYNAMIC_SHARED(double, work);
  const int warp = (int)threadIdx.x / 32, l = (int)blockIdx.x * PLEX_SHORE_WARPS + warp;

  if (l < args.n) plex_shore_correct(&args, l, u, r, s, next, b, single, work + warp * PLEX_SHORE_WORK(args.NP));
}
PLEX_EXPORT_KERNEL(plex_dg_shore_correct)
