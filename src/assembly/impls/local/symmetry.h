/* local_row by symmetry classes of dofs: cuda/assembly/local_row_symmetry.cu has the idea */
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>
#include <assembly/symmetry_args.h>

typedef struct {
  PetscInt       nblocks;
  int            parts;                              /* threads of a row, most */
  int            chunk;                              /* of a column that is written at a time */
  int            sums;                               /* numbers that a warp sums in, most */
  int            mostNodes, mostDofs;                /* of a block */
  double         rows, contributions, tasks, groups; /* groups: of 32 records */
  double         nodes, dofs;                        /* read by all blocks together */
  size_t         nodal, shared;                      /* bytes of a block's nodal data; of shared memory a block */
  PetscBool      solution;                           /* nodal data has it */
  PlexDofClasses classes;
  PlexRecord     record;

  PlexSymmetryArgs device;
  PlexKernel       gather;
  PetscBool        gathered; /* nodal data has coordinates, of the state */
  PetscObjectState coordinateState;
} PlexSymmetry;

PETSC_INTERN PetscErrorCode PlexDofClassesCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves,
                                                         PlexDofClasses *);
/* Whether the rows of a product are such that a kernel may know each class's; whether its elements have such symmetries
   is another matter */
PETSC_INTERN PetscBool PlexSymmetryServes_Private(PlexAssembly, PlexProduct *);
/* Whether this way serves a Jacobian, and the plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexSymmetryCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexSymmetry *);
PETSC_INTERN PetscErrorCode PlexSymmetryLaunch_Private(PlexAssembly, PlexProduct *, PlexSymmetry *, PlexKernel,
                                                       const void *args);
PETSC_INTERN PetscErrorCode PlexSymmetryView_Private(const PlexSymmetry *, PetscViewer);
