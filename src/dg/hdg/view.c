#include "hdgimpl.h" /*I "plexgpu.h" I*/

/* Bytes of all processes, and of which parts */
static PetscErrorCode PlexHDGViewMemory(PlexHDG hdg, PetscViewer viewer)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  MatInfo          info;
  double           bytes[4];

  PetscFunctionBegin;
  PetscCall(MatGetInfo(hdg->A, MAT_LOCAL, &info));
  bytes[0] = hdg->memory.bytes + (hdg->kept && !hdg->args.factor ? 8. * mesh->Ne * (R->Np + R->Nt) * R->Np : 0.);
  bytes[1] = hdg->kept ? 8. * mesh->Ne * (R->Np + R->Nt) * R->Np : 0.;
  bytes[2] = 8. * (mesh->Ne * mesh->faces + mesh->nreceived) * R->Nf * R->Nt;
  bytes[3] = info.nz_allocated * 12.;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, bytes, 4, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory: %g MB, of which factors of the local problems %g MB; while K is assembled local matrices %g MB besides; K %g MB\n", bytes[0] / 1e6, bytes[1] / 1e6, bytes[2] / 1e6, bytes[3] / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGView - Shows a discretization: degree, mesh, trace, boundary, memory, how it is computed

  Collective

  Input Parameters:
+ hdg    - the discretization
- viewer - an ASCII viewer

  Options Database Key:
. -plex_hdg_view viewer - when it is set up

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSetUp()`
@*/
PetscErrorCode PlexHDGView(PlexHDG hdg, PetscViewer viewer)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)hdg);
  PetscBool ascii;
  PetscInt  count[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(comm, &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)hdg, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "degree %" PetscInt_FMT ", backend %s\n", hdg->degree, hdg->backend ? ((PetscObject)hdg->backend)->type_name : hdg->backendType ? hdg->backendType : PLEXBACKENDAUTO));
  if (hdg->setUp) {
    PlexHDGReference R    = hdg->reference;
    PlexHDGMesh      mesh = hdg->mesh;

    for (PetscInt b = 0; b < mesh->nboundary; ++b) ++count[hdg->conditions[mesh->condition[b]].kind];
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT, MPI_SUM, comm));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " elements, %s, %s, %" PetscInt_FMT " functions each and %" PetscInt_FMT " a face\n", mesh->NeGlobal, DMPolytopeTypes[mesh->cell], mesh->affine ? "affine" : "mapped by quadrature", R->Np, R->Nf));
    PetscCall(PetscViewerASCIIPrintf(viewer, "trace: %" PetscInt_FMT " faces, %" PetscInt64_FMT " unknowns\n", mesh->nownGlobal, (PetscInt64)mesh->nownGlobal * R->Nf));
    for (int k = 0; k < 3; ++k)
      if (count[k]) PetscCall(PetscViewerASCIIPrintf(viewer, "boundary: %" PetscInt_FMT " facets %s\n", count[k], PlexHDGBoundaries[k]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "factors of the local problems are %s\n", hdg->kept ? "kept" : "computed again"));
    PetscCall(PlexHDGViewMemory(hdg, viewer));
    PetscTryTypeMethod(hdg, view, viewer);
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
