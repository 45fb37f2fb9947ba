static char help
  [] = "Meshes of triangles and quadrilaterals: tides, series and rivers, shocks, the sphere, periodic meshes, systems "
       "of one's own, view and energy.\n\n";

#include "dg/interface/dgimpl.h"
#include "dgproblem.h"
#include "mixedmesh.h"
#include "report.h"

/* ---- Functions */

#define AMPLITUDE 0.1
#define OMEGA     (2. * PETSC_PI / 0.8)

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(u, Nf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A wave of the linear equations that comes in at x = 0, speed 1 */
static PetscErrorCode Incoming(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = u[1] = AMPLITUDE * PetscCosReal(OMEGA * (t - x[0]) - 50. * PETSC_PI / 180.);
  u[2]        = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solution of burgers.h, periodic */
static PetscErrorCode Burgers(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1. + PetscSinReal(2. * PETSC_PI * (x[0] + x[1] - t)) / 4.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Depth, Coriolis parameter and scale of a sphere, Manning's n. ctx: whether there is land */
static PetscErrorCode Sphere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1. + 0.3 * PetscSinReal(19. * x[0] + 3.) * PetscCosReal(23. * x[1]) - (*(const PetscBool *)ctx ? 0.9 : 0.);
  k[1] = 0.7 + x[1];
  k[2] = 1. / PetscCoshReal(x[1]);
  if (n > 3) k[3] = 0.02;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Slope(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = *(const PetscReal *)ctx - x[1];
  if (n > 3) k[3] = 0.02;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* None through the sides */
static PetscErrorCode Discharge(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.;
  u[1] = PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(2. * x[1]);
  u[2] = PetscSinReal(PETSC_PI * x[1]) * PetscCosReal(3. * x[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time derivative of that by the linear equations with m = 1/cosh y: eta_t = -m^-2 (d_x (m q_x) + d_y (m q_y)) */
static PetscErrorCode DischargeRHS(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar r[],
                                   void *ctx)
{
  const PetscReal m = 1. / PetscCoshReal(x[1]), f = 0.7 + x[1];
  PetscScalar     q[3];

  PetscFunctionBegin;
  PetscCall(Discharge(dim, t, x, Nf, q, NULL));
  r[0] = -(PETSC_PI * PetscCosReal(PETSC_PI * x[0]) * PetscCosReal(2. * x[1]) +
           PETSC_PI * PetscCosReal(PETSC_PI * x[1]) * PetscCosReal(3. * x[0]) - PetscTanhReal(x[1]) * q[2]) /
         m;
  r[1] = f * q[2];
  r[2] = -f * q[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wavy(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k)
    u[k] = (Nf == 1 ? 1. : k ? 0. : 0.05) + 0.05 * PetscSinReal(2. * PETSC_PI * (2. * x[0] + x[1]) + 2. * k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dam at x = 1/2; on both sides water of depth 1 and this */
static PetscErrorCode Dam(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = x[0] < 0.5 ? 0.5 : -0.5;
  u[1] = u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Operators: a problem has a system, conditions of the four sides, tides or series of them */

typedef struct {
  const char          *name, *system;
  PlexTestMix          mix;
  PlexDGCoefficientFn *coefficients;
  void                *ctx;
  PetscReal            linear, dry;
  const char          *kinds[4], *tides[4]; /* kinds[0] NULL: there is no boundary, or it is `wall`, or `outflow` */
  PetscReal            river;               /* of all sides that have such a condition */
  PetscBool            captures;
  PlexDGFn            *state; /* NULL: Wavy() */
} Problem;

static PetscErrorCode CreateOn(MPI_Comm comm, const Problem *p, PetscInt N, PetscInt n, const char backend[],
                               PlexDG *dg)
{
  const PetscReal one = 1.;
  DM              dm;

  PetscFunctionBegin;
  if (comm == PETSC_COMM_SELF) PetscCall(PlexTestMixedCreate(comm, p->mix, n, &dm));
  else PetscCall(PlexTestMixedDistribute(p->mix, n, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, p->system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetShockCapturing(*dg, p->captures));
  if ((*dg)->system->water) PetscCall(PlexDGSetConstant(*dg, "gravity", 1, &one));
  if (p->linear > 0.) PetscCall(PlexDGSetConstant(*dg, "linear", 1, &p->linear));
  if (p->dry > 0.) PetscCall(PlexDGSetConstant(*dg, "dry", 1, &p->dry));
  if (p->coefficients) PetscCall(PlexDGSetCoefficients(*dg, p->coefficients, p->ctx));
  if (!p->kinds[0] && p->mix != PLEX_TEST_MIX_PERIODIC)
    PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, (*dg)->system->kinds[0]));
  for (PetscInt s = 0; s < 4 && p->kinds[0]; ++s) {
    PetscCall(PlexDGAddBoundary(*dg, "sides", s + 1, p->kinds[s]));
    if (p->tides[s]) PetscCall(PlexDGSetBoundaryTide(*dg, "sides", s + 1, p->tides[s]));
    else if (!strcmp(p->kinds[s], "discharge"))
      PetscCall(PlexDGSetBoundarySeries(*dg, "sides", s + 1, 2, (const PetscReal[]){0., 1.},
                                        (const PetscReal[]){0., p->river}, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error at time T of an exact solution; what the integral of the first field gains */
static PetscErrorCode RunError(const Problem *p, PetscInt N, PetscInt n, const char backend[], PetscReal T,
                               PlexDGFn *exact, PetscReal *error, PetscReal *gain)
{
  PetscReal before[3], after[3];
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(CreateOn(PETSC_COMM_WORLD, p, N, n, backend, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., exact, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, before));
  PetscCall(PlexTestRun(dg, T, exact, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, after));
  PetscCall(PlexDGComputeL2Error(dg, T, exact, NULL, U, error));
  *gain = after[0] - before[0];
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const Problem *p, PetscInt N, PetscInt n, const char backend[], PlexDGFn *exact)
{
  PetscReal error[2], gain, rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunError(p, N, n << k, backend, 0.4, exact, &error[k], &gain));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, p->name, N));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.5 && error[1] < 0.01), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A river at a side with cells of both kinds, partly on land: its volume is the integral of the series */
static PetscErrorCode TestRiver(const char backend[], PetscReal depth, PetscReal T)
{
  const Problem p = {
    .name         = "a river",
    .system       = "tsunami",
    .coefficients = Slope,
    .ctx          = &depth,
    .dry          = 1e-3,
    .kinds        = {"discharge", "wall", "wall", "wall"},
    .river        = 0.3
  };
  PetscReal error, gain;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(RunError(&p, 2, 6, backend, T, Zero, &error, &gain));
  gain -= 0.15 * T * T;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, a river into water %g deep", backend, (double)depth));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(gain) < 1e-13), of, "its volume comes in", "%g", (double)gain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right-hand side of discharges on the sphere, and water at rest there */
static PetscErrorCode TestSphere(const char backend[], PetscInt N)
{
  const PetscBool wet = PETSC_FALSE;
  const Problem p = {.name = "sphere", .system = "tsunami", .coefficients = Sphere, .ctx = (void *)&wet, .linear = 1.};
  PetscReal     error[2], rate, moves;
  char          of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG dg;
    Vec    U, R;

    PetscCall(CreateOn(PETSC_COMM_WORLD, &p, N, 6 << k, backend, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(VecNorm(R, NORM_INFINITY, &moves));
    PetscCall(PlexDGProject(dg, 0., Discharge, NULL, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(PlexDGComputeL2Error(dg, 0., DischargeRHS, NULL, R, &error[k]));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, sphere, degree %" PetscInt_FMT, backend, N));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N - 0.4 && moves < 1e-12), of, "divergence and Coriolis force",
                             "errors %g, %g, rate %g; at rest %g", (double)error[0], (double)error[1], (double)rate,
                             (double)moves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that depend on all values after some steps of the default method, at their positions */
static PetscErrorCode Signature(MPI_Comm comm, const Problem *p, PetscInt N, const char backend[], PetscReal s[4])
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  PetscReal integrals[3];

  PetscFunctionBegin;
  PetscCall(CreateOn(comm, p, N, 6, backend, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., p->state ? p->state : Wavy, NULL, U));
  PetscCall(TSCreate(comm, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecNorm(U, NORM_2, &s[0]));
  PetscCall(PlexDGComputeL2Error(dg, 0., Incoming, NULL, U, &s[1]));
  PetscCall(PlexDGComputeIntegrals(dg, U, integrals));
  s[2] = integrals[0];
  PetscCall(PlexDGComputeEnergy(dg, U, &s[3]));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes, and backends, agree with one process on the host */
static PetscErrorCode TestAgrees(const char backend[])
{
  static PetscBool land = PETSC_TRUE, wet = PETSC_FALSE;
  static PetscReal shelf = 2., beach = 0.5;
  const Problem    problems[] = {
    {.name         = "two tides and a river",
     .system       = "shallow_water",
     .coefficients = Slope,
     .ctx          = &shelf,
     .kinds        = {"elevation", "discharge", "incoming", "wall"},
     .tides        = {"0.8,0.1,50", NULL, "M2,0.03,20,0.3,0.02,10"},
     .river        = 0.3},
    {.name         = "a tide at a beach",
     .system       = "tsunami",
     .coefficients = Slope,
     .ctx          = &beach,
     .dry          = 1e-3,
     .kinds        = {"wall", "discharge", "incoming", "wall"},
     .tides        = {NULL, NULL, "0.8,0.1,50"},
     .river        = 0.3},
    {.name = "a sphere", .system = "tsunami", .coefficients = Sphere, .ctx = &wet},
    {.name = "a sphere with land", .system = "tsunami", .coefficients = Sphere, .ctx = &land, .dry = 1e-3},
    {.name = "friction that varies", .system = "tsunami_manning", .coefficients = Sphere, .ctx = &wet},
    {.name = "a periodic mesh", .system = "shallow_water", .mix = PLEX_TEST_MIX_PERIODIC},
    {.name = "shocks", .system = "shallow_water", .captures = PETSC_TRUE, .state = Dam},
    {.name         = "shocks at a beach",
     .system       = "shallow_water",
     .coefficients = Slope,
     .ctx          = &shelf,
     .dry          = 1e-3,
     .captures     = PETSC_TRUE,
     .state        = Dam},
    {.name = "sound", .system = "acoustics_uniform"},
    {.name = "a system of one's own", .system = "burgers"},
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k) {
    PetscReal own[4], all[4], far = 0.;
    char      of[128];

    PetscCall(Signature(PETSC_COMM_SELF, &problems[k], 2, PLEXBACKENDHOST, own));
    PetscCall(Signature(PETSC_COMM_WORLD, &problems[k], 2, backend, all));
    for (PetscInt i = 0; i < 4; ++i) far = PetscMax(far, PetscAbsReal(all[i] - own[i]));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, problems[k].name));
    PetscCall(PlexTestReportOf((PetscBool)(far < 1e-11), of, "it agrees with one process on the host", "%g",
                               (double)far));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far the elevation is beyond its range, in the drop, at the end of a dam break; what the mass gains */
static PetscErrorCode RunDam(const char backend[], PlexTestMix mix, PetscInt N, PetscInt n, PetscBool captures,
                             PetscReal T, PetscReal *beyond, PetscReal *gain)
{
  const Problem      p = {.system = "shallow_water", .mix = mix, .captures = captures};
  PetscReal          mass[2][3], low = 0., high = 0.;
  const PetscScalar *u;
  PlexDG             dg, parts[2];
  PetscInt           nparts;
  Vec                U;

  PetscFunctionBegin;
  PetscCall(CreateOn(PETSC_COMM_WORLD, &p, N, n, backend, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  nparts = PlexDGGetParts(dg, parts);
  PetscCall(PlexDGProject(dg, 0., Dam, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
  PetscCall(PlexTestRun(dg, T, Dam, NULL, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt k = 0, at = 0; k < nparts; at += PlexDGGetLocalSize(parts[k++])) {
    const PetscInt Np = parts[k]->reference->Np;

    for (PetscInt i = 0; i < parts[k]->mesh->Ne * Np; ++i) {
      low  = PetscMin(low, u[at + i / Np * 3 * Np + i % Np]);
      high = PetscMax(high, u[at + i / Np * 3 * Np + i % Np]);
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  *beyond = PetscMax(high - 0.5, -0.5 - low);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, beyond, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  *gain = mass[1][0] - mass[0][0];
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestShocks(const char backend[], PetscInt N, PetscInt n, PetscReal T)
{
  PetscReal beyond[3], gain[3];
  char      of[128];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k)
    PetscCall(RunDam(backend, k == 2 ? PLEX_TEST_MIX_ALL : PLEX_TEST_MIX_RANDOM, N, n, (PetscBool)(k > 0), T,
                     &beyond[k], &gain[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, a dam break, degree %" PetscInt_FMT, backend, N));
  PetscCall(PlexTestReportOf((PetscBool)(beyond[1] < 1.3 * beyond[2] && beyond[0] > 4. * beyond[1]), of,
                             "elevations stay in their range as on triangles",
                             "%g beyond it, %g of triangles, %g without", (double)beyond[1], (double)beyond[2],
                             (double)beyond[0]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(gain[1]) < 1e-13), of, "no water is lost", "%g",
                             (double)gain[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- View and energy */

static PetscErrorCode ViewIt(void *ctx)
{
  PetscReal none = PETSC_FALSE;
  Problem   p    = {.system = "tsunami", .coefficients = Sphere, .ctx = &none, .dry = 1e-3};
  PlexDG    dg;
  TS        ts;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(CreateOn(PETSC_COMM_WORLD, &p, 2, 4, (const char *)ctx, &dg));
  PetscCall(PetscOptionsInsertString(NULL, "-plex_dg_view -plex_dg_monitor_energy build/mixedenergy.csv:1"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(TSSetMaxSteps(ts, 2));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(PlexDGProject(dg, 0., Wavy, NULL, U));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &none));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "energy at last %.10g\n", (double)none));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestView(const char backend[])
{
  const char *words[] = {"triangles, 6 nodes each", "quadrilaterals, 9 nodes each",         "facets wall",
                         "elements may fall dry",   "between triangles and quadrilaterals", "time step"};
  char        text[16384], *csv = NULL, *found;
  size_t      n;
  double      last = 0., energy = 0.;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestCapture(ViewIt, (void *)backend, text, sizeof(text)));
  if (rank) text[0] = 0;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); ++k)
    PetscCall(PlexTestReportOf((PetscBool)(rank || strstr(text, words[k])), backend, words[k], "the view says\n%s",
                               text));
  if (!rank) {
    PetscCall(PlexTestReadFile("build/mixedenergy.csv", &csv, &n));
    found = strrchr(csv, ',');
    if (found) last = atof(found + 1);
    found = strstr(text, "energy at last");
    if (found) energy = atof(found + strlen("energy at last"));
  }
  PetscCall(PlexTestReportOf((PetscBool)(rank || (energy > 0. && PetscAbsReal(last - energy) < 1e-9 * energy)), backend,
                             "a table of energies", "%.12g and %.12g", last, energy));
  PetscCall(PetscFree(csv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode TestOn(const char backend[], PetscBool quick)
{
  const Problem wave =
                  {
                    .name   = "a wave that comes in and leaves",
                    .system = "tsunami",
                    .linear = 1.,
                    .kinds  = {"incoming", "open", "wall", "wall"},
                    .tides  = {"0.8,0.1,50"}
  },
                own = {.name = "a system of one's own", .system = "burgers", .mix = PLEX_TEST_MIX_PERIODIC};
  PetscMPIInt   size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt N = 1; N <= (quick ? 1 : 3); ++N) {
    PetscCall(TestRate(&wave, N, quick ? 6 : 10, backend, Incoming));
    PetscCall(TestRate(&own, N, N == 1 ? 8 : 6, backend, Burgers));
    PetscCall(TestSphere(backend, N));
    PetscCall(TestShocks(backend, N, quick ? 10 : 20, quick ? 0.05 : 0.2));
  }
  PetscCall(TestRiver(backend, 2., quick ? 0.05 : 0.5));
  PetscCall(TestRiver(backend, 0.4, quick ? 0.05 : 0.5)); /* land along a part of the side */
  PetscCall(TestRiver(backend, 0.02, quick ? 0.05 : 0.5));
  if (!quick || size == 1) PetscCall(TestView(backend));
  PetscCall(TestAgrees(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestOn(PLEXBACKENDHOST, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscFunctionBegin;
  PetscCall(TestOn(backend, (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestRegisterSystems());
  if (size > 1) PetscCall(TestOn(PLEXBACKENDHOST, PETSC_TRUE));
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
