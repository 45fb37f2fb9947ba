// local_row where elements can be turned (src/dm/rotations.c): a thread sums a row, and each of its elements is read in the order of
// nodes in which that row is one of the PLEX_ORBITS of the element data. So a warp computes one and the same row, known to the compiler.
//
// A block has a part of the mesh nodes, and the nodal data of all elements around them in shared memory. The rows of a warp have
// contributions of the same orbits, and about as many; a row with far more of them than the usual is shared out to several threads,
// which add their contributions in turns. The sums lie in shared memory, a column a row and an odd number of columns, so that neither the
// threads that add, each in its column, nor those that write, along a row of the matrix, meet in a bank.
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: the element's number where that is needed, numbers of its nodes
// and dofs in the block, and the place in the row of each of its EF entries; one place behind the row takes what is dropped. Coordinate
// nodes that all elements of a row share (PLEX_ORBITS_FIXED) are read once. Reads 4 PLEX_WORDS bytes a contribution and 12 a row;
// writes 8 bytes a target.
#define PLEX_WARPS (PLEX_BLOCK / 32)

static __device__ constexpr int plex_orbits[]       = {PLEX_ORBITS};       // first dof of each orbit
static __device__ constexpr int plex_orbits_fixed[] = {PLEX_ORBITS_FIXED}; // coordinate nodes, as bits
static __device__ constexpr int plex_nodes_at[]     = {PLEX_NODES_AT};     // first bit of each item of a record
static __device__ constexpr int plex_dofs_at[]      = {PLEX_DOFS_AT};
static __device__ constexpr int plex_places_at[]    = {PLEX_PLACES_AT};
#define PLEX_NORBITS               ((int)(sizeof(plex_orbits) / sizeof(int)))
#define PLEX_ITEM(words, at, bits) ((int)((words)[(at) / 32] >> (at) % 32 & ((1u << (bits)) - 1u)))

struct PlexGathered {
  const plex_real *x, *u, *ut;
};

// Coordinates of the nodes of a record that are in the set `mask`
template <int mask>
PLEX_DEVICE void plex_load_coordinates(const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    if (!(mask >> v & 1)) continue;
    const int n = PLEX_ITEM(words, plex_nodes_at[v], PLEX_NODE_BITS);

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) nodal.x[v * PLEX_DIM + d] = s.x[n * PLEX_DIM + d];
  }
}

PLEX_DEVICE void plex_load_dofs(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, (int)words[0]);
#endif
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) nodal.u[i] = s.u[PLEX_ITEM(words, plex_dofs_at[i], PLEX_DOF_BITS)];
  if (args.u_t) {
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) nodal.ut[i] = s.ut[PLEX_ITEM(words, plex_dofs_at[i], PLEX_DOF_BITS)];
  }
#endif
}

// Row I of the element data, known to the compiler
template <int I>
PLEX_DEVICE void plex_orbit_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[])
{
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
  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real D[PLEX_POINT_SIZE], t[PLEX_JU];

    plex_point_data(args, nodal, q, D);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_JU; ++k) {
      t[k] = 0;
      _Pragma("unroll")
      for (int a = 0; a < PLEX_KT; ++a) t[k] += plex_test(args, fi, q, ni, a) * D[((plex_field_component(fi) + ci) * PLEX_KT + a) * PLEX_JU + k];
    }
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) {
      plex_dof(j, fj, nj, cj);
      _Pragma("unroll")
      for (int b = 0; b < PLEX_KU; ++b) row[j] += t[(plex_field_component(fj) + cj) * PLEX_KU + b] * plex_trial(args, fj, q, nj, b);
    }
  }
#endif
}

PLEX_DEVICE void plex_read_record(const unsigned *records, unsigned words[])
{
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records[32 * w];
}

// A thread's part of a row: `groups` records, at least one, added to the column that begins at `sum`
template <int O>
PLEX_DEVICE void plex_sum_part(const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, plex_scalar *sum, int stride, int part, int parts)
{
  constexpr int fixed = plex_orbits_fixed[O];
  unsigned      next[PLEX_WORDS];
  PlexNodal     nodal;

  plex_read_record(records, next);
  plex_load_coordinates<fixed>(s, next, nodal);
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g) {
    unsigned  words[PLEX_WORDS];
    plex_real row[PLEX_EF];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) words[w] = next[w];
    if (g + 1 < groups) plex_read_record(records += 32 * PLEX_WORDS, next); // on its way while this one is computed
    plex_load_coordinates<~fixed>(s, words, nodal);
    plex_load_dofs(args, s, words, nodal);
    plex_orbit_row<plex_orbits[O]>(args, nodal, row);
    _Pragma("unroll 1")
    for (int p = 0; p < parts; ++p) {
      if (p == part) {
        plex_scalar v[PLEX_EF];

        // the places of a contribution differ, but for the one behind the row: all reads before all writes
        _Pragma("unroll")
        for (int j = 0; j < PLEX_EF; ++j) v[j] = sum[stride * PLEX_ITEM(words, plex_places_at[j], PLEX_PLACE_BITS)] + (plex_scalar)row[j];
        _Pragma("unroll")
        for (int j = 0; j < PLEX_EF; ++j) sum[stride * PLEX_ITEM(words, plex_places_at[j], PLEX_PLACE_BITS)] = v[j];
      }
      if (parts > 1) __syncwarp(0xffffffffu);
    }
  }
}

template <int O>
PLEX_DEVICE void plex_sum_orbit(int orbit, const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, plex_scalar *sum, int stride, int part, int parts)
{
  if (orbit == O) plex_sum_part<O>(args, s, records, groups, sum, stride, part, parts);
  else if (O + 1 < PLEX_NORBITS) plex_sum_orbit<(O + 1 < PLEX_NORBITS ? O + 1 : O)>(orbit, args, s, records, groups, sum, stride, part, parts);
}

// Nodal data of the block
PLEX_DEVICE PlexGathered plex_gather(const PlexArgs &args, const PlexOrbitsArgs &plan, plex_real *x)
{
  const int    n0 = plan.nodeStart[blockIdx.x], nn = plan.nodeStart[blockIdx.x + 1] - n0;
  PlexGathered s;

  for (int k = threadIdx.x; k < nn; k += PLEX_BLOCK) {
    const plex_index node = plan.nodes[n0 + k];

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) x[k * PLEX_DIM + d] = (plex_real)args.x[node * PLEX_DIM + d];
  }
  s.x = x;
  s.u = s.ut = NULL;
#if PLEX_SOLUTION
  const int  d0 = plan.dofStart[blockIdx.x], nd = plan.dofStart[blockIdx.x + 1] - d0;
  plex_real *u = x + nn * PLEX_DIM, *ut = u + nd;

  s.u  = u;
  s.ut = ut;
  for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) u[k] = (plex_real)args.u[plan.dofs[d0 + k]];
  if (args.u_t)
    for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) ut[k] = (plex_real)args.u_t[plan.dofs[d0 + k]];
#endif
  __syncthreads();
  return s;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexOrbitsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int          lane   = threadIdx.x % 32;
  const PlexTarget   target = plex_target(args);
  const PlexGathered s      = plex_gather(args, plan, (plex_real *)shared);

  for (int w = plan.warpStart[blockIdx.x] + threadIdx.x / 32; w < plan.warpStart[blockIdx.x + 1]; w += PLEX_WARPS) {
    const int      *warp = plan.warps + 8 * w, *rows = plan.rows + 96 * w + lane;
    const int       segment = warp[1], segments = warp[2], longest = warp[4], stride = warp[5], id = rows[0], length = rows[32], column = rows[64] >> 8;
    plex_scalar    *sums    = (plex_scalar *)(shared + PLEX_SUMS) + warp[3];
    const unsigned *records = plan.records + (plex_index)warp[0] * 32 * PLEX_WORDS + lane;

    for (int k = lane; k < (longest + 1) * stride; k += 32) sums[k] = 0;
    __syncwarp(0xffffffffu);
    for (int k = segment; k < segment + segments; ++k) {
      const int groups = plan.segments[2 * k + 1];

      plex_sum_orbit<0>(plan.segments[2 * k], args, s, records, groups, sums + column, stride, rows[64] & 0xff, warp[6]);
      records += (plex_index)groups * 32 * PLEX_WORDS;
    }
    __syncwarp(0xffffffffu);
    for (int r = lane / PLEX_WRITERS; r < 32; r += 32 / PLEX_WRITERS) {
      const int          rid = __shfl_sync(0xffffffffu, id, r), rlength = __shfl_sync(0xffffffffu, length, r);
      const plex_scalar *sum = sums + __shfl_sync(0xffffffffu, column, r);

      for (int k = lane % PLEX_WRITERS; k < rlength; k += PLEX_WRITERS) target[rid + k] = sum[k * stride];
    }
    __syncwarp(0xffffffffu);
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
