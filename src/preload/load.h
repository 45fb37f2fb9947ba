/*
  How the small libraries bring in the large one: libplexgpu.so.0, from the folder that they are in, with RTLD_LOCAL.
  They are linked with nothing but the C library. PETSc and LD_PRELOAD make all that a library is linked with visible to
  the whole process: that is then no PETSc and no HDF5, and a Python that has PETSc and another HDF5, as h5py brings it,
  keeps them apart.

  None of PETSc's functions or macros are used here, as PETSc's own library need not be visible.
*/
#pragma once

#if !defined(_GNU_SOURCE)
  #define _GNU_SOURCE
#endif
#include <petscsys.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library beside this one: where this one is, or where that leads as a link */
static inline void *PlexLoadBeside(const char path[])
{
  const char *slash = path ? strrchr(path, '/') : NULL;
  char        file[2 * PATH_MAX];

  (void)snprintf(file, sizeof(file), "%.*s%s", slash ? (int)(slash - path + 1) : 0, path ? path : "", PLEXGPU_SONAME);
  return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

/* NULL, with a line that says why, where it cannot be loaded */
static inline void *PlexLoad(void)
{
  static void *library = NULL;
  char         path[PATH_MAX], why[1024] = "";
  Dl_info      info;

  if (library) return library;
  library = dlopen(PLEXGPU_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); /* a program that is linked with it */
  if (!library && dladdr((void *)&PlexLoad, &info) && info.dli_fname) {
    library = PlexLoadBeside(info.dli_fname);
    if (!library) (void)snprintf(why, sizeof(why), "%s", dlerror());
    if (!library && realpath(info.dli_fname, path)) library = PlexLoadBeside(path);
  }
  if (!library)
    (void)
      fprintf(stderr, "PlexGPU: %s cannot be loaded (%s): %s\n", PLEXGPU_SONAME, why,
              strstr(why, "undefined symbol")
                ? "the program's PETSc lacks what the one has that PlexGPU was compiled for; compile PlexGPU with the "
                  "program's, make PETSC_DIR=... PETSC_ARCH=..."
                : "it has to be in the folder of libplexgpu.so, and PETSc's library where the loader looks");
  return library;
}
