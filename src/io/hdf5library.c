/* Loads HDF5: PETSc's own library, of whichever name, if PETSc has one. Its symbols are not visible to others, so a
   program may have another HDF5, as Python's h5py does. */
#define _GNU_SOURCE
#include "hdf5library.h"
#include <dlfcn.h>

PlexHDF5Library PlexHDF5;

/* Looks up functions and constants of a library. Whether all are there, and the version is the one that this was
   compiled for */
static PetscBool PlexHDF5Find(void *library, char why[256])
{
  const char *missing = NULL;
  unsigned    version[3];

#define PLEX_HDF5_FIND(name) \
  *(void **)&PlexHDF5.name = dlsym(library, #name); \
  if (!PlexHDF5.name) missing = #name;
  PLEX_HDF5_FUNCTIONS(PLEX_HDF5_FIND)
  PLEX_HDF5_NUMBERS(PLEX_HDF5_FIND)
#undef PLEX_HDF5_FIND
  if (missing) (void)snprintf(why, 256, "it has no %s", missing);
  else if (PlexHDF5.H5open() < 0 || PlexHDF5.H5get_libversion(&version[0], &version[1], &version[2]) < 0)
    (void)snprintf(why, 256, "it does not start");
  else if (version[0] != H5_VERS_MAJOR || version[1] != H5_VERS_MINOR)
    (void)snprintf(why, 256, "it is of version %u.%u, and PlexGPU was compiled for %d.%d", version[0], version[1],
                   H5_VERS_MAJOR, H5_VERS_MINOR);
  else return PETSC_TRUE;
  return PETSC_FALSE;
}

/* PETSc's library with what it is linked with, or NULL */
static void *PlexHDF5OfPETSc(void)
{
  void   *library = NULL;
  Dl_info info;

  if (dladdr((void *)PetscInitialize, &info) && info.dli_fname)
    library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library && dlsym(library, "H5open")) return library;
  if (library) (void)dlclose(library);
  return NULL;
}

PetscErrorCode PlexHDF5Load(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[256];

  PetscFunctionBegin;
  if (!tried) {
    void *library = PlexHDF5OfPETSc();

    tried = PETSC_TRUE;
    /* Its own calls must not end in another HDF5 that a program has made visible to all */
    if (!library)
      library = dlopen("libhdf5.so", RTLD_NOW | RTLD_LOCAL | (dlsym(RTLD_DEFAULT, "H5open") ? RTLD_DEEPBIND : 0));
    if (!library)
      PetscCall(PetscSNPrintf(reason, sizeof(reason), "PETSc was configured without it, and %s", dlerror()));
    else if (PlexHDF5Find(library, reason)) reason[0] = 0;
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
