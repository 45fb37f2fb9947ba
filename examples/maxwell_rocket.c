static char help
  [] = "A rocket, a perfect conductor, in a pulse: the field in a plane at some times, by nodal discontinuous "
       "Galerkin, and local time steps beside one step.\n\n"
       "  -mesh FILE              Face Sets 1: the conductor, 2: the outer boundary, a sphere around 0 (default "
       "examples/rocket.msh)\n"
       "  -refine L               each tetrahedron in eight, L times (default 0)\n"
       "  -layer R                a perfectly matched layer beyond radius R; 0: an absorbing boundary alone (default "
       "3)\n"
       "  -levels N               local time steps with N levels beside a run with one step (default 0: none)\n"
       "  -time T                 of the run (default 5); the speed of light is 1\n"
       "  -frames N               pictures after that of the beginning (default 7)\n"
       "  -grid N                 points a side of a picture (default 160)\n"
       "  -direction X,Y,Z        in which the pulse goes (default -1,0,-0.6)\n"
       "  -pulse A                its largest E; 0: none (default 1)\n"
       "  -width W                of the pulse along it (default 0.4), and three times that across\n"
       "  -output NAME            NAME.h5, for rocket.py\n"
       "  -plex_dg_degree N       degree of the polynomials (default 4)\n"
       "  -plex_dg_backend, -plex_dg_monitor_solution FILE.vtkhdf:STEPS for ParaView, -plex_dg_view\n\n";

/*
  The pulse is there at the beginning, without charges, as both fields are curls: with xi along its direction d, eta and zeta along
  P and d x P from its center, and Phi = exp(-(xi/w)^2 - (eta^2 + zeta^2)/(3 w)^2),

    E = -curl(Phi d x P) = Phi_xi P - Phi_eta d,   H = curl(Phi P) = Phi_xi d x P - Phi_zeta d

  which goes along d, and spreads slowly. A plane wave that enters later is that of -plex_dg_total_field; near:1 for one are the
  cells within radius 2.8. The plane of the pictures has y = 0.
*/
#include "program.h"
#include "scatterer.h"

#define NEAR 2.8

typedef struct {
  char      mesh[PETSC_MAX_PATH_LEN], output[PETSC_MAX_PATH_LEN];
  PetscInt  refine, levels, frames, grid;
  PetscReal layer, time, pulse, width, axes[3][3], center[3]; /* d, P, d x P */
} Options;

static void Cross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (int d = 0; d < 3; ++d) c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static PetscErrorCode Normalize(PetscReal a[3])
{
  const PetscReal length = PetscSqrtReal(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);

  PetscFunctionBegin;
  PetscCheck(length > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-direction is 0, and along y it has no E here");
  for (int d = 0; d < 3; ++d) a[d] /= length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(Options *o)
{
  PetscInt  n = 3;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->layer      = 3.;
  o->time       = 5.;
  o->frames     = 7;
  o->grid       = 160;
  o->pulse      = 1.;
  o->width      = 0.4;
  o->axes[0][0] = -1.;
  o->axes[0][2] = -0.6;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Rocket", NULL);
  PetscCall(ScattererGetMesh(PetscOptionsObject, "rocket.msh", sizeof(o->mesh), o->mesh, &set));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", NULL, o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsReal("-layer", "Radius of the layer", NULL, o->layer, &o->layer, NULL));
  PetscCall(PetscOptionsBoundedInt("-levels", "Of local time steps", NULL, o->levels, &o->levels, NULL, 0));
  PetscCall(PetscOptionsReal("-time", "Of the run", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsBoundedInt("-frames", "Pictures", NULL, o->frames, &o->frames, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-grid", "Points a side", NULL, o->grid, &o->grid, NULL, 2));
  PetscCall(PetscOptionsRealArray("-direction", "Of the pulse", NULL, o->axes[0], &n, NULL));
  PetscCall(PetscOptionsReal("-pulse", "Its largest E", NULL, o->pulse, &o->pulse, NULL));
  PetscCall(PetscOptionsReal("-width", "Of the pulse", NULL, o->width, &o->width, NULL));
  PetscCall(PetscOptionsString("-output", "Name of the output", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscCheck(o->time > 0. && o->width > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-time and -width have to be more than 0");
  PetscCall(Normalize(o->axes[0]));
  Cross(o->axes[0], (const PetscReal[]){0., 1., 0.}, o->axes[1]); /* E lies in the plane of the pictures */
  PetscCall(Normalize(o->axes[1]));
  Cross(o->axes[0], o->axes[1], o->axes[2]);
  for (int d = 0; d < 3; ++d) o->center[d] = -2.3 * o->axes[0][d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Pulse(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Options  *o      = (const Options *)ctx;
  const PetscReal across = 3. * o->width, scale = o->pulse * o->width * PetscSqrtReal(PetscExpReal(1.) / 2.);
  PetscReal       at[3] = {0., 0., 0.}, Phi, along, slope[2];

  PetscFunctionBegin;
  (void)dim;
  (void)t;
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d) at[a] += o->axes[a][d] * (x[d] - o->center[d]);
  Phi   = scale * PetscExpReal(-PetscSqr(at[0] / o->width) - (PetscSqr(at[1]) + PetscSqr(at[2])) / PetscSqr(across));
  along = -2. * at[0] / PetscSqr(o->width) * Phi;
  for (int a = 0; a < 2; ++a) slope[a] = -2. * at[1 + a] / PetscSqr(across) * Phi;
  for (PetscInt f = 0; f < Nf; ++f) u[f] = along * o->axes[1 + f / 3][f % 3] - slope[f / 3] * o->axes[0][f % 3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  DMLabel      near;
  Vec          coordinates;
  PetscSection section;
  PetscInt     cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_WORLD, o->mesh, "rocket", PETSC_TRUE, dm));
  for (PetscInt k = 0; k < o->refine; ++k) {
    PetscCall(ExampleRefine(1, dm));
    PetscCall(ScattererSnap(*dm, 2, 0.)); /* before the mesh is distributed */
  }
  PetscCall(ExampleDistribute(dm));
  PetscCall(DMGetCoordinatesLocalSetUp(*dm));
  PetscCall(DMCreateLabel(*dm, "near")); /* 1, of other cells 0 */
  PetscCall(DMGetLabel(*dm, "near", &near));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(DMGetCoordinateSection(*dm, &section));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscScalar *x    = NULL;
    PetscInt     size = 0, within = 1;

    PetscCall(DMPlexVecGetClosure(*dm, section, coordinates, c, &size, &x));
    for (PetscInt v = 0; v < size; v += 3)
      if (PetscSqr(PetscRealPart(x[v])) + PetscSqr(PetscRealPart(x[v + 1])) + PetscSqr(PetscRealPart(x[v + 2])) >
          NEAR * NEAR)
        within = 0;
    PetscCall(DMPlexVecRestoreClosure(*dm, section, coordinates, c, &size, &x));
    PetscCall(DMLabelSetValue(near, c, within));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(const Options *o, DM dm, PetscInt levels, PlexDG *dg)
{
  char shape[64];

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, 4));
  PetscCall(PlexDGAddBoundary(*dg, "Face Sets", 1, "pec"));
  PetscCall(PlexDGAddBoundary(*dg, "Face Sets", 2, "absorbing"));
  if (o->layer > 0.) {
    PetscCall(PetscSNPrintf(shape, sizeof(shape), "sphere,0,0,0,%g", (double)o->layer));
    PetscCall(PlexDGSetPML(*dg, "near", PETSC_DETERMINE, shape));
    PetscCall(PlexDGSetPMLProfile(*dg, 1e-6, 3, PETSC_DETERMINE)); /* for two cells */
  }
  PetscCall(PlexDGSetLevels(*dg, levels));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of a picture that are in the mesh: points[n][3], to be freed */
static PetscErrorCode GetPoints(const Options *o, PlexDG dg, PetscInt *n, PetscReal **points)
{
  const PetscReal half = o->layer > 0. ? o->layer : 3.;
  PetscBool      *outside;
  PlexDGProbes    probes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->grid * o->grid, &outside));
  PetscCall(PetscCalloc1(3 * o->grid * o->grid, points));
  for (PetscInt p = 0; p < o->grid * o->grid; ++p) {
    (*points)[3 * p]     = half * (2. * (p % o->grid + 0.5) / o->grid - 1.);
    (*points)[3 * p + 2] = half * (2. * (p / o->grid + 0.5) / o->grid - 1.);
  }
  PetscCall(PlexDGProbesCreate(dg, o->grid * o->grid, *points, outside, &probes));
  PetscCall(PlexDGProbesDestroy(&probes));
  *n = 0;
  for (PetscInt p = 0; p < o->grid * o->grid; ++p)
    if (!outside[p]) {
      PetscCall(PetscArraymove(&(*points)[3 * *n], &(*points)[3 * p], 3));
      ++*n;
    }
  PetscCall(PetscFree(outside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt   levels, steps, n, values, degree; /* n: points of the picture */
  PetscInt64 elements[16];
  PetscReal  step, energy[2], *field; /* field[n][6] at the end */
  double     seconds;
} Result;

/* A whole run, of which a first step compiles kernels. levels 1: the default TS */
static PetscErrorCode Run(const Options *o, DM dm, PetscInt levels, Result *r)
{
  PlexDG         dg;
  PlexDGProbes   probes;
  TS             ts;
  Vec            U;
  PetscReal     *points, dt, norm;
  char           file[PETSC_MAX_PATH_LEN];
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(CreateOperator(o, dm, levels, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Pulse, (void *)o, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &r->energy[0]));
  PetscCall(PlexDGGetLevelSizes(dg, &r->levels, r->elements, NULL));
  PetscCall(PlexDGGetDegree(dg, &r->degree));
  PetscCall(VecGetSize(U, &r->values));
  PetscCall(GetPoints(o, dg, &r->n, &points));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, levels > 1 ? TSPLEXMULTIRATE : TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetUp(ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  r->steps = (PetscInt)PetscCeilReal(o->time / dt / o->frames) * o->frames;
  r->step  = o->time / r->steps;
  PetscCall(TSSetTimeStep(ts, r->step));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.h5", o->output));
  if (o->output[0]) PetscCall(PlexDGMonitorProbes(dg, ts, r->n, points, file, r->steps / o->frames));
  PetscCall(PlexDGProject(dg, 0., Pulse, (void *)o, U));
  PetscCall(TSSetTime(ts, 0.));
  PetscCall(TSSetStepNumber(ts, 0));
  PetscCall(TSSetTimeStep(ts, r->step));
  PetscCall(TSSetMaxTime(ts, PETSC_MAX_REAL));
  PetscCall(TSSetMaxSteps(ts, r->steps));
  PetscCall(VecNorm(U, NORM_2, &norm));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecNorm(U, NORM_2, &norm)); /* waits for the state */
  PetscCall(PetscTime(&end));
  r->seconds = end - begin;
  PetscCall(PlexDGComputeEnergy(dg, U, &r->energy[1]));
  PetscCall(PetscMalloc1(6 * r->n, &r->field));
  PetscCall(PlexDGProbesCreate(dg, r->n, points, NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, r->field));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(PetscFree(points));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  DM        dm;
  Result    r[2];
  PetscReal sums[2] = {0., 0.};

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(Run(&o, dm, 1, &r[0]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "one step: %" PetscInt64_FMT " tetrahedra, %" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps of %.4g in %.4g s\n",
                        r[0].elements[0], r[0].values, r[0].steps, (double)r[0].step, r[0].seconds));
  if (o.levels > 1) {
    PetscCall(Run(&o, dm, o.levels, &r[1]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "local steps: levels of"));
    for (PetscInt l = 0; l < r[1].levels; ++l)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %" PetscInt64_FMT, r[1].elements[l]));
    for (PetscInt p = 0; p < 6 * r[0].n; ++p) {
      sums[0] += PetscSqr(r[1].field[p] - r[0].field[p]);
      sums[1] += PetscSqr(r[0].field[p]);
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          " tetrahedra, %" PetscInt_FMT
                          " steps of %.4g in %.4g s, %.3g times as fast; fields differ by %.3g of their size\n",
                          r[1].steps, (double)r[1].step, r[1].seconds, r[0].seconds / r[1].seconds,
                          (double)PetscSqrtReal(sums[0] / sums[1])));
    PetscCall(PetscFree(r[1].field));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=maxwell_rocket degree=%" PetscInt_FMT " values=%" PetscInt_FMT
                        " steps=%" PetscInt_FMT " energy=%.9f",
                        r[0].degree, r[0].values, r[0].steps,
                        (double)(r[0].energy[0] > 0. ? r[0].energy[1] / r[0].energy[0] : r[0].energy[1])));
  if (o.levels > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " local_energy=%.9f difference=%.3e faster=%.3f",
                          (double)(r[1].energy[0] > 0. ? r[1].energy[1] / r[1].energy[0] : r[1].energy[1]),
                          (double)PetscSqrtReal(sums[0] / sums[1]), r[0].seconds / r[1].seconds));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(PetscFree(r[0].field));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
