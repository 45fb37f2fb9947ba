/* Shared by boundary.c and boundarypoints.c */
#pragma once

#include <plexgpu/private/meshimpl.h>

/* Constrained dofs, and the points where the functions of boundary conditions give their values */
struct _n_PlexBoundaryPoints {
  PetscInt   n;         /* dofs */
  int       *dofs;      /* [n] local dofs */
  PetscInt  *point;     /* [n] */
  PetscInt  *component; /* [n] */
  PetscInt   dim;       /* of coordinates */
  PetscInt   np;        /* points */
  PetscInt  *condition; /* [np] number of the boundary condition in the PetscDS */
  PetscInt  *Nc;        /* [np] components of its field */
  PetscReal *x;         /* [np][dim] */
  PetscInt   mostNc;
  /* [np][mostNc] values as last computed, and room behind for a function that writes more numbers than its field has
     components */
  PetscScalar *u;
};

PETSC_INTERN PetscErrorCode PlexBoundaryPointsGetState_Private(DM, PetscInt s, PetscInt64 *);
PETSC_INTERN PetscErrorCode PlexBoundaryPointsCreate_Private(DM, PetscInt s, PetscInt n, const PetscInt constrained[],
                                                             PlexBoundaryPoints *);
PETSC_INTERN PetscErrorCode PlexBoundaryPointsEvaluate_Private(DM, PetscInt s, PlexBoundaryPoints, PetscReal t,
                                                               PetscScalar values[]);
PETSC_INTERN PetscErrorCode PlexBoundaryPointsDestroy_Private(PlexBoundaryPoints *);
