/*
  emulate.h precompiled by GCC. The header and the C++ headers that it includes take a third of the time that a kernel is compiled in.

  The file lies in the cache of compiled kernels, by the cache's rules (cache.c): emulate-<hash>.gch, where the hash is of compiler, version, flags
  and header. A process makes it when it compiles its second kernel; for one kernel it would take longer than it saves. A kernel is compiled in a
  folder that has emulate.h and a link emulate.h.gch to the file. GCC uses the link where compiler and flags are those of the file, and reads
  emulate.h otherwise, so that the file decides about time and not about results.
*/
#include "emulateimpl.h"
#include <unistd.h>

#define PLEX_PRECOMPILED_FROM 2 /* kernels that a process compiles, at which the file is made */

static PetscInt compiled;                    /* kernels, by this process */
static char     good[PETSC_MAX_PATH_LEN];    /* a file that was read by this process: the cache's trailer is right */
static char     useless[PETSC_MAX_PATH_LEN]; /* one that cannot be made or kept, or that the compiler cannot use */

PetscErrorCode PlexPrecompiledPlace(const char path[], const char header[], const char folder[],
                                    char file[PETSC_MAX_PATH_LEN])
{
  char link[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, PETSC_MAX_PATH_LEN, "%s/emulate.h", folder));
  PetscCall(PetscSNPrintf(link, sizeof(link), "%s/emulate.h.gch", folder));
  PetscCall(PlexEmulateWriteTexts(file, 1, &header));
  if (symlink(path, link))
    PetscCall(PetscInfo(NULL, "Cannot link %s to %s: the compiler reads emulate.h\n", link, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPrecompiledRemove(const char folder[])
{
  const char *const names[] = {"emulate.h", "emulate.h.gch"};
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); ++i) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, names[i]));
    (void)unlink(path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPrecompiledRefuse(const char path[])
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(NULL, "The precompiled header %s does not do, and is not used again\n", path));
  PetscCall(PetscStrncpy(useless, path, sizeof(useless)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Precompiles the header and puts it into the file of the cache */
static PetscErrorCode PlexPrecompiledMake(const PlexEmulateSource *s, const char path[], PetscBool *made)
{
  PlexWorkplace w;
  char         *argv[64] = {NULL}, *bytes;
  PetscInt      n        = 0;
  size_t        size;
  int           status;

  PetscFunctionBegin;
  *made = PETSC_FALSE;
  PetscCall(PlexWorkplaceCreate(&w, "emulate.h", "emulate.h.gch"));
  PetscCall(PlexEmulateWriteTexts(w.source, 1, &s->header));
  PetscCall(PlexArgumentsAdd(56, &n, argv, s->command));
  PetscCall(PlexArgumentsAdd(56, &n, argv, s->flags));
  PetscCall(PlexArgumentsAdd(60, &n, argv, "-x c++-header -o"));
  PetscCall(PetscStrallocpy(w.object, &argv[n++]));
  PetscCall(PetscStrallocpy(w.source, &argv[n++]));
  PetscCall(PlexRunProgram(argv, w.log, &status));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree(argv[i]));
  if (!status && !access(w.object, R_OK)) {
    PetscCall(PlexEmulateReadFile(w.object, &bytes, &size));
    PetscCall(PlexCacheWrite(path, bytes, size, made));
    PetscCall(PetscFree(bytes));
  }
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the cache has the file, whole */
static PetscErrorCode PlexPrecompiledLook(const char path[], PetscBool *found)
{
  void  *bytes;
  size_t size;

  PetscFunctionBegin;
  PetscCall(PlexCacheRead(path, &bytes, &size));
  *found = (PetscBool)(bytes != NULL);
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPrecompiledGet(const PlexEmulateSource *s, char path[PETSC_MAX_PATH_LEN])
{
  PlexCacheKey key = {0};
  PetscBool    found;
  int          lock;

  PetscFunctionBegin;
  path[0] = 0;
  ++compiled;
  if (strstr(s->version, "clang"))
    PetscFunctionReturn(PETSC_SUCCESS); /* it wants the header's file to be there as it was */
  PetscCall(PlexCacheKeyAdd(&key, s->command));
  PetscCall(PlexCacheKeyAdd(&key, s->version));
  PetscCall(PlexCacheKeyAdd(&key, s->flags));
  PetscCall(PlexCacheKeyAdd(&key, s->header));
  PetscCall(PlexCacheGetPath(&key, "emulate", ".gch", path));
  if (path[0] != '/' || !strcmp(path, useless)) path[0] = 0; /* a link needs the whole path */
  if (!path[0] || !strcmp(path, good)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPrecompiledLook(path, &found));
  if (!found && compiled >= PLEX_PRECOMPILED_FROM) {
    PetscCall(PlexCacheLock(path, &lock));
    PetscCall(PlexPrecompiledLook(path, &found)); /* another process may have made it in the meantime */
    if (!found) PetscCall(PlexPrecompiledMake(s, path, &found));
    PetscCall(PlexCacheUnlock(path, &lock));
    if (!found) PetscCall(PlexPrecompiledRefuse(path));
  }
  if (found) PetscCall(PetscStrncpy(good, path, sizeof(good)));
  else path[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
