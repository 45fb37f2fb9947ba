/*
  Reading shared memory without conflicts, as far as that goes: items get numbers so that each group of 16 threads reads about as many of each
  bank, and then the threads' items an order, in each step of which as many threads as can be read different banks (a matching, found by
  augmenting paths).
*/
#include "banks.h"

PetscErrorCode PlexBanksNumber_Private(PetscInt nhalves, const PetscInt start[], const int items[], PetscInt n, int number[])
{
  PetscInt *first, *left, used[PLEX_BANKS] = {0};
  int      *of, *load;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n + 1, &first, n, &left, start[nhalves], &of, nhalves * PLEX_BANKS, &load));
  for (PetscInt k = 0; k < start[nhalves]; ++k) first[items[k] + 1]++;
  for (PetscInt i = 0; i < n; ++i) {
    left[i] = first[i + 1];
    first[i + 1] += first[i];
    number[i] = -1;
  }
  for (PetscInt h = 0; h < nhalves; ++h)
    for (PetscInt k = start[h]; k < start[h + 1]; ++k) of[first[items[k] + 1] - left[items[k]]--] = (int)h;
  for (PetscInt k = 0; k < start[nhalves]; ++k) {
    const PetscInt i                = items[k];
    int            cost[PLEX_BANKS] = {0};
    PetscInt       best             = -1;

    if (number[i] >= 0) continue;
    for (PetscInt h = first[i]; h < first[i + 1]; ++h)
      for (PetscInt b = 0; b < PLEX_BANKS; ++b) cost[b] += load[of[h] * PLEX_BANKS + b];
    for (PetscInt b = 0; b < PLEX_BANKS; ++b) {
      if (used[b] * PLEX_BANKS + b >= n) continue; /* full */
      if (best < 0 || cost[b] < cost[best] || (cost[b] == cost[best] && used[b] < used[best])) best = b;
    }
    number[i] = (int)(used[best]++ * PLEX_BANKS + best);
    for (PetscInt h = first[i]; h < first[i + 1]; ++h) load[of[h] * PLEX_BANKS + best]++;
  }
  for (PetscInt i = 0, b = 0; i < n; ++i) { /* those that no thread reads */
    if (number[i] >= 0) continue;
    while (used[b] * PLEX_BANKS + b >= n) ++b;
    number[i] = (int)(used[b]++ * PLEX_BANKS + b);
  }
  PetscCall(PetscFree4(first, left, of, load));
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
