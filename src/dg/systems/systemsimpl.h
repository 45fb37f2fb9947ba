/* Systems of equations: shared by the files of src/dg/systems/ and what is above them */
#pragma once

#include <plexgpu/private/dgimpl.h>

PETSC_INTERN PetscErrorCode PlexDGSystemRegisterAll_Private(void);
PETSC_INTERN PetscErrorCode PlexDGSystemFinalize_Private(void);
/* "a, b, c" of names, in text[size] */
PETSC_INTERN PetscErrorCode PlexDGJoinNames_Private(PetscInt n, const char *const names[], size_t size, char text[]);
/* The loops of maxwell_current.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellCurrentHost_Private(PetscInt dim);
