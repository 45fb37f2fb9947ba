static char help[] = "Tables 1 to 7 of King, Yakovlev, Fu, Kirby and Sherwin (2014): hybridized DG for the Helmholtz "
                     "equation on squares of N x N cells, each 2 triangles, or cubes; on several processes, too.\n\n"
                     "  -dim 3                 cubes of N x N x N cells, each 6 tetrahedra (default 2)\n"
                     "  -simplex false         quadrilaterals, or hexahedra, without -cg\n"
                     "  -cells A,B,...         N (default 20,40)\n"
                     "  -degrees A,B,...       default 1 to 9\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -host                  times the host backend, too, on one core, and the speed-up\n"
                     "  -reps N                solves whose mean is taken (default 3, as in the paper), after a first "
                     "one\n"
                     "  -cg BOOL               statically condensed continuous elements, too, Table 7 (default true)\n"
                     "  -rates BOOL            the rate of the local matrices' kernel, and of a batched product of "
                     "cuBLAS of its size where a GPU is (default false)\n"
                     "  -callback BOOL         the source is a function that is called on the host, not one that is "
                     "compiled (default false)\n"
                     "  -csv FILE              append the numbers\n"
                     "  -plex_hdg_...          options of the discretization and its solver; -plex_hdg_tau is 1 here, "
                     "-plex_hdg_trace aij, -plex_hdg_ksp_rtol 1e-13, -plex_hdg_ksp_max_it 1000\n\n";

#include "bench.h"
#include <plexgpu/private/util.h>
#include "cublas.h"
#include "devicesource.h"
#include "helmholtz_source.h"
#include "../examples/box.h"
#include "../examples/helmholtz.h"
#include "../examples/program.h"
#include "hdgcg/cg.h"

/* Times are of PETSc's events, which wait for the GPU where a stage ends */
typedef enum {
  LOCAL,
  ASSEMBLE,
  RHS,
  SOLVE,
  RECOVER,
  POST,
  STAGES
} Stage;
static const char *const events[] = {"PlexHDGLocal", "PlexHDGAssemble", "PlexHDGRHS",
                                     "PlexHDGSolve", "PlexHDGRecover",  "PlexHDGPost"};

/* Of set-up; the last of them are copies to the backend's memory within the others */
typedef enum {
  MESH,
  DATA,
  PLAN,
  COMPILE,
  TRANSFER,
  SETUP_STAGES
} SetUpStage;
static const char *const setupEvents[] = {"PlexHDGMesh", "PlexHDGData", "PlexPlan", "PlexCompile", "PlexHDGTransfer"};

/* Of continuous elements likewise: right-hand sides are made with the matrices */
typedef enum {
  CG_LOCAL,
  CG_ASSEMBLE,
  CG_SOLVE,
  CG_RECOVER,
  CG_STAGES
} CGStage;
static const char *const cgEvents[] = {"PlexHDGCGLocal", "PlexHDGCGAssemble", "PlexHDGCGSolve", "PlexHDGCGRecover"};

typedef struct {
  PetscReal      largest, L2; /* errors of u */
  PetscLogDouble seconds, stage[CG_STAGES];
  PetscInt       unknowns, iterations;
  double         values; /* of the matrix */
} CGRow;

typedef struct {
  PetscReal      largest[3], L2[3];             /* errors of u, q, u* */
  PetscLogDouble setup, seconds, stage[STAGES]; /* of a solve */
  PetscLogDouble host, hostSetup;               /* by the host backend on one core, 0: not timed */
  PetscLogDouble setupStage[SETUP_STAGES];
  PetscLogDouble first, levels;  /* of the first solve what it takes beyond the others, the preconditioner's levels */
  PetscLogDouble second, source; /* another right-hand side, all of it, and the evaluation of its source alone */
  double         bytes, local;   /* K^e of a tile, factors, K and all else at once; K^e alone */
  PetscInt       tiles;
  PetscInt       unknowns, iterations;
  double         values;       /* of K */
  double         rate, cublas; /* flops a second of local matrices, of batched products; 0: not measured */
  double         flops, moved; /* of the local matrices, the bytes that they read and write at least */
  CGRow          cg;
} Row;

static PetscErrorCode GetTimes(int n, const char *const names[], PetscLogDouble seconds[])
{
  PetscFunctionBegin;
  for (int s = 0; s < n; ++s) {
    PetscLogEvent      event;
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetId(names[s], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    seconds[s] = info.time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flops of an affine element's local matrix: n^3/3 - NT^3/3 of the elimination, and the sums that make it */
static double LocalFlops(PlexHDGReference R)
{
  const double Np = R->Np, Nt = R->Nt, n = Np + Nt;

  return (n * n * n - Nt * Nt * Nt) / 3. + (R->nab + R->faces) * Np * (Np + 1.) + 2. * (1. + R->dim) * Np * Nt +
         Nt * (Nt + 1.);
}

/* K^e, vertices, kappa, lambda, tau, and how the element sees its faces */
static double LocalBytes(PlexHDGReference R)
{
  return 8. * (R->Nt * (double)R->Nt + R->dim * (R->dim + 1) + 2 + R->faces) + 4. * R->faces;
}

/* The paper's estimate of conjugate gradients (figure 7), in which the preconditioner has no part */
static double SolveFlops(const Row *row)
{
  const double rows = row->unknowns;

  return 2. * row->values + 3. * rows + row->iterations * (2. * row->values + 10. * rows);
}

typedef struct {
  PlexHDG     hdg;
  PlexHDGArgs args;
} LocalCall;

static PetscErrorCode CallLocal(void *ctx)
{
  LocalCall *c = (LocalCall *)ctx;

  PetscFunctionBegin;
  PetscCall((*c->hdg->ops->condense)(c->hdg, &c->args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flops a second of B1 and B2 alone, and of products C[n][n] = A[NP][n] B[n][NP], as many as there are elements: the
   size of all that follows a factor of NP columns */
static PetscErrorCode MeasureRates(PlexHDG hdg, PetscInt reps, Row *row)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Ne = hdg->tileElements, n = R->Np + R->Nt;
  LocalCall        call    = {hdg, hdg->args};
  PlexMemory       memory  = {NULL, 0, 0, 0.};
  PetscLogDouble   seconds = 0.;
  const int        none    = -1; /* element that has no factor */
  double          *A, *B;

  PetscFunctionBegin;
  if (!hdg->mesh->affine) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMemoryAllocate(hdg->backend, &memory, sizeof(double) * Ne * R->Nt * R->Nt, (void **)&call.args.K));
  call.args.begin = 0;
  call.args.end   = (int)Ne;
  PetscCall(PlexBackendCopyIn(hdg->backend, hdg->args.bad, &none, sizeof(none)));
  PetscCall(BenchMedian(hdg->backend, CallLocal, &call, 2 * reps + 1, &seconds));
  row->rate = LocalFlops(R) * Ne / seconds;
  if (hdg->backend->device) {
    BenchBatch batch = {n, n, R->Np, Ne, NULL, NULL, NULL};

    PetscCall(PlexMemoryAllocate(hdg->backend, &memory, sizeof(double) * Ne * n * R->Np, (void **)&A));
    PetscCall(PlexMemoryAllocate(hdg->backend, &memory, sizeof(double) * Ne * n * R->Np, (void **)&B));
    PetscCall(PlexMemoryAllocate(hdg->backend, &memory, sizeof(double) * Ne * n * n, &batch.C));
    PetscCall(PlexBackendZero(hdg->backend, A, sizeof(double) * Ne * n * R->Np));
    PetscCall(PlexBackendZero(hdg->backend, B, sizeof(double) * Ne * n * R->Np));
    batch.A = A;
    batch.B = B;
    PetscCall(BenchMedian(hdg->backend, BenchMultiplyBatch, &batch, 2 * reps + 1, &seconds));
    row->cublas = 2. * n * n * R->Np * Ne / seconds;
  }
  PetscCall(PlexMemoryFree(hdg->backend, &memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PrintRates(const char mesh[], PetscInt n, const PetscInt degrees[], const Row rows[])
{
  printf("\nLocal matrices, %s: the kernel alone, and products of the same sizes by cuBLAS's batches\n\n| P | "
         "TFLOP/s | cuBLAS, TFLOP/s | share |\n|--:|--:|--:|--:|\n",
         mesh);
  for (PetscInt k = 0; k < n; ++k) {
    printf("| %d | %.4f |", (int)degrees[k], 1e-12 * rows[k].rate);
    if (rows[k].cublas > 0.)
      printf(" %.4f | %.0f %% |\n", 1e-12 * rows[k].cublas, 100. * rows[k].rate / rows[k].cublas);
    else printf(" - | - |\n");
  }
}

/* The first solve makes the levels of algebraic multigrid by products on the host: cuSPARSE's may never end
   (docs/notes/2026-gamg.md) */
static PetscErrorCode SolveCGFirst(PlexHDGCG cg)
{
  PetscBool mine[PLEX_HOST_PRODUCTS];

  PetscFunctionBegin;
  PetscCall(PlexHostProductsBegin(mine));
  PetscCall(PlexHDGCGSolve(cg));
  PetscCall(PlexHostProductsEnd(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a pointwise function whose source is known, or by a callback */
static PetscErrorCode SetSource(PlexHDG hdg)
{
  const PetscScalar factor   = 8. * PETSC_PI * PETSC_PI + 1.;
  PetscBool         callback = PETSC_FALSE;
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-callback", &callback, NULL));
  if (callback) PetscCall(PlexHDGSetSource(hdg, HelmholtzSource, NULL));
  else {
    const char *present;

    PetscCall(PlexHDGSetSourcePoint(hdg, helmholtz_source, 1, &factor));
    PetscCall(PlexHDGGetPointwiseSource(hdg, &present));
    if (present) PetscFunctionReturn(PETSC_SUCCESS); /* it is compiled */
    PetscCall(BenchDeviceSource("helmholtz_source.h", path));
    PetscCall(PlexHDGSetPointwiseSource(hdg, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another right-hand side: its source is evaluated, K and its preconditioner stay */
static PetscErrorCode MeasureSecond(PlexHDG hdg, Row *row)
{
  static const char *const names[] = {"PlexHDGData"};
  PetscLogDouble           begin, end, before, after;

  PetscFunctionBegin;
  PetscCall(GetTimes(1, names, &before));
  PetscCall(PetscTime(&begin));
  PetscCall(SetSource(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscTime(&end));
  PetscCall(GetTimes(1, names, &after));
  row->second = end - begin;
  row->source = after - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Set-up, and a first solve, in which workspaces and the preconditioner's levels are made */
static PetscErrorCode MeasureSetUp(PlexHDG hdg, Row *row)
{
  static const char *const names[] = {"PlexHDGLevels"};
  PetscLogDouble           begin, end, before[SETUP_STAGES], after[SETUP_STAGES];

  PetscFunctionBegin;
  PetscCall(GetTimes(SETUP_STAGES, setupEvents, before));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PetscTime(&end));
  PetscCall(GetTimes(SETUP_STAGES, setupEvents, after));
  row->setup = end - begin;
  for (int s = 0; s < SETUP_STAGES; ++s) row->setupStage[s] = after[s] - before[s];
  PetscCall(GetTimes(1, names, before));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscTime(&end));
  PetscCall(GetTimes(1, names, after));
  row->first  = end - begin;
  row->levels = after[0] - before[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All stages: K, too, as if coefficients had changed */
static PetscErrorCode Solve(PlexHDG hdg)
{
  PetscFunctionBegin;
  hdg->assembled = PETSC_FALSE;
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Continuous elements on the same mesh */
static PetscErrorCode MeasureCG(PlexHDG hdg, PetscInt reps, CGRow *row)
{
  PlexHDGCG      cg;
  PetscLogDouble begin, end, before[CG_STAGES], after[CG_STAGES];
  MatInfo        info;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGCreate(hdg, &cg));
  PetscCall(SolveCGFirst(cg));
  PetscCall(GetTimes(CG_STAGES, cgEvents, before));
  PetscCall(PetscTime(&begin));
  for (PetscInt r = 0; r < reps; ++r) PetscCall(PlexHDGCGSolve(cg));
  PetscCall(PetscTime(&end));
  PetscCall(GetTimes(CG_STAGES, cgEvents, after));
  row->seconds = (end - begin) / reps;
  for (int s = 0; s < CG_STAGES; ++s) row->stage[s] = (after[s] - before[s]) / reps;
  PetscCall(PlexHDGCGComputeError(cg, HelmholtzExact, NULL, &row->largest, &row->L2));
  PetscCall(KSPGetIterationNumber(cg->ksp, &row->iterations));
  PetscCall(MatGetSize(cg->A, &row->unknowns, NULL));
  PetscCall(MatGetInfo(cg->A, MAT_GLOBAL_SUM, &info));
  row->values = info.nz_used;
  PetscCall(PlexHDGCGDestroy(&cg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one core */
static PetscErrorCode MeasureHostSetUp(PlexHDG hdg, Row *row)
{
  PetscLogDouble begin, end;
  char           threads[16];
  PetscBool      set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-plexgpu_threads", threads, sizeof(threads), &set));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", "1"));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PetscTime(&end));
  if (set) PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", threads));
  else PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_threads"));
  row->hostSetup = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times of the slowest process, memory of all */
static PetscErrorCode Reduce(Row *row)
{
  PetscLogDouble *times[] = {&row->setup,  &row->seconds, &row->first,     &row->levels,
                             &row->second, &row->source,  &row->cg.seconds};
  double         *sums[]  = {&row->bytes, &row->local};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(times); ++k)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, times[k], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, row->stage, STAGES, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, row->setupStage, SETUP_STAGES, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, row->cg.stage, CG_STAGES, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sums); ++k)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums[k], 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(PetscInt dim, PetscBool simplex, PetscInt cells, PetscInt degree, const char backend[],
                              PetscInt reps, PetscBool host, PetscBool cg, PetscBool rates, Row *row)
{
  DM             dm;
  PlexHDG        hdg;
  KSP            ksp;
  PetscLogDouble begin, end, before[STAGES], after[STAGES];
  MatInfo        info;
  PlexHDGBytes   bytes;

  PetscFunctionBegin;
  if (simplex) PetscCall(BoxCreate(PETSC_COMM_WORLD, dim, cells, &dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, (PetscInt[3]){cells, cells, cells}, NULL, NULL,
                                  NULL, PETSC_TRUE, 0, PETSC_TRUE, &dm));
  PetscCall(ExampleDistribute(&dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSetTau(hdg, 1.)); /* as in the paper */
  PetscCall(SetSource(hdg));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, HelmholtzKnown, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  if (host) PetscCall(MeasureHostSetUp(hdg, row));
  else PetscCall(MeasureSetUp(hdg, row));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(GetTimes(STAGES, events, before));
  PetscCall(PetscTime(&begin));
  for (PetscInt r = 0; r < reps; ++r) PetscCall(Solve(hdg));
  PetscCall(PetscTime(&end));
  PetscCall(GetTimes(STAGES, events, after));
  if (host) row->host = (end - begin) / reps;
  else {
    row->seconds = (end - begin) / reps;
    row->first -= row->seconds;
    for (int s = 0; s < STAGES; ++s) row->stage[s] = (after[s] - before[s]) / reps;
    PetscCall(MeasureSecond(hdg, row));
    PetscCall(PlexHDGComputeMaxError(hdg, HelmholtzExact, NULL, NULL, row->largest));
    PetscCall(PlexHDGComputeL2Error(hdg, HelmholtzExact, NULL, NULL, row->L2));
    PetscCall(PlexHDGGetBytes(hdg, &bytes));
    row->bytes = bytes.kept + bytes.local + bytes.K;
    row->local = bytes.local;
    row->tiles = bytes.tiles;
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &row->iterations));
    PetscCall(MatGetSize(hdg->A, &row->unknowns, NULL));
    PetscCall(MatGetInfo(hdg->A, MAT_GLOBAL_SUM, &info));
    row->values = info.nz_used;
    row->flops  = LocalFlops(hdg->reference) * (double)hdg->mesh->NeGlobal;
    row->moved  = LocalBytes(hdg->reference) * (double)hdg->mesh->NeGlobal;
    if (rates) PetscCall(MeasureRates(hdg, reps, row));
    if (cg) PetscCall(MeasureCG(hdg, reps, &row->cg));
    PetscCall(Reduce(row));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line when a degree is done: tables come when all are */
static void PrintProgress(const char mesh[], PetscInt degree, const Row *row)
{
  printf("%s, P = %d: %.1f ms, %d iterations, behind %.1f ms of set-up and %.1f ms in the first solve alone", mesh,
         (int)degree, 1e3 * row->seconds, (int)row->iterations, 1e3 * row->setup, 1e3 * row->first);
  if (row->host > 0.) printf("; host %.1f ms behind %.1f ms", 1e3 * row->host, 1e3 * row->hostSetup);
  if (row->cg.seconds > 0.)
    printf("; continuous elements %.1f ms, %d iterations", 1e3 * row->cg.seconds, (int)row->cg.iterations);
  printf("\n");
}

/* What a second right-hand side has to take at least */
static PetscLogDouble Least(const Row *row)
{
  return row->stage[SOLVE] + row->stage[RHS] + row->stage[RECOVER];
}

/* A solve with all that is made for it, once the kernels are in the cache */
static PetscLogDouble Whole(const Row *row)
{
  return row->setup - row->setupStage[COMPILE] + row->seconds;
}

static void PrintSetUp(const char mesh[], PetscInt n, const PetscInt degrees[], const Row rows[])
{
  printf("\nSet-up, %s: ms. A plan has its kernels' compilation, all stages their transfers\n\n| P | set-up | "
         "mesh "
         "| source, coefficients, boundary | plan of K | compilation | transfers | first solve beyond the others | of "
         "that levels | second right-hand side | its source | over trace solve, right-hand side, local solve "
         "|\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
         mesh);
  for (PetscInt k = 0; k < n; ++k) {
    printf("| %d | %.1f |", (int)degrees[k], 1e3 * rows[k].setup);
    for (int s = 0; s < SETUP_STAGES; ++s) printf(" %.1f |", 1e3 * rows[k].setupStage[s]);
    printf(" %.1f | %.1f | %.1f | %.1f | %.2f |\n", 1e3 * rows[k].first, 1e3 * rows[k].levels, 1e3 * rows[k].second,
           1e3 * rows[k].source, rows[k].second / Least(&rows[k]));
  }
}

static void PrintTables(const char mesh[], PetscInt n, const PetscInt degrees[], const Row rows[], PetscBool host)
{
  printf("\nTable 1, %s: errors\n\n| P | u, largest | u, L2 | u*, largest | u*, L2 |\n|--:|--:|--:|--:|--:|\n", mesh);
  for (PetscInt k = 0; k < n; ++k)
    printf("| %d | %.5e | %.5e | %.5e | %.5e |\n", (int)degrees[k], (double)rows[k].largest[0], (double)rows[k].L2[0],
           (double)rows[k].largest[2], (double)rows[k].L2[2]);
  printf("\nTables 2 and 3, %s: time in ms, memory in kB\n\n| P | total |%s memory | K^e of a tile | tiles | "
         "set-up | unknowns | iterations |\n|--:|--:|%s--:|--:|--:|--:|--:|--:|\n",
         mesh, host ? " host | speed-up | with A2 and transfers: total | host | speed-up |" : "",
         host ? "--:|--:|--:|--:|--:|" : "");
  for (PetscInt k = 0; k < n; ++k) {
    printf("| %d | %.1f |", (int)degrees[k], 1e3 * rows[k].seconds);
    if (host)
      printf(" %.1f | %.1f | %.1f | %.1f | %.1f |", 1e3 * rows[k].host, rows[k].host / rows[k].seconds,
             1e3 * Whole(&rows[k]), 1e3 * (rows[k].host + rows[k].hostSetup),
             (rows[k].host + rows[k].hostSetup) / Whole(&rows[k]));
    printf(" %.0f | %.0f | %d | %.1f | %d | %d |\n", 1e-3 * rows[k].bytes, 1e-3 * rows[k].local, (int)rows[k].tiles,
           1e3 * rows[k].setup, (int)rows[k].unknowns, (int)rows[k].iterations);
  }
  printf("\nTables 4 to 6, %s: stages in ms\n\n| P | local matrices | assembly | right-hand side | trace solve | "
         "local solve | post-processing | B1-B3, B5, B6 over trace solve |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n",
         mesh);
  for (PetscInt k = 0; k < n; ++k) {
    printf("| %d |", (int)degrees[k]);
    for (int s = 0; s < STAGES; ++s) printf(" %.3f |", 1e3 * rows[k].stage[s]);
    printf(" %.3f |\n",
           (rows[k].stage[LOCAL] + rows[k].stage[ASSEMBLE] + rows[k].stage[RECOVER]) / rows[k].stage[SOLVE]);
  }
}

/* Table 7, and what the paper left open: assembly and solve of continuous elements beside those of hybridized DG */
static void PrintCG(const char mesh[], PetscInt n, const PetscInt degrees[], const Row rows[])
{
  printf("\nTable 7, %s: HDG and statically condensed CG, times in ms\n\n", mesh);
  printf("| P | local matrices HDG | CG | assembly HDG | CG | solve HDG | CG | iterations HDG | CG | unknowns HDG | CG "
         "| values HDG | CG | u, L2 HDG | CG | u*, L2 HDG | all HDG | CG "
         "|\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (PetscInt k = 0; k < n; ++k) {
    const Row   *r = &rows[k];
    const CGRow *c = &r->cg;

    printf("| %d | %.3f | %.3f | %.3f | %.3f | %.1f | %.1f | %d | %d | %d | %d | %.0f | %.0f | %.3e | %.3e | %.3e | "
           "%.1f | %.1f |\n",
           (int)degrees[k], 1e3 * r->stage[LOCAL], 1e3 * c->stage[CG_LOCAL], 1e3 * r->stage[ASSEMBLE],
           1e3 * c->stage[CG_ASSEMBLE], 1e3 * r->stage[SOLVE], 1e3 * c->stage[CG_SOLVE], (int)r->iterations,
           (int)c->iterations, (int)r->unknowns, (int)c->unknowns, r->values, c->values, (double)r->L2[0],
           (double)c->L2, (double)r->L2[2], 1e3 * r->seconds, 1e3 * c->seconds);
  }
}

static PetscErrorCode AppendCSV(const char path[], PetscInt dim, PetscMPIInt size, PetscInt cells, PetscInt n,
                                const PetscInt degrees[], const Row rows[], const char backend[])
{
  FILE     *file;
  PetscBool there;

  PetscFunctionBegin;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTestFile(path, 'r', &there));
  file = fopen(path, "a");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
  if (!there)
    fprintf(file, "backend,cells,degree,max_u,L2_u,max_star,L2_star,setup,seconds,host,local,assemble,rhs,solve,"
                  "recover,post,bytes,local_bytes,tiles,unknowns,iterations,values,cg_local,cg_assemble,cg_solve,cg_"
                  "recover,cg_seconds,cg_L2_u,cg_unknowns,"
                  "cg_iterations,cg_values,rate,cublas,setup_mesh,setup_data,setup_plan,setup_compile,setup_"
                  "transfer,first,levels,second,second_source,host_setup,dim,processes,local_flops,local_moved,solve_"
                  "flops\n");
  for (PetscInt k = 0; k < n; ++k) {
    const Row *r = &rows[k];

    fprintf(file, "%s,%d,%d,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e", backend, (int)cells, (int)degrees[k],
            (double)r->largest[0], (double)r->L2[0], (double)r->largest[2], (double)r->L2[2], r->setup, r->seconds,
            r->host);
    for (int s = 0; s < STAGES; ++s) fprintf(file, ",%.6e", r->stage[s]);
    fprintf(file, ",%.0f,%.0f,%d,%d,%d,%.0f", r->bytes, r->local, (int)r->tiles, (int)r->unknowns, (int)r->iterations,
            r->values);
    for (int s = 0; s < CG_STAGES; ++s) fprintf(file, ",%.6e", r->cg.stage[s]);
    fprintf(file, ",%.6e,%.6e,%d,%d,%.0f,%.6g,%.6g", r->cg.seconds, (double)r->cg.L2, (int)r->cg.unknowns,
            (int)r->cg.iterations, r->cg.values, r->rate, r->cublas);
    for (int s = 0; s < SETUP_STAGES; ++s) fprintf(file, ",%.6e", r->setupStage[s]);
    fprintf(file, ",%.6e,%.6e,%.6e,%.6e,%.6e,%d,%d,%.6g,%.6g,%.6g\n", r->first, r->levels, r->second, r->source,
            r->hostSetup, (int)dim, (int)size, r->flops, r->moved, SolveFlops(r));
  }
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt    cells[16] = {20, 40}, degrees[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, ncells = 16, ndegrees = 16, reps = 3,
              dim      = 2;
  char        name[64] = PLEXBACKENDAUTO, csv[PETSC_MAX_PATH_LEN] = "";
  PetscBool   set, host = PETSC_FALSE, cg = PETSC_TRUE, rates = PETSC_FALSE, simplex = PETSC_TRUE;
  PetscMPIInt size, rank;
  Row         rows[16];

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  /* into files and pipes, too */
  PetscCheck(!setvbuf(stdout, NULL, _IOLBF, 1 << 16), PETSC_COMM_SELF, PETSC_ERR_SYS,
             "Output cannot be written line by line");
  PetscCall(PetscLogDefaultBegin());
  PetscCall(ExampleDefault("-plex_hdg_ksp_rtol", "1e-13"));
  PetscCall(ExampleDefault("-plex_hdg_ksp_max_it", "1000"));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, &set));
  if (!set) ncells = 2;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-degrees", degrees, &ndegrees, &set));
  if (!set) ndegrees = 9;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &reps, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-host", &host, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-simplex", &simplex, NULL));
  PetscCall(ExampleDefault("-plex_hdg_trace", "aij")); /* the matrix of the paper's tables, on every backend */
  cg = simplex;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cg", &cg, NULL));
  if (cg) {
    PetscCall(ExampleDefault("-plex_hdg_cg_ksp_rtol", "1e-13"));
    PetscCall(ExampleDefault("-plex_hdg_cg_ksp_max_it", "1000"));
    /* cuSPARSE's factors take longer, and PETSc's interface to them has none of a process without unknowns */
    PetscCall(ExampleDefault("-plex_hdg_cg_mg_coarse_sub_pc_factor_mat_solver_type", MATSOLVERPETSC));
  }
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-rates", &rates, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", name, sizeof(name), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-csv", csv, sizeof(csv), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCheck(dim == 2 || dim == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-dim %" PetscInt_FMT " has to be 2 or 3", dim);
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCheck(size == 1 || (!host && !rates), PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE,
             "-host and -rates are for one process, and there are %d", (int)size);
  for (PetscInt m = 0; m < ncells; ++m) {
    char mesh[128];

    PetscCall(PetscSNPrintf(mesh, sizeof(mesh),
                            dim == 3 ? "%" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT
                                     : "%" PetscInt_FMT " x %" PetscInt_FMT,
                            cells[m], cells[m], cells[m]));
    for (PetscInt k = 0; k < ndegrees; ++k) {
      PetscCall(PetscMemzero(&rows[k], sizeof(rows[k])));
      PetscCall(Measure(dim, simplex, cells[m], degrees[k], name, reps, PETSC_FALSE, cg, rates, &rows[k]));
      if (host)
        PetscCall(Measure(dim, simplex, cells[m], degrees[k], PLEXBACKENDHOST, 1, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
                          &rows[k]));
      if (!rank) PrintProgress(mesh, degrees[k], &rows[k]);
    }
    if (rank) continue;
    PrintTables(mesh, ndegrees, degrees, rows, host);
    PrintSetUp(mesh, ndegrees, degrees, rows);
    if (rates) PrintRates(mesh, ndegrees, degrees, rows);
    if (cg) PrintCG(mesh, ndegrees, degrees, rows);
    PetscCall(AppendCSV(csv, dim, size, cells[m], ndegrees, degrees, rows, name));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: benchmark=hdg backend=%s processes=%d meshes=%" PetscInt_FMT " degrees=%" PetscInt_FMT
                        " error=%.6e\n",
                        name, (int)size, ncells, ndegrees, (double)rows[ndegrees - 1].L2[0]));
  PetscCall(PetscFinalize());
  return 0;
}
