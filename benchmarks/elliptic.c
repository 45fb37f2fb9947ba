static char help
  [] = "Poisson's equation in the unit square or cube by hybridized DG, and by continuous elements with multigrid "
       "of degrees, on one mesh: time from the mesh to the solution, beside the error.\n\n"
       "  -dim 2 or 3            (default 3)\n"
       "  -cells N               N^dim squares of 2 triangles, or cubes of 6 tetrahedra (default 6)\n"
       "  -simplex false         quadrilaterals, or hexahedra\n"
       "  -hdg P,...             degrees of hybridized DG (default 3)\n"
       "  -continuous P,...      degrees of continuous elements (default 3,4)\n"
       "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
       "  -errors BOOL           errors of continuous elements, which PETSc computes on the host (default true)\n"
       "  -csv FILE              append the numbers\n"
       "  -plex_hdg_..., -plex_assembly_..., -ksp_..., -mg_...   of the methods; both solve to 1e-10 by default\n\n";

/*
  Both methods begin with the same mesh, which is not counted, and end with the solution: spaces, plans, kernels' compilation
  (in a column of its own, as a second run finds them), matrices, preconditioners, the source, the solve; of hybridized DG
  the post-processed u* too. "Again" is another right-hand side with what is there.
*/
#include "bench.h"
#include "devicesource.h"
#include "../examples/box.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "elliptic.h"

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  u[0] = elliptic_solution(dim, x);
  return PETSC_SUCCESS;
}

static PetscErrorCode ExactAt(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                              PetscCtx ctx)
{
  return Exact(dim, x, Nc, u, ctx);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  g[0] = 0.;
  return PETSC_SUCCESS;
}

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                           PetscCtx ctx)
{
  u[0] = 0.;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

typedef struct {
  char      type[64], source[PETSC_MAX_PATH_LEN];
  PetscBool cuda, errors;
} Run;

typedef struct {
  const char    *method;
  PetscInt       degree, unknowns, iterations;
  PetscLogDouble first, compile, again; /* seconds */
  PetscReal      error, star;           /* in L2; of u*, 0: there is none */
} Row;

/* Of the event of compilation, in all so far */
static PetscErrorCode Compilation(PetscLogDouble *seconds)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId("PlexCompile", &event));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  *seconds = info.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetSource(const Run *run, PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSetSourcePoint(hdg, f_elliptic, 0, NULL));
  PetscCall(PlexHDGSetPointwiseSource(hdg, run->source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hybridized(const Run *run, DM mesh, Row *row)
{
  PetscLogDouble begin, end, compile;
  PetscReal      L2[3];
  PlexHDG        hdg;
  Mat            K;
  KSP            ksp;

  PetscFunctionBegin;
  row->method = "hybridized DG";
  PetscCall(Compilation(&compile));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGCreate(mesh, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, row->degree));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 0.));
  PetscCall(SetSource(run, hdg));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetBackend(hdg, run->type));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscTime(&end));
  row->first = end - begin;
  PetscCall(Compilation(&row->compile));
  row->compile -= compile;
  PetscCall(PetscTime(&begin));
  PetscCall(SetSource(run, hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscTime(&end));
  row->again = end - begin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &row->iterations));
  PetscCall(KSPGetOperators(ksp, &K, NULL));
  PetscCall(MatGetSize(K, &row->unknowns, NULL));
  PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, NULL, L2));
  row->error = L2[0];
  row->star  = L2[2];
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSpace(DM dm, PetscInt degree)
{
  DMPolytopeType ct;
  PetscInt       dim;
  PetscFE        fe;
  PetscDS        ds;
  DMLabel        label;
  const PetscInt value = 1;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, ct, degree, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_elliptic, f1_elliptic));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_elliptic));
  PetscCall(DMCreateLabel(dm, "boundary"));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, value, label));
  PetscCall(DMPlexLabelComplete(dm, label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "boundary", label, 1, &value, 0, 0, NULL, (PetscVoidFn *)Zero, NULL,
                          NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Continuous(const Run *run, DM mesh, Row *row)
{
  PetscErrorCode (*exact[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar[], PetscCtx) = {ExactAt};
  PetscLogDouble begin, end, compile;
  PlexAssembly   assembly;
  SNES           snes;
  KSP            ksp;
  PC             pc;
  Vec            x, b;
  DM             dm;

  PetscFunctionBegin;
  row->method = "continuous elements";
  PetscCall(DMClone(mesh, &dm));
  PetscCall(Compilation(&compile));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateSpace(dm, row->degree));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  if (run->cuda) PetscCall(DMSetVecType(dm, VECCUDA));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, run->type));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, run->source));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPLEXPMG));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecNorm(x, NORM_2, &row->error)); /* behind all that a device still does */
  PetscCall(PetscTime(&end));
  row->first = end - begin;
  PetscCall(Compilation(&row->compile));
  row->compile -= compile;
  PetscCall(KSPGetIterationNumber(ksp, &row->iterations));
  PetscCall(VecGetSize(x, &row->unknowns));
  row->error = 0.;
  if (run->errors) PetscCall(DMComputeL2Diff(dm, 0., exact, NULL, x, &row->error));
  PetscCall(VecSet(x, 0.));
  PetscCall(PetscTime(&begin));
  PetscCall(SNESComputeFunction(snes, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &(PetscReal){0.}));
  PetscCall(PetscTime(&end));
  row->again = end - begin;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Print(const Run *run, PetscInt dim, PetscInt cells, PetscInt elements, const Row *row, FILE *csv)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %s | %" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT " | %.3f | %.3f | %.4f |",
                        row->method, row->degree, row->unknowns, row->iterations, row->first - row->compile,
                        row->compile, row->again));
  if (row->error > 0.) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %.2e |", (double)row->error));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, " |"));
  if (row->star > 0.) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %.2e |\n", (double)row->star));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, " |\n"));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv,
                           "%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%s,%" PetscInt_FMT
                           ",%" PetscInt_FMT ",%" PetscInt_FMT ",%.6g,%.6g,%.6g,%.6g,%.6g\n",
                           run->type, dim, cells, elements, row->method, row->degree, row->unknowns, row->iterations,
                           row->first, row->compile, row->again, (double)row->error, (double)row->star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define COLUMNS "backend,dim,cells,elements,method,degree,unknowns,iterations,first,compile,again,error,star"

int main(int argc, char **argv)
{
  PetscInt       hybridized[8] = {3}, continuous[8] = {3, 4}, nh = 8, nc = 8, dim = 3, cells = 6, begin, end;
  char           path[PETSC_MAX_PATH_LEN] = "";
  PetscLogDouble start, stop;
  PetscBool      given, simplex = PETSC_TRUE;
  FILE          *csv = NULL;
  Row            row;
  Run            run = {.errors = PETSC_TRUE};
  PlexBackend    backend;
  DMPolytopeType ct;
  DM             dm;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(ExampleDefault("-plex_hdg_ksp_rtol", "1e-10"));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &given));
  PetscCall(PetscStrncpy(run.type, given ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(run.type)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Poisson's equation", "");
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", "elliptic.c", dim, &dim, NULL, 2, 3));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", "elliptic.c", cells, &cells, NULL, 1));
  PetscCall(PetscOptionsBool("-simplex", "Simplices", "elliptic.c", simplex, &simplex, NULL));
  PetscCall(PetscOptionsIntArray("-hdg", "Degrees of hybridized DG", "elliptic.c", hybridized, &nh, &given));
  if (!given) nh = 1;
  PetscCall(PetscOptionsIntArray("-continuous", "Degrees of continuous elements", "elliptic.c", continuous, &nc,
                                 &given));
  if (!given) nc = 2;
  PetscCall(PetscOptionsBool("-errors", "Errors", "elliptic.c", run.errors, &run.errors, NULL));
  PetscCall(PetscOptionsString("-csv", "Numbers", "elliptic.c", path, path, sizeof(path), NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "elliptic.c", run.type, run.type, sizeof(run.type), NULL));
  PetscOptionsEnd();
  PetscCall(BenchDeviceSource("elliptic.h", run.source));
  PetscCall(BenchCreateBackend(run.type, &backend)); /* the device starts here, and not in the first row */
  PetscCall(PetscStrcmp(run.type, PLEXBACKENDCUDA, &run.cuda));
  if (path[0]) PetscCall(BenchOpenCSV(path, COLUMNS, &csv));
  PetscCall(PetscTime(&start));
  if (simplex) PetscCall(BoxCreate(PETSC_COMM_SELF, dim, cells, &dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, (PetscInt[3]){cells, cells, cells}, NULL, NULL,
                                  NULL, PETSC_TRUE, 0, PETSC_TRUE, &dm));
  PetscCall(PetscTime(&stop));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &begin, &end));
  PetscCall(DMPlexGetCellType(dm, begin, &ct));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n## Poisson's equation, %" PetscInt_FMT " cells, %s, %s; the mesh %.3f s\n\n"
                        "| method | degree | unknowns | iterations | from the mesh to the solution, s | compilation, s "
                        "| "
                        "again, s | error of u | of u* |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                        end - begin, DMPolytopeTypes[ct], run.type, stop - start));
  for (PetscInt k = 0; k < nh + nc; ++k) {
    PetscCall(PetscMemzero(&row, sizeof(row)));
    row.degree = k < nh ? hybridized[k] : continuous[k - nh];
    PetscCall((k < nh ? Hybridized : Continuous)(&run, dm, &row));
    PetscCall(Print(&run, dim, cells, end - begin, &row, csv));
  }
  if (csv) PetscCall(BenchCloseCSV(path, &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=elliptic backend=%s elements=%" PetscInt_FMT "\n",
                        run.type, end - begin));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(BenchFinalize(1));
  return 0;
}
