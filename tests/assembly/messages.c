static char help[] = "What bad input gets: an error that names the thing and the way out; and what is left to PETSc, "
                     "and how that is said.\n"
                     "  -parallel : only what takes several processes\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include <unistd.h>

static const PlexTestProblem tri = {.cell       = DM_POLYTOPE_TRIANGLE,
                                    .degree     = 2,
                                    .components = 1,
                                    .form       = PLEX_TEST_GENERAL};

/* ---- Options */

static PetscErrorCode LookAtOptions(void)
{
  PetscBool cuda;

  PetscFunctionBegin;
  EXPECT("unknown type", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_type", "fastest"}), "'fastest'", "auto",
         PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALROW,
         PLEXASSEMBLYSHAREDNZ, PLEXASSEMBLYSHAREDROW, PLEXASSEMBLYLOCALNZ, PLEXASSEMBLYLOCALROW);
  EXPECT("unknown backend", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_backend", "abacus"}), "abacus",
         PLEXBACKENDAUTO, PLEXBACKENDCUDA, PLEXBACKENDHOST, PLEXBACKENDEMULATE);
  EXPECT("tensor degree", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_tensor_degree", "12"}),
         "-plex_assembly_tensor_degree 12", "from 0 to 8");
  EXPECT("unknown integration", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_integration", "guess"}), "guess");
  EXPECT("unknown precision", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_precision", "half"}), "half");
  EXPECT("block size", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_block_size", "33"}),
         "-plex_assembly_block_size 33", "multiple of 32");
  EXPECT("team size", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_team_size", "3"}),
         "-plex_assembly_team_size 3", "16 or 32");
  EXPECT("negative memory", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_memory", "-5"}), "-5 bytes");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  if (cuda) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip no GPU: there is one\n"));
  else
    EXPECT("no GPU", PlexTestSetOption, (&(PlexTestOption){"-plex_assembly_backend", "cuda"}),
           "cuda cannot be used here", "-plex_assembly_backend host");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What comes up when residual or Jacobian are computed */

typedef struct {
  const char *backend, *type, *source, *check;
  PetscBool   tensor, symmetric, globalVector, slicedMatrix;
  PetscBool   fallback; /* what cannot be done is left to PETSc, and then: */
  PetscReal   error;    /* relative, of residual and Jacobian against PETSc's */
  PetscInt    left[2];  /* residuals and Jacobians */
} Setting;

/* Largest relative difference of a residual and a Jacobian from PETSc's */
static PetscErrorCode ErrorOf(DM dm, Vec X, Vec F, Mat J, PetscReal *error)
{
  Vec       G;
  Mat       K, a, b;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(F, &G));
  PetscCall(VecSet(G, 0.));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, error));
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &K));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, K, K, NULL));
  PetscCall(MatConvert(J, MATAIJ, MAT_INITIAL_MATRIX, &a)); /* not all types have norms */
  PetscCall(MatConvert(K, MATAIJ, MAT_INITIAL_MATRIX, &b));
  PetscCall(MatAXPY(b, -1., a, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(b, NORM_FROBENIUS, &norm));
  *error = PetscMax(*error, norm);
  PetscCall(VecDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&a));
  PetscCall(MatDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithSetting(void *ctx)
{
  PlexAssemblyCounts counts;
  Setting           *s = (Setting *)ctx;
  PlexAssembly       assembly;
  DM                 dm;
  Vec                X, F;
  Mat                J;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  assembly->fallback = s->fallback;
  PetscCall(PlexAssemblySetBackend(assembly, s->backend ? s->backend : PLEXBACKENDHOST));
  if (s->type) PetscCall(PlexAssemblySetType(assembly, s->type));
  if (s->source) PetscCall(PlexAssemblySetPointwiseSource(assembly, s->source));
  PetscCall(PlexAssemblySetSymmetric(assembly, s->symmetric));
  if (s->tensor) PetscCall(PlexAssemblySetIntegration(assembly, PLEX_INTEGRATION_TENSOR));
  if (s->check) {
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_check", s->check));
    PetscCall(PlexAssemblySetFromOptions(assembly));
    PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_check"));
  }
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  if (s->slicedMatrix) {
    PetscCall(MatGetSize(J, &n, NULL));
    PetscCall(MatDestroy(&J));
    PetscCall(MatCreateSeqSELL(PETSC_COMM_SELF, n, n, n, NULL, &J));
  }
  if (s->globalVector) {
    PetscCall(VecDestroy(&X));
    PetscCall(DMCreateGlobalVector(dm, &X));
  }
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  if (s->fallback) PetscCall(ErrorOf(dm, X, F, J, &s->error));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  s->left[0] = counts.residualsLeft;
  s->left[1] = counts.jacobiansLeft;
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* forms.h with something behind it that no compiler takes; the line it is on */
static PetscErrorCode WriteBrokenSource(char path[], size_t size, PetscInt *line)
{
  FILE *in = fopen(PLEX_TEST_FORMS, "r"), *out;
  char  text[4096];
  int   fd;

  PetscFunctionBegin;
  PetscCheck(in, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s: run this from the top folder", PLEX_TEST_FORMS);
  PetscCall(PetscSNPrintf(path, size, "%s/plexgpu-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  fd = mkstemp(path);
  PetscCheck(fd >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
  out   = fdopen(fd, "w");
  *line = 1;
  while (fgets(text, sizeof(text), in)) {
    fputs(text, out);
    ++*line;
  }
  fprintf(out, "static void broken(void) { kappa_that_nobody_declared = 1; }\n");
  fclose(in);
  fclose(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with -plex_assembly_fallback true, as it is by default: PETSc's results, and one line on stderr */
static PetscErrorCode LookAtLeft(const char name[], Setting setting, PetscInt residuals, const char reason[])
{
  char text[4096], *line, *why, *end;

  PetscFunctionBegin;
  setting.fallback = PETSC_TRUE;
  PetscCall(PlexTestCapture(WithSetting, &setting, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "PlexGPU: ", &line));
  PetscCall(PetscStrstr(text, reason, &why));
  PetscCall(PetscStrchr(text, '\n', &end));
  PetscCall(PlexTestReportOf((PetscBool)(line == text && why && end && !end[1]), name, "left with a line",
                             "'%s' was to be one line with '%s'", text, reason));
  PetscCall(PlexTestReportOf((PetscBool)(setting.error < 1e-12 && setting.left[0] == residuals && setting.left[1] == 1),
                             name, "left to PETSc",
                             "relative error %g; %" PetscInt_FMT " residuals and %" PetscInt_FMT " Jacobians were left",
                             (double)setting.error, setting.left[0], setting.left[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtSource(const char backend[])
{
  /* a line is said once */
  const char *const other = strcmp(backend, PLEXBACKENDEMULATE) ? "tests/common/meshes.h" : "tests/common/report.h";
  char              name[128], path[PETSC_MAX_PATH_LEN], where[128];
  PetscInt          line = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, no source", backend));
  EXPECT(name, WithSetting, (&(Setting){.backend = backend}), "'f0_general'", "no device source",
         "-plex_assembly_source", "PlexAssemblySetPointwiseSource", "-plex_assembly_backend host");
  PetscCall(LookAtLeft(name, (Setting){.backend = backend}, 1, "needs the source of the pointwise functions"));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, not in the source", backend));
  EXPECT(name, WithSetting, (&(Setting){.backend = backend, .source = other}), "'f0_general'", other,
         "-plex_assembly_source");
  PetscCall(PetscSNPrintf(where, sizeof(where), "'f0_general' (f0) is not in '%s'", other));
  PetscCall(LookAtLeft(name, (Setting){.backend = backend, .source = other}, 1, where));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, no such file", backend));
  EXPECT(name, WithSetting, (&(Setting){.backend = backend, .source = "tests/nowhere.h"}), "'tests/nowhere.h'",
         "-plex_assembly_source");
  PetscCall(WriteBrokenSource(path, sizeof(path), &line));
  /* path:line of the C compiler, path(line) of NVRTC where there is none */
  PetscCall(PetscSNPrintf(where, sizeof(where), "%" PetscInt_FMT, line));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, source that does not compile", backend));
  EXPECT(name, WithSetting, (&(Setting){.backend = backend, .source = path}), path, where,
         "kappa_that_nobody_declared");
  PetscCall(LookAtLeft(name, (Setting){.backend = backend, .source = path}, 1, "kappa_that_nobody_declared"));
  (void)unlink(path);
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, claimed symmetric", backend));
  EXPECT(name, WithSetting,
         (&(Setting){.backend   = backend,
                     .source    = PLEX_TEST_FORMS,
                     .symmetric = PETSC_TRUE,
                     .check     = "1e-10",
                     .type      = PLEXASSEMBLYELEMENTCOLOR}),
         "-plex_assembly_check", "entries of the Jacobian differ", "1e-10", PLEXASSEMBLYELEMENTCOLOR, backend, "\n  (",
         " here, ", " by PETSc");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The check passes where there is nothing to find */
static PetscErrorCode LookAtCheck(const char backend[])
{
  Setting        setting = {.backend = backend, .source = PLEX_TEST_FORMS, .check = "1e-11"};
  char           name[128], text[4096];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, -plex_assembly_check of right results", backend));
  PetscCall(PlexTestTry(WithSetting, &setting, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, name, "error %d: %s", (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Gradient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                     const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                     const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                     PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                     PetscScalar f[])
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d];
}

/* -plex_assembly_check where the residual is that of a solution, and no dof is constrained: a constant without sources
   or walls */
static PetscErrorCode CheckSolution(void *ctx)
{
  PlexAssembly assembly;
  PetscFE      fe;
  PetscDS      ds;
  Vec          X, F;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 3, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, NULL, Gradient));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  assembly->check = 1e-12;
  PetscCall(DMCreateLocalVector(dm, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecSet(X, PETSC_PI));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(VecNorm(F, NORM_INFINITY, (PetscReal *)ctx));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCheckOfSolution(void)
{
  PetscReal      residual = 1.;
  char           text[4096];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(CheckSolution, &residual, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)(!ierr && residual < 1e-13), "-plex_assembly_check at a solution",
                           "residual %g, error %d: %s", (double)residual, (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TooMuchMemory(void *ctx)
{
  PlexBackend b;
  void       *p;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate((const char *)ctx, &b));
  PetscCall(PlexBackendMalloc(b, (size_t)1 << 50, &p));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Meshes */

/* Two triangles, the second turned inside out; the mesh is made cell by cell, as a reader of files would */
static PetscErrorCode InvertedCell(void *ctx)
{
  const PetscInt corners[2][3] = {
    {0, 1, 2},
    {1, 2, 3}
  };
  const PetscReal x[4][2] = {
    {0., 0.},
    {1., 0.},
    {0., 1.},
    {1., 1.}
  };
  PlexTestProblem problem = tri;
  PlexAssembly    assembly;
  DM              dm;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, 2, 2, 4, 3, PETSC_TRUE, (const PetscInt *)corners, 2,
                                          (const PetscReal *)x, &dm));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  assembly->fallback = PETSC_FALSE;
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells clockwise by mirrored coordinates, then put right again: PETSc integrates with negative volumes, and then
   it is done here */
static PetscErrorCode MirroredMesh(void *ctx)
{
  PlexAssemblyCounts counts;
  PetscReal         *error = (PetscReal *)ctx; /* [3] clockwise, put right, residuals left to PETSc */
  PlexAssembly       assembly;
  PetscInt           left;
  /* PETSc keeps the geometry that it has computed once, whatever becomes of the coordinates */
  DM  dm, plain;
  Vec X, F, coordinates;
  Mat J;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexTestProblemCreate(&tri, &plain));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscScalar *x;
    PetscInt     n;

    PetscCall(VecGetLocalSize(coordinates, &n));
    PetscCall(VecGetArray(coordinates, &x));
    for (PetscInt i = 0; i < n; i += 2) x[i] *= -1.;
    PetscCall(VecRestoreArray(coordinates, &x));
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(ErrorOf(k ? plain : dm, X, F, J, &error[k]));
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  left     = counts.residualsLeft;
  error[2] = (PetscReal)left;
  PetscCall(DMDestroy(&plain));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMirrored(void)
{
  PetscReal error[3] = {1., 1., 0.};
  char      text[4096], *why;

  PetscFunctionBegin;
  PetscCall(PlexTestCapture(MirroredMesh, error, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "turned inside out or flat", &why));
  PetscCall(PlexTestReport((PetscBool)(why && error[0] == 0. && error[1] < 1e-12 && error[2] == 1.),
                           "clockwise cells are left to PETSc until they are put right",
                           "relative errors %g and %g, %g residuals left to PETSc; %s", (double)error[0],
                           (double)error[1], (double)error[2], text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is left to PETSc */

typedef enum {
  BOUNDARY,
  AUXILIARY,
  MIXED_CELLS,
  ONE_PROCESS
} Feature;

static void bd_f0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                  const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                  const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                  PetscReal t, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                  const PetscScalar constants[], PetscScalar f0[])
{
  (void)dim, (void)Nf, (void)NfAux, (void)uOff, (void)uOff_x, (void)u_t, (void)u_x, (void)aOff, (void)aOff_x, (void)a,
    (void)a_t, (void)a_x, (void)t, (void)x, (void)numConstants, (void)constants;
  f0[0] = u[0] * u[0] + n[0];
}

static PetscErrorCode AddNaturalBoundary(DM dm)
{
  const PetscInt value = 1;
  DMLabel        label;
  PetscDS        ds;
  PetscWeakForm  wf;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "open", label, 1, &value, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, 1, 0, 0, 0, bd_f0, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAuxiliary(DM dm)
{
  DM      aux;
  PetscFE fe;
  Vec     a;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, &aux));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, 2, 1, DM_POLYTOPE_TRIANGLE, 1, 2, &fe));
  PetscCall(DMAddField(aux, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(PetscOptionsSetValue(NULL, "-flux_petscspace_degree", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-flux_petscdualspace_type", "bdm"));
  PetscCall(PetscFECreateDefault(PETSC_COMM_SELF, 2, 2, PETSC_TRUE, "flux_", 2, &fe));
  PetscCall(DMAddField(aux, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(aux));
  PetscCall(DMCreateLocalVector(aux, &a));
  PetscCall(VecSet(a, 1.));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A square beside a triangle */
static PetscErrorCode CreateMixedMesh(DM *dm)
{
  const PetscInt    sizes[] = {2, 5}, cones[] = {4, 3, 0, 0, 0, 0, 0}, points[] = {2, 3, 4, 5, 3, 6, 4};
  const PetscInt    orientations[7] = {0, 0, 0, 0, 0, 0, 0};
  const PetscScalar x[]             = {0., 0., 1., 0., 1., 1., 0., 1., 2., 0.5};
  DM                flat;

  PetscFunctionBegin;
  PetscCall(DMPlexCreate(PETSC_COMM_SELF, &flat));
  PetscCall(DMSetDimension(flat, 2));
  PetscCall(DMPlexCreateFromDAG(flat, 1, (const PetscInt[]){sizes[1], sizes[0]}, cones, points, orientations, x));
  PetscCall(DMPlexInterpolate(flat, dm));
  PetscCall(DMDestroy(&flat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateFeature(Feature feature, DM *dm)
{
  PlexTestProblem problem = tri;
  PetscMPIInt     rank, size;

  PetscFunctionBegin;
  switch (feature) {
  case BOUNDARY:
    PetscCall(PlexTestMeshInSpace(PETSC_COMM_SELF, problem.cell, 3, 0, dm));
    PetscCall(PlexTestProblemSetUp(*dm, &problem));
    PetscCall(AddNaturalBoundary(*dm));
    break;
  case AUXILIARY:
    PetscCall(PlexTestProblemCreate(&problem, dm));
    PetscCall(AddAuxiliary(*dm));
    break;
  case MIXED_CELLS:
    problem.degree = 1;
    PetscCall(CreateMixedMesh(dm));
    PetscCall(PlexTestProblemSetUp(*dm, &problem));
    break;
  case ONE_PROCESS:
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem.cell, 0, dm));
    PetscCall(PlexTestDistributeDefault(dm, 0));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (rank == size - 1) PetscCall(PetscOptionsSetValue(NULL, "-last_dm_plex_print_fem", "1"));
    PetscCall(DMSetOptionsPrefix(*dm, "last_"));
    PetscCall(DMSetFromOptions(*dm));
    /* last: the options may distribute again, and boundary conditions keep labels */
    PetscCall(PlexTestProblemSetUp(*dm, &problem));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Feature   feature;
  PetscBool compute; /* where PETSc can: residual and Jacobian too */
  PetscReal F;
  PetscInt  left;
} Left;

static PetscErrorCode LeaveToPETSc(void *ctx)
{
  PlexAssemblyCounts counts;
  Left              *l = (Left *)ctx;
  PlexAssembly       assembly;
  DM                 dm;
  Vec                X, F, G;

  PetscFunctionBegin;
  PetscCall(CreateFeature(l->feature, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(PlexAssemblySetUp(assembly));
  if (l->compute) {
    PetscCall(PlexTestLocalVector(dm, 1, &X));
    PetscCall(VecDuplicate(X, &F));
    PetscCall(VecDuplicate(X, &G));
    PetscCall(VecSet(F, 7.));
    PetscCall(VecSet(G, 0.));
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
    PetscCall(PlexTestVecError(F, G, &l->F));
    PetscCall(VecDestroy(&X));
    PetscCall(VecDestroy(&F));
    PetscCall(VecDestroy(&G));
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  l->left = counts.residualsLeft;
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line says what and why; PETSc's result; an error with -plex_assembly_fallback false */
static PetscErrorCode LookAtFeature(Feature feature, PetscBool compute, const char what[], const char reason[])
{
  Left left = {.feature = feature, .compute = compute};
  char name[256], text[4096], *line, *why, *end;

  PetscFunctionBegin;
  PetscCall(PlexTestCapture(LeaveToPETSc, &left, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "PlexGPU: residuals and Jacobians are left to PETSc: ", &line));
  PetscCall(PetscStrstr(text, reason, &why));
  PetscCall(PetscStrchr(text, '\n', &end));
  PetscCall(PlexTestReportOf((PetscBool)(line == text && why && end && !end[1]), what, "a line says that PETSc does it",
                             "'%s' was to be one line with '%s'", text, reason));
  if (compute) {
    PetscCall(PlexTestReportOf((PetscBool)(left.F == 0. && left.left == 1), what, "PETSc's result",
                               "residual differs by %g, %" PetscInt_FMT " were left to PETSc", (double)left.F,
                               left.left));
  }
  left.compute = PETSC_FALSE;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: -plex_assembly_fallback false", what));
  EXPECT(name, LeaveToPETSc, &left, "PlexGPU cannot assemble this", reason, "-plex_assembly_fallback");
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_fallback"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const compiling[] = {PLEXBACKENDEMULATE, PLEXBACKENDCUDA};
  PetscBool         parallel    = PETSC_FALSE, available;
  PetscMPIInt       size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-parallel", &parallel, NULL));
  if (parallel) {
    PetscCheck(size > 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "-parallel takes more than one process");
    PetscCall(LookAtFeature(ONE_PROCESS, PETSC_FALSE, "a reason on the last process",
                            "element data are to be printed"));
  } else {
    PetscCall(LookAtOptions());
    for (PetscInt k = 0; k < 2; ++k) {
      PetscCall(PlexBackendIsAvailable(compiling[k], &available));
      if (available) {
        PetscCall(LookAtSource(compiling[k]));
        PetscCall(LookAtCheck(compiling[k]));
        EXPECT(k ? "cuda, too much memory" : "emulate, too much memory", TooMuchMemory, (void *)compiling[k],
               "1125899906842624 bytes are needed", "are free");
      } else PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", compiling[k]));
    }
    PetscCall(LookAtCheck(PLEXBACKENDHOST));
    PetscCall(LookAtCheckOfSolution());
    EXPECT("tensor integration", WithSetting, (&(Setting){.tensor = PETSC_TRUE}),
           "Tensor integration does not serve here", "read the solution", "-plex_assembly_integration quadrature");
    EXPECT("a global vector for a local one", WithSetting, (&(Setting){.globalVector = PETSC_TRUE}), "solution vector",
           "DMGetLocalVector()");
    EXPECT("a matrix in slices", WithSetting, (&(Setting){.slicedMatrix = PETSC_TRUE}), "seqsell", "-dm_mat_type aij");
    EXPECT("a cell turned inside out", InvertedCell, NULL, "cell 1 at (0.666667, 0.666667", "determinant -0.25",
           "orient its cells", "-plex_assembly_fallback false");
    PetscCall(LookAtMirrored());
    PetscCall(LookAtLeft("a matrix in slices", (Setting){.slicedMatrix = PETSC_TRUE}, 0,
                         "Jacobians are left to PETSc: a matrix of type seqsell"));
    PetscCall(LookAtFeature(BOUNDARY, PETSC_TRUE, "the boundary of a surface",
                            "boundary integrals on boundary \"open\" of cells of dimension 2 in 3 dimensions"));
    PetscCall(LookAtFeature(AUXILIARY, PETSC_TRUE, "auxiliary fields",
                            "H(div) or H(curl) element in auxiliary field 1"));
    PetscCall(LookAtFeature(MIXED_CELLS, PETSC_FALSE, "mixed cells", "mixed cell types: cell 0 is a"));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
