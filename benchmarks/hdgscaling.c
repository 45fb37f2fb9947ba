static char help[] = "Weak and strong scaling of hybridized DG, the Helmholtz equation on a row of squares of "
                     "triangles, one a process: every stage, and the trace's solve.\n\n"
                     "  -cells N               squares of 2 triangles along a side of the coarse mesh, of each process "
                     "where weak, of all together where strong (default 25)\n"
                     "  -refine N              how often the mesh is refined once it is distributed (default 4: "
                     "320,000 triangles of 25 squares)\n"
                     "  -weak (true|false)     a square a process (default), or one for all\n"
                     "  -degrees A,B,...       default 3\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -reps N                solves whose mean is taken (default 3), after a first one\n"
                     "  -csv FILE              append the table\n"
                     "  -plex_hdg_...          options of the discretization and its solver\n\n";

/* Times are of PETSc's events, of the slowest process; all processes begin a solve together */
#include "bench.h"
#include "blocks.h"
#include <plexgpu/private/hdgimpl.h>

static const char *const stages[] = {"PlexHDGLocal", "PlexHDGAssemble", "PlexHDGRHS",
                                     "PlexHDGSolve", "PlexHDGRecover",  "PlexHDGPost"};
#define STAGES 6

typedef struct {
  PetscInt  cells, refine, reps, ndegrees, degrees[PLEX_HDG_MAX_DEGREE];
  PetscBool weak;
  char      backend[64], csv[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool cuda, set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->cells    = 25;
  o->refine   = 4;
  o->reps     = 3;
  o->weak     = PETSC_TRUE;
  o->ndegrees = PLEX_HDG_MAX_DEGREE;
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Scaling of hybridized DG", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Squares along a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", NULL, o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsBool("-weak", "A square a process", NULL, o->weak, &o->weak, NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  if (!set) {
    o->ndegrees   = 1;
    o->degrees[0] = 3;
  }
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsBoundedInt("-reps", "Solves", NULL, o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wave(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  (void)dim;
  (void)n;
  (void)ctx;
  f[0] = PetscSinReal(0.5 * x[0]) * PetscCosReal(0.3 * x[1]);
  return PETSC_SUCCESS;
}

static PetscErrorCode GetTimes(PetscLogDouble seconds[])
{
  PetscFunctionBegin;
  for (int s = 0; s < STAGES; ++s) {
    PetscLogEvent      event;
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetId(stages[s], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    seconds[s] = info.time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean seconds of the stages of the slowest process, then of all of a solve */
static PetscErrorCode Time(const Options *o, PlexHDG hdg, PetscLogDouble seconds[])
{
  PetscLogDouble before[STAGES], after[STAGES], begin, end;

  PetscFunctionBegin;
  for (int s = 0; s <= STAGES; ++s) seconds[s] = 0.;
  for (PetscInt r = -1; r < o->reps; ++r) { /* the first one makes workspaces */
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(GetTimes(before));
    PetscCall(PetscTime(&begin));
    hdg->assembled = PETSC_FALSE; /* K is computed, too */
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexBackendSynchronize(hdg->backend));
    PetscCall(PetscTime(&end));
    PetscCall(GetTimes(after));
    for (int s = 0; s < STAGES && r >= 0; ++s) seconds[s] += (after[s] - before[s]) / o->reps;
    if (r >= 0) seconds[STAGES] += (end - begin) / o->reps;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, seconds, STAGES + 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the table */
static PetscErrorCode Measure(const Options *o, DM dm, PetscInt degree, FILE *csv)
{
  PlexHDG        hdg;
  KSP            ksp;
  Vec            trace;
  PetscInt       its, unknowns;
  PetscLogDouble seconds[STAGES + 1], begin, end;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSetTau(hdg, 1.)); /* as in the paper */
  PetscCall(PlexHDGSetSource(hdg, Wave, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSetBackend(hdg, o->backend));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PetscTime(&end));
  PetscCall(Time(o, hdg, seconds));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &unknowns));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %d | %" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT " |", size,
                        degree, hdg->mesh->NeGlobal, unknowns));
  for (int s = 0; s <= STAGES; ++s) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %.3f |", 1e3 * seconds[s]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %" PetscInt_FMT " | %.1f |\n", its, end - begin));
  if (csv) {
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, csv, "%s,%s,%d,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT,
                           o->weak ? "weak" : "strong", o->backend, size, degree, hdg->mesh->NeGlobal, unknowns));
    for (int s = 0; s <= STAGES; ++s) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, csv, ",%.6g", seconds[s]));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, csv, ",%" PetscInt_FMT "\n", its));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  DM          mesh;
  PetscInt    n[3] = {1, 1, 1}, grid[3] = {1, 1, 1};
  PetscMPIInt size;
  FILE       *csv = NULL;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PlexGPUInitializePackage());
  PetscCall(GetOptions(&o));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(o.weak || o.cells >= size, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " squares along a side cannot be cut into %d blocks: give a larger -cells", o.cells,
             size);
  if (o.csv[0])
    PetscCall(BenchOpenCSV(o.csv,
                           "mode,backend,processes,degree,elements,unknowns,local_s,assemble_s,rhs_s,solve_s,recover_s,"
                           "post_s,seconds,iterations",
                           &csv));
  grid[0] = size;
  n[0]    = o.weak ? o.cells * size : o.cells;
  n[1]    = o.cells;
  PetscCall(BlocksCreateSquares(PETSC_COMM_WORLD, n, PETSC_TRUE, &mesh));
  PetscCall(BlocksDistribute(grid, n, &mesh));
  PetscCall(BlocksRefine(o.refine, &mesh));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\n%s scaling, backend %s: times in ms of the slowest process\n\n| processes | P | elements | "
                        "unknowns | local matrices | assembly | right-hand side | trace solve | local solve | "
                        "post-processing | all | iterations | set-up, s "
                        "|\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                        o.weak ? "Weak" : "Strong", o.backend));
  for (PetscInt k = 0; k < o.ndegrees; ++k) PetscCall(Measure(&o, mesh, o.degrees[k], csv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nresult: lines=%" PetscInt_FMT "\n", o.ndegrees));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  PetscCall(DMDestroy(&mesh));
  PetscCall(PetscFinalize());
  return 0;
}
