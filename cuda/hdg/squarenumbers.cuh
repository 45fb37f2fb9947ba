// What both kernels of local matrices in squares of 8 x 8 have of an affine element: its numbers, faces that are turned,
// H, K and the factors in squares.
//
// -S and -R^T are the lower triangle of squares by columns: column k begins with the square on the diagonal and ends with
// the last rows of R^T.
//
// Where the functions of a face turned are the unturned ones but for the sign (PLEX_HDG_SIGNS, faces of elements in 2D),
// all is made of unturned ones and signs are put right where K is written. Else R^T of unturned functions is multiplied
// by the turn's small matrix Q, psi_m of the turn = sum_n Q[m][n] psi_n, in place, before the elimination, and H is read
// for the turns. On a triangle Q has blocks of functions of one degree, on a square a sign for each function or two that
// change places: plex_hdg_mixed[m] has the bits n of the numbers that some turn has in row m, PLEX_HDG_MIXES of a turn in
// memory.
#pragma once

#include "hdg.cuh"
#include "square.cuh"

#define PLEX_HDG_SQUARES_S   ((PLEX_HDG_NP + 7) / 8)
#define PLEX_HDG_SQUARES_T   ((PLEX_HDG_NT + 7) / 8)
#define PLEX_HDG_SQUARES     (PLEX_HDG_SQUARES_S + PLEX_HDG_SQUARES_T)
#define PLEX_HDG_SQUARES_ALL (PLEX_HDG_SQUARES_S * (2 * PLEX_HDG_SQUARES - PLEX_HDG_SQUARES_S + 1) / 2)
#define PLEX_HDG_STEPS       ((PLEX_HDG_NAB + PLEX_HDG_FACES + 2 + PLEX_UNIT_K - 1) / PLEX_UNIT_K)
static_assert(PLEX_DIM < PLEX_UNIT_K && (!PLEX_HDG_SIGNS || PLEX_HDG_NT <= 64), "steps of R, bits of the turns");

// The coefficients of eight elements
struct PlexHDGNumbers {
  /* det r_a . kappa r_b, tau s_f, det (later multiplied by lambda), 1 for rows that pad squares; coefficient c of step
     s is [c][s] */
  double S[8][PLEX_UNIT_K][PLEX_HDG_STEPS];
  double R[PLEX_HDG_FACES][8][PLEX_UNIT_K];    // tau s_f, r_a . kappa N_f
  double H[PLEX_HDG_FACES][PLEX_HDG_FACES][8]; // N_f . kappa N_h / det
  /* bit m: function m of the faces has the other sign in this element; PLEX_HDG_SIGNS */
  unsigned long long turned[8];
};
static_assert(sizeof(PlexHDGNumbers) == 8 * 8 * PLEX_HDG_NUMBERS, "numbers");

// Computes the coefficients, a thread an element; once, as geometry, kappa and tau do not change
extern "C" __global__ void plex_hdg_squarenumbers(const PlexHDGArgs args, double *numbers)
{
  const int       e = args.begin + (int)(blockIdx.x * blockDim.x + threadIdx.x), at = (unsigned)e % 8;
  PlexHDGNumbers *g                                  = (PlexHDGNumbers *)numbers + (unsigned)e / 8;
  const double   *x                                  = args.x + (plex_index)e * (PLEX_DIM + 1) * PLEX_DIM,
               *kappa                                = args.kappa + (plex_index)e * PLEX_DIM * PLEX_DIM;
  double             S[PLEX_HDG_STEPS * PLEX_UNIT_K] = {}, J[3][3], rx[3][3], det;
  unsigned long long turned                          = 0;
  int                n                               = 0;

  if (e >= args.end) return;
  for (int d = 0; d < PLEX_DIM; ++d)
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = 0.5 * (x[(a + 1) * PLEX_DIM + d] - x[d]);
  det = plex_hdg_invert(J, rx);
  for (int a = 0; a < PLEX_DIM; ++a)
    for (int b = a; b < PLEX_DIM; ++b) S[n++] = det * plex_hdg_dot(kappa, rx[a], rx[b]);
  for (int f = 0; f < PLEX_HDG_FACES; ++f) {
    double       N[3];
    const double ts = args.tau[(plex_index)e * PLEX_HDG_FACES + f] * plex_hdg_normal(f, det, rx, N);

    S[n++]         = ts;
    g->R[f][at][0] = ts;
    for (int a = 0; a < PLEX_UNIT_K - 1; ++a) g->R[f][at][1 + a] = a < PLEX_DIM ? plex_hdg_dot(kappa, rx[a], N) : 0;
#if PLEX_HDG_SIGNS
    for (int m = 1; m < PLEX_HDG_NF && args.turns[(plex_index)e * PLEX_HDG_FACES + f]; m += 2)
      turned |= 1ull << (f * PLEX_HDG_NF + m);
#endif
  }
  for (int f = 0; f < PLEX_HDG_FACES; ++f)
    for (int h = 0; h < PLEX_HDG_FACES; ++h) {
      double sum = 0;

      for (int a = 0, ab = 0; a < PLEX_DIM; ++a)
        for (int b = a; b < PLEX_DIM; ++b, ++ab)
          sum += S[ab] * (plex_hdg_normals[f][a] * plex_hdg_normals[h][b] +
                          (a < b ? plex_hdg_normals[f][b] * plex_hdg_normals[h][a] : 0));
      g->H[f][h][at] = sum;
    }
  S[n++]        = det;
  S[n]          = 1;
  g->turned[at] = turned;
  for (int k = 0; k < PLEX_HDG_STEPS * PLEX_UNIT_K; ++k) g->S[at][k % PLEX_UNIT_K][k / PLEX_UNIT_K] = S[k];
}
PLEX_EXPORT_KERNEL(plex_hdg_squarenumbers)

// First number of column k of squares
PLEX_DEVICE constexpr int plex_hdg_column(int k)
{
  return (k * PLEX_HDG_SQUARES - k * (k - 1) / 2) * PLEX_HDG_SQUARE;
}

// The face of function m of all faces; the last face for padding
PLEX_DEVICE int plex_hdg_face(int m)
{
  return min(m / PLEX_HDG_NF, PLEX_HDG_FACES - 1);
}

// ---- Faces that are turned

#if PLEX_HDG_SIGNS
  #define PLEX_HDG_TURNED 0
typedef void PlexHDGTurned;
#else
  #define PLEX_HDG_FACE_BIT 26

// How an element sees its faces, in shared memory
typedef struct {
  double H[PLEX_HDG_FACES * PLEX_HDG_FACES]; // as PlexHDGNumbers has it
  double ts[PLEX_HDG_FACES];
  int    turn[(PLEX_HDG_FACES + 1) / 2 * 2];
  /* row[s] + column[t] has where H of two functions is: in the lower bits in the table of all faces and turns, in the upper
     ones above; the last function for padding */
  unsigned row[8 * PLEX_HDG_SQUARES_T], column[8 * PLEX_HDG_SQUARES_T];
} PlexHDGTurned;
  #define PLEX_HDG_TURNED   ((int)sizeof(PlexHDGTurned) / 8) // doubles

PLEX_DEVICE void plex_hdg_get_turned(const PlexHDGArgs &args, int e, PlexHDGTurned *t)
{
  const PlexHDGNumbers *g     = (const PlexHDGNumbers *)args.numbers + (unsigned)e / 8;
  const int            *turns = args.turns + (plex_index)e * PLEX_HDG_FACES, at = (unsigned)e % 8;

  PLEX_HDG_EACH(k, 8 * PLEX_HDG_SQUARES_T)
  {
    const int m = min(k, PLEX_HDG_NT - 1), f = m / PLEX_HDG_NF, ft = f * PLEX_HDG_TURNS + turns[f], n = m % PLEX_HDG_NF;

    t->row[k]    = ((unsigned)(f * PLEX_HDG_FACES) << PLEX_HDG_FACE_BIT) +
                   (ft * PLEX_HDG_PAIRS * PLEX_HDG_NF + n) * PLEX_HDG_NF;
    t->column[k] = ((unsigned)f << PLEX_HDG_FACE_BIT) + ft * PLEX_HDG_NF * PLEX_HDG_NF + n;
  }
  PLEX_HDG_EACH(k, PLEX_HDG_FACES * PLEX_HDG_FACES)
  {
    t->H[k] = (&g->H[0][0][at])[k * 8];
  }
  PLEX_HDG_EACH(f, PLEX_HDG_FACES)
  {
    t->ts[f]   = g->R[f][at][0];
    t->turn[f] = turns[f];
  }
}

// R^T of an element from that of unturned functions, a thread a face's rows of a column. 2 MIXES flops of those
PLEX_DEVICE void plex_hdg_turn(const PlexHDGArgs &args, const PlexHDGTurned *t, double *A)
{
  PLEX_HDG_EACH(k, 8 * PLEX_HDG_FACES * PLEX_HDG_SQUARES_S)
  {
    const int f = k / 8 % PLEX_HDG_FACES, j = k / (8 * PLEX_HDG_FACES), turn = t->turn[f];
    double   *row = A + plex_hdg_column(j) + (PLEX_HDG_SQUARES_S - j) * PLEX_HDG_SQUARE + f * PLEX_HDG_NF * 8 + k % 8;
    const double2 *Q = (const double2 *)(args.squareQ + turn * PLEX_HDG_MIXES);
    double2        q = {};
    double         v[PLEX_HDG_NF];
    int            at = 0;

    if (turn == 0) continue;
    _Pragma("unroll")
    for (int m = 0; m < PLEX_HDG_NF; ++m) v[m] = row[8 * m];
    _Pragma("unroll")
    for (int m = 0; m < PLEX_HDG_NF; ++m) {
      double sum = 0;

      _Pragma("unroll")
      for (int n = 0; n < PLEX_HDG_NF; ++n)
        if (plex_hdg_mixed[m] >> n & 1) {
          if (at % 2 == 0) q = plex_load_kept(Q + at / 2);
          sum = fma(at++ % 2 ? q.y : q.x, v[n], sum);
        }
      row[8 * m] = sum;
    }
  }
}
#endif

// ---- Squares of H, of the factors, of K

// Square (i, j) of -H: of each two faces a number times a table; of those on the diagonal what is below it says all
PLEX_DEVICE void plex_hdg_square_H(const PlexHDGArgs &args, const PlexHDGNumbers *g, int at, const PlexHDGTurned *t,
                                   int i, int j, double *c)
{
  const int lane = threadIdx.x % 32, row = i * 8 + lane / 4, column = j * 8 + lane % 4 * 2;
  double    h0, h1, ts;
  double2   T;

#if PLEX_HDG_SIGNS
  const int f = plex_hdg_face(row);

  (void)t;
  T  = *(const double2 *)(args.squareT + (i * (i + 1) / 2 + j) * PLEX_HDG_SQUARE + 2 * lane);
  h0 = g->H[f][plex_hdg_face(column)][at];
  h1 = g->H[f][plex_hdg_face(column + 1)][at];
  ts = i == j ? -g->R[f][at][0] : 0;
#else
  const unsigned r = t->row[row], c0 = t->column[column], c1 = t->column[column + 1];
  const int      bit = PLEX_HDG_FACE_BIT, mask = (1 << bit) - 1;

  (void)g;
  (void)at;
  T  = make_double2(args.T[(int)(r & mask) + (int)(c0 & mask)], args.T[(int)(r & mask) + (int)(c1 & mask)]);
  h0 = t->H[(int)(r >> bit) + (int)(c0 >> bit)];
  h1 = t->H[(int)(r >> bit) + (int)(c1 >> bit)];
  ts = i == j ? -t->ts[plex_hdg_face(row)] : 0;
#endif
  c[0] = fma(-h0, T.x, row == column ? ts : 0);
  c[1] = fma(-h1, T.y, row == column + 1 ? ts : 0);
}

// Bit 0: function m of the faces has the other sign
PLEX_DEVICE unsigned plex_hdg_turned(unsigned long long turned, int m)
{
  return PLEX_HDG_SIGNS ? (unsigned)(turned >> m % 64) : 0;
}

#if PLEX_HDG_KEPT
// Square (i, j) of the factors
PLEX_DEVICE void plex_hdg_keep(double *factor, unsigned long long turned, int i, int j, double x, double y)
{
  const int    lane = threadIdx.x % 32, row = (i < PLEX_HDG_SQUARES_S ? i : i - PLEX_HDG_SQUARES_S) * 8 + lane / 4,
               column = j * 8 + lane % 4 * 2, first = i < PLEX_HDG_SQUARES_S ? 0 : PLEX_HDG_NP;
  const double sign = first && (plex_hdg_turned(turned, row) & 1) ? -1 : 1;

  if (row >= (first ? PLEX_HDG_NT : PLEX_HDG_NP)) return;
  if (column < PLEX_HDG_NP) factor[(first + row) * PLEX_HDG_NP + column] = sign * x;
  if (column + 1 < PLEX_HDG_NP) factor[(first + row) * PLEX_HDG_NP + column + 1] = sign * y;
}
#endif

// -value where bit 0 is not set. Not by arithmetic, which shares its units with tensor cores
PLEX_DEVICE double plex_hdg_signed(unsigned bits, double value)
{
  return __hiloint2double(__double2hiint(value) ^ (int)(~bits << 31), __double2loint(value));
}

// Square (i, j) of K, less c, and the one that mirrors it
PLEX_DEVICE void plex_hdg_write(int i, int j, unsigned long long turned, const double *c, double *K)
{
  const int      r = threadIdx.x % 32 / 4, m = threadIdx.x % 4 * 2, row = i * 8 + r, column = j * 8 + m;
  const unsigned across = plex_hdg_turned(turned, row), down = plex_hdg_turned(turned, column);
  const double2  w = make_double2(plex_hdg_signed(across ^ down, c[0]), plex_hdg_signed(across ^ down >> 1, c[1]));
  /* each the lane's place of a square and that of the square */
  double *here  = K + (r * PLEX_HDG_NT + m) + (i * PLEX_HDG_NT + j) * 8,
         *there = K + (m * PLEX_HDG_NT + r) + (j * PLEX_HDG_NT + i) * 8;

  if ((i + 1) * 8 > PLEX_HDG_NT && row >= PLEX_HDG_NT) return;
  if (PLEX_HDG_NT % 2 == 0 && i > j) *(double2 *)here = w;
  else {
    if (i > j || column <= row) here[0] = w.x;
    if (i > j || column < row) here[1] = w.y;
  }
  if (i > j || column <= row) there[0] = w.x;
  if (i > j || column < row) there[PLEX_HDG_NT] = w.y;
}
