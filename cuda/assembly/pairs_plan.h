/*
  The plan of shared_nz by pairs of nodes, in steps (plan/steps.h): blocks of mesh nodes along a curve, and for each
  block its elements, coordinate nodes, rows, pairs and tasks, as pairs_args.h has them.
  src/assembly/impls/shared/pairplan.c runs them for a batch of blocks at a time.

  Index spaces besides those of plan/blocks.h:
    p                   place of an entry in the sums of a block, block by block: entryStart[b] + its place there
    q in [0, pairs)     pair: the place where it is counted, sorted by block, kind, and number of its items, descending
    g                   group of pairs of one block, kind and split
    T                   task
*/
#ifndef PLEX_PAIRS_PLAN_H
#define PLEX_PAIRS_PLAN_H

#include "../plan/blocks.h"
#include "pairs_args.h"
#include "pairs_sizes.h"

/* What is counted: reads of lanes at once, and in which turns they are done, of numbers and of coordinates; entries of
   element matrices that pairs of points sum */
enum {
  PLEX_PAIRS_READS,
  PLEX_PAIRS_TURNS   = PLEX_PAIRS_READS + 2,
  PLEX_PAIRS_ENTRIES = PLEX_PAIRS_TURNS + 2,
  PLEX_PAIRS_COUNTS
};

#define PLEX_PAIRS_CHUNK 512 /* elements that a thread puts to lanes, */
#define PLEX_PAIRS_TASKS 8   /* and tasks */

typedef struct {
  PlexPlanBlocks         cut;
  const PlexPairsTables *tables;
  int                    realBytes, auxDofs, arranges, elementBits;
  const int             *auxiliary;  /* [Ne][auxDofs] or NULL */
  unsigned char         *incomplete; /* [Nl] with sums of rows: an element around has a dof without a column */

  /* limits of blocks; foreseen: groups of records for an entry, coordinate nodes of an element */
  int    mostElements, mostNodes;
  size_t budget;
  double groups, ratio;

  int            runs, entries, pairs, segments, tasks, nitems;
  int           *nodeStart; /* [nblocks+1] coordinate nodes */
  int           *vertex;    /* [elements][Nv] their numbers in the block */
  int           *at;        /* [elements] number of an element in its block; arranged: another order, */
  unsigned char *turn;      /* and the symmetry that takes its vertices to those that are read for them */
  unsigned      *conn;      /* as the kernel reads it */

  int *runStart;          /* [nblocks+1] */
  int *runOf;             /* [rows+1] runs that begin before, */
  int *lengthTo;          /* [rows+1] entries of the rows before */
  int *runRow, *runPlace; /* [runs+1] first row, the last one behind all; first place */
  int *entryStart;        /* [nblocks+1] */
  int *place;             /* [Nl] of a dof's row in its block */
  int *diagonal;          /* [rows] place in the block of the entry that makes the row's sum zero, or -1 */

  int            *itemStart;            /* [entries+1] first how many items a place has, then where they begin */
  unsigned short *items, *other, *base; /* [nitems]; [entries] as PlexPairsArgs has targets */
  unsigned       *layout;               /* [entries] likewise */
  unsigned char  *kind;                 /* [entries] + 1; 0: no pair is counted there */
  unsigned char  *unwritten; /* [entries] the place is a row's, and no pair writes it but one counted there */
  int            *cursor;    /* [entries] items that are there */
  int            *irregular; /* [1] the entries of a pair do not lie row behind row */

  int            *zeroTo;                /* [entries+1] places that nobody writes before */
  int            *pairTo;                /* [entries+1] */
  int            *pair;                  /* [pairs+1] place */
  plex_key       *pairKeys;              /* [pairs] sorted: block << 13 | kind << 6 | 63 - items */
  plex_key       *banks;                 /* [pairs], or [elements] */
  int            *arranged;              /* [elements] in the order in which they are put to lanes */
  int            *segmentTo;             /* [pairs+1] */
  int            *segmentPair;           /* [segments+1], the last one behind all */
  int            *segmentTask;           /* [segments+1] */
  int            *groupTo;               /* [tasks+1] groups of records of tasks before */
  int            *blockTasks;            /* [nblocks+1] tasks, those of zeros too */
  int             firstLine, firstGroup; /* of what earlier batches have */
  PlexPairsBlock *blocks;
  int            *lists;
  unsigned       *records;
  plex_key       *taskKeys;
  char           *lanes;     /* work of each thread that puts lists to lanes, */
  size_t          laneBytes; /* so much */
  int             steps;     /* items that a lane has, most */
  int             offset;    /* item of the first of these threads */
  int      *chunkTo; /* [nblocks+1] or [segments+1] items of these threads before: chunks of a block's elements, */
  int       chunks;  /* or of a segment's tasks */
  plex_key *counted; /* PLEX_PAIRS_READS ..., of all blocks */
} PlexPairsPlan;

/* ---- Shared by steps ---- */

/* Slot of a row's first entry, in the array that it is in */
PLEX_PLAN plex_int plex_pair_slot(const PlexPairsPlan *p, int row)
{
  return p->cut.i[row] - (p->cut.i[row] < p->cut.nA ? 0 : p->cut.nA);
}

/* Items of a lane in a word of its task, and in a group of records */
PLEX_PLAN int plex_pair_word(const PlexPairsTables *t)
{
  return t->byPoints ? 1 : t->multiDof ? 4 : 2;
}
PLEX_PLAN int plex_pair_group(const PlexPairsTables *t)
{
  return t->multiDof ? 4 : 2;
}

/* Bytes of shared memory of a block for numbers, lists, and behind them for coordinates and then sums; but for turns */
PLEX_PLAN size_t plex_pair_shared(const PlexPairsTables *t, int real, int cdim, const PlexPairsBlock *b)
{
  const size_t coordinates = ((size_t)real * (size_t)(b->nodes * cdim) + 15) / 16 * 16, sums = 16 * (size_t)b->sums;

  return (size_t)real * (size_t)(t->numbers * PLEX_PAIRS_STRIDE(b->elements, real)) + 16 * (size_t)b->heads +
         256 * (size_t)b->groups + (coordinates > sums ? coordinates : sums);
}

/* Lines of 16 bytes of a block's lists */
PLEX_PLAN int plex_pair_heads(const PlexPairsTables *t, int tasks, int runs, int entries, int complete)
{
  return (tasks + 3) / 4 + (runs + 3) / 4 + (entries + 63) / 64 + (t->rowSums ? (2 * complete + 3) / 4 : 0);
}

/* ---- Cutting the order into blocks ---- */

/* Item l */
PLEX_STEP(plex_pairs_incomplete, PlexPairsPlan)
{
  unsigned char is = 0;

  for (int a = p->cut.aroundStart[i]; a < p->cut.aroundStart[i + 1] && !is; ++a)
    for (int m = 0; m < p->cut.ef; ++m)
      is |= p->cut.column[p->cut.dofs[(plex_index)p->cut.around[a] * p->cut.ef + m]] < 0;
  p->incomplete[i] = is;
}

/* Whether ranks s to end - 1 have room in a block, as far as its lists can be foreseen */
PLEX_PLAN int plex_pair_fits(const PlexPairsPlan *p, int s, int end, int elements)
{
  const PlexPairsTables *t = p->tables;
  const int      entries = p->cut.entriesTo[end] - p->cut.entriesTo[s], rows = p->cut.rowsTo[end] - p->cut.rowsTo[s];
  const int      nodes = (int)(p->ratio * elements) + p->cut.Nv, stride = PLEX_PAIRS_STRIDE(elements, p->realBytes);
  PlexPairsBlock b = {0};

  b.nodes    = nodes;
  b.elements = elements;
  b.heads    = plex_pair_heads(t, entries / 64 + 3 * t->kinds + 4, rows, entries + 2 * rows, rows);
  b.groups   = (int)(p->groups * entries) + 2 * t->kinds;
  b.sums     = (entries + 2 * rows + 1) / 2;
  return stride <= 1 << p->elementBits && t->numbers * stride < PLEX_PAIR_NONE && nodes <= PLEX_PAIR_NODES &&
         entries + 2 * rows < 65535 && end - s <= p->mostNodes && (!p->mostElements || elements <= p->mostElements) &&
         plex_pair_shared(t, p->realBytes, p->cut.cdim, &b) <= p->budget;
}

PLEX_STEP(plex_pairs_cut, PlexPairsPlan)
{
  const int s        = p->cut.first + (int)i;
  int       elements = 0, end;

  for (end = s; end < p->cut.last; ++end) {
    elements += plex_plan_more(&p->cut, s, end);
    if (end > s && !plex_pair_fits(p, s, end + 1, elements)) break;
  }
  p->cut.next[s - p->cut.first] = end;
}

/* Words of the vertices of an element, and of its block, as PlexPairsArgs has conn[] */
PLEX_PLAN unsigned *plex_pair_conn(const PlexPairsPlan *p, int b)
{
  return &p->conn[(plex_index)p->cut.elementStart[b] * ((p->cut.Nv + 1) / 2 + (p->auxDofs > 0))];
}

PLEX_PLAN void plex_pair_connect(const PlexPairsPlan *p, int b, int at, int e, int reflected, const int vertex[])
{
  const int words = (p->cut.Nv + 1) / 2, n = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  unsigned *conn = plex_pair_conn(p, b);

  for (int w = 0; w < words; ++w)
    conn[w * n + at] = (unsigned)vertex[2 * w] | (2 * w + 1 < p->cut.Nv ? (unsigned)vertex[2 * w + 1] << 16 : 0) |
                       (reflected && w == words - 1 ? 0x80000000u : 0);
  if (p->auxDofs > 0) conn[words * n + at] = (unsigned)p->auxiliary[(plex_index)e * p->auxDofs];
}

/* Item t: elements in the order in which they come */
PLEX_STEP(plex_pairs_connect, PlexPairsPlan)
{
  const int b = plex_list_of(p->cut.nblocks, p->cut.elementStart, (int)i);

  p->at[i]   = (int)i - p->cut.elementStart[b];
  p->turn[i] = p->tables->symmetry[p->cut.Nv == 3 ? 0x24 : 0xe4]; /* vertex v in bits 2 v and 2 v + 1 */
  plex_pair_connect(p, b, p->at[i], p->cut.element[i], 0, &p->vertex[i * p->cut.Nv]);
}

/* ---- Rows ---- */

/* Item r: whether a row comes right behind the one before, in the same array */
PLEX_STEP(plex_pairs_runs, PlexPairsPlan)
{
  const int row = (int)(p->cut.keys[i] & 0xffffffffu), before = i ? (int)(p->cut.keys[i - 1] & 0xffffffffu) : 0;

  p->runOf[i] = i == 0 || p->cut.keys[i] >> 32 != p->cut.keys[i - 1] >> 32 || p->cut.i[before + 1] != p->cut.i[row] ||
                p->cut.i[row] == p->cut.nA;
}

PLEX_STEP(plex_pairs_lengths, PlexPairsPlan)
{
  p->lengthTo[i] = plex_plan_length(&p->cut, p->cut.rowDof[i]);
}

/* Item of a run: it begins in a line of two places of its own, at a place as odd or even as in the matrix */
PLEX_STEP(plex_pairs_run_sizes, PlexPairsPlan)
{
  const int first = p->runRow[i], end = p->runRow[i + 1];
  const int odd = (int)(plex_pair_slot(p, p->cut.row[p->cut.rowDof[first]]) % 2);

  p->runPlace[i] = (odd + p->lengthTo[end] - p->lengthTo[first] + 1) / 2 * 2;
}

/* Item b, one more than there are */
PLEX_STEP(plex_pairs_block_runs, PlexPairsPlan)
{
  p->runStart[i]   = p->runOf[p->cut.rowStart[i]];
  p->entryStart[i] = p->runPlace[p->runStart[i]];
}

/* Item r */
PLEX_STEP(plex_pairs_place_rows, PlexPairsPlan)
{
  const int b = (int)(p->cut.keys[i] >> 32), run = p->runOf[i + 1] - 1, first = p->runRow[run], l = p->cut.rowDof[i];
  const int place = p->runPlace[run] + (int)(plex_pair_slot(p, p->cut.row[p->cut.rowDof[first]]) % 2) + p->lengthTo[i] -
                    p->lengthTo[first];

  p->place[l] = place - p->entryStart[b];
  for (int m = p->lengthTo[i + 1] - p->lengthTo[i]; m-- > 0;) p->unwritten[place + m] = 1;
}

#include "pairs_items.h"
#include "pairs_tasks.h"

#endif
