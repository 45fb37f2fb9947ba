/* Callbacks of a SNES: function, Jacobian and boundary values */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexTakeSection_Private() */

/* The assembly of a DM, made when first asked for; kept with the DM, so each level of a hierarchy has its own */
/*@
  PlexAssemblyGetFromDM - Gets the assembly that belongs to a `DM`

  Collective

  Input Parameter:
. dm - the `DM`, of type `DMPLEX`

  Output Parameter:
. asm - its assembly, owned by the `DM`; created and set from options at the first call

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblySetSNESLocal()`
@*/
PetscErrorCode PlexAssemblyGetFromDM(DM dm, PlexAssembly *asm_)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscAssertPointer(asm_, 2);
  PetscCall(PetscObjectQuery((PetscObject)dm, "PlexAssembly", (PetscObject *)asm_));
  if (*asm_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCreate(dm, asm_));
  PetscCall(PetscObjectDereference((PetscObject)dm)); /* the DM owns the assembly: no cycle of references */
  (*asm_)->borrowed = PETSC_TRUE;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexAssemblySetOptionsPrefix(*asm_, prefix));
  PetscCall(PlexAssemblySetFromOptions(*asm_));
  PetscCall(PetscObjectCompose((PetscObject)dm, "PlexAssembly", (PetscObject)*asm_));
  PetscCall(PetscObjectDereference((PetscObject)*asm_));
  PetscCall(PlexLiveAdd_Private(*asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Callbacks of a SNES on a DM. Each looks up the assembly of the DM that it is called for: levels share the
   callbacks. */

PetscErrorCode PlexAssemblySNESBoundary_Private(DM dm, Vec locX, void *ctx)
{
  PlexAssembly asm_;
  PetscBool    inserted;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  /* PETSc's time where there is none */
  PetscCall(PlexAssemblyInsertBoundary_Private(asm_, PETSC_MIN_REAL, locX, NULL, &inserted));
  if (!inserted) PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The others are those of a TS, without a derivative in time */

PetscErrorCode PlexAssemblySNESFunction_Private(DM dm, Vec locX, Vec locF, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyTSIFunction_Private(dm, 0.0, locX, NULL, locF, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySNESJacobian_Private(DM dm, Vec locX, Mat J, Mat P, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyTSIJacobian_Private(dm, 0.0, locX, NULL, 0.0, J, P, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetSNESLocal - Lets a `SNES` on this `DM` assemble residual and Jacobian with PlexGPU

  Logically Collective

  Input Parameters:
+ dm  - the `DM`, of type `DMPLEX`, with its fields and `PetscDS` set
- ctx - application context, passed to PETSc's boundary functions

  Options Database Keys:
+ -plex_assembly_create_matrix (true|false) - `DMCreateMatrix()` makes the matrix from the elements; true by default
. -plex_assembly_project (true|false|once) - functions are projected into Lagrange fields here; true by default
- -plex_assembly_apply (true|false|auto|stored|evaluated) - J is of type `MATPLEXGPU`, beside P as `DMCreateMatrix()` makes it; false by
                                              default

  Level: beginner

  Notes:
  The one line that changes in an application: this instead of `DMPlexSetSNESLocalFEM()`. Coarser and finer `DM`s made
  from this one are assembled likewise.

  `DMCreateMatrix()` of this `DM` is then as fast as `PlexAssemblyCreateMatrix()`. `SNESSetUp()` makes plans and
  kernels, where the `SNES` got its type after PlexGPU was first called; else the first residual and the first Jacobian
  do.

  Essential boundary values are evaluated once a solve, or once an iteration where the `SNES` has `SNESSetUpdate()`, and
  put into local vectors where these live. They are evaluated each time where the `SNES` was given its type before this
  call.

  The pointwise functions' source is given with `-plex_assembly_source` or
  `PlexAssemblyGetFromDM()` and `PlexAssemblySetPointwiseSource()`; without a GPU none is needed.

.seealso: `PlexAssembly`, `PlexAssemblyGetFromDM()`, `PlexAssemblySetTSLocal()`, `PlexGPUSetTakeOver()`,
         `DMPlexSetSNESLocalFEM()`
@*/
PetscErrorCode PlexAssemblySetSNESLocal(DM dm, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTakeSection_Private(dm));
  PetscCall(PlexTakeProjection_Private(dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, ctx));
  PetscCall(DMSNESSetFunctionLocal(dm, PlexAssemblySNESFunction_Private, ctx));
  PetscCall(DMSNESSetJacobianLocal(dm, PlexAssemblySNESJacobian_Private, ctx));
  PetscCall(DMSNESSetBoundaryLocal(dm, PlexAssemblySNESBoundary_Private, ctx));
  PetscCall(PlexAssemblyTakeMatrix_Private(dm));
  PetscCall(PlexAssemblyTakeMass_Private(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
