// Fields whose basis functions are vectors: H(div), H(curl), and others whose basis is not nodes times components.
//
// Function n of such a field has all components, one table each, and element dof plex_field_offset(f) + n. With M the
// map of its space from the reference cell,
//
//   v = M v_ref, grad v = M (grad v_ref) J^-1     M = J / |J| of H(div), J^-T of H(curl), 1 of others
//
// D_q and V_q are pulled back by M^T where they have been computed, a matrix of PLEX_DIM components at a time, so that
// rows of entries read the tables as they are. A dof of which an element has the negative, by the orientation of a face
// or an edge, changes its sign where it is read, and its row and column where they are written.
#pragma once

#define PLEX_SPACE_VECTORS 1 // as PlexFieldSpace of plexgpu/private/meshimpl.h
#define PLEX_SPACE_HCURL   2
#define PLEX_SPACE_HDIV    3

// PLEX_BASIS_AT_POINT, PLEX_BASIS_OF_NODE of component c
PLEX_DEVICE plex_real plex_vector_at_point(const PlexArgs &args, int f, int c, int q, int n, int a)
{
  return PLEX_TABLE(args,
                    plex_field_table(f) + (((1 + PLEX_DIM) * 2 * c + a) * plex_field_nodes(f) + n) * PLEX_NQ_ALL + q);
}
PLEX_DEVICE plex_real plex_vector_of_node(const PlexArgs &args, int f, int c, int q, int n, int a)
{
  return PLEX_TABLE(args, plex_field_table(f) +
                            ((1 + PLEX_DIM) * ((2 * c + 1) * PLEX_NQ_ALL + q) + a) * plex_field_nodes(f) + n);
}

// -1 where the element has the negative of dof i
PLEX_DEVICE plex_real plex_sign(const PlexNodal &nodal, int i)
{
  return nodal.signs[i / 32] >> i % 32 & 1u ? (plex_real)-1 : (plex_real)1;
}

PLEX_DEVICE void plex_vector_map(int space, const plex_real invJ[], plex_real M[])
{
  plex_real det;

  if (space == PLEX_SPACE_HDIV) plex_adjugate(invJ, M, det);
  else {
    _Pragma("unroll")
    for (int c = 0; c < PLEX_DIM; ++c) {
      _Pragma("unroll")
      for (int k = 0; k < PLEX_DIM; ++k) M[c * PLEX_DIM + k] = invJ[k * PLEX_DIM + c];
    }
  }
}

// Component b of the gradient, of a jet (value, time derivative, gradient by reference coordinates)
PLEX_DEVICE plex_real plex_vector_gradient(const PlexPoint &p, const plex_real jet[], int b)
{
  plex_real s = 0;

  _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) s += p.invJ[a * PLEX_DIM + b] * jet[2 + a];
  return s;
}

// Field f, a vector space, at point q: coefficients of element dof i and of its time derivative by dof(i, u, ut),
// component k of all fields' to put(k, jet)
template <class Dof, class Put>
PLEX_DEVICE void plex_vector_jets(const PlexArgs &args, const PlexNodal &nodal, int q, int f, const PlexPoint &p,
                                  Dof dof, Put put)
{
  constexpr int K = 2 + PLEX_DIM;
  plex_real     M[PLEX_DIM * PLEX_DIM], ref[PLEX_DIM * K];

  _Pragma("unroll")
  for (int c = 0; c < plex_field_components(f); ++c) {
    plex_real jet[K];

    _Pragma("unroll")
    for (int k = 0; k < K; ++k) jet[k] = 0;
    PLEX_UNROLL
    for (int n = 0; n < plex_field_nodes(f); ++n) {
      const int       i    = plex_field_offset(f) + n;
      const plex_real sign = plex_sign(nodal, i);
      plex_real       un, utn;

      dof(i, un, utn);
      un *= sign;
      jet[0] += plex_vector_at_point(args, f, c, PLEX_Q(nodal, q), n, 0) * un;
      if (args.u_t) jet[1] += plex_vector_at_point(args, f, c, PLEX_Q(nodal, q), n, 0) * (sign * utn);
      _Pragma("unroll")
      for (int a = 0; a < PLEX_DIM; ++a)
        jet[2 + a] += plex_vector_at_point(args, f, c, PLEX_Q(nodal, q), n, 1 + a) * un;
    }
    if (plex_field_space(f) == PLEX_SPACE_VECTORS) put(plex_field_component(f) + c, jet);
    else if (c < PLEX_DIM) {
      _Pragma("unroll")
      for (int k = 0; k < K; ++k) ref[c * K + k] = jet[k];
    }
  }
  if (plex_field_space(f) == PLEX_SPACE_VECTORS) return;
  plex_vector_map(plex_field_space(f), p.invJ, M);
  _Pragma("unroll")
  for (int c = 0; c < PLEX_DIM; ++c) {
    plex_real jet[K];

    _Pragma("unroll")
    for (int k = 0; k < K; ++k) {
      jet[k] = 0;
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) jet[k] += M[c * PLEX_DIM + b] * ref[b * K + k];
    }
    put(plex_field_component(f) + c, jet);
  }
}

// That of the solution
PLEX_DEVICE void plex_vector_jets(const PlexArgs &args, const PlexNodal &nodal, int q, int f, PlexPoint &p)
{
  plex_vector_jets(
    args, nodal, q, f, p,
    [&](int i, plex_real &u, plex_real &ut) {
      u  = nodal.u[i];
      ut = args.u_t ? nodal.ut[i] : 0;
    },
    [&](int k, const plex_real jet[]) {
      p.u[k]  = jet[0];
      p.ut[k] = jet[1];
      _Pragma("unroll")
      for (int b = 0; b < PLEX_DIM; ++b) p.ux[k * PLEX_DIM + b] = plex_vector_gradient(p, jet, b);
    });
}

// M^T of n numbers of each of PLEX_DIM components, `stride` apart, number j at x[j * step]
PLEX_DEVICE void plex_vector_pull_back(const plex_real M[], int n, int step, int stride, plex_real x[])
{
  _Pragma("unroll 1")
  for (int j = 0; j < n; ++j) {
    plex_real own[PLEX_DIM];

    _Pragma("unroll")
    for (int c = 0; c < PLEX_DIM; ++c) own[c] = x[c * stride + j * step];
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) {
      plex_real v = 0;

      _Pragma("unroll")
      for (int c = 0; c < PLEX_DIM; ++c) v += M[c * PLEX_DIM + k] * own[c];
      x[k * stride + j * step] = v;
    }
  }
}

// V_q, or D_q, of all fields
PLEX_DEVICE void plex_vector_pull_back(const PlexPoint &p, plex_real out[])
{
  _Pragma("unroll")
  for (int f = 0; f < PLEX_NF; ++f) {
    const int k = plex_field_component(f);
    plex_real M[PLEX_DIM * PLEX_DIM];

    if (plex_field_space(f) <= PLEX_SPACE_VECTORS) continue;
#if PLEX_PAIRS
    plex_vector_map(plex_field_space(f), p.invJ, M);
    plex_vector_pull_back(M, PLEX_KT * PLEX_JU, 1, PLEX_KT * PLEX_JU, &out[k * PLEX_KT * PLEX_JU]);
    _Pragma("unroll")
    for (int b = 0; b < PLEX_KU; ++b) plex_vector_pull_back(M, PLEX_JT, PLEX_JU, PLEX_KU, &out[k * PLEX_KU + b]);
#else
    plex_vector_map(plex_field_space(f), PLEX_APPLIED ? p.invJ : PLEX_TEST_INVJ(p), M);
    plex_vector_pull_back(M, PLEX_KT, 1, PLEX_KT, &out[k * PLEX_KT]);
#endif
  }
}
