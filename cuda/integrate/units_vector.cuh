// Element vectors by quadrature of larger elements, on tensor units (dg/unit.cuh): 16 elements a warp. With the tables
// of quadrature.cuh as matrices,
//
//   u_a(q) = sum_n phi_a(n, q) u_n,    V_q from these,    F_n = sum_q sum_a phi_a(n, q) V_q[a]
//
// are products of matrices: u_a of elements by nodes and a table, F of elements by points and a table. Eight points are
// computed at a time. A lane has points 2 (lane % 4) + c of elements lane / 4 + 8 h, for c and h of 0 and 1, with all
// components and derivatives: accumulator 2 h + c of the first product. It calls the form's functions there. Their
// results are already in the layout of the left factor of the second product, if this takes the points in the order 0,
// 2, 4, 6, 1, 3, 5, 7.
//
// args.tables (src/assembly/integrate/units.c):
//   of each field, with auxiliary ones: right factors of u_a, [groups of points][1 + dim][steps]
//   of each field, without auxiliary ones: right factors of F, [groups][jets][tiles of nodes][steps]
//   of the coordinates: right factors, [groups][1 + dim][steps]
//   weights; the last group is padded with its last point and weights of zero
//
// The integrator "tensorcores": src/assembly/integrate/units.c.
#pragma once

#include "dg/unit.cuh"

// What src/assembly/integrate/units.c writes: PLEX_UNITS_MOST, nodes of the largest field; plex_field_there(f) and
// plex_field_back(f), PLEX_UNITS_X and PLEX_UNITS_WEIGHTS, where in the tables they begin; PLEX_UNITS_NUMBERS, about so
// many numbers of double precision are in a thread's registers.
#define PLEX_UNITS_STEPS(n)   (((n) + PLEX_UNIT_K - 1) / PLEX_UNIT_K)
#define PLEX_UNITS_TILES(n)   (((n) + 7) / 8)
#define PLEX_UNITS_GROUPS     PLEX_UNITS_TILES(PLEX_NQ)
#define PLEX_UNITS_BACK_STEPS (8 / PLEX_UNIT_K)
/* threads of a multiprocessor, least: more hide latency better where there are few numbers */
#define PLEX_UNITS_THREADS (PLEX_UNITS_NUMBERS <= 64 ? 384 : 256)
/* blocks of them; a kernel has to say it (instructions.cuh) */
#define PLEX_UNITS_RESIDENT (PLEX_BLOCK < PLEX_UNITS_THREADS ? PLEX_UNITS_THREADS / PLEX_BLOCK : 1)
static_assert(!PLEX_JACOBIAN && PLEX_TEAM == 1 && !PLEX_FACETS && !PLEX_TABLES_COMPILED, "what args.tables is");

// Left factor: numbers get(h, k), k < N, of the elements
template <class Get>
PLEX_DEVICE void plex_units_left(int N, PlexUnitA A[], Get get)
{
  _Pragma("unroll")
  for (int s = 0; s < PLEX_UNITS_STEPS(N); ++s)
    A[s] = plex_unit_make([&](int h, int k) {
      return s * PLEX_UNIT_K + k < N ? get(h, s * PLEX_UNIT_K + k) : (plex_real)0;
    });
}

// C = A B, N numbers of each element
PLEX_DEVICE void plex_units_product(int N, plex_real C[], const PlexUnitA A[], const PlexUnitB *B)
{
  _Pragma("unroll")
  for (int k = 0; k < 4; ++k) C[k] = 0;
  _Pragma("unroll")
  for (int s = 0; s < PLEX_UNITS_STEPS(N); ++s) plex_unit_add(C, A[s], plex_unit_get(B + s * 32));
}

// J of the elements at a group of points
PLEX_DEVICE void plex_units_slopes(const PlexUnitA x[][PLEX_UNITS_STEPS(PLEX_NV)], const PlexUnitB *tables, int group,
                                   plex_real J[][4])
{
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a)
    plex_units_product(PLEX_NV, J[d * PLEX_DIM + a], x[d],
                       tables + PLEX_UNITS_X + (group * (1 + PLEX_DIM) + 1 + a) * PLEX_UNITS_STEPS(PLEX_NV) * 32);
}

// J^-1 in the place of J, and det J, of number k
PLEX_DEVICE void plex_units_invert(plex_real J[][4], plex_real det[], int k)
{
  plex_real one[PLEX_DIM * PLEX_DIM], inverse[PLEX_DIM * PLEX_DIM], s;

  _Pragma("unroll")
  for (int m = 0; m < PLEX_DIM * PLEX_DIM; ++m) one[m] = J[m][k];
  plex_adjugate(one, inverse, det[k]);
  s = plex_reciprocal(det[k]);
  _Pragma("unroll")
  for (int m = 0; m < PLEX_DIM * PLEX_DIM; ++m) J[m][k] = inverse[m] * s;
}

// V_q at accumulator k, from position, value and reference gradient, time derivative and geometry there
PLEX_DEVICE void plex_units_point(const PlexArgs &args, const PetscScalar known[], plex_real weight,
                                  const plex_real x[][4], const plex_real u[][4], const plex_real ut[][4],
                                  const plex_real inverse[][4], plex_real det, int k, int geometry, plex_real V[][4])
{
  PetscScalar constants[PLEX_NCONSTANTS + 3];
  plex_real   out[PLEX_JT], s = det * weight;
  PlexPoint   p;

  _Pragma("unroll")
  for (int m = 0; m < PLEX_DIM * PLEX_DIM; ++m) p.invJ[m] = inverse[m][geometry];
  p.weight = s;
  p.volume = det * (1 << PLEX_DIM);
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) p.x[d] = (PetscReal)x[d][k];
  _Pragma("unroll")
  for (int c = 0; c < PLEX_NC + PLEX_NC_AUX; ++c) {
    p.u[c] = u[c * (1 + PLEX_DIM)][k];
    if (c < PLEX_NC && args.u_t) p.ut[c] = ut[c][k];
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) {
      plex_real slope = PLEX_NOTHING;

      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a) slope += p.invJ[a * PLEX_DIM + b] * u[c * (1 + PLEX_DIM) + 1 + a][k];
      p.ux[c * PLEX_DIM + b] = slope;
    }
  }
  _Pragma("unroll")
  for (int m = 0; m < PLEX_NCONSTANTS; ++m) constants[m] = known[m];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  _Pragma("unroll")
  for (int m = 0; m < PLEX_JT; ++m) out[m] = PLEX_NOTHING;
  PLEX_FORM(args, p, constants, s, out)
  _Pragma("unroll")
  for (int m = 0; m < PLEX_JT; ++m) V[m][k] = out[m];
}

// A warp's 16 elements. nodal.x(h, n, d), nodal.u(h, i), nodal.ut(h, i) and nodal.aux(h, k) read nodal data of that of
// row lane / 4 + 8 h; put(h, i, v) takes entry i of its vector. All lanes have to be there: rows without an element
// have the data of one
template <class Nodal, class Put>
PLEX_DEVICE void plex_units_vector(const PlexArgs &args, const Nodal &nodal, Put put)
{
  const PlexUnitB *tables  = (const PlexUnitB *)args.tables + threadIdx.x % 32;
  const plex_real *weights = (const plex_real *)((const PlexUnitB *)args.tables + PLEX_UNITS_WEIGHTS) +
                             2 * (threadIdx.x % 4);
  PlexUnitA        X[PLEX_DIM][PLEX_UNITS_STEPS(PLEX_NV)], U[PLEX_NC + PLEX_NC_AUX][PLEX_UNITS_STEPS(PLEX_UNITS_MOST)],
    Ut[PLEX_NC][PLEX_UNITS_STEPS(PLEX_UNITS_MOST)];
  plex_real   F[PLEX_NC][PLEX_UNITS_TILES(PLEX_UNITS_MOST)][4], J[PLEX_DIM * PLEX_DIM][4], det[4], ut[PLEX_NC][4] = {};
  PetscScalar known[PLEX_NCONSTANTS + 1];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) plex_units_left(PLEX_NV, X[d], [&](int h, int n) { return nodal.x(h, n, d); });
  _Pragma("unroll")
  for (int f = 0; f < PLEX_NF + PLEX_NF_AUX; ++f) _Pragma("unroll")
  for (int c = 0; c < plex_field_components(f); ++c) {
    const int k = plex_field_component(f) + c, first = plex_field_offset(f) + c, stride = plex_field_components(f);

    if (f >= PLEX_NF)
      plex_units_left(plex_field_nodes(f), U[k],
                      [&](int h, int n) { return nodal.aux(h, first - PLEX_EF + n * stride); });
    else {
      plex_units_left(plex_field_nodes(f), U[k], [&](int h, int n) { return nodal.u(h, first + n * stride); });
      if (args.u_t)
        plex_units_left(plex_field_nodes(f), Ut[k], [&](int h, int n) { return nodal.ut(h, first + n * stride); });
      _Pragma("unroll")
      for (int m = 0; m < PLEX_UNITS_TILES(plex_field_nodes(f)) * 4; ++m) F[k][m / 4][m % 4] = 0;
    }
  }
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) known[k] = (PetscScalar)args.constants[k];
#if PLEX_AFFINE
  plex_units_slopes(X, tables, 0, J);
  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) plex_units_invert(J, det, 2 * h);
#endif
  _Pragma("unroll 1")
  for (int group = 0; group < PLEX_UNITS_GROUPS; ++group) {
    plex_real x[PLEX_DIM][4], u[(PLEX_NC + PLEX_NC_AUX) * (1 + PLEX_DIM)][4], V[PLEX_JT][4];

    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d)
      plex_units_product(PLEX_NV, x[d], X[d],
                         tables + PLEX_UNITS_X + group * (1 + PLEX_DIM) * PLEX_UNITS_STEPS(PLEX_NV) * 32);
#if !PLEX_AFFINE
    plex_units_slopes(X, tables, group, J);
    _Pragma("unroll")
    for (int k = 0; k < 4; ++k) plex_units_invert(J, det, k);
#endif
    _Pragma("unroll")
    for (int f = 0; f < PLEX_NF + PLEX_NF_AUX; ++f) {
      const int        N     = plex_field_nodes(f);
      const PlexUnitB *there = tables + plex_field_there(f) + group * (1 + PLEX_DIM) * PLEX_UNITS_STEPS(N) * 32;

      _Pragma("unroll")
      for (int c = 0; c < plex_field_components(f); ++c) {
        const int k = plex_field_component(f) + c;

        _Pragma("unroll")
        for (int a = 0; a <= PLEX_DIM; ++a)
          plex_units_product(N, u[k * (1 + PLEX_DIM) + a], U[k], there + a * PLEX_UNITS_STEPS(N) * 32);
        if (f < PLEX_NF && args.u_t) plex_units_product(N, ut[k], Ut[k], there);
      }
    }
    _Pragma("unroll")
    for (int k = 0; k < 4; ++k)
      plex_units_point(args, known, weights[8 * group + k % 2], x, u, ut, J, det[PLEX_AFFINE ? k / 2 * 2 : k], k,
                       PLEX_AFFINE ? k / 2 * 2 : k, V);
    _Pragma("unroll")
    for (int f = 0; f < PLEX_NF; ++f) {
      const int tiles = PLEX_UNITS_TILES(plex_field_nodes(f));

      _Pragma("unroll")
      for (int b = 0; b < PLEX_KT; ++b) _Pragma("unroll")
      for (int tile = 0; tile < tiles; ++tile) _Pragma("unroll")
      for (int s = 0; s < PLEX_UNITS_BACK_STEPS; ++s) {
        const PlexUnitB B = plex_unit_get(tables + plex_field_back(f) +
                                          (((group * PLEX_KT + b) * tiles + tile) * PLEX_UNITS_BACK_STEPS + s) * 32);

        _Pragma("unroll")
        for (int c = 0; c < plex_field_components(f); ++c)
          plex_unit_add(F[plex_field_component(f) + c][tile],
                        plex_unit_of(V[(plex_field_component(f) + c) * PLEX_KT + b], s), B);
      }
    }
  }
  _Pragma("unroll")
  for (int f = 0; f < PLEX_NF; ++f) _Pragma("unroll")
  for (int tile = 0; tile < PLEX_UNITS_TILES(plex_field_nodes(f)); ++tile) _Pragma("unroll")
  for (int c = 0; c < plex_field_components(f); ++c) _Pragma("unroll")
  for (int k = 0; k < 4; ++k) {
    const int n = 8 * tile + 2 * (threadIdx.x % 4) + k % 2;

    if (n < plex_field_nodes(f))
      put(k / 2, plex_field_offset(f) + n * plex_field_components(f) + c, F[plex_field_component(f) + c][tile][k]);
  }
}

// Elements, 16 a warp: integrate/teams.cuh. Rows without one have the data of the first
#define PLEX_ELEMENTS          (PLEX_BLOCK / 2)
#define PLEX_ELEMENTS_FIRST    (16 * (int)(threadIdx.x / 32))
#define PLEX_ELEMENTS_RESIDENT PLEX_UNITS_RESIDENT

template <class Element>
struct PlexUnitsNodal {
  Element e[2];

  __device__ __forceinline__ plex_real x(int h, int n, int d) const { return e[h].x(n, d); }
  __device__ __forceinline__ plex_real u(int h, int i) const { return e[h].u(i); }
  __device__ __forceinline__ plex_real ut(int h, int i) const { return e[h].ut(i); }
  __device__ __forceinline__ plex_real aux(int h, int k) const { return e[h].aux(k); }
};

template <class Position, class At, class Emit>
PLEX_DEVICE void plex_elements(const PlexArgs &args, At at, Position p, Position end, Emit emit)
{
  const int                             row   = (int)p + threadIdx.x % 32 / 4;
  const PlexUnitsNodal<decltype(at(p))> nodal = {
    {at(row < end && !at(row).padding() ? row : p), at(row + 8 < end && !at(row + 8).padding() ? row + 8 : p)}
  };

  plex_units_vector(args, nodal, [&](int h, int i, plex_real v) {
    if (row + 8 * h < end) emit(nodal.e[h], i, 0, v);
  });
}
