static char help[] = "Prints a number made of all bits of a residual and a Jacobian, for each type and the host: "
                     "repeatable-orders.sh compares those of several runs.\n\n";

#include "problem.h"
#include "report.h"

static const char *const types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                    PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                    PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

/* FNV-1a, 64 bits */
static void Hash(const PetscScalar values[], PetscInt n, unsigned long long *h)
{
  const unsigned char *bytes = (const unsigned char *)values;

  for (size_t k = 0; k < sizeof(PetscScalar) * (size_t)n; ++k) *h = (*h ^ bytes[k]) * 1099511628211ULL;
}

static PetscErrorCode Assemble(DM dm, const char backend[], const char type[], unsigned long long h[2])
{
  const PetscScalar *values;
  PlexAssembly       assembly;
  Vec                locX, locF;
  Mat                J;
  MatInfo            info;
  PetscInt           n;

  PetscFunctionBegin;
  h[0] = h[1] = 14695981039346656037ULL;
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetType(assembly, type));
  PetscCall(PlexAssemblySetFallback(assembly, PETSC_FALSE));
  PetscCall(PlexTestLocalVector(dm, 1, &locX));
  PetscCall(VecDuplicate(locX, &locF));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeFunction(assembly, locX, NULL, 0., locF));
  PetscCall(PlexAssemblyComputeJacobian(assembly, locX, NULL, 0., 0., J, J));
  PetscCall(VecGetLocalSize(locF, &n));
  PetscCall(VecGetArrayRead(locF, &values));
  Hash(values, n, &h[0]);
  PetscCall(VecRestoreArrayRead(locF, &values));
  PetscCall(MatGetInfo(J, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArrayRead(J, &values));
  Hash(values, (PetscInt)info.nz_used, &h[1]);
  PetscCall(MatSeqAIJRestoreArrayRead(J, &values));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&locF));
  PetscCall(VecDestroy(&locX));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By two assemblies, of which the second repeats the first, but for the order of arrival */
static PetscErrorCode Say(DM dm, const char backend[], const char type[])
{
  unsigned long long h[2][2];
  PetscBool          atomic;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(Assemble(dm, backend, type, h[k]));
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYELEMENTATOMIC, &atomic));
  if (!atomic)
    PetscCall(PlexTestReportOf((PetscBool)(h[0][0] == h[1][0] && h[0][1] == h[1][1]), backend, type,
                               "%016llx %016llx, then %016llx %016llx", h[0][0], h[0][1], h[1][0], h[1][1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "bits %s %s %016llx %016llx\n", backend, type, h[0][0], h[0][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL};
  PetscBool             emulate;
  DM                    dm;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(Say(dm, PLEXBACKENDHOST, PLEXASSEMBLYAUTO));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types) && emulate; ++k)
    PetscCall(Say(dm, PLEXBACKENDEMULATE, types[k]));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
