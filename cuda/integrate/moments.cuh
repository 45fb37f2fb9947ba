// All rows of an element matrix by quadrature, of a scalar field of order 2 on straight simplices, by one thread, where
// g3 is a multiple a of the identity and there are g2 = v and no g0 and g1. With lambda the barycentric coordinates,
// test and trial functions are
//
//   vertex i: lambda_i (2 lambda_i - 1), gradient (4 lambda_i - 1) grad lambda_i
//   edge (k, l): 4 lambda_k lambda_l, 4 (lambda_l grad lambda_k + lambda_k grad lambda_l)
//
// and as the lambda sum to one, sums over the points are moments alone:
//
//   R_k^lmn = sum_q |J| w_q (grad lambda_k . v) lambda_l lambda_m lambda_n
//   M_kl = sum_q |J| w_q a lambda_k lambda_l
//
// 60 and 10 of a tetrahedron (R_0 = - sum of the others). With Gamma_kl = grad lambda_k . grad lambda_l, R_k^lm = sum_n
// R_k^lmn and so on,
//
//   vertex i, vertex j             8 R_i^ijj - 4 R_i^ij - 2 R_i^jj + R_i^j     + Gamma_ij (16 M_ij - 4 M_i - 4 M_j + M)
//   vertex i, edge (m, n)          16 R_i^imn - 4 R_i^mn + 4 Gamma_im (4 M_in - M_n) + 4 Gamma_in (4 M_im - M_m)
//   edge (k, l), vertex j          8 (R_k^ljj + R_l^kjj) - 4 (R_k^lj + R_l^kj) + 4 Gamma_kj (4 M_jl - M_l) + 4 Gamma_lj
//                                  (4 M_jk - M_k)
//   edge (k, l), edge (m, n)       16 (R_k^lmn + R_l^kmn) + 16 (Gamma_km M_ln + Gamma_kn M_lm + Gamma_lm
//                                  M_kn + Gamma_ln M_km)
//
// These are about 2,400 multiplications with 14 points, where modal_element.cuh has 3,880. The loop over points is
// unrolled, with their numbers in constant memory.
#pragma once
#include "integrate/modal_element.cuh"

static_assert(!PLEX_TEST_VALUE && PLEX_TRIAL_GRAD && PLEX_NV == PLEX_DIM + 1 &&
                PLEX_EF == (PLEX_DIM + 1) * (PLEX_DIM + 2) / 2,
              "order 2 of simplices, derivatives of test functions");

#define PLEX_QUADRATICS (PLEX_NV * (PLEX_NV + 1) / 2)
#define PLEX_CUBICS     (PLEX_NV * (PLEX_NV + 1) * (PLEX_NV + 2) / 6)

// Numbers of the products of lambda
struct PlexMomentIndex {
  int two[PLEX_NV][PLEX_NV], three[PLEX_NV][PLEX_NV][PLEX_NV];
};
PLEX_DEVICE constexpr PlexMomentIndex plex_moment_index_of()
{
  PlexMomentIndex index = {};
  int             n     = 0;

  for (int k = 0; k < PLEX_NV; ++k)
    for (int l = k; l < PLEX_NV; ++l, ++n) index.two[k][l] = index.two[l][k] = n;
  n = 0;
  for (int k = 0; k < PLEX_NV; ++k)
    for (int l = k; l < PLEX_NV; ++l)
      for (int m = l; m < PLEX_NV; ++m, ++n)
        index.three[k][l][m] = index.three[k][m]
                                          [l] = index.three[l][k]
                                                           [m] = index.three[l][m]
                                                                            [k] = index.three[m][k]
                                                                                             [l] = index.three[m][l]
                                                                                                              [k] = n;
  return index;
}
static __device__ constexpr PlexMomentIndex plex_moment_index = plex_moment_index_of();

// Numbers of a point: its weight, the basis of the coordinates, products of lambda - in an order of vertices in which
// R[k - 1] belongs to number k -, the basis
#define PLEX_MOMENT_SIZE      (1 + PLEX_NV + PLEX_QUADRATICS + PLEX_CUBICS + PLEX_EF)
#define PLEX_MOMENT_AT(q, k)  plex_moment_numbers[plex_moment_number[(q) * PLEX_MOMENT_SIZE + (k)]]
#define PLEX_MOMENT_WEIGHT(q) PLEX_MOMENT_AT(q, 0)
#define PLEX_MOMENT_ONE(q, k) PLEX_MOMENT_AT(q, 1 + (k))
#define PLEX_MOMENT_TWO(q, k) PLEX_MOMENT_AT(q, 1 + PLEX_NV + (k))
#define PLEX_MOMENT_ALL(q, k) PLEX_MOMENT_AT(q, 1 + PLEX_NV + PLEX_QUADRATICS + (k)) // of three
#define PLEX_MOMENT_PHI(q, j) PLEX_MOMENT_AT(q, 1 + PLEX_NV + PLEX_QUADRATICS + PLEX_CUBICS + (j))

// Hides from the compiler that a number has not changed: it would keep all common subexpressions of rows in registers
PLEX_DEVICE void plex_keep_number(plex_real &number)
{
  plex_opaque(number);
}

// v + a b as one instruction: the compiler would share products among sums with the same number, at the cost of
// separate additions
PLEX_DEVICE plex_real plex_moments_add(plex_real v, plex_real a, plex_real b)
{
#if PLEX_PTX
  return fma(a, b, v);
#else
  return v + a * b;
#endif
}

// 16 R_k and 16 M_kl. R_0 is minus the sum of the others; it is computed before the rows of vertex 0
struct PlexMoments {
  plex_real R[PLEX_NV][PLEX_CUBICS], M[PLEX_QUADRATICS];
};

// Gamma, and M_k, M divided by 4 and 16
struct PlexMomentSums {
  plex_real Gamma[PLEX_QUADRATICS], one[PLEX_NV], all;
};

// first, last: the R_k that are still needed
PLEX_DEVICE void plex_moments_keep(int first, int last, PlexMoments &m, PlexMomentSums &sums)
{
  _Pragma("unroll")
  for (int k = first; k <= last; ++k) {
    _Pragma("unroll")
    for (int n = 0; n < PLEX_CUBICS; ++n) plex_keep_number(m.R[k][n]);
  }
  _Pragma("unroll")
  for (int n = 0; n < PLEX_QUADRATICS; ++n) {
    plex_keep_number(m.M[n]);
    plex_keep_number(sums.Gamma[n]);
  }
}

// Adds a point
PLEX_DEVICE void plex_moments_point(const PlexArgs &args, const PlexNodal &nodal, int q, PlexModalElement &e,
                                    PlexMoments &m)
{
  const plex_real s    = e.detJ * PLEX_MOMENT_WEIGHT(q);
  plex_real       u[2] = {PLEX_NOTHING, PLEX_NOTHING}; // two sums: each product waits for half of the others
  PlexModalPoint  at;

  _Pragma("unroll")
  for (int l = 0; l < PLEX_DIM; ++l) {
    e.p.x[l]  = PLEX_NOTHING;
    e.p.ux[l] = e.U[l];
    _Pragma("unroll")
    for (int v = 0; v < PLEX_NV; ++v) e.p.x[l] += PLEX_MOMENT_ONE(q, v) * nodal.x[v * PLEX_DIM + l];
    _Pragma("unroll")
    for (int k = 1; k < PLEX_NM; ++k) e.p.ux[l] += PLEX_MOMENT_ONE(q, k) * e.U[k * PLEX_DIM + l];
  }
  e.p.ut[0] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int n = 0; n < PLEX_EF; ++n) {
    u[n % 2] += PLEX_MOMENT_PHI(q, n) * nodal.u[n];
    if (args.u_t) e.p.ut[0] += PLEX_MOMENT_PHI(q, n) * nodal.ut[n];
  }
  e.p.u[0] = u[0] + u[1];
  at.c = at.a = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) at.v[k] = PLEX_NOTHING;
  PLEX_FORM(args, e.p, e.constants, s, at)
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM * PLEX_TRIAL_VALUE; ++k) {
    plex_real r = PLEX_NOTHING;

    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) r += e.p.invJ[k * PLEX_DIM + l] * at.v[l];
    r *= (plex_real)8; // 16 times a half, as the reference cell's edges are 2 long
    _Pragma("unroll")
    for (int n = 0; n < PLEX_CUBICS; ++n) m.R[k + 1][n] = plex_moments_add(m.R[k + 1][n], PLEX_MOMENT_ALL(q, n), r);
  }
  at.a *= (plex_real)16;
  _Pragma("unroll")
  for (int n = 0; n < PLEX_QUADRATICS; ++n) m.M[n] = plex_moments_add(m.M[n], PLEX_MOMENT_TWO(q, n), at.a);
}

// R_k^lmn, R_k^lm, M_kl, Gamma_kl
PLEX_DEVICE plex_real plex_moment_R(const PlexMoments &m, int k, int a, int b, int c)
{
  return m.R[k][plex_moment_index.three[a][b][c]];
}
PLEX_DEVICE plex_real plex_moment_R(const PlexMoments &m, int k, int a, int b)
{
  plex_real sum = PLEX_NOTHING;

  _Pragma("unroll")
  for (int c = 0; c < PLEX_NV; ++c) sum += plex_moment_R(m, k, a, b, c);
  return sum;
}
PLEX_DEVICE plex_real plex_moment_M(const PlexMoments &m, int k, int l)
{
  return m.M[plex_moment_index.two[k][l]];
}
PLEX_DEVICE plex_real plex_moment_Gamma(const PlexMomentSums &s, int k, int l)
{
  return s.Gamma[plex_moment_index.two[k][l]];
}

// Row i of a vertex k
PLEX_DEVICE void plex_moments_vertex(const PlexMoments &m, const PlexMomentSums &s, int k, plex_real row[])
{
  plex_real two[PLEX_QUADRATICS] = {}; // R_k^ab

  if (PLEX_TRIAL_VALUE) {
    _Pragma("unroll")
    for (int a = 0; a < PLEX_NV; ++a) _Pragma("unroll")
    for (int b = a; b < PLEX_NV; ++b) two[plex_moment_index.two[a][b]] = plex_moment_R(m, k, a, b);
  }
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    const int a = plex_moment_ends[2 * j], b = plex_moment_ends[2 * j + 1];
    plex_real v = PLEX_NOTHING;

    if (a == b) {
      if (PLEX_TRIAL_VALUE) {
        plex_real one = PLEX_NOTHING;

        _Pragma("unroll")
        for (int c = 0; c < PLEX_NV; ++c) one += two[plex_moment_index.two[a][c]];
        v = (plex_real)0.5 * plex_moment_R(m, k, k, a, a) - (plex_real)0.25 * two[plex_moment_index.two[k][a]] -
            (plex_real)0.125 * two[plex_moment_index.two[a][a]] + (plex_real)0.0625 * one;
      }
      v += plex_moment_Gamma(s, k, a) * (plex_moment_M(m, k, a) - s.one[k] - s.one[a] + s.all);
    } else {
      if (PLEX_TRIAL_VALUE) v = plex_moment_R(m, k, k, a, b) - (plex_real)0.25 * two[plex_moment_index.two[a][b]];
      v += plex_moment_Gamma(s, k, a) * (plex_moment_M(m, k, b) - s.one[b]) +
           plex_moment_Gamma(s, k, b) * (plex_moment_M(m, k, a) - s.one[a]);
    }
    row[j] = v;
  }
}

// Row i of the edge between the vertices k and l
PLEX_DEVICE void plex_moments_edge(const PlexMoments &m, const PlexMomentSums &s, int k, int l, plex_real row[])
{
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    const int a = plex_moment_ends[2 * j], b = plex_moment_ends[2 * j + 1];
    plex_real v = PLEX_NOTHING;

    if (a == b) {
      if (PLEX_TRIAL_VALUE) { // 1/4 (R_k^laa - R_k^lac of all others c)
        v = plex_moment_R(m, k, l, a, a) + plex_moment_R(m, l, k, a, a);
        _Pragma("unroll")
        for (int c = 0; c < PLEX_NV; ++c)
          if (c != a) v -= plex_moment_R(m, k, l, a, c) + plex_moment_R(m, l, k, a, c);
        v *= (plex_real)0.25;
      }
      v += plex_moment_Gamma(s, k, a) * (plex_moment_M(m, a, l) - s.one[l]) +
           plex_moment_Gamma(s, l, a) * (plex_moment_M(m, a, k) - s.one[k]);
    } else {
      if (PLEX_TRIAL_VALUE) v = plex_moment_R(m, k, l, a, b) + plex_moment_R(m, l, k, a, b);
      v += plex_moment_Gamma(s, k, a) * plex_moment_M(m, l, b) + plex_moment_Gamma(s, k, b) * plex_moment_M(m, l, a) +
           plex_moment_Gamma(s, l, a) * plex_moment_M(m, k, b) + plex_moment_Gamma(s, l, b) * plex_moment_M(m, k, a);
    }
    row[j] = v;
  }
}

// After all points
PLEX_DEVICE void plex_moments_sum(const PlexModalElement &e, const PlexMoments &m, PlexMomentSums &s)
{
  plex_real gradient[PLEX_NV][PLEX_DIM];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) {
    gradient[0][d] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int k = 1; k < PLEX_NV; ++k) {
      gradient[k][d] = (plex_real)0.5 * e.p.invJ[(k - 1) * PLEX_DIM + d];
      gradient[0][d] -= gradient[k][d];
    }
  }
  s.all = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NV; ++k) {
    s.one[k] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int l = 0; l < PLEX_NV; ++l) s.one[k] += (plex_real)0.25 * plex_moment_M(m, k, l);
    s.all += (plex_real)0.25 * s.one[k];
    _Pragma("unroll")
    for (int l = k; l < PLEX_NV; ++l) {
      plex_real product = PLEX_NOTHING;

      _Pragma("unroll")
      for (int d = 0; d < PLEX_DIM; ++d) product += gradient[k][d] * gradient[l][d];
      s.Gamma[plex_moment_index.two[k][l]] = product;
    }
  }
}

// Rows in the order in which they are computed: those of vertex 0 come last, where R_0 is made, and of these that of
// edge (0, l) before those of edges with lower l, so that R_l is no longer needed
struct PlexMomentOrder {
  int row[PLEX_EF], first; // first: of those of vertex 0
};
PLEX_DEVICE constexpr PlexMomentOrder plex_moment_order_of()
{
  PlexMomentOrder order = {};
  int             n     = 0;

  for (int i = 0; i < PLEX_EF; ++i)
    if (plex_moment_ends[2 * i] > 0) order.row[n++] = i;
  order.first = n;
  for (int l = PLEX_DIM; l >= 0; --l)
    for (int i = 0; i < PLEX_EF; ++i)
      if (plex_moment_ends[2 * i] == 0 && plex_moment_ends[2 * i + 1] == l) order.row[n++] = i;
  return order;
}
static __device__ constexpr PlexMomentOrder plex_moment_order = plex_moment_order_of();

// Calls take(i, row) with each row
template <class Take>
PLEX_DEVICE void plex_moments_element(const PlexArgs &args, const PlexNodal &nodal, Take take)
{
  PlexModalElement e;
  PlexMoments      m;
  PlexMomentSums   sums;

  plex_modal_begin(args, nodal, e);
  _Pragma("unroll")
  for (int n = 0; n < PLEX_QUADRATICS; ++n) m.M[n] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 1; k < PLEX_NV; ++k) {
    _Pragma("unroll")
    for (int n = 0; n < PLEX_CUBICS; ++n) m.R[k][n] = PLEX_NOTHING;
  }
  _Pragma("unroll")
  for (int q = 0; q < PLEX_NQ; ++q) plex_moments_point(args, nodal, q, e, m);
  plex_moments_sum(e, m, sums);
  _Pragma("unroll")
  for (int n = 0; n < PLEX_EF; ++n) {
    const int i = plex_moment_order.row[n], k = plex_moment_ends[2 * i], l = plex_moment_ends[2 * i + 1];
    plex_real row[PLEX_EF];

    _Pragma("unroll")
    for (int c = 0; c < PLEX_CUBICS && n == plex_moment_order.first; ++c) {
      m.R[0][c] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int v = 1; v < PLEX_NV; ++v) m.R[0][c] -= m.R[v][c];
    }
    plex_moments_keep(k > 0 ? 1 : 0, k > 0 ? PLEX_DIM : l, m, sums);
    if (k == l) plex_moments_vertex(m, sums, k, row);
    else plex_moments_edge(m, sums, k, l, row);
    take(i, row);
  }
}
