// What is common to the kernels of shared_nz by pairs: coordinates, a thread an element, rows, and the whole. The file
// that includes this one says what numbers of an element are kept, how they lie, and what is added up.
#pragma once

#include "assembly/pairs_args.h"
#include "assembly/async.cuh"
#include "assembly/places.cuh"

#define PLEX_WARPS (PLEX_BLOCK / 32)

#define PLEX_CONN_WORDS ((PLEX_NV + 1) / 2)

// Values of auxiliary fields that are kept of an element behind its numbers
#ifndef PLEX_PAIR_KEPT
  #define PLEX_PAIR_KEPT 0
#endif

PLEX_DEVICE int plex_half(unsigned word, int k)
{
  return (int)(k ? word >> 16 : word & 0xffffu);
}

// Two words of a lane
struct alignas(8) PlexTwo {
  unsigned of[2];
};

// The numbers of element e, to where they lie in shared memory; the stride is that of the block
PLEX_DEVICE void plex_pair_element(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e);
#if PLEX_PAIR_KEPT
// The values of its auxiliary fields likewise
PLEX_DEVICE void plex_pair_keep(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e);
#endif
// Numbers that are known, likewise
PLEX_DEVICE void plex_pair_store(plex_real *numbers, int stride, int e, const plex_real out[]);
// A task's sums to their places: two targets of either of two pairs
PLEX_DEVICE void plex_pair_put(const PlexTwo &targets, const plex_scalar sum[2], plex_scalar *sums)
{
  _Pragma("unroll")
  for (int m = 0; m < 2; ++m) {
    _Pragma("unroll")
    for (int k = 0; k < 2; ++k)
      if (plex_half(targets.of[m], k) != 0xffff) sums[plex_half(targets.of[m], k)] = sum[m];
  }
}
// A task without items is of zeros
PLEX_DEVICE void plex_pair_put_zeros(const PlexTwo &targets, plex_scalar *sums)
{
  const plex_scalar zeros[2] = {0, 0};

  plex_pair_put(targets, zeros, sums);
}

// The sums of a pair with many elements, which is shared out to two or four lanes
template <int n>
PLEX_DEVICE void plex_pair_share(unsigned task, plex_scalar sum[])
{
  if (task >> 23 & 3) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], 1);
  }
  if (task >> 23 & 2) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], 2);
  }
}

// All pairs of the block, so many tasks, into the sums of its rows
PLEX_DEVICE void plex_pair_tasks(const PlexArgs &args, const PlexTwo *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *turns, int stride, plex_scalar *sums);

// Puts together the coordinates of the block that has this number when it assembles
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_gather(PlexArgs args, PlexPairsArgs plan)
{
  const PlexPairsBlock b  = plan.blocks[blockIdx.x];
  PlexPlace *const     xy = (PlexPlace *)(plan.places + 16 * (plex_index)b.place);

  plex_gather_places(args.x, b.nodes, plan.nodes + b.node, xy, (plex_real *)(xy + b.nodes));
}
PLEX_EXPORT_KERNEL(plex_gather)

#if PLEX_PAIR_AUX
// First dof of auxiliary fields of element e, where there is one, and the values of all, which follow it
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

// A block's numbers; the last elements of the stride are zero, for items that are none
PLEX_DEVICE void plex_pair_elements(const PlexArgs &args, const PlexPairsArgs &plan, const PlexPairsBlock &b,
                                    const char *coordinates, plex_real *numbers, PlexBulkBarrier *barrier)
{
  const PlexPlace *xy                  = (const PlexPlace *)coordinates;
  const plex_real *z                   = (const plex_real *)(xy + b.nodes);
  const int        stride              = PLEX_PAIRS_STRIDE(b.elements, sizeof(plex_real));
  const plex_real  zeros[PLEX_NUMBERS] = {0};
  unsigned         next[PLEX_CONN_WORDS];
#if PLEX_PAIR_AUX
  // Read while the element before is computed: values of the thread's next element, the dof of the one after it. By
  // gradients a block has about as many elements as threads, and nothing is read that early
  int    dof = 0;
  double after[PLEX_PAIR_AUX];

  plex_pair_dof(plan, b, (int)threadIdx.x, dof);
  plex_pair_auxiliary(args, b, (int)threadIdx.x, dof, after);
  if (!PLEX_PAIR_KEPT) plex_pair_dof(plan, b, (int)threadIdx.x + PLEX_BLOCK, dof);
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
    if (PLEX_PAIR_KEPT) plex_pair_dof(plan, b, e + PLEX_BLOCK, dof);
    plex_pair_auxiliary(args, b, e + PLEX_BLOCK, dof, after);
    if (!PLEX_PAIR_KEPT) plex_pair_dof(plan, b, e + 2 * PLEX_BLOCK, dof);
#endif
#if PLEX_PAIR_KEPT
    plex_pair_keep(args, nodal, numbers, stride, e);
#endif
    plex_pair_element(args, nodal, numbers, stride, e);
  }
  if ((int)threadIdx.x < stride - b.elements) plex_pair_store(numbers, stride, b.elements + (int)threadIdx.x, zeros);
#if PLEX_PAIR_KEPT
  /* functions are evaluated for items that are none too: those of an element that is there */
  if ((int)threadIdx.x < stride - b.elements) {
    PlexNodal some;

    plex_pair_dof(plan, b, 0, dof);
    plex_pair_auxiliary(args, b, 0, dof, after);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PAIR_AUX; ++k) some.u[PLEX_EF + k] = (plex_real)after[k];
    plex_pair_keep(args, some, numbers, stride, b.elements + (int)threadIdx.x);
  }
#endif
}

struct alignas(2 * sizeof(plex_scalar)) PlexLine {
  plex_scalar x, y;
};

// In one read
struct alignas(16) PlexAlignedLines {
  PlexPairsLines lines;
};

// In one write: the compiler would make it two, as there are writes of one of them beside it
PLEX_DEVICE void plex_pair_write(plex_scalar *to, const PlexLine &v)
{
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(plex_scalar) == 8, "double");
  asm volatile("st.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(v.x), "d"(v.y) : "memory");
#else
  *(PlexLine *)to = v;
#endif
}

// Writes the block's sums, a line of two a thread, which is part of a run of rows that lie one behind the other in the
// matrix; offsets: of each run
PLEX_DEVICE void plex_pair_rows(const PlexArgs &args, const int *offsets, const PlexPairsLines *lines, int n,
                                const plex_scalar *sums)
{
  const PlexTarget target = plex_target(args);
  const unsigned   lane = 1u << threadIdx.x % 32, upTo = 2 * lane - 1;
#if PLEX_PARALLEL
  const bool aligned = !(((size_t)args.A | (size_t)args.B) & (sizeof(PlexLine) - 1));
#else
  const bool aligned = !((size_t)args.A & (sizeof(PlexLine) - 1));
#endif

  _Pragma("unroll 2")
  for (unsigned k = threadIdx.x; k < (unsigned)n; k += PLEX_BLOCK) {
    const PlexPairsLines at  = ((const PlexAlignedLines *)lines)[k / 32].lines;
    const PlexLine       v   = ((const PlexLine *)sums)[k];
    plex_scalar *const   to  = target + (plex_index)(offsets[at.before + __popc(at.begins & upTo) - 1] + 2 * (int)k);
    const bool           one = (at.first | at.second) & lane, second = at.second & lane;

    if (aligned && !one) plex_pair_write(to, v);
    if (!aligned || one) {
      if (!second) to[0] = v.x;
      if (second || !one) to[1] = v.y;
    }
  }
}

// Lanes that sum a row: of trilinear hexahedra all warps have rows then, which are of 27 entries
#if PLEX_LINES_MATRIX
  #define PLEX_ROW_LANES 1
  #define PLEX_ROW_ADDS  9
#else
  #define PLEX_ROW_LANES 2
  #define PLEX_ROW_ADDS  4
#endif

// The sum of a form of derivatives over all columns is zero, as that of the basis functions is constant: the diagonal
// entry of a row is less the sum of the others
PLEX_DEVICE void plex_pair_diagonals(const PlexPairsRow *rows, int n, plex_scalar *sums)
{
  constexpr int rowsWarp = 32 / PLEX_ROW_LANES;

  _Pragma("unroll 1")
  for (int first = threadIdx.x / 32 * rowsWarp; first < n; first += PLEX_WARPS * rowsWarp) {
    const int          r = first + threadIdx.x % 32 / PLEX_ROW_LANES, lane = threadIdx.x % PLEX_ROW_LANES;
    const PlexPairsRow row  = rows[r < n ? r : n - 1];
    const int          from = plex_half((unsigned)row.place, 0),
                       adds = (plex_half((unsigned)row.place, 1) - lane + PLEX_ROW_LANES - 1) / PLEX_ROW_LANES;
    /* it reads the diagonal's place */
    const bool         own    = r < n && (row.diagonal - from) % PLEX_ROW_LANES == lane;
    const plex_scalar *at     = sums + from + lane;
    plex_scalar        sum[2] = {0, 0};

    if (own) sums[row.diagonal] = 0;
    if (r < n) {
      int k = 0;

      _Pragma("unroll 1")
      for (; k + PLEX_ROW_ADDS <= adds; k += PLEX_ROW_ADDS) {
        _Pragma("unroll")
        for (int m = 0; m < PLEX_ROW_ADDS; ++m) sum[m % 2] += at[(k + m) * PLEX_ROW_LANES];
      }
      _Pragma("unroll 1")
      for (; k < adds; ++k) sum[0] += at[k * PLEX_ROW_LANES];
    }
    sum[0] += sum[1];
    if (PLEX_ROW_LANES > 1) sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], 1);
    if (own) sums[row.diagonal] = -sum[0];
  }
}

// In one read
struct alignas(16) PlexAlignedBlock {
  PlexPairsBlock block;
};

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexPairsArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  __shared__ PlexBulkBarrier barriers[2];
  const PlexPairsBlock       b       = ((const PlexAlignedBlock *)plan.blocks)[blockIdx.x].block;
  const int                  stride  = PLEX_PAIRS_STRIDE(b.elements, sizeof(plex_real));
  plex_real *const           numbers = (plex_real *)shared;
  char *const                turns   = shared + PLEX_NUMBERS * stride * (int)sizeof(plex_real);
  char *const                lists   = turns + PLEX_TURNS_BYTES;
  const int *const           offsets = (const int *)(lists + (4 * b.tasks + 15) / 16 * 16);
  const PlexPairsLines      *lines   = (const PlexPairsLines *)(offsets + (b.runs + 3) / 4 * 4);
  char *const                records = lists + 16 * b.heads;
  char *const                behind  = records + 256 * b.groups; // coordinates, then sums

  // the last warp, which has least to do, fetches to the L2 cache what the block reads that will follow about here
  const bool       fetches = PLEX_BULK && threadIdx.x == PLEX_BLOCK - 1 && blockIdx.x + PLEX_LATER < gridDim.x;
  PlexAlignedBlock later;

  if (fetches) later = ((const PlexAlignedBlock *)plan.blocks)[blockIdx.x + PLEX_LATER];
  if (!PLEX_BULK || threadIdx.x == 0) {
    plex_bulk_expect(&barriers[0], 16 * b.lines);
    plex_bulk_expect(&barriers[1], PLEX_TURNS_BYTES + 16 * b.heads + 256 * b.groups);
    plex_bulk_copy(&barriers[0], behind, plan.places + 16 * (plex_index)b.place, 16 * b.lines);
    plex_bulk_copy(&barriers[1], turns, (const char *)plan.turns, PLEX_TURNS_BYTES);
    plex_bulk_copy(&barriers[1], lists, (const char *)plan.lists + 16 * (plex_index)b.list, 16 * b.heads);
    plex_bulk_copy(&barriers[1], records, (const char *)plan.records + 256 * (plex_index)b.group, 256 * b.groups);
  }
  plex_pair_elements(args, plan, b, behind, numbers, &barriers[0]);
  if (fetches) {
    plex_bulk_prefetch(plan.places + 16 * (plex_index)later.block.place, 16 * later.block.lines);
    plex_bulk_prefetch(plan.conn + later.block.conn,
                       4 * (PLEX_CONN_WORDS + (PLEX_PAIR_AUX > 0)) * later.block.elements);
    plex_bulk_prefetch((const char *)plan.lists + 16 * (plex_index)later.block.list, 16 * later.block.heads);
    plex_bulk_prefetch((const char *)plan.records + 256 * (plex_index)later.block.group, 256 * later.block.groups);
    if (blockIdx.x + 2 * PLEX_LATER < gridDim.x)
      plex_bulk_prefetch(plan.blocks + blockIdx.x + 2 * PLEX_LATER, sizeof(PlexPairsBlock));
  }
  plex_bulk_wait(&barriers[1]);
  __syncthreads();
  plex_pair_tasks(args, (const PlexTwo *)records, b.tasks, (const unsigned *)lists, numbers, (const unsigned *)turns,
                  stride, (plex_scalar *)behind);
  __syncthreads();
#if PLEX_ROW_SUMS
  plex_pair_diagonals((const PlexPairsRow *)(lines + (b.sums + 31) / 32), b.complete, (plex_scalar *)behind);
  __syncthreads();
#endif
  plex_pair_rows(args, offsets, lines, b.sums, (const plex_scalar *)behind);
}
PLEX_EXPORT_KERNEL(plex_assemble)
