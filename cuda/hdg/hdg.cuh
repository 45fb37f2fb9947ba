// What every kernel of a hybridized DG discretization starts from. Sizes come from src/hdg/kernels.c:
//
//   PLEX_DIM, PLEX_HDG_NP functions of an element, _NF of a face, _FACES, _TURNS, _NPOST functions of degree P + 1,
//       _AFFINE, _NV nodes of the coordinates,
//   _NQ and _NQF quadrature points; PLEX_HDG_THREADS a team, PLEX_HDG_TEAMS a block, PLEX_HDG_WORK doubles of
//       workspace a team, PLEX_HDG_GLOBAL where these are
//   in global memory, _GEOMETRY doubles of it for the element's numbers, _KEPT where the local problems' factors
//       are kept, _SLOPE where kappa depends on u, _CONVECTION 1 of the advective form, 2 of the conservative one,
//       _PIVOTS where eliminations look for them, _UNITS
//   where tensor cores serve; plex_hdg_normals[PLEX_HDG_FACES][PLEX_DIM] of the reference element
//
// A team of threads computes an element, and takes every so-many-th of them; all teams of a block pass the same
// barriers. Its workspace, in shared memory where that is large enough, holds the element's geometry, a symmetric
// matrix and vectors.
#pragma once

#include "../plex.cuh"
#include "hdg_args.h"
#if PLEX_HDG_UNITS
  #include "../dg/unit.cuh"
#endif

#define PLEX_HDG_NT    (PLEX_HDG_FACES * PLEX_HDG_NF)
#define PLEX_HDG_N     (PLEX_HDG_NP + PLEX_HDG_NT)
#define PLEX_HDG_NAB   (PLEX_DIM * (PLEX_DIM + 1) / 2)
#define PLEX_HDG_PAIRS (PLEX_HDG_FACES * PLEX_HDG_TURNS)
#define PLEX_HDG_LANE  ((int)(threadIdx.x % PLEX_HDG_THREADS))
#define PLEX_HDG_PANEL 8 // columns that are eliminated at a time
#define PLEX_HDG_TILE  4 // rows and columns of what a thread updates at a time

// for (k of 0 .. n of the team's threads)
#define PLEX_HDG_EACH(k, n) for (int k = PLEX_HDG_LANE; k < (n); k += PLEX_HDG_THREADS)

PLEX_DEVICE void plex_hdg_sync()
{
#if PLEX_HDG_THREADS == 32
  plex_lanes_sync();
#else
  __syncthreads();
#endif
}

// The workspace of this team
#if PLEX_HDG_GLOBAL
  #define PLEX_HDG_WORKSPACE(args) \
    double *work = (args).work + ((size_t)blockIdx.x * PLEX_HDG_TEAMS + threadIdx.x / PLEX_HDG_THREADS) * PLEX_HDG_WORK
#else
  #define PLEX_HDG_WORKSPACE(args) \
    PLEX_DYNAMIC_SHARED(double, shared); \
    double *work = shared + threadIdx.x / PLEX_HDG_THREADS * PLEX_HDG_WORK
#endif

// Elements of a team: the last one again, without writing, where there are no more for this team but some for others of
// the block
#define PLEX_HDG_ELEMENTS(args, e, active) \
  for (int group  = (args).begin + (int)blockIdx.x * PLEX_HDG_TEAMS, \
           e      = min(group + (int)threadIdx.x / PLEX_HDG_THREADS, (args).end - 1), \
           active = group + (int)threadIdx.x / PLEX_HDG_THREADS < (args).end; \
       group < (args).end; \
       group += (int)gridDim.x * PLEX_HDG_TEAMS, e = min(group + (int)threadIdx.x / PLEX_HDG_THREADS, (args).end - 1), \
           active = group + (int)threadIdx.x / PLEX_HDG_THREADS < (args).end)

// dr_a/dx_d of the map with the Jacobian J[d][a] = dx_d/dr_a; returns the determinant of J
PLEX_DEVICE double plex_hdg_invert(const double (*J)[3], double (*rx)[3])
{
  double det = 0;

#if PLEX_DIM == 2
  rx[0][0] = J[1][1];
  rx[0][1] = -J[0][1];
  rx[1][0] = -J[1][0];
  rx[1][1] = J[0][0];
#else
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d)
      rx[a][d] = J[(d + 1) % 3][(a + 1) % 3] * J[(d + 2) % 3][(a + 2) % 3] -
                 J[(d + 1) % 3][(a + 2) % 3] * J[(d + 2) % 3][(a + 1) % 3];
#endif
  for (int d = 0; d < PLEX_DIM; ++d) det += J[d][0] * rx[0][d];
  for (int a = 0; a < PLEX_DIM; ++a)
    for (int d = 0; d < PLEX_DIM; ++d) rx[a][d] *= 1 / det;
  return det;
}

// Normal of face f, as long as its element over that of the reference face; returns that length
PLEX_DEVICE double plex_hdg_normal(int f, double det, const double (*rx)[3], double *N)
{
  double s = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    N[d] = 0;
    for (int a = 0; a < PLEX_DIM; ++a) N[d] += det * rx[a][d] * plex_hdg_normals[f][a];
    s += N[d] * N[d];
  }
  return sqrt(s);
}

// v . kappa w
PLEX_DEVICE double plex_hdg_dot(const double *kappa, const double *v, const double *w)
{
  double sum = 0;

  for (int k = 0; k < PLEX_DIM; ++k)
    for (int l = 0; l < PLEX_DIM; ++l) sum += v[k] * kappa[k * PLEX_DIM + l] * w[l];
  return sum;
}

// The spreading operator: trace[NT] of the element's faces
PLEX_DEVICE void plex_hdg_spread(const PlexHDGArgs &args, int e, double *trace)
{
  const int known = args.nown + args.nghost;

  PLEX_HDG_EACH(k, PLEX_HDG_NT)
  {
    const int     l    = args.faces[(plex_index)e * PLEX_HDG_FACES + k / PLEX_HDG_NF];
    const double *from = l < args.nown ? args.owned : l < known ? args.ghosts : args.fixed;
    const int     at   = l < args.nown ? l : l < known ? l - args.nown : l - known;

    trace[k] = from ? from[(plex_index)at * PLEX_HDG_NF + k % PLEX_HDG_NF] : 0;
  }
}

// Cholesky's factor of the first columns p .. p + nb of a panel, by each thread for itself: L[i][k], i > k, and in
// L[k][k] the inverse of the pivot. false: a pivot is not positive
PLEX_DEVICE bool plex_hdg_diagonal(const double *A, int LD, int p, int nb, double (*L)[PLEX_HDG_PANEL])
{
  bool good = true;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_HDG_PANEL; ++k) {
    _Pragma("unroll")
    for (int i = k; i < PLEX_HDG_PANEL; ++i) {
      double sum = i < nb ? A[(p + i) * LD + p + k] : i == k;

      _Pragma("unroll")
      for (int l = 0; l < k; ++l) sum -= L[i][l] * L[k][l];
      if (i == k) {
        good    = good && sum > 0;
        L[k][k] = rsqrt(sum);
      } else L[i][k] = sum * L[k][k];
    }
  }
  return good;
}

// Of the lower triangle of rows s = p + nb .. rows, columns s .. last: A - L L^T, L the columns p .. p + nb
#if PLEX_HDG_UNITS
// Tensor cores: a warp has 16 rows and 8 columns at a time, and a panel is two steps of them
PLEX_DEVICE void plex_hdg_update(double *A, int LD, int p, int nb, int rows, int last)
{
  const int s = p + nb, lane = (int)threadIdx.x % 32, tall = (rows - s + 15) / 16, wide = (max(last, s) - s + 7) / 8;

  for (int k = PLEX_HDG_LANE / 32; k < tall * wide; k += PLEX_HDG_THREADS / 32) {
    /* of C two columns, rows `row` and that + 8 */
    const int row = s + k / wide * 16 + lane / 4, column = s + k % wide * 8, mine = column + lane % 4 * 2;
    double    c[4];

    if (column > s + k / wide * 16 + 15) continue; // above the diagonal, for the whole warp
    _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = row + h / 2 * 8, j = mine + h % 2;

      c[h] = i < rows && j < last && j <= i ? A[i * LD + j] : 0;
    }
    _Pragma("unroll")
    for (int l = 0; l < PLEX_HDG_PANEL; l += PLEX_UNIT_K) {
      const int at = l + lane % 4, other = column + lane / 4;
      PlexUnitA a = {
        {row < rows && at < nb ? A[row * LD + p + at] : 0, row + 8 < rows && at < nb ? A[(row + 8) * LD + p + at] : 0}
      };
      PlexUnitB b = other < rows && at < nb ? A[other * LD + p + at] : 0;

      plex_unit_add(c, a, plex_unit_negative(b));
    }
    _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = row + h / 2 * 8, j = mine + h % 2;

      if (i < rows && j < last && j <= i) A[i * LD + j] = c[h];
    }
  }
}
#else
// A thread has 4 rows and 4 columns at a time
PLEX_DEVICE void plex_hdg_update(double *A, int LD, int p, int nb, int rows, int last)
{
  const int s = p + nb, tiles = (rows - s + PLEX_HDG_TILE - 1) / PLEX_HDG_TILE,
            wide = min(tiles, (max(last, s) - s + PLEX_HDG_TILE - 1) / PLEX_HDG_TILE);

  PLEX_HDG_EACH(k, tiles * wide)
  {
    const int ti = k / wide * PLEX_HDG_TILE, tj = k % wide * PLEX_HDG_TILE;
    double    sum[PLEX_HDG_TILE][PLEX_HDG_TILE] = {};

    if (tj > ti) continue;
    for (int l = 0; l < nb; ++l) {
      double a[PLEX_HDG_TILE], b[PLEX_HDG_TILE];

      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i) {
        a[i] = s + ti + i < rows ? A[(s + ti + i) * LD + p + l] : 0;
        b[i] = s + tj + i < rows ? A[(s + tj + i) * LD + p + l] : 0;
      }
      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i) _Pragma("unroll")
      for (int j = 0; j < PLEX_HDG_TILE; ++j) sum[i][j] += a[i] * b[j];
    }
    _Pragma("unroll")
    for (int i = 0; i < PLEX_HDG_TILE; ++i) _Pragma("unroll")
    for (int j = 0; j < PLEX_HDG_TILE; ++j)
      if (s + ti + i < rows && s + tj + j < last && tj + j <= ti + i) A[(s + ti + i) * LD + s + tj + j] -= sum[i][j];
  }
}
#endif

// Eliminates the first `columns` columns of the symmetric matrix A of which the first `rows` rows and the lower
// triangle are there, right-looking in panels: L takes the place of these columns, of what is left the columns below
// `last` are updated: A - L L^T. rows^3/3 - (rows - columns)^3/3 multiplications and additions, where last = rows. Two
// barriers a panel.
PLEX_DEVICE bool plex_hdg_eliminate(double *A, int LD, int rows, int columns, int last)
{
  bool good = true;

  for (int p = 0; p < columns; p += PLEX_HDG_PANEL) {
    const int nb = min(PLEX_HDG_PANEL, columns - p), s = p + nb;
    double    L[PLEX_HDG_PANEL][PLEX_HDG_PANEL];

    good = plex_hdg_diagonal(A, LD, p, nb, L) && good;
    PLEX_HDG_EACH(r, rows - s) // rows below the diagonal block
    {
      double *row = &A[(s + r) * LD + p], v[PLEX_HDG_PANEL];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_HDG_PANEL; ++k) {
        if (k < nb) {
          double sum = row[k];

          _Pragma("unroll")
          for (int l = 0; l < k; ++l) sum -= v[l] * L[k][l];
          v[k]   = sum * L[k][k];
          row[k] = v[k];
        } else v[k] = 0;
      }
    }
    plex_hdg_sync();
    if (!PLEX_HDG_LANE) { // nobody reads the diagonal block any more
      _Pragma("unroll")
      for (int k = 0; k < PLEX_HDG_PANEL; ++k) _Pragma("unroll")
      for (int i = k; i < PLEX_HDG_PANEL; ++i)
        if (i < nb) A[(p + i) * LD + p + k] = i == k ? 1 / L[k][k] : L[i][k];
    }
    plex_hdg_update(A, LD, p, nb, rows, last);
    plex_hdg_sync();
  }
  return good;
}

// x = L^-1 x of n numbers, L the lower triangle of A
PLEX_DEVICE void plex_hdg_forward(const double *A, int LD, int n, double *x)
{
  for (int p = 0; p < n; p += PLEX_HDG_PANEL) {
    const int nb = min(PLEX_HDG_PANEL, n - p);
    double    v[PLEX_HDG_PANEL];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_HDG_PANEL; ++k) {
      double sum = k < nb ? x[p + k] : 0;

      _Pragma("unroll")
      for (int l = 0; l < k; ++l)
        if (k < nb) sum -= A[(p + k) * LD + p + l] * v[l];
      v[k] = k < nb ? sum / A[(p + k) * LD + p + k] : 0;
    }
    plex_hdg_sync();
    PLEX_HDG_EACH(k, n - p)
    {
      if (k < nb) {
        _Pragma("unroll")
        for (int l = 0; l < PLEX_HDG_PANEL; ++l)
          if (l == k) x[p + k] = v[l];
      } else {
        double sum = x[p + k];

        _Pragma("unroll")
        for (int l = 0; l < PLEX_HDG_PANEL; ++l)
          if (l < nb) sum -= A[(p + k) * LD + p + l] * v[l];
        x[p + k] = sum;
      }
    }
    plex_hdg_sync();
  }
}

// x = L^-T x likewise
PLEX_DEVICE void plex_hdg_backward(const double *A, int LD, int n, double *x)
{
  for (int p = (n - 1) / PLEX_HDG_PANEL * PLEX_HDG_PANEL; p >= 0; p -= PLEX_HDG_PANEL) {
    const int nb = min(PLEX_HDG_PANEL, n - p);
    double    v[PLEX_HDG_PANEL];

    _Pragma("unroll")
    for (int k = PLEX_HDG_PANEL - 1; k >= 0; --k) {
      double sum = k < nb ? x[p + k] : 0;

      _Pragma("unroll")
      for (int l = k + 1; l < PLEX_HDG_PANEL; ++l)
        if (l < nb) sum -= A[(p + l) * LD + p + k] * v[l];
      v[k] = k < nb ? sum / A[(p + k) * LD + p + k] : 0;
    }
    plex_hdg_sync();
    PLEX_HDG_EACH(k, p + nb)
    {
      if (k >= p) {
        _Pragma("unroll")
        for (int l = 0; l < PLEX_HDG_PANEL; ++l)
          if (l == k - p) x[k] = v[l];
      } else {
        double sum = x[k];

        _Pragma("unroll")
        for (int l = 0; l < PLEX_HDG_PANEL; ++l)
          if (l < nb) sum -= A[(p + l) * LD + k] * v[l];
        x[k] = sum;
      }
    }
    plex_hdg_sync();
  }
}

// Row and column of entry k of the lower triangle of a matrix of n rows, rows r and n - 1 - r side by side; false:
// there is none
PLEX_DEVICE bool plex_hdg_lower(int n, int k, int *i, int *j)
{
  const int r = k / (n + 1), c = k % (n + 1);

  *i = c < n - r ? n - 1 - r : r;
  *j = c < n - r ? c : c - (n - r);
  return c < n - r || r < n / 2;
}
#define PLEX_HDG_LOWER(n) (((n) + 1) / 2 * ((n) + 1))

// Says that an element's matrix has no factor
PLEX_DEVICE void plex_hdg_complain(const PlexHDGArgs &args, int e, bool good)
{
  if (!good && !PLEX_HDG_LANE) atomicMax(args.bad, e);
}

#if PLEX_HDG_CONVECTION
// Whether kappa[DIM][DIM] is zero, which convection allows
PLEX_DEVICE bool plex_hdg_is_zero(const double *kappa)
{
  bool zero = true;

  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) zero = zero && kappa[k] == 0;
  return zero;
}
#endif

#if PLEX_HDG_AFFINE
  #include "affine.cuh"
#else
  #include "mapped.cuh"
#endif
#if PLEX_HDG_CONVECTION
  #include "convection.cuh"
#else
  #define PLEX_HDG_CONVECTION_WORK 0
#endif
