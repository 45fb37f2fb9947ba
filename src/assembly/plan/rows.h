/*
  Blocks of elements with prefetched nodal data, rows and what they sum, by the planner: of the global_*, local_* and
  shared_* strategies.

    PlexRowsPlannerCreate
    blocks of mesh nodes, local_* and shared_*: as long as there are some left
      PlexPlannerBegin, PlexPlannerCutElements, PlexPlannerListElements
      PlexRowsPlannerBlocks, PlexPlannerListRows, PlexRowsPlannerFill, PlexRowsPlannerKeep or ...Pack
      PlexPlannerEnd
    blocks of elements, global_*:
      PlexRowsPlannerCutElements, and for each pass
        PlexRowsPlannerPass, PlexRowsPlannerFill, PlexRowsPlannerKeep or ...Pack
    PlexRowsPlannerEndBlocks, ...EndRows, ...EndPacked
    PlexRowsPlannerDestroy
*/
#pragma once

#include "blocks.h"
#include "planner.h"
#include <plan/rows.h>

typedef struct {
  PlexAssembly asm_;
  PlexProduct *product;
  PlexPlanner  planner;
  PlexSteps    steps;
  PlexPlanRows p;
  PetscInt     longest;       /* row */
  PetscInt     contributions; /* of the batch */

  /* of all batches so far, and what they have made */
  PetscInt       nodes, dofs, rows, kept, lists, packedRows;
  PlexPlanPieces elementStart, at, numbers, nodeStart, nodeItems, dofStart, dofItems; /* blocks */
  PlexPlanPieces rowStart;                                                            /* rows of blocks */
  PlexPlanPieces start, items, place, ids, lengths;                                   /* rows */
  PlexPlanPieces packTo, packed, targetStart, targets, mirrors;                       /* packed lists */
  double         terms, marks;
} PlexRowsPlanner;

typedef struct {
  PetscInt     nrows;
  PetscInt     longest; /* targets of the longest row */
  PetscInt     contributions;
  double       bytes;    /* of lists, read in a launch */
  int         *rowStart; /* [blocks+1] rows of blocks of mesh nodes */
  PlexRowsArgs device;
} PlexRows;

/* Packed lists, cuda/plan/rows.h */
typedef struct {
  int   *entries, *rowStart; /* [rows][threads of a block], [blocks+1] */
  int   *targets, *mirrors;  /* [lists] or NULL */
  int   *targetStart;        /* [blocks+1] or NULL */
  double padding;            /* relative */
  double terms, bytes;
} PlexPacked;

/* nodes: with the order of mesh nodes */
PETSC_INTERN PetscErrorCode PlexRowsPlannerCreate_Private(PlexAssembly, PlexProduct *, PetscBool nodes,
                                                          PlexRowsPlanner *);
PETSC_INTERN PetscErrorCode PlexRowsPlannerDestroy_Private(PlexRowsPlanner *);
/* Nodal data of the batch's blocks */
PETSC_INTERN PetscErrorCode PlexRowsPlannerBlocks_Private(PlexRowsPlanner *, PlexBlocks *);
/* The blocks are parts of the elements */
PETSC_INTERN PetscErrorCode PlexRowsPlannerCutElements_Private(PlexRowsPlanner *, const PlexLists *parts, PlexBlocks *);
/* Rows that the elements at positions first .. first + n-1 add to, those first to which no earlier pass added,
   *fresh of them. run: see PlexPlanRows */
PETSC_INTERN PetscErrorCode PlexRowsPlannerPass_Private(PlexRowsPlanner *, PetscInt first, PetscInt n, PetscInt run,
                                                        PetscInt *fresh);
/* What the batch's rows sum */
PETSC_INTERN PetscErrorCode PlexRowsPlannerFill_Private(PlexRowsPlanner *);
PETSC_INTERN PetscErrorCode PlexRowsPlannerKeep_Private(PlexRowsPlanner *);
/* Lists of what the batch's targets sum, of each block by descending length; perBlock: see PlexPlanRows */
PETSC_INTERN PetscErrorCode PlexRowsPlannerList_Private(PlexRowsPlanner *, PetscInt perBlock, PetscInt *blocks,
                                                        int *lists, int *terms);
/* Packed lists of what the batch's targets sum; perBlock: see PlexPlanRows */
PETSC_INTERN PetscErrorCode PlexRowsPlannerPack_Private(PlexRowsPlanner *, PetscInt perBlock);

/* To where kernels read them, as long as the product's plan */
PETSC_INTERN PetscErrorCode PlexRowsPlannerEndBlocks_Private(PlexRowsPlanner *, PlexBlocks *);
PETSC_INTERN PetscErrorCode PlexRowsPlannerEndRows_Private(PlexRowsPlanner *, PlexRows *);
PETSC_INTERN PetscErrorCode PlexRowsPlannerEndPacked_Private(PlexRowsPlanner *, PlexPacked *);
PETSC_INTERN PetscErrorCode PlexRowsPlannerJoin_Private(PlexRowsPlanner *, PlexPlanPieces *, void *array);
