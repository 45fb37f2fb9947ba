static char
  help[] = "Shocks in a gas by DG with quadrature: Sod's tube and a stronger one beside their exact solutions, gas "
           "that two rarefactions thin out, a blast beside Sedov's solution.\n\n";

#include "dg/interface/dgimpl.h"
#include "gasproblem.h"
#include "report.h"

typedef struct {
  const char *backend;
  PetscBool   quadrilaterals;
  PetscInt    N, cells;
} Case;

/* The least and largest density, velocity along x and pressure at the nodes */
typedef struct {
  PetscReal low[3], high[3];
} Range;

static void RangeBegin(Range *r)
{
  for (PetscInt k = 0; k < 3; ++k) {
    r->low[k]  = PETSC_MAX_REAL;
    r->high[k] = PETSC_MIN_REAL;
  }
}

/* w[3] of u[4], which widens the range */
static void RangeAdd(Range *r, const PetscScalar u[], PetscReal w[])
{
  w[0] = PetscRealPart(u[0]);
  w[1] = PetscRealPart(u[1] / u[0]);
  w[2] = (PLEX_TEST_GAMMA - 1.) * PetscRealPart(u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]);
  for (PetscInt k = 0; k < 3; ++k) {
    r->low[k]  = PetscMin(r->low[k], w[k]);
    r->high[k] = PetscMax(r->high[k], w[k]);
  }
}

static PetscErrorCode Create(const Case *c, DM dm, const char ends[], PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "euler"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  for (PetscInt k = 1; k < 3; ++k) PetscCall(PlexDGAddBoundary(*dg, "sides", k, ends));
  PetscCall(PlexDGSetShockCapturing(*dg, PETSC_TRUE));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscCall(PlexDGSetUp(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From initial() at time t to T; lost: of mass and energy, over what there is */
static PetscErrorCode Run(PlexDG dg, PetscReal t, PetscReal T, PlexDGFn *initial, void *ctx, Vec *U, PetscReal *lost)
{
  PetscReal before[4], after[4];
  TS        ts;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(PlexDGProject(dg, t, initial, ctx, *U));
  PetscCall(PlexDGLimit(dg, *U));
  PetscCall(PlexDGComputeIntegrals(dg, *U, before));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, *U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetTime(ts, t));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, *U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGComputeIntegrals(dg, *U, after));
  *lost = 0.;
  for (PetscInt k = 0; k < 4; k += 3) *lost = PetscMax(*lost, PetscAbsReal(after[k] / before[k] - 1.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tubes */

typedef struct {
  const char  *name, *ends; /* kind of their boundary */
  PlexTestTube tube;
  PetscReal    begin, end;
  PetscReal    off, velocity; /* how far variables may be out of their exact ranges, in these */
  PetscReal    front;         /* how far off the shock may be, in cells */
  PetscReal    error[4];      /* of the density in L1, over its range, by degree */
} Tube;

typedef struct {
  Range     found, exact;
  PetscReal error[3], front;
} Result;

static PetscErrorCode Inspect(PlexDG dg, const Case *c, const Tube *tube, Vec U, Result *r)
{
  const PetscInt     Np    = dg->reference->Np;
  const PetscReal    place = 0.5 + tube->tube.shock * tube->end, half = 0.5 * (tube->tube.p + tube->tube.right[2]);
  const PetscScalar *u;
  const PetscReal   *x;
  PetscReal          w[3], exact[3];
  PetscScalar        at[4];

  PetscFunctionBegin;
  RangeBegin(&r->found);
  RangeBegin(&r->exact);
  r->error[0] = r->error[1] = r->error[2] = r->front = 0.;
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal mean = 0., where = 0.;

    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt k = 0; k < 4; ++k) at[k] = u[(e * 4 + k) * Np + i];
      RangeAdd(&r->found, at, w);
      PetscCall(PlexTestTubeState(2, tube->end, &x[(e * Np + i) * 2], 4, at, (void *)&tube->tube));
      RangeAdd(&r->exact, at, exact);
      for (PetscInt k = 0; k < 3; ++k) r->error[k] += PetscAbsReal(w[k] - exact[k]) / (Np * dg->mesh->Ne);
      mean += w[2] / Np;
      where += x[(e * Np + i) * 2] / Np;
    }
    if (mean > half) r->front = PetscMax(r->front, where);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  r->front = (r->front - place) * c->cells;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTube(const Case *c, Tube *tube)
{
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U;
  PetscReal lost, off[3], error[3];
  Result    r;

  PetscFunctionBegin;
  PlexTestTubeSolve(&tube->tube);
  PetscCall(PlexTestChannel(PETSC_COMM_WORLD, c->quadrilaterals, c->cells, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(Create(c, dm, tube->ends, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(Run(dg, tube->begin, tube->end, PlexTestTubeState, &tube->tube, &U, &lost));
  PetscCall(Inspect(dg, c, tube, U, &r));
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscReal range = r.exact.high[k] - r.exact.low[k];

    off[k]   = PetscMax(r.exact.low[k] - r.found.low[k], r.found.high[k] - r.exact.high[k]) / range;
    error[k] = r.error[k] / range;
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT, c->backend, tube->name,
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: density, velocity, pressure %.2f, %.2f, %.2f %% out of range, errors %.4f, %.4f, %.4f; "
                        "front "
                        "off by %.2f cells; lost %.2g\n",
                        of, 100. * (double)off[0], 100. * (double)off[1], 100. * (double)off[2], (double)error[0],
                        (double)error[1], (double)error[2], (double)r.front, (double)lost));
  PetscCall(PlexTestReportOf((PetscBool)(off[0] < tube->off && off[2] < tube->off && off[1] < tube->velocity), of,
                             "density, velocity and pressure are within their ranges", "off by %g, %g, %g",
                             (double)off[0], (double)off[1], (double)off[2]));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] < tube->error[c->N - 1]), of, "the error is small", "%g",
                             (double)error[0]));
  PetscCall(PlexTestReportOf((PetscBool)(r.found.low[0] > 0. && r.found.low[2] > 0.), of,
                             "density and pressure are positive", "%g, %g", (double)r.found.low[0],
                             (double)r.found.low[2]));
  if (!strcmp(tube->ends, "wall")) {
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(r.front) < tube->front), of, "the shock is where it is to be",
                               "off by %g", (double)r.front));
    PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-13), of, "mass and energy stay", "lost %g", (double)lost));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A blast: energy 1 at the middle of gas of density 1 and hardly any pressure. Of a line of energy E in gas of density
   rho the shock has the radius (E t^2/(0.98405 rho))^(1/4) for gamma = 1.4, and density 6 rho behind it: Sedov (1959);
   Kamm and Timmes, LA-UR-07-2849 */

typedef struct {
  PetscReal size, energy; /* energy exp(-|x|^2/size^2)/(pi size^2) */
} Blast;

static PetscErrorCode BlastState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const Blast    *b  = (const Blast *)ctx;
  const PetscReal r2 = PetscSqr(x[0] - 0.5) + PetscSqr(x[1] - 0.5);

  PetscFunctionBegin;
  u[0] = 1.;
  u[1] = u[2] = 0.;
  u[3]        = 1e-5 + b->energy * PetscExpReal(-r2 / PetscSqr(b->size)) / (PETSC_PI * PetscSqr(b->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBlast(const Case *c)
{
  const PetscReal    radius = 0.35, T = PetscSqr(radius) * PetscSqrtReal(0.98405);
  Blast              b = {.size = 1.5 / c->cells, .energy = 1.};
  char               of[128];
  DM                 dm;
  PlexDG             dg;
  Vec                U;
  const PetscScalar *u;
  const PetscReal   *x;
  PetscReal          lost, w[3], most = 0., peak = 0.;
  PetscInt           Np;
  Range              range;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, c->quadrilaterals, PLEX_TEST_AFFINE, c->cells, 1, &dm));
  PetscCall(Create(c, dm, "wall", &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(Run(dg, 0., T, BlastState, &b, &U, &lost));
  Np = dg->reference->Np;
  RangeBegin(&range);
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal mean = 0., where[2] = {-0.5, -0.5};

    for (PetscInt i = 0; i < Np; ++i) {
      PetscScalar at[4];

      for (PetscInt k = 0; k < 4; ++k) at[k] = u[(e * 4 + k) * Np + i];
      RangeAdd(&range, at, w);
      mean += w[0] / Np;
      for (PetscInt d = 0; d < 2; ++d) where[d] += x[(e * Np + i) * 2 + d] / Np;
    }
    if (mean > 1.5) most = PetscMax(most, PetscSqrtReal(where[0] * where[0] + where[1] * where[1]));
    peak = PetscMax(peak, mean);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, blast, %s, degree %" PetscInt_FMT, c->backend,
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: front off by %.2f cells, density %.3g to %.3g, pressure from %.3g on; lost %.2g\n", of,
                        (double)((most - radius) * c->cells), (double)range.low[0], (double)range.high[0],
                        (double)range.low[2], (double)lost));
  PetscCall(PlexTestReportOf((PetscBool)(range.low[0] > 0. && range.low[2] > 0. && range.high[0] < 6.), of,
                             "density and pressure are positive, and no gas denser than behind a shock", "%g to %g, %g",
                             (double)range.low[0], (double)range.high[0], (double)range.low[2]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(most - radius) * c->cells < 1.5 && peak > 1.8), of,
                             "the shock has the radius that it is to have", "off by %g cells, density %g",
                             (double)((most - radius) * c->cells), (double)peak));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-12), of, "mass and energy stay", "lost %g", (double)lost));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  Tube sod = {
    .name     = "Sod's tube",
    .ends     = "wall",
    .tube     = {.left = {1., 0., 1.}, .right = {0.125, 0., 0.1}},
    .end      = 0.2,
    .off      = 0.02,
    .velocity = 0.13,
    .front    = 1.,
    .error    = {0.02, 0.015, 0.018, 0.011}
  };
  Tube strong = {
    .name     = "a strong shock",
    .ends     = "wall",
    .tube     = {.left = {1., 0., 100.}, .right = {1., 0., 0.1}},
    .end      = 0.035,
    .off      = 0.02,
    .velocity = 0.13,
    .front    = 1.2,
    .error    = {0.055, 0.055, 0.055}
  };
  Tube thin = {
    .name     = "two rarefactions",
    .ends     = "open",
    .tube     = {.left = {1., -2., 0.4}, .right = {1., 2., 0.4}},
    .begin    = 0.02,
    .end      = 0.12,
    .off      = 0.03,
    .velocity = 0.01,
    .error    = {0.025, 0.016, 0.011}
  };

  PetscFunctionBegin;
  if (!strcmp(backend, PLEXBACKENDEMULATE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt N = 1; N <= 4; ++N) {
      const Case c = {backend, (PetscBool)q, N, 40}, square = {backend, (PetscBool)q, N, 24};

      PetscCall(TestTube(&c, &sod));
      if (N == 4) continue;
      PetscCall(TestTube(&c, &strong));
      PetscCall(TestTube(&c, &thin));
      PetscCall(TestBlast(&square));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  return TestBackend(PLEXBACKENDHOST);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
