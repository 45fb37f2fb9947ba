static char help[] = "Programs that know nothing of PlexGPU, with and without it: same iterations and solution, and "
                     "who did the work.\n"
                     "  -only <name>   this program alone\n\n";

#include <plexgpu.h>
#include "problem.h"
#include "programs.h"
#include "report.h"

static PetscBool preloaded; /* libplexgpu_preload.so stands before PETSc, by LD_PRELOAD */

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
  const PlexTestProgram *program;
  PlexTestRun           *run;
} Call;

static PetscErrorCode RunProgram(void *ctx)
{
  Call        *call = (Call *)ctx;
  PlexTestRun *run  = call->run;
  PetscInt     before[4], after[4];

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

/* compared: PETSc has computed everything too, to compare */
static PetscErrorCode Compare(const char name[], const PlexTestProgram *program, const PlexTestRun *plain,
                              PlexTestRun *taken, PetscBool compared)
{
  char           text[2048];
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
  PetscCall(PlexTestReportOf((PetscBool)(taken->its == plain->its && taken->linear == plain->linear), name,
                             "iterations",
                             "%" PetscInt_FMT " of SNES and %" PetscInt_FMT " of KSP, without PlexGPU %" PetscInt_FMT
                             " and %" PetscInt_FMT,
                             taken->its, taken->linear, plain->its, plain->linear));
  PetscCall(VecNorm(plain->u, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(taken->u, -1., plain->u));
  PetscCall(VecNorm(taken->u, NORM_INFINITY, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference <= 1e-10 * norm), name, "solution",
                             "it differs from that without PlexGPU by %g of %g", (double)difference, (double)norm));
  good = taken->ok;
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscBool byName = (PetscBool)(program->byName && preloaded && !k);
    const PetscBool here   = (PetscBool)(byName || (k ? program->jacobians : program->residuals));

    /* a residual is compared with PETSc's, and that of another vector says how large its terms are */
    expected[k][0] = !here ? plain->petsc[k] : !compared ? 0 : k ? plain->petsc[k] : 2 * plain->petsc[k];
    expected[k][1] = here ? plain->petsc[k] : 0;
    if (taken->petsc[k] != expected[k][0] || taken->here[k] != expected[k][1]) good = PETSC_FALSE;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf(good, name, "who did the work",
                             "PETSc %" PetscInt_FMT " residuals and %" PetscInt_FMT " Jacobians, PlexGPU %" PetscInt_FMT
                             " and %" PetscInt_FMT "; expected %" PetscInt_FMT " and %" PetscInt_FMT ", %" PetscInt_FMT
                             " and %" PetscInt_FMT "; callbacks as they should be: %d",
                             taken->petsc[0], taken->petsc[1], taken->here[0], taken->here[1], expected[0][0],
                             expected[1][0], expected[0][1], expected[1][1], (int)taken->ok));
  PetscCall(VecDestroy(&taken->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const PlexTestProgram *program)
{
  char               name[256];
  PlexTestRun        plain = {.u = NULL};
  Call               call  = {program, &plain};
  PetscOptions       options;
  const char *const *backends;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, program->options));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source", PLEX_TEST_FORMS));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(PlexGPUSetTakeOver(PETSC_FALSE));
  PetscCall(RunProgram(&call));
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_backend", backends[k]));
    for (PetscInt compared = 0; compared <= (PetscInt)program->compared; ++compared) {
      PlexTestRun taken = {.u = NULL};

      if (compared) PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_check", "1e-12"));
      else PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_check"));
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s%s", program->name, backends[k],
                              compared ? ", each entry compared" : ""));
      PetscCall(Compare(name, program, &plain, &taken, (PetscBool)compared));
    }
  }
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(VecDestroy(&plain.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A callback of the program's own that calls PETSc's assembly */

static PetscErrorCode OwnFunction(DM dm, Vec X, Vec F, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(DMPlexSNESComputeResidualFEM(dm, X, F, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunOwnFunction(void *ctx)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  SNES                  snes;
  DM                    dm;
  Vec                   u;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(DMSNESSetFunctionLocal(dm, OwnFunction, NULL));
  PetscCall(SNESCreate(PetscObjectComm((PetscObject)dm), &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetType(snes, SNESNEWTONLS));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view names it once; the Jacobian, which is PETSc's, is taken over. With libplexgpu_preload.so both are */
static PetscErrorCode LookAtOwnFunction(void)
{
  const char line[]   = "the program's own function 'OwnFunction' calls PETSc's assembly: not taken over "
                        "(LD_PRELOAD=libplexgpu_preload.so may do it)\n";
  const char byName[] = "of these, where PETSc's functions were called by name (interposition): ";
  char       text[2][16384], *found[2][2], *view;

  PetscFunctionBegin;
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_view", NULL));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestCapture(RunOwnFunction, NULL, text[k], sizeof(text[k])));
    PetscCall(PetscStrstr(text[k], line, &found[k][0]));
    found[k][1] = NULL;
    if (found[k][0]) PetscCall(PetscStrstr(found[k][0] + 1, line, &found[k][1]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_view"));
  if (preloaded) {
    char *named;

    PetscCall(PetscStrstr(text[0], byName, &view));
    PetscCall(PetscStrstr(text[0], "not taken over", &named));
    PetscCall(PlexTestReport((PetscBool)(view && !named), "a function of the program's own gets residuals from here",
                             "the view was: %s", text[0]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrstr(text[0], "computed here: 0 residuals, ", &view));
  PetscCall(PlexTestReport((PetscBool)(view && found[0][0] && !found[0][1] && !found[1][0]),
                           "a function of the program's own that calls PETSc's assembly is named once",
                           "the views were: %s and: %s", text[0], text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProgram *programs;
  PetscInt               n;
  const char            *libraries = getenv("LD_PRELOAD");
  char                   one[64]   = "";
  PetscBool              only, same;
  DM                     dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  preloaded = (PetscBool)(libraries && strstr(libraries, "libplexgpu_preload"));
  PetscCall(DMCreate(PETSC_COMM_SELF, &dm)); /* that library starts, and takes over from then on */
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PlexTestGetPrograms(&n, &programs));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", one, sizeof(one), &only));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscStrcmp(programs[k].name, one, &same));
    if (same || !only) PetscCall(LookAt(&programs[k]));
  }
  if (!only) PetscCall(LookAtOwnFunction());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
