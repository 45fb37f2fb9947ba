// What both kernels of curved elements have in common: how much of an equation is in strong form, numbers of a point,
// the flux along a vector. The method is that of plexgpu/dg_curved_loops.h and src/dg/impls/curved/host.c.
#pragma once

#include "source.cuh"
#include "stage.cuh"

// How much of equation k is in strong form
#ifdef PLEX_DG_STRONG
static __device__ constexpr bool plex_dg_is_strong(int k)
{
  return (PLEX_DG_STRONG) >> k & 1;
}
static __device__ constexpr bool plex_dg_is_weak(int k)
{
  return !plex_dg_is_strong(k);
}
  #define PLEX_DG_HALF ((plex_real)1)
#else
static __device__ constexpr bool plex_dg_is_strong(int k)
{
  return k >= 0;
}
static __device__ constexpr bool plex_dg_is_weak(int k)
{
  return k >= 0;
}
  #define PLEX_DG_HALF ((plex_real)0.5)
#endif

// Numbers of a point: S of strong equations, then G of the others along each reference coordinate
static __device__ constexpr int plex_dg_strong_before(int k)
{
  int n = 0;

  for (int i = 0; i < k; ++i) n += plex_dg_is_strong(i);
  return n;
}
static __device__ constexpr int plex_dg_weak_before(int k)
{
  int n = 0;

  for (int i = 0; i < k; ++i) n += plex_dg_is_weak(i);
  return n;
}
#define PLEX_DG_NS           (plex_dg_strong_before(PLEX_DG_NF))
#define PLEX_DG_NG_ROW(k, a) (PLEX_DG_NS + plex_dg_weak_before(k) * PLEX_DIM + (a))
#define PLEX_DG_ROWS         (PLEX_DG_NS + plex_dg_weak_before(PLEX_DG_NF) * PLEX_DIM)

// Coefficients that vary in elements: src/dg/interface/graded.c
#ifdef PLEX_DG_GRADED
  #define PLEX_DG_INVERSES      PLEX_DG_WEIGHTS
  #define PLEX_DG_INVERSE_OF(f) PLEX_DG_WEIGHT_OF(f)

// The flux of coefficients at a point, of both sides k[2 NK], those of field q `stride` apart, divided by the weights of the
// element, whose coefficients are `own`
template <int stride>
PLEX_DEVICE void plex_dg_graded_flux(const plex_real *uM, const plex_real *uP, const plex_real *n, const plex_real *k,
                                     const plex_real *own, const plex_real *c, plex_real *flux)
{
  plex_real kM[PLEX_DG_NK], kP[PLEX_DG_NK], here[PLEX_DG_WEIGHTS], element[PLEX_DG_WEIGHTS];

  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_NK; ++i) {
    kM[i] = k[i * stride];
    kP[i] = k[(PLEX_DG_NK + i) * stride];
  }
  dg_face(uM, uP, n, kM, kP, c, flux);
  dg_weights(kM, c, here);
  dg_weights(own, c, element);
  _Pragma("unroll")
  for (int i = 0; i < PLEX_DG_WEIGHTS; ++i) here[i] /= element[i];
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) flux[f] *= here[PLEX_DG_WEIGHT_OF(f)];
}
#else
  #define PLEX_DG_INVERSES      1
  #define PLEX_DG_INVERSE_OF(f) 0
#endif

// Two neighbouring numbers, the first at an even place
struct alignas(2 * sizeof(plex_real)) PlexDGPair {
  plex_real v[2];
};
PLEX_DEVICE PlexDGPair plex_dg_pair(const plex_real *at)
{
  return *(const PlexDGPair *)at;
}

// r = V(0, n u): minus the flux along n
PLEX_DEVICE void plex_dg_along(const plex_real *u, const plex_real *n, const plex_real *k, const plex_real *c,
                               plex_real *r)
{
  plex_real zero[PLEX_DG_NF] = {}, du[PLEX_DIM][PLEX_DG_NF];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) du[d][f] = n[d] * u[f];
  dg_volume(zero, du, k, c, r);
}

// S of a point in r, or its part of n reference coordinates, along which fields have the derivatives dr
template <int n>
PLEX_DEVICE void plex_dg_strong(const plex_real (*dr)[PLEX_DG_NF], const plex_real (*cofactors)[PLEX_DIM],
                                const plex_real *k, const plex_real *c, plex_real *r)
{
  plex_real zero[PLEX_DG_NF] = {}, du[PLEX_DIM][PLEX_DG_NF];

  _Pragma("unroll")
  for (int d = 0; d < PLEX_DIM; ++d) _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) {
    du[d][f] = 0;
    _Pragma("unroll")
    for (int a = 0; a < n; ++a) du[d][f] += cofactors[a][d] * dr[a][f];
  }
  dg_volume(zero, du, k, c, r);
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) r[f] *= PLEX_DG_HALF;
}

// Terms without derivatives at node i of the element, whose state is u there, to its rates; x: [NP][DIM] the element's
// nodes, or NULL
PLEX_DEVICE void plex_dg_add_local(const plex_real *u, const plex_real *x, double t, const plex_real *k,
                                   const plex_real *c, plex_real *rates)
{
  plex_real r[PLEX_DG_NF], none[PLEX_DIM][PLEX_DG_NF] = {};

  dg_volume(u, none, k, c, r);
#ifdef PLEX_DG_SOURCE
  plex_real s[PLEX_DG_NF] = {};

  dg_source(u, x, (plex_real)t, k, c, s);
  for (int f = 0; f < PLEX_DG_NF; ++f) r[f] += s[f];
#else
  (void)x;
  (void)t;
#endif
  _Pragma("unroll")
  for (int f = 0; f < PLEX_DG_NF; ++f) rates[f] += r[f];
}
