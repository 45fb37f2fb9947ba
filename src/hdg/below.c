/* What solves with the coarse matrix of the trace's preconditioner: algebraic multigrid, or a direct solver where the
   matrix is small */
#include "hdgimpl.h"

/* Matrices of so many rows are solved with directly */
#define PLEX_HDG_DIRECT       1000
#define PLEX_HDG_DIRECT_WAVES 50000 /* with lambda < 0, where algebraic multigrid fails */
/* with a smoother along lines, where it takes more iterations; by the dimension */
#define PLEX_HDG_DIRECT_LINES(dim) ((dim) == 2 ? 20000 : 5000)

/* Whether the matrix will be the same one whenever it is assembled */
static PetscBool PlexHDGIsSame(PlexHDG hdg)
{
  return (PetscBool)(!hdg->nonlinear && !hdg->navier && hdg->args.shift == 0.);
}

static PetscInt PlexHDGDirectLimit(PlexHDG hdg)
{
  if (hdg->indefinite) return PLEX_HDG_DIRECT_WAVES;
  return hdg->coarse->lines ? PLEX_HDG_DIRECT_LINES(hdg->mesh->dim) : PLEX_HDG_DIRECT;
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

/* Likewise, of several processes the whole matrix on each */
PetscErrorCode PlexHDGSetDirect_Private(MPI_Comm comm, PC pc)
{
  PetscMPIInt size;
  KSP         ksp;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) {
    PetscCall(PCSetType(pc, PCREDUNDANT));
    PetscCall(PCRedundantGetKSP(pc, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
  }
  PetscCall(PlexHDGSetDirect(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexHDGCoarseIsDirect(PlexHDG hdg)
{
  return (PetscBool)(hdg->coarse->N * PlexHDGComponents(hdg) <= PlexHDGDirectLimit(hdg));
}

/*
  After new values of a matrix that has a direct solver on the host: where rows share their columns, as those of elasticity's
  components do, PETSc's factors (3.26.1, MatLUFactorNumeric_SeqAIJ_Inode()) are of what the host has of a matrix, and do not ask
  whether the device has newer values
*/
PetscErrorCode PlexHDGFetchMatrix_Private(PlexHDG hdg, Mat A)
{
  PetscBool          sequential;
  const PetscScalar *values;

  PetscFunctionBegin;
  if (!hdg->backend->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &sequential));
  if (!sequential) PetscFunctionReturn(PETSC_SUCCESS); /* each process is given the whole matrix */
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGFetchValues_Private(PlexHDG hdg)
{
  Mat A = hdg->coarse->direct ? hdg->A : hdg->coarse->A;

  PetscFunctionBegin;
  if (A && (hdg->coarse->direct || PlexHDGCoarseIsDirect(hdg) || !hdg->below.own))
    PetscCall(PlexHDGFetchMatrix_Private(hdg, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the coarse level's solver is still of the types that it was given, or has none; then its iteration is set */
static PetscErrorCode PlexHDGSetBelow(PlexHDG hdg, KSP ksp, PCType type)
{
  PlexHDGLevel *below = &hdg->below;
  PetscBool     once  = PETSC_TRUE;
  PetscObjectId id;
  PC            pc;

  PetscFunctionBegin;
  below->own = PETSC_TRUE;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectGetId((PetscObject)ksp, &id));
  if (below->type && below->id == id) {
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, below->type, &below->own));
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  }
  if (below->own && once) PetscCall(KSPSetType(ksp, KSPPREONLY));
  if (below->own) below->type = type;
  below->id = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type that PlexHDGSetDirect_Private() sets */
static PetscErrorCode PlexHDGGetDirectType(PlexHDG hdg, PCType *type)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  *type = size > 1 ? PCREDUNDANT : PCLU;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetDirectLevel_Private(PlexHDG hdg, PC mg)
{
  PCType type;
  KSP    ksp;
  PC     pc;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetDirectType(hdg, &type));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(PlexHDGSetBelow(hdg, ksp, type));
  PetscCall(KSPGetPC(ksp, &pc));
  if (hdg->below.own) PetscCall(PlexHDGSetDirect_Private(PetscObjectComm((PetscObject)hdg), pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetCoarseSolver_Private(PlexHDG hdg, PC mg)
{
  PetscReal threshold = 0.01;
  PCType    type      = PCGAMG;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PCMGSetInterpolation(mg, 1, hdg->coarse->P));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(KSPSetOperators(ksp, hdg->coarse->A, hdg->coarse->A));
  PetscCall(KSPGetPC(ksp, &pc));
  if (PlexHDGCoarseIsDirect(hdg)) PetscCall(PlexHDGGetDirectType(hdg, &type));
  PetscCall(PlexHDGSetBelow(hdg, ksp, type));
  if (!hdg->below.own) PetscFunctionReturn(PETSC_SUCCESS);
  if (!PlexHDGCoarseIsDirect(hdg)) {
    PetscCall(PlexGalerkinSet(hdg->coarse->A));
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetAggressiveLevels(pc, 0));
    PetscCall(PCGAMGSetCoarseEqLim(pc, PLEX_HDG_DIRECT));
    PetscCall(PCGAMGSetThreshold(pc, &threshold, 1));
    if (PlexHDGIsSame(hdg)) PetscCall(PCGAMGSetRecomputeEstEig(pc, PETSC_FALSE));
  } else PetscCall(PlexHDGSetDirect_Private(PetscObjectComm((PetscObject)hdg), pc));
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

typedef struct {
  const char *name, *value;
  char        key[256], number[32];
  PetscBool   given;
} PlexHDGLevelOption;

/* Options of algebraic multigrid's levels: n of options[7]; named: one names the
   iteration of the trace's smoother. Whether the last one may be followed by damping */
static PetscBool PlexHDGGetLevelOptions(PlexHDG hdg, PetscBool named, PlexHDGLevelOption options[], size_t *n)
{
  const PlexHDGLevelOption all[] = {
    {.name = "mg_coarse_mg_levels_ksp_max_it",                    .value = "1"           },
    {.name = "mg_coarse_mg_levels_ksp_type",                      .value = KSPRICHARDSON },
    {.name = "mg_coarse_mg_levels_pc_type",                       .value = PCBJACOBI     },
    {.name = "mg_coarse_mg_coarse_sub_pc_factor_mat_solver_type", .value = MATSOLVERPETSC},
    /* KSPSetFromOptions() (PETSc 3.26.1) makes it PETSc's default unless the option is there */
    {.name = "mg_levels_ksp_chebyshev_kind",                      .value = "opt_fourth"  },
    {.name = "mg_levels_1_up_ksp_chebyshev_kind",                 .value = "opt_fourth"  }
  };
  PetscBool polynomial = PETSC_FALSE;

  for (size_t k = 0; k < 3; ++k) options[k] = all[k];
  *n = hdg->convects || hdg->navier ? 3 : PlexHDGIsSame(hdg) ? 2 : 1;
  /* not of elasticity on a device: PlexHDGFetchValues_Private() */
  if (!hdg->elastic || !hdg->backend->device) options[(*n)++] = all[3];
  if (hdg->smoother[0].iteration) (void)PetscStrcmp(hdg->smoother[0].iteration, KSPCHEBYSHEV, &polynomial);
  if (polynomial || named) options[(*n)++] = all[4];
  if (hdg->smoother[1].type && polynomial) options[(*n)++] = all[5];
  if (!hdg->coarse->smooth && !hdg->coarse->lines && !hdg->elements && !hdg->convects && !hdg->navier && !hdg->groups &&
      polynomial && hdg->smoother[0].own && hdg->mesh->faces > 0) {
    PlexHDGLevelOption
      *o = &options
             [(*n)++]; /* of steps that options have in the place of polynomials; kernels' inverses have it in them */

    *o = (PlexHDGLevelOption){.name = "mg_levels_ksp_richardson_scale"};
    (void)snprintf(o->number, sizeof(o->number), "%.17g", hdg->coarse->omega);
    o->value = o->number;
  }
  return (PetscBool)(!hdg->convects && !hdg->navier && PlexHDGIsSame(hdg));
}

/*
  Sets up the solver with options for the levels of algebraic multigrid, which only options reach, for as long as that
  takes; those that the user gave stay. For a matrix that will be the same one a step of Jacobi's method takes fewer
  operations on vectors than one of Chebyshev's; with convection it is a step with incomplete factors
*/
PetscErrorCode PlexHDGSetUpSolver_Private(PlexHDG hdg, KSP ksp)
{
  PlexHDGLevelOption options[7];
  size_t             n;
  const char        *prefix;
  char               scale[256];
  PetscBool          named, damps, damped, gamg;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-mg_levels_ksp_type", &named));
  damps = PlexHDGGetLevelOptions(hdg, named, options, &n);
  for (size_t k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(options[k].key, sizeof(options[k].key), "-%s%s", prefix, options[k].name));
    PetscCall(PetscOptionsHasName(NULL, NULL, options[k].key, &options[k].given));
    if (!options[k].given) PetscCall(PetscOptionsSetValue(NULL, options[k].key, options[k].value));
  }
  PetscCall(PetscSNPrintf(scale, sizeof(scale), "-%smg_coarse_mg_levels_ksp_richardson_scale", prefix));
  PetscCall(PetscOptionsHasName(NULL, NULL, scale, &damped));
  PetscCall(KSPSetUp(ksp));
  for (size_t k = 0; k < n; ++k)
    if (!options[k].given) PetscCall(PetscOptionsClearValue(NULL, options[k].key));
  if (!hdg->coarse->N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &gamg));
  if (gamg && damps && !options[1].given && !damped) PetscCall(PlexHDGSetDamping(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
