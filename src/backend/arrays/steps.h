/*
  Steps of which plans are made where their kernels are: functions of an index, written once (cuda/plan/steps.h).
  They run as kernels on a backend that has these, and as loops in threads of the host.
*/
#pragma once

#include "arrays.h"

/* Items first to end - 1 of a step, on the host */
typedef void PlexStepHost(long long first, long long end, const void *args);

typedef struct {
  const char   *name; /* of the kernel */
  PlexStepHost *host; /* the same as a loop */
} PlexStep;

/* Of a list of steps, as PLEX_BLOCKS_STEPS(): their numbers STEP_name, how many they are, and a table of them */
#define PLEX_STEP_NUMBER(name) STEP_##name,
#define PLEX_STEP_ENTRY(name)  {#name, name},
#define PLEX_STEP_TABLE(LIST, table, count) \
  enum { \
    LIST(PLEX_STEP_NUMBER) count \
  }; \
  static const PlexStep table[] = {LIST(PLEX_STEP_ENTRY)}

typedef struct _n_PlexSteps *PlexSteps;

/* steps[n]: static. file: of the kernels, of PlexKernelFiles, compiled when the backend has kernels */
PETSC_EXTERN PetscErrorCode PlexStepsCreate(PlexBackend, const char file[], PetscInt n, const PlexStep steps[],
                                            PlexSteps *);
PETSC_EXTERN PetscErrorCode PlexStepsDestroy(PlexSteps *);
/* args: what the step gets, by value */
PETSC_EXTERN PetscErrorCode PlexStepsRun(PlexSteps, PetscInt step, PetscInt n, const void *args);
/* One item, where there are no kernels */
PETSC_EXTERN PetscErrorCode PlexStepsRunItem(PlexSteps, PetscInt step, PetscInt item, const void *args);
