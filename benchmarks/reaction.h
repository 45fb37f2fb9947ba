/*
  Pointwise functions of reaction, convection and diffusion, -div(grad u) + b . grad u + 2 u = f with b = (1, 1/2, 1/4)
  and f = constants[0]: the form of benchmarks/variants.c with g0 and g1 beside g3. Read by both compilers, like
  examples/heat.h.
*/
#ifndef REACTION_H
#define REACTION_H

static void f0_reaction(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                        const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = 2.0 * u[0] - constants[0];
  for (PetscInt d = 0; d < dim; ++d) f0[0] += u_x[d] / (PetscReal)(1 << d);
}

static void f1_reaction(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                        const PetscScalar constants[], PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[d];
}

static void g0_reaction(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                        PetscInt numConstants, const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = 2.0;
}

static void g1_reaction(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                        PetscInt numConstants, const PetscScalar constants[], PetscScalar g1[])
{
  for (PetscInt d = 0; d < dim; ++d) g1[d] = 1.0 / (PetscReal)(1 << d);
}

static void g3_reaction(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                        PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.0;
}

#endif
