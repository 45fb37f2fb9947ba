static char help[] = "Local time steps of nodal DG with sources and boundaries in time: order four in time, all types, "
                     "processes, restarts, what is refused.\n\n";

#include "gradedbox.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char *name, *system, *boundary;
  PetscInt    dim;
  PetscBool   total, dipole, current, curved, layer;
  PetscBool   host; /* emulated kernels of others are enough */
} Case;

static const Case cases[] = {
  {.name = "incident wave and dipoles", .system = "maxwell", .boundary = "incident", .dim = 2, .dipole = PETSC_TRUE},
  {.name = "total field", .system = "maxwell", .boundary = "pec", .dim = 2, .total = PETSC_TRUE},
  {.name     = "scatterer and current",
   .system   = "maxwell",
   .boundary = "scatterer",
   .dim      = 2,
   .current  = PETSC_TRUE,
   .host     = PETSC_TRUE},
  {.name = "curved", .system = "maxwell", .boundary = "incident", .dim = 2, .curved = PETSC_TRUE},
  {.name = "seismic wave", .system = "elastic", .boundary = "incident", .dim = 2, .host = PETSC_TRUE},
  {.name     = "prescribed pressure",
   .system   = "acoustics_uniform",
   .boundary = "prescribed",
   .dim      = 2,
   .host     = PETSC_TRUE},
  {.name = "layer", .system = "maxwell", .boundary = "absorbing", .dim = 2, .dipole = PETSC_TRUE, .layer = PETSC_TRUE},
  {.name = "in 3D", .system = "maxwell", .boundary = "incident", .dim = 3, .total = PETSC_TRUE, .dipole = PETSC_TRUE}
};

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

#define SIDE 0.23 /* from the middle to where vertices of 6 cells a side are, moved: 1/3 - 0.75 sin(pi/3)/(2 pi) */

static const Way host = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};

/* The cells around the middle have the label "total", those at the sides "layer" */
static PetscErrorCode LabelCells(DM dm)
{
  PetscInt cStart, cEnd, dim;
  DMLabel  total, layer;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexTestGetLabel(dm, "total", &total));
  PetscCall(PlexTestGetLabel(dm, "layer", &layer));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal x[3], volume;
    PetscBool inside = PETSC_TRUE, outside = PETSC_FALSE;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, &volume, x, NULL));
    for (PetscInt d = 0; d < dim; ++d) {
      inside  = (PetscBool)(inside && PetscAbsReal(x[d] - 0.5) < 0.3);
      outside = (PetscBool)(outside || PetscAbsReal(x[d] - 0.5) > SIDE);
    }
    if (inside) PetscCall(DMLabelSetValue(total, c, 3));
    if (outside) PetscCall(DMLabelSetValue(layer, c, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mesh(MPI_Comm comm, const Case *c, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestGradedBox(comm, c->dim, c->dim == 3 ? 3 : c->layer ? 6 : 4, PETSC_FALSE, 0.75, dm));
  PetscCall(LabelCells(*dm));
  if (c->curved) PetscCall(PlexTestCurve(*dm, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetConstants(PlexDG dg, const Case *c)
{
  const PetscReal direction[3] = {0.6, 0.8, 0.}, polarization[3] = {-0.4, 0.3, 0.9}, plane[3] = {1., 0.5, 0.},
                  frequency = 5., delay = 0.7, width = 0.2, pressure = 0.7, radius = 0.4, current[3] = {0.3, -1., 2.},
                  center[3] = {0.4, 0.3, 0.};

  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  if (!strcmp(c->system, "acoustics_uniform")) {
    PetscCall(PlexDGSetConstant(dg, "pressure", 1, &pressure));
    PetscCall(PlexDGSetConstant(dg, "velocity", 3, direction));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGSetConstant(dg, "direction", 3, direction));
  if (!strcmp(c->system, "elastic")) {
    PetscCall(PlexDGSetConstant(dg, "polarization", 3, plane));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGSetConstant(dg, "polarization", 3, polarization));
  PetscCall(PlexDGSetConstant(dg, "wave_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "wave_width", 1, &width));
  if (!c->current) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSetConstant(dg, "current", 3, current));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &frequency));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, const Case *c, const Way *way, PlexDG *dg, Vec *U)
{
  const PetscReal x[2][3] =
    {
      {0.4, 0.31, 0.2},
      {0.6, 0.55, 0.5}
  },
                  moment[3] = {1., -0.5, 0.3}, pulse[5] = {4., 0.3, 0.7, 0.25, 0.};

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, c->system));
  PetscCall(PlexDGSetDegree(*dg, 2));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetLevels(*dg, 3));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, c->boundary));
  PetscCall(SetConstants(*dg, c));
  if (c->total) PetscCall(PlexDGSetTotalField(*dg, "total", 3));
  if (c->layer) PetscCall(PlexDGSetPML(*dg, "layer", 1, "box"));
  for (int k = 0; k < 2 && c->dipole; ++k) PetscCall(PlexDGAddDipole(*dg, x[k], moment, pulse));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From U to T in so many steps; 0: those of the default step, whose number is put there */
static PetscErrorCode Solve(PlexDG dg, const char type[], PetscReal T, PetscInt *steps, Vec U)
{
  TS        ts;
  PetscReal dt;
  PetscBool rk;

  PetscFunctionBegin;
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetType(ts, type));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rk));
  if (rk) PetscCall(TSRKSetType(ts, TSRK8VR));
  if (rk) {
    TSAdapt adapt;

    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetUp(ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  if (!*steps) *steps = (PetscInt)PetscCeilReal(T / dt);
  PetscCall(TSSetTimeStep(ts, T / *steps));
  PetscCall(TSSetMaxSteps(ts, *steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Order in time, on one mesh, beside a method of order eight, or with a layer ck45, with one small step */

static PetscErrorCode TestOrder(const Case *c)
{
  const PetscReal T = 1.;
  DM              dm;
  PlexDG          dg;
  Vec             U[3];
  PetscReal       errors[2], norm, rate;
  PetscInt        steps = 0, levels;

  PetscFunctionBegin;
  PetscCall(Mesh(PETSC_COMM_WORLD, c, &dm));
  PetscCall(Create(dm, c, &host, &dg, &U[0]));
  PetscCall(PlexDGGetLevelSizes(dg, &levels, NULL, NULL));
  for (int k = 1; k < 3; ++k) PetscCall(VecDuplicate(U[0], &U[k]));
  for (int k = 0; k < 2; ++k) {
    PetscInt n;

    PetscCall(VecZeroEntries(U[k]));
    n = k * 2 * steps;
    PetscCall(Solve(dg, TSPLEXMULTIRATE, T, &n, U[k]));
    steps = n;
  }
  steps *= 4;
  PetscCall(VecZeroEntries(U[2]));
  PetscCall(Solve(dg, c->layer ? TSPLEXLOWSTORAGE : TSRK, T, &steps, U[2]));
  PetscCall(VecNorm(U[2], NORM_2, &norm));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecAXPY(U[k], -1., U[2]));
    PetscCall(VecNorm(U[k], NORM_2, &errors[k]));
    errors[k] /= norm;
  }
  rate = PetscLog2Real(errors[0] / errors[1]);
  PetscCall(PlexTestReportOf((PetscBool)(rate > 3.7 && errors[0] < 1e-2 && levels == 3), c->name, "order four in time",
                             "errors %g, %g, rate %g, %" PetscInt_FMT " levels", (double)errors[0], (double)errors[1],
                             (double)rate, levels));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&U[k]));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All types, and all processes */

static PetscErrorCode Run(MPI_Comm comm, const Case *c, const Way *way, DM *dm, Vec *U, PetscReal *energy)
{
  PlexDG   dg;
  PetscInt steps = 0;

  PetscFunctionBegin;
  PetscCall(Mesh(comm, c, dm));
  PetscCall(Create(*dm, c, way, &dg, U));
  PetscCall(Solve(dg, TSPLEXMULTIRATE, 0.8, &steps, *U));
  PetscCall(PlexDGComputeEnergy(dg, *U, energy));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(const Case *c, const Way *way)
{
  const PetscBool isSingle = (PetscBool)(way->precision == PLEX_PRECISION_SINGLE);
  Vec             U[2], whole;
  PetscReal       energy[3], norm, error;
  DM              dm;
  char            of[160];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %s %s", c->name, way->backend, way->type,
                          PlexPrecisions[way->precision]));
  PetscCall(Run(PETSC_COMM_WORLD, c, &host, &dm, &U[0], &energy[0]));
  PetscCall(Run(PETSC_COMM_WORLD, c, way, &dm, &U[1], &energy[1]));
  PetscCall(VecNorm(U[0], NORM_2, &norm));
  PetscCall(VecAXPY(U[1], -1., U[0]));
  PetscCall(VecNorm(U[1], NORM_2, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= (isSingle ? 1e-5 : 1e-12) * norm && norm > 0.1), of,
                             "the host's steps", "difference %g of %g", (double)error, (double)norm));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&U[k]));
  if (isSingle) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Run(PETSC_COMM_SELF, c, way, &dm, &whole, &energy[2]));
  PetscCall(VecDestroy(&whole));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy[1] / energy[2] - 1.) <= 1e-12), of,
                             "several processes do as one", "energies %.15g, %.15g", (double)energy[1],
                             (double)energy[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWays(const char backend[])
{
  const PetscBool isHost = (PetscBool)!strcmp(backend, PLEXBACKENDHOST),
                  quick  = (PetscBool)!strcmp(backend, PLEXBACKENDEMULATE);
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    Way way = {backend, isHost ? PLEXDGHOST : PLEXDGPLAIN, PLEX_PRECISION_DOUBLE};

    if (quick && size == 1 && cases[k].host) continue;
    if (quick && size > 1 && k) way = host;
    PetscCall(TestWay(&cases[k], &way));
    if (!k) {
      way.precision = PLEX_PRECISION_SINGLE;
      PetscCall(TestWay(&cases[k], &way));
    }
    if (isHost || (quick && k)) continue;
    way.type      = PLEXDGFUSED;
    way.precision = PLEX_PRECISION_DOUBLE;
    PetscCall(TestWay(&cases[k], &way));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestWays(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Restart */

/* Six steps at once, or three, and three of another operator and TS */
static PetscErrorCode TestRestart(const Case *c)
{
  DM        dm;
  Vec       U[2] = {NULL, NULL};
  PetscBool same;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexTestOwnFile("dgmultiratesources", "h5", sizeof(file), file));
  PetscCall(Mesh(PETSC_COMM_WORLD, c, &dm));
  for (int k = 0; k < 2; ++k)
    for (int part = 0; part <= k; ++part) {
      PlexDG dg;
      TS     ts;
      Vec    V;

      PetscCall(Create(dm, c, &host, &dg, &V));
      PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
      PetscCall(TSSetType(ts, TSPLEXMULTIRATE));
      PetscCall(PlexDGSetTS(dg, ts));
      PetscCall(TSSetMaxTime(ts, 1e9));
      PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
      PetscCall(TSSetMaxSteps(ts, k && !part ? 3 : 6));
#if PetscDefined(HAVE_HDF5)
      if (part) PetscCall(PlexDGLoadCheckpoint(dg, ts, file, V));
#else
      if (part) {
        PetscReal dt;

        PetscCall(TSGetTimeStep(ts, &dt));
        PetscCall(VecCopy(U[1], V));
        PetscCall(TSSetStepNumber(ts, 3));
        PetscCall(TSSetTime(ts, dt + dt + dt));
      }
#endif
      PetscCall(TSSolve(ts, V));
#if PetscDefined(HAVE_HDF5)
      if (k && !part) PetscCall(PlexDGSaveCheckpoint(dg, ts, V, file));
#endif
      PetscCall(VecDestroy(&U[k]));
      U[k] = V;
      PetscCall(TSDestroy(&ts));
      PetscCall(PlexDGDestroy(&dg));
    }
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(VecEqual(U[0], U[1], &same));
  PetscCall(PlexTestReportOf(same, c->name, "the same bits after a restart", "other ones"));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&U[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages */

static PetscErrorCode RunDriven(void *ctx)
{
  Case     c     = cases[0];
  PetscInt steps = 1;
  DM       dm;
  PlexDG   dg;
  Vec      U;

  PetscFunctionBegin;
  c.boundary = (const char *)ctx;
  c.dipole   = PETSC_FALSE;
  PetscCall(Mesh(PETSC_COMM_WORLD, &c, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell_driven"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, c.boundary));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(Solve(dg, TSPLEXMULTIRATE, 1., &steps, U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestRegisterDriven());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && size == 1; ++k)
    if (cases[k].dim == 2) PetscCall(TestOrder(&cases[k]));
  PetscCall(PlexTestEachBackend(TestWays, TestHost));
  PetscCall(TestRestart(&cases[0]));
#if PetscDefined(HAVE_HDF5)
  PetscCall(TestRestart(&cases[6]));
#endif
  EXPECT("a source of another header", RunDriven, (void *)"pec", "PlexDGSystem.amplitudes", "maxwell_driven",
         "-ts_type lowstorage");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
