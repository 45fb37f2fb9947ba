static char help[] = "Local time steps of nodal DG: orders, conservation, energy, all types, evaluations that they "
                     "save, restarts.\n\n";

#include "gradedbox.h"
#include "problem.h"
#include "report.h"

/* ---- Runs */

typedef struct {
  const char   *system, *boundary; /* NULL: periodic */
  const char   *backend, *type;
  PlexPrecision precision;
  PetscInt      N, levels;
  PetscReal     alpha;
  PetscReal     sigma; /* of maxwell, right of the middle where it is negative */
  const char   *ts;
} Way;

static PetscErrorCode Create(DM dm, const Way *way, PlexDG *dg, Vec *U)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, way->system));
  PetscCall(PlexDGSetDegree(*dg, way->N));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &way->alpha));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetLevels(*dg, way->levels));
  if (way->sigma != 0.) PetscCall(PlexDGSetCoefficients(*dg, PlexTestConductor, (void *)&way->sigma));
  if (way->boundary) PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, way->boundary));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From U to T or, where that is 0, so many steps */
static PetscErrorCode Solve(PlexDG dg, const Way *way, PetscReal T, PetscInt steps, Vec U, PetscInt64 *evaluations,
                            PetscReal *time)
{
  TS        ts;
  TSAdapt   adapt;
  PetscBool rk;

  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetType(ts, way->ts));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rk));
  PetscCall(TSGetAdapt(ts, &adapt));
  if (rk) PetscCall(TSRKSetType(ts, TSRK4));
  if (rk) PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  if (T > 0.) {
    PetscCall(TSSetMaxTime(ts, T));
    PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  } else {
    PetscCall(TSSetMaxSteps(ts, steps));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  }
  PetscCall(TSSolve(ts, U));
  if (evaluations) PetscCall(TSPlexMultirateGetEvaluations(ts, evaluations));
  if (time) PetscCall(TSGetTime(ts, time));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Order */

/* Sound along the diagonal: p = sin k(x + y - sqrt(2) t), k = 2 pi, with rho = kappa = 1 */
static PetscErrorCode Sound(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscSinReal(2. * PETSC_PI * (x[0] + x[1] - PetscSqrtReal(2.) * t));
  u[1] = u[2] = u[0] / PetscSqrtReal(2.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetError(PetscInt n, PetscReal strength, const Way *way, PetscInt *levels, PetscReal *error)
{
  const PetscReal T = 0.4;
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, n, PETSC_TRUE, strength, &dm));
  PetscCall(Create(dm, way, &dg, &U));
  PetscCall(PlexDGGetLevelSizes(dg, levels, NULL, NULL));
  PetscCall(PlexDGProject(dg, 0., Sound, NULL, U));
  PetscCall(Solve(dg, way, T, 0, U, NULL, NULL));
  PetscCall(PlexDGComputeL2Error(dg, T, Sound, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOrder(PetscInt N, PetscInt levels, PetscReal alpha)
{
  const PetscReal strength = levels > 2 ? 0.7 : 0.5;
  const PetscInt  n[2]     = {N > 2 ? 6 : 8, N > 2 ? 12 : 16};
  Way             way      = {"acoustics", NULL,   PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE,
                              N,           levels, alpha,           0.,         TSPLEXMULTIRATE};
  PetscReal       error[2], global, rate, least = PetscMin(N + 1, 4);
  PetscInt        found[2];
  char            of[128];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(GetError(n[k], strength, &way, &found[k], &error[k]));
  way.levels = 1;
  way.ts     = TSPLEXLOWSTORAGE;
  PetscCall(GetError(n[1], strength, &way, &found[0], &global));
  rate = PetscLog2Real(error[0] / error[1]);
  if (alpha == 0.) --least; /* of the mean flux: N, or N + 1 */
  PetscCall(PetscSNPrintf(of, sizeof(of), "degree %" PetscInt_FMT ", %" PetscInt_FMT " levels, alpha %g", N, levels,
                          (double)alpha));
  PetscCall(PlexTestReportOf((PetscBool)(rate > least - 0.25), of, "has its order", "errors %g, %g, rate %g",
                             (double)error[0], (double)error[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 1.15 * global), of, "is as accurate as with one step",
                             "error %g, with one step %g", (double)error[1], (double)global));
  PetscCall(PlexTestReportOf((PetscBool)(found[1] == levels), of, "there are levels", "%" PetscInt_FMT, found[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Conservation and energy */

static PetscErrorCode TestConservation(const char system[], PetscReal alpha)
{
  const Way way = {system, NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, 3, 4, alpha, 0., TSPLEXMULTIRATE};
  PetscReal before[PLEX_DG_MAX_FIELDS], after[PLEX_DG_MAX_FIELDS], energy[2], norm, most = 0.;
  PetscInt  Nf, levels;
  DM        dm;
  PlexDG    dg;
  Vec       U;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, 6, PETSC_TRUE, 0.8, &dm));
  PetscCall(Create(dm, &way, &dg, &U));
  PetscCall(PlexDGGetFields(dg, &Nf, NULL));
  PetscCall(PlexDGGetLevelSizes(dg, &levels, NULL, NULL));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, before));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  norm = PetscSqrtReal(2. * energy[0]); /* of a box of size 1: the root mean square of all fields together */
  PetscCall(Solve(dg, &way, 0., 500, U, NULL, NULL));
  PetscCall(PlexDGComputeIntegrals(dg, U, after));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  for (PetscInt f = 0; f < Nf; ++f) most = PetscMax(most, PetscAbsReal(after[f] - before[f]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, alpha %g, %" PetscInt_FMT " levels", system, (double)alpha, levels));
  PetscCall(PlexTestReportOf((PetscBool)(levels > 2 && most <= 1e-13 * norm), of, "totals stay", "by %g of %g",
                             (double)most, (double)norm));
  /* what is not resolved in time is damped, with any flux */
  PetscCall(PlexTestReportOf((PetscBool)(energy[1] <= energy[0] * (1. + 1e-12) && energy[1] > 0.), of,
                             "energy does not grow", "%g, %g", (double)energy[0], (double)energy[1]));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All types, and all processes */

static PetscErrorCode Run(DM dm, const Way *way, Vec *U, PetscReal numbers[5])
{
  PetscInt levels, curved;
  PlexDG   dg;

  PetscFunctionBegin;
  PetscCall(Create(dm, way, &dg, U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, *U));
  PetscCall(Solve(dg, way, 0., 4, *U, NULL, &numbers[2]));
  PetscCall(VecNorm(*U, NORM_2, &numbers[0]));
  PetscCall(PlexDGComputeEnergy(dg, *U, &numbers[1]));
  PetscCall(PlexDGGetLevelSizes(dg, &levels, NULL, NULL));
  PetscCall(PlexDGGetCurved(dg, &curved));
  numbers[3] = (PetscReal)levels;
  numbers[4] = 1. + (PetscReal)curved;
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NameWay(const Way *way, PetscInt dim, size_t size, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size,
                          "%s in %" PetscInt_FMT "D, %s %s %s, degree %" PetscInt_FMT ", %" PetscInt_FMT
                          " levels, sigma %g",
                          way->system, dim, way->backend, way->type, PlexPrecisions[way->precision], way->N,
                          way->levels, (double)way->sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(DM dm, DM whole, PetscBool curved, const Way *way)
{
  const PetscBool isSingle = (PetscBool)(way->precision == PLEX_PRECISION_SINGLE);
  Way             host     = *way;
  PetscReal       numbers[3][5], error, worst = 0.;
  PetscInt        dim;
  Vec             U, exact;
  char            of[256];

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(NameWay(way, dim, sizeof(of), of));
  if (curved) PetscCall(PetscStrlcat(of, ", curved", sizeof(of)));
  host.backend   = PLEXBACKENDHOST;
  host.type      = PLEXDGHOST;
  host.precision = PLEX_PRECISION_DOUBLE;
  PetscCall(Run(dm, &host, &exact, numbers[0]));
  PetscCall(Run(dm, way, &U, numbers[1]));
  PetscCall(VecAXPY(U, -1., exact));
  PetscCall(VecNorm(U, NORM_2, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= (isSingle ? 2e-5 : 1e-12) * numbers[0][0] && numbers[1][3] > 1. &&
                                         curved == (PetscBool)(numbers[1][4] > 1.)),
                             of, "the host's steps", "difference %g of %g, %g levels, %g curved", (double)error,
                             (double)numbers[0][0], (double)numbers[1][3], (double)(numbers[1][4] - 1.)));
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&U));
  if (isSingle) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Run(whole, way, &U, numbers[2]));
  PetscCall(VecDestroy(&U));
  for (int k = 0; k < 5; ++k) worst = PetscMax(worst, PetscAbsReal(numbers[1][k] / numbers[2][k] - 1.));
  PetscCall(PlexTestReportOf((PetscBool)(worst <= 1e-12), of, "several processes do as one", "difference %g",
                             (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWays(const char backend[])
{
  const PetscBool   host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGFUSED};

  PetscFunctionBegin;
  for (int mesh = 0; mesh < 3; ++mesh) { /* triangles, tetrahedra, curved triangles */
    DM dm, whole;

    PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, mesh == 1 ? 3 : 2, mesh == 1 ? 3 : 6, PETSC_FALSE, 0.75, &dm));
    PetscCall(PlexTestGradedBox(PETSC_COMM_SELF, mesh == 1 ? 3 : 2, mesh == 1 ? 3 : 6, PETSC_FALSE, 0.75, &whole));
    if (mesh == 2) PetscCall(PlexTestCurve(dm, 2));
    if (mesh == 2) PetscCall(PlexTestCurve(whole, 2));
    for (int t = 0; t < (host ? 1 : 2); ++t)
      for (int p = 0; p < (mesh == 2 ? 1 : 2); ++p) {
        const Way way = {mesh ? "maxwell" : "acoustics",
                         mesh ? "impedance:0.6" : "wall",
                         backend,
                         types[t],
                         (PlexPrecision)p,
                         mesh ? 2 : 3,
                         3,
                         1.,
                         mesh == 1 ? -10. : 0.,
                         TSPLEXMULTIRATE};

        PetscCall(TestWay(dm, whole, (PetscBool)(mesh == 2), &way));
      }
    PetscCall(DMDestroy(&whole));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestWays(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One level */

/* The steps of the classical Runge-Kutta method */
static PetscErrorCode TestOneLevel(void)
{
  Way way = {"elastic", "free", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, 2, 1, 1., 0., TSPLEXMULTIRATE};
  PetscReal  error, norm, times[2];
  DM         dm;
  PlexDG     dg[2];
  Vec        U[2];
  PetscInt64 evaluations;

  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, 4, PETSC_FALSE, 0.5, &dm));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(dm, &way, &dg[k], &U[k]));
    PetscCall(PlexDGProject(dg[k], 0., PlexTestRough, NULL, U[k]));
    PetscCall(Solve(dg[k], &way, 0., 10, U[k], k ? NULL : &evaluations, &times[k]));
    way.ts = TSRK;
  }
  PetscCall(VecNorm(U[1], NORM_2, &norm));
  PetscCall(VecAXPY(U[0], -1., U[1]));
  PetscCall(VecNorm(U[0], NORM_2, &error));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-12 * norm && times[0] == times[1]),
                           "one level: steps of the classical Runge-Kutta method", "difference %g of %g, times %g, %g",
                           (double)error, (double)norm, (double)times[0], (double)times[1]));
  PetscCall(PlexTestReport((PetscBool)(evaluations == 10 * 4 * 32), "one level: evaluations", "%" PetscInt64_FMT,
                           evaluations));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&U[k]));
    PetscCall(PlexDGDestroy(&dg[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Evaluations */

/* Moves vertices at x = j/n, so that one of n columns is 1/8 as wide: 1 % of the triangles have a radius 5 times smaller */
static PetscErrorCode Squeeze(DM dm, PetscInt n)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     size;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < size; i += 2) {
    const PetscReal j = PetscRealPart(x[i]) * (PetscReal)n, middle = (PetscReal)(n / 2);

    x[i] = (j > middle + 0.5 ? j - 0.875 : j) / (PetscReal)n;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of elements per unit of time, with ck45 and its default step, over those of the levels */
static PetscErrorCode TestEvaluations(void)
{
  const PetscInt n   = 100;
  const Way      way = {"acoustics", "wall", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, 1, 6,
                        1.,          0.,     TSPLEXMULTIRATE};
  PetscReal      dt, factor, time, gain;
  PetscInt64     elements[12], evaluations, total = 0, ne = 2 * n * n;
  PetscInt       levels;
  DM             dm;
  PlexDG         dg;
  Vec            U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, n, PETSC_FALSE, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(Squeeze(dm, n));
  PetscCall(Create(dm, &way, &dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGGetLevelSizes(dg, &levels, elements, &factor));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(Solve(dg, &way, 0., 1, U, &evaluations, &time));
  for (PetscInt l = 0; l < levels; ++l) total += elements[l];
  PetscCall(PlexTestReport((PetscBool)(total == ne && PetscAbsReal(time / dt / factor - 1.) < 1e-12),
                           "slivers: all elements have a level",
                           "%" PetscInt64_FMT " of %" PetscInt64_FMT ", step %g of %g, factor %g", total, ne,
                           (double)time, (double)dt, (double)factor));
  gain = 5. * (PetscReal)ne / dt / ((PetscReal)evaluations / time);
  PetscCall(PlexTestReport((PetscBool)(gain >= 2.5), "slivers: at least 2.5 times fewer evaluations than ck45",
                           "%g times", (double)gain));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Restart */

/* Six steps at once, or three, and three of another operator and TS, with a step that ends at another time in between */
static PetscErrorCode TestRestart(void)
{
  const Way way = {"maxwell", "absorbing", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, 2, 4,
                   1.,        0.,          TSPLEXMULTIRATE};
  DM        dm;
  Vec       U[2];
  PetscBool same;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexTestOwnFile("dgmultirate", "h5", sizeof(file), file));
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, 5, PETSC_FALSE, 0.8, &dm));
  for (int k = 0; k < 2; ++k)
    for (int part = 0; part <= k; ++part) {
      PlexDG dg;
      TS     ts;
      Vec    V;

      PetscCall(Create(dm, &way, &dg, &V));
      PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
      PetscCall(TSSetType(ts, way.ts));
      PetscCall(PlexDGSetTS(dg, ts));
      PetscCall(TSSetMaxTime(ts, 1e9));
      PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
      PetscCall(TSSetMaxSteps(ts, k && !part ? 3 : 6));
      if (!part) PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, V));
#if PetscDefined(HAVE_HDF5)
      else PetscCall(PlexDGLoadCheckpoint(dg, ts, file, V));
#else
      else {
        PetscCall(VecCopy(U[1], V));
        PetscCall(TSSetStepNumber(ts, 3));
        PetscCall(VecDestroy(&U[1]));
      }
#endif
      PetscCall(TSSolve(ts, V));
#if PetscDefined(HAVE_HDF5)
      if (k && !part) {
        PetscCall(PlexDGSaveCheckpoint(dg, ts, V, file));
        PetscCall(VecDestroy(&V));
      }
#endif
      U[k] = V;
      PetscCall(TSDestroy(&ts));
      PetscCall(PlexDGDestroy(&dg));
    }
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(VecEqual(U[0], U[1], &same));
  PetscCall(PlexTestReport(same, "restart: the same bits", "other ones"));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&U[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages */

typedef struct {
  DM          dm;
  const char *system, *boundary, *type, *backend, *adapt;
  PetscBool   quadrature, levels, gas;
  PetscBool   dispersive;
} Wrong;

/* A gas at rest */
static PetscErrorCode Rest(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < Nf; ++f) u[f] = f == 0 || f == Nf - 1 ? 1. : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunWrong(void *ctx)
{
  const Wrong    *w        = (const Wrong *)ctx;
  const PetscReal poles[2] = {0., 1.};
  PlexDG          dg;
  Vec             U;
  TS              ts;
  TSAdapt         adapt;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(w->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, w->system ? w->system : "maxwell"));
  PetscCall(PlexDGSetBackend(dg, w->backend ? w->backend : PLEXBACKENDHOST));
  if (w->type) PetscCall(PlexDGSetType(dg, w->type));
  if (w->quadrature) PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  if (w->levels) PetscCall(PlexDGSetLevels(dg, 2));
  if (w->dispersive) PetscCall(PlexDGAddDispersion(dg, NULL, PETSC_DETERMINE, "drude", 2, poles));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, w->boundary ? w->boundary : "pec"));
  PetscCall(PlexDGCreateVec(dg, &U));
  if (w->gas) PetscCall(PlexDGProject(dg, 0., Rest, NULL, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXMULTIRATE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetAdapt(ts, &adapt));
  if (w->adapt) PetscCall(TSAdaptSetType(adapt, w->adapt));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetTooMany(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetLevels((PlexDG)ctx, 13));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunWithout(void *ctx)
{
  TS  ts;
  Vec U;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXMULTIRATE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(TSSetUp(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step after the first one of a TS whose type is set before PlexDGSetTS(), or behind it, when the TS has another one
   by default */
static PetscErrorCode GetStep(DM dm, PetscBool behind, PetscReal *dt)
{
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetDegree(dg, 7));
  PetscCall(PlexDGSetLevels(dg, 2));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  if (!behind) PetscCall(TSSetType(ts, TSPLEXMULTIRATE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  if (behind) PetscCall(TSSetType(ts, TSPLEXMULTIRATE));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTimeStep(ts, dt));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLateType(void)
{
  DM        dm;
  PetscReal dt[2];

  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, 3, PETSC_FALSE, 0.9, &dm));
  for (int k = 0; k < 2; ++k) PetscCall(GetStep(dm, (PetscBool)k, &dt[k]));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestReport((PetscBool)(dt[0] == dt[1]), "degree 7: the step of a type that is set behind PlexDGSetTS()",
                           "%.16g, and %.16g before", (double)dt[1], (double)dt[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  DM        dm;
  PlexDG    dg;
  PetscBool emulate;

  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(PETSC_COMM_WORLD, 2, 3, PETSC_FALSE, 0.5, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  EXPECT("too many levels", SetTooMany, dg, "-plex_dg_levels", "13");
  PetscCall(PlexDGDestroy(&dg));
  EXPECT("no operator", RunWithout, NULL, "PlexDGSetTS()");
  EXPECT("a dispersive medium", RunWrong, (&(Wrong){.dm = dm, .dispersive = PETSC_TRUE}), "memory variables",
         "-ts_type lowstorage");
  EXPECT("a system that is not linear", RunWrong,
         (&(Wrong){.dm = dm, .system = "euler", .boundary = "wall", .gas = PETSC_TRUE}), "linear systems", "euler");
  EXPECT("steps by the error", RunWrong, (&(Wrong){.dm = dm, .adapt = TSADAPTBASIC}), "-ts_adapt_type none");
  EXPECT("quadrature", RunWrong,
         (&(Wrong){.dm = dm, .system = "acoustics_uniform", .boundary = "wall", .quadrature = PETSC_TRUE}),
         "-plex_dg_discretization nodal");
  EXPECT("levels with quadrature", RunWrong,
         (&(Wrong){.dm         = dm,
                   .system     = "acoustics_uniform",
                   .boundary   = "wall",
                   .quadrature = PETSC_TRUE,
                   .levels     = PETSC_TRUE}),
         "-plex_dg_levels", "nodal");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  if (emulate)
    EXPECT("type separate", RunWrong, (&(Wrong){.dm = dm, .type = PLEXDGSEPARATE, .backend = PLEXBACKENDEMULATE}),
           "-plex_dg_type separate", "fused");
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestWays, TestHost));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt N = 1; N <= 4 && size == 1; ++N)
    for (PetscInt levels = 2; levels <= 3; ++levels) PetscCall(TestOrder(N, levels, 1.));
  PetscCall(TestOrder(3, 3, 0.));
  for (int k = 0; k < 2; ++k) {
    PetscCall(TestConservation("acoustics", (PetscReal)k));
    PetscCall(TestConservation("advection", (PetscReal)k));
    PetscCall(TestConservation("maxwell", (PetscReal)k));
  }
  PetscCall(TestOneLevel());
  PetscCall(TestEvaluations());
  PetscCall(TestRestart());
  PetscCall(TestLateType());
  PetscCall(TestMessages());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
