/*
  Amplitudes at points of fields Re F exp(-i w t), by a sum over the samples of one period; and Mie's series
*/
#ifndef PLEX_FARFIELD_H
#define PLEX_FARFIELD_H

#include <plexgpu.h>
#include <complex.h>
#undef I

typedef double _Complex FarComplex;
#define FAR_I __extension__ 1.0i

/* Amplitudes at points: of what, and the sum so far */
typedef struct {
  PetscInt     n;
  PetscReal   *points;  /* [n][3] */
  PetscBool   *outside; /* [n] of the mesh; NULL: none may be */
  PlexDGProbes probes;
  PetscReal   *values; /* [n][6] at one time */
  FarComplex  *sum;    /* [n][6] */
} Amplitudes;

static inline PetscErrorCode AmplitudesCreate(PlexDG dg, PetscInt n, PetscReal *points, PetscBool mayBeOutside,
                                              Amplitudes *a)
{
  PetscFunctionBegin;
  a->n       = n;
  a->points  = points;
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
