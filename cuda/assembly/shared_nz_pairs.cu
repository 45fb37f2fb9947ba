// shared_nz by pairs of nodes: of a scalar form of derivatives alone, integrated by tensors that are constant in an
// affine simplex and symmetric.
//
// All entries of an element matrix are sums of the numbers |J| Gamma_ab of an element of order 1
// (src/assembly/impls/shared/paircoefficients.c). So shared memory has these numbers, and no element matrices. A pair
// of dofs of the mesh is of one kind (pairkinds.c) in all its elements.
//
// A block has a part of the mesh nodes, and all elements around them.
//   1. A thread computes the numbers of an element at a time.
//   2. A thread sums two pairs over their elements. It writes each sum to the entries (i, j) and (j, i) of the block's
//      rows in shared memory, or to one of them, if the other row is another block's.
//   3. The rows are written to the matrix, two entries a thread at a time.
// The lists of step 2 are copied to shared memory during step 1.
//
// Reads 8 dim bytes a coordinate node of a block, 2 a vertex of its elements, 4 a pair and 2 for each of its elements,
// 4 a span of rows and 16 every 64 targets; writes 8 bytes a target.
//
// Of trilinear hexahedra by quadrature (integrate/trilinear.cuh) the numbers are the entries of the element matrix off
// its diagonal. A pair of nodes sums one entry of each of its elements; all pairs are of one kind.
#if PLEX_LINES_MATRIX
  #undef PLEX_SOLUTION
  #define PLEX_SOLUTION        0
  #define PLEX_LINES_SYMMETRIC 1
  #define PLEX_LINES_OWN       1 // coordinates
  #define PLEX_LINES_ELEMENTS  1
  #include "integrate/lines.cuh"
  #include "integrate/trilinear.cuh"
#endif
#include "assembly/pairs_numbers.cuh"

// Of each kind: first word of permutations[], the first term's coefficient, and the other ones divided by it. In
// constant memory, as all threads of a warp read the same
struct PlexKind {
  int       permutations;
  plex_real factor, coefficients[PLEX_TERMS];
};
static __constant__ PlexKind plex_kinds[] = {PLEX_KINDS};

#if PLEX_LINES_MATRIX
static_assert(PLEX_NUMBERS == PLEX_LINES_ENTRIES, "a matrix");

PLEX_DEVICE void plex_pair_element(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e)
{
  const PlexLineNodal own = {nodal.x, NULL, NULL};

  plex_trilinear_matrix(args, own, numbers + e, stride);
}
#endif

// One element's item of a pair, divided by the kind's factor: sum_t coefficient[t] numbers[permutation[t]]
template <int terms>
PLEX_DEVICE plex_real plex_pair_item(const plex_real *numbers, const unsigned *permutations, int stride,
                                     const plex_real coefficients[], int item)
{
  plex_real v = PLEX_NOTHING;

  if (terms == 1) return numbers[item];
  const unsigned  *permutation = permutations + (item >> PLEX_ELEMENT_BITS) * ((terms + 1) / 2);
  const plex_real *at          = numbers + (item & ((1 << PLEX_ELEMENT_BITS) - 1));

  _Pragma("unroll")
  for (int t = 0; t < terms; ++t) {
    const plex_real number = at[plex_half(permutation[t / 2], t % 2) * stride];

    v = t ? v + coefficients[t] * number : number;
  }
  return v;
}

// Words of items whose numbers are loaded before they are added
#define PLEX_PAIR_WORDS 2

// Adds the items of `words` records
template <int terms, int words>
PLEX_DEVICE void plex_pair_add(const plex_real *numbers, const unsigned *permutations, int stride,
                               const plex_real coefficients[], const PlexUint2 *items, plex_scalar sum[2])
{
  plex_real v[words][2][2];
  PlexUint2 item[words];

  _Pragma("unroll")
  for (int w = 0; w < words; ++w) item[w] = items[w * 32];
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) _Pragma("unroll")
  for (int k = 0; k < 2; ++k)
    v[w][p][k] = plex_pair_item<terms>(numbers, permutations, stride, coefficients, plex_half(item[w].of[p], k));
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) sum[p] += (plex_scalar)v[w][p][0] + (plex_scalar)v[w][p][1];
}

template <int terms>
PLEX_DEVICE void plex_pair_sum(int kind, const plex_real *numbers, const unsigned *permutations, int stride,
                               const PlexUint2 *items, int words, plex_scalar sum[2])
{
  plex_real coefficients[terms];

  _Pragma("unroll")
  for (int t = 1; t < terms; ++t) coefficients[t] = plex_kinds[kind].coefficients[t];
  if (terms > 1) permutations += plex_kinds[kind].permutations;
  _Pragma("unroll 1")
  for (; words >= PLEX_PAIR_WORDS; words -= PLEX_PAIR_WORDS, items += PLEX_PAIR_WORDS * 32)
    plex_pair_add<terms, PLEX_PAIR_WORDS>(numbers, permutations, stride, coefficients, items, sum);
  _Pragma("unroll 1")
  for (; words > 0; --words, items += 32)
    plex_pair_add<terms, 1>(numbers, permutations, stride, coefficients, items, sum);
  if (PLEX_LINES_MATRIX && terms == 1) return; // the sum of entries needs no factor
  _Pragma("unroll")
  for (int m = 0; m < 2; ++m) sum[m] *= (plex_scalar)plex_kinds[kind].factor;
}

// The sums of a kind with n >= `terms` terms
template <int terms>
PLEX_DEVICE void plex_pair_dispatch(int n, int kind, const plex_real *numbers, const unsigned *permutations, int stride,
                                    const PlexUint2 *items, int words, plex_scalar sum[2])
{
  if (n == terms || terms == PLEX_TERMS) plex_pair_sum<terms>(kind, numbers, permutations, stride, items, words, sum);
  else
    plex_pair_dispatch<(terms < PLEX_TERMS ? terms + 1 : terms)>(n, kind, numbers, permutations, stride, items, words,
                                                                 sum);
}

// A task; one without items writes zeros
PLEX_DEVICE void plex_pair_task(unsigned task, const PlexUint2 *records, const plex_real *numbers,
                                const unsigned *permutations, int stride, plex_scalar *sums)
{
  const PlexUint2 *at      = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
  const PlexUint2  targets = *at;
  const int        words = (int)(task >> 25), kind = (int)(task >> 16 & 0x7f);
  plex_scalar      sum[2] = {0, 0};

  if (words) plex_pair_dispatch<1>((int)(task >> 13 & 7), kind, numbers, permutations, stride, at + 32, words, sum);
  plex_pair_reduce<2>(task, sum);
  plex_pair_write_sums(targets, sum, sums);
}

#if PLEX_LINES_MATRIX
// Two tasks with one term and equally many words at a time: more loads in flight
PLEX_DEVICE void plex_pair_two_tasks(unsigned first, unsigned second, const PlexUint2 *records,
                                     const plex_real *numbers, plex_scalar *sums)
{
  const PlexUint2 *at[2]      = {records + (first & 0x1fff) * 32 + threadIdx.x % 32,
                                 records + (second & 0x1fff) * 32 + threadIdx.x % 32};
  const PlexUint2  targets[2] = {*at[0], *at[1]};
  plex_scalar      sum[2][2]  = {
    {0, 0},
    {0, 0}
  };

  _Pragma("unroll 1")
  for (int words = (int)(first >> 25); words > 0; --words) {
    _Pragma("unroll")
    for (int k = 0; k < 2; ++k) {
      const PlexUint2 item = *(at[k] += 32);

      _Pragma("unroll")
      for (int p = 0; p < 2; ++p)
        sum[k][p] += (plex_scalar)numbers[plex_half(item.of[p], 0)] + (plex_scalar)numbers[plex_half(item.of[p], 1)];
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < 2; ++k) plex_pair_write_sums(targets[k], sum[k], sums);
}
#endif

PLEX_DEVICE void plex_pair_tasks(const PlexArgs &, const PlexUint2 *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *permutations, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = threadIdx.x / 32; t < n; t += PLEX_WARPS) {
    const unsigned task = tasks[t];

#if PLEX_LINES_MATRIX
    // kinds of one term on one lane, and the next task has the same kind and words
    if ((task >> 13 & 7) == 1 && !(task >> 23 & 3) && t + PLEX_WARPS < n && !((task ^ tasks[t + PLEX_WARPS]) >> 13)) {
      t += PLEX_WARPS;
      plex_pair_two_tasks(task, tasks[t], records, numbers, sums);
      continue;
    }
#endif
    plex_pair_task(task, records, numbers, permutations, stride, sums);
  }
}
