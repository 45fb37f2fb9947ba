/*
  Whether the PETSc of the program is the one that PlexGPU was compiled for.
*/
#pragma once

#include <petscsys.h>

PETSC_INTERN PetscErrorCode PlexSamePETSc_Private(void);
