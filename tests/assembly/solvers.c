static char
  help[] = "Solvers, graphs and meshes of libraries that PETSc was built with, each named as a user does, with "
           "matrices that PlexGPU assembles: the solution is that of PETSc's own conjugate gradients.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char *name;
  PetscBool   has, parallel; /* of several processes too */
  const char *options;
} Library;

static const Library solvers[] = {
  {"hypre",   PetscDefined(HAVE_HYPRE),       PETSC_TRUE,  "-ksp_type cg -pc_type hypre"                                   },
  {"MUMPS",   PetscDefined(HAVE_MUMPS),       PETSC_TRUE,  "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps"},
  {"UMFPACK", PetscDefined(HAVE_SUITESPARSE), PETSC_FALSE,
   "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type umfpack"                                                      },
  {"KLU",     PetscDefined(HAVE_SUITESPARSE), PETSC_FALSE, "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type klu"  },
  {"CHOLMOD", PetscDefined(HAVE_SUITESPARSE), PETSC_FALSE,
   "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod"                                                },
};

/* A square of triangles as DMPlexCreateBoxMesh() makes it by default, which needs Triangle */
static PetscErrorCode CreateSquare(DM *dm)
{
  const PetscInt        faces[2] = {3, 3};
  const PlexTestProblem problem  = {.cell       = DM_POLYTOPE_TRIANGLE,
                                    .degree     = 1,
                                    .components = 1,
                                    .form       = PLEX_TEST_DIFFUSION};
  DMLabel               label;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_TRUE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(PlexTestGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscCall(PlexTestProblemShare(&problem, 0, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(DM dm, const char backend[], const char options[], Vec *u)
{
  PetscInt its[2];

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PlexTestNewton(dm, backend, its, u));
  for (const char *const *name = (const char *const[]){"-ksp_type", "-pc_type", "-pc_factor_mat_solver_type", NULL};
       *name; ++name)
    PetscCall(PetscOptionsClearValue(NULL, *name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSolvers(DM dm, const char backend[], const char mesh[])
{
  Vec         u, own;
  PetscMPIInt size;
  PetscReal   error;
  char        text[128];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Solve(dm, NULL, "-ksp_type cg -pc_type jacobi", &own));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(solvers); ++k) {
    const Library *s = &solvers[k];

    if (!s->has || (size > 1 && !s->parallel)) continue;
    PetscCall(Solve(dm, backend, s->options, &u));
    PetscCall(PlexTestVecError(u, own, &error));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s: %s", backend, mesh, s->name));
    PetscCall(PlexTestReport((PetscBool)(error <= 1e-9), text, "error %g", (double)error));
    PetscCall(VecDestroy(&u));
  }
  PetscCall(VecDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunBackend(const char backend[])
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TETRAHEDRON,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(TestSolvers(dm, backend, "tetrahedra"));
  PetscCall(DMDestroy(&dm));
  if (PetscDefined(HAVE_TRIANGLE)) {
    PetscCall(CreateSquare(&dm));
    PetscCall(TestSolvers(dm, backend, "a square of Triangle's"));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunHost(void)
{
  PetscFunctionBegin;
  PetscCall(RunBackend(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each process has a part of the mesh */
static PetscErrorCode TestPartitioner(const char type[])
{
  DM               dm, parts;
  PetscPartitioner partitioner;
  PetscInt         cStart, cEnd, least;
  char             text[128];

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TETRAHEDRON, 0, &dm));
  PetscCall(DMPlexGetPartitioner(dm, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, type));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &parts));
  PetscCall(DMPlexGetHeightStratum(parts, 0, &cStart, &cEnd));
  least = cEnd - cStart;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(text, sizeof(text), "parts by %s", type));
  PetscCall(PlexTestReport((PetscBool)(least > 0), text, "a process has no cell"));
  PetscCall(DMDestroy(&parts));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  if (!PetscDefined(HAVE_HYPRE) && !PetscDefined(HAVE_MUMPS) && !PetscDefined(HAVE_SUITESPARSE))
    return PlexTestSkip(argc, argv, help, "this PETSc has none of hypre, MUMPS and SuiteSparse");
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (PetscDefined(HAVE_PTSCOTCH) && size > 1) PetscCall(TestPartitioner(PETSCPARTITIONERPTSCOTCH));
  PetscCall(PlexTestEachBackend(RunBackend, RunHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
