static char
  help[] = "Elastic waves at surfaces and interfaces by nodal DG: Rayleigh's, Scholte's and Stoneley's, and a pulse "
           "that is reflected and transmitted.\n\n";

#include "elasticmodes.h"
#include "report.h"

typedef struct {
  const char   *name;
  ElasticMedium media[2];
  PetscReal     depth, grading;
  PetscBool     pulse; /* along the normal; else a wave that stands along the surface, half a wave wide */
} Surface;

static const Surface surfaces[] = {
  {"Rayleigh's wave",                      {{0., 0., 0.}, {1., 1., 0.5}},           6.,  1.6, PETSC_FALSE},
  {"Scholte's wave, a fluid over a solid", {{1., 1., 0.}, {2., 2., 1.}},            4.,  1.6, PETSC_FALSE},
  {"Stoneley's wave, between two solids",  {{2.7, 6.35, 3.11}, {19.3, 5.23, 2.86}}, 9.,  1.8, PETSC_FALSE},
  {"a pulse from solid to solid",          {{1., 1., 0.5}, {2., 1.3, 0.8}},         1.2, 1.,  PETSC_TRUE },
  {"a pulse from fluid to solid",          {{1., 1., 0.}, {2., 1.3, 0.8}},          1.2, 1.,  PETSC_TRUE },
  {"a pulse from solid to fluid",          {{1., 1.1, 0.6}, {0.8, 0.8, 0.}},        1.2, 1.,  PETSC_TRUE }
};

#define ARRIVAL 0.6 /* of the pulse at y = 0 */
#define WIDTH   0.14

static PetscReal Pulse(PetscReal phase)
{
  return PetscExpReal(-PetscSqr((phase + ARRIVAL) / WIDTH));
}

/* A P wave f(y/c - t) from y < 0 on, of impedances Z = rho cp: of its velocity (Z0 - Z1)/(Z0 + Z1) comes back, and
   2 Z0/(Z0 + Z1) goes on. syy is -Z v of what goes along y, Z v of what comes back; ctx: an ElasticMode, for its media */
static PetscErrorCode PulseValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx)
{
  const ElasticMode   *mode = (const ElasticMode *)ctx;
  const ElasticMedium *m    = &mode->media[x[1] >= 0.];
  const PetscReal      Z0 = mode->media[0].rho * mode->media[0].cp, Z1 = mode->media[1].rho * mode->media[1].cp,
                       Z = m->rho * m->cp, side = 1. - 2. * PetscSqr(m->cs / m->cp); /* lambda/(lambda + 2 mu) */
  const PetscReal      forth = Pulse(x[1] / m->cp - t) * (x[1] < 0. ? 1. : 2. * Z0 / (Z0 + Z1)),
                       back  = x[1] < 0. ? Pulse(-x[1] / m->cp - t) * (Z0 - Z1) / (Z0 + Z1) : 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 0.;
  u[1]       = forth + back;
  u[dim + 1] = Z * (back - forth);
  for (PetscInt k = dim; k < 2 * dim; ++k)
    if (k != dim + 1) u[k] = side * u[dim + 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n^dim cells, 0 <= x <= 1/2, of pulses as long as y; y up to depth, from -depth on where there are two media; finer at y = 0; rollers beside */
static PetscErrorCode SurfaceMesh(const Surface *s, PetscInt dim, PetscInt n, DM *dm)
{
  const PetscBool two = (PetscBool)(s->media[0].rho > 0.);
  PetscScalar    *at;
  PetscInt        size;
  Vec             x;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(ElasticDistribute(dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &x));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &at));
  for (PetscInt k = 0; k < size; k += dim) {
    const PetscReal y = two ? 2. * PetscRealPart(at[k + 1]) - 1. : PetscRealPart(at[k + 1]);

    at[k] *= s->pulse ? 2. * s->depth : 0.5;
    at[k + 1] = s->depth * (y < 0. ? -1. : 1.) * PetscPowReal(PetscAbsReal(y), s->grading);
    if (dim == 3) at[k + 2] *= 0.5;
  }
  PetscCall(VecRestoreArray(x, &at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The function at the nodes at time 0.2; at y = 0 each element has the values of its own side */
static PetscErrorCode SurfaceProject(PlexDG dg, PlexDGFn *func, ElasticMode *mode, Vec U)
{
  const PetscInt   dim = dg->mesh->dim, Nf = dg->system->Nf;
  const PetscReal *x;
  PetscScalar     *u, values[9];
  PetscInt         Ne, Np;

  PetscFunctionBegin;
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(VecGetArrayWrite(U, &u));
  for (PetscInt e = 0; e < Ne; ++e) {
    PetscReal middle = 0.;

    for (PetscInt i = 0; i < Np; ++i) middle += x[(e * Np + i) * dim + 1];
    for (PetscInt i = 0; i < Np; ++i) {
      PetscReal at[3] = {0., 0., 0.};

      for (PetscInt d = 0; d < dim; ++d) at[d] = x[(e * Np + i) * dim + d];
      if (PetscAbsReal(at[1]) < 1e-12) at[1] = middle < 0. ? -1e-300 : 0.;
      PetscCall((*func)(dim, 0.2, at, Nf, values, mode));
      for (PetscInt k = 0; k < Nf; ++k) u[(e * Nf + k) * Np + i] = values[k];
    }
  }
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SurfaceError(const char backend[], const Surface *s, PetscInt dim, PetscInt N, PetscInt n,
                                   PetscReal T, PetscReal *error)
{
  const PetscBool two  = (PetscBool)(s->media[0].rho > 0.);
  PlexDGFn       *func = s->pulse ? PulseValues : ElasticModeValues;
  ElasticMode     mode = {
    .media = {s->media[0], s->media[1]},
      .c = 1.
  };
  DM     dm;
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  if (!s->pulse) PetscCall(ElasticModeInitialize(s->media, 2. * PETSC_PI, &mode));
  PetscCall(SurfaceMesh(s, dim, n, &dm));
  PetscCall(ElasticCreate(dm, backend, N, &dg));
  PetscCall(PlexDGSetCoefficients(dg, ElasticModeMedium, &mode));
  for (PetscInt side = 1; side <= 2 * dim; ++side)
    PetscCall(PlexDGAddBoundary(dg, "sides", side,
                                side == 3 && !two        ? "free"
                                : side == 3 || side == 4 ? "wall"
                                                         : "roller"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(SurfaceProject(dg, func, &mode, U));
  PetscCall(PlexDGSetCFL(dg, 0.5));
  PetscCall(PlexTestRun(dg, T / mode.c, NULL, NULL, U));
  PetscCall(ElasticGetError(dg, 0.2 + T / mode.c, func, &mode, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSurface(const char backend[], const Surface *s, PetscInt N)
{
  const PetscInt  n = s->pulse ? 24 : N < 3 || s->media[0].rho > 0. ? 16 : 8;
  const PetscReal T = s->pulse ? 0.6 : N < 3 ? 0.25 : 0.125;
  PetscReal       error[2];
  char            of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(SurfaceError(backend, s, 2, N, n << k, T, &error[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, s->name, N));
  PetscCall(ElasticReportRate(of, N, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In 3D, where the mode is the same along z */
static PetscErrorCode TestTetrahedra(const char backend[], const Surface *s)
{
  PetscReal error[2];
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(SurfaceError(backend, s, 2 + k, 3, 8, 0.06, &error[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s on tetrahedra", backend, s->name));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: error %.3g, on triangles %.3g\n", of, (double)error[1],
                        (double)error[0]));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 1.3 * error[0] && error[1] < 0.1), of,
                             "it is as near as on as many triangles a side", "errors %g and %g", (double)error[1],
                             (double)error[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees 1 to 4, of pulses 3; on several processes, with emulated kernels, and in short, degree 2 of what stands; in
   short the host has one pulse and one wave on tetrahedra, and the kernels one wave, of fluid and solid */
static PetscErrorCode TestBackend(const char backend[], PetscBool alone)
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE), few = (PetscBool)(emulate || !alone),
                  all = PlexTestLong();

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(surfaces); ++s) {
    const Surface *c     = &surfaces[s];
    const PetscInt least = c->pulse ? 3 : few || !all ? 2 : 1, most = c->pulse || (!few && !all) ? 3 : few ? 2 : 4;

    if (!all && (few ? s != 1 : c->pulse && s + 1 < PETSC_STATIC_ARRAY_LENGTH(surfaces))) continue;
    for (PetscInt N = least; N <= most; ++N)
      if (!few || !c->pulse) PetscCall(TestSurface(backend, c, N));
    if (!few && !c->pulse && (all || s == 1)) PetscCall(TestTetrahedra(backend, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b], (PetscBool)(size == 1)));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
