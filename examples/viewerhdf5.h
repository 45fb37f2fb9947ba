/* PETSc's viewer of HDF5 files; of a PETSc without HDF5, an error that says how to get it */
#ifndef PLEX_VIEWERHDF5_H
#define PLEX_VIEWERHDF5_H

#include <petscviewer.h>

#if PetscDefined(HAVE_HDF5)
  #include <petscviewerhdf5.h>
#else
static inline PetscErrorCode PetscViewerHDF5Open(MPI_Comm comm, const char name[], PetscFileMode mode,
                                                 PetscViewer *viewer)
{
  PetscFunctionBegin;
  (void)mode;
  *viewer = NULL;
  SETERRQ(comm, PETSC_ERR_SUP,
          "File %s cannot be written: this PETSc was built without HDF5; configure it with "
          "--download-hdf5",
          name);
}

static inline PetscErrorCode PetscViewerHDF5PushGroup(PetscViewer viewer, const char group[])
{
  (void)viewer;
  (void)group;
  return PETSC_ERR_SUP;
}

static inline PetscErrorCode PetscViewerHDF5PopGroup(PetscViewer viewer)
{
  (void)viewer;
  return PETSC_ERR_SUP;
}
#endif

#endif
