/*
  Callbacks of the program's own that call PETSc's assembly. A program may set a local function that wraps
  DMPlexSNESComputeResidualFEM(), or one that integrates part by part: such a function is not taken over, since what
  else it does is not known. The view names it, once. Where libplexgpu_preload.so is there, the first kind's call is
  (interpose.c), and the second kind is left.

  Who calls is seen in PETSc's log: while a solver is at work and a view is wanted, a handler of ours looks at the
  events that PETSc's own assembly begins with, and at whose local callbacks its DM has.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>

static PetscLogHandler PlexWatch    = NULL; /* at work while PlexWatching > 0 */
static PetscInt        PlexWatching = 0;
static PetscLogEvent   PlexWatched[PLEX_PRODUCTS];

/* PETSc's assembly of a residual or Jacobian begins on a DM: for whom */
static PetscErrorCode PlexForeignLook(DM dm, PlexProductKind kind)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *)                                  = NULL;
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *)                             = NULL;
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *)                 = NULL;
  PetscErrorCode (*ijacobian)(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *) = NULL;
  PetscErrorCode (*rhsfunction)(DM, PetscReal, Vec, Vec, void *)                    = NULL;
  const PetscBool residual = (PetscBool)(kind == PLEX_RESIDUAL);
  PetscBool       within;

  PetscFunctionBegin;
  (void)PlexInterposes_Private(&within);
  if (within) PetscFunctionReturn(PETSC_SUCCESS); /* taken over, and left to PETSc for another reason, which is said */
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
    PetscCall(PlexForeignNote_Private((PetscVoidFn *)function, (PetscVoidFn *)DMPlexSNESComputeResidualFEM,
                                      (PetscVoidFn *)PlexAssemblySNESFunction_Private, "function"));
    PetscCall(PlexForeignNote_Private((PetscVoidFn *)ifunction, (PetscVoidFn *)DMPlexTSComputeIFunctionFEM,
                                      (PetscVoidFn *)PlexAssemblyTSIFunction_Private, "implicit function"));
    PetscCall(PlexForeignNote_Private((PetscVoidFn *)rhsfunction, (PetscVoidFn *)DMPlexTSComputeRHSFunctionFEM,
                                      (PetscVoidFn *)PlexAssemblyTSRHSFunction_Private, "right-hand side"));
  } else {
    PetscCall(PlexForeignNote_Private((PetscVoidFn *)jacobian, (PetscVoidFn *)DMPlexSNESComputeJacobianFEM,
                                      (PetscVoidFn *)PlexAssemblySNESJacobian_Private, "Jacobian"));
    PetscCall(PlexForeignNote_Private((PetscVoidFn *)ijacobian, (PetscVoidFn *)DMPlexTSComputeIJacobianFEM,
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

PetscErrorCode PlexForeignFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogHandlerDestroy(&PlexWatch));
  PlexWatching = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
