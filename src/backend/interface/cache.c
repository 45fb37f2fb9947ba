/*
  The cache of compiled kernels: a folder of files name-<128 bits of hash>.suffix. What is hashed is all that the result depends on:
  source text, definitions, architecture, compiler and its version. A file ends in a trailer, so that a damaged one is seen:

    payload [n] | "PLEXGPU1" | n (8 bytes) | FNV-1a of the payload (16 bytes)

  Shared objects may carry such a tail: the loader does not look behind the last section.
*/
#include "backendimpl.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 PlexHash;

static const char PlexCacheMagic[8] = {'P', 'L', 'E', 'X', 'G', 'P', 'U', '1'};

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

/* Adds a text to a key that starts as {0}; the text's end counts too: "ab","c" differs from "a","bc" */
PetscErrorCode PlexCacheKeyAdd(PlexCacheKey *key, const char text[])
{
  PlexHash h = PlexHashStart;
  size_t   n;

  PetscFunctionBegin;
  if (key->n++) PetscCall(PetscMemcpy(&h, key->hash, sizeof(h)));
  PetscCall(PetscStrlen(text, &n));
  h = PlexHashBytes(h, n ? text : "", n + 1);
  PetscCall(PetscMemcpy(key->hash, &h, sizeof(h)));
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

/* Makes a folder and those above it; that it cannot be made shows when a file is written to it. */
static PetscErrorCode PlexCacheMakeFolder(const char folder[])
{
  char part[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, folder, sizeof(part)));
  for (char *p = part + 1; *p; ++p) {
    if (*p != '/') continue;
    *p = 0;
    (void)mkdir(part, 0777);
    *p = '/';
  }
  (void)mkdir(part, 0777);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file of a key: <folder>/<name>-<hash><suffix>, with the folder made if need be. path is empty when there is no folder to use. */
PetscErrorCode PlexCacheGetPath(const PlexCacheKey *key, const char name[], const char suffix[], char path[PETSC_MAX_PATH_LEN])
{
  char folder[PETSC_MAX_PATH_LEN], plain[64];

  PetscFunctionBegin;
  path[0] = 0;
  PetscCall(PlexCacheGetFolder(folder));
  if (!folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCacheMakeFolder(folder));
  PetscCall(PetscStrncpy(plain, name, sizeof(plain)));
  for (char *p = plain; *p; ++p)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '-' || *p == '.')) *p = '_';
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s-%016llx%016llx%s", folder, plain, (unsigned long long)key->hash[1], (unsigned long long)key->hash[0], suffix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of this name in the folder, which is made if need be; path is empty when there is no folder to use */
PetscErrorCode PlexCacheGetFile(const char name[], char path[PETSC_MAX_PATH_LEN])
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  path[0] = 0;
  PetscCall(PlexCacheGetFolder(folder));
  if (!folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCacheMakeFolder(folder));
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", folder, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The payload of a cache file, PetscFree() it; NULL where there is no such file or it is damaged */
PetscErrorCode PlexCacheRead(const char path[], void **bytes, size_t *n)
{
  PlexCacheTrailer trailer;
  char            *payload = NULL;
  struct stat      status;
  FILE            *file;
  PetscBool        good = PETSC_FALSE;

  PetscFunctionBegin;
  *bytes = NULL;
  *n     = 0;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  file = fopen(path, "rb");
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  if (!fstat(fileno(file), &status) && (size_t)status.st_size > sizeof(trailer)) {
    *n = (size_t)status.st_size - sizeof(trailer);
    PetscCall(PetscMalloc1(*n, &payload));
    good = (PetscBool)(fread(payload, 1, *n, file) == *n && fread(&trailer, 1, sizeof(trailer), file) == sizeof(trailer));
    good = (PetscBool)(good && !memcmp(trailer.magic, PlexCacheMagic, sizeof(trailer.magic)) && trailer.n == *n && trailer.hash == PlexHashBytes(PlexHashStart, payload, *n));
  }
  fclose(file);
  if (good) *bytes = payload;
  else {
    PetscCall(PetscInfo(NULL, "Compiled kernel %s is damaged: compiling it again\n", path));
    PetscCall(PetscFree(payload));
    *n = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes beside the file and renames: other processes see the old file or the whole new one. A folder that cannot be written is no
   error, only slower next time. */
PetscErrorCode PlexCacheWrite(const char path[], const void *bytes, size_t n, PetscBool *written)
{
  PlexCacheTrailer trailer;
  char             temporary[PETSC_MAX_PATH_LEN], host[64];
  FILE            *file;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemcpy(trailer.magic, PlexCacheMagic, sizeof(trailer.magic)));
  trailer.n    = n;
  trailer.hash = PlexHashBytes(PlexHashStart, bytes, n);
  PetscCall(PetscGetHostName(host, sizeof(host))); /* the folder may be shared by machines */
  PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.%s.%ld", path, host, (long)getpid()));
  file = fopen(temporary, "wb");
  if (file) {
    PetscBool good = (PetscBool)(fwrite(bytes, 1, n, file) == n && fwrite(&trailer, 1, sizeof(trailer), file) == sizeof(trailer));

    good     = (PetscBool)(!fclose(file) && good);
    *written = (PetscBool)(good && !rename(temporary, path));
    if (!*written) (void)unlink(temporary);
  }
  if (!*written) PetscCall(PetscInfo(NULL, "Cannot write the compiled kernel %s: it will be compiled again next time\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *lock is -1 where nothing can be locked: each process then compiles for itself. A process that ends gives its locks back. */
PetscErrorCode PlexCacheLock(const char path[], int *lock)
{
  char name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *lock = -1;
  if (!path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.lock", path));
  *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*lock >= 0) (void)flock(*lock, LOCK_EX);
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
