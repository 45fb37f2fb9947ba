/* Plans of local_row by symmetry classes: what symmetry.c, symmetryblocks.c and symmetryrecords.c share */
#pragma once

#include "symmetry.h"
#include "../common/warps.h"
#include "../../integrate/integrate.h"

#define PLEX_TASK 96 /* words of a task, see cuda/plex_args.h */
/* bytes of shared memory that a block takes besides its own */
#define PLEX_SYMMETRY_BLOCK 1024
/* bytes of a warp for what is on its way: heads of two tasks */
#define PLEX_SYMMETRY_WAYS (sizeof(int) * (size_t)(2 * PLEX_TASK))
#define PLEX_RECORD_ITEMS  (27 + 2 * PLEX_CLASSES_DOFS + 1) /* most: coordinate nodes, dofs, places, the flag */

typedef struct {
  PetscInt bits, n, at[PLEX_RECORD_ITEMS]; /* bits of an item, items, first bit of each */
} PlexRecordPart;

typedef struct {
  PlexRecordPart nodes, dofs, places;
  /* whether threads that share a row add the entry one after the other; none where it would need another word: then
     they always do */
  PlexRecordPart flag;
  PetscInt       words;
} PlexRecord;

typedef struct {
  PlexAssembly   asm_;
  PlexDofClasses classes;
  PlexNodeOrder  order;
  PlexCut        cut; /* blocks of it, which list elements, coordinate nodes and, with the solution, dofs */
  PetscBool      solution;
  PlexRecord     record;
  size_t         shared; /* of a multiprocessor */
  PetscInt       sums;   /* of a warp, where a row needs no more */
  PetscInt       chunk;  /* of a column that is written at a time */
  PetscInt       most;   /* contributions that a thread sums alone */

  /* of a local dof's row: threads that sum it; of mesh nodes up to nodes[k] those of all rows, [n+1] */
  unsigned char *parts;
  PetscInt      *lanes;

  int *node, *dof; /* numbers in the block */
  /* contributions of a class to a row: of each its element and the rotation of that */
  int           *element;
  unsigned char *rotation;
  int           *seen, seenLast; /* of a place in a row, when something was last added there; the last such time */
} PlexSymmetryBuild;

typedef struct {
  PlexPackBuffer placeStart, taskStart, tasks, records;
} PlexSymmetryBuffers;

/* Blocks of a multiprocessor whose threads have the registers that they need, about; with fewer they would keep numbers
   in memory */
static inline PetscInt PlexSymmetryResident(const PlexSymmetryBuild *s, PetscInt block)
{
  /* a row by quadrature needs those of the solution too */
  return 65536 / (40 + (s->solution ? 12 : 6) * s->asm_->elements->ef) / block;
}

static inline PetscInt PlexSymmetryLength(const PlexSymmetryBuild *s, PetscInt l)
{
  return PlexPatternLength(s->asm_->pattern, s->asm_->pattern->row[l]);
}

/* Elements around local dof l */
static inline PetscInt PlexSymmetryAround(const PlexSymmetryBuild *s, PetscInt l)
{
  return s->order.elements.start[l + 1] - s->order.elements.start[l];
}

/* Which of an element's dofs l is. Of few dofs all are compared, without branches, which would be taken at random */
static inline PetscInt PlexSymmetryFind(PlexElements el, PetscInt e, PetscInt l)
{
  const int *dofs = &el->dofs[(size_t)e * el->ef];
  PetscInt   i    = 0;

  if (el->ef <= 8)
    for (PetscInt k = 1; k < el->ef; ++k) i = dofs[k] == l ? k : i;
  else
    while (dofs[i] != l) ++i;
  return i;
}

/* Classes of the contributions to local dof l's row, as bits */
static inline int PlexSymmetryClasses(const PlexSymmetryBuild *s, PetscInt l)
{
  const PlexLists *elements = &s->order.elements;
  int              classes  = 0;

  if (s->classes.n == 1) return elements->start[l] < elements->start[l + 1];
  for (PetscInt t = elements->start[l]; t < elements->start[l + 1]; ++t)
    classes |= 1 << s->classes.of[PlexSymmetryFind(s->asm_->elements, elements->items[t], l)];
  return classes;
}

PETSC_INTERN size_t PlexSymmetryNodal_Private(const PlexSymmetryBuild *, PetscInt nodes, PetscInt dofs);
/* Blocks of at most so many bytes of nodal data, in threads of `block` */
PETSC_INTERN PetscErrorCode PlexSymmetryCut_Private(PlexSymmetryBuild *, PetscInt block, size_t budget);
/* Tasks and records of all blocks */
PETSC_INTERN PetscErrorCode PlexSymmetryFill_Private(PlexSymmetryBuild *, PlexSymmetry *, PlexSymmetryBuffers *);
PETSC_INTERN void PlexRecordLayOut_Private(PlexElements, PetscBool solution, PetscInt mostNode, PetscInt mostDof,
                                           PetscInt mostPlace, PlexRecord *);
/* The records of class c of a warp of n rows: as many groups as the thread with most of them needs; *segment: 0 if
   there are none */
PETSC_INTERN PetscErrorCode PlexSymmetrySegment_Private(PlexSymmetryBuild *, PetscInt c, PetscInt n,
                                                        const PlexWarpRow rows[], PetscInt dropped,
                                                        PlexPackBuffer *records, int *segment);
