// local_nz: a thread sums a non-zero, and computes of each of its elements just that entry (Cecka 4.4).
//
// A block has a part of the mesh nodes: the non-zeros of their rows, and the nodal data of all elements around them,
// prefetched to shared memory. The lists are packed as those of global_nz; a source is element of the
// block * ND + entry, a target is a position in the matrix itself. A symmetric form has lists for one half, and
// mirrors[target] for the other. Each entry of element data is computed once in all, and the points' work ND times an
// element.
#include "assembly/blocks.cuh"

// Entry d of element data is (i,j)
PLEX_DEVICE void plex_data_entry(int d, int &i, int &j)
{
#if !PLEX_JACOBIAN
  i = d;
  j = 0;
#elif PLEX_SYMMETRIC
  for (i = 0; (i + 1) * (i + 2) / 2 <= d;) ++i;
  j = d - i * (i + 1) / 2;
#else
  i = d / PLEX_EF;
  j = d % PLEX_EF;
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_assemble(PlexArgs args, PlexBlocksArgs b, const int *entries, const int *rowStart, const int *targets,
                const int *mirrors, const int *targetStart)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block  = blockIdx.x;
  PlexTarget     target = plex_target(args);
  plex_scalar    t      = 0;
  PlexPrefetched s      = plex_prefetch(args, b, block, (plex_real *)shared);

  for (plex_index row = rowStart[block]; row < rowStart[block + 1]; ++row) {
    const int l = entries[row * PLEX_BLOCK + threadIdx.x];

    if (l > 0) {
      PlexNodal nodal;
      int       i, j;

      plex_load_prefetched(args, b, s, b.elementStart[block] + (l - 1) / PLEX_ND, nodal);
      plex_data_entry((l - 1) % PLEX_ND, i, j);
      t += (plex_scalar)plex_entry(args, nodal, i, j);
    } else if (l < 0) {
      const int k = targetStart[block] - l - 1;

      target[targets[k]] = t;
      if (mirrors && mirrors[k] >= 0) target[mirrors[k]] = t;
      t = 0;
    }
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
