/*
  A TS of Runge-Kutta schemes that store a state and a residual, whatever their number of stages (Williamson 1980):

    residual = a_i residual + dt F(t + c_i dt, u),   u = u + b_i residual

  or are means of steps of forward Euler and the state u_0 that the step began with (Shu and Osher 1988),

    u = a_i u_0 + b_i (u + dt F(t + c_i dt, u)),   a_i + b_i = 1

  Fields of a PlexDG that decay linearly, as E does in conductors, do so exactly with schemes of two registers, in which no
  stage goes back in time: after each stage, cuda/dg/decay.h. The others take the decay as a part of F. Memory variables,
  cuda/dg/memory.h, advance with schemes of two registers alone.

  With a PlexDG whose type computes stages, residual and states between stages stay in the operator's precision, and
  right-hand side and update are one kernel. Any other right-hand side is called like that of any explicit method.
*/
#include <plexgpu/private/dgimpl.h> /*I "plexgpudg.h" I*/
#include <petsc/private/tsimpl.h>
#include "tsimpl.h"
#include "lowstorage.h"

typedef struct {
  const PlexLowStorageScheme *scheme;
  /* residual and right-hand side; of any right-hand side */
  Vec work[2];
  /* a type of TSAdapt that asks for the error: then there are */
  PetscBool adaptive;
  PetscReal weights[PLEX_LOW_STORAGE_STAGES]; /* of the residuals in it */
  Vec       error;                            /* it */
  PetscBool keeps;                            /* the state that a step begins with, */
  Vec       before;                           /* where steps may be rejected */
  PetscBool exact;                            /* the decay of the operator's fields is taken exactly */
  /* of an operator that computes stages: */
  PlexDG           dg;                  /* not owned */
  PlexBackend      backend;             /* of the arrays */
  PlexArray        solution;            /* the TS's vector, in the backend's memory */
  void            *residual, *state[2]; /* [Ne][Nf][Np] in the operator's precision */
  size_t           n, real;             /* their entries, bytes of each */
  int              present;             /* in single precision: which of states is the solution */
  PetscObjectState known;               /* the vector's, where that holds */
  PetscObjectId    knownId;
  PlexModule       module;
  PlexKernel       narrow, widen;
  PlexModule       sumModule; /* of the error */
  PlexKernel       sum;
  PlexArray        errorArray;
} TS_LowStorage;

/*@
  TSPlexLowStorageSetScheme - Sets the scheme of a `TSPLEXLOWSTORAGE`

  Logically Collective

  Input Parameters:
+ ts   - the time stepper
- name - ck45: five stages, order four (Carpenter and Kennedy 1994), the default; williamson3: three, order three
         (Williamson 1980); midpoint: two, order two; ssp3: three, order three, means of steps of forward Euler (Shu
         and Osher 1988), for shocks and shores

  Options Database Key:
. -ts_lowstorage_scheme name - likewise

  Level: intermediate

.seealso: `TSPlexLowStorageGetScheme()`, `PlexDGSetTS()`, `TSSetType()`
@*/
PetscErrorCode TSPlexLowStorageSetScheme(TS ts, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscTryMethod(ts, "TSPlexLowStorageSetScheme_C", (TS, const char[]), (ts, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  TSPlexLowStorageGetScheme - Gets the scheme of a `TSPLEXLOWSTORAGE`

  Not Collective

  Input Parameter:
. ts - the time stepper, of this type

  Output Parameter:
. name - ck45, williamson3, midpoint or ssp3

  Level: intermediate

.seealso: `TSPlexLowStorageSetScheme()`
@*/
PetscErrorCode TSPlexLowStorageGetScheme(TS ts, const char **name)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(ts, "TSPlexLowStorageGetScheme_C", (TS, const char **), (ts, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSPlexLowStorageGetScheme_LowStorage(TS ts, const char **name)
{
  PetscFunctionBegin;
  *name = ((TS_LowStorage *)ts->data)->scheme->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSPlexLowStorageSetScheme_LowStorage(TS ts, const char name[])
{
  const PlexLowStorageScheme *scheme;

  PetscFunctionBegin;
  PetscCall(PlexLowStorageFind_Private(name, &scheme));
  PetscCheck(scheme, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_UNKNOWN_TYPE,
             "Unknown low-storage scheme %s: -ts_lowstorage_scheme takes ck45, williamson3, midpoint or ssp3", name);
  ((TS_LowStorage *)ts->data)->scheme = scheme;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSPlexLowStorageGetOrder_LowStorage(TS ts, PetscInt *order)
{
  PetscFunctionBegin;
  *order = ((TS_LowStorage *)ts->data)->scheme->order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Any right-hand side
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode TSLowStorageKeeps_Private(TS ts, PetscBool *keeps)
{
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &is));
  *keeps = (PetscBool)(is && ((TS_LowStorage *)ts->data)->keeps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TSLowStorageTakesDecay_Private(TS ts, PlexDG dg, PetscBool *takes)
{
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &is));
  *takes = (PetscBool)(is && !((TS_LowStorage *)ts->data)->scheme->means && PlexDGDecays_Private(dg) &&
                       !PlexDGLimits_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TSLowStorageGetPolynomial_Private(TS ts, PetscInt *n, PetscReal *R[])
{
  const PlexLowStorageScheme *s                              = ((TS_LowStorage *)ts->data)->scheme;
  PetscReal                   q[PLEX_LOW_STORAGE_STAGES + 1] = {0.}, *u;

  PetscFunctionBegin;
  *n = s->n;
  PetscCall(PetscCalloc1(s->n + 1, R));
  u    = *R;
  u[0] = 1.;
  for (PetscInt i = 0; i < s->n; ++i) /* q = a q + z u, u = u + b q; or u = a + b (1 + z) u. z u before u is changed */
    if (s->means) {
      for (PetscInt k = s->n; k > 0; --k) u[k] = s->b[i] * (u[k] + u[k - 1]);
      u[0] = s->a[i] + s->b[i] * u[0];
    } else {
      for (PetscInt k = s->n; k > 0; --k) q[k] = s->a[i] * q[k] + u[k - 1];
      for (PetscInt k = 1; k <= s->n; ++k) u[k] += s->b[i] * q[k];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the decay has to know of stage i */
static PlexDGDecayStage TSLowStorageGetDecay(TS ts, PetscInt i)
{
  TS_LowStorage              *ls    = (TS_LowStorage *)ts->data;
  const PlexLowStorageScheme *s     = ls->scheme;
  const PetscReal             share = (i + 1 < s->n ? s->c[i + 1] : 1.) - s->c[i];

  return (PlexDGDecayStage){.a        = s->a[i],
                            .b        = s->b[i],
                            .duration = share * ts->time_step,
                            .share    = share,
                            .weight   = ls->weights[i],
                            .first    = !i,
                            .index    = (int)i};
}

/* A stage from U and its time derivative, work[1]; work[0]: the residual, or the state that the step began with */
static PetscErrorCode TSLowStorageUpdate(TS ts, PetscInt i, Vec U)
{
  TS_LowStorage              *ls = (TS_LowStorage *)ts->data;
  const PlexLowStorageScheme *s  = ls->scheme;

  PetscFunctionBegin;
  if (s->means) {
    PetscCall(VecAXPBYPCZ(ls->work[1], s->a[i], -s->a[i], s->b[i] * ts->time_step, ls->work[0], U));
    PetscCall(PlexDGVecAXPBY(U, 1., 1., ls->work[1], PETSC_BLAS_INT_MAX));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGVecAXPBY(ls->work[0], ts->time_step, s->a[i], ls->work[1], PETSC_BLAS_INT_MAX));
  if (ls->adaptive) PetscCall(PlexDGVecAXPBY(ls->error, ls->weights[i], i ? 1. : 0., ls->work[0], PETSC_BLAS_INT_MAX));
  PetscCall(PlexDGVecAXPBY(U, s->b[i], 1., ls->work[0], PETSC_BLAS_INT_MAX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSLowStorageStages(TS ts, Vec U)
{
  TS_LowStorage              *ls = (TS_LowStorage *)ts->data;
  const PlexLowStorageScheme *s  = ls->scheme;
  PlexDG                      dg;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k)
    if (!ls->work[k]) PetscCall(VecDuplicate(U, &ls->work[k]));
  PetscCall(PlexDGGetOfTS_Private(ts, &dg));
  if (s->means) PetscCall(VecCopy(U, ls->work[0]));
  for (PetscInt i = 0; i < s->n; ++i) {
    const PetscReal t = ts->ptime + s->c[i] * ts->time_step;

    PetscCall(TSPreStage(ts, t));
    PetscCall(TSComputeRHSFunction(ts, t, U, ls->work[1]));
    if (dg && dg->pml) PetscCall(PlexDGPMLVec_Private(dg, U, s->a[i], s->b[i], ts->time_step));
    if (dg) PetscCall(PlexDGImpedanceVec_Private(dg, U, s->a[i], s->b[i], ts->time_step));
    PetscCall(TSLowStorageUpdate(ts, i, U));
    if (ls->exact) {
      const PlexDGDecayStage decay = TSLowStorageGetDecay(ts, i);

      PetscCall(PlexDGDecayVecs_Private(dg, &decay, ls->work[0], U, ls->adaptive ? ls->error : NULL));
    }
    if (dg && PlexDGLimits_Private(dg)) PetscCall(PlexDGLimit(dg, U));
    PetscCall(TSPostStage(ts, t, i, &U));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   An operator that computes stages
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode TSLowStorageFreeArrays(TS_LowStorage *ls)
{
  PetscFunctionBegin;
  if (!ls->backend) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(ls->backend, &ls->residual));
  for (int k = 0; k < 2; ++k) PetscCall(PlexBackendFree(ls->backend, &ls->state[k]));
  PetscCall(PlexArrayReset(ls->backend, &ls->solution));
  PetscCall(PlexArrayReset(ls->backend, &ls->errorArray));
  PetscCall(PlexModuleDestroy(&ls->sumModule));
  PetscCall(PlexModuleDestroy(&ls->module));
  PetscCall(PlexBackendDestroy(&ls->backend));
  ls->dg    = NULL;
  ls->n     = 0;
  ls->known = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSLowStorageGetArrays(TS_LowStorage *ls, PlexDG dg)
{
  const size_t n    = (size_t)PlexDGGetLocalSize(dg);
  const size_t real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);

  PetscFunctionBegin;
  if (ls->dg == dg && ls->backend == dg->backend && ls->n == n && ls->real == real) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSLowStorageFreeArrays(ls));
  PetscCall(PetscObjectReference((PetscObject)dg->backend));
  ls->backend = dg->backend;
  ls->dg      = dg;
  ls->n       = n;
  ls->real    = real;
  PetscCall(PlexBackendMalloc(dg->backend, n * real, &ls->residual));
  PetscCall(PlexBackendZero(dg->backend, ls->residual, n * real)); /* 0 times what is there has to be a number */
  for (int k = 0; k < 2; ++k) PetscCall(PlexBackendMalloc(dg->backend, n * real, &ls->state[k]));
  if (dg->precision == PLEX_PRECISION_SINGLE) {
    PetscCall(PlexBackendCompileFile(dg->backend, "dg/convert.cu", &ls->module));
    PetscCall(PlexModuleGetKernel(ls->module, "plex_dg_narrow", &ls->narrow));
    PetscCall(PlexModuleGetKernel(ls->module, "plex_dg_widen", &ls->widen));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSLowStorageConvert(TS_LowStorage *ls, PlexKernel kernel, const void *from, void *to)
{
  long long n           = (long long)ls->n;
  void     *arguments[] = {(void *)&from, &to, &n};

  PetscFunctionBegin;
  if (n) PetscCall(PlexKernelLaunch(kernel, (PetscInt)PetscMin((n + 255) / 256, 65536), 256, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the residual of stage i to the error, whose array is held from the first stage on */
static PetscErrorCode TSLowStorageAccumulate(TS_LowStorage *ls, PetscInt i)
{
  const void *residual = ls->residual;
  long long   n        = (long long)ls->n;
  int         single = ls->real == sizeof(float), begin = !i;
  double      weight      = ls->weights[i];
  void       *arguments[] = {(void *)&residual, NULL, &weight, &n, &single, &begin};

  PetscFunctionBegin;
  if (!ls->sumModule) {
    PetscCall(PlexBackendCompileFile(ls->backend, "dg/accumulate.cu", &ls->sumModule));
    PetscCall(PlexModuleGetKernel(ls->sumModule, "plex_dg_accumulate", &ls->sum));
  }
  if (!i) PetscCall(PlexBackendVecGet(ls->backend, ls->error, PLEX_WRITE, &ls->errorArray));
  arguments[1] = (void *)&ls->errorArray.array;
  if (n) PetscCall(PlexKernelLaunch(ls->sum, (PetscInt)PetscMin((n + 255) / 256, 65536), 256, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* first: the state that the step began with */
static PetscErrorCode TSLowStorageStage(TS ts, PetscInt i, const void *first, const void *u, void *next)
{
  TS_LowStorage              *ls = (TS_LowStorage *)ts->data;
  const PlexLowStorageScheme *s  = ls->scheme;
  const PetscReal             t = ts->ptime + s->c[i] * ts->time_step, dt = ts->time_step;
  /* the error's estimate and the decay of fields read residuals behind each stage */
  const int   ends = i == s->n - 1 && !ls->adaptive && !ls->exact;
  PlexDGStage stage =
    {.u = u, .residual = ls->residual, .next = next, .a = s->a[i], .b = s->b[i], .dt = dt, .ends = ends};

  if (s->means) {
    stage.residual = (void *)first;
    stage.b        = 1.;
    stage.dt       = s->b[i] * dt;
    stage.means    = 1;
  }
  PetscFunctionBegin;
  PetscCall(TSPreStage(ts, t));
  PetscCall(PlexDGComputeStage(ls->dg, t, &stage));
  if (ls->adaptive) PetscCall(TSLowStorageAccumulate(ls, i));
  if (ls->exact) {
    PlexDGDecayStage decay = TSLowStorageGetDecay(ts, i);

    decay.residual = ls->residual;
    decay.next     = next;
    decay.error    = ls->adaptive ? ls->errorArray.array : NULL;
    decay.single   = ls->real == sizeof(float);
    PetscCall(PlexDGDecayStage_Private(ls->dg, &decay));
  }
  if (ls->adaptive && i == s->n - 1) PetscCall(PlexBackendVecRestore(ls->backend, &ls->errorArray));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* States between stages alternate between two arrays; the first stage reads the TS's vector and the last one writes
   it. All stages that are means read it */
static PetscErrorCode TSLowStorageStagesDouble(TS ts, Vec U)
{
  TS_LowStorage  *ls    = (TS_LowStorage *)ts->data;
  const PetscInt  n     = ls->scheme->n;
  const PetscBool means = ls->scheme->means;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscBool begins = (PetscBool)!i, ends = (PetscBool)(i == n - 1), reads = (PetscBool)(begins || means);
    const void     *u;

    if (reads || ends)
      PetscCall(PlexBackendVecGet(ls->backend, U, !ends ? PLEX_READ : reads ? PLEX_CHANGE : PLEX_WRITE, &ls->solution));
    u = begins ? ls->solution.array : ls->state[(i + 1) % 2];
    PetscCall(TSLowStorageStage(ts, i, ls->solution.array, u, ends ? ls->solution.array : ls->state[i % 2]));
    if (reads || ends) PetscCall(PlexBackendVecRestore(ls->backend, &ls->solution));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector is read where somebody else has changed it, and written after each step */
static PetscErrorCode TSLowStorageStagesSingle(TS ts, Vec U)
{
  TS_LowStorage   *ls = (TS_LowStorage *)ts->data;
  PetscObjectState state;
  PetscObjectId    id;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)U, &state));
  PetscCall(PetscObjectGetId((PetscObject)U, &id));
  if (state != ls->known || id != ls->knownId) {
    ls->present = 0;
    PetscCall(PlexBackendVecGet(ls->backend, U, PLEX_READ, &ls->solution));
    PetscCall(TSLowStorageConvert(ls, ls->narrow, ls->solution.array, ls->state[0]));
    PetscCall(PlexBackendVecRestore(ls->backend, &ls->solution));
  }
  if (ls->scheme->means) { /* to other arrays, and at last to the place of the state that the step began with */
    void *first = ls->state[ls->present], *others[2] = {ls->state[1 - ls->present], ls->residual};

    for (PetscInt i = 0; i < ls->scheme->n; ++i)
      PetscCall(TSLowStorageStage(ts, i, first, i ? others[(i + 1) % 2] : first,
                                  i == ls->scheme->n - 1 ? first : others[i % 2]));
  } else
    for (PetscInt i = 0; i < ls->scheme->n; ++i) {
      PetscCall(TSLowStorageStage(ts, i, NULL, ls->state[ls->present], ls->state[1 - ls->present]));
      ls->present = 1 - ls->present;
    }
  PetscCall(PlexBackendVecGet(ls->backend, U, PLEX_WRITE, &ls->solution));
  PetscCall(TSLowStorageConvert(ls, ls->widen, ls->state[ls->present], ls->solution.array));
  PetscCall(PlexBackendVecRestore(ls->backend, &ls->solution));
  PetscCall(PetscObjectStateGet((PetscObject)U, &ls->known));
  ls->knownId = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Allocates the error estimate's vectors, if the TSAdapt asks for one, and that of the state before */
static PetscErrorCode TSLowStorageSetUpError(TS ts)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;
  PetscBool      none, follows;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ts->adapt, &none, TSADAPTNONE, TSADAPTCFL, TSADAPTHISTORY,
                                      TSADAPTPLEXDGCFL, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts->adapt, TSADAPTPLEXDGCFL, &follows));
  PetscCheck(none || !ls->scheme->means, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "Low-storage scheme %s estimates no error: use -ts_adapt_type none or " TSADAPTPLEXDGCFL
             ", or -ts_lowstorage_scheme ck45",
             ls->scheme->name);
  ls->adaptive = (PetscBool)!none;
  ls->keeps    = (PetscBool)(ls->adaptive || (ls->scheme->means && follows));
  if (ls->keeps && !ls->before) PetscCall(VecDuplicate(ts->vec_sol, &ls->before));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLowStorageEmbedded_Private(ls->scheme, ls->weights));
  if (!ls->error) PetscCall(VecDuplicate(ts->vec_sol, &ls->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by TSAdaptChoose() after the stages; the error is used up */
static PetscErrorCode TSEvaluateWLTE_LowStorage(TS ts, NormType type, PetscInt *order, PetscReal *wlte)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;
  PetscReal      absolute, relative, norm;

  PetscFunctionBegin;
  *wlte = -1.;
  if (!ls->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAYPX(ls->error, -1., ts->vec_sol)); /* the embedded solution */
  PetscCall(PlexDGVecNorm(ls->error, PETSC_BLAS_INT_MAX, &norm));
  if (PetscIsInfOrNanReal(norm)) *wlte = PETSC_MAX_REAL; /* far too long a step: rejected */
  else PetscCall(TSErrorWeightedNorm(ts, ts->vec_sol, ls->error, type, wlte, &absolute, &relative));
  if (order) *order = ls->scheme->order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variables of layers and of conductors have no stages of other schemes */
static PetscErrorCode TSLowStorageCheckScheme(TS ts, PlexDG dg)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;

  PetscFunctionBegin;
  if (!ls->scheme->means && !ls->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->pml, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "A perfectly matched layer takes constant steps of schemes ck45, williamson3 and midpoint: use "
             "-ts_lowstorage_scheme ck45 and -ts_adapt_type none, or leave -plex_dg_pml out");
  PetscCheck(!PlexDGImpedanceRemembers_Private(dg), PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "A boundary that is a conductor takes constant steps of schemes ck45, williamson3 and midpoint: use "
             "-ts_lowstorage_scheme ck45 and -ts_adapt_type none");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSLowStorageComputeStages(TS ts, PlexDG dg)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;

  PetscFunctionBegin;
  if (!dg || !dg->ops->stage) {
    PetscCall(TSLowStorageStages(ts, ts->vec_sol));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TSLowStorageGetArrays(ls, dg));
  if (dg->precision == PLEX_PRECISION_SINGLE) PetscCall(TSLowStorageStagesSingle(ts, ts->vec_sol));
  else PetscCall(TSLowStorageStagesDouble(ts, ts->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All stages of a step, from ts->vec_sol to ts->vec_sol */
static PetscErrorCode TSLowStorageAllStages(TS ts)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;
  PlexDG         dg;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexDGGetOfTS_Private(ts, &dg));
  ls->exact = PETSC_FALSE;
  if (dg) {
    PetscCall(PlexDGSetUp(dg));
    PetscCall(TSLowStorageTakesDecay_Private(ts, dg, &ls->exact));
    PetscCall(PlexDGTSCheckMemory_Private(dg, ts));
    PetscCall(TSLowStorageCheckScheme(ts, dg));
    dg->bare = ls->exact;
  }
  ierr = TSLowStorageComputeStages(ts, dg);
  if (dg) dg->bare = PETSC_FALSE;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSStep_LowStorage(TS ts)
{
  TS_LowStorage *ls         = (TS_LowStorage *)ts->data;
  PetscBool      accept     = PETSC_TRUE;
  PetscReal      next       = ts->time_step;
  PetscInt       rejections = 0;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(TSLowStorageSetUpError(ts));
  PetscCall(PlexDGGetOfTS_Private(ts, &dg));
  if (dg) {
    PetscCall(PlexDGSetUp(dg));
    PetscCall(PlexDGTSBegin_Private(dg, ts));
  }
  if (ls->keeps) PetscCall(VecCopy(ts->vec_sol, ls->before));
  if (ls->keeps && dg) PetscCall(PlexDGMemoryKeep_Private(dg, PETSC_FALSE));
  while (PETSC_TRUE) {
    PetscBool attempt = accept; /* TSAdaptChoose() wants to know whether the last one was accepted */

    PetscCall(TSLowStorageAllStages(ts));
    PetscCall(TSAdaptCheckStage(ts->adapt, ts, ts->ptime + ts->time_step, ts->vec_sol, &accept));
    if (accept) {
      accept = attempt;
      PetscCall(TSAdaptCandidatesClear(ts->adapt));
      PetscCall(TSAdaptCandidateAdd(ts->adapt, ls->scheme->name, ls->scheme->order, 1, 1., (PetscReal)ls->scheme->n,
                                    PETSC_TRUE));
      PetscCall(TSAdaptChoose(ts->adapt, ts, ts->time_step, NULL, &next, &accept));
    } else next = ts->time_step; /* shortened by the check */
    if (accept) break;
    ts->reject++;
    if (!ls->keeps || ts->reason || (ts->max_reject >= 0 && ++rejections > ts->max_reject)) {
      if (!ts->reason) ts->reason = TS_DIVERGED_STEP_REJECTED;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(VecCopy(ls->before, ts->vec_sol));
    if (dg) PetscCall(PlexDGMemoryKeep_Private(dg, PETSC_TRUE));
    ts->time_step = next;
  }
  ts->ptime += ts->time_step;
  ts->time_step = next;
  if (dg) PetscCall(PlexDGTSEnd_Private(dg, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetUp_LowStorage(TS ts)
{
  PetscFunctionBegin;
  PetscCall(TSCheckImplicitTerm(ts));
  PetscCall(TSGetAdapt(ts, &ts->adapt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSReset_LowStorage(TS ts)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&ls->work[k]));
  PetscCall(VecDestroy(&ls->error));
  PetscCall(VecDestroy(&ls->before));
  PetscCall(TSLowStorageFreeArrays(ls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSDestroy_LowStorage(TS ts)
{
  PetscFunctionBegin;
  PetscCall(TSReset_LowStorage(ts));
  PetscCall(PetscFree(ts->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageSetScheme_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetScheme_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetOrder_C", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetFromOptions_LowStorage(TS ts, PetscOptionItems PetscOptionsObject)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;
  char           name[64];
  PetscBool      set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Low-storage Runge-Kutta options");
  PetscCall(PetscOptionsString("-ts_lowstorage_scheme", "ck45, williamson3, midpoint or ssp3",
                               "TSPlexLowStorageSetScheme", ls->scheme->name, name, sizeof(name), &set));
  if (set) PetscCall(TSPlexLowStorageSetScheme(ts, name));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSView_LowStorage(TS ts, PetscViewer viewer)
{
  TS_LowStorage *ls = (TS_LowStorage *)ts->data;
  PetscBool      ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  scheme %s: order %" PetscInt_FMT ", %" PetscInt_FMT " stages%s%s\n",
                                     ls->scheme->name, ls->scheme->order, ls->scheme->n,
                                     ls->dg ? ", computed with the update by the operator" : "",
                                     ls->exact ? ", decay of fields exactly" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  TSPLEXLOWSTORAGE - "lowstorage", explicit Runge-Kutta schemes of two registers

  Options Database Key:
. -ts_lowstorage_scheme name - ck45 (default), williamson3, midpoint, ssp3

  Level: beginner

  Notes:
  With a `PlexDG` of type `PLEXDGFUSED` a stage is one kernel that computes the right-hand side and updates state and
  residual, in the operator's precision. It works with any other right-hand side as well.

  Linear decay of a `PlexDG`'s fields, such as that of E where system `maxwell` has a conductivity, is taken exactly by
  ck45, williamson3 and midpoint, whatever its rate is, and with the scheme's order: the step need not follow it. Scheme
  ssp3 has a stage that goes back in time, and takes the decay as a part of the right-hand side, as other types do.

  The steps are constant unless `-ts_adapt_type` asks for others, or those of a `PlexDG` follow its speed, see
  `PlexDGSetAdaptiveStep()`. With basic and dsp the error of a step is estimated by
  an embedded scheme of one order less with the same stages, and a step whose error is more than `TSSetTolerances()`
  says is done again; this takes two vectors more.

.seealso: `TSPlexLowStorageSetScheme()`, `PlexDGSetTS()`
M*/
PetscErrorCode TSCreate_LowStorage_Private(TS ts)
{
  TS_LowStorage *ls;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ls));
  ts->data = ls;
  PetscCall(PlexLowStorageFind_Private("ck45", &ls->scheme));
  ls->known               = -1;
  ts->default_adapt_type  = TSADAPTNONE;
  ts->ops->setup          = TSSetUp_LowStorage;
  ts->ops->step           = TSStep_LowStorage;
  ts->ops->evaluatewlte   = TSEvaluateWLTE_LowStorage;
  ts->ops->reset          = TSReset_LowStorage;
  ts->ops->destroy        = TSDestroy_LowStorage;
  ts->ops->setfromoptions = TSSetFromOptions_LowStorage;
  ts->ops->view           = TSView_LowStorage;
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageSetScheme_C",
                                       TSPlexLowStorageSetScheme_LowStorage));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetScheme_C",
                                       TSPlexLowStorageGetScheme_LowStorage));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetOrder_C",
                                       TSPlexLowStorageGetOrder_LowStorage));
  PetscFunctionReturn(PETSC_SUCCESS);
}
