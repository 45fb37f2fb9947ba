/*
  The search: types first, residuals and Jacobians each by itself, in the order of how far they are expected to be
  behind the best, then sizes of the best ones, one kind of size after the other. All processes take the same steps;
  what decides are the times of the slowest.

  What the model expects to take many times what the best one does so far is not tried.

  The clock is read before each candidate, and one that can be expected to end after the time is up is left out; a plan
  that has begun is not broken off.
*/
#include "tuneimpl.h"
#include "../../util/progress.h"

#define PLEX_TUNE_BEHIND  1.5 /* full: sizes of types that take at most so many times what the best one does */
#define PLEX_TUNE_UNKNOWN 2.0 /* times behind the best that a way is taken to be which the model does not know */

/* A way to compute a product that is to be measured */
typedef struct {
  PetscInt        candidate;
  PlexProductKind kind;
  /* times that it is expected to be behind the best; less than zero: what there would be without tuning */
  double rank;
} PlexTuneTask;

PetscErrorCode PlexTuneElapsed_Private(PlexTuneSearch *s, double *seconds)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  *seconds = now - s->begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a candidate can be expected to be done in time, on all processes. The best plan for the future is the past:
   of the same type's, else of all, corrected by what plans took here so far */
static PetscErrorCode PlexTuneFits(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind, PetscBool *fits)
{
  const PlexTuneResult *r = &s->result;
  const PlexCandidate  *c = &r->candidates[candidate];
  /* that has gone, that it takes */
  double    plan = s->slowness * PlexTuneExpectPlan_Private(s, kind, c), time[2] = {0.0, 0.0};
  PetscBool same;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->n; ++k) {
    PetscCall(PetscStrcmp(r->candidates[k].type, c->type, &same));
    if (same && s->outcome[k].tried[kind] && s->outcome[k].state[kind] == PLEX_CANDIDATE_MEASURED)
      plan = s->outcome[k].plan[kind];
  }
  PetscCall(PlexTuneElapsed_Private(s, &time[0]));
  time[1] = plan + s->compile + 12.0 * c->predicted[kind];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, time, 2, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  *fits = (PetscBool)(!s->tried || time[0] + time[1] <= r->budget);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The model expects a candidate to take many times what the best one did */
static PetscErrorCode PlexTuneIsHopeless(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind,
                                         PetscBool *hopeless)
{
  PetscInt best;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->result.n; ++k)
    s->result.candidates[k].state = s->result.candidates[k].seconds[kind] > 0 ? PLEX_CANDIDATE_MEASURED
                                                                              : PLEX_CANDIDATE_SKIPPED;
  PetscCall(PlexTuneResultGetBest(&s->result, 1 << kind, &best));
  *hopeless = (PetscBool)(best >= 0 && s->result.candidates[candidate].predicted[kind] >
                                         PLEX_TUNE_HOPELESS * s->result.candidates[best].seconds[kind]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says why a candidate is not measured */
static PetscErrorCode PlexTuneLeave(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind,
                                    PlexCandidateState state)
{
  const PlexCandidate *c       = &s->result.candidates[candidate];
  PlexTuneOutcome     *outcome = &s->outcome[candidate];

  PetscFunctionBegin;
  outcome->tried[kind] = PETSC_TRUE;
  outcome->state[kind] = (int)state;
  PetscCall(PetscInfo(
    s->asm_, "Tuning: %s type %s, integration %s, block %d, team %d, partition %d for the %s, expected to take %g ms\n",
    state == PLEX_CANDIDATE_SKIPPED ? "no time left for" : "far behind is", c->type, c->integration, c->block, c->team,
    c->partition, kind == PLEX_JACOBIAN ? "Jacobian" : "residual", 1e3 * c->predicted[kind]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneTry(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind)
{
  PlexCandidate *c = &s->result.candidates[candidate];
  /* what there would be without tuning is measured in any case */
  const PetscBool present = PlexCandidateIsPresent_Private(s, kind, c);
  PetscBool       good    = PETSC_FALSE;

  PetscFunctionBegin;
  if (s->outcome[candidate].tried[kind]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!present) {
    PetscCall(PlexTuneIsHopeless(s, candidate, kind, &good));
    if (good) {
      PetscCall(PlexTuneLeave(s, candidate, kind, PLEX_CANDIDATE_BEHIND));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PlexTuneFits(s, candidate, kind, &good));
    if (!good) {
      PetscCall(PlexTuneLeave(s, candidate, kind, PLEX_CANDIDATE_SKIPPED));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PlexProgressAt_Private("candidate %d", (int)s->tried + 1);
  PetscCall(PlexTuneMeasure_Private(s, candidate, kind));
  s->tried++;
  if (s->outcome[candidate].state[kind] == PLEX_CANDIDATE_FAILED) PetscFunctionReturn(PETSC_SUCCESS);
  s->slowness = PetscMax(s->slowness,
                         s->outcome[candidate].plan[kind] / PetscMax(PlexTuneExpectPlan_Private(s, kind, c), 1e-9));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &s->slowness, 1, MPI_DOUBLE, MPI_MAX,
                              PetscObjectComm((PetscObject)s->asm_)));
  PetscCall(PetscInfo(
    s->asm_, "Tuning: type %s, integration %s, block %d, team %d, partition %d: %s %g ms, expected %g ms; plan %g s\n",
    c->type, c->integration, c->block, c->team, c->partition, kind == PLEX_JACOBIAN ? "Jacobian" : "residual",
    1e3 * c->seconds[kind], 1e3 * c->predicted[kind], s->outcome[candidate].plan[kind]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first candidate that computes a product as candidate does */
static PetscInt PlexTuneFirst(PlexTuneSearch *s, PetscInt candidate, PlexProductKind kind)
{
  PetscInt k = 0;

  while (!PlexCandidateIsSame_Private(kind, &s->result.candidates[k], &s->result.candidates[candidate])) ++k;
  return k;
}

/* Tries further sizes of *base, which becomes the best of them for a product */
static PetscErrorCode PlexTuneSizes(PlexTuneSearch *s, PlexProductKind kind, PetscInt what, PetscInt *base)
{
  PetscInt n, list[PLEX_TUNE_SIZES];

  PetscFunctionBegin;
  PetscCall(PlexTuneListSizes_Private(s, *base, what, &n, list));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt       first = PlexTuneFirst(s, list[k], kind);
    const PlexCandidate *c     = s->result.candidates;

    PetscCall(PlexTuneTry(s, first, kind));
    if (c[first].seconds[kind] > 0 && c[first].seconds[kind] < c[*base].seconds[kind]) *base = first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types in the order of their times for a product, those that are not far behind: blocks, teams, partitions */
static PetscErrorCode PlexTuneAllSizes(PlexTuneSearch *s, PlexProductKind kind, PetscInt types, PetscInt best)
{
  const double limit = PLEX_TUNE_BEHIND * s->result.candidates[best].seconds[kind];
  PetscBool   *done;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(types, &done));
  for (PetscInt round = 0; round < types; ++round) {
    const PlexCandidate *c    = s->result.candidates;
    PetscInt             next = -1;

    for (PetscInt k = 0; k < types; ++k) {
      if (!done[k] && c[k].seconds[kind] > 0 && (next < 0 || c[k].seconds[kind] < c[next].seconds[kind])) next = k;
    }
    if (next < 0 || c[next].seconds[kind] > limit) break;
    done[next] = PETSC_TRUE;
    for (PetscInt what = 0; what < 3; ++what) PetscCall(PlexTuneSizes(s, kind, what, &next));
  }
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexTuneCompare(const void *a, const void *b)
{
  const PlexTuneTask *p = (const PlexTuneTask *)a, *q = (const PlexTuneTask *)b;

  if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
  return p->candidate != q->candidate ? (p->candidate < q->candidate ? -1 : 1) : (int)q->kind - (int)p->kind;
}

/* tasks[*n] of the types: what there would be without tuning, then those that are nearest to the best of their product
   by the model */
static void PlexTuneListTasks(PlexTuneSearch *s, PetscInt types, PetscInt *n, PlexTuneTask tasks[])
{
  const PlexCandidate *c                    = s->result.candidates;
  double               least[PLEX_PRODUCTS] = {0, 0};

  *n = 0;
  for (PetscInt k = 0; k < types; ++k)
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
      if (c[k].predicted[kind] > 0 && (least[kind] <= 0 || c[k].predicted[kind] < least[kind]))
        least[kind] = c[k].predicted[kind];
  for (PetscInt k = 0; k < types; ++k) {
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      PlexTuneTask task = {.candidate = k, .kind = (PlexProductKind)kind, .rank = PLEX_TUNE_UNKNOWN};

      if (!PlexCandidateServes_Private(s, task.kind, &c[k]) || PlexTuneFirst(s, k, task.kind) != k) continue;
      if (c[k].predicted[kind] > 0) task.rank = c[k].predicted[kind] / least[kind];
      if (PlexCandidateIsPresent_Private(s, task.kind, &c[k])) task.rank = -1.0;
      tasks[(*n)++] = task;
    }
  }
  qsort(tasks, (size_t)*n, sizeof(*tasks), PlexTuneCompare);
}

/* Those that are the same way have the same times; then what became of each in all */
static void PlexTuneFinish(PlexTuneSearch *s)
{
  PlexTuneResult *r = &s->result;

  r->measured = r->skipped = r->failed = r->behind = 0;
  for (PetscInt k = 0; k < r->n; ++k) {
    PetscInt count[4] = {0, 0, 0, 0}; /* products, by PlexCandidateState */

    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      const PetscInt first = PlexTuneFirst(s, k, (PlexProductKind)kind);

      r->candidates[k].seconds[kind] = r->candidates[first].seconds[kind];
      r->candidates[k].bytes[kind]   = r->candidates[first].bytes[kind];
      r->candidates[k].flops[kind]   = r->candidates[first].flops[kind];
      if (s->outcome[first].tried[kind]) count[s->outcome[first].state[kind]]++;
    }
    r->candidates[k].state = count[PLEX_CANDIDATE_MEASURED] ? PLEX_CANDIDATE_MEASURED
                           : count[PLEX_CANDIDATE_SKIPPED]  ? PLEX_CANDIDATE_SKIPPED
                           : count[PLEX_CANDIDATE_FAILED]   ? PLEX_CANDIDATE_FAILED
                                                            : PLEX_CANDIDATE_BEHIND;
    r->measured += r->candidates[k].state == PLEX_CANDIDATE_MEASURED;
    r->skipped += count[PLEX_CANDIDATE_SKIPPED] > 0;
    r->failed += r->candidates[k].state == PLEX_CANDIDATE_FAILED;
    r->behind += r->candidates[k].state == PLEX_CANDIDATE_BEHIND;
  }
}

/* Sizes of the Jacobian first, which takes longer */
PetscErrorCode PlexTuneSearch_Private(PlexTuneSearch *s)
{
  PetscInt      types, base, n;
  PlexTuneTask *tasks;

  PetscFunctionBegin;
  PetscCall(PlexTuneListTypes_Private(s));
  types = s->result.n;
  PetscCall(PetscMalloc1(PLEX_PRODUCTS * types, &tasks));
  PlexTuneListTasks(s, types, &n, tasks);
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexTuneTry(s, tasks[k].candidate, tasks[k].kind));
  PetscCall(PetscFree(tasks));
  for (PetscInt kind = PLEX_PRODUCTS - 1; kind >= 0; --kind) {
    PlexTuneFinish(s);
    PetscCall(PlexTuneResultGetBest(&s->result, 1 << kind, &base));
    if (base < 0) continue;
    if (s->result.mode == PLEX_TUNE_FULL) PetscCall(PlexTuneAllSizes(s, (PlexProductKind)kind, types, base));
    else PetscCall(PlexTuneSizes(s, (PlexProductKind)kind, 0, &base));
  }
  PlexTuneFinish(s);
  for (PetscInt products = s->result.products; products > 0 && s->result.best < 0; --products)
    PetscCall(PlexTuneResultGetBest(&s->result, products, &s->result.best));
  PetscFunctionReturn(PETSC_SUCCESS);
}
