static char
  help[] = "Wetting and drying on meshes of triangles and quadrilaterals: lakes at rest, mass, a dam break on dry "
           "land, Thacker's bowl, processes.\n\n";

#include "dg/interface/dgimpl.h"
#include "mixedmesh.h"
#include "waterproblem.h"
#include "report.h"

typedef struct {
  const char   *backend, *way; /* way NULL: the backend's own choice */
  PlexTestMix   mix;
  PetscInt      N, cells;
  PlexPrecision precision;
  PetscReal     shore;
} Case;

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, degree %" PetscInt_FMT "%s%s%s", c->backend, c->way ? " " : "",
                          c->way ? c->way : "", c->N, c->precision == PLEX_PRECISION_SINGLE ? ", single" : "",
                          c->mix == PLEX_TEST_MIX_ROWS ? ", kinds apart" : "", c->shore < 1e9 ? ", a deep part" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bottoms and states */

/* A beach with ripples, dry where x > 0.4; beside it behind a dam, at x = 0.4, water of depth 0.3 and more */
static PetscErrorCode Beach(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.02 * PetscSinReal(23. * x[1]) - 0.1 * x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Dam(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = x[0] < 0.4 ? 0.3 : -1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Operators and runs */

static PetscErrorCode CreateOn(MPI_Comm comm, const Case *c, PlexDGCoefficientFn *depth, PlexDG *dg)
{
  const PetscReal dry = 1e-4;
  DM              dm;

  PetscFunctionBegin;
  if (comm == PETSC_COMM_SELF) PetscCall(PlexTestMixedCreate(comm, c->mix, c->cells, &dm));
  else PetscCall(PlexTestMixedDistribute(c->mix, c->cells, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
  PetscCall(PlexDGSetConstant(*dg, "shore", 1, &c->shore));
  PetscCall(PlexDGSetCoefficients(*dg, depth, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGSetUp(*dg));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default TS, or one of a type, by steps of the default size or (steps 0) to a time */
static PetscErrorCode Run(PlexDG dg, TSType type, PetscInt steps, PetscReal end, Vec U)
{
  TS      ts;
  TSAdapt adapt;

  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, U));
  if (type) PetscCall(TSSetType(ts, type));
  PetscCall(PlexDGSetTS(dg, ts));
  if (type) { /* PlexDGSetTS() has registered it */
    PetscCall(TSRKSetType(ts, "ssp3"));
    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTPLEXDGCFL));
  }
  PetscCall(TSSetMaxTime(ts, end));
  if (steps) PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetExactFinalTime(ts, steps ? TS_EXACTFINALTIME_STEPOVER : TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Least depth of water at the nodes, and elements of each part that are wet, partly dry, dry */
static PetscErrorCode Inspect(PlexDG dg, Vec U, PetscReal *least, PetscInt count[2][3])
{
  const PetscScalar *u, *all;
  PlexDG             parts[2];
  const PetscInt     n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  *least = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < 6; ++i) count[i / 3][i % 3] = 0;
  PetscCall(VecGetArrayRead(U, &all));
  u = all;
  for (PetscInt k = 0; k < n; u += PlexDGGetLocalSize(parts[k++])) {
    const PetscInt Np = parts[k]->reference->Np;

    for (PetscInt e = 0; e < parts[k]->mesh->Ne; ++e) {
      PetscInt wet = 0;

      for (PetscInt i = 0; i < Np; ++i) {
        const PetscReal H = u[(size_t)e * 3 * Np + i] + parts[k]->variables[(size_t)e * Np + i];

        *least = PetscMin(*least, H);
        wet += H > 1e-3;
      }
      ++count[k][wet == Np ? 0 : wet ? 1 : 2];
    }
  }
  PetscCall(VecRestoreArrayRead(U, &all));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, 1, MPIU_REAL, MPI_MIN, PetscObjectComm((PetscObject)dg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 6, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tests */

static PetscErrorCode TestRest(const Case *c, PetscReal level, PetscInt steps)
{
  char      of[160];
  PlexDG    dg;
  Vec       U, rest;
  PetscReal norm, least;
  PetscInt  count[2][3];

  PetscFunctionBegin;
  PetscCall(CreateOn(PETSC_COMM_WORLD, c, PlexTestIslands, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestLevel, &level, U));
  PetscCall(VecDuplicate(U, &rest));
  PetscCall(VecCopy(U, rest));
  PetscCall(Run(dg, NULL, steps, 1e9, U));
  PetscCall(VecAXPY(U, -1., rest));
  PetscCall(VecNorm(U, NORM_INFINITY, &norm));
  PetscCall(Inspect(dg, rest, &least, count));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(norm <= (c->precision == PLEX_PRECISION_SINGLE ? 1e-4
                                                  : level == 0.                         ? 1e-12
                                                                                        : 1e-11) &&
                                         count[0][1] > 0 && count[1][1] > 0),
                             of, level == 0. ? "a lake with islands stays at rest" : "and one at level 0.1",
                             "off by %g, %" PetscInt_FMT " triangles and %" PetscInt_FMT
                             " quadrilaterals are partly dry",
                             (double)norm, count[0][1], count[1][1]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&rest));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order of the shore, where elements are linear: 1.5 in the end */
static PetscErrorCode TestBowl(Case c, PetscInt cells)
{
  const PetscReal T = PETSC_PI * PLEX_TEST_BOWL_RADIUS /
                      PetscSqrtReal(2. * 9.81 * PLEX_TEST_BOWL_DEPTH); /* half a period */
  char            of[160];
  PetscReal       error[2], lost = 0., low = 0., rate;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG    dg;
    Vec       U;
    PetscReal mass[2][3], least;
    PetscInt  count[2][3];

    c.cells = cells << k;
    PetscCall(CreateOn(PETSC_COMM_WORLD, &c, PlexTestBowl, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., PlexTestThacker, NULL, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
    PetscCall(Run(dg, NULL, 0, T, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
    PetscCall(PlexDGComputeL2Error(dg, T, PlexTestThacker, NULL, U, &error[k]));
    PetscCall(Inspect(dg, U, &least, count));
    lost = PetscMax(lost, PetscAbsReal(mass[1][0] - mass[0][0]));
    low  = PetscMin(low, least);
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(Describe(&c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(rate > 0.9 && error[1] < 3e-3), of, "the error of Thacker's bowl falls with h",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-14), of, "no water of it is lost", "lost %g", (double)lost));
  PetscCall(PlexTestReportOf((PetscBool)(low > -1e-12), of, "no depth in it is negative", "%g", (double)low));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dam break on dry land on a communicator: numbers that depend on all values, at their positions */
static PetscErrorCode RunDam(MPI_Comm comm, const Case *c, TSType type, PetscInt steps, PetscReal s[6], PetscReal *lost,
                             PetscReal *least, PetscInt wetted[2])
{
  PlexDG    dg;
  Vec       U;
  PetscReal mass[2][3];
  PetscInt  before[2][3], after[2][3], count[4];

  PetscFunctionBegin;
  PetscCall(CreateOn(comm, c, Beach, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Dam, NULL, U));
  PetscCall(Inspect(dg, U, least, before));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
  PetscCall(Run(dg, type, steps, 1e9, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
  PetscCall(Inspect(dg, U, least, after));
  PetscCall(PlexDGComputeL2Error(dg, 0., PlexTestThacker, NULL, U, &s[0]));
  PetscCall(VecNorm(U, NORM_2, &s[1]));
  PetscCall(PlexDGComputeEnergy(dg, U, &s[2]));
  PetscCall(PlexDGComputeTimeStep(dg, U, &s[3]));
  PetscCall(PlexDGShoreGetCounts_Private(dg, count));
  s[4]  = count[0] + 100. * count[1] + 1e4 * count[2] + 1e6 * count[3];
  s[5]  = mass[1][1];
  *lost = PetscAbsReal(mass[1][0] - mass[0][0]);
  for (PetscInt k = 0; k < 2; ++k) wetted[k] = before[k][2] - after[k][2];
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On several processes and by a backend as on one process on the host */
static PetscErrorCode TestDam(Case c, TSType type, PetscInt steps)
{
  PetscReal own[6], all[6], lost, least, far = 0.;
  PetscInt  wetted[2];
  char      of[160];
  Case      one = c;

  PetscFunctionBegin;
  one.backend   = PLEXBACKENDHOST;
  one.way       = NULL;
  one.precision = PLEX_PRECISION_DOUBLE;
  PetscCall(RunDam(PETSC_COMM_SELF, &one, type, steps, own, &lost, &least, wetted));
  PetscCall(RunDam(PETSC_COMM_WORLD, &c, type, steps, all, &lost, &least, wetted));
  for (PetscInt k = 0; k < 6; ++k) far = PetscMax(far, PetscAbsReal(all[k] - own[k]) / PetscAbsReal(own[k]));
  PetscCall(Describe(&c, of, sizeof(of)));
  if (type) PetscCall(PetscStrlcat(of, ", rk", sizeof(of)));
  if (c.precision == PLEX_PRECISION_SINGLE) {
    PetscCall(PlexTestReportOf((PetscBool)(far < 1e-3), of, "a dam break is that of one process on the host", "%g",
                               (double)far));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTestReportOf((PetscBool)(far < 1e-10), of, "a dam break is that of one process on the host",
                             "%g, %" PetscInt_FMT " and %" PetscInt_FMT " elements fall wet", (double)far, wetted[0],
                             wetted[1]));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-14 && least > -1e-12), of, "no water is lost, no depth negative",
                             "%g, %g", (double)lost, (double)least));
  if (steps > 20)
    PetscCall(PlexTestReportOf((PetscBool)(wetted[0] > 0 && wetted[1] > 0), of, "land of both kinds falls wet",
                               "%" PetscInt_FMT " and %" PetscInt_FMT " elements", wetted[0], wetted[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What depends on the host's speed alone */
static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestDam((Case){PLEXBACKENDHOST, NULL, PLEX_TEST_MIX_RANDOM, 1, 6, PLEX_PRECISION_DOUBLE, 1e30}, NULL, 60));
  for (PetscInt N = 1; N <= 4; ++N) {
    Case c = {PLEXBACKENDHOST, NULL, PLEX_TEST_MIX_RANDOM, N, 4, PLEX_PRECISION_DOUBLE, 1e30};

    PetscCall(TestRest(&c, 0., N < 3 ? 10000 : 2000));
    PetscCall(TestRest(&c, 0.1, 2000));
    if (N < 3) PetscCall(TestBowl(c, 10));
    c.shore = 0.2; /* deeper elements keep their bottom, but on faces that they share with others */
    PetscCall(TestRest(&c, 0.1, 1000));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);
  const char     *ways[]  = {"kernels", "blas", "fused"};
  Case            c       = {backend, NULL, PLEX_TEST_MIX_RANDOM, 2, 4, PLEX_PRECISION_DOUBLE, 1e30};

  PetscFunctionBegin;
  PetscCall(TestRest(&c, 0., emulate ? 5 : 1000));
  for (size_t w = 0; w < 3; ++w) {
    c.way = ways[w];
    PetscCall(TestDam(c, w ? NULL : TSRK, emulate ? 8 : 60));
  }
  c.N         = 1;
  c.precision = PLEX_PRECISION_SINGLE;
  PetscCall(TestDam(c, NULL, 5));
  c.precision = PLEX_PRECISION_DOUBLE;
  c.mix       = PLEX_TEST_MIX_ROWS;
  c.cells     = 6;
  PetscCall(TestDam(c, NULL, emulate ? 8 : 60));
  c.N     = 2;
  c.shore = 0.2;
  PetscCall(TestRest(&c, 0.1, emulate ? 5 : 1000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of several processes the host, too */
static PetscErrorCode TestProcesses(void)
{
  Case c = {PLEXBACKENDHOST, NULL, PLEX_TEST_MIX_RANDOM, 2, 6, PLEX_PRECISION_DOUBLE, 1e30};

  PetscFunctionBegin;
  PetscCall(TestRest(&c, 0., 300));
  PetscCall(TestDam(c, NULL, 60));
  PetscCall(TestDam(c, TSRK, 60));
  c.mix = PLEX_TEST_MIX_ROWS;
  PetscCall(TestDam(c, NULL, 60));
  c.N     = 2;
  c.shore = 0.2;
  PetscCall(TestRest(&c, 0.1, 300));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  if (size > 1) PetscCall(TestProcesses());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
