static char
  help[] = "Extrema of water over the steps of a run: at each node what the states at the ends of all accepted "
           "steps give, on a shore too; after a restart; their file; bad input.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "dgextrema: this PETSc was built without HDF5");
}
#else

  #include "waterproblem.h"
  #include <hdf5.h>
  #include <unistd.h>

  #define THRESHOLD 0.004

typedef struct {
  const char   *backend, *system, *type; /* type NULL: what PlexDGSetTS() sets */
  PetscBool     quadrilaterals, linear, shore;
  PetscInt      N;
  PlexPrecision precision;
} Case;

/* A beach, dry beyond x = 0.6; or water everywhere */
static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = ((const Case *)ctx)->shore ? 0.3 - 0.5 * x[0] : 0.3 - 0.2 * x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hump(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 0.06 * PetscExpReal(-(PetscSqr(x[0] - 0.3) + PetscSqr(x[1] - 0.4)) / 0.01);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The same by looking at all states on the host */

typedef struct {
  PlexDG    dg;
  PetscReal dry, *initial, *values[3]; /* [Ne][Np] highest, fastest, arrival */
  PetscInt  seen;
} Reference;

static PetscErrorCode Look(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Reference         *r  = (Reference *)ctx;
  const PetscInt     Ne = r->dg->mesh->Ne, Np = r->dg->reference->Np, NK = r->dg->system->ncoefficients;
  const PetscReal   *linear;
  const PetscScalar *u;
  PetscBool          islinear = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(r->dg->system->name, "tsunami")) {
    PetscCall(PlexDGGetConstant(r->dg, "linear", NULL, &linear));
    islinear = (PetscBool)(linear[0] > 0.);
  }
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      const PetscInt  k   = e * Np + i;
      const PetscReal eta = u[(e * 3) * Np + i], qx = u[(e * 3 + 1) * Np + i], qy = u[(e * 3 + 2) * Np + i],
                      d = r->dg->variables[(e * NK) * Np + i], H = islinear ? d : d + eta,
                      speed = H > r->dry ? PetscSqrtReal(fma(qy, qy, qx * qx)) / H : 0.;

      if (!r->seen) {
        r->initial[k]   = eta;
        r->values[0][k] = eta;
        r->values[1][k] = speed;
        r->values[2][k] = NAN;
      }
      r->values[0][k] = PetscMax(r->values[0][k], eta);
      r->values[1][k] = PetscMax(r->values[1][k], speed);
      if (isnan(r->values[2][k]) && PetscAbsReal(eta - r->initial[k]) > THRESHOLD) r->values[2][k] = t;
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  ++r->seen;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReferenceCreate(PlexDG dg, PetscReal dry, Reference *r)
{
  const PetscInt n = dg->mesh->Ne * dg->reference->Np;

  PetscFunctionBegin;
  *r = (Reference){.dg = dg, .dry = dry};
  PetscCall(PetscMalloc4(n, &r->initial, n, &r->values[0], n, &r->values[1], n, &r->values[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReferenceDestroy(Reference *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->initial, r->values[0], r->values[1], r->values[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers whose bits differ, of all processes; NaN is NaN */
static PetscErrorCode Different(PetscInt n, const PetscReal a[], const PetscReal b[], PetscInt *different)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) count += !(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
  PetscCallMPI(MPIU_Allreduce(&count, different, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Runs */

static PetscErrorCode Create(const Case *c, PlexDG *dg, Vec *U, TS *ts)
{
  const PetscReal dry = c->shore ? 1e-3 : 0., linear = 1.;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, c->quadrilaterals, PLEX_TEST_AFFINE, 6, 1, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, c->precision));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
  if (c->linear) PetscCall(PlexDGSetConstant(*dg, "linear", 1, &linear));
  PetscCall(PlexDGSetCoefficients(*dg, Depth, (void *)c));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexDGProject(*dg, 0., Hump, NULL, *U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, ts));
  PetscCall(TSSetSolution(*ts, *U));
  if (c->type) PetscCall(TSSetType(*ts, c->type));
  PetscCall(PlexDGSetTS(*dg, *ts));
  PetscCall(TSSetMaxTime(*ts, 1e9));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_STEPOVER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that a tolerance chooses, from one far too long: it is rejected */
static PetscErrorCode Choosy(TS ts)
{
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(TSSetType(ts, TSRK));
  PetscCall(TSRKSetType(ts, TSRK3BS));
  PetscCall(TSSetTolerances(ts, 1e-5, NULL, 1e-5, NULL));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, 8. * dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(PlexDG *dg, Vec *U, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSDestroy(ts));
  PetscCall(VecDestroy(U));
  PetscCall(PlexDGDestroy(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values[3][n] */
static PetscErrorCode GetValues(PlexDG dg, PetscInt *n, PetscReal **values)
{
  PetscFunctionBegin;
  *n = dg->mesh->Ne * dg->reference->Np;
  PetscCall(PetscMalloc1(3 * *n, values));
  PetscCall(PlexDGGetExtrema(dg, *values, *values + *n, *values + 2 * *n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRun(const char file[], const Case *c)
{
  const PetscBool choosy = (PetscBool)(c->type && !strcmp(c->type, TSRK));
  PlexDG          dg;
  Vec             U;
  TS              ts;
  Reference       r;
  PetscReal      *values;
  PetscInt        n, different[3], rejections, count[3] = {0, 0, 0}; /* arrived, never, dry all the time */
  char            of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s%s, %s of degree %" PetscInt_FMT ", %s, %s", c->backend,
                          c->linear ? "linear " : "", c->system, c->quadrilaterals ? "quadrilaterals" : "triangles",
                          c->N, PlexPrecisions[c->precision], c->type ? c->type : "ssp3"));
  PetscCall(Create(c, &dg, &U, &ts));
  if (choosy) PetscCall(Choosy(ts));
  PetscCall(ReferenceCreate(dg, c->shore ? 1e-3 : 0., &r));
  PetscCall(TSMonitorSet(ts, Look, &r, NULL));
  PetscCall(PlexDGMonitorExtrema(dg, ts, THRESHOLD, file, 7));
  PetscCall(TSSetMaxSteps(ts, 30));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetStepRejections(ts, &rejections));
  PetscCall(GetValues(dg, &n, &values));
  for (int k = 0; k < 3; ++k) PetscCall(Different(n, &values[k * n], r.values[k], &different[k]));
  PetscCall(PlexTestReportOf((PetscBool)(!different[0] && !different[1] && !different[2] && r.seen == 31 &&
                                         (!choosy || rejections > 0)),
                             of, "the extrema of all states, bit for bit",
                             "%" PetscInt_FMT " elevations, %" PetscInt_FMT " speeds, %" PetscInt_FMT
                             " arrivals differ; %" PetscInt_FMT " states, %" PetscInt_FMT " steps rejected",
                             different[0], different[1], different[2], r.seen, rejections));
  for (PetscInt k = 0; k < n; ++k) {
    count[0] += values[2 * n + k] > 0.;
    count[1] += isnan(values[2 * n + k]);
    count[2] += values[n + k] == 0. && values[k] > 0.05; /* ground above the level of rest, without any speed */
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(count[0] && count[1] && (!c->shore || count[2])), of,
                             "waves that arrive, and places where they do not, and dry land",
                             "%" PetscInt_FMT " arrive, %" PetscInt_FMT " never, %" PetscInt_FMT " nodes dry", count[0],
                             count[1], count[2]));
  PetscCall(PetscFree(values));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Water that moves, half as deep as counts as dry, and then twice */
static PetscErrorCode TestThin(const Case *c, const char map[])
{
  PlexDG       dg;
  Vec          U;
  TS           ts;
  PetscReal   *values, most[2];
  PetscScalar *u;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(Create(c, &dg, &U, &ts));
  PetscCall(PlexDGMonitorExtrema(dg, ts, THRESHOLD, map, 0));
  for (int k = 0; k < 2; ++k) {
    const PetscInt Np = dg->reference->Np, NK = dg->system->ncoefficients;

    PetscCall(VecGetArray(U, &u));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
      for (PetscInt i = 0; i < Np; ++i) {
        u[e * 3 * Np + i]       = (k ? 2e-3 : 5e-4) - dg->variables[e * NK * Np + i];
        u[(e * 3 + 1) * Np + i] = 0.006;
        u[(e * 3 + 2) * Np + i] = 0.008;
      }
    PetscCall(VecRestoreArray(U, &u));
    PetscCall(TSMonitor(ts, k, 0.1 * k, U));
    PetscCall(GetValues(dg, &n, &values));
    most[k] = 0.;
    for (PetscInt i = 0; i < n; ++i) most[k] = PetscMax(most[k], values[n + i]);
    PetscCall(PetscFree(values));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(most[0] == 0. && PetscAbsReal(most[1] - 5.) < 1e-9), c->backend,
                             "no speed of water that counts as dry", "%g, and 5 is %.15g", (double)most[0],
                             (double)most[1]));
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Restarts */

typedef struct {
  const Case *c;
  const char *from, *to, *map; /* checkpoints, or NULL; the file of the extrema, NULL: none are asked for */
  PetscInt    steps;
  PetscReal   threshold;
  PetscInt    n;
  PetscReal  *values; /* result */
} Part;

static PetscErrorCode RunPart(void *ctx)
{
  Part  *p = (Part *)ctx;
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(Create(p->c, &dg, &U, &ts));
  if (p->to) PetscCall(PlexDGMonitorCheckpoint(dg, ts, p->to, 0)); /* before the state's own extrema are there */
  if (p->map) PetscCall(PlexDGMonitorExtrema(dg, ts, p->threshold, p->map, 0));
  PetscCall(TSSetMaxSteps(ts, p->steps));
  if (p->from) PetscCall(PlexDGLoadCheckpoint(dg, ts, p->from, U));
  PetscCall(TSSolve(ts, U));
  if (p->map) PetscCall(GetValues(dg, &p->n, &p->values));
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRestart(const Case *c, const char file[], const char map[])
{
  Part     whole = {c, NULL, NULL, map, 24, THRESHOLD, 0, NULL}, half = {c, NULL, file, map, 12, THRESHOLD, 0, NULL},
           rest = {c, file, NULL, map, 24, THRESHOLD, 0, NULL}, other = {c, file, NULL, map, 24, 1., 0, NULL},
           without = {c, NULL, file, NULL, 12, 0., 0, NULL};
  PetscInt different[2];

  PetscFunctionBegin;
  PetscCall(RunPart(&whole));
  PetscCall(RunPart(&half));
  PetscCall(RunPart(&rest));
  PetscCall(Different(3 * whole.n, whole.values, rest.values, &different[0]));
  PetscCall(Different(3 * whole.n, whole.values, half.values, &different[1]));
  PetscCall(PlexTestReportOf((PetscBool)(!different[0] && different[1]), c->backend,
                             "12 steps, a checkpoint and 12 more have the extrema of 24",
                             "%" PetscInt_FMT " numbers differ, %" PetscInt_FMT " after half of it", different[0],
                             different[1]));
  EXPECT("another threshold than the checkpoint's", RunPart, &other, file,
         "-plex_dg_extrema_threshold was 0.004 and is 1", "-plex_dg_restart_changed");
  PetscCall(RunPart(&without));
  EXPECT("a checkpoint without extrema", RunPart, &rest, file, "kept no extrema (-plex_dg_extrema)",
         "-plex_dg_restart_changed");
  PetscCall(PetscFree(rest.values));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_restart_changed", NULL));
  PetscCall(RunPart(&rest));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_restart_changed"));
  PetscCall(Different(3 * whole.n, whole.values, rest.values, &different[0]));
  PetscCall(PlexTestReportOf((PetscBool)(different[0] > 0), c->backend,
                             "extrema that begin at a checkpoint, where that is accepted", "none differs"));
  PetscCall(PetscFree(whole.values));
  PetscCall(PetscFree(half.values));
  PetscCall(PetscFree(rest.values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The file */

/* All numbers of an array, as doubles; PetscFree() them */
static PetscErrorCode ReadAll(const char path[], const char name[], hssize_t *n, PetscReal **values)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT),
              space = H5Dget_space(set);

  PetscFunctionBegin;
  *n = H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc1((size_t)*n, values));
  PetscCheck(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "%s of %s cannot be read", name, path);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one process: what PlexDGGetExtrema() gives, at the nodes, and cells that cover the unit square */
static PetscErrorCode TestFile(const Case *c, const char map[])
{
  const char *const names[] = {"VTKHDF/PointData/highest", "VTKHDF/PointData/fastest", "VTKHDF/PointData/arrival",
                               "VTKHDF/Points", "VTKHDF/Connectivity"};
  const PetscInt    nv      = c->quadrilaterals ? 4 : 3;
  PlexDG            dg;
  Vec               U;
  TS                ts;
  const PetscReal  *nodes;
  PetscReal        *values, *read[5], area = 0., least = 1., off = 0.;
  PetscInt          n, different[3];
  hssize_t          size[5];
  char              option[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_extrema %s -plex_dg_extrema_threshold 0.004", map));
  PetscCall(PetscOptionsInsertString(NULL, option));
  PetscCall(Create(c, &dg, &U, &ts));
  PetscCall(PlexTestClearOptions(option));
  PetscCall(TSSetMaxSteps(ts, 9));
  PetscCall(TSSolve(ts, U));
  PetscCall(GetValues(dg, &n, &values));
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &nodes));
  for (int k = 0; k < 5; ++k) PetscCall(ReadAll(map, names[k], &size[k], &read[k]));
  for (int k = 0; k < 3; ++k) PetscCall(Different(n, &values[k * n], read[k], &different[k]));
  for (PetscInt k = 0; k < 2 * n && size[3] == 3 * n; ++k)
    off = PetscMax(off, PetscAbsReal(nodes[k] - read[3][k / 2 * 3 + k % 2]));
  for (hssize_t i = 0; i < size[4]; i += nv) {
    PetscReal twice = 0.;

    for (PetscInt v = 0; v < nv; ++v) {
      const PetscReal *a = &read[3][3 * (int)read[4][i + v]], *b = &read[3][3 * (int)read[4][i + (v + 1) % nv]];

      twice += a[0] * b[1] - a[1] * b[0];
    }
    area += 0.5 * twice;
    least = PetscMin(least, twice);
  }
  PetscCall(PlexTestReportOf((PetscBool)(size[0] == n && !different[0] && !different[1] && !different[2] &&
                                         size[3] == 3 * n && off == 0.),
                             c->quadrilaterals ? "quadrilaterals" : "triangles", "the file has the extrema",
                             "%d of %" PetscInt_FMT " nodes, %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                             " differ",
                             (int)size[0], n, different[0], different[1], different[2]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(area - 1.) < 1e-12 && least > 0. &&
                                         size[4] == dg->mesh->Ne * c->N * c->N * nv),
                             c->quadrilaterals ? "quadrilaterals" : "triangles", "cells between the nodes",
                             "area %.15g, smallest twice %g, %d corners", (double)area, (double)least, (int)size[4]));
  for (int k = 0; k < 5; ++k) PetscCall(PetscFree(read[k]));
  PetscCall(PetscFree(values));
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bad input */

static PetscErrorCode OtherSystem(void *ctx)
{
  DM     dm;
  PlexDG dg;
  TS     ts;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, PETSC_FALSE, PLEX_TEST_AFFINE, 2, 1, &dm));
  PetscCall(PlexTestBasinCreate(dm, 1, &dg));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(PlexDGMonitorExtrema(dg, ts, PETSC_DETERMINE, "none.vtkhdf", 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BadThreshold(void *ctx)
{
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(Create((const Case *)ctx, &dg, &U, &ts));
  PetscCall(PlexDGMonitorExtrema(dg, ts, -0.5, "none.vtkhdf", 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoSteps(void *ctx)
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  PetscReal none;

  PetscFunctionBegin;
  PetscCall(Create((const Case *)ctx, &dg, &U, &ts));
  PetscCall(PlexDGGetExtrema(dg, &none, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[], const char map[], const char file[])
{
  const Case cases[] = {
    {backend, "shallow_water", NULL,             PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  2, PLEX_PRECISION_DOUBLE},
    {backend, "tsunami",       TSPLEXLOWSTORAGE, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE,  3, PLEX_PRECISION_SINGLE},
    {backend, "tsunami",       TSRK,             PETSC_TRUE,  PETSC_TRUE,  PETSC_FALSE, 1, PLEX_PRECISION_DOUBLE},
    {backend, "shallow_water", TSRK,             PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 3, PLEX_PRECISION_DOUBLE}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestRun(map, &cases[k]));
  PetscCall(TestThin(&cases[0], map));
  PetscCall(TestRestart(&cases[0], file, map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Case         triangles = {PLEXBACKENDHOST, "shallow_water", NULL, PETSC_FALSE,
                                  PETSC_FALSE,     PETSC_TRUE,      4,    PLEX_PRECISION_DOUBLE},
                     squares   = {PLEXBACKENDHOST, "tsunami",  NULL, PETSC_TRUE,
                                  PETSC_FALSE,     PETSC_TRUE, 3,    PLEX_PRECISION_DOUBLE};
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        rank, size;
  char               folder[PETSC_MAX_PATH_LEN], map[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN];
  int                id = (int)getpid();

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Bcast(&id, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(folder)));
  PetscCall(PetscSNPrintf(map, sizeof(map), "%s/dgextrema-%d.vtkhdf", folder, id));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/dgextrema-%d.h5", folder, id));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b], map, file));
  if (size == 1) PetscCall(TestFile(&triangles, map));
  if (size == 1) PetscCall(TestFile(&squares, map));
  EXPECT("extrema of another system", OtherSystem, NULL, "shallow_water and tsunami", "shallow_water_linear",
         "-plex_dg_extrema");
  EXPECT("a threshold below 0", BadThreshold, (void *)&squares, "-0.5", "-plex_dg_extrema_threshold");
  EXPECT("extrema of no steps", NoSteps, (void *)&squares, "PlexDGMonitorExtrema()");
  if (!rank) (void)remove(map);
  if (!rank) (void)remove(file);
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
#endif
