static char help[] = "Weak and strong scaling of assembly on a box in 3D: element work, exchange between processes, "
                     "and both.\n\n"
                     "  -cell CELL             tetrahedron (default) or hexahedron\n"
                     "  -faces N               cubes along a side of the coarse box, of each process where weak, of "
                     "all together where strong (default 8)\n"
                     "  -order A,B,...         orders of the elements, 1 to 5 (default 1)\n"
                     "  -refine A,B,...        for each order, how often the mesh is refined once it is distributed; "
                     "none less than the one before (default 2)\n"
                     "  -weak (true|false)     a box a process (default), or one box for all\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -types A,B,...         the types to run; default element_atomic,local_row\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -csv FILE              append the table\n\n";

/*
  The box is cut into blocks of equal shape, one a process; the coarse mesh is made by process 0 and refined by all, so
  no process ever holds more than its part of the fine one.

  J ms and F ms: wall time of the Jacobian and of the residual with its sum over the processes, between barriers, the
  slowest process, medians. Elements and exchange are taken in a run of their own with a wait between: device time of
  the kernels, the slowest process; and what follows until each owner has its sums, waiting for the slower ones
  included. J ms is less than the two where the exchange goes on while elements are computed.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "blocks.h"
#include "rows.h"
#include <plexgpu/impl.h>

static const char *const Cells[] = {"tetrahedron", "hexahedron"};
enum {
  CELL_TETRAHEDRON,
  CELL_HEXAHEDRON
};

typedef struct {
  PetscInt  cell, faces, reps, ntypes;
  PetscInt  norders, order[8], refine[8]; /* [norders] */
  PetscInt  grid[3];                      /* processes along each axis */
  PetscBool weak;
  char     *types[16];
  char      backend[64], source[PETSC_MAX_PATH_LEN], csv[PETSC_MAX_PATH_LEN];
} Options;

/* Seconds, of the slowest process; entries sent by all */
typedef struct {
  /* of the assembly and of the matrix where it is the first: elements, plans, kernels */
  PetscLogDouble setup;
  PetscLogDouble J, F;                 /* whole */
  PetscLogDouble elementsJ, exchangeJ; /* parts */
  PetscLogDouble elementsF, exchangeF;
  PetscLogDouble sent;
} Row;

static PetscErrorCode OptionsGet(Options *o)
{
  PetscBool   cuda, given;
  PetscInt    nrefine = PETSC_STATIC_ARRAY_LENGTH(o->refine);
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->faces   = 8;
  o->reps    = 11;
  o->weak    = PETSC_TRUE;
  o->norders = PETSC_STATIC_ARRAY_LENGTH(o->order);
  o->ntypes  = PETSC_STATIC_ARRAY_LENGTH(o->types);
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Scaling benchmark", "");
  PetscCall(PetscOptionsEList("-cell", "Cell", "scaling.c", Cells, PETSC_STATIC_ARRAY_LENGTH(Cells), Cells[o->cell],
                              &o->cell, NULL));
  PetscCall(PetscOptionsBoundedInt("-faces", "Cubes along a side", "scaling.c", o->faces, &o->faces, NULL, 1));
  PetscCall(PetscOptionsIntArray("-order", "Orders of the elements", "scaling.c", o->order, &o->norders, &given));
  if (!given) {
    o->norders  = 1;
    o->order[0] = 1;
  }
  PetscCall(PetscOptionsIntArray("-refine", "Refinements", "scaling.c", o->refine, &nrefine, &given));
  for (PetscInt k = given ? nrefine : 0; k < o->norders; ++k) o->refine[k] = k && given ? o->refine[k - 1] : 2;
  PetscCall(PetscOptionsBool("-weak", "A box a process", "scaling.c", o->weak, &o->weak, NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "scaling.c", o->backend, o->backend, sizeof(o->backend),
                               NULL));
  PetscCall(PetscOptionsStringArray("-types", "Types", "scaling.c", o->types, &o->ntypes, &given));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "scaling.c", o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File of comma separated values", "scaling.c", o->csv, o->csv, sizeof(o->csv),
                               NULL));
  PetscOptionsEnd();
  if (!given) {
    o->ntypes = 2;
    PetscCall(PetscStrallocpy(PLEXASSEMBLYELEMENTATOMIC, &o->types[0]));
    PetscCall(PetscStrallocpy(PLEXASSEMBLYLOCALROW, &o->types[1]));
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt k = 0; k < o->norders; ++k) {
    PetscCheck(o->order[k] >= 1 && o->order[k] <= 5, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "Order %" PetscInt_FMT " is not offered; -order takes 1 to 5", o->order[k]);
    PetscCheck(o->refine[k] >= (k ? o->refine[k - 1] : 0), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "-refine %" PetscInt_FMT " for order %" PetscInt_FMT
               " is less than the one before, or than 0: a mesh is only refined",
               o->refine[k], o->order[k]);
  }
  BlocksMakeGrid(3, size, o->grid);
  for (PetscInt d = 0; d < 3; ++d)
    PetscCheck(o->weak || o->faces >= o->grid[d], PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " cubes along a side cannot be cut into %" PetscInt_FMT " blocks: give a larger -faces",
               o->faces, o->grid[d]);
  PetscCall(HeatFindFile("heat.h", o->source, sizeof(o->source)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "Face Sets": 1 on the side x = 0 of a mesh that is on process 0 */
static PetscErrorCode MarkLeft(DM dm)
{
  DMLabel  label, boundary;
  PetscInt fStart, fEnd, value;

  PetscFunctionBegin;
  PetscCall(DMRemoveLabel(dm, "Face Sets", NULL));
  PetscCall(DMCreateLabel(dm, "Face Sets"));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMLabelCreate(PETSC_COMM_SELF, "boundary", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, boundary));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscReal centroid[3];

    PetscCall(DMLabelGetValue(boundary, f, &value));
    if (value != 1) continue;
    PetscCall(DMPlexComputeCellGeometryFVM(dm, f, NULL, centroid, NULL));
    if (centroid[0] < 1e-6) PetscCall(DMLabelSetValue(label, f, HEAT_LEFT));
  }
  PetscCall(DMPlexLabelComplete(dm, label));
  PetscCall(DMLabelDestroy(&boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coarse box, distributed; problems are set up on clones of it and of what it is refined to */
static PetscErrorCode CreateMesh(const Options *o, DM *mesh)
{
  PetscInt  n[3];
  PetscReal lower[3] = {0., 0., 0.}, upper[3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; ++d) upper[d] = n[d] = o->weak ? o->faces * o->grid[d] : o->faces;
  if (o->cell == CELL_TETRAHEDRON) PetscCall(BlocksCreateTetrahedra(PETSC_COMM_WORLD, n, mesh));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 3, PETSC_FALSE, n, lower, upper, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  mesh));
  PetscCall(MarkLeft(*mesh));
  PetscCall(BlocksDistribute(o->grid, n, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All but the matrix. The values of locX do not matter to the time. */
static PetscErrorCode CreateProblem(const Options *o, DM mesh, PetscInt order, DM *dm, TimingProblem *problem)
{
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(DMClone(mesh, dm));
  PetscCall(HeatSetUpProblem(*dm, order, PETSC_FALSE, 0.1));
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDCUDA, &cuda));
  PetscCall(DMSetMatType(*dm, cuda ? MATAIJCUSPARSE : MATAIJ));
  PetscCall(DMSetVecType(*dm, cuda ? VECCUDA : VECSTANDARD));
  PetscCall(PetscMemzero(problem, sizeof(*problem)));
  problem->dm = *dm;
  PetscCall(DMCreateLocalVector(*dm, &problem->locX));
  PetscCall(VecSet(problem->locX, 1.0));
  PetscCall(VecDuplicate(problem->locX, &problem->locF));
  PetscCall(DMCreateGlobalVector(*dm, &problem->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix, once: the elements that an assembly has anyway give its pattern */
static PetscErrorCode CreateMatrix(PlexAssembly plex, TimingProblem *problem)
{
  PetscFunctionBegin;
  if (problem->J) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCreateMatrix(plex, &problem->J));
  PetscCall(MatSetOption(problem->J, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(problem->J, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual and what a solver needs of it */
static PetscErrorCode ResidualAndSum(PlexAssembly plex, TimingProblem *problem)
{
  PetscFunctionBegin;
  PetscCall(TimingResidual(plex, problem));
  PetscCall(VecZeroEntries(problem->F));
  PetscCall(DMLocalToGlobal(problem->dm, problem->locF, ADD_VALUES, problem->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median seconds of f between barriers */
static PetscErrorCode WallMedian(PetscErrorCode (*f)(PlexAssembly, TimingProblem *), PlexAssembly plex,
                                 TimingProblem *problem, PetscInt reps, PetscLogDouble *median)
{
  PetscReal     *samples;
  PetscLogDouble begin, end, seconds;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(reps, &samples));
  for (PetscInt r = 0; r < reps; ++r) {
    PetscCall(TimingSynchronize(plex));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&begin));
    PetscCall(f(plex, problem));
    PetscCall(TimingSynchronize(plex));
    PetscCall(PetscTime(&end));
    seconds = end - begin;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    samples[r] = (PetscReal)seconds;
  }
  PetscCall(PetscSortReal(reps, samples));
  *median = reps % 2 ? samples[reps / 2] : 0.5 * (samples[reps / 2 - 1] + samples[reps / 2]);
  PetscCall(PetscFree(samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Device time of the kernels and of the exchange, mean of the calls, the slowest process */
static PetscErrorCode MeasureParts(const Options *o, PlexAssembly plex, TimingProblem *problem, Row *row)
{
  PetscLogDouble seconds[4] = {0., 0., 0., 0.}, begin, end;

  PetscFunctionBegin;
  plex->timing       = PETSC_TRUE;
  plex->exchangeTime = 0.;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) plex->product[k].time = 0.;
  for (PetscInt r = 0; r < o->reps; ++r) {
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(TimingJacobian(plex, problem));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(TimingResidual(plex, problem));
    PetscCall(TimingSynchronize(plex));
    PetscCall(PetscTime(&begin));
    PetscCall(VecZeroEntries(problem->F));
    PetscCall(DMLocalToGlobal(problem->dm, problem->locF, ADD_VALUES, problem->F));
    PetscCall(TimingSynchronize(plex));
    PetscCall(PetscTime(&end));
    seconds[3] += end - begin;
  }
  plex->timing = PETSC_FALSE;
  seconds[0]   = plex->product[PLEX_JACOBIAN].time;
  seconds[1]   = plex->exchangeTime;
  seconds[2]   = plex->product[PLEX_RESIDUAL].time;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, seconds, 4, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  row->elementsJ = seconds[0] / o->reps;
  row->exchangeJ = seconds[1] / o->reps;
  row->elementsF = seconds[2] / o->reps;
  row->exchangeF = seconds[3] / o->reps;
  row->sent      = plex->pattern->halo ? plex->pattern->halo->sent : 0.;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &row->sent, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(const Options *o, DM dm, PlexAssembly *plex)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, o->backend));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, o->source));
  (*plex)->fallback = PETSC_FALSE; /* nothing but this library is to be measured */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a new assembly to the first Jacobian, into a matrix that is there: the least of two times, as the first one may
   compile kernels */
static PetscErrorCode MeasureSetUp(const Options *o, const char type[], TimingProblem *problem, Row *row)
{
  PetscFunctionBegin;
  for (int r = 0; r < 2; ++r) {
    PlexAssembly   plex;
    PetscLogDouble begin, end, seconds;

    PetscCall(CreateAssembly(o, problem->dm, &plex));
    PetscCall(PlexAssemblySetType(plex, type));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&begin));
    PetscCall(TimingJacobian(plex, problem));
    PetscCall(TimingSynchronize(plex));
    PetscCall(PetscTime(&end));
    seconds = end - begin;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    row->setup = r ? PetscMin(row->setup, seconds) : seconds;
    PetscCall(PlexAssemblyDestroy(&plex));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One type; mesh, elements and pattern are those of the types before */
static PetscErrorCode Measure(const Options *o, PlexAssembly plex, const char type[], TimingProblem *problem, Row *row)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetType(plex, type));
  PetscCall(CreateMatrix(plex, problem));
  PetscCall(MeasureSetUp(o, type, problem, row));
  PetscCall(TimingAssemble(plex, problem));
  PetscCall(TimingAssemble(plex, problem));
  PetscCall(WallMedian(TimingJacobian, plex, problem, o->reps, &row->J));
  PetscCall(WallMedian(ResidualAndSum, plex, problem, o->reps, &row->F));
  PetscCall(MeasureParts(o, plex, problem, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Options *o, PetscInt order, const char type[], const Row *row, PetscInt elements,
                             PetscInt nodes, PetscLogDouble mesh)
{
  PetscMPIInt size;
  PetscBool   exists, host;
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  if (host) type = "host";
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f | %.3f | %.2f |\n",
                        type, 1e3 * row->J, 1e3 * row->elementsJ, 1e3 * row->exchangeJ, 1e3 * row->F,
                        1e3 * row->elementsF, 1e3 * row->exchangeF, 8e-6 * row->sent,
                        1e-9 * elements / (row->J + row->F), row->setup));
  if (!o->csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTestFile(o->csv, 'r', &exists));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, o->csv, "a", &file));
  if (!exists)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                           "mode,cell,order,type,backend,ranks,elements,nodes,J_ms,J_elements_ms,J_exchange_ms,F_ms,F_"
                           "elements_ms,F_exchange_ms,sent_MB,mesh_s,setup_s\n"));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "%s,%s,%" PetscInt_FMT ",%s,%s,%d,%" PetscInt_FMT ",%" PetscInt_FMT
                         ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.2f,%.2f\n",
                         o->weak ? "weak" : "strong", Cells[o->cell], order, type, o->backend, size, elements, nodes,
                         1e3 * row->J, 1e3 * row->elementsJ, 1e3 * row->exchangeJ, 1e3 * row->F, 1e3 * row->elementsF,
                         1e3 * row->exchangeF, 8e-6 * row->sent, mesh, row->setup));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All types on one mesh with elements of one order */
/* rows: grows by what was measured */
static PetscErrorCode MeasureOrder(const Options *o, DM mesh, PetscInt order, PetscLogDouble seconds, PetscInt *rows)
{
  DM            dm;
  PlexAssembly  plex;
  TimingProblem problem;
  Row           row   = {0};
  PetscInt      nodes = 0, elements = 0;
  PetscMPIInt   size;
  PetscBool     host;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  PetscCall(CreateProblem(o, mesh, order, &dm, &problem));
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\n%s, order %" PetscInt_FMT ", %s scaling: %d processes (%" PetscInt_FMT " x %" PetscInt_FMT
                        " x %" PetscInt_FMT "), %" PetscInt_FMT " elements, %" PetscInt_FMT
                        " nodes, backend %s; mesh made in %.1f s\n\n",
                        Cells[o->cell], order, o->weak ? "weak" : "strong", size, o->grid[0], o->grid[1], o->grid[2],
                        elements, nodes, o->backend, seconds));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "| type | J ms | elements | exchange | F ms | elements | exchange | MB sent | G elements/s | "
                        "set-up s |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"));
  PetscCall(CreateAssembly(o, dm, &plex));
  for (PetscInt t = 0; t < (host ? 1 : o->ntypes); ++t) {
    PetscCall(Measure(o, plex, o->types[t], &problem, &row));
    PetscCall(Report(o, order, o->types[t], &row, elements, nodes, seconds));
    ++*rows;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\nresult: benchmark=scaling mode=%s cell=%s order=%" PetscInt_FMT
                        " ranks=%d elements=%" PetscInt_FMT " nodes=%" PetscInt_FMT
                        " backend=%s jacobian_ms=%.4f residual_ms=%.4f\n",
                        o->weak ? "weak" : "strong", Cells[o->cell], order, size, elements, nodes, o->backend,
                        1e3 * row.J, 1e3 * row.F));
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscCall(TimingProblemDestroy(&problem));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  DM             mesh;
  PetscInt       rows = 0;
  PetscLogDouble begin, end, seconds = 0.;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(OptionsGet(&o));
  for (PetscInt k = 0; k < o.norders; ++k) {
    PetscCall(PetscTime(&begin));
    if (!k) PetscCall(CreateMesh(&o, &mesh));
    PetscCall(BlocksRefine(o.refine[k] - (k ? o.refine[k - 1] : 0), &mesh));
    PetscCall(PetscTime(&end));
    seconds += end - begin;
    PetscCall(MeasureOrder(&o, mesh, o.order[k], seconds, &rows));
  }
  for (PetscInt t = 0; t < o.ntypes; ++t) PetscCall(PetscFree(o.types[t]));
  PetscCall(DMDestroy(&mesh));
  PetscCall(BenchFinalize(rows));
  return 0;
}
