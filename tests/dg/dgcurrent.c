static char help[] = "Currents in Maxwell's equations: the library's own, and one of a user's, against known "
                     "solutions.\n\n";

#include "dgproblem.h"
#include "report.h"

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

static PetscErrorCode Create(DM dm, const char system[], const char kind[], PetscInt N, const Way *way, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The current of tests/common/driven.h */

#define FREQUENCY 5.
static const PetscReal material[] = {1.5, 0.8, 0.4}; /* epsilon, mu, sigma */

static PetscErrorCode Driven(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal H = PETSC_PI * PetscCosReal(FREQUENCY * t) / (material[1] * FREQUENCY);

  PetscFunctionBegin;
  u[2] = PetscSinReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]) * PetscSinReal(FREQUENCY * t);
  u[3] = PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]) * H;
  u[4] = -PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]) * H;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DrivenError(PetscInt dim, PetscInt cells, PetscInt N, const Way *way, PetscReal *error)
{
  const PetscReal   T = 0.7, frequency = FREQUENCY;
  const char *const names[] = {"epsilon", "mu", "sigma"};
  DM                dm;
  PlexDG            dg;
  Vec               U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, cells, PETSC_FALSE, &dm));
  PetscCall(Create(dm, "maxwell_driven", "pec", N, way, &dg));
  for (int k = 0; k < 3; ++k) PetscCall(PlexDGSetConstant(dg, names[k], 1, &material[k]));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, Driven, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, Driven, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDriven(PetscInt dim, const Way *way)
{
  const PetscInt cells = dim == 2 ? 3 : 1, N = 3;
  PetscReal      error[2], rate;
  char           of[128];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(DrivenError(dim, cells << k, N, way, &error[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s in %" PetscInt_FMT "D", way->backend, way->type,
                          PlexPrecisions[way->precision], dim));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 0.01 && rate > N + 0.5), of,
                             "a current of a user's own makes the solution that it was made for",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The library's */

typedef struct {
  PetscReal current[3], center[3], radius, frequency, delay, width, epsilon;
} Pulse;

static PetscErrorCode SetPulse(PlexDG dg, const Pulse *p)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "current", 3, p->current));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, p->center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &p->radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &p->frequency));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &p->delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &p->width));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &p->epsilon));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -J/epsilon */
static PetscErrorCode Rate(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Pulse *p  = (const Pulse *)ctx;
  PetscReal    r2 = 0., size;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) r2 += PetscSqr(x[d] - p->center[d]);
  size = PetscCosReal(p->frequency * (t - p->delay));
  if (p->radius > 0.) size *= PetscExpReal(-r2 / PetscSqr(p->radius));
  if (p->width > 0.) size *= PetscExpReal(-PetscSqr((t - p->delay) / p->width));
  for (PetscInt d = 0; d < 3; ++d) u[d] = -p->current[d] * size / p->epsilon;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of change of nothing is what the current makes */
static PetscErrorCode TestPulse(PetscInt dim, const char name[], const Pulse *p, const Way *way)
{
  const PetscReal t = 0.37;
  DM              dm;
  PlexDG          dg;
  Vec             U, R, exact;
  PetscReal       error, norm;
  char            of[128];

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 1, &dm));
  PetscCall(Create(dm, "maxwell", "pec", 4, way, &dg));
  PetscCall(SetPulse(dg, p));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &exact));
  PetscCall(PlexDGProject(dg, t, Rate, (void *)p, exact));
  PetscCall(PlexDGComputeRHS(dg, t, U, R));
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(R, -1., exact));
  PetscCall(VecNorm(R, NORM_INFINITY, &error));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s in %" PetscInt_FMT "D", way->backend, way->type,
                          PlexPrecisions[way->precision], dim));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 0.01 &&
                                         error < (way->precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-13)),
                             of, name, "difference %g of %g", (double)error, (double)norm));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&exact));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels and loops without current are those from before there was one */
static PetscErrorCode TestNone(DM dm)
{
  const PetscReal J[3] = {0., 0., 1.}, none[3] = {0., 0., 0.};
  PlexDG          dg;
  PetscBool       source[3];

  PetscFunctionBegin;
  PetscCall(Create(dm, "maxwell", "pec", 2, &(Way){PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}, &dg));
  for (int k = 0; k < 3; ++k) {
    if (k) PetscCall(PlexDGSetConstant(dg, "current", 3, k == 1 ? J : none));
    PetscCall(PlexDGSetUp(dg));
    source[k] = (PetscBool)(dg->system->host[0]->addsource != NULL);
  }
  PetscCall(PlexTestReport((PetscBool)(!source[0] && source[1] && !source[2]),
                           "a current is computed where there is one", "%d %d %d", (int)source[0], (int)source[1],
                           (int)source[2]));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Pulse        dipole =
                       {
                         {0.3, -0.2, 1. },
                         {0.4, 0.6,  0.5},
                         0.3, 7., 0.2, 0.5, 1.7
  },
                     uniform = {{0., 0., 1.}, {0., 0., 0.}, 0., 3., 0., 0., 0.6};
  const char *const *backends;
  PetscInt           n;
  DM                 dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterDriven());
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 2, PETSC_FALSE, &dm));
  PetscCall(TestNone(dm));
  PetscCall(DMDestroy(&dm));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool   host    = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);
    const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGFUSED};

    for (int k = 0; k < (host ? 1 : 2); ++k)
      for (PetscInt dim = 2; dim <= 3; ++dim) {
        for (int p = 0; p < 2; ++p) {
          const Way way = {backends[b], types[k], (PlexPrecision)p};

          PetscCall(TestPulse(dim, "a pulse at a place", &dipole, &way));
          PetscCall(TestPulse(dim, "a current everywhere, for ever", &uniform, &way));
        }
        PetscCall(TestDriven(dim, &(Way){backends[b], types[k], PLEX_PRECISION_DOUBLE}));
      }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
