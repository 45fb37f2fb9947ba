/*
  The emulated device: the backend (emulate.c), the compiler it calls (compiler.c), its header precompiled
  (precompiled.c) and the runtime of its blocks (fibre.c).
*/
#pragma once

#include "../interface/backendimpl.h"
#define PLEX_EMULATE_RUNTIME
#include "emulate.h"

typedef void PlexThunk(void **args);

PETSC_INTERN PetscErrorCode     PlexEmulateLaunch(PlexThunk *, const char name[], PetscInt grid, PetscInt block,
                                                  size_t sharedBytes, size_t sharedLimit, void **args);
PETSC_INTERN PetscErrorCode     PlexEmulateSetWarp(void); /* from the environment */
PETSC_INTERN PetscInt           PlexEmulateGetWarp(void);
PETSC_INTERN PetscErrorCode     PlexEmulateFinalize(void); /* frees the fibres' stacks */
PETSC_INTERN PlexEmulateThread *PlexEmulateGetThread(void);

/* Compiles to a shared object, or takes it from the cache; PetscFree(*bytes) */
PETSC_INTERN PetscErrorCode PlexEmulateCompile(const char name[], PetscInt ndefines, const char *const defines[],
                                               const char source[], char **bytes, size_t *size, PetscBool *fromCache);
PETSC_INTERN PetscErrorCode PlexEmulateFindCompiler(char path[PETSC_MAX_PATH_LEN]); /* empty: there is none */

/* What is compiled: by which compiler, and which texts */
typedef struct {
  const char        *command, *version, *flags; /* the compiler: its command, its first line about itself, its flags */
  const char        *header, *source;           /* emulate.h, and the module, which comes after it */
  PetscInt           ndefines;
  const char *const *defines; /* [ndefines] NAME=VALUE */
} PlexEmulateSource;
PETSC_INTERN PetscErrorCode PlexEmulateWriteTexts(const char path[], PetscInt n, const char *const texts[]);
PETSC_INTERN PetscErrorCode PlexEmulateReadFile(const char path[], char **bytes, size_t *n);

/* The header, precompiled, in a file of the cache; path is empty where there is none */
PETSC_INTERN PetscErrorCode PlexPrecompiledGet(const PlexEmulateSource *, char path[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode PlexPrecompiledRefuse(const char
                                                    path[]); /* it does not do: it is not used again by this process */
PETSC_INTERN PetscErrorCode PlexPrecompiledPlace(
  const char path[], const char header[], const char folder[],
  char file[PETSC_MAX_PATH_LEN]); /* in a folder of the compiler's, for -include file */
PETSC_INTERN PetscErrorCode PlexPrecompiledRemove(const char folder[]);
