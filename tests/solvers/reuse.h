/* -div((a + k0 u^2) grad u) + u_t = x_0, a an auxiliary field. Plain C that PETSc's compiler and the device's both read */
#ifndef PLEX_TEST_REUSE_H
#define PLEX_TEST_REUSE_H

static void f0_reuse(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], PetscScalar f[])
{
  f[0] = (u_t ? u_t[0] : 0.) - (1. + t) * x[0];
}

static void f1_reuse(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], PetscScalar f[])
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = (a[0] + k[0] * u[0] * u[0]) * u_x[d];
}

static void g0_reuse(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar k[],
                     PetscScalar g[])
{
  g[0] = shift;
}

static void g2_reuse(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar k[],
                     PetscScalar g[])
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = 2. * k[0] * u[0] * u_x[d];
}

static void g3_reuse(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar k[],
                     PetscScalar g[])
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = a[0] + k[0] * u[0] * u[0];
}

#endif
