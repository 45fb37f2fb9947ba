static char help[] = "Device source taken out of C files: what is kept and what is dropped, C that is not C++, "
                     "variables, messages. What is kept is\n"
                     "compiled with the backend emulate, and with NVRTC where it is installed.\n\n";

#include <plexgpu/private/sourceimpl.h>
#include "kernel.h"
#include "report.h"
#include <sys/stat.h>
#include <unistd.h>

/* Variables that sources below mean: those of this program, which is compiled from a file of the same name */
static PetscReal unit_changed = 1.;
static struct {
  PetscReal k[3];
  int       n;
} unit_struct = {
  {1., 2., 3.},
  4
};
PetscInt unit_exported = 5;

static char      folder[PETSC_MAX_PATH_LEN]; /* of the sources */
static PetscBool preprocesses;               /* C can be preprocessed on this machine */

#define HEAD "#include <petscds.h>\n"
typedef struct {
  const char *name;    /* of the case */
  const char *text;    /* of the file */
  const char *wanted;  /* the function that is wanted */
  const char *kept;    /* words that are to be in the result, blanks between */
  const char *dropped; /* words that are not to be in it */
} Keep;

// clang-format off
static const Keep keeps[] = {
  {"helpers in the order of the file", HEAD "static PetscReal second(PetscReal x);\nstatic PetscReal former(PetscReal "
   "x) { return second(x); }\nstatic PetscReal unused(PetscReal x) { return former(x); }\nstatic PetscReal "
   "second(PetscReal x) { return x; }\n" POINT("f0_u") "{ f[0] = former(u[0]); }\nint main(void) { "
   "PetscFunctionBeginUser; PetscCall(PetscFinalize()); return (int)unused(1.); }\n", "f0_u", "f0_u former second",
   "unused main PetscFinalize PetscError"},
  {"types, through each other", HEAD "typedef double Number;\ntypedef Number Triple[3];\nstruct Node { struct Node "
   "*next; Triple x; };\ntypedef struct Node Node;\ntypedef struct { Node n; } Other;\nstruct Never { Node n; };\n"
    POINT("f0_u") "{ Node n = {0}; f[0] = n.x[0]; }\n", "f0_u", "Number Triple Node", "Other Never"},
  {"enumerators and enumerations", HEAD "enum { SIZE = 3, OTHER };\ntypedef enum Kind { KIND_A, KIND_B = SIZE } "
   "Kind;\nenum Tag { TAG_A, TAG_B };\ntypedef enum { LONELY } Lonely;\n" POINT("f0_u") "{ PetscReal w[SIZE]; Kind k "
   "= 3; enum Tag tag = 1; enum { HERE = 2 } here = HERE;\n  k = k + 1; w[0] = k == KIND_B ? tag : here; f[0] = w[0]; "
   "}\n", "f0_u", "SIZE KIND_A KIND_B TAG_A HERE", "LONELY Lonely"},
  {"constants of the file", HEAD "static const PetscReal one = 1., half[] = {0.5, 0.25};\nstatic const PetscInt N = "
   "2;\nstatic const char *const words[] = {\"a\", \"b\"};\nstatic const PetscReal other = 3.;\n"
    POINT("f0_u") "{ PetscReal w[N]; w[0] = one; f[0] = w[0] + half[1]; }\n", "f0_u", "one half N 0.25", "words other"},
  {"one variable of several", HEAD "static const PetscReal one = 1., two = 2.;\n" POINT("f0_u") "{ f[0] = two; }\n",
   "f0_u", "two", "one"},
  {"a variable that nothing changes",
   HEAD "static PetscReal nowhere_to_be_found = 4.;\n" POINT("f0_u") "{ f[0] = nowhere_to_be_found; }\n", "f0_u",
   "nowhere_to_be_found 4.", "plex_variables"},
  {"an array and a struct that nothing changes", HEAD "static PetscReal nowhere_array[2][2] = {{1., 2.}, {3., "
   "4.}};\nstatic struct { PetscReal k; } nowhere_struct = {5.};\n"
    POINT("f0_u") "{ f[0] = nowhere_array[1][0] + nowhere_struct.k; }\n", "f0_u", "nowhere_array nowhere_struct 3. 5.",
   "plex_variables"},
  {"variables of the program", HEAD "static PetscReal unit_changed;\nstatic struct { PetscReal k[3]; int n; } "
   "unit_struct;\nextern PetscInt unit_exported;\nvoid change(void) { unit_changed = 1.; unit_struct.n = 2; }\n"
    POINT("f0_u") "{ f[0] = unit_changed + unit_struct.k[unit_struct.n - 2] + unit_exported; }\n", "f0_u",
   "plex_variables plex_variable_unit_changed plex_variable_unit_struct plex_variable_unit_exported",
   "change unit_changed unit_struct"},
  {"names that hide those of the file", HEAD "static PetscReal unit_changed, level = 2.;\nvoid change(void) { "
   "unit_changed = level = 3.; }\nstruct S { PetscReal level; };\n" POINT("f0_u") "{ struct S s = {.level = 1.}, *p = "
   "&s; PetscReal unit_changed = u[0];\n  for (PetscInt level = 0; level < dim; ++level) f[0] += level * "
   "unit_changed;\n  { PetscReal level = 2.; f[0] += level; }\n  f[0] += s.level + p->level; }\n", "f0_u",
   "S unit_changed", "plex_variable_unit_changed plex_variable_level plex_variables change"},
  {"a parameter hides too", HEAD "static PetscReal level(PetscReal x) { return x; }\n" POINT("f0_u") "{ f[0] = t; }\n"
   "static PetscReal unused(PetscReal level) { return level; }\nstatic PetscReal used(PetscReal level, PetscReal "
   "(*g)(PetscReal level)) { return g(level); }\n" POINT( "f0_v") "{ (void)used; f[0] = 1; }\n", "f0_v", "used",
   "f0_u unused static_level"},
  {"PETSc's inline functions, and what the device has itself",
   HEAD "#define CUBE(x) PetscPowRealInt(x, 3)\n" POINT("f0_u") "{ const PetscReal y = PetscRealPart(u[0]); f[0] = "
   "CUBE(y) + PetscSqr(y) + PetscPowReal(y, 2.) + PetscSinReal(y) + PETSC_PI + PetscAbsScalar(u[0]) + PetscMax(y, 0.) "
   "+ PetscIsNanReal(y) + sqrt(2) + pow(2, y) + fmax(0, y); }\n", "f0_u",
   "PetscPowRealInt sin pow fabs 3.1415926535897932384626433832795029 result",
   "PetscSqr PetscMax PetscPowScalarInt CUBE"},
  {"attributes, assertions and other words of C", HEAD "_Static_assert(sizeof(PetscInt) >= 4, \"; { ( \\\" "
   "\");\n__extension__ typedef struct { int : 4; unsigned bits : 3; union { int i; float r; }; } "
   "__attribute__((packed)) Bits;\nstatic __inline__ __attribute__((always_inline)) PetscReal "
   "attributed(register PetscReal x) { __asm__ volatile(\"\" : : : \"memory\"); return x; }\n"
   "static void restricted(PetscReal *restrict y, const PetscReal *__restrict x, _Bool b) { y[0] = b ? x[0] : 0; }\n"
    POINT("f0_u") "{ Bits bits = {0}; bits.bits = 2; restricted(f, x, 1); f[0] = attributed(bits.bits + bits.r); }\n",
   "f0_u", "Bits attributed restricted", "_Static_assert __attribute__ memory restrict _Bool"},
  {"assert()", HEAD "#include <assert.h>\nstatic PetscReal positive(PetscReal k) { assert(k > 0.); return k; }\n"
    POINT("f0_u") "{ assert(dim > 0); f[0] = positive(u[0]); }\n", "f0_u", "__assert_fail positive", "unused"},
  {"pointers to void, and names that are words of C++", HEAD "typedef struct { PetscReal k; void *more; } "
   "Context;\nstatic PetscReal read(void *ctx, const void *const other) { Context *new = ctx; const PetscReal *this = "
   "other; void *class = new; if (!ctx || class == NULL) return 0.; return new->k + this[0]; }\n" POINT("f0_u")
   "{ Context template = {1., NULL}; const PetscReal *none = NULL; f[0] = read(&template, x) + (none ? 1. : u_t == "
   "NULL); }\n", "f0_u", "Context read plex_pointer", "void_ptr"},
  {"literals of types, designated initializers", HEAD "typedef struct { PetscReal k[2]; PetscInt n; } Pair;\nstatic "
   "PetscReal sum(Pair p) { return p.k[0] + p.n; }\n" POINT("f0_u") "{ Pair p = {.k = {1., 2.}, .n = 3}; PetscReal "
   "mixed[2] = {dim, u[0]}; f[0] = sum((Pair){.n = 2}) + sum(p) + mixed[0]; }\n", "f0_u", "Pair sum", "unused"},
  {"what is never come to", HEAD "static void prints(PetscReal x)\n{\n  if (1) {\n    (void)x;\n  } else {\n    "
   "static int count = 0;\n    if (!count++) (void)PetscPrintf(PETSC_COMM_WORLD, \"%g\\n\", x);\n  }\n  if (0) { "
   "(void)PetscPrintf(PETSC_COMM_WORLD, \"%g\\n\", x); }\n}\n" POINT("f0_u") "{ prints(u[0]); f[0] = 1.; }\n", "f0_u",
   "prints", "PetscPrintf count"},
  {"arrays sized by what the kernel knows", HEAD POINT("f0_u") "{ const PetscInt Nc = uOff[1] - uOff[0], n = Nc * "
   "dim; PetscScalar w[dim], v[n + 1][2], z[Nf];\n  w[0] = v[0][0] = z[0] = 1.; f[0] = w[0] + v[0][0] + z[0]; }\n",
   "f0_u", "PLEX_DIM PLEX_NF plex_uOff constexpr", "unused"},
  {"characters and strings with brackets", HEAD "static const char open = '{', quote = '\\'', *text = "
   "\"\\\"}{(\";\nstatic int code(void) { return open + quote; }\n" POINT("f0_u")
   "{ f[0] = code(); }\nstatic const char *after(void) { return text; }\n", "f0_u", "open quote code", "text after"},
  {"switch, goto, loops", HEAD "static PetscReal walk(PetscInt n)\n{\n  PetscReal s = 0.;\n  PetscInt  i = 0, *p = "
   "&n;\nagain:\n  switch (*p) {\n  case 0:\n    goto done;\n  case 1: {\n    PetscReal y = 2.;\n    s += y;\n  }\n  "
   "default:\n    --*p;\n  }\n  do ++i;\n  while (i < 3);\n  goto again;\ndone:\n  return s;\n}\n"
    POINT("f0_u") "{ f[0] = walk(2); }\n", "f0_u", "walk again done", "unused"},
  {"names that CUDA has", HEAD "typedef struct { PetscReal x, y; } double2;\nstatic PetscReal min(PetscReal a, "
   "PetscReal b) { return a < b ? a : b; }\nstatic PetscReal norm(double2 v) { return v.x + v.y; }\nstatic PetscReal "
   "rsqrt(PetscReal x) { return 1. / PetscSqrtReal(x); }\nstatic PetscInt p(PetscInt s) { return s; }\n" POINT("f0_u")
   "{ double2 v = {1., 2.}, max; max = v; f[0] = min(norm(v), rsqrt(max.x)) + p(2); }\n", "f0_u", "max",
   "min norm rsqrt double2"},
  {"pointers to functions", HEAD "typedef PetscReal (*Law)(PetscReal);\nstatic PetscReal linear(PetscReal x) { return "
   "x; }\nstatic PetscReal cubic(PetscReal x) { return x * x * x; }\nstatic PetscReal apply(Law law, PetscReal "
   "(*other)(PetscReal), PetscReal x) { return law(x) + other(x); }\n"
    POINT("f0_u") "{ f[0] = apply(linear, cubic, u[0]); }\n", "f0_u", "Law linear cubic apply", "unused"},
};
// clang-format on

/* The program of one file, which is called source.c to be that of this program's variables, and does not stay */
static PetscErrorCode CreateProgram(const char name[], const char text[], PlexProgram *program)
{
  char path[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(UnitProgramCreate(folder, name, text, program));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, name));
  (void)unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The source of one function, PetscFree() it */
static PetscErrorCode Extract(const char file[], const char text[], const char wanted[], PetscBool single, char **out)
{
  PlexProgram program;
  char        name[256];

  PetscFunctionBegin;
  PetscCall(CreateProgram(file, text, &program));
  PetscCall(UnitExtract(program, wanted, single, name, out));
  PetscCall(PlexProgramDestroy(&program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool HasWord(const char text[], const char word[], size_t n)
{
  const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

  for (const char *p = text; *p; ++p)
    if (!strncmp(p, word, n) && (p == text || !strchr(letters, p[-1])) && (!p[n] || !strchr(letters, p[n])))
      return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The first word of a list that is there although it should not be, or is not although it should */
static const char *WrongWord(const char text[], const char list[], PetscBool there)
{
  static char wrong[64];

  for (const char *p = list; *p; p += strspn(p, " ")) {
    const size_t n = strcspn(p, " ");

    if (HasWord(text, p, n) != there) {
      (void)snprintf(wrong, sizeof(wrong), "%.*s", (int)n, p);
      return wrong;
    }
    p += n;
  }
  return NULL;
}

typedef struct {
  const char *backend, *text, *wanted;
  PetscBool   single;
  PetscBool   fromCache; /* the result: it was found there */
} Compilation;

/* Compiles a kernel that calls the function */
static PetscErrorCode Compile(void *ctx)
{
  Compilation *c = (Compilation *)ctx;
  char        *all;
  size_t       bytes;
  PlexBackend  b;
  PlexModule   module;

  PetscFunctionBegin;
  PetscCall(UnitKernel(c->text, c->wanted, c->single, &all));
  if (c->backend) {
    PetscCall(PlexBackendCreate(c->backend, &b));
    PetscCall(PlexBackendCompile(b, "unit_source", 0, NULL, all, &module));
    c->fromCache = module->fromCache;
    PetscCall(PlexModuleDestroy(&module));
    PetscCall(PlexBackendDestroy(&b));
  } else PetscCall(PlexCompileOnly_CUDA("unit_source", 0, NULL, all, "sm_90", &bytes));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtKeptOf(const char file[], const Keep *k, PetscBool emulate, PetscBool nvrtc)
{
  PetscFunctionBegin;
  for (PetscInt single = 0; single < 2; ++single) {
    const char    *missing, *left;
    char          *text, name[256], said[4096];
    PetscErrorCode ierr;

    PetscCall(Extract(file, k->text, k->wanted, (PetscBool)single, &text));
    missing = WrongWord(text, k->kept, PETSC_TRUE);
    left    = WrongWord(text, k->dropped, PETSC_FALSE);
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s: kept and dropped", k->name, single ? ", single precision" : ""));
    PetscCall(PlexTestReport((PetscBool)(!missing && !left), name, "%s%s %s%s in\n%s", missing ? missing : "",
                             missing ? " is not," : "", left ? left : "", left ? " is" : "", text));
    for (PetscInt compiler = 0; compiler < 2; ++compiler) {
      Compilation c = {compiler ? NULL : PLEXBACKENDEMULATE, text, k->wanted, (PetscBool)single, PETSC_FALSE};

      if (compiler ? !nvrtc : !emulate) continue;
      PetscCall(PlexTestTry(Compile, &c, &ierr, said, sizeof(said)));
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s: compiles (%s)", k->name, single ? ", single precision" : "",
                              compiler ? "NVRTC" : "emulate"));
      PetscCall(PlexTestReport((PetscBool)!ierr, name, "%s in\n%s", said, text));
    }
    PetscCall(PetscFree(text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages */

typedef struct {
  const char *file, *text, *wanted;
  const char *words[6]; /* of the message */
} Bad;

// clang-format off
static const Bad bads[] = {
  {"source.c", HEAD POINT("f0_u") "{ f[0] = 1.; }\n", "f0_other", {"'f0_other' was not found"}},
  {"syntax.c", HEAD POINT("f0_u") "{ f[0] = 1.; }\nstatic int broken(void) { return kappa_that_nobody_declared }\n",
   "f0_u", {"syntax.c", "does not compile", "syntax.c:4", "kappa_that_nobody_declared", "-plex_assembly_source_flags"}},
  {"prints.c", HEAD POINT("f0_u") "{\n  (void)PetscPrintf(PETSC_COMM_SELF, \"%g\", u[0]);\n}\n", "f0_u", {"prints.c:4",
   "pointwise function 'f0_u'", "calls PetscPrintf()", "host only", "PetscDSSetConstants()",
   "-plex_assembly_backend host"}},
  {"helper.c", HEAD "static PetscReal helper(PetscReal x)\n{\n  return x + atof(\"1\");\n}\n"
    POINT("f0_u") "{ f[0] = helper(u[0]); }\n", "f0_u", {"helper.c:4", "the function 'helper'", "calls atof()",
   "host only"}},
  {"calls.c", HEAD "static PetscErrorCode helper(PetscReal x)\n{\n  PetscFunctionBegin;\n  PetscCheck(x > 0, "
   "PETSC_COMM_SELF, PETSC_ERR_SUP, \"x\");\n  PetscFunctionReturn(PETSC_SUCCESS);\n}\n"
    POINT("f0_u") "{ (void)helper(u[0]); }\n", "f0_u", {"calls.c:5", "the function 'helper'", "PetscError()",
   "PetscCall()"}},
  {"inline.c", HEAD POINT("f0_u") "{\n  PetscMPIInt n;\n  (void)PetscMPIIntCast(dim, &n);\n}\n", "f0_u", {"inline.c:5",
   "pointwise function 'f0_u'", "calls PetscMPIIntCast()", "which calls PetscError()"}},
  {"pointer.c", HEAD "static PetscReal *values;\nvoid change(void) { values = NULL; }\n"
    POINT("f0_u") "{ f[0] = values[0]; }\n", "f0_u", {"pointer.c:5", "'values' is a pointer",
   "-plex_assembly_backend host"}},
  {"address.c", HEAD "static PetscReal unit_nowhere;\nvoid change(void) { unit_nowhere = 2.; }\n"
    POINT("f0_u") "{\n  f[0] = unit_nowhere;\n}\n", "f0_u", {"address.c:6", "'unit_nowhere'", "no address", "symbols",
   "const"}},
  {"file.c", HEAD "static PetscReal unit_changed;\nvoid change(void) { unit_changed = 2.; }\n"
    POINT("f0_u") "{ f[0] = unit_changed; }\n", "f0_u", {"file.c:5", "'unit_changed'", "no address"}},
  /* there is one, of source.c */
  {"array.c", HEAD "static PetscReal helper(PetscInt n)\n{\n  PetscReal w[n];\n  w[0] = 1.;\n  return w[0];\n}\n"
    POINT("f0_u") "{ f[0] = helper(dim); }\n", "f0_u", {"array.c:4", "array 'w'", "function 'helper'",
   "constant size"}},
  {"array2.c", HEAD POINT("f0_u") "{\n  PetscReal w[numConstants];\n  f[0] = sizeof(w);\n}\n", "f0_u", {"array2.c:4",
   "array 'w'", "function 'f0_u'"}},
  {"static.c", HEAD POINT("f0_u") "{\n  static PetscInt calls = 0;\n  f[0] = calls++;\n}\n", "f0_u", {"static.c:4",
   "'calls'", "'f0_u'", "static"}},
  {"open.i", "# 1 \"open.c\"\nvoid f(void)\n{\n", "f", {"open.c:2", "'{' is not closed"}},
  /* nothing looks at a .i file before */
};
// clang-format on

static PetscErrorCode RunBad(void *ctx)
{
  const Bad *bad = (const Bad *)ctx;
  char      *text;

  PetscFunctionBegin;
  PetscCall(Extract(bad->file, bad->text, bad->wanted, PETSC_FALSE, &text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMessage(const char name[], PetscErrorCode (*f)(void *), void *ctx,
                                    const char *const words[], PetscInt n)
{
  PetscErrorCode ierr;
  char           text[8192];
  const char    *missing = NULL;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(f, ctx, &ierr, text, sizeof(text)));
  for (PetscInt k = 0; k < n && words[k]; ++k)
    if (!strstr(text, words[k])) missing = words[k];
  PetscCall(PlexTestReport((PetscBool)(ierr && !missing), name, "error %d, '%s' is not in the message: %s", (int)ierr,
                           missing ? missing : "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Flags, compiler, cache */

static PetscErrorCode RunPath(void *ctx)
{
  PlexProgram program;

  PetscFunctionBegin;
  PetscCall(PlexProgramCreate((const char *)ctx, NULL, &program));
  PetscCall(PlexProgramDestroy(&program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *file, *text, *wanted;
  char      **out;
} ExtractRun;

static PetscErrorCode RunExtract(void *ctx)
{
  ExtractRun *r = (ExtractRun *)ctx;

  PetscFunctionBegin;
  PetscCall(Extract(r->file, r->text, r->wanted, PETSC_FALSE, r->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A header as Underworld3 writes it: types of its own by PETSc's names, and functions whose names are drawn anew in
   each run */
static PetscErrorCode LookAtOwnTypes(PetscBool emulate, PetscBool nvrtc)
{
  const char *const text    = "#include <math.h>\ntypedef int PetscInt;\ntypedef double PetscReal;\ntypedef double "
                              "PetscScalar;\ntypedef int PetscBool;\ntypedef enum { OWN_A, OWN_B } PetscOwn;\n" POINT(
                                "xhqzt_petsc_0") "{\n  const double xhqzt_petsc_0_x = pow(u[0], 2.0);\n  f[0] = "
                                                 "xhqzt_petsc_0_x * sin(x[1]) + OWN_B;\n}\n";
  const char *const wrong[] = {"own.h:9", "nobody_knows", "does not compile"};
  const Keep        keep = {"a header with PETSc's types of its own", text, "xhqzt_petsc_0", "xhqzt_petsc_0 OWN_B pow",
                            "PetscError"};
  char             *broken, *out;
  ExtractRun        r = {"own.h", NULL, "xhqzt_petsc_0", &out};

  PetscFunctionBegin;
  PetscCall(LookAtKeptOf("own.h", &keep, emulate, nvrtc));
  PetscCall(PetscStrallocpy("typedef int PetscBool;\ntypedef int PetscInt;\ntypedef double PetscReal;\ntypedef double "
                            "PetscScalar;\n\n\n" POINT("xhqzt_petsc_0") "{\n  f[0] = nobody_knows;\n}\n",
                            &broken));
  r.text = broken;
  PetscCall(LookAtMessage("message of a header with PETSc's types of its own", RunExtract, &r, wrong, 3));
  PetscCall(PetscFree(broken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions whose names are drawn anew in each run, in a file of another folder: their kernel is found again. Another
   text is not. */
static PetscErrorCode LookAtNames(void)
{
  const char *const format[] = {HEAD
                                "static const char text[] = \"%s\";\n" POINT("%s") "{ f[0] = 2. * u[0] + text[0]; }\n",
                                HEAD
                                "static const char text[] = \"%s\";\n" POINT("%s") "{ f[0] = 3. * u[0] + text[0]; }\n"};
  const char *const name[]   = {"aqx_petsc_0", "zkw_petsc_0"};
  char              cache[PETSC_MAX_PATH_LEN], text[4096], file[64], *out;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(cache, sizeof(cache), "%s/names", folder));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  for (PetscInt k = 0; k < 4; ++k) { /* first, other names, another text, the name in a string */
    const char *const wanted = name[k == 1];
    Compilation       c      = {PLEXBACKENDEMULATE, NULL, wanted, PETSC_FALSE, PETSC_FALSE};

    PetscCall(PetscSNPrintf(text, sizeof(text), format[k == 2], k == 3 ? name[0] : "none", wanted));
    PetscCall(PetscSNPrintf(file, sizeof(file), "names%d.h", k == 1));
    if (k == 1) PetscCall(PetscSNPrintf(file, sizeof(file), "../%s/names0.h", strrchr(folder, '/') + 1));
    PetscCall(Extract(file, text, wanted, PETSC_FALSE, &out));
    c.text = out;
    PetscCall(Compile(&c));
    PetscCall(PlexTestReport((PetscBool)(c.fromCache == (k == 1)),
                             k == 0   ? "names: the first kernel is compiled"
                             : k == 1 ? "names: a kernel is found by another name"
                             : k == 2 ? "names: another text is compiled"
                                      : "names: a string is no name",
                             "from the cache: %d", (int)c.fromCache));
    PetscCall(PetscFree(out));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_cache_dir"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtPreprocessing(void)
{
  const char *const text   = HEAD "#include \"scale.h\"\n" POINT("f0_u") "{\n#if defined(TWICE)\n  f[0] = 2. * "
                                                                         "SCALE;\n#else\n  f[0] = SCALE;\n#endif\n}\n";
  const char *const none[] = {"no-such-compiler"};
  char              path[2 * PETSC_MAX_PATH_LEN], cache[PETSC_MAX_PATH_LEN], *out = NULL, said[4096];
  ExtractRun        r = {"flags.c", text, "f0_u", &out};
  PetscErrorCode    ierr;
  FILE             *file;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(cache, sizeof(cache), "%s/cache", folder));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/scale.h", folder));
  for (PetscInt k = 0; k < 2; ++k) { /* an included file is part of what is looked up */
    file = fopen(path, "w");
    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
    fprintf(file, "#define SCALE %d.5\n", (int)(3 + k));
    fclose(file);
    PetscCall(PlexTestTry(RunExtract, &r, &ierr, said, sizeof(said)));
    PetscCall(PlexTestReport((PetscBool)(!ierr && strstr(out, k ? "= 4.5;" : "= 3.5;")),
                             k ? "an included file has changed" : "an included file", "%s", ierr ? said : out));
    PetscCall(PetscFree(out));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source_flags", "DTWICE -DMORE=1"));
  PetscCall(PlexTestTry(RunExtract, &r, &ierr, said, sizeof(said)));
  PetscCall(PlexTestReport((PetscBool)(!ierr && strstr(out, "2. * 4.5")), "-plex_assembly_source_flags", "%s",
                           ierr ? said : out));
  PetscCall(PetscFree(out));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source_compiler", "no-such-compiler"));
  PetscCall(PlexTestTry(RunExtract, &r, &ierr, said, sizeof(said)));
  PetscCall(PlexTestReport((PetscBool)(!ierr && strstr(out, "2. * 4.5")), "without a compiler, what is in the cache",
                           "%s", ierr ? said : out));
  PetscCall(PetscFree(out));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_source_flags", "-DTWICE -DMORE=2"));
  PetscCall(LookAtMessage("a compiler that is not there", RunExtract, &r, none, 1));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_source_flags"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_source_compiler"));
  (void)unlink(path);

  /* a header is read behind PETSc's, which it may leave to the file that includes it; lines stay those of the file */
  r.file = "form.h";
  r.text = "/* no include */\n" POINT("f0_u") "{\n  f[0] = PetscSqr(PETSC_PI) +\n    x[0];\n}\n";
  PetscCall(PlexTestTry(RunExtract, &r, &ierr, said, sizeof(said)));
  PetscCall(PlexTestReport((PetscBool)(!ierr && strstr(out, "#line 2 \"") && strstr(out, "form.h\"\nPLEX_DEVICE") &&
                                       strstr(out, "+\n    x[0];\n}")),
                           "a header", "%s", ierr ? said : out));
  PetscCall(PetscFree(out));
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_cache_dir"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A machine without a C compiler takes headers as they are, and says what to do about other files */
static PetscErrorCode LookAtNoCompilerIn(const char folders[], const char what[], PetscBool nvrtc)
{
  const char *const words[] = {"There is no C compiler", "none.c", "-plex_assembly_source_compiler", "PLEXGPU_CC",
                               "-plexgpu_cache_dir",     ".i"};
  char              name[128], *path, *out = NULL, said[4096];
  ExtractRun        c = {"none.c", HEAD POINT("f0_u") "{ f[0] = 1; }\n", "f0_u", &out};
  ExtractRun h = {"none.h",
                  "#pragma once\n#include <petscds.h>\n#include <math.h>\n" POINT("f0_u") "{ f[0] = PetscSqr(x[0]) + "
                                                                                          "PetscSinReal(PETSC_PI); }\n",
                  "f0_u", &out};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(getenv("PATH"), &path));
  (void)setenv("PATH", folders, 1);
  PetscCall(PetscSNPrintf(name, sizeof(name), "a C file without a compiler%s", what));
  PetscCall(LookAtMessage(name, RunExtract, &c, words, 6));
  PetscCall(PlexTestTry(RunExtract, &h, &ierr, said, sizeof(said)));
  PetscCall(PetscSNPrintf(name, sizeof(name), "a header without a compiler%s", what));
  PetscCall(PlexTestReport((PetscBool)(!ierr && strstr(out, "petsc_macros.cuh") && strstr(out, "PetscSqr(x[0])") &&
                                       !strstr(out, "petscds.h")),
                           name, "%s", ierr ? said : out));
  if (!ierr && nvrtc) {
    Compilation as_it_is = {NULL, out, "f0_u", PETSC_FALSE, PETSC_FALSE};

    PetscCall(PlexTestTry(Compile, &as_it_is, &ierr, said, sizeof(said)));
    PetscCall(PlexTestReport((PetscBool)!ierr, "it compiles (NVRTC)", "%s", said));
  }
  PetscCall(PetscFree(out));
  (void)setenv("PATH", path, 1);
  PetscCall(PetscFree(path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* None, and MPI's wrapper without the compiler that it calls */
static PetscErrorCode LookAtNoCompiler(PetscBool nvrtc)
{
  const char *const script = "#!/bin/sh\necho there is no compiler\nexit 1\n";
  char              cache[PETSC_MAX_PATH_LEN], wrapper[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(cache, sizeof(cache), "%s/other", folder));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_cache_dir", cache));
  PetscCall(LookAtNoCompilerIn("/nowhere", "", nvrtc));
  PetscCall(PetscSNPrintf(wrapper, sizeof(wrapper), "%s/mpicc", folder));
  PetscCall(PlexTestWriteFile(wrapper, script, strlen(script)));
  PetscCheck(!chmod(wrapper, 0755), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot change %s", wrapper);
  PetscCall(LookAtNoCompilerIn(folder, ", but with mpicc", nvrtc));
  PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_cache_dir"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Headers that include each other, each several times, as guards allow: every file is read once. Else there are 4^32
   ways through them, */
static PetscErrorCode LookAtIncludes(void)
{
  char  path[2 * PETSC_MAX_PATH_LEN], *text;
  FILE *file;

  PetscFunctionBegin;
  for (char name = 'a'; name < 'e'; ++name) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%c.h", folder, name));
    file = fopen(path, "w");
    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
    fprintf(file,
            "#ifndef GUARD_%c\n#define GUARD_%c\n#include \"a.h\"\n#include \"b.h\"\n#include \"c.h\"\n#include "
            "\"d.h\"\n#define NUMBER_%c 1.\n#endif\n",
            name, name, name);
    fclose(file);
  }
  (void)alarm(120); /* which no test lives to see the end of */
  PetscCall(Extract("includes.c", HEAD "#include \"a.h\"\n" POINT("f0_u") "{ f[0] = NUMBER_a + NUMBER_d; }\n", "f0_u",
                    PETSC_FALSE, &text));
  (void)alarm(0);
  PetscCall(PlexTestReport((PetscBool)!WrongWord(text, "f0_u", PETSC_TRUE), "headers that include each other",
                           "it is %s", text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const words[] = {"'tests/nowhere.c'", "-plex_assembly_source"};
  char              name[128], text[4096];
  PetscBool         emulate, nvrtc;
  PetscErrorCode    ierr;
  Compilation empty = {NULL,
                       "static __device__ void f0_u(PetscInt, PetscInt, PetscInt, const PetscInt *, const PetscInt *, "
                       "const PetscScalar *, const PetscScalar *, const PetscScalar *, const PetscInt *, const "
                       "PetscInt *, const PetscScalar *, const PetscScalar *, const PetscScalar *, PetscReal, const "
                       "PetscReal *, PetscInt, const PetscScalar *, PetscScalar *) { }",
                       "f0_u", PETSC_FALSE, PETSC_FALSE};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(UnitFolderCreate(folder));
  unit_struct.n = argc + 3; /* they are variables, not constants */
  unit_changed += unit_struct.k[argc] + unit_exported;
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  PetscCall(PlexTestTry(Compile, &empty, &ierr, text, sizeof(text)));
  nvrtc = (PetscBool)!ierr;
  if (!nvrtc) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip NVRTC: %s\n", text));
  PetscCall(PlexTestTry(RunBad, (void *)&(Bad){.file = "probe.c", .text = HEAD POINT("f0_u") "{ }\n", .wanted = "f0_u"},
                        &ierr, text, sizeof(text)));
  preprocesses = (PetscBool)!ierr;
  PetscCall(LookAtMessage("a file that is not there", RunPath, (void *)"tests/nowhere.c", words, 2));
  if (preprocesses || !(strstr(text, "no C compiler") || strstr(text, "PETSc's headers"))) {
    PetscCall(PlexTestReport(preprocesses, "a pointwise function alone", "%s", text));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(keeps); ++k)
      PetscCall(LookAtKeptOf("source.c", &keeps[k], emulate, nvrtc));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(bads); ++k) {
      PetscCall(PetscSNPrintf(name, sizeof(name), "message of %s", bads[k].file));
      PetscCall(LookAtMessage(name, RunBad, (void *)&bads[k], bads[k].words, 6));
    }
    PetscCall(LookAtOwnTypes(emulate, nvrtc));
    if (emulate) PetscCall(LookAtNames());
    PetscCall(LookAtPreprocessing());
    PetscCall(LookAtIncludes());
    PetscCall(LookAtNoCompiler(nvrtc));
  } else PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip all else: no C compiler, or no PETSc to include\n"));
  PetscCall(UnitFolderDestroy(folder));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
