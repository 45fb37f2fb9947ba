/* Vectors as they were once: what is noted of a residual that is under way, for the Jacobian at the same state (reuse.c) */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

PetscErrorCode PlexSeenSet_Private(Vec v, PlexSeen *seen)
{
  PetscFunctionBegin;
  *seen = (PlexSeen){0, 0};
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)v, &seen->id));
  PetscCall(PetscObjectStateGet((PetscObject)v, &seen->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a vector is the one that was seen, unchanged. Of a vector whose memory others write to, the state says
   nothing */
PetscErrorCode PlexSeenIsSame_Private(Vec v, PlexSeen seen, PetscBool *same)
{
  PlexSeen    now;
  PetscObject shared = NULL;

  PetscFunctionBegin;
  PetscCall(PlexSeenSet_Private(v, &now));
  if (v) PetscCall(PetscObjectQuery((PetscObject)v, "PlexGPU shared", &shared));
  *same = (PetscBool)(now.id == seen.id && now.state == seen.state && !shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often essential values have been evaluated */
PetscInt PlexReuseEvaluations_Private(PlexAssembly asm_)
{
  return asm_->evaluations + (asm_->boundary ? asm_->boundary->evaluations : 0);
}

/* Essential values were inserted here, for the residual that is under way */
void PlexReuseNoteValues_Private(PlexAssembly asm_, PlexSolve solve, PetscReal t)
{
  if (!asm_->reuse.active) return;
  asm_->reuse.values      = (PetscBool)(solve.id != 0);
  asm_->reuse.timeValue   = t;
  asm_->reuse.evaluations = PlexReuseEvaluations_Private(asm_);
}

/* The local vectors of the residual that is under way, before it is computed */
PetscErrorCode PlexReuseNote_Private(PlexAssembly asm_, Vec locX, Vec locX_t)
{
  PlexReuse *reuse = &asm_->reuse;

  PetscFunctionBegin;
  if (!reuse->active) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSeenSet_Private(locX, &reuse->local[0]));
  PetscCall(PlexSeenSet_Private(locX_t, &reuse->local[1]));
  reuse->state  = asm_->state;
  reuse->noted  = PETSC_TRUE;
  reuse->active = PETSC_FALSE; /* the vectors of another residual within this one are not X's */
  PetscFunctionReturn(PETSC_SUCCESS);
}
