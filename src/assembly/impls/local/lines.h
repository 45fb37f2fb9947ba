/* local_row of tensor-product cells by sum factorization: cuda/assembly/local_row_lines.cu has the idea */
#pragma once

#include "banks.h"
#include "../common/blocks.h"
#include "../../integrate/lines.h"

#define PLEX_LINES_PARTS 8                /* threads that a row is shared out to, most */
#define PLEX_LINES_MOST  PLEX_BANKS_ITEMS /* elements around a node, most: a thread's records */

typedef struct {
  PlexBlocks blocks;    /* the elements around each part of the nodes */
  PetscInt   elements;  /* of a block, most, and their numbers that far apart */
  PetscInt   fit;       /* those that have room in a block of these sizes */
  PetscInt   mostWarps; /* of a block */
  /* of a record: words, bits of a place; numbers that a warp sums in; of a column that is written at a time */
  PetscInt nwarps, words, places, sums, chunk;
  size_t   groups; /* of 32 records */
  size_t   shared; /* bytes of shared memory a block */
  /* half warps times records, and passes in which these read elements of different banks */
  double         halves, passes;
  double         rows, contributions, computed; /* computed: elements in blocks, each as often as it is there */
  PlexLineTables tables;
  PetscBool      symmetric;
  PetscBool      matrix; /* elements' matrices in the place of their points' numbers */
  PetscBool      zero;   /* some row is in no block */
  PlexLinesArgs  device;
} PlexLines;

/* The plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexLinesCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexLines *);
PETSC_INTERN PetscErrorCode PlexLinesDestroy_Private(PlexAssembly, PlexLines *);
PETSC_INTERN PetscErrorCode PlexLinesView_Private(const PlexLines *, PetscViewer);

/* Columns of so many rows, as a power of two */
PETSC_INTERN PetscInt PlexLinesColumns_Private(const PlexLines *, PetscInt rows);
/* Warps and records of all blocks, which asm->parts has */
PETSC_INTERN PetscErrorCode PlexLinesFill_Private(PlexAssembly, PlexProduct *, const PlexLists *touching, PlexLines *);
