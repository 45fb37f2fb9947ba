/* local_row where elements can be turned: cuda/assembly/local_row_orbits.cu has the idea */
#pragma once

#include "../common/blocks.h"

typedef struct {
  PetscInt       nblocks, nwarps, norbits;
  PetscInt       words;  /* of a record */
  PetscInt       sums;   /* numbers that a warp sums in, most */
  size_t         groups; /* of 32 records */
  size_t         shared; /* bytes of shared memory a block */
  double         rows, contributions;
  double         nodes; /* read by all blocks together */
  PlexOrbitsArgs device;
} PlexOrbits;

/* Whether this way serves a Jacobian, and the plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexOrbits *);
PETSC_INTERN PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly, PlexOrbits *);
