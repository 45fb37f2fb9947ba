/*
  Whether the PETSc of the program is the one that PlexGPU was compiled for.

  A program that is linked with a PETSc of its own, and loads a library that was compiled for another one, would read
  numbers of another length, and structs of another layout: the minor version, the length of indices and the scalars have
  to be the same. What else differs, as CUDA, is missed by the loader, which finds no such symbol (preload/load.h).
*/
#include "util/samepetsc.h"

/* An error where they differ. Nothing is passed to PETSc, or taken from it, whose length is that of PetscInt. */
PetscErrorCode PlexSamePETSc_Private(void)
{
  union /* PETSc writes 4 or 8 bytes; the first 4 have the number */
  {
    PetscInt64 room;
    PetscInt   written;
    PetscInt32 number;
  } major = {.room = 0}, minor = {.room = 0};
  PetscDataType scalar = PETSC_DATATYPE_UNKNOWN;
  PetscBool     known;
  size_t        bytes;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major.written, &minor.written, NULL, NULL));
  PetscCheck(major.number == PETSC_VERSION_MAJOR && minor.number == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This program runs with PETSc %d.%d, and PlexGPU was compiled for %d.%d: compile it with the program's, "
             "make PETSC_DIR=... PETSC_ARCH=...",
             (int)major.number, (int)minor.number, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR);
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &bytes));
  PetscCheck(bytes == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This program runs with a PETSc whose indices have %d bits, and PlexGPU was compiled for one with %d: "
             "compile it with the program's, make PETSC_DIR=... PETSC_ARCH=...",
             (int)(8 * bytes), (int)(8 * sizeof(PetscInt)));
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &known));
  PetscCheck(known && scalar == PETSC_SCALAR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This program runs with a PETSc of %s scalars, and PlexGPU was compiled for %s ones: compile it with the "
             "program's, make PETSC_DIR=... PETSC_ARCH=...",
             scalar == PETSC_COMPLEX ? "complex" : "real", PetscDefined(USE_COMPLEX) ? "complex" : "real");
  PetscFunctionReturn(PETSC_SUCCESS);
}
