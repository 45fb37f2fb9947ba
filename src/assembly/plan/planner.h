/*
  Plans that are made in steps over arrays (cuda/plan/blocks.h), where the kernels are or on the host: a batch
  of blocks at a time, and what batches make is put together in the end.

    PlexPlannerCreate
    as long as PlexPlannerBegin() has ranks that are left:
      PlexPlannerCut, by a step of the plan
      PlexPlannerListElements, PlexPlannerListThings, PlexPlannerListRows, the plan's other steps; PlexPlannerPiece
      PlexPlannerEnd
    PlexPlannerJoin, PlexPlannerDestroy
*/
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include "../../backend/arrays/steps.h"
#include <plan/blocks.h>

typedef struct {
  PlexAssembly    asm_;
  PlexBackend     where; /* the steps run */
  PlexArrays      arrays;
  PlexSteps       steps;  /* of blocks */
  PlexMemory      whole;  /* arrays that live as long as the planner */
  const int      *i, *j;  /* rows of the matrix, if it has them there itself */
  PlexPlanBlocks *p;      /* the plan's */
  PetscInt        batch;  /* mesh nodes, most */
  PetscInt        around; /* elements around a dof, most */
  PetscInt        nblocks;
  int            *first; /* [nblocks+1] ranks, on the host; of twice as many blocks as there are ranks */
} PlexPlanner;

/* What batches have made of an array of the plan, one behind the other */
typedef struct {
  PetscInt n, allocated;
  size_t   bytes;
  struct {
    void  *data;
    size_t bytes;
  } *of;
} PlexPlanPieces;

/* Things of the elements of each block of a batch: see PlexPlanBlocks */
typedef struct {
  int  n;
  int *start, *items; /* [nblocks+1], [n] */
  int *number;        /* [elements][k] */
} PlexPlanList;

/* The order of mesh nodes along a curve; the plan's blocks, zero at first, live as long as the planner */
PETSC_INTERN PetscErrorCode PlexPlannerCreate_Private(PlexAssembly, PlexPlanBlocks *, PlexPlanner *);
/* Elements and pattern alone, for plans that have another order */
PETSC_INTERN PetscErrorCode PlexPlannerCreateMesh_Private(PlexAssembly, PlexPlanBlocks *, PlexPlanner *);
/* ... and the elements around each dof */
PETSC_INTERN PetscErrorCode PlexPlannerListAround_Private(PlexPlanner *);
PETSC_INTERN PetscErrorCode PlexPlannerDestroy_Private(PlexPlanner *);
/* What the plan is made from: its pieces are left to be joined */
PETSC_INTERN PetscErrorCode PlexPlannerFree_Private(PlexPlanner *);
/* An array of the host's where the steps run, as long as the planner lives */
PETSC_INTERN PetscErrorCode PlexPlannerInput_Private(PlexPlanner *, const void *from, size_t bytes, const void **to);
/* n zeros of so many bytes, for the batch, or as long as the planner lives */
PETSC_INTERN PetscErrorCode PlexPlannerNew_Private(PlexPlanner *, PetscInt n, size_t size, void *array);
PETSC_INTERN PetscErrorCode PlexPlannerNewWhole_Private(PlexPlanner *, PetscInt n, size_t size, void *array);
/* Exclusive sums of an array of n items and one more, which becomes their total; also in *total, unless that is NULL */
PETSC_INTERN PetscErrorCode PlexPlannerSum_Private(PlexPlanner *, PetscInt n, int array[], int *total);
/* Turns "thing i / each is in list in[i]" around, for n of these: of each list its things lists[starts[k]] ...,
   ascending. starts[nlists + 2]: zero before */
PETSC_INTERN PetscErrorCode PlexPlannerList_Private(PlexPlanner *, PetscInt n, PetscInt each, const int in[],
                                                    PetscInt nlists, int starts[], int lists[]);
/* sums[n + 1] of whether something begins at an item: begins[], where, and n behind them */
PETSC_INTERN PetscErrorCode PlexPlannerListBegins_Private(PlexPlanner *, PetscInt n, const int sums[], int begins[]);
/* Bits of keys that are block << shift | ..., which are to be sorted */
PETSC_INTERN PetscInt PlexPlannerBits_Private(const PlexPlanner *, PetscInt shift);

/* Mesh nodes by keys[nodes] of ranks, of so many bits, equal ones in their order */
PETSC_INTERN PetscErrorCode PlexPlannerSortNodes_Private(PlexPlanner *, PetscInt bits, uint64_t keys[]);

/* The next batch; *left false: there is none */
PETSC_INTERN PetscErrorCode PlexPlannerBegin_Private(PlexPlanner *, PetscBool *left);
/* Blocks, by a step of an item a rank, k - first: where a block that begins there would end */
PETSC_INTERN PetscErrorCode PlexPlannerCut_Private(PlexPlanner *, PlexSteps, PlexStep, const void *args);
/* Blocks of so many elements, most */
PETSC_INTERN PetscErrorCode PlexPlannerCutElements_Private(PlexPlanner *, PetscInt most);
/* Cuts blocks in two that do not fit; *again: there are such. *fit false: one of a single mesh node does not */
PETSC_INTERN PetscErrorCode PlexPlannerSplit_Private(PlexPlanner *, const PetscBool fits[], PetscBool *again,
                                                     PetscBool *fit);
PETSC_INTERN PetscErrorCode PlexPlannerListElements_Private(PlexPlanner *);
PETSC_INTERN PetscErrorCode PlexPlannerListThings_Private(PlexPlanner *, PetscInt k, const int conn[], PlexPlanList *);
/* Positions of a batch's elements, with nothing there: the arrays numbers[] and at[] of PlexPlanBlocks */
PETSC_INTERN PetscErrorCode PlexPlannerSetPositions_Private(PlexPlanner *, PetscInt interleave, PlexPlanPieces *numbers,
                                                            PlexPlanPieces *elements, int *positions);
/* ... then things of the elements, and their numbers there behind `first` others of an element */
PETSC_INTERN PetscErrorCode PlexPlannerConnect_Private(PlexPlanner *, PetscInt k, const int conn[], PetscInt first,
                                                       PlexPlanList *);
/* Not sorted: in the order of ranks */
PETSC_INTERN PetscErrorCode PlexPlannerListRows_Private(PlexPlanner *, PetscBool sort);
PETSC_INTERN PetscErrorCode PlexPlannerEnd_Private(PlexPlanner *);

/* Room for what the batch adds to an array: n zeros of so many bytes */
PETSC_INTERN PetscErrorCode PlexPlannerPiece_Private(PlexPlanner *, PlexPlanPieces *, PetscInt n, size_t size,
                                                     void *piece);
/* ... and a copy of what the steps have made */
PETSC_INTERN PetscErrorCode PlexPlannerKeep_Private(PlexPlanner *, PlexPlanPieces *, PetscInt n, size_t size,
                                                    const void *from);
/* ... of starts[n + 1] all but the last one, with those *before the batch, which become all up to its end */
PETSC_INTERN PetscErrorCode PlexPlannerKeepStarts_Private(PlexPlanner *, PlexPlanPieces *, PetscInt n,
                                                          const int starts[], PetscInt *before);
/* ... and one more number */
PETSC_INTERN PetscErrorCode PlexPlannerKeepEnd_Private(PlexPlanner *, PlexPlanPieces *, PetscInt end);
/* All pieces in the memory of the kernels; array NULL: they are freed alone */
PETSC_INTERN PetscErrorCode PlexPlannerJoin_Private(PlexPlanner *, PlexPlanPieces *, void *array);
/* Likewise where the steps run, as long as the planner lives: of a multiple of four bytes */
PETSC_INTERN PetscErrorCode PlexPlannerJoinWhole_Private(PlexPlanner *, PlexPlanPieces *, void *array);

/* Numbers of a column of sums that are written at a time: 32 bytes of short rows, 64 of others */
static inline int PlexPlannerChunk(PlexAssembly asm_, const PlexProduct *product)
{
  return product->Nt <= 10 * asm_->pattern->m ? 4 : 8;
}
