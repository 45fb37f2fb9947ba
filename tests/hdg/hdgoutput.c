static char help[] = "Hybridized DG: VTKHDF files against the solution.\n\n";

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

/* The place of node (i, j, k) of a hexahedron of degree N, as vtkLagrangeHexahedron::PointIndexFromIJK() counts: corners,
   edges, faces across the first, the second, the third direction, and the inside */
static PetscInt HexahedronNode(PetscInt N, PetscInt i, PetscInt j, PetscInt k)
{
  const PetscInt  M = N - 1, inside = (i % N != 0) + (j % N != 0) + (k % N != 0);
  const PetscBool right = (PetscBool)(i == N), back = (PetscBool)(j == N), top = (PetscBool)(k == N);
  const PetscInt  corner = back ? (right ? 2 : 3) : (right ? 1 : 0), edges = 8, faces = 8 + 12 * M;

  if (!inside) return corner + (top ? 4 : 0);
  if (inside == 1) {
    if (i % N) return edges + M * ((back ? 2 : 0) + (top ? 4 : 0)) + i - 1;
    if (j % N) return edges + M * ((right ? 1 : 3) + (top ? 4 : 0)) + j - 1;
    return edges + M * (8 + corner) + k - 1;
  }
  if (inside == 2) {
    if (!(i % N)) return faces + M * M * (right ? 1 : 0) + M * (k - 1) + j - 1;
    if (!(j % N)) return faces + M * M * (back ? 3 : 2) + M * (k - 1) + i - 1;
    return faces + M * M * (top ? 5 : 4) + M * (j - 1) + i - 1;
  }
  return faces + 6 * M * M + M * (M * (k - 1) + j - 1) + i - 1;
}

/* How far a node is from where the corners' trilinear map has it */
static PetscReal HexahedronOff(PetscInt N, const PetscReal x[])
{
  PetscReal off = 0.;

  for (PetscInt n = 0; n < (N + 1) * (N + 1) * (N + 1); ++n) {
    const PetscInt  at[3] = {n % (N + 1), n / (N + 1) % (N + 1), n / ((N + 1) * (N + 1))};
    const PetscReal r = at[0] / (PetscReal)N, s = at[1] / (PetscReal)N, t = at[2] / (PetscReal)N;
    const PetscReal weights[8] =
      {(1. - r) * (1. - s) * (1. - t), r * (1. - s) * (1. - t), r * s * (1. - t), (1. - r) * s * (1. - t),
       (1. - r) * (1. - s) * t,        r * (1. - s) * t,        r * s * t,        (1. - r) * s * t};

    for (PetscInt d = 0; d < 3; ++d) {
      PetscReal place = 0.;

      for (PetscInt v = 0; v < 8; ++v) place += weights[v] * x[3 * v + d];
      off = PetscMax(off, PetscAbsReal(x[3 * HexahedronNode(N, at[0], at[1], at[2]) + d] - place));
    }
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
  for (PetscInt e = 0; !curved && e < hdg->mesh->NeGlobal; ++e) {
    const PetscReal *at = &x[(size_t)e * nodes * 3];

    if (dim == 2) off[3] = PetscMax(off[3], EdgesOff(cell, P + 1, at));
    else if (cell == DM_POLYTOPE_HEXAHEDRON) off[3] = PetscMax(off[3], HexahedronOff(P + 1, at));
  }
  if (!curved && cell != DM_POLYTOPE_TETRAHEDRON)
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
  PetscCall(TestFile(DM_POLYTOPE_HEXAHEDRON, 2, PETSC_FALSE));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
