static char help[] = "Pointwise functions in C++: what they may use, compiled and run with the backend emulate, and "
                     "compiled with NVRTC where it is\n"
                     "installed; messages; names of symbols.\n\n";

#include "kernel.h"
#include "report.h"

static char folder[PETSC_MAX_PATH_LEN]; /* of the sources */

#define HEAD "#include <petscds.h>\n#include <cassert>\n#include <cmath>\n"
typedef struct {
  const char *name;   /* of the case */
  const char *text;   /* of the file */
  const char *wanted; /* the function that is wanted */
  PetscReal   value;  /* f[0], where u[k] is k + 1 */
} Good;

// clang-format off
static const Good goods[] = {
  {"a static member", HEAD "class K { public: " POINT("f0") "{ f[0] = 2. * u[0]; } };\n", "K::f0", 2.},
  {"namespaces, one without a name", HEAD "namespace a { namespace { namespace b {\n" POINT("f0") "{ f[0] = 3. * "
   "u[0]; }\n} } }\nnamespace c { " POINT("f0") "{ f[0] = 4.; } }\n", "a::b::f0", 3.},
  {"templates", HEAD "template <int n> struct Power { static PetscReal of(PetscReal x) { return x * Power<n - "
   "1>::of(x); } };\ntemplate <> struct Power<0> { static PetscReal of(PetscReal) { return 1.; } };\ntemplate <class "
   "P, int k> class K { public: " POINT("f0") "{ f[0] = P::of(u[k]); } };\n", "K<Power<3>, 1>::f0", 8.},
  {"a function template", HEAD "template <int n>\n" POINT("f0") "{ f[0] = n * u[0]; }\n", "f0<5>", 5.},
  {"constructors, references, methods, operators", HEAD "struct V { PetscReal x, y; V() : x(0.), y{1.} { } "
   "explicit V(PetscReal a) : x(a), y(a) { } V operator+(const V &o) const { V s(*this); s.x += o.x; s.y += o.y; "
   "return "
   "s; } PetscReal operator()(int k) const { return k ? y : x; } ~V() { } };\nstatic void twice(V &v) { v = v + v; }\n"
   "struct K { " POINT("f0") "{ V v(u[1]), w; twice(v); f[0] = (v + w)(1); } };\n", "K::f0", 5.},
  {"a table of functions, as a constant of a class", HEAD "class Ops; struct T { static const Ops ops; };\nclass Ops { "
   "friend struct T; public: typedef PetscReal (*F)(PetscReal); F const f; const int n; static inline Ops make(void) { "
   "return Ops(half, 4); } private: inline Ops(F g, const int m) : f(g), n(m) { } static PetscReal half(PetscReal x) { "
   "return 0.5 * x; } };\nconst Ops T::ops = Ops::make();\nstruct Context { const Ops &ops; Context(const Ops &o) : "
   "ops(o) { } };\nstruct K { " POINT("f0") "{ Context c(T::ops); f[0] = c.ops.f(u[0]) * c.ops.n; } };\n", "K::f0", 2.},
  {"constants of classes", HEAD "#include <algorithm>\nstruct K { static const int n = 3; enum { M = 2 }; static "
   "constexpr double w[2] = {0.25, 0.5}; static const double table[3];\n" POINT("f0") "{ f[0] = std::max(n, (int)M) + "
   "w[(int)u[0]] + table[(int)u[1]]; } };\nconst double K::table[3] = {1., 2., 4.};\n", "K::f0", 7.5},
  {"constants of a file", HEAD "static const PetscReal half = 0.5, one = 2 * half;\nconstexpr int two = "
   "2;\nnamespace { "
   "const PetscReal w[] = {8., 16.}; }\nstruct P { PetscReal a; constexpr P(PetscReal b) : a(b) { } };\nstatic const P "
   "p(3.);\nextern const PetscReal later;\nconst PetscReal later = 32.;\nenum class Kind : int { A, B = 7 };\n"
    POINT("f0") "{ f[0] = half + one + two + w[(int)u[0]] + p.a + later + (int)Kind::B; }\n", "f0", 61.5},
  {"constants of a function", HEAD POINT("f0") "{ static const PetscReal w[2] = {1., 3.}; static constexpr int n = 2; "
   "struct L { static PetscReal g(PetscReal x) { return x + n; } }; auto h = [&](PetscReal x) { return w[1] * x; }; "
   "f[0] = h(L::g(u[0])); }\n", "f0", 9.},
  {"mathematics", HEAD "#include <limits>\n" POINT("f0") "{ using std::sqrt; const PetscReal y = u[3]; f[0] = "
   "sqrt(y) + "
   "std::sqrt(4) + std::pow(y, 2) + pow(2, y) + std::abs(-y) + std::fabs(-1.5) + std::max(y, PetscReal(1)) + "
   "std::exp(0.) + PetscSqr(y) + PetscMax(y, 0.) + PetscPowRealInt(y, 2) + std::fmin(1., y) + M_PI - PETSC_PI + "
   "(std::isnan(y) ? 1. : 0.) + (y < std::numeric_limits<PetscReal>::max() ? 0. : 1.); }\n", "f0", 83.5},
  {"assertions", HEAD "struct K { static PetscReal positive(const PetscReal *k) { assert(k); assert(*k > 0.); return "
   "*k; } " POINT("f0") "{ const PetscInt _dim = 2; assert(_dim == dim); f[0] = positive(u); } };\n", "K::f0", 1.},
  {"functions of the host beside them", HEAD "#include <iostream>\nclass K { public: " POINT("f0") "{ f[0] = 6.; } "
   "static void print(const double v) { std::cout << \"v = \" << v << std::endl; } static PetscErrorCode set(DM dm, "
   "PetscDS ds);\n#ifndef PLEXGPU_DEVICE\n static void fill() { std::vector<int> v(3); }\n#endif\n};\n", "K::f0", 6.},
  {"functions of C, virtual functions", HEAD "extern \"C\" { static PetscReal c_half(PetscReal x) { return x / 2; } }\n"
   "struct Law { virtual PetscReal of(PetscReal x) const { return x; } };\nstruct Two : Law { PetscReal "
   "of(PetscReal x) "
   "const override { return 2 * x; } };\nstatic PetscReal call(const Law &l, PetscReal x) { return l.of(x); }\n"
    POINT("f0") "{ Two two; f[0] = call(two, c_half(u[2])); }\n", "f0", 3.},
  {"variables that are not used", HEAD "static double mu = 1., *pointer, w[3];\nclass K { static int count; PetscReal "
   "member; int bits : 3; public: " POINT("f0") "{ f[0] = 9.; } };\nint K::count = 0;\nstruct { int i; } other;\n",
   "K::f0", 9.},
};
// clang-format on

typedef struct {
  const char *file, *text, *wanted;
  PetscBool   nvrtc, single;
  PetscReal   value; /* f[0], of emulate */
} Run;

/* f[0] of a compiled kernel for u[k] = k + 1 */
static PetscErrorCode Launch(PlexBackend b, PlexModule module, PetscBool single, PetscReal *value)
{
  double     u[4] = {1., 2., 3., 4.}, f = 0.;
  float      uf[4] = {1.f, 2.f, 3.f, 4.f}, ff = 0.f;
  void      *du, *df, *args[] = {&du, &df};
  PlexKernel kernel;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(b, sizeof(u), &du));
  PetscCall(PlexBackendMalloc(b, sizeof(f), &df));
  PetscCall(PlexBackendCopyIn(b, du, single ? (void *)uf : (void *)u, single ? sizeof(uf) : sizeof(u)));
  PetscCall(PlexModuleGetKernel(module, "unit_kernel", &kernel));
  PetscCall(PlexKernelLaunch(kernel, 1, 1, 0, args));
  PetscCall(PlexBackendCopyOut(b, single ? (void *)&ff : (void *)&f, df, single ? sizeof(ff) : sizeof(f)));
  *value = single ? ff : f;
  PetscCall(PlexBackendFree(b, &du));
  PetscCall(PlexBackendFree(b, &df));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiles a kernel that calls the function, and runs it where it is emulated */
static PetscErrorCode Compile(void *ctx)
{
  Run        *r = (Run *)ctx;
  char       *all, *text, name[256];
  size_t      n;
  PlexProgram program;
  PlexBackend b;
  PlexModule  module;

  PetscFunctionBegin;
  PetscCall(UnitProgramCreate(folder, r->file, r->text, &program));
  PetscCall(UnitExtract(program, r->wanted, r->single, name, &text));
  PetscCall(PlexProgramDestroy(&program));
  PetscCall(UnitKernel(text, name, r->single, &all));
  if (r->nvrtc) PetscCall(PlexCompileOnly_CUDA("unit_cxx", 0, NULL, all, "sm_90", &n));
  else {
    PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &b));
    PetscCall(PlexBackendCompile(b, "unit_cxx", 0, NULL, all, &module));
    PetscCall(Launch(b, module, r->single, &r->value));
    PetscCall(PlexModuleDestroy(&module));
    PetscCall(PlexBackendDestroy(&b));
  }
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtGood(const Good *g, PetscBool emulate, PetscBool nvrtc)
{
  char           name[256], said[4096];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (PetscInt compiler = 0; compiler < 2; ++compiler) {
    for (PetscInt single = 0; single < 2; ++single) {
      Run       r = {"good.hh", g->text, g->wanted, (PetscBool)compiler, (PetscBool)single, g->value};
      PetscReal error;

      if (compiler ? !nvrtc : !emulate) continue;
      PetscCall(PlexTestTry(Compile, &r, &ierr, said, sizeof(said)));
      error = PetscAbsReal(r.value - g->value);
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s: %s", g->name, single ? ", single precision" : "",
                              compiler ? "compiles (NVRTC)" : "value (emulate)"));
      PetscCall(PlexTestReport((PetscBool)(!ierr && error <= (single ? 1e-5 : 1e-13) * g->value), name,
                               "%g, not %g; %s", (double)r.value, (double)g->value, said));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages */

typedef struct {
  const char *name, *text;
  const char *words[4]; /* of the message */
} Bad;

// clang-format off
static const Bad bads[] = {
  {"an error of the user", HEAD POINT("f0") "{\n  f[0] = nobody_knows;\n}\n",
   {"bad.hh:6", "nobody_knows", "does not compile", "-plex_assembly_source_flags"}},
  {"a part of the standard library", HEAD "#include <vector>\n" POINT("f0") "{ std::vector<int> v(2); f[0] = v[0]; }\n",
   {"bad.hh:4", "vector", "assert() and the functions of <cmath>", "PLEXGPU_DEVICE"}},
  {"exceptions", HEAD POINT("f0") "{\n  if (u[0] < 0.) throw 1;\n}\n", {"bad.hh:6", "exception", "no exceptions"}},
  {"a variable of a namespace", HEAD "namespace n { double mu = 1.; }\n" POINT("f0") "{\n  f[0] = n::mu;\n}\n",
   {"bad.hh:7", "mu", "plex_variable_that_may_change", "no variables that change"}},
  {"a variable in a condition", HEAD "static bool on, off = true;\n" POINT("f0") "{\n  if (off) f[0] = 1.;\n}\n",
   {"bad.hh:7", "off", "plex_variable_that_may_change"}},
  {"a variable with a value in parentheses", HEAD "static const double one = 1.;\ndouble mu(one);\n" POINT("f0")
   "{\n  f[0] = mu;\n}\n", {"bad.hh:8", "mu", "plex_variable_that_may_change"}},
  {"a pointer to a constant", HEAD "static const double one = 1., *p = &one;\nconst double *q = &one;\n" POINT("f0")
   "{\n  f[0] = *q;\n}\n", {"bad.hh:8", "plex_variable_that_may_change"}},
  {"a pointer to a function", HEAD "static double (*law)(double);\n" POINT("f0") "{\n  f[0] = law(u[0]);\n}\n",
   {"bad.hh:7", "law"}},
  {"an array", HEAD "static double w[3] = {1., 2., 3.};\n" POINT("f0") "{\n  f[0] = w[0];\n}\n", {"bad.hh:7", "w"}},
  {"a variable of a class", HEAD "struct K { static double mu; " POINT("f0") "{\n  f[0] = mu;\n} };\ndouble K::mu = "
   "3.;\n",
   {"bad.hh:6", "mu", "plex_variable_that_may_change"}},
  {"a variable of a class template", HEAD "template <int n> struct K { static double mu; " POINT("g0") "{\n  f[0] = "
   "mu;\n} };\ntemplate <int n> double K<n>::mu = 3.;\n" POINT("f0") "{ K<1>::g0(dim, Nf, NfAux, uOff, uOff_x, u, "
   "u_t, u_x, "
   "aOff, aOff_x, a, a_t, a_x, t, x, numConstants, constants, f); }\n", {"bad.hh:6", "mu"}},
  {"a struct's variable", HEAD "static struct S { double k; } s = {1.};\n" POINT("f0") "{\n  f[0] = s.k;\n}\n",
   {"bad.hh:7", "s"}},
  {"a variable of another file", HEAD "extern double mu;\n" POINT("f0") "{\n  f[0] = mu;\n}\n", {"bad.hh:7", "mu"}},
  {"a variable of a function", HEAD POINT("f0") "{\n  static int calls = 0;\n  f[0] = ++calls;\n}\n",
   {"bad.hh:6", "plex_static_variable_of_a_function"}},
  {"a variable of a thread", HEAD "thread_local double mu = 1.;\n" POINT("f0") "{\n  f[0] = "
   "mu;\n}\n", {"bad.hh:7", "mu"}},
};
static const Bad linked[] = { /* messages of the device's compiler; that of the host takes them */
  {"a constant without a value", HEAD "struct T { static const double ops; };\n" POINT("f0") "{\n  f[0] = T::ops;\n}\n",
   {"ops"}},
  {"an array without values", HEAD "struct T { static const double w[2]; };\n" POINT("f0") "{\n  f[0] = "
   "T::w[(int)u[0]];\n"
   "}\n", {"w"}},
  {"printing", HEAD "#include <iostream>\n" POINT("f0") "{\n  std::cout << u[0];\n}\n", {"plex_stream"}},
};
// clang-format on

static PetscErrorCode LookAtBad(const Bad *bad, PetscBool device, PetscBool emulate, PetscBool nvrtc)
{
  char           name[256], said[8192];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (PetscInt compiler = 0; compiler < 2; ++compiler) {
    Run         r       = {"bad.hh",
                           bad->text,
                           strstr(bad->text, "struct K { static double mu") ? "K::f0" : "f0",
                           (PetscBool)compiler,
                           PETSC_FALSE,
                           0.};
    const char *missing = NULL;

    if (compiler ? !nvrtc : !emulate && device) continue;
    PetscCall(PlexTestTry(Compile, &r, &ierr, said, sizeof(said)));
    for (PetscInt k = 0; k < 4 && bad->words[k]; ++k)
      if (!strstr(said, bad->words[k])) missing = bad->words[k];
    PetscCall(PetscSNPrintf(name, sizeof(name), "message of %s (%s)", bad->name, compiler ? "NVRTC" : "emulate"));
    PetscCall(PlexTestReport((PetscBool)(ierr && !missing), name, "error %d, value %g, '%s' is not in the message: %s",
                             (int)ierr, (double)r.value, missing ? missing : "", said));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char           text[4096];
  PetscBool      emulate, nvrtc;
  PetscErrorCode ierr;
  Run            probe = {"probe.hh", HEAD POINT("f0") "{ }\n", "f0", PETSC_TRUE, PETSC_FALSE, 0.};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(UnitFolderCreate(folder));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  PetscCall(PlexTestTry(Compile, &probe, &ierr, text, sizeof(text)));
  nvrtc = (PetscBool)!ierr;
  if (nvrtc || !strstr(text, "no C++ compiler")) {
    if (!nvrtc) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip NVRTC: %s\n", text));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(goods); ++k) PetscCall(LookAtGood(&goods[k], emulate, nvrtc));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(bads); ++k)
      PetscCall(LookAtBad(&bads[k], PETSC_FALSE, emulate, nvrtc));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(linked); ++k)
      PetscCall(LookAtBad(&linked[k], PETSC_TRUE, emulate, nvrtc));
  } else PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip all: no C++ compiler\n"));
  PetscCall(UnitFolderDestroy(folder));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
