// Rows of element data where a field's basis functions are vectors (vector.cuh): sums over parts, and over components,
// as plex_rows() of quadrature.cuh has them over parts. Fields with nodes have one component a dof.
#pragma once

// Components of the function of a dof of field f
PLEX_DEVICE int plex_function_components(int f)
{
  return plex_field_space(f) ? plex_field_components(f) : 1;
}

// Part a (0: the value) of the function of dof (f, n), its component c; of a field with nodes the only one
PLEX_DEVICE plex_real plex_function(const PlexArgs &args, int f, int c, int q, int n, int a)
{
  return plex_vector_of_node(args, f, plex_field_space(f) ? c : 0, q, n, a);
}

#if PLEX_JACOBIAN

// t_q of row i, entry k of the trial jets: sum_c sum_a phi_a,c(i,q) D_q[a,c][k]
PLEX_DEVICE plex_real plex_row_jet(const PlexArgs &args, const PlexWork &work, int i, int q, int k)
{
  int       f, n, c;
  plex_real v = 0;

  plex_dof(i, f, n, c);
  _Pragma("unroll 1")
  for (int m = 0; m < plex_function_components(f); ++m) _Pragma("unroll")
  for (int a = 0; a < PLEX_KT; ++a)
    v += plex_function(args, f, m, PLEX_Q(work.nodal, q), n, a + 1 - PLEX_TEST_VALUE) *
         work.point[(q * PLEX_JT + (plex_field_component(f) + c + m) * PLEX_KT + a) * PLEX_JU + k];
  return plex_sign(work.nodal, i) * v;
}

// Rows i0 .. i0 + nrows - 1 (at most PLEX_ROWS) of the element matrix: emit(i, j, value), j <= i only when symmetric
template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  for (int k = PLEX_LANE; k < nrows * PLEX_NQ * PLEX_JU; k += PLEX_TEAM)
    work.t[k] = plex_row_jet(args, work, i0 + k / (PLEX_NQ * PLEX_JU), k / PLEX_JU % PLEX_NQ, k % PLEX_JU);
  plex_team_sync();
  for (int j = PLEX_LANE; j < PLEX_EF; j += PLEX_TEAM) {
    plex_real v[PLEX_ROWS];
    int       f, n, c;

    if (PLEX_SYMMETRIC && j > i0 + nrows - 1) continue;
    plex_dof(j, f, n, c);
    _Pragma("unroll")
    for (int r = 0; r < PLEX_ROWS; ++r) v[r] = 0;
    for (int q = 0; q < PLEX_NQ; ++q) {
      for (int m = 0; m < plex_function_components(f); ++m) _Pragma("unroll")
      for (int b = 0; b < PLEX_KU; ++b) {
        const plex_real phi = plex_function(args, f, m, PLEX_Q(work.nodal, q), n, b + 1 - PLEX_TRIAL_VALUE);

        _Pragma("unroll")
        for (int r = 0; r < PLEX_ROWS; ++r)
          if (r < nrows)
            v[r] += work.t[(r * PLEX_NQ + q) * PLEX_JU + (plex_field_component(f) + c + m) * PLEX_KU + b] * phi;
      }
    }
    _Pragma("unroll")
    for (int r = 0; r < PLEX_ROWS; ++r)
      if (r < nrows && (!PLEX_SYMMETRIC || j <= i0 + r)) emit(i0 + r, j, plex_sign(work.nodal, j) * v[r]);
  }
  plex_team_sync();
}

#else

// Entries i0 .. i0 + nrows - 1 of the element vector: emit(i, 0, value)
template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  for (int k = PLEX_LANE; k < nrows; k += PLEX_TEAM) {
    plex_real v = 0;
    int       f, n, c;

    plex_dof(i0 + k, f, n, c);
    for (int q = 0; q < PLEX_NQ; ++q) {
      for (int m = 0; m < plex_function_components(f); ++m) _Pragma("unroll")
      for (int a = 0; a < PLEX_KT; ++a)
        v += plex_function(args, f, m, PLEX_Q(work.nodal, q), n, a + 1 - PLEX_TEST_VALUE) *
             work.point[q * PLEX_JT + (plex_field_component(f) + c + m) * PLEX_KT + a];
    }
    emit(i0 + k, 0, plex_sign(work.nodal, i0 + k) * v);
  }
  plex_team_sync();
}

#endif
