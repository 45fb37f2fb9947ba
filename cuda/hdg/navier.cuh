// Navier-Stokes equations by HDG: convection in an element's matrix and residual, and elimination with pivots.
// src/hdg/navier.c has the method, hostnavier.c is the same for the host.
//
// A is that of Stokes's equations (stokes.cuh), all of it, with rho shift times the mass and convection linearized about a
// state (v, s): with b = s . n on a face, b+ = max(b, 0), h = 1 where b > 0, else 0, and, of Newton's method alone, what is
// in brackets,
//
//   rho/2 ((v . grad u, w) - (v . grad w, u) [+ (u . grad v, w) - (u . grad w, v)])
//     + rho <(b+ - b/2) u + (b - b+) t [+ (t . n) ((h - 1/2) v + (1 - h) s)], w>
//   rho <b+ u + (b - b+) t [+ (t . n) (h v + (1 - h) s)], mu>,   on the boundary without b t
//
// by sums over points; each point's numbers are computed once an element.
#pragma once

#include "stokes.cuh"
#include "navier_args.h"

#define PLEX_NAVIER_POINTS (PLEX_HDG_FACES * PLEX_HDG_NQF)
// Numbers of a point of an element: half the weight times rho; that times v, v . dr_a/dx, grad v
#define PLEX_NAVIER_INSIDE (1 + PLEX_DIM * (2 + PLEX_DIM))
// Of a point of the faces, all times rho and weight but n: factors of u and of t in the rows of w and mu; n, and factors of
// t . n in both rows
#define PLEX_NAVIER_FLUX   (4 + 3 * PLEX_DIM)
#define PLEX_NAVIER_MATRIX (PLEX_HDG_NQ * PLEX_NAVIER_INSIDE + PLEX_NAVIER_POINTS * PLEX_NAVIER_FLUX)
// Doubles of a residual's points: of an element (v . grad) v and v v . dr_a/dx, of a face what rows of w and mu have
#define PLEX_NAVIER_RESIDUAL (PLEX_HDG_NQ * PLEX_DIM * (1 + PLEX_DIM) + 2 * PLEX_NAVIER_POINTS * PLEX_DIM)
#define PLEX_NAVIER_LD       (PLEX_STOKES_ROWS | 1)
// Tiles of 8 columns of U, and of them at most 4 at a time, about as many each time
#define PLEX_NAVIER_TILES ((PLEX_HDG_NU + 7) / 8)
#define PLEX_NAVIER_TIMES ((PLEX_NAVIER_TILES + 3) / 4)
#define PLEX_NAVIER_WIDE  ((PLEX_NAVIER_TILES + PLEX_NAVIER_TIMES - 1) / PLEX_NAVIER_TIMES)
#define PLEX_NAVIER_KEPT  (PLEX_STOKES_V * (PLEX_STOKES_V + 2 * PLEX_ELASTIC_T)) // doubles of an element's factors

// dr_a/dx_d at point q, and rho/2 times its weight
PLEX_DEVICE const double *plex_navier_map(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int q,
                                          double *half)
{
#if PLEX_HDG_AFFINE
  *half = 0.5 * args.rho * g->det * args.stokes.elastic.hdg.weights[q];
  return g->rx;
#else
  *half = 0.5 * args.rho * g->w[q];
  return g->rx[q];
#endif
}

// v, and r[k][a] = dv_k/dr_a, of u[DIM][NU] at point q
PLEX_DEVICE void plex_navier_at(const PlexHDGNavierArgs &args, int q, const double *u, double *v, double (*r)[PLEX_DIM])
{
  const double *U = args.stokes.elastic.U + q * PLEX_HDG_NU;

  for (int k = 0; k < PLEX_DIM; ++k) {
    v[k] = 0;
    for (int a = 0; a < PLEX_DIM; ++a) r[k][a] = 0;
  }
  for (int j = 0; j < PLEX_HDG_NU; ++j) {
    double d[PLEX_DIM];

    for (int a = 0; a < PLEX_DIM; ++a) d[a] = args.dU[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NU + j];
    for (int k = 0; k < PLEX_DIM; ++k) {
      const double c = u[k * PLEX_HDG_NU + j];

      v[k] += U[j] * c;
      for (int a = 0; a < PLEX_DIM; ++a) r[k][a] += d[a] * c;
    }
  }
}

// At point k of the faces: v, the trace t, n times rho and the weight; returns t . n with them
PLEX_DEVICE double plex_navier_at_face(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int k,
                                       const double *u, const double *trace, double *v, double *t, double *n)
{
  const PlexHDGArgs &a = args.stokes.elastic.hdg;
  const int          f = k / PLEX_HDG_NQF, q = k % PLEX_HDG_NQF;
  const double      *U = args.UFace + k * PLEX_HDG_NU, *psi = a.psi + (g->turn[f] * PLEX_HDG_NQF + q) * PLEX_HDG_NF;
  double             b = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    v[d] = t[d] = 0;
    for (int j = 0; j < PLEX_HDG_NU; ++j) v[d] += U[j] * u[d * PLEX_HDG_NU + j];
    for (int m = 0; m < PLEX_HDG_NF; ++m) t[d] += psi[m] * trace[(f * PLEX_DIM + d) * PLEX_HDG_NF + m];
#if PLEX_HDG_AFFINE
    n[d] = args.rho * a.weightsFace[q] * g->N[f][d];
#else
    n[d] = args.rho * g->wn[k][d];
#endif
    b += n[d] * t[d];
  }
  return b;
}

// The points' numbers of a matrix; u and trace NULL: without convection. A thread a point
PLEX_DEVICE void plex_navier_points(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e, const double *u,
                                    const double *trace, double *inside, double *faces)
{
  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double       *at = inside + q * PLEX_NAVIER_INSIDE, v[PLEX_DIM], r[PLEX_DIM][PLEX_DIM], half;
    const double *rx = plex_navier_map(args, g, q, &half);

    at[0] = half;
    if (!u) continue;
    plex_navier_at(args, q, u, v, r);
    for (int k = 0; k < PLEX_DIM; ++k) {
      double along = 0;

      for (int d = 0; d < PLEX_DIM; ++d) along += v[d] * rx[k * PLEX_DIM + d];
      at[1 + k]            = half * v[k];
      at[1 + PLEX_DIM + k] = half * along;
      for (int m = 0; m < PLEX_DIM; ++m) {
        double sum = 0;

        for (int a = 0; a < PLEX_DIM; ++a) sum += rx[a * PLEX_DIM + m] * r[k][a];
        at[1 + (2 + k) * PLEX_DIM + m] = half * sum;
      }
    }
  }
  PLEX_HDG_EACH(k, u ? PLEX_NAVIER_POINTS : 0)
  {
    double      *at = faces + k * PLEX_NAVIER_FLUX, v[PLEX_DIM], t[PLEX_DIM];
    const double b = plex_navier_at_face(args, g, k, u, trace, v, t, at + 4), up = fmax(b, 0.), h = b > 0 ? 1 : 0;
    const bool   outer = args.outer[(plex_index)e * PLEX_HDG_FACES + k / PLEX_HDG_NQF];

    at[0] = up - 0.5 * b;
    at[1] = b - up;
    at[2] = up;
    at[3] = outer ? -up : b - up;
    for (int d = 0; d < PLEX_DIM; ++d) {
      at[4 + PLEX_DIM + d]     = (h - 0.5) * v[d] + (1 - h) * t[d];
      at[4 + 2 * PLEX_DIM + d] = h * v[d] + (outer ? -h : 1 - h) * t[d];
    }
  }
  plex_hdg_sync();
}

// add(i, j, sum over depth points q of left(i, q) right(q, j)) for i < rows, j < NU
#if PLEX_HDG_UNITS
// Tensor cores: a warp has 16 rows and 8 WIDE columns at a time, whose left factors it makes once
template <int WIDE, class Left, class Right, class Add>
PLEX_DEVICE void plex_navier_product(int rows, int depth, Left left, Right right, Add add)
{
  const int lane = (int)threadIdx.x % 32, tall = (rows + 15) / 16, broad = (PLEX_HDG_NU + 8 * WIDE - 1) / (8 * WIDE);

  for (int k = PLEX_HDG_LANE / 32; k < tall * broad; k += PLEX_HDG_THREADS / 32) {
    const int row = k / broad * 16 + lane / 4, column = k % broad * 8 * WIDE;
    double    c[WIDE][4] = {};

    for (int l = 0; l < depth; l += PLEX_UNIT_K) {
      const int q = l + lane % 4;
      PlexUnitA a = {
        {q < depth && row < rows ? left(row, q) : 0, q < depth && row + 8 < rows ? left(row + 8, q) : 0}
      };

      _Pragma("unroll")
      for (int w = 0; w < WIDE; ++w) {
        const int other = column + 8 * w + lane / 4;
        PlexUnitB b     = q < depth && other < PLEX_HDG_NU ? right(q, other) : 0;

        plex_unit_add(c[w], a, b);
      }
    }
    _Pragma("unroll")
    for (int w = 0; w < WIDE; ++w) _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = row + h / 2 * 8, j = column + 8 * w + lane % 4 * 2 + h % 2;

      if (i < rows && j < PLEX_HDG_NU) add(i, j, c[w][h]);
    }
  }
}
#else
// A thread has WIDE columns of a row at a time
template <int WIDE, class Left, class Right, class Add>
PLEX_DEVICE void plex_navier_product(int rows, int depth, Left left, Right right, Add add)
{
  const int broad = (PLEX_HDG_NU + WIDE - 1) / WIDE;

  PLEX_HDG_EACH(k, rows * broad)
  {
    const int i = k / broad, column = k % broad;
    double    c[WIDE] = {};

    for (int q = 0; q < depth; ++q) {
      const double a = left(i, q);

      _Pragma("unroll")
      for (int w = 0; w < WIDE; ++w)
        if (column + w * broad < PLEX_HDG_NU) c[w] += a * right(q, column + w * broad);
    }
    _Pragma("unroll")
    for (int w = 0; w < WIDE; ++w)
      if (column + w * broad < PLEX_HDG_NU) add(i, column + w * broad, c[w]);
  }
}
#endif

// Functions of u with each other: A += mass and convection. 2 NU^2 (NQ (2 + DIM^2) + FACES NQF) flops by Newton's method,
// beside left factors
PLEX_DEVICE void plex_navier_add_inside(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g,
                                        const double *inside, const double *faces, double *A)
{
  const double *U = args.stokes.elastic.U, *dU = args.dU, *UFace = args.UFace,
               shift    = 2 * args.stokes.elastic.hdg.shift;
  const bool linearized = args.linearized > 0;
  /* v . grad of function i at point q */
  const auto along = [=](int i, int q) {
    double sum = 0;

    for (int a = 0; a < PLEX_DIM; ++a)
      sum += inside[q * PLEX_NAVIER_INSIDE + 1 + PLEX_DIM + a] * dU[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NU + i];
    return sum;
  };

  if (args.linearized == 2) // rows are of components k, m and functions i
    plex_navier_product<PLEX_NAVIER_WIDE>(
      PLEX_DIM * PLEX_ELASTIC_U, PLEX_HDG_NQ,
      [=](int row, int q) {
        const int k = row / PLEX_ELASTIC_U, m = row / PLEX_HDG_NU % PLEX_DIM, i = row % PLEX_HDG_NU;
#if PLEX_HDG_AFFINE
        const double *rx = g->rx;
#else
        const double *rx = g->rx[q];
#endif
        const double *at    = inside + q * PLEX_NAVIER_INSIDE;
        double        slope = 0;

        for (int a = 0; a < PLEX_DIM; ++a) slope += rx[a * PLEX_DIM + m] * dU[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NU + i];
        return at[1 + (2 + k) * PLEX_DIM + m] * U[q * PLEX_HDG_NU + i] - at[1 + k] * slope;
      },
      [=](int q, int j) { return U[q * PLEX_HDG_NU + j]; },
      [=](int row, int j, double sum) {
        const int k = row / PLEX_ELASTIC_U, m = row / PLEX_HDG_NU % PLEX_DIM, i = row % PLEX_HDG_NU;

        A[(k * PLEX_HDG_NU + i) * PLEX_NAVIER_LD + m * PLEX_HDG_NU + j] += sum;
      });
  plex_hdg_sync();
  /* of each component alone: mass, what faces have, half of the skew-symmetric part */
  plex_navier_product<1>(
    PLEX_HDG_NU, PLEX_HDG_NQ + (linearized ? PLEX_NAVIER_POINTS : 0),
    [=](int i, int q) {
      const int f = q - PLEX_HDG_NQ;

      if (f >= 0) return faces[f * PLEX_NAVIER_FLUX] * UFace[f * PLEX_HDG_NU + i];
      return shift * inside[q * PLEX_NAVIER_INSIDE] * U[q * PLEX_HDG_NU + i] - (linearized ? along(i, q) : 0);
    },
    [=](int q, int j) { return q < PLEX_HDG_NQ ? U[q * PLEX_HDG_NU + j] : UFace[(q - PLEX_HDG_NQ) * PLEX_HDG_NU + j]; },
    [=](int i, int j, double sum) {
      for (int k = 0; k < PLEX_DIM; ++k) A[(k * PLEX_HDG_NU + i) * PLEX_NAVIER_LD + k * PLEX_HDG_NU + j] += sum;
    });
  plex_hdg_sync();
  if (linearized) // the other half
    plex_navier_product<1>(
      PLEX_HDG_NU, PLEX_HDG_NQ, along, [=](int q, int j) { return U[q * PLEX_HDG_NU + j]; },
      [=](int i, int j, double sum) {
        for (int k = 0; k < PLEX_DIM; ++k) A[(k * PLEX_HDG_NU + j) * PLEX_NAVIER_LD + k * PLEX_HDG_NU + i] += sum;
      });
}

// Functions of a face with those of u (j < NU) and with those of the same face, behind them: A += convection through the
// face. FACES NF (NU + NF) NQF (4 + 2 DIM + DIM^2) multiplications and additions
PLEX_DEVICE void plex_navier_add_faces(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, const double *faces,
                                       double *A)
{
  PLEX_HDG_EACH(s, PLEX_HDG_NT * (PLEX_HDG_NU + PLEX_HDG_NF))
  {
    const int  f = s / (PLEX_HDG_NF * (PLEX_HDG_NU + PLEX_HDG_NF)), i = s / (PLEX_HDG_NU + PLEX_HDG_NF) % PLEX_HDG_NF,
               j       = s % (PLEX_HDG_NU + PLEX_HDG_NF);
    const bool own     = j < PLEX_HDG_NU;
    const double *psi  = args.stokes.elastic.hdg.psi + g->turn[f] * PLEX_HDG_NQF * PLEX_HDG_NF,
                 *with = own ? args.UFace + f * PLEX_HDG_NQF * PLEX_HDG_NU + j : psi + j - PLEX_HDG_NU;
    /* the block above the diagonal, or that of the trace; that below it */
    double right = 0, below = 0, cross[PLEX_DIM][PLEX_DIM] = {};

    for (int q = 0; q < PLEX_HDG_NQF; ++q) {
      const double *at  = faces + (f * PLEX_HDG_NQF + q) * PLEX_NAVIER_FLUX,
                   *of  = at + 4 + (own ? PLEX_DIM : 2 * PLEX_DIM),
                   both = psi[q * PLEX_HDG_NF + i] * with[q * (own ? PLEX_HDG_NU : PLEX_HDG_NF)];

      right += at[own ? 1 : 3] * both;
      below += at[2] * both;
      _Pragma("unroll")
      for (int k = 0; args.linearized == 2 && k < PLEX_DIM; ++k) {
        const double c = both * of[k];

        _Pragma("unroll")
        for (int m = 0; m < PLEX_DIM; ++m) cross[k][m] += c * at[4 + m];
      }
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) {
      const int row = own ? k * PLEX_HDG_NU + j
                          : PLEX_STOKES_V + (f * PLEX_DIM + k) * PLEX_HDG_NF + i; // of minus the trace

      _Pragma("unroll")
      for (int m = 0; m < PLEX_DIM; ++m) {
        const int column = PLEX_STOKES_V + (f * PLEX_DIM + m) * PLEX_HDG_NF + (own ? i : j - PLEX_HDG_NU);

        A[row * PLEX_NAVIER_LD + column] -= cross[k][m] + (k == m ? right : 0);
      }
      if (own)
        A[(PLEX_STOKES_V + (f * PLEX_DIM + k) * PLEX_HDG_NF + i) * PLEX_NAVIER_LD + k * PLEX_HDG_NU + j] += below;
    }
  }
}

// A[ROWS][ROWS]; net[T] and volume unless they are NULL. work: M and Y, then points, u and the trace
PLEX_DEVICE void plex_navier_build(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e, double *A,
                                   double *net, double *volume, double *work)
{
  double *faces = work + PLEX_HDG_NQ * PLEX_NAVIER_INSIDE, *u = work + PLEX_NAVIER_MATRIX, *trace = u + PLEX_ELASTIC_U;

  plex_stokes_build(args.stokes, g, A, PLEX_NAVIER_LD, net, volume, work);
  PLEX_HDG_EACH(s, PLEX_STOKES_ROWS * PLEX_STOKES_ROWS)
  {
    const int i = s / PLEX_STOKES_ROWS, j = s % PLEX_STOKES_ROWS;

    if (j > i) A[i * PLEX_NAVIER_LD + j] = A[j * PLEX_NAVIER_LD + i];
  }
  if (args.linearized) {
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U) u[i]     = args.carrier[(plex_index)e * PLEX_ELASTIC_U + i];
    PLEX_HDG_EACH(i, PLEX_ELASTIC_T) trace[i] = args.trace[(plex_index)e * PLEX_ELASTIC_T + i];
  }
  plex_hdg_sync();
  if (!args.linearized && args.stokes.elastic.hdg.shift == 0) return;
  plex_navier_points(args, g, e, args.linearized ? u : NULL, trace, work, faces);
  plex_navier_add_inside(args, g, work, faces, A);
  if (args.linearized) plex_navier_add_faces(args, g, faces, A);
  plex_hdg_sync();
}

// Bits of a row's number beside the leading ones of a number's size
#define PLEX_NAVIER_BITS (PLEX_STOKES_V <= 256 ? 8 : PLEX_STOKES_V <= 1024 ? 10 : 13)
static_assert(PLEX_STOKES_V <= 1 << PLEX_NAVIER_BITS, "rows");
// Of a matrix in global memory a panel is in shared memory while it is eliminated, where 48 kB have room for it
#define PLEX_NAVIER_APART (PLEX_HDG_GLOBAL && PLEX_STOKES_ROWS * (PLEX_HDG_PANEL + 1) <= 6144)
#define PLEX_NAVIER_LDP   (PLEX_NAVIER_APART ? PLEX_HDG_PANEL + 1 : PLEX_NAVIER_LD)

// The first row from k on of the first n of a panel P where column k is largest, by the leading bits of numbers, an exponent
// and 12 bits behind it with up to 256 rows. Each warp finds it for itself
PLEX_DEVICE int plex_navier_pivot(const double *P, int k, int n)
{
  const unsigned mask = (1u << PLEX_NAVIER_BITS) - 1;
  unsigned       most = 0;

  for (int i = k + (int)threadIdx.x % 32; i < n; i += 32) {
    const unsigned key = ((unsigned)__double2hiint(fabs(P[i * PLEX_NAVIER_LDP + k])) & ~mask) |
                         (mask - (unsigned)(i - k));

    most = most > key ? most : key;
  }
  return k + (int)(mask - (plex_lanes_most(most) & mask));
}

// A - L U of rows and columns from s = p + nb on, L the columns p .. s, U the rows p .. s
#if PLEX_HDG_UNITS
// Tensor cores: a warp has 16 rows and 8 columns at a time, and a panel is two steps of them
PLEX_DEVICE void plex_navier_update(double *A, int p, int nb)
{
  const int s = p + nb, lane = (int)threadIdx.x % 32, tall = (PLEX_STOKES_ROWS - s + 15) / 16,
            wide = (PLEX_STOKES_ROWS - s + 7) / 8;

  for (int k = PLEX_HDG_LANE / 32; k < tall * wide; k += PLEX_HDG_THREADS / 32) {
    /* of C two columns, rows `row` and that + 8 */
    const int row = s + k / wide * 16 + lane / 4, column = s + k % wide * 8, mine = column + lane % 4 * 2,
              other = column + lane / 4;
    double    c[4];

    _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = row + h / 2 * 8, j = mine + h % 2;

      c[h] = i < PLEX_STOKES_ROWS && j < PLEX_STOKES_ROWS ? A[i * PLEX_NAVIER_LD + j] : 0;
    }
    _Pragma("unroll")
    for (int l = 0; l < PLEX_HDG_PANEL; l += PLEX_UNIT_K) {
      const int at = l + lane % 4;
      PlexUnitA a  = {
        {row < PLEX_STOKES_ROWS && at < nb ? A[row * PLEX_NAVIER_LD + p + at] : 0,
         row + 8 < PLEX_STOKES_ROWS && at < nb ? A[(row + 8) * PLEX_NAVIER_LD + p + at] : 0}
      };
      PlexUnitB b = other < PLEX_STOKES_ROWS && at < nb ? A[(p + at) * PLEX_NAVIER_LD + other] : 0;

      plex_unit_add(c, a, plex_unit_negative(b));
    }
    _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = row + h / 2 * 8, j = mine + h % 2;

      if (i < PLEX_STOKES_ROWS && j < PLEX_STOKES_ROWS) A[i * PLEX_NAVIER_LD + j] = c[h];
    }
  }
}
#else
// A thread has 4 rows and 4 columns at a time, far apart: neighbours read beside each other
PLEX_DEVICE void plex_navier_update(double *A, int p, int nb)
{
  const int s = p + nb, n = (PLEX_STOKES_ROWS - s + PLEX_HDG_TILE - 1) / PLEX_HDG_TILE;

  PLEX_HDG_EACH(k, n * n)
  {
    const int row = s + k / n, column = s + k % n;
    double    sum[PLEX_HDG_TILE][PLEX_HDG_TILE] = {};

    for (int l = 0; l < nb; ++l) {
      double a[PLEX_HDG_TILE], b[PLEX_HDG_TILE];

      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i) {
        a[i] = row + i * n < PLEX_STOKES_ROWS ? A[(row + i * n) * PLEX_NAVIER_LD + p + l] : 0;
        b[i] = column + i * n < PLEX_STOKES_ROWS ? A[(p + l) * PLEX_NAVIER_LD + column + i * n] : 0;
      }
      _Pragma("unroll")
      for (int i = 0; i < PLEX_HDG_TILE; ++i) _Pragma("unroll")
      for (int j = 0; j < PLEX_HDG_TILE; ++j) sum[i][j] += a[i] * b[j];
    }
    _Pragma("unroll")
    for (int i = 0; i < PLEX_HDG_TILE; ++i) _Pragma("unroll")
    for (int j = 0; j < PLEX_HDG_TILE; ++j)
      if (row + i * n < PLEX_STOKES_ROWS && column + j * n < PLEX_STOKES_ROWS)
        A[(row + i * n) * PLEX_NAVIER_LD + column + j * n] -= sum[i][j];
  }
}
#endif

// Columns p .. p + nb, P from row and column p on: rows below row k are eliminated by the row where column k is largest,
// which changes places with row k in these columns; swaps[k] is which row of A it was. Two barriers a column. false: a pivot
// is zero or not a number
PLEX_DEVICE bool plex_navier_panel(double *P, int p, int nb, int *swaps)
{
  bool good = true;

  for (int k = 0; k < nb; ++k) {
    const int    row   = plex_navier_pivot(P, k, PLEX_STOKES_V - p);
    const double pivot = P[row * PLEX_NAVIER_LDP + k];
    double       above[PLEX_HDG_PANEL];

    _Pragma("unroll")
    for (int l = 0; l < PLEX_HDG_PANEL; ++l) above[l] = l > k && l < nb ? P[row * PLEX_NAVIER_LDP + l] : 0;
    good = good && fabs(pivot) > 0 && fabs(pivot) <= 1.7976931348623157e308;
    if (!PLEX_HDG_LANE) swaps[k] = p + row;
    plex_hdg_sync();
    const double inverse = 1 / pivot;

    PLEX_HDG_EACH(i, PLEX_STOKES_ROWS - p - k - 1)
    {
      const bool swapped = k + 1 + i == row; // this thread alone has row k, too
      double *own = P + (k + 1 + i) * PLEX_NAVIER_LDP, *first = P + k * PLEX_NAVIER_LDP, *from = swapped ? first : own;
      const double factor = from[k] * inverse;

      _Pragma("unroll")
      for (int l = 0; l < PLEX_HDG_PANEL; ++l) {
        if (l >= nb || (l < k && !swapped)) continue;
        const double v = from[l], of = own[l];

        if (swapped) first[l] = of;
        own[l] = l < k ? v : l == k ? factor : v - factor * above[l];
      }
    }
    plex_hdg_sync();
  }
  return good;
}

// Gauss' elimination of the first V columns in panels: L below the diagonal, of unit diagonal, U above it, and K, what is
// left; rows[V] of A before, where they are after it. Pivots are of the first V rows. Two barriers a column and two a panel.
// false: there is no inverse
PLEX_DEVICE bool plex_navier_eliminate(double *A, int *rows)
{
  int *swaps = rows + PLEX_STOKES_V;
  bool good  = true;
#if PLEX_NAVIER_APART
  __shared__ double P[PLEX_STOKES_ROWS * PLEX_NAVIER_LDP];
#endif

  PLEX_HDG_EACH(i, PLEX_STOKES_V) rows[i] = i;
  for (int p = 0; p < PLEX_STOKES_V; p += PLEX_HDG_PANEL) {
    const int nb = min(PLEX_HDG_PANEL, PLEX_STOKES_V - p), s = p + nb;

#if PLEX_NAVIER_APART
    PLEX_HDG_EACH(k, (PLEX_STOKES_ROWS - p) * nb)
    P[k / nb * PLEX_NAVIER_LDP + k % nb] = A[(p + k / nb) * PLEX_NAVIER_LD + p + k % nb];
    plex_hdg_sync();
    good = plex_navier_panel(P, p, nb, swaps) && good;
    PLEX_HDG_EACH(k, (PLEX_STOKES_ROWS - p) * nb)
    A[(p + k / nb) * PLEX_NAVIER_LD + p + k % nb] = P[k / nb * PLEX_NAVIER_LDP + k % nb];
    plex_hdg_sync();
#else
    good = plex_navier_panel(A + p * (PLEX_NAVIER_LD + 1), p, nb, swaps) && good;
#endif
    PLEX_HDG_EACH(j, PLEX_STOKES_ROWS - nb) // the other columns: of L, and those that become U
    {
      double *column = A + (j < p ? j : j + nb), v[PLEX_HDG_PANEL];

      for (int k = 0; k < nb; ++k) {
        const double above = column[(p + k) * PLEX_NAVIER_LD], of = column[swaps[k] * PLEX_NAVIER_LD];

        column[swaps[k] * PLEX_NAVIER_LD] = above;
        column[(p + k) * PLEX_NAVIER_LD]  = of;
      }
      if (j < p) continue;
      _Pragma("unroll")
      for (int k = 0; k < PLEX_HDG_PANEL; ++k) {
        if (k >= nb) continue;
        v[k] = column[(p + k) * PLEX_NAVIER_LD];
        _Pragma("unroll")
        for (int l = 0; l < k; ++l) v[k] -= A[(p + k) * PLEX_NAVIER_LD + p + l] * v[l];
        column[(p + k) * PLEX_NAVIER_LD] = v[k];
      }
    }
    for (int k = 0; !PLEX_HDG_LANE && k < nb; ++k) {
      const int v = rows[p + k];

      rows[p + k]    = rows[swaps[k]];
      rows[swaps[k]] = v;
    }
    plex_hdg_sync();
    plex_navier_update(A, p, nb);
    plex_hdg_sync();
  }
  return good;
}
