// shared_nz of tensor-product cells of order 2 in three dimensions by quadrature, where the form is symmetric: half an element matrix by sums over one direction
// after the other (integrate/lines_matrix.cuh), kept in shared memory and summed from there (partial.cuh).
//
// A block has a part of at most 32 elements, one a lane. Its warps take lines of points, all 32 elements' at a time, then pairs ix < jx, two warps each, and pairs ix = jx,
// two warps each: entries take the place of the numbers V of their pair, once both warps have read them. Of an element it reads 2 (NV + EF) bytes of numbers, its share
// of 8 bytes a nodal value and 4 bytes an index of those, and some 2 kB of codes; it writes about 580 sums of 8 bytes, 220 to 260 of them of the matrix.
#undef PLEX_SOLUTION
#define PLEX_SOLUTION        PLEX_LINES_SOLUTION
#define PLEX_LINES_ELEMENTS  1
#define PLEX_LINES_SYMMETRIC 1
#include "integrate/lines.cuh"
#include "integrate/lines_matrix.cuh"
#include "assembly/blocks.cuh"
#include "assembly/partial.cuh"

static_assert(PLEX_LINES_N == 3, "order 2");
static_assert(PLEX_BLOCK >= 64, "two warps share a pair");

// Where entries are: those of pair k of ix = jx or ix < jx, k-th of its kind, in the place of its V, as far as they have room there, and others behind all V
#define PLEX_ENTRIES(same)      plex_line_entries(same, 0, (same) ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N)
#define PLEX_ENTRY_ROOM(same)   (((same) ? PLEX_LINES_SAME : PLEX_LINES_OTHER) * PLEX_LINES_PLANE)
#define PLEX_ENTRY_BEHIND(same) (PLEX_ENTRIES(same) > PLEX_ENTRY_ROOM(same) ? PLEX_ENTRIES(same) - PLEX_ENTRY_ROOM(same) : 0)
#define PLEX_ENTRY_PLACES       (PLEX_LINES_V + PLEX_LINES_N * PLEX_ENTRY_BEHIND(true) + PLEX_LINES_OTHERS * PLEX_ENTRY_BEHIND(false))
static_assert(PLEX_ENTRY_PLACES == PLEX_PARTIAL_PLACES && PLEX_ND == PLEX_LINES_N * PLEX_ENTRIES(true) + PLEX_LINES_OTHERS * PLEX_ENTRIES(false), "as src/assembly/impls/shared/partial.c has it");

// Entries `first` to first + n - 1 of pair k, of this lane's element: the lanes of different entries are in different orders, so that those of one element are in all banks
template <bool same, int first, int n>
PLEX_DEVICE void plex_put_entries(plex_real *V, int k, const plex_real v[])
{
  const int  lane   = threadIdx.x % 32;
  plex_real *room   = V + ((same ? 0 : PLEX_LINES_N * PLEX_ENTRY_ROOM(true)) + k * PLEX_ENTRY_ROOM(same)) * 32;
  plex_real *behind = V + (PLEX_LINES_V + (same ? 0 : PLEX_LINES_N * PLEX_ENTRY_BEHIND(true)) + k * PLEX_ENTRY_BEHIND(same)) * 32;

  _Pragma("unroll")
  for (int m = first; m < first + n; ++m) (m < PLEX_ENTRY_ROOM(same) ? room + m * 32 : behind + (m - PLEX_ENTRY_ROOM(same)) * 32)[lane ^ (m & 15)] = v[m - first];
}

// The pairs of one kind, by two warps each: one has the first `split` pairs (iy, jy), the other one the rest. All threads of the block
template <bool same, int split>
PLEX_DEVICE void plex_pairs_of(plex_real *V)
{
  constexpr int teams = PLEX_BLOCK / 64, pairs = same ? PLEX_LINES_N : PLEX_LINES_OTHERS, all = same ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N;
  constexpr int mine = plex_line_entries(same, 0, split), others = PLEX_ENTRIES(same) - mine;
  const int     warp = plex_warp();

  _Pragma("unroll 1")
  for (int first = 0; first < pairs; first += teams) {
    const int        k    = first + warp / 2;
    const bool       is   = warp / 2 < teams && k < pairs;
    const plex_real *from = V + threadIdx.x % 32 + PLEX_LINES_V_AT(same ? k * PLEX_LINES_SAME : PLEX_LINES_N * PLEX_LINES_SAME + k * PLEX_LINES_OTHER, 0);
    plex_real        v[mine > others ? mine : others];

    if (is && warp % 2 == 0) plex_line_matrix<same, 0, split>(from, v);
    else if (is) plex_line_matrix<same, split, all - split>(from, v);
    __syncthreads();
    if (is && warp % 2 == 0) plex_put_entries<same, 0, mine>(V, k, v);
    else if (is) plex_put_entries<same, mine, others>(V, k, v);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexBlocksArgs b, PlexPartialArgs parts, plex_scalar *partial)
{
  PLEX_DYNAMIC_SHARED(plex_real, V);
  constexpr int         warps = PLEX_BLOCK / 32;
  const int             block = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, p = b.elementStart[block];
  const unsigned short *conn = &b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)];

  if ((int)threadIdx.x < ((PLEX_SOLUTION ? PLEX_BLOCK_K : PLEX_NV) * 64 + 127) / 128) plex_fetch((const char *)conn + 128 * (int)threadIdx.x);
  if (threadIdx.x == 32) plex_partial_fetch(parts, block);
  const PlexPrefetched s     = plex_prefetch(args, b, block, V + 32 * PLEX_LINES_V);
  const PlexLineNodal  nodal = {s.x, s.u, s.ut, conn + (plex_is_padding(b, p + lane) ? 0 : lane)};

  _Pragma("unroll 1")
  for (int k = warp; k < PLEX_LINES_PLANE; k = k < warps ? 2 * warps - 1 - warp : k + warps) plex_line_sums(args, nodal, k / PLEX_LINES_Q, k % PLEX_LINES_Q, V + lane);
  __syncthreads();
  if (threadIdx.x == 0) V[32 * PLEX_ENTRY_PLACES] = 0; // what is added where there is no second number; nodal data were there
  plex_pairs_of<false, 5>(V);
  plex_pairs_of<true, 3>(V);
  const PlexPartialPlan plan = plex_partial_begin(parts, block);
  __syncthreads();
  plex_partial_sums(args, plan, V, partial);
}
PLEX_EXPORT_KERNEL(plex_assemble)
