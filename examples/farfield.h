/*
  The far field of a scatterer, from its fields on a sphere around it (Harrington, Time-Harmonic Electromagnetic Fields,
  3.5 and 6.9)

  With fields Re F exp(-i w t) and currents J = n x H, M = -n x E on the sphere S, epsilon = mu = 1, far away in the
  direction r

    E = i k/(4 pi) exp(i k |x|)/|x| (N - r (r.N) - r x L)
    N = int_S J exp(-i k r.x) dS,   L = int_S M exp(-i k r.x) dS

  The cross-section is 4 pi |x|^2 |E|^2 over that of the incident wave. F comes from a sum over the samples of one
  period.
*/
#ifndef PLEX_FARFIELD_H
#define PLEX_FARFIELD_H

#include <plexgpu.h>
#include <petscdt.h>
#include <complex.h>
#undef I

typedef double _Complex FarComplex;
#define FAR_I __extension__ 1.0i

/* Amplitudes at points: of what, and the sum so far */
typedef struct {
  PetscInt     n;
  PetscReal   *points;  /* [n][3] */
  PetscReal   *weights; /* [n] of a quadrature of the sphere; NULL: none */
  PetscBool   *outside; /* [n] of the mesh; NULL: none may be */
  PlexDGProbes probes;
  PetscReal   *values; /* [n][6] at one time */
  FarComplex  *sum;    /* [n][6] */
} Amplitudes;

static inline PetscErrorCode AmplitudesCreate(PlexDG dg, PetscInt n, PetscReal *points, PetscReal *weights,
                                              PetscBool mayBeOutside, Amplitudes *a)
{
  PetscFunctionBegin;
  a->n       = n;
  a->points  = points;
  a->weights = weights;
  a->outside = NULL;
  if (mayBeOutside) PetscCall(PetscMalloc1(n, &a->outside));
  PetscCall(PetscMalloc1(6 * n, &a->values));
  PetscCall(PetscCalloc1(6 * n, &a->sum));
  PetscCall(PlexDGProbesCreate(dg, n, points, a->outside, &a->probes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode AmplitudesDestroy(Amplitudes *a)
{
  PetscFunctionBegin;
  PetscCall(PlexDGProbesDestroy(&a->probes));
  PetscCall(PetscFree(a->points));
  PetscCall(PetscFree(a->weights));
  PetscCall(PetscFree(a->outside));
  PetscCall(PetscFree(a->values));
  PetscCall(PetscFree(a->sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of `samples` a period at angle w t */
static inline PetscErrorCode AmplitudesAdd(Amplitudes *a, Vec U, PetscReal angle, PetscInt samples)
{
  const FarComplex phase = (PetscCosReal(angle) + FAR_I * PetscSinReal(angle)) * 2. / samples;

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(a->probes, U, a->values));
  for (PetscInt k = 0; k < 6 * a->n; ++k) a->sum[k] += phase * a->values[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of a quadrature on the sphere: Gauss in the height, equidistant around; exact for spherical harmonics of
   degree less than 2 m */
static inline PetscErrorCode AmplitudesCreateSphere(PlexDG dg, PetscInt m, PetscReal radius, const PetscReal center[],
                                                    Amplitudes *a)
{
  PetscReal *height, *weight, *points, *weights;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m, &height, m, &weight));
  PetscCall(PetscDTGaussQuadrature(m, -1., 1., height, weight));
  PetscCall(PetscMalloc1(6 * m * m, &points));
  PetscCall(PetscMalloc1(2 * m * m, &weights));
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < 2 * m; ++j) {
      const PetscReal ring = radius * PetscSqrtReal(1. - PetscSqr(height[i])), angle = PETSC_PI * j / m;
      PetscReal      *x = &points[3 * (2 * m * i + j)];

      x[0] = center[0] + ring * PetscCosReal(angle);
      x[1] = center[1] + ring * PetscSinReal(angle);
      x[2] = center[2] + radius * height[i];

      weights[2 * m * i + j] = PetscSqr(radius) * weight[i] * PETSC_PI / m;
    }
  }
  PetscCall(PetscFree2(height, weight));
  PetscCall(AmplitudesCreate(dg, 2 * m * m, points, weights, PETSC_FALSE, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline void FarCross(const FarComplex a[], const FarComplex b[], FarComplex r[])
{
  for (int d = 0; d < 3; ++d) r[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* The cross-section in direction r, of a wave of amplitude 1; fields on the sphere around the centre */
static inline PetscReal FarCrossSection(const Amplitudes *a, PetscReal k, const PetscReal center[], const PetscReal r[])
{
  FarComplex N[3] = {0., 0., 0.}, L[3] = {0., 0., 0.}, R[3], rL[3], along = 0.;
  PetscReal  sum = 0.;

  for (int d = 0; d < 3; ++d) R[d] = r[d];
  for (PetscInt p = 0; p < a->n; ++p) {
    FarComplex normal[3], nE[3], nH[3], factor;
    PetscReal  length = 0., phase = 0.;

    for (int d = 0; d < 3; ++d) {
      const PetscReal x = a->points[3 * p + d] - center[d];

      normal[d] = x;
      length += x * x;
      phase -= k * r[d] * x;
    }
    factor = a->weights[p] / PetscSqrtReal(length) * (PetscCosReal(phase) + FAR_I * PetscSinReal(phase));
    FarCross(normal, &a->sum[6 * p], nE);
    FarCross(normal, &a->sum[6 * p + 3], nH);
    for (int d = 0; d < 3; ++d) {
      N[d] += factor * nH[d];
      L[d] -= factor * nE[d];
    }
  }
  FarCross(R, L, rL);
  for (int d = 0; d < 3; ++d) along += r[d] * N[d];
  for (int d = 0; d < 3; ++d) {
    const FarComplex E = N[d] - r[d] * along - rL[d];

    sum += PetscSqr(creal(E)) + PetscSqr(cimag(E));
  }
  return k * k / (4. * PETSC_PI) * sum;
}

/* Backscatter of a conducting sphere over pi a^2, by Mie's series: |sum_n (-1)^n (2n + 1) (b_n - a_n)|^2/x^2, x = k a,
   a_n = S_n/X_n, b_n = S_n'/X_n', S_n = x j_n(x), X_n = x h_n(x) */
static inline PetscReal FarMieBackscatter(PetscReal x)
{
  const int  most = (int)(x + 4. * PetscPowReal(x, 1. / 3.)) + 8, start = most + 30;
  PetscReal *j, y[3] = {-PetscCosReal(x) / x, -PetscCosReal(x) / (x * x) - PetscSinReal(x) / x, 0.}, scale;
  FarComplex sum = 0.;

  if (PetscMalloc1(start + 2, &j)) return 0.;
  j[start + 1] = 0.; /* downwards, where the recurrence is stable */
  j[start]     = 1e-30;
  for (int n = start; n > 0; --n) {
    j[n - 1] = (2 * n + 1) / x * j[n] - j[n + 1];
    if (PetscAbsReal(j[n - 1]) > 1e100)
      for (int m = n - 1; m <= start; ++m) j[m] *= 1e-100;
  }
  scale = PetscAbsReal(PetscSinReal(x)) > 0.1 ? PetscSinReal(x) / x / j[0]
                                              : (PetscSinReal(x) / (x * x) - PetscCosReal(x) / x) / j[1];
  for (int n = 1; n <= most; ++n) {
    /* y[1] is y_n */
    const FarComplex S = x * scale * j[n], S1 = x * scale * j[n - 1], X = S + FAR_I * x * y[1],
                     X1 = S1 + FAR_I * x * y[0];

    sum += (n % 2 ? -1. : 1.) * (2 * n + 1) * ((S1 - n / x * S) / (X1 - n / x * X) - S / X);
    y[2] = (2 * n + 1) / x * y[1] - y[0];
    y[0] = y[1];
    y[1] = y[2];
  }
  (void)PetscFree(j);
  return (PetscSqr(creal(sum)) + PetscSqr(cimag(sum))) / (x * x);
}

#endif
