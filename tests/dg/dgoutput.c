static char help[] = "Files of nodal DG for ParaView, and probes: what is in them is compared with the state. With "
                     "-file NAME a file of -degree N in -dim D is written and kept.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "dgoutput: this PETSc was built without HDF5");
}
#else

  #include "dgproblem.h"
  #include <hdf5.h>
  #include <unistd.h>

/* A polynomial of degree N of each field */
static PetscErrorCode Polynomial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PetscInt N = *(const PetscInt *)ctx;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) {
    PetscReal s = 0.2 + 0.1 * k;

    for (PetscInt d = 0; d < dim; ++d) s += (0.5 - 0.3 * d + 0.07 * k) * x[d];
    u[k] = t + PetscPowRealInt(s, (int)N) - x[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes states of time 0 and 0.5 */
static PetscErrorCode Write(DM dm, const char system[], const char kind[], PetscInt N, const char file[],
                            PetscInt *elements)
{
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, kind));
  PetscCall(PlexDGCreateVec(dg, &U));
  for (int s = 0; s < 2; ++s) {
    PetscCall(PlexDGProject(dg, 0.5 * s, Polynomial, &N, U));
    PetscCall(PlexDGWriteVTKHDF(dg, file, (PetscBool)s, 0.5 * s, U));
  }
  *elements = dg->mesh->NeGlobal;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of an array as numbers of `type`, [*n] */
static PetscErrorCode Read(const char file[], const char name[], hid_t type, PetscInt *n, void **values)
{
  hid_t h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set, space;

  PetscFunctionBegin;
  set   = H5Dopen2(h, name, H5P_DEFAULT);
  space = H5Dget_space(set);
  *n    = (PetscInt)H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc(H5Tget_size(type) * (size_t)*n, values));
  PetscCheck(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadReals(const char file[], const char name[], PetscInt *n, PetscReal **values)
{
  PetscFunctionBegin;
  PetscCall(Read(file, name, H5T_NATIVE_DOUBLE, n, (void **)values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners of a cell are its first points: sum of the volumes */
static void Geometry(PetscInt dim, PetscInt cells, PetscInt Np, const PetscReal x[], PetscReal *volume)
{
  *volume = 0.;
  for (PetscInt e = 0; e < cells; ++e) {
    const PetscReal *c = &x[3 * (size_t)e * Np];
    PetscReal        J[3][3];

    for (PetscInt v = 0; v < 3; ++v)
      for (PetscInt d = 0; d < 3; ++d) J[v][d] = v < dim ? c[3 * (v + 1) + d] - c[d] : d == 2;
    *volume += (J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0])) /
               (dim == 2 ? 2. : 6.);
  }
}

/* VTK's nodes of degree 3, one by one: weights of the corners in thirds. How far a cell's points are from there */
static PetscReal Order3(PetscInt dim, const PetscReal x[])
{
  static const int triangle[10][4] = {
    {3, 0, 0},
    {0, 3, 0},
    {0, 0, 3},
    {2, 1, 0},
    {1, 2, 0},
    {0, 2, 1},
    {0, 1, 2},
    {1, 0, 2},
    {2, 0, 1},
    {1, 1, 1}
  };
  static const int tetrahedron[20][4] = {
    {3, 0, 0, 0},
    {0, 3, 0, 0},
    {0, 0, 3, 0},
    {0, 0, 0, 3},
    {2, 1, 0, 0},
    {1, 2, 0, 0},
    {0, 2, 1, 0},
    {0, 1, 2, 0},
    {1, 0, 2, 0},
    {2, 0, 1, 0},
    {2, 0, 0, 1},
    {1, 0, 0, 2},
    {0, 2, 0, 1},
    {0, 1, 0, 2},
    {0, 0, 2, 1},
    {0, 0, 1, 2},
    {1, 1, 0, 1},
    {0, 1, 1, 1},
    {1, 0, 1, 1},
    {1, 1, 1, 0}
  };
  PetscReal far = 0.;

  for (PetscInt i = 0; i < (dim == 2 ? 10 : 20); ++i) {
    for (PetscInt d = 0; d < 3; ++d) {
      PetscReal sum = 0.;

      for (PetscInt v = 0; v <= dim; ++v) sum += (dim == 2 ? triangle[i][v] : tetrahedron[i][v]) / 3. * x[3 * v + d];
      far = PetscMax(far, PetscAbsReal(sum - x[3 * i + d]));
    }
  }
  return far;
}

/* The largest difference of a field's values, of both states, from the polynomial at the points, over its largest
   value */
static PetscErrorCode Compare(const char file[], const char name[], PetscInt dim, PetscInt N, PetscInt Nf,
                              PetscInt first, PetscInt components, PetscInt points, const PetscReal x[],
                              PetscReal *error)
{
  const PetscInt width = components > 1 ? 3 : 1;
  PetscScalar    u[PLEX_DG_MAX_FIELDS];
  PetscReal     *values;
  PetscReal      largest = 0.;
  char           path[128];
  PetscInt       n;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PetscSNPrintf(path, sizeof(path), "VTKHDF/PointData/%s", name));
  PetscCall(ReadReals(file, path, &n, &values));
  if (n != 2 * points * width) *error = PETSC_MAX_REAL;
  for (PetscInt p = 0; p < 2 * points && n == 2 * points * width; ++p) {
    PetscCall(Polynomial(dim, p < points ? 0. : 0.5, &x[3 * (p % points)], Nf, u, &N));
    for (PetscInt c = 0; c < width; ++c) {
      *error  = PetscMax(*error,
                         PetscAbsReal(values[p * width + c] - (c < components ? PetscRealPart(u[first + c]) : 0.)));
      largest = PetscMax(largest, PetscAbsReal(values[p * width + c]));
    }
  }
  *error /= PetscMax(largest, PETSC_SMALL);
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the first process alone */
static PetscErrorCode Check(const char of[], const char file[], PetscInt dim, PetscInt N, PetscBool maxwell,
                            PetscInt cells, PetscReal volume)
{
  PetscReal     *x, *times, found, error[2], order = 0.;
  long long     *connectivity, *offsets, *begin;
  unsigned char *types;
  PetscInt       n, nc, no, nt, ns, Np = PlexDGNodesSize(dim, N), nb;
  PetscBool      good;

  PetscFunctionBegin;
  PetscCall(ReadReals(file, "VTKHDF/Points", &n, &x));
  PetscCall(ReadReals(file, "VTKHDF/Steps/Values", &ns, &times));
  PetscCall(Read(file, "VTKHDF/Connectivity", H5T_NATIVE_LLONG, &nc, (void **)&connectivity));
  PetscCall(Read(file, "VTKHDF/Offsets", H5T_NATIVE_LLONG, &no, (void **)&offsets));
  PetscCall(Read(file, "VTKHDF/Types", H5T_NATIVE_UCHAR, &nt, (void **)&types));
  PetscCall(Read(file, maxwell ? "VTKHDF/Steps/PointDataOffsets/H" : "VTKHDF/Steps/PointDataOffsets/v",
                 H5T_NATIVE_LLONG, &nb, (void **)&begin));
  good = (PetscBool)(n == 3 * cells * Np && nc == cells * Np && no == cells + 1 && nt == cells && ns == 2 &&
                     times[0] == 0. && times[1] == 0.5 && nb == 2 && begin[0] == 0 &&
                     begin[1] == (long long)cells * Np);
  for (PetscInt i = 0; i < nc && good; ++i) good = (PetscBool)(connectivity[i] == i);
  for (PetscInt e = 0; e < no && good; ++e)
    good = (PetscBool)(offsets[e] == (long long)e * Np && (e == cells || types[e] == (dim == 2 ? 69 : 71)));
  PetscCall(PlexTestReportOf(good, of, "the mesh and the states' places",
                             "%" PetscInt_FMT " numbers of points of %" PetscInt_FMT " cells, %" PetscInt_FMT " states",
                             n, cells, ns));
  Geometry(dim, cells, Np, x, &found);
  for (PetscInt e = 0; N == 3 && e < cells; ++e) order = PetscMax(order, Order3(dim, &x[3 * e * Np]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(found - volume) < 1e-12 * volume && order < 1e-13), of,
                             "the cells' volume and order of nodes", "%.15g, not %.15g; nodes off by %g", (double)found,
                             (double)volume, (double)order));
  PetscCall(Compare(file, maxwell ? "E" : "p", dim, N, maxwell ? 6 : 1 + dim, 0, maxwell ? 3 : 1, n / 3, x, &error[0]));
  PetscCall(Compare(file, maxwell ? "H" : "v", dim, N, maxwell ? 6 : 1 + dim, maxwell ? 3 : 1, maxwell ? 3 : dim, n / 3,
                    x, &error[1]));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] < 1e-12 && error[1] < 1e-12), of, "fields at the points",
                             "differences %g and %g", (double)error[0], (double)error[1]));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(times));
  PetscCall(PetscFree(connectivity));
  PetscCall(PetscFree(offsets));
  PetscCall(PetscFree(types));
  PetscCall(PetscFree(begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(PetscInt dim, PetscReal *volume, DM *dm)
{
  PetscMPIInt size;
  PetscInt    cStart, cEnd;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 2, dm));
  *volume = 0.;
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal v;

    PetscCall(DMPlexComputeCellGeometryFVM(*dm, c, &v, NULL, NULL));
    *volume += v;
  }
  if (size > 1) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDegree(PetscInt dim, PetscInt N, const char system[], const char kind[], const char file[])
{
  DM          dm;
  PetscInt    elements;
  PetscReal   volume;
  PetscMPIInt rank;
  char        of[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MakeMesh(dim, &volume, &dm));
  PetscCall(Write(dm, system, kind, N, file, &elements));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, system, dim, N));
  if (!rank) PetscCall(Check(of, file, dim, N, (PetscBool)(system[0] == 'm'), elements, volume));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options: every second of 5 steps and the last one */
static PetscErrorCode TestMonitor(const char file[])
{
  PlexDG      dg;
  DM          dm;
  TS          ts;
  Vec         U;
  PetscReal   volume, *times, t;
  char        asked[PETSC_MAX_PATH_LEN];
  PetscInt    n;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MakeMesh(2, &volume, &dm));
  PetscCall(PlexTestWaveCreate(dm, 2, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PetscSNPrintf(asked, sizeof(asked), "%s:2", file));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_monitor_solution", asked));
  for (int k = 0; k < 2; ++k) PetscCall(PlexDGSetTS(dg, ts)); /* again: no second monitor */
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_monitor_solution"));
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, &t));
  if (!rank) {
    PetscCall(ReadReals(file, "VTKHDF/Steps/Values", &n, &times));
    PetscCall(PlexTestReport((PetscBool)(n == 4 && times[0] == 0. && PetscAbsReal(times[1] - 0.4 * t) < 1e-14 &&
                                         PetscAbsReal(times[2] - 0.8 * t) < 1e-14 && times[3] == t),
                             "an option writes states while a TS steps", "%" PetscInt_FMT " states", n));
    PetscCall(PetscFree(times));
  }
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Probes */

/* Points everywhere in the mesh, some of them corners: [n][dim] */
static PetscErrorCode MakePoints(DM dm, PetscInt *n, PetscReal **points)
{
  PetscReal low[3], high[3];
  PetscInt  dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetBoundingBox(dm, low, high));
  *n = 40;
  PetscCall(PetscMalloc1(*n * dim, points));
  for (PetscInt p = 0; p < *n; ++p)
    for (PetscInt d = 0; d < dim; ++d) {
      /* the box's own corners first */
      const PetscReal s = p < 2 ? (PetscReal)p : PetscAbsReal(PetscSinReal(1. + 12.9 * p + 5. * d));

      (*points)[p * dim + d] = low[d] + s * (high[d] - low[d]);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A polynomial at points, which is exact; a state that jumps, as on one process */
static PetscErrorCode TestProbes(const char backend[], const char type[], PetscInt dim, PetscInt N)
{
  DM           dm[2];
  PlexDG       dg;
  PlexDGProbes probes;
  Vec          U;
  PetscInt     n, inside = 0;
  PetscReal    volume, *points, *values[2], error = 0., far = 0.;
  PetscBool   *outside;
  PetscScalar  u[6];
  char         of[64];

  PetscFunctionBegin;
  PetscCall(MakeMesh(dim, &volume, &dm[0]));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 2, &dm[1]));
  PetscCall(MakePoints(dm[1], &n, &points));
  PetscCall(PetscMalloc3(n, &outside, 6 * n, &values[0], 6 * n, &values[1]));
  for (int k = 0; k < 2; ++k) {
    PetscInt ndofs;

    PetscCall(PlexTestWaveCreate(dm[k], N, 1., &dg));
    PetscCall(PlexDGSetBackend(dg, backend));
    PetscCall(PlexDGSetType(dg, type));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProbesCreate(dg, n, points, outside, &probes));
    PetscCall(PlexDGProject(dg, 0.3, Polynomial, &N, U));
    PetscCall(PlexDGProbesEvaluate(probes, U, values[k]));
    for (PetscInt p = 0; p < n; ++p) {
      PetscCall(Polynomial(dim, 0.3, &points[p * dim], 6, u, &N));
      for (PetscInt f = 0; f < 6; ++f)
        error = PetscMax(error, PetscAbsReal(values[k][p * 6 + f] - (outside[p] ? 0. : PetscRealPart(u[f]))));
      inside += !outside[p];
    }
    /* each element a constant of its own: of what its centre is */
    {
      PetscScalar *a;

      ndofs = 6 * dg->reference->Np;
      PetscCall(VecGetArrayWrite(U, &a));
      for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
        PetscReal sum = 0.;

        for (PetscInt i = 0; i < (dim + 1) * dim; ++i) sum += dg->mesh->x[e * (dim + 1) * dim + i];
        for (PetscInt i = 0; i < ndofs; ++i) a[e * ndofs + i] = sum;
      }
      PetscCall(VecRestoreArrayWrite(U, &a));
    }
    PetscCall(PlexDGProbesEvaluate(probes, U, values[k]));
    PetscCall(PlexDGProbesDestroy(&probes));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  for (PetscInt k = 0; k < 6 * n; ++k) far = PetscMax(far, PetscAbsReal(values[0][k] - values[1][k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "probes, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend, dim, N));
  PetscCall(PlexTestReportOf((PetscBool)(error < 1e-11 && inside > n / 2 && inside < 2 * n), of,
                             "a polynomial at points, 0 outside",
                             "difference %g, %" PetscInt_FMT " of %" PetscInt_FMT " points inside", (double)error,
                             inside / 2, n));
  PetscCall(PlexTestReportOf((PetscBool)(far < 1e-11), of, "where states jump as on one process", "difference %g",
                             (double)far));
  PetscCall(PetscFree3(outside, values[0], values[1]));
  PetscCall(PetscFree(points));
  for (int k = 0; k < 2; ++k) PetscCall(DMDestroy(&dm[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name[3], *value[3]; /* options */
  PetscInt    steps;
} Asked;

/* Some steps of the wave with options */
static PetscErrorCode Solve(void *ctx)
{
  const Asked   *asked = (const Asked *)ctx;
  PlexDG         dg;
  DM             dm;
  TS             ts;
  Vec            U;
  PetscReal      volume;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(MakeMesh(2, &volume, &dm));
  PetscCall(PlexTestWaveCreate(dm, 2, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  for (int k = 0; k < 3 && asked->name[k]; ++k) PetscCall(PetscOptionsSetValue(NULL, asked->name[k], asked->value[k]));
  ierr = PlexDGSetTS(dg, ts);
  for (int k = 0; k < 3 && asked->name[k]; ++k) PetscCall(PetscOptionsClearValue(NULL, asked->name[k]));
  PetscCall(ierr);
  PetscCall(TSSetMaxSteps(ts, asked->steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables and an HDF5 file of two points hold the same numbers; energies fall */
static PetscErrorCode TestTables(const char file[])
{
  char        csv[PETSC_MAX_PATH_LEN], h5[PETSC_MAX_PATH_LEN], energy[PETSC_MAX_PATH_LEN], line[1024];
  PetscReal  *values, *times, *points, E[3] = {0., 0., 0.}, t, far = 0.;
  PetscInt    n, lines = 0;
  PetscMPIInt rank;
  int         step, p;
  FILE       *table;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(csv, sizeof(csv), "%s.csv", file));
  PetscCall(PetscSNPrintf(h5, sizeof(h5), "%s.h5", file));
  PetscCall(PetscSNPrintf(energy, sizeof(energy), "%s.energy", file));
  PetscCall(Solve(&(Asked){
    {"-plex_dg_probes",  "-plex_dg_monitor_probes", "-plex_dg_monitor_energy"},
    {"0.4,0.45,0.6,0.5", csv,                       energy                   },
    2
  }));
  PetscCall(Solve(&(Asked){
    {"-plex_dg_probes",  "-plex_dg_monitor_probes"},
    {"0.4,0.45,0.6,0.5", h5                       },
    2
  }));
  if (!rank) {
    PetscCall(ReadReals(h5, "values", &n, &values));
    PetscCall(ReadReals(h5, "time", &n, &times));
    PetscCall(ReadReals(h5, "points", &n, &points));
    table = fopen(csv, "r");
    while (table && fgets(line, sizeof(line), table)) {
      double x[2], u[6], at;

      if (!lines++) {
        far += strcmp(line, "step,time,point,x,y,Ex,Ey,Ez,Hx,Hy,Hz\n") != 0;
        continue;
      }
      if (sscanf(line, "%d,%lf,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &step, &at, &p, &x[0], &x[1], &u[0], &u[1], &u[2],
                 &u[3], &u[4], &u[5]) != 11 ||
          step < 0 || step > 2 || p < 0 || p > 1) {
        far = PETSC_MAX_REAL;
        break;
      }
      far += PetscAbsReal(at - times[step]) + PetscAbsReal(x[0] - points[2 * p]) +
             PetscAbsReal(x[1] - points[2 * p + 1]);
      for (int k = 0; k < 6; ++k) far += PetscAbsReal(u[k] - values[(step * 2 + p) * 6 + k]);
    }
    if (table) (void)fclose(table);
    PetscCall(PlexTestReport((PetscBool)(lines == 7 && far == 0. && points[0] == 0.4 && points[3] == 0.5),
                             "a table and an HDF5 file of probes are the same",
                             "%" PetscInt_FMT " lines, difference %g", lines, (double)far));
    PetscCall(PetscFree(values));
    PetscCall(PetscFree(times));
    PetscCall(PetscFree(points));
    lines = 0;
    table = fopen(energy, "r");
    while (table && fgets(line, sizeof(line), table))
      if (lines++) {
        double number[2];

        if (sscanf(line, "%d,%lf,%lf", &step, &number[0], &number[1]) == 3 && step >= 0 && step < 3)
          E[step] = number[1];
        t = number[0];
      }
    if (table) (void)fclose(table);
    PetscCall(PlexTestReport((PetscBool)(lines == 4 && t > 0. && E[0] > 0. && E[1] > 0. && E[2] > 0. && E[1] != E[0]),
                             "a table of energies", "%" PetscInt_FMT " lines: %g, %g, %g", lines, (double)E[0],
                             (double)E[1], (double)E[2]));
    (void)remove(csv);
    (void)remove(h5);
    (void)remove(energy);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  EXPECT("a probe outside", Solve,
         (&(Asked){
           {"-plex_dg_probes", "-plex_dg_monitor_probes"},
           {"0.4,0.45,17,0.5", csv                      },
           2
  }),
         "Point 1, (17., 0.5, 0.), is in no element", "the mesh lies within");
  EXPECT("no probes", Solve, (&(Asked){{"-plex_dg_monitor_probes"}, {csv}, 2}), "-plex_dg_monitor_probes needs points",
         "-plex_dg_probes x,y,x,y");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt rank;
  char        file[PETSC_MAX_PATH_LEN];
  int         id = (int)getpid();
  PetscBool   keep;

  const char *const *backends;
  PetscInt           dim = 3, N = 3, elements, n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-file", file, sizeof(file), &keep));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &N, NULL));
  if (keep) {
    DM        dm;
    PetscReal volume;

    PetscCall(MakeMesh(dim, &volume, &dm));
    PetscCall(Write(dm, "maxwell", "pec", N, file, &elements));
    PetscCall(PlexTestReport(PETSC_TRUE, "written", " "));
    PetscCall(DMDestroy(&dm));
  } else {
    PetscCallMPI(MPI_Bcast(&id, 1, MPI_INT, 0, PETSC_COMM_WORLD));
    PetscCall(PetscSNPrintf(file, sizeof(file), "build/tests/output-%d.vtkhdf", id));
    for (dim = 2; dim <= 3; ++dim) {
      for (N = 1; N <= 9; N += 2) PetscCall(TestDegree(dim, N, "maxwell", "pec", file));
      PetscCall(TestDegree(dim, 2, "acoustics", "wall", file));
    }
    PetscCall(TestMonitor(file));
    PetscCall(PlexTestBackends(&n, &backends));
    for (PetscInt b = 0; b < n; ++b)
      for (dim = 2; dim <= 3; ++dim) PetscCall(TestProbes(backends[b], PLEXDGAUTO, dim, 4));
    PetscCall(TestTables(file));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    if (!rank) (void)remove(file);
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
