static char
  help[] = "Shock capturing of DG with quadrature: dam breaks beside Stoker's solution, Burgers' equation, smooth "
           "waves that stay as they are, ways, processes, single precision, bad input.\n\n";

#include "dg/interface/dgimpl.h"
#include "waterproblem.h"
#include "report.h"

#define GRAVITY 9.81

/* Water of depths left and right of x = 1/2 in a channel of walls; the bottom is at depth 1. Stoker (1957): between a
   rarefaction and a shock there is water of one depth and velocity */
typedef struct {
  PetscReal left, right;            /* depths */
  PetscReal depth, velocity, speed; /* between; of the shock */
  PetscReal end;
} Dam;

static void DamSolve(Dam *d)
{
  PetscReal low = d->right, high = d->left;

  for (PetscInt k = 0; k < 200; ++k) {
    const PetscReal h        = 0.5 * (low + high),
                    rarefied = 2. * (PetscSqrtReal(GRAVITY * d->left) - PetscSqrtReal(GRAVITY * h)),
                    shocked  = (h - d->right) * PetscSqrtReal(GRAVITY * (h + d->right) / (2. * h * d->right));

    *(rarefied > shocked ? &low : &high) = h;
  }
  d->depth    = 0.5 * (low + high);
  d->velocity = 2. * (PetscSqrtReal(GRAVITY * d->left) - PetscSqrtReal(GRAVITY * d->depth));
  d->speed    = d->depth * d->velocity / (d->depth - d->right);
  d->end      = 0.35 / d->speed;
}

static PetscErrorCode DamState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Dam      *d = (const Dam *)ctx;
  const PetscReal c = PetscSqrtReal(GRAVITY * d->left), off = x[0] - 0.5;
  PetscReal       H = d->left, v = 0.;

  PetscFunctionBegin;
  if (off > d->speed * t) H = d->right;
  else if (off > (d->velocity - PetscSqrtReal(GRAVITY * d->depth)) * t) {
    H = d->depth;
    v = d->velocity;
  } else if (off > -c * t) {
    v = 2. / 3. * (c + off / t);
    H = PetscSqr(2. * c - off / t) / (9. * GRAVITY);
  }
  u[0] = H - 1.;
  u[1] = H * v;
  for (PetscInt k = 2; k < Nf; ++k) u[k] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char   *backend, *way; /* way NULL: the backend's own choice */
  PetscBool     quadrilaterals;
  PetscInt      N, cells; /* along the channel */
  PlexPrecision precision;
  TSType        type; /* NULL: that of PlexDGSetTS() */
} Case;

static PetscErrorCode Describe(const Case *c, const Dam *d, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, dam %g : %g, %" PetscInt_FMT " %s, degree %" PetscInt_FMT "%s%s%s",
                          c->backend, c->way ? " " : "", c->way ? c->way : "", (double)d->left, (double)d->right,
                          c->cells, c->quadrilaterals ? "quadrilaterals" : "triangles", c->N,
                          c->precision == PLEX_PRECISION_SINGLE ? ", single" : "", c->type ? ", " : "",
                          c->type ? c->type : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(MPI_Comm comm, const Case *c, PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestChannel(comm, c->quadrilaterals, c->cells, &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetShockCapturing(*dg, PETSC_TRUE));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscCall(PlexDGSetUp(*dg));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(PlexDG dg, const Case *c, Dam *d, PetscReal share, Vec *U, PetscReal *mass)
{
  PetscReal before[3], after[3];
  TS        ts;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(PlexDGProject(dg, 0., DamState, d, *U));
  PetscCall(PlexDGComputeIntegrals(dg, *U, before));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, *U));
  if (c->type) PetscCall(TSSetType(ts, c->type));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, share * d->end));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, *U));
  PetscCall(PlexDGComputeIntegrals(dg, *U, after));
  *mass = PetscAbsReal(after[0] - before[0]);
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal off[2]; /* elevation and velocity beyond their exact ranges, in these */
  PetscReal error;  /* of the elevation in L1 at the nodes, over the drop */
  PetscReal front;  /* of the shock, off its place, in cells */
} Result;

static PetscErrorCode Inspect(PlexDG dg, const Case *c, const Dam *d, PetscReal t, Vec U, Result *r)
{
  const PetscInt     Np = dg->reference->Np;
  const PetscScalar *u;
  const PetscReal   *x;
  PetscReal          front = 0., n = 0.;

  PetscFunctionBegin;
  r->off[0] = r->off[1] = r->error = 0.;
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal mean = 0., where = 0.;

    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal H = PetscRealPart(u[(3 * e) * Np + i]) + 1., v = PetscRealPart(u[(3 * e + 1) * Np + i]) / H;
      PetscScalar     exact[3];

      PetscCall(DamState(2, t, &x[(e * Np + i) * 2], 3, exact, (void *)d));
      r->error += PetscAbsReal(H - 1. - exact[0]) / (d->left - d->right);
      n += 1.;
      r->off[0] = PetscMax(r->off[0], PetscMax(H - d->left, d->right - H) / (d->left - d->right));
      r->off[1] = PetscMax(r->off[1], PetscMax(v - d->velocity, -v) / d->velocity);
      mean += H / Np;
      where += x[(e * Np + i) * 2] / Np;
    }
    if (mean > 0.5 * (d->depth + d->right)) front = PetscMax(front, where);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, r->off, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &front, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)dg)));
  r->front = (front - 0.5 - d->speed * t) * c->cells;
  r->error /= n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDam(const Case *c, PetscReal left)
{
  Dam       d = {.left = left, .right = 0.1};
  char      of[160];
  PlexDG    dg;
  Vec       U;
  PetscReal lost = 0.;
  Result    r;

  PetscFunctionBegin;
  DamSolve(&d);
  PetscCall(Create(PETSC_COMM_WORLD, c, &dg));
  PetscCall(Run(dg, c, &d, 1., &U, &lost));
  PetscCall(Inspect(dg, c, &d, d.end, U, &r));
  PetscCall(Describe(c, &d, of, sizeof(of)));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD,
                "%s: depth %.2f %%, velocity %.2f %% out of range; error %.4f; front off by %.2f cells; mass %.2g\n",
                of, 100. * (double)r.off[0], 100. * (double)r.off[1], (double)r.error, (double)r.front, (double)lost));
  PetscCall(PlexTestReportOf((PetscBool)(r.off[0] < 0.02), of, "depths are within the exact range, but for 2 %",
                             "off by %g", (double)r.off[0]));
  PetscCall(PlexTestReportOf((PetscBool)(r.off[1] < 0.12), of, "velocities are, but for 12 %", "off by %g",
                             (double)r.off[1]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(r.front) < 1. && r.error < (c->N == 1 ? 0.02 : 0.012)), of,
                             "the shock is where it is to be, to a cell", "off by %g cells, error %g", (double)r.front,
                             (double)r.error));
  PetscCall(PlexTestReportOf((PetscBool)(lost < (c->precision == PLEX_PRECISION_SINGLE ? 1e-6 : 1e-14)), of,
                             "no water is lost", "lost %g", (double)lost));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A smooth flow is as it is without */

static PetscErrorCode RunVortex(const char backend[], PetscBool quadrilaterals, PetscInt N, PetscInt n,
                                PetscBool capture, PetscReal *error)
{
  const PetscReal T = 0.05, velocity[3] = {PLEX_TEST_STREAM, 0.};
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, PLEX_TEST_STRAIGHT, n, 1, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "velocity", 3, velocity));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "prescribed"));
  PetscCall(PlexDGSetShockCapturing(dg, capture));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, PlexTestVortex, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, PlexTestVortex, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestVortex(const char backend[], PetscBool quadrilaterals, PetscInt N)
{
  PetscReal error[2], without;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunVortex(backend, quadrilaterals, N, 12 << k, PETSC_TRUE, &error[k]));
  PetscCall(RunVortex(backend, quadrilaterals, N, 24, PETSC_FALSE, &without));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, vortex, %s, degree %" PetscInt_FMT, backend,
                          quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, %.3g without\n", of, (double)error[0],
                        (double)error[1], (double)without));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 1.2 * without && error[0] / error[1] > PetscPowReal(2., N + 0.6)),
                             of, "its error falls as without shock capturing", "errors %g, %g, without %g",
                             (double)error[0], (double)error[1], (double)without));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A system of a user's own: Burgers' equation, of s = x + y (+ z) alone u_t + dim (u^2/2)_s = 0, with a rarefaction
   and a shock in each period */

static PetscErrorCode Step(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscReal s = x[0] + x[1] + (dim == 3 ? x[2] : 0.);

  PetscFunctionBegin;
  s -= PetscFloorReal(s);
  u[0] = s > 0.5 + 0.5 * dim * t ? 0. : s < dim * t ? s / (dim * t) : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBurgers(const char backend[], PetscInt dim, PetscInt n, PetscInt N)
{
  const PetscReal T = 0.1, none = 0.;
  DM              dm;
  PlexDG          dg;
  Vec             U;
  TS              ts;
  PetscReal       low, high, error;
  char            of[128];

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(dg, "burgers"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "amplitude", 1, &none));
  PetscCall(PlexDGSetShockCapturing(dg, PETSC_TRUE));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Step, NULL, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecMin(U, NULL, &low));
  PetscCall(VecMax(U, NULL, &high));
  PetscCall(PlexDGComputeL2Error(dg, T, Step, NULL, U, &error));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, Burgers in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend, dim, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: between %g and %g, error %.3g\n", of, (double)low, (double)high,
                        (double)error));
  PetscCall(PlexTestReportOf((PetscBool)(low > -0.04 && high < 1.04), of, "a shock is within bounds, but for 4 %",
                             "%g, %g", (double)low, (double)high));
  /* a cell of the front is half a jump off */
  PetscCall(PlexTestReportOf((PetscBool)(error < 0.5 * PetscSqrtReal((PetscReal)dim / n)), of,
                             "it is where it is to be", "error %g", (double)error));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Few steps by each way are those of the host; on several processes those of one */

static PetscErrorCode TestWay(const Case *c, PetscBool alone)
{
  Case      host = *c;
  Dam       d    = {.left = 1., .right = 0.1};
  PlexDG    dg[2];
  Vec       U[2];
  PetscReal lost, norm[2][2];
  char      of[160];

  PetscFunctionBegin;
  DamSolve(&d);
  host.backend = PLEXBACKENDHOST;
  host.way     = NULL;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(Create(k && alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD, k ? &host : c, &dg[k]));
    PetscCall(Run(dg[k], k ? &host : c, &d, 0.2, &U[k], &lost));
    PetscCall(PlexDGComputeL2Error(dg[k], 0.2 * d.end, DamState, &d, U[k], &norm[k][0]));
    PetscCall(VecNorm(U[k], NORM_2, &norm[k][1]));
  }
  PetscCall(Describe(c, &d, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(PetscIsCloseAtTol(norm[0][0], norm[1][0],
                                                           c->precision == PLEX_PRECISION_SINGLE ? 1e-3 : 1e-9, 0.) &&
                                         PetscIsCloseAtTol(norm[0][1], norm[1][1],
                                                           c->precision == PLEX_PRECISION_SINGLE ? 1e-4 : 1e-10, 0.)),
                             of, alone ? "some steps are those of one process" : "some steps are those of the host",
                             "error %.15g and %.15g, norm %.15g and %.15g", (double)norm[0][0], (double)norm[1][0],
                             (double)norm[0][1], (double)norm[1][1]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&U[k]));
    PetscCall(PlexDGDestroy(&dg[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

typedef struct {
  const char          *system;
  PlexDGDiscretization discretization;
  PetscReal            linear;
} Setting;

static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_FALSE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, s->system));
  PetscCall(PlexDGSetDiscretization(dg, s->discretization));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  if (s->linear > 0.) PetscCall(PlexDGSetConstant(dg, "linear", 1, &s->linear));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, s->discretization == PLEX_DG_QUADRATURE ? "wall" : "outflow"));
  PetscCall(PlexDGSetShockCapturing(dg, PETSC_TRUE));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE),
                  host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt N = 1; N <= (emulate ? 2 : 4); ++N) {
      Case c = {backend, NULL, (PetscBool)q, N, 20, PLEX_PRECISION_DOUBLE, NULL};

      if (size > 1) PetscCall(TestWay(&c, PETSC_TRUE));
      else if (!host) PetscCall(TestWay(&c, PETSC_FALSE));
    }
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!host) {
    PetscCall(TestWay(&(Case){backend, "kernels", PETSC_FALSE, 2, 20, PLEX_PRECISION_DOUBLE, NULL}, PETSC_FALSE));
    PetscCall(TestWay(&(Case){backend, NULL, PETSC_FALSE, 2, 20, PLEX_PRECISION_SINGLE, TSPLEXLOWSTORAGE},
                      PETSC_FALSE));
    PetscCall(TestWay(&(Case){backend, NULL, PETSC_TRUE, 1, 20, PLEX_PRECISION_DOUBLE, TSPLEXLOWSTORAGE}, PETSC_FALSE));
  }
  if (emulate) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt N = 1; N <= 4; ++N) {
      PetscCall(TestVortex(backend, (PetscBool)q, N));
      for (PetscInt k = 1; k <= 2; ++k)
        PetscCall(TestDam(&(Case){backend, NULL, (PetscBool)q, N, 40, PLEX_PRECISION_DOUBLE, NULL}, (PetscReal)k));
    }
  for (PetscInt N = 1; N <= 3; N += 2) {
    PetscCall(TestBurgers(backend, 2, 16, N));
    PetscCall(TestBurgers(backend, 3, 8, (N + 1) / 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  Setting nodal = {"burgers", PLEX_DG_NODAL, 0.}, linear = {"tsunami", PLEX_DG_QUADRATURE, 1.};

  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  EXPECT("nodal DG", WithSetting, &nodal, "is for DG with quadrature", "-plex_dg_discretization quadrature");
  EXPECT("the linear equations of a tsunami", WithSetting, &linear, "have no shocks", "-plex_dg_linear 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
