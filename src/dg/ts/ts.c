/*
  The operator in a TS: right-hand side, default step and method, and a watch for steps beyond stability
*/
#include "tsimpl.h" /*I "plexgpudg.h" I*/
#include "../output/outputimpl.h"

#define PLEX_DG_GROWTH  10. /* of the state's norm between two looks at it, */
#define PLEX_DG_GROWTHS 3   /* so many times in a row: exponential, as no boundary condition or source makes it */
/* growth by an exponent no smaller than this times the one before does not slow down, as that of a pulse that sets in
   does */
#define PLEX_DG_STEADY  0.9
#define PLEX_DG_UNBOUND 1e12 /* growth that is an error with any step where it does not slow down */
/* dt |F(u)|/|u| of a state that unstable modes make up: methods of order three and more are stable for modes of 1.7 at
   least. A state that a source in one element makes has less than 0.6 */
#define PLEX_DG_FAST  1.
#define PLEX_DG_GROWN 2. /* of the norm, before that is looked at */

#define PLEX_DG_SSP3 "ssp3" /* a scheme of TSPLEXLOWSTORAGE, and a method of TSRK */
#define PLEX_DG_RK8  "8v"   /* a method of TSRK, */
#define PLEX_DG_HIGH 7 /* the default from this degree on: errors of order four would be larger than those in space */

/* Order of a TS's method; 0: not known */
static PetscErrorCode PlexDGTSGetOrder(TS ts, PetscInt *order)
{
  PetscBool is;

  PetscFunctionBegin;
  *order = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSEULER, &is));
  if (is) *order = 1;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &is));
  if (is) PetscCall(TSRKGetOrder(ts, order));
  PetscTryMethod(ts, "TSPlexLowStorageGetOrder_C", (TS, PetscInt *), (ts, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the system: numbers that are not what they are by default and can make a run unstable */
static PetscErrorCode PlexDGAddSystemCauses(PlexDG dg, PetscReal dt, PetscBool adapts, char causes[], size_t size)
{
  PlexDGSystem   system = dg->system;
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < system->nbounds; ++i) {
    const PlexDGBound *b     = &system->bounds[i];
    PetscBool          other = PETSC_FALSE;
    PetscInt           at    = 0;

    if (!b->unstable) continue;
    for (PetscInt k = 0; k < system->nconstants; at += system->constants[k++].n)
      if (!strcmp(b->name, system->constants[k].name) && dg->constants[at] != system->constants[k].value[0])
        other = PETSC_TRUE;
    for (PetscInt k = 0; k < system->ncoefficients; ++k)
      if (!strcmp(b->name, system->coefficients[k].name))
        for (PetscInt p = 0; p < n; ++p)
          for (PetscInt e = 0; e < parts[p]->mesh->Ne && !parts[p]->variables; ++e)
            other = (PetscBool)(other || parts[p]->coefficients[e * system->ncoefficients + k] !=
                                           system->coefficients[k].value[0]);
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &other, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
    if (other) PetscCall(PlexDGAddClause_Private(causes, size, "%s", b->unstable));
  }
  if (dg->damping > 0.)
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "at the beginning sources damped at rates up to %g, which times the step is %g, "
                                      "where 2 "
                                      "is safe",
                                      (double)dg->damping, (double)(dg->damping * dt)));
  if (parts[0]->quadrature && dg->system->host[PLEX_PRECISION_DOUBLE]->changes && !dg->captures)
    PetscCall(PlexDGAddClause_Private(causes, size, "where there are shocks, capture them: -plex_dg_shock_capturing"));
  if (system->gas)
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "density and pressure of the gas have to stay positive everywhere, between nodes "
                                      "too, which %s",
                                      dg->captures
                                        ? "shock capturing sees to where they are in the mean of an element: "
                                          "PlexDGLimit() makes an initial state so"
                                        : "-plex_dg_shock_capturing sees to"));
  if (system->water && !parts[0]->shore)
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "the depth of the water has to stay more than 0 everywhere, between nodes too: "
                                      "-plex_dg_dry lets elements fall dry"));
  if (system->water && parts[0]->shore && !adapts)
    PetscCall(
      PlexDGAddClause_Private(causes, size,
                              "run-up is faster than the waves of the initial state, whose time step this is: let it "
                              "follow with -plex_dg_adapt_step and without a step of your own, or leave room with "
                              "-plex_dg_cfl"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What may have made a state grow: of all that there is what applies */
static PetscErrorCode PlexDGTSGetCauses(PlexDG dg, TS ts, char causes[], size_t size)
{
  const PetscReal dt = dg->longest;
  PetscInt        order;
  TSAdapt         adapt;
  PetscBool       adapts;

  PetscFunctionBegin;
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(PetscObjectTypeCompare((PetscObject)adapt, TSADAPTPLEXDGCFL, &adapts));
  adapts    = (PetscBool)(adapts && dg->given == 0. && dg->adapts);
  causes[0] = 0;
  if (dt > dg->stable)
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "it is beyond stability, use -ts_dt, or -plex_dg_cfl with the default step%s",
                                      dg->cfl > 1. ? ", which is longer than the default where it is more than 1"
                                                   : ""));
  PetscCall(PlexDGTSGetOrder(ts, &order));
  if (order && order < 3)
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "the method is of order %" PetscInt_FMT
                                      ", and one of lower order than three needs a shorter step",
                                      order));
  PetscCall(PlexDGAddSystemCauses(dg, dt, adapts, causes, size));
  if (!causes[0])
    PetscCall(PlexDGAddClause_Private(causes, size,
                                      "a shorter step, -plex_dg_cfl 0.5, shows whether the step is the cause"));
  PetscCall(PlexDGAddClause_Private(causes, size, "and sources, boundary values and coefficients have to be finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt |F(u)|/|u|, without what a TS takes exactly */
static PetscErrorCode PlexDGTSGetChange(PlexDG dg, TS ts, PetscReal t, Vec U, PetscReal norm, PetscReal *change)
{
  Vec R;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(U, &R));
  dg->bare = dg->exact;
  PetscCall(TSComputeRHSFunction(ts, t, U, R));
  dg->bare = PETSC_FALSE;
  PetscCall(PlexDGVecNorm(R, PETSC_BLAS_INT_MAX, change));
  PetscCall(VecDestroy(&R));
  *change *= dg->longest / norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a state with this norm is of an unstable run. Keeps what the next check compares with */
static PetscErrorCode PlexDGTSLook(PlexDG dg, TS ts, PetscReal t, Vec U, PetscReal norm, PetscBool *unstable)
{
  const PetscReal exponent = dg->norm > 0. ? PetscLogReal(norm / dg->norm) : 0.;

  PetscFunctionBegin;
  *unstable = PETSC_TRUE;
  if (PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  dg->growths  = norm > PLEX_DG_GROWTH * dg->norm ? dg->growths + 1 : 0;
  dg->steady   = dg->growths > 1 && exponent >= PLEX_DG_STEADY * dg->exponent ? dg->steady + 1 : 0;
  dg->exponent = exponent;
  if (norm > 0. && (dg->least == 0. || norm < dg->least)) dg->least = norm;
  if (dg->growths >= PLEX_DG_GROWTHS &&
      (dg->longest > dg->stable || (dg->steady >= PLEX_DG_GROWTHS - 1 && norm > PLEX_DG_UNBOUND * dg->least)))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (norm > PLEX_DG_GROWN * dg->base && dg->base > 0.) {
    PetscReal change;

    PetscCall(PlexDGTSGetChange(dg, ts, t, U, norm, &change));
    if (!(change <= PLEX_DG_FAST)) PetscFunctionReturn(PETSC_SUCCESS);
    dg->base = norm;
  }
  if (norm > 0. && (dg->base == 0. || norm < dg->base)) dg->base = norm;
  *unstable = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that would end before it begins has done nothing, which looks like a result */
static PetscErrorCode PlexDGTSCheckTime(PlexDG dg, TS ts, PetscReal t)
{
  PetscReal end;

  PetscFunctionBegin;
  PetscCall(TSGetMaxTime(ts, &end));
  PetscCheck(end >= 0. || end >= t, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "The run is to end at time %g, and begins at %g: see -ts_max_time, TSSetMaxTime()", (double)end,
             (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTSGrows_Private(PlexDG dg, TS ts, PetscInt step, PetscReal t, PetscReal norm)
{
  char causes[2048];

  PetscFunctionBegin;
  PetscCall(PlexDGTSGetCauses(dg, ts, causes, sizeof(causes)));
  SETERRQ(PetscObjectComm((PetscObject)dg), PETSC_ERR_CONV_FAILED,
          "The state grows without bound: its norm is %g at step %" PetscInt_FMT
          ", t = %g, and was %g at the look before. The time step is %g, and the default one %g: %s",
          (double)norm, step, (double)t, (double)dg->norm, (double)dg->longest, (double)dg->stable, causes);
}

/* The TS may have another method than when it was given a step: one that takes the decay no more, or is stable with other
   steps; or the operator may have been changed. Then it is given that of this method. One that was set otherwise stays */
static PetscErrorCode PlexDGTSFollowMethod(PlexDG dg, TS ts, Vec U)
{
  const PetscReal before = dg->method;
  PetscReal       now, dt;
  PetscBool       exact, is;

  PetscFunctionBegin;
  PetscCall(PlexDGTSGetMethodFactor_Private(dg, ts, &dg->method, &dg->signature));
  PetscCall(TSLowStorageTakesDecay_Private(ts, dg, &exact));
  exact = (PetscBool)(exact && dg->exact);
  if (exact == dg->exact && before == dg->method && dg->timed == dg->resets) PetscFunctionReturn(PETSC_SUCCESS);
  dg->exact = exact;
  dg->timed = dg->resets;
  PetscCall(TSGetTimeStep(ts, &now));
  PetscCall(TSAdaptPlexDGIsGiven_Private(ts, now, dg->given, &is));
  PetscCall(PlexDGGetTimeStep_Private(dg, U, exact, &dt));
  dt *= dg->method;
  dg->stable = dt / dg->cfl;
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  /* what is left to the end, or to a time of evaluation, may be less */
  dg->given = now < dg->given ? PetscMin(now, dt) : dt;
  PetscCall(TSSetTimeStep(ts, dg->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDG            dg = NULL;
  PetscReal         norm, dt;
  PetscBool         unstable;
  TSConvergedReason ended;

  PetscFunctionBegin;
  (void)ctx;
  /* which may be another one than when the monitor was set */
  PetscCall(PetscObjectQuery((PetscObject)ts, PLEX_DG_OF_TS, (PetscObject *)&dg));
  if (step < 0 || !dg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetConvergedReason(ts, &ended));
  if (!step) PetscCall(PlexDGTSCheckTime(dg, ts, t));
  if (!ended) PetscCall(PlexDGTSFollowMethod(dg, ts, U));
  PetscCall(TSGetTimeStep(ts, &dt)); /* of the step that comes */
  if (!step) {
    dg->norm = dg->base = dg->least = 0.;
    dg->longest                     = dt;
    dg->growths = dg->steady = 0;
  }
  if (dg->checkSteps && (ended || step % dg->checkSteps == 0)) {
    PetscCall(PlexDGVecNorm(U, PETSC_BLAS_INT_MAX, &norm));
    PetscCall(PlexDGTSLook(dg, ts, t, U, norm, &unstable));
    if (unstable) PetscCall(PlexDGTSGrows_Private(dg, ts, step, t, norm));
    dg->norm    = norm;
    dg->longest = dt;
  }
  if (!ended) dg->longest = PetscMax(dg->longest, dt);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTSCheckMemory_Private(PlexDG dg, TS ts)
{
  PetscBool takes;
  TSType    type;

  PetscFunctionBegin;
  if (!PlexDGRemembers_Private(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSLowStorageTakesDecay_Private(ts, dg, &takes));
  PetscCall(TSGetType(ts, &type));
  PetscCheck(takes, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "Fields have memory variables, as dispersive media have, and a TS of type %s does not advance them: use "
             "-ts_type " TSPLEXLOWSTORAGE " with -ts_lowstorage_scheme ck45, williamson3 or midpoint",
             type ? type : "(none)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTSBegin_Private(PlexDG dg, TS ts)
{
  PetscObjectId id;
  PetscBool     changed, another;
  PetscInt      step;
  PetscReal     t;
  Vec           U;

  PetscFunctionBegin;
  if (!dg->pml && !PlexDGImpedanceRemembers_Private(dg) && !PlexDGRemembers_Private(dg))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(TSGetStepNumber(ts, &step));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(PetscObjectGetId((PetscObject)ts, &id));
  PetscCall(PlexDGIsAnother_Private(dg, ts, U, &changed, &another));
  PetscCheck(!changed || !step || !dg->run.ts || id == dg->run.ts, PetscObjectComm((PetscObject)dg), PETSC_ERR_ORDER,
             "Another TS has stepped the operator meanwhile, with its variables of layers, conductors or dispersive "
             "media: use a PlexDG for each TS");
  PetscCheck(!dg->run.began || another || dg->run.resets == dg->resets, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_ORDER,
             "The operator was changed at time %g of a run, and with it variables of layers, conductors or dispersive "
             "media would be lost: change settings before the run, or save a checkpoint before the change and load it "
             "afterwards",
             (double)t);
  if (another) PetscCall(PlexDGZeroVariables_Private(dg));
  dg->run.began  = PETSC_TRUE;
  dg->run.resets = dg->resets;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTSEnd_Private(PlexDG dg, TS ts)
{
  PetscObjectId id;
  PetscReal     t;
  Vec           U;

  PetscFunctionBegin;
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(PetscObjectGetId((PetscObject)ts, &id));
  PetscCall(PlexDGLeave_Private(dg, id, t, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTSRHSFunction(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  PetscBool takes = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp((PlexDG)ctx));
  PetscCall(PlexDGTSCheckMemory_Private((PlexDG)ctx, ts));
  if (((PlexDG)ctx)->pml)
    PetscCall(PetscObjectTypeCompareAny((PetscObject)ts, &takes, TSPLEXLOWSTORAGE, TSPLEXMULTIRATE, ""));
  PetscCheck(takes, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "A perfectly matched layer has variables of its own, which -ts_type " TSPLEXLOWSTORAGE
             " steps, and %s does not: use that type",
             ((PetscObject)ts)->type_name);
  if (PlexDGImpedanceRemembers_Private((PlexDG)ctx))
    PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &takes));
  PetscCheck(takes, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "A boundary that is a conductor has memory variables, which -ts_type " TSPLEXLOWSTORAGE
             " steps, and %s does not: use that type",
             ((PetscObject)ts)->type_name);
  PetscCall(PlexDGComputeRHS((PlexDG)ctx, t, U, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator where it limits states; TSPLEXLOWSTORAGE does that itself */
static PetscErrorCode PlexDGTSLimits(TS ts, PlexDG *dg)
{
  PetscBool lowStorage, ssp;

  PetscFunctionBegin;
  PetscCall(PlexDGGetOfTS_Private(ts, dg));
  if (!*dg || !PlexDGLimits_Private(*dg)) *dg = NULL;
  if (!*dg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &lowStorage));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSSSP, &ssp));
  PetscCheck(!ssp, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "A TS of type " TSSSP
             " lets nobody see its stages, and shock capturing, and wetting and drying, have to: use "
             "-ts_type " TSPLEXLOWSTORAGE " -ts_lowstorage_scheme " PLEX_DG_SSP3);
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

/* The method of order three of Shu and Osher (1988), whose stages are means of forward Euler steps, as TSRK has
   methods */
static PetscErrorCode PlexDGRegisterSSP3(void)
{
  const PetscReal A[9] = {0., 0., 0., 1., 0., 0., 0.25, 0.25, 0.}, b[3] = {1. / 6., 1. / 6., 2. / 3.};

  PetscFunctionBegin;
  PetscCall(TSRKInitializePackage());
  PetscCall(TSRKRegister(PLEX_DG_SSP3, 3, 3, A, b, NULL, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Verner's robust method of order eight, as PETSc has it in TSRK8VR, without its last stage, which the
   error estimate alone needs: 12 stages */
static PetscErrorCode PlexDGRegisterRK8(TS ts)
{
  const PetscReal *A, *b;
  PetscReal       *a;
  PetscInt         s, n;
  TS               other;

  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)ts), &other));
  PetscCall(TSSetType(other, TSRK));
  PetscCall(TSRKSetType(other, TSRK8VR));
  PetscCall(TSRKGetTableau(other, &s, &A, &b, NULL, NULL, NULL, NULL, NULL));
  n = b[s - 1] == 0. ? s - 1 : s;
  PetscCall(PetscMalloc1(n * n, &a));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j) a[i * n + j] = A[i * s + j];
  PetscCall(TSRKRegister(PLEX_DG_RK8, 8, n, a, b, NULL, NULL, 0, NULL));
  PetscCall(PetscFree(a));
  PetscCall(TSDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool registered = PETSC_FALSE;

/* PETSc has forgotten them, too, and a program may begin again */
static PetscErrorCode PlexDGForgetMethods(void)
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRegisterMethods(TS ts)
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(PlexDGForgetMethods));
  PetscCall(PlexDGRegisterSSP3());
  PetscCall(PlexDGRegisterRK8(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTSIsHigh_Private(TS ts, PetscBool *is)
{
  TSRKType type;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, is));
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSRKGetType(ts, &type));
  PetscCall(PetscStrcmp(type, PLEX_DG_RK8, is));
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

/* Steps that follow the speed, where nobody chose others: a TSRK with an error estimate has those of PETSc */
static PetscErrorCode PlexDGTSSetAdapt(PlexDG dg, TS ts, PetscBool typed)
{
  const PetscReal *embedded = NULL;
  TSAdapt          adapt;
  TSAdaptType      chosen;
  PetscBool        adaptive, rk, lowStorage;

  PetscFunctionBegin;
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptGetType(adapt, &chosen));
  PetscCall(PlexDGGetAdaptiveStep(dg, &adaptive));
  if (!typed) PetscCall(TSAdaptSetType(adapt, adaptive ? TSADAPTPLEXDGCFL : TSADAPTNONE));
  if (!typed || chosen || !adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rk));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &lowStorage));
  if (rk) PetscCall(TSRKGetTableau(ts, NULL, NULL, NULL, NULL, &embedded, NULL, NULL, NULL));
  if (lowStorage || (rk && !embedded)) PetscCall(TSAdaptSetType(adapt, TSADAPTPLEXDGCFL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method of a TS that has none yet. What TSSetFromOptions() is going to find is taken here already, so that the step
   is that of the method which the TS will have */
static PetscErrorCode PlexDGTSSetMethod(PlexDG dg, TS ts)
{
  PetscOptions options = ((PetscObject)ts)->options;
  const char  *prefix  = ((PetscObject)ts)->prefix;
  char         name[256];
  PetscBool    set, is;

  PetscFunctionBegin;
  if (PlexDGLimits_Private(dg)) {
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSPlexLowStorageSetScheme(ts, PLEX_DG_SSP3));
  } else if (PlexDGDecays_Private(dg) || dg->pml || PlexDGImpedanceRemembers_Private(dg))
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  else {
    PetscCall(TSSetType(ts, TSRK));
    PetscCall(TSRKSetType(ts, dg->degree < PLEX_DG_HIGH ? TSRK4 : PLEX_DG_RK8));
  }
  PetscCall(PetscOptionsGetString(options, prefix, "-ts_type", name, sizeof(name), &set));
  if (set) PetscCall(TSSetType(ts, name));
  PetscCall(PetscOptionsGetString(options, prefix, "-ts_rk_type", name, sizeof(name), &set));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &is));
  if (set && is) PetscCall(TSRKSetType(ts, name));
  PetscCall(PetscOptionsGetString(options, prefix, "-ts_lowstorage_scheme", name, sizeof(name), &set));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &is));
  if (set && is) PetscCall(TSPlexLowStorageSetScheme(ts, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetTS - Makes the operator the right-hand side of a `TS`

  Collective

  Input Parameters:
+ dg - the operator, which `ts` keeps until it is given another one
- ts - the time stepper; its solution, where it is set already, gives the speeds of nonlinear systems

  Level: beginner

  Note:
  Where no type is set, it is the classical Runge-Kutta method of order four, and from degree 7 on one of order eight,
  `-ts_rk_type 8v`, Verner's 8vr of PETSc without the stage of its error estimate; that of order three of Shu and Osher
  (1988), `-ts_type lowstorage -ts_lowstorage_scheme ssp3`, where elements may fall dry or shocks are captured. What
  `TSSetFromOptions()` finds afterwards comes first, and -ts_type, -ts_rk_type and -ts_lowstorage_scheme are looked at here
  already.

  The time step is that of `PlexDGComputeTimeStep()`, which the classical method is stable with. Methods of type `TSRK`,
  `TSEULER` and `TSPLEXLOWSTORAGE` that are not get a shorter one, by their stability polynomials; 8v gets one that is up to
  1.9 times as long. A method that is set afterwards has its own step from the first one on, unless the program has set
  another. Methods that are stable with steps of less than a twentieth alone, as those of order one and two are at high
  degrees, keep the default step, with which they grow.

  Where fields decay linearly, as E of system `maxwell` does in conductors, the type is `TSPLEXLOWSTORAGE` with scheme
  ck45, which takes the decay exactly, and the step is that without it, however large sigma is. With another type, or
  scheme ssp3, the step is the shorter one of `PlexDGComputeTimeStep()`: if that type is chosen afterwards, from the first
  step on.

  The step is constant, or follows the speed of the state: `PlexDGSetAdaptiveStep()`. It does not where the type of `ts`
  is set already and is `TSRK` with a method that estimates its error, or where `ts` has a type of `TSAdapt`.

  Options ask for output: see `PlexDGMonitorSolution()`, `PlexTSMonitorImage()`, `PlexDGMonitorProbes()`,
  `PlexDGMonitorEnergy()`, `PlexDGMonitorExtrema()`, `PlexDGMonitorCheckpoint()`.

  Where elements may fall dry or shocks are captured, the functions of `TSSetPostStage()` and `TSSetPostStep()` are set,
  which limit the states of a `TSRK`; ones of your own call `PlexDGLimit()`.

  Every 50 steps and at the end the state's norm is looked at, see `PlexDGSetStabilityCheck()`.

.seealso: `PlexDG`, `PlexDGComputeTimeStep()`, `PlexDGSetCFL()`, `PlexDGSetAdaptiveStep()`,
          `PlexDGSetStabilityCheck()`, `PlexDGComputeRHS()`
@*/
PetscErrorCode PlexDGSetTS(PlexDG dg, TS ts)
{
  TSType    type;
  Vec       U;
  PetscReal dt;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscCall(TSSetRHSFunction(ts, NULL, PlexDGTSRHSFunction, dg));
  PetscCall(PetscObjectCompose((PetscObject)ts, PLEX_DG_OF_TS, (PetscObject)dg)); /* and keeps it */
  PetscCall(TSMonitorSet(ts, PlexDGTSMonitor, NULL, NULL));
  PetscCall(PlexDGRegisterMethods(ts));
  PetscCall(PlexDGSetUp(dg));
  if (PlexDGLimits_Private(dg)) {
    PetscCall(TSSetPostStage(ts, PlexDGTSPostStage));
    PetscCall(TSSetPostStep(ts, PlexDGTSPostStep));
  }
  PetscCall(TSGetType(ts, &type));
  if (!type) PetscCall(PlexDGTSSetMethod(dg, ts));
  PetscCall(PlexDGTSSetAdapt(dg, ts, (PetscBool)!!type));
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(TSLowStorageTakesDecay_Private(ts, dg, &dg->exact));
  PetscCall(PlexDGGetTimeStep_Private(dg, U, dg->exact, &dt));
  dg->signature = 0.;
  dg->method    = 1.;
  PetscCall(PlexDGTSGetMethodFactor_Private(dg, ts, &dg->method, &dg->signature));
  dt *= dg->method;
  PetscCall(TSSetTimeStep(ts, dt));
  PetscCall(PlexDGMonitorsSetFromOptions_Private(dg, ts));
  dg->stable = dt / dg->cfl;
  dg->given  = dt;
  dg->timed  = dg->resets;
  PetscFunctionReturn(PETSC_SUCCESS);
}
