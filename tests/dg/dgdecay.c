static char
  help[] = "Fields of nodal DG that decay linearly, as E in conductors: low-storage schemes take that exactly, "
           "with their order and with the step of the vacuum.\n\n";

#include "dgproblem.h"
#include "mixedmesh.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

static const Way hostWay = {PLEXBACKENDHOST, PLEXDGAUTO, PLEX_PRECISION_DOUBLE};

static PetscErrorCode Create(DM dm, const char system[], PetscInt N, PetscReal *sigma, const Way *way, PlexDG *dg,
                             Vec *U)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  if (sigma) PetscCall(PlexDGSetCoefficients(*dg, PlexTestConductor, sigma));
  if (!strcmp(system, "drag")) PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, strcmp(system, "drag") ? "pec" : "wall"));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of a TS that the operator has given its method and step: `steps` of them, times factor, or to time T */
typedef struct {
  const char *scheme; /* NULL: the default */
  PetscInt    steps;
  PetscReal   factor, T;
  PetscReal   dt; /* the step, out; or in, where it is not 0 */
} Steps;

static PetscErrorCode March(PlexDG dg, Steps *s, Vec U)
{
  TS ts;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (s->scheme) {
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSPlexLowStorageSetScheme(ts, s->scheme));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  if (s->dt == 0.) PetscCall(TSGetTimeStep(ts, &s->dt));
  PetscCall(TSSetTimeStep(ts, s->dt * s->factor));
  PetscCall(TSSetMaxTime(ts, s->steps ? 1e9 : s->T));
  if (s->steps) PetscCall(TSSetMaxSteps(ts, s->steps));
  PetscCall(TSSetExactFinalTime(ts, s->steps ? TS_EXACTFINALTIME_STEPOVER : TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Exact solutions. S'' + s S' + w2 S = 0 and T = S': where it oscillates S(0) = 0 and T(0) = 1, else the slow mode
   of the two, S(0) = 1 */

typedef struct {
  PetscReal s, w2;
  PetscBool sound; /* drag.h, else maxwell.h */
} Damped;

static void DampedAt(const Damped *d, PetscReal t, PetscReal *S, PetscReal *T)
{
  const PetscReal half = d->s / 2., square = half * half - d->w2;

  if (square < 0.) {
    const PetscReal w = PetscSqrtReal(-square), e = PetscExpReal(-half * t);

    *S = e * PetscSinReal(w * t) / w;
    *T = e * (PetscCosReal(w * t) - half * PetscSinReal(w * t) / w);
  } else {
    const PetscReal r = -d->w2 / (half + PetscSqrtReal(square));

    *S = PetscExpReal(r * t);
    *T = r * *S;
  }
}

/* A mode of a cavity, E_z = sin(pi x) sin(pi y) T with epsilon = mu = 1 and w2 = 2 pi^2; or of sound in it along x, with
   w2 = pi^2 */
static PetscErrorCode Mode(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Damped   *d = (const Damped *)ctx;
  const PetscReal X = PETSC_PI * x[0], Y = PETSC_PI * x[1];
  PetscReal       S, T;

  PetscFunctionBegin;
  DampedAt(d, t, &S, &T);
  if (d->sound) {
    u[0] = -PETSC_PI * PetscCosReal(X) * S;
    u[1] = PetscSinReal(X) * T;
  } else {
    u[2] = PetscSinReal(X) * PetscSinReal(Y) * T;
    u[3] = -PETSC_PI * PetscSinReal(X) * PetscCosReal(Y) * S;
    u[4] = PETSC_PI * PetscCosReal(X) * PetscSinReal(Y) * S;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  SIMPLICES,
  QUADRILATERALS,
  MIXED
} Cells;

static PetscErrorCode Box(Cells cells, PetscInt dim, PetscInt n, DM *dm)
{
  const PetscInt faces[3] = {n, n, n};

  PetscFunctionBegin;
  if (cells == SIMPLICES) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  else if (cells == MIXED) PetscCall(PlexTestMixedDistribute(PLEX_TEST_MIX_RANDOM, n, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0,
                                  PETSC_TRUE, dm));
  if (cells != MIXED) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of the mode over its size */
static PetscErrorCode ModeError(Cells cells, PetscInt dim, PetscInt n, PetscInt N, const Damped *d, const Way *way,
                                PetscReal *error)
{
  const PetscReal T     = 0.5;
  PetscReal       sigma = d->s, size;
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(Box(cells, dim, n, &dm));
  PetscCall(Create(dm, d->sound ? "drag" : "maxwell", N, &sigma, way, &dg, &U));
  PetscCall(PlexDGComputeL2Error(dg, T, Mode, (void *)d, U, &size));
  PetscCall(PlexDGProject(dg, 0., Mode, (void *)d, U));
  PetscCall(March(dg, &(Steps){.factor = 1., .T = T}, U));
  PetscCall(PlexDGComputeL2Error(dg, T, Mode, (void *)d, U, error));
  *error /= size;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMode(Cells cells, PetscInt dim, PetscInt n, const Damped *d, const Way *way)
{
  const PetscInt N = 3;
  PetscReal      error[2], rate;
  char           of[128];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(ModeError(cells, dim, n << k, N, d, way, &error[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s, %s in %" PetscInt_FMT "D, cells %d, rate of decay %g", way->backend,
                          way->type, d->sound ? "drag" : "maxwell", dim, (int)cells, (double)d->s));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < (dim == 2 ? 2e-4 : 1e-3) && rate > N + 0.5), of,
                             "a mode is that of the exact solution", "errors %g, %g, rate %g", (double)error[0],
                             (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The order in time: steps of dt, dt/2, dt/4 against much shorter ones, on one mesh, half of which conducts */

static PetscErrorCode Fields(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[2] = PetscSinReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]);
  u[4] = PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(2. * PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOrder(const char scheme[], PetscReal order, PetscReal decay)
{
  PetscReal sigma = 0., dt, error[3], rate;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, exact;

  PetscFunctionBegin;
  PetscCall(Box(SIMPLICES, 2, 3, &dm));
  PetscCall(Create(dm, "maxwell", 3, &sigma, &hostWay, &dg, &U));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  dt *= 0.5; /* midpoint is stable as well, and the third order's error that of the leading term */
  sigma = -decay / dt;
  PetscCall(PlexDGReset(dg));
  for (int k = 3; k >= 0; --k) { /* the last one of all steps first */
    PetscCall(PlexDGProject(dg, 0., Fields, NULL, U));
    PetscCall(March(dg,
                    &(Steps){.scheme = k < 3 ? scheme : "ck45",
                             .steps  = 16 << (k < 3 ? k : 5),
                             .dt     = dt,
                             .factor = 1. / (1 << (k < 3 ? k : 5))},
                    U));
    if (k == 3) {
      PetscCall(VecDuplicate(U, &exact));
      PetscCall(VecCopy(U, exact));
      continue;
    }
    PetscCall(VecAXPY(U, -1., exact));
    PetscCall(VecNorm(U, NORM_2, &error[k]));
  }
  rate = PetscLog2Real(error[1] / error[2]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, rate of decay times step %g", scheme, (double)decay));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - order) < 0.3), of, "the scheme's order",
                             "errors %g, %g, %g, rate %g", (double)error[0], (double)error[1], (double)error[2],
                             (double)rate));
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All conductivities with the step of the vacuum */

typedef struct {
  PlexDG    dg;
  PetscReal first, last; /* energy of the first state, and of the last one */
  PetscReal most;        /* the largest growth in a step over the first one */
} Energy;

static PetscErrorCode SeeEnergy(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Energy   *e = (Energy *)ctx;
  PetscReal energy;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeEnergy(e->dg, U, &energy));
  if (!step) e->first = e->last = energy;
  e->most = PetscMax(e->most, (energy - e->last) / e->first);
  e->last = energy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt    dim, N;
  PetscBool   half; /* of the box conducts */
  const char *scheme;
  PetscReal   cfl, alpha;
} Stiff;

/* 200 steps from a rough state: the step, and how energy grew at most in one of them */
static PetscErrorCode RunStiff(DM dm, const Stiff *s, PetscReal sigma, PetscReal *dt, Energy *energy)
{
  PetscReal where = s->half ? -sigma : sigma;
  PlexDG    dg;
  Vec       U;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(Create(dm, "maxwell", s->N, &where, &hostWay, &dg, &U));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &s->alpha));
  PetscCall(PlexDGSetCFL(dg, s->cfl));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  if (sigma == 0. || s->scheme) PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  if (s->scheme) PetscCall(TSPlexLowStorageSetScheme(ts, s->scheme));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, dt));
  *energy = (Energy){.dg = dg, .most = -PETSC_INFINITY};
  PetscCall(TSMonitorSet(ts, SeeEnergy, energy, NULL));
  PetscCall(TSSetMaxSteps(ts, 200));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStiff(const Stiff *s)
{
  const PetscReal sigmas[] = {0., 1., 10., 30., 100., 300., 1e3, 1e4, 1e6};
  PetscReal       dt[2], grown = -PETSC_INFINITY, worst = 0.;
  PetscBool       same = PETSC_TRUE;
  char            of[128];
  DM              dm;

  PetscFunctionBegin;
  PetscCall(Box(SIMPLICES, s->dim, 2, &dm));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sigmas); ++k) {
    Energy energy;

    PetscCall(RunStiff(dm, s, sigmas[k], &dt[k > 0], &energy));
    if (k) same = (PetscBool)(same && dt[1] == dt[0]);
    if (!(energy.most <= grown)) {
      grown = energy.most;
      worst = sigmas[k];
    }
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, dimension %" PetscInt_FMT ", degree %" PetscInt_FMT ", alpha %g, %s",
                          s->scheme ? s->scheme : "the default", s->dim, s->N, (double)s->alpha,
                          s->half ? "half a conductor" : "a conductor"));
  PetscCall(PlexTestReportOf(same, of, "the step is that of the vacuum", "%g and %g", (double)dt[1], (double)dt[0]));
  PetscCall(PlexTestReportOf((PetscBool)(grown <= 1e-13), of, "energy falls in each step, conductivities to 1e6",
                             "it grows by %g of the first one with %g", (double)grown, (double)worst));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A uniform current where nothing bounds it: E = -J/sigma (1 - exp(-sigma t/epsilon)), with any step */
static PetscErrorCode TestCurrent(PetscReal sigma, const Way *way)
{
  const PetscReal J[3] = {1., -2., 3.}, epsilon = 2.;
  const PetscInt  N = 3, Np = (N + 1) * (N + 2) / 2;
  PetscReal       dt, error = 0.;
  PetscScalar    *u;
  PetscInt        n;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, way->backend));
  PetscCall(PlexDGSetType(dg, way->type));
  PetscCall(PlexDGSetPrecision(dg, way->precision));
  PetscCall(PlexDGSetConstant(dg, "current", 3, J));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(dg, "sigma", 1, &sigma));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  dt = PetscMax(dt, 0.01);
  PetscCall(March(dg, &(Steps){.steps = 7, .factor = 1., .dt = dt}, U));
  PetscCall(VecGetArray(U, &u));
  PetscCall(VecGetLocalSize(U, &n));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt  f     = i / Np % 6;
    const PetscReal exact = f < 3 ? J[f] * expm1(-sigma / epsilon * 7. * dt) : 0.; /* times sigma */

    error = PetscMax(error, PetscAbsScalar(u[i] * sigma - exact));
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s, conductivity %g", way->backend, way->type,
                          PlexPrecisions[way->precision], (double)sigma));
  PetscCall(PlexTestReportOf((PetscBool)(error < (way->precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12)), of,
                             "a current's field is the exact one", "error %g of J/sigma", (double)error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The right half as good as a perfect conductor: the mode of a cavity that is the left half */

static PetscErrorCode Cavity(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal X = 2. * PETSC_PI * x[0], Y = PETSC_PI * x[1], w = PETSC_PI * PetscSqrtReal(5.);

  PetscFunctionBegin;
  if (x[0] > 0.5 + 1e-12) PetscFunctionReturn(PETSC_SUCCESS);
  u[2] = PetscSinReal(X) * PetscSinReal(Y) * PetscCosReal(w * t);
  u[3] = -PETSC_PI / w * PetscSinReal(X) * PetscCosReal(Y) * PetscSinReal(w * t);
  u[4] = 2. * PETSC_PI / w * PetscCosReal(X) * PetscSinReal(Y) * PetscSinReal(w * t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of E_z at nodes left of the middle */
static PetscErrorCode WallError(PetscInt n, PetscInt N, PetscReal T, PetscReal *error)
{
  PetscReal          sigma = -1e6;
  PetscInt           Ne, Np;
  const PetscReal   *x;
  const PetscScalar *u;
  DM                 dm;
  PlexDG             dg;
  Vec                U;

  PetscFunctionBegin;
  PetscCall(Box(SIMPLICES, 2, n, &dm));
  PetscCall(Create(dm, "maxwell", N, &sigma, &hostWay, &dg, &U));
  PetscCall(PlexDGProject(dg, 0., Cavity, NULL, U));
  PetscCall(March(dg, &(Steps){.factor = 1., .T = T}, U));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(VecGetArrayRead(U, &u));
  *error = 0.;
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal *at       = &x[(e * Np + i) * 2];
      PetscScalar      exact[6] = {0.};

      PetscCall(Cavity(2, T, at, 6, exact, NULL));
      if (at[0] < 0.5 - 1e-9) *error = PetscMax(*error, PetscAbsScalar(u[(e * 6 + 2) * Np + i] - exact[2]));
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, error, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWall(PetscInt N)
{
  PetscReal error[2], rate;
  char      of[64];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(WallError(8 << k, N, 0.9, &error[k])); /* one period */
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "degree %" PetscInt_FMT, N));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 0.025 && rate > 0.8), of,
                             "half of conductivity 1e6 reflects as a perfect conductor", "errors %g, %g, rate %g",
                             (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal rates[] = {0.5, 5., 20., 50., 200., 1e3, 1e6};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterDrag());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k) {
    PetscCall(TestMode(SIMPLICES, 2, 3, &(Damped){rates[k], 2. * PETSC_PI * PETSC_PI, PETSC_FALSE}, &hostWay));
    PetscCall(TestMode(QUADRILATERALS, 2, 3, &(Damped){rates[k], PETSC_PI * PETSC_PI, PETSC_TRUE}, &hostWay));
    PetscCall(TestMode(MIXED, 2, 4, &(Damped){rates[k], PETSC_PI * PETSC_PI, PETSC_TRUE}, &hostWay));
  }
  PetscCall(TestMode(SIMPLICES, 3, 2, &(Damped){20., 2. * PETSC_PI * PETSC_PI, PETSC_FALSE}, &hostWay));
  for (PetscReal decay = 0.1; decay < 2.; decay *= 4.) {
    PetscCall(TestOrder("ck45", 4., decay));
    PetscCall(TestOrder("williamson3", 3., decay));
    PetscCall(TestOrder("midpoint", 2., decay));
  }
  for (int half = 0; half < 2; ++half) {
    for (PetscInt N = 1; N < 8; N += 2) PetscCall(TestStiff(&(Stiff){2, N, (PetscBool)half, NULL, 1., 1.}));
    for (PetscInt N = 1; N < 4; N += 2) PetscCall(TestStiff(&(Stiff){3, N, (PetscBool)half, NULL, 1., 1.}));
    PetscCall(TestStiff(&(Stiff){2, 4, (PetscBool)half, NULL, 1., 0.}));
    PetscCall(TestStiff(&(Stiff){2, 4, (PetscBool)half, "williamson3", 0.8, 1.}));
  }
  for (PetscReal sigma = 1e-3; sigma < 2e6; sigma *= 1e3) PetscCall(TestCurrent(sigma, &hostWay));
  for (PetscInt N = 3; N < 5; ++N) PetscCall(TestWall(N));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
