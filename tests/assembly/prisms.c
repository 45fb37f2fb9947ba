static char help[] = "Prisms: residuals and Jacobians are PETSc's.\n"
                     "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default "
                     "host,emulate.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char  *name;
  PetscInt     degree, components;
  PlexTestForm form;
  const char  *type;     /* strategy, where the backend has some */
  PetscBool    compiled; /* with backends that compile too */
} Case;

static const Case cases[] = {
  {.name       = "degree 1, scalar",
   .degree     = 1,
   .components = 1,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYLOCALROW,
   .compiled   = PETSC_TRUE},
  {.name       = "degree 1, vector",
   .degree     = 1,
   .components = 3,
   .form       = PLEX_TEST_GENERAL,
   .type       = PLEXASSEMBLYSHAREDNZ,
   .compiled   = PETSC_TRUE},
  {.name = "degrees 1 and 0", .degree = 1, .components = 3, .form = PLEX_TEST_MIXED, .type = PLEXASSEMBLYGLOBALROW}
};

/* Two layers of prisms over irregular triangles, their vertices moved */
static PetscErrorCode CreateMesh(DM *dm)
{
  DMLabel      label;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(PlexTestPrisms(2, dm));
  PetscCall(PlexTestGetLabel(*dm, "boundary", &label));
  PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
  PetscCall(DMPlexLabelComplete(*dm, label));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k += 3) {
    const PetscScalar z = x[k + 2];

    x[k + 2] += 0.1 * PetscSinReal(3. * x[k]) + 0.05 * x[k + 1];
    x[k] += 0.1 * z * x[k + 1];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCase(const Case *c, const char backend[], PetscBool device)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRI_PRISM,
                                   .degree     = c->degree,
                                   .components = c->components,
                                   .form       = c->form,
                                   .device     = device};
  PlexAssemblyCounts    counts;
  PlexAssembly          assembly;
  PetscReal             residual, jacobian;
  PetscMPIInt           size;
  PetscBool             host;
  char                  name[256];
  DM                    dm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(CreateMesh(&dm));
  PetscCall(PlexTestProblemShare(&problem, 0, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  if (!host) PetscCall(PlexAssemblySetType(assembly, c->type));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, dm, &residual, &jacobian));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s%s on %d", backend, c->name, device ? " on the GPU" : "", size));
  PetscCall(PlexTestReport((PetscBool)(residual <= 1e-12 && jacobian <= 1e-12 && counts.residuals == 1 &&
                                       counts.jacobians == 1),
                           name,
                           "relative errors: residual %.3g, Jacobian %.3g; %" PetscInt_FMT " and %" PetscInt_FMT
                           " left to PETSc",
                           (double)residual, (double)jacobian, counts.residualsLeft, counts.jacobiansLeft));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method, with essential values: iterations and solution of PETSc's assembly */
static PetscErrorCode LookAtNewton(const char backend[], PetscBool device)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRI_PRISM,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  PetscInt              its[2][2];
  PetscReal             error;
  Vec                   x[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DMField field;
    DM      dm;

    PetscCall(CreateMesh(&dm));
    PetscCall(PlexTestDistributeDefault(&dm, 0));
    PetscCall(DMGetCoordinateField(dm, &field));
    if (device && k) PetscCall(PlexTestUseDevice(dm));
    PetscCall(PlexTestProblemSetUp(dm, &problem));
    PetscCall(PlexTestNewton(dm, k ? backend : NULL, its[k], &x[k]));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestVecError(x[1], x[0], &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-8 && its[0][0] == its[1][0] && its[0][0] > 1), backend,
                             "Newton's method",
                             "solutions differ by %.3g; %" PetscInt_FMT " iterations with PETSc's assembly and "
                             "%" PetscInt_FMT,
                             (double)error, its[0][0], its[1][0]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&x[k]));
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
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
      if (host || device || cases[k].compiled) PetscCall(LookAtCase(&cases[k], backends[b], device));
    PetscCall(LookAtNewton(backends[b], device));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
