static char
  help[] = "A hammer strikes an elastic half space: P waves, S waves and, along the surface, Rayleigh's wave, by "
           "nodal discontinuous Galerkin.\n\n"
           "  -size L                 of the square 0 <= x <= L, -L <= y <= 0 (default 6); at x = 0 all is "
           "symmetric\n"
           "  -cells N                cells a side, each of them 2 triangles (default 24)\n"
           "  -radius A               of the blow, the first velocity is -exp(-(x^2 + y^2)/A^2) along y "
           "(default 0.25)\n"
           "  -time T                 how long (default 5)\n"
           "  -output NAME            writes NAME.vtkhdf, for ParaView, and NAME.csv, what 61 receivers at the "
           "surface see; examples/halfspace.py draws both\n"
           "  -frames N               times that are written after the first one (default 3)\n"
           "  -plex_dg_rho, -plex_dg_cp, -plex_dg_cs    density and speeds (default 1, sqrt(3), 1)\n"
           "  -plex_dg_degree N       degree of the polynomials (default 4)\n"
           "  -plex_dg_backend NAME   cuda, host or emulate; -plex_dg_view shows more\n\n";

#include "program.h"
#include "box.h"
#include "frames.h"

#define RECEIVERS 61 /* from x = 0 to L, at the surface */

typedef struct {
  PetscInt  cells, frames;
  PetscReal size, radius, time;
  char      output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  o->cells     = 24;
  o->frames    = 3;
  o->size      = 6.;
  o->radius    = 0.25;
  o->time      = 5.;
  o->output[0] = 0;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Elastic half space", NULL);
  PetscCall(PetscOptionsReal("-size", "Of the square", NULL, o->size, &o->size, NULL));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsReal("-radius", "Of the blow", NULL, o->radius, &o->radius, NULL));
  PetscCall(PetscOptionsReal("-time", "How long", NULL, o->time, &o->time, NULL));
  PetscCheck(o->size > 0. && o->radius > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "The square of size %g and the blow of radius %g: -size and -radius have to be positive", (double)o->size,
             (double)o->radius);
  PetscCall(PetscOptionsString("-output", "Name of files", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscCall(PetscOptionsBoundedInt("-frames", "Times that are written", NULL, o->frames, &o->frames, NULL, 1));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets at y = 0 have the label "surface", those at x = 0 "axis" */
static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  PetscScalar *at;
  PetscInt     size, fStart, fEnd;
  PetscReal    middle[3], normal[3];
  Vec          x;

  PetscFunctionBegin;
  PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, o->cells, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &x));
  PetscCall(VecScale(x, o->size));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &at));
  for (PetscInt k = 1; k < size; k += 2) at[k] -= o->size;
  PetscCall(VecRestoreArray(x, &at));
  PetscCall(DMCreateLabel(*dm, "surface"));
  PetscCall(DMCreateLabel(*dm, "axis"));
  PetscCall(DMPlexGetHeightStratum(*dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, f, NULL, middle, normal));
    if (PetscAbsReal(middle[1]) < 1e-9 * o->size) PetscCall(DMSetLabelValue(*dm, "surface", f, 1));
    if (PetscAbsReal(middle[0]) < 1e-9 * o->size) PetscCall(DMSetLabelValue(*dm, "axis", f, 1));
  }
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Blow(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal radius = *(PetscReal *)ctx;

  PetscFunctionBegin;
  u[1] = -PetscExpReal(-(x[0] * x[0] + x[1] * x[1]) / (radius * radius));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The speed of the wave along the surface */

/* Rayleigh's: (2 - c^2/cs^2)^2 = 4 sqrt(1 - c^2/cp^2) sqrt(1 - c^2/cs^2), 0 < c < cs */
static PetscReal RayleighSpeed(PetscReal cp, PetscReal cs)
{
  PetscReal low = 0.4 * cs, high = cs;

  for (PetscInt k = 0; k < 60; ++k) {
    const PetscReal c = (low + high) / 2., s = c * c / (cs * cs), p = c * c / (cp * cp);

    if (PetscSqr(2. - s) > 4. * PetscSqrtReal((1. - p) * (1. - s))) high = c;
    else low = c;
  }
  return low;
}

/* vy at two places of the surface, in each step */
typedef struct {
  PlexDGProbes probes;
  PetscInt     n, room;
  PetscReal   *seen; /* [n][2] */
} Record;

static PetscErrorCode RecordStep(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Record   *r = (Record *)ctx;
  PetscReal values[2][5];

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(r->probes, U, values[0]));
  if (r->n < r->room)
    for (PetscInt k = 0; k < 2; ++k) r->seen[2 * r->n + k] = values[k][1];
  r->n = PetscMin(r->n + 1, r->room);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Correlation(const Record *r, PetscInt lag)
{
  PetscReal sum = 0.;

  for (PetscInt k = 0; k + lag < r->n; ++k) sum += r->seen[2 * k] * r->seen[2 * (k + lag) + 1];
  return sum;
}

/* The lag in steps at which both places see most nearly the same: that of the greatest correlation, by the parabola
   through it and its neighbours */
static PetscReal FindLag(const Record *r)
{
  PetscInt  best = 1;
  PetscReal before, at, after;

  for (PetscInt lag = 2; lag < r->n - 1; ++lag)
    if (Correlation(r, lag) > Correlation(r, best)) best = lag;
  before = Correlation(r, best - 1);
  at     = Correlation(r, best);
  after  = Correlation(r, best + 1);
  return best + (before - after) / (2. * (before - 2. * at + after));
}

static PetscErrorCode CreateOperator(const Options *o, DM dm, PlexDG *dg)
{
  const PetscReal cp = PetscSqrtReal(3.), cs = 1.;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "elastic"));
  PetscCall(PlexDGSetDegree(*dg, 4));
  PetscCall(PlexDGSetConstant(*dg, "cp", 1, &cp));
  PetscCall(PlexDGSetConstant(*dg, "cs", 1, &cs));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGAddBoundary(*dg, "surface", PETSC_DETERMINE, "free"));
  PetscCall(PlexDGAddBoundary(*dg, "axis", PETSC_DETERMINE, "roller"));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time stepper; what receivers at the surface see goes to a file */
static PetscErrorCode CreateTS(const Options *o, PlexDG dg, Vec U, Record *record, TS *ts)
{
  PetscReal points[RECEIVERS][2], two[2][2];
  PetscInt  steps = 1;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(FramesCreateTS(dg, U, o->time, 1., o->frames, o->output, &steps, ts));
  for (PetscInt k = 0; k < RECEIVERS; ++k) {
    points[k][0] = o->size * k / (RECEIVERS - 1);
    points[k][1] = 0.;
  }
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.csv", o->output));
  if (o->output[0]) PetscCall(PlexDGMonitorProbes(dg, *ts, RECEIVERS, points[0], file, PetscMax(1, steps / 40)));
  for (PetscInt k = 0; k < 2; ++k) {
    two[k][0] = o->size * (k + 1) / 3.;
    two[k][1] = 0.;
  }
  record->n    = 0;
  record->room = steps * o->frames + 2;
  PetscCall(PetscMalloc1(2 * record->room, &record->seen));
  PetscCall(PlexDGProbesCreate(dg, 2, two[0], NULL, &record->probes));
  PetscCall(TSMonitorSet(*ts, RecordStep, record, NULL));
  PetscCall(TSSetFromOptions(*ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options          o;
  Record           record;
  DM               dm;
  PlexDG           dg;
  Vec              U;
  TS               ts;
  const PetscReal *cp, *cs;
  PetscReal        energy[2], dt, speed, exact;
  PetscInt         steps, values, degree;
  PetscLogDouble   begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(CreateOperator(&o, dm, &dg));
  PetscCall(PlexDGGetDegree(dg, &degree));
  PetscCall(PlexDGGetConstant(dg, "cp", NULL, &cp));
  PetscCall(PlexDGGetConstant(dg, "cs", NULL, &cs));
  exact = RayleighSpeed(*cp, *cs);
  PetscCheck(exact * o.time > o.size * 0.75, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "Rayleigh's wave of speed %g has to pass x = %g, and in %g it goes %g: use a longer -time, or a smaller "
             "-size",
             (double)exact, (double)(o.size * 2. / 3.), (double)o.time, (double)(exact * o.time));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Blow, &o.radius, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(CreateTS(&o, dg, U, &record, &ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &values));
  speed = o.size / 3. / (FindLag(&record) * dt);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps in %.3g s; the wave along the surface has speed %.5f, Rayleigh's is %.5f\n",
                        values, steps, end - begin, (double)speed, (double)exact));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=elastic_halfspace degree=%" PetscInt_FMT " values=%" PetscInt_FMT
                        " steps=%" PetscInt_FMT " speed=%.6f rayleigh=%.6f error=%.4e energy=%.9f\n",
                        degree, values, steps, (double)speed, (double)exact, (double)PetscAbsReal(speed / exact - 1.),
                        (double)(energy[1] / energy[0])));
  PetscCall(PetscFree(record.seen));
  PetscCall(PlexDGProbesDestroy(&record.probes));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
