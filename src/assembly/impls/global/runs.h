/* global_row where a warp computes a run of elements, and sums some rows side by side: cuda/assembly/runs.cuh,
   global_row_modal.cu */
#pragma once

#include "../../plan/blocks.h"
#include <assembly/runs_args.h>

typedef struct {
  PetscInt nodes, dofs; /* room of a run */
  size_t   recordBytes;
  size_t   shared;     /* bytes of a warp of the first kernel */
  PetscInt abreast;    /* rows of a batch */
  PetscInt placeBytes; /* of a place in a row */
  char    *records;    /* on the device */
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
/* Records of the runs, which are the parts of the elements */
PETSC_INTERN PetscErrorCode PlexRunsCreate_Private(PlexAssembly, PlexProduct *, const PlexLists *parts, PlexBlocks *,
                                                   PlexRuns *);
/* Rows that a pass sums; those from `fresh` on add to what is there */
typedef struct {
  PetscInt   n, fresh;
  const int *dofs; /* [n] local dofs */
} PlexRunsPassRows;

/* Runs first .. first + n-1, and rows as these contribute to them */
PETSC_INTERN PetscErrorCode PlexRunsPassCreate_Private(PlexAssembly, PlexProduct *, const PlexRuns *,
                                                       const PlexBlocks *, PetscInt first, PetscInt n,
                                                       const PlexRunsPassRows *, PlexRunsPass *);
/* The kernels */
PETSC_INTERN PetscErrorCode PlexRunsCompile_Private(PlexAssembly, PlexProduct *, const PlexRuns *);
