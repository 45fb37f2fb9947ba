static char
  help[] = "States as NetCDF files with UGRID conventions: dimensions as NetCDF has them, the mesh, means and "
           "integrals, longitude and latitude.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "dgugrid: this PETSc was built without HDF5");
}
#else

  #include "mixedmesh.h"
  #include "waterproblem.h"
  #include <plexgpugeo.h>
  #include <hdf5.h>

  #define FILE_NAME "build/tests/dgugrid.nc"

/* A polynomial of degree 3 */
static PetscErrorCode Cubic(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.1 * (1. + t) * (1. + x[0] * x[0] * x[1] - x[1]);
  u[1] = 0.2 + x[0] * x[1] * x[1] - t;
  u[2] = x[0] - 0.3 * x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of an array as numbers of `type`, [*n], and its sizes */
static PetscErrorCode Read(const char name[], hid_t type, PetscInt *n, hsize_t size[3], void **values)
{
  const hid_t h = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(h, name, H5P_DEFAULT),
              space = H5Dget_space(set);

  PetscFunctionBegin;
  *n = (PetscInt)H5Sget_simple_extent_npoints(space);
  (void)H5Sget_simple_extent_dims(space, size, NULL);
  PetscCall(PetscMalloc(H5Tget_size(type) * (size_t)*n, values));
  PetscCheck(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether dimension d of a variable is this dimension, by reference and by number */
static PetscBool IsDimension(const char variable[], int d, const char dimension[])
{
  const hid_t h = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(h, variable, H5P_DEFAULT),
              scale = H5Dopen2(h, dimension, H5P_DEFAULT), list = H5Aopen(set, "DIMENSION_LIST", H5P_DEFAULT),
              type = H5Aget_type(list), numbers = H5Aopen(set, "_Netcdf4Coordinates", H5P_DEFAULT),
              number = H5Aopen(scale, "_Netcdf4Dimid", H5P_DEFAULT), class = H5Aopen(scale, "CLASS", H5P_DEFAULT),
              text = H5Aget_type(class);
  hvl_t       lists[3];
  int         all[3] = {-1, -1, -1}, one = -2;
  char        name[64] = "", is[64] = "";
  PetscBool   good = (PetscBool)(H5Aread(list, type, lists) >= 0 && H5Aread(numbers, H5T_NATIVE_INT, all) >= 0 &&
                                 H5Aread(number, H5T_NATIVE_INT, &one) >= 0 && H5Aread(class, text, is) >= 0);

  if (good) (void)H5Rget_name(set, H5R_OBJECT, lists[d].p, name, sizeof(name));
  good = (PetscBool)(good && lists[d].len == 1 && !strcmp(name + 1, dimension) && all[d] == one &&
                     !strcmp(is, "DIMENSION_SCALE") && H5Tget_strpad(text) == H5T_STR_NULLTERM &&
                     H5Tget_size(text) == 16);
  (void)H5Tclose(text);
  (void)H5Tclose(type);
  (void)H5Aclose(class);
  (void)H5Aclose(number);
  (void)H5Aclose(numbers);
  (void)H5Aclose(list);
  (void)H5Dclose(scale);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  return good;
}

/* Writes Cubic() at times 0 and 0.5 on a mesh. integrals[2][3], of the operator */
static PetscErrorCode WriteOn(DM dm, PetscInt cells, const char options[], PetscReal integrals[])
{
  PlexDG dg;
  Vec    U;
  char   all[128];

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, 3));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PetscSNPrintf(all, sizeof(all), "-plex_dg_ugrid_cells %" PetscInt_FMT "%s", cells, options));
  PetscCall(PetscOptionsInsertString(NULL, all));
  for (int s = 0; s < 2; ++s) {
    PetscCall(PlexDGProject(dg, 0.5 * s, Cubic, NULL, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, &integrals[3 * s]));
    PetscCall(PlexDGWriteUGRID(dg, FILE_NAME, (PetscBool)s, 0.5 * s, U));
  }
  PetscCall(PlexTestClearOptions(all));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Write(PetscBool quadrilaterals, PlexTestShape shape, PetscInt cells, const char options[],
                            PetscReal integrals[])
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, shape, 4, 2, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(WriteOn(dm, cells, options, integrals));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals of both states by the file's means and the areas of its faces, *ntriangles of which have no fourth node */
static PetscErrorCode Integrate(PetscInt *nnodes, PetscInt *nfaces, PetscInt *ntriangles, PetscReal *area,
                                PetscReal integrals[], PetscReal *least)
{
  static const char *const names[] = {"eta", "qx", "qy"};
  PetscReal               *x[2], *values;
  PetscInt                 n, width;
  int                     *faces;
  hsize_t                  size[3];

  PetscFunctionBegin;
  PetscCall(Read("mesh2d_node_x", H5T_NATIVE_DOUBLE, nnodes, size, (void **)&x[0]));
  PetscCall(Read("mesh2d_node_y", H5T_NATIVE_DOUBLE, nnodes, size, (void **)&x[1]));
  PetscCall(Read("mesh2d_face_nodes", H5T_NATIVE_INT, &n, size, (void **)&faces));
  width       = (PetscInt)size[1];
  *nfaces     = (PetscInt)size[0];
  *ntriangles = 0;
  *area       = 0.;
  *least      = PETSC_MAX_REAL;
  PetscCall(PetscArrayzero(integrals, 6));
  for (int k = 0; k < 3; ++k) {
    PetscCall(Read(names[k], H5T_NATIVE_DOUBLE, &n, size, (void **)&values));
    for (PetscInt f = 0; f < *nfaces; ++f) {
      const int *face = &faces[f * width];
      PetscInt   nv   = width;
      PetscReal  here = 0.;

      if (face[width - 1] == -1) --nv;
      if (!k && nv == 3) ++*ntriangles;
      for (PetscInt v = 0; v < nv; ++v) {
        const int a = face[v], b = face[(v + 1) % nv];

        here += 0.5 * (x[0][a] * x[1][b] - x[0][b] * x[1][a]);
      }
      if (!k) *area += here;
      *least = PetscMin(*least, here);
      for (int s = 0; s < 2 && n == 2 * *nfaces; ++s) integrals[3 * s + k] += here * values[s * *nfaces + f];
    }
    PetscCall(PetscFree(values));
  }
  PetscCall(PetscFree(faces));
  for (int d = 0; d < 2; ++d) PetscCall(PetscFree(x[d]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Straight elements: nodes are shared, faces counterclockwise, integrals those of the operator */
static PetscErrorCode TestMesh(PetscBool quadrilaterals, PlexTestShape shape, PetscInt cells)
{
  const PetscInt side = 4 * cells, nv = quadrilaterals ? 4 : 3;
  PetscReal      is[6], integrals[6], area = 0., least = 0., off = 0.;
  PetscInt       nnodes = 0, nfaces = 0, ntriangles = 0;
  char           of[128];
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Write(quadrilaterals, shape, cells, "", integrals));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Integrate(&nnodes, &nfaces, &ntriangles, &area, is, &least));
  for (int k = 0; k < 6; ++k) off = PetscMax(off, PetscAbsReal(is[k] - integrals[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s, %" PetscInt_FMT " cells a side of an element", PlexTestShapes[shape],
                          quadrilaterals ? "quadrilaterals" : "triangles", cells));
  PetscCall(PlexTestReportOf((PetscBool)(nnodes == (side + 1) * (side + 1) && nfaces == side * side * (5 - nv) &&
                                         ntriangles == (quadrilaterals ? 0 : nfaces)),
                             of, "faces share nodes", "%" PetscInt_FMT " nodes, %" PetscInt_FMT " faces", nnodes,
                             nfaces));
  /* a curved element loses what is between its sides and straight ones */
  PetscCall(PlexTestReportOf((PetscBool)(least > 0. && (shape == PLEX_TEST_CURVED || PetscAbsReal(area - 1.) < 1e-12)),
                             of, "faces are counterclockwise", "least area %g, sum %g", (double)least, (double)area));
  PetscCall(PlexTestReportOf((PetscBool)(off < (shape == PLEX_TEST_CURVED ? 0.1 / (cells * cells) : 1e-12)), of,
                             "means times areas are the integrals", "off by %g", (double)off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles beside quadrilaterals: 6 x 6 squares, of which some are two triangles */
static PetscErrorCode TestMixed(PlexTestMix mix, PetscInt cells)
{
  const PetscInt side = 6 * cells;
  PetscReal      is[6], integrals[6], area = 0., least = 0., off = 0.;
  PetscInt       nnodes = 0, nfaces = 0, ntriangles = 0;
  char           of[128];
  DM             dm;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestMixedDistribute(mix, 6, &dm));
  PetscCall(WriteOn(dm, cells, "", integrals));
  PetscCall(DMDestroy(&dm));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Integrate(&nnodes, &nfaces, &ntriangles, &area, is, &least));
  for (int k = 0; k < 6; ++k) off = PetscMax(off, PetscAbsReal(is[k] - integrals[k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "triangles %s quadrilaterals, %" PetscInt_FMT " cells a side of an element",
                          mix == PLEX_TEST_MIX_ROWS ? "below" : "among", cells));
  PetscCall(PlexTestReportOf((PetscBool)(nnodes == (side + 1) * (side + 1) && ntriangles > 0 && ntriangles < nfaces &&
                                         2 * nfaces - ntriangles == 2 * side * side),
                             of, "faces share nodes",
                             "%" PetscInt_FMT " nodes, %" PetscInt_FMT " faces, %" PetscInt_FMT " of them triangles",
                             nnodes, nfaces, ntriangles));
  PetscCall(PlexTestReportOf((PetscBool)(least > 0. && PetscAbsReal(area - 1.) < 1e-12), of,
                             "faces are counterclockwise", "least area %g, sum %g", (double)least, (double)area));
  PetscCall(PlexTestReportOf((PetscBool)(off < 1e-12), of, "means times areas are the integrals", "off by %g",
                             (double)off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDimensions(void)
{
  PetscReal   integrals[6];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Write(PETSC_FALSE, PLEX_TEST_AFFINE, 2, "", integrals));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestReport((PetscBool)(IsDimension("eta", 0, "time") && IsDimension("eta", 1, "mesh2d_nFaces") &&
                                       IsDimension("mesh2d_node_x", 0, "mesh2d_nNodes") &&
                                       IsDimension("mesh2d_face_nodes", 0, "mesh2d_nFaces") &&
                                       IsDimension("mesh2d_face_nodes", 1, "mesh2d_nMax_face_nodes") &&
                                       IsDimension("depth", 0, "mesh2d_nFaces")),
                           "dimensions as NetCDF has them", " "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners of the square, in longitude and latitude */
static PetscErrorCode TestSphere(void)
{
  const PlexSphere sphere = {
    3., {140., 38.}
  };
  const PetscReal corners[4][2] = {
    {0., 0.},
    {1., 0.},
    {0., 1.},
    {1., 1.}
  };
  PetscReal   integrals[6], *x[2], off = 0.;
  PetscInt    n;
  hsize_t     size[3];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Write(PETSC_TRUE, PLEX_TEST_AFFINE, 1, " -plex_dg_ugrid_sphere 3,140,38", integrals));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Read("mesh2d_node_x", H5T_NATIVE_DOUBLE, &n, size, (void **)&x[0]));
  PetscCall(Read("mesh2d_node_y", H5T_NATIVE_DOUBLE, &n, size, (void **)&x[1]));
  for (int c = 0; c < 4; ++c) {
    PetscReal place[2], nearest = PETSC_MAX_REAL;

    PetscCall(PlexSphereGetPosition(&sphere, corners[c], place));
    for (PetscInt i = 0; i < n; ++i)
      nearest = PetscMin(nearest, PetscAbsReal(x[0][i] - place[0]) + PetscAbsReal(x[1][i] - place[1]));
    off = PetscMax(off, nearest);
  }
  for (int d = 0; d < 2; ++d) PetscCall(PetscFree(x[d]));
  PetscCall(PlexTestReport((PetscBool)(off < 1e-10), "longitude and latitude of nodes", "off by %g degrees",
                           (double)off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option writes while a TS steps */
static PetscErrorCode TestMonitor(void)
{
  PetscReal   t, *times;
  PetscInt    n;
  hsize_t     size[3];
  DM          dm;
  PlexDG      dg;
  TS          ts;
  Vec         U;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, PETSC_TRUE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexTestBasinCreate(dm, 1, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecSet(U, 0.01));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PetscOptionsInsertString(NULL, "-plex_dg_monitor_ugrid " FILE_NAME ":2"));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PlexTestClearOptions("-plex_dg_monitor_ugrid " FILE_NAME ":2"));
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, &t));
  if (!rank) {
    PetscCall(Read("time", H5T_NATIVE_DOUBLE, &n, size, (void **)&times));
    PetscCall(PlexTestReport((PetscBool)(n == 4 && times[0] == 0. && PetscAbsReal(times[1] - 0.4 * t) < 1e-14 &&
                                         times[3] == t),
                             "an option writes states while a TS steps", "%" PetscInt_FMT " states", n));
    PetscCall(PetscFree(times));
  }
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithOption(void *ctx)
{
  PetscReal integrals[6];

  PetscFunctionBegin;
  PetscCall(Write(PETSC_TRUE, PLEX_TEST_AFFINE, 1, (const char *)ctx, integrals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt s = 0; s < 3; ++s)
      for (PetscInt cells = 1; cells <= 4; cells += 3) PetscCall(TestMesh((PetscBool)q, (PlexTestShape)s, cells));
  for (PetscInt cells = 1; cells <= 3; cells += 2) {
    PetscCall(TestMixed(PLEX_TEST_MIX_RANDOM, cells));
    PetscCall(TestMixed(PLEX_TEST_MIX_ROWS, cells));
  }
  PetscCall(TestDimensions());
  PetscCall(TestSphere());
  PetscCall(TestMonitor());
  EXPECT("a sphere without a place", WithOption, (void *)" -plex_dg_ugrid_sphere 3", "three numbers", "6371000,140,38");
  PetscCall(PetscOptionsClear(NULL));
  EXPECT("0 cells", WithOption, (void *)" -plex_dg_ugrid_cells 0", "n from 1");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)remove(FILE_NAME);
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
#endif
