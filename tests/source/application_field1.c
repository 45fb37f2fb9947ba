/*
  Field 1: static functions and variables of the same names as those of the other file, and one that the other calls.

    f0 = s_source p + ApplicationScale u^2,   f1 = grad p + s_tensor[0] grad u
*/
#include "application.h"

static PetscReal s_source = 3.;

static const PetscReal s_tensor[] = {0.75};

static PetscReal mobility(PetscReal p)
{
  return s_source * p;
}

PetscReal ApplicationPower(PetscReal x, PetscInt n)
{
  return PetscPowRealInt(x, n);
}

static void f0_u(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f0[])
{
  f0[0] = mobility(u[uOff[1]]) + ApplicationScale * ApplicationPower(u[0], 2);
}

static void f1_u(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[uOff_x[1] + d] + s_tensor[0] * u_x[d];
}

static void g0_pp(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = mobility(1.);
}

static void g0_pu(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = 2. * ApplicationScale * u[0];
}

static void g3_pu(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = s_tensor[0];
}

static void g3_pp(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.;
}

PetscErrorCode ApplicationSetField1(PetscDS ds)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDSSetResidual(ds, 1, f0_u, f1_u));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, g0_pu, NULL, NULL, g3_pu));
  PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_pp, NULL, NULL, g3_pp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
