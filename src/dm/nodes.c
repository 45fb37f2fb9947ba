/* Mesh nodes of the elements: what their dofs sit on. */
#include "elementsimpl.h"

/* nodes[n] of an element, each once, but no more than `most`; returns n, which may be more */
static inline PetscInt ElementNodes(PlexElements elements, PetscInt e, PetscInt most, int nodes[])
{
  const int *dofs = &elements->dofs[(size_t)e * elements->ef];
  PetscInt   n    = 0;

  for (PetscInt i = 0; i < elements->ef; ++i) {
    const int node = elements->node[dofs[i]];
    int       seen = n && nodes[PetscMin(n, most) - 1] == node; /* dofs of one node follow each other */

    for (PetscInt k = 0; k < PetscMin(n, most) && !seen; ++k) seen = nodes[k] == node;
    if (seen) continue;
    if (n < most) nodes[n] = node;
    ++n;
  }
  return n;
}

PetscErrorCode PlexElementsGetNodes(PlexElements elements, PetscInt *k, int **conn)
{
  const PetscInt Ne   = elements->Ne;
  PetscInt       most = 0, n = 0;
  int           *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(elements->ef, &first));
  if (Ne) most = ElementNodes(elements, 0, elements->ef, first);
  /* an element that is folded onto itself has fewer nodes: its row repeats the last one. A row that is longer than the
     first element's starts the loop again */
  for (PetscBool enough = PETSC_FALSE; !enough;) {
    enough = PETSC_TRUE;
    PetscCall(PetscMalloc1((size_t)Ne * most, conn));
    for (PetscInt e = 0; e < Ne && enough; ++e) {
      int *to = &(*conn)[(size_t)e * most];

      for (PetscInt i = 0; e + PLEX_FETCH_AHEAD < Ne && i < elements->ef; ++i)
        PlexFetch(&elements->node[elements->dofs[(size_t)(e + PLEX_FETCH_AHEAD) * elements->ef + i]]);
      n = ElementNodes(elements, e, most, to);
      for (PetscInt i = n; i < most; ++i) to[i] = to[n - 1];
      if (n <= most) continue;
      n      = ElementNodes(elements, e, elements->ef, first);
      enough = PETSC_FALSE;
    }
    if (enough) break;
    PetscCall(PetscFree(*conn));
    most = n;
  }
  PetscCall(PetscFree(first));
  *k = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexElementsDofsAreNodes(PlexElements elements)
{
  PetscInt other = 0;

  if (elements->Nl != elements->Nnodes) return PETSC_FALSE;
  for (PetscInt l = 0; l < elements->Nl; ++l) other += elements->node[l] != l;
  return (PetscBool)!other;
}
