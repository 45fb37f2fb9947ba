/*
  Cuts a sequence of items into blocks, and lists for each block the elements around its items, and what these elements
  have, without repetition. An item whose block would not fit begins the next one.
*/
#include "cut.h"

#define PLEX_CUT_AHEAD 12 /* items that are fetched before they come */

PetscErrorCode PlexCutCreate_Private(PetscInt n, const int item[], const PlexLists *around, PetscInt Ne, PlexCut *cut)
{
  PetscFunctionBegin;
  *cut = (PlexCut){.n = n, .item = item, .around = around, .allocated = 1024};
  PetscCall(PetscMalloc1(cut->allocated, &cut->start));
  cut->start[0] = 0;
  PetscCall(PlexCutAddList_Private(cut, 1, NULL, around ? Ne : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCutAddList_Private(PlexCut *cut, PetscInt k, const int conn[], PetscInt n)
{
  PlexCutList *list = &cut->list[cut->nlists++];

  PetscFunctionBegin;
  *list = (PlexCutList){.k = k, .conn = conn};
  PetscCall(PetscMalloc1(cut->allocated, &list->start));
  PetscCall(PetscCalloc1(n, &list->stamp));
  list->start[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCutDestroy_Private(PlexCut *cut)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cut->start));
  for (PetscInt q = 0; q < cut->nlists; ++q) {
    PetscCall(PetscFree(cut->list[q].start));
    PetscCall(PetscFree(cut->list[q].items));
    PetscCall(PetscFree(cut->list[q].stamp));
  }
  cut->nlists = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of n things that the block does not list yet, behind the `count` that it lists, where there is room for one
   more. Without branches, which would be taken at random */
static inline PetscInt PlexCutTouch(const PetscInt n, const int things[], int mark, int stamp[], PetscInt count,
                                    int list[])
{
  for (PetscInt k = 0; k < n; ++k) {
    const int x = things[k];

    list[count] = x;
    count += stamp[x] != mark;
    stamp[x] = mark;
  }
  return count;
}

/* What n elements have. To be inlined: k is then a number */
static inline __attribute__((always_inline)) PetscInt PlexCutTouchAll(const PetscInt k, PetscInt n,
                                                                      const int elements[], const PlexCutList *list,
                                                                      int mark, PetscInt count, int items[])
{
  const int *conn  = list->conn;
  int       *stamp = list->stamp;

  for (PetscInt e = 0; e < n; ++e) {
    if (e + PLEX_CUT_AHEAD < n) PlexFetch(&conn[(size_t)elements[e + PLEX_CUT_AHEAD] * (size_t)k]);
    count = PlexCutTouch(k, &conn[(size_t)elements[e] * (size_t)k], mark, stamp, count, items);
  }
  return count;
}

static PetscErrorCode PlexCutRoom(PlexCutList *list, PetscInt need)
{
  PetscFunctionBegin;
  if (need > list->allocated) {
    list->allocated = PetscMax(2 * list->allocated, need);
    PetscCall(PetscRealloc(sizeof(int) * (size_t)list->allocated, &list->items));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items i .. end-1 into the lists of the last block, which have counts[] things */
static PetscErrorCode PlexCutTake(PlexCut *cut, PetscInt i, PetscInt end, PetscInt counts[])
{
  const PetscInt b = cut->nblocks, before = counts[0];
  const int      mark  = cut->mark;
  const int     *fresh = &cut->item[i];

  PetscFunctionBegin;
  if (!cut->around) counts[0] += end - i;
  for (; cut->around && i < end; ++i) {
    PlexCutList   *elements = &cut->list[0];
    const PetscInt l = cut->item[i], first = l < 0 ? 0 : cut->around->start[l],
                   n = l < 0 ? 0 : cut->around->start[l + 1] - first;

    PetscCall(PlexCutRoom(elements, elements->start[b] + counts[0] + n + 1));
    counts[0] = PlexCutTouch(n, &cut->around->items[first], mark, elements->stamp, counts[0],
                             &elements->items[elements->start[b]]);
    fresh     = &elements->items[elements->start[b] + before];
  }
  for (PetscInt q = 1; q < cut->nlists; ++q) {
    PlexCutList   *list = &cut->list[q];
    const PetscInt n = counts[0] - before, k = list->k;

    PetscCall(PlexCutRoom(list, list->start[b] + counts[q] + n * k + 1));
    if (k == 3) counts[q] = PlexCutTouchAll(3, n, fresh, list, mark, counts[q], &list->items[list->start[b]]);
    else if (k == 4) counts[q] = PlexCutTouchAll(4, n, fresh, list, mark, counts[q], &list->items[list->start[b]]);
    else counts[q] = PlexCutTouchAll(k, n, fresh, list, mark, counts[q], &list->items[list->start[b]]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fetches what later items need, each level of it when the one before has come */
static inline void PlexCutFetch(const PlexCut *cut, PetscInt i)
{
  const PetscInt   last   = cut->n - 1;
  const PlexLists *around = cut->around;
  PetscInt         l;

  if (!around || i + 3 * PLEX_CUT_AHEAD > last) return;
  PlexFetch(&around->start[PetscMax(0, cut->item[i + 3 * PLEX_CUT_AHEAD])]);
  l = PetscMax(0, cut->item[i + 2 * PLEX_CUT_AHEAD]);
  PlexFetch(&around->items[around->start[l]]);
  l = PetscMax(0, cut->item[i + PLEX_CUT_AHEAD]);
  for (PetscInt t = around->start[l]; t < around->start[l + 1]; ++t) {
    const size_t e = (size_t)around->items[t];

    PlexFetch(&cut->list[0].stamp[e]);
    if (cut->nlists > 1) PlexFetch(&cut->list[1].conn[e * (size_t)cut->list[1].k]);
  }
}

PetscErrorCode PlexCutNext_Private(PlexCut *cut, PetscInt end, PlexCutFits fits, void *ctx)
{
  const PetscInt b = cut->nblocks, first = cut->start[b], nlists = cut->nlists;
  PetscInt       counts[PLEX_CUT_LISTS] = {0}, more[PLEX_CUT_LISTS] = {0}, i = end;

  PetscFunctionBegin;
  if (b + 2 > cut->allocated) {
    cut->allocated *= 2;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)cut->allocated, &cut->start));
    for (PetscInt q = 0; q < nlists; ++q)
      PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)cut->allocated, &cut->list[q].start));
  }
  ++cut->mark;
  if (!fits) PetscCall(PlexCutTake(cut, first, end, counts));
  for (i = fits ? first : end; i < end; ++i) {
    PlexCutFetch(cut, i);
    PetscCall(PlexCutTake(cut, i, i + 1, more));
    if (i > first && !fits(cut, first, i + 1, more, ctx)) break;
    for (PetscInt q = 0; q < nlists; ++q) counts[q] = more[q];
  }
  cut->start[++cut->nblocks] = i;
  for (PetscInt q = 0; q < nlists; ++q) cut->list[q].start[b + 1] = cut->list[q].start[b] + counts[q];
  PetscFunctionReturn(PETSC_SUCCESS);
}
