// Local matrices: [S R; R^T H] of an element, and K = H - R^T S^-1 R by eliminating its first NP columns (equations 8
// to 17 of King and others 2014).
//
// A team an element; the matrix and its elimination in the workspace. Reads what an element has, some 100 bytes, and
// tables that all share; writes 8 NT^2 bytes, and 8 (NP + NT) NP where the factors are kept. (NP + NT)^3/3 - NT^3/3
// multiplications and additions beside the sums that make the matrix.
#include "hdg.cuh"

#define PLEX_HDG_LD (PLEX_HDG_N | 1) // an odd number: columns are in different banks
static_assert(PLEX_HDG_GEOMETRY + PLEX_HDG_N * PLEX_HDG_LD + PLEX_HDG_BUILD_WORK <= PLEX_HDG_WORK, "workspace");

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS) plex_hdg_condense(const PlexHDGArgs args)
{
  PLEX_HDG_WORKSPACE(args);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double          *A = work + PLEX_HDG_GEOMETRY, *rest = A + PLEX_HDG_N * PLEX_HDG_LD;

  PLEX_HDG_ELEMENTS(args, e, active)
  {
    double *K      = args.K + (plex_index)(e - args.begin) * PLEX_HDG_NT * PLEX_HDG_NT,
           *factor = args.factor ? args.factor + (plex_index)(e - args.begin) * PLEX_HDG_N * PLEX_HDG_NP : NULL;

    plex_hdg_geometry(args, e, g);
    plex_hdg_build(args, g, A, PLEX_HDG_LD, rest);
    plex_hdg_complain(args, e, plex_hdg_eliminate(A, PLEX_HDG_LD, PLEX_HDG_N, PLEX_HDG_NP, PLEX_HDG_N));
    PLEX_HDG_EACH(k, active ? PLEX_HDG_NT * PLEX_HDG_NT : 0)
    {
      const int i = k / PLEX_HDG_NT, j = k % PLEX_HDG_NT;

      K[k] = A[(PLEX_HDG_NP + max(i, j)) * PLEX_HDG_LD + PLEX_HDG_NP + min(i, j)];
    }
    PLEX_HDG_EACH(k, active && factor ? PLEX_HDG_N * PLEX_HDG_NP : 0)
    {
      const int i = k / PLEX_HDG_NP, j = k % PLEX_HDG_NP;

      factor[k] = j <= i ? A[i * PLEX_HDG_LD + j] : 0;
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_condense)
