// Local problems of kappa(u) linearized, with what plex_hdg_newtoncondense has left: u of f and the trace, and b = R'
// u - H trace.
//
// A team an element. Reads 8 (NP + NT)^2 bytes.
#include "newton.cuh"

static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_NT + 2 * PLEX_HDG_NP <= PLEX_HDG_WORK, "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_newtonlocal(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  double *trace = work + PLEX_HDG_GEOMETRY, *y = trace + PLEX_HDG_NT, *u = y + PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    const double *factor = args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_N;

    plex_hdg_spread(args, e, trace);
    PLEX_HDG_EACH(i, PLEX_HDG_NP) y[i] = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;
    plex_hdg_sync();
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
    PLEX_HDG_EACH(i, args.u && active ? PLEX_HDG_NP : 0) args.u[(plex_index)e * PLEX_HDG_NP + i] = u[i];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_newtonlocal)
