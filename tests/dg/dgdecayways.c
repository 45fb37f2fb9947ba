static char
  help[] = "Fields of nodal DG that decay linearly: all types compute the same, with one process or several, and "
           "methods that do not take the decay exactly have the shorter step.\n\n";

#include "dgproblem.h"
#include "mixedmesh.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char   *system, *backend, *type;
  PlexPrecision precision;
  const char   *scheme;   /* NULL: the default */
  PetscBool     adaptive; /* steps by the error */
  PetscReal     sigma;    /* as PlexTestConductor() has it */
  const char   *gemm;     /* of DG with quadrature */
} Way;

static PetscErrorCode Create(DM dm, const Way *way, PlexDG *dg, Vec *U)
{
  const PetscBool drag = (PetscBool)!strcmp(way->system, "drag");

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, way->system));
  PetscCall(PlexDGSetDegree(*dg, 3));
  if (drag) PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetCoefficients(*dg, PlexTestConductor, (void *)&way->sigma));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, drag ? "wall" : "pec"));
  if (way->gemm) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way->gemm));
  PetscCall(PlexDGCreateVec(*dg, U));
  if (way->gemm) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(PlexDGProject(*dg, 0., PlexTestRough, NULL, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetSteps(TS ts, PetscInt steps)
{
  PetscFunctionBegin;
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ten steps; norms: of the state, its energy, the time */
static PetscErrorCode Run(DM dm, const Way *way, Vec *U, PetscReal numbers[3])
{
  PlexDG  dg;
  TS      ts;
  TSAdapt adapt;

  PetscFunctionBegin;
  PetscCall(Create(dm, way, &dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &ts));
  if (way->scheme) {
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSPlexLowStorageSetScheme(ts, way->scheme));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetAdapt(ts, &adapt));
  if (way->adaptive) PetscCall(TSAdaptSetType(adapt, TSADAPTBASIC));
  PetscCall(TSSetTolerances(ts, 1e-3, NULL, 1e-3, NULL));
  PetscCall(SetSteps(ts, 10));
  PetscCall(TSSolve(ts, *U));
  PetscCall(VecNorm(*U, NORM_2, &numbers[0]));
  PetscCall(PlexDGComputeEnergy(dg, *U, &numbers[1]));
  PetscCall(TSGetTime(ts, &numbers[2]));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NameWay(const Way *way, size_t size, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "%s, %s %s%s%s %s, %s%s, %g", way->system, way->backend, way->type,
                          way->gemm ? " " : "", way->gemm ? way->gemm : "", PlexPrecisions[way->precision],
                          way->scheme ? way->scheme : "the default", way->adaptive ? ", steps by the error" : "",
                          (double)way->sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the host does in double precision */
static PetscErrorCode TestWay(DM dm, const Way *way)
{
  const PetscReal most = way->precision == PLEX_PRECISION_SINGLE ? 2e-5 : 1e-12;
  Way             host = *way;
  PetscReal       numbers[2][3], error;
  Vec             U, exact;
  char            of[256];

  PetscFunctionBegin;
  host.backend   = PLEXBACKENDHOST;
  host.type      = PLEXDGAUTO;
  host.precision = PLEX_PRECISION_DOUBLE;
  host.gemm      = NULL;
  PetscCall(Run(dm, &host, &exact, numbers[0]));
  PetscCall(Run(dm, way, &U, numbers[1]));
  PetscCall(VecAXPY(U, -1., exact));
  PetscCall(VecNorm(U, NORM_2, &error));
  PetscCall(NameWay(way, sizeof(of), of));
  PetscCall(PlexTestReportOf((PetscBool)(error <= most * numbers[0][0] &&
                                         PetscAbsReal(numbers[1][2] - numbers[0][2]) <= most * numbers[0][2]),
                             of, "the host's steps", "difference %g of %g, times %g and %g", (double)error,
                             (double)numbers[0][0], (double)numbers[1][2], (double)numbers[0][2]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all processes as on one */
static PetscErrorCode TestProcesses(DM dm, DM whole, const Way *way)
{
  PetscReal numbers[2][3], worst = 0.;
  Vec       U;
  char      of[256];

  PetscFunctionBegin;
  PetscCall(Run(dm, way, &U, numbers[0]));
  PetscCall(VecDestroy(&U));
  PetscCall(Run(whole, way, &U, numbers[1]));
  PetscCall(VecDestroy(&U));
  for (int k = 0; k < 3; ++k) worst = PetscMax(worst, PetscAbsReal(numbers[0][k] / numbers[1][k] - 1.));
  PetscCall(NameWay(way, sizeof(of), of));
  PetscCall(PlexTestReportOf((PetscBool)(worst <= 1e-12), of, "several processes do as one", "difference %g",
                             (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several meshes, on all processes and on one */
static PetscErrorCode Meshes(int which, DM *dm, DM *whole)
{
  const PetscInt faces[2] = {4, 4};

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    MPI_Comm comm = k ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
    DM      *at   = k ? whole : dm;

    if (which < 2) PetscCall(PlexTestSimplexBox(comm, 2 + which, which ? 2 : 4, PETSC_FALSE, at));
    else if (which == 2) PetscCall(PlexTestMixedCreate(comm, PLEX_TEST_MIX_RANDOM, 4, at));
    else {
      PetscCall(DMPlexCreateBoxMesh(comm, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, at));
    }
    if (!k) PetscCall(PlexTestDistribute(at, 0, PETSC_FALSE));
    if (which == 3) PetscCall(PlexTestCurve(*at, 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool   host     = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const char *const types[]  = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGSEPARATE, PLEXDGFUSED};
  const char *const gemms[]  = {NULL, "kernels", "blas"};
  const PetscReal   sigmas[] = {-300., -1e6, 40.};

  PetscFunctionBegin;
  for (int mesh = 0; mesh < 4; ++mesh) {
    DM dm, whole;

    PetscCall(Meshes(mesh, &dm, &whole));
    for (int t = 0; t < (host ? 1 : 3); ++t)
      for (int p = 0; p < 2; ++p)
        for (int s = 0; s < (mesh == 1 ? 2 : 4); ++s) {
          if (!host && p && t < 2 && !PlexTestLong()) continue;
          Way way = {mesh < 2 ? "maxwell" : "drag",
                     backend,
                     mesh < 2 ? types[t] : PLEXDGAUTO,
                     (PlexPrecision)p,
                     s == 1 ? "ssp3" : NULL,
                     (PetscBool)(s == 2),
                     sigmas[s % 3],
                     mesh < 2 ? NULL : gemms[t]};

          if (s == 1) way.sigma = -300.; /* the step of ssp3 follows it */
          if (s == 2 && p) continue;     /* steps by an error depend on rounding */
          PetscCall(TestWay(dm, &way));
          if (!p) PetscCall(TestProcesses(dm, whole, &way));
        }
    PetscCall(DMDestroy(&whole));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Methods and their steps */

/* The first step of a TS whose method is chosen when it has the operator; factor: another step than that which it was
   given, or 0 */
static PetscErrorCode FirstStep(DM dm, const char type[], const char scheme[], PetscReal factor, PetscReal end,
                                PetscReal *given, PetscReal *step)
{
  const Way way = {"maxwell", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, NULL, PETSC_FALSE, -1e4, NULL};
  PlexDG    dg;
  Vec       U;
  TS        ts;
  TSAdapt   adapt;

  PetscFunctionBegin;
  PetscCall(Create(dm, &way, &dg, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, given));
  if (type) PetscCall(TSSetType(ts, type));
  if (type && !strcmp(type, TSRK)) PetscCall(TSRKSetType(ts, TSRK4));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  if (scheme) PetscCall(TSPlexLowStorageSetScheme(ts, scheme));
  if (factor > 0.) PetscCall(TSSetTimeStep(ts, factor * *given));
  PetscCall(SetSteps(ts, 1));
  if (end > 0.) {
    PetscCall(TSSetMaxTime(ts, end * *given));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  }
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, step));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMethods(DM dm)
{
  const Way way = {"maxwell", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, NULL, PETSC_FALSE, -1e4, NULL};
  PetscReal shorter, given, step[6];
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(Create(dm, &way, &dg, &U));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &shorter));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(FirstStep(dm, NULL, NULL, 0., 0., &given, &step[0]));
  PetscCall(FirstStep(dm, TSRK, NULL, 0., 0., &given, &step[1]));
  PetscCall(FirstStep(dm, NULL, "ssp3", 0., 0., &given, &step[2]));
  PetscCall(FirstStep(dm, NULL, "williamson3", 0., 0., &given, &step[3]));
  PetscCall(FirstStep(dm, TSRK, NULL, 0.01 * shorter / given, 0., &given, &step[4]));
  PetscCall(FirstStep(dm, TSRK, NULL, 0., 0.5, &given, &step[5]));
  PetscCall(PlexTestReport((PetscBool)(shorter < 0.02 * given && step[0] == given && step[3] == given),
                           "methods that take the decay exactly have the longer step", "%g and %g, given %g, else %g",
                           (double)step[0], (double)step[3], (double)given, (double)shorter));
  PetscCall(PlexTestReport((PetscBool)(step[1] == shorter && step[2] == shorter && step[5] == shorter),
                           "other methods, chosen afterwards, the shorter one", "%g, %g and %g, not %g",
                           (double)step[1], (double)step[2], (double)step[5], (double)shorter));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(step[4] - 0.01 * shorter) < 1e-10 * step[4]),
                           "a step of one's own stays", "%g, not %g", (double)step[4], (double)(0.01 * shorter)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error estimate does not see the decay: steps in half a perfect conductor are as long as without */
static PetscErrorCode TestEstimate(DM dm)
{
  Way       way = {"maxwell", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, "ck45", PETSC_TRUE, 0., NULL};
  PetscReal numbers[2][3];
  Vec       U;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PetscCall(Run(dm, &way, &U, numbers[k]));
    PetscCall(VecDestroy(&U));
    way.sigma = -1e6;
  }
  PetscCall(PlexTestReport((PetscBool)(numbers[1][2] > 0.5 * numbers[0][2]),
                           "steps by the error do not follow the decay", "10 steps to %g, without conductor %g",
                           (double)numbers[1][2], (double)numbers[0][2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestView(DM dm)
{
  Way         way = {"maxwell", PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, NULL, PETSC_FALSE, -1e4, NULL};
  char        text[2][8192], *found[2];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int k = 0; k < 2; ++k) {
    PlexDG dg;
    Vec    U;

    PetscCall(Create(dm, &way, &dg, &U));
    PetscCall(PlexTestCapture(ViewIt, dg, text[k], sizeof(text[k])));
    PetscCall(PetscStrstr(text[k], "take the decay exactly", &found[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    way.sigma = 0.;
  }
  PetscCall(PlexTestReport((PetscBool)(rank || (found[0] && !found[1])), "the view, where there is a conductor", "%s%s",
                           text[0], text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rate that grows */
static PetscErrorCode Grows(void *ctx)
{
  const PetscReal drag = -1.;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate((DM)ctx, &dg));
  PetscCall(PlexDGSetSystem(dg, "drag"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(dg, "drag", 1, &drag));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  DM                 dm, whole;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestRegisterDrag());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  PetscCall(Meshes(0, &dm, &whole));
  PetscCall(TestMethods(dm));
  PetscCall(TestEstimate(dm));
  PetscCall(TestView(dm));
  EXPECT("a rate that is negative", Grows, whole, "Field vx of system drag decays at the rate -1", "0 or more",
         "PlexDGSetCoefficients()");
  PetscCall(DMDestroy(&whole));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
