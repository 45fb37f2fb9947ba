/*
  Reading shared memory without conflicts, as far as that goes: items get numbers so that each group of 16 threads reads
  about as many of each bank, and then the threads' items an order, in each step of which threads read one item or
  different banks where they can.
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
  for (PetscInt h = use->first[i]; h < use->first[i + 1]; ++h)
    use->load[use->of[h] * PLEX_BANKS + number % PLEX_BANKS] += count;
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

/* Exchanges item i's number with one that is in the bank best for i, if fewer pairs of reads of one half then meet in a
   bank; item[]: by number */
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

PetscErrorCode PlexBanksNumber_Private(PetscInt nhalves, const PetscInt start[], const int items[], PetscInt n,
                                       int number[])
{
  PlexBanksUse use = {.n = n};
  PetscInt    *left;
  int         *item;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n + 1, &use.first, n, &left, start[nhalves], &use.of, nhalves * PLEX_BANKS, &use.load, n,
                         &item));
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

/* What the threads of a step read: different items where one that several read counts once, and reads of each bank */
typedef struct {
  PetscBool together;
  PetscInt  n, load[PLEX_BANKS];
  int       items[PLEX_BANKS];
} PlexBanksStep;

/* Passes after which an item could be read, were it the next one; 0: with another thread's */
static PetscInt PlexBanksWait(const PlexBanksStep *s, int item)
{
  for (PetscInt k = 0; k < s->n && s->together; ++k)
    if (s->items[k] == item) return 0;
  return 1 + s->load[item % PLEX_BANKS];
}

/* The item left of a row that waits least, k < 0: none is left */
static PetscInt PlexBanksBest(const PlexBanksStep *s, PetscInt first, PetscInt end, const int items[],
                              const PetscBool taken[], PetscInt *wait)
{
  PetscInt best = -1;

  *wait = PETSC_INT_MAX;
  for (PetscInt k = first; k < end && *wait; ++k) {
    const PetscInt w = taken[k] ? PETSC_INT_MAX : PlexBanksWait(s, items[k]);

    if (w >= *wait) continue;
    *wait = w;
    best  = k;
  }
  return best;
}

void PlexBanksOrder_Private(PetscBool together, PetscInt rows, PetscInt parts, PetscInt steps, const PetscInt start[],
                            const int items[], PetscBool taken[], int slot[], PetscInt *passes)
{
  *passes = 0;
  for (PetscInt k = 0; k < steps * PLEX_BANKS; ++k) slot[k] = -1;
  for (PetscInt step = 0; step < steps; ++step, slot += PLEX_BANKS) {
    PlexBanksStep s    = {.together = together};
    PetscInt      most = 0;

    for (PetscInt turn = 0; turn < 2; ++turn) { /* first those that need not wait */
      for (PetscInt t = 0; t < rows * parts; ++t) {
        const PetscInt r = t % rows, at = t / rows * (PLEX_BANKS / parts) + r;
        PetscInt       wait, best;

        if (slot[at] >= 0) continue;
        best = PlexBanksBest(&s, start[r], start[r + 1], items, taken, &wait);
        if (best < 0 || (!turn && wait > 1)) continue;
        slot[at]    = (int)best;
        taken[best] = PETSC_TRUE;
        if (!wait) continue;
        s.items[s.n++] = items[best];
        s.load[items[best] % PLEX_BANKS]++;
      }
    }
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) most = PetscMax(most, s.load[b]);
    *passes += most;
  }
}
