/*
  What a body takes from a plane wave and scatters, from the far field A of a wave of size 1, direction d and polarization P:

    extinction = 4 pi/k Im P . A(d),   scattering = integral of |A|^2 over all directions,   absorption = the difference

  and the same of a sphere by Mie's series, where A(d) is i S(0)/k P.
*/
#ifndef PLEX_SECTIONS_H
#define PLEX_SECTIONS_H

#include <plexgpu.h>
#include "mie.h"

#define SECTIONS_RINGS 12 /* of directions, at the points of Gauss' quadrature, with twice as many on each */

/* sections[n][3]: extinction, scattering and absorption over pi at the n wavenumbers of a far field in vacuum; on all processes */
static inline PetscErrorCode SectionsGet(PlexDG dg, PlexDGFarField far, PetscInt n, const PetscReal k[],
                                         PetscReal sections[])
{
  const PetscInt rings = SECTIONS_RINGS, N = 1 + 2 * rings * rings;
  const double _Complex i = __extension__ 1.0i;
  const PetscReal *d, *P;
  PetscReal       *directions, *weights, *A, *g, mu[SECTIONS_RINGS], w[SECTIONS_RINGS];

  PetscFunctionBegin;
  PetscCall(PlexDGGetConstant(dg, "direction", NULL, &d));
  PetscCall(PlexDGGetConstant(dg, "polarization", NULL, &P));
  PetscCall(PetscMalloc4(3 * N, &directions, N, &weights, 6 * (size_t)n * (size_t)N, &A, 2 * n, &g));
  PetscCall(PetscDTGaussQuadrature(rings, -1., 1., mu, w));
  for (int x = 0; x < 3; ++x) directions[x] = d[x];
  weights[0] = 0.;
  for (PetscInt a = 1; a < N; ++a) {
    const PetscInt  ring  = (a - 1) / (2 * rings);
    const PetscReal angle = PETSC_PI * ((a - 1) % (2 * rings)) / rings, rho = PetscSqrtReal(1. - PetscSqr(mu[ring]));

    directions[3 * a]     = mu[ring];
    directions[3 * a + 1] = rho * PetscCosReal(angle);
    directions[3 * a + 2] = rho * PetscSinReal(angle);
    weights[a]            = w[ring] * PETSC_PI / rings;
  }
  PetscCall(PlexDGFarFieldGetAmplitudes(far, N, directions, A));
  PetscCall(PlexDGFarFieldGetSpectrum(far, g));
  for (PetscInt f = 0; f < n; ++f) {
    double _Complex forward = 0.;
    PetscReal sum           = 0.;

    for (PetscInt a = 0; a < N; ++a)
      for (int x = 0; x < 3; ++x) {
        const PetscReal *at             = &A[6 * (f * N + a) + 2 * x];
        const double _Complex amplitude = (at[0] + i * at[1]) / (g[2 * f] + i * g[2 * f + 1]);

        if (!a) forward += P[x] * amplitude;
        sum += weights[a] * (PetscSqr(creal(amplitude)) + PetscSqr(cimag(amplitude)));
      }
    sections[3 * f]     = 4. / k[f] * cimag(forward);
    sections[3 * f + 1] = sum / PETSC_PI;
    sections[3 * f + 2] = sections[3 * f] - sections[3 * f + 1];
  }
  PetscCall(PetscFree4(directions, weights, A, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of a sphere of radius 1 and refractive index m: section[3] */
static inline PetscErrorCode SectionsOfSphere(PetscReal k, PetscBool conductor, double _Complex m, PetscReal section[])
{
  PetscReal mu[2 * SECTIONS_RINGS], w[2 * SECTIONS_RINGS];
  double _Complex S[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(MieAmplitudes(k, 1., conductor, m, 0., S));
  section[0] = 4. / (k * k) * creal(S[0]);
  section[1] = 0.;
  PetscCall(PetscDTGaussQuadrature(2 * SECTIONS_RINGS, -1., 1., mu, w));
  for (int a = 0; a < 2 * SECTIONS_RINGS; ++a) {
    PetscCall(MieAmplitudes(k, 1., conductor, m, PetscAcosReal(mu[a]), S));
    for (int p = 0; p < 2; ++p) section[1] += w[a] / (k * k) * (PetscSqr(creal(S[p])) + PetscSqr(cimag(S[p])));
  }
  section[2] = section[0] - section[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
