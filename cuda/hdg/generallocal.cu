// Local problems whose matrix is not symmetric and positive definite, with what plex_hdg_generalcondense has left: u of f
// and the trace, b = R' u - H trace, and q.
//
// A team an element. Reads 8 (NP + NT)^2 bytes.
#include "general.cuh"

static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_NT + (2 + PLEX_DIM) * PLEX_HDG_NP + PLEX_HDG_FLUX_WORK <= PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_generallocal(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double *trace = work + PLEX_HDG_GEOMETRY, *y = trace + PLEX_HDG_NT, *u = y + PLEX_HDG_NP, *q = u + PLEX_HDG_NP,
         *rest = q + PLEX_DIM * PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    const double *factor = args.factor + (plex_index)(e - args.begin) * PLEX_HDG_FACTOR;

    plex_hdg_spread(args, e, trace);
    PLEX_HDG_EACH(i, PLEX_HDG_NP) y[i] = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;
    plex_hdg_sync();
#if PLEX_HDG_PIVOTS
    for (int c = 0; !PLEX_HDG_LANE && c < PLEX_HDG_NP; ++c) {
      const int    row = (int)factor[PLEX_HDG_N * PLEX_HDG_N + c];
      const double v   = y[c];

      y[c]   = y[row];
      y[row] = v;
    }
    plex_hdg_sync();
#endif
    for (int c = 0; c < PLEX_HDG_NP; ++c) { // y = L^-1 f
      PLEX_HDG_EACH(i, PLEX_HDG_NP - c - 1) y[c + 1 + i] -= factor[(c + 1 + i) * PLEX_HDG_N + c] * y[c];
      plex_hdg_sync();
    }
    PLEX_HDG_EACH(i, PLEX_HDG_NP)
    {
      double sum = y[i];

      for (int t = 0; t < PLEX_HDG_NT; ++t) sum += factor[i * PLEX_HDG_N + PLEX_HDG_NP + t] * trace[t];
      u[i] = sum;
    }
    PLEX_HDG_EACH(t, args.b && active ? PLEX_HDG_NT : 0)
    {
      double sum = 0;

      for (int i = 0; i < PLEX_HDG_NP; ++i) sum += factor[(PLEX_HDG_NP + t) * PLEX_HDG_N + i] * y[i];
      for (int s = 0; s < PLEX_HDG_NT; ++s) sum -= factor[(PLEX_HDG_NP + t) * PLEX_HDG_N + PLEX_HDG_NP + s] * trace[s];
      args.b[(plex_index)e * PLEX_HDG_NT + t] = sum;
    }
    plex_hdg_sync();
    for (int c = PLEX_HDG_NP - 1; c >= 0; --c) { // u = U^-1 u
      if (!PLEX_HDG_LANE) u[c] /= factor[c * PLEX_HDG_N + c];
      plex_hdg_sync();
      PLEX_HDG_EACH(i, c) u[i] -= factor[i * PLEX_HDG_N + c] * u[c];
      plex_hdg_sync();
    }
    if (args.q) {
      plex_hdg_geometry(args, e, g);
      plex_hdg_flux(args, g, u, trace, q, NULL, rest);
      PLEX_HDG_EACH(i, active ? PLEX_DIM * PLEX_HDG_NP : 0) args.q[(plex_index)e * PLEX_DIM * PLEX_HDG_NP + i] = q[i];
      plex_hdg_sync();
    }
    PLEX_HDG_EACH(i, args.u && active ? PLEX_HDG_NP : 0) args.u[(plex_index)e * PLEX_HDG_NP + i] = u[i];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_generallocal)
