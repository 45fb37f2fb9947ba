// Rows of a node's components together, of one vector field whose form is g3 alone, by tensors that are constant in an element:
//
//   A_(i,c)(j,d) = s sum_kl g3_cdkl M_kl      M = sum_ab K[i][ab][j] a_a (x) a_b
//
// with a_a = |J| grad xi_a, the rows of the adjugate, and s = 1 / |J|: M is the integral of grad phi_i (x) grad phi_j, and all PLEX_COMPONENTS^2
// entries of the nodes i and j come from it. What is known to be zero of g3 and K is left out: of isotropic elasticity 21 of 81 numbers remain.
// Part of assembly/local_row_orbits.cu, whose sizes it uses.
#pragma once

// What the form's functions give, times s
struct PlexVectorForm {
  plex_real g[PLEX_COMPONENTS * PLEX_COMPONENTS * PLEX_DIM * PLEX_DIM];
};

template <int cI, int kI, int cJ, int kJ>
PLEX_DEVICE void plex_add_g3(const PlexPoint &, plex_real s, const PetscScalar g[], const bool zero[], PlexVectorForm &form)
{
  _Pragma("unroll")
  for (int k = 0; k < cI * cJ * PLEX_DIM * PLEX_DIM; ++k)
    if (!zero[k]) form.g[k] = s * g[k];
}

// M of nodes I and J
template <int I, int J>
PLEX_DEVICE void plex_vector_product(const PlexArgs &args, const PlexPoint &p, plex_real M[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) M[k] = PLEX_NOTHING;
  _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) {
    plex_real v[PLEX_DIM]; // sum_b K_ab a_b
    bool      some = false;

    _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) v[l] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) {
      if (plex_tables[PLEX_TENSOR_K(0, 0, I, 0, a * PLEX_DIM + b, J)] == 0) continue;
      some = true;
      _Pragma("unroll")
      for (int l = 0; l < PLEX_DIM; ++l) PLEX_TENSOR_TERM(args, v[l], PLEX_TENSOR_K(0, 0, I, 0, a * PLEX_DIM + b, J), p.invJ[b * PLEX_DIM + l]);
    }
    if (!some) continue;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) _Pragma("unroll")
    for (int l = 0; l < PLEX_DIM; ++l) M[k * PLEX_DIM + l] += p.invJ[a * PLEX_DIM + k] * v[l];
  }
}

// Adds the entries of node J, if it is in the set `mask`, and of those behind it
template <int I, plex_bits mask, int J>
PLEX_DEVICE void plex_vector_items(const PlexArgs &args, const PlexPoint &p, const PlexVectorForm &form, plex_real row[][PLEX_ENTRIES])
{
  if (mask >> J & 1) {
    plex_real M[PLEX_DIM * PLEX_DIM];

    plex_vector_product<I, J>(args, p, M);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_ENTRIES; ++k) {
      _Pragma("unroll")
      for (int m = 0; m < PLEX_DIM * PLEX_DIM; ++m) PLEX_ADD_PRODUCT(row[J][k], plex_zero_g3_0_0[k * PLEX_DIM * PLEX_DIM + m], form.g[k * PLEX_DIM * PLEX_DIM + m], M[m]);
    }
  }
  if (J + 1 < PLEX_ITEMS) plex_vector_items<I, mask, (J + 1 < PLEX_ITEMS ? J + 1 : J)>(args, p, form, row);
}

// Adds the rows of node I: entries of the nodes in the set `mask`
template <int I, plex_bits mask>
PLEX_DEVICE void plex_vector_row(const PlexArgs &args, const PlexNodal &nodal, plex_real row[][PLEX_ENTRIES])
{
  PlexPoint      p;
  PetscScalar    constants[PLEX_NCONSTANTS + 3];
  PlexVectorForm form;
  plex_real      s;

  plex_point(args, nodal, 0, p);
  s = p.weight * p.scale * p.scale;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NCONSTANTS; ++k) constants[k] = (PetscScalar)args.constants[k];
  constants[PLEX_NCONSTANTS + 2] = p.volume;
  PLEX_FORM(args, p, constants, s, form)
  plex_vector_items<I, mask, 0>(args, p, form, row);
}
