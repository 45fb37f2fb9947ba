// The inside of continuous elements from their boundary: u_i = A_ii^-1 (f_i - A_ib u_b), then u in the functions of
// hybridized DG.
//
// A team an element. Reads 8 NB of values, 4 NB of numbers and 8 NI of the source, writes 8 NP bytes; NI^3/3 + NP^2
// multiplications and additions beside the sums.
#include "cg.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_cgrecover(const PlexHDGCGArgs args)
{
  PLEX_HDG_WORKSPACE(args.e);
  PlexHDGGeometry *g = (PlexHDGGeometry *)work;
  double          *A = work + PLEX_HDG_GEOMETRY, *row = A + PLEX_HDG_NI * PLEX_HDG_LD,
         *value = A + (PLEX_HDG_NP + 1) * PLEX_HDG_LD, *G = value + PLEX_HDG_NP;

  PLEX_HDG_ELEMENTS(args.e, e, active)
  {
    const int *nodes = args.nodes + (plex_index)e * PLEX_HDG_NB;

    plex_hdg_geometry(args.e, e, g);
    plex_hdg_cg_prepare(g, G);
    PLEX_HDG_EACH(i, PLEX_HDG_NB)
    value[PLEX_HDG_NI + i] = nodes[i] < args.nfree ? args.unknown[nodes[i]] : args.known[nodes[i] - args.nfree];
    PLEX_HDG_EACH(k, PLEX_HDG_LOWER(PLEX_HDG_NI))
    {
      int i, j;

      if (plex_hdg_lower(PLEX_HDG_NI, k, &i, &j)) A[i * PLEX_HDG_LD + j] = plex_hdg_cg_entry(args, g, G, i, j);
    }
    plex_hdg_sync();
    PLEX_HDG_EACH(i, PLEX_HDG_NI)
    {
      double sum = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;

      for (int j = PLEX_HDG_NI; j < PLEX_HDG_NP; ++j) sum -= plex_hdg_cg_entry(args, g, G, i, j) * value[j];
      row[i] = sum;
    }
    plex_hdg_sync();
    plex_hdg_complain(args.e, e, plex_hdg_eliminate(A, PLEX_HDG_LD, PLEX_HDG_NI + 1, PLEX_HDG_NI, PLEX_HDG_NI));
    plex_hdg_backward(A, PLEX_HDG_LD, PLEX_HDG_NI, row);
    PLEX_HDG_EACH(i, PLEX_HDG_NI) value[i] = row[i];
    plex_hdg_sync();
    PLEX_HDG_EACH(j, active ? PLEX_HDG_NP : 0)
    {
      double sum = 0;

      for (int i = 0; i < PLEX_HDG_NP; ++i) sum += args.C[j * PLEX_HDG_NP + i] * value[i];
      args.e.u[(plex_index)e * PLEX_HDG_NP + j] = sum;
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_cgrecover)
