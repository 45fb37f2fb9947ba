/*
  Lanes (pairs_plan.h, plan/lanes.h): an element reads the coordinates of its vertices, a pair the numbers of its
  elements, which lie in whole lines of elements (PLEX_PAIRS_STRIDE), so that the bank is that of the element, whichever
  of its numbers is read. Which lane computes which element, from its vertices in which order, which one sums which pair
  of a task, and in which order it takes the elements: all that is free.
*/
#include "../plan/lanes.h"

PLEX_PLAN char *plex_pair_work(const PlexPairsPlan *p, int chunk)
{
  return p->lanes + p->laneBytes * (size_t)(chunk - p->offset);
}

/* ---- Elements, whose vertices' coordinates are read ---- */

/* The vertices of an element, as they come, in the order in which they are read: its turn */
PLEX_PLAN void plex_pair_turn(const PlexPairsPlan *p, int b, int t, int at, const unsigned short after[])
{
  const int *before = &p->vertex[(plex_index)t * p->cut.Nv];
  int        turn   = 0, vertex[8];

  for (int v = 0; v < p->cut.Nv; ++v) {
    int to = 0;

    while (after[to] != before[v]) ++to;
    turn |= to << 2 * v;
    vertex[v] = after[v];
  }
  p->at[t]   = at;
  p->turn[t] = p->tables->symmetry[turn];
  plex_pair_connect(p, b, at, p->cut.element[t], p->tables->reflects[p->turn[t]], vertex);
}

/* Item b */
PLEX_STEP(plex_pairs_element_chunks, PlexPairsPlan)
{
  p->chunkTo[i] = (p->cut.elementStart[i + 1] - p->cut.elementStart[i] + PLEX_PAIRS_CHUNK - 1) / PLEX_PAIRS_CHUNK;
}

/* Item of a chunk: elements of a block in an order in which lanes read their vertices' coordinates from many banks; x
   and y are read in one */
PLEX_STEP(plex_pairs_arrange, PlexPairsPlan)
{
  const int     h = p->offset + (int)i, b = plex_list_of(p->cut.nblocks, p->chunkTo, h);
  const int     before = PLEX_PAIRS_CHUNK * (h - p->chunkTo[b]), first = p->cut.elementStart[b] + before;
  const int     left = p->cut.elementStart[b + 1] - first, n = left < PLEX_PAIRS_CHUNK ? left : PLEX_PAIRS_CHUNK;
  const int     banks = PLEX_PAIRS_LINE / 2 / p->realBytes, Nv = p->cut.Nv;
  PlexLaneLists lists = {p->arranged + first, p->banks + first, n, PLEX_LANE_TRIES, 1};
  PlexLanes     l;

  for (int e = 0; e < n; ++e) {
    lists.order[e] = first + e;
    lists.banks[e] = 0;
    for (int v = 0; v < Nv; ++v)
      lists.banks[e] |= (plex_key)1 << (p->vertex[(plex_index)(first + e) * Nv + v] & (banks - 1));
  }
  for (int from = 0; from < n; from += banks) {
    const int some  = banks < n - from ? banks : n - from;
    int       nlate = 0;

    plex_lanes_begin(plex_pair_work(p, h), banks, banks, Nv, &l);
    plex_lanes_begin_set(&l);
    for (int k = 0; k < some; ++k) {
      const int slot = plex_lanes_take(&l, 0, 1, from, k, &lists);

      for (int v = 0; v < Nv; ++v) plex_lanes_item(&l, slot, p->vertex[(plex_index)l.list[slot] * Nv + v], &nlate);
    }
    plex_add_key(&p->counted[PLEX_PAIRS_TURNS + 1], (plex_key)plex_lanes_end_set(&l, nlate));
    plex_add_key(&p->counted[PLEX_PAIRS_READS + 1], (plex_key)Nv);
    for (int k = 0; k < some; ++k) plex_pair_turn(p, b, l.list[k], before + from + k, &l.item[k * Nv]);
  }
}

/* ---- Pairs, whose elements' numbers are read ---- */

/* Banks that the items of pair q read, and its sums write */
PLEX_PLAN plex_key plex_pair_banks(const PlexPairsPlan *p, int q, int banks)
{
  const int at = p->pair[q], b = plex_list_of(p->cut.nblocks, p->entryStart, at);
  const int place = p->tables->multiDof ? p->base[at] : at - p->entryStart[b];
  plex_key  bits  = (place == PLEX_PAIR_NONE ? 0 : PLEX_LANE_WRITES(0, place)) |
                    (p->other[at] == PLEX_PAIR_NONE ? 0 : PLEX_LANE_WRITES(1, p->other[at]));

  for (int k = p->itemStart[at]; k < p->itemStart[at + 1]; ++k) bits |= (plex_key)1 << (p->items[k] & (banks - 1));
  return bits;
}

/* The first n of the lists that are left, as they come, each one's items on so many slots one behind the other */
PLEX_PLAN void plex_lanes_in_order(const PlexPairsPlan *p, PlexLanes *l, int parts, int n, const int order[],
                                   int nothing)
{
  for (int k = 0; k < n; ++k) {
    const int first = p->itemStart[order[k]], end = p->itemStart[order[k] + 1];

    for (int part = 0; part < parts; ++part) l->list[k * parts + part] = order[k];
    for (int m = first; m < end; ++m)
      l->item[(k * parts + (m - first) % parts) * l->steps + (m - first) / parts] = p->items[m];
  }
  for (int k = 0; k < l->slots * l->steps; ++k)
    if (l->item[k] == PLEX_PAIR_NONE) l->item[k] = (unsigned short)nothing;
}

/* ... a set of n lists from `from` on, chosen among those that are left */
PLEX_PLAN int plex_lanes_set(const PlexPairsPlan *p, PlexLanes *l, int set, int parts, int from, int n,
                             const PlexLaneLists *lists, int nothing, int end)
{
  int nlate = 0, turns;

  plex_lanes_begin_set(l);
  for (int k = 0; k < n; ++k) {
    const int slot = plex_lanes_take(l, set, parts, from, k, lists), at = l->list[slot];

    for (int m = p->itemStart[at]; m < p->itemStart[at + 1]; ++m)
      plex_lanes_item(l, slot + (m - p->itemStart[at]) % parts, p->items[m], &nlate);
  }
  turns = plex_lanes_end_set(l, nlate);
  if (nothing < end) plex_lanes_fill_up(l, set, nothing, end);
  return turns;
}

/* The records of a task: targets and items of its lanes */
PLEX_PLAN void plex_pair_records(const PlexPairsPlan *p, int b, const PlexLanes *l, int parts, unsigned *to)
{
  const PlexPairsTables *t    = p->tables;
  const int              some = plex_pair_group(t);

  for (int k = 0; k < l->slots; ++k) {
    const int at = l->list[k], writes = at >= 0 && k % parts == 0;
    unsigned *record = to + k % 32 * 2 + k / 32;

    record[0] = writes ? (unsigned)(t->multiDof ? p->base[at] : at - p->entryStart[b]) | (unsigned)p->other[at] << 16
                       : 0xffffffffu;
    if (t->multiDof) record[1] = writes ? p->layout[at] : 0;
    for (int s = 0; s < l->steps; ++s)
      record[64 * (1 + s / some) + s % some / 2] |= (unsigned)l->item[k * l->steps + s] << s % 2 * 16;
  }
}

/* A task of the pairs from q on, of which n get lanes, chosen among so many; T: its number in the block */
PLEX_PLAN void plex_pair_fill_task(const PlexPairsPlan *p, int b, int h, int T, int q, int n, int among)
{
  const PlexPairsTables *t     = p->tables;
  const int              split = plex_pair_split(p, q), parts = 1 << split, words = plex_pair_words(p, q, split);
  const int              kind = p->kind[p->pair[q]] - 1, elements = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  const int              group = p->groupTo[T] - p->groupTo[p->segmentTask[plex_pair_segment(p, b)]];
  const int              slots = t->multiDof ? 32 : 64,
                         banks = PLEX_PAIRS_LINE / p->realBytes / (t->multiDof && !t->byPoints ? 2 : 1);
  const int              sets = slots / banks, stride = PLEX_PAIRS_STRIDE(elements, p->realBytes);
  PlexLaneLists          lists = {p->pair + q, p->banks + q, among, PLEX_LANE_TRIES, PLEX_LANE_MORE};
  PlexLanes              l;

  plex_lanes_begin(plex_pair_work(p, h), slots, banks, words * plex_pair_word(t), &l);
  if (!p->arranges) plex_lanes_in_order(p, &l, parts, n, lists.order, elements);
  for (int set = 0, done = 0, end; set < sets && p->arranges; ++set, done = end) {
    end = done + (n - done + sets - set - 1) / (sets - set);
    plex_add_key(&p->counted[PLEX_PAIRS_TURNS],
                 (plex_key)plex_lanes_set(p, &l, set, parts, done, end - done, &lists, elements, stride));
    plex_add_key(&p->counted[PLEX_PAIRS_READS], (plex_key)l.steps);
  }
  plex_pair_put_task(p, b, T - p->segmentTask[plex_pair_segment(p, b)],
                     plex_pair_task(group, t->multiDof ? t->dofs[kind][1] : t->terms[kind],
                                    kind | ((t->dofs[kind][0] > 1 ? t->dofs[kind][0] : 1) - 1) << 5, split, words));
  plex_pair_records(p, b, &l, parts, plex_pair_records_of(p, b, group));
}

/* Item g */
PLEX_STEP(plex_pairs_task_chunks, PlexPairsPlan)
{
  p->chunkTo[i] = (p->segmentTask[i + 1] - p->segmentTask[i] + PLEX_PAIRS_TASKS - 1) / PLEX_PAIRS_TASKS;
}

/* Item of a chunk: tasks of as many pairs as there are lanes for, one or two a lane */
PLEX_STEP(plex_pairs_tasks, PlexPairsPlan)
{
  const int h = p->offset + (int)i, g = plex_list_of(p->segments, p->chunkTo, h);
  const int split = plex_pair_split(p, p->segmentPair[g]), room = plex_pair_room(p->tables, split);
  const int chunk = h - p->chunkTo[g], first = p->segmentPair[g] + PLEX_PAIRS_TASKS * room * chunk;
  const int left    = p->segmentPair[g + 1] - first,
            end     = first + (left < PLEX_PAIRS_TASKS * room ? left : PLEX_PAIRS_TASKS * room);
  const int b       = (int)(p->pairKeys[first] >> 13);
  const int banks   = PLEX_PAIRS_LINE / p->realBytes / (p->tables->multiDof && !p->tables->byPoints ? 2 : 1);
  plex_key  entries = 0;

  for (int q = first; q < end && p->arranges; ++q) p->banks[q] = plex_pair_banks(p, q, banks);
  for (int q = first; q < end && p->tables->byPoints; ++q) {
    const unsigned char *dofs = p->tables->dofs[p->kind[p->pair[q]] - 1];

    entries += (plex_key)(plex_pair_count(p, q) * dofs[0] * dofs[1]);
  }
  if (entries) plex_add_key(&p->counted[PLEX_PAIRS_ENTRIES], entries);
  for (int q = first, T = p->segmentTask[g] + PLEX_PAIRS_TASKS * chunk; q < end; q += room, ++T) {
    const int words = plex_pair_words(p, q, split);
    int       among = end - q < room ? end - q : room;
    const int n     = among;

    /* all that have as many words, or as many as there is room for */
    while (q + among < end && plex_pair_words(p, q + among, split) == words) ++among;
    plex_pair_fill_task(p, b, h, T, q, n, among);
  }
}
