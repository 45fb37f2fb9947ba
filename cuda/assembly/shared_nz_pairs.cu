// shared_nz by pairs of nodes: of a scalar form of derivatives alone, integrated by tensors that are constant in an affine simplex and symmetric.
//
// All entries of an element matrix follow from the numbers of one of order 1, with lambda the barycentric coordinates:
//
//   Gamma_ab = |J| grad lambda_a . g3 grad lambda_b       A_ij = sum_a<=b C_ij,ab Gamma_ab
//
// so that these are kept in shared memory, and no element matrices. Pairs (i, j) that a symmetry of the cell takes to each other have the same C but for the
// order of the vertices, which are few kinds (src/assembly/impls/shared/pairkinds.c). A pair of dofs of the mesh is of one kind in all its elements.
//
// A block has a part of the mesh nodes, and all elements around them. First a thread computes the numbers of an element at a time. Then a thread sums
// two pairs over their elements, each into two places of the rows that the block has in shared memory, or one where the other row is another block's. What it
// is to sum lies in shared memory as well. Then the rows are written, two entries a thread at a time.
//
// Reads 8 dim bytes a coordinate node of a block, 2 a vertex of its elements, 4 a pair and 2 for each of its elements, 8 a run of rows; writes 8 bytes a target.
#include "assembly/pairs_args.h"
#include "assembly/async.cuh"

#define PLEX_WARPS (PLEX_BLOCK / 32)

// Of each kind, in the memory for constants, as all threads of a warp read the same: first word of turns, the first term's coefficient, and those of the others in it
struct PlexKind {
  int       turns;
  plex_real factor, coefficients[PLEX_TERMS];
};
static __constant__ PlexKind    plex_kinds[]      = {PLEX_KINDS};
static __device__ constexpr int plex_numbers_of[] = {PLEX_NUMBERS_OF}; // of each number, a and b

#define PLEX_CONN_WORDS ((PLEX_NV + 1) / 2)

PLEX_DEVICE int plex_half(unsigned word, int k)
{
  return (int)(k ? word >> 16 : word & 0xffffu);
}

// Coordinates of a block where they lie: x and y are read in one
struct alignas(2 * sizeof(plex_real)) PlexPlace {
  plex_real x, y;
};

// Puts together the coordinates of the block that has this number when it assembles
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_gather(PlexArgs args, PlexPairsArgs plan)
{
  const PlexPairsBlock b  = plan.blocks[blockIdx.x];
  PlexPlace *const     xy = (PlexPlace *)(plan.places + 16 * (plex_index)b.place);
  plex_real *const     z  = (plex_real *)(xy + b.nodes);

  for (int k = threadIdx.x; k < b.nodes; k += PLEX_BLOCK) {
    const double *x = args.x + (plex_index)plan.nodes[b.node + k] * PLEX_DIM;

    xy[k].x = (plex_real)(x[0] / PLEX_COORDINATE_FACTOR);
    xy[k].y = (plex_real)(x[1] / PLEX_COORDINATE_FACTOR);
    if (PLEX_DIM == 3) z[k] = (plex_real)(x[PLEX_DIM - 1] / PLEX_COORDINATE_FACTOR);
  }
}
PLEX_EXPORT_KERNEL(plex_gather)

// The numbers of one element
PLEX_DEVICE void plex_pair_numbers(const PlexArgs &args, const PlexNodal &nodal, plex_real out[PLEX_NUMBERS])
{
  plex_real G[PLEX_POINT_SIZE];

  plex_point_data(args, nodal, 0, G);
  _Pragma("unroll")
  for (int n = 0; n < PLEX_NUMBERS; ++n) {
    const int a = plex_numbers_of[2 * n], b = plex_numbers_of[2 * n + 1];

    out[n] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) {
      _Pragma("unroll")
      for (int l = 0; l < PLEX_DIM; ++l) {
        const plex_real factor = PLEX_COORDINATE(args, 0, a, 1 + k) * PLEX_COORDINATE(args, 0, b, 1 + l);

        PLEX_ADD_PRODUCT(out[n], PLEX_KNOWN_ZERO(factor), factor, G[k < l ? k * PLEX_DIM + l : l * PLEX_DIM + k]);
      }
    }
  }
}

// A block's numbers, [PLEX_NUMBERS][stride]; the last element of the stride is zero, for items that are none
PLEX_DEVICE void plex_pair_elements(const PlexArgs &args, const PlexPairsArgs &plan, const PlexPairsBlock &b, const char *coordinates, plex_real *numbers, PlexBulkBarrier *barrier)
{
  const PlexPlace *xy     = (const PlexPlace *)coordinates;
  const plex_real *z      = (const plex_real *)(xy + b.nodes);
  const int        stride = b.elements + 1;
  unsigned         next[PLEX_CONN_WORDS];

  _Pragma("unroll")
  for (int w = 0; w < PLEX_CONN_WORDS; ++w) next[w] = (int)threadIdx.x < b.elements ? plan.conn[b.conn + w * b.elements + (int)threadIdx.x] : 0;
  __syncthreads();
  plex_bulk_wait(barrier);
  for (int e = threadIdx.x; e < b.elements; e += PLEX_BLOCK) {
    PlexNodal nodal;
    plex_real out[PLEX_NUMBERS];
    unsigned  conn[PLEX_CONN_WORDS];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_CONN_WORDS; ++w) conn[w] = next[w];
    _Pragma("unroll")
    for (int w = 0; w < PLEX_CONN_WORDS; ++w)
      if (e + PLEX_BLOCK < b.elements) next[w] = plan.conn[b.conn + w * b.elements + e + PLEX_BLOCK];
    _Pragma("unroll")
    for (int v = 0; v < PLEX_NV; ++v) {
      const int n = plex_half(conn[v / 2], v % 2);

      nodal.x[v * PLEX_DIM]     = xy[n].x;
      nodal.x[v * PLEX_DIM + 1] = xy[n].y;
      if (PLEX_DIM == 3) nodal.x[v * PLEX_DIM + PLEX_DIM - 1] = z[n];
    }
    plex_pair_numbers(args, nodal, out);
    _Pragma("unroll")
    for (int n = 0; n < PLEX_NUMBERS; ++n) numbers[n * stride + e] = out[n];
  }
  for (int n = threadIdx.x; n < PLEX_NUMBERS; n += PLEX_BLOCK) numbers[n * stride + b.elements] = 0;
}

// What one element adds to a pair of a kind of so many terms, but for the kind's factor; turns: the numbers of terms
template <int terms>
PLEX_DEVICE plex_real plex_pair_item(const plex_real *numbers, const unsigned *turns, int stride, const plex_real coefficients[], int item)
{
  plex_real v = PLEX_NOTHING;

  if (terms == 1) return numbers[item];
  const unsigned  *turn = turns + (item >> PLEX_ELEMENT_BITS) * ((terms + 1) / 2);
  const plex_real *at   = numbers + (item & ((1 << PLEX_ELEMENT_BITS) - 1));

  _Pragma("unroll")
  for (int t = 0; t < terms; ++t) {
    const plex_real number = at[plex_half(turn[t / 2], t % 2) * stride];

    v = t ? v + coefficients[t] * number : number;
  }
  return v;
}

// A word for each of a lane's two pairs, of which so many are added together
#define PLEX_PAIR_WORDS 2
struct alignas(8) PlexTwo {
  unsigned of[2];
};

// Adds the items of so many words
template <int terms, int words>
PLEX_DEVICE void plex_pair_add(const plex_real *numbers, const unsigned *turns, int stride, const plex_real coefficients[], const PlexTwo *items, plex_scalar sum[2])
{
  plex_real v[words][2][2];
  PlexTwo   item[words];

  _Pragma("unroll")
  for (int w = 0; w < words; ++w) item[w] = items[w * 32];
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) _Pragma("unroll")
  for (int k = 0; k < 2; ++k) v[w][p][k] = plex_pair_item<terms>(numbers, turns, stride, coefficients, plex_half(item[w].of[p], k));
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) sum[p] += (plex_scalar)v[w][p][0] + (plex_scalar)v[w][p][1];
}

template <int terms>
PLEX_DEVICE void plex_pair_sum(int kind, const plex_real *numbers, const unsigned *turns, int stride, const PlexTwo *items, int words, plex_scalar sum[2])
{
  plex_real coefficients[terms];

  _Pragma("unroll")
  for (int t = 1; t < terms; ++t) coefficients[t] = plex_kinds[kind].coefficients[t];
  if (terms > 1) turns += plex_kinds[kind].turns;
  _Pragma("unroll 1")
  for (; words >= PLEX_PAIR_WORDS; words -= PLEX_PAIR_WORDS, items += PLEX_PAIR_WORDS * 32) plex_pair_add<terms, PLEX_PAIR_WORDS>(numbers, turns, stride, coefficients, items, sum);
  _Pragma("unroll 1")
  for (; words > 0; --words, items += 32) plex_pair_add<terms, 1>(numbers, turns, stride, coefficients, items, sum);
}

// Kinds of at least so many terms
template <int terms>
PLEX_DEVICE void plex_pair_of(int n, int kind, const plex_real *numbers, const unsigned *turns, int stride, const PlexTwo *items, int words, plex_scalar sum[2])
{
  if (n == terms || terms == PLEX_TERMS) plex_pair_sum<terms>(kind, numbers, turns, stride, items, words, sum);
  else plex_pair_of<(terms < PLEX_TERMS ? terms + 1 : terms)>(n, kind, numbers, turns, stride, items, words, sum);
}

// All pairs of the block into the sums of its rows; a task without items is of zeros. A pair with many elements is shared out to two or four lanes
PLEX_DEVICE void plex_pair_tasks(const PlexTwo *records, int n, const unsigned *tasks, const plex_real *numbers, const unsigned *turns, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = threadIdx.x / 32; t < n; t += PLEX_WARPS) {
    const unsigned task    = tasks[t];
    const PlexTwo *at      = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
    const PlexTwo  targets = *at;
    const int      words = (int)(task >> 25), kind = (int)(task >> 16 & 0x7f);
    plex_scalar    sum[2] = {0, 0};

    if (words) {
      plex_pair_of<1>((int)(task >> 13 & 7), kind, numbers, turns, stride, at + 32, words, sum);
      if (task >> 23 & 3) {
        _Pragma("unroll")
        for (int m = 0; m < 2; ++m) sum[m] += __shfl_xor_sync(0xffffffffu, sum[m], 1);
      }
      if (task >> 23 & 2) {
        _Pragma("unroll")
        for (int m = 0; m < 2; ++m) sum[m] += __shfl_xor_sync(0xffffffffu, sum[m], 2);
      }
      _Pragma("unroll")
      for (int m = 0; m < 2; ++m) sum[m] *= (plex_scalar)plex_kinds[kind].factor;
    }
    _Pragma("unroll")
    for (int m = 0; m < 2; ++m) {
      _Pragma("unroll")
      for (int k = 0; k < 2; ++k)
        if (plex_half(targets.of[m], k) != 0xffff) sums[plex_half(targets.of[m], k)] = sum[m];
    }
  }
}

struct alignas(2 * sizeof(plex_scalar)) PlexLine {
  plex_scalar x, y;
};

// Writes the block's sums, a line of two a thread, which is part of a run of rows that lie one behind the other in the matrix
PLEX_DEVICE void plex_pair_rows(const PlexPairsRun *runs, const PlexPairsLines *lines, int n, const plex_scalar *sums, PlexTarget target)
{
  const unsigned upTo = 0xffffffffu >> (31 - threadIdx.x % 32);

  _Pragma("unroll 2")
  for (int k = threadIdx.x; k < n; k += PLEX_BLOCK) {
    const PlexPairsLines at    = lines[k / 32];
    const PlexPairsRun   run   = runs[at.before + __popc(at.begins & upTo) - 1];
    const int            first = plex_half((unsigned)run.place, 0), end = first + plex_half((unsigned)run.place, 1);
    const PlexLine       v  = ((const PlexLine *)sums)[k];
    plex_scalar *const   to = target + (plex_index)run.target + (2 * k - first);

    if (2 * k >= first && 2 * k + 1 < end && !((size_t)to & 8)) *(PlexLine *)to = v;
    else {
      if (2 * k >= first && 2 * k < end) to[0] = v.x;
      if (2 * k + 1 < end) to[1] = v.y;
    }
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
  const int                  stride  = b.elements + 1;
  plex_real *const           numbers = (plex_real *)shared;
  char *const                turns   = shared + (PLEX_NUMBERS * stride * (int)sizeof(plex_real) + 15) / 16 * 16;
  char *const                lists   = turns + PLEX_TURNS_BYTES;
  char *const                runs    = lists + (4 * b.tasks + 15) / 16 * 16;
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
    plex_bulk_prefetch(plan.conn + later.block.conn, 4 * PLEX_CONN_WORDS * later.block.elements);
    plex_bulk_prefetch((const char *)plan.lists + 16 * (plex_index)later.block.list, 16 * later.block.heads);
    plex_bulk_prefetch((const char *)plan.records + 256 * (plex_index)later.block.group, 256 * later.block.groups);
    plex_bulk_prefetch(plan.blocks + blockIdx.x + 2 * PLEX_LATER, sizeof(PlexPairsBlock));
  }
  plex_bulk_wait(&barriers[1]);
  __syncthreads();
  plex_pair_tasks((const PlexTwo *)records, b.tasks, (const unsigned *)lists, numbers, (const unsigned *)turns, stride, (plex_scalar *)behind);
  __syncthreads();
  plex_pair_rows((const PlexPairsRun *)runs, (const PlexPairsLines *)runs + b.runs, b.sums, (const plex_scalar *)behind, plex_target(args));
}
PLEX_EXPORT_KERNEL(plex_assemble)
