/*
  Tasks of a block of pairs: its pairs, sorted by kind and number of elements, in warps, with the records that these
  read.
*/
#include "pairsimpl.h"

static inline PetscInt PlexPairsBin(const PlexPairsWalk *w, PetscInt pos)
{
  return w->kind[pos] * 64 + PetscMax(0, 63 - PlexPairsCount(w, pos));
}

/* Primary places sorted by kind, those with most items first */
static PetscInt PlexPairsSort(PlexPairsWalk *w)
{
  PetscInt to[PLEX_PAIR_KINDS * 64 + 1] = {0};

  for (PetscInt k = 0; k < w->nentries; ++k)
    if (w->kind[k] != 0xff) ++to[PlexPairsBin(w, k) + 1];
  for (PetscInt b = 0; b < w->kinds->kinds * 64; ++b) to[b + 1] += to[b];
  for (PetscInt k = 0; k < w->nentries; ++k)
    if (w->kind[k] != 0xff) w->pairs[to[PlexPairsBin(w, k)]++] = (int)k;
  return to[w->kinds->kinds * 64];
}

/* Lanes that read an item at once: x and y of a gradient are one number of twice the bytes */
static inline PetscInt PlexPairsBanks(const PlexPairsWalk *w)
{
  return PLEX_PAIRS_LINE / (PetscInt)PlexAssemblyRealSize(w->asm_) / (w->kinds->kept == PLEX_PAIRS_GRADIENTS ? 2 : 1);
}

/* Banks that the sorted pairs read and write */
static void PlexPairsGetBanks(PlexPairsWalk *w, PetscInt n)
{
  const PetscInt mask = PlexPairsBanks(w) - 1;

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt pos = w->pairs[k], place = PLEX_PAIR_SEVERAL(w) ? w->place[pos] : pos;
    uint64_t       banks = (place == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(0, place)) |
                           (w->other[pos] == PLEX_PAIR_NONE ? 0 : PLEX_PAIR_WRITES(1, w->other[pos]));

    for (PetscInt i = w->start[pos]; i < w->start[pos + 1]; ++i) banks |= (uint64_t)1 << (w->sorted[i] & mask);
    w->banks[k] = banks;
  }
}

/* A task of `words` words of items in so many groups of records, of a kind, whose pairs are shared out to 2^split
   lanes; to: its records */
static PetscErrorCode PlexPairsBeginTask(PetscInt first, PetscInt kind, PetscInt terms, PetscInt split, PetscInt words,
                                         PetscInt groups, PlexPairsBuffers *b, unsigned **to)
{
  const PetscInt group = (PetscInt)(b->records.n / 64) - first;
  int           *task;

  PetscFunctionBegin;
  PetscCheck(group <= 0x1fff && words <= PLEX_PAIR_LONGEST, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " groups, %" PetscInt_FMT " words", group, words);
  PetscCall(PlexPackBufferExtend(&b->lists, 1, &task));
  *task = (int)((unsigned)group | (unsigned)terms << 13 | (unsigned)kind << 16 | (unsigned)split << 23 |
                (unsigned)words << 25);
  PetscCall(PlexPackBufferExtend(&b->records, 64 * (size_t)(1 + groups), (int **)to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lanes that a pair is shared out to, as a power of two: one with many elements would keep its warp when all others
   wait */
static inline PetscInt PlexPairsSplit(const PlexPairsWalk *w, PetscInt pos)
{
  return PlexPairsCount(w, pos) > 2 * PLEX_PAIR_MANY ? 2 : PlexPairsCount(w, pos) > PLEX_PAIR_MANY ? 1 : 0;
}

/* Words of items of a lane */
static inline PetscInt PlexPairsWords(const PlexPairsWalk *w, PetscInt pos, PetscInt split)
{
  const PetscInt items = PLEX_PAIR_ITEMS_WORD(w) << split;

  return (PlexPairsCount(w, pos) + items - 1) / items;
}

/* A task of the pairs at n of so many primary places, which become the first ones: as many as there are lanes for, one
   or two a lane; first: the block's first group of records */
static PetscErrorCode PlexPairsAddTask(PlexPairsWalk *w, PetscInt first, PetscInt split, PetscInt n,
                                       PetscInt candidates, int pos[], uint64_t banks[], PlexPairsBuffers *b)
{
  const PetscBool     several = PLEX_PAIR_SEVERAL(w);
  const PlexPairKind *kind    = &w->kinds->kind[w->kind[pos[0]]];
  const PetscInt      parts = 1 << split, some = PLEX_PAIR_ITEMS_GROUP(w);
  const PetscInt      lanes = PlexPairsBanks(w), sets = PLEX_PAIR_LANES(w) / lanes;
  PlexPairLanes      *l     = w->lanes;
  PlexPairLists       lists = {pos,      banks,     candidates,   PLEX_PAIR_TRIES, PLEX_PAIR_MORE,
                               w->start, w->sorted, w->nelements, w->stride};
  PetscInt            words = 0;
  unsigned           *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) words = PetscMax(words, PlexPairsWords(w, pos[k], split));
  PetscCall(PlexPairsBeginTask(first, w->kind[pos[0]] | (PetscMax(1, kind->dofs[0]) - 1) << 5,
                               several ? kind->dofs[1] : kind->terms, split, words,
                               (words * PLEX_PAIR_ITEMS_WORD(w) + some - 1) / some, b, &to));
  PlexPairLanesBegin_Private(l, PLEX_PAIR_LANES(w), lanes, words * PLEX_PAIR_ITEMS_WORD(w));
  if (!w->arranges) PlexPairLanesFillInOrder_Private(l, parts, n, &lists);
  for (PetscInt set = 0, done = 0, end; set < sets && w->arranges; ++set, done = end) {
    end = done + (n - done + sets - set - 1) / (sets - set);
    w->turns[0] += (double)PlexPairLanesFillSet_Private(l, set, parts, done, end - done, &lists);
    w->reads[0] += (double)l->steps;
  }
  for (PetscInt k = 0; k < PLEX_PAIR_LANES(w); ++k) {
    const PetscInt  p      = l->list[k];
    const PetscBool writes = (PetscBool)(p >= 0 && k % parts == 0);
    unsigned       *at     = to + k % 32 * 2 + k / 32;

    at[0] = writes ? (unsigned)(several ? w->place[p] : p) | (unsigned)w->other[p] << 16 : 0xffffffffu;
    if (several) at[1] = writes ? w->shape[p] : 0;
    for (PetscInt i = 0; i < l->steps; ++i)
      at[64 * (1 + i / some) + i % some / 2] |= (unsigned)l->item[k * l->steps + i] << i % 2 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places to which nothing is added, four a lane */
static PetscErrorCode PlexPairsZeros(PlexPairsWalk *w, PetscInt first, PlexPairsBuffers *b)
{
  PetscInt  n  = 0;
  unsigned *to = NULL;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < w->nentries; ++k) {
    if (w->kind[k] != 0xff || w->covered[k]) continue;
    if (n % 128 == 0) {
      PetscCall(PlexPairsBeginTask(first, 0, 0, 0, 0, 0, b, &to));
      memset(to, 0xff, 64 * sizeof(*to));
    }
    to[n % 64] &= n % 128 < 64 ? 0xffff0000u | (unsigned)k : (unsigned)k << 16 | 0xffffu;
    ++n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tasks with most words first, as warps take one after the other */
static int PlexPairsCompare(const void *a, const void *b)
{
  const unsigned s = *(const unsigned *)a, t = *(const unsigned *)b;

  return s < t ? 1 : s > t ? -1 : 0;
}

PetscErrorCode PlexPairsAddTasks_Private(PlexPairsWalk *w, PlexPairsBlock *block, PlexPairsBuffers *b, PetscInt *npairs)
{
  const PetscInt n = PlexPairsSort(w);
  int           *to;

  PetscFunctionBegin;
  if (w->arranges) PlexPairsGetBanks(w, n);
  for (PetscInt k = 0, m; k < n; k += m) {
    int *const     pos   = &w->pairs[k];
    const PetscInt split = PlexPairsSplit(w, *pos), room = PLEX_PAIR_LANES(w) >> split;

    /* all that have as many words, or as many as there is room for */
    for (m = 1; k + m < n && w->kind[pos[m]] == w->kind[*pos] && PlexPairsSplit(w, pos[m]) == split &&
                (m < room || PlexPairsWords(w, pos[m], split) == PlexPairsWords(w, *pos, split));)
      ++m;
    PetscCall(PlexPairsAddTask(w, block->group, split, PetscMin(m, room), m, pos, &w->banks[k], b));
    m = PetscMin(m, room);
  }
  PetscCall(PlexPairsZeros(w, block->group, b));
  block->tasks = (int)b->lists.n - 4 * block->list;
  qsort(&b->lists.entries[4 * (size_t)block->list], (size_t)block->tasks, sizeof(int), PlexPairsCompare);
  if (block->tasks % 4) PetscCall(PlexPackBufferExtend(&b->lists, 4 - block->tasks % 4, &to));
  *npairs = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
