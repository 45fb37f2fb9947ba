// Wetting and drying: PLEX_SHORE_THREADS neighbouring threads an element that may fall dry, of which there are few in an
// ocean: a thread each would be the time of a thread, and a warp computes its scalars 32 times. Those with water everywhere
// read 8 NP bytes to limit, 8 NV to correct; the others read and write 24 NP, and correct NG (6 NV + 8 + 4 NP) flops, NP^2
// more numbers where they are not affine. Compiled for PLEX_SHORE_NP nodes, NG and CHECKED points, NV vertices, and whether
// elements are AFFINE.
#define PLEX_SHORE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"

#include "roots.cuh"
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
#define PLEX_STATE_UNROLL   _Pragma("unroll 8")
#define PLEX_SHORE_LANES    PLEX_SHORE_THREADS
#define PLEX_SHORE_LANE     ((int)threadIdx.x % PLEX_SHORE_THREADS)
#define PLEX_SHORE_SUM(x)   plex_shore_sum(x)
#define PLEX_SHORE_LEAST(x) plex_shore_least(x)
#define PLEX_SHORE_ANY(x)   plex_lanes_any<PLEX_SHORE_THREADS>(x)
#define PLEX_SHORE_SYNC     plex_lanes_sync<PLEX_SHORE_THREADS>()

#define PLEX_SHORE_RECIPROCAL(x) plex_reciprocal(x)
#define PLEX_SHORE_ROOT(x)       plex_root(x)

#include "shore.h"

// Element elements[l] of u, by way of shared memory, so that it is read at once
PLEX_DEVICE void plex_dg_shore_limit_element(const PlexDGShoreArgs &args, int l, void *u, int single, double *work)
{
  constexpr int   values = PLEX_SHORE_FIELDS * PLEX_SHORE_NP;
  const long long at     = (long long)args.elements[l] * values;
  double         *state  = work + PLEX_SHORE_FIRST;

  _Pragma("unroll")
  for (int i = PLEX_SHORE_LANE; i < values; i += PLEX_SHORE_LANES) state[i] = plex_state_get(u, single, at + i);
  PLEX_SHORE_SYNC;
  if (!plex_shore_limit(&args, l, state, 0, 0, work)) return;
  PLEX_SHORE_SYNC;
  for (int i = PLEX_SHORE_LANE; i < values; i += PLEX_SHORE_LANES) plex_state_set(u, single, at + i, state[i]);
}

extern "C" __global__ void plex_dg_shore_limit(PlexDGShoreArgs args, void *u, int single)
{
  PLEX_DYNAMIC_SHARED(double, work);
  const int n = (int)threadIdx.x / PLEX_SHORE_THREADS, l = (int)blockIdx.x * PLEX_SHORE_ELEMENTS + n;

  if (l < args.n)
    plex_dg_shore_limit_element(args, l, u, single, work + n * PLEX_SHORE_WORK(PLEX_SHORE_NP, PLEX_SHORE_NG));
}
PLEX_EXPORT_KERNEL(plex_dg_shore_limit)

// limited: a state that is limited then; or NULL
extern "C" __global__ void plex_dg_shore_correct(PlexDGShoreArgs args, const void *u, void *r, double s, void *next,
                                                 double b, void *limited, int single)
{
  PLEX_DYNAMIC_SHARED(double, work);
  const int n = (int)threadIdx.x / PLEX_SHORE_THREADS, l = (int)blockIdx.x * PLEX_SHORE_ELEMENTS + n;
  double   *own = work + n * PLEX_SHORE_WORK(PLEX_SHORE_NP, PLEX_SHORE_NG);

  if (l >= args.n) return;
  plex_shore_correct(&args, l, u, r, s, next, b, single, own);
  if (!limited) return;
  PLEX_SHORE_SYNC;
  plex_dg_shore_limit_element(args, l, limited, single, own);
}
PLEX_EXPORT_KERNEL(plex_dg_shore_correct)
