/* global_row where a warp computes a run of elements, and sums some rows side by side: cuda/assembly/runs.cuh,
   global_row_modal.cu */
#pragma once

#include "../../plan/rows.h"
#include <assembly/runs_args.h>

typedef struct {
  PetscInt   n;
  PetscInt   nodes, dofs; /* room of a run */
  size_t     recordBytes;
  size_t     shared;     /* bytes of a warp of the first kernel */
  PetscInt   abreast;    /* rows of a batch */
  PetscInt   placeBytes; /* of a place in a row */
  char      *records;    /* on the device */
  const int *elements;   /* likewise, where they are needed */
  PlexSteps  steps;      /* while plans are made */
} PlexRuns;

typedef struct {
  PetscInt         first;        /* run */
  PetscInt         blocks, grid; /* blocks that compute runs, that sum rows */
  double           bytes;        /* of lists, read in a launch */
  PlexRunsArgs     device;
  PlexRunsRowsArgs rows;
} PlexRunsPass;

/* Whether global_row computes a product so */
PETSC_INTERN PetscErrorCode PlexRunsServe_Private(PlexAssembly, PlexProduct *, PetscBool *serves);
/* Records of the runs, which are the blocks of the planner */
PETSC_INTERN PetscErrorCode PlexRunsCreate_Private(PlexRowsPlanner *, PlexBlocks *, PlexRuns *);
/* Runs of a pass, and batches of its rows; those from `fresh` on are added to what is there */
PETSC_INTERN PetscErrorCode PlexRunsPass_Private(PlexRowsPlanner *, const PlexRuns *, PetscInt fresh, PlexRunsPass *);
/* The kernels */
PETSC_INTERN PetscErrorCode PlexRunsCompile_Private(PlexAssembly, PlexProduct *, const PlexRuns *);
