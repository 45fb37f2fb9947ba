// The kernels of shared_nz by pairs, but for three parts that the file that includes this one defines: which numbers a
// block stores of an element (plex_pair_element), their layout (plex_pair_store), and how they are summed
// (plex_pair_tasks). Structures and their bits are in pairs_args.h.
#pragma once

#include "assembly/pairs_args.h"
#include "assembly/async.cuh"
#include "assembly/coordinates.cuh"

#define PLEX_WARPS (PLEX_BLOCK / 32)

#define PLEX_CONN_WORDS ((PLEX_NV + 1) / 2)

// Values of auxiliary fields that are stored of an element, after its numbers
#ifndef PLEX_PAIR_AUX_STORED
  #define PLEX_PAIR_AUX_STORED 0
#endif

PLEX_DEVICE int plex_half(unsigned word, int k)
{
  return (int)(k ? word >> 16 : word & 0xffffu);
}

// The two words of a lane in a record
struct alignas(8) PlexUint2 {
  unsigned of[2];
};

// Computes the numbers of element e and stores them; numbers[] and stride: of the block, in shared memory
PLEX_DEVICE void plex_pair_element(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e);
#if PLEX_PAIR_AUX_STORED
// The same of the values of its auxiliary fields
PLEX_DEVICE void plex_pair_store_aux(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride,
                                     int e);
#endif
// Stores numbers out[PLEX_NUMBERS]
PLEX_DEVICE void plex_pair_store(plex_real *numbers, int stride, int e, const plex_real out[]);
// Writes the sums of a lane's two pairs to the targets of each, (i, j) and (j, i)
PLEX_DEVICE void plex_pair_write_sums(const PlexUint2 &targets, const plex_scalar sum[2], plex_scalar *sums)
{
  _Pragma("unroll")
  for (int m = 0; m < 2; ++m) {
    _Pragma("unroll")
    for (int k = 0; k < 2; ++k)
      if (plex_half(targets.of[m], k) != 0xffff) sums[plex_half(targets.of[m], k)] = sum[m];
  }
}
// A task without items
PLEX_DEVICE void plex_pair_put_zeros(const PlexUint2 &targets, plex_scalar *sums)
{
  const plex_scalar zeros[2] = {0, 0};

  plex_pair_write_sums(targets, zeros, sums);
}

// Adds up the sums of the two or four lanes that share a pair
template <int n>
PLEX_DEVICE void plex_pair_reduce(unsigned task, plex_scalar sum[])
{
  if (task >> 23 & 3) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) sum[k] += plex_lane_xor(sum[k], 1);
  }
  if (task >> 23 & 2) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) sum[k] += plex_lane_xor(sum[k], 2);
  }
}

// Sums all pairs of the block, in n tasks
PLEX_DEVICE void plex_pair_tasks(const PlexArgs &args, const PlexUint2 *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *permutations, int stride, plex_scalar *sums);

// Gathers the coordinates of the nodes of block blockIdx.x of plex_assemble
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_gather(PlexArgs args, PlexPairsArgs plan)
{
  const PlexPairsBlock b  = plan.blocks[blockIdx.x];
  PlexXY *const        xy = (PlexXY *)(plan.coordinates + 16 * (plex_index)b.coordinate);

  plex_gather_coordinates(args.x, b.nodes, plan.nodes + b.node, xy, (plex_real *)(xy + b.nodes));
}
PLEX_EXPORT_KERNEL(plex_gather)

#if PLEX_PAIR_AUX
// First dof of the auxiliary fields of element e, if there is such an element; and the values of all, which follow it
PLEX_DEVICE void plex_pair_dof(const PlexPairsArgs &plan, const PlexPairsBlock &b, int e, int &dof)
{
  if (e < b.elements) dof = (int)plan.conn[b.conn + PLEX_CONN_WORDS * b.elements + e];
}
PLEX_DEVICE void plex_pair_auxiliary(const PlexArgs &args, const PlexPairsBlock &b, int e, int dof, double values[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_PAIR_AUX; ++k)
    if (e < b.elements) values[k] = args.aux[dof + k];
}
#endif

// Computes the numbers of all elements of a block, and zeros up to the stride, which padding items read
PLEX_DEVICE void plex_pair_elements(const PlexArgs &args, const PlexPairsArgs &plan, const PlexPairsBlock &b,
                                    const char *coordinates, plex_real *numbers, PlexBulkBarrier *barrier)
{
  const PlexXY    *xy                  = (const PlexXY *)coordinates;
  const plex_real *z                   = (const plex_real *)(xy + b.nodes);
  const int        stride              = PLEX_PAIRS_STRIDE(b.elements, sizeof(plex_real));
  const plex_real  zeros[PLEX_NUMBERS] = {0};
  unsigned         next[PLEX_CONN_WORDS];
#if PLEX_PAIR_AUX
  // Software pipeline: values are loaded one element of the thread ahead, dofs two. By gradients a block has about as
  // many elements as threads, and dofs are loaded just before values
  int    dof = 0;
  double after[PLEX_PAIR_AUX];

  plex_pair_dof(plan, b, (int)threadIdx.x, dof);
  plex_pair_auxiliary(args, b, (int)threadIdx.x, dof, after);
  if (!PLEX_PAIR_AUX_STORED) plex_pair_dof(plan, b, (int)threadIdx.x + PLEX_BLOCK, dof);
#endif

  _Pragma("unroll")
  for (int w = 0; w < PLEX_CONN_WORDS; ++w)
    next[w] = (int)threadIdx.x < b.elements ? plan.conn[b.conn + w * b.elements + (int)threadIdx.x] : 0;
  __syncthreads();
  plex_bulk_wait(barrier);
  for (int e = threadIdx.x; e < b.elements; e += PLEX_BLOCK) {
    PlexNodal nodal;
    unsigned  conn[PLEX_CONN_WORDS];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_CONN_WORDS; ++w) conn[w] = next[w];
    _Pragma("unroll")
    for (int w = 0; w < PLEX_CONN_WORDS; ++w)
      if (e + PLEX_BLOCK < b.elements) next[w] = plan.conn[b.conn + w * b.elements + e + PLEX_BLOCK];
    _Pragma("unroll")
    for (int v = 0; v < PLEX_NV; ++v) {
      const int n = plex_half(conn[v / 2], v % 2) & 0x7fff;

      nodal.x[v * PLEX_DIM]     = xy[n].x;
      nodal.x[v * PLEX_DIM + 1] = xy[n].y;
      if (PLEX_DIM == 3) nodal.x[v * PLEX_DIM + PLEX_DIM - 1] = z[n];
    }
    nodal.reflected = (int)conn[PLEX_CONN_WORDS - 1] < 0;
#if PLEX_PAIR_AUX
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PAIR_AUX; ++k) nodal.u[PLEX_EF + k] = (plex_real)after[k];
    if (PLEX_PAIR_AUX_STORED) plex_pair_dof(plan, b, e + PLEX_BLOCK, dof);
    plex_pair_auxiliary(args, b, e + PLEX_BLOCK, dof, after);
    if (!PLEX_PAIR_AUX_STORED) plex_pair_dof(plan, b, e + 2 * PLEX_BLOCK, dof);
#endif
#if PLEX_PAIR_AUX_STORED
    plex_pair_store_aux(args, nodal, numbers, stride, e);
#endif
    plex_pair_element(args, nodal, numbers, stride, e);
  }
  if ((int)threadIdx.x < stride - b.elements) plex_pair_store(numbers, stride, b.elements + (int)threadIdx.x, zeros);
#if PLEX_PAIR_AUX_STORED
  /* pointwise functions are evaluated of padding, too: it gets the values of an element */
  if ((int)threadIdx.x < stride - b.elements) {
    PlexNodal some;

    plex_pair_dof(plan, b, 0, dof);
    plex_pair_auxiliary(args, b, 0, dof, after);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PAIR_AUX; ++k) some.u[PLEX_EF + k] = (plex_real)after[k];
    plex_pair_store_aux(args, some, numbers, stride, b.elements + (int)threadIdx.x);
  }
#endif
}

struct alignas(2 * sizeof(plex_scalar)) PlexScalar2 {
  plex_scalar x, y;
};

// Read by one instruction
struct alignas(16) PlexAlignedWrites {
  PlexPairsWrites writes;
};

// One store instruction: the compiler would make two, as the other branch stores one of the sums
PLEX_DEVICE void plex_pair_write(plex_scalar *to, const PlexScalar2 &v)
{
  plex_store_pair(to, v.x, v.y);
}

// Writes the block's sums to the matrix, two a thread. offsets[]: of each span the slot of its first target less the
// offset of its first sum
PLEX_DEVICE void plex_pair_rows(const PlexArgs &args, const int *offsets, const PlexPairsWrites *writes, int n,
                                const plex_scalar *sums)
{
  const PlexTarget target = plex_target(args);
  const unsigned   lane = 1u << threadIdx.x % 32, upTo = 2 * lane - 1;
#if PLEX_PARALLEL
  const bool aligned = !(((size_t)args.A | (size_t)args.B) & (sizeof(PlexScalar2) - 1));
#else
  const bool aligned = !((size_t)args.A & (sizeof(PlexScalar2) - 1));
#endif

  _Pragma("unroll 2")
  for (unsigned k = threadIdx.x; k < (unsigned)n; k += PLEX_BLOCK) {
    const PlexPairsWrites at  = ((const PlexAlignedWrites *)writes)[k / 32].writes;
    const PlexScalar2     v   = ((const PlexScalar2 *)sums)[k];
    plex_scalar *const    to  = target + (plex_index)(offsets[at.before + __popc(at.begins & upTo) - 1] + 2 * (int)k);
    const bool            one = (at.first | at.second) & lane, second = at.second & lane;

    if (aligned && !one) plex_pair_write(to, v);
    if (!aligned || one) {
      if (!second) to[0] = v.x;
      if (second || !one) to[1] = v.y;
    }
  }
}

// Lanes that sum a row. With one lane a row of 27 entries (trilinear hexahedra) all warps have rows
#if PLEX_LINES_MATRIX
  #define PLEX_ROW_LANES  1
  #define PLEX_ROW_UNROLL 9
#else
  #define PLEX_ROW_LANES  2
  #define PLEX_ROW_UNROLL 4
#endif

// A_ii = -sum of A_ij over j != i: the basis functions sum to a constant, whose derivatives are zero
PLEX_DEVICE void plex_pair_diagonals(const PlexPairsRow *rows, int n, plex_scalar *sums)
{
  constexpr int rowsWarp = 32 / PLEX_ROW_LANES;

  _Pragma("unroll 1")
  for (int first = threadIdx.x / 32 * rowsWarp; first < n; first += PLEX_WARPS * rowsWarp) {
    const int          r = first + threadIdx.x % 32 / PLEX_ROW_LANES, lane = threadIdx.x % PLEX_ROW_LANES;
    const PlexPairsRow row  = rows[r < n ? r : n - 1];
    const int          from = plex_half((unsigned)row.entries, 0),
                       adds = (plex_half((unsigned)row.entries, 1) - lane + PLEX_ROW_LANES - 1) / PLEX_ROW_LANES;
    /* the lane that reads the diagonal */
    const bool         own    = r < n && (row.diagonal - from) % PLEX_ROW_LANES == lane;
    const plex_scalar *at     = sums + from + lane;
    plex_scalar        sum[2] = {0, 0};

    if (own) sums[row.diagonal] = 0;
    if (r < n) {
      int k = 0;

      _Pragma("unroll 1")
      for (; k + PLEX_ROW_UNROLL <= adds; k += PLEX_ROW_UNROLL) {
        _Pragma("unroll")
        for (int m = 0; m < PLEX_ROW_UNROLL; ++m) sum[m % 2] += at[(k + m) * PLEX_ROW_LANES];
      }
      _Pragma("unroll 1")
      for (; k < adds; ++k) sum[0] += at[k * PLEX_ROW_LANES];
    }
    sum[0] += sum[1];
    if (PLEX_ROW_LANES > 1) sum[0] += plex_lane_xor(sum[0], 1);
    if (own) sums[row.diagonal] = -sum[0];
  }
}

// Read by vector instructions
struct alignas(16) PlexAlignedBlock {
  PlexPairsBlock block;
};

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexPairsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  __shared__ PlexBulkBarrier barriers[2];
  const PlexPairsBlock       b            = ((const PlexAlignedBlock *)plan.blocks)[blockIdx.x].block;
  const int                  stride       = PLEX_PAIRS_STRIDE(b.elements, sizeof(plex_real));
  plex_real *const           numbers      = (plex_real *)shared;
  char *const                permutations = shared + PLEX_NUMBERS * stride * (int)sizeof(plex_real);
  char *const                lists        = permutations + PLEX_PERMUTATION_BYTES;
  const int *const           offsets      = (const int *)(lists + (4 * b.tasks + 15) / 16 * 16);
  const PlexPairsWrites     *writes       = (const PlexPairsWrites *)(offsets + (b.spans + 3) / 4 * 4);
  char *const                records      = lists + 16 * b.listQuads;
  char *const                scratch = records + 256 * b.records; // coordinates; after all elements are computed, sums

  // the last warp, which has least to do, prefetches to the L2 cache what a later block reads
  const bool fetches = PLEX_BULK && threadIdx.x == PLEX_BLOCK - 1 && blockIdx.x + PLEX_PREFETCH_DISTANCE < gridDim.x;
  PlexAlignedBlock ahead;

  if (fetches) ahead = ((const PlexAlignedBlock *)plan.blocks)[blockIdx.x + PLEX_PREFETCH_DISTANCE];
  if (!PLEX_BULK || threadIdx.x == 0) {
    plex_bulk_expect(&barriers[0], 16 * b.coordinateQuads);
    plex_bulk_expect(&barriers[1], PLEX_PERMUTATION_BYTES + 16 * b.listQuads + 256 * b.records);
    plex_bulk_copy(&barriers[0], scratch, plan.coordinates + 16 * (plex_index)b.coordinate, 16 * b.coordinateQuads);
    plex_bulk_copy(&barriers[1], permutations, (const char *)plan.permutations, PLEX_PERMUTATION_BYTES);
    plex_bulk_copy(&barriers[1], lists, (const char *)plan.lists + 16 * (plex_index)b.list, 16 * b.listQuads);
    plex_bulk_copy(&barriers[1], records, (const char *)plan.records + 256 * (plex_index)b.record, 256 * b.records);
  }
  plex_pair_elements(args, plan, b, scratch, numbers, &barriers[0]);
  if (fetches) {
    plex_bulk_prefetch(plan.coordinates + 16 * (plex_index)ahead.block.coordinate, 16 * ahead.block.coordinateQuads);
    plex_bulk_prefetch(plan.conn + ahead.block.conn,
                       4 * (PLEX_CONN_WORDS + (PLEX_PAIR_AUX > 0)) * ahead.block.elements);
    plex_bulk_prefetch((const char *)plan.lists + 16 * (plex_index)ahead.block.list, 16 * ahead.block.listQuads);
    plex_bulk_prefetch((const char *)plan.records + 256 * (plex_index)ahead.block.record, 256 * ahead.block.records);
    if (blockIdx.x + 2 * PLEX_PREFETCH_DISTANCE < gridDim.x)
      plex_bulk_prefetch(plan.blocks + blockIdx.x + 2 * PLEX_PREFETCH_DISTANCE, sizeof(PlexPairsBlock));
  }
  plex_bulk_wait(&barriers[1]);
  __syncthreads();
  plex_pair_tasks(args, (const PlexUint2 *)records, b.tasks, (const unsigned *)lists, numbers,
                  (const unsigned *)permutations, stride, (plex_scalar *)scratch);
  __syncthreads();
#if PLEX_ZERO_ROW_SUMS
  plex_pair_diagonals((const PlexPairsRow *)(writes + (b.sums + 31) / 32), b.zeroSumRows, (plex_scalar *)scratch);
  __syncthreads();
#endif
  plex_pair_rows(args, offsets, writes, b.sums, (const plex_scalar *)scratch);
}
PLEX_EXPORT_KERNEL(plex_assemble)
