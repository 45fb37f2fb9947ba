/* Boxes of simplices of different sizes, for tests of local time steps */
#pragma once

#include "dgproblem.h"

/* [0, 1]^dim of n cells a side, moved so that sizes are 1 - strength in the middle and 1 + strength at the sides; on several
   processes distributed */
PetscErrorCode PlexTestGradedBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, PetscReal strength,
                                 DM *dm);
