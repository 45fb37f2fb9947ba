/* global_row where a warp computes a run of elements, or sums the rows of a task: cuda/assembly/runs.cuh,
   global_row_modal.cu */
#pragma once

#include "../../plan/rows.h"
#include <assembly/runs_args.h>

typedef struct {
  PetscInt   n;
  PetscInt   nodes, dofs; /* room of a run */
  size_t     recordBytes;
  size_t     shared;      /* bytes of a warp of the first kernel */
  PetscInt   taskRows;    /* rows of a task */
  PetscInt   offsetBytes; /* of an offset in a row */
  char      *records;     /* on the device */
  const int *elements;    /* likewise, where they are needed */
  PlexSteps  steps;       /* while plans are made */
} PlexRuns;

typedef struct {
  PetscInt         first;        /* run */
  PetscInt         blocks, grid; /* blocks that compute runs, that sum rows */
  double           bytes;        /* of lists, read in a launch */
  PlexRunsArgs     device;
  PlexRunsRowsArgs rows;
} PlexRunsPass;

/* Whether global_row computes a product in runs */
PETSC_INTERN PetscErrorCode PlexRunsServe_Private(PlexAssembly, PlexProduct *, PetscBool *serves);
/* Records of the runs, which are the blocks of the planner */
PETSC_INTERN PetscErrorCode PlexRunsCreate_Private(PlexRowsPlanner *, PlexBlocks *, PlexRuns *);
/* Runs of a pass, and chunks of its rows; rows from `fresh` on are added to the values of the matrix */
PETSC_INTERN PetscErrorCode PlexRunsPass_Private(PlexRowsPlanner *, const PlexRuns *, PetscInt fresh, PlexRunsPass *);
/* The kernels */
PETSC_INTERN PetscErrorCode PlexRunsCompile_Private(PlexAssembly, PlexProduct *, const PlexRuns *);
