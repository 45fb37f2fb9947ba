static char help
  [] = "A metal ball of some nanometres in a pulse: what it scatters and absorbs by frequency, by nodal "
       "discontinuous Galerkin, beside Mie's series.\n\n"
       "  -radius A               of the ball, in nm (default 20)\n"
       "  -plasma E               hbar times the plasma frequency, in eV (default 9, about that of silver and gold)\n"
       "  -collisions E           hbar times the rate of collisions, in eV (default 0.5)\n"
       "  -permittivity E         that of high frequencies (default 1)\n"
       "  -energies FROM:TO:N     of the photons, in eV, N at equal distances (default 3:7:41)\n"
       "  -time T                 after the pulse, until fields have left, over radius/c (default 150)\n"
       "  -cells N                of the edges of an icosahedron (default 2): the ball has 20 N^2 facets\n"
       "  -radii A,B,C,...        of spheres between shells of cells, in units of the ball's: A is that of the total "
       "field, "
       "B of the far field, C where the perfectly matched layer begins, which has all shells from there on\n"
       "                          (default 1.4,1.9,2.5,3.1,3.7,4.3)\n"
       "  -absorbing              an absorbing boundary alone, and no layer\n"
       "  -output NAME            NAME.csv, for nanosphere.py\n"
       "  -plex_dg_degree N       degree of the polynomials, and of curved cells (default 3)\n"
       "  -plex_dg_backend, -plex_dg_view\n\n";

/*
  Lengths are in units of the radius a and times in a/c, so that a photon's energy E has the angular frequency E a/(hbar c),
  hbar c = 197.327 eV nm. Of fields exp(-i w t) the metal's permittivity is Drude's,

    epsilon(w) = epsilon - p^2/(w^2 + i g w)

  A ball much smaller than the wave swings most where epsilon(w) = -2, Froehlich's condition: w = p/sqrt(epsilon + 2). The pulse
  is a Gaussian of all frequencies asked for, which enters on a sphere inside the mesh. From the far field A,
  on one farther out, of a wave of size 1, direction d and polarization P, with k = w/c,

    extinction = 4 pi/k Im P . A(d),   scattering = integral of |A|^2 over all directions,   absorption = the difference
*/
#include "mie.h"
#include "program.h"
#include "shells.h"

typedef double _Complex Complex;
#define IMAGINARY __extension__ 1.0i

#define HBARC   197.3269804 /* eV nm */
#define RINGS   8           /* of directions, at the points of Gauss' quadrature */
#define SPHERES 16

typedef struct {
  char      output[PETSC_MAX_PATH_LEN];
  PetscReal radius, plasma, collisions, permittivity, energies[2], time, radii[SPHERES];
  PetscInt  n, cells, nradii; /* n energies */
  PetscBool absorbing;
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  const PetscReal radii[]   = {1., 1.4, 1.9, 2.5, 3.1, 3.7, 4.3};
  PetscInt        n         = SPHERES - 1;
  char            text[256] = "3:7:41";
  double          from, to;
  int             count;
  PetscBool       set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->radius       = 20.;
  o->plasma       = 9.;
  o->collisions   = 0.5;
  o->permittivity = 1.;
  o->time         = 150.;
  o->cells        = 2;
  o->nradii       = PETSC_STATIC_ARRAY_LENGTH(radii);
  PetscCall(PetscArraycpy(o->radii, radii, o->nradii));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Ball", NULL);
  PetscCall(PetscOptionsReal("-radius", "nm", NULL, o->radius, &o->radius, NULL));
  PetscCall(PetscOptionsReal("-plasma", "eV", NULL, o->plasma, &o->plasma, NULL));
  PetscCall(PetscOptionsReal("-collisions", "eV", NULL, o->collisions, &o->collisions, NULL));
  PetscCall(PetscOptionsReal("-permittivity", "Of high frequencies", NULL, o->permittivity, &o->permittivity, NULL));
  PetscCall(PetscOptionsReal("-time", "After the pulse", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsString("-energies", "eV", NULL, text, text, sizeof(text), NULL));
  PetscCall(PetscOptionsBoundedInt("-cells", "Of an edge", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsRealArray("-radii", "Of spheres", NULL, &o->radii[1], &n, &set));
  if (set) o->nradii = 1 + n;
  PetscCheck(o->nradii > 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-radii are those of the total field, the far field, the inner side of the layer, and at least one "
             "beyond");
  for (PetscInt k = 1; k < o->nradii; ++k)
    PetscCheck(o->radii[k] > o->radii[k - 1], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
               "-radii have to grow, from more than 1 on");
  PetscCall(PetscOptionsBool("-absorbing", "No layer", NULL, o->absorbing, &o->absorbing, NULL));
  PetscCall(PetscOptionsString("-output", "Name of the output", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscCheck(sscanf(text, "%lf:%lf:%d", &from, &to, &count) == 3 && from > 0. && to > from && count > 1,
             PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "-energies %s is not FROM:TO:N, with 0 < FROM < TO and 2 energies or more", text);
  PetscCheck(o->radius > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-radius %g is not more than 0",
             (double)o->radius);
  o->energies[0] = from;
  o->energies[1] = to;
  o->n           = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Efficiencies of extinction, scattering and absorption by Mie's series */
static PetscErrorCode Series(const Options *o, PetscReal energy, PetscReal Q[3])
{
  const PetscReal x = energy * o->radius / HBARC;
  const Complex   m = csqrt(o->permittivity - PetscSqr(o->plasma) / (energy * (energy + IMAGINARY * o->collisions)));
  PetscReal       mu[2 * RINGS], w[2 * RINGS];
  Complex         S[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(MieAmplitudes(x, 1., PETSC_FALSE, m, 0., S));
  Q[0] = 4. / (x * x) * creal(S[0]);
  Q[1] = 0.;
  PetscCall(PetscDTGaussQuadrature(2 * RINGS, -1., 1., mu, w));
  for (int k = 0; k < 2 * RINGS; ++k) {
    PetscCall(MieAmplitudes(x, 1., PETSC_FALSE, m, PetscAcosReal(mu[k]), S));
    for (int p = 0; p < 2; ++p) Q[1] += w[k] / (x * x) * (PetscSqr(creal(S[p])) + PetscSqr(cimag(S[p])));
  }
  Q[2] = Q[0] - Q[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The operator */

static PetscErrorCode Sphere(PetscInt dim, PetscReal x[], void *ctx)
{
  const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);

  PetscFunctionBegin;
  (void)ctx;
  for (PetscInt d = 0; d < dim; ++d) x[d] /= r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  DM next;

  PetscFunctionBegin;
  PetscCall(ShellsCreate(PETSC_COMM_WORLD, o->cells, PETSC_FALSE, o->nradii, o->radii, dm));
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &next));
  if (!next) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(dm));
  *dm = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pulse has a tenth of its largest amplitude at twice the middle of the range; `end` is when it has passed */
static PetscErrorCode CreateOperator(const Options *o, DM dm, PlexDG *dg, PetscReal *end)
{
  const PetscReal unit = o->radius / HBARC, frequency = (o->energies[1] + o->energies[0]) / 2. * unit,
                  width = 2. * PetscSqrtReal(PetscLogReal(10.)) / frequency, delay = 4. * width + o->radii[1],
                  odd = -PETSC_PI / 2., /* the integral is 0: no static field stays */
    drude[2]          = {o->plasma * unit, o->collisions * unit};
  char shape[64];

  PetscFunctionBegin;
  *end = 2. * delay;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, 3));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &frequency));
  PetscCall(PlexDGSetConstant(*dg, "wave_width", 1, &width));
  PetscCall(PlexDGSetConstant(*dg, "wave_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(*dg, "wave_phase", 1, &odd));
  PetscCall(PlexDGSetTotalField(*dg, "sphere", 2));
  PetscCall(PlexDGAddMaterial(*dg, "shell", 1, 1, &o->permittivity));
  if (o->plasma > 0.) PetscCall(PlexDGAddDispersion(*dg, "shell", 1, "drude", 2, drude));
  PetscCall(PlexDGSetCurve(*dg, "sphere", 1, Sphere, NULL));
  PetscCall(PlexDGAddBoundary(*dg, "sphere", o->nradii, "absorbing"));
  PetscCall(PetscSNPrintf(shape, sizeof(shape), "sphere,0,0,0,%.16g", (double)o->radii[3]));
  for (PetscInt l = 5; l <= o->nradii && !o->absorbing; ++l) PetscCall(PlexDGSetPML(*dg, "shell", l, shape));
  PetscCall(PlexDGSetPMLProfile(*dg, 1e-6, 3, 0.2 * frequency)); /* the layer is far thinner than the wave is long */
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the ball takes from the wave: sections[n][3], extinction, scattering and absorption over pi a^2 */
static PetscErrorCode GetSections(PlexDGFarField far, PetscInt n, const PetscReal k[], PetscReal sections[])
{
  const PetscReal P[3] = {0., 0., 1.}; /* the system's defaults: along x, with E along z */
  PetscReal       directions[1 + 2 * RINGS * RINGS][3] =
    {
      {1., 0., 0.}
  },
                                       weights[1 + 2 * RINGS * RINGS] = {0.}, mu[RINGS], w[RINGS], *A, *g;
  const PetscInt N                                                    = 1 + 2 * RINGS * RINGS;

  PetscFunctionBegin;
  PetscCall(PetscDTGaussQuadrature(RINGS, -1., 1., mu, w));
  for (PetscInt i = 0; i < RINGS; ++i)
    for (PetscInt j = 0; j < 2 * RINGS; ++j) {
      const PetscInt  a     = 1 + 2 * RINGS * i + j;
      const PetscReal angle = PETSC_PI * j / RINGS, rho = PetscSqrtReal(1. - mu[i] * mu[i]);

      directions[a][0] = mu[i];
      directions[a][1] = rho * PetscCosReal(angle);
      directions[a][2] = rho * PetscSinReal(angle);
      weights[a]       = w[i] * PETSC_PI / RINGS;
    }
  PetscCall(PetscMalloc2(6 * n * N, &A, 2 * n, &g));
  PetscCall(PlexDGFarFieldGetAmplitudes(far, N, directions[0], A));
  PetscCall(PlexDGFarFieldGetSpectrum(far, g));
  for (PetscInt f = 0; f < n; ++f) {
    const Complex wave    = g[2 * f] + IMAGINARY * g[2 * f + 1];
    Complex       forward = 0.;
    PetscReal     sum     = 0.;

    for (PetscInt a = 0; a < N; ++a)
      for (int d = 0; d < 3; ++d) {
        const Complex amplitude = (A[6 * (f * N + a) + 2 * d] + IMAGINARY * A[6 * (f * N + a) + 2 * d + 1]) / wave;

        if (!a) forward += P[d] * amplitude;
        sum += weights[a] * (PetscSqr(creal(amplitude)) + PetscSqr(cimag(amplitude)));
      }
    sections[3 * f]     = 4. / k[f] * cimag(forward);
    sections[3 * f + 1] = sum / PETSC_PI;
    sections[3 * f + 2] = sections[3 * f] - sections[3 * f + 1];
  }
  PetscCall(PetscFree2(A, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energy of the largest of values[3 i + which], of a parabola through it and its neighbours */
static PetscReal Peak(const Options *o, PetscInt which, const PetscReal values[])
{
  PetscInt  i     = 0;
  PetscReal shift = 0.;

  for (PetscInt f = 1; f < o->n; ++f)
    if (values[3 * f + which] > values[3 * i + which]) i = f;
  if (i > 0 && i < o->n - 1) {
    const PetscReal a = values[3 * (i - 1) + which], b = values[3 * i + which], c = values[3 * (i + 1) + which];

    shift = (a - c) / (2. * (a - 2. * b + c));
  }
  return o->energies[0] + (i + shift) * (o->energies[1] - o->energies[0]) / (o->n - 1);
}

/* The table, in nm and nm^2, and the largest difference from the series over its largest value, of each section */
static PetscErrorCode Report(const Options *o, const PetscReal own[], PetscReal exact[], PetscReal error[3])
{
  const char     *titles  = "energy_eV,wavelength_nm,extinction_nm2,scattering_nm2,absorption_nm2,"
                            "series_extinction_nm2,series_scattering_nm2,series_absorption_nm2";
  const PetscReal area    = PETSC_PI * PetscSqr(o->radius);
  PetscReal       most[3] = {0., 0., 0.};
  FILE           *file    = NULL;
  char            name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.csv", o->output));
  if (o->output[0]) PetscCall(PetscFOpen(PETSC_COMM_WORLD, name, "w", &file));
  if (file) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%s\n", titles));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "    eV      nm | over pi a^2: extinction scattering absorption | the series: "
                        "extinction scattering absorption\n"));
  error[0] = error[1] = error[2] = 0.;
  for (PetscInt f = 0; f < o->n; ++f) {
    const PetscReal  energy = o->energies[0] + (o->energies[1] - o->energies[0]) * f / (o->n - 1);
    const PetscReal *q = &own[3 * f], *Q = &exact[3 * f];

    PetscCall(Series(o, energy, &exact[3 * f]));
    for (int s = 0; s < 3; ++s) {
      most[s]  = PetscMax(most[s], Q[s]);
      error[s] = PetscMax(error[s], PetscAbsReal(q[s] - Q[s]));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%6.3f %7.2f |             %11.5f %10.5f %10.5f |             %11.5f %10.5f %10.5f\n",
                          (double)energy, 2. * PETSC_PI * HBARC / energy, (double)q[0], (double)q[1], (double)q[2],
                          (double)Q[0], (double)Q[1], (double)Q[2]));
    if (file)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g\n", (double)energy,
                             2. * PETSC_PI * HBARC / energy, (double)(area * q[0]), (double)(area * q[1]),
                             (double)(area * q[2]), (double)(area * Q[0]), (double)(area * Q[1]),
                             (double)(area * Q[2])));
  }
  if (file) PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  for (int s = 0; s < 3; ++s) error[s] /= most[s];
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  DM             dm;
  PlexDG         dg;
  PlexDGFarField far;
  TS             ts;
  Vec            U;
  PetscReal     *k, *own, *exact, end, error[3];
  PetscInt       degree, steps, values;
  PetscLogDouble from, to;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(CreateOperator(&o, dm, &dg, &end));
  PetscCall(PetscMalloc3(o.n, &k, 3 * o.n, &own, 3 * o.n, &exact));
  for (PetscInt f = 0; f < o.n; ++f)
    k[f] = (o.energies[0] + (o.energies[1] - o.energies[0]) * f / (o.n - 1)) * o.radius / HBARC;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, o.n, k, &far));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PlexDGFarFieldSetTS(far, ts, 4, PETSC_MIN_REAL));
  PetscCall(TSSetMaxTime(ts, end + o.time));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexDGRestartFromOptions(dg, ts, U, NULL));
  PetscCall(PetscTime(&from));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&to));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &values));
  PetscCall(PlexDGGetDegree(dg, &degree));
  PetscCall(GetSections(far, o.n, k, own));
  PetscCall(Report(&o, own, exact, error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " steps of %" PetscInt_FMT
                        " values in %.3g s; absorption is largest at %.4f eV, in the series at %.4f eV; Froehlich's "
                        "condition: %.4f eV\n",
                        steps, values, to - from, (double)Peak(&o, 2, own), (double)Peak(&o, 2, exact),
                        (double)(o.plasma / PetscSqrtReal(o.permittivity + 2.))));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=maxwell_nanosphere degree=%" PetscInt_FMT " steps=%" PetscInt_FMT
                        " peak=%.5f series=%.5f extinction_error=%.6f scattering_error=%.6f absorption_error=%.6f\n",
                        degree, steps, (double)Peak(&o, 2, own), (double)Peak(&o, 2, exact), (double)error[0],
                        (double)error[1], (double)error[2]));
  PetscCall(PlexDGFarFieldDestroy(&far));
  PetscCall(PetscFree3(k, own, exact));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
