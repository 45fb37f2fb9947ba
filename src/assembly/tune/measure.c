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

/* Plans and kernels of the products; seconds on this process */
static PetscErrorCode PlexTuneSetUpProducts(PlexTuneSearch *s, PlexCandidate *c)
{
  PlexAssembly asm_ = s->asm_;

  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    PlexProduct *product = &asm_->product[kind];

    if (!s->has[kind]) continue;
    PetscCall(PlexAssemblySetUpProduct_Private(asm_, product, kind == PLEX_JACOBIAN ? s->P : NULL));
    c->plan += product->planTime;
    c->compile += product->compileTime;
    c->bytes[kind] = product->bytes;
    c->flops[kind] = product->flops;
  }
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
static PetscErrorCode PlexTuneMeasureHere(PlexTuneSearch *s, PlexCandidate *c)
{
  PetscFunctionBegin;
  PetscCall(PlexCandidateApply_Private(s->asm_, c));
  PetscCall(PlexTuneSetUpProducts(s, c));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    if (s->has[kind]) PetscCall(PlexTuneLaunchProduct(s, (PlexProductKind)kind, &c->seconds[kind]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whatever is there of the products goes; a plan that was begun too */
static PetscErrorCode PlexTuneClear(PlexTuneSearch *s)
{
  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    PlexProduct *product = &s->asm_->product[kind];

    if (product->plan) product->setUp = PETSC_TRUE;
    PetscCall(PlexAssemblyResetProduct_Private(s->asm_, product));
  }
  s->current = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneMeasure_Private(PlexTuneSearch *s, PetscInt candidate)
{
  PlexCandidate *c         = &s->result.candidates[candidate];
  char           text[512] = "";
  double         most[4], sum[2 * PLEX_PRODUCTS + 1];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexTuneClear(s));
  c->plan = c->compile = 0;
  PetscCall(PetscPushErrorHandler(PlexKeepError, text));
  ierr = PlexTuneMeasureHere(s, c);
  PetscCall(PetscPopErrorHandler());
  if (ierr) PetscCall(PlexBackendSetQueue(s->asm_->backend, PLEX_QUEUE_MAIN, PETSC_FALSE)); /* where an error came between two queues */
  if (ierr) PetscCall(PetscInfo(s->asm_, "Tuning: type %s, block %d, team %d, partition %d does not work here: %s\n", c->type, c->block, c->team, c->partition, text));
  most[0] = c->seconds[0];
  most[1] = c->seconds[1];
  most[2] = c->plan;
  most[3] = c->compile;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    sum[kind]                 = c->bytes[kind];
    sum[PLEX_PRODUCTS + kind] = c->flops[kind];
  }
  sum[2 * PLEX_PRODUCTS] = ierr ? 1.0 : 0.0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 4, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2 * PLEX_PRODUCTS + 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)s->asm_)));
  c->state = sum[2 * PLEX_PRODUCTS] > 0 ? PLEX_CANDIDATE_FAILED : PLEX_CANDIDATE_MEASURED;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    c->seconds[kind] = c->state == PLEX_CANDIDATE_MEASURED ? most[kind] : 0.0;
    c->bytes[kind]   = sum[kind];
    c->flops[kind]   = sum[PLEX_PRODUCTS + kind];
  }
  c->plan    = most[2];
  c->compile = most[3];
  if (c->state == PLEX_CANDIDATE_FAILED) PetscCall(PlexTuneClear(s));
  else s->current = candidate;
  PetscFunctionReturn(PETSC_SUCCESS);
}
