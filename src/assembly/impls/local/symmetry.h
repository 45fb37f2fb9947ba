/* local_row by symmetry classes of dofs: cuda/assembly/local_row_symmetry.cu has the idea */
#pragma once

#include "../common/blocks.h"

typedef struct {
  PetscInt         nblocks, nwarps, nclasses;
  PetscInt         words;  /* of a record */
  PetscInt         sums;   /* numbers that a warp sums in, most */
  size_t           groups; /* of 32 records */
  size_t           shared; /* bytes of shared memory a block */
  double           rows, contributions;
  double           nodes;    /* read by all blocks together */
  PetscBool        solution; /* nodal data has it */
  PlexSymmetryArgs device;

  PlexKernel       gather;
  PetscBool        gathered; /* nodal data has coordinates, of the state */
  PetscObjectState coordinateState;
} PlexSymmetry;

#define PLEX_CLASSES_MOST 12 /* classes, each compiled: rows of element data that a kernel holds */
#define PLEX_CLASSES_DOFS 40 /* dofs an element, most */

/* Symmetry classes of an element's dofs: those that rotations of the cell take to each other */
typedef struct {
  PetscInt n;                        /* classes */
  PetscInt first[PLEX_CLASSES_MOST]; /* dof that a class's rows are computed as */
  int     *of;                       /* [ef] class of a dof */
  PetscInt nrotations;
  int     *dofs, *vertices;          /* [nrotations][ef], [nrotations][Nv] that they take dofs and vertices to */
  int     *candidates;               /* [ef][nrotations] the rotations that make a dof its class's first, */
  int     *ncandidates;              /* [ef] so many */
  unsigned fixed[PLEX_CLASSES_MOST]; /* coordinate nodes that all elements around a dof of the class share, as bits */
} PlexDofClasses;

PETSC_INTERN PetscErrorCode PlexDofClassesCreate_Private(PlexAssembly, PlexProduct *, PlexDofClasses *);
PETSC_INTERN PetscErrorCode PlexDofClassesDestroy_Private(PlexDofClasses *);
/* Whether the rows of a product are such that a kernel may know each class's; whether its elements have such symmetries
   is another matter */
PETSC_INTERN PetscBool PlexSymmetryServes_Private(PlexAssembly, PlexProduct *);
/* Whether this way serves a Jacobian, and the plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexSymmetryCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexSymmetry *);
PETSC_INTERN PetscErrorCode PlexSymmetryLaunch_Private(PlexAssembly, PlexProduct *, PlexSymmetry *, PlexKernel,
                                                       const void *args);
PETSC_INTERN PetscErrorCode PlexSymmetryView_Private(const PlexSymmetry *, PetscViewer);
PETSC_INTERN PetscErrorCode PlexSymmetryDestroy_Private(PlexAssembly, PlexSymmetry *);
