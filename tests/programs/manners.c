static char
  help[] = "The version of the library; small problems of all classes, of which manners-output.sh looks at help, "
           "citations, progress and hints.\n"
           "  -class (none|assembly|dg|hdg|all)\n"
           "  -sleep <seconds>  of a set-up of DG\n\n";

#include "meshes.h"
#include "problem.h"
#include "report.h"
#include <unistd.h>

/* Coefficients of acoustics, which the first element waits for */
static PetscErrorCode Slow(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscInt *seconds = (PetscInt *)ctx;

  PetscFunctionBegin;
  for (; *seconds > 0; --*seconds) (void)sleep(1);
  for (PetscInt i = 0; i < n; ++i) k[i] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunAssembly(PetscBool run)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_LINEAR,
                                   .cells      = 4};
  PlexAssembly          assembly;
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  if (run) PetscCall(PlexTestCompute(assembly, dm));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunDG(DM dm, PetscBool run, PetscInt seconds)
{
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetDegree(dg, 1));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  if (seconds) PetscCall(PlexDGSetCoefficients(dg, Slow, &seconds));
  PetscCall(PlexDGSetFromOptions(dg));
  if (run) {
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDestroy(&U));
  }
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunHDG(DM dm, PetscBool run)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  if (run) PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      version[32], numbers[32], which[16] = "none";
  PetscInt  major, minor, subminor, seconds = 0;
  PetscBool listed = PETSC_FALSE, is[4], same;
  DM        dm;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-class", which, sizeof(which), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-sleep", &seconds, NULL));
  PetscCall(PlexGPUGetVersion(version, sizeof(version)));
  PetscCall(PlexGPUGetVersionNumber(&major, &minor, &subminor));
  PetscCall(PetscSNPrintf(numbers, sizeof(numbers), "%" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT, major, minor,
                          subminor));
  PetscCall(PetscStrcmp(version, numbers, &same));
  PetscCall(PlexTestReport(same, "manners: the version is its numbers", "%s, %s", version, numbers));
  PetscCall(PetscStrcmp(version, PLEXGPU_VERSION, &same));
  PetscCall(PlexTestReport((PetscBool)(same && PLEXGPU_VERSION_GE(major, minor, subminor) &&
                                       PLEXGPU_VERSION_GE(major, minor - 1, subminor + 1) &&
                                       !PLEXGPU_VERSION_GE(major, minor, subminor + 1) &&
                                       !PLEXGPU_VERSION_GE(major + 1, 0, 0)),
                           "manners: the headers are of this version", "%s, " PLEXGPU_VERSION, version));
  PetscCall(PetscStrcmp(which, "all", &listed));
  PetscCall(PetscStrcmp(which, "assembly", &is[0]));
  PetscCall(PetscStrcmp(which, "dg", &is[1]));
  PetscCall(PetscStrcmp(which, "hdg", &is[2]));
  if (is[0] || is[1] || is[2] || listed) {
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
    if (is[0] || listed) PetscCall(RunAssembly(is[0]));
    if (is[1] || listed) PetscCall(RunDG(dm, is[1], seconds));
    if (is[2] || listed) PetscCall(RunHDG(dm, is[2]));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
