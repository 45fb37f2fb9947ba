/* A basis transform and what it is applied to. */
#pragma once

#include <plexgpu/private/meshimpl.h>
#include "../backend/arrays/steps.h"
#include <dm/basis.h>

struct _n_PlexBasis {
  PlexBackend   backend;
  PetscInt      d; /* of the coordinates, and components of the fields that it transforms */
  PetscScalar   R[9];
  PetscInt      n;
  int          *first;       /* [n] of d local dofs the first */
  int          *firstDevice; /* the same in the backend's memory */
  PlexSteps     steps;
  PetscObjectId id; /* of the DM's blocks */
};

struct _n_PlexBasisBlocks {
  PlexBackend backend;
  PetscInt    n[2];     /* blocks of the diagonal and the off-diagonal block of a matrix */
  int        *items[2]; /* PlexBasisArgs.items in the backend's memory */
};
