static char help[] = "What bad input to the nodal DG operator gets: an error that names the thing and the way out. And "
                     "options, and what its view shows.\n\n";

#include "dgproblem.h"
#include "report.h"
#include <unistd.h>

/* ---- Settings and options */

typedef struct {
  const char *system, *option, *value;
  const char *label; /* of a boundary condition */
  const char *kind;
  PetscBool   noBoundary;
} Setting;

/* Sets up an operator on triangles with the setting */
static PetscErrorCode WithSetting(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  if (s->system) PetscCall(PlexDGSetSystem(dg, s->system));
  if (!s->noBoundary) PetscCall(PlexDGAddBoundary(dg, s->label, PETSC_DETERMINE, s->kind ? s->kind : "pec"));
  if (s->option) {
    PetscErrorCode ierr;

    PetscCall(PetscOptionsSetValue(NULL, s->option, s->value));
    ierr = PlexDGSetFromOptions(dg);
    PetscCall(PetscOptionsClearValue(NULL, s->option));
    PetscCall(ierr);
  }
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSettings(void)
{
  PetscBool cuda;

  PetscFunctionBegin;
  EXPECT("no system", WithSetting, (&(Setting){NULL}), "no system of equations", "PlexDGSetSystem()",
         "-plex_dg_system");
  EXPECT("unknown system", WithSetting, (&(Setting){.system = "gravity"}), "gravity", "advection", "acoustics",
         "maxwell", "PlexDGSystemRegister()");
  EXPECT("a system without flux", WithSetting, (&(Setting){.system = "without_flux"}), "without_flux has no flux",
         "dg_face()", "dg_flux()");
  EXPECT("degree", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_degree", .value = "10"}),
         "1 to 9, not 10", "-plex_dg_degree");
  EXPECT("unknown type", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_type", .value = "fastest"}),
         "fastest", PLEXDGAUTO, PLEXDGHOST, PLEXDGPLAIN);
  EXPECT("unknown backend", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_backend", .value = "abacus"}), "abacus", PLEXBACKENDCUDA,
         PLEXBACKENDHOST, PLEXBACKENDEMULATE);
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  if (!cuda)
    EXPECT("no GPU", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_backend", .value = "cuda"}),
           "cuda cannot be used here", "-plex_dg_backend");
  EXPECT("unknown precision", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_precision", .value = "half"}), "half");
  EXPECT("negative time step", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_cfl", .value = "-1"}),
         "has to be positive");
  EXPECT("no time step", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_cfl", .value = "0"}),
         "has to be positive");
  EXPECT("numbers of a constant", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_direction", .value = "1,2"}), "direction",
         "3 numbers, not 2");
  EXPECT("a boundary without condition", WithSetting, (&(Setting){.system = "maxwell", .noBoundary = PETSC_TRUE}),
         "no condition at facet", "sides = ", "-plex_dg_bc", "PlexDGAddBoundary()", "pec, pmc, absorbing");
  EXPECT("unknown boundary condition", WithSetting, (&(Setting){.system = "maxwell", .kind = "wall"}),
         "maxwell has no boundary condition wall", "pec, pmc, absorbing, incident, scatterer, impedance");
  EXPECT("unknown label", WithSetting, (&(Setting){.system = "maxwell", .label = "inlet"}), "no label inlet",
         "-dm_view");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that the system's equations do not allow */
static PetscErrorCode TestNumbers(void)
{
  PetscFunctionBegin;
  EXPECT("alpha below 0", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_alpha", .value = "-1"}),
         "Constant alpha of system maxwell is -1", "from 0. to 1.", "-plex_dg_alpha");
  EXPECT("alpha above 1", WithSetting,
         (&(Setting){.system = "acoustics", .kind = "wall", .option = "-plex_dg_alpha", .value = "2"}),
         "Constant alpha of system acoustics is 2", "from 0. to 1.");
  EXPECT("a medium that amplifies", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_sigma", .value = "-1"}),
         "Coefficient sigma of system maxwell is -1", "at least 0", "-plex_dg_sigma");
  EXPECT("two negative coefficients, which have a speed", WithSetting,
         (&(Setting){.system = "acoustics", .kind = "wall", .option = "-plex_dg_rho", .value = "-1"}),
         "Coefficient rho of system acoustics is -1", "more than 0");
  EXPECT("a negative radius", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_current_radius", .value = "-1"}),
         "Constant current_radius of system maxwell is -1", "at least 0");
  EXPECT("a depth of 0", WithSetting,
         (&(Setting){.system = "shallow_water_linear", .kind = "wall", .option = "-plex_dg_depth", .value = "0"}),
         "Constant depth of system shallow_water_linear is 0", "more than 0");
  EXPECT("a number that is none", WithSetting,
         (&(Setting){.system = "maxwell", .option = "-plex_dg_sigma", .value = "nan"}),
         "Coefficient sigma of system maxwell is ");
  EXPECT("a direction that is no unit vector", WithSetting,
         (&(Setting){.system = "maxwell", .kind = "incident", .option = "-plex_dg_direction", .value = "2,0,0"}),
         "of length 2", "unit vector", "-plex_dg_direction 1,0,0");
  EXPECT("a direction of three digits", WithSetting,
         (&(Setting){.system = "maxwell",
                     .kind   = "scatterer",
                     .option = "-plex_dg_direction",
                     .value  = "0.707,0.707,0"}),
         "unit vector", "-plex_dg_direction 0.707106781,0.707106781,0");
  EXPECT("no direction", WithSetting,
         (&(Setting){.system = "maxwell", .kind = "incident", .option = "-plex_dg_direction", .value = "0,0,0"}),
         "goes nowhere", "-plex_dg_direction");
  EXPECT("a direction out of the plane", WithSetting,
         (&(Setting){.system = "maxwell", .kind = "incident", .option = "-plex_dg_direction", .value = "0.6,0,0.8"}),
         "nothing depends on z", "-plex_dg_direction");
  EXPECT("a longitudinal wave", WithSetting,
         (&(Setting){.system = "maxwell", .kind = "incident", .option = "-plex_dg_polarization", .value = "1,0,1"}),
         "not at right angles", "-plex_dg_polarization 0,0,1");
  EXPECT("no wave", WithSetting,
         (&(Setting){.system = "maxwell", .kind = "incident", .option = "-plex_dg_polarization", .value = "0,0,0"}),
         "is zero", "-plex_dg_polarization");
  PetscCall(PlexTestReport((PetscBool)!WithSetting(&(Setting){.system = "maxwell",
                                                              .option = "-plex_dg_direction",
                                                              .value  = "2,0,0"}),
                           "a direction without an incident wave", "an error"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WrongType(void *ctx)
{
  const PlexDGType type = (PlexDGType)ctx;
  PetscBool        host, emulate;
  DM               dm;
  PlexDG           dg;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, PLEXDGHOST, &host));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGSetBackend(dg, !host ? PLEXBACKENDHOST : emulate ? PLEXBACKENDEMULATE : PLEXBACKENDCUDA));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system of the program's own on a backend that compiles kernels, from a folder where the program was not made */
static PetscErrorCode FromElsewhere(void *ctx)
{
  char           here[PETSC_MAX_PATH_LEN];
  PetscErrorCode ierr;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, (const char *)ctx));
  PetscCall(PlexDGSetDegree(dg, 1));
  PetscCall(PlexDGSetType(dg, PLEXDGPLAIN));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDEMULATE));
  PetscCall(PetscGetWorkingDirectory(here, sizeof(here)));
  PetscCheck(!chdir("/"), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No root");
  ierr = PlexDGSetUp(dg);
  PetscCheck(!chdir(here), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No way back");
  PetscCall(ierr);
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestElsewhere(void)
{
  PetscBool emulate;

  PetscFunctionBegin;
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  if (!emulate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestReport((PetscBool)!FromElsewhere((void *)"burgers"),
                           "a header of one's own, from another working folder", "it is not found"));
  PetscCall(PlexTestReport((PetscBool)!FromElsewhere((void *)"maxwell"),
                           "a header of the library, from another working folder", "it is not found"));
  EXPECT("a header that is not there", FromElsewhere, (void *)"without_header", "Cannot find nosuch/burgers.h",
         "system without_header", "PLEX_DG_POINTWISE", "full path");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnknownConstant(void *ctx)
{
  const PetscReal one = 1.;
  DM              dm;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Meshes */

static PetscErrorCode OnQuadrilaterals(void *ctx)
{
  const PetscInt faces[2] = {2, 2};
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OnSurface(void *ctx)
{
  DM     dm;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateSphereMesh(PETSC_COMM_SELF, 2, PETSC_TRUE, 1., &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithOtherVector(void *ctx)
{
  DM     dm;
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 7, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step that is too long: the factor of the default one, the method, where */
typedef struct {
  PetscReal     cfl;
  const char   *type, *backend, *way;
  PlexPrecision precision;
  PetscBool     brief; /* fewer steps than from look to look */
} Stability;

static PetscErrorCode BeyondStability(void *ctx)
{
  const Stability *s = (const Stability *)ctx;
  DM               dm;
  PlexDG           dg;
  Vec              U;
  TS               ts;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, 3, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, s->backend));
  PetscCall(PlexDGSetType(dg, s->way));
  PetscCall(PlexDGSetPrecision(dg, s->precision));
  PetscCall(PlexDGSetCFL(dg, s->cfl));
  PetscCall(PlexDGSetStabilityCheck(dg, s->brief ? 50 : 5));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (s->type) PetscCall(TSSetType(ts, s->type));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, s->brief ? 15 : 60));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BeyondStabilityBriefly(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(BeyondStability(&(Stability){3., NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, PETSC_TRUE}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStability(void)
{
  PetscBool emulate;

  PetscFunctionBegin;
  EXPECT("a time step beyond stability", BeyondStability,
         (&(Stability){2.5, NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, PETSC_FALSE}),
         "grows without bound", "beyond stability", "-ts_dt", "-plex_dg_cfl");
  EXPECT("a step that overflows in single precision", BeyondStability,
         (&(Stability){20., NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_SINGLE, PETSC_FALSE}),
         "grows without bound", "beyond stability", "-ts_dt");
  EXPECT("a step beyond stability of a low-storage scheme", BeyondStability,
         (&(Stability){4., TSPLEXLOWSTORAGE, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, PETSC_FALSE}),
         "grows without bound", "beyond stability", "-ts_dt");
  EXPECT("a method of order one, which is never stable, with steps ten times the default", BeyondStability,
         (&(Stability){10., TSEULER, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, PETSC_FALSE}),
         "grows without bound", "beyond stability");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  if (emulate)
    EXPECT("a step beyond stability of fused stages in single precision", BeyondStability,
           (&(Stability){20., TSPLEXLOWSTORAGE, PLEXBACKENDEMULATE, PLEXDGFUSED, PLEX_PRECISION_SINGLE, PETSC_FALSE}),
           "grows without bound", "beyond stability", "-ts_dt");
  PetscCall(PlexTestReport((PetscBool)!BeyondStability(&(Stability){1., NULL, PLEXBACKENDHOST, PLEXDGHOST,
                                                                    PLEX_PRECISION_DOUBLE, PETSC_FALSE}),
                           "the default time step", "the state grows"));
  PetscCall(PlexTestReport((PetscBool)!BeyondStability(&(Stability){1., TSPLEXLOWSTORAGE, PLEXBACKENDHOST, PLEXDGHOST,
                                                                    PLEX_PRECISION_SINGLE, PETSC_FALSE}),
                           "the default time step of a low-storage scheme", "the state grows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* maxwell with conductivity, rough fields in a conductor's box: the energy can only fall. *steps: how many with the
   default step */
typedef struct {
  PetscReal   sigma, factor; /* of the default step */
  PetscInt    N, dim, steps;
  const char *type;
} Conductor;

static PetscErrorCode RunConductor(void *ctx)
{
  const Conductor *c = (const Conductor *)ctx;
  PetscReal        energy[2], dt;
  DM               dm;
  PlexDG           dg;
  Vec              U;
  TS               ts;
  TSAdapt          adapt;
  PetscBool        rk;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, c->dim, 2, PETSC_FALSE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, c->N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(dg, "sigma", 1, &c->sigma));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  if (c->type) PetscCall(TSSetType(ts, c->type));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rk));
  if (rk) {
    PetscCall(TSRKSetType(ts, TSRK4));
    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, dt * c->factor));
  PetscCall(TSSetMaxSteps(ts, c->steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCheck(energy[1] <= energy[0], PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "The energy was %g and is %g",
             (double)energy[0], (double)energy[1]);
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestConductors(void)
{
  const PetscReal sigmas[] = {1., 30., 100., 300., 3000., 1e6}; /* the last one where it is taken exactly */

  PetscFunctionBegin;
  for (PetscInt dim = 2; dim < 4; ++dim)
    for (PetscInt N = 1; N < (dim == 2 ? 8 : 4); N += 2) {
      PetscInt failed = 0;
      char     of[64];

      for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(sigmas); ++s)
        for (int t = sigmas[s] > 3000. ? 1 : 0; t < 3; ++t)
          failed += RunConductor(&(Conductor){sigmas[s], 1., N, dim, 300,
                                              t == 1 ? TSPLEXLOWSTORAGE
                                              : t    ? NULL
                                                     : TSRK}) != PETSC_SUCCESS;
      PetscCall(PetscSNPrintf(of, sizeof(of), "dimension %" PetscInt_FMT ", degree %" PetscInt_FMT, dim, N));
      PetscCall(PlexTestReportOf((PetscBool)!failed, of, "the default step knows the conductivity",
                                 "%" PetscInt_FMT " runs of %d grew", failed, 17));
    }
  EXPECT("a step too long for a conductor, few steps", RunConductor, (&(Conductor){300., 3., 3, 2, 20, TSRK}),
         "grows without bound", "beyond stability", "conductivity sigma", "sigma/epsilon", "rates up to 300");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side of one's own, u_t = rate/dt u or e^(-(t/dt - 60)^2/100) u0/dt, and what ends the run */
typedef struct {
  PetscReal   rate; /* 0: the pulse */
  PetscInt    steps, look;
  PetscReal   end;
  const char *type;
} Growth;

typedef struct {
  PetscReal rate, dt;
} GrowthContext;

static PetscErrorCode GrowthFunction(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  const GrowthContext *g = (const GrowthContext *)ctx;

  PetscFunctionBegin;
  PetscCall(VecCopy(U, R));
  if (g->rate != 0.) PetscCall(VecScale(R, g->rate / g->dt));
  else PetscCall(VecSet(R, PetscExpReal(-PetscSqr(t / g->dt - 60.) / 100.) / g->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunGrowth(void *ctx)
{
  const Growth *g = (const Growth *)ctx;
  GrowthContext context;
  DM            dm;
  PlexDG        dg;
  Vec           U;
  TS            ts;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, 3, g->type ? 0. : 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetStabilityCheck(dg, g->look));
  PetscCall(PlexDGCreateVec(dg, &U));
  if (g->rate != 0. || g->type) PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (g->type) PetscCall(TSSetType(ts, g->type));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &context.dt));
  context.rate = g->rate;
  if (!g->type) PetscCall(TSSetRHSFunction(ts, NULL, GrowthFunction, &context));
  PetscCall(TSSetMaxSteps(ts, g->steps));
  PetscCall(TSSetMaxTime(ts, g->end));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs that end before the first look, and growth with the default step */
static PetscErrorCode TestEnds(void)
{
  PetscFunctionBegin;
  EXPECT("a run of few steps beyond stability", BeyondStabilityBriefly, NULL, "grows without bound", "at step 15",
         "beyond stability", "-plex_dg_cfl");
  EXPECT("modes that a step as long as the default does not resolve", RunGrowth, (&(Growth){-3.5, 20, 50, 1e9, NULL}),
         "grows without bound", "at step 20", "-plex_dg_cfl");
  EXPECT("a state that is no number", RunGrowth, (&(Growth){PETSC_INFINITY, 3, 50, 1e9, NULL}), "grows without bound",
         "at step 3");
  EXPECT("exponential growth without an end", RunGrowth, (&(Growth){0.3, 200, 10, 1e9, NULL}), "grows without bound");
  EXPECT("a method of order one with the default step", RunGrowth, (&(Growth){0., 200, 50, 1e9, TSEULER}),
         "grows without bound", "the method is of order 1", "alpha less than 1");
  EXPECT("a negative time", RunGrowth, (&(Growth){-0.1, 200, 50, -5., NULL}), "end at time -5.", "begins at 0.",
         "-ts_max_time");
  PetscCall(PlexTestReport((PetscBool)!RunGrowth(&(Growth){0., 120, 10, 1e9, NULL}),
                           "a pulse that sets in from nothing", "the state grows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Growth as of a source that sets in, u_t = 0.3 u/dt: twentyfold from look to look, with a step that is stable, is no
   error */
static PetscErrorCode GrowthTimes(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(U, R));
  PetscCall(VecScale(R, *(const PetscReal *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(void *ctx)
{
  PetscReal dt, rate;
  DM        dm;
  PlexDG    dg;
  Vec       U;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, 3, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetStabilityCheck(dg, 10));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  rate = 0.3 / dt;
  PetscCall(TSSetRHSFunction(ts, NULL, GrowthTimes, &rate));
  PetscCall(TSSetMaxSteps(ts, 60));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Parts of the boundary, and coefficients */

/* On a square whose sides are labelled */
static PetscErrorCode CreateWithSides(PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value that no side has */
static PetscErrorCode NoSuchSide(void *ctx)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(CreateWithSides(&dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGAddBoundary(dg, "sides", 9, "free"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option ctx, of an operator with a prefix of its own, for a side that there is not, where another condition covers all */
static PetscErrorCode NoSuchOption(void *ctx)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, (const char *)ctx));
  PetscCall(CreateWithSides(&dg));
  PetscCall(PlexDGSetOptionsPrefix(dg, "typed_"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conditions on three sides of a square of four */
static PetscErrorCode PartOfBoundary(void *ctx)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(CreateWithSides(&dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  for (PetscInt s = 1; s <= 3; ++s) PetscCall(PlexDGAddBoundary(dg, "sides", s, "wall"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NegativeSomewhere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                        void *ctx)
{
  PetscFunctionBegin;
  if (x[0] > 0.5 && x[1] > 0.5) k[0] = -2.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* epsilon is negative in a quarter of a square: it has no speed there */
static PetscErrorCode BadCoefficient(void *ctx)
{
  DM        dm;
  PlexDG    dg;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, 2, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetCoefficients(dg, NegativeSomewhere, NULL));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex is moved onto the opposite side */
static PetscErrorCode OnFlat(void *ctx)
{
  Vec    x;
  DM     dm;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecSetValue(x, 2, 0.5, INSERT_VALUES)); /* (1, 0) to the middle of the diagonal */
  PetscCall(VecSetValue(x, 3, 0.5, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options and view */

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that options can set, as the view shows it: of sides 1 to 4 of a square one by its value, one by its label, the
   others by default */
static PetscErrorCode TestView(void)
{
  const char *const words[] = {"single",     PLEXBACKENDHOST, "maxwell",      "Ex, Ey",       "alpha: 0.5",
                               "epsilon: 2", "648",           "3 facets pec", "3 facets pmc", "6 facets absorbing"};
  const char       *missing = NULL;
  char              text[8192], *found;
  DMLabel           sets, inlet;
  PetscInt          n, *facets, side;
  DM                dm;
  PlexDG            dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 3, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexTestGetLabel(dm, "Face Sets", &sets));
  PetscCall(PlexTestGetLabel(dm, "the inlet", &inlet));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMGetLabelValue(dm, "sides", facets[k], &side));
    PetscCall(DMLabelSetValue(sets, facets[k], side));
    if (side < 3) PetscCall(DMLabelSetValue(inlet, facets[k], 7));
  }
  PetscCall(PetscFree(facets));
  PetscCall(PetscOptionsInsertString(NULL, "-wave_plex_dg_system maxwell -wave_plex_dg_degree 2 "
                                           "-wave_plex_dg_precision single -wave_plex_dg_backend host "
                                           "-wave_plex_dg_alpha 0.5 -wave_plex_dg_epsilon 2 -wave_plex_dg_bc absorbing "
                                           "-wave_plex_dg_bc_the_inlet pec -wave_plex_dg_bc_2 pmc"));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetOptionsPrefix(dg, "wave_"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words) && !missing; ++k) {
    PetscCall(PetscStrstr(text, words[k], &found));
    if (!found) missing = words[k];
  }
  PetscCall(PlexTestReport((PetscBool)(dg->degree == 2 && dg->mesh->NeGlobal == 18 && dg->reference->Np == 6),
                           "what options have set",
                           "degree %" PetscInt_FMT ", %" PetscInt_FMT " elements of %" PetscInt_FMT " nodes",
                           dg->degree, dg->mesh->NeGlobal, dg->reference->Np));
  PetscCall(PlexTestReport((PetscBool)!missing, "the view shows what options have set", "'%s' is not in:\n%s",
                           missing ? missing : "", text));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(TestSettings());
  PetscCall(TestNumbers());
  PetscCall(TestElsewhere());
  EXPECT("a kernel's type on the host", WrongType, (void *)PLEXDGPLAIN,
         "plain of nodal DG does not run on backend host", "-plex_dg_backend");
  EXPECT("the host's type where kernels run", WrongType, (void *)PLEXDGHOST, "host of nodal DG does not run on backend",
         "-plex_dg_backend host");
  EXPECT("unknown constant", UnknownConstant, NULL, "acoustics has no constant and no coefficient epsilon",
         "PlexDGView()");
  EXPECT("quadrilaterals", OnQuadrilaterals, NULL, "cell 0 is a quadrilateral", "refine_tosimplex");
  EXPECT("a surface", OnSurface, NULL, "dimension 2 has 3 coordinates");
  EXPECT("another vector", WithOtherVector, NULL, "7 entries", "PlexDGCreateVec()");
  EXPECT("a flat triangle", OnFlat, NULL, "is flat", "Jacobian determinant");
  EXPECT("a boundary of which a part has no condition", PartOfBoundary, NULL, "no condition at facet", "sides = 4",
         "-plex_dg_bc", "wall, free, absorbing");
  EXPECT("a value that no facet has", NoSuchSide, NULL, "Boundary condition free is for the value 9 of label sides",
         "no facet", "-dm_view");
#define TYPED "-typed_plex_dg_system acoustics -typed_plex_dg_backend host -typed_plex_dg_bc wall "
  EXPECT("an option for a label that there is not", NoSuchOption, (void *)(TYPED "-typed_plex_dg_bc_inlte free"),
         "no label inlte", "boundary condition free", "-dm_view");
  PetscCall(PetscOptionsClearValue(NULL, "-typed_plex_dg_bc_inlte"));
  EXPECT("an option for a value that there is not", NoSuchOption, (void *)(TYPED "-typed_plex_dg_bc_12 free"),
         "no label Face Sets", "boundary condition free");
  EXPECT("a negative coefficient", BadCoefficient, NULL, "Coefficient epsilon of system maxwell is -2.", "in cell",
         "centroid (0.", "more than 0", "PlexDGSetCoefficients()");
  PetscCall(TestStability());
  PetscCall(TestConductors());
  PetscCall(TestEnds());
  PetscCall(PlexTestReport((PetscBool)!Source(NULL), "a state that a source makes grow, with stable steps",
                           "it is an error"));
  PetscCall(TestView());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
