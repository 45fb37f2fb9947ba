/*
  Steps of which plans are made where their kernels are: functions of an index, written once (cuda/plan/steps.h).
  They run as kernels on a backend that has these, and as loops in threads of the host.
*/
#pragma once

#include "arrays.h"

/* Items first to end - 1 of a step, on the host */
typedef void PlexStepHost(long long first, long long end, const void *args);

typedef struct {
  const char   *name;  /* of the kernel */
  PlexStepHost *host;  /* the same as a loop */
  int           block; /* threads of a block, at most; 0: the default */
  int           lanes; /* threads that share an item */
} PlexStep;

/* The step that PLEX_STEP(name, ...) defines. LONG: items take long and branch, so that fewer threads of a warp wait for
   each other. SHARED: that PLEX_STEP_SHARED() defines */
#define PLEX_STEP_OF(name)        ((PlexStep){#name, name, 0, 1})
#define PLEX_STEP_OF_LONG(name)   ((PlexStep){#name, name, 8, 1})
#define PLEX_STEP_OF_SHARED(name) ((PlexStep){#name, name, 0, PLEX_STEP_LANES})

typedef struct _n_PlexSteps *PlexSteps;

/* file: of the kernels, of PlexKernelFiles, compiled when the backend has kernels */
PETSC_EXTERN PetscErrorCode PlexStepsCreate(PlexBackend, const char file[], PlexSteps *);
PETSC_EXTERN PetscErrorCode PlexStepsDestroy(PlexSteps *);
/* args: what the step gets, by value */
PETSC_EXTERN PetscErrorCode PlexStepsRun(PlexSteps, PlexStep, PetscInt n, const void *args);
