/* The operator in a TS: shared by the files of src/dg/ts/, and src/dg/register.c */
#pragma once

#include "../interface/dgimpl.h"

/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
/* The error of a run whose state grows without bound, with this norm */
PETSC_INTERN PetscErrorCode PlexDGTSGrows_Private(PlexDG, TS, PetscInt step, PetscReal t, PetscReal norm);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);
PETSC_INTERN PetscErrorCode TSCreate_Multirate_Private(TS);
/* Whether it is a TSPLEXLOWSTORAGE that keeps the state before a step */
PETSC_INTERN PetscErrorCode TSLowStorageKeeps_Private(TS, PetscBool *);
/* Whether it is a TSPLEXLOWSTORAGE that takes the decay of the operator's fields exactly, and there is any */
PETSC_INTERN PetscErrorCode TSLowStorageTakesDecay_Private(TS, PlexDG, PetscBool *takes);
PETSC_INTERN PetscErrorCode TSAdaptCreate_PlexDG_Private(TSAdapt);
/* Whether h is a step of this length, or what is left of it to a time that the TS has to meet; adapt.c */
PETSC_INTERN PetscErrorCode TSAdaptPlexDGIsGiven_Private(TS, PetscReal h, PetscReal given, PetscBool *);
