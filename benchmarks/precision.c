static char help[] = "Single against double precision: Tables VI and VII of Cecka, Lew and Darve 2011.\n\n"
                     "  -levels N            meshes: the plate of 185 nodes and N - 1 refinements (default 5 on "
                     "the host, 8 with a GPU)\n"
                     "  -emulate_levels N    without a GPU the types run emulated, on the first of them "
                     "(default 2; 0: none)\n"
                     "  -solve_levels N      the first of them solved for Table VII (default all)\n"
                     "  -jitter E            move the nodes of the refined meshes by up to E/2 of their "
                     "distance (default 0), see README.md\n"
                     "  -output FILE         HDF5 file with the tables, the paper's columns beside ours "
                     "(default precision.h5)\n\n";

/*
  Table VI   average relative error of the entries of [A F]
             (sum_ij |As_ij - Ad_ij|/|Ad_ij| + sum_i |Fs_i - Fd_i|/|Fd_i|)/(NZ + N)
  Table VII  relative error of the solution
             |us - ud|_2 / |ud|_2,  As us = Fs,  Ad ud = Fd

  s: assembled in single precision, d: in double precision by PETSc. F is the right-hand side with the boundary values
  moved into it, which is the residual of u = 0 inside and u = g on the boundary. Entries that are zero but for
  rounding, smaller than 1e-12 of the largest, have no relative error and are left out and counted. Both systems are
  solved in double precision, by conjugate gradients to |F - A u|_2^2 < 1e-12, as in the paper.

  The paper's GPU held the nodes' coordinates in single precision, and that is where it finds the error to come from. So
  do our kernels in single precision. The host backend computes the elements' geometry in double precision and the rest
  in single; its second row, "float_nodes", has the coordinates rounded to single precision first.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "bench.h"
#include "../examples/viewerhdf5.h"

#define MAX_LEVELS 10
#define COLUMNS    (2 + TIMING_TYPES) /* the host, the types, the host with rounded nodes */

static const PetscReal PaperNodes[] = {184, 664, 2.5e3, 9.7e3, 38e3, 150e3, 600e3, 2.4e6};
/* Table VI, all four methods alike */
static const PetscReal PaperEntries[] = {1.6e-7, 3.0e-7, 6.2e-7, 1.2e-6, 2.6e-6, 5.2e-6, 1.1e-5, 2.1e-5};
/* Table VII */
static const PetscReal PaperSolution[] = {1.4e-7, 1.7e-7, 5.0e-7, 8.2e-7, 1.3e-6, 3.7e-6, 8.2e-6, 1.2e-5};

/* The tables as they grow: a row a mesh, a column an assembly; -1 where nothing was measured */
typedef struct {
  PetscInt  levels;
  char      name[COLUMNS][48]; /* backend and type; empty where not measured */
  PetscReal nodes[MAX_LEVELS], elements[MAX_LEVELS];
  PetscReal entries[MAX_LEVELS][COLUMNS], solution[MAX_LEVELS][COLUMNS];
  PetscInt  leftOut[MAX_LEVELS];
} PrecisionTables;

/* Adds |s - d|/|d| over the entries that are not zero but for rounding to *sum; counts those and the others */
static PetscErrorCode RelativeErrors(PetscInt n, const PetscScalar s[], const PetscScalar d[], PetscReal *sum,
                                     PetscInt *count, PetscInt *leftOut)
{
  PetscReal largest = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) largest = PetscMax(largest, PetscAbsScalar(d[k]));
  for (PetscInt k = 0; k < n; ++k) {
    if (PetscAbsScalar(d[k]) > 1e-12 * largest) {
      *sum += PetscAbsScalar(s[k] - d[k]) / PetscAbsScalar(d[k]);
      ++*count;
    } else ++*leftOut;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Table VI's number for one system against another; matrices sequential, of one pattern */
static PetscErrorCode EntriesError(TimingProblem *single, TimingProblem *exact, PetscReal *error, PetscInt *leftOut)
{
  const PetscScalar *s, *d;
  MatInfo            info;
  PetscInt           n, count = 0;
  PetscReal          sum = 0;

  PetscFunctionBegin;
  *leftOut = 0;
  PetscCall(MatGetInfo(exact->J, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArrayRead(single->J, &s));
  PetscCall(MatSeqAIJGetArrayRead(exact->J, &d));
  PetscCall(RelativeErrors((PetscInt)info.nz_used, s, d, &sum, &count, leftOut));
  PetscCall(MatSeqAIJRestoreArrayRead(exact->J, &d));
  PetscCall(MatSeqAIJRestoreArrayRead(single->J, &s));
  PetscCall(VecGetLocalSize(exact->F, &n));
  PetscCall(VecGetArrayRead(single->F, &s));
  PetscCall(VecGetArrayRead(exact->F, &d));
  PetscCall(RelativeErrors(n, s, d, &sum, &count, leftOut));
  PetscCall(VecRestoreArrayRead(exact->F, &d));
  PetscCall(VecRestoreArrayRead(single->F, &s));
  *error = sum / count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A u = -F on the host, to |F + A u|_2^2 < 1e-12 */
static PetscErrorCode SolveSystem(TimingProblem *problem, Vec u)
{
  KSP                ksp;
  PC                 pc;
  Mat                A;
  Vec                rhs;
  PetscReal          norm;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(MatConvert(problem->J, MATSEQAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(VecDuplicate(u, &rhs));
  PetscCall(VecCopy(problem->F, rhs));
  PetscCall(VecScale(rhs, -1.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-20, 5e-7, 1e30, 2000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(VecSet(u, 0.0));
  PetscCall(KSPSolve(ksp, rhs, u));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecScale(rhs, -1.0));
  PetscCall(MatMultAdd(A, u, rhs, rhs));
  PetscCall(VecNorm(rhs, NORM_2, &norm));
  PetscCheck(reason > 0 && norm * norm < 1e-12, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "Conjugate gradients ended with |F - A u|^2 = %g (%s); Table VII needs 1e-12", (double)(norm * norm),
             KSPConvergedReasons[reason]);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&rhs));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves each coordinate by up to jitter/2 mesh sizes, the same way in each run. The triangles of nested refinements are
   alike, so that their rounding errors are alike and add up; after this they differ. */
static PetscErrorCode JitterNodes(DM dm, PetscReal jitter)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n, cStart, cEnd;
  PetscReal    volume, h;
  PetscRandom  random;

  PetscFunctionBegin;
  if (jitter <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexComputeCellGeometryFVM(dm, cStart, &volume, NULL, NULL));
  h = PetscSqrtReal(volume);
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -0.5 * jitter * h, 0.5 * jitter * h));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal shift;

    PetscCall(PetscRandomGetValueReal(random, &shift));
    x[k] += shift;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of the series, and its problem with PETSc's double precision system */
static PetscErrorCode CreateLevel(PetscInt level, PetscReal jitter, DM *dm, TimingProblem *exact)
{
  char path[PETSC_MAX_PATH_LEN];
  DM   fine;
  Vec  locX;

  PetscFunctionBegin;
  PetscCall(HeatFindFile("plate-coarse.msh", path, sizeof(path)));
  PetscCall(HeatCreateMesh(PETSC_COMM_SELF, path, dm));
  for (PetscInt l = 0; l < level; ++l) {
    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &fine));
    PetscCall(DMDestroy(dm));
    *dm = fine;
  }
  PetscCall(JitterNodes(*dm, jitter));
  PetscCall(HeatSetUpProblem(*dm, 1, PETSC_FALSE, 0.1));
  PetscCall(DMCreateLocalVector(*dm, &locX));
  PetscCall(DMPlexSNESComputeBoundaryFEM(*dm, locX, NULL));
  PetscCall(TimingProblemCreate(*dm, MATAIJ, VECSTANDARD, PETSC_TRUE, locX, exact));
  PetscCall(TimingAssemble(NULL, exact));
  PetscCall(VecDestroy(&locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rounds the coordinates of the nodes to single precision */
static PetscErrorCode RoundNodes(DM dm)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; ++k) x[k] = (float)PetscRealPart(x[k]);
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Systems assembled in single precision on one backend: one assembly and one matrix for all its types, which share what
   does not depend on the type */
typedef struct {
  PlexAssembly  plex;
  TimingProblem single;
} SingleSystem;

static PetscErrorCode SingleSystemCreate(const char backend[], const char source[], TimingProblem *exact,
                                         SingleSystem *system)
{
  PetscFunctionBegin;
  PetscCall(TimingProblemCreateForBackend(exact->dm, backend, PETSC_TRUE, exact->locX, &system->single));
  PetscCall(PlexAssemblyCreate(exact->dm, &system->plex));
  PetscCall(PlexAssemblySetFromOptions(system->plex));
  PetscCall(PlexAssemblySetBackend(system->plex, backend));
  PetscCall(PlexAssemblySetPrecision(system->plex, PLEX_PRECISION_SINGLE));
  PetscCall(PlexAssemblySetPointwiseSource(system->plex, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SingleSystemDestroy(SingleSystem *system)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyDestroy(&system->plex));
  PetscCall(TimingProblemDestroy(&system->single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One type on one mesh: a field of each table; ud NULL where Table VII is not asked for */
static PetscErrorCode MeasureColumn(PrecisionTables *tables, PetscInt level, PetscInt column, const char type[],
                                    const char name[], SingleSystem *system, TimingProblem *exact, Vec ud)
{
  Vec       us;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(tables->name[column], name, sizeof(tables->name[column])));
  if (type) PetscCall(PlexAssemblySetType(system->plex, type));
  PetscCall(TimingAssemble(system->plex, &system->single));
  PetscCall(EntriesError(&system->single, exact, &tables->entries[level][column], &tables->leftOut[level]));
  if (ud) {
    PetscCall(VecDuplicate(ud, &us));
    PetscCall(SolveSystem(&system->single, us));
    PetscCall(VecAXPY(us, -1.0, ud));
    PetscCall(VecNorm(us, NORM_2, &tables->solution[level][column]));
    PetscCall(VecNorm(ud, NORM_2, &norm));
    tables->solution[level][column] /= norm;
    PetscCall(VecDestroy(&us));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host's assembly, and the types on a backend unless that is NULL, on one mesh */
static PetscErrorCode MeasureLevel(PrecisionTables *tables, PetscInt level, PetscReal jitter, PlexBackendType backend,
                                   PetscBool solve, const char source[])
{
  DM             dm;
  TimingProblem  exact;
  SingleSystem   system;
  Vec            ud    = NULL;
  PetscInt       nodes = 0, elements = 0;
  char           name[48];
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(CreateLevel(level, jitter, &dm, &exact));
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  tables->nodes[level]    = nodes;
  tables->elements[level] = elements;
  for (PetscInt c = 0; c < COLUMNS; ++c) tables->entries[level][c] = tables->solution[level][c] = -1;
  if (solve) {
    PetscCall(VecDuplicate(exact.F, &ud));
    PetscCall(SolveSystem(&exact, ud));
  }
  if (backend) {
    PetscCall(SingleSystemCreate(backend, source, &exact, &system));
    for (PetscInt i = 0; i < TIMING_TYPES; ++i) {
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s_%s", backend, TimingTypes[i]));
      PetscCall(MeasureColumn(tables, level, 1 + i, TimingTypes[i], name, &system, &exact, ud));
    }
    PetscCall(SingleSystemDestroy(&system));
  }
  PetscCall(SingleSystemCreate(PLEXBACKENDHOST, source, &exact, &system));
  PetscCall(MeasureColumn(tables, level, 0, NULL, "host", &system, &exact, ud));
  PetscCall(RoundNodes(dm)); /* the double precision system is assembled already */
  PetscCall(MeasureColumn(tables, level, 1 + TIMING_TYPES, NULL, "host_float_nodes", &system, &exact, ud));
  PetscCall(SingleSystemDestroy(&system));
  tables->levels = level + 1;
  PetscCall(PetscTime(&end));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%9" PetscInt_FMT " nodes, %9" PetscInt_FMT " elements, %.1f s; %" PetscInt_FMT
                        " entries zero but for rounding\n",
                        nodes, elements, end - begin, tables->leftOut[level]));
  PetscCall(VecDestroy(&ud));
  PetscCall(TimingProblemDestroy(&exact));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A table in Markdown; a row an assembly, a column a mesh, as there are more assemblies than meshes */
static PetscErrorCode PrintTable(const char title[], const PrecisionTables *tables, const PetscReal values[][COLUMNS],
                                 const PetscReal paper[])
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n%s\n\n| %-24s |", title, "nodes"));
  for (PetscInt l = 0; l < tables->levels; ++l)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " %8.0f |", (double)tables->nodes[l]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n|:-------------------------|"));
  for (PetscInt l = 0; l < tables->levels; ++l) PetscCall(PetscPrintf(PETSC_COMM_SELF, "---------:|"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| %-24s |", "paper, nodes"));
  for (PetscInt l = 0; l < tables->levels; ++l)
    PetscCall(l < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(PaperNodes)
                ? PetscPrintf(PETSC_COMM_SELF, " %8.0f |", (double)PaperNodes[l])
                : PetscPrintf(PETSC_COMM_SELF, " %8s |", "-"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| %-24s |", "paper"));
  for (PetscInt l = 0; l < tables->levels; ++l)
    PetscCall(l < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(PaperNodes)
                ? PetscPrintf(PETSC_COMM_SELF, " %8.1e |", (double)paper[l])
                : PetscPrintf(PETSC_COMM_SELF, " %8s |", "-"));
  for (PetscInt c = 0; c < COLUMNS; ++c) {
    if (!tables->name[c][0]) continue;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| %-24s |", tables->name[c]));
    for (PetscInt l = 0; l < tables->levels; ++l)
      PetscCall(values[l][c] >= 0 ? PetscPrintf(PETSC_COMM_SELF, " %8.1e |", (double)values[l][c])
                                  : PetscPrintf(PETSC_COMM_SELF, " %8s |", "-"));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One dataset [levels] */
static PetscErrorCode WriteColumn(PetscViewer viewer, const char name[], PetscInt n, PetscInt stride,
                                  const PetscReal values[])
{
  Vec v;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &v));
  for (PetscInt l = 0; l < n; ++l) PetscCall(VecSetValue(v, l, values[l * stride], INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscCall(PetscObjectSetName((PetscObject)v, name));
  PetscCall(VecView(v, viewer));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* /nodes, /elements, and in /table_6 and /table_7 a dataset an assembly, "paper" with its own "paper_nodes" beside */
static PetscErrorCode WriteTables(const char file[], const PrecisionTables *tables)
{
  const PetscReal *paper[]  = {PaperEntries, PaperSolution};
  const char      *groups[] = {"/table_6", "/table_7"};
  const PetscInt   n        = PetscMin(tables->levels, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(PaperNodes));
  PetscViewer      viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerHDF5Open(PETSC_COMM_SELF, file, FILE_MODE_WRITE, &viewer));
  PetscCall(WriteColumn(viewer, "nodes", tables->levels, 1, tables->nodes));
  PetscCall(WriteColumn(viewer, "elements", tables->levels, 1, tables->elements));
  for (PetscInt t = 0; t < 2; ++t) {
    PetscCall(PetscViewerHDF5PushGroup(viewer, groups[t]));
    PetscCall(WriteColumn(viewer, "paper_nodes", n, 1, PaperNodes));
    PetscCall(WriteColumn(viewer, "paper", n, 1, paper[t]));
    for (PetscInt c = 0; c < COLUMNS; ++c) {
      if (tables->name[c][0])
        PetscCall(WriteColumn(viewer, tables->name[c], tables->levels, COLUMNS,
                              t ? &tables->solution[0][c] : &tables->entries[0][c]));
    }
    PetscCall(PetscViewerHDF5PopGroup(viewer));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PrecisionTables tables;
  char            output[PETSC_MAX_PATH_LEN] = "precision.h5", source[PETSC_MAX_PATH_LEN];
  PetscInt        levels, emulateLevels = 2, solveLevels = MAX_LEVELS;
  PetscReal       jitter = 0;
  PetscBool       cuda, emulate;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  levels = cuda ? 8 : 5;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Single against double precision", "");
  PetscCall(PetscOptionsRangeInt("-levels", "Meshes", "precision.c", levels, &levels, NULL, 1, MAX_LEVELS));
  PetscCall(PetscOptionsBoundedInt("-emulate_levels", "Meshes on the emulated GPU", "precision.c", emulateLevels,
                                   &emulateLevels, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-solve_levels", "Meshes solved", "precision.c", solveLevels, &solveLevels, NULL,
                                   0));
  PetscCall(PetscOptionsBoundedReal("-jitter", "Nodes moved, in mesh sizes", "precision.c", jitter, &jitter, NULL,
                                    0.0));
  PetscCall(PetscOptionsString("-output", "HDF5 file", "precision.c", output, output, sizeof(output), NULL));
  PetscOptionsEnd();
  PetscCall(HeatFindFile("heat.h", source, sizeof(source)));
  PetscCall(PetscMemzero(&tables, sizeof(tables)));
  for (PetscInt l = 0; l < levels; ++l)
    PetscCall(MeasureLevel(&tables, l, jitter,
                           cuda                           ? PLEXBACKENDCUDA
                           : emulate && l < emulateLevels ? PLEXBACKENDEMULATE
                                                          : NULL,
                           (PetscBool)(l < solveLevels), source));
  PetscCall(PrintTable("Table VI: average relative error of the entries of [A F], single against double precision",
                       &tables, tables.entries, PaperEntries));
  PetscCall(PrintTable("Table VII: relative error of the solution", &tables, tables.solution, PaperSolution));
  PetscCall(WriteTables(output, &tables));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nWrote %s\n", output));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "result: benchmark=precision levels=%" PetscInt_FMT
                        " nodes=%.0f host_entries=%.2e host_solution=%.2e\n",
                        levels, (double)tables.nodes[levels - 1], (double)tables.entries[levels - 1][0],
                        (double)tables.solution[levels - 1][0]));
  PetscCall(BenchFinalize(levels));
  return 0;
}
