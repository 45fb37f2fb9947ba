static char help[] = "Wetting and drying of shallow water by DG with quadrature: lakes at rest, mass, Thacker's bowl, "
                     "ways, processes, restarts, bad input.\n\n";

#include "dg/interface/dgimpl.h"
#include "waterproblem.h"
#include "report.h"

typedef struct {
  const char   *backend, *way; /* way NULL: the backend's own choice */
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      N, cells;
  PlexPrecision precision;
  PetscReal     dry, shore;
} Case;

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, %s %s, degree %" PetscInt_FMT "%s", c->backend, c->way ? " " : "",
                          c->way ? c->way : "", PlexTestShapes[c->shape],
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N,
                          c->precision == PLEX_PRECISION_SINGLE ? ", single" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(MPI_Comm comm, const Case *c, PlexDGCoefficientFn *depth, PetscBool idle, PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(comm, c->quadrilaterals, c->shape, c->cells, PetscMin(c->N, 2), &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, idle));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &c->dry));
  PetscCall(PlexDGSetConstant(*dg, "shore", 1, &c->shore));
  PetscCall(PlexDGSetCoefficients(*dg, depth, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGSetUp(*dg));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeTS(PlexDG dg, Vec U, TSType type, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), ts));
  PetscCall(TSSetSolution(*ts, U));
  if (type) {
    TSAdapt adapt;

    PetscCall(TSSetType(*ts, type));
    PetscCall(TSGetAdapt(*ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(PlexDGSetTS(dg, *ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Steps(TS ts, PetscInt steps, Vec U)
{
  PetscFunctionBegin;
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Least depth of water at the nodes, and elements that are wet, partly dry, dry at their vertices */
static PetscErrorCode Inspect(PlexDG dg, Vec U, PetscReal *least, PetscInt count[3])
{
  const PetscInt     Np = dg->reference->Np;
  const PetscScalar *u;

  PetscFunctionBegin;
  *least   = PETSC_MAX_REAL;
  count[0] = count[1] = count[2] = 0;
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscInt wet = 0;

    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal H = u[(size_t)e * 3 * Np + i] + dg->variables[(size_t)e * Np + i];

      *least = PetscMin(*least, H);
      wet += H > 1e-3;
    }
    ++count[wet == Np ? 0 : wet ? 1 : 2];
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, 1, MPIU_REAL, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Lakes at rest */

static PetscErrorCode TestRest(const Case *c, PetscReal level, TSType type, PetscInt steps)
{
  char      of[160], name[256];
  PlexDG    dg;
  Vec       U, rest;
  TS        ts;
  PetscReal norm, least;
  PetscInt  count[3];

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, c, PlexTestIslands, PETSC_FALSE, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestLevel, &level, U));
  PetscCall(VecDuplicate(U, &rest));
  PetscCall(VecCopy(U, rest));
  PetscCall(MakeTS(dg, U, type, &ts));
  PetscCall(Steps(ts, steps, U));
  PetscCall(VecAXPY(U, -1., rest));
  PetscCall(VecNorm(U, NORM_INFINITY, &norm));
  PetscCall(Inspect(dg, rest, &least, count));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, level %g, %" PetscInt_FMT " steps", of, (double)level, steps));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: off by %.2g; %" PetscInt_FMT " wet elements, %" PetscInt_FMT " partly dry, %" PetscInt_FMT
                        " dry\n",
                        name, (double)norm, count[0], count[1], count[2]));
  PetscCall(PlexTestReportOf((PetscBool)(norm <= (c->precision == PLEX_PRECISION_SINGLE ? 1e-4
                                                  : level == 0.                         ? 1e-12
                                                                                        : 1e-11) &&
                                         count[1] > 0),
                             name, "a lake with islands stays at rest", "off by %g, %" PetscInt_FMT " partly dry",
                             (double)norm, count[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&rest));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Thacker's bowl */

static PetscErrorCode RunBowl(const Case *c, PetscReal periods, PetscReal *error, PetscReal *lost, PetscReal *least,
                              PetscInt count[3])
{
  const PetscReal T = periods * 2. * PETSC_PI * PLEX_TEST_BOWL_RADIUS / PetscSqrtReal(2. * 9.81 * PLEX_TEST_BOWL_DEPTH);
  PlexDG          dg;
  Vec             U;
  TS              ts;
  PetscReal       mass[2][3], none[3], norm;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, c, PlexTestBowl, PETSC_FALSE, &dg));
  PetscCall(PlexDGSetCFL(dg, 0.8));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestThacker, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
  PetscCall(MakeTS(dg, U, NULL, &ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
  PetscCall(PlexDGComputeL2Error(dg, T, PlexTestThacker, NULL, U, error));
  PetscCall(Inspect(dg, U, least, count));
  PetscCall(VecSet(U, -1.)); /* bottom: a dry bowl has eta = -d */
  PetscCall(PlexDGProject(dg, 0., PlexTestLevel, &(PetscReal){-1e3}, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, none));
  PetscCall(PlexDGComputeL2Error(dg, T, PlexTestThacker, NULL, U, &norm));
  *lost = PetscAbsReal(mass[1][0] - mass[0][0]) / (mass[0][0] - none[0]);
  *error /= norm;
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBowl(Case c, PetscInt cells)
{
  char      of[160];
  PetscReal error[2], lost[2], least[2], rate;
  PetscInt  count[3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    c.cells = cells << k;
    PetscCall(RunBowl(&c, 1., &error[k], &lost[k], &least[k], count));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(Describe(&c, of, sizeof(of)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: errors %.3g, %.3g, rate %.2f; mass lost %.2g; least depth %.2g; %" PetscInt_FMT
                        " wet elements, %" PetscInt_FMT " partly dry, %" PetscInt_FMT " dry\n",
                        of, (double)error[0], (double)error[1], (double)rate, (double)lost[1], (double)least[1],
                        count[0], count[1], count[2]));
  PetscCall(PlexTestReportOf((PetscBool)(rate > 0.9 && error[1] < 0.1), of, "the error of Thacker's bowl falls with h",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(lost[0] < 1e-12 && lost[1] < 1e-12), of,
                             "no water of it is lost, but for rounding of thousands of stages", "lost %g, %g",
                             (double)lost[0], (double)lost[1]));
  PetscCall(PlexTestReportOf((PetscBool)(least[0] > -1e-12 && least[1] > -1e-12), of, "no depth in it is negative",
                             "%g, %g", (double)least[0], (double)least[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

typedef struct {
  const char *system, *option, *value;
  TSType      type;
} Setting;

static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  DM             dm;
  PlexDG         dg;
  Vec            U;
  TS             ts;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_FALSE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, s->system));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_dry", "0.01"));
  if (!strcmp(s->option, "-plex_dg_dry")) PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
  ierr = PlexDGSetFromOptions(dg);
  PetscCall(PetscOptionsClearValue(NULL, s->option));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_dry"));
  PetscCall(ierr);
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(MakeTS(dg, U, s->type, &ts));
  PetscCall(Steps(ts, 1, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST),
                  emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);
  const PetscInt  steps   = emulate ? 5 : 10000;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < 2; ++q) {
    for (PetscInt s = 0; s < 3; ++s) {
      const Case c = {backend, NULL, (PetscBool)q, (PlexTestShape)s, 2, 3, PLEX_PRECISION_DOUBLE, 1e-4, 1e30};

      PetscCall(TestRest(&c, 0., NULL, steps));
    }
    for (PetscInt N = 1; N <= 3; N += 2) {
      Case c = {backend, NULL, (PetscBool)q, PLEX_TEST_AFFINE, N, 3, PLEX_PRECISION_DOUBLE, 1e-4, 1e30};

      PetscCall(TestRest(&c, 0.1, N == 1 ? TSPLEXLOWSTORAGE : NULL, steps));
      c.shore = 0.2; /* deeper elements keep their bottom */
      PetscCall(TestRest(&c, 0., NULL, steps / 10 + 1));
      c.precision = PLEX_PRECISION_SINGLE;
      PetscCall(TestRest(&c, 0.1, TSPLEXLOWSTORAGE, steps / 10 + 1));
    }
    if (emulate) continue;
    for (PetscInt N = 1; N <= (host ? 2 : 4); ++N)
      PetscCall(TestBowl((Case){backend, NULL, (PetscBool)q, PLEX_TEST_AFFINE, N, 0, PLEX_PRECISION_DOUBLE, 1e-4, 1e30},
                         10));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the view says of elements whose bottom became linear */

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three columns of squares: the first has land, the second falls off to a depth that is negative between its nodes, the
   third is deep */
static PetscErrorCode Columns(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = x[0] < 1. / 3. - 1e-9 ? 3. * x[0] - 0.5 : 0.5 + 0.49 * PetscTanhReal(60. * (x[0] - 0.55));
  if (x[0] < 1. / 3. + 1e-9) k[0] = PetscMin(k[0], 0.01);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which of 9 elements have a linear bottom: for land at a node, less depth at a node, less between nodes alone; others
   on faces; -1: any number. The view names the option. */
static PetscErrorCode TestCounts(PetscReal shore, const PetscInt expected[4])
{
  const Case c = {PLEXBACKENDHOST, NULL, PETSC_TRUE, PLEX_TEST_AFFINE, 3, 3, PLEX_PRECISION_DOUBLE, 1e-4, shore};
  char       text[8192], name[64], *found;
  PetscInt   count[4];
  PetscBool  same = PETSC_TRUE;
  PlexDG     dg;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_SELF, &c, Columns, PETSC_FALSE, &dg));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "-plex_dg_shore", &found));
  PetscCall(PlexDGShoreGetCounts_Private(dg, count));
  for (PetscInt k = 0; k < 4; ++k) same = (PetscBool)(same && (expected[k] < 0 || count[k] == expected[k]));
  if (expected[0] < 0) same = (PetscBool)(count[0] + count[1] + count[2] == 9);
  PetscCall(PetscSNPrintf(name, sizeof(name), "shore %g", (double)shore));
  PetscCall(PlexTestReportOf((PetscBool)(found && dg->mesh->NeGlobal == 9 && same), name, "which bottoms are linear",
                             "%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                             "; the view says\n%s",
                             count[0], count[1], count[2], count[3], text));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  PetscCall(TestCounts(0.005, (const PetscInt[]){3, 0, 3, 3}));
  PetscCall(TestCounts(0.1, (const PetscInt[]){3, 3, 0, -1}));
  PetscCall(TestCounts(1e30, (const PetscInt[]){-1, -1, -1, -1}));
  EXPECT("a negative depth of dry land", WithSetting, (&(Setting){"shallow_water", "-plex_dg_dry", "-1", NULL}),
         "count as dry land", "-plex_dg_dry");
  EXPECT("a shore line of linear equations", WithSetting, (&(Setting){"tsunami", "-plex_dg_linear", "1", NULL}),
         "no shore line", "-plex_dg_linear 0");
  EXPECT("a TS that hides its stages", WithSetting, (&(Setting){"tsunami", "-plex_dg_coriolis", "1", TSSSP}),
         "lets nobody see its stages", "-ts_lowstorage_scheme ssp3");
  EXPECT("a sphere of no size", WithSetting, (&(Setting){"tsunami", "-plex_dg_scale", "-1", NULL}),
         "Coefficient scale of system tsunami", "has to be positive");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
