// Local problems whose matrix, of u and minus the trace, is not symmetric and positive definite: kappa(u) linearized,
// convection, lambda < 0.
//
//   J = sum_f tau_f <chi, chi>_f + lambda M + Y^T B^-1 (Y + [C 0]) + convection
//
// with B = (kappa^-1 phi, phi) and C = (phi, (d kappa^-1/du) q phi), after N. C. Nguyen, J. Peraire and B. Cockburn, An
// implicit high-order hybridizable discontinuous Galerkin method for nonlinear convection-diffusion equations, J.
// Comput. Phys. 228 (2009), 8841-8855; where kappa does not depend on u, the matrix of affine.cuh or mapped.cuh.
#pragma once

#include "hdg.cuh"

#define PLEX_HDG_LD (PLEX_HDG_N | 1)
// of what is kept: the matrix eliminated, and places of pivots
#define PLEX_HDG_FACTOR (PLEX_HDG_N * PLEX_HDG_N + (PLEX_HDG_PIVOTS ? PLEX_HDG_NP : 0))

#if PLEX_HDG_SLOPE
  #define PLEX_HDG_NEWTON_ROWS  (PLEX_HDG_DNP + PLEX_HDG_N + PLEX_HDG_NP)
  #define PLEX_HDG_GENERAL_WORK (PLEX_HDG_DNP + PLEX_HDG_NEWTON_ROWS * PLEX_HDG_LDB + PLEX_HDG_NQ * PLEX_DIM)

// A[N][N], all of it, linearized about the flux args.q. work: that, rows of B, Y and C^T
PLEX_DEVICE void plex_hdg_general_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, double *A,
                                        double *work)
{
  /* h[NQ][DIM] = w (d kappa^-1/du) q */
  double *q = work, *B = q + PLEX_HDG_DNP, *Y = B + PLEX_HDG_DNP * PLEX_HDG_LDB, *C = Y + PLEX_HDG_N * PLEX_HDG_LDB,
         *h = B + PLEX_HDG_NEWTON_ROWS * PLEX_HDG_LDB;

  PLEX_HDG_EACH(i, PLEX_HDG_DNP) q[i] = args.q[(plex_index)e * PLEX_HDG_DNP + i];
  plex_hdg_sync();
  PLEX_HDG_EACH(s, PLEX_HDG_NQ * PLEX_DIM)
  {
    const int     p     = s / PLEX_DIM;
    const double *slope = plex_hdg_point(args.dkinv, g, p) + s % PLEX_DIM * PLEX_DIM;
    double        sum   = 0;

    for (int l = 0; l < PLEX_DIM; ++l)
      for (int m = 0; m < PLEX_HDG_NP; ++m) sum += slope[l] * args.phi[p * PLEX_HDG_NP + m] * q[l * PLEX_HDG_NP + m];
    h[s] = g->w[p] * sum;
  }
  plex_hdg_sync();
  plex_hdg_mass_kappa(args, g, B);
  plex_hdg_form_Y(args, g, Y);
  PLEX_HDG_EACH(s, PLEX_HDG_NP * PLEX_HDG_DNP)
  {
    const int j = s / PLEX_HDG_DNP, k = s % PLEX_HDG_DNP / PLEX_HDG_NP, i = s % PLEX_HDG_NP;
    double    sum = 0;

    for (int p = 0; p < PLEX_HDG_NQ; ++p)
      sum += h[p * PLEX_DIM + k] * args.phi[p * PLEX_HDG_NP + i] * args.phi[p * PLEX_HDG_NP + j];
    C[j * PLEX_HDG_LDB + k * PLEX_HDG_NP + i] = sum;
  }
  plex_hdg_sync();
  plex_hdg_eliminate(B, PLEX_HDG_LDB, PLEX_HDG_NEWTON_ROWS, PLEX_HDG_DNP, PLEX_HDG_DNP);
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  {
    const int     i = k / PLEX_HDG_N, j = k % PLEX_HDG_N;
    const double *y   = Y + i * PLEX_HDG_LDB;
    double        sum = plex_hdg_form_A(args, g, i, j);

    for (int p = 0; p < PLEX_HDG_DNP; ++p)
      sum += y[p] * (Y[j * PLEX_HDG_LDB + p] + (j < PLEX_HDG_NP ? C[j * PLEX_HDG_LDB + p] : 0));
    A[i * PLEX_HDG_LD + j] = sum;
  }
  plex_hdg_sync();
}
#else
  #define PLEX_HDG_GENERAL_WORK PLEX_HDG_BUILD_WORK

// A[N][N], all of it
PLEX_DEVICE void plex_hdg_general_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, double *A,
                                        double *work)
{
  (void)e;
  plex_hdg_build(args, g, A, PLEX_HDG_LD, work);
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  {
    const int i = k / PLEX_HDG_N, j = k % PLEX_HDG_N;

    if (j > i) A[i * PLEX_HDG_LD + j] = A[j * PLEX_HDG_LD + i];
  }
  plex_hdg_sync();
}
#endif

#if PLEX_HDG_PIVOTS
// The row below, or with, row c of the first NP rows in which column c is largest, found by each thread for itself
PLEX_DEVICE int plex_hdg_pivot(const double *A, int c)
{
  int row = c;

  for (int i = c + 1; i < PLEX_HDG_NP; ++i)
    if (fabs(A[i * PLEX_HDG_LD + c]) > fabs(A[row * PLEX_HDG_LD + c])) row = i;
  return row;
}
#endif

// Gauss' elimination of the first NP columns: L below the diagonal, of unit diagonal, U above it, and what is left.
// Three barriers a column, four with pivots, whose rows are noted in pivots[NP]. false: there is no inverse, to
// rounding where pivots are looked for
PLEX_DEVICE bool plex_hdg_general_eliminate(double *A, double *pivots)
{
  bool good = true;
#if PLEX_HDG_PIVOTS
  double least = 0;

  for (int i = 0; i < PLEX_HDG_NP; ++i) least = fmax(least, 1e-14 * fabs(A[i * (PLEX_HDG_LD + 1)]));
#else
  (void)pivots;
#endif
  for (int c = 0; c < PLEX_HDG_NP; ++c) {
#if PLEX_HDG_PIVOTS
    const int row = plex_hdg_pivot(A, c);

    good = good && fabs(A[row * PLEX_HDG_LD + c]) > least;
    plex_hdg_sync();
    PLEX_HDG_EACH(j, row == c ? 0 : PLEX_HDG_N)
    {
      const double v = A[c * PLEX_HDG_LD + j];

      A[c * PLEX_HDG_LD + j]   = A[row * PLEX_HDG_LD + j];
      A[row * PLEX_HDG_LD + j] = v;
    }
    if (!PLEX_HDG_LANE && pivots) pivots[c] = row;
    plex_hdg_sync();
#endif
    const double pivot = A[c * PLEX_HDG_LD + c];

#if !PLEX_HDG_PIVOTS
    good = good && pivot > 0;
    plex_hdg_sync();
#endif
    PLEX_HDG_EACH(i, PLEX_HDG_N - c - 1) A[(c + 1 + i) * PLEX_HDG_LD + c] /= pivot;
    plex_hdg_sync();
    PLEX_HDG_EACH(k, (PLEX_HDG_N - c - 1) * (PLEX_HDG_N - c - 1))
    {
      const int i = c + 1 + k / (PLEX_HDG_N - c - 1), j = c + 1 + k % (PLEX_HDG_N - c - 1);

      A[i * PLEX_HDG_LD + j] -= A[i * PLEX_HDG_LD + c] * A[c * PLEX_HDG_LD + j];
    }
    plex_hdg_sync();
  }
  return good;
}
