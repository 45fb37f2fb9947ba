/* The operator in a TS: shared by the files of src/dg/ts/, and src/dg/register.c */
#pragma once

#include "../interface/dgimpl.h"

/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
/* Begin, End: of a step, between which variables of layers, conductors and media advance that the state does not have. In
   the first step of another run they are zero: of a state that the last step has not left, at step 0 or another time. An
   error where the operator was changed in between, with which they are lost; ts.c */
PETSC_INTERN PetscErrorCode PlexDGTSBegin_Private(PlexDG, TS);
PETSC_INTERN PetscErrorCode PlexDGTSEnd_Private(PlexDG, TS);
/* The error of a run whose state grows without bound, with this norm */
PETSC_INTERN PetscErrorCode PlexDGTSGrows_Private(PlexDG, TS, PetscInt step, PetscReal t, PetscReal norm);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);
PETSC_INTERN PetscErrorCode TSCreate_Multirate_Private(TS);
/* Whether it is a TSPLEXLOWSTORAGE that keeps the state before a step */
PETSC_INTERN PetscErrorCode TSLowStorageKeeps_Private(TS, PetscBool *);
/* Whether it is a TSPLEXLOWSTORAGE that takes the decay of the operator's fields exactly, and there is any */
PETSC_INTERN PetscErrorCode TSLowStorageTakesDecay_Private(TS, PlexDG, PetscBool *takes);
/* An error where the operator has memory variables which the TS does not advance; ts.c */
PETSC_INTERN PetscErrorCode PlexDGTSCheckMemory_Private(PlexDG, TS);
PETSC_INTERN PetscErrorCode TSAdaptCreate_PlexDG_Private(TSAdapt);
/* R[n + 1], the stability polynomial, PetscFree() it; lowstorage.c */
PETSC_INTERN PetscErrorCode TSLowStorageGetPolynomial_Private(TS, PetscInt *n, PetscReal *R[]);
/* What the default time step is multiplied by with the method of a TS, at most 1 unless that is PLEX_DG_RK8; not
   changed where the signature is that of the method, which else becomes it; stability.c */
PETSC_INTERN PetscErrorCode PlexDGTSGetMethodFactor_Private(PlexDG, TS, PetscReal *factor, PetscReal *signature);
PETSC_INTERN PetscErrorCode PlexDGTSIsHigh_Private(TS, PetscBool *);
/* Whether h is a step of this length, or what is left of it to a time that the TS has to meet; adapt.c */
PETSC_INTERN PetscErrorCode TSAdaptPlexDGIsGiven_Private(TS, PetscReal h, PetscReal given, PetscBool *);
