/*
  Pointwise functions of -div grad u = f, u = e^(x + 2 y) sin(pi x) sin(pi y) sin(pi z): of continuous elements, and the source alone of
  hybridized DG. Read by both compilers, like examples/heat.h.
*/
#ifndef BENCH_ELLIPTIC_H
#define BENCH_ELLIPTIC_H

static PetscReal elliptic_solution(PetscInt dim, const PetscReal x[])
{
  PetscReal u = PetscExpReal(x[0] + 2. * x[1]);

  for (PetscInt d = 0; d < dim; ++d) u *= PetscSinReal(PETSC_PI * x[d]);
  return u;
}

static PetscReal elliptic_source(PetscInt dim, const PetscReal x[])
{
  PetscReal f = 0.;

  for (PetscInt d = 0; d < dim; ++d) {
    const PetscReal a = d == 0 ? 1. : d == 1 ? 2. : 0.;
    PetscReal term = PetscExpReal(x[0] + 2. * x[1]) * ((PETSC_PI * PETSC_PI - a * a) * PetscSinReal(PETSC_PI * x[d]) -
                                                       2. * a * PETSC_PI * PetscCosReal(PETSC_PI * x[d]));

    for (PetscInt e = 0; e < dim; ++e)
      if (e != d) term *= PetscSinReal(PETSC_PI * x[e]);
    f += term;
  }
  return f;
}

static void f_elliptic(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                       PetscScalar f[])
{
  f[0] = elliptic_source(dim, x);
}

static void f0_elliptic(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                        const PetscScalar constants[], PetscScalar f0[])
{
  f0[0] = -elliptic_source(dim, x);
}

static void f1_elliptic(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                        const PetscScalar constants[], PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = u_x[d];
}

static void g3_elliptic(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                        const PetscScalar a_x[], PetscReal t, PetscReal u_tShift, const PetscReal x[],
                        PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.0;
}

#endif
