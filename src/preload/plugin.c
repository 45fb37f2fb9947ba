/*
  libplexgpu.so as PETSc loads it with -dll_append. PETSc makes the symbols of such a library, and of all that it is
  linked with, visible to the whole process: this one is linked with nothing. Programs that call PlexGPU are linked with
  libplexgpu.so.0 itself.
*/
#include "load.h"

/* Called by PETSc when the library is named with -dll_append, which asks for it to be used */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_plexgpu(void)
{
  PetscErrorCode (*start)(void) = NULL;
  void *library                 = PlexLoad();

  if (library) *(void **)&start = dlsym(library, "PetscDLLibraryRegister_plexgpu");
  return start ? (*start)() : PETSC_ERR_LIB;
}
