/*
  A TSAdapt whose step is that of PlexDGComputeTimeStep() at the state that a step ends with
*/
#include <plexgpu/private/dgimpl.h> /*I "plexgpudg.h" I*/
#include <petsc/private/tsimpl.h>
#include "tsimpl.h"

/* Steps are at least so many times shorter than those that become unstable: a step whose speeds have grown by more is
   done again */
#define PLEX_DG_ROOM 1.05

typedef struct {
  Vec limited; /* what the next step begins with where it is not the solution yet */
} TSAdapt_PlexDG;

/* Whether h is `given`, or what is left of it to the end or to the next time at which the solution is asked for. A step
   that is another one was set by the program or by -ts_time_step, and stays */
PetscErrorCode TSAdaptPlexDGIsGiven_Private(TS ts, PetscReal h, PetscReal given, PetscBool *is)
{
  const PetscReal *times = NULL;
  const PetscReal  end   = ts->ptime + h;
  PetscInt         n     = 0;

  PetscFunctionBegin;
  *is = (PetscBool)(h == given);
  if (*is || h > given || ts->exact_final_time != TS_EXACTFINALTIME_MATCHSTEP) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetEvaluationTimes(ts, &n, &times));
  *is = PetscIsCloseAtTol(end, ts->max_time, 1e-10, 1e-10 * h);
  for (PetscInt k = 0; k < n; ++k) *is = (PetscBool)(*is || PetscIsCloseAtTol(end, times[k], 1e-10, 1e-10 * h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state that the next step begins with: a TSRK's is limited behind the step */
static PetscErrorCode TSAdaptPlexDGGetState(TSAdapt adapt, TS ts, PlexDG dg, PetscBool limits, Vec *U)
{
  TSAdapt_PlexDG *a = (TSAdapt_PlexDG *)adapt->data;

  PetscFunctionBegin;
  *U = ts->vec_sol;
  if (!PlexDGLimits_Private(dg) || limits) PetscFunctionReturn(PETSC_SUCCESS);
  if (!a->limited) PetscCall(VecDuplicate(ts->vec_sol, &a->limited));
  PetscCall(VecCopy(ts->vec_sol, a->limited));
  PetscCall(PlexDGLimit(dg, a->limited));
  *U = a->limited;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error: that of a state which grows where it is not finite, else one that names the cell */
static PetscErrorCode TSAdaptPlexDGBad(TS ts, PlexDG dg, PetscReal h, Vec U)
{
  PetscReal norm, dt;

  PetscFunctionBegin;
  PetscCall(PlexDGVecNorm(ts->vec_sol, PETSC_BLAS_INT_MAX, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscCall(PlexDGTSGrows_Private(dg, ts, ts->steps + 1, ts->ptime + h, norm));
  PetscCall(PlexDGGetTimeStep_Private(dg, U, PETSC_FALSE, &dt));
  SETERRQ(PetscObjectComm((PetscObject)ts), PETSC_ERR_CONV_FAILED,
          "The state has no speed at t = %g, so that no time step follows", (double)(ts->ptime + h));
}

static PetscErrorCode TSAdaptChoose_PlexDG(TSAdapt adapt, TS ts, PetscReal h, PetscInt *next_sc, PetscReal *next_h,
                                           PetscBool *accept, PetscReal *wlte, PetscReal *wltea, PetscReal *wlter)
{
  PlexDG    dg;
  Vec       U;
  PetscReal rate;
  PetscBool rolls, limits, exact;

  PetscFunctionBegin;
  *next_sc = 0;
  *next_h  = h;
  *accept  = PETSC_TRUE;
  *wlte = *wltea = *wlter = -1.;
  PetscCall(PlexDGGetOfTS_Private(ts, &dg));
  PetscCheck(dg, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONGSTATE,
             "A TSAdapt of type " TSADAPTPLEXDGCFL
             " is for a TS whose right-hand side is a PlexDG: call PlexDGSetTS()");
  if (dg->given > 0.) {
    PetscCall(TSAdaptPlexDGIsGiven_Private(ts, h, dg->given, &dg->adapts));
    dg->given = 0.;
  }
  if (!dg->adapts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rolls));
  if (!rolls) PetscCall(TSLowStorageKeeps_Private(ts, &rolls));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &limits));
  PetscCall(TSAdaptPlexDGGetState(adapt, ts, dg, limits, &U));
  PetscCall(TSLowStorageTakesDecay_Private(ts, dg, &exact));
  PetscCall(PlexDGGetRate_Private(dg, U, exact, &rate));
  if (!(rate < PETSC_INFINITY)) PetscCall(TSAdaptPlexDGBad(ts, dg, h, U));
  rate /= dg->method;
  if (rate > 0.) dg->stable = PetscMax(dg->stable, 1. / rate);
  *accept = (PetscBool)(!rolls || adapt->always_accept || h * rate <= PLEX_DG_ROOM * PetscMax(1., dg->cfl));
  *next_h = PetscMin(adapt->clip[1] * h, adapt->dt_max);
  if (rate > 0.) *next_h = PetscMin(*next_h, dg->cfl / rate);
  *next_h = PetscMax(*next_h, adapt->dt_min);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSAdaptReset_PlexDG(TSAdapt adapt)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&((TSAdapt_PlexDG *)adapt->data)->limited));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSAdaptDestroy_PlexDG(TSAdapt adapt)
{
  PetscFunctionBegin;
  PetscCall(TSAdaptReset_PlexDG(adapt));
  PetscCall(PetscFree(adapt->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  TSADAPTPLEXDGCFL - "plexdgcfl", steps that follow the speed of a `PlexDG`'s state

  Options Database Keys:
+ -ts_adapt_type plexdgcfl - likewise
. -ts_adapt_clip low,high  - a step is at most `high` times as long as the one before, by default 10
. -ts_adapt_dt_max max     - longest step
- -ts_adapt_dt_min min     - shortest step

  Level: intermediate

  Notes:
  After each step the next one is that of `PlexDGComputeTimeStep()`, times the factor of `PlexDGSetCFL()`. With a `TSRK`,
  or scheme ssp3 of `TSPLEXLOWSTORAGE`, a step within which the speed has grown so that it was longer than 1.05 times the stable one is done again. Other types
  keep it, as they do not keep the state before; the next one is shorter.

  `PlexDGSetTS()` sets this type where `PlexDGSetAdaptiveStep()` says so. A step that is set afterwards and before the
  first one, by `TSSetTimeStep()` or -ts_time_step, stays, as it does with -ts_adapt_type none.

  The state is read once, where the operator is, and the processes agree by one reduction.

.seealso: `PlexDGSetAdaptiveStep()`, `PlexDGSetTS()`, `TSAdaptSetType()`
M*/
PetscErrorCode TSAdaptCreate_PlexDG_Private(TSAdapt adapt)
{
  TSAdapt_PlexDG *a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  adapt->data         = a;
  adapt->ops->choose  = TSAdaptChoose_PlexDG;
  adapt->ops->reset   = TSAdaptReset_PlexDG;
  adapt->ops->destroy = TSAdaptDestroy_PlexDG;
  PetscFunctionReturn(PETSC_SUCCESS);
}
