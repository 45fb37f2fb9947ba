/*
  Assigns reads of shared memory to lanes and steps so that few of them conflict.

  In each step a lane reads one item of its list. Lanes whose items are in the same bank conflict: the step takes as
  many transactions as its most wanted bank has items. Which lane has which list, and the order of the items in a list,
  are free.

  Lanes that read in the same transaction, as many as there are banks, are a set. A set gets lists that together have at
  most one item a step in each bank, as far as there are such lists. Then an order without conflicts exists. For take
  lanes and banks as the vertices of a bipartite graph, items as its edges, and steps as colours of the edges: as many
  colours are enough as a vertex has edges at most (König). The algorithm adds an edge at a time. It gets a colour that
  is free at both its ends, or one that is free at its lane, after two colours have been exchanged along a path.
*/
#ifndef PLEX_LANES_H
#define PLEX_LANES_H

#include "steps.h"

#define PLEX_LANE_NONE       0xffff
#define PLEX_LANE_TRIES      256 /* lists among which one that fits is searched */
#define PLEX_LANE_CANDIDATES 48  /* lists among which one is chosen, from the first one that fits on */
#define PLEX_LANE_FEW        32  /* lists among which one is chosen where none fits */
#define PLEX_LANE_AT_ONCE    8   /* lists that are loaded together */

/* Lists of items: a pair and its elements, an element and its vertices */
typedef struct {
  int      *order; /* [n] lists; those that are assigned first */
  plex_key *banks; /* [n] bit k: an item is in bank k; and PLEX_LANE_WRITES() of the sums that are written */
  int       n, tries, candidates;
} PlexLaneLists;

/* Bit of a sum that a list writes at this offset, to target 0 or 1: 16 sums are one access of all banks */
#define PLEX_LANE_WRITES(target, offset) ((plex_key)1 << (32 + 16 * (target) + ((offset) & 15)))

/* Slot k is that of lane k % 32, which has one or two. A set is as many slots as there are banks */
typedef struct {
  int             slots, banks, steps;
  int             broadcast;  /* 1: lanes that read the same item in a step do not conflict */
  plex_key        written[4]; /* PLEX_LANE_WRITES() of 16 slots each */
  int             list[64];   /* [slots] or -1 */
  unsigned short *item;       /* [slots][steps] or PLEX_LANE_NONE */

  /* of the set that is being filled */
  plex_key        exhausted;    /* bit k: bank k has as many items as there are steps */
  unsigned short  total[32];    /* [banks] items */
  signed char    *reader;       /* [banks][steps] slot, or -1 */
  unsigned char  *extra;        /* [banks][steps] items beyond one */
  unsigned char  *mostExtra;    /* [steps] maximum of extra[] over the banks */
  unsigned short *deferredItem; /* items whose banks were exhausted, */
  unsigned char  *deferredSlot; /* and their slots */
} PlexLanes;

/* Bytes of the arrays of PlexLanes */
#define PLEX_LANE_BYTES(slots, banks, steps) \
  (((size_t)(5 * (slots) + 2 * (banks) + 1) * (size_t)(steps) + 15) / 16 * 16)

PLEX_HOST_DEVICE void plex_lanes_begin(char *work, int slots, int banks, int steps, PlexLanes *l)
{
  l->slots        = slots;
  l->banks        = banks;
  l->steps        = steps;
  l->broadcast    = 0;
  l->item         = (unsigned short *)work;
  l->deferredItem = l->item + slots * steps;
  l->reader       = (signed char *)(l->deferredItem + slots * steps);
  l->extra        = (unsigned char *)l->reader + banks * steps;
  l->mostExtra    = l->extra + banks * steps;
  l->deferredSlot = l->mostExtra + steps;
  for (int k = 0; k < slots; ++k) l->list[k] = -1;
  for (int k = 0; k < slots * steps; ++k) l->item[k] = PLEX_LANE_NONE;
  for (int k = 0; k < 4; ++k) l->written[k] = 0;
}

/* The first of banks[k] to banks[end - 1] without these bits, or end. PLEX_LANE_AT_ONCE are loaded before one is looked
   at, as a thread of a device waits longer for one than it takes to look at all */
PLEX_HOST_DEVICE int plex_lanes_without(const plex_key banks[], plex_key bits, int k, int end)
{
  for (; k + PLEX_LANE_AT_ONCE <= end; k += PLEX_LANE_AT_ONCE) {
    unsigned without = 0;

    for (int m = 0; m < PLEX_LANE_AT_ONCE; ++m) without |= (unsigned)!(banks[k + m] & bits) << m;
    if (without) return k + plex_bits_first(without);
  }
  while (k < end && banks[k] & bits) ++k;
  return k;
}

/* Of banks[k] to banks[end - 1] the first with the fewest of `counted`, among those without bits of `never` */
PLEX_HOST_DEVICE int plex_lanes_fewest(const plex_key banks[], plex_key counted, plex_key never, int k, int end)
{
  int best = k, least = 1000;

  while (k < end && least) {
    plex_key  some[PLEX_LANE_AT_ONCE];
    const int n = end - k < PLEX_LANE_AT_ONCE ? end - k : PLEX_LANE_AT_ONCE;

    for (int m = 0; m < PLEX_LANE_AT_ONCE; ++m) some[m] = banks[m < n ? k + m : k];
    for (int m = 0; m < PLEX_LANE_AT_ONCE; ++m) {
      const int cost = some[m] & never ? 1000 : plex_bits_set(some[m] & counted);

      if (m >= n || cost >= least) continue;
      least = cost;
      best  = k + m;
    }
    k += n;
  }
  return best;
}

/* Chooses a list, from `from` on: one without items in exhausted banks, if there is one, and whose sums conflict with
   few of those of other slots */
PLEX_HOST_DEVICE int plex_lanes_choose(const PlexLanes *l, const PlexLaneLists *lists, int slot, int from)
{
  const plex_key *banks = lists->banks, exhausted = l->exhausted, written = l->written[slot / 16];
  const int       end = lists->n < from + lists->tries ? lists->n : from + lists->tries, some = lists->candidates;
  int             last = end < from + some ? end : from + some, k;

  k = plex_lanes_without(banks, exhausted | written, from, last);
  if (k < last) return k;
  k = plex_lanes_without(banks, exhausted, from, end);
  if (k < end) return plex_lanes_fewest(banks, written, exhausted, k, end < k + some ? end : k + some);
  return plex_lanes_fewest(banks, exhausted, 0, from, end < from + PLEX_LANE_FEW ? end : from + PLEX_LANE_FEW);
}

/* Makes step slotStep free for the bank of an item, where bankStep is free: exchanges the two steps along the path of
   lanes and banks that begins there */
PLEX_HOST_DEVICE void plex_lanes_move(PlexLanes *l, int item, int slotStep, int bankStep)
{
  signed char *readers = &l->reader[(item & (l->banks - 1)) * l->steps];
  int          lane    = readers[slotStep];

  while (lane >= 0) {
    unsigned short *items = &l->item[lane * l->steps];
    const int       moved = items[bankStep];
    int             next;

    items[bankStep]   = items[slotStep];
    items[slotStep]   = (unsigned short)moved;
    readers[bankStep] = (signed char)lane;
    if (moved == PLEX_LANE_NONE) return;
    readers           = &l->reader[(moved & (l->banks - 1)) * l->steps];
    next              = readers[slotStep];
    readers[slotStep] = (signed char)lane;
    if (next < 0) readers[bankStep] = -1;
    lane = next;
  }
}

/* Assigns an item to a slot that has a free step, where its bank has one, too */
PLEX_HOST_DEVICE void plex_lanes_put(PlexLanes *l, int slot, int item)
{
  unsigned short *items    = &l->item[slot * l->steps];
  signed char    *readers  = &l->reader[(item & (l->banks - 1)) * l->steps];
  int             slotStep = -1, bankStep = -1;

  for (int s = 0; s < l->steps; ++s) {
    const int free = items[s] == PLEX_LANE_NONE;

    if (free && readers[s] < 0) {
      slotStep = bankStep = s;
      break;
    }
    if (free) slotStep = s;
    if (readers[s] < 0) bankStep = s;
  }
  if (slotStep != bankStep) plex_lanes_move(l, item, slotStep, bankStep);
  items[slotStep]   = (unsigned short)item;
  readers[slotStep] = (signed char)slot;
}

/* Whether some lane reads the item in this step already, so that another one does not conflict */
PLEX_HOST_DEVICE int plex_lanes_broadcasts(const PlexLanes *l, int item, int step)
{
  for (int k = 0; k < l->slots && l->broadcast; ++k)
    if (l->item[k * l->steps + step] == item) return 1;
  return 0;
}

/* Assigns an item whose bank is exhausted: to a step that takes no more transactions by it, if there is one */
PLEX_HOST_DEVICE void plex_lanes_put_deferred(PlexLanes *l, int slot, int item)
{
  unsigned short *items = &l->item[slot * l->steps];
  unsigned char  *extra = &l->extra[(item & (l->banks - 1)) * l->steps];
  int             best  = -1;

  for (int s = 0; s < l->steps; ++s) {
    if (items[s] != PLEX_LANE_NONE) continue;
    if (plex_lanes_broadcasts(l, item, s)) {
      items[s] = (unsigned short)item;
      return;
    }
    if (best < 0 || extra[best] >= l->mostExtra[best]) best = s;
  }
  items[best] = (unsigned short)item;
  ++extra[best];
  if (extra[best] > l->mostExtra[best]) l->mostExtra[best] = extra[best];
}

/* Gives the lanes of a set that have no item in a step one of the items first to end - 1, which are zeros: one whose
   bank is not read in this step, if there is one */
PLEX_HOST_DEVICE void plex_lanes_pad(PlexLanes *l, int set, int first, int end)
{
  for (int s = 0; s < l->steps; ++s) {
    int padding = first;

    for (int item = first; item < end; ++item) {
      if (l->reader[(item & (l->banks - 1)) * l->steps + s] >= 0) continue;
      padding = item;
      break;
    }
    for (int k = set * l->banks; k < (set + 1) * l->banks; ++k)
      if (l->item[k * l->steps + s] == PLEX_LANE_NONE) l->item[k * l->steps + s] = (unsigned short)padding;
  }
}

/* Chooses list k of a set among those from `from` + k on, and exchanges it with that one; it gets `width` slots.
   Returns the first slot */
PLEX_HOST_DEVICE int plex_lanes_take(PlexLanes *l, int set, int width, int from, int k, const PlexLaneLists *lists)
{
  const int      slot = set * l->banks + k * width, at = plex_lanes_choose(l, lists, slot, from + k);
  const int      list  = lists->order[at];
  const plex_key banks = lists->banks[at];

  lists->order[at]       = lists->order[from + k];
  lists->order[from + k] = list;
  lists->banks[at]       = lists->banks[from + k];
  lists->banks[from + k] = banks;
  l->written[slot / 16] |= banks >> 32 << 32;
  for (int part = 0; part < width; ++part) l->list[slot + part] = list;
  return slot;
}

/* Assigns an item of a list to a slot, or defers it */
PLEX_HOST_DEVICE void plex_lanes_item(PlexLanes *l, int slot, int item, int *ndeferred)
{
  const int bank = item & (l->banks - 1), before = l->total[bank]++;

  if (before == l->steps - 1) l->exhausted |= (plex_key)1 << bank;
  if (before < l->steps) plex_lanes_put(l, slot, item);
  else {
    l->deferredSlot[*ndeferred]     = (unsigned char)slot;
    l->deferredItem[(*ndeferred)++] = (unsigned short)item;
  }
}

PLEX_HOST_DEVICE void plex_lanes_begin_set(PlexLanes *l)
{
  l->exhausted = 0;
  for (int k = 0; k < l->banks; ++k) l->total[k] = 0;
  for (int k = 0; k < l->banks * l->steps; ++k) l->reader[k] = -1;
  for (int k = 0; k < l->banks * l->steps; ++k) l->extra[k] = 0;
  for (int k = 0; k < l->steps; ++k) l->mostExtra[k] = 0;
}

/* Assigns the deferred items; returns the transactions of all steps */
PLEX_HOST_DEVICE int plex_lanes_end_set(PlexLanes *l, int ndeferred)
{
  int transactions = 0;

  for (int k = 0; k < ndeferred; ++k) plex_lanes_put_deferred(l, l->deferredSlot[k], l->deferredItem[k]);
  for (int s = 0; s < l->steps; ++s) transactions += 1 + l->mostExtra[s];
  return transactions;
}

#endif
