// Element matrices of tensor-product cells in three dimensions by quadrature, of a scalar field whose form is
// symmetric: sums over one direction after the other, as lines.cuh has them for a row, of both functions at once. With
// B and D the functions of one coordinate and their derivatives, f_a one of the two, by what part a of the functions
// (value, derivatives) has along a direction,
//
//   A_ij = sum_qz f_a f_b (iz, jz, qz) sum_qy f_a f_b (iy, jy, qy) sum_qx f_a f_b (ix, jx, qx) D_q[a][b]
//
// summed over parts a, b as soon as they have the same factors in what follows. Of elements of order 2 with 3^3 points
// that is 9,072 multiplications, of which a quarter is by zero where a point is a node, in the place of 27 rows of 999.
//
// First a thread has a line of points, along x, and of each pair ix <= jx and of each (a, b) that is another number
// writes the sum over it, to V. Then a thread has an element, a pair ix <= jx and some of the pairs (iy, jy), all of
// them where ix < jx and those with iy <= jy where ix = jx, and with it all (iz, jz), in registers.
#pragma once

static_assert(PLEX_DIM == 3 && PLEX_LINES_SYMMETRIC, "half a matrix of a cell in three dimensions");

#define PLEX_LINES_PLANE (PLEX_LINES_Q * PLEX_LINES_Q) // lines of an element

// ---- Products of two functions of one coordinate

// Functions i, j of kinds k, l (0: B, 1: D) at point q: either order of the two is one number
PLEX_DEVICE constexpr int plex_line_pair(int k, int l, int i, int j, int q)
{
  const bool swap = k < l || (k == l && i > j);

  return (((swap ? 2 * l + k : 2 * k + l) * PLEX_LINES_N + (swap ? j : i)) * PLEX_LINES_N + (swap ? i : j)) *
           PLEX_LINES_Q +
         q;
}
struct PlexLinePairs {
  plex_real of[4 * PLEX_LINES_N * PLEX_LINES_N * PLEX_LINES_Q];
};
PLEX_DEVICE constexpr PlexLinePairs plex_line_all_pairs()
{
  PlexLinePairs pairs = {};

  for (int k = 0; k < 2; ++k)
    for (int l = 0; l < 2; ++l)
      for (int i = 0; i < PLEX_LINES_N; ++i)
        for (int j = 0; j < PLEX_LINES_N; ++j)
          for (int q = 0; q < PLEX_LINES_Q; ++q)
            pairs.of[plex_line_pair(k, l, i, j, q)] = plex_line_known[(k * PLEX_LINES_N + i) * PLEX_LINES_Q + q] *
                                                      plex_line_known[(l * PLEX_LINES_N + j) * PLEX_LINES_Q + q];
  return pairs;
}
static __constant__ PlexLinePairs plex_line_pairs = plex_line_all_pairs(); // operands of multiplications there

// v += f_k(i) f_l(j) at point q times w
#define PLEX_LINES_ADD_PAIR(v, k, l, i, j, q, w) \
  PLEX_ADD_PRODUCT(v, PLEX_LINES_ZERO(k, i, q) || PLEX_LINES_ZERO(l, j, q), \
                   plex_line_pairs.of[plex_line_pair(k, l, i, j, q)], w)

// Part a of a function has a derivative along direction d
PLEX_DEVICE constexpr int plex_line_kind(int a, int d)
{
  return PLEX_TEST_GRAD && a - PLEX_TEST_VALUE == d ? 1 : 0;
}

// ---- Numbers of V

// Which number (a, b) is, with ix = jx (0) or not (1): that of (b, a) with ix = jx, or where neither or both have the
// derivative along x. In tables, as are other things that the compiler has to know: it does not see through loops
struct PlexLineNumbering {
  int  of[2][PLEX_KT][PLEX_KT], count[2];
  bool own[2][PLEX_KT][PLEX_KT]; // (a, b) is the first that it is
};
PLEX_DEVICE constexpr PlexLineNumbering plex_line_numbering_of()
{
  PlexLineNumbering n = {};

  for (int other = 0; other < 2; ++other)
    for (int a = 0; a < PLEX_KT; ++a)
      for (int b = 0; b < PLEX_KT; ++b) {
        n.own[other][a][b] = a <= b || (other && plex_line_kind(a, 0) != plex_line_kind(b, 0));
        n.of[other][a][b]  = n.own[other][a][b] ? n.count[other]++ : n.of[other][b][a];
      }
  return n;
}
static __device__ constexpr PlexLineNumbering plex_line_numbering = plex_line_numbering_of();

#define PLEX_LINES_SAME  plex_line_numbering.count[0]
#define PLEX_LINES_OTHER plex_line_numbering.count[1]
/* pairs ix < jx */
#define PLEX_LINES_OTHERS (PLEX_LINES_N * (PLEX_LINES_N - 1) / 2)
/* numbers of an element */
#define PLEX_LINES_V ((PLEX_LINES_N * PLEX_LINES_SAME + PLEX_LINES_OTHERS * PLEX_LINES_OTHER) * PLEX_LINES_PLANE)
// First number of a pair ix <= jx, of each point (qy, qz): those of ix = jx come first
PLEX_DEVICE constexpr int plex_line_first(int i, int j)
{
  return i == j ? i * PLEX_LINES_SAME
                : PLEX_LINES_N * PLEX_LINES_SAME + (i * PLEX_LINES_N - i * (i + 1) / 2 + j - i - 1) * PLEX_LINES_OTHER;
}
// They lie [number][point (qy, qz)][32 elements]
#define PLEX_LINES_V_AT(number, point) (((number) * PLEX_LINES_PLANE + (point)) * 32)

// Sums over the line (qy, qz) of an element, whose numbers begin at V
PLEX_DEVICE void plex_line_sums(const PlexArgs &args, const PlexLineNodal &e, int qy, int qz, plex_real *V)
{
  plex_real x[PLEX_LINES_Q][PLEX_DIM], J[PLEX_LINES_Q][PLEX_DIM * PLEX_DIM], numbers[PLEX_LINES_Q][PLEX_LINES_NUMBERS];

  plex_line_geometry(args, e, qy, qz, x, J);
  plex_line_numbers_of(args, e, qy, qz, x, J, 1, 1, numbers);
  V += PLEX_LINES_V_AT(0, qy * PLEX_LINES_Q + qz);
  _Pragma("unroll")
  for (int i = 0; i < PLEX_LINES_N; ++i) _Pragma("unroll")
  for (int j = i; j < PLEX_LINES_N; ++j) _Pragma("unroll")
  for (int a = 0; a < PLEX_KT; ++a) _Pragma("unroll")
  for (int b = 0; b < PLEX_KT; ++b) {
    plex_real v = PLEX_NOTHING;

    if (!plex_line_numbering.own[i != j][a][b]) continue;
    _Pragma("unroll")
    for (int q = 0; q < PLEX_LINES_Q; ++q)
      PLEX_LINES_ADD_PAIR(v, plex_line_kind(a, 0), plex_line_kind(b, 0), i, j, q, numbers[q][plex_line_entry(a, b)]);
    V[PLEX_LINES_V_AT(plex_line_first(i, j) + plex_line_numbering.of[i != j][a][b], 0)] = v;
  }
}

// ---- Entries of a pair (ix, jx)

// The pairs (iy, jy), with ix = jx (0) or not (1), and the first entry of each; of a pair of equals those with iz <= jz
// are entries alone
struct PlexLineUnits {
  int  i[2][PLEX_LINES_N * PLEX_LINES_N], j[2][PLEX_LINES_N * PLEX_LINES_N], first[2][PLEX_LINES_N * PLEX_LINES_N + 1];
  bool half[2][PLEX_LINES_N * PLEX_LINES_N];
};
PLEX_DEVICE constexpr PlexLineUnits plex_line_units_of()
{
  PlexLineUnits u = {};

  for (int other = 0; other < 2; ++other)
    for (int i = 0, k = 0; i < PLEX_LINES_N; ++i)
      for (int j = other ? 0 : i; j < PLEX_LINES_N; ++j, ++k) {
        u.i[other][k]         = i;
        u.j[other][k]         = j;
        u.half[other][k]      = !other && i == j;
        u.first[other][k + 1] = u.first[other][k] + (u.half[other][k] ? PLEX_LINES_N * (PLEX_LINES_N + 1) / 2
                                                                      : PLEX_LINES_N * PLEX_LINES_N);
      }
  return u;
}
static __device__ constexpr PlexLineUnits plex_line_units = plex_line_units_of();

// Entries of n pairs from `first` on
PLEX_DEVICE constexpr int plex_line_entries(bool same, int first, int n)
{
  return plex_line_units.first[!same][first + n] - plex_line_units.first[!same][first];
}
PLEX_DEVICE constexpr int plex_line_at(bool half, int iz, int jz)
{
  return half ? iz * PLEX_LINES_N - iz * (iz - 1) / 2 + jz - iz : iz * PLEX_LINES_N + jz;
}

// The entries of pairs first .. first + n - 1, from the numbers of the pair (ix, jx), which begin at V
template <bool same, int first, int n>
PLEX_DEVICE void plex_line_matrix(const plex_real *V, plex_real out[])
{
  constexpr int numbers = same ? PLEX_LINES_SAME : PLEX_LINES_OTHER;

  _Pragma("unroll")
  for (int k = 0; k < plex_line_entries(same, first, n); ++k) out[k] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int qz = 0; qz < PLEX_LINES_Q; ++qz) {
    plex_real v[numbers][PLEX_LINES_Q];

    _Pragma("unroll")
    for (int m = 0; m < numbers; ++m) _Pragma("unroll")
    for (int qy = 0; qy < PLEX_LINES_Q; ++qy) v[m][qy] = V[PLEX_LINES_V_AT(m, qy * PLEX_LINES_Q + qz)];
    _Pragma("unroll")
    for (int k = first; k < first + n; ++k) {
      const int  i = plex_line_units.i[!same][k], j = plex_line_units.j[!same][k];
      const bool half = plex_line_units.half[!same][k];
      /* by the kinds along z of both functions */
      plex_real *entries = &out[plex_line_units.first[!same][k] - plex_line_units.first[!same][first]], T[2][2];

      _Pragma("unroll")
      for (int kind = 0; kind < 4; ++kind) T[kind / 2][kind % 2] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int a = 0; a < PLEX_KT; ++a) _Pragma("unroll")
      for (int b = 0; b < PLEX_KT; ++b) _Pragma("unroll")
      for (int qy = 0; qy < PLEX_LINES_Q; ++qy)
        PLEX_LINES_ADD_PAIR(T[plex_line_kind(a, 2)][plex_line_kind(b, 2)], plex_line_kind(a, 1), plex_line_kind(b, 1),
                            i, j, qy, v[plex_line_numbering.of[!same][a][b]][qy]);
      _Pragma("unroll")
      for (int iz = 0; iz < PLEX_LINES_N; ++iz) _Pragma("unroll")
      for (int jz = half ? iz : 0; jz < PLEX_LINES_N; ++jz) _Pragma("unroll")
      for (int kind = 0; kind < (PLEX_TEST_GRAD ? 4 : 1); ++kind)
        PLEX_LINES_ADD_PAIR(entries[plex_line_at(half, iz, jz)], kind / 2, kind % 2, iz, jz, qz, T[kind / 2][kind % 2]);
    }
  }
}
