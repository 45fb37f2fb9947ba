/*
  Reading shared memory without conflicts, as far as that goes: the order in which threads read their items, in each
  step of which they read one item or different banks where they can.
*/
#include "banks.h"

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
