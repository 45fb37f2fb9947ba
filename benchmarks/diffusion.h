/*
  Pointwise functions of nonlinear diffusion, -div(a(u) grad u) = f with a(u) = 1 + u^2 and f = constants[0]: the
  problem of benchmarks/assembly.c whose Jacobian needs quadrature. Read by both compilers, like examples/heat.h. The
  Jacobian needs g2 = a'(u) grad u and g3 = a(u) I. And of the linear one whose conductivity is an auxiliary field.
*/
#ifndef DIFFUSION_H
#define DIFFUSION_H

static void f0_diffusion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                         const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                         const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                         const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                         const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = -constants[0];
}

static void f1_diffusion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                         const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                         const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                         const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                         const PetscScalar constants[], PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = (1.0 + u[0] * u[0]) * u_x[d];
}

static void g2_diffusion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                         const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                         const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                         const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                         PetscInt numConstants, const PetscScalar constants[], PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d] = 2.0 * u[0] * u_x[d];
}

static void g3_diffusion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                         const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                         const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                         const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                         PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.0 + u[0] * u[0];
}

static void f1_coefficient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                           const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                           const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                           const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                           PetscInt numConstants, const PetscScalar constants[], PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = a[0] * u_x[d];
}

static void g3_coefficient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                           const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                           const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                           const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                           const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = a[0];
}

#endif
