/* The steps that make blocks of mesh nodes: blocks.h */
#include "blocks.h"

/* ---- The order of mesh nodes ---- */

/* Item of in[] */
PLEX_STEP(plex_blocks_count_in, PlexPlanBlocks)
{
  if (p->in[i] >= 0) (void)plex_count_up(&p->starts[p->in[i]]);
}

PLEX_STEP(plex_blocks_list_in, PlexPlanBlocks)
{
  const int list = p->in[i];

  if (list >= 0) p->lists[plex_count_up(&p->starts[list])] = (int)(i / p->each);
}

/* Item of a list: it is sorted, as it was filled in any order. An element that has a thing twice is there once more */
PLEX_STEP(plex_blocks_sort_lists, PlexPlanBlocks)
{
  for (int k = p->starts[i] + 1; k < p->starts[i + 1]; ++k) {
    const int item = p->lists[k];
    int       at   = k;

    for (; at > p->starts[i] && p->lists[at - 1] > item; --at) p->lists[at] = p->lists[at - 1];
    p->lists[at] = item;
  }
}

/* Item of in[], one more than there are, sums of whether a list begins there: where lists begin, the last one behind
   all */
PLEX_STEP(plex_blocks_begins, PlexPlanBlocks)
{
  if (i == p->each || p->in[i + 1] > p->in[i]) p->starts[p->in[i]] = (int)i;
}

/* Item l */
PLEX_STEP(plex_blocks_most_around, PlexPlanBlocks)
{
  plex_raise(p->mostAround, p->aroundStart[i + 1] - p->aroundStart[i]);
}

/* Position of a cell on a Hilbert curve: see src/util/curve.c */
PLEX_HOST_DEVICE plex_key plex_curve_key(int dim, int bits, unsigned X[3])
{
  plex_key key = 0;
  unsigned t   = 0;

  for (int b = bits - 1; b > 0; --b) {
    const unsigned low = (1u << b) - 1;

    for (int d = 0; d < dim; ++d) {
      if (X[d] >> b & 1) X[0] ^= low; /* reflect, or exchange with the first axis */
      else {
        const unsigned swap = (X[0] ^ X[d]) & low;

        X[0] ^= swap;
        X[d] ^= swap;
      }
    }
  }
  for (int d = 1; d < dim; ++d) X[d] ^= X[d - 1];
  for (int b = bits - 1; b > 0; --b)
    if (X[dim - 1] >> b & 1) t ^= (1u << b) - 1;
  for (int b = bits - 1; b >= 0; --b)
    for (int d = 0; d < dim; ++d) key = key << 1 | ((X[d] ^ t) >> b & 1);
  return key;
}

/* Item of a mesh node: it is in the mean of the elements around it, summed in their order */
PLEX_STEP(plex_blocks_curve, PlexPlanBlocks)
{
  double   x[3] = {0, 0, 0};
  unsigned X[3] = {0, 0, 0};
  int      l    = -1, n;

  for (int d = p->dofStart[i]; d < p->dofStart[i + 1] && l < 0; ++d)
    if (p->aroundStart[p->dofItems[d]] < p->aroundStart[p->dofItems[d] + 1]) l = p->dofItems[d];
  n = l < 0 ? 0 : p->aroundStart[l + 1] - p->aroundStart[l];
  for (int a = 0; a < n; ++a)
    for (int v = 0; v < p->Nv; ++v)
      for (int d = 0; d < p->cdim; ++d)
        x[d] += p->x[(plex_index)p->vertices[(plex_index)p->around[p->aroundStart[l] + a] * p->Nv + v] * p->cdim + d];
  for (int d = 0; d < p->cdim && n; ++d) X[d] = (unsigned)(int)((x[d] / n - p->low[d]) * p->scale);
  p->curve[i] = plex_curve_key(p->cdim, p->bits, X);
}

/* Item k */
PLEX_STEP(plex_blocks_rank, PlexPlanBlocks)
{
  const int n = p->node[i];

  p->rankOf[n] = (int)i;
  p->lead[i]   = -1;
  for (int d = p->dofStart[n]; d < p->dofStart[n + 1] && p->lead[i] < 0; ++d) {
    const int l = p->dofItems[d];

    if (plex_plan_row(p, l) >= 0 && p->aroundStart[l] < p->aroundStart[l + 1]) p->lead[i] = l;
  }
}

/* Item l */
PLEX_STEP(plex_blocks_rank_dofs, PlexPlanBlocks)
{
  p->rank[i] = p->rankOf[p->nodeOf[i]];
}

/* ---- Blocks ---- */

/* Item k: rows and entries of a rank */
PLEX_STEP(plex_blocks_count_rows, PlexPlanBlocks)
{
  const int n = p->node[i];

  p->rowsTo[i] = p->entriesTo[i] = 0;
  for (int d = p->dofStart[n]; d < p->dofStart[n + 1]; ++d) {
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

/* Item k - first: a block has at most so many elements, or a single mesh node */
PLEX_STEP(plex_blocks_cut, PlexPlanBlocks)
{
  const int s = p->first + (int)i;
  int       k = s + 1, n = plex_plan_more(p, s, s);

  while (k < p->last && (n += plex_plan_more(p, s, k)) <= p->most) ++k;
  p->next[i] = k;
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

  for (int d = p->dofStart[n]; d < p->dofStart[n + 1]; ++d) {
    const int l = p->dofItems[d];

    if (!plex_plan_length(p, l)) continue;
    p->keys[r]     = (plex_key)plex_plan_block(p, k) << 32 | (plex_key)plex_plan_row(p, l);
    p->rowDof[r++] = l;
  }
}

/* Item t - partElement */
PLEX_STEP(plex_blocks_thing_keys, PlexPlanBlocks)
{
  const int      t = p->partElement + (int)i;
  const plex_key b = (plex_key)plex_list_of(p->nblocks, p->elementStart, t);

  for (int m = 0; m < p->k; ++m)
    p->keys[i * p->k + m] = b << 32 | (plex_key)p->conn[(plex_index)p->element[t] * p->k + m];
}

/* Item of keys[] */
PLEX_STEP(plex_blocks_new_things, PlexPlanBlocks)
{
  p->thingsTo[i] = i == 0 || p->keys[i] != p->keys[i - 1];
}

/* Item b - partBlock, one more than there are */
PLEX_STEP(plex_blocks_thing_starts, PlexPlanBlocks)
{
  const int b = p->partBlock + (int)i;

  p->thingStart[b] = p->partThing + p->thingsTo[plex_lower_key(p->partKeys, p->keys, (plex_key)b << 32)];
}

/* Item of keys[] */
PLEX_STEP(plex_blocks_list_things, PlexPlanBlocks)
{
  const int begins = p->thingsTo[i + 1] > p->thingsTo[i], number = p->partThing + p->thingsTo[i] + begins - 1;

  if (begins) p->things[number] = (int)(p->keys[i] & 0xffffffffu);
  p->thing[(plex_index)p->partElement * p->k + p->order[i]] = number - p->thingStart[p->keys[i] >> 32];
}

/* Item of in[]: with what is before the batch */
PLEX_STEP(plex_blocks_shift, PlexPlanBlocks)
{
  p->lists[i] = p->in[i] + p->each;
}

/* ---- Positions ---- */

/* Item b */
PLEX_STEP(plex_blocks_round_up, PlexPlanBlocks)
{
  const int n = p->elementStart[i + 1] - p->elementStart[i];

  p->positionStart[i] = (n + p->interleave - 1) / p->interleave * p->interleave;
}

/* Item of a position */
PLEX_STEP(plex_blocks_pad, PlexPlanBlocks)
{
  const int K = p->Nv + p->ef;

  for (int m = 0; m < K; ++m) p->numbers[plex_plan_interleaved(p->interleave, i, K, m)] = 0xffff;
  p->at[i] = -1;
}

/* Item t: the numbers of things of an element */
PLEX_STEP(plex_blocks_connect, PlexPlanBlocks)
{
  const int b  = plex_list_of(p->nblocks, p->elementStart, (int)i);
  const int at = p->positionStart[b] + (int)i - p->elementStart[b], K = p->Nv + p->ef;

  for (int m = 0; m < p->k; ++m)
    p->numbers[plex_plan_interleaved(p->interleave, at, K, p->firstThing + m)] = (unsigned short)p->thing[i * p->k + m];
  p->at[at] = p->element[i];
  if (p->position) p->position[p->element[i]] = p->firstPosition + at;
}
