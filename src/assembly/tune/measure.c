/* What one way to assemble takes: plans, kernels, and the median of some launches. */
#include "tuneimpl.h"

#define PLEX_TUNE_LAUNCHES 11  /* that are timed, after one that is not */
#define PLEX_TUNE_SAMPLE   0.5 /* seconds after which fewer do, but for three */

/* Keeps the text of the first error, which is no error of the program's: the candidate does not work here */
static PetscErrorCode PlexKeepError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType p, const char *text, void *ctx)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  if (p == PETSC_ERROR_INITIAL && text) (void)PetscStrncpy((char *)ctx, text, 512);
  return n;
}

/* Plan and kernel of a product; seconds on this process */
static PetscErrorCode PlexTuneSetUpProduct(PlexTuneSearch *s, PlexProductKind kind, PlexCandidate *c)
{
  PlexProduct *product = &s->asm_->product[kind];

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUpProduct_Private(s->asm_, product, kind == PLEX_JACOBIAN ? s->P : NULL));
  c->plan += product->planTime;
  c->compile += product->compileTime;
  c->bytes[kind] = product->bytes;
  c->flops[kind] = product->flops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneLaunchProduct(PlexTuneSearch *s, PlexProductKind kind, double *median)
{
  PlexProduct   *product = &s->asm_->product[kind];
  PetscReal      samples[PLEX_TUNE_LAUNCHES];
  PetscInt       n = 0;
  PetscLogDouble t0, t1;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyLaunch_Private(s->asm_, kind, &s->args)); /* the first one loads the kernel, and fills caches */
  PetscCall(PetscTime(&t0));
  do {
    const double before = product->time;

    PetscCall(PlexAssemblyLaunch_Private(s->asm_, kind, &s->args));
    samples[n++] = (PetscReal)(product->time - before);
    PetscCall(PetscTime(&t1));
  } while (n < PLEX_TUNE_LAUNCHES && (n < 3 || t1 - t0 < PLEX_TUNE_SAMPLE));
  PetscCall(PetscSortReal(n, samples));
  *median           = (double)samples[n / 2];
  product->time     = 0;
  product->launches = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not collective, so that a failure on one process is no trap for the others */
static PetscErrorCode PlexTuneMeasureHere(PlexTuneSearch *s, PlexProductKind kind, PlexCandidate *c)
{
  PetscFunctionBegin;
  PetscCall(PlexCandidateApply_Private(s->asm_, kind, c));
  PetscCall(PlexTuneSetUpProduct(s, kind, c));
  PetscCall(PlexTuneLaunchProduct(s, kind, &c->seconds[kind]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whatever is there of a product goes; a plan that was begun too */
static PetscErrorCode PlexTuneClear(PlexTuneSearch *s, PetscInt kind)
{
  PlexProduct *product = &s->asm_->product[kind];

  PetscFunctionBegin;
  if (product->plan) product->setUp = PETSC_TRUE;
  PetscCall(PlexAssemblyResetProduct_Private(s->asm_, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of the products; *failed on this process */
static PetscErrorCode PlexTuneMeasureProduct(PlexTuneSearch *s, PlexProductKind kind, PlexCandidate *c, double *failed)
{
  char           text[512] = "";
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PlexKeepError, text));
  ierr = PlexTuneMeasureHere(s, kind, c);
  PetscCall(PetscPopErrorHandler());
  *failed = ierr ? 1.0 : 0.0;
  if (!ierr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendSetQueue(s->asm_->backend, PLEX_QUEUE_MAIN, PETSC_FALSE)); /* where an error came between two queues */
  PetscCall(PetscInfo(s->asm_, "Tuning: type %s, block %d, team %d, partition %d does not work here for the %s: %s\n", c->type, c->block, c->team, c->partition, kind == PLEX_JACOBIAN ? "Jacobian" : "residual", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneMeasure_Private(PlexTuneSearch *s, PetscInt candidate)
{
  PlexCandidate *c = &s->result.candidates[candidate];
  double         most[4], sum[3 * PLEX_PRODUCTS]; /* bytes, flops, failures */

  PetscFunctionBegin;
  c->plan = c->compile = 0;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    sum[2 * PLEX_PRODUCTS + kind] = 0.0;
    PetscCall(PlexTuneClear(s, kind));
    if (PlexCandidateServes_Private(s, (PlexProductKind)kind, c)) PetscCall(PlexTuneMeasureProduct(s, (PlexProductKind)kind, c, &sum[2 * PLEX_PRODUCTS + kind]));
    most[kind]                = c->seconds[kind];
    sum[kind]                 = c->bytes[kind];
    sum[PLEX_PRODUCTS + kind] = c->flops[kind];
  }
  most[2] = c->plan;
  most[3] = c->compile;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 4, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 3 * PLEX_PRODUCTS, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)s->asm_)));
  c->state = PLEX_CANDIDATE_FAILED;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    const PetscBool failed = (PetscBool)(sum[2 * PLEX_PRODUCTS + kind] > 0), good = (PetscBool)(!failed && PlexCandidateServes_Private(s, (PlexProductKind)kind, c));

    if (failed) PetscCall(PlexTuneClear(s, kind));
    c->seconds[kind] = good ? PetscMax(most[kind], 1e-9) : 0.0; /* a clock may not tell the least times from none */
    c->bytes[kind]   = sum[kind];
    c->flops[kind]   = sum[PLEX_PRODUCTS + kind];
    if (good) c->state = PLEX_CANDIDATE_MEASURED;
  }
  c->plan    = most[2];
  c->compile = most[3];
  s->current = candidate;
  PetscFunctionReturn(PETSC_SUCCESS);
}
