static char help[] = "Options reach the assembly, the view shows what was chosen, events are logged, compiled "
                     "kernels are kept.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "weakform.h"
#include "report.h"
#include "benchmarks/shuffle.h"
#include <dirent.h>
#include <unistd.h>

static const PlexTestProblem tri = {.cell       = DM_POLYTOPE_TRIANGLE,
                                    .degree     = 1,
                                    .components = 1,
                                    .form       = PLEX_TEST_GENERAL};

static PetscErrorCode Is(const char a[], const char b[], PetscBool *same)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(a, b, &flg));
  if (!flg) *same = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

/* prefix: of the DM, or NULL; before: what stands before the names of the options, which may be nothing */
static PetscErrorCode LookAtOptions(const char prefix[], const char before[])
{
  const char *given[][2] = {
    {"-plex_assembly_type",           PLEXASSEMBLYGLOBALROW},
    {"-plex_assembly_backend",        PLEXBACKENDHOST      },
    {"-plex_assembly_integration",    "quadrature"         },
    {"-plex_assembly_precision",      "single"             },
    {"-plex_assembly_source",         "a.h,b.h"            },
    {"-plex_assembly_symmetric",      "true"               },
    {"-plex_assembly_memory",         "3e9"                },
    {"-plex_assembly_block_size",     "96"                 },
    {"-plex_assembly_team_size",      "8"                  },
    {"-plex_assembly_partition_size", "17"                 },
    {"-plex_assembly_partitioner",    "curve"              },
    {"-plex_assembly_fallback",       "false"              },
    {"-plex_assembly_check",          "1e-7"               }
  };
  const size_t n = PETSC_STATIC_ARRAY_LENGTH(given);
  PlexAssembly assembly;
  PetscBool    text = PETSC_TRUE, numbers;
  char         name[128], of[128] = "no prefix";
  DM           dm;

  PetscFunctionBegin;
  if (prefix) PetscCall(PetscSNPrintf(of, sizeof(of), "prefix %s, options with '%s'", prefix, before));
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)dm, prefix));
  for (size_t k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", before, given[k][0] + 1));
    PetscCall(PetscOptionsSetValue(NULL, name, given[k][1]));
  }
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  for (size_t k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", before, given[k][0] + 1));
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(Is(((PetscObject)assembly)->type_name, PLEXASSEMBLYGLOBALROW, &text));
  PetscCall(Is(assembly->backendType, PLEXBACKENDHOST, &text));
  PetscCall(Is(assembly->source, "a.h,b.h", &text));
  PetscCall(PlexTestReportOf(text, of, "options that are text", "type '%s', backend '%s', source '%s'",
                             ((PetscObject)assembly)->type_name, assembly->backendType, assembly->source));
  numbers = (PetscBool)(assembly->integration == PLEX_INTEGRATION_QUADRATURE &&
                        assembly->precision == PLEX_PRECISION_SINGLE && assembly->symmetric == PETSC_BOOL3_TRUE &&
                        assembly->memory == 3000000000 && assembly->blockSize == 96 && assembly->teamSize == 8 &&
                        assembly->partitionSize == 17 && assembly->partitioner == PLEX_PARTITIONER_CURVE &&
                        !assembly->fallback && assembly->check == (PetscReal)1e-7);
  PetscCall(PlexTestReportOf(numbers, of, "options that are numbers",
                             "memory %" PetscInt64_FMT ", block %" PetscInt_FMT ", team %" PetscInt_FMT
                             ", partition %" PetscInt_FMT,
                             assembly->memory, assembly->blockSize, assembly->teamSize, assembly->partitionSize));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options with the DM's prefix win */
static PetscErrorCode LookAtPrefix(void)
{
  PlexAssembly     assembly, again;
  PlexAssemblyType type;
  PetscBool        same = PETSC_TRUE;
  DM               dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)dm, "heat_"));
  PetscCall(PetscOptionsSetValue(NULL, "-heat_plex_assembly_type", PLEXASSEMBLYSHAREDNZ));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_type", PLEXASSEMBLYLOCALNZ));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_partition_size", "17"));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PetscOptionsClearValue(NULL, "-heat_plex_assembly_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_partition_size"));
  PetscCall(PlexAssemblyGetType(assembly, &type));
  PetscCall(Is(type, PLEXASSEMBLYSHAREDNZ, &same));
  PetscCall(PlexTestReport((PetscBool)(same && assembly->partitionSize == 17), "options prefix of the DM",
                           "type is %s, partition size %" PetscInt_FMT, type, assembly->partitionSize));
  PetscCall(PlexAssemblyGetFromDM(dm, &again));
  PetscCall(PlexTestReport((PetscBool)(again == assembly), "one assembly a DM", "a second one was made"));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A DM with a prefix is viewed for -plex_assembly_view with it and without, and not for another's */
static PetscErrorCode ViewPrefixed(void *ctx)
{
  PlexAssembly assembly;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, (const char *)ctx, NULL));
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)dm, "heat_"));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscOptionsClearValue(NULL, (const char *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtPrefixedView(void)
{
  const char *const options[] = {"-plex_assembly_view", "-heat_plex_assembly_view", "-cold_plex_assembly_view"};
  char              text[8192], *found;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PlexTestCapture(ViewPrefixed, (void *)options[k], text, sizeof(text)));
    PetscCall(PetscStrstr(text, "PlexAssembly Object:", &found));
    PetscCall(PlexTestReportOf((PetscBool)(!found == (k == 2)), "view of a DM with a prefix", options[k],
                               "it says '%s'", text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What an assembly says of itself */

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, PETSC_VIEWER_STDOUT_SELF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(void *ctx)
{
  PlexAssembly assembly = (PlexAssembly)ctx;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shows(const char name[], const char text[], const char *const words[])
{
  const char *missing = NULL;
  char       *found;

  PetscFunctionBegin;
  for (PetscInt k = 0; words[k] && !missing; ++k) {
    PetscCall(PetscStrstr(text, words[k], &found));
    if (!found) missing = words[k];
  }
  PetscCall(PlexTestReport((PetscBool)!missing, name, "'%s' is not in: %s", missing ? missing : "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Events(const char when[], PetscInt times, const char *const names[])
{
  char name[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; names[k]; ++k) {
    PetscEventPerfInfo info;
    PetscLogEvent      event;

    PetscCall(PetscLogEventGetId(names[k], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s: event %s", when, names[k]));
    PetscCall(PlexTestReport((PetscBool)(info.count >= times && info.time > 0.), name, "%d times, %g s",
                             (int)info.count, (double)info.time));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAndCompute(const char backend[], const char type[], PetscInt times, PlexAssembly *assembly)
{
  PetscReal F, J;
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (type) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  for (PetscInt k = 0; k < times; ++k) PetscCall(PlexTestCompare(*assembly, dm, &F, &J));
  PetscCheck(F <= 1e-12 && J <= 1e-12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Relative errors: residual %g, Jacobian %g",
             (double)F, (double)J);
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtView(const char backend[], PetscBool kernels)
{
  PlexAssembly       assembly;
  PlexElements       el;
  PetscBool          moves = PETSC_TRUE;
  char               name[128], text[8192];
  PlexAssemblyCounts counts;

  PetscFunctionBegin;
  PetscCall(CreateAndCompute(backend, kernels ? PLEXASSEMBLYELEMENTCOLOR : NULL, 2, &assembly));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: view", backend));
  PetscCall(Shows(name, text,
                  (const char *const[]){"PlexAssembly", backend, PlexPrecisions[PLEX_PRECISION_DOUBLE], "24",
                                        DMPolytopeTypes[DM_POLYTOPE_TRIANGLE], "MB", "Mflop", NULL}));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: view of the type", backend));
  PetscCall(Shows(name, text,
                  (const char *const[]){kernels ? PLEXASSEMBLYELEMENTCOLOR : PLEXBACKENDHOST,
                                        assembly->strategy[PLEX_JACOBIAN].why, NULL}));
  el = assembly->elements;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k)
    moves = (PetscBool)(moves && assembly->product[k].bytes > 0. && assembly->product[k].flops > 0.);
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: what the view shows", backend));
  PetscCall(PlexTestReport((PetscBool)(el->Ne == 24 && el->ef == 3 && el->affine && moves && counts.residuals == 2 &&
                                       counts.jacobians == 2 && !counts.residualsLeft && !counts.jacobiansLeft),
                           name,
                           "%" PetscInt_FMT " elements of %" PetscInt_FMT " dofs; here %" PetscInt_FMT
                           " and %" PetscInt_FMT ", left %" PetscInt_FMT " and %" PetscInt_FMT,
                           el->Ne, el->ef, counts.residuals, counts.jacobians, counts.residualsLeft,
                           counts.jacobiansLeft));
  if (kernels)
    PetscCall(PlexTestReportOf((PetscBool)!assembly->strategy[PLEX_JACOBIAN].chosen, backend, "the type was asked for",
                               "it was chosen"));
  PetscCall(PlexAssemblyDestroy(&assembly));

  /* with the option the view comes by itself, with times */
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_view", NULL));
  PetscCall(CreateAndCompute(backend, NULL, 2, &assembly));
  PetscCall(PlexTestCapture(Destroy, assembly, text, sizeof(text)));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_view"));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: -plex_assembly_view", backend));
  PetscCall(Shows(name, text, (const char *const[]){backend, " ms", " ns", "GB/s", "Gflop/s", NULL}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of triangles whose points are numbered at random, as a program may read it, and what options make of it */
static PetscErrorCode CreateShuffled(DM *dm)
{
  DM fine;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, tri.cell, 0, dm));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &fine));
    PetscCall(DMDestroy(dm));
    *dm = fine;
  }
  PetscCall(MeshShuffle(dm, 1));
  PetscCall(DMSetFromOptions(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of cells and rows of that mesh, with such options of the DM: whether cells are taken along a curve, and
   whether the DM has its dofs in an order of their own */
static PetscErrorCode LookAtOrder(const char backend[], const char given[], PetscBool curve, PetscBool permuted)
{
  PlexAssembly assembly;
  PlexElements el;
  PetscReal    F, J;
  PetscOptions options;
  DM           dm;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, given));
  PetscCall(PetscOptionsPush(options));
  PetscCall(CreateShuffled(&dm));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(PlexTestProblemSetUp(dm, &tri));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexTestCompare(assembly, dm, &F, &J));
  el = assembly->elements;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: a mesh in no order%s%s", backend, given[0] ? ", " : "", given));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-12 && J <= 1e-12 && !!el->place == curve && el->permuted == permuted),
                           name, "errors %g, %g; along a curve %d, dofs in their own order %d", (double)F, (double)J,
                           !!el->place, (int)el->permuted));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PetscFinalize() does first */
static PetscErrorCode EndObjects(void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PetscObjectRegisterDestroyAll());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a DM that the program forgets to destroy; the last thing to look at */
static PetscErrorCode LookAtForgotten(void)
{
  PlexAssembly assembly;
  PetscClassId id;
  char         text[8192];
  DM           dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_view", NULL));
  PetscCall(PlexTestProblemCreate(&tri, &dm));
  PetscCall(PetscObjectSetName((PetscObject)dm, "forgotten"));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  id = PLEXASSEMBLY_CLASSID;
  PetscCall(PlexTestCapture(EndObjects, NULL, text, sizeof(text)));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_view"));
  PetscCall(Shows("view of a DM that is not destroyed", text,
                  (const char *const[]){"PlexAssembly", "forgotten", NULL}));
  PetscCall(PlexTestReport((PetscBool)(id == PLEXASSEMBLY_CLASSID), "and the package does not begin anew",
                           "the class was registered again: %d, not %d", PLEXASSEMBLY_CLASSID, id));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Compiled kernels are found again */

/* Compiled kernels; preprocessed sources (.i) and a precompiled header (.gch) are there too */
static PetscErrorCode CountFiles(const char folder[], PetscBool removed, PetscInt *n)
{
  DIR           *dir = opendir(folder);
  struct dirent *entry;
  char           path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *n = 0;
  while (dir && (entry = readdir(dir))) {
    if (entry->d_name[0] == '.') continue;
    if (strcmp(entry->d_name + strlen(entry->d_name) - 2, ".i") &&
        strcmp(entry->d_name + strlen(entry->d_name) - 4, ".gch"))
      ++*n;
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, entry->d_name));
    if (removed) (void)unlink(path);
  }
  if (dir) closedir(dir);
  if (removed) (void)rmdir(folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCache(const char backend[])
{
  char         folder[PETSC_MAX_PATH_LEN];
  PlexAssembly assembly;
  PetscInt     n, found[2];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-test-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", folder));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(CreateAndCompute(backend, PLEXASSEMBLYELEMENTATOMIC, 1, &assembly));
    found[k] = assembly->product[PLEX_RESIDUAL].module->fromCache + assembly->product[PLEX_JACOBIAN].module->fromCache;
    PetscCall(PlexAssemblyDestroy(&assembly));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_cache_dir"));
  PetscCall(CountFiles(folder, PETSC_TRUE, &n));
  /* the two products, and what finds slots unless it came compiled with the library */
  PetscCall(PlexTestReportOf((PetscBool)(n == 2 || n == 3), backend, "compiled kernels are kept in -plexgpu_cache_dir",
                             "%" PetscInt_FMT " files", n));
  PetscCall(PlexTestReportOf((PetscBool)(found[0] == 0 && found[1] == 2), backend, "and found there",
                             "%" PetscInt_FMT " at first, then %" PetscInt_FMT " of 2", found[0], found[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copy bandwidth that a view shows is measured once, with little memory, and found again by later runs */
static PetscErrorCode LookAtBandwidth(PlexBackend b)
{
  const double measured = b->bandwidth, recalled = b->recalled;
  char         folder[PETSC_MAX_PATH_LEN];
  double       first, again, other;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-test-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", folder));
  b->bandwidth = b->recalled = 0.;
  PetscCall(PlexBackendRecallCopyBandwidth(b, &first));
  b->recalled = 0.; /* as in another run */
  PetscCall(PlexBackendRecallCopyBandwidth(b, &again));
  PetscCall(CountFiles(folder, PETSC_TRUE, &n));
  b->bandwidth = 2. * first; /* what this run has measured itself goes before */
  PetscCall(PlexBackendRecallCopyBandwidth(b, &other));
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_cache_dir"));
  b->bandwidth = measured;
  b->recalled  = recalled;
  PetscCall(PlexTestReportOf((PetscBool)(first > 1e8 && first < 1e14 && PetscAbsReal(again - first) <= 1e-4 * first &&
                                         n == 1 && other == 2. * first),
                             ((PetscObject)b)->type_name, "the copy bandwidth is kept",
                             "%g at first, then %g, and %g; %" PetscInt_FMT " files", first, again, other, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A source that needs a flag, which is given with the prefix of the DM */
static PetscErrorCode WriteFlaggedSource(const char path[])
{
  char  work[PETSC_MAX_PATH_LEN];
  FILE *out;

  PetscFunctionBegin;
  PetscCall(PetscGetWorkingDirectory(work, sizeof(work)));
  out = fopen(path, "w");
  PetscCheck(out, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
  fprintf(out, "#if FLAGGED != 3\n  #error FLAGGED is not 3\n#endif\n#include \"%s/%s\"\n", work, PLEX_TEST_INTEGRALS);
  fclose(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComputeFlagged(void *ctx)
{
  const PlexTestWeakForm form = {DM_POLYTOPE_TRIANGLE,
                                 4,
                                 1,
                                 {{1, 1, PLEX_TEST_LAGRANGE}},
                                 FACETS | PRECONDITIONER | EXPLICIT};
  PlexAssembly           assembly;
  Vec                    X, F;
  Mat                    J, P;
  DM                     dm;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)dm, "flagged_"));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDEMULATE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, (const char *)ctx));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(PlexAssemblyComputeRHSFunction(assembly, X, 0., F));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, P));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All integrals of a sum take the flags: cells, facets, the preconditioner's, the explicit part's */
static PetscErrorCode LookAtFlags(void)
{
  char           path[] = "build/tests/flagged.h", text[2048];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(WriteFlaggedSource(path));
  PetscCall(PetscOptionsSetValue(NULL, "-flagged_plex_assembly_source_flags", "DFLAGGED=3"));
  PetscCall(PetscOptionsSetValue(NULL, "-flagged_plex_assembly_fallback", "false"));
  PetscCall(PlexTestTry(ComputeFlagged, path, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, "all integrals preprocess with the flags of the DM's prefix",
                           "error %d: %s", (int)ierr, text));
  PetscCall(PetscOptionsClearValue(NULL, "-flagged_plex_assembly_source_flags"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source_flags", "DFLAGGED=3"));
  PetscCall(PlexTestTry(ComputeFlagged, path, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, "all integrals preprocess with the flags without a prefix", "error %d: %s",
                           (int)ierr, text));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_source_flags"));
  PetscCall(PetscOptionsClearValue(NULL, "-flagged_plex_assembly_fallback"));
  (void)unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(LookAtOptions(NULL, ""));
  PetscCall(LookAtOptions("heat_", ""));
  PetscCall(LookAtOptions("heat_", "heat_"));
  PetscCall(LookAtPrefix());
  PetscCall(LookAtPrefixedView());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PlexBackend b;
    PetscBool   kernels, compiler;

    PetscCall(PlexBackendCreate(backends[k], &b));
    kernels = b->kernels;
    PetscCall(LookAtView(backends[k], kernels));
    PetscCall(LookAtOrder(backends[k], "", PETSC_TRUE, PETSC_FALSE));
    PetscCall(LookAtOrder(backends[k], "-dm_plex_reorder rcm", PETSC_FALSE, PETSC_FALSE));
    PetscCall(LookAtOrder(backends[k], "-dm_reorder_section -dm_reorder_section_type hilbert", PETSC_TRUE, PETSC_TRUE));
    PetscCall(Events(backends[k], 4, (const char *const[]){"PlexResidual", "PlexJacobian", "PlexPlan", NULL}));
    PetscCall(Events(backends[k], 2, (const char *const[]){"PlexSetUp", kernels ? "PlexCompile" : NULL, NULL}));
    if (kernels) PetscCall(LookAtCache(backends[k]));
    PetscCall(LookAtBandwidth(b));
    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDEMULATE, &compiler));
    if (compiler) PetscCall(LookAtFlags());
    PetscCall(PlexBackendDestroy(&b));
  }
  PetscCall(LookAtForgotten());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
