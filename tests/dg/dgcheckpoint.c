static char help[] = "Checkpoints of nodal DG: a run that is continued from one has the same bits as one that was not "
                     "interrupted; on other processes, the same values.\n\n";

#include "report.h"

#if !PetscDefined(HAVE_HDF5)
int main(int argc, char **argv)
{
  return PlexTestSkip(argc, argv, help, "dgcheckpoint: this PETSc was built without HDF5");
}
#else

  #include "dgproblem.h"
  #include <hdf5.h>
  #include <unistd.h>

typedef struct {
  const char   *backend, *type, *stepper;
  PlexPrecision precision;
  PetscReal     sigma;
} Case;

/* The wave after `steps` steps, from the beginning or from a checkpoint; writes one at the end where `to` is given */
static PetscErrorCode Run(DM dm, const Case *c, PetscInt steps, const char from[], const char to[], Vec *U,
                          PetscInt *step, PetscReal *t)
{
  PlexDG dg;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(PlexTestWaveCreate(dm, 2, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, c->backend));
  PetscCall(PlexDGSetType(dg, c->type));
  PetscCall(PlexDGSetPrecision(dg, c->precision));
  PetscCall(PlexDGSetConstant(dg, "sigma", 1, &c->sigma));
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, *U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  if (c->stepper) PetscCall(TSSetType(ts, c->stepper));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  if (to) PetscCall(PlexDGMonitorCheckpoint(dg, ts, to, 0));
  if (from) PetscCall(PlexDGLoadCheckpoint(dg, ts, from, *U));
  PetscCall(TSSolve(ts, *U));
  PetscCall(TSGetStepNumber(ts, step));
  PetscCall(TSGetTime(ts, t));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of two vectors whose bits differ, of all processes */
static PetscErrorCode CountDifferent(Vec U, Vec V, PetscInt *different)
{
  const PetscScalar *u, *v;
  PetscInt           n, count = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(V, &v));
  for (PetscInt i = 0; i < n; ++i) count += memcmp(&u[i], &v[i], sizeof(u[i])) != 0;
  PetscCall(VecRestoreArrayRead(V, &v));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(&count, different, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestContinues(DM dm, const char file[], const Case *c)
{
  Vec       whole, half, rest;
  PetscInt  steps[3], different[2];
  PetscReal t[3];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(Run(dm, c, 6, NULL, NULL, &whole, &steps[0], &t[0]));
  PetscCall(Run(dm, c, 3, NULL, file, &half, &steps[1], &t[1]));
  PetscCall(Run(dm, c, 6, file, NULL, &rest, &steps[2], &t[2]));
  PetscCall(CountDifferent(whole, rest, &different[0]));
  PetscCall(CountDifferent(whole, half, &different[1]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s %s", c->backend, c->type, PlexPrecisions[c->precision],
                          c->stepper      ? c->stepper
                          : c->sigma > 0. ? "in a conductor"
                                          : "rk4"));
  PetscCall(PlexTestReportOf((PetscBool)(!different[0] && different[1] && steps[0] == 6 && steps[1] == 3 &&
                                         steps[2] == 6 && t[0] == t[2] && t[1] < t[0]),
                             of, "3 steps, a checkpoint and 3 more have the bits of 6",
                             "%" PetscInt_FMT " numbers differ (%" PetscInt_FMT
                             " after half of it), steps %" PetscInt_FMT " and %" PetscInt_FMT ", times %.17g and %.17g",
                             different[0], different[1], steps[0], steps[2], (double)t[0], (double)t[2]));
  PetscCall(VecDestroy(&whole));
  PetscCall(VecDestroy(&half));
  PetscCall(VecDestroy(&rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rough state on a mesh, written or read */
static PetscErrorCode SaveOrLoad(DM dm, const char file[], PetscBool save, PetscReal *error)
{
  PlexDG dg;
  Vec    U, V;

  PetscFunctionBegin;
  PetscCall(PlexTestWaveCreate(dm, 3, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  if (save) PetscCall(PlexDGSaveCheckpoint(dg, NULL, U, file));
  else PetscCall(PlexDGLoadCheckpoint(dg, NULL, file, V));
  PetscCall(VecAXPY(V, -1., U));
  PetscCall(VecNorm(V, NORM_INFINITY, error));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&V));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Written on all processes and read on one, and the other way round; read where the elements' vertices are in other
   orders */
static PetscErrorCode TestElsewhere(DMPolytopeType type, DM dm, const char file[])
{
  DM          whole;
  PetscInt    cStart, cEnd;
  PetscReal   error[4];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, type, 1, &whole));
  PetscCall(SaveOrLoad(dm, file, PETSC_TRUE, &error[0]));
  PetscCall(SaveOrLoad(whole, file, PETSC_FALSE, &error[0]));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) PetscCall(SaveOrLoad(whole, file, PETSC_TRUE, &error[1]));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(SaveOrLoad(dm, file, PETSC_FALSE, &error[1]));
  PetscCall(SaveOrLoad(dm, file, PETSC_TRUE, &error[2]));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] == 0. && error[1] == 0.), DMPolytopeTypes[type],
                             "the same values on all processes and on one", "differences %g and %g", (double)error[0],
                             (double)error[1]));
  PetscCall(DMPlexGetHeightStratum(whole, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; c += 2)
    PetscCall(DMPlexOrientPoint(whole, c, type == DM_POLYTOPE_TRIANGLE ? 1 + c % 2 : 1 + c % 11));
  PetscCall(SaveOrLoad(whole, file, PETSC_FALSE, &error[3]));
  PetscCall(PlexTestReportOf((PetscBool)(error[3] > 0. && error[3] < 1e-13), DMPolytopeTypes[type],
                             "the same values where elements are turned", "difference %g", (double)error[3]));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(DMDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What does not fit */

typedef struct {
  DM          dm;
  const char *file, *system, *kind;
  PetscInt    degree;
} Wrong;

static PetscErrorCode LoadWrong(void *ctx)
{
  const Wrong *w = (const Wrong *)ctx;
  PlexDG       dg;
  Vec          U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(w->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, w->system ? w->system : "maxwell"));
  PetscCall(PlexDGSetDegree(dg, w->degree ? w->degree : 3));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, w->kind ? w->kind : "pec"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGLoadCheckpoint(dg, NULL, w->file, U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWrong(DM dm, const char file[])
{
  DM          other, moved;
  Vec         x;
  PetscReal   error;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(SaveOrLoad(dm, file, PETSC_TRUE, &error));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TETRAHEDRON, 1, &moved));
  PetscCall(DMGetCoordinatesLocal(moved, &x));
  PetscCall(VecScale(x, 1.25));
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 1, PETSC_FALSE, &other));
  EXPECT("another degree", LoadWrong, (&(Wrong){.dm = dm, .file = file, .degree = 2}), file, "is of degree 3",
         "has degree 2", "-plex_dg_degree 3");
  EXPECT("another system", LoadWrong, (&(Wrong){.dm = dm, .file = file, .system = "acoustics", .kind = "wall"}), file,
         "system maxwell with 6 fields", "has acoustics", "-plex_dg_system maxwell");
  EXPECT("a mesh of other elements", LoadWrong, (&(Wrong){.dm = other, .file = file}), file, "is of a mesh of",
         "this one has 6");
  EXPECT("a mesh of the same number of elements", LoadWrong, (&(Wrong){.dm = moved, .file = file}), file,
         "is of another mesh", "the vertices of cell");
  EXPECT("no file", LoadWrong, (&(Wrong){.dm = dm, .file = "/nosuch/file.h5"}), "/nosuch/file.h5",
         "cannot be read: No such file");
  EXPECT("no HDF5 file", LoadWrong, (&(Wrong){.dm = dm, .file = "tests/dg/dgcheckpoint.c"}), "tests/dg/dgcheckpoint.c",
         "no HDF5 file");
  PetscCall(DMDestroy(&other));
  PetscCall(DMDestroy(&moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Other settings than those that the file was written with */

typedef struct {
  DM                   dm;
  const char          *file, *option, *value, *label;
  PlexDGCoefficientFn *coefficients;
  PetscBool            save;
} Settings;

static PetscErrorCode WithSettings(void *ctx)
{
  const Settings *s = (const Settings *)ctx;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(s->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, 2));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetCoefficients(dg, s->coefficients ? s->coefficients : PlexTestUneven, NULL));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  if (s->label) PetscCall(PlexDGAddBoundary(dg, s->label, 1, "absorbing"));
  if (s->option) PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
  PetscCall(PlexDGSetFromOptions(dg));
  if (s->option) PetscCall(PetscOptionsClearValue(NULL, s->option));
  PetscCall(PlexDGCreateVec(dg, &U));
  if (s->save) PetscCall(PlexDGSaveCheckpoint(dg, NULL, U, s->file));
  else PetscCall(PlexDGLoadCheckpoint(dg, NULL, s->file, U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PlexTestUneven(), but for some elements in the middle */
static PetscErrorCode AlmostUneven(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  PetscReal far = 0.;

  PetscFunctionBegin;
  PetscCall(PlexTestUneven(dim, x, cell, n, k, ctx));
  for (PetscInt d = 0; d < dim; ++d) far += PetscSqr(x[d] - 0.5);
  if (far < 0.15) k[1] *= 1.01;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file as one of version 2: without what settings are there */
static PetscErrorCode MakeOld(const char file[])
{
  const char *const names[] = {"nconstants", "constants", "coefficients", "boundary", "boundary_hash"};
  const int         version = 2;
  PetscMPIInt       rank;
  hid_t             h, attribute;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    h         = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    attribute = H5Aopen(h, "version", H5P_DEFAULT);
    (void)H5Awrite(attribute, H5T_NATIVE_INT, &version);
    (void)H5Aclose(attribute);
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k)
      PetscCheck(H5Adelete(h, names[k]) >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "No attribute %s", names[k]);
    (void)H5Fclose(h);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSettings(DM dm, const char file[])
{
  PetscInt  n, *facets;
  PetscReal x[3];
  DMLabel   half, other;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "half", &half));
  PetscCall(PlexTestGetLabel(dm, "other half", &other));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], NULL, x, NULL));
    PetscCall(DMLabelSetValue(x[0] < 0.5 ? half : other, facets[k], 1));
  }
  PetscCall(PetscFree(facets));
  PetscCall(WithSettings(&(Settings){.dm = dm, .file = file, .label = "half", .save = PETSC_TRUE}));
  PetscCall(PlexTestReport((PetscBool)!WithSettings(&(Settings){.dm = dm, .file = file, .label = "half"}),
                           "the same settings", "an error"));
  EXPECT("another constant", WithSettings,
         (&(Settings){.dm = dm, .file = file, .label = "half", .option = "-plex_dg_alpha", .value = "0.5"}), file,
         "constant alpha was 1. and is 0.5", "-plex_dg_restart_changed");
  EXPECT("another coefficient", WithSettings,
         (&(Settings){.dm = dm, .file = file, .label = "half", .option = "-plex_dg_epsilon", .value = "4"}), file,
         "coefficient epsilon was another one", "-plex_dg_restart_changed");
  EXPECT("another material", WithSettings,
         (&(Settings){.dm = dm, .file = file, .label = "half", .option = "-plex_dg_material", .value = "4"}), file,
         "coefficient epsilon was another one", "coefficient mu was another one", "-plex_dg_restart_changed");
  EXPECT("another function of coefficients", WithSettings,
         (&(Settings){.dm = dm, .file = file, .label = "half", .coefficients = AlmostUneven}), file,
         "coefficient mu was another one");
  EXPECT("another boundary condition", WithSettings, (&(Settings){.dm = dm, .file = file}), file, "the boundary had",
         "facets absorbing and has");
  EXPECT("boundary conditions elsewhere", WithSettings, (&(Settings){.dm = dm, .file = file, .label = "other half"}),
         file, "the boundary ha");
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_restart_changed", NULL));
  PetscCall(PlexTestReport((PetscBool)!WithSettings(&(Settings){.dm     = dm,
                                                                .file   = file,
                                                                .option = "-plex_dg_alpha",
                                                                .value  = "0.5"}),
                           "other settings that an option accepts", "an error"));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_restart_changed"));
  PetscCall(MakeOld(file));
  PetscCall(PlexTestReport((PetscBool)!WithSettings(&(Settings){.dm     = dm,
                                                                .file   = file,
                                                                .option = "-plex_dg_alpha",
                                                                .value  = "0.5"}),
                           "a checkpoint without settings", "an error"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options alone: a run of 4 steps that writes every 2, one that continues */
static PetscErrorCode TestOptions(DM dm, const char file[])
{
  const char *names[] = {"-plex_dg_checkpoint", "-plex_dg_restart"};
  char        asked[PETSC_MAX_PATH_LEN];
  PetscInt    steps[2];
  PetscBool   restarted[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexDG dg;
    TS     ts;
    Vec    U;

    PetscCall(PetscSNPrintf(asked, sizeof(asked), k ? "%s" : "%s:2", file));
    PetscCall(PetscOptionsSetValue(NULL, names[k], asked));
    PetscCall(PlexTestWaveCreate(dm, 2, 1., &dg));
    PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetSolution(ts, U));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, 3 + 2 * k));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(PlexDGRestartFromOptions(dg, ts, U, &restarted[k]));
    PetscCall(TSGetStepNumber(ts, &steps[k]));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(PetscOptionsClearValue(NULL, names[k]));
  }
  PetscCall(PlexTestReport((PetscBool)(!restarted[0] && restarted[1] && steps[0] == 0 && steps[1] == 3),
                           "options write checkpoints and restart from them",
                           "restarted %d, %d at steps %" PetscInt_FMT ", %" PetscInt_FMT, (int)restarted[0],
                           (int)restarted[1], steps[0], steps[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  const char *const  steppers[] = {NULL, TSPLEXLOWSTORAGE, NULL};
  const PetscReal    sigmas[]   = {0., 0., 300.};
  PetscInt           n;
  PetscMPIInt        size;
  char               file[PETSC_MAX_PATH_LEN];
  DM                 dm[2];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestOwnFile("checkpoint", "h5", sizeof(file), file));
  PetscCall(PlexTestBackends(&n, &backends));
  for (int d = 0; d < 2; ++d) {
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, d ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_TRIANGLE, 1, &dm[d]));
    if (size > 1) PetscCall(PlexTestDistribute(&dm[d], 0, PETSC_FALSE));
    PetscCall(TestElsewhere(d ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_TRIANGLE, dm[d], file));
  }
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool   host    = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);
    const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGFUSED};

    for (int s = 0; s < 3; ++s)
      for (int p = 0; p < 2; ++p)
        for (int k = 0; k < (host ? 1 : 2); ++k)
          PetscCall(TestContinues(dm[1], file,
                                  &(Case){backends[b], types[k], steppers[s], (PlexPrecision)p, sigmas[s]}));
  }
  PetscCall(TestOptions(dm[0], file));
  for (int d = 0; d < 2; ++d) PetscCall(TestSettings(dm[d], file));
  PetscCall(TestWrong(dm[1], file));
  PetscCall(PlexTestRemoveFile(file));
  for (int d = 0; d < 2; ++d) PetscCall(DMDestroy(&dm[d]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}

#endif
