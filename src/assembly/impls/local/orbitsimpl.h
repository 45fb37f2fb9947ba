/* Plans of local_row where elements can be turned: what orbits.c, orbitblocks.c and orbitrecords.c share */
#pragma once

#include "orbits.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

#define PLEX_TASK         96   /* words of a task, see cuda/plex_args.h */
#define PLEX_ORBITS_BLOCK 1024 /* bytes of shared memory that a block takes besides its own */
/* Bytes of a warp for what is on its way: heads of two tasks */
#define PLEX_ORBITS_WAYS (sizeof(int) * (size_t)(2 * PLEX_TASK))
/* threads that a row is shared out to, most: of a power of two a warp is full */
#define PLEX_ORBITS_PARTS 4
#define PLEX_RECORD_ITEMS (27 + 2 * PLEX_ORBITS_DOFS + 1) /* most: coordinate nodes, dofs, places, the flag */

typedef struct {
  PetscInt bits, n, at[PLEX_RECORD_ITEMS]; /* bits of an item, items, first bit of each */
} PlexRecordPart;

typedef struct {
  PlexRecordPart nodes, dofs, places;
  /* whether threads that share a row take turns with the entry; none where it would need another word: then they always
     do */
  PlexRecordPart flag;
  PetscInt       words;
} PlexRecord;

/* Contributions of an orbit to a row: of each its element and the rotation of that */
typedef struct {
  int           *element;
  unsigned char *turn;
} PlexOrbitsRun;

typedef struct {
  PlexAssembly  asm_;
  PlexTurns     turns;
  PetscBool     solution;
  PetscBool     sorted; /* mesh nodes, by the orbits of their dofs */
  PlexRecord    record;
  PlexOrbitsRun run; /* one row's */
  /* of a local dof, the elements that have it; of a mesh node, its dofs */
  PlexLists touching, dofsOf;
  size_t    shared; /* of a multiprocessor */
  PetscInt  sums;   /* of a warp, where a row needs no more */
  PetscInt  chunk;  /* of a column that is written at a time, 32 bytes or 64 */
  /* contributions that a row has as a rule, and that a thread sums alone */
  PetscInt usual, most;
  PetscInt nblocks, mostNodes, mostDofs, mostLanes; /* of a block */
  int     *order;                                   /* mesh nodes along the curve */
  /* of a place in a row, when something was last added there; the last such time */
  int      *seen, seenLast;
  PetscInt *start; /* [nblocks+1] into order */
  /* numbers in the block, and for which block plus one they are */
  int *node, *nodeOwner, *dof, *dofOwner;
} PlexOrbitsWalk;

/* A thread's row, or its part of one that several threads of the warp sum: a run of its contributions of each orbit */
typedef struct {
  int l, orbits, count, length; /* dof, orbits of its contributions as bits, contributions of the first part, targets */
  int part, parts, at;          /* at: along the curve, as neighbours read the same nodes */
} PlexOrbitsLane;

typedef struct {
  PlexPackBuffer nodeStart, nodes, dofStart, dofs, placeStart, taskStart, tasks, records;
} PlexOrbitsBuffers;

/* Blocks of a multiprocessor whose threads have the registers that they need, about; with fewer they would keep numbers
   in memory */
static inline PetscInt PlexOrbitsResident(PlexOrbitsWalk *w, PetscInt block)
{
  /* a row by quadrature needs those of the solution too */
  return 65536 / (40 + (w->solution ? 12 : 6) * w->asm_->elements->ef) / block;
}

static inline PetscInt PlexOrbitsLength(PlexOrbitsWalk *w, PetscInt l)
{
  return PlexPatternLength(w->asm_->pattern, w->asm_->pattern->row[l]);
}

/* Those of n things that the block `mark` stands for does not have yet: listed behind the *count that it has, with room
   for one more. Without branches, which would be taken at random */
static inline void PlexOrbitsTouchList(const PetscInt n, const int things[], int mark, int owner[], PetscInt *count,
                                       int list[])
{
  PetscInt m = *count;

  for (PetscInt k = 0; k < n; ++k) {
    const int x = things[k];

    list[m] = x;
    m += owner[x] != mark;
    owner[x] = mark;
  }
  *count = m;
}

/* Numbers of a column of sums: the row's, one behind it, and as many as fill a chunk of those that are written at a
   time */
static inline PetscInt PlexOrbitsColumn(PlexOrbitsWalk *w, PetscInt length)
{
  return (length + w->chunk) / w->chunk * w->chunk;
}

/* Threads that sum a row together: a warp waits for the row with most contributions, so those with far more than the
   usual are shared out, to no more threads than that takes */
static inline PetscInt PlexOrbitsParts(PlexOrbitsWalk *w, PetscInt l)
{
  const PetscInt count = w->touching.start[l + 1] - w->touching.start[l];
  PetscInt       parts = 1;

  while (parts < PLEX_ORBITS_PARTS && count > parts * w->most) parts *= 2;
  return parts;
}

/* Position of dof i's rows: which of an element's dofs l is. Of few dofs all are compared, without branches, which
   would be taken at random */
static inline PetscInt PlexOrbitsFind(PlexElements el, PetscInt e, PetscInt l)
{
  const int *dofs = &el->dofs[(size_t)e * el->ef];
  PetscInt   i    = 0;

  if (el->ef <= 8)
    for (PetscInt k = 1; k < el->ef; ++k) i = dofs[k] == l ? k : i;
  else
    while (dofs[i] != l) ++i;
  return i;
}

PETSC_INTERN PetscErrorCode PlexOrbitsUsual_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsOrder_Private(PlexOrbitsWalk *w);
/* an error if the matrix lacks an entry of the row that e adds to */
PETSC_INTERN PetscErrorCode PlexOrbitsMissing_Private(PlexAssembly asm_, PetscInt row, PetscInt e);
PETSC_INTERN PetscErrorCode PlexOrbitsSort_Private(PlexOrbitsWalk *w);
PETSC_INTERN size_t         PlexOrbitsNodal_Private(PlexOrbitsWalk *w, PetscInt nodes, PetscInt dofs);
PETSC_INTERN void           PlexOrbitsFetch_Private(PlexOrbitsWalk *w, PetscInt k);
PETSC_INTERN PetscErrorCode PlexOrbitsCut_Private(PlexOrbitsWalk *w, PetscInt lanes, PetscInt numbered, size_t budget,
                                                  PlexOrbitsBuffers *b);
PETSC_INTERN PetscInt       PlexOrbitsLanes_Private(PlexOrbitsWalk *w, PetscInt block, const PlexBackendLimits *limits);
PETSC_INTERN void PlexRecordLayOut_Private(PlexElements el, PetscBool solution, PetscInt mostNode, PetscInt mostDof,
                                           PetscInt mostPlace, PlexRecord *r);
PETSC_INTERN PetscErrorCode PlexOrbitsSegment_Private(PlexOrbitsWalk *w, PetscInt o, PetscInt n,
                                                      const PlexOrbitsLane lanes[], PetscInt dropped,
                                                      PlexOrbitsBuffers *b, int *segment);
