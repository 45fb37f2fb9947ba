/* Callbacks of a TS: implicit and explicit functions, and Jacobians */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexTakeSection_Private() */

/* Callbacks of a TS on a DM. Each looks up the assembly of the DM that it is called for: levels share the callbacks. */

PetscErrorCode PlexAssemblyTSBoundary_Private(DM dm, PetscReal t, Vec locX, Vec locX_t, void *ctx)
{
  PlexAssembly asm_;
  PetscBool    inserted;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexAssemblyInsertBoundary_Private(asm_, t, locX, locX_t, &inserted));
  if (!inserted) PetscCall(DMPlexTSComputeBoundary(dm, t, locX, locX_t, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyTSIFunction_Private(DM dm, PetscReal t, Vec locX, Vec locX_t, Vec locF, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexAssemblyComputeFunction(asm_, locX, locX_t, t, locF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyTSIJacobian_Private(DM dm, PetscReal t, Vec locX, Vec locX_t, PetscReal X_tShift, Mat J,
                                               Mat P, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexAssemblyComputeJacobian(asm_, locX, locX_t, t, X_tShift, J, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The explicit part, the functions of key.part 100 */
PetscErrorCode PlexAssemblyTSRHSFunction_Private(DM dm, PetscReal t, Vec locX, Vec locG, void *ctx)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexAssemblyComputeRHSFunction(asm_, locX, t, locG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether some PetscDS of the DM has functions of a residual with this part */
static PetscErrorCode PlexHasResidual(DM dm, PetscInt part, PetscBool *has)
{
  PetscInt Nds;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscDS       ds;
    PetscWeakForm wf;

    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSGetWeakForm(ds, &wf));
    for (PetscInt k = 0; k < 2; ++k) {
      PetscFormKey *keys;
      PetscInt      n;

      PetscCall(PlexWeakFormGetKeys(wf, k ? PETSC_WF_F1 : PETSC_WF_F0, &n, &keys));
      for (PetscInt i = 0; i < n; ++i) {
        if (keys[i].part == part) *has = PETSC_TRUE;
      }
      PetscCall(PetscFree(keys));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetTSLocal - Lets a `TS` on this `DM` assemble its functions and Jacobian with PlexGPU

  Logically Collective

  Input Parameters:
+ dm  - the `DM`, of type `DMPLEX`, with its fields and `PetscDS` set
- ctx - application context

  Level: beginner

  Notes:
  The one line that changes in an application: this instead of `DMTSSetBoundaryLocal()`, `DMTSSetIFunctionLocal()`,
  `DMTSSetIJacobianLocal()` and `DMTSSetRHSFunctionLocal()` with PETSc's `DMPlexTSComputeBoundary()`,
  `DMPlexTSComputeIFunctionFEM()`, `DMPlexTSComputeIJacobianFEM()` and `DMPlexTSComputeRHSFunctionFEM()`.

  Implicit function and Jacobian are set unless the `PetscDS` has an explicit part alone (`PetscDSSetRHSResidual()`),
  the right-hand side where it has one. A purely explicit method needs the mass matrix besides
  (`DMTSCreateRHSMassMatrix()`), as with PETSc's own.

.seealso: `PlexAssembly`, `PlexAssemblyGetFromDM()`, `PlexAssemblySetSNESLocal()`, `DMTSSetIFunctionLocal()`
@*/
PetscErrorCode PlexAssemblySetTSLocal(DM dm, void *ctx)
{
  PetscBool implicit, explicit;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTakeSection_Private(dm));
  PetscCall(PlexTakeProjection_Private(dm));
  PetscCall(PlexHasResidual(dm, 0, &implicit));
  PetscCall(PlexHasResidual(dm, 100, &explicit));
  PetscCall(DMTSSetBoundaryLocal(dm, PlexAssemblyTSBoundary_Private, ctx));
  if (implicit || !explicit) {
    PetscCall(DMTSSetIFunctionLocal(dm, PlexAssemblyTSIFunction_Private, ctx));
    PetscCall(DMTSSetIJacobianLocal(dm, PlexAssemblyTSIJacobian_Private, ctx));
    PetscCall(PlexAssemblyTakeMatrix_Private(dm));
    PetscCall(PlexAssemblyTakeMass_Private(dm));
  }
  if (explicit) PetscCall(DMTSSetRHSFunctionLocal(dm, PlexAssemblyTSRHSFunction_Private, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}
