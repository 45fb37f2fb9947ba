// Local matrices of Navier-Stokes equations (navier.cuh), and K by eliminating u and p; what flows out through the faces, net.
// Rows and columns of components that are known, though their face has unknowns, are tau s times the identity.
//
// A team an element; the matrix and its elimination in the workspace. V = DIM NU + NP - 1, T = DIM NT. Reads 8 (DIM NU + T)
// bytes, and tables; writes 8 T^2 + 8 V (V + 2 T) bytes: LU[V][V], U^-1 of which L^-1 A_trace waits for, [T][V], and the
// trace's rows times U^-1, [V][T]. 2/3 ((V + T)^3 - T^3) flops of the elimination, those of plex_navier_add_inside() and
// plex_navier_add_faces(), and of Stokes's equations' sums.
#include "navier.cuh"

#define PLEX_NAVIER_ROWS ((PLEX_STOKES_V + PLEX_HDG_PANEL + 1) / 2) // doubles of integers
#define PLEX_NAVIER_REST (PLEX_NAVIER_MATRIX + PLEX_ELASTIC_U + PLEX_ELASTIC_T)
static_assert(PLEX_ELASTIC_GEOMETRY + PLEX_STOKES_ROWS * PLEX_NAVIER_LD + PLEX_NAVIER_ROWS +
                  (PLEX_ELASTIC_MASS + PLEX_ELASTIC_Y > PLEX_NAVIER_REST ? PLEX_ELASTIC_MASS + PLEX_ELASTIC_Y
                                                                         : PLEX_NAVIER_REST) <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_naviercondense(const PlexHDGNavierArgs args)
{
  PLEX_HDG_WORKSPACE(args.stokes.elastic.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double            *A = work + PLEX_ELASTIC_GEOMETRY, *rest = A + PLEX_STOKES_ROWS * PLEX_NAVIER_LD + PLEX_NAVIER_ROWS;
  int               *rows = (int *)(A + PLEX_STOKES_ROWS * PLEX_NAVIER_LD);
  const PlexHDGArgs &a    = args.stokes.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    const plex_index at = e - a.begin;
    double          *K = a.K + at * PLEX_ELASTIC_T * PLEX_ELASTIC_T, *LU = a.factor + at * PLEX_NAVIER_KEPT,
           *X = LU + PLEX_STOKES_V * PLEX_STOKES_V, *Q = X + PLEX_STOKES_V * PLEX_ELASTIC_T;

    plex_elastic_geometry(args.stokes.elastic, e, g);
    plex_navier_build(args, g, e, A, active ? args.stokes.net + (plex_index)e * PLEX_ELASTIC_T : NULL,
                      active ? args.stokes.volume + e : NULL, rest);
    plex_hdg_complain(a, e, plex_navier_eliminate(A, rows));
    PLEX_HDG_EACH(k, active ? PLEX_ELASTIC_T * PLEX_ELASTIC_T : 0)
    {
      const int i = k / PLEX_ELASTIC_T, j = k % PLEX_ELASTIC_T;
      const int held = (g->bits[i / PLEX_ELASTIC_NF] >> (i / PLEX_HDG_NF % PLEX_DIM) |
                        g->bits[j / PLEX_ELASTIC_NF] >> (j / PLEX_HDG_NF % PLEX_DIM)) &
                       1;

      if (held) K[k] = i == j ? g->ts[i / PLEX_ELASTIC_NF] : 0;
      else K[k] = A[(PLEX_STOKES_V + i) * PLEX_NAVIER_LD + PLEX_STOKES_V + j];
    }
    PLEX_HDG_EACH(k, active ? PLEX_STOKES_V * PLEX_STOKES_V : 0)
    LU[k] = A[k / PLEX_STOKES_V * PLEX_NAVIER_LD + k % PLEX_STOKES_V];
    PLEX_HDG_EACH(k, active ? PLEX_STOKES_V * PLEX_ELASTIC_T : 0)
    {
      X[k] = A[k % PLEX_STOKES_V * PLEX_NAVIER_LD + PLEX_STOKES_V + k / PLEX_STOKES_V];
      Q[k] = A[(PLEX_STOKES_V + k % PLEX_ELASTIC_T) * PLEX_NAVIER_LD + k / PLEX_ELASTIC_T];
    }
    PLEX_HDG_EACH(i, active ? PLEX_STOKES_V : 0)((int *)args.pivots)[(plex_index)e * PLEX_STOKES_V + i] = rows[i];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_naviercondense)
