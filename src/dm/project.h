/* Projections of functions into the fields of a DM */
#pragma once

#include <plexgpu/private/meshimpl.h>

/* As DMPLEX's own DMProjectFunctionLocal(). *why: nothing has been done, PETSc has to; else NULL */
PETSC_EXTERN PetscErrorCode PlexProjectFunctionLocal(DM, PetscReal time, PetscSimplePointFn *funcs[], void *ctxs[],
                                                     InsertMode, Vec X, const char **why);
