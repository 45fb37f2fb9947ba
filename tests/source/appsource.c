static char help[] = "Device source out of an application's own files, application.c and application_field1.c: "
                     "residuals and Jacobians as PETSc's, also when\n"
                     "the variables that the forms read have changed. The environment variable PLEXGPU_TEST_BACKENDS "
                     "is the list of backends.\n\n";

#include <plexgpu/impl.h>
#include "application.h"
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include <unistd.h>

#define STEPS 3

static PetscErrorCode CreateProblem(DMPolytopeType cell, PetscBool device, DM *dm)
{
  PetscInt dim;
  PetscDS  ds;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, cell, 0, dm));
  PetscCall(DMGetDimension(*dm, &dim));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscFE fe;

    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, cell, 2 - f, 3, &fe));
    PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(ApplicationSetField0(ds));
  PetscCall(ApplicationSetField1(ds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *backend, *type, *source;
  PlexPrecision  precision;
  DMPolytopeType cell;
  PetscReal      F[STEPS], J[STEPS]; /* largest differences at each step */
  PetscInt       compiled;           /* modules that the first step left for the last */
} Case;

static PetscErrorCode Compute(void *ctx)
{
  Case        *c = (Case *)ctx;
  PlexAssembly assembly;
  PlexModule   module = NULL;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(c->cell, (PetscBool)!strcmp(c->backend, PLEXBACKENDCUDA), &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, c->backend));
  PetscCall(PlexAssemblySetType(assembly, c->type));
  PetscCall(PlexAssemblySetPrecision(assembly, c->precision));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, c->source));
  for (PetscInt step = 0; step < STEPS; ++step) {
    PetscCall(ApplicationChange(step));
    PetscCall(PlexTestCompare(assembly, dm, &c->F[step], &c->J[step]));
    if (!step) module = assembly->product[PLEX_RESIDUAL].module;
  }
  c->compiled = module && module == assembly->product[PLEX_RESIDUAL].module;
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the application's C files can be preprocessed on this machine */
static PetscErrorCode TryProgram(void *ctx)
{
  PlexProgram program;

  PetscFunctionBegin;
  PetscCall(PlexProgramCreate((const char *)ctx, NULL, &program));
  PetscCall(PlexProgramDestroy(&program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const char backend[], const char type[], PlexPrecision precision, DMPolytopeType cell,
                             const char source[], const char what[])
{
  Case            c = {.backend = backend, .type = type, .source = source, .precision = precision, .cell = cell};
  const PetscReal tolerance = precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12;
  char            name[256], text[4096];
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(Compute, &c, &ierr, text, sizeof(text)));
  for (PetscInt step = 0; step < STEPS; ++step) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s, %s, %s: variables of step %" PetscInt_FMT, backend, type,
                            PlexPrecisions[precision], DMPolytopeTypes[cell], what, step));
    PetscCall(PlexTestReport((PetscBool)(!ierr && c.F[step] <= tolerance && c.J[step] <= tolerance), name,
                             "residual differs by %g, Jacobian by %g; %s", (double)c.F[step], (double)c.J[step], text));
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s, %s, %s: nothing was compiled again", backend, type,
                          PlexPrecisions[precision], DMPolytopeTypes[cell], what));
  PetscCall(PlexTestReport((PetscBool)(!ierr && c.compiled), name, "it was; %s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the C files, and with what make left of them in build/, as on a machine without a C compiler */
static PetscErrorCode LookAtBackend(const char backend[])
{
  const char *const files       = "tests/source/application.c,tests/source/application_field1.c",
                    *const made = "build/tests/application.i,build/tests/application_field1.i";
  PetscErrorCode           ierr;
  char                     text[4096];

  PetscFunctionBegin;
  PetscCall(PlexTestTry(TryProgram, (void *)files, &ierr, text, sizeof(text)));
  if (ierr && (strstr(text, "no C compiler") || strstr(text, "PETSc's headers")))
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s, C files: no C compiler, or no PETSc to include\n", backend));
  else {
    PetscCall(LookAt(backend, PLEXASSEMBLYELEMENTCOLOR, PLEX_PRECISION_DOUBLE, DM_POLYTOPE_TRIANGLE, files, "C files"));
    PetscCall(LookAt(backend, PLEXASSEMBLYELEMENTCOLOR, PLEX_PRECISION_SINGLE, DM_POLYTOPE_TRIANGLE, files, "C files"));
    PetscCall(LookAt(backend, PLEXASSEMBLYLOCALNZ, PLEX_PRECISION_DOUBLE, DM_POLYTOPE_TETRAHEDRON, files, "C files"));
    PetscCall(LookAt(backend, PLEXASSEMBLYSHAREDNZ, PLEX_PRECISION_DOUBLE, DM_POLYTOPE_QUADRILATERAL, files,
                     "C files"));
    PetscCall(LookAt(backend, PLEXASSEMBLYGLOBALNZ, PLEX_PRECISION_DOUBLE, DM_POLYTOPE_TRIANGLE, files, "C files"));
  }
  PetscCall(LookAt(backend, PLEXASSEMBLYELEMENTCOLOR, PLEX_PRECISION_DOUBLE, DM_POLYTOPE_TRIANGLE, made,
                   "preprocessed files"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscBool          host;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDHOST, &host));
    if (!host) PetscCall(LookAtBackend(backends[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
