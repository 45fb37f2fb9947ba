static char help
  [] = "A pulse meets a sphere of radius 1, of a perfect conductor, glass or metal: its far field at many wavenumbers "
       "beside Mie's series, by nodal discontinuous Galerkin.\n\n"
       "  -epsilon E              the sphere's; 0 (default): a perfect conductor\n"
       "  -drude P,G              with -epsilon, that of high frequencies: epsilon - P^2/(w^2 + i G w)\n"
       "  -nanometres A           the sphere's radius: -wavenumbers and -drude are then energies in eV, of photons, of "
       "hbar "
       "P and hbar G\n"
       "  -wavenumbers FROM:TO:N  N at equal distances (default 1:2:2); outside the speed of light is 1\n"
       "  -cells N                of the edges of an icosahedron (default 3): the sphere has 20 N^2 facets\n"
       "  -radii A,B,C,...        of spheres between shells of cells: A is that of the total field, B of the far "
       "field, C where the perfectly matched layer begins, which has all shells from there on\n"
       "                          (default 1.35,1.7,2.1,2.5,2.9,3.3)\n"
       "  -time T                 after the pulse, until its fields have left (default 40)\n"
       "  -angles N               directions of the far field in each plane (default 91)\n"
       "  -output NAME            NAME.csv with the far field, for scattering.py\n"
       "  -sections NAME          NAME.csv with extinction, scattering and absorption, for sections.py\n"
       "  -near NAME              NAME.csv with the electric field at points of the plane of the wave's direction and "
       "polarization, for sections.py\n"
       "  -near_wavenumber K      of it, of which the nearest of -wavenumbers is taken (default: where by Mie's series "
       "extinction is the largest)\n"
       "  -grid N                 points a side of that (default 100)\n"
       "  -plex_dg_degree N       degree of the polynomials, and of the sphere's (default 3)\n"
       "  -plex_dg_direction, -plex_dg_polarization, -plex_dg_cfl, -plex_dg_backend, -plex_dg_view\n\n";

/*
  The mesh has straight cells but for those at the sphere, which are bent to it. The pulse enters on a sphere inside the
  mesh: within it the state is the total field, outside the scattered one. Beyond the sphere of the far field a perfectly
  matched layer takes it.
*/
#include "nearfield.h"
#include "program.h"
#include "scatterer.h"
#include "sections.h"
#include "shells.h"

#define SPHERES 16
#define HBARC   197.3269804 /* eV nm */

typedef struct {
  char      output[PETSC_MAX_PATH_LEN], sections[PETSC_MAX_PATH_LEN], near[PETSC_MAX_PATH_LEN];
  PetscReal epsilon, drude[2], nanometres, time, radii[SPHERES], range[2], nearWavenumber;
  PetscInt  cells, nradii, angles, grid, n; /* n wavenumbers */
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  const PetscReal radii[] = {1., 1.35, 1.7, 2.1, 2.5, 2.9, 3.3};
  PetscInt        n;
  PetscBool       set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->time   = 40.;
  o->cells  = 3;
  o->angles = 91;
  o->grid   = 100;
  o->nradii = PETSC_STATIC_ARRAY_LENGTH(radii);
  PetscCall(PetscArraycpy(o->radii, radii, o->nradii));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Sphere", NULL);
  PetscCall(PetscOptionsReal("-epsilon", "Of the sphere", NULL, o->epsilon, &o->epsilon, NULL));
  n = 2;
  PetscCall(PetscOptionsRealArray("-drude", "Plasma frequency and rate of collisions", NULL, o->drude, &n, &set));
  PetscCheck(!set || (n == 2 && o->epsilon > 0.), PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-drude has two numbers, and goes with -epsilon, that of high frequencies, such as 1");
  PetscCall(ScattererGetWavenumbers(PetscOptionsObject, "1:2:2", &o->n, o->range));
  PetscCall(PetscOptionsReal("-nanometres", "Radius", NULL, o->nanometres, &o->nanometres, &set));
  PetscCheck(!set || o->nanometres > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-nanometres %g, the radius, has to be more than 0", (double)o->nanometres);
  PetscCall(PetscOptionsReal("-near_wavenumber", "Of the near field", NULL, o->nearWavenumber, &o->nearWavenumber,
                             NULL));
  for (int i = 0; i < 2 && set; ++i) {
    o->range[i] *= o->nanometres / HBARC;
    o->drude[i] *= o->nanometres / HBARC;
    if (!i) o->nearWavenumber *= o->nanometres / HBARC;
  }
  PetscCall(PetscOptionsBoundedInt("-cells", "Of an edge", NULL, o->cells, &o->cells, NULL, 1));
  n = SPHERES - 1;
  PetscCall(PetscOptionsRealArray("-radii", "Of spheres", NULL, &o->radii[1], &n, &set));
  if (set) o->nradii = 1 + n;
  PetscCheck(o->nradii > 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-radii are those of the total field, the far field, the inner side of the layer, and at least one "
             "beyond");
  for (PetscInt k = 1; k < o->nradii; ++k)
    PetscCheck(o->radii[k] > o->radii[k - 1], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
               "-radii have to grow, from more than 1 on");
  PetscCall(PetscOptionsReal("-time", "Until the pulse's fields have left", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsBoundedInt("-angles", "Directions", NULL, o->angles, &o->angles, NULL, 2));
  PetscCall(PetscOptionsString("-output", "Name of the output", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscCall(PetscOptionsString("-sections", "Name of their table", NULL, o->sections, o->sections, sizeof(o->sections),
                               NULL));
  PetscCall(PetscOptionsString("-near", "Name of the near field's table", NULL, o->near, o->near, sizeof(o->near),
                               NULL));
  PetscCall(PetscOptionsBoundedInt("-grid", "Points a side", NULL, o->grid, &o->grid, NULL, 2));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(ShellsCreate(PETSC_COMM_WORLD, o->cells, (PetscBool)(o->epsilon == 0.), o->nradii, o->radii, dm));
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves a point to the sphere */
static PetscErrorCode Project(PetscInt dim, PetscReal x[], void *ctx)
{
  const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) x[d] /= r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until when the pulse lasts, after which there is nothing left of it */
static PetscErrorCode SetPulse(const Options *o, PlexDG dg, PetscReal *end)
{
  const PetscReal middle = (o->range[0] + o->range[1]) / 2., half = PetscMax((o->range[1] - o->range[0]) / 2., middle),
                  width = 2. * PetscSqrtReal(PetscLogReal(10.)) / half, /* a tenth at middle + half */
    passes = 4. * width, delay = passes + o->radii[1],
                  odd = -PETSC_PI / 2.; /* the integral is 0: no static field stays */

  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &middle));
  PetscCall(PlexDGSetConstant(dg, "wave_width", 1, &width));
  PetscCall(PlexDGSetConstant(dg, "wave_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "wave_phase", 1, &odd));
  *end = delay + o->radii[1] + passes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(const Options *o, DM dm, PlexDG *dg, PetscReal *end)
{
  char shape[64];

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(SetPulse(o, *dg, end));
  PetscCall(PlexDGSetCurve(*dg, "sphere", 1, Project, NULL));
  if (o->epsilon == 0.) PetscCall(PlexDGAddBoundary(*dg, "sphere", 1, "pec"));
  else PetscCall(PlexDGAddMaterial(*dg, "shell", 1, 1, &o->epsilon));
  if (o->drude[0] > 0.) PetscCall(PlexDGAddDispersion(*dg, "shell", 1, "drude", 2, o->drude));
  PetscCall(PlexDGSetTotalField(*dg, "sphere", 2));
  /* waves meet the layer nearly along the normal, and alpha is well below their frequencies */
  PetscCall(PlexDGSetPMLProfile(*dg, 1e-6, 3, 0.3 * o->range[0]));
  PetscCall(PetscSNPrintf(shape, sizeof(shape), "sphere,0,0,0,%.16g", (double)o->radii[3]));
  for (PetscInt l = 5; l <= o->nradii; ++l) PetscCall(PlexDGSetPML(*dg, "shell", l, shape));
  PetscCall(PlexDGAddBoundary(*dg, "sphere", o->nradii, "absorbing"));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double _Complex Epsilon(const Options *o, PetscReal k)
{
  return o->epsilon - PetscSqr(o->drude[0]) / (k * (k + __extension__ 1.0i * o->drude[1]));
}

/* Which of the wavenumbers the near field has */
static PetscErrorCode ChooseNear(const Options *o, const PetscReal k[], PetscInt *chosen)
{
  PetscReal most = -PETSC_MAX_REAL, section[3];

  PetscFunctionBegin;
  *chosen = 0;
  for (PetscInt f = 0; f < o->n; ++f) {
    if (o->nearWavenumber > 0.) section[0] = -PetscAbsReal(k[f] - o->nearWavenumber);
    else PetscCall(SectionsOfSphere(k[f], (PetscBool)(o->epsilon == 0.), csqrt(Epsilon(o, k[f])), section));
    if (section[0] <= most) continue;
    most    = section[0];
    *chosen = f;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The far field of a run, and the near field; left: the largest value of the state in the end, over the wave's amplitude */
static PetscErrorCode Solve(const Options *o, DM dm, PlexDG dg, PetscReal end, PlexDGFarField *far, PetscReal k[],
                            NearField *near, PetscReal *left)
{
  PetscInt       values, steps, chosen;
  PetscLogDouble begin, now;
  TS             ts;
  Vec            U;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < o->n; ++f) k[f] = o->range[0] + (o->range[1] - o->range[0]) * f / (o->n - 1);
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecGetSize(U, &values));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, o->n, k, far));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PlexDGFarFieldSetTS(*far, ts, 1, PETSC_MIN_REAL));
  PetscCall(ChooseNear(o, k, &chosen));
  /* the layer is further away than the corners of the square */
  PetscCall(NearFieldCreate(dg, dm, o->near[0] ? o->grid : 0, 0.7 * o->radii[3], 2, k[chosen], ts, near));
  PetscCall(TSSetMaxTime(ts, end + o->time));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexDGRestartFromOptions(dg, ts, U, NULL));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&now));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecNorm(U, NORM_INFINITY, left));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " steps of %" PetscInt_FMT " values in %.3g s\n", steps,
                        values, now - begin));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Extinction, scattering and absorption beside Mie's series: a table, and the largest difference of each over its largest
   value */
static PetscErrorCode CompareSections(const Options *o, PlexDG dg, PlexDGFarField far, const PetscReal k[],
                                      PetscReal error[3])
{
  PetscReal *own, series[3] = {0., 0., 0.}, most[3] = {0., 0., 0.};
  char       name[PETSC_MAX_PATH_LEN];
  FILE      *file = NULL;

  PetscFunctionBegin;
  error[0] = error[1] = error[2] = 0.;
  PetscCall(PetscMalloc1(3 * o->n, &own));
  PetscCall(SectionsGet(dg, far, o->n, k, own));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.csv", o->sections));
  if (o->sections[0]) PetscCall(PetscFOpen(PETSC_COMM_WORLD, name, "w", &file));
  if (file)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                           "wavenumber,energy_eV,wavelength_nm,extinction,scattering,absorption,series_extinction,"
                           "series_scattering,series_absorption\n"));
  for (PetscInt f = 0; f < o->n; ++f) {
    const PetscReal *q      = &own[3 * f];
    const double     energy = o->nanometres > 0. ? k[f] * HBARC / o->nanometres : NAN;

    PetscCall(SectionsOfSphere(k[f], (PetscBool)(o->epsilon == 0.), csqrt(Epsilon(o, k[f])), series));
    for (int s = 0; s < 3; ++s) {
      most[s]  = PetscMax(most[s], series[s]);
      error[s] = PetscMax(error[s], PetscAbsReal(q[s] - series[s]));
    }
    if (file)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g\n", (double)k[f],
                             energy, 2. * PETSC_PI * HBARC / energy, (double)q[0], (double)q[1], (double)q[2],
                             (double)series[0], (double)series[1], (double)series[2]));
  }
  if (file) PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  for (int s = 0; s < 3; ++s) error[s] /= most[s < 2 || most[s] > 1e-9 ? s : 0]; /* glass absorbs nothing */
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Backscatter beside Mie's series at each wavenumber, and the largest error over the series */
static PetscErrorCode Compare(const Options *o, PlexDG dg, PlexDGFarField far, const PetscReal k[], PetscReal *error)
{
  const PetscReal *d;
  PetscReal        back[3], *sections;
  char             file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PlexDGGetConstant(dg, "direction", NULL, &d));
  for (int i = 0; i < 3; ++i) back[i] = -d[i];
  PetscCall(PetscMalloc1(o->n, &sections));
  PetscCall(PlexDGFarFieldGetCrossSections(far, 1, back, sections));
  for (PetscInt f = 0; f < o->n; ++f) {
    PetscReal series = 0.;

    PetscCall(MieBackscatter(k[f], 1., (PetscBool)(o->epsilon == 0.), csqrt(Epsilon(o, k[f])), &series));
    sections[f] /= PETSC_PI;
    *error = PetscMax(*error, PetscAbsReal(sections[f] / series - 1.));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ka %.4f: backscatter over pi a^2 %.7f, by Mie's series %.7f, error %.2e\n",
                          (double)k[f], (double)sections[f], (double)series, (double)(sections[f] / series - 1.)));
  }
  PetscCall(PetscFree(sections));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.csv", o->output));
  if (o->output[0]) PetscCall(PlexDGFarFieldWrite(far, o->angles, 0, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The near field beside Mie's series, and the difference over the series' size */
static PetscErrorCode CompareNear(const Options *o, const NearField *near, PlexDGFarField far, const PetscReal k[],
                                  PetscReal *error)
{
  PetscReal *spectrum;
  PetscInt   f = 0;
  char       name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *error = 0.;
  if (!near->grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(2 * o->n, &spectrum));
  PetscCall(PlexDGFarFieldGetSpectrum(far, spectrum));
  while (f < o->n - 1 && k[f] != near->k) ++f;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.csv", o->near));
  PetscCall(NearFieldWrite(near, &spectrum[2 * f], (PetscBool)(o->epsilon == 0.), csqrt(Epsilon(o, k[f])), name,
                           error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "near field at ka %.4f", (double)near->k));
  if (o->nanometres > 0.)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %.4f eV", (double)(near->k * HBARC / o->nanometres)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ": difference %.2e of the series\n", (double)*error));
  PetscCall(PetscFree(spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  DM             dm;
  PlexDG         dg;
  PlexDGFarField far;
  NearField      near;
  PetscReal     *k, end = 0., left = 0., error = 0., nearError = 0., sections[3];
  PetscInt       degree;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(CreateOperator(&o, dm, &dg, &end));
  PetscCall(PetscMalloc1(o.n, &k));
  PetscCall(Solve(&o, dm, dg, end, &far, k, &near, &left));
  PetscCall(Compare(&o, dg, far, k, &error));
  PetscCall(CompareSections(&o, dg, far, k, sections));
  PetscCall(CompareNear(&o, &near, far, k, &nearError));
  PetscCall(PlexDGGetDegree(dg, &degree));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=maxwell_sphere degree=%" PetscInt_FMT " wavenumbers=%" PetscInt_FMT
                        " left=%.1e error=%.2e extinction_error=%.2e scattering_error=%.2e absorption_error=%.2e "
                        "near_error=%.2e\n",
                        degree, o.n, (double)left, (double)error, (double)sections[0], (double)sections[1],
                        (double)sections[2], (double)nearError));
  PetscCall(NearFieldDestroy(&near));
  PetscCall(PetscFree(k));
  PetscCall(PlexDGFarFieldDestroy(&far));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
