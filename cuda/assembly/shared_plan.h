/*
  The plan of shared_nz and shared_row, in steps, which src/assembly/impls/shared/passes.c runs for a batch of parts of
  the mesh nodes at a time: items and passes, as shared_args.h has them, then what passes sum, by the steps of
  plan/rows_steps.h. A row is summed in each pass that has items of its elements.
*/
#ifndef PLEX_SHARED_PLAN_H
#define PLEX_SHARED_PLAN_H

#include "plan/rows.h"
#include "assembly/shared_args.h"

/* rows of other blocks that end an item: computing them costs about as much as a new item's points */
#define PLEX_SHARED_GAP 6

typedef struct {
  PlexPlanRows rows;
  int          chunked, most, capacity; /* items are some rows of elements, so many at most; numbers in shared memory */
  int         *ids;                     /* [Ne][Nv + ef] */

  /* ---- The batch */
  int            *itemTo; /* [elements+1] items before */
  PlexSharedItem *items;
  int            *passOf;   /* [items] */
  int            *passTo;   /* [nblocks+1] passes before */
  PlexSharedPass *passes;   /* NULL: they are counted */
  int            *itemRows; /* [items+1] */
  /* of the batches before, of lists and rows with the ends of each pass */
  int       firstItem, firstList, firstRow;
  long long firstPosition;
  /* [nblocks+1] candidates of the blocks before: (pass, row), each pass with each row of its block */
  int       *candidateTo;
  const int *blockDof, *blockRow; /* rows of blocks: cut.rowDof, cut.rowStart */
  /* [candidates+1] 1: the row has elements in the pass; then a prefix sum of these */
  int            *inPass;
  int            *rowDof, *passRow; /* rows of passes: [rows], [passes+1] */
  int            *positionTo;       /* [lists+1] positions before, in the order of lists */
  int            *fresh;            /* [lists+1] no earlier pass has summed the target */
  PlexSharedList *lists;
  int            *positions, *rowLists;
} PlexSharedPlanArgs;

/* ---- Items and passes ---- */

/* Per element of the mesh */
PLEX_STEP(plex_shared_ids, PlexSharedPlanArgs)
{
  const PlexPlanBlocks *cut = &p->rows.cut;
  int                  *ids = &p->ids[i * (cut->Nv + cut->ef)];

  for (int k = 0; k < cut->Nv; ++k) ids[k] = cut->vertices[i * cut->Nv + k];
  for (int k = 0; k < cut->ef; ++k) ids[cut->Nv + k] = cut->dofs[i * cut->ef + k];
}

/* Number of items of element t: ranges of rows that its block owns. And the items, unless NULL */
PLEX_HOST_DEVICE int plex_shared_cut(const PlexSharedPlanArgs *p, int t, PlexSharedItem *items)
{
  const PlexPlanBlocks *cut = &p->rows.cut;
  const int             e = cut->element[t], b = plex_list_of(cut->nblocks, cut->elementStart, t);
  int                   n = 0, first = 0, last = 0;

  for (int m = 0; m < cut->ef; ++m) {
    const int l = cut->dofs[(plex_index)e * cut->ef + m], rank = cut->rank[l];

    if (rank < cut->blockFirst[b] || rank >= cut->blockFirst[b + 1] || !plex_plan_length(cut, l)) continue;
    if (!n || (p->chunked && (m - last > PLEX_SHARED_GAP || m - first >= p->most))) {
      first = m;
      ++n;
    }
    last = m;
    if (!items) continue;
    items[n - 1].element = e;
    items[n - 1].first   = p->chunked ? first : 0;
    items[n - 1].n       = p->chunked ? last + 1 - first : cut->ef;
  }
  return n;
}

/* Item t */
PLEX_STEP(plex_shared_count_items, PlexSharedPlanArgs)
{
  p->itemTo[i] = plex_shared_cut(p, (int)i, 0);
}

PLEX_STEP(plex_shared_items, PlexSharedPlanArgs)
{
  (void)plex_shared_cut(p, (int)i, &p->items[p->itemTo[i]]);
}

/* Per item of a block */
PLEX_STEP(plex_shared_item_rows, PlexSharedPlanArgs)
{
  p->itemRows[i] = p->items[i].n;
}

/* Item b: counts its passes, or makes them. The distance of the data of two items is odd, to avoid bank conflicts */
PLEX_STEP(plex_shared_passes, PlexSharedPlanArgs)
{
  const int end  = p->itemTo[p->rows.cut.elementStart[i + 1]];
  int       used = p->capacity, n = 0;

  for (int k = p->itemTo[p->rows.cut.elementStart[i]]; k < end; ++k) {
    const int       size = (p->items[k].n * p->rows.length) | 1, begins = used + size > p->capacity;
    PlexSharedPass *pass;

    n += begins;
    if (begins) used = 0;
    p->items[k].base = used;
    used += size;
    if (!p->passes) continue;
    pass = &p->passes[p->passTo[i] + n - 1];
    if (begins) pass->item = p->firstItem + k;
    ++pass->items;
    p->passOf[k] = p->passTo[i] + n - 1;
  }
  if (!p->passes) p->passTo[i] = n;
}

/* ---- Rows of passes ---- */

/* Item b */
PLEX_STEP(plex_shared_candidates, PlexSharedPlanArgs)
{
  p->candidateTo[i] = (p->passTo[i + 1] - p->passTo[i]) * (p->blockRow[i + 1] - p->blockRow[i]);
}

/* Pass and dof of a candidate */
PLEX_HOST_DEVICE int plex_shared_candidate(const PlexSharedPlanArgs *p, int k, int *dof)
{
  const int b = plex_list_of(p->rows.cut.nblocks, p->candidateTo, k), rows = p->blockRow[b + 1] - p->blockRow[b];

  *dof = p->blockDof[p->blockRow[b] + (k - p->candidateTo[b]) % rows];
  return p->passTo[b] + (k - p->candidateTo[b]) / rows;
}

/* Per candidate */
PLEX_STEP(plex_shared_mark, PlexSharedPlanArgs)
{
  int       dof;
  const int pass = plex_shared_candidate(p, (int)i, &dof);

  p->inPass[i] = plex_rows_around(&p->rows, pass, dof) > 0;
}

PLEX_STEP(plex_shared_rows, PlexSharedPlanArgs)
{
  int dof;

  (void)plex_shared_candidate(p, (int)i, &dof);
  if (p->inPass[i + 1] > p->inPass[i]) p->rowDof[p->inPass[i]] = dof;
}

/* Item in [0, passes] */
PLEX_STEP(plex_shared_pass_rows, PlexSharedPlanArgs)
{
  const int blocks = p->rows.cut.nblocks, b = i < p->passTo[blocks] ? plex_list_of(blocks, p->passTo, (int)i) : blocks;
  const int rows = b < blocks ? p->blockRow[b + 1] - p->blockRow[b] : 0;

  p->passRow[i] = p->inPass[p->candidateTo[b] + (b < blocks ? ((int)i - p->passTo[b]) * rows : 0)];
}

/* ---- Lists ---- */

/* Whether an element of an earlier pass adds to entry k of the row of dof l */
PLEX_HOST_DEVICE int plex_shared_seen(const PlexSharedPlanArgs *p, int pass, int l, int k)
{
  const PlexPlanBlocks *cut    = &p->rows.cut;
  const plex_int        column = cut->residual ? 0 : cut->j[cut->i[cut->row[l]] + k];
  const int             first  = p->passTo[plex_list_of(cut->nblocks, p->passTo, pass)];

  for (int a = cut->aroundStart[l], m = -1; a < cut->aroundStart[l + 1] && first < pass; ++a) {
    const int e    = cut->around[a];
    int       here = cut->residual;

    m = plex_rows_next(cut, l, a, m);
    for (int j = 0; j < cut->ef && !here; ++j) here = cut->column[cut->dofs[(plex_index)e * cut->ef + j]] == column;
    for (int q = first; q < pass && here; ++q)
      if (plex_rows_item(&p->rows, q, e, m) >= 0) return 1;
  }
  return 0;
}

/* Per list, in their order */
PLEX_STEP(plex_shared_lengths, PlexSharedPlanArgs)
{
  const int t = p->rows.listEntry[p->rows.order[i]], r = plex_list_of(p->rows.cut.rows, p->rows.rowAt, t);
  const int pass = plex_list_of(p->rows.groups, p->passRow, r);

  p->positionTo[i] = plex_rows_terms(&p->rows, p->rows.order[i]);
  p->fresh[i]      = !plex_shared_seen(p, pass, p->rowDof[r], t - p->rows.rowAt[r]);
}

PLEX_STEP(plex_shared_lists, PlexSharedPlanArgs)
{
  const int       t = p->rows.listEntry[p->rows.order[i]], r = plex_list_of(p->rows.cut.rows, p->rows.rowAt, t);
  const int       pass = plex_list_of(p->rows.groups, p->passRow, r), target = p->rows.ids[r] + t - p->rows.rowAt[r];
  PlexSharedList *list = &p->lists[i + pass]; /* each pass has one more, its end */

  list->target = p->fresh[i + 1] > p->fresh[i] ? target : -target - 1;
  list->start  = p->positionTo[i] - p->positionTo[p->rows.blockList[pass]];
  for (int s = 0; s < p->positionTo[i + 1] - p->positionTo[i]; ++s)
    p->positions[p->positionTo[i] + s] = p->rows.source[p->rows.number[t] + s];
}

/* Per row of a pass: its first list */
PLEX_STEP(plex_shared_row_lists, PlexSharedPlanArgs)
{
  const int pass = plex_list_of(p->rows.groups, p->passRow, (int)i);

  p->rowLists[i + pass] = p->rows.listTo[p->rows.rowAt[i]] - p->rows.blockList[pass];
}

/* Per pass */
PLEX_STEP(plex_shared_ends, PlexSharedPlanArgs)
{
  const int       first = p->rows.blockList[i], end = p->rows.blockList[i + 1];
  PlexSharedPass *pass = &p->passes[i];

  pass->positions = p->firstPosition + p->positionTo[first];
  pass->list      = p->firstList + first + (int)i;
  pass->lists     = end - first;
  pass->row       = p->firstRow + p->passRow[i] + (int)i;
  pass->rows      = p->passRow[i + 1] - p->passRow[i];

  p->lists[end + i].target = 0;
  p->lists[end + i].start  = p->positionTo[end] - p->positionTo[first];
  if (p->rowLists) p->rowLists[p->passRow[i + 1] + i] = end - first;
}

#endif
