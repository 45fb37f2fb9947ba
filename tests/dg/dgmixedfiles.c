static char
  help[] = "Files of meshes of triangles and quadrilaterals: VTKHDF, extrema, probes, checkpoints. With -file NAME "
           "a VTKHDF file of -degree N is written and kept.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "dgmixedfiles: this PETSc was built without HDF5");
}
#else

  #include "dg/interface/dgimpl.h"
  #include "mixedmesh.h"
  #include <hdf5.h>
  #include <unistd.h>

  #define FOLDER "build/tests/"

/* A polynomial of degree N of each field */
static PetscErrorCode Polynomial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k)
    u[k] = t +
           PetscPowRealInt(0.2 + 0.1 * k + (0.5 + 0.07 * k) * x[0] + (0.2 + 0.07 * k) * x[1],
                           (int)*(const PetscInt *)ctx) -
           x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hill of water before a beach */
static PetscErrorCode Hill(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.2 * PetscExpReal(-20. * (PetscSqr(x[0] - 0.3) + PetscSqr(x[1] - 0.4)));
  u[1] = u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Beach(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.6 - 0.8 * x[0] + 0.05 * PetscSinReal(11. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mesh(MPI_Comm comm, PlexTestMix mix, PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  if (comm == PETSC_COMM_SELF) PetscCall(PlexTestMixedCreate(comm, mix, n, dm));
  else PetscCall(PlexTestMixedDistribute(mix, n, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a shore */
static PetscErrorCode CreateWater(DM dm, PetscInt N, const char backend[], PlexDG *dg)
{
  const PetscReal dry = 1e-3;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
  PetscCall(PlexDGSetCoefficients(*dg, Beach, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a shore */
static PetscErrorCode CreateLinear(PetscInt N, PetscInt n, const char backend[], PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(Mesh(PETSC_COMM_WORLD, PLEX_TEST_MIX_RANDOM, n, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water_linear"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an array of a file all numbers of `type`, [*n] */
static PetscErrorCode Read(const char file[], const char name[], hid_t type, PetscInt *n, void *values)
{
  const hid_t h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(h, name, H5P_DEFAULT),
              space = H5Dget_space(set);

  PetscFunctionBegin;
  *n = (PetscInt)H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc(H5Tget_size(type) * (size_t)*n, (void **)values));
  PetscCheck(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *(void **)values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- VTKHDF */

/* Whether cells, each of the types types[2] with sizes[2] corners, use all points in turn; counts[2] of each type */
static PetscErrorCode CheckCells(const char file[], const int types[2], const PetscInt sizes[2], PetscBool once,
                                 PetscInt counts[2], PetscBool *good)
{
  int      *type;
  PetscInt *index, *offsets, n, nindex, noffsets, points;
  double   *x;

  PetscFunctionBegin;
  PetscCall(Read(file, "VTKHDF/Types", H5T_NATIVE_INT, &n, &type));
  PetscCall(Read(file, "VTKHDF/Connectivity", H5T_NATIVE_INT, &nindex, &index));
  PetscCall(Read(file, "VTKHDF/Offsets", H5T_NATIVE_INT, &noffsets, &offsets));
  PetscCall(Read(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &points, &x));
  *good = (PetscBool)(noffsets == n + 1 && offsets[0] == 0 && offsets[n] == nindex && sizeof(int) == sizeof(*index));
  counts[0] = counts[1] = 0;
  for (PetscInt c = 0; c < n; ++c) {
    const int k = type[c] == types[1];

    ++counts[k];
    *good = (PetscBool)(*good && type[c] == types[k] && offsets[c + 1] - offsets[c] == sizes[k]);
  }
  for (PetscInt i = 0; i < nindex; ++i)
    *good = (PetscBool)(*good && index[i] >= 0 && 3 * index[i] < points && (!once || index[i] == i));
  PetscCall(PetscFree(type));
  PetscCall(PetscFree(index));
  PetscCall(PetscFree(offsets));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two states of a polynomial: at the points of the file is what it is there */
static PetscErrorCode TestVTK(const char backend[], PetscInt N, const char kept[])
{
  const char *file = kept ? kept : FOLDER "mixed.vtkhdf";
  PetscInt    all[2], counts[2], n, nv, np;
  PetscBool   good;
  PetscReal   far = 0.;
  double     *x, *eta, *v;
  PlexDG      dg;
  Vec         U;
  PetscMPIInt rank;
  char        of[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(CreateLinear(N, 5, backend, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  for (int s = 0; s < 2; ++s) {
    PetscCall(PlexDGProject(dg, 0.5 * s, Polynomial, &N, U));
    PetscCall(PlexDGWriteVTKHDF(dg, file, (PetscBool)s, 0.5 * s, U));
  }
  for (int k = 0; k < 2; ++k) all[k] = dg->parts[k]->mesh->NeGlobal;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(CheckCells(file, (const int[]){69, 70}, (const PetscInt[]){(N + 1) * (N + 2) / 2, (N + 1) * (N + 1)},
                       PETSC_TRUE, counts, &good));
  PetscCall(Read(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &n, &x));
  PetscCall(Read(file, "VTKHDF/PointData/eta", H5T_NATIVE_DOUBLE, &np, &eta));
  PetscCall(Read(file, "VTKHDF/PointData/v", H5T_NATIVE_DOUBLE, &nv, &v));
  n /= 3;
  good = (PetscBool)(good && np == 2 * n && nv == 6 * n && counts[0] == all[0] && counts[1] == all[1]);
  for (PetscInt i = 0; good && i < 2 * n; ++i) {
    PetscScalar u[3];

    PetscCall(Polynomial(2, i < n ? 0. : 0.5, &x[3 * (i % n)], 3, u, &N));
    far = PetscMax(far, PetscAbsReal(u[0] - eta[i]));
    far = PetscMax(far, PetscAbsReal(u[1] - v[3 * i]));
    far = PetscMax(far, PetscAbsReal(u[2] - v[3 * i + 1]));
    far = PetscMax(far, PetscAbsReal(v[3 * i + 2]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, backend, N));
  PetscCall(PlexTestReportOf((PetscBool)(good && far < 1e-12), of, "a VTKHDF file of both kinds",
                             "off by %g; %" PetscInt_FMT " triangles, %" PetscInt_FMT " quadrilaterals", (double)far,
                             counts[0], counts[1]));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(eta));
  PetscCall(PetscFree(v));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank && !kept) (void)unlink(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Probes */

/* At points anywhere, on faces and at vertices, a polynomial is what it is; outside there is none */
static PetscErrorCode TestProbes(const char backend[], PetscInt N)
{
  enum {
    POINTS = 200
  };
  PetscReal    x[POINTS][2], values[POINTS][3], far = 0.;
  PetscBool    outside[POINTS];
  PetscInt     lost = 0;
  PlexDG       dg;
  PlexDGProbes probes;
  Vec          U;
  char         of[64];

  PetscFunctionBegin;
  for (PetscInt p = 0; p < POINTS; ++p) {
    x[p][0] = PetscFmodReal(0.618034 * p, 1.);
    x[p][1] = PetscFmodReal(0.754878 * p, 1.);
    if (p < 10) x[p][0] = 0., x[p][1] = 0.1 * p; /* on the side */
  }
  x[10][0] = 1.5;
  PetscCall(CreateLinear(N, 5, backend, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Polynomial, &N, U));
  PetscCall(PlexDGProbesCreate(dg, POINTS, &x[0][0], outside, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, &values[0][0]));
  PetscCall(PlexDGProbesDestroy(&probes));
  for (PetscInt p = 0; p < POINTS; ++p) {
    PetscScalar u[3] = {0., 0., 0.};

    if (p != 10) PetscCall(Polynomial(2, 0., x[p], 3, u, &N));
    lost += outside[p] != (PetscBool)(p == 10);
    for (PetscInt k = 0; k < 3; ++k) far = PetscMax(far, PetscAbsReal(values[p][k] - u[k]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, backend, N));
  PetscCall(PlexTestReportOf((PetscBool)(!lost && far < 1e-12), of, "values at points",
                             "off by %g, %" PetscInt_FMT " points are elsewhere", (double)far, lost));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at points where elements meet, and within them, of a run: the same on any number of processes */
static PetscErrorCode TestProbesAgree(const char backend[])
{
  enum {
    POINTS = 36
  };
  PetscReal x[POINTS][2], values[2][POINTS][3], far = 0.;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < POINTS; ++p) {
    x[p][0] = (p % 6) / 5.;
    x[p][1] = (p / 6) / 5.;
    if (x[p][0] > 0.01 && x[p][0] < 0.99) x[p][1] *= 0.999; /* vertices inside are moved, those of sides are not */
  }
  for (int k = 0; k < 2; ++k) {
    PlexDG       dg;
    PlexDGProbes probes;
    Vec          U;
    DM           dm;

    PetscCall(Mesh(k ? PETSC_COMM_WORLD : PETSC_COMM_SELF, PLEX_TEST_MIX_RANDOM, 5, &dm));
    PetscCall(CreateWater(dm, 2, k ? backend : PLEXBACKENDHOST, &dg));
    PetscCall(DMDestroy(&dm));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., Hill, NULL, U));
    PetscCall(PlexDGProbesCreate(dg, POINTS, &x[0][0], NULL, &probes));
    PetscCall(PlexDGProbesEvaluate(probes, U, &values[k][0][0]));
    PetscCall(PlexDGProbesDestroy(&probes));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  for (PetscInt p = 0; p < POINTS; ++p) far = PetscMax(far, PetscAbsReal(values[0][p][0] - values[1][p][0]));
  PetscCall(PlexTestReportOf((PetscBool)(far < 1e-13), backend, "where elements meet it is the same one's value", "%g",
                             (double)far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Extrema and checkpoints */

typedef struct {
  PlexDG dg;
  TS     ts;
  Vec    U, most; /* most: the greatest of each value at the end of steps */
} Run;

static PetscErrorCode Watch(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMax(*(Vec *)ctx, *(Vec *)ctx, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(DM dm, const char backend[], const char extrema[], Run *r)
{
  PetscFunctionBegin;
  PetscCall(CreateWater(dm, 2, backend, &r->dg));
  PetscCall(PlexDGCreateVec(r->dg, &r->U));
  PetscCall(VecDuplicate(r->U, &r->most));
  PetscCall(PlexDGProject(r->dg, 0., Hill, NULL, r->U));
  PetscCall(VecCopy(r->U, r->most));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &r->ts));
  PetscCall(TSSetSolution(r->ts, r->U));
  PetscCall(PlexDGSetTS(r->dg, r->ts));
  PetscCall(TSMonitorSet(r->ts, Watch, &r->most, NULL));
  if (extrema) PetscCall(PlexDGMonitorExtrema(r->dg, r->ts, 0.01, extrema, 0));
  PetscCall(TSSetMaxTime(r->ts, 1e9));
  PetscCall(TSSetExactFinalTime(r->ts, TS_EXACTFINALTIME_STEPOVER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(Run *r)
{
  PetscFunctionBegin;
  PetscCall(TSDestroy(&r->ts));
  PetscCall(VecDestroy(&r->U));
  PetscCall(VecDestroy(&r->most));
  PetscCall(PlexDGDestroy(&r->dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* highest[nodes] against the greatest elevations that were seen; those of the file are the same numbers somewhere */
static PetscErrorCode TestExtrema(const char backend[], PetscInt steps)
{
  const char        *file = FOLDER "mixedextrema.vtkhdf";
  const PetscScalar *u;
  PetscReal         *highest, *arrival, far = 0., sums[2] = {0., 0.};
  PetscInt           n, at = 0, reached = 0, counts[2], np;
  PetscBool          good;
  double            *high;
  Run                r;
  DM                 dm;
  PetscMPIInt        rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Mesh(PETSC_COMM_WORLD, PLEX_TEST_MIX_RANDOM, 5, &dm));
  PetscCall(Begin(dm, backend, file, &r));
  PetscCall(DMDestroy(&dm));
  PetscCall(TSSetMaxSteps(r.ts, steps));
  PetscCall(TSSolve(r.ts, r.U));
  n = PlexDGGetLocalSize(r.dg) / 3;
  PetscCall(PetscMalloc2(n, &highest, n, &arrival));
  PetscCall(PlexDGGetExtrema(r.dg, highest, NULL, arrival));
  PetscCall(VecGetArrayRead(r.most, &u));
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscInt Np = r.dg->parts[k]->reference->Np;

    for (PetscInt e = 0; e < r.dg->parts[k]->mesh->Ne; ++e, u += 3 * Np)
      for (PetscInt i = 0; i < Np; ++i, ++at) {
        far = PetscMax(far, PetscAbsReal(highest[at] - u[i]));
        sums[0] += highest[at];
        reached += !PetscIsNanReal(arrival[at]);
      }
  }
  u -= 3 * n;
  PetscCall(VecRestoreArrayRead(r.most, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &far, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &reached, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(CheckCells(file, (const int[]){5, 9}, (const PetscInt[]){3, 4}, PETSC_FALSE, counts, &good));
  for (int k = 0; k < 2; ++k) good = (PetscBool)(good && counts[k] == 4 * r.dg->parts[k]->mesh->NeGlobal);
  PetscCall(Read(file, "VTKHDF/PointData/highest", H5T_NATIVE_DOUBLE, &np, &high));
  for (PetscInt k = 0; k < np; ++k) sums[1] += high[k];
  PetscCall(PlexTestReportOf((PetscBool)(far == 0. && reached > 0 && reached < n), backend,
                             "greatest elevations are those of the steps",
                             "%g, the wave arrives at %" PetscInt_FMT " of %" PetscInt_FMT " nodes", (double)far,
                             reached, n));
  PetscCall(PlexTestReportOf((PetscBool)(good && np == n && PetscAbsReal(sums[0] - sums[1]) < 1e-11), backend,
                             "a file of extrema", "%" PetscInt_FMT " numbers, %g and %g", np, (double)sums[0],
                             (double)sums[1]));
  PetscCall(PetscFree(high));
  PetscCall(PetscFree2(highest, arrival));
  PetscCall(End(&r));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)unlink(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run in two parts has the bits of one, with its extrema; and a checkpoint has the same state on one process */
static PetscErrorCode TestCheckpoint(const char backend[], PetscInt steps)
{
  const char        *file = FOLDER "mixed.h5", *extrema = FOLDER "mixedhalf.vtkhdf";
  const PetscScalar *u[2];
  PetscReal         *highest[2], error[2], integrals[2][3];
  PetscInt           n;
  PetscBool          same[2];
  Run                whole, half, one;
  DM                 dm; /* of all runs: one that is distributed again may be distributed otherwise */
  PetscMPIInt        rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(Mesh(PETSC_COMM_WORLD, PLEX_TEST_MIX_RANDOM, 5, &dm));
  PetscCall(Begin(dm, backend, extrema, &whole));
  PetscCall(TSSetMaxSteps(whole.ts, 2 * steps));
  PetscCall(TSSolve(whole.ts, whole.U));
  PetscCall(Begin(dm, backend, extrema, &half));
  PetscCall(TSSetMaxSteps(half.ts, steps));
  PetscCall(TSSolve(half.ts, half.U));
  PetscCall(PlexDGSaveCheckpoint(half.dg, half.ts, half.U, file));
  PetscCall(PlexDGComputeL2Error(half.dg, 0., Hill, NULL, half.U, &error[0]));
  PetscCall(PlexDGComputeIntegrals(half.dg, half.U, integrals[0]));
  PetscCall(End(&half));
  PetscCall(Begin(dm, backend, extrema, &half));
  PetscCall(TSSetMaxSteps(half.ts, 2 * steps));
  PetscCall(PlexDGLoadCheckpoint(half.dg, half.ts, file, half.U));
  PetscCall(TSSolve(half.ts, half.U));
  n = PlexDGGetLocalSize(half.dg);
  PetscCall(PetscMalloc2(n / 3, &highest[0], n / 3, &highest[1]));
  PetscCall(PlexDGGetExtrema(whole.dg, highest[0], NULL, NULL));
  PetscCall(PlexDGGetExtrema(half.dg, highest[1], NULL, NULL));
  PetscCall(VecGetArrayRead(whole.U, &u[0]));
  PetscCall(VecGetArrayRead(half.U, &u[1]));
  PetscCall(PetscArraycmp(u[0], u[1], n, &same[0]));
  PetscCall(PetscArraycmp(highest[0], highest[1], n / 3, &same[1]));
  PetscCall(VecRestoreArrayRead(whole.U, &u[0]));
  PetscCall(VecRestoreArrayRead(half.U, &u[1]));
  PetscCall(PetscFree2(highest[0], highest[1]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, same, 2, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(End(&whole));
  PetscCall(End(&half));
  PetscCall(PlexTestReportOf(same[0], backend, "a continued run has the same bits", "it has not"));
  PetscCall(PlexTestReportOf(same[1], backend, "and the same extrema", "it has not"));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(DMDestroy(&dm));
  PetscCall(Mesh(PETSC_COMM_SELF, PLEX_TEST_MIX_RANDOM, 5, &dm));
  PetscCall(Begin(dm, PLEXBACKENDHOST, NULL, &one));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGLoadCheckpoint(one.dg, one.ts, file, one.U));
  PetscCall(PlexDGComputeL2Error(one.dg, 0., Hill, NULL, one.U, &error[1]));
  PetscCall(PlexDGComputeIntegrals(one.dg, one.U, integrals[1]));
  PetscCall(End(&one));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[0] - error[1]) < 1e-14 && error[0] > 1e-3 &&
                                         PetscAbsReal(integrals[0][0] - integrals[1][0]) < 1e-14),
                             backend, "one process reads the same state", "%.15g and %.15g", (double)error[0],
                             (double)error[1]));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)unlink(file);
  if (!rank) (void)unlink(extrema);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input: a checkpoint of this mesh is read on another one */

typedef struct {
  PlexTestMix mixes[2];
  PetscInt    cells[2];
  PetscReal   gravity;
} Other;

static PetscErrorCode ReadElsewhere(void *ctx)
{
  const Other *o    = (const Other *)ctx;
  const char  *file = FOLDER "mixedother.h5";

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexDG dg;
    Vec    U;
    DM     dm;

    PetscCall(Mesh(PETSC_COMM_SELF, o->mixes[k], o->cells[k], &dm));
    PetscCall(CreateWater(dm, 2, PLEXBACKENDHOST, &dg));
    PetscCall(DMDestroy(&dm));
    if (k) PetscCall(PlexDGSetConstant(dg, "gravity", 1, &o->gravity));
    PetscCall(PlexDGCreateVec(dg, &U));
    if (k) PetscCall(PlexDGLoadCheckpoint(dg, NULL, file, U));
    else PetscCall(PlexDGSaveCheckpoint(dg, NULL, U, file));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  EXPECT("a checkpoint of both kinds, and a mesh of triangles", ReadElsewhere,
         (&(Other){
           {PLEX_TEST_MIX_RANDOM, PLEX_TEST_MIX_ALL},
           {4,                    4                },
           9.81
  }),
         "of a mesh of triangles and quadrilaterals", "this one has one kind of cell");
  EXPECT("a checkpoint of triangles, and a mesh of both kinds", ReadElsewhere,
         (&(Other){
           {PLEX_TEST_MIX_ALL, PLEX_TEST_MIX_RANDOM},
           {4,                 4                   },
           9.81
  }),
         "of a mesh of one kind of cell", "this one has triangles and quadrilaterals");
  EXPECT("a checkpoint of another mesh of both kinds", ReadElsewhere,
         (&(Other){
           {PLEX_TEST_MIX_RANDOM, PLEX_TEST_MIX_RANDOM},
           {4,                    5                   },
           9.81
  }),
         "is of a mesh of", "use the mesh that it was written with");
  EXPECT("a checkpoint of another gravity", ReadElsewhere,
         (&(Other){
           {PLEX_TEST_MIX_RANDOM, PLEX_TEST_MIX_RANDOM},
           {4,                    4                   },
           5.
  }),
         "constant gravity was 9.81 and is 5", "-plex_dg_restart_changed");
  (void)unlink(FOLDER "mixedother.h5");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode TestOn(const char backend[], PetscBool quick)
{
  PetscFunctionBegin;
  for (PetscInt N = 1; N <= (quick ? 2 : 4); ++N) {
    PetscCall(TestVTK(backend, N, NULL));
    PetscCall(TestProbes(backend, N));
  }
  PetscCall(TestProbesAgree(backend));
  PetscCall(TestExtrema(backend, quick ? 4 : 20));
  PetscCall(TestCheckpoint(backend, quick ? 3 : 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestOn(PLEXBACKENDHOST, PETSC_FALSE));
  PetscCall(TestErrors());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscFunctionBegin;
  PetscCall(TestOn(backend, (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char        file[PETSC_MAX_PATH_LEN];
  PetscInt    N = 3;
  PetscBool   set;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-file", file, sizeof(file), &set));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &N, NULL));
  if (set) PetscCall(TestVTK(PLEXBACKENDHOST, N, file));
  else {
    if (size > 1) PetscCall(TestOn(PLEXBACKENDHOST, PETSC_TRUE));
    PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
#endif
