static char help[] = "The nodal discontinuous Galerkin operator: energy, constant states, backends, a system of a "
                     "user's own.\n\
  -agree : only the comparison of backends, types and precisions with the host\n\n";

#include "dgproblem.h"
#include "report.h"

/* The largest absolute entry */
static PetscErrorCode Largest(Vec v, PetscReal *most)
{
  PetscFunctionBegin;
  PetscCall(VecNorm(v, NORM_INFINITY, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A slab with epsilon = 4 behind x = 1/2 reflects -1/3 and lets 2/3 through: the solution is known at all times
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode SlabCoefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                       void *ctx)
{
  PetscFunctionBegin;
  if (x[0] > 0.5) k[0] = 4.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SlabSolution(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                   void *ctx)
{
  const PetscReal w = 4., r = -1. / 3., transmitted = 2. / 3.;

  PetscFunctionBegin;
  if (x[0] < 0.5) { /* both are continuous there */
    u[2] = PetscCosReal(w * (t - x[0])) + r * PetscCosReal(w * (t + x[0] - 1.));
    u[4] = -PetscCosReal(w * (t - x[0])) + r * PetscCosReal(w * (t + x[0] - 1.));
  } else {
    u[2] = transmitted * PetscCosReal(w * (t - 0.5 - 2. * (x[0] - 0.5)));
    u[4] = -2. * u[2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSlab(const char backend[])
{
  const PetscReal w        = 4.;
  const char     *kinds[4] = {"incident", "absorbing", "pmc", "pmc"};
  PetscReal       error[2];
  char            of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 2 << k, PETSC_FALSE, &dm));
    PetscCall(PlexTestLabelSides(dm));
    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "maxwell"));
    PetscCall(PlexDGSetDegree(dg, 4));
    PetscCall(PlexDGSetBackend(dg, backend));
    PetscCall(PlexDGSetConstant(dg, "frequency", 1, &w));
    PetscCall(PlexDGSetCoefficients(dg, SlabCoefficients, NULL));
    for (PetscInt s = 0; s < 4; ++s) PetscCall(PlexDGAddBoundary(dg, "sides", s + 1, kinds[s]));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 0.5, SlabSolution, NULL, U));
    PetscCall(PlexDGComputeL2Error(dg, 0.5, SlabSolution, NULL, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, a slab", backend));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 2e-3 && error[0] / error[1] > 20.), of, "it reflects -1/3",
                             "errors %g, %g", (double)error[0], (double)error[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Constant states, and energy
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Constant(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 1. + k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestConstant(const char backend[], const char system[], PetscInt dim, PetscInt N)
{
  const PetscReal none = 0.;
  PetscReal       most, dt;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U, R;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  if (!strcmp(system, "burgers")) PetscCall(PlexDGSetConstant(dg, "amplitude", 1, &none));
  if (!strcmp(system, "acoustics")) PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., Constant, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(Largest(R, &most));
  PetscCall(PlexDGComputeTimeStep(dg, U, &dt));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend, system, dim,
                          N));
  PetscCall(PlexTestReportOf((PetscBool)(dg->mesh->nfacets == 0 && most * dt < 1e-13), of, "a constant state stays",
                             "it changes by %g in a step; %" PetscInt_FMT " facets", (double)(most * dt),
                             dg->mesh->nfacets));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d/dt of the energy, which is quadratic: (E(U + R) - E(U - R))/2 */
static PetscErrorCode EnergyRate(PlexDG dg, Vec U, PetscReal *energy, PetscReal *rate)
{
  Vec       R, V;
  PetscReal plus, minus;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeEnergy(dg, U, energy));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecWAXPY(V, 1., R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &plus));
  PetscCall(VecWAXPY(V, -1., R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &minus));
  *rate = (plus - minus) / 2.;
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cavity of uneven material, walls of all kinds that keep energy; a rough state */
static PetscErrorCode TestEnergy(const char backend[], const char system[], PetscInt dim, PetscInt N, PetscReal alpha)
{
  const PetscBool maxwell = (PetscBool)!strcmp(system, "maxwell");
  PetscReal       energy = 0., rate = 0., dt, before, after = 0.;
  PetscBool       grows = PETSC_FALSE;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 2, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  PetscCall(PlexDGAddBoundary(dg, "boundary", 1, maxwell ? "pec" : "wall"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(EnergyRate(dg, U, &energy, &rate));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", alpha %g", backend,
                          system, dim, N, (double)alpha));
  if (alpha == 0.)
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate) * dt < 1e-12 * energy), of, "the operator keeps energy",
                               "of %g it changes by %g in a step", (double)energy, (double)(rate * dt)));
  else
    PetscCall(PlexTestReportOf((PetscBool)(rate * dt < -1e-6 * energy), of, "the operator takes energy away",
                               "of %g it changes by %g in a step", (double)energy, (double)(rate * dt)));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e6 * dt));
  PetscCall(TSSetSolution(ts, U));
  before = energy;
  for (PetscInt step = 0; step < 20; ++step) {
    PetscCall(TSStep(ts));
    PetscCall(PlexDGComputeEnergy(dg, U, &after));
    if (after > before * (1. + 1e-12)) grows = PETSC_TRUE;
    before = after;
  }
  PetscCall(PlexTestReportOf((PetscBool)!grows, of, "it never grows with the default step", "from %g to %g",
                             (double)energy, (double)after));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Backends and precisions: the same right-hand side, all kinds of boundary conditions
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode RHSOnHost(PlexDG dg, const char backend[], const char type[], PlexPrecision precision,
                                PetscReal values[], PetscInt n)
{
  const PetscScalar *r;
  Vec                U, R;

  PetscFunctionBegin;
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, R));
  PetscCall(VecGetArrayRead(R, &r));
  for (PetscInt k = 0; k < n; ++k) values[k] = PetscRealPart(r[k]);
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[], const char type[], const char system[], PetscInt dim,
                                  PetscInt N, PlexPrecision precision)
{
  const PetscReal tolerance = precision == PLEX_PRECISION_DOUBLE ? 1e-12 : 2e-4, alpha = 0.7;
  PetscReal      *expected, *values, most = 0., largest = 0.;
  PetscInt        n;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  if (strcmp(system, "burgers")) PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  for (PetscInt s = 0; s < 2 * dim; ++s) {
    const PetscInt kind = s % dg->system->nkinds;
    char           name[64];

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s", dg->system->kinds[kind],
                            kind && kind == dg->system->resistive ? ":0.4" : ""));
    PetscCall(PlexDGAddBoundary(dg, "sides", s + 1, name));
  }
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecDestroy(&U));
  PetscCall(PetscMalloc2(n, &expected, n, &values));
  PetscCall(RHSOnHost(dg, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, expected, n));
  PetscCall(RHSOnHost(dg, backend, type, precision, values, n));
  for (PetscInt k = 0; k < n; ++k) {
    most    = PetscMax(most, PetscAbsReal(values[k] - expected[k]));
    largest = PetscMax(largest, PetscAbsReal(expected[k]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s", backend,
                          type, system, dim, N, PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most <= tolerance * largest && largest > 1.), of,
                             "it agrees with the host in double precision", "off by %g of %g", (double)most,
                             (double)largest));
  PetscCall(PetscFree2(expected, values));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const systems[] = {"advection", "acoustics", "maxwell", "burgers"};
#define SYSTEMS PETSC_STATIC_ARRAY_LENGTH(systems)

/* All types that a backend has, in both precisions */
static PetscErrorCode TestAgreement(const char backend[])
{
  const char *const kernels[] = {PLEXDGPLAIN, PLEXDGFUSED, PLEXDGSEPARATE}, *const host[] = {PLEXDGHOST};
  const PetscBool onHost = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);

  PetscFunctionBegin;
  for (size_t t = 0; t < (onHost ? PETSC_STATIC_ARRAY_LENGTH(host) : PETSC_STATIC_ARRAY_LENGTH(kernels)); ++t) {
    const char *type = onHost ? host[t] : kernels[t];

    for (PetscInt dim = 2; dim <= 3; ++dim) {
      for (size_t s = 0; s < SYSTEMS; ++s) {
        if (!onHost) PetscCall(TestBackend(backend, type, systems[s], dim, dim == 2 ? 4 : 2, PLEX_PRECISION_DOUBLE));
        PetscCall(TestBackend(backend, type, systems[s], dim, dim == 2 ? 4 : 2, PLEX_PRECISION_SINGLE));
      }
    }
    if (!onHost) PetscCall(TestBackend(backend, type, "maxwell", 3, 9, PLEX_PRECISION_DOUBLE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A system of a user's own: nonlinear, with a source
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode BurgersSolution(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                      void *ctx)
{
  PetscReal phase = -t;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) phase += x[d];
  u[0] = 1. + PetscSinReal(2. * PETSC_PI * phase) / 4.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBurgers(const char backend[], PetscInt dim, PetscInt N, PetscInt n)
{
  PetscReal error[2], rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n << k, PETSC_TRUE, &dm));
    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "burgers"));
    PetscCall(PlexDGSetDegree(dg, N));
    PetscCall(PlexDGSetBackend(dg, backend));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 0.1, BurgersSolution, NULL, U));
    PetscCall(PlexDGComputeL2Error(dg, 0.1, BurgersSolution, NULL, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, Burgers in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend, dim, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.7), of, "the error falls as h^(N+1)", "errors %g, %g, rate %g",
                             (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAll(const char backend[])
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);

  PetscFunctionBegin;
  if (!emulate) PetscCall(TestSlab(backend));
  for (PetscInt dim = 2; dim <= 3; ++dim) {
    for (size_t s = 0; s < SYSTEMS; ++s) PetscCall(TestConstant(backend, systems[s], dim, dim == 2 ? 4 : 2));
    for (PetscInt N = 1; N <= PLEX_DG_MAX_DEGREE && !emulate; ++N) {
      PetscCall(TestEnergy(backend, "maxwell", dim, N, 1.));
      PetscCall(TestEnergy(backend, N % 2 ? "acoustics" : "maxwell", dim, N, 0.));
    }
    if (dim == 2 || !emulate) PetscCall(TestBurgers(backend, dim, 3, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscBool          agree;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-agree", &agree));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(TestAgreement(backends[b]));
    if (!agree) PetscCall(TestAll(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
