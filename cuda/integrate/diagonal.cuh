// The diagonal of element matrices, from D_q as a matrix has it: entry i of an element vector is A^e_ii, or with
// args.component = k the entry of i's node and component k of its field.
//
// A thread of the team has an entry. It reads KT KU numbers of D and KT + KU of the basis a point, and takes as many
// flops twice.
#pragma once

// Sum over the parts of a pair of components, c and d of all fields', at point q
PLEX_DEVICE plex_real plex_diagonal_pair(const PlexArgs &args, const PlexWork &work, int f, int n, int q, int c, int d,
                                         int m, int l)
{
  plex_real v = 0;

  _Pragma("unroll")
  for (int a = 0; a < PLEX_KT; ++a) {
    plex_real row = 0;

    _Pragma("unroll")
    for (int b = 0; b < PLEX_KU; ++b) {
#if PLEX_VECTOR
      const plex_real phi = plex_function(args, f, l, PLEX_Q(work.nodal, q), n, b + 1 - PLEX_TRIAL_VALUE);
#else
      const plex_real phi = plex_trial(args, f, PLEX_Q(work.nodal, q), n, b);
#endif

      row += work.point[(q * PLEX_JT + c * PLEX_KT + a) * PLEX_JU + d * PLEX_KU + b] * phi;
    }
#if PLEX_VECTOR
    v += row * plex_function(args, f, m, PLEX_Q(work.nodal, q), n, a + 1 - PLEX_TEST_VALUE);
#else
    v += row * plex_test(args, f, PLEX_Q(work.nodal, q), n, a);
#endif
  }
  return v;
}

// Entries i0 .. i0 + nrows - 1: emit(i, 0, value)
template <class Emit>
PLEX_DEVICE void plex_diagonal_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  for (int k = PLEX_LANE; k < nrows; k += PLEX_TEAM) {
    plex_real v = 0;
    int       f, n, c;

    plex_dof(i0 + k, f, n, c);
    for (int q = 0; q < PLEX_NQ; ++q) {
      const int first = plex_field_component(f);

#if PLEX_VECTOR
      if (plex_field_space(f)) { // the function has all components
        for (int m = 0; m < plex_field_components(f); ++m)
          for (int l = 0; l < plex_field_components(f); ++l)
            v += plex_diagonal_pair(args, work, f, n, q, first + m, first + l, m, l);
        continue;
      }
#endif
      const int d = args.component < 0 ? c : args.component;

      if (d < plex_field_components(f)) v += plex_diagonal_pair(args, work, f, n, q, first + c, first + d, 0, 0);
    }
    emit(i0 + k, 0, v);
  }
  plex_team_sync();
}
