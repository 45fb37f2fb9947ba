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
  PetscInt          n;                    /* operators, or parts: 0 until there are arrays */
  PlexDGExtremaArgs args[2];              /* of each */
  void             *depth[2], *values[2]; /* as args has them, in the backend's memory */
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
  for (PetscInt k = 0; k < x->n; ++k) {
    if (x->depth[k]) PetscCall(PlexBackendFree(dg->backend, &x->depth[k]));
    if (x->values[k]) PetscCall(PlexBackendFree(dg->backend, &x->values[k]));
  }
  x->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays of an operator without parts */
static PetscErrorCode PlexDGExtremaAllocate(PlexDG dg, PetscReal threshold, PlexDGExtremaArgs *args, void **depth,
                                            void **values)
{
  const PetscInt Ne = dg->mesh->Ne, Np = dg->reference->Np, NK = dg->system->ncoefficients;
  PetscReal     *d;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)Ne * Np, &d));
  for (PetscInt e = 0; e < Ne; ++e)
    PetscCall(PetscArraycpy(&d[(size_t)e * Np], &dg->variables[(size_t)e * NK * Np], Np));
  PetscCall(PlexBackendUpload(dg->backend, d, sizeof(*d) * (size_t)Ne * Np, depth));
  PetscCall(PetscFree(d));
  if (Ne)
    PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * PLEX_EXTREMA_VALUES * (size_t)Ne * (size_t)Np, values));
  *args = (PlexDGExtremaArgs){.depth     = (const double *)*depth,
                              .values    = (double *)*values,
                              .nonlinear = 1. - PetscMax(0., PlexDGWaterConstant_Private(dg, "linear")),
                              .dry       = PetscMax(0., PlexDGWaterConstant_Private(dg, "dry")),
                              .threshold = threshold,
                              .never     = NAN,
                              .n         = (long long)Ne * Np,
                              .NP        = (int)Np,
                              .NF        = (int)dg->system->Nf};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays and kernel, where they are not there yet */
static PetscErrorCode PlexDGExtremaSetUp(PlexDG dg)
{
  PlexDGExtrema x = dg->extrema;
  PlexDG        parts[2];

  PetscFunctionBegin;
  if (x->n) PetscFunctionReturn(PETSC_SUCCESS);
  x->n = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < x->n; ++k)
    PetscCall(PlexDGExtremaAllocate(parts[k], x->threshold, &x->args[k], &x->depth[k], &x->values[k]));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/extrema.cu", &x->module));
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_extrema", &x->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGExtremaCheck(PlexDG dg, PetscReal threshold)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);
  PlexDG   parts[2];

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  (void)PlexDGGetParts(dg, parts);
  PetscCheck(dg->system->water && parts[0]->variables, comm, PETSC_ERR_SUP,
             "Extrema are those of water, of systems shallow_water and tsunami, and the operator has %s: leave "
             "-plex_dg_extrema out",
             dg->system->name);
  PetscCheck(parts[0]->mesh->dim == 2, comm, PETSC_ERR_SUP,
             "Extrema are for meshes of dimension 2, and this one has %" PetscInt_FMT ": leave -plex_dg_extrema out",
             parts[0]->mesh->dim);
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
  PlexDG        parts[2];
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
  (void)PlexDGGetParts(dg, parts);
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  for (PetscInt p = 0; p < x->n; ++p) {
    const double   *u           = (const double *)PlexDGPartsGetArray(parts, p, dg->arrayU.array, PETSC_FALSE);
    const long long n           = x->args[p].n;
    void           *arguments[] = {&x->args[p], (void *)&u, &time, &first};

    if (x->kernel && n)
      PetscCall(PlexKernelLaunch(x->kernel, (PetscInt)((n + PLEX_EXTREMA_THREADS - 1) / PLEX_EXTREMA_THREADS),
                                 PLEX_EXTREMA_THREADS, 0, arguments));
    for (long long k = 0; !x->kernel && k < n; ++k) plex_extrema_see(&x->args[p], u, time, first, k);
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
  for (PetscInt k = 0; k < x->n; ++k) {
    const size_t n = PLEX_EXTREMA_VALUES * (size_t)x->args[k].n;

    PetscCall(PlexBackendCopyOut(dg->backend, values, x->values[k], sizeof(*values) * n));
    values += n;
  }
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
  for (PetscInt k = 0; k < dg->extrema->n; ++k) {
    const size_t n = PLEX_EXTREMA_VALUES * (size_t)dg->extrema->args[k].n;

    PetscCall(PlexBackendCopyIn(dg->backend, dg->extrema->values[k], values, sizeof(*values) * n));
    values += n;
  }
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
+ highest - [elements][nodes] the greatest elevation eta, in the order of `PlexDGGetNodes()`, of a mesh of triangles and
            quadrilaterals those of triangles and behind them those of quadrilaterals; or `NULL`
. fastest - the greatest speed |q|/(d + eta), likewise
- arrival - the time at which |eta - eta0| first was more than the threshold, NaN where it never was, likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGMonitorExtrema()`, `PlexDGGetNodes()`
@*/
PetscErrorCode PlexDGGetExtrema(PlexDG dg, PetscReal highest[], PetscReal fastest[], PetscReal arrival[])
{
  PlexDGExtrema x;
  size_t        n = 0, at         = 0;
  PetscReal *values, *const out[] = {NULL, highest, fastest, arrival};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  x = dg->extrema;
  PetscCheck(x && x->started, PetscObjectComm((PetscObject)dg), PETSC_ERR_ORDER,
             "There are no extrema, as no step has been seen: call PlexDGMonitorExtrema(), or give -plex_dg_extrema, "
             "before TSSolve()");
  for (PetscInt p = 0; p < x->n; ++p) n += (size_t)x->args[p].n;
  PetscCall(PetscMalloc1(PLEX_EXTREMA_VALUES * n, &values));
  PetscCall(PlexDGExtremaGet_Private(dg, values));
  for (PetscInt p = 0; p < x->n; ++p) {
    const size_t NP = (size_t)x->args[p].NP;

    for (size_t e = 0; e < (size_t)x->args[p].n / NP; ++e, at += NP)
      for (size_t k = 1; k < PLEX_EXTREMA_VALUES; ++k)
        if (out[k]) PetscCall(PetscArraycpy(&out[k][at], &values[at * PLEX_EXTREMA_VALUES + k * NP], NP));
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
