// Element matrices for MatSetValuesCOO(): a team computes an element and writes all of its matrix, for a symmetric form both halves.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed; -1 marks padding. Entry (i,j) of
// the element at position p goes to G[plex_interleaved(p, EF * EF, i * EF + j)], so that neighbouring threads write neighbouring words.
// An element reads 4 (NV + EF) bytes of plan and 8 (dim NV + EF) of nodal data, and writes 8 EF^2.
#define COO_K (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS)

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) coo_integrate(PlexArgs args, const int *plan, plex_real *G, int n)
{
  const int p = blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX; // position of this team's element

  PLEX_TEAM_WORK(work);
  if (p >= n || plan[plex_interleaved(p, COO_K, 0)] < 0) return;
  plex_load_nodal(args, work.nodal, [&](int k) { return plan[plex_interleaved(p, COO_K, k)]; });
  plex_element(args, work, [&](int i, int j, plex_real v) {
    G[plex_interleaved(p, PLEX_EF * PLEX_EF, i * PLEX_EF + j)] = v;
    if (PLEX_SYMMETRIC && i != j) G[plex_interleaved(p, PLEX_EF * PLEX_EF, j * PLEX_EF + i)] = v;
  });
}
PLEX_EXPORT_KERNEL(coo_integrate)
