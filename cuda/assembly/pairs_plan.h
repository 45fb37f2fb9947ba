/*
  The plan of shared_nz by pairs of nodes, in steps (steps.h): blocks of mesh nodes along a curve, and for each block its
  elements, coordinate nodes, rows, pairs and tasks, as pairs_args.h has them. src/assembly/impls/shared/pairplan.c runs
  them for a batch of blocks at a time.

  Index spaces besides those of plan_blocks.h:
    p                   place of an entry in the sums of a block, block by block: entryStart[b] + its place there
    q in [0, pairs)     pair: the place where it is counted, sorted by block, kind, and number of its items, descending
    g                   group of pairs of one block, kind and split
    T                   task
*/
#ifndef PLEX_PAIRS_PLAN_H
#define PLEX_PAIRS_PLAN_H

#include "plan_blocks.h"
#include "pairs_args.h"
#include "pairs_sizes.h"

/* Kinds of the pairs of an element's things: of its dofs; or, where these have several dofs, of its nodes or points.
   See PlexPairKinds */
typedef struct {
  int things, several, byPoints;
  int rowSums, byEntries, numbers, kinds, symmetries;

  unsigned char size[PLEX_PAIR_DOFS];                      /* of a thing its dofs, */
  unsigned char dof[PLEX_PAIR_DOFS][PLEX_PAIR_POINT_DOFS]; /* which they are; */
  unsigned char thing[PLEX_PAIR_DOFS];                     /* of a dof its thing */
  unsigned char kindOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];   /* [things][things]; `kinds` or more: the entry is zero */
  unsigned char symmetryOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char reversed[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char entry[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char terms[PLEX_PAIR_KINDS], number[PLEX_PAIR_KINDS], dofs[PLEX_PAIR_KINDS][2]; /* of a kind */
  unsigned char composed[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_SYMMETRIES];
  unsigned char turned[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_NUMBERS];
  unsigned char symmetry[256], reflects[PLEX_PAIR_SYMMETRIES];
  unsigned char nlabels[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS];
  PlexPairLabel labels[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS * PLEX_PAIR_LABELS];
} PlexPairsTables;

typedef struct {
  const PlexPairsTables *tables;

  PlexPlanBlocks cut;
  int            real, ea, arranges, elementBits;
  const int     *auxiliary;  /* [Ne][ea] or NULL */
  unsigned char *incomplete; /* [Nl] with sums of rows: an element around has a dof without a column */

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

  int *runStart;            /* [nblocks+1] */
  int *runOf;               /* [rows+1] runs that begin before, */
  int *lengthTo;            /* [rows+1] entries of the rows before */
  int *runRow, *runPlace;   /* [runs+1] first row; first place */
  int *entryStart;          /* [nblocks+1] */
  int *place;               /* [Nl] of a dof's row in its block */
  int *diagonal;            /* [rows] place in the block of the entry that makes the row's sum zero, or -1 */

  int            *itemStart;            /* [entries+1] first how many items a place has, then where they begin */
  unsigned short *items, *other, *base; /* [nitems]; [entries] as PlexPairsArgs has targets */
  unsigned       *shape;                /* [entries] likewise */
  unsigned char  *kind;                 /* [entries] + 1; 0: no pair is counted there */
  unsigned char  *open;                 /* [entries] the place is a row's, and no pair writes it but one counted there */
  int            *cursor;               /* [entries] items that are there */
  int            *error;                /* [3] row + 1, element of an entry that the matrix lacks; pairs are irregular */

  int      *zeroTo;              /* [entries+1] places that nobody writes before */
  int      *pairTo;              /* [entries+1] */
  int      *pair;                /* [pairs] place */
  plex_key *pairKeys;            /* [pairs] sorted: block << 13 | kind << 6 | 63 - items */
  plex_key *banks;               /* [pairs], or [elements] */
  int      *arranged;            /* [elements] in the order in which they are put to lanes */
  int      *segmentTo;           /* [pairs+1] */
  int      *segmentPair;         /* [segments+1] */
  int      *segmentTask;         /* [segments+1] */
  int      *groupTo;             /* [tasks+1] groups of records of tasks before */
  int      *blockTasks;          /* [nblocks+1] tasks, those of zeros too */
  int      *blockGroups;         /* [nblocks+1] groups of records */
  int      *blockLines;          /* [nblocks+1] lines of lists */
  int      *blockPlaces;         /* [nblocks+1] lines of coordinates */
  int       firstNode, firstConn, firstLine, firstGroup, firstPlace; /* of what earlier batches have */
  PlexPairsBlock *blocks;
  int            *lists;
  unsigned       *records;
  plex_key       *taskKeys;
  char           *lanes;      /* work of each thread that puts lists to lanes, */
  size_t          laneBytes;  /* so much */
  int             steps;      /* items that a lane has, most */
  int             offset;     /* item of the first of these threads */
  int            *reads, *turns; /* statistics: [segments] or [nblocks], */
  int            *weights;       /* and [pairs] */
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
  return t->byPoints ? 1 : t->several ? 4 : 2;
}
PLEX_PLAN int plex_pair_group(const PlexPairsTables *t)
{
  return t->several ? 4 : 2;
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
    for (int m = 0; m < p->cut.ef; ++m) is |= p->cut.column[p->cut.dofs[(plex_index)p->cut.around[a] * p->cut.ef + m]] < 0;
  p->incomplete[i] = is;
}

/* Whether ranks s to end - 1 have room in a block, as far as its lists can be foreseen */
PLEX_PLAN int plex_pair_fits(const PlexPairsPlan *p, int s, int end, int elements)
{
  const PlexPairsTables *t       = p->tables;
  const int              entries = p->cut.entriesTo[end] - p->cut.entriesTo[s], rows = p->cut.rowsTo[end] - p->cut.rowsTo[s];
  const int              nodes = (int)(p->ratio * elements) + p->cut.Nv, stride = PLEX_PAIRS_STRIDE(elements, p->real);
  PlexPairsBlock         b = {0};

  b.nodes    = nodes;
  b.elements = elements;
  b.heads    = plex_pair_heads(t, entries / 64 + 3 * t->kinds + 4, rows, entries + 2 * rows, rows);
  b.groups   = (int)(p->groups * entries) + 2 * t->kinds;
  b.sums     = (entries + 2 * rows + 1) / 2;
  return stride <= 1 << p->elementBits && t->numbers * stride < PLEX_PAIR_NONE && nodes <= PLEX_PAIR_NODES &&
         entries + 2 * rows < 65535 && end - s <= p->mostNodes &&
         (!p->mostElements || elements <= p->mostElements) && plex_pair_shared(t, p->real, p->cut.cdim, &b) <= p->budget;
}

PLEX_STEP(plex_pairs_cut, PlexPairsPlan)
{
  const int s = p->cut.first + (int)i;
  int       elements = 0, end;

  for (end = s; end < p->cut.last; ++end) {
    elements += plex_plan_more(&p->cut, s, end);
    if (end > s && !plex_pair_fits(p, s, end + 1, elements)) break;
  }
  p->cut.next[i] = end;
}

/* Words of the vertices of an element, and of its block, as PlexPairsArgs has conn[] */
PLEX_PLAN unsigned *plex_pair_conn(const PlexPairsPlan *p, int b)
{
  return &p->conn[(plex_index)p->cut.elementStart[b] * ((p->cut.Nv + 1) / 2 + (p->ea > 0))];
}

PLEX_PLAN void plex_pair_connect(const PlexPairsPlan *p, int b, int at, int e, int reflected, const int vertex[])
{
  const int words = (p->cut.Nv + 1) / 2, n = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  unsigned *conn = plex_pair_conn(p, b);

  for (int w = 0; w < words; ++w)
    conn[w * n + at] = (unsigned)vertex[2 * w] | (2 * w + 1 < p->cut.Nv ? (unsigned)vertex[2 * w + 1] << 16 : 0) |
                       (reflected && w == words - 1 ? 0x80000000u : 0);
  if (p->ea > 0) conn[words * n + at] = (unsigned)p->auxiliary[(plex_index)e * p->ea];
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
  p->lengthTo[i] = (int)(p->cut.i[row + 1] - p->cut.i[row]);
}

PLEX_STEP(plex_pairs_list_runs, PlexPairsPlan)
{
  if (p->runOf[i + 1] > p->runOf[i]) p->runRow[p->runOf[i]] = (int)i;
}

/* Item of a run: it begins in a line of two places of its own, at a place as odd or even as in the matrix */
PLEX_STEP(plex_pairs_run_sizes, PlexPairsPlan)
{
  const int first = p->runRow[i], end = i + 1 < p->runs ? p->runRow[i + 1] : p->cut.rows;
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
  for (int m = p->lengthTo[i + 1] - p->lengthTo[i]; m-- > 0;) p->open[place + m] = 1;
}

/* ---- Pairs ---- */

/* A thing of an element as the block has it */
typedef struct {
  int           n, l[PLEX_PAIR_POINT_DOFS];       /* local dofs, of points in the order of their numbers */
  unsigned      rank[PLEX_PAIR_POINT_DOFS];       /* of points: of each dof in this order */
  unsigned      rows, columns;                    /* of them those that have a row in the block, a column: bits */
  int           row, column;                      /* the first of these */
  int           stride;                           /* places from a row to the next */
} PlexPairThing;

PLEX_PLAN int plex_pair_mine(const PlexPairsPlan *p, int b, int l)
{
  const int rank = p->cut.rank[l];

  return rank >= p->cut.blockFirst[b] && rank < p->cut.blockFirst[b + 1] && plex_plan_length(&p->cut, l) > 0;
}

PLEX_PLAN void plex_pair_thing(const PlexPairsPlan *p, int b, const int dofs[], int m, PlexPairThing *x)
{
  const PlexPairsTables *t = p->tables;

  x->n    = t->size[m];
  x->rows = x->columns = 0;
  x->row = x->column = -1;
  x->stride          = 0;
  for (int c = 0; c < x->n; ++c) {
    int less = c;

    if (t->byPoints) {
      less = 0;
      for (int d = 0; d < x->n; ++d) less += dofs[t->dof[m][d]] < dofs[t->dof[m][c]];
    }
    x->rank[c] = (unsigned)less;
    x->l[less] = dofs[t->dof[m][c]];
  }
  for (int c = 0; c < x->n; ++c) {
    const int l = x->l[c];

    if (plex_pair_mine(p, b, l)) {
      if (x->rows && !x->stride) x->stride = p->place[l] - p->place[x->row];
      if (!x->rows) x->row = l;
      x->rows |= 1u << c;
    }
    if (p->cut.column[l] >= 0) {
      if (!x->columns) x->column = l;
      x->columns |= 1u << c;
    }
  }
}

/* The place of entry (row of l, column of m) in the block, -1 where the matrix lacks it */
PLEX_PLAN int plex_pair_find(const PlexPairsPlan *p, int l, int m)
{
  const int row = p->cut.row[l], at = plex_find_column(plex_plan_length(&p->cut, l), &p->cut.j[p->cut.i[row]], p->cut.column[m]);

  return at < 0 ? -1 : p->place[l] + at;
}

PLEX_PLAN void plex_pair_lacks(const PlexPairsPlan *p, int l, int e)
{
  p->error[0] = p->cut.row[l] + 1;
  p->error[1] = e;
}

/* The entries of the rows of x and columns of y, which lie from `place` of block b on: none of them is to be set to
   zero. They are irregular where they lie elsewhere than a stride and a place apart */
PLEX_PLAN void plex_pair_cover(const PlexPairsPlan *p, int b, int e, const PlexPairThing *x, const PlexPairThing *y,
                               int place)
{
  int row = 0;

  if (x->stride < 0 || x->stride > PLEX_PAIR_STRIDE) p->error[2] = 1;
  for (int c = 0; c < x->n; ++c) {
    int column = 0;

    if (!(x->rows >> c & 1)) continue;
    for (int d = 0; d < y->n; ++d) {
      int at;

      if (!(y->columns >> d & 1)) continue;
      at = plex_pair_find(p, x->l[c], y->l[d]);
      if (at < 0) {
        plex_pair_lacks(p, x->l[c], e);
        return;
      }
      if (at != place + row * x->stride + column) p->error[2] = 1;
      p->open[p->entryStart[b] + at] = 0;
      ++column;
    }
    ++row;
  }
}

/* Pair (x, y) of an element, in the order in which it is of its kind */
typedef struct {
  int      kind, symmetry; /* see PlexPairKinds; kind < 0: its entry is zero */
  unsigned shape;          /* see PlexPairsArgs */
} PlexPairFound;

/* Ranks of the dofs that a label takes those of its kind to, two bits each: of the first point, then of the second */
PLEX_PLAN unsigned plex_pair_ranks(const PlexPairLabel *label, const PlexPairsTables *t, int x, int y,
                                   const PlexPairThing *a, const PlexPairThing *b)
{
  unsigned ranks = 0;

  for (int c = 0; c < t->size[x]; ++c)
    for (int d = 0; d < t->size[x]; ++d)
      if (t->dof[x][d] == label->dof[0][c]) ranks |= a->rank[d] << 2 * c;
  for (int c = 0; c < t->size[y]; ++c)
    for (int d = 0; d < t->size[y]; ++d)
      if (t->dof[y][d] == label->dof[1][c]) ranks |= b->rank[d] << (2 * c + 6);
  return ranks;
}

PLEX_PLAN PlexPairFound plex_pair_found(const PlexPairsTables *t, int x, int y, const PlexPairThing *a,
                                        const PlexPairThing *b)
{
  const int     at    = x * t->things + y;
  PlexPairFound found = {t->kindOf[at], t->symmetryOf[at], 0};

  if (t->byPoints) {
    unsigned least = ~0u;

    for (int k = 0; k < t->nlabels[at]; ++k) {
      const PlexPairLabel *label = &t->labels[at * PLEX_PAIR_LABELS + k];
      const unsigned       ranks = plex_pair_ranks(label, t, x, y, a, b);

      if (ranks >= least) continue;
      least          = ranks;
      found.symmetry = label->symmetry;
    }
    found.shape = (unsigned)a->stride | (unsigned)b->stride << 10 | least << 20;
  } else if (t->several)
    found.shape = (unsigned)a->stride | a->rows << 10 | b->rows << 13 | (unsigned)b->stride << 16 | a->columns << 26 |
                  b->columns << 29;
  return found;
}

/* An item of the pair that is counted at `place`: counted, or, `fill`, put there */
PLEX_PLAN void plex_pair_add(const PlexPairsPlan *p, int b, int place, int e, const PlexPairFound *found, int entry,
                             int fill)
{
  const PlexPairsTables *t = p->tables;
  const int              at = p->entryStart[b] + place;
  int                    number, symmetry;

  if (!fill) {
    ++p->itemStart[at];
    return;
  }
  number   = plex_plan_number(&p->cut, b, e);
  symmetry = t->composed[p->turn[number] * t->symmetries + found->symmetry];
  number   = p->at[number];
  p->items[p->itemStart[at] + p->cursor[at]++] =
    (unsigned short)(t->several || t->terms[found->kind] > 1
                       ? number | symmetry << p->elementBits
                       : (t->byEntries ? entry : t->turned[symmetry * t->numbers + t->number[found->kind]]) *
                             PLEX_PAIRS_STRIDE(p->cut.elementStart[b + 1] - p->cut.elementStart[b], p->real) +
                           number);
}

/* The first item of a pair (x, y): where its sums go */
PLEX_PLAN void plex_pair_begin(const PlexPairsPlan *p, int b, int place, int e, const PlexPairFound *found,
                               const PlexPairThing *x, const PlexPairThing *y, int same)
{
  const int first = x->rows && y->columns, second = y->rows && x->columns && (!first || !same);
  const int other = second ? plex_pair_find(p, y->row, x->column) : PLEX_PAIR_NONE, at = p->entryStart[b] + place;

  if (other < 0) {
    plex_pair_lacks(p, y->row, e);
    return;
  }
  if (first) plex_pair_cover(p, b, e, x, y, place);
  if (second) plex_pair_cover(p, b, e, y, x, other);
  p->open[at] = 0;
  p->kind[at]  = (unsigned char)(found->kind + 1);
  p->base[at]  = (unsigned short)(first ? place : PLEX_PAIR_NONE);
  p->other[at] = (unsigned short)other;
  p->shape[at] = found->shape;
}

/* Pairs of thing m of element e, whose first row is l's, that are counted in this row */
PLEX_PLAN void plex_pair_element(const PlexPairsPlan *p, int b, int l, int e, int m, const PlexPairThing *own, int fill)
{
  const PlexPairsTables *t    = p->tables;
  const int             *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];

  for (int o = 0; o < t->things; ++o) {
    const int     N = t->things;
    PlexPairThing its;
    PlexPairFound found;
    int           place, swap;

    if (t->kindOf[m * N + o] >= t->kinds) continue;
    if (o == m && t->rowSums && !p->incomplete[l]) continue;
    plex_pair_thing(p, b, dofs, o, &its);
    if (t->byPoints) {
      const unsigned all = (1u << its.n) - 1;

      if ((its.rows && its.rows != all) || (its.columns && its.columns != all)) p->error[2] = 1;
    }
    /* the order in which they are of their kind; where either will do, one that all elements choose */
    swap = t->reversed[m * N + o] ||
           (!t->reversed[o * N + m] && its.rows && (p->place[its.row] < p->place[l]));
    found = swap ? plex_pair_found(t, o, m, &its, own) : plex_pair_found(t, m, o, own, &its);
    /* counted in the row of the first one; where that has none here, of the second */
    if (swap ? (its.rows && own->columns) || !its.columns : !its.columns) continue;
    place = plex_pair_find(p, l, its.column);
    if (place < 0) {
      plex_pair_lacks(p, l, e);
      continue;
    }
    if (!fill && !p->kind[p->entryStart[b] + place]) {
      if (swap) plex_pair_begin(p, b, place, e, &found, &its, own, o == m);
      else plex_pair_begin(p, b, place, e, &found, own, &its, o == m);
    } else if (!fill && (p->kind[p->entryStart[b] + place] != found.kind + 1 ||
                         p->shape[p->entryStart[b] + place] != found.shape))
      p->error[2] = 1;
    plex_pair_add(p, b, place, e, &found, t->entry[m * N + o], fill);
  }
}

/* Item r: pairs and their items are counted, or the items put where they are counted */
PLEX_PLAN void plex_pair_row(const PlexPairsPlan *p, int r, int fill)
{
  const PlexPairsTables *t = p->tables;
  const int              b = plex_list_of(p->cut.nblocks, p->cut.rowStart, r), l = p->cut.rowDof[r];

  for (int a = p->cut.aroundStart[l]; a < p->cut.aroundStart[l + 1]; ++a) {
    const int     e = p->cut.around[a], *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];
    PlexPairThing own;
    int           m = 0;

    while (dofs[m] != l) ++m;
    plex_pair_thing(p, b, dofs, t->thing[m], &own);
    if (own.row == l) plex_pair_element(p, b, l, e, t->thing[m], &own, fill);
  }
}

PLEX_STEP(plex_pairs_count, PlexPairsPlan)
{
  const int l = p->cut.rowDof[i];

  if (p->tables->rowSums) {
    const int at = p->incomplete[l] ? -1 : plex_pair_find(p, l, l);

    p->diagonal[i] = at;
    if (at >= 0) p->open[p->entryStart[plex_list_of(p->cut.nblocks, p->cut.rowStart, (int)i)] + at] = 0;
    else if (!p->incomplete[l]) plex_pair_lacks(p, l, p->cut.around[p->cut.aroundStart[l]]);
  }
  plex_pair_row(p, (int)i, 0);
}

PLEX_STEP(plex_pairs_fill, PlexPairsPlan)
{
  plex_pair_row(p, (int)i, 1);
}

/* ---- Tasks ---- */

/* Item p */
PLEX_STEP(plex_pairs_mark_pairs, PlexPairsPlan)
{
  p->pairTo[i] = p->kind[i] > 0;
  p->zeroTo[i] = !p->kind[i] && p->open[i];
}

PLEX_STEP(plex_pairs_list_pairs, PlexPairsPlan)
{
  const int n = p->itemStart[i + 1] - p->itemStart[i], at = p->pairTo[i];

  if (p->pairTo[i + 1] == at) return;
  p->pair[at]     = (int)i;
  p->pairKeys[at] = (plex_key)plex_list_of(p->cut.nblocks, p->entryStart, (int)i) << 13 |
                    (plex_key)(p->kind[i] - 1) << 6 | (plex_key)(n < 63 ? 63 - n : 0);
}

PLEX_PLAN int plex_pair_count(const PlexPairsPlan *p, int q)
{
  return p->itemStart[p->pair[q] + 1] - p->itemStart[p->pair[q]];
}

/* Lanes that a pair is shared out to, as a power of two: one with many elements would keep its warp when all others
   wait */
PLEX_PLAN int plex_pair_split(const PlexPairsPlan *p, int q)
{
  const int n = plex_pair_count(p, q);

  return n > 2 * PLEX_PAIR_MANY ? 2 : n > PLEX_PAIR_MANY ? 1 : 0;
}

/* Words of items of a lane */
PLEX_PLAN int plex_pair_words(const PlexPairsPlan *p, int q, int split)
{
  const int items = plex_pair_word(p->tables) << split;

  return (plex_pair_count(p, q) + items - 1) / items;
}

/* Pairs of a task: a lane has one or two */
PLEX_PLAN int plex_pair_room(const PlexPairsTables *t, int split)
{
  return (t->several ? 32 : 64) >> split;
}

/* Item q: whether a segment begins, of a block, kind and split */
PLEX_STEP(plex_pairs_segments, PlexPairsPlan)
{
  p->segmentTo[i] = i == 0 || p->pairKeys[i] >> 6 != p->pairKeys[i - 1] >> 6 ||
                    plex_pair_split(p, (int)i) != plex_pair_split(p, (int)i - 1);
}

PLEX_STEP(plex_pairs_list_segments, PlexPairsPlan)
{
  if (p->segmentTo[i + 1] > p->segmentTo[i]) p->segmentPair[p->segmentTo[i]] = (int)i;
}

/* Item q: entries of element matrices that a pair of points sums */
PLEX_STEP(plex_pairs_weights, PlexPairsPlan)
{
  const unsigned char *dofs = p->tables->dofs[p->kind[p->pair[i]] - 1];

  p->weights[i] = plex_pair_count(p, (int)i) * dofs[0] * dofs[1];
}

/* Item g */
PLEX_STEP(plex_pairs_segment_tasks, PlexPairsPlan)
{
  const int room = plex_pair_room(p->tables, plex_pair_split(p, p->segmentPair[i]));

  p->segmentTask[i] = (p->segmentPair[i + 1] - p->segmentPair[i] + room - 1) / room;
}

/* Groups of records of a task of so many words: targets, items */
PLEX_PLAN int plex_pair_groups(const PlexPairsTables *t, int words)
{
  return 1 + (words * plex_pair_word(t) + plex_pair_group(t) - 1) / plex_pair_group(t);
}

/* Item T, but for tasks of zeros */
PLEX_STEP(plex_pairs_task_groups, PlexPairsPlan)
{
  const int g = plex_list_of(p->segments, p->segmentTask, (int)i), split = plex_pair_split(p, p->segmentPair[g]);
  const int q = p->segmentPair[g] + ((int)i - p->segmentTask[g]) * plex_pair_room(p->tables, split);

  p->groupTo[i] = plex_pair_groups(p->tables, plex_pair_words(p, q, split));
}

/* The first segment of block b */
PLEX_PLAN int plex_pair_segment(const PlexPairsPlan *p, int b)
{
  return p->segmentTo[plex_lower_key(p->pairs, p->pairKeys, (plex_key)b << 13)];
}

/* Places of a block that nobody writes are in tasks of their own, four a lane */
PLEX_PLAN int plex_pair_zero_tasks(const PlexPairsPlan *p, int b)
{
  return (p->zeroTo[p->entryStart[b + 1]] - p->zeroTo[p->entryStart[b]] + 127) / 128;
}

/* Item b: sizes of a block */
PLEX_STEP(plex_pairs_sizes, PlexPairsPlan)
{
  const PlexPairsTables *t = p->tables;
  const int              b = (int)i, zeros = plex_pair_zero_tasks(p, b);
  const int              first = p->segmentTask[plex_pair_segment(p, b)], end = p->segmentTask[plex_pair_segment(p, b + 1)];
  PlexPairsBlock         block = {0};

  block.nodes    = p->nodeStart[b + 1] - p->nodeStart[b];
  block.elements = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  block.tasks    = end - first + zeros;
  block.groups   = p->groupTo[end] - p->groupTo[first] + zeros;
  block.runs     = p->runStart[b + 1] - p->runStart[b];
  block.sums     = (p->entryStart[b + 1] - p->entryStart[b] + 1) / 2;
  block.lines    = (p->real * block.nodes * p->cut.cdim + 15) / 16;
  for (int r = p->cut.rowStart[b]; t->rowSums && r < p->cut.rowStart[b + 1]; ++r) block.complete += p->diagonal[r] >= 0;
  block.heads       = plex_pair_heads(t, block.tasks, block.runs, 2 * block.sums, block.complete);
  p->blocks[b]      = block;
  p->blockTasks[b]  = block.tasks;
  p->blockGroups[b] = block.groups;
  p->blockLines[b]  = block.heads;
  p->blockPlaces[b] = block.lines;
}

/* Item b: where its parts begin */
PLEX_STEP(plex_pairs_blocks, PlexPairsPlan)
{
  PlexPairsBlock *block = &p->blocks[i];

  block->place = p->firstPlace + p->blockPlaces[i];
  block->node  = p->firstNode + p->nodeStart[i];
  block->conn  = p->firstConn + p->cut.elementStart[i] * ((p->cut.Nv + 1) / 2 + (p->ea > 0));
  block->list  = p->firstLine + p->blockLines[i];
  block->group = p->firstGroup + p->blockGroups[i];
}

PLEX_PLAN unsigned plex_pair_task(int group, int terms, int kind, int split, int words)
{
  return (unsigned)group | (unsigned)terms << 13 | (unsigned)kind << 16 | (unsigned)split << 23 | (unsigned)words << 25;
}

/* Tasks with most words come first in a block, as warps take one after the other */
PLEX_PLAN void plex_pair_put_task(const PlexPairsPlan *p, int b, int T, unsigned task)
{
  p->taskKeys[p->blockTasks[b] + T] = (plex_key)b << 32 | (plex_key)~task;
}

#include "pairs_lanes.h"

/* Item b: tasks of places that nobody writes */
PLEX_STEP(plex_pairs_zero_tasks, PlexPairsPlan)
{
  const int b = (int)i, zeros = plex_pair_zero_tasks(p, b), groups = p->blockGroups[b + 1] - p->blockGroups[b];

  for (int z = 0; z < zeros; ++z) {
    unsigned *to = p->records + 64 * (plex_index)(p->blockGroups[b + 1] - zeros + z);

    plex_pair_put_task(p, b, p->blockTasks[b + 1] - p->blockTasks[b] - zeros + z,
                       plex_pair_task(groups - zeros + z, 0, 0, 0, 0));
    for (int m = 0; m < 64; ++m) to[m] = 0xffffffffu;
  }
}

/* Item p */
PLEX_STEP(plex_pairs_zeros, PlexPairsPlan)
{
  if (p->zeroTo[i + 1] > p->zeroTo[i]) {
    const int       b = plex_list_of(p->cut.nblocks, p->entryStart, (int)i), zeros = plex_pair_zero_tasks(p, b);
    const int       n = p->zeroTo[i] - p->zeroTo[p->entryStart[b]];
    unsigned short *to = (unsigned short *)(p->records +
                                            64 * (plex_index)(p->blockGroups[b + 1] - zeros + n / 128));

    to[2 * (n % 64) + n / 64 % 2] = (unsigned short)((int)i - p->entryStart[b]);
  }
}

/* Item T, sorted */
PLEX_STEP(plex_pairs_list_tasks, PlexPairsPlan)
{
  const int b = (int)(p->taskKeys[i] >> 32);

  p->lists[4 * (plex_index)p->blockLines[b] + (int)i - p->blockTasks[b]] = (int)~(unsigned)p->taskKeys[i];
}

/* Item b: the runs of rows, in which lines they begin, and rows whose sums are made zero */
PLEX_STEP(plex_pairs_list_offsets, PlexPairsPlan)
{
  const int             b = (int)i, first = p->entryStart[b], runs = p->runStart[b + 1] - p->runStart[b];
  const int             nlines = (p->entryStart[b + 1] - first + 63) / 64;
  int                  *to = p->lists + 4 * ((plex_index)p->blockLines[b] + (p->blocks[b].tasks + 3) / 4);
  PlexPairsLines       *lines = (PlexPairsLines *)(to + (runs + 3) / 4 * 4);
  PlexPairsRow         *sums  = (PlexPairsRow *)(lines + nlines);
  int                   before = 0;

  for (int run = p->runStart[b]; run < p->runStart[b + 1]; ++run) {
    const int begin = p->runRow[run], end = run + 1 < p->runs ? p->runRow[run + 1] : p->cut.rows;
    const int row = p->cut.row[p->cut.rowDof[begin]], place = p->place[p->cut.rowDof[begin]];
    const int last = place + p->lengthTo[end] - p->lengthTo[begin] - 1;

    *to++ = (int)(p->cut.i[row] - place);
    lines[place / 64].begins |= 1u << place / 2 % 32;
    if (place % 2) lines[place / 64].second |= 1u << place / 2 % 32;
    if (last % 2 == 0) lines[last / 64].first |= 1u << last / 2 % 32;
  }
  for (int k = 0; k < nlines; ++k) {
    lines[k].before = before;
    before += plex_bits_set(lines[k].begins);
  }
  for (int r = p->cut.rowStart[b]; p->tables->rowSums && r < p->cut.rowStart[b + 1]; ++r) {
    if (p->diagonal[r] < 0) continue;
    sums->place    = (int)((unsigned)p->place[p->cut.rowDof[r]] | (unsigned)(p->lengthTo[r + 1] - p->lengthTo[r]) << 16);
    sums->diagonal = p->diagonal[r];
    ++sums;
  }
}

/* ---- All steps, in the order in which they run */
#define PLEX_PAIRS_STEPS(X) \
  X(plex_pairs_incomplete) \
  X(plex_pairs_cut) \
  X(plex_pairs_connect) \
  X(plex_pairs_arrange) \
  X(plex_pairs_runs) \
  X(plex_pairs_list_runs) \
  X(plex_pairs_run_sizes) \
  X(plex_pairs_block_runs) \
  X(plex_pairs_place_rows) \
  X(plex_pairs_count) \
  X(plex_pairs_fill) \
  X(plex_pairs_mark_pairs) \
  X(plex_pairs_list_pairs) \
  X(plex_pairs_segments) \
  X(plex_pairs_list_segments) \
  X(plex_pairs_weights) \
  X(plex_pairs_segment_tasks) \
  X(plex_pairs_task_groups) \
  X(plex_pairs_sizes) \
  X(plex_pairs_blocks) \
  X(plex_pairs_tasks) \
  X(plex_pairs_zero_tasks) \
  X(plex_pairs_zeros) \
  X(plex_pairs_list_tasks) \
  X(plex_pairs_list_offsets)

#endif
