/* A source that may be infinite, as pointwise function of PETSc, read by both compilers */
#ifndef HDGINFINITE_H
#define HDGINFINITE_H

static PetscReal hdg_power = 2.; /* a variable of the program, whose present value counts */

/* Infinite at the left of x = constants[0], else x^hdg_power */
static void hdg_source_infinite(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[],
                                const PetscInt uOff_x[], const PetscScalar u[], const PetscScalar u_t[],
                                const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[],
                                const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t,
                                const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                                PetscScalar f0[])
{
  f0[0] = x[0] < constants[0] ? 1. / (x[0] - x[0]) : PetscPowReal(x[0], hdg_power);
}
#endif
