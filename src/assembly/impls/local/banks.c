/*
  Reading shared memory without conflicts, as far as that goes: items get numbers so that each group of 16 threads reads about as many of each
  bank, and then the threads' items an order, in each step of which as many threads as can be read different banks (a matching, found by
  augmenting paths).
*/
#include "banks.h"

#define PLEX_BANKS_SWEEPS 2 /* over the items, to exchange numbers */

/* Groups of 16 threads, halves, that read items */
typedef struct {
  PetscInt  n;
  PetscInt *first; /* [n+1] */
  int      *of;    /* the halves that read an item, ascending, once for each time */
  int      *load;  /* [halves][banks] reads of a bank */
} PlexBanksUse;

/* Reads of each bank by the halves that read item i */
static void PlexBanksCost(const PlexBanksUse *use, PetscInt i, int cost[])
{
  for (PetscInt b = 0; b < PLEX_BANKS; ++b) cost[b] = 0;
  for (PetscInt h = use->first[i]; h < use->first[i + 1]; ++h)
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) cost[b] += use->load[use->of[h] * PLEX_BANKS + b];
}

static void PlexBanksAdd(PlexBanksUse *use, PetscInt i, int number, int count)
{
  for (PetscInt h = use->first[i]; h < use->first[i + 1]; ++h) use->load[use->of[h] * PLEX_BANKS + number % PLEX_BANKS] += count;
}

/* The items' numbers as items[] names them, each in the bank that is read least by those that read it */
static void PlexBanksStart(PlexBanksUse *use, PetscInt total, const int items[], int number[])
{
  PetscInt used[PLEX_BANKS] = {0};
  int      cost[PLEX_BANKS];

  for (PetscInt k = 0; k < total; ++k) {
    const PetscInt i    = items[k];
    PetscInt       best = -1;

    if (number[i] >= 0) continue;
    PlexBanksCost(use, i, cost);
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) {
      if (used[b] * PLEX_BANKS + b >= use->n) continue; /* full */
      if (best < 0 || cost[b] < cost[best] || (cost[b] == cost[best] && used[b] < used[best])) best = b;
    }
    number[i] = (int)(used[best]++ * PLEX_BANKS + best);
    PlexBanksAdd(use, i, number[i], 1);
  }
  for (PetscInt i = 0, b = 0; i < use->n; ++i) { /* those that no thread reads */
    if (number[i] >= 0) continue;
    while (used[b] * PLEX_BANKS + b >= use->n) ++b;
    number[i] = (int)(used[b]++ * PLEX_BANKS + b);
  }
}

/* Times that both items are read by one half */
static int PlexBanksBoth(const PlexBanksUse *use, PetscInt i, PetscInt j)
{
  PetscInt h = use->first[i], k = use->first[j];
  int      both = 0;

  while (h < use->first[i + 1] && k < use->first[j + 1]) {
    if (use->of[h] < use->of[k]) ++h;
    else if (use->of[h] > use->of[k]) ++k;
    else {
      PetscInt times = 0;

      for (; k + times < use->first[j + 1] && use->of[k + times] == use->of[h]; ++times);
      for (const int half = use->of[h]; h < use->first[i + 1] && use->of[h] == half; ++h) both += (int)times;
      k += times;
    }
  }
  return both;
}

/* Exchanges item i's number with one that is in the bank best for i, if fewer pairs of reads of one half then meet in a bank; item[]: by number */
static void PlexBanksExchange(PlexBanksUse *use, PetscInt i, int number[], int item[])
{
  const PetscInt b    = number[i] % PLEX_BANKS;
  PetscInt       best = b, with = -1;
  int            cost[PLEX_BANKS], other[PLEX_BANKS], least = 0;

  PlexBanksCost(use, i, cost);
  cost[b] -= (int)(use->first[i + 1] - use->first[i]);
  for (PetscInt c = 0; c < PLEX_BANKS; ++c)
    if (cost[c] < cost[best]) best = c;
  if (best == b) return;
  for (PetscInt k = best; k < use->n; k += PLEX_BANKS) {
    const PetscInt j = item[k];
    int            change;

    PlexBanksCost(use, j, other);
    other[best] -= (int)(use->first[j + 1] - use->first[j]);
    change = cost[best] - cost[b] + other[b] - other[best];
    if (change < least + 2 * (int)(use->first[i + 1] - use->first[i])) change -= 2 * PlexBanksBoth(use, i, j);
    if (change >= least) continue;
    least = change;
    with  = j;
  }
  if (with < 0) return;
  PlexBanksAdd(use, i, number[i], -1);
  PlexBanksAdd(use, with, number[with], -1);
  item[number[i]]    = (int)with;
  item[number[with]] = (int)i;
  best               = number[i];
  number[i]          = number[with];
  number[with]       = (int)best;
  PlexBanksAdd(use, i, number[i], 1);
  PlexBanksAdd(use, with, number[with], 1);
}

PetscErrorCode PlexBanksNumber_Private(PetscInt nhalves, const PetscInt start[], const int items[], PetscInt n, int number[])
{
  PlexBanksUse use = {.n = n};
  PetscInt    *left;
  int         *item;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n + 1, &use.first, n, &left, start[nhalves], &use.of, nhalves * PLEX_BANKS, &use.load, n, &item));
  for (PetscInt k = 0; k < start[nhalves]; ++k) use.first[items[k] + 1]++;
  for (PetscInt i = 0; i < n; ++i) {
    left[i] = use.first[i + 1];
    use.first[i + 1] += use.first[i];
    number[i] = -1;
  }
  for (PetscInt h = 0; h < nhalves; ++h)
    for (PetscInt k = start[h]; k < start[h + 1]; ++k) use.of[use.first[items[k] + 1] - left[items[k]]--] = (int)h;
  PlexBanksStart(&use, start[nhalves], items, number);
  for (PetscInt i = 0; i < n; ++i) item[number[i]] = (int)i;
  for (PetscInt sweep = 0; sweep < PLEX_BANKS_SWEEPS; ++sweep)
    for (PetscInt i = 0; i < n; ++i) PlexBanksExchange(&use, i, number, item);
  PetscCall(PetscFree5(use.first, left, use.of, use.load, item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step: which row reads a bank */
typedef struct {
  PetscInt  rows, room[PLEX_BANKS];                        /* room: threads of a row that have nothing to read yet */
  PetscInt  left[PLEX_BANKS][PLEX_BANKS], row[PLEX_BANKS]; /* left: items of a row in a bank; row that reads a bank, -1 */
  PetscBool seen[PLEX_BANKS];
} PlexBanksStep;

/* Finds a row for a bank; one that has no thread left may read another bank less, for which a row is found */
static PetscBool PlexBanksMatch(PlexBanksStep *s, PetscInt bank)
{
  for (PetscInt r = 0; r < s->rows; ++r) {
    PetscBool free;

    if (s->seen[r] || !s->left[r][bank]) continue;
    s->seen[r] = PETSC_TRUE;
    free       = (PetscBool)(s->room[r] > 0);
    if (free) --s->room[r];
    for (PetscInt b = 0; b < PLEX_BANKS && !free; ++b) free = (PetscBool)(s->row[b] == r && PlexBanksMatch(s, b));
    if (!free) continue;
    s->row[bank] = r;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Takes an item of a row in a bank, for a thread of that row */
static void PlexBanksTake(PlexBanksStep *s, PetscInt r, PetscInt b, PetscInt parts, const PetscInt start[], const int bank[], PetscBool taken[], int slot[])
{
  PetscInt k = start[r], p = 0;

  while (taken[k] || bank[k] != b) ++k;
  while (slot[r * parts + p] >= 0) ++p;
  taken[k]            = PETSC_TRUE;
  slot[r * parts + p] = (int)k;
  s->left[r][b]--;
}

void PlexBanksOrder_Private(PetscInt rows, PetscInt parts, PetscInt steps, const PetscInt start[], const int bank[], int slot[])
{
  PlexBanksStep s                      = {.rows = rows};
  PetscBool     taken[PLEX_BANKS * 64] = {PETSC_FALSE};
  PetscInt      all[PLEX_BANKS], degree[PLEX_BANKS] = {0};

  for (PetscInt k = 0; k < steps * PLEX_BANKS; ++k) slot[k] = -1;
  for (PetscInt r = 0; r < rows; ++r) {
    all[r] = start[r + 1] - start[r];
    for (PetscInt k = start[r]; k < start[r + 1]; ++k) {
      s.left[r][bank[k]]++;
      degree[bank[k]]++;
    }
  }
  for (PetscInt step = 0; step < steps; ++step, slot += PLEX_BANKS) {
    PetscBool tried[PLEX_BANKS] = {PETSC_FALSE};
    PetscInt  load[PLEX_BANKS]  = {0};

    for (PetscInt r = 0; r < rows; ++r) s.room[r] = PetscMin(parts, all[r]);
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) s.row[b] = -1;
    for (PetscInt n = 0; n < PLEX_BANKS; ++n) { /* banks with most items left first */
      PetscInt most = -1;

      for (PetscInt b = 0; b < PLEX_BANKS; ++b)
        if (!tried[b] && (most < 0 || degree[b] > degree[most])) most = b;
      tried[most] = PETSC_TRUE;
      for (PetscInt r = 0; r < rows; ++r) s.seen[r] = PETSC_FALSE;
      if (degree[most]) PlexBanksMatch(&s, most);
    }
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) {
      if (s.row[b] < 0) continue;
      PlexBanksTake(&s, s.row[b], b, parts, start, bank, taken, slot);
      degree[b]--;
      load[b]++;
      all[s.row[b]]--;
    }
    for (PetscInt r = 0; r < rows; ++r) { /* what cannot wait */
      while (s.room[r] > 0 && all[r] > parts * (steps - 1 - step)) {
        PetscInt least = -1;

        for (PetscInt b = 0; b < PLEX_BANKS; ++b)
          if (s.left[r][b] && (least < 0 || load[b] < load[least])) least = b;
        PlexBanksTake(&s, r, least, parts, start, bank, taken, slot);
        degree[least]--;
        load[least]++;
        all[r]--;
        s.room[r]--;
      }
    }
  }
}
