/* A hint at the end of a run that has left a GPU idle */
#pragma once

#include <petscsys.h>

typedef enum {
  PLEX_RAN_DEVICE, /* on a GPU */
  PLEX_RAN_HOST,   /* on the host, as auto has it */
  PLEX_RAN_ASKED,  /* where the user has it, by the backend's name */
  PLEX_RAN_LEFT,   /* by PETSc, which something was left to */
  PLEX_RAN_COPIED, /* on a GPU, into a matrix of a type of the host */
  PLEX_RAN_WAYS
} PlexRan;
/* Notes that something ran, on all processes alike. Not collective */
PETSC_INTERN void PlexHintRan_Private(PlexRan);
/* Why auto does not take the GPU */
PETSC_INTERN void PlexHintWhy_Private(const char why[]);

/* Reads -plexgpu_hint; prints the hint. Not collective: the first process does */
PETSC_INTERN PetscErrorCode PlexHintInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexHintFinalize_Private(void);
