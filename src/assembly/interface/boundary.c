/* Essential boundary values of an assembly: found at set-up, inserted into a local vector */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

static PetscErrorCode PlexAssemblyGetBoundary(PlexAssembly asm_)
{
  PlexBackend backend;

  PetscFunctionBegin;
  if (asm_->boundary) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetBackend(asm_, &backend));
  PetscCall(PlexBoundaryCreate(asm_->dm, backend, &asm_->boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where essential values are evaluated, if that is here */
PetscErrorCode PlexAssemblyPrepareBoundary_Private(PlexAssembly asm_)
{
  Vec       locX;
  PetscBool here;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(asm_->dm, &locX));
  PetscCall(PlexBoundarySupported(asm_->dm, locX, &here));
  PetscCall(DMRestoreLocalVector(asm_->dm, &locX));
  if (!here) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetBoundary(asm_));
  PetscCall(PetscLogEventBegin(PLEX_Boundary, asm_, 0, 0, 0));
  PetscCall(PlexBoundarySetUp(asm_->boundary));
  PetscCall(PetscLogEventEnd(PLEX_Boundary, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts essential values at time t into locX, and their time derivatives into locX_t unless it is NULL. *inserted false:
   PETSc has to do it */
PetscErrorCode PlexAssemblyInsertBoundary_Private(PlexAssembly asm_, PetscReal t, Vec locX, Vec locX_t,
                                                  PetscBool *inserted)
{
  PlexSolve solve;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUp(asm_));
  *inserted = (PetscBool)!asm_->reason;
  if (*inserted) PetscCall(PlexBoundarySupported(asm_->dm, locX, inserted));
  asm_->insertions[*inserted ? 0 : 1]++;
  if (!*inserted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetBoundary(asm_));
  PetscCall(PlexSolveGetCurrent_Private(&solve));
  PetscCall(PetscLogEventBegin(PLEX_Boundary, asm_, locX, 0, 0));
  PetscCall(PlexBoundaryInsert(asm_->boundary, solve, t, locX, locX_t));
  PetscCall(PetscLogEventEnd(PLEX_Boundary, asm_, locX, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
