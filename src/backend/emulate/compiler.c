/*
  Device sources compiled for the processor: which C++ compiler, how it is called, what it said.
*/
#define _GNU_SOURCE
#include "emulateimpl.h"

/* The compiler's command: PLEXGPU_CXX, else the first of c++, g++ and clang++ on the PATH; empty where there is none */
PetscErrorCode PlexEmulateFindCompiler(char command[PETSC_MAX_PATH_LEN])
{
  const char *const candidates[] = {"c++", "g++", "clang++"};
  const char       *env          = getenv("PLEXGPU_CXX");
  PetscBool         exists;

  PetscFunctionBegin;
  command[0] = 0;
  if (env && env[0]) {
    PetscCall(PetscStrncpy(command, env, PETSC_MAX_PATH_LEN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(candidates) && !command[0]; ++c) {
    PetscCall(PlexCommandExists(candidates[c], &exists));
    if (exists) PetscCall(PetscStrncpy(command, candidates[c], PETSC_MAX_PATH_LEN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The compiler's first line about itself, asked once for each compiler: a part of the cache's key */
static PetscErrorCode PlexCompilerGetVersion(const char command[], char version[256])
{
  static char   asked[PETSC_MAX_PATH_LEN], answer[256];
  char         *argv[32] = {NULL}, *text;
  PetscInt      n        = 0;
  PlexWorkplace w;
  PetscBool     same;
  int           status;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(command, asked, &same));
  if (!same) {
    PetscCall(PlexArgumentsAdd(30, &n, argv, command));
    PetscCall(PlexArgumentsAdd(30, &n, argv, "--version"));
    PetscCall(PlexWorkplaceCreate(&w, "module.cc", "module.so"));
    PetscCall(PlexRunProgram(argv, w.log, &status));
    PetscCall(PlexSourceGetFileText(w.log, &text));
    PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
    for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree(argv[i]));
    PetscCheck(!status && text, PETSC_COMM_SELF, PETSC_ERR_SYS,
               "Cannot run the C++ compiler %s, which the backend emulate needs: set the environment variable "
               "PLEXGPU_CXX to one that works",
               command);
    text[strcspn(text, "\n")] = 0;
    PetscCall(PetscStrncpy(answer, text, sizeof(answer)));
    PetscCall(PetscStrncpy(asked, command, sizeof(asked)));
    PetscCall(PetscFree(text));
  }
  PetscCall(PetscStrncpy(version, answer, sizeof(answer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of emulate.h: installed beside the device sources, else in the source tree */
static PetscErrorCode PlexEmulateGetHeader(char **text)
{
  char folder[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexSourceGetFolder(folder));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/../emulate/emulate.h", folder));
  PetscCall(PlexSourceGetFileText(path, text));
  if (!*text) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/../src/backend/emulate/emulate.h", folder));
    PetscCall(PlexSourceGetFileText(path, text));
  }
#if defined(PLEXGPU_EMULATE_DIR)
  if (!*text) PetscCall(PlexSourceGetFileText(PLEXGPU_EMULATE_DIR "/emulate.h", text));
#endif
  PetscCheck(*text, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "There is no emulate.h in %s/../emulate, which the backend emulate needs: install it beside the device "
             "sources",
             folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes texts to a file, one after the other */
PetscErrorCode PlexEmulateWriteTexts(const char path[], PetscInt n, const char *const texts[])
{
  FILE     *file = fopen(path, "w");
  PetscBool good = (PetscBool)(file != NULL);
  size_t    length;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && good; ++i) {
    PetscCall(PetscStrlen(texts[i], &length));
    good = (PetscBool)(fwrite(texts[i], 1, length, file) == length);
  }
  if (file) good = (PetscBool)(!fclose(file) && good);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s: set TMPDIR to a folder with room", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls the compiler in the folder w. precompiled: of the header, which the compiler includes by itself; NULL: w's source has the header's text. */
static PetscErrorCode PlexEmulateCallCompiler(const PlexEmulateSource *s, const char precompiled[],
                                              const PlexWorkplace *w, int *status)
{
  const char *const texts[] = {s->header, s->source};
  char            **argv, header[PETSC_MAX_PATH_LEN];
  PetscInt          n = 0, max = 64 + s->ndefines;
  size_t            length;

  PetscFunctionBegin;
  if (precompiled) PetscCall(PlexEmulateWriteTexts(w->source, 1, &s->source));
  else PetscCall(PlexEmulateWriteTexts(w->source, 2, texts));
  PetscCall(PetscCalloc1(max + 1, &argv));
  PetscCall(PlexArgumentsAdd(max, &n, argv, s->command));
  PetscCall(PlexArgumentsAdd(max - s->ndefines - 5, &n, argv, s->flags));
  for (PetscInt i = 0; i < s->ndefines; ++i) {
    PetscCall(PetscStrlen(s->defines[i], &length));
    PetscCall(PetscMalloc1(length + 3, &argv[n++]));
    PetscCall(PetscSNPrintf(argv[n - 1], length + 3, "-D%s", s->defines[i]));
  }
  if (precompiled) {
    PetscCall(PlexPrecompiledPlace(precompiled, s->header, w->folder, header));
    PetscCall(PetscStrallocpy("-include", &argv[n++]));
    PetscCall(PetscStrallocpy(header, &argv[n++]));
  }
  PetscCall(PetscStrallocpy("-o", &argv[n++]));
  PetscCall(PetscStrallocpy(w->object, &argv[n++]));
  PetscCall(PetscStrallocpy(w->source, &argv[n++]));
  PetscCall(PlexRunProgram(argv, w->log, status));
  if (precompiled) PetscCall(PlexPrecompiledRemove(w->folder));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree(argv[i]));
  PetscCall(PetscFree(argv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexEmulateReadFile(const char path[], char **bytes, size_t *n)
{
  FILE *file = fopen(path, "rb");
  long  size = -1;

  PetscFunctionBegin;
  if (file && !fseek(file, 0, SEEK_END)) size = ftell(file);
  PetscCheck(size > 0, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "The compiler wrote no %s", path);
  rewind(file);
  *n = (size_t)size;
  PetscCall(PetscMalloc1(*n, bytes));
  *n = fread(*bytes, 1, *n, file);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiles, and keeps the shared object in the file `path` of the cache where that can be written. An error holds the first 1500 characters of what the compiler said. */
static PetscErrorCode PlexEmulateCompileTo(const char path[], const char name[], const PlexEmulateSource *s,
                                           char **bytes, size_t *n)
{
  char          precompiled[PETSC_MAX_PATH_LEN], said[1500], *log;
  PlexWorkplace w;
  PetscBool     written;
  int           status = 1;

  PetscFunctionBegin;
  PetscCall(PlexPrecompiledGet(s, precompiled));
  PetscCall(PlexWorkplaceCreate(&w, "module.cc", "module.so"));
  if (precompiled[0]) PetscCall(PlexEmulateCallCompiler(s, precompiled, &w, &status));
  if (status) {
    PetscCall(PlexEmulateCallCompiler(s, NULL, &w, &status));
    if (!status && precompiled[0]) PetscCall(PlexPrecompiledRefuse(precompiled));
  }
  if (status) {
    PetscCall(PlexSourceGetFileText(w.log, &log));
    PetscCall(PetscStrncpy(said, log ? log : "", sizeof(said)));
    PetscCall(PetscFree(log));
    PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SYS, "Kernels %s do not compile (%s, status %d):\n%s", name, s->command, status,
            said);
  }
  PetscCall(PlexEmulateReadFile(w.object, bytes, n));
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscCall(PlexCacheWrite(path, *bytes, *n, &written));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexEmulateCompile(const char name[], PetscInt ndefines, const char *const defines[],
                                  const char source[], char **bytes, size_t *size, PetscBool *fromCache)
{
  const char       *env = getenv("PLEXGPU_EMULATE_FLAGS");
  char              command[PETSC_MAX_PATH_LEN], version[256], flags[1024], path[PETSC_MAX_PATH_LEN], *header;
  PlexText          text = {NULL, 0, 0}, all = {NULL, 0, 0};
  PlexEmulateSource s   = {.command  = command,
                           .version  = version,
                           .flags    = flags,
                           .source   = source,
                           .ndefines = ndefines,
                           .defines  = defines};
  PlexCacheKey      key = {0};
  size_t            n;
  int               lock;

  PetscFunctionBegin;
  PetscCall(PlexEmulateFindCompiler(command));
  PetscCheck(command[0], PETSC_COMM_SELF, PETSC_ERR_SUP,
             "There is no C++ compiler (c++, g++ or clang++), which the backend emulate needs: set the environment "
             "variable PLEXGPU_CXX");
  PetscCall(PlexCompilerGetVersion(command, version));
  PetscCall(PetscSNPrintf(flags, sizeof(flags),
                          "-std=c++17 -O2 -fPIC -shared -w -Wno-narrowing -fvisibility=hidden -DPLEX_EMULATE%s %s",
                          PlexEmulateGetWarp() == 64 ? " -DPLEX_WARP=64 -DPLEX_PLAIN=1" : "", env ? env : ""));
  PetscCall(PlexEmulateGetHeader(&header));
  PetscCall(PlexTextPrintf(&text, "#line 1 \"emulate.h\"\n"));
  PetscCall(PetscStrlen(header, &n));
  PetscCall(PlexTextAppend(&text, header, n));
  PetscCall(PetscFree(header));
  s.header = text.text;
  PetscCall(PetscStrlen(text.text, &n));
  PetscCall(PlexTextAppend(&all, text.text, n));
  PetscCall(PetscStrlen(source, &n));
  PetscCall(PlexTextAppend(&all, source, n));

  PetscCall(PlexCacheKeyAdd(&key, command));
  PetscCall(PlexCacheKeyAdd(&key, version));
  PetscCall(PlexCacheKeyAdd(&key, flags));
  for (PetscInt i = 0; i < ndefines; ++i) PetscCall(PlexCacheKeyAdd(&key, defines[i]));
  PetscCall(PlexCacheKeyAddSource(&key, all.text));
  PetscCall(PetscFree(all.text));
  PetscCall(PlexCacheGetPath(&key, name, ".so", path));
  PetscCall(PlexCacheRead(path, (void **)bytes, size));
  if (!*bytes) {
    PetscErrorCode ierr = PETSC_SUCCESS;

    PetscCall(PlexCacheLock(path, &lock));
    PetscCall(PlexCacheRead(path, (void **)bytes, size)); /* another process may have compiled it in the meantime */
    *fromCache = (PetscBool)(*bytes != NULL);
    if (!*bytes) ierr = PlexEmulateCompileTo(path, name, &s, bytes, size);
    PetscCall(PlexCacheUnlock(path, &lock));
    PetscCall(ierr);
  } else *fromCache = PETSC_TRUE;
  PetscCall(PetscFree(text.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
