static char help
  [] = "Elastic waves by nodal DG: plane waves, energy, boundaries, kernels against the host, and what is refused.\n\n";

#include "dgproblem.h"
#include "elasticmodes.h"
#include "report.h"

/* ---- Plane waves that enter through all of the boundary */

static PetscErrorCode SetPlane(PlexDG dg, const ElasticPlane *p)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "rho", 1, &p->rho));
  PetscCall(PlexDGSetConstant(dg, "cp", 1, &p->cp));
  PetscCall(PlexDGSetConstant(dg, "cs", 1, &p->cs));
  PetscCall(PlexDGSetConstant(dg, "direction", 3, p->d));
  PetscCall(PlexDGSetConstant(dg, "polarization", 3, p->P));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &p->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPlane(const char backend[], PetscInt dim, PetscInt N, PetscBool shear)
{
  const PetscInt  coarse = dim == 2 ? (N < 3 ? 2 : 1) : 1;
  const PetscReal T      = dim == 2 ? 0.05 : N < 3 ? 0.05 : N == 3 ? 0.03 : 0.004;
  PetscReal       error[2];
  ElasticPlane    wave;
  char            of[128];

  PetscFunctionBegin;
  ElasticPlaneInitialize(dim, shear, &wave);
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 0, &dm));
    PetscCall(ElasticDistribute(&dm));
    for (PetscInt r = 0; r < coarse + k; ++r) PetscCall(PlexTestRefine(&dm));
    PetscCall(ElasticCreate(dm, backend, N, &dg));
    PetscCall(SetPlane(dg, &wave));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "incident"));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, T, ElasticPlaneValues, &wave, U));
    PetscCall(ElasticGetError(dg, T, ElasticPlaneValues, &wave, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s wave, %s, degree %" PetscInt_FMT, backend, shear ? "S" : "P",
                          dim == 2 ? "triangles" : "tetrahedra", N));
  PetscCall(ElasticReportRate(of, N, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Uneven solids, and fluids; states that are continuous nowhere, of fluids a pressure */

static PetscErrorCode Jumps(PlexDG dg, Vec U)
{
  const PetscInt dim = dg->mesh->dim, Nf = dg->system->Nf, Np = dg->reference->Np;
  PetscScalar   *u;

  PetscFunctionBegin;
  PetscCall(PlexTestJumps(U));
  PetscCall(VecGetArray(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt k = dim + 1; k < Nf && dg->coefficients[e * 3 + 2] == 0.; ++k)
      for (PetscInt i = 0; i < Np; ++i) u[(e * Nf + k) * Np + i] = k < 2 * dim ? u[(e * Nf + dim) * Np + i] : 0.;
  PetscCall(VecRestoreArray(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right-hand side of Jumps(); kinds: that of each side of the box */
static PetscErrorCode JumpsRHS(DM dm, const char backend[], const char type[], PlexPrecision precision, PetscInt N,
                               PetscReal alpha, const char *const kinds[], PlexDG *dg, Vec *U, Vec *R)
{
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(ElasticCreate(dm, backend, N, dg));
  PetscCall(PlexDGSetType(*dg, type));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(*dg, ElasticUneven, NULL));
  for (PetscInt side = 0; side < 2 * dim; ++side) PetscCall(PlexDGAddBoundary(*dg, "sides", side + 1, kinds[side]));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(VecDuplicate(*U, R));
  PetscCall(Jumps(*dg, *U));
  PetscCall(PlexDGComputeRHS(*dg, 0.3, *U, *R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnevenMesh(PetscInt dim, PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(ElasticDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d/dt of the energy, which is quadratic, is (E(U + R) - E(U - R))/2; then some steps */
static PetscErrorCode TestEnergy(const char backend[], PetscInt dim, PetscInt N, PetscReal alpha, PetscBool open)
{
  const char *const kinds[2][6] = {
    {"free",      "wall",      "roller",    "free",      "wall",      "roller"   },
    {"absorbing", "absorbing", "absorbing", "absorbing", "absorbing", "absorbing"}
  };
  PetscReal energy, plus, minus, after, rate, dt;
  PetscBool grows = PETSC_FALSE;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, R, V;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(UnevenMesh(dim, 3, &dm));
  PetscCall(JumpsRHS(dm, backend, PLEXDGAUTO, PLEX_PRECISION_DOUBLE, N, alpha, kinds[open], &dg, &U, &R));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(VecWAXPY(V, dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &plus));
  PetscCall(VecWAXPY(V, -dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &minus));
  rate = (plus - minus) / 2.;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %" PetscInt_FMT "D, degree %" PetscInt_FMT ", alpha %g%s", backend, dim,
                          N, (double)alpha, open ? ", absorbing" : ""));
  PetscCall(PlexTestReportOf((PetscBool)(alpha == 0. && !open ? PetscAbsReal(rate) < 1e-12 * energy
                                                              : rate < -1e-3 * energy),
                             of, alpha == 0. && !open ? "the operator keeps energy" : "the operator takes energy away",
                             "of %g it changes by %g in a step", (double)energy, (double)rate));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e6 * dt));
  PetscCall(TSSetSolution(ts, U));
  for (PetscInt step = 0; step < 20; ++step) {
    PetscCall(TSStep(ts));
    PetscCall(PlexDGComputeEnergy(dg, U, &after));
    if (after > energy * (1. + 1e-12)) grows = PETSC_TRUE;
    energy = after;
  }
  PetscCall(PlexTestReportOf((PetscBool)!grows, of, "it never grows with the default step", "to %g", (double)energy));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plane wave has as much energy in its strain as in its motion; shear 2: a P wave in a fluid */
static PetscErrorCode TestWaveEnergy(const char backend[], PetscInt dim, PetscInt shear)
{
  const char *const what[] = {"P wave", "S wave", "P wave in a fluid"};
  PetscReal         energy, exact = 0.;
  ElasticPlane      wave;
  char              of[128];
  DM                dm;
  PlexDG            dg;
  Vec               U;

  PetscFunctionBegin;
  ElasticPlaneInitialize(dim, (PetscBool)(shear == 1), &wave);
  wave.w = 0.; /* the same everywhere */
  if (shear == 2) wave.cs = 0.;
  for (PetscInt d = 0; d < dim; ++d) exact += wave.rho * wave.P[d] * wave.P[d];
  PetscCall(UnevenMesh(dim, 1, &dm));
  PetscCall(ElasticCreate(dm, backend, 1, &dg));
  PetscCall(SetPlane(dg, &wave));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "free"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., ElasticPlaneValues, &wave, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D", backend, what[shear], dim));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy - exact) < 1e-13 * exact), of, "energy is rho v^2",
                             "%.15g, not %.15g", (double)energy, (double)exact));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All kinds of boundaries; solids beside fluids */
static PetscErrorCode TestAgreement(const char backend[], const char type[], PetscInt dim, PetscInt N,
                                    PlexPrecision precision)
{
  const char *const kinds[2][6] = {
    {"absorbing", "free",     "incident", "wall",      "roller", "absorbing"},
    {"roller",    "incident", "wall",     "absorbing", "free",   "incident" }
  };
  PetscReal most, largest;
  char      of[128];
  DM        dm;
  PlexDG    dg[2];
  Vec       U[2], R[2];

  PetscFunctionBegin;
  PetscCall(UnevenMesh(dim, 2, &dm));
  PetscCall(JumpsRHS(dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, N, 0.7, kinds[precision], &dg[0], &U[0],
                     &R[0]));
  PetscCall(JumpsRHS(dm, backend, type, precision, N, 0.7, kinds[precision], &dg[1], &U[1], &R[1]));
  PetscCall(VecNorm(R[0], NORM_INFINITY, &largest));
  PetscCall(VecAXPY(R[1], -1., R[0]));
  PetscCall(VecNorm(R[1], NORM_INFINITY, &most));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s", backend, type,
                          dim, N, PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most < (precision == PLEX_PRECISION_DOUBLE ? 1e-12 : 2e-4) * largest &&
                                         largest > 1.),
                             of, "as the host in double precision", "off by %g of %g", (double)most, (double)largest));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&U[k]));
    PetscCall(VecDestroy(&R[k]));
    PetscCall(PlexDGDestroy(&dg[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Absorbing: waves that leave along the normal */

/* In elements that meet no other boundary than x = 1 the rate is exact: nothing is reflected */
static PetscErrorCode TestAbsorbing(const char backend[], PetscInt dim, PetscReal alpha, PetscBool shear)
{
  ElasticLeaving   l = {.N = 3};
  const PetscReal *x;
  PetscReal        most = 0.;
  PetscScalar     *r, *exact;
  PetscInt         Ne, Np, Nf, looked = 0;
  char             of[128];
  DM               dm;
  PlexDG           dg;
  Vec              U, R, E;

  PetscFunctionBegin;
  ElasticPlaneInitialize(dim, shear, &l.plane);
  for (PetscInt d = 0; d < 3; ++d) {
    l.plane.d[d] = d == 0;
    l.plane.P[d] = !shear ? d == 0 : d == 1 ? 0.8 : dim == 3 && d == 2 ? 0.6 : 0.;
  }
  PetscCall(UnevenMesh(dim, 4, &dm));
  PetscCall(ElasticCreate(dm, backend, l.N, &dg));
  PetscCall(SetPlane(dg, &l.plane));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &E));
  PetscCall(PlexDGProject(dg, 0., ElasticLeavingValues, &l, U));
  PetscCall(PlexDGProject(dg, 1., ElasticLeavingValues, &l, E));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  Nf = dg->system->Nf;
  PetscCall(VecGetArray(R, &r));
  PetscCall(VecGetArray(E, &exact));
  for (PetscInt e = 0; e < Ne; ++e) {
    PetscReal least = 1., greatest = 0., right = 0.;

    for (PetscInt k = 0; k < Np * dim; ++k) {
      least = PetscMin(least, x[e * Np * dim + k]);
      if (k % dim) greatest = PetscMax(greatest, x[e * Np * dim + k]);
      else right = PetscMax(right, x[e * Np * dim + k]);
    }
    if (least < 1e-10 || greatest > 1. - 1e-10 || right < 1. - 1e-10) continue;
    ++looked;
    for (PetscInt k = 0; k < Nf * Np; ++k)
      most = PetscMax(most, PetscAbsScalar(r[e * Nf * Np + k] - exact[e * Nf * Np + k]));
  }
  PetscCall(VecRestoreArray(E, &exact));
  PetscCall(VecRestoreArray(R, &r));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &looked, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s wave in %" PetscInt_FMT "D, alpha %g", backend, shear ? "S" : "P",
                          dim, (double)alpha));
  PetscCall(PlexTestReportOf((PetscBool)(looked > 0 && most < 1e-11), of, "it leaves along the normal as it is",
                             "rates are off by %g in %" PetscInt_FMT " elements", (double)most, looked));
  PetscCall(VecDestroy(&E));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is refused */

typedef struct {
  PetscInt    dim;
  const char *options, *kind;
} Wrong;

static PetscErrorCode WithOptions(void *ctx)
{
  const Wrong   *w = (const Wrong *)ctx;
  PetscErrorCode ierr;
  PetscInt       cStart, cEnd;
  DMLabel        sets;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, w->dim, 1, PETSC_FALSE, &dm));
  PetscCall(PlexTestGetLabel(dm, "Cell Sets", &sets));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMLabelSetValue(sets, c, 1 + c % 2));
  PetscCall(ElasticCreate(dm, PLEXBACKENDHOST, 1, &dg));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, w->kind ? w->kind : "free"));
  PetscCall(PetscOptionsInsertString(NULL, w->options));
  ierr = PlexDGSetFromOptions(dg);
  PetscCall(PlexTestClearOptions(w->options));
  PetscCall(ierr);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WRONG(name, d, o, k, ...) EXPECT(name, WithOptions, (&(Wrong){.dim = d, .options = o, .kind = k}), __VA_ARGS__)

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  WRONG("negative density", 2, "-plex_dg_rho -1", NULL, "Coefficient rho of system elastic is -1", "more than 0",
        "-plex_dg_rho");
  WRONG("no speed of P waves", 3, "-plex_dg_cp 0 -plex_dg_cs 0", NULL, "Coefficient cp of system elastic is 0",
        "more than 0");
  WRONG("negative speed of S waves", 2, "-plex_dg_material_2 cs=-0.1", NULL, "Coefficient cs of system elastic is -0.1",
        "of material 2", "at least 0", "-plex_dg_material_2");
  WRONG("S waves as fast as P waves in 2D", 2, "-plex_dg_cs 1", NULL,
        "System elastic has speeds cp 1. of P waves and cs 1.", "at most 1 cs", "less than 1",
        "-plex_dg_<name> of rho, cp, cs");
  WRONG("S waves too fast in 3D, by a material", 3, "-plex_dg_material_1 cp=2,cs=1.8", NULL,
        "speeds cp 2. of P waves and cs 1.8", "sqrt(4/3) cs", "less than 1.73205", "in cell", "of material 1",
        "-plex_dg_material_1");
  PetscCall(PlexTestReport((PetscBool)!WithOptions(&(Wrong){.dim = 2, .options = "-plex_dg_cs 0.95"}),
                           "0.95 of the speed of P waves is allowed in 2D", "it is not"));
  WRONG("a direction that is no unit vector", 2, "-plex_dg_direction 2,0,0", "incident", "of length 2",
        "-plex_dg_direction 1,0,0");
  WRONG("a wave out of the plane", 2, "-plex_dg_polarization 0,0,1", "incident", "in the plane");
  WRONG("no wave", 3, "-plex_dg_polarization 0,0,0", "incident", "is zero", "-plex_dg_polarization");
  WRONG("a boundary condition that there is not", 2, "-plex_dg_alpha 1", "pec", "elastic has no boundary condition pec",
        "free, wall, roller, absorbing, incident");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees 1 to 4; on several processes one of them */
static PetscErrorCode TestBackend(const char backend[], PetscInt least, PetscInt most)
{
  const PetscBool   onHost    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST),
                    emulate   = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);
  const char *const kernels[] = {PLEXDGPLAIN, PLEXDGFUSED, PLEXDGSEPARATE};

  PetscFunctionBegin;
  for (PetscInt dim = 2; dim <= 3; ++dim) {
    for (PetscInt N = least; N <= most && !emulate; ++N)
      for (PetscInt shear = 0; shear < 2; ++shear) PetscCall(TestPlane(backend, dim, N, (PetscBool)shear));
    for (PetscInt N = least; N <= (emulate ? least : most); ++N)
      for (PetscInt k = 0; k < 3; ++k) PetscCall(TestEnergy(backend, dim, N, k == 1 ? 1. : 0., (PetscBool)(k == 2)));
    for (PetscInt shear = 0; shear < 3; ++shear) PetscCall(TestWaveEnergy(backend, dim, shear));
    for (PetscInt shear = 0; shear < 2; ++shear) {
      PetscCall(TestAbsorbing(backend, dim, 1., (PetscBool)shear));
      PetscCall(TestAbsorbing(backend, dim, 0.3, (PetscBool)shear));
    }
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(kernels) && !onHost; ++t)
      for (int p = 0; p < 2; ++p)
        PetscCall(TestAgreement(backend, kernels[t], dim, dim == 2 ? 4 : 2, (PlexPrecision)p));
    if (onHost) PetscCall(TestAgreement(backend, PLEXDGHOST, dim, 3, PLEX_PRECISION_SINGLE));
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
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b], size > 1 ? 2 : 1, size > 1 ? 2 : 4));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
