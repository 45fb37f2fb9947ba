/*
  The plan of shared_nz by pairs of nodes, in steps (plan/steps.h): blocks of mesh nodes along a curve, and for each
  block its elements, coordinate nodes, rows, pairs and tasks, as pairs_args.h has them.
  src/assembly/impls/shared/pairplan.c runs them for a batch of blocks at a time.

  Index spaces besides those of plan/blocks.h:
    p in [0, entries)   entry: entryStart[b] + offset, with the offset in the sums of block b
    q in [0, pairs)     pair: the entry that is its key, sorted by block, kind, and number of its items, descending
    g in [0, segments)  segment: the pairs of one block and kind that are shared out to equally many lanes
    T in [0, tasks)     task: what a warp sums at a time, pairs of one segment

  A pair of entities writes the entries (i, j) and (j, i). Its key is the first entry of (i, j), or of (j, i) if the
  block has no row of i.
*/
#ifndef PLEX_PAIRS_PLAN_H
#define PLEX_PAIRS_PLAN_H

#include "../plan/blocks.h"
#include "pairs_args.h"
#include "pairs_sizes.h"

/* Counted in all blocks: reads of shared memory by a set of lanes and the transactions that they take, more than one
   where banks conflict; of numbers, then of coordinates. And entries of element matrices that pairs of points sum */
enum {
  PLEX_PAIRS_READS,
  PLEX_PAIRS_TRANSACTIONS = PLEX_PAIRS_READS + 2,
  PLEX_PAIRS_ENTRIES      = PLEX_PAIRS_TRANSACTIONS + 2,
  PLEX_PAIRS_COUNTS
};

#define PLEX_PAIRS_CHUNK 512 /* elements that a thread assigns to lanes */
#define PLEX_PAIRS_TASKS 8   /* tasks that a thread assigns to lanes */

typedef struct {
  PlexPlanBlocks         cut;
  const PlexPairsTables *tables;
  int                    realBytes, auxDofs, arranges, elementBits;
  const int             *auxiliary;  /* [Ne][auxDofs] or NULL */
  unsigned char         *incomplete; /* [Nl] zeroRowSums: a dof of an element around has no column */

  /* limits of blocks; estimates from earlier batches */
  int    mostElements, mostNodes;
  size_t budget;
  double recordsPerEntry, nodesPerElement;

  int            spans, entries, pairs, segments, tasks, nitems;
  int           *nodeStart;   /* [nblocks+1] coordinate nodes */
  int           *vertex;      /* [elements][Nv] their numbers in the block */
  int           *position;    /* [elements] of an element in its block; another one than before if arranged */
  unsigned char *orientation; /* [elements] the symmetry that maps its vertices to those in the order of conn[] */
  unsigned      *conn;        /* as in PlexPairsArgs */

  int *spanStart;            /* [nblocks+1] */
  int *spanTo;               /* [rows+1] spans that begin before */
  int *lengthTo;             /* [rows+1] entries of the rows before */
  int *spanRow, *spanOffset; /* [spans+1] first row; first entry */
  int *entryStart;           /* [nblocks+1] */
  int *rowOffset;            /* [Nl] offset of the first entry of a dof's row in its block */
  int *diagonal;             /* [rows] offset of the entry that makes the row's sum zero, or -1 */

  int            *itemStart;         /* [entries+1] number of items of a key, then a prefix sum of these */
  unsigned short *items;             /* [nitems] as in PlexPairsArgs */
  unsigned short *base, *transposed; /* [entries] of a key the offsets of (i, j) and (j, i), or PLEX_PAIR_NONE */
  unsigned       *layout;            /* [entries] of a key the second word of its targets */
  unsigned char  *kind;              /* [entries] of a key its kind + 1; 0: no key */
  unsigned char  *unwritten;         /* [entries] 1: an entry of a row that no pair writes, or a key */
  int            *cursor;            /* [entries] items written so far */
  int            *irregular;         /* [1] the entries of a pair have no stride */

  int            *zeroTo;                 /* [entries+1] entries before that no pair writes */
  int            *pairTo;                 /* [entries+1] pairs before */
  int            *pair;                   /* [pairs+1] key */
  plex_key       *pairKeys;               /* [pairs] sorted: block << 13 | kind << 6 | 63 - items */
  plex_key       *banks;                  /* [pairs] or [elements]: PlexLaneLists */
  int            *arranged;               /* [elements] in the order in which lanes get them */
  int            *segmentTo;              /* [pairs+1] */
  int            *segmentPair;            /* [segments+1] first pair */
  int            *segmentTask;            /* [segments+1] first task */
  int            *recordTo;               /* [tasks+1] records of tasks before */
  int            *blockTasks;             /* [nblocks+1] tasks, with those that write zeros */
  int             firstQuad, firstRecord; /* of lists[] and records[], in those of all batches */
  PlexPairsBlock *blocks;
  int            *lists;
  unsigned       *records;
  plex_key       *taskKeys;
  char           *work; /* [threads][workBytes] for PlexLanes */
  size_t          workBytes;
  int             steps;      /* items of a lane, most */
  int             firstChunk; /* chunk of the first of these threads */
  /* [nblocks+1] or [segments+1] chunks before: of a block's elements, or a segment's tasks */
  int      *chunkTo;
  int       chunks;
  plex_key *counted; /* [PLEX_PAIRS_COUNTS] */
} PlexPairsPlan;

/* ---- Shared by steps ---- */

/* Slot of a row's first entry, in the array that it is in */
PLEX_HOST_DEVICE plex_int plex_pair_slot(const PlexPairsPlan *p, int row)
{
  return p->cut.i[row] - (p->cut.i[row] < p->cut.nA ? 0 : p->cut.nA);
}

/* Items of a lane that one of the `words` of a task counts, and that a record has */
PLEX_HOST_DEVICE int plex_pair_word_items(const PlexPairsTables *t)
{
  return t->byPoints ? 1 : t->multiDof ? 4 : 2;
}
PLEX_HOST_DEVICE int plex_pair_record_items(const PlexPairsTables *t)
{
  return t->multiDof ? 4 : 2;
}

/* Bytes of shared memory of a block: numbers, lists, records, and coordinates, whose place sums take later. Without
   permutations */
PLEX_HOST_DEVICE size_t plex_pair_shared(const PlexPairsTables *t, int realBytes, int cdim, const PlexPairsBlock *b)
{
  const size_t coordinates = ((size_t)realBytes * (size_t)(b->nodes * cdim) + 15) / 16 * 16,
               sums        = 16 * (size_t)b->sums;

  return (size_t)realBytes * (size_t)(t->numbers * PLEX_PAIRS_STRIDE(b->elements, realBytes)) +
         16 * (size_t)b->listQuads + 256 * (size_t)b->records + (coordinates > sums ? coordinates : sums);
}

/* Quads of a block's lists */
PLEX_HOST_DEVICE int plex_pair_list_quads(const PlexPairsTables *t, int tasks, int spans, int entries, int zeroSumRows)
{
  return (tasks + 3) / 4 + (spans + 3) / 4 + (entries + 63) / 64 + (t->zeroRowSums ? (2 * zeroSumRows + 3) / 4 : 0);
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

/* Whether the nodes at positions s to end - 1 have room in a block, with an estimate of its lists */
PLEX_HOST_DEVICE int plex_pair_fits(const PlexPairsPlan *p, int s, int end, int elements)
{
  const PlexPairsTables *t = p->tables;
  const int      entries = p->cut.entriesTo[end] - p->cut.entriesTo[s], rows = p->cut.rowsTo[end] - p->cut.rowsTo[s];
  const int      nodes  = (int)(p->nodesPerElement * elements) + p->cut.Nv,
                 stride = PLEX_PAIRS_STRIDE(elements, p->realBytes);
  PlexPairsBlock b      = {0};

  b.nodes     = nodes;
  b.elements  = elements;
  b.listQuads = plex_pair_list_quads(t, entries / 64 + 3 * t->kinds + 4, rows, entries + 2 * rows, rows);
  b.records   = (int)(p->recordsPerEntry * entries) + 2 * t->kinds;
  b.sums      = (entries + 2 * rows + 1) / 2;
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

/* conn[] of block b, as in PlexPairsArgs; and an element of it */
PLEX_HOST_DEVICE unsigned *plex_pair_conn(const PlexPairsPlan *p, int b)
{
  return &p->conn[(plex_index)p->cut.elementStart[b] * ((p->cut.Nv + 1) / 2 + (p->auxDofs > 0))];
}

PLEX_HOST_DEVICE void plex_pair_connect(const PlexPairsPlan *p, int b, int at, int e, int reflected, const int vertex[])
{
  const int words = (p->cut.Nv + 1) / 2, n = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  unsigned *conn = plex_pair_conn(p, b);

  for (int w = 0; w < words; ++w)
    conn[w * n + at] = (unsigned)vertex[2 * w] | (2 * w + 1 < p->cut.Nv ? (unsigned)vertex[2 * w + 1] << 16 : 0) |
                       (reflected && w == words - 1 ? 0x80000000u : 0);
  if (p->auxDofs > 0) conn[words * n + at] = (unsigned)p->auxiliary[(plex_index)e * p->auxDofs];
}

/* Item t: elements in their order in the plan */
PLEX_STEP(plex_pairs_connect, PlexPairsPlan)
{
  const int b = plex_list_of(p->cut.nblocks, p->cut.elementStart, (int)i);

  p->position[i]    = (int)i - p->cut.elementStart[b];
  p->orientation[i] = p->tables->symmetry[p->cut.Nv == 3 ? 0x24 : 0xe4]; /* vertex v in bits 2 v and 2 v + 1 */
  plex_pair_connect(p, b, p->position[i], p->cut.element[i], 0, &p->vertex[i * p->cut.Nv]);
}

/* ---- Rows ---- */

/* Item r: 1 where a row does not follow the one before in the same array, so that a span begins */
PLEX_STEP(plex_pairs_mark_spans, PlexPairsPlan)
{
  const int row = (int)(p->cut.keys[i] & 0xffffffffu), before = i ? (int)(p->cut.keys[i - 1] & 0xffffffffu) : 0;

  p->spanTo[i] = i == 0 || p->cut.keys[i] >> 32 != p->cut.keys[i - 1] >> 32 || p->cut.i[before + 1] != p->cut.i[row] ||
                 p->cut.i[row] == p->cut.nA;
}

PLEX_STEP(plex_pairs_lengths, PlexPairsPlan)
{
  p->lengthTo[i] = plex_plan_length(&p->cut, p->cut.rowDof[i]);
}

/* Item of a span: offsets that it takes. It begins at an odd offset if its first slot is odd, and takes whole pairs */
PLEX_STEP(plex_pairs_span_sizes, PlexPairsPlan)
{
  const int first = p->spanRow[i], end = p->spanRow[i + 1];
  const int odd = (int)(plex_pair_slot(p, p->cut.row[p->cut.rowDof[first]]) % 2);

  p->spanOffset[i] = (odd + p->lengthTo[end] - p->lengthTo[first] + 1) / 2 * 2;
}

/* Item b in [0, nblocks] */
PLEX_STEP(plex_pairs_block_spans, PlexPairsPlan)
{
  p->spanStart[i]  = p->spanTo[p->cut.rowStart[i]];
  p->entryStart[i] = p->spanOffset[p->spanStart[i]];
}

/* Item r */
PLEX_STEP(plex_pairs_row_offsets, PlexPairsPlan)
{
  const int b = (int)(p->cut.keys[i] >> 32), span = p->spanTo[i + 1] - 1, first = p->spanRow[span],
            l      = p->cut.rowDof[i];
  const int offset = p->spanOffset[span] + (int)(plex_pair_slot(p, p->cut.row[p->cut.rowDof[first]]) % 2) +
                     p->lengthTo[i] - p->lengthTo[first];

  p->rowOffset[l] = offset - p->entryStart[b];
  for (int m = p->lengthTo[i + 1] - p->lengthTo[i]; m-- > 0;) p->unwritten[offset + m] = 1;
}

#include "pairs_items.h"
#include "pairs_tasks.h"

#endif
