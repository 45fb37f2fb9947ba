static char help[] = "The right-hand side of Maxwell's equations by nodal DG on a cube of tetrahedra, all degrees and ways.\n\n"
                     "  -cubes N               6 N^3 tetrahedra (default 40: 384,000; without a GPU 4)\n"
                     "  -degrees N,M,...       (default 1,2,...,9)\n"
                     "  -precisions P,...      double, single (default both)\n"
                     "  -types TYPE,...        (default plain,fused; host on the backend host)\n"
                     "  -bench_backend B       cuda, host or emulate (default cuda where there is a GPU, else host)\n"
                     "  -reps N                samples, of which the median is taken (default 11)\n"
                     "  -csv FILE              appends the results\n\n";

/*
  r: right-hand side, from and to PETSc's vectors. stage: a stage of a low-storage scheme in the operator's own precision, where a type has one.

  Bytes that have to move: r reads the state and writes as much; a stage reads state and residual and writes both. Neighbours' traces, Nfp/Np faces times the state, come
  from memory at worst, and are counted once a face node; geometry of 9 numbers and 4 links an element.
  Flops are those of the products alone, with D and L full: 12 Np^2 of D with covariant components, 6 Np 4 Nfp of L, two flops each.
*/
#include "bench.h"
#include <plexgpu/dg.h>
#include "tetrahedra.h"

#define MAX_LIST 9

typedef struct {
  PetscInt cubes, degrees[MAX_LIST], ndegrees, reps, ntypes, nprecisions;
  char    *types[MAX_LIST], *precisions[MAX_LIST];
  char     backend[16], csv[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool gpu, set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &gpu));
  PetscCall(PetscStrncpy(o->backend, gpu ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  o->cubes    = gpu ? 40 : 4;
  o->reps     = 11;
  o->ndegrees = o->ntypes = o->nprecisions = MAX_LIST;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Benchmark of nodal DG", NULL);
  PetscCall(PetscOptionsBoundedInt("-cubes", "Cubes along a side, six tetrahedra each", "maxwell.c", o->cubes, &o->cubes, NULL, 1));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", "maxwell.c", o->degrees, &o->ndegrees, &set));
  if (!set)
    for (o->ndegrees = 0; o->ndegrees < MAX_LIST; ++o->ndegrees) o->degrees[o->ndegrees] = o->ndegrees + 1;
  PetscCall(PetscOptionsString("-bench_backend", "cuda, host or emulate", "maxwell.c", o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsStringArray("-types", "Types", "maxwell.c", o->types, &o->ntypes, &set));
  if (!set) {
    PetscBool host;

    PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
    PetscCall(PetscStrallocpy(host ? PLEXDGHOST : PLEXDGPLAIN, &o->types[0]));
    PetscCall(PetscStrallocpy(PLEXDGFUSED, &o->types[1]));
    o->ntypes = host ? 1 : 2;
    if (host) PetscCall(PetscFree(o->types[1]));
  }
  PetscCall(PetscOptionsStringArray("-precisions", "Precisions", "maxwell.c", o->precisions, &o->nprecisions, &set));
  if (!set) {
    PetscCall(PetscStrallocpy("double", &o->precisions[0]));
    PetscCall(PetscStrallocpy("single", &o->precisions[1]));
    o->nprecisions = 2;
  }
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "maxwell.c", o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File of comma separated values", "maxwell.c", o->csv, o->csv, sizeof(o->csv), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is timed */
typedef struct {
  PlexDG      dg;
  PlexDGArgs  args;
  PlexDGStage stage;
} Call;

static PetscErrorCode ComputeRHS(void *ctx)
{
  Call *call = (Call *)ctx;

  PetscFunctionBegin;
  PetscCall(call->dg->ops->rhs(call->dg, &call->args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComputeStage(void *ctx)
{
  Call *call = (Call *)ctx;

  PetscFunctionBegin;
  PetscCall(call->dg->ops->stage(call->dg, &call->args, &call->stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a right-hand side, and of a stage (0: the type has none) */
static PetscErrorCode Measure(PlexDG dg, PetscInt reps, PetscLogDouble *rhs, PetscLogDouble *stage)
{
  PlexBackend    backend = dg->backend;
  const size_t   n       = (size_t)dg->mesh->Ne * (size_t)(dg->system->Nf * dg->reference->Np), real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  Call           call    = {.dg = dg, .args = dg->args};
  void          *memory[4] = {NULL, NULL, NULL, NULL};

  PetscFunctionBegin;
  *stage = 0;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexBackendMalloc(backend, n * sizeof(double), &memory[k]));
    PetscCall(PlexBackendZero(backend, memory[k], n * sizeof(double)));
  }
  call.args.u     = (const double *)memory[0];
  call.args.r     = (double *)memory[1];
  call.args.begin = 0;
  call.args.end   = (int)dg->mesh->Ne;
  PetscCall(BenchMedian(backend, ComputeRHS, &call, reps, rhs));
  if (dg->ops->stage) {
    for (PetscInt k = 2; k < 4; ++k) {
      PetscCall(PlexBackendMalloc(backend, n * real, &memory[k]));
      PetscCall(PlexBackendZero(backend, memory[k], n * real));
    }
    call.stage = (PlexDGStage){.u = memory[0], .residual = memory[2], .next = memory[3], .a = 0.5, .b = 0.3, .dt = 1e-3};
    PetscCall(BenchMedian(backend, ComputeStage, &call, reps, stage));
  }
  for (PetscInt k = 0; k < 4; ++k) PetscCall(PlexBackendFree(backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCase(const Options *o, DM dm, PetscInt degree, const char precision[], const char type[], double copy, FILE *csv, double *best)
{
  PlexDG          dg;
  PlexDGReference R;
  PetscLogDouble  rhs = 0, stage = 0;
  PetscBool       single;
  double          values, flops, bytes, seconds;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(precision, "single", &single));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, degree));
  PetscCall(PlexDGSetPrecision(dg, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexDGSetBackend(dg, o->backend));
  PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(Measure(dg, o->reps, &rhs, &stage));
  R       = dg->reference;
  values  = 6. * (double)R->Np * (double)dg->mesh->Ne;
  flops   = 2. * (12. * R->Np + 6. * R->faces * R->Nfp) / 6.;
  seconds = stage > 0 ? stage : rhs;
  bytes   = (stage > 0 ? 4. : 2.) * (single && stage > 0 ? 4. : 8.) + (single && stage > 0 ? 4. : 8.) * R->faces * R->Nfp / (double)R->Np + (9. * (single ? 4. : 8.) + 16.) / (6. * R->Np);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %" PetscInt_FMT " | %s | %-5s | %9.4f | %7.2f | ", degree, precision, type, 1e3 * rhs, 1e-9 * values / rhs));
  if (stage > 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%9.4f | %7.2f |", 1e3 * stage, 1e-9 * values / stage));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "        - |       - |"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %6.2f | %5.1f %% |\n", 1e-12 * values * flops / seconds, 100. * values * bytes / seconds / copy));
  if (csv) PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv, "%" PetscInt_FMT ",%s,%s,%s,%" PetscInt_FMT ",%e,%e,%e,%e,%e\n", degree, precision, type, o->backend, dg->mesh->Ne, rhs, stage, flops, bytes, copy));
  *best = PetscMax(*best, values / seconds);
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  PlexBackend backend;
  DM          dm;
  FILE       *csv = NULL;
  PetscInt    Ne;
  double      copy, best = 0;

  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(GetOptions(&o));
  PetscCall(BenchCreateBackend(o.backend, &backend));
  PetscCall(BenchCopyBandwidth(backend, &copy));
  PetscCall(MeshTetrahedra(PETSC_COMM_WORLD, (PetscInt[]){o.cubes, o.cubes, o.cubes}, &dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, NULL, &Ne));
  if (o.csv[0]) PetscCall(BenchOpenCSV(o.csv, "degree,precision,type,backend,elements,rhs_s,stage_s,flops_a_value,bytes_a_value,copy_bandwidth", &csv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "## Maxwell's equations, %" PetscInt_FMT " tetrahedra; backend %s; a copy reaches %.0f GB/s\n\n", Ne, o.backend, 1e-9 * copy));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "GDOF/s: values of fields a second. TFLOP/s and the share of the copy rate are those of the stage, where there is one.\n\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| N | precision | type | r, ms | GDOF/s | stage, ms | GDOF/s | TFLOP/s | of copy |\n|--:|:--|:--|--:|--:|--:|--:|--:|--:|\n"));
  for (PetscInt p = 0; p < o.nprecisions; ++p)
    for (PetscInt d = 0; d < o.ndegrees; ++d)
      for (PetscInt t = 0; t < o.ntypes; ++t) PetscCall(RunCase(&o, dm, o.degrees[d], o.precisions[p], o.types[t], copy, csv, &best));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nresult: benchmark=maxwell backend=%s elements=%" PetscInt_FMT " best_gdof=%.3f\n", o.backend, Ne, 1e-9 * best));
  for (PetscInt t = 0; t < o.ntypes; ++t) PetscCall(PetscFree(o.types[t]));
  for (PetscInt p = 0; p < o.nprecisions; ++p) PetscCall(PetscFree(o.precisions[p]));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PetscFinalize());
  return 0;
}
