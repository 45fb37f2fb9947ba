/*
  Rasters: numbers at the points of a grid whose lines are parallel to the axes, read from HDF5 files, and thereby from
  those of NetCDF 4
*/
#include <plexgpugeo.h> /*I "plexgpugeo.h" I*/
#include "../io/hdf5file.h"
#include <petsc/private/petscimpl.h> /* PetscAssertPointer() */

struct _n_PlexRaster {
  char       path[PETSC_MAX_PATH_LEN];
  PetscInt   n[2];    /* points along x and y */
  PetscReal *axis[2]; /* [n] where they are, ascending or descending */
  PetscReal *values;  /* [n[1]][n[0]]; NaN: missing */
};

/* A number that an array of the file has as an attribute, in `value`, which else stays as it is */
static PetscErrorCode PlexRasterGetNumber(PlexH5 *h, const char array[], const char name[], PetscReal *value)
{
  PetscBool there;

  PetscFunctionBegin;
  PetscCall(PlexH5HasAttribute(h, array, name, &there));
  if (there) PetscCall(PlexH5GetNumbers(h, array, name, PLEX_H5_DOUBLE, 0, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows of an array, of n numbers in all, on all processes; the caller frees them */
static PetscErrorCode PlexRasterReadArray(PlexH5 *h, const char array[], PetscInt64 rows, PetscInt64 n,
                                          PetscReal **values)
{
  PetscFunctionBegin;
  PetscCheck(n < PETSC_INT_MAX, h->comm, PETSC_ERR_SUP,
             "Array %s of %s has %" PetscInt64_FMT " numbers, and a raster has fewer than %" PetscInt_FMT
             ": cut out the part of the mesh",
             array, h->path, n, PETSC_INT_MAX);
  PetscCall(PetscMalloc1(n, values));
  PetscCall(PlexH5ReadRows(h, array, PLEX_H5_DOUBLE, 0, h->rank ? 0 : rows, *values));
  PetscCallMPI(MPI_Bcast(*values, (PetscMPIInt)n, MPIU_REAL, 0, h->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRasterReadAxis(PlexH5 *h, const char name[], const char values[], PetscInt64 points,
                                         PetscReal **axis)
{
  PetscInt64 size[PLEX_H5_RANK];
  PetscInt   rank;

  PetscFunctionBegin;
  PetscCall(PlexH5GetShape(h, name, &rank, size));
  PetscCheck(rank == 1 && size[0] == points, h->comm, PETSC_ERR_FILE_UNEXPECTED,
             "Array %s of %s has %" PetscInt_FMT " dimensions and %" PetscInt64_FMT
             " rows, and is to be one line of the grid of %s with %" PetscInt64_FMT " points: values are [y][x]",
             name, h->path, rank, size[0], values, points);
  PetscCheck(points > 1, h->comm, PETSC_ERR_FILE_UNEXPECTED,
             "Array %s of %s has %" PetscInt64_FMT " points: a raster needs two at least", name, h->path, points);
  PetscCall(PlexRasterReadArray(h, name, points, points, axis));
  for (PetscInt64 k = 1; k < points; ++k)
    PetscCheck(((*axis)[k] - (*axis)[k - 1]) * ((*axis)[points - 1] - (*axis)[0]) > 0., h->comm,
               PETSC_ERR_FILE_UNEXPECTED, "Array %s of %s neither ascends nor descends: %g comes after %g", name,
               h->path, (double)(*axis)[k], (double)(*axis)[k - 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As NetCDF packs numbers: missing ones have the value _FillValue, the others are scale_factor times what is there,
   plus add_offset */
static PetscErrorCode PlexRasterUnpack(PlexH5 *h, const char name[], PlexRaster raster)
{
  PetscReal missing = PETSC_MAX_REAL, scale = 1., offset = 0.;

  PetscFunctionBegin;
  PetscCall(PlexRasterGetNumber(h, name, "_FillValue", &missing));
  PetscCall(PlexRasterGetNumber(h, name, "scale_factor", &scale));
  PetscCall(PlexRasterGetNumber(h, name, "add_offset", &offset));
  for (PetscInt k = 0; k < raster->n[0] * raster->n[1]; ++k)
    raster->values[k] = raster->values[k] == missing ? NAN : scale * raster->values[k] + offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files of other formats, by their first bytes: what makes one that can be read of them */
static PetscErrorCode PlexRasterCheckFormat(MPI_Comm comm, const char path[])
{
  static const struct {
    const char *bytes;
    size_t      n;
    const char *format, *command;
  } others[] = {
    {"CDF\001", 4, "a classic NetCDF file", "nccopy -k nc4 %s new.nc"                           },
    {"CDF\002", 4, "a classic NetCDF file", "nccopy -k nc4 %s new.nc"                           },
    {"CDF\005", 4, "a classic NetCDF file", "nccopy -k nc4 %s new.nc"                           },
    {"II*\000", 4, "a TIFF file",           "gdal_translate -of netCDF -co FORMAT=NC4 %s new.nc"},
    {"MM\000*", 4, "a TIFF file",           "gdal_translate -of netCDF -co FORMAT=NC4 %s new.nc"},
    {"II+\000", 4, "a TIFF file",           "gdal_translate -of netCDF -co FORMAT=NC4 %s new.nc"},
    {"MM\000+", 4, "a TIFF file",           "gdal_translate -of netCDF -co FORMAT=NC4 %s new.nc"}
  };
  PetscMPIInt rank;
  int         found = -1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    FILE  *file     = fopen(path, "rb");
    char   bytes[4] = "";
    size_t n        = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

    if (file) (void)fclose(file);
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); ++k)
      if (n == others[k].n && !memcmp(bytes, others[k].bytes, n)) found = (int)k;
  }
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, comm));
  if (found >= 0) {
    char command[PETSC_MAX_PATH_LEN + 64];

    PetscCall(PetscSNPrintf(command, sizeof(command), others[found].command, path));
    SETERRQ(comm, PETSC_ERR_FILE_UNEXPECTED,
            "File %s is %s, and a raster is read from HDF5 or NetCDF 4: convert it, %s", path, others[found].format,
            command);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexRasterRead - Reads numbers on a grid from a file

  Collective

  Input Parameters:
+ comm - the processes, each of which gets all numbers
. path - an HDF5 file, as files of NetCDF 4 are, too
. name - of the array of numbers [y][x]
. x    - of the array of its x coordinates, ascending or descending
- y    - likewise of y

  Output Parameter:
. raster - the raster

  Level: intermediate

  Notes:
  NetCDF's attributes `_FillValue`, `scale_factor` and `add_offset` of the numbers are heeded.

  Other formats are converted first: a classic NetCDF file (`ncdump -k` says so) by `nccopy -k nc4 old.nc new.nc`, a
  GeoTIFF, or what else GDAL reads, by `gdal_translate -of netCDF -co FORMAT=NC4 old.tif new.nc`, whose array is then
  `Band1`, with axes `x` and `y`, or `lon` and `lat` in degrees.

.seealso: `PlexRaster`, `PlexRasterEvaluate()`, `PlexRasterDestroy()`
@*/
PetscErrorCode PlexRasterRead(MPI_Comm comm, const char path[], const char name[], const char x[], const char y[],
                              PlexRaster *raster)
{
  PetscInt64 size[PLEX_H5_RANK];
  PetscInt   rank;
  PlexH5     h;
  MPI_Comm   inner;

  PetscFunctionBegin;
  PetscAssertPointer(path, 2);
  PetscAssertPointer(name, 3);
  PetscAssertPointer(x, 4);
  PetscAssertPointer(y, 5);
  PetscAssertPointer(raster, 6);
  PetscCall(PetscCommDuplicate(comm, &inner, NULL)); /* messages need tags */
  PetscCall(PlexRasterCheckFormat(inner, path));
  PetscCall(PlexH5Open(inner, path, PLEX_H5_READ, &h));
  PetscCall(PlexH5GetShape(&h, name, &rank, size));
  PetscCheck(rank == 2, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Array %s of %s has %" PetscInt_FMT " dimensions, and a raster two, [y][x]: cut one time out of it", name,
             path, rank);
  PetscCall(PetscNew(raster));
  PetscCall(PetscStrncpy((*raster)->path, path, sizeof((*raster)->path)));
  PetscCall(PlexRasterReadAxis(&h, x, name, size[1], &(*raster)->axis[0]));
  PetscCall(PlexRasterReadAxis(&h, y, name, size[0], &(*raster)->axis[1]));
  PetscCall(PlexRasterReadArray(&h, name, size[0], size[0] * size[1], &(*raster)->values));
  (*raster)->n[0] = (PetscInt)size[1];
  (*raster)->n[1] = (PetscInt)size[0];
  PetscCall(PlexRasterUnpack(&h, name, *raster));
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscCommDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The interval of an axis that x is in, and where: x = (1 - t) axis[k] + t axis[k + 1]. false: x is outside */
static PetscBool PlexRasterLocate(PetscInt n, const PetscReal axis[], PetscReal x, PetscInt *k, PetscReal *t)
{
  const PetscBool ascends = (PetscBool)(axis[n - 1] > axis[0]);
  const PetscReal least = axis[ascends ? 0 : n - 1], largest = axis[ascends ? n - 1 : 0],
                  rest = 1e-12 * (largest - least);
  PetscInt        low = 0, high = n - 1;

  if (!(x >= least - rest && x <= largest + rest)) return PETSC_FALSE;
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;

    if ((x >= axis[middle]) == ascends) low = middle;
    else high = middle;
  }
  *k = low;
  *t = PetscMin(1., PetscMax(0., (x - axis[low]) / (axis[high] - axis[low])));
  return PETSC_TRUE;
}

/*@
  PlexRasterEvaluate - Interpolates a raster, bilinear between its points

  Not Collective

  Input Parameters:
+ raster - the raster
- x      - the point

  Output Parameter:
. value - the value there

  Level: intermediate

  Note:
  A point outside of the raster, or beside one of its points that has no value, is an error.

.seealso: `PlexRaster`, `PlexRasterRead()`
@*/
PetscErrorCode PlexRasterEvaluate(PlexRaster raster, const PetscReal x[], PetscReal *value)
{
  PetscInt  k[2] = {0, 0};
  PetscReal t[2] = {0., 0.};

  PetscFunctionBegin;
  PetscAssertPointer(raster, 1);
  PetscAssertPointer(x, 2);
  PetscAssertPointer(value, 3);
  for (int d = 0; d < 2; ++d)
    PetscCheck(PlexRasterLocate(raster->n[d], raster->axis[d], x[d], &k[d], &t[d]), PETSC_COMM_SELF,
               PETSC_ERR_ARG_OUTOFRANGE,
               "Point (%g, %g) is outside of the raster of %s, whose %s goes from %g to %g: a raster has to cover all "
               "of the mesh",
               (double)x[0], (double)x[1], raster->path, d ? "y" : "x", (double)raster->axis[d][0],
               (double)raster->axis[d][raster->n[d] - 1]);
  *value = 0.;
  for (int c = 0; c < 4; ++c) {
    const PetscReal weight = (c % 2 ? t[0] : 1. - t[0]) * (c / 2 ? t[1] : 1. - t[1]),
                    at     = raster->values[(k[1] + c / 2) * raster->n[0] + k[0] + c % 2];

    if (weight == 0.) continue;
    PetscCheck(!PetscIsNanReal(at), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The raster of %s has no value at (%g, %g), which point (%g, %g) needs: fill such points in, or leave "
               "them out of the mesh",
               raster->path, (double)raster->axis[0][k[0] + c % 2], (double)raster->axis[1][k[1] + c / 2], (double)x[0],
               (double)x[1]);
    *value += weight * at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexRasterGetRange - Gets where a raster begins and ends along an axis

  Not Collective

  Input Parameters:
+ raster - the raster
- axis   - 0: x, 1: y

  Output Parameters:
+ least   - the least coordinate, whichever way the axis goes
- largest - the largest one

  Level: intermediate

  Note:
  `PlexRasterEvaluate()` refuses points outside. A function that has a value there too, as the lift of the ground is 0
  far from a fault, asks for the range first.

.seealso: `PlexRaster`, `PlexRasterEvaluate()`
@*/
PetscErrorCode PlexRasterGetRange(PlexRaster raster, PetscInt axis, PetscReal *least, PetscReal *largest)
{
  PetscFunctionBegin;
  PetscAssertPointer(raster, 1);
  PetscAssertPointer(least, 3);
  PetscAssertPointer(largest, 4);
  PetscCheck(axis == 0 || axis == 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A raster has no axis %" PetscInt_FMT ": 0 is x and 1 is y", axis);
  *least   = PetscMin(raster->axis[axis][0], raster->axis[axis][raster->n[axis] - 1]);
  *largest = PetscMax(raster->axis[axis][0], raster->axis[axis][raster->n[axis] - 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexRasterDestroy - Frees a raster

  Not Collective

  Input Parameter:
. raster - the raster

  Level: intermediate

.seealso: `PlexRaster`, `PlexRasterRead()`
@*/
PetscErrorCode PlexRasterDestroy(PlexRaster *raster)
{
  PetscFunctionBegin;
  if (!*raster) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 2; ++d) PetscCall(PetscFree((*raster)->axis[d]));
  PetscCall(PetscFree((*raster)->values));
  PetscCall(PetscFree(*raster));
  PetscFunctionReturn(PETSC_SUCCESS);
}
