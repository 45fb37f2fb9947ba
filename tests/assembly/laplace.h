/* Diffusion, for tests of what auto chooses: plain C that PETSc's compiler and the device's both read */
#ifndef PLEX_TEST_LAPLACE_H
#define PLEX_TEST_LAPLACE_H

#define POINT \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define ARGUMENTS const PetscReal x[], PetscInt numConstants, const PetscScalar constants[]

static void f1_laplace(POINT, ARGUMENTS, PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[d];
}

static void g3_laplace(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.;
}

static void g3_nonlinear(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1. + u[0] * u[0];
}

#undef POINT
#undef ARGUMENTS
#endif
