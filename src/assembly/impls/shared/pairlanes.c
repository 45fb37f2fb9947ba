/*
  Lanes. Shared memory lies in banks, lines of 128 bytes across them: lanes that read at once, as many as there are
  numbers in a line, wait for each other where two of them read different numbers of one bank. An element reads the
  coordinates of its vertices, a pair the numbers of its elements, which lie in whole lines of elements
  (PLEX_PAIRS_STRIDE), so that the bank is that of the element, whichever of its numbers is read. Which lane computes
  which element, from its vertices in which order, which one sums which pair of a task, and in which order it takes the
  elements: all that is free.

  Here it is a list of items that a lane reads, one in each of some steps. Lanes that read at once, a set, get lists
  that have no bank more often than there are steps, as far as there are such lists. Then there is an order in which no
  two of them read a bank in the same step: lanes and banks are the vertices of a bipartite graph, items its edges,
  steps their colours, and as many colours as a vertex has edges at most are enough (König): an edge takes a colour that
  neither end has, or one that its lane has not, when colours have been changed along a path.
*/
#include "pairsimpl.h"

#define PLEX_PAIR_FEW 32 /* lists of which the least bad is chosen where none fits */

/* Of the lists from `from` on one whose items' banks have steps left, as far as there are such lists, and whose sums'
   banks are written by few other lanes */
static PetscInt PlexPairLanesChoose(const PlexPairLanes *l, const PlexPairLists *lists, PetscInt slot, PetscInt from)
{
  const uint64_t *banks = lists->banks, full = l->full, written = l->written[slot / 16];
  const PetscInt  end  = PetscMin(lists->n, from + lists->tries);
  PetscInt        best = from, least = PETSC_INT_MAX, more, p;

  for (p = from; p < PetscMin(end, from + lists->more); ++p)
    if (!(banks[p] & (full | written))) return p;
  for (p = from; p < end && banks[p] & full;) ++p;
  if (p < end) {
    for (more = PetscMin(end, p + lists->more), best = p; p < more && least; ++p) {
      const PetscInt cost = __builtin_popcountll(banks[p] & written);

      if (cost >= least || banks[p] & full) continue;
      least = cost;
      best  = p;
    }
    return best;
  }
  for (p = from; p < PetscMin(end, from + PLEX_PAIR_FEW); ++p) {
    const PetscInt over = __builtin_popcountll(banks[p] & full);

    if (over >= least) continue;
    least = over;
    best  = p;
  }
  return best;
}

/* Who reads the bank of an item: [steps] lane, or -1 */
static inline signed char *PlexPairLanesReaders(PlexPairLanes *l, PetscInt item)
{
  return &l->reader[(item & (l->banks - 1)) * l->steps];
}

/* The bank of an item is read in step `mine` by some lane: in step `its` in the place of it, in which nobody reads the
   bank */
static void PlexPairLanesMove(PlexPairLanes *l, PetscInt item, PetscInt mine, PetscInt its)
{
  signed char *readers = PlexPairLanesReaders(l, item);
  PetscInt     lane    = readers[mine];

  while (lane >= 0) {
    unsigned short *items = &l->item[lane * l->steps];
    const PetscInt  moved = items[its];
    PetscInt        next;

    items[its]   = items[mine];
    items[mine]  = (unsigned short)moved;
    readers[its] = (signed char)lane;
    if (moved == PLEX_PAIR_NONE) return;
    readers       = PlexPairLanesReaders(l, moved);
    next          = readers[mine];
    readers[mine] = (signed char)lane;
    if (next < 0) readers[its] = -1;
    lane = next;
  }
}

/* An item to a slot that has a step left, as the bank has */
static void PlexPairLanesPut(PlexPairLanes *l, PetscInt slot, PetscInt item)
{
  unsigned short *items   = &l->item[slot * l->steps];
  signed char    *readers = PlexPairLanesReaders(l, item);
  PetscInt        mine = -1, its = -1;

  for (PetscInt s = 0; s < l->steps; ++s) {
    const PetscBool free = (PetscBool)(items[s] == PLEX_PAIR_NONE);

    if (free && readers[s] < 0) {
      mine = its = s;
      break;
    }
    if (free) mine = s;
    if (readers[s] < 0) its = s;
  }
  if (mine != its) PlexPairLanesMove(l, item, mine, its);
  items[mine]   = (unsigned short)item;
  readers[mine] = (signed char)slot;
}

/* An item whose bank is read in all steps: where it makes no more lanes wait, if there is such a step */
static void PlexPairLanesPutLate(PlexPairLanes *l, PetscInt slot, PetscInt item)
{
  unsigned short *items = &l->item[slot * l->steps];
  unsigned char  *late  = &l->late[(item & (l->banks - 1)) * l->steps];
  PetscInt        best  = -1;

  for (PetscInt s = 0; s < l->steps; ++s) {
    if (items[s] != PLEX_PAIR_NONE) continue;
    best = s;
    if (late[s] < l->latest[s]) break;
  }
  items[best] = (unsigned short)item;
  ++late[best];
  l->latest[best] = PetscMax(l->latest[best], late[best]);
}

void PlexPairLanesBegin_Private(PlexPairLanes *l, PetscInt slots, PetscInt banks, PetscInt steps)
{
  l->slots = slots;
  l->banks = banks;
  l->steps = steps;
  for (PetscInt k = 0; k < slots; ++k) l->list[k] = -1;
  memset(l->item, 0xff, sizeof(l->item[0]) * (size_t)(slots * steps));
  memset(l->written, 0, sizeof(l->written));
}

/* An item that stands for nothing, whose bank is not read in a step if there is one */
static PetscInt PlexPairLanesNothing(PlexPairLanes *l, PetscInt step, PetscInt first, PetscInt end)
{
  for (PetscInt item = first; item < end; ++item)
    if (PlexPairLanesReaders(l, item)[step] < 0) return item;
  return first;
}

/* ... for the lanes that read nothing in a step */
static void PlexPairLanesFillUp(PlexPairLanes *l, PetscInt set, PetscInt first, PetscInt end)
{
  for (PetscInt s = 0; s < l->steps; ++s) {
    PetscInt nothing = -1;

    for (PetscInt k = set * l->banks; k < (set + 1) * l->banks; ++k) {
      if (l->item[k * l->steps + s] != PLEX_PAIR_NONE) continue;
      if (nothing < 0) nothing = PlexPairLanesNothing(l, s, first, end);
      l->item[k * l->steps + s] = (unsigned short)nothing;
    }
  }
}

void PlexPairLanesFillInOrder_Private(PlexPairLanes *l, PetscInt parts, PetscInt n, const PlexPairLists *lists)
{
  for (PetscInt k = 0; k < n; ++k) {
    const int t = lists->order[k];

    for (PetscInt i = 0; i < parts; ++i) l->list[k * parts + i] = t;
    for (PetscInt i = lists->start[t]; i < lists->start[t + 1]; ++i)
      l->item[(k * parts + (i - lists->start[t]) % parts) * l->steps + (i - lists->start[t]) / parts] = lists->item[i];
  }
  for (PetscInt k = 0; k < l->slots * l->steps; ++k)
    if (l->item[k] == PLEX_PAIR_NONE) l->item[k] = (unsigned short)lists->nothing;
}

PetscInt PlexPairLanesFillSet_Private(PlexPairLanes *l, PetscInt set, PetscInt parts, PetscInt from, PetscInt n,
                                      PlexPairLists *lists)
{
  PetscInt nlate = 0, turns = 0;

  l->full = 0;
  memset(l->total, 0, sizeof(l->total));
  memset(l->reader, 0xff, (size_t)(l->banks * l->steps));
  memset(l->late, 0, (size_t)(l->banks * l->steps));
  memset(l->latest, 0, (size_t)l->steps);
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt slot = set * l->banks + k * parts, p = PlexPairLanesChoose(l, lists, slot, from + k);
    const int      t     = lists->order[p];
    const uint64_t banks = lists->banks[p];

    lists->order[p]        = lists->order[from + k];
    lists->order[from + k] = t;
    lists->banks[p]        = lists->banks[from + k];
    lists->banks[from + k] = banks;
    l->written[slot / 16] |= banks >> 32 << 32;
    for (PetscInt i = 0; i < parts; ++i) l->list[slot + i] = t;
    for (PetscInt i = lists->start[t], part = 0; i < lists->start[t + 1]; ++i, part = part + 1 < parts ? part + 1 : 0) {
      const PetscInt bank = lists->item[i] & (l->banks - 1), before = l->total[bank]++;

      if (before == l->steps - 1) l->full |= (uint64_t)1 << bank;
      if (before < l->steps) PlexPairLanesPut(l, slot + part, lists->item[i]);
      else {
        l->lateSlot[nlate]   = (unsigned char)(slot + part);
        l->lateItem[nlate++] = lists->item[i];
      }
    }
  }
  for (PetscInt k = 0; k < nlate; ++k) PlexPairLanesPutLate(l, l->lateSlot[k], l->lateItem[k]);
  for (PetscInt s = 0; s < l->steps; ++s) turns += 1 + l->latest[s];
  if (lists->nothing < lists->end) PlexPairLanesFillUp(l, set, lists->nothing, lists->end);
  return turns;
}
