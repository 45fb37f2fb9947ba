/*
  Field 0 of a made-up problem, written as an application's author would who has never heard of GPUs: static functions,
  helpers, an enum, macros, variables that the program changes as it runs, arrays sized by dim, and beside all that
  functions for the host.

    f0 = power(u, 3) + s_source - s_material.k[0] p,   f1 = mobility(u) A grad u,   A = s_tensor
*/
#include "application.h"

#define ENTRY(a, i, j) ((a)[(i) * dim + (j)])
#define MOST_DIM       3

static char note[] = "a string with { brackets ( and a \" quote";

static PetscReal s_source                      = 0.25;
static PetscReal s_tensor[MOST_DIM * MOST_DIM] = {2, 0, 0, 0, 1, 0, 0, 0, 1};
static Material  s_material                    = {
  PETSC_TRUE, {1., 0.5},
   MOBILITY_LINEAR, note
};
static const PetscReal weights[]        = {1.0, 0.5};
static PetscInt        s_never          = 2; /* which nothing changes: the compiler may have put in its value */
PetscReal              ApplicationScale = 1.5;

/* The derivative is wanted too: a prototype first */
static PetscReal mobility(Mobility kind, PetscReal u, PetscReal *derivative);

static void multiply(PetscInt dim, const PetscReal A[], const PetscScalar x[], PetscScalar y[])
{
  for (PetscInt i = 0; i < dim; ++i) {
    y[i] = 0.;
    for (PetscInt j = 0; j < dim; ++j) y[i] += ENTRY(A, i, j) * x[j];
  }
}

static void f0_u(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f0[])
{
  const PetscScalar p = u[uOff[1]];

  (void)x;
  f0[0] = ApplicationScale * PetscRealPart(ApplicationPower(u[0], 3)) + s_source - s_material.k[0] * p;
  if (u_t) f0[0] += u_t[0];
}

static void f1_u(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f1[])
{
  const PetscInt Nc = uOff[1] - uOff[0];
  PetscScalar    flux[Nc * dim];
  PetscReal      m = mobility(s_material.nonlinear ? s_material.mobility : MOBILITY_CONSTANT, u[0], NULL);

  multiply(dim, s_tensor, u_x, flux);
  for (PetscInt d = 0; d < dim; ++d) f1[d] = m * flux[d];
}

static void g0_uu(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g0[])
{
  g0[0] = u_tShift + 3. * ApplicationScale * ApplicationPower(u[0], s_never);
}

static void g0_up(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g0[])
{
  const Material *material = &s_material;

  g0[0] = -material->k[0];
}

static void g2_uu(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g2[])
{
  PetscReal   derivative;
  PetscScalar s_source[MOST_DIM]; /* hides the variable of the file */

  (void)mobility(s_material.nonlinear ? s_material.mobility : MOBILITY_CONSTANT, u[0], &derivative);
  multiply(dim, s_tensor, u_x, s_source);
  for (PetscInt d = 0; d < dim; ++d) g2[d] = derivative * s_source[d];
}

static void g3_uu(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar g3[])
{
  const PetscReal m = mobility(s_material.nonlinear ? s_material.mobility : MOBILITY_CONSTANT, u[0], NULL);

  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) ENTRY(g3, i, j) = m * ENTRY(s_tensor, i, j);
  }
}

static PetscReal mobility(Mobility kind, PetscReal u, PetscReal *derivative)
{
  const PetscReal k = s_material.k[1] * weights[0];

  switch (kind) {
  case MOBILITY_LINEAR:
    if (derivative) *derivative = k;
    return 1. + k * u;
  case MOBILITY_QUADRATIC: {
    const PetscReal twice = k + k;

    if (derivative) *derivative = twice * u;
    return 1. + k * PetscSqr(u);
  }
  default:
    break;
  }
  if (derivative) *derivative = 0.;
  return 2. * weights[1];
}

PetscErrorCode ApplicationSetField0(PetscDS ds)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDSSetResidual(ds, 0, f0_u, f1_u));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_uu, NULL, g2_uu, g3_uu));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, g0_up, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplicationChange(PetscInt step)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInfo(NULL, "Step %" PetscInt_FMT " of %s\n", step, s_material.name));
  s_source             = 0.25 + step;
  s_tensor[1]          = 0.125 * step;
  s_material.nonlinear = (PetscBool)(step != 1);
  s_material.k[0]      = 1. + step;
  s_material.mobility  = step > 1 ? MOBILITY_QUADRATIC : MOBILITY_LINEAR;
  ApplicationScale     = 1.5 - 0.25 * step;
  PetscFunctionReturn(PETSC_SUCCESS);
}
