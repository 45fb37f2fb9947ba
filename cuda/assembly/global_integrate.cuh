// First kernel of global_nz and global_row: element data into global memory (Cecka 4.2.2, algorithm 3).
//
// A block of threads has a block of elements; a team computes one after another. Entry d of the element at position p goes to
// G[plex_interleaved(p - first, ND, d)], so that neighbouring threads write neighbouring words. Of an element it reads
// 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes PLEX_ND numbers.
#pragma once
#include "assembly/blocks.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block = firstBlock + blockIdx.x;
  PlexPrefetched s     = plex_prefetch(args, b, block, (plex_real *)(shared + PLEX_TEAMS * PLEX_WORK));
  const int      first = b.elementStart[firstBlock];

  for (plex_index p = b.elementStart[block] + PLEX_TEAM_INDEX; p < b.elementStart[block + 1]; p += PLEX_TEAMS) {
    PLEX_TEAM_WORK(work);

    if (plex_is_padding(b, p)) continue;
    plex_load_prefetched(args, b, s, p, work.nodal);
    plex_element(args, work, [&](int i, int j, plex_real v) { G[plex_interleaved(p - first, PLEX_ND, plex_data_index(i, j))] = v; });
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
