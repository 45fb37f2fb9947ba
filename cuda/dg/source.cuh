// The source of a system, at a node
#pragma once

#include "dg.cuh"

#if PLEX_DG_NK
  #define PLEX_DG_COEFFICIENTS(e) ((const plex_real *)args.coefficients + (plex_index)(e) * PLEX_DG_NK)
#else
  #define PLEX_DG_COEFFICIENTS(e) ((const plex_real *)NULL)
#endif

#ifdef PLEX_DG_SOURCE
PLEX_DEVICE void plex_dg_add_source(const PlexDGArgs &args, int e, int i, const plex_real *u, plex_real *r)
{
  plex_real x[PLEX_DIM], s[PLEX_DG_NF];

  for (int d = 0; d < PLEX_DIM; ++d) {
    x[d] = 0;
    for (int v = 0; args.vertices && v <= PLEX_DIM; ++v)
      x[d] += plex_dg_lambda[i][v] *
              ((const plex_real *)args.vertices)[((plex_index)e * (PLEX_DIM + 1) + v) * PLEX_DIM + d];
  }
  for (int k = 0; k < PLEX_DG_NF; ++k) s[k] = 0;
  dg_source(u, x, (plex_real)args.t, PLEX_DG_COEFFICIENTS(e), (const plex_real *)args.constants, s);
  for (int k = 0; k < PLEX_DG_NF; ++k) r[k] += s[k];
}
#endif
