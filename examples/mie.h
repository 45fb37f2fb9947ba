/*
  Mie's series: what a sphere scatters of a plane wave (Bohren and Huffman, Absorption and scattering of light by small
  particles, 1983, chapter 4). With x = k a, psi_n(z) = z j_n(z), xi_n(z) = z h_n(z) and the refractive index m,

    a_n = (m psi_n(m x) psi_n'(x) - psi_n(x) psi_n'(m x))/(m psi_n(m x) xi_n'(x) - xi_n(x) psi_n'(m x))
    b_n = (psi_n(m x) psi_n'(x) - m psi_n(x) psi_n'(m x))/(psi_n(m x) xi_n'(x) - m xi_n(x) psi_n'(m x))

  and a_n = psi_n'/xi_n', b_n = psi_n/xi_n of a perfect conductor.
*/
#ifndef PLEX_MIE_H
#define PLEX_MIE_H

#include <petscsys.h>
#include <complex.h>
#undef I

/* psi[n], n from 0 to most: downwards, where the recurrence is stable */
static inline PetscErrorCode MieBessel(PetscInt most, double _Complex z, double _Complex psi[])
{
  const PetscInt   start = most + 60;
  double _Complex *j, scale;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(start + 2, &j));
  j[start + 1] = 0.;
  j[start]     = 1e-250;
  for (PetscInt n = start; n > 0; --n) {
    j[n - 1] = (2. * n + 1.) / z * j[n] - j[n + 1];
    if (cabs(j[n - 1]) > 1e100)
      for (PetscInt k = n - 1; k <= start; ++k) j[k] *= 1e-150;
  }
  scale = cabs(csin(z)) > 0.1 ? csin(z) / j[0] : (csin(z) / z - ccos(z)) / j[1];
  for (PetscInt n = 0; n <= most; ++n) psi[n] = scale * j[n];
  PetscCall(PetscFree(j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Amplitudes S[0], in the plane of the incident magnetic field, and S[1], of the electric one, at an angle from the
   direction of a wave of wavenumber k that a sphere of radius a scatters. The sphere is a perfect conductor, or has the
   refractive index m = sqrt(epsilon) over that of its surroundings, whose mu it has. m may be complex, for fields
   ~ exp(-i w t): what conducts or absorbs has an imaginary part above 0. Cross-sections are 4 pi |S|^2/k^2 */
static inline PetscErrorCode MieAmplitudes(PetscReal k, PetscReal a, PetscBool conductor, double _Complex m,
                                           PetscReal angle, double _Complex S[2])
{
  const double   x = k * a, mu = PetscCosReal(angle);
  const PetscInt most     = (PetscInt)(x + 4. * PetscPowReal(x, 1. / 3.)) + 10;
  const double _Complex i = __extension__ 1.0i;
  double _Complex *psi, *inner, *xi;
  double           chi[3] = {-PetscCosReal(x), -PetscCosReal(x) / x - PetscSinReal(x), 0.}, pi[2] = {0., 1.};

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(most + 1, &psi, most + 1, &inner, most + 1, &xi));
  PetscCall(MieBessel(most, x, psi));
  if (!conductor) PetscCall(MieBessel(most, m * x, inner));
  for (PetscInt n = 0; n <= most; ++n) { /* x h_n(x) = x j_n + i x y_n */
    xi[n]  = psi[n] + i * chi[0];
    chi[2] = (2. * n + 3.) / x * chi[1] - chi[0];
    chi[0] = chi[1];
    chi[1] = chi[2];
  }
  S[0] = S[1] = 0.;
  for (PetscInt n = 1; n <= most; ++n) {
    const double _Complex dpsi = psi[n - 1] - n / x * psi[n], dxi = xi[n - 1] - n / x * xi[n],
                          dinner = conductor ? 0. : inner[n - 1] - n / (m * x) * inner[n];
    const double _Complex an     = conductor
                                   ? dpsi / dxi
                                   : (m * inner[n] * dpsi - psi[n] * dinner) / (m * inner[n] * dxi - xi[n] * dinner),
                          bn     = conductor
                                   ? psi[n] / xi[n]
                                   : (inner[n] * dpsi - m * psi[n] * dinner) / (inner[n] * dxi - m * xi[n] * dinner);
    const double tau = n * mu * pi[1] - (n + 1) * pi[0], next = ((2 * n + 1) * mu * pi[1] - (n + 1) * pi[0]) / n;

    S[0] += (2. * n + 1.) / (n * (n + 1.)) * (an * pi[1] + bn * tau);
    S[1] += (2. * n + 1.) / (n * (n + 1.)) * (an * tau + bn * pi[1]);
    pi[0] = pi[1];
    pi[1] = next;
  }
  PetscCall(PetscFree3(psi, inner, xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cross-section backwards over pi a^2 */
static inline PetscErrorCode MieBackscatter(PetscReal k, PetscReal a, PetscBool conductor, double _Complex m,
                                            PetscReal *section)
{
  double _Complex S[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(MieAmplitudes(k, a, conductor, m, PETSC_PI, S));
  *section = 4. * PetscSqr(cabs(S[0]) / (k * a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
