#include "assembly/global_integrate.cuh"
#include "assembly/rows.cuh"

// Second kernel of global_row: a group of threads sums a row of the matrix from element data in global memory (Cecka,
// Table III). Sums of rows from `fresh` on start from what is there, which an earlier pass has left. Reads of an entry of element data 2 bytes of place
// and one number of G.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_reduce(PlexArgs args, const plex_real *G, PlexRowsArgs rows, int nrows, int fresh)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  const PlexTarget target = plex_target(args);
  const int        r      = blockIdx.x * PLEX_GROUPS + threadIdx.x / PLEX_GROUP;

  if (r >= nrows) return;
#if PLEX_ROW_SHARED
  plex_scalar *sum = shared + (threadIdx.x / PLEX_GROUP) * PLEX_LONGEST;
#else
  plex_scalar *sum = target + rows.ids[r];
#endif
  if (r < fresh) plex_row_begin(rows, target, r, shared);
#if PLEX_ROW_SHARED
  else {
    for (int k = threadIdx.x % PLEX_GROUP; k < rows.length[r]; k += PLEX_GROUP) sum[k] = target[rows.ids[r] + k];
    plex_group_sync();
  }
#endif
  for (plex_index c = rows.start[r]; c < rows.start[r + 1]; ++c) {
    const plex_index p = rows.items[c] / PLEX_EF;
    const int        i = rows.items[c] % PLEX_EF;

    for (int j = threadIdx.x % PLEX_GROUP; j < PLEX_LENGTH; j += PLEX_GROUP)
      plex_row_add(rows, sum, c, j, G[plex_interleaved(p, PLEX_ND, plex_data_index(i, j))]);
    plex_group_sync();
  }
  plex_row_end(rows, target, r, sum);
}
PLEX_EXPORT_KERNEL(plex_reduce)
