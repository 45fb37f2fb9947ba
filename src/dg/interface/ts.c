/*
  The operator in a TS: right-hand side, default step and method, and a watch for steps beyond stability
*/
#include <plexgpu/dg.h> /*I "plexgpu.h" I*/
#include "dgimpl.h"

#define PLEX_DG_GROWTH  10. /* of the state's norm between two looks at it, */
#define PLEX_DG_GROWTHS 3   /* so many times in a row: exponential, as no boundary condition or source makes it */

#define PLEX_DG_RK_SSP3 "ssp3" /* a method of TSRK */

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

/* Wetting and drying: TSPLEXLOWSTORAGE limits its states itself */
static PetscErrorCode PlexDGTSLimits(TS ts, PlexDG *dg)
{
  PetscBool lowStorage, ssp;

  PetscFunctionBegin;
  PetscCall(PlexDGGetOfTS_Private(ts, dg));
  if (!*dg || !(*dg)->shore) *dg = NULL;
  if (!*dg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &lowStorage));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSSSP, &ssp));
  PetscCheck(!ssp, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP, "A TS of type " TSSSP " lets nobody see its stages, and wetting and drying has to: use -ts_type " TSRK " -ts_rk_type " PLEX_DG_RK_SSP3);
  if (lowStorage) *dg = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSPostStage(TS ts, PetscReal t, PetscInt stage, Vec Y[])
{
  PlexDG dg = NULL;

  PetscFunctionBegin;
  (void)t;
  PetscCall(PlexDGTSLimits(ts, &dg));
  if (dg) PetscCall(PlexDGLimit(dg, Y[stage]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSPostStep(TS ts)
{
  PlexDG dg = NULL;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(PlexDGTSLimits(ts, &dg));
  if (!dg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(PlexDGLimit(dg, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method of order three of Shu and Osher (1988), whose stages are means of forward Euler steps, as TSRK has methods */
static PetscErrorCode PlexDGRegisterSSP3(void)
{
  static PetscBool registered = PETSC_FALSE;
  const PetscReal  A[9] = {0., 0., 0., 1., 0., 0., 0.25, 0.25, 0.}, b[3] = {1. / 6., 1. / 6., 2. / 3.};

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(TSRKInitializePackage());
  PetscCall(TSRKRegister(PLEX_DG_RK_SSP3, 3, 3, A, b, NULL, NULL, 0, NULL));
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
  adaptivity; that of order three of Shu and Osher (1988), `-ts_rk_type ssp3`, where elements may fall dry. What `TSSetFromOptions()` finds afterwards comes first.

  Options ask for output: see `PlexDGMonitorSolution()`, `PlexDGMonitorProbes()`, `PlexDGMonitorEnergy()`, `PlexDGMonitorCheckpoint()`.

  Where elements may fall dry, the functions of `TSSetPostStage()` and `TSSetPostStep()` are set; ones of your own call `PlexDGLimit()`.

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
  PetscCall(PlexDGRegisterSSP3());
  PetscCall(PlexDGSetUp(dg));
  if (dg->shore) {
    PetscCall(TSSetPostStage(ts, PlexDGTSPostStage));
    PetscCall(TSSetPostStep(ts, PlexDGTSPostStep));
  }
  PetscCall(TSGetType(ts, &type));
  if (!type) {
    PetscCall(TSSetType(ts, TSRK));
    PetscCall(TSRKSetType(ts, dg->shore ? PLEX_DG_RK_SSP3 : TSRK4));
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
