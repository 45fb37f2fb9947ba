static char help[] = "Jacobians of subdomains (MATIS), which are not summed between processes: PETSc's values "
                     "in each local matrix, and BDDC with them.\n"
                     "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default "
                     "host,emulate.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char    *name; /* of the cell */
  DMPolytopeType cell;
  PetscInt       degree, components, overlap;
  const char    *type;     /* strategy, where the backend has some */
  PetscBool      compiled; /* with backends that compile too */
} Case;

static const Case cases[] = {
  {.name       = "tri P2 vector",
   .cell       = DM_POLYTOPE_TRIANGLE,
   .degree     = 2,
   .components = 2,
   .type       = PLEXASSEMBLYLOCALROW,
   .compiled   = PETSC_TRUE},
  {.name       = "quad Q1 scalar",
   .cell       = DM_POLYTOPE_QUADRILATERAL,
   .degree     = 1,
   .components = 1,
   .overlap    = 1,
   .type       = PLEXASSEMBLYGLOBALNZ,
   .compiled   = PETSC_TRUE},
  {.name       = "tet P3 scalar",
   .cell       = DM_POLYTOPE_TETRAHEDRON,
   .degree     = 3,
   .components = 1,
   .type       = PLEXASSEMBLYELEMENTCOLOR},
  {.name = "hex Q2 vector", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 3, .type = PLEXASSEMBLYSHAREDNZ},
};

/* Distributed, with matrices of type IS whose local ones are of type `local` */
static PetscErrorCode CreateDM(const Case *c, PlexTestForm form, const char local[], PetscBool device, DM *dm)
{
  const PlexTestProblem problem = {.cell = c->cell, .degree = c->degree, .components = c->components, .form = form};
  DMField               field;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, c->overlap));
  PetscCall(DMGetCoordinateField(*dm, &field));
  PetscCall(DMSetMatType(*dm, MATIS));
  if (device) PetscCall(DMSetVecType(*dm, VECCUDA));
  PetscCall(PlexTestProblemSetUp(*dm, &problem));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_is_localmat_type", local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(DM dm, const char backend[], const char type[], PlexAssembly *assembly)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (!host) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every value of the local matrices, and what the sum of them does to a vector, beside a matrix of type AIJ */
static PetscErrorCode LookAtCase(const Case *c, const char backend[], PetscBool device)
{
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  Vec                X, x, y, z;
  Mat                J, K, A;
  PetscReal          error, again, action;
  PetscInt           here, left;
  PetscMPIInt        size;
  char               name[256];
  DM                 dm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateDM(c, PLEX_TEST_GENERAL, device ? MATAIJCUSPARSE : MATAIJ, device, &dm));
  PetscCall(CreateAssembly(dm, backend, c->type, &assembly));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &K));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, K, K, NULL));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(PlexTestMatError(J, K, &error));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDuplicate(J, MAT_COPY_VALUES, &K));
  PetscCall(MatScale(K, 3.));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., K, K));
  PetscCall(PlexTestMatError(K, J, &again));
  PetscCall(DMSetMatType(dm, MATAIJ));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, A, A, NULL));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(DMLocalToGlobal(dm, X, INSERT_VALUES, x));
  PetscCall(MatMult(K, x, y));
  PetscCall(MatMult(A, x, z));
  PetscCall(PlexTestVecError(y, z, &action));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  here = counts.jacobians;
  left = counts.jacobiansLeft;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s overlap %" PetscInt_FMT " on %d", backend, c->name, c->overlap,
                          size));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-12 && again == 0. && action <= 1e-12 && here == 2 && !left), name,
                           "relative errors: local matrix %.3g, another one %.3g, product with a vector %.3g; "
                           "%" PetscInt_FMT " Jacobians here, %" PetscInt_FMT " left to PETSc",
                           (double)error, (double)again, (double)action, here, left));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method on a nonlinear problem with BDDC: iterations, solution, Jacobians computed here and left to PETSc */
static PetscErrorCode Solve(const Case *c, const char local[], const char backend[], PetscInt its[2], PetscInt who[2],
                            Vec *solution)
{
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  DM                 dm;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, PLEX_TEST_DIFFUSION, local, PETSC_FALSE, &dm));
  PetscCall(PlexTestNewton(dm, backend, its, solution));
  if (backend) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    who[0] = counts.jacobians;
    who[1] = counts.jacobiansLeft;
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local matrices may hold half of each row */
static PetscErrorCode LookAtBDDC(const char backend[], const char local[])
{
  const Case  c = {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1};
  Vec         x, y;
  PetscInt    its[2][2], who[2];
  PetscReal   error;
  PetscMPIInt size;
  char        name[256];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", PCBDDC));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_rtol", "1e-8"));
  PetscCall(Solve(&c, local, NULL, its[0], who, &x));
  PetscCall(Solve(&c, local, backend, its[1], who, &y));
  PetscCall(PlexTestVecError(y, x, &error));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s Newton's method with BDDC, local matrices of type %s, on %d", backend,
                          local, size));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-8 && its[0][0] == its[1][0] && its[0][1] == its[1][1] &&
                                       its[0][0] > 1 && who[0] == its[0][0] && !who[1]),
                           name,
                           "solutions differ by %.3g; PETSc takes %" PetscInt_FMT " iterations and %" PetscInt_FMT
                           " linear ones, here %" PetscInt_FMT " and %" PetscInt_FMT "; %" PetscInt_FMT
                           " Jacobians here, %" PetscInt_FMT " left to PETSc",
                           (double)error, its[0][0], its[0][1], its[1][0], its[1][1], who[0], who[1]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscBool host, device;

    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDCUDA, &device));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      if (!host && !device && !cases[k].compiled) continue;
      PetscCall(LookAtCase(&cases[k], backends[b], PETSC_FALSE));
      if (device) PetscCall(LookAtCase(&cases[k], backends[b], PETSC_TRUE));
    }
    if (host || device) PetscCall(LookAtBDDC(backends[b], MATAIJ));
    if (host) PetscCall(LookAtBDDC(backends[b], MATSBAIJ));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
