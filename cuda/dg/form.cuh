// The reference form of a system: what type fused differentiates, in reference coordinates.
//
//   w = to_reference(u)                          PLEX_DG_NW fields, pointwise
//   sums[s] = sum of sign D_a w_k                PLEX_DG_NA sums, of the products {s, a, k, sign} in PLEX_DG_PRODUCTS
//   rates = from_reference(sums)                 pointwise
//   rates += local(u)                            pointwise, terms without derivatives
//
// What these and the fluxes need of the geometry and the coefficients is computed once, at set-up, and is an element's
// record.
//
// Where PLEX_DG_NB is defined, dg_prepare() computes that many numbers of a face from the coefficients of both sides,
// and dg_face_prepared() the flux from them.
//
// A system's header may say its own form, with fewer products than the general ones: PLEX_DG_PRODUCTS, PLEX_DG_NW,
// PLEX_DG_NA, PLEX_DG_NE numbers of an element, which dg_prepare_element() computes, dg_to_reference() and
// dg_from_reference(), and where dg_volume() has terms without derivatives PLEX_DG_LOCAL and dg_local(). Else
//
//   linear       w = u, all DIM NF derivatives, then dg_volume()
//   flux form    w_ka = sum_d dr_a/dx_d F_dk of dg_flux(), sums[k] = sum_a D_a w_ka
#pragma once

#include "source.cuh"

#if defined(PLEX_DG_PRODUCTS)
  #define PLEX_DG_TRANSFORM      1
  #define PLEX_DG_RATES_OF_STATE 0
static __device__ constexpr signed char plex_dg_products[][4] = {PLEX_DG_PRODUCTS};
#else
  #if defined(PLEX_DG_FLUX_FORM)
    #define PLEX_DG_NW             (PLEX_DG_NF * PLEX_DIM)
    #define PLEX_DG_NA             PLEX_DG_NF
    #define PLEX_DG_TRANSFORM      1
    #define PLEX_DG_RATES_OF_STATE 0
  #else
    #define PLEX_DG_NW             PLEX_DG_NF
    #define PLEX_DG_NA             (PLEX_DG_NF * PLEX_DIM)
    #define PLEX_DG_TRANSFORM      0
    #define PLEX_DG_RATES_OF_STATE 1
  #endif

// Product q: of field q / DIM in direction q % DIM
struct PlexDGProducts {
  signed char item[PLEX_DG_NF * PLEX_DIM][4];

  constexpr __device__ PlexDGProducts() : item()
  {
    for (int q = 0; q < PLEX_DG_NF * PLEX_DIM; ++q) {
      item[q][0] = (signed char)(PLEX_DG_NA == PLEX_DG_NF ? q / PLEX_DIM : q);
      item[q][1] = (signed char)(q % PLEX_DIM);
      item[q][2] = (signed char)(PLEX_DG_NW == PLEX_DG_NF ? q / PLEX_DIM : q);
      item[q][3] = 1;
    }
  }
};
static __device__ constexpr PlexDGProducts plex_dg_general;
  #define plex_dg_products plex_dg_general.item
#endif
#define PLEX_DG_NPRODUCTS ((int)(sizeof(plex_dg_products) / 4))

#if defined(PLEX_DG_NB)
  #define PLEX_DG_FACE_NUMBERS PLEX_DG_NB
#else
  #define PLEX_DG_FACE_NUMBERS PLEX_DG_NK // the other side's coefficients
#endif
#if !defined(PLEX_DG_LOCAL)
  #define PLEX_DG_LOCAL 0
#endif

// Reals of a record: of the element, dr_a/dx_d unless the form is the system's own; its coefficients, unless own form
// and flux do without; of each face normal and Fscale; of each face numbers for the flux. PlexDGFusedReals() in fused.c
// counts them
#if defined(PLEX_DG_PRODUCTS)
  #define PLEX_DG_ELEMENT_NUMBERS PLEX_DG_NE
#else
  #define PLEX_DG_ELEMENT_NUMBERS (PLEX_DIM * PLEX_DIM)
#endif
#if defined(PLEX_DG_PRODUCTS) && defined(PLEX_DG_NB)
  #define PLEX_DG_RECORD_NK 0
#else
  #define PLEX_DG_RECORD_NK PLEX_DG_NK
#endif
#define PLEX_DG_RECORD_K       PLEX_DG_ELEMENT_NUMBERS
#define PLEX_DG_RECORD_NORMALS (PLEX_DG_RECORD_K + PLEX_DG_RECORD_NK)
#define PLEX_DG_RECORD_FACES   (PLEX_DG_RECORD_NORMALS + PLEX_DG_FACES * (PLEX_DIM + 1))
#define PLEX_DG_RECORD_REALS   (PLEX_DG_RECORD_FACES + PLEX_DG_FACES * PLEX_DG_FACE_NUMBERS)

// x[a][d] = dx_d/dr_a from rx[a][d] = dr_a/dx_d; returns the determinant of rx
PLEX_DEVICE plex_real plex_dg_inverse(const plex_real *rx, plex_real *x)
{
#if PLEX_DIM == 3
  plex_real determinant = 0;

  for (int a = 0; a < 3; ++a) {
    const plex_real *p = rx + (a + 1) % 3 * 3, *q = rx + (a + 2) % 3 * 3;

    for (int d = 0; d < 3; ++d) x[a * 3 + d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
  }
  for (int d = 0; d < 3; ++d) determinant += rx[d] * x[d];
#else
  const plex_real determinant = rx[0] * rx[3] - rx[1] * rx[2];

  x[0] = rx[3];
  x[1] = -rx[2];
  x[2] = -rx[1];
  x[3] = rx[0];
#endif
  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) x[k] *= 1 / determinant;
  return determinant;
}

// m[PLEX_DG_ELEMENT_NUMBERS] of an element
PLEX_DEVICE void plex_dg_prepare_element(const plex_real *rx, const plex_real *k, const plex_real *c, plex_real *m)
{
#if defined(PLEX_DG_PRODUCTS)
  plex_real       x[PLEX_DIM * PLEX_DIM];
  const plex_real determinant = plex_dg_inverse(rx, x);

  dg_prepare_element(rx, x, determinant, k, c, m);
#else
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) m[d] = rx[d];
#endif
}

PLEX_DEVICE void plex_dg_prepare(const plex_real *kM, const plex_real *kP, const plex_real *c, plex_real *numbers)
{
#if defined(PLEX_DG_NB)
  dg_prepare(kM, kP, c, numbers);
#else
  for (int q = 0; q < PLEX_DG_NK; ++q) numbers[q] = kP[q];
#endif
}

PLEX_DEVICE void plex_dg_flux(const plex_real *uM, const plex_real *uP, const plex_real *n, const plex_real *k,
                              const plex_real *numbers, const plex_real *c, plex_real *flux)
{
#if defined(PLEX_DG_NB)
  dg_face_prepared(uM, uP, n, numbers, flux);
#else
  dg_face(uM, uP, n, k, numbers, c, flux);
#endif
}

PLEX_DEVICE void plex_dg_to_reference(const plex_real *u, const plex_real *m, const plex_real *k, const plex_real *c,
                                      plex_real *w)
{
#if defined(PLEX_DG_PRODUCTS)
  dg_to_reference(u, m, c, w);
#elif defined(PLEX_DG_FLUX_FORM)
  plex_real F[PLEX_DIM][PLEX_DG_NF];

  dg_flux(u, k, c, F);
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NW; ++q) {
    w[q] = 0;
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) w[q] += m[q % PLEX_DIM * PLEX_DIM + d] * F[d][q / PLEX_DIM];
  }
#endif
}

PLEX_DEVICE void plex_dg_from_reference(const plex_real *a, const plex_real *u, const plex_real *m, const plex_real *k,
                                        const plex_real *c, plex_real *r)
{
#if defined(PLEX_DG_PRODUCTS)
  dg_from_reference(a, m, c, r);
#elif defined(PLEX_DG_FLUX_FORM)
  _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) r[q] = -a[q];
#else
  plex_real du[PLEX_DIM][PLEX_DG_NF];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) _Pragma("unroll")
  for (int q = 0; q < PLEX_DG_NF; ++q) {
    du[d][q] = 0;
    _Pragma("unroll")
    for (int b = 0; b < PLEX_DIM; ++b) du[d][q] += m[b * PLEX_DIM + d] * a[q * PLEX_DIM + b];
  }
  dg_volume(u, du, k, c, r);
#endif
}

// Terms without derivatives, of node i of element e whose state is u
PLEX_DEVICE void plex_dg_local(const PlexDGArgs &args, int e, int i, const plex_real *u, const plex_real *m,
                               const plex_real *c, plex_real *r)
{
#if PLEX_DG_LOCAL
  dg_local(u, m, c, r);
#endif
#if defined(PLEX_DG_SOURCE)
  plex_dg_add_source(args, e, i, u, r);
#endif
}
