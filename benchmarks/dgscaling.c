static char help[] = "Weak and strong scaling of DG: a stage, its kernels, the exchange of traces.\n\n"
                     "  -problem NAME          tetrahedra: Maxwell's equations by nodal DG (default); triangles, "
                     "squares: linear shallow water by DG with quadrature\n"
                     "  -cells N               cubes of 6 tetrahedra, squares of 2 triangles, or squares along a side "
                     "of the coarse box, of each process where weak, of all together where strong (default 10)\n"
                     "  -refine N              how often the mesh is refined once it is distributed (default 2: "
                     "384,000 tetrahedra of 10 cubes)\n"
                     "  -weak (true|false)     a box a process (default), or one box for all\n"
                     "  -degrees A,B,...       default 4\n"
                     "  -precisions A,B        double,single (default double)\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -calls N               stages of a sample, one behind the other (default 20)\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -csv FILE              append the table\n\n";

/*
  A stage is one of a low-storage scheme in the operator's precision, of a type that has them, else a right-hand side.
  Times are wall times of a call between barriers, of the slowest process: of stages as they are; of their kernels
  alone, with the traces of a call before; of the exchange alone.
*/
#include "bench.h"
#include "blocks.h"
#include <plexgpu/private/dgimpl.h>

enum {
  TETRAHEDRA,
  TRIANGLES,
  SQUARES
};
static const char *const problems[] = {"tetrahedra", "triangles", "squares"};

typedef struct {
  PetscInt  problem, dim, cells, refine, reps, calls, ndegrees, nprecisions, degrees[PLEX_DG_MAX_QUADRATURE_DEGREE];
  PetscInt  grid[3]; /* processes along each axis */
  PetscBool weak;
  char     *precisions[2], backend[64], csv[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool   cuda, set;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->cells       = 10;
  o->refine      = 2;
  o->reps        = 11;
  o->calls       = 20;
  o->weak        = PETSC_TRUE;
  o->ndegrees    = PLEX_DG_MAX_QUADRATURE_DEGREE;
  o->nprecisions = 2;
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Scaling of DG", NULL);
  PetscCall(PetscOptionsEList("-problem", "Equations and elements", NULL, problems, PETSC_STATIC_ARRAY_LENGTH(problems),
                              problems[o->problem], &o->problem, NULL));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cubes along a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", NULL, o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsBool("-weak", "A box a process", NULL, o->weak, &o->weak, NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  if (!set) {
    o->ndegrees   = 1;
    o->degrees[0] = 4;
  }
  PetscCall(PetscOptionsStringArray("-precisions", "Arithmetic", NULL, o->precisions, &o->nprecisions, &set));
  if (!set) {
    o->nprecisions = 1;
    PetscCall(PetscStrallocpy("double", &o->precisions[0]));
  }
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsBoundedInt("-calls", "Stages of a sample", NULL, o->calls, &o->calls, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", NULL, o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscOptionsEnd();
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  o->dim = o->problem == TETRAHEDRA ? 3 : 2;
  BlocksMakeGrid(o->dim, size, o->grid);
  for (PetscInt d = 0; d < 3; ++d)
    PetscCheck(o->weak || o->cells >= o->grid[d], PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " cubes along a side cannot be cut into %" PetscInt_FMT " blocks: give a larger -cells",
               o->cells, o->grid[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is measured */
typedef struct {
  PlexDG   dg;
  void    *memory[3]; /* of stages: states and residual */
  Vec      U, R;      /* of right-hand sides */
  PetscInt count;     /* states alternate */
} Problem;

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = PetscSinReal((3. + k) * x[0] + 2. * x[1] - t) + k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemCreate(const Options *o, DM dm, PetscInt degree, const char precision[], Problem *p)
{
  PetscBool single;
  size_t    bytes;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscCall(PetscStrcmp(precision, "single", &single));
  PetscCall(PlexDGCreate(dm, &p->dg));
  PetscCall(PlexDGSetSystem(p->dg, o->problem == TETRAHEDRA ? "maxwell" : "shallow_water_linear"));
  if (o->problem != TETRAHEDRA) PetscCall(PlexDGSetDiscretization(p->dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(p->dg, degree));
  PetscCall(PlexDGSetBackend(p->dg, o->backend));
  PetscCall(PlexDGSetPrecision(p->dg, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexDGAddBoundary(p->dg, NULL, PETSC_DETERMINE, o->problem == TETRAHEDRA ? "pec" : "wall"));
  PetscCall(PlexDGSetFromOptions(p->dg));
  PetscCall(PlexDGSetUp(p->dg));
  if (!p->dg->ops->stage) {
    PetscCall(PlexDGCreateVec(p->dg, &p->U));
    PetscCall(VecDuplicate(p->U, &p->R));
    PetscCall(PlexDGProject(p->dg, 0., Wave, NULL, p->U));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bytes = (size_t)(p->dg->mesh->Ne * p->dg->system->Nf * p->dg->reference->Np) *
          (single ? sizeof(float) : sizeof(double));
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexBackendMalloc(p->dg->backend, bytes, &p->memory[k]));
    PetscCall(PlexBackendZero(p->dg->backend, p->memory[k], bytes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(p->dg->backend, &p->memory[k]));
  PetscCall(VecDestroy(&p->U));
  PetscCall(VecDestroy(&p->R));
  PetscCall(PlexDGDestroy(&p->dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(Problem *p)
{
  const PetscInt    from = p->count++ % 2;
  const PlexDGStage stage =
    {.u = p->memory[from], .residual = p->memory[2], .next = p->memory[1 - from], .a = -0.5, .b = 0.3, .dt = 1e-6};

  PetscFunctionBegin;
  if (p->U) PetscCall(PlexDGComputeRHS(p->dg, 0., p->U, p->R));
  else PetscCall(PlexDGComputeStage(p->dg, 0., &stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median seconds of a call */
static PetscErrorCode WallMedian(const Options *o, Problem *p, PetscLogDouble *median)
{
  PetscReal     *samples;
  PetscLogDouble begin, end, seconds;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->reps, &samples));
  PetscCall(Compute(p)); /* compiles */
  for (PetscInt r = 0; r < o->reps; ++r) {
    PetscCall(PlexBackendSynchronize(p->dg->backend));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&begin));
    for (PetscInt c = 0; c < o->calls; ++c) PetscCall(Compute(p));
    PetscCall(PlexBackendSynchronize(p->dg->backend));
    PetscCall(PetscTime(&end));
    seconds = (end - begin) / o->calls;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    samples[r] = (PetscReal)seconds;
  }
  PetscCall(PetscSortReal(o->reps, samples));
  *median = o->reps % 2 ? samples[o->reps / 2] : 0.5 * (samples[o->reps / 2 - 1] + samples[o->reps / 2]);
  PetscCall(PetscFree(samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the table */
static PetscErrorCode Measure(const Options *o, DM dm, PetscInt degree, const char precision[],
                              PetscLogDouble meshSeconds, FILE *csv)
{
  Problem        p;
  PlexDGMesh     mesh;
  PlexDGExchange exchange;
  PetscInt       Ne, interior, all[2];
  PetscLogDouble begin, end, whole = 0., kernels = 0., travel = 0.;
  double         values, sent;
  PetscMPIInt    size;
  const char    *mode = o->weak ? "weak" : "strong";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscTime(&begin));
  PetscCall(ProblemCreate(o, dm, degree, precision, &p));
  PetscCall(PetscTime(&end));
  mesh = p.dg->mesh;
  PetscCall(WallMedian(o, &p, &whole));
  exchange       = p.dg->exchange;
  p.dg->exchange = NULL;
  PetscCall(WallMedian(o, &p, &kernels));
  p.dg->exchange = exchange;
  Ne             = mesh->Ne;
  interior       = mesh->Ninterior;
  /* no elements: traces are packed and travel, and nothing else; a right-hand side checks its vectors */
  if (exchange && !p.U) {
    mesh->Ne = mesh->Ninterior = 0;
    PetscCall(WallMedian(o, &p, &travel));
    mesh->Ne        = Ne;
    mesh->Ninterior = interior;
  }
  all[0] = interior;
  all[1] = mesh->nghosts;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all[0], 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all[1], 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  values = (double)mesh->NeGlobal * p.dg->reference->Np * p.dg->system->Nf;
  sent   = 8. * all[1] * p.dg->reference->Nfp * p.dg->system->Nf;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "| %d | %" PetscInt_FMT " | %s | %" PetscInt_FMT
                        " | %.2f %% | %s | %.4f | %.4f | %.4f | %.2f | %.1f | %.1f | %.1f |\n",
                        size, degree, precision, mesh->NeGlobal, 100. * (1. - (double)all[0] / mesh->NeGlobal),
                        p.U ? "r" : "stage", 1e3 * whole, 1e3 * kernels, 1e3 * travel, 1e-6 * sent,
                        1e-9 * values / whole, meshSeconds, end - begin));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, csv,
                           "%s,%s,%d,%" PetscInt_FMT ",%s,%" PetscInt_FMT ",%.0f,%.6g,%.6g,%.6g,%.6g,%s\n", mode,
                           o->backend, size, degree, precision, mesh->NeGlobal, values, whole, kernels, travel, sent,
                           problems[o->problem]));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  DM             mesh;
  PetscInt       n[3], lines = 0;
  PetscLogDouble begin, end;
  FILE          *csv = NULL;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(GetOptions(&o));
  if (o.csv[0])
    PetscCall(BenchOpenCSV(o.csv,
                           "mode,backend,processes,degree,precision,elements,values,seconds,kernels_s,exchange_s,sent_"
                           "bytes,problem",
                           &csv));
  PetscCall(PetscTime(&begin));
  for (PetscInt d = 0; d < 3; ++d) n[d] = d >= o.dim ? 1 : o.weak ? o.cells * o.grid[d] : o.cells;
  if (o.problem == TETRAHEDRA) PetscCall(BlocksCreateTetrahedra(PETSC_COMM_WORLD, n, &mesh));
  else PetscCall(BlocksCreateSquares(PETSC_COMM_WORLD, n, (PetscBool)(o.problem == TRIANGLES), &mesh));
  PetscCall(BlocksDistribute(o.grid, n, &mesh));
  PetscCall(BlocksRefine(o.refine, &mesh));
  PetscCall(PetscTime(&end));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\n%s scaling, %s, backend %s: times in ms of the slowest process, MB sent by the one that "
                        "sends most\n\n| processes | N | precision | elements | with faces shared | call | whole | "
                        "kernels | exchange | MB | GDOF/s | mesh, s | set-up, s "
                        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                        o.weak ? "Weak" : "Strong", problems[o.problem], o.backend));
  for (PetscInt k = 0; k < o.ndegrees; ++k)
    for (PetscInt p = 0; p < o.nprecisions; ++p, ++lines)
      PetscCall(Measure(&o, mesh, o.degrees[k], o.precisions[p], end - begin, csv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nresult: lines=%" PetscInt_FMT "\n", lines));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  for (PetscInt p = 0; p < o.nprecisions; ++p) PetscCall(PetscFree(o.precisions[p]));
  PetscCall(DMDestroy(&mesh));
  PetscCall(BenchFinalize(lines));
  return 0;
}
