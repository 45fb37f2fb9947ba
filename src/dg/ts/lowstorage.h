/* Schemes of low-storage Runge-Kutta methods, and what their embedded ones need */
#pragma once

#include <petscts.h>

#define PLEX_LOW_STORAGE_STAGES 5

typedef struct {
  const char *name;
  PetscInt    order, n;
  PetscReal   a[PLEX_LOW_STORAGE_STAGES], b[PLEX_LOW_STORAGE_STAGES], c[PLEX_LOW_STORAGE_STAGES];
  PetscBool   means; /* stages are a times the state that the step began with, and b times a step of forward Euler */
} PlexLowStorageScheme;

/* NULL where there is none of this name; schemes.c */
PETSC_INTERN PetscErrorCode PlexLowStorageFind_Private(const char name[], const PlexLowStorageScheme **);
/* weights[n]: the scheme's solution less that of an embedded one of one order less is the sum of the weights times the
   residuals that the stages leave */
PETSC_INTERN PetscErrorCode PlexLowStorageEmbedded_Private(const PlexLowStorageScheme *, PetscReal weights[]);
