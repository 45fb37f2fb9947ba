/*
  Pointwise functions of the steady heat equation of Cecka, Lew and Darve 2011, section 6.1,

    -div(kappa grad u) = f,

  with kappa = 1 and, for the nonlinear variant, kappa(u) = 1 + u^2/100. The source f is constants[0].
  (The paper writes the equation without the minus sign; the element vector of its section 6.2 has it.)

  Weak form: PETSc sums  phi f0 + grad phi . f1  over the elements, so f0 = -f and f1 = kappa grad u. The Jacobian needs
  g2 = d f1 / d u and g3 = d f1 / d (grad u).

  These are the functions that the PetscDS of heat_problem.h names, and this file is also what the GPU compiles: it is
  plain C that needs nothing but PETSc's scalar types.
*/
#ifndef HEAT_H
#define HEAT_H

static void f0_heat(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                    PetscScalar f0[])
{
  f0[0] = -constants[0];
}

static void f1_heat(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                    PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[d];
}

static void g3_heat(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                    const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.0;
}

static void f1_heat_nonlinear(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                              PetscInt numConstants, const PetscScalar constants[], PetscScalar f1[])
{
  const PetscScalar kappa = 1.0 + 0.01 * u[0] * u[0];

  for (PetscInt d = 0; d < dim; ++d) f1[d] = kappa * u_x[d];
}

static void g2_heat_nonlinear(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                              const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                              PetscScalar g2[])
{
  const PetscScalar dkappa = 0.02 * u[0];

  for (PetscInt d = 0; d < dim; ++d) g2[d] = dkappa * u_x[d];
}

static void g3_heat_nonlinear(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                              const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                              PetscScalar g3[])
{
  const PetscScalar kappa = 1.0 + 0.01 * u[0] * u[0];

  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = kappa;
}

#endif
