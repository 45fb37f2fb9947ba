#include <plexgpu/impl.h>
#include "assemblyimpl.h"

/* Essential values at time t into locX, and their time derivatives into locX_t where there is one; *inserted: else it is PETSc's */
PetscErrorCode PlexAssemblyInsertBoundary_Private(PlexAssembly asm_, PetscReal t, Vec locX, Vec locX_t, PetscBool *inserted)
{
  PlexSolve   solve;
  PlexBackend backend;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUp(asm_));
  *inserted = (PetscBool)!asm_->reason;
  if (*inserted) PetscCall(PlexBoundarySupported(asm_->dm, locX, inserted));
  asm_->insertions[*inserted ? 0 : 1]++;
  if (!*inserted) PetscFunctionReturn(PETSC_SUCCESS);
  if (!asm_->boundary) {
    PetscCall(PlexAssemblyGetBackend(asm_, &backend));
    PetscCall(PlexBoundaryCreate(asm_->dm, backend, &asm_->boundary));
  }
  PetscCall(PlexSolveGetCurrent_Private(&solve));
  PetscCall(PetscLogEventBegin(PLEX_Boundary, asm_, locX, 0, 0));
  PetscCall(PlexBoundaryInsert(asm_->boundary, solve, t, locX, locX_t));
  PetscCall(PetscLogEventEnd(PLEX_Boundary, asm_, locX, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
