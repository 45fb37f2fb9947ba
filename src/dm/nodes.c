/* Mesh nodes of the elements: what their dofs sit on. */
#include "elementsimpl.h"

PetscErrorCode PlexElementsGetNodes(PlexElements elements, PetscInt *k, int **conn)
{
  const PetscInt EF   = elements->ef;
  PetscInt       most = 0;
  int           *list;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)elements->Ne * EF, &list));
  PetscCall(PetscMalloc1((size_t)elements->Ne * EF, conn));
  for (PetscInt e = 0; e < elements->Ne; ++e) {
    PetscInt n = 0;

    for (PetscInt i = 0; i < EF; ++i) {
      const int node = elements->node[elements->dofs[(size_t)e * EF + i]];
      PetscInt  m    = 0;

      while (m < n && list[(size_t)e * EF + m] != node) ++m;
      if (m == n) list[(size_t)e * EF + n++] = node;
    }
    most = PetscMax(most, n);
    for (PetscInt i = n; i < EF; ++i) list[(size_t)e * EF + i] = list[(size_t)e * EF + n - 1];
  }
  for (PetscInt e = 0; e < elements->Ne; ++e)
    for (PetscInt m = 0; m < most; ++m) (*conn)[(size_t)e * most + m] = list[(size_t)e * EF + m];
  PetscCall(PetscFree(list));
  *k = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}
