/* The Helmholtz problem of King, Yakovlev, Fu, Kirby and Sherwin (2014): u = sin(2 pi x) sin(2 pi y), lambda = 1. Their
   equation div grad u - lambda u = f is -div grad u + lambda u = -f here */
#ifndef PLEX_HELMHOLTZ_H
#define PLEX_HELMHOLTZ_H

#include <plexgpu.h>

static inline PetscErrorCode HelmholtzExact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscSinReal(2. * PETSC_PI * x[0]) * PetscSinReal(2. * PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode HelmholtzExactFlux(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[],
                                                void *ctx)
{
  PetscFunctionBegin;
  q[0] = 2. * PETSC_PI * PetscCosReal(2. * PETSC_PI * x[0]) * PetscSinReal(2. * PETSC_PI * x[1]);
  q[1] = 2. * PETSC_PI * PetscSinReal(2. * PETSC_PI * x[0]) * PetscCosReal(2. * PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode HelmholtzSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(HelmholtzExact(dim, x, n, f, ctx));
  f[0] *= 8. * PETSC_PI * PETSC_PI + 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode HelmholtzKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                            PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(HelmholtzExact(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
