// What the kernels of DG with quadrature share: PLEX_DG_NG points an element, PLEX_DG_MG a face, PLEX_DG_AFFINE;
// pointwise functions at points.
#pragma once

#include "dg.cuh"
#include "quadrature_args.h"
#include "numerical_flux.h"

#ifndef PLEX_DG_ENERGY // whether rates are corrected so that energy does not grow
  #define PLEX_DG_ENERGY 0
#endif

#if PLEX_DG_NK
  #define PLEX_DG_COEFFICIENTS(e) ((const plex_real *)args.coefficients + (plex_index)(e) * PLEX_DG_NK)
#else
  #define PLEX_DG_COEFFICIENTS(e) ((const plex_real *)NULL)
#endif
// The system's constants, c of what follows
#define PLEX_DG_CONSTANTS ((const plex_real *)args.constants)

// Numbers k of the coefficients: at point g of element e, and at point g of a trace, inside (KM) or outside (KP), where
// the element is `element`
#ifdef PLEX_DG_VARIABLE
  #define PLEX_DG_NUMBERS (PLEX_DG_NK * (1 + PLEX_DIM))
  #define PLEX_DG_POINT_COEFFICIENTS(k, e, g) \
    plex_real k[PLEX_DG_NUMBERS]; \
    for (int i = 0; i < PLEX_DG_NUMBERS; ++i) \
    k[i] = ((const plex_real *)points.K)[((plex_index)(e) * PLEX_DG_NUMBERS + i) * PLEX_DG_NG + (g)]
  #define PLEX_DG_FACE_COEFFICIENTS(k, K, element, trace, g) \
    plex_real k[PLEX_DG_NUMBERS] = {}; \
    for (int i = 0; i < PLEX_DG_NK; ++i) \
    k[i * (1 + PLEX_DIM)] = ((const plex_real *)points.K)[((plex_index)(trace) * PLEX_DG_NK + i) * PLEX_DG_MG + (g)]
#else
  #define PLEX_DG_POINT_COEFFICIENTS(k, e, g)                const plex_real *k = PLEX_DG_COEFFICIENTS(e)
  #define PLEX_DG_FACE_COEFFICIENTS(k, K, element, trace, g) const plex_real *k = PLEX_DG_COEFFICIENTS(element)
#endif

#ifdef PLEX_DG_SOURCE
  #define PLEX_DG_SOURCES 1
#else
  #define PLEX_DG_SOURCES 0
#endif

// Whether an element's C and normals are numbers. Where PLEX_DG_SCALE is defined these are times the coefficient with
// that number, which lengths are multiplied by; elements are affine but for it
#ifdef PLEX_DG_SCALE
  #define PLEX_DG_STRAIGHT 1
#else
  #define PLEX_DG_STRAIGHT PLEX_DG_AFFINE
#endif

// C[a][d] at point g of element e: numbers PLEX_DG_APART from each other
#define PLEX_DG_APART (PLEX_DG_STRAIGHT ? 1 : PLEX_DG_NG)
PLEX_DEVICE const plex_real *plex_dg_cofactors(const PlexDGPointArgs &points, int e, int g)
{
  return (const plex_real *)points.C + (PLEX_DG_STRAIGHT ? (plex_index)e * (PLEX_DIM * PLEX_DIM)
                                                         : (plex_index)e * (PLEX_DIM * PLEX_DIM * PLEX_DG_NG) + g);
}

// G[a][k] = sum_d C[a][d] F[d][k], equation 2.14
PLEX_DEVICE void plex_dg_to_reference_fluxes(const plex_real *C, const plex_real F[][PLEX_DG_NF],
                                             plex_real G[][PLEX_DG_NF])
{
  _Pragma("unroll")
  for (int a = 0; a < PLEX_DIM; ++a) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DG_NF; ++k) G[a][k] = 0;
    _Pragma("unroll")
    for (int d = 0; d < PLEX_DIM; ++d) {
      const plex_real c = C[(a * PLEX_DIM + d) * PLEX_DG_APART];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_DG_NF; ++k) G[a][k] += c * F[d][k];
    }
  }
}

PLEX_DEVICE plex_real plex_dg_determinant(const PlexDGPointArgs &points, int e, int g)
{
  return PLEX_DG_AFFINE ? (plex_real)1 : ((const plex_real *)points.detJ)[(plex_index)e * PLEX_DG_NG + g];
}

// Sources times det J
PLEX_DEVICE void plex_dg_sources(const PlexDGArgs &args, const PlexDGPointArgs &points, int e, int g,
                                 const plex_real *u, const plex_real *c, plex_real *s)
{
  for (int f = 0; f < PLEX_DG_NF; ++f) s[f] = 0;
#ifdef PLEX_DG_SOURCE
  PLEX_DG_POINT_COEFFICIENTS(k, e, g);

  dg_source(u, points.x ? (const plex_real *)points.x + ((plex_index)e * PLEX_DG_NG + g) * PLEX_DIM : NULL,
            (plex_real)args.t, k, c, s);
#endif
}

// Makes a normal one of length 1; returns its length
PLEX_DEVICE plex_real plex_dg_normalize(plex_real *n)
{
  plex_real scale = 0;

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) scale += n[d] * n[d];
  scale = sqrt(scale);

  const plex_real inverse = plex_reciprocal(scale);

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) n[d] *= inverse;
  return scale;
}

// Outward normal of face f of an affine element, by its cofactors C, of length 1; returns the Jacobian of the face
PLEX_DEVICE plex_real plex_dg_affine_normal(const plex_real *C, int f, plex_real *n)
{
  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) {
    n[d] = 0;
    _Pragma("unroll")
    for (int a = 0; a < PLEX_DIM; ++a) n[d] += plex_dg_reference_normals[f][a] * C[a * PLEX_DIM + d];
  }
  return plex_dg_normalize(n);
}

// Outward normal at point g of a trace, of length 1; returns the Jacobian of the face
PLEX_DEVICE plex_real plex_dg_point_normal(const PlexDGPointArgs &points, plex_index trace, int g, plex_real *n)
{
  const plex_real *normal = (const plex_real *)points.normals +
                            (PLEX_DG_STRAIGHT ? trace * PLEX_DIM : trace * (PLEX_DIM * PLEX_DG_MG) + g);

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) n[d] = normal[d * (PLEX_DG_STRAIGHT ? 1 : PLEX_DG_MG)];
  return plex_dg_normalize(n);
}

// Fluxes F[d] along the coordinates at a point
PLEX_DEVICE void plex_dg_point_flux(const PlexDGArgs &args, const PlexDGPointArgs &points, int e, int g,
                                    const plex_real *u, const plex_real *c, plex_real F[][PLEX_DG_NF])
{
  PLEX_DG_POINT_COEFFICIENTS(k, e, g);

  dg_flux(u, k, c, F);
}

#if PLEX_DG_ENERGY
  #define PLEX_DG_MAX_NODES PLEX_DG_NP
  #include "entropy.h"

// Tables of PlexDGPointArgs.energy
PLEX_DEVICE const plex_real *plex_dg_energy_basis(const PlexDGPointArgs &points)
{
  return (const plex_real *)points.energy;
}
PLEX_DEVICE const plex_real *plex_dg_energy_products(const PlexDGPointArgs &points)
{
  return (const plex_real *)points.energy + PLEX_DG_NG * PLEX_DG_NP;
}
PLEX_DEVICE plex_real plex_dg_energy_weight(const PlexDGPointArgs &points, int g)
{
  return ((const plex_real *)points.energy)[2 * PLEX_DG_NG * PLEX_DG_NP + g];
}
PLEX_DEVICE plex_real plex_dg_energy_face_weight(const PlexDGPointArgs &points, int g)
{
  return plex_dg_energy_weight(points, PLEX_DG_NG + g);
}
PLEX_DEVICE plex_real plex_dg_energy_most(const PlexDGPointArgs &points)
{
  return plex_dg_energy_weight(points, PLEX_DG_NG + PLEX_DG_MG);
}
PLEX_DEVICE plex_real plex_dg_energy_integral(const PlexDGPointArgs &points, int i) // of basis function i, on that
{
  return plex_dg_energy_weight(points, PLEX_DG_NG + PLEX_DG_MG + 1 + i);
}

// Entropy variables w at point g of element e, whose fields are u[NF][NP]; returns the depth
PLEX_DEVICE plex_real plex_dg_energy_variables(const PlexDGPointArgs &points, int e, int g, const plex_real *c,
                                               const plex_real *u, plex_real *w)
{
  const plex_real *phi = plex_dg_energy_basis(points) + g * PLEX_DG_NP;
  plex_real        ug[PLEX_DG_NF];
  PLEX_DG_POINT_COEFFICIENTS(k, e, g);

  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) {
    ug[f] = 0;
    for (int i = 0; i < PLEX_DG_NP; ++i) ug[f] += phi[i] * u[f * PLEX_DG_NP + i];
  }
  return dg_entropy(ug, k, c, w);
}

// Adds point g, with `here` of the weights and depth H there, to the balance a of element e
PLEX_DEVICE void plex_dg_energy_add(const PlexDGPointArgs &points, int e, int g, plex_real H, const plex_real *c,
                                    plex_real *a)
{
  const plex_real weight = plex_dg_energy_weight(points, g), here = weight * plex_dg_determinant(points, e, g);

  a[PLEX_DG_AREA] += here;
  a[PLEX_DG_DEPTH] += here * H;
  a[PLEX_DG_LEAST] = fmin(a[PLEX_DG_LEAST], H - c[PLEX_DG_DRY]);
  a[PLEX_DG_INVERSE] += weight * plex_entropy_size(plex_dg_cofactors(points, e, g), PLEX_DG_APART);
}

PLEX_DEVICE void plex_dg_energy_mean(plex_real *a)
{
  a[PLEX_DG_DEPTH] /= a[PLEX_DG_AREA];
  a[PLEX_DG_INVERSE] /= a[PLEX_DG_AREA];
}

// The correction of the rates r[NF][NP] of element e with fields u[NF][NP], of which `crossing` leaves through faces, by
// one thread
PLEX_DEVICE void plex_dg_energy_correct(const PlexDGPointArgs &points, int e, plex_real crossing, const plex_real *c,
                                        const plex_real *u, plex_real *r)
{
  const plex_real *W2           = plex_dg_energy_products(points),
                  *Minv         = (const plex_real *)points.Minv +
                                  (PLEX_DG_AFFINE ? 0 : (plex_index)e * (PLEX_DG_NP * PLEX_DG_NP));
  plex_real a[PLEX_DG_BALANCES] = {}, B[PLEX_DG_NF * PLEX_DG_NP] = {}, weights[PLEX_DG_NP] = {}, gain = crossing;

  for (int g = 0; g < PLEX_DG_NG; ++g) {
    const plex_real det = plex_dg_determinant(points, e, g);
    plex_real       w[PLEX_DG_NF];

    plex_dg_energy_add(points, e, g, plex_dg_energy_variables(points, e, g, c, u, w), c, a);
    for (int i = 0; i < PLEX_DG_NP; ++i) {
      const plex_real product = W2[g * PLEX_DG_NP + i] * det;

      weights[i] += product;
      for (int k = 0; k < PLEX_DG_NF; ++k) B[k * PLEX_DG_NP + i] += product * w[k];
    }
  }
  plex_dg_energy_mean(a);
  for (int i = 0; i < PLEX_DG_NF * PLEX_DG_NP; ++i) gain += B[i] * r[i];
  if (gain > 0) plex_entropy_correct(PLEX_DG_NP, a, gain, plex_dg_energy_most(points), c, B, weights, Minv, r);
}
#endif

// Numerical flux n.F* = n.F(u-) - (n.F(u-) - n.F*), equation 2.18; facet >= 0: of the boundary, where uP is set here.
// Returns the flux of energy where it is looked at
PLEX_DEVICE plex_real plex_dg_flux_across(const PlexDGArgs &args, int facet, int g, const plex_real *n,
                                          const plex_real *kM, const plex_real *kP, const plex_real *c,
                                          const plex_real *uM, plex_real *uP, plex_real *q)
{
  if (facet >= 0)
    dg_boundary(args.kinds[facet], uM, n,
                args.facets ? (const plex_real *)args.facets + ((plex_index)facet * PLEX_DG_MG + g) * PLEX_DIM : NULL,
                (plex_real)args.t, kM, c, uP);
  plex_flux_star(uM, uP, n, kM, kP, c, q);
#if PLEX_DG_ENERGY
  return plex_entropy_crossing(uM, uP, n, kM, kP, c, q);
#else
  return 0;
#endif
}

// Likewise, out of element e; element: that across
PLEX_DEVICE plex_real plex_dg_numerical_flux(const PlexDGArgs &args, const PlexDGPointArgs &points, plex_index trace,
                                             int e, int element, int facet, int g, const plex_real *n,
                                             const plex_real *c, const plex_real *uM, plex_real *uP, plex_real *q)
{
  PLEX_DG_FACE_COEFFICIENTS(kM, KM, e, trace, g);
  PLEX_DG_FACE_COEFFICIENTS(kP, KP, element, trace, g);

  return plex_dg_flux_across(args, facet, g, n, kM, kP, c, uM, uP, q);
}
