static char help[] = "Every strategy once on small cases, for compute-sanitizer: memcheck, racecheck.\n\
  -backend <type> : default cuda\n\
  -type <type>    : only this strategy\n\n";

#include "problem.h"
#include "report.h"

static const char *const     strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                             PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                             PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};
static const PlexTestProblem problems[]   = {
  {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL},
  {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL},
  {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 1, .components = 2, .form = PLEX_TEST_GENERAL},
  {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL, .cells = 3}
};
static const char *const names[] = {"tri P2", "tet P1", "quad Q1 vector", "hex Q2"};

typedef struct {
  DM          dm;
  const char *backend, *type;
  PetscReal   F, J, A; /* errors of residual, Jacobian and, of types with a thread an element, actions */
} Run;

static PetscErrorCode RunType(void *ctx)
{
  Run         *run = (Run *)ctx;
  PlexAssembly assembly;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(run->dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, run->backend));
  PetscCall(PlexAssemblySetType(assembly, run->type));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, run->dm, &run->F, &run->J));
  run->A = 0.;
  /* once each: evaluated in colours, stored with atomic additions */
  PetscCall(PlexAssemblySetApply(assembly, run->type == strategies[1] ? PLEX_APPLY_STORED : PLEX_APPLY_EVALUATED));
  if (run->type == strategies[0] || run->type == strategies[1])
    PetscCall(PlexTestCompareActions(assembly, run->dm, &run->A));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char           backend[64] = PLEXBACKENDCUDA, type[64] = "", name[128], text[2048];
  PetscBool      available, cuda, wanted;
  PetscErrorCode ierr;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  PetscCall(PlexBackendIsAvailable(backend, &available));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &cuda));
  if (!available) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", backend));
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(problems) && available; ++p) {
    PlexTestProblem problem = problems[p];
    DM              dm;

    problem.device = cuda;
    PetscCall(PlexTestProblemCreate(&problem, &dm));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(strategies); ++k) {
      Run run = {.dm = dm, .backend = backend, .type = strategies[k]};

      PetscCall(PetscStrcmp(type, strategies[k], &wanted));
      if (type[0] && !wanted) continue;
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s %s", backend, strategies[k], names[p]));
      PetscCall(PlexTestTry(RunType, &run, &ierr, text, sizeof(text)));
      PetscCall(PlexTestReport((PetscBool)(!ierr && run.F <= 1e-12 && run.J <= 1e-12 && run.A <= 1e-12), name,
                               "relative errors: residual %.3g, Jacobian %.3g, actions %.3g; error %d: %s",
                               (double)run.F, (double)run.J, (double)run.A, (int)ierr, text));
    }
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
