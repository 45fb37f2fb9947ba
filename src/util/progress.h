/* Lines on stderr that say what takes more than five seconds */
#pragma once

#include <petscsys.h>

/* What begins now, and ends with PlexProgressEnd(), within what has begun before. An error ends it as well: the next
   one that begins on its level takes its place. Calls nothing of PETSc, and is not collective */
PETSC_INTERN int  PlexProgressBegin_Private(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);
PETSC_INTERN void PlexProgressEnd_Private(int level);
/* What the present one is at: "candidate 3" */
PETSC_INTERN void PlexProgressAt_Private(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);

/* Reads -plexgpu_progress. Not collective */
PETSC_INTERN PetscErrorCode PlexProgressInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexProgressFinalize_Private(void);
