/*
  Linear decay of fields, u' = F(u, t) - s u, as dg_decay() of a system's header has it: sigma/epsilon of Maxwell's
  equations. The kernels of a type compute F alone. What decays is a list of fields of elements, those with s > 0, and has
  loops or kernels of its own: as a rate, or with a stage of a low-storage scheme. The work at a node is in
  cuda/dg/decay.h, with the method. Fields with memory variables, memory.c, are not in that list: their decay is in the
  matrices there.
*/
#include "coreimpl.h"

#define PLEX_DECAY_FUNCTION static inline
#include <dg/decay.h>

#define PLEX_DECAY_THREADS 256
#define PLEX_DECAY_GRID    65536 /* blocks, at most */
#define PLEX_DECAY_LEAST   4096  /* values a thread of the host */

struct _n_PlexDGDecay {
  PlexDGDecayArgs args; /* arrays in the backend's memory */
  int            *at;   /* [n] as in them, of the host */
  void           *forcing;
  size_t          real; /* bytes of a number of it */
  PlexArray       residual, next, error;
  PlexModule      module;
  PlexKernel      stage, add;
};

PetscErrorCode PlexDGDecayDestroy_Private(PlexBackend backend, PlexDGDecay *decay)
{
  PlexDGDecay d = *decay;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&d->module));
  PetscCall(PlexBackendFree(backend, &d->forcing));
  PetscCall(PlexArrayReset(backend, &d->residual));
  PetscCall(PlexArrayReset(backend, &d->next));
  PetscCall(PlexArrayReset(backend, &d->error));
  PetscCall(PetscFree(d->at));
  PetscCall(PetscFree(*decay));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rates[Nf] of element e */
PetscErrorCode PlexDGDecayGetRates_Private(PlexDG dg, PetscInt e, PetscReal rates[])
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < host->Nf; ++f) rates[f] = 0.;
  (*host->decay)(host->NK ? &dg->coefficients[e * host->NK] : NULL, dg->actual, rates);
  for (PetscInt f = 0; f < host->Nf; ++f) {
    char cell[160];

    if (rates[f] >= 0. && rates[f] < PETSC_INFINITY) continue;
    PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
            "Field %s of system %s decays at the rate %g in %s, and rates are 0 or more, and finite: see "
            "PlexDGSetCoefficients() and -plex_dg_material",
            dg->system->fields[f], dg->system->name, (double)rates[f], cell);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexDGDecayMost_Private(PlexDG dg, PetscInt e)
{
  const PlexDGHost *host                      = dg->system->host[PLEX_PRECISION_DOUBLE];
  PetscReal         rates[PLEX_DG_MAX_FIELDS] = {0.}, most = 0.;

  if (!host->decay) return 0.;
  (*host->decay)(host->NK ? &dg->coefficients[e * host->NK] : NULL, dg->actual, rates);
  for (PetscInt f = 0; f < host->Nf; ++f)
    if (!(rates[f] <= most)) most = rates[f];
  return most;
}

/* The list of an operator without parts; NULL lists count alone */
static PetscErrorCode PlexDGDecayList(PlexDG dg, PetscInt *n, int at[], PetscReal rates[])
{
  const PetscInt Nf = dg->system->Nf;
  PetscReal      here[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  *n = 0;
  if (!dg->system->host[0]->decay) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGIntCheck_Private(dg->mesh->Ne, Nf, "fields that may decay"));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscCall(PlexDGDecayGetRates_Private(dg, e, here));
    for (PetscInt f = 0; f < Nf; ++f) {
      if (here[f] == 0. || PlexDGMemoryHas_Private(dg, e, f)) continue;
      if (at) at[*n] = (int)(e * Nf + f);
      if (rates) rates[*n] = here[f];
      ++*n;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDecayCreate(PlexDG dg, PetscInt n, PlexDGDecay *decay)
{
  PlexDGDecay d;
  PetscReal  *rates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  *decay     = d;
  d->args.n  = (int)n;
  d->args.NP = (int)dg->reference->Np;
  PetscCall(PetscMalloc1(n, &d->at));
  PetscCall(PetscMalloc1(n, &rates));
  PetscCall(PlexDGDecayList(dg, &n, d->at, rates));
  PetscCall(PlexDGUpload(dg, d->at, sizeof(*d->at) * (size_t)n, (const void **)&d->args.at));
  PetscCall(PlexDGUpload(dg, rates, sizeof(*rates) * (size_t)n, (const void **)&d->args.rates));
  PetscCall(PetscFree(rates));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/decay.cu", &d->module));
  PetscCall(PlexModuleGetKernel(d->module, "plex_dg_decay_stage", &d->stage));
  PetscCall(PlexModuleGetKernel(d->module, "plex_dg_decay_add", &d->add));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDecayCreate_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt nparts = PlexDGGetParts(dg, parts);
  PetscInt       n[2]   = {0, 0};
  PetscBool      any, remembers;

  PetscFunctionBegin;
  PetscCall(PlexDGMemoryCreate_Private(dg, &remembers));
  for (PetscInt k = 0; k < nparts; ++k) PetscCall(PlexDGDecayList(parts[k], &n[k], NULL, NULL));
  any = (PetscBool)(n[0] > 0 || n[1] > 0 || remembers);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &any, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  for (PetscInt k = 0; k < nparts && any; ++k) PetscCall(PlexDGDecayCreate(parts[k], n[k], &parts[k]->decay));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexDGDecays_Private(PlexDG dg)
{
  PlexDG parts[2];

  (void)PlexDGGetParts(dg, parts);
  return (PetscBool)!!parts[0]->decay;
}

/* ------------------------------------------------------------------------------------------------------------------
   As a rate
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PlexDGDecayArgs args;
  const void     *u;
  void           *r, *next;
  double          factor, weight;
  int             single;
} PlexDGDecayRate;

static void PlexDGDecayAddLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGDecayRate *d = (const PlexDGDecayRate *)ctx;

  for (long long k = (long long)begin * d->args.NP; k < (long long)end * d->args.NP; ++k)
    plex_decay_add(&d->args, d->u, d->r, d->factor, d->next, d->weight, d->single, k);
}

/* Blocks of a kernel */
static PetscInt PlexDGDecayGrid(const PlexDGDecayArgs *a)
{
  return (PetscInt)PetscMin(((PetscInt64)a->n * a->NP + PLEX_DECAY_THREADS - 1) / PLEX_DECAY_THREADS, PLEX_DECAY_GRID);
}

/* Those of the list */
static PetscErrorCode PlexDGDecayAddListed(PlexDGDecay d, PlexDGDecayRate *rate)
{
  void *arguments[] = {&rate->args, &rate->u, &rate->r, &rate->factor, &rate->next, &rate->weight, &rate->single};

  PetscFunctionBegin;
  if (!rate->args.n) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->add) PetscCall(PlexKernelLaunch(d->add, PlexDGDecayGrid(&rate->args), PLEX_DECAY_THREADS, 0, arguments));
  else PetscCall(PlexThreadsRun(rate->args.n, PLEX_DECAY_LEAST / rate->args.NP + 1, PlexDGDecayAddLoop, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDecayAdd_Private(PlexDG dg, const void *u, void *r, PetscReal factor, void *next, PetscReal weight,
                                      PetscBool isSingle)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGDecay     d    = parts[k]->decay;
    PlexDGDecayRate rate = {.args   = d->args,
                            .u      = PlexDGPartsGetArray(parts, k, u, isSingle),
                            .r      = PlexDGPartsGetArray(parts, k, r, isSingle),
                            .next   = PlexDGPartsGetArray(parts, k, next, isSingle),
                            .factor = factor,
                            .weight = weight,
                            .single = isSingle};

    PetscCall(PlexDGDecayAddListed(d, &rate));
  }
  if (PlexDGRemembers_Private(dg)) PetscCall(PlexDGMemoryAddRates_Private(dg, u, r, factor, next, weight, isSingle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first place of the list, which ascends, that is of element e or a later one */
static int PlexDGDecayFind(PlexDGDecay d, PetscInt first)
{
  int low = 0, high = d->args.n;

  while (low < high) {
    const int middle = low + (high - low) / 2;

    if (d->at[middle] < first) low = middle + 1;
    else high = middle;
  }
  return low;
}

PetscErrorCode PlexDGDecayAddElements_Private(PlexDG dg, PetscInt begin, PetscInt end, const void *u, void *r,
                                              PetscReal factor)
{
  PlexDGDecay     d     = dg->decay;
  PlexDGDecayRate rate  = {.args = d->args, .u = u, .r = r, .factor = factor};
  const int       first = PlexDGDecayFind(d, begin * dg->system->Nf), last = PlexDGDecayFind(d, end * dg->system->Nf);

  PetscFunctionBegin;
  rate.args.n     = last - first;
  rate.args.at    = PetscSafePointerPlusOffset(d->args.at, first);
  rate.args.rates = PetscSafePointerPlusOffset(d->args.rates, first);
  PetscCall(PlexDGDecayAddListed(d, &rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   With a stage
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PlexDGDecayArgs  args;
  PlexDGDecayStage stage;
} PlexDGDecayLoop;

static void PlexDGDecayStageLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGDecayLoop *d = (const PlexDGDecayLoop *)ctx;

  for (long long k = (long long)begin * d->args.NP; k < (long long)end * d->args.NP; ++k)
    plex_decay_stage(&d->args, &d->stage, k);
}

/* Room for the forcing of an operator without parts */
static PetscErrorCode PlexDGDecayAllocate(PlexDG dg, int single)
{
  PlexDGDecay  d    = dg->decay;
  const size_t real = single ? sizeof(float) : sizeof(double);

  PetscFunctionBegin;
  if (d->real == real || !d->args.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(dg->backend, &d->forcing));
  PetscCall(PlexBackendMalloc(dg->backend, real * (size_t)d->args.n * (size_t)d->args.NP, &d->forcing));
  d->real = real;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexDGDecayStage PlexDGDecayStageOfPart_Private(PlexDG parts[], PetscInt k, const PlexDGDecayStage *stage)
{
  const PetscBool  isSingle = (PetscBool)stage->single;
  PlexDGDecayStage s        = *stage;

  s.residual = PlexDGPartsGetArray(parts, k, stage->residual, isSingle);
  s.next     = PlexDGPartsGetArray(parts, k, stage->next, isSingle);
  s.error    = (double *)PlexDGPartsGetArray(parts, k, stage->error, PETSC_FALSE);
  return s;
}

PetscErrorCode PlexDGDecayStage_Private(PlexDG dg, const PlexDGDecayStage *stage)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGDecay     d           = parts[k]->decay;
    PlexDGDecayLoop loop        = {.args = d->args, .stage = PlexDGDecayStageOfPart_Private(parts, k, stage)};
    void           *arguments[] = {&loop.args, &loop.stage};

    if (!d->args.n) continue;
    PetscCall(PlexDGDecayAllocate(parts[k], stage->single));
    loop.stage.forcing = d->forcing;
    if (d->stage) PetscCall(PlexKernelLaunch(d->stage, PlexDGDecayGrid(&d->args), PLEX_DECAY_THREADS, 0, arguments));
    else PetscCall(PlexThreadsRun(d->args.n, PLEX_DECAY_LEAST / d->args.NP + 1, PlexDGDecayStageLoop, &loop));
  }
  if (PlexDGRemembers_Private(dg)) PetscCall(PlexDGMemoryStage_Private(dg, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDecayVecs_Private(PlexDG dg, const PlexDGDecayStage *stage, Vec residual, Vec next, Vec error)
{
  PlexDGDecayStage s = *stage;
  PlexDG           parts[2];
  PlexDGDecay      d;

  PetscFunctionBegin;
  (void)PlexDGGetParts(dg, parts);
  d = parts[0]->decay;
  PetscCall(PlexBackendVecGet(dg->backend, residual, PLEX_CHANGE, &d->residual));
  PetscCall(PlexBackendVecGet(dg->backend, next, PLEX_CHANGE, &d->next));
  if (error) PetscCall(PlexBackendVecGet(dg->backend, error, PLEX_CHANGE, &d->error));
  s.residual = d->residual.array;
  s.next     = d->next.array;
  s.error    = error ? d->error.array : NULL;
  s.single   = 0;
  PetscCall(PlexDGDecayStage_Private(dg, &s));
  if (error) PetscCall(PlexBackendVecRestore(dg->backend, &d->error));
  PetscCall(PlexBackendVecRestore(dg->backend, &d->next));
  PetscCall(PlexBackendVecRestore(dg->backend, &d->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}
