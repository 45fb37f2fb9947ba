/*
  The search: types first, in the order of their predicted times, then sizes of the best ones, one kind of size after the other. All
  processes take the same steps; what decides are the times of the slowest.

  The clock is read before each candidate, and one that can be expected to end after the time is up is left out; a plan that has
  begun is not broken off.
*/
#include "tuneimpl.h"
#include <time.h>

#define PLEX_TUNE_BEHIND 1.5 /* full: sizes of types that take at most so many times what the best one does */

static PetscErrorCode PlexTuneElapsed(PlexTuneSearch *s, double *seconds)
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
  PetscCall(PlexTuneElapsed(s, &time[0]));
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
  if (r->best < 0 || PlexCandidateSeconds_Private(c) < PlexCandidateSeconds_Private(&r->candidates[r->best])) r->best = candidate;
  PetscCall(PetscInfo(s->asm_, "Tuning: type %s, integration %s, block %d, team %d, partition %d: residual %g ms, Jacobian %g ms\n", c->type, c->integration, c->block, c->team, c->partition, 1e3 * c->seconds[PLEX_RESIDUAL], 1e3 * c->seconds[PLEX_JACOBIAN]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries further sizes of *base, which becomes the best of them */
static PetscErrorCode PlexTuneSizes(PlexTuneSearch *s, PetscInt what, PetscInt *base)
{
  const PetscInt first = s->result.n;

  PetscFunctionBegin;
  PetscCall(PlexTuneListSizes_Private(s, *base, what));
  for (PetscInt k = first; k < s->result.n; ++k) {
    const PlexCandidate *c = s->result.candidates;

    PetscCall(PlexTuneTry(s, k));
    if (c[k].state == PLEX_CANDIDATE_MEASURED && PlexCandidateSeconds_Private(&c[k]) < PlexCandidateSeconds_Private(&c[*base])) *base = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types in the order of their times, those that are not far behind: blocks, teams, partitions */
static PetscErrorCode PlexTuneAllSizes(PlexTuneSearch *s, PetscInt types)
{
  const double limit = PLEX_TUNE_BEHIND * PlexCandidateSeconds_Private(&s->result.candidates[s->result.best]);
  PetscBool   *done;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(types, &done));
  for (PetscInt round = 0; round < types; ++round) {
    const PlexCandidate *c    = s->result.candidates;
    PetscInt             next = -1;

    for (PetscInt k = 0; k < types; ++k) {
      if (!done[k] && c[k].state == PLEX_CANDIDATE_MEASURED && (next < 0 || PlexCandidateSeconds_Private(&c[k]) < PlexCandidateSeconds_Private(&c[next]))) next = k;
    }
    if (next < 0 || PlexCandidateSeconds_Private(&c[next]) > limit) break;
    done[next] = PETSC_TRUE;
    for (PetscInt what = 0; what < 3; ++what) PetscCall(PlexTuneSizes(s, what, &next));
  }
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneSearchAll(PlexTuneSearch *s)
{
  PetscInt types, base;

  PetscFunctionBegin;
  PetscCall(PlexTuneListTypes_Private(s));
  types = s->result.n;
  for (PetscInt k = 0; k < types; ++k) PetscCall(PlexTuneTry(s, k));
  if (s->result.best < 0) PetscFunctionReturn(PETSC_SUCCESS);
  base = s->result.best;
  if (s->result.mode == PLEX_TUNE_FULL) PetscCall(PlexTuneAllSizes(s, types));
  else PetscCall(PlexTuneSizes(s, 0, &base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The user's vectors are read, all else is our own */

typedef struct {
  PlexArray X, X_t;
  void     *A, *F;
} PlexTuneArrays;

static PetscErrorCode PlexTuneGetArrays(PlexTuneSearch *s, Vec locX, Vec locX_t, PlexTuneArrays *arrays)
{
  PlexAssembly asm_    = s->asm_;
  PlexBackend  backend = asm_->backend;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(arrays, sizeof(*arrays)));
  PetscCall(PlexBackendVecGet(backend, locX, PLEX_READ, &arrays->X));
  s->args.u = arrays->X.array;
  if (locX_t) {
    PetscCall(PlexBackendVecGet(backend, locX_t, PLEX_READ, &arrays->X_t));
    s->args.u_t = arrays->X_t.array;
  }
  if (s->has[PLEX_RESIDUAL]) PetscCall(PlexBackendMalloc(backend, sizeof(PetscScalar) * asm_->elements->Nl, &arrays->F));
  if (s->has[PLEX_JACOBIAN]) PetscCall(PlexBackendMalloc(backend, sizeof(PetscScalar) * asm_->pattern->nA, &arrays->A));
  s->args.F  = (double *)arrays->F;
  s->args.A  = (double *)arrays->A;
  s->args.B  = PlexExchangeGetArray_Private(asm_->exchange); /* written anew at each assembly */
  s->args.nA = asm_->pattern ? (int)asm_->pattern->nA : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneRestoreArrays(PlexTuneSearch *s, PlexTuneArrays *arrays)
{
  PlexBackend backend = s->asm_->backend;

  PetscFunctionBegin;
  PetscCall(PlexBackendFree(backend, &arrays->A));
  PetscCall(PlexBackendFree(backend, &arrays->F));
  if (arrays->X_t.object) PetscCall(PlexBackendVecRestore(backend, &arrays->X_t));
  PetscCall(PlexBackendVecRestore(backend, &arrays->X));
  PetscCall(PlexArrayReset(backend, &arrays->X_t));
  PetscCall(PlexArrayReset(backend, &arrays->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Events of plans, kernels and their parts: those of tuning are not counted, and one may end in an error */
static PetscErrorCode PlexTuneQuiet(PetscBool quiet)
{
  const PetscLogEvent events[] = {PLEX_Plan, PLEX_Compile, PLEX_Integrate, PLEX_Reduce};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(events); ++k) {
    if (quiet) PetscCall(PetscLogEventDeactivatePush(events[k]));
    else PetscCall(PetscLogEventDeactivatePop(events[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What comes of it */

/* "local_row, block 128 (tuned 2026-11-21, 0.41 ms; 23 candidates in 3.1 s)" */
static PetscErrorCode PlexTuneSay(PlexAssembly asm_, const PlexTuneResult *r, const PlexCandidate *best, PetscBool found)
{
  const char *const products[] = {"", "a residual", "a Jacobian", "a Jacobian and a residual"};
  char              text[1024], sizes[128] = "", missed[128] = "", path[PETSC_MAX_PATH_LEN];
  size_t            length;

  PetscFunctionBegin;
  if (best->block) PetscCall(PetscSNPrintf(sizes, sizeof(sizes), ", block %d", best->block));
  PetscCall(PetscStrlen(sizes, &length));
  if (best->team) PetscCall(PetscSNPrintf(sizes + length, sizeof(sizes) - length, ", team %d", best->team));
  PetscCall(PetscStrlen(sizes, &length));
  if (best->partition) PetscCall(PetscSNPrintf(sizes + length, sizeof(sizes) - length, ", partition %d", best->partition));
  if (r->skipped) PetscCall(PetscSNPrintf(missed, sizeof(missed), ", %" PetscInt_FMT " more would take longer than %.4g s", r->skipped, r->budget));
  PetscCall(PetscStrlen(missed, &length));
  if (r->failed) PetscCall(PetscSNPrintf(missed + length, sizeof(missed) - length, ", %" PetscInt_FMT " cannot be used here", r->failed));
  PetscCall(PlexTunerGetArchive_Private(asm_->tuner, path));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s%s (tuned %.10s, %.4g ms %s; %" PetscInt_FMT " candidate%s in %.3g s%s; %s%s)", best->type, best->integration, sizes, r->date, 1e3 * PlexCandidateSeconds_Private(best), products[r->products], r->measured, r->measured == 1 ? "" : "s", r->spent, missed, found ? "found in " : "measured now", found ? path : ""));
  PetscCall(PetscFree(asm_->why));
  PetscCall(PetscStrallocpy(text, &asm_->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The settings found; what else there is of the sum is made again with them. Plans that are there may stay */
static PetscErrorCode PlexTuneAdopt(PlexAssembly asm_, const PlexCandidate *best, PetscBool planned)
{
  PetscFunctionBegin;
  if (!planned) PetscCall(PlexCandidateApply_Private(asm_, best));
  asm_->typeChosen     = (PetscBool)!asm_->tuner->typeFixed;
  asm_->tuner->applied = PETSC_TRUE;
  asm_->tuner->done    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says once that the archive is no good, and what becomes of it */
static PetscErrorCode PlexTuneWarn(PlexAssembly asm_, PlexArchiveState state, const char path[])
{
  PetscFunctionBegin;
  if (asm_->tuner->warned || (state != PLEX_ARCHIVE_DAMAGED && state != PLEX_ARCHIVE_UNREADABLE)) PetscFunctionReturn(PETSC_SUCCESS);
  asm_->tuner->warned = PETSC_TRUE;
  if (state == PLEX_ARCHIVE_DAMAGED) PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_), "PlexGPU: the archive of tuning results %s is damaged or no such archive: tuning starts anew, and the file is kept under another name\n", path));
  else PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_), "PlexGPU: the archive of tuning results %s cannot be read: tuning starts anew, and its result is not kept; name another file with -plex_assembly_tune_archive\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result of the archive, read by the first process for all; r->n is 0 where there is none that does. Of candidates only the best one is
   kept: r->candidates is NULL */
static PetscErrorCode PlexTuneFind(PlexAssembly asm_, PetscInt products, PlexTuneResult *r, PlexCandidate *best)
{
  MPI_Comm         comm  = PetscObjectComm((PetscObject)asm_);
  PlexTuner        tuner = asm_->tuner;
  PlexArchiveState state = PLEX_ARCHIVE_ABSENT;
  PlexTuneProblem  problem;
  PlexTuneMesh     mesh;
  PetscMPIInt      rank, kind;
  char             path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  PetscCall(PlexTuneProblemGet_Private(asm_, &problem, &mesh));
  PetscCall(PlexTunerGetArchive_Private(tuner, path));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && path[0]) {
    PetscCall(PlexArchiveFind(path, &problem, &mesh, products, r, &state));
    /* less thorough than what is asked for now, or with less time where that was too little */
    if (r->n && (r->mode < tuner->mode || (r->mode == tuner->mode && r->skipped && PlexTunerGetTime_Private(tuner) > 1.5 * r->budget))) r->n = 0;
    if (r->n) *best = r->candidates[r->best];
    PetscCall(PetscFree(r->candidates));
  }
  kind = (PetscMPIInt)state;
  PetscCallMPI(MPI_Bcast(&kind, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(r, sizeof(*r), MPI_BYTE, 0, comm));
  PetscCallMPI(MPI_Bcast(best, sizeof(*best), MPI_BYTE, 0, comm));
  r->candidates = NULL;
  PetscCall(PlexTuneWarn(asm_, (PlexArchiveState)kind, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of set-up: what was asked for is noted, and a result of an earlier run taken */
PetscErrorCode PlexTunerLookUp_Private(PlexAssembly asm_)
{
  PlexTuner      tuner    = asm_->tuner;
  const PetscInt products = (PlexAssemblyHasProduct_Private(asm_, PLEX_RESIDUAL) ? 1 : 0) + (PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN) ? 2 : 0);
  PlexTuneResult r;
  PlexCandidate  best;

  PetscFunctionBegin;
  if (!tuner || tuner->mode == PLEX_TUNE_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  tuner->typeFixed   = (PetscBool)(asm_->backend->kernels && !asm_->typeChosen);
  tuner->integration = asm_->integration;
  tuner->block       = asm_->blockSize;
  tuner->team        = asm_->teamSize;
  tuner->partition   = asm_->partitionSize;
  if (!products) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneFind(asm_, products, &r, &best));
  if (!r.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneAdopt(asm_, &best, PETSC_FALSE));
  PetscCall(PlexTuneSay(asm_, &r, &best, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneKeep(PlexAssembly asm_, const PlexTuneResult *r)
{
  char        path[PETSC_MAX_PATH_LEN], kept[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  PetscBool   written;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)asm_), &rank));
  PetscCall(PlexTunerGetArchive_Private(asm_->tuner, path));
  if (rank || !path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexArchiveAdd(path, r, kept, &written));
  if (kept[0]) PetscCall(PetscPrintf(PETSC_COMM_SELF, "PlexGPU: the archive of tuning results %s was damaged; it is now %s\n", path, kept));
  if (!written) PetscCall(PetscInfo(asm_, "Tuning: its result cannot be kept in %s\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTuneSearchBegin(PlexAssembly asm_, Mat P, PetscReal t, PetscReal shift, PlexTuneSearch *s)
{
  PlexTuneResult *r = &s->result;
  time_t          now;
  PetscFE         fe;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->asm_    = asm_;
  s->P       = P;
  s->current = -1;
  PetscCall(PetscTime(&s->begin));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    s->has[kind] = (PetscBool)(PlexAssemblyHasProduct_Private(asm_, (PlexProductKind)kind) && (P || kind == PLEX_RESIDUAL));
    if (s->has[kind]) r->products |= 1 << kind;
  }
  s->slowness   = 1.0;
  s->args.t     = t;
  s->args.shift = shift;
  r->mode       = asm_->tuner->mode;
  r->budget     = PlexTunerGetTime_Private(asm_->tuner);
  r->best       = -1;
  PetscCall(PlexTuneProblemGet_Private(asm_, &r->problem, &r->mesh));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_), &size));
  r->processes = size;
  if (asm_->elements->Nf) {
    PetscSpace space;

    PetscCall(PetscDSGetDiscretization(asm_->elements->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetBasisSpace(fe, &space));
    PetscCall(PetscSpaceGetDegree(space, &r->degree, NULL));
  }
  (void)time(&now);
  (void)strftime(r->date, sizeof(r->date), "%Y-%m-%d %H:%M:%S", gmtime(&now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plans that were there before are given up */
static PetscErrorCode PlexTuneRun(PlexTuneSearch *s, Vec locX, Vec locX_t)
{
  PlexAssembly    asm_      = s->asm_;
  const PetscBool timing    = asm_->timing;
  PetscBool       symmetric = PETSC_FALSE;
  PlexTuneArrays  arrays;

  PetscFunctionBegin;
  PetscCall(PlexTuneQuiet(PETSC_TRUE));
  PetscCall(PlexAssemblyUpdate_Private(asm_));
  if (s->P) PetscCall(PlexAssemblyUpdatePattern_Private(asm_, s->P));
  if (s->P) PetscCall(PlexAssemblyIsSymmetric_Private(asm_, s->P, &symmetric));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    if (asm_->elements->Ne) PetscCall(PlexModelGetInput(asm_, (PlexProductKind)kind, symmetric, &s->result.input[kind]));
  PetscCall(PlexModelGetRates(asm_->backend, &s->result.rates));
  PetscCall(PlexTuneGetArrays(s, locX, locX_t, &arrays));
  asm_->timing = PETSC_TRUE;
  PetscCall(PlexTuneSearchAll(s));
  asm_->timing = timing;
  PetscCall(PlexTuneRestoreArrays(s, &arrays));
  PetscCall(PlexTuneQuiet(PETSC_FALSE));
  PetscCall(PlexTuneElapsed(s, &s->result.spent));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &s->result.spent, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTunerTune_Private(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Mat P)
{
  PlexTuner      tuner = asm_->tuner;
  PlexTuneSearch s;
  PlexCandidate  best;
  PetscBool      planned;

  PetscFunctionBegin;
  if (!tuner || tuner->done || tuner->mode == PLEX_TUNE_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (!P && asm_->counts[PLEX_RESIDUAL][0] < 2) PetscFunctionReturn(PETSC_SUCCESS); /* a Jacobian may come */
  tuner->done = PETSC_TRUE;
  PetscCall(PetscLogEventBegin(PLEX_Tune, asm_, 0, 0, 0));
  PetscCall(PlexTuneSearchBegin(asm_, P, t, shift, &s));
  if (!P) { /* nor was there one in an earlier run, perhaps */
    PetscCall(PlexTuneFind(asm_, s.result.products, &s.result, &best));
    if (s.result.n) {
      PetscCall(PlexTuneAdopt(asm_, &best, PETSC_FALSE));
      PetscCall(PlexTuneSay(asm_, &s.result, &best, PETSC_TRUE));
      PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PlexTuneSearchBegin(asm_, P, t, shift, &s));
  }
  PetscCall(PlexTuneRun(&s, locX, locX_t));
  PetscCheck(s.result.best >= 0, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP, "Tuning found no way to assemble this: -info :plexassembly says what became of each of %" PetscInt_FMT " candidates, and without -plex_assembly_tune the error of the first one is shown",
             s.result.n);
  best    = s.result.candidates[s.result.best];
  planned = (PetscBool)(s.current == s.result.best);
  PetscCall(PlexTuneAdopt(asm_, &best, planned));
  PetscCall(PlexTuneSay(asm_, &s.result, &best, PETSC_FALSE));
  PetscCall(PlexTuneKeep(asm_, &s.result));
  PetscCall(PetscFree(s.result.candidates));
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_)); /* those that are added take after the first one */
  PetscCall(PlexAssemblyMakeIntegrals_Private(asm_));
  PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
