// Rows and entries of an element matrix as the contraction of tensors (Knepley and Terrel 2011, equations 1-23), for
// functions that do not depend on the solution. Part of quadrature.cuh, in the place of the sums over quadrature
// points:
//
//   A^e_ij = sum_k sum_ab K[n][k][ab][m] G_k[(c,a)][(d,b)]      i = (node n, component c), j = (node m, component d)
//
// The "points" are the nodes of the polynomials in which G is expanded, PLEX_NQ of them (one where G is constant),
// weights 1. Where G is symmetric, ab runs over a <= b.
#pragma once

// K[n][k][ab][m] of a pair of fields, in the tables
#define PLEX_TENSOR_K(fi, fj, n, k, ab, m) \
  (plex_tensor_table(fi, fj) + (((n) * PLEX_NQ + (k)) * PLEX_NAB + (ab)) * plex_field_nodes(fj) + (m))

// A term whose K is a zero that the compiler sees is no term; the others' K are operands
#if PLEX_TABLES_COMPILED && PLEX_UNROLLED
PLEX_DEVICE plex_real plex_tensor_number(int k)
{
  if (plex_number[k - PLEX_TABLE_K] < 0) return plex_tables[k];
  return plex_tables[k] < 0 ? -plex_numbers[plex_number[k - PLEX_TABLE_K]]
                            : plex_numbers[plex_number[k - PLEX_TABLE_K]];
}

  #define PLEX_TENSOR_TERM(args, v, k, G) \
    if (plex_tables[k] != 0) (v) += plex_tensor_number(k) * (G)
#else
  #define PLEX_TENSOR_TERM(args, v, k, G) (v) += PLEX_TABLE(args, k) * (G)
#endif

// Entry and what it is added to
PLEX_DEVICE plex_real plex_tensor_entry(const PlexArgs &args, const plex_real point[], int fi, int ni, int ci, int fj,
                                        int nj, int cj, plex_real v = PLEX_NOTHING)
{
  PLEX_UNROLL
  for (int k = 0; k < PLEX_NQ; ++k) {
    const plex_real *G = &point[(k * PLEX_JT + (plex_field_component(fi) + ci) * PLEX_KT) * PLEX_JU +
                                (plex_field_component(fj) + cj) * PLEX_KU];

    _Pragma("unroll")
    for (int a = 0; a < PLEX_KT; ++a) _Pragma("unroll")
    for (int b = PLEX_TENSOR_SYMMETRIC ? a : 0; b < PLEX_KU; ++b) {
      const int ab = PLEX_TENSOR_SYMMETRIC ? a * PLEX_KU - a * (a + 1) / 2 + b : a * PLEX_KU + b;

      PLEX_TENSOR_TERM(args, v, PLEX_TENSOR_K(fi, fj, ni, k, ab, nj), G[a * PLEX_JU + b]);
    }
  }
  return v;
}

#if PLEX_TABLES_COMPILED && PLEX_UNROLLED && PLEX_NF == 1 && PLEX_NC == 1 && PLEX_NQ == 1 && !PLEX_TEST_VALUE && \
  !PLEX_TRIAL_VALUE && !PLEX_FACETS
  #define PLEX_TENSOR_COMMON 1

// Of one scalar field, the form g3 alone and constant G: the place in K of the number that all of a row's are but for
// signs and zeros, or -1
static __device__ constexpr int plex_tensor_common(int n)
{
  int common = -1;

  for (int k = 0; k < PLEX_NAB * plex_field_nodes(0); ++k) {
    const int       at = plex_tensor_table(0, 0) + n * PLEX_NAB * plex_field_nodes(0) + k;
    const plex_real K  = plex_tables[at];

    if (K == 0) continue;
    if (common < 0) common = at;
    if (K != plex_tables[common] && K != -plex_tables[common]) return -1;
  }
  return common;
}

// Row n of such a K: sums of G without its factor, which is multiplied once with the number
template <int n>
PLEX_DEVICE void plex_tensor_common_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[])
{
  constexpr int common = plex_tensor_common(n) < 0 ? PLEX_TABLE_K : plex_tensor_common(n);
  PlexPoint     p;
  PetscScalar   constants[PLEX_NCONSTANTS + 3];
  plex_real     G[PLEX_POINT_SIZE], s;

  plex_point(args, nodal, 0, p);
  s       = PLEX_WEIGHT(args, 0) * p.scale * plex_tensor_number(common); // |J| / |J|^2
  p.scale = 1;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_POINT_SIZE; ++k) G[k] = PLEX_NOTHING;
  PLEX_FORM(args, p, constants, (plex_real)1, G)
  _Pragma("unroll")
  for (int j = 0; j < PLEX_EF; ++j) {
    plex_real v = PLEX_NOTHING;

    _Pragma("unroll")
    for (int a = 0; a < PLEX_KT; ++a) _Pragma("unroll")
    for (int b = PLEX_TENSOR_SYMMETRIC ? a : 0; b < PLEX_KU; ++b) {
      const int ab = PLEX_TENSOR_SYMMETRIC ? a * PLEX_KU - a * (a + 1) / 2 + b : a * PLEX_KU + b,
                k  = PLEX_TENSOR_K(0, 0, n, 0, ab, j);

      if (plex_tables[k] != 0) v += plex_tables[k] == plex_tables[common] ? G[a * PLEX_JU + b] : -G[a * PLEX_JU + b];
    }
    row[j] += s * v;
  }
}
#else
  #define PLEX_TENSOR_COMMON 0
#endif

// Rows i0 .. i0 + nrows - 1 of the element matrix: emit(i, j, value), j <= i only when symmetric
template <class Emit>
PLEX_DEVICE void plex_rows(const PlexArgs &args, PlexWork &work, int i0, int nrows, Emit emit)
{
  PLEX_UNROLL
  for (int j = PLEX_LANE; j < PLEX_EF; j += PLEX_TEAM) {
    int fj, nj, cj;

    plex_dof(j, fj, nj, cj);
    PLEX_UNROLL
    for (int r = 0; r < nrows; ++r) {
      int fi, ni, ci;

      if (PLEX_SYMMETRIC && j > i0 + r) continue;
      plex_dof(i0 + r, fi, ni, ci);
      emit(i0 + r, j, plex_tensor_entry(args, work.point, fi, ni, ci, fj, nj, cj));
    }
  }
  plex_team_sync();
}

// One entry, by one thread, with nothing stored
PLEX_DEVICE plex_real plex_entry(const PlexArgs &args, const PlexNodal &nodal, int i, int j)
{
  plex_real point[PLEX_NQ * PLEX_POINT_SIZE];
  int       fi, ni, ci, fj, nj, cj;

  PLEX_UNROLL
  for (int k = 0; k < PLEX_NQ; ++k) plex_point_data(args, nodal, k, &point[k * PLEX_POINT_SIZE]);
  plex_dof(i, fi, ni, ci);
  plex_dof(j, fj, nj, cj);
  return plex_tensor_entry(args, point, fi, ni, ci, fj, nj, cj);
}
