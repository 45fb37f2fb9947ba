/* The right-hand side of examples/helmholtz.h as a pointwise function of PETSc, constants[0] sin(2 pi x) sin(2 pi y):
   read by both compilers */
#ifndef HELMHOLTZ_SOURCE_H
#define HELMHOLTZ_SOURCE_H

static void helmholtz_source(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                             const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                             const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                             const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                             PetscInt numConstants, const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = constants[0] * PetscSinReal(2. * PETSC_PI * x[0]) * PetscSinReal(2. * PETSC_PI * x[1]);
}
#endif
