/*
  The plan of local_row by symmetry classes of dofs, in steps (plan/steps.h): blocks of mesh nodes along a curve, the
  rows of a block in warps, and the records that these sum, as symmetry_args.h has them.
  src/assembly/impls/local/symmetry.c runs them for a batch of blocks at a time.

  A warp computes one row of element data: its rows have contributions of the same classes. It waits for the row with
  most of them, so rows with far more than the usual are shared out to several threads, and rows that have about as many
  are in a warp. What a warp sums in has room for 32 columns of most rows; longer rows are in warps that are not full.

  Index spaces besides those of plan/blocks.h:
    r in [0, rows)      row of a block, block by block, sorted by plex_symmetry_row_keys
    T in [0, tasks)     task: rows taskRow[T] .. taskRow[T+1]-1, of one block
*/
#ifndef PLEX_SYMMETRY_PLAN_H
#define PLEX_SYMMETRY_PLAN_H

#include "../plan/blocks.h"
#include "symmetry_args.h"

#define PLEX_SYMMETRY_PARTS   4   /* threads that a row is shared out to, most: of a power of two a warp is full */
#define PLEX_SYMMETRY_LONGEST 256 /* numbers of a column for a lane, most */
#define PLEX_SYMMETRY_WORDS   ((PLEX_CLASSES_NODES + 2 * PLEX_CLASSES_DOFS) / 2 + 2) /* of a record, most */

typedef struct {
  PlexPlanBlocks        cut;
  const PlexDofClasses *classes;
  PlexRecord            record;
  int                   real, ea, solution;
  int                   most; /* contributions that a thread sums alone */
  int chunk, sums;            /* of a column that is written at a time; numbers of a warp, where a row needs no more */
  int eachBits, lengthBits;   /* of the keys of rows */

  /* limits of blocks; foreseen: coordinate nodes and dofs of an element */
  int    mostLanes, mostNodes, mostDofs, budget;
  double nodesOf, dofsOf;

  unsigned short *counts;              /* [Nl][classes] contributions of each class to a dof's row */
  int            *columns;             /* [PLEX_SYMMETRY_LONGEST + 1] lanes with so many numbers of a column, or more */
  int            *lanesTo, *addendsTo; /* [nodes+1] lanes, and contributions, of the ranks before */
  plex_key       *kinds;               /* [nodes] ascending: blocks are of one each; NULL: all are alike */
  int            *strays;              /* [classes] elements around a row do not share its coordinate nodes */

  int *nodeStart, *dofStart; /* [nblocks+1] */
  int *vertex, *dof;         /* [elements][Nv], [elements][ef] numbers in the block */
  int  tasks;
  int *taskTo;                                     /* [rows+1] tasks that begin before */
  int *taskRow;                                    /* [tasks+1], the last one behind all */
  int *groupTo;                                    /* [tasks+1] groups of records */
  int  firstNode, firstDof, firstTask, firstGroup; /* of what earlier batches have */

  PlexSymmetryBlock *blocks;
  int               *heads;
  unsigned          *records;
} PlexSymmetryPlan;

/* ---- Rows ---- */

PLEX_HOST_DEVICE int plex_symmetry_around(const PlexSymmetryPlan *p, int l)
{
  return p->cut.aroundStart[l + 1] - p->cut.aroundStart[l];
}

/* Threads that sum a row of so many contributions */
PLEX_HOST_DEVICE int plex_symmetry_parts(const PlexSymmetryPlan *p, int around)
{
  int parts = 1;

  while (parts < PLEX_SYMMETRY_PARTS && around > parts * p->most) parts *= 2;
  return parts;
}

/* Item l */
PLEX_STEP(plex_symmetry_count, PlexSymmetryPlan)
{
  unsigned short *counts = &p->counts[i * p->classes->n];

  if (p->classes->n == 1) counts[0] = (unsigned short)plex_symmetry_around(p, (int)i);
  else
    for (int a = p->cut.aroundStart[i]; a < p->cut.aroundStart[i + 1]; ++a)
      ++counts[p->classes->of[plex_plan_dof(&p->cut, p->cut.around[a], (int)i)]];
}

/* Item k: the classes of a mesh node's dofs, as bits; of each dof the one that it has in one of its elements */
PLEX_STEP(plex_symmetry_kinds, PlexSymmetryPlan)
{
  const int n = p->cut.node[i];

  for (int d = p->cut.dofStart[n]; d < p->cut.dofStart[n + 1]; ++d) {
    const int l = p->cut.dofItems[d];

    if (p->cut.row[l] >= 0 && plex_symmetry_around(p, l))
      p->kinds[i] |= (plex_key)1 << p->classes->of[plex_plan_dof(&p->cut, p->cut.around[p->cut.aroundStart[l]], l)];
  }
}

/* Item k */
PLEX_STEP(plex_symmetry_lanes, PlexSymmetryPlan)
{
  const int n = p->cut.node[i];

  for (int d = p->cut.dofStart[n]; d < p->cut.dofStart[n + 1]; ++d) {
    const int l = p->cut.dofItems[d], length = plex_plan_length(&p->cut, l), around = plex_symmetry_around(p, l);
    const int parts   = plex_symmetry_parts(p, around),
              numbers = (plex_plan_column(p->chunk, length) + parts - 1) / parts;

    if (!length) continue;
    p->lanesTo[i] += parts;
    p->addendsTo[i] += around;
    for (int m = 0; m < parts; ++m)
      (void)plex_count_up(&p->columns[numbers < PLEX_SYMMETRY_LONGEST ? numbers : PLEX_SYMMETRY_LONGEST]);
  }
}

/* ---- Blocks ---- */

PLEX_HOST_DEVICE int plex_symmetry_fits(const PlexSymmetryPlan *p, int nodes, int dofs)
{
  return nodes <= p->mostNodes && dofs <= p->mostDofs &&
         PLEX_SYMMETRY_BYTES(p->real, p->cut.cdim, nodes, dofs) <= p->budget;
}

/* Item k - first: as many whole warps as fit */
PLEX_STEP(plex_symmetry_cut, PlexSymmetryPlan)
{
  const int s        = p->cut.first + (int)i;
  int       elements = 0, whole = s, end;

  for (end = s; end < p->cut.last; ++end) {
    const int lanes = p->lanesTo[end + 1] - p->lanesTo[s];

    elements += plex_plan_more(&p->cut, s, end);
    if (end > s && ((p->kinds && p->kinds[end] != p->kinds[s]) || lanes > p->mostLanes ||
                    !plex_symmetry_fits(p, (int)(p->nodesOf * elements) + p->cut.Nv,
                                        p->solution ? (int)(p->dofsOf * elements) + p->cut.ef : 0)))
      break;
    if (lanes % 32 == 0) whole = end + 1;
  }
  p->cut.next[i] = end < p->cut.last && whole > s && p->classes->n == 1 ? whole : end;
}

/* Item r, in the order of ranks: by block, classes, most threads, most contributions of one of these, longest */
PLEX_STEP(plex_symmetry_row_keys, PlexSymmetryPlan)
{
  const int l = p->cut.rowDof[i], around = plex_symmetry_around(p, l), parts = plex_symmetry_parts(p, around);
  plex_key  key = p->cut.keys[i] >> 32 << p->classes->n;

  for (int c = 0; c < p->classes->n; ++c) key |= (plex_key)(p->counts[(plex_index)l * p->classes->n + c] > 0) << c;
  key            = key << 2 | (plex_key)(3 - plex_plan_columns(0, parts));
  key            = key << p->eachBits | (plex_key)((1 << p->eachBits) - 1 - (around + parts - 1) / parts);
  key            = key << p->lengthBits | (plex_key)((1 << p->lengthBits) - 1 - plex_plan_length(&p->cut, l));
  p->cut.keys[i] = key;
}

/* ---- Tasks ---- */

/* Rows from r on for a warp: of the same classes, and for half as many lanes, or fewer, where their sums take more than
   others' */
PLEX_HOST_DEVICE int plex_symmetry_rows(const PlexSymmetryPlan *p, int r, int end)
{
  const int shift = p->eachBits + p->lengthBits + 2;

  for (int most = 32;; most /= 2) {
    int lanes = 0, longest = 0, m;

    for (m = 0; r + m < end && p->cut.keys[r + m] >> shift == p->cut.keys[r] >> shift; ++m) {
      const int l = p->cut.rowDof[r + m], length = plex_plan_length(&p->cut, l);

      lanes += plex_symmetry_parts(p, plex_symmetry_around(p, l));
      if (m && lanes > most) break;
      longest = length > longest ? length : longest;
    }
    if (most == 1 || plex_plan_column(p->chunk, longest) << plex_plan_columns(0, m) <= p->sums) return m;
  }
}

/* Item b: where warps begin */
PLEX_STEP(plex_symmetry_tasks, PlexSymmetryPlan)
{
  const int end = p->cut.rowStart[i + 1];

  for (int r = p->cut.rowStart[i]; r < end; r += plex_symmetry_rows(p, r, end)) p->taskTo[r] = 1;
}

/* Item b */
PLEX_STEP(plex_symmetry_blocks, PlexSymmetryPlan)
{
  p->blocks[i].node = p->firstNode + p->nodeStart[i];
  p->blocks[i].dof  = p->firstDof + (p->solution ? p->dofStart[i] : 0);
  p->blocks[i].task = p->firstTask + p->taskTo[p->cut.rowStart[i]];
}

/* Item T: the head of a task, but for its first group, and how many it has */
PLEX_STEP(plex_symmetry_heads, PlexSymmetryPlan)
{
  const int first = p->taskRow[i], n = p->taskRow[i + 1] - first, classes = p->classes->n;
  int      *head = &p->heads[i * PLEX_SYMMETRY_HEAD], lane = 0;

  for (int k = 0; k < n; ++k) {
    const int l = p->cut.rowDof[first + k], length = plex_plan_length(&p->cut, l);
    const int parts = plex_symmetry_parts(p, plex_symmetry_around(p, l));

    if (!k) head[5] = parts; /* the most */
    if (length > head[3]) head[3] = length;
    head[32 + k] = (int)p->cut.i[p->cut.row[l]];
    head[64 + k] |= (int)((unsigned)length << 16);
    for (int part = 0; part < parts; ++part) head[64 + lane++] |= k << 8 | part;
  }
  for (; lane < 32; ++lane) head[64 + lane] |= 0xff; /* no part, and nothing added */
  for (int c = 0; c < classes; ++c) {
    int groups = 0;

    for (int k = 0; k < n; ++k) {
      const int l = p->cut.rowDof[first + k], parts = plex_symmetry_parts(p, plex_symmetry_around(p, l));
      const int each = (p->counts[(plex_index)l * classes + c] + parts - 1) / parts;

      groups = each > groups ? each : groups;
    }
    if (!groups) continue;
    head[8 + head[1]++] = groups << 5 | c;
    head[2] += groups;
  }
  head[4]       = plex_plan_columns(0, n);
  p->groupTo[i] = head[2];
}

/* ---- Records ---- */

PLEX_HOST_DEVICE void plex_record_set(unsigned words[], const PlexRecordItems *items, int k, int value)
{
  words[items->at[k] / 32] |= (unsigned)value << items->at[k] % 32;
}

/* The record of element e, read as a rotation says, in block b; l: the dof of its row, -1: all of it is dropped */
PLEX_HOST_DEVICE void plex_symmetry_record(const PlexSymmetryPlan *p, int b, int l, int e, int rotation, int dropped,
                                           unsigned *to)
{
  const PlexPlanBlocks *cut  = &p->cut;
  const unsigned char  *dofs = p->classes->dofs[rotation], *nodes = p->classes->nodes[rotation];
  const plex_index      number = plex_plan_number(cut, b, e);
  unsigned              words[PLEX_SYMMETRY_WORDS];

  for (int w = 0; w < p->record.words; ++w) words[w] = 0;
  if (p->ea) words[0] = (unsigned)e;
  for (int v = 0; v < cut->Nv; ++v) plex_record_set(words, &p->record.nodes, v, p->vertex[number * cut->Nv + nodes[v]]);
  for (int j = 0; j < cut->ef; ++j) {
    if (p->solution) plex_record_set(words, &p->record.dofs, j, p->dof[number * cut->ef + dofs[j]]);
    plex_record_set(words, &p->record.places, j, plex_plan_place(cut, l, e, dofs[j], dropped));
  }
  for (int w = 0; w < p->record.words; ++w) to[32 * w] = words[w];
}

/* A rotation that makes an element's dof i the first of its class, with the coordinate nodes at[] that it shares with
   other elements where they are in these. Where there is none, as nodes coincide, all of each element is read */
PLEX_HOST_DEVICE int plex_symmetry_rotation(const PlexSymmetryPlan *p, int e, int i, const int at[])
{
  const PlexDofClasses *t     = p->classes;
  const int            *nodes = &p->cut.vertices[(plex_index)e * p->cut.Nv], c = t->of[i];

  for (int k = 0; k < t->ncandidates[i]; ++k) {
    const unsigned char *to   = t->nodes[t->candidates[i][k]];
    int                  same = 1;

    for (int v = 0; v < p->cut.Nv; ++v) same &= !(t->fixed[c] >> v & 1) || nodes[to[v]] == at[v];
    if (same) return t->candidates[i][k];
  }
  p->strays[c] = 1;
  return t->candidates[i][0];
}

/* Contributions of class c to a lane's part of dof l's row, `begin` to end - 1 of them, and behind them as many groups
   as its warp has, of an element whose geometry is good */
PLEX_HOST_DEVICE void plex_symmetry_lane(const PlexSymmetryPlan *p, int b, int l, int c, int begin, int end, int groups,
                                         int dropped, unsigned *to)
{
  const PlexDofClasses *t     = p->classes;
  const int             words = 32 * p->record.words;
  int                   n = 0, first = 0, rotation = 0, at[PLEX_CLASSES_NODES];

  for (int a = p->cut.aroundStart[l]; a < p->cut.aroundStart[l + 1] && (!n || n < end); ++a) {
    const int e = p->cut.around[a], i = plex_plan_dof(&p->cut, e, l);

    if (t->of[i] != c) continue;
    if (!n) {
      first    = e;
      rotation = t->candidates[i][0];
      for (int v = 0; v < p->cut.Nv; ++v) at[v] = p->cut.vertices[(plex_index)e * p->cut.Nv + t->nodes[rotation][v]];
    }
    if (n >= begin && n < end)
      plex_symmetry_record(p, b, l, e, n ? plex_symmetry_rotation(p, e, i, at) : rotation, dropped,
                           to + (plex_index)words * (n - begin));
    ++n;
  }
  for (int g = end - begin; g < groups; ++g)
    plex_symmetry_record(p, b, -1, first, rotation, dropped, to + (plex_index)words * g);
}

/* Item of a lane of a task */
PLEX_STEP(plex_symmetry_records, PlexSymmetryPlan)
{
  const int T = (int)(i / 32), *head = &p->heads[(plex_index)T * PLEX_SYMMETRY_HEAD];
  const int part = head[64 + i % 32] & 0xff, r = p->taskRow[T] + (head[64 + i % 32] >> 8 & 0xff);
  const int l = p->cut.rowDof[r], parts = plex_symmetry_parts(p, plex_symmetry_around(p, l));
  const int b  = plex_list_of(p->cut.nblocks, p->cut.rowStart, r);
  unsigned *to = &p->records[(plex_index)p->groupTo[T] * p->record.words * 32 + i % 32];

  for (int k = 0; k < head[1]; ++k) {
    const int c = head[8 + k] & 31, groups = head[8 + k] >> 5, count = p->counts[(plex_index)l * p->classes->n + c];
    const int each = (count + parts - 1) / parts, before = part < parts ? part * each : count;
    const int begin = before < count ? before : count, end = begin + each < count ? begin + each : count;

    plex_symmetry_lane(p, b, l, c, begin, end, groups, head[3], to);
    to += (plex_index)groups * p->record.words * 32;
  }
  if (i % 32 == 0) p->heads[(plex_index)T * PLEX_SYMMETRY_HEAD] = p->firstGroup + p->groupTo[T];
}

#endif
