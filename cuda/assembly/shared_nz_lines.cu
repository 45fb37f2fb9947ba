// shared_nz of tensor-product cells of order 2 in three dimensions by quadrature, where the form is symmetric: half an
// element matrix by sums over one direction after the other (integrate/lines_matrix.cuh), kept in shared memory and
// summed from there (partial.cuh).
//
// A block has one or two halves of at most 32 elements, one a lane. The warps of a half first compute the points, a
// line of points of all its elements at a time. Then they compute the pairs of 1D functions ix < jx, and then ix = jx,
// three warps a pair. Entries of the element matrices replace the numbers V of their pair, once all warps have read
// these. Of an element it reads 2 (NV + EF) bytes of numbers, its share of 8 bytes a nodal value and 4 bytes an index
// of these, some 2 kB of codes and 150 partial sums of 8 bytes. It writes the 512 targets and as many partial sums.
#undef PLEX_SOLUTION
#define PLEX_SOLUTION        PLEX_LINES_SOLUTION
#define PLEX_LINES_ELEMENTS  1
#define PLEX_LINES_SYMMETRIC 1
#include "integrate/lines.cuh"
#include "integrate/lines_matrix.cuh"
#include "assembly/blocks.cuh"
#include "assembly/partial.cuh"

static_assert(PLEX_LINES_N == 3, "order 2");
static_assert(PLEX_BLOCK % (32 * PLEX_PARTIAL_HALVES) == 0 && PLEX_BLOCK >= 96 * PLEX_PARTIAL_HALVES,
              "three warps share a pair");

#define PLEX_HALF_WARPS (PLEX_BLOCK / 32 / PLEX_PARTIAL_HALVES)

// Synchronizes the warps of a half; both halves call it as often, so that a barrier of the block does as well
PLEX_DEVICE void plex_half_sync(int half)
{
#if PLEX_PARTIAL_HALVES > 1 && PLEX_NUMBERED_BARRIERS
  plex_bar_sync<32 * PLEX_HALF_WARPS>(1 + half);
#else
  (void)half;
  __syncthreads();
#endif
}

// Positions of entries in shared memory. Entries of the k-th pair with ix = jx (`same`), or with ix < jx, replace the V
// of this pair. Those that do not fit there are after all V
#define PLEX_ENTRIES(same) \
  plex_line_entries(same, 0, (same) ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N)
#define PLEX_ENTRY_ROOM(same) (((same) ? PLEX_LINES_SAME : PLEX_LINES_OTHER) * PLEX_LINES_PLANE)
#define PLEX_ENTRY_OVERFLOW(same) \
  (PLEX_ENTRIES(same) > PLEX_ENTRY_ROOM(same) ? PLEX_ENTRIES(same) - PLEX_ENTRY_ROOM(same) : 0)
#define PLEX_ENTRY_NUMBERS \
  (PLEX_LINES_V + PLEX_LINES_N * PLEX_ENTRY_OVERFLOW(true) + PLEX_LINES_OTHERS * PLEX_ENTRY_OVERFLOW(false))
static_assert(PLEX_ENTRY_NUMBERS == PLEX_PARTIAL_PLACES &&
                PLEX_ND == PLEX_LINES_N * PLEX_ENTRIES(true) + PLEX_LINES_OTHERS * PLEX_ENTRIES(false),
              "as src/assembly/impls/partial/partial.c has it");
static_assert(sizeof(PlexPartialPart) % sizeof(int) == 0 && sizeof(PlexPartialPart) / sizeof(int) <= PLEX_BLOCK,
              "copied by a word a thread");

// Stores entries `first` to first + n - 1 of pair k of the lane's element. The position of a lane's element among the
// 32 depends on the entry, by an exclusive or with a swizzle, so that the entries of one element are in all banks. This
// swizzle has the fewest conflicts of all of its form, in a box of elements
PLEX_DEVICE constexpr int plex_entry_swizzle(int m)
{
  return (4 * m + 2 * (m / 9) + 8 * (m / 27)) & 15;
}
template <bool same, int first, int n>
PLEX_DEVICE void plex_put_entries(plex_real *V, int k, const plex_real v[])
{
  const int  lane     = ((int)threadIdx.x + 7 * k + (same ? 0 : 8)) & 31;
  plex_real *room     = V + ((same ? 0 : PLEX_LINES_N * PLEX_ENTRY_ROOM(true)) + k * PLEX_ENTRY_ROOM(same)) * 32;
  plex_real *overflow = V + (PLEX_LINES_V + (same ? 0 : PLEX_LINES_N * PLEX_ENTRY_OVERFLOW(true)) +
                             k * PLEX_ENTRY_OVERFLOW(same)) *
                              32;

  _Pragma("unroll")
  for (int m = first; m < first + n; ++m)
    (m < PLEX_ENTRY_ROOM(same)
       ? room + m * 32
       : overflow + (m - PLEX_ENTRY_ROOM(same)) * 32)[lane ^ plex_entry_swizzle(m)] = v[m - first];
}

// Computes the pairs ix = jx, or ix < jx: three warps a pair, each of which has a third of the pairs (iy, jy). All
// warps of a half call it; V: numbers of the half; any: the half has elements
template <bool same>
PLEX_DEVICE void plex_pairs_of(bool any, int half, int warp, plex_real *V)
{
  constexpr int teams = PLEX_HALF_WARPS / 3, pairs = same ? PLEX_LINES_N : PLEX_LINES_OTHERS,
                n     = (same ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N) / 3;
  constexpr int third = plex_line_entries(same, 0, n);
  static_assert(plex_line_entries(same, n, n) == third && plex_line_entries(same, 2 * n, n) == third,
                "thirds are alike");

  _Pragma("unroll 1")
  for (int first = 0; first < pairs; first += teams) {
    const int        k    = first + warp / 3;
    const bool       is   = any && warp / 3 < teams && k < pairs;
    const plex_real *from = V + threadIdx.x % 32 +
                            PLEX_LINES_V_AT(same ? k * PLEX_LINES_SAME
                                                 : PLEX_LINES_N * PLEX_LINES_SAME + k * PLEX_LINES_OTHER,
                                            0);
    plex_real        v[third];

    if (is && warp % 3 == 0) plex_line_matrix<same, 0, n>(from, v);
    else if (is && warp % 3 == 1) plex_line_matrix<same, n, n>(from, v);
    else if (is) plex_line_matrix<same, 2 * n, n>(from, v);
    plex_half_sync(half);
    if (is && warp % 3 == 0) plex_put_entries<same, 0, third>(V, k, v);
    else if (is && warp % 3 == 1) plex_put_entries<same, third, third>(V, k, v);
    else if (is) plex_put_entries<same, 2 * third, third>(V, k, v);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT)
  plex_assemble(PlexArgs args, PlexBlocksArgs b, PlexPartialArgs parts, plex_scalar *partial, unsigned launches)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  __shared__ PlexPartialPart part;
  constexpr int              warps = PLEX_HALF_WARPS, numbers = 32 * PLEX_ENTRY_NUMBERS;
  const int             block = plex_partial_take(parts.ticket), lane = threadIdx.x % 32,
                        half = PLEX_PARTIAL_HALVES > 1 ? plex_warp() / warps : 0, warp = plex_warp() - half * warps;
  const int             p = b.elementStart[block] + 32 * half, n = b.elementStart[block + 1] - b.elementStart[block];
  const unsigned short *conn  = &b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)];
  plex_real            *V     = shared + half * numbers;
  const bool            is    = 32 * half < n; // the half has elements
  const int             fetch = (int)threadIdx.x - 32 * half * warps;

  if (is && fetch < ((PLEX_SOLUTION ? PLEX_BLOCK_K : PLEX_NV) * 64 + 127) / 128)
    plex_fetch((const char *)conn + 128 * fetch);
  if (threadIdx.x >= 32 && threadIdx.x < 32 + PLEX_PARTIAL_KINDS)
    plex_partial_fetch_codes(parts, block, (int)threadIdx.x - 32);
  if (threadIdx.x < sizeof(part) / sizeof(int))
    ((int *)&part)[threadIdx.x] = ((const int *)&parts.parts[block])[threadIdx.x];
  if (threadIdx.x == 0) shared[PLEX_PARTIAL_HALVES * numbers] = 0; // added where a code has one number
  const PlexPrefetched s     = plex_prefetch(args, b, block, shared + PLEX_PARTIAL_HALVES * numbers + 2);
  const PlexLineNodal  nodal = {s.x, s.u, s.ut, conn + (is && !plex_is_padding(b, p + lane) ? lane : 0)};

  if (is) {
    _Pragma("unroll 1")
    for (int k = warp; k < PLEX_LINES_PLANE; k = k < warps ? 2 * warps - 1 - warp : k + warps)
      plex_line_sums(args, nodal, k / PLEX_LINES_Q, k % PLEX_LINES_Q, V + lane);
  }
  plex_half_sync(half);
  plex_pairs_of<false>(is, half, warp, V);
  plex_pairs_of<true>(is, half, warp, V);
  const PlexPartialLists lists = {&part, parts.codes, parts.heads, parts.senders};
  PlexPartialFirst       first;
  plex_partial_begin(lists, first);
  __syncthreads();
  plex_partial_sums(args, lists, parts.sent, block, first, shared, partial, launches);
}
PLEX_EXPORT_KERNEL(plex_assemble)
