// local_row where elements can be turned (src/dm/rotations.c): a thread sums a row, and each of its elements is read in
// the order of nodes in which that row is one of the PLEX_CLASSES of the element data. So a warp computes one and the
// same row, known to the compiler.
//
// A block has a part of the mesh nodes, and the nodal data of all elements around them in shared memory, where it comes
// from one place: plex_gather has put it together there, coordinates once for a mesh, the solution each time. The rows
// of a warp have contributions of the same classes, and about as many; a row with far more of them than the usual is
// shared out to several threads, which add their contributions in turns. Sums lie in columns of shared memory
// (columns.cuh).
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: the element's number where that is needed,
// numbers of its nodes and dofs in the block, and the place in the row of each of its EF entries; one place behind the
// row takes what is dropped. Coordinate nodes that all elements of a row share (PLEX_CLASSES_FIXED) are read once.
// Reads 4 PLEX_WORDS bytes a contribution and 12 a row; writes 8 bytes a target.
#include "assembly/async.cuh"
#include "assembly/coordinates.cuh"
#include "assembly/columns.cuh"
#include "assembly/symmetry_args.h"

static __device__ constexpr int plex_classes[]       = {PLEX_CLASSES};       // first dof of each class
static __device__ constexpr int plex_classes_fixed[] = {PLEX_CLASSES_FIXED}; // coordinate nodes, as bits
static __device__ constexpr int plex_nodes_at[]      = {PLEX_NODES_AT};      // first bit of each item of a record
static __device__ constexpr int plex_dofs_at[]       = {PLEX_DOFS_AT};
static __device__ constexpr int plex_places_at[]     = {PLEX_PLACES_AT};
#define PLEX_CLASSES_COUNT ((int)(sizeof(plex_classes) / sizeof(int)))

typedef unsigned long long plex_bits; // numbers below 64

// Of a thread without a row, which adds nothing
#define PLEX_NO_PART 0xff

// A number as it is: the compiler would unpack it anew for each address that it is part of
PLEX_DEVICE int plex_number_anew(int n)
{
  return plex_opaque_number(n);
}

// Nodal data of a block: the first two coordinates of its nodes, the third, and the solution
struct PlexGathered {
  PlexXY    *xy;
  plex_real *z, *u, *ut;
};

// Coordinates of the nodes of a record that are in the set `mask`
template <plex_bits mask>
PLEX_DEVICE void plex_load_coordinates(const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
  _Pragma("unroll")
  for (int v = 0; v < PLEX_NV; ++v) {
    if (!(mask >> v & 1)) continue;
    const int    n     = plex_number_anew(plex_item(words, plex_nodes_at[v], PLEX_NODE_BITS));
    const PlexXY place = s.xy[n];

    nodal.x[v * PLEX_DIM]     = place.x;
    nodal.x[v * PLEX_DIM + 1] = place.y;
    if (PLEX_DIM == 3) nodal.x[v * PLEX_DIM + 2] = s.z[n];
  }
}

PLEX_DEVICE void plex_load_dofs(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) {
    const int n = plex_item(words, plex_dofs_at[i], PLEX_DOF_BITS);

    nodal.u[i] = s.u[n];
    if (args.u_t) nodal.ut[i] = s.ut[n];
  }
#endif
}

// Nodal data of the next element of class O, but for the coordinate nodes that all elements of the row share
template <int O>
PLEX_DEVICE void plex_load_next(const PlexArgs &args, const PlexGathered &s, const unsigned words[], PlexNodal &nodal)
{
  plex_load_coordinates<~(plex_bits)plex_classes_fixed[O]>(s, words, nodal);
  plex_load_dofs(args, s, words, nodal);
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, (int)words[0]);
#endif
}

// Row I of the element data, known to the compiler: by tensors it is added, by quadrature set
template <int I>
PLEX_DEVICE void plex_class_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[])
{
#if PLEX_MODAL
  plex_modal_row(args, nodal, I, row);
#else
  int fi, ni, ci, fj, nj, cj;

  #if PLEX_TENSOR && PLEX_TENSOR_COMMON
  if (plex_tensor_common(I) >= 0) {
    plex_tensor_common_row<I>(args, nodal, row);
    return;
  }
  #endif
  plex_dof(I, fi, ni, ci);
  #if PLEX_TENSOR
  plex_real point[PLEX_NQ * PLEX_POINT_SIZE];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_NQ; ++k) plex_point_data(args, nodal, k, &point[k * PLEX_POINT_SIZE]);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    plex_dof(j, fj, nj, cj);
    row[j] = plex_tensor_entry(args, point, fi, ni, ci, fj, nj, cj, row[j]);
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
      for (int b = 0; b < PLEX_KU; ++b)
        PLEX_ADD_PRODUCT(row[j], PLEX_KNOWN_ZERO(plex_trial(args, fj, q, nj, b)),
                         t[(plex_field_component(fj) + cj) * PLEX_KU + b], plex_trial(args, fj, q, nj, b));
    }
  }
  #endif
#endif
}

// Records that are on their way at a time. Two in turns where a contribution takes few instructions: no register is
// copied, which would wait for it
#define PLEX_AHEAD (PLEX_EF <= 4 ? 2 : 1)

// The records of a task that are still to come, this lane's words of them, and those of the next, which are on their
// way to registers
struct PlexRecords {
  const unsigned *next; // of the group behind those in `words`
  int             left; // groups from `next` on
  unsigned        words[PLEX_AHEAD][PLEX_WORDS];
};

// Puts the next record on its way
PLEX_DEVICE void plex_fetch_record(PlexRecords &r, int to)
{
  if (r.left-- <= 0) return;
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) r.words[to][w] = r.next[w * 32];
  r.next += PLEX_WORDS * 32;
}

// Adds a row's entries to the column that begins at `sum`; their places differ, but for the one behind the row, whose
// sum is dropped
PLEX_DEVICE void plex_sum_entries(const unsigned words[], const plex_scalar row[], char *sum, int stride)
{
  plex_scalar v[PLEX_EF];

  // all reads before all writes
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j)
    v[j] = *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) + row[j];
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j)
    *(plex_scalar *)(sum + plex_item(words, plex_places_at[j], PLEX_PLACE_BITS) * stride) = v[j];
}

// The same of a thread that has a part of a row: threads that share one take turns, as all of them add to its diagonal
template <bool alone>
PLEX_DEVICE void plex_sum_add(const unsigned words[], const plex_scalar row[], char *sum, int stride, int part,
                              int parts)
{
  if (alone) {
    if (part != PLEX_NO_PART) plex_sum_entries(words, row, sum, stride);
    return;
  }
  _Pragma("unroll 1")
  for (int p = 0; p < parts; ++p) {
    if (p == part) plex_sum_entries(words, row, sum, stride);
    plex_lanes_sync();
  }
}

// The next contribution to a row, whose record is the one `at`, added to the column that begins at `sum`; `alone` where
// no threads share a row
template <int O, bool alone, int at>
PLEX_DEVICE void plex_sum_contribution(const PlexArgs &args, const PlexGathered &s, PlexRecords &records,
                                       PlexNodal &nodal, char *sum, int stride, int part, int parts)
{
  unsigned    words[PLEX_WORDS];
  plex_real   row[PLEX_EF];
  plex_scalar entries[PLEX_EF];

  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records.words[at][w];
  plex_fetch_record(records, at);
  plex_load_next<O>(args, s, words, nodal);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = PLEX_NOTHING;
  plex_class_row<plex_classes[O]>(args, nodal, row);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) entries[j] = (plex_scalar)row[j];
  plex_sum_add<alone>(words, entries, sum, stride, part, parts);
}

// A thread's part of a row: so many groups of its task
template <int O, bool alone>
PLEX_DEVICE void plex_sum_part(const PlexArgs &args, const PlexGathered &s, PlexRecords &records, int groups, char *sum,
                               int stride, int part, int parts)
{
  PlexNodal nodal;

  plex_load_coordinates<(plex_bits)plex_classes_fixed[O]>(s, records.words[0], nodal);
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g) {
    plex_sum_contribution<O, alone, 0>(args, s, records, nodal, sum, stride, part, parts);
    if (PLEX_AHEAD == 1) continue;
    if (++g < groups)
      plex_sum_contribution<O, alone, PLEX_AHEAD - 1>(args, s, records, nodal, sum, stride, part, parts);
  }
  if (PLEX_AHEAD == 2 && PLEX_CLASSES_COUNT > 1 && groups % 2) { // the next one is the first again
    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) {
      const unsigned swap = records.words[0][w];

      records.words[0][w]              = records.words[PLEX_AHEAD - 1][w];
      records.words[PLEX_AHEAD - 1][w] = swap;
    }
  }
}

// One after the other, and not each within the one before, whose ends a warp would have to keep in memory
template <int O>
PLEX_DEVICE void plex_sum_class(int klass, const PlexArgs &args, const PlexGathered &s, PlexRecords &records,
                                int groups, char *sum, int stride, int part, int parts)
{
  if (plex_lanes_any(klass == O)) {
    // where that is little code, warps that share no row have their own
    if (PLEX_PARTS > 1 && PLEX_AHEAD == 2 && parts == 1)
      plex_sum_part<O, PLEX_AHEAD == 2>(args, s, records, groups, sum, stride, part, parts);
    else plex_sum_part<O, PLEX_PARTS == 1>(args, s, records, groups, sum, stride, part, parts);
  }
  if (O + 1 < PLEX_CLASSES_COUNT)
    plex_sum_class<(O + 1 < PLEX_CLASSES_COUNT ? O + 1 : O)>(klass, args, s, records, groups, sum, stride, part, parts);
}

// Nodal data of the block where it lies, of nn coordinate nodes and nd dofs
PLEX_DEVICE PlexGathered plex_gathered(char *at, int nn, int nd)
{
  PlexGathered s;

  s.xy = (PlexXY *)at;
  s.z  = (plex_real *)(s.xy + nn);
  s.u  = s.z + (PLEX_DIM == 3 ? nn : 0);
  s.ut = s.u + nd;
  return s;
}

// Where the nodal data of the block lies in memory
PLEX_DEVICE char *plex_nodal(const PlexSymmetryArgs &plan)
{
  return plan.places + 16 * PLEX_SYMMETRY_LINE(sizeof(plex_real), PLEX_DIM, plan.blocks + blockIdx.x, blockIdx.x);
}

// Puts together the nodal data of the block that has this number when it assembles: coordinates, or the solution
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_gather(PlexArgs args, PlexSymmetryArgs plan, int solution)
{
  const PlexSymmetryBlock *block = plan.blocks + blockIdx.x;
  const int                n0 = block[0].node, nn = block[1].node - n0, d0 = block[0].dof, nd = block[1].dof - d0;
  const PlexGathered       s = plex_gathered(plex_nodal(plan), nn, nd);

  if (!solution) plex_gather_coordinates(args.x, nn, plan.nodes + n0, s.xy, s.z);
#if PLEX_SOLUTION
  for (int k = threadIdx.x; k < nd && solution; k += PLEX_BLOCK) {
    s.u[k] = (plex_real)args.u[plan.dofs[d0 + k]];
    if (args.u_t) s.ut[k] = (plex_real)args.u_t[plan.dofs[d0 + k]];
  }
#endif
}
PLEX_EXPORT_KERNEL(plex_gather)

// A warp's memory for what is on its way: the heads of two tasks, of PLEX_SYMMETRY_HEAD words
#define PLEX_WARP_WAYS (2 * PLEX_SYMMETRY_HEAD)

// Puts the head of a task on its way
PLEX_DEVICE void plex_fetch_head(const PlexSymmetryArgs &plan, int t, unsigned *head)
{
  const int lane = threadIdx.x % 32;

  if (lane < PLEX_SYMMETRY_HEAD / 4)
    plex_copy_line(head + 4 * lane, plan.tasks + (plex_index)t * PLEX_SYMMETRY_HEAD + 4 * lane);
}

// Puts the first record of a task on its way
PLEX_DEVICE PlexRecords plex_fetch_records(const PlexSymmetryArgs &plan, const unsigned *head)
{
  PlexRecords records = {plan.records + (plex_index)head[0] * 32 * PLEX_WORDS + threadIdx.x % 32, (int)head[2]};

  // the others to the L2 cache: a line of 32 words each
  for (int k = threadIdx.x % 32; k < records.left * PLEX_WORDS; k += 32)
    plex_prefetch_L2(records.next - threadIdx.x % 32 + 32 * k);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_AHEAD; ++k) plex_fetch_record(records, k);
  return records;
}

// The nodal data of the block is put on its way
PLEX_DEVICE void plex_fetch_nodal(const PlexSymmetryArgs &plan, int nn, int nd, char *to)
{
  const int   bytes = PLEX_SYMMETRY_BYTES((int)sizeof(plex_real), PLEX_DIM, nn, nd);
  const char *from  = plex_nodal(plan);

  _Pragma("unroll 1")
  for (int k = 16 * threadIdx.x; k < bytes; k += 16 * PLEX_BLOCK) plex_copy_line(to + k, from + k);
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT)
  plex_assemble(PlexArgs args, PlexSymmetryArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  __shared__ int          taken, end; // tasks of the block: up to which they are taken, and there are
  const int               lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const PlexSymmetryBlock block = plan.blocks[blockIdx.x], next = plan.blocks[blockIdx.x + 1];
  const int               first = block.task, last = next.task, nn = next.node - block.node, nd = next.dof - block.dof;
  const PlexTarget        target  = plex_target(args);
  plex_scalar            *sums    = (plex_scalar *)(shared + PLEX_SUMS) + PLEX_SUMS_WARP * warp;
  unsigned               *head    = (unsigned *)((plex_scalar *)(shared + PLEX_SUMS) + PLEX_SUMS_WARP * PLEX_WARPS) +
                                    PLEX_WARP_WAYS * warp;
  unsigned               *other   = head + PLEX_SYMMETRY_HEAD;
  PlexRecords             records = {NULL, 0};
  int                     t       = first + warp;
  bool                    more    = t < last;

  if (threadIdx.x == 0) {
    taken = first + PLEX_WARPS;
    end   = last;
  }
  if (more) plex_fetch_head(plan, t, head);
  plex_copy_batch();
  plex_fetch_nodal(plan, nn, nd, shared);
  plex_copy_batch();
  plex_copy_wait<1>();
  plex_lanes_sync();

  const PlexGathered s = plex_gathered(shared, nn, nd);

  if (more) records = plex_fetch_records(plan, head);
  plex_copy_wait<0>();
  __syncthreads();
  while (more) {
    const int       segments = (int)head[1], longest = (int)head[3], columns = (int)head[4], parts = (int)head[5],
                    place = (int)head[64 + lane];
    unsigned *const swap  = head;

    // the head of the next task is on its way meanwhile, and its records while the rows of this one are written
    if (lane == 0) t = atomicAdd(&taken, 1);
    t    = plex_lane_get(t, 0);
    more = t < end;
    if (more) {
      plex_fetch_head(plan, t, other);
      plex_copy_batch();
    }
    for (int k = lane; k < PLEX_CHUNKED(longest + 1) << columns; k += 32) sums[k] = 0;
    plex_lanes_sync();
    for (int k = 0; k < segments; ++k) {
      const int segment = (int)head[8 + k];

      plex_sum_class<0>(segment & 31, args, s, records, segment >> 5, (char *)(sums + (place >> 8 & 0xff)),
                        (int)sizeof(plex_scalar) << columns, place & 0xff, parts);
    }
    plex_copy_wait<0>();
    plex_lanes_sync();
    if (more) records = plex_fetch_records(plan, other);
    const int id = (int)head[32 + lane], length = (int)(head[64 + lane] >> 16);

    if (columns == 5) plex_write_rows<5>(target, sums, longest, id, length);
    else if (columns == 4) plex_write_rows<4>(target, sums, longest, id, length);
    else if (columns == 3) plex_write_rows<3>(target, sums, longest, id, length);
    else plex_write_few(target, sums, columns, id, length);
    head  = other;
    other = swap;
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
