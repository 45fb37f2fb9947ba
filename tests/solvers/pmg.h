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
