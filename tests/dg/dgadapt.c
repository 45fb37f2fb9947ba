static char help[] = "Time steps of DG that follow the speed of the state: their lengths, runs whose first step would "
                     "become unstable, the end that is met, what keeps a fixed step.\n\n";

#define PLEX_DG_POINTWISE "tests/dg/swell.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "waterproblem.h"
#include "report.h"

static const char *const     fields[]    = {"u"};
static const char *const     kinds[]     = {"outside"};
static const PlexDGParameter constants[] = {
  {"growth", 1, {1.}}
};

static PetscErrorCode CreateSwell(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char   *system, *backend, *way; /* way NULL: the backend's own choice */
  TSType        type;                   /* NULL: that of PlexDGSetTS() */
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      N;
  PetscBool     dry, fixed; /* land; a step that stays */
  PetscReal     end;
} Case;

/* What a run has done */
typedef struct {
  PlexDG    dg;
  PetscBool fixed;
  PetscInt  steps;
  PetscReal first, least, last; /* steps, but for those that meet the end */
  PetscReal off;                /* of a step to PlexDGComputeTimeStep(), relative */
  PetscReal t, norm, largest;
} Run;

/* A sea of depth 1 to 1.2, or a beach */
static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) k[i] = 0.;
  k[0] = *(const PetscBool *)ctx ? 1.2 - 0.9 * x[0] : 1. + 0.1 * x[0] * x[1];
  if (n > 2) k[2] = 1.; /* scale of tsunami */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A low level, which the boundary raises and lowers again; u = 1, with a wave that is as small as nothing */
#define TIDE      0.85
#define FREQUENCY 2.

static PetscErrorCode Initial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 0.;
  u[0] = Nf > 1 ? -TIDE : 1. + 1e-6 * PetscSinReal(7. * x[0] + 11. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Watch(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Run      *run = (Run *)ctx;
  PetscReal dt, stable, end;

  PetscFunctionBegin;
  if (step < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSGetMaxTime(ts, &end));
  if (!step) run->first = run->least = dt;
  if (run->fixed || t + 2.5 * dt > end) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGComputeTimeStep(run->dg, U, &stable));
  run->off   = PetscMax(run->off, PetscAbsReal(dt / stable - 1.));
  run->least = PetscMin(run->least, dt);
  run->last  = dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(MPI_Comm comm, const Case *c, PlexDG *dg, Vec *U)
{
  const PetscReal elevation = -TIDE, frequency = FREQUENCY, dry = 0.01, manning = 0.03;
  const PetscBool water = (PetscBool)!!strcmp(c->system, "swell");
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(comm, c->quadrilaterals, c->shape, 3, PetscMin(c->N, 2), &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  if (water || c->quadrilaterals) PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  if (water) {
    PetscCall(PlexDGSetCoefficients(*dg, Depth, (void *)&c->dry));
    PetscCall(PlexDGSetConstant(*dg, "elevation", 1, &elevation));
    PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &frequency));
    if (c->dry) PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
    if (!strcmp(c->system, "tsunami")) PetscCall(PlexDGSetConstant(*dg, "manning", 1, &manning));
  }
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, water ? "prescribed" : "outside"));
  if (c->fixed) PetscCall(PlexDGSetAdaptiveStep(*dg, PETSC_FALSE));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGCreateVec(*dg, U));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(PlexDGProject(*dg, 0., Initial, NULL, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeTS(const Case *c, PlexDG dg, Vec U, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), ts));
  PetscCall(TSSetSolution(*ts, U));
  if (c->type) PetscCall(TSSetType(*ts, c->type));
  PetscCall(PlexDGSetTS(dg, *ts));
  PetscCall(TSSetMaxTime(*ts, c->end));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(MPI_Comm comm, const Case *c, Run *run)
{
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(run, sizeof(*run)));
  PetscCall(Create(comm, c, &dg, &U));
  PetscCall(MakeTS(c, dg, U, &ts));
  run->dg    = dg;
  run->fixed = c->fixed;
  PetscCall(TSMonitorSet(ts, Watch, run, NULL));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, &run->t));
  PetscCall(TSGetStepNumber(ts, &run->steps));
  PetscCall(VecNorm(U, NORM_2, &run->norm));
  PetscCall(VecNorm(U, NORM_INFINITY, &run->largest));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const Case *c;
  Run        *run;
} Solved;

static PetscErrorCode SolveCase(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Solve(PETSC_COMM_WORLD, ((Solved *)ctx)->c, ((Solved *)ctx)->run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, %s, %s %s, degree %" PetscInt_FMT "%s%s", c->backend, c->way ? " " : "",
                          c->way ? c->way : "", c->system, PlexTestShapes[c->shape],
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N, c->dry ? ", a beach" : "",
                          c->type ? ", lowstorage" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps are those of the state, which the host computes here; they shrink as the water rises, and grow as it falls; the
   time at the end is exact */
static PetscErrorCode TestSteps(const Case *c)
{
  const PetscBool swell = (PetscBool)!strcmp(c->system, "swell");
  char            of[128];
  Run             run;

  PetscFunctionBegin;
  PetscCall(Solve(PETSC_COMM_WORLD, c, &run));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(run.off < 1e-12 && run.t == c->end && run.steps > 20), of,
                             "each step is that of the state, the end is met",
                             "off by %g, %" PetscInt_FMT " steps to %g", (double)run.off, run.steps, (double)run.t));
  if (swell) {
    const PetscReal u = PetscExpReal(c->end);

    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(run.last / run.first * u - 1.) < 0.1 &&
                                           PetscAbsReal(run.largest / u - 1.) < 1e-4),
                               of, "steps shrink as the speed grows", "%g to %g, u = %.9g of %.9g", (double)run.first,
                               (double)run.last, (double)run.largest, (double)u));
  } else
    PetscCall(PlexTestReportOf((PetscBool)(run.least < 0.8 * run.first && run.last > 1.15 * run.least &&
                                           run.largest < 10.),
                               of, "steps shrink and grow as the speed does",
                               "%g, least %g, %g at the end; largest value %g", (double)run.first, (double)run.least,
                               (double)run.last, (double)run.largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the step of the beginning the same run is unstable: it grows beyond all bounds */
static PetscErrorCode TestFixed(const Case *c)
{
  Case           fixed = *c;
  Run            run;
  char           of[128], text[2048];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  fixed.fixed = PETSC_TRUE;
  PetscCall(PlexTestTry(SolveCase, &(Solved){&fixed, &run}, &ierr, text, sizeof(text)));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(ierr ? !!strstr(text, "grows without bound") : !(run.largest < 100.)), of,
                             "the first step throughout is unstable", "error %d, largest value %g: %s", (int)ierr,
                             ierr ? 0. : (double)run.largest, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As on one process */
static PetscErrorCode TestParallel(const Case *c)
{
  char of[128];
  Run  run, alone;

  PetscFunctionBegin;
  PetscCall(Solve(PETSC_COMM_WORLD, c, &run));
  PetscCall(Solve(PETSC_COMM_SELF, c, &alone));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(run.steps == alone.steps &&
                                         PetscAbsReal(run.least / alone.least - 1.) < 1e-9 &&
                                         PetscAbsReal(run.last / alone.last - 1.) < 1e-9 &&
                                         PetscAbsReal(run.norm / alone.norm - 1.) < 1e-9),
                             of, "as on one process",
                             "%" PetscInt_FMT " and %" PetscInt_FMT
                             " steps, least %.15g and %.15g, norm %.15g and %.15g",
                             run.steps, alone.steps, (double)run.least, (double)alone.least, (double)run.norm,
                             (double)alone.norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  BY_NOTHING,
  BY_PROGRAM, /* TSSetTimeStep() */
  BY_OPTION,  /* -ts_time_step */
  BY_NONE,    /* -ts_adapt_type none */
  BY_LINEAR   /* linear equations */
} Fixed;
static const char *const Fixes[] = {"steps follow where nothing is set", "TSSetTimeStep() keeps its step",
                                    "-ts_time_step keeps its step", "-ts_adapt_type none keeps the first step",
                                    "linear equations keep the first step"};

/* 10 steps: whether they have one length */
static PetscErrorCode TestKept(const char backend[], Fixed by)
{
  const Case      c = {"tsunami", backend, NULL, NULL, PETSC_FALSE, PLEX_TEST_AFFINE, 1, PETSC_FALSE, PETSC_FALSE, 9.};
  const PetscReal half = 0.5, one = 1.;
  PetscReal       first, dt, t;
  char            text[32];
  PlexDG          dg;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, &c, &dg, &U));
  if (by == BY_LINEAR) PetscCall(PlexDGReset(dg));
  if (by == BY_LINEAR) PetscCall(PlexDGSetConstant(dg, "linear", 1, &one));
  PetscCall(MakeTS(&c, dg, U, &ts));
  PetscCall(TSGetTimeStep(ts, &first));
  if (by == BY_PROGRAM || by == BY_OPTION) first *= half;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%.17g", (double)first));
  if (by == BY_PROGRAM) PetscCall(TSSetTimeStep(ts, first));
  if (by == BY_OPTION) PetscCall(PetscOptionsSetValue(NULL, "-ts_time_step", text));
  if (by == BY_NONE) PetscCall(PetscOptionsSetValue(NULL, "-ts_adapt_type", TSADAPTNONE));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PetscOptionsClearValue(NULL, "-ts_time_step"));
  PetscCall(PetscOptionsClearValue(NULL, "-ts_adapt_type"));
  PetscCall(TSSetMaxSteps(ts, 10));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(PlexTestReportOf((PetscBool)((dt == first && PetscAbsReal(t / first - 10.) < 1e-9) == (by != BY_NOTHING)),
                             backend, Fixes[by], "%g at first, %g after 10 steps, t = %g", (double)first, (double)dt,
                             (double)t));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step within which the speed grows too much is done again: of the swell at ten times its growth, which makes a first
   step of the degree 1 double the speed */
static PetscErrorCode TestRejection(const char backend[])
{
  const Case      c = {"swell", backend, NULL, NULL, PETSC_FALSE, PLEX_TEST_AFFINE, 1, PETSC_FALSE, PETSC_FALSE, 0.1};
  const PetscReal growth = 10.;
  PetscReal       first, largest, t;
  PetscInt        rejections;
  PlexDG          dg;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, &c, &dg, &U));
  PetscCall(PlexDGSetConstant(dg, "growth", 1, &growth));
  PetscCall(PlexDGProject(dg, 0., Initial, NULL, U));
  PetscCall(MakeTS(&c, dg, U, &ts));
  PetscCall(TSGetTimeStep(ts, &first));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(TSGetStepRejections(ts, &rejections));
  PetscCall(VecNorm(U, NORM_INFINITY, &largest));
  PetscCall(PlexTestReportOf((PetscBool)(rejections > 0 && t == c.end &&
                                         PetscAbsReal(largest / PetscExpReal(growth * c.end) - 1.) < 1e-3),
                             backend, "a step that gets too long is done again",
                             "%" PetscInt_FMT " rejections, first step %g, u = %g", rejections, (double)first,
                             (double)largest));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool host   = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const PetscReal tide   = 2. * PETSC_PI / FREQUENCY;
  const char     *ways[] = {"fused", "kernels"};
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt q = 0; q < 2; ++q) {
    const char *way     = host ? NULL : ways[q];
    const Case  cases[] = {
      {"swell",         backend, way,  NULL,             (PetscBool)q, PLEX_TEST_AFFINE,   2, PETSC_FALSE, PETSC_FALSE, 2.5 },
      {"swell",         backend, way,  TSPLEXLOWSTORAGE, (PetscBool)q, PLEX_TEST_AFFINE,   1, PETSC_FALSE, PETSC_FALSE, 2.5 },
      {"shallow_water", backend, way,  NULL,             (PetscBool)q, PLEX_TEST_CURVED,   2, PETSC_FALSE, PETSC_FALSE, tide},
      {"tsunami",       backend, NULL, TSPLEXLOWSTORAGE, (PetscBool)q, PLEX_TEST_STRAIGHT, 2, PETSC_FALSE, PETSC_FALSE, tide},
      {"tsunami",       backend, NULL, NULL,             (PetscBool)q, PLEX_TEST_AFFINE,   1, PETSC_TRUE,  PETSC_FALSE, tide}
    };

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      if (size > 1) PetscCall(TestParallel(&cases[k]));
      else PetscCall(TestSteps(&cases[k]));
    }
    for (size_t k = 0; k < 3 && size == 1; k += 2) PetscCall(TestFixed(&cases[k]));
  }
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (Fixed by = BY_NOTHING; by <= BY_LINEAR; ++by) PetscCall(TestKept(backend, by));
  PetscCall(TestRejection(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexDGSystemRegister("swell", CreateSwell));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
