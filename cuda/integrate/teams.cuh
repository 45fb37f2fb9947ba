// plex_elements(), by which a kernel leaves to an integrator how its threads share elements: here a team has one, by
// plex_element(). Integrators that define it themselves come before this file, with
//
//   PLEX_ELEMENTS           elements of a block of threads at a time
//   PLEX_ELEMENTS_FIRST     position among them from which on this thread computes, in a team, or a warp, with others
//   PLEX_ELEMENTS_RESIDENT  where it is defined: blocks of a multiprocessor, at least
//
// It computes the element at position p, where there is one, or as many from there on as a warp takes, up to position
// end - 1. at(p) is the element at a position, whose nodal data are in global or in shared memory:
//
//   e.padding()                       there is none
//   e.load(nodal)                     all nodal data, for a team, which is in step afterwards
//   e.x(n, d), .u(i), .ut(i), .aux(k) one by one
//   e.conn                            numbers of its coordinate nodes, then dofs: number k is [k * PLEX_INTERLEAVE]
//   e.s.x, .u, .ut                    where nodal data are in shared memory: what the numbers refer to
//
// emit(e, i, j, v) takes entry (i, j).
#pragma once

#ifndef PLEX_ELEMENTS
  #define PLEX_ELEMENTS       PLEX_TEAMS
  #define PLEX_ELEMENTS_FIRST PLEX_TEAM_INDEX

template <class Position, class At, class Emit>
PLEX_DEVICE void plex_elements(const PlexArgs &args, At at, Position p, Position, Emit emit)
{
  const auto e = at(p);

  PLEX_TEAM_WORK(work);
  e.load(work.nodal);
  plex_element(args, work, [&](int i, int j, plex_real v) { emit(e, i, j, v); });
}
#endif
