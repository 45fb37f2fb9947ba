// shared_nz of tensor-product cells of order 2 in three dimensions by quadrature, where the form is symmetric: half an element matrix by sums over one direction
// after the other (integrate/lines_matrix.cuh), kept in shared memory and summed from there (partial.cuh).
//
// A block has a part of one or two halves of at most 32 elements, one a lane. The warps of a half take lines of points, all its elements' at a time, then pairs ix < jx, three warps
// each, and pairs ix = jx, three warps each: entries take the place of the numbers V of their pair, once all of them have read these. Of an element it reads 2 (NV + EF) bytes of
// numbers, its share of 8 bytes a nodal value and 4 bytes an index of those, and some 2 kB of codes; it writes about 580 sums of 8 bytes, half of them of the matrix.
#undef PLEX_SOLUTION
#define PLEX_SOLUTION        PLEX_LINES_SOLUTION
#define PLEX_LINES_ELEMENTS  1
#define PLEX_LINES_SYMMETRIC 1
#include "integrate/lines.cuh"
#include "integrate/lines_matrix.cuh"
#include "assembly/blocks.cuh"
#include "assembly/partial.cuh"

static_assert(PLEX_LINES_N == 3, "order 2");
static_assert(PLEX_BLOCK % (32 * PLEX_PARTIAL_HALVES) == 0 && PLEX_BLOCK >= 96 * PLEX_PARTIAL_HALVES, "three warps share a pair");

#define PLEX_HALF_WARPS (PLEX_BLOCK / 32 / PLEX_PARTIAL_HALVES)

// The warps of a half are in step; the other ones need not be
PLEX_DEVICE void plex_half_sync(int half)
{
#if defined(__CUDA_ARCH__) && PLEX_PARTIAL_HALVES > 1
  asm volatile("bar.sync %0, %1;" ::"r"(1 + half), "n"(32 * PLEX_HALF_WARPS) : "memory");
#else
  (void)half;
  __syncthreads();
#endif
}

// Where entries are: those of pair k of ix = jx or ix < jx, k-th of its kind, in the place of its V, as far as they have room there, and others behind all V
#define PLEX_ENTRIES(same)      plex_line_entries(same, 0, (same) ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N)
#define PLEX_ENTRY_ROOM(same)   (((same) ? PLEX_LINES_SAME : PLEX_LINES_OTHER) * PLEX_LINES_PLANE)
#define PLEX_ENTRY_BEHIND(same) (PLEX_ENTRIES(same) > PLEX_ENTRY_ROOM(same) ? PLEX_ENTRIES(same) - PLEX_ENTRY_ROOM(same) : 0)
#define PLEX_ENTRY_PLACES       (PLEX_LINES_V + PLEX_LINES_N * PLEX_ENTRY_BEHIND(true) + PLEX_LINES_OTHERS * PLEX_ENTRY_BEHIND(false))
static_assert(PLEX_ENTRY_PLACES == PLEX_PARTIAL_PLACES && PLEX_ND == PLEX_LINES_N * PLEX_ENTRIES(true) + PLEX_LINES_OTHERS * PLEX_ENTRIES(false), "as src/assembly/impls/shared/partial.c has it");

// Entries `first` to first + n - 1 of pair k, of this lane's element: the lanes of different entries are in different orders, so that those of one element are in all banks
template <bool same, int first, int n>
PLEX_DEVICE void plex_put_entries(plex_real *V, int lane, int k, const plex_real v[])
{
  plex_real *room   = V + ((same ? 0 : PLEX_LINES_N * PLEX_ENTRY_ROOM(true)) + k * PLEX_ENTRY_ROOM(same)) * 32;
  plex_real *behind = V + (PLEX_LINES_V + (same ? 0 : PLEX_LINES_N * PLEX_ENTRY_BEHIND(true)) + k * PLEX_ENTRY_BEHIND(same)) * 32;

  _Pragma("unroll")
  for (int m = first; m < first + n; ++m) (m < PLEX_ENTRY_ROOM(same) ? room + m * 32 : behind + (m - PLEX_ENTRY_ROOM(same)) * 32)[lane ^ (m & 15)] = v[m - first];
}

// The pairs of one kind, by three warps each, of which each has a third of the pairs (iy, jy). All warps of a half, whose numbers
// begin at V, if there are any
template <bool same>
PLEX_DEVICE void plex_pairs_of(bool any, int half, int warp, int lane, plex_real *V)
{
  constexpr int teams = PLEX_HALF_WARPS / 3, pairs = same ? PLEX_LINES_N : PLEX_LINES_OTHERS, n = (same ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2 : PLEX_LINES_N * PLEX_LINES_N) / 3;
  constexpr int third = plex_line_entries(same, 0, n);
  static_assert(plex_line_entries(same, n, n) == third && plex_line_entries(same, 2 * n, n) == third, "thirds are alike");

  _Pragma("unroll 1")
  for (int first = 0; first < pairs; first += teams) {
    const int        k    = first + warp / 3;
    const bool       is   = any && warp / 3 < teams && k < pairs;
    const plex_real *from = V + lane + PLEX_LINES_V_AT(same ? k * PLEX_LINES_SAME : PLEX_LINES_N * PLEX_LINES_SAME + k * PLEX_LINES_OTHER, 0);
    plex_real        v[third] = {};

    if (is && warp % 3 == 0) plex_line_matrix<same, 0, n>(from, v);
    else if (is && warp % 3 == 1) plex_line_matrix<same, n, n>(from, v);
    else if (is) plex_line_matrix<same, 2 * n, n>(from, v);
    plex_half_sync(half);
    if (is && warp % 3 == 0) plex_put_entries<same, 0, third>(V, lane, k, v);
    else if (is && warp % 3 == 1) plex_put_entries<same, third, third>(V, lane, k, v);
    else if (is) plex_put_entries<same, 2 * third, third>(V, lane, k, v);
  }
}

// A number of which the compiler does not know that it is the same for each part: what follows from it is computed when it is needed, and not kept meanwhile
PLEX_DEVICE int plex_anew(int k)
{
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(k));
#endif
  return k;
}

// The nodes of a part on their way to shared memory, one of a thread, where functions depend on the solution none: what is left of them comes when the part's turn has come
struct PlexNextNodes {
  int       n, first, id;
  plex_real x[PLEX_DIM];
};
PLEX_DEVICE void plex_next_ids(const PlexBlocksArgs &b, int block, PlexNextNodes &next)
{
  next.first = plex_read(&b.nodeStart[block]);
  next.n     = plex_read(&b.nodeStart[block + 1]) - next.first;
  if ((int)threadIdx.x < next.n) next.id = plex_read(&b.nodes[next.first + (int)threadIdx.x]);
}
PLEX_DEVICE void plex_next_read(const PlexArgs &args, PlexNextNodes &next)
{
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d)
    if ((int)threadIdx.x < next.n) next.x[d] = (plex_real)args.x[(plex_index)next.id * PLEX_DIM + d];
}
PLEX_DEVICE void plex_next_write(const PlexArgs &args, const PlexBlocksArgs &b, const PlexNextNodes &next, plex_real *to)
{
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d)
    if ((int)threadIdx.x < next.n) to[(int)threadIdx.x * PLEX_DIM + d] = next.x[d];
  _Pragma("unroll 1")
  for (int k = threadIdx.x + PLEX_BLOCK; k < next.n; k += PLEX_BLOCK) {
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) to[k * PLEX_DIM + d] = (plex_real)args.x[(plex_index)b.nodes[next.first + k] * PLEX_DIM + d];
  }
}

// The numbers of a block's elements, which begin at each lane's in its half
PLEX_DEVICE const unsigned short *plex_half_conn(const PlexBlocksArgs &b, int block, int half)
{
  return &b.conn[plex_interleaved(b.elementStart[block] + 32 * half, PLEX_BLOCK_K, 0)];
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexBlocksArgs b, PlexPartialArgs parts, plex_scalar *partial, int blocks)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  constexpr int warps = PLEX_HALF_WARPS, numbers = 32 * PLEX_ENTRY_PLACES, lines = (PLEX_SOLUTION ? PLEX_BLOCK_K : PLEX_NV) * 64;
  const int     lane = threadIdx.x % 32, half = PLEX_PARTIAL_HALVES > 1 ? plex_warp() / warps : 0, warp = plex_warp() - half * warps, thread = (int)threadIdx.x - 32 * half * warps;
  plex_real    *V = shared + half * numbers, *places = shared + PLEX_PARTIAL_HALVES * numbers + 2;

  if (threadIdx.x == 0) shared[PLEX_PARTIAL_HALVES * numbers] = 0; // what is added where there is no second number
  if (!PLEX_SOLUTION) {
    PlexNextNodes next;

    plex_next_ids(b, blockIdx.x, next);
    plex_next_read(args, next);
    plex_next_write(args, b, next, places);
  }
  // blocks stay: what the next part's elements are is on its way while this one's are summed
  _Pragma("unroll 1")
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const int             following = block + (int)gridDim.x < blocks ? block + (int)gridDim.x : block, p = b.elementStart[block] + 32 * half;
    const bool            is   = p < b.elementStart[block + 1]; // there is such a half
    const unsigned short *conn = plex_half_conn(b, block, is ? half : 0);
    PlexPartialPlan       plan = {};
    PlexNextNodes         next = {};

    plex_partial_fetch(parts, block);
#if PLEX_SOLUTION
    const PlexPrefetched s     = plex_prefetch(args, b, block, places);
    const PlexLineNodal  nodal = {s.x, s.u, s.ut, conn + (is && !plex_is_padding(b, p + lane) ? lane : 0)};
#else
    const PlexLineNodal nodal = {places, NULL, NULL, conn + (is && !plex_is_padding(b, p + lane) ? lane : 0)};
    __syncthreads();
#endif
    if (is) {
      _Pragma("unroll 1")
      for (int k = warp; k < PLEX_LINES_PLANE; k = k < warps ? 2 * warps - 1 - warp : k + warps) plex_line_sums(args, nodal, k / PLEX_LINES_Q, k % PLEX_LINES_Q, V + plex_anew(lane));
    }
    plex_half_sync(half);
    plex_pairs_of<false>(is, half, warp, plex_anew(lane), V);
    plex_pairs_of<true>(is, half, warp, plex_anew(lane), V);
    plex_partial_begin(parts, block, plan);
    __syncthreads();
    if (!PLEX_SOLUTION) plex_next_ids(b, following, next);
    if (thread < (lines + 127) / 128) plex_fetch((const char *)plex_half_conn(b, following, half) + 128 * thread);
    plex_partial_sums_first(args, plan, shared, partial);
    if (!PLEX_SOLUTION) plex_next_read(args, next);
    plex_partial_sums_then(args, plan, shared, partial);
    if (!PLEX_SOLUTION) plex_next_write(args, b, next, places);
    if (PLEX_SOLUTION) __syncthreads();
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
