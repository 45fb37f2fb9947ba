/* The view of nodal DG */
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../impls/curved/curvedimpl.h"

static PetscErrorCode PlexDGViewSystem(PlexDG dg, PetscViewer viewer)
{
  PlexDGSystem system = dg->system;
  char         names[512];
  PetscInt     at = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGJoinNames_Private(system->Nf, system->fields, sizeof(names), names));
  PetscCall(PetscViewerASCIIPrintf(viewer, "system: %s, fields %s\n", system->name, names));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (PetscInt k = 0; k < system->nconstants; ++k) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s:", system->constants[k].name));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (PetscInt i = 0; i < system->constants[k].n; ++i)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %g", (double)dg->constants[at++]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  }
  for (PetscInt k = 0; k < system->ncoefficients; ++k)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %g%s%s\n", system->coefficients[k].name, (double)dg->uniform[k],
                                     dg->coefficient ? ", or as the function of coefficients says" : "",
                                     dg->nmaterials ? ", or of a material" : ""));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets of each kind of boundary condition, of all processes */
static PetscErrorCode PlexDGViewBoundary(PlexDG dg, PetscViewer viewer)
{
  PlexDGSystem system = dg->system;
  PetscInt    *count, at = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->nkinds, &count));
  PetscCall(PlexDGConditionsCount_Private(dg, count));
  for (PetscInt k = 0; k < system->nconstants; ++k) at += system->constants[k].n;
  for (PetscInt k = 0; k < system->nkinds; ++k) {
    const PetscBool numbers = (PetscBool)(system->resistive && k == system->resistive);

    if (!count[k]) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "boundary: %" PetscInt_FMT " facets %s", count[k], system->kinds[k]));
    for (PetscInt i = 0; numbers && i < system->nresistances; ++i)
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s%g", i ? ", " : ", resistances ", (double)dg->constants[at + i]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a kind */
static PetscErrorCode PlexDGViewElements(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%" PetscInt_FMT " %s, %" PetscInt_FMT " nodes each, %" PetscInt64_FMT
                                   " values of fields\n",
                                   dg->mesh->NeGlobal,
                                   dg->mesh->dim == 2 ? (dg->mesh->tensor ? "quadrilaterals" : "triangles")
                                   : dg->mesh->tensor ? "hexahedra"
                                                      : "tetrahedra",
                                   dg->reference->Np,
                                   (PetscInt64)dg->mesh->NeGlobal * dg->reference->Np * dg->system->Nf));
  if (dg->curved) PetscCall(PlexDGCurvedView_Private(dg, viewer));
  if (dg->quadrature)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "quadrature of degree %" PetscInt_FMT ": %" PetscInt_FMT
                                     " points an element, %" PetscInt_FMT " a face; geometry of degree %" PetscInt_FMT
                                     ", %s\n",
                                     dg->quadrature->degree, dg->quadrature->NG, dg->quadrature->MG,
                                     dg->quadrature->order, dg->quadrature->affine ? "affine" : "own mass matrices"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Traces that are exchanged: between parts, and processes */
static PetscErrorCode PlexDGViewExchange(PlexDG dg, PetscViewer viewer)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt n         = PlexDGGetParts(dg, parts);
  PetscInt       counts[2] = {0, 0}; /* between parts, processes */
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscInt k = 0; k < n; ++k) {
    counts[0] += parts[k]->mesh->nmet;
    counts[1] += parts[k]->mesh->nghosts - parts[k]->mesh->nmet;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, counts, 2, MPIU_INT, MPI_SUM, comm));
  if (n > 1)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "exchange: %" PetscInt_FMT " traces of %" PetscInt_FMT
                                     " values, between triangles and quadrilaterals of a process\n",
                                     counts[0], dg->system->Nf * parts[0]->reference->Nfp));
  if (size > 1)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "exchange: %" PetscInt_FMT " traces of %" PetscInt_FMT
                                     " values, between %d processes\n",
                                     counts[1], dg->system->Nf * parts[0]->reference->Nfp, (int)size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shows an operator that is set up: elements, boundary, exchange, time step, the way it is computed */
static PetscErrorCode PlexDGViewSetUp(PlexDG dg, PetscViewer viewer)
{
  PlexDG          parts[2];
  const PetscInt  n       = PlexDGGetParts(dg, parts);
  PetscBool       allDeep = PETSC_TRUE, deep;
  const PetscReal damping = dg->damping; /* of the step that a TS was given */
  PetscReal       dt;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGViewElements(parts[k], viewer));
  PetscCall(PlexDGMaterialsView_Private(dg, viewer));
  PetscCall(PlexDGDispersionsView_Private(dg, viewer));
  PetscCall(PlexDGViewBoundary(dg, viewer));
  PetscCall(PlexDGImpedanceView_Private(dg, viewer));
  if (parts[0]->shore) PetscCall(PlexDGShoreView_Private(dg, viewer));
  if (dg->captures)
    PetscCall(PetscViewerASCIIPrintf(viewer, "shocks: captured, elements there are monotone after each stage\n"));
  if (dg->viscous)
    PetscCall(PetscViewerASCIIPrintf(viewer, "viscous fluxes: by the gradients of BR1, with penalties\n"));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGBottomView_Private(parts[k], viewer));
  PetscCall(PlexDGSourcesView_Private(dg, viewer));
  PetscCall(PlexDGPMLView_Private(dg, viewer));
  PetscCall(PlexDGViewExchange(dg, viewer));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGIsDeep_Private(parts[k], &deep));
    allDeep = (PetscBool)(allDeep && deep);
  }
  if (allDeep) {
    PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
    if (!PlexDGRemembers_Private(dg))
      PetscCall(PetscViewerASCIIPrintf(viewer, "time step: %g (of the state at rest)%s\n", (double)dt,
                                       PlexDGDecays_Private(dg) ? ", of methods that follow the decay of fields" : ""));
    if (PlexDGDecays_Private(dg) && !parts[0]->shock && !parts[0]->shore) { /* PlexDGLimits_Private() */
      PetscCall(PlexDGGetTimeStep_Private(dg, NULL, PETSC_TRUE, &dt));
      PetscCall(PetscViewerASCIIPrintf(viewer,
                                       "time step: %g, of -ts_type %s with its schemes but ssp3, which take the decay "
                                       "exactly%s\n",
                                       (double)dt, TSPLEXLOWSTORAGE,
                                       PlexDGRemembers_Private(dg) ? ", and memory variables" : ""));
    }
  } else
    PetscCall(PetscViewerASCIIPrintf(viewer, "time step: that of the state; at rest there is no water somewhere\n"));
  dg->damping = damping;
  PetscCall(PlexDGLevelsView_Private(dg, viewer));
  for (PetscInt k = 0; k < n; ++k) PetscTryTypeMethod(parts[k], view, viewer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGView - Shows an operator: system, degree, mesh, how it is computed, time step

  Collective

  Input Parameters:
+ dg     - the operator
- viewer - an ASCII viewer

  Options Database Key:
. -plex_dg_view viewer - when it is set up

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetUp()`
@*/
PetscErrorCode PlexDGView(PlexDG dg, PetscViewer viewer)
{
  MPI_Comm   comm = PetscObjectComm((PetscObject)dg);
  PetscBool  ascii;
  PlexDGType type;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(comm, &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)dg, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PlexDGGetType(dg, &type));
  PetscCall(PetscViewerASCIIPrintf(viewer, "degree %" PetscInt_FMT ", %s precision, backend %s\n", dg->degree,
                                   PlexPrecisions[dg->precision],
                                   dg->backend       ? ((PetscObject)dg->backend)->type_name
                                   : dg->backendType ? dg->backendType
                                                     : PLEXBACKENDAUTO));
  if (dg->system) PetscCall(PlexDGViewSystem(dg, viewer));
  if (dg->setUp) PetscCall(PlexDGViewSetUp(dg, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
