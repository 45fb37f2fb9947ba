/* The view of hybridized DG */
#include "elastic.h"
#include "groups.h" /*I "plexgpuhdg.h" I*/
#include "points.h"
#include "trace.h"

/* Bytes of all processes, and of which parts */
static PetscErrorCode PlexHDGViewMemory(PlexHDG hdg, PetscViewer viewer)
{
  PlexHDGBytes bytes;
  double       sum[5];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetBytes(hdg, &bytes));
  sum[0] = bytes.kept;
  sum[1] = bytes.factors;
  sum[2] = bytes.local;
  sum[3] = bytes.K;
  sum[4] = bytes.tiles;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum[4], 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "memory: %g MB, of which factors of the local problems %g MB; while K is assembled "
                                   "local matrices in %g tile%s, %g MB at once; %s %g MB\n",
                                   sum[0] / 1e6, sum[1] / 1e6, sum[4], sum[4] > 1. ? "s" : "", sum[2] / 1e6,
                                   hdg->elements ? "in the place of K halves of the elements' matrices," : "K",
                                   sum[3] / 1e6));
  if (hdg->elements)
    PetscCall(PetscViewerASCIIPrintf(viewer, "products of the trace's smoother: by %s of these matrices' numbers\n",
                                     hdg->elements->smoothed ? "the upper 32 bits" : "all 64 bits"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stabilization, and where it comes from */
static PetscErrorCode PlexHDGViewTau(PlexHDG hdg, PetscViewer viewer)
{
  MPI_Comm  comm     = PetscObjectComm((PetscObject)hdg);
  PetscReal range[2] = {-hdg->tauRange[0], hdg->tauRange[1]};

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, range, 2, MPIU_REAL, MPIU_MAX, comm));
  if (hdg->stabilization)
    PetscCall(PetscViewerASCIIPrintf(viewer, "tau: of PlexHDGSetStabilization(), %g to %g\n", (double)-range[0],
                                     (double)range[1]));
  else if (hdg->elastic && !hdg->tauGiven)
    PetscCall(PetscViewerASCIIPrintf(viewer, "tau: %g 32 mu/h: %g to %g\n", (double)hdg->tauFactor, (double)-range[0],
                                     (double)range[1]));
  else if (hdg->tauGiven) PetscCall(PetscViewerASCIIPrintf(viewer, "tau: %g on all faces\n", (double)hdg->tau));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "tau: %g %s, L = %g: %g to %g\n", (double)hdg->tauFactor,
                                     hdg->indefinite ? "n.kappa n max(6/L, sqrt(-lambda/n.kappa n))"
                                                     : "n.kappa n (6/L + 0.1/max(sqrt(n.kappa n/lambda), 2h/P))",
                                     (double)hdg->length, (double)-range[0], (double)range[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Convection, and how much of it there is */
static PetscErrorCode PlexHDGViewConvection(PlexHDG hdg, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (hdg->navier)
    PetscCall(PetscViewerASCIIPrintf(viewer, "convection: %s, %sdensity %g\n", PlexHDGTransports[hdg->transport],
                                     hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT ? "skew-symmetric, upwind, " : "",
                                     (double)hdg->density));
  if (!hdg->convects) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "convection: %s, upwind, %s, speed at most %g\n",
                                   PlexHDGConvections[hdg->convectionForm],
                                   hdg->convection ? "of PlexHDGSetConvection()" : "the same everywhere",
                                   (double)hdg->speed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pointwise functions, and who evaluates them */
static PetscErrorCode PlexHDGViewPoints(PlexHDG hdg, PetscViewer viewer)
{
  static const char *const names[]    = {"source", "kappa and lambda", "kappa at points", "velocity"};
  char                     by[2][128] = {"", ""};
  PetscInt                 conditions = 0;

  PetscFunctionBegin;
  for (int k = 0; k <= PLEX_HDG_POINTS; ++k) {
    const PetscBool boundary = (PetscBool)(k == PLEX_HDG_POINTS);
    PetscBool       runs;

    for (PetscInt c = 0; boundary && c < hdg->nconditions; ++c) conditions += hdg->conditions[c].point != NULL;
    if (boundary ? !conditions : !PlexHDGHasPoint_Private(hdg, (PlexHDGPointRole)k)) continue;
    runs = boundary ? PlexHDGPointRunsBoundary_Private(hdg) : PlexHDGPointRuns_Private(hdg, (PlexHDGPointRole)k);
    if (by[!runs][0]) PetscCall(PetscStrlcat(by[!runs], ", ", sizeof(by[0])));
    PetscCall(PetscStrlcat(by[!runs], boundary ? "boundary values" : names[k], sizeof(by[0])));
  }
  for (int k = 0; k < 2; ++k)
    if (by[k][0])
      PetscCall(PetscViewerASCIIPrintf(viewer, "pointwise functions %s: %s\n", k ? "called on the host" : "by kernels",
                                       by[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of elements of several types or degrees: each type and degree, the trace, conditions */
static PetscErrorCode PlexHDGGroupsView(PlexHDG hdg, PetscViewer viewer)
{
  PlexHDGGroups G        = hdg->groups;
  PetscInt      count[3] = {0, 0, 0}, elements = 0;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < G->n; ++g) {
    const PlexHDG part = G->group[g].part;
    const PlexHDG next = g + 1 < G->n ? G->group[g + 1].part : NULL;
    PlexHDGMesh   mesh = part->mesh;

    for (PetscInt b = 0; b < mesh->nboundary; ++b) ++count[hdg->conditions[mesh->condition[b]].kind];
    elements += mesh->NeGlobal;
    if (next && next->degree == part->degree && next->mesh->cell == mesh->cell) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " elements, %s, of degree %" PetscInt_FMT "\n", elements,
                                     DMPolytopeTypes[mesh->cell], part->degree));
    elements = 0;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "trace: %" PetscInt_FMT " faces, %" PetscInt_FMT " unknowns\n",
                                   hdg->mesh->nownGlobal, G->all));
  PetscCall(PlexHDGViewTau(hdg, viewer));
  PetscCall(PlexHDGViewConvection(hdg, viewer));
  PetscCall(PlexHDGViewPoints(hdg, viewer));
  for (int k = 0; k < 3; ++k)
    if (count[k])
      PetscCall(PetscViewerASCIIPrintf(viewer, "boundary: %" PetscInt_FMT " facets %s\n", count[k],
                                       PlexHDGBoundaries[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees of the elements: one, or from the least to the largest one */
static PetscErrorCode PlexHDGViewDegree(PlexHDG hdg, PetscViewer viewer)
{
  const char *backend = hdg->backend     ? ((PetscObject)hdg->backend)->type_name
                      : hdg->backendType ? hdg->backendType
                                         : PLEXBACKENDAUTO;

  PetscFunctionBegin;
  if (hdg->groups && hdg->groups->range[0] < hdg->groups->range[1])
    PetscCall(PetscViewerASCIIPrintf(viewer, "degrees %" PetscInt_FMT " to %" PetscInt_FMT ", backend %s\n",
                                     hdg->groups->range[0], hdg->groups->range[1], backend));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "degree %" PetscInt_FMT ", backend %s\n", hdg->degree, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGView - Shows a discretization: degree, stabilization, mesh, trace, boundary, memory, how it is computed

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
  PetscInt  count[4] = {0, 0, 0, 0};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(comm, &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)hdg, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (hdg->system != PLEX_HDG_DIFFUSION)
    PetscCall(PetscViewerASCIIPrintf(viewer, "system %s\n", PlexHDGSystems[hdg->system]));
  PetscCall(PlexHDGViewDegree(hdg, viewer));
  if (hdg->setUp && hdg->groups) PetscCall(PlexHDGGroupsView(hdg, viewer));
  else if (hdg->setUp) {
    PlexHDGReference R    = hdg->reference;
    PlexHDGMesh      mesh = hdg->mesh;

    char several[64] = "";

    if (mesh->nmappedGlobal && mesh->nmappedGlobal < mesh->NeGlobal)
      PetscCall(PetscSNPrintf(several, sizeof(several), "%" PetscInt_FMT " affine and %" PetscInt_FMT " ",
                              mesh->NeGlobal - mesh->nmappedGlobal, mesh->nmappedGlobal));
    for (PetscInt b = 0; b < mesh->nboundary; ++b)
      ++count[hdg->conditions[mesh->condition[b]].held ? 3 : hdg->conditions[mesh->condition[b]].kind];
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 4, MPIU_INT, MPI_SUM, comm));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "%" PetscInt_FMT " elements, %s, %s%s, %" PetscInt_FMT
                                     " functions each and %" PetscInt_FMT " a face\n",
                                     mesh->NeGlobal, DMPolytopeTypes[mesh->cell], several,
                                     mesh->affine ? "affine" : "mapped by quadrature",
                                     hdg->elastic ? PlexHDGComponents(hdg) * hdg->elastic->Nu : R->Np,
                                     PlexHDGBlockSize(hdg)));
    PetscCall(PetscViewerASCIIPrintf(viewer, "trace: %" PetscInt_FMT " faces, %" PetscInt64_FMT " unknowns\n",
                                     mesh->nownGlobal, (PetscInt64)mesh->nownGlobal * PlexHDGBlockSize(hdg)));
    PetscCall(PlexHDGViewTau(hdg, viewer));
    PetscCall(PlexHDGViewConvection(hdg, viewer));
    PetscCall(PlexHDGViewPoints(hdg, viewer));
    for (int k = 0; k < 3; ++k)
      if (count[k])
        PetscCall(PetscViewerASCIIPrintf(viewer, "boundary: %" PetscInt_FMT " facets %s\n", count[k],
                                         PlexHDGBoundaries[k]));
    if (count[3])
      PetscCall(PetscViewerASCIIPrintf(viewer, "boundary: %" PetscInt_FMT " facets with %s by component\n", count[3],
                                       hdg->stokes ? "velocity" : "displacement"));
    PetscCall(PetscViewerASCIIPrintf(viewer, "factors of the local problems are %s\n",
                                     !hdg->kept ? "computed again"
                                     : several[0] && hdg->keep == PETSC_BOOL3_UNKNOWN
                                       ? "kept of those that are not affine"
                                       : "kept"));
    PetscCall(PlexHDGViewMemory(hdg, viewer));
    PetscTryTypeMethod(hdg, view, viewer);
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
