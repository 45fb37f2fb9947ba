/* What solves with the coarse matrix of the trace's preconditioner: algebraic multigrid, or a direct solver where the
   matrix is small */
#include "hdgimpl.h"

/* Matrices of so many rows are solved with directly */
#define PLEX_HDG_DIRECT 1000

/* Whether the matrix will be the same one whenever it is assembled */
static PetscBool PlexHDGIsSame(PlexHDG hdg)
{
  return (PetscBool)(!hdg->nonlinear && hdg->args.shift == 0.);
}

/* A direct solver by PETSc's own factors, on the host: those of a GPU's library take longer to solve with */
static PetscErrorCode PlexHDGSetDirect(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_INBLOCKS)); /* where K is singular */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetCoarseSolver_Private(PlexHDG hdg, PC mg)
{
  PetscReal   threshold = 0.01;
  PetscMPIInt size;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  PetscCall(PCMGSetInterpolation(mg, 1, hdg->coarse->P));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(KSPSetOperators(ksp, hdg->coarse->A, hdg->coarse->A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  if (hdg->coarse->N > PLEX_HDG_DIRECT) {
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetAggressiveLevels(pc, 0));
    PetscCall(PCGAMGSetCoarseEqLim(pc, PLEX_HDG_DIRECT));
    PetscCall(PCGAMGSetThreshold(pc, &threshold, 1));
    if (PlexHDGIsSame(hdg)) PetscCall(PCGAMGSetRecomputeEstEig(pc, PETSC_FALSE));
  } else if (size == 1) PetscCall(PlexHDGSetDirect(pc));
  else {
    PetscCall(PCSetType(pc, PCREDUNDANT));
    PetscCall(PCRedundantGetKSP(pc, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PlexHDGSetDirect(pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalue of D^-1 A by ten steps of conjugate gradients, as they are for the smoothers of PETSc's
   multigrid; D is the diagonal */
static PetscErrorCode PlexHDGGetLargestEigenvalue(Mat A, PetscReal *largest)
{
  PetscReal least;
  Vec       b, x;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetRandom(b, NULL));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, 10));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPComputeExtremeSingularValues(ksp, largest, &least));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Damping of the smoothers of algebraic multigrid, 4/3 over the largest eigenvalue */
static PetscErrorCode PlexHDGSetDamping(PC gamg)
{
  PetscInt  levels;
  PetscReal largest;
  KSP       smoother;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(PCMGGetLevels(gamg, &levels));
  for (PetscInt l = 1; l < levels; ++l) {
    PetscCall(PCMGGetSmoother(gamg, l, &smoother));
    PetscCall(KSPGetOperators(smoother, NULL, &A));
    PetscCall(PlexHDGGetLargestEigenvalue(A, &largest));
    if (largest > 0.) PetscCall(KSPRichardsonSetScale(smoother, 4. / (3. * largest)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sets up the solver with options for the levels of algebraic multigrid, which only options reach, for as long as that
  takes; those that the user gave stay. The last of them is for a matrix that will be the same one: a step of Jacobi's
  method takes fewer operations on vectors than one of Chebyshev's
*/
PetscErrorCode PlexHDGSetUpSolver_Private(PlexHDG hdg, KSP ksp)
{
  static const char *const options[][2] = {
    {"mg_coarse_mg_coarse_sub_pc_factor_mat_solver_type", MATSOLVERPETSC},
    {"mg_coarse_mg_levels_ksp_max_it",                    "1"           },
    {"mg_coarse_mg_levels_ksp_type",                      KSPRICHARDSON }
  };
  const size_t n = PlexHDGIsSame(hdg) ? 3 : 2;
  const char  *prefix;
  char         name[3][256], scale[256];
  PetscBool    given[3] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE}, damped, gamg;
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (size_t k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(name[k], sizeof(name[k]), "-%s%s", prefix, options[k][0]));
    PetscCall(PetscOptionsHasName(NULL, NULL, name[k], &given[k]));
    if (!given[k]) PetscCall(PetscOptionsSetValue(NULL, name[k], options[k][1]));
  }
  PetscCall(PetscSNPrintf(scale, sizeof(scale), "-%smg_coarse_mg_levels_ksp_richardson_scale", prefix));
  PetscCall(PetscOptionsHasName(NULL, NULL, scale, &damped));
  PetscCall(KSPSetUp(ksp));
  for (size_t k = 0; k < n; ++k)
    if (!given[k]) PetscCall(PetscOptionsClearValue(NULL, name[k]));
  if (!hdg->coarse->N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &gamg));
  if (gamg && !given[2] && !damped) PetscCall(PlexHDGSetDamping(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
