static char help[] = "The far field from a closed surface: a current's exact pattern, and Mie's series of spheres.\n\n";

#include "ball.h"
#include "dgproblem.h"
#include "examples/mie.h"
#include "report.h"
#include <unistd.h>

#define FREQUENCIES 3

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

static PetscErrorCode Create(DM dm, PetscInt N, const Way *way, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from 0 to T, with samples of the far fields */
static PetscErrorCode Run(PlexDG dg, PetscReal T, PetscInt every, PetscInt n, PlexDGFarField x[])
{
  TS  ts;
  Vec U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFarFieldSetTS(x[k], ts, every, PETSC_MIN_REAL));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A current J = P exp(-|x - x0|^2/a^2) g(t) in a medium: far away A = i k Z/(4 pi) (N - r (r.N)),
   N = P pi^(3/2) a^3 exp(-k^2 a^2/4) exp(-i k r.x0) G */

static const PetscReal moment[3] = {0.3, -0.5, 1.}, center[3] = {0.1, -0.05, 0.07}, radius = 0.35, delay = 5.,
                       width = 2., epsilon = 1.5, mu = 0.8;

static PetscErrorCode SetCurrent(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "current", 3, moment));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &(const PetscReal){2.5}));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &width));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(dg, "mu", 1, &mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void ExactAmplitude(PetscReal w, const PetscReal r[3], PetscReal A[3][2])
{
  const PetscReal k = w * PetscSqrtReal(epsilon * mu), Z = PetscSqrtReal(mu / epsilon);
  double _Complex G = 0., N, i = __extension__ 1.0i;
  PetscReal along = 0., place = 0.;

  for (int s = -4000; s <= 4000; ++s) { /* of cos(2.5 (t - delay)) exp(-(t - delay)^2/width^2) */
    const PetscReal t = s * width / 500.;

    G += width / 500. * PetscCosReal(2.5 * t) * PetscExpReal(-PetscSqr(t / width)) * cexp(i * w * (t + delay));
  }
  for (int d = 0; d < 3; ++d) {
    along += r[d] * moment[d];
    place += r[d] * center[d];
  }
  N = G * PetscPowReal(PETSC_PI, 1.5) * PetscPowReal(radius, 3.) * PetscExpReal(-PetscSqr(k * radius) / 4.) *
      cexp(-i * k * place) * i * k * Z / (4. * PETSC_PI);
  for (int d = 0; d < 3; ++d) {
    A[d][0] = creal(N) * (moment[d] - along * r[d]);
    A[d][1] = cimag(N) * (moment[d] - along * r[d]);
  }
}

static const PetscReal directions[][3] = {
  {1.,   0.,   0.  },
  {0.,   -1.,  0.  },
  {0.,   0.,   1.  },
  {0.6,  0.,   -0.8},
  {0.48, 0.64, 0.6 },
  {-0.8, 0.36, 0.48}
};
#define DIRECTIONS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(directions))

/* The largest difference from the exact amplitudes, over the largest of these at each frequency */
static PetscErrorCode CurrentError(PlexDGFarField x, const PetscReal frequencies[], PetscReal error[])
{
  PetscReal A[FREQUENCIES][6][3][2];

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldGetAmplitudes(x, DIRECTIONS, &directions[0][0], &A[0][0][0][0]));
  for (int f = 0; f < FREQUENCIES; ++f) {
    PetscReal most = 0.;

    error[f] = 0.;
    for (PetscInt a = 0; a < DIRECTIONS; ++a) {
      PetscReal exact[3][2];

      ExactAmplitude(frequencies[f], directions[a], exact);
      for (int d = 0; d < 6; ++d) {
        error[f] = PetscMax(error[f], PetscAbsReal((&A[f][a][0][0])[d] - (&exact[0][0])[d]));
        most     = PetscMax(most, PetscAbsReal((&exact[0][0])[d]));
      }
    }
    error[f] /= most;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Label "core" holds the cells of all shells but the last, and on one side of a plane some of that, too: an uneven
   surface */
static PetscErrorCode LabelCells(DM dm)
{
  PetscInt cStart, cEnd, number;
  DMLabel  shell, core;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "core", &core));
  PetscCall(DMGetLabel(dm, "shell", &shell));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal x[3], volume;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, &volume, x, NULL));
    PetscCall(DMLabelGetValue(shell, c, &number));
    if (number <= 2 || (x[0] > 0.1 && x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 4.4))
      PetscCall(DMLabelSetValue(core, c, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCurrent(void)
{
  const char *const surfaces[3] = {"facets inside the mesh", "the boundary", "cells"};
  const PetscReal   radii[] = {0., 0.7, 1.6, 2.8}, frequencies[FREQUENCIES] = {2., 2.5, 3.};
  const Way         way = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  DM                dm;
  PlexDG            dg;
  PlexDGFarField    x[3];
  PetscReal         error[3][FREQUENCIES];

  PetscFunctionBegin;
  PetscCall(PlexTestBall(PETSC_COMM_WORLD, 3, radii, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(Create(dm, 3, &way, &dg));
  PetscCall(SetCurrent(dg));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 2, FREQUENCIES, frequencies, &x[0])); /* facets */
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, FREQUENCIES, frequencies, &x[1])); /* the boundary */
  PetscCall(LabelCells(dm));
  PetscCall(PlexDGFarFieldCreate(dg, "core", PETSC_DETERMINE, FREQUENCIES, frequencies, &x[2]));
  PetscCall(Run(dg, 16., 2, 3, x));
  for (int k = 0; k < 3; ++k) PetscCall(CurrentError(x[k], frequencies, error[k]));
  for (int k = 0; k < 3; ++k)
    PetscCall(PlexTestReportOf((PetscBool)(error[k][0] < 0.03 && error[k][1] < 0.04 && error[k][2] < 0.045),
                               surfaces[k], "a current has the far field that it has in space", "errors %g, %g, %g",
                               (double)error[k][0], (double)error[k][1], (double)error[k][2]));
  for (int k = 0; k < 3; ++k) PetscCall(PlexDGFarFieldDestroy(&x[k]));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A sphere of radius 1 in a pulse */

typedef struct {
  const char *name;
  PetscBool   conductor, total; /* perfect; by its surface, or by a total field */
  PetscReal   epsilon, sigma;
  PetscReal   most;   /* error */
  PetscInt    shells; /* it has, of the ball */
  PetscBool   always; /* not in long runs alone */
} Sphere;

#define DIRECTION    {0.6, 0.64, 0.48}
#define POLARIZATION {-0.8, 0.48, 0.36}

static PetscErrorCode SphereCreate(const Sphere *s, DM dm, PetscInt N, const Way *way, PlexDG *dg)
{
  const PetscReal d[3] = DIRECTION, P[3] = POLARIZATION;

  PetscFunctionBegin;
  PetscCall(Create(dm, N, way, dg));
  PetscCall(PlexDGSetConstant(*dg, "direction", 3, d));
  PetscCall(PlexDGSetConstant(*dg, "polarization", 3, P));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &(const PetscReal){1.3}));
  PetscCall(PlexDGSetConstant(*dg, "wave_width", 1, &(const PetscReal){1.6}));
  PetscCall(PlexDGSetConstant(*dg, "wave_delay", 1, &(const PetscReal){6.}));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  if (s->conductor) PetscCall(PlexDGAddBoundary(*dg, "sphere", s->shells, s->total ? "pec" : "scatterer"));
  else
    for (PetscInt l = 1; l <= s->shells; ++l)
      PetscCall(PlexDGAddMaterial(*dg, "shell", l, 3, (const PetscReal[]){s->epsilon, 1., s->sigma}));
  if (s->total) PetscCall(PlexDGSetTotalField(*dg, "sphere", s->shells + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ANGLES 7

/* The root of the sum of squares of the cross-sections' differences from the series, over that of these, in the planes
   of both fields */
static PetscErrorCode SphereError(PlexDGFarField x, const Sphere *s, const PetscReal frequencies[], PetscReal error[])
{
  const PetscReal d[3] = DIRECTION, P[3] = POLARIZATION;
  PetscReal       r[2 * ANGLES][3], sections[FREQUENCIES][2 * ANGLES], sum[2];

  PetscFunctionBegin;
  for (int a = 0; a < 2 * ANGLES; ++a)
    for (int k = 0; k < 3; ++k) {
      const PetscReal angle = PETSC_PI * (a / 2) / (ANGLES - 1),
                      H     = d[(k + 1) % 3] * P[(k + 2) % 3] - d[(k + 2) % 3] * P[(k + 1) % 3];

      r[a][k] = PetscCosReal(angle) * d[k] + PetscSinReal(angle) * (a % 2 ? P[k] : H);
    }
  PetscCall(PlexDGFarFieldGetCrossSections(x, 2 * ANGLES, &r[0][0], &sections[0][0]));
  for (int f = 0; f < FREQUENCIES; ++f) {
    const PetscReal k       = frequencies[f];
    const double _Complex m = csqrt(s->epsilon + __extension__ 1.0i * s->sigma / k);

    sum[0] = sum[1] = 0.;
    for (int a = 0; a < 2 * ANGLES; ++a) {
      double _Complex S[2] = {0., 0.};
      PetscReal exact;

      PetscCall(MieAmplitudes(k, 1., s->conductor, m, PETSC_PI * (a / 2) / (ANGLES - 1), S));
      exact = 4. * PETSC_PI * PetscSqr(cabs(S[a % 2]) / k);
      sum[0] += PetscSqr(sections[f][a] - exact);
      sum[1] += PetscSqr(exact);
    }
    error[f] = PetscSqrtReal(sum[0] / sum[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSphere(const Sphere *s)
{
  const PetscReal frequencies[FREQUENCIES] = {0.8, 1.4, 2.};
  const Way       way                      = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  PetscReal       radii[]                  = {0., 0.55, 1., 1.6, 2.8}, error[2][FREQUENCIES];
  const PetscInt  other = s->total ? 2 : 3, n = s->conductor ? 2 : 1; /* at the sphere itself the total field */
  DM              dm;
  PlexDG          dg;
  PlexDGFarField  x[2];
  char            of[128];

  PetscFunctionBegin;
  PetscCall(PlexTestBallRadius(2, &radii[2]));
  PetscCall(PlexTestBall(PETSC_COMM_WORLD, 4, radii, s->conductor ? 2 : 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(SphereCreate(s, dm, 2, &way, &dg));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 4, FREQUENCIES, frequencies, &x[0]));
  if (n > 1) PetscCall(PlexDGFarFieldCreate(dg, "sphere", other, FREQUENCIES, frequencies, &x[1]));
  PetscCall(Run(dg, 18., 2, n, x));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(SphereError(x[k], s, frequencies, error[k]));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, from sphere %" PetscInt_FMT, s->name, k ? other : 4));
    PetscCall(PlexTestReportOf((PetscBool)(error[k][0] < s->most && error[k][1] < s->most && error[k][2] < s->most), of,
                               "one pulse has the cross-sections of Mie's series at all frequencies",
                               "errors %g, %g, %g", (double)error[k][0], (double)error[k][1], (double)error[k][2]));
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFarFieldDestroy(&x[k]));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A dipole: A = i k Z/(4 pi) (N - r (r.N)), N = P G exp(-i k r.x0) */

static PetscErrorCode TestDipole(void)
{
  const PetscReal radii[] = {0., 0.6, 1.5, 2.8}, at[3] = {0.06, 0.03, -0.05}, P[3] = {0.4, 0.2, 1.};
  const PetscReal pulse[5] = {2.5, -PETSC_PI / 2., 4., 1.4, 0.}, frequencies[FREQUENCIES] = {2., 2.5, 3.};
  const double _Complex i = __extension__ 1.0i;
  const Way      way      = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  DM             dm;
  PlexDG         dg;
  PlexDGFarField x;
  PetscReal      A[FREQUENCIES][6][3][2], error[FREQUENCIES];

  PetscFunctionBegin;
  PetscCall(PlexTestBall(PETSC_COMM_WORLD, 3, radii, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(Create(dm, 3, &way, &dg));
  PetscCall(PlexDGAddDipole(dg, at, P, pulse));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 2, FREQUENCIES, frequencies, &x));
  PetscCall(Run(dg, 12., 2, 1, &x));
  PetscCall(PlexDGFarFieldGetAmplitudes(x, DIRECTIONS, &directions[0][0], &A[0][0][0][0]));
  for (int f = 0; f < FREQUENCIES; ++f) {
    const PetscReal k = frequencies[f];
    double _Complex G = 0.;
    PetscReal most    = 0.;

    error[f] = 0.;
    for (int s = -3000; s <= 3000; ++s) /* of sin(2.5 s) exp(-s^2/width^2) */
      G += pulse[3] / 500. * PetscSinReal(2.5 * s * pulse[3] / 500.) * PetscExpReal(-PetscSqr(s / 500.)) *
           cexp(i * k * (s * pulse[3] / 500. + pulse[2]));
    for (PetscInt a = 0; a < DIRECTIONS; ++a) {
      const PetscReal *r = directions[a], along = r[0] * P[0] + r[1] * P[1] + r[2] * P[2];
      const double _Complex N = G * cexp(-i * k * (r[0] * at[0] + r[1] * at[1] + r[2] * at[2])) * i * k /
                                (4. * PETSC_PI);

      for (int d = 0; d < 3; ++d) {
        error[f] = PetscMax(error[f], cabs(N * (P[d] - along * r[d]) - (A[f][a][d][0] + i * A[f][a][d][1])));
        most     = PetscMax(most, cabs(N * (P[d] - along * r[d])));
      }
    }
    error[f] /= most;
  }
  PetscCall(PlexTestReport((PetscBool)(error[0] < 0.02 && error[1] < 0.02 && error[2] < 0.03),
                           "a dipole has the pattern that it has in space", "errors %g, %g, %g", (double)error[0],
                           (double)error[1], (double)error[2]));
  PetscCall(PlexDGFarFieldDestroy(&x));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Few steps on few cells: types, processes, checkpoints, files */

static const Sphere few = {"few cells", PETSC_FALSE, PETSC_TRUE, 2.25, 0., 0., 1, PETSC_FALSE};

static PetscErrorCode FewCreate(MPI_Comm comm, const Way *way, DM *dm, PlexDG *dg)
{
  const PetscReal radii[] = {0., 0.9, 1.6, 2.8};

  PetscFunctionBegin;
  PetscCall(PlexTestBall(comm, 3, radii, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(SphereCreate(&few, *dm, 1, way, dg));
  PetscCall(PlexDGSetConstant(*dg, "wave_delay", 1, &(const PetscReal){0.3}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PetscReal fewFrequencies[] = {0.8, 1.4, 2.};
#define FEW_STEPS 19

/* One more step of the low-storage scheme: amplitudes of a run from step to step, from a checkpoint or to one */
static PetscErrorCode FewRun(MPI_Comm comm, const Way *way, PetscInt steps, const char from[], const char to[],
                             PetscReal A[])
{
  DM             dm;
  PlexDG         dg;
  PlexDGFarField x;
  TS             ts;
  Vec            U;

  PetscFunctionBegin;
  PetscCall(FewCreate(comm, way, &dm, &dg));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, FREQUENCIES, fewFrequencies, &x));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(comm, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetTimeStep(ts, 0.02));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e10));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(PlexDGFarFieldSetTS(x, ts, 2, PETSC_MIN_REAL));
  if (from) PetscCall(PlexDGLoadCheckpoint(dg, ts, from, U));
  PetscCall(TSSolve(ts, U));
  if (to) PetscCall(PlexDGSaveCheckpoint(dg, ts, U, to));
  PetscCall(PlexDGFarFieldGetAmplitudes(x, DIRECTIONS, &directions[0][0], A));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGFarFieldDestroy(&x));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FEW (FREQUENCIES * 6 * 6)

/* The largest difference over the largest number */
static PetscReal FewDifference(const PetscReal a[], const PetscReal b[])
{
  PetscReal most = 0., difference = 0.;

  for (int k = 0; k < FEW; ++k) {
    most       = PetscMax(most, PetscAbsReal(b[k]));
    difference = PetscMax(difference, PetscAbsReal(a[k] - b[k]));
  }
  return difference / most;
}

static PetscErrorCode TestTypes(const char backend[], const PetscReal host[])
{
  const char *const types[] = {PLEXDGPLAIN, PLEXDGSEPARATE, PLEXDGFUSED};
  PetscReal         A[FEW];
  char              of[128];

  PetscFunctionBegin;
  for (int p = 0; p < 2; ++p)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); ++k) {
      const Way       way   = {backend, types[k], (PlexPrecision)p};
      const PetscReal bound = p ? 1e-4 : 1e-11;

      if (p && k < 2) continue; /* of those in single precision one */
      PetscCall(FewRun(PETSC_COMM_WORLD, &way, FEW_STEPS, NULL, NULL, A));
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s", backend, types[k], PlexPrecisions[p]));
      PetscCall(PlexTestReportOf((PetscBool)(FewDifference(A, host) < bound), of, "the far field of the host", "%g",
                                 (double)FewDifference(A, host)));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCheckpoint(const char backend[], const char type[])
{
  const Way   way = {backend, type, PLEX_PRECISION_DOUBLE};
  PetscReal   whole[FEW], half[FEW], again[FEW], one[FEW];
  PetscMPIInt size, rank;
  char        folder[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN], of[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(folder)));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/dgfarfield-%d.h5", folder, (int)getpid()));
  PetscCallMPI(MPI_Bcast(file, sizeof(file), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s", backend, type));
  PetscCall(FewRun(PETSC_COMM_WORLD, &way, FEW_STEPS, NULL, NULL, whole));
  /* a step between samples, and in the middle of a batch of them */
  PetscCall(FewRun(PETSC_COMM_WORLD, &way, 9, NULL, file, half));
  PetscCall(FewRun(PETSC_COMM_WORLD, &way, FEW_STEPS, file, NULL, again));
  PetscCall(PlexTestReportOf((PetscBool)(!memcmp(whole, again, sizeof(whole)) && memcmp(whole, half, sizeof(whole))),
                             of, "a run from a checkpoint has the far field of the whole run, the same bits", "%g",
                             (double)FewDifference(again, whole)));
  for (int k = 0; k < 2 && size > 1; ++k) {
    if (!rank) PetscCall(FewRun(PETSC_COMM_SELF, &way, FEW_STEPS, k ? NULL : file, NULL, one));
    PetscCallMPI(MPI_Bcast(one, FEW, MPIU_REAL, 0, PETSC_COMM_WORLD));
    PetscCall(PlexTestReportOf((PetscBool)(FewDifference(one, whole) < 1e-12), of,
                               k ? "one process has the far field of several"
                                 : "likewise on another number of processes",
                               "%g", (double)FewDifference(one, whole)));
  }
  if (!rank) (void)remove(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table of a run by options alone: frequencies, angles, and cross-sections that are those of the library */
static PetscErrorCode TestFile(void)
{
  const char *const options = "-plex_dg_farfield_label sphere:3 -plex_dg_farfield_frequencies 0.8:2:3 "
                              "-plex_dg_farfield_angles 5,4";
  const Way         way     = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  char              file[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN], option[2 * PETSC_MAX_PATH_LEN], *text, *line;
  size_t            size;
  DM                dm;
  PlexDG            dg;
  PlexDGFarField    x;
  PetscReal         section[3], r[3] = DIRECTION;
  PetscInt          lines = 0, good = 0;

  PetscFunctionBegin;
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(folder)));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/dgfarfield-%d.csv", folder, (int)getpid()));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_farfield %s:2 %s", file, options));
  PetscCall(FewCreate(PETSC_COMM_WORLD, &way, &dm, &dg));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, 3, fewFrequencies, &x));
  PetscCall(PetscOptionsInsertString(NULL, option));
  PetscCall(Run(dg, 0.5, 2, 1, &x));
  PetscCall(PlexTestClearOptions(option));
  for (int d = 0; d < 3; ++d) r[d] = -r[d];
  PetscCall(PlexDGFarFieldGetCrossSections(x, 1, r, section));
  PetscCall(PlexTestReadFile(file, &text, &size));
  for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), ++lines) {
    double v[11];

    if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
               &v[7], &v[8], &v[9], &v[10]) < 11)
      continue;
    for (int f = 0; f < 3; ++f)
      if (v[1] == 180. && PetscAbsReal(v[0] - fewFrequencies[f]) < 1e-12)
        good += PetscAbsReal(v[10] - section[f]) < 1e-9 * section[f] &&
                PetscAbsReal(4. * PETSC_PI * (v[6] * v[6] + v[7] * v[7] + v[8] * v[8] + v[9] * v[9]) - v[10]) <
                  1e-9 * section[f] &&
                PetscAbsReal(v[3] - r[0]) < 1e-12;
  }
  PetscCall(PlexTestReport((PetscBool)(lines == 1 + 3 * 5 * 4 && good == 3 * 4), "options write the table",
                           "%d lines, %d of 12 backwards", (int)lines, (int)good));
  PetscCall(PetscFree(text));
  (void)remove(file);
  PetscCall(PlexDGFarFieldDestroy(&x));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Errors */

typedef struct {
  const char *label;
  PetscInt    value;
  PetscReal   frequency;
  PetscBool   early, quiet, sheet; /* before there are samples; without a wave; on a thin sheet */
} Bad;

static PetscErrorCode CreateBad(void *ctx)
{
  const Bad     *bad = (const Bad *)ctx;
  const Way      way = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  DM             dm;
  PlexDG         dg;
  PlexDGFarField x    = NULL;
  PetscReal      r[3] = {1., 0., 0.}, A[6];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(FewCreate(PETSC_COMM_WORLD, &way, &dm, &dg));
  if (bad->quiet) PetscCall(PlexDGSetTotalField(dg, NULL, 0));
  if (bad->sheet) PetscCall(PlexDGAddSheet(dg, bad->label, bad->value, 2.));
  PetscCall(LabelCells(dm));
  {
    DMLabel  open;
    PetscInt fStart, fEnd, value;

    PetscCall(PlexTestGetLabel(dm, "open", &open));
    PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
    for (PetscInt f = fStart, n = 0; f < fEnd && n < 10; ++f) {
      PetscCall(DMGetLabelValue(dm, "sphere", f, &value));
      if (value == 3) PetscCall(DMLabelSetValue(open, f, 1));
      n += value == 3;
    }
  }
  ierr = PlexDGFarFieldCreate(dg, bad->label, bad->value, 1, &bad->frequency, &x);
  if (!ierr && bad->early) ierr = PlexDGFarFieldGetAmplitudes(x, 1, r, A);
  if (!ierr && bad->quiet) ierr = PlexDGFarFieldGetCrossSections(x, 1, r, A);
  PetscCall(PlexDGFarFieldDestroy(&x));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(ierr);
}

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  EXPECT("a surface that is not closed is an error", CreateBad, (&(Bad){.label = "open", .value = 1, .frequency = 1.}),
         "not closed", "open");
  EXPECT("so is one between materials", CreateBad, (&(Bad){.label = "sphere", .value = 1, .frequency = 1.}),
         "one material", "epsilon");
  EXPECT("so is the surface of the total field", CreateBad, (&(Bad){.label = "sphere", .value = 2, .frequency = 1.}),
         "surface of the total field", "inside or outside");
  EXPECT("so is a thin sheet", CreateBad,
         (&(Bad){.label = "sphere", .value = 2, .frequency = 1., .quiet = PETSC_TRUE, .sheet = PETSC_TRUE}),
         "thin sheet", "around it");
  EXPECT("so is a label that there is not", CreateBad, (&(Bad){.label = "skin", .value = 3, .frequency = 1.}),
         "no label skin");
  EXPECT("so is a frequency of 0", CreateBad, (&(Bad){.label = "sphere", .value = 3, .frequency = 0.}), "more than 0");
  EXPECT("so is a far field without samples", CreateBad,
         (&(Bad){.label = "sphere", .value = 3, .frequency = 1., .early = PETSC_TRUE}), "samples",
         "PlexDGFarFieldSetTS()");
  EXPECT("so is a cross-section without wave", CreateBad,
         (&(Bad){.label = "sphere", .value = 3, .frequency = 1., .quiet = PETSC_TRUE}), "incident wave",
         "PlexDGFarFieldGetAmplitudes()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the surface of a sphere the tangential E of Mie's series is the same inside and outside, epsilon times the normal one
   as well; on a conductor's there is no tangential one */
static PetscErrorCode TestNear(void)
{
  const PetscReal at[3]           = {0.48, -0.6, 0.64};
  const double _Complex epsilon[] = {0., 2.25, -3. + __extension__ 0.4i};

  PetscFunctionBegin;
  for (int b = 0; b < 3; ++b) {
    double _Complex E[2][3], normal[2] = {0., 0.};
    PetscReal jump = 0., tangential = 0.;
    char      of[64];

    for (int side = 0; side < 2; ++side) {
      PetscReal x[3];

      for (int d = 0; d < 3; ++d) x[d] = at[d] * (1. + (side ? 1e-11 : -1e-11));
      PetscCall(MieField(2.3, 1., (PetscBool)!b, csqrt(epsilon[b]), x, E[side]));
      for (int d = 0; d < 3; ++d) normal[side] += at[d] * E[side][d];
    }
    for (int d = 0; d < 3; ++d) {
      jump       = PetscMax(jump, cabs(E[1][d] - normal[1] * at[d] - E[0][d] + normal[0] * at[d]));
      tangential = PetscMax(tangential, cabs(E[1][d] - normal[1] * at[d]));
    }
    PetscCall(PetscSNPrintf(of, sizeof(of), "a sphere of epsilon %g%+gi (0: a conductor)", creal(epsilon[b]),
                            cimag(epsilon[b])));
    PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-8 && cabs(normal[1]) > 0.1 &&
                                           (!b ||
                                            (tangential > 0.1 && cabs(normal[1] - epsilon[b] * normal[0]) < 1e-8))),
                               of, "Mie's series keeps the conditions at its surface", "jumps of %g, %g", (double)jump,
                               cabs(normal[1] - epsilon[b] * normal[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Sphere spheres[] = {
    {"the scattered field of a conducting sphere", PETSC_TRUE,  PETSC_FALSE, 1.,   0., 0.08, 2, PETSC_FALSE},
    {"the total field of a conducting sphere",     PETSC_TRUE,  PETSC_TRUE,  1.,   0., 0.08, 2, PETSC_TRUE },
    {"a sphere of glass",                          PETSC_FALSE, PETSC_TRUE,  2.25, 0., 0.08, 2, PETSC_FALSE},
    {"a sphere that conducts a little",            PETSC_FALSE, PETSC_TRUE,  2.25, 1., 0.06, 2, PETSC_FALSE}
  };
  const char *const *backends;
  PetscReal          host[FEW];
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(FewRun(PETSC_COMM_WORLD, &(Way){PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}, FEW_STEPS, NULL, NULL,
                   host));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool isHost = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);

    if (!isHost && size == 1) PetscCall(TestTypes(backends[b], host));
    PetscCall(TestCheckpoint(backends[b], isHost ? PLEXDGHOST : PLEXDGFUSED));
  }
  if (size == 1) {
    PetscCall(TestFile());
    PetscCall(TestNear());
    PetscCall(TestErrors());
    PetscCall(TestCurrent());
    PetscCall(TestDipole());
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spheres); ++k)
      if (PlexTestLong() || spheres[k].always) PetscCall(TestSphere(&spheres[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
