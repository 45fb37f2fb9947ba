static char help[] = "Every kernel compiled for a GPU that need not be there, through every strategy on a few "
                     "elements.\n\
The environment variable PLEXGPU_CUDA_ARCH names the architecture, sm_90 where it is not set.\n\
-hip: with hiprtc for a GPU of AMD, gfx90a or that of PLEXGPU_HIP_ARCH; each file of cuda/ once in each precision.\n\n";

#include <plexgpu/impl.h>
#include "../../benchmarks/batch/batch.h"
#include "../../benchmarks/hdgcg/cg.h"
#include "../../src/backend/arrays/steps.h"
#include "fault.h"
#include "hdgproblem.h"
#include "hdgpoints.h"
#include "hdgsource.h"
#include "waterproblem.h"
#include "problem.h"
#include "weakform.h"
#include "report.h"
#include "rocks.h"
#include <glob.h>
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
  #pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "../assembly/components.h"
#include "../assembly/factors.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

/* ------------------------------------------------------------------------------------------------------------------
   A backend that compiles for the GPU and launches nothing. Its memory is the host's; it claims to be an H200.
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_MODULES 4096

static char     arch[32] = "sm_90";
static PetscInt nmodules;              /* compiled since the start */
static char    *modules[PLEX_MODULES]; /* name, and the .cu files that are in its text, blanks between */
static size_t   machineCode;           /* bytes, of the modules of the present case */

/* With hiprtc: files that some compiled text had, by name and precision, of texts that begin with lines #line 1 "file" */
static PetscBool hip = PETSC_FALSE;
static PetscInt  nfiles, nhip;
static char     *files[PLEX_MODULES];

static PetscErrorCode GetLimits(PlexBackend b, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(limits, sizeof(*limits)));
  PetscCall(PetscStrncpy(limits->name, "a GPU that is not here", sizeof(limits->name)));
  PetscCall(PetscStrncpy(limits->arch, arch, sizeof(limits->arch)));
  limits->memory             = (size_t)1 << 36;
  limits->memoryFree         = limits->memory;
  limits->sharedPerBlock     = 227 * 1024;
  limits->sharedPerProcessor = 228 * 1024;
  limits->cacheL2            = 50 << 20;
  limits->multiprocessors    = 132;
  limits->threadsPerBlock    = 1024;
  limits->warpSize           = 32;
  if (hip) limits->warpSize = 64; /* all else as before, for the same texts; shared memory is not static */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Malloc(PlexBackend b, size_t bytes, void **p)
{
  PetscFunctionBegin;
  *p = calloc(bytes, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Free(PlexBackend b, void *p)
{
  PetscFunctionBegin;
  free(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Copy(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemmove(to, from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PlexBackend b, void *p, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Jacobian's text once more, as on several processes */
static PetscErrorCode CompileParallel(const char name[], PetscInt ndefines, const char *const defines[],
                                      const char source[])
{
  const char one[] = "#define PLEX_PARALLEL 0";
  char      *text, *at;
  size_t     bytes;

  PetscFunctionBegin;
  if (!strstr(source, "#define PLEX_JACOBIAN 1")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrallocpy(source, &text));
  at = strstr(text, one);
  PetscCheck(at, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The text of %s does not say '%s'", name, one);
  at[sizeof(one) - 2] = '1';
  PetscCall(PlexCompileOnly_CUDA(name, ndefines, defines, text, arch, &bytes));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char        *name, *text;
  PetscInt           ndefines;
  const char *const *defines;
  size_t             bytes;
} Text;

static PetscErrorCode CompileText(void *ctx)
{
  Text *t = (Text *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexCompileOnly_CUDA(t->name, t->ndefines, t->defines, t->text, arch, &t->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of the largest elements' residuals again, without the least number of blocks: an error where the compiler
   then keeps numbers in memory, which shows in the size of what it makes, `bytes` with it */
static PetscErrorCode CompileWithoutBlocks(const char name[], PetscInt ndefines, const char *const defines[],
                                           const char source[], size_t bytes)
{
  const char     said[] = ", PLEX_ELEMENTS_RESIDENT)";
  char          *text, *at, message[2048], *found;
  PetscErrorCode ierr;
  Text           t = {.name = name, .ndefines = ndefines, .defines = defines};

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(source, &text));
  at = strstr(text, said);
  PetscCheck(at, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The text of %s does not say '%s'", name, said);
  PetscCall(PetscMemmove(at, at + sizeof(said) - 2, strlen(at + sizeof(said) - 2) + 1));
  t.text = text;
  PetscCall(PlexTestTry(CompileText, &t, &ierr, message, sizeof(message)));
  PetscCall(PetscStrstr(message, "__launch_bounds__", &found));
  if (!ierr && 10 * t.bytes < 12 * bytes)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "skip kernels: registers too few for tensor cores: this NVRTC takes enough for %s\n", arch));
  else
    PetscCall(PlexTestReport((PetscBool)(ierr && found), "kernels: registers too few for tensor cores are an error",
                             "%zu and %zu bytes; error %d: %s", t.bytes, bytes, (int)ierr, message));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool withoutBlocks = PETSC_FALSE; /* the present case is for that */

/* Whether a text has a file that no text before it had in this precision */
static PetscErrorCode HasNewFile(const char source[], PetscBool *is)
{
  const char *at     = source;
  PetscBool   single = (PetscBool)(strstr(source, "#define PLEX_SINGLE 1") != NULL);

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  while ((at = strstr(at, "\n#line 1 \"")) != NULL) {
    char     *file;
    PetscInt  n;
    PetscBool known = PETSC_FALSE;

    at += strlen("\n#line 1 \"");
    n = (PetscInt)strcspn(at, "\"\n");
    PetscCall(PetscMalloc1(n + 2, &file));
    file[0] = single ? 's' : 'd';
    PetscCall(PetscArraycpy(file + 1, at, n));
    file[n + 1] = 0;
    for (PetscInt k = 0; k < nfiles && !known; ++k) known = (PetscBool)!strcmp(files[k], file);
    if (known) PetscCall(PetscFree(file));
    else {
      PetscCheck(nfiles < PLEX_MODULES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d files", PLEX_MODULES);
      files[nfiles++] = file;
      *is             = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompileHIP(const char name[], PetscInt ndefines, const char *const defines[], const char source[],
                                 size_t *bytes)
{
  PetscBool is;

  PetscFunctionBegin;
  *bytes = 1;
  PetscCall(HasNewFile(source, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCompileOnly_HIP(name, ndefines, defines, source, arch, bytes));
  ++nhip;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(const char name[], const char source[], char **description)
{
  const char include[] = "#line 1 \""; /* its files stand in it, each behind such a line */
  size_t     size;
  FILE      *file = open_memstream(description, &size);

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the description of a module");
  fputs(name, file);
  for (const char *at = source; (at = strstr(at, include));) {
    const size_t length = strcspn(at += strlen(include), "\"\n");

    if (length > 3 && !strncmp(at + length - 3, ".cu", 3)) fprintf(file, " %.*s", (int)length, at);
  }
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the description of a module");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compile(PlexBackend b, const char name[], PetscInt ndefines, const char *const defines[],
                              const char source[], PlexModule module)
{
  size_t bytes;

  PetscFunctionBegin;
  if (hip) PetscCall(CompileHIP(name, ndefines, defines, source, &bytes));
  else {
    PetscCall(PlexCompileOnly_CUDA(name, ndefines, defines, source, arch, &bytes));
    if (withoutBlocks && strstr(source, "#define PLEX_UNITS 1"))
      PetscCall(CompileWithoutBlocks(name, ndefines, defines, source, bytes));
    PetscCall(CompileParallel(name, ndefines, defines, source));
  }
  PetscCheck(nmodules < PLEX_MODULES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d modules", PLEX_MODULES);
  PetscCall(Describe(name, source, &modules[nmodules++]));
  machineCode += bytes;
  module->handle = module;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ModuleDestroy(PlexModule module)
{
  PetscFunctionBegin;
  module->handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetKernel(PlexModule module, const char name[], PlexKernel kernel)
{
  PetscFunctionBegin;
  kernel->handle = kernel;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Launch(PlexKernel kernel, PetscInt grid, PetscInt block, size_t sharedBytes, void **args)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Attributes(PlexKernel kernel, PlexKernelAttributes *attributes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(attributes, sizeof(*attributes)));
  attributes->registers       = 32;
  attributes->threadsPerBlock = 1024;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Nothing(PlexBackend b)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimerEnd(PlexBackend b, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  *seconds = 1e-6;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BackendCreate_Compile(PlexBackend b)
{
  PetscFunctionBegin;
  b->kernels            = PETSC_TRUE;
  b->bandwidth          = 4e12;
  b->ops->destroy       = Nothing;
  b->ops->getlimits     = GetLimits;
  b->ops->malloc        = Malloc;
  b->ops->free          = Free;
  b->ops->copyin        = Copy;
  b->ops->copyout       = Copy;
  b->ops->copy          = Copy;
  b->ops->zero          = Zero;
  b->ops->compile       = Compile;
  b->ops->moduledestroy = ModuleDestroy;
  b->ops->getkernel     = GetKernel;
  b->ops->launch        = Launch;
  b->ops->attributes    = Attributes;
  b->ops->synchronize   = Nothing;
  b->ops->timerbegin    = Nothing;
  b->ops->timerend      = TimerEnd;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   The cases
   ------------------------------------------------------------------------------------------------------------------ */

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                         PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                         PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

typedef struct {
  const char     *name;
  PlexTestProblem problem;
  PlexPrecision   precision;
  PetscBool       symmetric;
  const char     *strategy;    /* NULL: all */
  PetscInt        has;         /* a problem of weakform.h with two fields and all this */
  PetscBool       dummy;       /* element data without integration */
  PetscBool       derivatives; /* of the Jacobian g3 alone */
} Case;

/* the last case: the first one again, with what benchmarks have in the place of integration */
#define WITHOUT_INTEGRATION PETSC_STATIC_ARRAY_LENGTH(cases)
static const Case cases[] = {
  {"triangle P1",
   {.cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"triangle P1 single",
   {.cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL},
   PLEX_PRECISION_SINGLE, PETSC_FALSE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"quadrilateral Q2-Q1",
   {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2, .components = 2, .form = PLEX_TEST_MIXED},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"tetrahedron P1 vector",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 3, .form = PLEX_TEST_SYMMETRIC},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"hexahedron Q2",
   {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 1, .form = PLEX_TEST_SYMMETRIC},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"triangle P2, diffusion",
   {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"hexahedron Q1, derivatives alone",
   {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 1, .form = PLEX_TEST_DIFFUSION},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_TRUE },
  {"tetrahedron P2, linear",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 1, .form = PLEX_TEST_LINEAR},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"tetrahedron P1 vector, linear",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 3, .form = PLEX_TEST_LINEAR},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"hexahedron Q1, linear",
   {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 1, .form = PLEX_TEST_LINEAR},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_FALSE},
  {"hexahedron Q1, linear, derivatives alone, curved",
   {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 1, .form = PLEX_TEST_LINEAR, .coordinates = 1},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   NULL,                  0,
   PETSC_FALSE, PETSC_TRUE },
  {"tetrahedron P3, linear",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3, .components = 1, .form = PLEX_TEST_LINEAR},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   PLEXASSEMBLYGLOBALROW, 0,
   PETSC_FALSE, PETSC_TRUE },
  {"tetrahedron P4, linear",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 4, .components = 1, .form = PLEX_TEST_LINEAR},
   PLEX_PRECISION_DOUBLE, PETSC_TRUE,
   PLEXASSEMBLYSHAREDNZ,  0,
   PETSC_FALSE, PETSC_TRUE },
  {"tetrahedron P4 vector",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 4, .components = 3, .form = PLEX_TEST_GENERAL, .cells = 1},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   PLEXASSEMBLYGLOBALNZ,  0,
   PETSC_FALSE, PETSC_FALSE},
  {"tetrahedron P2, diffusion",
   {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   PLEXASSEMBLYGLOBALROW, 0,
   PETSC_FALSE, PETSC_FALSE},
  {"triangle P2-P1 with auxiliary fields, facets, a dynamic Jacobian",
   {.cell = DM_POLYTOPE_TRIANGLE},
   PLEX_PRECISION_DOUBLE, PETSC_FALSE,
   NULL,                  AUX | FACETS | DYNAMIC | SEVERAL,
   PETSC_FALSE, PETSC_FALSE},
  {"tetrahedron P2-P1 with auxiliary fields, facets, single",
   {.cell = DM_POLYTOPE_TETRAHEDRON},
   PLEX_PRECISION_SINGLE, PETSC_FALSE,
   NULL,                  AUX | FACETS,
   PETSC_FALSE, PETSC_FALSE}
};

/* Leaves g3 of the Jacobian alone */
static PetscErrorCode KeepDerivatives(DM dm)
{
  const PetscWeakFormKind kinds[] = {PETSC_WF_G0, PETSC_WF_G1, PETSC_WF_G2};
  PetscDS                 ds;
  PetscWeakForm           form;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetWeakForm(ds, &form));
  /* NULL for PetscDSSetJacobian() leaves what is there */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); ++k)
    PetscCall(PetscWeakFormClearIndex(form, NULL, 0, 0, 0, kinds[k], 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions that are the same for each component in the place of those that are there */
static PetscErrorCode UseComponents(DM dm)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_same, NULL, NULL, g3_same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elasticity in the place of the functions that are there */
static PetscErrorCode UseElasticity(DM dm)
{
  PetscScalar lame[] = {1., 1.};
  PetscDS     ds;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_elastic));
  PetscCall(PetscDSSetConstants(ds, 2, lame));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Actions of Jacobians by coefficients in factors: with sums along lines, with full tables by a warp and by a thread, in blocks on
   tensor cores */
static PetscErrorCode RunFactors(void *ctx)
{
  static const PlexTestProblem problems[] = {
    {.cell = DM_POLYTOPE_HEXAHEDRON,  .degree = 2, .components = 3, .form = PLEX_TEST_LINEAR},
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 4, .components = 2, .form = PLEX_TEST_LINEAR},
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 1, .components = 2, .form = PLEX_TEST_LINEAR},
    {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 3, .form = PLEX_TEST_LINEAR}
  };

  PetscFunctionBegin;
  (void)ctx;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k) {
    PlexAssembly assembly;
    PetscReal    error; /* nothing is computed */
    DM           dm;

    PetscCall(PlexTestProblemCreate(&problems[k], &dm));
    PetscCall(UseElasticity(dm));
    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetType(assembly, k == 1 ? PLEXASSEMBLYELEMENTCOLOR : PLEXASSEMBLYELEMENTATOMIC));
    PetscCall(PlexAssemblySetBackend(assembly, "compile"));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS ",tests/assembly/factors.h"));
    PetscCall(PlexAssemblySetApply(assembly, PLEX_APPLY_STORED));
    PetscCall(PlexTestCompareActions(assembly, dm, &error));
    PetscCall(PlexAssemblyDestroy(&assembly));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Actions of Jacobians: of an element that a thread has, of one that a team shares, and of vectors; by stored coefficients
   of these, with sums along lines, with full tables by a warp and by a thread, in blocks on tensor cores with points and
   modes, and with one C for all components */
static PetscErrorCode RunActions(void *ctx)
{
  static const PlexTestProblem problems[] = {
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 1, .components = 1, .form = PLEX_TEST_DIFFUSION},
    {.cell = DM_POLYTOPE_HEXAHEDRON,  .degree = 2, .components = 1, .form = PLEX_TEST_LINEAR   },
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 4, .components = 2, .form = PLEX_TEST_GENERAL  },
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 1, .components = 1, .form = PLEX_TEST_DIFFUSION},
    {.cell = DM_POLYTOPE_HEXAHEDRON,  .degree = 2, .components = 1, .form = PLEX_TEST_LINEAR   },
    {.cell = DM_POLYTOPE_TRIANGLE,    .degree = 4, .components = 2, .form = PLEX_TEST_GENERAL  },
    {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3, .components = 1, .form = PLEX_TEST_DIFFUSION},
    {.cell = DM_POLYTOPE_HEXAHEDRON,  .degree = 2, .components = 2, .form = PLEX_TEST_LINEAR   }
  };
  const PetscInt         n       = PETSC_STATIC_ARRAY_LENGTH(problems);
  const PlexTestWeakForm vectors = {
    DM_POLYTOPE_TRIANGLE, 8, 2, {{1, 0, PLEX_TEST_RT}, {0, 1, PLEX_TEST_LAGRANGE}},
       FACETS
  };

  PetscFunctionBegin;
  (void)ctx;
  for (PetscInt k = 0; k <= n; ++k) {
    PlexAssembly assembly;
    PetscReal    error; /* nothing is computed */
    DM           dm;

    if (k < n) PetscCall(PlexTestProblemCreate(&problems[k], &dm));
    else PetscCall(PlexTestWeakFormCreate(&vectors, &dm));
    if (k == n - 1) PetscCall(UseComponents(dm));
    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetType(assembly, k == 2 ? PLEXASSEMBLYELEMENTCOLOR : PLEXASSEMBLYELEMENTATOMIC));
    PetscCall(PlexAssemblySetBackend(assembly, "compile"));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, k == n       ? PLEX_TEST_INTEGRALS
                                                       : k == n - 1 ? PLEX_TEST_FORMS ",tests/assembly/components.h"
                                                                    : PLEX_TEST_FORMS));
    PetscCall(PlexAssemblySetApply(assembly, k < 2 || k == n ? PLEX_APPLY_EVALUATED : PLEX_APPLY_STORED));
    PetscCall(PlexTestCompareActions(assembly, dm, &error));
    PetscCall(PlexAssemblyDestroy(&assembly));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembles with the backend above, so that all that assembly needs is compiled */
static PetscErrorCode RunCase(void *ctx)
{
  const Case  *c = (const Case *)ctx;
  PlexAssembly assembly;
  DM           dm;

  PetscFunctionBegin;
  if (c->has) {
    const PlexTestWeakForm form = {
      c->problem.cell, 6, 2, {{2, 0, PLEX_TEST_LAGRANGE}, {1, 1, PLEX_TEST_LAGRANGE}},
         c->has
    };

    PetscCall(PlexTestWeakFormCreate(&form, &dm));
  } else PetscCall(PlexTestProblemCreate(&c->problem, &dm));
  if (c->derivatives) PetscCall(KeepDerivatives(dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, c->strategy));
  PetscCall(PlexAssemblySetBackend(assembly, "compile"));
  PetscCall(PlexAssemblySetPrecision(assembly, c->precision));
  PetscCall(PlexAssemblySetSymmetric(assembly, c->symmetric));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, c->has ? PLEX_TEST_INTEGRALS : PLEX_TEST_FORMS));
  assembly->dummy   = c->dummy;
  assembly->rowSums = c->precision == PLEX_PRECISION_SINGLE ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(PlexTestCompute(assembly, dm));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pointwise functions in C++ */
typedef struct {
  PetscInt      dim;
  PlexPrecision precision;
  const char   *strategy;
} RocksCase;

static const RocksCase rocksCases[] = {
  {2, PLEX_PRECISION_DOUBLE, PLEXASSEMBLYELEMENTATOMIC},
  {2, PLEX_PRECISION_SINGLE, PLEXASSEMBLYGLOBALROW    },
  {3, PLEX_PRECISION_DOUBLE, PLEXASSEMBLYLOCALROW     },
  {3, PLEX_PRECISION_DOUBLE, PLEXASSEMBLYSHAREDNZ     }
};

static PetscErrorCode RunRocks(void *ctx)
{
  const RocksCase *c = (const RocksCase *)ctx;
  PlexAssembly     assembly;
  DM               dm;

  PetscFunctionBegin;
  PetscCall(PlexTestRocksCreate(c->dim, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, c->strategy));
  PetscCall(PlexAssemblySetBackend(assembly, "compile"));
  PetscCall(PlexAssemblySetPrecision(assembly, c->precision));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_ROCKS));
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(PlexTestCompute(assembly, dm));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual and Jacobian of the three keys of cohesive cells */
static PetscErrorCode RunFault(void *ctx)
{
  PetscFormKey keys[3];
  PlexAssembly assembly;
  DM           dm;
  IS           cells;
  Vec          x, F;
  Mat          J;

  PetscFunctionBegin;
  PetscCall(PlexTestFaultCreate(PETSC_COMM_SELF, (const PlexTestFault *)ctx, keys, &cells, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYELEMENTATOMIC));
  PetscCall(PlexAssemblySetBackend(assembly, "compile"));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_COHESIVE));
  PetscCall(DMCreateLocalVector(dm, &x));
  PetscCall(VecDuplicate(x, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyAddCohesiveFunction(assembly, keys, cells, x, NULL, 0., F));
  PetscCall(PlexAssemblyAddCohesiveJacobian(assembly, keys, cells, x, NULL, 0., 0., J, J));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&x));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(ISDestroy(&cells));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums between processes belong to no strategy */
static PetscErrorCode CompileExchange(void)
{
  PlexBackend backend;
  PlexModule  module;
  PlexKernel  kernel;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate("compile", &backend));
  PetscCall(PlexBackendCompileFile(backend, "assembly/exchange.cu", &module));
  PetscCall(PlexModuleGetKernel(module, "plex_sum", &kernel));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Element matrices alone, with asynchronous copies */
static PetscErrorCode RunBatch(void *ctx)
{
  const PlexBatchParameters p[] = {
    {128, 2,  1, PETSC_TRUE,  PETSC_TRUE,  0,                    PLEX_GEOMETRY_SHARED,      PLEX_STORES_DIRECT},
    {64,  16, 4, PETSC_FALSE, PETSC_FALSE, PLEX_BLOCKS_RESIDENT, PLEX_GEOMETRY_PREFETCH,    PLEX_STORES_DIRECT},
    {128, 64, 0, PETSC_TRUE,  PETSC_TRUE,  0,                    PLEX_GEOMETRY_COORDINATES, PLEX_STORES_SHARED},
    {128, 64, 0, PETSC_TRUE,  PETSC_TRUE,  PLEX_BLOCKS_RESIDENT, PLEX_GEOMETRY_PREFETCH,    PLEX_STORES_BULK  }
  };
  PlexBatchForm form;
  PlexBackend   backend;
  PlexBatch     batch;

  PetscFunctionBegin;
  PetscCall(PlexBatchFormInitialize(3, 1, 1, PETSC_FALSE, &form));
  PetscCall(PlexBackendCreate("compile", &backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(p); ++k) {
    PetscCall(PlexBatchCreate(backend, &form, *(const PlexPrecision *)ctx, &p[k], &batch));
    PetscCall(PlexBatchDestroy(&batch));
  }
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of the nodal DG operator */
typedef struct {
  const char   *system;
  PetscInt      dim, degree;
  PlexPrecision precision;
  const char   *type;
  PetscReal     current; /* of maxwell */
  PetscInt      with;    /* DG_CURVED: one element is; DG_GRADED: so, and coefficients vary; DG_RESISTIVE: a boundary
      is; DG_PULSE, of maxwell: an incident pulse, and a dipole; DG_LAYER: a perfectly matched layer around a box, of
      constant rates from degree 4 on */
} DGCase;

enum {
  DG_NONE,
  DG_CURVED,
  DG_GRADED,
  DG_RESISTIVE,
  DG_PULSE,
  DG_LAYER
};
static const DGCase dgCases[] = {
  {"maxwell",        3, 1, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"maxwell",        3, 9, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"acoustics",      2, 3, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"elastic",        3, 3, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"advection",      3, 2, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"burgers",        2, 5, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"maxwell",        3, 9, PLEX_PRECISION_SINGLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"acoustics",      2, 3, PLEX_PRECISION_SINGLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"elastic",        2, 4, PLEX_PRECISION_SINGLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"advection",      3, 1, PLEX_PRECISION_DOUBLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"burgers",        2, 5, PLEX_PRECISION_DOUBLE, PLEXDGSEPARATE, 0., DG_NONE     },
  {"maxwell",        3, 2, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"maxwell",        3, 4, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    0., DG_NONE     },
  {"maxwell",        3, 9, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"acoustics",      2, 3, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"elastic",        3, 3, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"elastic",        3, 5, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    0., DG_NONE     },
  {"elastic",        2, 2, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"advection",      3, 2, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    0., DG_NONE     },
  {"burgers",        2, 5, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"maxwell_driven", 3, 3, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_NONE     },
  {"maxwell_driven", 2, 3, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_NONE     },
  {"maxwell",        3, 3, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    1., DG_NONE     },
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_CURVED   },
  {"maxwell",        3, 6, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    0., DG_CURVED   },
  {"acoustics",      2, 3, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_CURVED   },
  {"advection",      3, 9, PLEX_PRECISION_DOUBLE, PLEXDGPLAIN,    0., DG_CURVED   },
  {"maxwell_driven", 3, 2, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_CURVED   },
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_GRADED   },
  {"acoustics",      2, 3, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_GRADED   },
  {"maxwell",        3, 3, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_RESISTIVE},
  {"maxwell",        2, 2, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    1., DG_RESISTIVE},
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_PULSE    },
  {"maxwell",        2, 9, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    1., DG_PULSE    },
  {"maxwell",        3, 4, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_LAYER    },
  {"maxwell",        3, 3, PLEX_PRECISION_DOUBLE, PLEXDGFUSED,    0., DG_LAYER    },
  {"maxwell",        3, 2, PLEX_PRECISION_SINGLE, PLEXDGFUSED,    0., DG_LAYER    },
  {"acoustics",      2, 3, PLEX_PRECISION_SINGLE, PLEXDGPLAIN,    0., DG_LAYER    }
};

/* Modules of right-hand sides and stages that a case has besides the first one of its type: gather, differentiation,
   lift, update, of nonlinear systems fluxes, too; of stages the update, in single precision all */
static PetscInt MoreModules(const DGCase *c)
{
  const PetscInt parts = 4 + !strcmp(c->system, "burgers");

  if (c->with == DG_PULSE) return 2; /* those of sources, and of boundaries with values of their own */
  if (c->with == DG_LAYER) return 1;
  if (c->with == DG_CURVED || c->with == DG_GRADED)
    return strcmp(c->type, PLEXDGFUSED) ? 1 : 2; /* of curved elements */
  return strcmp(c->type, PLEXDGSEPARATE) ? 0 : parts - 1 + (c->precision == PLEX_PRECISION_SINGLE ? parts : 1);
}

/* A hump on what was x = 0 */
static PetscErrorCode DGHump(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  x[0] = 0.05 * PetscSinReal(3. * PETSC_PI * x[1]) * (dim == 3 ? PetscSinReal(3. * PETSC_PI * x[2]) : 1.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DGGrade(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  for (PetscInt i = 0; i < PetscMin(n, 2); ++i) k[i] = 1. + (1. + i) * x[dim - 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The outer third at all sides of a unit box */
static PetscErrorCode DGEnclose(DM dm, PetscInt dim, PlexDG dg)
{
  PetscInt cStart, cEnd;
  DMLabel  label;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMCreateLabel(dm, "all"));
  PetscCall(DMGetLabel(dm, "all", &label));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMLabelSetValue(label, c, 1));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGSetPML(dg, "all", 1,
                         dim == 3 ? "box,0.333333333,0.333333333,0.333333333,0.666666667,0.666666667,0.666666667"
                                  : "box,0.333333333,0.333333333,0.666666667,0.666666667"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunDG(void *ctx)
{
  const DGCase   *c      = (const DGCase *)ctx;
  const PetscBool graded = (PetscBool)(c->with == DG_GRADED), curved = (PetscBool)(c->with == DG_CURVED || graded),
                  bounded = (PetscBool)(curved || c->with == DG_RESISTIVE);
  PlexBackend     backend;
  PlexModule      module;
  PlexDG          dg;
  Vec             U, R;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, c->dim, 3, (PetscBool)(!bounded && c->with != DG_LAYER), &dm));
  if (bounded) PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, c->system));
  if (bounded) PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, curved ? dg->system->kinds[0] : "impedance:1"));
  if (graded) { /* some elements are not */
    PetscCall(DMSetLabelValue(dm, "graded", 0, 1));
    PetscCall(PlexDGSetMaterialFunction(dg, "graded", 1, DGGrade, NULL));
  }
  if (curved) PetscCall(PlexDGSetCurve(dg, "sides", 1, DGHump, NULL));
  if (c->with == DG_LAYER) PetscCall(DGEnclose(dm, c->dim, dg));
  if (c->current != 0.) PetscCall(PlexDGSetConstant(dg, "current", 3, (const PetscReal[]){c->current, 0., 0.}));
  if (c->with == DG_PULSE) {
    const PetscReal x[3] = {0.4, 0.3, 0.2}, moment[3] = {0., 0., 1.}, pulse[5] = {1., 0., 0., 0.5, 0.};

    PetscCall(PlexDGSetConstant(dg, "wave_width", 1, &pulse[3]));
    PetscCall(PlexDGAddDipole(dg, x, moment, pulse));
  }
  PetscCall(PlexDGSetDegree(dg, c->degree));
  PetscCall(PlexDGSetPrecision(dg, c->precision));
  PetscCall(PlexDGSetBackend(dg, "compile"));
  PetscCall(PlexDGSetType(dg, c->type));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R)); /* both are compiled when asked for first */
  if (dg->ops->stage) {
    const PlexDGStage none = {0};

    PetscCall(PlexDGComputeStage(dg, 0., &none));
  }
  if (c->with == DG_PULSE) { /* of local time steps with sources */
    PlexModule boundary;

    PetscCall(PlexDGCompile(dg, "dg/boundary.cu", 0, NULL, &boundary));
    PetscCall(PlexModuleDestroy(&boundary));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexBackendCreate("compile", &backend));
  PetscCall(PlexBackendCompileFile(backend, "dg/traces.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/shock.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/accumulate.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/convert.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/decay.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/memory.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/impedance.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/probes.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/extrema.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/farfield.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/multirate.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendCompileFile(backend, "dg/series.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Hybridized DG */
typedef enum {
  HDG_DIFFUSION,
  HDG_ADVECTIVE,
  HDG_CONSERVATIVE,
  HDG_WAVES /* lambda < 0 */
} HDGKind;

typedef struct {
  DMPolytopeType cell;
  PetscInt       degree;
  PetscBool      curved, keep, units; /* tensor cores */
  PetscBool      point, state, cg;    /* kappa(u); residuals; continuous elements beside it */
  HDGKind        kind;
} HDGCase;

static const HDGCase hdgCases[] = {
  {DM_POLYTOPE_TRIANGLE,      1, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_TRIANGLE,      3, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_TRIANGLE,      9, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_TRIANGLE,      5, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_TRIANGLE,      2, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_QUADRILATERAL, 3, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_QUADRILATERAL, 9, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_HEXAHEDRON,    1, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TRIANGLE,      1, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  HDG_DIFFUSION},
  {DM_POLYTOPE_TRIANGLE,      9, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  HDG_DIFFUSION},
  {DM_POLYTOPE_QUADRILATERAL, 3, PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TRIANGLE,      3, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TRIANGLE,      3, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, HDG_ADVECTIVE},
  {DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE,
   HDG_CONSERVATIVE                                                                                                         },
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, HDG_ADVECTIVE},
  {DM_POLYTOPE_TRIANGLE,      4, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, HDG_WAVES    },
  {DM_POLYTOPE_TETRAHEDRON,   3, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TETRAHEDRON,   5, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_HEXAHEDRON,    4, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            }
};

/* The kernel of residuals is compiled with the first of them */
static PetscErrorCode RunHDGState(PlexHDG hdg)
{
  SNES snes;
  Vec  X, F;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESComputeFunction(snes, X, F));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunHDG(void *ctx)
{
  const HDGCase    *c            = (const HDGCase *)ctx;
  const PetscScalar constants[3] = {1., 2., 0.};
  PlexTestWaves     w;
  PlexHDG           hdg;
  PlexHDGCG         cg = NULL;
  DM                dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 1., PETSC_FALSE, PETSC_FALSE, &w);
  if (c->cell == DM_POLYTOPE_HEXAHEDRON && c->degree > 1) /* affine */
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 3, PETSC_FALSE, (const PetscInt[]){2, 1, 1}, NULL, NULL, NULL,
                                  PETSC_TRUE, 0, PETSC_FALSE, &dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, c->degree, &w, "compile", &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_keep", PetscBools[c->keep]));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_tensor_cores", PetscBools[c->units]));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", "aij"));
  PetscCall(PlexHDGSetStabilization(hdg, NULL, NULL));
  PetscCall(PlexHDGSetCoefficientsPoint(hdg, hdg_point_coefficients, 3, constants));
  if (c->point) PetscCall(PlexHDGSetKappaPoint(hdg, hdg_point_kappa_u, hdg_point_slope, 3, constants));
  if (c->kind == HDG_ADVECTIVE || c->kind == HDG_CONSERVATIVE)
    PetscCall(PlexHDGSetConvectionPoint(hdg, c->kind == HDG_ADVECTIVE ? PLEX_HDG_ADVECTIVE : PLEX_HDG_CONSERVATIVE,
                                        beta, 3, constants));
  if (c->kind == HDG_WAVES) PetscCall(PlexHDGSetDiffusion(hdg, 1., -10.));
  if (c->kind == HDG_DIFFUSION) /* nothing runs: with convection it would be missed that there is a condition */
    PetscCall(PlexHDGAddBoundaryPoint(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, hdg_point_known, 3, constants));
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_source, 2, constants));
  PetscCall(PlexHDGSetPointwiseSource(hdg, "tests/common/hdgsource.h,tests/common/hdgpoints.h"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCreateCoarse(hdg));
  if (c->state) PetscCall(RunHDGState(hdg));
  if (c->cg) PetscCall(PlexHDGCGCreate(hdg, &cg));
  PetscCall(PlexHDGCGDestroy(&cg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of elasticity and fluids; workspace is in global memory in the last */
static const HDGCase elasticCases[] = {
  {DM_POLYTOPE_TRIANGLE,      2, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_QUADRILATERAL, 1, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_HEXAHEDRON,    1, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            },
  {DM_POLYTOPE_TETRAHEDRON,   3, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                            }
};

/* Products by the elements' matrices: batches of 32 elements, of 8, of a system */
static const HDGCase traceCases[] = {
  {DM_POLYTOPE_TRIANGLE,    5, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, HDG_DIFFUSION},
  {DM_POLYTOPE_HEXAHEDRON,  3, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                         },
  {DM_POLYTOPE_TETRAHEDRON, 2, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE,
   HDG_DIFFUSION                                                                                                         }
};

/* trace: products by the elements' matrices */
static PetscErrorCode RunVector(const HDGCase *c, PlexHDGSystem system, PetscBool trace)
{
  PlexHDG hdg;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, system));
  PetscCall(PlexHDGSetDegree(hdg, c->degree));
  PetscCall(PlexHDGSetBackend(hdg, "compile"));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_keep", PetscBools[c->keep]));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_tensor_cores", PetscBools[c->units]));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", trace ? "elements" : "aij"));
  PetscCall(PlexHDGSetUp(hdg));
  if (trace) PetscCall(PlexHDGCreateCoarse(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunElastic(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(RunVector((const HDGCase *)ctx, PLEX_HDG_ELASTICITY, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last one is of elasticity */
static PetscErrorCode RunTrace(void *ctx)
{
  const HDGCase *c = (const HDGCase *)ctx;

  PetscFunctionBegin;
  PetscCall(RunVector(c, c == &traceCases[2] ? PLEX_HDG_ELASTICITY : PLEX_HDG_DIFFUSION, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunStokes(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(RunVector((const HDGCase *)ctx, PLEX_HDG_STOKES, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of residuals are compiled with the first of them, and those of explicit convection likewise, of which straight
   triangles and tetrahedra are capable */
static PetscErrorCode RunNavier(void *ctx)
{
  const HDGCase  *c        = (const HDGCase *)ctx;
  const PetscBool explicit = (PetscBool)(!c->curved);
  PlexHDG         hdg;
  DM              dm;
  TS              ts;
  Vec             X, F;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(hdg, c->degree));
  PetscCall(PlexHDGSetBackend(hdg, "compile"));
  PetscCall(PlexHDGSetTransport(hdg, explicit ? PLEX_HDG_TRANSPORT_EXPLICIT : PLEX_HDG_TRANSPORT_IMPLICIT));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_tensor_cores", PetscBools[c->units]));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecSet(X, 0.));
  PetscCall(TSComputeIFunction(ts, 0., X, X, F, PETSC_TRUE));
  if (explicit) PetscCall(TSComputeRHSFunction(ts, 0., X, F));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of DG with quadrature */
typedef struct {
  const char   *system;
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      degree;
  PlexPrecision precision;
  const char   *way;
} PointCase;

static const PointCase pointCases[] = {
  {"shallow_water_linear", PETSC_FALSE, PLEX_TEST_AFFINE,   4,  PLEX_PRECISION_DOUBLE, "kernels"},
  {"shallow_water_linear", PETSC_TRUE,  PLEX_TEST_STRAIGHT, 2,  PLEX_PRECISION_SINGLE, "kernels"},
  {"burgers",              PETSC_TRUE,  PLEX_TEST_AFFINE,   3,  PLEX_PRECISION_DOUBLE, "kernels"},
  {"shallow_water",        PETSC_TRUE,  PLEX_TEST_CURVED,   2,  PLEX_PRECISION_DOUBLE, "kernels"},
  {"shallow_water",        PETSC_FALSE, PLEX_TEST_AFFINE,   4,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water",        PETSC_TRUE,  PLEX_TEST_STRAIGHT, 3,  PLEX_PRECISION_SINGLE, "fused"  },
  {"shallow_water_linear", PETSC_FALSE, PLEX_TEST_AFFINE,   1,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water",        PETSC_FALSE, PLEX_TEST_AFFINE,   2,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water",        PETSC_TRUE,  PLEX_TEST_AFFINE,   1,  PLEX_PRECISION_SINGLE, "fused"  },
  {"shallow_water_linear", PETSC_FALSE, PLEX_TEST_AFFINE,   4,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water_linear", PETSC_TRUE,  PLEX_TEST_AFFINE,   10, PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water_linear", PETSC_FALSE, PLEX_TEST_CURVED,   5,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"shallow_water_linear", PETSC_TRUE,  PLEX_TEST_STRAIGHT, 3,  PLEX_PRECISION_SINGLE, "fused"  },
  {"burgers",              PETSC_FALSE, PLEX_TEST_CURVED,   3,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"tsunami",              PETSC_FALSE, PLEX_TEST_AFFINE,   2,  PLEX_PRECISION_SINGLE, "kernels"},
  {"tsunami",              PETSC_TRUE,  PLEX_TEST_STRAIGHT, 3,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"tsunami",              PETSC_FALSE, PLEX_TEST_AFFINE,   3,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"tsunami",              PETSC_TRUE,  PLEX_TEST_AFFINE,   2,  PLEX_PRECISION_SINGLE, "fused"  },
  {"euler",                PETSC_FALSE, PLEX_TEST_STRAIGHT, 3,  PLEX_PRECISION_DOUBLE, "kernels"},
  {"euler",                PETSC_FALSE, PLEX_TEST_AFFINE,   1,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"euler",                PETSC_TRUE,  PLEX_TEST_STRAIGHT, 4,  PLEX_PRECISION_DOUBLE, "fused"  },
  {"euler",                PETSC_FALSE, PLEX_TEST_CURVED,   2,  PLEX_PRECISION_SINGLE, "fused"  },
  {"acoustics_uniform",    PETSC_FALSE, PLEX_TEST_AFFINE,   4,  PLEX_PRECISION_DOUBLE, "kernels"},
  {"acoustics_uniform",    PETSC_TRUE,  PLEX_TEST_STRAIGHT, 2,  PLEX_PRECISION_SINGLE, "kernels"},
  {"acoustics_uniform",    PETSC_FALSE, PLEX_TEST_AFFINE,   2,  PLEX_PRECISION_DOUBLE, "fused"  }
};

/* In 3D: tetrahedra, or hexahedra in the place of quadrilaterals, irregular ones */
static PetscBool IsSolid(const PointCase *c)
{
  return (PetscBool)!strcmp(c->system, "acoustics_uniform");
}

/* On a map of the sphere */
static PetscBool IsSphere(const PointCase *c)
{
  return (PetscBool)(!strcmp(c->system, "tsunami") && c->shape == PLEX_TEST_AFFINE && !strcmp(c->way, "fused"));
}

/* With viscous fluxes, whose kernels are a module of their own */
static PetscBool IsViscous(const PointCase *c)
{
  return (PetscBool)((!strcmp(c->system, "tsunami") && !IsSphere(c)) ||
                     (!strcmp(c->system, "shallow_water") && c->degree == 2));
}

/* A map of the sphere, of which lengths are 0.9 times those of the plane */
static PetscErrorCode Sphere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1.;
  k[2] = 0.9;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunDGPoints(void *ctx)
{
  const PointCase *c   = (const PointCase *)ctx;
  const PetscReal  dry = 0.01, viscosity = 1.;
  DM               dm;
  PlexDG           dg;

  PetscFunctionBegin;
  if (IsSolid(c))
    PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->quadrilaterals ? DM_POLYTOPE_HEXAHEDRON : DM_POLYTOPE_TETRAHEDRON, 1,
                           &dm));
  else PetscCall(PlexTestBasin(PETSC_COMM_SELF, c->quadrilaterals, c->shape, 2, 2, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, c->system));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  if (!strcmp(c->system, "tsunami")) PetscCall(PlexDGSetConstant(dg, "dry", 1, &dry));
  if (IsSphere(c)) PetscCall(PlexDGSetCoefficients(dg, Sphere, NULL));
  if (IsViscous(c)) PetscCall(PlexDGSetConstant(dg, "viscosity", 1, &viscosity));
  PetscCall(PlexDGSetDegree(dg, c->degree));
  PetscCall(PlexDGSetPrecision(dg, c->precision));
  PetscCall(PlexDGSetBackend(dg, "compile"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  if (dg->ops->stage) {
    const PlexDGStage none = {0};

    PetscCall(PlexDGComputeStage(dg, 0., &none)); /* compiled when asked for first */
  }
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel of the rates of a state, which steps that follow the speed ask for: after one step */
typedef struct {
  PetscInt    degree;
  PetscBool   decays; /* of fields that decay, in place of water */
  PetscInt    modules;
  const char *name;
} DGRatesCase;

static const DGRatesCase dgRatesCases[] = {
  {1, PETSC_FALSE, 2, "kernels: rates of water, degree 1" },
  {4, PETSC_FALSE, 2, "kernels: rates of water, degree 4" },
  {3, PETSC_TRUE,  3, "kernels: rates and decay of fields"}
};

static PetscErrorCode RunDGRates(void *ctx)
{
  const DGRatesCase *c     = (const DGRatesCase *)ctx;
  const PetscReal    sigma = 1.;
  PlexDG             dg;
  DM                 dm;
  Vec                U;
  TS                 ts;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, c->decays ? "maxwell" : "tsunami"));
  if (c->decays) PetscCall(PlexDGSetConstant(dg, "sigma", 1, &sigma));
  else PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetAdaptiveStep(dg, PETSC_TRUE));
  PetscCall(PlexDGSetDegree(dg, c->degree));
  PetscCall(PlexDGSetBackend(dg, "compile"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energy's kernel, of an operator of type plain */
static PetscErrorCode RunDGEnergy(void *ctx)
{
  PetscReal energy;
  PlexDG    dg;
  DM        dm;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 3, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, *(const PetscInt *)ctx));
  PetscCall(PlexDGSetPrecision(dg, PLEX_PRECISION_SINGLE));
  PetscCall(PlexDGSetBackend(dg, "compile"));
  PetscCall(PlexDGSetType(dg, PLEXDGPLAIN));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What does not belong to a strategy */
static PetscErrorCode RunBoundary(void *ctx)
{
  const PlexSolve none = {0, 0};
  PlexBoundary    boundary;
  PlexBackend     backend;
  DM              dm;
  Vec             X;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate((const PlexTestProblem *)ctx, &dm));
  PetscCall(PlexBackendCreate("compile", &backend));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexBoundaryInsert(boundary, none, 0., X, NULL));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of essential values: every other row */
static PetscErrorCode RunEssential(void *ctx)
{
  PlexAssembly assembly;
  DM           dm;
  Vec          values;
  IS           rows;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate((const PlexTestProblem *)ctx, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYELEMENTATOMIC));
  PetscCall(PlexAssemblySetBackend(assembly, "compile"));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(DMCreateGlobalVector(dm, &values));
  PetscCall(VecGetSize(values, &n));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, n / 2, 0, 2, &rows));
  PetscCall(PlexAssemblySetEssentialRows(assembly, rows, values, NULL));
  PetscCall(PlexTestCompute(assembly, dm));
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunArrays(void *ctx)
{
  const char *const plans[] = {"plan/blocks.cu",           "plan/rows_steps.h",     "assembly/runs_plan.h",
                               "assembly/shared_plan.h",   "assembly/pairs_plan.h", "assembly/partial_plan_steps.h",
                               "assembly/symmetry_plan.h", "assembly/lines_plan.h", "dm/basis.h"};
  PlexBackend       backend;
  PlexArrays        arrays;
  PlexModule        module;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexBackendCreate("compile", &backend));
  PetscCall(PlexBackendCompileFile(backend, "dm/transfer.cu", &module));
  PetscCall(PlexModuleDestroy(&module));
  PetscCall(PlexArraysCreate(backend, &arrays));
  PetscCall(PlexArraysDestroy(&arrays));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(plans); ++k) {
    PlexSteps steps;

    PetscCall(PlexStepsCreate(backend, plans[k], &steps));
    PetscCall(PlexStepsDestroy(&steps));
  }
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every .cu file is to have been compiled by some case */
static PetscErrorCode CheckAllCompiled(void)
{
  glob_t files;

  PetscFunctionBegin;
  if (glob("cuda/*/*.cu", 0, NULL, &files))
    PetscCheck(!glob("build/share/plexgpu/cuda/*/*.cu", 0, NULL, &files), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
               "There are no device sources in cuda/ or build/share/plexgpu/cuda/");
  PetscCheck(!glob("benchmarks/*/*.cu", GLOB_APPEND, NULL, &files), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "There are no device sources in the folders of benchmarks/");
  for (size_t f = 0; f < files.gl_pathc; ++f) {
    const char *file = strrchr(files.gl_pathv[f], '/') + 1;
    char        name[PETSC_MAX_PATH_LEN];
    PetscBool   found = PETSC_FALSE;

    for (PetscInt m = 0; m < nmodules && !found; ++m) {
      for (const char *at = modules[m]; !found && (at = strstr(at, file)); ++at)
        found = (PetscBool)(at == modules[m] || at[-1] == '/' || at[-1] == ' ');
    }
    PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: %s is compiled by some case", file));
    PetscCall(PlexTestReport(found, name, "no case of this test needs it: add one"));
  }
  globfree(&files);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PlexTestFault faultCases[] = {
  {DM_POLYTOPE_TRIANGLE,   2, 2, PLEX_TEST_FAULT_AUX},
  {DM_POLYTOPE_HEXAHEDRON, 2, 1, PLEX_TEST_FAULT_AUX}
};

int main(int argc, char **argv)
{
  const char *env = getenv("PLEXGPU_CUDA_ARCH"), *backends = getenv("PLEXGPU_TEST_BACKENDS");
  char        why[512] = "";

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-hip", &hip, NULL));
  if (hip) {
    env = getenv("PLEXGPU_HIP_ARCH");
    PetscCall(PetscStrncpy(arch, env && env[0] ? env : "gfx90a", sizeof(arch)));
    PetscCall(PlexGPUInitializePackage());
    PetscCall(PlexCanCompileFor_HIP(arch, why, sizeof(why)));
    env = NULL;
  }
  if (why[0]) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip kernels for HIP: %s\n", why));
    PetscCall(PetscFinalize());
    return 0;
  }
  if (hip) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: compiled, not run\n", arch));
  else if (!PetscDefined(HAVE_CUDA) || (backends && !strcmp(backends, "cuda"))) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip kernels: %s\n",
                          backends ? "the other tests compile them for this GPU"
                                   : "PETSc was configured without CUDA"));
    PetscCall(PetscFinalize());
    return 0;
  }
  if (env && env[0]) PetscCall(PetscSNPrintf(arch, sizeof(arch), "sm_%s", strncmp(env, "sm_", 3) ? env : env + 3));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexBackendRegister("compile", BackendCreate_Compile));
  for (size_t k = 0; k <= WITHOUT_INTEGRATION; ++k) {
    for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(strategies); ++s) {
      const PetscInt before = nmodules;
      Case           c      = cases[k % WITHOUT_INTEGRATION];
      char           name[256], text[2048];
      PetscErrorCode ierr;

      if (c.strategy && strcmp(c.strategy, strategies[s])) continue;
      c.strategy    = strategies[s];
      c.dummy       = (PetscBool)(k == WITHOUT_INTEGRATION);
      machineCode   = 0;
      withoutBlocks = (PetscBool)(c.problem.degree == 4 && c.problem.components == 3);
      PetscCall(PlexTestTry(RunCase, &c, &ierr, text, sizeof(text)));
      PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: %s%s, %s, for %s", c.name,
                              c.dummy ? " without integration" : "", c.strategy, arch));
      PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules > before && machineCode), name,
                               "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
    }
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rocksCases); ++k) {
    const RocksCase *c      = &rocksCases[k];
    const PetscInt   before = nmodules;
    char             name[256], text[2048];
    PetscErrorCode   ierr;

    PetscCall(PlexTestTry(RunRocks, (void *)c, &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: C++, dim %" PetscInt_FMT ", %s, %s", c->dim, c->strategy,
                            PlexPrecisions[c->precision]));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules > before), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t k = 0; PETSC_VERSION_GE(3, 26, 0) && k < PETSC_STATIC_ARRAY_LENGTH(faultCases); ++k) {
    const PetscInt before = nmodules;
    char           name[256], text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunFault, (void *)&faultCases[k], &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: cohesive cells between cells of type %s",
                            DMPolytopeTypes[faultCases[k].cell]));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules >= before + 6), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  PetscCall(CompileExchange());
  for (PetscInt k = 0; k < 5; ++k) {
    PetscErrorCode (*const run[])(void *) = {RunBoundary, RunArrays, RunEssential, RunActions, RunFactors};
    const PetscInt    expected[]          = {1, 1, 3, 30, 12};
    const char *const what[]              = {"kernels: essential values", "kernels: steps over arrays",
                                             "kernels: rows of essential values", "kernels: actions of Jacobians",
                                             "kernels: products with coefficients in factors"};
    const PetscInt    before              = nmodules;
    char              text[2048];
    PetscErrorCode    ierr;

    PetscCall(PlexTestTry(run[k], (void *)&cases[0].problem, &ierr, text, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules >= before + expected[k]), what[k],
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (PetscInt k = 0; k < 2; ++k) {
    const PlexPrecision precision = k ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE;
    const PetscInt      before    = nmodules;
    char                text[2048];
    PetscErrorCode      ierr;

    PetscCall(PlexTestTry(RunBatch, (void *)&precision, &ierr, text, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + 4),
                             k ? "kernels: element matrices alone, single" : "kernels: element matrices alone",
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  PetscCall(PlexTestRegisterSystems());
  PetscCall(PlexTestRegisterDriven());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(dgCases); ++k) {
    /* those of RunDG(), the operator's, that of stages */
    const PetscInt before = nmodules, expected = strcmp(dgCases[k].type, PLEXDGFUSED) ? 13 : 14;
    char           name[256], text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunDG, (void *)&dgCases[k], &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name),
                            "kernels: nodal DG %s, %s%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s, for %s",
                            dgCases[k].type, dgCases[k].system,
                            dgCases[k].with == DG_PULSE       ? " with a pulse and a dipole"
                            : dgCases[k].with == DG_CURVED    ? ", curved"
                            : dgCases[k].with == DG_GRADED    ? ", graded"
                            : dgCases[k].with == DG_LAYER     ? ", a layer"
                            : dgCases[k].with == DG_RESISTIVE ? ", a resistive boundary"
                            : dgCases[k].current != 0.        ? " with a current"
                                                              : "",
                            dgCases[k].dim, dgCases[k].degree, PlexPrecisions[dgCases[k].precision], arch));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + expected + MoreModules(&dgCases[k])), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pointCases); ++k) {
    const PointCase *c = &pointCases[k];
    /* that of stages; of wetting and drying; of viscous fluxes */
    const PetscInt before   = nmodules,
                   expected = (strcmp(c->way, "fused") ? 1 : 2) + !strcmp(c->system, "tsunami") + IsViscous(c);
    char           name[256], text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunDGPoints, (void *)c, &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name),
                            "kernels: DG with quadrature %s, %s, %s %s, degree %" PetscInt_FMT ", %s, for %s", c->way,
                            c->system, PlexTestShapes[c->shape],
                            IsSolid(c)          ? (c->quadrilaterals ? "hexahedra" : "tetrahedra")
                            : c->quadrilaterals ? "quadrilaterals"
                                                : "triangles",
                            c->degree, PlexPrecisions[c->precision], arch));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + expected), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (PetscInt N = 3; N <= 9; N += 6) {
    const PetscInt before = nmodules;
    char           text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunDGEnergy, &N, &ierr, text, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + 2),
                             N == 3 ? "kernels: energy of nodal DG, degree 3" : "kernels: energy of nodal DG, degree 9",
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(dgRatesCases); ++k) {
    const PetscInt before = nmodules;
    char           text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunDGRates, (void *)&dgRatesCases[k], &ierr, text, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + dgRatesCases[k].modules), dgRatesCases[k].name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(hdgCases); ++k) {
    static const char *const kinds[] = {"", "convection, ", "conservative convection, ", "lambda < 0, "};
    const PetscInt           before = nmodules, expected = 9 + hdgCases[k].state + 2 * hdgCases[k].cg;
    char                     name[256], text[2048];
    PetscErrorCode           ierr;

    PetscCall(PlexTestTry(RunHDG, (void *)&hdgCases[k], &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: hybridized DG, %s%s%s%s, degree %" PetscInt_FMT ", for %s",
                            kinds[hdgCases[k].kind],
                            hdgCases[k].point   ? "kappa(u), "
                            : hdgCases[k].state ? "states, "
                                                : "",
                            hdgCases[k].curved ? "curved " : "", DMPolytopeTypes[hdgCases[k].cell], hdgCases[k].degree,
                            arch));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + expected), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t s = 0; s < 3 * PETSC_STATIC_ARRAY_LENGTH(elasticCases); ++s) {
    static PetscErrorCode (*const run[])(void *) = {RunElastic, RunStokes, RunNavier};
    static const char *const systems[]           = {"elasticity", "Stokes", "Navier-Stokes"};
    const size_t             k                   = s / 3;
    /* plan, steps over arrays, local matrices and problems, sums; of Navier-Stokes equations traces and residuals, too, and
       explicit convection */
    const PetscInt before = nmodules, expected = s % 3 == 2 ? 8 - elasticCases[k].curved : 5;
    char           name[256], text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(run[s % 3], (void *)&elasticCases[k], &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "kernels: %s, %s%s, degree %" PetscInt_FMT ", for %s", systems[s % 3],
                            elasticCases[k].curved ? "curved " : "", DMPolytopeTypes[elasticCases[k].cell],
                            elasticCases[k].degree, arch));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + expected), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(traceCases); ++k) {
    const PetscInt before = nmodules, expected = 7 - (k == 2); /* steps over arrays, stages, sums, products, parts */
    char           name[256], text[2048];
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(RunTrace, (void *)&traceCases[k], &ierr, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name),
                            "kernels: products by the elements' matrices, %s, degree %" PetscInt_FMT ", for %s",
                            DMPolytopeTypes[traceCases[k].cell], traceCases[k].degree, arch));
    PetscCall(PlexTestReport((PetscBool)(!ierr && nmodules == before + expected), name,
                             "%" PetscInt_FMT " modules compiled; error %d: %s", nmodules - before, (int)ierr, text));
  }
  PetscCall(CheckAllCompiled());
  if (hip) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " texts were compiled with hiprtc\n", nhip));
  for (PetscInt m = 0; m < nmodules; ++m) free(modules[m]);
  for (PetscInt k = 0; k < nfiles; ++k) PetscCall(PetscFree(files[k]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
