/*
  Extrema of water over the steps of a run, at each node: greatest elevation, greatest speed, arrival time. Kept where
  the state is. The work at a node is in cuda/dg/extrema.h, for the host and for kernels.

  A monitor sees the states: those at the end of steps that were accepted, not the stages of a step nor what a TSAdapt
  rejects. To see one twice changes nothing, so a checkpoint may be written before or after its own state was seen.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_EXTREMA_FUNCTION static inline
#include <dg/extrema.h>

#if PLEX_EXTREMA_VALUES != PLEX_DG_EXTREMA
  #error "a node has as many numbers here as in checkpoints"
#endif

#define PLEX_EXTREMA_THREADS 128

struct _n_PlexDGExtrema {
  PetscObjectId     ts;        /* whose steps are seen; 0: not known yet, the values come from a checkpoint */
  PetscReal         threshold; /* of the arrival */
  PetscBool         watched;   /* a monitor sees the steps */
  PetscBool         started;   /* values are there */
  PetscBool         lost;      /* they were, until the operator was reset */
  PetscInt          step;      /* that was seen last; -1: not in this run */
  PlexModule        module;
  PlexKernel        kernel;
  PlexDGExtremaArgs args;
  void             *depth, *values; /* as args has them, in the backend's memory */
};

/* Frees what PlexDGReset() frees the like of; settings stay */
PetscErrorCode PlexDGExtremaReset_Private(PlexDG dg)
{
  PlexDGExtrema x = dg->extrema;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  x->lost    = (PetscBool)(x->lost || x->started);
  x->started = PETSC_FALSE;
  x->kernel  = NULL;
  PetscCall(PlexModuleDestroy(&x->module));
  if (x->depth) PetscCall(PlexBackendFree(dg->backend, &x->depth));
  if (x->values) PetscCall(PlexBackendFree(dg->backend, &x->values));
  PetscCall(PetscMemzero(&x->args, sizeof(x->args)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays and kernel, where they are not there yet */
static PetscErrorCode PlexDGExtremaSetUp(PlexDG dg)
{
  PlexDGExtrema  x  = dg->extrema;
  const PetscInt Ne = dg->mesh->Ne, Np = dg->reference->Np, NK = dg->system->ncoefficients;
  PetscReal     *depth;

  PetscFunctionBegin;
  if (x->args.NP) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((PetscInt64)Ne * Np <= PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Extrema of %" PetscInt64_FMT " nodes of a process: take more processes, at most %d nodes each",
             (PetscInt64)Ne * Np, PETSC_INT32_MAX);
  PetscCall(PetscMalloc1((size_t)Ne * Np, &depth));
  for (PetscInt e = 0; e < Ne; ++e)
    PetscCall(PetscArraycpy(&depth[(size_t)e * Np], &dg->variables[(size_t)e * NK * Np], Np));
  PetscCall(PlexBackendUpload(dg->backend, depth, sizeof(*depth) * (size_t)Ne * Np, &x->depth));
  PetscCall(PetscFree(depth));
  if (Ne)
    PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * PLEX_EXTREMA_VALUES * (size_t)Ne * (size_t)Np,
                                &x->values));
  if (dg->backend->kernels) {
    PetscCall(PlexBackendCompileFile(dg->backend, "dg/extrema.cu", &x->module));
    PetscCall(PlexModuleGetKernel(x->module, "plex_dg_extrema", &x->kernel));
  }
  x->args = (PlexDGExtremaArgs){.depth     = (const double *)x->depth,
                                .values    = (double *)x->values,
                                .nonlinear = 1. - PetscMax(0., PlexDGWaterConstant_Private(dg, "linear")),
                                .dry       = PetscMax(0., PlexDGWaterConstant_Private(dg, "dry")),
                                .threshold = x->threshold,
                                .never     = NAN,
                                .n         = (int)(Ne * Np),
                                .NP        = (int)Np,
                                .NF        = (int)dg->system->Nf};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGExtremaCheck(PlexDG dg, PetscReal threshold)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckOneKind_Private(dg, "-plex_dg_extrema, PlexDGMonitorExtrema(),"));
  PetscCheck(dg->system->water && dg->variables, comm, PETSC_ERR_SUP,
             "Extrema are those of water, of systems shallow_water and tsunami, and the operator has %s: leave "
             "-plex_dg_extrema out",
             dg->system->name);
  PetscCheck(dg->mesh->dim == 2, comm, PETSC_ERR_SUP,
             "Extrema are for meshes of dimension 2, and this one has %" PetscInt_FMT ": leave -plex_dg_extrema out",
             dg->mesh->dim);
  PetscCheck(threshold >= 0. && threshold < PETSC_INFINITY, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "A wave arrives with a change of elevation of %g: -plex_dg_extrema_threshold is 0 or more",
             (double)threshold);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExtremaWatch_Private(PlexDG dg, TS ts, PetscReal threshold)
{
  PlexDGExtrema x = dg->extrema;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaCheck(dg, threshold));
  PetscCall(PetscObjectGetId((PetscObject)ts, &id));
  if (x && x->ts && x->ts != id) {
    PetscCall(PlexDGExtremaReset_Private(dg));
    PetscCall(PetscMemzero(x, sizeof(*x)));
  } else
    PetscCheck(!x || x->threshold == threshold, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
               "Extrema of this run have the threshold %g m already, and cannot have %g m as well: see "
               "-plex_dg_extrema_threshold",
               (double)x->threshold, (double)threshold);
  if (!x) PetscCall(PetscNew(&x));
  dg->extrema  = x;
  x->ts        = id;
  x->threshold = threshold;
  x->watched   = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExtremaSee_Private(PlexDG dg, PetscInt step, PetscReal t, Vec U)
{
  PlexDGExtrema x = dg->extrema;
  int           first;
  double        time = t;

  PetscFunctionBegin;
  PetscCall(PlexDGCheckVec_Private(dg, U));
  if (step == 0 && x->step > 0) x->started = PETSC_FALSE; /* another run by the same TS */
  if (step == 0) x->lost = PETSC_FALSE;
  PetscCheck(!x->lost, PetscObjectComm((PetscObject)dg), PETSC_ERR_ORDER,
             "The operator was changed after step %" PetscInt_FMT
             ", and with it the extrema of the steps before would be lost: change settings before the run, or begin a "
             "run with a new TS",
             x->step);
  PetscCall(PlexDGExtremaSetUp(dg));
  first      = !x->started;
  x->started = PETSC_TRUE;
  x->step    = step >= 0 ? step : x->step;
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  {
    const double *u           = (const double *)dg->arrayU.array;
    void         *arguments[] = {&x->args, (void *)&u, &time, &first};

    if (x->kernel && x->args.n)
      PetscCall(PlexKernelLaunch(x->kernel, (x->args.n + PLEX_EXTREMA_THREADS - 1) / PLEX_EXTREMA_THREADS,
                                 PLEX_EXTREMA_THREADS, 0, arguments));
    for (int k = 0; !x->kernel && k < x->args.n; ++k) plex_extrema_see(&x->args, u, time, first, k);
  }
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExtremaAre_Private(PlexDG dg, TS ts, PetscBool *watched, PetscBool *started, PetscReal *threshold)
{
  PlexDGExtrema x  = dg->extrema;
  PetscObjectId id = 0;

  PetscFunctionBegin;
  if (ts) PetscCall(PetscObjectGetId((PetscObject)ts, &id));
  *watched   = (PetscBool)(x && x->watched && (!ts || id == x->ts));
  *started   = (PetscBool)(*watched && x->started);
  *threshold = x ? x->threshold : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExtremaGet_Private(PlexDG dg, PetscReal values[])
{
  PlexDGExtrema x = dg->extrema;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(dg->backend, values, x->values,
                               sizeof(*values) * PLEX_EXTREMA_VALUES * (size_t)x->args.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGExtremaSet_Private(PlexDG dg, TS ts, PetscReal threshold, const PetscReal values[])
{
  PetscBool watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal was = 0.;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &was));
  if (!watched && dg->extrema) {
    PetscCall(PlexDGExtremaReset_Private(dg));
    PetscCall(PetscMemzero(dg->extrema, sizeof(*dg->extrema)));
  }
  if (!values) { /* they begin where the checkpoint was written */
    if (watched) dg->extrema->started = dg->extrema->lost = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!dg->extrema) PetscCall(PetscNew(&dg->extrema));
  if (!watched) dg->extrema->threshold = threshold;
  if (!watched && ts) PetscCall(PetscObjectGetId((PetscObject)ts, &dg->extrema->ts));
  PetscCall(PlexDGExtremaSetUp(dg));
  PetscCall(PlexBackendCopyIn(dg->backend, dg->extrema->values, values,
                              sizeof(*values) * PLEX_EXTREMA_VALUES * (size_t)dg->extrema->args.n));
  dg->extrema->started = PETSC_TRUE;
  dg->extrema->lost    = PETSC_FALSE;
  dg->extrema->step    = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetExtrema - Gets the greatest elevation and speed of the water and its arrival time at each node, as
  `PlexDGMonitorExtrema()` has kept them up to the last step

  Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ highest - [elements][nodes] the greatest elevation eta, in the order of `PlexDGGetNodes()`; or `NULL`
. fastest - the greatest speed |q|/(d + eta), likewise
- arrival - the time at which |eta - eta0| first was more than the threshold, NaN where it never was, likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGMonitorExtrema()`, `PlexDGGetNodes()`
@*/
PetscErrorCode PlexDGGetExtrema(PlexDG dg, PetscReal highest[], PetscReal fastest[], PetscReal arrival[])
{
  PlexDGExtrema x;
  PetscReal *values, *const out[] = {NULL, highest, fastest, arrival};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  x = dg->extrema;
  PetscCheck(x && x->started, PetscObjectComm((PetscObject)dg), PETSC_ERR_ORDER,
             "There are no extrema, as no step has been seen: call PlexDGMonitorExtrema(), or give -plex_dg_extrema, "
             "before TSSolve()");
  PetscCall(PetscMalloc1(PLEX_EXTREMA_VALUES * (size_t)x->args.n, &values));
  PetscCall(PlexDGExtremaGet_Private(dg, values));
  for (int k = 1; k < PLEX_EXTREMA_VALUES; ++k)
    for (size_t e = 0; out[k] && e < (size_t)(x->args.n / x->args.NP); ++e)
      PetscCall(PetscArraycpy(&out[k][e * (size_t)x->args.NP],
                              &values[(e * PLEX_EXTREMA_VALUES + (size_t)k) * (size_t)x->args.NP], x->args.NP));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
