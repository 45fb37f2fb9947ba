static char
  help[] = "A plane wave meets a perfect conductor: its near field and far field, by nodal discontinuous "
           "Galerkin.\n\n"
           "  -mesh FILE              Face Sets 1: the conductor, 2: the outer boundary (default "
           "examples/sphere.msh)\n"
           "  -refine L               each tetrahedron in eight, L times (default 0)\n"
           "  -sphere A               the conductor is a sphere of radius A around 0, its series is "
           "compared with, and new vertices are moved there; 0: it is none\n"
           "                          (default 1 without -mesh, else 0)\n"
           "  -wavenumber K           of the wave (default 1); the speed of light is 1\n"
           "  -periods P              of the wave, until fields swing with it (default 6)\n"
           "  -wavenumbers FROM:TO:N  instead: a pulse, whose far field has all of these, N at equal distances\n"
           "  -time T                 after the pulse, until its fields have left (default 12)\n"
           "  -angles N               directions of the far field in each plane (default 91)\n"
           "  -grid N                 points a side of the near field's picture (default 0: none), not of a pulse\n"
           "  -radius R               the picture reaches twice as far from its center (default 1.6)\n"
           "  -center X,Y,Z           of the picture (default 0,0,0)\n"
           "  -output NAME            NAME.h5 with far and near field, of a pulse NAME.csv with the far field, for "
           "scattering.py\n"
           "  -plex_dg_degree N       degree of the polynomials (default 3)\n"
           "  -plex_dg_direction, -plex_dg_polarization, -plex_dg_backend, -plex_dg_monitor_solution "
           "FILE.vtkhdf:STEPS, -plex_dg_view\n\n";

/*
  The state is the scattered field: n x E = -n x E_incident on the conductor, and the outer boundary absorbs. After some
  periods all swings with the wave's frequency, and the sum over the samples of a period gives the amplitudes. The far
  field is the library's, PlexDGFarField, from the fields on the conductor; of a pulse at many wavenumbers at once.
*/
#include "program.h"
#include "farfield.h"
#include "mie.h"
#include "scatterer.h"
#include "viewerhdf5.h"

#define SAMPLES 32 /* of a period */

typedef struct {
  char      mesh[PETSC_MAX_PATH_LEN], output[PETSC_MAX_PATH_LEN];
  PetscInt  refine, periods, angles, grid;
  PetscReal sphere, k, radius, center[3], time;
  PetscInt  n; /* wavenumbers of a pulse; 0: a wave */
  PetscReal range[2];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscInt  n = 3;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->time    = 12.;
  o->periods = 6;
  o->angles  = 91;
  o->k       = 1.;
  o->radius  = 1.6;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Scattering", NULL);
  PetscCall(ScattererGetMesh(PetscOptionsObject, "sphere.msh", sizeof(o->mesh), o->mesh, &set));
  o->sphere = set ? 0. : 1.;
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", NULL, o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsReal("-sphere", "Radius of the conductor", NULL, o->sphere, &o->sphere, NULL));
  PetscCall(PetscOptionsReal("-wavenumber", "Of the wave", NULL, o->k, &o->k, NULL));
  PetscCall(PetscOptionsBoundedInt("-periods", "Of the wave", NULL, o->periods, &o->periods, NULL, 2));
  PetscCall(ScattererGetWavenumbers(PetscOptionsObject, "", &o->n, o->range));
  PetscCall(PetscOptionsReal("-time", "Until the pulse's fields have left", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsReal("-radius", "Half of half a side of the picture", NULL, o->radius, &o->radius, NULL));
  PetscCall(PetscOptionsRealArray("-center", "Of the picture", NULL, o->center, &n, NULL));
  PetscCall(PetscOptionsBoundedInt("-angles", "Directions", NULL, o->angles, &o->angles, NULL, 2));
  PetscCall(PetscOptionsBoundedInt("-grid", "Points a side", NULL, o->grid, &o->grid, NULL, 0));
  PetscCall(PetscOptionsString("-output", "Name of the output", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The volume inside the conductor, whose facets are seen from 0 */
static PetscErrorCode GetVolume(DM dm, PetscReal *volume)
{
  PetscInt           n, *vertices;
  const PetscScalar *x;
  Vec                coordinates;

  PetscFunctionBegin;
  *volume = 0.;
  PetscCall(ScattererGetFacets(dm, 1, &n, &vertices));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetArrayRead(coordinates, &x));
  for (PetscInt f = 0; f < n; ++f) {
    const PetscScalar *a = &x[vertices[3 * f]], *b = &x[vertices[3 * f + 1]], *c = &x[vertices[3 * f + 2]];

    *volume += PetscAbsScalar(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                              a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6.;
  }
  PetscCall(VecRestoreArrayRead(coordinates, &x));
  PetscCall(PetscFree(vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements have straight sides: in place of a sphere there is a polyhedron, with vertices so far out that it has the
   sphere's volume */
static PetscErrorCode Round(DM dm, PetscReal radius)
{
  PetscReal volume;

  PetscFunctionBegin;
  PetscCall(ScattererSnap(dm, 1, radius));
  PetscCall(ScattererSnap(dm, 2, 0.));
  PetscCall(GetVolume(dm, &volume));
  if (volume > 0.)
    PetscCall(ScattererSnap(dm, 1,
                            radius * PetscPowReal(4. / 3. * PETSC_PI * radius * radius * radius / volume, 1. / 3.)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_WORLD, o->mesh, "scattering", PETSC_TRUE, dm));
  if (o->sphere > 0.) PetscCall(Round(*dm, o->sphere)); /* the first process has all of it */
  for (PetscInt k = 0; k < o->refine; ++k) {
    PetscCall(ExampleRefine(1, dm));
    if (o->sphere > 0.) PetscCall(Round(*dm, o->sphere));
  }
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Amplitudes while the TS steps */

typedef struct {
  const Options *o;
  PlexDGFarField far;
  Amplitudes     near;
  PetscReal      direction[3], polarization[3], backscatter, change;
  PetscInt       interval; /* steps from one sample to the next */
} Watch;

/* Unit vectors of the directions in which the wave goes, its electric and its magnetic field */
static PetscErrorCode GetWave(PlexDG dg, Watch *w)
{
  PetscReal length[2] = {0., 0.}, product = 0.;
  PetscInt  n = 3;

  PetscFunctionBegin;
  w->direction[0] = w->polarization[2] = 1.; /* as those of the system */
  w->direction[1] = w->direction[2] = w->polarization[0] = w->polarization[1] = 0.;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-plex_dg_direction", w->direction, &n, NULL));
  n = 3;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-plex_dg_polarization", w->polarization, &n, NULL));
  for (int d = 0; d < 3; ++d) {
    length[0] += PetscSqr(w->direction[d]);
    length[1] += PetscSqr(w->polarization[d]);
    product += w->direction[d] * w->polarization[d];
  }
  PetscCheck(length[0] > 0. && length[1] > 0. && PetscAbsReal(product) < 1e-6 * PetscSqrtReal(length[0] * length[1]),
             PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_direction and -plex_dg_polarization have to be orthogonal: their product is %g",
             (double)product);
  for (int d = 0; d < 3; ++d) {
    w->direction[d] /= PetscSqrtReal(length[0]);
    w->polarization[d] /= PetscSqrtReal(length[1]);
  }
  PetscCall(PlexDGSetConstant(dg, "direction", 3, w->direction));
  PetscCall(PlexDGSetConstant(dg, "polarization", 3, w->polarization));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After each period the far field backwards. The last sample of a period is the first one of the next */
static PetscErrorCode Monitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Watch          *w       = (Watch *)ctx;
  const PetscInt  sample  = step / w->interval;
  const PetscReal back[3] = {-w->direction[0], -w->direction[1], -w->direction[2]}, was = w->backscatter,
                  area = w->o->sphere > 0. ? PETSC_PI * PetscSqr(w->o->sphere) : 1.;

  PetscFunctionBegin;
  if (step % w->interval) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGFarFieldSample(w->far, t, U));
  if (w->o->grid && sample > SAMPLES * (w->o->periods - 1)) PetscCall(AmplitudesAdd(&w->near, U, w->o->k * t, SAMPLES));
  if (sample % SAMPLES || !step) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGFarFieldGetCrossSections(w->far, 1, back, &w->backscatter));
  w->backscatter /= area;
  w->change = PetscAbsReal(w->backscatter - was) / w->backscatter;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "period %" PetscInt_FMT ": backscatter %.6f, changed by %.2g\n",
                        sample / SAMPLES, (double)w->backscatter, (double)w->change));
  if (sample < SAMPLES * w->o->periods) {
    PetscCall(PlexDGFarFieldReset(w->far));
    PetscCall(PlexDGFarFieldSample(w->far, t, U));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of the plane of direction and polarization: grid[n][n] */
static PetscErrorCode CreatePicture(PlexDG dg, Watch *w)
{
  const Options *o = w->o;
  PetscReal     *points;

  PetscFunctionBegin;
  if (!o->grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(3 * o->grid * o->grid, &points));
  for (PetscInt i = 0; i < o->grid; ++i)
    for (PetscInt j = 0; j < o->grid; ++j)
      for (int d = 0; d < 3; ++d)
        points[3 * (i * o->grid + j) + d] = o->center[d] + 2. * o->radius *
                                                             ((2. * (j + 0.5) / o->grid - 1.) * w->direction[d] +
                                                              (2. * (i + 0.5) / o->grid - 1.) * w->polarization[d]);
  PetscCall(AmplitudesCreate(dg, o->grid * o->grid, points, PETSC_TRUE, &w->near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Output, of the first process */

static PetscErrorCode WriteArray(PetscViewer viewer, const char name[], PetscInt n, PetscInt width, PetscReal values[])
{
  Vec v;

  PetscFunctionBegin;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, width, n * width, values, &v));
  PetscCall(PetscObjectSetName((PetscObject)v, name));
  PetscCall(VecView(v, viewer));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* far[angles][3]: angle from the wave's direction, cross-sections in the planes of E and H */
static PetscErrorCode GetPlanes(const Watch *w, PetscReal far[])
{
  const PetscInt n = w->o->angles;
  PetscReal     *r, *sections;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(6 * n, &r, 2 * n, &sections));
  for (PetscInt a = 0; a < n; ++a) {
    const PetscReal angle = PETSC_PI * a / (n - 1);

    far[3 * a] = angle;
    for (int plane = 0; plane < 2; ++plane)
      for (int d = 0; d < 3; ++d) {
        const int       p = (d + 1) % 3, q = (d + 2) % 3;
        const PetscReal H = w->direction[p] * w->polarization[q] - w->direction[q] * w->polarization[p];

        r[(2 * a + plane) * 3 + d] = PetscCosReal(angle) * w->direction[d] +
                                     PetscSinReal(angle) * (plane ? H : w->polarization[d]);
      }
  }
  PetscCall(PlexDGFarFieldGetCrossSections(w->far, 2 * n, r, sections));
  for (PetscInt a = 0; a < 2 * n; ++a) far[a / 2 * 3 + 1 + a % 2] = sections[a];
  PetscCall(PetscFree2(r, sections));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* far, as above; near [grid grid][9]: in the mesh or not, total E as three real and three imaginary parts, place along
   direction and polarization */
static PetscErrorCode Output(const Watch *w)
{
  const Options *o = w->o;
  PetscReal     *far, *near, parameters[3] = {o->k, o->sphere, (PetscReal)o->grid};
  char           file[PETSC_MAX_PATH_LEN];
  PetscViewer    viewer;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  if (!o->output[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscMalloc2(3 * o->angles, &far, 9 * o->grid * o->grid, &near));
  PetscCall(GetPlanes(w, far)); /* of all processes */
  for (PetscInt p = 0; p < o->grid * o->grid; ++p) {
    const PetscReal *x     = &w->near.points[3 * p];
    PetscReal        phase = 0., along[2] = {0., 0.};

    for (int d = 0; d < 3; ++d) {
      phase += o->k * w->direction[d] * x[d];
      along[0] += w->direction[d] * (x[d] - o->center[d]);
      along[1] += w->polarization[d] * (x[d] - o->center[d]);
    }
    near[9 * p] = !w->near.outside[p];
    for (int d = 0; d < 3; ++d) {
      near[9 * p + 1 + d] = creal(w->near.sum[6 * p + d]) + w->polarization[d] * PetscCosReal(phase);
      near[9 * p + 4 + d] = cimag(w->near.sum[6 * p + d]) + w->polarization[d] * PetscSinReal(phase);
    }
    near[9 * p + 7] = along[0];
    near[9 * p + 8] = along[1];
  }
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.h5", o->output));
  if (rank) PetscCall(PetscFree2(far, near));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerHDF5Open(PETSC_COMM_SELF, file, FILE_MODE_WRITE, &viewer));
  /* wavenumber, radius of the conductor, points a side */
  PetscCall(WriteArray(viewer, "parameters", 3, 1, parameters));
  PetscCall(WriteArray(viewer, "far", o->angles, 3, far));
  if (o->grid) PetscCall(WriteArray(viewer, "near", o->grid * o->grid, 9, near));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscFree2(far, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- */

static PetscErrorCode Solve(const Options *o, PlexDG dg, Watch *w, PetscInt *values, PetscInt *steps)
{
  const PetscReal T = 2. * PETSC_PI / o->k;
  PetscReal       dt;
  TS              ts;
  Vec             U;
  PetscLogDouble  begin, end;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecGetSize(U, values));
  PetscCall(PlexDGFarFieldCreate(dg, "Face Sets", 1, 1, &o->k, &w->far));
  PetscCall(CreatePicture(dg, w));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  w->interval = (PetscInt)PetscCeilReal(T / (SAMPLES * dt)); /* as many steps as samples a period, or a multiple */
  PetscCall(TSSetTimeStep(ts, T / (SAMPLES * w->interval)));
  PetscCall(TSSetMaxSteps(ts, SAMPLES * w->interval * o->periods));
  PetscCall(TSSetMaxTime(ts, PETSC_MAX_REAL));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, Monitor, w, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexDGRestartFromOptions(dg, ts, U, NULL));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " steps of %" PetscInt_FMT " values in %.3g s\n", *steps,
                        *values, end - begin));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a pulse: far fields of all wavenumbers, beside Mie's series; the largest error of the backscatter */
static PetscErrorCode SolvePulse(const Options *o, PlexDG dg, Watch *w, PetscInt *steps, PetscReal *error)
{
  const PetscReal middle = (o->range[0] + o->range[1]) / 2., half = (o->range[1] - o->range[0]) / 2.,
                  width = 2. * PetscSqrtReal(PetscLogReal(10.)) / half, /* a tenth at the ends of the range */
    delay = 3.3 * width + o->radius, back[3] = {-w->direction[0], -w->direction[1], -w->direction[2]},
                  area = o->sphere > 0. ? PETSC_PI * PetscSqr(o->sphere) : 1.;
  PetscReal *k, *sections;
  char       file[PETSC_MAX_PATH_LEN];
  TS         ts;
  Vec        U;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &middle));
  PetscCall(PlexDGSetConstant(dg, "wave_width", 1, &width));
  PetscCall(PlexDGSetConstant(dg, "wave_delay", 1, &delay));
  PetscCall(PetscMalloc2(o->n, &k, o->n, &sections));
  for (PetscInt f = 0; f < o->n; ++f) k[f] = o->range[0] + 2. * half * f / (o->n - 1);
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PlexDGFarFieldCreate(dg, "Face Sets", 1, o->n, k, &w->far));
  PetscCall(PlexDGFarFieldSetTS(w->far, ts, 1, PETSC_MIN_REAL));
  PetscCall(TSSetMaxTime(ts, 2. * delay + o->time));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexDGRestartFromOptions(dg, ts, U, NULL));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(PlexDGFarFieldGetCrossSections(w->far, 1, back, sections));
  for (PetscInt f = 0; f < o->n; ++f) {
    PetscReal exact = 0.;

    if (o->sphere > 0.) PetscCall(MieBackscatter(k[f], o->sphere, PETSC_TRUE, 1., &exact));
    w->backscatter = sections[f] / area;
    if (exact > 0.) *error = PetscMax(*error, PetscAbsReal(w->backscatter / exact - 1.));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "wavenumber %g: backscatter %.6f", (double)k[f], (double)w->backscatter));
    if (exact > 0.) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", by Mie's series %.6f", (double)exact));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.csv", o->output));
  if (o->output[0]) PetscCall(PlexDGFarFieldWrite(w->far, o->angles, 0, file));
  PetscCall(PetscFree2(k, sections));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a wave, or of a pulse, to a result */
static PetscErrorCode Run(const Options *o, PlexDG dg, PetscInt degree)
{
  Watch     w = {.o = o};
  PetscInt  values, steps;
  PetscReal exact = 0., error = 0.;

  PetscFunctionBegin;
  PetscCall(GetWave(dg, &w));
  if (o->n) {
    PetscCall(SolvePulse(o, dg, &w, &steps, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "result: example=maxwell_scattering degree=%" PetscInt_FMT " wavenumbers=%" PetscInt_FMT
                          " steps=%" PetscInt_FMT " backscatter=%.6f error=%.6f\n",
                          degree, o->n, steps, (double)w.backscatter, (double)error));
  } else {
    PetscCall(Solve(o, dg, &w, &values, &steps));
    PetscCall(Output(&w));
    if (o->sphere > 0.) {
      PetscCall(MieBackscatter(o->k, o->sphere, PETSC_TRUE, 1., &exact));
      error = PetscAbsReal(w.backscatter / exact - 1.);
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "backscatter over pi a^2: %.4f, by Mie's series %.4f\n",
                            (double)w.backscatter, (double)exact));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "result: example=maxwell_scattering degree=%" PetscInt_FMT " values=%" PetscInt_FMT
                          " steps=%" PetscInt_FMT " backscatter=%.6f change=%.3e error=%.6f\n",
                          degree, values, steps, (double)w.backscatter, (double)w.change, (double)error));
    if (o->grid) PetscCall(AmplitudesDestroy(&w.near));
  }
  PetscCall(PlexDGFarFieldDestroy(&w.far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options  o;
  DM       dm;
  PlexDG   dg;
  PetscInt degree = 3;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_dg_degree", &degree, NULL));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &o.k));
  PetscCall(PlexDGAddBoundary(dg, "Face Sets", 1, "scatterer"));
  PetscCall(PlexDGAddBoundary(dg, "Face Sets", 2, "absorbing"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(Run(&o, dg, degree));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
