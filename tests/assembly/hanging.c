static char
  help[] = "Hanging nodes: residual and Jacobian on a mesh of which one cell is refined, against PETSc's own.\n"
           "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default host,emulate.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* A box of quadrilaterals or hexahedra of which one is refined; PETSc refines on one process, and shares cells out */
static PetscErrorCode CreateDM(PetscInt dim, PetscInt degree, DM *dm)
{
  const PlexTestProblem problem  = {.cell       = dim == 2 ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_HEXAHEDRON,
                                    .degree     = degree,
                                    .components = dim == 2 ? 2 : 1,
                                    .form       = PLEX_TEST_GENERAL};
  const PetscInt        faces[3] = {2, 2, 2};
  DM                    tree, refined;
  DMLabel               label;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(DMPlexCreateDefaultReferenceTree(PETSC_COMM_WORLD, dim, PETSC_FALSE, &tree));
  PetscCall(DMPlexSetReferenceTree(*dm, tree));
  PetscCall(DMDestroy(&tree));
  PetscCall(DMPlexTreeRefineCell(*dm, 0, &refined));
  PetscCall(DMDestroy(dm));
  *dm = refined;
  PetscCall(DMCreateLabel(*dm, "boundary"));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexTestProblemSetUp(*dm, &problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(const char backend[], PetscInt dim, PetscInt degree)
{
  DM                 dm;
  PlexAssembly       assembly;
  PlexAssemblyCounts counts;
  PetscSection       anchors;
  PetscReal          residual, jacobian;
  PetscInt           size = 0;
  PetscBool          good;
  char               name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %" PetscInt_FMT "D Q%" PetscInt_FMT, backend, dim, degree));
  PetscCall(CreateDM(dim, degree, &dm));
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  if (anchors) PetscCall(PetscSectionGetStorageSize(anchors, &size));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &size, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(size > 0), name, "there are anchors", "none"));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  good = (PetscBool)(residual < 1e-11 && jacobian < 1e-11);
  PetscCall(PlexTestReportOf(good, name, "values", "relative differences %g and %g", (double)residual,
                             (double)jacobian));
  PetscCall(PlexTestReportOf((PetscBool)(counts.residuals == 1 && counts.jacobians == 1), name, "assembled here",
                             "%" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians", counts.residuals,
                             counts.jacobians));
  PetscCall(PlexAssemblySetCheckTolerance(assembly, 1e-11));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  good = (PetscBool)(residual < 1e-11 && jacobian < 1e-11);
  PetscCall(PlexTestReportOf(good, name, "again, with -plex_assembly_check", "relative differences %g and %g",
                             (double)residual, (double)jacobian));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(Look(backends[k], 2, 1));
    PetscCall(Look(backends[k], 2, 2));
    PetscCall(Look(backends[k], 3, 1));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
