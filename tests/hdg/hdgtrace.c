static char
  help[] = "Products with the trace's matrix by the elements' matrices, -plex_hdg_trace elements: as with the matrix, "
           "all cells and systems, with the same coarse matrix and the same iterations.\n\n";

#include "hdgproblem.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PlexHDGSystem  system;
  PetscInt       P;
  PetscBool      curved;
} Case;

/* Batches of 32 elements and of 8, one tile and several; the host has 8 always */
static const Case cases[] = {
  {"triangles, P = 3",                            DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  3, PETSC_FALSE},
  {"triangles, P = 8",                            DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  8, PETSC_FALSE},
  {"curved quadrilaterals, P = 2",                DM_POLYTOPE_QUADRILATERAL, PLEX_HDG_DIFFUSION,  2, PETSC_TRUE },
  {"tetrahedra, P = 1",                           DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  1, PETSC_FALSE},
  {"tetrahedra, P = 2",                           DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  2, PETSC_FALSE},
  {"hexahedra, P = 2",                            DM_POLYTOPE_HEXAHEDRON,    PLEX_HDG_DIFFUSION,  2, PETSC_FALSE},
  {"elasticity of triangles, P = 2",              DM_POLYTOPE_TRIANGLE,      PLEX_HDG_ELASTICITY, 2, PETSC_FALSE},
  {"elasticity of tetrahedra, P = 1",             DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_ELASTICITY, 1, PETSC_FALSE},
  {"Stokes's equations on quadrilaterals, P = 1", DM_POLYTOPE_QUADRILATERAL, PLEX_HDG_STOKES,     1, PETSC_FALSE}
};

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = 1. + d - x[0] * x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma n + alpha u = g */
static PetscErrorCode Spring(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                             void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) g[d] = 0.1 * x[d];
  if (n > dim) g[dim] = 1.3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Displacements or velocities held at some facets, in their first component at others, and springs */
static PetscErrorCode CreateVector(DM dm, const Case *c, const char backend[], PlexHDG *hdg)
{
  const PetscInt x = 0;

  PetscFunctionBegin;
  PetscCall(PlexTestLabelKinds(dm));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, c->system));
  PetscCall(PlexHDGSetDegree(*hdg, c->P));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetLame(*hdg, 2., 1.));
  PetscCall(PlexHDGSetSource(*hdg, Load, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 0, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGAddBoundaryComponents(*hdg, "kinds", 1, 1, &x, NULL, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 2, PLEX_HDG_ROBIN, Spring, NULL));
  PetscCall(PlexHDGSetFromOptions(*hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Case *c, PlexTestWaves *w, const char backend[], PetscBool elements, PlexHDG *hdg)
{
  DM  dm;
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  if (c->curved) PetscCall(PlexTestBend(dm));
  if (c->system == PLEX_HDG_DIFFUSION) PetscCall(PlexTestHDGCreate(dm, c->P, w, backend, hdg));
  else PetscCall(CreateVector(dm, c, backend, hdg));
  PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_lines", "false"));
  if (elements) PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_trace", "elements"));
  if (elements) PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_tile", "13")); /* ends within batches */
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = K x and r = x - K x for an x that has all numbers of a trace */
static PetscErrorCode Multiply(PlexHDG hdg, Vec y, Vec r)
{
  Mat          K;
  Vec          x;
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBegin;
  PetscCall(PlexHDGAssemble(hdg, &K));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt k = begin; k < end; ++k) a[k - begin] = PetscSinReal(1. + 0.37 * k) + PetscCosReal(0.01 * k);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscCall(MatMult(K, x, y));
  PetscCall(MatResidual(K, x, x, r));
  PetscCall(VecAXPY(r, -1., x));
  PetscCall(VecAXPY(r, 1., y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckProducts(const char of[], const char what[], PlexHDG hdg[])
{
  Vec       y[3], r;
  PetscReal difference, norm, residual;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVecs(hdg[0], &y[0], NULL, NULL, NULL));
  PetscCall(PlexHDGCreateVecs(hdg[1], &y[1], NULL, NULL, NULL));
  PetscCall(VecDuplicate(y[1], &y[2]));
  PetscCall(VecDuplicate(y[1], &r));
  PetscCall(Multiply(hdg[0], y[0], r));
  PetscCall(Multiply(hdg[1], y[2], r));
  PetscCall(Multiply(hdg[1], y[1], r));
  PetscCall(VecNorm(r, NORM_INFINITY, &residual));
  PetscCall(VecEqual(y[1], y[2], &same));
  PetscCall(VecNorm(y[0], NORM_INFINITY, &norm));
  PetscCall(VecAXPY(y[1], -1., y[0]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 0. && difference < 1e-13 * norm && residual < 1e-13 * norm && same), of,
                             what, "largest number %g, differences %g, of residuals %g; the same bits again: %d",
                             (double)norm, (double)difference, (double)residual, (int)same));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&y[k]));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetCoarse(PlexHDG hdg, PlexHDGSystem system, Mat *A)
{
  KSP ksp;
  PC  pc;
  Mat coarse;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  *A = NULL;
  if (system == PLEX_HDG_STOKES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &ksp));
  PetscCall(KSPGetOperators(ksp, NULL, &coarse));
  PetscCall(MatConvert(coarse, MATAIJ, MAT_INITIAL_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solutions, iterations and coarse matrices of both */
static PetscErrorCode CheckSolves(const char of[], PlexHDGSystem system, PlexHDG hdg[])
{
  PetscInt  its[2];
  PetscReal norm = 0., difference = 0., largest;
  Mat       A[2];
  Vec       u[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    KSP ksp;

    PetscCall(PlexHDGSolve(hdg[k]));
    PetscCall(PlexHDGGetKSP(hdg[k], &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &its[k]));
    PetscCall(PlexHDGGetSolution(hdg[k], NULL, &u[k], NULL, NULL));
    PetscCall(GetCoarse(hdg[k], system, &A[k]));
  }
  PetscCall(PlexTestDifference(u[0], u[1], &largest));
  if (A[0]) {
    PetscCall(MatNorm(A[0], NORM_FROBENIUS, &norm));
    PetscCall(MatAXPY(A[1], -1., A[0], DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(A[1], NORM_FROBENIUS, &difference));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsInt(its[0] - its[1]) <= its[0] / 20 && its[0] > 3 && largest < 1e-9 &&
                                         (!A[0] || (norm > 0. && difference < 1e-13 * norm))),
                             of, "the same solution, iterations and coarse matrix",
                             "%" PetscInt_FMT " and %" PetscInt_FMT " iterations, differences of u %g, of the coarse "
                             "matrix %g of %g",
                             its[0], its[1], (double)largest, (double)difference, (double)norm));
  for (int k = 0; k < 2; ++k) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexTestWaves w;
  PlexHDG       hdg[2];
  char          of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_FALSE, PETSC_TRUE, &w);
  for (int k = 0; k < 2; ++k) PetscCall(Create(c, &w, backend, (PetscBool)k, &hdg[k]));
  PetscCall(CheckProducts(of, "products as with K, and residuals", hdg));
  PetscCall(CheckSolves(of, c->system, hdg));
  if (c == cases) { /* other numbers of the same discretization */
    w.lambda = 40.;
    w.alpha  = 5.;
    for (int k = 0; k < 2; ++k) PetscCall(PlexHDGUpdate(hdg[k]));
    PetscCall(CheckProducts(of, "products after kappa, lambda and alpha have changed", hdg));
    PetscCall(CheckSolves(of, c->system, hdg));
  }
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All vertices have known values; Neumann's condition alone; a mesh whose cells are neighbours in two ways */
static PetscErrorCode TestSmall(const char backend[])
{
  for (int what = 0; what < 2; ++what) {
    const PetscInt faces[2] = {what ? 9 : 3, what ? 8 : 1};
    PlexHDG        hdg[2];
    char           of[64];
    DM             dm;

    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend,
                            what ? "Neumann's condition alone" : "squares in a row"));
    for (int k = 0; k < 2; ++k) {
      KSP ksp;

      PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0,
                                    PETSC_TRUE, &dm));
      PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
      PetscCall(PlexHDGCreate(dm, &hdg[k]));
      PetscCall(PlexHDGSetBackend(hdg[k], backend));
      PetscCall(PlexHDGSetDegree(hdg[k], 2));
      PetscCall(PlexHDGSetDiffusion(hdg[k], 1., what ? 0. : 1.));
      PetscCall(PlexHDGAddBoundary(hdg[k], NULL, PETSC_DETERMINE, what ? PLEX_HDG_NEUMANN : PLEX_HDG_DIRICHLET, NULL,
                                   NULL));
      if (k) PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_trace", "elements"));
      PetscCall(PlexHDGGetKSP(hdg[k], &ksp));
      PetscCall(DMDestroy(&dm));
    }
    PetscCall(CheckProducts(of, "products as with K", hdg));
    for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  }
  return PETSC_SUCCESS;
}

typedef struct {
  const char *backend, *option, *value;
} Wrong;

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) beta[d] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveWrong(void *ctx)
{
  const Wrong  *wrong = (const Wrong *)ctx;
  PlexTestWaves w;
  PlexHDG       hdg;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &w);
  PetscCall(Create(&cases[0], &w, wrong->backend, PETSC_TRUE, &hdg));
  if (wrong->option) PetscCall(PlexTestHDGOption(hdg, wrong->option, wrong->value));
  else PetscCall(PlexHDGSetConvection(hdg, PLEX_HDG_ADVECTIVE, Velocity, NULL));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveOther(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_pc_type", "gamg"));
  PetscCall(SolveWrong(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveLocking(void *ctx)
{
  PlexHDG       hdg;
  PlexTestWaves w;

  PetscFunctionBegin;
  PetscCall(Create(&cases[6], &w, (const char *)ctx, PETSC_TRUE, &hdg));
  PetscCall(PlexHDGSetLame(hdg, 100., 1.));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGView((PlexHDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(const char backend[])
{
  Wrong wrong[] = {
    {backend, NULL,              NULL      },
    {backend, "-plex_hdg_sell",  "true"    },
    {backend, "-plex_hdg_lines", "true"    },
    {backend, "-plex_hdg_trace", "elements"},
    {backend, "-plex_hdg_trace", "ell"     }
  };
  PlexTestWaves w;
  PlexHDG       hdg;
  char          text[4096], expected[64];
  double        MB;

  PetscFunctionBegin;
  EXPECT("convection", SolveWrong, &wrong[0], "convection are not symmetric", "leave it out");
  EXPECT("a copy of K", SolveWrong, &wrong[1], "-plex_hdg_sell", "-plex_hdg_trace elements");
  EXPECT("lines", SolveWrong, &wrong[2], "-plex_hdg_lines", "give one of them");
  EXPECT("another preconditioner", SolveOther, &wrong[3], "gamg", "there is no K");
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_pc_type"));
  EXPECT("an unknown way", SolveWrong, &wrong[4], "ell", "-plex_hdg_trace");
  EXPECT("a direct solver", SolveLocking, (void *)backend, "lambda > 20 mu", "leave it out");
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_TRUE, &w);
  PetscCall(Create(&cases[0], &w, backend, PETSC_TRUE, &hdg));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexTestCapture(View, hdg, text, sizeof(text)));
  MB = 8. * 78. * ((hdg->mesh->Ne + 7) / 8 * 8) / 1e6; /* of 12 x 12 numbers the lower half */
  PetscCall(PetscSNPrintf(expected, sizeof(expected), "halves of the elements' matrices, %g MB", MB));
  PetscCall(PlexTestReport((PetscBool)(strstr(text, expected) != NULL), "the view says how much memory it takes",
                           "no \"%s\" in: %s", expected, text));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestKernels(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    if (PlexTestLong() || k % 2 == 0) PetscCall(TestCase(backend, &cases[k]));
  PetscCall(TestSmall(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestCase(PLEXBACKENDHOST, &cases[k]));
  PetscCall(TestSmall(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestEachBackend(TestKernels, size == 1 ? TestHost : NULL));
  if (size > 1) PetscCall(TestHost());
  else PetscCall(TestMessages(PLEXBACKENDHOST));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
