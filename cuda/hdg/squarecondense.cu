// Local matrices of affine elements on tensor cores: as condense.cu has them, a warp an element, in squares of 8 x 8 (square.cuh).
//
// What an element has is a sum of the reference element's matrices, and these all elements of a block share: S = sum_c a_c S_c, c of them, and R^T with fewer. This is a
// product [elements][c] [c][numbers], on tensor cores, too, which leaves S and R^T of all elements in shared memory; 8 bytes times c are read a number of them, once a block.
// Then a warp takes a column of squares at a time: less what the columns left of it say, its uppermost square's L inverted, and the squares below times that. Columns of
// K are computed likewise from H, and written.
//
// A column's squares stand one below the other in memory, the lower triangle's; once it is eliminated in pairs from below, where the uppermost one may be left out.
// Faces' functions are those of the face's first turn: others are the same but for the sign, which is put right where K is written.
//
// Reads 8 PLEX_HDG_NUMBERS bytes an element, writes 8 NT^2 bytes, and 8 (NP + NT) NP where the factors are kept. (NP + NT)^3/3 - NT^3/3 multiplications and additions
// of whole squares beside the sums that make the matrix.
#include "hdg.cuh"
#include "square.cuh"

#define PLEX_HDG_SQUARES_S ((PLEX_HDG_NP + 7) / 8)
#define PLEX_HDG_SQUARES_T ((PLEX_HDG_NT + 7) / 8)
#define PLEX_HDG_SQUARES   (PLEX_HDG_SQUARES_S + PLEX_HDG_SQUARES_T)
#define PLEX_HDG_STEPS     ((PLEX_HDG_NAB + PLEX_HDG_FACES + 2 + PLEX_UNIT_K - 1) / PLEX_UNIT_K)
static_assert(PLEX_DIM < PLEX_UNIT_K && PLEX_HDG_NT <= 64, "steps of R, bits of the turns");
static_assert(PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_S * (2 * PLEX_HDG_SQUARES - PLEX_HDG_SQUARES_S + 1) / 2 <= PLEX_HDG_WORK, "workspace");

// What an element's matrices are sums with
struct PlexHDGNumbers {
  double             S[PLEX_HDG_STEPS * PLEX_UNIT_K]; // det r_a . kappa r_b, tau s_f, det (to be times lambda), 1 where rows are added to make squares
  double             R[PLEX_HDG_FACES][PLEX_UNIT_K];  // tau s_f, r_a . kappa N_f
  unsigned long long turned;                          // bit m: the element sees function m of its faces with the other sign
};
static_assert(sizeof(PlexHDGNumbers) == 8 * PLEX_HDG_NUMBERS, "numbers");

// A thread an element, once: geometry, kappa and tau stay
extern "C" __global__ void plex_hdg_squarenumbers(const PlexHDGArgs args, double *numbers)
{
  const int       e = args.begin + (int)(blockIdx.x * blockDim.x + threadIdx.x);
  PlexHDGNumbers *g = (PlexHDGNumbers *)numbers + e;
  const double   *x = args.x + (plex_index)e * (PLEX_DIM + 1) * PLEX_DIM, *kappa = args.kappa + (plex_index)e * PLEX_DIM * PLEX_DIM;
  double          J[3][3], rx[3][3], det;
  int             n = 0;

  if (e >= args.end) return;
  for (int d = 0; d < PLEX_DIM; ++d)
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = 0.5 * (x[(a + 1) * PLEX_DIM + d] - x[d]);
  det = plex_hdg_invert(J, rx);
  for (int a = 0; a < PLEX_DIM; ++a)
    for (int b = a; b < PLEX_DIM; ++b) g->S[n++] = det * plex_hdg_dot(kappa, rx[a], rx[b]);
  g->turned = 0;
  for (int f = 0; f < PLEX_HDG_FACES; ++f) {
    double       N[3];
    const double ts = args.tau[(plex_index)e * PLEX_HDG_FACES + f] * plex_hdg_normal(f, det, rx, N);

    g->S[n++]  = ts;
    g->R[f][0] = ts;
    for (int a = 0; a < PLEX_UNIT_K - 1; ++a) g->R[f][1 + a] = a < PLEX_DIM ? plex_hdg_dot(kappa, rx[a], N) : 0;
    for (int m = 1; m < PLEX_HDG_NF && args.turns[(plex_index)e * PLEX_HDG_FACES + f]; m += 2) g->turned |= 1ull << (f * PLEX_HDG_NF + m);
  }
  g->S[n++] = det;
  g->S[n++] = 1;
  while (n < PLEX_HDG_STEPS * PLEX_UNIT_K) g->S[n++] = 0;
}
PLEX_EXPORT_KERNEL(plex_hdg_squarenumbers)

// Where column k begins
PLEX_DEVICE constexpr int plex_hdg_column(int k)
{
  return (k * PLEX_HDG_SQUARES - k * (k - 1) / 2) * PLEX_HDG_SQUARE;
}

// Two numbers of each of the block's elements, where a lane of the product has them
PLEX_DEVICE void plex_hdg_put(double *to, const double *c)
{
  _Pragma("unroll")
  for (int h = 0; h < (PLEX_HDG_TEAMS + 7) / 8; ++h)
    if ((int)threadIdx.x % 32 / 4 + 8 * h < PLEX_HDG_TEAMS) *(double2 *)(to + 8 * h * PLEX_HDG_WORK) = make_double2(c[2 * h], c[2 * h + 1]);
}

// S and R^T of all elements of the block: a warp a row at a time, of all squares that it has
PLEX_DEVICE void plex_hdg_squares(const PlexHDGArgs &args, double *shared)
{
  const int             lane = threadIdx.x % 32, c = lane % 4;
  constexpr bool        tall   = PLEX_HDG_TEAMS > 8;
  constexpr int         lambda = PLEX_HDG_NAB + PLEX_HDG_FACES; // whose number is det
  const PlexHDGNumbers *mine[2];                                // of elements lane / 4 and lane / 4 + 8
  PlexUnitA             a[PLEX_HDG_STEPS];
  double               *to = shared + lane / 4 * PLEX_HDG_WORK + 2 * c;

  for (int h = 0; h < 2; ++h) {
    const int e = min(args.begin + (int)blockIdx.x * PLEX_HDG_TEAMS + min(lane / 4 + 8 * h, PLEX_HDG_TEAMS - 1), args.end - 1);

    mine[h] = (const PlexHDGNumbers *)args.numbers + e;
    _Pragma("unroll")
    for (int s = 0; s < PLEX_HDG_STEPS; ++s) {
      a[s].value[h] = h == 0 || tall ? mine[h]->S[s * PLEX_UNIT_K + c] : 0;
      if (s == lambda / PLEX_UNIT_K && c == lambda % PLEX_UNIT_K && (h == 0 || tall)) a[s].value[h] *= args.reaction[e] + args.shift;
    }
  }
  for (int row = threadIdx.x / 32; row < 8 * PLEX_HDG_SQUARES_S; row += PLEX_HDG_TEAMS) {
    const double *table = args.squareS + (plex_index)row * PLEX_HDG_SQUARES_S * PLEX_HDG_STEPS * 32 + lane;
    PlexUnitB     b[PLEX_HDG_SQUARES_S][PLEX_HDG_STEPS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_HDG_SQUARES_S; ++k) _Pragma("unroll")
    for (int s = 0; s < PLEX_HDG_STEPS; ++s) b[k][s] = k <= row / 8 ? plex_unit_get(table + (k * PLEX_HDG_STEPS + s) * 32) : 0;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_HDG_SQUARES_S; ++k) {
      double sum[4] = {};

      if (k > row / 8) break;
      _Pragma("unroll")
      for (int s = 0; s < PLEX_HDG_STEPS; ++s) plex_unit_add(sum, a[s], b[k][s]);
      plex_hdg_put(to + plex_hdg_column(k) - k * PLEX_HDG_SQUARE + row * 8, sum);
    }
  }
  for (int row = threadIdx.x / 32; row < 8 * PLEX_HDG_SQUARES_T; row += PLEX_HDG_TEAMS) {
    const int     f     = min(row / PLEX_HDG_NF, PLEX_HDG_FACES - 1);
    const double *table = args.squareR + (plex_index)row * PLEX_HDG_SQUARES_S * 32 + lane;
    PlexUnitB     b[PLEX_HDG_SQUARES_S];
    PlexUnitA     w = {
      {mine[0]->R[f][c], tall ? mine[1]->R[f][c] : 0}
    };

    _Pragma("unroll")
    for (int k = 0; k < PLEX_HDG_SQUARES_S; ++k) b[k] = plex_unit_get(table + k * 32);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_HDG_SQUARES_S; ++k) {
      double sum[4] = {};

      plex_unit_add(sum, w, b[k]);
      plex_hdg_put(to + plex_hdg_column(k) + (PLEX_HDG_SQUARES_S - k) * PLEX_HDG_SQUARE + row * 8, sum);
    }
  }
}

// Pairs of rows j, j + 1, ... from below, and whether row j is the lower one of the first
#define PLEX_HDG_PAIRS_OF(j) ((PLEX_HDG_SQUARES - (j) + 1) / 2)
#define PLEX_HDG_IS_LOWER(j) ((PLEX_HDG_SQUARES - (j)) % 2)

// c[pairs of rows j, ...] += the columns k < n of them times row j of these, or its negative
template <int j, int n, bool negative>
PLEX_DEVICE void plex_hdg_column_add(const double *A, PlexHDGPair *c)
{
  constexpr int pairs = PLEX_HDG_PAIRS_OF(j), lower = PLEX_HDG_IS_LOWER(j);

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    _Pragma("unroll")
    for (int s = 0; s < 2; ++s) {
      PlexUnitA a[pairs];
      PlexUnitB b;

      _Pragma("unroll")
      for (int p = 0; p < pairs; ++p) a[p] = plex_hdg_pair_load(A + plex_hdg_column(k + 1) - (pairs - p) * 2 * PLEX_HDG_SQUARE, s);
      b = negative ? plex_unit_negative(a[0].value[lower]) : a[0].value[lower];
      _Pragma("unroll")
      for (int p = 0; p < pairs; ++p) plex_unit_add(c[p], a[p], b);
    }
  }
}

#if PLEX_HDG_KEPT
// Square (i, j) of the factors
PLEX_DEVICE void plex_hdg_keep(double *factor, unsigned long long turned, int i, int j, double x, double y)
{
  const int    lane = threadIdx.x % 32, row = (i < PLEX_HDG_SQUARES_S ? i : i - PLEX_HDG_SQUARES_S) * 8 + lane / 4, column = j * 8 + lane % 4 * 2, first = i < PLEX_HDG_SQUARES_S ? 0 : PLEX_HDG_NP;
  const double sign = first && (turned >> row & 1) ? -1 : 1;

  if (row >= (first ? PLEX_HDG_NT : PLEX_HDG_NP)) return;
  if (column < PLEX_HDG_NP) factor[(first + row) * PLEX_HDG_NP + column] = sign * x;
  if (column + 1 < PLEX_HDG_NP) factor[(first + row) * PLEX_HDG_NP + column + 1] = sign * y;
}
#endif

// Columns j, j + 1, ... of S and R^T: L and R^T L^-T in their place. false in some lane: a pivot is not positive
template <int j>
PLEX_DEVICE bool plex_hdg_columns(double *A, unsigned long long turned, double *factor)
{
  if constexpr (j < PLEX_HDG_SQUARES_S) {
    constexpr int pairs = PLEX_HDG_PAIRS_OF(j), lower = PLEX_HDG_IS_LOWER(j);
    PlexHDGPair   c[pairs];
    double2       X, L;
    bool          good;

    _Pragma("unroll")
    for (int i = -lower; i < PLEX_HDG_SQUARES - j; ++i) {
      const double2 w = i < 0 ? make_double2(0, 0) : plex_hdg_square_load(A + plex_hdg_column(j) + i * PLEX_HDG_SQUARE);

      c[(i + lower) / 2][(i + lower) % 2 * 2]     = w.x;
      c[(i + lower) / 2][(i + lower) % 2 * 2 + 1] = w.y;
    }
    plex_hdg_column_add<j, j, true>(A, c);
    X    = make_double2(c[0][2 * lower], c[0][2 * lower + 1]);
    good = plex_hdg_square_invert(&X, PLEX_HDG_KEPT ? &L : NULL);
    __syncwarp(0xffffffffu); // what is overwritten has been read
    _Pragma("unroll")
    for (int p = lower; p < pairs; ++p) {
      PlexHDGPair l = {};

      _Pragma("unroll")
      for (int s = 0; s < 2; ++s) {
        const PlexUnitA a = {
          {c[p][s], c[p][2 + s]}
        };

        plex_unit_add(l, a, s ? X.y : X.x);
      }
      plex_hdg_pair_store(A + plex_hdg_column(j + 1) - (pairs - p) * 2 * PLEX_HDG_SQUARE, l);
#if PLEX_HDG_KEPT
      if (factor && p > 0) plex_hdg_keep(factor, turned, j - lower + 2 * p, j, l[0], l[1]);
      if (factor) plex_hdg_keep(factor, turned, j - lower + 2 * p + 1, j, l[2], l[3]);
#endif
    }
#if PLEX_HDG_KEPT
    if (factor) {
      for (int i = 0; i < j; ++i) plex_hdg_keep(factor, turned, i, j, 0, 0);
      plex_hdg_keep(factor, turned, j, j, L.x, L.y);
    }
#endif
    __syncwarp(0xffffffffu);
    return plex_hdg_columns<j + 1>(A, turned, factor) && good;
  } else return true;
}

// Square (i, j) of K, and the one that mirrors it: H of the sums' numbers less c; of those on the diagonal what is below it says all
template <int i, int j>
PLEX_DEVICE void plex_hdg_write(const PlexHDGArgs &args, const PlexHDGNumbers *g, unsigned long long turned, const double *c, double *K)
{
  const int     lane = threadIdx.x % 32, r = lane / 4, q = lane % 4 * 2;
  const double *T        = args.squareT + (i * (i + 1) / 2 + j) * PLEX_HDG_NAB * PLEX_HDG_SQUARE + 2 * lane;
  double        value[2] = {-c[0], -c[1]};

  _Pragma("unroll")
  for (int ab = 0; ab < PLEX_HDG_NAB; ++ab) {
    const double2 t = *(const double2 *)(T + ab * PLEX_HDG_SQUARE);

    value[0] += g->S[ab] * t.x;
    value[1] += g->S[ab] * t.y;
  }
  if (i == j) {
    const double ts = g->R[min((i * 8 + r) / PLEX_HDG_NF, PLEX_HDG_FACES - 1)][0];

    value[0] += r == q ? ts : 0;
    value[1] += r == q + 1 ? ts : 0;
  }
  _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const int row = i * 8 + r, column = j * 8 + q + s;

    if (((i + 1) * 8 <= PLEX_HDG_NT || row < PLEX_HDG_NT) && (i > j || q + s <= r)) {
      const double entry = (turned >> row ^ turned >> column) & 1 ? -value[s] : value[s];

      K[row * PLEX_HDG_NT + column] = entry;
      K[column * PLEX_HDG_NT + row] = entry;
    }
  }
}

// Columns j, j + 1, ... of K
template <int j>
PLEX_DEVICE void plex_hdg_columns_K(const PlexHDGArgs &args, const double *A, const PlexHDGNumbers *g, unsigned long long turned, double *K);

// Pairs p, p + 1, ... of column j
template <int j, int p>
PLEX_DEVICE void plex_hdg_write_pairs(const PlexHDGArgs &args, const PlexHDGNumbers *g, unsigned long long turned, const PlexHDGPair *c, double *K)
{
  constexpr int upper = j - PLEX_HDG_IS_LOWER(PLEX_HDG_SQUARES_S + j) + 2 * p; // row of K
  if constexpr (upper < PLEX_HDG_SQUARES_T) {
    if constexpr (upper >= j) plex_hdg_write<upper, j>(args, g, turned, c[p], K);
    plex_hdg_write<upper + 1, j>(args, g, turned, c[p] + 2, K);
    plex_hdg_write_pairs<j, p + 1>(args, g, turned, c, K);
  }
}

template <int j>
PLEX_DEVICE void plex_hdg_columns_K(const PlexHDGArgs &args, const double *A, const PlexHDGNumbers *g, unsigned long long turned, double *K)
{
  if constexpr (j < PLEX_HDG_SQUARES_T) {
    PlexHDGPair c[PLEX_HDG_PAIRS_OF(PLEX_HDG_SQUARES_S + j)] = {};

    plex_hdg_column_add<PLEX_HDG_SQUARES_S + j, PLEX_HDG_SQUARES_S, false>(A, c);
    plex_hdg_write_pairs<j, 0>(args, g, turned, c, K);
    plex_hdg_columns_K<j + 1>(args, A, g, turned, K);
  }
}

extern "C" __global__ void __launch_bounds__(32 * PLEX_HDG_TEAMS, PLEX_HDG_RESIDENT) plex_hdg_squarecondense(const PlexHDGArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  const int             team = threadIdx.x / 32, e = args.begin + (int)blockIdx.x * PLEX_HDG_TEAMS + team;
  double               *A = shared + team * PLEX_HDG_WORK;
  const PlexHDGNumbers *g = (const PlexHDGNumbers *)args.numbers + e;
  unsigned long long    turned;

  plex_hdg_squares(args, shared);
  __syncthreads();
  if (e >= args.end) return; // all of the warp
  turned = g->turned;
  if (!plex_hdg_columns<0>(A, turned, args.factor ? args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_NP : NULL)) atomicMax(args.bad, e);
  plex_hdg_columns_K<0>(args, A, g, turned, args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT);
}
PLEX_EXPORT_KERNEL(plex_hdg_squarecondense)
