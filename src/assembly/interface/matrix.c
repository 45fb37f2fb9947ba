#include <plexgpu/impl.h> /*I "plexgpu.h" I*/

/*@
  PlexAssemblyCreateMatrix - Creates a matrix that an assembly can write into

  Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. mat - the matrix, of the type and with the pattern, blocks and null spaces that `DMCreateMatrix()` gives it; values are zero

  Level: intermediate

  Note:
  With a type derived from `MATAIJ` this takes a fraction of the time of `DMCreateMatrix()`, which serves as well and is what happens
  elsewhere.

.seealso: `PlexAssembly`, `PlexAssemblyComputeJacobian()`, `DMCreateMatrix()`
@*/
PetscErrorCode PlexAssemblyCreateMatrix(PlexAssembly asm_, Mat *mat)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(mat, 2);
  PetscCall(PlexAssemblySetUp(asm_));
  if (asm_->reason) PetscCall(DMCreateMatrix(asm_->dm, mat));
  else PetscCall(PlexElementsCreateMatrix(asm_->elements, mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}
