/*
  Lanes that read shared memory at once, as many as there are numbers in a line across its banks, wait for each other
  where two of them read different numbers of one bank. Which lane has which list of items to read, and in which order,
  is free: a lane reads one item in each of some steps.

  Lanes that read at once, a set, get lists that have no bank more often than there are steps, as far as there are such
  lists. Then there is an order in which no two of them read a bank in the same step: lanes and banks are the vertices
  of a bipartite graph, items its edges, steps their colours, and as many colours as a vertex has edges at most are
  enough (König): an edge takes a colour that neither end has, or one that its lane has not, when colours have been
  changed along a path.
*/
#ifndef PLEX_LANES_H
#define PLEX_LANES_H

#include "steps.h"

#define PLEX_LANE_NONE  0xffff
#define PLEX_LANE_TRIES 256 /* lists of which one is chosen for a lane, */
#define PLEX_LANE_MORE  48  /* from the first on whose banks have steps left, */
#define PLEX_LANE_FEW   32  /* or of which the least bad is chosen where none fits */

/* Lists of items that lanes read: pairs and their elements, elements and their vertices */
typedef struct {
  int      *order; /* [n] lists, of which the next ones are chosen, and put before the others */
  plex_key *banks; /* [n] of the items of each, as bits, and of the sums that are written, PLEX_LANE_WRITES() */
  int       n, tries, more;
} PlexLaneLists;

/* A place to which a list's sum is written, of two: 16 sums make a line of banks */
#define PLEX_LANE_WRITES(target, place) ((plex_key)1 << (32 + 16 * (target) + ((place) & 15)))

/* A slot is a lane, or of two pairs of a lane one: slot k that of lane k % 32. As many as there are banks are a set,
   and read at once */
typedef struct {
  int             slots, banks, steps;
  int             together;   /* lanes that read one item in a step do not wait for each other */
  plex_key        written[4]; /* PLEX_LANE_WRITES() of 16 slots */
  int             list[64];   /* [slots] or -1 */
  unsigned short *item;       /* [slots][steps] or PLEX_LANE_NONE */

  /* of the set that is filled */
  plex_key        full;      /* banks of as many items as there are steps, as bits */
  unsigned short  total[32]; /* [banks] items */
  signed char    *reader;    /* [banks][steps] slot, or -1 */
  unsigned char  *late;      /* [banks][steps] others that read it */
  unsigned char  *latest;    /* [steps] the most of them */
  unsigned short *lateItem;  /* items whose bank is read in all steps, */
  unsigned char  *lateSlot;  /* and whose they are */
} PlexLanes;

/* Bytes of their work */
#define PLEX_LANE_BYTES(slots, banks, steps) \
  (((size_t)(5 * (slots) + 2 * (banks) + 1) * (size_t)(steps) + 15) / 16 * 16)

PLEX_PLAN void plex_lanes_begin(char *work, int slots, int banks, int steps, PlexLanes *l)
{
  l->slots    = slots;
  l->banks    = banks;
  l->steps    = steps;
  l->together = 0;
  l->item     = (unsigned short *)work;
  l->lateItem = l->item + slots * steps;
  l->reader   = (signed char *)(l->lateItem + slots * steps);
  l->late     = (unsigned char *)l->reader + banks * steps;
  l->latest   = l->late + banks * steps;
  l->lateSlot = l->latest + steps;
  for (int k = 0; k < slots; ++k) l->list[k] = -1;
  for (int k = 0; k < slots * steps; ++k) l->item[k] = PLEX_LANE_NONE;
  for (int k = 0; k < 4; ++k) l->written[k] = 0;
}

/* Of the lists from `from` on one whose items' banks have steps left, as far as there are such lists, and whose sums'
   banks are written by few other lanes */
PLEX_PLAN int plex_lanes_choose(const PlexLanes *l, const PlexLaneLists *lists, int slot, int from)
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
  more = end < from + PLEX_LANE_FEW ? end : from + PLEX_LANE_FEW;
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
PLEX_PLAN void plex_lanes_move(PlexLanes *l, int item, int mine, int its)
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
    if (moved == PLEX_LANE_NONE) return;
    readers       = &l->reader[(moved & (l->banks - 1)) * l->steps];
    next          = readers[mine];
    readers[mine] = (signed char)lane;
    if (next < 0) readers[its] = -1;
    lane = next;
  }
}

/* An item to a slot that has a step left, as the bank has */
PLEX_PLAN void plex_lanes_put(PlexLanes *l, int slot, int item)
{
  unsigned short *items   = &l->item[slot * l->steps];
  signed char    *readers = &l->reader[(item & (l->banks - 1)) * l->steps];
  int             mine = -1, its = -1;

  for (int s = 0; s < l->steps; ++s) {
    const int free = items[s] == PLEX_LANE_NONE;

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

/* Whether some lane reads the item in this step, and another one may do so too */
PLEX_PLAN int plex_lanes_read(const PlexLanes *l, int item, int step)
{
  for (int k = 0; k < l->slots && l->together; ++k)
    if (l->item[k * l->steps + step] == item) return 1;
  return 0;
}

/* An item whose bank is read in all steps: where it makes no more lanes wait, if there is such a step */
PLEX_PLAN void plex_lanes_put_late(PlexLanes *l, int slot, int item)
{
  unsigned short *items = &l->item[slot * l->steps];
  unsigned char  *late  = &l->late[(item & (l->banks - 1)) * l->steps];
  int             best  = -1;

  for (int s = 0; s < l->steps; ++s) {
    if (items[s] != PLEX_LANE_NONE) continue;
    if (plex_lanes_read(l, item, s)) {
      items[s] = (unsigned short)item;
      return;
    }
    if (best < 0 || late[best] >= l->latest[best]) best = s;
  }
  items[best] = (unsigned short)item;
  ++late[best];
  if (late[best] > l->latest[best]) l->latest[best] = late[best];
}

/* For the lanes of a set that read nothing in a step: of the items first to end - 1, which stand for nothing, one whose
   bank is not read then, if there is one */
PLEX_PLAN void plex_lanes_fill_up(PlexLanes *l, int set, int first, int end)
{
  for (int s = 0; s < l->steps; ++s) {
    int nothing = first;

    for (int item = first; item < end; ++item) {
      if (l->reader[(item & (l->banks - 1)) * l->steps + s] >= 0) continue;
      nothing = item;
      break;
    }
    for (int k = set * l->banks; k < (set + 1) * l->banks; ++k)
      if (l->item[k * l->steps + s] == PLEX_LANE_NONE) l->item[k * l->steps + s] = (unsigned short)nothing;
  }
}

/* List `from` + k of a set gets a slot, after it has changed places with a better one; returns the slot */
PLEX_PLAN int plex_lanes_take(PlexLanes *l, int set, int parts, int from, int k, const PlexLaneLists *lists)
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
PLEX_PLAN void plex_lanes_item(PlexLanes *l, int slot, int item, int *nlate)
{
  const int bank = item & (l->banks - 1), before = l->total[bank]++;

  if (before == l->steps - 1) l->full |= (plex_key)1 << bank;
  if (before < l->steps) plex_lanes_put(l, slot, item);
  else {
    l->lateSlot[*nlate]     = (unsigned char)slot;
    l->lateItem[(*nlate)++] = (unsigned short)item;
  }
}

PLEX_PLAN void plex_lanes_begin_set(PlexLanes *l)
{
  l->full = 0;
  for (int k = 0; k < l->banks; ++k) l->total[k] = 0;
  for (int k = 0; k < l->banks * l->steps; ++k) l->reader[k] = -1;
  for (int k = 0; k < l->banks * l->steps; ++k) l->late[k] = 0;
  for (int k = 0; k < l->steps; ++k) l->latest[k] = 0;
}

/* Returns in how many turns banks are read in all steps */
PLEX_PLAN int plex_lanes_end_set(PlexLanes *l, int nlate)
{
  int turns = 0;

  for (int k = 0; k < nlate; ++k) plex_lanes_put_late(l, l->lateSlot[k], l->lateItem[k]);
  for (int s = 0; s < l->steps; ++s) turns += 1 + l->latest[s];
  return turns;
}

#endif
