// Local matrices of affine elements on tensor cores: as condense.cu has them, a warp an element, in squares of 8 x 8
// (square.cuh).
//
// When -S and -R^T are in shared memory (squaresums.cuh) a warp takes a column of squares at a time: with what the
// columns left of it say, its uppermost square's L inverted, and the squares below times that. The last columns of S,
// and those of K, which begin as -H, are held in registers all at once, as many as these have room for: factors of the
// columns left of them are read once for all, and from there on nothing is read or written but K. Signs are such that
// products are only ever added.
//
// A column's squares stand one below the other in memory, the lower triangle's; once it is eliminated in pairs from
// below, where the uppermost one may be left out.
//
// Tensor cores and arithmetic of single numbers share units, and the latter waits for the former: it is in the
// inversions of diagonal squares alone, and where H is put together.
//
// Reads 8 PLEX_HDG_NUMBERS bytes an element, writes 8 NT^2 bytes, and 8 (NP + NT) NP where the factors are kept.
// (NP + NT)^3/3 - NT^3/3 multiplications and additions of whole squares beside the sums that make the matrix.
#include "squaresums.cuh"

// Pairs of rows j, j + 1, ... from below, all those of n columns that end with the last one, and whether row j is the
// lower one of the first
#define PLEX_HDG_PAIRS_OF(j)  ((PLEX_HDG_SQUARES - (j) + 1) / 2)
#define PLEX_HDG_ALL_PAIRS(n) (((n) + 1) * ((n) + 1) / 4)
#define PLEX_HDG_IS_LOWER(j)  ((PLEX_HDG_SQUARES - (j)) % 2)

// The first column that is held: it and those right of it are in registers, and others have at least so many
#define PLEX_HDG_OTHERS 60
PLEX_DEVICE constexpr int plex_hdg_first_held()
{
  /* 4 schedulers have 512 of a lane each */
  const int registers = 512 / ((PLEX_HDG_TEAMS * PLEX_HDG_RESIDENT + 3) / 4) / 8 * 8;
  int       j         = 0;

  while (j < PLEX_HDG_SQUARES_S &&
         8 * PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - j) + PLEX_HDG_OTHERS > (registers < 255 ? registers : 255))
    ++j;
  return j;
}
#define PLEX_HDG_HELD plex_hdg_first_held()
/* of what is held */
#define PLEX_HDG_PAIR_OF(j, p) \
  (PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - PLEX_HDG_HELD) - PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - (j)) + (p))

// Column j of -S and -R^T from memory
template <int j>
PLEX_DEVICE void plex_hdg_column_get(const double *A, PlexHDGPair *c)
{
  constexpr int lower = PLEX_HDG_IS_LOWER(j);

  _Pragma("unroll")
  for (int i = -lower; i < PLEX_HDG_SQUARES - j; ++i) {
    const double2 w = i < 0 ? make_double2(0, 0) : plex_hdg_square_load(A + plex_hdg_column(j) + i * PLEX_HDG_SQUARE);

    c[(i + lower) / 2][(i + lower) % 2 * 2]     = w.x;
    c[(i + lower) / 2][(i + lower) % 2 * 2 + 1] = w.y;
  }
}

// Columns j, ..., end - 1 += the factors l of column k times their rows
template <int k, int j, int end>
PLEX_DEVICE void plex_hdg_update(const PlexHDGPair *l, PlexHDGPair *c)
{
  _Pragma("unroll")
  for (int i = j; i < end; ++i) _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const int       skip = PLEX_HDG_PAIRS_OF(k) - PLEX_HDG_PAIRS_OF(i);
    const PlexUnitB b    = l[skip][2 * PLEX_HDG_IS_LOWER(i) + s];

    _Pragma("unroll")
    for (int p = 0; p < PLEX_HDG_PAIRS_OF(i); ++p) {
      const PlexUnitA a = {
        {l[skip + p][s], l[skip + p][2 + s]}
      };

      plex_unit_add(c[PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - j) - PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - i) + p], a, b);
    }
  }
}

// Columns j, ..., end - 1 += those of columns 0, ..., n - 1, from memory
template <int n, int j, int end>
PLEX_DEVICE void plex_hdg_updates(const double *A, PlexHDGPair *c)
{
  constexpr int pairs = PLEX_HDG_PAIRS_OF(j);

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    PlexUnitA a[pairs];

    _Pragma("unroll")
    for (int p = 0; p < pairs; ++p)
      a[p] = plex_hdg_pair_load(A + plex_hdg_column(k + 1) - (pairs - p) * 2 * PLEX_HDG_SQUARE, s);
    _Pragma("unroll")
    for (int i = j; i < end; ++i) {
      const int       skip = pairs - PLEX_HDG_PAIRS_OF(i);
      const PlexUnitB b    = a[skip].value[PLEX_HDG_IS_LOWER(i)];

      _Pragma("unroll")
      for (int p = 0; p < PLEX_HDG_PAIRS_OF(i); ++p)
        plex_unit_add(c[PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - j) - PLEX_HDG_ALL_PAIRS(PLEX_HDG_SQUARES - i) + p],
                      a[skip + p], b);
    }
  }
}

// l = column j of L and R^T L^-T, of what is left of -S and -R^T
template <int j>
PLEX_DEVICE void plex_hdg_eliminate(const PlexHDGPair *c, PlexHDGPair *l, unsigned long long turned, double *factor)
{
  constexpr int pairs = PLEX_HDG_PAIRS_OF(j), lower = PLEX_HDG_IS_LOWER(j);
  double2       X = make_double2(c[0][2 * lower], c[0][2 * lower + 1]), L;

  plex_hdg_square_invert(&X, PLEX_HDG_KEPT ? &L : NULL);
  _Pragma("unroll")
  for (int p = lower; p < pairs; ++p) {
    _Pragma("unroll")
    for (int s = 0; s < 4; ++s) l[p][s] = 0;
    _Pragma("unroll")
    for (int s = 0; s < 2; ++s) {
      const PlexUnitA a = {
        {c[p][s], c[p][2 + s]}
      };

      plex_unit_add(l[p], a, s ? X.y : X.x);
    }
#if PLEX_HDG_KEPT
    if (factor && p > 0) plex_hdg_keep(factor, turned, j - lower + 2 * p, j, l[p][0], l[p][1]);
    if (factor) plex_hdg_keep(factor, turned, j - lower + 2 * p + 1, j, l[p][2], l[p][3]);
#endif
  }
#if PLEX_HDG_KEPT
  if (factor) {
    for (int i = 0; i < j; ++i) plex_hdg_keep(factor, turned, i, j, 0, 0);
    plex_hdg_keep(factor, turned, j, j, L.x, L.y);
  }
#endif
}

// Columns j, ... before those that are held, each less what the ones left of it say; l: factors of the last one so far,
// which are in memory when the next but one asks for them
template <int j>
PLEX_DEVICE void plex_hdg_columns(double *A, PlexHDGPair *l, unsigned long long turned, double *factor)
{
  if constexpr (j < PLEX_HDG_HELD) {
    constexpr int pairs = PLEX_HDG_PAIRS_OF(j), more = PLEX_HDG_PAIRS_OF(0) - pairs;
    PlexHDGPair   c[pairs];

    plex_hdg_column_get<j>(A, c);
    if constexpr (j > 0) {
      plex_hdg_updates<j - 1, j, j + 1>(A, c);
      plex_hdg_update<j - 1, j, j + 1>(l + PLEX_HDG_PAIRS_OF(0) - PLEX_HDG_PAIRS_OF(j - 1), c);
    }
    plex_hdg_eliminate<j>(c, l + more, turned, factor);
    if constexpr (j + 1 < PLEX_HDG_HELD) {
      _Pragma("unroll")
      for (int p = PLEX_HDG_IS_LOWER(j); p < pairs; ++p)
        plex_hdg_pair_store(A + plex_hdg_column(j + 1) - (pairs - p) * 2 * PLEX_HDG_SQUARE, l[more + p]);
    }
    plex_hdg_columns<j + 1>(A, l, turned, factor);
  }
}

// Columns j, ... of S that are held
template <int j>
PLEX_DEVICE void plex_hdg_held_get(const double *A, PlexHDGPair *held)
{
  if constexpr (j < PLEX_HDG_SQUARES_S) {
    plex_hdg_column_get<j>(A, held + PLEX_HDG_PAIR_OF(j, 0));
    plex_hdg_held_get<j + 1>(A, held);
  }
}

template <int j>
PLEX_DEVICE void plex_hdg_columns_held(PlexHDGPair *held, unsigned long long turned, double *factor)
{
  if constexpr (j < PLEX_HDG_SQUARES_S) {
    PlexHDGPair l[PLEX_HDG_PAIRS_OF(j)];

    plex_hdg_eliminate<j>(held + PLEX_HDG_PAIR_OF(j, 0), l, turned, factor);

    plex_hdg_update<j, j + 1, PLEX_HDG_SQUARES>(l, held + PLEX_HDG_PAIR_OF(j + 1, 0));
    plex_hdg_columns_held<j + 1>(held, turned, factor);
  }
}

extern "C" __global__ void __launch_bounds__(32 * PLEX_HDG_TEAMS, PLEX_HDG_RESIDENT)
  plex_hdg_squarecondense(const PlexHDGArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  const int team = threadIdx.x / 32, e = args.begin + (int)blockIdx.x * PLEX_HDG_TEAMS + team;
  double   *A             = shared + team * PLEX_HDG_WORK;
  double   *factor        = args.factor ? args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_NP : NULL;
  double   *K             = args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT;
  const PlexHDGNumbers *g = (const PlexHDGNumbers *)args.numbers + (unsigned)e / 8;
  PlexHDGTurned        *t = (PlexHDGTurned *)(A + PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL);
  PlexHDGPair           l[PLEX_HDG_PAIRS_OF(0)], held[PLEX_HDG_PAIR_OF(PLEX_HDG_SQUARES, 0)];
  unsigned long long    turned;
  double                last;

#if !PLEX_HDG_SIGNS
  plex_hdg_get_turned(args, min(e, args.end - 1), t);
#endif
  plex_hdg_squares(args, shared);
  __syncthreads();
  if (e >= args.end) return; // all of the warp
#if !PLEX_HDG_SIGNS
  plex_hdg_turn(args, t, A);
  plex_lanes_sync();
#endif
  turned = g->turned[(unsigned)e % 8];
  plex_hdg_columns<0>(A, l, turned, factor);
  plex_hdg_held_get<PLEX_HDG_HELD>(A, held);
  _Pragma("unroll")
  for (int j = 0; j < PLEX_HDG_SQUARES_T; ++j) {
    const int lower = PLEX_HDG_IS_LOWER(PLEX_HDG_SQUARES_S + j);

    _Pragma("unroll")
    for (int i = j - lower; i < PLEX_HDG_SQUARES_T; ++i) {
      double *c = held[PLEX_HDG_PAIR_OF(PLEX_HDG_SQUARES_S + j, (i - j + lower) / 2)] + (i - j + lower) % 2 * 2;

      if (i < j) c[0] = c[1] = 0;
      else plex_hdg_square_H(args, g, (unsigned)e % 8, t, i, j, c);
    }
  }
  if constexpr (PLEX_HDG_HELD > 0) {
    plex_hdg_updates<PLEX_HDG_HELD - 1, PLEX_HDG_HELD, PLEX_HDG_SQUARES>(A, held);
    plex_hdg_update<PLEX_HDG_HELD - 1, PLEX_HDG_HELD, PLEX_HDG_SQUARES>(l + PLEX_HDG_PAIRS_OF(0) -
                                                                          PLEX_HDG_PAIRS_OF(PLEX_HDG_HELD - 1),
                                                                        held);
  }
  plex_hdg_columns_held<PLEX_HDG_HELD>(held, turned, factor);
  last = held[PLEX_HDG_PAIR_OF(PLEX_HDG_SQUARES - 1, 0)][2 * PLEX_HDG_IS_LOWER(PLEX_HDG_SQUARES - 1)];
  if (!(last - last == 0)) atomicMax(args.bad, e); // not finite, as all that follows a pivot that is not positive
  _Pragma("unroll")
  for (int j = 0; j < PLEX_HDG_SQUARES_T; ++j) _Pragma("unroll")
  for (int i = j; i < PLEX_HDG_SQUARES_T; ++i) {
    const int lower = PLEX_HDG_IS_LOWER(PLEX_HDG_SQUARES_S + j);

    plex_hdg_write(i, j, turned,
                   held[PLEX_HDG_PAIR_OF(PLEX_HDG_SQUARES_S + j, (i - j + lower) / 2)] + (i - j + lower) % 2 * 2, K);
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_squarecondense)
