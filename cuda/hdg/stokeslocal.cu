// Local problems of Stokes's equations: u and p of the source and the trace, the gradient of u, and b, minus what flows out
// through the faces. The factors are read, 8 (V + T) V bytes, V = DIM NU + NP - 1, T = DIM NT:
//
//   y = L^-1 f,  z = L_p^-1 (C L^-T) y - W_p^T trace,  p = L_p^-T z,  u = L^-T (y + W^T trace - (C L^-T)^T p)
//
// with the factor L of S, L_p of C S^-1 C^T, and the rows W, W_p of the trace below them. A team an element. u has its
// places among the functions of degree P + 1.
#include "stokes.cuh"

#define PLEX_STOKES_LD (PLEX_STOKES_V | 1)
static_assert(PLEX_ELASTIC_GEOMETRY + PLEX_STOKES_V * PLEX_STOKES_LD + PLEX_ELASTIC_U + PLEX_HDG_NP + PLEX_ELASTIC_T +
                  PLEX_ELASTIC_MASS + PLEX_ELASTIC_G + PLEX_ELASTIC_Y <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_stokeslocal(const PlexHDGStokesArgs args)
{
  PLEX_HDG_WORKSPACE(args.elastic.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double *A = work + PLEX_ELASTIC_GEOMETRY, *u = A + PLEX_STOKES_V * PLEX_STOKES_LD, *p = u + PLEX_ELASTIC_U,
         *trace = p + PLEX_HDG_NP, *rest = trace + PLEX_ELASTIC_T, *B = A + PLEX_ELASTIC_U * (PLEX_STOKES_LD + 1);
  const PlexHDGArgs &a = args.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    const double *factor = a.factor + (plex_index)(e - a.begin) * PLEX_STOKES_ROWS * PLEX_STOKES_V,
                 *W      = factor + PLEX_STOKES_V * PLEX_STOKES_V, *G;

    plex_elastic_geometry(args.elastic, e, g);
    plex_elastic_spread(args.elastic, g, e, trace);
    PLEX_HDG_EACH(k, PLEX_STOKES_V * PLEX_STOKES_V)
    A[k / PLEX_STOKES_V * PLEX_STOKES_LD + k % PLEX_STOKES_V] = factor[k];
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U) u[i]                     = a.f ? a.f[(plex_index)e * PLEX_ELASTIC_U + i] : 0;
    plex_hdg_sync();
    plex_hdg_forward(A, PLEX_STOKES_LD, PLEX_ELASTIC_U, u);
    PLEX_HDG_EACH(j, PLEX_STOKES_P)
    {
      double sum = 0;

      for (int i = 0; i < PLEX_ELASTIC_U; ++i) sum += A[(PLEX_ELASTIC_U + j) * PLEX_STOKES_LD + i] * u[i];
      p[1 + j] = sum;
    }
    plex_hdg_sync();
    plex_hdg_forward(B, PLEX_STOKES_LD, PLEX_STOKES_P, p + 1);
    PLEX_HDG_EACH(i, PLEX_STOKES_V)
    {
      double sum = 0;

      for (int t = 0; t < PLEX_ELASTIC_T; ++t) sum += W[t * PLEX_STOKES_V + i] * trace[t];
      if (i < PLEX_ELASTIC_U) u[i] += sum;
      else p[1 + i - PLEX_ELASTIC_U] -= sum;
    }
    plex_hdg_sync();
    plex_hdg_backward(B, PLEX_STOKES_LD, PLEX_STOKES_P, p + 1);
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U)
    {
      double sum = u[i];

      for (int j = 0; j < PLEX_STOKES_P; ++j) sum -= A[(PLEX_ELASTIC_U + j) * PLEX_STOKES_LD + i] * p[1 + j];
      u[i] = sum;
    }
    if (!PLEX_HDG_LANE) p[0] = args.mean ? args.mean[e] : 0;
    plex_hdg_sync();
    plex_hdg_backward(A, PLEX_STOKES_LD, PLEX_ELASTIC_U, u);
    if (a.u && active) plex_elastic_write(args.elastic, e, u);
    if (args.p && active) {
      PLEX_HDG_EACH(i, PLEX_HDG_NP) args.p[(plex_index)e * PLEX_HDG_NP + i] = p[i];
      if (!PLEX_HDG_LANE) args.integral[e] = plex_stokes_integral(args, g, p);
    }
    if (a.q || a.b) {
      G = plex_stokes_gradient(args, g, u, p, trace, a.b && active ? a.b + (plex_index)e * PLEX_ELASTIC_T : NULL, rest);
      if (a.q) PLEX_HDG_EACH(i, active ? PLEX_DIM * PLEX_DIM * PLEX_HDG_NP : 0)
      a.q[(plex_index)e * PLEX_DIM * PLEX_DIM * PLEX_HDG_NP + i] = G[i / PLEX_HDG_NP * PLEX_ELASTIC_LDM +
                                                                     i % PLEX_HDG_NP];
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_stokeslocal)
