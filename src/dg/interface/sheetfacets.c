/* Thin sheets: on which facets of the mesh they are */
#include "dgimpl.h"

PetscErrorCode PlexDGSheetsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nsheets; ++k) PetscCall(PetscFree(dg->sheets[k].label));
  PetscCall(PetscFree(dg->sheets));
  dg->nsheets = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Traces with a sheet: the facets of own elements that its label holds */
static PetscErrorCode PlexDGSheetMark(PlexDG dg, const PlexDGSheet *s, const PlexDGFaces *F, PetscReal G[], int *held)
{
  PlexDGMesh mesh = dg->mesh;
  PetscInt   trace;
  PetscBool  holds;
  DMLabel    label;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dg->dm, s->label, &label));
  PetscCheck(label, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "The mesh has no label %s, which -plex_dg_sheet, PlexDGAddSheet() are for: -dm_view shows what it has",
             s->label);
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone = &F->cones.points[PlexConesAt(&F->cones, mesh->cells[e])];

    for (PetscInt k = 0; k < mesh->faces; ++k) {
      PetscCall(PlexLabelHolds(label, s->value, cone[k], &holds));
      if (!holds) continue;
      (void)PlexDGFacesGetSide(F, e * mesh->faces + k, &trace);
      G[trace] = s->conductance;
      *held    = 1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSheetsGetFacets_Private(PlexDG dg, PetscReal G[])
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)dg);
  PlexDGMesh  mesh = dg->mesh;
  PetscReal  *said, *across;
  PlexDGFaces F;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(G, mesh->Ne * mesh->faces));
  if (!dg->nsheets) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGFacesCreate_Private(mesh, 1, &F));
  for (PetscInt k = 0; k < dg->nsheets; ++k) {
    int held = 0;

    PetscCall(PlexDGSheetMark(dg, &dg->sheets[k], &F, G, &held));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT, MPI_MAX, comm));
    PetscCheck(held, comm, PETSC_ERR_ARG_WRONG,
               "No facet of the mesh has label %s%s, which -plex_dg_sheet, PlexDGAddSheet() are for: -dm_view shows "
               "what "
               "it has",
               dg->sheets[k].label, dg->sheets[k].value == PETSC_DETERMINE ? "" : " with that value");
  }
  PetscCall(PlexDGFacesDestroy_Private(&F));
  /* a process may not know of a label that the other side of its facet has */
  PetscCall(PetscMalloc2(mesh->nghosts, &said, mesh->nghosts, &across));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) said[g] = G[mesh->sent[g]];
  PetscCall(PlexDGShare_Private(dg, MPIU_REAL, said, across));
  for (PetscInt g = 0; g < mesh->nghosts; ++g) G[mesh->sent[g]] = PetscMax(G[mesh->sent[g]], across[g]);
  PetscCall(PetscFree2(said, across));
  PetscFunctionReturn(PETSC_SUCCESS);
}
