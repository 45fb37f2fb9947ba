/*
  Coefficients that vary in an element, across the faces that a part of a mixed mesh has in common with the other part or
  with other processes: which kind the cell there is of is known to both parts together alone
*/
#include "quadratureimpl.h"
#include "../core/coreimpl.h" /* PlexDGGetParts(), PlexDGShare_Private() */

PetscErrorCode PlexDGShareVariables_Private(PlexDG part, PetscReal received[])
{
  const PetscInt NK = part->system->ncoefficients, Nfp = part->reference->Nfp;
  PlexDG         parts[2];
  PetscReal     *sent;
  MPI_Datatype   unit;
  PetscInt       n = PlexDGGetParts(part->whole, parts);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((parts[1]->start + parts[1]->mesh->nghosts) * NK * Nfp, &sent));
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGReference R    = parts[k]->reference;
    PlexDGMesh      mesh = parts[k]->mesh;

    for (PetscInt g = 0; g < mesh->nghosts; ++g) {
      const PetscInt e = mesh->sent[g] / mesh->faces, f = mesh->sent[g] % mesh->faces;

      for (PetscInt c = 0; c < NK; ++c)
        for (PetscInt m = 0; m < Nfp; ++m)
          sent[((parts[k]->start + g) * NK + c) * Nfp + m] = parts[k]->variables[((size_t)e * NK + c) * R->Np +
                                                                                 R->faceNodes[f * Nfp + m]];
    }
  }
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)(NK * Nfp), MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PlexDGShare_Private(part, unit, sent, received));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}
