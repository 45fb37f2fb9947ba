static char help[] = "VTKHDF files of finite elements, and pictures of these, of nodal DG and of hybridized DG. What "
                     "is in the files is "
                     "compared with polynomials, here and by view.py; -keep FOLDER: files stay there.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5) || PetscDefined(USE_COMPLEX)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "view: this PETSc was built without HDF5, or with complex scalars");
}
#else

  #include "dgproblem.h"
  #include "meshes.h"
  #include <plexgpu.h>
  #include <hdf5.h>
  #include <unistd.h>

static char folder[PETSC_MAX_PATH_LEN];

static const char *Path(const char name[])
{
  static char path[2][2 * PETSC_MAX_PATH_LEN];
  static int  which = 0;

  which = 1 - which;
  (void)snprintf(path[which], sizeof(path[which]), "%s/%s", folder, name);
  return path[which];
}

/* ---- Fields: a quadratic, and a linear vector */

static PetscErrorCode Quadratic(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar u[], void *ctx)
{
  const PetscReal z = dim == 3 ? x[2] : 0.;

  u[0] = t + x[0] * x[0] - 0.7 * x[0] * x[1] + 0.3 * x[1] * z + 0.2 * x[1] + z * z;
  return PETSC_SUCCESS;
}

static PetscErrorCode Linear(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar u[], void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.5 * c + (1. + t) * x[0] - (1. + c) * x[1] + (dim == 3 ? 0.3 * x[2] : 0.);
  return PETSC_SUCCESS;
}

typedef PetscErrorCode FieldFn(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar[], void *);
static FieldFn *const  fields[] = {Quadratic, Linear};

/* jumps: the second field's elements are discontinuous. Essential conditions on all of the boundary */
static PetscErrorCode SetFields(DM dm, PetscBool jumps)
{
  DMPolytopeType ct;
  PetscInt       cStart, dim, one = 1;
  PetscFE        fe[2];
  DMLabel        label;
  PetscMPIInt    type;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, NULL));
  PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  type = (PetscMPIInt)ct; /* a process may have none */
  PetscCallMPI(MPI_Bcast(&type, 1, MPI_INT, 0, PetscObjectComm((PetscObject)dm)));
  ct = (DMPolytopeType)type;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, ct, 2, PETSC_DETERMINE, &fe[0]));
  if (jumps) PetscCall(PetscOptionsSetValue(NULL, "-jumps_petscdualspace_lagrange_continuity", "0"));
  PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, dim, dim, ct, jumps ? "jumps_" : "linear_", PETSC_DETERMINE, &fe[1]));
  PetscCall(PetscObjectSetName((PetscObject)fe[0], "temperature"));
  PetscCall(PetscObjectSetName((PetscObject)fe[1], "velocity"));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(DMSetField(dm, f, NULL, (PetscObject)fe[f]));
    PetscCall(PetscFEDestroy(&fe[f]));
  }
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Quadratic, NULL, NULL,
                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of three processes the last one is idle */
static PetscErrorCode CreateMesh(DMPolytopeType ct, PetscBool jumps, DM *dm)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, ct, 1, dm));
  PetscCall(PlexTestDistribute(dm, 0, (PetscBool)(size > 2)));
  PetscCall(SetFields(*dm, jumps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- VTKHDF */

/* All of an array as numbers of a type, [*n] */
static PetscErrorCode Read(const char file[], const char name[], hid_t type, PetscInt *n, void *values)
{
  hid_t h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set, space;

  PetscFunctionBegin;
  set   = H5Dopen2(h, name, H5P_DEFAULT);
  space = H5Dget_space(set);
  *n    = (PetscInt)H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc(H5Tget_size(type) * (size_t)*n, (void **)values));
  PetscCheck(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *(void **)values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of a field at the file's points from what it is there, states 0 and 1 at times 0 and 0.5 */
static PetscErrorCode Difference(const char file[], PetscInt dim, PetscInt f, PetscReal *difference, PetscInt *npoints)
{
  const PetscInt width = f ? 3 : 1;
  PetscReal     *x, *u;
  PetscInt       nx, nu;

  PetscFunctionBegin;
  PetscCall(Read(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &nx, &x));
  PetscCall(Read(file, f ? "VTKHDF/PointData/velocity" : "VTKHDF/PointData/temperature", H5T_NATIVE_DOUBLE, &nu, &u));
  *npoints    = nx / 3;
  *difference = nu == 2 * width * *npoints ? 0. : PETSC_MAX_REAL;
  for (PetscInt k = 0; k < 2 * *npoints && *difference < 1.; ++k) {
    PetscScalar is[3] = {0., 0., 0.};

    PetscCall((*fields[f])(dim, 0.5 * (k / *npoints), &x[3 * (k % *npoints)], f ? dim : 1, is, NULL));
    for (PetscInt c = 0; c < width; ++c) *difference = PetscMax(*difference, PetscAbsReal(u[k * width + c] - is[c]));
  }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest distance of a node inside an edge of a cell from the middle, of degree 2 in VTK's order */
static PetscErrorCode EdgesOff(const char file[], DMPolytopeType ct, PetscReal *off)
{
  static const int edges[4][12][2] = {
    {{0, 1}, {1, 2}, {2, 0}},
    {{0, 1}, {1, 2}, {3, 2}, {0, 3}},
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
  };
  const int  kind  = ct == DM_POLYTOPE_TRIANGLE      ? 0
                   : ct == DM_POLYTOPE_QUADRILATERAL ? 1
                   : ct == DM_POLYTOPE_TETRAHEDRON   ? 2
                                                     : 3;
  const int  nv[4] = {3, 4, 4, 8}, ne[4] = {3, 4, 6, 12}, n[4] = {6, 9, 10, 27};
  PetscReal *x;
  long long *cells;
  PetscInt   nx, nids;

  PetscFunctionBegin;
  PetscCall(Read(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &nx, &x));
  PetscCall(Read(file, "VTKHDF/Connectivity", H5T_NATIVE_LLONG, &nids, &cells));
  *off = nids && nids % n[kind] == 0 ? 0. : PETSC_MAX_REAL;
  for (PetscInt at = 0; at + n[kind] <= nids; at += n[kind])
    for (int e = 0; e < ne[kind]; ++e)
      for (int d = 0; d < 3; ++d) {
        const PetscReal a = x[3 * cells[at + edges[kind][e][0]] + d], b = x[3 * cells[at + edges[kind][e][1]] + d];

        *off = PetscMax(*off, PetscAbsReal(x[3 * cells[at + nv[kind] + e] + d] - 0.5 * (a + b)));
      }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteStates(DM dm, const char file[])
{
  Vec u;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, &u));
  for (int s = 0; s < 2; ++s) {
    PetscCall(DMProjectFunction(dm, 0.5 * s, (FieldFn **)fields, NULL, INSERT_ALL_VALUES, u));
    PetscCall(PlexVecWriteVTKHDF(u, file, (PetscBool)s, 0.5 * s));
  }
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCells(DMPolytopeType ct, PetscBool jumps)
{
  PetscReal   difference[2] = {0., 0.}, off = 0.;
  PetscInt    dim, points                   = 0, expected;
  PetscMPIInt rank;
  char        name[64];
  DM          dm, one;
  Vec         v;

  PetscFunctionBegin;
  PetscCall(CreateMesh(ct, jumps, &dm));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s.vtkhdf", DMPolytopeTypes[ct], jumps ? "-jumps" : ""));
  PetscCall(WriteStates(dm, Path(name)));
  PetscCall(DMClone(dm, &one)); /* the nodes of a quadratic are the points */
  {
    PetscFE fe;

    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, ct, 2, PETSC_DETERMINE, &fe));
    PetscCall(DMSetField(one, 0, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(one));
  PetscCall(DMCreateGlobalVector(one, &v));
  PetscCall(VecGetSize(v, &expected));
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&one));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    for (PetscInt f = 0; f < 2; ++f) PetscCall(Difference(Path(name), dim, f, &difference[f], &points));
    PetscCall(EdgesOff(Path(name), ct, &off));
    PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-12 && difference[1] < 1e-12), name, "fields", "%g and %g",
                               (double)difference[0], (double)difference[1]));
    PetscCall(PlexTestReportOf((PetscBool)(off < 1e-12), name, "cells", "edges off by %g", (double)off));
    PetscCall(PlexTestReportOf((PetscBool)(jumps ? points > expected : points == expected), name, "points",
                               "%d, nodes %d", (int)points, (int)expected));
  } else PetscCall(PlexTestReportOf(PETSC_TRUE, name, "written", " "));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pictures, which view.py looks at */

static PetscErrorCode TestPictures(void)
{
  const PetscReal point[] = {0.9, 1., 1.04};
  PlexImage       image;
  DM              dm;
  Vec             u;

  PetscFunctionBegin;
  PetscCall(PlexImageCreate(PETSC_COMM_WORLD, &image));
  PetscCall(PlexImageSetSize(image, 320, 240));
  for (int k = 0; k < 2; ++k) {
    if (k) PetscCall(PlexTestHexahedronBox(PETSC_COMM_WORLD, (const PetscInt[]){2, 2, 2}, PETSC_TRUE, &dm));
    else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 1, &dm));
    PetscCall(PlexTestDistributeDefault(&dm, 0));
    PetscCall(SetFields(dm, PETSC_FALSE));
    PetscCall(DMCreateGlobalVector(dm, &u));
    PetscCall(DMProjectFunction(dm, 0., (FieldFn **)fields, NULL, INSERT_ALL_VALUES, u));
    PetscCall(PlexImageSetField(image, "velocity", 1));
    PetscCall(PlexImageSetRange(image, -4., 4.));
    PetscCall(PlexImageSetWindow(image, k ? -0.5 : 0., k ? 2. : 1., k ? -0.5 : 0., k ? 2. : 1.));
    PetscCall(PlexImageSetPlane(image, point, NULL));
    PetscCall(PetscOptionsSetValue(NULL, "-cut_plex_image_normal", "1,0.3,0.2"));
    PetscCall(PlexImageSetOptionsPrefix(image, "cut_"));
    PetscCall(PlexImageSetFromOptions(image));
    PetscCall(PlexImageWrite(image, (PetscObject)dm, u, 0., Path(k ? "hexahedra.png" : "triangles.png")));
    PetscCall(VecDestroy(&u));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexImageDestroy(&image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p = x and u = (y, 0) as state of acoustics, and two steps with monitors of pictures and a window */
static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 0.;
  u[0] = x[0];
  u[1] = x[1];
  return PETSC_SUCCESS;
}

static PetscErrorCode TestDG(void)
{
  PlexImage image;
  PetscDraw draw;
  PlexDG    dg;
  DM        dm;
  TS        ts;
  Vec       U;
  PetscBool there[2];

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetDegree(dg, 3));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Wave, NULL, U));
  PetscCall(PlexImageCreate(PETSC_COMM_WORLD, &image));
  PetscCall(PlexImageSetSize(image, 320, 240));
  PetscCall(PlexImageSetRange(image, 0., 1.));
  PetscCall(PlexImageSetWindow(image, 0., 1., 0., 1.));
  PetscCall(PlexImageWrite(image, (PetscObject)dg, U, 0., Path("dg.png")));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 3));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(PlexTSMonitorImage(ts, (PetscObject)dg, image, Path("step%03d.png"), 2));
  PetscCall(PetscOptionsSetValue(NULL, "-draw_type", "image"));
  PetscCall(PetscOptionsSetValue(NULL, "-draw_save", Path("window.ppm")));
  PetscCall(PetscOptionsSetValue(NULL, "-draw_save_single_file", NULL));
  PetscCall(PlexTSMonitorImage(ts, (PetscObject)dg, image, NULL, 0));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscDrawCreate(PETSC_COMM_WORLD, NULL, NULL, 0, 0, 320, 240, &draw));
  PetscCall(PetscDrawSetType(draw, PETSC_DRAW_IMAGE));
  PetscCall(PetscDrawSetSave(draw, Path("drawn.ppm"))); /* in the place of a folder here */
  PetscCall(PlexImageDraw(image, (PetscObject)dg, U, 0., draw));
  PetscCall(PetscDrawDestroy(&draw));
  PetscCall(PetscTestFile(Path("step002.png"), 'r', &there[0])); /* steps 0, 2, and 3 at the end */
  PetscCall(PetscTestFile(Path("step003.png"), 'r', &there[1]));
  PetscCall(PlexTestReport((PetscBool)(there[0] && !there[1]), "pictures of steps 0, 2 and 3", "%d %d", there[0],
                           there[1]));
  PetscCall(PetscTestFile(Path("window.ppm"), 'r', &there[0]));
  PetscCall(PetscTestFile(Path("window..ppm"), 'r', &there[1])); /* PETSc 3.26's name for it */
  PetscCall(PlexTestReport((PetscBool)(there[0] || there[1]), "a window, saved", "no file"));
  PetscCall(PlexImageDestroy(&image));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Boundary(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar u[],
                               void *ctx)
{
  u[0] = x[0];
  return PETSC_SUCCESS;
}

/* Laplace's equation with the solution x */
static PetscErrorCode TestHDG(void)
{
  PlexHDG hdg;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){2, 2}, NULL, NULL, NULL,
                                PETSC_TRUE, 0, PETSC_TRUE, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 0.));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Boundary, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_monitor_image", Path("hdg%d.png")));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_image_size", "320,240"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_image_range", "0,1"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_image_window", "0,1,0,1"));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_monitor_image"));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Solvers with -plex_assembly_monitor_... */

static void f0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
               const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
               const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
               PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar f[])
{
  f[0] = u[0] - x[0] + (u_t ? u_t[0] : 0.);
}

static void g0(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
               const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
               const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
               PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
               PetscScalar g[])
{
  g[0] = 1. + shift;
}

/* u_t + u = x from u = x on, or u = x */
static PetscErrorCode TestSolver(PetscBool transient)
{
  const char *file = transient ? "ts.vtkhdf" : "snes.vtkhdf";
  PetscReal  *times, *x, *u, difference = 0.;
  PetscInt    n, nx, nu;
  PetscMPIInt rank;
  PetscFE     fe;
  PetscDS     ds;
  SNES        snes;
  TS          ts;
  DM          dm;
  Vec         v;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){2, 2}, NULL, NULL, NULL,
                                PETSC_TRUE, 0, PETSC_TRUE, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, 1, PETSC_DETERMINE, &fe));
  PetscCall(PetscObjectSetName((PetscObject)fe, "u"));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0, NULL, NULL, NULL));
  PetscCall(DMCreateGlobalVector(dm, &v));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_backend", "host"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_monitor_solution", Path(file)));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_monitor_image", Path(transient ? "ts%d.png" : "snes%d.png")));
  if (transient) {
    PetscCall(PlexAssemblySetTSLocal(dm, NULL));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetDM(ts, dm));
    PetscCall(TSSetType(ts, TSBEULER));
    PetscCall(TSSetTimeStep(ts, 0.25));
    PetscCall(TSSetMaxSteps(ts, 2));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(PlexTSMonitorSolution(ts, Path("end.vtkhdf"), 0));
    PetscCall(DMProjectFunction(dm, 0., (FieldFn *[]){Wave}, NULL, INSERT_ALL_VALUES, v));
    PetscCall(TSSolve(ts, v));
    PetscCall(TSDestroy(&ts));
  } else {
    PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
    PetscCall(SNESSetDM(snes, dm));
    PetscCall(SNESSetType(snes, SNESNEWTONLS));
    PetscCall(SNESSolve(snes, NULL, v));
    PetscCall(SNESSolve(snes, NULL, v));
    PetscCall(SNESDestroy(&snes));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_monitor_solution"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_monitor_image"));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(Read(Path(file), "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, &n, &times));
    PetscCall(Read(Path(file), "VTKHDF/Points", H5T_NATIVE_DOUBLE, &nx, &x));
    PetscCall(Read(Path(file), "VTKHDF/PointData/u", H5T_NATIVE_DOUBLE, &nu, &u));
    for (PetscInt k = 0; k < nu; ++k) difference = PetscMax(difference, PetscAbsReal(u[k] - x[3 * (k % (nx / 3))]));
    PetscCall(PlexTestReport((PetscBool)(n == (transient ? 3 : 2) && nu == n * 9 && difference < 1e-4 &&
                                         times[n - 1] == (transient ? 0.5 : 1.)),
                             file, "%d states, %d values, difference %g", (int)n, (int)nu, (double)difference));
    PetscCall(PetscFree(times));
    PetscCall(PetscFree(x));
    PetscCall(PetscFree(u));
  } else PetscCall(PlexTestReport(PETSC_TRUE, file, " "));
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Wrong input */

typedef struct {
  const char *field, *file;
  PetscInt    component;
  PetscBool   append, image, monitor;
} Wrong;

static PetscErrorCode Try(void *ctx)
{
  const Wrong *w = (const Wrong *)ctx;
  PlexImage    image;
  DM           dm;
  Vec          u;
  TS           ts;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_QUADRILATERAL, 1, &dm));
  PetscCall(SetFields(dm, PETSC_FALSE));
  PetscCall(DMCreateGlobalVector(dm, &u));
  if (w->append) PetscCall(PlexVecWriteVTKHDF(u, Path("triangle.vtkhdf"), PETSC_TRUE, 0.));
  if (w->image) {
    PetscCall(PlexImageCreate(PETSC_COMM_SELF, &image));
    PetscCall(PlexImageSetField(image, w->field, w->component));
    PetscCall(PlexImageWrite(image, (PetscObject)dm, u, 0., w->file));
    PetscCall(PlexImageDestroy(&image));
  }
  if (w->monitor) {
    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(PlexTSMonitorImage(ts, NULL, NULL, w->file, 1));
    PetscCall(TSDestroy(&ts));
  }
  PetscCall(VecDestroy(&u));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  PetscFunctionBegin;
  EXPECT("a state of another mesh", Try, (&(Wrong){.append = PETSC_TRUE}), "triangle.vtkhdf", "nodes: states of one");
  EXPECT("an unknown field", Try, (&(Wrong){.image = PETSC_TRUE, .field = "pressure", .file = "x.png"}),
         "no field pressure", "temperature, velocity");
  EXPECT("an unknown component", Try,
         (&(Wrong){.image = PETSC_TRUE, .field = "velocity", .component = 2, .file = "x.png"}), "no component 2",
         "which has 2");
  EXPECT("no folder for a picture", Try, (&(Wrong){.image = PETSC_TRUE, .field = "", .file = "/none/x.png"}),
         "Cannot write /none/x.png");
  EXPECT("a name of pictures", Try, (&(Wrong){.monitor = PETSC_TRUE, .file = "x%s.png"}), "x%s.png", "%05d");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON};
  PetscMPIInt          rank, size;
  PetscBool            keep;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-keep", folder, sizeof(folder), &keep));
  if (!keep) {
    PetscCall(PetscStrncpy(folder, "/tmp/plexgpu-view-XXXXXX", sizeof(folder)));
    if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s", folder);
    PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-linear_petscspace_degree", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-jumps_petscspace_degree", "1"));
  for (int k = 0; k < 4; ++k) PetscCall(TestCells(cells[k], PETSC_FALSE));
  PetscCall(TestCells(DM_POLYTOPE_TRIANGLE, PETSC_TRUE));
  PetscCall(TestPictures());
  PetscCall(TestDG());
  PetscCall(TestHDG());
  PetscCall(TestSolver(PETSC_FALSE));
  PetscCall(TestSolver(PETSC_TRUE));
  if (size == 1) PetscCall(TestMessages());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!keep && !rank) {
    PetscCall(PetscRMTree(folder));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
#endif
