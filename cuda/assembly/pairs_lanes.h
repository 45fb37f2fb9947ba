/*
  Steps of pairs_plan.h that assign elements and pairs to lanes, with few bank conflicts (plan/lanes.h).

  A lane that computes an element reads the coordinates of its vertices. A lane that sums a pair reads numbers of its
  elements. Their bank depends on the element alone, as PLEX_PAIRS_STRIDE is a multiple of the number of banks. The
  result is the same, but for rounding, whichever lane computes an element, from its vertices in any order, and
  whichever lane sums a pair, over its elements in any order.
*/
#include "../plan/lanes.h"

PLEX_HOST_DEVICE char *plex_pair_work(const PlexPairsPlan *p, int chunk)
{
  return p->work + p->workBytes * (size_t)(chunk - p->firstChunk);
}

/* ---- Elements ---- */

/* Element t at position `at` of its block, with its vertices in the order after[] */
PLEX_HOST_DEVICE void plex_pair_orient(const PlexPairsPlan *p, int b, int t, int at, const unsigned short after[])
{
  const int *before = &p->vertex[(plex_index)t * p->cut.Nv];
  int        code   = 0, vertex[8];

  for (int v = 0; v < p->cut.Nv; ++v) {
    int to = 0;

    while (after[to] != before[v]) ++to;
    code |= to << 2 * v;
    vertex[v] = after[v];
  }
  p->position[t]    = at;
  p->orientation[t] = p->tables->symmetry[code];
  plex_pair_connect(p, b, at, p->cut.element[t], p->tables->reflects[p->orientation[t]], vertex);
}

/* Item b */
PLEX_STEP(plex_pairs_element_chunks, PlexPairsPlan)
{
  p->chunkTo[i] = (p->cut.elementStart[i + 1] - p->cut.elementStart[i] + PLEX_PAIRS_CHUNK - 1) / PLEX_PAIRS_CHUNK;
}

/* Item of a chunk: orders elements of a block so that lanes read coordinates of vertices from different banks. x and y
   are one read */
PLEX_STEP(plex_pairs_arrange, PlexPairsPlan)
{
  const int     h = p->firstChunk + (int)i, b = plex_list_of(p->cut.nblocks, p->chunkTo, h);
  const int     before = PLEX_PAIRS_CHUNK * (h - p->chunkTo[b]), first = p->cut.elementStart[b] + before;
  const int     left = p->cut.elementStart[b + 1] - first, n = left < PLEX_PAIRS_CHUNK ? left : PLEX_PAIRS_CHUNK;
  const int     banks = PLEX_PAIRS_BANK_BYTES / 2 / p->realBytes, Nv = p->cut.Nv;
  PlexLaneLists lists = {p->arranged + first, p->banks + first, n, PLEX_LANE_TRIES, 1};
  PlexLanes     l;

  for (int e = 0; e < n; ++e) {
    lists.order[e] = first + e;
    lists.banks[e] = 0;
    for (int v = 0; v < Nv; ++v)
      lists.banks[e] |= (plex_key)1 << (p->vertex[(plex_index)(first + e) * Nv + v] & (banks - 1));
  }
  for (int from = 0; from < n; from += banks) {
    const int some      = banks < n - from ? banks : n - from;
    int       ndeferred = 0;

    plex_lanes_begin(plex_pair_work(p, h), banks, banks, Nv, &l);
    plex_lanes_begin_set(&l);
    for (int k = 0; k < some; ++k) {
      const int slot = plex_lanes_take(&l, 0, 1, from, k, &lists);

      for (int v = 0; v < Nv; ++v) plex_lanes_item(&l, slot, p->vertex[(plex_index)l.list[slot] * Nv + v], &ndeferred);
    }
    plex_add_key(&p->counted[PLEX_PAIRS_TRANSACTIONS + 1], (plex_key)plex_lanes_end_set(&l, ndeferred));
    plex_add_key(&p->counted[PLEX_PAIRS_READS + 1], (plex_key)Nv);
    for (int k = 0; k < some; ++k) plex_pair_orient(p, b, l.list[k], before + from + k, &l.item[k * Nv]);
  }
}

/* ---- Pairs ---- */

/* Banks that the items of pair q are read from, and that its sums are written to */
PLEX_HOST_DEVICE plex_key plex_pair_banks(const PlexPairsPlan *p, int q, int banks)
{
  const int at = p->pair[q], b = plex_list_of(p->cut.nblocks, p->entryStart, at);
  const int offset = p->tables->multiDof ? p->base[at] : at - p->entryStart[b];
  plex_key  bits   = (offset == PLEX_PAIR_NONE ? 0 : PLEX_LANE_WRITES(0, offset)) |
                     (p->transposed[at] == PLEX_PAIR_NONE ? 0 : PLEX_LANE_WRITES(1, p->transposed[at]));

  for (int k = p->itemStart[at]; k < p->itemStart[at + 1]; ++k) bits |= (plex_key)1 << (p->items[k] & (banks - 1));
  return bits;
}

/* Lists order[0] to order[n - 1] on consecutive slots; the items of a list on `lanes` of them in turn */
PLEX_HOST_DEVICE void plex_lanes_in_order(const PlexPairsPlan *p, PlexLanes *l, int lanes, int n, const int order[],
                                          int padding)
{
  for (int k = 0; k < n; ++k) {
    const int first = p->itemStart[order[k]], end = p->itemStart[order[k] + 1];

    for (int lane = 0; lane < lanes; ++lane) l->list[k * lanes + lane] = order[k];
    for (int m = first; m < end; ++m)
      l->item[(k * lanes + (m - first) % lanes) * l->steps + (m - first) / lanes] = p->items[m];
  }
  for (int k = 0; k < l->slots * l->steps; ++k)
    if (l->item[k] == PLEX_PAIR_NONE) l->item[k] = (unsigned short)padding;
}

/* A set of n lists, chosen among those from `from` on. Items from `padding` to end - 1 are zeros. Returns
   transactions */
PLEX_HOST_DEVICE int plex_lanes_set(const PlexPairsPlan *p, PlexLanes *l, int set, int lanes, int from, int n,
                                    const PlexLaneLists *lists, int padding, int end)
{
  int ndeferred = 0, transactions;

  plex_lanes_begin_set(l);
  for (int k = 0; k < n; ++k) {
    const int slot = plex_lanes_take(l, set, lanes, from, k, lists), at = l->list[slot];

    for (int m = p->itemStart[at]; m < p->itemStart[at + 1]; ++m)
      plex_lanes_item(l, slot + (m - p->itemStart[at]) % lanes, p->items[m], &ndeferred);
  }
  transactions = plex_lanes_end_set(l, ndeferred);
  if (padding < end) plex_lanes_pad(l, set, padding, end);
  return transactions;
}

/* Writes the records of a task: targets and items of its lanes */
PLEX_HOST_DEVICE void plex_pair_records(const PlexPairsPlan *p, int b, const PlexLanes *l, int lanes, unsigned *to)
{
  const PlexPairsTables *t    = p->tables;
  const int              some = plex_pair_record_items(t);

  for (int k = 0; k < l->slots; ++k) {
    const int at = l->list[k], writes = at >= 0 && k % lanes == 0;
    unsigned *record = to + k % 32 * 2 + k / 32;

    record[0] = writes
                ? (unsigned)(t->multiDof ? p->base[at] : at - p->entryStart[b]) | (unsigned)p->transposed[at] << 16
                : 0xffffffffu;
    if (t->multiDof) record[1] = writes ? p->layout[at] : 0;
    for (int s = 0; s < l->steps; ++s)
      record[64 * (1 + s / some) + s % some / 2] |= (unsigned)l->item[k * l->steps + s] << s % 2 * 16;
  }
}

/* Task T: n pairs, chosen among the `among` pairs from q on */
PLEX_HOST_DEVICE void plex_pair_fill_task(const PlexPairsPlan *p, int b, int h, int T, int q, int n, int among)
{
  const PlexPairsTables *t = p->tables;
  const int log2Lanes = plex_pair_log2_lanes(p, q), lanes = 1 << log2Lanes, words = plex_pair_words(p, q, log2Lanes);
  const int kind = p->kind[p->pair[q]] - 1, elements = p->cut.elementStart[b + 1] - p->cut.elementStart[b];
  const int record = p->recordTo[T] - p->recordTo[p->segmentTask[plex_pair_segment(p, b)]];
  const int slots  = t->multiDof ? 32 : 64,
            banks  = PLEX_PAIRS_BANK_BYTES / p->realBytes / (t->multiDof && !t->byPoints ? 2 : 1);
  const int sets = slots / banks, stride = PLEX_PAIRS_STRIDE(elements, p->realBytes);
  PlexLaneLists lists = {p->pair + q, p->banks + q, among, PLEX_LANE_TRIES, PLEX_LANE_CANDIDATES};
  PlexLanes     l;

  plex_lanes_begin(plex_pair_work(p, h), slots, banks, words * plex_pair_word_items(t), &l);
  if (!p->arranges) plex_lanes_in_order(p, &l, lanes, n, lists.order, elements);
  for (int set = 0, done = 0, end; set < sets && p->arranges; ++set, done = end) {
    end = done + (n - done + sets - set - 1) / (sets - set);
    plex_add_key(&p->counted[PLEX_PAIRS_TRANSACTIONS],
                 (plex_key)plex_lanes_set(p, &l, set, lanes, done, end - done, &lists, elements, stride));
    plex_add_key(&p->counted[PLEX_PAIRS_READS], (plex_key)l.steps);
  }
  plex_pair_put_task(p, b, T - p->segmentTask[plex_pair_segment(p, b)],
                     plex_pair_task(record, t->multiDof ? t->dofs[kind][1] : t->terms[kind],
                                    kind | ((t->dofs[kind][0] > 1 ? t->dofs[kind][0] : 1) - 1) << 5, log2Lanes, words));
  plex_pair_records(p, b, &l, lanes, plex_pair_record_of(p, b, record));
}

/* Item g */
PLEX_STEP(plex_pairs_task_chunks, PlexPairsPlan)
{
  p->chunkTo[i] = (p->segmentTask[i + 1] - p->segmentTask[i] + PLEX_PAIRS_TASKS - 1) / PLEX_PAIRS_TASKS;
}

/* Item of a chunk: its tasks */
PLEX_STEP(plex_pairs_tasks, PlexPairsPlan)
{
  const int h = p->firstChunk + (int)i, g = plex_list_of(p->segments, p->chunkTo, h);
  const int log2Lanes = plex_pair_log2_lanes(p, p->segmentPair[g]), room = plex_pair_room(p->tables, log2Lanes);
  const int chunk = h - p->chunkTo[g], first = p->segmentPair[g] + PLEX_PAIRS_TASKS * room * chunk;
  const int left    = p->segmentPair[g + 1] - first,
            end     = first + (left < PLEX_PAIRS_TASKS * room ? left : PLEX_PAIRS_TASKS * room);
  const int b       = (int)(p->pairKeys[first] >> 13);
  const int banks   = PLEX_PAIRS_BANK_BYTES / p->realBytes / (p->tables->multiDof && !p->tables->byPoints ? 2 : 1);
  plex_key  entries = 0;

  for (int q = first; q < end && p->arranges; ++q) p->banks[q] = plex_pair_banks(p, q, banks);
  for (int q = first; q < end && p->tables->byPoints; ++q) {
    const unsigned char *dofs = p->tables->dofs[p->kind[p->pair[q]] - 1];

    entries += (plex_key)(plex_pair_count(p, q) * dofs[0] * dofs[1]);
  }
  if (entries) plex_add_key(&p->counted[PLEX_PAIRS_ENTRIES], entries);
  for (int q = first, T = p->segmentTask[g] + PLEX_PAIRS_TASKS * chunk; q < end; q += room, ++T) {
    const int words = plex_pair_words(p, q, log2Lanes);
    int       among = end - q < room ? end - q : room;
    const int n     = among;

    /* a task has room for `room` pairs; it chooses among all that have as many words */
    while (q + among < end && plex_pair_words(p, q + among, log2Lanes) == words) ++among;
    plex_pair_fill_task(p, b, h, T, q, n, among);
  }
}
