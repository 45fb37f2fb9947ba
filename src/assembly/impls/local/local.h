/* local_nz and local_row: what is made once for a product */
#pragma once

#include "../../plan/blocks.h"
#include "lines.h"
#include "symmetry.h"

typedef struct {
  PlexBlocks blocks; /* the elements around each part of the nodes */
  /* [nblocks+1] local_row: rows of a part; local_nz: rows of its packed array */
  int         *rowStart;
  PlexRows     rows;                            /* local_row */
  size_t       sums;                            /* local_row: bytes of shared memory for sums */
  int         *entries;                         /* local_nz: packed lists */
  int         *targets, *mirrors, *targetStart; /* local_nz: [lists], [lists] or NULL, [nblocks+1] */
  double       padding;                         /* local_nz: of the packed array, relative */
  PetscBool    reoriented;                      /* local_row: by symmetry classes, and nothing of the above */
  PlexSymmetry symmetry;
  PetscBool    summed; /* local_row: along lines, and nothing of the above */
  PlexLines    lines;
  PlexKernel   kernel;
} PlexLocalPlan;
