/*
  HDF5 as it is loaded when a file of it is written or read: PlexGPU is neither compiled nor linked with it.

  These are the functions that are used, with the types that they have in all versions from 1.10 on; numbers of types,
  spaces and properties have 64 bits since then. Where PETSc has HDF5, hdf5library.c compares the constants with those
  of hdf5.h.
*/
#pragma once

#include "hdf5file.h"

typedef int64_t            PlexH5Id;                  /* hid_t */
typedef unsigned long long PlexH5Size;                /* hsize_t */
typedef int (*PlexH5Handler)(PlexH5Id stack, void *); /* H5E_auto2_t */

#define PLEX_H5E_DEFAULT     ((PlexH5Id)0)
#define PLEX_H5P_DEFAULT     ((PlexH5Id)0)
#define PLEX_H5F_ACC_RDONLY  0u
#define PLEX_H5F_ACC_RDWR    1u
#define PLEX_H5F_ACC_TRUNC   2u
#define PLEX_H5S_SCALAR      0
#define PLEX_H5S_SELECT_SET  0
#define PLEX_H5S_UNLIMITED   (~(PlexH5Size)0)
#define PLEX_H5T_STRING      3
#define PLEX_H5T_STR_NULLPAD 1
#define PLEX_H5R_OBJECT      0
#define PLEX_H5FD_COLLECTIVE 1

/* clang-format off */
/* X(what it returns, name, parameters) */
#define PLEX_HDF5_FUNCTIONS(X) \
  X(int, H5open, (void)) \
  X(int, H5get_libversion, (unsigned *major, unsigned *minor, unsigned *release)) \
  X(int, H5Eget_auto2, (PlexH5Id, PlexH5Handler *, void **)) \
  X(int, H5Eset_auto2, (PlexH5Id, PlexH5Handler, void *)) \
  X(PlexH5Id, H5Pcreate, (PlexH5Id of)) \
  X(int, H5Pclose, (PlexH5Id)) \
  X(int, H5Pset_chunk, (PlexH5Id, int rank, const PlexH5Size size[])) \
  X(PlexH5Id, H5Fcreate, (const char path[], unsigned flags, PlexH5Id, PlexH5Id access)) \
  X(PlexH5Id, H5Fopen, (const char path[], unsigned flags, PlexH5Id access)) \
  X(int, H5Fclose, (PlexH5Id)) \
  X(PlexH5Id, H5Gcreate2, (PlexH5Id, const char name[], PlexH5Id, PlexH5Id, PlexH5Id)) \
  X(int, H5Gclose, (PlexH5Id)) \
  X(int, H5Lexists, (PlexH5Id, const char name[], PlexH5Id)) \
  X(PlexH5Id, H5Oopen, (PlexH5Id, const char name[], PlexH5Id)) \
  X(int, H5Oclose, (PlexH5Id)) \
  X(PlexH5Id, H5Tcopy, (PlexH5Id)) \
  X(int, H5Tclose, (PlexH5Id)) \
  X(int, H5Tset_size, (PlexH5Id, size_t)) \
  X(size_t, H5Tget_size, (PlexH5Id)) \
  X(int, H5Tset_strpad, (PlexH5Id, int)) \
  X(int, H5Tget_class, (PlexH5Id)) \
  X(PlexH5Id, H5Tvlen_create, (PlexH5Id)) \
  X(int, H5Rcreate, (void *, PlexH5Id, const char name[], int type, PlexH5Id space)) \
  X(PlexH5Id, H5Screate, (int)) \
  X(PlexH5Id, H5Screate_simple, (int rank, const PlexH5Size size[], const PlexH5Size most[])) \
  X(int, H5Sclose, (PlexH5Id)) \
  X(int64_t, H5Sget_simple_extent_npoints, (PlexH5Id)) \
  X(int, H5Sget_simple_extent_ndims, (PlexH5Id)) \
  X(int, H5Sget_simple_extent_dims, (PlexH5Id, PlexH5Size size[], PlexH5Size most[])) \
  X(int, H5Sselect_none, (PlexH5Id)) \
  X(int, H5Sselect_hyperslab, (PlexH5Id, int, const PlexH5Size start[], const PlexH5Size stride[], \
                               const PlexH5Size count[], const PlexH5Size block[])) \
  X(PlexH5Id, H5Acreate2, (PlexH5Id, const char name[], PlexH5Id type, PlexH5Id space, PlexH5Id, PlexH5Id)) \
  X(PlexH5Id, H5Aopen_by_name, (PlexH5Id, const char object[], const char name[], PlexH5Id, PlexH5Id)) \
  X(int, H5Aclose, (PlexH5Id)) \
  X(int, H5Adelete, (PlexH5Id, const char name[])) \
  X(int, H5Aexists, (PlexH5Id, const char name[])) \
  X(int, H5Aexists_by_name, (PlexH5Id, const char object[], const char name[], PlexH5Id)) \
  X(PlexH5Id, H5Aget_space, (PlexH5Id)) \
  X(PlexH5Id, H5Aget_type, (PlexH5Id)) \
  X(int, H5Aread, (PlexH5Id, PlexH5Id type, void *)) \
  X(int, H5Awrite, (PlexH5Id, PlexH5Id type, const void *)) \
  X(PlexH5Id, H5Dcreate2, (PlexH5Id, const char name[], PlexH5Id type, PlexH5Id space, PlexH5Id, PlexH5Id, PlexH5Id)) \
  X(PlexH5Id, H5Dopen2, (PlexH5Id, const char name[], PlexH5Id)) \
  X(int, H5Dclose, (PlexH5Id)) \
  X(PlexH5Id, H5Dget_space, (PlexH5Id)) \
  X(int, H5Dset_extent, (PlexH5Id, const PlexH5Size size[])) \
  X(int, H5Dread, (PlexH5Id, PlexH5Id type, PlexH5Id here, PlexH5Id there, PlexH5Id, void *)) \
  X(int, H5Dwrite, (PlexH5Id, PlexH5Id type, PlexH5Id here, PlexH5Id there, PlexH5Id, const void *))
/* of 1.10.7 and 1.12.1 on; else NULL */
#define PLEX_HDF5_LATER(X) \
  X(int, H5Pset_file_locking, (PlexH5Id, int use, int ignore)) \
  /* of a library for several processes */ \
  X(int, H5Pset_fapl_mpio, (PlexH5Id, MPI_Comm, MPI_Info)) \
  X(int, H5Pset_dxpl_mpio, (PlexH5Id, int))
/* What HDF5's macros H5T_NATIVE_DOUBLE, ..., read */
#define PLEX_HDF5_NUMBERS(X) \
  X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT_g) X(H5T_NATIVE_LLONG_g) X(H5T_NATIVE_UCHAR_g) X(H5T_C_S1_g) \
  X(H5T_STD_REF_OBJ_g) \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_DATASET_XFER_ID_g)
/* clang-format on */

typedef struct {
#define PLEX_HDF5_FUNCTION(result, name, parameters) result(*name) parameters;
#define PLEX_HDF5_NUMBER(name)                       PlexH5Id *name;
  PLEX_HDF5_FUNCTIONS(PLEX_HDF5_FUNCTION)
  PLEX_HDF5_LATER(PLEX_HDF5_FUNCTION)
  PLEX_HDF5_NUMBERS(PLEX_HDF5_NUMBER)
#undef PLEX_HDF5_FUNCTION
#undef PLEX_HDF5_NUMBER
} PlexHDF5Library;
PETSC_INTERN PlexHDF5Library PlexHDF5;

/* Loads it with the first call; *why is NULL, or says why that does not work */
PETSC_INTERN PetscErrorCode PlexHDF5Load(const char **why);
