/* Where the nodes of two elements meet */
#include <plexgpu/private/dgimpl.h>
#include "dgimpl.h"

PetscErrorCode PlexDGGetMeet_Private(PlexDGReference R, int **meet)
{
  const PetscInt Nfp = R->Nfp;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((R->faces + 1) * R->turns * Nfp, meet));
  for (PetscInt f = 0; f <= R->faces; ++f) {
    for (PetscInt t = 0; t < R->turns; ++t) {
      for (PetscInt m = 0; m < Nfp; ++m) {
        const int node = R->turn[t * Nfp + m];

        (*meet)[(f * R->turns + t) * Nfp + m] = f < R->faces ? R->faceNodes[f * Nfp + node] : node;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
