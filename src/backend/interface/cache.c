/*
  The cache of compiled kernels: a folder of files name-<128 bits of hash>.suffix. What is hashed is all that the result
  depends on: source text, definitions, architecture, compiler and its version. A file ends in a trailer, so that one
  that is damaged, or was made for another key, is seen:

    payload [n] | "PLEXGPU2" | n (8 bytes) | FNV-1a of the file's name and the payload (16 bytes)

  The hash is against accidents. Against others there is who may write: a folder or a file that belongs to another user,
  or that others may write to, is not used (file.c), for what is in it is run.

  Kernels that were compiled when the library was installed (files.c) are in files of the same form, in a folder beside
  the device sources. Their hash is without the compiler and its version.
*/
#include "backendimpl.h"
#include <sys/stat.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 PlexHash;

static const char PlexCacheMagic[8] = {'P', 'L', 'E', 'X', 'G', 'P', 'U', '2'};

typedef struct {
  char          magic[8];
  unsigned long n;
  PlexHash      hash;
} PlexCacheTrailer;

/* FNV-1a, 128 bits: offset basis and prime of Fowler, Noll and Vo */
static const PlexHash PlexHashStart = ((PlexHash)0x6c62272e07bb0142UL << 64) | 0x62b821756295c58dUL;

static PlexHash PlexHashBytes(PlexHash h, const void *bytes, size_t n)
{
  const PlexHash       prime = ((PlexHash)1 << 88) | 0x13b;
  const unsigned char *b     = (const unsigned char *)bytes;

  for (size_t i = 0; i < n; ++i) h = (h ^ b[i]) * prime;
  return h;
}

static PetscErrorCode PlexHashAdd(PetscInt64 hash[2], PetscBool first, const char text[])
{
  PlexHash h = PlexHashStart;
  size_t   n;

  PetscFunctionBegin;
  if (!first) PetscCall(PetscMemcpy(&h, hash, sizeof(h)));
  PetscCall(PetscStrlen(text, &n));
  h = PlexHashBytes(h, n ? text : "", n + 1);
  PetscCall(PetscMemcpy(hash, &h, sizeof(h)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a text to a key that starts as {0}; the text's end counts too: "ab","c" differs from "a","bc" */
PetscErrorCode PlexCacheKeyAdd(PlexCacheKey *key, const char text[])
{
  PetscFunctionBegin;
  PetscCall(PlexHashAdd(key->hash, (PetscBool)!key->n, text));
  PetscCall(PlexHashAdd(key->same, (PetscBool)!key->n, text));
  ++key->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a source; names of pointwise functions, and folders of their files, are in key->hash alone */
PetscErrorCode PlexCacheKeyAddSource(PlexCacheKey *key, const char source[])
{
  char *text, *plain, *same;

  PetscFunctionBegin;
  PetscCall(PlexSourceWithoutFolder(source, &text));
  PetscCall(PlexSourceWithoutNames(text, &plain, &same));
  PetscCall(PlexHashAdd(key->hash, (PetscBool)!key->n, plain));
  PetscCall(PlexHashAdd(key->same, (PetscBool)!key->n, same));
  ++key->n;
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(plain));
  PetscCall(PetscFree(same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCacheGetFolder(char folder[PETSC_MAX_PATH_LEN])
{
  const char *base;
  PetscBool   flg;

  PetscFunctionBegin;
  folder[0] = 0;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-plexgpu_cache_dir", folder, PETSC_MAX_PATH_LEN, &flg));
  if (flg) PetscFunctionReturn(PETSC_SUCCESS);
  base = getenv("XDG_CACHE_HOME");
  if (base && base[0]) PetscCall(PetscSNPrintf(folder, PETSC_MAX_PATH_LEN, "%s/plexgpu/kernels", base));
  else {
    base = getenv("HOME");
    if (base && base[0]) PetscCall(PetscSNPrintf(folder, PETSC_MAX_PATH_LEN, "%s/.cache/plexgpu/kernels", base));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says once that a folder or a file is not used, and what can be done */
static PetscErrorCode PlexCacheRefuse(const char path[], const char what[], const char why[])
{
  static char said[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(path, said, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(said, path, sizeof(said)));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscCall(PetscInfo(NULL, "%s, %s, is not used: %s\n", path, what, why));
  else
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR,
                           "PlexGPU: %s, %s, is not used: %s, so that it may hold anybody's code. Where it is yours, "
                           "chmod go-w it; or name a folder of your own with -plexgpu_cache_dir\n",
                           path, what, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a folder and those above it, for this user alone; that it cannot be made shows when a file is written to it.
   *usable is false for one that is not this user's alone. */
static PetscErrorCode PlexCacheMakeFolder(const char folder[], PetscBool *usable)
{
  char          part[PETSC_MAX_PATH_LEN], why[PLEX_FILE_WHY];
  PlexFileState state;
  int           descriptor;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, folder, sizeof(part)));
  for (char *p = part + 1; *p; ++p) {
    if (*p != '/') continue;
    *p = 0;
    (void)mkdir(part, 0700);
    *p = '/';
  }
  (void)mkdir(part, 0700);
  PetscCall(PlexFolderOpen(folder, PETSC_TRUE, &descriptor, &state, why));
  if (descriptor >= 0) (void)close(descriptor);
  *usable = (PetscBool)(state != PLEX_FILE_REFUSED);
  if (!*usable) PetscCall(PlexCacheRefuse(folder, "the folder of compiled kernels", why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of this name in the folder, which is made if need be; path is empty when there is no folder to use */
PetscErrorCode PlexCacheGetFile(const char name[], char path[PETSC_MAX_PATH_LEN])
{
  char      folder[PETSC_MAX_PATH_LEN];
  PetscBool usable = PETSC_FALSE;

  PetscFunctionBegin;
  path[0] = 0;
  PetscCall(PlexCacheGetFolder(folder));
  if (folder[0]) PetscCall(PlexCacheMakeFolder(folder, &usable));
  if (usable) PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", folder, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file's name of a key: <name>-<hash><suffix> */
static PetscErrorCode PlexCacheGetName(const PetscInt64 hash[2], const char name[], const char suffix[], char file[128])
{
  char plain[64];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(plain, name, sizeof(plain)));
  for (char *p = plain; *p; ++p)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '-' ||
          *p == '.'))
      *p = '_';
  PetscCall(PetscSNPrintf(file, 128, "%s-%016llx%016llx%s", plain, (unsigned long long)hash[1],
                          (unsigned long long)hash[0], suffix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file of a key, with the folder made if need be. path is empty when there is no folder to use. What is not there
   under its own names is, or comes to be, under those of no program. */
PetscErrorCode PlexCacheGetPath(const PlexCacheKey *key, const char name[], const char suffix[],
                                char path[PETSC_MAX_PATH_LEN])
{
  char file[128];

  PetscFunctionBegin;
  PetscCall(PlexCacheGetName(key->hash, name, suffix, file));
  PetscCall(PlexCacheGetFile(file, path));
  if (path[0] && (key->same[0] != key->hash[0] || key->same[1] != key->hash[1]) && access(path, F_OK)) {
    PetscCall(PlexCacheGetName(key->same, name, suffix, file));
    PetscCall(PlexCacheGetFile(file, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCacheGetPathIn(const char folder[], const PlexCacheKey *key, const char name[], const char suffix[],
                                  char path[PETSC_MAX_PATH_LEN])
{
  char file[128];

  PetscFunctionBegin;
  PetscCall(PlexCacheGetName(key->hash, name, suffix, file));
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", folder, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a file of this name */
static PlexHash PlexCacheHash(const char path[], const void *payload, size_t n)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

  return PlexHashBytes(PlexHashBytes(PlexHashStart, name, strlen(name) + 1), payload, n);
}

/* The payload of a cache file, PetscFree() it; NULL where there is no such file, or it is not what was written there by
   this user or root */
static PetscErrorCode PlexCacheLoad(const char path[], PetscBool installed, void **bytes, size_t *n)
{
  PlexCacheTrailer trailer;
  PlexFileState    state;
  char            *all, why[PLEX_FILE_WHY];
  PetscBool        good = PETSC_FALSE;

  PetscFunctionBegin;
  *bytes = NULL;
  *n     = 0;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexFileRead(path, PETSC_TRUE, &all, n, &state, why));
  if (state == PLEX_FILE_REFUSED && installed) PetscCall(PetscInfo(NULL, "%s is not used: %s\n", path, why));
  else if (state == PLEX_FILE_REFUSED) PetscCall(PlexCacheRefuse(path, "a file of compiled kernels", why));
  if (!all) PetscFunctionReturn(PETSC_SUCCESS);
  if (*n > sizeof(trailer)) {
    *n -= sizeof(trailer);
    PetscCall(PetscMemcpy(&trailer, all + *n, sizeof(trailer)));
    good = (PetscBool)(!memcmp(trailer.magic, PlexCacheMagic, sizeof(trailer.magic)) && trailer.n == *n &&
                       trailer.hash == PlexCacheHash(path, all, *n));
  }
  if (good) *bytes = all;
  else {
    PetscCall(PetscInfo(NULL, "Compiled kernel %s is damaged: compiling it again\n", path));
    PetscCall(PetscFree(all));
    *n = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCacheRead(const char path[], void **bytes, size_t *n)
{
  PetscFunctionBegin;
  PetscCall(PlexCacheLoad(path, PETSC_FALSE, bytes, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCacheReadInstalled(const char path[], void **bytes, size_t *n)
{
  PetscFunctionBegin;
  PetscCall(PlexCacheLoad(path, PETSC_TRUE, bytes, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces the file at once or not at all. A folder that cannot be written is no error, only slower next time. */
PetscErrorCode PlexCacheWrite(const char path[], const void *bytes, size_t n, PetscBool *written)
{
  PlexCacheTrailer trailer;
  PlexFilePart     parts[2] = {
    {bytes,    n              },
    {&trailer, sizeof(trailer)}
  };

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemcpy(trailer.magic, PlexCacheMagic, sizeof(trailer.magic)));
  trailer.n    = n;
  trailer.hash = PlexCacheHash(path, bytes, n);
  PetscCall(PlexFileWrite(path, PETSC_TRUE, 2, parts, written));
  if (!*written)
    PetscCall(PetscInfo(NULL, "Cannot write the compiled kernel %s: it will be compiled again next time\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *lock is -1 where nothing can be locked: each process then compiles for itself. So do those who have waited for one
   that is done: they find its kernel, or, where it could not be kept, need not wait for each other. */
PetscErrorCode PlexCacheLock(const char path[], int *lock)
{
  struct stat status;

  PetscFunctionBegin;
  *lock = -1;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexFileLock(path, PETSC_TRUE, lock));
  if (*lock >= 0 && !fstat(*lock, &status) && !status.st_nlink) {
    (void)close(*lock);
    *lock = -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those who wait hold the file that is removed here; who comes later finds the kernel */
PetscErrorCode PlexCacheUnlock(const char path[], int *lock)
{
  char name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (*lock < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.lock", path));
  (void)unlink(name);
  (void)close(*lock);
  *lock = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
