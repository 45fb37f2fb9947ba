// What shared_nz and shared_row have in common: a pass's nodal data into shared memory, and element data over it (Cecka 4.3).
//
// Dynamic shared memory is [teams' work areas][row sums of shared_row][regions]. Entry m of the region that begins at `base` is at
// base + m * PLEX_STRIDE: with a thread an element regions are interleaved, so that neighbouring threads write neighbouring banks;
// a larger team writes neighbouring entries of one region.
#pragma once

#include "assembly/shared_args.h"

PLEX_DEVICE char *plex_behind_work()
{
  PLEX_DYNAMIC_SHARED(char, shared);

  return shared + (PLEX_TEAM > 1 ? (size_t)PLEX_TEAMS * PLEX_WORK : 0);
}

// Reads each coordinate node and dof of the pass once and writes it to all regions that need it (Cecka, algorithm 6): a thread goes
// down its row of each packed array; i > 0 fetches source i - 1, i < 0 stores at target -i - 1. Returns the entries that follow.
PLEX_DEVICE const int *plex_scatter(const PlexArgs &args, const PlexSharedPass &pass, const int *entries, plex_real *S)
{
  plex_real x[PLEX_DIM], u = 0, ut = 0;

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) x[d] = 0;
  _Pragma("unroll 4")
  for (int k = 0; k < pass.coordinates; ++k, entries += PLEX_BLOCK) {
    const int i = *entries;

    if (i > 0) {
      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) x[d] = (plex_real)args.x[(plex_index)(i - 1) * PLEX_DIM + d];
    } else if (i < 0) {
      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) S[-i - 1 + d * PLEX_STRIDE] = x[d];
    }
  }
  _Pragma("unroll 4")
  for (int k = 0; k < pass.dofs; ++k, entries += PLEX_BLOCK) {
    const int i = *entries;

    if (i > 0) {
      u = (plex_real)args.u[i - 1];
      if (args.u_t) ut = (plex_real)args.u_t[i - 1];
    } else if (i < 0) {
      S[-i - 1] = u;
      if (args.u_t) S[-i - 1 + PLEX_EF * PLEX_STRIDE] = ut;
    }
  }
  return entries;
}

// A team an item: nodal data out of its region, element data into it. No barrier of the block inside, but for a team that is the block.
PLEX_DEVICE void plex_integrate(const PlexArgs &args, const PlexSharedArgs &plan, const PlexSharedPass &pass, plex_real *S)
{
  _Pragma("unroll 1")
  for (int k = PLEX_TEAM_INDEX; k < pass.items; k += PLEX_TEAMS) {
    PLEX_TEAM_WORK(work);
#if PLEX_CHUNKED
    const int base = plan.items[2 * (plex_index)(pass.item + k)], i0 = plan.items[2 * (plex_index)(pass.item + k) + 1] & 0xffff, end = i0 + (plan.items[2 * (plex_index)(pass.item + k) + 1] >> 16);
#else
    const int base = k * PLEX_ITEM, i0 = 0;
#endif
    const auto emit = [&](int i, int j, plex_real v) { S[base + (plex_data_index(i, j) - i0 * PLEX_EF) * PLEX_STRIDE] = v; };

#if PLEX_ELEMENT_NUMBERS
    plex_load_numbered(args, work.nodal, plan.elements[pass.item + k]);
#endif
    PLEX_UNROLL
    for (int m = PLEX_LANE; m < PLEX_NV * PLEX_DIM; m += PLEX_TEAM) work.nodal.x[m] = S[base + m * PLEX_STRIDE];
    PLEX_UNROLL
    for (int m = PLEX_LANE; m < PLEX_EF; m += PLEX_TEAM) work.nodal.u[m] = S[base + (PLEX_NV * PLEX_DIM + m) * PLEX_STRIDE];
    if (args.u_t) {
      PLEX_UNROLL
      for (int m = PLEX_LANE; m < PLEX_EF; m += PLEX_TEAM) work.nodal.ut[m] = S[base + (PLEX_NV * PLEX_DIM + PLEX_EF + m) * PLEX_STRIDE];
    }
    plex_team_sync();
#if PLEX_CHUNKED
    plex_points(args, work);
    for (int i = i0; i < end; i += PLEX_ROWS) plex_rows(args, work, i, end - i < PLEX_ROWS ? end - i : PLEX_ROWS, emit);
#else
    plex_element(args, work, emit);
#endif
  }
}
