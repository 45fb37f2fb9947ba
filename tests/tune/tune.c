static char help[] = "Tuning: ways to assemble are timed, the fastest is taken, kept in an archive and found again.\n\
  -parallel : only what takes several processes\n\n";

#include <plexgpu/private/tuneimpl.h>
#include <plex_args.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include <sys/stat.h>
#include <unistd.h>

static const PlexTestProblem tri = {.cell       = DM_POLYTOPE_TRIANGLE,
                                    .degree     = 1,
                                    .components = 1,
                                    .form       = PLEX_TEST_GENERAL};

static char archive[PETSC_MAX_PATH_LEN]; /* of this run, in a folder of its own */

/* ---- One assembly with options, and what became of it */

typedef struct {
  const char     *backend, *type; /* type NULL: auto */
  const char     *residual;       /* its type, or NULL: as the other */
  PlexTestProblem problem;
  PlexTune        tune;
  PetscReal       time;
  PetscInt        shared;    /* bytes of shared memory a block; 0: the default */
  PetscLogDouble  bandwidth; /* that the cost model is told; 0: the default */
  PetscInt        times;     /* that residual and Jacobian are computed */
  PetscReal       F, J;
  PetscInt        block[PLEX_PRODUCTS], launches;
  PetscInt        nzero;  /* numbers of the Jacobian's functions that quadrature leaves out */
  PlexTuned       origin; /* of the Jacobian's type */
  char            chosen[PLEX_PRODUCTS][64], why[1024];
} Run;

static PetscErrorCode Tune(void *ctx)
{
  Run         *run = (Run *)ctx;
  PlexAssembly assembly;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&run->problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, run->backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  if (run->type) PetscCall(PlexAssemblySetType(assembly, run->type));
  if (run->residual) PetscCall(PlexAssemblySetResidualType(assembly, run->residual));
  PetscCall(PlexAssemblySetTune(assembly, run->tune));
  PetscCall(PlexAssemblySetTuneTime(assembly, run->time));
  PetscCall(PlexAssemblySetTuneArchive(assembly, archive));
  assembly->sharedMemory = run->shared;
  if (run->bandwidth > 0) {
    PetscCall(PlexAssemblySetUp(assembly));
    assembly->backend->bandwidth = run->bandwidth;
  }
  for (PetscInt k = 0; k < run->times; ++k) PetscCall(PlexTestCompare(assembly, dm, &run->F, &run->J));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    PlexStrategy *s = &assembly->strategy[kind];

    PetscCall(PetscStrncpy(run->chosen[kind], s->type ? s->type : "", sizeof(run->chosen[kind])));
    run->block[kind] = s->tuned ? s->block : 0;
  }
  PetscCall(PetscStrncpy(run->why, assembly->strategy[PLEX_JACOBIAN].why, sizeof(run->why)));
  run->origin   = assembly->strategy[PLEX_JACOBIAN].origin;
  run->launches = assembly->product[PLEX_JACOBIAN].launches;
  run->nzero    = assembly->product[PLEX_JACOBIAN].nzero;
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Has(const char text[], const char word[])
{
  return (PetscBool)(strstr(text, word) != NULL);
}

/* The only result in the archive, if there is just one */
static PetscErrorCode GetResult(PlexTuneResult *result, PetscInt *n)
{
  PlexTuneResult  *all;
  PlexArchiveState state;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(result, sizeof(*result)));
  PetscCall(PlexArchiveRead(archive, n, &all, &state));
  if (*n == 1) {
    *result           = all[0];
    all[0].candidates = NULL;
  }
  PetscCall(PlexTuneResultsDestroy(*n, &all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tunes, and looks for a word in what is said of it */
static PetscErrorCode TuneAndFind(Run *run, const char what[], PlexTuned origin)
{
  PetscFunctionBegin;
  PetscCall(Tune(run));
  PetscCall(PlexTestReportOf((PetscBool)(run->origin == origin), run->backend, what, "%s", run->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Integration */

/* Quadrature that auto takes leaves out what is found to be zero. It is tuned so, and so it is when the result is found
   again */
static PetscErrorCode LookAtQuadrature(const char backend[])
{
  Run run = {
    .backend = backend,
    .type    = PLEXASSEMBLYSHAREDNZ,
    .problem = {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 1, .form = PLEX_TEST_LINEAR},
    .time    = 600,
    .times   = 1
  };
  PetscInt nzero[3];

  PetscFunctionBegin;
  (void)unlink(archive);
  for (PetscInt k = 0; k < 3; ++k) {
    run.tune = k ? PLEX_TUNE_QUICK : PLEX_TUNE_NONE;
    PetscCall(Tune(&run));
    nzero[k] = run.nzero;
  }
  PetscCall(PlexTestReportOf((PetscBool)(nzero[0] > 0 && nzero[1] == nzero[0] && nzero[2] == nzero[0] &&
                                         Has(run.why, "quadrature") && run.origin == PLEX_TUNED_FOUND &&
                                         run.F <= 1e-12 && run.J <= 1e-12),
                             backend, "quadrature as auto has it",
                             "%" PetscInt_FMT " numbers left out, %" PetscInt_FMT " tuned, %" PetscInt_FMT
                             " when found again; errors %g and %g; %s",
                             nzero[0], nzero[1], nzero[2], (double)run.F, (double)run.J, run.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Quick: all types, and block sizes of the best */

static PetscErrorCode LookAtQuick(const char backend[], PetscBool kernels)
{
  Run            run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1};
  PlexTuneResult r;
  PetscInt       n, types = 0, blocks = 0, failed = 0, wrong = 0;
  double         least[PLEX_PRODUCTS] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(PlexTestReportOf((PetscBool)(run.F <= 1e-12 && run.J <= 1e-12 && run.origin == PLEX_TUNED_MEASURED),
                             backend, "tuned, with the right result", "relative errors %g and %g; %s", (double)run.F,
                             (double)run.J, run.why));
  PetscCall(GetResult(&r, &n));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1), backend, "one result is kept", "%" PetscInt_FMT, n));
  if (n != 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < r.n; ++k) {
    const PlexCandidate *c = &r.candidates[k];

    /* a large block may need more registers than there are */
    if (c->state == PLEX_CANDIDATE_FAILED && c->block) ++failed;
    else if (c->state != PLEX_CANDIDATE_MEASURED || (!c->block && (c->seconds[0] <= 0 || c->seconds[1] <= 0))) ++wrong;
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
      if (c->seconds[kind] > 0) least[kind] = PetscMin(least[kind], c->seconds[kind]);
    if (c->block) ++blocks;
    else ++types;
  }
  PetscCall(PlexTestReportOf((PetscBool)(!wrong && types == (kernels ? 8 : 1) &&
                                         (kernels ? blocks == 5 || blocks == 10 : !blocks) &&
                                         r.measured + r.failed == r.n && r.failed == failed && !r.skipped),
                             backend, "every type, and blocks of the best",
                             "%" PetscInt_FMT " types, %" PetscInt_FMT " blocks, %" PetscInt_FMT " without a time",
                             types, blocks, wrong));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    const PlexCandidate *c;
    PetscInt             best;

    PetscCall(PlexTuneResultGetBest(&r, 1 << kind, &best));
    c = &r.candidates[PetscMax(best, 0)];
    PetscCall(PlexTestReportOf((PetscBool)(best >= 0 && c->seconds[kind] == least[kind] &&
                                           (!kernels || !strcmp(run.chosen[kind], c->type)) &&
                                           run.block[kind] == c->block && Has(run.why, c->type)),
                               backend,
                               kind == PLEX_JACOBIAN ? "the fastest is taken for the Jacobian"
                                                     : "the fastest is taken for the residual",
                               "%s, block %" PetscInt_FMT ", and the best was %s, %d; %s", run.chosen[kind],
                               run.block[kind], c->type, c->block, run.why));
  }
  PetscCall(PlexTestReportOf((PetscBool)(!strcmp(r.problem.backend, backend) && !strcmp(r.problem.cell, "triangle") &&
                                         r.degree == 1 && r.products == 3 && Has(r.problem.form, "f0[0] ") &&
                                         r.mesh.elements == 24 && r.spent > 0),
                             backend, "what the result is for", "%s, %s, degree %" PetscInt_FMT ", %s, %g elements",
                             r.problem.backend, r.problem.cell, r.degree, r.problem.form, r.mesh.elements));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Found again: after LookAtQuick() */

static PetscErrorCode LookAtFound(const char backend[])
{
  Run run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 2};

  PetscFunctionBegin;
  PetscCall(Tune(&run));
  PetscCall(PlexTestReportOf((PetscBool)(run.J <= 1e-12 && run.launches == 2 && run.origin == PLEX_TUNED_FOUND),
                             backend, "found again, and not measured", "%" PetscInt_FMT " launches: %s", run.launches,
                             run.why));
  run.problem.cells = 6; /* a quarter of the elements */
  run.type          = PLEXASSEMBLYELEMENTATOMIC;
  run.time          = 0;
  PetscCall(TuneAndFind(&run, "not found for another size of mesh", PLEX_TUNED_MEASURED));
  run.problem.cells  = 0;
  run.problem.degree = 2;
  PetscCall(TuneAndFind(&run, "not found for another degree", PLEX_TUNED_MEASURED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tunes into an archive of its own, and the one result */
static PetscErrorCode TuneAnew(Run *run, PlexTuneResult *r)
{
  PetscInt n;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(run));
  PetscCall(GetResult(r, &n));
  PetscCheck(n == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " results", n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result whose type this program does not have */
static PetscErrorCode LookAtOthersType(const char backend[])
{
  Run            run = {.backend = backend,
                        .type    = PLEXASSEMBLYELEMENTATOMIC,
                        .problem = tri,
                        .tune    = PLEX_TUNE_QUICK,
                        .time    = 0,
                        .times   = 1};
  PlexTuneResult r;
  PetscBool      written;
  char           kept[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(TuneAnew(&run, &r));
  PetscCall(PetscStrncpy(r.candidates[r.best].type, "of_another_program", sizeof(r.candidates[r.best].type)));
  PetscCall(PlexArchiveAdd(archive, &r, kept, &written));
  PetscCall(PetscFree(r.candidates));
  PetscCall(Tune(&run));
  PetscCall(PlexTestReportOf((PetscBool)(written && run.J <= 1e-12 && run.origin == PLEX_TUNED_MEASURED), backend,
                             "a result with the type of another program is no use, and no error", "%s", run.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Residual and Jacobian each have their own */

/* A result in which the fastest residual and the fastest Jacobian are of two types, one with a size */
static PetscErrorCode LookAtTwoTypes(const char backend[])
{
  Run            run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 0, .times = 1};
  PlexTuneResult r;
  PetscInt       residual = -1, jacobian = -1;
  PetscBool      written;
  char           kept[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(TuneAnew(&run, &r));
  for (PetscInt k = 0; k < r.n; ++k) {
    PlexCandidate *c = &r.candidates[k];

    if (!strcmp(c->type, PLEXASSEMBLYGLOBALNZ)) residual = k;
    if (!strcmp(c->type, PLEXASSEMBLYLOCALROW)) jacobian = k;
    c->state      = PLEX_CANDIDATE_MEASURED;
    c->seconds[0] = c->seconds[1] = 1.;
  }
  PetscCheck(residual >= 0 && jacobian >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Types are not among the candidates");
  r.candidates[residual].seconds[PLEX_RESIDUAL] = 0.25;
  r.candidates[jacobian].seconds[PLEX_JACOBIAN] = 0.5;
  r.candidates[jacobian].block                  = 64;
  PetscCall(PlexArchiveAdd(archive, &r, kept, &written));
  PetscCall(PetscFree(r.candidates));
  PetscCall(Tune(&run));
  PetscCall(PlexTestReportOf((PetscBool)(written && run.F <= 1e-12 && run.J <= 1e-12 &&
                                         !strcmp(run.chosen[PLEX_RESIDUAL], PLEXASSEMBLYGLOBALNZ) &&
                                         !strcmp(run.chosen[PLEX_JACOBIAN], PLEXASSEMBLYLOCALROW) &&
                                         run.block[PLEX_RESIDUAL] == 0 && run.block[PLEX_JACOBIAN] == 64),
                             backend, "the fastest of each product is found, with its own sizes",
                             "%s, %" PetscInt_FMT "; %s, %" PetscInt_FMT "; relative errors %g and %g", run.chosen[0],
                             run.block[0], run.chosen[1], run.block[1], (double)run.F, (double)run.J));
  PetscCall(PlexTestReportOf((PetscBool)(Has(run.why, PLEXASSEMBLYLOCALROW) && Has(run.why, PLEXASSEMBLYGLOBALNZ) &&
                                         Has(run.why, " 64 ") && Has(run.why, " 750 ") &&
                                         run.origin == PLEX_TUNED_FOUND),
                             backend, "both are said", "%s", run.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One type asked for, the other tuned */
static PetscErrorCode LookAtOneFixed(const char backend[])
{
  Run            run = {.backend  = backend,
                        .residual = PLEXASSEMBLYGLOBALROW,
                        .problem  = tri,
                        .tune     = PLEX_TUNE_QUICK,
                        .time     = 0,
                        .times    = 1};
  PlexTuneResult r;
  PetscInt       n, measured[PLEX_PRODUCTS] = {0, 0}, other = 0;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  PetscCall(PetscFree(r.candidates));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && run.F <= 1e-12 && run.J <= 1e-12 &&
                                         !strcmp(run.chosen[0], PLEXASSEMBLYGLOBALROW) &&
                                         !strcmp(run.chosen[1], PLEXASSEMBLYELEMENTATOMIC) && r.measured == 2),
                             backend, "no time: what both products would have without tuning is measured",
                             "%s, %s, %" PetscInt_FMT " measured", run.chosen[0], run.chosen[1], r.measured));
  run.time = 600;
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  for (PetscInt k = 0; k < r.n; ++k) {
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) measured[kind] += r.candidates[k].seconds[kind] > 0;
    other += strcmp(r.candidates[k].type, PLEXASSEMBLYGLOBALROW) && r.candidates[k].seconds[PLEX_RESIDUAL] > 0;
  }
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && run.F <= 1e-12 && run.J <= 1e-12 &&
                                         !strcmp(run.chosen[0], PLEXASSEMBLYGLOBALROW) && !other && measured[0] >= 1 &&
                                         measured[1] >= 8 && Has(r.problem.fixed, "residual type global_row") &&
                                         !Has(r.problem.fixed, "Jacobian")),
                             backend, "the type of the residual that was asked for stays, and the Jacobian is tuned",
                             "%" PetscInt_FMT " results; %s; %" PetscInt_FMT " residuals, %" PetscInt_FMT
                             " of another type, %" PetscInt_FMT " Jacobians; '%s'",
                             n, run.chosen[0], measured[0], other, measured[1], r.problem.fixed));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The time is kept */

static PetscErrorCode LookAtTime(const char backend[])
{
  Run            run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 0, .times = 1};
  PlexTuneResult r;
  PetscInt       n;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && r.measured == 1 && r.skipped == r.n - 1 && r.skipped >= 7 &&
                                         r.best == 0),
                             backend, "no time: the first choice is measured, the others are skipped",
                             "%" PetscInt_FMT " measured, %" PetscInt_FMT " skipped; %s", r.measured, r.skipped,
                             run.why));
  PetscCall(PetscFree(r.candidates));
  PetscCall(TuneAndFind(&run, "found again with as little time", PLEX_TUNED_FOUND));
  run.type = PLEXASSEMBLYELEMENTATOMIC;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  run.time = 600;
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  PetscCall(PetscFree(r.candidates));
  PetscCall(PlexTestReportOf((PetscBool)(run.origin == PLEX_TUNED_MEASURED && n == 1 && !r.skipped &&
                                         !strcmp(run.chosen[PLEX_JACOBIAN], PLEXASSEMBLYELEMENTATOMIC)),
                             backend, "measured again with more time", "%s", run.why));
  run.tune = PLEX_TUNE_FULL;
  run.time = 0;
  PetscCall(TuneAndFind(&run, "measured again for a full search", PLEX_TUNED_MEASURED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Full: sizes of blocks, teams and partitions. The larger the team the fewer of them: some cannot be had for a
   kernel */
static PetscErrorCode LookAtFull(const char backend[])
{
  Run run =
    {.backend = backend, .type = PLEXASSEMBLYLOCALROW, .problem = tri, .tune = PLEX_TUNE_FULL, .time = 600, .times = 1};
  PlexTuneResult r;
  PetscInt       n, sizes[3] = {0, 0, 0}, other = 0;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  for (PetscInt k = 0; k < r.n; ++k) {
    sizes[0] += r.candidates[k].block > 0;
    sizes[1] += r.candidates[k].team > 0;
    sizes[2] += r.candidates[k].partition > 0;
    other += strcmp(r.candidates[k].type, PLEXASSEMBLYLOCALROW) != 0;
  }
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && run.J <= 1e-12 && sizes[0] >= 5 && sizes[1] >= 4 && sizes[2] >= 6 &&
                                         !other && !r.skipped),
                             backend, "full: blocks, teams and partitions of the type that was asked for",
                             "%" PetscInt_FMT " candidates: %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                             " sizes, %" PetscInt_FMT " of another type; %s",
                             r.n, sizes[0], sizes[1], sizes[2], other, run.why));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A candidate that does not work is left out */

static PetscErrorCode LookAtFailure(const char backend[])
{
  Run run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1, .shared = 16};
  PlexTuneResult r;
  PetscInt       n, failed = 0;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  for (PetscInt k = 0; k < r.n; ++k)
    failed += r.candidates[k].state == PLEX_CANDIDATE_FAILED && strstr(r.candidates[k].type, "shared_");
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && failed == 2 && r.failed >= 2 && run.F <= 1e-12 && run.J <= 1e-12),
                             backend, "types that cannot be used here are counted, and another one is taken",
                             "%" PetscInt_FMT " and %" PetscInt_FMT "; %s", failed, r.failed, run.why));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is not an assembly is left out, however fast */

static PetscErrorCode (*compute)(PlexAssembly, PlexProduct *, const void *); /* of element_atomic */

static PetscErrorCode ComputeNothing(PlexAssembly assembly, PlexProduct *product, const void *args)
{
  (void)assembly;
  (void)product;
  (void)args;
  return PETSC_SUCCESS;
}

/* One number of many is another one */
static PetscErrorCode ComputeNearly(PlexAssembly assembly, PlexProduct *product, const void *args)
{
  const PlexArgs *a     = (const PlexArgs *)args;
  double         *place = product->kind == PLEX_JACOBIAN ? a->A + a->nA / 2 : a->F + assembly->elements->Nl / 2, value;

  PetscFunctionBegin;
  PetscCall((*compute)(assembly, product, args));
  PetscCall(PlexBackendCopyOut(assembly->backend, &value, place, sizeof(value)));
  value += 1e-3;
  PetscCall(PlexBackendCopyIn(assembly->backend, place, &value, sizeof(value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementAtomic(PlexAssembly);

static PetscErrorCode CreateNothing(PlexAssembly assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate_ElementAtomic(assembly));
  assembly->ops->compute = ComputeNothing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateNearly(PlexAssembly assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate_ElementAtomic(assembly));
  compute                = assembly->ops->compute;
  assembly->ops->compute = ComputeNearly;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtValues(const char backend[])
{
  const char    *types[] = {"computes_nothing", "computes_nearly"};
  Run            run     = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1};
  PlexTuneResult r;
  PetscInt       n, failed[2] = {0, 0}, others = 0;
  char           what[128];

  PetscFunctionBegin;
  PetscCall(PlexAssemblyRegister(types[0], CreateNothing));
  PetscCall(PlexAssemblyRegister(types[1], CreateNearly));
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  for (PetscInt k = 0; k < r.n; ++k) {
    PetscBool own = PETSC_FALSE;

    for (PetscInt t = 0; t < 2; ++t) {
      if (strcmp(r.candidates[k].type, types[t])) continue;
      own = PETSC_TRUE;
      failed[t] += r.candidates[k].state == PLEX_CANDIDATE_FAILED && r.candidates[k].seconds[0] <= 0 &&
                   r.candidates[k].seconds[1] <= 0;
    }
    others += !own && !r.candidates[k].block && r.candidates[k].state == PLEX_CANDIDATE_MEASURED;
  }
  for (PetscInt t = 0; t < 2; ++t) {
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s is none of the ways to assemble", types[t]));
    PetscCall(PlexTestReportOf((PetscBool)(n == 1 && failed[t] == 1 && others == 8 && run.F <= 1e-12 &&
                                           run.J <= 1e-12 && strcmp(run.chosen[0], types[t]) &&
                                           strcmp(run.chosen[1], types[t])),
                               backend, what, "%" PetscInt_FMT " failed, %" PetscInt_FMT " others measured; %s, %s; %s",
                               failed[t], others, run.chosen[0], run.chosen[1], run.why));
  }
  PetscCall(PetscFree(r.candidates));
  for (PetscInt t = 0; t < 2; ++t) PetscCall(PlexAssemblyRegister(types[t], NULL)); /* not there any more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the model expects to be far behind is not tried */

static PetscErrorCode LookAtBehind(const char backend[])
{
  Run run = {.backend = backend, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1, .bandwidth = 1};
  PlexTuneResult r;
  PetscInt       n, wrong = 0, behind = 0;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(GetResult(&r, &n));
  for (PetscInt k = 0; k < r.n; ++k) {
    const PlexCandidate *c = &r.candidates[k];
    /* sizes are tried for one of the products */
    const PetscBool sized = (PetscBool)(c->block > 0 || c->team > 0 || c->partition > 0);

    behind += c->state == PLEX_CANDIDATE_BEHIND;
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      PetscInt best;

      PetscCall(PlexTuneResultGetBest(&r, 1 << kind, &best));
      if (!sized && c->seconds[kind] <= 0 && (best < 0 || c->predicted[kind] <= 5 * r.candidates[best].seconds[kind]))
        ++wrong;
    }
  }
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && !wrong && behind >= 3 && r.behind == behind && !r.skipped &&
                                         !r.failed && r.measured + behind == r.n && run.F <= 1e-12 && run.J <= 1e-12),
                             backend, "what is expected to take much longer than the best is not tried",
                             "%" PetscInt_FMT " of %" PetscInt_FMT " behind, %" PetscInt_FMT " wrong; %s", behind, r.n,
                             wrong, run.why));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The user's matrix and vectors are not written: a Jacobian with tuning changes their states as one without */

static PetscErrorCode States(const char backend[], PlexTune tune, PetscObjectState states[2], PetscReal *same)
{
  PetscObjectState before[2];
  PlexAssembly     assembly;
  Vec              X, copy;
  Mat              P;
  DM               dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYELEMENTATOMIC));
  PetscCall(PlexAssemblyCreateMatrix(assembly, &P));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &copy));
  PetscCall(VecCopy(X, copy));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., P, P));
  PetscCall(PlexAssemblySetTune(assembly, tune));
  PetscCall(PlexAssemblySetTuneArchive(assembly, archive));
  PetscCall(PetscObjectStateGet((PetscObject)X, &before[0]));
  PetscCall(PetscObjectStateGet((PetscObject)P, &before[1]));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., P, P));
  PetscCall(PetscObjectStateGet((PetscObject)X, &states[0]));
  PetscCall(PetscObjectStateGet((PetscObject)P, &states[1]));
  for (PetscInt k = 0; k < 2; ++k) states[k] -= before[k];
  PetscCall(PlexTestVecError(X, copy, same));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&copy));
  PetscCall(MatDestroy(&P));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtStates(const char backend[])
{
  PetscObjectState without[2], with[2];
  PetscReal        change, none;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(States(backend, PLEX_TUNE_NONE, without, &none));
  PetscCall(States(backend, PLEX_TUNE_QUICK, with, &change));
  PetscCall(PlexTestReportOf((PetscBool)(with[0] == 0 && with[1] == without[1] && change == 0. &&
                                         !access(archive, F_OK)),
                             backend, "the matrix is written once, the solution not at all",
                             "matrix %d times instead of %d, solution %d times, by %g", (int)with[1], (int)without[1],
                             (int)with[0], (double)change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A program without Jacobians; settings come back when the mesh changes */

static PetscErrorCode LookAtResiduals(const char backend[])
{
  PlexAssembly assembly;
  Vec          X, F, G;
  DM           dm;
  PetscReal    error;
  PetscBool    tuned[3], found;
  PetscInt     block;

  PetscFunctionBegin;
  (void)unlink(archive);
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(G, 0.));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYELEMENTCOLOR));
  PetscCall(PlexAssemblySetTune(assembly, PLEX_TUNE_QUICK));
  PetscCall(PlexAssemblySetTuneArchive(assembly, archive));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    tuned[k] = (PetscBool)(assembly->strategy[PLEX_RESIDUAL].origin != PLEX_TUNED_NOT);
  }
  PetscCall(PlexTestVecError(F, G, &error));
  PetscCall(PlexTestReportOf((PetscBool)(!tuned[0] && !tuned[1] && tuned[2] && error <= 1e-12), backend,
                             "without Jacobians the third residual is tuned", "%d %d %d; error %g; %s", tuned[0],
                             tuned[1], tuned[2], (double)error, assembly->strategy[PLEX_RESIDUAL].why));
  PetscCall(PlexAssemblyReset(assembly));
  block = assembly->blockSize;
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F)); /* the count of residuals goes on */
  found = (PetscBool)(assembly->strategy[PLEX_RESIDUAL].origin == PLEX_TUNED_FOUND);
  PetscCall(PlexTestVecError(F, G, &error));
  PetscCall(PlexTestReportOf((PetscBool)(block == 0 && found && error <= 1e-12), backend,
                             "a reset puts back what was asked for, and the result is found again",
                             "block %" PetscInt_FMT "; %s", block, assembly->strategy[PLEX_RESIDUAL].why));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Archives that are no good */

static PetscErrorCode ReadFile(const char path[], char bytes[], size_t size, size_t *n)
{
  FILE *file = fopen(path, "rb");

  PetscFunctionBegin;
  *n = 0;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  *n = fread(bytes, 1, size, file);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of n bytes in the place of the archive: a warning, all of it kept as archive.damaged or archive.damaged.2, a
   new archive */
static PetscErrorCode LookAtDamage(const char what[], const char bytes[], size_t n, const char suffix[])
{
  Run            run = {.backend = PLEXBACKENDHOST, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1};
  PlexTuneResult r;
  PetscInt       results;
  char           text[4096], path[PETSC_MAX_PATH_LEN], *kept;
  size_t         m;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &kept));
  PetscCall(PlexTestWriteFile(archive, bytes, n));
  PetscCall(PlexTestCapture(Tune, &run, text, sizeof(text)));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s%s", archive, suffix));
  PetscCall(ReadFile(path, kept, n + 1, &m));
  PetscCall(GetResult(&r, &results));
  PetscCall(PlexTestReportOf((PetscBool)(Has(text, "PlexGPU: ") && Has(text, archive) && Has(text, "damaged") &&
                                         Has(text, "is tuned anew") && Has(text, path)),
                             what, "a warning", "'%s'", text));
  PetscCall(PlexTestReportOf((PetscBool)(m == n && !memcmp(kept, bytes, n) && results == 1 && run.J <= 1e-12), what,
                             "nothing is lost, and there is a new archive",
                             "%d of %d bytes are kept; %" PetscInt_FMT " results", (int)m, (int)n, results));
  PetscCall(PetscFree(r.candidates));
  PetscCall(PetscFree(kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of three results the one in the middle is damaged: the others are found as they were, to the last digit, and are
   still there when one is added */
static PetscErrorCode LookAtPart(void)
{
  PlexTuneResult   r[3] = {{.n = 0}}, *all, found;
  PlexCandidate    c[3] = {{.block = 0}};
  PlexArchiveState state;
  PetscInt         n, wrong = 0;
  char             kept[PETSC_MAX_PATH_LEN], *text, *at;
  PetscBool        written;
  size_t           size;

  PetscFunctionBegin;
  (void)unlink(archive);
  for (int k = 0; k < 3; ++k) {
    PetscCall(PetscStrncpy(c[k].type, PLEXASSEMBLYLOCALROW, sizeof(c[k].type)));
    PetscCall(PetscStrncpy(c[k].integration, k ? "tensor" : "", sizeof(c[k].integration)));
    c[k].block      = 32 * k;
    c[k].seconds[0] = 0.1 / (k + 3);
    c[k].flops[1]   = PETSC_MAX_REAL / (k + 1);
    r[k]            = (PlexTuneResult){
      .n          = 1,
      .candidates = &c[k],
      .mesh       = {1e6 / 7, 1. / 3, 7.},
      .products   = 3,
      .mode       = PLEX_TUNE_FULL,
      .budget     = 1e-300
    };
    PetscCall(PetscSNPrintf(r[k].problem.form, sizeof(r[k].problem.form), "form %d\nof two \\ lines", k));
    for (int i = 0; i < PLEX_MODEL_INPUTS; ++i) ((double *)&r[k].input[1])[i] = 1. / (i + k + 1);
    PetscCall(PlexArchiveAdd(archive, &r[k], kept, &written));
    if (!written || kept[0]) ++wrong;
  }
  PetscCall(PetscMalloc1(1 << 20, &text));
  PetscCall(ReadFile(archive, text, 1 << 20, &size));
  at  = strstr(strstr(text, "form form 1"), "local_row");
  *at = 'L';
  PetscCall(PlexTestWriteFile(archive, text, size));
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexArchiveFind(archive, &r[k].problem, &r[k].mesh, 3, &found, &state));
    if (state != PLEX_ARCHIVE_DAMAGED || found.n != (k != 1)) ++wrong;
    else if (found.n) {
      if (memcmp(found.candidates, &c[k], sizeof(c[k])) || memcmp(found.input, r[k].input, sizeof(r[k].input)) ||
          strcmp(found.problem.form, r[k].problem.form) || found.budget != 1e-300 ||
          found.mesh.elements != r[k].mesh.elements || found.mode != PLEX_TUNE_FULL)
        ++wrong;
      PetscCall(PetscFree(found.candidates));
    }
  }
  PetscCall(PlexTestReport((PetscBool)!wrong,
                           "of an archive that is damaged in one place the other results are found, to the last digit",
                           "%" PetscInt_FMT " wrong", wrong));
  PetscCall(PlexArchiveAdd(archive, &r[1], kept, &written));
  PetscCall(PlexArchiveRead(archive, &n, &all, &state));
  PetscCall(PlexTuneResultsDestroy(n, &all));
  PetscCall(PlexTestReport((PetscBool)(written && Has(kept, ".damaged") && n == 3 && state == PLEX_ARCHIVE_GOOD),
                           "what can be read of a damaged archive is in the new one", "%" PetscInt_FMT " results", n));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An archive with bytes that are changed, cut out or doubled at random: what is read is as it was written */
static PetscErrorCode LookAtRandomDamage(void)
{
  PlexTuneResult   r, *all;
  PlexCandidate    c[4] = {{.block = 0}};
  PlexArchiveState state;
  PetscInt         n, wrong = 0, seen = 0;
  char             kept[PETSC_MAX_PATH_LEN], *text, *changed;
  PetscBool        written;
  size_t           size;
  unsigned         seed = 1;

  PetscFunctionBegin;
  (void)unlink(archive);
  for (int k = 0; k < 5; ++k) {
    r = (PlexTuneResult){
      .n = 4, .candidates = c, .mesh = {1000., 1., 7.},
              .products = 3
    };
    PetscCall(PetscSNPrintf(r.problem.form, sizeof(r.problem.form), "form %d", k));
    for (int i = 0; i < 4; ++i) c[i].block = 10 * k + i;
    PetscCall(PlexArchiveAdd(archive, &r, kept, &written));
  }
  PetscCall(PetscMalloc2(1 << 20, &text, 1 << 20, &changed));
  PetscCall(ReadFile(archive, text, 1 << 20, &size));
  for (int t = 0; t < 400; ++t) {
    size_t at, m = size, length;

    seed   = seed * 1103515245 + 12345;
    at     = (seed >> 8) % size;
    length = PetscMin(size - at, 1 + (seed >> 4) % 100);
    PetscCall(PetscMemcpy(changed, text, size));
    if (t % 3 == 0) changed[at] = (char)(seed >> 16);
    else if (t % 3 == 1) {
      PetscCall(PetscMemmove(changed + at, changed + at + length, size - at - length));
      m = size - length;
    } else {
      PetscCall(PetscMemmove(changed + at + length, changed + at, size - at));
      m = size + length;
    }
    PetscCall(PlexTestWriteFile(archive, changed, m));
    PetscCall(PlexArchiveRead(archive, &n, &all, &state));
    if (n > 6 || (state != PLEX_ARCHIVE_DAMAGED && n != 5)) ++wrong;
    for (PetscInt k = 0; k < n; ++k) {
      int form = -1;

      if (sscanf(all[k].problem.form, "form %d", &form) != 1 || all[k].n != 4 || all[k].mesh.elements != 1000. ||
          all[k].products != 3)
        ++wrong;
      for (int i = 0; i < 4 && all[k].n == 4; ++i) wrong += all[k].candidates[i].block != 10 * form + i;
    }
    seen += n;
    PetscCall(PlexTuneResultsDestroy(n, &all));
  }
  PetscCall(PlexTestReport((PetscBool)(!wrong && seen >= 3 * 400),
                           "whatever the damage, what is read is as it was written",
                           "%" PetscInt_FMT " wrong, %" PetscInt_FMT " results", wrong, seen));
  PetscCall(PetscFree2(text, changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtArchives(void)
{
  Run         run = {.backend = PLEXBACKENDHOST, .problem = tri, .tune = PLEX_TUNE_QUICK, .time = 600, .times = 1};
  const char *bad = "this is no archive";
  char        text[4096], kept[PETSC_MAX_PATH_LEN], *whole;
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(1 << 20, &whole));
  (void)unlink(archive);
  PetscCall(Tune(&run));
  PetscCall(ReadFile(archive, whole, 1 << 20, &n));
  PetscCall(LookAtDamage("a text file for an archive", bad, strlen(bad), ".damaged"));
  PetscCall(LookAtDamage("half an archive", whole, n / 2, ".damaged.2"));
  PetscCall(PetscArrayzero(&whole[n / 4], n / 2));
  PetscCall(LookAtDamage("an archive with a hole", whole, n, ".damaged.3"));
  PetscCall(LookAtPart());
  PetscCall(LookAtRandomDamage());
  for (int k = 1; k <= 4; ++k) {
    if (k > 1) PetscCall(PetscSNPrintf(kept, sizeof(kept), "%s.damaged.%d", archive, k));
    else PetscCall(PetscSNPrintf(kept, sizeof(kept), "%s.damaged", archive));
    (void)unlink(kept);
  }
  PetscCall(PetscFree(whole));
  (void)unlink(archive);
  PetscCheck(!mkdir(archive, 0777), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make a folder %s", archive);
  PetscCall(PlexTestCapture(Tune, &run, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)(Has(text, "cannot be read") && Has(text, "-plex_assembly_tune_archive") &&
                                       run.J <= 1e-12 && run.origin == PLEX_TUNED_MEASURED),
                           "a folder for an archive: a warning, and all else works", "'%s'; %s", text, run.why));
  PetscCheck(!rmdir(archive), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Something was written into the folder %s",
             archive);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

static PetscErrorCode LookAtOption(const char name[], const char value[], const char word[])
{
  PlexTestOption option = {name, value};
  char           text[8192], what[256];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(PlexTestSetOption, &option, &ierr, text, sizeof(text)));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s %s is an error that says so", name, value));
  PetscCall(PlexTestReport((PetscBool)(ierr && Has(text, value) && Has(text, word)), what, "error %d: %s", (int)ierr,
                           text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtOptions(void)
{
  PlexAssembly assembly;
  char         text[1024] = "";
  DM           dm;

  PetscFunctionBegin;
  PetscCall(LookAtOption("-plex_assembly_tune", "thorough", "-plex_assembly_tune"));
  PetscCall(LookAtOption("-plex_assembly_tune_time", "-2", "must not be negative"));
  (void)unlink(archive);
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tune", "full"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tune_time", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tune_archive", archive));
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tune"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tune_time"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tune_archive"));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  {
    PetscReal      F, J;
    PlexTuneResult r;
    PetscInt       n;

    PetscCall(PlexTestCompare(assembly, dm, &F, &J));
    PetscCall(GetResult(&r, &n));
    PetscCall(PetscStrncpy(text, assembly->strategy[PLEX_JACOBIAN].why, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(n == 1 && r.mode == PLEX_TUNE_FULL && r.budget == 0. && J <= 1e-12 &&
                                         assembly->strategy[PLEX_JACOBIAN].origin == PLEX_TUNED_MEASURED),
                             "options reach the tuning", "mode %d, %g s; %s", (int)r.mode, r.budget, text));
    PetscCall(PetscFree(r.candidates));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Several processes */

#define ADDED 12 /* results of each process */

/* All add to one archive at the same time: none is lost */
static PetscErrorCode LookAtManyWriters(void)
{
  PlexTuneResult   r, *all;
  PlexCandidate    c;
  PlexArchiveState state;
  PetscMPIInt      rank, size;
  PetscInt         n, lost = 0, wrong = 0;
  char             kept[PETSC_MAX_PATH_LEN];
  PetscBool        written;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscMemzero(&r, sizeof(r)));
  PetscCall(PetscMemzero(&c, sizeof(c)));
  PetscCall(PetscStrncpy(c.type, PLEXASSEMBLYLOCALROW, sizeof(c.type)));
  PetscCall(PetscStrncpy(c.integration, "quadrature", sizeof(c.integration)));
  r.n          = 1;
  r.candidates = &c;
  r.mesh       = (PlexTuneMesh){1000., 0.5, 7.};
  r.products   = 3;
  for (PetscInt k = 0; k < ADDED; ++k) {
    c.block = rank * ADDED + (int)k;
    PetscCall(PetscSNPrintf(r.problem.form, sizeof(r.problem.form), "form %" PetscInt_FMT " of process %d", k / 2,
                            rank));
    r.mesh.elements = k % 2 ? 1000. : 4000.;
    PetscCall(PlexArchiveAdd(archive, &r, kept, &written));
    if (!written || kept[0]) ++lost;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &lost, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexArchiveRead(archive, &n, &all, &state));
  for (PetscInt k = 0; k < n; ++k) {
    int process = -1, form = -1;

    if (sscanf(all[k].problem.form, "form %d of process %d", &form, &process) != 2 || all[k].n != 1 ||
        all[k].candidates[0].block != process * ADDED + 2 * form + (all[k].mesh.elements == 1000.))
      ++wrong;
  }
  PetscCall(PlexTuneResultsDestroy(n, &all));
  PetscCall(PlexTestReport((PetscBool)(!lost && !wrong && n == size * ADDED && state == PLEX_ARCHIVE_GOOD),
                           "all processes add to one archive at the same time",
                           "%" PetscInt_FMT " not written, %" PetscInt_FMT " of %d there, %" PetscInt_FMT " wrong",
                           lost, n, size * ADDED, wrong));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One mesh on all processes: they take the same candidate, and the sums are right */
static PetscErrorCode LookAtAgreement(const char backend[])
{
  PlexAssembly assembly;
  DM           dm;
  PetscReal    F, J;
  char         text[1024], first[1024];
  PetscInt     differ = 0;
  PetscMPIInt  rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)unlink(archive);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  for (PetscInt again = 0; again < 2; ++again) {
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, tri.cell, 0, &dm));
    PetscCall(PlexTestMarkHeld(dm));
    PetscCall(PlexTestDistributeDefault(&dm, 0));
    PetscCall(PlexTestProblemSetUp(dm, &tri));
    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
    PetscCall(PlexAssemblySetTune(assembly, PLEX_TUNE_QUICK));
    PetscCall(PlexAssemblySetTuneTime(assembly, 600.));
    PetscCall(PlexAssemblySetTuneArchive(assembly, archive));
    PetscCall(PlexTestCompare(assembly, dm, &F, &J));
    PetscCall(PetscStrncpy(text, assembly->strategy[PLEX_JACOBIAN].why, sizeof(text)));
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      PlexStrategy *s = &assembly->strategy[kind];
      char          each[128];

      PetscCall(PetscSNPrintf(each, sizeof(each), "; %s, block %d", s->type ? s->type : "", (int)s->block));
      PetscCall(PetscStrlcat(text, each, sizeof(text)));
    }
    PetscCall(PetscStrncpy(first, text, sizeof(first)));
    PetscCallMPI(MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, PETSC_COMM_WORLD));
    differ = strcmp(first, text) != 0;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &differ, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(PlexTestReportOf((PetscBool)(!differ && F <= 1e-12 && J <= 1e-12 &&
                                           assembly->strategy[PLEX_JACOBIAN].origin ==
                                             (again ? PLEX_TUNED_FOUND : PLEX_TUNED_MEASURED)),
                               backend,
                               again ? "all processes find the same result" : "all processes take the same candidate",
                               "%" PetscInt_FMT " differ; relative errors %g and %g; %s", differ, (double)F, (double)J,
                               first));
    PetscCall(PlexAssemblyDestroy(&assembly));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  char               folder[PETSC_MAX_PATH_LEN];
  PetscInt           n;
  PetscBool          parallel = PETSC_FALSE;
  PetscMPIInt        rank, size;
  PlexBackend        b;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-parallel", &parallel, NULL));
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-tune-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(archive, sizeof(archive), "%s/tuning.txt", folder));
  if (parallel) {
    PetscCheck(size > 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "-parallel takes more than one process");
    PetscCall(LookAtManyWriters());
  } else {
    PetscCall(LookAtOptions());
    PetscCall(LookAtArchives());
  }
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexBackendCreate(backends[k], &b));
    if (parallel) PetscCall(LookAtAgreement(backends[k]));
    else {
      PetscCall(LookAtQuick(backends[k], b->kernels));
      PetscCall(LookAtFound(backends[k]));
      PetscCall(LookAtStates(backends[k]));
      PetscCall(LookAtResiduals(backends[k]));
      if (b->kernels) {
        PetscCall(LookAtQuadrature(backends[k]));
        PetscCall(LookAtOthersType(backends[k]));
        PetscCall(LookAtTwoTypes(backends[k]));
        PetscCall(LookAtOneFixed(backends[k]));
        PetscCall(LookAtTime(backends[k]));
        PetscCall(LookAtFull(backends[k]));
        PetscCall(LookAtFailure(backends[k]));
        PetscCall(LookAtValues(backends[k]));
        PetscCall(LookAtBehind(backends[k]));
      }
    }
    PetscCall(PlexBackendDestroy(&b));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) {
    (void)unlink(archive);
    PetscCall(PetscStrlcat(archive, ".lock", sizeof(archive)));
    (void)unlink(archive);
    (void)rmdir(folder);
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
