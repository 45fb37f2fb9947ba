static char help[] = "What bad input to the nodal DG operator gets: an error that names the thing and the way out. And options, and what its view shows.\n\n";

#include "dgproblem.h"
#include "report.h"

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
    if (ierr) return ierr;
  }
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSettings(void)
{
  PetscFunctionBegin;
  EXPECT("no system", WithSetting, (&(Setting){NULL}), "no system of equations", "PlexDGSetSystem()", "-plex_dg_system");
  EXPECT("unknown system", WithSetting, (&(Setting){.system = "gravity"}), "gravity", "advection", "acoustics", "maxwell", "PlexDGSystemRegister()");
  EXPECT("a system without flux", WithSetting, (&(Setting){.system = "without_flux"}), "without_flux has no flux", "dg_face()", "dg_flux()");
  EXPECT("degree", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_degree", .value = "10"}), "1 to 9, not 10", "-plex_dg_degree");
  EXPECT("unknown type", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_type", .value = "fastest"}), "fastest", PLEXDGAUTO, PLEXDGHOST, PLEXDGPLAIN);
  EXPECT("unknown backend", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_backend", .value = "abacus"}), "abacus", PLEXBACKENDCUDA, PLEXBACKENDHOST, PLEXBACKENDEMULATE);
  EXPECT("unknown precision", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_precision", .value = "half"}), "half");
  EXPECT("negative time step", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_cfl", .value = "-1"}), "has to be positive");
  EXPECT("numbers of a constant", WithSetting, (&(Setting){.system = "maxwell", .option = "-plex_dg_direction", .value = "1,2"}), "direction", "3 numbers, not 2");
  EXPECT("a boundary without condition", WithSetting, (&(Setting){.system = "maxwell", .noBoundary = PETSC_TRUE}), "no condition at facet", "sides = ", "-plex_dg_bc", "PlexDGAddBoundary()", "pec, pmc, absorbing");
  EXPECT("unknown boundary condition", WithSetting, (&(Setting){.system = "maxwell", .kind = "wall"}), "maxwell has no boundary condition wall", "pec, pmc, absorbing, incident, scatterer");
  EXPECT("unknown label", WithSetting, (&(Setting){.system = "maxwell", .label = "inlet"}), "no label inlet", "-dm_view");
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
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex is moved through the opposite side of its element */
static PetscErrorCode OnInverted(void *ctx)
{
  const PetscInt dim = *(const PetscInt *)ctx;
  Vec            x;
  DM             dm;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, dim, 1, PETSC_FALSE, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecSetValue(x, 0, 5., INSERT_VALUES));
  PetscCall(VecSetValue(x, 1, 5.5, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
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
  PetscCall(PlexDGSetStabilityCheck(dg, 5));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (s->type) PetscCall(TSSetType(ts, s->type));
  PetscCall(PlexDGSetTS(dg, ts));
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

static PetscErrorCode TestStability(void)
{
  PetscBool emulate;

  PetscFunctionBegin;
  EXPECT("a time step beyond stability", BeyondStability, (&(Stability){2.5, NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}), "grows without bound", "beyond stability", "-ts_dt", "-plex_dg_cfl");
  EXPECT("a step that overflows in single precision", BeyondStability, (&(Stability){20., NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_SINGLE}), "grows without bound", "beyond stability", "-ts_dt");
  EXPECT("a step beyond stability of a low-storage scheme", BeyondStability, (&(Stability){4., TSPLEXLOWSTORAGE, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}), "grows without bound", "beyond stability", "-ts_dt");
  EXPECT("a method of order one, which is never stable, with steps ten times the default", BeyondStability, (&(Stability){10., TSEULER, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}), "grows without bound", "beyond stability");
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDEMULATE, &emulate));
  if (emulate) EXPECT("a step beyond stability of fused stages in single precision", BeyondStability, (&(Stability){20., TSPLEXLOWSTORAGE, PLEXBACKENDEMULATE, PLEXDGFUSED, PLEX_PRECISION_SINGLE}), "grows without bound", "beyond stability", "-ts_dt");
  PetscCall(PlexTestReport((PetscBool)!BeyondStability(&(Stability){1., NULL, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE}), "the default time step", "the state grows"));
  PetscCall(PlexTestReport((PetscBool)!BeyondStability(&(Stability){1., TSPLEXLOWSTORAGE, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_SINGLE}), "the default time step of a low-storage scheme", "the state grows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Growth as of a source that sets in, u_t = 0.3 u/dt: twentyfold from look to look, with a step that is stable, is no error */
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

/* Conditions on three sides of a square of four */
static PetscErrorCode PartOfBoundary(void *ctx)
{
  DM     dm;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  for (PetscInt s = 1; s <= 3; ++s) PetscCall(PlexDGAddBoundary(dg, "sides", s, "wall"));
  PetscCall(PlexDGSetUp(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NegativeSomewhere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
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

/* All that options can set, as the view shows it: of sides 1 to 4 of a square one by its value, one by its label, the others by default */
static PetscErrorCode TestView(void)
{
  const char *const words[] = {"degree 2, single precision, backend host", "system: maxwell, fields Ex, Ey", "alpha: 0.5", "epsilon: 2", "18 triangles, 6 nodes each, 648 values", "3 facets pec", "3 facets pmc", "6 facets absorbing", "time step: "};
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
  PetscCall(PetscOptionsInsertString(NULL, "-wave_plex_dg_system maxwell -wave_plex_dg_degree 2 -wave_plex_dg_precision single -wave_plex_dg_backend host -wave_plex_dg_alpha 0.5 -wave_plex_dg_epsilon 2 -wave_plex_dg_bc absorbing "
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
  PetscCall(PlexTestReport((PetscBool)!missing, "the view shows what options have set", "'%s' is not in:\n%s", missing ? missing : "", text));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt dim[2] = {2, 3};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(TestSettings());
  EXPECT("a kernel's type on the host", WrongType, (void *)PLEXDGPLAIN, "plain of nodal DG does not run on backend host", "-plex_dg_backend");
  EXPECT("the host's type where kernels run", WrongType, (void *)PLEXDGHOST, "host of nodal DG does not run on backend", "-plex_dg_backend host");
  EXPECT("unknown constant", UnknownConstant, NULL, "acoustics has no constant and no coefficient epsilon", "PlexDGView()");
  EXPECT("quadrilaterals", OnQuadrilaterals, NULL, "cell 0 is a quadrilateral", "refine_tosimplex");
  EXPECT("an inverted triangle", OnInverted, &dim[0], "is inverted or flat", "Jacobian determinant", "centroid (", "DMPlexOrient()");
  EXPECT("an inverted tetrahedron", OnInverted, &dim[1], "is inverted or flat", "Jacobian determinant", "centroid (", "DMPlexOrient()");
  EXPECT("a surface", OnSurface, NULL, "dimension 2 has 3 coordinates");
  EXPECT("another vector", WithOtherVector, NULL, "7 entries", "PlexDGCreateVec()");
  EXPECT("a flat triangle", OnFlat, NULL, "is inverted or flat", "Jacobian determinant");
  EXPECT("a boundary of which a part has no condition", PartOfBoundary, NULL, "no condition at facet", "sides = 4", "-plex_dg_bc", "wall, free, absorbing");
  EXPECT("a negative coefficient", BadCoefficient, NULL, "maxwell has the speed", "in cell", "centroid (0.", "epsilon = -2.", "PlexDGSetCoefficients()");
  PetscCall(TestStability());
  PetscCall(PlexTestReport((PetscBool)!Source(NULL), "a state that a source makes grow, with stable steps", "it is an error"));
  PetscCall(TestView());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
