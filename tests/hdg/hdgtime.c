static char help[] = "Hybridized DG in time with kappa, lambda, alpha and a velocity that depend on it: orders, and K "
                     "computed again when they change and only then.\n\n";

#include "hdgproblem.h"
#include "report.h"

/* du/dt - div(k grad u) + beta . grad u + lambda u = f, u = 1 + sin(a . x - c t)/2 */
typedef enum {
  ELEMENTS, /* k and lambda by element */
  POINTS,   /* k at points, with convection */
  NONLINEAR /* k (1 + u^2/4), and lambda */
} Kind;

typedef struct {
  Kind      kind;
  PetscReal t;
  PetscReal c;      /* speed */
  PetscReal steady; /* from that time on k does not change; 0: it never stops */
} Problem;

static const PetscReal a[2] = {1., -0.7};

static PetscReal Time(const Problem *p)
{
  return p->steady > 0. ? PetscMin(p->t, p->steady) : p->t;
}

static PetscReal K(const Problem *p)
{
  return 1. + 0.8 * PetscSinReal(4. * Time(p));
}

/* It becomes negative */
static PetscReal Lambda(const Problem *p)
{
  return p->kind == POINTS || p->steady > 0. ? 0. : 0.5 - 3. * p->t;
}

static PetscReal Beta(const Problem *p)
{
  return p->kind == POINTS ? 1. + p->t : 0.;
}

static PetscReal Phase(const Problem *p, const PetscReal x[])
{
  return a[0] * x[0] + a[1] * x[1] - p->c * p->t;
}

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1. + 0.5 * PetscSinReal(Phase((Problem *)ctx, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of k as it stands, times 1 or 1 + u^2/4; slope: of the latter by u */
static PetscReal Factor(const Problem *p, PetscReal u, PetscReal *slope)
{
  *slope = p->kind == NONLINEAR ? 0.5 * K(p) * u : 0.;
  return K(p) * (p->kind == NONLINEAR ? 1. + 0.25 * u * u : 1.);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = K((Problem *)ctx);
  *lambda = Lambda((Problem *)ctx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscReal s;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = Factor((Problem *)ctx, u, &s);
    slope[d * (dim + 1)] = s;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  PetscFunctionBegin;
  beta[0] = Beta((Problem *)ctx);
  beta[1] = 0.5 * beta[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem  *p = (Problem *)ctx;
  const PetscReal s = PetscSinReal(Phase(p, x)), du = 0.5 * PetscCosReal(Phase(p, x)), u = 1. + 0.5 * s,
                  aa = a[0] * a[0] + a[1] * a[1];
  PetscReal       slope, k = Factor(p, u, &slope);

  PetscFunctionBegin;
  f[0] = -p->c * du + k * aa * 0.5 * s - slope * aa * du * du + Beta(p) * (a[0] + 0.5 * a[1]) * du + Lambda(p) * u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Exact(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Robin's condition with alpha = 0.7 + t */
static PetscErrorCode Mixed(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  const Problem  *p = (Problem *)ctx;
  const PetscReal u = 1. + 0.5 * PetscSinReal(Phase(p, x)), du = 0.5 * PetscCosReal(Phase(p, x));
  PetscReal       slope;

  PetscFunctionBegin;
  g[0] = Factor(p, u, &slope) * du * (a[0] * normal[0] + a[1] * normal[1]);
  if (n > 1) {
    g[1] = p->steady > 0. ? 0.7 : 0.7 + p->t;
    g[0] += g[1] * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, const char backend[], PlexHDG *hdg)
{
  KSP         ksp;
  PC          pc;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PlexTestLabelKinds(dm));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetSource(*hdg, Source, p));
  if (p->kind != POINTS) PetscCall(PlexHDGSetCoefficients(*hdg, Coefficients, p));
  if (p->kind != ELEMENTS) PetscCall(PlexHDGSetPointwise(*hdg, Kappa, (PetscBool)(p->kind == NONLINEAR), p));
  if (p->kind == POINTS) PetscCall(PlexHDGSetConvection(*hdg, PLEX_HDG_ADVECTIVE, Velocity, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, p));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 2, PLEX_HDG_ROBIN, Mixed, p));
  PetscCall(PlexHDGSetTimeVariable(*hdg, &p->t));
  PetscCall(PlexHDGSetFromOptions(*hdg));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &size));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(PCSetType(pc, size > 1 ? PCPBJACOBI : PCLU));
  if (size == 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(KSPSetTolerances(ksp, 1e-13, 1e-50, PETSC_CURRENT, 5000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n steps to the time `end`; the discretization has the state then */
static PetscErrorCode Run(PlexHDG hdg, Problem *p, TSType type, PetscInt order, PetscInt n, PetscReal end)
{
  TS      ts;
  SNES    snes;
  TSAdapt adapt;
  Vec     X;

  PetscFunctionBegin;
  p->t = 0.;
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, Exact, p, X));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)hdg), &ts));
  PetscCall(TSSetType(ts, type));
  PetscCall(PlexHDGSetTS(hdg, ts));
  if (order > 1) PetscCall(TSBDFSetOrder(ts, order));
  PetscCall(TSSetTimeStep(ts, end / n));
  PetscCall(TSSetMaxTime(ts, end));
  PetscCall(TSSetMaxSteps(ts, n));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSGetSNES(ts, &snes));
  if (p->kind != NONLINEAR) PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SNESSetTolerances(snes, 1e-11, 1e-10, 1e-12, 30, 1000));
  PetscCall(TSSolve(ts, X));
  PetscCall(PlexHDGSetState(hdg, X));
  p->t = end;
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOrder(const char name[], Kind kind)
{
  Problem   p = {.kind = kind, .c = 3.};
  PetscReal error[2][3], order;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    DM      dm;

    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
    PetscCall(PlexTestDistributeDefault(&dm, 0));
    PetscCall(Create(dm, 4, &p, PLEXBACKENDHOST, &hdg));
    PetscCall(Run(hdg, &p, TSBDF, 2, 10 << k, 0.5));
    PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, &p, error[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  order = PetscLog2Real(error[0][0] / error[1][0]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, order %.2f\n", name, (double)error[0][0],
                        (double)error[1][0], (double)order));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(order - 2.) < 0.3 && error[1][0] < 3e-3), name,
                             "errors of BDF fall as the square of the step", "%g, %g", (double)error[0][0],
                             (double)error[1][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountK(PetscInt *n)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId("PlexHDGLocal", &event));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  *n = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often K is computed in 8 steps of 1/8, all alike to the last bit, of which k changes in the first ones */
static PetscErrorCode TestCount(const char name[], PetscReal steady, PetscInt expected)
{
  Problem  p = {.kind = ELEMENTS, .c = 1., .steady = steady};
  PetscInt n[2];
  PlexHDG  hdg;
  DM       dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(Create(dm, 1, &p, PLEXBACKENDHOST, &hdg));
  PetscCall(CountK(&n[0]));
  PetscCall(Run(hdg, &p, TSBEULER, 1, 8, 1.));
  PetscCall(CountK(&n[1]));
  PetscCall(PlexTestReportOf((PetscBool)(n[1] - n[0] == expected), "K in 8 steps", name,
                             "computed %" PetscInt_FMT " times, and expected %" PetscInt_FMT, n[1] - n[0], expected));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three steps of two discretizations that are to be the same: a backend beside the host, or all processes beside one */
static PetscErrorCode TestSame(const char name[], MPI_Comm comm, const char backend[])
{
  Problem   p = {.kind = ELEMENTS, .c = 1.};
  PetscReal error[2][3], worst = 0.;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    DM      dm;

    PetscCall(PlexTestMesh(k ? PETSC_COMM_SELF : comm, DM_POLYTOPE_TRIANGLE, 0, &dm));
    PetscCall(PlexTestDistributeDefault(&dm, 0));
    PetscCall(Create(dm, 1, &p, k ? PLEXBACKENDHOST : backend, &hdg));
    PetscCall(Run(hdg, &p, TSBEULER, 1, 3, 0.3));
    PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, &p, error[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; k += 2) worst = PetscMax(worst, PetscAbsReal(error[0][k] - error[1][k]) / error[1][k]);
  PetscCall(PlexTestReportOf((PetscBool)(worst < 1e-10), backend, name, "errors differ by %g", (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four steps of backward Euler from zero; lags: by one Jacobian, the first one */
static PetscErrorCode RunFromZero(PlexHDG hdg, PetscBool lags, Vec *X, PetscInt *its)
{
  TS   ts;
  SNES snes;

  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)hdg), &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetTimeStep(ts, 0.1));
  PetscCall(TSSetMaxSteps(ts, 4));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSGetSNES(ts, &snes));
  if (lags) PetscCall(SNESSetLagJacobian(snes, -2));
  if (lags) PetscCall(SNESSetLagJacobianPersists(snes, PETSC_TRUE));
  PetscCall(PlexHDGCreateStateVec(hdg, X));
  PetscCall(VecZeroEntries(*X));
  PetscCall(TSSolve(ts, *X));
  PetscCall(TSGetSNESIterations(ts, its));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A box that nothing holds: u is the integral of the source by time, and K regular in steps of time */

static PetscErrorCode Heating(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  f[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Heated(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = *(const PetscReal *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With lambda from 1 down to -1, whose change of sign sets all up again, while the Jacobian lags */
static PetscErrorCode Reaction(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda,
                               void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = 1.;
  *lambda = *(const PetscReal *)ctx > 0.15 ? -1. : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestInsulated(const char backend[], PetscBool reacts)
{
  PetscReal t = 0., error[3], expected = 0.;
  PetscInt  its;
  PlexHDG   hdg;
  DM        dm;
  Vec       X;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 2));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetSource(hdg, Heating, NULL));
  if (reacts) PetscCall(PlexHDGSetCoefficients(hdg, Reaction, &t));
  else PetscCall(PlexHDGSetDiffusion(hdg, 1., 0.));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, NULL, NULL));
  if (reacts) PetscCall(PlexHDGSetTimeVariable(hdg, &t));
  PetscCall(RunFromZero(hdg, reacts, &X, &its));
  PetscCall(PlexHDGSetState(hdg, X));
  for (int k = 1; k <= 4; ++k) expected = (expected + 0.1) / (1. + (reacts ? k < 2 ? 0.1 : -0.1 : 0.));
  PetscCall(PlexHDGComputeL2Error(hdg, Heated, NULL, &expected, error));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] < 1e-6 && its <= 8), backend,
                             reacts ? "nothing holds u, lambda changes its sign, the Jacobian lags" : "nothing holds u",
                             "error %g of %g, %" PetscInt_FMT " iterations", (double)error[0], (double)expected, its));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A flow whose Jacobian lags while alpha of Robin's condition depends on time: as with one that does not */

static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wall(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                           void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n - 1; ++d) g[d] = x[1];
  g[n - 1] = 1. + 20. * *(const PetscReal *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFlow(const char type[])
{
  Vec       X[2];
  PetscReal differ, size;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", type));
  for (int lags = 0; lags < 2; ++lags) {
    PetscReal t = 0.;
    PetscInt  its;
    PlexHDG   hdg;
    DM        dm;

    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
    PetscCall(PlexHDGCreate(dm, &hdg));
    PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
    PetscCall(PlexHDGSetTransport(hdg, PLEX_HDG_TRANSPORT_NONE));
    PetscCall(PlexHDGSetDegree(hdg, 2));
    PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
    PetscCall(PlexHDGSetViscosity(hdg, 1.));
    PetscCall(PlexHDGSetSource(hdg, Force, NULL));
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, Wall, &t));
    PetscCall(PlexHDGSetTimeVariable(hdg, &t));
    PetscCall(RunFromZero(hdg, (PetscBool)lags, &X[lags], &its));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
  PetscCall(VecNorm(X[0], NORM_2, &size));
  PetscCall(VecAXPY(X[0], -1., X[1]));
  PetscCall(VecNorm(X[0], NORM_2, &differ));
  PetscCall(PlexTestReportOf((PetscBool)(differ < 1e-4 * size), "a flow whose Jacobian lags", type,
                             "differs by %g of %g", (double)differ, (double)size));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&X[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    PetscCall(TestInsulated(PLEXBACKENDHOST, PETSC_FALSE));
    PetscCall(TestSame("as on one process", PETSC_COMM_WORLD, PLEXBACKENDHOST));
    PetscCall(PetscFinalize());
    return PlexTestStatus();
  }
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(TestOrder("kappa and lambda of elements, alpha", ELEMENTS));
  PetscCall(TestOrder("kappa at points, a velocity, alpha", POINTS));
  PetscCall(TestOrder("kappa(u), lambda, alpha", NONLINEAR));
  PetscCall(TestCount("that never changes", 1e-30, 1));
  PetscCall(TestCount("that changes in three of them", 0.3, 3));
  PetscCall(TestCount("that changes in all", 10., 8));
  PetscCall(TestFlow(PCMG));
  PetscCall(TestFlow(PCLU));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(TestInsulated(backends[b], PETSC_FALSE));
    PetscCall(TestInsulated(backends[b], PETSC_TRUE));
  }
  for (PetscInt b = 0; b < n; ++b)
    if (strcmp(backends[b], PLEXBACKENDHOST)) PetscCall(TestSame("as on the host", PETSC_COMM_SELF, backends[b]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
