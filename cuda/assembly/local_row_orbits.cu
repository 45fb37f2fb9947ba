// local_row where elements can be turned (src/dm/rotations.c): a thread sums a row, and each of its elements is read in the order of
// nodes in which that row is one of the PLEX_ORBITS of the element data. So a warp computes one and the same row, known to the compiler.
//
// A block has a part of the mesh nodes, and the nodal data of all elements around them in shared memory. The rows of a warp have
// contributions of the same orbits, and about as many; their sums lie in shared memory with a stride of 33, so that neither the threads
// that add, each in its row, nor those that write, along a row, meet in a bank.
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: the element's number where that is needed, numbers of its nodes
// and dofs in the block, and the place in the row of each of its EF entries; one place behind the row takes what is dropped. Reads
// 4 PLEX_WORDS bytes a contribution and 8 a row; writes 8 bytes a target.
#define PLEX_WARPS  (PLEX_BLOCK / 32)
#define PLEX_STRIDE 33

template <int bytes>
PLEX_DEVICE int plex_record(const unsigned words[], int at)
{
  const unsigned word = words[at / 4];

  if (bytes == 4) return (int)word;
  return (int)(bytes == 2 ? (word >> 8 * (at % 4)) & 0xffff : (word >> 8 * (at % 4)) & 0xff);
}

struct PlexGathered {
  const plex_real *x, *u, *ut;
};

// Nodal data of the element of a record
PLEX_DEVICE void plex_load_record(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, plex_record<4>(words, PLEX_AT_ELEMENT));
#endif
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    const int n = plex_record<PLEX_NODE_BYTES>(words, PLEX_AT_NODES + v * PLEX_NODE_BYTES);

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) nodal.x[v * PLEX_DIM + d] = s.x[n * PLEX_DIM + d];
  }
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) nodal.u[i] = s.u[plex_record<PLEX_DOF_BYTES>(words, PLEX_AT_DOFS + i * PLEX_DOF_BYTES)];
  if (args.u_t) {
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) nodal.ut[i] = s.ut[plex_record<PLEX_DOF_BYTES>(words, PLEX_AT_DOFS + i * PLEX_DOF_BYTES)];
  }
#endif
}

// Row I of the element data, known to the compiler: emit(j, value)
template <int I, class Emit>
PLEX_DEVICE void plex_orbit_row(const PlexArgs &args, const PlexNodal &nodal, Emit emit)
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
    emit(j, plex_tensor_entry(args, point, fi, ni, ci, fj, nj, cj));
  }
#else
  plex_real row[PLEX_EF];

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
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) emit(j, row[j]);
#endif
}

// A thread's row: `groups` records, summed from `sum` on
template <int I>
PLEX_DEVICE void plex_sum_row(const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, plex_scalar *sum)
{
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g, records += 32 * PLEX_WORDS) {
    unsigned    words[PLEX_WORDS];
    PlexNodal   nodal;
    plex_scalar row[PLEX_EF];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records[32 * w];
    plex_load_record(args, s, words, nodal);
    plex_orbit_row<I>(args, nodal, [&](int j, plex_real v) { row[j] = (plex_scalar)v; });
    // the places of a contribution differ, but for the one behind the row: all reads before all writes
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) row[j] += sum[PLEX_STRIDE * plex_record<PLEX_PLACE_BYTES>(words, PLEX_AT_PLACES + j * PLEX_PLACE_BYTES)];
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) sum[PLEX_STRIDE * plex_record<PLEX_PLACE_BYTES>(words, PLEX_AT_PLACES + j * PLEX_PLACE_BYTES)] = row[j];
  }
}

static __device__ constexpr int plex_orbits[] = {PLEX_ORBITS};
#define PLEX_NORBITS ((int)(sizeof(plex_orbits) / sizeof(int)))

template <int O>
PLEX_DEVICE void plex_sum_orbit(int orbit, const PlexArgs &args, const PlexGathered &s, const unsigned *records, int groups, plex_scalar *sum)
{
  if (orbit == O) plex_sum_row<plex_orbits[O]>(args, s, records, groups, sum);
  else if (O + 1 < PLEX_NORBITS) plex_sum_orbit<(O + 1 < PLEX_NORBITS ? O + 1 : O)>(orbit, args, s, records, groups, sum);
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexOrbitsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  const int    block = blockIdx.x, n0 = plan.nodeStart[block], nn = plan.nodeStart[block + 1] - n0, lane = threadIdx.x % 32;
  PlexTarget   target = plex_target(args);
  plex_real   *x      = (plex_real *)shared;
  plex_scalar *sums   = (plex_scalar *)(shared + PLEX_SUMS);
  PlexGathered s;

  s.x = x;
  s.u = s.ut = NULL;
  for (int k = threadIdx.x; k < nn; k += PLEX_BLOCK) {
    const plex_index node = plan.nodes[n0 + k];

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) x[k * PLEX_DIM + d] = (plex_real)args.x[node * PLEX_DIM + d];
  }
#if PLEX_SOLUTION
  const int  d0 = plan.dofStart[block], nd = plan.dofStart[block + 1] - d0;
  plex_real *u = x + nn * PLEX_DIM, *ut = u + nd;

  s.u  = u;
  s.ut = ut;
  for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) u[k] = (plex_real)args.u[plan.dofs[d0 + k]];
  if (args.u_t)
    for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) ut[k] = (plex_real)args.u_t[plan.dofs[d0 + k]];
#endif
  __syncthreads();
  for (int w = plan.warpStart[block] + threadIdx.x / 32; w < plan.warpStart[block + 1]; w += PLEX_WARPS) {
    const int       first = plan.warps[4 * w], segment = plan.warps[4 * w + 1], segments = plan.warps[4 * w + 2], length = plan.rows[64 * w + 32 + lane];
    const int       id = plan.rows[64 * w + lane], longest = plan.warps[4 * w + 3] & 0xffff;
    plex_scalar    *all     = sums + (plan.warps[4 * w + 3] >> 16) * PLEX_STRIDE, *sum = all + lane;
    const unsigned *records = plan.records + (plex_index)first * 32 * PLEX_WORDS + lane;

    for (int k = 0; k < longest; ++k) sum[k * PLEX_STRIDE] = 0;
    for (int k = segment; k < segment + segments; ++k) {
      const int groups = plan.segments[2 * k + 1];

      plex_sum_orbit<0>(plan.segments[2 * k], args, s, records, groups, sum);
      records += (plex_index)groups * 32 * PLEX_WORDS;
    }
    __syncwarp(0xffffffffu);
    for (int r = lane / PLEX_WRITERS; r < 32; r += 32 / PLEX_WRITERS) {
      const int rid = __shfl_sync(0xffffffffu, id, r), rlength = __shfl_sync(0xffffffffu, length, r);

      for (int k = lane % PLEX_WRITERS; k < rlength; k += PLEX_WRITERS) target[rid + k] = all[k * PLEX_STRIDE + r];
    }
    __syncwarp(0xffffffffu);
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
