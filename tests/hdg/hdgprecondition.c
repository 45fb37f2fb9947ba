static char help[] = "The preconditioner of hybridized DG: its coarse matrix is P^T K P, P has linear functions "
                     "exactly, iterations are few whatever the mesh's size and the degree.\n\n";

#include "hdgproblem.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P, most; /* iterations for a relative residual of 1e-10, on all meshes */
  PetscBool      mixed;   /* Dirichlet's, Neumann's and Robin's conditions */
  /* 0: the default; 50 is as large as kappa over the length of a cell, for K has small eigenvalues on all cells but
     triangles where it is much less (docs/hdg.md) */
  PetscReal tau;
} Case;

static const Case cases[] = {
  {"triangles, P = 1",              DM_POLYTOPE_TRIANGLE,      1, 36, PETSC_FALSE, 0. },
  {"triangles, P = 3",              DM_POLYTOPE_TRIANGLE,      3, 36, PETSC_TRUE,  0. },
  {"triangles, P = 6",              DM_POLYTOPE_TRIANGLE,      6, 36, PETSC_TRUE,  0. },
  {"triangles, P = 9",              DM_POLYTOPE_TRIANGLE,      9, 36, PETSC_FALSE, 0. },
  {"triangles, P = 3, tau 1",       DM_POLYTOPE_TRIANGLE,      3, 36, PETSC_TRUE,  1. },
  {"quadrilaterals, P = 2",         DM_POLYTOPE_QUADRILATERAL, 2, 30, PETSC_TRUE,  0. },
  {"quadrilaterals, P = 2, tau 50", DM_POLYTOPE_QUADRILATERAL, 2, 30, PETSC_TRUE,  50.},
  {"tetrahedra, P = 1",             DM_POLYTOPE_TETRAHEDRON,   1, 40, PETSC_TRUE,  0. },
  {"tetrahedra, P = 1, tau 50",     DM_POLYTOPE_TETRAHEDRON,   1, 36, PETSC_TRUE,  50.},
  {"hexahedra, P = 1",              DM_POLYTOPE_HEXAHEDRON,    1, 60, PETSC_TRUE,  0. },
  {"hexahedra, P = 1, tau 50",      DM_POLYTOPE_HEXAHEDRON,    1, 60, PETSC_TRUE,  50.}
};

/* An irregular one, each cell cut in 2^dim this often */
static PetscErrorCode MakeMesh(DMPolytopeType cell, PetscInt refinements, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  for (PetscInt k = 0; k < refinements; ++k) PetscCall(PlexTestRefine(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetLevels(PlexHDG hdg, Mat *K, Mat *P, Mat *A)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetOperators(ksp, NULL, K));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetInterpolation(pc, 1, P));
  PetscCall(PCMGGetCoarseSolve(pc, &ksp));
  PetscCall(KSPGetOperators(ksp, NULL, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By PETSc's product on the host, whatever patterns they have: norms of the difference and of P^T K P */
static PetscErrorCode CheckCoarse(const char of[], PlexHDG hdg)
{
  Mat       K, P, A, hostK, hostP, hostA, product;
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(GetLevels(hdg, &K, &P, &A));
  PetscCall(MatConvert(K, MATAIJ, MAT_INITIAL_MATRIX, &hostK));
  PetscCall(MatConvert(P, MATAIJ, MAT_INITIAL_MATRIX, &hostP));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &hostA));
  PetscCall(MatPtAP(hostK, hostP, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &product));
  PetscCall(MatNorm(product, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(product, -1., hostA, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(product, NORM_FROBENIUS, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 0. && difference < 1e-13 * norm), of, "the coarse matrix is P^T K P",
                             "norm %g, difference %g", (double)norm, (double)difference));
  PetscCall(MatDestroy(&hostK));
  PetscCall(MatDestroy(&hostP));
  PetscCall(MatDestroy(&hostA));
  PetscCall(MatDestroy(&product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const char backend[], const Case *c, PetscInt meshes)
{
  PlexTestWaves w;
  DM            dm;
  char          of[128];
  PetscInt      its[3] = {0, 0, 0};
  PetscBool     good   = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_FALSE, c->mixed, &w);
  w.tau = c->tau;
  for (PetscInt k = 0; k < meshes; ++k) {
    PlexHDG   hdg;
    KSP       ksp;
    PetscReal jump;

    PetscCall(MakeMesh(c->cell, k, &dm));
    PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &its[k]));
    PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
    good = (PetscBool)(good && its[k] <= c->most && jump < 1e-7);
    if (!k) PetscCall(CheckCoarse(of, hdg));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf(good, of, "few iterations on all meshes",
                             "%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                             ", and there should be %" PetscInt_FMT " at most",
                             its[0], its[1], its[2], c->most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Linear(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1. + 2. * x[0] - 0.7 * x[1] + (dim > 2 ? 0.4 * x[2] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q . n + u = g, or q . n = g where there is no alpha */
static PetscErrorCode LinearNatural(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                    PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  g[0] = 2. * normal[0] - 0.7 * normal[1] + (dim > 2 ? 0.4 * normal[2] : 0.);
  if (n > 1) {
    PetscScalar u;

    PetscCall(Linear(dim, x, 1, &u, ctx));
    g[0] += u;
    g[1] = 1.;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear solution, all of whose vertices are unknowns of the coarse space: its trace t is P v with A v = P^T K t */
static PetscErrorCode TestLinear(const char backend[], DMPolytopeType cell)
{
  char      of[128];
  PlexHDG   hdg;
  DM        dm;
  Mat       K, P, A;
  KSP       ksp;
  Vec       t, b, r, v;
  PetscReal norm, distance;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, a linear function on %ss", backend, DMPolytopeTypes[cell]));
  PetscCall(MakeMesh(cell, 0, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 2));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, LinearNatural, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &t, NULL, NULL, NULL));
  PetscCall(GetLevels(hdg, &K, &P, &A));
  PetscCall(MatCreateVecs(P, &v, &b));
  PetscCall(VecDuplicate(v, &r));
  PetscCall(MatMult(K, t, b));
  PetscCall(MatMultTranspose(P, b, r));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, 1000));
  {
    PC pc;

    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
  }
  PetscCall(KSPSolve(ksp, r, v));
  PetscCall(MatMult(P, v, b));
  PetscCall(VecNorm(t, NORM_2, &norm));
  PetscCall(VecAXPY(b, -1., t));
  PetscCall(VecNorm(b, NORM_2, &distance));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 1. && distance < 1e-10 * norm), of,
                             "its trace is one of the coarse space", "norm %g, distance %g", (double)norm,
                             (double)distance));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neumann's condition alone: K and the coarse matrix have a null space */
static PetscErrorCode TestNeumann(const char backend[])
{
  PlexHDG            hdg;
  DM                 dm;
  KSP                ksp;
  PetscReal          jump;
  PetscInt           its;
  KSPConvergedReason reason;
  char               of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, Neumann's condition alone", backend));
  PetscCall(MakeMesh(DM_POLYTOPE_TRIANGLE, 3, &dm)); /* more than one level below */
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 2));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, LinearNatural, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(PlexTestReportOf((PetscBool)(reason > 0 && its <= 30 && jump < 1e-7), of, "few iterations",
                             "%s, %" PetscInt_FMT " iterations, flux jumps by %g", KSPConvergedReasons[reason], its,
                             (double)jump));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Meshes so small that all vertices have known values: one face with unknowns, and a row of cells. Then the same
   operator on a larger one, and another degree */
static PetscErrorCode TestSmall(const char backend[])
{
  PlexTestWaves w;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &w);
  for (PetscInt n = 2; n < 8; n += 5) {
    const PetscInt faces[2] = {n, 1};
    char           of[128];
    DM             dm;
    PlexHDG        hdg;
    KSP            ksp;
    PetscReal      jump, largest = 0.;
    PetscInt       its;

    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %" PetscInt_FMT " squares in a row", backend, n));
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  &dm));
    PetscCall(PlexTestHDGCreate(dm, 3, &w, backend, &hdg));
    for (PetscInt degree = 3; degree < 6; degree += 2) {
      PetscCall(PlexHDGSetDegree(hdg, degree));
      PetscCall(PlexHDGSolve(hdg));
      PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
      largest = PetscMax(largest, jump);
    }
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(PlexTestReportOf((PetscBool)(largest < 1e-7), of, "solved without a coarse space",
                               "flux jumps by %g, %" PetscInt_FMT " iterations", (double)largest, its));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another preconditioner by its option, and one solve after the other with the same one */
static PetscErrorCode TestOptions(const char backend[])
{
  PlexTestWaves    w;
  DM               dm;
  PlexHDG          hdg;
  KSP              ksp;
  PC               pc;
  Mat              K, P, A;
  Vec              trace, rhs, again;
  PetscReal        norm, difference;
  PetscInt         its[2];
  PetscBool        gamg;
  PetscObjectState state[2];
  char             of[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, triangles", backend));
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(MakeMesh(DM_POLYTOPE_TRIANGLE, 1, &dm));
  PetscCall(PlexTestHDGCreate(dm, 2, &w, backend, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PlexHDGCreateVecs(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecDuplicate(trace, &rhs));
  PetscCall(PlexHDGAssemble(hdg, NULL)); /* stage by stage */
  PetscCall(PlexHDGComputeRHS(hdg, rhs));
  PetscCall(PlexHDGCreateCoarse(hdg)); /* before the solver does */
  PetscCall(PlexHDGSolveTrace(hdg, rhs, trace));
  PetscCall(KSPGetIterationNumber(ksp, &its[0]));
  PetscCall(GetLevels(hdg, &K, &P, &A));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state[0]));
  PetscCall(PlexHDGSolveTrace(hdg, rhs, trace));
  PetscCall(KSPGetIterationNumber(ksp, &its[1]));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state[1]));
  PetscCall(PlexTestReportOf((PetscBool)(state[0] == state[1] && its[0] == its[1]), of,
                             "another right-hand side leaves the coarse matrix as it is",
                             "%" PetscInt_FMT " and %" PetscInt_FMT " iterations", its[0], its[1]));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(KSPGetIterationNumber(ksp, &its[1]));
  PetscCall(PlexHDGGetSolution(hdg, &again, NULL, NULL, NULL));
  PetscCall(VecNorm(again, NORM_2, &norm));
  PetscCall(VecAXPY(trace, -1., again));
  PetscCall(VecNorm(trace, NORM_2, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 0. && difference < 1e-9 * norm), of, "the same trace stage by stage",
                             "norm %g, difference %g", (double)norm, (double)difference));
  PetscCall(VecDestroy(&trace));
  PetscCall(VecDestroy(&rhs));
  PetscCall(PlexTestReportOf((PetscBool)(its[0] == its[1] && its[0] > 1), of, "solved again in as many iterations",
                             "%" PetscInt_FMT " and %" PetscInt_FMT, its[0], its[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_pc_type", "gamg"));
  PetscCall(PlexTestHDGCreate(dm, 2, &w, backend, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &gamg));
  PetscCall(PlexTestReportOf(gamg, of, "another preconditioner by its option", "it is not"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_pc_type"));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa is 1e4 along the first coordinate; of stretched cells 1 */
static PetscErrorCode Anisotropic(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                  PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  kappa[0] = *(PetscReal *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rough(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  f[0] = PetscSinReal(37. * x[0] + 11. * x[1] * x[1]) * PetscCosReal(23. * x[1] + (dim > 2 ? 17. * x[2] : 0.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveAnisotropic(DM dm, const char backend[], PetscReal *kappa, const char option[],
                                       const char value[], PlexHDG *hdg, PetscInt *its)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetDegree(*hdg, 2));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetCoefficients(*hdg, Anisotropic, kappa));
  PetscCall(PlexHDGSetSource(*hdg, Rough, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  if (option) PetscCall(PlexTestHDGOption(*hdg, option, value));
  PetscCall(PlexHDGSolve(*hdg));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of elements: few iterations on both meshes, many without, and the same solution. stretched: cells are 100 times
   as long as high, and kappa is 1. Several processes cut the lines */
static PetscErrorCode TestLines(const char backend[], DMPolytopeType cell, PetscInt n, PetscBool stretched)
{
  const PetscInt  dim     = DMPolytopeTypeGetDim(cell);
  const PetscBool kernels = (PetscBool)strcmp(backend, PLEXBACKENDHOST),
                  simplex = (PetscBool)(cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON);
  PetscReal       kappa   = stretched ? 1. : 1e4, norm, difference;
  PetscInt        its[3];
  PetscMPIInt     processes;
  char            of[128];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %ss, %s", backend, DMPolytopeTypes[cell],
                          stretched ? "stretched" : "kappa 1e4 along a coordinate"));
  for (int k = 0; k < 2; ++k) {
    const PetscInt cells[3] = {n << k, n << k, n << k};
    PlexHDG        hdg[2];
    Vec            u[2], x;
    PetscScalar   *coordinates;
    PetscInt       size;
    DM             dm;

    if (simplex) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, cells[0], PETSC_FALSE, &dm));
    else
      PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, cells, NULL, NULL, NULL, PETSC_TRUE, 0,
                                    PETSC_TRUE, &dm));
    PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(DMGetCoordinatesLocal(dm, &x));
    PetscCall(VecGetLocalSize(x, &size));
    PetscCall(VecGetArray(x, &coordinates));
    for (PetscInt i = 0; stretched && i < size; ++i)
      if (i % dim == dim - 1) coordinates[i] *= 0.01;
    PetscCall(VecRestoreArray(x, &coordinates));
    PetscCall(DMSetCoordinatesLocal(dm, x));
    PetscCall(SolveAnisotropic(dm, backend, &kappa, kernels ? "-plex_hdg_lines" : NULL, "true", &hdg[0], &its[k]));
    if (k) {
      PetscCall(SolveAnisotropic(dm, backend, &kappa, "-plex_hdg_lines", "false", &hdg[1], &its[2]));
      PetscCall(PlexHDGGetSolution(hdg[0], NULL, &u[0], NULL, NULL));
      PetscCall(PlexHDGGetSolution(hdg[1], NULL, &u[1], NULL, NULL));
      PetscCall(VecNorm(u[0], NORM_2, &norm));
      PetscCall(VecAXPY(u[0], -1., u[1]));
      PetscCall(VecNorm(u[0], NORM_2, &difference));
      PetscCall(PlexHDGDestroy(&hdg[1]));
    }
    PetscCall(PlexHDGDestroy(&hdg[0]));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(its[0] <= 20 * processes && its[1] <= 20 * processes &&
                                         (processes > 1 || its[2] > (dim == 2 ? 2 : 1) * its[1]) &&
                                         difference < 1e-7 * norm),
                             of, "few iterations along lines, many without",
                             "%" PetscInt_FMT ", %" PetscInt_FMT ", without %" PetscInt_FMT "; difference %g of %g",
                             its[0], its[1], its[2], (double)difference, (double)norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LinesWithConvection(void *ctx)
{
  const PetscReal velocity[2] = {1., 0.};
  PlexHDG         hdg;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, (const char *)ctx));
  PetscCall(PlexHDGSetVelocity(hdg, 2, velocity));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_lines", "true"));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool slow = (PetscBool)!strcmp(backends[b], PLEXBACKENDEMULATE);

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      if (slow && cases[k].P > 3) continue;
      PetscCall(TestCase(backends[b], &cases[k], slow ? 1 : DMPolytopeTypeGetDim(cases[k].cell) == 2 ? 3 : 2));
    }
    PetscCall(TestLinear(backends[b], DM_POLYTOPE_TRIANGLE));
    PetscCall(TestLinear(backends[b], DM_POLYTOPE_HEXAHEDRON));
    PetscCall(TestLinear(backends[b], DM_POLYTOPE_TETRAHEDRON));
    PetscCall(TestLinear(backends[b], DM_POLYTOPE_QUADRILATERAL));
    if (!slow) PetscCall(TestNeumann(backends[b]));
    PetscCall(TestSmall(backends[b]));
    PetscCall(TestOptions(backends[b]));
    PetscCall(TestLines(backends[b], DM_POLYTOPE_TRIANGLE, slow ? 4 : 8, PETSC_FALSE));
    if (slow) continue;
    PetscCall(TestLines(backends[b], DM_POLYTOPE_QUADRILATERAL, 8, PETSC_TRUE));
    PetscCall(TestLines(backends[b], DM_POLYTOPE_TETRAHEDRON, 2, PETSC_FALSE));
    PetscCall(TestLines(backends[b], DM_POLYTOPE_HEXAHEDRON, 5, PETSC_TRUE));
    EXPECT("lines with convection", LinesWithConvection, (void *)backends[b], "-plex_hdg_lines", "convection",
           "leave the option out");
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
