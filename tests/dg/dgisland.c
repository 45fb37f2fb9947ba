static char help
  [] = "Benchmark problem 6 of the US National Tsunami Hazard Mitigation Program (NTHMP, 2012): solitary waves on a "
       "conical island, beside the laboratory.\n"
       "  -all  prints all that docs/dgquadrature.md has, half an hour; else four tests of some seconds. With "
       "-shard k/n every n-th, from the k-th, k from 0\n\n";

#include <plexgpudg.h>
#include "meshes.h"
#include "dgproblem.h"
#include "report.h"
#include "runup.h"

/* Limits: run-up within 10 % of a laboratory's, as for problem 4 (dgnthmp.c). SWALS of GeoScience Australia allows 20 %
   here, and as much for the mean of the differences at gauges 6, 9, 16 and 22, which is taken from there. */
#define LABORATORY  0.1
#define GAUGES_MEAN 0.2
#define FILM        1e-3 /* m; of less depth water counts as dry, and is not seen, as there */

/* The island is a truncated cone in water of uniform depth, lengths in m: the file of NTHMP's description, after Briggs
   et al. (1995). Its top, which stays dry, is not in the mesh. x and y are those behind its center, waves run along x,
   and the problem is the same for y and -y: half of it is computed. The sides are walls, so that waves are plane */
#define DEPTH   0.32
#define TOE     3.6 /* radius */
#define SLOPE   0.25
#define SHORE   (TOE - DEPTH / SLOPE)
#define TOP     1.2
#define FRONT   13. /* where the mesh ends before it, behind, and at the side */
#define BACK    8.
#define SIDE    9.
#define GRAVITY 9.81
#define MANNING 0.01 /* SWALS of GeoScience Australia has it for this problem */

#define GAUGES       4
#define ANGLES       13
#define FRONT_ANGLES 5 /* up to 90 degrees */

/* Gauges 6, 9, 16 and 22: before the island, at its front, at its side and behind it */
static const PetscReal   gauges[2 * GAUGES] = {-3.6, 0., -2.6, 0., 0., 2.58, 2.6, 0.};
static const char *const names[GAUGES]      = {"gauge 6", "gauge 9", "gauge 16", "gauge 22"};
/* Where run-up was measured, in degrees from the side that waves come from */
static const PetscReal angles[ANGLES] = {0., 22.5, 45., 67.5, 90., 112.5, 135., 157.5, 165., 170., 175., 177.5, 180.};

typedef struct {
  PetscReal crest[GAUGES]; /* highest water, m above the mean of the record's first two seconds */
  PetscReal when[GAUGES];  /* of it, s */
  PetscReal runup[ANGLES]; /* m; mean of the two sides of the island */
} Record;

/* From NTHMP's files for problem 6 */
static const Record records[] = {
  {{0.01487, 0.02214, 0.02006, 0.01702},
   {31., 31.68, 33.28, 36.48},
   {0.032, 0.03125, 0.0277, 0.0244, 0.0215, 0.0156, 0.0143, 0.01065, 0.0112, 0.01295, 0.0206, 0.02115, 0.0225}  },
  {{0.03027, 0.04067, 0.03599, 0.03909},
   {29.8, 30.48, 31.88, 35.28},
   {0.0735, 0.0728, 0.06665, 0.05715, 0.05335, 0.044, 0.04075, 0.03845, 0.0347, 0.0482, 0.0783, 0.08705, 0.0861}},
  {{0.0602, 0.0635, 0.06095, 0.08997},
   {28.76, 29.12, 30.72, 33.48},
   {0.1749, 0.17145, 0.1577, 0.1318, 0.1025, 0.06365, 0.03865, 0.03885, 0.0566, 0.0941, 0.1069, 0.1086, 0.109}  }
};

typedef struct {
  const char   *name;
  PetscReal     height, start; /* H/d; x of the crest at first */
  PetscReal     begin, end;    /* in the time of the record, s */
  PetscBool     shocks;
  const Record *record;
} Problem;

typedef enum {
  A,
  B,
  B_RECORD,
  C,
  WAVES
} Wave;

/* At first the crest is at gauges 1 to 4 when it is there in the record. H/d is the one that NTHMP's description calls
   measured. The record of these gauges has 0.087 for B; for A and C 0.044 and 0.179. */
static const Problem problems[WAVES] = {
  {"A",               0.045,  -7.2,  28.8, 39., PETSC_FALSE, &records[0]},
  {"B",               0.096,  -6.14, 28.3, 38., PETSC_FALSE, &records[1]},
  {"B of the record", 0.0873, -6.14, 28.3, 38., PETSC_FALSE, &records[1]},
  {"C",               0.181,  -5.4,  27.8, 37., PETSC_TRUE,  &records[2]}
};

typedef struct {
  const char    *backend;
  const Problem *problem;
  PetscBool      quadrilaterals;
  PetscInt       N, n;  /* degree; cells around the half of the island */
  PetscInt       steps; /* at most; 0: to the end */
} Case;

typedef struct {
  PlexTestRunup runup; /* a place is a line of the mesh from the island's top outward */
  PetscReal     norm;  /* of the last state */
} Run;

/* ---- The mesh: rings from the top to the toe, which become the sides of a rectangle. Angles are from the back */

/* Columns of the rectangle's corners at the back and at the front, of n */
static PetscInt Corner(PetscInt n, PetscBool front)
{
  const PetscReal angle = PetscAtan2Real(SIDE, front ? -FRONT : BACK) / PETSC_PI;

  return (PetscInt)PetscFloorReal(0.5 + angle * n);
}

/* Cells from the top to the shore, as far as the toe, and to the end */
static void Rings(PetscInt n, PetscInt ring[3])
{
  const PetscInt k = n / 36;

  ring[0] = 7 * k;
  ring[1] = 15 * k;
  ring[2] = 33 * k;
}

static void Place(PetscInt n, PetscInt i, PetscInt j, PetscReal x[])
{
  const PetscInt  back = Corner(n, PETSC_FALSE), front = Corner(n, PETSC_TRUE);
  const PetscReal angle  = PETSC_PI * i / n;
  PetscReal       radius = TOE, s = 0., edge[2];
  PetscInt        ring[3];

  Rings(n, ring);
  if (j < ring[0]) radius = TOP + (SHORE - TOP) * j / ring[0];
  else if (j < ring[1]) radius = SHORE + (TOE - SHORE) * (j - ring[0]) / (ring[1] - ring[0]);
  else s = (PetscReal)(j - ring[1]) / (ring[2] - ring[1]);
  s *= 0.4 + 0.6 * s; /* wider outside */
  edge[0] = i < back ? BACK : i > front ? -FRONT : BACK - (BACK + FRONT) * (i - back) / (front - back);
  edge[1] = i < back ? SIDE * i / back : i > front ? SIDE * (n - i) / (n - front) : SIDE;
  x[0]    = (1. - s) * radius * PetscCosReal(angle) + s * edge[0];
  x[1]    = (1. - s) * radius * PetscSinReal(angle) + s * edge[1];
}

/* Label "sides": 1 the line of symmetry behind the island, 2 before it, 3 the top, 4 the side, 5 front and back */
static PetscErrorCode Mesh(const Case *c, DM *dm)
{
  const PetscInt n = c->n, corners = c->quadrilaterals ? 4 : 3;
  PetscInt       ring[3], m, nc, nv, nfacets, *cells, *facets, k = 0;
  PetscReal     *x, center[3], normal[3];
  PetscScalar   *at;
  DMLabel        sides;
  Vec            coordinates;

  PetscFunctionBegin;
  Rings(n, ring);
  m  = ring[2];
  nc = n * m * (c->quadrilaterals ? 1 : 2);
  nv = (n + 1) * (m + 1);
  PetscCall(PetscMalloc2(nc * corners, &cells, nv * 2, &x));
  for (PetscInt v = 0; v < nv; ++v) {
    x[2 * v]     = (PetscReal)(v % (n + 1)) / n;
    x[2 * v + 1] = (PetscReal)(v / (n + 1)) / m;
  }
  for (PetscInt q = 0; q < n * m; ++q) {
    const PetscInt v = q / n * (n + 1) + q % n, corner[4] = {v, v + n + 1, v + n + 2, v + 1};

    for (PetscInt w = 0; w < 4 && c->quadrilaterals; ++w) cells[k++] = corner[w];
    for (PetscInt t = 0; t < 2 && !c->quadrilaterals; ++t)
      for (PetscInt w = 0; w < 3; ++w) cells[k++] = corner[((q + q / n) % 2 + 2 * t + w) % 4];
  }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, 2, nc, nv, corners, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(DMGetLabel(*dm, "sides", &sides));
  PetscCall(PlexTestGetBoundary(*dm, &nfacets, &facets));
  for (PetscInt f = 0; f < nfacets; ++f) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, facets[f], NULL, center, normal));
    if (center[1] < 1. - 1e-10 || (center[0] * n > Corner(n, PETSC_FALSE) && center[0] * n < Corner(n, PETSC_TRUE)))
      continue;
    PetscCall(DMLabelClearValue(sides, facets[f], 4));
    PetscCall(DMLabelSetValue(sides, facets[f], 5));
  }
  PetscCall(PetscFree(facets));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetArray(coordinates, &at));
  for (PetscInt v = 0; v < nv; ++v) {
    PetscReal to[2];

    Place(n, (PetscInt)PetscFloorReal(0.5 + PetscRealPart(at[2 * v]) * n),
          (PetscInt)PetscFloorReal(0.5 + PetscRealPart(at[2 * v + 1]) * m), to);
    for (PetscInt d = 0; d < 2; ++d) at[2 * v + d] = to[d];
  }
  PetscCall(VecRestoreArray(coordinates, &at));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Nearest(PetscReal x)
{
  return PetscFloorReal(x + 0.5);
}

static PetscReal Depth(PetscReal radius)
{
  return DEPTH - SLOPE * PetscMax(0., TOE - radius);
}

static PetscErrorCode Island(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = Depth(PetscSqrtReal(x[0] * x[0] + x[1] * x[1]));
  for (PetscInt i = 1; i < n; ++i) k[i] = i == 2; /* no Coriolis force, a plane */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* eta = H / cosh(k (x - X)/d)^2, k = sqrt(3 H/(4 d)); the velocity is that of a wave which runs to one side alone */
static PetscErrorCode Initial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Problem  *p    = (const Problem *)ctx;
  const PetscReal wide = PetscCoshReal(PetscSqrtReal(0.75 * p->height) * (x[0] - p->start) / DEPTH),
                  eta = DEPTH * p->height / (wide * wide), d = Depth(PetscSqrtReal(x[0] * x[0] + x[1] * x[1])),
                  H = PetscMax(0., d + eta);

  PetscFunctionBegin;
  u[0] = eta;
  u[1] = d > 0. ? 2. * H * (PetscSqrtReal(GRAVITY * H) - PetscSqrtReal(GRAVITY * d)) : 0.;
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line of a vertex that is not below the level of rest; ctx is the case */
static PetscInt Line(const PetscReal x[], PetscReal *depth, void *ctx)
{
  const Case *c = (const Case *)ctx;

  *depth = Depth(PetscSqrtReal(x[0] * x[0] + x[1] * x[1]));
  return *depth > 1e-6 ? -1 : (PetscInt)Nearest(PetscAtan2Real(x[1], x[0]) * c->n / PETSC_PI);
}

/* At an angle from the side that waves come from, between lines too */
static PetscReal Runup(const PlexTestRunup *r, PetscReal angle)
{
  const PetscInt  n    = r->nplaces - 1;
  const PetscReal line = (1. - angle / 180.) * n;
  const PetscInt  i    = PetscMin((PetscInt)(line + 1e-6), n - 1);

  return r->highest[i] + (line - i) * (r->highest[i + 1] - r->highest[i]);
}

static PetscErrorCode Solve(const Case *c, Run *run)
{
  const Problem  *p       = c->problem;
  const PetscReal gravity = GRAVITY, manning = MANNING, film = FILM, shore = 0.5 * DEPTH;
  PlexDG          dg;
  DM              dm;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(Mesh(c, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(dg, "tsunami"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, c->N));
  PetscCall(PlexDGSetBackend(dg, c->backend));
  PetscCall(PlexDGSetConstant(dg, "gravity", 1, &gravity));
  PetscCall(PlexDGSetConstant(dg, "dry", 1, &film));
  PetscCall(PlexDGSetConstant(dg, "shore", 1, &shore));
  PetscCall(PlexDGSetConstant(dg, "manning", 1, &manning));
  PetscCall(PlexDGSetConstant(dg, "drag_depth", 1, &film));
  PetscCall(PlexDGSetCoefficients(dg, Island, NULL));
  PetscCall(PlexDGSetShockCapturing(dg, p->shocks));
  for (PetscInt s = 1; s <= 5; ++s) PetscCall(PlexDGAddBoundary(dg, "sides", s, s == 5 ? "open" : "wall"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Initial, (void *)p, U));
  PetscCall(PlexTestRunupCreate(dg, FILM, p->begin, GAUGES, gauges, c->n + 1, Line, (void *)c, &run->runup));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, p->end - p->begin));
  if (c->steps) PetscCall(TSSetMaxSteps(ts, c->steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, PlexTestRunupMonitor, &run->runup, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecNorm(U, NORM_2, &run->norm));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s, wave %s, %" PetscInt_FMT " %s around, degree %" PetscInt_FMT, c->backend,
                          c->problem->name, c->n, c->quadrilaterals ? "quadrilaterals" : "pairs of triangles", c->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *off: the highest run-up, relative to the measured one; *front: mean of the relative differences up to 90 degrees */
static PetscErrorCode CompareRunup(const Problem *p, const PlexTestRunup *r, PetscReal *off, PetscReal *front)
{
  PetscReal square = 0., least = PETSC_MAX_REAL, most = 0., highest = 0.;

  PetscFunctionBegin;
  *front = 0.;
  for (PetscInt a = 0; a < ANGLES; ++a) {
    const PetscReal here = Runup(r, angles[a]);

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  run-up at %g degrees: %.2f cm, measured %.2f cm, off by %.1f %%\n",
                          (double)angles[a], (double)(100. * here), (double)(100. * p->record->runup[a]),
                          (double)(100. * (here / p->record->runup[a] - 1.))));
    square += PetscSqr(here - p->record->runup[a]);
    least   = PetscMin(least, p->record->runup[a]);
    most    = PetscMax(most, p->record->runup[a]);
    highest = PetscMax(highest, here);
    if (a < FRONT_ANGLES) *front += PetscAbsReal(here / p->record->runup[a] - 1.) / FRONT_ANGLES;
  }
  *off = highest / most - 1.;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "  run-up: highest off by %.1f %%, front by %.1f %%, rms %.1f %% of the range\n",
                        (double)(100. * *off), (double)(100. * *front),
                        (double)(100. * PetscSqrtReal(square / ANGLES) / (most - least))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of a case is held against limits: nothing, in a table; all; or the highest run-up, of wave B, whose gauges and front
   shallow water is not near */
typedef enum {
  NOTHING,
  ALL,
  HIGHEST
} Limits;

static PetscErrorCode Test(const Case *c, Limits limits)
{
  Run            run;
  char           of[160];
  PetscReal      mean = 0., off = 0., front = 0.;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(Solve(c, &run));
  PetscCall(PetscTime(&end));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %.1f s\n", of, end - begin));
  PetscCall(PlexTestRunupCompare(&run.runup, names, c->problem->record->crest, c->problem->record->when, &mean));
  PetscCall(CompareRunup(c->problem, &run.runup, &off, &front));
  PetscCall(PlexTestRunupDestroy(&run.runup));
  if (limits == NOTHING) PetscFunctionReturn(PETSC_SUCCESS);
  if (limits == ALL) {
    PetscCall(PlexTestReportOf((PetscBool)(mean < GAUGES_MEAN), of, "gauges", "off by %g on average", (double)mean));
    PetscCall(PlexTestReportOf((PetscBool)(front < LABORATORY), of, "run-up at the front", "off by %g on average",
                               (double)front));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(off) < LABORATORY), of, "highest run-up", "off by %g",
                             (double)off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Norm(const char backend[], PetscInt steps, void *ctx, PetscReal *norm)
{
  Case c = *(const Case *)ctx;
  Run  run;

  PetscFunctionBegin;
  c.backend = backend;
  c.steps   = steps;
  PetscCall(Solve(&c, &run));
  *norm = run.norm;
  PetscCall(PlexTestRunupDestroy(&run.runup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSteps(Case c)
{
  char of[160];

  PetscFunctionBegin;
  PetscCall(Describe(&c, of, sizeof(of)));
  PetscCall(PlexTestRunupSteps(c.backend, of, Norm, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscBool all = PETSC_FALSE;

  PetscFunctionBegin;
  if (strcmp(backend, PLEXBACKENDHOST)) PetscCall(TestSteps((Case){backend, &problems[C], PETSC_TRUE, 1, 36, 0}));
  if (!strcmp(backend, PLEXBACKENDEMULATE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-all", &all, NULL));
  if (!all) {
    for (PetscInt N = 1; N <= (PlexTestLong() ? 2 : 1); ++N)
      PetscCall(Test(&(Case){backend, &problems[A], PETSC_FALSE, N, 36, 0}, ALL));
    PetscCall(Test(&(Case){backend, &problems[C], PETSC_TRUE, 1, 36, 0}, ALL));
    if (PlexTestLong()) PetscCall(Test(&(Case){backend, &problems[B], PETSC_FALSE, 2, 36, 0}, HIGHEST));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (Wave w = A; w < WAVES; ++w) {
    for (PetscInt q = 0; q < 2; ++q)
      for (PetscInt N = 1; N <= 3; ++N)
        if (PlexTestWanted()) PetscCall(Test(&(Case){backend, &problems[w], (PetscBool)q, N, 36, 0}, NOTHING));
    for (PetscInt n = 72; n <= (w == A || w == C ? 144 : 72); n += 72)
      if (PlexTestWanted()) PetscCall(Test(&(Case){backend, &problems[w], PETSC_TRUE, 1, n, 0}, NOTHING));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return PlexTestRunupMain(argc, argv, help, TestBackend);
}
