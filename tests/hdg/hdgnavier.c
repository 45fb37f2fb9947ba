static char help[] =
  "Navier-Stokes equations by hybridized DG: Kovasznay's flow and others with velocities of order P + 2, gradients and\n\
pressures of order P + 1; Newton's method and Picard's iteration; Taylor and Green's vortex in time; a driven cavity; both\n\
solvers; several processes as one; messages.\n\n";

#include "hdgflow.h"
#include "hdgproblem.h"
#include "report.h"
#include <petscts.h>

typedef enum {
  KOVASZNAY, /* Kovasznay, Proc. Camb. Phil. Soc. 44 (1948), 58-62, in x - 1/2 and y - 1/2 */
  WAVES,     /* sines, with a source */
  VORTEX     /* of Taylor and Green, which decays in time */
} Kind;

typedef struct {
  PlexTestFlow flow; /* by AtPoint() */
  Kind         kind;
  PetscReal    rho, mu, t;
} Problem;

/* u, g[d][e] = du_d/dx_e, whose trace is zero, p, its derivatives, and the Laplacian of u */
static void Evaluate(const Problem *p, PetscInt dim, const PetscReal x[], PetscReal u[], PetscReal g[3][3],
                     PetscReal *pressure, PetscReal fp[3], PetscReal laplace[3])
{
  for (PetscInt d = 0; d < 3; ++d) {
    fp[d] = laplace[d] = 0.;
    for (PetscInt k = 0; k < 3; ++k) g[d][k] = 0.;
  }
  if (p->kind == KOVASZNAY) {
    const PetscReal half = 0.5 * p->rho / p->mu, pi2 = 2. * PETSC_PI, l = half - PetscSqrtReal(half * half + pi2 * pi2),
                    e = PetscExpReal(l * (x[0] - 0.5)), c = PetscCosReal(pi2 * (x[1] - 0.5)),
                    s = PetscSinReal(pi2 * (x[1] - 0.5));

    u[0]       = 1. - e * c;
    u[1]       = l / pi2 * e * s;
    g[0][0]    = -l * e * c;
    g[0][1]    = pi2 * e * s;
    g[1][0]    = l * l / pi2 * e * s;
    g[1][1]    = l * e * c;
    *pressure  = -0.5 * p->rho * e * e;
    fp[0]      = -p->rho * l * e * e;
    laplace[0] = (pi2 * pi2 - l * l) * e * c;
    laplace[1] = (l * l - pi2 * pi2) * l / pi2 * e * s;
  } else if (p->kind == VORTEX) {
    const PetscReal decay = PetscExpReal(-2. * p->mu / p->rho * PetscSqr(PETSC_PI) * p->t),
                    s0 = PetscSinReal(PETSC_PI * x[0]), c0 = PetscCosReal(PETSC_PI * x[0]),
                    s1 = PetscSinReal(PETSC_PI * x[1]), c1 = PetscCosReal(PETSC_PI * x[1]);

    u[0]      = s0 * c1 * decay;
    u[1]      = -c0 * s1 * decay;
    g[0][0]   = PETSC_PI * c0 * c1 * decay;
    g[0][1]   = -PETSC_PI * s0 * s1 * decay;
    g[1][0]   = PETSC_PI * s0 * s1 * decay;
    g[1][1]   = -PETSC_PI * c0 * c1 * decay;
    *pressure = 0.25 * p->rho * (PetscCosReal(2. * PETSC_PI * x[0]) + PetscCosReal(2. * PETSC_PI * x[1])) * decay *
                decay;
  } else {
    *pressure = PetscSinReal(2. * x[0]) + x[1] * x[1];
    fp[0]     = 2. * PetscCosReal(2. * x[0]);
    fp[1]     = 2. * x[1];
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscInt  e = (d + 1) % dim;
      const PetscReal a = 2. * x[e] + 0.3 + d;

      u[d]       = PetscSinReal(a);
      g[d][e]    = 2. * PetscCosReal(a);
      laplace[d] = -4. * u[d];
    }
  }
}

static void AtPoint(const PlexTestFlow *flow, PetscInt dim, const PetscReal x[], PetscReal u[3], PetscReal g[3][3],
                    PetscReal *p, PetscReal *mu)
{
  PetscReal fp[3], laplace[3];

  Evaluate((const Problem *)flow, dim, x, u, g, p, fp, laplace);
  *mu = ((const Problem *)flow)->mu;
}

/* rho u . grad u - mu Laplacian(u) + grad p; of Kovasznay's flow and of the vortex zero */
static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem *p = (Problem *)ctx;
  PetscReal      v[3], g[3][3], value, fp[3], laplace[3];

  PetscFunctionBegin;
  Evaluate(p, dim, x, v, g, &value, fp, laplace);
  for (PetscInt d = 0; d < n; ++d) {
    f[d] = fp[d] - p->mu * laplace[d];
    for (PetscInt e = 0; e < dim; ++e) f[d] += p->rho * v[e] * g[d][e];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, PetscBool mixed, PlexHDG *hdg)
{
  const PetscInt x = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetDensity(*hdg, p->rho));
  PetscCall(PlexHDGSetViscosity(*hdg, p->mu));
  PetscCall(PlexHDGSetSymmetricStress(*hdg, p->flow.symmetric));
  if (p->kind == WAVES) PetscCall(PlexHDGSetSource(*hdg, Force, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, PlexTestFlowKnown, p));
  if (mixed) {
    PetscCall(PlexTestLabelUnitSides(dm));
    PetscCall(PlexHDGAddBoundaryComponents(*hdg, "sides", 2, 1, &x, PlexTestFlowSlip, p));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 1, PLEX_HDG_NEUMANN, PlexTestFlowTraction, p));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 3, PLEX_HDG_ROBIN, PlexTestFlowTraction, p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  Kind           kind;
  PetscReal      mu;
  PetscInt       P, n; /* degree, cells a side of the coarser mesh */
  PetscBool      symmetric, mixed;
  PetscReal      below; /* by how much rates may miss their order; they approach it from below */
} Rate;

static const Rate rates[] = {
  {"Kovasznay's flow, triangles",      DM_POLYTOPE_TRIANGLE,      KOVASZNAY, 0.025, 2, 4, PETSC_FALSE, PETSC_FALSE, 0.4},
  {"Kovasznay's flow, triangles",      DM_POLYTOPE_TRIANGLE,      KOVASZNAY, 0.025, 3, 4, PETSC_FALSE, PETSC_FALSE, 0.4},
  {"Kovasznay's flow, quadrilaterals", DM_POLYTOPE_QUADRILATERAL, KOVASZNAY, 0.025, 2, 4, PETSC_FALSE, PETSC_FALSE,
   0.4                                                                                                                 },
  {"all conditions, triangles",        DM_POLYTOPE_TRIANGLE,      WAVES,     0.1,   2, 4, PETSC_TRUE,  PETSC_TRUE,  0.4},
  {"tetrahedra",                       DM_POLYTOPE_TETRAHEDRON,   WAVES,     0.1,   1, 2, PETSC_FALSE, PETSC_FALSE, 0.6},
  {"hexahedra, all conditions",        DM_POLYTOPE_HEXAHEDRON,    WAVES,     0.1,   1, 1, PETSC_FALSE, PETSC_TRUE,  0.4}
};

static PetscErrorCode TestRate(const Rate *r)
{
  Problem p = {
    .flow = {AtPoint, r->symmetric},
      .kind = r->kind, .rho = 1., .mu = r->mu
  };
  PetscReal error[2][3], jump;
  PetscInt  iterations, steps;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, r->name, r->P));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    SNES    snes;
    KSP     ksp;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, r->cell, r->n << k, &dm));
    PetscCall(Create(dm, r->P, &p, r->mixed, &hdg));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(SNESGetIterationNumber(snes, &steps));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestFlowReportRates(of, r->P, error, r->below, 0.9, 0.5));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: %" PetscInt_FMT " steps of Newton's method, the last one with %" PetscInt_FMT
                        " iterations\n",
                        of, steps, iterations));
  PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-6), of, "tractions do not jump", "%g", (double)jump));
  PetscCall(PlexTestReportOf((PetscBool)(steps <= 8 && iterations <= 8), of, "steps and iterations stay few",
                             "%" PetscInt_FMT " steps, %" PetscInt_FMT " iterations", steps, iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of u and p of the vortex at the end of n steps of size 0.4/n, all of its velocities on the boundary known */
static PetscErrorCode SolveVortex(PetscInt n, PetscBool iterative, PetscReal error[])
{
  Problem p = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = VORTEX, .rho = 1.5, .mu = 0.06
  };
  PlexHDG hdg;
  TSAdapt adapt;
  TS      ts;
  Vec     X;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 4, &dm));
  PetscCall(Create(dm, 3, &p, PETSC_FALSE, &hdg));
  if (iterative) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", "mg"));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetTimeVariable(hdg, &p.t));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSBDF));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSSetTimeStep(ts, 0.4 / n));
  PetscCall(TSSetMaxTime(ts, 0.4));
  PetscCall(TSSetMaxSteps(ts, n));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, PlexTestFlowVelocity, &p, X));
  PetscCall(TSSolve(ts, X));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(TSGetTime(ts, &p.t));
  PetscCall(PlexTestFlowErrors(hdg, &p.flow, error));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTime(void)
{
  PetscReal error[3][3], rate;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(SolveVortex(4 << k, PETSC_FALSE, error[k]));
  PetscCall(SolveVortex(4, PETSC_TRUE, error[2]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "vortex in time: errors of u %.3g, %.3g, of p %.3g, %.3g\n",
                        (double)error[0][0], (double)error[1][0], (double)error[0][2], (double)error[1][2]));
  rate = PetscLog2Real(error[0][0] / error[1][0]);
  PetscCall(PlexTestReportOf((PetscBool)(rate > 1.8 && rate < 2.5 && error[1][0] < 1e-3 && error[1][2] < 1e-3),
                             "vortex", "u falls as the square of BDF's steps", "errors %g, %g, rate %g, of p %g",
                             (double)error[0][0], (double)error[1][0], (double)rate, (double)error[1][2]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[2][0] - error[0][0]) < 1e-6 * error[0][0] &&
                                         PetscAbsReal(error[2][2] - error[0][2]) < 1e-6 * error[0][2]),
                             "vortex", "both solvers give the same", "errors of u %g, %g, of p %g, %g",
                             (double)error[0][0], (double)error[2][0], (double)error[0][2], (double)error[2][2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Lid(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                          void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) g[d] = !d && x[1] > 1. - 1e-8 ? 1. : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U. Ghia, K. N. Ghia and C. T. Shin, J. Comput. Phys. 48 (1982), 387-411, tables I and II, where their points are at
   multiples of 1/32: component 0 over y at x = 1/2, and 1 over x at y = 1/2 */
typedef struct {
  PetscInt  component, of32;
  PetscReal value[2]; /* at Reynolds numbers 100 and 400 */
} Ghia;

static const Ghia ghia[] = {
  {0, 31, {0.78871, 0.68439}  },
  {0, 16, {-0.20581, -0.11477}},
  {0, 9,  {-0.15662, -0.32726}},
  {0, 2,  {-0.04192, -0.09266}},
  {1, 31, {-0.05906, -0.12146}},
  {1, 16, {0.05454, 0.05186}  },
  {1, 5,  {0.16077, 0.28124}  },
  {1, 3,  {0.12317, 0.22965}  },
  {1, 2,  {0.09233, 0.18360}  }
};

/* Component k of the velocity at the node at x[2] */
static PetscErrorCode AtNode(PlexHDG hdg, PetscInt k, const PetscReal at[], PetscReal *value)
{
  const PetscReal *x;
  PetscScalar     *values;
  PetscInt         Ne, Np;
  Vec              u;

  PetscFunctionBegin;
  *value = PETSC_MAX_REAL;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)Ne * 2 * Np, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, 2, u, values));
  for (PetscInt n = 0; n < Ne * Np; ++n)
    if (PetscAbsReal(x[2 * n] - at[0]) + PetscAbsReal(x[2 * n + 1] - at[1]) < 1e-9)
      *value = PetscRealPart(values[(size_t)(n / Np * 2 + k) * Np + n % Np]);
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCavity(void)
{
  PlexHDG hdg;
  SNES    snes;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_QUADRILATERAL, 16, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(hdg, 2));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Lid, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGGetSNES(hdg, &snes));
  for (int k = 0; k < 2; ++k) { /* the second one from the first */
    PetscReal worst = 0.;
    PetscInt  steps;

    PetscCall(PlexHDGSetViscosity(hdg, k ? 0.0025 : 0.01));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(SNESGetIterationNumber(snes, &steps));
    for (size_t n = 0; n < PETSC_STATIC_ARRAY_LENGTH(ghia); ++n) {
      const PetscReal at[2] = {ghia[n].component ? ghia[n].of32 / 32. : 0.5,
                               ghia[n].component ? 0.5 : ghia[n].of32 / 32.};
      PetscReal       value;

      PetscCall(AtNode(hdg, ghia[n].component, at, &value));
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "cavity, component %" PetscInt_FMT " at (%g, %g): %.5f, Ghia %.5f\n",
                            ghia[n].component, (double)at[0], (double)at[1], (double)value, (double)ghia[n].value[k]));
      worst = PetscMax(worst, PetscAbsReal(value - ghia[n].value[k]));
    }
    PetscCall(PlexTestReportOf((PetscBool)(worst < 0.01 && steps <= 8), k ? "cavity, Re 400" : "cavity, Re 100",
                               "velocities of Ghia, Ghia and Shin", "they differ by %g, %" PetscInt_FMT " steps",
                               (double)worst, steps));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name, *option, *value;
} Way;

/* Picard's iteration alone, two levels in place of the direct solver, another initial guess: the same flow */
static PetscErrorCode TestWays(void)
{
  static const Way ways[] = {
    {"Newton's method",    "-plex_hdg_picard",           "0"  },
    {"Picard's iteration", "-plex_hdg_picard",           "100"},
    {"two levels",         "-plex_hdg_velocity_pc_type", "mg" }
  };
  Problem p = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = WAVES, .rho = 1.2, .mu = 0.2
  };
  PetscReal error[3][3];
  PetscInt  steps[3], again;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    PlexHDG hdg;
    SNES    snes;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 3, &dm));
    PetscCall(Create(dm, 2, &p, PETSC_FALSE, &hdg));
    PetscCall(PetscOptionsSetValue(NULL, ways[k].option, ways[k].value));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PetscOptionsClearValue(NULL, ways[k].option));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(SNESGetIterationNumber(snes, &steps[k]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %" PetscInt_FMT " steps, error of u %.6g\n", ways[k].name, steps[k],
                          (double)error[k][0]));
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[k][0] - error[0][0]) < 1e-5 * error[0][0] &&
                                           PetscAbsReal(error[k][2] - error[0][2]) < 1e-5 * error[0][2]),
                               ways[k].name, "the same flow", "errors of u %g, %g, of p %g, %g", (double)error[0][0],
                               (double)error[k][0], (double)error[0][2], (double)error[k][2]));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(SNESGetIterationNumber(snes, &again));
    PetscCall(PlexTestReportOf((PetscBool)!again, ways[k].name, "a second solve starts from the first",
                               "%" PetscInt_FMT " steps", again));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(steps[1] > steps[0] && steps[0] <= 5), "Picard's iteration",
                             "takes more steps than Newton's method", "%" PetscInt_FMT ", %" PetscInt_FMT, steps[1],
                             steps[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is set is what is got, and options have the last word */
static PetscErrorCode TestSettings(void)
{
  Problem p = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = WAVES, .rho = 1.5, .mu = 0.3
  };
  PetscReal rho[2];
  PetscInt  picard[2];
  PlexHDG   hdg;
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 1, &dm));
  PetscCall(Create(dm, 1, &p, PETSC_FALSE, &hdg));
  PetscCall(PlexHDGSetPicard(hdg, 7));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexHDGGetDensity(hdg, &rho[k]));
    PetscCall(PlexHDGGetPicard(hdg, &picard[k]));
    if (k) break;
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_density", "2.5"));
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_picard", "4"));
  }
  PetscCall(PlexTestReportOf((PetscBool)(rho[0] == 1.5 && rho[1] == 2.5 && picard[0] == 7 && picard[1] == 4),
                             "settings", "what is set is got, and options override it",
                             "%g, %g, %" PetscInt_FMT ", %" PetscInt_FMT, (double)rho[0], (double)rho[1], picard[0],
                             picard[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes, and each one alone */
static PetscErrorCode TestParallel(const char name[], DMPolytopeType cell, PetscInt P, PetscBool mixed, PetscBool mg)
{
  Problem p = {
    .flow = {AtPoint, PETSC_TRUE},
      .kind = WAVES, .rho = 1., .mu = 0.3
  };
  PetscReal error[2][3], norm[2][2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    SNES    snes;
    Vec     u, pressure;
    DM      dm;

    PetscCall(PlexTestMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, cell, 0, &dm));
    if (!k) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(Create(dm, P, &p, mixed, &hdg));
    PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
    if (mg) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", "mg"));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(SNESSetTolerances(snes, 0., 1e-13, 0., 30, PETSC_UNLIMITED));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
    PetscCall(PlexHDGGetPressure(hdg, &pressure));
    PetscCall(VecNorm(u, NORM_2, &norm[k][0]));
    PetscCall(VecNorm(pressure, NORM_2, &norm[k][1]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(norm[0][0] / norm[1][0] - 1.) < 1e-12 &&
                                         PetscAbsReal(norm[0][1] / norm[1][1] - 1.) < 1e-10 &&
                                         PetscAbsReal(error[0][0] - error[1][0]) < 1e-9 * error[1][0] &&
                                         PetscAbsReal(error[0][2] - error[1][2]) < 1e-9 * error[1][2]),
                             name, "as one process", "norms of u, p differ by %g, %g; errors of u %g, %g",
                             (double)(norm[0][0] / norm[1][0] - 1.), (double)(norm[0][1] / norm[1][1] - 1.),
                             (double)error[0][0], (double)error[1][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  WRONG_DENSITY,
  WRONG_PICARD,
  WRONG_SYSTEM,
  WRONG_KSP,
  WRONG_PC,
  WRONG_OPEN,
  WRONG_RHS,
  WRONG_STEPS
} Wrong;

static PetscErrorCode UseWrong(void *ctx)
{
  const Wrong wrong = *(Wrong *)ctx;
  Problem     p     = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = WAVES, .rho = 1., .mu = 0.1
  };
  PlexHDG hdg;
  SNES    snes;
  KSP     ksp;
  PC      pc;
  Vec     rhs = NULL;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 2, &dm));
  PetscCall(Create(dm, 1, &p, PETSC_FALSE, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  switch (wrong) {
  case WRONG_DENSITY:
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_density", "-1"));
    break;
  case WRONG_PICARD:
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_picard", "-2"));
    break;
  case WRONG_SYSTEM:
    PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_STOKES));
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    break;
  case WRONG_KSP:
    PetscCall(KSPSetType(ksp, KSPMINRES));
    break;
  case WRONG_PC:
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCLU));
    break;
  case WRONG_OPEN:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, PlexTestFlowTraction, &p));
    break;
  case WRONG_RHS:
    PetscCall(PlexHDGCreateVecs(hdg, &rhs, NULL, NULL, NULL));
    PetscCall(PlexHDGComputeRHS(hdg, rhs));
    break;
  default:
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(SNESSetTolerances(snes, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 2, PETSC_CURRENT));
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  Wrong wrong[WRONG_STEPS + 1];

  PetscFunctionBegin;
  for (int k = 0; k <= WRONG_STEPS; ++k) wrong[k] = (Wrong)k;
  EXPECT("a negative density", UseWrong, &wrong[WRONG_DENSITY], "The density -1", "-plex_hdg_density");
  EXPECT("negative steps", UseWrong, &wrong[WRONG_PICARD], "-2 steps of Picard's iteration", "-plex_hdg_picard");
  EXPECT("a nonlinear solver of Stokes's", UseWrong, &wrong[WRONG_SYSTEM],
         "PlexHDGGetSNES() is for the system navierstokes", "one of stokes");
  EXPECT("MINRES", UseWrong, &wrong[WRONG_KSP], "needs a symmetric matrix", "Navier-Stokes equations", "fgmres");
  EXPECT("LU of all", UseWrong, &wrong[WRONG_PC], "-plex_hdg_pc_type lu", "-plex_hdg_velocity_pc_type lu");
  EXPECT("tractions alone", UseWrong, &wrong[WRONG_OPEN], "No condition holds the velocity", "PlexHDGSetTS()");
  EXPECT("a right-hand side", UseWrong, &wrong[WRONG_RHS], "PlexHDGComputeRHS()", "PlexHDGSolve()");
  EXPECT("too few steps", UseWrong, &wrong[WRONG_STEPS], "does not converge, DIVERGED_MAX_IT after 2 steps",
         "larger viscosities first");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestMessages());
  PetscCall(TestSettings());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k) PetscCall(TestRate(&rates[k]));
  PetscCall(TestWays());
  PetscCall(TestTime());
  PetscCall(TestCavity());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    PetscCall(TestParallel("triangles, all conditions", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, PETSC_FALSE));
    PetscCall(TestParallel("quadrilaterals, two levels", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_FALSE, PETSC_TRUE));
  } else PetscCall(TestHost());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
