/*
  What solves with the coarse matrix of the trace's preconditioner: algebraic multigrid, or a direct solver where the matrix is small. On a GPU that is the dense inverse (inverse.c), which is
  also for the coarsest level of algebraic multigrid.
*/
#include "hdgimpl.h" /*I "plexgpu.h" I*/

/* Matrices of so many rows are solved with directly, by factors or by the inverse */
#define PLEX_HDG_DIRECT 1000

/*@
  PlexHDGSetDenseCoarse - Sets up to which size the coarsest matrix of the trace's preconditioner has a dense inverse on a GPU

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
- rows - so many rows at most, 0 for none, or `PETSC_DECIDE` for 1000

  Options Database Key:
. -plex_hdg_dense_coarse rows - the same

  Level: advanced

  Notes:
  It is for the default preconditioner on one process, and where the trace is determined (with Neumann's condition everywhere and lambda = 0 it is not). The inverse takes 8 rows^2 bytes, and three times as many
  while it is made; a product with it is one launch. Without it factors on the host solve with up to 1000 rows.

  Matrices with more rows go to algebraic multigrid, whose levels go down to half as many, or to 1000 where these are more. A large inverse pays where many right-hand sides follow on one matrix: that of 6241 rows
  is made in about 50 ms on an H200.

.seealso: `PlexHDG`, `PlexHDGSolveTrace()`, `PlexHDGGetKSP()`
@*/
PetscErrorCode PlexHDGSetDenseCoarse(PlexHDG hdg, PetscInt rows)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveInt(hdg, rows, 2);
  PetscCheck(rows >= 0 || rows == PETSC_DECIDE, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE, "A matrix with a dense inverse cannot have %" PetscInt_FMT " rows: give their number, 0 for no such inverse, or PETSC_DECIDE", rows);
  PetscCall(PlexHDGReset(hdg));
  hdg->dense = rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The most rows that a dense inverse has here, 0: there is none */
static PetscErrorCode PlexHDGGetDense(PlexHDG hdg, PetscInt *rows)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  *rows = hdg->dense == PETSC_DECIDE ? PLEX_HDG_DIRECT : hdg->dense;
  if (size > 1 || hdg->singular || !hdg->coarse->smooth) *rows = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscInt    dense;
  PetscMPIInt size;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  PetscCall(PlexHDGGetDense(hdg, &dense));
  PetscCall(PCMGSetInterpolation(mg, 1, hdg->coarse->P));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(KSPSetOperators(ksp, hdg->coarse->A, hdg->coarse->A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  if (hdg->coarse->N <= dense) PetscCall(PlexHDGSetInverse_Private(pc));
  else if (hdg->coarse->N > PLEX_HDG_DIRECT) {
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetAggressiveLevels(pc, 0));
    PetscCall(PCGAMGSetCoarseEqLim(pc, PetscMax(dense / 2, PLEX_HDG_DIRECT)));
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

/* The dense inverse for the coarsest level of algebraic multigrid, which has been set up with factors, where these are what it has by default */
static PetscErrorCode PlexHDGSetCoarsestSolver(PlexHDG hdg, PC gamg)
{
  PetscInt  dense, N;
  PetscBool blocks, known, spd;
  Mat       A;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetDense(hdg, &dense));
  PetscCall(PCMGGetCoarseSolve(gamg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &blocks));
  PetscCall(KSPGetOperators(ksp, NULL, &A));
  PetscCall(MatGetSize(A, &N, NULL));
  if (!blocks || N > dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatIsSPDKnown(hdg->coarse->A, &known, &spd));
  if (known && spd) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  if (known && spd) PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(PlexHDGSetInverse_Private(pc));
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest sum of a row of D^-1 |A|, which no eigenvalue of D^-1 A exceeds; D is the diagonal */
static PetscErrorCode PlexHDGGetLargestRow(Mat A, PetscReal *largest)
{
  PetscInt rStart, rEnd;

  PetscFunctionBegin;
  *largest = 0.;
  PetscCall(MatGetOwnershipRange(A, &rStart, &rEnd));
  for (PetscInt r = rStart; r < rEnd; ++r) {
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscReal          sum = 0., diagonal = 0.;
    PetscInt           n;

    PetscCall(MatGetRow(A, r, &n, &columns, &values));
    for (PetscInt k = 0; k < n; ++k) {
      sum += PetscAbsScalar(values[k]);
      if (columns[k] == r) diagonal = PetscAbsScalar(values[k]);
    }
    PetscCall(MatRestoreRow(A, r, &n, &columns, &values));
    if (diagonal > 0.) *largest = PetscMax(*largest, sum / diagonal);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Damping of the smoothers of algebraic multigrid, 4/3 over the largest eigenvalue as that is bounded */
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
    PetscCall(PlexHDGGetLargestRow(A, &largest));
    if (largest > 0.) PetscCall(KSPRichardsonSetScale(smoother, 4. / (3. * largest)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sets up the solver with options for the levels of algebraic multigrid, which only options reach, for as long as that takes; those that the user gave stay. The last of them is for a matrix that will be the same one:
  Jacobi's method takes half as many launches as Chebyshev's polynomials of one step
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
  char         name[3][256];
  char         scale[256];
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
  if (gamg) PetscCall(PlexHDGSetCoarsestSolver(hdg, pc));
  if (gamg && !given[2] && !damped) PetscCall(PlexHDGSetDamping(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
