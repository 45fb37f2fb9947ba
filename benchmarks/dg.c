static char help[] = "The right-hand side of the nodal DG operator on a cube of tetrahedra, or a square of triangles: values a second.\n\n"
                     "  -dim N                 2 or 3 (default 3)\n"
                     "  -cells N               cells a side, each of them 2 triangles or 6 tetrahedra (default 8; 40 are 384,000 tetrahedra)\n"
                     "  -system NAME           advection, acoustics or maxwell (default)\n"
                     "  -degrees A,B,...       default 1 to 9\n"
                     "  -precisions A,B        double,single (default double)\n"
                     "  -types A,B,...         ways to compute it (default auto)\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -values N              cells a side are fewer where the state would have more values than this (default 200 million)\n"
                     "  -stages FILE           the kernels of a right-hand side each alone, as a table and appended to FILE\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -lock FILE             runs with the same file take turns in measuring, and set up side by side, unless set-ups measure (-plex_dg_tune)\n"
                     "  -csv FILE              append the table\n\n";

/*
  GDOF/s are values of the state, all fields, times evaluations a second. Least bytes are those of one evaluation if each number is
  moved once: the state read, its derivative written, the affine map and the links of each element; traces of neighbours come from the caches.
  A stage is one of a low-storage Runge-Kutta scheme, in the operator's precision: right-hand side and update of state and residual.
  Flops are those of the products with the reference matrices, 2 Np (dim Np + faces Nfp) a field of an element.
*/
#include "bench.h"
#include "../examples/box.h"
#include "dg_parts.h"
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct {
  PetscInt  dim, cells, reps, ndegrees, nprecisions, ntypes;
  PetscInt  degrees[16];
  char     *precisions[2], *types[16];
  char      backend[64], system[64], csv[PETSC_MAX_PATH_LEN];
  PetscReal values;
  int       lock; /* -1: none */

  BenchParts *parts; /* of -stages, or NULL */
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->dim         = 3;
  o->cells       = 8;
  o->reps        = 11;
  o->values      = 2e8;
  o->lock        = -1;
  o->ndegrees    = 16;
  o->nprecisions = 2;
  o->ntypes      = 16;
  PetscCall(PetscStrncpy(o->backend, PLEXBACKENDAUTO, sizeof(o->backend)));
  PetscCall(PetscStrncpy(o->system, "maxwell", sizeof(o->system)));
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Nodal DG operator", NULL);
  PetscCall(PetscOptionsString("-stages", "File for the table of kernels", NULL, "", path, sizeof(path), &set));
  if (set) PetscCall(BenchPartsOpen(path, &o->parts));
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", NULL, o->dim, &o->dim, NULL, 2, 3));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsString("-system", "System of equations", NULL, o->system, o->system, sizeof(o->system), NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  if (!set)
    for (o->ndegrees = 0; o->ndegrees < PLEX_DG_MAX_DEGREE; ++o->ndegrees) o->degrees[o->ndegrees] = o->ndegrees + 1;
  PetscCall(PetscOptionsStringArray("-precisions", "Arithmetic", NULL, o->precisions, &o->nprecisions, &set));
  if (!set) {
    o->nprecisions = 1;
    PetscCall(PetscStrallocpy("double", &o->precisions[0]));
  }
  PetscCall(PetscOptionsStringArray("-types", "Ways to compute it", NULL, o->types, &o->ntypes, &set));
  if (!set) {
    o->ntypes = 1;
    PetscCall(PetscStrallocpy(PLEXDGAUTO, &o->types[0]));
  }
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsReal("-values", "Most values of the state", NULL, o->values, &o->values, NULL));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", NULL, o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscCall(PetscOptionsString("-lock", "File that runs lock while they measure", NULL, "", path, sizeof(path), &set));
  if (set) {
    o->lock = open(path, O_RDWR | O_CREAT, 0644);
    PetscCheck(o->lock >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s, the file of -lock", path);
  }
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = PetscSinReal((3. + k) * x[0] + 2. * x[1] - t) + k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexDG dg;
  Vec    U, R;
} Call;

static PetscErrorCode Evaluate(void *ctx)
{
  Call *call = (Call *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeRHS(call->dg, 0., call->U, call->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a stage of a low-storage scheme in the operator's precision; 0 where the type has none */
typedef struct {
  PlexDG      dg;
  PlexDGStage stage;
} StageCall;

static PetscErrorCode EvaluateStage(void *ctx)
{
  StageCall *call = (StageCall *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeStage(call->dg, 0., &call->stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeasureStage(PlexDG dg, PetscInt reps, PetscLogDouble *seconds)
{
  const size_t bytes     = (size_t)(dg->mesh->Ne * dg->system->Nf * dg->reference->Np) * (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double));
  void        *memory[3] = {NULL, NULL, NULL};
  StageCall    call      = {.dg = dg};

  PetscFunctionBegin;
  *seconds = 0.;
  if (!dg->ops->stage) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexBackendMalloc(dg->backend, bytes, &memory[k]));
    PetscCall(PlexBackendZero(dg->backend, memory[k], bytes));
  }
  call.stage = (PlexDGStage){.u = memory[0], .residual = memory[1], .next = memory[2], .a = -0.5, .b = 0.3, .dt = 1e-3};
  PetscCall(EvaluateStage(&call)); /* compiles */
  PetscCall(BenchMedian(dg->backend, EvaluateStage, &call, reps, seconds));
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(dg->backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the table */
static PetscErrorCode Measure(const Options *o, PlexBackend backend, DM dm, PetscInt degree, const char precision[], const char type[], double copy, FILE *csv)
{
  const char    *kinds[] = {"outflow", "wall", "pec"};
  PetscBool      single, known = PETSC_FALSE;
  PetscLogDouble seconds = 0., stage = 0.;
  PetscInt       Ne, Np, Nf;
  double         values, bytes, flops;
  PlexDGType     chosen;
  PetscBool      tuned = PETSC_FALSE;
  Call           call;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(precision, "single", &single));
  PetscCall(PlexDGCreate(dm, &call.dg));
  PetscCall(PlexDGSetSystem(call.dg, o->system));
  PetscCall(PlexDGSetDegree(call.dg, degree));
  PetscCall(PlexDGSetBackend(call.dg, o->backend));
  PetscCall(PlexDGSetPrecision(call.dg, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexDGSetType(call.dg, type));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds) && !known; ++k) {
    for (PetscInt s = 0; s < call.dg->system->nkinds && !known; ++s) {
      PetscCall(PetscStrcmp(kinds[k], call.dg->system->kinds[s], &known));
      if (known) PetscCall(PlexDGAddBoundary(call.dg, NULL, PETSC_DETERMINE, kinds[k]));
    }
  }
  PetscCall(PlexDGSetFromOptions(call.dg));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plex_dg_tune", &tuned, NULL));
  if (tuned && o->lock >= 0) PetscCheck(!flock(o->lock, LOCK_EX), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot lock the file of -lock");
  PetscCall(PlexDGCreateVec(call.dg, &call.U));
  PetscCall(VecDuplicate(call.U, &call.R));
  PetscCall(PlexDGProject(call.dg, 0., Wave, NULL, call.U));
  PetscCall(Evaluate(&call));
  if (o->lock >= 0) PetscCheck(!flock(o->lock, LOCK_EX), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot lock the file of -lock");
  PetscCall(BenchMedian(backend, Evaluate, &call, o->reps, &seconds));
  PetscCall(BenchPartsMeasure(call.dg, call.U, call.R, o->reps, seconds, o->parts));
  PetscCall(MeasureStage(call.dg, o->reps, &stage));
  if (o->lock >= 0) PetscCheck(!flock(o->lock, LOCK_UN), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot unlock the file of -lock");
  Ne     = call.dg->mesh->Ne;
  Np     = call.dg->reference->Np;
  Nf     = call.dg->system->Nf;
  values = (double)Ne * Np * Nf;
  bytes  = 16. * values + (double)Ne * (o->dim * o->dim * (single ? 4. : 8.) + 4. * (o->dim + 1) + (single ? 4. : 8.) * call.dg->system->ncoefficients);
  flops  = 2. * values * (o->dim * Np + (o->dim + 1) * call.dg->reference->Nfp);
  PetscCall(PlexDGGetType(call.dg, &chosen));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %" PetscInt_FMT " | %s | %s | %" PetscInt_FMT " | %.3g | %.4g | %.3g | %.0f | %.0f %% | %.0f | %.4g | %.3g |\n", degree, chosen, precision, Ne, 1e-6 * values, 1e3 * seconds, 1e-9 * values / seconds, 1e-9 * bytes / seconds, 100. * bytes / seconds / copy, 1e-9 * flops / seconds, 1e3 * stage, stage > 0. ? 1e-9 * values / stage : 0.));
  if (csv) PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv, "%s,%s,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%.0f,%.6g,%.6g,%.6g,%.6g\n", o->system, chosen, precision, o->dim, degree, Ne, values, seconds, bytes, flops, stage));
  fflush(stdout);
  PetscCall(VecDestroy(&call.R));
  PetscCall(VecDestroy(&call.U));
  PetscCall(PlexDGDestroy(&call.dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  PlexBackend backend;
  double      copy;
  FILE       *csv   = NULL;
  PetscInt    lines = 0;

  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(GetOptions(&o));
  PetscCall(BenchCreateBackend(o.backend, &backend));
  if (o.lock >= 0) PetscCheck(!flock(o.lock, LOCK_EX), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot lock the file of -lock");
  PetscCall(BenchCopyBandwidth(backend, &copy));
  if (o.lock >= 0) PetscCheck(!flock(o.lock, LOCK_UN), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot unlock the file of -lock");
  if (o.csv[0]) PetscCall(BenchOpenCSV(o.csv, "system,type,precision,dim,degree,elements,values,seconds,bytes,flops,stage_s", &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s in %" PetscInt_FMT "D on %s (%s), copy %.0f GB/s\n\n| N | type | precision | elements | million values | ms | GDOF/s | GB/s | of copy | GFlop/s | stage, ms | GDOF/s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n", o.system, o.dim,
                        ((PetscObject)backend)->type_name, backend->limits.name, 1e-9 * copy));
  for (PetscInt k = 0; k < o.ndegrees; ++k) {
    const PetscInt fields = 6, Np = PlexDGNodesSize(o.dim, o.degrees[k]);
    PetscInt       n = o.cells;
    DM             dm;

    while (n > 1 && (o.dim == 2 ? 2. * n * n : 6. * n * n * n) * Np * fields > o.values) --n;
    PetscCall(BoxCreate(PETSC_COMM_SELF, o.dim, n, &dm));
    for (PetscInt p = 0; p < o.nprecisions; ++p) {
      for (PetscInt t = 0; t < o.ntypes; ++t, ++lines) PetscCall(Measure(&o, backend, dm, o.degrees[k], o.precisions[p], o.types[t], copy, csv));
    }
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(BenchPartsClose(&o.parts));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: %" PetscInt_FMT " lines\n", lines));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  for (PetscInt p = 0; p < o.nprecisions; ++p) PetscCall(PetscFree(o.precisions[p]));
  for (PetscInt t = 0; t < o.ntypes; ++t) PetscCall(PetscFree(o.types[t]));
  if (o.lock >= 0) close(o.lock);
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PetscFinalize());
  return 0;
}
