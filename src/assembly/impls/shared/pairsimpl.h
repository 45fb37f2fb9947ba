/* The block of a plan of pairs that is filled: pairblocks.c, gradientblocks.c of pairs by gradients, and pointblocks.c
   of pairs of points */
#pragma once

#include "pairs.h"
#include "../common/blocks.h"
#include "../common/warps.h"

/* elements of a pair beyond which it is shared out to two lanes, and twice as many to four */
#define PLEX_PAIR_MANY 10
/* lists of which one is chosen for a lane */
#define PLEX_PAIR_TRIES 256
/* and from the first on whose banks have steps left */
#define PLEX_PAIR_MORE 48
/* words of items that a lane has, most */
#define PLEX_PAIR_LONGEST 127
/* dofs a node */
#define PLEX_PAIR_SEVERAL(w) ((w)->kinds->kept == PLEX_PAIRS_GRADIENTS || (w)->kinds->kept == PLEX_PAIRS_POINTS)
/* pairs of a task: a lane has one or two */
#define PLEX_PAIR_LANES(w) (PLEX_PAIR_SEVERAL(w) ? 32 : 64)

/* Items that a lane has of a pair in a group of records, and in a word of its task, which are steps of all lanes: of
   points a word is a step */
#define PLEX_PAIR_ITEMS_GROUP(w) (PLEX_PAIR_SEVERAL(w) ? 4 : 2)
#define PLEX_PAIR_ITEMS_WORD(w)  ((w)->kinds->kept == PLEX_PAIRS_POINTS ? 1 : PLEX_PAIR_ITEMS_GROUP(w))
/* elements of a pair, most */
#define PLEX_PAIR_ITEMS(w) (4 * PetscMin(2, PLEX_PAIR_ITEMS_WORD(w)) * PLEX_PAIR_LONGEST)

#define PLEX_PAIR_NODES 32767                   /* nodes of a block, most */
#define PLEX_PAIR_STEPS (4 * PLEX_PAIR_LONGEST) /* items that a lane has of a pair, most */

/* Lists of items that lanes read: pairs and their elements, elements and their vertices */
typedef struct {
  int *order; /* [n] lists, of which the next ones are chosen, and put before the others */
  /* [n] banks of the items of each, as bits, and of the sums that are written, PLEX_PAIR_WRITES() */
  uint64_t *banks;
  PetscInt  n;
  /* lists that are looked at for one to be chosen, and when there is one whose banks have steps left */
  PetscInt              tries, more;
  const int            *start; /* of a list */
  const unsigned short *item;
  PetscInt              nothing, end; /* items that stand for none */
} PlexPairLists;

/* A place to which a list's sum is written, of two: 16 sums make a line of banks */
#define PLEX_PAIR_WRITES(target, place) ((uint64_t)1 << (32 + 16 * (target) + ((place) & 15)))

/* A slot is a lane, or of two pairs of a lane one: slot k that of lane k % 32. As many as there are banks are a set,
   and read at once */
typedef struct {
  PetscInt       slots, banks, steps;
  int            list[64];                   /* [slots] or -1 */
  unsigned short item[64 * PLEX_PAIR_STEPS]; /* [slots][steps] or PLEX_PAIR_NONE */
  uint64_t       written[4];                 /* PLEX_PAIR_WRITES() of 16 slots */

  /* of the set that is filled */
  uint64_t       full;                         /* banks of as many items as there are steps, as bits */
  unsigned short total[32];                    /* [banks] items */
  signed char    reader[32 * PLEX_PAIR_STEPS]; /* [banks][steps] slot, or -1 */
  unsigned char  late[32 * PLEX_PAIR_STEPS];   /* [banks][steps] others that read it */
  unsigned char  latest[PLEX_PAIR_STEPS];      /* [steps] the most of them */
  unsigned char  lateSlot[32 * PLEX_PAIR_STEPS];
  unsigned short lateItem[32 * PLEX_PAIR_STEPS]; /* items whose bank is read in all steps */
} PlexPairLanes;

typedef struct {
  PlexAssembly         asm_;
  const PlexPairKinds *kinds;
  size_t               budget;
  PetscInt             mostNodes, mostNow; /* mesh nodes of a block, and of the one that is cut */
  PetscInt             elementBits;
  double               groups;   /* of records for an entry, most of a block so far */
  PetscBool            arranges; /* lanes so that they read different banks */

  PlexNodeOrder order;
  PlexCut       cut;                /* blocks of it, which list elements and coordinate nodes */
  PetscInt     *rowsTo, *entriesTo; /* of mesh nodes up to order.nodes[k] the rows and their entries, [n+1] */
  int          *node;               /* [Nx] number in the block */
  int          *dof, *dofOwner;     /* [Nl] place of a dof's row in the block's sums, and for which block it is */

  /* of the block that is filled */
  PetscInt nelements, nnodes, nentries, nrows;
  PetscInt nruns;    /* of rows that lie one behind the other in the matrix */
  PetscInt stride;   /* of the elements' numbers */
  int     *elements; /* [nelements] */
  int     *before;   /* [65536] elements as they come */
  /* [65536] of an element the symmetry that takes its vertices to those whose coordinates are read for them */
  unsigned char  *turn;
  unsigned short *vertex;      /* [nelements][vertices] nodes, in the order in which elements come */
  uint64_t       *rows, *work; /* [65536] row << 32 | dof, ascending */
  PetscInt        nholes;
  int            *hole; /* [65536] places between rows */

  PlexPairLanes *lanes;
  /* steps of sets in which lanes read, and in how many turns: numbers, coordinates */
  double          reads[2], turns[2];
  PetscInt        nitems;
  int            *itemPos; /* [nitems] */
  unsigned short *item;    /* [nitems] */
  int            *start;   /* [65537] */
  uint64_t       *banks;   /* [65536] of the lists of pairs, or of elements */
  unsigned short *sorted;  /* [nitems] by place */
  unsigned short *other;   /* [65536] place of the transposed entry, or PLEX_PAIR_NONE */
  unsigned char  *kind;    /* [65536] 0xff: nothing is added to the place */
  char           *covered; /* [65536] another place's pair writes it */
  int            *pairs;   /* [65536] primary places, sorted */

  /* with sums of rows */
  char *incomplete; /* [Nl] an element around the dof has one without a column */
  int  *diagonal;   /* [65536] of a row of the block the place of the entry that makes its sum zero, or -1 */

  /* by gradients and of points, where the primary place is the first entry of a pair of nodes */
  unsigned short *place;     /* [65536] of the first entry of the pair (i, j), or PLEX_PAIR_NONE; other[]: of (j, i) */
  unsigned       *shape;     /* [65536] strides and components, see PlexPairsArgs */
  PetscBool       irregular; /* the entries of a pair do not lie row behind row */
} PlexPairsWalk;

typedef struct {
  PlexPackBuffer blocks, conn, lists, records;
} PlexPairsBuffers;

/* The place of entry (row of l, column of m) in the block's sums, -1 where the matrix lacks it */
static inline PetscInt PlexPairsFind(const PlexPairsWalk *w, PetscInt l, PetscInt m)
{
  PlexPattern    pattern = w->asm_->pattern;
  const PetscInt row = pattern->row[l], slot = PlexPatternFind(pattern, row, pattern->column[m]);

  return slot < 0 ? -1 : w->dof[l] + slot - pattern->i[row];
}

static inline PetscInt PlexPairsCount(const PlexPairsWalk *w, PetscInt pos)
{
  return w->start[pos + 1] - w->start[pos];
}

/* Places of the rows of mesh nodes first .. end-1; w->nrows, nruns, nentries */
PETSC_INTERN void           PlexPairsPlaceRows_Private(PlexPairsWalk *, PetscInt first, PetscInt end);
PETSC_INTERN PetscErrorCode PlexPairsFindIncomplete_Private(PlexPairsWalk *);
PETSC_INTERN PetscErrorCode PlexPairsDiagonals_Private(PlexPairsWalk *);
PETSC_INTERN PetscErrorCode PlexPairsAddRows_Private(PlexPairsWalk *, PlexPairsBuffers *, PetscInt *complete);
/* Tasks and records of the block's pairs; w->pairs */
PETSC_INTERN PetscErrorCode PlexPairsAddTasks_Private(PlexPairsWalk *, PlexPairsBlock *, PlexPairsBuffers *,
                                                      PetscInt *npairs);

/* A node of several dofs of an element as the block has it */
typedef struct {
  PetscInt   n;
  const int *dofs;          /* [n] local dofs; nodes are the same where these are */
  unsigned   rows, columns; /* of them those that have a row in the block, a column in the matrix: bits */
  PetscInt   row, column;   /* local dofs of the first of them, where there are any */
  PetscInt   stride;        /* places from a row to the next */
} PlexPairNode;

PETSC_INTERN void PlexPairNodeGet_Private(const PlexPairsWalk *, PetscInt n, const int dofs[], PlexPairNode *);
/* The order of two of N nodes in which they are of their kind; where either will do, one that all elements choose */
PETSC_INTERN void PlexPairNodesOrder_Private(const PlexPairsWalk *, PetscInt N, const PlexPairNode nodes[], PetscInt *i,
                                             PetscInt *j);
/* Item of element number `at` of a pair in an order in which symmetry s takes its kind to it; false where the matrix
   lacks an entry */
PETSC_INTERN PetscBool PlexPairNodesAdd_Private(PlexPairsWalk *, const PlexPairNode *, const PlexPairNode *,
                                                PetscInt kind, PetscInt s, PetscInt at, unsigned shape);

/* Items of element e by gradients, which is number `at` of the block; false where the matrix lacks an entry */
PETSC_INTERN PetscBool PlexPairsElementGradients_Private(PlexPairsWalk *, PetscInt e, PetscInt at);
/* ... of pairs of points */
PETSC_INTERN PetscBool PlexPairsElementPoints_Private(PlexPairsWalk *, PetscInt e, PetscInt at);

/* Lanes in so many slots, read nothing yet */
PETSC_INTERN void PlexPairLanesBegin_Private(PlexPairLanes *, PetscInt slots, PetscInt banks, PetscInt steps);
/* The first n lists, each one's items on so many slots one behind the other, as they come */
PETSC_INTERN void PlexPairLanesFillInOrder_Private(PlexPairLanes *, PetscInt parts, PetscInt n, const PlexPairLists *);
/* A set of n lists, which are put to order[from], order[from + 1], ...; each one's items on so many slots one behind
   the other. Returns in how many turns banks are read in all steps */
PETSC_INTERN PetscInt PlexPairLanesFillSet_Private(PlexPairLanes *, PetscInt set, PetscInt parts, PetscInt from,
                                                   PetscInt n, PlexPairLists *);
