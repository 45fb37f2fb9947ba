/*
  What a header of pointwise functions needs of PETSc, for a machine that has a C compiler and no PETSc to include
  (src/assembly/source/preprocess.c): the number types and the macros.
*/
#ifndef PLEX_STANDIN_PETSC_H
#define PLEX_STANDIN_PETSC_H

#include <math.h>
#include <stdlib.h>

typedef double PetscReal;
typedef double PetscScalar;
typedef int PetscInt;
typedef enum {
  PETSC_FALSE,
  PETSC_TRUE
} PetscBool;
typedef int PetscErrorCode;
#define PETSC_SUCCESS 0
#define PETSC_ATTRIBUTE_FORMAT(a, b)

#include "../petsc_macros.cuh"

#endif
