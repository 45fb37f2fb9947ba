/*
  Mie's series: what a sphere scatters of a plane wave (Bohren and Huffman, Absorption and scattering of light by small
  particles, 1983, chapter 4). With x = k a, psi_n(z) = z j_n(z), xi_n(z) = z h_n(z) and the refractive index m,

    a_n = (m psi_n(m x) psi_n'(x) - psi_n(x) psi_n'(m x))/(m psi_n(m x) xi_n'(x) - xi_n(x) psi_n'(m x))
    b_n = (psi_n(m x) psi_n'(x) - m psi_n(x) psi_n'(m x))/(psi_n(m x) xi_n'(x) - m xi_n(x) psi_n'(m x))

  and a_n = psi_n'/xi_n', b_n = psi_n/xi_n of a perfect conductor. Inside c_n and d_n are m i over the denominators of b_n
  and a_n.
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

/* How many terms of the series a sphere of this size needs */
static inline PetscInt MieTerms(PetscReal x)
{
  return (PetscInt)(x + 4. * PetscPowReal(x, 1. / 3.)) + 10;
}

/* psi[n] and xi[n], n from 0 to most */
static inline PetscErrorCode MieHankel(PetscInt most, PetscReal x, double _Complex psi[], double _Complex xi[])
{
  double chi[3] = {-PetscCosReal(x), -PetscCosReal(x) / x - PetscSinReal(x), 0.};

  PetscFunctionBegin;
  PetscCall(MieBessel(most, x, psi));
  for (PetscInt n = 0; n <= most; ++n) { /* x h_n(x) = x j_n + i x y_n */
    xi[n]  = psi[n] + __extension__ 1.0i * chi[0];
    chi[2] = (2. * n + 3.) / x * chi[1] - chi[0];
    chi[0] = chi[1];
    chi[1] = chi[2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coefficients[most + 1][4], from 1 on: a_n and b_n of what is scattered, and of the field inside c_n and d_n, 0 in a
   conductor */
static inline PetscErrorCode MieCoefficients(PetscReal x, PetscBool conductor, double _Complex m, PetscInt most,
                                             double _Complex coefficients[])
{
  const double _Complex i = __extension__ 1.0i;
  double _Complex *psi, *inner, *xi;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(most + 1, &psi, most + 1, &inner, most + 1, &xi));
  PetscCall(MieHankel(most, x, psi, xi));
  if (!conductor) PetscCall(MieBessel(most, m * x, inner));
  for (PetscInt n = 1; n <= most; ++n) {
    const double _Complex dpsi = psi[n - 1] - n / x * psi[n], dxi = xi[n - 1] - n / x * xi[n],
                          dinner   = conductor ? 0. : inner[n - 1] - n / (m * x) * inner[n];
    const double _Complex electric = m * inner[n] * dxi - xi[n] * dinner,
                          magnetic = inner[n] * dxi - m * xi[n] * dinner;
    double _Complex *c             = &coefficients[4 * n];

    c[0] = conductor ? dpsi / dxi : (m * inner[n] * dpsi - psi[n] * dinner) / electric;
    c[1] = conductor ? psi[n] / xi[n] : (inner[n] * dpsi - m * psi[n] * dinner) / magnetic;
    c[2] = conductor ? 0. : m * i / magnetic; /* psi xi' - xi psi' = i */
    c[3] = conductor ? 0. : m * i / electric;
  }
  PetscCall(PetscFree3(psi, inner, xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Amplitudes S[0], in the plane of the incident magnetic field, and S[1], of the electric one, at an angle from the
   direction of a wave of wavenumber k that a sphere of radius a scatters. The sphere is a perfect conductor, or has the
   refractive index m = sqrt(epsilon) over that of its surroundings, whose mu it has. m may be complex, for fields
   ~ exp(-i w t): what conducts or absorbs has an imaginary part above 0. Cross-sections are 4 pi |S|^2/k^2 */
static inline PetscErrorCode MieAmplitudes(PetscReal k, PetscReal a, PetscBool conductor, double _Complex m,
                                           PetscReal angle, double _Complex S[2])
{
  const double     mu   = PetscCosReal(angle);
  const PetscInt   most = MieTerms(k * a);
  double _Complex *coefficients;
  double           pi[2] = {0., 1.};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (most + 1), &coefficients));
  PetscCall(MieCoefficients(k * a, conductor, m, most, coefficients));
  S[0] = S[1] = 0.;
  for (PetscInt n = 1; n <= most; ++n) {
    const double _Complex *c = &coefficients[4 * n];
    const double tau = n * mu * pi[1] - (n + 1) * pi[0], next = ((2 * n + 1) * mu * pi[1] - (n + 1) * pi[0]) / n;

    S[0] += (2. * n + 1.) / (n * (n + 1.)) * (c[0] * pi[1] + c[1] * tau);
    S[1] += (2. * n + 1.) / (n * (n + 1.)) * (c[0] * tau + c[1] * pi[1]);
    pi[0] = pi[1];
    pi[1] = next;
  }
  PetscCall(PetscFree(coefficients));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E at the point x, of which x[2] is along the direction of a wave of wavenumber k and x[0] along its electric field, of
   size 1 and phase 0 at the middle of a sphere of radius a: all of it, inside and outside. With rho = k r, or m k r
   inside, Z = xi or psi, and E_n = i^n (2 n + 1)/(n (n + 1)) the series is the sum of E_n (i a_n N - b_n M), inside of
   E_n (c_n M - i d_n N), of

     M = (0, cos(phi) pi_n Z/rho, -sin(phi) tau_n Z/rho)
     N = (cos(phi) n (n + 1) sin(theta) pi_n Z/rho^2, cos(phi) tau_n Z'/rho, -sin(phi) pi_n Z'/rho) */
static inline PetscErrorCode MieField(PetscReal k, PetscReal a, PetscBool conductor, double _Complex m,
                                      const PetscReal x[3], double _Complex E[3])
{
  const PetscInt  most   = MieTerms(k * a);
  const double    across = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]), r = PetscSqrtReal(across * across + x[2] * x[2]),
                  cosine = x[2] / r, sine = across / r, c = across > 0. ? x[0] / across : 1.,
                  s       = across > 0. ? x[1] / across : 0.;
  const PetscBool inside  = (PetscBool)(r < a);
  const double _Complex i = __extension__ 1.0i, rho = (inside ? m : 1.) * k * r;
  double _Complex *coefficients, *psi, *Z, power = 1., polar[3] = {0., 0., 0.};
  double           pi[2] = {0., 1.};

  PetscFunctionBegin;
  E[0] = inside ? 0. : cexp(i * k * x[2]);
  E[1] = E[2] = 0.;
  if (inside && conductor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3(4 * (most + 1), &coefficients, most + 1, &psi, most + 1, &Z));
  PetscCall(MieCoefficients(k * a, conductor, m, most, coefficients));
  if (inside) PetscCall(MieBessel(most, rho, Z));
  else PetscCall(MieHankel(most, k * r, psi, Z));
  for (PetscInt n = 1; n <= most; ++n) {
    const double _Complex *q = &coefficients[4 * n], dZ = Z[n - 1] - n / rho * Z[n];
    const double           tau  = n * cosine * pi[1] - (n + 1) * pi[0],
                           next = ((2 * n + 1) * cosine * pi[1] - (n + 1) * pi[0]) / n;
    double _Complex size, M, N;

    power *= i;
    size = power * (2. * n + 1.) / (n * (n + 1.)) / rho;
    M    = inside ? size * q[2] : -size * q[1];
    N    = inside ? -i * size * q[3] : i * size * q[0];
    polar[0] += N * c * (n * (n + 1)) * sine * pi[1] * Z[n] / rho;
    polar[1] += c * (M * pi[1] * Z[n] + N * tau * dZ);
    polar[2] -= s * (M * tau * Z[n] + N * pi[1] * dZ);
    pi[0] = pi[1];
    pi[1] = next;
  }
  E[0] += sine * c * polar[0] + cosine * c * polar[1] - s * polar[2];
  E[1] += sine * s * polar[0] + cosine * s * polar[1] + c * polar[2];
  E[2] += cosine * polar[0] - sine * polar[1];
  PetscCall(PetscFree3(coefficients, psi, Z));
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
