/* Steps of pairs_plan.h that sort pairs into segments and tasks, and write the lists of a block */

/* Item p */
PLEX_STEP(plex_pairs_mark_pairs, PlexPairsPlan)
{
  p->pairTo[i] = p->kind[i] > 0;
}

PLEX_STEP(plex_pairs_mark_zeros, PlexPairsPlan)
{
  p->zeroTo[i] = !p->kind[i] && p->unwritten[i];
}

PLEX_HOST_DEVICE int plex_pair_count(const PlexPairsPlan *p, int q)
{
  return p->itemStart[p->pair[q] + 1] - p->itemStart[p->pair[q]];
}

/* Item q */
PLEX_STEP(plex_pairs_keys, PlexPairsPlan)
{
  const int at = p->pair[i], n = plex_pair_count(p, (int)i);

  p->pairKeys[i] = (plex_key)plex_list_of(p->cut.nblocks, p->entryStart, at) << 13 | (plex_key)(p->kind[at] - 1) << 6 |
                   (plex_key)(n < 63 ? 63 - n : 0);
}

/* A pair is shared out to 2^s lanes; returns s. A lane with many elements would delay its warp */
PLEX_HOST_DEVICE int plex_pair_log2_lanes(const PlexPairsPlan *p, int q)
{
  const int n = plex_pair_count(p, q);

  return n > 2 * PLEX_PAIR_MANY ? 2 : n > PLEX_PAIR_MANY ? 1 : 0;
}

/* Words of items of each lane, see PlexPairsArgs */
PLEX_HOST_DEVICE int plex_pair_words(const PlexPairsPlan *p, int q, int log2Lanes)
{
  const int items = plex_pair_word_items(p->tables) << log2Lanes;

  return (plex_pair_count(p, q) + items - 1) / items;
}

/* Pairs that a task has room for: one or two a lane */
PLEX_HOST_DEVICE int plex_pair_room(const PlexPairsTables *t, int log2Lanes)
{
  return (t->multiDof ? 32 : 64) >> log2Lanes;
}

/* Item q: 1 where a segment begins */
PLEX_STEP(plex_pairs_segments, PlexPairsPlan)
{
  p->segmentTo[i] = i == 0 || p->pairKeys[i] >> 6 != p->pairKeys[i - 1] >> 6 ||
                    plex_pair_log2_lanes(p, (int)i) != plex_pair_log2_lanes(p, (int)i - 1);
}

/* Item g */
PLEX_STEP(plex_pairs_segment_tasks, PlexPairsPlan)
{
  const int room = plex_pair_room(p->tables, plex_pair_log2_lanes(p, p->segmentPair[i]));

  p->segmentTask[i] = (p->segmentPair[i + 1] - p->segmentPair[i] + room - 1) / room;
}

/* Records of a task: one of targets, the others of items */
PLEX_HOST_DEVICE int plex_pair_task_records(const PlexPairsTables *t, int words)
{
  return 1 + (words * plex_pair_word_items(t) + plex_pair_record_items(t) - 1) / plex_pair_record_items(t);
}

/* Item T, without tasks that write zeros */
PLEX_STEP(plex_pairs_task_records, PlexPairsPlan)
{
  const int g         = plex_list_of(p->segments, p->segmentTask, (int)i),
            log2Lanes = plex_pair_log2_lanes(p, p->segmentPair[g]);
  const int q         = p->segmentPair[g] + ((int)i - p->segmentTask[g]) * plex_pair_room(p->tables, log2Lanes);

  p->recordTo[i] = plex_pair_task_records(p->tables, plex_pair_words(p, q, log2Lanes));
}

/* The first segment of block b */
PLEX_HOST_DEVICE int plex_pair_segment(const PlexPairsPlan *p, int b)
{
  return p->segmentTo[plex_lower_key(p->pairs, p->pairKeys, (plex_key)b << 13)];
}

/* Tasks that write zeros to the entries that no pair writes, four a lane */
PLEX_HOST_DEVICE int plex_pair_zero_tasks(const PlexPairsPlan *p, int b)
{
  return (p->zeroTo[p->entryStart[b + 1]] - p->zeroTo[p->entryStart[b]] + 127) / 128;
}

/* Item b: sizes of a block */
PLEX_STEP(plex_pairs_sizes, PlexPairsPlan)
{
  const PlexPairsTables *t = p->tables;
  const int              b = (int)i, zeros = plex_pair_zero_tasks(p, b);
  const int      first = p->segmentTask[plex_pair_segment(p, b)], end = p->segmentTask[plex_pair_segment(p, b + 1)];
  PlexPairsBlock block = {0};

  block.nodes           = p->nodeStart[b + 1] - p->nodeStart[b];
  block.elements        = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  block.tasks           = end - first + zeros;
  block.records         = p->recordTo[end] - p->recordTo[first] + zeros;
  block.spans           = p->spanStart[b + 1] - p->spanStart[b];
  block.sums            = (p->entryStart[b + 1] - p->entryStart[b] + 1) / 2;
  block.coordinateQuads = (p->realBytes * block.nodes * p->cut.cdim + 15) / 16;
  for (int r = p->cut.rowStart[b]; t->zeroRowSums && r < p->cut.rowStart[b + 1]; ++r)
    block.zeroSumRows += p->diagonal[r] >= 0;
  block.listQuads  = plex_pair_list_quads(t, block.tasks, block.spans, 2 * block.sums, block.zeroSumRows);
  p->blocks[b]     = block;
  p->blockTasks[b] = block.tasks;
}

/* Record k of block b, and its lists */
PLEX_HOST_DEVICE unsigned *plex_pair_record_of(const PlexPairsPlan *p, int b, int k)
{
  return p->records + 64 * (plex_index)(p->blocks[b].record - p->firstRecord + k);
}
PLEX_HOST_DEVICE int *plex_pair_lists_of(const PlexPairsPlan *p, int b)
{
  return p->lists + 4 * (plex_index)(p->blocks[b].list - p->firstQuad);
}

PLEX_HOST_DEVICE unsigned plex_pair_task(int record, int terms, int kind, int log2Lanes, int words)
{
  return (unsigned)record | (unsigned)terms << 13 | (unsigned)kind << 16 | (unsigned)log2Lanes << 23 |
         (unsigned)words << 25;
}

/* Sorted, the tasks with most words come first in a block, as its warps take tasks in this order */
PLEX_HOST_DEVICE void plex_pair_put_task(const PlexPairsPlan *p, int b, int T, unsigned task)
{
  p->taskKeys[p->blockTasks[b] + T] = (plex_key)b << 32 | (plex_key)~task;
}

#include "pairs_lanes.h"

/* Item b: its tasks that write zeros, without targets */
PLEX_STEP(plex_pairs_zero_tasks, PlexPairsPlan)
{
  const int b = (int)i, zeros = plex_pair_zero_tasks(p, b), first = p->blocks[b].records - zeros;

  for (int z = 0; z < zeros; ++z) {
    unsigned *to = plex_pair_record_of(p, b, first + z);

    plex_pair_put_task(p, b, p->blocks[b].tasks - zeros + z, plex_pair_task(first + z, 0, 0, 0, 0));
    for (int m = 0; m < 64; ++m) to[m] = 0xffffffffu;
  }
}

/* Item p: the target of a zero */
PLEX_STEP(plex_pairs_zeros, PlexPairsPlan)
{
  if (p->zeroTo[i + 1] > p->zeroTo[i]) {
    const int       b = plex_list_of(p->cut.nblocks, p->entryStart, (int)i), zeros = plex_pair_zero_tasks(p, b);
    const int       n  = p->zeroTo[i] - p->zeroTo[p->entryStart[b]];
    unsigned short *to = (unsigned short *)plex_pair_record_of(p, b, p->blocks[b].records - zeros + n / 128);

    to[2 * (n % 64) + n / 64 % 2] = (unsigned short)((int)i - p->entryStart[b]);
  }
}

/* Item T, sorted */
PLEX_STEP(plex_pairs_list_tasks, PlexPairsPlan)
{
  const int b = (int)(p->taskKeys[i] >> 32);

  plex_pair_lists_of(p, b)[i - p->blockTasks[b]] = (int)~(unsigned)p->taskKeys[i];
}

/* Item b: slots of its spans, PlexPairsWrites, and PlexPairsRow */
PLEX_STEP(plex_pairs_list_offsets, PlexPairsPlan)
{
  const int        b = (int)i, first = p->entryStart[b], spans = p->spanStart[b + 1] - p->spanStart[b];
  const int        nwrites = (p->entryStart[b + 1] - first + 63) / 64;
  int             *to      = plex_pair_lists_of(p, b) + (p->blocks[b].tasks + 3) / 4 * 4;
  PlexPairsWrites *writes  = (PlexPairsWrites *)(to + (spans + 3) / 4 * 4);
  PlexPairsRow    *sums    = (PlexPairsRow *)(writes + nwrites);
  int              before  = 0;

  for (int span = p->spanStart[b]; span < p->spanStart[b + 1]; ++span) {
    const int begin = p->spanRow[span], end = p->spanRow[span + 1];
    const int row = p->cut.row[p->cut.rowDof[begin]], offset = p->rowOffset[p->cut.rowDof[begin]];
    const int last = offset + p->lengthTo[end] - p->lengthTo[begin] - 1;

    *to++ = (int)(p->cut.i[row] - offset);
    writes[offset / 64].begins |= 1u << offset / 2 % 32;
    if (offset % 2) writes[offset / 64].second |= 1u << offset / 2 % 32;
    if (last % 2 == 0) writes[last / 64].first |= 1u << last / 2 % 32;
  }
  for (int k = 0; k < nwrites; ++k) {
    writes[k].before = before;
    before += plex_bits_set(writes[k].begins);
  }
  for (int r = p->cut.rowStart[b]; p->tables->zeroRowSums && r < p->cut.rowStart[b + 1]; ++r) {
    if (p->diagonal[r] < 0) continue;
    sums->entries  = (int)((unsigned)p->rowOffset[p->cut.rowDof[r]] | (unsigned)(p->lengthTo[r + 1] - p->lengthTo[r])
                                                                        << 16);
    sums->diagonal = p->diagonal[r];
    ++sums;
  }
}
