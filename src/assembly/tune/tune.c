/* When tuning happens, and what comes of it: looked up in the archive, else measured, applied, said and kept. */
#include "tuneimpl.h"
#include "../../util/archive.h" /* PlexArchiveStateText_Private() */
#include <time.h>

/* ---- The user's vectors are read, all else is our own */

typedef struct {
  PlexArray X, X_t;
  void     *A, *F;
} PlexTuneArrays;

/* *enough is false where some process has no memory for targets of its own */
static PetscErrorCode PlexTuneGetArrays(PlexTuneSearch *s, Vec locX, Vec locX_t, PlexTuneArrays *arrays,
                                        PetscBool *enough)
{
  PlexAssembly asm_    = s->asm_;
  PlexBackend  backend = asm_->backend;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(arrays, sizeof(*arrays)));
  PetscCall(PlexBackendVecGet(backend, locX, PLEX_READ, &arrays->X));
  s->args.u = (const double *)arrays->X.array;
  if (locX_t) {
    PetscCall(PlexBackendVecGet(backend, locX_t, PLEX_READ, &arrays->X_t));
    s->args.u_t = (const double *)arrays->X_t.array;
  }
  *enough = PETSC_TRUE;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  if (s->has[PLEX_RESIDUAL] && PlexBackendMalloc(backend, sizeof(PetscScalar) * asm_->elements->Nl, &arrays->F))
    *enough = PETSC_FALSE;
  if (s->has[PLEX_JACOBIAN] && PlexBackendMalloc(backend, sizeof(PetscScalar) * asm_->pattern->nA, &arrays->A))
    *enough = PETSC_FALSE;
  PetscCall(PetscPopErrorHandler());
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, enough, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)asm_)));
  s->args.F  = (double *)arrays->F;
  s->args.A  = (double *)arrays->A;
  s->args.B  = (double *)PlexExchangeGetArray_Private(asm_->exchange); /* written anew at each assembly */
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

/* "local_row, tensor, block 128"; the residual has no integration to choose */
static PetscErrorCode PlexCandidateSay(const PlexCandidate *c, PetscBool integration, char text[], size_t size)
{
  const struct {
    const char *name;
    int         value;
  } sizes[] = {
    {"block",     c->block    },
    {"team",      c->team     },
    {"partition", c->partition}
  };
  size_t length;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "%s%s%s", c->type, integration ? ", " : "", integration ? c->integration : ""));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    PetscCall(PetscStrlen(text, &length));
    if (sizes[k].value)
      PetscCall(PetscSNPrintf(text + length, size - length, ", %s %d", sizes[k].name, sizes[k].value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One candidate for all products, or which one for which */
static PetscErrorCode PlexTuneSayBest(const PlexTuneResult *r, const PlexCandidate best[PLEX_PRODUCTS], char text[],
                                      size_t size)
{
  const PlexCandidate *f = &best[PLEX_RESIDUAL], *j = &best[PLEX_JACOBIAN];
  char                 residual[256];
  size_t               length;

  PetscFunctionBegin;
  PetscCall(PlexCandidateSay(r->products & 2 ? j : f, PETSC_TRUE, text, size));
  if (r->products != 3 ||
      (!strcmp(f->type, j->type) && f->block == j->block && f->team == j->team && f->partition == j->partition))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCandidateSay(f, PETSC_FALSE, residual, sizeof(residual)));
  PetscCall(PetscStrlen(text, &length));
  PetscCall(PetscSNPrintf(text + length, size - length, " for the Jacobian; %s for the residual", residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "local_row, quadrature, block 128 (tuned 2026-11-21, 0.41 ms a Jacobian; 23 candidates in 3.1 s; measured now)" */
static PetscErrorCode PlexTuneSay(PlexAssembly asm_, const PlexTuneResult *r, const PlexCandidate best[PLEX_PRODUCTS],
                                  PetscBool found)
{
  const char *const products[] = {"", "a residual", "a Jacobian", "a Jacobian and a residual"};
  char              text[1024], what[512], missed[256] = "", path[PETSC_MAX_PATH_LEN];
  size_t            length;
  double            seconds = 0;

  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    if (r->products & (1 << kind)) seconds += best[kind].seconds[kind];
  PetscCall(PlexTuneSayBest(r, best, what, sizeof(what)));
  if (r->skipped)
    PetscCall(PetscSNPrintf(missed, sizeof(missed), ", %" PetscInt_FMT " more would take longer than %.4g s",
                            r->skipped, r->budget));
  PetscCall(PetscStrlen(missed, &length));
  if (r->failed)
    PetscCall(PetscSNPrintf(missed + length, sizeof(missed) - length, ", %" PetscInt_FMT " more cannot be used here",
                            r->failed));
  PetscCall(PetscStrlen(missed, &length));
  if (r->behind)
    PetscCall(PetscSNPrintf(missed + length, sizeof(missed) - length,
                            ", %" PetscInt_FMT " more expected to take over %d times as long", r->behind,
                            PLEX_TUNE_HOPELESS));
  PetscCall(PlexTunerGetArchive_Private(asm_->tuner, path));
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "%s (tuned %.10s, %.4g ms %s; %" PetscInt_FMT " candidate%s in %.3g s%s; %s%s)", what,
                          r->date, 1e3 * seconds, products[r->products], r->measured, r->measured == 1 ? "" : "s",
                          r->spent, missed, found ? "found in " : "measured now", found ? path : ""));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    if (!(r->products & (1 << kind))) continue;
    PetscCall(PetscFree(asm_->strategy[kind].why));
    PetscCall(PetscStrallocpy(text, &asm_->strategy[kind].why));
    asm_->strategy[kind].origin = found ? PLEX_TUNED_FOUND : PLEX_TUNED_MEASURED;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The settings found; what else there is of the sum is made again with them. Plans that are there may stay */
static PetscErrorCode PlexTuneAdopt(PlexAssembly asm_, PetscInt products, const PlexCandidate best[PLEX_PRODUCTS],
                                    const PetscBool planned[PLEX_PRODUCTS])
{
  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    if (!(products & (1 << kind))) continue;
    if (!planned || !planned[kind]) PetscCall(PlexCandidateApply_Private(asm_, (PlexProductKind)kind, &best[kind]));
    asm_->strategy[kind].chosen = (PetscBool)!asm_->tuner->typeFixed[kind];
  }
  asm_->tuner->applied = PETSC_TRUE;
  asm_->tuner->done    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best candidate of each product; *all is false where one has none */
static PetscErrorCode PlexTuneGetBest(const PlexTuneResult *r, PlexCandidate best[PLEX_PRODUCTS],
                                      PetscInt index[PLEX_PRODUCTS], PetscBool *all)
{
  PetscFunctionBegin;
  *all = PETSC_TRUE;
  PetscCall(PetscArrayzero(best, PLEX_PRODUCTS));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    index[kind] = -1;
    if (!(r->products & (1 << kind))) continue;
    PetscCall(PlexTuneResultGetBest(r, 1 << kind, &index[kind]));
    if (index[kind] < 0) *all = PETSC_FALSE;
    else best[kind] = r->candidates[index[kind]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says once that the archive is no good, and what becomes of it */
static PetscErrorCode PlexTuneWarn(PlexAssembly asm_, PlexArchiveState state, const char path[])
{
  PetscFunctionBegin;
  if (asm_->tuner->warned || state == PLEX_ARCHIVE_GOOD || state == PLEX_ARCHIVE_ABSENT)
    PetscFunctionReturn(PETSC_SUCCESS);
  asm_->tuner->warned = PETSC_TRUE;
  if (state == PLEX_ARCHIVE_DAMAGED)
    PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_),
                          "PlexGPU: the archive of tuning results %s is damaged or no such archive: what can be read "
                          "of it is used, the rest is tuned anew, and the file is kept under another name\n",
                          path));
  else
    PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_),
                          "PlexGPU: the archive of tuning results %s %s: tuning starts anew, and its result is not "
                          "kept; name another file with -plex_assembly_tune_archive\n",
                          path, PlexArchiveStateText_Private(state)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether this program has the type and the integration of a result: another one may have a type of its own */
static PetscErrorCode PlexTuneKnows(PlexAssembly asm_, const PlexCandidate *c, PetscBool *knows)
{
  const char **names;
  PetscEnum    integration;
  PetscBool    same = (PetscBool)!asm_->backend->kernels;
  int          n;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetTypes_Private(&n, &names));
  for (int k = 0; k < n && !same; ++k) PetscCall(PetscStrcmp(names[k], c->type, &same));
  PetscCall(PetscFree(names));
  PetscCall(PetscEnumFind(PlexIntegrations, c->integration, &integration, knows));
  *knows = (PetscBool)(*knows && same);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result of the archive, read by the first process for all; r->n is 0 where there is none that does. Of candidates
   only the best one of each product is kept: r->candidates is NULL */
static PetscErrorCode PlexTuneFind(PlexAssembly asm_, PetscInt products, PlexTuneResult *r,
                                   PlexCandidate best[PLEX_PRODUCTS])
{
  MPI_Comm         comm  = PetscObjectComm((PetscObject)asm_);
  PlexTuner        tuner = asm_->tuner;
  PlexArchiveState state = PLEX_ARCHIVE_ABSENT;
  PlexTuneProblem  problem;
  PlexTuneMesh     mesh;
  PetscMPIInt      rank, answer;
  PetscInt         index[PLEX_PRODUCTS];
  PetscBool        knows;
  char             path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  PetscCall(PlexTuneProblemGet_Private(asm_, &problem, &mesh));
  PetscCall(PlexTunerGetArchive_Private(tuner, path));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && path[0]) {
    PetscCall(PlexArchiveFind(path, &problem, &mesh, products, r, &state));
    /* less thorough than what is asked for now, or with less time where that was too little */
    if (r->n && (r->mode < tuner->mode ||
                 (r->mode == tuner->mode && r->skipped && PlexTunerGetTime_Private(tuner) > 1.5 * r->budget)))
      r->n = 0;
    if (r->n) {
      PetscCall(PlexTuneGetBest(r, best, index, &knows));
      if (!knows) r->n = 0;
    }
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS && r->n; ++kind) {
      if (!(products & (1 << kind))) continue;
      PetscCall(PlexTuneKnows(asm_, &best[kind], &knows));
      if (!knows) r->n = 0;
    }
    PetscCall(PetscFree(r->candidates));
  }
  answer = (PetscMPIInt)state;
  PetscCallMPI(MPI_Bcast(&answer, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(r, sizeof(*r), MPI_BYTE, 0, comm));
  PetscCallMPI(MPI_Bcast(best, PLEX_PRODUCTS * sizeof(*best), MPI_BYTE, 0, comm));
  r->candidates = NULL;
  PetscCall(PlexTuneWarn(asm_, (PlexArchiveState)answer, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of set-up: what was asked for is noted, and a result of an earlier run taken */
static PetscErrorCode PlexTunerLookUp(PlexAssembly asm_)
{
  PlexTuner      tuner    = asm_->tuner;
  const PetscInt products = (PlexAssemblyHasProduct_Private(asm_, PLEX_RESIDUAL) ? 1 : 0) +
                            (PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN) ? 2 : 0);
  PlexTuneResult r;
  PlexCandidate  best[PLEX_PRODUCTS];

  PetscFunctionBegin;
  if (!tuner || tuner->mode == PLEX_TUNE_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    tuner->typeFixed[kind] = (PetscBool)(asm_->backend->kernels && !asm_->strategy[kind].chosen);
  tuner->integration = asm_->integration;
  tuner->block       = asm_->blockSize;
  tuner->team        = asm_->teamSize;
  tuner->partition   = asm_->partitionSize;
  if (!products) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneFind(asm_, products, &r, best));
  if (!r.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTuneAdopt(asm_, products, best, NULL));
  PetscCall(PlexTuneSay(asm_, &r, best, PETSC_TRUE));
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
  if (kept[0])
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "PlexGPU: the archive of tuning results %s was damaged; it is now %s\n",
                          path, kept));
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
  s->asm_ = asm_;
  s->P    = P;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) s->current[kind] = -1;
  PetscCall(PetscTime(&s->begin));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    s->has[kind] = (PetscBool)(PlexAssemblyHasProduct_Private(asm_, (PlexProductKind)kind) &&
                               (P || kind == PLEX_RESIDUAL));
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
  PetscBool       symmetric = PETSC_FALSE, enough;
  PlexTuneArrays  arrays;

  PetscFunctionBegin;
  PetscCall(PlexTuneQuiet(PETSC_TRUE));
  if (s->P) PetscCall(PlexAssemblyIsSymmetric_Private(asm_, s->P, &symmetric));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    if (asm_->elements->Ne)
      PetscCall(PlexModelGetInput(asm_, (PlexProductKind)kind, symmetric, &s->result.input[kind]));
  PetscCall(PlexTuneHasTensors_Private(asm_, &s->tensors));
  s->plain = s->result.input[PLEX_JACOBIAN];
  if (s->tensors) {
    asm_->integration = PLEX_INTEGRATION_QUADRATURE;
    if (asm_->elements->Ne) PetscCall(PlexModelGetInput(asm_, PLEX_JACOBIAN, symmetric, &s->plain));
    asm_->integration = asm_->tuner->integration;
  }
  PetscCall(PlexModelGetRates(asm_->backend, &s->result.rates));
  PetscCall(PlexTuneGetArrays(s, locX, locX_t, &arrays, &enough));
  if (enough) {
    asm_->timing = PETSC_TRUE;
    PetscCall(PlexTuneSearch_Private(s));
    asm_->timing = timing;
  } else
    PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_),
                          "PlexGPU: there is no tuning, as there is no memory for a second matrix\n"));
  PetscCall(PlexTuneDestroyValues_Private(s));
  PetscCall(PlexTuneRestoreArrays(s, &arrays));
  PetscCall(PlexTuneQuiet(PETSC_FALSE));
  PetscCall(PlexTuneElapsed_Private(s, &s->result.spent));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &s->result.spent, 1, MPI_DOUBLE, MPI_MAX,
                              PetscObjectComm((PetscObject)asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexTunerIsPending(PlexAssembly asm_)
{
  return (PetscBool)(asm_->tuner && !asm_->tuner->done && asm_->tuner->mode != PLEX_TUNE_NONE);
}

static PetscErrorCode PlexTunerTune(PlexAssembly asm_, const PlexMoment *at, Mat P)
{
  PlexTuner      tuner = asm_->tuner;
  PlexTuneSearch s;
  PlexCandidate  best[PLEX_PRODUCTS];
  PetscInt       index[PLEX_PRODUCTS];
  PetscBool      planned[PLEX_PRODUCTS], all;

  PetscFunctionBegin;
  if (!PlexTunerIsPending(asm_)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!P && asm_->counts[PLEX_RESIDUAL][0] < 2) PetscFunctionReturn(PETSC_SUCCESS); /* a Jacobian may come */
  tuner->done = PETSC_TRUE;
  PetscCall(PetscLogEventBegin(PLEX_Tune, asm_, 0, 0, 0));
  PetscCall(PlexTuneSearchBegin(asm_, P, at->t, at->shift, &s));
  if (!P) { /* nor was there one in an earlier run, perhaps */
    PetscCall(PlexTuneFind(asm_, s.result.products, &s.result, best));
    if (s.result.n) {
      PetscCall(PlexTuneAdopt(asm_, s.result.products, best, NULL));
      PetscCall(PlexTuneSay(asm_, &s.result, best, PETSC_TRUE));
      PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PlexTuneSearchBegin(asm_, P, at->t, at->shift, &s));
  }
  PetscCall(PlexTuneRun(&s, at->locX, at->locX_t));
  if (!s.result.n) { /* nothing was tried */
    PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTuneGetBest(&s.result, best, index, &all));
  if (!all && asm_->fallback) {
    PetscCall(PlexAssemblyLeave_Private(
      asm_, "tuning found no way to assemble this (-info :plexassembly says what became of each candidate)", NULL));
    PetscCall(PetscFree(s.result.candidates));
    PetscCall(PetscFree(s.outcome));
    PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(all, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Tuning found no way to assemble this: -info :plexassembly says what became of each of %" PetscInt_FMT
             " candidates, and without -plex_assembly_tune the error of the first one is shown",
             s.result.n);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) planned[kind] = (PetscBool)(s.current[kind] == index[kind]);
  PetscCall(PlexTuneAdopt(asm_, s.result.products, best, planned));
  PetscCall(PlexTuneSay(asm_, &s.result, best, PETSC_FALSE));
  PetscCall(PlexTuneKeep(asm_, &s.result));
  PetscCall(PetscFree(s.result.candidates));
  PetscCall(PetscFree(s.outcome));
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_)); /* those that are added take after the first one */
  PetscCall(PetscLogEventEnd(PLEX_Tune, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTunerRegister_Private(void)
{
  PetscFunctionBegin;
  PlexAssemblyTuning = (PlexTuning){PlexTunerRestore_Private, PlexTunerLookUp,
                                    PlexTunerIsPending,       PlexTunerTune,
                                    PlexTunerDestroy_Private, PlexTunerSetFromOptions_Private,
                                    PlexChooseType_Private};
  PetscFunctionReturn(PETSC_SUCCESS);
}
