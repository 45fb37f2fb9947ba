// global_row of tensor-product cells of order 2 in three dimensions by quadrature, where the form is symmetric: half an element matrix by sums over one direction
// after the other (integrate/lines_matrix.cuh), which lies element by element (packed.cuh).
//
// A block has 32 elements, one a lane. Its warps take lines of points, all 32 elements' at a time, and then units: a pair ix <= jx with some of the pairs (iy, jy), as
// many as have room in registers. Of an element it reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it
// writes PLEX_ND numbers.
#undef PLEX_SOLUTION
#define PLEX_SOLUTION        PLEX_LINES_SOLUTION
#define PLEX_LINES_ELEMENTS  1
#define PLEX_LINES_SYMMETRIC 1
#include "integrate/lines.cuh"
#include "integrate/lines_matrix.cuh"
#include "assembly/blocks.cuh"
#include "assembly/packed.cuh"

static_assert(PLEX_LINES_N == 3, "order 2");

// Units: the first five pairs (iy, jy) of each ix < jx, the six of each ix = jx, the other four of each ix < jx; each fills chunks of its own
#define PLEX_UNIT_PADDED(same, first, n) ((plex_line_entries(same, first, n) + PLEX_PACKED_CHUNK - 1) / PLEX_PACKED_CHUNK * PLEX_PACKED_CHUNK)
#define PLEX_UNIT_FIRST                  PLEX_UNIT_PADDED(false, 0, 5)
#define PLEX_UNIT_SAME                   PLEX_UNIT_PADDED(true, 0, 6)
#define PLEX_UNIT_LAST                   PLEX_UNIT_PADDED(false, 5, 4)
static_assert(PLEX_ND == 3 * (PLEX_UNIT_FIRST + PLEX_UNIT_SAME + PLEX_UNIT_LAST), "as src/assembly/impls/global/packed.c has it");

template <bool same, int first, int n>
PLEX_DEVICE void plex_unit(const plex_real *V, plex_real *stage, plex_real *to)
{
  constexpr int entries = plex_line_entries(same, first, n);
  plex_real     out[PLEX_UNIT_PADDED(same, first, n)];

  _Pragma("unroll")
  for (int k = entries; k < PLEX_UNIT_PADDED(same, first, n); ++k) out[k] = 0;
  plex_line_matrix<same, first, n>(V, out);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_UNIT_PADDED(same, first, n); k += PLEX_PACKED_CHUNK) plex_packed_put(stage, &out[k], to + k);
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(plex_real, V);
  constexpr int         warps = PLEX_BLOCK / 32;
  const int             block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, p = b.elementStart[block];
  const unsigned short *conn = &b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)];

  if ((int)threadIdx.x < ((PLEX_SOLUTION ? PLEX_BLOCK_K : PLEX_NV) * 64 + 127) / 128) plex_fetch((const char *)conn + 128 * (int)threadIdx.x);
  const PlexPrefetched s     = plex_prefetch(args, b, block, V + 32 * PLEX_LINES_V);
  const PlexLineNodal  nodal = {s.x, s.u, s.ut, conn + (plex_is_padding(b, p + lane) ? 0 : lane)};
  plex_real           *stage = V + 32 * PLEX_LINES_V + warp * 32 * PLEX_PACKED_CHUNK; // where nodal data were
  plex_real           *to    = G + (plex_index)(p - b.elementStart[firstBlock]) * PLEX_ND;

  // lines beyond the first of each warp go to those that have less to do afterwards
  _Pragma("unroll 1")
  for (int k = warp; k < PLEX_LINES_PLANE; k = k < warps ? 2 * warps - 1 - warp : k + warps) plex_line_sums(args, nodal, k / PLEX_LINES_Q, k % PLEX_LINES_Q, V + lane);
  __syncthreads();
  _Pragma("unroll 1")
  for (int u = warp; u < 9; u += warps) {
    const int        k    = u % 3;
    const plex_real *from = V + lane + PLEX_LINES_V_AT(u / 3 == 1 ? k * PLEX_LINES_SAME : 3 * PLEX_LINES_SAME + k * PLEX_LINES_OTHER, 0);

    if (u < 3) plex_unit<false, 0, 5>(from, stage, to + k * PLEX_UNIT_FIRST);
    else if (u < 6) plex_unit<true, 0, 6>(from, stage, to + 3 * PLEX_UNIT_FIRST + k * PLEX_UNIT_SAME);
    else plex_unit<false, 5, 4>(from, stage, to + 3 * (PLEX_UNIT_FIRST + PLEX_UNIT_SAME) + k * PLEX_UNIT_LAST);
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
