// A row of an element matrix by quadrature, of a scalar field in an affine element: what is linear is done once in an element and not at
// each of its points. Gradients of the basis are polynomials of few terms, L_m at the points:
//
//   d phi_j / d xi_b (q) = sum_m B_jbm L_m(q)
//
// so that grad u (q) = sum_m U_m L_m(q) with U_m = sum_jb u_j B_jbm grad xi_b, and of the row of test function i
//
//   A_ij = sum_q t_q phi_j(q) + sum_bm B_jbm N_bm      N_bm = sum_q grad xi_b . y_q L_m(q)
//
// with t_q and y_q what g0, g2 and g1, g3 make of test function i at point q. At a point there are then 2 dim PLEX_NM multiplications in the
// place of dim (EF + 2 dim + EF), and B has many zeros. For tetrahedra of order 2 with g2 and g3: 84 a point in the place of 110.
#pragma once

#define PLEX_MODAL_POINT(q, m)    plex_modal_point[(q) * PLEX_NM + (m)]
#define PLEX_MODAL_BASIS(j, b, m) plex_modal_basis[((j) * PLEX_DIM + (b)) * PLEX_NM + (m)]

// One test function at a point: its value and gradient, and what the form's functions make of them
struct PlexModalTest {
  plex_real v, h[PLEX_DIM];
  plex_real t, y[PLEX_DIM];
};

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalTest &test)
{
  test.t += s * test.v * g[0];
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g1(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[], PlexModalTest &test)
{
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) PLEX_ADD_PRODUCT(test.y[l], zero[l], s * test.v, g[l]);
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[], PlexModalTest &test)
{
  plex_real v = PLEX_NOTHING;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) PLEX_ADD_PRODUCT(v, zero[k], g[k], test.h[k]);
  test.t += s * v;
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[], PlexModalTest &test)
{
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) PLEX_ADD_PRODUCT(v, zero[k * PLEX_DIM + l], g[k * PLEX_DIM + l], test.h[k]);
    test.y[l] += s * v;
  }
}

// grad u, expanded: U[m][l]
PLEX_DEVICE void plex_modal_gradient(const PlexNodal &nodal, const PlexPoint &p, plex_real U[])
{
  _Pragma("unroll")
  for (int m = 0; m < PLEX_NM; ++m) {
    plex_real r[PLEX_DIM];

    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) {
      r[b] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) PLEX_ADD_PRODUCT(r[b], PLEX_MODAL_BASIS(j, b, m) == 0, PLEX_MODAL_BASIS(j, b, m), nodal.u[j]);
    }
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) {
      U[m * PLEX_DIM + l] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) U[m * PLEX_DIM + l] += r[b] * p.invJ[b * PLEX_DIM + l];
    }
  }
}

// Fields at a point whose geometry is there
PLEX_DEVICE void plex_modal_fields(const PlexArgs &args, const PlexNodal &nodal, int q, const plex_real U[], PlexPoint &p)
{
  p.u[0] = p.ut[0] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int n = 0; n < PLEX_EF; ++n) {
    p.u[0] += PLEX_BASIS_AT_POINT(args, 0, q, n, 0) * nodal.u[n];
    if (args.u_t) p.ut[0] += PLEX_BASIS_AT_POINT(args, 0, q, n, 0) * nodal.ut[n];
  }
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    p.ux[l] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m) p.ux[l] += PLEX_MODAL_POINT(q, m) * U[m * PLEX_DIM + l];
  }
}

// Row of node i, which the compiler knows, into row[PLEX_EF]
PLEX_DEVICE void plex_modal_row(const PlexArgs &args, const PlexNodal &nodal, int i, plex_real row[])
{
  PlexPoint   p;
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   U[PLEX_NM * PLEX_DIM], Y[PLEX_NM * PLEX_DIM];

  plex_geometry(args, nodal, 0, p);
  plex_modal_gradient(nodal, p, U);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NM * PLEX_DIM; ++k) Y[k] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  _Pragma("unroll")
  for (int q = 0; q < PLEX_NQ; ++q) {
    PlexModalTest test;

    plex_geometry(args, nodal, q, p); // J is the same at all points
    plex_modal_fields(args, nodal, q, U, p);
    const plex_real s = p.weight;

    test.v = PLEX_BASIS_AT_POINT(args, 0, q, i, 0);
    test.t = PLEX_NOTHING;
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) {
      test.h[l] = test.y[l] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) PLEX_ADD_PRODUCT(test.h[l], PLEX_BASIS_AT_POINT(args, 0, q, i, 1 + b) == 0, PLEX_BASIS_AT_POINT(args, 0, q, i, 1 + b), p.invJ[b * PLEX_DIM + l]);
    }
    PLEX_FORM(args, p, constants, s, test)
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF * PLEX_TRIAL_VALUE; ++j) row[j] += test.t * PLEX_BASIS_AT_POINT(args, 0, q, j, 0);
    _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m) _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) Y[m * PLEX_DIM + l] += PLEX_MODAL_POINT(q, m) * test.y[l];
  }
  _Pragma("unroll")
  for (int m = 0; m < PLEX_NM; ++m) _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real N = PLEX_NOTHING;

    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) N += p.invJ[b * PLEX_DIM + l] * Y[m * PLEX_DIM + l];
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) PLEX_ADD_PRODUCT(row[j], PLEX_MODAL_BASIS(j, b, m) == 0, PLEX_MODAL_BASIS(j, b, m), N);
  }
}
