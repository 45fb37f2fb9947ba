// Post-processing: u* of degree P + 1 with (kappa grad u*, grad w) = (q, grad w) for all w of that degree, and the mean
// of u. A team an element.
//
// Reads u and q, 8 (1 + DIM) NP bytes, writes 8 NPOST; NPOST^3/3 multiplications and additions.
#include "hdg.cuh"

#define PLEX_HDG_LD ((PLEX_HDG_NPOST - 1) | 1)
static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_NPOST * (PLEX_HDG_LD + 1) + 1 + (1 + PLEX_DIM) * PLEX_HDG_NP +
                  PLEX_HDG_POST_WORK <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS) plex_hdg_post(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  const int        n = PLEX_HDG_NPOST - 1;
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double *A = work + PLEX_HDG_GEOMETRY, *means = A + PLEX_HDG_NPOST * PLEX_HDG_LD, *u = means + PLEX_HDG_NPOST + 1,
         *q = u + PLEX_HDG_NP, *rest = q + PLEX_DIM * PLEX_HDG_NP, *star = A + n * PLEX_HDG_LD;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    PLEX_HDG_EACH(i, PLEX_HDG_NP) u[i]            = args.u[(plex_index)e * PLEX_HDG_NP + i];
    PLEX_HDG_EACH(i, PLEX_DIM * PLEX_HDG_NP) q[i] = args.q[(plex_index)e * PLEX_DIM * PLEX_HDG_NP + i];
    plex_hdg_geometry(args, e, g);
#if PLEX_HDG_CONVECTION && PLEX_HDG_AFFINE
    plex_hdg_post_still(args, g, u, q);
#endif
    plex_hdg_build_post(args, g, u, q, A, PLEX_HDG_LD, means, rest);
    plex_hdg_complain(args, e, plex_hdg_eliminate(A, PLEX_HDG_LD, PLEX_HDG_NPOST, n, n));
    plex_hdg_backward(A, PLEX_HDG_LD, n, star);
    PLEX_HDG_EACH(i, active ? PLEX_HDG_NPOST : 0)
    {
      double sum = i ? star[i - 1] : means[PLEX_HDG_NPOST];

      for (int k = 1; !i && k < PLEX_HDG_NPOST; ++k) sum -= means[k] * star[k - 1];
      args.star[(plex_index)e * PLEX_HDG_NPOST + i] = i ? sum : sum / means[0];
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_post)
