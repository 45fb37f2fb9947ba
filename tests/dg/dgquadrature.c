static char help[] = "DG with quadrature: against nodal DG, rates of convergence, mass, energy, constant states, a "
                     "system of a user's own.\n\n";

#include "waterproblem.h"
#include "problem.h"
#include "report.h"

/* ------------------------------------------------------------------------------------------------------------------
   Triangles with straight sides: the same polynomials and exact integrals as nodal DG
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode GetRHS(DM dm, const char system[], PetscInt N, const char backend[],
                             PlexDGDiscretization discretization, PlexDG *dg, Vec *R)
{
  const PetscReal alpha = 0.7, elevation = 0.3, frequency = 2.;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetDiscretization(*dg, discretization));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetConstant(*dg, "elevation", 1, &elevation));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &frequency));
  for (PetscInt s = 0; s < 4; ++s)
    PetscCall(PlexDGAddBoundary(*dg, "sides", s + 1, (*dg)->system->kinds[s % (*dg)->system->nkinds]));
  PetscCall(PlexDGCreateVec(*dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(*dg, 0.3, U, *R));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNodal(const char backend[], PetscInt N)
{
  PetscReal most, largest;
  char      of[128];
  DM        dm;
  PlexDG    nodal, dg;
  Vec       expected, R;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 3, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(GetRHS(dm, "shallow_water_linear", N, PLEXBACKENDHOST, PLEX_DG_NODAL, &nodal, &expected));
  PetscCall(GetRHS(dm, "shallow_water_linear", N, backend, PLEX_DG_QUADRATURE, &dg, &R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(VecAXPY(expected, -1., R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &most));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, backend, N));
  PetscCall(PlexTestReportOf((PetscBool)(most < 1e-11 * largest && largest > 1.), of, "on triangles as nodal DG",
                             "off by %g of %g", (double)most, (double)largest));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&nodal));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   All ways of a backend: the same right-hand side as on the host, all kinds of boundary conditions
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode GetWay(DM dm, const char system[], PetscInt N, const char backend[], const char way[],
                             PlexPrecision precision, Vec *values)
{
  const PetscReal alpha = 0.7, elevation = 0.3, frequency = 2.;
  PlexDG          dg;

  PetscFunctionBegin;
  if (way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  if (strcmp(system, "burgers")) {
    PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
    PetscCall(PlexDGSetConstant(dg, "elevation", 1, &elevation));
    PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  }
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  for (PetscInt s = 0; s < 4; ++s)
    PetscCall(PlexDGAddBoundary(dg, "sides", s + 1, dg->system->kinds[s % dg->system->nkinds]));
  PetscCall(PlexTestJumpRHS(dg, 0.3, values));
  PetscCall(PlexDGDestroy(&dg));
  if (way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On cells x cells quadrilaterals, or those in two */
static PetscErrorCode TestWayOn(PetscInt cells, const char backend[], const char way[], const char system[],
                                PetscBool quadrilaterals, PlexTestShape shape, PetscInt N, PlexPrecision precision)
{
  const PetscReal tolerance = precision == PLEX_PRECISION_DOUBLE ? 1e-12 : 5e-4;
  PetscReal       most, largest;
  char            of[160];
  DM              dm;
  Vec             expected, R;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, cells, 2, &dm));
  PetscCall(GetWay(dm, system, N, PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, &expected));
  PetscCall(GetWay(dm, system, N, backend, way, precision, &R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(VecAXPY(expected, -1., R));
  PetscCall(VecNorm(expected, NORM_INFINITY, &most));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, %s %s, degree %" PetscInt_FMT ", %s", backend, way, system,
                          PlexTestShapes[shape], quadrilaterals ? "quadrilaterals" : "triangles", N,
                          PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most <= tolerance * largest && largest > 1.), of,
                             "it agrees with the host in double precision", "off by %g of %g", (double)most,
                             (double)largest));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&R));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(const char backend[], const char way[], const char system[], PetscBool quadrilaterals,
                              PlexTestShape shape, PetscInt N, PlexPrecision precision)
{
  PetscFunctionBegin;
  PetscCall(TestWayOn(3, backend, way, system, quadrilaterals, shape, N, precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of low degree, straight, on tensor cores and by a thread each, in blocks that have neighbours of each other
   and one that is not full */
static PetscErrorCode TestLowDegrees(const char backend[])
{
  const char *const options[] = {"-plex_dg_tensor_cores no -plex_dg_block_elements 32",
                                 "-plex_dg_tensor_cores yes -plex_dg_block_elements 32"};

  PetscFunctionBegin;
  for (PetscInt o = 0; o < 2; ++o) {
    PetscCall(PetscOptionsInsertString(NULL, options[o]));
    for (PetscInt q = 0; q < 2; ++q) {
      for (PetscInt N = 1; N < 3; ++N)
        PetscCall(TestWayOn(q ? 9 : 7, backend, "fused", "shallow_water_linear", (PetscBool)q, PLEX_TEST_AFFINE, N,
                            PLEX_PRECISION_DOUBLE));
      PetscCall(TestWayOn(q ? 9 : 7, backend, "fused", "burgers", (PetscBool)q, PLEX_TEST_AFFINE, 1,
                          PLEX_PRECISION_SINGLE));
    }
    PetscCall(PlexTestClearOptions(options[o]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernels of ways that have several, each alone and in their order */
static PetscErrorCode TestParts(const char backend[], const char way[], PetscBool quadrilaterals)
{
  const PlexTestShape shape = PLEX_TEST_STRAIGHT;
  PetscReal           most, largest;
  PetscInt            k       = 0;
  PetscBool           counted = PETSC_TRUE;
  char                of[128];
  PlexDGPart          part = {NULL, 0., 0.};
  DM                  dm;
  PlexDG              dg;
  Vec                 U, R, expected;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, 3, 1, &dm));
  PetscCall(PlexTestBasinCreate(dm, 2, &dg));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &expected));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, expected));
  PetscCall(VecScale(U, 2.)); /* what is in the arrays between is of no use */
  for (;; ++k) {
    PetscCall(PlexDGComputePart(dg, 0., U, R, k, &part));
    if (!part.name) break;
    counted = (PetscBool)(counted && (part.bytes > 0. || !strcmp(part.name, "jacobian_q")));
  }
  PetscCall(VecAXPY(R, -2., expected));
  PetscCall(VecNorm(R, NORM_INFINITY, &most));
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s", backend, way, quadrilaterals ? "quadrilaterals" : "triangles"));
  PetscCall(PlexTestReportOf((PetscBool)(k == 11 && counted && most < 1e-12 * largest), of,
                             "the eleven kernels one by one", "%" PetscInt_FMT " kernels, off by %g of %g", k,
                             (double)most, (double)largest));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&expected));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWays(const char backend[])
{
  const char *const kernels[] = {"kernels", "blas", "fused"};
  const PetscBool   host      = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);

  PetscFunctionBegin;
  if (!host) { /* more elements and fewer tiles than it would choose */
    PetscCall(PetscOptionsInsertString(NULL, "-plex_dg_block_elements 32 -plex_dg_tiles 3"));
    PetscCall(TestWay(backend, "fused", "shallow_water_linear", PETSC_FALSE, PLEX_TEST_CURVED, 3,
                      PLEX_PRECISION_DOUBLE));
    PetscCall(TestWay(backend, "fused", "shallow_water_linear", PETSC_TRUE, PLEX_TEST_AFFINE, 4,
                      PLEX_PRECISION_DOUBLE));
    PetscCall(PlexTestClearOptions("-plex_dg_block_elements 32 -plex_dg_tiles 3"));
    PetscCall(TestLowDegrees(backend));
  }
  for (size_t w = host ? 1 : 0; w < (host ? 2 : PETSC_STATIC_ARRAY_LENGTH(kernels)); ++w) {
    for (PetscInt q = 0; q < 2; ++q) {
      for (int p = host ? 1 : 0; p < 2; ++p) {
        for (PetscInt shape = 0; shape < 3; ++shape)
          PetscCall(TestWay(backend, kernels[w], "shallow_water_linear", (PetscBool)q, (PlexTestShape)shape,
                            1 + (PetscInt)(shape + w), (PlexPrecision)p));
        PetscCall(TestWay(backend, kernels[w], "burgers", (PetscBool)q, PLEX_TEST_AFFINE, 3, (PlexPrecision)p));
        PetscCall(TestWay(backend, kernels[w], "burgers", (PetscBool)q, PLEX_TEST_CURVED, 2, (PlexPrecision)p));
      }
      if (!host)
        PetscCall(TestWay(backend, kernels[w], "shallow_water_linear", (PetscBool)q, PLEX_TEST_AFFINE, 10,
                          PLEX_PRECISION_DOUBLE));
      if (!host && w < 2) PetscCall(TestParts(backend, kernels[w], (PetscBool)q));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A standing wave in a basin: the error falls as h^(N+1), mass stays
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode GetError(const char backend[], PetscBool quadrilaterals, PlexTestShape shape, PetscInt N,
                               PetscInt n, PetscReal *error, PetscReal *lost)
{
  const PetscReal T = 0.1;
  PetscReal       before[3], after[3];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, n, N, &dm));
  PetscCall(PlexTestBasinCreate(dm, N, &dg));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetCFL(dg, N > 3 ? 0.25 : 0.8));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestBasinWave, &shape, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, before));
  PetscCall(PlexTestRun(dg, T, PlexTestBasinWave, &shape, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, after));
  PetscCall(PlexDGComputeL2Error(dg, T, PlexTestBasinWave, &shape, U, error));
  *lost = PetscAbsReal(after[0] - before[0]);
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], PetscBool quadrilaterals, PlexTestShape shape, PetscInt N)
{
  const PetscInt n = N < 3 ? 8 : 4;
  PetscReal      error[2], lost[2], rate;
  char           of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(GetError(backend, quadrilaterals, shape, N, n << k, &error[k], &lost[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT, backend,
                          quadrilaterals ? "quadrilaterals" : "triangles", PlexTestShapes[shape], N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.65 && error[1] < 0.05), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(PetscMax(lost[0], lost[1]) < 1e-13), of, "mass stays", "%g, %g are lost",
                             (double)lost[0], (double)lost[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Energy, and constant states, of irregular meshes
   ------------------------------------------------------------------------------------------------------------------ */

/* Irregular triangles or quadrilaterals, curved where degree > 1 */
static PetscErrorCode Irregular(PetscBool quadrilaterals, PetscInt degree, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, quadrilaterals ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_TRIANGLE, 2, dm));
  if (degree > 1) PetscCall(PlexTestCurve(*dm, degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestEnergy(const char backend[], PetscBool quadrilaterals, PetscInt degree, PetscInt N,
                                 PetscReal alpha)
{
  PetscReal energy, plus, minus, rate, dt, before, after = 0.;
  PetscBool grows = PETSC_FALSE;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, R, V;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(Irregular(quadrilaterals, degree, &dm));
  PetscCall(PlexTestBasinCreate(dm, N, &dg));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecWAXPY(V, dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &plus));
  PetscCall(VecWAXPY(V, -dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &minus));
  rate = (plus - minus) / 2.; /* in a step, were it constant */
  PetscCall(PetscSNPrintf(of, sizeof(of),
                          "%s, %s, coordinates of degree %" PetscInt_FMT ", degree %" PetscInt_FMT ", alpha %g",
                          backend, quadrilaterals ? "quadrilaterals" : "triangles", degree, N, (double)alpha));
  if (alpha == 0.)
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate) < 1e-12 * energy), of, "the operator keeps energy",
                               "of %g it changes by %g in a step", (double)energy, (double)rate));
  else
    PetscCall(PlexTestReportOf((PetscBool)(rate < -1e-6 * energy), of, "the operator takes energy away",
                               "of %g it changes by %g in a step", (double)energy, (double)rate));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e6 * dt));
  PetscCall(TSSetSolution(ts, U));
  before = energy;
  for (PetscInt step = 0; step < 30; ++step) {
    PetscCall(TSStep(ts));
    PetscCall(PlexDGComputeEnergy(dg, U, &after));
    if (!(after <= before * (1. + 1e-12))) grows = PETSC_TRUE;
    before = after;
  }
  PetscCall(PlexTestReportOf((PetscBool)!grows, of, "it never grows with the default step", "from %g to %g",
                             (double)energy, (double)after));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&V));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Still water, raised by the same everywhere, stays as it is */
static PetscErrorCode TestConstant(const char backend[], PetscBool quadrilaterals, PetscInt degree, PetscInt N)
{
  PetscReal norm;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, R;

  PetscFunctionBegin;
  PetscCall(Irregular(quadrilaterals, degree, &dm));
  PetscCall(PlexTestBasinCreate(dm, N, &dg));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  {
    PetscScalar   *u;
    const PetscInt Np = dg->reference->Np;

    PetscCall(VecGetArrayWrite(U, &u));
    for (PetscInt i = 0; i < dg->mesh->Ne * 3 * Np; ++i) u[i] = i / Np % 3 ? 0. : 1.;
    PetscCall(VecRestoreArrayWrite(U, &u));
  }
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecNorm(R, NORM_INFINITY, &norm));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, coordinates of degree %" PetscInt_FMT ", degree %" PetscInt_FMT,
                          backend, quadrilaterals ? "quadrilaterals" : "triangles", degree, N));
  PetscCall(PlexTestReportOf((PetscBool)(norm < 1e-10), of, "raised water stays", "changes by %g", (double)norm));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A basin of 5 km, 100 m deep: the wave of half a length swings for a period
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Seiche(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal k = PETSC_PI / 5000., w = k * PetscSqrtReal(9.81 * 100.);

  PetscFunctionBegin;
  u[0] = PetscCosReal(k * x[0]) * PetscCosReal(w * t);
  u[1] = 9.81 * k / w * PetscSinReal(k * x[0]) * PetscSinReal(w * t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSeiche(const char backend[])
{
  const PetscInt  faces[2] = {4, 2};
  const PetscReal upper[2] = {5000., 2500.}, depth = 100., gravity = 9.81, T = 10000. / PetscSqrtReal(981.);
  PetscReal       error, norm;
  DM              dm;
  PlexDG          dg;
  Vec             U;
  char            of[64];

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, upper, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(PlexTestBasinCreate(dm, 6, &dg));
  PetscCall(PlexDGSetConstant(dg, "depth", 1, &depth));
  PetscCall(PlexDGSetConstant(dg, "gravity", 1, &gravity));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, Seiche, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, Seiche, NULL, U, &error));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, T, Seiche, NULL, U, &norm));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, 5 km, 100 m deep", backend));
  PetscCall(PlexTestReportOf((PetscBool)(error < 1e-5 * norm && norm > 1000.), of,
                             "after a period the wave is where it was", "off by %g of %g", (double)error,
                             (double)norm));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool emulate = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);

  PetscFunctionBegin;
  PetscCall(TestWays(backend));
  for (PetscInt N = 1; N <= PLEX_DG_MAX_DEGREE; N += emulate ? 3 : 1) PetscCall(TestNodal(backend, N));
  for (PetscInt q = 0; q < 2; ++q) {
    for (PetscInt N = 1; N <= 6 && !emulate; ++N) {
      PetscCall(TestRate(backend, (PetscBool)q, PLEX_TEST_STRAIGHT, N));
      PetscCall(TestRate(backend, (PetscBool)q, PLEX_TEST_CURVED, N));
    }
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      PetscCall(TestConstant(backend, (PetscBool)q, degree, 4));
      PetscCall(TestEnergy(backend, (PetscBool)q, degree, 3, 0.));
      if (!emulate) PetscCall(TestEnergy(backend, (PetscBool)q, degree, 2 * degree, 1.));
    }
    if (!emulate) PetscCall(TestEnergy(backend, (PetscBool)q, 1, 10, 1.));
  }
  if (!emulate) PetscCall(TestSeiche(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PlexTestRegisterSystems());
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
