/* Plans of local_row where elements can be turned: what orbits.c, orbitblocks.c and orbitrecords.c share */
#pragma once

#include "orbits.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

#define PLEX_TASK(w)         ((w)->components > 1 ? 128 : 96) /* words of a task, see cuda/plex_args.h */
#define PLEX_ORBITS_TOGETHER 168                              /* registers of a thread that sums several rows */
#define PLEX_ORBITS_NUMBERS  100                              /* of sums, that a lane may have where rows of several components are shared out */
#define PLEX_ORBITS_BLOCK    1024                             /* bytes of shared memory that a block takes besides its own */
/* Bytes of a warp for what is on its way: heads of two tasks */
#define PLEX_ORBITS_WAYS(w) (sizeof(int) * (size_t)(2 * PLEX_TASK(w)))
#define PLEX_ORBITS_PARTS   4                               /* threads that a row is shared out to, most: of a power of two a warp is full */
#define PLEX_RECORD_ITEMS   (27 + 2 * PLEX_ORBITS_DOFS + 4) /* most: coordinate nodes, dofs, places, flags */
#define PLEX_RECORD_FLAGS   4                               /* whether a chain begins, and ends; whether threads that share a row take turns with an entry, and with a chain's */

typedef struct {
  PetscInt bits, n, at[PLEX_RECORD_ITEMS]; /* bits of an item, items, first bit of each */
} PlexRecordPart;

typedef struct {
  PlexRecordPart nodes, dofs, places, flags;
  PetscInt       words;
} PlexRecord;

/* Contributions of an orbit to a row in the order of chains: element, its rotation, and whether it does not follow the one before */
typedef struct {
  int           *element;
  unsigned char *turn;
  char          *first;
} PlexOrbitsRun;

typedef struct _n_PlexOrbitsKept *PlexOrbitsKept; /* orbitskept.c */

typedef struct {
  PlexAssembly   asm_;
  PlexTurns      turns;
  PetscBool      solution;
  PetscBool      vertices;                /* dofs of elements are their coordinate nodes, by the same numbers */
  PetscBool      sorted;                  /* mesh nodes, by the orbits of their dofs */
  PetscInt       npieces;                 /* of a row: 1, or 2, the columns below and above a number, each summed by itself */
  PetscInt       mostItems;               /* dofs of a piece, most */
  int            piece[PLEX_ORBITS_DOFS]; /* that has the column of an element's dof, */
  int            item[PLEX_ORBITS_DOFS];  /* and which of its dofs that is */
  PetscInt       components;              /* of a mesh node, whose rows a thread sums together: 1, or all that a node has */
  char          *leads;                   /* [Nl] whether a local dof is the first of its node, where a thread sums several; or NULL */
  int           *split;                   /* [Nl] non-zeros of a dof's row in the first of two pieces, or NULL */
  PlexRecord     record;
  PlexChain      chain;
  PlexOrbitsRun  all;                                     /* one row's, or all rows' where they are kept */
  PetscBool      chained;                                 /* all has been there before */
  PlexOrbitsKept kept;                                    /* between plans, or NULL */
  double         chains;                                  /* of all rows together */
  PlexLists      touching, dofsOf;                        /* of a local dof, the elements that have it; of a mesh node, its dofs */
  size_t         shared;                                  /* of a multiprocessor */
  PetscInt       sums;                                    /* of a warp, where a row needs no more */
  PetscInt       chunk;                                   /* of a column that is written at a time, 32 bytes or 64 */
  PetscInt       usual, most;                             /* contributions that a row has as a rule, and that a thread sums alone */
  PetscInt       nblocks, mostNodes, mostDofs, mostLanes; /* of a block */
  int           *order;                                   /* mesh nodes along the curve */
  int           *seen, seenLast;                          /* of a place in a row, when something was last added there; the last such time */
  PetscInt      *start;                                   /* [nblocks+1] into order */
  int           *node, *nodeOwner, *dof, *dofOwner;       /* numbers in the block, and for which block plus one they are */
} PlexOrbitsWalk;

/* A thread's row, or its part of one that several threads of the warp sum: a piece of each of its orders of contributions */
typedef struct {
  int l, orbits, count, length; /* dof, orbits of its contributions as bits, contributions of the first part, targets */
  int piece;
  int part, parts, at; /* at: along the curve, as neighbours read the same nodes */
} PlexOrbitsLane;

typedef struct {
  PlexPackBuffer nodeStart, nodes, dofStart, dofs, placeStart, taskStart, tasks, records;
} PlexOrbitsBuffers;

/* Blocks of a multiprocessor whose threads have the registers that they need, about; with fewer they would keep numbers in memory */
static inline PetscInt PlexOrbitsResident(PlexOrbitsWalk *w, PetscInt block)
{
  if (w->components > 1) return 65536 / PLEX_ORBITS_TOGETHER / block;
  if (w->npieces > 1) return 65536 / 255 / block;
  return 65536 / (40 + (w->solution ? 12 : 6) * w->mostItems) / block; /* a row by quadrature needs those of the solution too */
}

/* A dof's row of the matrix, or -1; where a node's rows are summed together, only its first dof has one, which stands for all */
static inline PetscInt PlexOrbitsRow(PlexOrbitsWalk *w, PetscInt l)
{
  return w->leads && !w->leads[l] ? -1 : w->asm_->pattern->row[l];
}

static inline PetscInt PlexOrbitsLength(PlexOrbitsWalk *w, PetscInt l)
{
  return PlexPatternLength(w->asm_->pattern, PlexOrbitsRow(w, l));
}

/* Those of n things that the block `mark` stands for does not have yet: listed behind the *count that it has, with room for one more. Without branches, which
   would be taken at random */
static inline void PlexOrbitsTouchList(const PetscInt n, const int things[], int mark, int owner[], PetscInt *count, int list[])
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

/* The non-zeros of piece p of a dof's row are those from PlexOrbitsFirst() on */
static inline PetscInt PlexOrbitsFirst(PlexOrbitsWalk *w, PetscInt l, PetscInt p)
{
  return p ? w->split[l] : 0;
}

static inline PetscInt PlexOrbitsPiece(PlexOrbitsWalk *w, PetscInt l, PetscInt p)
{
  if (w->npieces == 1) return PlexOrbitsLength(w, l);
  return p ? PlexOrbitsLength(w, l) - w->split[l] : w->split[l];
}

/* Numbers of a column of sums: the row's, one behind it (one for each component), and as many as fill a chunk of those that are written at a time */
static inline PetscInt PlexOrbitsColumn(PlexOrbitsWalk *w, PetscInt length)
{
  return (length + w->components + w->chunk - 1) / w->chunk * w->chunk;
}

/* Threads that sum a row together: a warp waits for the row with most contributions, so those with far more than the usual are shared out, to no
   more threads than that takes; and so are those of several components whose sums are many */
static inline PetscInt PlexOrbitsParts(PlexOrbitsWalk *w, PetscInt l, PetscInt p)
{
  const PetscInt count = w->touching.start[l + 1] - w->touching.start[l];
  PetscInt       parts = 1;

  while (parts < PLEX_ORBITS_PARTS && count > parts * w->most) parts *= 2;
  if (w->components > 1)
    while (parts < 2 * PLEX_ORBITS_PARTS && count >= 2 * parts && w->components * PlexOrbitsColumn(w, PlexOrbitsPiece(w, l, p)) > PLEX_ORBITS_NUMBERS * parts) parts *= 2;
  return parts;
}

/* Position of dof i's rows: which of an element's dofs l is. Of few dofs all are compared, without branches, which would be taken at random */
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

PETSC_INTERN PetscErrorCode PlexOrbitsComponents_Private(PlexOrbitsWalk *w, PlexProduct *product);
PETSC_INTERN PetscErrorCode PlexOrbitsPieces_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsUsual_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsOrder_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsTouching_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsCurve_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsMissing_Private(PlexAssembly asm_, PetscInt row, PetscInt e); /* an error if the matrix lacks an entry of the row that e adds to */
PETSC_INTERN PetscErrorCode PlexOrbitsBeginChains_Private(PlexOrbitsWalk *w, PetscInt longest);
PETSC_INTERN PetscErrorCode PlexOrbitsEndChains_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsFreeCommon_Private(PlexOrbitsWalk *w);
PETSC_INTERN PetscErrorCode PlexOrbitsSort_Private(PlexOrbitsWalk *w);
PETSC_INTERN size_t         PlexOrbitsNodal_Private(PlexOrbitsWalk *w, PetscInt nodes, PetscInt dofs);
PETSC_INTERN void           PlexOrbitsFetch_Private(PlexOrbitsWalk *w, PetscInt k);
PETSC_INTERN PetscErrorCode PlexOrbitsCut_Private(PlexOrbitsWalk *w, PetscInt lanes, PetscInt numbered, size_t budget, PlexOrbitsBuffers *b);
PETSC_INTERN PetscInt       PlexOrbitsLanes_Private(PlexOrbitsWalk *w, PetscInt block, const PlexBackendLimits *limits);
PETSC_INTERN void           PlexRecordLayOut_Private(PlexElements el, PetscBool solution, PetscInt places, PetscInt mostNode, PetscInt mostDof, PetscInt mostPlace, PlexRecord *r);
PETSC_INTERN PetscErrorCode PlexOrbitsSegment_Private(PlexOrbitsWalk *w, PetscInt o, PetscInt n, const PlexOrbitsLane lanes[], PetscInt dropped, PlexOrbitsBuffers *b, int *segment);
