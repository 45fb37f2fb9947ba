static char help[] = "Basis transforms (DMPlexCreateBasisRotation()): residuals, Jacobians and vectors in the rotated "
                     "basis are PETSc's.\n"
                     "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default "
                     "host,emulate.\n\n";

#include <plexgpu/impl.h>
#include <petscsnes.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       degree, components;
  PlexTestForm   form;
  const char    *type;     /* strategy, where the backend has some */
  PetscBool      compiled; /* with backends that compile too */
} Case;

static const Case cases[] = {
  {.name       = "tri P2-P1",
   .cell       = DM_POLYTOPE_TRIANGLE,
   .degree     = 2,
   .components = 2,
   .form       = PLEX_TEST_MIXED,
   .type       = PLEXASSEMBLYSHAREDNZ,
   .compiled   = PETSC_TRUE},
  {.name       = "quad Q1 vector",
   .cell       = DM_POLYTOPE_QUADRILATERAL,
   .degree     = 1,
   .components = 2,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYELEMENTATOMIC,
   .compiled   = PETSC_TRUE},
  {.name       = "quad Q1, three components",
   .cell       = DM_POLYTOPE_QUADRILATERAL,
   .degree     = 1,
   .components = 3,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYGLOBALNZ},
  {.name       = "quad Q2 vector",
   .cell       = DM_POLYTOPE_QUADRILATERAL,
   .degree     = 2,
   .components = 2,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYGLOBALROW},
  {.name       = "tet P2-P1",
   .cell       = DM_POLYTOPE_TETRAHEDRON,
   .degree     = 2,
   .components = 3,
   .form       = PLEX_TEST_SADDLE,
   .type       = PLEXASSEMBLYELEMENTCOLOR},
  {.name       = "hex Q1 vector",
   .cell       = DM_POLYTOPE_HEXAHEDRON,
   .degree     = 1,
   .components = 3,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYLOCALROW,
   .compiled   = PETSC_TRUE}
};

static PetscErrorCode CreateDM(const Case *c, PetscBool device, DM *dm)
{
  const PlexTestProblem problem = {.cell       = c->cell,
                                   .degree     = c->degree,
                                   .components = c->components,
                                   .form       = c->form,
                                   .device     = device,
                                   .rotated    = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestProblemShare(&problem, 0, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAssembly(DM dm, const char backend[], const char type[], PlexAssembly *assembly)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(dm, assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (!host) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GlobalVector(DM dm, Vec *x)
{
  PetscScalar *a;
  PetscInt     first, last;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, x));
  PetscCall(VecGetOwnershipRange(*x, &first, &last));
  PetscCall(VecGetArrayWrite(*x, &a));
  for (PetscInt k = first; k < last; ++k) a[k - first] = 0.5 * PetscSinReal(12.9898 * (k + 1));
  PetscCall(VecRestoreArrayWrite(*x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual and a Jacobian as SNES asks for them, essential values included */
static PetscErrorCode ComputeBySNES(DM dm, MatType type, Vec *F, Mat *J)
{
  SNES snes;
  Vec  x;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PetscObjectComm((PetscObject)dm), &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(DMSetMatType(dm, type));
  PetscCall(GlobalVector(dm, &x));
  PetscCall(VecDuplicate(x, F));
  PetscCall(DMCreateMatrix(dm, J));
  PetscCall(SNESSetUp(snes));
  PetscCall(SNESComputeFunction(snes, x, *F));
  PetscCall(SNESComputeJacobian(snes, x, *J, *J));
  PetscCall(VecDestroy(&x));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What DMGlobalToLocal() makes of a vector, and DMLocalToGlobal() of that, with what it leaves of it */
static PetscErrorCode Move(DM dm, Vec *l, Vec *kept, Vec *g, Vec *inserted)
{
  Vec x;

  PetscFunctionBegin;
  PetscCall(GlobalVector(dm, &x));
  PetscCall(VecDuplicate(x, g));
  PetscCall(VecDuplicate(x, inserted));
  PetscCall(VecSet(*g, 0.));
  PetscCall(PlexTestLocalVector(dm, 2, l));
  PetscCall(DMGlobalToLocal(dm, x, INSERT_VALUES, *l));
  PetscCall(VecDuplicate(*l, kept));
  PetscCall(VecCopy(*l, *kept));
  PetscCall(DMLocalToGlobal(dm, *l, ADD_VALUES, *g));
  PetscCall(DMLocalToGlobal(dm, *l, INSERT_VALUES, *inserted));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtVectors(DM here, DM petsc, const char name[])
{
  Vec       v[2][4];
  PetscReal error[3], changed;

  PetscFunctionBegin;
  PetscCall(Move(here, &v[0][0], &v[0][1], &v[0][2], &v[0][3]));
  PetscCall(Move(petsc, &v[1][0], &v[1][1], &v[1][2], &v[1][3]));
  PetscCall(PlexTestVecError(v[0][0], v[1][0], &error[0]));
  PetscCall(PlexTestVecError(v[0][2], v[1][2], &error[1]));
  PetscCall(PlexTestVecError(v[0][3], v[1][3], &error[2]));
  PetscCall(PlexTestVecError(v[0][0], v[0][1], &changed));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] <= 1e-14 && error[1] <= 1e-14 && error[2] <= 1e-14 && changed == 0.),
                             name, "vectors",
                             "relative errors: local %.3g, global %.3g and %.3g; the local vector changed by %.3g",
                             (double)error[0], (double)error[1], (double)error[2], (double)changed));
  for (PetscInt s = 0; s < 2; ++s)
    for (PetscInt k = 0; k < 4; ++k) PetscCall(VecDestroy(&v[s][k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCase(const Case *c, const char backend[], PetscBool device)
{
  const char *const  types[] = {device ? MATAIJCUSPARSE : MATAIJ, MATIS};
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  Vec                F, G;
  Mat                J, K;
  PetscReal          residual, jacobian, error[2];
  PetscMPIInt        size;
  char               name[256];
  DM                 here, petsc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s%s on %d", backend, c->name, device ? " on the GPU" : "", size));
  PetscCall(CreateDM(c, device, &here));
  PetscCall(CreateDM(c, PETSC_FALSE, &petsc));
  PetscCall(DMPlexSetSNESLocalFEM(petsc, PETSC_FALSE, NULL));
  PetscCall(SetAssembly(here, backend, c->type, &assembly));
  PetscCall(PlexTestCompare(assembly, here, &residual, &jacobian));
  PetscCall(PlexTestReportOf((PetscBool)(residual <= 1e-12 && jacobian <= 1e-12), name, "assembly",
                             "relative errors: residual %.3g, Jacobian %.3g", (double)residual, (double)jacobian));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); ++t) {
    PetscCall(ComputeBySNES(here, types[t], &F, &J));
    PetscCall(ComputeBySNES(petsc, t ? MATIS : MATAIJ, &G, &K));
    PetscCall(PlexTestVecError(F, G, &error[0]));
    PetscCall(PlexTestMatError(J, K, &error[1]));
    PetscCall(PlexTestReportOf((PetscBool)(error[0] <= 1e-12 && error[1] <= 1e-12), name,
                               t ? "by SNES, subdomains" : "by SNES", "relative errors: residual %.3g, Jacobian %.3g",
                               (double)error[0], (double)error[1]));
    PetscCall(VecDestroy(&F));
    PetscCall(VecDestroy(&G));
    PetscCall(MatDestroy(&J));
    PetscCall(MatDestroy(&K));
  }
  PetscCall(LookAtVectors(here, petsc, name));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(counts.residuals == 3 && counts.jacobians == 3 && !counts.residualsLeft &&
                                         !counts.jacobiansLeft),
                             name, "done here",
                             "%" PetscInt_FMT " residuals and %" PetscInt_FMT " Jacobians here, %" PetscInt_FMT
                             " and %" PetscInt_FMT " left to PETSc",
                             counts.residuals, counts.jacobians, counts.residualsLeft, counts.jacobiansLeft));
  PetscCall(DMDestroy(&here));
  PetscCall(DMDestroy(&petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc does not transform what cells add to a matrix for the preconditioner: that is left to it */
static PetscErrorCode LookAtPreconditioner(const char backend[])
{
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  PetscDS            ds;
  PetscPointJacFn   *g[4];
  Vec                X;
  Mat                J[2], P[2];
  PetscReal          error[2];
  DM                 dm;

  PetscFunctionBegin;
  PetscCall(CreateDM(&cases[1], PETSC_FALSE, &dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetJacobian(ds, 0, 0, &g[0], &g[1], &g[2], &g[3]));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 0, g[0], NULL, NULL, g[3]));
  PetscCall(SetAssembly(dm, backend, PLEXASSEMBLYELEMENTATOMIC, &assembly));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMCreateMatrix(dm, &J[k]));
    PetscCall(DMCreateMatrix(dm, &P[k]));
  }
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, J[0], P[0], NULL));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J[1], P[1]));
  PetscCall(PlexTestMatError(J[1], J[0], &error[0]));
  PetscCall(PlexTestMatError(P[1], P[0], &error[1]));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] <= 1e-12 && error[1] <= 1e-12 && counts.jacobiansLeft == 1), backend,
                             "a preconditioner's matrix is left to PETSc",
                             "relative errors: %.3g and %.3g; %" PetscInt_FMT " Jacobians left", (double)error[0],
                             (double)error[1], counts.jacobiansLeft));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&J[k]));
    PetscCall(MatDestroy(&P[k]));
  }
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
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
    PetscCall(LookAtPreconditioner(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
