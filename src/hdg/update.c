/* Another source, other coefficients or boundary values of a hybridized DG method that is set up */
#include "elastic.h"
#include "trace.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGUpdate - Says that the functions of source, coefficients, stabilization or boundary conditions return something
  else than before

  Logically Collective

  Input Parameter:
. hdg - the discretization

  Level: intermediate

  Notes:
  They are evaluated when the discretization is next used. Mesh, pattern of K, kernels and vectors stay. K is computed
  again, and so is its preconditioner.

  Functions that `PlexHDGSetSource()` and its like set are evaluated without this, and what K does not depend on leaves
  K as it is: after another source, or other values of Dirichlet's and Neumann's conditions, `PlexHDGSolve()` computes a
  right-hand side, solves for the trace and recovers u.

  Where elements have several types or degrees (`PlexHDGSetDegrees()`) all is set up again, with other vectors: ask
  `PlexHDGGetSolution()` for them after each `PlexHDGSolve()`.

.seealso: `PlexHDG`, `PlexHDGSetSource()`, `PlexHDGSetCoefficients()`, `PlexHDGAddBoundary()`, `PlexHDGReset()`
@*/
PetscErrorCode PlexHDGUpdate(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_SOURCE | PLEX_HDG_STALE_BOUNDARY | PLEX_HDG_STALE_COEFFICIENTS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Evaluates what `stale` says; *changed: K has */
static PetscErrorCode PlexHDGEvaluate(PlexHDG hdg, int stale, PetscBool *changed)
{
  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(PetscLogEventBegin(PLEX_HDGData, hdg, 0, 0, 0));
  if (stale & (PLEX_HDG_STALE_BOUNDARY | PLEX_HDG_STALE_TIME)) PetscCall(PlexHDGSetBoundary_Private(hdg, changed));
  if (stale & (PLEX_HDG_STALE_SOURCE | PLEX_HDG_STALE_TIME)) PetscCall(PlexHDGSetSource_Private(hdg));
  if (stale & PLEX_HDG_STALE_COEFFICIENTS) {
    PetscCall(PlexHDGSetUpCoefficients_Private(hdg));
    PetscTryTypeMethod(hdg, renew);
    *changed = PETSC_TRUE;
  } else if ((stale & PLEX_HDG_STALE_TIME) && PlexHDGVaries(hdg)) {
    hdg->renewed = PETSC_FALSE;
    PetscCall(PlexHDGUpdateCoefficients_Private(hdg));
    if (hdg->renewed) PetscTryTypeMethod(hdg, renew);
    if (hdg->renewed) *changed = PETSC_TRUE;
  }
  hdg->evaluated = (PetscBool)(hdg->time != NULL);
  if (hdg->time) hdg->now = *hdg->time;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, changed, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscLogEventEnd(PLEX_HDGData, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGUpdateStale_Private(PlexHDG hdg, PetscBool *again)
{
  const int       stale      = hdg->stale;
  const PetscBool indefinite = hdg->indefinite;
  PetscBool       same       = PETSC_TRUE, changed, singular;

  PetscFunctionBegin;
  *again = PETSC_TRUE;
  if (hdg->groups) PetscFunctionReturn(PETSC_SUCCESS);
  if (stale & PLEX_HDG_STALE_BOUNDARY) PetscCall(PlexHDGConditionsRenew_Private(hdg, &same));
  if (!same) PetscFunctionReturn(PETSC_SUCCESS); /* faces have unknowns that had none, or the other way round */
  PetscCall(PlexHDGEvaluate(hdg, stale, &changed));
  if (indefinite != hdg->indefinite) PetscFunctionReturn(PETSC_SUCCESS); /* local problems are of another kind */
  PetscCall(PlexHDGIsSingular_Private(hdg, &singular));
  if (singular != hdg->singular) PetscFunctionReturn(PETSC_SUCCESS); /* K has a null space that it had not */
  if (changed) {
    hdg->assembled = PETSC_FALSE;
    PetscCall(PlexHDGResetPreconditioner_Private(hdg));
  }
  hdg->stale = 0;
  *again     = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
