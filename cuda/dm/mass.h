/*
  The pointwise functions of mass matrices (src/assembly/interface/mass.c): g0 of a field by itself, the identity, and f0
  that it is the derivative of. The host calls them; kernels are compiled with this file as their source.

    constants[numConstants]   the number of the field, as PETSc has it
*/
#include <petscds.h>

void PlexMassJacobian_Private(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                              const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                              PetscScalar g0[])
{
  const PetscInt f  = (PetscInt)PetscRealPart(constants[numConstants]);
  const PetscInt Nc = uOff[f + 1] - uOff[f];

  for (PetscInt c = 0; c < Nc; ++c) g0[c * Nc + c] = 1.0;
}

void PlexMassFunction_Private(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                              PetscInt numConstants, const PetscScalar constants[], PetscScalar f0[])
{
  const PetscInt f = (PetscInt)PetscRealPart(constants[numConstants]);

  for (PetscInt c = uOff[f]; c < uOff[f + 1]; ++c) f0[c - uOff[f]] = u[c];
}
