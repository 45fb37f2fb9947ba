/*
  What tuning measures: kernels one by one, so that their choices add and need not be multiplied. For each size of
  microblocks the gather's, then those of lift and differentiation; the best line of the table is the size whose best
  kernels take the least time together.

  A module is compiled for each size of microblocks and each w_i; w_p, w_s, M_B and the partition are numbers that a
  launch is given.
*/
#include "tune.h"

#define PLEX_DG_TUNE_SAMPLES 5
#define PLEX_DG_TUNE_SAMPLE  2e-4   /* seconds of launches that are timed together, at least */
#define PLEX_DG_TUNE_METIS   100000 /* elements up to which METIS is tried: beyond, it takes longer than all else */

typedef struct {
  PlexDG             dg;
  PlexDGSeparate    *way;
  const PlexDGFixed *fixed;
  PlexDGTuneResult  *r;
  PetscInt           allocated;
  PetscLogDouble     begin;
  double             deadline; /* seconds since then, of what is being varied */
  PlexDGArgs         args;
  void              *state[2];
} PlexDGSearch;

/* ---- A kernel's time */

static PetscErrorCode PlexDGSearchLaunch(PlexDGSearch *s, PlexDGPartKind part)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k)
    if (s->way->range[k].end > s->way->range[k].first)
      PetscCall(PlexDGPartLaunch_Private(s->dg, s->way, part, &s->way->range[k], &s->args, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSearchTime(PlexDGSearch *s, PlexDGPartKind part, double *seconds)
{
  PlexBackend    backend = s->dg->backend;
  PetscReal      samples[PLEX_DG_TUNE_SAMPLES];
  PetscLogDouble t;
  PetscInt       calls = 1;

  PetscFunctionBegin;
  PetscCall(PlexDGSearchLaunch(s, part)); /* the first one loads the kernel */
  for (PetscInt k = -1; k < PLEX_DG_TUNE_SAMPLES; ++k) {
    PetscCall(PlexBackendTimerBegin(backend));
    for (PetscInt c = 0; c < calls; ++c) PetscCall(PlexDGSearchLaunch(s, part));
    PetscCall(PlexBackendTimerEnd(backend, &t));
    if (k >= 0) samples[k] = (PetscReal)(t / calls);
    else calls = (PetscInt)PetscClipInterval(PLEX_DG_TUNE_SAMPLE / PetscMax(t, 1e-7), 1., 50.);
  }
  PetscCall(PetscSortReal(PLEX_DG_TUNE_SAMPLES, samples));
  *seconds = (double)samples[PLEX_DG_TUNE_SAMPLES / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PlexDGCandidate PlexDGCandidateGet(const PlexDGTable *t, PlexDGPartKind part)
{
  const PlexDGWork *work = part == PLEX_DG_LIFT ? &t->lift : &t->differentiate;
  PlexDGCandidate   c    = {.part = (int)part, .microblock = (int)t->microblock, .align = (int)t->align};

  if (part == PLEX_DG_GATHER) {
    c.way = (int)t->gather;
    if (t->gather == PLEX_DG_GATHER_BLOCKS) {
      c.partition   = (int)t->partition;
      c.microblocks = (int)t->microblocks;
      c.parallel    = (int)t->pairs;
    }
  } else if (part == PLEX_DG_LIFT || part == PLEX_DG_DIFFERENTIATE) {
    c.way        = (int)work->shared;
    c.parallel   = (int)work->parallel;
    c.inlined    = (int)work->inlined;
    c.sequential = (int)work->sequential;
    c.rows       = (int)work->rows;
  }
  return c;
}

/* Measures a kernel with the present choices of the table, and adds a candidate. *late: there was no time for it.
   Collective */
static PetscErrorCode PlexDGSearchTry(PlexDGSearch *s, PlexDGPartKind part, PetscBool always, PetscBool *late)
{
  MPI_Comm         comm = PetscObjectComm((PetscObject)s->dg);
  PlexDGCandidate *c;
  PetscLogDouble   now;
  PetscBool        fits;
  double           most[3], cost[2];
  char             why[256];

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  most[0] = now - s->begin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 1, MPI_DOUBLE, MPI_MAX, comm));
  *late = (PetscBool)(!always && most[0] > s->deadline);
  if (*late) {
    ++s->r->skipped;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->r->n == s->allocated) {
    s->allocated = PetscMax(64, 2 * s->allocated);
    PetscCall(PetscRealloc(sizeof(PlexDGCandidate) * (size_t)s->allocated, &s->r->candidates));
  }
  c                       = &s->r->candidates[s->r->n++];
  *c                      = PlexDGCandidateGet(&s->way->table, part);
  s->way->kernel[part][0] = NULL; /* another one of the module, perhaps */
  PetscCall(PlexDGPartCompile_Private(s->dg, s->way, part, PETSC_FALSE));
  PetscCall(PlexDGPartFits_Private(s->dg, s->way, part, &fits, why, sizeof(why)));
  most[1] = fits ? 0. : 1.;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most[1], 1, MPI_DOUBLE, MPI_MAX, comm));
  if (most[1] > 0.) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSearchTime(s, part, &c->seconds));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &c->seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscCall(PlexDGPartCost_Private(s->dg, s->way, part, &cost[0], &cost[1]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, cost, 2, MPI_DOUBLE, MPI_SUM, comm));
  c->bytes = cost[0];
  c->flops = cost[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The best */

static const PlexDGCandidate *PlexDGTuneBestOf(const PlexDGTuneResult *r, PetscInt microblock, PetscInt align,
                                               PlexDGPartKind part)
{
  const PlexDGCandidate *best = NULL;

  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexDGCandidate *c = &r->candidates[k];

    if (c->part == (int)part && c->microblock == microblock && c->align == align && c->seconds > 0. &&
        (!best || c->seconds < best->seconds))
      best = c;
  }
  return best;
}

static void PlexDGTableApply(const PlexDGCandidate *c, PlexDGTable *t)
{
  t->microblock = c->microblock;
  t->align      = c->align;
  if (c->part == PLEX_DG_GATHER) {
    t->gather = (PlexDGGatherWay)c->way;
    if (t->gather == PLEX_DG_GATHER_FACES) return;
    t->partition   = (PlexDGPartition)c->partition;
    t->microblocks = c->microblocks;
    t->pairs       = c->parallel;
  } else if (c->part == PLEX_DG_LIFT || c->part == PLEX_DG_DIFFERENTIATE) {
    *(c->part == PLEX_DG_LIFT ? &t->lift : &t->differentiate) = (PlexDGWork){.shared     = (PlexDGShared)c->way,
                                                                             .parallel   = c->parallel,
                                                                             .inlined    = c->inlined,
                                                                             .sequential = c->sequential,
                                                                             .rows       = c->rows};
  }
}

PetscErrorCode PlexDGTuneBest_Private(PlexDG dg, const PlexDGTuneResult *r, PlexDGTable *t, double *seconds,
                                      PetscBool *found)
{
  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexDGCandidate *best[PLEX_DG_PARTS];
    double                 sum = 0.;

    if (r->candidates[k].part != PLEX_DG_UPDATE) continue; /* one for each size of microblocks */
    for (PetscInt part = 0; part < PLEX_DG_PARTS && sum >= 0.; ++part) {
      if (!PlexDGPartExists_Private(dg, (PlexDGPartKind)part)) continue;
      best[part] = PlexDGTuneBestOf(r, r->candidates[k].microblock, r->candidates[k].align, (PlexDGPartKind)part);
      sum        = best[part] ? sum + best[part]->seconds : -1.;
    }
    if (sum < 0. || (*found && sum >= *seconds)) continue;
    *found   = PETSC_TRUE;
    *seconds = sum;
    for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
      if (PlexDGPartExists_Private(dg, (PlexDGPartKind)part)) PlexDGTableApply(best[part], t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is varied */

/* Numbers of groups of `size` threads that make blocks of about 64 to 512: list[6] */
static PetscInt PlexDGSearchParallel(PetscInt size, PetscInt list[])
{
  const PetscInt threads[] = {64, 128, 192, 256, 384, 512};
  PetscInt       n         = 0;

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(threads); ++k) {
    const PetscInt p = PetscMax(1, (threads[k] + size / 2) / size);

    if (!n || p != list[n - 1]) list[n++] = p;
  }
  return n;
}

/* Takes the fastest of a kernel so far into the table */
static void PlexDGSearchTake(PlexDGSearch *s, PlexDGPartKind part)
{
  PlexDGTable           *t    = &s->way->table;
  const PlexDGCandidate *best = PlexDGTuneBestOf(s->r, t->microblock, t->align, part);

  if (best) PlexDGTableApply(best, t);
}

static PetscErrorCode PlexDGSearchGatherBlocks(PlexDGSearch *s)
{
  PlexDGTable   *t = &s->way->table;
  PetscInt       pairs[6];
  const PetscInt n = s->fixed->pairs ? 1 : PlexDGSearchParallel(s->dg->reference->Nfp, pairs), own = t->pairs;
  PetscBool      late = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexDGLayoutSetUp_Private(s->dg, s->way));
  for (PetscInt k = 0; k < n && !late; ++k) {
    t->pairs = s->fixed->pairs ? own : pairs[k];
    PetscCall(PlexDGSearchTry(s, PLEX_DG_GATHER, PETSC_FALSE, &late));
  }
  t->pairs = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSearchGather(PlexDGSearch *s)
{
  PlexDGTable          *t            = &s->way->table;
  const PlexDGTable     own          = *t;
  const PlexDGPartition partitions[] = {PLEX_DG_PARTITION_GREEDY, PLEX_DG_PARTITION_CURVE, PLEX_DG_PARTITION_METIS};
  PetscBool             late;

  PetscFunctionBegin;
  if (!s->fixed->gather || own.gather == PLEX_DG_GATHER_FACES) {
    t->gather = PLEX_DG_GATHER_FACES;
    PetscCall(PlexDGLayoutSetUp_Private(s->dg, s->way));
    PetscCall(PlexDGSearchTry(s, PLEX_DG_GATHER, PETSC_FALSE, &late));
  }
  t->gather = PLEX_DG_GATHER_BLOCKS;
  for (PetscInt m = 1; m <= 32 && (!s->fixed->gather || own.gather == PLEX_DG_GATHER_BLOCKS); m *= 2) {
    if (s->fixed->microblocks ? m > 1 : m * t->microblock > 64) break;
    t->microblocks = s->fixed->microblocks ? own.microblocks : m;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(partitions); ++k) {
      if (s->fixed->partition
            ? partitions[k] != own.partition
            : partitions[k] == PLEX_DG_PARTITION_METIS &&
                (!PlexHasMetis() || t->microblock * t->microblocks < 10 || s->r->elements > PLEX_DG_TUNE_METIS))
        continue;
      t->partition = partitions[k];
      PetscCall(PlexDGSearchGatherBlocks(s));
    }
  }
  *t = own;
  PlexDGSearchTake(s, PLEX_DG_GATHER);
  PetscCall(PlexDGLayoutSetUp_Private(s->dg, s->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w_p and w_s of a product whose w_i and shared memory are chosen */
static PetscErrorCode PlexDGSearchWorkers(PlexDGSearch *s, PlexDGPartKind part, PlexDGWork *work, PetscBool fixed)
{
  PetscInt parallel[6], n = 1;
  /* without preparation there is nothing to share in a sequence */
  const PetscInt last = work->shared == PLEX_DG_SHARED_MATRIX && !fixed ? 8 : 1;
  PetscBool      late = PETSC_FALSE;

  PetscFunctionBegin;
  if (!fixed) n = PlexDGSearchParallel(s->way->NPM, parallel);
  for (PetscInt k = 0; k < n && !late; ++k) {
    for (PetscInt q = 1; q <= last && !late; q *= 2) {
      if (!fixed) {
        work->parallel   = parallel[k];
        work->sequential = q;
      }
      PetscCall(PlexDGSearchTry(s, part, PETSC_FALSE, &late));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSearchProduct(PlexDGSearch *s, PlexDGPartKind part)
{
  PlexDGTable     *t         = &s->way->table;
  PlexDGWork      *work      = part == PLEX_DG_LIFT ? &t->lift : &t->differentiate;
  const PlexDGWork own       = *work;
  const PetscInt   inlined[] = {2, 4, 1, 3, 6}, which = part == PLEX_DG_LIFT;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(inlined); ++k) {
    if (s->fixed->workers[which] && k) break;
    for (PetscInt shared = 0; shared < 2; ++shared) {
      if (s->fixed->shared[which] && shared != (PetscInt)own.shared) continue;
      *work        = own;
      work->shared = (PlexDGShared)shared;
      if (!s->fixed->workers[which]) work->inlined = inlined[k];
      PetscCall(PlexDGSearchWorkers(s, part, work, s->fixed->workers[which]));
    }
    PetscCall(PlexDGPartReset_Private(s->way, part));
  }
  *work = own;
  PlexDGSearchTake(s, part);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Measures one size of microblocks, between the times `from` and `to`: first every kernel as it is, so that the table
   has a line for this size */
static PetscErrorCode PlexDGSearchMicroblock(PlexDGSearch *s, double from, double to)
{
  PetscBool late;

  PetscFunctionBegin;
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
    PetscCall(PlexDGPartReset_Private(s->way, (PlexDGPartKind)part));
  PetscCall(PlexDGLayoutSetUp_Private(s->dg, s->way));
  s->deadline = to;
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
    if (PlexDGPartExists_Private(s->dg, (PlexDGPartKind)part))
      PetscCall(PlexDGSearchTry(s, (PlexDGPartKind)part, (PetscBool)(from == 0.), &late));
  s->deadline = from + (to - from) / 3.;
  PetscCall(PlexDGSearchGather(s));
  s->deadline = from + 2. * (to - from) / 3.;
  PetscCall(PlexDGPartReset_Private(s->way, PLEX_DG_LIFT));
  PetscCall(PlexDGSearchProduct(s, PLEX_DG_LIFT));
  s->deadline = to;
  PetscCall(PlexDGPartReset_Private(s->way, PLEX_DG_DIFFERENTIATE));
  PetscCall(PlexDGSearchProduct(s, PLEX_DG_DIFFERENTIATE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state of numbers that look random: copies of a short one */
static PetscErrorCode PlexDGSearchGetState(PlexDGSearch *s)
{
  PlexBackend  backend = s->dg->backend;
  const size_t n = (size_t)(s->dg->mesh->Ne * s->dg->system->Nf * s->dg->reference->Np), first = PetscMin(n, 65536);
  double      *values;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(PlexBackendMalloc(backend, n * sizeof(double), &s->state[k]));
  PetscCall(PetscMalloc1(first, &values));
  for (size_t k = 0; k < first; ++k) values[k] = 1. + (double)(k * 2654435761u % 1024) / 1024.;
  PetscCall(PlexBackendCopyIn(backend, s->state[0], values, first * sizeof(double)));
  for (size_t done = first; done < n; done = PetscMin(n, 2 * done))
    PetscCall(PlexBackendCopy(backend, (double *)s->state[0] + done, s->state[0],
                              PetscMin(done, n - done) * sizeof(double)));
  PetscCall(PetscFree(values));
  s->args   = s->dg->args;
  s->args.u = (const double *)s->state[0];
  s->args.r = (double *)s->state[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSearch_Private(PlexDG dg, PlexDGSeparate *way, const PlexDGFixed *fixed, PlexDGTuneResult *r)
{
  PlexDGSearch      s           = {.dg = dg, .way = way, .fixed = fixed, .r = r};
  const PlexDGTable own         = way->table;
  const PetscInt    Np          = dg->reference->Np;
  PetscInt          sizes[4][2] = {
    {own.microblock, own.align},
    {1, 16},
    {PlexDGMicroblockSize_Private(Np, 32), 32},
    {2 * own.microblock, own.align}
  };
  const PetscInt n = fixed->microblock ? 1 : own.microblock > 4 ? 3 : 4;
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&s.begin));
  PetscCall(PlexDGSearchGetState(&s));
  for (PetscInt k = 0; k < n; ++k) {
    /* half of the time for the first one */
    const double share[2] = {k ? 0.5 + 0.5 * (double)(k - 1) / (double)(n - 1) : 0.,
                             n == 1 ? 1. : 0.5 + 0.5 * (double)k / (double)(n - 1)};
    PetscBool    again    = PETSC_FALSE;

    for (PetscInt l = 0; l < k; ++l)
      again = (PetscBool)(again || (sizes[l][0] == sizes[k][0] && sizes[l][1] == sizes[k][1]));
    if (again) continue;
    way->table            = own;
    way->table.microblock = sizes[k][0];
    way->table.align      = sizes[k][1];
    if (!fixed->microblocks) way->table.microblocks = PetscMax(1, 16 / sizes[k][0]);
    PetscCall(PlexDGSearchMicroblock(&s, r->budget * share[0], r->budget * share[1]));
  }
  for (int k = 0; k < 2; ++k) PetscCall(PlexBackendFree(dg->backend, &s.state[k]));
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part) PetscCall(PlexDGPartReset_Private(way, (PlexDGPartKind)part));
  PetscCall(PetscTime(&now));
  r->spent   = now - s.begin;
  way->table = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}
