/*
  What the backends share: their registration, the on-disk cache of compiled kernels, flattened sources.
*/
#pragma once

#include <plexgpu/private/backendimpl.h>
#include "../../util/command.h"
#include "../../util/file.h"
#include "../../util/text.h"

/* The backends of this folder: create functions, and whether they can be used here; if not, why[len] says why */
typedef PetscErrorCode PlexBackendAvailableFn(PetscBool *, char why[], size_t len);

PETSC_INTERN PetscErrorCode PlexBackendCreate_Host(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendCreate_Emulate(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendCreate_CUDA(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendCreate_HIP(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendAvailable_Emulate(PetscBool *, char[], size_t);
PETSC_INTERN PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *, char[], size_t);
PETSC_INTERN PetscErrorCode PlexBackendAvailable_HIP(PetscBool *, char[], size_t);

/* A malloc() of PlexBackendOps gives NULL where there is not enough memory; PlexBackendMalloc() words the error. */
/* memory, timer, limits and products of the host's memory */
PETSC_INTERN PetscErrorCode PlexBackendSetMemory_Host(PlexBackend);
PETSC_INTERN PetscErrorCode PlexBackendGemm_Host(PlexBackend, PlexPrecision, const PlexGemm *);

/* module.c: around the call of a driver or library; *begin is kept between them. Without a record they do nothing */
PETSC_INTERN PetscErrorCode PlexLaunchesBegin(PlexBackend, PetscLogDouble *begin);
PETSC_INTERN PetscErrorCode PlexLaunchesEnd(PlexBackend, PetscLogDouble begin);

/* files.c: kernels that are the same for every problem */
PETSC_INTERN PetscErrorCode PlexKernelFileGetSource(const char file[], char text[PETSC_MAX_PATH_LEN],
                                                    const char **define);

/* source.c: source text with every #include "file" replaced by the file, each file once. PetscFree() the text. */
PETSC_INTERN PetscErrorCode PlexSourceFlatten(const char name[], const char source[], char **text);
PETSC_INTERN PetscErrorCode PlexSourceWithoutFolder(const char text[], char **without);
PETSC_INTERN PetscErrorCode PlexSourceWithoutNames(const char text[], char **plain, char **same);
PETSC_INTERN PetscErrorCode PlexSourceGetFolder(char folder[PETSC_MAX_PATH_LEN]);
/* of kernels that were compiled when the library was installed; it need not be there */
PETSC_INTERN PetscErrorCode PlexSourceGetKernels(char folder[PETSC_MAX_PATH_LEN]);
/* *text NULL when there is no such file */
PETSC_INTERN PetscErrorCode PlexSourceGetFileText(const char path[], char **text);

/* cache.c: files of compiled kernels */
typedef struct {
  PetscInt   n;       /* texts hashed so far */
  PetscInt64 hash[2]; /* FNV-1a, 128 bits */
  PetscInt64 same[2]; /* without names of pointwise functions and folders of their files */
} PlexCacheKey;
PETSC_INTERN PetscErrorCode PlexCacheKeyAdd(PlexCacheKey *, const char[]);
/* a flattened source; where the device sources lie makes no difference */
PETSC_INTERN PetscErrorCode PlexCacheKeyAddSource(PlexCacheKey *, const char[]);
PETSC_INTERN PetscErrorCode PlexCacheGetPath(const PlexCacheKey *, const char name[], const char suffix[],
                                             char path[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexCacheGetFile(const char name[], char path[PETSC_MAX_PATH_LEN]);
/* likewise in a folder that is there */
PETSC_INTERN PetscErrorCode PlexCacheGetPathIn(const char folder[], const PlexCacheKey *key, const char name[],
                                               const char suffix[], char path[PETSC_MAX_PATH_LEN]);
/* *bytes NULL: not there, damaged, or not this user's */
PETSC_INTERN PetscErrorCode PlexCacheRead(const char path[], void **bytes, size_t *n);
/* likewise of a file that was installed with the library: not this user's nor root's is no reason for a message */
PETSC_INTERN PetscErrorCode PlexCacheReadInstalled(const char path[], void **bytes, size_t *n);
/* replaces the file at once or not at all */
PETSC_INTERN PetscErrorCode PlexCacheWrite(const char path[], const void *bytes, size_t n, PetscBool *written);
/* Lock and unlock the compilation of a kernel: of the processes of a machine that need the same kernel one compiles it
   between these calls, and the others wait for its file */
PETSC_INTERN PetscErrorCode PlexCacheLock(const char path[], int *lock);
PETSC_INTERN PetscErrorCode PlexCacheUnlock(const char path[], int *lock);
