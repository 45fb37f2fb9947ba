/*
  Loads HDF5: the library that the environment variable PLEXGPU_HDF5 names, else PETSc's own, of whichever name, if PETSc
  has one, else the system's. Its symbols are not visible to others, so a program may have another HDF5, as Python's h5py
  does.
*/
#define _GNU_SOURCE
#include "hdf5library.h"
#include <dlfcn.h>

#if PetscDefined(HAVE_HDF5)
  #include <hdf5.h>
  /* Its constants H5F_ACC_TRUNC, ... start it and look at its version */
  #undef H5OPEN
  #undef H5CHECK
  #define H5OPEN
  #define H5CHECK
_Static_assert(sizeof(hid_t) == sizeof(PlexH5Id) && sizeof(hsize_t) == sizeof(PlexH5Size), "as HDF5 has them");
_Static_assert(sizeof(herr_t) == sizeof(int) && sizeof(htri_t) == sizeof(int), "as HDF5 has them");
_Static_assert(sizeof(H5T_class_t) == sizeof(int) && sizeof(hssize_t) == sizeof(int64_t), "as HDF5 has them");
_Static_assert(PLEX_H5E_DEFAULT == H5E_DEFAULT && PLEX_H5P_DEFAULT == H5P_DEFAULT, "as HDF5 has them");
_Static_assert(PLEX_H5F_ACC_RDONLY == H5F_ACC_RDONLY && PLEX_H5F_ACC_RDWR == H5F_ACC_RDWR, "as HDF5 has them");
_Static_assert(PLEX_H5F_ACC_TRUNC == H5F_ACC_TRUNC && PLEX_H5S_UNLIMITED == H5S_UNLIMITED, "as HDF5 has them");
_Static_assert(PLEX_H5S_SCALAR == (int)H5S_SCALAR && PLEX_H5S_SELECT_SET == (int)H5S_SELECT_SET, "as HDF5 has them");
_Static_assert(PLEX_H5T_STRING == (int)H5T_STRING && PLEX_H5T_STR_NULLPAD == (int)H5T_STR_NULLPAD, "as HDF5 has them");
  #ifdef H5_HAVE_PARALLEL
_Static_assert(PLEX_H5FD_COLLECTIVE == (int)H5FD_MPIO_COLLECTIVE, "as HDF5 has it");
  #endif
_Static_assert(PLEX_H5R_OBJECT == (int)H5R_OBJECT && sizeof(hobj_ref_t) == sizeof(uint64_t), "as HDF5 has them");
#endif

PlexHDF5Library PlexHDF5;

/* HDF5 for several processes calls an MPI: whether that is the one of PETSc */
static PetscBool PlexHDF5HasOtherMPI(void *library)
{
  int (*version)(char *, int *);
  char theirs[MPI_MAX_LIBRARY_VERSION_STRING], ours[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length;

  *(void **)&version = dlsym(library, "MPI_Get_library_version");
  if (!version) return PETSC_FALSE;
  return (PetscBool)(MPI_Get_library_version(ours, &length) || version(theirs, &length) || strcmp(ours, theirs));
}

/* Looks up functions and constants of a library. Whether all are there, and the version is one of those whose types
   these are */
static PetscBool PlexHDF5Find(void *library, char why[256])
{
  const char *missing = NULL;
  unsigned    version[3];

#define PLEX_HDF5_LOOK(name) *(void **)&PlexHDF5.name = dlsym(library, #name)
#define PLEX_HDF5_FIND_NUMBER(name) \
  PLEX_HDF5_LOOK(name); \
  if (!PlexHDF5.name) missing = #name;
#define PLEX_HDF5_FIND(result, name, parameters)   PLEX_HDF5_FIND_NUMBER(name)
#define PLEX_HDF5_LATER1(result, name, parameters) PLEX_HDF5_LOOK(name);
  PLEX_HDF5_FUNCTIONS(PLEX_HDF5_FIND)
  PLEX_HDF5_LATER(PLEX_HDF5_LATER1)
  PLEX_HDF5_NUMBERS(PLEX_HDF5_FIND_NUMBER)
#undef PLEX_HDF5_LOOK
#undef PLEX_HDF5_FIND_NUMBER
#undef PLEX_HDF5_FIND
#undef PLEX_HDF5_LATER1
  if (missing) (void)snprintf(why, 256, "it has no %s", missing);
  else if (PlexHDF5HasOtherMPI(library)) (void)snprintf(why, 256, "it is of another MPI than PETSc");
  else if (PlexHDF5.H5open() < 0 || PlexHDF5.H5get_libversion(&version[0], &version[1], &version[2]) < 0)
    (void)snprintf(why, 256, "it does not start");
  else if (version[0] < 1 || version[0] > 2 || (version[0] == 1 && version[1] < 10))
    (void)snprintf(why, 256, "it is of version %u.%u, and PlexGPU knows 1.10 to 2", version[0], version[1]);
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

/* A library by name. Its own calls must not end in another HDF5 that a program has made visible to all. Whether it
   serves */
static PetscBool PlexHDF5Try(const char name[], char why[256])
{
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | (dlsym(RTLD_DEFAULT, "H5open") ? RTLD_DEEPBIND : 0));

  if (!library) {
    (void)snprintf(why, 256, "%s", dlerror());
    return PETSC_FALSE;
  }
  if (PlexHDF5Find(library, why)) return PETSC_TRUE;
  (void)dlclose(library);
  return PETSC_FALSE;
}

/* The system's library: as linkers name it, and its versions 1.10, 1.12 and 1.14 as Debian and others do. Whether there
   is one that serves */
static PetscBool PlexHDF5OfSystem(char why[256])
{
  static const char *const names[]    = {"libhdf5.so",
                                         "libhdf5_serial.so",
                                         "libhdf5_openmpi.so",
                                         "libhdf5_mpich.so",
                                         "libhdf5.so.103",
                                         "libhdf5.so.200",
                                         "libhdf5.so.310",
                                         "libhdf5.so.320",
                                         "libhdf5_serial.so.103",
                                         "libhdf5_serial.so.310",
                                         "libhdf5_openmpi.so.103",
                                         "libhdf5_openmpi.so.310"};
  char                     first[256] = "";

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k) {
    if (PlexHDF5Try(names[k], why)) return PETSC_TRUE;
    if (!k) (void)strcpy(first, why);
  }
  (void)strcpy(why, first);
  return PETSC_FALSE;
}

PetscErrorCode PlexHDF5Load(const char **why)
{
  static PetscBool tried = PETSC_FALSE;
  static char      reason[512];
  const char      *named = getenv("PLEXGPU_HDF5");
  char             text[256];

  PetscFunctionBegin;
  if (!tried) {
    void     *library = named && *named ? NULL : PlexHDF5OfPETSc();
    PetscBool good;

    tried = PETSC_TRUE;
    if (named && *named) {
      good = PlexHDF5Try(named, text);
      if (!good) PetscCall(PetscSNPrintf(reason, sizeof(reason), "of PLEXGPU_HDF5=%s: %s", named, text));
    } else if (library) {
      good = PlexHDF5Find(library, text);
      if (!good) PetscCall(PetscSNPrintf(reason, sizeof(reason), "of PETSc's: %s", text));
    } else {
      good = PlexHDF5OfSystem(text);
      if (!good) PetscCall(PetscSNPrintf(reason, sizeof(reason), "PETSc was configured without it, and %s", text));
    }
    if (good) reason[0] = 0;
  }
  *why = reason[0] ? reason : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
