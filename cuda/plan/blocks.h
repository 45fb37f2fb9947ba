/*
  Blocks of mesh nodes along a curve: which elements are around a block's nodes, what these have, and the block's rows.
  Made in steps, blocks_steps.h, which src/assembly/plan/planner.c runs for a batch of blocks at a time. A
  plan cuts the order into blocks with a step of its own, as they have to fit.

  Index spaces besides those of meshimpl.h:
    k in [0, nodes)     mesh node in the order of the curve: its rank
    b in [0, nblocks)   block of the batch: ranks blockFirst[b] .. blockFirst[b+1]-1
    c                   an element around a rank of the batch: aroundTo[k - first] + its place around lead[k]
    t in [0, elements)  element of a block, block by block
    r in [0, rows)      row of a block, block by block, ascending in a block
*/
#ifndef PLEX_PLAN_BLOCKS_H
#define PLEX_PLAN_BLOCKS_H

#include "steps.h"

typedef struct {
  /* ---- The whole mesh */
  int             ef, Nv, cdim, nodes;
  const int      *dofs, *vertices; /* [Ne][ef], [Ne][Nv] */
  const double   *x;               /* [Nx][cdim] coordinate nodes */
  const int      *nodeOf;          /* [Nl] mesh node of a dof */
  const int      *row;             /* the pattern's */
  const plex_int *column, *i, *j;
  plex_int        nA;
  int             residual;      /* a row is a dof's, of one entry: there is no pattern */
  int            *node, *lead;   /* [nodes] mesh node, and a dof that has a row and elements, or -1 */
  int            *rankOf, *rank; /* [nodes] of a mesh node, [Nl] of that of a dof */
  int            *dofStart;      /* [nodes+1] of a mesh node its dofs dofItems[], ascending */
  int            *dofItems;
  int            *aroundStart; /* [Nl+1] of a dof the elements around it, ascending: around[] */
  int            *around;
  int            *mostAround;         /* [1] */
  int            *rowsTo, *entriesTo; /* [nodes+1] rows, and their entries, of the ranks before */

  int *missing; /* [1] element + 1 that adds to an entry which the matrix has not */

  /* ---- Lists turned around: things that n things are in */
  const int *in; /* [n] of thing i / each; -1: none */
  int        each;
  int       *starts; /* first counts, then moving ones */
  int       *lists;

  /* ---- The curve */
  double    low[3], scale; /* of sums of `points` coordinate nodes: corner of the box; cells per unit of length */
  int       bits;          /* of a cell's coordinate */
  plex_key *curve;         /* [nodes] cell on the curve */

  /* ---- The batch: ranks first .. first + count - 1 */
  int  first, count, last; /* last: of the ranks that blocks may have */
  int *aroundTo;           /* [count+1] */
  int *before;             /* of each c the last rank before k that has the element too, -1: there is none */
  int *next;               /* [count] where a block that begins there would end */
  int  most;               /* elements of a block, where that is what cuts blocks */

  int        nblocks, elements, rows;
  const int *blockFirst;   /* [nblocks+1] ranks */
  int       *number;       /* of each c, [+1]: elements of blocks before it */
  int       *element;      /* [elements] */
  int       *elementStart; /* [nblocks+1] */
  int       *rowStart;     /* [nblocks+1] */
  int       *rowDof;       /* [rows] local dof */

  /* ---- A list: of each block the things of its elements, each once, and ascending; made for a part of the blocks at a
     time, which begins with a block, an element and a thing */
  const int *conn; /* [Ne][k] */
  int        k, partBlock, partElement, partThing, partKeys;
  plex_key  *keys;       /* [partKeys] block << 32 | thing, sorted now */
  int       *order;      /* [partKeys] where it was */
  int       *thingsTo;   /* [partKeys + 1] things of the part before a key */
  int       *thingStart; /* [nblocks+1] */
  int       *things;     /* of all blocks */
  int       *thing;      /* [elements][k] their numbers in the block */

  /* ---- Positions: those of a block begin at a multiple of `interleave` */
  int             interleave, firstPosition, firstThing; /* the batch's first; of an element's things the first */
  int            *positionStart;                         /* [nblocks+1] counted from firstPosition */
  unsigned short *numbers;  /* interleaved [positions][Nv + ef], as PlexBlocksArgs has them */
  int            *at;       /* [positions] element, -1: padding */
  int            *position; /* [Ne] of an element, where it has one, of all */
} PlexPlanBlocks;

/* Row of a dof, its entries, and its first target */
PLEX_HOST_DEVICE int plex_plan_row(const PlexPlanBlocks *p, int l)
{
  return p->residual ? l : p->row[l];
}
PLEX_HOST_DEVICE int plex_plan_length(const PlexPlanBlocks *p, int l)
{
  const int row = plex_plan_row(p, l);

  return row < 0 ? 0 : p->residual ? 1 : (int)(p->i[row + 1] - p->i[row]);
}
PLEX_HOST_DEVICE int plex_plan_target(const PlexPlanBlocks *p, int l)
{
  return p->residual ? l : (int)p->i[p->row[l]];
}

/* Item k of K of a position, of interleaved ones */
PLEX_HOST_DEVICE plex_index plex_plan_interleaved(int interleave, plex_index position, int K, int k)
{
  return (position / interleave * K + k) * interleave + position % interleave;
}

PLEX_HOST_DEVICE int plex_plan_around(const PlexPlanBlocks *p, int k)
{
  const int l = p->lead[k];

  return l < 0 ? 0 : p->aroundStart[l + 1] - p->aroundStart[l];
}

PLEX_HOST_DEVICE int plex_plan_block(const PlexPlanBlocks *p, int k)
{
  return plex_list_of(p->nblocks, p->blockFirst, k);
}

/* Elements of a block that begins with rank s and has ranks up to k - 1, when rank k comes to it */
PLEX_HOST_DEVICE int plex_plan_more(const PlexPlanBlocks *p, int s, int k)
{
  int more = 0;

  for (int c = p->aroundTo[k - p->first]; c < p->aroundTo[k - p->first + 1]; ++c) more += p->before[c] < s;
  return more;
}

/* Number of element e among those of all blocks, in block b, one of whose ranks it is around */
PLEX_HOST_DEVICE int plex_plan_number(const PlexPlanBlocks *p, int b, int e)
{
  const int *dofs   = &p->dofs[(plex_index)e * p->ef];
  const int  begins = p->blockFirst[b];
  int        k      = p->blockFirst[b + 1];

  for (int m = 0; m < p->ef; ++m) {
    const int rank = p->rank[dofs[m]];

    if (rank >= begins && rank < k && p->lead[rank] >= 0) k = rank;
  }
  return p->number[p->aroundTo[k - p->first] +
                   plex_lower(plex_plan_around(p, k), &p->around[p->aroundStart[p->lead[k]]], e)];
}

/* Which of element e's dofs l is */
PLEX_HOST_DEVICE int plex_plan_dof(const PlexPlanBlocks *p, int e, int l)
{
  int m = 0;

  while (p->dofs[(plex_index)e * p->ef + m] != l) ++m;
  return m;
}

/* Place in the row of l, -1: there is none, of the column of element e's dof m; `dropped`: one of them is not there */
PLEX_HOST_DEVICE int plex_plan_place(const PlexPlanBlocks *p, int l, int e, int m, int dropped)
{
  const plex_int c = p->column[p->dofs[(plex_index)e * p->ef + m]];
  int            place;

  if (l < 0 || c < 0) return dropped;
  place = plex_find_column(plex_plan_length(p, l), &p->j[p->i[p->row[l]]], c);
  if (place < 0) *p->missing = e + 1;
  return place;
}

/* Rows that a warp sums, a column each: numbers of a column, the row's, one behind it, and as many as fill a chunk; how
   many columns there are, 2^least or more, as a power of two */
PLEX_HOST_DEVICE int plex_plan_column(int chunk, int length)
{
  return (length + chunk) / chunk * chunk;
}
PLEX_HOST_DEVICE int plex_plan_columns(int least, int rows)
{
  while (1 << least < rows) ++least;
  return least;
}

#endif
