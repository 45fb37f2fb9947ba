static char help[] = "Every assembly type on one mesh: times, rates and what setting up costs, beside the host, PETSc and a COO path.\n\n"
                     "  -cell CELL             triangle (plate), tetrahedron (block), quadrilateral or hexahedron (boxes); default triangle\n"
                     "  -mesh FILE             another Gmsh file for triangle or tetrahedron\n"
                     "  -refine N              times that a Gmsh mesh is refined (default 2)\n"
                     "  -faces N               cells along a box's side (default 32)\n"
                     "  -reorder TYPE          none (default), rcm or morton: the order of the cells\n"
                     "  -move A                move the vertices of a box by up to A of a cell's side in each direction\n"
                     "  -shuffle               then the same mesh with cells and vertices numbered at random (-seed N), and the ratio\n"
                     "  -order N               order of the elements, 1 to 5\n"
                     "  -vector                linear elasticity instead of the heat equation\n"
                     "  -nonlinear             then the same space with a(u) = 1 + u^2 for the conductivity, and the ratio\n"
                     "  -dummy                 each type again with an element kernel that computes next to nothing\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -types A,B,...         the types to run, coo for the COO path; default all\n"
                     "  -coo_interleave N      1 or 32: element matrices for the COO path lie one behind the other, or entry by entry of 32 elements\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -reference_cells N     PETSc and the host backend are timed on at most so many cells (default 100000)\n"
                     "  -lock FILE             runs with the same file take turns in measuring, and make their meshes and plans side by side\n"
                     "  -csv FILE              append the table\n\n";

/*
  Jacobian ms and residual ms are device times between events around the launches (wall time on the host), medians. GB/s: the
  least bytes of [A F], 8 nnz + 8 rows + 8 dim nodes, over the sum of both times; "of copy" is its share of what a device to
  device copy reaches. "x host" and "x PETSc" are times an element on one core over this one's.

  A second table is of the Jacobian alone, against its own least bytes, element_atomic and the COO path.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "benchmesh.h"
#include "coo.h"
#include <petsc/private/vecimpl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "diffusion.h"
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
  PetscInt  cell, reorder, refine, faces, order, reps, referenceCells, seed, interleave;
  PetscInt  ntypes;
  PetscBool vector, dummy;
  PetscBool shuffle, nonlinear; /* as asked for; of a case, whether it is */
  PetscReal move;
  int       lock; /* file descriptor, -1: none */
  char     *types[16];
  char      mesh[PETSC_MAX_PATH_LEN], csv[PETSC_MAX_PATH_LEN], backend[64];
} Options;

/* Seconds, but for difference (relative, -1: not compared). The COO path has no residual; its set-up is MatSetPreallocationCOO() */
typedef struct {
  PetscLogDouble jacobian, residual, setup, plan, compile, dummy[PLEX_PRODUCTS];
  PetscLogDouble kernel; /* COO: the element kernel's part of jacobian */
  PetscLogDouble flops;  /* of a Jacobian, as counted */
  PetscInt       degree; /* of the tensors' polynomials, -1: quadrature */
  PetscInt       points; /* of an element's integration */
  PetscReal      difference;
} Row;

/* A mesh and a problem, and what was measured */
typedef struct {
  PetscInt       elements, nodes, rows, dim;
  PetscLogDouble nnz, bytes, floor; /* floor: bytes that a Jacobian needs at least */
  PetscLogDouble sectors, shared;   /* MeshCountSectors() */
  PetscLogDouble petsc, host;       /* seconds an element, [A F], on one core */
  Row            row[TIMING_TYPES + 8];
} Case;

static PetscErrorCode OptionsGet(Options *o)
{
  char      lock[PETSC_MAX_PATH_LEN] = "";
  PetscBool cuda, host, given;

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
  PetscCall(PetscOptionsBool("-nonlinear", "Nonlinear conductivity beside the linear one", "assembly.c", o->nonlinear, &o->nonlinear, NULL));
  PetscCall(PetscOptionsBool("-shuffle", "A mesh numbered at random beside the ordered one", "assembly.c", o->shuffle, &o->shuffle, NULL));
  PetscCall(PetscOptionsInt("-seed", "Of the random numbers of -shuffle", "assembly.c", o->seed, &o->seed, NULL));
  PetscCall(PetscOptionsRangeReal("-move", "Vertices of a box moved, in sides of a cell", "assembly.c", o->move, &o->move, NULL, 0, 0.25));
  PetscCall(PetscOptionsInt("-coo_interleave", "Elements whose matrices are interleaved for the COO path", "assembly.c", o->interleave, &o->interleave, NULL));
  PetscCheck(o->interleave == 0 || o->interleave == 1 || o->interleave == 32, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-coo_interleave takes 1 or 32, not %" PetscInt_FMT, o->interleave);
  PetscCall(PetscOptionsBool("-dummy", "Each type again with a dummy element kernel", "assembly.c", o->dummy, &o->dummy, NULL));
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
  PetscCheck(!(o->move > 0) || o->cell == CELL_QUADRILATERAL || o->cell == CELL_HEXAHEDRON, PETSC_COMM_SELF, PETSC_ERR_SUP, "-move moves the vertices of boxes: take -cell quadrilateral or hexahedron");
  PetscCheck(!o->nonlinear || !o->vector, PETSC_COMM_SELF, PETSC_ERR_SUP, "-nonlinear is a scalar problem: leave -vector away");
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  PetscCheck(!host || !o->dummy, PETSC_COMM_SELF, PETSC_ERR_SUP, "-dummy is a kernel, and the host backend has none: leave it away");
  if (host) {
    o->ntypes = 1; /* its one way */
    PetscCall(PetscStrallocpy("-", &o->types[0]));
  } else if (!given) {
    o->ntypes = TIMING_TYPES + 1;
    for (PetscInt i = 0; i < TIMING_TYPES; ++i) PetscCall(PetscStrallocpy(TimingTypes[i], &o->types[i]));
    PetscCall(PetscStrallocpy(BENCH_COO, &o->types[TIMING_TYPES]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of this folder, beside that of the examples */
static PetscErrorCode FindFile(const char name[], char path[], size_t len)
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(HeatFindFile("heat.h", folder, sizeof(folder)));
  PetscCall(PetscSNPrintf(path, len, "%.*s/../benchmarks/%s", (int)(strlen(folder) - strlen("/heat.h")), folder, name));
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
    if (o->move > 0) PetscCall(MeshMoveVertices(*dm, o->move / n));
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
  if (o->shuffle) PetscCall(MeshShuffle(dm, o->seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The functions of diffusion.h in the place of those of the heat equation */
static PetscErrorCode SetUpDiffusion(DM dm, PetscInt order)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(HeatSetUpProblem(dm, order, PETSC_FALSE, 0.1));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_diffusion, f1_diffusion));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, g2_diffusion, g3_diffusion));
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
  else if (o->nonlinear) PetscCall(SetUpDiffusion(*dm, o->order));
  else PetscCall(HeatSetUpProblem(*dm, o->order, PETSC_FALSE, 0.1));
  PetscCall(DMCreateLocalVector(*dm, &locX));
  PetscCall(VecSet(locX, 1.0));
  PetscCall(DMPlexSNESComputeBoundaryFEM(*dm, locX, NULL));
  PetscCall(TimingProblemCreateForBackend(*dm, backend, (PetscBool)!o->nonlinear, locX, problem));
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
  char source[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (o->vector || o->nonlinear) PetscCall(FindFile(o->vector ? "elasticity.h" : "diffusion.h", source, sizeof(source)));
  else PetscCall(HeatFindFile("heat.h", source, sizeof(source)));
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, source));
  (*plex)->fallback = PETSC_FALSE; /* nothing but this library is to be measured */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a Jacobian is integrated, and what it was counted to take */
static PetscErrorCode DescribeJacobian(PlexAssembly plex, Row *row)
{
  PlexProduct *product = &plex->product[PLEX_JACOBIAN];

  PetscFunctionBegin;
  row->flops  = product->flops;
  row->degree = product->tensor ? product->tensor->degree : -1;
  row->points = PlexAssemblyPoints(plex, product);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The COO path: Jacobian alone */
static PetscErrorCode MeasureCOO(const Options *o, PlexAssembly plex, TimingProblem *problem, TimingProblem *reference, Row *row)
{
  PetscLogDouble begin, end;
  Mat            mat;

  PetscFunctionBegin;
  row->residual = -1;
  PetscCall(PetscTime(&begin));
  PetscCall(CooJacobian(plex, problem));
  PetscCall(TimingSynchronize(plex));
  PetscCall(PetscTime(&end));
  row->plan    = plex->product[PLEX_JACOBIAN].planTime;
  row->compile = plex->product[PLEX_JACOBIAN].compileTime;
  row->setup   = end - begin - row->plan - row->compile;
  PetscCall(CooGetMatrix(plex, &mat));
  if (reference) PetscCall(TimingMatDifference(mat, reference->J, &row->difference));
  PetscCall(DescribeJacobian(plex, row));
  PetscCall(TakeTurn(o, PETSC_TRUE));
  PetscCall(DeviceMedian(CooJacobian, plex, problem, o->reps, &row->jacobian));
  PetscCall(DeviceMedian(TimingJacobian, plex, problem, o->reps, &row->kernel));
  PetscCall(TakeTurn(o, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets one type up and measures it; type NULL: the host backend's one way. What types share (the mesh, the partitions) is made
   for the first that needs it and counts as its set-up and plan. */
static PetscErrorCode Measure(const Options *o, PlexAssembly plex, const char type[], TimingProblem *problem, TimingProblem *reference, Row *row)
{
  PetscReal      difference[2];
  PetscLogDouble begin, end;
  PetscBool      coo = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(row, sizeof(*row)));
  row->difference = -1;
  if (type) PetscCall(PlexAssemblySetType(plex, type));
  if (type) PetscCall(PetscStrcmp(type, BENCH_COO, &coo));
  if (coo) {
    PetscCall(MeasureCOO(o, plex, problem, reference, row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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
  PetscCall(DescribeJacobian(plex, row));
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

/* One line of the table that Measure() fills; and of the file of -csv */
static PetscErrorCode Report(const Options *o, const char type[], const Case *c, const Row *row, double copy)
{
  const PetscLogDouble seconds = row->jacobian + PetscMax(row->residual, 0), element = seconds / c->elements;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | ", type, 1e3 * row->jacobian));
  if (row->residual >= 0)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9.4f | %9.3f | %8.1f | %6.1f %% | %8.1f | %8.1f | ", 1e3 * row->residual, 1e9 * element, 1e-9 * c->bytes / seconds, 100 * c->bytes / seconds / copy, c->host / element, c->petsc / element));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9s | %9s | %8s | %8s | %8s | %8s | ", "-", "-", "-", "-", "-", "-"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%7.2f | %7.2f | %7.2f | ", row->setup, row->plan, row->compile));
  if (row->difference >= 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8.1e |\n", (double)row->difference));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8s |\n", "-"));
  PetscCall(PetscFFlush(PETSC_STDOUT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AppendCSV(const Options *o, const char type[], const Case *c, const Row *row, double copy)
{
  PetscBool exists;
  FILE     *file;

  PetscFunctionBegin;
  if (!o->csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTestFile(o->csv, 'r', &exists));
  file = fopen(o->csv, "a");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s, the file of -csv", o->csv);
  if (!exists)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, file,
                           "cell,order,vector,reorder,elements,rows,nnz,backend,type,jacobian_s,residual_s,bytes,copy_bandwidth,host_s_per_element,petsc_s_per_element,setup_s,plan_s,compile_s,difference,"
                           "nonlinear,shuffled,moved,degree,points,flops,floor_bytes,sector_bytes,shared_bytes,kernel_s,dummy_jacobian_s,dummy_residual_s\n"));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "%s,%" PetscInt_FMT ",%d,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%.0f,%s,%s,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.4f,%.4f,%.4f,%.3e,", Cells[o->cell], o->order, (int)o->vector, Reorders[o->reorder], c->elements, c->rows,
                         (double)c->nnz, o->backend, type, row->jacobian, row->residual, c->bytes, copy, c->host, c->petsc, row->setup, row->plan, row->compile, (double)row->difference));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "%d,%d,%g,%" PetscInt_FMT ",%" PetscInt_FMT ",%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e\n", (int)o->nonlinear, (int)o->shuffle, (double)o->move, row->degree, row->points, row->flops, c->floor, 32 * c->sectors, 32 * c->shared,
                         row->kernel, row->dummy[PLEX_JACOBIAN], row->dummy[PLEX_RESIDUAL]));
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of a type among those that ran, or NULL */
static PetscErrorCode FindRow(const Options *o, const Case *c, const char type[], const Row **row)
{
  PetscBool same;

  PetscFunctionBegin;
  *row = NULL;
  for (PetscInt t = 0; t < o->ntypes && !*row; ++t) {
    PetscCall(PetscStrcmp(o->types[t], type, &same));
    if (same) *row = &c->row[t];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian alone, against the least that it has to move and the yardsticks */
static PetscErrorCode ReportJacobians(const Options *o, const Case *c, double copy)
{
  const Row *atomic, *coo;

  PetscFunctionBegin;
  PetscCall(FindRow(o, c, PLEXASSEMBLYELEMENTATOMIC, &atomic));
  PetscCall(FindRow(o, c, BENCH_COO, &coo));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nJacobian alone: the floor, 8 nnz + 8 dim nodes bytes at the copy rate, is %.4f ns an element. GB/s counts 8 rows more. Flops are those of integration, as counted.\n\n", 1e9 * c->floor / copy / c->elements));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9s | %9s | %9s | %8s | %8s | %9s | %9s | %9s | %-17s |\n|:---------------|----------:|----------:|----------:|---------:|---------:|----------:|----------:|----------:|:------------------|\n", "type", "J ms", "ns/elem.", "x floor", "GB/s", "of copy", "atomic/J", "COO/J", "Gflop/s", "integration"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row           *row   = &c->row[t];
    const PetscLogDouble bytes = c->floor + 8.0 * c->rows;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | %8.1f | %6.1f %% | %9.2f | %9.2f | %9.1f | ", o->types[t], 1e3 * row->jacobian, 1e9 * row->jacobian / c->elements, row->jacobian * copy / c->floor, 1e-9 * bytes / row->jacobian,
                          100 * bytes / row->jacobian / copy, atomic ? atomic->jacobian / row->jacobian : 0.0, coo ? coo->jacobian / row->jacobian : 0.0, 1e-9 * row->flops / row->jacobian));
    if (row->degree < 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%3" PetscInt_FMT " points         |\n", row->points));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "tensors, degree %" PetscInt_FMT " |\n", row->degree));
  }
  if (coo) PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nOf %s, the element kernel takes %.4f ms and MatSetValuesCOO() the rest; MatSetPreallocationCOO() took %.2f s.\n", BENCH_COO, 1e3 * coo->kernel, coo->setup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times with the dummy element kernel: the rest is integration's */
static PetscErrorCode ReportDummies(const Options *o, const Case *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nWith a dummy element kernel, which reads the nodal data and gives their sum for each entry:\n\n| %-14s | %9s | %9s | %9s | %9s |\n|:---------------|----------:|----------:|----------:|----------:|\n", "type", "J ms", "F ms", "J/dummy", "F/dummy"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row *row = &c->row[t];

    if (row->dummy[PLEX_JACOBIAN] > 0)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | %9.2f |\n", o->types[t], 1e3 * row->dummy[PLEX_JACOBIAN], 1e3 * row->dummy[PLEX_RESIDUAL], row->jacobian / row->dummy[PLEX_JACOBIAN],
                            row->dummy[PLEX_RESIDUAL] > 0 ? row->residual / row->dummy[PLEX_RESIDUAL] : 0.0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two cases side by side */
static PetscErrorCode ReportRatio(const Options *o, const char what[], const Case *first, const Case *second)
{
  PetscLogDouble least[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n### %s\n\n", what));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9s | %9s | %9s | %9s | %9s | %9s |\n|:---------------|----------:|----------:|----------:|----------:|----------:|----------:|\n", "type", "J ms", "then", "ratio", "F ms", "then", "ratio"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row *a = &first->row[t], *b = &second->row[t];

    least[0] = PetscMin(least[0], a->jacobian);
    least[1] = PetscMin(least[1], b->jacobian);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | ", o->types[t], 1e3 * a->jacobian, 1e3 * b->jacobian, b->jacobian / a->jacobian));
    if (a->residual >= 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9.4f | %9.4f | %9.2f |\n", 1e3 * a->residual, 1e3 * b->residual, b->residual / a->residual));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9s | %9s | %9s |\n", "-", "-", "-"));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | %9s | %9s | %9s |\n", "the best", 1e3 * least[0], 1e3 * least[1], least[1] / least[0], "", "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(TimingProblem *problem, Case *c)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(problem->dm, &c->dim));
  PetscCall(HeatGetCounts(problem->dm, &c->nodes, &c->elements));
  PetscCall(MatGetInfo(problem->J, MAT_LOCAL, &info));
  PetscCall(MatGetSize(problem->J, &c->rows, NULL));
  PetscCall(TimingBytes(problem, &c->bytes));
  PetscCall(MeshCountSectors(problem->J, &c->sectors, &c->shared));
  c->nnz   = info.nz_used;
  c->floor = c->bytes - 8.0 * c->rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a mesh and a problem, and measures all types */
static PetscErrorCode RunCase(const Options *o, double copy, const Case *like, Case *c)
{
  DM             dm;
  PlexAssembly   plex, dummy;
  TimingProblem  problem, reference;
  PetscLogDouble begin, end;
  Row            row;
  PetscBool      host, byPETSc;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateProblem(o, 0, o->backend, &dm, &problem));
  PetscCall(PetscTime(&end));
  PetscCall(Count(&problem, c));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n## %s, order %" PetscInt_FMT "%s%s%s%s: %" PetscInt_FMT " elements, %" PetscInt_FMT " dofs, %.0f non-zeros; backend %s, order of cells %s\n\nMesh and matrix made in %.1f s; a copy reaches %.0f GB/s, so that [A F] takes %.4f ms at least\n", Cells[o->cell], o->order, o->vector ? ", elasticity" : "", o->nonlinear ? ", nonlinear" : "", o->move > 0 ? ", vertices moved" : "", o->shuffle ? ", numbered at random" : "", c->elements, c->nodes,
                        (double)c->nnz, o->backend, Reorders[o->reorder], end - begin, 1e-9 * copy, 1e3 * c->bytes / copy));
  if (o->shuffle) PetscCall(PetscPrintf(PETSC_COMM_SELF, "Rows lie in %.0f MB of sectors of 32 bytes (%.0f MB of values), %.0f MB of them shared with other rows\n", 32e-6 * c->sectors, 8e-6 * c->nnz, 32e-6 * c->shared));
  if (like) {
    c->petsc = like->petsc;
    c->host  = like->host;
  } else PetscCall(MeasureReference(o, &c->petsc, &c->host));
  byPETSc = (PetscBool)(c->elements <= o->referenceCells && c->petsc * c->elements < 20.0);
  PetscCall(CreateReference(o, &problem, byPETSc, &reference));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Times an element on one core over those here: x host, x PETSc. Differences are from %s. Set-up, plan, compile in s.\n\n", byPETSc ? "PETSc" : "the host backend"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9s | %9s | %9s | %8s | %8s | %8s | %8s | %7s | %7s | %7s | %8s |\n|:---------------|----------:|----------:|----------:|---------:|---------:|---------:|---------:|--------:|--------:|--------:|---------:|\n", "type", "J ms", "F ms", "ns/elem.", "GB/s", "of copy", "x host", "x PETSc", "set-up", "plan", "compile", "diff."));
  PetscCall(CreateAssembly(o, o->backend, dm, &plex));
  PetscCall(CreateAssembly(o, o->backend, dm, &dummy));
  dummy->dummy = PETSC_TRUE;
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    PetscCall(Measure(o, plex, host ? NULL : o->types[t], &problem, &reference, &c->row[t]));
    PetscCheck(!(o->move > 0) || !plex->affineElements, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Elements whose vertices were moved are taken for affine");
    PetscCall(Report(o, o->types[t], c, &c->row[t], copy));
    if (o->dummy) {
      PetscCall(Measure(o, dummy, o->types[t], &problem, NULL, &row));
      c->row[t].dummy[PLEX_JACOBIAN] = row.jacobian;
      c->row[t].dummy[PLEX_RESIDUAL] = PetscMax(row.residual, 0);
    }
    PetscCall(AppendCSV(o, o->types[t], c, &c->row[t], copy));
  }
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscCall(PlexAssemblyDestroy(&dummy));
  PetscCall(TimingProblemDestroy(&reference));
  PetscCall(TimingProblemDestroy(&problem));
  PetscCall(DMDestroy(&dm));
  PetscCall(ReportJacobians(o, c, copy));
  if (o->dummy) PetscCall(ReportDummies(o, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReportBest(const Options *o, const Case *c, double copy)
{
  PetscLogDouble best     = PETSC_MAX_REAL;
  const char    *bestType = "-";

  PetscFunctionBegin;
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const PetscLogDouble seconds = c->row[t].jacobian + c->row[t].residual;

    if (c->row[t].residual < 0 || seconds >= best) continue;
    best     = seconds;
    bestType = o->types[t];
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=assembly cell=%s order=%" PetscInt_FMT " elements=%" PetscInt_FMT " dofs=%" PetscInt_FMT " backend=%s best=%s ms=%.4f petsc_ratio=%.1f host_ratio=%.1f copy_share=%.3f\n", Cells[o->cell], o->order, c->elements, c->nodes, o->backend, bestType, 1e3 * best, c->petsc / (best / c->elements), c->host / (best / c->elements), c->bytes / best / copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     options, other;
  Case        first = {0}, second = {0};
  PlexBackend backend;
  PetscBool   available;
  char        file[PETSC_MAX_PATH_LEN];
  double      copy;
  PetscMPIInt size;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "This benchmark runs on one rank, not %d", size);
  PetscCall(OptionsGet(&options));
  PetscCall(FindFile("coo.cu", file, sizeof(file)));
  PetscCall(CooRegister(file, options.interleave));
  PetscCall(PlexBackendIsAvailable(options.backend, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP, "The backend %s is not available here; -bench_backend takes cuda, host or emulate", options.backend);
  PetscCall(PlexBackendCreate(options.backend, &backend));
  PetscCall(CopyBandwidth(&options, backend, &copy));
  PetscCall(PlexBackendDestroy(&backend));
  other             = options;
  options.shuffle   = PETSC_FALSE;
  options.nonlinear = PETSC_FALSE;
  PetscCall(RunCase(&options, copy, NULL, &first));
  if (other.nonlinear) {
    Options nonlinear = options;

    nonlinear.nonlinear = PETSC_TRUE;
    PetscCall(RunCase(&nonlinear, copy, NULL, &second));
    PetscCall(ReportRatio(&options, "Constant conductivity, then a(u) = 1 + u^2", &first, &second));
  }
  if (other.shuffle) {
    Options shuffled = options;

    shuffled.shuffle = PETSC_TRUE;
    PetscCall(RunCase(&shuffled, copy, &first, &second));
    PetscCall(ReportRatio(&options, "The mesh in order, then numbered at random", &first, &second));
  }
  PetscCall(ReportBest(&options, &first, copy));
  for (PetscInt t = 0; t < options.ntypes; ++t) PetscCall(PetscFree(options.types[t]));
  PetscCall(PetscFinalize());
  return 0;
}
