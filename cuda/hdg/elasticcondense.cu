// Local matrices of linear elasticity: [S R; R^T H] of an element (elastic.cuh), and K = H - R^T S^-1 R by eliminating
// its first DIM NU columns. Rows and columns of components that are known, though their face has unknowns, are tau s
// times the identity.
//
// A team an element; the matrix and its elimination in the workspace. Writes 8 T^2 bytes, T = DIM NT, and 8 (U + T) U
// where the factors are kept, U = DIM NU. (U + T)^3/3 - T^3/3 multiplications and additions beside the sums that make
// the matrix.
#include "elastic.cuh"

#define PLEX_ELASTIC_LD (PLEX_ELASTIC_ROWS | 1)
static_assert(PLEX_ELASTIC_GEOMETRY + PLEX_ELASTIC_ROWS * PLEX_ELASTIC_LD + PLEX_ELASTIC_MASS + PLEX_ELASTIC_Y <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_elasticcondense(const PlexHDGElasticArgs args)
{
  PLEX_HDG_WORKSPACE(args.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double              *A = work + PLEX_ELASTIC_GEOMETRY, *rest = A + PLEX_ELASTIC_ROWS * PLEX_ELASTIC_LD;

  PLEX_HDG_ELEMENTS(args.hdg, e, active)
  {
    const plex_index at = e - args.hdg.begin;
    double          *K  = args.hdg.K + at * PLEX_ELASTIC_T * PLEX_ELASTIC_T,
           *factor      = args.hdg.factor ? args.hdg.factor + at * PLEX_ELASTIC_ROWS * PLEX_ELASTIC_U : NULL;

    plex_elastic_geometry(args, e, g);
    plex_elastic_build(args, g, A, PLEX_ELASTIC_LD, rest);
    plex_hdg_complain(args.hdg, e,
                      plex_hdg_eliminate(A, PLEX_ELASTIC_LD, PLEX_ELASTIC_ROWS, PLEX_ELASTIC_U, PLEX_ELASTIC_ROWS));
    PLEX_HDG_EACH(k, active ? PLEX_ELASTIC_T * PLEX_ELASTIC_T : 0)
    {
      const int i = k / PLEX_ELASTIC_T, j = k % PLEX_ELASTIC_T;
      const int held = (g->bits[i / PLEX_ELASTIC_NF] >> (i / PLEX_HDG_NF % PLEX_DIM) |
                        g->bits[j / PLEX_ELASTIC_NF] >> (j / PLEX_HDG_NF % PLEX_DIM)) &
                       1;

      if (held) K[k] = i == j ? g->ts[i / PLEX_ELASTIC_NF] : 0;
      else K[k] = A[(PLEX_ELASTIC_U + max(i, j)) * PLEX_ELASTIC_LD + PLEX_ELASTIC_U + min(i, j)];
    }
    PLEX_HDG_EACH(k, active && factor ? PLEX_ELASTIC_ROWS * PLEX_ELASTIC_U : 0)
    {
      const int i = k / PLEX_ELASTIC_U, j = k % PLEX_ELASTIC_U;

      factor[k] = j <= i ? A[i * PLEX_ELASTIC_LD + j] : 0;
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_elasticcondense)
