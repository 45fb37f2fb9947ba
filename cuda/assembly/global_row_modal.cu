// global_row where a thread computes all rows of an element (integrate/modal_element.cuh). Element matrices lie row by row in global memory,
// G[position][EF][EF], so that the second kernel reads a row of one from EF neighbouring numbers.
#include "assembly/blocks.cuh"
#if PLEX_RECORDS
  #include "assembly/packed.cuh"
#else
  #include "assembly/rows.cuh"
#endif
#include "integrate/modal_element.cuh"
#if PLEX_MOMENTS
  #include "integrate/moments.cuh"
#endif

#define PLEX_STAGE (PLEX_EF | 1) // numbers of a row in shared memory: threads that write one each use different banks
#define PLEX_AHEAD 6             // contributions to a row that are on their way together

// A warp computes 32 elements, and writes a row of all of them together. Padding has an element's numbers, which nothing reads. Of an element it
// reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes EF^2 numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  const int      block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, end = b.elementStart[block + 1], first = b.elementStart[firstBlock];
  const int      before = PLEX_MOMENTS ? 32 * plex_warp() : (int)threadIdx.x - lane; // threads of the block before the warp's
  plex_real     *stage  = shared + before * PLEX_STAGE;
  PlexPrefetched s      = plex_prefetch(args, b, block, shared + PLEX_BLOCK * PLEX_STAGE);

  for (int p = b.elementStart[block] + before; p < end; p += PLEX_BLOCK) {
    PlexNodal nodal;

    plex_load_prefetched(args, b, s, plex_is_padding(b, p + lane) ? p : p + lane, nodal);
#if PLEX_MOMENTS
    plex_moments_element(args, nodal, [&](int i, const plex_real row[]) {
#else
    plex_modal_element(args, nodal, [&](int i, const plex_real row[]) {
#endif
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) stage[lane * PLEX_STAGE + j] = row[j];
      __syncwarp(0xffffffffu);
      _Pragma("unroll")
      for (int m = 0; m < PLEX_EF; ++m) {
        const int k = 32 * m + lane, e = k / PLEX_EF, j = k % PLEX_EF;

        G[((plex_index)(p - first + e) * PLEX_EF + i) * PLEX_EF + j] = stage[e * PLEX_STAGE + j];
      }
      __syncwarp(0xffffffffu);
    });
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)

#if !PLEX_RECORDS
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
#endif
