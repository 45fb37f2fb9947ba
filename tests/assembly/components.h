/* The sum of a mass and a Laplacian for each component of a field, with a factor for each, constants[c], and a coupling,
   constants[uOff[1]]: plain C that PETSc's compiler and the device's both read */
#ifndef PLEX_TEST_COMPONENTS_H
#define PLEX_TEST_COMPONENTS_H

#define POINT \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define ARGUMENTS const PetscReal x[], PetscInt numConstants, const PetscScalar constants[]

static void g0_same(POINT, PetscReal shift, ARGUMENTS, PetscScalar g0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) g0[c * uOff[1] + c] = 2. + x[0];
}

static void g3_same(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c)
    for (PetscInt d = 0; d < dim; ++d) g3[((c * uOff[1] + c) * dim + d) * dim + d] = constants[0];
}

static void g0_factors(POINT, PetscReal shift, ARGUMENTS, PetscScalar g0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) g0[c * uOff[1] + c] = constants[c];
  g0[1] += constants[uOff[1]];
}

static void g3_factors(POINT, PetscReal shift, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c)
    for (PetscInt d = 0; d < dim; ++d) g3[((c * uOff[1] + c) * dim + d) * dim + d] = constants[c];
}

#undef POINT
#undef ARGUMENTS
#endif
