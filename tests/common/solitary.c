#include "solitary.h"
#include <math.h>

/*
  Linear, off the toe: incident waves A exp(-i k (x + t)) with the spectrum of 1/cosh^2,

    H/cosh(K s)^2 = int A(k) exp(-i k s) dk,   A = 2/3 k/sinh(pi k/(2 K)),   H = 4 K^2/3,   s = x + t - X

  On the beach eta = C J0(2 k sqrt(x cot)) exp(-i k t) is the bounded solution. eta and its slope are continuous at the toe
  x = cot, so that with z = 2 k cot

    C = 2 A exp(-i k (cot - X))/(J0(z) - i J1(z)),   and B = C (J0(z) + i J1(z))/2 exp(i k (x - cot - t)) leaves

  (Synolakis 1987). Nonlinear, with the slope b = 1/cot: Riemann invariants 2 c +- (u - b t), c^2 the depth of
  the water, as variables sigma = 2 c and lambda = b t - u make the equations linear (Carrier and Greenspan, J. Fluid Mech.
  4 (1958)). In these variables

    eta + u^2/2 = sum C J0(k cot sigma) exp(-i k cot lambda)
    u           = sum 2 i C J1(k cot sigma)/sigma exp(-i k cot lambda)

  which are the linear ones where u is small.
*/

#define SPACING 0.004 /* of wave numbers: repeats after 2 pi/SPACING in time; the rule converges exponentially */
#define POINTS  512
#define SIGMA   (2.2 / (POINTS - 1)) /* the toe has 2 sqrt(1 + eta) */

PetscErrorCode PlexTestSolitaryCreate(PetscReal H, PlexTestSolitary *w)
{
  PetscInt n;

  PetscFunctionBegin;
  w->height = H;
  w->decay  = PetscSqrtReal(0.75 * H);
  w->center = PLEX_TEST_COT + PetscLogReal(PetscSqrtReal(20.) + PetscSqrtReal(19.)) / w->decay;
  w->n = n = (PetscInt)PetscCeilReal(36. * 2. * w->decay / PETSC_PI / SPACING); /* then A < exp(-36) */
  PetscCall(PetscMalloc6(n, &w->number, 2 * n, &w->wave, 2 * n, &w->toe, (size_t)2 * n * POINTS, &w->bessel, POINTS,
                         &w->x, POINTS, &w->eta));
  for (PetscInt m = 0; m < n; ++m) { /* midpoints, and their negatives, whose waves are conjugate */
    const PetscReal k = (m + 0.5) * SPACING, A = 2. / 3. * k / sinh(0.5 * PETSC_PI * k / w->decay) * 2. * SPACING,
                    phase = k * (w->center - PLEX_TEST_COT), a = j0(2. * k * PLEX_TEST_COT),
                    b = j1(2. * k * PLEX_TEST_COT), c = PetscCosReal(phase), s = PetscSinReal(phase);

    w->number[m]       = k;
    w->wave[2 * m]     = 2. * A * (a * c - b * s) / (a * a + b * b);
    w->wave[2 * m + 1] = 2. * A * (a * s + b * c) / (a * a + b * b);
    w->toe[2 * m]      = 0.5 * (a * w->wave[2 * m] - b * w->wave[2 * m + 1]);
    w->toe[2 * m + 1]  = 0.5 * (a * w->wave[2 * m + 1] + b * w->wave[2 * m]);
    for (PetscInt i = 0; i < POINTS; ++i) {
      const PetscReal kappa = PLEX_TEST_COT * k, sigma = i * SIGMA;

      w->bessel[2 * (i * n + m)]     = j0(kappa * sigma);
      w->bessel[2 * (i * n + m) + 1] = i ? 2. * j1(kappa * sigma) / sigma : kappa;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestSolitaryDestroy(PlexTestSolitary *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(w->number, w->wave, w->toe, w->bessel, w->x, w->eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexTestBeachDepth(PetscReal x)
{
  return PetscMin(1., x / PLEX_TEST_COT);
}

PetscReal PlexTestSolitaryInitial(const PlexTestSolitary *w, PetscReal x)
{
  return w->height / PetscSqr(cosh(w->decay * (x - w->center)));
}

/* At a point of sigma: u, its derivative by lambda, eta + u^2/2 */
static void Transformed(const PlexTestSolitary *w, PetscInt point, PetscReal lambda, PetscReal *u, PetscReal *slope,
                        PetscReal *head)
{
  const PetscReal *bessel = &w->bessel[(size_t)2 * w->n * point];
  const PetscReal  dc     = PetscCosReal(PLEX_TEST_COT * SPACING * lambda),
                   ds     = PetscSinReal(PLEX_TEST_COT * SPACING * lambda);
  PetscReal        c      = PetscCosReal(0.5 * PLEX_TEST_COT * SPACING * lambda),
                   s      = PetscSinReal(0.5 * PLEX_TEST_COT * SPACING * lambda);

  *u = *slope = *head = 0.;
  for (PetscInt m = 0; m < w->n; ++m) { /* c + i s = exp(i k cot lambda) */
    const PetscReal re = w->wave[2 * m] * c + w->wave[2 * m + 1] * s, im = w->wave[2 * m + 1] * c - w->wave[2 * m] * s,
                    next = c * dc - s * ds;

    *head += bessel[2 * m] * re;
    *u -= bessel[2 * m + 1] * im;
    *slope += bessel[2 * m + 1] * PLEX_TEST_COT * w->number[m] * re;
    s = s * dc + c * ds;
    c = next;
  }
}

PetscErrorCode PlexTestSolitarySetTime(PlexTestSolitary *w, PetscReal t)
{
  PetscReal lambda = t / PLEX_TEST_COT;

  PetscFunctionBegin;
  w->time = t;
  for (PetscInt i = POINTS - 1; i >= 0; --i) {
    PetscReal u = 0., slope = 0., head = 0., step = 1.;
    PetscInt  k;

    for (k = 0; k < 100 && PetscAbsReal(step) > 1e-12; ++k) { /* lambda + u = b t, by Newton's method */
      Transformed(w, i, lambda, &u, &slope, &head);
      step = (lambda + u - t / PLEX_TEST_COT) / (1. + slope);
      lambda -= step;
    }
    PetscCheck(k < 100 && 1. + slope > 0., PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "The wave of %g breaks at time %g",
               (double)w->height, (double)t);
    w->eta[i] = head - 0.5 * u * u;
    w->x[i]   = PLEX_TEST_COT * (PetscSqr(0.5 * i * SIGMA) - w->eta[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexTestSolitaryElevation(const PlexTestSolitary *w, PetscReal x)
{
  PetscReal eta, part;
  PetscInt  low = 0, high = POINTS - 1;

  if (x < PLEX_TEST_COT) {
    if (x <= w->x[0]) return -x / PLEX_TEST_COT;
    while (high - low > 1) {
      const PetscInt middle = (low + high) / 2;

      *(w->x[middle] > x ? &high : &low) = middle;
    }
    part = (x - w->x[low]) / (w->x[high] - w->x[low]);
    return (1. - part) * w->eta[low] + part * w->eta[high];
  }
  eta = PlexTestSolitaryInitial(w, x + w->time);
  for (PetscInt m = 0; m < w->n; ++m) {
    const PetscReal phase = w->number[m] * (x - PLEX_TEST_COT - w->time);

    eta += w->toe[2 * m] * PetscCosReal(phase) - w->toe[2 * m + 1] * PetscSinReal(phase);
  }
  return eta;
}

PetscReal PlexTestSolitaryRunup(const PlexTestSolitary *w)
{
  PetscReal begin = 0., end = 2. * w->center / PLEX_TEST_COT, at = 0., R = 0.;

  for (PetscInt level = 0; level < 4; ++level) { /* there u = 0, and the shore as high as that of linear waves */
    const PetscReal step = (end - begin) / 100.;

    for (PetscInt i = 0; i <= 100; ++i) {
      PetscReal u, slope, head;

      Transformed(w, 0, begin + i * step, &u, &slope, &head);
      if (head > R) {
        R  = head;
        at = begin + i * step;
      }
    }
    begin = at - step;
    end   = at + step;
  }
  return R;
}
