/*
  Callbacks of the program's own that call PETSc's assembly. A program may set a local function that wraps
  DMPlexSNESComputeResidualFEM(), or one that integrates part by part: such a function is not taken over, since what
  else it does is not known. The view names it, once.

  Who calls is seen in PETSc's log: while a solver is at work and a view is wanted, a handler of ours looks at the
  events that PETSc's own assembly begins with, and at whose local callbacks its DM has.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>

typedef struct _n_PlexForeign *PlexForeign;
struct _n_PlexForeign {
  PetscVoidFn *fn;
  char        *line;
  PetscBool    shown;
  PlexForeign  next;
};

static PlexForeign     PlexForeignFound = NULL;
static PetscLogHandler PlexWatch        = NULL; /* at work while PlexWatching > 0 */
static PetscInt        PlexWatching     = 0;
static PetscLogEvent   PlexWatched[PLEX_PRODUCTS];

/* Notes a local callback that is neither PETSc's nor ours */
static PetscErrorCode PlexForeignNote(PetscVoidFn *fn, PetscVoidFn *petsc, PetscVoidFn *ours, const char what[])
{
  PlexForeign found;
  char       *name = NULL, line[512];

  PetscFunctionBegin;
  if (!fn || fn == petsc || fn == ours) PetscFunctionReturn(PETSC_SUCCESS);
  for (found = PlexForeignFound; found; found = found->next)
    if (found->fn == fn) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSymbolName(fn, &name));
  PetscCall(PetscSNPrintf(line, sizeof(line), "the program's own %s '%s' calls PETSc's assembly: not taken over\n",
                          what, name ? name : "(without a symbol)"));
  PetscCall(PetscFree(name));
  PetscCall(PetscNew(&found));
  PetscCall(PetscStrallocpy(line, &found->line));
  found->fn        = fn;
  found->next      = PlexForeignFound;
  PlexForeignFound = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's assembly of a residual or Jacobian begins on a DM: for whom */
static PetscErrorCode PlexForeignLook(DM dm, PlexProductKind kind)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *)                                  = NULL;
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *)                             = NULL;
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *)                 = NULL;
  PetscErrorCode (*ijacobian)(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *) = NULL;
  PetscErrorCode (*rhsfunction)(DM, PetscReal, Vec, Vec, void *)                    = NULL;
  const PetscBool residual = (PetscBool)(kind == PLEX_RESIDUAL);

  PetscFunctionBegin;
  if (dm->dmsnes && ((DMSNES)dm->dmsnes)->data) {
    PetscCall(DMSNESGetFunctionLocal(dm, &function, NULL));
    PetscCall(DMSNESGetJacobianLocal(dm, &jacobian, NULL));
  }
  if (dm->dmts && ((DMTS)dm->dmts)->data) {
    PetscCall(DMTSGetIFunctionLocal(dm, &ifunction, NULL));
    PetscCall(DMTSGetIJacobianLocal(dm, &ijacobian, NULL));
    PetscCall(DMTSGetRHSFunctionLocal(dm, &rhsfunction, NULL));
  }
  if (residual) {
    PetscCall(PlexForeignNote((PetscVoidFn *)function, (PetscVoidFn *)DMPlexSNESComputeResidualFEM,
                              (PetscVoidFn *)PlexAssemblySNESFunction_Private, "function"));
    PetscCall(PlexForeignNote((PetscVoidFn *)ifunction, (PetscVoidFn *)DMPlexTSComputeIFunctionFEM,
                              (PetscVoidFn *)PlexAssemblyTSIFunction_Private, "implicit function"));
    PetscCall(PlexForeignNote((PetscVoidFn *)rhsfunction, (PetscVoidFn *)DMPlexTSComputeRHSFunctionFEM,
                              (PetscVoidFn *)PlexAssemblyTSRHSFunction_Private, "right-hand side"));
  } else {
    PetscCall(PlexForeignNote((PetscVoidFn *)jacobian, (PetscVoidFn *)DMPlexSNESComputeJacobianFEM,
                              (PetscVoidFn *)PlexAssemblySNESJacobian_Private, "Jacobian"));
    PetscCall(PlexForeignNote((PetscVoidFn *)ijacobian, (PetscVoidFn *)DMPlexTSComputeIJacobianFEM,
                              (PetscVoidFn *)PlexAssemblyTSIJacobian_Private, "implicit Jacobian"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexForeignEvent(PetscLogEvent event, int unused, PetscObject object, PetscObject o2,
                                       PetscObject o3, PetscObject o4)
{
  PetscBool plex;

  PetscFunctionBegin;
  (void)unused, (void)o2, (void)o3, (void)o4;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    if (event != PlexWatched[kind] || !object || object->classid != DM_CLASSID) continue;
    PetscCall(PetscObjectTypeCompare(object, DMPLEX, &plex));
    if (plex) PetscCall(PlexForeignLook((DM)object, (PlexProductKind)kind));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver on this DM begins to work; *watching: it is to be told when it ends. Without a view nothing is looked for */
PetscErrorCode PlexWatchBegin_Private(DM dm, PetscBool *watching)
{
  const char *prefix = NULL;

  PetscFunctionBegin;
  if (dm) PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_view", &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-plex_assembly_view", watching));
  if (!*watching || PlexWatching++) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventGetId("DMPlexResidualFE", &PlexWatched[PLEX_RESIDUAL]));
  PetscCall(PetscLogEventGetId("DMPlexJacobianFE", &PlexWatched[PLEX_JACOBIAN]));
  if (!PlexWatch)
    PetscCall(PetscLogHandlerCreateLegacy(PETSC_COMM_SELF, PlexForeignEvent, NULL, NULL, NULL, &PlexWatch));
  PetscCall(PetscLogHandlerStart(PlexWatch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexWatchEnd_Private(PetscBool watching)
{
  PetscFunctionBegin;
  if (!watching || --PlexWatching) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogHandlerStop(PlexWatch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What no view has shown yet */
PetscErrorCode PlexForeignView_Private(PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PlexForeign found = PlexForeignFound; found; found = found->next) {
    if (!found->shown) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", found->line));
    found->shown = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a run where no assembly is viewed any more: the first process says it */
static PetscErrorCode PlexForeignViewLeft(void)
{
  PetscMPIInt       rank;
  PetscViewer       viewer;
  PetscViewerFormat format;
  PetscBool         left = PETSC_FALSE, flg;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (PlexForeign found = PlexForeignFound; found; found = found->next) left = (PetscBool)(left || !found->shown);
  if (!left || rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsCreateViewer(PETSC_COMM_SELF, NULL, NULL, "-plex_assembly_view", &viewer, &format, &flg));
  if (!flg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "PlexGPU:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PlexForeignView_Private(viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind the last view, which comes when the package may be finalized already */
PetscErrorCode PlexForeignEnd_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PlexForeignViewLeft());
  while (PlexForeignFound) {
    PlexForeign found = PlexForeignFound;

    PlexForeignFound = found->next;
    PetscCall(PetscFree(found->line));
    PetscCall(PetscFree(found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexForeignFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogHandlerDestroy(&PlexWatch));
  PlexWatching = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
