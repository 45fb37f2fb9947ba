// Element data by quadrature of PetscDS pointwise functions.
//
// With phi_0 the basis value and phi_1..phi_dim its reference gradient, an element matrix is
//
//   A^e_ij = sum_q sum_ab phi_a(i,q) D_q[a,c][b,d] phi_b(j,q)     i = (node n, component c), j = (node m, component d)
//
// where D_q gathers the g0..g3 of point q, pulled back to the reference cell and weighted:
//
//   D_q = w_q |J| ( g0          g1 J^-T      )
//                 ( J^-1 g2     J^-1 g3 J^-T )
//
// and likewise F^e_i = sum_q sum_a phi_a(i,q) V_q[a,c], V_q = w_q |J| (f0, J^-1 f1). Two steps, each shared out among
// the team: the points (D_q or V_q), then rows of entries, by way of t_q = sum_a phi_a(i,q) D_q[a,c] for a batch of
// rows. Only the parts of D and V that the form has are stored: PLEX_TEST_*, PLEX_TRIAL_*.
#pragma once

#include "integrate/normals.h"

#ifndef PLEX_VECTOR // fields whose basis functions are vectors
  #define PLEX_VECTOR     0
  #define PLEX_SIGN_WORDS 0
#endif

#ifndef PLEX_ACTION // PlexAction of plexgpu/private/meshimpl.h: 1 and 2 are action.cuh's, 3 is diagonal.cuh's
  #define PLEX_ACTION 0
#endif
#define PLEX_APPLIED (PLEX_ACTION == 1 || PLEX_ACTION == 2)
#define PLEX_PAIRS   (PLEX_JACOBIAN || PLEX_ACTION == 3) // D_q, of pairs of test and trial functions

#define PLEX_KT (PLEX_TEST_VALUE + PLEX_DIM * PLEX_TEST_GRAD)   // jet entries of a test component
#define PLEX_KU (PLEX_TRIAL_VALUE + PLEX_DIM * PLEX_TRIAL_GRAD) // jet entries of a trial component
#define PLEX_JT (PLEX_NC * PLEX_KT)
#define PLEX_JU (PLEX_NC * PLEX_KU)

#if PLEX_PAIRS
  #define PLEX_POINT_SIZE (PLEX_JT * PLEX_JU)
#else
  #define PLEX_POINT_SIZE PLEX_JT
#endif

// Basis tables, entry a of 1 + dim (value, reference gradient) of node n at point q. A field's come twice:
// [1 + dim][Nn][Nq], for threads that each take a point, and [Nq][1 + dim][Nn], for threads that each take a node, and of a
// vector space so for each component (vector.cuh). Then
// the coordinates', the first way, then the weights. Of facets, Nq counts the points of all local faces: PLEX_NQ_ALL,
// and point q of an element is PLEX_Q(nodal, q).
#define PLEX_NQ_ALL (PLEX_FACES * PLEX_NQ)
#if PLEX_FACETS
  #define PLEX_Q(nodal, q) ((nodal).face * PLEX_NQ + (q))
#else
  #define PLEX_Q(nodal, q) (q)
#endif
#if PLEX_TABLES_COMPILED
  #define PLEX_TABLE(args, k) plex_tables[k]
#else
  #define PLEX_TABLE(args, k) (((const plex_real *)(args).tables)[k])
#endif
// A number of the tables is zero, where that can be known when a loop over them is unrolled
#if PLEX_TABLES_COMPILED && PLEX_UNROLLED
  #define PLEX_KNOWN_ZERO(number) ((number) == 0)
#else
  #define PLEX_KNOWN_ZERO(number) false
#endif
#define PLEX_BASIS_AT_POINT(args, f, q, n, a) \
  PLEX_TABLE(args, plex_field_table(f) + ((a) * plex_field_nodes(f) + (n)) * PLEX_NQ_ALL + (q))
#define PLEX_BASIS_OF_NODE(args, f, q, n, a) \
  PLEX_TABLE(args, plex_field_table(f) + ((1 + PLEX_DIM) * (PLEX_NQ_ALL + (q)) + (a)) * plex_field_nodes(f) + (n))
#define PLEX_COORDINATE(args, q, n, a) PLEX_TABLE(args, PLEX_TABLE_COORDINATES + ((a) * PLEX_NV + (n)) * PLEX_NQ + (q))
#define PLEX_WEIGHT(args, q)           PLEX_TABLE(args, PLEX_TABLE_WEIGHTS + (q))

// What sums begin with that are not stored: v + -0 is v for each v, which the compiler knows, and v + 0 is not
#define PLEX_NOTHING ((plex_real) - 0.0)

// v += a b, but where `zero` is known to the compiler and says that there is nothing to add: by the rules of floating
// point it would not leave out a product with zero itself
#define PLEX_ADD_PRODUCT(v, zero, a, b) \
  do { \
    if (!(zero)) (v) += (a) * (b); \
  } while (0)

// Dofs from a node of field f to the next
#if PLEX_VECTOR
  #define PLEX_STRIDE(f) (plex_field_space(f) ? 1 : plex_field_components(f))
#else
  #define PLEX_STRIDE(f) plex_field_components(f)
#endif

// Element dof i is node n, component c of field f; of a vector space c is 0
PLEX_DEVICE void plex_dof(int i, int &f, int &n, int &c)
{
  f = 0;
#if PLEX_NF > 1
  _Pragma("unroll")
  for (int k = 1; k < PLEX_NF; ++k)
    if (i >= plex_field_offset(k)) f = k;
#endif
  n = (i - plex_field_offset(f)) / PLEX_STRIDE(f);
  c = (i - plex_field_offset(f)) % PLEX_STRIDE(f);
}

// phi_a(i,q) as the test (or trial) side of D stores it: entry a of the jet.
PLEX_DEVICE plex_real plex_test(const PlexArgs &args, int f, int q, int n, int a)
{
  return PLEX_BASIS_OF_NODE(args, f, q, n, a + 1 - PLEX_TEST_VALUE);
}
PLEX_DEVICE plex_real plex_trial(const PlexArgs &args, int f, int q, int n, int a)
{
  return PLEX_BASIS_OF_NODE(args, f, q, n, a + 1 - PLEX_TRIAL_VALUE);
}

// Nodal data of one element
struct PlexNodal {
#if PLEX_FACETS
  int element, face; // a facet, and its number in its cell
#else
  plex_real x[PLEX_NV * PLEX_DIM]; // coordinates
#endif
#if PLEX_VECTOR
  unsigned signs[PLEX_SIGN_WORDS]; // bit i: the element has the negative of dof i
#endif
#if PLEX_REFLECTED
  bool reflected; // the vertices come in an order in which |J| has the other sign
#endif
  plex_real u[PLEX_EF + PLEX_EA]; // coefficients of the solution, of the auxiliary fields
  plex_real ut[PLEX_EF];          // of the solution's time derivative, where args.u_t is given
#if PLEX_APPLIED
  plex_real v[PLEX_EF]; // of what the Jacobian is applied to
#endif
};

#define PLEX_SOLUTION        (!PLEX_TENSOR)                          // the functions depend on the solution
#define PLEX_ELEMENT_NUMBERS (PLEX_FACETS || PLEX_EA || PLEX_VECTOR) // a strategy says which element it loads

// What belongs to an element by its number. Part of each way to load nodal data, which ends with the team in step.
PLEX_DEVICE void plex_load_numbered(const PlexArgs &args, PlexNodal &nodal, plex_index element)
{
#if PLEX_FACETS
  nodal.element = (int)element;
  nodal.face    = PLEX_COHESIVE ? 0 : args.face[PLEX_VECTOR ? element * (1 + PLEX_SIGN_WORDS) : element];
#endif
#if PLEX_VECTOR
  for (int k = 0; k < PLEX_SIGN_WORDS; ++k)
    nodal.signs[k] = (unsigned)args.face[element * (1 + PLEX_SIGN_WORDS) + 1 + k];
#endif
#if PLEX_EA
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_EA; k += PLEX_TEAM)
    nodal.u[PLEX_EF + k] = (plex_real)args.aux[args.auxDofs[element * PLEX_EA + k]];
#endif
}

// s J^-1 in terms of the J^-1 that a PlexPoint holds: tensors and lines have no use for it but in products, which are
// multiplied by its factor
#if PLEX_TENSOR || defined(PLEX_LINES_N)
  #define PLEX_INVERSE(p, s) ((s) * (p).scale)
#else
  #define PLEX_INVERSE(p, s) (s)
#endif

// What a team works in: registers (or local memory) of a thread, or shared memory.
struct PlexWork {
  PlexNodal nodal;
  plex_real point[PLEX_NQ * PLEX_POINT_SIZE]; // D_q or V_q
#if PLEX_JACOBIAN && !PLEX_TENSOR
  plex_real t[PLEX_ROWS * PLEX_NQ * PLEX_JU]; // t_q of a batch of rows
#endif
};

#if PLEX_TEAM > 1
static_assert(sizeof(PlexWork) <= PLEX_WORK, "the library reserves less shared memory than a team works in");
  // Team k's work area, from the start of dynamic shared memory
  #define PLEX_TEAM_WORK(work) \
    PLEX_DYNAMIC_SHARED(char, plex_work_base); \
    PlexWork &work = *(PlexWork *)(plex_work_base + (size_t)PLEX_TEAM_INDEX * PLEX_WORK)
#else
  #define PLEX_TEAM_WORK(work) PlexWork work
#endif

// Fields, geometry and position at one quadrature point
struct PlexPoint {
  PetscReal x[PLEX_DIM];
  /* d xi_a / d x_b, of tensors and lines without its factor */
  PetscScalar u[PLEX_NC + PLEX_NC_AUX], ut[PLEX_NC], ux[(PLEX_NC + PLEX_NC_AUX) * PLEX_DIM]; // auxiliary fields last
  plex_real   invJ[PLEX_DIM * PLEX_DIM];
  /* detJ times the quadrature weight, detJ 2^dim */
  plex_real scale; // 1 / detJ
  plex_real weight, volume;
#if PLEX_FACETS
  PetscReal n[PLEX_DIM];
  plex_real testInvJ[PLEX_DIM * PLEX_DIM]; // for the gradients of a residual's test functions
#endif
};
#if PLEX_FACETS
  #define PLEX_TEST_INVJ(p) (p).testInvJ
#else
  #define PLEX_TEST_INVJ(p) (p).invJ
#endif

// |J| J^-1, and |J|
PLEX_DEVICE void plex_adjugate(const plex_real J[], plex_real adj[], plex_real &det)
{
#if PLEX_DIM == 1
  det    = J[0];
  adj[0] = 1;
#elif PLEX_DIM == 2
  det    = J[0] * J[3] - J[1] * J[2];
  adj[0] = J[3];
  adj[1] = -J[1];
  adj[2] = -J[2];
  adj[3] = J[0];
#else
  adj[0] = J[4] * J[8] - J[5] * J[7];
  adj[1] = J[2] * J[7] - J[1] * J[8];
  adj[2] = J[1] * J[5] - J[2] * J[4];
  adj[3] = J[5] * J[6] - J[3] * J[8];
  adj[4] = J[0] * J[8] - J[2] * J[6];
  adj[5] = J[2] * J[3] - J[0] * J[5];
  adj[6] = J[3] * J[7] - J[4] * J[6];
  adj[7] = J[1] * J[6] - J[0] * J[7];
  adj[8] = J[0] * J[4] - J[1] * J[3];
  det    = J[0] * adj[0] + J[1] * adj[3] + J[2] * adj[6];
#endif
}

// 1 / x of no subnormal number, to a unit in the last place: the 20 bits that the processor has, and a step that
// triples them. No branch as in a division, which otherwise is taken out of loops over points of affine elements, as
// this is not: where there is one point, or all are of one thread
PLEX_DEVICE plex_real plex_reciprocal(plex_real x)
{
#if PLEX_PTX && !PLEX_SINGLE && (PLEX_TENSOR || PLEX_LINES_MATRIX || (defined(PLEX_LINES_N) && !PLEX_JACOBIAN))
  const double r = plex_rcp_approximate(x), e = fma(-x, r, 1.0);

  return fma(fma(e, e, e), r, r);
#else
  return (plex_real)1 / x;
#endif
}

#if PLEX_FACETS

// Where the host has put PETSc's geometry of the facet; of cohesive cells behind the tables of cohesive.cuh
PLEX_DEVICE const double *plex_facet(const PlexArgs &args, const PlexNodal &nodal, int q)
{
  const plex_index at = (plex_index)nodal.element * PLEX_NQ + q;

  #if PLEX_COHESIVE
  return args.facet + PLEX_EVALUATION_TABLES + at * (2 * PLEX_DIM + 2 + 3 * PLEX_DIM * PLEX_DIM);
  #else
  return args.facet + at * (2 * PLEX_DIM + 2 + 2 * PLEX_DIM * PLEX_DIM);
  #endif
}

PLEX_DEVICE void plex_geometry(const PlexArgs &args, const PlexNodal &nodal, int q, PlexPoint &p)
{
  const double *record = plex_facet(args, nodal, q);

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) {
    p.x[d] = (PetscReal)record[d];
    p.n[d] = (PetscReal)record[PLEX_DIM + d];
  }
  p.weight = (plex_real)record[2 * PLEX_DIM];
  p.volume = (plex_real)record[2 * PLEX_DIM + 1];
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) {
    p.invJ[d]     = (plex_real)record[2 * PLEX_DIM + 2 + d];
    p.testInvJ[d] = (plex_real)record[2 * PLEX_DIM + 2 + PLEX_DIM * PLEX_DIM + d];
  }
}

#else

  // Coordinates that are loaded may be a fraction of the real ones: 2 where they are halved, so that the gradients of a
  // simplex, 1/2 and -1/2, are no factors
  #ifndef PLEX_COORDINATE_FACTOR
    #define PLEX_COORDINATE_FACTOR 1
  #endif

// J = sum_n x_n (x) grad psi_n
PLEX_DEVICE void plex_geometry(const PlexArgs &args, const PlexNodal &nodal, int q, PlexPoint &p)
{
  plex_real J[PLEX_DIM * PLEX_DIM], detJ;

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) p.x[d] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) J[d] = PLEX_NOTHING;
  PLEX_UNROLL
  for (int n = 0; n < PLEX_NV; ++n) {
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) {
      const plex_real x = nodal.x[n * PLEX_DIM + d];

      PLEX_ADD_PRODUCT(p.x[d], PLEX_KNOWN_ZERO(PLEX_COORDINATE(args, q, n, 0)),
                       PLEX_COORDINATE_FACTOR * PLEX_COORDINATE(args, q, n, 0), x);
      // in an affine element the gradients are the same at all points: taken at the first, J is computed once
      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a)
        PLEX_ADD_PRODUCT(J[d * PLEX_DIM + a], PLEX_KNOWN_ZERO(PLEX_COORDINATE(args, PLEX_AFFINE ? 0 : q, n, 1 + a)),
                         PLEX_COORDINATE_FACTOR * PLEX_COORDINATE(args, PLEX_AFFINE ? 0 : q, n, 1 + a), x);
    }
  }
  #if PLEX_CELL_DIM < PLEX_DIM
  plex_complete_jacobian(PLEX_DIM, PLEX_CELL_DIM, J);
  #endif
  plex_adjugate(J, p.invJ, detJ);
  p.scale = plex_reciprocal(detJ);
  #if !PLEX_TENSOR
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) p.invJ[d] *= p.scale;
  #endif
  p.weight = detJ * PLEX_WEIGHT(args, q);
  p.volume = detJ * (1 << PLEX_CELL_DIM);
  #if PLEX_REFLECTED
  if (nodal.reflected) p.weight = -p.weight;
  #endif
}

#endif

#if PLEX_VECTOR
  #include "integrate/vector.cuh"
#endif
#if PLEX_COHESIVE
  #include "integrate/cohesive.cuh"
#else

// u = sum_n u_n phi_n; grad u = J^-T sum_n u_n grad phi_n, and likewise the auxiliary fields
PLEX_DEVICE void plex_point(const PlexArgs &args, const PlexNodal &nodal, int q, PlexPoint &p)
{
  plex_geometry(args, nodal, q, p);
  _Pragma("unroll")
  for (int f = 0; f < PLEX_NF + PLEX_NF_AUX; ++f) {
  #if PLEX_VECTOR
    if (plex_field_space(f)) {
      plex_vector_jets(args, nodal, q, f, p);
      continue;
    }
  #endif
    _Pragma("unroll")
    for (int c = 0; c < plex_field_components(f); ++c) {
      const int k = plex_field_component(f) + c;
      plex_real u = 0, ut = 0, ur[PLEX_DIM];

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) ur[a] = 0;
      PLEX_UNROLL
      for (int n = 0; n < plex_field_nodes(f) && (PLEX_SOLUTION || f >= PLEX_NF); ++n) {
        const int       i  = plex_field_offset(f) + n * plex_field_components(f) + c;
        const plex_real un = nodal.u[i];

        u += PLEX_BASIS_AT_POINT(args, f, PLEX_Q(nodal, q), n, 0) * un;
        if (f < PLEX_NF && args.u_t) ut += PLEX_BASIS_AT_POINT(args, f, PLEX_Q(nodal, q), n, 0) * nodal.ut[i];
        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) ur[a] += PLEX_BASIS_AT_POINT(args, f, PLEX_Q(nodal, q), n, 1 + a) * un;
      }
      p.u[k] = u;
      if (f < PLEX_NF) p.ut[k] = ut;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) {
        plex_real s = 0;

        _Pragma("unroll")
        for (int a = 0; a < PLEX_DIM; ++a) s += p.invJ[a * PLEX_DIM + b] * ur[a];
        p.ux[k * PLEX_DIM + b] = PLEX_INVERSE(p, s);
      }
    }
  }
}

#endif

#if PLEX_APPLIED
  #include "integrate/action.cuh"
#elif PLEX_PAIRS

// Entries of g3 that are zero, in each element and whatever the solution: all of a pair of components, all of a column
PLEX_DEVICE constexpr bool plex_zero_column(const bool zero[], int l)
{
  bool all = true;

  for (int k = 0; k < PLEX_DIM; ++k) all = all && zero[k * PLEX_DIM + l];
  return all;
}
PLEX_DEVICE constexpr bool plex_zero_all(const bool zero[])
{
  bool all = true;

  for (int l = 0; l < PLEX_DIM; ++l) all = all && plex_zero_column(zero, l);
  return all;
}

// The four pull-backs, for test field I (components cI from kI) and trial field J: D += s (g0 | g1 J^-T | J^-1
// g2 | J^-1 g3 J^-T)
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool zero[], plex_real D[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d)
    PLEX_ADD_PRODUCT(D[((kI + c) * PLEX_KT) * PLEX_JU + (kJ + d) * PLEX_KU], zero[c * cJ + d], s, g[c * cJ + d]);
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g1(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool zero[], plex_real D[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")

    for (int k = 0; k < PLEX_DIM; ++k)
      PLEX_ADD_PRODUCT(v, zero[(c * cJ + d) * PLEX_DIM + k], g[(c * cJ + d) * PLEX_DIM + k], p.invJ[b * PLEX_DIM + k]);
    D[((kI + c) * PLEX_KT) * PLEX_JU + (kJ + d) * PLEX_KU + PLEX_TRIAL_VALUE + b] += PLEX_INVERSE(p, s) * v;
  }
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool zero[], plex_real D[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")

    for (int k = 0; k < PLEX_DIM; ++k)
      PLEX_ADD_PRODUCT(v, zero[(c * cJ + d) * PLEX_DIM + k], g[(c * cJ + d) * PLEX_DIM + k], p.invJ[a * PLEX_DIM + k]);
    D[((kI + c) * PLEX_KT + PLEX_TEST_VALUE + a) * PLEX_JU + (kJ + d) * PLEX_KU] += PLEX_INVERSE(p, s) * v;
  }
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool zero[], plex_real D[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) {
    const PetscScalar *G     = &g[(c * cJ + d) * PLEX_DIM * PLEX_DIM];
    const bool        *zeros = &zero[(c * cJ + d) * PLEX_DIM * PLEX_DIM];

    if (plex_zero_all(zeros)) continue;

    _Pragma("unroll")

    for (int a = 0; a < PLEX_DIM; ++a) {
      plex_real h[PLEX_DIM]; // row a of J^-1 G

      _Pragma("unroll")

      for (int l = 0; l < PLEX_DIM; ++l) {
        h[l] = PLEX_NOTHING;
        _Pragma("unroll")
        for (int k = 0; k < PLEX_DIM; ++k)
          PLEX_ADD_PRODUCT(h[l], zeros[k * PLEX_DIM + l], G[k * PLEX_DIM + l], p.invJ[a * PLEX_DIM + k]);
      }
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) {
        plex_real v = PLEX_NOTHING;

        _Pragma("unroll")

        for (int l = 0; l < PLEX_DIM; ++l)
          PLEX_ADD_PRODUCT(v, plex_zero_column(zeros, l), h[l], p.invJ[b * PLEX_DIM + l]);
        D[((kI + c) * PLEX_KT + PLEX_TEST_VALUE + a) * PLEX_JU + (kJ + d) * PLEX_KU + PLEX_TRIAL_VALUE +
          b] += PLEX_INVERSE(p, PLEX_INVERSE(p, s)) * v;
      }
    }
  }
}

  #if !PLEX_TENSOR
// The same for one test function alone, without D: its value v and gradient h = J^-T grad phi meet the functions'
// numbers first, which leaves a vector for each of them to be pulled back: t += s (v g0 + h . g2 | J^-1 (v g1 + h .
// g3)). For a scalar field in three dimensions 27 multiplications of g3 in the place of 63, 54 of them for D and 9 for
// its row.
struct PlexTestFunction {
  int       component; // among those of all fields
  plex_real v, h[PLEX_DIM];
  plex_real t[PLEX_JU];
};

// Row of g that component k of a test field with components kI .. kI + cI - 1 has, -1: it is of another field
template <int cI, int kI>
PLEX_DEVICE int plex_test_row(const PlexTestFunction &test)
{
  return test.component >= kI && test.component < kI + cI ? test.component - kI : -1;
}

PLEX_DEVICE void plex_pull_back(const PlexPoint &p, plex_real s, const plex_real y[], plex_real t[])
{
  _Pragma("unroll")
  for (int b = 0; b < PLEX_DIM; ++b) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) v += y[l] * p.invJ[b * PLEX_DIM + l];
    t[b] += s * v;
  }
}

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g0(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexTestFunction &test)
{
  const int c = plex_test_row<cI, kI>(test);

  if (c < 0) return;
  _Pragma("unroll")
  for (int d = 0; d < cJ; ++d)
    PLEX_ADD_PRODUCT(test.t[(kJ + d) * PLEX_KU], zero[c * cJ + d], s * test.v, g[c * cJ + d]);
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g1(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool[],
                             PlexTestFunction &test)
{
  const int c = plex_test_row<cI, kI>(test);

  if (c < 0) return;
  _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) {
    plex_real y[PLEX_DIM];

    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) y[l] = (plex_real)g[(c * cJ + d) * PLEX_DIM + l];
    plex_pull_back(p, s * test.v, y, &test.t[(kJ + d) * PLEX_KU + PLEX_TRIAL_VALUE]);
  }
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g2(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexTestFunction &test)
{
  const int c = plex_test_row<cI, kI>(test);

  if (c < 0) return;
  _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k)
      PLEX_ADD_PRODUCT(v, zero[(c * cJ + d) * PLEX_DIM + k], g[(c * cJ + d) * PLEX_DIM + k], test.h[k]);
    test.t[(kJ + d) * PLEX_KU] += s * v;
  }
}
template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &p, plex_real s, const PetscScalar g[], const bool zero[],
                             PlexTestFunction &test)
{
  const int c = plex_test_row<cI, kI>(test);

  if (c < 0) return;
  _Pragma("unroll")
  for (int d = 0; d < cJ; ++d) {
    const int at = (c * cJ + d) * PLEX_DIM * PLEX_DIM;
    plex_real y[PLEX_DIM];

    if (plex_zero_all(&zero[at])) continue;
    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) {
      y[l] = PLEX_NOTHING;
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DIM; ++k)
        PLEX_ADD_PRODUCT(y[l], zero[at + k * PLEX_DIM + l], g[at + k * PLEX_DIM + l], test.h[k]);
    }
    plex_pull_back(p, s, y, &test.t[(kJ + d) * PLEX_KU + PLEX_TRIAL_VALUE]);
  }
}

  #endif

#else

template <int cI, int kI>
PLEX_DEVICE void plex_add_f0(const PlexPoint &p, plex_real s, const PetscScalar f[], plex_real V[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) V[(kI + c) * PLEX_KT] += s * f[c];
}
template <int cI, int kI>
PLEX_DEVICE void plex_add_f1(const PlexPoint &p, plex_real s, const PetscScalar f[], plex_real V[])
{
  _Pragma("unroll")
  for (int c = 0; c < cI; ++c) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) {
    plex_real v = 0;

    _Pragma("unroll")

    for (int k = 0; k < PLEX_DIM; ++k) v += PLEX_TEST_INVJ(p)[a * PLEX_DIM + k] * f[c * PLEX_DIM + k];
    V[(kI + c) * PLEX_KT + PLEX_TEST_VALUE + a] += s * v;
  }
}

#endif

// The arguments of a pointwise function, in PETSc's order, up to and with t; a_t is NULL as in PETSc's own integration.
#if PLEX_NF_AUX
  #define PLEX_AUX(array, n) ((array) + (n))
#else
  #define PLEX_AUX(array, n) NULL
#endif
#define PLEX_POINT_ARGS(args, p) \
  PLEX_DIM, PLEX_NF_CALLED, PLEX_NF_AUX, plex_uOff, plex_uOff_x, (p).u, (args).u_t ? (p).ut : NULL, (p).ux, plex_aOff, \
    plex_aOff_x, PLEX_AUX((p).u, PLEX_NC), NULL, PLEX_AUX((p).ux, PLEX_NC * PLEX_DIM), (PetscReal)(args).t

#if PLEX_DUMMY
  #include "integrate/dummy.cuh"
#else

// D_q or V_q of one point, into out[PLEX_POINT_SIZE]. PLEX_FORM(args, p, k, s, out) is the generated list of the form's
// functions: for each key a zeroed buffer, the calls, and its plex_add_*.
PLEX_DEVICE void plex_point_data(const PlexArgs &args, const PlexNodal &nodal, int q, plex_real out[])
{
  PlexPoint   p;
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   s;

  plex_point(args, nodal, q, p);
  s = p.weight;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  #if PLEX_APPLIED
  PlexDirection direction;

  plex_direction(args, nodal, q, p, direction);
  PlexActionSum sum{direction, {}};

  PLEX_FORM(args, p, constants, s, sum)
  plex_action_end(p, sum, out);
  #else
  _Pragma("unroll")
  for (int k = 0; k < PLEX_POINT_SIZE; ++k) out[k] = PLEX_NOTHING;
  PLEX_FORM(args, p, constants, s, out)
  #endif
  #if PLEX_VECTOR
  plex_vector_pull_back(p, out);
  #endif
}

  #if PLEX_JACOBIAN && !PLEX_TENSOR && !PLEX_VECTOR
// t_q of one row, dof (f, n, c), into t[PLEX_JU], where a thread needs no other row of the element
PLEX_DEVICE void plex_point_row(const PlexArgs &args, const PlexNodal &nodal, int q, int f, int n, int c, plex_real t[])
{
  PlexPoint        p;
  PlexTestFunction test;
  PetscScalar      constants[PLEX_NCONSTANTS + 3];
  plex_real        s;

  plex_point(args, nodal, q, p);
  s              = p.weight;
  test.component = plex_field_component(f) + c;
  test.v         = PLEX_TEST_VALUE ? plex_test(args, f, PLEX_Q(nodal, q), n, 0) : 0;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM; ++k) {
    test.h[k] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM * PLEX_TEST_GRAD; ++a)
      test.h[k] += plex_test(args, f, PLEX_Q(nodal, q), n, PLEX_TEST_VALUE + a) * p.invJ[a * PLEX_DIM + k];
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_JU; ++k) test.t[k] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  PLEX_FORM(args, p, constants, s, test)
  _Pragma("unroll")
  for (int k = 0; k < PLEX_JU; ++k) t[k] = test.t[k];
}
  #endif

  #if PLEX_MODAL
    #include "integrate/modal.cuh"
  #endif

// All points of an element, shared out among the team. The team is in step before and after.
PLEX_DEVICE void plex_points(const PlexArgs &args, PlexWork &work)
{
  PLEX_UNROLL
  for (int q = PLEX_LANE; q < PLEX_NQ; q += PLEX_TEAM)
    plex_point_data(args, work.nodal, q, &work.point[q * PLEX_POINT_SIZE]);
  plex_team_sync();
}

  #if PLEX_VECTOR
    #include "integrate/vector_rows.cuh"
  #endif
  #if PLEX_ACTION == 3
    #include "integrate/diagonal.cuh"
  #elif PLEX_VECTOR
  #elif PLEX_JACOBIAN && PLEX_TENSOR
    #include "integrate/tensor.cuh"
  #elif PLEX_JACOBIAN

// t_q of row i, entry k of the trial jets: sum_a phi_a(i,q) D_q[a,c][k]
PLEX_DEVICE plex_real plex_row_jet(const PlexArgs &args, const PlexWork &work, int i, int q, int k)
{
  int       f, n, c;
  plex_real v = 0;

  plex_dof(i, f, n, c);
  _Pragma("unroll")
  for (int a = 0; a < PLEX_KT; ++a)
    v += plex_test(args, f, PLEX_Q(work.nodal, q), n, a) *
         work.point[(q * PLEX_JT + (plex_field_component(f) + c) * PLEX_KT + a) * PLEX_JU + k];
  return v;
}

// Rows i0 .. i0 + nrows - 1 (at most PLEX_ROWS) of the element matrix: emit(i, j, value), j <= i only when symmetric. A
// thread has a column of the batch: what it reads of the basis serves all rows.
template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < nrows * PLEX_NQ * PLEX_JU; k += PLEX_TEAM)
    work.t[k] = plex_row_jet(args, work, i0 + k / (PLEX_NQ * PLEX_JU), k / PLEX_JU % PLEX_NQ, k % PLEX_JU);
  plex_team_sync();
  PLEX_UNROLL
  for (int j = PLEX_LANE; j < PLEX_EF; j += PLEX_TEAM) {
    plex_real v[PLEX_ROWS];
    int       f, n, c;

    if (PLEX_SYMMETRIC && j > i0 + nrows - 1) continue;
    plex_dof(j, f, n, c);
    _Pragma("unroll")
    for (int r = 0; r < PLEX_ROWS; ++r) v[r] = 0;
    PLEX_UNROLL
    for (int q = 0; q < PLEX_NQ; ++q) _Pragma("unroll")
    for (int b = 0; b < PLEX_KU; ++b) {
      const plex_real phi = plex_trial(args, f, PLEX_Q(work.nodal, q), n, b);

      _Pragma("unroll")
      for (int r = 0; r < PLEX_ROWS; ++r)
        if (r < nrows) v[r] += work.t[(r * PLEX_NQ + q) * PLEX_JU + (plex_field_component(f) + c) * PLEX_KU + b] * phi;
    }
    _Pragma("unroll")
    for (int r = 0; r < PLEX_ROWS; ++r)
      if (r < nrows && (!PLEX_SYMMETRIC || j <= i0 + r)) emit(i0 + r, j, v[r]);
  }
  plex_team_sync();
}

// One entry, by one thread, with nothing stored
PLEX_DEVICE plex_real plex_entry(const PlexArgs &args, const PlexNodal &nodal, int i, int j)
{
  plex_real v = 0;
  int       fi, ni, ci, fj, nj, cj;

  plex_dof(i, fi, ni, ci);
  plex_dof(j, fj, nj, cj);
  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real t[PLEX_JU];

    plex_point_row(args, nodal, q, fi, ni, ci, t);
    _Pragma("unroll")
    for (int b = 0; b < PLEX_KU; ++b)
      v += t[(plex_field_component(fj) + cj) * PLEX_KU + b] * plex_trial(args, fj, PLEX_Q(nodal, q), nj, b);
  }
  return v;
}

  #else

// Entries i0 .. i0 + nrows - 1 of the element vector: emit(i, 0, value)
template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < nrows; k += PLEX_TEAM) {
    plex_real v = 0;
    int       f, n, c;

    plex_dof(i0 + k, f, n, c);
    PLEX_UNROLL
    for (int q = 0; q < PLEX_NQ; ++q) _Pragma("unroll")
    for (int a = 0; a < PLEX_KT; ++a)
      v += plex_test(args, f, PLEX_Q(work.nodal, q), n, a) *
           work.point[q * PLEX_JT + (plex_field_component(f) + c) * PLEX_KT + a];
    emit(i0 + k, 0, v);
  }
  plex_team_sync();
}

PLEX_DEVICE plex_real plex_entry(const PlexArgs &args, const PlexNodal &nodal, int i, int)
{
  plex_real v = 0;
  int       f, n, c;

  plex_dof(i, f, n, c);
  _Pragma("unroll 1")
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real V[PLEX_POINT_SIZE];

    plex_point_data(args, nodal, q, V);
    _Pragma("unroll")
    for (int a = 0; a < PLEX_KT; ++a)
      v += plex_test(args, f, PLEX_Q(nodal, q), n, a) * V[(plex_field_component(f) + c) * PLEX_KT + a];
  }
  return v;
}

  #endif

#endif

// All rows of the element
template <class Emit>
PLEX_DEVICE void plex_element(const PlexArgs &args, PlexWork &work, Emit emit)
{
#if !PLEX_PAIRS && PLEX_TEAM == 1 && PLEX_UNROLLED && !PLEX_DUMMY && !PLEX_VECTOR
  // a thread has an element vector in registers, and of the points one at a time
  plex_real F[PLEX_EF], V[PLEX_POINT_SIZE];
  int       f, n, c;

  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) F[i] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_point_data(args, work.nodal, q, V);
    _Pragma("unroll")
    for (int i = 0; i < PLEX_EF; ++i) {
      plex_dof(i, f, n, c);
      _Pragma("unroll")
      for (int a = 0; a < PLEX_KT; ++a)
        F[i] += plex_test(args, f, PLEX_Q(work.nodal, q), n, a) * V[(plex_field_component(f) + c) * PLEX_KT + a];
    }
  }
  _Pragma("unroll")
  for (int i = 0; i < PLEX_EF; ++i) emit(i, 0, F[i]);
#else
  plex_points(args, work);
  #if PLEX_ACTION == 3
  plex_diagonal_rows(args, work, 0, PLEX_EF, emit);
  #else
  PLEX_UNROLL
  for (int i = 0; i < PLEX_EF; i += PLEX_ROWS)
    plex_rows(args, work, i, PLEX_EF - i < PLEX_ROWS ? PLEX_EF - i : PLEX_ROWS, emit);
  #endif
#endif
}

// Position of entry (i,j) in an element's data, PLEX_ND entries
PLEX_DEVICE int plex_data_index(int i, int j)
{
#if !PLEX_JACOBIAN
  return i;
#elif PLEX_SYMMETRIC
  return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
#else
  return i * PLEX_EF + j;
#endif
}
