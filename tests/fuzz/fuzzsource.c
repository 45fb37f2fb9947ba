static char help[] = "Texts that are no C, or hardly, as source of pointwise functions: nothing but an error may come "
                     "of them, and all memory is given back.\n"
                     "  -mutations <n>  : of each of the texts here\n"
                     "  -write <folder> : only writes these texts, for libFuzzer to begin with\n\n";

/*
  With PLEX_LIBFUZZER the same for libFuzzer (make fuzz-source), which finds texts by what they reach. What it found is
  in texts[]: what follows on a bracket that closes nothing, names cut off at the end, ...
*/
#include <plexgpu/private/sourceimpl.h>
#include <stdint.h>
#include <petsctime.h>
#include <unistd.h>

/* Reads a text as a preprocessed file; for each of the first names that are called: what is known of it, and what it
   reaches is extracted */
static PetscErrorCode Extract(const char path[], const char text[], size_t size)
{
  static const PetscInt offsets[3] = {0, 1, 3}, gradients[3] = {0, 2, 6};
  const PlexFactsSizes  sizes = {.dim          = 2,
                                 .Nf           = 2,
                                 .NfAux        = 2,
                                 .uOff         = offsets,
                                 .uOff_x       = gradients,
                                 .aOff         = offsets,
                                 .aOff_x       = gradients,
                                 .numConstants = 3,
                                 .n            = 8,
                                 .jacobian     = (PetscBool)(size % 2)};
  PlexProgram           program;
  PlexFacts             facts;
  PetscErrorCode        ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PlexProgramCreate(path, NULL, &program));
  for (size_t at = 0, n, names = 0; at < size && names < 8 && !ierr; at += n ? n : 1) {
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char        name[64], called[128], *written = NULL;
    PlexExtract extract;
    PetscBool   found;
    FILE       *stream;
    size_t      bytes;

    n = strspn(text + at, letters);
    if (!n || n >= sizeof(name) || text[at + n] != '(') continue;
    (void)snprintf(name, sizeof(name), "%.*s", (int)n, text + at);
    ++names;
    PetscCall(PetscMemzero(&facts, sizeof(facts)));
    (void)PlexProgramGetFacts(program, NULL, name, &sizes, &facts);
    PetscCall(PlexFactsReset(&facts));
    PetscCall(PlexExtractCreate(program, &extract));
    ierr = PlexExtractAddFunction(extract, NULL, name, &found, called, sizeof(called));
    if (!ierr && found) {
      stream = open_memstream(&written, &bytes);
      ierr   = PlexExtractWrite(extract, (PetscBool)(names % 2), stream);
      fclose(stream);
      free(written);
    }
    PetscCall(PlexExtractDestroy(&extract));
  }
  PetscCall(PlexProgramDestroy(&program));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error is as good as none: other files follow */
static PetscErrorCode Read(const uint8_t *data, size_t size)
{
  static char path[64] = "";
  char       *text;
  FILE       *file;

  PetscFunctionBegin;
  if (!path[0]) (void)snprintf(path, sizeof(path), "/dev/shm/plexgpu-fuzz-%d.i", (int)getpid());
  PetscCall(PetscMalloc1(size + 1, &text));
  PetscCall(PetscMemcpy(text, data, size));
  text[size] = 0;
  file       = fopen(path, "wb");
  PetscCheck(file && fwrite(data, 1, size, file) == size && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "Cannot write %s", path);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  (void)Extract(path, text, size);
  PetscCall(PetscPopErrorHandler());
  (void)unlink(path);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PLEX_LIBFUZZER)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  (void)help;
  return PetscInitializeNoArguments() ? 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (Read(data, size)) abort();
  return 0;
}

#else

  #include "report.h"

static const char *const texts[] = {
  "typedef double PetscReal;\ntypedef int PetscInt;\nstatic const PetscReal table[3] = {1., 2e-3, 0x1p3};\nstatic "
  "PetscReal level = 2.;\nstruct S { PetscReal k[2]; int bits : 3; union { int i; float r; }; };\n"
  "enum Kind { SAND, CLAY = 4, ROCK };\nstatic PetscReal helper(PetscReal x, PetscReal (*g)(PetscReal)) { struct S s = "
  "{.k = {1., x}}; return g ? g(x) : s.k[0] + table[CLAY - 4]; }\n"
  "void f0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscReal "
  "u[], PetscReal f[])\n{\n  const PetscInt Nc = uOff[1] - uOff[0];\n  PetscReal w[Nc * dim];\n\n  for (PetscInt d = "
  "0; d < dim; ++d) "
  "w[d] = u[d];\n"
  "  switch (Nf) {\n  case SAND:\n    f[0] = helper(w[0], 0);\n    break;\n  default:\n    f[0] = ((PetscReal){2.});\n "
  " }\n}\n",
  "typedef double R;\ntypedef int I;\ntypedef struct { R k, c[2]; I kind; } M;\nstatic const M ms[2] = {{1., {2., 3.}, "
  "0}, {.k = 4., .kind = 1}};\nstatic R clamp(R v, const R w[]) { for (I d = 0; d < 2; ++d) v += w[d] * w[d]; return v "
  "< 1. ? 1. : v "
  "> 2. ? 2. : v; }\n"
  "void g3(I dim, I Nf, I NfAux, const I uOff[], const I uOff_x[], const R u[], const R u_t[], const R u_x[], const I "
  "aOff[], const I aOff_x[], const R a[], const R a_t[], const R a_x[], R t, R s, const R x[], I n, const R k[], R "
  "g[])\n{\n  const I "
  "Nc = uOff[1] - uOff[0], i = (I)k[n];\n  R w[3] = {0.}, z = k[2] * 0.;\n\n"
  "  if (t > 5. && i == 0) w[0] = u[0]; else { w[1] = ms[(I)a[0]].c[1]; z += w[0]; }\n  switch (ms[1].kind) { case 0: "
  "z = x[0]; break; case 1: z = k[1]; default: --w[2]; }\n  do { z *= 2.; } while (z < 8. && u_t);\n  for (I c = 0; c "
  "< Nc; ++c) for "
  "(I d = 0; d < dim; ++d) g[(c * Nc + c) * dim * dim + d * dim + d] += clamp(z, &w[0]) + (x ? a_x[d] : 0);\n}\n",
  "# 1 \"a.c\" 1\n#line 12 \"b\\\"c.h\"\nextern int x; int y = (int)sizeof(struct T { int a[2]; }), *z, "
  "(*g[3])(void);\ntypedef struct T T;\nvoid *p, *q; int h(void) { goto end; end: return y; }\n__attribute__((unused)) "
  "static inline int i(register "
  "int restrict_) { if (0) { h(); } else if (1) h(); else i(2); do ; while (0); return i(h()); }\n",
  "static int assert_(int e) { ((void)sizeof((e > 0) ? 1 : 0), __extension__({ if (e > 0) ; else __assert_fail(\"e\", "
  "\"f\", 1, \"g\"); })); return ((void *)0) == (void *)e; }\n",
  "]ta'ti",
  "]",
  "(",
  "f(",
  "({ if (",
  "enum",
  "struct {",
  "typedef",
  "f(){if",
  "f(){if(0)",
  "f(){if(0){",
  "f(){if(1)g();else",
  "__attribute__",
  "__attribute__(",
  "void",
  "void*",
  "const void * restrict",
  "int f(int a[)",
  "x=",
  "#",
  "# ",
  "# 1 \"",
  "#line",
  "\"",
  "'\\",
  "0x",
  "1e+",
  "L'",
  "{}",
  "({})",
  "(0(){})",
  "int((a))((b));a()(){}",
  "_Alignas(",
  "static_assert",
  "enum{a=b,};f(){a",
  "struct s*f(){return f(",
  "=,=,;,:f(){",
};

typedef struct {
  uint32_t state;
} Random;

static size_t Draw(Random *r, size_t n)
{
  r->state = r->state * 1664525u + 1013904223u;
  return (size_t)(r->state >> 8) % n;
}

/* One change: a piece left out, said twice or moved; a word put in */
static size_t Mutate(Random *r, size_t n, size_t most, char text[])
{
  static const char *const words[] = {"(",
                                      ")",
                                      "{",
                                      "}",
                                      "[",
                                      "]",
                                      ";",
                                      ",",
                                      "=",
                                      "*",
                                      "&",
                                      ":",
                                      "?",
                                      ".",
                                      "->",
                                      "\"",
                                      "'",
                                      "#",
                                      "\n",
                                      " if (0) {",
                                      " else ",
                                      "struct ",
                                      "enum ",
                                      "typedef ",
                                      "static ",
                                      "const ",
                                      "int ",
                                      "void *",
                                      "__attribute__((",
                                      "0",
                                      "1.e",
                                      "sizeof(",
                                      "return ",
                                      "do ",
                                      "f0(",
                                      "\\"};
  const size_t from = n ? Draw(r, n) : 0, length = n ? 1 + Draw(r, PetscMin(n - from, 40)) : 0, to = n ? Draw(r, n) : 0;
  char         piece[48];

  if (length) memcpy(piece, text + from, length);
  switch (Draw(r, 4)) {
  case 0:
    memmove(text + from, text + from + length, n - from - length);
    return n - length;
  case 1:
    if (n + length > most) return n;
    memmove(text + to + length, text + to, n - to);
    memcpy(text + to, piece, length);
    return n + length;
  case 2:
    if (n) text[to] = (char)(1 + Draw(r, 255));
    return n;
  default: {
    const char  *word = words[Draw(r, PETSC_STATIC_ARRAY_LENGTH(words))];
    const size_t w    = strlen(word);

    if (n + w > most) return n;
    memmove(text + to + w, text + to, n - to);
    memcpy(text + to, word, w);
    return n + w;
  }
  }
}

/* In use by PETSC's allocation, bytes */
static PetscErrorCode LookAt(size_t n, const char text[], PetscLogDouble *leaked, PetscLogDouble *most)
{
  PetscLogDouble before, after;

  PetscFunctionBegin;
  PetscCall(PetscMallocGetCurrentUsage(&before));
  PetscCall(Read((const uint8_t *)text, n));
  PetscCall(PetscMallocGetCurrentUsage(&after));
  *leaked = after - before;
  PetscCall(PetscMallocGetMaximumUsage(most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Show(size_t n, const char text[])
{
  printf("# the text:\n");
  fwrite(text, 1, n, stdout);
  printf("\n# end of the text\n");
}

static PetscErrorCode Write(const char folder[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(texts); ++k) {
    char  path[PETSC_MAX_PATH_LEN];
    FILE *file;

    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%d", folder, (int)k));
    file = fopen(path, "w");
    PetscCheck(file && fputs(texts[k], file) >= 0 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
               "Cannot write %s", path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Texts nested as deep as no one writes them, and a name as often as no one does: time and stack are bounded */
static PetscErrorCode LookAtMany(const char what[], const char begin[], const char again[], const char end[])
{
  const size_t   times = 200000, n = strlen(begin) + times * strlen(again) + strlen(end);
  char          *text, *at, name[256];
  PetscLogDouble leaked, most, start, stop;

  PetscFunctionBegin;
  text = (char *)malloc(n + 1);
  PetscCheck(text, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory");
  at = stpcpy(text, begin);
  for (size_t k = 0; k < times; ++k) at = stpcpy(at, again);
  (void)stpcpy(at, end);
  PetscCall(PetscTime(&start));
  PetscCall(LookAt(n, text, &leaked, &most));
  PetscCall(PetscTime(&stop));
  PetscCall(PetscSNPrintf(name, sizeof(name), "200,000 times %s", what));
  PetscCall(PlexTestReport((PetscBool)(leaked == 0. && stop - start < 60.), name, "%.0f bytes are left, %.1f s", leaked,
                           stop - start));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static char    text[8192];
  char           folder[PETSC_MAX_PATH_LEN];
  PetscInt       mutations = 600, leaks = 0, tried = 0;
  PetscLogDouble leaked, most;
  PetscBool      set;

  (void)setenv("PETSC_OPTIONS", "-malloc_dump -use_gpu_aware_mpi 0", 1); /* counts what is in use */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-mutations", &mutations, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-write", folder, sizeof(folder), &set));
  if (set) {
    PetscCall(Write(folder));
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCall(PetscMallocGetCurrentUsage(&most));
  PetscCall(PlexTestReport((PetscBool)(most > 0.), "memory is counted", "it is not"));
  PetscCall(LookAt(0, "", &leaked, &most)); /* what is kept for the next time */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(texts); ++k) {
    Random r = {(uint32_t)k};

    for (PetscInt m = 0; m < (k < 4 ? 10 : 1) * mutations; ++m, ++tried) {
      size_t n = strlen(texts[k]);

      memcpy(text, texts[k], n);
      for (PetscInt changes = 0; changes < m % 8; ++changes) n = Mutate(&r, n, sizeof(text) - 1, text);
      PetscCall(LookAt(n, text, &leaked, &most));
      if (leaked == 0.) continue;
      if (!leaks++) Show(n, text);
    }
  }
  PetscCall(PlexTestReport((PetscBool)!leaks, "memory is given back",
                           "after %" PetscInt_FMT " of %" PetscInt_FMT " texts there is more in use than before", leaks,
                           tried));
  PetscCall(PlexTestReport((PetscBool)(most < 64e6), "memory is bounded", "%.0f bytes were in use", most));
  PetscCall(LookAtMany("an open bracket", "f(){", "(", ""));
  PetscCall(LookAtMany("brackets in brackets", "f(){", "({[", ""));
  PetscCall(LookAtMany("an if", "f(){if(0)", "if(x)", ";}"));
  PetscCall(LookAtMany("a do", "f(){if(0)", "do ", ";}"));
  PetscCall(LookAtMany("a name", "", "int a;", "f(){a;}"));
  PetscCall(LookAtMany("a function", "", "f(){f();}", ""));
  PetscCall(LookAtMany("a local name", "f(){", "int a;", "a;}"));
  PetscCall(LookAtMany("an assertion", "f(){", "({ if (x) ; else __assert_fail(1); });", "}"));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
