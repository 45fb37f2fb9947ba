// shared_nz by pairs of DMPlex points: of the forms that shared_nz_pairs.cu has, where a point has several dofs, as
// edges and faces of tetrahedra of order 4 have three.
//
// All entries of the dofs of point p with those of point q come from the same elements and from the same numbers of
// them. So a thread sums all of them: for 9 entries it reads 6 numbers of a tetrahedron (3 of a triangle), where pairs
// of dofs read 3 to 6 for one entry. Each kind of pairs (src/assembly/impls/shared/pairkinds.c) is compiled, so that
// the compiler knows which coefficients C are zero and where the others are in constant memory.
//
// Blocks, their lists and rows are those of shared_nz_pairs.cu, with one pair a lane.
#include "assembly/pairs_numbers.cuh"

#define PLEX_POINT_DOFS 3 // most

/* of each kind: dofs of its two points, and its first coefficient in plex_coefficient[] */
static __device__ constexpr int plex_kinds[] = {PLEX_KINDS};
/* of each kind [rows][columns][PLEX_NUMBERS]: k > 0 is plex_coefficients[k - 1], k < 0 is minus
   plex_coefficients[-k - 1], 0 is zero */
static __device__ constexpr int plex_coefficient[]  = {PLEX_COEFFICIENT};
static __constant__ plex_real   plex_coefficients[] = {PLEX_COEFFICIENTS};

// Adds one element to the entries sum[rows][PLEX_POINT_DOFS]. permutations[]: the images of the numbers under each
// symmetry, a byte each
template <int kind>
PLEX_DEVICE void plex_point_item(const plex_real *numbers, const PlexUint2 *permutations, int stride, int item,
                                 plex_scalar sum[])
{
  constexpr int    columns = plex_kinds[3 * kind + 1], entries = plex_kinds[3 * kind] * columns,
                   first       = plex_kinds[3 * kind + 2];
  const PlexUint2  permutation = permutations[item >> PLEX_ELEMENT_BITS];
  const plex_real *at          = numbers + (item & ((1 << PLEX_ELEMENT_BITS) - 1));
  plex_real        Gamma[PLEX_NUMBERS];

  _Pragma("unroll")
  for (int n = 0; n < PLEX_NUMBERS; ++n) Gamma[n] = at[(int)(permutation.of[n / 4] >> n % 4 * 8 & 0xff) * stride];
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

// The sums of a task whose kind is from `from` to to - 1
template <int from, int to>
PLEX_DEVICE void plex_point_sum(int kind, const PlexUint2 *items, int n, const plex_real *numbers,
                                const PlexUint2 *permutations, int stride, plex_scalar sum[])
{
  constexpr int middle = (from + to) / 2;

  if (middle == from) {
    _Pragma("unroll 1")
    for (int k = 0; k < n; ++k)
      plex_point_item<from>(numbers, permutations, stride, ((const unsigned short *)(items + k / 4 * 32))[k % 4], sum);
  } else if (kind < middle)
    plex_point_sum<from, (middle > from ? middle : to)>(kind, items, n, numbers, permutations, stride, sum);
  else plex_point_sum<middle, to>(kind, items, n, numbers, permutations, stride, sum);
}

// Position of a dof among those of its point
PLEX_DEVICE int plex_point_position(unsigned positions, int dof)
{
  return (int)(positions >> 2 * dof & 3);
}

// Writes the sums of a pair of points to its entries
PLEX_DEVICE void plex_point_put(const PlexUint2 &targets, int rows, int columns, const plex_scalar sum[],
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
        sums[first + plex_point_position(row, r) * rowStride +
             plex_point_position(column, c)] = sum[r * PLEX_POINT_DOFS + c];
      if (other != 0xffff)
        sums[other + plex_point_position(column, c) * columnStride +
             plex_point_position(row, r)] = sum[r * PLEX_POINT_DOFS + c];
    }
  }
}

PLEX_DEVICE void plex_pair_tasks(const PlexArgs &, const PlexUint2 *records, int n, const unsigned *tasks,
                                 const plex_real *numbers, const unsigned *permutations, int stride, plex_scalar *sums)
{
  _Pragma("unroll 1")
  for (int t = plex_lane_get((int)threadIdx.x / 32, 0); t < n; t += PLEX_WARPS) {
    /* the shuffle tells the compiler that all lanes have the same task */
    const unsigned   task                                   = plex_lane_get(tasks[t], 0);
    const PlexUint2 *at                                     = records + (task & 0x1fff) * 32 + threadIdx.x % 32;
    const PlexUint2  targets                                = *at;
    plex_scalar      sum[PLEX_POINT_DOFS * PLEX_POINT_DOFS] = {0};

    if (task >> 25) {
      plex_point_sum<0, PLEX_KIND_COUNT>((int)(task >> 16 & 0x1f), at + 32, (int)(task >> 25), numbers,
                                         (const PlexUint2 *)permutations, stride, sum);
      plex_pair_reduce<PLEX_POINT_DOFS * PLEX_POINT_DOFS>(task, sum);
      plex_point_put(targets, 1 + (int)(task >> 21 & 3), (int)(task >> 13 & 7), sum, sums);
    } else plex_pair_put_zeros(targets, sums);
  }
}
