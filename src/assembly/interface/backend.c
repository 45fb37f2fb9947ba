/* The backend of an assembly, which all else asks for */
#include "assemblyimpl.h" /*I "plexgpuassembly.h" I*/

/*@
  PlexAssemblyGetBackend - Gets the backend that an assembly runs on

  Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. backend - the backend, created if need be

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetBackend()`
@*/
PetscErrorCode PlexAssemblyGetBackend(PlexAssembly asm_, PlexBackend *backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(backend, 2);
  if (!asm_->backend)
    PetscCall(PlexBackendCreate(asm_->backendType ? asm_->backendType : PLEXBACKENDAUTO, &asm_->backend));
  *backend = asm_->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}
