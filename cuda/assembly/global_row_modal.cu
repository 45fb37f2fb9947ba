// global_row where a thread computes all rows of an element (integrate/modal_element.cuh). Element matrices lie row by row in global memory,
// G[position][EF][EF], so that the second kernel reads a row of one from EF neighbouring numbers.
#include "assembly/blocks.cuh"
#include "assembly/rows.cuh"
#include "integrate/modal_element.cuh"
#if PLEX_MOMENTS
  #include "integrate/moments.cuh"
#endif

#define PLEX_AHEAD 6 // contributions to a row that are on their way together

// Two numbers of a row are moved together, where rows have as many
#define PLEX_TOGETHER (PLEX_EF % 2 ? 1 : 2)
struct alignas(PLEX_TOGETHER * sizeof(plex_real)) PlexTogether {
  plex_real of[PLEX_TOGETHER];
};
#define PLEX_PIECES (PLEX_EF / PLEX_TOGETHER)
#define PLEX_STAGE  (PLEX_PIECES | 1) // pieces of a row in shared memory: threads that write one each use different banks

// Connectivity of a warp's elements
PLEX_DEVICE void plex_fetch_warp(const PlexBlocksArgs &b, int p)
{
  constexpr int lines = ((PLEX_SOLUTION ? PLEX_BLOCK_K : PLEX_NV) * 64 + 127) / 128; // of 128 bytes

  if ((int)threadIdx.x % 32 < lines) plex_fetch((const char *)&b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)] + 128 * ((int)threadIdx.x % 32));
}

// A warp computes 32 elements, and writes a row of all of them together. Padding has an element's numbers, which nothing reads. Of an element it
// reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes EF^2 numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(PlexTogether, shared);
  const int      block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, warp = plex_warp(), end = b.elementStart[block + 1], first = b.elementStart[firstBlock], begin = b.elementStart[block] + 32 * warp;
  PlexTogether  *stage = shared + 32 * warp * PLEX_STAGE;
  PlexPrefetched s;

  if (begin < end) plex_fetch_warp(b, begin);
  s = plex_prefetch(args, b, block, (plex_real *)(shared + PLEX_BLOCK * PLEX_STAGE));
  for (int p = begin; p < end; p += PLEX_BLOCK) {
    PlexNodal nodal;

    plex_load_prefetched(args, b, s, plex_is_padding(b, p + lane) ? p : p + lane, nodal);
    if (p + PLEX_BLOCK < end) plex_fetch_warp(b, p + PLEX_BLOCK);
    const auto take = [&](int i, const plex_real row[]) {
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) stage[lane * PLEX_STAGE + j / PLEX_TOGETHER].of[j % PLEX_TOGETHER] = row[j];
      __syncwarp(0xffffffffu);
      _Pragma("unroll")
      for (int m = 0; m < PLEX_PIECES; ++m) {
        const int k = 32 * m + lane, e = k / PLEX_PIECES, j = k % PLEX_PIECES;

        ((PlexTogether *)G)[((plex_index)(p - first + e) * PLEX_EF + i) * PLEX_PIECES + j] = stage[e * PLEX_STAGE + j];
      }
      __syncwarp(0xffffffffu);
    };
#if PLEX_MOMENTS
    plex_moments_element(args, nodal, [&](PlexNodal &again) { plex_load_prefetched(args, b, s, plex_is_padding(b, p + lane) ? p : p + lane, again); }, take);
#else
    plex_modal_element(args, nodal, take);
#endif
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)

// A group of threads, at least EF, sums a row of the matrix. Rows from `fresh` on start from what an earlier pass has left. Reads of a row of element data 4
// bytes, 2 EF bytes of places and EF numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_reduce(PlexArgs args, const plex_real *G, PlexRowsArgs rows, int nrows, int fresh)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  const PlexTarget target = plex_target(args);
  const int        r = blockIdx.x * PLEX_GROUPS + threadIdx.x / PLEX_GROUP, j = threadIdx.x % PLEX_GROUP;

  if (r >= nrows) return;
  plex_scalar *sum = shared + (threadIdx.x / PLEX_GROUP) * PLEX_LONGEST;
  const int    end = rows.start[r + 1];

  for (int k = j; k < rows.length[r]; k += PLEX_GROUP) sum[k] = r >= fresh ? target[rows.ids[r] + k] : (plex_scalar)0;
  plex_group_sync();
  for (int c = rows.start[r]; c < end; c += PLEX_AHEAD) {
    plex_real v[PLEX_AHEAD];
    int       place[PLEX_AHEAD];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_AHEAD; ++k) {
      v[k]     = 0;
      place[k] = PLEX_DROPPED;
      if (j >= PLEX_EF || c + k >= end) continue;
      v[k]     = G[(plex_index)rows.items[c + k] * PLEX_EF + j];
      place[k] = rows.place[(plex_index)(c + k) * PLEX_EF + j];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_AHEAD; ++k) {
      if (place[k] != PLEX_DROPPED) sum[place[k]] += (plex_scalar)v[k];
      plex_group_sync();
    }
  }
  for (int k = j; k < rows.length[r]; k += PLEX_GROUP) target[rows.ids[r] + k] = sum[k];
}
PLEX_EXPORT_KERNEL(plex_reduce)
