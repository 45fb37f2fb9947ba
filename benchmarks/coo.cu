// Element matrices for MatSetValuesCOO(): a team computes an element and writes all of its matrix, for a symmetric form
// both halves.
//
// plan: interleaved, per element PLEX_NV coordinate nodes, PLEX_EF dofs, its number where that is needed; -1 marks
// padding. Matrices lie one behind the other, or interleaved by COO_INTERLEAVE elements, so that neighbouring threads
// write neighbouring words. An element reads 4 (NV + EF) bytes of plan and 8 (dim NV + EF) of nodal data, and writes 8
// EF^2.
#define COO_K (PLEX_NV + PLEX_EF + PLEX_ELEMENT_NUMBERS)

// Place of entry (i,j) of the element at position p
PLEX_DEVICE plex_index coo_place(plex_index p, int i, int j)
{
  return (p / COO_INTERLEAVE * PLEX_EF * PLEX_EF + i * PLEX_EF + j) * COO_INTERLEAVE + p % COO_INTERLEAVE;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  coo_integrate(PlexArgs args, const int *plan, plex_real *G, int n)
{
  const int p = blockIdx.x * PLEX_TEAMS + PLEX_TEAM_INDEX; // position of this team's element

  PLEX_TEAM_WORK(work);
  if (p >= n || plan[plex_interleaved(p, COO_K, 0)] < 0) return;
  plex_load_nodal(args, work.nodal, [&](int k) { return plan[plex_interleaved(p, COO_K, k)]; });
  plex_element(args, work, [&](int i, int j, plex_real v) {
    G[coo_place(p, i, j)] = v;
    if (PLEX_SYMMETRIC && i != j) G[coo_place(p, j, i)] = v;
  });
}
PLEX_EXPORT_KERNEL(coo_integrate)
