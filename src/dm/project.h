/* Projections of functions into the fields of a DM */
#pragma once

#include <plexgpu/private/meshimpl.h>

/* As DMPLEX's own DMProjectFunctionLocal(). once: functions are those of position and time alone, and need not be called
   for a node more than once. *why: nothing has been done, PETSc has to; else NULL */
PETSC_EXTERN PetscErrorCode PlexProjectFunctionLocal(DM, PetscReal time, PetscSimplePointFn *funcs[], void *ctxs[],
                                                     InsertMode, PetscBool once, Vec X, const char **why);
