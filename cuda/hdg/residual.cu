// Residuals of a state: q of u and the trace, what is left of the equation of u (5b of King and others 2014) with the
// derivative of u by time, and b, minus the flux through the faces, whose sums are the residual of the trace.
//
// A team an element. Reads 8 (3 NP + NT) bytes, and tables; writes 8 (1 + DIM) NP + 8 NT bytes. Fluxes cost what
// plex_hdg_local's do.
#include "hdg.cuh"

static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_NT + (2 + PLEX_DIM) * PLEX_HDG_NP + PLEX_HDG_FLUX_WORK +
                  PLEX_HDG_RESIDUAL_WORK + PLEX_HDG_CONVECTION_WORK <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS) plex_hdg_residual(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double *trace = work + PLEX_HDG_GEOMETRY, *u = trace + PLEX_HDG_NT, *ut = u + PLEX_HDG_NP, *q = ut + PLEX_HDG_NP,
         *rest = q + PLEX_DIM * PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    plex_hdg_geometry(args, e, g);
    plex_hdg_spread(args, e, trace);
    PLEX_HDG_EACH(i, PLEX_HDG_NP)
    {
      u[i]  = args.u[(plex_index)e * PLEX_HDG_NP + i];
      ut[i] = args.ut ? args.ut[(plex_index)e * PLEX_HDG_NP + i] : 0;
    }
    plex_hdg_sync();
    plex_hdg_flux(args, g, u, trace, q, args.b && active ? args.b + (plex_index)e * PLEX_HDG_NT : NULL, rest);
    PLEX_HDG_EACH(i, args.q && active ? PLEX_DIM * PLEX_HDG_NP : 0)
    args.q[(plex_index)e * PLEX_DIM * PLEX_HDG_NP + i] = q[i];
    plex_hdg_sync();
    if (args.r)
      plex_hdg_residual_u(args, g, e, u, ut, trace, q, active ? args.r + (plex_index)e * PLEX_HDG_NP : NULL, rest);
    plex_hdg_sync();
#if PLEX_HDG_CONVECTION
    plex_hdg_residual_convection(args, g, e, u, trace, args.r && active ? args.r + (plex_index)e * PLEX_HDG_NP : NULL,
                                 args.b && active ? args.b + (plex_index)e * PLEX_HDG_NT : NULL, rest);
    plex_hdg_sync();
#endif
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_residual)
