// shared_nz by pairs of DMPlex points: of the forms that shared_nz_pairs.cu has, where a point has several dofs, as
// edges and faces of tetrahedra of order 4 have three.
//
// All entries of the dofs of point p with those of point q come from the same elements, and from the same numbers of
// them, so that a thread sums them all: for an element it reads 6 numbers (3 of a triangle) for 9 entries, where pairs of
// dofs have 3 to 6 for one. Each kind of pairs (src/assembly/impls/shared/pairkinds.c) is compiled: which numbers of C
// are zero, and where the others lie in the memory for constants, is known then.
//
// Blocks, their lists and rows are those of shared_nz_pairs.cu, with one pair a lane, and items counted one by one.
#include "assembly/pairs_numbers.cuh"

#define PLEX_POINT_DOFS 3 // most

/* of each kind the dofs of its points, and where its coefficients begin */
static __device__ constexpr int plex_kinds[] = {PLEX_KINDS};
/* [rows][columns][PLEX_NUMBERS] of a kind which coefficient it is, from 1; less than 0: less that; 0: zero */
static __device__ constexpr int plex_coefficient[]  = {PLEX_COEFFICIENT};
static __constant__ plex_real   plex_coefficients[] = {PLEX_COEFFICIENTS};

// Adds what one element adds to the entries, [rows][PLEX_POINT_DOFS]; turns: bytes, the numbers that a symmetry takes
// those of the kind to
template <int kind>
PLEX_DEVICE void plex_point_item(const plex_real *numbers, const PlexTwo *turns, int stride, int item,
                                 plex_scalar sum[])
{
  constexpr int    columns = plex_kinds[3 * kind + 1], entries = plex_kinds[3 * kind] * columns,
                   first = plex_kinds[3 * kind + 2];
  const PlexTwo    turn  = turns[item >> PLEX_ELEMENT_BITS];
  const plex_real *at    = numbers + (item & ((1 << PLEX_ELEMENT_BITS) - 1));
  plex_real        Gamma[PLEX_NUMBERS];

  _Pragma("unroll")
  for (int n = 0; n < PLEX_NUMBERS; ++n) Gamma[n] = at[(int)(turn.of[n / 4] >> n % 4 * 8 & 0xff) * stride];
  _Pragma("unroll")
  for (int k = 0; k < entries; ++k) {
    plex_scalar &to = sum[k / columns * PLEX_POINT_DOFS + k % columns];
    plex_real    v  = PLEX_SINGLE ? PLEX_NOTHING : (plex_real)to;

    _Pragma("unroll")
    for (int n = 0; n < PLEX_NUMBERS; ++n) {
      const int number = plex_coefficient[first + k * PLEX_NUMBERS + n];

      if (number) v += (number < 0 ? -plex_coefficients[-number - 1] : plex_coefficients[number - 1]) * Gamma[n];
    }
    to = PLEX_SINGLE ? to + (plex_scalar)v : (plex_scalar)v;
  }
}

// The sums of a task of one of the kinds from one to before another
template <int from, int to>
PLEX_DEVICE void plex_point_sum(int kind, const PlexTwo *items, int n, const plex_real *numbers, const PlexTwo *turns,
                                int stride, plex_scalar sum[])
{
  constexpr int middle = (from + to) / 2;

  if (middle == from) {
    _Pragma("unroll 1")
    for (int k = 0; k < n; ++k)
      plex_point_item<from>(numbers, turns, stride, ((const unsigned short *)(items + k / 4 * 32))[k % 4], sum);
  } else if (kind < middle)
    plex_point_sum<from, (middle > from ? middle : to)>(kind, items, n, numbers, turns, stride, sum);
  else plex_point_sum<middle, to>(kind, items, n, numbers, turns, stride, sum);
}

// Place of a dof in its point, of those whose ranks these are
PLEX_DEVICE int plex_point_rank(unsigned ranks, int dof)
{
  return (int)(ranks >> 2 * dof & 3);
}

// A task's sums to the places of its rows
PLEX_DEVICE void plex_point_put(const PlexTwo &targets, int rows, int columns, const plex_scalar sum[],
                                plex_scalar *sums)
{
  const int      first = plex_half(targets.of[0], 0), other = plex_half(targets.of[0], 1),
                 rowStride = (int)(targets.of[1] & 0x3ff), columnStride = (int)(targets.of[1] >> 10 & 0x3ff);
  const unsigned row = targets.of[1] >> 20 & 0x3f, column = targets.of[1] >> 26;

  _Pragma("unroll")
  for (int r = 0; r < PLEX_POINT_DOFS; ++r) {
    if (r >= rows) continue;
    _Pragma("unroll")
    for (int c = 0; c < PLEX_POINT_DOFS; ++c) {
      if (c >= columns) continue;
      if (first != 0xffff)
        sums[first + plex_point_rank(row, r) * rowStride + plex_point_rank(column, c)] = sum[r * PLEX_POINT_DOFS + c];
      if (other != 0xffff)
        sums[other + plex_point_rank(column, c) * columnStride + plex_point_rank(row, r)] = sum[r * PLEX_POINT_DOFS +
                                                                                                c];
    }
  }
}

// All pairs of the block into the sums of its rows
PLEX_DEVICE void plex_pair_tasks(const PlexArgs &, const PlexTwo *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *turns, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0); t < n; t += PLEX_WARPS) {
    /* of which the compiler knows that all lanes have the same */
    const unsigned task                                   = __shfl_sync(0xffffffffu, tasks[t], 0);
    const PlexTwo *at                                     = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
    const PlexTwo  targets                                = *at;
    plex_scalar    sum[PLEX_POINT_DOFS * PLEX_POINT_DOFS] = {0};

    if (task >> 25) {
      plex_point_sum<0, PLEX_KIND_COUNT>((int)(task >> 16 & 0x1f), at + 32, (int)(task >> 25), numbers,
                                         (const PlexTwo *)turns, stride, sum);
      plex_pair_share<PLEX_POINT_DOFS * PLEX_POINT_DOFS>(task, sum);
      plex_point_put(targets, 1 + (int)(task >> 21 & 3), (int)(task >> 13 & 7), sum, sums);
    } else plex_pair_put_zeros(targets, sums);
  }
}
