static char help[] = "Rasters: bilinear interpolation, axes that descend, packed and missing numbers, what bad files "
                     "get.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "raster: this PETSc was built without HDF5");
}
#else

  #include <plexgpugeo.h>
  #include <hdf5.h>
  #include <unistd.h>

  #define NX 5
  #define NY 4

typedef struct {
  const char *path, *name, *x, *y;
  PetscReal   at[2];
} Query;

static PetscErrorCode WriteArray(hid_t file, const char name[], int rank, const hsize_t size[], hid_t type,
                                 const void *values)
{
  const hid_t space = H5Screate_simple(rank, size, NULL),
              set   = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  PetscFunctionBegin;
  PetscCheck(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_WRITE, "Cannot write %s", name);
  (void)H5Dclose(set);
  (void)H5Sclose(space);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void WriteNumber(hid_t file, const char array[], const char name[], hid_t type, const void *value)
{
  const hid_t space     = H5Screate(H5S_SCALAR),
              attribute = H5Acreate_by_name(file, array, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  (void)H5Awrite(attribute, type, value);
  (void)H5Aclose(attribute);
  (void)H5Sclose(space);
}

/* 1 + 2 x + 3 y + 4 x y, which bilinear interpolation keeps */
static PetscReal Function(const PetscReal x[])
{
  return 1. + 2. * x[0] + 3. * x[1] + 4. * x[0] * x[1];
}

/* x of uneven distances, y descending; "z" in double precision, "packed" in short integers of 1/10, of which one is
   missing, "times" with a dimension too many */
static PetscErrorCode WriteFile(const char path[])
{
  const double  x[NX] = {-1., -0.5, 0.3, 1., 2.}, y[NY] = {3., 1.5, 1., -1.}, same[NX] = {0., 1., 1., 2., 3.},
                scale = 0.1, offset = 5.;
  const short   missing = -32768;
  const hsize_t size[3] = {NY, NX, 1}, nx = NX, ny = NY;
  double        z[NY][NX];
  short         packed[NY][NX];
  hid_t         file;

  PetscFunctionBegin;
  for (int j = 0; j < NY; ++j)
    for (int i = 0; i < NX; ++i) {
      const PetscReal at[2] = {x[i], y[j]};

      z[j][i]      = (double)Function(at);
      packed[j][i] = (short)(100 * j + i);
    }
  packed[0][0] = missing;
  file         = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  PetscCheck(file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot create %s", path);
  PetscCall(WriteArray(file, "x", 1, &nx, H5T_NATIVE_DOUBLE, x));
  PetscCall(WriteArray(file, "y", 1, &ny, H5T_NATIVE_DOUBLE, y));
  PetscCall(WriteArray(file, "same", 1, &nx, H5T_NATIVE_DOUBLE, same));
  PetscCall(WriteArray(file, "z", 2, size, H5T_NATIVE_DOUBLE, z));
  PetscCall(WriteArray(file, "times", 3, size, H5T_NATIVE_DOUBLE, z));
  PetscCall(WriteArray(file, "packed", 2, size, H5T_NATIVE_SHORT, packed));
  WriteNumber(file, "packed", "_FillValue", H5T_NATIVE_SHORT, &missing);
  WriteNumber(file, "packed", "scale_factor", H5T_NATIVE_DOUBLE, &scale);
  WriteNumber(file, "packed", "add_offset", H5T_NATIVE_DOUBLE, &offset);
  (void)H5Fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ask(void *ctx)
{
  const Query *q = (const Query *)ctx;
  PlexRaster   raster;
  PetscReal    value;

  PetscFunctionBegin;
  PetscCall(PlexRasterRead(PETSC_COMM_WORLD, q->path, q->name, q->x, q->y, &raster));
  PetscCall(PlexRasterEvaluate(raster, q->at, &value));
  PetscCall(PlexRasterDestroy(&raster));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestValues(const char path[])
{
  const PetscReal beside[2] = {-0.5, 1.5}, between[2] = {-0.25, 1.75};
  PetscReal       most = 0., value[2], range[4];
  PlexRaster      raster;

  PetscFunctionBegin;
  PetscCall(PlexRasterRead(PETSC_COMM_WORLD, path, "z", "x", "y", &raster));
  for (int k = 0; k <= 30; ++k)
    for (int l = 0; l <= 40; ++l) { /* corners and lines of the grid, too */
      const PetscReal at[2] = {-1. + k / 10., -1. + l / 10.};

      PetscCall(PlexRasterEvaluate(raster, at, value));
      most = PetscMax(most, PetscAbsReal(value[0] - Function(at)));
    }
  for (PetscInt d = 0; d < 2; ++d) PetscCall(PlexRasterGetRange(raster, d, &range[2 * d], &range[2 * d + 1]));
  PetscCall(PlexRasterDestroy(&raster));
  PetscCall(PlexTestReport((PetscBool)(range[0] == -1. && range[1] == 2. && range[2] == -1. && range[3] == 3.),
                           "the range of axes that ascend and descend", "%g to %g, %g to %g", (double)range[0],
                           (double)range[1], (double)range[2], (double)range[3]));
  PetscCall(PlexTestReport((PetscBool)(most < 1e-13), "a bilinear function, y descending", "off by %g", (double)most));
  PetscCall(PlexRasterRead(PETSC_COMM_WORLD, path, "packed", "x", "y", &raster));
  PetscCall(PlexRasterEvaluate(raster, beside, &value[0]));
  PetscCall(PlexRasterEvaluate(raster, between, &value[1]));
  PetscCall(PlexRasterDestroy(&raster));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(value[0] - 15.1) < 1e-12 &&
                                       PetscAbsReal(value[1] - (5. + 0.1 * (100. * 5. / 6. + 1.3125))) < 1e-12),
                           "packed numbers, beside a missing one", "%.17g and %.17g", (double)value[0],
                           (double)value[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestOwnFile("raster", "h5", sizeof(path), path));
  if (!rank) PetscCall(WriteFile(path));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(TestValues(path));
  EXPECT("no file", Ask,
         (&(Query){
           "/nosuch/depth.nc", "z", "x", "y", {0., 0.}
  }),
         "/nosuch/depth.nc", "No such file");
  EXPECT("no array", Ask,
         (&(Query){
           path, "depth", "x", "y", {0., 0.}
  }),
         path, "no array depth");
  EXPECT("three dimensions", Ask,
         (&(Query){
           path, "times", "x", "y", {0., 0.}
  }),
         "times", "3 dimensions", "[y][x]");
  EXPECT("axes in the wrong order", Ask,
         (&(Query){
           path, "z", "y", "x", {0., 0.}
  }),
         "Array y", "5 points", "[y][x]");
  EXPECT("an axis that stands still", Ask,
         (&(Query){
           path, "z", "same", "y", {0., 0.}
  }),
         "same", "neither ascends nor descends", "1. comes after 1.");
  EXPECT("a point outside", Ask,
         (&(Query){
           path, "z", "x", "y", {0., 3.5}
  }),
         "(0., 3.5)", "y goes from 3. to -1.", "cover all of the mesh");
  EXPECT("a missing value", Ask,
         (&(Query){
           path, "packed", "x", "y", {-0.75, 2.9}
  }),
         "no value at (-1., 3.)", "fill such points in");
  if (!rank) PetscCall(PlexTestWriteFile(path, "CDF\002 and so on", 14));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  EXPECT("a classic NetCDF file", Ask,
         (&(Query){
           path, "z", "x", "y", {0., 0.}
  }),
         path, "classic NetCDF", "nccopy -k nc4");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) PetscCall(PlexTestWriteFile(path, "II*\000 and so on", 14));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  EXPECT("a GeoTIFF", Ask,
         (&(Query){
           path, "z", "x", "y", {0., 0.}
  }),
         path, "TIFF", "gdal_translate -of netCDF");
  PetscCall(PlexTestRemoveFile(path));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
