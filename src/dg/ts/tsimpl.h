/* The operator in a TS: shared by the files of src/dg/ts/, and src/dg/register.c */
#pragma once

#include "../interface/dgimpl.h"

/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
/* The error of a run whose state grows without bound, with this norm */
PETSC_INTERN PetscErrorCode PlexDGTSGrows_Private(PlexDG, TS, PetscInt step, PetscReal t, PetscReal norm);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);
/* Whether it is a TSPLEXLOWSTORAGE that keeps the state before a step */
PETSC_INTERN PetscErrorCode TSLowStorageKeeps_Private(TS, PetscBool *);
PETSC_INTERN PetscErrorCode TSAdaptCreate_PlexDG_Private(TSAdapt);
