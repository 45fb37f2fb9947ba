#include "assembly/global_integrate.cuh"

// Second kernel of global_nz: [A F] = S G by reduction lists (Cecka 4.2.3, algorithm 5, figure 6).
//
// A block has PLEX_TARGETS lists, packed into an array of PLEX_BLOCK columns that its threads read down: a positive
// entry is a source in G (plus one), a negative one ends a list and names its place in the block. Sums meet in shared
// memory and leave in one coalesced write. List l is target l; an entry of a symmetric form is in two lists. In a later
// pass sums are added. Reads 4 bytes of list and one number of G per entry of element data, writes 8 bytes a target.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_reduce(PlexArgs args, const plex_real *G, const int *entries, const int *rowStart, int nlists, int add)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, sums);
  const plex_index base   = (plex_index)blockIdx.x * PLEX_TARGETS;
  const PlexTarget target = plex_target(args);
  plex_scalar      t      = 0;

  for (int k = threadIdx.x; k < PLEX_TARGETS; k += PLEX_BLOCK) sums[k] = 0;
  __syncthreads();
  for (plex_index row = rowStart[blockIdx.x]; row < rowStart[blockIdx.x + 1]; ++row) {
    const int i = entries[row * PLEX_BLOCK + threadIdx.x];

    if (i > 0) t += (plex_scalar)G[i - 1];
    else if (i < 0) {
      sums[-i - 1] = t;
      t            = 0;
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < PLEX_TARGETS && base + k < nlists; k += PLEX_BLOCK)
    target[base + k] = (add ? target[base + k] : 0) + sums[k];
}
PLEX_EXPORT_KERNEL(plex_reduce)
