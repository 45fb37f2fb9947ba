// Local matrices of kappa(u) linearized: K = H - R' S^-1 R of [S R; R' H] (newton.cuh), and all of what the elimination
// leaves, [NP + NT][NP + NT], for local problems.
//
// A team an element. Reads 8 DIM NP bytes of q and 16 DIM^2 NQ of kappa, writes 8 NT^2 + 8 (NP + NT)^2.
#include "newton.cuh"

static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_N * PLEX_HDG_LD + PLEX_HDG_DNP + PLEX_HDG_NEWTON_ROWS * PLEX_HDG_LDB +
                  PLEX_HDG_NQ * PLEX_DIM <=
                PLEX_HDG_WORK,
              "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_newtoncondense(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double          *A = work + PLEX_HDG_GEOMETRY, *q = A + PLEX_HDG_N * PLEX_HDG_LD, *rest = q + PLEX_HDG_DNP;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    double *K      = args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT,
           *factor = args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_N;

    plex_hdg_geometry(args, e, g);
    PLEX_HDG_EACH(i, PLEX_HDG_DNP) q[i] = args.q[(plex_index)e * PLEX_HDG_DNP + i];
    plex_hdg_sync();
    plex_hdg_newton_build(args, g, q, A, rest);
    plex_hdg_complain(args, e, plex_hdg_newton_eliminate(A));
    PLEX_HDG_EACH(k, active ? PLEX_HDG_NT * PLEX_HDG_NT : 0)
    K[k] = A[(PLEX_HDG_NP + k / PLEX_HDG_NT) * PLEX_HDG_LD + PLEX_HDG_NP + k % PLEX_HDG_NT];
    PLEX_HDG_EACH(k, active ? PLEX_HDG_N * PLEX_HDG_N : 0) factor[k] = A[k / PLEX_HDG_N * PLEX_HDG_LD + k % PLEX_HDG_N];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_newtoncondense)
