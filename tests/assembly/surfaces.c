static char
  help[] = "Linear forms on segments, surfaces and curves by all types, in each order, compared with PETSc; on "
           "any number of processes.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static const char *const Types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                    PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                    PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW,      PLEXASSEMBLYAUTO};

typedef struct {
  DMPolytopeType cell;
  PetscInt       space; /* its dimensions */
} Mesh;

static PetscErrorCode Test(const Mesh *mesh, PetscInt degree, const char backend[], const char type[])
{
  const PlexTestProblem problem = {.cell = mesh->cell, .degree = degree, .components = 1, .form = PLEX_TEST_LINEAR};
  PlexAssembly          assembly;
  DM                    dm;
  PetscReal             F, J;
  PetscBool             host;
  char                  name[256];

  PetscFunctionBegin;
  PetscCall(PlexTestMeshInSpace(PETSC_COMM_WORLD, mesh->cell, mesh->space, 0, &dm));
  PetscCall(PlexTestMarkHeld(dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  if (!host) PetscCall(PlexAssemblySetType(assembly, type));
  PetscCall(PlexTestCompare(assembly, dm, &F, &J));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s in %" PetscInt_FMT "D, P%" PetscInt_FMT ", %s %s",
                          DMPolytopeTypes[mesh->cell], mesh->space, degree, backend, host ? "" : type));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-13 && J <= 1e-13), name, "relative errors: residual %g, Jacobian %g",
                           (double)F, (double)J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Mesh meshes[] = {
    {DM_POLYTOPE_SEGMENT,       1},
    {DM_POLYTOPE_SEGMENT,       2},
    {DM_POLYTOPE_SEGMENT,       3},
    {DM_POLYTOPE_TRIANGLE,      3},
    {DM_POLYTOPE_QUADRILATERAL, 3}
  };
  const char *const *backends;
  PetscInt           n, turn = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b)
    for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(meshes); ++m)
      for (PetscInt degree = 1; degree <= 3; ++degree)
        for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(Types); ++t)
          if (turn++ % 4 == 0) PetscCall(Test(&meshes[m], degree, backends[b], Types[t]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
