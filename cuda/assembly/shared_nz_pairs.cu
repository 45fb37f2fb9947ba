// shared_nz by pairs of nodes: of a scalar form of derivatives alone, integrated by tensors that are constant in an
// affine simplex and symmetric.
//
// All entries of an element matrix follow from the numbers of one of order 1, |J| Gamma_ab
// (src/assembly/impls/shared/paircoefficients.c), so that these are kept in shared memory, and no element matrices. A pair
// of dofs of the mesh is of one kind (pairkinds.c) in all its elements.
//
// A block has a part of the mesh nodes, and all elements around them. First a thread computes the numbers of an element
// at a time. Then a thread sums two pairs over their elements, each into two places of the rows that the block has in
// shared memory, or one where the other row is another block's. What it is to sum lies in shared memory as well. Then
// the rows are written, two entries a thread at a time.
//
// Reads 8 dim bytes a coordinate node of a block, 2 a vertex of its elements, 4 a pair and 2 for each of its elements,
// 4 a run of rows and 16 every 64 targets; writes 8 bytes a target.
//
// Of trilinear hexahedra by quadrature (integrate/trilinear.cuh) the numbers are those of the element matrix off its
// diagonal: a pair of nodes sums one of each of its elements, and is of one kind whatever it is.
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

// Of each kind, in the memory for constants, as all threads of a warp read the same: first word of turns, the first
// term's coefficient, and those of the others in it
struct PlexKind {
  int       turns;
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

// What one element adds to a pair of a kind of so many terms, but for the kind's factor; turns: the numbers of terms
template <int terms>
PLEX_DEVICE plex_real plex_pair_item(const plex_real *numbers, const unsigned *turns, int stride,
                                     const plex_real coefficients[], int item)
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

// Words of items that are added together
#define PLEX_PAIR_WORDS 2

// Adds the items of so many words
template <int terms, int words>
PLEX_DEVICE void plex_pair_add(const plex_real *numbers, const unsigned *turns, int stride,
                               const plex_real coefficients[], const PlexTwo *items, plex_scalar sum[2])
{
  plex_real v[words][2][2];
  PlexTwo   item[words];

  _Pragma("unroll")
  for (int w = 0; w < words; ++w) item[w] = items[w * 32];
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) _Pragma("unroll")
  for (int k = 0; k < 2; ++k)
    v[w][p][k] = plex_pair_item<terms>(numbers, turns, stride, coefficients, plex_half(item[w].of[p], k));
  _Pragma("unroll")
  for (int w = 0; w < words; ++w) _Pragma("unroll")
  for (int p = 0; p < 2; ++p) sum[p] += (plex_scalar)v[w][p][0] + (plex_scalar)v[w][p][1];
}

template <int terms>
PLEX_DEVICE void plex_pair_sum(int kind, const plex_real *numbers, const unsigned *turns, int stride,
                               const PlexTwo *items, int words, plex_scalar sum[2])
{
  plex_real coefficients[terms];

  _Pragma("unroll")
  for (int t = 1; t < terms; ++t) coefficients[t] = plex_kinds[kind].coefficients[t];
  if (terms > 1) turns += plex_kinds[kind].turns;
  _Pragma("unroll 1")
  for (; words >= PLEX_PAIR_WORDS; words -= PLEX_PAIR_WORDS, items += PLEX_PAIR_WORDS * 32)
    plex_pair_add<terms, PLEX_PAIR_WORDS>(numbers, turns, stride, coefficients, items, sum);
  _Pragma("unroll 1")
  for (; words > 0; --words, items += 32) plex_pair_add<terms, 1>(numbers, turns, stride, coefficients, items, sum);
  if (PLEX_LINES_MATRIX && terms == 1) return; // an entry of the matrix
  _Pragma("unroll")
  for (int m = 0; m < 2; ++m) sum[m] *= (plex_scalar)plex_kinds[kind].factor;
}

// Kinds of at least so many terms
template <int terms>
PLEX_DEVICE void plex_pair_of(int n, int kind, const plex_real *numbers, const unsigned *turns, int stride,
                              const PlexTwo *items, int words, plex_scalar sum[2])
{
  if (n == terms || terms == PLEX_TERMS) plex_pair_sum<terms>(kind, numbers, turns, stride, items, words, sum);
  else plex_pair_of<(terms < PLEX_TERMS ? terms + 1 : terms)>(n, kind, numbers, turns, stride, items, words, sum);
}

// A task; one without items is of zeros
PLEX_DEVICE void plex_pair_task(unsigned task, const PlexTwo *records, const plex_real *numbers, const unsigned *turns,
                                int stride, plex_scalar *sums)
{
  const PlexTwo *at      = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
  const PlexTwo  targets = *at;
  const int      words = (int)(task >> 25), kind = (int)(task >> 16 & 0x7f);
  plex_scalar    sum[2] = {0, 0};

  if (words) plex_pair_of<1>((int)(task >> 13 & 7), kind, numbers, turns, stride, at + 32, words, sum);
  plex_pair_share<2>(task, sum);
  plex_pair_put(targets, sum, sums);
}

#if PLEX_LINES_MATRIX
// Two tasks of entries of as many words, as registers allow: none waits for the other
PLEX_DEVICE void plex_pair_two_tasks(unsigned first, unsigned second, const PlexTwo *records, const plex_real *numbers,
                                     plex_scalar *sums)
{
  const PlexTwo *at[2]      = {records + (first & 0x1fff) * 32 + threadIdx.x % 32,
                               records + (second & 0x1fff) * 32 + threadIdx.x % 32};
  const PlexTwo  targets[2] = {*at[0], *at[1]};
  plex_scalar    sum[2][2]  = {
    {0, 0},
    {0, 0}
  };

  _Pragma("unroll 1")
  for (int words = (int)(first >> 25); words > 0; --words) {
    _Pragma("unroll")
    for (int k = 0; k < 2; ++k) {
      const PlexTwo item = *(at[k] += 32);

      _Pragma("unroll")
      for (int p = 0; p < 2; ++p)
        sum[k][p] += (plex_scalar)numbers[plex_half(item.of[p], 0)] + (plex_scalar)numbers[plex_half(item.of[p], 1)];
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < 2; ++k) plex_pair_put(targets[k], sum[k], sums);
}
#endif

// All pairs of the block into the sums of its rows
PLEX_DEVICE void plex_pair_tasks(const PlexArgs &, const PlexTwo *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *turns, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = threadIdx.x / 32; t < n; t += PLEX_WARPS) {
    const unsigned task = tasks[t];

#if PLEX_LINES_MATRIX
    // one term, not shared out, and the next one is of the same kind and words
    if ((task >> 13 & 7) == 1 && !(task >> 23 & 3) && t + PLEX_WARPS < n && !((task ^ tasks[t + PLEX_WARPS]) >> 13)) {
      t += PLEX_WARPS;
      plex_pair_two_tasks(task, tasks[t], records, numbers, sums);
      continue;
    }
#endif
    plex_pair_task(task, records, numbers, turns, stride, sums);
  }
}
