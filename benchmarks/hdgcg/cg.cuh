// Statically condensed continuous elements: the element's matrix with functions that are 1 at one node each, those
// inside first.
//
//   PLEX_HDG_NI nodes inside; PLEX_HDG_NB on the boundary
#pragma once

#include "hdg/hdg.cuh"
#include "cg_args.h"

#define PLEX_HDG_NB      (PLEX_HDG_NP - PLEX_HDG_NI)
#define PLEX_HDG_LD      (PLEX_HDG_NP | 1)
#define PLEX_HDG_CG_WORK ((PLEX_HDG_AFFINE ? 0 : PLEX_HDG_NQ * PLEX_DIM * PLEX_DIM) + PLEX_HDG_NP)
static_assert(PLEX_HDG_GEOMETRY + (PLEX_HDG_NP + 1) * PLEX_HDG_LD + PLEX_HDG_CG_WORK <= PLEX_HDG_WORK, "workspace");

// G[NQ][DIM][DIM] = w r_a . kappa r_b where elements are not affine
PLEX_DEVICE void plex_hdg_cg_prepare(const PlexHDGGeometry *g, double *G)
{
#if !PLEX_HDG_AFFINE
  PLEX_HDG_EACH(s, PLEX_HDG_NQ * PLEX_DIM * PLEX_DIM)
  {
    const int q = s / (PLEX_DIM * PLEX_DIM), a = s / PLEX_DIM % PLEX_DIM, b = s % PLEX_DIM;

    G[s] = g->w[q] * plex_hdg_dot(g->kappa, &g->rx[q][a * PLEX_DIM], &g->rx[q][b * PLEX_DIM]);
  }
#endif
  (void)g;
  (void)G;
  plex_hdg_sync();
}

// (kappa grad phi_i, grad phi_j) + lambda (phi_i, phi_j)
PLEX_DEVICE double plex_hdg_cg_entry(const PlexHDGCGArgs &args, const PlexHDGGeometry *g, const double *G, int i, int j)
{
  double sum = 0;

#if PLEX_HDG_AFFINE
  (void)G;
  sum = g->reaction * g->det * args.M[i * PLEX_HDG_NP + j];
  for (int ab = 0; ab < PLEX_HDG_NAB; ++ab) sum += g->S[ab] * args.S[(ab * PLEX_HDG_NP + i) * PLEX_HDG_NP + j];
#else
  for (int q = 0; q < PLEX_HDG_NQ; ++q) {
    sum += g->reaction * g->w[q] * args.phi[q * PLEX_HDG_NP + i] * args.phi[q * PLEX_HDG_NP + j];
    for (int a = 0; a < PLEX_DIM; ++a) {
      double v = 0;

      for (int b = 0; b < PLEX_DIM; ++b)
        v += G[(q * PLEX_DIM + a) * PLEX_DIM + b] * args.dphi[(b * PLEX_HDG_NQ + q) * PLEX_HDG_NP + j];
      sum += v * args.dphi[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NP + i];
    }
  }
#endif
  return sum;
}
