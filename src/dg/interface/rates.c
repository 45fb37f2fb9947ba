/*
  The rate of a state, whose inverse is the time step: what a step that follows the speed asks for after each step. On
  the host, or by a kernel where the backend has kernels, so that a state on a GPU stays there. And whether steps follow.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_RATES_THREADS 128
#define PLEX_DG_RATES_GRID    1024 /* blocks, at most: numbers that the host compares */
#define PLEX_DG_RATES_NODES   256  /* that a block takes at a time, or those of one element */
#define PLEX_DG_RATES_NONE    1e300

struct _n_PlexDGRates {
  PlexModule module;
  PlexKernel kernel;
  PetscInt   elements, grid; /* that a block takes at a time; blocks */
  /* double: [Ne], [Ne][NK] or [Ne][NK][Np], [NC] */
  void *scales, *coefficients, *constants;
  void *largest; /* [grid] */
};

PetscErrorCode PlexDGRatesDestroy_Private(PlexBackend backend, PlexDGRatesKernel *rates)
{
  PlexDGRatesKernel x = *rates;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&x->module));
  PetscCall(PlexBackendFree(backend, &x->scales));
  PetscCall(PlexBackendFree(backend, &x->coefficients));
  PetscCall(PlexBackendFree(backend, &x->constants));
  PetscCall(PlexBackendFree(backend, &x->largest));
  PetscCall(PetscFree(*rates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel is in double precision, and its arrays are its own, whatever the operator's are */
static PetscErrorCode PlexDGRatesCompile(PlexDG dg, PlexDGRatesKernel x)
{
  const PlexPrecision precision = dg->precision;
  char                text[3][48];
  const char         *defines[] = {text[0], text[1], text[2]};
  PetscErrorCode      ierr;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_RATES_ELEMENTS=%" PetscInt_FMT, x->elements));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_RATES_THREADS=%d", PLEX_DG_RATES_THREADS));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_RATES_NONE=%g", PLEX_DG_RATES_NONE));
  dg->precision = PLEX_PRECISION_DOUBLE;
  ierr          = PlexDGCompile(dg, "dg/rates.cu", 3, defines, &x->module);
  dg->precision = precision;
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_rates", &x->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRatesCreate(PlexDG dg, PlexDGRatesKernel *rates)
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt    Np = dg->reference->Np, Ne = dg->mesh->Ne;
  const size_t      real = sizeof(double);
  PlexDGRatesKernel x;
  PetscReal        *scales;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *rates      = x;
  x->elements = PetscMax(1, PLEX_DG_RATES_NODES / Np);
  x->grid     = PetscMin(PLEX_DG_RATES_GRID, (Ne + x->elements - 1) / x->elements);
  PetscCall(PetscMalloc1(Ne, &scales));
  for (PetscInt e = 0; e < Ne; ++e) scales[e] = PlexDGGetSpeedScale_Private(dg, e);
  PetscCall(PlexBackendUpload(dg->backend, scales, real * Ne, &x->scales));
  PetscCall(PetscFree(scales));
  if (dg->variables)
    PetscCall(PlexBackendUpload(dg->backend, dg->variables, real * Ne * host->NK * Np, &x->coefficients));
  else PetscCall(PlexBackendUpload(dg->backend, dg->coefficients, real * Ne * host->NK, &x->coefficients));
  PetscCall(PlexBackendUpload(dg->backend, dg->actual, real * host->NC, &x->constants));
  PetscCall(PlexBackendMalloc(dg->backend, real * x->grid, &x->largest));
  PetscCall(PlexDGRatesCompile(dg, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of this process's elements */
static PetscErrorCode PlexDGRateByKernel(PlexDG dg, Vec U, PetscBool exact, PetscReal *rate)
{
  PlexDGRatesKernel x;
  double           *largest, damps = 1. / PLEX_DG_DAMPING, viscous = PlexDGGetViscousScale_Private(dg);
  int               Ne = (int)dg->mesh->Ne, decays = !exact;

  PetscFunctionBegin;
  *rate = 0.;
  if (!Ne) PetscFunctionReturn(PETSC_SUCCESS);
  if (!dg->rates) PetscCall(PlexDGRatesCreate(dg, &dg->rates));
  x = dg->rates;
  PetscCall(PetscMalloc1(x->grid, &largest));
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  {
    const void *u           = dg->arrayU.array;
    void       *arguments[] = {(void *)&u, &x->scales, &x->coefficients, &x->constants, &Ne,
                               &damps,     &viscous,   &decays,          &x->largest};

    PetscCall(PlexKernelLaunch(x->kernel, x->grid, PLEX_DG_RATES_THREADS, 0, arguments));
  }
  PetscCall(PlexBackendCopyOut(dg->backend, largest, x->largest, sizeof(double) * x->grid));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  for (PetscInt b = 0; b < x->grid; ++b) *rate = PetscMax(*rate, largest[b]);
  PetscCall(PetscFree(largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRateByHost(PlexDG dg, Vec U, PetscBool exact, PetscReal *rate)
{
  const PetscScalar *u;
  PetscReal          rates[2];
  PetscInt           bad;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PlexDGGetRates_Private(dg, u, exact, rates, &bad));
  PetscCall(VecRestoreArrayRead(U, &u));
  *rate = bad < dg->mesh->Ne ? PLEX_DG_RATES_NONE : rates[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscBool exact;
  PetscReal most;
} PlexDGMost;

/* The largest of ctx->most and that of the own elements of an operator without parts */
static PetscErrorCode PlexDGMostRate(PlexDG dg, Vec U, void *ctx)
{
  PlexDGMost *m    = (PlexDGMost *)ctx;
  PetscReal   rate = 0.;

  PetscFunctionBegin;
  /* the kernel does not know of a perfectly matched layer, whose system is linear */
  if (dg->backend->kernels && !dg->pml) PetscCall(PlexDGRateByKernel(dg, U, m->exact, &rate));
  else PetscCall(PlexDGRateByHost(dg, U, m->exact, &rate));
  m->most = PetscMax(m->most, rate);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGetRate_Private(PlexDG dg, Vec U, PetscBool exact, PetscReal *rate)
{
  PlexDGMost own = {exact, 0.};

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsDo_Private(dg, U, PlexDGMostRate, &own));
  PetscCallMPI(MPIU_Allreduce(&own.most, rate, 1, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  *rate = PetscMax(*rate, PlexDGMemoryFrequency_Private(dg) / PLEX_DG_TURN);
  *rate = PetscMax(*rate, PlexDGImpedanceRate_Private(dg) / PLEX_DG_DAMPING);
  if (!(*rate < PLEX_DG_RATES_NONE)) *rate = PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetAdaptiveStep - Sets whether the time step of a `TS` follows the speed of the state

  Logically Collective

  Input Parameters:
+ dg       - the operator
- adaptive - `PETSC_TRUE`: `PlexDGSetTS()` gives the `TS` a `TSAdapt` of type `TSADAPTPLEXDGCFL`; `PETSC_FALSE`: the
             step stays that of the state at the beginning

  Options Database Key:
. -plex_dg_adapt_step (true|false) - likewise

  Level: intermediate

  Notes:
  Where it is not set, steps follow in systems whose speed depends on the state: `shallow_water`, `tsunami` unless its
  constant `linear` is 1, `euler`, and those whose header defines `PLEX_DG_SPEED_CHANGES`.

  It is to be set before `PlexDGSetTS()`.

.seealso: `PlexDG`, `PlexDGGetAdaptiveStep()`, `PlexDGSetTS()`, `PlexDGComputeTimeStep()`, `PlexDGSetCFL()`
@*/
PetscErrorCode PlexDGSetAdaptiveStep(PlexDG dg, PetscBool adaptive)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  dg->adaptSet = PETSC_TRUE;
  dg->adapt    = adaptive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetAdaptiveStep - Gets whether the time step of a `TS` follows the speed of the state

  Not Collective

  Input Parameter:
. dg - the operator, whose system is set

  Output Parameter:
. adaptive - what was set, or what is so by default

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetAdaptiveStep()`
@*/
PetscErrorCode PlexDGGetAdaptiveStep(PlexDG dg, PetscBool *adaptive)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(adaptive, 2);
  *adaptive = dg->adaptSet ? dg->adapt
                           : (PetscBool)(dg->system && dg->system->host[PLEX_PRECISION_DOUBLE]->changes &&
                                         PlexDGWaterConstant_Private(dg, "linear") <= 0.5);
  PetscFunctionReturn(PETSC_SUCCESS);
}
