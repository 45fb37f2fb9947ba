// What shared_nz and shared_row have in common: the element data of a pass into shared memory (Cecka 4.3).
//
// Dynamic shared memory is [teams' work areas][element data].
#pragma once

#include "assembly/shared_args.h"

PLEX_DEVICE char *plex_behind_work()
{
  PLEX_DYNAMIC_SHARED(char, shared);

  return shared + (PLEX_TEAM > 1 ? (size_t)PLEX_TEAMS * PLEX_WORK : 0);
}

// A team an item. No barrier of the block inside, but for a team that is the block.
PLEX_DEVICE void plex_integrate(const PlexArgs &args, const PlexSharedArgs &plan, const PlexSharedPass &pass,
                                plex_real *S)
{
  _Pragma("unroll 1")
  for (int k = PLEX_TEAM_INDEX; k < pass.items; k += PLEX_TEAMS) {
    PLEX_TEAM_WORK(work);
    const PlexSharedItem item = plan.items[pass.item + k];
    const int           *ids  = plan.ids + (plex_index)item.element * (PLEX_NV + PLEX_EF);
    const auto           emit = [&](int i, int j, plex_real v) {
      S[item.base + plex_data_index(i, j) - item.first * PLEX_EF] = v;
    };

    plex_load_nodal(args, work.nodal, [&](int m) { return m < PLEX_NV + PLEX_EF ? ids[m] : item.element; });
#if PLEX_CHUNKED
    const int end = item.first + item.n;

    plex_points(args, work);
    for (int i = item.first; i < end; i += PLEX_ROWS)
      plex_rows(args, work, i, end - i < PLEX_ROWS ? end - i : PLEX_ROWS, emit);
#else
    plex_element(args, work, emit);
#endif
  }
}

// Sums list k of the pass: reads 8 bytes of it, and 4 a position
PLEX_DEVICE void plex_sum(const PlexSharedArgs &plan, const PlexSharedPass &pass, int k, const plex_real *S,
                          PlexTarget target)
{
  const PlexSharedList list = plan.lists[pass.list + k], next = plan.lists[pass.list + k + 1];
  plex_scalar          sum = 0;

  for (int m = list.start; m < next.start; ++m) sum += (plex_scalar)S[plan.positions[pass.positions + m]];
  if (list.target >= 0) target[list.target] = sum;
  else target[-list.target - 1] += sum;
}
