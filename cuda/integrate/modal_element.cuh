// All rows of an element matrix by quadrature, of a scalar field in an affine element, by one thread. It uses the
// expansions of modal.cuh, and evaluates the form's functions at a point once for all rows. With g0 = c, g2 = v and
// g3 = a I at point q
//
//   A_ij = sum_q |J| w_q t_iq phi_j(q) + sum_bm B_jbm N_ibm
//   t_iq = c phi_i(q) + sum_b d phi_i / d xi_b (q) grad xi_b . v
//   N_ibm = sum_c grad xi_b . grad xi_c sum_k B_ick S_km         S_km = sum_q |J| w_q a L_k(q) L_m(q)
//
// so that g3 takes as many multiplications as a coefficient of tensor integration. Of tetrahedra of order 2 that is
// about 3,800, and 10 times 940 row by row. There are several passes over the points, each for as many rows as have
// their sums in registers. It requires that there is no g1, and that g3 is known to be a multiple of the identity.
#pragma once
#include "integrate/modal.cuh"

#define PLEX_MODAL_SUMS    50 // of rows, that a pass holds
#define PLEX_MODAL_ROWS    (PLEX_EF * PLEX_EF <= PLEX_MODAL_SUMS ? PLEX_EF : PLEX_MODAL_SUMS / PLEX_EF)
#define PLEX_MODAL_S(k, m) ((k) < (m) ? (m) * ((m) + 1) / 2 + (k) : (k) * ((k) + 1) / 2 + (m))

// Results of the form's functions at a point
struct PlexModalPoint {
  plex_real c, v[PLEX_DIM], a;
};

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalPoint &out)
{
  out.c += s * g[0];
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalPoint &out)
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) out.v[k] += s * g[k];
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalPoint &out)
{
  out.a += s * g[0];
}

// An element: its geometry, and grad u expanded
struct PlexModalElement {
  PlexPoint   p;
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   detJ, U[PLEX_NM * PLEX_DIM], S[PLEX_NM * (PLEX_NM + 1) / 2];
};

PLEX_DEVICE void plex_modal_begin(const PlexArgs &args, const PlexNodal &nodal, PlexModalElement &e)
{
  plex_geometry(args, nodal, 0, e.p);
  e.detJ = e.p.volume * ((plex_real)1 / (1 << PLEX_DIM));
  plex_modal_gradient(nodal, e.p, e.U);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) e.constants[k] = (PetscScalar)args.constants[k];
  e.constants[PLEX_NCONSTANTS + 2] = e.p.volume;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NM * (PLEX_NM + 1) / 2; ++k) e.S[k] = PLEX_NOTHING;
}

// c, r_b = grad xi_b . v, and a, at a point, with its weight
PLEX_DEVICE void plex_modal_point(const PlexArgs &args, const PlexNodal &nodal, int q, PlexModalElement &e,
                                  PlexModalPoint &out, plex_real r[])
{
  const plex_real s = e.detJ * PLEX_MODAL_WEIGHT(q);

  plex_modal_fields(args, nodal, q, e.U, e.p);
  out.c = out.a = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) out.v[k] = PLEX_NOTHING;
  PLEX_FORM(args, e.p, e.constants, s, out)
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    r[b] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) r[b] += e.p.invJ[b * PLEX_DIM + k] * out.v[k];
  }
}

PLEX_DEVICE void plex_modal_moments(plex_real a, int q, plex_real S[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NM; ++k) {
    const plex_real e = k ? a * PLEX_MODAL_POINT(q, k) : a;

    _Pragma("unroll")
    for (int m = 0; m <= k; ++m) S[PLEX_MODAL_S(k, m)] += m ? e * PLEX_MODAL_POINT(q, m) : e;
  }
}

// The term of g3, after S
PLEX_DEVICE void plex_modal_gradients(const PlexModalElement &e, int i, plex_real row[])
{
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real N[PLEX_NM];

    _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m) N[m] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int c = 0; c < PLEX_DIM; ++c) {
      plex_real G = PLEX_NOTHING;

      if (plex_modal_zero(i, c)) continue;
      /* one number with G_cb */
      _Pragma("unroll")
      for (int l = 0; l < PLEX_DIM; ++l)
        G += e.p.invJ[(b < c ? b : c) * PLEX_DIM + l] * e.p.invJ[(b < c ? c : b) * PLEX_DIM + l];
      _Pragma("unroll")
      for (int m = 0; m < PLEX_NM; ++m) {
        plex_real E = PLEX_NOTHING;

        _Pragma("unroll")
        for (int k = 0; k < PLEX_NM; ++k)
          PLEX_ADD_PRODUCT(E, PLEX_MODAL_BASIS(i, c, k) == 0, PLEX_MODAL_BASIS(i, c, k), e.S[PLEX_MODAL_S(k, m)]);
        N[m] += G * E;
      }
    }
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m)
      PLEX_ADD_PRODUCT(row[j], PLEX_MODAL_BASIS(j, b, m) == 0, PLEX_MODAL_BASIS(j, b, m), N[m]);
  }
}

// Computes rows from I on, in passes, and calls take(i, row) with each
template <int I, class Take>
PLEX_DEVICE void plex_modal_pass(const PlexArgs &args, const PlexNodal &nodal, PlexModalElement &e, Take take)
{
  constexpr int n = I + PLEX_MODAL_ROWS <= PLEX_EF ? PLEX_MODAL_ROWS : PLEX_EF - I;
  plex_real     row[n * PLEX_EF];

  _Pragma("unroll")
  for (int k = 0; k < n * PLEX_EF; ++k) row[k] = PLEX_NOTHING;
  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_NQ; ++q) {
    PlexModalPoint at;
    plex_real      r[PLEX_DIM];

    plex_modal_point(args, nodal, q, e, at, r);
    if (I == 0) plex_modal_moments(at.a, q, e.S);
    _Pragma("unroll")
    for (int k = 0; k < n * PLEX_TRIAL_VALUE; ++k) {
      plex_real t = PLEX_NOTHING;

      if (PLEX_TEST_VALUE) t += at.c * PLEX_MODAL_VALUE(q, I + k);
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b)
        PLEX_ADD_PRODUCT(t, !PLEX_TEST_GRAD || plex_modal_zero(I + k, b), PLEX_MODAL_GRAD(q, I + k, b), r[b]);
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) row[k * PLEX_EF + j] += t * PLEX_MODAL_VALUE(q, j);
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < n; ++k) {
    plex_modal_gradients(e, I + k, &row[k * PLEX_EF]);
    take(I + k, &row[k * PLEX_EF]);
  }
  if constexpr (I + n < PLEX_EF) plex_modal_pass<I + n>(args, nodal, e, take);
}

template <class Take>
PLEX_DEVICE void plex_modal_element(const PlexArgs &args, const PlexNodal &nodal, Take take)
{
  PlexModalElement e;

  plex_modal_begin(args, nodal, e);
  plex_modal_pass<0>(args, nodal, e, take);
}
