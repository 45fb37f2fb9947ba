/* HDF5 as it is loaded when a file of it is written or read, with symbols of its own: PlexGPU is not linked with it */
#pragma once

#include "hdf5file.h"
#include <hdf5.h>

/* Its constants H5F_ACC_TRUNC, ... start it and look at its version, which PlexHDF5Load() does */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

/* clang-format off */
#define PLEX_HDF5_FUNCTIONS(X) \
  X(H5open) X(H5get_libversion) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Pcreate) X(H5Pclose) X(H5Pset_chunk) \
  X(H5Pset_file_locking) X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Gcreate2) X(H5Gclose) X(H5Lexists) X(H5Oopen) \
  X(H5Oclose) X(H5Tcopy) X(H5Tclose) X(H5Tset_size) X(H5Tget_size) X(H5Tset_strpad) X(H5Tget_class) X(H5Screate) \
  X(H5Screate_simple) X(H5Sclose) X(H5Sget_simple_extent_npoints) X(H5Sget_simple_extent_ndims) \
  X(H5Sget_simple_extent_dims) X(H5Sselect_hyperslab) X(H5Acreate2) X(H5Aopen_by_name) X(H5Aclose) X(H5Adelete) \
  X(H5Aexists) X(H5Aexists_by_name) X(H5Aget_space) X(H5Aget_type) X(H5Aread) X(H5Awrite) X(H5Dcreate2) \
  X(H5Dopen2) X(H5Dclose) X(H5Dget_space) X(H5Dset_extent) X(H5Dread) X(H5Dwrite)
/* clang-format on */

/* What HDF5's macros H5T_NATIVE_DOUBLE, ..., read */
#define PLEX_HDF5_NUMBERS(X) \
  X(H5T_NATIVE_DOUBLE_g) \
  X(H5T_NATIVE_INT_g) \
  X(H5T_NATIVE_LLONG_g) X(H5T_NATIVE_UCHAR_g) X(H5T_C_S1_g) X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)

typedef struct {
#define PLEX_HDF5_FUNCTION(name) __typeof__(name) *name;
#define PLEX_HDF5_NUMBER(name)   hid_t *name;
  PLEX_HDF5_FUNCTIONS(PLEX_HDF5_FUNCTION)
  PLEX_HDF5_NUMBERS(PLEX_HDF5_NUMBER)
#undef PLEX_HDF5_FUNCTION
#undef PLEX_HDF5_NUMBER
} PlexHDF5Library;
PETSC_INTERN PlexHDF5Library PlexHDF5;

/* Loads it with the first call; *why is NULL, or says why that does not work */
PETSC_INTERN PetscErrorCode PlexHDF5Load(const char **why);
