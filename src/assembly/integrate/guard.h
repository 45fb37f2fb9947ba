/* Calls of pointwise functions that tell which of their arguments were read: guard.c */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

/* Arguments that lie on pages of their own, in the order of the bits PLEX_READS_... that they stand for */
typedef enum {
  PLEX_GUARD_U,
  PLEX_GUARD_U_T,
  PLEX_GUARD_U_X,
  PLEX_GUARD_A,
  PLEX_GUARD_A_X,
  PLEX_GUARD_X,
  PLEX_GUARD_VOLUME,
  PLEX_GUARDED
} PlexGuarded;

typedef struct _n_PlexGuard *PlexGuard;
struct _n_PlexGuard {
  char        *pages;               /* all of them, no page of an argument that has not been read can be read */
  size_t       size;                /* bytes of pages */
  char        *page[PLEX_GUARDED];  /* first page of an argument */
  size_t       bytes[PLEX_GUARDED]; /* of its pages */
  PetscScalar *constants;           /* [nc + 3] the last, detJ 2^dim, is PLEX_GUARD_VOLUME */
  PetscInt     nc;
  unsigned     read; /* bits PLEX_READS_... of those that were read since PlexGuardBegin_Private() */

  /* Writes what the point has of an argument; called where the argument is first read */
  void (*fill)(void *ctx, PlexGuarded, void *array);
  void *ctx;
};

/* n: numbers of each argument, in the order of PlexGuarded */
PETSC_INTERN PetscErrorCode PlexGuardCreate_Private(PetscInt nc, const PetscInt n[PLEX_GUARDED], PlexGuard *);
PETSC_INTERN PetscErrorCode PlexGuardDestroy_Private(PlexGuard *);
/* Between these two the calling thread may read the arguments; not nested */
PETSC_INTERN PetscErrorCode PlexGuardBegin_Private(PlexGuard);
PETSC_INTERN PetscErrorCode PlexGuardEnd_Private(PlexGuard);
/* In between: what was read is behind the guard again, and `read` is empty */
PETSC_INTERN PetscErrorCode PlexGuardClose_Private(PlexGuard);
