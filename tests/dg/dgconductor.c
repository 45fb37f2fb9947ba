static char
  help[] = "Boundaries that are good conductors, and thin sheets, of nodal DG: poles of the impedance, reflection and "
           "transmission of a pulse at 20 frequencies, energy, types, processes, checkpoints, errors.\n\n";

#include "dgproblem.h"
#include "report.h"
#include <complex.h>

typedef double _Complex Number;

/* ---- Poles */

static PetscErrorCode TestPoles(void)
{
  static const PetscReal cases[][5] = {
    {10.,   1.,  9.,   1.,              0.       },
    {5.8e7, 6e9, 6e10, 4e-7 * PETSC_PI, 8.854e-12},
    {200.,  0.1, 10.,  2.,              1.5      },
    {1e4,   1.,  2e3,  1.,              0.1      }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const PetscReal *c = cases[k];
    PetscReal        R, r[16], p[16], error, most = 0., least, rest;
    PetscInt         n;
    char             of[128];

    PetscCall(PlexDGFitConductor(c, &n, &R, r, p, &error));
    rest  = R;
    least = PETSC_MAX_REAL;
    for (PetscInt i = 0; i < n; ++i) {
      rest -= r[i];
      least = PetscMin(least, PetscMin(r[i] / R, p[i] / c[2]));
    }
    for (PetscInt i = 0; i <= 100; ++i) {
      const PetscReal w = c[1] * PetscPowReal(c[2] / c[1], i / 100.);
      const Number    Z = csqrt(I * w * c[3] / (c[0] + I * w * c[4]));
      Number          z = R;

      for (PetscInt j = 0; j < n; ++j) z -= r[j] * p[j] / (I * w + p[j]);
      most = PetscMax(most, cabs(z / Z - 1.));
    }
    PetscCall(PetscSNPrintf(of, sizeof(of), "sigma %g, frequencies %g to %g", (double)c[0], (double)c[1],
                            (double)c[2]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " poles, error %.3g\n", of, n, (double)most));
    PetscCall(PlexTestReportOf((PetscBool)(most < 1.001e-3 && error <= 1e-3 && least > 0. && rest >= -1e-14 * R), of,
                               "a sum of passive poles", "error %g and %g, least %g, at frequency 0 %g", (double)most,
                               (double)error, (double)least, (double)rest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A strip along x, epsilon = mu = 1: E = f(x - x0 - t), E_z, or E_y */

#define LENGTH 4.
#define CELLS  12
#define WIDTH  0.3
#define FILM   (LENGTH * 2. / 3.) /* where the sheet is */

static PetscErrorCode Strip(DM *dm)
{
  PetscInt     n, fStart, fEnd, cells[6 * CELLS];
  PetscReal    corners[4 * (CELLS + 1)];
  PetscScalar *x;
  Vec          coordinates;
  DMLabel      film, wall, end;

  PetscFunctionBegin;
  for (PetscInt i = 0; i <= CELLS; ++i)
    for (PetscInt j = 0; j < 2; ++j) {
      corners[4 * i + 2 * j]     = i / (PetscReal)CELLS;
      corners[4 * i + 2 * j + 1] = (PetscReal)j;
    }
  for (PetscInt i = 0; i < CELLS; ++i) {
    const PetscInt v = 2 * i, two[6] = {v, v + 2, v + 3, v, v + 3, v + 1};

    PetscCall(PetscArraycpy(&cells[6 * i], two, 6));
  }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, 2, 2 * CELLS, 2 * (CELLS + 1), 3, PETSC_TRUE, cells, 2,
                                          corners, dm));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2) {
    x[i] *= LENGTH;
    x[i + 1] *= LENGTH / CELLS;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscCall(PlexTestGetLabel(*dm, "film", &film));
  PetscCall(PlexTestGetLabel(*dm, "wall", &wall));
  PetscCall(DMPlexGetHeightStratum(*dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscReal at[3], normal[3];

    PetscCall(DMPlexComputeCellGeometryFVM(*dm, f, NULL, at, normal));
    if (PetscAbsReal(at[0] - FILM) < 1e-6 && PetscAbsReal(normal[1]) < 1e-6) PetscCall(DMLabelSetValue(film, f, 1));
    if (PetscAbsReal(at[0] - LENGTH) < 1e-6) PetscCall(DMLabelSetValue(wall, f, 1));
  }
  PetscCall(PlexTestGetLabel(*dm, "end", &end));
  for (PetscInt c = CELLS; c < 2 * CELLS; ++c) PetscCall(DMLabelSetValue(end, c, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal x0;
  PetscBool magnetic; /* E_y and H_z, else E_z and H_y */
} Incident;

static PetscErrorCode Pulse(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Incident *p = (const Incident *)ctx;
  const PetscReal s = (x[0] - p->x0 - t) / WIDTH;

  PetscFunctionBegin;
  (void)dim;
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  u[p->magnetic ? 1 : 2] = PetscExpReal(-s * s);
  u[p->magnetic ? 5 : 4] = p->magnetic ? u[1] : -u[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Transforms of E_z in time, at two nodes */
#define FREQUENCIES 20
typedef struct {
  PetscInt  at[2];
  PetscReal w[FREQUENCIES];
  Number    sum[2][FREQUENCIES];
} Signal;

static PetscErrorCode SignalSee(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Signal            *s = (Signal *)ctx;
  const PetscScalar *u;
  PetscReal          dt;

  PetscFunctionBegin;
  (void)step;
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(VecGetArrayRead(U, &u));
  for (int k = 0; k < 2; ++k)
    for (int f = 0; f < FREQUENCIES; ++f) s->sum[k][f] += dt * PetscRealPart(u[s->at[k]]) * cexp(-I * s->w[f] * t);
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry of a field of the vector that is at (x, 0) */
static PetscErrorCode FindNode(PlexDG dg, PetscReal x, PetscInt field, PetscInt *at)
{
  const PetscReal *nodes;
  PetscInt         Ne, Np;

  PetscFunctionBegin;
  *at = -1;
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &nodes));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i)
      if (PetscAbsReal(nodes[2 * (e * Np + i)] - x) + PetscAbsReal(nodes[2 * (e * Np + i) + 1]) < 1e-9)
        *at = (6 * e + field) * Np + i;
  PetscCheck(*at >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No node at %g", (double)x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What comes to x[2] of a pulse that is at x0 in the beginning, over its own transform there */
static PetscErrorCode Run(PetscReal alpha, const char wall[], PetscReal G, PetscReal x0, PetscBool magnetic,
                          const PetscReal x[2], PetscReal T, Signal *s)
{
  Incident in = {x0, magnetic};
  DM       dm;
  PlexDG   dg;
  TS       ts;
  Vec      U;

  PetscFunctionBegin;
  PetscCall(Strip(&dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, 5));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, magnetic ? "pec" : "pmc"));
  PetscCall(PlexDGAddBoundary(dg, "sides", 1, "absorbing"));
  PetscCall(PlexDGAddBoundary(dg, "sides", 2, wall));
  if (G > 0.) PetscCall(PlexDGAddSheet(dg, "film", PETSC_DETERMINE, G));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Pulse, &in, U));
  *s = (Signal){
    .at = {0, 0}
  };
  for (int k = 0; k < 2; ++k) PetscCall(FindNode(dg, x[k], magnetic ? 1 : 2, &s->at[k]));
  for (int f = 0; f < FREQUENCIES; ++f) s->w[f] = 1. + 6. * f / (FREQUENCIES - 1);
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, SignalSee, s, NULL));
  PetscCall(TSSolve(ts, U));
  for (int k = 0; k < 2; ++k)
    for (int f = 0; f < FREQUENCIES; ++f) {
      const PetscReal w = s->w[f];

      s->sum[k][f] /= WIDTH * PetscSqrtReal(PETSC_PI) * PetscExpReal(-w * w * WIDTH * WIDTH / 4.);
    }
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A wall, at normal incidence: (Z - 1)/(Z + 1) */
static PetscErrorCode TestReflection(void)
{
  static const struct {
    PetscReal sigma, epsilon, alpha;
    PetscBool magnetic;
  } cases[] = {
    {90., 1., 1., PETSC_FALSE},
    {90., 0., 0., PETSC_TRUE },
    {1e4, 1., 1., PETSC_TRUE }
  };
  const PetscReal x0 = 0.5 * LENGTH, x[2] = {LENGTH / 6., LENGTH / 6.};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    PetscReal most = 0., sum = 0.;
    Signal    s;
    char      wall[64];

    PetscCall(PetscSNPrintf(wall, sizeof(wall), "conductor:%g,0.5,9,1,%g", (double)cases[k].sigma,
                            (double)cases[k].epsilon));
    PetscCall(Run(cases[k].alpha, wall, 0., x0, cases[k].magnetic, x, 20., &s));
    for (int f = 0; f < FREQUENCIES; ++f) {
      const Number Z     = csqrt(I * s.w[f] / (cases[k].sigma + I * s.w[f] * cases[k].epsilon)),
                   found = s.sum[0][f] * cexp(I * s.w[f] * (2. * LENGTH - x0 - x[0]));

      most = PetscMax(most, cabs(found - (Z - 1.) / (Z + 1.)) / cabs((Z - 1.) / (Z + 1.)));
      sum  = PetscMax(sum, cabs((1. + found) / (2. * Z / (Z + 1.)) - 1.)); /* of E at the wall */
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "sigma %g, alpha %g: reflection within %.2g, E at the wall within %.2g\n",
                          (double)cases[k].sigma, (double)cases[k].alpha, (double)most, (double)sum));
    PetscCall(PlexTestReportOf((PetscBool)(most < 4e-3 && sum < 0.01), wall, "(Z - 1)/(Z + 1) at 20 frequencies",
                               "%g, %g of E", (double)most, (double)sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sheet: 2/(2 + G) goes through, -G/(2 + G) back */
static PetscErrorCode TestSheet(void)
{
  static const PetscReal cases[][2] = {
    {0.5, 1.},
    {2.,  0.},
    {50., 1.},
    {50., 0.}
  };
  const PetscReal x0 = LENGTH / 3., x[2] = {LENGTH / 12., LENGTH * 11. / 12.};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const PetscReal G = cases[k][0], through = 2. / (2. + G), back = -G / (2. + G);
    PetscReal       most[2] = {0., 0.};
    Signal          s;
    char            of[64];

    PetscCall(Run(cases[k][1], "absorbing", G, x0, (PetscBool)(k % 2), x, 6., &s));
    for (int f = 0; f < FREQUENCIES; ++f) {
      most[0] = PetscMax(most[0], cabs(s.sum[0][f] * cexp(I * s.w[f] * (2. * FILM - x0 - x[0])) - back) / -back);
      most[1] = PetscMax(most[1], cabs(s.sum[1][f] * cexp(I * s.w[f] * (x[1] - x0)) - through) / through);
    }
    PetscCall(PetscSNPrintf(of, sizeof(of), "sheet of G %g, alpha %g", (double)G, (double)cases[k][1]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: transmission within %.2g, reflection within %.2g\n", of,
                          (double)most[1], (double)most[0]));
    PetscCall(PlexTestReportOf((PetscBool)(most[0] < 4e-3 && most[1] < 4e-3), of, "2/(2 + G) goes through",
                               "%g, back %g", (double)most[1], (double)most[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Boxes: energy, types, processes, checkpoints */

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
  PetscInt      N;
  PetscReal     alpha;
  const char   *scheme;
} Way;

/* Sides 2 and 4 are conductors, and there is a sheet in the middle */
static PetscErrorCode Create(DM dm, const Way *way, PlexDG *dg, Vec *U)
{
  DMLabel  film;
  PetscInt fStart, fEnd, support, dim;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "film", &film));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscReal x[3], normal[3], across = 0.;

    PetscCall(DMPlexGetSupportSize(dm, f, &support));
    PetscCall(DMPlexComputeCellGeometryFVM(dm, f, NULL, x, normal));
    for (PetscInt d = 1; d < dim; ++d) across += PetscAbsReal(normal[d]);
    if (PetscAbsReal(x[0] - 0.5) < 1e-6 && across < 1e-6) PetscCall(DMLabelSetValue(film, f, 1));
  }
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, way->N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  if (way->type) PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &way->alpha));
  PetscCall(PlexDGSetCoefficients(*dg, PlexTestUneven, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 2, "conductor:100,1,9"));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 4, "conductor:700,1,30,2,0"));
  PetscCall(PlexDGAddSheet(*dg, "film", 1, 1.7));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexDGProject(*dg, 0., PlexTestRough, NULL, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* numbers: norm, time, energy in the beginning, the most of later steps, in the end */
static PetscErrorCode EnergySee(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PetscReal *numbers = (PetscReal *)ctx;
  PlexDG     dg;

  PetscFunctionBegin;
  (void)t;
  PetscCall(TSGetApplicationContext(ts, &dg));
  PetscCall(PlexDGComputeEnergy(dg, U, &numbers[4]));
  if (!step) numbers[2] = numbers[4];
  else numbers[3] = PetscMax(numbers[3], numbers[4]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Steps(DM dm, const Way *way, PetscInt steps, const char from[], const char to[], Vec *U,
                            PetscReal numbers[5])
{
  PlexDG dg;
  TS     ts;

  PetscFunctionBegin;
  for (int k = 0; k < 5; ++k) numbers[k] = 0.;
  PetscCall(Create(dm, way, &dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &ts));
  PetscCall(TSSetSolution(ts, *U));
  PetscCall(PlexDGSetTS(dg, ts));
  if (way->scheme) PetscCall(TSPlexLowStorageSetScheme(ts, way->scheme));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetApplicationContext(ts, dg));
  PetscCall(TSMonitorSet(ts, EnergySee, numbers, NULL));
  if (from) PetscCall(PlexDGLoadCheckpoint(dg, ts, from, *U));
  PetscCall(TSSolve(ts, *U));
  if (to) PetscCall(PlexDGSaveCheckpoint(dg, ts, *U, to));
  PetscCall(TSGetTime(ts, &numbers[1]));
  PetscCall(VecNorm(*U, NORM_2, &numbers[0]));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields get back from the variables no more than they gave: energy is never above that of the beginning */
static PetscErrorCode TestEnergy(void)
{
  static const struct {
    PetscInt    dim, N;
    PetscReal   alpha;
    const char *scheme;
  } cases[] = {
    {2, 1, 0.,  NULL         },
    {2, 4, 0.5, NULL         },
    {2, 3, 0.,  "williamson3"},
    {2, 2, 1.,  "midpoint"   },
    {3, 2, 0.,  NULL         }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const Way way = {PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, cases[k].N, cases[k].alpha, cases[k].scheme};
    PetscReal numbers[5];
    DM        dm;
    Vec       U;
    char      of[128];

    PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, cases[k].dim, 2, PETSC_FALSE, &dm));
    PetscCall(PlexTestLabelSides(dm));
    PetscCall(Steps(dm, &way, 200, NULL, NULL, &U, numbers));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%" PetscInt_FMT "D, degree %" PetscInt_FMT ", alpha %g, %s", cases[k].dim,
                            cases[k].N, (double)cases[k].alpha, cases[k].scheme ? cases[k].scheme : "ck45"));
    PetscCall(PlexTestReportOf((PetscBool)(numbers[3] <= numbers[2] && numbers[4] < 0.8 * numbers[2]), of,
                               "energy falls in 200 steps", "from %g, at most %g, to %g", (double)numbers[2],
                               (double)numbers[3], (double)numbers[4]));
    PetscCall(VecDestroy(&U));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(DM dm, DM whole, const char file[], const Way *way)
{
  const PetscReal most = way->precision == PLEX_PRECISION_SINGLE ? 2e-5 : 1e-12;
  Way             host = *way;
  PetscReal       numbers[4][5], apart, half, same;
  Vec             U[4];
  char            of[128];

  PetscFunctionBegin;
  host.backend   = PLEXBACKENDHOST;
  host.type      = NULL;
  host.precision = PLEX_PRECISION_DOUBLE;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s", way->backend, way->type ? way->type : "",
                          PlexPrecisions[way->precision]));
  PetscCall(Steps(dm, &host, 8, NULL, NULL, &U[0], numbers[0]));
  PetscCall(Steps(dm, way, 8, NULL, NULL, &U[1], numbers[1]));
  PetscCall(VecAXPY(U[0], -1., U[1]));
  PetscCall(VecNorm(U[0], NORM_2, &apart));
  PetscCall(PlexTestReportOf((PetscBool)(apart <= most * numbers[0][0] && numbers[0][0] > 0.), of, "the host's steps",
                             "%g of %g", (double)apart, (double)numbers[0][0]));
  PetscCall(Steps(whole, way, 8, NULL, NULL, &U[2], numbers[2]));
  PetscCall(VecDestroy(&U[2]));
  apart = PetscAbsReal(numbers[2][0] / numbers[1][0] - 1.);
  PetscCall(PlexTestReportOf((PetscBool)(apart <= most), of, "several processes do as one", "%g", (double)apart));
  if (PetscDefined(HAVE_HDF5)) {
    PetscCall(Steps(dm, way, 4, NULL, file, &U[2], numbers[2]));
    PetscCall(Steps(dm, way, 8, file, NULL, &U[3], numbers[3]));
    PetscCall(VecAXPY(U[3], -1., U[1]));
    PetscCall(VecAXPY(U[2], -1., U[1]));
    PetscCall(VecNorm(U[3], NORM_INFINITY, &same));
    PetscCall(VecNorm(U[2], NORM_INFINITY, &half));
    PetscCall(PlexTestReportOf((PetscBool)(same == 0. && half > 0.), of, "4 steps, a checkpoint and 4 more are 8",
                               "%g, without the last 4 %g", (double)same, (double)half));
    PetscCall(VecDestroy(&U[2]));
    PetscCall(VecDestroy(&U[3]));
    PetscCall(Steps(whole, way, 8, file, NULL, &U[2], numbers[2]));
    PetscCall(VecDestroy(&U[2]));
    apart = PetscAbsReal(numbers[2][0] / numbers[1][0] - 1.);
    PetscCall(PlexTestReportOf((PetscBool)(apart <= most), of, "a checkpoint is continued on one process", "%g",
                               (double)apart));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  PetscCall(VecDestroy(&U[0]));
  PetscCall(VecDestroy(&U[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[], const char file[])
{
  static const char *const types[] = {PLEXDGPLAIN, PLEXDGFUSED};
  const PetscBool          host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST),
                           device  = (PetscBool)(!host && strcmp(backend, "emulate"));
  DM                       dm, whole;
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt dim = 2; dim < (size > 1 && !host && !device ? 3 : 4); ++dim) {
    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
    PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(PlexTestLabelSides(dm));
    PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, dim, 2, PETSC_FALSE, &whole));
    PetscCall(PlexTestLabelSides(whole));
    for (int t = 0; t < (host ? 1 : 2); ++t)
      for (int p = 0; p < 2; ++p) {
        const Way way = {backend, host ? NULL : types[t], (PlexPrecision)p, dim == 2 ? 3 : 1, 0.6, NULL};

        /* emulated kernels take long to compile: each type, precision and dimension once or more */
        if (!host && !device && (t + p + dim) % 2) continue;
        PetscCall(TestWay(dm, whole, file, &way));
      }
    PetscCall(DMDestroy(&dm));
    PetscCall(DMDestroy(&whole));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options, and what is wrong */

typedef struct {
  DM          dm;
  const char *options, *bc, *type; /* type: of a TS that makes a step */
  char       *text;                /* NULL, or what the view says */
} Setting;

static PetscErrorCode SetIt(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  PlexDG         dg;
  Vec            U;
  TS             ts;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, s->options));
  PetscCall(PlexDGCreate(s->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, s->bc ? s->bc : "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  if (s->type) {
    PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(TSSetType(ts, s->type));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, 1));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
  } else PetscCall(PlexDGView(dg, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WRONG(name, options, bc, type, ...) \
  do { \
    EXPECT(name, SetIt, (&(Setting){dm, options, bc, type, NULL}), __VA_ARGS__); \
    PetscCall(PlexTestClearOptions(options)); \
  } while (0)

static PetscErrorCode TestErrors(void)
{
  const char *const options = "-plex_dg_conductor_sides 500,1,10 -plex_dg_sheet_film 0.3";
  DM                dm;
  char              text[8192], *found[3];

  PetscFunctionBegin;
  PetscCall(Strip(&dm));
  WRONG("no band", "-plex_dg_conductor 100", NULL, NULL, "sigma,from,to", "not 100");
  WRONG("a band that is none", "-plex_dg_conductor 100,2,1", NULL, NULL, "angular frequency 2. to 1.");
  WRONG("no good conductor", "-plex_dg_conductor 50,1,10", NULL, NULL, "is none at angular frequency 10",
        "-plex_dg_material");
  WRONG("too wide a band", "-plex_dg_conductor 1e12,1,1e9", NULL, NULL, "narrower band");
  WRONG("no number", "-plex_dg_bc conductor", NULL, NULL, "sigma,from,to", "not none");
  WRONG("no facet", "-plex_dg_sheet_foil 1", NULL, NULL, "no label foil");
  WRONG("a negative conductance", "-plex_dg_sheet_film -1", NULL, NULL, "conductance -1", "0 or more");
  WRONG("a sheet on the boundary", "-plex_dg_sheet_sides 1", NULL, NULL, "on the boundary of the mesh",
        "-plex_dg_impedance");
  WRONG("Runge-Kutta methods", "-plex_dg_conductor 100,1,9", NULL, TSRK, "-ts_type lowstorage", "rk does not");
  WRONG("local time steps", "-plex_dg_conductor 100,1,9", NULL, TSPLEXMULTIRATE, "-ts_type lowstorage");
  WRONG("a perfectly matched layer", "-plex_dg_conductor 100,1,9 -plex_dg_pml_end box", NULL, NULL,
        "cell of the perfectly matched layer", "use pec");
  WRONG("where a wave enters", "-plex_dg_conductor 100,1,9 -plex_dg_total_field end", NULL, NULL,
        "where the incident wave enters", "a cell apart");
  WRONG("curved cells", "-plex_dg_conductor 100,1,9 -plex_dg_curve_wall circle,0,0.1667,4.003", NULL, NULL, "curved",
        "-plex_dg_impedance");
  PetscCall(PlexTestCapture(SetIt, &(Setting){dm, options, NULL, NULL, text}, text, sizeof(text)));
  PetscCall(PlexTestClearOptions(options));
  PetscCall(PetscStrstr(text, "facets conductor", &found[0]));
  PetscCall(PetscStrstr(text, "conductor: sigma 500., mu 1., epsilon 1., angular frequencies 1. to 10.", &found[1]));
  PetscCall(PetscStrstr(text, "sheets: 1 facets", &found[2]));
  PetscCall(PlexTestReport((PetscBool)(found[0] && found[1] && found[2]), "the view", "%s", text));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;
  char               file[PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestOwnFile("conductor", "h5", sizeof(file), file));
  PetscCall(PlexTestBackends(&n, &backends));
  if (size == 1) {
    PetscCall(TestPoles());
    PetscCall(TestReflection());
    PetscCall(TestSheet());
    PetscCall(TestEnergy());
    PetscCall(TestErrors());
  }
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b], file));
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
