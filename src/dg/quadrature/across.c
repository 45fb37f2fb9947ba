/*
  Coefficients that vary in an element, across the faces that a part of a mixed mesh has in common with the other part or
  with other processes: which kind the cell there is of is known to both parts together alone
*/
#include "quadratureimpl.h"
#include "../core/coreimpl.h" /* PlexDGGetParts(), PlexDGShare_Private() */

/* [places of both parts][NK][Nfp] */
static PetscErrorCode PlexDGShareVariables(PlexDG part, PetscReal received[])
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

/* In place of what PlexDGUploadVariables_Private() has put there, at the faces that have ghosts: KP[Ne][faces][NK][MG] */
PetscErrorCode PlexDGUploadVariablesAcross_Private(PlexDG dg, const void *KP)
{
  PlexDGMesh       mesh = dg->mesh;
  PlexDGReference  R    = dg->reference;
  PlexDGQuadrature Q    = dg->quadrature;
  const PetscInt   NK = dg->system->ncoefficients, Nfp = R->Nfp, n = NK * Q->MG;
  PetscReal       *received, *P;
  float           *single;
  int             *meet;

  PetscFunctionBegin;
  if (!dg->whole || !dg->variables) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGGetMeet_Private(R, &meet));
  PetscCall(PetscMalloc3((dg->whole->parts[1]->start + dg->whole->parts[1]->mesh->nghosts) * NK * Nfp, &received, n, &P,
                         n, &single));
  PetscCall(PlexDGShareVariables(dg, received));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) {
    const PetscInt trace  = mesh->sent[g];
    const int     *across = &meet[(mesh->faces * R->turns + mesh->links[trace] % R->turns) * Nfp];

    for (PetscInt c = 0; c < NK; ++c)
      for (PetscInt q = 0; q < Q->MG; ++q) {
        P[c * Q->MG + q] = 0.;
        for (PetscInt m = 0; m < Nfp; ++m)
          P[c * Q->MG + q] += Q->psi[q * Nfp + m] * received[((dg->start + g) * NK + c) * Nfp + across[m]];
        single[c * Q->MG + q] = (float)P[c * Q->MG + q];
      }
    if (dg->precision == PLEX_PRECISION_SINGLE)
      PetscCall(PlexBackendCopyIn(dg->backend, &((float *)KP)[(size_t)trace * n], single, sizeof(float) * n));
    else PetscCall(PlexBackendCopyIn(dg->backend, &((double *)KP)[(size_t)trace * n], P, sizeof(double) * n));
  }
  PetscCall(PetscFree(meet));
  PetscCall(PetscFree3(received, P, single));
  PetscFunctionReturn(PETSC_SUCCESS);
}
