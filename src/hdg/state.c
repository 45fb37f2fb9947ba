/*
  Hybridized DG as a function and Jacobian of SNES, and in TS by implicit steps.

  A state is u and the trace. With q(u, trace), which an element finds for itself, it is to satisfy equations 5b and 6
  of King and others (2014)

    r_u(v)      = (grad v, q) - <v, q~ . n> + lambda (v, u) + (v, du/dt) - (v, f) = 0
    r_trace(mu) = sum over elements of <mu, q~ . n> + <mu, alpha trace - g>       = 0
    q~ . n      = q . n - tau (u - trace)

  Newton's method: the Jacobian, of [u trace], has S and its like, block-diagonal, where u meets u, so that it is solved
  with by the steps of the linear problem: K by static condensation of the linearized local problems, the trace's
  change, and that of u. After N. C. Nguyen, J. Peraire and B. Cockburn, J. Comput. Phys. 228 (2009), 8841-8855, where q
  is linearized, too; here it is that of u and the trace at each step. In time the trace has no derivative: a
  differential-algebraic system of index 1.
*/
#include "navier.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */

static size_t PlexHDGStateU(PlexHDG hdg)
{
  return (size_t)hdg->mesh->Ne * hdg->reference->Np;
}

static size_t PlexHDGStateTrace(PlexHDG hdg)
{
  return (size_t)hdg->mesh->nown * hdg->reference->Nf;
}

static size_t PlexHDGStateSize(PlexHDG hdg)
{
  return hdg->navier ? PlexHDGNavierSize(hdg) : PlexHDGStateU(hdg) + PlexHDGStateTrace(hdg);
}

static PetscErrorCode PlexHDGStateCheck(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCheck(hdg->system != PLEX_HDG_STOKES, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "A state, for SNES or TS, of Stokes's equations is one of the system navierstokes without convection: "
             "take "
             "-plex_hdg_system navierstokes -plex_hdg_transport none (PlexHDGSetTransport())");
  if (hdg->system != PLEX_HDG_NAVIER_STOKES)
    PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "A state, for SNES or TS,"));
  PetscCall(PlexHDGCheckUniform_Private(hdg, "A state, for SNES or TS,"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGCreateStateVec - Creates a vector of u and the trace

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. X - of each process first u, then the trace, as `PlexHDGCreateVecs()` has them; of `PLEX_HDG_NAVIER_STOKES` u, p and the
      trace, p as `PlexHDGGetPressure()` has it

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGProjectState()`, `PlexHDGSetState()`, `PlexHDGSetSNES()`, `PlexHDGSetTS()`
@*/
PetscErrorCode PlexHDGCreateStateVec(PlexHDG hdg, Vec *X)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(X, 2);
  PetscCall(PlexHDGStateCheck(hdg));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PetscIntCast((PetscCount)PlexHDGStateSize(hdg), &n));
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), n, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace of a state, with values on other processes, in args */
static PetscErrorCode PlexHDGStateGetTrace(PlexHDG hdg, const PetscScalar X[], PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->delta, PLEX_WRITE, &hdg->arrayTrace));
  PetscCall(PlexBackendCopy(hdg->backend, hdg->arrayTrace.array, X + PlexHDGStateU(hdg),
                            sizeof(*X) * PlexHDGStateTrace(hdg)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayTrace));
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGStateSetUp(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGStateCheck(hdg));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCreateSolution_Private(hdg));
  if (!hdg->delta) {
    PetscCall(VecDuplicate(hdg->trace, &hdg->delta));
    PetscCall(VecDuplicate(hdg->trace, &hdg->rest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual F of X and its derivative Xdot by time (NULL: zero); F NULL: only q, of hdg->q */
static PetscErrorCode PlexHDGStateResidual(PlexHDG hdg, Vec X, Vec Xdot, PetscBool slope, Vec F)
{
  PlexHDGArgs args;

  PetscFunctionBegin;
  if (hdg->system == PLEX_HDG_NAVIER_STOKES) {
    PetscCall(PlexHDGNavierResidual_Private(hdg, X, Xdot, F));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGStateSetUp(hdg)); /* coefficients may be others than at the last call */
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
  if (Xdot) PetscCall(PlexBackendVecGet(hdg->backend, Xdot, PLEX_READ, &hdg->arrayXdot));
  if (F) PetscCall(PlexBackendVecGet(hdg->backend, F, PLEX_WRITE, &hdg->arrayF));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->q, PLEX_WRITE, &hdg->arrayQ));
  /* tau follows kappa(u) where a residual is computed: a Jacobian is that of the residual before it, with the same tau */
  if (hdg->nonlinear) PetscCall(PlexHDGUpdatePoints_Private(hdg, hdg->arrayX.array, slope, (PetscBool)(F != NULL)));
  args       = hdg->args;
  args.shift = 0.;
  args.u     = hdg->arrayX.array;
  args.ut    = Xdot ? hdg->arrayXdot.array : NULL;
  args.q     = hdg->arrayQ.array;
  args.r     = F ? hdg->arrayF.array : NULL;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGStateGetTrace(hdg, hdg->arrayX.array, &args));
  if (args.end) PetscUseTypeMethod(hdg, residual, &args);
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  if (F) {
    PetscCall(PlexHDGExchangeFluxes_Private(hdg));
    if (hdg->mesh->nown)
      PetscUseTypeMethod(hdg, flow, args.b, hdg->arrayX.array + PlexHDGStateU(hdg),
                         hdg->arrayF.array + PlexHDGStateU(hdg));
    PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
  }
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayQ));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  if (Xdot) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayXdot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K of the present coefficients in the trace's solver, if it is not there: coefficients may be others since, or K may have been made
   where there was none, which resets the solver */
static PetscErrorCode PlexHDGStateAssemble(PlexHDG hdg)
{
  PetscBool set;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetOperatorsSet(ksp, &set, NULL));
  if (hdg->assembled && set) PetscFunctionReturn(PETSC_SUCCESS);
  if (!hdg->assembled) PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(PlexHDGSetOperators_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K of the problem linearized about X, with lambda + shift */
static PetscErrorCode PlexHDGStateJacobian(PlexHDG hdg, SNES snes, Vec X, PetscReal shift)
{
  PetscInt iteration = PETSC_INT_MAX; /* steps in time start from near by */

  PetscFunctionBegin;
  if (hdg->system == PLEX_HDG_NAVIER_STOKES) {
    if (snes) PetscCall(SNESGetIterationNumber(snes, &iteration));
    PetscCall(PlexHDGNavierJacobian_Private(hdg, iteration, X, shift));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGStateSetUp(hdg));
  if (hdg->nonlinear) PetscCall(PlexHDGStateResidual(hdg, X, NULL, PETSC_TRUE, NULL));
  if (hdg->nonlinear || hdg->args.shift != shift) hdg->assembled = PETSC_FALSE;
  hdg->args.shift = shift;
  PetscCall(PlexHDGStateAssemble(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local problems with the right-hand side r_u and no trace but `trace` (NULL: zero), not even known ones */
static PetscErrorCode PlexHDGStateLocal(PlexHDG hdg, const PetscScalar r[], Vec trace, PetscScalar u[], PetscBool b)
{
  PlexHDGArgs args = hdg->args;

  PetscFunctionBegin;
  if (trace) PetscCall(PlexHDGGetTrace_Private(hdg, trace, &args));
  args.f     = r;
  args.fixed = NULL;
  args.u     = u;
  args.q     = NULL;
  if (!b) args.b = NULL;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGLaunch_Private(hdg, hdg->ops->local, &args));
  if (trace) PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = J^-1 r: K dt = r_trace + R' S^-1 r_u, du = S^-1 (r_u + R dt) */
static PetscErrorCode PlexHDGStateApply(PC pc, Vec r, Vec z)
{
  PlexHDG            hdg;
  PetscErrorCode     ierr;
  KSP                ksp;
  KSPConvergedReason reason;
  double            *natural;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &hdg));
  if (hdg->navier) {
    PetscCall(PlexHDGNavierApply_Private(hdg, pc, r, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGStateSetUp(hdg));
  PetscCall(PlexHDGStateAssemble(hdg)); /* a Jacobian that lags is not asked for in between */
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PlexBackendVecGet(hdg->backend, r, PLEX_READ, &hdg->arrayX));
  PetscCall(PlexHDGStateLocal(hdg, hdg->arrayX.array, NULL, NULL, PETSC_TRUE));
  natural      = hdg->natural;
  hdg->natural = hdg->arrayX.array + PlexHDGStateU(hdg);
  PetscCall(PlexHDGGather_Private(hdg, hdg->rest));
  hdg->natural = natural;
  PetscCall(PetscLogEventBegin(PLEX_HDGSolve, hdg, 0, 0, 0));
  hdg->solving = PETSC_TRUE;
  ierr         = KSPSolve(ksp, hdg->rest, hdg->delta);
  hdg->solving = PETSC_FALSE;
  PetscCall(ierr);
  PetscCall(PetscLogEventEnd(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
  PetscCall(PlexBackendVecGet(hdg->backend, z, PLEX_WRITE, &hdg->arrayF));
  PetscCall(PlexHDGStateLocal(hdg, hdg->arrayX.array, hdg->delta, hdg->arrayF.array, PETSC_FALSE));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->delta, PLEX_READ, &hdg->arrayTrace));
  PetscCall(PlexBackendCopy(hdg->backend, hdg->arrayF.array + PlexHDGStateU(hdg), hdg->arrayTrace.array,
                            sizeof(PetscScalar) * PlexHDGStateTrace(hdg)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayTrace));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSNESFunction(SNES snes, Vec X, Vec F, void *ctx)
{
  PetscFunctionBegin;
  (void)snes;
  PetscCall(PlexHDGStateResidual((PlexHDG)ctx, X, NULL, PETSC_FALSE, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J is applied by differences where somebody asks for that, such as a line search; its inverse is
   PlexHDGStateApply() */
static PetscErrorCode PlexHDGAssembleJ(Mat J, Mat P)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  if (P != J) {
    PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSNESJacobian(SNES snes, Vec X, Mat J, Mat P, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGStateJacobian((PlexHDG)ctx, snes, X, 0.));
  PetscCall(PlexHDGAssembleJ(J, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices of the Jacobian, and a solver that solves with it by static condensation */
static PetscErrorCode PlexHDGSetSolver(PlexHDG hdg, SNES snes, Mat *J, Mat *P)
{
  const PetscInt n = (PetscInt)PlexHDGStateSize(hdg);
  KSP            ksp;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(MatCreateSNESMF(snes, J));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)hdg), n, n, PETSC_DETERMINE, PETSC_DETERMINE, hdg, P));
  if (hdg->backend->device) PetscCall(MatShellSetVecType(*P, PlexBackendVecType(hdg->backend)));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, hdg));
  PetscCall(PCShellSetApply(pc, PlexHDGStateApply));
  PetscCall(PCShellSetName(pc, "static condensation of hybridized DG"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetSNES - Makes a discretization the function and the Jacobian of a `SNES`

  Collective

  Input Parameters:
+ hdg  - the discretization, with its coefficients and conditions set
- snes - the solver; its unknowns are those of `PlexHDGCreateStateVec()`

  Options Database Key:
. -plex_hdg_ksp_type type - of the trace's equations, as in `PlexHDGGetKSP()`; GMRES if kappa depends on u or there is
                            convection, whose linearized problem is not symmetric

  Level: intermediate

  Notes:
  Newton's method, by default with a `KSP` of type `KSPPREONLY`: the Jacobian is inverted by static condensation, K
  assembled for each step, to the tolerance of the trace's solver, to which Newton's method converges quadratically.
  Call this before `SNESSetFromOptions()`, and `PlexHDGSetState()` with the solution.

  The discretization has to be there as long as the solver is used.

.seealso: `PlexHDG`, `PlexHDGSetPointwise()`, `PlexHDGSetState()`, `PlexHDGProjectState()`, `PlexHDGSetTS()`
@*/
PetscErrorCode PlexHDGSetSNES(PlexHDG hdg, SNES snes)
{
  Mat J, P;
  Vec F;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(snes, SNES_CLASSID, 2);
  PetscCall(PlexHDGStateSetUp(hdg));
  PetscCall(PlexHDGCreateStateVec(hdg, &F));
  PetscCall(SNESSetFunction(snes, F, PlexHDGSNESFunction, hdg));
  PetscCall(PlexHDGSetSolver(hdg, snes, &J, &P));
  PetscCall(SNESSetJacobian(snes, J, P, PlexHDGSNESJacobian, hdg));
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Source, conditions and coefficients of a time */
PetscErrorCode PlexHDGSetTime_Private(PlexHDG hdg, PetscReal t)
{
  PetscFunctionBegin;
  if (!hdg->time || (*hdg->time == t && hdg->evaluated && hdg->now == t)) PetscFunctionReturn(PETSC_SUCCESS);
  *hdg->time = t;
  hdg->stale |= PLEX_HDG_STALE_TIME;
  PetscCall(PlexHDGSetUp(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGIFunction(TS ts, PetscReal t, Vec X, Vec Xdot, Vec F, void *ctx)
{
  PlexHDG hdg = (PlexHDG)ctx;

  PetscFunctionBegin;
  (void)ts;
  PetscCall(PlexHDGSetTime_Private(hdg, t));
  PetscCall(PlexHDGStateResidual(hdg, X, Xdot, PETSC_FALSE, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGIJacobian(TS ts, PetscReal t, Vec X, Vec Xdot, PetscReal shift, Mat J, Mat P, void *ctx)
{
  PlexHDG hdg = (PlexHDG)ctx;

  PetscFunctionBegin;
  (void)ts;
  (void)Xdot;
  PetscCall(PlexHDGSetTime_Private(hdg, t));
  PetscCall(PlexHDGStateJacobian(hdg, NULL, X, shift));
  PetscCall(PlexHDGAssembleJ(J, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetTimeVariable - Sets where the time is put before functions are asked, which then depend on it

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
- time - a number that functions read, in their context for example; `NULL`: they do not depend on time

  Level: intermediate

  Example:
.vb
  typedef struct { PetscReal t; } Ctx;

  // kappa = 1 + t, lambda = 0
  PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda, void *ctx)
  {
    for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = 1. + ((Ctx *)ctx)->t;
    *lambda = 0.;
    return PETSC_SUCCESS;
  }

  PetscCall(PlexHDGSetCoefficients(hdg, Coefficients, &ctx));
  PetscCall(PlexHDGSetTimeVariable(hdg, &ctx.t));
  PetscCall(PlexHDGSetTS(hdg, ts));
.ve

  Notes:
  They are asked at each time at which the time stepper wants a residual: source, boundary conditions, kappa, lambda,
  convection and stabilization, as far as functions give them. K, the factors of the local problems and the
  preconditioner are computed again where numbers that they depend on are others than before, and only then: the
  numbers, 8 (dim^2 + 1 + faces) bytes an element, 8 dim^2 N_q more of `PlexHDGSetPointwise()` and 8 (dim N_q + 4 faces
  N_qf) of convection, are kept on the host to compare. Those of pointwise functions that kernels evaluate
  (`PlexHDGSetPointwiseSource()`) are compared where they are, and neither copied nor kept twice. Such functions get the time
  as t.

.seealso: `PlexHDG`, `PlexHDGGetTimeVariable()`, `PlexHDGSetTS()`, `PlexHDGSetSource()`, `PlexHDGAddBoundary()`, `PlexHDGSetCoefficients()`
@*/
PetscErrorCode PlexHDGSetTimeVariable(PlexHDG hdg, PetscReal *time)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (hdg->time != time) hdg->evaluated = PETSC_FALSE;
  hdg->time = time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetTimeVariable - Gets where the time is put before functions are asked

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. time - the number; `NULL`: none

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetTimeVariable()`
@*/
PetscErrorCode PlexHDGGetTimeVariable(PlexHDG hdg, PetscReal **time)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(time, 2);
  *time = hdg->time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetTS - Makes a discretization the problem du/dt - div(kappa grad u) + beta . grad u + lambda u = f of an
  implicit `TS`

  Collective

  Input Parameters:
+ hdg - the discretization, with its coefficients and conditions set
- ts  - the time stepper: backward Euler (`TSBEULER`), `TSBDF`, or another that takes differential-algebraic systems;
        its unknowns are those of `PlexHDGCreateStateVec()`

  Level: intermediate

  Notes:
  The trace has no derivative by time: a differential-algebraic system of index 1. K, with lambda + 1/(a time step's
  multiple), is assembled again where that, kappa by u, or coefficients by time (`PlexHDGSetTimeVariable()`) have
  changed. Each step is solved as `PlexHDGSetSNES()` says.
  Of `PLEX_HDG_NAVIER_STOKES` it is rho (du/dt + u . grad u) - div sigma = f, div u = 0, of index 2, as neither the trace
  nor p has a derivative. Where steps are chosen by errors these are of u alone: by the vector of absolute tolerances, which
  has `-ts_atol`.

  Call this before `TSSetFromOptions()`, and `PlexHDGSetState()` with the solution.

  Where nothing holds u, Neumann's condition on all of the boundary and lambda = 0, u's mean is that of the source by time: rounding of its
  sum, some 1e-15, is multiplied by the length of steps. A steady state is for `PlexHDGSolve()` then, not for steps of 1e7 times h^2/kappa.

  The discretization has to be there as long as the time stepper is used.

.seealso: `PlexHDG`, `PlexHDGSetTimeVariable()`, `PlexHDGSetState()`, `PlexHDGProjectState()`, `PlexHDGSetSNES()`
@*/
PetscErrorCode PlexHDGSetTS(PlexHDG hdg, TS ts)
{
  SNES snes;
  Mat  J, P;
  Vec  F;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscCall(PlexHDGStateSetUp(hdg));
  if (hdg->navier) PetscCall(PlexHDGNavierSetTS_Private(hdg, ts));
  else PetscCall(TSSetEquationType(ts, TS_EQ_DAE_IMPLICIT_INDEX1));
  PetscCall(PlexHDGCreateStateVec(hdg, &F));
  PetscCall(TSSetIFunction(ts, F, PlexHDGIFunction, hdg));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(PlexHDGSetSolver(hdg, snes, &J, &P));
  PetscCall(TSSetIJacobian(ts, J, P, PlexHDGIJacobian, hdg));
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetState - Makes a state the solution of a discretization, with q and post-processed u

  Collective

  Input Parameters:
+ hdg - the discretization
- X   - u and the trace, of `PLEX_HDG_NAVIER_STOKES` with p, of `PlexHDGCreateStateVec()`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGGetSolution()`, `PlexHDGComputeL2Error()`, `PlexHDGWriteVTKHDF()`
@*/
PetscErrorCode PlexHDGSetState(PlexHDG hdg, Vec X)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(X, VEC_CLASSID, 2);
  PetscCall(PlexHDGStateSetUp(hdg));
  PetscCall(PlexHDGStateResidual(hdg, X, NULL, PETSC_FALSE, NULL));
  if (hdg->navier) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->u, PLEX_WRITE, &hdg->arrayU));
  PetscCall(PlexBackendCopy(hdg->backend, hdg->arrayU.array, hdg->arrayX.array,
                            sizeof(PetscScalar) * PlexHDGStateU(hdg)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayU));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscCall(VecCopy(hdg->delta, hdg->trace)); /* where the residual has put it */
  PetscCall(PlexHDGPostprocess(hdg, hdg->u, hdg->q, hdg->star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moments of a function with the n functions phi[Nq][n], and their products G[n][n]; J[Nq] the weights; values[Nq] */
static PetscErrorCode PlexHDGProjectMoments(PetscInt Nq, PetscInt n, const PetscReal phi[], const PetscReal w[],
                                            const PetscReal values[], PetscReal G[], PetscReal c[])
{
  PetscFunctionBegin;
  PlexHDGReferenceMoments(Nq, w, n, phi, n, phi, G);
  PlexHDGReferenceMoments(Nq, w, n, phi, 1, values, c);
  PetscCall(PlexHDGSolveSmall_Private(n, G, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGProjectState - Finds the state whose u and trace are nearest to a function in L2: an initial state

  Collective

  Input Parameters:
+ hdg  - the discretization
. func - gives one number at a point, of `PLEX_HDG_NAVIER_STOKES` dim
- ctx  - its context

  Output Parameter:
. X - of `PlexHDGCreateStateVec()`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetTS()`, `PlexHDGSetSNES()`
@*/
PetscErrorCode PlexHDGProjectState(PlexHDG hdg, PlexHDGFn *func, void *ctx, Vec X)
{
  PlexHDGMesh      mesh;
  PlexHDGReference R;
  PetscScalar     *a;
  PetscReal       *shape, *dshape, *values, *w, *G;
  PetscInt         dim, Nv, points, most;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (hdg->system == PLEX_HDG_NAVIER_STOKES) {
    PetscCall(PlexHDGNavierProject_Private(hdg, func, ctx, X));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGStateCheck(hdg));
  PetscCall(PlexHDGSetUp(hdg));
  mesh   = hdg->mesh;
  R      = hdg->reference;
  dim    = mesh->dim;
  Nv     = mesh->Nv;
  points = R->faces * R->Nqf;
  most   = R->Nq + points;
  PetscCall(PetscMalloc5(most * Nv, &shape, most * Nv * dim, &dshape, most, &values, most, &w, PetscSqr(R->Np), &G));
  if (mesh->nmapped) {
    PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, R->Nq, R->points, shape, dshape));
    PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, points, R->pointsFace, shape + R->Nq * Nv,
                                     dshape + R->Nq * Nv * dim));
  }
  PetscCall(VecGetArrayWrite(X, &a));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt p = 0; p < most; ++p) {
      const PetscInt f = (p - R->Nq) / R->Nqf;
      PetscReal      x[3], J[3][3], C[3][3], length = 0.;
      PetscScalar    value = 0.;

      PlexHDGMeshMap_Private(mesh, e, p < R->Nq ? &R->points[p * dim] : &R->pointsFace[(p - R->Nq) * dim],
                             &shape[p * Nv], &dshape[p * Nv * dim], x, J);
      w[p] = PlexCofactors(dim, J, C);
      for (PetscInt d = 0; p >= R->Nq && d < dim; ++d) {
        PetscReal n = 0.;

        for (PetscInt b = 0; b < dim; ++b) n += C[b][d] * R->normal[f][b];
        length += n * n;
      }
      w[p] = p < R->Nq ? w[p] * R->weights[p] : PetscSqrtReal(length) * R->weightsFace[(p - R->Nq) % R->Nqf];
      PetscCall((*func)(dim, x, 1, &value, ctx));
      values[p] = PetscRealPart(value);
    }
    PetscCall(PlexHDGProjectMoments(R->Nq, R->Np, R->phi, w, values, G, &a[(size_t)e * R->Np]));
    for (PetscInt f = 0; f < R->faces; ++f) {
      const PetscInt l = mesh->face[e * R->faces + f], at = R->Nq + f * R->Nqf;

      if (l < mesh->nown)
        PetscCall(PlexHDGProjectMoments(R->Nqf, R->Nf, &R->psi[mesh->turns[e * R->faces + f] * R->Nqf * R->Nf], &w[at],
                                        &values[at], G, &a[PlexHDGStateU(hdg) + (size_t)l * R->Nf]));
    }
  }
  PetscCall(VecRestoreArrayWrite(X, &a));
  PetscCall(PetscFree5(shape, dshape, values, w, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}
