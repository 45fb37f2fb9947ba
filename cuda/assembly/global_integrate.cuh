// First kernel of global_nz and global_row: element data into global memory (Cecka 4.2.2, algorithm 3).
//
// A block of threads has a block of elements; a team computes one after another. Entry d of the element at position p goes to
// G[plex_interleaved(p - first, ND, d)], so that neighbouring threads write neighbouring words. Of an element it reads
// 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes PLEX_ND numbers.
// Of a residual of larger tensor-product cells (PLEX_LINES_N) a thread computes an element, by sums along lines.
#pragma once
#include "assembly/blocks.cuh"

#if defined(PLEX_LINES_N)
  #define PLEX_LINES_ELEMENTS  1
  #define PLEX_LINES_SYMMETRIC 0
  #include "integrate/lines.cuh"
  #include "integrate/lines_vector.cuh"
#endif

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block = firstBlock + blockIdx.x;
  PlexPrefetched s     = plex_prefetch(args, b, block, (plex_real *)(shared + PLEX_TEAMS * PLEX_WORK));
  const int      first = b.elementStart[firstBlock];

  for (plex_index p = b.elementStart[block] + PLEX_TEAM_INDEX; p < b.elementStart[block + 1]; p += PLEX_TEAMS) {
#if defined(PLEX_LINES_N)
    const PlexLineNodal e = {s.x, s.u, s.ut, &b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)]};
    plex_real           F[PLEX_EF];

    if (plex_is_padding(b, p)) continue;
    plex_line_vector(args, e, F);
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) G[plex_interleaved(p - first, PLEX_ND, i)] = F[i];
#else
    PLEX_TEAM_WORK(work);

    if (plex_is_padding(b, p)) continue;
    plex_load_prefetched(args, b, s, p, work.nodal);
    plex_element(args, work, [&](int i, int j, plex_real v) { G[plex_interleaved(p - first, PLEX_ND, plex_data_index(i, j))] = v; });
#endif
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
