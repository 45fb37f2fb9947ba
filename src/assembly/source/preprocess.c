/*
  A source file as preprocessed C. The compiler is that of PETSc, with PETSc's flags, as the library was built with
  them. The result is kept in the cache of compiled kernels under a hash of the file, of the files it includes beside
  itself and by further -I, and of the flags; so a machine without a compiler takes what another one made, if they share
  the folder.
*/
#include "source.h"
#include "../../backend/interface/backendimpl.h"
#include "../../util/prefix.h"
#include <unistd.h>

#if !defined(PLEXGPU_CC)
  #define PLEXGPU_CC "mpicc"
#endif
#if !defined(PLEXGPU_CC_FLAGS)
  #define PLEXGPU_CC_FLAGS ""
#endif
/* PetscFunctionBegin, PetscCall() and PetscFunctionReturn() of a PETSc with debugging keep a stack of the functions that
   run, a variable of the host. They do not where PETSc is for several threads; petsclog.h alone looks at that too. */
#define PLEX_NO_STACK "-DPETSC_HAVE_THREADSAFETY=1"

static PetscBool PlexHasSuffix(const char path[], const char suffix[])
{
  const size_t n = strlen(path), m = strlen(suffix);

  return (PetscBool)(n > m && !strcmp(path + n - m, suffix));
}

/* The folders of -I words of flags, one a call; *at moves on */
static PetscBool PlexNextFolder(const char flags[], size_t *at, char folder[PETSC_MAX_PATH_LEN])
{
  while (flags[*at]) {
    const size_t length = strcspn(flags + *at, " ");
    const char  *word   = flags + *at;

    *at += length + (word[length] == ' ');
    if (length > 2 && length < PETSC_MAX_PATH_LEN && !strncmp(word, "-I", 2)) {
      (void)snprintf(folder, PETSC_MAX_PATH_LEN, "%.*s", (int)(length - 2), word + 2);
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static PetscBool PlexHasPetsc(const char flags[])
{
  char folder[PETSC_MAX_PATH_LEN - 16], file[PETSC_MAX_PATH_LEN];

  for (size_t at = 0; PlexNextFolder(flags, &at, file);) {
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)sizeof(folder) - 1, file);
    (void)snprintf(file, sizeof(file), "%s/petsc.h", folder);
    if (!access(file, R_OK)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The user's own flags: of the option, each word with the dash that PETSc would take for another option's, and of the
   environment */
PetscErrorCode PlexPreprocessorGetFlags(const char prefix[], char flags[PETSC_MAX_PATH_LEN])
{
  const char *env                       = getenv("PLEXGPU_CC_FLAGS");
  char        given[PETSC_MAX_PATH_LEN] = "", **words;
  int         n;

  PetscFunctionBegin;
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_source_flags", &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-plex_assembly_source_flags", given, sizeof(given), NULL));
  PetscCall(PetscStrToArray(given, ' ', &n, &words));
  flags[0] = '\0';
  for (int k = 0; k < n; ++k) {
    if (words[k][0] != '-') PetscCall(PetscStrlcat(flags, "-", PETSC_MAX_PATH_LEN));
    PetscCall(PetscStrlcat(flags, words[k], PETSC_MAX_PATH_LEN));
    PetscCall(PetscStrlcat(flags, " ", PETSC_MAX_PATH_LEN));
  }
  PetscCall(PetscStrToArrayDestroy(n, words));
  if (env) PetscCall(PetscStrlcat(flags, env, PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The compiler: the user's, else the first of n candidates that is here */
PetscErrorCode PlexPreprocessorChoose(const char prefix[], PlexPreprocessor *p, PetscInt n,
                                      const char *const candidates[])
{
  const char *env = getenv("PLEXGPU_CC");
  PetscBool   exists;

  PetscFunctionBegin;
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_source_compiler", &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-plex_assembly_source_compiler", p->command, sizeof(p->command),
                                  &p->chosen));
  if (!p->chosen && env && env[0]) {
    PetscCall(PetscStrncpy(p->command, env, sizeof(p->command)));
    p->chosen = PETSC_TRUE;
  }
  for (PetscInt k = 0; k < n && !p->command[0]; ++k) {
    PetscCall(PlexCommandExists(candidates[k], &exists));
    if (exists) PetscCall(PetscStrncpy(p->command, candidates[k], sizeof(p->command)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const compilers[] = {PLEXGPU_CC, "mpicc", "cc", "gcc", "clang"};

/* Flags and compiler: the user's, else those the library was built with; PETSC_DIR where those are not on this
   machine */
static PetscErrorCode PlexPreprocessorCreate(const char path[], const char prefix[], PlexPreprocessor *p)
{
  const char *dir = getenv("PETSC_DIR"), *arch = getenv("PETSC_ARCH");
  char        folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->path   = path;
  p->header = (PetscBool)!PlexHasSuffix(path, ".c");
  PetscCall(PlexPreprocessorGetFlags(prefix, p->more));
  PetscCall(PetscSNPrintf(p->flags, sizeof(p->flags), "%s %s", p->more, PLEXGPU_CC_FLAGS));
  p->hasPetsc = PlexHasPetsc(p->flags);
  if (!p->hasPetsc && dir && dir[0]) {
    PetscCall(PetscSNPrintf(p->flags, sizeof(p->flags), "%s -I%s/include -I%s/%s/include %s", p->more, dir, dir,
                            arch ? arch : "", PLEXGPU_CC_FLAGS));
    p->hasPetsc = PlexHasPetsc(p->flags);
  }
  /* plexgpu.h, for programs that include it: installed, or in the source tree */
  PetscCall(PlexSourceGetFolder(folder));
  PetscCall(PetscStrlcat(p->flags, " -I", sizeof(p->flags)));
  PetscCall(PetscStrlcat(p->flags, folder, sizeof(p->flags)));
  PetscCall(PetscStrlcat(p->flags, "/../../../include -I", sizeof(p->flags)));
  PetscCall(PetscStrlcat(p->flags, folder, sizeof(p->flags)));
  PetscCall(PetscStrlcat(p->flags, "/../include", sizeof(p->flags)));
  if (PetscDefined(USE_DEBUG)) PetscCall(PetscStrlcat(p->flags, " " PLEX_NO_STACK, sizeof(p->flags)));
  PetscCall(PlexPreprocessorChoose(prefix, p, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(compilers), compilers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------ cache */

/* The files of a key: headers with guards may include each other as often as they like */
typedef struct {
  int    n, allocated;
  char **paths; /* [n] */
} PlexKeyFiles;

static PetscErrorCode PlexKeyFilesAdd(PlexKeyFiles *files, const char path[], PetscBool *known)
{
  PetscFunctionBegin;
  *known = PETSC_FALSE;
  for (int k = 0; k < files->n && !*known; ++k) PetscCall(PetscStrcmp(files->paths[k], path, known));
  if (*known) PetscFunctionReturn(PETSC_SUCCESS);
  PlexGrow(files->paths, files->allocated, files->n + 1);
  PetscCall(PetscStrallocpy(path, &files->paths[files->n++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a text and all that it includes, as far as that is beside the file or in a folder of the user's own flags; each
   file once */
static PetscErrorCode PlexKeyAddText(PlexCacheKey *key, const PlexPreprocessor *p, const char path[], const char text[],
                                     PetscInt depth, PlexKeyFiles *files)
{
  PetscBool known;

  PetscFunctionBegin;
  PetscCall(PlexKeyFilesAdd(files, path, &known));
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCacheKeyAdd(key, text));
  if (depth > 32) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    char name[PETSC_MAX_PATH_LEN / 4], folder[PETSC_MAX_PATH_LEN], file[2 * PETSC_MAX_PATH_LEN], close,
      *included   = NULL, *slash;
    const char *q = line + strspn(line, " \t");

    if (*q != '#') continue;
    q += 1 + strspn(q + 1, " \t");
    if (strncmp(q, "include", 7) || sscanf(q + 7, " %*[<\"]%1000[^>\"\n]%c", name, &close) != 2) continue;
    PetscCall(PetscStrncpy(folder, path, sizeof(folder)));
    slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    for (size_t at = 0; !included;) {
      if (name[0] == '/') PetscCall(PetscStrncpy(file, name, sizeof(file)));
      else
        PetscCall(PetscSNPrintf(file, sizeof(file), "%s%s%s", slash || at ? folder : "", slash || at ? "/" : "", name));
      PetscCall(PlexSourceGetFileText(file, &included));
      if (!included && !PlexNextFolder(p->more, &at, folder)) break;
    }
    if (included) PetscCall(PlexKeyAddText(key, p, file, included, depth + 1, files));
    PetscCall(PetscFree(included));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* standin: the file that takes the place of petsc.h, or NULL */
static PetscErrorCode PlexPreprocessGetCache(const PlexPreprocessor *p, const char standin[], const char text[],
                                             char cache[PETSC_MAX_PATH_LEN])
{
  const char  *slash = strrchr(p->path, '/');
  char        *petsc = NULL;
  PlexKeyFiles files = {0, 0, NULL};
  PlexCacheKey key   = {0};

  PetscFunctionBegin;
  PetscCall(PlexCacheKeyAdd(&key, "preprocessed 1"));
  PetscCall(PlexCacheKeyAdd(&key, PETSC_VERSION_GIT " " PETSC_VERSION_DATE_GIT));
  PetscCall(PlexCacheKeyAdd(&key, PLEXGPU_CC_FLAGS));
  if (PetscDefined(USE_DEBUG)) PetscCall(PlexCacheKeyAdd(&key, PLEX_NO_STACK));
  PetscCall(PlexCacheKeyAdd(&key, p->path));
  PetscCall(PlexCacheKeyAdd(&key, p->more));
  if (p->cxx) PetscCall(PlexCacheKeyAdd(&key, "C++ 1"));
  if (standin) PetscCall(PlexSourceGetFileText(standin, &petsc));
  if (petsc) PetscCall(PlexKeyAddText(&key, p, standin, petsc, 0, &files));
  PetscCall(PetscFree(petsc));
  /* a text of C++ is no file, but includes them */
  PetscCall(PlexKeyAddText(&key, p, p->cxx ? "" : p->path, text, 0, &files));
  for (int k = 0; k < files.n; ++k) PetscCall(PetscFree(files.paths[k]));
  PetscCall(PetscFree(files.paths));
  PetscCall(PlexCacheGetPath(&key, slash ? slash + 1 : p->path, ".i", cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text that is in the cache, whose file is told; *text NULL: it is not */
PetscErrorCode PlexPreprocessRead(const PlexPreprocessor *p, const char standin[], const char source[],
                                  char cache[PETSC_MAX_PATH_LEN], char **text)
{
  char  *kept;
  size_t n;

  PetscFunctionBegin;
  PetscCall(PlexPreprocessGetCache(p, standin, source, cache));
  PetscCall(PlexCacheRead(cache, (void **)&kept, &n));
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n + 1, text));
  PetscCall(PetscMemcpy(*text, kept, n));
  (*text)[n] = '\0';
  PetscCall(PetscFree(kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPreprocessWrite(const char cache[], const char text[])
{
  PetscBool written;
  size_t    n;

  PetscFunctionBegin;
  PetscCall(PetscStrlen(text, &n));
  PetscCall(PlexCacheWrite(cache, text, n, &written));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --------------------------------------------------------------------------------------------------------- compiler */

/* Calls the compiler; *said is what it said, at most 1500 characters */
PetscErrorCode PlexCallCompiler(const PlexPreprocessor *p, const PlexWorkplace *w, const char how[],
                                const char source[], int *status, char said[1500])
{
  char    *argv[256] = {NULL}, *log;
  PetscInt n = 0, max = 240;

  PetscFunctionBegin;
  PetscCall(PlexArgumentsAdd(max, &n, argv, p->command));
  PetscCall(PlexArgumentsAdd(max, &n, argv, p->flags));
  PetscCall(PlexArgumentsAdd(max, &n, argv, how));
  PetscCall(PetscStrallocpy(source, &argv[n++]));
  PetscCall(PlexRunProgram(argv, w->log, status));
  PetscCall(PlexSourceGetFileText(w->log, &log));
  PetscCall(PetscStrncpy(said, log ? log : "", 1500));
  PetscCall(PetscFree(log));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree(argv[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first compiler that works, where the user chose none: MPI's mpicc may be here, and the compiler it calls not */
static PetscErrorCode PlexPreprocessorTry(PlexPreprocessor *p)
{
  PlexPreprocessor candidate = {.path = p->path};
  PlexWorkplace    w;
  char             how[PETSC_MAX_PATH_LEN + 64], said[1500];
  int              status = 1;

  PetscFunctionBegin;
  if (p->chosen || !p->command[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexWorkplaceCreate(&w, "source.i", "none"));
  PetscCall(PetscSNPrintf(how, sizeof(how), "-x c -E -o %s", w.source));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(compilers) && status; ++k) {
    PetscBool exists;

    PetscCall(PlexCommandExists(compilers[k], &exists));
    if (!exists) continue;
    PetscCall(PetscStrncpy(candidate.command, compilers[k], sizeof(candidate.command)));
    PetscCall(PlexCallCompiler(&candidate, &w, how, "/dev/null", &status, said));
    if (status) PetscCall(PetscInfo(NULL, "The C compiler %s does not work: %s\n", compilers[k], said));
  }
  PetscCall(PetscStrncpy(p->command, status ? "" : candidate.command, sizeof(p->command)));
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preprocesses, behind petsc.h or not, then compiles without making anything of it */
static PetscErrorCode PlexPreprocessBehind(const PlexPreprocessor *p, const PlexWorkplace *w, PetscBool petsc,
                                           int *status, char said[1500])
{
  char how[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(how, sizeof(how), "-x c %s-E -o %s", petsc ? "-include petsc.h " : "", w->source));
  PetscCall(PlexCallCompiler(p, w, how, p->path, status, said));
  if (!*status) PetscCall(PlexCallCompiler(p, w, "-fsyntax-only -w -x cpp-output", w->source, status, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows can rely on C that is right, and an error is the C compiler's own, in the user's file. A header is read
   behind petsc.h, as programs include it. One that has types of its own by PETSc's names does not compile so, and is
   read alone. */
static PetscErrorCode PlexPreprocessFile(const PlexPreprocessor *p, char **text)
{
  PlexWorkplace w;
  char          said[1500], alone[1500];
  int           status;

  PetscFunctionBegin;
  PetscCall(PlexWorkplaceCreate(&w, "source.i", "none"));
  PetscCall(PlexPreprocessBehind(p, &w, p->header, &status, said));
  if (status && p->header) {
    const PetscBool own = (PetscBool)(strstr(said, "conflicting types") || strstr(said, "redefinition") ||
                                      strstr(said, "redeclaration"));

    PetscCall(PlexPreprocessBehind(p, &w, PETSC_FALSE, &status, alone));
    if (own && status) PetscCall(PetscStrncpy(said, alone, sizeof(said)));
  }
  if (status) {
    PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
            "'%s', source of the pointwise functions, does not compile (%s, status %d). -plex_assembly_source_flags "
            "\"IFOLDER DNAME\" adds -I and -D, -plex_assembly_source_compiler or the environment variable PLEXGPU_CC "
            "names another C compiler:\n%s",
            p->path, p->command, status, said);
  }
  PetscCall(PlexSourceGetFileText(w.source, text));
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscCheck(*text, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "The compiler %s wrote nothing for '%s'", p->command,
             p->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A header of pointwise functions alone, behind what it needs of PETSc (cuda/standin), where PETSc is not. *text NULL:
   the compiler does not take it so */
static PetscErrorCode PlexPreprocessAlone(const PlexPreprocessor *p, const char source[], char **text)
{
  PlexPreprocessor alone = *p;
  PlexWorkplace    w;
  char             folder[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN], how[2 * PETSC_MAX_PATH_LEN], said[1500],
    cache[PETSC_MAX_PATH_LEN];
  FILE *out;
  int   status;

  PetscFunctionBegin;
  *text = NULL;
  PetscCall(PlexSourceGetFolder(folder));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/standin/petsc.h", folder));
  PetscCall(PlexPreprocessRead(p, file, source, cache, text));
  if (*text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexWorkplaceCreate(&w, "source.i", "none"));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.h", w.source));
  out = fopen(file, "w");
  PetscCheck(out, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", file);
  PetscCall(PlexWriteText(p->path, source, out));
  (void)fclose(out);
  PetscCall(PetscStrncpy(alone.flags, p->more, sizeof(alone.flags)));
  PetscCall(PetscSNPrintf(how, sizeof(how), "-x c -include %s/standin/petsc.h -E -o %s", folder, w.source));
  PetscCall(PlexCallCompiler(&alone, &w, how, file, &status, said));
  if (!status) PetscCall(PlexCallCompiler(&alone, &w, "-fsyntax-only -w -x cpp-output", w.source, &status, said));
  if (!status) PetscCall(PlexSourceGetFileText(w.source, text));
  if (*text) PetscCall(PlexPreprocessWrite(cache, *text));
  (void)remove(file);
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preprocessed text of a file, PetscFree() it. asIs: it is a header's own text, for there is no compiler, or no
   PETSc to include and a stand-in does not do */
PetscErrorCode PlexPreprocess(const char path[], const char prefix[], char **text, PetscBool *asIs)
{
  PlexPreprocessor p;
  char             cache[PETSC_MAX_PATH_LEN], *source;
  PetscBool        possible;

  PetscFunctionBegin;
  *asIs = PETSC_FALSE;
  *text = NULL;
  PetscCall(PlexSourceGetFileText(path, &source));
  PetscCheck(source, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot read '%s', named as source of the pointwise functions by -plex_assembly_source or "
             "PlexAssemblySetPointwiseSource(): correct the path",
             path);
  if (PlexHasSuffix(path, ".i")) { /* preprocessed by the user */
    *text = source;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexPreprocessorCreate(path, prefix, &p));
  PetscCall(PlexPreprocessRead(&p, NULL, source, cache, text));
  if (!*text) PetscCall(PlexPreprocessorTry(&p));
  possible = (PetscBool)(p.command[0] && p.hasPetsc);
  if (!*text && !possible && !p.chosen && p.header) {
    if (p.command[0]) PetscCall(PlexPreprocessAlone(&p, source, text));
    if (!*text) {
      PetscCall(PetscInfo(NULL, "'%s' is taken as it is: there is no C compiler here, or no PETSc to include\n", path));
      *text = source;
      *asIs = PETSC_TRUE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(PetscFree(source));
  if (*text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(p.command[0], PETSC_COMM_SELF, PETSC_ERR_SUP,
             "There is no C compiler that works to preprocess '%s' (%s, mpicc, cc, gcc, clang): name one with "
             "-plex_assembly_source_compiler or the environment variable PLEXGPU_CC; or run the program once where "
             "there is one with the same -plexgpu_cache_dir; or preprocess the file there (mpicc -E ... -o app.i) and "
             "name the .i file",
             path, PLEXGPU_CC);
  PetscCheck(p.hasPetsc || p.chosen, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "PETSc's headers, which '%s' includes, are not on this machine: set PETSC_DIR and PETSC_ARCH or "
             "-plex_assembly_source_flags IFOLDER; or run the program once where they are with the same "
             "-plexgpu_cache_dir; or preprocess the file there (mpicc -E ... -o app.i) and name the .i file",
             path);
  PetscCall(PlexPreprocessFile(&p, text));
  PetscCall(PlexPreprocessWrite(cache, *text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
