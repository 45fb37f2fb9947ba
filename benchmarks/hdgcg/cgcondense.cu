// Static condensation of continuous elements (section 5 of King and others 2014, Table 7): [A_ii A_ib; A_bi A_bb] of an
// element, K = A_bb - A_bi A_ii^-1 A_ib by eliminating the NI columns of the nodes inside, and with the source in the
// row below f_b - A_bi A_ii^-1 f_i, less what known values take.
//
// A team an element. Reads some 100 bytes, 8 NP of the source and 4 NB of numbers; writes 8 NB (NB + 1) bytes. NP^3/3 -
// NB^3/3 multiplications and additions beside the sums that make the matrix.
#include "cg.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_cgcondense(const PlexHDGCGArgs args)
{
  PLEX_HDG_WORKSPACE(args.e);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double          *A = work + PLEX_HDG_GEOMETRY, *row = A + PLEX_HDG_NP * PLEX_HDG_LD, *known = row + PLEX_HDG_LD,
         *G = known + PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args.e, e, active)
  {
    const int *nodes = args.nodes + (plex_index)e * PLEX_HDG_NB;
    double    *K = args.K + (plex_index)e * PLEX_HDG_NB * PLEX_HDG_NB, *b = args.b + (plex_index)e * PLEX_HDG_NB;

    plex_hdg_geometry(args.e, e, g);
    plex_hdg_cg_prepare(g, G);
    PLEX_HDG_EACH(k, PLEX_HDG_LOWER(PLEX_HDG_NP))
    {
      int i, j;

      if (plex_hdg_lower(PLEX_HDG_NP, k, &i, &j)) A[i * PLEX_HDG_LD + j] = plex_hdg_cg_entry(args, g, G, i, j);
    }
    PLEX_HDG_EACH(i, PLEX_HDG_NP) row[i]   = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;
    PLEX_HDG_EACH(i, PLEX_HDG_NB) known[i] = nodes[i] < args.nfree ? 0 : args.known[nodes[i] - args.nfree];
    plex_hdg_sync();
    plex_hdg_complain(args.e, e, plex_hdg_eliminate(A, PLEX_HDG_LD, PLEX_HDG_NP + 1, PLEX_HDG_NI, PLEX_HDG_NP));
    PLEX_HDG_EACH(k, active ? PLEX_HDG_NB * PLEX_HDG_NB : 0)
    {
      const int i = k / PLEX_HDG_NB, j = k % PLEX_HDG_NB;

      K[k] = A[(PLEX_HDG_NI + max(i, j)) * PLEX_HDG_LD + PLEX_HDG_NI + min(i, j)];
    }
    PLEX_HDG_EACH(i, active ? PLEX_HDG_NB : 0)
    {
      double sum = row[PLEX_HDG_NI + i];

      for (int j = 0; j < PLEX_HDG_NB; ++j)
        sum -= A[(PLEX_HDG_NI + max(i, j)) * PLEX_HDG_LD + PLEX_HDG_NI + min(i, j)] * known[j];
      b[i] = sum;
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_cgcondense)
