// local_row where elements can be turned (src/dm/rotations.c): a thread sums a row, and each of its elements is read in the order of
// nodes in which that row is one of the PLEX_ORBITS of the element data. So a warp computes one and the same row, known to the compiler.
//
// A block has a part of the mesh nodes, and the nodal data of all elements around them in shared memory. The rows of a warp have
// contributions of the same orbits, and about as many; a row with far more of them than the usual is shared out to several threads,
// which add their contributions in turns. The sums lie in shared memory, a column a row and 8, 16 or 32 columns, so that threads that add,
// each in its column and anywhere in it, do not meet in a bank. To be written along the rows of the matrix they are transposed,
// PLEX_CHUNK of each column at a time, with the words of a row permuted so that there as well no two of a half warp meet.
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: the element's number where that is needed, numbers of its nodes
// and dofs in the block, and the place in the row of each of its EF entries; one place behind the row takes what is dropped. Coordinate
// nodes that all elements of a row share (PLEX_ORBITS_FIXED) are read once, and entries of dofs that they share (PLEX_ORBITS_KEPT) summed
// in registers. Reads 4 PLEX_WORDS bytes a contribution and 12 a row; writes 8 bytes a target.
#include "assembly/columns.cuh"

static __device__ constexpr int plex_orbits[]       = {PLEX_ORBITS};       // first dof of each orbit
static __device__ constexpr int plex_orbits_fixed[] = {PLEX_ORBITS_FIXED}; // coordinate nodes, as bits
static __device__ constexpr int plex_orbits_kept[]  = {PLEX_ORBITS_KEPT};  // dofs, as bits
static __device__ constexpr int plex_nodes_at[]     = {PLEX_NODES_AT};     // first bit of each item of a record
static __device__ constexpr int plex_dofs_at[]      = {PLEX_DOFS_AT};
static __device__ constexpr int plex_places_at[]    = {PLEX_PLACES_AT};
#define PLEX_NORBITS ((int)(sizeof(plex_orbits) / sizeof(int)))

// Item of a record whose first bit is `at`; a byte takes one instruction
PLEX_DEVICE int plex_item(const unsigned words[], int at, int bits)
{
#if defined(__CUDA_ARCH__)
  if (bits == 8 && at % 8 == 0) return (int)__byte_perm(words[at / 32], 0, 0x4440 + at % 32 / 8);
#endif
  return (int)(words[at / 32] >> at % 32 & ((1u << bits) - 1u));
}

// Nodal data of a block: the first two coordinates of its nodes, the third, and the solution
struct alignas(2 * sizeof(plex_real)) PlexPlace {
  plex_real x, y; // read in one: words of 8 bytes that are 16 apart would be in half of the banks
};
struct PlexGathered {
  PlexPlace *xy;
  plex_real *z, *u, *ut;
};

// Coordinates of the nodes of a record that are in the set `mask`
template <int mask>
PLEX_DEVICE void plex_load_coordinates(const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    if (!(mask >> v & 1)) continue;
    const int       n     = plex_item(words, plex_nodes_at[v], PLEX_NODE_BITS);
    const PlexPlace place = s.xy[n];

    nodal.x[v * PLEX_DIM]     = place.x;
    nodal.x[v * PLEX_DIM + 1] = place.y;
    if (PLEX_DIM == 3) nodal.x[v * PLEX_DIM + 2] = s.z[n];
  }
}

PLEX_DEVICE void plex_load_dofs(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, (int)words[0]);
#endif
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) nodal.u[i] = s.u[plex_item(words, plex_dofs_at[i], PLEX_DOF_BITS)];
  if (args.u_t) {
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) nodal.ut[i] = s.ut[plex_item(words, plex_dofs_at[i], PLEX_DOF_BITS)];
  }
#endif
}

// Row I of the element data, known to the compiler
template <int I>
PLEX_DEVICE void plex_orbit_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[])
{
#if PLEX_MODAL
  plex_modal_row(args, nodal, I, row);
#else
  int fi, ni, ci, fj, nj, cj;

  plex_dof(I, fi, ni, ci);
  #if PLEX_TENSOR
  plex_real point[PLEX_NQ * PLEX_POINT_SIZE];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_NQ; ++k) plex_point_data(args, nodal, k, &point[k * PLEX_POINT_SIZE]);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    plex_dof(j, fj, nj, cj);
    row[j] = plex_tensor_entry(args, point, fi, ni, ci, fj, nj, cj);
  }
  #else
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = 0;
  PLEX_UNROLL // where the tables are then numbers of the program
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real t[PLEX_JU];

    plex_point_row(args, nodal, q, fi, ni, ci, t);
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) {
      plex_dof(j, fj, nj, cj);
      _Pragma("unroll")
      for (int b = 0; b < PLEX_KU; ++b) PLEX_ADD_PRODUCT(row[j], PLEX_KNOWN_ZERO(plex_trial(args, fj, q, nj, b)), t[(plex_field_component(fj) + cj) * PLEX_KU + b], plex_trial(args, fj, q, nj, b));
    }
  }
  #endif
#endif
}

PLEX_DEVICE void plex_read_record(const unsigned *records, unsigned words[])
{
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records[32 * w];
}

// Adds the entries in the set `mask` to the column that begins at `sum`; their places differ, but for the one behind the row, whose sum
// is dropped. Threads that share a row take turns; those without a row have no part.
template <unsigned mask>
PLEX_DEVICE void plex_sum_add(const unsigned words[], const plex_scalar row[], char *sum, int stride, int part, int parts)
{
  _Pragma("unroll 1")
  for (int p = 0; p < parts; ++p) {
    if (p == part) {
      plex_scalar v[PLEX_EF];

      // all reads before all writes
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j)
        if (mask >> j & 1) v[j] = *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) + row[j];
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j)
        if (mask >> j & 1) *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) = v[j];
    }
    if (parts > 1) __syncwarp(0xffffffffu);
  }
}

// Groups of records that are fetched this far ahead
#define PLEX_AHEAD 3

// Brings a group of records nearer
PLEX_DEVICE void plex_fetch_ahead(const unsigned *records)
{
#if defined(__CUDA_ARCH__)
  const int lane = threadIdx.x % 32;

  if (lane < PLEX_WORDS) asm volatile("prefetch.global.L1 [%0];" ::"l"(records + 31 * lane)); // 32 words on from lane 0's
#endif
}

// A thread's part of a row: `groups` records, at least one, added to the column that begins at `sum`; place `dropped` is behind the row
template <int O>
PLEX_DEVICE void plex_sum_part(const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, char *sum, int stride, int dropped, int part, int parts)
{
  constexpr int      fixed = plex_orbits_fixed[O];
  constexpr unsigned kept = plex_orbits_kept[O], all = PLEX_EF < 32 ? (1u << PLEX_EF % 32) - 1 : ~0u;
  const unsigned    *first = records;
  unsigned           next[PLEX_WORDS];
  plex_scalar        keep[PLEX_EF];
  PlexNodal          nodal;

  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) keep[j] = 0;
  plex_read_record(records, next);
  plex_load_coordinates<fixed>(s, next, nodal);
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g) {
    unsigned    words[PLEX_WORDS];
    plex_real   row[PLEX_EF];
    plex_scalar rest[PLEX_EF];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) words[w] = next[w];
    if (g + PLEX_AHEAD < groups) plex_fetch_ahead(records + PLEX_AHEAD * 32 * PLEX_WORDS);
    if (g + 1 < groups) plex_read_record(records += 32 * PLEX_WORDS, next); // on its way while this one is computed
    plex_load_coordinates<~fixed>(s, words, nodal);
    plex_load_dofs(args, s, words, nodal);
    plex_orbit_row<plex_orbits[O]>(args, nodal, row);
    // a record that only fills the group has no element, and drops its row
    const bool real = plex_item(words, plex_places_at[plex_orbits[O]], PLEX_PLACE_BITS) != dropped;

    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) {
      if (kept >> j & 1) keep[j] += real ? (plex_scalar)row[j] : (plex_scalar)0;
      else rest[j] = (plex_scalar)row[j];
    }
    plex_sum_add<all & ~kept>(words, rest, sum, stride, part, parts);
  }
  plex_read_record(first, next);
  plex_sum_add<kept>(next, keep, sum, stride, part, parts);
}

template <int O>
PLEX_DEVICE void plex_sum_orbit(int orbit, const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, char *sum, int stride, int dropped, int part, int parts)
{
  if (orbit == O) plex_sum_part<O>(args, s, records, groups, sum, stride, dropped, part, parts);
  else if (O + 1 < PLEX_NORBITS) plex_sum_orbit<(O + 1 < PLEX_NORBITS ? O + 1 : O)>(orbit, args, s, records, groups, sum, stride, dropped, part, parts);
}

// Nodal data of the block
PLEX_DEVICE PlexGathered plex_gather(const PlexArgs &args, const PlexOrbitsArgs &plan, char *shared)
{
  const int    n0 = plan.nodeStart[blockIdx.x], nn = plan.nodeStart[blockIdx.x + 1] - n0;
  PlexGathered s;

  s.xy = (PlexPlace *)shared;
  s.z  = (plex_real *)(s.xy + nn);
  s.u = s.ut = NULL;
  for (int k = threadIdx.x; k < nn; k += PLEX_BLOCK) {
    const plex_index node = plan.nodes[n0 + k];

    s.xy[k].x = (plex_real)args.x[node * PLEX_DIM];
    s.xy[k].y = (plex_real)args.x[node * PLEX_DIM + 1];
    if (PLEX_DIM == 3) s.z[k] = (plex_real)args.x[node * PLEX_DIM + 2];
  }
#if PLEX_SOLUTION
  const int d0 = plan.dofStart[blockIdx.x], nd = plan.dofStart[blockIdx.x + 1] - d0;

  s.u  = s.z + (PLEX_DIM == 3 ? nn : 0);
  s.ut = s.u + nd;
  for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) s.u[k] = (plex_real)args.u[plan.dofs[d0 + k]];
  if (args.u_t)
    for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) s.ut[k] = (plex_real)args.u_t[plan.dofs[d0 + k]];
#endif
  __syncthreads();
  return s;
}

// Brings nearer what warp w begins with, while the block waits for its nodal data
PLEX_DEVICE void plex_fetch_warp(const PlexOrbitsArgs &plan, int w)
{
#if defined(__CUDA_ARCH__)
  const int       lane    = threadIdx.x % 32;
  const unsigned *records = plan.records + (plex_index)plan.warps[8 * w] * 32 * PLEX_WORDS + lane;

  asm volatile("prefetch.global.L1 [%0];" ::"l"(plan.rows + 96 * w + 3 * lane));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(plan.segments + 2 * plan.warps[8 * w + 1]));
  for (int g = 0; g < PLEX_AHEAD; ++g) plex_fetch_ahead(records + g * 32 * PLEX_WORDS);
#endif
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexOrbitsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  __shared__ int   taken; // warps of the plan
  const int        lane = threadIdx.x % 32, first = plan.warpStart[blockIdx.x], n = plan.warpStart[blockIdx.x + 1] - first;
  const PlexTarget target = plex_target(args);
  plex_scalar     *sums   = (plex_scalar *)(shared + PLEX_SUMS) + PLEX_SUMS_WARP * (threadIdx.x / 32);

  if (threadIdx.x == 0) taken = PLEX_WARPS;
  if ((int)threadIdx.x / 32 < n) plex_fetch_warp(plan, first + threadIdx.x / 32);
  const PlexGathered s = plex_gather(args, plan, shared);

  for (int w = threadIdx.x / 32; w < n;) {
    const int      *warp = plan.warps + 8 * (first + w), *rows = plan.rows + 96 * (first + w) + lane;
    const int       segment = warp[1], segments = warp[2], longest = warp[3], columns = warp[4], id = rows[0], length = rows[32], column = rows[64] >> 8;
    const unsigned *records = plan.records + (plex_index)warp[0] * 32 * PLEX_WORDS + lane;

    for (int k = lane; k < PLEX_CHUNKED(longest + 1) << columns; k += 32) sums[k] = 0;
    __syncwarp(0xffffffffu);
    for (int k = segment; k < segment + segments; ++k) {
      const int groups = plan.segments[2 * k + 1];

      plex_sum_orbit<0>(plan.segments[2 * k], args, s, records, groups, (char *)(sums + column), (int)sizeof(plex_scalar) << columns, longest, rows[64] & 0xff, warp[5]);
      records += (plex_index)groups * 32 * PLEX_WORDS;
    }
    __syncwarp(0xffffffffu);
    if (lane == 0) w = atomicAdd(&taken, 1);
    w = __shfl_sync(0xffffffffu, w, 0);
    if (w < n) plex_fetch_warp(plan, first + w);
    if (columns == 5) plex_write_rows<5>(target, sums, longest, id, length);
    else if (columns == 4) plex_write_rows<4>(target, sums, longest, id, length);
    else plex_write_rows<3>(target, sums, longest, id, length);
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
