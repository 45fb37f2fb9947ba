/* Pointwise functions in sources that tests write, and kernels that call them */
#pragma once

#include <plexgpu/private/sourceimpl.h>

/* The head of a pointwise function, up to its body */
#define POINT(name) \
  "static void " name \
  "(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar " \
  "u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], " \
  "const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[], " \
  "PetscInt numConstants, const PetscScalar constants[], PetscScalar f[])\n"

/* A new folder for sources, and its end */
PetscErrorCode UnitFolderCreate(char folder[PETSC_MAX_PATH_LEN]);
PetscErrorCode UnitFolderDestroy(const char folder[]);
/* The program of one file; the text is written to FOLDER/NAME first, and stays there */
PetscErrorCode UnitProgramCreate(const char folder[], const char name[], const char text[], PlexProgram *program);
/* The source of one function, PetscFree() it, and the function's name there */
PetscErrorCode UnitExtract(PlexProgram program, const char wanted[], PetscBool single, char name[256], char **out);
/* What stands before the text of a function, sizes of a kernel as the library writes them, and a kernel unit_kernel(u,
   f) behind it that calls the function; PetscFree() it */
PetscErrorCode UnitKernel(const char text[], const char name[], PetscBool single, char **all);
