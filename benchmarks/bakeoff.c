static char help
  [] = "CEED's bake-off problems BP1 to BP5 on hexahedra: conjugate gradients with a matrix of type plexgpu.\n\n"
       "  -problems N,...    of 1 to 5 (default all)\n"
       "  -degrees N,...     of 1 to 8 (default all)\n"
       "  -dofs N,...        sizes, about (default 100000)\n"
       "  -cells N           most cells a side (default 64)\n"
       "  -iterations N      of each solve (default 20)\n"
       "  -solves N          of which the median counts, at most 25 (default 3)\n"
       "  -move X            vertices are moved by X at most (default 0.01)\n"
       "  -check_degree N    products of degrees up to this one are compared with an assembled matrix's (default 2)\n"
       "  -csv FILE          appends all numbers\n"
       "  -bench_backend B   cuda where there is one, else host\n\n"
       "-plex_assembly_... apply.\n\n";

/*
  The problems, by https://ceed.exascaleproject.org/bps and Fischer et al., Scalability of high-performance PDE solvers, Int.
  J. High Perform. Comput. Appl. 34 (2020), of p + 1 Gauss-Lobatto nodes along an edge:

    BP1  mass, scalar               p + 2 Gauss points
    BP2  mass, three components     p + 2 Gauss points
    BP3  Laplace, scalar            p + 2 Gauss points
    BP4  Laplace, three components  p + 2 Gauss points
    BP5  Laplace, scalar            p + 1 Gauss-Lobatto points, the nodes

  BP1 and BP2 have no essential values, the others zero on the boundary. The rate is dofs times iterations over the seconds
  of KSPSolve(). As in libCEED's programs (examples/petsc), CG is preconditioned by Jacobi for the mass matrix, here by its
  diagonal and there by its row sums, and by nothing for Laplace; a first solve, which makes plans, is not counted.
*/
#include "samples.h"
#include "devicesource.h"
#include "../src/assembly/interface/assemblyimpl.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "bakeoff.h"

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                           PetscCtx ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

#define MOST_SOLVES 25
#define MOST_SIZES  16

typedef struct {
  PetscInt  Nc, more; /* components; points along a line beyond the degree */
  PetscBool laplace, collocated;
} Problem;

static const Problem problems[] = {
  {1, 2, PETSC_FALSE, PETSC_FALSE},
  {3, 2, PETSC_FALSE, PETSC_FALSE},
  {1, 2, PETSC_TRUE,  PETSC_FALSE},
  {3, 2, PETSC_TRUE,  PETSC_FALSE},
  {1, 1, PETSC_TRUE,  PETSC_TRUE },
};

typedef struct {
  PetscInt       cells, dofs, iterations;                    /* cells a side */
  PetscLogDouble mesh, setup, plan, compile, solve, product; /* seconds; setup is all before the second solve */
  double         bytes, copied; /* of a product, by the library's count; what the operator keeps */
  double         memory;        /* bytes of the device that are in use, or of this process */
  PetscReal      difference;
} Row;

typedef struct {
  char        type[64], source[PETSC_MAX_PATH_LEN];
  PlexBackend backend;
  PetscBool   cuda;
  double      copy;
  PetscInt    most, iterations, solves, check;
  PetscReal   move;
} Run;

/* ---- The spaces */

static PetscErrorCode CreateMesh(PetscInt cells, PetscReal move, DM *dm)
{
  const PetscInt faces[] = {cells, cells, cells};

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 3, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                dm));
  PetscCall(BenchMoveVertices(*dm, move));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products of Gauss-Lobatto points */
static PetscErrorCode CreateLobatto(PetscInt points, PetscQuadrature *q)
{
  PetscReal      *x, *w;
  PetscQuadrature line, square;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(points, &x));
  PetscCall(PetscMalloc1(points, &w));
  PetscCall(PetscDTGaussLobattoLegendreQuadrature(points, PETSCGAUSSLOBATTOLEGENDRE_VIA_NEWTON, x, w));
  PetscCall(PetscQuadratureCreate(PETSC_COMM_SELF, &line));
  PetscCall(PetscQuadratureSetCellType(line, DM_POLYTOPE_SEGMENT));
  PetscCall(PetscQuadratureSetData(line, 1, 1, points, x, w));
  PetscCall(PetscDTTensorQuadratureCreate(line, line, &square));
  PetscCall(PetscDTTensorQuadratureCreate(square, line, q));
  PetscCall(PetscQuadratureDestroy(&square));
  PetscCall(PetscQuadratureDestroy(&line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes seconds of degree 8 */
static PetscErrorCode CreateElement(const Problem *problem, PetscInt degree, PetscFE *fe)
{
  PetscQuadrature q;

  PetscFunctionBegin;
  /* nodes are Gauss-Lobatto points by PETSc's default, and so many points along a line are one more than the order given */
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, 3, problem->Nc, DM_POLYTOPE_HEXAHEDRON, degree,
                                        degree + problem->more - 1, fe));
  if (problem->collocated) {
    PetscCall(CreateLobatto(degree + problem->more, &q));
    PetscCall(PetscFESetQuadrature(*fe, q));
    PetscCall(PetscQuadratureDestroy(&q));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSpace(DM dm, const Problem *problem, PetscFE fe)
{
  const PetscInt value = 1;
  DMLabel        label;
  PetscDS        ds;

  PetscFunctionBegin;
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  if (problem->laplace) {
    PetscCall(PetscDSSetResidual(ds, 0, NULL, f1_laplace));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_laplace));
    PetscCall(DMGetLabel(dm, "marker", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "boundary", label, 1, &value, 0, 0, NULL, (PetscVoidFn *)Zero, NULL,
                            NULL, NULL));
  } else {
    PetscCall(PetscDSSetResidual(ds, 0, f0_mass, NULL));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_mass, NULL, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(DM dm, const Run *run, const char backend[], PlexAssembly *assembly, Mat *A)
{
  Vec locX;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, run->source));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(PlexAssemblyCreateMatrix(*assembly, A));
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(VecSet(locX, 0.));
  PetscCall(PlexAssemblyComputeJacobian(*assembly, locX, NULL, 0., 0., *A, *A));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The check: a product on a small mesh beside one that evaluates the functions at all points, on the host, and beside an
   assembled matrix's, of low degrees */

static PetscErrorCode Compare(Mat A, Mat B, Vec x, PetscReal *most)
{
  Vec       y[2];
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  PetscCall(MatMult(A, x, y[0]));
  PetscCall(MatMult(B, x, y[1]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, &norm));
  PetscCall(VecAXPY(y[1], -1., y[0]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, &difference));
  *most = PetscMax(*most, difference / norm);
  PetscCall(VecDestroy(&y[0]));
  PetscCall(VecDestroy(&y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Run *run, const Problem *problem, PetscFE fe, PetscInt degree, PetscReal *difference)
{
  PlexAssembly assembly[2];
  Mat          A[2], assembled;
  Vec          x;
  DM           dm;

  PetscFunctionBegin;
  *difference = 0.;
  PetscCall(CreateMesh(2, 0.05, &dm));
  PetscCall(CreateSpace(dm, problem, fe));
  if (run->cuda) PetscCall(DMSetVecType(dm, VECCUDA));
  PetscCall(CreateOperator(dm, run, run->type, &assembly[0], &A[0]));
  PetscCall(CreateOperator(dm, run, PLEXBACKENDHOST, &assembly[1], &A[1]));
  PetscCall(PlexAssemblySetApply(assembly[1], PLEX_APPLY_EVALUATED));
  PetscCall(MatCreateVecs(A[0], &x, NULL));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(Compare(A[0], A[1], x, difference));
  if (degree <= run->check) {
    PetscCall(MatConvert(A[1], run->cuda ? MATAIJCUSPARSE : MATAIJ, MAT_INITIAL_MATRIX, &assembled));
    PetscCall(Compare(A[0], assembled, x, difference));
    PetscCall(MatDestroy(&assembled));
  }
  PetscCall(VecDestroy(&x));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&A[k]));
    PetscCall(PlexAssemblyDestroy(&assembly[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A case */

static PetscErrorCode Used(const Run *run, double *bytes)
{
  PlexBackendLimits limits;
  struct rusage     usage;

  PetscFunctionBegin;
  if (run->backend->device) {
    PetscCall(PlexBackendGetLimits(run->backend, &limits));
    *bytes = -(double)limits.memoryFree; /* of the difference of two */
  } else {
    getrusage(RUSAGE_SELF, &usage);
    *bytes = 1024. * (double)usage.ru_maxrss;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(const Problem *problem, Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NATURAL)); /* z . r, which CG has: no reduction more */
  PetscCall(KSPSetConvergenceTest(*ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, problem->laplace ? PCNONE : PCJACOBI));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median seconds of an iteration's solve, and of a product */
static PetscErrorCode Time(const Run *run, KSP ksp, Mat A, Vec b, Vec x, Row *row)
{
  PetscReal      seconds[2][MOST_SOLVES];
  PetscLogDouble begin = 0., own;

  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, run->iterations));
  for (PetscInt k = 0; k < run->solves; ++k) {
    PetscCall(BenchBegin(run->backend, &begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(BenchEnd(run->backend, begin, &own));
    seconds[0][k] = (PetscReal)own;
    PetscCall(BenchBegin(run->backend, &begin));
    for (PetscInt i = 0; i < run->iterations; ++i) PetscCall(MatMult(A, b, x));
    PetscCall(BenchEnd(run->backend, begin, &own));
    seconds[1][k] = (PetscReal)(own / (double)run->iterations);
  }
  PetscCall(KSPGetIterationNumber(ksp, &row->iterations));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscSortReal(run->solves, seconds[k]));
  row->solve   = (PetscLogDouble)seconds[0][run->solves / 2];
  row->product = (PetscLogDouble)seconds[1][run->solves / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const Run *run, const Problem *problem, PetscFE fe, PetscInt degree, PetscReal size,
                              Row *row)
{
  const PetscReal side = PetscPowReal(size / (PetscReal)problem->Nc, 1. / 3.);
  PlexAssembly    assembly;
  PlexProduct    *product;
  PetscLogDouble  begin, end;
  double          before = 0.;
  MatInfo         info;
  KSP             ksp;
  Mat             A;
  Vec             x, b;
  DM              dm;

  PetscFunctionBegin;
  row->cells = PetscMin(run->most, PetscMax(1, (PetscInt)(side / (PetscReal)degree + 0.5)));
  PetscCall(Used(run, &before));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateMesh(row->cells, run->move, &dm));
  PetscCall(PetscTime(&end));
  row->mesh = end - begin;
  PetscCall(CreateSpace(dm, problem, fe));
  if (run->cuda) PetscCall(DMSetVecType(dm, VECCUDA));
  PetscCall(CreateOperator(dm, run, run->type, &assembly, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetRandom(b, NULL));
  PetscCall(CreateSolver(problem, A, &ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&begin));
  row->setup = begin - end;
  PetscCall(Time(run, ksp, A, b, x, row));
  PetscCall(Used(run, &row->memory));
  if (run->backend->device) row->memory -= before;
  product      = &assembly->action[PLEX_ACTION_APPLY]->product[PLEX_RESIDUAL];
  row->plan    = product->planTime;
  row->compile = product->compileTime;
  row->bytes   = product->bytes;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  row->copied = info.memory;
  PetscCall(VecGetSize(b, &row->dofs));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Print(const Run *run, PetscInt p, PetscInt degree, const Row *row, FILE *csv)
{
  const double rate = (double)row->dofs * (double)row->iterations / row->solve, each = (double)row->dofs / row->product,
               share    = row->bytes / row->product / run->copy;
  const PetscInt points = degree + problems[p].more;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| BP%" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT
                        "^3 | %" PetscInt_FMT
                        " | %.4g | %.4g | %.0f %% | %.1f | %.3g | %.2f | %.2f | %.2f | %.2f | %.1e |\n",
                        p + 1, degree, points, row->cells, row->dofs, 1e-9 * rate, 1e-9 * each, 100. * share,
                        row->copied / (double)row->dofs, 1e-9 * row->memory, row->mesh, row->setup, row->plan,
                        row->compile, (double)row->difference));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv,
                           "BP%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT
                           ",%s,%" PetscInt_FMT ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g,%.4g,%.4g,%.3g\n",
                           p + 1, degree, points, row->cells, row->dofs, run->type, row->iterations, rate, each,
                           row->bytes, run->copy, row->copied, row->memory, row->mesh, row->setup, row->plan,
                           row->compile, (double)row->difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define COLUMNS \
  "problem,degree,points,cells,dofs,backend,iterations,rate,product_rate,product_bytes,copy_rate,operator_bytes," \
  "memory_bytes,mesh_s,setup_s,plan_s,compile_s,difference"

static PetscErrorCode RunAll(Run *run, PetscInt np, const PetscInt which[], PetscInt nd, const PetscInt degrees[],
                             PetscInt ns, const PetscReal sizes[], FILE *csv, PetscReal *worst)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| problem | degree | points | cells | dofs | CG, GDOF/s | products, GDOF/s | of a copy | "
                        "operator, "
                        "bytes a dof | memory, GB | mesh, s | set-up, s | plan, s | compile, s | diff. |\n"
                        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"));
  for (PetscInt i = 0; i < np; ++i) {
    for (PetscInt d = 0; d < nd; ++d) {
      const Problem *problem = &problems[which[i] - 1];
      PetscReal      difference;
      PetscFE        fe;

      PetscCheck(which[i] >= 1 && which[i] <= 5 && degrees[d] >= 1 && degrees[d] <= 8, PETSC_COMM_SELF,
                 PETSC_ERR_ARG_OUTOFRANGE,
                 "BP%" PetscInt_FMT " of degree %" PetscInt_FMT ": -problems takes 1 to 5, -degrees 1 to 8", which[i],
                 degrees[d]);
      PetscCall(CreateElement(problem, degrees[d], &fe));
      PetscCall(Check(run, problem, fe, degrees[d], &difference));
      *worst = PetscMax(*worst, difference);
      for (PetscInt s = 0; s < ns; ++s) {
        Row row = {.difference = difference};

        PetscCall(Measure(run, problem, fe, degrees[d], sizes[s], &row));
        PetscCall(Print(run, which[i] - 1, degrees[d], &row, csv));
      }
      PetscCall(PetscFEDestroy(&fe));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  which[5] = {1, 2, 3, 4, 5}, degrees[8] = {1, 2, 3, 4, 5, 6, 7, 8}, np = 5, nd = 8, ns = MOST_SIZES;
  PetscReal sizes[MOST_SIZES] = {1e5}, worst = 0.;
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscBool given, cuda;
  FILE     *csv = NULL;
  Run       run = {.most = 64, .iterations = 20, .solves = 3, .check = 2, .move = 0.01};

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(run.type, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(run.type)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Bake-off problems", "");
  PetscCall(PetscOptionsIntArray("-problems", "Problems", "bakeoff.c", which, &np, &given));
  if (!given) np = 5;
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", "bakeoff.c", degrees, &nd, &given));
  if (!given) nd = 8;
  PetscCall(PetscOptionsRealArray("-dofs", "Sizes", "bakeoff.c", sizes, &ns, &given));
  if (!given) ns = 1;
  PetscCall(PetscOptionsRangeInt("-cells", "Most cells a side", "bakeoff.c", run.most, &run.most, NULL, 1, 1024));
  PetscCall(PetscOptionsRangeInt("-iterations", "Of a solve", "bakeoff.c", run.iterations, &run.iterations, NULL, 1,
                                 10000));
  PetscCall(PetscOptionsRangeInt("-solves", "Solves", "bakeoff.c", run.solves, &run.solves, NULL, 1, MOST_SOLVES));
  PetscCall(PetscOptionsReal("-move", "Vertices are moved", "bakeoff.c", run.move, &run.move, NULL));
  PetscCall(PetscOptionsRangeInt("-check_degree", "Compared with an assembled matrix", "bakeoff.c", run.check,
                                 &run.check, NULL, 0, 8));
  PetscCall(PetscOptionsString("-csv", "Numbers", "bakeoff.c", path, path, sizeof(path), NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "bakeoff.c", run.type, run.type, sizeof(run.type), NULL));
  PetscOptionsEnd();
  PetscCall(BenchDeviceSource("bakeoff.h", run.source));
  PetscCall(BenchCreateBackend(run.type, &run.backend));
  PetscCall(PetscStrcmp(run.type, PLEXBACKENDCUDA, &run.cuda));
  PetscCall(BenchCopyRate(run.backend, &run.copy));
  if (path[0]) PetscCall(BenchOpenCSV(path, COLUMNS, &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n## CEED's bake-off problems, %s, a copy at %.4g GB/s\n\n", run.type,
                        1e-9 * run.copy));
  PetscCall(RunAll(&run, np, which, nd, degrees, ns, sizes, csv, &worst));
  if (csv) PetscCall(BenchCloseCSV(path, &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=bakeoff backend=%s difference=%.3g\n", run.type,
                        (double)worst));
  PetscCheck(worst < 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Products differ by %g", (double)worst);
  PetscCall(PlexBackendDestroy(&run.backend));
  PetscCall(BenchFinalize(1));
  return 0;
}
