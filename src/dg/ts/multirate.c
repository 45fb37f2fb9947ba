/*
  A TS in which elements of a PlexDG have steps of their own: those of level l are h_l = dt/2^l long, dt the step of the TS.
  For linear systems, u' = R u, with the same rates R as all methods take.

  In a step of its own, h from time t on, an element has a polynomial in time, whose derivatives at t are

    d_0 = u(t),   d_k = R d_(k-1),   k = 1, 2, 3

  and at its end, with the mean m of that polynomial over the step,

    u(t + h) = u(t) + h R m,   m = d_0 + h/2 d_1 + h^2/6 d_2 + h^3/24 d_3

  With one level this is Taylor's method of order four, which for linear systems is the classical Runge-Kutta method, and
  has the steps of that. With more,

  - levels whose steps begin at t are all those from some level a on. Their d_k are computed together, with those of their
    neighbours of level a - 1, whose step is at its half, from the polynomials of these;
  - R m of an element takes from its neighbours the means over its own step: of a coarser one that of the polynomial over
    half of its step, of a finer one the mean of its two means.

  Neighbours differ by one level at most. Through a face between two levels thus flows the same on both sides, as the flux
  is linear: sums of what R conserves are conserved to rounding. A step of the TS needs nothing of those before.

  That the mean of the finer side's means is the flux of the coarser side is as in local time steps of ADER-DG (M. Dumbser,
  M. Kaeser, E. F. Toro, Geophys. J. Int. 171, 2007), whose polynomials in time are those of an element without its
  neighbours, and need a flux that damps; those here are of all of R, and take any.

  Sources and boundaries in time: multiratesources.c. Perfectly matched layers: multiratelayer.c.
*/
#include <plexgpu/private/dgimpl.h> /*I "plexgpudg.h" I*/
#include <petsc/private/tsimpl.h>
#include "multiratesums.h"

typedef struct {
  PlexMultirate m;
  PetscObjectId id;          /* of the operator that m was made for */
  PetscInt64    resets;      /* of it, then */
  PetscInt64    evaluations; /* of rates of an element, of all processes */
} TS_Multirate;

/*@
  TSPlexMultirateGetEvaluations - Gets how many rates of elements a `TSPLEXMULTIRATE` has computed

  Not Collective

  Input Parameter:
. ts - the time stepper, of this type

  Output Parameter:
. evaluations - of one element each, of all processes and steps since `TSSetUp()`

  Level: advanced

.seealso: `TSPLEXMULTIRATE`, `PlexDGGetLevelSizes()`
@*/
PetscErrorCode TSPlexMultirateGetEvaluations(TS ts, PetscInt64 *evaluations)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 1);
  PetscAssertPointer(evaluations, 2);
  PetscUseMethod(ts, "TSPlexMultirateGetEvaluations_C", (TS, PetscInt64 *), (ts, evaluations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSPlexMultirateGetEvaluations_Multirate(TS ts, PetscInt64 *evaluations)
{
  PetscFunctionBegin;
  *evaluations = ((TS_Multirate *)ts->data)->evaluations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSPlexMultirateGetOrder_Multirate(TS ts, PetscInt *order)
{
  PetscFunctionBegin;
  (void)ts;
  *order = PLEX_MULTIRATE_ORDER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A step
   ------------------------------------------------------------------------------------------------------------------ */

/* The step of a level */
static PetscReal TSMultirateGetStep(TS ts, PetscInt level)
{
  return ts->time_step / (PetscReal)((PetscInt)1 << level);
}

/* Rates of the elements of levels first to last, or their update */
static PetscErrorCode TSMultirateCompute(TS ts, PetscReal t, PetscInt first, PetscInt last, const PlexDGStage *stage,
                                         const double *u, double *r)
{
  TS_Multirate *mr = (TS_Multirate *)ts->data;
  PlexDG        dg = mr->m->dg;

  PetscFunctionBegin;
  PetscCall(PlexDGLevelsCompute_Private(dg, t, mr->m->constants, first, last, stage, u, r));
  for (PetscInt l = first; l <= last; ++l) mr->evaluations += dg->levels ? dg->levels->elements[l] : dg->mesh->NeGlobal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* State and derivatives of elements of a level beside finer ones, a time tau after their step began */
static PetscErrorCode TSMultirateSetPresent(PlexMultirate m, PetscInt level, PetscReal tau, double *u)
{
  PlexDGMultirateValues values = {
    .out = {u, m->rates[0], m->rates[1]}
  };

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PLEX_MULTIRATE_ORDER - 1; ++i) {
    PetscReal c = 1.;

    for (PetscInt k = i; k < PLEX_MULTIRATE_ORDER; ++k) {
      values.c[i][k] = c;
      c *= tau / (PetscReal)(k - i + 1);
    }
  }
  PetscCall(PlexMultirateEvaluate_Private(m, level, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Their means from then on over a time h; where u is not NULL, it becomes the state that their step began with */
static PetscErrorCode TSMultirateSetMeans(PlexMultirate m, PetscInt level, PetscReal tau, PetscReal h, double *u)
{
  PlexDGMultirateValues values = {
    .out = {m->mean, u   },
      .c = {{0.},    {1.}}
  };
  PetscReal begin = tau, end = tau + h; /* powers over the factorial */

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_MULTIRATE_ORDER; ++k) {
    values.c[0][k] = k ? (end - begin) / h : 1.;
    begin *= tau / (PetscReal)(k + 2);
    end *= (tau + h) / (PetscReal)(k + 2);
  }
  PetscCall(PlexMultirateEvaluate_Private(m, level, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels `first` and finer begin a step at time t: their derivatives, and means */
static PetscErrorCode TSMultirateBegin(TS ts, PetscReal t, PetscInt first, double *u)
{
  PlexMultirate  m    = ((TS_Multirate *)ts->data)->m;
  const PetscInt last = m->nlevels - 1;

  PetscFunctionBegin;
  if (first) PetscCall(TSMultirateSetPresent(m, first - 1, TSMultirateGetStep(ts, first), u));
  for (PetscInt l = first; l <= last; ++l)
    PetscCall(PlexMultirateSourcesSample_Private(m, l, t, TSMultirateGetStep(ts, l)));
  for (PetscInt k = 0; k < PLEX_MULTIRATE_ORDER - 1; ++k) {
    PetscCall(TSMultirateCompute(ts, t, first, last, NULL, k ? m->rates[k - 1] : u, m->rates[k]));
    for (PetscInt l = first; l <= last; ++l)
      PetscCall(PlexMultirateSourcesAdd_Private(m, l, TSMultirateGetStep(ts, l), k, m->rates[k]));
    PetscCall(PlexMultirateLayerDifferentiate_Private(m, first, last, k, u));
  }
  for (PetscInt l = first; l <= last; ++l) {
    const PetscReal    h   = TSMultirateGetStep(ts, l);
    PlexDGMultirateSum sum = {
      .in = {u,  m->rates[0], m->rates[1], m->rates[2]    },
        .c = {1., h / 2.,      h * h / 6.,  h * h * h / 24.},
        .out = m->mean
    };

    if (l < last) PetscCall(PlexMultirateKeep_Private(m, l, u));
    PetscCall(PlexMultirateSum_Private(m, l, &sum));
    PetscCall(PlexMultirateLayerMean_Private(m, l, h));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of a step of a level, from the means */
static PetscErrorCode TSMultirateUpdate(TS ts, PetscReal t, PetscInt level, double *u)
{
  PlexMultirate      m     = ((TS_Multirate *)ts->data)->m;
  const PetscReal    h     = TSMultirateGetStep(ts, level);
  PlexDGStage        stage = {.u = m->mean, .residual = u, .next = m->rates[0], .a = 1., .b = 0., .dt = h};
  PlexDGMultirateSum sum   = {
    .in = {u,  m->rates[0]},
      .c = {1., h          },
      .out = u
  };

  PetscFunctionBegin;
  if (m->dg->ops->stage && m->dg->precision == PLEX_PRECISION_DOUBLE) {
    PetscCall(TSMultirateCompute(ts, t, level, level, &stage, m->mean,
                                 NULL)); /* what it writes to `next` is not used */
  } else {
    PetscCall(TSMultirateCompute(ts, t, level, level, NULL, m->mean, m->rates[0]));
    PetscCall(PlexMultirateSum_Private(m, level, &sum));
  }
  PetscCall(PlexMultirateSourcesAdd_Private(m, level, h, -1, u));
  PetscCall(PlexMultirateLayerUpdate_Private(m, level, h, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels `first` and finer end their steps, the finest one first; all but `first` the second one of the next coarser
   level's */
static PetscErrorCode TSMultirateEnd(TS ts, PetscReal t, PetscInt first, double *u)
{
  PlexMultirate  m    = ((TS_Multirate *)ts->data)->m;
  const PetscInt last = m->nlevels - 1;

  PetscFunctionBegin;
  for (PetscInt l = last; l >= first; --l) {
    const PetscReal h = TSMultirateGetStep(ts, l);

    if (l < last) {
      PetscCall(PlexMultirateHalf_Private(m, l + 1, PETSC_TRUE));
      PetscCall(TSMultirateSetMeans(m, l, 0., h, u));
    }
    if (l) PetscCall(TSMultirateSetMeans(m, l - 1, l == first ? 0. : h, h, NULL));
    PetscCall(TSMultirateUpdate(ts, t, l, u));
  }
  if (first) PetscCall(PlexMultirateHalf_Private(m, first, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coarsest level that has the time s dt/2^(nlevels - 1) as one of its own */
static PetscInt TSMultirateGetCoarsest(PetscInt nlevels, PetscInt s)
{
  PetscInt level = nlevels - 1;

  for (; level && s % 2 == 0; s /= 2) --level;
  return level;
}

static PetscErrorCode TSMultirateAllLevels(TS ts)
{
  PlexMultirate  m     = ((TS_Multirate *)ts->data)->m;
  const PetscInt steps = (PetscInt)1 << (m->nlevels - 1);
  double        *u;

  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(m->backend, ts->vec_sol, PLEX_CHANGE, &m->solution));
  u = (double *)m->solution.array;
  for (PetscInt s = 0; s < steps; ++s) {
    const PetscReal t = ts->ptime + ts->time_step * (PetscReal)s / (PetscReal)steps;

    PetscCall(TSMultirateBegin(ts, t, TSMultirateGetCoarsest(m->nlevels, s), u));
    PetscCall(TSMultirateEnd(ts, t, TSMultirateGetCoarsest(m->nlevels, s + 1), u));
  }
  PetscCall(PlexBackendVecRestore(m->backend, &m->solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   The TS
   ------------------------------------------------------------------------------------------------------------------ */

/* What is computed here: errors that say what to do about the rest */
static PetscErrorCode TSMultirateCheck(TS ts, PlexDG dg)
{
  MPI_Comm     comm   = PetscObjectComm((PetscObject)ts);
  PlexDGSystem system = dg->system;
  PetscBool    separate;

  PetscFunctionBegin;
  PetscCheck(dg->discretization == PLEX_DG_NODAL, comm, PETSC_ERR_SUP,
             "-ts_type " TSPLEXMULTIRATE
             " is for nodal DG: use -plex_dg_discretization nodal, or -ts_type " TSPLEXLOWSTORAGE);
  PetscCall(PetscObjectTypeCompare((PetscObject)dg, PLEXDGSEPARATE, &separate));
  PetscCheck(!separate, comm, PETSC_ERR_SUP,
             "-plex_dg_type " PLEXDGSEPARATE " computes all elements at once, and -ts_type " TSPLEXMULTIRATE
             " those of a level: use -plex_dg_type fused, plain or host");
  PetscCheck(system->linear, comm, PETSC_ERR_SUP,
             "-ts_type " TSPLEXMULTIRATE
             " is for linear systems, and system %s does not say that it is one: use -ts_type " TSPLEXLOWSTORAGE
             ", or set PlexDGSystem.linear",
             system->name);
  PetscCall(PlexDGTSCheckMemory_Private(dg, ts));
  PetscCheck(!dg->pml || !dg->pml->narrow, comm, PETSC_ERR_SUP,
             "-ts_type " TSPLEXMULTIRATE
             " steps the variables of a perfectly matched layer in double precision: use -plex_dg_precision double, or "
             "-ts_type " TSPLEXLOWSTORAGE);
  PetscCheck(!dg->impedance, comm, PETSC_ERR_SUP,
             "-ts_type " TSPLEXMULTIRATE
             " has no conductors of the boundary and no sheets: use -ts_type " TSPLEXLOWSTORAGE
             " and leave -plex_dg_levels out, or use -plex_dg_impedance");
  PetscCall(PlexMultirateSourcesCheck_Private(dg, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays for the operator as it is now */
static PetscErrorCode TSMultirateGetArrays(TS ts)
{
  TS_Multirate *mr = (TS_Multirate *)ts->data;
  PlexDG        dg;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PlexDGGetOfTS_Private(ts, &dg));
  PetscCheck(dg, PetscObjectComm((PetscObject)ts), PETSC_ERR_ORDER,
             "-ts_type " TSPLEXMULTIRATE " steps a PlexDG: call PlexDGSetTS() first");
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PetscObjectGetId((PetscObject)dg, &id));
  if (mr->m && mr->id == id && mr->resets == dg->resets && mr->m->backend == dg->backend)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMultirateDestroy_Private(&mr->m));
  PetscCall(TSMultirateCheck(ts, dg));
  PetscCall(PlexMultirateCreate_Private(dg, &mr->m));
  mr->id     = id;
  mr->resets = dg->resets;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSStep_Multirate(TS ts)
{
  TS_Multirate *mr     = (TS_Multirate *)ts->data;
  PetscBool     accept = PETSC_TRUE, constant;
  PetscReal     next   = ts->time_step;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ts->adapt, &constant, TSADAPTNONE, TSADAPTHISTORY, ""));
  PetscCheck(constant, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "The steps of -ts_type " TSPLEXMULTIRATE " are constant: use -ts_adapt_type none");
  PetscCall(TSMultirateGetArrays(ts));
  PetscCall(PlexDGTSBegin_Private(mr->m->dg, ts));
  PetscCall(TSPreStage(ts, ts->ptime));
  PetscCall(TSMultirateAllLevels(ts));
  PetscCall(TSPostStage(ts, ts->ptime, 0, &ts->vec_sol));
  PetscCall(TSAdaptCheckStage(ts->adapt, ts, ts->ptime + ts->time_step, ts->vec_sol, &accept));
  if (accept) {
    PetscCall(TSAdaptCandidatesClear(ts->adapt));
    PetscCall(TSAdaptCandidateAdd(ts->adapt, NULL, PLEX_MULTIRATE_ORDER, 1, 1., PLEX_MULTIRATE_ORDER, PETSC_TRUE));
    PetscCall(TSAdaptChoose(ts->adapt, ts, ts->time_step, NULL, &next, &accept));
  }
  if (!accept) {
    ts->reject++;
    if (!ts->reason) ts->reason = TS_DIVERGED_STEP_REJECTED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ts->ptime += ts->time_step;
  ts->time_step = next;
  PetscCall(PlexDGTSEnd_Private(mr->m->dg, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step that PlexDGSetTS() set is of one level: here it becomes that of the longest steps */
static PetscErrorCode TSMultirateSetStep(TS ts, PlexDG dg)
{
  PetscReal dt;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(TSAdaptPlexDGIsGiven_Private(ts, ts->time_step, dg->given, &given));
  PetscCall(PlexDGGetTimeStep_Private(dg, NULL, PETSC_FALSE, &dt));
  if (dg->levels) dt *= dg->levels->factor;
  dg->stable    = dt / dg->cfl;
  dg->exact     = PETSC_FALSE;
  dg->method    = 1.; /* as the classical method, and not one that was set before */
  dg->signature = 0.;
  if (!given || dg->given == 0.) PetscFunctionReturn(PETSC_SUCCESS);
  dg->given = dt;
  PetscCall(TSSetTimeStep(ts, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetUp_Multirate(TS ts)
{
  TS_Multirate *mr = (TS_Multirate *)ts->data;

  PetscFunctionBegin;
  PetscCall(TSCheckImplicitTerm(ts));
  PetscCall(TSGetAdapt(ts, &ts->adapt));
  PetscCall(TSMultirateGetArrays(ts));
  PetscCall(TSMultirateSetStep(ts, mr->m->dg));
  mr->evaluations = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSReset_Multirate(TS ts)
{
  PetscFunctionBegin;
  PetscCall(PlexMultirateDestroy_Private(&((TS_Multirate *)ts->data)->m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSDestroy_Multirate(TS ts)
{
  PetscFunctionBegin;
  PetscCall(TSReset_Multirate(ts));
  PetscCall(PetscFree(ts->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexMultirateGetEvaluations_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetOrder_C", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSView_Multirate(TS ts, PetscViewer viewer)
{
  PlexMultirate m = ((TS_Multirate *)ts->data)->m;
  PetscBool     ascii;
  PetscInt64    borders[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt l = 0; l < m->nlevels; ++l) {
    borders[0] += m->kept[l].n;
    borders[1] += m->half[l].n;
  }
  borders[2] = m->bytes;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, borders, 3, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)ts)));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  order %d, %" PetscInt_FMT " levels of steps, the finest 1/%" PetscInt_FMT
                                   " of this TS's; %" PetscInt64_FMT " elements beside finer ones, %" PetscInt64_FMT
                                   " beside coarser ones; %" PetscInt64_FMT " bytes besides the state\n",
                                   PLEX_MULTIRATE_ORDER, m->nlevels, (PetscInt)1 << (m->nlevels - 1), borders[0],
                                   borders[1], borders[2]));
  PetscCall(PlexDGLevelsView_Private(m->dg, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  TSPLEXMULTIRATE - "multirate", explicit method of order four in which elements of a `PlexDG` have steps of their own

  Options Database Key:
. -plex_dg_levels n - levels of steps, each half as long as those of the level before, see `PlexDGSetLevels()`

  Level: beginner

  Notes:
  The step of the `TS` is that of the coarsest level; solution, monitors and checkpoints are at its ends. Where
  `PlexDGSetTS()` sets it, it is as long as the coarsest elements allow; a step of your own, `-ts_time_step`, is taken to
  be of that level, too. It is constant.

  With one level it is Taylor's method, and with the steps of `PlexDGComputeTimeStep()` four rates of each element are
  computed in a step. Rates of finer elements are computed twice as often a level. Between levels fluxes are the same on
  both sides in the mean over a step, so that what the equations conserve is conserved to rounding. As a step needs
  nothing of those before, a run that continues from a checkpoint has the same bits.

  It is for nodal DG, types host, plain and fused, of linear systems; dispersive media and anything else are errors. Decay of fields, as that of E in conductors, is a part of the rates: elements where it is fast have finer
  levels. Systems of your own are taken where `PlexDGSystem` has `linear` and `homogeneous` set, and, with sources or
  boundaries that have values of their own, `amplitudes`.

  Incident waves, prescribed values, total fields, dipoles and currents are polynomials of degree three in each step of an
  element, through their values at four times of it; the order stays four. They are computed of the elements that have any; a
  current everywhere, or such boundaries of curved elements, cost four more rates a step of all, or of curved, elements.

  It keeps four vectors besides the solution, and those of elements beside finer ones five times more.

  Several processes exchange the traces of all their shared faces for each evaluation, of whichever levels.

.seealso: `PlexDGSetLevels()`, `PlexDGGetLevelSizes()`, `TSPlexMultirateGetEvaluations()`, `TSPLEXLOWSTORAGE`,
          `PlexDGSetTS()`, `TSSetType()`
M*/
PetscErrorCode TSCreate_Multirate_Private(TS ts)
{
  TS_Multirate *mr;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mr));
  ts->data               = mr;
  ts->default_adapt_type = TSADAPTNONE;
  ts->ops->setup         = TSSetUp_Multirate;
  ts->ops->step          = TSStep_Multirate;
  ts->ops->reset         = TSReset_Multirate;
  ts->ops->destroy       = TSDestroy_Multirate;
  ts->ops->view          = TSView_Multirate;
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexMultirateGetEvaluations_C",
                                       TSPlexMultirateGetEvaluations_Multirate));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "TSPlexLowStorageGetOrder_C",
                                       TSPlexMultirateGetOrder_Multirate));
  PetscFunctionReturn(PETSC_SUCCESS);
}
