// The strategy of tests/assembly/register.c: the first team of one block computes one element after the other.
//
// vertices[Ne][PLEX_NV], dofs[Ne][PLEX_EF]; targets[Ne][PLEX_ND] of the entries of element data and mirrors[Ne][PLEX_ND] of the
// transposed ones, -1 for none.
PLEX_DEVICE void test_add(PlexTarget result, int target, plex_real v)
{
  if (target >= 0) result[target] += (plex_scalar)v;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) test_serial(PlexArgs args, const int *vertices, const int *dofs, const int *targets, const int *mirrors, int Ne)
{
  PlexTarget result = plex_target(args);

  PLEX_TEAM_WORK(work);
  if (PLEX_TEAM_INDEX > 0) return;
  for (int e = 0; e < Ne; ++e) {
    plex_load_nodal(args, work.nodal, [&](int k) { return k < PLEX_NV ? vertices[e * PLEX_NV + k] : k < PLEX_NV + PLEX_EF ? dofs[e * PLEX_EF + k - PLEX_NV] : e; });
    plex_element(args, work, [&](int i, int j, plex_real v) {
      const int d = e * PLEX_ND + plex_data_index(i, j);

      test_add(result, targets[d], v);
      test_add(result, mirrors[d], v);
    });
  }
}
PLEX_EXPORT_KERNEL(test_serial)
