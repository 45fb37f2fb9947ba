/* Compressed lists */
#include <plexgpu/private/util.h>

PetscErrorCode PlexListsDestroy(PlexLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(lists->start));
  PetscCall(PetscFree(lists->items));
  lists->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* items[i] is among items[0..i) */
static inline PetscBool ListsRepeats(const int items[], PetscInt i)
{
  int repeats = 0;

  for (PetscInt j = 0; j < i; ++j) repeats |= items[j] == items[i];
  return (PetscBool)repeats;
}

typedef struct {
  PetscInt   Ne, k, n;
  const int *conn;    /* [Ne][k] */
  const int *order;   /* [Ne]; NULL: ascending */
  PetscInt  *start;   /* [n+1] first lengths, then where lists begin, then where they end */
  int       *items;   /* [start[n]] */
  PetscBool  several; /* threads */
  PlexCount  repeats; /* elements that name an item twice */
  PlexLowest wrong;   /* element with an item that there is not */
} Lists;

/* *counter before one is added to it */
static inline PetscInt ListsNext(const Lists *l, PetscInt *counter)
{
  return l->several ? __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED) : (*counter)++;
}

static void ListsCountLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Lists         *l       = (Lists *)ctx;
  const PetscInt k       = l->k;
  PetscInt       repeats = 0;

  for (PetscInt e = begin; e < end; ++e) {
    const int *items = &l->conn[(size_t)e * k];

    for (PetscInt i = 0; e + PLEX_FETCH_AHEAD < l->Ne && i < k; ++i)
      PlexFetch(&l->start[PetscClipInterval(items[PLEX_FETCH_AHEAD * k + i], 0, l->n)]);
    for (PetscInt i = 0; i < k; ++i) {
      if (items[i] >= l->n) PlexLowestPut(&l->wrong, e);
      if (items[i] < 0 || items[i] >= l->n) continue;
      if (ListsRepeats(items, i)) ++repeats;
      else (void)ListsNext(l, &l->start[items[i] + 1]);
    }
  }
  PlexCountAdd(&l->repeats, repeats);
}

/* start[n+1] of the lists */
static PetscErrorCode ListsCount(Lists *l)
{
  PetscInt *start = l->start, e;

  PetscFunctionBegin;
  PlexCountInit(&l->repeats);
  PlexLowestInit(&l->wrong, l->Ne);
  PetscCall(PlexThreadsRun(l->Ne, PLEX_THREADS_LEAST, ListsCountLoop, l));
  e = PlexLowestGet(&l->wrong);
  for (PetscInt i = 0; e < l->Ne && i < l->k; ++i)
    PetscCheck(l->conn[(size_t)e * l->k + i] < l->n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Element %" PetscInt_FMT " touches item %d, and there are %" PetscInt_FMT, e,
               l->conn[(size_t)e * l->k + i], l->n);
  for (PetscInt v = 0; v < l->n; ++v) {
    PetscCheck(start[v] <= PETSC_INT32_MAX - start[v + 1], PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
               "Lists of more than %d entries on a process: use more ranks", PETSC_INT32_MAX);
    start[v + 1] += start[v];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts elements into lists; of several threads their places in the order, for ListsSortLoop() */
static void ListsFillLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Lists          *l       = (Lists *)ctx;
  const PetscInt  k       = l->k;
  const int      *order   = l->order;
  const PetscBool repeats = (PetscBool)(PlexCountGet(&l->repeats) > 0);

  for (PetscInt q = begin; q < end; ++q) {
    const PetscInt e     = order ? order[q] : q;
    const int     *items = &l->conn[(size_t)e * k];

    if (q + 2 * PLEX_FETCH_AHEAD < l->Ne && order) PlexFetch(&l->conn[(size_t)order[q + 2 * PLEX_FETCH_AHEAD] * k]);
    for (PetscInt i = 0; q + PLEX_FETCH_AHEAD < l->Ne && i < k; ++i)
      PlexFetch(&l->start[PetscMax(0, l->conn[(size_t)(order ? order[q + PLEX_FETCH_AHEAD] : q + PLEX_FETCH_AHEAD) * k +
                                              i])]);
    for (PetscInt i = 0; i < k; ++i)
      if (items[i] >= 0 && !(repeats && ListsRepeats(items, i)))
        l->items[ListsNext(l, &l->start[items[i]])] = (int)(l->several ? q : e);
  }
}

/* Lists are short, and nearly in order */
static void ListsSortLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Lists *l = (Lists *)ctx;

  for (PetscInt v = begin; v < end; ++v) {
    const PetscInt first = l->start[v], n = l->start[v + 1] - first;
    int           *items = &l->items[first];

    for (PetscInt i = 1; i < n; ++i) {
      const int item = items[i];
      PetscInt  at   = i;

      for (; at > 0 && items[at - 1] > item; --at) items[at] = items[at - 1];
      items[at] = item;
    }
    for (PetscInt i = 0; i < n && l->order; ++i) items[i] = l->order[items[i]];
  }
}

/*
  Example, two triangles: conn = {{0, 1, 2}, {2, 1, 3}} gives start = {0, 1, 3, 5, 6}, items = {0, 0, 1, 0, 1, 1}.

  An item that an element names twice is listed once; negative entries of conn (no item) are skipped.
*/
PetscErrorCode PlexListsInvertAlong(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, const int order[],
                                    PlexLists *lists)
{
  Lists    l = {.Ne = Ne, .k = k, .n = n, .conn = conn, .order = order};
  PetscInt threads;

  PetscFunctionBegin;
  PetscCall(PlexThreadsGetNumber(&threads));
  l.several = (PetscBool)(threads > 1);
  lists->n  = n;
  PetscCall(PetscCalloc1(n + 1, &l.start));
  PetscCall(ListsCount(&l));
  PetscCall(PetscMalloc1(l.start[n], &l.items));
  PetscCall(PlexThreadsRun(Ne, PLEX_THREADS_LEAST, ListsFillLoop, &l));
  for (PetscInt v = n; v > 0; --v) l.start[v] = l.start[v - 1];
  l.start[0] = 0;
  if (l.several) PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST, ListsSortLoop, &l));
  lists->start = l.start;
  lists->items = l.items;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexListsInvert(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PlexLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PlexListsInvertAlong(Ne, k, conn, n, NULL, lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}
