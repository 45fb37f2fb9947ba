/* The steps that list what rows and targets sum: rows.h */
#include "rows.h"

/* ---- Rows of a pass ---- */

/* Item l: whether an element of the pass adds to its row; rows of earlier passes come last */
PLEX_STEP(plex_rows_mark, PlexPlanRows)
{
  p->in[i] = plex_plan_length(&p->cut, (int)i) > 0 && plex_rows_around(p, 0, (int)i) > 0;
}

PLEX_STEP(plex_rows_list, PlexPlanRows)
{
  const PlexPlanBlocks *cut = &p->cut;
  const int             r   = p->in[i];
  int                   key = p->run ? 0 : plex_plan_row(cut, (int)i);

  if (p->in[i + 1] == r) return;
  for (int a = cut->aroundStart[i]; a < cut->aroundStart[i + 1] && p->run; ++a) {
    const int item = plex_rows_item(p, 0, cut->around[a], 0);

    if (item / cut->ef > key) key = item / cut->ef;
  }
  p->rowKeys[r] = (plex_key)p->seen[i] << 32 | (plex_key)(p->run ? p->positions - key : key);
  p->rowDofs[r] = (int)i;
}

/* Item r of all: of some rows those with the most elements first, so that neighbouring threads have as many */
PLEX_STEP(plex_rows_run_keys, PlexPlanRows)
{
  const int l = p->rowDofs[i], n = plex_rows_around(p, 0, l);

  p->rowKeys[i] = ((plex_key)p->seen[l] << 31 | (plex_key)(i / p->run)) << 12 | (plex_key)(n < 4095 ? 4095 - n : 0);
}

PLEX_STEP(plex_rows_see, PlexPlanRows)
{
  p->seen[p->rowDofs[i]] = 1;
}

/* ---- Rows ---- */

/* Item r */
PLEX_STEP(plex_rows_count, PlexPlanRows)
{
  p->start[i] = plex_rows_around(p, plex_list_of(p->groups, p->groupRow, (int)i), p->cut.rowDof[i]);
}

/* Item r */
PLEX_STEP(plex_rows_fill, PlexPlanRows)
{
  const PlexPlanBlocks *cut = &p->cut;
  const int             l = cut->rowDof[i], g = plex_list_of(p->groups, p->groupRow, (int)i);
  int                   end = p->start[i];

  for (int a = cut->aroundStart[l], m = -1; a < cut->aroundStart[l + 1]; ++a) {
    const int e    = cut->around[a];
    const int item = plex_rows_item(p, g, e, m = plex_rows_next(cut, l, a, m));
    int       c    = end;

    if (item < 0) continue;
    for (; c > p->start[i] && p->items[c - 1] > item; --c) {
      p->items[c] = p->items[c - 1];
      p->of[c]    = p->of[c - 1];
    }
    p->items[c] = item;
    p->of[c]    = e;
    ++end;
  }
}

/* Item r */
PLEX_STEP(plex_rows_place, PlexPlanRows)
{
  const PlexPlanBlocks *cut = &p->cut;
  const int             l = cut->rowDof[i], n = plex_plan_length(cut, l);
  const plex_int       *columns = cut->residual ? 0 : &cut->j[cut->i[cut->row[l]]];

  p->ids[i]     = plex_plan_target(cut, l);
  p->lengths[i] = n;
  for (int c = p->start[i]; c < p->start[i + 1]; ++c) {
    const int      *dofs  = &cut->dofs[(plex_index)p->of[c] * cut->ef];
    unsigned short *place = &p->place[(plex_index)c * p->length];

    for (int j = 0, last = 0; j < p->length; ++j) {
      const plex_int column = cut->residual ? 0 : cut->column[dofs[j]];
      const int      found  = cut->residual || column < 0         ? (int)column
                            : last < n && columns[last] == column ? last
                                                                  : plex_find_column(n, columns, column);

      if (found < 0 && column >= 0) *p->error = p->of[c] + 1;
      place[j] = (unsigned short)found;
      last     = found + 1;
    }
  }
}

/* ---- Targets and their lists ---- */

/* Item r */
PLEX_STEP(plex_rows_lengths, PlexPlanRows)
{
  p->rowAt[i] = p->perBlock ? p->ids[i] : p->lengths[i];
}

PLEX_STEP(plex_rows_count_terms, PlexPlanRows)
{
  for (int c = p->start[i]; c < p->start[i + 1]; ++c) {
    for (int j = 0; j < p->length; ++j) {
      const int t = plex_rows_entry(p, (int)i, c, j);

      if (t >= 0) ++p->number[t + 1];
    }
  }
}

/* Each end of the lists before moves to the next one */
PLEX_STEP(plex_rows_fill_terms, PlexPlanRows)
{
  for (int c = p->start[i]; c < p->start[i + 1]; ++c) {
    for (int j = 0; j < p->length; ++j) {
      const int t = plex_rows_entry(p, (int)i, c, j);

      if (t >= 0) p->source[p->number[t + 1]++] = plex_rows_source(p, c, j);
    }
  }
}

/* Item t */
PLEX_STEP(plex_rows_mark_lists, PlexPlanRows)
{
  p->listTo[i] = p->number[i + 1] > p->number[i];
  plex_raise(p->most, p->number[i + 1] - p->number[i]);
}

PLEX_STEP(plex_rows_list_lists, PlexPlanRows)
{
  if (p->listTo[i + 1] > p->listTo[i]) p->listEntry[p->listTo[i]] = (int)i;
}

/* Item l */
PLEX_STEP(plex_rows_targets, PlexPlanRows)
{
  const int t = p->listEntry[i], r = plex_list_of(p->cut.rows, p->rowAt, t);

  p->targets[i] = p->ids[r] + t - p->rowAt[r];
  if (p->halves) p->mirrors[i] = p->transposed[t];
}

/* ---- Packed lists ---- */

/* Item l */
PLEX_STEP(plex_rows_list_keys, PlexPlanRows)
{
  int bits = 1;

  while (p->longest >> bits) ++bits;
  p->keys[i] = (plex_key)plex_rows_block(p, (int)i) << bits;
  if (!p->inOrder) p->keys[i] |= (plex_key)(p->longest - plex_rows_terms(p, (int)i));
}

/* Item b, one more than there are */
PLEX_STEP(plex_rows_block_lists, PlexPlanRows)
{
  const int t = p->perBlock ? (int)i * p->perBlock : p->rowAt[p->groupRow[i]];

  p->blockList[i] = p->listTo[t < p->entries ? t : p->entries];
}

/* Item b: which thread has a list, behind how many terms and marks of others */
PLEX_STEP(plex_rows_pack, PlexPlanRows)
{
  const int loads = p->longest + 3; /* that differ at a time */
  int      *next = &p->queues[i * (p->threads + 2 * loads)], *head = next + p->threads, *tail = head + loads;
  int       load = 0, rows = 0;

  for (int k = 0; k < p->threads; ++k) next[k] = k + 1 < p->threads ? k + 1 : -1;
  for (int k = 0; k < loads; ++k) head[k] = -1;
  head[0] = 0;
  tail[0] = p->threads - 1;
  for (int o = p->blockList[i]; o < p->blockList[i + 1]; ++o) {
    const int l = p->order[o];
    int       after, thread;

    while (head[load % loads] < 0) ++load;
    thread             = head[load % loads];
    head[load % loads] = next[thread];
    next[thread]       = -1;
    p->thread[l]       = thread;
    p->load[l]         = load;
    after              = load + plex_rows_terms(p, l) + 1;
    if (head[after % loads] < 0) head[after % loads] = thread;
    else next[tail[after % loads]] = thread;
    tail[after % loads] = thread;
    rows                = rows > after ? rows : after;
  }
  p->packTo[i] = rows;
}

/* Item l: sources + 1, and the end mark - target - 1, which is that in the block */
PLEX_STEP(plex_rows_packed, PlexPlanRows)
{
  const int t = p->listEntry[i], b = plex_rows_block(p, (int)i);
  int      *to = &p->packed[(plex_index)(p->packTo[b] + p->load[i]) * p->threads + p->thread[i]];

  for (int s = p->number[t]; s < p->number[t + 1]; ++s, to += p->threads) *to = p->source[s] + 1;
  *to = -(p->perBlock ? t % p->perBlock : (int)i - p->blockList[b]) - 1;
}
