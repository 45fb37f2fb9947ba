/* The operator in a TS: shared by the files of src/dg/ts/, and src/dg/register.c */
#pragma once

#include "../interface/dgimpl.h"

/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);
