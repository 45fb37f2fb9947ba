/* Device sources of benchmarks, which are not among the library's */
#pragma once

#include <petscsys.h>

/* The path of a file in benchmarks/, below the present folder as where `make` runs programs, else in the checkout that
   they were built in */
static inline PetscErrorCode BenchDeviceSource(const char file[], char path[PETSC_MAX_PATH_LEN])
{
  static const char *const folders[] = {"benchmarks", PLEXGPU_EXAMPLES_DIR "/../benchmarks"};
  PetscBool                found     = PETSC_FALSE;

  PetscFunctionBegin;
  for (int k = 0; k < 2 && !found; ++k) {
    char relative[PETSC_MAX_PATH_LEN];

    PetscCall(PetscSNPrintf(relative, sizeof(relative), "%s/%s", folders[k], file));
    PetscCall(PetscTestFile(relative, 'r', &found));
    if (found) PetscCall(PetscGetRealPath(relative, path));
  }
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "There is no benchmarks/%s here nor in %s: run this in the folder that has benchmarks/", file, folders[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
