/*
  What the backends share: their registration, the on-disk cache of compiled kernels, flattened sources.
*/
#pragma once

#include <plexgpu/impl.h>

/* The backends of this folder: create functions, and whether they can be used here; if not, why[len] says why */
typedef PetscErrorCode PlexBackendAvailableFn(PetscBool *, char why[], size_t len);

PETSC_INTERN PetscErrorCode PlexBackendCreate_Host(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendCreate_Emulate(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendCreate_CUDA(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendAvailable_Emulate(PetscBool *, char[], size_t);
PETSC_INTERN PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *, char[], size_t);

/* A malloc() of PlexBackendOps gives NULL where there is not enough memory; PlexBackendMalloc() words the error. */
PETSC_INTERN PetscErrorCode PlexBackendSetMemory_Host(PlexBackend); /* memory, timer, limits and products of the host's memory */
PETSC_INTERN PetscErrorCode PlexBackendGemm_Host(PlexBackend, PlexPrecision, PetscInt, PetscInt, PetscInt, double, const void *, const void *, double, void *);

/* source.c: source text with every #include "file" replaced by the file, each file once. PetscFree() the text. */
PETSC_INTERN PetscErrorCode PlexSourceFlatten(const char name[], const char source[], char **text);
PETSC_INTERN PetscErrorCode PlexSourceGetFolder(char folder[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexSourceGetFileText(const char path[], char **text); /* *text NULL when there is no such file */

/* text.c: a growing text */
typedef struct {
  char  *text;
  size_t length, allocated;
} PlexText;
PETSC_INTERN PetscErrorCode PlexTextAppend(PlexText *, const char[], size_t);
PETSC_INTERN PetscErrorCode PlexTextPrintf(PlexText *, const char[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/* command.c: compilers as programs */
typedef struct {
  char folder[PETSC_MAX_PATH_LEN]; /* removed with its files */
  char source[PETSC_MAX_PATH_LEN], object[PETSC_MAX_PATH_LEN], log[PETSC_MAX_PATH_LEN];
} PlexWorkplace;
PETSC_INTERN PetscErrorCode PlexCommandExists(const char command[], PetscBool *);
PETSC_INTERN PetscErrorCode PlexArgumentsAdd(PetscInt max, PetscInt *n, char *argv[], const char words[]);
PETSC_INTERN PetscErrorCode PlexRunProgram(char *argv[], const char log[], int *status);
PETSC_INTERN PetscErrorCode PlexWorkplaceCreate(PlexWorkplace *, const char source[], const char object[]);
PETSC_INTERN PetscErrorCode PlexWorkplaceDestroy(PlexWorkplace *, PetscBool keepObject);

/* file.c: files of this user or root alone, read without following links and written at once or not at all. own: the folder, too, has to be
   theirs alone, and nobody else may write to it */
typedef enum {
  PLEX_FILE_GOOD,
  PLEX_FILE_ABSENT,
  PLEX_FILE_REFUSED,   /* it belongs to another user, or others may write to it, or it is a link */
  PLEX_FILE_UNREADABLE /* no permission, a folder, ... */
} PlexFileState;
typedef struct {
  const void *bytes;
  size_t      n;
} PlexFilePart;
#define PLEX_FILE_WHY 256
PETSC_INTERN PetscErrorCode PlexFolderOpen(const char path[], PetscBool own, int *folder, PlexFileState *, char why[PLEX_FILE_WHY]);           /* *folder -1: see the state */
PETSC_INTERN PetscErrorCode PlexFileRead(const char path[], PetscBool own, char **bytes, size_t *n, PlexFileState *, char why[PLEX_FILE_WHY]); /* bytes[n] is 0; *bytes NULL: see the state */
PETSC_INTERN PetscBool      PlexFileWriteParts(int file, int nparts, const PlexFilePart[]);
PETSC_INTERN PetscErrorCode PlexFileWrite(const char path[], PetscBool own, int nparts, const PlexFilePart[], PetscBool *written);
PETSC_INTERN PetscErrorCode PlexFileLock(const char path[], PetscBool own, int *lock); /* close() gives it back; -1: there is none */

/* object.c: a shared object from memory */
PETSC_INTERN PetscErrorCode PlexObjectLoad(const char name[], const void *bytes, size_t n, void **handle);

/* cache.c: files of compiled kernels */
typedef struct {
  PetscInt   n;       /* texts hashed so far */
  PetscInt64 hash[2]; /* FNV-1a, 128 bits */
} PlexCacheKey;
PETSC_INTERN PetscErrorCode PlexCacheKeyAdd(PlexCacheKey *, const char[]);
PETSC_INTERN PetscErrorCode PlexCacheGetPath(const PlexCacheKey *, const char name[], const char suffix[], char path[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexCacheGetFile(const char name[], char path[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexCacheRead(const char path[], void **bytes, size_t *n);                          /* *bytes NULL: not there, damaged, or not this user's */
PETSC_INTERN PetscErrorCode PlexCacheWrite(const char path[], const void *bytes, size_t n, PetscBool *written); /* replaces the file at once or not at all */
/* Of the processes of a machine that need the same kernel one compiles it, between these two, and the others wait for its file */
PETSC_INTERN PetscErrorCode PlexCacheLock(const char path[], int *lock);
PETSC_INTERN PetscErrorCode PlexCacheUnlock(const char path[], int *lock);
