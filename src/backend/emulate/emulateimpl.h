/*
  The emulated device: the backend (emulate.c), the compiler it calls (compiler.c) and the runtime of its blocks
  (fibre.c).
*/
#pragma once

#include "../interface/backendimpl.h"
#define PLEX_EMULATE_RUNTIME
#include "emulate.h"

typedef void PlexThunk(void **args);

PETSC_INTERN PetscErrorCode     PlexEmulateLaunch(PlexThunk *, const char name[], PetscInt grid, PetscInt block,
                                                  size_t sharedBytes, size_t sharedLimit, void **args);
PETSC_INTERN PetscErrorCode     PlexEmulateFinalize(void); /* frees the fibres' stacks */
PETSC_INTERN PlexEmulateThread *PlexEmulateGetThread(void);

/* Compiles to a shared object, or takes it from the cache; PetscFree(*bytes) */
PETSC_INTERN PetscErrorCode PlexEmulateCompile(const char name[], PetscInt ndefines, const char *const defines[],
                                               const char source[], char **bytes, size_t *size, PetscBool *fromCache);
PETSC_INTERN PetscErrorCode PlexEmulateFindCompiler(char path[PETSC_MAX_PATH_LEN]); /* empty: there is none */
