// Local matrices of Stokes's equations: [S C^T R; C 0 N; R^T N^T H] of u, p without its constant and the trace (stokes.cuh),
// and K by eliminating u and p; what flows out through the faces, net. Rows and columns of components that are known,
// though their face has unknowns, are tau s times the identity.
//
// A team an element; the matrix and its elimination in the workspace. Writes 8 T^2 + 8 (V + T) V bytes, T = DIM NT,
// V = DIM NU + NP - 1. (V + T)^3/3 - T^3/3 multiplications and additions beside the sums that make the matrix.
#include "stokes.cuh"

#define PLEX_STOKES_LD (PLEX_STOKES_ROWS | 1)
static_assert(PLEX_ELASTIC_GEOMETRY + PLEX_STOKES_ROWS * PLEX_STOKES_LD + PLEX_ELASTIC_MASS + PLEX_ELASTIC_Y <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_stokescondense(const PlexHDGStokesArgs args)
{
  PLEX_HDG_WORKSPACE(args.elastic.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double              *A = work + PLEX_ELASTIC_GEOMETRY, *rest = A + PLEX_STOKES_ROWS * PLEX_STOKES_LD;
  const PlexHDGArgs   &a = args.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    const plex_index at = e - a.begin;
    double *K = a.K + at * PLEX_ELASTIC_T * PLEX_ELASTIC_T, *factor = a.factor + at * PLEX_STOKES_ROWS * PLEX_STOKES_V;

    plex_elastic_geometry(args.elastic, e, g);
    plex_stokes_build(args, g, A, PLEX_STOKES_LD, active ? args.net + (plex_index)e * PLEX_ELASTIC_T : NULL,
                      active ? args.volume + e : NULL, rest);
    plex_hdg_complain(a, e, plex_stokes_eliminate(A, PLEX_STOKES_LD));
    PLEX_HDG_EACH(k, active ? PLEX_ELASTIC_T * PLEX_ELASTIC_T : 0)
    {
      const int i = k / PLEX_ELASTIC_T, j = k % PLEX_ELASTIC_T;
      const int held = (g->bits[i / PLEX_ELASTIC_NF] >> (i / PLEX_HDG_NF % PLEX_DIM) |
                        g->bits[j / PLEX_ELASTIC_NF] >> (j / PLEX_HDG_NF % PLEX_DIM)) &
                       1;

      if (held) K[k] = i == j ? g->ts[i / PLEX_ELASTIC_NF] : 0;
      else K[k] = -A[(PLEX_STOKES_V + max(i, j)) * PLEX_STOKES_LD + PLEX_STOKES_V + min(i, j)];
    }
    PLEX_HDG_EACH(k, active ? PLEX_STOKES_ROWS * PLEX_STOKES_V : 0)
    {
      const int i = k / PLEX_STOKES_V, j = k % PLEX_STOKES_V;

      factor[k] = j <= i ? A[i * PLEX_STOKES_LD + j] : 0;
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_stokescondense)
