// Local problems of linear elasticity: u = S^-1 (f + R trace), the stress, and b, minus what flows out through the faces.
//
// A team an element. The factor of S is read, 8 U (U + 1)/2 bytes, U = DIM NU, and L^-1 R with it, 8 U DIM NT, where they
// were kept; else the matrix is made and S factored again. u has its places among the functions of degree P + 1.
#include "elastic.cuh"

#if PLEX_HDG_KEPT
  #define PLEX_ELASTIC_LOCAL   (PLEX_ELASTIC_U + 1) // rows of the workspace
  #define PLEX_ELASTIC_COLUMNS PLEX_ELASTIC_U
#else
  #define PLEX_ELASTIC_LOCAL   PLEX_ELASTIC_ROWS
  #define PLEX_ELASTIC_COLUMNS PLEX_ELASTIC_ROWS
#endif
#define PLEX_ELASTIC_LD (PLEX_ELASTIC_COLUMNS | 1)
static_assert(PLEX_ELASTIC_GEOMETRY + PLEX_ELASTIC_LOCAL * PLEX_ELASTIC_LD + PLEX_ELASTIC_T +
                  PLEX_HDG_NAB * PLEX_HDG_NP + PLEX_ELASTIC_MASS + PLEX_ELASTIC_G + PLEX_ELASTIC_Y <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_elasticlocal(const PlexHDGElasticArgs args)
{
  PLEX_HDG_WORKSPACE(args.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double              *A = work + PLEX_ELASTIC_GEOMETRY, *trace = A + PLEX_ELASTIC_LOCAL * PLEX_ELASTIC_LD,
         *sigma = trace + PLEX_ELASTIC_T, *rest = sigma + PLEX_HDG_NAB * PLEX_HDG_NP;
  const PlexHDGArgs &a = args.hdg;

  PLEX_HDG_ELEMENTS(args.hdg, e, active)
  {
    double *u = A + PLEX_ELASTIC_U * PLEX_ELASTIC_LD; // below S

    plex_elastic_geometry(args, e, g);
    plex_elastic_spread(args, g, e, trace);
    plex_hdg_sync();
#if PLEX_HDG_KEPT
    {
      const double *factor = a.factor + (plex_index)(e - a.begin) * PLEX_ELASTIC_ROWS * PLEX_ELASTIC_U,
                   *W      = factor + PLEX_ELASTIC_U * PLEX_ELASTIC_U;

      PLEX_HDG_EACH(k, PLEX_ELASTIC_U * PLEX_ELASTIC_U)
      A[k / PLEX_ELASTIC_U * PLEX_ELASTIC_LD + k % PLEX_ELASTIC_U] = factor[k];
      PLEX_HDG_EACH(i, PLEX_ELASTIC_U) u[i]                        = a.f ? a.f[(plex_index)e * PLEX_ELASTIC_U + i] : 0;
      plex_hdg_sync();
      plex_hdg_forward(A, PLEX_ELASTIC_LD, PLEX_ELASTIC_U, u);
      PLEX_HDG_EACH(i, PLEX_ELASTIC_U)
      {
        double sum = u[i];

        for (int t = 0; t < PLEX_ELASTIC_T; ++t) sum += W[t * PLEX_ELASTIC_U + i] * trace[t];
        u[i] = sum;
      }
      plex_hdg_sync();
    }
#else
    plex_elastic_build(args, g, A, PLEX_ELASTIC_LD, rest);
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U)
    {
      double sum = a.f ? a.f[(plex_index)e * PLEX_ELASTIC_U + i] : 0;

      for (int t = 0; t < PLEX_ELASTIC_T; ++t) sum += A[(PLEX_ELASTIC_U + t) * PLEX_ELASTIC_LD + i] * trace[t];
      u[i] = sum;
    }
    plex_hdg_sync();
    plex_hdg_complain(a, e, plex_hdg_eliminate(A, PLEX_ELASTIC_LD, PLEX_ELASTIC_U + 1, PLEX_ELASTIC_U, PLEX_ELASTIC_U));
#endif
    plex_hdg_backward(A, PLEX_ELASTIC_LD, PLEX_ELASTIC_U, u);
    if (a.u && active) plex_elastic_write(args, e, u);
    if (a.q || a.b) {
      plex_elastic_stress(args, g, u, trace, sigma, a.b && active ? a.b + (plex_index)e * PLEX_ELASTIC_T : NULL, rest);
      if (a.q) PLEX_HDG_EACH(i, active ? PLEX_HDG_NAB * PLEX_HDG_NP : 0)
      a.q[(plex_index)e * PLEX_HDG_NAB * PLEX_HDG_NP + i] = sigma[i];
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_elasticlocal)
