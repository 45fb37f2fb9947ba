/* Jacobians for tests of stored coefficients in factors: plain C that PETSc's compiler and the device's both read. g3_elastic is
   that of Lame's constants[0] and constants[1]; g3_graded of those times 1 + x_0. g2_pressure is that of a second field. The others are of any
   entries, with no symmetry, and depend on constants and time alone. */
#ifndef PLEX_TEST_FACTORS_H
#define PLEX_TEST_FACTORS_H

#define POINT \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define ARGUMENTS PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[]

static void g3_elastic(POINT, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g3[((c * dim + c) * dim + d) * dim + d] += constants[1];
      g3[((c * dim + d) * dim + d) * dim + c] += constants[1];
      g3[((c * dim + d) * dim + c) * dim + d] += constants[0];
    }
  }
}

static void g3_graded(POINT, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g3[((c * dim + c) * dim + d) * dim + d] += constants[1] * (1. + x[0]);
      g3[((c * dim + d) * dim + d) * dim + c] += constants[1] * (1. + x[0]);
      g3[((c * dim + d) * dim + c) * dim + d] += constants[0] * (1. + x[0]);
    }
  }
}

/* Of grad v and p, and of q and grad u */
static void g2_pressure(POINT, ARGUMENTS, PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d * dim + d] = -constants[1];
}

static void g0_any(POINT, ARGUMENTS, PetscScalar g0[])
{
  for (PetscInt i = 0; i < uOff[1] * uOff[1]; ++i) g0[i] = constants[0] + i * constants[1] + t;
}

static void g1_any(POINT, ARGUMENTS, PetscScalar g1[])
{
  for (PetscInt i = 0; i < uOff[1] * uOff[1] * dim; ++i) g1[i] = constants[0] - i * i * constants[1] * (1. + t);
}

static void g2_any(POINT, ARGUMENTS, PetscScalar g2[])
{
  for (PetscInt i = 0; i < uOff[1] * uOff[1] * dim; ++i) g2[i] = i * constants[0] + constants[1];
}

static void g3_any(POINT, ARGUMENTS, PetscScalar g3[])
{
  for (PetscInt i = 0; i < uOff[1] * uOff[1] * dim * dim; ++i)
    g3[i] = constants[0] * (1. + i % 7) - constants[1] * (i % 3);
}

#undef POINT
#undef ARGUMENTS
#endif
