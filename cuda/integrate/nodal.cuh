// Loads an element's nodal data from global memory: conn(k) gives coordinate node k for k < PLEX_NV and then element
// dof k - PLEX_NV; with PLEX_ELEMENT_NUMBERS conn(PLEX_NV + PLEX_EF) gives the element's number. The team is in step
// afterwards.
#pragma once

template <class Conn>
PLEX_DEVICE void plex_load_nodal(const PlexArgs &args, PlexNodal &nodal, Conn conn)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, conn(PLEX_NV + PLEX_EF));
#endif
#if PLEX_NV
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_NV * PLEX_DIM; k += PLEX_TEAM)
    nodal.x[k] = (plex_real)args.x[(plex_index)conn(k / PLEX_DIM) * PLEX_DIM + k % PLEX_DIM];
#endif
#if PLEX_SOLUTION
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM) nodal.u[k] = (plex_real)args.u[conn(PLEX_NV + k)];
  if (args.u_t) {
    PLEX_UNROLL
    for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM) nodal.ut[k] = (plex_real)args.u_t[conn(PLEX_NV + k)];
  }
#endif
#if PLEX_APPLIED
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM) nodal.v[k] = (plex_real)args.v[conn(PLEX_NV + k)];
#endif
  plex_team_sync();
}
