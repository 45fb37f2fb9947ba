// The trace's preconditioner from the elements' matrices, where there is no K: inverses of its faces' blocks, and the
// coarse matrix P^T K P as a sum over elements. src/hdg/traceparts.c
#include "trace.cuh"
#include "invert.cuh"

// D[l][j][i] = omega times entry (i, j) of the inverse of face l's block, the sum of those of its elements and of Robin's
// condition. A block of threads a face
extern "C" __global__ void plex_hdg_trace_invert(PlexHDGTracePartsArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  constexpr int n = PLEX_HDG_BLOCK;
  const int     l = (int)blockIdx.x, robin = args.trace.robinOf[l];
  double       *a = shared, *row = a + n * n, *column = row + n;
  double       *mine = args.inverses + (plex_index)l * n * n;

  for (int k = (int)threadIdx.x; k < n * n; k += (int)blockDim.x) {
    const int i = k / n, j = k % n;
    double    sum = 0;

    for (int s = 0; s < 2; ++s) {
      const int r = args.trace.sides[2 * l + s], e = r / PLEX_HDG_FACES, f = r % PLEX_HDG_FACES,
                other = r - args.trace.Ne * PLEX_HDG_FACES;

      if (r < 0) continue;
      if (other < 0) sum += plex_hdg_packed_entry(args.trace, e, f * n + i, f * n + j);
      else
        for (int g = 0; g < PLEX_HDG_FACES; ++g)
          if (args.trace.columns[(plex_index)other * PLEX_HDG_FACES + g] == l)
            sum += args.trace.received[((plex_index)other * n + i) * PLEX_HDG_NT + g * n + j];
    }
    if (robin >= 0) sum += args.trace.robin[(plex_index)robin * n * n + k];
    a[k] = sum;
  }
  plex_hdg_invert_block<n>(a, row, column);
  for (int k = (int)threadIdx.x; k < n * n; k += (int)blockDim.x) mine[k] = args.omega * a[k % n * n + k / n];
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_invert)

// An element's part of an entry of the coarse matrix: a thread two of its functions. Reads MODES^2 numbers for each two
// faces at the two vertices; elements side by side
extern "C" __global__ void plex_hdg_trace_coarse(PlexHDGTracePartsArgs args)
{
  constexpr int   n = PLEX_HDG_CORNERS * PLEX_HDG_COMPONENTS, places = PLEX_HDG_FACES * PLEX_HDG_VERTICES;
  const int       Ne = args.trace.Ne;
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (at < (long long)n * n * Ne) {
    const int e = (int)(at % Ne), v = (int)(at / Ne) / n / PLEX_HDG_COMPONENTS,
              k = (int)(at / Ne) / n % PLEX_HDG_COMPONENTS, w = (int)(at / Ne) % n / PLEX_HDG_COMPONENTS,
              q   = (int)(at / Ne) % n % PLEX_HDG_COMPONENTS;
    double    sum = 0;

    for (int s = 0; s < places; ++s) {
      if (args.corners[(plex_index)s * Ne + e] != v) continue;
      for (int t = 0; t < places; ++t) {
        if (args.corners[(plex_index)t * Ne + e] != w) continue;
        for (int m = 0; m < PLEX_HDG_MODES; ++m)
          for (int o = 0; o < PLEX_HDG_MODES; ++o)
            sum += plex_hdg_weights[s % PLEX_HDG_VERTICES][m] *
                   plex_hdg_packed_entry(args.trace, e,
                                         s / PLEX_HDG_VERTICES * PLEX_HDG_BLOCK +
                                           k * (PLEX_HDG_BLOCK / PLEX_HDG_COMPONENTS) + plex_hdg_modes[m],
                                         t / PLEX_HDG_VERTICES * PLEX_HDG_BLOCK +
                                           q * (PLEX_HDG_BLOCK / PLEX_HDG_COMPONENTS) + plex_hdg_modes[o]) *
                   plex_hdg_weights[t % PLEX_HDG_VERTICES][o];
      }
    }
    args.parts[at] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_coarse)

// Likewise of Robin's conditions: a thread two of a face's functions
extern "C" __global__ void plex_hdg_trace_coarse_robin(PlexHDGTracePartsArgs args)
{
  constexpr int n = PLEX_HDG_VERTICES * PLEX_HDG_COMPONENTS, size = PLEX_HDG_BLOCK / PLEX_HDG_COMPONENTS;
  const int     at = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (at < args.nrobin * n * n) {
    const int     v = at / n % n / PLEX_HDG_COMPONENTS, k = at / n % n % PLEX_HDG_COMPONENTS;
    const int     w = at % n / PLEX_HDG_COMPONENTS, q = at % n % PLEX_HDG_COMPONENTS;
    const double *R   = args.trace.robin +
                        (plex_index)args.trace.robinOf[args.robinFaces[at / n / n]] * PLEX_HDG_BLOCK * PLEX_HDG_BLOCK;
    double        sum = 0;

    for (int m = 0; m < PLEX_HDG_MODES; ++m)
      for (int o = 0; o < PLEX_HDG_MODES; ++o)
        sum += plex_hdg_weights[v][m] *
               R[(k * size + plex_hdg_modes[m]) * PLEX_HDG_BLOCK + q * size + plex_hdg_modes[o]] *
               plex_hdg_weights[w][o];
    args.parts[(plex_index)PLEX_HDG_CORNERS * PLEX_HDG_CORNERS * PLEX_HDG_COMPONENTS * PLEX_HDG_COMPONENTS *
                 args.trace.Ne +
               at] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_trace_coarse_robin)
