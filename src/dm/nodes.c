/* Mesh nodes of the elements: what their dofs sit on. */
#include "elementsimpl.h"

PetscErrorCode PlexElementsGetNodes(PlexElements elements, PetscInt *k, int **conn)
{
  const PetscInt EF   = elements->ef;
  PetscInt       most = 0;
  int           *last, *nodes; /* [Nnodes] the last element that a node was found in; [EF] of one element */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(elements->Nnodes, &last, EF, &nodes));
  for (PetscInt pass = 0; pass < 2; ++pass) { /* how many there are, and which */
    for (PetscInt n = 0; n < elements->Nnodes; ++n) last[n] = -1;
    for (PetscInt e = 0; e < elements->Ne; ++e) {
      const int *dofs = &elements->dofs[(size_t)e * EF];
      int       *to   = pass ? &(*conn)[(size_t)e * most] : nodes;
      PetscInt   n    = 0;

      for (PetscInt i = 0; i < EF; ++i) {
        const int node = elements->node[dofs[i]];

        if (last[node] == (int)e) continue;
        last[node] = (int)e;
        to[n++]    = node;
      }
      if (!pass) most = PetscMax(most, n);
      for (; pass && n < most; ++n) to[n] = to[n - 1];
    }
    if (!pass) PetscCall(PetscMalloc1((size_t)elements->Ne * most, conn));
  }
  PetscCall(PetscFree2(last, nodes));
  *k = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}
