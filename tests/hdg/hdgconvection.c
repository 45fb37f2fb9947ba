static char help[] = "Hybridized DG with convection: orders of u, q and u* from diffusion to convection alone, layers "
                     "without oscillations, waves of lambda < 0, iterations of the default solver. On the host.\n\n";

#include "convection.h"

typedef struct {
  DMPolytopeType cell;
  PetscInt       P, n; /* cells a side of the coarser mesh */
} Family;

static const Family families[] = {
  {DM_POLYTOPE_TRIANGLE,      1, 8},
  {DM_POLYTOPE_TRIANGLE,      2, 8},
  {DM_POLYTOPE_TRIANGLE,      4, 4},
  {DM_POLYTOPE_QUADRILATERAL, 1, 8},
  {DM_POLYTOPE_QUADRILATERAL, 3, 4},
  {DM_POLYTOPE_TETRAHEDRON,   1, 3},
  {DM_POLYTOPE_TETRAHEDRON,   2, 2},
  {DM_POLYTOPE_HEXAHEDRON,    1, 4},
  {DM_POLYTOPE_HEXAHEDRON,    2, 2}
};

/* Errors of the default solver's solution, to a relative residual of 1e-12, and its iterations */
static PetscErrorCode Solve(Convection *p, const Family *c, PetscInt n, const char backend[], PetscReal error[],
                            PetscInt *iterations)
{
  PlexHDG hdg;
  KSP     ksp;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(ConvectionMesh(PETSC_COMM_WORLD, c->cell, n, &dm));
  PetscCall(ConvectionCreate(dm, c->P, p, backend, p->moves, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(PlexHDGComputeL2Error(hdg, ExactU, ExactQ, p, error));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], const char of[], Convection *p, const Family *c,
                               const PetscReal orders[], PetscInt most)
{
  static const char *const what[] = {"u", "q", "u*"};
  PetscReal                error[2][3];
  PetscInt                 iterations[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(Solve(p, c, c->n << k, backend, error[k], &iterations[k]));
  for (int k = 0; k < 3; ++k) {
    const PetscReal rate = PetscLog2Real(error[0][k] / error[1][k]);
    char            name[64];

    if (p->kappa == 0. && k == 1) continue; /* q is zero */
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s errors %.3g, %.3g, rate %.2f; iterations %d, %d\n", of, what[k],
                          (double)error[0][k], (double)error[1][k], (double)rate, (int)iterations[0],
                          (int)iterations[1]));
    PetscCall(PetscSNPrintf(name, sizeof(name), "order of %s is at least %.2f", what[k], (double)orders[k]));
    PetscCall(PlexTestReportOf((PetscBool)(rate > orders[k]), of, name, "errors %g, %g, rate %g", (double)error[0][k],
                               (double)error[1][k], (double)rate));
  }
  if (p->kappa == 0.)
    PetscCall(PlexTestReportOf((PetscBool)(error[1][1] == 0. &&
                                           PetscAbsReal(error[1][2] - error[1][0]) < 1e-9 * error[1][0]),
                               of, "q is zero and u* is u", "%g; %g, %g", (double)error[1][1], (double)error[1][2],
                               (double)error[1][0]));
  PetscCall(PlexTestReportOf((PetscBool)(iterations[0] <= most && iterations[1] <= most), of,
                             "few iterations by default", "%d, %d", (int)iterations[0], (int)iterations[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From diffusion to convection: u has order P + 1 everywhere. q has it, and u* one more, while diffusion is resolved;
   else q has order P to P + 1, and u* that of u */
static PetscErrorCode TestConvection(const char backend[])
{
  const PetscReal peclet[] = {1., 1e2, 1e4, 1e6, 0.}; /* 0: no diffusion */

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(families); ++k) {
    for (int s = 0; s < 5; ++s) {
      const Family   *c        = &families[k];
      const PetscReal P        = (PetscReal)c->P;
      const PetscReal order[3] = {P + 0.7, s == 0 ? P + 0.6 : P - 0.2, s == 0 ? P + 1.6 : P + 0.7};
      Convection      p        = {.dim       = DMPolytopeTypeGetDim(c->cell),
                                  .moves     = PETSC_TRUE,
                                  .varies    = PETSC_TRUE,
                                  .form      = s % 2 ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE,
                                  .kappa     = peclet[s] > 0. ? 1. / peclet[s] : 0.,
                                  .lambda    = s == 4 ? 0.3 : 0.,
                                  .frequency = 1.};
      char            of[128];

      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT ", %s, Peclet %g", backend,
                              DMPolytopeTypes[c->cell], c->P, PlexHDGConvections[p.form],
                              peclet[s] > 0. ? (double)peclet[s] : INFINITY));
      PetscCall(TestRate(backend, of, &p, c, order, 60));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waves of lambda < 0 */
static PetscErrorCode TestWaves(const char backend[])
{
  const PetscReal wave = 100.;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(families); ++k) {
    const Family   *c        = &families[k];
    const PetscReal order[3] = {c->P + 0.7, c->P + 0.6, c->P + 1.6};
    Convection      p        = {.dim = DMPolytopeTypeGetDim(c->cell), .kappa = 1.5, .lambda = -wave, .frequency = 2.};
    Family          finer    = *c;
    char            of[128];

    if (p.dim == 3) continue;
    finer.n *= 2;
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT ", lambda %g", backend,
                            DMPolytopeTypes[c->cell], c->P, (double)p.lambda));
    PetscCall(TestRate(backend, of, &p, &finer, order, 60));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -eps Laplace u + u_x + u_y = f with u = g(x) g(y), g(s) = s - (e^((s-1)/eps) - e^(-1/eps))/(1 - e^(-1/eps)): layers
   where x or y is 1. Nguyen, Peraire and Cockburn (2009), section 6.2 */
static PetscReal Layer(PetscReal eps, PetscReal s, PetscReal *slope, PetscReal *bend)
{
  const PetscReal e = PetscExpReal((s - 1.) / eps), e0 = PetscExpReal(-1. / eps);

  *slope = 1. - e / eps / (1. - e0);
  *bend  = -e / (eps * eps) / (1. - e0);
  return s - (e - e0) / (1. - e0);
}

static PetscErrorCode LayerSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const PetscReal eps = *(PetscReal *)ctx;
  PetscReal       slope[2], bend[2], g[2];

  PetscFunctionBegin;
  for (int d = 0; d < 2; ++d) g[d] = Layer(eps, x[d], &slope[d], &bend[d]);
  /* -eps g'' + g' = 1, without the cancellation of both */
  f[0] = g[0] + g[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half of the cells a side in layers of width (P + 1.5) eps log(n), quadratically finer towards the boundary */
static PetscErrorCode Grade(DM dm, PetscInt P, PetscInt n, PetscReal eps)
{
  const PetscReal width = PetscMin(0.5, (P + 1.5) * eps * PetscLogReal((PetscReal)n));
  Vec             X;
  PetscScalar    *x;
  PetscInt        size;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinates(dm, &X));
  PetscCall(VecGetLocalSize(X, &size));
  PetscCall(VecGetArray(X, &x));
  for (PetscInt k = 0; k < size; ++k)
    x[k] = PetscRealPart(x[k]) < 0.5 ? 2. * (1. - width) * x[k] : 1. - 4. * width * PetscSqr(1. - PetscRealPart(x[k]));
  PetscCall(VecRestoreArray(X, &x));
  PetscCall(DMSetCoordinates(dm, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By how much u is outside of where the exact solution is at the nodes, over its largest value */
static PetscErrorCode Oscillation(PlexHDG hdg, PetscReal eps, PetscReal *outside)
{
  const PetscReal *x;
  PetscScalar     *values;
  PetscInt         Ne, Np;
  PetscReal        largest = 0., slope, bend;
  Vec              u;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PetscMalloc1(Ne * Np, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, 1, u, values));
  *outside = 0.;
  for (PetscInt k = 0; k < Ne * Np; ++k)
    largest = PetscMax(largest, Layer(eps, x[2 * k], &slope, &bend) * Layer(eps, x[2 * k + 1], &slope, &bend));
  for (PetscInt k = 0; k < Ne * Np; ++k)
    *outside = PetscMax(*outside, PetscMax(PetscRealPart(values[k]) - largest, -PetscRealPart(values[k])) / largest);
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLayer(const char backend[], DMPolytopeType cell, PetscInt P, PetscReal eps)
{
  const PetscReal beta[2] = {1., 1.};
  const PetscInt  n       = P == 1 ? 32 : P == 2 ? 24 : 16;
  PetscReal       outside = 0.;
  PetscInt        iterations;
  PlexHDG         hdg;
  KSP             ksp;
  DM              dm;
  char            of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT ", layer of %g", backend,
                          DMPolytopeTypes[cell], P, (double)eps));
  PetscCall(ConvectionMesh(PETSC_COMM_WORLD, cell, n, &dm));
  PetscCall(Grade(dm, P, n, eps));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, P));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetDiffusion(hdg, eps, 0.));
  PetscCall(PlexHDGSetVelocity(hdg, 2, beta));
  PetscCall(PlexHDGSetSource(hdg, LayerSource, &eps));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(Oscillation(hdg, eps, &outside));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: outside by %.2g %%, %d iterations\n", of, 100. * (double)outside,
                        (int)iterations));
  PetscCall(PlexTestReportOf((PetscBool)(outside < 0.02), of, "u oscillates by less than 2 %", "%g %%",
                             100. * (double)outside));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLayers(const char backend[])
{
  PetscFunctionBegin;
  for (PetscInt P = 1; P <= 4; ++P) {
    for (int k = 0; k < 4; ++k)
      PetscCall(TestLayer(backend, k % 2 ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_TRIANGLE, P, k < 2 ? 1e-2 : 1e-5));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestConvection(PLEXBACKENDHOST));
  PetscCall(TestWaves(PLEXBACKENDHOST));
  PetscCall(TestLayers(PLEXBACKENDHOST));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
