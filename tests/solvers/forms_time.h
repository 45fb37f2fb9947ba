/*
  Pointwise functions of problems in time, as forms.h for those without. Solutions need not be known: results are
  compared with those of PETSc's own assembly.

  reaction   u_t + u^3 - s - div((k0 + k1 u^2) grad u) = 0, s = cos(t) x_0: one residual, of an implicit field
  explicit   u_t = s - u^3 + div((k0 + k1 u^2) grad u): the right-hand side of an explicit field, which has no other
*/
#ifndef PLEX_TEST_FORMS_TIME_H
#define PLEX_TEST_FORMS_TIME_H

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define RESIDUAL(name) \
  static void name(POINT_ARGUMENTS, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], PetscScalar f[])
#define JACOBIAN(name) \
  static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar g[])

RESIDUAL(f0_reaction)
{
  f[0] = u_t[0] + u[0] * u[0] * u[0] - PetscCosReal(t) * x[0];
}

RESIDUAL(f0_explicit)
{
  f[0] = PetscCosReal(t) * x[0] - u[0] * u[0] * u[0];
}

RESIDUAL(f1_conduction)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = (k[0] + k[1] * u[0] * u[0]) * u_x[d];
}

RESIDUAL(f1_explicit)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = -(k[0] + k[1] * u[0] * u[0]) * u_x[d];
}

JACOBIAN(g0_reaction)
{
  g[0] = shift + 3. * u[0] * u[0];
}

JACOBIAN(g2_conduction)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = 2. * k[1] * u[0] * u_x[d];
}

JACOBIAN(g3_conduction)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k[0] + k[1] * u[0] * u[0];
}

#undef POINT_ARGUMENTS
#undef RESIDUAL
#undef JACOBIAN
#endif
