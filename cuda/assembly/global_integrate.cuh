// First kernel of global_nz and global_row: element data into global memory (Cecka 4.2.2, algorithm 3).
//
// A block of threads has a block of elements, which a team, or an integrator in another way, computes one by one. Entry
// d of the element at position p goes to G[plex_interleaved(p - first, ND, d)], so that neighbouring threads write
// neighbouring words. Of an element it reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4
// bytes an index of those; it writes PLEX_ND numbers.
#pragma once
#include "assembly/blocks.cuh"
#include "integrate/teams.cuh"

#ifdef PLEX_ELEMENTS_RESIDENT
  #define PLEX_INTEGRATE_BOUNDS __launch_bounds__(PLEX_BLOCK, PLEX_ELEMENTS_RESIDENT)
#else
  #define PLEX_INTEGRATE_BOUNDS __launch_bounds__(PLEX_BLOCK)
#endif

// An element, whose nodal data are in shared memory
struct PlexPrefetchedElement {
  const PlexArgs       &args;
  const PlexBlocksArgs &b;
  const PlexPrefetched &s;
  const unsigned short *conn;
  plex_index            p; // its position

  __device__ __forceinline__ int       at(int k) const { return conn[k * PLEX_INTERLEAVE]; }
  __device__ __forceinline__ bool      padding() const { return plex_is_padding(b, p); }
  __device__ __forceinline__ plex_real x(int n, int d) const { return s.x[at(n) * PLEX_DIM + d]; }
  __device__ __forceinline__ plex_real u(int i) const { return s.u[at(PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real ut(int i) const { return s.ut[at(PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real aux(int k) const
  {
    return (plex_real)args.aux[args.auxDofs[(plex_index)b.elements[p] * PLEX_EA + k]];
  }
  __device__ __forceinline__ void load(PlexNodal &nodal) const { plex_load_prefetched(args, b, s, p, nodal); }
};

extern "C" __global__ void PLEX_INTEGRATE_BOUNDS plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock,
                                                                plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block = firstBlock + blockIdx.x;
  PlexPrefetched s     = plex_prefetch(args, b, block, (plex_real *)(shared + PLEX_TEAMS * PLEX_WORK));
  const int      first = b.elementStart[firstBlock];
  const auto     at    = [&](plex_index p) {
    return PlexPrefetchedElement{args, b, s, &b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)], p};
  };

  for (plex_index p = b.elementStart[block] + PLEX_ELEMENTS_FIRST; p < b.elementStart[block + 1]; p += PLEX_ELEMENTS) {
    if (at(p).padding()) continue;
    plex_elements(args, at, p, (plex_index)b.elementStart[block + 1],
                  [&](const PlexPrefetchedElement &e, int i, int j, plex_real v) {
                    G[plex_interleaved(e.p - first, PLEX_ND, plex_data_index(i, j))] = v;
                  });
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
