/*
  Lanes (pairs_plan.h). Shared memory lies in banks, lines of 128 bytes across them: lanes that read at once, as many as
  there are numbers in a line, wait for each other where two of them read different numbers of one bank. An element reads
  the coordinates of its vertices, a pair the numbers of its elements, which lie in whole lines of elements
  (PLEX_PAIRS_STRIDE), so that the bank is that of the element, whichever of its numbers is read. Which lane computes
  which element, from its vertices in which order, which one sums which pair of a task, and in which order it takes the
  elements: all that is free.

  Here it is a list of items that a lane reads, one in each of some steps. Lanes that read at once, a set, get lists
  that have no bank more often than there are steps, as far as there are such lists. Then there is an order in which no
  two of them read a bank in the same step: lanes and banks are the vertices of a bipartite graph, items its edges,
  steps their colours, and as many colours as a vertex has edges at most are enough (König): an edge takes a colour that
  neither end has, or one that its lane has not, when colours have been changed along a path.
*/
#define PLEX_PAIR_TRIES 256 /* lists of which one is chosen for a lane, */
#define PLEX_PAIR_MORE  48  /* from the first on whose banks have steps left, */
#define PLEX_PAIR_FEW   32  /* or of which the least bad is chosen where none fits */

/* Lists of items that lanes read: pairs and their elements, elements and their vertices */
typedef struct {
  int      *order; /* [n] lists, of which the next ones are chosen, and put before the others */
  plex_key *banks; /* [n] of the items of each, as bits, and of the sums that are written, PLEX_PAIR_WRITES() */
  int       n, tries, more;
} PlexPairLists;

/* A place to which a list's sum is written, of two: 16 sums make a line of banks */
#define PLEX_PAIR_WRITES(target, place) ((plex_key)1 << (32 + 16 * (target) + ((place) & 15)))

/* A slot is a lane, or of two pairs of a lane one: slot k that of lane k % 32. As many as there are banks are a set,
   and read at once */
typedef struct {
  int             slots, banks, steps;
  plex_key        written[4]; /* PLEX_PAIR_WRITES() of 16 slots */
  int             list[64];   /* [slots] or -1 */
  unsigned short *item;       /* [slots][steps] or PLEX_PAIR_NONE */

  /* of the set that is filled */
  plex_key        full;      /* banks of as many items as there are steps, as bits */
  unsigned short  total[32]; /* [banks] items */
  signed char    *reader;    /* [banks][steps] slot, or -1 */
  unsigned char  *late;      /* [banks][steps] others that read it */
  unsigned char  *latest;    /* [steps] the most of them */
  unsigned short *lateItem;  /* items whose bank is read in all steps, */
  unsigned char  *lateSlot;  /* and whose they are */
} PlexPairLanes;

/* Bytes of work of lanes, of so many steps at most */
#define PLEX_PAIR_LANE_BYTES(steps) (((size_t)(2 * 64 + 2 * 64 + 32 + 32 + 1 + 64) * (size_t)(steps) + 15) / 16 * 16)

PLEX_PLAN void plex_lanes_begin(const PlexPairsPlan *p, int thread, int slots, int banks, int steps, PlexPairLanes *l)
{
  char *work = p->lanes + p->laneBytes * (size_t)thread;

  l->slots    = slots;
  l->banks    = banks;
  l->steps    = steps;
  l->item     = (unsigned short *)work;
  l->lateItem = l->item + 64 * p->steps;
  l->reader   = (signed char *)(l->lateItem + 64 * p->steps);
  l->late     = (unsigned char *)l->reader + 32 * p->steps;
  l->latest   = l->late + 32 * p->steps;
  l->lateSlot = l->latest + p->steps;
  for (int k = 0; k < slots; ++k) l->list[k] = -1;
  for (int k = 0; k < slots * steps; ++k) l->item[k] = PLEX_PAIR_NONE;
  for (int k = 0; k < 4; ++k) l->written[k] = 0;
}

/* Of the lists from `from` on one whose items' banks have steps left, as far as there are such lists, and whose sums'
   banks are written by few other lanes */
PLEX_PLAN int plex_lanes_choose(const PlexPairLanes *l, const PlexPairLists *lists, int slot, int from)
{
  const plex_key *banks = lists->banks, full = l->full, written = l->written[slot / 16];
  const int       end  = lists->n < from + lists->tries ? lists->n : from + lists->tries;
  int             best = from, least = 1000, more = end < from + lists->more ? end : from + lists->more, k;

  for (k = from; k < more; ++k)
    if (!(banks[k] & (full | written))) return k;
  for (k = from; k < end && banks[k] & full;) ++k;
  if (k < end) {
    more = end < k + lists->more ? end : k + lists->more;
    for (best = k; k < more && least; ++k) {
      const int cost = plex_bits_set(banks[k] & written);

      if (cost >= least || banks[k] & full) continue;
      least = cost;
      best  = k;
    }
    return best;
  }
  more = end < from + PLEX_PAIR_FEW ? end : from + PLEX_PAIR_FEW;
  for (k = from; k < more; ++k) {
    const int over = plex_bits_set(banks[k] & full);

    if (over >= least) continue;
    least = over;
    best  = k;
  }
  return best;
}

/* The bank of an item is read in step `mine` by some lane: in step `its` in the place of it, in which nobody reads the
   bank */
PLEX_PLAN void plex_lanes_move(PlexPairLanes *l, int item, int mine, int its)
{
  signed char *readers = &l->reader[(item & (l->banks - 1)) * l->steps];
  int          lane    = readers[mine];

  while (lane >= 0) {
    unsigned short *items = &l->item[lane * l->steps];
    const int       moved = items[its];
    int             next;

    items[its]   = items[mine];
    items[mine]  = (unsigned short)moved;
    readers[its] = (signed char)lane;
    if (moved == PLEX_PAIR_NONE) return;
    readers       = &l->reader[(moved & (l->banks - 1)) * l->steps];
    next          = readers[mine];
    readers[mine] = (signed char)lane;
    if (next < 0) readers[its] = -1;
    lane = next;
  }
}

/* An item to a slot that has a step left, as the bank has */
PLEX_PLAN void plex_lanes_put(PlexPairLanes *l, int slot, int item)
{
  unsigned short *items   = &l->item[slot * l->steps];
  signed char    *readers = &l->reader[(item & (l->banks - 1)) * l->steps];
  int             mine = -1, its = -1;

  for (int s = 0; s < l->steps; ++s) {
    const int free = items[s] == PLEX_PAIR_NONE;

    if (free && readers[s] < 0) {
      mine = its = s;
      break;
    }
    if (free) mine = s;
    if (readers[s] < 0) its = s;
  }
  if (mine != its) plex_lanes_move(l, item, mine, its);
  items[mine]   = (unsigned short)item;
  readers[mine] = (signed char)slot;
}

/* An item whose bank is read in all steps: where it makes no more lanes wait, if there is such a step */
PLEX_PLAN void plex_lanes_put_late(PlexPairLanes *l, int slot, int item)
{
  unsigned short *items = &l->item[slot * l->steps];
  unsigned char  *late  = &l->late[(item & (l->banks - 1)) * l->steps];
  int             best  = -1;

  for (int s = 0; s < l->steps; ++s) {
    if (items[s] != PLEX_PAIR_NONE) continue;
    best = s;
    if (late[s] < l->latest[s]) break;
  }
  items[best] = (unsigned short)item;
  ++late[best];
  if (late[best] > l->latest[best]) l->latest[best] = late[best];
}

/* For the lanes of a set that read nothing in a step: of the items first to end - 1, which stand for nothing, one whose
   bank is not read then, if there is one */
PLEX_PLAN void plex_lanes_fill_up(PlexPairLanes *l, int set, int first, int end)
{
  for (int s = 0; s < l->steps; ++s) {
    int nothing = first;

    for (int item = first; item < end; ++item) {
      if (l->reader[(item & (l->banks - 1)) * l->steps + s] >= 0) continue;
      nothing = item;
      break;
    }
    for (int k = set * l->banks; k < (set + 1) * l->banks; ++k)
      if (l->item[k * l->steps + s] == PLEX_PAIR_NONE) l->item[k * l->steps + s] = (unsigned short)nothing;
  }
}

/* List `from` + k of a set gets a slot, after it has changed places with a better one; returns the slot */
PLEX_PLAN int plex_lanes_take(PlexPairLanes *l, int set, int parts, int from, int k, const PlexPairLists *lists)
{
  const int      slot = set * l->banks + k * parts, at = plex_lanes_choose(l, lists, slot, from + k);
  const int      list  = lists->order[at];
  const plex_key banks = lists->banks[at];

  lists->order[at]       = lists->order[from + k];
  lists->order[from + k] = list;
  lists->banks[at]       = lists->banks[from + k];
  lists->banks[from + k] = banks;
  l->written[slot / 16] |= banks >> 32 << 32;
  for (int part = 0; part < parts; ++part) l->list[slot + part] = list;
  return slot;
}

/* An item of the part'th slot of a list; *nlate: those that wait */
PLEX_PLAN void plex_lanes_item(PlexPairLanes *l, int slot, int item, int *nlate)
{
  const int bank = item & (l->banks - 1), before = l->total[bank]++;

  if (before == l->steps - 1) l->full |= (plex_key)1 << bank;
  if (before < l->steps) plex_lanes_put(l, slot, item);
  else {
    l->lateSlot[*nlate]     = (unsigned char)slot;
    l->lateItem[(*nlate)++] = (unsigned short)item;
  }
}

PLEX_PLAN void plex_lanes_begin_set(PlexPairLanes *l)
{
  l->full = 0;
  for (int k = 0; k < l->banks; ++k) l->total[k] = 0;
  for (int k = 0; k < l->banks * l->steps; ++k) l->reader[k] = -1;
  for (int k = 0; k < l->banks * l->steps; ++k) l->late[k] = 0;
  for (int k = 0; k < l->steps; ++k) l->latest[k] = 0;
}

/* Returns in how many turns banks are read in all steps */
PLEX_PLAN int plex_lanes_end_set(PlexPairLanes *l, int nlate)
{
  int turns = 0;

  for (int k = 0; k < nlate; ++k) plex_lanes_put_late(l, l->lateSlot[k], l->lateItem[k]);
  for (int s = 0; s < l->steps; ++s) turns += 1 + l->latest[s];
  return turns;
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
  p->chunkTo[i] = (p->cut.elementStart[i + 1] - p->cut.elementStart[i] + p->chunkElements - 1) / p->chunkElements;
}

/* Item of a chunk: elements of a block in an order in which lanes read their vertices' coordinates from many banks; x
   and y are read in one */
PLEX_STEP(plex_pairs_arrange, PlexPairsPlan)
{
  const int     h = p->offset + (int)i, b = plex_list_of(p->cut.nblocks, p->chunkTo, h);
  const int     before = p->chunkElements * (h - p->chunkTo[b]), first = p->cut.elementStart[b] + before;
  const int     left = p->cut.elementStart[b + 1] - first, n = left < p->chunkElements ? left : p->chunkElements;
  const int     banks = PLEX_PAIRS_LINE / 2 / p->real, Nv = p->cut.Nv;
  PlexPairLists lists = {p->arranged + first, p->banks + first, n, PLEX_PAIR_TRIES, 1};
  PlexPairLanes l;

  for (int e = 0; e < n; ++e) {
    lists.order[e] = first + e;
    lists.banks[e] = 0;
    for (int v = 0; v < Nv; ++v)
      lists.banks[e] |= (plex_key)1 << (p->vertex[(plex_index)(first + e) * Nv + v] & (banks - 1));
  }
  for (int from = 0; from < n; from += banks) {
    const int some  = banks < n - from ? banks : n - from;
    int       nlate = 0;

    plex_lanes_begin(p, (int)i, banks, banks, Nv, &l);
    plex_lanes_begin_set(&l);
    for (int k = 0; k < some; ++k) {
      const int slot = plex_lanes_take(&l, 0, 1, from, k, &lists);

      for (int v = 0; v < Nv; ++v) plex_lanes_item(&l, slot, p->vertex[(plex_index)l.list[slot] * Nv + v], &nlate);
    }
    p->turns[h] += plex_lanes_end_set(&l, nlate);
    p->reads[h] += Nv;
    for (int k = 0; k < some; ++k) plex_pair_turn(p, b, l.list[k], before + from + k, &l.item[k * Nv]);
  }
}

/* ---- Pairs, whose elements' numbers are read ---- */

/* Banks that the items of pair q read, and its sums write */
PLEX_PLAN plex_key plex_pair_banks(const PlexPairsPlan *p, int q, int banks)
{
  const int at = p->pair[q], b = plex_list_of(p->cut.nblocks, p->entryStart, at);
  const int place = p->tables->several ? p->base[at] : at - p->entryStart[b];
  plex_key  bits  = (place == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(0, place)) |
                    (p->other[at] == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(1, p->other[at]));

  for (int k = p->itemStart[at]; k < p->itemStart[at + 1]; ++k) bits |= (plex_key)1 << (p->items[k] & (banks - 1));
  return bits;
}

/* The first n of the lists that are left, as they come, each one's items on so many slots one behind the other */
PLEX_PLAN void plex_lanes_in_order(const PlexPairsPlan *p, PlexPairLanes *l, int parts, int n, const int order[],
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
PLEX_PLAN int plex_lanes_set(const PlexPairsPlan *p, PlexPairLanes *l, int set, int parts, int from, int n,
                             const PlexPairLists *lists, int nothing, int end)
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
PLEX_PLAN void plex_pair_records(const PlexPairsPlan *p, int b, const PlexPairLanes *l, int parts, unsigned *to)
{
  const PlexPairsTables *t    = p->tables;
  const int              some = plex_pair_group(t);

  for (int k = 0; k < l->slots; ++k) {
    const int at = l->list[k], writes = at >= 0 && k % parts == 0;
    unsigned *record = to + k % 32 * 2 + k / 32;

    record[0] = writes ? (unsigned)(t->several ? p->base[at] : at - p->entryStart[b]) | (unsigned)p->other[at] << 16
                       : 0xffffffffu;
    if (t->several) record[1] = writes ? p->shape[at] : 0;
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
  const int     slots = t->several ? 32 : 64, banks = PLEX_PAIRS_LINE / p->real / (t->several && !t->byPoints ? 2 : 1);
  const int     sets = slots / banks, stride = PLEX_PAIRS_STRIDE(elements, p->real);
  PlexPairLists lists = {p->pair + q, p->banks + q, among, PLEX_PAIR_TRIES, PLEX_PAIR_MORE};
  PlexPairLanes l;

  plex_lanes_begin(p, h - p->offset, slots, banks, words * plex_pair_word(t), &l);
  if (!p->arranges) plex_lanes_in_order(p, &l, parts, n, lists.order, elements);
  for (int set = 0, done = 0, end; set < sets && p->arranges; ++set, done = end) {
    end = done + (n - done + sets - set - 1) / (sets - set);
    p->turns[h] += plex_lanes_set(p, &l, set, parts, done, end - done, &lists, elements, stride);
    p->reads[h] += l.steps;
  }
  plex_pair_put_task(p, b, T - p->segmentTask[plex_pair_segment(p, b)],
                     plex_pair_task(group, t->several ? t->dofs[kind][1] : t->terms[kind],
                                    kind | ((t->dofs[kind][0] > 1 ? t->dofs[kind][0] : 1) - 1) << 5, split, words));
  plex_pair_records(p, b, &l, parts, p->records + 64 * (plex_index)(p->blockGroups[b] + group));
}

/* Item g */
PLEX_STEP(plex_pairs_task_chunks, PlexPairsPlan)
{
  p->chunkTo[i] = (p->segmentTask[i + 1] - p->segmentTask[i] + p->chunkTasks - 1) / p->chunkTasks;
}

/* Item of a chunk: tasks of as many pairs as there are lanes for, one or two a lane */
PLEX_STEP(plex_pairs_tasks, PlexPairsPlan)
{
  const int h = p->offset + (int)i, g = plex_list_of(p->segments, p->chunkTo, h);
  const int split = plex_pair_split(p, p->segmentPair[g]), room = plex_pair_room(p->tables, split);
  const int chunk = h - p->chunkTo[g], first = p->segmentPair[g] + p->chunkTasks * room * chunk;
  const int left  = p->segmentPair[g + 1] - first,
            end   = first + (left < p->chunkTasks * room ? left : p->chunkTasks * room);
  const int b     = (int)(p->pairKeys[first] >> 13);
  const int banks = PLEX_PAIRS_LINE / p->real / (p->tables->several && !p->tables->byPoints ? 2 : 1);

  for (int q = first; q < end && p->arranges; ++q) p->banks[q] = plex_pair_banks(p, q, banks);
  for (int q = first, T = p->segmentTask[g] + p->chunkTasks * chunk; q < end; q += room, ++T) {
    const int words = plex_pair_words(p, q, split);
    int       among = end - q < room ? end - q : room;
    const int n     = among;

    /* all that have as many words, or as many as there is room for */
    while (q + among < end && plex_pair_words(p, q + among, split) == words) ++among;
    plex_pair_fill_task(p, b, h, T, q, n, among);
  }
}
