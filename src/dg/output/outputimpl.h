/* Files of nodal DG operators: shared by the files of src/dg/output/ */
#pragma once

#include "../interface/dgimpl.h"
#include "../../io/hdf5file.h"
#include "../../io/vtk.h"

/* keys[Ne]: a number of each element that depends only on the positions of its vertices: the same on any number of
   processes */
PETSC_INTERN PetscErrorCode PlexDGGetKeys_Private(PlexDG, PetscInt64 keys[]);
/* keys[n] of elements with the vertices x[n][nv][dim], in whatever order */
PETSC_INTERN void PlexDGComputeKeys_Private(PetscInt dim, PetscInt nv, PetscInt n, const PetscReal x[],
                                            PetscInt64 keys[]);
/* The file `part` gets its name; checkpoint.c */
PETSC_INTERN PetscErrorCode PlexDGRename_Private(MPI_Comm, const char part[], const char file[]);
/* The file of PlexDGMonitorExtrema(); extremafile.c */
PETSC_INTERN PetscErrorCode PlexDGWriteExtrema_Private(PlexDG, TS, const char file[], PetscInt step, PetscReal t);
/* Monitors that options ask for; monitors.c */
PETSC_INTERN PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG, TS);
