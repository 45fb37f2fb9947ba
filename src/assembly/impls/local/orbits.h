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
  double         nodes;    /* read by all blocks together */
  PetscBool      solution; /* nodal data has it */
  PlexOrbitsArgs device;

  PlexKernel       gather;
  PetscBool        gathered; /* nodal data has coordinates, of the state */
  PetscObjectState coordinateState;
} PlexOrbits;

#define PLEX_ORBITS_MOST 12 /* orbits, each compiled: rows of element data that a kernel holds */
#define PLEX_ORBITS_DOFS 40 /* dofs an element, most */

typedef struct {
  PetscInt n;                       /* orbits */
  PetscInt first[PLEX_ORBITS_MOST]; /* dof that an orbit's rows are computed as */
  int     *orbit;                   /* [ef] of a dof */
  PetscInt nturns;                  /* rotations */
  int     *dofs, *vertices;         /* of the rotations */
  int     *candidates;              /* [ef][nturns] the rotations that make a dof its orbit's first, */
  int     *ncandidates;             /* [ef] so many */
  unsigned fixed[PLEX_ORBITS_MOST]; /* coordinate nodes that all elements around a dof of the orbit share, as bits */
} PlexTurns;

PETSC_INTERN PetscErrorCode PlexTurnsCreate_Private(PlexAssembly, PlexProduct *, PlexTurns *);
PETSC_INTERN PetscErrorCode PlexTurnsDestroy_Private(PlexTurns *);
/* Whether the rows of a product are such that a kernel may know each orbit's; that its elements can be turned is
   another matter */
PETSC_INTERN PetscBool PlexOrbitsServe_Private(PlexAssembly, PlexProduct *);
/* Whether this way serves a Jacobian, and the plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexOrbits *);
PETSC_INTERN PetscErrorCode PlexOrbitsLaunch_Private(PlexAssembly, PlexProduct *, PlexOrbits *, PlexKernel,
                                                     const void *args);
PETSC_INTERN PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly, PlexOrbits *);
