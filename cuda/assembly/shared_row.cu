// shared_row: as shared_nz up to the element data in shared memory; then PLEX_LANES threads sum a row of the matrix (or one an entry of
// the residual).
//
// A warp takes a slice of 32 / PLEX_LANES rows. For source s of its rows, an item's row of element data, lists holds
//   heads      [PLEX_HEADS][32 / PLEX_LANES]  where it begins in shared memory (symmetric: where the item's region begins, and i);
//                                             0xffff: this row has fewer sources
//   positions  [PLEX_COLUMNS][32]             of entry j = column * PLEX_LANES + lane: its place in the row, 0xffff: dropped
// so the indices take 2 bytes an entry, and nothing for rows of other parts. The sums are kept in shared memory over all passes and
// written once, where PLEX_SUMS says that they fit; else they are the matrix's own entries, zeroed before the launch.
// Reads 4 bytes of plan per node and dof of each item, 2 (EF + PLEX_HEADS) per owned row of element data; writes 8 bytes a target.
#include "assembly/shared.cuh"

#define PLEX_SLICE_ROWS (32 / PLEX_LANES)
#define PLEX_HEADS      (PLEX_SYMMETRIC ? 2 : 1)
#define PLEX_COLUMNS    (PLEX_JACOBIAN ? (PLEX_EF + PLEX_LANES - 1) / PLEX_LANES : 0)
#define PLEX_SOURCE     (PLEX_HEADS * PLEX_SLICE_ROWS + PLEX_COLUMNS * 32)
#define PLEX_NONE       0xffff

#if PLEX_SUMS
typedef plex_scalar *PlexSums; // in shared memory
#else
typedef PlexTarget PlexSums;
#endif

// All sources of this thread's row, in order
PLEX_DEVICE void plex_sum_row(const unsigned short *list, int sources, const plex_real *S, PlexSums sums, int row)
{
  const int r = threadIdx.x % 32 / PLEX_LANES;

#if PLEX_JACOBIAN
  for (int s = 0; s < sources; ++s, list += PLEX_SOURCE) {
    const int head = list[r];

    if (head != PLEX_NONE) {
      _Pragma("unroll 4")
      for (int c = 0; c < PLEX_COLUMNS; ++c) {
        const int j        = c * PLEX_LANES + threadIdx.x % PLEX_LANES;
        const int position = list[PLEX_HEADS * PLEX_SLICE_ROWS + c * 32 + threadIdx.x % 32];

        if (position != PLEX_NONE) sums[row + position] += (plex_scalar)S[head + (PLEX_SYMMETRIC ? plex_data_index(list[PLEX_SLICE_ROWS + r], j) : j) * PLEX_STRIDE];
      }
    }
  #if PLEX_LANES > 1
    __syncwarp(0xffffffffu); // the next source's entries have other lanes
  #endif
  }
#else
  plex_scalar sum = 0;

  for (int s = 0; s < sources; ++s, list += PLEX_SOURCE)
    if (list[r] != PLEX_NONE) sum += (plex_scalar)S[list[r]];
  if (row >= 0) sums[row] += sum;
#endif
}

// The part's sums to their targets, PLEX_OUT threads a row
PLEX_DEVICE void plex_write_rows(const PlexSharedArgs &plan, const plex_scalar *sums, PlexTarget target)
{
  for (int o = plan.outStart[blockIdx.x] + threadIdx.x / PLEX_OUT; o < plan.outStart[blockIdx.x + 1]; o += PLEX_BLOCK / PLEX_OUT) {
    const int *out = plan.out + 3 * (plex_index)o;

    for (int k = threadIdx.x % PLEX_OUT; k < out[2]; k += PLEX_OUT) target[out[0] + k] = sums[out[1] + k];
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexSharedArgs plan)
{
  PlexTarget target = plex_target(args);
#if PLEX_SUMS
  plex_scalar *sums = (plex_scalar *)plex_behind_work();
#else
  PlexTarget sums = target;
#endif
  plex_real *S = (plex_real *)(plex_behind_work() + PLEX_SUMS * sizeof(plex_scalar));

#if PLEX_SUMS
  for (int k = threadIdx.x; k < PLEX_SUMS; k += PLEX_BLOCK) sums[k] = 0;
#endif
  for (int p = plan.start[blockIdx.x]; p < plan.start[blockIdx.x + 1]; ++p) {
    const PlexSharedPass pass = plan.passes[p];

    plex_scatter(args, pass, plan.entries + pass.entries + threadIdx.x, S);
    __syncthreads();
    plex_integrate(args, plan, pass, S);
    __syncthreads();
    for (int k = threadIdx.x / 32; k < pass.slices; k += PLEX_BLOCK / 32) {
      const PlexSharedSlice slice = plan.slices[pass.slice + k];

      plex_sum_row(plan.lists + pass.lists + slice.start, slice.sources, S, sums, plan.rows[(plex_index)(pass.slice + k) * PLEX_SLICE_ROWS + threadIdx.x % 32 / PLEX_LANES]);
    }
    __syncthreads();
  }
#if PLEX_SUMS
  __syncthreads(); // the zeros of a part without passes
  plex_write_rows(plan, sums, target);
#endif
}
PLEX_EXPORT_KERNEL(plex_assemble)
