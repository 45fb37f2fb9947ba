static char help[] = "Hybridized DG: what bad input gets, options and view.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char *backend;
  DM          dm;
  int         what;
} Context;

static PetscErrorCode BadTau(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau, void *ctx)
{
  PetscFunctionBegin;
  *tau = cell == 5 ? -2. : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of cell 7: not symmetric, not positive definite, lambda negative */
static PetscErrorCode BadKappa(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda, void *ctx)
{
  const int what = *(int *)ctx;

  PetscFunctionBegin;
  if (cell == 7 && what == 0) kappa[1] = 0.3;
  if (cell == 7 && what == 1) kappa[1] = kappa[2] = 1.5;
  if (cell == 7 && what == 2) *lambda = -0.5;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Negative(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  g[n - 1] = -1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(void *ctx)
{
  Context *c = (Context *)ctx;
  PlexHDG  hdg;
  PetscInt bad = c->what % 10;
  Vec      v, u;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(c->dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, c->backend));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  if (c->what != 2) PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  switch (c->what) {
  case 0:
    PetscCall(PlexHDGSetTau(hdg, 0.));
    break;
  case 1:
    PetscCall(PlexHDGSetStabilization(hdg, BadTau, NULL));
    break;
  case 3:
    PetscCall(PlexHDGAddBoundary(hdg, "no such label", 1, PLEX_HDG_NEUMANN, NULL, NULL));
    break;
  case 4:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, Negative, NULL));
    break;
  case 5:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, NULL, NULL));
    break;
  case 6:
    PetscCall(PlexHDGSetDegree(hdg, 10));
    break;
  case 7:
    PetscCall(PlexHDGSetDegree(hdg, 3));
    PetscCall(PlexHDGSetDiffusion(hdg, 1.5e308, 0.)); /* infinite once it is multiplied by the reference element's matrices */
    break;
  case 8:
    PetscCall(PlexHDGGetSolution(hdg, &v, NULL, NULL, NULL));
    break;
  case 9:
    PetscCall(PlexHDGCreateVecs(hdg, NULL, &u, NULL, NULL));
    PetscCall(PlexHDGComputeRHS(hdg, u));
    break;
  case 10:
  case 11:
  case 12:
    PetscCall(PlexHDGSetCoefficients(hdg, BadKappa, &bad));
    break;
  case 15:
    PetscCall(PlexHDGSetMemory(hdg, 100)); /* of a triangle of degree 1: 288 */
    break;
  case 16:
    PetscCall(PlexHDGSetTile(hdg, -2));
    break;
  case 14:
    PetscCall(PlexHDGSetDiffusion(hdg, -1., 0.));
    break;
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(const char backend[])
{
  Context c = {backend, NULL, 0};
  char    name[128];

#define TRY(number, text, ...) \
  do { \
    c.what = number; \
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s", backend, text)); \
    EXPECT(name, Run, &c, __VA_ARGS__); \
  } while (0)
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &c.dm));
  TRY(0, "tau is 0", "tau of face", "of cell", "has to be positive", "-plex_hdg_tau");
  TRY(1, "tau of an element is negative", "tau of face", "of cell 5", "is -2", "PlexHDGSetStabilization()");
  TRY(2, "no boundary condition", "no condition at facet", "PlexHDGAddBoundary()", "one of the mesh: ");
  TRY(3, "a label that is not there", "no label no such label", "neumann");
  TRY(4, "alpha is negative", "alpha of Robin's condition is -1", "at least 0");
  TRY(5, "Robin's condition without a function", "needs a function that gives g and alpha");
  TRY(6, "degree 10", "degrees 1 to 9, not 10", "-plex_hdg_degree");
  TRY(7, "kappa is too large", "local problem of cell", "not positive definite to rounding");
  TRY(8, "no solution yet", "call PlexHDGSolve()");
  TRY(9, "a vector of another size", "the right-hand side", "PlexHDGCreateVecs()");
  TRY(10, "kappa is not symmetric", "kappa of cell 7", "not symmetric and positive definite", "PlexHDGSetCoefficients()");
  TRY(11, "kappa is not positive definite", "kappa of cell 7", "not symmetric and positive definite");
  TRY(12, "lambda is negative", "lambda of cell 7", "is -0.5", "-plex_hdg_lambda");
  TRY(14, "kappa is negative everywhere", "kappa of cell", "its first number is -1", "-plex_hdg_kappa");
  TRY(15, "no memory for one element", "one element of degree 1 takes 288 bytes", "room for 100", "-plex_hdg_memory");
  TRY(16, "a tile of less than one element", "A tile of -2 elements", "-plex_hdg_tile");
  PetscCall(DMDestroy(&c.dm));
#undef TRY
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver that stops too early, where there is something to solve */
static PetscErrorCode RunStopped(void *ctx)
{
  Context      *c = (Context *)ctx;
  PlexTestWaves w;
  PlexHDG       hdg;
  KSP           ksp;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &w);
  PetscCall(PlexTestHDGCreate(c->dm, 2, &w, c->backend, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 0., PETSC_CURRENT, 1));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A triangle and a quadrilateral */
static PetscErrorCode MixedCells(DM *dm)
{
  const PetscInt    numPoints[2] = {5, 2}, coneSize[7] = {4, 3, 0, 0, 0, 0, 0}, cones[7] = {2, 3, 4, 5, 3, 6, 4}, orientations[7] = {0, 0, 0, 0, 0, 0, 0};
  const PetscScalar x[10] = {0., 0., 1., 0., 1., 1., 0., 1., 2., 0.};
  DM                interpolated;

  PetscFunctionBegin;
  PetscCall(DMCreate(PETSC_COMM_WORLD, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetDimension(*dm, 2));
  PetscCall(DMPlexCreateFromDAG(*dm, 1, numPoints, coneSize, cones, orientations, x));
  PetscCall(DMPlexInterpolate(*dm, &interpolated));
  PetscCall(DMDestroy(dm));
  *dm = interpolated;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PlexHDG hdg = (PlexHDG)ctx;

  PetscFunctionBegin;
  PetscCall(PlexHDGView(hdg, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What options say, and the view */
static PetscErrorCode TestOptions(const char backend[])
{
  static const char *const words[] = {"degree 2", "triangle, affine", "6 functions each and 3 a face", "facets dirichlet", "facets neumann", "facets robin", "factors of the local problems are kept", "MB"};
  PlexTestWaves            w;
  PlexHDG                  hdg;
  DM                       dm;
  KSP                      ksp;
  char                     text[4096];
  PetscBool                good = PETSC_TRUE, cg;
  PetscReal                rtol;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-my_plex_hdg_degree 2 -my_plex_hdg_keep -my_plex_hdg_ksp_rtol 1e-7 -my_plex_hdg_ksp_type fcg"));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_TRUE, &w);
  PetscCall(PlexTestHDGCreate(dm, 1, &w, backend, &hdg));
  PetscCall(PlexHDGSetOptionsPrefix(hdg, "my_"));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPFCG, &cg));
  PetscCall(PlexTestReportOf((PetscBool)(cg && rtol == 1e-7), backend, "options of the trace's solver", "rtol %g", (double)rtol));
  PetscCall(PlexTestCapture(View, hdg, text, sizeof(text)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); ++k) good = (PetscBool)(good && strstr(text, words[k]));
  PetscCall(PlexTestReportOf(good, backend, "the view says what there is", "%s", text));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestClearOptions("-my_plex_hdg_degree 2 -my_plex_hdg_keep 1 -my_plex_hdg_ksp_rtol 1e-7 -my_plex_hdg_ksp_type fcg"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  Context            c = {NULL, NULL, 99};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(TestErrors(backends[b]));
    PetscCall(TestOptions(backends[b]));
    c.backend = backends[b];
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &c.dm));
    EXPECT("a solver that stops early", RunStopped, &c, "not solved: DIVERGED_ITS", "-plex_hdg_ksp_max_it");
    PetscCall(DMDestroy(&c.dm));
    PetscCall(MixedCells(&c.dm));
    EXPECT("cells of two types", Run, &c, "one type of cell", "triangle", "quadrilateral", "refine_tosimplex");
    PetscCall(DMDestroy(&c.dm));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
