/* What a discretization of Navier-Stokes equations keeps: made with its mesh, freed with it */
#include "navier.h"

/* U at the points of the faces, and its derivatives at those of an element */
static PetscErrorCode PlexHDGNavierSetTables(PlexHDG hdg)
{
  PlexHDGReference R  = hdg->reference;
  PlexHDGElastic   el = hdg->elastic;
  PlexHDGNavier    s  = hdg->navier;
  const PetscInt   Nu = el->Nu, Nqf = R->faces * R->Nqf;
  PetscReal       *phi;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->dim * R->Nq * Nu, &s->dU, Nqf * Nu, &s->UFace));
  for (PetscInt q = 0; q < R->dim * R->Nq; ++q)
    for (PetscInt j = 0; j < Nu; ++j) s->dU[q * Nu + j] = R->dphiPost[q * R->Npost + el->functions[j]];
  PetscCall(PetscMalloc1(Nqf * R->Npost, &phi));
  PetscCall(PlexHDGBasis(R->cell, R->P + 1, Nqf, R->pointsFace, phi, NULL));
  for (PetscInt q = 0; q < Nqf; ++q)
    for (PetscInt j = 0; j < Nu; ++j) s->UFace[q * Nu + j] = phi[q * R->Npost + el->functions[j]];
  PetscCall(PetscFree(phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierCreate_Private(PlexHDG hdg)
{
  PlexHDGMesh   mesh = hdg->mesh;
  PlexHDGNavier s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  hdg->navier = s;
  PetscCall(PlexHDGNavierSetTables(hdg));
  PetscCall(PetscCalloc1(mesh->Ne * mesh->faces, &s->outer));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) s->outer[mesh->boundary[b]] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierUpload_Private(PlexHDG hdg)
{
  PlexHDGReference   R    = hdg->reference;
  PlexHDGNavier      s    = hdg->navier;
  PlexHDGNavierArgs *args = &s->args;
  const size_t       Ne = hdg->mesh->Ne, Nu = hdg->elastic->Nu, faces = R->faces;

  PetscFunctionBegin;
  PetscCall(PlexHDGUpload(hdg, s->dU, sizeof(double) * R->dim * R->Nq * Nu, (const void **)&args->dU));
  PetscCall(PlexHDGUpload(hdg, s->UFace, sizeof(double) * faces * R->Nqf * Nu, (const void **)&args->UFace));
  PetscCall(PlexHDGUpload(hdg, s->outer, sizeof(int) * Ne * faces, (const void **)&args->outer));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * Ne * PlexHDGTraceSize(hdg), (void **)&args->trace));
  PetscCall(PlexHDGAllocate(hdg, sizeof(PetscBLASInt) * Ne * PlexHDGStokesLocalSize(hdg), &args->pivots));
  if (hdg->backend->kernels)
    PetscCall(PlexHDGAllocate(hdg, sizeof(double) * Ne * PlexHDGStokesLocalSize(hdg), (void **)&args->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierDestroy_Private(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(s->dU, s->UFace));
  PetscCall(PetscFree(s->outer));
  PetscCall(PlexModuleDestroy(&s->kernels.module));
  PetscCall(PlexModuleDestroy(&s->kernels.carry.module));
  PetscCall(PlexArrayReset(hdg->backend, &s->arrayConstant));
  PetscCall(VecDestroy(&s->g));
  PetscCall(VecDestroy(&s->state));
  PetscCall(VecDestroy(&s->scaled));
  PetscCall(VecDestroy(&s->diagonal));
  PetscCall(VecDestroy(&s->traces[0]));
  PetscCall(VecDestroy(&s->traces[1]));
  PetscCall(MatDestroy(&s->penalty));
  PetscCall(MatDestroy(&s->K));
  PetscCall(MatDestroy(&s->pressure));
  PetscCall(KSPDestroy(&s->pressureKSP));
  if (hdg->snes) PetscCall(SNESReset(hdg->snes));
  PetscCall(PetscFree(hdg->navier));
  PetscFunctionReturn(PETSC_SUCCESS);
}
