static char help[] = "Hybridized DG: VTKHDF files against the solution..\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "hdgoutput: this PETSc was built without HDF5");
}
#else

  #include "hdgproblem.h"
  #include <hdf5.h>
  #include <unistd.h>

/* All of an array of numbers, [*n] */
static PetscErrorCode Read(const char file[], const char name[], PetscInt *n, PetscReal **values)
{
  hid_t h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set, space;

  PetscFunctionBegin;
  set   = H5Dopen2(h, name, H5P_DEFAULT);
  space = H5Dget_space(set);
  *n    = (PetscInt)H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc1(*n, values));
  PetscCheck(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners first, then the nodes of the edges, in VTK's order: those of an edge divide it equally */
static PetscReal EdgesOff(DMPolytopeType cell, PetscInt N, const PetscReal x[])
{
  static const PetscInt triangle[3][2] = {
    {0, 1},
    {1, 2},
    {2, 0}
  };
  static const PetscInt square[4][2] = {
    {0, 1},
    {1, 2},
    {3, 2},
    {0, 3}
  };
  const PetscInt edges = cell == DM_POLYTOPE_TRIANGLE ? 3 : 4;
  PetscReal      off   = 0.;

  for (PetscInt e = 0; e < edges; ++e) {
    const PetscInt *ends = cell == DM_POLYTOPE_TRIANGLE ? triangle[e] : square[e];

    for (PetscInt k = 1; k < N; ++k)
      for (PetscInt d = 0; d < 2; ++d)
        off = PetscMax(off, PetscAbsReal(x[3 * (edges + e * (N - 1) + k - 1) + d] -
                                         (x[3 * ends[0] + d] * (N - k) + x[3 * ends[1] + d] * k) / N));
  }
  return off;
}

static PetscErrorCode TestFile(DMPolytopeType cell, PetscInt P, PetscBool curved)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  DM            dm;
  PetscReal    *x, *star, *error, *u, *q, off[4] = {0., 0., 0., 0.};
  PetscInt      n, ignored, nodes, dim = DMPolytopeTypeGetDim(cell);
  char          file[PETSC_MAX_PATH_LEN], of[128];
  PetscScalar   exact[3];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s%s, degree %" PetscInt_FMT, curved ? "curved " : "", DMPolytopeTypes[cell],
                          P));
  PetscCall(PetscSNPrintf(file, sizeof(file), "build/tests/hdgoutput-%d.vtkhdf", (int)getpid()));
  PlexTestWavesInitialize(dim, 1., PETSC_TRUE, PETSC_FALSE, &w);
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, &dm));
  if (curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, P, &w, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGWriteVTKHDF(hdg, file, PlexTestWavesU, &w));
  nodes = hdg->reference->Npost;
  PetscCall(Read(file, "VTKHDF/Points", &n, &x));
  PetscCall(Read(file, "VTKHDF/PointData/u", &ignored, &u));
  PetscCall(Read(file, "VTKHDF/PointData/q", &ignored, &q));
  PetscCall(Read(file, "VTKHDF/PointData/star", &ignored, &star));
  PetscCall(Read(file, "VTKHDF/PointData/error", &ignored, &error));
  PetscCall(PlexTestReportOf((PetscBool)(n == 3 * nodes * hdg->mesh->NeGlobal && ignored == n / 3), of,
                             "nodes of each element", "%" PetscInt_FMT " coordinates, %" PetscInt_FMT " values", n,
                             ignored));
  for (PetscInt k = 0; k < n / 3; ++k) {
    PetscCall(PlexTestWavesU(dim, &x[3 * k], 1, exact, &w));
    off[0] = PetscMax(off[0], PetscAbsScalar(star[k] - error[k] - exact[0]));
    off[1] = PetscMax(off[1], PetscAbsScalar(u[k] - exact[0]));
    PetscCall(PlexTestWavesQ(dim, &x[3 * k], dim, exact, &w));
    for (PetscInt d = 0; d < dim; ++d) off[2] = PetscMax(off[2], PetscAbsScalar(q[3 * k + d] - exact[d]));
  }
  PetscCall(PlexTestReportOf((PetscBool)(off[0] < 1e-13), of, "star and error are one solution, at the nodes", "%g",
                             (double)off[0]));
  PetscCall(PlexTestReportOf((PetscBool)(off[1] < (dim == 2 ? 1e-2 : 0.1) && off[2] < (dim == 2 ? 3e-2 : 0.3)), of,
                             "u and q are near the exact ones there", "%g, %g", (double)off[1], (double)off[2]));
  for (PetscInt e = 0; dim == 2 && !curved && e < hdg->mesh->NeGlobal; ++e)
    off[3] = PetscMax(off[3], EdgesOff(cell, P + 1, &x[(size_t)e * nodes * 3]));
  if (dim == 2 && !curved)
    PetscCall(PlexTestReportOf((PetscBool)(off[3] < 1e-13), of, "nodes in VTK's order", "%g", (double)off[3]));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(u));
  PetscCall(PetscFree(q));
  PetscCall(PetscFree(star));
  PetscCall(PetscFree(error));
  (void)unlink(file);
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestFile(DM_POLYTOPE_TRIANGLE, 3, PETSC_FALSE));
  PetscCall(TestFile(DM_POLYTOPE_QUADRILATERAL, 3, PETSC_FALSE));
  PetscCall(TestFile(DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE));
  PetscCall(TestFile(DM_POLYTOPE_TETRAHEDRON, 2, PETSC_FALSE));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
