static char help[] = "Programs that know nothing of PlexGPU, with and without it: same iterations and solution, and who did the work.\n\n";

#include <plexgpu.h>
#include <petscdmda.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* one form of several */
#include "forms.h"

static PetscReal heat = 1.; /* a number that essential values depend on */

/* Calls of PETSc's and of PlexGPU's assembly in one run, by PETSc's log; the solution and how it was found */
typedef struct {
  PetscInt  petsc[2], here[2]; /* residuals, Jacobians */
  PetscInt  its, linear;
  Vec       u;
  PetscBool ok; /* what else a program looks at */
} Run;

/* A program: only PETSc's functions are called in it */
typedef struct {
  const char *name, *options;
  PetscErrorCode (*main)(Run *);
  PetscBool residuals, jacobians; /* to be taken over */
} Program;

/* ---- What programs are made of */

static PetscErrorCode Wall(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexTestSolution(dim, time, x, Nc, u, ctx));
  u[0] *= heat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diffusion problem of problem.h on triangles or quadrilaterals, of degree 2, on levels that each hold their coarser one */
static PetscErrorCode CreateProblem(PetscInt levels, DM *dm)
{
  const PlexTestProblem problem = {.cell = levels > 1 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_QUADRILATERAL, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION};
  const char           *env     = getenv("PLEXGPU_TEST_BACKENDS");
  PetscDS               ds;
  DM                    coarse;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem.cell, 0, dm));
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &coarse));
  if (coarse) {
    PetscCall(DMDestroy(dm));
    *dm = coarse;
  }
  for (PetscInt level = 1; level < levels; ++level) {
    coarse = *dm;
    PetscCall(DMPlexSetRefinementUniform(coarse, PETSC_TRUE));
    PetscCall(DMRefine(coarse, PETSC_COMM_WORLD, dm));
    PetscCall(DMSetCoarseDM(*dm, coarse));
    PetscCall(DMDestroy(&coarse));
  }
  for (coarse = *dm; coarse;) {
    if (env && !strcmp(env, PLEXBACKENDCUDA)) {
      PetscCall(DMSetVecType(coarse, VECCUDA));
      PetscCall(DMSetMatType(coarse, MATAIJCUSPARSE));
    }
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
  PetscCall(PetscDSUpdateBoundary(ds, 0, DM_BC_ESSENTIAL, "walls", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Wall, NULL, NULL));
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

static PetscErrorCode Finish(Run *run, SNES snes, DM dm)
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

static PetscErrorCode Solve(SNES snes, DM dm, Run *run)
{
  PetscFunctionBegin;
  if (!run->u) PetscCall(DMCreateGlobalVector(dm, &run->u));
  PetscCall(VecSet(run->u, 0.));
  PetscCall(SNESSolve(snes, NULL, run->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Programs */

static PetscErrorCode OnLevels(PetscInt levels, Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(levels, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Plain(Run *run)
{
  PetscFunctionBegin;
  PetscCall(OnLevels(1, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hierarchy of meshes, for multigrid of either kind */
static PetscErrorCode Levels(Run *run)
{
  PetscFunctionBegin;
  PetscCall(OnLevels(3, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The DM and its callbacks come last; the type was chosen before there was one */
static PetscErrorCode LateCallbacks(Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
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

static PetscErrorCode OtherType(Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(SNESSetType(snes, SNESNEWTONTR));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, 0., 60, PETSC_CURRENT));
  PetscCall(Solve(snes, dm, run));
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver for a DM and then for its clone, which does not inherit callbacks */
static PetscErrorCode Clone(Run *run)
{
  SNES snes;
  DM   dm, clone;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
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
static PetscErrorCode ResidualFirst(Run *run)
{
  SNES snes;
  Vec  r;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
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

/* Essential values and pointwise functions that change between solves */
static PetscErrorCode OtherValues(Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(SetWall(dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
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
static PetscErrorCode ChangingValues(Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(SetWall(dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(SNESSetUpdate(snes, Cool));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  heat = 1.;
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherFunctions(Run *run)
{
  const PetscScalar constants[5] = {0.6, 0.5, 0.2, 0.4, 0.1};
  SNES              snes;
  PetscDS           ds;
  DM                dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
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

static PetscErrorCode OwnLocal(Run *run)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  SNES  snes;
  void *ctx;
  DM    dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
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

static PetscErrorCode OwnGlobal(Run *run)
{
  SNESFunctionFn *function;
  SNES            snes;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
  PetscCall(CreateSolver(dm, &snes));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetFunction(snes, NULL, OwnFunction, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(Solve(snes, dm, run));
  PetscCall(DMSNESGetFunction(dm, &function, NULL));
  run->ok = (PetscBool)(function == OwnFunction);
  PetscCall(Finish(run, snes, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Prefixed(Run *run)
{
  SNES snes;
  DM   dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(1, &dm));
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
  for (PetscInt i = info->xs; i < info->xs + info->xm; ++i) r[i] = i == 0 || i == info->mx - 1 ? u[i] - 1. : 2. * u[i] - u[i - 1] - u[i + 1] + 0.01 * u[i] * u[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grid(Run *run)
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

/* ---- Who assembled */

static PetscErrorCode CountCalls(const char event[], PetscInt *count)
{
  PetscLogState state;
  PetscLogEvent id;
  PetscInt      n;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscLogEventGetId(event, &id));
  PetscCall(PetscLogGetState(&state));
  PetscCall(PetscLogStateGetNumStages(state, &n));
  for (PetscInt stage = 0; stage < n && id >= 0; ++stage) {
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetPerfInfo(stage, id, &info));
    *count += info.count;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountAll(PetscInt counts[4])
{
  const char *const events[] = {"DMPlexResidualFE", "DMPlexJacobianFE", "PlexResidual", "PlexJacobian"};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) PetscCall(CountCalls(events[k], &counts[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const Program *program;
  Run           *run;
} Call;

static PetscErrorCode RunProgram(void *ctx)
{
  Call    *call = (Call *)ctx;
  Run     *run  = call->run;
  PetscInt before[4], after[4];

  PetscFunctionBegin;
  run->ok = PETSC_TRUE;
  PetscCall(CountAll(before));
  PetscCall((*call->program->main)(run));
  PetscCall(CountAll(after));
  for (PetscInt k = 0; k < 2; ++k) {
    run->petsc[k] = after[k] - before[k];
    run->here[k]  = after[2 + k] - before[2 + k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const char name[], const Program *program, const Run *plain, Run *taken)
{
  char           text[2048], line[256];
  PetscErrorCode ierr;
  PetscReal      difference = PETSC_INFINITY, norm;
  Call           call       = {program, taken};
  PetscInt       expected[2][2]; /* [residuals, Jacobians][PETSc, here] */
  PetscBool      good;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(RunProgram, &call, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s: iterations", name));
  PetscCall(PlexTestReport((PetscBool)(taken->its == plain->its && taken->linear == plain->linear), line, "%" PetscInt_FMT " of SNES and %" PetscInt_FMT " of KSP, without PlexGPU %" PetscInt_FMT " and %" PetscInt_FMT, taken->its, taken->linear, plain->its,
                           plain->linear));
  PetscCall(VecNorm(plain->u, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(taken->u, -1., plain->u));
  PetscCall(VecNorm(taken->u, NORM_INFINITY, &difference));
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s: solution", name));
  PetscCall(PlexTestReport((PetscBool)(difference <= 1e-10 * norm), line, "it differs from that without PlexGPU by %g of %g", (double)difference, (double)norm));
  good = taken->ok;
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscBool here = k ? program->jacobians : program->residuals;

    expected[k][0] = here ? 0 : plain->petsc[k];
    expected[k][1] = here ? plain->petsc[k] : 0;
    if (taken->petsc[k] != expected[k][0] || taken->here[k] != expected[k][1]) good = PETSC_FALSE;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s: who did the work", name));
  PetscCall(PlexTestReport(good, line, "PETSc %" PetscInt_FMT " residuals and %" PetscInt_FMT " Jacobians, PlexGPU %" PetscInt_FMT " and %" PetscInt_FMT "; expected %" PetscInt_FMT " and %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT "; callbacks as they should be: %d",
                           taken->petsc[0], taken->petsc[1], taken->here[0], taken->here[1], expected[0][0], expected[1][0], expected[0][1], expected[1][1], (int)taken->ok));
  PetscCall(VecDestroy(&taken->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const Program *program)
{
  const char  *env = getenv("PLEXGPU_TEST_BACKENDS");
  char         name[256], **backends;
  Run          plain = {.u = NULL};
  Call         call  = {program, &plain};
  PetscOptions options;
  int          n;
  PetscBool    available;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, program->options));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source", PLEX_TEST_FORMS));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(PlexGPUSetTakeOver(PETSC_FALSE));
  PetscCall(RunProgram(&call));
  PetscCall(PetscStrToArray(env && env[0] ? env : "host,emulate", ',', &n, &backends));
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  for (int k = 0; k < n; ++k) {
    Run taken = {.u = NULL};

    PetscCall(PlexBackendIsAvailable(backends[k], &available));
    if (!available) continue;
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_backend", backends[k]));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s", program->name, backends[k]));
    PetscCall(Compare(name, program, &plain, &taken));
  }
  PetscCall(PetscStrToArrayDestroy(n, backends));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(VecDestroy(&plain.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
#define HERE  PETSC_TRUE, PETSC_TRUE
#define PETSC PETSC_FALSE, PETSC_FALSE
  const Program programs[] = {
    {"Newton's method", "", Plain, HERE},
    {"trust region", "-snes_type newtontr", Plain, HERE},
    {"matrix-free with a matrix", "-snes_mf_operator", Plain, HERE},
    {"differences by colours", "-snes_fd_color", Plain, HERE},
    {"nonlinear preconditioner", "-snes_type ngmres -npc_snes_type newtonls -npc_snes_max_it 1", Plain, HERE},
    {"composite", "-snes_type composite -snes_composite_sneses newtonls,newtontr -snes_composite_type multiplicative", Plain, HERE},
    {"convergence estimate", "-snes_convergence_estimate -convest_num_refine 1", Plain, HERE},
    {"multigrid", "-pc_type mg -pc_mg_levels 3 -pc_mg_galerkin none", Levels, HERE},
    {"FAS", "-snes_type fas -snes_fas_levels 3 -fas_levels_snes_type newtonls -fas_levels_snes_max_it 1 -fas_coarse_snes_type newtonls -snes_rtol 1e-8", Levels, HERE},
    {"callbacks that come last", "", LateCallbacks, HERE},
    {"type changed later", "", OtherType, HERE},
    {"a clone of the DM", "", Clone, HERE},
    {"residual before the solve", "", ResidualFirst, HERE},
    {"other essential values", "", OtherValues, HERE},
    {"changing essential values", "", ChangingValues, HERE},
    {"other pointwise functions", "", OtherFunctions, HERE},
    {"a local residual of its own", "", OwnLocal, PETSC_FALSE, PETSC_TRUE},
    {"a residual of its own", "", OwnGlobal, PETSC_FALSE, PETSC_TRUE},
    {"not wanted", "-plex_assembly false", Plain, PETSC},
    {"not wanted by prefix", "-mine_plex_assembly false", Prefixed, PETSC},
    {"a grid of another type", "", Grid, PETSC}
  };

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(programs); ++k) PetscCall(LookAt(&programs[k]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
