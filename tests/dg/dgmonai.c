static char
  help[] = "Benchmark problem 7 of the US National Tsunami Hazard Mitigation Program (NTHMP, 2012): the run-up in the "
           "valley of Monai, in the laboratory. Bathymetry and wave are NTHMP's files, which are not here:\n"
           "  -nthmp_data FOLDER  has Benchmark_2_Bathymetry.txt and Benchmark_2_input.txt; else the environment "
           "variable PLEXGPU_NTHMP_DATA says where they are\n"
           "  -cell M             length of the finest cells (0.02); -degree N of the polynomials (1)\n\n";

#include <plexgpudg.h>
#include "meshes.h"
#include "dgproblem.h"
#include "report.h"
#include "runup.h"

#define LABORATORY 0.1  /* limit of a laboratory's, as for problem 4 (dgnthmp.c) */
#define FILM       1e-3 /* m; of less depth water counts as dry, and is not seen, as there */
#define MANNING    0.01 /* SWALS of GeoScience Australia has it for this problem */
#define GRAVITY    9.81
#define END        21. /* s; highest water is at 17 to 18.5 s */
#define STRIP      3   /* columns of cells before x = 0 that the wave is given in */

#define GAUGES 3
#define PLACES 3

/* Gauges 5, 7 and 9: place, highest water of the record of NTHMP's file, and its time */
static const PetscReal   gauges[2 * GAUGES]        = {4.521, 1.196, 4.521, 1.696, 4.521, 2.196},
                                    crests[GAUGES] = {0.03694, 0.03895, 0.04535}, times[GAUGES] = {18.35, 17., 16.85};
static const char *const names[GAUGES] = {"gauge 5", "gauge 7", "gauge 9"};

/* Run-up at three y, of six runs of Matsuyama and Tanaka (2001): mean, least and most. The first is in the valley. */
static const PetscReal places[PLACES]   = {1.88, 2.2062, 2.32};
static const PetscReal runup[PLACES][3] = {
  {0.0896, 0.08,   0.1   },
  {0.0604, 0.0525, 0.0675},
  {0.0561, 0.0525, 0.0575}
};
#define BAND 0.05 /* around these y */

typedef struct {
  PetscInt   n[2];  /* of the raster */
  PetscReal  step;  /* 0.014 m */
  PetscReal *depth; /* [n[0]][n[1]] */
  PetscInt   waves;
  PetscReal *when, *eta; /* [waves] of the wave at x = 0 */
} Data;

typedef struct {
  const char *backend;
  PetscInt    N, steps; /* degree; steps at most, 0: to the end */
  PetscReal   cell;     /* length of the finest */
} Case;

typedef struct {
  Case          c; /* of some steps */
  Data          data;
  PlexTestRunup runup;
  PetscInt      Np, n; /* nodes of an element; nodes where the wave is given */
  PetscInt     *at;    /* [n] their elevation in the state */
  PetscReal    *x;     /* [n] */
  PetscReal     norm;  /* of the last state */
} Run;

/* ---- NTHMP's files */

static PetscErrorCode Open(const char folder[], const char name[], FILE **file)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, name));
  *file = fopen(path, "r");
  PetscCheck(*file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "There is no file %s: -nthmp_data is the folder of NTHMP's files of problem 7", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines "x y depth" behind a title, y the fastest */
static PetscErrorCode ReadDepths(const char folder[], Data *data)
{
  FILE    *file;
  char     line[256];
  double   x, y, z, last[2] = {0., 0.};
  PetscInt n = 0, most = 1000;

  PetscFunctionBegin;
  PetscCall(Open(folder, "Benchmark_2_Bathymetry.txt", &file));
  PetscCall(PetscMalloc1(most, &data->depth));
  while (fgets(line, sizeof(line), file)) {
    if (sscanf(line, "%lf %lf %lf", &x, &y, &z) != 3) continue;
    if (n == most) PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)(most *= 2), &data->depth));
    if (n == 1) data->step = y;
    if (x == 0.) data->n[1] = n + 1;
    data->depth[n++] = z;
    last[0]          = x;
    last[1]          = y;
  }
  fclose(file);
  data->n[0] = data->n[1] ? n / data->n[1] : 0;
  PetscCheck(data->n[0] > 1 && data->n[1] > 1 && n == data->n[0] * data->n[1] &&
               PetscAbsReal(last[0] - (data->n[0] - 1) * data->step) < 1e-6 &&
               PetscAbsReal(last[1] - (data->n[1] - 1) * data->step) < 1e-6,
             PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "The bathymetry is no raster of squares: %" PetscInt_FMT " points, of which %" PetscInt_FMT " at x = 0", n,
             data->n[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines "time elevation" behind a title */
static PetscErrorCode ReadWave(const char folder[], Data *data)
{
  FILE          *file;
  char           line[256];
  double         t, eta;
  const PetscInt most = 1000;

  PetscFunctionBegin;
  PetscCall(Open(folder, "Benchmark_2_input.txt", &file));
  PetscCall(PetscMalloc2(most, &data->when, most, &data->eta));
  while (fgets(line, sizeof(line), file)) {
    if (sscanf(line, "%lf %lf", &t, &eta) != 2) continue;
    PetscCheck(data->waves < most && (!data->waves || t > data->when[data->waves - 1]), PETSC_COMM_SELF,
               PETSC_ERR_FILE_UNEXPECTED,
               "The wave's time %g is not behind the one before, or there are more than %" PetscInt_FMT, t, most);
    data->when[data->waves]  = t;
    data->eta[data->waves++] = eta;
  }
  fclose(file);
  PetscCheck(data->waves > 1, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "The file of the wave has no times");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bilinear; before x = 0 as there */
static PetscReal Depth(const Data *data, PetscReal x, PetscReal y)
{
  const PetscReal p[2] = {x / data->step, y / data->step};
  PetscReal       d    = 0., s[2];
  PetscInt        i[2];

  for (PetscInt k = 0; k < 2; ++k) {
    i[k] = PetscClipInterval((PetscInt)PetscFloorReal(p[k]), 0, data->n[k] - 2);
    s[k] = PetscClipInterval(p[k] - i[k], 0., 1.);
  }
  for (PetscInt k = 0; k < 4; ++k)
    d += (k / 2 ? s[0] : 1. - s[0]) * (k % 2 ? s[1] : 1. - s[1]) *
         data->depth[(i[0] + k / 2) * data->n[1] + i[1] + k % 2];
  return d;
}

static PetscReal Wave(const Data *data, PetscReal t)
{
  PetscInt i = 0;

  t = PetscClipInterval(t, data->when[0], data->when[data->waves - 1]);
  while (i < data->waves - 2 && data->when[i + 1] < t) ++i;
  return data->eta[i] + (data->eta[i + 1] - data->eta[i]) * (t - data->when[i]) / (data->when[i + 1] - data->when[i]);
}

/* ---- The mesh: lines whose distances differ */

#define PARTS 6

typedef struct {
  PetscInt  n[PARTS]; /* cells of each part */
  PetscReal end[PARTS + 1];
} Axis;

static void SetAxes(const Data *data, PetscReal h, Axis axis[2])
{
  const PetscReal length = (data->n[0] - 1) * data->step, width = (data->n[1] - 1) * data->step,
                  end[2][PARTS + 1] =
                    {
                      {-STRIP * 6. * h, 0.,  3.,  4.2, 4.8, 5.3, length},
                      {0.,              0.6, 1.2, 1.6, 2.4, 2.8, width }
  },
                  factor[2][PARTS] = {{6., 6., 3., 2., 1., 4.}, {6., 4., 2., 1., 2., 6.}};

  for (PetscInt d = 0; d < 2; ++d)
    for (PetscInt p = 0; p <= PARTS; ++p) {
      axis[d].end[p] = end[d][p];
      if (p < PARTS)
        axis[d].n[p] = PetscMax(1, (PetscInt)PetscFloorReal(0.5 + (end[d][p + 1] - end[d][p]) / (factor[d][p] * h)));
    }
}

static PetscReal Position(const Axis *a, PetscInt i)
{
  PetscInt part = 0;

  while (part < PARTS - 1 && i > a->n[part]) i -= a->n[part++];
  return a->end[part] + (a->end[part + 1] - a->end[part]) * i / a->n[part];
}

static PetscErrorCode Mesh(const Data *data, PetscReal h, DM *dm)
{
  Axis         axis[2];
  PetscInt     n[2], size;
  Vec          coordinates;
  PetscScalar *at;

  PetscFunctionBegin;
  SetAxes(data, h, axis);
  for (PetscInt d = 0; d < 2; ++d) {
    n[d] = 0;
    for (PetscInt p = 0; p < PARTS; ++p) n[d] += axis[d].n[p];
  }
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, n, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, dm));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &at));
  for (PetscInt k = 0; k < size; ++k)
    at[k] = Position(&axis[k % 2], (PetscInt)PetscFloorReal(0.5 + PetscRealPart(at[k]) * n[k % 2]));
  PetscCall(VecRestoreArray(coordinates, &at));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bottom(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = Depth((const Data *)ctx, x[0], x[1]);
  for (PetscInt i = 1; i < n; ++i) k[i] = i == 2; /* no Coriolis force, a plane */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rest(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = u[1] = u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Steps */

/* Vertices on land near the places of run-up; ctx is the Data */
static PetscInt NearPlace(const PetscReal x[], PetscReal *depth, void *ctx)
{
  *depth = Depth((const Data *)ctx, x[0], x[1]);
  for (PetscInt p = 0; p < PLACES && *depth < 0.; ++p)
    if (PetscAbsReal(x[1] - places[p]) < BAND) return p;
  return -1;
}

static PetscErrorCode FindStrip(PlexDG dg, Run *run)
{
  const PetscReal *x;
  PetscInt         Ne;

  PetscFunctionBegin;
  PetscCall(PlexDGGetNodes(dg, &Ne, &run->Np, &x));
  PetscCall(PetscMalloc2(Ne * run->Np, &run->at, Ne * run->Np, &run->x));
  for (PetscInt e = 0; e < Ne; ++e) {
    const PetscReal *here = &x[2 * e * run->Np];
    PetscReal        mean = 0.;

    for (PetscInt i = 0; i < run->Np; ++i) mean += here[2 * i] / run->Np;
    for (PetscInt i = 0; i < run->Np && mean < 0.; ++i) {
      run->at[run->n]  = e * 3 * run->Np + i;
      run->x[run->n++] = here[2 * i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before each step the strip has a wave that runs to x = 0, where it is the given one. What comes from the strip's outer
   side does not get through it in a step. */
static PetscErrorCode Give(TS ts)
{
  Run         *run;
  Vec          U;
  PetscScalar *u;
  PetscReal    t, d, c;

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &run));
  d = Depth(&run->data, 0., 0.);
  c = PetscSqrtReal(GRAVITY * d);
  PetscCall(TSGetTime(ts, &t));
  PetscCall(TSGetSolution(ts, &U));
  PetscCall(VecGetArray(U, &u));
  for (PetscInt k = 0; k < run->n; ++k) {
    const PetscReal eta = Wave(&run->data, t - run->x[k] / c);

    u[run->at[k]]               = eta;
    u[run->at[k] + run->Np]     = (d + eta) * 2. * (PetscSqrtReal(GRAVITY * (d + eta)) - c);
    u[run->at[k] + 2 * run->Np] = 0.;
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Case *c, Run *run)
{
  const PetscReal gravity = GRAVITY, manning = MANNING, film = FILM;
  PlexDG          dg;
  DM              dm;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(Mesh(&run->data, c->cell, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(dg, "tsunami"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, c->N));
  PetscCall(PlexDGSetBackend(dg, c->backend));
  PetscCall(PlexDGSetConstant(dg, "gravity", 1, &gravity));
  PetscCall(PlexDGSetConstant(dg, "dry", 1, &film));
  PetscCall(PlexDGSetConstant(dg, "manning", 1, &manning));
  PetscCall(PlexDGSetConstant(dg, "drag_depth", 1, &film));
  PetscCall(PlexDGSetCoefficients(dg, Bottom, &run->data));
  PetscCall(PlexDGSetShockCapturing(dg, PETSC_TRUE));
  for (PetscInt s = 1; s <= 4; ++s) PetscCall(PlexDGAddBoundary(dg, "sides", s, s == 1 ? "open" : "wall"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Rest, NULL, U));
  PetscCall(FindStrip(dg, run));
  PetscCall(PlexTestRunupCreate(dg, FILM, 0., GAUGES, gauges, PLACES, NearPlace, &run->data, &run->runup));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetApplicationContext(ts, run));
  PetscCall(TSSetPreStep(ts, Give));
  PetscCall(TSSetMaxTime(ts, END));
  if (c->steps) PetscCall(TSSetMaxSteps(ts, c->steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, PlexTestRunupMonitor, &run->runup, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecNorm(U, NORM_2, &run->norm));
  PetscCall(PetscFree2(run->at, run->x));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  run->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const Case *c, Run *run)
{
  PetscReal      mean = 0.;
  PetscLogDouble begin, end;
  char           of[80], what[40];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT ", cells of %g m", c->backend, c->N,
                          (double)c->cell));
  PetscCall(PetscTime(&begin));
  PetscCall(Solve(c, run));
  PetscCall(PetscTime(&end));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %.1f s\n", of, end - begin));
  PetscCall(PlexTestRunupCompare(&run->runup, names, crests, times, &mean));
  PetscCall(PlexTestReportOf((PetscBool)(mean < LABORATORY), of, "gauges", "off by %g on average", (double)mean));
  for (PetscInt p = 0; p < PLACES; ++p) {
    const PetscReal here = run->runup.highest[p], off = here / runup[p][0] - 1.;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  run-up at y = %g: %.2f cm, off by %.1f %% of %.2f (%.2f to %.2f)\n",
                          (double)places[p], (double)(100. * here), (double)(100. * off), (double)(100. * runup[p][0]),
                          (double)(100. * runup[p][1]), (double)(100. * runup[p][2])));
    PetscCall(PetscSNPrintf(what, sizeof(what), "run-up at y = %g", (double)places[p]));
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(off) < LABORATORY), of, what, "%g, expected %g", (double)here,
                               (double)runup[p][0]));
  }
  PetscCall(PlexTestRunupDestroy(&run->runup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The data are in ctx, the run */
static PetscErrorCode Norm(const char backend[], PetscInt steps, void *ctx, PetscReal *norm)
{
  Run *run = (Run *)ctx;
  Case c   = run->c;

  PetscFunctionBegin;
  c.backend = backend;
  c.steps   = steps;
  PetscCall(Solve(&c, run));
  *norm = run->norm;
  PetscCall(PlexTestRunupDestroy(&run->runup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  char folder[PETSC_MAX_PATH_LEN] = "";
  Case c                          = {backend, 1, 0, 0.02};
  Run  run                        = {0};

  PetscFunctionBegin;
  PetscCall(PlexTestRunupFolder(backend, "problem 7", "its files are NTHMP's", "PLEXGPU_NTHMP_DATA", "-nthmp_data",
                                sizeof(folder), folder));
  if (!folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadDepths(folder, &run.data));
  PetscCall(ReadWave(folder, &run.data));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-cell", &c.cell, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &c.N, NULL));
  run.c = c;
  if (strcmp(backend, PLEXBACKENDHOST)) PetscCall(PlexTestRunupSteps(backend, "problem 7", Norm, &run));
  if (strcmp(backend, PLEXBACKENDEMULATE)) PetscCall(Test(&c, &run));
  PetscCall(PetscFree(run.data.depth));
  PetscCall(PetscFree2(run.data.when, run.data.eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return PlexTestRunupMain(argc, argv, help, TestBackend);
}
