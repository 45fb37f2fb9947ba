/* What hdf5file.c and hdf5parallel.c share */
#pragma once

#include "hdf5library.h"

/* hdf5file.c. OpenFile: on the first process alone, or by MPI-IO on all, comm MPI_COMM_NULL: that one; -1: it cannot be
   opened. Quiet: HDF5 prints no errors. OpenArray: its sizes and bytes of a row; -1: there is none. Transfer: n rows from
   row `first` on, how: H5P_DEFAULT, or a list of properties with which processes do it together, where n may be 0 */
PETSC_INTERN PlexH5Id  PlexH5OpenFile_Private(const char path[], PlexH5Mode, MPI_Comm);
PETSC_INTERN PlexH5Id  PlexH5OpenArray_Private(PlexH5Id file, const char name[], PlexH5Type, int *rank,
                                               PlexH5Size size[], size_t *row);
PETSC_INTERN PetscBool PlexH5Transfer_Private(PlexH5Id set, PlexH5Type, int rank, const PlexH5Size size[],
                                              PetscInt64 first, PetscInt64 n, PetscBool write, PlexH5Id how,
                                              void *values);

/* hdf5parallel.c. Begin: whether arrays can be moved that way, `parallel` of a file. Is: these rows are. Move: starts[] as
   PlexH5Move(); *done false: the file was not opened so, nothing has happened, and nothing will be tried again */
PETSC_INTERN PetscErrorCode PlexH5ParallelBegin_Private(PlexH5 *);
PETSC_INTERN PetscBool      PlexH5ParallelIs_Private(const PlexH5 *, const PetscInt64 starts[], size_t row);
PETSC_INTERN PetscErrorCode PlexH5ParallelMove_Private(PlexH5 *, const char name[], PlexH5Type,
                                                       const PetscInt64 starts[], PetscBool write, char *values,
                                                       PetscBool *done);
