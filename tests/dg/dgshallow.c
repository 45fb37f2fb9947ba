static char help[] = "Shallow water over a bottom of varying depth, by DG with quadrature: ways, water at rest, a "
                     "vortex, right-hand sides.\n\n";

#include "waterproblem.h"
#include "report.h"

#define GRAVITY 9.81

/* A smooth depth */
static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 3. + PetscSinReal(2. * PETSC_PI * x[0]) * PetscCosReal(2. * PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One that changes as much as it can from node to node */
static PetscErrorCode RoughDepth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 3. + PetscSinReal(101. * x[0] + 57. * x[1]) + 0.9 * PetscCosReal(83. * x[0] * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt N, const char backend[], PlexDGCoefficientFn *depth, const char kind[],
                             PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetCoefficients(*dg, depth, NULL));
  if (kind) PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Ways, against the host; boundary conditions of all kinds */

static PetscErrorCode GetRHS(DM dm, PetscInt N, const char backend[], const char way[], PlexPrecision precision,
                             Vec *values)
{
  const PetscReal elevation = 0.3, velocity[3] = {0.2, -0.1, 0.}, frequency = 2.;
  PlexDG          dg;

  PetscFunctionBegin;
  if (way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
  PetscCall(Create(dm, N, backend, Depth, NULL, &dg));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetConstant(dg, "elevation", 1, &elevation));
  PetscCall(PlexDGSetConstant(dg, "velocity", 3, velocity));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  for (PetscInt s = 0; s < 4; ++s)
    PetscCall(PlexDGAddBoundary(dg, "sides", s + 1, dg->system->kinds[s % dg->system->given]));
  PetscCall(PlexTestJumpRHS(dg, 0.3, values));
  PetscCall(PlexDGDestroy(&dg));
  if (way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(const char backend[], const char way[], PetscBool quadrilaterals, PlexTestShape shape,
                              PetscInt N, PlexPrecision precision)
{
  PetscReal most, largest;
  char      of[160];
  DM        dm;
  Vec       expected, R;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, 3, 2, &dm));
  PetscCall(GetRHS(dm, N, PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, &expected));
  PetscCall(GetRHS(dm, N, backend, way, precision, &R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(VecAXPY(expected, -1., R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &most));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s %s, degree %" PetscInt_FMT ", %s", backend, way,
                          PlexTestShapes[shape], quadrilaterals ? "quadrilaterals" : "triangles", N,
                          PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most <= (precision == PLEX_PRECISION_DOUBLE ? 1e-12 : 5e-4) * largest &&
                                         largest > 1.),
                             of, "it agrees with the host in double precision", "off by %g of %g", (double)most,
                             (double)largest));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&R));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Water at rest */

static PetscErrorCode TestRest(const char backend[], PetscBool quadrilaterals, PlexTestShape shape, PetscInt N,
                               PetscReal level, PetscInt steps, PetscReal tolerance)
{
  PetscReal    norm;
  PetscInt     Np, n;
  PetscScalar *u;
  char         of[160];
  DM           dm;
  PlexDG       dg;
  Vec          U, rest;
  TS           ts;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, 2, 2, &dm));
  PetscCall(Create(dm, N, backend, RoughDepth, "wall", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  Np = dg->reference->Np;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayWrite(U, &u));
  for (PetscInt i = 0; i < n; ++i) u[i] = i / Np % 3 ? 0. : level;
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscCall(VecDuplicate(U, &rest));
  PetscCall(VecCopy(U, rest));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecAXPY(U, -1., rest));
  PetscCall(VecNorm(U, NORM_INFINITY, &norm));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %s, degree %" PetscInt_FMT ", level %g, %" PetscInt_FMT " steps",
                          backend, PlexTestShapes[shape], quadrilaterals ? "quadrilaterals" : "triangles", N,
                          (double)level, steps));
  PetscCall(PlexTestReportOf((PetscBool)(norm <= tolerance), of, "a lake over a rough bottom stays at rest",
                             "off by %g", (double)norm));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&rest));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A vortex that is carried along, over a flat bottom */

static PetscErrorCode FlatDepth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestVortex(const char backend[], PetscBool quadrilaterals, PetscInt N)
{
  const PetscReal T = 0.05, velocity[3] = {PLEX_TEST_STREAM, 0.};
  PetscReal       error[2], rate;
  char            of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, PLEX_TEST_STRAIGHT, 12 << k, 1, &dm));
    PetscCall(Create(dm, N, backend, FlatDepth, "prescribed", &dg));
    PetscCall(PlexDGSetConstant(dg, "velocity", 3, velocity));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, T, PlexTestVortex, NULL, U));
    PetscCall(PlexDGComputeL2Error(dg, T, PlexTestVortex, NULL, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend,
                          quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.6 && error[1] < 0.05), of,
                             "the error of a vortex falls as h^(N+1)", "errors %g, %g, rate %g", (double)error[0],
                             (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The right-hand side of a smooth state over a smooth bottom, on a periodic mesh: as the equations have it, by
   differences of fourth order */

static PetscErrorCode Smooth(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.3 * PetscCosReal(2. * PETSC_PI * (x[0] + x[1]));
  u[1] = 1. + 0.5 * PetscSinReal(2. * PETSC_PI * x[1]);
  u[2] = -0.5 + 0.4 * PetscCosReal(2. * PETSC_PI * (x[0] - x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q_t + div (q q/H) + g H grad eta = 0: not the form that is discretized */
static PetscErrorCode SmoothRHS(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar r[], void *ctx)
{
  const PetscReal h = 1e-3, weight[4] = {1. / 12., -8. / 12., 8. / 12., -1. / 12.}, place[4] = {-2., -1., 1., 2.};
  PetscReal       depth;

  PetscFunctionBegin;
  PetscCall(Depth(dim, x, 0, 1, &depth, NULL));
  r[0] = r[1] = r[2] = 0.;
  for (PetscInt d = 0; d < 2; ++d) {
    for (PetscInt k = 0; k < 4; ++k) {
      PetscReal   y[2] = {x[0], x[1]}, D;
      PetscScalar u[3], u0[3];

      y[d] += place[k] * h;
      PetscCall(Smooth(dim, t, y, 3, u, NULL));
      PetscCall(Smooth(dim, t, x, 3, u0, NULL));
      PetscCall(Depth(dim, y, 0, 1, &D, NULL));
      r[0] -= weight[k] / h * u[1 + d];
      for (PetscInt i = 0; i < 2; ++i) r[1 + i] -= weight[k] / h * u[1 + d] * u[1 + i] / (D + u[0]);
      r[1 + d] -= weight[k] / h * GRAVITY * (depth + u0[0]) * u[0];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestEquations(const char backend[], PetscInt N)
{
  PetscReal error[2], rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U, R;

    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 6 << k, PETSC_TRUE, &dm));
    PetscCall(Create(dm, N, backend, Depth, NULL, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R));
    PetscCall(PlexDGProject(dg, 0., Smooth, NULL, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(PlexDGComputeL2Error(dg, 0., SmoothRHS, NULL, R, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, backend, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: right-hand sides off by %.3g, %.3g, rate %.2f\n", of, (double)error[0],
                        (double)error[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N - 0.3), of,
                             "the right-hand side comes near that of the equations as h^N", "off by %g, %g, rate %g",
                             (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

static PetscErrorCode ShallowDepth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  PetscFunctionBegin;
  k[0] = x[0] > 0.5 ? -1. : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OnDryLand(void *ctx)
{
  DM        dm;
  PlexDG    dg;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_TRUE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(Create(dm, 2, PLEXBACKENDHOST, ShallowDepth, "wall", &dg));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A shelf that falls off: 0.02 and 1 deep, with a polynomial of degree 3 that is negative between its nodes */
static PetscErrorCode Steep(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.51 + 0.49 * PetscTanhReal(60. * (x[0] - 0.55));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bump(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.01 * PetscExpReal(-50. * (PetscSqr(x[0] - 0.2) + PetscSqr(x[1] - 0.4)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *system, *options;
  PetscInt    N;
  PetscBool   triangles, flat; /* some elements have a linear bottom, but not to fall dry */
} Overshoot;

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OverSteep(void *ctx)
{
  const Overshoot *o = (const Overshoot *)ctx;
  DM               dm;
  PlexDG           dg;
  PetscErrorCode   ierr;
  PetscReal        energy[2];
  char             text[8192], *found;
  Vec              U;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, (PetscBool)!o->triangles, PLEX_TEST_AFFINE, 3, 1, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, o->system));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, o->N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetCoefficients(dg, Steep, NULL));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  if (o->options) PetscCall(PetscOptionsInsertString(NULL, o->options));
  ierr = PlexDGSetFromOptions(dg);
  if (o->options) PetscCall(PlexTestClearOptions(o->options));
  PetscCall(ierr);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "elements have a linear one, as the polynomial", &found));
  PetscCheck(o->flat == (PetscBool)!!found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The view says %s", text);
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Bump, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(PlexTestRun(dg, 0.5, Bump, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCheck(energy[1] <= energy[0], PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "The energy was %g and is %g",
             (double)energy[0], (double)energy[1]);
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOvershoot(void)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < 2; ++t) {
    const PetscBool triangles = (PetscBool)t;

    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"tsunami", "-plex_dg_linear 1", 3, triangles,
                                                                PETSC_TRUE}),
                             "linear water with a depth that is negative between nodes has a linear bottom there",
                             "an error"));
    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"shallow_water", NULL, 3, triangles, PETSC_TRUE}),
                             "so has water that is not linear", "an error"));
    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"shallow_water", "-plex_dg_dry 0.001 -plex_dg_shore -1",
                                                                3, triangles, PETSC_TRUE}),
                             "so have elements that a shore leaves out", "an error"));
    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"shallow_water", "-plex_dg_dry 0.001", 3, triangles,
                                                                PETSC_FALSE}),
                             "the same where elements may fall dry", "an error"));
    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"shallow_water",
                                                                "-plex_dg_dry 0.001 -plex_dg_shore 0.01", 3, triangles,
                                                                PETSC_FALSE}),
                             "a shore takes cells that are less deep between nodes", "an error"));
    PetscCall(PlexTestReport((PetscBool)!OverSteep(&(Overshoot){"tsunami", "-plex_dg_linear 1", 1, triangles,
                                                                PETSC_FALSE}),
                             "the same of degree 1", "an error"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithoutQuadrature(void *ctx)
{
  DM     dm;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_FALSE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(Create(dm, 2, PLEXBACKENDHOST, Depth, "wall", &dg));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_NODAL));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const char *const kernels[] = {"kernels", "blas", "fused"};
  const PetscBool   host      = (PetscBool)!strcmp(backend, PLEXBACKENDHOST),
                    emulate   = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);

  PetscFunctionBegin;
  for (size_t w = host ? 1 : 0; w < (host ? 2 : PETSC_STATIC_ARRAY_LENGTH(kernels)); ++w)
    for (PetscInt q = 0; q < 2; ++q)
      for (int p = host ? 1 : 0; p < 2; ++p)
        for (PetscInt shape = host || !p ? 0 : 2; shape < 3; ++shape)
          PetscCall(TestWay(backend, kernels[w], (PetscBool)q, (PlexTestShape)shape, 1 + (PetscInt)(shape + w),
                            (PlexPrecision)p));
  for (PetscInt q = 0; q < 2; ++q) {
    for (PetscInt shape = 0; shape < 3; ++shape) {
      PetscCall(TestRest(backend, (PetscBool)q, (PlexTestShape)shape, 3, 0., emulate ? 10 : 10000, 1e-12));
      /* rounding, of discharges about 35 that make waves: 8e-11 if each step adds as much */
      PetscCall(TestRest(backend, (PetscBool)q, (PlexTestShape)shape, 2, 0.7, emulate ? 10 : 10000, 5e-10));
    }
    for (PetscInt N = 1; N <= 4 && !emulate; ++N) PetscCall(TestVortex(backend, (PetscBool)q, N));
  }
  for (PetscInt N = 1; N <= (emulate ? 1 : 4); ++N) PetscCall(TestEquations(backend, N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  EXPECT("land where there should be water", OnDryLand, NULL, "The water of system shallow_water is -1.",
         "deep in cell", "centroid", "-plex_dg_dry");
  PetscCall(TestOvershoot());
  EXPECT("a depth that varies, in nodal DG", WithoutQuadrature, NULL, "shallow_water",
         "-plex_dg_discretization quadrature");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
