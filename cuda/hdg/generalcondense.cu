// Local matrices that are not symmetric and positive definite: K = H - R' S^-1 R of [S R; R' H] (general.cuh), and all
// of what the elimination leaves, [NP + NT][NP + NT], for local problems.
//
// A team an element. Reads, of kappa(u), 8 DIM NP bytes of q and 16 DIM^2 NQ of kappa, of convection 8 DIM NQ + 32
// FACES NQF; writes 8 NT^2 + 8 (NP + NT)^2. 2 (NP + NT)^3/3 - 2 NT^3/3 multiplications and additions beside the sums
// that make the matrix.
#include "general.cuh"

static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_N * PLEX_HDG_LD + PLEX_HDG_GENERAL_WORK <= PLEX_HDG_WORK, "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_generalcondense(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double          *A = work + PLEX_HDG_GEOMETRY, *rest = A + PLEX_HDG_N * PLEX_HDG_LD;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    double *K      = args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT,
           *factor = args.factor + (plex_index)(e - args.begin) * PLEX_HDG_FACTOR;

    plex_hdg_geometry(args, e, g);
    plex_hdg_general_build(args, g, e, A, rest);
#if PLEX_HDG_CONVECTION
    plex_hdg_add_convection(args, g, e, A, PLEX_HDG_LD);
#endif
    plex_hdg_complain(args, e, plex_hdg_general_eliminate(A, active ? factor + PLEX_HDG_N * PLEX_HDG_N : NULL));
    PLEX_HDG_EACH(k, active ? PLEX_HDG_NT * PLEX_HDG_NT : 0)
    K[k] = A[(PLEX_HDG_NP + k / PLEX_HDG_NT) * PLEX_HDG_LD + PLEX_HDG_NP + k % PLEX_HDG_NT];
    PLEX_HDG_EACH(k, active ? PLEX_HDG_N * PLEX_HDG_N : 0) factor[k] = A[k / PLEX_HDG_N * PLEX_HDG_LD + k % PLEX_HDG_N];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_generalcondense)
