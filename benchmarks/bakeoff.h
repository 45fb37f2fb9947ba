/*
  Pointwise functions of CEED's bake-off problems, of fields of any number of components: the mass form (v, u) and
  Laplace's (grad v, grad u), component by component. Read by both compilers, like examples/heat.h.
*/
#ifndef BAKEOFF_H
#define BAKEOFF_H

static void f0_mass(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                    PetscScalar f0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) f0[c] = u[c];
}

static void g0_mass(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                    const PetscScalar constants[], PetscScalar g0[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c) g0[c * uOff[1] + c] = 1.0;
}

static void f1_laplace(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                       PetscScalar f1[])
{
  for (PetscInt k = 0; k < uOff[1] * dim; ++k) f1[k] = u_x[k];
}

static void g3_laplace(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                       const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt c = 0; c < uOff[1]; ++c)
    for (PetscInt d = 0; d < dim; ++d) g3[((c * uOff[1] + c) * dim + d) * dim + d] = 1.0;
}

#endif
