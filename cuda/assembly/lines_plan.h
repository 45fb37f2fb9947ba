/*
  The plan of local_row by sum factorization, in steps (plan/steps.h): blocks of mesh nodes along a curve, and of
  each block its elements, coordinate nodes and dofs, its rows in warps, and the records that these sum, as lines_args.h
  has them. src/assembly/impls/local/lines.c runs them for a batch of blocks at a time.

  A row is shared out to 1, 2, 4 or 8 lanes, its parts, so that the sums of a full warp have room: 32 / parts rows.

  Index spaces besides those of plan/blocks.h:
    q in [0, rows)       row: by block, parts and elements around it, most first; those of a warp are chosen
    s in [0, 4 nblocks)  segment: rows of block s / 4 with 8 >> s % 4 parts
    w in [0, nwarps)     warp, segment by segment
    g in [0, groups)     group of 32 records, warp by warp
*/
#ifndef PLEX_LINES_PLAN_H
#define PLEX_LINES_PLAN_H

#include "../plan/blocks.h"
#include "lines_args.h"
#include "../plan/lanes.h"

#define PLEX_LINES_PARTS 8  /* lanes that a row is shared out to, most */
#define PLEX_LINES_BANKS 16 /* lanes that read 8 bytes at once: half a warp */
#define PLEX_LINES_TRIES 32 /* rows of which one is chosen */

typedef struct {
  PlexPlanBlocks  cut;
  PlexLinesLayout layout;
  int             most;    /* elements of a block */
  int            *longest; /* [4] row whose elements allow for 1, 2, 4, 8 parts */

  int             nwarps, groups;
  int            *vertex, *number; /* [elements][Nv], [elements][ef] their numbers in the block */
  plex_key       *keys;            /* [rows] segment << 6 | 63 - elements, sorted */
  int            *order;           /* [rows] row q as plan/blocks.h has it: r */
  int            *itemStart;       /* [rows+1] of r */
  unsigned short *items;           /* of a row its elements, by number in the block */
  int            *warpTo;          /* [4 nblocks+1] warps of segments before */
  int            *groupTo;         /* [nwarps+1] */
  plex_key       *slot;            /* [groups][32] (r + 1) << 16 | element in the block; 0: none */
  plex_key       *counted;         /* [2] reads of half warps at once, and in which turns they are done */
  char           *in;              /* [elements][4] whether lanes read an element */
  char           *lanes;           /* work of each thread that puts rows to lanes, */
  size_t          laneBytes;       /* so much */

  int             firstNode, firstDof, firstElement, firstWarp, firstGroup; /* of what earlier batches have */
  int            *nodeStart, *dofStart;                                     /* [nblocks+1], the latter or NULL */
  PlexLinesBlock *blocks;
  unsigned short *conn;
  PlexLinesWarp  *warps;
  int            *rows;
  unsigned       *records;
} PlexLinesPlan;

/* Columns of so many rows, as a power of two: a chunk of all columns has a number for each lane at least */
PLEX_HOST_DEVICE int plex_lines_columns(int chunk, int rows)
{
  return plex_plan_columns(chunk == 8 ? 2 : 3, rows);
}

/* Numbers that a full warp of rows of this length and parts sums in */
PLEX_HOST_DEVICE int plex_lines_sums(int chunk, int length, int parts)
{
  return plex_plan_column(chunk, length) << plex_lines_columns(chunk, 32 / parts);
}

/* Item l: longest rows, by how many parts have something to do */
PLEX_STEP(plex_lines_longest, PlexLinesPlan)
{
  const int count = p->cut.aroundStart[i + 1] - p->cut.aroundStart[i];
  int       parts = 0;

  while (2 << parts <= PLEX_LINES_PARTS && 2 << parts <= count) ++parts;
  plex_raise(&p->longest[parts], plex_plan_length(&p->cut, (int)i));
}

PLEX_STEP(plex_lines_cut, PlexLinesPlan)
{
  const int s        = p->cut.first + (int)i;
  int       elements = 0, end;

  for (end = s; end < p->cut.last; ++end) {
    elements += plex_plan_more(&p->cut, s, end);
    if (end > s && elements > p->most) break;
  }
  p->cut.next[s - p->cut.first] = end;
}

/* Item t */
PLEX_STEP(plex_lines_connect, PlexLinesPlan)
{
  unsigned short *to = &p->conn[i / 32 * 32 * p->layout.k + i % 32];

  for (int m = 0; m < p->layout.k; ++m)
    to[32 * m] = (unsigned short)(m < p->cut.Nv ? p->vertex[i * p->cut.Nv + m]
                                                : p->number[i * p->cut.ef + m - p->cut.Nv]);
}

/* Item r, which is q before they are sorted */
PLEX_STEP(plex_lines_count, PlexLinesPlan)
{
  const int l = p->cut.rowDof[i], n = p->cut.aroundStart[l + 1] - p->cut.aroundStart[l];
  int       segment = 4 * plex_list_of(p->cut.nblocks, p->cut.rowStart, (int)i) + 3;

  for (int parts = 1; parts < PLEX_LINES_PARTS; parts *= 2)
    segment -= plex_lines_sums(p->layout.chunk, plex_plan_length(&p->cut, l), parts) > p->layout.sums;
  p->keys[i]      = (plex_key)segment << 6 | (plex_key)(63 - n);
  p->itemStart[i] = n;
}

PLEX_STEP(plex_lines_items, PlexLinesPlan)
{
  const int  b = plex_list_of(p->cut.nblocks, p->cut.rowStart, (int)i), n = p->itemStart[i + 1] - p->itemStart[i];
  const int *from = &p->cut.around[p->cut.aroundStart[p->cut.rowDof[i]]];

  for (int k = 0; k < n; ++k)
    p->items[p->itemStart[i] + k] = (unsigned short)(plex_plan_number(&p->cut, b, from[k]) - p->cut.elementStart[b]);
}

/* ---- Warps ---- */

/* The first row of a segment, or behind all */
PLEX_HOST_DEVICE int plex_lines_first(const PlexLinesPlan *p, int segment)
{
  return (int)plex_lower_key(p->cut.rows, p->keys, (plex_key)segment << 6);
}

PLEX_HOST_DEVICE int plex_lines_parts(int segment)
{
  return PLEX_LINES_PARTS >> segment % 4;
}

PLEX_STEP(plex_lines_segments, PlexLinesPlan)
{
  const int room = 32 / plex_lines_parts((int)i);

  p->warpTo[i] = (plex_lines_first(p, (int)i + 1) - plex_lines_first(p, (int)i) + room - 1) / room;
}

/* Item w: as many groups as a part of its first row has elements */
PLEX_STEP(plex_lines_groups, PlexLinesPlan)
{
  const int s = plex_list_of(4 * p->cut.nblocks, p->warpTo, (int)i), parts = plex_lines_parts(s);
  const int q = plex_lines_first(p, s) + ((int)i - p->warpTo[s]) * (32 / parts);

  p->groupTo[i] = (63 - (int)(p->keys[q] & 63) + parts - 1) / parts;
}

/* Of rows order[n] the one, among the first ones, that adds the fewest elements to those that lanes read already, in
   banks of which they read few; in[]: whether they read an element */
PLEX_HOST_DEVICE int plex_lines_choose(const PlexLinesPlan *p, const PlexLanes *l, const char in[], int n,
                                       const int order[])
{
  int best = 0, least = -1;

  for (int k = 0; k < n && k < PLEX_LINES_TRIES && least; ++k) {
    int cost = 0;

    for (int m = p->itemStart[order[k]]; m < p->itemStart[order[k] + 1]; ++m)
      if (!in[p->items[m]]) cost += 1 + 2 * l->total[p->items[m] % PLEX_LINES_BANKS];
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best  = k;
  }
  return best;
}

/* The elements of row r to lanes, from a slot on */
PLEX_HOST_DEVICE void plex_lines_put(const PlexLinesPlan *p, PlexLanes *l, int slot, int parts, int r, char in[])
{
  for (int m = p->itemStart[r]; m < p->itemStart[r + 1]; ++m) {
    const int item = p->items[m], at = slot + (m - p->itemStart[r]) % parts;

    if (!in[item]) ++l->total[item % PLEX_LINES_BANKS];
    in[item] = 1;
    plex_lanes_put_deferred(l, at, item);
  }
}

/* Rows of warp w of segment s to the lanes of half a warp, which read at once: n of order[among]. Rows that are shared
   out are in both halves, which read one after the other */
PLEX_HOST_DEVICE void plex_lines_set(const PlexLinesPlan *p, int s, int w, int half, int n, int among, int order[])
{
  const int both = plex_lines_parts(s) > 1, parts = both ? plex_lines_parts(s) / 2 : 1;
  const int groups = p->groupTo[w + 1] - p->groupTo[w];
  const int first = p->cut.elementStart[s / 4], elements = p->cut.elementStart[s / 4 + 1] - first;
  char     *in = p->in + 4 * (plex_index)first + s % 4 * elements;
  PlexLanes l;

  plex_lanes_begin(p->lanes + p->laneBytes * (size_t)s, PLEX_LINES_BANKS, PLEX_LINES_BANKS, (1 + both) * groups, &l);
  plex_lanes_begin_set(&l);
  l.broadcast = 1;
  for (int k = 0; k < elements; ++k) in[k] = 0;
  for (int k = 0; k < n; ++k) {
    const int at = k + plex_lines_choose(p, &l, in, among - k, order + k), r = order[at];

    order[at] = order[k];
    order[k]  = r;
    plex_lines_put(p, &l, k * parts, parts, r, in);
  }
  plex_add_key(&p->counted[0], (plex_key)l.steps);
  plex_add_key(&p->counted[1], (plex_key)(plex_lanes_end_set(&l, 0) - l.steps));
  for (int k = 0; k < n * parts * l.steps; ++k) {
    const int slot = k / l.steps, step = k % l.steps, lane = slot % parts * (PLEX_LINES_BANKS / parts) + slot / parts;

    if (l.item[k] != PLEX_LANE_NONE)
      p->slot[32 * (plex_index)(p->groupTo[w] + step % groups) + PLEX_LINES_BANKS * (half + step / groups) +
              lane] = (plex_key)(order[slot / parts] + 1) << 16 | l.item[k];
  }
}

/* Warp w of segment s, with the rows order[n] */
PLEX_HOST_DEVICE void plex_lines_warp(const PlexLinesPlan *p, int s, int w, int n, const int order[])
{
  const int     parts = plex_lines_parts(s), room = 32 / parts, groups = p->groupTo[w + 1] - p->groupTo[w];
  PlexLinesWarp warp = {p->firstGroup + p->groupTo[w], groups, 0, plex_lines_columns(p->layout.chunk, n), parts};
  int          *to   = &p->rows[(plex_index)w * 96];

  for (int k = 0; k < 32; ++k) {
    const int l = k < n ? p->cut.rowDof[order[k]] : -1, length = l < 0 ? 0 : plex_plan_length(&p->cut, l);

    if (l >= 0) to[k] = (int)p->cut.i[p->cut.row[l]];
    to[32 + k]   = length;
    to[64 + k]   = k % room < n ? k % room << 8 | k / room : 0xff; /* no part, and nothing added */
    warp.longest = length > warp.longest ? length : warp.longest;
  }
  p->warps[w] = warp;
}

/* Item s: its rows to lanes */
PLEX_STEP(plex_lines_lanes, PlexLinesPlan)
{
  const int s = (int)i, room = 32 / plex_lines_parts(s), end = plex_lines_first(p, s + 1);

  for (int w = p->warpTo[s], q = plex_lines_first(p, s); w < p->warpTo[s + 1]; ++w, q += room) {
    const int n     = end - q < room ? end - q : room;
    int       among = n;

    /* all that have as many elements, or as many as there is room for */
    while (q + among < end && p->keys[q + among] == p->keys[q]) ++among;
    for (int from = 0; from < n; from += PLEX_LINES_BANKS)
      plex_lines_set(p, s, w, from / PLEX_LINES_BANKS, n - from < PLEX_LINES_BANKS ? n - from : PLEX_LINES_BANKS,
                     among - from, p->order + q + from);
    plex_lines_warp(p, s, w, n, p->order + q);
  }
}

/* Item of a lane of group g; words of a record are a warp apart */
PLEX_STEP(plex_lines_records, PlexLinesPlan)
{
  const PlexLinesLayout *t       = &p->layout;
  const plex_key         slot    = p->slot[i];
  const int              dropped = p->warps[plex_list_of(p->nwarps, p->groupTo, (int)(i / 32))].longest;
  const int              r = (int)(slot >> 16) - 1, number = (int)(slot & 0xffff), l = r < 0 ? -1 : p->cut.rowDof[r];
  const int              b = r < 0 ? 0 : plex_list_of(p->cut.nblocks, p->cut.rowStart, r);
  const int e = p->cut.element[p->cut.elementStart[b] + number], m = r < 0 ? 0 : plex_plan_dof(&p->cut, e, l);
  unsigned *record = &p->records[i / 32 * 32 * t->words + i % 32];

  if (r >= 0) record[0] = (unsigned)(number | t->head[m] << 16);
  for (int j = 0; j < p->cut.ef; ++j) {
    const int place = plex_plan_place(&p->cut, l, e, t->dof[j], dropped);

    record[32 * (1 + j * t->places / 32)] |= (unsigned)place << j * t->places % 32;
  }
}

/* Item b */
PLEX_STEP(plex_lines_blocks, PlexLinesPlan)
{
  const PlexLinesBlock block = {p->firstNode + p->nodeStart[i],
                                p->nodeStart[i + 1] - p->nodeStart[i],
                                p->dofStart ? p->firstDof + p->dofStart[i] : 0,
                                p->dofStart ? p->dofStart[i + 1] - p->dofStart[i] : 0,
                                p->firstElement + p->cut.elementStart[i],
                                p->cut.elementStart[i + 1] - p->cut.elementStart[i],
                                p->firstWarp + p->warpTo[4 * i],
                                p->warpTo[4 * i + 4] - p->warpTo[4 * i]};

  p->blocks[i] = block;
}

#endif
