static char
  help[] = "Dispersive media of Maxwell's equations: all types compute the same, with one process or several; runs are "
           "continued from checkpoints with the same bits; what is wrong is an error.\n\n";

#include "dgproblem.h"
#include "dispersive.h"
#include "report.h"

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
  const char   *scheme;   /* NULL: the default */
  PetscBool     adaptive; /* steps by the error, of which some are done again */
} Way;

/* All kinds of poles in cells right of the middle, two of them in others, and none with x_1 < 1/3: several numbers of memory
   variables */
static PetscErrorCode Label(DM dm)
{
  DMLabel   many, few;
  PetscInt  cStart, cEnd;
  PetscReal x[3];

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "many", &many));
  PetscCall(PlexTestGetLabel(dm, "few", &few));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, NULL, x, NULL));
    if (x[1] > 0.33) PetscCall(DMLabelSetValue(x[0] > 0.5 ? many : few, c, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Medium many = {
  .epsilon  = 1.5,
  .sigma    = 20.,
  .ndebye   = 1,
  .ndrude   = 1,
  .nlorentz = 2,
  .debye    = {{1., 0.01}},
  .drude    = {{30., 2.}},
  .lorentz  = {{1., 40., 1.}, {0.5, 60., 0.}}
};
static const Medium few = {.epsilon = 1., .ndebye = 1, .debye = {{2., 0.05}}};

static PetscErrorCode Create(DM dm, const Way *way, PlexDG *dg, Vec *U)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, 2));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(MediumAdd(&many, "many", *dg));
  PetscCall(MediumAdd(&few, "few", *dg));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexDGProject(*dg, 0., PlexTestRough, NULL, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from the rough state or a checkpoint; numbers: norm of the state, time, rejected steps */
static PetscErrorCode Run(DM dm, const Way *way, PetscInt steps, const char from[], const char to[], Vec *U,
                          PetscReal numbers[3])
{
  PlexDG   dg;
  TS       ts;
  TSAdapt  adapt;
  PetscInt rejected;

  PetscFunctionBegin;
  PetscCall(Create(dm, way, &dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &ts));
  if (way->scheme) {
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSPlexLowStorageSetScheme(ts, way->scheme));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetAdapt(ts, &adapt));
  if (way->adaptive) {
    PetscReal dt;

    PetscCall(TSAdaptSetType(adapt, TSADAPTBASIC));
    PetscCall(TSGetTimeStep(ts, &dt));
    PetscCall(TSSetTimeStep(ts, 8. * dt)); /* too long: it is done again */
  }
  PetscCall(TSSetTolerances(ts, 1e-3, NULL, 1e-3, NULL));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  if (to) PetscCall(PlexDGMonitorCheckpoint(dg, ts, to, 0));
  if (from) PetscCall(PlexDGLoadCheckpoint(dg, ts, from, *U));
  PetscCall(TSSolve(ts, *U));
  PetscCall(VecNorm(*U, NORM_2, &numbers[0]));
  PetscCall(TSGetTime(ts, &numbers[1]));
  PetscCall(TSGetStepRejections(ts, &rejected));
  numbers[2] = rejected;
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NameWay(const Way *way, size_t size, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "%s %s %s, %s%s", way->backend, way->type, PlexPrecisions[way->precision],
                          way->scheme ? way->scheme : "the default", way->adaptive ? ", steps by the error" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the host does in double precision, and on all processes as on one */
static PetscErrorCode TestWay(DM dm, DM whole, const Way *way)
{
  const PetscReal most = way->precision == PLEX_PRECISION_SINGLE ? 2e-5 : 1e-12;
  Way             host = *way;
  PetscReal       numbers[3][3], error, differs = 0.;
  Vec             U, V;
  char            of[256];

  PetscFunctionBegin;
  host.backend   = PLEXBACKENDHOST;
  host.type      = PLEXDGAUTO;
  host.precision = PLEX_PRECISION_DOUBLE;
  PetscCall(Run(dm, &host, 10, NULL, NULL, &V, numbers[0]));
  PetscCall(Run(dm, way, 10, NULL, NULL, &U, numbers[1]));
  PetscCall(VecAXPY(U, -1., V));
  PetscCall(VecNorm(U, NORM_2, &error));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&V));
  PetscCall(NameWay(way, sizeof(of), of));
  PetscCall(PlexTestReportOf((PetscBool)(error <= most * numbers[0][0] &&
                                         PetscAbsReal(numbers[1][1] - numbers[0][1]) <= most * numbers[0][1] &&
                                         (numbers[0][2] > 0.) == way->adaptive),
                             of, "the host's steps", "difference %g of %g, times %g and %g, %g steps done again",
                             (double)error, (double)numbers[0][0], (double)numbers[1][1], (double)numbers[0][1],
                             (double)numbers[0][2]));
  if (way->precision == PLEX_PRECISION_SINGLE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Run(whole, way, 10, NULL, NULL, &U, numbers[2]));
  PetscCall(VecDestroy(&U));
  for (int k = 0; k < 2; ++k) differs = PetscMax(differs, PetscAbsReal(numbers[1][k] / numbers[2][k] - 1.));
  PetscCall(PlexTestReportOf((PetscBool)(differs <= 1e-12), of, "several processes do as one", "difference %g",
                             (double)differs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

#if PetscDefined(HAVE_HDF5)
static PetscErrorCode TestContinues(DM dm, DM whole, const char file[], const Way *way)
{
  const PetscReal most = way->precision == PLEX_PRECISION_SINGLE ? 2e-5 : 1e-12;
  Vec             U[3];
  PetscInt        different[2];
  PetscReal       numbers[4][3];
  char            of[256];

  PetscFunctionBegin;
  PetscCall(Run(dm, way, 8, NULL, NULL, &U[0], numbers[0]));
  PetscCall(Run(dm, way, 4, NULL, file, &U[1], numbers[1]));
  PetscCall(Run(dm, way, 8, file, NULL, &U[2], numbers[2]));
  PetscCall(CountDifferent(U[0], U[2], &different[0]));
  PetscCall(CountDifferent(U[0], U[1], &different[1]));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&U[k]));
  PetscCall(NameWay(way, sizeof(of), of));
  PetscCall(PlexTestReportOf((PetscBool)(!different[0] && different[1] && numbers[0][1] == numbers[2][1]), of,
                             "4 steps, a checkpoint and 4 more have the bits of 8",
                             "%" PetscInt_FMT " numbers differ (%" PetscInt_FMT " after half of it)", different[0],
                             different[1]));
  PetscCall(Run(whole, way, 8, file, NULL, &U[0], numbers[3]));
  PetscCall(VecDestroy(&U[0]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(numbers[3][0] / numbers[0][0] - 1.) <= most), of,
                             "a checkpoint is continued on one process", "norms %.17g and %.17g", (double)numbers[3][0],
                             (double)numbers[0][0]));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DM          dm;
  const char *file, *option, *value;
} Restart;

static PetscErrorCode RestartWith(void *ctx)
{
  const Restart *r   = (const Restart *)ctx;
  const Way      way = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, NULL, PETSC_FALSE};
  PlexDG         dg;
  Vec            U;

  PetscFunctionBegin;
  PetscCall(Create(r->dm, &way, &dg, &U));
  PetscCall(PetscOptionsSetValue(NULL, r->option, r->value));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PetscOptionsClearValue(NULL, r->option));
  PetscCall(PlexDGLoadCheckpoint(dg, NULL, r->file, U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* A second run of the operator from the same state: its memory variables are zero in the beginning */
static PetscErrorCode TestAgain(DM dm, const Way *way)
{
  PlexDG   dg;
  Vec      U, first;
  PetscInt different;
  char     of[256];

  PetscFunctionBegin;
  PetscCall(Create(dm, way, &dg, &U));
  PetscCall(VecDuplicate(U, &first));
  for (int k = 0; k < 2; ++k) {
    TS ts;

    PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, 3));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
    if (!k) PetscCall(VecCopy(U, first));
  }
  PetscCall(CountDifferent(U, first, &different));
  PetscCall(NameWay(way, sizeof(of), of));
  PetscCall(PlexTestReportOf((PetscBool)!different, of, "a second run begins without memory",
                             "%" PetscInt_FMT " numbers differ", different));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&first));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[], DM dm, DM whole, const char file[])
{
  const PetscBool   host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGSEPARATE, PLEXDGFUSED};

  PetscFunctionBegin;
  for (int t = 0; t < (host ? 1 : 3); ++t)
    for (int p = 0; p < 2; ++p) {
      Way way = {backend, types[t], (PlexPrecision)p, NULL, PETSC_FALSE};

      PetscCall(TestWay(dm, whole, &way));
#if PetscDefined(HAVE_HDF5)
      PetscCall(TestContinues(dm, whole, file, &way));
#endif
      PetscCall(TestAgain(dm, &way));
      if (p) continue;
      way.scheme = "midpoint";
      PetscCall(TestWay(dm, whole, &way));
      way.scheme   = NULL;
      way.adaptive = PETSC_TRUE;
      PetscCall(TestWay(dm, whole, &way));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options, and what is wrong */

typedef struct {
  DM          dm;
  const char *system, *options, *bc, *type, *scheme; /* type: of a TS that makes a step */
} Setting;

static PetscErrorCode SetIt(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  PlexDG         dg;
  Vec            U;
  TS             ts;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, s->options));
  PetscCall(PlexDGCreate(s->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, s->system ? s->system : "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, s->bc ? s->bc : "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  if (s->type) {
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetType(ts, s->type));
    if (s->scheme) PetscCall(TSPlexLowStorageSetScheme(ts, s->scheme));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, 1));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WRONG(name, system, options, bc, type, scheme, ...) \
  do { \
    EXPECT(name, SetIt, (&(Setting){dm, system, options, bc, type, scheme}), __VA_ARGS__); \
    PetscCall(PlexTestClearOptions(options)); \
  } while (0)

static PetscErrorCode TestErrors(DM dm)
{
  PetscFunctionBegin;
  WRONG("a negative strength", NULL, "-plex_dg_debye_many -1,0.1", NULL, NULL, NULL, "-plex_dg_debye_many has -1",
        "0 or more", "amplify");
  WRONG("a time that is 0", NULL, "-plex_dg_debye 1,0", NULL, NULL, NULL, "-plex_dg_debye has 0", "more than 0");
  WRONG("a frequency that is 0", NULL, "-plex_dg_lorentz_few 1,0,0", NULL, NULL, NULL, "-plex_dg_lorentz_few has 0",
        "more than 0");
  WRONG("a negative rate", NULL, "-plex_dg_drude_few 1,-1", NULL, NULL, NULL, "-plex_dg_drude_few has -1", "0 or more");
  WRONG("numbers of half a pole", NULL, "-plex_dg_lorentz_few 1,2", NULL, NULL, NULL,
        "-plex_dg_lorentz_few has 2 numbers", "strength,frequency,gamma");
  WRONG("no such label", NULL, "-plex_dg_drude_gold 1,1", NULL, NULL, NULL, "No cell of the mesh has the drude gold",
        "many");
  WRONG("too many poles", NULL, "-plex_dg_lorentz_few 1,1,1,1,2,1,1,3,1,1,4,1 -plex_dg_debye_few 1,1", NULL, NULL, NULL,
        "9 memory variables", "may be 8");
  WRONG("a system without E", "acoustics", "-plex_dg_drude 1,1", "wall", NULL, NULL, "no electric field", "acoustics");
  WRONG("a wave that enters a medium", NULL, "-plex_dg_drude 1,1", "incident", NULL, NULL,
        "boundary condition incident", "-plex_dg_total_field");
  WRONG("Runge-Kutta methods", NULL, "-plex_dg_drude 1,1", NULL, TSRK, NULL, "TS of type rk", "-ts_type lowstorage");
  WRONG("scheme ssp3", NULL, "-plex_dg_drude 1,1", NULL, TSPLEXLOWSTORAGE, "ssp3", "-ts_lowstorage_scheme ck45");
  WRONG("two media", NULL, "-plex_dg_drude_few 1,1 -plex_dg_drude_all 2,1", NULL, NULL, NULL,
        "two dispersive media of model drude", "few");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options give what a program gives, and the view says so */
static PetscErrorCode TestOptions(DM dm)
{
  const char *const options = "-plex_dg_material_many 1.5,1,20 -plex_dg_debye_many 1,0.01 -plex_dg_drude_many 30,2 "
                              "-plex_dg_lorentz_many 1,40,1,0.5,60,0 -plex_dg_debye 2,0.05 -plex_dg_drude_none 0,0";
  const Way         way     = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, NULL, PETSC_FALSE};
  PetscReal         numbers[3], error;
  PlexDG            dg;
  TS                ts;
  Vec               U, V;
  char              text[8192], *found[2];
  PetscMPIInt       rank;

  PetscFunctionBegin;
  PetscCall(Run(dm, &way, 5, NULL, NULL, &V, numbers));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, 2));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexTestClearOptions(options));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecAXPY(V, -1., U));
  PetscCall(VecNorm(V, NORM_2, &error));
  PetscCall(PlexTestReport((PetscBool)(error < 1e-13 * numbers[0]), "options give what a program gives",
                           "difference %g of %g", (double)error, (double)numbers[0]));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "dispersive medium many: lorentz (strength,frequency,gamma) 1., 40., 1.; 0.5, 60., 0.,",
                        &found[0]));
  PetscCall(PetscStrstr(text, "and memory variables", &found[1]));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestReport((PetscBool)(rank || (found[0] && found[1])), "the view of dispersive media", "%s", text));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&V));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n, cStart, cEnd;
  char               file[PETSC_MAX_PATH_LEN];
  DM                 dm, whole;
  DMLabel            all, none;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestOwnFile("dispersive", "h5", sizeof(file), file));
  PetscCall(PlexTestBackends(&n, &backends));
  for (int dim = 2; dim < 4; ++dim) {
    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, dim == 2 ? 3 : 2, PETSC_FALSE, &dm));
    PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, dim, dim == 2 ? 3 : 2, PETSC_FALSE, &whole));
    PetscCall(Label(dm));
    PetscCall(Label(whole));
    for (PetscInt b = 0; b < n; ++b) PetscCall(TestBackend(backends[b], dm, whole, file));
    if (dim == 2) {
      PetscCall(PlexTestGetLabel(dm, "all", &all));
      PetscCall(PlexTestGetLabel(dm, "none", &none));
      PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
      for (PetscInt c = cStart; c < cEnd; ++c) {
        PetscReal x[3];

        PetscCall(DMPlexComputeCellGeometryFVM(dm, c, NULL, x, NULL));
        PetscCall(DMLabelSetValue(all, c, 1));
        if (x[1] < 0.33) PetscCall(DMLabelSetValue(none, c, 1));
      }
      PetscCall(TestErrors(dm));
      PetscCall(TestOptions(dm));
#if PetscDefined(HAVE_HDF5)
      EXPECT("a checkpoint of other poles", RestartWith, (&(Restart){dm, file, "-plex_dg_drude_many", "31,2"}), file,
             "dispersive media were others", "-plex_dg_restart_changed");
#endif
    }
    PetscCall(DMDestroy(&dm));
    PetscCall(DMDestroy(&whole));
  }
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
