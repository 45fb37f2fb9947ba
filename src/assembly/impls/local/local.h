/* local_nz and local_row: what is made once for a product */
#pragma once

#include "../../plan/rows.h"
#include "lines.h"
#include "symmetry.h"

typedef struct {
  PlexBlocks   blocks;     /* the elements around each part of the nodes */
  PlexRows     rows;       /* local_row */
  size_t       sums;       /* local_row: bytes of shared memory for sums */
  PlexPacked   packed;     /* local_nz */
  PetscBool    reoriented; /* local_row: by symmetry classes, and nothing of the above */
  PlexSymmetry symmetry;
  PetscBool    summed; /* local_row: along lines, and nothing of the above */
  PlexLines    lines;
  PlexKernel   kernel;
} PlexLocalPlan;
