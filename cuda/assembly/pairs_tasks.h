/* Tasks of a block, pairs in warps, and where they lie: steps of pairs_plan.h */

/* Item p */
PLEX_STEP(plex_pairs_mark_pairs, PlexPairsPlan)
{
  p->pairTo[i] = p->kind[i] > 0;
}

PLEX_STEP(plex_pairs_mark_zeros, PlexPairsPlan)
{
  p->zeroTo[i] = !p->kind[i] && p->unwritten[i];
}

PLEX_PLAN int plex_pair_count(const PlexPairsPlan *p, int q)
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
  return (t->multiDof ? 32 : 64) >> split;
}

/* Item q: whether a segment begins, of a block, kind and split */
PLEX_STEP(plex_pairs_segments, PlexPairsPlan)
{
  p->segmentTo[i] = i == 0 || p->pairKeys[i] >> 6 != p->pairKeys[i - 1] >> 6 ||
                    plex_pair_split(p, (int)i) != plex_pair_split(p, (int)i - 1);
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
  const int      first = p->segmentTask[plex_pair_segment(p, b)], end = p->segmentTask[plex_pair_segment(p, b + 1)];
  PlexPairsBlock block = {0};

  block.nodes    = p->nodeStart[b + 1] - p->nodeStart[b];
  block.elements = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  block.tasks    = end - first + zeros;
  block.groups   = p->groupTo[end] - p->groupTo[first] + zeros;
  block.runs     = p->runStart[b + 1] - p->runStart[b];
  block.sums     = (p->entryStart[b + 1] - p->entryStart[b] + 1) / 2;
  block.lines    = (p->realBytes * block.nodes * p->cut.cdim + 15) / 16;
  for (int r = p->cut.rowStart[b]; t->rowSums && r < p->cut.rowStart[b + 1]; ++r) block.complete += p->diagonal[r] >= 0;
  block.heads      = plex_pair_heads(t, block.tasks, block.runs, 2 * block.sums, block.complete);
  p->blocks[b]     = block;
  p->blockTasks[b] = block.tasks;
}

/* Records of block b's k'th group, and lists */
PLEX_PLAN unsigned *plex_pair_records_of(const PlexPairsPlan *p, int b, int k)
{
  return p->records + 64 * (plex_index)(p->blocks[b].group - p->firstGroup + k);
}
PLEX_PLAN int *plex_pair_lists_of(const PlexPairsPlan *p, int b)
{
  return p->lists + 4 * (plex_index)(p->blocks[b].list - p->firstLine);
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
  const int b = (int)i, zeros = plex_pair_zero_tasks(p, b), first = p->blocks[b].groups - zeros;

  for (int z = 0; z < zeros; ++z) {
    unsigned *to = plex_pair_records_of(p, b, first + z);

    plex_pair_put_task(p, b, p->blocks[b].tasks - zeros + z, plex_pair_task(first + z, 0, 0, 0, 0));
    for (int m = 0; m < 64; ++m) to[m] = 0xffffffffu;
  }
}

/* Item p */
PLEX_STEP(plex_pairs_zeros, PlexPairsPlan)
{
  if (p->zeroTo[i + 1] > p->zeroTo[i]) {
    const int       b = plex_list_of(p->cut.nblocks, p->entryStart, (int)i), zeros = plex_pair_zero_tasks(p, b);
    const int       n  = p->zeroTo[i] - p->zeroTo[p->entryStart[b]];
    unsigned short *to = (unsigned short *)plex_pair_records_of(p, b, p->blocks[b].groups - zeros + n / 128);

    to[2 * (n % 64) + n / 64 % 2] = (unsigned short)((int)i - p->entryStart[b]);
  }
}

/* Item T, sorted */
PLEX_STEP(plex_pairs_list_tasks, PlexPairsPlan)
{
  const int b = (int)(p->taskKeys[i] >> 32);

  plex_pair_lists_of(p, b)[i - p->blockTasks[b]] = (int)~(unsigned)p->taskKeys[i];
}

/* Item b: the runs of rows, in which lines they begin, and rows whose sums are made zero */
PLEX_STEP(plex_pairs_list_offsets, PlexPairsPlan)
{
  const int       b = (int)i, first = p->entryStart[b], runs = p->runStart[b + 1] - p->runStart[b];
  const int       nlines = (p->entryStart[b + 1] - first + 63) / 64;
  int            *to     = plex_pair_lists_of(p, b) + (p->blocks[b].tasks + 3) / 4 * 4;
  PlexPairsLines *lines  = (PlexPairsLines *)(to + (runs + 3) / 4 * 4);
  PlexPairsRow   *sums   = (PlexPairsRow *)(lines + nlines);
  int             before = 0;

  for (int run = p->runStart[b]; run < p->runStart[b + 1]; ++run) {
    const int begin = p->runRow[run], end = p->runRow[run + 1];
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
    sums->place = (int)((unsigned)p->place[p->cut.rowDof[r]] | (unsigned)(p->lengthTo[r + 1] - p->lengthTo[r]) << 16);
    sums->diagonal = p->diagonal[r];
    ++sums;
  }
}
