// local_row: a team sums a row, and computes of each of its elements just that row's entries (Cecka, Table III).
//
// A block has a part of the mesh nodes: their rows, and the nodal data of all elements around them, prefetched to
// shared memory. rows.items[c] = element of the block * EF + i. Computes each row of element data once in all: EF times
// the work at the quadrature points of an element, against element data that is neither stored nor waited for. Reads 2
// (NV + EF) bytes per element of a block and 2 EF + 4 per row of element data; writes 8 bytes a target.
#include "assembly/blocks.cuh"
#define PLEX_GROUP PLEX_TEAM
#include "assembly/rows.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_assemble(PlexArgs args, PlexBlocksArgs b, PlexRowsArgs rows, const int *rowStart)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block  = blockIdx.x;
  PlexTarget     target = plex_target(args);
  plex_scalar   *sums   = (plex_scalar *)(shared + PLEX_TEAMS * PLEX_WORK);
  PlexPrefetched s      = plex_prefetch(args, b, block,
                                        (plex_real *)(sums + (PLEX_ROW_SHARED ? PLEX_GROUPS * PLEX_LONGEST : 0)));

  for (int r = rowStart[block] + PLEX_TEAM_INDEX; r < rowStart[block + 1]; r += PLEX_TEAMS) {
    plex_scalar *sum = plex_row_begin(rows, target, r, sums);

    for (plex_index c = rows.start[r]; c < rows.start[r + 1]; ++c) {
      const plex_index p = b.elementStart[block] + rows.items[c] / PLEX_EF;
      const int        i = rows.items[c] % PLEX_EF;

#if PLEX_JACOBIAN
      PLEX_TEAM_WORK(work);
      plex_load_prefetched(args, b, s, p, work.nodal);
      plex_points(args, work);
      plex_rows(args, work, i, 1, [&](int, int j, plex_real v) { plex_row_add(rows, sum, c, j, v); });
#else
      PlexNodal nodal; // a residual's row is one entry: a thread computes it alone

      plex_load_prefetched(args, b, s, p, nodal);
      plex_row_add(rows, sum, c, 0, plex_entry(args, nodal, i, 0));
#endif
    }
    plex_row_end(rows, target, r, sum);
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
