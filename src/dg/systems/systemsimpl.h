/* Systems of equations: functions for src/dg/systems/ and the folders that use it */
#pragma once

#include <plexgpu/private/dgimpl.h>

PETSC_INTERN PetscErrorCode PlexDGSystemRegisterAll_Private(void);
PETSC_INTERN PetscErrorCode PlexDGSystemFinalize_Private(void);
/* Writes the names to text[size], as "a, b, c" */
/* "TEXT (one of) acoustics ...", for -help */
PETSC_INTERN PetscErrorCode PlexDGSystemHelp_Private(const char text[], size_t size, char out[]);
PETSC_INTERN PetscErrorCode PlexDGJoinNames_Private(PetscInt n, const char *const names[], size_t size, char text[]);
/* The host's loops of maxwell_current.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellCurrentHost_Private(PetscInt dim);
/* Those of maxwell_pulse.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellPulseHost_Private(PetscInt dim);
/* Those of maxwell_impedance.h, and of maxwell_impedance_current.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellImpedanceHost_Private(PetscInt dim);
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellImpedanceCurrentHost_Private(PetscInt dim);
