/* The nonlinear solve that is under way */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/snesimpl.h>

/* The innermost solve */
static struct {
  PetscInt64 id, last; /* last: the highest one given so far */
  SNES       snes;
} PlexCurrent;

PetscErrorCode PlexSolveGetCurrent_Private(PlexSolve *solve)
{
  PetscBool changing = PETSC_FALSE;

  PetscFunctionBegin;
  solve->id        = 0;
  solve->iteration = 0;
  if (!PlexCurrent.id) PetscFunctionReturn(PETSC_SUCCESS);
  /* loads, and essential values, change as it goes */
  PetscCall(PetscObjectTypeCompare((PetscObject)PlexCurrent.snes, SNESNEWTONAL, &changing));
  if (changing) PetscFunctionReturn(PETSC_SUCCESS);
  solve->id = PlexCurrent.id;
  if (PlexCurrent.snes->ops->update) solve->iteration = PlexCurrent.snes->iter;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexSolveBegin_Private(SNES snes, PlexSolveOuter *outer)
{
  outer->id        = PlexCurrent.id;
  outer->snes      = PlexCurrent.snes;
  PlexCurrent.id   = ++PlexCurrent.last;
  PlexCurrent.snes = snes;
}

void PlexSolveEnd_Private(const PlexSolveOuter *outer)
{
  PlexCurrent.id   = outer->id;
  PlexCurrent.snes = outer->snes;
}
