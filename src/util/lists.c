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

/* start[n+1] of the lists; *repeats: some element names an item twice */
static PetscErrorCode ListsCount(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt start[],
                                 PetscBool *repeats)
{
  PetscFunctionBegin;
  *repeats = PETSC_FALSE;
  for (PetscInt e = 0; e < Ne; ++e) {
    const int *items = &conn[(size_t)e * k];

    for (PetscInt i = 0; e + PLEX_FETCH_AHEAD < Ne && i < k; ++i)
      PlexFetch(&start[PetscMax(0, items[PLEX_FETCH_AHEAD * k + i])]);
    for (PetscInt i = 0; i < k; ++i) {
      PetscCheck(items[i] < n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                 "Element %" PetscInt_FMT " touches item %d, and there are %" PetscInt_FMT, e, items[i], n);
      if (items[i] < 0) continue;
      if (ListsRepeats(items, i)) *repeats = PETSC_TRUE;
      else ++start[items[i] + 1];
    }
  }
  for (PetscInt v = 0; v < n; ++v) {
    PetscCheck(start[v] <= PETSC_INT_MAX - start[v + 1], PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
               "Lists of more than %" PetscInt_FMT " entries: use more ranks, or PETSc with 64-bit indices",
               PETSC_INT_MAX);
    start[v + 1] += start[v];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Example, two triangles: conn = {{0, 1, 2}, {2, 1, 3}} gives start = {0, 1, 3, 5, 6}, items = {0, 0, 1, 0, 1, 1}.

  An item that an element names twice is listed once; negative entries of conn (no item) are skipped.
*/
PetscErrorCode PlexListsInvertAlong(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, const int order[],
                                    PlexLists *lists)
{
  PetscInt *start; /* [n+1] */
  PetscBool repeats;

  PetscFunctionBegin;
  lists->n = n;
  PetscCall(PetscCalloc1(n + 1, &start));
  PetscCall(ListsCount(Ne, k, conn, n, start, &repeats));
  PetscCall(PetscMalloc1(start[n], &lists->items));
  for (PetscInt q = 0; q < Ne; ++q) {
    const PetscInt e     = order ? order[q] : q;
    const int     *items = &conn[(size_t)e * k];

    if (q + 2 * PLEX_FETCH_AHEAD < Ne && order) PlexFetch(&conn[(size_t)order[q + 2 * PLEX_FETCH_AHEAD] * k]);
    for (PetscInt i = 0; q + PLEX_FETCH_AHEAD < Ne && i < k; ++i)
      PlexFetch(&start[PetscMax(0,
                                conn[(size_t)(order ? order[q + PLEX_FETCH_AHEAD] : q + PLEX_FETCH_AHEAD) * k + i])]);
    for (PetscInt i = 0; i < k; ++i)
      if (items[i] >= 0 && !(repeats && ListsRepeats(items, i))) lists->items[start[items[i]]++] = (int)e;
  }
  for (PetscInt v = n; v > 0; --v) start[v] = start[v - 1];
  start[0]     = 0;
  lists->start = start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexListsInvert(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PlexLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PlexListsInvertAlong(Ne, k, conn, n, NULL, lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}
