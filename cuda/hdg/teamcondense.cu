// Local matrices of affine elements on tensor cores, of elements whose K is too large for the registers of a warp: as
// squarecondense.cu has them, but a team of WARPS warps an element, and TEAMS elements a block.
//
// Sums. The reference element's matrices S_c and R^T_c have many zeros, on cubes above all. So there are lists of 32
// entries of S = sum_c a_c S_c and R^T, with the terms that are not zero; an entry is summed by a lane, for all elements
// of the block, and put where it belongs among zeros.
//
// Elimination of S, left-looking, in panels of two columns of squares, whose rows on the diagonal are a pair of rows (of
// an odd number of rows the first panel has one column; so may the last). One warp inverts the two squares on the
// diagonal, one after the other, some 1,000 cycles each. Meanwhile the others add to the next panel what the columns left
// of this one say, each to its own pairs of rows; then they multiply their rows of this panel by the inverses. Two
// barriers a panel.
//
// K = H - Y Y^T, Y = R^T L^-T: tiles of a pair of rows and two pairs of columns, in registers, dealt out to the warps.
//
// Squares, their signs and their pairs are those of squarecondense.cu. Where a panel's diagonal squares were, their
// inverses are: of the first column in the upper square of the pair, of the second one by itself.
//
// Reads 8 PLEX_HDG_NUMBERS bytes an element, a number of H's table for each entry of K's lower triangle, and once a block
// the lists; writes 8 NT^2 bytes, and 8 (NP + NT) NP where the factors are kept. (NP + NT)^3/3 - NT^3/3 multiplications
// and additions of whole squares beside the sums.
#include "squarenumbers.cuh"

#define PLEX_HDG_WARPS     (PLEX_HDG_THREADS / 32)
#define PLEX_HDG_WORKERS   (PLEX_HDG_WARPS - 1)
#define PLEX_HDG_ODD       (PLEX_HDG_SQUARES % 2)
#define PLEX_HDG_ROW_PAIRS ((PLEX_HDG_SQUARES + 1) / 2)
#define PLEX_HDG_PANELS    ((PLEX_HDG_SQUARES_S + PLEX_HDG_ODD + 1) / 2)
#define PLEX_HDG_K_PAIRS   ((PLEX_HDG_SQUARES_T + 1) / 2)
#define PLEX_HDG_K_TILES   ((PLEX_HDG_K_PAIRS + 1) * (PLEX_HDG_K_PAIRS + 1) / 4)
/* coefficients of an element: of S, 4 of each face */
#define PLEX_HDG_COEFFICIENTS (PLEX_UNIT_K * (4 + PLEX_HDG_FACES))
#define PLEX_HDG_LISTS        plex_hdg_lists[0]
static_assert(PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL + PLEX_HDG_TURNED + PLEX_HDG_COEFFICIENTS <= PLEX_HDG_WORK,
              "workspace");
static_assert(PLEX_HDG_STEPS <= 4 && PLEX_HDG_WARPS >= 4, "coefficients of S, warps of a team");

// Row pair r from below, of column k
#define PLEX_HDG_PAIR_AT(k, r) (plex_hdg_column((k) + 1) - ((r) + 1) * 2 * PLEX_HDG_SQUARE)

// The first column of panel a, -1: there is only the second one
PLEX_DEVICE constexpr int plex_hdg_panel(int a)
{
  return 2 * a - PLEX_HDG_ODD;
}

// ---- Sums

struct PlexHDGList {
  unsigned long long head; // place, and numbers of the terms: src/hdg/squareteams.c
  double             value[PLEX_HDG_TERMS];
};

// List n, before which each earlier one has a head and as many numbers as terms
PLEX_DEVICE void plex_hdg_list_get(const PlexHDGArgs &args, int n, PlexHDGList *list)
{
  int before = n;

  if (n >= PLEX_HDG_LISTS) return;
  _Pragma("unroll")
  for (int t = 0; t < PLEX_HDG_TERMS; ++t) before += min(n, plex_hdg_lists[t]);
  const double *from = args.squareLists + before * 32 + threadIdx.x % 32;

  const double head = plex_load_kept(from);

  list->head = (unsigned long long)(unsigned)__double2hiint(head) << 32 | (unsigned)__double2loint(head);
  /* few lists have many terms: a branch passes over the others' */
  _Pragma("unroll")
  for (int t = 0; t < PLEX_HDG_TERMS; ++t) {
    if (n >= plex_hdg_lists[t]) break;
    list->value[t] = plex_load_kept(from + (t + 1) * 32);
  }
}

PLEX_DEVICE void plex_hdg_list_put(int n, const PlexHDGList &list, double *shared)
{
  const int place = (int)(list.head & 0xffff), first = (int)(list.head >> 60) * PLEX_UNIT_K;

  if (n >= PLEX_HDG_LISTS) return;
  _Pragma("unroll")
  for (int team = 0; team < PLEX_HDG_TEAMS; ++team) {
    double       *A = shared + team * PLEX_HDG_WORK, sum = 0;
    const double *a = A + PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL + PLEX_HDG_TURNED + first;

    _Pragma("unroll")
    for (int t = 0; t < PLEX_HDG_TERMS; ++t) {
      if (n >= plex_hdg_lists[t]) break;
      sum = fma(list.value[t], a[list.head >> (16 + 4 * t) & 15], sum);
    }
    A[place] = sum;
  }
}

// -S and -R^T of unturned faces of all elements of the block. A warp sums up a list while it loads the next two
PLEX_DEVICE void plex_hdg_sums(const PlexHDGArgs &args, double *shared)
{
  constexpr int depth = 3, warps = PLEX_HDG_WARPS * PLEX_HDG_TEAMS;
  const int     first = threadIdx.x / 32;
  PlexHDGList   list[depth];

  _Pragma("unroll")
  for (int d = 0; d < depth - 1; ++d) plex_hdg_list_get(args, first + d * warps, list + d);
  for (int n = first; n < PLEX_HDG_LISTS; n += depth * warps) {
    _Pragma("unroll")
    for (int d = 0; d < depth; ++d) {
      plex_hdg_list_get(args, n + (d + depth - 1) * warps, list + (d + depth - 1) % depth);
      plex_hdg_list_put(n + d * warps, list[d], shared);
    }
  }
}

// Zeros, and the element's coefficients
PLEX_DEVICE void plex_hdg_begin(const PlexHDGArgs &args, int e, double *A)
{
  double               *a  = A + PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL + PLEX_HDG_TURNED;
  const PlexHDGNumbers *g  = (const PlexHDGNumbers *)args.numbers + (unsigned)e / 8;
  const int             at = (unsigned)e % 8, lambda = PLEX_HDG_NAB + PLEX_HDG_FACES, own = PLEX_HDG_LANE;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_HDG_SQUARE / 2 * PLEX_HDG_SQUARES_ALL; k += PLEX_HDG_THREADS)
    if (k + own < PLEX_HDG_SQUARE / 2 * PLEX_HDG_SQUARES_ALL) ((double2 *)A)[k + own] = make_double2(0, 0);
  PLEX_HDG_EACH(k, PLEX_UNIT_K * PLEX_HDG_STEPS)
  {
    const double v = g->S[at][k % PLEX_UNIT_K][k / PLEX_UNIT_K];

    a[k] = k == lambda ? v * (args.reaction[e] + args.shift) : v;
  }
  PLEX_HDG_EACH(k, PLEX_UNIT_K * PLEX_HDG_FACES)
  a[4 * PLEX_UNIT_K + k] = g->R[k / PLEX_UNIT_K][at][k % PLEX_UNIT_K];
}

// ---- Elimination

// What a warp has to do with it
struct PlexHDGMember {
  double *A;
  double *factor; // of the element, NULL: not kept
  int     row;    // first pair of rows from below; the WORKERS-th next are its own, too
};

// Pairs of rows of a worker below panel a
template <int a>
PLEX_DEVICE constexpr int plex_hdg_own()
{
  return (PLEX_HDG_ROW_PAIRS - 1 - a + PLEX_HDG_WORKERS - 1) / PLEX_HDG_WORKERS;
}

// Whether there is pair m of a worker's own among `below`
PLEX_DEVICE bool plex_hdg_is_own(const PlexHDGMember &w, int m, int below)
{
  return (m + 1) * PLEX_HDG_WORKERS <= below || w.row + m * PLEX_HDG_WORKERS < below;
}

// A pair of squares that is not eliminated yet; `lower`: the lower one alone
PLEX_DEVICE void plex_hdg_rows_get(const double *pair, bool lower, double *c)
{
  const double2 x = lower ? make_double2(0, 0) : plex_hdg_square_load(pair),
                y = plex_hdg_square_load(pair + PLEX_HDG_SQUARE);

  c[0] = x.x;
  c[1] = x.y;
  c[2] = y.x;
  c[3] = y.y;
}

PLEX_DEVICE void plex_hdg_rows_put(double *pair, bool lower, const double *c)
{
  double *mine = pair + threadIdx.x % 32 * 2;

  if (!lower) *(double2 *)mine = make_double2(c[0], c[1]);
  *(double2 *)(mine + PLEX_HDG_SQUARE) = make_double2(c[2], c[3]);
}

// Own pairs of rows of panel a, of which `below` are below the panel before it or this one: += factors of columns k of
// begin, ..., end - 1 times their rows on the panel's diagonal
template <int a, int own, int begin, int end>
PLEX_DEVICE void plex_hdg_panel_add(const PlexHDGMember &w, int below, PlexHDGPair (*c)[2])
{
  constexpr int u = plex_hdg_panel(a), diagonal = PLEX_HDG_ROW_PAIRS - 1 - a;
  const double *mine = w.A - w.row * 2 * PLEX_HDG_SQUARE;

  _Pragma("unroll")
  for (int k = begin; k < end; ++k) _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const PlexUnitA b = plex_hdg_pair_load(w.A + PLEX_HDG_PAIR_AT(k, diagonal), s);

    _Pragma("unroll")
    for (int m = 0; m < own; ++m) {
      if (!plex_hdg_is_own(w, m, below)) continue;
      const PlexUnitA l = plex_hdg_pair_load(mine + PLEX_HDG_PAIR_AT(k, m * PLEX_HDG_WORKERS), s);

      if (u >= 0) plex_unit_add(c[m][0], l, b.value[0]);
      if (u + 1 < PLEX_HDG_SQUARES_S) plex_unit_add(c[m][1], l, b.value[1]);
    }
  }
}

// Own pairs of rows of panel a, from memory and back there
template <int a, int own>
PLEX_DEVICE void plex_hdg_panel_get(const PlexHDGMember &w, int below, PlexHDGPair (*c)[2])
{
  constexpr int u = plex_hdg_panel(a), diagonal = PLEX_HDG_ROW_PAIRS - 1 - a;
  const double *mine = w.A - w.row * 2 * PLEX_HDG_SQUARE;

  _Pragma("unroll")
  for (int m = 0; m < own; ++m) {
    const bool lower = w.row + m * PLEX_HDG_WORKERS == diagonal; // of column u + 1

    if (!plex_hdg_is_own(w, m, below)) continue;
    if (u >= 0) plex_hdg_rows_get(mine + PLEX_HDG_PAIR_AT(u, m * PLEX_HDG_WORKERS), false, c[m][0]);
    if (u + 1 < PLEX_HDG_SQUARES_S)
      plex_hdg_rows_get(mine + PLEX_HDG_PAIR_AT(u + 1, m * PLEX_HDG_WORKERS), lower, c[m][1]);
  }
}

template <int a, int own>
PLEX_DEVICE void plex_hdg_panel_put(const PlexHDGMember &w, int below, const PlexHDGPair (*c)[2])
{
  constexpr int u = plex_hdg_panel(a), diagonal = PLEX_HDG_ROW_PAIRS - 1 - a;
  double       *mine = w.A - w.row * 2 * PLEX_HDG_SQUARE;

  _Pragma("unroll")
  for (int m = 0; m < own; ++m) {
    const bool lower = w.row + m * PLEX_HDG_WORKERS == diagonal;

    if (!plex_hdg_is_own(w, m, below)) continue;
    if (u >= 0) plex_hdg_rows_put(mine + PLEX_HDG_PAIR_AT(u, m * PLEX_HDG_WORKERS), false, c[m][0]);
    if (u + 1 < PLEX_HDG_SQUARES_S)
      plex_hdg_rows_put(mine + PLEX_HDG_PAIR_AT(u + 1, m * PLEX_HDG_WORKERS), lower, c[m][1]);
  }
}

// l = c X^T, both pairs
PLEX_DEVICE void plex_hdg_pair_multiply(const double *c, double2 X, double *l)
{
  _Pragma("unroll")
  for (int s = 0; s < 4; ++s) l[s] = 0;
  _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const PlexUnitA a = {
      {c[s], c[2 + s]}
    };

    plex_unit_add(l, a, s ? X.y : X.x);
  }
}

#if PLEX_HDG_KEPT
// Column j of the factors at its square on the diagonal, and above it
PLEX_DEVICE void plex_hdg_keep_diagonal(double *factor, int j, double2 L)
{
  for (int i = 0; i < j; ++i) plex_hdg_keep(factor, 0, i, j, 0, 0);
  plex_hdg_keep(factor, 0, j, j, L.x, L.y);
}
#endif

// The pair of rows of panel a on the diagonal, by one warp: inverses X of its squares, and the square below the first
template <int a>
PLEX_DEVICE void plex_hdg_diagonal(const PlexHDGMember &w)
{
  constexpr int  u = plex_hdg_panel(a), r = PLEX_HDG_ROW_PAIRS - 1 - a;
  constexpr bool second = u + 1 < PLEX_HDG_SQUARES_S;
  double        *A = w.A, *mine = A + threadIdx.x % 32 * 2;
  PlexHDGPair    c[2];
  double2        X, L;

  if (u >= 0) plex_hdg_rows_get(A + PLEX_HDG_PAIR_AT(max(u, 0), r), false, c[0]);
  if (second) plex_hdg_rows_get(A + PLEX_HDG_PAIR_AT(u + 1, r), true, c[1]);
  _Pragma("unroll")
  for (int k = max(u - 2, 0); k < u; ++k) _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const PlexUnitA l = plex_hdg_pair_load(A + PLEX_HDG_PAIR_AT(k, r), s);

    plex_unit_add(c[0], l, l.value[0]);
    if (second) plex_unit_add(c[1], l, l.value[1]);
  }
  if (u >= 0) {
    PlexHDGPair l;

    X = make_double2(c[0][0], c[0][1]);
    plex_hdg_square_invert(&X, PLEX_HDG_KEPT ? &L : NULL);
    plex_hdg_pair_multiply(c[0], X, l);
    _Pragma("unroll")
    for (int s = 0; s < 2 && second; ++s) {
      const PlexUnitA b = {
        {l[s], l[2 + s]}
      };

      plex_unit_add(c[1], b, l[2 + s]);
    }
#if PLEX_HDG_KEPT
    if (w.factor) {
      plex_hdg_keep_diagonal(w.factor, u, L);
      plex_hdg_keep(w.factor, 0, u + 1, u, l[2], l[3]);
    }
#endif
    l[0] = X.x;
    l[1] = X.y;
    plex_hdg_pair_store(A + PLEX_HDG_PAIR_AT(max(u, 0), r), l);
  }
  if (second) {
    X = make_double2(c[1][2], c[1][3]);
    plex_hdg_square_invert(&X, PLEX_HDG_KEPT ? &L : NULL);
#if PLEX_HDG_KEPT
    if (w.factor) plex_hdg_keep_diagonal(w.factor, u + 1, L);
#endif
    *(double2 *)(mine + plex_hdg_column(u + 1)) = X;
  }
}

// Own pairs of rows c of panel a times the inverses, to memory
template <int a, int own>
PLEX_DEVICE void plex_hdg_panel_finish(const PlexHDGMember &w, PlexHDGPair (*c)[2])
{
  constexpr int  u = plex_hdg_panel(a), r = PLEX_HDG_ROW_PAIRS - 1 - a;
  constexpr bool second = u + 1 < PLEX_HDG_SQUARES_S;
  double        *mine   = w.A - w.row * 2 * PLEX_HDG_SQUARE;
  PlexUnitA      x[2]   = {};
  double2        X      = {};

  _Pragma("unroll")
  for (int s = 0; s < 2 && u >= 0; ++s) x[s] = plex_hdg_pair_load(w.A + PLEX_HDG_PAIR_AT(max(u, 0), r), s);
  if (second) X = plex_hdg_square_load(w.A + plex_hdg_column(u + 1));
  _Pragma("unroll")
  for (int m = 0; m < own; ++m) {
    const int pair = w.row + m * PLEX_HDG_WORKERS;

    if (!plex_hdg_is_own(w, m, r)) continue;
    _Pragma("unroll")
    for (int column = max(u, 0); column < min(u + 2, PLEX_HDG_SQUARES_S); ++column) {
      PlexHDGPair l;

      plex_hdg_pair_multiply(c[m][column - u], column == u ? make_double2(x[0].value[0], x[1].value[0]) : X, l);
      _Pragma("unroll")
      for (int s = 0; s < 2 && column == u && second; ++s) {
        const PlexUnitA b = {
          {l[s], l[2 + s]}
        };

        plex_unit_add(c[m][1], b, x[s].value[1]);
      }
      plex_hdg_pair_store(mine + PLEX_HDG_PAIR_AT(column, m * PLEX_HDG_WORKERS), l);
#if PLEX_HDG_KEPT
      if (w.factor) plex_hdg_keep(w.factor, 0, PLEX_HDG_SQUARES - 2 * pair - 2, column, l[0], l[1]);
      if (w.factor) plex_hdg_keep(w.factor, 0, PLEX_HDG_SQUARES - 2 * pair - 1, column, l[2], l[3]);
#endif
    }
  }
}

// Panels a, a + 1, ...; of panel a what columns left of panel a - 1 say is added already
template <int a>
PLEX_DEVICE void plex_hdg_panels(const PlexHDGMember &w, bool inverts)
{
  if constexpr (a < PLEX_HDG_PANELS) {
    constexpr int u = plex_hdg_panel(a), below = PLEX_HDG_ROW_PAIRS - 1 - a, own = plex_hdg_own<a>();
    PlexHDGPair   c[own > 0 ? own : 1][2], next[own > 0 ? own : 1][2];

    if (inverts) plex_hdg_diagonal<a>(w);
    else {
      if constexpr (a + 1 < PLEX_HDG_PANELS && u > 0) { /* first, as c stays in registers */
        plex_hdg_panel_get<a + 1, own>(w, below, next);
        plex_hdg_panel_add<a + 1, own, 0, u>(w, below, next);
        plex_hdg_panel_put<a + 1, own>(w, below, next);
      }
      plex_hdg_panel_get<a, own>(w, below, c);
      plex_hdg_panel_add<a, own, (u > 2 ? u - 2 : 0), u>(w, below, c);
    }
    __syncthreads();
    if (!inverts) plex_hdg_panel_finish<a, own>(w, c);
    __syncthreads();
    plex_hdg_panels<a + 1>(w, inverts);
  }
}

// ---- K

// Rows of pair r from below, columns of pair q and, if `two`, of the one right of it: c += Y Y^T
template <bool two>
PLEX_DEVICE void plex_hdg_tile_add(const double *A, int r, int q, PlexHDGPair *c)
{
  const double *rows = A - r * 2 * PLEX_HDG_SQUARE, *columns = A - q * 2 * PLEX_HDG_SQUARE;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_HDG_SQUARES_S; ++k) _Pragma("unroll")
  for (int s = 0; s < 2; ++s) {
    const PlexUnitA l = plex_hdg_pair_load(rows + PLEX_HDG_PAIR_AT(k, 0), s);

    _Pragma("unroll")
    for (int p = 0; p < (two ? 2 : 1); ++p) {
      const PlexUnitA b = plex_hdg_pair_load(columns + PLEX_HDG_PAIR_AT(k, -p), s);

      plex_unit_add(c[2 * p], l, b.value[0]);
      plex_unit_add(c[2 * p + 1], l, b.value[1]);
    }
  }
}

// Squares of -H of a tile's rows i, i + 1 and columns j, ..., to c; of those right of the diagonal numbers that nobody
// reads. Where a face has an even number of functions two columns are of one face, side by side in the table
#define PLEX_HDG_EVEN (PLEX_HDG_NF % 2 == 0 && PLEX_HDG_NT % 16 == 0)

template <int columns>
PLEX_DEVICE void plex_hdg_tile_H(const PlexHDGArgs &args, const PlexHDGTurned *t, int i, int j, PlexHDGPair *c)
{
#if PLEX_HDG_EVEN
  const int      lane = threadIdx.x % 32, mask = (1 << PLEX_HDG_FACE_BIT) - 1;
  const unsigned r[2] = {t->row[i * 8 + lane / 4], t->row[i * 8 + 8 + lane / 4]};

  _Pragma("unroll")
  for (int q = 0; q < columns; ++q) {
    const unsigned k = t->column[(j + q) * 8 + lane % 4 * 2];

    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const double2 T = plex_load_kept((const double2 *)(args.T + ((r[h] & mask) + (k & mask))));
      const double  H = -t->H[(r[h] >> PLEX_HDG_FACE_BIT) + (k >> PLEX_HDG_FACE_BIT)];

      c[q][2 * h]     = H * T.x;
      c[q][2 * h + 1] = H * T.y;
    }
  }
  /* tau on the diagonal */
  _Pragma("unroll")
  for (int q = 0; q < columns; q += 2) {
    if (i != j + q) continue;
    _Pragma("unroll")
    for (int h = 0; h < 2; ++h) {
      const int    row = lane / 4, column = lane % 4 * 2;
      const double ts = t->ts[plex_hdg_face((i + h) * 8 + row)];

      if (row == column) c[q + h][2 * h] -= ts;
      if (row == column + 1) c[q + h][2 * h + 1] -= ts;
    }
  }
#else
  _Pragma("unroll")
  for (int p = 0; p < 2 * columns; ++p) {
    c[p / 2][p % 2 * 2] = c[p / 2][p % 2 * 2 + 1] = 0;
    if (i + p % 2 >= j + p / 2 && j + p / 2 >= 0)
      plex_hdg_square_H(args, NULL, 0, t, i + p % 2, j + p / 2, &c[p / 2][p % 2 * 2]);
  }
#endif
}

// The tile's squares to K
template <int columns>
PLEX_DEVICE void plex_hdg_tile_put(const PlexHDGArgs &args, int e, int i, int j, const PlexHDGPair *c, double *K)
{
  const int r = threadIdx.x % 32 / 4, m = threadIdx.x % 4 * 2, d = i - j;
  /* of the first square, and of the one that mirrors it */
  double *here = K + (i * 8 + r) * PLEX_HDG_NT + j * 8 + m, *there = K + (j * 8 + m) * PLEX_HDG_NT + i * 8 + r;

  _Pragma("unroll")
  for (int p = 0; p < 2 * columns; ++p) {
    const int     down = p % 2, right = p / 2;
    const double *square = &c[right][down * 2];

    if (d < right - down || (PLEX_HDG_SQUARES_T % 2 && j + right < 0)) continue;
    /* not finite, as all that follows a pivot that is not positive */
    if ((down + right) % 2 == 0 && d == right - down && j + right == PLEX_HDG_SQUARES_T - 1 &&
        !(square[0] - square[0] == 0))
      atomicMax(args.bad, e);
    if (!K) continue;
    if (PLEX_HDG_NT % 8 == 0 && d > right - down) {
      const double2 w = make_double2(plex_hdg_signed(0, square[0]), plex_hdg_signed(0, square[1]));

      *(double2 *)(here + (down * PLEX_HDG_NT + right) * 8) = w;
      there[(right * PLEX_HDG_NT + down) * 8]               = w.x;
      there[(right * PLEX_HDG_NT + down) * 8 + PLEX_HDG_NT] = w.y;
    } else plex_hdg_write(i + down, j + right, 0, square, K);
  }
}

// Rows i, i + 1 of squares, columns j, ...; r, q: their pairs from below
template <int columns>
PLEX_DEVICE void plex_hdg_tile_of(const PlexHDGArgs &args, int e, const double *A, int r, int q, double *K)
{
  const int   i = PLEX_HDG_SQUARES_T - 2 * (r + 1), j = PLEX_HDG_SQUARES_T - 2 * (q + 1);
  PlexHDGPair c[columns];

  plex_hdg_tile_H<columns>(args, (const PlexHDGTurned *)(A + PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL), i, j, c);
  plex_hdg_tile_add<columns == 4>(A, r, q, c);
  plex_hdg_tile_put<columns>(args, e, i, j, c, K);
}

// A tile of K: they are numbered by their rows from below, then by columns from the left. The last one of a row may have
// the pair of columns on the diagonal alone
PLEX_DEVICE void plex_hdg_tile(const PlexHDGArgs &args, int e, const double *A, int tile, double *K)
{
  int r = 0, q;

  for (; tile >= (PLEX_HDG_K_PAIRS - r + 1) / 2; ++r) tile -= (PLEX_HDG_K_PAIRS - r + 1) / 2;
  q = PLEX_HDG_K_PAIRS - 1 - 2 * tile;
  if (q > r) plex_hdg_tile_of<4>(args, e, A, r, q, K);
  else plex_hdg_tile_of<2>(args, e, A, r, q, K);
}

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS, PLEX_HDG_RESIDENT)
  plex_hdg_teamcondense(const PlexHDGArgs args)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  const int team = threadIdx.x / PLEX_HDG_THREADS, own = args.begin + (int)blockIdx.x * PLEX_HDG_TEAMS + team;
  /* of the team; by a lane's value the compiler knows that it is the same for the warp */
  const int warp = plex_lane_get((int)threadIdx.x / 32, 0) % PLEX_HDG_WARPS;
  /* warps of different schedulers, of which there are 4, for teams side by side */
  const int inverts = (team * (1 - PLEX_HDG_WARPS) + (int)blockIdx.x) & 3;
  /* the last one again where there are no more, which is not written */
  const int      e      = min(own, args.end - 1);
  const bool     active = own < args.end;
  double        *A      = shared + team * PLEX_HDG_WORK;
  PlexHDGTurned *t      = (PlexHDGTurned *)(A + PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL);
  double        *K      = active ? args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT : NULL;
  double *factor = args.factor && active ? args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_NP : NULL;
  const PlexHDGMember w = {A, factor, (warp - inverts - 1 + PLEX_HDG_WARPS) % PLEX_HDG_WARPS};

  plex_hdg_begin(args, e, A);
  plex_hdg_get_turned(args, e, t);
  __syncthreads();
  plex_hdg_sums(args, shared);
  __syncthreads();
  plex_hdg_turn(args, t, A);
  __syncthreads();
  plex_hdg_panels<0>(w, warp == inverts);
  for (int tile = warp; tile < PLEX_HDG_K_TILES; tile += PLEX_HDG_WARPS) plex_hdg_tile(args, e, A, tile, K);
}
PLEX_EXPORT_KERNEL(plex_hdg_teamcondense)
