/* What one way to assemble takes: plans, kernels, and the median of some launches. */
#include "tuneimpl.h"

#define PLEX_TUNE_LAUNCHES 11  /* that are timed, after one that is not */
#define PLEX_TUNE_SAMPLE   0.5 /* seconds after which fewer do, but for three */

/* Keeps the text of the first error, which is no error of the program's: the candidate does not work here */
static PetscErrorCode PlexKeepError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                    PetscErrorType p, const char *text, void *ctx)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  if (p == PETSC_ERROR_INITIAL && text) (void)PetscStrncpy((char *)ctx, text, 512);
  return n;
}

/* What a measurement of a product found on this process */
typedef struct {
  double plan, compile, seconds, bytes, flops;
} PlexMeasured;

/* Plan and kernel of a product */
static PetscErrorCode PlexTuneSetUpProduct(PlexTuneSearch *s, PlexProductKind kind, PlexMeasured *m)
{
  PlexProduct *product = &s->asm_->product[kind];

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUpProduct_Private(s->asm_, product, kind == PLEX_JACOBIAN ? s->P : NULL));
  m->plan    = product->planTime;
  m->compile = product->compileTime;
  m->bytes   = product->bytes;
  m->flops   = product->flops;
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
static PetscErrorCode PlexTuneMeasureHere(PlexTuneSearch *s, PlexProductKind kind, const PlexCandidate *c,
                                          PlexMeasured *m)
{
  PetscFunctionBegin;
  PetscCall(PlexCandidateApply_Private(s->asm_, kind, c));
  PetscCall(PlexTuneSetUpProduct(s, kind, m));
  PetscCall(PlexTuneSpoilValues_Private(s, kind));
  PetscCall(PlexTuneLaunchProduct(s, kind, &m->seconds));
  PetscCall(PlexTuneCheckValues_Private(s, kind, c->type));
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

/* *failed on this process */
static PetscErrorCode PlexTuneTryHere(PlexTuneSearch *s, PlexProductKind kind, const PlexCandidate *c, PlexMeasured *m,
                                      double *failed)
{
  char           text[512] = "";
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PlexKeepError, text));
  ierr = PlexTuneMeasureHere(s, kind, c, m);
  PetscCall(PetscPopErrorHandler());
  *failed = ierr ? 1.0 : 0.0;
  if (!ierr) PetscFunctionReturn(PETSC_SUCCESS);
  /* where an error came between two queues */
  PetscCall(PlexBackendSetQueue(s->asm_->backend, PLEX_QUEUE_MAIN, PETSC_FALSE));
  PetscCall(PetscInfo(s->asm_, "Tuning: type %s, block %d, team %d, partition %d does not work here for the %s: %s\n",
                      c->type, c->block, c->team, c->partition, kind == PLEX_JACOBIAN ? "Jacobian" : "residual", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneMeasure_Private(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind)
{
  MPI_Comm         comm    = PetscObjectComm((PetscObject)s->asm_);
  PlexCandidate   *c       = &s->result.candidates[candidate];
  PlexTuneOutcome *outcome = &s->outcome[candidate];
  PlexMeasured     m       = {0, 0, 0, 0, 0};
  double           most[3], sum[3]; /* plan, compile, seconds; bytes, flops, failures */

  PetscFunctionBegin;
  PetscCall(PlexTuneClear(s, kind));
  PetscCall(PlexTuneTryHere(s, kind, c, &m, &sum[2]));
  most[0] = m.plan;
  most[1] = m.compile;
  most[2] = m.seconds;
  sum[0]  = m.bytes;
  sum[1]  = m.flops;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, comm));
  if (sum[2] > 0) PetscCall(PlexTuneClear(s, kind));
  outcome->tried[kind] = PETSC_TRUE;
  outcome->state[kind] = sum[2] > 0 ? PLEX_CANDIDATE_FAILED : PLEX_CANDIDATE_MEASURED;
  outcome->plan[kind]  = most[0];
  c->plan += most[0];
  c->compile += most[1];
  c->seconds[kind] = sum[2] > 0 ? 0.0 : PetscMax(most[2], 1e-9); /* a clock may not tell the least times from none */
  c->bytes[kind]   = sum[0];
  c->flops[kind]   = sum[1];
  s->compile       = PetscMax(s->compile, most[1]);
  s->current[kind] = sum[2] > 0 ? -1 : candidate;
  PetscFunctionReturn(PETSC_SUCCESS);
}
