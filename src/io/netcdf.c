/*
  NetCDF-4 files: dimensions and variables. What is in them is written as in every HDF5 file
*/
#include "hdf5library.h"
#include "netcdf.h"

typedef struct {
  size_t n;
  void  *values;
} PlexH5List; /* hvl_t */

/* A text that ends with a zero, which the dimension scales of HDF5 ask for */
static PetscErrorCode PlexNCSetName(PlexH5 *h, const char object[], const char name[], const char text[])
{
  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    const PlexH5Id type = PlexHDF5.H5Tcopy(*PlexHDF5.H5T_C_S1_g), space = PlexHDF5.H5Screate(PLEX_H5S_SCALAR);
    PlexH5Id       at, attribute;

    (void)PlexHDF5.H5Tset_size(type, strlen(text) + 1);
    at        = PlexHDF5.H5Oopen(h->file, object, PLEX_H5P_DEFAULT);
    attribute = at >= 0 ? PlexHDF5.H5Acreate2(at, name, type, space, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT) : -1;
    h->good   = (PetscBool)(attribute >= 0 && PlexHDF5.H5Awrite(attribute, type, text) >= 0);
    if (attribute >= 0) (void)PlexHDF5.H5Aclose(attribute);
    if (at >= 0) (void)PlexHDF5.H5Oclose(at);
    (void)PlexHDF5.H5Sclose(space);
    (void)PlexHDF5.H5Tclose(type);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexNCSetDimension(PlexH5 *h, PlexNCDimension d, const char label[])
{
  PetscFunctionBegin;
  PetscCall(PlexNCSetName(h, d.name, "CLASS", "DIMENSION_SCALE"));
  PetscCall(PlexNCSetName(h, d.name, "NAME", label));
  PetscCall(PlexH5SetNumbers(h, d.name, "_Netcdf4Dimid", PLEX_H5_INT, 0, &d.number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNCCreateDimension(PlexH5 *h, PlexNCDimension d, PetscInt64 size)
{
  char label[128];

  PetscFunctionBegin;
  PetscCall(PlexH5CreateArray(h, d.name, PLEX_H5_INT, size, 0, NULL, PETSC_FALSE));
  PetscCall(PetscSNPrintf(label, sizeof(label), "This is a netCDF dimension but not a netCDF variable.%10d",
                          (int)size));
  PetscCall(PlexNCSetDimension(h, d, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNCCreateGrowing(PlexH5 *h, PlexNCDimension d)
{
  PetscFunctionBegin;
  PetscCall(PlexH5CreateArray(h, d.name, PLEX_H5_DOUBLE, 0, 0, NULL, PETSC_TRUE));
  PetscCall(PlexNCSetDimension(h, d, d.name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Attribute DIMENSION_LIST: a list of references to scales for each dimension */
static PetscBool PlexNCAttach(PlexH5Id file, const char name[], PetscInt n, const PlexNCDimension dimensions[])
{
  const PlexH5Size size = (PlexH5Size)n;
  const PlexH5Id type   = PlexHDF5.H5Tvlen_create(*PlexHDF5.H5T_STD_REF_OBJ_g),
                 space = PlexHDF5.H5Screate_simple(1, &size, NULL), at = PlexHDF5.H5Oopen(file, name, PLEX_H5P_DEFAULT);
  uint64_t       to[PLEX_NC_DIMENSIONS];
  PlexH5List     lists[PLEX_NC_DIMENSIONS];
  PlexH5Id       attribute;
  PetscBool      good = PETSC_TRUE;

  for (PetscInt k = 0; k < n; ++k) {
    lists[k].n      = 1;
    lists[k].values = &to[k];
    if (PlexHDF5.H5Rcreate(&to[k], file, dimensions[k].name, PLEX_H5R_OBJECT, -1) < 0) good = PETSC_FALSE;
  }
  attribute = PlexHDF5.H5Acreate2(at, "DIMENSION_LIST", type, space, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT);
  good      = (PetscBool)(good && attribute >= 0 && PlexHDF5.H5Awrite(attribute, type, lists) >= 0);
  if (attribute >= 0) (void)PlexHDF5.H5Aclose(attribute);
  (void)PlexHDF5.H5Oclose(at);
  (void)PlexHDF5.H5Sclose(space);
  (void)PlexHDF5.H5Tclose(type);
  return good;
}

PetscErrorCode PlexNCCreateVariable(PlexH5 *h, const char name[], PlexH5Type type, PetscInt n,
                                    const PlexNCDimension dimensions[], const PetscInt64 size[])
{
  PetscInt columns[PLEX_NC_DIMENSIONS];
  int      numbers[PLEX_NC_DIMENSIONS];

  PetscFunctionBegin;
  PetscCheck(n <= PLEX_NC_DIMENSIONS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " dimensions", n);
  if (!n) {
    PetscCall(PlexH5CreateNumber(h, name, type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < n; ++k) {
    columns[k] = (PetscInt)size[k];
    numbers[k] = dimensions[k].number;
  }
  PetscCall(PlexH5CreateArray(h, name, type, size[0], n - 1, columns + 1, (PetscBool)!size[0]));
  PetscCall(PlexH5SetNumbers(h, name, "_Netcdf4Coordinates", PLEX_H5_INT, n, numbers));
  if (h->file >= 0 && h->good) h->good = PlexNCAttach(h->file, name, n, dimensions);
  PetscFunctionReturn(PETSC_SUCCESS);
}
