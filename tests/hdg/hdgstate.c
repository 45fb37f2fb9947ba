static char help[] = "Hybridized DG: kappa at points, kappa(u) by Newton's method in SNES, time-dependent problems "
                     "in TS.\n\n";

#include "hdgproblem.h"
#include "report.h"
#include <petscts.h>

/* u = 1 + sin(s)/2, s = a . x + c t; q = (1 + b u^2) T grad u, or with 1 + b (x . x) in that place; du/dt - div
   q + lambda u = f */
typedef struct {
  PetscReal c, b, lambda, time;
  PetscBool nonlinear, steady;
} Problem;

static const PetscReal a[2] = {2.2, -1.3}, T[4] = {1.5, 0.3, 0.3, 1.};

static PetscReal Phase(const Problem *p, const PetscReal x[])
{
  return a[0] * x[0] + a[1] * x[1] + p->c * p->time;
}

/* and its derivative by u, or along a by T a */
static PetscReal Factor(const Problem *p, const PetscReal x[], PetscReal u, PetscReal *slope)
{
  *slope = p->nonlinear ? 2. * p->b * u : 0.;
  return 1. + p->b * (p->nonlinear ? u * u : x[0] * x[0] + x[1] * x[1]);
}

static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscReal       d;
  const PetscReal v = Factor((Problem *)ctx, x, u, &d);

  PetscFunctionBegin;
  for (int k = 0; k < 4; ++k) {
    kappa[k] = v * T[k];
    slope[k] = d * T[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1. + 0.5 * PetscSinReal(Phase((Problem *)ctx, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExactFlux(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const PetscReal s = Phase((Problem *)ctx, x);
  PetscReal       d, v;

  PetscFunctionBegin;
  v = Factor((Problem *)ctx, x, 1. + 0.5 * PetscSinReal(s), &d);
  for (int k = 0; k < 2; ++k) q[k] = v * 0.5 * PetscCosReal(s) * (T[2 * k] * a[0] + T[2 * k + 1] * a[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem  *p = (Problem *)ctx;
  const PetscReal s = Phase(p, x), u = 1. + 0.5 * PetscSinReal(s), du = 0.5 * PetscCosReal(s),
                  ddu   = -0.5 * PetscSinReal(s);
  const PetscReal Ta[2] = {T[0] * a[0] + T[1] * a[1], T[2] * a[0] + T[3] * a[1]}, aTa = a[0] * Ta[0] + a[1] * Ta[1];
  PetscReal       d, v;

  PetscFunctionBegin;
  v    = Factor(p, x, u, &d);
  f[0] = p->lambda * u - v * ddu * aTa -
         (p->nonlinear ? d * du * du * aTa : 2. * p->b * (x[0] * Ta[0] + x[1] * Ta[1]) * du) +
         (p->steady ? 0. : p->c * du);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Exact(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Robin's condition with alpha = 0.7 */
static PetscErrorCode Mixed(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscScalar u, q[2];

  PetscFunctionBegin;
  PetscCall(Exact(dim, x, 1, &u, ctx));
  PetscCall(ExactFlux(dim, x, 2, q, ctx));
  g[0] = q[0] * normal[0] + q[1] * normal[1] + (n > 1 ? 0.7 * u : 0.);
  if (n > 1) g[1] = 0.7;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, const char backend[], PlexHDG *hdg)
{
  PlexTestWaves w;
  KSP           ksp;
  PC            pc;
  PetscMPIInt   size;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 1., PETSC_FALSE, PETSC_TRUE, &w); /* labels the boundary */
  PetscCall(PlexTestHDGCreate(dm, P, &w, backend, hdg));
  PetscCall(PlexHDGSetDiffusion(*hdg, 1., p->lambda));
  PetscCall(PlexHDGSetTau(*hdg, 10.));
  PetscCall(PlexHDGSetSource(*hdg, Source, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, p));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 1, PLEX_HDG_NEUMANN, Mixed, p));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 2, PLEX_HDG_ROBIN, Mixed, p));
  PetscCall(PlexHDGSetPointwise(*hdg, Kappa, p->nonlinear, p));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &size));
  PetscCall(PCSetType(pc, size > 1 ? PCPBJACOBI : PCLU));
  if (size == 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(KSPSetTolerances(ksp, 1e-13, 1e-50, PETSC_CURRENT, 5000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residuals of Newton's method from zero */
static PetscErrorCode SolveNewton(PlexHDG hdg, PetscInt *n, PetscReal norms[])
{
  SNES                snes;
  Vec                 X;
  PetscReal          *history;
  SNESConvergedReason reason;
  PetscInt            size;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PetscObjectComm((PetscObject)hdg), &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-11, 1e-13, 30, 1000));
  PetscCall(SNESSetConvergenceHistory(snes, NULL, NULL, 40, PETSC_TRUE));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(PlexTestReport((PetscBool)(reason > 0), "Newton's method converges", "%s", SNESConvergedReasons[reason]));
  PetscCall(SNESGetConvergenceHistory(snes, &history, NULL, &size));
  *n = PetscMin(size, 40);
  PetscCall(PetscArraycpy(norms, history, *n));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(DMPolytopeType cell, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, dm));
  for (PetscInt r = 0; r < level; ++r) PetscCall(PlexTestRefine(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of u, q and u*; of kappa(u) the steps of Newton's method, too */
static PetscErrorCode TestRates(const char backend[], DMPolytopeType cell, PetscInt P, PetscBool nonlinear)
{
  Problem   p = {0., 0.4, 0.6, 0.2, nonlinear, PETSC_TRUE};
  PetscReal error[2][3], norms[40], rate[3], worst = 0., jump;
  char      of[128];
  PetscInt  n = 0, steps = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT ", %s", backend, DMPolytopeTypes[cell], P,
                          nonlinear ? "kappa(u)" : "kappa(x)"));
  for (PetscInt level = 0; level < 2; ++level) {
    PlexHDG hdg;
    DM      dm;

    PetscCall(MakeMesh(cell, level, &dm));
    PetscCall(Create(dm, P, &p, backend, &hdg));
    if (nonlinear) PetscCall(SolveNewton(hdg, &n, norms));
    else {
      PetscCall(PlexHDGSolve(hdg));
      PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
      PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "the normal flux does not jump", "%g", (double)jump));
    }
    PetscCall(PlexHDGComputeL2Error(hdg, Exact, ExactFlux, &p, error[level]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) rate[k] = PetscLog2Real(error[0][k] / error[1][k]);
  PetscCall(PlexTestReportOf((PetscBool)(rate[0] > P + 0.6 && rate[1] > P + 0.6 && rate[2] > P + 1.5), of,
                             "rates of u, q and u*", "errors of the finer mesh %g, %g, %g, rates %g, %g, %g",
                             (double)error[1][0], (double)error[1][1], (double)error[1][2], (double)rate[0],
                             (double)rate[1], (double)rate[2]));
  if (!nonlinear) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k + 1 < n; ++k) { /* |r_k+1| <= C |r_k|^2 where neither the beginning nor rounding counts */
    if (norms[k] > 0.1 * norms[0] || norms[k + 1] < 1e-12) continue;
    worst = PetscMax(worst, norms[k + 1] / norms[k] / norms[k]);
    ++steps;
  }
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: residual %" PetscInt_FMT " %.3e\n", of, k, (double)norms[k]));
  PetscCall(PlexTestReportOf((PetscBool)(steps >= 2 && worst < 1. && norms[n - 1] < 1e-11 * norms[0] && n <= 9), of,
                             "Newton's method converges quadratically",
                             "%" PetscInt_FMT " steps, |r|/|r before|^2 up to %g, last residual %g", steps,
                             (double)worst, (double)norms[n - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of two solutions' u over the largest of the second */
static PetscErrorCode Difference(PlexHDG one, PlexHDG two, PetscReal *difference)
{
  Vec       u[2], w;
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetSolution(one, NULL, NULL, NULL, &u[0]));
  PetscCall(PlexHDGGetSolution(two, NULL, NULL, NULL, &u[1]));
  PetscCall(VecDuplicate(u[1], &w));
  PetscCall(VecCopy(u[0], w));
  PetscCall(VecAXPY(w, -1., u[1]));
  PetscCall(VecNorm(w, NORM_INFINITY, difference));
  PetscCall(VecNorm(u[1], NORM_INFINITY, &size));
  *difference /= size;
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear problem by one step of Newton's method is what PlexHDGSolve() finds; affine elements, and the same by
   quadrature */
static PetscErrorCode TestLinear(const char backend[], DMPolytopeType cell)
{
  Problem   p = {0., 0., 0.6, 0.2, PETSC_FALSE, PETSC_TRUE};
  PlexHDG   hdg[3];
  DM        dm;
  PetscReal norms[40], difference[2];
  PetscInt  n;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, DMPolytopeTypes[cell]));
  PetscCall(MakeMesh(cell, 0, &dm));
  for (int k = 0; k < 3; ++k) PetscCall(Create(dm, 2, &p, backend, &hdg[k]));
  PetscCall(PlexHDGSetPointwise(hdg[1], NULL, PETSC_FALSE, NULL));
  PetscCall(PlexHDGSetPointwise(hdg[2], NULL, PETSC_FALSE, NULL));
  PetscCall(PlexHDGSolve(hdg[1]));
  PetscCall(SolveNewton(hdg[2], &n, norms));
  PetscCall(Difference(hdg[2], hdg[1], &difference[0]));
  PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-10 && norms[1] < 1e-10 * norms[0]), of,
                             "SNES solves a linear problem in one step", "differences %g, residuals %g, %g",
                             (double)difference[0], (double)norms[0], (double)norms[1]));
  PetscCall(SolveNewton(hdg[0], &n, norms));
  /* of T, which is no multiple of the identity, against kappa = 1: they differ */
  PetscCall(Difference(hdg[0], hdg[1], &difference[1]));
  PetscCall(PlexTestReportOf((PetscBool)(difference[1] > 1e-3 && norms[1] < 1e-10 * norms[0]), of,
                             "and one with a tensor at points", "differences %g, residuals %g, %g",
                             (double)difference[1], (double)norms[0], (double)norms[1]));
  for (int k = 0; k < 3; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of two time steps, whose order is that of the method: those in space are far less */
static PetscErrorCode TestTime(const char backend[], TSType type, PetscInt order, PetscBool nonlinear, PetscInt P)
{
  Problem   p = {3., 0.3, 0.5, 0., nonlinear, PETSC_FALSE};
  PetscReal error[2][3];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s of order %" PetscInt_FMT ", %s", backend, type, order,
                          nonlinear ? "kappa(u)" : "kappa(x)"));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    TS      ts;
    Vec     X;
    DM      dm;

    PetscCall(MakeMesh(DM_POLYTOPE_TRIANGLE, 0, &dm));
    p.time = 0.;
    PetscCall(Create(dm, P, &p, backend, &hdg));
    PetscCall(PlexHDGSetTimeVariable(hdg, &p.time));
    PetscCall(PlexHDGCreateStateVec(hdg, &X));
    PetscCall(PlexHDGProjectState(hdg, Exact, &p, X));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetType(ts, type));
    PetscCall(PlexHDGSetTS(hdg, ts));
    if (order > 1) PetscCall(TSBDFSetOrder(ts, order));
    PetscCall(TSSetTimeStep(ts, 0.4 / (8 << k)));
    PetscCall(TSSetMaxTime(ts, 0.4));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    {
      SNES    snes;
      TSAdapt adapt;

      PetscCall(TSGetAdapt(ts, &adapt));
      PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
      PetscCall(TSGetSNES(ts, &snes));
      PetscCall(SNESSetTolerances(snes, 1e-11, 1e-10, 1e-12, 30, 1000));
    }
    PetscCall(TSSolve(ts, X));
    p.time = 0.4;
    PetscCall(PlexHDGSetState(hdg, X));
    PetscCall(PlexHDGComputeL2Error(hdg, Exact, ExactFlux, &p, error[k]));
    PetscCall(VecDestroy(&X));
    PetscCall(TSDestroy(&ts));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(PetscLog2Real(error[0][0] / error[1][0]) - order) < 0.3), of,
                             "errors fall with the time step", "errors %g, %g, order %g", (double)error[0][0],
                             (double)error[1][0], (double)PetscLog2Real(error[0][0] / error[1][0])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool small = (PetscBool)!strcmp(backends[b], PLEXBACKENDEMULATE);

    PetscCall(TestLinear(backends[b], DM_POLYTOPE_TRIANGLE));
    PetscCall(TestLinear(backends[b], DM_POLYTOPE_QUADRILATERAL));
    for (PetscInt P = 1; P <= (small ? 1 : 3); ++P) {
      PetscCall(TestRates(backends[b], DM_POLYTOPE_TRIANGLE, P, PETSC_FALSE));
      PetscCall(TestRates(backends[b], DM_POLYTOPE_TRIANGLE, P, PETSC_TRUE));
    }
    PetscCall(TestRates(backends[b], DM_POLYTOPE_QUADRILATERAL, small ? 1 : 2, PETSC_TRUE));
    if (small) continue;
    PetscCall(TestTime(backends[b], TSBEULER, 1, PETSC_FALSE, 3));
    PetscCall(TestTime(backends[b], TSBDF, 2, PETSC_FALSE, 6));
    PetscCall(TestTime(backends[b], TSBDF, 2, PETSC_TRUE, 6));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
