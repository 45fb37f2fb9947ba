/* The stages of a hybridized DG method: local matrices, assembly, right-hand side, the trace's solve, recovery (B1-B6
   of King and others 2014, figure 2), post-processing */
#include "../util/cite.h"
#include "../util/progress.h"
#include "groups.h"
#include "navier.h" /*I "plexgpuhdg.h" I*/
#include "trace.h"

/* which: 0 trace, 1 u, 2 q, 3 star */
static PetscErrorCode PlexHDGCheckVec(PlexHDG hdg, Vec v, int which, const char name[])
{
  PetscInt size, n[4];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetLengths_Private(hdg, n));
  PetscCall(VecGetLocalSize(v, &size));
  PetscCheck(size == n[which], PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The vector of %s has %" PetscInt_FMT " entries, and the discretization needs %" PetscInt_FMT
             ": use PlexHDGCreateVecs()",
             name, size, n[which]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver that has the preconditioner of K */
static PetscErrorCode PlexHDGGetKSPOfK(PlexHDG hdg, KSP *ksp)
{
  PetscFunctionBegin;
  if (hdg->stokes) PetscCall(PlexHDGStokesGetVelocityKSP_Private(hdg, ksp));
  else PetscCall(PlexHDGGetKSP(hdg, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether K is made, once it is known what is known of it */
static PetscErrorCode PlexHDGChooseTrace(PlexHDG hdg)
{
  KSP ksp = NULL;

  PetscFunctionBegin;
  if (hdg->local == PLEX_HDG_TRACE_AUTO && !hdg->asked) PetscCall(PlexHDGGetKSPOfK(hdg, &ksp));
  PetscCall(PlexHDGTraceChoose_Private(hdg, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a discretization that is not set up, or has data that is stale; *all: not the data alone */
static PetscErrorCode PlexHDGSetUpAll(PlexHDG hdg, PetscBool *all)
{
  PlexBackend backend;
  PetscBool   several;
  double      shift;

  PetscFunctionBegin;
  *all = PETSC_TRUE;
  if (hdg->point) PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "PlexHDGSetPointwise()"));
  if (hdg->convects) PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "Convection"));
  if (hdg->coefficient) PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "PlexHDGSetCoefficients()"));
  if (hdg->kappaForced || hdg->reactionForced)
    PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "-plex_hdg_kappa or -plex_hdg_lambda"));
  for (PetscInt k = 0; k < hdg->nconditions; ++k)
    if (hdg->conditions[k].held) PetscCall(PlexHDGCheckVector_Private(hdg, "PlexHDGAddBoundaryComponents()"));
  if (hdg->material) PetscCall(PlexHDGCheckVector_Private(hdg, "PlexHDGSetMaterial()"));
  if (hdg->lameForced) PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_ELASTICITY, "-plex_hdg_lame"));
  if (hdg->viscosityForced) PetscCall(PlexHDGCheckFluid_Private(hdg, "-plex_hdg_viscosity"));
  PetscCall(PetscLogEventBegin(PLEX_SetUp, hdg, 0, 0, 0));
  PetscCheck(!hdg->point || !hdg->kappaForced, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_INCOMP,
             "-plex_hdg_kappa %g has no effect: kappa is given at points, by the function of PlexHDGSetPointwise(). "
             "Leave the option out",
             (double)hdg->kappa);
  if (hdg->setUp) PetscCall(PlexHDGUpdateStale_Private(hdg, all));
  if (!*all) {
    PetscCall(PetscLogEventEnd(PLEX_SetUp, hdg, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGGetBackend(hdg, &backend));
  PetscCall(PlexCite_Private(PLEX_CITE_HDG));
  shift = hdg->args.shift;
  PetscCall(PlexHDGReset(hdg)); /* what an earlier try has left */
  PetscCall(PlexHDGIsSeveral_Private(hdg, &several));
  if (several) {
    PetscCall(PlexHDGGroupsSetUp_Private(hdg));
    PetscCall(PetscObjectChangeTypeName((PetscObject)hdg, "host"));
    hdg->setUp = PETSC_TRUE;
    PetscCall(PetscLogEventEnd(PLEX_SetUp, hdg, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGMeshCreate_Private(hdg));
  PetscCall(PlexHDGSetUpData_Private(hdg));
  hdg->kept = hdg->keep == PETSC_BOOL3_UNKNOWN ? (PetscBool)!hdg->mesh->affine : PetscBool3ToBool(hdg->keep);
  if (hdg->elastic && hdg->keep == PETSC_BOOL3_UNKNOWN) hdg->kept = PETSC_TRUE;
  if (PlexHDGIsGeneral(hdg) || hdg->stokes) hdg->kept = PETSC_TRUE;
  hdg->nkept = !hdg->kept                                                                  ? 0
             : hdg->keep == PETSC_BOOL3_UNKNOWN && !hdg->elastic && !PlexHDGIsGeneral(hdg) ? hdg->mesh->nmapped
                                                                                           : hdg->mesh->Ne;
  PetscCall(PlexHDGChooseTrace(hdg));
  PetscCall(PlexHDGSetUpMatrix_Private(hdg));
  PetscCall((backend->kernels ? PlexHDGCreate_Kernels : PlexHDGCreate_Host)(hdg));
  PetscCall(PetscObjectChangeTypeName((PetscObject)hdg, backend->kernels ? "kernels" : "host"));
  PetscCall(PlexHDGSetUpTiles_Private(hdg));
  PetscUseTypeMethod(hdg, setup);
  hdg->args.shift = shift; /* of a step in time, whose Jacobian may lag */
  hdg->setUp      = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(PLEX_SetUp, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of Stokes's equations is of the solution, or of a right-hand side */
static PetscErrorCode PlexHDGKeepVec(Vec from, Vec to)
{
  PetscFunctionBegin;
  if (from && to) PetscCall(VecCopy(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K, which was not made, where its values are asked for: all is set up again, and the solution and the right-hand side stay. It is
   not assembled, and the solver has no operators yet */
static PetscErrorCode PlexHDGMakeMatrix(PlexHDG hdg)
{
  Vec *vectors[] = {&hdg->trace, &hdg->u, &hdg->q, &hdg->star, &hdg->rhs}, kept[5], mean = NULL, flow = NULL,
      pressure            = NULL;
  PetscReal     *nodes[2] = {hdg->nodesReference, hdg->nodes};
  const double   shift    = hdg->args.shift;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(!hdg->solving, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "K is asked for while the trace's equations are solved without it: call PlexHDGAssemble() before, or give "
             "-plex_hdg_trace aij");
  PetscCall(PlexHDGTraceCheckPrecision_Private(hdg));
  PetscCall(PetscInfo(hdg, "There was no K, and its values are asked for: set-up with K\n"));
  for (int k = 0; k < 5; ++k) {
    kept[k]     = *vectors[k];
    *vectors[k] = NULL;
  }
  hdg->nodesReference = hdg->nodes = NULL;
  if (hdg->stokes) {
    mean                  = hdg->stokes->mean;
    flow                  = hdg->stokes->rhs;
    pressure              = hdg->stokes->pressure;
    hdg->stokes->mean     = NULL;
    hdg->stokes->rhs      = NULL;
    hdg->stokes->pressure = NULL;
  }
  hdg->asked = PETSC_TRUE;
  ierr       = PlexHDGReset(hdg);
  if (!ierr) ierr = PlexHDGSetUp(hdg);
  for (int k = 0; k < 5; ++k) {
    if (kept[k] && *vectors[k]) PetscCall(VecDestroy(vectors[k]));
    if (kept[k]) *vectors[k] = kept[k];
  }
  hdg->nodesReference = nodes[0];
  hdg->nodes          = nodes[1];
  if (!ierr && hdg->stokes) {
    PetscCall(PlexHDGKeepVec(mean, hdg->stokes->mean));
    PetscCall(PlexHDGKeepVec(flow, hdg->stokes->rhs));
    if (pressure) {
      Vec other = hdg->stokes->pressure;

      hdg->stokes->pressure = pressure;
      pressure              = other;
    }
  }
  PetscCall(VecDestroy(&mean));
  PetscCall(VecDestroy(&flow));
  PetscCall(VecDestroy(&pressure));
  PetscCall(ierr);
  hdg->args.shift = shift;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is set up, without K, serves the solver, or there is K afterwards */
static PetscErrorCode PlexHDGSuitSolver(PlexHDG hdg)
{
  const PetscBool assembled = hdg->assembled;
  PetscBool       stays;
  KSP             ksp;

  PetscFunctionBegin;
  if (hdg->local != PLEX_HDG_TRACE_AUTO || !hdg->without || hdg->solving) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGGetKSPOfK(hdg, &ksp));
  PetscCall(PlexHDGTraceStays_Private(hdg, ksp, &stays));
  if (stays) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGMakeMatrix(hdg));
  if (assembled) PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetUp - Reads the mesh, makes reference element, coefficients and the pattern of K, compiles kernels

  Collective

  Input Parameter:
. hdg - the discretization

  Level: intermediate

  Note:
  Called by whatever needs it. Of a discretization that is set up, and has been given another source, other coefficients
  or boundary values, these are evaluated.

.seealso: `PlexHDG`, `PlexHDGUpdate()`, `PlexHDGReset()`, `PlexHDGSolve()`
@*/
PetscErrorCode PlexHDGSetUp(PlexHDG hdg)
{
  PetscErrorCode ierr;
  PetscBool      all;
  int            level;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (hdg->setUp && !hdg->stale) {
    PetscCall(PlexHDGSuitSolver(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  level = PlexProgressBegin_Private("set-up of hybridized DG");
  ierr  = PlexHDGSetUpAll(hdg, &all);
  PlexProgressEnd_Private(level);
  PetscCall(ierr);
  if (!all) {
    PetscCall(PlexHDGSuitSolver(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexBackendRan_Private(hdg->backend, hdg->backendType, PETSC_FALSE);
  PetscCall(PetscObjectViewFromOptions((PetscObject)hdg, NULL, "-plex_hdg_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGAssemble - Computes the matrix K of the trace

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. A - the matrix, not to be destroyed; `NULL`: not wanted

  Level: intermediate

  Notes:
  Local matrices by equations 8 to 11 of King and others (2014), then their sums by faces, in the order of faces and
  elements: the same bits in every run. K is symmetric without convection and kappa(u), and positive definite unless
  Neumann's condition holds on all of the boundary and lambda is 0 everywhere, or lambda is negative somewhere. Its blocks are of as many rows as a face has functions.

  The matrix is of type `MATAIJ`, or with -plex_hdg_trace elements a `MATSHELL` that multiplies. By default kernels solve without K, and K is made where this function is asked for it:
  ask before the first solve, as all but the solution and the right-hand side is set up again for it, and the trace's solver is reset. Not while the equations are being solved.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGComputeRHS()`
@*/
PetscErrorCode PlexHDGAssemble(PlexHDG hdg, Mat *A)
{
  const PetscBool asked = hdg->asked;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (A) hdg->asked = PETSC_TRUE;
  ierr = PlexHDGSetUp(hdg); /* before K is made: conditions may be others */
  if (!ierr && A && hdg->local == PLEX_HDG_TRACE_AUTO && hdg->without) ierr = PlexHDGMakeMatrix(hdg);
  if (ierr) hdg->asked = asked; /* there is none */
  PetscCall(ierr);
  if (hdg->groups) PetscCall(PlexHDGGroupsAssemble_Private(hdg));
  else PetscCall(PlexHDGAssembleTiles_Private(hdg));
  if (hdg->stokes) PetscCall(PlexHDGStokesSetDivergence_Private(hdg));
  hdg->assembled = PETSC_TRUE;
  if (A) *A = hdg->A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own and others' unknowns of a trace in args */
PetscErrorCode PlexHDGGetTrace_Private(PlexHDG hdg, Vec trace, PlexHDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGSpread, hdg, 0, 0, 0));
  if (hdg->scatter) {
    PetscCall(VecScatterBegin(hdg->scatter, trace, hdg->ghosts, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(hdg->scatter, trace, hdg->ghosts, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(PlexBackendVecGet(hdg->backend, hdg->ghosts, PLEX_READ, &hdg->arrayGhosts));
  }
  PetscCall(PlexBackendVecGet(hdg->backend, trace, PLEX_READ, &hdg->arrayTrace));
  PetscCall(PetscLogEventEnd(PLEX_HDGSpread, hdg, 0, 0, 0));
  args->owned  = hdg->arrayTrace.array;
  args->ghosts = hdg->scatter ? hdg->arrayGhosts.array : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGRestoreTrace_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayTrace));
  if (hdg->scatter) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayGhosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local problems of given traces: u, q and b, of which those that are NULL are not wanted; trace NULL: zero where it is
   not known */
PetscErrorCode PlexHDGSolveLocal_Private(PlexHDG hdg, Vec trace, Vec u, Vec q, PetscBool b)
{
  PlexHDGArgs args = hdg->args;

  PetscFunctionBegin;
  if (hdg->kept && !hdg->assembled) PetscCall(PlexHDGAssemble(hdg, NULL));
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsSolveLocal_Private(hdg, trace, u, q, b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  args = hdg->args;
  if (trace) PetscCall(PlexHDGGetTrace_Private(hdg, trace, &args));
  if (u) PetscCall(PlexBackendVecGet(hdg->backend, u, PLEX_WRITE, &hdg->arrayU));
  if (q) PetscCall(PlexBackendVecGet(hdg->backend, q, PLEX_WRITE, &hdg->arrayQ));
  args.u = u ? hdg->arrayU.array : NULL;
  args.q = q ? hdg->arrayQ.array : NULL;
  if (!b) args.b = NULL;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  if (hdg->stokes) PetscCall(PlexHDGStokesBeginLocal_Private(hdg, trace, u));
  PetscCall(PlexHDGLaunch_Private(hdg, hdg->ops->local, &args));
  if (hdg->stokes) PetscCall(PlexHDGStokesEndLocal_Private(hdg, trace, u));
  if (u) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayU));
  if (q) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayQ));
  if (trace) PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of b by faces */
PetscErrorCode PlexHDGGather_Private(PlexHDG hdg, Vec rhs)
{
  PetscFunctionBegin;
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsGather_Private(hdg, rhs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGExchangeFluxes_Private(hdg));
  PetscCall(PlexBackendVecGet(hdg->backend, rhs, PLEX_WRITE, &hdg->arrayRHS));
  if (hdg->mesh->nown) PetscUseTypeMethod(hdg, gather, hdg->args.b, hdg->arrayRHS.array);
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayRHS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stages of a linear problem are not those of Navier-Stokes equations */
static PetscErrorCode PlexHDGCheckLinear(PlexHDG hdg, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(hdg->system != PLEX_HDG_NAVIER_STOKES, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "%s is a stage of a linear problem, and Navier-Stokes equations are not linear: use PlexHDGSolve(), or "
             "SNESSolve() or TSSolve() after PlexHDGSetSNES() or PlexHDGSetTS()",
             what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGComputeRHS - Computes the right-hand side of the trace's equations

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. rhs - of `PlexHDGCreateVecs()`

  Level: intermediate

  Note:
  Equation 18 of King and others (2014): what the local problems with source and known traces, and no trace elsewhere,
  send through each face; and what Neumann's and Robin's conditions say.

.seealso: `PlexHDG`, `PlexHDGAssemble()`, `PlexHDGSolve()`
@*/
PetscErrorCode PlexHDGComputeRHS(PlexHDG hdg, Vec rhs)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(rhs, VEC_CLASSID, 2);
  PetscCall(PlexHDGCheckLinear(hdg, "PlexHDGComputeRHS()"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCheckVec(hdg, rhs, 0, "the right-hand side"));
  PetscCall(PetscLogEventBegin(PLEX_HDGRHS, hdg, 0, 0, 0));
  PetscCall(PlexHDGSolveLocal_Private(hdg, NULL, NULL, NULL, PETSC_TRUE));
  PetscCall(PlexHDGGather_Private(hdg, rhs));
  if (hdg->stokes) PetscCall(PlexHDGStokesComputeRHS_Private(hdg));
  PetscCall(PetscLogEventEnd(PLEX_HDGRHS, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGRecover - Solves the local problems of a trace

  Collective

  Input Parameters:
+ hdg   - the discretization
- trace - of `PlexHDGCreateVecs()`, as are the others

  Output Parameters:
+ u - the solution
- q - its flux kappa grad u, the stress of elasticity, or the gradient of a velocity; `NULL`: not wanted

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGRecover(PlexHDG hdg, Vec trace, Vec u, Vec q)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(trace, VEC_CLASSID, 2);
  PetscValidHeaderSpecific(u, VEC_CLASSID, 3);
  if (q) PetscValidHeaderSpecific(q, VEC_CLASSID, 4);
  PetscCall(PlexHDGCheckLinear(hdg, "PlexHDGRecover()"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCheckVec(hdg, trace, 0, "the trace"));
  PetscCall(PlexHDGCheckVec(hdg, u, 1, "u"));
  if (q) PetscCall(PlexHDGCheckVec(hdg, q, 2, "q"));
  PetscCall(PetscLogEventBegin(PLEX_HDGRecover, hdg, 0, 0, 0));
  PetscCall(PlexHDGSolveLocal_Private(hdg, trace, u, q, PETSC_FALSE));
  PetscCall(PetscLogEventEnd(PLEX_HDGRecover, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGPostprocess - Finds the polynomials of degree P + 1 whose gradients fit a flux, and whose means are those of u

  Collective

  Input Parameters:
+ hdg - the discretization
. u   - of `PlexHDGRecover()`
- q   - likewise

  Output Parameter:
. star - of `PlexHDGCreateVecs()`

  Level: intermediate

  Note:
  (kappa grad u*, grad w) = (q, grad w) for all w of degree P + 1 in each element. On simplices u* converges with order
  P + 2 as long as elements resolve the diffusion, and with that of u where convection dominates. Where kappa is zero
  u* is u.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGRecover()`
@*/
PetscErrorCode PlexHDGPostprocess(PlexHDG hdg, Vec u, Vec q, Vec star)
{
  PlexHDGArgs args;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(u, VEC_CLASSID, 2);
  PetscValidHeaderSpecific(q, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(star, VEC_CLASSID, 4);
  PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "Post-processing, as u has degree P + 1 already,"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCheckVec(hdg, u, 1, "u"));
  PetscCall(PlexHDGCheckVec(hdg, q, 2, "q"));
  PetscCall(PlexHDGCheckVec(hdg, star, 3, "post-processed u"));
  PetscCall(PetscLogEventBegin(PLEX_HDGPost, hdg, 0, 0, 0));
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsPostprocess_Private(hdg, u, q, star));
    PetscCall(PetscLogEventEnd(PLEX_HDGPost, hdg, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendVecGet(hdg->backend, u, PLEX_READ, &hdg->arrayU));
  PetscCall(PlexBackendVecGet(hdg->backend, q, PLEX_READ, &hdg->arrayQ));
  PetscCall(PlexBackendVecGet(hdg->backend, star, PLEX_WRITE, &hdg->arrayStar));
  args       = hdg->args;
  args.u     = hdg->arrayU.array;
  args.q     = hdg->arrayQ.array;
  args.star  = hdg->arrayStar.array;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGLaunch_Private(hdg, hdg->ops->post, &args));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayU));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayQ));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayStar));
  PetscCall(PetscLogEventEnd(PLEX_HDGPost, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a solver's type needs a K that is symmetric, or one that is positive definite besides */
static PetscErrorCode PlexHDGCheckKSPType(PlexHDG hdg)
{
  static const char *const definite[]  = {KSPCG,  KSPGROPPCG, KSPPIPECG, KSPPIPECGRR,
                                          KSPFCG, KSPPIPEFCG, KSPCR,     KSPPIPECR};
  static const char *const symmetric[] = {KSPMINRES, KSPSYMMLQ};
  PetscBool                is          = PETSC_FALSE;
  KSPType                  type;

  PetscFunctionBegin;
  PetscCall(KSPGetType(hdg->ksp, &type));
  for (size_t k = 0; !is && (PlexHDGIsGeneral(hdg) || hdg->stokes) && k < PETSC_STATIC_ARRAY_LENGTH(definite); ++k)
    PetscCall(PetscStrcmp(type, definite[k], &is));
  for (size_t k = 0; !is && (PlexHDGIsUnsymmetric(hdg) || hdg->navier) && k < PETSC_STATIC_ARRAY_LENGTH(symmetric); ++k)
    PetscCall(PetscStrcmp(type, symmetric[k], &is));
  PetscCheck(!is, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_INCOMP,
             "The solver of type %s needs a %s matrix, and that of the trace is not with %s: leave -plex_hdg_ksp_type "
             "out, or take %s",
             type, PlexHDGIsUnsymmetric(hdg) || hdg->navier ? "symmetric" : "positive definite",
             hdg->navier      ? "Navier-Stokes equations"
             : hdg->stokes    ? "Stokes's equations"
             : hdg->convects  ? "convection"
             : hdg->nonlinear ? "kappa(u)"
                              : "lambda < 0",
             PlexHDGIsUnsymmetric(hdg) && !hdg->navier ? "bcgs" : "fgmres");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver's type by K's symmetry, and again where that has changed, unless the program has chosen another one
   meanwhile; options have the last word */
static PetscErrorCode PlexHDGSetKSPType(PlexHDG hdg)
{
  const KSPType type = hdg->system == PLEX_HDG_NAVIER_STOKES ? KSPFGMRES
                     : hdg->system == PLEX_HDG_STOKES        ? KSPMINRES
                     : PlexHDGIsGeneral(hdg)                 ? KSPGMRES
                                                             : KSPCG;
  KSPType       present;
  PetscBool     same, own = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(hdg->kspType, type, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetType(hdg->ksp, &present));
  if (hdg->kspType) PetscCall(PetscStrcmp(hdg->kspType, present, &own));
  hdg->kspType = type;
  if (!own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(hdg->ksp, type));
  if (PlexHDGIsGeneral(hdg)) PetscCall(KSPGMRESSetRestart(hdg->ksp, 100));
  if (hdg->system == PLEX_HDG_NAVIER_STOKES) PetscCall(KSPGMRESSetRestart(hdg->ksp, 200)); /* it stalls with fewer */
  PetscCall(KSPSetFromOptions(hdg->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetKSP - Gets the solver of the trace's equations

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. ksp - the solver: conjugate gradients, or GMRES where K is not symmetric and positive definite, with convection,
        kappa(u) or lambda < 0, to a relative residual of 1e-10, preconditioned by two levels, unless options say
        otherwise

  Options Database Keys:
+ -plex_hdg_ksp_type type       - and all others of `KSP` and `PC`, with this prefix
. -plex_hdg_pc_type type        - `mg`, the default, or any other, such as `gamg`
. -plex_hdg_lines (true|false)  - the smoother solves along lines of elements, on the host; the default where most are
                                  anisotropic, without kernels
. -plex_hdg_mg_levels_ksp_max_it n - steps of the smoother: 1 on triangles; else the degree of its polynomial, at most 16: 3 on tetrahedra, and of
                                     Stokes's equations on triangles, 2 on quadrilaterals and hexahedra
- -plex_hdg_mg_coarse_pc_type type - solver of the coarse level: `gamg`, or `lu` (`redundant` on several processes)
                                     where it has at most 1000 unknowns, with lines 20,000 (3D: 5000)

  Level: intermediate

  Notes:
  The type follows convection, kappa(u) and the sign of lambda whenever one of them changes, unless another one was set;
  lambda is known once the discretization is set up. A solve with a type that needs a symmetric or positive definite
  matrix, where K is none, is an error.

  With convection the smoother, and those of algebraic multigrid, are steps with incomplete factors of each process's
  part. With lambda < 0 the coarse level has a direct solver, if it has at most 50,000 unknowns; waves that are short
  beside the cells need -plex_hdg_pc_type lu.

  By default kernels solve without K: the operator is a `MATSHELL` that multiplies, and a preconditioner that takes K's values, set before or after a solve, has K made
  for it, which resets this solver. For `KSPSolve()` by hand with K's values call `PlexHDGAssemble()` with a matrix first, or give -plex_hdg_trace aij.

  What a program sets of the levels after a solve, by `PCMGGetSmoother()`, `PCMGGetSmootherUp()` and `PCMGGetCoarseSolve()`, stays where its
  type is another one than was set; a `PCSHELL` needs a context of its own (`PCShellSetContext()`).

  With `PLEX_HDG_ELASTICITY` and lambda > 20 mu somewhere the preconditioner is a direct solver, up to 100,000 unknowns
  in 2D and 20,000 in 3D.

  With `PLEX_HDG_STOKES` the solver is one of the trace and a pressure of each element, [K B^T; B 0], MINRES with a block
  diagonal of preconditioners: K's, with options -plex_hdg_velocity_pc_type and the like in the place of those above, and
  mu over the element's volume. `gmres` and others take a block triangle of the same.

  With `PLEX_HDG_NAVIER_STOKES` it is FGMRES for each step of Newton's method, with a block triangle. -plex_hdg_velocity_pc_type
  `lu`, the default up to 100,000 unknowns in 2D and 20,000 in 3D, goes with an augmented Lagrangian, whose iterations are few at
  all Reynolds numbers; `mg` is for more unknowns and for steps in time, with iterations that grow with the Reynolds number.

  Type `mg` is a smoother with the blocks of K that belong to faces, and continuous functions of degree 1 as coarse
  space. `PlexHDGSolveTrace()`, which `PlexHDGSolve()` calls, gives the solver its operators and levels; where
  `KSPSolve()` is called by hand, another type is needed.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGSolveTrace()`
@*/
PetscErrorCode PlexHDGGetKSP(PlexHDG hdg, KSP *ksp)
{
  const char *prefix;
  PC          pc;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(ksp, 2);
  if (!hdg->ksp) {
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)hdg), &hdg->ksp));
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
    PetscCall(KSPSetOptionsPrefix(hdg->ksp, prefix));
    PetscCall(KSPAppendOptionsPrefix(hdg->ksp, "plex_hdg_"));
    PetscCall(KSPGetPC(hdg->ksp, &pc));
    if (PlexHDGIsFluid(hdg)) PetscCall(PCSetType(pc, PCSHELL));
    else {
      PetscCall(PCSetType(pc, PCMG));
      PetscCall(PCMGSetLevels(pc, 2, NULL));
    }
    PetscCall(KSPSetTolerances(hdg->ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  }
  PetscCall(PlexHDGSetKSPType(hdg));
  *ksp = hdg->ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K is the operator of the trace's solver; where SELL is wanted a copy of it, and its preconditioner has K */
PetscErrorCode PlexHDGSetOperators_Private(PlexHDG hdg)
{
  PetscObjectState state;
  KSP              ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PlexHDGCheckKSPType(hdg));
  PetscCall(PetscObjectStateGet((PetscObject)hdg->A, &state));
  if (hdg->sell && (!hdg->operator || hdg->operatorState != state)) {
    PetscCall(MatDestroy(&hdg->operator));
    hdg->operatorState = state;
    PetscCall(MatConvert(hdg->A, MATSELL, MAT_INITIAL_MATRIX, &hdg->operator));
    if (hdg->backend->device) PetscCall(MatConvert(hdg->operator, MATSELLCUDA, MAT_INPLACE_MATRIX, &hdg->operator));
  }
  PetscCall(PlexHDGSetUpPreconditioner_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vectors of PlexHDGGetSolution() */
PetscErrorCode PlexHDGCreateSolution_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  if (hdg->trace) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGCreateVecs(hdg, &hdg->trace, &hdg->u, &hdg->q, &hdg->star));
  PetscCall(VecDuplicate(hdg->trace, &hdg->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSolveTrace - Solves the trace's equations

  Collective

  Input Parameters:
+ hdg - the discretization, after `PlexHDGAssemble()`
- rhs - of `PlexHDGComputeRHS()`

  Output Parameter:
. trace - of `PlexHDGCreateVecs()`

  Level: intermediate

  Note:
  An error where the solver does not converge.

.seealso: `PlexHDG`, `PlexHDGGetKSP()`, `PlexHDGSolve()`, `PlexHDGRecover()`
@*/
PetscErrorCode PlexHDGSolveTrace(PlexHDG hdg, Vec rhs, Vec trace)
{
  PetscErrorCode     ierr;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(rhs, VEC_CLASSID, 2);
  PetscValidHeaderSpecific(trace, VEC_CLASSID, 3);
  PetscCall(PlexHDGCheckLinear(hdg, "PlexHDGSolveTrace()"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCheck(hdg->assembled, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no matrix yet: call PlexHDGAssemble() before PlexHDGSolveTrace()");
  PetscCall(PlexHDGCheckVec(hdg, rhs, 0, "the right-hand side"));
  PetscCall(PlexHDGCheckVec(hdg, trace, 0, "the trace"));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PetscLogEventBegin(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(PlexHDGSetOperators_Private(hdg));
  hdg->solving = PETSC_TRUE;
  if (hdg->stokes) ierr = PlexHDGStokesSolve_Private(hdg, ksp, rhs, hdg->stokes->rhs, trace, hdg->stokes->mean);
  else ierr = KSPSolve(ksp, rhs, trace);
  hdg->solving = PETSC_FALSE;
  PetscCall(ierr);
  PetscCall(PetscLogEventEnd(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_NOT_CONVERGED,
             "The trace's equations are not solved: %s. See -plex_hdg_ksp_monitor, -plex_hdg_ksp_max_it and "
             "-plex_hdg_pc_type%s",
             KSPConvergedReasons[reason],
             hdg->indefinite ? "; with lambda < 0 and waves that are short beside the cells, -plex_hdg_pc_type lu"
                             : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}
