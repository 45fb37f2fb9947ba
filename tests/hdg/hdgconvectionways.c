static char
  help[] = "Hybridized DG with convection: kernels as the host, several processes as one, states of SNES and TS, "
           "exact solutions, changes, messages.\n\n"
           "  -shard <k>/<n>  every n-th case from the k-th\n\n";

#include "convection.h"

typedef struct {
  const char       *name;
  DMPolytopeType    cell;
  PetscInt          P, n;
  PlexHDGConvection form;
  PetscBool         moves, curved, mixed;
  PetscReal         kappa, lambda;
  int               pointwise; /* kappa at points; 2: which depends on u */
} Case;

// clang-format off
static const Case cases[] = {
  {"triangles", DM_POLYTOPE_TRIANGLE, 3, 2, PLEX_HDG_ADVECTIVE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 1e-2, 0., 0},
  {"curved triangles, conservative", DM_POLYTOPE_TRIANGLE, 2, 2, PLEX_HDG_CONSERVATIVE, PETSC_TRUE, PETSC_TRUE,
   PETSC_TRUE, 1e-3, 0.2, 0},
  {"quadrilaterals without diffusion", DM_POLYTOPE_QUADRILATERAL, 2, 3, PLEX_HDG_CONSERVATIVE, PETSC_TRUE, PETSC_FALSE,
   PETSC_FALSE, 0., 0., 0},
  {"curved quadrilaterals without diffusion", DM_POLYTOPE_QUADRILATERAL, 3, 2, PLEX_HDG_ADVECTIVE, PETSC_TRUE,
   PETSC_TRUE, PETSC_FALSE, 0., 0., 0},
  {"triangles, kappa at points", DM_POLYTOPE_TRIANGLE, 2, 2, PLEX_HDG_ADVECTIVE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE,
   0.1, 0.5, 1},
  {"triangles, kappa(u)", DM_POLYTOPE_TRIANGLE, 2, 2, PLEX_HDG_CONSERVATIVE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 0.1,
   0.5, 2},
  {"triangles, lambda < 0", DM_POLYTOPE_TRIANGLE, 3, 2, PLEX_HDG_ADVECTIVE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, 1.3,
   -60., 0},
  {"curved quadrilaterals, lambda < 0", DM_POLYTOPE_QUADRILATERAL, 4, 2, PLEX_HDG_ADVECTIVE, PETSC_FALSE, PETSC_TRUE,
   PETSC_TRUE, 1.3, -500., 0},
  {"tetrahedra", DM_POLYTOPE_TETRAHEDRON, 2, 1, PLEX_HDG_CONSERVATIVE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 1e-2, 0., 0},
  {"hexahedra", DM_POLYTOPE_HEXAHEDRON, 1, 2, PLEX_HDG_ADVECTIVE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 1e-4, 0., 0}
};
// clang-format on

static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  const PetscReal least = ((const Convection *)ctx)->kappa;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = least * (1. + 0.3 * x[0] + 0.2 * u * u);
    slope[d * (dim + 1)] = least * 0.4 * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Convection Problem(const Case *c)
{
  return (Convection){.dim       = DMPolytopeTypeGetDim(c->cell),
                      .moves     = c->moves,
                      .varies    = PETSC_TRUE,
                      .form      = c->form,
                      .kappa     = c->kappa,
                      .lambda    = c->lambda,
                      .frequency = 1.};
}

static PetscErrorCode Make(MPI_Comm comm, const Case *c, Convection *p, const char backend[], PlexHDG *hdg)
{
  KSP ksp;
  DM  dm;

  PetscFunctionBegin;
  PetscCall(ConvectionMesh(comm, c->cell, c->n, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(ConvectionCreate(dm, c->P, p, backend, c->mixed, hdg));
  if (c->pointwise) PetscCall(PlexHDGSetPointwise(*hdg, Kappa, (PetscBool)(c->pointwise == 2), p));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By Newton's method from zero, one step of which is enough where kappa does not depend on u; F: residual of it */
static PetscErrorCode SolveState(PlexHDG hdg, PetscReal *residual)
{
  SNES snes;
  Vec  X, F;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PetscObjectComm((PetscObject)hdg), &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-11, 1e-14, 30, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESComputeFunction(snes, X, F));
  PetscCall(VecNorm(F, NORM_2, &residual[0]));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(SNESComputeFunction(snes, X, F));
  PetscCall(VecNorm(F, NORM_2, &residual[1]));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of trace, u, q and u*, each over its largest number */
static PetscErrorCode Difference(PlexHDG a, PlexHDG b, PetscReal *difference)
{
  Vec va[4], vb[4];

  PetscFunctionBegin;
  *difference = 0.;
  PetscCall(PlexHDGGetSolution(a, &va[0], &va[1], &va[2], &va[3]));
  PetscCall(PlexHDGGetSolution(b, &vb[0], &vb[1], &vb[2], &vb[3]));
  for (int k = 0; k < 4; ++k) {
    const PetscScalar *xa, *xb;
    PetscInt           n, m;
    PetscReal          d = 0., largest = 0.;

    PetscCall(VecGetLocalSize(va[k], &n));
    PetscCall(VecGetLocalSize(vb[k], &m));
    PetscCall(VecGetArrayRead(va[k], &xa));
    PetscCall(VecGetArrayRead(vb[k], &xb));
    for (PetscInt i = 0; i < n && n == m; ++i) {
      d       = PetscMax(d, PetscAbsScalar(xa[i] - xb[i]));
      largest = PetscMax(largest, PetscAbsScalar(xb[i]));
    }
    PetscCall(VecRestoreArrayRead(va[k], &xa));
    PetscCall(VecRestoreArrayRead(vb[k], &xb));
    if (n != m) d = largest = 1.;
    *difference = PetscMax(*difference, largest > 0. ? d / largest : d);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, difference, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the steps of the linear problem, or by Newton's method */
static PetscErrorCode Solve(PlexHDG hdg, const Case *c)
{
  PetscReal residual[2];

  PetscFunctionBegin;
  if (c->pointwise == 2) PetscCall(SolveState(hdg, residual));
  else PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels as the host; a state as the linear problem; the flux does not jump */
static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  Convection p = Problem(c);
  PlexHDG    hdg, host, state;
  PetscReal  difference, residual[2], jump;
  char       of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PetscCall(Make(PETSC_COMM_WORLD, c, &p, backend, &hdg));
  PetscCall(Solve(hdg, c));
  if (c->pointwise < 2) {
    PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
    PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "the normal flux does not jump", "%g", (double)jump));
  }
  PetscCall(Make(PETSC_COMM_WORLD, c, &p, PLEXBACKENDHOST, &host));
  PetscCall(Solve(host, c));
  PetscCall(Difference(hdg, host, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-9), of, "as on the host", "differences %g",
                             (double)difference));
  PetscCall(PlexHDGDestroy(&host));
  PetscCall(Make(PETSC_COMM_WORLD, c, &p, backend, &state));
  PetscCall(PlexTestHDGOption(state, "-plex_hdg_tile", "3"));
  PetscCall(SolveState(state, residual));
  PetscCall(Difference(state, hdg, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-8 && residual[1] < 1e-10 * residual[0]), of,
                             "the same by a state, in tiles", "differences %g, residuals %g, %g", (double)difference,
                             (double)residual[0], (double)residual[1]));
  PetscCall(PlexHDGDestroy(&state));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Probe(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) u[i] = 2. * PetscSinReal(3. * x[0] + 5. * x[1] + 1.3 * i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several processes as one, by distances to a function */
static PetscErrorCode TestProcesses(const char backend[], const Case *c)
{
  Convection p = Problem(c);
  PetscReal  distance[2][3], difference = 0.;
  char       of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;

    PetscCall(Make(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, c, &p, backend, &hdg));
    PetscCall(Solve(hdg, c));
    PetscCall(PlexHDGComputeL2Error(hdg, Probe, Probe, NULL, distance[k]));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  for (int k = 0; k < 3; ++k)
    difference = PetscMax(difference, PetscAbsReal(distance[0][k] - distance[1][k]) / distance[1][k]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &difference, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12), of, "u, q and u* as on one process",
                             "distances to a function differ by %g", (double)difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode One(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OneKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                               void *ctx)
{
  PetscFunctionBegin;
  g[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f of u = 1: 0, or div beta */
static PetscErrorCode OneSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Convection *p = (const Convection *)ctx;

  PetscFunctionBegin;
  f[0] = p->form == PLEX_HDG_CONSERVATIVE ? Divergence(p, x) : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = 1 where beta has a divergence: to rounding in the advective form, which does not see it; in the conservative one
   to the error of quadrature, and far from it with the other form's source */
static PetscErrorCode TestForms(const char backend[])
{
  static const Case c = {"",         DM_POLYTOPE_TRIANGLE, 4,           2,    PLEX_HDG_ADVECTIVE,
                         PETSC_TRUE, PETSC_FALSE,          PETSC_FALSE, 1e-2, 0.,
                         0};

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    Convection p = Problem(&c), other;
    PlexHDG    hdg;
    PetscReal  error[3];
    char       of[128];

    p.form     = k ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE;
    other      = p;
    other.form = k == 1 ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE;
    PetscCall(Make(PETSC_COMM_WORLD, &c, &p, backend, &hdg));
    PetscCall(PlexHDGSetSource(hdg, OneSource, &other));
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, OneKnown, NULL));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGComputeL2Error(hdg, One, NULL, NULL, error));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, f of u = 1 in the %s form", backend, PlexHDGConvections[p.form],
                            PlexHDGConvections[other.form]));
    PetscCall(PlexTestReportOf((PetscBool)(k == 0   ? error[0] < 1e-11
                                           : k == 1 ? error[0] < 1e-7
                                                    : error[0] > 0.05),
                               of, k < 2 ? "u is 1" : "u is not 1", "error %g", (double)error[0]));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* du/dt + beta . grad u - div(kappa grad u) = f is steady in the end */
static PetscErrorCode TestTime(const char backend[])
{
  Convection p = Problem(&cases[0]);
  PlexHDG    hdg, steady;
  PetscReal  difference;
  TS         ts;
  Vec        X;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_WORLD, &cases[0], &p, backend, &steady));
  PetscCall(PlexHDGSolve(steady));
  PetscCall(Make(PETSC_COMM_WORLD, &cases[0], &p, backend, &hdg));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, One, NULL, X));
  PetscCall(TSSetTimeStep(ts, 10.));
  PetscCall(TSSetMaxTime(ts, 200.));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Difference(hdg, steady, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-7), backend, "in time the solution becomes the steady one",
                             "differences %g", (double)difference));
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(PlexHDGDestroy(&steady));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TypeIs(PlexHDG hdg, const char type[], PetscBool *is)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, type, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same discretization with other settings one after the other, as a new one each time, and the solver's type */
static PetscErrorCode TestChanges(const char backend[])
{
  static const char *const what[] = {"another velocity", "another form", "no convection",
                                     "lambda < 0",       "lambda > 0",   "convection again"};
  Convection               p      = Problem(&cases[0]);
  PlexHDG                  hdg, new;
  PetscReal                difference;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_WORLD, &cases[0], &p, backend, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  for (int k = 0; k < 6; ++k) {
    const PetscReal still[2] = {0., 0.};
    char            of[128];
    PetscBool       is;

    p.varies = (PetscBool)(k > 0);
    p.form   = k == 1 ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE;
    p.moves  = (PetscBool)(k < 2 || k == 5);
    p.kappa  = k > 2 && k < 5 ? 1. : 0.01;
    p.lambda = k == 3 ? -40. : 1.;
    if (p.moves) PetscCall(PlexHDGSetConvection(hdg, p.form, Velocity, &p));
    else PetscCall(PlexHDGSetVelocity(hdg, 2, still));
    PetscCall(PlexHDGSetDiffusion(hdg, p.kappa, p.lambda));
    PetscCall(PlexHDGUpdate(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(Make(PETSC_COMM_WORLD, &cases[0], &p, backend, &new));
    PetscCall(PlexHDGSolve(new));
    PetscCall(Difference(hdg, new, &difference));
    PetscCall(TypeIs(hdg, p.moves || p.lambda < 0. ? KSPGMRES : KSPCG, &is));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, what[k]));
    PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-10), of, "as a new discretization", "differences %g",
                               (double)difference));
    PetscCall(PlexTestReportOf(is, of, "the solver's type follows", "it is another one"));
    PetscCall(PlexHDGDestroy(&new));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoNumber(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  PetscFunctionBegin;
  beta[0] = 1.;
  beta[1] = x[0] > 0.5 ? NAN : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wrong(void *ctx)
{
  const int       what   = *(int *)ctx;
  const PetscReal one[1] = {1.}, still[2] = {0., 0.};
  Case            c = cases[0];
  Convection      p;
  PlexHDG         hdg;

  PetscFunctionBegin;
  if (what == 3) c.kappa = 0.;
  p = Problem(&c);
  PetscCall(Make(PETSC_COMM_WORLD, &c, &p, PLEXBACKENDHOST, &hdg));
  if (what == 0) PetscCall(PlexHDGSetVelocity(hdg, 1, one));
  if (what == 1) PetscCall(PlexHDGSetConvection(hdg, PLEX_HDG_ADVECTIVE, NoNumber, NULL));
  if (what == 2) PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_ksp_type", "cg"));
  if (what == 3) PetscCall(PlexHDGSetVelocity(hdg, 2, still));
  if (what == 4) PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, NULL, NULL));
  if (what == 2) {
    KSP ksp;

    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetType(ksp, KSPCG));
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  int what[] = {0, 1, 2, 3, 4};

  PetscFunctionBegin;
  EXPECT("a velocity of one component in 2D", Wrong, &what[0], "1 components", "dimension 2", "-plex_hdg_velocity");
  EXPECT("a velocity that is no number", Wrong, &what[1], "velocity in cell", "nan", "PlexHDGSetConvection()");
  EXPECT("conjugate gradients with convection", Wrong, &what[2], "type cg", "symmetric", "convection",
         "-plex_hdg_ksp_type");
  EXPECT("kappa zero without convection", Wrong, &what[3], "kappa of cell", "not symmetric and positive definite",
         "-plex_hdg_kappa");
  EXPECT("Neumann's condition everywhere", Wrong, &what[4], "Neumann's condition on all", "not determined", "lambda");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    if (!PlexTestWanted()) continue;
    if (size > 1) PetscCall(TestProcesses(backend, &cases[k]));
    else PetscCall(TestCase(backend, &cases[k]));
  }
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexTestWanted()) PetscCall(TestForms(backend));
  if (PlexTestWanted()) PetscCall(TestTime(backend));
  if (PlexTestWanted()) PetscCall(TestChanges(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  PetscCall(TestMessages());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
