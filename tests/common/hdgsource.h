/* A source as pointwise function of PETSc, read by both compilers */
#ifndef HDGSOURCE_H
#define HDGSOURCE_H

/* constants[0] (1 + x y) + constants[1] sin(3 z) + t */
static void hdg_source(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                       PetscScalar f0[])
{
  f0[0] = constants[0] * (1. + x[0] * x[1]) + constants[1] * PetscSinReal(3. * x[dim - 1]) + t;
}
#endif
