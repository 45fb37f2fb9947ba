// The linearized local problem of kappa(u): J = sum_f tau_f <chi, chi>_f + lambda M + Y^T B^-1 (Y + [C 0]) of u and
// minus the trace, with B = (kappa^-1 phi, phi) and C = (phi, (d kappa^-1/du) q phi), after N. C. Nguyen, J. Peraire
// and B. Cockburn, An implicit high-order hybridizable discontinuous Galerkin method for nonlinear convection-diffusion
// equations, J. Comput. Phys. 228 (2009), 8841-8855. It is not symmetric.
#pragma once

#include "hdg.cuh"

#define PLEX_HDG_LD          (PLEX_HDG_N | 1)
#define PLEX_HDG_NEWTON_ROWS (PLEX_HDG_DNP + PLEX_HDG_N + PLEX_HDG_NP)

// A[N][N], all of it. work: rows of B, Y and C^T
PLEX_DEVICE void plex_hdg_newton_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *q, double *A,
                                       double *work)
{
  /* h[NQ][DIM] = w (d kappa^-1/du) q */
  double *B = work, *Y = work + PLEX_HDG_DNP * PLEX_HDG_LDB, *C = Y + PLEX_HDG_N * PLEX_HDG_LDB,
         *h = work + PLEX_HDG_NEWTON_ROWS * PLEX_HDG_LDB;

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

// Gauss' elimination of the first NP columns without pivoting: L below the diagonal, of unit diagonal, U above it, and
// what is left. Three barriers a column
PLEX_DEVICE bool plex_hdg_newton_eliminate(double *A)
{
  bool good = true;

  for (int c = 0; c < PLEX_HDG_NP; ++c) {
    const double pivot = A[c * PLEX_HDG_LD + c];

    good = good && pivot > 0;
    plex_hdg_sync();
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
