static char
  help[] = "Boundaries with values in time: tides and series against exact waves, reflection, rivers, backends, "
           "restarts, what bad input gets.\n\n";

#include "waterproblem.h"
#include "report.h"
#include <unistd.h>

#define AMPLITUDE 0.1
#define PERIOD    0.8
#define OMEGA     (2. * PETSC_PI / PERIOD)

/* Water of depth 1 or of a slope, gravity 1, in the unit square; the conditions of its sides, and tides and series of
   x low and x high */
typedef struct {
  const char *name, *system;
  PetscBool   quadrilaterals;
  PetscReal   linear, dry;
  const char *kinds[4], *tides[2];
  PetscInt    side; /* that has the series, if it is not x low */
  PetscInt    n;    /* its times */
  PetscReal   t[3], values[3], discharge[3];
  PlexDGFn   *exact;
} Problem;

static PetscErrorCode Slope(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = *(PetscReal *)ctx > 0. ? 0.5 - x[1] : 1.;
  if (n > 3) k[3] = 0.1 + 0.2 * x[0]; /* Manning's n */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOn(MPI_Comm comm, const Problem *p, PetscInt N, PetscInt n, PlexDG *dg)
{
  const PetscReal gravity = 1.;
  DM              dm, distributed;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(comm, p->quadrilaterals, PLEX_TEST_STRAIGHT, n, 1, &dm));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &distributed));
  if (distributed) {
    PetscCall(DMDestroy(&dm));
    dm = distributed;
  }
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, p->system ? p->system : "tsunami"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(*dg, "gravity", 1, &gravity));
  if (p->linear > 0.) PetscCall(PlexDGSetConstant(*dg, "linear", 1, &p->linear));
  if (p->dry > 0.) PetscCall(PlexDGSetConstant(*dg, "dry", 1, &p->dry));
  PetscCall(PlexDGSetCoefficients(*dg, Slope, (void *)&p->dry));
  for (PetscInt s = 0; s < 4; ++s) PetscCall(PlexDGAddBoundary(*dg, "sides", s + 1, p->kinds[s]));
  for (PetscInt s = 0; s < 2; ++s)
    if (p->tides[s]) PetscCall(PlexDGSetBoundaryTide(*dg, "sides", s + 1, p->tides[s]));
  if (p->n) PetscCall(PlexDGSetBoundarySeries(*dg, "sides", PetscMax(1, p->side), p->n, p->t, p->values, p->discharge));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Problem *p, PetscInt N, PetscInt n, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(CreateOn(PETSC_COMM_WORLD, p, N, n, dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Exact waves of the linear equations, speed 1 */

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(u, Nf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From x = 0 with phase 50 degrees */
static PetscErrorCode Progressive(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx)
{
  PetscFunctionBegin;
  u[0] = AMPLITUDE * PetscCosReal(OMEGA * (t - x[0]) - 50. * PETSC_PI / 180.);
  u[1] = u[0];
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of this one and of another from x = 1, of half the amplitude and period */
static PetscErrorCode Crossing(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal other = 0.5 * AMPLITUDE * PetscCosReal(2. * OMEGA * (t - 1. + x[0]));

  PetscFunctionBegin;
  PetscCall(Progressive(dim, t, x, Nf, u, ctx));
  u[0] += other;
  u[1] -= other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Water outside rests at A cos(w t), and a wall is at x = 1: A cos(w (1 - x)) cos(w (t - 1)) */
static PetscErrorCode Standing(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal a = OMEGA * (1. - x[0]), b = OMEGA * (t - 1.);

  PetscFunctionBegin;
  u[0] = AMPLITUDE * PetscCosReal(a) * PetscCosReal(b);
  u[1] = -AMPLITUDE * PetscSinReal(a) * PetscSinReal(b);
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A ramp that the series of x low has, with its discharge */
static PetscErrorCode Ramp(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = AMPLITUDE * (1. + t - x[0]);
  u[1] = u[0];
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunError(const Problem *p, PetscInt N, PetscInt n, PetscReal *error)
{
  const PetscReal T = 0.9;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(Create(p, N, n, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, p->exact, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, p->exact, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRates(void)
{
  const Problem problems[] = {
    {.name   = "a wave that comes in and leaves",
     .linear = 1.,
     .kinds  = {"incoming", "open", "wall", "wall"},
     .tides  = {"0.8,0.1,50"},
     .exact  = Progressive},
    {.name           = "two sides with waves of their own",
     .linear         = 1.,
     .quadrilaterals = PETSC_TRUE,
     .kinds          = {"incoming", "incoming", "wall", "wall"},
     .tides          = {"0.8 0.1 50", "0.4,0.05,720"},
     .exact          = Crossing},
    {.name   = "a bay at a sea with a tide",
     .linear = 1.,
     .kinds  = {"elevation", "wall", "wall", "wall"},
     .tides  = {"0.8,0.04,0, 0.8,0.06,0"},
     .exact  = Standing}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k)
    for (PetscInt N = 1; N < 4; N += 2) {
      PetscReal error[2], rate;
      char      of[128];

      for (PetscInt i = 0; i < 2; ++i) PetscCall(RunError(&problems[k], N, (N == 1 ? 12 : 4) << i, &error[i]));
      rate = PetscLog2Real(error[0] / error[1]);
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, problems[k].name, N));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0],
                            (double)error[1], (double)rate));
      PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.6 && error[1] < 0.1 * AMPLITUDE), of,
                                 "the error falls as h^(N+1)", "errors %g, %g", (double)error[0], (double)error[1]));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elevation and discharge of a series, linear between its times: a wave that is linear in space and time is exact. After
   the last time of another one, its end holds */
static PetscErrorCode TestSeries(void)
{
  const Problem ramp = {
    .linear    = 1.,
    .kinds     = {"elevation", "open", "wall", "wall"},
    .n         = 3,
    .t         = {0., 0.25, 2.},
    .values    = {AMPLITUDE, 0.125, 0.3},
    .discharge = {AMPLITUDE, 0.125, 0.3},
    .exact     = Ramp
  };
  const Problem still = {
    .kinds = {"elevation", "wall", "wall", "wall"},
      .n = 2, .t = {-2., -1.},
      .values = {7., 0.05}
  };
  PlexDG    dg;
  Vec       U;
  PetscReal error, mass[3];

  PetscFunctionBegin;
  PetscCall(Create(&ramp, 2, 4, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, 0.2, Ramp, NULL, U)); /* what enters at x = 1 is not this wave */
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  {
    Problem both = ramp;

    both.kinds[1] = "wall";
    both.kinds[0] = "elevation";
    PetscCall(Create(&both, 2, 4, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0.6, Ramp, NULL, U));
  }
  {
    Vec                R;
    const PetscScalar *r;
    const PetscReal   *x;
    PetscInt           Ne, Np;

    /* the wave's time derivative, in elements that do not touch x = 1 */
    PetscCall(VecDuplicate(U, &R));
    PetscCall(PlexDGComputeRHS(dg, 0.6, U, R));
    PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
    PetscCall(VecGetArrayRead(R, &r));
    error = 0.;
    for (PetscInt e = 0; e < Ne; ++e) {
      PetscReal right = 0.;

      for (PetscInt i = 0; i < Np; ++i) right = PetscMax(right, x[(e * Np + i) * 2]);
      for (PetscInt i = 0; i < 2 * Np && right < 0.9; ++i)
        error = PetscMax(error, PetscAbsReal(PetscRealPart(r[e * 3 * Np + i]) - AMPLITUDE));
    }
    PetscCall(VecRestoreArrayRead(R, &r));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &error, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
    PetscCall(PlexTestReport((PetscBool)(error < 1e-12), "elevation and discharge between the times of a series",
                             "error %g", (double)error));
    PetscCall(VecDestroy(&R));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(Create(&still, 1, 4, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, 60., Zero, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(mass[0] - 0.05) < 1e-6),
                           "a bay gets the level of the sea after the last time", "mean level %g", (double)mass[0]));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A pulse that leaves, by condition `elevation` with the level of rest and `incoming` without a wave */

static PetscErrorCode Pulse(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal height = *(PetscReal *)ctx, eta = height * PetscExpReal(-PetscSqr((x[0] - 0.5) / 0.1)), H = 1. + eta;

  PetscFunctionBegin;
  u[0] = eta;
  u[1] = height > 0.01 ? -2. * H * (PetscSqrtReal(H) - 1.) : -eta; /* toward x = 0 */
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestReflection(void)
{
  const char *const kinds[] = {"elevation", "incoming", "open"};

  PetscFunctionBegin;
  for (int k = 0; k < 6; ++k) {
    const PetscBool open   = (PetscBool)(k % 3 == 2);
    const PetscReal most   = k < 3 ? 2e-5 : open ? 4e-2 : 2e-3;
    PetscReal       height = k < 3 ? 0.01 : 0.1, largest;
    const Problem   p      = {
      .linear = k < 3, .kinds = {kinds[k % 3], "wall", "wall", "wall"},
             .n = !open, .t = {0.},
             .values = {0.}
    };
    PlexDG dg;
    Vec    U;
    char   of[128];

    PetscCall(Create(&p, 5, 16, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 1.1, Pulse, &height, U));
    PetscCall(VecNorm(U, NORM_INFINITY, &largest));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", k < 3 ? "linear" : "nonlinear, height 0.1 of the depth",
                            kinds[k % 3]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: reflected %.2g of a pulse\n", of, (double)(largest / height)));
    PetscCall(PlexTestReportOf((PetscBool)(largest < most * height), of, "a pulse leaves", "%g of it is left",
                               (double)(largest / height)));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A river: wet, at a beach, and over land */

static PetscErrorCode Lake(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(u, Nf));
  u[0] = -0.3; /* on land raised to the bottom */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To time T with the default step, which follows the water: what runs down dry land is faster than all at the beginning */
static PetscErrorCode Run(PlexDG dg, PetscReal T, Vec U)
{
  TS ts;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunRiver(const Problem *p, const char of[], PlexDGFn *from, PetscReal T, PetscReal Q)
{
  PetscReal first[3], last[3], off;
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(Create(p, 2, 6, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., from, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, first));
  PetscCall(Run(dg, T, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, last));
  off = (last[0] - first[0]) / (Q * T) - 1.;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: volume off by %.2g of discharge x time\n", of, (double)off));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(off) < 1e-12), of, "volume is discharge x time", "off by %g",
                             (double)off));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRivers(void)
{
  Problem p = {
    .kinds = {"discharge", "wall", "wall", "wall"},
      .n = 1, .t = {0.},
      .values = {0.1}
  };

  PetscFunctionBegin;
  PetscCall(RunRiver(&p, "a river into a basin", Zero, 3., 0.1));
  p.linear = 1.;
  PetscCall(RunRiver(&p, "a river, linear equations", Zero, 3., 0.1));
  p.linear         = 0.;
  p.quadrilaterals = PETSC_TRUE;
  p.values[0]      = 0.9;
  PetscCall(RunRiver(&p, "a fast river", Zero, 1., 0.9));
  p.system    = "shallow_water";
  p.dry       = 1e-3;
  p.values[0] = 0.1;
  PetscCall(RunRiver(&p, "a river at a beach", Zero, 1., 0.1));
  PetscCall(RunRiver(&p, "a river at a beach, low water", Lake, 1., 0.1));
  p.kinds[0] = "wall";
  p.kinds[3] = "discharge";
  p.side     = 4;
  PetscCall(RunRiver(&p, "a river on dry land", Lake, 1., 0.1));
  p.quadrilaterals = PETSC_FALSE;
  PetscCall(RunRiver(&p, "a river on dry land, triangles", Lake, 1., 0.1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Constituents: speeds from those of moon and sun, as Doodson has them */

static PetscErrorCode RateAt(PlexDG dg, const char tide[], Vec U, Vec R)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetBoundaryTide(dg, "sides", 1, tide));
  PetscCall(PlexDGComputeRHS(dg, 9876., U, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestConstituents(void)
{
  static const struct {
    const char *name;
    int         of[4]; /* tau, s, h, p */
  } known[] = {
    {"Q1",  {1, -2, 0, 1}},
    {"O1",  {1, -1, 0, 0}},
    {"P1",  {1, 1, -2, 0}},
    {"K1",  {1, 1, 0, 0} },
    {"N2",  {2, -1, 0, 1}},
    {"M2",  {2, 0, 0, 0} },
    {"s2",  {2, 2, -2, 0}},
    {"K2",  {2, 2, 0, 0} },
    {"MN4", {4, -1, 0, 1}},
    {"M4",  {4, 0, 0, 0} },
    {"MS4", {4, 2, -2, 0}},
    {"M6",  {6, 0, 0, 0} },
    {"MM",  {0, 1, 0, -1}},
    {"MF",  {0, 2, 0, 0} },
    {"SSA", {0, 0, 2, 0} },
    {"SA",  {0, 0, 1, 0} }
  };
  const PetscReal speeds[4] = {14.4920521, 0.5490165, 0.0410686, 0.0046418}; /* degrees an hour */
  const Problem   p         = {
    .linear = 1., .kinds = {"elevation", "wall", "wall", "wall"},
         .tides = {"M2,1,0"}
  };
  PlexDG    dg;
  Vec       U, R, S;
  PetscReal off, most = 0., norm;

  PetscFunctionBegin;
  PetscCall(Create(&p, 1, 2, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &S));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); ++k) {
    PetscReal speed = 0.;
    char      tide[64];

    for (int i = 0; i < 4; ++i) speed += known[k].of[i] * speeds[i];
    PetscCall(PetscSNPrintf(tide, sizeof(tide), "%s,1,20", known[k].name));
    PetscCall(RateAt(dg, tide, U, R));
    PetscCall(PetscSNPrintf(tide, sizeof(tide), "%.15g,1,20", (double)(360. * 3600. / speed)));
    PetscCall(RateAt(dg, tide, U, S));
    PetscCall(VecNorm(S, NORM_INFINITY, &norm));
    PetscCall(VecAXPY(R, -1., S));
    PetscCall(VecNorm(R, NORM_INFINITY, &off));
    most = PetscMax(most, off / norm);
  }
  PetscCall(PlexTestReport((PetscBool)(most < 1e-5), "speeds of constituents", "off by %g", (double)most));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&S));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Backends: the right-hand side of all implementations */

static const Problem mixed = {
  .kinds     = {"discharge", "incoming", "elevation", "wall"},
  .tides     = {NULL, "M2,0.05,0"},
  .side      = 3,
  .n         = 2,
  .t         = {0., 1.},
  .values    = {0.1, 0.3},
  .discharge = {-0.1, 0.2}
};

static PetscErrorCode MixedRHS(PlexDG dg, Vec U, Vec R)
{
  const PetscReal t = 0., Q = 0.2;

  PetscFunctionBegin;
  PetscCall(PlexDGSetBoundarySeries(dg, "sides", 1, 1, &t, &Q, NULL));
  (void)U;
  (void)R;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RHSOf(MPI_Comm comm, PetscBool quadrilaterals, PetscReal dry, PetscInt N, const char options[],
                            Vec *R, PetscReal norms[3])
{
  Problem p = mixed;
  PlexDG  dg;
  Vec     U;

  PetscFunctionBegin;
  p.quadrilaterals = quadrilaterals;
  p.dry            = dry;
  if (quadrilaterals == (PetscBool)(dry > 0.)) p.system = "tsunami_manning";
  if (options) PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CreateOn(comm, &p, N, 3, &dg));
  if (options) PetscCall(PlexTestClearOptions(options));
  PetscCall(MixedRHS(dg, NULL, NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(VecScale(U, 0.1));
  if (dry > 0.) PetscCall(PlexDGProject(dg, 0., Lake, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 5., U, *R)); /* values that were used before are replaced */
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, *R));
  PetscCall(PlexDGComputeIntegrals(dg, *R, norms));
  PetscCall(VecNorm(*R, NORM_2, &norms[1]));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestKernels(const char backend[])
{
  static const char *const ways[] = {"-plex_dg_gemm kernels", "-plex_dg_gemm blas",
                                     "-plex_dg_gemm fused -plex_dg_tensor_cores true",
                                     "-plex_dg_gemm fused -plex_dg_tensor_cores false"};
  PetscReal                norms[3];

  PetscFunctionBegin;
  for (int c = 0; c < 4; ++c)
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); ++w)
      for (int single = 0; single < 2; ++single) {
        const PetscReal dry = c / 2 ? 1e-3 : 0.;
        Vec             right, R;
        PetscReal       off, norm;
        char            options[256], of[256];

        if (!PlexTestWanted()) continue;
        PetscCall(RHSOf(PETSC_COMM_WORLD, (PetscBool)(c % 2), dry, 1, NULL, &right, norms));
        PetscCall(PetscSNPrintf(options, sizeof(options), "%s -plex_dg_backend %s -plex_dg_precision %s", ways[w],
                                backend, single ? "single" : "double"));
        PetscCall(RHSOf(PETSC_COMM_WORLD, (PetscBool)(c % 2), dry, 1, options, &R, norms));
        PetscCall(VecNorm(right, NORM_INFINITY, &norm));
        PetscCall(VecAXPY(R, -1., right));
        PetscCall(VecNorm(R, NORM_INFINITY, &off));
        PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s%s", options, c % 2 ? "quadrilaterals" : "triangles",
                                dry > 0. ? ", dry" : ""));
        PetscCall(PlexTestReportOf((PetscBool)(off < (single ? 1e-4 : 1e-12) * norm), of, "the host's rates",
                                   "off by %g of %g", (double)off, (double)norm));
        PetscCall(VecDestroy(&right));
        PetscCall(VecDestroy(&R));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several processes: those of this process alone */
static PetscErrorCode TestProcesses(void)
{
  PetscReal alone[3], together[3];
  Vec       R;

  PetscFunctionBegin;
  for (int c = 0; c < 4; ++c) {
    PetscCall(RHSOf(PETSC_COMM_SELF, (PetscBool)(c % 2), c / 2 ? 1e-3 : 0., 2, NULL, &R, alone));
    PetscCall(VecDestroy(&R));
    PetscCall(RHSOf(PETSC_COMM_WORLD, (PetscBool)(c % 2), c / 2 ? 1e-3 : 0., 2, NULL, &R, together));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(alone[0] - together[0]) < 1e-13 * PetscAbsReal(alone[1]) &&
                                         PetscAbsReal(alone[1] - together[1]) < 1e-13 * PetscAbsReal(alone[1])),
                             c / 2 ? "the rates of one process, dry" : "the rates of one process", "%g, %g",
                             (double)(alone[0] - together[0]), (double)(alone[1] - together[1])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Friction with Manning's n of each node: uniform flow is slowed down by g n^2 |v|/H^(4/3) q, of degree 2 */

static PetscErrorCode Flow(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.;
  u[1] = 0.6;
  u[2] = -0.8;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestManning(void)
{
  const PetscReal factor = 3., most = 1e9;
  const Problem   p = {
    .system = "tsunami_manning", .kinds = {"wall", "wall", "wall", "wall"}
  };
  PlexDG             dg;
  Vec                U, R;
  const PetscReal   *x;
  const PetscScalar *r;
  PetscReal          off = 0.;
  PetscInt           Ne, Np, n = 0;

  PetscFunctionBegin;
  PetscCall(Create(&p, 2, 6, &dg));
  PetscCall(PlexDGSetConstant(dg, "manning_factor", 1, &factor));
  PetscCall(PlexDGSetConstant(dg, "drag_rate", 1, &most));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., Flow, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(VecGetArrayRead(R, &r));
  for (PetscInt e = 0; e < Ne; ++e) {
    const PetscReal *at     = &x[e * Np * 2];
    PetscBool        inside = PETSC_TRUE; /* no face at a wall */

    for (PetscInt i = 0; i < 2 * Np; ++i) inside = (PetscBool)(inside && at[i] > 1e-9 && at[i] < 1. - 1e-9);
    for (PetscInt i = 0; i < Np && inside; ++i, ++n) {
      const PetscReal gamma = PetscSqr(factor * (0.1 + 0.2 * at[2 * i]));

      off = PetscMax(off, PetscAbsReal(PetscRealPart(r[(e * 3 + 1) * Np + i]) + gamma * 0.6));
      off = PetscMax(off, PetscAbsReal(PetscRealPart(r[(e * 3 + 2) * Np + i]) - gamma * 0.8));
    }
  }
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &off, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(off < 1e-12 && n > 100), "friction with Manning's n of each node", "off by %g",
                           (double)off));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Restart: the bits of a run without */

typedef struct {
  const char *save, *load;
  PetscInt    steps;
  PetscReal   other; /* amplitude of x high */
  Vec         U;
} Part;

static PetscErrorCode RunPart(void *ctx)
{
  Part     *part = (Part *)ctx;
  Problem   p    = mixed;
  PlexDG    dg;
  TS        ts;
  PetscReal dt = 0.01;
  char      tide[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(tide, sizeof(tide), "M2,%g,0", (double)part->other));
  p.tides[1] = tide;
  PetscCall(Create(&p, 2, 3, &dg));
  PetscCall(MixedRHS(dg, NULL, NULL));
  PetscCall(PlexDGCreateVec(dg, &part->U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, part->U));
  PetscCall(PlexDGSetAdaptiveStep(dg, PETSC_FALSE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetTimeStep(ts, dt));
  if (part->load) PetscCall(PlexDGLoadCheckpoint(dg, ts, part->load, part->U));
  PetscCall(TSSetMaxSteps(ts, part->steps));
  PetscCall(TSSetMaxTime(ts, 1e3));
  PetscCall(TSSolve(ts, part->U));
  if (part->save) PetscCall(PlexDGSaveCheckpoint(dg, ts, part->U, part->save));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRestart(const char folder[])
{
  char      file[PETSC_MAX_PATH_LEN];
  PetscBool same;
  Part      whole = {.steps = 20, .other = 0.05}, half = {.steps = 10, .other = 0.05, .save = file},
            rest = {.steps = 20, .other = 0.05, .load = file}, other = {.steps = 20, .other = 0.06, .load = file};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/series.h5", folder));
  PetscCall(RunPart(&whole));
  PetscCall(RunPart(&half));
  PetscCall(RunPart(&rest));
  PetscCall(VecEqual(whole.U, rest.U, &same));
  PetscCall(PlexTestReport(same, "10 steps, a checkpoint and 10 more are 20 steps", "other bits"));
  EXPECT("another tide than the checkpoint's", RunPart, &other, "values in time", "-plex_dg_restart_changed");
  PetscCall(VecDestroy(&whole.U));
  PetscCall(VecDestroy(&half.U));
  PetscCall(VecDestroy(&rest.U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

typedef struct {
  const char *option, *value, *kind;
  PetscInt    series; /* a label value that gets a series, 0: none */
  PetscInt    descends;
} Setting;

static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  Problem        p = {
    .kinds = {"wall", "wall", "wall", "wall"}
  };
  const PetscReal t[2] = {0., s->descends ? 0. : 1.}, values[2] = {s->descends ? 1. : -1., 1.};
  PlexDG          dg;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  if (s->kind) p.kinds[0] = s->kind;
  if (s->series == 7) p.tides[0] = "M2,1,0";
  PetscCall(Create(&p, 1, 2, &dg));
  if (s->series) PetscCall(PlexDGSetBoundarySeries(dg, "sides", s->series, 2, t, values, NULL));
  if (s->option) {
    PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
    ierr = PlexDGSetFromOptions(dg);
    PetscCall(PetscOptionsClearValue(NULL, s->option));
    PetscCall(ierr);
  }
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBadInput(const char folder[])
{
  char              file[PETSC_MAX_PATH_LEN];
  const char *const tide = "-plex_dg_tide_sides", *series = "-plex_dg_series_sides";

  PetscFunctionBegin;
  EXPECT("times that do not ascend", WithSetting, (&(Setting){.kind = "elevation", .series = 1, .descends = 1}),
         "value 1 of label sides", "do not ascend: 0. comes after 0.", "Sort");
  EXPECT("a value without facets", WithSetting, (&(Setting){.kind = "elevation", .series = 7}),
         "value 7 of label sides", "-dm_view");
  EXPECT("a series where there is a wall", WithSetting, (&(Setting){.series = 2}), "value 2 of label sides",
         "elevation, incoming, discharge", "PlexDGAddBoundary()");
  EXPECT("a condition without values", WithSetting, (&(Setting){.kind = "discharge"}), "discharge needs values in time",
         "-plex_dg_series_", "PlexDGSetBoundaryTide()");
  EXPECT("a river that flows out", WithSetting, (&(Setting){.kind = "discharge", .series = 1}), "-1. at time 0.",
         "elevation takes water out");
  EXPECT("unknown constituent", WithSetting, (&(Setting){.kind = "elevation", .option = tide, .value = "X2,1,0"}), "X2",
         "label sides", "M2, S2", "period in seconds");
  EXPECT("no phase", WithSetting, (&(Setting){.kind = "elevation", .option = tide, .value = "M2,1"}), "ends within",
         "M2,1.2,30");
  EXPECT("no number", WithSetting, (&(Setting){.kind = "elevation", .option = tide, .value = "M2,one,0"}),
         "amplitude one", "M2,1.2,30");
  EXPECT("missing file", WithSetting, (&(Setting){.kind = "elevation", .option = series, .value = "none.txt"}),
         "Cannot read none.txt", series, "time and value");
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/bad.txt", folder));
  PetscCall(PlexTestWriteFile(file, "# t eta\n0 1\n\n2, 3 # noon\n3 x\n", 29));
  EXPECT("a line that is wrong", WithSetting, (&(Setting){.kind = "elevation", .option = series, .value = file}),
         "Line 5 of", file, "remark");
  PetscCall(PlexTestWriteFile(file, "# t eta\n0 1\n\n2, 3 # noon\n", 25));
  PetscCall(WithSetting(&(Setting){.kind = "elevation", .option = series, .value = file}));
  PetscCall(PlexTestWriteFile(file, "# nothing\n", 10));
  EXPECT("an empty file", WithSetting, (&(Setting){.kind = "elevation", .option = series, .value = file}), file,
         "has no times");
  (void)unlink(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  char        folder[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(TestRivers());
  PetscCall(TestReflection());
  PetscCall(TestRates());
  PetscCall(TestSeries());
  PetscCall(TestConstituents());
  PetscCall(TestManning());
  PetscCall(PetscStrncpy(folder, "/tmp/dgseriesXXXXXX", sizeof(folder)));
  PetscCheck(size > 1 || mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary folder");
  if (size > 1) PetscCall(TestProcesses());
  else {
#if PetscDefined(HAVE_HDF5)
    PetscCall(TestRestart(folder));
#endif
    PetscCall(TestBadInput(folder));
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s/series.h5", folder));
    (void)unlink(file);
    (void)rmdir(folder);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(TestHost());
  else PetscCall(PlexTestEachBackend(TestKernels, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
