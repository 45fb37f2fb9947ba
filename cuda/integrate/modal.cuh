// A row of an element matrix by quadrature, of a scalar field in an affine element. Linear operations are done once an
// element and not at each of its points. For this the gradients of the basis are expanded in polynomials L_m, few for
// each, with L_0 = 1:
//
//   d phi_j / d xi_b (q) = sum_m B_jbm L_m(q)
//
// so that grad u (q) = sum_m U_m L_m(q) with U_m = sum_jb u_j B_jbm grad xi_b, and of the row of test function i
//
//   A_ij = |J| (sum_q t_q phi_j(q) + sum_bm B_jbm N_bm)      N_bm = sum_q grad xi_b . y_q L_m(q)
//
// where t_q is the contribution of g0 and g2 at point q with test function i, and y_q that of g1 and g3. If g3 is known
// to be a multiple a of the identity (PLEX_MODAL_ISOTROPIC), its contribution is computed without y_q:
//
//   N_bm = sum_c grad xi_b . grad xi_c E_cm      E_cm = sum_q w_q a_q d phi_i / d xi_c (q) L_m(q)
//
// Most of B is zero. Of each symmetry class the row with the most zeros is compiled
// (src/assembly/impls/local/classes.c): of tetrahedra of order 2 the function of a vertex has a gradient along one of
// the b, that of an edge along two. With g2 and g3 = a I that leaves 45 and 54 multiplications a point.
#pragma once

// Numbers of a point: its weight, L_m with m > 0, the coordinates' basis, the basis and its gradients. They are in
// constant memory: operands of instructions if the loop over points is unrolled, else one read for all threads of a
// warp.
#define PLEX_MODAL_SIZE        (PLEX_NM + PLEX_NV + PLEX_EF * (1 + PLEX_DIM))
#define PLEX_MODAL_WEIGHT(q)   plex_modal_points[(q) * PLEX_MODAL_SIZE]
#define PLEX_MODAL_POINT(q, m) plex_modal_points[(q) * PLEX_MODAL_SIZE + (m)] // m > 0
#define PLEX_MODAL_PLACE(q, v) plex_modal_points[(q) * PLEX_MODAL_SIZE + PLEX_NM + (v)]
#define PLEX_MODAL_VALUE(q, j) plex_modal_points[(q) * PLEX_MODAL_SIZE + PLEX_NM + PLEX_NV + (j)]
#define PLEX_MODAL_GRAD(q, j, b) \
  plex_modal_points[(q) * PLEX_MODAL_SIZE + PLEX_NM + PLEX_NV + PLEX_EF + (j) * PLEX_DIM + (b)]
#define PLEX_MODAL_BASIS(j, b, m) plex_modal_basis[((j) * PLEX_DIM + (b)) * PLEX_NM + (m)]

// Whether d phi_j / d xi_b is zero
PLEX_DEVICE constexpr bool plex_modal_zero(int j, int b)
{
  bool zero = true;

  _Pragma("unroll")
  for (int m = 0; m < PLEX_NM; ++m) zero = zero && PLEX_MODAL_BASIS(j, b, m) == 0;
  return zero;
}

// One test function at a point, and the results t and y of the form's functions
struct PlexModalTest {
  int       i;
  plex_real v, d[PLEX_DIM], h[PLEX_DIM]; // its value, its gradient in the reference cell and in space
  plex_real t, y[PLEX_DIM], a;           // y, or a where g3 is a multiple of the identity
  bool      some, along;                 // there is a y, an a
};

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalTest &test)
{
  test.t += s * test.v * g[0];
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g1(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalTest &test)
{
  test.some = true;
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) test.y[l] += s * test.v * g[l];
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool[], PlexModalTest &test)
{
  plex_real v = PLEX_NOTHING;

#if PLEX_MODAL_ISOTROPIC // h has no other use
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real along = PLEX_NOTHING;

    if (plex_modal_zero(test.i, b)) continue;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) along += g[k] * p.invJ[b * PLEX_DIM + k];
    v += test.d[b] * along;
  }
#else
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) v += g[k] * test.h[k];
#endif
  test.t += s * v;
}

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool[], PlexModalTest &test)
{
#if PLEX_MODAL_ISOTROPIC
  test.along = true;
  test.a += s * g[0];
#else
  test.some = true;
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) v += g[k * PLEX_DIM + l] * test.h[k];
    test.y[l] += s * v;
  }
#endif
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
      for (int j = 0; j < PLEX_EF; ++j)
        PLEX_ADD_PRODUCT(r[b], PLEX_MODAL_BASIS(j, b, m) == 0, PLEX_MODAL_BASIS(j, b, m), nodal.u[j]);
    }
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) {
      U[m * PLEX_DIM + l] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) U[m * PLEX_DIM + l] += r[b] * p.invJ[b * PLEX_DIM + l];
    }
  }
}

// Position and fields at a point
PLEX_DEVICE void plex_modal_fields(const PlexArgs &args, const PlexNodal &nodal, int q, const plex_real U[],
                                   PlexPoint &p)
{
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    p.x[l] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int v = 0; v < PLEX_NV; ++v) p.x[l] += PLEX_MODAL_PLACE(q, v) * nodal.x[v * PLEX_DIM + l];
  }
  plex_real u[2] = {PLEX_NOTHING, PLEX_NOTHING}; // two sums: each product waits for half of the others

  p.ut[0] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int n = 0; n < PLEX_EF; ++n) {
    u[n % 2] += PLEX_MODAL_VALUE(q, n) * nodal.u[n];
    if (args.u_t) p.ut[0] += PLEX_MODAL_VALUE(q, n) * nodal.ut[n];
  }
  p.u[0] = u[0] + u[1];
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    p.ux[l] = U[l];
    _Pragma("unroll")
    for (int m = 1; m < PLEX_NM; ++m) p.ux[l] += PLEX_MODAL_POINT(q, m) * U[m * PLEX_DIM + l];
  }
}

// Test function i at a point
PLEX_DEVICE void plex_modal_test(const PlexPoint &p, int i, int q, PlexModalTest &test)
{
  test.i    = i;
  test.v    = PLEX_MODAL_VALUE(q, i);
  test.some = test.along = false;
  test.t = test.a = PLEX_NOTHING;
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) test.d[b] = plex_modal_zero(i, b) ? (plex_real)0 : PLEX_MODAL_GRAD(q, i, b);
  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    test.h[l] = test.y[l] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b)
      PLEX_ADD_PRODUCT(test.h[l], plex_modal_zero(i, b), test.d[b], p.invJ[b * PLEX_DIM + l]);
  }
}

// Y_ml += y_l L_m, E_bm += a d_b L_m
PLEX_DEVICE void plex_modal_sum(const PlexModalTest &test, int q, plex_real Y[], plex_real E[])
{
  if (test.some) {
    _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m) _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) Y[m * PLEX_DIM + l] += m ? PLEX_MODAL_POINT(q, m) * test.y[l] : test.y[l];
  }
  if (test.along) {
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) {
      if (plex_modal_zero(test.i, b)) continue;
      const plex_real e = test.a * test.d[b];

      _Pragma("unroll")
      for (int m = 0; m < PLEX_NM; ++m) E[b * PLEX_NM + m] += m ? PLEX_MODAL_POINT(q, m) * e : e;
    }
  }
}

// N_bm of row i times |J|, for a b; `some`, `along`: there are Y, E
PLEX_DEVICE void plex_modal_finish(const PlexPoint &p, plex_real detJ, int i, int b, bool some, const plex_real Y[],
                                   bool along, const plex_real E[], plex_real N[])
{
  plex_real adj[PLEX_DIM];

  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) adj[l] = detJ * p.invJ[b * PLEX_DIM + l];
  _Pragma("unroll")
  for (int m = 0; m < PLEX_NM; ++m) {
    N[m] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM && some; ++l) N[m] += adj[l] * Y[m * PLEX_DIM + l];
  }
  _Pragma("unroll")
  for (int c = 0; c < PLEX_DIM; ++c) {
    plex_real G = PLEX_NOTHING;

    if (!along || plex_modal_zero(i, c)) continue;
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) G += adj[l] * p.invJ[c * PLEX_DIM + l];
    _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m) N[m] += G * E[c * PLEX_NM + m];
  }
}

// Row of node i, which the compiler knows, into row[PLEX_EF]
PLEX_DEVICE void plex_modal_row(const PlexArgs &args, const PlexNodal &nodal, int i, plex_real row[])
{
  PlexPoint   p;
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   U[PLEX_NM * PLEX_DIM], Y[PLEX_NM * PLEX_DIM], E[PLEX_NM * PLEX_DIM];
  bool        some = false, along = false;

  plex_geometry(args, nodal, 0, p); // J is the same at all points
  const plex_real detJ = p.volume * ((plex_real)1 / (1 << PLEX_DIM));

  plex_modal_gradient(nodal, p, U);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NM * PLEX_DIM; ++k) Y[k] = E[k] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) row[j] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  _Pragma("unroll 2")
  for (int q = 0; q < PLEX_NQ; ++q) {
    const plex_real s = PLEX_MODAL_WEIGHT(q);
    PlexModalTest   test;

    plex_modal_fields(args, nodal, q, U, p);
    plex_modal_test(p, i, q, test);
    PLEX_FORM(args, p, constants, s, test)
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF * PLEX_TRIAL_VALUE; ++j) row[j] += test.t * PLEX_MODAL_VALUE(q, j);
    plex_modal_sum(test, q, Y, E);
    some  = some || test.some;
    along = along || test.along;
  }
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF * PLEX_TRIAL_VALUE; ++j) row[j] *= detJ;
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real N[PLEX_NM];

    plex_modal_finish(p, detJ, i, b, some, Y, along, E, N);
    _Pragma("unroll")
    for (int j = 0; j < PLEX_EF; ++j) _Pragma("unroll")
    for (int m = 0; m < PLEX_NM; ++m)
      PLEX_ADD_PRODUCT(row[j], PLEX_MODAL_BASIS(j, b, m) == 0, PLEX_MODAL_BASIS(j, b, m), N[m]);
  }
}
