// Wetting and drying: PLEX_SHORE_THREADS neighbouring threads an element that may fall dry, of which there are few in an
// ocean: a thread each would be the time of a thread, and a warp computes its scalars 32 times. Those with water everywhere
// read 8 NP bytes to limit, 8 NV to correct; the others read and write 24 NP, and correct NG (6 NV + 8 + 4 NP) flops, NP^2
// more numbers where they are not affine.
#define PLEX_SHORE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"

#include "shore_args.h"

static __device__ __forceinline__ double plex_shore_sum(double x)
{
  for (int with = PLEX_SHORE_THREADS / 2; with; with /= 2) x += plex_lane_xor<PLEX_SHORE_THREADS>(x, with);
  return x;
}
static __device__ __forceinline__ double plex_shore_least(double x)
{
  for (int with = PLEX_SHORE_THREADS / 2; with; with /= 2) x = fmin(x, plex_lane_xor<PLEX_SHORE_THREADS>(x, with));
  return x;
}
#define PLEX_SHORE_LANES    PLEX_SHORE_THREADS
#define PLEX_SHORE_LANE     ((int)threadIdx.x % PLEX_SHORE_THREADS)
#define PLEX_SHORE_SUM(x)   plex_shore_sum(x)
#define PLEX_SHORE_LEAST(x) plex_shore_least(x)
#define PLEX_SHORE_ANY(x)   plex_lanes_any<PLEX_SHORE_THREADS>(x)
#define PLEX_SHORE_SYNC     plex_lanes_sync<PLEX_SHORE_THREADS>()

// With a number of vertices that the compiler knows there is no local memory
#define PLEX_SHORE_NV vertices
template <int vertices>
struct PlexShore {
#include "shore.h"
};

#define PLEX_SHORE_KERNELS(shape, vertices) \
  extern "C" __global__ void plex_dg_shore_limit_##shape(PlexDGShoreArgs args, void *u, int single) \
  { \
    PLEX_DYNAMIC_SHARED(double, work); \
    const int n = (int)threadIdx.x / PLEX_SHORE_THREADS, l = (int)blockIdx.x * PLEX_SHORE_ELEMENTS + n; \
\
    if (l < args.n) \
      PlexShore<vertices>::plex_shore_limit(&args, l, u, single, work + n * PLEX_SHORE_WORK(args.NP, args.NG)); \
  } \
  PLEX_EXPORT_KERNEL(plex_dg_shore_limit_##shape) \
\
  extern "C" __global__ void plex_dg_shore_correct_##shape(PlexDGShoreArgs args, const void *u, void *r, double s, \
                                                           void *next, double b, int single) \
  { \
    PLEX_DYNAMIC_SHARED(double, work); \
    const int n = (int)threadIdx.x / PLEX_SHORE_THREADS, l = (int)blockIdx.x * PLEX_SHORE_ELEMENTS + n; \
\
    if (l < args.n) \
      PlexShore<vertices>::plex_shore_correct(&args, l, u, r, s, next, b, single, \
                                              work + n * PLEX_SHORE_WORK(args.NP, args.NG)); \
  } \
  PLEX_EXPORT_KERNEL(plex_dg_shore_correct_##shape)

PLEX_SHORE_KERNELS(triangles, 3)
PLEX_SHORE_KERNELS(quadrilaterals, 4)
