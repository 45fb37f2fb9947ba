/* The block of a plan of pairs that is filled: pairblocks.c, and gradientblocks.c of pairs by gradients */
#pragma once

#include "pairs.h"
#include "../local/orbitsimpl.h" /* PlexOrbitsOrder_Private(), PlexOrbitsFetch_Private(), PlexOrbitsMissing_Private() */

#define PLEX_PAIR_MANY     10                                /* elements of a pair beyond which it is shared out to two lanes, and twice as many to four */
#define PLEX_PAIR_LONGEST  127                               /* words of items that a lane has, most */
#define PLEX_PAIR_ITEMS    (4 * 2 * PLEX_PAIR_LONGEST)       /* elements of a pair, most: by gradients a word is two */
#define PLEX_PAIR_LANES(w) ((w)->kinds->gradients ? 32 : 64) /* pairs of a task: a lane has one by gradients, else two */

typedef struct {
  PlexAssembly         asm_;
  const PlexPairKinds *kinds;
  size_t               budget;
  PetscInt             mostNodes; /* mesh nodes of a block */
  PetscInt             elementBits;
  double               groups; /* of records for an entry, most of a block so far */
  int                  mark;   /* of the block that is cut: its number, counting those without rows */

  PlexOrbitsWalk *curve; /* the same order and lists, for what has them fetched */

  int      *order;            /* mesh nodes along the curve */
  PlexLists dofsOf, touching; /* of a mesh node its dofs; of a local dof its elements */
  int      *node, *nodeOwner; /* [Nx] number in the block, and for which block it is */
  int      *element;          /* [Ne] for which block it is listed */
  int      *dof, *dofOwner;   /* [Nl] place of a dof's row in the block's sums, likewise */

  /* of the block that is filled */
  PetscInt  nelements, nnodes, nentries, nrows;
  int      *elements, *nodes; /* lists */
  uint64_t *rows, *work;      /* row << 32 | dof, ascending */
  PetscInt  nholes;
  int      *hole; /* [65536] places between rows */
  PetscInt  elementsMost, nodesMost, rowsMost;

  PetscInt        nitems, itemsMost;
  int            *itemPos;  /* [nitems] */
  unsigned short *item;     /* [nitems] */
  int            *start;    /* [65537] */
  unsigned short *sorted;   /* [nitems] by place */
  unsigned short *other;    /* [65536] place of the transposed entry, or PLEX_PAIR_NONE */
  unsigned char  *kind;     /* [65536] 0xff: nothing is added to the place */
  char           *covered;  /* [65536] another place's pair writes it */
  int            *pairs[2]; /* [65536] primary places, as they come and sorted */

  /* with sums of rows */
  char *incomplete; /* [Nl] an element around the dof has one without a column */
  int  *firstDof;   /* [Nl] by gradients: of the first component of the dof's node */
  int  *diagonal;   /* [65536] of a row of the block the place of the first entry that makes its sum zero, or -1 */

  /* by gradients, where the primary place is the first entry of a pair of nodes */
  unsigned short *place;     /* [65536] of the first entry of the pair (i, j), or PLEX_PAIR_NONE; other[]: of (j, i) */
  unsigned       *shape;     /* [65536] strides and components, see PlexPairsArgs */
  PetscBool       irregular; /* the entries of a pair do not lie row behind row */
} PlexPairsWalk;

typedef struct {
  PlexPackBuffer blocks, nodes, conn, lists, records;
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

/* Items of element e by gradients, which is number `at` of the block; false where the matrix lacks an entry */
PETSC_INTERN PetscBool PlexPairsElementGradients_Private(PlexPairsWalk *, PetscInt e, PetscInt at);
