/*
  Coefficients that vary in an element, such as the depth of water: polynomials through their values at the nodes, and
  these and their derivatives at the points
*/
#include "quadratureimpl.h"

/* variables[Ne][NK][Np] at the nodes */
PetscErrorCode PlexDGSetUpVariables_Private(PlexDG dg)
{
  const PetscInt NK = dg->system->ncoefficients, Np = dg->reference->Np, nx = dg->mesh->nx;
  PetscReal      x[3] = {0., 0., 0.}, k[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  if (!dg->system->host[0]->variable) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * NK * Np, &dg->variables));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt i = 0; i < Np; ++i) {
      PetscCall(PetscArraycpy(k, dg->uniform, NK));
      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &dg->shapes[i * nx], x));
      if (dg->coefficient)
        PetscCall((*dg->coefficient)(dg->mesh->dim, x, dg->mesh->cells[e], NK, k, dg->coefficientCtx));
      for (PetscInt c = 0; c < NK; ++c) dg->variables[((size_t)e * NK + c) * Np + i] = k[c];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGElementVariables_Private(PlexDG dg, PetscInt e, PetscReal K[])
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   NK = dg->system->ncoefficients, Np = dg->reference->Np, NG = Q->NG, dim = dg->mesh->dim;

  for (PetscInt c = 0; c < NK; ++c) {
    const PetscReal *nodal = &dg->variables[((size_t)e * NK + c) * Np];
    PetscReal       *value = &K[c * (1 + dim) * NG];

    for (PetscInt g = 0; g < NG; ++g) {
      PetscReal derivative[3] = {0., 0., 0.};

      value[g] = 0.;
      for (PetscInt i = 0; i < Np; ++i) {
        value[g] += Q->phi[g * Np + i] * nodal[i];
        for (PetscInt a = 0; a < dim; ++a) derivative[a] += Q->dphi[(a * NG + g) * Np + i] * nodal[i];
      }
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal *slope = &value[(1 + d) * NG + g];

        *slope = 0.;
        for (PetscInt a = 0; a < dim; ++a)
          *slope += derivative[a] *
                    (Q->affine ? Q->C[(e * dim + a) * dim + d]
                               : Q->C[(((size_t)e * dim + a) * dim + d) * NG + g] / Q->detJ[(size_t)e * NG + g]);
      }
    }
  }
}

/* K[Ne][NK][1 + dim][NG] */
static PetscErrorCode PlexDGUploadPointVariables(PlexDG dg, const void **at)
{
  const size_t each = (size_t)dg->system->ncoefficients * (1 + dg->mesh->dim) * dg->quadrature->NG;
  PetscReal   *K;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(dg->mesh->Ne * each, &K));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) PlexDGElementVariables_Private(dg, e, &K[e * each]);
  PetscCall(PlexDGUploadReals(dg, dg->mesh->Ne * each, K, at));
  PetscCall(PetscFree(K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at the nodes of the faces that others send, [nghosts][NK][Nfp] */
static PetscErrorCode PlexDGReceiveVariables(PlexDG dg, PetscReal received[])
{
  PlexDGMesh      mesh = dg->mesh;
  PlexDGReference R    = dg->reference;
  const PetscInt  NK = dg->system->ncoefficients, Nfp = R->Nfp;
  PetscReal      *sent;
  MPI_Datatype    unit;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->nghosts * NK * Nfp, &sent));
  for (PetscInt g = 0; g < mesh->nghosts; ++g)
    for (PetscInt c = 0; c < NK; ++c)
      for (PetscInt m = 0; m < Nfp; ++m)
        sent[(g * NK + c) * Nfp + m] = dg->variables[((size_t)(mesh->sent[g] / mesh->faces) * NK + c) * R->Np +
                                                     R->faceNodes[mesh->sent[g] % mesh->faces * Nfp + m]];
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)(NK * Nfp), MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(mesh->sf, unit, sent, received, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(mesh->sf, unit, sent, received, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFaceVariables_Private(PlexDG dg, PetscReal KM[], PetscReal KP[])
{
  PlexDGMesh       mesh = dg->mesh;
  PlexDGReference  R    = dg->reference;
  PlexDGQuadrature Q    = dg->quadrature;
  const PetscInt   NK = dg->system->ncoefficients, Nfp = R->Nfp, MG = Q->MG, own = mesh->Ne * mesh->faces;
  PetscInt         places = mesh->nghosts;
  PetscReal       *all, *received;
  int             *meet;

  PetscFunctionBegin;
  if (dg->whole) places = dg->whole->parts[1]->start + dg->whole->parts[1]->mesh->nghosts;
  PetscCall(PetscMalloc1(places * NK * Nfp, &all));
  received = all + (dg->whole ? dg->start * NK * Nfp : 0);
  if (dg->whole) PetscCall(PlexDGShareVariables_Private(dg, all));
  else PetscCall(PlexDGReceiveVariables(dg, all));
  PetscCall(PlexDGGetMeet_Private(R, &meet));
  for (PetscInt trace = 0; trace < own; ++trace) {
    const PetscInt link = mesh->links[trace], other = link / R->turns;

    for (PetscInt c = 0; c < NK; ++c) {
      const PetscReal *inside  = &dg->variables[((size_t)(trace / mesh->faces) * NK + c) * R->Np];
      const PetscReal *outside = link < 0    ? inside
                               : other < own ? &dg->variables[((size_t)(other / mesh->faces) * NK + c) * R->Np]
                                             : &received[((other - own) * NK + c) * Nfp];
      const int
        *nodes  = &R->faceNodes[trace % mesh->faces * Nfp],
        *across = link < 0
                  ? nodes
                  : &meet[((other < own ? other % mesh->faces : mesh->faces) * R->turns + link % R->turns) * Nfp];

      for (PetscInt g = 0; g < MG; ++g) {
        PetscReal *M = &KM[((size_t)trace * NK + c) * MG + g], *P = &KP[((size_t)trace * NK + c) * MG + g];

        *M = *P = 0.;
        for (PetscInt m = 0; m < Nfp; ++m) {
          *M += Q->psi[g * Nfp + m] * inside[nodes[m]];
          *P += Q->psi[g * Nfp + m] * outside[across[m]];
        }
      }
    }
  }
  PetscCall(PetscFree(meet));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGUploadFaceVariables(PlexDG dg, const void **atM, const void **atP)
{
  const size_t n = (size_t)dg->mesh->Ne * dg->mesh->faces * dg->system->ncoefficients * dg->quadrature->MG;
  PetscReal   *KM, *KP;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &KM, n, &KP));
  PetscCall(PlexDGFaceVariables_Private(dg, KM, KP));
  PetscCall(PlexDGUploadReals(dg, n, KM, atM));
  PetscCall(PlexDGUploadReals(dg, n, KP, atP));
  PetscCall(PetscFree2(KM, KP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadVariables_Private(PlexDG dg, const void **K, const void **KM, const void **KP)
{
  PetscFunctionBegin;
  *K = *KM = *KP = NULL;
  if (!dg->variables) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGUploadPointVariables(dg, K));
  PetscCall(PlexDGUploadFaceVariables(dg, KM, KP));
  PetscFunctionReturn(PETSC_SUCCESS);
}
