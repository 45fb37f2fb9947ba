#pragma once

#include "guard.h"

/* A quadrature point of an element, and the vectors on the host */
typedef struct {
  PlexElements       elements;
  PetscInt           e, q;
  const PetscScalar *u, *u_t; /* [Nl]; u_t NULL: there is none */
  const PetscScalar *aux;     /* [NlAux], NULL: there are no auxiliary fields */
} PlexPoint;

/* ctx: a PlexPoint. Arithmetic alone: it runs in a signal handler */
PETSC_INTERN void PlexPointFill_Private(void *ctx, PlexGuarded argument, void *array);
