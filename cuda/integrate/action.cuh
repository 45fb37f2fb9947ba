// A v and A^T v of the Jacobian A at a state, element vectors without element matrices: at each point the functions'
// numbers meet the values and gradients of v, so that V_q is that of a residual,
//
//   A v     V_q = w_q |J| (g0 v + g1 . grad v,    J^-1 (g2 v + g3 grad v))
//   A^T v   V_q = w_q |J| (g0^T v + g2^T . grad v, J^-1 (g1^T v + g3^T grad v))
//
// and all that follows is a residual's. A thread, or a team, has an element as there. Besides what a residual reads, an
// element reads 8 EF bytes of v; a point takes 2 (1 + dim) EF flops for v and 2 (1 + dim)^2 for each pair of components,
// what is known to be zero left out.
#pragma once

#define PLEX_TRANSPOSED (PLEX_ACTION == 2)

// Values and gradients of v at a point, with component k of all fields' at [k]
struct PlexDirection {
  plex_real v[PLEX_NC], vx[PLEX_NC * PLEX_DIM];
};

PLEX_DEVICE void plex_direction(const PlexArgs &args, const PlexNodal &nodal, int q, const PlexPoint &p,
                                PlexDirection &d)
{
  _Pragma("unroll")
  for (int f = 0; f < PLEX_NF; ++f) {
#if PLEX_VECTOR
    if (plex_field_space(f)) {
      plex_vector_jets(
        args, nodal, q, f, p,
        [&](int i, plex_real &v, plex_real &vt) {
          v  = nodal.v[i];
          vt = 0;
        },
        [&](int k, const plex_real jet[]) {
          d.v[k] = jet[0];
          _Pragma("unroll")
          for (int b = 0; b < PLEX_DIM; ++b) d.vx[k * PLEX_DIM + b] = plex_vector_gradient(p, jet, b);
        });
      continue;
    }
#endif
    _Pragma("unroll")
    for (int c = 0; c < plex_field_components(f); ++c) {
      const int k = plex_field_component(f) + c;
      plex_real v = 0, vr[PLEX_DIM];

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) vr[a] = 0;
      PLEX_UNROLL
      for (int n = 0; n < plex_field_nodes(f); ++n) {
        const plex_real vn = nodal.v[plex_field_offset(f) + n * plex_field_components(f) + c];

        v += PLEX_BASIS_AT_POINT(args, f, PLEX_Q(nodal, q), n, 0) * vn;
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) vr[a] += PLEX_BASIS_AT_POINT(args, f, PLEX_Q(nodal, q), n, 1 + a) * vn;
      }
      d.v[k] = v;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) {
        plex_real s = 0;

        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) s += p.invJ[a * PLEX_DIM + b] * vr[a];
        d.vx[k * PLEX_DIM + b] = s;
      }
    }
  }
}

// What PLEX_FORM adds to: V, not pulled back yet, of component k [k] and [PLEX_NC + k * PLEX_DIM + d]
struct PlexActionSum {
  const PlexDirection &d;
  plex_real            V[PLEX_NC * (1 + PLEX_DIM)];
};

// Of test field I (components cI from kI) and trial field J; W += s g d, with the field that tests first: g0
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexActionSum &sum)
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d)
    PLEX_ADD_PRODUCT(sum.V[PLEX_TRANSPOSED ? kJ + d : kI + c], zero[c * cJ + d], s * (plex_real)g[c * cJ + d],
                     sum.d.v[PLEX_TRANSPOSED ? kI + c : kJ + d]);
}

// g1 of A v, g2 of A^T v: gradients of v, for values
template <bool transposed, int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_action_value(plex_real s, const PetscScalar g[], const bool zero[], PlexActionSum &sum)
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k)
    PLEX_ADD_PRODUCT(sum.V[transposed ? kJ + d : kI + c], zero[(c * cJ + d) * PLEX_DIM + k],
                     s * (plex_real)g[(c * cJ + d) * PLEX_DIM + k],
                     sum.d.vx[(transposed ? kI + c : kJ + d) * PLEX_DIM + k]);
}

// g2 of A v, g1 of A^T v: values of v, for gradients
template <bool transposed, int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_action_gradient(plex_real s, const PetscScalar g[], const bool zero[], PlexActionSum &sum)
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k)
    PLEX_ADD_PRODUCT(sum.V[PLEX_NC + (transposed ? kJ + d : kI + c) * PLEX_DIM + k], zero[(c * cJ + d) * PLEX_DIM + k],
                     s * (plex_real)g[(c * cJ + d) * PLEX_DIM + k], sum.d.v[transposed ? kI + c : kJ + d]);
}

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g1(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexActionSum &sum)
{
  if (PLEX_TRANSPOSED) plex_action_gradient<true, cI, kI, cJ, kJ>(s, g, zero, sum);
  else plex_action_value<false, cI, kI, cJ, kJ>(s, g, zero, sum);
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexActionSum &sum)
{
  if (PLEX_TRANSPOSED) plex_action_value<true, cI, kI, cJ, kJ>(s, g, zero, sum);
  else plex_action_gradient<false, cI, kI, cJ, kJ>(s, g, zero, sum);
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexActionSum &sum)
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) {
    const int        at = (c * cJ + d) * PLEX_DIM * PLEX_DIM;
    plex_real       *V  = &sum.V[PLEX_NC + (PLEX_TRANSPOSED ? kJ + d : kI + c) * PLEX_DIM];
    const plex_real *vx = &sum.d.vx[(PLEX_TRANSPOSED ? kI + c : kJ + d) * PLEX_DIM];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l)
      PLEX_ADD_PRODUCT(V[PLEX_TRANSPOSED ? l : k], zero[at + k * PLEX_DIM + l], s * (plex_real)g[at + k * PLEX_DIM + l],
                       vx[PLEX_TRANSPOSED ? k : l]);
  }
}

// V_q as a residual has it
PLEX_DEVICE void plex_action_end(const PlexPoint &p, const PlexActionSum &sum, plex_real out[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC; ++k) {
#if PLEX_TEST_VALUE
    out[k * PLEX_KT] = sum.V[k];
#endif
#if PLEX_TEST_GRAD
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) {
      plex_real v = 0;

      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) v += p.invJ[a * PLEX_DIM + d] * sum.V[PLEX_NC + k * PLEX_DIM + d];
      out[k * PLEX_KT + PLEX_TEST_VALUE + a] = v;
    }
#endif
  }
}
