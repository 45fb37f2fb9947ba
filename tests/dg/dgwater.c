static char help[] = "DG with quadrature in time: on several processes as on one, from a checkpoint with the same "
                     "bits, stages of low-storage schemes, points, bad input.\n\n";

#include "waterproblem.h"
#include "report.h"

typedef enum {
  FLAT,  /* shallow_water_linear */
  DEEP,  /* shallow_water over a bottom of varying depth */
  SHORE, /* with land that falls dry in places */
  OCEAN  /* tsunami, with all of its terms, and land */
} Water;
static const char *const Waters[] = {"", "varying depth, ", "with land, ", "tsunami with land, "};

typedef struct {
  const char   *backend, *way; /* way NULL: the backend's own choice */
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      N;
  Water         water;
} Case;

/* Deeper than rough states are high */
static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 3. + PetscSinReal(5. * x[0]) * PetscCosReal(4. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Land from a wavy shore line on, at a Coriolis parameter and a scale that vary */
static PetscErrorCode Land(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.4 * PetscSinReal(4. * x[0]) + 0.3 * PetscCosReal(5. * x[1]);
  if (n == 3) {
    k[1] = 1. + x[0];
    k[2] = 1. + 0.1 * x[1] * x[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waves that run up and down */
static PetscErrorCode Waves(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.1 * PetscSinReal(7. * x[0] + 3. * x[1]);
  u[1] = 0.05 * PetscCosReal(3. * x[1]);
  u[2] = -0.05 * PetscCosReal(4. * x[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetLand(const Case *c, PlexDG dg)
{
  const PetscReal dry = 1e-3, drag = 0.1, manning = 0.02;

  PetscFunctionBegin;
  PetscCall(PlexDGSetSystem(dg, c->water == OCEAN ? "tsunami" : "shallow_water"));
  PetscCall(PlexDGSetCoefficients(dg, Land, NULL));
  PetscCall(PlexDGSetConstant(dg, "dry", 1, &dry));
  if (c->water != OCEAN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSetConstant(dg, "drag_linear", 1, &drag));
  PetscCall(PlexDGSetConstant(dg, "drag_quadratic", 1, &drag));
  PetscCall(PlexDGSetConstant(dg, "manning", 1, &manning));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, %s%s %s, degree %" PetscInt_FMT, c->backend, c->way ? " " : "",
                          c->way ? c->way : "", Waters[c->water], PlexTestShapes[c->shape],
                          c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator, a state of it, and a TS of `steps` steps; dm is destroyed with the TS */
static PetscErrorCode Make(MPI_Comm comm, const Case *c, PetscBool idle, TSType type, PetscInt steps, PlexDG *dg,
                           Vec *U, TS *ts)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(comm, c->quadrilaterals, c->shape, 4, PetscMin(c->N, 3), &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, idle));
  PetscCall(PlexTestBasinCreate(dm, c->N, dg));
  if (c->water == SHORE || c->water == OCEAN) PetscCall(SetLand(c, *dg));
  if (c->water == DEEP) {
    PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
    PetscCall(PlexDGSetCoefficients(*dg, Depth, NULL));
  }
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGCreateVec(*dg, U));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(PlexDGProject(*dg, 0., c->water == SHORE || c->water == OCEAN ? Waves : PlexTestRough, NULL, *U));
  PetscCall(TSCreate(comm, ts));
  PetscCall(TSSetSolution(*ts, *U));
  if (type) {
    TSAdapt adapt;

    PetscCall(TSSetType(*ts, type));
    PetscCall(TSGetAdapt(*ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(PlexDGSetTS(*dg, *ts));
  PetscCall(TSSetMaxSteps(*ts, steps));
  PetscCall(TSSetMaxTime(*ts, 1e9));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Unmake(PlexDG *dg, Vec *U, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSDestroy(ts));
  PetscCall(VecDestroy(U));
  PetscCall(PlexDGDestroy(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of own elements from those with the same vertices in the whole mesh, whose nodes are in the
   same order */
static PetscErrorCode Compare(PlexDG part, Vec U, PlexDG all, Vec Uall, PetscReal *most)
{
  const PetscInt     size = part->system->Nf * part->reference->Np, dim = 2, nv = part->mesh->nv;
  const PetscScalar *u, *uall;
  PetscReal          difference = 0.;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Uall, &uall));
  for (PetscInt e = 0; e < part->mesh->Ne; ++e) {
    PetscInt found = -1;

    for (PetscInt a = 0; a < all->mesh->Ne && found < 0; ++a) {
      PetscReal far = 0.;

      for (PetscInt i = 0; i < nv * dim; ++i)
        far = PetscMax(far, PetscAbsReal(part->mesh->x[e * nv * dim + i] - all->mesh->x[a * nv * dim + i]));
      if (far < 1e-12) found = a;
    }
    PetscCheck(found >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Element %" PetscInt_FMT " is not in the whole mesh", e);
    for (PetscInt i = 0; i < size; ++i)
      difference = PetscMax(difference, PetscAbsScalar(u[e * size + i] - uall[found * size + i]));
  }
  PetscCall(VecRestoreArrayRead(Uall, &uall));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(&difference, most, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestParallel(const Case *c, PetscBool idle)
{
  PetscReal   most, largest, mass[3], massAll[3], energy, energyAll;
  PetscInt    sent;
  PetscMPIInt size;
  char        of[128];
  PlexDG      dg, all;
  Vec         U, Uall;
  TS          ts, tsAll;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Make(PETSC_COMM_WORLD, c, idle, NULL, 5, &dg, &U, &ts));
  PetscCall(Make(PETSC_COMM_SELF, c, PETSC_FALSE, NULL, 5, &all, &Uall, &tsAll));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSSolve(tsAll, Uall));
  PetscCall(Compare(dg, U, all, Uall, &most));
  PetscCall(VecNorm(Uall, NORM_INFINITY, &largest));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass));
  PetscCall(PlexDGComputeIntegrals(all, Uall, massAll));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(PlexDGComputeEnergy(all, Uall, &energyAll));
  PetscCallMPI(MPIU_Allreduce(&dg->mesh->nghosts, &sent, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(most < 1e-11 * largest && (sent > 0) == (size > 1) &&
                                         dg->mesh->NeGlobal == all->mesh->Ne),
                             of, idle ? "with an idle process as on one" : "after 5 steps as on one process",
                             "off by %g of %g, %" PetscInt_FMT " traces sent", (double)most, (double)largest, sent));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(mass[0] - massAll[0]) < 1e-12 &&
                                         PetscAbsReal(energy - energyAll) < 1e-12 * energyAll),
                             of, idle ? "mass and energy with an idle process" : "mass and energy as on one process",
                             "mass %g and %g, energy %g and %g", (double)mass[0], (double)massAll[0], (double)energy,
                             (double)energyAll));
  PetscCall(Unmake(&dg, &U, &ts));
  PetscCall(Unmake(&all, &Uall, &tsAll));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRestart(const Case *c)
{
  PetscBool same;
  char      of[128], file[PETSC_MAX_PATH_LEN];
  PlexDG    dg[2];
  Vec       U[2];
  TS        ts[2];

  PetscFunctionBegin;
  if (!PetscDefined(HAVE_HDF5)) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip a continued run: this PETSc was built without HDF5\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTestOwnFile("dgwater", "h5", sizeof(file), file));
  PetscCall(Make(PETSC_COMM_WORLD, c, PETSC_FALSE, NULL, 3, &dg[0], &U[0], &ts[0]));
  PetscCall(TSSolve(ts[0], U[0]));
  PetscCall(PlexDGSaveCheckpoint(dg[0], ts[0], U[0], file));
  PetscCall(TSSetMaxSteps(ts[0], 7));
  PetscCall(TSSolve(ts[0], U[0]));
  PetscCall(Make(PETSC_COMM_WORLD, c, PETSC_FALSE, NULL, 7, &dg[1], &U[1], &ts[1]));
  PetscCall(PlexDGLoadCheckpoint(dg[1], ts[1], file, U[1]));
  PetscCall(TSSolve(ts[1], U[1]));
  PetscCall(VecEqual(U[0], U[1], &same));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf(same, of, "a continued run has the same bits", "it has not"));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(Unmake(&dg[k], &U[k], &ts[k]));
  PetscCall(PlexTestRemoveFile(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A low-storage scheme, whose stages type fused computes, against the same one with right-hand sides of the host */
static PetscErrorCode TestStages(const Case *c)
{
  Case      host = *c;
  PetscReal most, largest;
  char      of[128];
  PlexDG    dg, dgHost;
  Vec       U, UHost;
  TS        ts, tsHost;

  PetscFunctionBegin;
  host.backend = PLEXBACKENDHOST;
  host.way     = NULL;
  PetscCall(Make(PETSC_COMM_WORLD, c, PETSC_FALSE, TSPLEXLOWSTORAGE, 3, &dg, &U, &ts));
  PetscCall(Make(PETSC_COMM_WORLD, &host, PETSC_FALSE, TSPLEXLOWSTORAGE, 3, &dgHost, &UHost, &tsHost));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSSolve(tsHost, UHost));
  PetscCall(VecNorm(UHost, NORM_INFINITY, &largest));
  PetscCall(Compare(dg, U, dgHost, UHost, &most));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(!dg->ops->stage == !!strcmp(c->way, "fused") && most < 1e-11 * largest), of,
                             "a low-storage scheme as on the host", "off by %g of %g", (double)most, (double)largest));
  PetscCall(Unmake(&dg, &U, &ts));
  PetscCall(Unmake(&dgHost, &UHost, &tsHost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state that is linear in the coordinates, at points of curved elements */
static PetscErrorCode Linear(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 1. + k + x[0] - 2. * k * x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProbes(const Case *c)
{
  const PetscReal points[] = {1.2, 0.3, 0.9, 1.1, 0.05, 1.99, 1.4, 1.4};
  PetscReal       values[4 * 3], most = 0.;
  char            of[128];
  PlexDG          dg;
  PlexDGProbes    probes;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_WORLD, c, PETSC_FALSE, NULL, 1, &dg, &U, &ts));
  PetscCall(PlexDGProject(dg, 0., Linear, NULL, U));
  PetscCall(PlexDGProbesCreate(dg, 4, points, NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, values));
  for (PetscInt p = 0; p < 4; ++p)
    for (PetscInt k = 0; k < 3; ++k)
      most = PetscMax(most, PetscAbsReal(values[p * 3 + k] - (1. + k + points[2 * p] - 2. * k * points[2 * p + 1])));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(most < 1e-12), of, "fields at points", "off by %g", (double)most));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(Unmake(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool host = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt q = 0; q < 2; ++q) {
    const char *const ways[] = {NULL, "kernels", "blas", "fused"};

    for (PetscInt w = host ? 0 : 1; w < (host ? 1 : 4); ++w) {
      PetscCall(TestParallel(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_AFFINE, 2, FLAT}, PETSC_FALSE));
      PetscCall(TestParallel(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_CURVED, 3, FLAT}, PETSC_FALSE));
      PetscCall(TestParallel(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_STRAIGHT, 2, DEEP}, PETSC_FALSE));
      PetscCall(TestParallel(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_STRAIGHT, 2, w > 1 ? OCEAN : SHORE},
                             PETSC_FALSE));
    }
    if (size > 2)
      PetscCall(TestParallel(&(Case){backend, NULL, (PetscBool)q, PLEX_TEST_STRAIGHT, 2, FLAT}, PETSC_TRUE));
    PetscCall(TestRestart(&(Case){backend, NULL, (PetscBool)q, PLEX_TEST_CURVED, 3, FLAT}));
    PetscCall(TestRestart(&(Case){backend, NULL, (PetscBool)q, PLEX_TEST_STRAIGHT, 2, DEEP}));
    PetscCall(TestRestart(&(Case){backend, NULL, (PetscBool)q, PLEX_TEST_STRAIGHT, 2, OCEAN}));
    PetscCall(TestProbes(&(Case){backend, NULL, (PetscBool)q, PLEX_TEST_CURVED, 3, FLAT}));
    if (host) continue;
    PetscCall(TestStages(&(Case){backend, "fused", (PetscBool)q, PLEX_TEST_AFFINE, 3, FLAT}));
    PetscCall(TestStages(&(Case){backend, "fused", (PetscBool)q, PLEX_TEST_CURVED, 2, FLAT}));
    PetscCall(TestStages(&(Case){backend, "fused", (PetscBool)q, PLEX_TEST_AFFINE, 2, DEEP}));
    for (PetscInt w = 1; w < 4; ++w) {
      PetscCall(TestStages(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_AFFINE, 1 + w % 3, SHORE}));
      PetscCall(TestStages(&(Case){backend, ways[w], (PetscBool)q, PLEX_TEST_CURVED, w, OCEAN}));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What bad input gets */

typedef struct {
  const char          *system, *option, *value;
  PlexDGDiscretization discretization;
  PetscInt             dim;
} Setting;

static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, s->dim, 1, PETSC_FALSE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, s->system));
  PetscCall(PlexDGSetDiscretization(dg, s->discretization));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  if (s->option) {
    PetscErrorCode ierr;

    PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
    ierr = PlexDGSetFromOptions(dg);
    if (!ierr) ierr = PlexDGSetUp(dg);
    PetscCall(PetscOptionsClearValue(NULL, s->option));
    PetscCall(ierr);
  }
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex inside goes through the opposite side of an element */
static PetscErrorCode OnInverted(void *ctx)
{
  const PetscInt faces[2] = {2, 2};
  Vec            coordinates;
  PetscScalar   *x;
  PetscInt       n;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2)
    if (PetscAbsScalar(x[i] - 0.5) + PetscAbsScalar(x[i + 1] - 0.5) < 1e-10) x[i] = x[i + 1] = 1.2;
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PlexTestBasinCreate(dm, 2, &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, PETSC_VIEWER_STDOUT_SELF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestView(void)
{
  DM               dm;
  PlexDG           dg;
  PlexDGQuadrature q;
  char             text[4096];

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, PETSC_TRUE, PLEX_TEST_CURVED, 2, 2, &dm));
  PetscCall(PlexTestBasinCreate(dm, 3, &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetUp(dg));
  q = dg->quadrature;
  PetscCall(PlexTestReport((PetscBool)(dg->mesh->NeGlobal == 4 && dg->mesh->tensor && dg->reference->Np == 16),
                           "elements and their nodes", "%" PetscInt_FMT " and %" PetscInt_FMT, dg->mesh->NeGlobal,
                           dg->reference->Np));
  PetscCall(PlexTestReport((PetscBool)(q->degree == 8 && q->NG == 25 && q->MG == 5 && q->order == 2 && !q->affine),
                           "the quadrature of curved elements",
                           "degree %" PetscInt_FMT ", %" PetscInt_FMT " points, %" PetscInt_FMT
                           " of a face, geometry of degree %" PetscInt_FMT,
                           q->degree, q->NG, q->MG, q->order));
  PetscCall(PlexTestCapture(View, dg, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)(strstr(text, "8 facets wall") && strstr(text, "BLAS")),
                           "the view names boundary condition and library", "%s", text));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  PetscFunctionBegin;
  EXPECT("a system that is not in flux form", WithSetting, (&(Setting){"maxwell", NULL, NULL, PLEX_DG_QUADRATURE, 2}),
         "maxwell has no dg_flux()", "-plex_dg_discretization nodal");
  EXPECT("kernels on the host", WithSetting,
         (&(Setting){"shallow_water_linear", "-plex_dg_gemm", "fused", PLEX_DG_QUADRATURE, 2}),
         "-plex_dg_gemm fused needs kernels", "-plex_dg_gemm blas");
  EXPECT("a nodal type with quadrature", WithSetting,
         (&(Setting){"shallow_water_linear", "-plex_dg_type", "plain", PLEX_DG_QUADRATURE, 2}),
         "Type plain is not for -plex_dg_discretization quadrature", "-plex_dg_gemm");
  EXPECT("the type of quadrature for nodal DG", WithSetting,
         (&(Setting){"shallow_water_linear", "-plex_dg_type", "quadrature", PLEX_DG_NODAL, 2}),
         "Type quadrature is not for -plex_dg_discretization nodal");
  EXPECT("degree with quadrature", WithSetting,
         (&(Setting){"shallow_water_linear", "-plex_dg_degree", "11", PLEX_DG_QUADRATURE, 2}), "not 11",
         "-plex_dg_degree");
  EXPECT("too few points", WithSetting,
         (&(Setting){"shallow_water_linear", "-plex_dg_quadrature_degree", "2", PLEX_DG_QUADRATURE, 2}),
         "-plex_dg_quadrature_degree 2 is less");
  EXPECT("an inverted quadrilateral", OnInverted, NULL, "is inverted", "same side of that face", "centroid",
         "Correct the mesh");
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
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  if (size == 1) PetscCall(TestMessages());
  if (size == 1) PetscCall(TestView());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
