// The strategy of tests/assembly/register.c: the first team of one block computes one element after the other.
//
// lists[Ne][PLEX_NV + PLEX_EF + 2 PLEX_ND]: coordinate nodes and dofs of an element, then the targets of its entries
// and those of the transposed ones, -1 for none.
PLEX_DEVICE void test_add(PlexTarget result, int target, plex_real v)
{
  if (target >= 0) result[target] += (plex_scalar)v;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) test_serial(PlexArgs args, const int *lists, int Ne)
{
  PlexTarget result = plex_target(args);

  PLEX_TEAM_WORK(work);
  if (PLEX_TEAM_INDEX > 0) return;
  for (int e = 0; e < Ne; ++e, lists += PLEX_NV + PLEX_EF + 2 * PLEX_ND) {
    plex_load_nodal(args, work.nodal, [&](int k) { return k < PLEX_NV + PLEX_EF ? lists[k] : e; });
    plex_element(args, work, [&](int i, int j, plex_real v) {
      const int *targets = lists + PLEX_NV + PLEX_EF + plex_data_index(i, j);

      test_add(result, targets[0], v);
      test_add(result, targets[PLEX_ND], v);
    });
  }
}
PLEX_EXPORT_KERNEL(test_serial)
