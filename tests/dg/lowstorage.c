static char help[] = "The TS of low-storage Runge-Kutta schemes: their orders, and stages computed by nodal DG "
                     "operators.\n\n";

#include <petsc/private/tsimpl.h>
#include "dgproblem.h"
#include "report.h"

/* u' = -2 t u^2, u(0) = 1: u = 1/(1 + t^2) */
static PetscErrorCode Rate(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  const PetscScalar *u;
  PetscScalar       *r;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayWrite(R, &r));
  r[0] = -2. * t * u[0] * u[0];
  PetscCall(VecRestoreArrayWrite(R, &r));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveEquation(const char scheme[], PetscInt steps, PetscReal *error)
{
  TS                 ts;
  Vec                U;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &U));
  PetscCall(VecSet(U, 1.));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSPlexLowStorageSetScheme(ts, scheme));
  PetscCall(TSSetRHSFunction(ts, NULL, Rate, NULL));
  PetscCall(TSSetTimeStep(ts, 1. / (PetscReal)steps));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecGetArrayRead(U, &u));
  *error = PetscAbsScalar(u[0] - 0.5);
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOrder(const char scheme[], PetscReal order)
{
  PetscReal error[2], rate;

  PetscFunctionBegin;
  PetscCall(SolveEquation(scheme, 20, &error[0]));
  PetscCall(SolveEquation(scheme, 40, &error[1]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - order) < 0.2), scheme, "has its order",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maxwell's wave, and what steps it */
static PetscErrorCode WaveCreate(DM dm, const char backend[], const char type[], PlexPrecision precision, PlexDG *dg,
                                 Vec *U, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(PlexTestWaveCreate(dm, 3, 1., dg));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetType(*dg, type));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexDGProject(*dg, 0., PlexTestWave, *dg, *U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, ts));
  PetscCall(TSSetType(*ts, TSPLEXLOWSTORAGE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maxwell's wave after some steps; of the host by the operator's right-hand sides, of the others by stages */
static PetscErrorCode Step(DM dm, const char backend[], const char type[], PlexPrecision precision, const char scheme[],
                           Vec *U)
{
  PlexDG dg;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(WaveCreate(dm, backend, type, precision, &dg, U, &ts));
  PetscCall(TSPlexLowStorageSetScheme(ts, scheme));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 3));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, *U));
  PetscCall(VecScale(*U, 2.)); /* somebody else changes the state, then two more steps */
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSolve(ts, *U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStages(DM dm, const char backend[], const char type[], PlexPrecision precision,
                                 const char scheme[])
{
  Vec       U, exact;
  PetscReal error, norm;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(Step(dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, scheme, &exact));
  PetscCall(Step(dm, backend, type, precision, scheme, &U));
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(U, -1., exact));
  PetscCall(VecNorm(U, NORM_INFINITY, &error));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s %s", backend, type,
                          precision == PLEX_PRECISION_SINGLE ? "single" : "double", scheme));
  PetscCall(PlexTestReportOf((PetscBool)(error <= (precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12) * norm), of,
                             "the same steps as the host", "difference %g of %g", (double)error, (double)norm));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Error estimates */

/* A TSAdapt that takes note of the error and accepts all steps */
static PetscReal noted;

static PetscErrorCode NoteError(TSAdapt adapt, TS ts, PetscReal h, PetscInt *scheme, PetscReal *next, PetscBool *accept,
                                PetscReal *wlte, PetscReal *wltea, PetscReal *wlter)
{
  PetscInt order;

  PetscFunctionBegin;
  PetscCall(TSEvaluateWLTE(ts, NORM_INFINITY, &order, &noted));
  *scheme = 0;
  *next   = h;
  *accept = PETSC_TRUE;
  *wlte = *wltea = *wlter = -1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateNoting(TSAdapt adapt)
{
  PetscFunctionBegin;
  adapt->ops->choose = NoteError;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LinearRate(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(U, R));
  PetscCall(VecScale(R, -1.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error that is estimated of a step from t = 0.3, with u = 1 there */
static PetscErrorCode EstimateOf(const char scheme[], TSRHSFunctionFn *rate, PetscReal dt)
{
  TS      ts;
  Vec     U;
  TSAdapt adapt;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &U));
  PetscCall(VecSet(U, 1.));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSPlexLowStorageSetScheme(ts, scheme));
  PetscCall(TSSetRHSFunction(ts, NULL, rate, NULL));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, "note"));
  PetscCall(TSSetTolerances(ts, 1., NULL, 0., NULL));
  PetscCall(TSSetTime(ts, 0.3));
  PetscCall(TSSetTimeStep(ts, dt));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An embedded scheme of order p - 1 is off by dt^p in a step; of u' = -u by dt^p/p! */
static PetscErrorCode TestEstimate(const char scheme[], PetscInt order)
{
  PetscReal coarse, rate, taylor = 1.;

  PetscFunctionBegin;
  PetscCall(EstimateOf(scheme, Rate, 0.02));
  coarse = noted;
  PetscCall(EstimateOf(scheme, Rate, 0.01));
  rate = PetscLog2Real(coarse / noted);
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - order) < 0.2), scheme, "the estimated error falls as dt^p",
                             "errors %g, %g, rate %g", (double)coarse, (double)noted, (double)rate));
  PetscCall(EstimateOf(scheme, LinearRate, 0.01));
  for (PetscInt k = 1; k <= order; ++k) taylor *= 0.01 / (PetscReal)k;
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(noted - taylor) < 0.02 * taylor), scheme,
                             "of a linear equation it is dt^p/p!", "%g, not %g", (double)noted, (double)taylor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maxwell's wave with steps by TSAdapt basic, from one that is 20 times too long */
static PetscErrorCode Adapt(DM dm, const char backend[], const char type[], PlexPrecision precision, Vec *U,
                            PetscInt *steps, PetscInt *rejected, PetscReal *error)
{
  PlexDG    dg;
  TS        ts;
  TSAdapt   adapt;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(WaveCreate(dm, backend, type, precision, &dg, U, &ts));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTBASIC));
  PetscCall(TSSetTolerances(ts, 1e-4, NULL, 1e-4, NULL));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, 20. * dt));
  PetscCall(TSSetMaxTime(ts, 10. * dt));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, *U));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(TSGetStepRejections(ts, rejected));
  PetscCall(PlexDGComputeL2Error(dg, 10. * dt, PlexTestWave, dg, *U, error));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAdaptive(DM dm, const char backend[], const char type[], PlexPrecision precision)
{
  Vec       U, exact;
  PetscReal error[2], off, norm;
  PetscInt  steps[2], rejected[2];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(Adapt(dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, &exact, &steps[0], &rejected[0], &error[0]));
  PetscCall(Adapt(dm, backend, type, precision, &U, &steps[1], &rejected[1], &error[1]));
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(U, -1., exact));
  PetscCall(VecNorm(U, NORM_INFINITY, &off));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s, steps by their error", backend, type, PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(rejected[1] > 0 && error[1] < 0.01), of,
                             "a step that is too long is done again",
                             "%" PetscInt_FMT " steps, %" PetscInt_FMT " rejected, error %g", steps[1], rejected[1],
                             (double)error[1]));
  PetscCall(PlexTestReportOf((PetscBool)(steps[0] == steps[1] && rejected[0] == rejected[1] &&
                                         off <= (precision == PLEX_PRECISION_SINGLE ? 1e-4 : 1e-11) * norm),
                             of, "as on the host",
                             "difference %g of %g; %" PetscInt_FMT " and %" PetscInt_FMT " steps, %" PetscInt_FMT
                             " and %" PetscInt_FMT " rejected",
                             (double)off, (double)norm, steps[1], steps[0], rejected[1], rejected[0]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUnknown(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(TSPlexLowStorageSetScheme((TS)ctx, "nosuch"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestUnknown(void)
{
  TS             ts;
  PetscErrorCode ierr;
  char           text[1024];
  char          *names;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexTestTry(SetUnknown, ts, &ierr, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "ck45, williamson3, midpoint or ssp3", &names));
  PetscCall(PlexTestReport((PetscBool)(ierr && names), "an unknown scheme: the message lists the known ones",
                           "error %d: %s", (int)ierr, text));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EstimateOfMeans(void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(EstimateOf("ssp3", LinearRate, 0.1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scheme without an error estimate says so, and what to do */
static PetscErrorCode TestNoEstimate(void)
{
  PetscErrorCode ierr;
  char           text[1024];
  char          *says;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(EstimateOfMeans, NULL, &ierr, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "ssp3 estimates no error: use -ts_adapt_type none", &says));
  PetscCall(PlexTestReport((PetscBool)(ierr && says), "ssp3 with a TSAdapt that asks for an error is one",
                           "error %d: %s", (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;
  DM                 dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(TestOrder("ck45", 4.));
  PetscCall(TestOrder("williamson3", 3.));
  PetscCall(TestOrder("midpoint", 2.));
  PetscCall(TestOrder("ssp3", 3.));
  PetscCall(TestUnknown());
  PetscCall(TSAdaptRegister("note", CreateNoting));
  PetscCall(TestNoEstimate());
  PetscCall(TestEstimate("ck45", 4));
  PetscCall(TestEstimate("williamson3", 3));
  PetscCall(TestEstimate("midpoint", 2));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TETRAHEDRON, 1, &dm));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    PetscCall(TestStages(dm, backends[b], PLEXDGPLAIN, PLEX_PRECISION_DOUBLE, "ck45"));
    PetscCall(TestStages(dm, backends[b], PLEXDGPLAIN, PLEX_PRECISION_DOUBLE, "ssp3"));
    PetscCall(TestAdaptive(dm, backends[b], PLEXDGPLAIN, PLEX_PRECISION_DOUBLE));
    for (int p = 0; p < 2; ++p) PetscCall(TestAdaptive(dm, backends[b], PLEXDGFUSED, (PlexPrecision)p));
    for (int p = 0; p < 2; ++p) PetscCall(TestStages(dm, backends[b], PLEXDGSEPARATE, (PlexPrecision)p, "ck45"));
    for (int p = 0; p < 2; ++p) PetscCall(TestStages(dm, backends[b], PLEXDGSEPARATE, (PlexPrecision)p, "ssp3"));
    for (int p = 0; p < 2; ++p) {
      PetscCall(TestStages(dm, backends[b], PLEXDGFUSED, (PlexPrecision)p, "ck45"));
      PetscCall(TestStages(dm, backends[b], PLEXDGFUSED, (PlexPrecision)p, "midpoint"));
      PetscCall(TestStages(dm, backends[b], PLEXDGFUSED, (PlexPrecision)p, "ssp3"));
    }
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
