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

/* From one type to another after as many assemblies as it says, on all processes, and all values are PETSc's */
static PetscErrorCode TestChange(DM dm, const char backend[], const char first[], const char then[], Vec X, Mat J,
                                 Mat petsc)
{
  PlexAssembly assembly;
  PetscReal    error = 0, worst = 0;
  PetscBool    is = PETSC_TRUE, begins = PETSC_TRUE;
  PetscInt     n = 0, after = 0, most;
  char         text[256];

  PetscFunctionBegin;
  PetscCall(Create(dm, backend, &assembly));
  for (; n < MOST && is; ++n) {
    after = assembly->strategy[PLEX_JACOBIAN].after;
    PetscCall(MatZeroEntries(J));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(IsType(assembly, first, &is));
    if (!n) begins = is;
    if (n < 4 || !is) PetscCall(PlexTestMatError(J, petsc, &error));
    worst = PetscMax(worst, error);
  }
  PetscCall(IsType(assembly, then, &is));
  most = n;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s at first, then %s", backend, first, then));
  PetscCall(PlexTestReport((PetscBool)(begins && is && most == n), text, "%s after %" PetscInt_FMT " assemblies",
                           assembly->strategy[PLEX_JACOBIAN].type, n));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s follows when it was said to", backend, then));
  PetscCall(PlexTestReport((PetscBool)(after >= 2 && n == after + 1), text,
                           "said: after %" PetscInt_FMT ", came with number %" PetscInt_FMT, after, n));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s and %s, values", backend, first, then));
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

typedef struct {
  DM  dm;
  Mat J, petsc;
  Vec X;
} Problem;

static PetscErrorCode ProblemCreate(const char form[], PetscInt order, Problem *p)
{
  const PlexTestTensorSpace space = {DM_POLYTOPE_TRIANGLE, PETSC_FALSE, REFINE_TRIANGLES, order};
  const PlexTestTensorForm *f;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(form, &f));
  PetscCall(PlexTestTensorProblemCreate(&space, f, &p->dm));
  PetscCall(PlexTestLocalVector(p->dm, 1, &p->X));
  PetscCall(DMCreateMatrix(p->dm, &p->J));
  PetscCall(DMCreateMatrix(p->dm, &p->petsc));
  PetscCall(DMPlexTSComputeIJacobianFEM(p->dm, 0., p->X, p->X, 0., p->petsc, p->petsc, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->X));
  PetscCall(MatDestroy(&p->J));
  PetscCall(MatDestroy(&p->petsc));
  PetscCall(DMDestroy(&p->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PlexAssembly assembly;
  Problem      p;
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCall(ProblemCreate("Laplacian", 1, &p));
  PetscCall(TestChange(p.dm, backend, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYSHAREDNZ, p.X, p.J, p.petsc));
  PetscCall(TestStays(p.dm, backend, PETSC_UNLIMITED, PETSC_FALSE, PLEXASSEMBLYSHAREDNZ, p.X, p.J, p.petsc));
  PetscCall(TestStays(p.dm, backend, 1, PETSC_FALSE, PLEXASSEMBLYELEMENTATOMIC, p.X, p.J, p.petsc));
  PetscCall(TestStays(p.dm, backend, 1, PETSC_TRUE, PLEXASSEMBLYELEMENTCOLOR, p.X, p.J, p.petsc));
  PetscCall(TestStays(p.dm, backend, PETSC_DETERMINE, PETSC_TRUE, PLEXASSEMBLYSHAREDNZ, p.X, p.J, p.petsc));
  PetscCall(Create(p.dm, backend, &assembly));
  EXPECT("no assembly at all", ExpectNone, assembly, "0 assemblies cannot be expected", "PETSC_DETERMINE");
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(ProblemDestroy(&p));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1 || !PlexTestLong()) PetscFunctionReturn(PETSC_SUCCESS); /* it takes long where kernels are emulated */
  /* a plan of local_row is made sooner than that of shared_nz, and nearly as fast: it comes first */
  PetscCall(ProblemCreate("elasticity", 3, &p));
  PetscCall(TestChange(p.dm, backend, PLEXASSEMBLYLOCALROW, PLEXASSEMBLYSHAREDNZ, p.X, p.J, p.petsc));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
