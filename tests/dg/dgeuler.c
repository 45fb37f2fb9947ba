static char
  help[] = "Compressible flow by DG: rates of a vortex, with shock capturing too, and of waves in 3D; uniform flow, "
           "conservation, types, processes, precisions, bad input.\n\n";

#include "dg/interface/dgimpl.h"
#include "gasproblem.h"
#include "mixedmesh.h"
#include "report.h"

#define SHAPES 8 /* of meshes; the first five are those of all tests */

static const char *const shapes[] =
  {"triangles", "quadrilaterals",       "curved quadrilaterals", "tetrahedra",
   "hexahedra", "irregular tetrahedra", "irregular hexahedra",   "triangles and quadrilaterals"};

/* n cells a side of an irregular mesh, or of a periodic cube */
static PetscErrorCode Mesh(MPI_Comm comm, PetscInt shape, PetscInt n, PetscInt degree, DM *dm)
{
  const PetscInt       faces[3]  = {n, n, n};
  const DMBoundaryType around[3] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC};

  PetscFunctionBegin;
  if (shape < 3)
    PetscCall(PlexTestBasin(comm, (PetscBool)(shape > 0), shape == 2 ? PLEX_TEST_CURVED : PLEX_TEST_STRAIGHT, n, degree,
                            dm));
  else if (shape == 5 || shape == 6)
    PetscCall(PlexTestMesh(comm, shape == 5 ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_HEXAHEDRON, 1, dm));
  else if (shape == 7) PetscCall(PlexTestMixedCreate(comm, PLEX_TEST_MIX_RANDOM, n, dm));
  else if (shape == 3) PetscCall(PlexTestSimplexBox(comm, 3, n, PETSC_TRUE, dm));
  else PetscCall(DMPlexCreateBoxMesh(comm, 3, PETSC_FALSE, faces, NULL, NULL, around, PETSC_TRUE, 0, PETSC_TRUE, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char          *system, *backend, *way; /* way NULL: the backend's own choice */
  PlexDGDiscretization discretization;
  PetscInt             shape, n, N;
  const char          *kind; /* of the boundary */
  PetscBool            capture;
  PlexPrecision        precision;
} Case;

static PetscErrorCode Create(MPI_Comm comm, const Case *c, PlexDG *dg)
{
  const char     *option      = c->discretization == PLEX_DG_NODAL ? "-plex_dg_type" : "-plex_dg_gemm";
  const PetscReal velocity[3] = {PLEX_TEST_WIND, 0.3};
  DM              dm;

  PetscFunctionBegin;
  PetscCall(Mesh(comm, c->shape, c->n, c->N, &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDiscretization(*dg, c->discretization));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetConstant(*dg, "velocity", 3, velocity));
  if (c->kind) PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, c->kind));
  PetscCall(PlexDGSetShockCapturing(*dg, c->capture));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, option, c->way));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscCall(PlexDGSetUp(*dg));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s%s, %s, degree %" PetscInt_FMT "%s%s", c->backend, c->way ? " " : "",
                          c->way ? c->way : "", c->discretization == PLEX_DG_NODAL ? " (nodal)" : "", shapes[c->shape],
                          c->N, c->capture ? ", captured" : "",
                          c->precision == PLEX_PRECISION_SINGLE ? ", single" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates */

/* A wave of density that uniform flow carries along */
static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal v[3] = {PLEX_TEST_WIND, 0.3};
  PetscReal       w[5], phase = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    w[1 + d] = v[d];
    phase += x[d] - v[d] * t;
  }
  w[0]       = 1. + 0.3 * PetscSinReal(2. * PETSC_PI * phase);
  w[1 + dim] = 1.;
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Error(const Case *c, PetscReal T, PlexDGFn *exact, PetscReal *error)
{
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, c, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, exact, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, exact, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], PetscInt shape, PetscInt N)
{
  const PetscBool solid = (PetscBool)(shape > 2);
  Case            c     = {.system         = solid ? "euler" : "euler_vortex",
                           .backend        = backend,
                           .discretization = PLEX_DG_QUADRATURE,
                           .shape          = shape,
                           .N              = N,
                           .kind           = solid ? NULL : "inflow"};
  PetscReal       error[2][2], rate[2];
  char            of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) {
    c.capture = (PetscBool)(k / 2);
    c.n       = (shape == 3 ? 6 : shape == 4 ? 4 : N == 1 ? 24 : N == 2 ? 12 : 8) << k % 2;
    PetscCall(Error(&c, solid ? 0.05 : 0.1, solid ? Wave : PlexTestGasVortex, &error[k / 2][k % 2]));
  }
  PetscCall(Describe(&c, of, sizeof(of)));
  for (PetscInt k = 0; k < 2; ++k) rate[k] = PetscLog2Real(error[k][0] / error[k][1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f; captured %.3g, %.3g, rate %.2f\n", of,
                        (double)error[0][0], (double)error[0][1], (double)rate[0], (double)error[1][0],
                        (double)error[1][1], (double)rate[1]));
  PetscCall(PlexTestReportOf((PetscBool)(rate[0] > N + 0.6 && rate[0] < N + 2.2), of, "the rate is N + 1 without it",
                             "errors %g, %g", (double)error[0][0], (double)error[0][1]));
  PetscCall(PlexTestReportOf((PetscBool)(rate[1] > N + 0.6 && error[1][0] < 1.5 * error[0][0] &&
                                         error[1][1] < 1.1 * error[0][1]),
                             of, "the error is as without it", "errors %g, %g, without %g, %g", (double)error[1][0],
                             (double)error[1][1], (double)error[0][0], (double)error[0][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Uniform flow, conservation */

static PetscErrorCode Uniform(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal v[3] = {PLEX_TEST_WIND, 0.3}, w[5] = {1., v[0], v[1], dim == 3 ? v[2] : 1., 1.};

  PetscFunctionBegin;
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Density and pressure from 0.6 to 1.4 */
static PetscErrorCode Rough(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscScalar rough[5];
  PetscReal   w[5];

  PetscFunctionBegin;
  PetscCall(PlexTestRough(dim, t, x, Nf, rough, NULL));
  for (PetscInt k = 0; k < Nf; ++k) w[k] = (k && k < Nf - 1 ? 0. : 1.) + 0.4 * PetscRealPart(rough[k]);
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSums(const Case *c)
{
  PlexDG    dg;
  Vec       U, R;
  PetscReal sums[5], norm, dt, lost = 0., change;
  PetscInt  Nf;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, c, &dg));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., c->kind && !strcmp(c->kind, "wall") ? Rough : Uniform, NULL, U));
  PetscCall(PlexDGComputeTimeStep(dg, U, &dt));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  if (c->kind && strcmp(c->kind, "wall")) {
    PetscCall(VecNorm(R, NORM_INFINITY, &norm));
    PetscCall(PlexTestReportOf((PetscBool)(norm * dt < 1e-13), of, "uniform flow stays", "by %g a step",
                               (double)(norm * dt)));
    PetscCall(VecCopy(U, R));
    PetscCall(PlexDGLimit(dg, U));
    PetscCall(VecAXPY(R, -1., U));
    PetscCall(VecNorm(R, NORM_INFINITY, &change));
    PetscCall(PlexTestReportOf((PetscBool)(change == 0.), of, "and is not limited", "by %g", (double)change));
  } else {
    if (!c->kind) {
      PetscCall(PlexDGProject(dg, 0., Rough, NULL, U));
      PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    }
    PetscCall(PlexDGGetFields(dg, &Nf, NULL));
    PetscCall(PlexDGComputeIntegrals(dg, R, sums)); /* of momentum where there are no walls */
    for (PetscInt k = 0; k < Nf; ++k)
      if (!c->kind || !k || k == Nf - 1) lost = PetscMax(lost, PetscAbsReal(sums[k]) * dt);
    PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-13), of,
                               c->kind ? "walls keep mass and energy" : "mass, momentum and energy stay", "%g a step",
                               (double)lost));
  }
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Right-hand sides and some captured steps are those of the host, and of one process */

/* Gas of several pressures that meet; *ctx: with jumps that have to be captured. Velocities along z are rounding */
static PetscErrorCode Quarters(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal wave = PetscSinReal(5. * x[0]) * PetscCosReal(4. * x[1]),
                  high = 1. + (*(const PetscBool *)ctx ? 0.8 * PetscTanhReal(20. * wave) : 0.2 * wave);
  const PetscReal w[5] = {high, 0., 0., dim == 3 ? 0. : high, high};

  PetscFunctionBegin;
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Steps(PlexDG dg, PetscInt n, Vec U)
{
  TS        ts;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(PlexDGProject(dg, 0., Quarters, &dg->captures, U));
  PetscCall(PlexDGLimit(dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetMaxTime(ts, n * dt));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that do not depend on the order of elements: the right-hand side's norm, then that of the state after steps and
   its distance from the initial one */
static PetscErrorCode Numbers(MPI_Comm comm, const Case *c, PetscReal out[3])
{
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  PetscCall(Create(comm, c, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., Rough, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0.2, U, R));
  PetscCall(VecNorm(R, NORM_2, &out[0]));
  PetscCall(Steps(dg, 4, U));
  PetscCall(VecNorm(U, NORM_2, &out[1]));
  PetscCall(PlexDGComputeL2Error(dg, 0., Quarters, &dg->captures, U, &out[2]));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSame(const Case *c, PetscBool alone)
{
  const PetscReal tolerance = c->precision == PLEX_PRECISION_SINGLE ? 1e-4 : alone ? 1e-12 : 1e-11;
  Case            host      = *c;
  PetscReal       x[2][3];
  PetscBool       same = PETSC_TRUE;
  char            of[128];

  PetscFunctionBegin;
  host.backend   = PLEXBACKENDHOST;
  host.way       = NULL;
  host.precision = PLEX_PRECISION_DOUBLE;
  PetscCall(Numbers(PETSC_COMM_WORLD, c, x[0]));
  PetscCall(Numbers(alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD, alone ? c : &host, x[1]));
  for (PetscInt k = 0; k < 3; ++k) same = (PetscBool)(same && PetscIsCloseAtTol(x[0][k], x[1][k], tolerance, 0.));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf(same, of, alone ? "as on one process" : "as the host",
                             "%.15g, %.15g; %.15g, %.15g; %.15g, %.15g", (double)x[0][0], (double)x[1][0],
                             (double)x[0][1], (double)x[1][1], (double)x[0][2], (double)x[1][2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWays(const char backend[], PetscBool alone)
{
  const char *const nodal[] = {"plain", "separate", "fused"}, *const ways[] = {"kernels", "blas", "fused"};

  PetscFunctionBegin;
  for (PetscInt shape = 0; shape < 5; ++shape) {
    const PetscInt N    = shape == 2 ? 3 : 2;
    const char    *kind = shape > 2 ? NULL : shape == 1 ? "wall" : "farfield";
    const PetscInt n    = shape > 2 ? 3 : 4;

    for (PetscInt k = 0; k < (alone || shape > 2 ? 1 : 3); ++k)
      PetscCall(TestSame(&(Case){"euler", backend, alone ? NULL : ways[k], PLEX_DG_QUADRATURE, shape, n, N, kind,
                                 PETSC_TRUE, PLEX_PRECISION_DOUBLE},
                         alone));
    if (shape % 3 || alone) continue;
    for (PetscInt k = 0; k < 3; ++k)
      PetscCall(TestSame(&(Case){"euler", backend, nodal[k], PLEX_DG_NODAL, shape, n, N, kind, PETSC_FALSE,
                                 PLEX_PRECISION_DOUBLE},
                         alone));
  }
  PetscCall(TestSame(&(Case){"euler", backend, NULL, PLEX_DG_QUADRATURE, 7, 4, 2, "wall", PETSC_TRUE,
                             PLEX_PRECISION_DOUBLE},
                     alone));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(TestSame(&(Case){"euler_vortex", backend, NULL, PLEX_DG_QUADRATURE, k, 4, 1 + k, "inflow", PETSC_TRUE,
                               alone ? PLEX_PRECISION_DOUBLE : PLEX_PRECISION_SINGLE},
                       alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

typedef struct {
  const char *constant;
  PetscReal   value;
  PetscReal   pressure;     /* of the initial state where x < 1/2 */
  PetscBool   capture, set; /* set: the TS has the initial state */
} Setting;

static PetscErrorCode Below(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal w[4] = {1., 0., 0., x[0] < 0.5 ? ((const Setting *)ctx)->pressure : 1.};

  PetscFunctionBegin;
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  Case   c = {"euler", PLEXBACKENDHOST, NULL, PLEX_DG_QUADRATURE, 0, 4, 2, "wall", s->capture, PLEX_PRECISION_DOUBLE};
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  if (s->constant) {
    DM dm;

    PetscCall(Mesh(PETSC_COMM_SELF, 0, 2, 1, &dm));
    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "euler"));
    PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
    PetscCall(PlexDGSetConstant(dg, s->constant, 1, &s->value));
    PetscCall(PlexDGSetUp(dg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Create(PETSC_COMM_SELF, &c, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Below, ctx, U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  if (s->set) PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 0.1));
  PetscCall(TSSolve(ts, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE),
                  host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1 || !host) PetscCall(TestWays(backend, (PetscBool)(size > 1)));
  if (size > 1 || emulate) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt shape = 0; shape < 2; ++shape)
    for (PetscInt N = 1; N <= 4; ++N) PetscCall(TestRate(backend, shape, N));
  for (PetscInt N = 1; N <= 2; ++N) PetscCall(TestRate(backend, 2 + N, N + 1));
  for (PetscInt shape = 0; shape < SHAPES; ++shape)
    for (PetscInt k = 0; k < (shape == 3 || shape == 4 ? 1 : 2); ++k) {
      Case c = {"euler",    backend,
                NULL,       PLEX_DG_QUADRATURE,
                shape,      4,
                3,          k ? "wall" : "farfield",
                PETSC_TRUE, PLEX_PRECISION_DOUBLE};

      if (shape == 3 || shape == 4) c.kind = NULL; /* periodic */
      PetscCall(TestSums(&c));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  Setting gamma = {"gamma", 1., 1., PETSC_FALSE, PETSC_TRUE}, pressure = {"pressure", 0., 1., PETSC_FALSE, PETSC_TRUE},
          below = {NULL, 0., -0.1, PETSC_FALSE, PETSC_TRUE}, mean = {NULL, 0., -0.1, PETSC_TRUE, PETSC_TRUE},
          nowhere = {NULL, 0., 1., PETSC_FALSE, PETSC_FALSE}, strong = {NULL, 0., 1e4, PETSC_FALSE, PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  EXPECT("gamma", WithSetting, &gamma, "gamma of system euler is 1", "more than 1", "-plex_dg_gamma");
  EXPECT("pressure far away", WithSetting, &pressure, "pressure of system euler is 0", "more than 0");
  EXPECT("a negative pressure", WithSetting, &below, "density and pressure", "positive", "-plex_dg_shock_capturing");
  EXPECT("one in means", WithSetting, &mean, "density and pressure", "means of elements", "-plex_dg_cfl");
  EXPECT("no initial state", WithSetting, &nowhere, "before PlexDGSetTS()");
  EXPECT("a blast without shock capturing", WithSetting, &strong, "grows", "positive", "-plex_dg_shock_capturing");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterGas());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
