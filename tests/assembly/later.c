static char
  help[] = "A faster type that follows one whose plan is soon made: when, with which values; and what is said "
           "of how many assemblies there will be.\n\n";

#include <plexgpu/impl.h>
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

/* as many elements as the cost model asks for; on several processes of each */
#define REFINE_TRIANGLES -7
#define MOST             5000

static PetscErrorCode Create(DM dm, const char backend[], PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_COEFFICIENTS));
  PetscCall(PlexAssemblySetSymmetric(*assembly, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsType(PlexAssembly assembly, const char type[], PetscBool *is)
{
  PlexAssemblyType now;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetJacobianType(assembly, &now));
  PetscCall(PetscStrcmp(now, type, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It changes after as many assemblies as it says, on all processes, and all values are PETSc's */
static PetscErrorCode TestChange(DM dm, const char backend[], Vec X, Mat J, Mat petsc)
{
  PlexAssembly assembly;
  PetscReal    error = 0, worst = 0;
  PetscBool    atomic, changed = PETSC_FALSE, later = PETSC_FALSE;
  PetscInt     n = 0, after = 0, most;
  char         text[256];

  PetscFunctionBegin;
  PetscCall(Create(dm, backend, &assembly));
  for (; n < MOST && !changed; ++n) {
    after = assembly->strategy[PLEX_JACOBIAN].after;
    PetscCall(MatZeroEntries(J));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(IsType(assembly, PLEXASSEMBLYELEMENTATOMIC, &atomic));
    if (!n) later = atomic;
    changed = (PetscBool)!atomic;
    if (n < 4 || changed) PetscCall(PlexTestMatError(J, petsc, &error));
    worst = PetscMax(worst, error);
  }
  most = n;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: element_atomic at first, then a faster type", backend));
  PetscCall(PlexTestReport((PetscBool)(later && changed && most == n), text, "after %" PetscInt_FMT " assemblies", n));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: it follows when it was said to", backend));
  PetscCall(PlexTestReport((PetscBool)(after >= 2 && n == after + 1), text,
                           "said: after %" PetscInt_FMT ", came with number %" PetscInt_FMT, after, n));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: values before and after", backend));
  PetscCall(PlexTestReport((PetscBool)(worst <= 1e-12), text, "error %g", (double)worst));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of some Jacobians, which stays */
static PetscErrorCode TestStays(DM dm, const char backend[], PetscInt expected, PetscBool deterministic,
                                const char type[], Vec X, Mat J, Mat petsc)
{
  PlexAssembly assembly;
  PetscReal    error;
  PetscBool    is = PETSC_FALSE, stays = PETSC_TRUE;
  PetscInt     n;
  char         text[256];

  PetscFunctionBegin;
  PetscCall(Create(dm, backend, &assembly));
  PetscCall(PlexAssemblySetExpectedAssemblies(assembly, expected));
  PetscCall(PlexAssemblySetDeterministic(assembly, deterministic));
  for (PetscInt k = 0; k < 4; ++k) {
    PetscCall(MatZeroEntries(J));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(IsType(assembly, type, &is));
    stays = (PetscBool)(stays && is);
  }
  PetscCall(PlexTestMatError(J, petsc, &error));
  PetscCall(PlexAssemblyGetExpectedAssemblies(assembly, &n));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s where %s%s", backend, type,
                          expected == PETSC_DETERMINE   ? "nothing is known of how many there will be"
                          : expected == PETSC_UNLIMITED ? "very many are expected"
                                                        : "few are expected",
                          deterministic ? ", and sums are to be repeatable" : ""));
  PetscCall(PlexTestReport((PetscBool)(stays && n == expected && error <= 1e-12), text, "type %s, error %g",
                           assembly->strategy[PLEX_JACOBIAN].type, (double)error));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExpectNone(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetExpectedAssemblies((PlexAssembly)ctx, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  const PlexTestTensorSpace space = {DM_POLYTOPE_TRIANGLE, PETSC_FALSE, REFINE_TRIANGLES, 1};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm;
  Mat                       J, petsc;
  Vec                       X;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("Laplacian", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &petsc));
  PetscCall(DMPlexTSComputeIJacobianFEM(dm, 0., X, X, 0., petsc, petsc, NULL));
  PetscCall(TestChange(dm, backend, X, J, petsc));
  PetscCall(TestStays(dm, backend, PETSC_UNLIMITED, PETSC_FALSE, PLEXASSEMBLYSHAREDNZ, X, J, petsc));
  PetscCall(TestStays(dm, backend, 1, PETSC_FALSE, PLEXASSEMBLYELEMENTATOMIC, X, J, petsc));
  PetscCall(TestStays(dm, backend, 1, PETSC_TRUE, PLEXASSEMBLYELEMENTCOLOR, X, J, petsc));
  PetscCall(TestStays(dm, backend, PETSC_DETERMINE, PETSC_TRUE, PLEXASSEMBLYSHAREDNZ, X, J, petsc));
  PetscCall(Create(dm, backend, &assembly));
  EXPECT("no assembly at all", ExpectNone, assembly, "0 assemblies cannot be expected", "PETSC_DETERMINE");
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
