/* The steps that make blocks of mesh nodes: plan_blocks.h */
#include "plan_blocks.h"

/* Item k: rows and entries of a rank */
PLEX_STEP(plex_blocks_count_rows, PlexPlanBlocks)
{
  const int n = p->node[i];

  p->rowsTo[i] = p->entriesTo[i] = 0;
  for (plex_int d = p->dofStart[n]; d < p->dofStart[n + 1]; ++d) {
    const int length = plex_plan_length(p, p->dofItems[d]);

    p->rowsTo[i] += length > 0;
    p->entriesTo[i] += length;
  }
}

/* Item k - first */
PLEX_STEP(plex_blocks_around, PlexPlanBlocks)
{
  p->aroundTo[i] = plex_plan_around(p, p->first + (int)i);
}

PLEX_STEP(plex_blocks_before, PlexPlanBlocks)
{
  const int k = p->first + (int)i, n = plex_plan_around(p, k);

  for (int a = 0; a < n; ++a) {
    const int *dofs = &p->dofs[(plex_index)p->around[p->aroundStart[p->lead[k]] + a] * p->ef];
    int        last = -1;

    for (int m = 0; m < p->ef; ++m) {
      const int rank = p->rank[dofs[m]];

      if (rank < k && rank > last && p->lead[rank] >= 0) last = rank;
    }
    p->before[p->aroundTo[i] + a] = last;
  }
}

/* Item k - first: which of the elements around a rank its block has not listed yet */
PLEX_STEP(plex_blocks_new_elements, PlexPlanBlocks)
{
  const int begins = p->blockFirst[plex_plan_block(p, p->first + (int)i)];

  for (int c = p->aroundTo[i]; c < p->aroundTo[i + 1]; ++c) p->number[c] = p->before[c] < begins;
}

PLEX_STEP(plex_blocks_list_elements, PlexPlanBlocks)
{
  const int lead = p->lead[p->first + (int)i];

  for (int c = p->aroundTo[i]; c < p->aroundTo[i + 1]; ++c)
    if (p->number[c + 1] > p->number[c])
      p->element[p->number[c]] = p->around[p->aroundStart[lead] + c - p->aroundTo[i]];
}

/* Item b, one more than there are */
PLEX_STEP(plex_blocks_starts, PlexPlanBlocks)
{
  p->elementStart[i] = p->number[p->aroundTo[p->blockFirst[i] - p->first]];
  p->rowStart[i]     = p->rowsTo[p->blockFirst[i]] - p->rowsTo[p->first];
}

/* Item k - first: a block's rows, to be sorted */
PLEX_STEP(plex_blocks_list_rows, PlexPlanBlocks)
{
  const int k = p->first + (int)i, n = p->node[k];
  int       r = p->rowsTo[k] - p->rowsTo[p->first];

  for (plex_int d = p->dofStart[n]; d < p->dofStart[n + 1]; ++d) {
    const int l = p->dofItems[d];

    if (!plex_plan_length(p, l)) continue;
    p->keys[r]     = (plex_key)plex_plan_block(p, k) << 32 | (plex_key)p->row[l];
    p->rowDof[r++] = l;
  }
}

/* Item t */
PLEX_STEP(plex_blocks_thing_keys, PlexPlanBlocks)
{
  const plex_key b = (plex_key)plex_list_of(p->nblocks, p->elementStart, (int)i);

  for (int m = 0; m < p->k; ++m)
    p->keys[i * p->k + m] = b << 32 | (plex_key)p->conn[(plex_index)p->element[i] * p->k + m];
}

/* Item of keys[] */
PLEX_STEP(plex_blocks_new_things, PlexPlanBlocks)
{
  p->thingsTo[i] = i == 0 || p->keys[i] != p->keys[i - 1];
}

/* Item b, one more than there are */
PLEX_STEP(plex_blocks_thing_starts, PlexPlanBlocks)
{
  p->thingStart[i] = p->thingsTo[plex_lower_key((plex_index)p->elements * p->k, p->keys, (plex_key)i << 32)];
}

/* Item of keys[] */
PLEX_STEP(plex_blocks_list_things, PlexPlanBlocks)
{
  const int begins = p->thingsTo[i + 1] > p->thingsTo[i], number = p->thingsTo[i] + begins - 1;

  if (begins) p->things[number] = (int)(p->keys[i] & 0xffffffffu);
  p->thing[p->order[i]] = number - p->thingStart[p->keys[i] >> 32];
}

/* ---- All steps, in the order in which they run */
#define PLEX_BLOCKS_STEPS(X) \
  X(plex_blocks_count_rows) \
  X(plex_blocks_around) \
  X(plex_blocks_before) \
  X(plex_blocks_new_elements) \
  X(plex_blocks_list_elements) \
  X(plex_blocks_starts) \
  X(plex_blocks_list_rows) \
  X(plex_blocks_thing_keys) \
  X(plex_blocks_new_things) \
  X(plex_blocks_thing_starts) \
  X(plex_blocks_list_things)
