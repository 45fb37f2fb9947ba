#include "programs.h"
#include <petscdmda.h>
#include <petscdmadaptor.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#pragma GCC diagnostic ignored "-Wunused-function"  /* one form of several */
#include "forms.h"

static PetscReal heat = 1.; /* a number that essential values depend on */

/* ---- What programs are made of */

static PetscErrorCode Wall(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexTestSolution(dim, time, x, Nc, u, ctx));
  u[0] *= heat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diffusion problem of problem.h of degree 2, on levels that each hold their coarser one */
static PetscErrorCode CreateProblem(PetscInt levels, DMPolytopeType cell, DM *dm)
{
  const PlexTestProblem problem = {.cell = cell, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION};
  PetscDS               ds;
  DM                    coarse;
  PetscBool             device;

  PetscFunctionBegin;
  PetscCall(PlexTestOnDevice(&device));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem.cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  for (PetscInt level = 1; level < levels; ++level) {
    coarse = *dm;
    PetscCall(DMPlexSetRefinementUniform(coarse, PETSC_TRUE));
    PetscCall(DMRefine(coarse, PETSC_COMM_WORLD, dm));
    PetscCall(DMSetCoarseDM(*dm, coarse));
    PetscCall(DMDestroy(&coarse));
  }
  for (coarse = *dm; coarse;) {
    if (device) PetscCall(PlexTestUseDevice(coarse));
    PetscCall(PlexTestProblemSetUp(coarse, &problem));
    PetscCall(DMGetDS(coarse, &ds));
    PetscCall(PetscDSSetExactSolution(ds, 0, PlexTestSolution, NULL));
    PetscCall(DMGetCoarseDM(coarse, &coarse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Essential values that depend on heat */
static PetscErrorCode SetWall(DM dm)
{
  const PetscInt one = 1;
  DMLabel        label;
  PetscDS        ds;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(PetscDSUpdateBoundary(ds, 0, DM_BC_ESSENTIAL, "walls", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Wall,
                                  NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(DM dm, SNES *snes)
{
  PetscFunctionBegin;
  PetscCall(SNESCreate(PETSC_COMM_WORLD, snes));
  if (dm) PetscCall(SNESSetDM(*snes, dm));
  PetscCall(SNESSetTolerances(*snes, 1e-12, 1e-12, 0., 60, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What most programs begin with: a problem, a solver, and PETSc's callbacks */
static PetscErrorCode Begin(PetscInt levels, DMPolytopeType cell, DM *dm, SNES *snes)
{
  PetscFunctionBegin;
  PetscCall(CreateProblem(levels, cell, dm));
  PetscCall(CreateSolver(*dm, snes));
  PetscCall(DMPlexSetSNESLocalFEM(*dm, PETSC_FALSE, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Finish(PlexTestRun *run, SNES snes, DM dm)
{
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "SNES ended with %s", SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, &run->its));
  PetscCall(SNESGetLinearSolveIterations(snes, &run->linear));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(SNES snes, DM dm, PlexTestRun *run)
{
  PetscFunctionBegin;
  if (!run->u) PetscCall(DMCreateGlobalVector(dm, &run->u));
  PetscCall(VecSet(run->u, 0.));
  PetscCall(SNESSolve(snes, NULL, run->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Programs */

static PetscErrorCode OnLevels(PetscInt levels, PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Begin(levels, levels > 1 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Plain(PlexTestRun *run)
{
  PetscFunctionBegin;
  PetscCall(OnLevels(1, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hierarchy of meshes, for multigrid of either kind */
static PetscErrorCode Levels(PlexTestRun *run)
{
  PetscFunctionBegin;
  PetscCall(OnLevels(3, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The DM and its callbacks come last; the type was chosen before there was one */
static PetscErrorCode LateCallbacks(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, DM_POLYTOPE_QUADRILATERAL, &dm));
  PetscCall(CreateSolver(NULL, &snes));
  PetscCall(SNESSetType(snes, SNESNEWTONLS));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(Solve(snes, dm, run));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL)); /* anew, in a solver that is set up */
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherType(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(SNESSetType(snes, SNESNEWTONTR));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, 0., 60, PETSC_CURRENT));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver for a DM and then for its clone, which does not inherit callbacks */
static PetscErrorCode Clone(PlexTestRun *run)
{
  SNES snes;
  DM   dm, clone;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(VecDestroy(&run->u));
  PetscCall(DMClone(dm, &clone));
  PetscCall(DMCopyDisc(dm, clone));
  PetscCall(SNESReset(snes));
  PetscCall(SNESSetDM(snes, clone));
  PetscCall(DMPlexSetSNESLocalFEM(clone, PETSC_FALSE, NULL));
  PetscCall(DMDestroy(&dm));
  PetscCall(Solve(snes, clone, run));
  PetscCall(Finish(run, snes, clone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual before the first solve */
static PetscErrorCode ResidualFirst(PlexTestRun *run)
{
  SNES snes;
  Vec  r;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &run->u));
  PetscCall(VecDuplicate(run->u, &r));
  PetscCall(VecSet(run->u, 0.5));
  PetscCall(SNESComputeFunction(snes, run->u, r));
  PetscCall(VecDestroy(&r));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SNES refines the mesh between two solves, where -snes_adapt_sequence says so; it takes references to the DM and the
   vector that it replaces */
static PetscErrorCode Adapted(PlexTestRun *run)
{
  SNES     snes;
  DM       dm;
  Vec      u;
  PetscInt n[2];

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_TRIANGLE, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(VecGetSize(u, &n[0]));
  PetscCall(VecSet(u, 0.));
  PetscCall(PetscObjectReference((PetscObject)dm));
  PetscCall(PetscObjectReference((PetscObject)u));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESGetSolution(snes, &run->u));
  PetscCall(PetscObjectReference((PetscObject)run->u));
  PetscCall(VecGetSize(run->u, &n[1]));
  run->ok = (PetscBool)(n[1] > n[0]);
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells where the solution is large at some vertex */
static PetscErrorCode MarkLarge(DM dm, Vec u, DMLabel label)
{
  PetscReal most;
  PetscInt  cStart, cEnd;
  Vec       locU;

  PetscFunctionBegin;
  PetscCall(VecNorm(u, NORM_INFINITY, &most));
  PetscCall(DMGetLocalVector(dm, &locU));
  PetscCall(DMGlobalToLocal(dm, u, INSERT_VALUES, locU));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscScalar *values = NULL;
    PetscInt     n;
    PetscBool    large = PETSC_FALSE;

    PetscCall(DMPlexVecGetClosure(dm, NULL, locU, c, &n, &values));
    for (PetscInt k = 0; k < n; ++k) large = (PetscBool)(large || PetscAbsScalar(values[k]) > 0.9 * most);
    PetscCall(DMPlexVecRestoreClosure(dm, NULL, locU, c, &n, &values));
    if (large) PetscCall(DMLabelSetValue(label, c, DM_ADAPT_REFINE));
  }
  PetscCall(DMRestoreLocalVector(dm, &locU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program refines the mesh itself, twice */
static PetscErrorCode AdaptedByHand(PlexTestRun *run)
{
  SNES     snes;
  DM       dm, refined;
  DMLabel  label;
  PetscInt n[2];

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_TRIANGLE, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  for (PetscInt round = 0; round < 2; ++round) {
    PetscCall(DMLabelCreate(PETSC_COMM_SELF, "adapt", &label));
    PetscCall(MarkLarge(dm, run->u, label));
    PetscCall(DMAdaptLabel(dm, label, &refined));
    PetscCall(DMLabelDestroy(&label));
    PetscCall(VecGetSize(run->u, &n[0]));
    PetscCall(VecDestroy(&run->u));
    PetscCall(DMDestroy(&dm));
    dm = refined;
    PetscCall(SNESReset(snes));
    PetscCall(SNESSetDM(snes, dm));
    PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
    PetscCall(Solve(snes, dm, run));
    PetscCall(VecGetSize(run->u, &n[1]));
    run->ok = (PetscBool)(run->ok && n[1] > n[0]);
  }
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Essential values and pointwise functions that change between solves */
static PetscErrorCode OtherValues(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SetWall(dm));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  heat = 0.5;
  PetscCall(Solve(snes, dm, run));
  heat = 1.;
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cool(SNES snes, PetscInt step)
{
  PetscFunctionBegin;
  heat = step < 3 ? 1. - 0.1 * step : 0.7;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They change between iterations */
static PetscErrorCode ChangingValues(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SetWall(dm));
  PetscCall(SNESSetUpdate(snes, Cool));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  heat = 1.;
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherFunctions(PlexTestRun *run)
{
  const PetscScalar constants[5] = {0.6, 0.5, 0.2, 0.4, 0.1};
  SNES              snes;
  PetscDS           ds;
  DM                dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_symmetric, f1_symmetric));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_symmetric, g1_symmetric, g2_symmetric, g3_symmetric));
  PetscCall(PetscDSSetConstants(ds, 5, (PetscScalar *)constants)); /* one more than before */
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Programs with callbacks of their own */

static PetscErrorCode OwnResidual(DM dm, Vec locX, Vec locF, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(DMPlexSNESComputeResidualFEM(dm, locX, locF, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OwnLocal(PlexTestRun *run)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  SNES  snes;
  void *ctx;
  DM    dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(DMSNESSetFunctionLocal(dm, OwnResidual, run));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(DMSNESGetFunctionLocal(dm, &function, &ctx));
  run->ok = (PetscBool)(function == OwnResidual && ctx == run);
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On top of local callbacks that are PETSc's, and that it does not use */
static PetscErrorCode OwnFunction(SNES snes, Vec X, Vec F, void *ctx)
{
  Vec locX, locF;
  DM  dm;

  PetscFunctionBegin;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(DMGetLocalVector(dm, &locF));
  PetscCall(VecSet(locX, 0.));
  PetscCall(VecSet(locF, 0.));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, locX, NULL));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, locX, locF, NULL));
  PetscCall(VecSet(F, 0.));
  PetscCall(DMLocalToGlobal(dm, locF, ADD_VALUES, F));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscCall(DMRestoreLocalVector(dm, &locF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OwnGlobal(PlexTestRun *run)
{
  SNESFunctionFn *function;
  SNES            snes;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(Begin(1, DM_POLYTOPE_QUADRILATERAL, &dm, &snes));
  PetscCall(SNESSetFunction(snes, NULL, OwnFunction, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(DMSNESGetFunction(dm, &function, NULL));
  run->ok = (PetscBool)(function == OwnFunction);
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Prefixed(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, DM_POLYTOPE_QUADRILATERAL, &dm));
  PetscCall(DMSetOptionsPrefix(dm, "mine_"));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GridFunction(DMDALocalInfo *info, void *x, void *f, void *ctx)
{
  const PetscScalar *u = (const PetscScalar *)x;
  PetscScalar       *r = (PetscScalar *)f;

  PetscFunctionBegin;
  for (PetscInt i = info->xs; i < info->xs + info->xm; ++i)
    r[i] = i == 0 || i == info->mx - 1 ? u[i] - 1. : 2. * u[i] - u[i - 1] - u[i + 1] + 0.01 * u[i] * u[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grid(PlexTestRun *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(DMDACreate1d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, 20, 1, 1, NULL, &dm));
  PetscCall(DMSetUp(dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMDASNESSetFunctionLocal(dm, INSERT_VALUES, GridFunction, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The list */

#define HERE     PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE
#define PETSC    PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE
#define COMPARED PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE
#define SBR      "-adapt_dm_adaptor cellrefiner -adapt_dm_plex_transform_type refine_sbr"
static const PlexTestProgram programs[] = {
  {"Newton's method", "", Plain, HERE},
  {"trust region", "-snes_type newtontr", Plain, HERE},
  {"matrix-free with a matrix", "-snes_mf_operator", Plain, HERE},
  {"differences by colours", "-snes_fd_color", Plain, HERE},
  {"nonlinear preconditioner", "-snes_type ngmres -npc_snes_type newtonls -npc_snes_max_it 1", Plain, HERE},
  {"composite", "-snes_type composite -snes_composite_sneses newtonls,newtontr -snes_composite_type multiplicative",
   Plain, HERE},
  {"convergence estimate", "-snes_convergence_estimate -convest_num_refine 1", Plain, COMPARED},
  {"multigrid", "-pc_type mg -pc_mg_levels 3 -pc_mg_galerkin none", Levels, COMPARED},
  {"FAS",
   "-snes_type fas -snes_fas_levels 3 -fas_levels_snes_type newtonls -fas_levels_snes_max_it 1 -fas_coarse_snes_type "
   "newtonls -snes_rtol 1e-8", Levels, COMPARED},
  {"adaptive refinement",
   "-snes_adapt_sequence 1 -adaptor_criterion label -adaptor_type gradient -refine_vec_tagger_type cdf "
   "-refine_vec_tagger_box 0.7,1 " SBR,
   Adapted, COMPARED},
  {"adaptive refinement by hand", "-dm_adaptor cellrefiner -dm_plex_transform_type refine_sbr", AdaptedByHand,
   COMPARED},
  {"callbacks that come last", "", LateCallbacks, HERE},
  {"type changed later", "", OtherType, HERE},
  {"a clone of the DM", "", Clone, COMPARED},
  {"residual before the solve", "", ResidualFirst, HERE},
  {"other essential values", "", OtherValues, HERE},
  {"changing essential values", "", ChangingValues, HERE},
  {"other pointwise functions", "", OtherFunctions, HERE},
  {"a local residual of its own", "", OwnLocal, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE},
  {"a residual of its own", "", OwnGlobal, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE},
  {"not wanted", "-plex_assembly false", Plain, PETSC},
  {"not wanted by prefix", "-mine_plex_assembly false", Prefixed, PETSC},
  {"a grid of another type", "", Grid, PETSC}
};

PetscErrorCode PlexTestGetPrograms(PetscInt *n, const PlexTestProgram **list)
{
  PetscFunctionBegin;
  *n    = PETSC_STATIC_ARRAY_LENGTH(programs);
  *list = programs;
  PetscFunctionReturn(PETSC_SUCCESS);
}
