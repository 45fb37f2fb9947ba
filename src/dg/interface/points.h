/* Integrals over elements: error in L2, energy */
#pragma once

#include "dgimpl.h"

/* A quadrature of degree 2N + 2, and what takes values at the nodes to its points; points.c */
typedef struct {
  PetscInt   Nq;
  PetscReal *B;       /* [Nq][Np] */
  PetscReal *shapes;  /* [Nq][nx] basis of the coordinates, */
  PetscReal *dshapes; /* [Nq][nx][dim] and its derivatives */
  PetscReal *weights; /* [Nq] */
} PlexDGPoints;
PETSC_INTERN PetscErrorCode PlexDGPointsCreate_Private(PlexDG, PlexDGPoints *);
PETSC_INTERN PetscErrorCode PlexDGPointsDestroy_Private(PlexDGPoints *);
PETSC_INTERN PetscReal      PlexDGPointsDeterminant_Private(PlexDG, const PlexDGPoints *, PetscInt e, PetscInt q);
/* v[Nf] at point q from u[Nf][Np] */
PETSC_INTERN void PlexDGPointsInterpolate_Private(const PlexDGPoints *, PetscInt q, PetscInt Nf, PetscInt Np,
                                                  const PetscScalar u[], PetscReal v[]);
