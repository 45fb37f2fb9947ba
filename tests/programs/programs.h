/* PETSc programs of many kinds, in which only PETSc's functions are called. */
#pragma once

#include <petscsnes.h>

/* One run: calls of PETSc's and of PlexGPU's assembly by PETSc's log, the solution and how it was found */
typedef struct {
  PetscInt  petsc[2], here[2]; /* residuals, Jacobians */
  PetscInt  its, linear;
  Vec       u;
  PetscBool ok; /* what else a program looks at; true before it runs */
} PlexTestRun;

typedef struct {
  const char *name, *options;
  PetscErrorCode (*main)(PlexTestRun *);
  PetscBool residuals, jacobians; /* to be taken over */
  PetscBool compared;             /* each of them is compared with PETSc's as well */
  PetscBool byName;               /* it calls PETSc's residual by name: taken over with libplexgpu_preload.so alone */
} PlexTestProgram;

PetscErrorCode PlexTestGetPrograms(PetscInt *n, const PlexTestProgram **programs);
