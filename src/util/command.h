/* Compilers as programs, and shared objects that they made */
#pragma once

#include <petscsys.h>

typedef struct {
  char folder[PETSC_MAX_PATH_LEN]; /* removed with its files */
  char source[PETSC_MAX_PATH_LEN], object[PETSC_MAX_PATH_LEN], log[PETSC_MAX_PATH_LEN];
} PlexWorkplace;
PETSC_INTERN PetscErrorCode PlexCommandExists(const char command[], PetscBool *);
PETSC_INTERN PetscErrorCode PlexArgumentsAdd(PetscInt max, PetscInt *n, char *argv[], const char words[]);
PETSC_INTERN PetscErrorCode PlexRunProgram(char *argv[], const char log[], int *status);
PETSC_INTERN PetscErrorCode PlexWorkplaceCreate(PlexWorkplace *, const char source[], const char object[]);
PETSC_INTERN PetscErrorCode PlexWorkplaceDestroy(PlexWorkplace *, PetscBool keepObject);

/* A shared object from memory */
PETSC_INTERN PetscErrorCode PlexObjectLoad(const char name[], const void *bytes, size_t n, void **handle);
