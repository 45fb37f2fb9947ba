static char help[] = "Every assembly type on one mesh: times, rates and what setting up costs, beside the host and PETSc.\n\n"
                     "  -cell CELL             triangle (plate), tetrahedron (block), quadrilateral or hexahedron (boxes); default triangle\n"
                     "  -mesh FILE             another Gmsh file for triangle or tetrahedron\n"
                     "  -refine N              times that a Gmsh mesh is refined (default 2)\n"
                     "  -faces N               cells along a box's side (default 32)\n"
                     "  -reorder TYPE          none (default), rcm or morton: the order of the cells\n"
                     "  -order N               order of the elements, 1 to 5\n"
                     "  -vector                linear elasticity instead of the heat equation\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -types A,B,...         the types to run; default all\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -reference_cells N     PETSc and the host backend are timed on at most so many cells (default 100000)\n"
                     "  -lock FILE             runs with the same file take turns in measuring, and make their meshes and plans side by side\n"
                     "  -csv FILE              append the table\n\n";

/*
  Jacobian ms and residual ms are device times between events around the launches (wall time on the host), medians. GB/s: the
  least bytes of [A F], 8 nnz + 8 rows + 8 dim nodes, over the sum of both times; "of copy" is its share of what a device to
  device copy reaches. "x host" and "x PETSc" are times an element on one core over this one's.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include <plexgpu/impl.h>
#include <petsc/private/vecimpl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "elasticity.h"

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[], PetscCtx ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

static const char *const Cells[]    = {"triangle", "tetrahedron", "quadrilateral", "hexahedron"};
static const char *const Reorders[] = {"none", MATORDERINGRCM, "morton"};
enum {
  CELL_TRIANGLE,
  CELL_TETRAHEDRON,
  CELL_QUADRILATERAL,
  CELL_HEXAHEDRON
};

typedef struct {
  PetscInt  cell, reorder, refine, faces, order, reps, referenceCells;
  PetscInt  ntypes;
  PetscBool vector;
  int       lock; /* file descriptor, -1: none */
  char     *types[16];
  char      mesh[PETSC_MAX_PATH_LEN], source[PETSC_MAX_PATH_LEN], csv[PETSC_MAX_PATH_LEN], backend[64];
} Options;

/* Seconds, but for difference (relative, -1: not compared) */
typedef struct {
  PetscLogDouble jacobian, residual, setup, plan, compile;
  PetscReal      difference;
} Row;

static PetscErrorCode OptionsGet(Options *o)
{
  char      folder[PETSC_MAX_PATH_LEN], lock[PETSC_MAX_PATH_LEN] = "";
  PetscBool cuda, given;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->refine         = 2;
  o->faces          = 32;
  o->order          = 1;
  o->reps           = 11;
  o->referenceCells = 100000;
  o->ntypes         = PETSC_STATIC_ARRAY_LENGTH(o->types);
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Assembly benchmark", "");
  PetscCall(PetscOptionsEList("-cell", "Cell", "assembly.c", Cells, PETSC_STATIC_ARRAY_LENGTH(Cells), Cells[o->cell], &o->cell, NULL));
  PetscCall(PetscOptionsString("-mesh", "Gmsh file", "assembly.c", o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", "assembly.c", o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-faces", "Cells along a side", "assembly.c", o->faces, &o->faces, NULL, 1));
  PetscCall(PetscOptionsEList("-reorder", "Order of the cells", "assembly.c", Reorders, PETSC_STATIC_ARRAY_LENGTH(Reorders), Reorders[o->reorder], &o->reorder, NULL));
  PetscCall(PetscOptionsRangeInt("-order", "Order of the elements", "assembly.c", o->order, &o->order, NULL, 1, 5));
  PetscCall(PetscOptionsBool("-vector", "Linear elasticity", "assembly.c", o->vector, &o->vector, NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "assembly.c", o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsStringArray("-types", "Types", "assembly.c", o->types, &o->ntypes, &given));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "assembly.c", o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-reference_cells", "Cells of the host's mesh", "assembly.c", o->referenceCells, &o->referenceCells, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File of comma separated values", "assembly.c", o->csv, o->csv, sizeof(o->csv), NULL));
  PetscCall(PetscOptionsString("-lock", "File that runs share to take turns", "assembly.c", lock, lock, sizeof(lock), NULL));
  PetscOptionsEnd();
  o->lock = -1;
  if (lock[0]) {
    o->lock = open(lock, O_CREAT | O_RDWR, 0666);
    PetscCheck(o->lock >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s, the file of -lock", lock);
  }
  if (!given) {
    o->ntypes = TIMING_TYPES;
    for (PetscInt i = 0; i < TIMING_TYPES; ++i) PetscCall(PetscStrallocpy(TimingTypes[i], &o->types[i]));
  }
  if (o->vector) {
    PetscCall(HeatFindFile("heat.h", folder, sizeof(folder))); /* elasticity.h lies in the folder beside */
    PetscCall(PetscSNPrintf(o->source, sizeof(o->source), "%.*s/../benchmarks/elasticity.h", (int)(strlen(folder) - strlen("/heat.h")), folder));
  } else PetscCall(HeatFindFile("heat.h", o->source, sizeof(o->source)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begins (or ends) what no other run should disturb */
static PetscErrorCode TakeTurn(const Options *o, PetscBool begin)
{
  PetscFunctionBegin;
  if (o->lock >= 0) PetscCheck(!flock(o->lock, begin ? LOCK_EX : LOCK_UN), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot lock the file of -lock");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh, `coarser` refinements (halvings of a box's side) below the size asked for */
static PetscErrorCode CreateMesh(const Options *o, PetscInt coarser, DM *dm)
{
  const PetscInt dim = o->cell == CELL_TETRAHEDRON || o->cell == CELL_HEXAHEDRON ? 3 : 2;
  char           path[PETSC_MAX_PATH_LEN];
  DM             next;
  IS             perm;

  PetscFunctionBegin;
  if (o->cell == CELL_QUADRILATERAL || o->cell == CELL_HEXAHEDRON) {
    const PetscInt n        = PetscMax(o->faces >> coarser, 1);
    const PetscInt faces[3] = {n, n, n};

    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, dm));
  } else {
    if (o->mesh[0]) PetscCall(PetscStrncpy(path, o->mesh, sizeof(path)));
    else PetscCall(HeatFindFile(dim == 2 ? "plate.msh" : "block.msh", path, sizeof(path)));
    PetscCall(HeatCreateMesh(PETSC_COMM_SELF, path, dm));
    for (PetscInt l = 0; l < o->refine - coarser; ++l) {
      PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
      PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &next));
      PetscCall(DMDestroy(dm));
      *dm = next;
    }
  }
  if (o->reorder) {
    PetscCall(DMPlexGetOrdering(*dm, Reorders[o->reorder], NULL, &perm));
    PetscCall(DMPlexPermute(*dm, perm, &next));
    PetscCall(ISDestroy(&perm));
    PetscCall(DMDestroy(dm));
    *dm = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vector elements with linear elasticity, fixed on the first boundary */
static PetscErrorCode SetUpElasticity(DM dm, PetscInt order)
{
  const PetscScalar constants[2] = {1.0, 1.5};
  const PetscInt    fixed        = HEAT_LEFT;
  PetscInt          dim;
  DMPolytopeType    ct;
  DMLabel           label;
  PetscFE           fe;
  PetscDS           ds;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, dim, ct, order, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_elasticity, f1_elasticity));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_elasticity));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "fixed", label, 1, &fixed, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh, problem and a smooth state to assemble at, for a backend */
static PetscErrorCode CreateProblem(const Options *o, PetscInt coarser, PlexBackendType backend, DM *dm, TimingProblem *problem)
{
  Vec locX;

  PetscFunctionBegin;
  PetscCall(CreateMesh(o, coarser, dm));
  if (o->vector) PetscCall(SetUpElasticity(*dm, o->order));
  else PetscCall(HeatSetUpProblem(*dm, o->order, PETSC_FALSE, 0.1));
  PetscCall(DMCreateLocalVector(*dm, &locX));
  PetscCall(VecSet(locX, 1.0));
  PetscCall(DMPlexSNESComputeBoundaryFEM(*dm, locX, NULL));
  PetscCall(TimingProblemCreateForBackend(*dm, backend, PETSC_TRUE, locX, problem));
  PetscCall(VecDestroy(&locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best of three: another run's copies between host and device may disturb one */
static PetscErrorCode CopyBandwidth(const Options *o, PlexBackend backend, double *copy)
{
  double bandwidth;

  PetscFunctionBegin;
  *copy = 0;
  PetscCall(TakeTurn(o, PETSC_TRUE));
  for (PetscInt k = 0; k < 3; ++k) {
    backend->bandwidth = 0; /* measure again */
    PetscCall(PlexBackendGetCopyBandwidth(backend, &bandwidth));
    *copy = PetscMax(*copy, bandwidth);
  }
  PetscCall(TakeTurn(o, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median seconds of device time a call */
static PetscErrorCode DeviceMedian(PetscErrorCode (*f)(PlexAssembly, TimingProblem *), PlexAssembly plex, TimingProblem *problem, PetscInt reps, PetscLogDouble *median)
{
  PlexBackend    backend;
  PetscReal     *samples;
  PetscLogDouble seconds;
  PetscInt       calls = 1;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetBackend(plex, &backend));
  PetscCall(PetscMalloc1(reps, &samples));
  for (PetscInt r = -1; r < reps; ++r) { /* r = -1 finds how many calls make 1 ms */
    PetscCall(PlexBackendTimerBegin(backend));
    for (PetscInt i = 0; i < calls; ++i) PetscCall(f(plex, problem));
    PetscCall(PlexBackendTimerEnd(backend, &seconds));
    if (r >= 0) samples[r] = (PetscReal)(seconds / calls);
    else if (seconds < 1e-3) calls = (PetscInt)PetscMin(100.0, PetscCeilReal(1e-3 / PetscMax(seconds, 1e-6)));
  }
  PetscCall(PetscSortReal(reps, samples));
  *median = reps % 2 ? samples[reps / 2] : 0.5 * (samples[reps / 2 - 1] + samples[reps / 2]);
  PetscCall(PetscFree(samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(const Options *o, const char backend[], DM dm, PlexAssembly *plex)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, o->source));
  (*plex)->fallback = PETSC_FALSE; /* nothing but this library is to be measured */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets one type up and measures it; type NULL: the host backend's one way. What types share (the mesh, the partitions) is made
   for the first that needs it and counts as its set-up and plan. */
static PetscErrorCode Measure(const Options *o, PlexAssembly plex, const char type[], TimingProblem *problem, TimingProblem *reference, Row *row)
{
  PetscReal      difference[2];
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(row, sizeof(*row)));
  row->difference = -1;
  if (type) PetscCall(PlexAssemblySetType(plex, type));
  PetscCall(PetscTime(&begin));
  PetscCall(TimingAssemble(plex, problem));
  PetscCall(TimingSynchronize(plex));
  PetscCall(PetscTime(&end));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    row->plan += plex->product[k].planTime;
    row->compile += plex->product[k].compileTime;
  }
  row->setup = end - begin - row->plan - row->compile;
  if (reference) {
    PetscCall(TimingDifference(problem, reference, difference));
    row->difference = PetscMax(difference[0], difference[1]);
  }
  PetscCall(TakeTurn(o, PETSC_TRUE));
  PetscCall(DeviceMedian(TimingJacobian, plex, problem, o->reps, &row->jacobian));
  PetscCall(DeviceMedian(TimingResidual, plex, problem, o->reps, &row->residual));
  PetscCall(TakeTurn(o, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds an element, [A F], of PETSc and the host backend on one core: on meshes of the family, refined as long as the next takes
   PETSc less than some seconds, up to the size asked for or referenceCells */
static PetscErrorCode MeasureReference(const Options *o, PetscLogDouble *petsc, PetscLogDouble *host)
{
  const PetscInt children = o->cell == CELL_TETRAHEDRON || o->cell == CELL_HEXAHEDRON ? 8 : 4;
  DM             dm;
  PlexAssembly   plex;
  TimingProblem  problem;
  TimingResult   result = {0, 0};
  Row            row    = {0};
  PetscLogDouble begin, end;
  PetscInt       coarser = 0, nodes = 0, elements = 0;
  PetscBool      last = PETSC_FALSE;

  PetscFunctionBegin;
  if (o->cell == CELL_TRIANGLE || o->cell == CELL_TETRAHEDRON) coarser = o->refine;
  else
    while ((o->faces >> coarser) > 4) ++coarser;
  while (!last) {
    PetscCall(CreateProblem(o, coarser, PLEXBACKENDHOST, &dm, &problem));
    PetscCall(HeatGetCounts(dm, &nodes, &elements));
    PetscCall(PetscTime(&begin));
    PetscCall(TimingAssemble(NULL, &problem));
    PetscCall(PetscTime(&end));
    last = (PetscBool)(coarser == 0 || (end - begin) * children > 2.0 || elements * children > o->referenceCells);
    if (last) {
      PetscCall(TakeTurn(o, PETSC_TRUE));
      PetscCall(TimingMeasure(NULL, &problem, PetscMin(o->reps, 5), 1.0, &result));
      PetscCall(TakeTurn(o, PETSC_FALSE));
      PetscCall(CreateAssembly(o, PLEXBACKENDHOST, dm, &plex));
      PetscCall(Measure(o, plex, NULL, &problem, NULL, &row));
      PetscCall(PlexAssemblyDestroy(&plex));
    }
    PetscCall(TimingProblemDestroy(&problem));
    PetscCall(DMDestroy(&dm));
    --coarser;
  }
  *petsc = (result.jacobian + result.residual) / elements;
  *host  = (row.jacobian + row.residual) / elements;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "[A F] on one core, %" PetscInt_FMT " elements: PETSc %.1f ns/element (Jacobian %.2f ms, residual %.2f ms), host backend %.1f ns/element (%.2f, %.2f ms)\n", elements, 1e9 * *petsc, 1e3 * result.jacobian,
                        1e3 * result.residual, 1e9 * *host, 1e3 * row.jacobian, 1e3 * row.residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the types' results are compared with: PETSc's assembly on the host, or the host backend's where PETSc would take too long */
static PetscErrorCode CreateReference(const Options *o, TimingProblem *problem, PetscBool byPETSc, TimingProblem *reference)
{
  PlexAssembly plex = NULL;

  PetscFunctionBegin;
  reference->dm = problem->dm;
  PetscCall(MatConvert(problem->J, MATSEQAIJ, MAT_INITIAL_MATRIX, &reference->J));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, problem->locX->map->n, &reference->locX));
  PetscCall(VecCopy(problem->locX, reference->locX));
  PetscCall(VecDuplicate(reference->locX, &reference->locF));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, problem->F->map->n, &reference->F));
  PetscCall(VecSetDM(reference->F, problem->dm));
  if (!byPETSc) {
    PetscCall(PlexAssemblyCreate(problem->dm, &plex));
    PetscCall(PlexAssemblySetBackend(plex, PLEXBACKENDHOST));
  }
  PetscCall(TimingAssemble(plex, reference));
  if (plex) PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Options *o, const char type[], const Row *row, PetscInt elements, PetscInt nnz, PetscInt rows, PetscLogDouble bytes, double copy, PetscLogDouble petsc, PetscLogDouble host)
{
  const PetscLogDouble seconds = row->jacobian + row->residual, element = seconds / elements;
  PetscBool            exists;
  FILE                *file;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.3f | %8.1f | %6.1f %% | %8.1f | %8.1f | %7.2f | %7.2f | %7.2f | ", type, 1e3 * row->jacobian, 1e3 * row->residual, 1e9 * element, 1e-9 * bytes / seconds, 100 * bytes / seconds / copy, host / element, petsc / element,
                        row->setup, row->plan, row->compile));
  if (row->difference >= 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8.1e |\n", (double)row->difference));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8s |\n", "-"));
  PetscCall(PetscFFlush(PETSC_STDOUT));
  if (!o->csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTestFile(o->csv, 'r', &exists));
  file = fopen(o->csv, "a");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s, the file of -csv", o->csv);
  if (!exists) PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "cell,order,vector,reorder,elements,rows,nnz,backend,type,jacobian_s,residual_s,bytes,copy_bandwidth,host_s_per_element,petsc_s_per_element,setup_s,plan_s,compile_s,difference\n"));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "%s,%" PetscInt_FMT ",%d,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%s,%s,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.4f,%.4f,%.4f,%.3e\n", Cells[o->cell], o->order, (int)o->vector, Reorders[o->reorder], elements, rows, nnz, o->backend, type,
                         row->jacobian, row->residual, bytes, copy, host, petsc, row->setup, row->plan, row->compile, (double)row->difference));
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        options;
  DM             dm;
  TimingProblem  problem, reference;
  PlexBackend    backend;
  PlexAssembly   plex;
  MatInfo        info;
  Row            row;
  PetscBool      available, host, byPETSc;
  PetscInt       nodes = 0, elements = 0, rows;
  PetscLogDouble begin, end, bytes = 0, petsc = 0, hostTime = 0, best = PETSC_MAX_REAL;
  const char    *bestType = "-";
  double         copy;
  PetscMPIInt    size;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "This benchmark runs on one rank, not %d", size);
  PetscCall(OptionsGet(&options));
  PetscCall(PlexBackendIsAvailable(options.backend, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP, "The backend %s is not available here; -bench_backend takes cuda, host or emulate", options.backend);
  PetscCall(PetscStrcmp(options.backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexBackendCreate(options.backend, &backend));
  PetscCall(CopyBandwidth(&options, backend, &copy));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateProblem(&options, 0, options.backend, &dm, &problem));
  PetscCall(PetscTime(&end));
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(MatGetInfo(problem.J, MAT_LOCAL, &info));
  PetscCall(MatGetSize(problem.J, &rows, NULL));
  PetscCall(TimingBytes(&problem, &bytes));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n## %s, order %" PetscInt_FMT "%s: %" PetscInt_FMT " elements, %" PetscInt_FMT " dofs, %.0f non-zeros; backend %s, order of cells %s\n\nMesh and matrix made in %.1f s; a copy reaches %.0f GB/s, so that [A F] takes %.4f ms at least\n",
                        Cells[options.cell], options.order, options.vector ? ", elasticity" : "", elements, nodes, (double)info.nz_used, options.backend, Reorders[options.reorder], end - begin, 1e-9 * copy, 1e3 * bytes / copy));
  PetscCall(MeasureReference(&options, &petsc, &hostTime));
  byPETSc = (PetscBool)(elements <= options.referenceCells && petsc * elements < 20.0);
  PetscCall(CreateReference(&options, &problem, byPETSc, &reference));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Times an element on one core over those here: x host, x PETSc. Differences are from %s. Set-up, plan, compile in s.\n\n", byPETSc ? "PETSc" : "the host backend"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9s | %9s | %9s | %8s | %8s | %8s | %8s | %7s | %7s | %7s | %8s |\n|:---------------|----------:|----------:|----------:|---------:|---------:|---------:|---------:|--------:|--------:|--------:|---------:|\n", "type", "J ms", "F ms", "ns/elem.", "GB/s", "of copy", "x host", "x PETSc", "set-up", "plan", "compile", "diff."));
  PetscCall(CreateAssembly(&options, options.backend, dm, &plex));
  for (PetscInt i = 0; i < (host ? 1 : options.ntypes); ++i) {
    PetscCall(Measure(&options, plex, host ? NULL : options.types[i], &problem, &reference, &row));
    PetscCall(Report(&options, host ? "-" : options.types[i], &row, elements, (PetscInt)info.nz_used, rows, bytes, copy, petsc, hostTime));
    if (row.jacobian + row.residual < best) {
      best     = row.jacobian + row.residual;
      bestType = host ? "-" : options.types[i];
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=assembly cell=%s order=%" PetscInt_FMT " elements=%" PetscInt_FMT " dofs=%" PetscInt_FMT " backend=%s best=%s ms=%.4f petsc_ratio=%.1f host_ratio=%.1f copy_share=%.3f\n", Cells[options.cell],
                        options.order, elements, nodes, options.backend, bestType, 1e3 * best, petsc / (best / elements), hostTime / (best / elements), bytes / best / copy));
  for (PetscInt i = 0; i < options.ntypes; ++i) PetscCall(PetscFree(options.types[i]));
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscCall(TimingProblemDestroy(&reference));
  PetscCall(TimingProblemDestroy(&problem));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
