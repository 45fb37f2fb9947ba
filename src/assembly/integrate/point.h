#pragma once

#include "guard.h"

/* A quadrature point of an element, and the vectors on the host */
typedef struct {
  PlexElements       elements;
  PetscInt           e, q;
  const PetscScalar *u, *u_t; /* [Nl]; u_t NULL: there is none */
  const PetscScalar *aux;     /* [NlAux], NULL: there are no auxiliary fields */
} PlexPoint;

/* First components of the fields, [Nf + 1], and of their derivatives; those of auxiliary fields, [NfAux + 1] */
typedef struct {
  PetscInt *uOff, *uOff_x, *aOff, *aOff_x;
} PlexOffsets;
PETSC_INTERN PetscErrorCode PlexOffsetsCreate_Private(PlexElements, PlexOffsets *);
PETSC_INTERN PetscErrorCode PlexOffsetsDestroy_Private(PlexOffsets *);

/* ctx: a PlexPoint. Arithmetic alone: it runs in a signal handler */
PETSC_INTERN void PlexPointFill_Private(void *ctx, PlexGuarded argument, void *array);
