/*
  Seats: of each target of a row a lane of a warp and one of its registers, so that entries of one contribution are in different lanes. That is to colour a graph whose
  vertices are targets, two of which are neighbours if a contribution has both, with 32 colours, none of which may have two targets of a group. Greedily, targets of most
  contributions first, each in the lane whose targets share fewest contributions with it, and of those in the one that has most; with more groups there is more
  room. Where it does not work out a contribution has several items.

  Contributions are in the order of their dofs, and rows with the same dofs and places are seated once.
*/
#include "seats.h"
#include <stdint.h>
#include <string.h>

#define PLEX_SEATS_LANES  32
#define PLEX_SEATS_SIZE   32                                         /* targets of a group, most */
#define PLEX_SEATS_GROUPS PLEX_SEAT_NONE                             /* most */
#define PLEX_SEATS_ITEMS  ((1u << (32 - PLEX_SEATS_GROUP_BITS)) - 1) /* of a part, most */
#define PLEX_SEATS_COST   14                                         /* operations of an item, about, ... */
#define PLEX_SEATS_ADD    2                                          /* ... and of each group that it may add to */

typedef struct {
  PetscInt        length, count;
  unsigned short *key;  /* [count] dofs, [count][ef] places */
  PetscInt        next; /* another row in the same place of the table, -1: none */
  PlexSeatedRow   row;
} PlexSeatsEntry;

/* How the targets of a part sit */
typedef struct {
  PetscInt      groups, size, items, cost;
  unsigned char lane[PLEX_SEATS_TARGETS];
} PlexSeating;

struct PlexSeats_ {
  PetscInt        ef, registers;
  unsigned short *order; /* [ef][ef] */
  PetscInt        n, max, nheads;
  PlexSeatsEntry *entries;
  PetscInt       *heads; /* [nheads] first row of each place of the table */
  PetscInt        maxCount;
  PetscInt       *sorted; /* [maxCount] contributions of a row in order */
  unsigned short *key;    /* [maxCount (1 + ef)] of it */
  size_t          nshapes, maxShapes;
  PlexSeat       *shapes;
};

PetscErrorCode PlexSeatsCreate_Private(PetscInt ef, const unsigned short order[], PlexSeats *seats)
{
  PetscFunctionBegin;
  PetscCheck(ef <= PLEX_SEATS_LANES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries, and %d lanes", ef, PLEX_SEATS_LANES);
  PetscCall(PetscNew(seats));
  (*seats)->ef = ef;
  PetscCall(PetscMalloc1(ef * ef, &(*seats)->order));
  PetscCall(PetscArraycpy((*seats)->order, order, ef * ef));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSeatsDestroy_Private(PlexSeats *seats)
{
  PetscFunctionBegin;
  if (!*seats) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*seats)->n; ++k) {
    PlexSeatsEntry *e = &(*seats)->entries[k];

    for (PetscInt p = 0; p < e->row.nparts; ++p) PetscCall(PetscFree(e->row.parts[p].items));
    PetscCall(PetscFree(e->row.parts));
    PetscCall(PetscFree(e->key));
  }
  PetscCall(PetscFree2((*seats)->sorted, (*seats)->key));
  PetscCall(PetscFree((*seats)->order));
  PetscCall(PetscFree((*seats)->entries));
  PetscCall(PetscFree((*seats)->heads));
  PetscCall(PetscFree((*seats)->shapes));
  PetscCall(PetscFree(*seats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSeatsGetShapes_Private(PlexSeats seats, size_t *n, const PlexSeat **shapes, PetscInt *registers)
{
  PetscFunctionBegin;
  *n         = seats->nshapes;
  *shapes    = seats->shapes;
  *registers = seats->registers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows that are known */

static size_t PlexSeatsHash(PetscInt length, PetscInt n, const unsigned short key[])
{
  uint64_t hash = (uint64_t)length;

  for (PetscInt k = 0; k < n; ++k) hash = (hash ^ key[k]) * 0x100000001b3ULL;
  return (size_t)(hash ^ hash >> 29);
}

/* Sorts contributions by their dofs, and has dofs and places in that order */
static PetscErrorCode PlexSeatsSort(PlexSeats seats, PetscInt count, const int items[], const unsigned short place[])
{
  const PetscInt ef                          = seats->ef;
  PetscInt       start[PLEX_SEATS_LANES + 1] = {0};

  PetscFunctionBegin;
  if (count > seats->maxCount) {
    seats->maxCount = 2 * count;
    PetscCall(PetscFree2(seats->sorted, seats->key));
    PetscCall(PetscMalloc2(seats->maxCount, &seats->sorted, seats->maxCount * (1 + ef), &seats->key));
  }
  for (PetscInt c = 0; c < count; ++c) start[items[c] % ef + 1]++;
  for (PetscInt i = 0; i < ef; ++i) start[i + 1] += start[i];
  for (PetscInt c = 0; c < count; ++c) seats->sorted[start[items[c] % ef]++] = c;
  for (PetscInt c = 0; c < count; ++c) {
    seats->key[c] = (unsigned short)(items[seats->sorted[c]] % ef);
    PetscCall(PetscArraycpy(&seats->key[count + c * ef], &place[seats->sorted[c] * ef], ef));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSeatsGrow(PlexSeats seats)
{
  PetscFunctionBegin;
  seats->max = PetscMax(64, 2 * seats->max);
  PetscCall(PetscRealloc(sizeof(*seats->entries) * (size_t)seats->max, &seats->entries));
  PetscCall(PetscRealloc(sizeof(*seats->heads) * (size_t)(2 * seats->max), &seats->heads));
  seats->nheads = 2 * seats->max;
  for (PetscInt k = 0; k < seats->nheads; ++k) seats->heads[k] = -1;
  for (PetscInt k = 0; k < seats->n; ++k) {
    PlexSeatsEntry *e    = &seats->entries[k];
    PetscInt       *head = &seats->heads[PlexSeatsHash(e->length, e->count * (1 + seats->ef), e->key) % (size_t)seats->nheads];

    e->next = *head;
    *head   = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A part: the targets first to first + n - 1 of a row */

static PetscInt PlexSeatsTarget(unsigned short place, PetscInt first, PetscInt n)
{
  return place == 0xffff || place < first || place >= first + n ? -1 : place - first;
}

/* Items of a contribution: its entries that are in one lane, most */
static PetscInt PlexSeatsPasses(const PlexSeating *s, PetscInt ef, const unsigned short place[], PetscInt first, PetscInt n)
{
  PetscInt most = 0, entries[PLEX_SEATS_LANES] = {0};

  for (PetscInt j = 0; j < ef; ++j) {
    const PetscInt t = PlexSeatsTarget(place[j], first, n);

    if (t < 0) continue;
    entries[s->lane[t]]++;
    most = PetscMax(most, entries[s->lane[t]]);
  }
  return most;
}

/* Contributions of each target, more than 64 of which are told apart by their numbers modulo 64 alone; order[]: targets of most first */
static void PlexSeatsMasks(PetscInt ef, PetscInt count, const unsigned short place[], PetscInt first, PetscInt n, uint64_t mask[], PetscInt order[])
{
  PetscInt start[66] = {0};

  for (PetscInt t = 0; t < n; ++t) mask[t] = 0;
  for (PetscInt k = 0; k < count * ef; ++k) {
    const PetscInt t = PlexSeatsTarget(place[k], first, n);

    if (t >= 0) mask[t] |= (uint64_t)1 << (k / ef % 64);
  }
  for (PetscInt t = 0; t < n; ++t) start[64 - __builtin_popcountll(mask[t]) + 1]++;
  for (PetscInt k = 0; k < 65; ++k) start[k + 1] += start[k];
  for (PetscInt t = 0; t < n; ++t) order[start[64 - __builtin_popcountll(mask[t])]++] = t;
}

static PetscErrorCode PlexSeatsSeat(PlexSeats seats, PetscInt groups, PetscInt count, const unsigned short place[], PetscInt first, PetscInt n, const uint64_t mask[], const PetscInt order[], PlexSeating *s)
{
  uint64_t had[PLEX_SEATS_LANES]   = {0};
  unsigned taken[PLEX_SEATS_LANES] = {0}; /* a bit a group */

  PetscFunctionBegin;
  s->groups = groups;
  s->size   = (n + groups - 1) / groups;
  s->items  = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt t    = order[k];
    PetscInt       best = -1, fewest = PETSC_INT_MAX, most = -1;

    for (PetscInt lane = 0; lane < PLEX_SEATS_LANES; ++lane) {
      PetscInt shared, has;

      if (taken[lane] >> (t / s->size) & 1) continue;
      shared = __builtin_popcountll(had[lane] & mask[t]);
      if (shared > fewest) continue;
      has = __builtin_popcountll(had[lane]);
      if (shared == fewest && has <= most) continue;
      best   = lane;
      fewest = shared;
      most   = has;
    }
    PetscCheck(best >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " targets in groups of %" PetscInt_FMT, n, s->size);
    s->lane[t] = (unsigned char)best;
    had[best] |= mask[t];
    taken[best] |= 1u << (t / s->size);
  }
  for (PetscInt c = 0; c < count; ++c) s->items += PlexSeatsPasses(s, seats->ef, &place[c * seats->ef], first, n);
  s->cost = s->items * (PLEX_SEATS_COST + PLEX_SEATS_ADD * groups);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n more seats of each lane */
static PetscErrorCode PlexSeatsAdd(PlexSeats seats, PetscInt n, PlexSeat **at)
{
  const size_t more = (size_t)(PLEX_SEATS_LANES * n);

  PetscFunctionBegin;
  if (seats->nshapes + more > seats->maxShapes) {
    seats->maxShapes = 2 * seats->maxShapes + more;
    PetscCall(PetscRealloc(sizeof(*seats->shapes) * seats->maxShapes, &seats->shapes));
  }
  PetscCheck(seats->nshapes + more < 0xffffffffu, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^32 seats in rows: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks");
  *at = &seats->shapes[seats->nshapes];
  seats->nshapes += more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexSeatsSet(PlexSeat at[], PetscInt item, PetscInt lane, unsigned reg, unsigned entry)
{
  at[item / PLEX_SEATS_AHEAD * PLEX_SEATS_LANES + lane].of[item % PLEX_SEATS_AHEAD] = (unsigned short)(reg << PLEX_SEAT_ENTRY_BITS | entry);
}

/* The shape of a part, and its items */
static PetscErrorCode PlexSeatsShape(PlexSeats seats, const PlexSeating *s, PetscInt count, const unsigned short dofs[], const unsigned short place[], PetscInt n, PlexSeatedPart *part)
{
  const PetscInt ef = seats->ef, first = part->first;
  PetscInt       passes = 0, padded;
  PlexSeat      *at     = NULL;

  PetscFunctionBegin;
  part->nitems = s->items;
  PetscCheck((unsigned)part->nitems <= PLEX_SEATS_ITEMS, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " elements meet at a dof, and %u can be numbered", count, PLEX_SEATS_ITEMS);
  padded = (PetscMax(1, part->nitems) + PLEX_SEATS_AHEAD - 1) / PLEX_SEATS_AHEAD * PLEX_SEATS_AHEAD;
  PetscCall(PetscMalloc1(part->nitems, &part->items));
  PetscCall(PlexSeatsAdd(seats, 1 + padded / PLEX_SEATS_AHEAD, &at));
  part->count = (unsigned)s->groups | (unsigned)part->nitems << PLEX_SEATS_GROUP_BITS;
  part->shape = (unsigned)(seats->nshapes - (size_t)(PLEX_SEATS_LANES * (padded / PLEX_SEATS_AHEAD)));
  memset(at, 255, sizeof(*at) * PLEX_SEATS_LANES);
  for (PetscInt t = 0; t < n; ++t) ((PlexSeatsTargets *)at)[s->lane[t]].of[t / s->size] = (unsigned char)t;
  at += PLEX_SEATS_LANES;
  for (PetscInt m = 0; m < padded; ++m)
    for (PetscInt lane = 0; lane < PLEX_SEATS_LANES; ++lane) PlexSeatsSet(at, m, lane, PLEX_SEAT_NONE, 0);
  for (PetscInt c = 0, item = 0; c < count; ++c, item += passes) {
    const unsigned short *order                     = &seats->order[dofs[c] * ef];
    PetscInt              entries[PLEX_SEATS_LANES] = {0}, any = -1;

    passes = PlexSeatsPasses(s, ef, &place[c * ef], first, n);
    for (PetscInt m = 0; m < passes; ++m) part->items[item + m] = c;
    for (PetscInt j = 0; j < ef; ++j) {
      const PetscInt t = PlexSeatsTarget(place[c * ef + j], first, n);

      if (t < 0) continue;
      PlexSeatsSet(at, item + entries[s->lane[t]], s->lane[t], (unsigned)(t / s->size), order[j]);
      entries[s->lane[t]]++;
      any = j;
    }
    /* lanes that add nothing read what another one reads */
    for (PetscInt m = 0; m < passes; ++m)
      for (PetscInt lane = 0; lane < PLEX_SEATS_LANES; ++lane)
        if (entries[lane] <= m) PlexSeatsSet(at, item + m, lane, PLEX_SEAT_NONE, order[any]);
  }
  seats->registers = PetscMax(seats->registers, s->groups);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSeatsPartCreate(PlexSeats seats, PetscInt count, const unsigned short dofs[], const unsigned short place[], PetscInt n, PlexSeatedPart *part)
{
  uint64_t    mask[PLEX_SEATS_TARGETS];
  PetscInt    order[PLEX_SEATS_TARGETS], least = 0;
  PlexSeating best = {.cost = PETSC_INT_MAX}, s;

  PetscFunctionBegin;
  PlexSeatsMasks(seats->ef, count, place, part->first, n, mask, order);
  for (PetscInt c = 0; c < count; ++c) {
    PetscBool any = PETSC_FALSE;

    for (PetscInt j = 0; j < seats->ef && !any; ++j) any = (PetscBool)(PlexSeatsTarget(place[c * seats->ef + j], part->first, n) >= 0);
    least += any;
  }
  for (PetscInt groups = PetscMax(1, (n + PLEX_SEATS_SIZE - 1) / PLEX_SEATS_SIZE); groups <= PLEX_SEATS_GROUPS && least * (PLEX_SEATS_COST + PLEX_SEATS_ADD * groups) < best.cost; ++groups) {
    PetscCall(PlexSeatsSeat(seats, groups, count, place, part->first, n, mask, order, &s));
    if (s.cost < best.cost) best = s;
  }
  PetscCall(PlexSeatsShape(seats, &best, count, dofs, place, n, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSeatsGetRow_Private(PlexSeats seats, PetscInt length, PetscInt count, const int items[], const unsigned short place[], PlexSeatedRow *row)
{
  const PetscInt  n = count * (1 + seats->ef);
  PlexSeatsEntry *e;
  PetscInt        head, each;
  size_t          hash;

  PetscFunctionBegin;
  PetscCall(PlexSeatsSort(seats, count, items, place));
  hash = PlexSeatsHash(length, n, seats->key);
  for (PetscInt k = seats->nheads ? seats->heads[hash % (size_t)seats->nheads] : -1; k >= 0; k = e->next) {
    e = &seats->entries[k];
    if (e->length != length || e->count != count || memcmp(e->key, seats->key, sizeof(*e->key) * (size_t)n)) continue;
    *row       = e->row;
    row->order = seats->sorted;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (seats->n == seats->max) PetscCall(PlexSeatsGrow(seats));
  head               = (PetscInt)(hash % (size_t)seats->nheads);
  e                  = &seats->entries[seats->n];
  *e                 = (PlexSeatsEntry){.length = length, .count = count, .next = seats->heads[head]};
  seats->heads[head] = seats->n++;
  e->row.nparts      = PetscMax(1, (length + PLEX_SEATS_TARGETS - 1) / PLEX_SEATS_TARGETS);
  each               = (length + e->row.nparts - 1) / e->row.nparts;
  PetscCall(PetscMalloc1(n, &e->key));
  PetscCall(PetscArraycpy(e->key, seats->key, n));
  PetscCall(PetscCalloc1(e->row.nparts, &e->row.parts));
  for (PetscInt p = 0; p < e->row.nparts; ++p) {
    e->row.parts[p].first = p * each;
    PetscCall(PlexSeatsPartCreate(seats, count, e->key, e->key + count, PetscMin(each, length - p * each), &e->row.parts[p]));
  }
  *row       = e->row;
  row->order = seats->sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
}
