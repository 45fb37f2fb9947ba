static char help[] = "Viscous fluxes of DG with quadrature: orders of convergence, momentum and energy, backends, "
                     "processes, time steps.\n\n";

#define PLEX_DG_POINTWISE "tests/dg/diffusion.h" /* from the top folder, where tests run */
#define PLEX_DG_ONLY      2
#include <plexgpu/dg_system.h>
#include "dg/interface/dgimpl.h"
#include "waterproblem.h"
#include "report.h"

static const char *const     fields[]    = {"u"};
static const char *const     kinds[]     = {"isolated", "zero"};
static const PlexDGParameter constants[] = {
  {"velocity",  3, {0., 0., 0.}},
  {"viscosity", 1, {0.1}       },
  {"ring",      1, {0.}        }
};

static PetscErrorCode CreateDiffusion(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Exact solutions, of viscosity 0.1 */

static PetscErrorCode Isolated(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscExpReal(-0.2 * PetscSqr(PETSC_PI) * t) * PetscCosReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscExpReal(-0.2 * PetscSqr(PETSC_PI) * t) * PetscSinReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ring(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal r2 = x[0] * x[0] + x[1] * x[1];

  PetscFunctionBegin;
  u[0] = PetscExpReal(-t) * PetscCosReal(PETSC_PI * (PetscSqrtReal(r2) - 1.)) * (x[0] * x[0] - x[1] * x[1]) / r2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SHEAR_VISCOSITY 0.02

/* Water 1 deep that decays: exact, as its surface is flat */
static PetscErrorCode Shear(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal k = 2. * PETSC_PI;

  PetscFunctionBegin;
  u[0] = u[1] = 0.;
  u[2]        = PetscExpReal(-SHEAR_VISCOSITY * k * k * t) * PetscSinReal(k * x[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Box(PetscBool quadrilaterals, PetscInt n, DM *dm)
{
  const PetscInt       faces[2]  = {n, n};
  const DMBoundaryType around[2] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC};

  PetscFunctionBegin;
  if (quadrilaterals)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, around, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
  else PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, n, PETSC_TRUE, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char   *system;
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      N;
  PetscReal     viscosity, dry;
  const char   *backend, *way;
  PlexPrecision precision;
  PetscBool     no_slip; /* at walls */
} Case;

static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1. + 0.3 * PetscSinReal(11. * x[0] + 5. * x[1]) + 0.3 * PetscCosReal(8. * x[0] * x[1]);
  if (*(const PetscReal *)ctx > 0.) k[0] -= 0.8; /* islands */
  if (n > 1) {                                   /* on a sphere, of a radius as if it turned the axes by much */
    k[1] = 0.;
    k[2] = 1. / (1. + (x[0] * x[0] + x[1] * x[1]) / 4.);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of dm, which is destroyed */
static PetscErrorCode Create(DM *dm, const Case *c, const char kind[], PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(*dm, dg));
  PetscCall(DMDestroy(dm));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetConstant(*dg, "viscosity", 1, &c->viscosity));
  if (c->dry > 0.) PetscCall(PlexDGSetConstant(*dg, "dry", 1, &c->dry));
  if (kind) PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kind));
  if (c->way) PetscCall(PetscOptionsInsertString(NULL, c->way));
  PetscCall(PlexDGSetFromOptions(*dg));
  if (c->way) PetscCall(PlexTestClearOptions(c->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const Case *c, const char kind[], PlexDGFn *exact)
{
  PetscReal error[2], rate;
  char      of[160];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscReal ring = exact == Ring ? 1. : 0.;
    DM              dm;
    PlexDG          dg;
    Vec             U;

    if (exact == Shear) PetscCall(Box(c->quadrilaterals, 4 << k, &dm));
    else PetscCall(PlexTestBasin(PETSC_COMM_SELF, c->quadrilaterals, c->shape, 3 << k, c->N, &dm));
    PetscCall(Create(&dm, c, kind, &dg));
    if (exact != Shear) PetscCall(PlexDGSetConstant(dg, "ring", 1, &ring));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 0.2, exact, NULL, U));
    PetscCall(PlexDGComputeL2Error(dg, 0.2, exact, NULL, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, %s, degree %" PetscInt_FMT, c->system, kind ? kind : "periodic",
                          PlexTestShapes[c->shape], c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > c->N + 0.7), of, "the error falls as h^(N+1)", "errors %g, %g, rate %g",
                             (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalue times the default step: on the real axis methods of order three are stable to 2.5. Water has a
   viscosity beside which its waves are slow, and is nearly at rest */
static PetscErrorCode TestStep(const char system[], PetscBool quadrilaterals, PlexTestShape shape, PetscInt N,
                               PetscReal stretch)
{
  const PetscBool water     = (PetscBool)!strcmp(system, "shallow_water");
  const PetscReal viscosity = water ? 1e4 : 0.1, size = water ? 1e-8 : 1.;
  const Case      c = {system, quadrilaterals,        shape,      N, viscosity, 0., PLEXBACKENDHOST,
                       NULL,   PLEX_PRECISION_DOUBLE, PETSC_FALSE};
  DM              dm;
  PlexDG          dg;
  Vec             coordinates, U, R;
  PetscScalar    *x;
  PetscReal       dt, lambda = 0.;
  PetscInt        n;
  char            of[160];

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, quadrilaterals, shape, 4, N, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2) x[i] *= stretch;
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(Create(&dm, &c, water ? "no_slip" : "zero", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecZeroEntries(U));
  PetscCall(PlexDGComputeTimeStep(dg, water ? U : NULL, &dt));
  PetscCall(PlexTestJumps(U));
  for (PetscInt k = 0; k < 60; ++k) {
    PetscCall(VecNormalize(U, NULL));
    PetscCall(VecScale(U, size));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(VecNorm(R, NORM_2, &lambda));
    PetscCall(VecCopy(R, U));
  }
  lambda /= size;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %s, stretched by %g, degree %" PetscInt_FMT, system,
                          PlexTestShapes[shape], quadrilaterals ? "quadrilaterals" : "triangles", (double)stretch, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %.2f\n", of, (double)(lambda * dt)));
  PetscCall(PlexTestReportOf((PetscBool)(lambda * dt < 2.2 && lambda * dt > 0.5), of,
                             "the default step is stable, and not much too short", "eigenvalue times step %g",
                             (double)(lambda * dt)));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What viscosity adds to the rates of a rough state, and the state */
static PetscErrorCode GetViscous(MPI_Comm comm, const Case *c, PlexDG *dg, Vec *U, Vec *R)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    Case   here = *c;
    DM     dm;
    PlexDG other;
    Vec    r;

    if (k) here.viscosity = 0.;
    PetscCall(PlexTestBasin(comm, c->quadrilaterals, c->shape, 4, PetscMin(c->N, 2), &dm));
    if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(Create(&dm, &here, c->no_slip && !k ? "no_slip" : "wall", &other));
    PetscCall(PlexDGSetCoefficients(other, Depth, (void *)&c->dry));
    PetscCall(PlexDGCreateVec(other, &r));
    if (!k) {
      PetscCall(VecDuplicate(r, U));
      PetscCall(PlexDGProject(other, 0., PlexTestRough, NULL, *U));
      PetscCall(VecScale(*U, 0.1));
      PetscCall(PlexDGLimit(other, *U));
    }
    PetscCall(PlexDGComputeRHS(other, 0., *U, r));
    if (k) {
      PetscCall(VecAXPY(*R, -1., r));
      PetscCall(VecDestroy(&r));
      PetscCall(PlexDGDestroy(&other));
    } else {
      *R  = r;
      *dg = other;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Momentum stays, and the energy falls: sum of weights v . dq/dt < 0 */
static PetscErrorCode TestEnergy(const Case *c)
{
  PlexDG             dg;
  Vec                U, R;
  PetscReal          momentum[2] = {0., 0.}, size = 0., energy = 0., energies = 0., mass = 0.;
  const PetscScalar *u, *r;
  char               of[160];

  PetscFunctionBegin;
  PetscCall(GetViscous(PETSC_COMM_SELF, c, &dg, &U, &R));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(R, &r));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt g = 0; g < dg->quadrature->NG; ++g) {
      PlexDGQuadrature Q      = dg->quadrature;
      const PetscInt   Np     = dg->reference->Np;
      const PetscReal  weight = Q->weights[g] * (Q->affine ? Q->detJ[e] : Q->detJ[(size_t)e * Q->NG + g]);
      PetscReal        d = 0., state[3] = {0., 0., 0.}, change[3] = {0., 0., 0.}, inverse;

      for (PetscInt i = 0; i < Np; ++i) {
        d += Q->phi[g * Np + i] * dg->variables[(size_t)e * dg->system->ncoefficients * Np + i];
        for (PetscInt k = 0; k < 3; ++k) {
          state[k] += Q->phi[g * Np + i] * PetscRealPart(u[((size_t)e * 3 + k) * Np + i]);
          change[k] += Q->phi[g * Np + i] * PetscRealPart(r[((size_t)e * 3 + k) * Np + i]);
        }
      }
      d += state[0];
      inverse = c->dry > 0. ? 2. * d / (d * d + PetscSqr(PetscMax(d, c->dry))) : 1. / d;
      mass    = PetscMax(mass, PetscAbsReal(change[0]));
      for (PetscInt k = 0; k < 2; ++k) {
        const PetscReal gain = weight * inverse * state[1 + k] * change[1 + k];

        momentum[k] += weight * change[1 + k];
        size += weight * PetscAbsReal(change[1 + k]);
        energy += gain;
        energies += PetscAbsReal(gain);
        if (c->dry > 0. && d < 0.2 * c->dry) mass = PetscMax(mass, PetscAbsReal(change[1 + k]));
      }
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %s, degree %" PetscInt_FMT "%s%s", c->system,
                          PlexTestShapes[c->shape], c->quadrilaterals ? "quadrilaterals" : "triangles", c->N,
                          c->dry > 0. ? ", with land" : "", c->no_slip ? ", no slip" : ""));
  if (!c->no_slip && strcmp(c->system, "tsunami"))
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(momentum[0]) + PetscAbsReal(momentum[1]) < 1e-12 * size &&
                                           size > 0.),
                               of, "momentum stays", "changes by %g, %g of %g", (double)momentum[0],
                               (double)momentum[1], (double)size));
  PetscCall(PlexTestReportOf((PetscBool)(energy < -1e-6 * energies), of, "the energy falls", "by %g of %g",
                             (double)energy, (double)energies));
  PetscCall(PlexTestReportOf((PetscBool)(mass == 0.), of, "mass and dry land do not change", "by %g", (double)mass));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the host gets on this process alone: norms of U and R by sums over all processes */
static PetscErrorCode TestWay(MPI_Comm comm, const Case *c)
{
  PetscReal norm[2][2], dot[2];
  PetscReal most = c->precision == PLEX_PRECISION_SINGLE ? 1e-4 : 1e-12, dt[2];
  char      of[160];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    Case   here = *c;
    PlexDG dg;
    Vec    U, R;

    if (k) {
      here.backend   = PLEXBACKENDHOST;
      here.way       = NULL;
      here.precision = PLEX_PRECISION_DOUBLE;
    }
    PetscCall(GetViscous(k ? PETSC_COMM_SELF : comm, &here, &dg, &U, &R));
    PetscCall(VecNorm(R, NORM_1, &norm[k][0]));
    PetscCall(VecNorm(R, NORM_INFINITY, &norm[k][1]));
    PetscCall(VecDot(U, R, &dot[k]));
    PetscCall(PlexDGGetRate_Private(dg, U, PETSC_FALSE, &dt[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, %s, %s %s, degree %" PetscInt_FMT, c->system, c->backend,
                          c->way ? c->way : "default", PlexPrecisions[c->precision], PlexTestShapes[c->shape],
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(norm[0][0] - norm[1][0]) < most * norm[1][0] &&
                                         PetscAbsReal(norm[0][1] - norm[1][1]) < most * norm[1][1] &&
                                         PetscAbsReal(dot[0] - dot[1]) < most * PetscAbsReal(dot[1]) && dot[1] != 0.),
                             of, "what one process of the host gets", "norms %g, %g, product %g, not %g, %g, %g",
                             (double)norm[0][0], (double)norm[0][1], (double)dot[0], (double)norm[1][0],
                             (double)norm[1][1], (double)dot[1]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(dt[0] - dt[1]) < most * dt[1]), of, "the same time step",
                             "rates %g, %g", (double)dt[0], (double)dt[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the sphere at rest only at the level of the depth: else the integrals of the axes' turning are not exact */
static PetscErrorCode Lake(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = strcmp(((const Case *)ctx)->system, "tsunami") ? 0.1 : 0.;
  u[1] = u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs: a lake at rest; and a stiff viscosity with the default step, of which the energy falls. type: of the TS */
static PetscErrorCode TestRun(const Case *c, PetscBool lake, const char type[])
{
  PetscReal before, after, largest;
  DM        dm;
  PlexDG    dg;
  TS        ts;
  Vec       U, V;
  char      of[160];

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, c->quadrilaterals, c->shape, 4, PetscMin(c->N, 2), &dm));
  PetscCall(Create(&dm, c, c->no_slip ? "no_slip" : "wall", &dg));
  PetscCall(PlexDGSetCoefficients(dg, Depth, (void *)&c->dry));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., lake ? Lake : PlexTestRough, lake ? (void *)c : NULL, U));
  if (!lake) PetscCall(VecScale(U, 0.1));
  PetscCall(PlexDGLimit(dg, U));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(VecCopy(U, V));
  PetscCall(PlexDGComputeEnergy(dg, U, &before));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (type) PetscCall(TSSetType(ts, type));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e3));
  PetscCall(TSSetMaxSteps(ts, 100));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &after));
  PetscCall(VecAXPY(V, -1., U));
  PetscCall(VecNorm(V, NORM_INFINITY, &largest));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s%s, viscosity %g, %s%s, %s, degree %" PetscInt_FMT, c->system,
                          c->backend, c->no_slip ? ", no slip" : "", (double)c->viscosity,
                          lake ? "a lake" : "rough water", c->dry > 0. ? " with land" : "",
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  if (lake)
    PetscCall(PlexTestReportOf((PetscBool)(largest < 1e-12), of, "stays at rest", "moves by %g", (double)largest));
  else
    PetscCall(PlexTestReportOf((PetscBool)(after <= before && after > 0.), of, "the energy falls", "from %g to %g",
                               (double)before, (double)after));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&V));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* linear equations; or walls without slip and without viscosity */
static PetscErrorCode WithBad(void *ctx)
{
  const PetscBool linear = (PetscBool)!strcmp((const char *)ctx, "linear");
  const PetscReal one    = 1.;
  const Case      c      = {"tsunami",       PETSC_FALSE, PLEX_TEST_AFFINE,      1,          linear ? 1. : 0., 0.,
                            PLEXBACKENDHOST, NULL,        PLEX_PRECISION_DOUBLE, PETSC_FALSE};
  DM              dm;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_FALSE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(Create(&dm, &c, linear ? "wall" : "no_slip", &dg));
  if (linear) PetscCall(PlexDGSetConstant(dg, "linear", 1, &one));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  static const char *const ways[] = {"-plex_dg_gemm kernels", "-plex_dg_gemm blas", "-plex_dg_gemm fused"};
  const PetscBool          host   = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt s = 0; s < 3; s += 2)
      for (PetscInt p = 0; p < 2; ++p) {
        Case c = {"shallow_water", (PetscBool)q, (PlexTestShape)s, 2,          0.3, 0.,
                  backend,         NULL,         (PlexPrecision)p, PETSC_FALSE};

        if (size > 1 || p) PetscCall(TestWay(PETSC_COMM_WORLD, &c));
        c.system  = "tsunami"; /* on the sphere */
        c.no_slip = PETSC_TRUE;
        if (size > 1 || !host) PetscCall(TestWay(PETSC_COMM_WORLD, &c));
        c.system  = "shallow_water";
        c.no_slip = PETSC_FALSE;
        if (size > 1 || host || p) continue;
        for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); ++w) {
          c.way = ways[w];
          PetscCall(TestWay(PETSC_COMM_SELF, &c));
        }
      }
  if (size > 1 || host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TestRun(&(Case){"shallow_water", PETSC_FALSE, PLEX_TEST_AFFINE, 1, 10., 0., backend, NULL,
                            PLEX_PRECISION_DOUBLE, PETSC_FALSE},
                    PETSC_FALSE, TSPLEXLOWSTORAGE));
  PetscCall(TestRun(&(Case){"shallow_water", PETSC_TRUE, PLEX_TEST_AFFINE, 2, 10., 0., backend, NULL,
                            PLEX_PRECISION_SINGLE, PETSC_FALSE},
                    PETSC_FALSE, TSPLEXLOWSTORAGE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  for (PetscInt q = 0; q < 2; ++q) {
    Case c = {"diffusion",     (PetscBool)q, PLEX_TEST_AFFINE,      1,          0.1, 0.,
              PLEXBACKENDHOST, NULL,         PLEX_PRECISION_DOUBLE, PETSC_FALSE};

    for (c.N = 1; c.N <= (PlexTestLong() ? 4 : 2); ++c.N) {
      for (PetscInt s = 0; s < 3; ++s) {
        c.shape = (PlexTestShape)s;
        PetscCall(TestRate(&c, "isolated", s == 2 ? Ring : Isolated));
        if (s < 2) PetscCall(TestRate(&c, "zero", Zero));
        for (PetscInt w = 0; w < 2; ++w) {
          PetscCall(TestStep(w ? "shallow_water" : "diffusion", (PetscBool)q, c.shape, c.N, 1.));
          PetscCall(TestStep(w ? "shallow_water" : "diffusion", (PetscBool)q, c.shape, c.N, 0.05));
        }
      }
      PetscCall(TestRate(&(Case){"shallow_water", (PetscBool)q, PLEX_TEST_AFFINE, c.N, SHEAR_VISCOSITY, 0.,
                                 PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, PETSC_FALSE},
                         NULL, Shear));
    }
    for (PetscInt s = 0; s < 3; ++s)
      for (PetscInt land = 0; land < 2; ++land) {
        Case w = {"shallow_water", (PetscBool)q, (PlexTestShape)s,      2,          0.3, land ? 0.01 : 0.,
                  PLEXBACKENDHOST, NULL,         PLEX_PRECISION_DOUBLE, PETSC_FALSE};

        for (PetscInt sphere = 0; sphere < 2; ++sphere)
          for (PetscInt slip = 0; slip < 2; ++slip) {
            w.N         = 2;
            w.viscosity = 0.3;
            w.system    = sphere ? "tsunami" : "shallow_water";
            w.no_slip   = (PetscBool)!slip;
            PetscCall(TestEnergy(&w));
            w.N = 1 + s;
            PetscCall(TestRun(&w, PETSC_TRUE, NULL));
            w.viscosity = 20.;
            if (!land) PetscCall(TestRun(&w, PETSC_FALSE, NULL));
          }
      }
  }
  EXPECT("the linear equations of a tsunami", WithBad, (void *)"linear", "have no viscosity", "-plex_dg_linear 0");
  EXPECT("no_slip without viscosity", WithBad, (void *)"no_slip", "no_slip", "-plex_dg_viscosity", "wall");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexDGSystemRegister("diffusion", CreateDiffusion));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
