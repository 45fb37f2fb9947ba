/* Forms for the test pmg: plain C that PETSc's compiler and the device's both read */
#ifndef PLEX_TEST_PMG_H
#define PLEX_TEST_PMG_H

#define POINT \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define ARGUMENTS const PetscReal x[], PetscInt numConstants, const PetscScalar constants[]

static void f0_one(POINT, ARGUMENTS, PetscScalar f0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) f0[c] = -1.;
}

static void f0_load(POINT, ARGUMENTS, PetscScalar f0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) f0[c] = -0.1;
}

static void f0_mass(POINT, ARGUMENTS, PetscScalar f0[])
{
  f0[0] = u[0] - x[0];
}

static void f1_laplace(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[d];
}

static void g0_mass(POINT, PetscReal shift, ARGUMENTS, PetscScalar g0[])
{
  g0[0] = 1.;
}

static void g3_laplace(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.;
}

/* a grad u, a an auxiliary field */
static void f1_auxiliary(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = a[0] * u_x[d];
}

static void g3_auxiliary(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = a[0];
}

/* du/dn = -u */
static void f0_robin(POINT, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                     const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = u[0];
}

static void g0_robin(POINT, PetscReal shift, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                     const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = 1.;
}

/* 2 eps + (div u) I, eps the strain */
static void f1_elastic(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      f1[c * dim + d] += u_x[c * dim + d] + u_x[d * dim + c];
      f1[c * dim + c] += u_x[d * dim + d];
    }
  }
}

static void g3_elastic(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g3[((c * dim + c) * dim + d) * dim + d] += 1.;
      g3[((c * dim + d) * dim + d) * dim + c] += 1.;
      g3[((c * dim + d) * dim + c) * dim + d] += 1.;
    }
  }
}

/* Plane strain of a compressible neo-Hookean material, mu = 1, lambda = 2: P = F - F^-T + 2 ln(J) F^-T. inverse: F^-1 */
static PetscScalar neohooke(const PetscScalar u_x[], PetscScalar F[4], PetscScalar inverse[4])
{
  PetscScalar J;

  for (PetscInt d = 0; d < 4; ++d) F[d] = u_x[d] + (d % 3 ? 0. : 1.);
  J          = F[0] * F[3] - F[1] * F[2];
  inverse[0] = F[3] / J;
  inverse[1] = -F[1] / J;
  inverse[2] = -F[2] / J;
  inverse[3] = F[0] / J;
  return J;
}

static void f1_neohooke(POINT, ARGUMENTS, PetscScalar f1[])
{
  PetscScalar F[4], inverse[4], s = 2. * PetscLogScalar(neohooke(u_x, F, inverse)) - 1.;

  for (PetscInt i = 0; i < 2; ++i)
    for (PetscInt A = 0; A < 2; ++A) f1[i * 2 + A] = F[i * 2 + A] + s * inverse[A * 2 + i];
}

static void g3_neohooke(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  PetscScalar F[4], inverse[4], s = 1. - 2. * PetscLogScalar(neohooke(u_x, F, inverse));

  for (PetscInt i = 0; i < 2; ++i)
    for (PetscInt j = 0; j < 2; ++j)
      for (PetscInt A = 0; A < 2; ++A)
        for (PetscInt B = 0; B < 2; ++B)
          g3[((i * 2 + j) * 2 + A) * 2 + B] = (i == j && A == B ? 1. : 0.) +
                                              s * inverse[A * 2 + j] * inverse[B * 2 + i] +
                                              2. * inverse[A * 2 + i] * inverse[B * 2 + j];
}

/* A velocity and a pressure of a fluid that can be compressed: -lap u + grad p = 1, div u + p = x_0 */
static void f1_fluid_u(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f1[c * dim + d] = u_x[c * dim + d];
    f1[c * dim + c] -= u[uOff[1]];
  }
}

static void f0_fluid_p(POINT, ARGUMENTS, PetscScalar f0[])
{
  f0[0] = u[uOff[1]] - x[0];
  for (PetscInt d = 0; d < dim; ++d) f0[0] += u_x[d * dim + d];
}

static void g3_fluid_uu(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) g3[((c * dim + c) * dim + d) * dim + d] = 1.;
}

static void g2_fluid_up(POINT, PetscReal shift, ARGUMENTS, PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d * dim + d] = -1.;
}

static void g1_fluid_pu(POINT, PetscReal shift, ARGUMENTS, PetscScalar g1[])
{
  for (PetscInt d = 0; d < dim; ++d) g1[d * dim + d] = 1.;
}

/* -div((1 + u^2) grad u) = 10 */
static void f0_nonlinear(POINT, ARGUMENTS, PetscScalar f0[])
{
  f0[0] = -10.;
}

static void f1_nonlinear(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = (1. + u[0] * u[0]) * u_x[d];
}

static void g2_nonlinear(POINT, PetscReal shift, ARGUMENTS, PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d] = 2. * u[0] * u_x[d];
}

static void g3_nonlinear(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1. + u[0] * u[0];
}

#undef POINT
#undef ARGUMENTS
#endif
