/*
  The operator in a TS: right-hand side, default step and method, and a watch for steps beyond stability
*/
#include <plexgpu/dg.h> /*I "plexgpu.h" I*/
#include "dgimpl.h"

#define PLEX_DG_GROWTH  10. /* of the state's norm between two looks at it, */
#define PLEX_DG_GROWTHS 3   /* so many times in a row: exponential, as no boundary condition or source makes it */

/*@
  PlexDGSetStabilityCheck - Sets how often a `TS` looks whether the state grows as it does with a time step beyond stability

  Logically Collective

  Input Parameters:
+ dg    - the operator
- steps - every so many steps, 50 if it is not set; 0 for never

  Options Database Key:
. -plex_dg_check_steps steps - likewise

  Level: intermediate

  Note:
  `TSSolve()` stops with an error when the norm of the state is not finite; or has grown tenfold from one look to the next three times in a row with a time step longer
  than the default one. With a shorter one a source that sets in may be the reason.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGComputeTimeStep()`
@*/
PetscErrorCode PlexDGSetStabilityCheck(PlexDG dg, PetscInt steps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(steps >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "The state cannot be looked at every %" PetscInt_FMT " steps: -plex_dg_check_steps 0 is never", steps);
  dg->checkSteps = steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDG    dg = (PlexDG)ctx;
  PetscReal norm, dt;

  PetscFunctionBegin;
  if (!dg->checkSteps || step < 0 || step % dg->checkSteps) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(U, NORM_2, &norm));
  if (!step) dg->growths = 0;
  else dg->growths = norm > PLEX_DG_GROWTH * dg->norm ? dg->growths + 1 : 0;
  if (PetscIsInfOrNanReal(norm) || dg->growths >= PLEX_DG_GROWTHS) {
    PetscCall(TSGetTimeStep(ts, &dt));
    PetscCheck(!PetscIsInfOrNanReal(norm) && dt <= dg->stable, PetscObjectComm((PetscObject)dg), PETSC_ERR_CONV_FAILED, "The state grows without bound: its norm is %g at step %" PetscInt_FMT ", t = %g, and was %g %" PetscInt_FMT " steps before. The time step is %g, and the default one %g: %s", (double)norm, step, (double)t,
               (double)dg->norm, dg->checkSteps, (double)dt, (double)dg->stable, dt > dg->stable ? "it is beyond stability, use -ts_dt, or -plex_dg_cfl with the default step" : "a method of lower order than three needs a shorter one, and sources, boundary values and coefficients have to be finite");
  }
  dg->norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSRHSFunction(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  PetscFunctionBegin;
  (void)ts;
  PetscCall(PlexDGComputeRHS((PlexDG)ctx, t, U, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGetOfTS_Private(TS ts, PlexDG *dg)
{
  TSRHSFunctionFn *function;
  void            *ctx;

  PetscFunctionBegin;
  PetscCall(TSGetRHSFunction(ts, NULL, &function, &ctx));
  *dg = function == PlexDGTSRHSFunction ? (PlexDG)ctx : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetTS - Makes the operator the right-hand side of a `TS`

  Collective

  Input Parameters:
+ dg - the operator, which has to live as long as `ts`
- ts - the time stepper; its solution, where it is set already, gives the speeds of nonlinear systems

  Level: beginner

  Note:
  The time step is set to that of `PlexDGComputeTimeStep()`, and where no type is set, the classical Runge-Kutta method of order four without
  adaptivity. What `TSSetFromOptions()` finds afterwards comes first.

  Options ask for output: see `PlexDGMonitorSolution()`, `PlexDGMonitorProbes()`, `PlexDGMonitorEnergy()`, `PlexDGMonitorCheckpoint()`.

  Every 50 steps the state's norm is looked at, see `PlexDGSetStabilityCheck()`.

.seealso: `PlexDG`, `PlexDGComputeTimeStep()`, `PlexDGSetCFL()`, `PlexDGSetStabilityCheck()`, `PlexDGComputeRHS()`
@*/
PetscErrorCode PlexDGSetTS(PlexDG dg, TS ts)
{
  TSType    type;
  TSAdapt   adapt;
  Vec       U;
  PetscReal dt;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscCall(TSSetRHSFunction(ts, NULL, PlexDGTSRHSFunction, dg));
  PetscCall(TSMonitorSet(ts, PlexDGTSMonitor, dg, NULL));
  PetscCall(TSGetType(ts, &type));
  if (!type) {
    PetscCall(TSSetType(ts, TSRK));
    PetscCall(TSRKSetType(ts, TSRK4));
    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(PlexDGComputeTimeStep(dg, U, &dt));
  PetscCall(TSSetTimeStep(ts, dt));
  PetscCall(PlexDGMonitorsSetFromOptions_Private(dg, ts));
  dg->stable = dt / dg->cfl;
  PetscFunctionReturn(PETSC_SUCCESS);
}
