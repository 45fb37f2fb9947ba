/*
  The search: types first, in the order of their predicted times, then sizes of the best ones, one kind of size after the other. All
  processes take the same steps; what decides are the times of the slowest.

  The clock is read before each candidate, and one that can be expected to end after the time is up is left out; a plan that has
  begun is not broken off.
*/
#include "tuneimpl.h"

#define PLEX_TUNE_BEHIND 1.5 /* full: sizes of types that take at most so many times what the best one does */

PetscErrorCode PlexTuneElapsed_Private(PlexTuneSearch *s, double *seconds)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  *seconds = now - s->begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a candidate can be expected to be done in time, on all processes. The best plan for the future is the past: of the same type's, else
   of all, corrected by what plans took here so far */
static PetscErrorCode PlexTuneFits(PlexTuneSearch *s, PetscInt candidate, PetscBool *fits)
{
  const PlexTuneResult *r    = &s->result;
  const PlexCandidate  *c    = &r->candidates[candidate];
  double                plan = s->slowness * PlexTuneExpectPlan_Private(s, c), time[2] = {0.0, 0.0}; /* that has gone, that it takes */
  PetscBool             same;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->n; ++k) {
    PetscCall(PetscStrcmp(r->candidates[k].type, c->type, &same));
    if (same && r->candidates[k].state == PLEX_CANDIDATE_MEASURED) plan = r->candidates[k].plan;
  }
  *fits = PETSC_TRUE;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) /* what there would be without tuning is measured in any case */
    if (PlexCandidateIsPresent_Private(s, (PlexProductKind)kind, c)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneElapsed_Private(s, &time[0]));
  time[1] = plan + s->compile + 12.0 * (c->predicted[PLEX_RESIDUAL] + c->predicted[PLEX_JACOBIAN]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, time, 2, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  *fits = (PetscBool)(!r->measured || time[0] + time[1] <= r->budget);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneTry(PlexTuneSearch *s, PetscInt candidate)
{
  PlexTuneResult *r    = &s->result;
  PlexCandidate  *c    = &r->candidates[candidate];
  PetscBool       fits = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexTuneFits(s, candidate, &fits));
  if (!fits) {
    r->skipped++;
    PetscCall(PetscInfo(s->asm_, "Tuning: no time left for type %s, block %d, team %d, partition %d\n", c->type, c->block, c->team, c->partition));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTuneMeasure_Private(s, candidate));
  s->compile = PetscMax(s->compile, c->compile);
  if (c->state == PLEX_CANDIDATE_FAILED) {
    r->failed++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  r->measured++;
  s->slowness = PetscMax(s->slowness, c->plan / PetscMax(PlexTuneExpectPlan_Private(s, c), 1e-9));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &s->slowness, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  PetscCall(PetscInfo(s->asm_, "Tuning: type %s, integration %s, block %d, team %d, partition %d: residual %g ms, Jacobian %g ms\n", c->type, c->integration, c->block, c->team, c->partition, 1e3 * c->seconds[PLEX_RESIDUAL], 1e3 * c->seconds[PLEX_JACOBIAN]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries further sizes of *base, which becomes the best of them for a product */
static PetscErrorCode PlexTuneSizes(PlexTuneSearch *s, PlexProductKind kind, PetscInt what, PetscInt *base)
{
  const PetscInt first = s->result.n;

  PetscFunctionBegin;
  PetscCall(PlexTuneListSizes_Private(s, *base, what));
  for (PetscInt k = first; k < s->result.n; ++k) {
    const PlexCandidate *c = s->result.candidates;

    PetscCall(PlexTuneTry(s, k));
    if (c[k].seconds[kind] > 0 && c[k].seconds[kind] < c[*base].seconds[kind]) *base = k;
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

/* The Jacobian first, which takes longer. What the other product's sizes have measured already is not measured again */
PetscErrorCode PlexTuneSearch_Private(PlexTuneSearch *s)
{
  PetscInt types, base;

  PetscFunctionBegin;
  PetscCall(PlexTuneListTypes_Private(s));
  types = s->result.n;
  for (PetscInt k = 0; k < types; ++k) PetscCall(PlexTuneTry(s, k));
  for (PetscInt kind = PLEX_PRODUCTS - 1; kind >= 0; --kind) {
    PetscCall(PlexTuneResultGetBest(&s->result, 1 << kind, &base));
    if (base < 0) continue;
    if (s->result.mode == PLEX_TUNE_FULL) PetscCall(PlexTuneAllSizes(s, (PlexProductKind)kind, types, base));
    else PetscCall(PlexTuneSizes(s, (PlexProductKind)kind, 0, &base));
  }
  for (PetscInt products = s->result.products; products > 0 && s->result.best < 0; --products) PetscCall(PlexTuneResultGetBest(&s->result, products, &s->result.best));
  PetscFunctionReturn(PETSC_SUCCESS);
}
