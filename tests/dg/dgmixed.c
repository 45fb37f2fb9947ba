static char
  help[] = "DG with quadrature on meshes of triangles and quadrilaterals: rates, conservation, energy, water at "
           "rest, backends, processes, and what is refused.\n\n";

#include "dg/interface/dgimpl.h"
#include "mixedmesh.h"
#include "waterproblem.h"
#include "report.h"

/* ---- Operators */

static PetscErrorCode Distributed(PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMixedDistribute(PLEX_TEST_MIX_RANDOM, n, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Continuous; a polynomial through its values at nodes is rough */
static PetscErrorCode Bottom(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1. + 0.3 * PetscSinReal(19. * x[0] + 3.) * PetscCosReal(23. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Steep(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.02 + 0.5 * (1. + PetscTanhReal(100. * (x[0] + 0.3 * x[1] - 0.6)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Operator(DM dm, const char system[], PetscInt N, const char backend[], PlexDG *dg)
{
  PetscFunctionBegin;
  if (!strcmp(system, "shallow_water_linear")) PetscCall(PlexTestBasinCreate(dm, N, dg));
  else {
    PetscCall(PlexDGCreate(dm, dg));
    PetscCall(PlexDGSetSystem(*dg, system));
    PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
    PetscCall(PlexDGSetDegree(*dg, N));
    PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
    if ((*dg)->system->water) PetscCall(PlexDGSetCoefficients(*dg, Bottom, NULL));
  }
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Small, and different at all nodes of the mesh */
static PetscErrorCode Rough(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k)
    u[k] = 0.2 * PetscSinReal(31. * x[0] + 17. * x[1] + 2. * k) + 0.1 * PetscCosReal(57. * x[0] - 43. * x[1] - k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right-hand side of that */
static PetscErrorCode RoughRHS(PlexDG dg, Vec *U, Vec *R)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(VecDuplicate(*U, R));
  PetscCall(PlexDGProject(dg, 0., Rough, NULL, *U));
  PetscCall(PlexDGComputeRHS(dg, 0., *U, *R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tests */

/* Order N + 1; the mass stays */
static PetscErrorCode TestRate(const char backend[], PetscInt N, const char type[])
{
  PlexTestShape shape = PLEX_TEST_AFFINE;
  PetscReal     errors[2], before[3], after[3], lost = 0., rate;
  char          of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;
    TS     ts;

    PetscCall(Distributed(k ? 12 : 6, &dm));
    PetscCall(Operator(dm, "shallow_water_linear", N, backend, &dg));
    PetscCall(PlexDGSetCFL(dg, N > 3 ? 0.25 : 0.5));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., PlexTestBasinWave, &shape, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, before));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetSolution(ts, U));
    if (!strcmp(type, "lowstorage")) PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    else PetscCall(TSSetType(ts, TSRK));
    PetscCall(PlexDGSetTS(dg, ts));
    if (!strcmp(type, "ssp3")) PetscCall(TSRKSetType(ts, "ssp3"));
    PetscCall(TSSetMaxTime(ts, 0.1));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
    PetscCall(PlexDGComputeIntegrals(dg, U, after));
    PetscCall(PlexDGComputeL2Error(dg, 0.1, PlexTestBasinWave, &shape, U, &errors[k]));
    lost = PetscMax(lost, PetscAbsReal(after[0] - before[0]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(errors[0] / errors[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT ", %s", backend, N, type));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.7 && errors[1] < 0.1), of, "the error falls as h^(N+1)",
                             "rate %g, errors %g, %g", (double)rate, (double)errors[0], (double)errors[1]));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-13), of, "the mass stays", "%g", (double)lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Constant(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.7;
  for (PetscInt k = 1; k < Nf; ++k) u[k] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant state, mass and energy by the right-hand side of a rough one. With the mean flux energy stays, with that of
   Riemann it does not grow */
static PetscErrorCode TestLinear(const char backend[], PetscInt N)
{
  char of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, backend, N));
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscReal alpha = k;
    PetscReal       moves, mass[3], energy[2], gain;
    DM              dm;
    PlexDG          dg;
    Vec             U, R;

    PetscCall(Distributed(6, &dm));
    PetscCall(Operator(dm, "shallow_water_linear", N, backend, &dg));
    PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
    PetscCall(RoughRHS(dg, &U, &R));
    PetscCall(PlexDGComputeIntegrals(dg, R, mass));
    PetscCall(VecAXPY(U, 1e-2, R));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
    PetscCall(VecAXPY(U, -2e-2, R));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
    gain = (energy[1] - energy[0]) / 2e-2;
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(mass[0]) < 1e-12), of, "mass stays", "%g", (double)mass[0]));
    PetscCall(PlexTestReportOf(k ? (PetscBool)(gain < -1e-3) : (PetscBool)(PetscAbsReal(gain) < 1e-10), of,
                               k ? "energy does not grow" : "the mean flux keeps energy", "%g", (double)gain));
    PetscCall(PlexDGProject(dg, 0., Constant, NULL, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(VecNorm(R, NORM_INFINITY, &moves));
    PetscCall(PlexTestReportOf((PetscBool)(moves < 1e-11), of, "a constant state stays", "%g", (double)moves));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Water over a rough bottom: a lake at rest, mass, and energy that does not grow; steep: elements whose bottom is made
   linear, on both sides of faces */
static PetscErrorCode TestWater(const char backend[], const char system[], PetscInt N, PetscBool steep)
{
  PetscReal rest, mass[3], energy[2], gain, with = 0., entropy = 0.;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, R;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT "%s", backend, system, N,
                          steep ? ", a steep bottom" : ""));
  PetscCall(Distributed(6, &dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(Operator(dm, system, N, backend, &dg));
    if (steep) PetscCall(PlexDGSetCoefficients(dg, Steep, NULL));
    if (k) PetscCall(PlexDGSetConstant(dg, "entropy", 1, &entropy));
    PetscCall(RoughRHS(dg, &U, &R));
    if (steep && !k) {
      PetscInt linear = dg->parts[0]->bottoms[0] + dg->parts[1]->bottoms[0];

      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &linear, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
      PetscCall(PlexTestReportOf((PetscBool)(linear > 0), of, "bottoms are made linear", "%" PetscInt_FMT, linear));
    }
    if (!steep) {
      PetscCall(PlexDGComputeIntegrals(dg, R, mass));
      PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(mass[0]) < 1e-12), of, "mass stays", "%g", (double)mass[0]));
      PetscCall(VecAXPY(U, 1e-5, R));
      PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
      PetscCall(VecAXPY(U, -2e-5, R));
      PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
      gain = (energy[1] - energy[0]) / 2e-5;
      if (!k) with = gain;
      else
        PetscCall(PlexTestReportOf((PetscBool)(with < gain && with < 0.), of,
                                   "energy falls, faster with the correction", "%g, %g", (double)with, (double)gain));
    }
    for (PetscInt level = 0; level < 2 && !k; ++level) {
      if (level) PetscCall(PlexDGProject(dg, 0., Constant, NULL, U));
      else PetscCall(VecSet(U, 0.));
      PetscCall(PlexDGComputeRHS(dg, 0., U, R));
      PetscCall(VecNorm(R, NORM_INFINITY, &rest));
      PetscCall(PlexTestReportOf((PetscBool)(rest <= (level ? 5e-11 : 1e-12)), of,
                                 level ? "a lake at rest at 0.7 stays" : "a lake at rest stays", "%g", (double)rest));
    }
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that depend on all values of a right-hand side, at their positions */
static PetscErrorCode Signature(MPI_Comm comm, DM dm, const char system[], PetscInt N, const char backend[],
                                PetscReal s[5])
{
  PlexDG    dg;
  Vec       U, R;
  PetscReal integrals[3];

  PetscFunctionBegin;
  PetscCall(Operator(dm, system, N, backend, &dg));
  PetscCall(RoughRHS(dg, &U, &R));
  PetscCall(VecNorm(R, NORM_2, &s[0]));
  PetscCall(PlexDGComputeL2Error(dg, 0., Rough, NULL, R, &s[1]));
  PetscCall(PlexDGComputeIntegrals(dg, R, integrals));
  s[2] = integrals[1];
  PetscCall(PlexDGComputeEnergy(dg, U, &s[3]));
  PetscCall(PlexDGComputeTimeStep(dg, U, &s[4]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processes, and backends, agree with one process on the host */
static PetscErrorCode TestAgreesOn(PlexTestMix mix, PetscInt n, const char backend[], const char system[], PetscInt N)
{
  PetscReal own[5], all[5], most = 0.;
  char      of[128];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMixedCreate(PETSC_COMM_SELF, mix, n, &dm));
  PetscCall(Signature(PETSC_COMM_SELF, dm, system, N, PLEXBACKENDHOST, own));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestMixedDistribute(mix, n, &dm));
  PetscCall(Signature(PETSC_COMM_WORLD, dm, system, N, backend, all));
  PetscCall(DMDestroy(&dm));
  for (PetscInt k = 0; k < 5; ++k)
    most = PetscMax(most, PetscAbsReal(all[k] - own[k]) / PetscMax(1., PetscAbsReal(own[k])));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT "%s", backend, system, N,
                          mix == PLEX_TEST_MIX_ROWS ? ", kinds apart" : ""));
  PetscCall(PlexTestReportOf((PetscBool)(most < 1e-12), of, "it agrees with one process on the host", "%g",
                             (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAgrees(const char backend[], const char system[], PetscInt N)
{
  PetscFunctionBegin;
  PetscCall(TestAgreesOn(PLEX_TEST_MIX_RANDOM, 5, backend, system, N));
  PetscCall(TestAgreesOn(PLEX_TEST_MIX_ROWS, 6, backend, system, N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of all entries agree with those of the host, by a way */
static PetscErrorCode TestWay(const char backend[], const char way[], const char system[], PetscInt N,
                              PlexPrecision precision)
{
  const char *backends[] = {PLEXBACKENDHOST, backend};
  PetscReal   most, largest;
  char        of[128];
  DM          dm;
  Vec         R[2], U;

  PetscFunctionBegin;
  PetscCall(Distributed(5, &dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG dg;
    Vec    values;

    PetscCall(Operator(dm, system, N, backends[k], &dg));
    if (k) PetscCall(PlexDGSetPrecision(dg, precision));
    if (k) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
    PetscCall(RoughRHS(dg, &U, &values));
    if (k) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PlexDGGetLocalSize(dg), PETSC_DETERMINE, &R[k]));
    PetscCall(VecCopy(values, R[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&values));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(VecNorm(R[0], NORM_INFINITY, &largest));
  PetscCall(VecAXPY(R[1], -1., R[0]));
  PetscCall(VecNorm(R[1], NORM_INFINITY, &most));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT ", %s", backend, way, system, N,
                          PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most < (precision == PLEX_PRECISION_DOUBLE ? 1e-12 : 5e-4) * largest), of,
                             "it agrees with the host", "%g of %g", (double)most, (double)largest));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&R[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles beside quadrilaterals that they have no face in common with: bits of those of a mesh of triangles */
static PetscErrorCode TestApart(const char backend[], const char system[], PetscInt N)
{
  const PlexTestMix  mixes[2] = {PLEX_TEST_MIX_ALL, PLEX_TEST_MIX_APART};
  const PetscScalar *r[2];
  PetscInt           n[2];
  PetscBool          same;
  char               of[128];
  Vec                U[2], R[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;

    PetscCall(PlexTestMixedCreate(PETSC_COMM_SELF, mixes[k], 3, &dm));
    PetscCall(Operator(dm, system, N, backend, &dg));
    PetscCall(RoughRHS(dg, &U[k], &R[k]));
    PetscCall(VecGetLocalSize(R[k], &n[k]));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecGetArrayRead(R[k], &r[k]));
  PetscCall(PetscArraycmp(r[0], r[1], n[0], &same));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecRestoreArrayRead(R[k], &r[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, system, N));
  PetscCall(PlexTestReportOf((PetscBool)(same && n[1] > n[0]), of, "triangles are computed as in a mesh of triangles",
                             "%" PetscInt_FMT " values, %" PetscInt_FMT " of both", n[0], n[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&U[k]));
    PetscCall(VecDestroy(&R[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that a mixed mesh does not have */
static PetscErrorCode With(void *ctx)
{
  DM     dm;
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(PlexTestMixedCreate(PETSC_COMM_SELF, PLEX_TEST_MIX_RANDOM, 3, &dm));
  PetscCall(Operator(dm, "shallow_water", 2, PLEXBACKENDHOST, &dg));
  PetscCall(PetscOptionsInsertString(NULL, (const char *)ctx));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  if (strstr((const char *)ctx, "nodes")) PetscCall(PlexDGGetNodes(dg, NULL, NULL, NULL));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  const char *const options[] = {"-plex_dg_viscosity 0.1", "-the_nodes"};

  PetscFunctionBegin;
  for (PetscInt N = 1; N <= 4; ++N) {
    PetscCall(TestRate(PLEXBACKENDHOST, N, N < 3 ? "ssp3" : "lowstorage"));
    PetscCall(TestLinear(PLEXBACKENDHOST, N));
    PetscCall(TestWater(PLEXBACKENDHOST, "shallow_water", N, PETSC_FALSE));
  }
  PetscCall(TestWater(PLEXBACKENDHOST, "tsunami", 2, PETSC_FALSE));
  PetscCall(TestWater(PLEXBACKENDHOST, "shallow_water", 4, PETSC_TRUE));
  PetscCall(TestApart(PLEXBACKENDHOST, "shallow_water_linear", 3));
  PetscCall(TestApart(PLEXBACKENDHOST, "shallow_water", 2));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); ++k)
    EXPECT(options[k], With, (void *)options[k], "one kind of cell", "refine_tosimplex");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const char *const ways[] = {"kernels", "blas", "fused"};
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t w = 0; w < 3; ++w) {
    PetscCall(TestWay(backend, ways[w], "shallow_water_linear", 2 + (PetscInt)(w % 2), PLEX_PRECISION_DOUBLE));
    PetscCall(TestWay(backend, ways[w], "shallow_water", 2, PLEX_PRECISION_DOUBLE));
  }
  PetscCall(TestWay(backend, "fused", "shallow_water_linear", 1, PLEX_PRECISION_SINGLE));
  PetscCall(TestAgrees(backend, "shallow_water_linear", 3));
  PetscCall(TestAgrees(backend, "shallow_water", 2));
  PetscCall(TestRate(backend, 2, "lowstorage"));
  if (size == 1) PetscCall(TestApart(backend, "shallow_water_linear", 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  if (size > 1) { /* the host, too, but what is of one process */
    PetscCall(TestAgrees(PLEXBACKENDHOST, "shallow_water_linear", 3));
    PetscCall(TestAgrees(PLEXBACKENDHOST, "shallow_water", 2));
    PetscCall(TestRate(PLEXBACKENDHOST, 2, "ssp3"));
    PetscCall(TestLinear(PLEXBACKENDHOST, 2));
    PetscCall(TestWater(PLEXBACKENDHOST, "shallow_water", 3, PETSC_FALSE));
    PetscCall(TestWater(PLEXBACKENDHOST, "shallow_water", 4, PETSC_TRUE));
  }
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
