/* NetCDF-4 files, which are HDF5 files with dimensions: https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html

   A dimension is a dimension scale of HDF5 (attributes CLASS and NAME) with its number, _Netcdf4Dimid; a variable names
   its dimensions twice, by numbers in _Netcdf4Coordinates, which the NetCDF library reads from 4.7 on, and by references
   in DIMENSION_LIST, which all others read. Texts have a fixed length. */
#pragma once

#include "hdf5file.h"

#define PLEX_NC_DIMENSIONS 3 /* of a variable, at most */

/* A dimension: its name and number. `number` is that of its order in the file, from 0 on */
typedef struct {
  const char *name;
  int         number;
} PlexNCDimension;

/* A dimension of so many entries, without a variable of its name */
PETSC_INTERN PetscErrorCode PlexNCCreateDimension(PlexH5 *, PlexNCDimension, PetscInt64 size);
/* One that grows, and is a variable of doubles, too */
PETSC_INTERN PetscErrorCode PlexNCCreateGrowing(PlexH5 *, PlexNCDimension);
/* A variable of n >= 0 dimensions with so many entries; size[0] may be 0, where dimension 0 grows */
PETSC_INTERN PetscErrorCode PlexNCCreateVariable(PlexH5 *, const char name[], PlexH5Type, PetscInt n,
                                                 const PlexNCDimension dimensions[], const PetscInt64 size[]);
