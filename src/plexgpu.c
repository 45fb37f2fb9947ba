/*
  Package start-up: classes, events, and every backend and strategy registered in one place each.
*/
#include <plexgpu/impl.h>

PetscLogEvent PLEX_SetUp, PLEX_Plan, PLEX_Compile, PLEX_Residual, PLEX_Jacobian, PLEX_Integrate, PLEX_Reduce, PLEX_Boundary;

static PetscBool PlexGPUPackageInitialized = PETSC_FALSE;

PETSC_EXTERN PetscErrorCode PlexBackendRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexBackendFinalize(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyFinalize(void);
PETSC_INTERN PetscErrorCode PlexTakeOverRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverFinalize_Private(void);

/*@C
  PlexGPUFinalizePackage - Releases what PlexGPU keeps for the whole run. Called by `PetscFinalize()`.

  Level: developer

.seealso: `PlexGPUInitializePackage()`, `PetscFinalize()`
@*/
PetscErrorCode PlexGPUFinalizePackage(void)
{
  PetscFunctionBegin;
  PetscCall(PlexTakeOverFinalize_Private());
  PetscCall(PlexAssemblyFinalize());
  PetscCall(PlexBackendFinalize());
  PlexGPUPackageInitialized = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexGPUInitializePackage - Registers PlexGPU's classes, events, backends and strategies. Called by `PlexAssemblyCreate()` and
  `PlexBackendCreate()`, and by PETSc when the library is loaded with `-dll_append`.

  Level: developer

.seealso: `PlexGPUFinalizePackage()`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexGPUInitializePackage(void)
{
  PetscFunctionBegin;
  if (PlexGPUPackageInitialized) PetscFunctionReturn(PETSC_SUCCESS);
  PlexGPUPackageInitialized = PETSC_TRUE;
  PetscCall(PetscClassIdRegister("Plex Backend", &PLEXBACKEND_CLASSID));
  PetscCall(PetscClassIdRegister("Plex Assembly", &PLEXASSEMBLY_CLASSID));
  PetscCall(PetscLogEventRegister("PlexSetUp", PLEXASSEMBLY_CLASSID, &PLEX_SetUp));
  PetscCall(PetscLogEventRegister("PlexPlan", PLEXASSEMBLY_CLASSID, &PLEX_Plan));
  PetscCall(PetscLogEventRegister("PlexCompile", PLEXASSEMBLY_CLASSID, &PLEX_Compile));
  PetscCall(PetscLogEventRegister("PlexResidual", PLEXASSEMBLY_CLASSID, &PLEX_Residual));
  PetscCall(PetscLogEventRegister("PlexJacobian", PLEXASSEMBLY_CLASSID, &PLEX_Jacobian));
  PetscCall(PetscLogEventRegister("PlexIntegrate", PLEXASSEMBLY_CLASSID, &PLEX_Integrate));
  PetscCall(PetscLogEventRegister("PlexReduce", PLEXASSEMBLY_CLASSID, &PLEX_Reduce));
  PetscCall(PetscLogEventRegister("PlexBoundary", PLEXASSEMBLY_CLASSID, &PLEX_Boundary));
  PetscCall(PlexBackendRegisterAll());
  PetscCall(PlexAssemblyRegisterAll());
  PetscCall(PlexTakeOverRegister_Private());
  PetscCall(PetscRegisterFinalize(PlexGPUFinalizePackage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PETSc when the library is named with -dll_append, which asks for it to be used */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_plexgpu(void)
{
  PetscFunctionBegin;
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
