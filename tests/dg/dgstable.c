static char
  help[] = "The rate of energy of water over rough bottoms: it is not positive whatever the state is, with the "
           "fluxes of entropy variables.\n\n";

#include "dg/interface/dgimpl.h"
#include "waterproblem.h"
#include "report.h"

#define GRAVITY 9.81
#define STATES  20

typedef struct {
  const char   *system;
  PetscBool     linear, quadrilaterals;
  PlexTestShape shape;
  PetscInt      N;
  const char   *backend, *way; /* way: -plex_dg_gemm and more, or NULL */
} Case;

static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1. + 0.5 * PetscSinReal(101. * x[0] + 57. * x[1]) + 0.4 * PetscCosReal(83. * x[0] * x[1]);
  if (n == 3) { /* tsunami: Coriolis force, a plane of a sphere */
    k[1] = 1. + x[0];
    k[2] = 1.;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* entropy: -1: what the system has by default */
static PetscErrorCode Create(const Case *c, PetscReal entropy, PlexDG *dg)
{
  const PetscReal linear = c->linear ? 1. : 0.;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, c->quadrilaterals, c->shape, 3, PetscMin(c->N, 2), &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  if (c->linear) PetscCall(PlexDGSetConstant(*dg, "linear", 1, &linear));
  if (entropy >= 0.) PetscCall(PlexDGSetConstant(*dg, "entropy", 1, &entropy));
  PetscCall(PlexDGSetCoefficients(*dg, Depth, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  if (c->way) PetscCall(PetscOptionsInsertString(NULL, c->way));
  PetscCall(PlexDGSetFromOptions(*dg));
  if (c->way) PetscCall(PlexTestClearOptions(c->way));
  PetscCall(PlexDGSetUp(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of E = sum of weights (g eta^2 + q^2/H)/2, by its derivatives at the points, and the sum of the sizes */
static PetscErrorCode GetRate(PlexDG dg, PetscBool linear, Vec U, Vec R, PetscReal *rate, PetscReal *size)
{
  PlexDGQuadrature   Q  = dg->quadrature;
  const PetscInt     Np = dg->reference->Np, NK = dg->system->ncoefficients;
  const PetscScalar *u, *r;

  PetscFunctionBegin;
  *rate = *size = 0.;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(R, &r));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt g = 0; g < Q->NG; ++g) {
      const PetscReal weight = Q->weights[g] * (Q->affine ? Q->detJ[e] : Q->detJ[(size_t)e * Q->NG + g]);
      PetscReal       d = 0., state[3] = {0., 0., 0.}, change[3] = {0., 0., 0.}, H, parts[3];

      for (PetscInt i = 0; i < Np; ++i) {
        d += Q->phi[g * Np + i] * dg->variables[(size_t)e * NK * Np + i];
        for (PetscInt k = 0; k < 3; ++k) {
          state[k] += Q->phi[g * Np + i] * PetscRealPart(u[((size_t)e * 3 + k) * Np + i]);
          change[k] += Q->phi[g * Np + i] * PetscRealPart(r[((size_t)e * 3 + k) * Np + i]);
        }
      }
      H        = linear ? d : d + state[0];
      parts[0] = GRAVITY * state[0] * change[0];
      parts[1] = (state[1] * change[1] + state[2] * change[2]) / H;
      parts[2] = linear ? 0. : -0.5 * (PetscSqr(state[1]) + PetscSqr(state[2])) / PetscSqr(H) * change[0];
      for (PetscInt k = 0; k < 3; ++k) {
        *rate += weight * parts[k];
        *size += weight * PetscAbsReal(parts[k]);
      }
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state that is continuous, with no discharge at walls, so that fluxes dissipate little; ctx: random numbers [3][3],
   the sign of discharges, and whether the mesh is a ring */
static PetscErrorCode Continuous(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PetscReal *a = (const PetscReal *)ctx, r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
  const PetscReal  inside = a[10] > 0. ? 4. * (r - 1.) * (2. - r) * x[0] * x[1]
                                       : 16. * x[0] * (1. - x[0]) * x[1] * (1. - x[1]);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k)
    u[k] = (k ? a[9] * inside : 0.02) * PetscSinReal(20. * (a[3 * k] * x[0] + a[3 * k + 1] * x[1]) + 3. * a[3 * k + 2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest of the rates of states, divided by their sizes: every fourth one changes at random from node to node */
static PetscErrorCode GetLargest(PlexDG dg, PetscBool linear, PlexTestShape shape, PetscReal *largest)
{
  PetscRandom random;
  PetscReal   rate, size, a[11];
  Vec         U, R;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1., 1.));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  *largest = PETSC_MIN_REAL;
  for (PetscInt s = 0; s < STATES; ++s) {
    for (PetscInt k = 0; k < 9 && s % 2 == 0; ++k) PetscCall(PetscRandomGetValueReal(random, &a[k]));
    a[9]  = s % 2 ? -0.1 : 0.1;
    a[10] = shape == PLEX_TEST_CURVED ? 1. : 0.;
    PetscCall(PlexDGProject(dg, 0., Continuous, a, U));
    if (s % 4 == 3) {
      PetscCall(VecSetRandom(U, random));
      PetscCall(VecScale(U, 0.04));
    }
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(GetRate(dg, linear, U, R, &rate, &size));
    *largest = PetscMax(*largest, rate / size);
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const Case *c, PetscReal *without)
{
  PetscReal largest[2];
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG dg;

    PetscCall(Create(c, (PetscReal)k, &dg));
    PetscCall(GetLargest(dg, c->linear, c->shape, &largest[k]));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s%s, %s %s, degree %" PetscInt_FMT, c->system, c->linear ? ", linear" : "",
                          PlexTestShapes[c->shape], c->quadrilaterals ? "quadrilaterals" : "triangles", c->N));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %.2g of its parts, %.2g without\n", of, (double)largest[1],
                        (double)largest[0]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[1] <= 1e-12), of, "no state gains energy", "%g of its parts",
                             (double)largest[1]));
  *without = PetscMax(*without, largest[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right-hand sides of kernels are those of the host, also where the correction acts */
static PetscErrorCode TestWays(const char backend[], PetscBool linear)
{
  static const struct {
    const char   *options;
    PetscBool     quadrilaterals;
    PlexTestShape shape;
    PetscInt      N;
  } ways[] = {
    {"-plex_dg_gemm kernels",                       PETSC_FALSE, PLEX_TEST_CURVED, 2},
    {"-plex_dg_gemm kernels",                       PETSC_TRUE,  PLEX_TEST_AFFINE, 3},
    {"-plex_dg_gemm blas",                          PETSC_TRUE,  PLEX_TEST_CURVED, 2},
    {"-plex_dg_gemm fused",                         PETSC_FALSE, PLEX_TEST_AFFINE, 2},
    {"-plex_dg_gemm fused",                         PETSC_FALSE, PLEX_TEST_CURVED, 3},
    {"-plex_dg_gemm fused -plex_dg_tensor_cores 1", PETSC_TRUE,  PLEX_TEST_AFFINE, 3},
    {"-plex_dg_gemm fused -plex_dg_tensor_cores 1", PETSC_TRUE,  PLEX_TEST_CURVED, 2}
  };

  PetscFunctionBegin;
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); ++w) {
    PetscReal norm = 0., off = 0., least = 0.;
    Vec       R[3];
    char      of[160];

    for (PetscInt k = 0; k < 3; ++k) { /* kernels, host, host without the correction */
      const Case  c = {linear ? "tsunami" : "shallow_water",
                       linear,
                       ways[w].quadrilaterals,
                       ways[w].shape,
                       ways[w].N,
                       k ? PLEXBACKENDHOST : backend,
                       k ? NULL : ways[w].options};
      PetscRandom random;
      PlexDG      dg;
      Vec         U;

      PetscCall(Create(&c, k < 2 ? 1. : 0., &dg));
      PetscCall(PlexDGCreateVec(dg, &U));
      PetscCall(VecDuplicate(U, &R[k]));
      PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
      PetscCall(PetscRandomSetInterval(random, -0.04, 0.04));
      {
        PetscReal a[11];

        for (PetscInt i = 0; i < 9; ++i) PetscCall(PetscRandomGetValueReal(random, &a[i]));
        for (PetscInt i = 0; i < 9; ++i) a[i] *= 25.;
        a[9]  = 0.1;
        a[10] = ways[w].shape == PLEX_TEST_CURVED ? 1. : 0.;
        PetscCall(PlexDGProject(dg, 0., Continuous, a, U));
      }
      PetscCall(PlexDGComputeRHS(dg, 0., U, R[k]));
      PetscCall(PetscRandomDestroy(&random));
      PetscCall(VecDestroy(&U));
      PetscCall(PlexDGDestroy(&dg));
    }
    PetscCall(VecNorm(R[1], NORM_INFINITY, &norm));
    PetscCall(VecAXPY(R[2], -1., R[1]));
    PetscCall(VecNorm(R[2], NORM_INFINITY, &least));
    PetscCall(VecAXPY(R[0], -1., R[1]));
    PetscCall(VecNorm(R[0], NORM_INFINITY, &off));
    for (PetscInt k = 0; k < 3; ++k) PetscCall(VecDestroy(&R[k]));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s%s, %s, %s %s", backend, linear ? ", linear" : "", ways[w].options,
                            PlexTestShapes[ways[w].shape], ways[w].quadrilaterals ? "quadrilaterals" : "triangles"));
    PetscCall(PlexTestReportOf((PetscBool)(off <= 1e-11 * norm && least > 1e-6 * norm), of,
                               "it corrects rates as the host does", "off by %g, of %g; the correction is %g",
                               (double)off, (double)norm, (double)least));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The correction is there unless it is switched off: which of the rates without it, with it and by default are the same
   bits */
static PetscErrorCode TestDefault(const char system[], PetscBool linear)
{
  const Case  c = {system, linear, PETSC_FALSE, PLEX_TEST_AFFINE, 2, PLEXBACKENDHOST, NULL};
  PetscReal   a[11], off[2];
  PetscRandom random;
  Vec         U, R[3];

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1., 1.));
  for (PetscInt k = 0; k < 9; ++k) PetscCall(PetscRandomGetValueReal(random, &a[k]));
  a[9]  = 0.1;
  a[10] = 0.;
  PetscCall(PetscRandomDestroy(&random));
  for (PetscInt k = 0; k < 3; ++k) {
    PlexDG dg;

    PetscCall(Create(&c, (PetscReal)(k < 2 ? k : -1), &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R[k]));
    PetscCall(PlexDGProject(dg, 0., Continuous, a, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecAXPY(R[k], -1., R[2]));
    PetscCall(VecNorm(R[k], NORM_INFINITY, &off[k]));
  }
  for (PetscInt k = 0; k < 3; ++k) PetscCall(VecDestroy(&R[k]));
  PetscCall(PlexTestReportOf((PetscBool)(off[0] > 0. && off[1] == 0.), system,
                             linear ? "by default the energy of the linear equations is corrected"
                                    : "by default energy is corrected",
                             "off by %g without, %g with it", (double)off[0], (double)off[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of states as small as what runs ahead of a wave in a sea at rest, down to squares that are no normal numbers, are
   about as small */
static PetscErrorCode TestSmall(const char backend[], PetscBool linear, const char way[], PetscInt first, PetscInt last)
{
  const Case  c    = {"tsunami", linear, PETSC_FALSE, PLEX_TEST_AFFINE, 2, backend, way};
  PetscReal   most = 0., unit = 0., a[11] = {0.};
  PetscBool   finite = PETSC_TRUE;
  PetscRandom random;
  PlexDG      dg;
  Vec         V, U, R;
  char        of[160];

  PetscFunctionBegin;
  PetscCall(Create(&c, -1., &dg));
  PetscCall(PlexDGCreateVec(dg, &V));
  PetscCall(VecDuplicate(V, &U));
  PetscCall(VecDuplicate(V, &R));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1., 1.));
  a[9] = 0.1;
  for (PetscInt k = first; k <= last; ++k) {
    const PetscReal scale = PetscPowReal(10., (PetscReal)-k);
    PetscReal       norm;

    for (PetscInt i = 0; i < 9; ++i) PetscCall(PetscRandomGetValueReal(random, &a[i]));
    PetscCall(PlexDGProject(dg, 0., Continuous, a, V));
    PetscCall(VecCopy(V, U));
    PetscCall(VecScale(U, scale));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(VecNorm(R, NORM_INFINITY, &norm));
    if (k == first) unit = norm / scale;
    if (PetscIsInfOrNanReal(norm)) finite = PETSC_FALSE;
    else most = PetscMax(most, norm / scale);
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s%s, %s", backend, linear ? ", linear" : "", way));
  PetscCall(PlexTestReportOf((PetscBool)(finite && unit > 0. && most < 10. * unit), of, "small states have small rates",
                             "at most %g of the state, %g of the first one%s", (double)most, (double)unit,
                             finite ? "" : "; not finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscReal          without = 0.;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt s = 0; s < 3; ++s)
    for (PetscInt q = 0; q < 2; ++q)
      for (PetscInt shape = 0; shape < 3; ++shape)
        for (PetscInt N = 1; N <= 4; ++N)
          PetscCall(Test(&(Case){s ? "tsunami" : "shallow_water", (PetscBool)(s == 2), (PetscBool)q,
                                 (PlexTestShape)shape, N, PLEXBACKENDHOST, NULL},
                         &without));
  PetscCall(PlexTestReport((PetscBool)(without > 1e-4), "states gain energy without the correction", "at most %g",
                           (double)without));
  PetscCall(TestDefault("shallow_water", PETSC_FALSE));
  PetscCall(TestDefault("tsunami", PETSC_FALSE));
  PetscCall(TestDefault("tsunami", PETSC_TRUE));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b)
    for (PetscInt linear = 0; linear < 2; ++linear) {
      PetscCall(TestSmall(backends[b], (PetscBool)linear, "-plex_dg_precision double", 100, 170));
      PetscCall(TestSmall(backends[b], (PetscBool)linear, "-plex_dg_precision single", 10, 25));
      if (strcmp(backends[b], PLEXBACKENDHOST)) PetscCall(TestWays(backends[b], (PetscBool)linear));
    }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
