// Local problems of given traces: u = S^-1 (f + R trace), q, and b, minus what flows out through the faces. With no
// trace but the known ones b is the right-hand side.
//
// A team an element. The factor of S is read, 8 NP (NP + 1)/2 bytes, and R with it, where it was kept; else S is made
// and factored again, which moves nothing but vectors: 8 (2 NP + DIM NP + NT) bytes an element, and NP^3/3
// multiplications and additions.
#include "hdg.cuh"

#define PLEX_HDG_LD (PLEX_HDG_LOCAL_COLUMNS | 1)
static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_LOCAL_ROWS * PLEX_HDG_LD + PLEX_HDG_NT + PLEX_DIM * PLEX_HDG_NP +
                  PLEX_HDG_FLUX_WORK <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS) plex_hdg_local(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double *A = work + PLEX_HDG_GEOMETRY, *trace = A + PLEX_HDG_LOCAL_ROWS * PLEX_HDG_LD, *q = trace + PLEX_HDG_NT,
         *rest = q + PLEX_DIM * PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    double *u = A + PLEX_HDG_NP * PLEX_HDG_LD; // below S

    plex_hdg_geometry(args, e, g);
    plex_hdg_spread(args, e, trace);
    plex_hdg_sync();
#if PLEX_HDG_KEPT
    {
      const double *factor = args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_NP,
                   *W      = factor + PLEX_HDG_NP * PLEX_HDG_NP;

      PLEX_HDG_EACH(k, PLEX_HDG_NP * PLEX_HDG_NP) A[k / PLEX_HDG_NP * PLEX_HDG_LD + k % PLEX_HDG_NP] = factor[k];
      PLEX_HDG_EACH(i, PLEX_HDG_NP) u[i] = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;
      plex_hdg_sync();
      plex_hdg_forward(A, PLEX_HDG_LD, PLEX_HDG_NP, u);
      PLEX_HDG_EACH(i, PLEX_HDG_NP)
      {
        double sum = u[i];

        for (int t = 0; t < PLEX_HDG_NT; ++t) sum += W[t * PLEX_HDG_NP + i] * trace[t];
        u[i] = sum;
      }
      plex_hdg_sync();
    }
#else
    plex_hdg_build_local(args, g, e, trace, A, PLEX_HDG_LD, rest);
    plex_hdg_complain(args, e, plex_hdg_eliminate(A, PLEX_HDG_LD, PLEX_HDG_NP + 1, PLEX_HDG_NP, PLEX_HDG_NP));
#endif
    plex_hdg_backward(A, PLEX_HDG_LD, PLEX_HDG_NP, u);
    if (args.u) PLEX_HDG_EACH(i, active ? PLEX_HDG_NP : 0) args.u[(plex_index)e * PLEX_HDG_NP + i] = u[i];
    if (args.q || args.b) {
      plex_hdg_flux(args, g, u, trace, q, args.b && active ? args.b + (plex_index)e * PLEX_HDG_NT : NULL, rest);
      if (args.q)
        PLEX_HDG_EACH(i, active ? PLEX_DIM * PLEX_HDG_NP : 0) args.q[(plex_index)e * PLEX_DIM * PLEX_HDG_NP + i] = q[i];
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_local)
