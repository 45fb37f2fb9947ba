// First kernel of global_nz and global_row: element data into global memory (Cecka 4.2.2, algorithm 3).
//
// A block of threads has a block of elements; a team computes one after another. Entry d of the element at position p
// goes to G[plex_interleaved(p - first, ND, d)], so that neighbouring threads write neighbouring words. Of an element
// it reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it
// writes PLEX_ND numbers. Of a residual of larger tensor-product cells (PLEX_LINES_N) a thread computes an element, by
// sums along lines.
#pragma once
#include "assembly/blocks.cuh"

#if defined(PLEX_LINES_N)
  #define PLEX_LINES_ELEMENTS  1
  #define PLEX_LINES_SYMMETRIC 0
  #include "integrate/lines.cuh"
  #include "integrate/lines_vector.cuh"
#endif
#if PLEX_UNITS
  #include "integrate/units_vector.cuh"

// Nodal data of the elements of a lane's two rows
struct PlexPrefetchedNodal {
  const PlexArgs       &args;
  const PlexPrefetched &s;
  const unsigned short *conn[2];
  int                   element[2]; // where auxiliary fields are read by it

  __device__ __forceinline__ int       at(int h, int k) const { return conn[h][k * PLEX_INTERLEAVE]; }
  __device__ __forceinline__ plex_real x(int h, int n, int d) const { return s.x[at(h, n) * PLEX_DIM + d]; }
  __device__ __forceinline__ plex_real u(int h, int i) const { return s.u[at(h, PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real ut(int h, int i) const { return s.ut[at(h, PLEX_NV + i)]; }
  __device__ __forceinline__ plex_real aux(int h, int k) const
  {
    return (plex_real)args.aux[args.auxDofs[(plex_index)element[h] * PLEX_EA + k]];
  }
};
  #define PLEX_INTEGRATE_BOUNDS __launch_bounds__(PLEX_BLOCK, PLEX_UNITS_RESIDENT)
#else
  #define PLEX_INTEGRATE_BOUNDS __launch_bounds__(PLEX_BLOCK)
#endif

extern "C" __global__ void PLEX_INTEGRATE_BOUNDS plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock,
                                                                plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int      block = firstBlock + blockIdx.x;
  PlexPrefetched s     = plex_prefetch(args, b, block, (plex_real *)(shared + PLEX_TEAMS * PLEX_WORK));
  const int      first = b.elementStart[firstBlock];

#if PLEX_UNITS
  for (int p = b.elementStart[block] + 16 * (threadIdx.x / 32); p < b.elementStart[block + 1]; p += PLEX_BLOCK / 2) {
    const int           row   = p + threadIdx.x % 32 / 4;
    PlexPrefetchedNodal nodal = {args, s, {}, {}};

    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int at = row + 8 * h < b.elementStart[block + 1] && !plex_is_padding(b, row + 8 * h)
                     ? row + 8 * h
                     : b.elementStart[block];

      nodal.conn[h] = &b.conn[plex_interleaved(at, PLEX_BLOCK_K, 0)];
  #if PLEX_ELEMENT_NUMBERS
      nodal.element[h] = b.elements[at];
  #endif
    }
    plex_units_vector(args, nodal, [&](int h, int i, plex_real v) {
      if (row + 8 * h < b.elementStart[block + 1]) G[plex_interleaved(row + 8 * h - first, PLEX_ND, i)] = v;
    });
  }
#else
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
    plex_element(args, work, [&](int i, int j, plex_real v) {
      G[plex_interleaved(p - first, PLEX_ND, plex_data_index(i, j))] = v;
    });
  #endif
  }
#endif
}
PLEX_EXPORT_KERNEL(plex_integrate)
