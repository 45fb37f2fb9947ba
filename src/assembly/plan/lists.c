/* Compressed lists */
#include <plexgpu/impl.h>

PetscErrorCode PlexListsDestroy(PlexLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(lists->start));
  PetscCall(PetscFree(lists->items));
  lists->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Example, two triangles: conn = {{0, 1, 2}, {2, 1, 3}} gives start = {0, 1, 3, 5, 6}, items = {0, 0, 1, 0, 1, 1}.

  An item that an element names twice is listed once; negative entries of conn (no item) are skipped.
*/
PetscErrorCode PlexListsInvert(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PlexLists *lists)
{
  PetscInt *start; /* [n+1] */
  int      *last;  /* [n] last element seen at an item */

  PetscFunctionBegin;
  lists->n = n;
  PetscCall(PetscCalloc1(n + 1, &start));
  PetscCall(PetscMalloc1(n, &last));
  for (PetscInt v = 0; v < n; ++v) last[v] = -1;
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < k; ++i) {
      const int v = conn[(size_t)e * k + i];

      PetscCheck(v < n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT " touches item %d, and there are %" PetscInt_FMT, e, v, n);
      if (v < 0 || last[v] == (int)e) continue;
      last[v] = (int)e;
      ++start[v + 1];
    }
  }
  for (PetscInt v = 0; v < n; ++v) {
    PetscCheck(start[v] <= PETSC_INT_MAX - start[v + 1], PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW, "Lists of more than %" PetscInt_FMT " entries: use more ranks, or PETSc with 64-bit indices", PETSC_INT_MAX);
    start[v + 1] += start[v];
    last[v] = -1;
  }
  PetscCall(PetscMalloc1(start[n], &lists->items));
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < k; ++i) {
      const int v = conn[(size_t)e * k + i];

      if (v < 0 || last[v] == (int)e) continue;
      last[v]                  = (int)e;
      lists->items[start[v]++] = (int)e;
    }
  }
  for (PetscInt v = n; v > 0; --v) start[v] = start[v - 1];
  start[0]     = 0;
  lists->start = start;
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}
