/*
  What methods whose plans are made in steps have in common: a planner, steps of their own, and arrays that their
  kernels get, to which each batch of blocks adds a piece.

  A method has a struct w with members `b`, a PlexBatches, and `p`, the arguments of its steps, which begin with a
  PlexPlanBlocks.
*/
#pragma once

#include "planner.h"

#define PLEX_BATCHES_ARRAYS 13

typedef struct {
  PlexPlanner    planner;
  PlexSteps      steps;                       /* the method's own, */
  void          *plan;                        /* and what they get */
  PlexMemory    *memory;                      /* of the product, which frees the plan's arrays */
  PlexPlanPieces pieces[PLEX_BATCHES_ARRAYS]; /* by the order of what the kernels get */
  PlexArraysMark cut;                         /* behind what a batch's blocks are cut from */
} PlexBatches;

/* Members of w->p: zeros, for the batch or as long as the planner lives; exclusive sums [n + 1] of what a step says of
   each of n items; n more items of array k, and how many there are before */
#define PlexPlanRun(w, name, n)       PlexStepsRun((w)->b.steps, PLEX_STEP_OF(name), n, &(w)->p)
#define PlexPlanRunShared(w, name, n) PlexStepsRun((w)->b.steps, PLEX_STEP_OF_SHARED(name), n, &(w)->p)
#define PlexPlanNew(w, n, member)     PlexPlannerNew_Private(&(w)->b.planner, n, sizeof(*(w)->p.member), &(w)->p.member)
#define PlexPlanSumOf(w, n, member, all) PlexPlannerSum_Private(&(w)->b.planner, n, (w)->p.member, all)
#define PlexPlanWhole(w, n, member) \
  PlexPlannerNewWhole_Private(&(w)->b.planner, n, sizeof(*(w)->p.member), &(w)->p.member)
#define PlexPlanSum(w, name, n, member, all) PlexBatchesSum_Private(&(w)->b, PLEX_STEP_OF(name), n, &(w)->p.member, all)
#define PlexPlanPiece(w, k, n, member, before) \
  PlexBatchesPiece_Private(&(w)->b, k, n, sizeof(*(w)->p.member), &(w)->p.member, before)

/* file: of the steps. curve: mesh nodes are ordered */
PETSC_INTERN PetscErrorCode PlexBatchesCreate_Private(PlexAssembly, PlexProduct *, const char file[], PetscBool curve,
                                                      void *plan, PlexBatches *);
PETSC_INTERN PetscErrorCode PlexBatchesDestroy_Private(PlexBatches *);
/* The next batch, cut into blocks by a step; *left false: there is none */
PETSC_INTERN PetscErrorCode PlexBatchesNext_Private(PlexBatches *, PlexStep cut, PetscBool *left);
/* As PlexPlannerSplit_Private(); what has been made since the batch was cut is gone if there are others */
PETSC_INTERN PetscErrorCode PlexBatchesSplit_Private(PlexBatches *, const PetscBool fits[], PetscBool *again,
                                                     PetscBool *fit);
PETSC_INTERN PetscErrorCode PlexBatchesSum_Private(PlexBatches *, PlexStep, PetscInt n, int **sums, int *all);
/* A step of m items says of n others whether something begins there: (*sums)[n + 1], and (*begins)[*all + 1], where,
   the last one n. sums or all may be NULL */
PETSC_INTERN PetscErrorCode PlexBatchesBegins_Private(PlexBatches *, PlexStep, PetscInt m, PetscInt n, int **sums,
                                                      int **begins, int *all);
/* n zeros more of array k; before: items that are there, or NULL */
PETSC_INTERN PetscErrorCode PlexBatchesPiece_Private(PlexBatches *, PetscInt k, PetscInt n, size_t size, void *piece,
                                                     int *before);
/* ... the items of a list */
PETSC_INTERN PetscErrorCode PlexBatchesKeep_Private(PlexBatches *, PetscInt k, const PlexPlanList *, int *before);
/* n arrays in the memory of the kernels: args is a struct of their pointers. One without pieces is left out. What they
   were made from is freed first */
PETSC_INTERN PetscErrorCode PlexBatchesJoin_Private(PlexBatches *, PetscInt first, PetscInt n, void *args);
/* Memory of the kernels */
PETSC_INTERN PetscErrorCode PlexBatchesAllocate_Private(PlexBatches *, size_t bytes, void *array);
/* All pieces are freed: blocks begin anew */
PETSC_INTERN PetscErrorCode PlexBatchesDrop_Private(PlexBatches *);
/* An error, if steps have found that the matrix has no entry for some element */
PETSC_INTERN PetscErrorCode PlexBatchesCheck_Private(PlexBatches *);
