/* global_nz and global_row: what is made once for a product */
#pragma once

#include "runs.h"

typedef struct {
  PetscInt     firstBlock, nblocks; /* of elements */
  PetscInt     grid;                /* blocks of the second kernel */
  PetscInt     first, positions;    /* of elements */
  PlexPacked   packed;              /* global_nz */
  PetscInt     fresh;               /* global_row: the first row that is added to what an earlier pass has left */
  PlexRows     rows;
  PlexRunsPass runs; /* in the place of rows */
} PlexGlobalPass;

typedef struct {
  PlexBlocks blocks;
  PetscInt   longest; /* row */
  /* global_row: a thread computes an element, by cuda/integrate/modal_element.cuh; G is [runs][EF][PLEX_RUN][EF]
     then */
  PetscBool       modal;
  PlexRuns        runs;
  size_t          shared; /* all of them */
  PetscInt        npasses;
  PlexGlobalPass *passes;
  void           *G;         /* element data of a pass, interleaved [positions][nd] */
  size_t          positions; /* of the largest pass */
  PetscInt        group;     /* global_row: threads a row */
  PetscBool       whole;     /* global_row: all rows of the matrix are summed */
  size_t          sums;      /* bytes of shared memory of the second kernel */
  PlexKernel      integrate, reduce;
} PlexGlobalPlan;
