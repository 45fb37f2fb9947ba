// Element data that take next to no operations, in the place of integration: a benchmark's, to see what assembly alone
// costs. Each entry is the sum of the element's nodal data, so that what is read and written is as ever (Cecka, section
// 6.3).
#pragma once

PLEX_DEVICE plex_real plex_dummy(const PlexArgs &args, const PlexNodal &nodal)
{
  plex_real sum = 0;

#if PLEX_FACETS
  sum += (plex_real)args.facet[nodal.element];
#else
  PLEX_UNROLL
  for (int k = 0; k < PLEX_NV * PLEX_DIM; ++k) sum += nodal.x[k];
#endif
  PLEX_UNROLL
  for (int k = PLEX_SOLUTION ? 0 : PLEX_EF; k < PLEX_EF + PLEX_EA; ++k) sum += nodal.u[k];
  return sum;
}

PLEX_DEVICE void plex_point_data(const PlexArgs &args, const PlexNodal &nodal, int, plex_real out[])
{
  out[0] = plex_dummy(args, nodal);
  _Pragma("unroll")
  for (int k = 1; k < PLEX_POINT_SIZE; ++k) out[k] = out[0];
}

#if PLEX_JACOBIAN && !PLEX_TENSOR
PLEX_DEVICE void plex_point_row(const PlexArgs &args, const PlexNodal &nodal, int, int, int, int, plex_real t[])
{
  t[0] = plex_dummy(args, nodal);
  _Pragma("unroll")
  for (int k = 1; k < PLEX_JU; ++k) t[k] = t[0];
}
#endif

PLEX_DEVICE void plex_points(const PlexArgs &args, PlexWork &work)
{
  if (PLEX_LANE == 0) work.point[0] = plex_dummy(args, work.nodal);
  plex_team_sync();
}

#if PLEX_TENSOR
PLEX_DEVICE plex_real plex_tensor_entry(const PlexArgs &, const plex_real point[], int, int, int, int, int, int,
                                        plex_real v = 0)
{
  return v + point[0];
}
#endif

template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &, PlexWork &work, int i0, int nrows, Emit emit)
{
#if PLEX_JACOBIAN
  PLEX_UNROLL
  for (int j = PLEX_LANE; j < PLEX_EF; j += PLEX_TEAM) {
    PLEX_UNROLL
    for (int r = 0; r < nrows; ++r)
      if (!PLEX_SYMMETRIC || j <= i0 + r) emit(i0 + r, j, work.point[0]);
  }
#else
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < nrows; k += PLEX_TEAM) emit(i0 + k, 0, work.point[0]);
#endif
  plex_team_sync();
}

PLEX_DEVICE plex_real plex_entry(const PlexArgs &args, const PlexNodal &nodal, int, int)
{
  return plex_dummy(args, nodal);
}
