static char help[] = "Perfectly matched layers of nodal DG: pulses in boxes and balls beside larger domains, types, "
                     "restarts, messages.\n\n";

#include "ball.h"
#include "layerbox.h"
#include "mixedmesh.h"
#include "report.h"
#include "../../src/dg/core/coreimpl.h"

/* ------------------------------------------------------------------------------------------------------------------
   A pulse in a box or ball, beside a larger one
   ------------------------------------------------------------------------------------------------------------------ */

#define POINTS 64

/* Where the mesh ends: with a layer, without one, so far away that nothing comes back */
typedef enum {
  LAYER,
  ABSORBING,
  FAR
} End;

typedef struct {
  const char *system;
  PetscInt    dim, N;
  PetscBool   round;
  PetscReal   T;
  PetscBool   halves; /* of two media, along x = 1 */
  PetscBool   step;   /* rates of the layer are constant, but, in 2D, in cells that are not all of it */
  PetscBool   side;   /* the layer is behind one side, and blocks of kernels are all of it */
  PetscBool   grows;  /* its rates grow with a power */
} Pulse;

/* A field of a ring, without divergence, that is not 0 near the middle of the box alone, or a pressure */
static PetscErrorCode Blob(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal *c  = (const PetscReal *)ctx;
  PetscReal        r2 = 0.;

  PetscFunctionBegin;
  (void)t;
  for (PetscInt d = 0; d < dim; ++d) r2 += PetscSqr(x[d] - c[d]);
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  r2 /= PetscSqr(c[3]);
  if (Nf < 6) u[0] = PetscExpReal(-r2);
  else {
    u[0] = -(x[1] - c[1]) / c[3] * PetscExpReal(-r2);
    u[1] = (x[0] - c[0]) / c[3] * PetscExpReal(-r2);
    if (dim == 2) u[2] = PetscExpReal(-r2);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Halves(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  (void)dim;
  (void)cell;
  (void)n;
  (void)ctx;
  if (x[0] > 1.) k[0] = 3.; /* epsilon */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PulseMesh(const Pulse *p, End end, DM *dm)
{
  const PetscInt n = p->dim == 2 ? 4 : 3, more = end == LAYER ? 3 : end == ABSORBING ? 0 : p->dim == 2 ? 8 : 5;

  PetscFunctionBegin;
  if (p->round) {
    const PetscReal radii[] = {0., 0.4, 0.8, 1.2, 1.6, 2., 2.4, 2.8, 3.2};

    PetscCall(PlexTestBall(PETSC_COMM_WORLD, end == ABSORBING ? 3 : 5, radii, 0, dm));
    PetscCall(PlexTestDistributeDefault(dm, 0));
  } else {
    PlexTestLayerBox b = {.dim = p->dim};

    for (PetscInt d = 0; d < p->dim; ++d) {
      const PetscReal side = p->dim == 2 ? 2. : 1.;

      b.n[d]        = (PetscInt)side * n + 2 * more;
      b.low[d]      = -(PetscReal)more / (PetscReal)n;
      b.high[d]     = side - b.low[d];
      b.inner[1][d] = side;
    }
    PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PulseCreate(const Pulse *p, End end, DM dm, const char backend[], const char type[],
                                  PlexPrecision precision, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, p->system));
  PetscCall(PlexDGSetDegree(*dg, p->N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetType(*dg, type));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  if (p->halves) PetscCall(PlexDGSetCoefficients(*dg, Halves, NULL));
  if (p->step || p->grows) PetscCall(PlexDGSetPMLProfile(*dg, 1e-12, p->step ? 0 : 3, PETSC_DETERMINE));
  if (end == LAYER)
    PetscCall(PlexDGSetPML(*dg, p->round ? "shell" : "layer", PETSC_DETERMINE,
                           p->round                             ? "sphere,0,0,0,1.2"
                           : p->step && p->dim == 2 && !p->side ? "box,0.8,1,2,2"
                                                                : "box"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields at points of the box or ball at the time T, values[POINTS * 6] */
static PetscErrorCode PulseRun(const Pulse *p, End end, PetscInt *Nf, PetscReal values[])
{
  const PetscReal side = p->dim == 2 ? 2. : 1., c[4] = {p->round ? 0. : 0.5 * side, p->round ? 0. : 0.5 * side,
                                                        p->round ? 0. : 0.5 * side, p->round ? 0.4 : 0.25};
  PetscReal       points[POINTS * 3];
  PetscInt        each = p->dim == 2 ? 8 : 4;
  PlexDG          dg;
  DM              dm;
  TS              ts;
  Vec             U;
  PlexDGProbes    probes;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < POINTS; ++k)
    for (PetscInt d = 0, rest = k; d < p->dim; ++d, rest /= each)
      points[k * p->dim + d] = c[d] + 0.93 * (p->round ? 1.2 : side) * (((rest % each) + 0.47) / (PetscReal)each - 0.5);
  PetscCall(PulseMesh(p, end, &dm));
  PetscCall(PulseCreate(p, end, dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, &dg));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Blob, (void *)c, U));
  PetscCall(PlexDGGetFields(dg, Nf, NULL));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, p->T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGProbesCreate(dg, POINTS, points, NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, values));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPulse(const Pulse *p, PetscReal most)
{
  PetscReal values[3][POINTS * 6], error[2] = {0., 0.};
  PetscInt  Nf = 0;
  char      name[256];

  PetscFunctionBegin;
  for (int end = 0; end < 3; ++end) PetscCall(PulseRun(p, (End)end, &Nf, values[end]));
  for (PetscInt k = 0; k < POINTS * Nf; ++k)
    for (int end = 0; end < 2; ++end) error[end] = PetscMax(error[end], PetscAbsReal(values[end][k] - values[FAR][k]));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "a pulse of %s in a %s%s, dimension %" PetscInt_FMT ": error %.1e, absorbing %.1e", p->system,
                          p->round ? "ball" : "box", p->halves ? " of two media" : "", p->dim, (double)error[0],
                          (double)error[1]));
  PetscCall(PlexTestReport((PetscBool)(error[0] < most && error[0] < 0.2 * error[1]), name, "at most %g",
                           (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Types, processes, restarts
   ------------------------------------------------------------------------------------------------------------------ */

/* A small box or ball, where all kinds of cells are */
static PetscErrorCode SmallMesh(MPI_Comm comm, const Pulse *p, DM *dm)
{
  PetscFunctionBegin;
  if (p->round) {
    const PetscReal radii[] = {0., 1.2, 2.};

    PetscCall(PlexTestBall(comm, 2, radii, 0, dm));
    PetscCall(PlexTestDistributeDefault(dm, 0));
  } else {
    PlexTestLayerBox b = {.dim = p->dim};

    for (PetscInt d = 0; d < p->dim; ++d) {
      b.n[d]        = 3;
      b.high[d]     = 3.;
      b.inner[0][d] = 1.;
      b.inner[1][d] = 2.;
    }
    if (p->side) {
      b.n[0]        = 5;
      b.n[1]        = 4;
      b.high[0]     = 5.;
      b.inner[0][0] = b.inner[0][1] = -1.;
      b.inner[1][1]                 = 4.;
    }
    PetscCall(PlexTestLayerBoxCreate(comm, &b, dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from a rough state, or from a checkpoint, and to one. norms: of the state, its energy, of the layer's variables */
static PetscErrorCode Steps(DM dm, const Pulse *p, const char backend[], const char type[], PlexPrecision precision,
                            PetscInt steps, const char from[], const char to[], Vec *U, PetscReal norms[3])
{
  PlexDG dg;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(PulseCreate(p, LAYER, dm, backend, type, precision, &dg));
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, *U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  if (from) PetscCall(PlexDGLoadCheckpoint(dg, ts, from, *U));
  PetscCall(TSSolve(ts, *U));
  if (to) PetscCall(PlexDGSaveCheckpoint(dg, ts, *U, to));
  PetscCall(VecNorm(*U, NORM_2, &norms[0]));
  PetscCall(PlexDGComputeEnergy(dg, *U, &norms[1]));
  { /* the right-hand side has the layer's variables */
    Vec R;

    PetscCall(VecDuplicate(*U, &R));
    PetscCall(PlexDGComputeRHS(dg, 0., *U, R));
    PetscCall(VecNorm(R, NORM_2, &norms[2]));
    PetscCall(VecDestroy(&R));
  }
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ways: the last so many */
static PetscErrorCode TestTypes(const Pulse *p, const char backend[], int ways)
{
  const PetscBool   host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGSEPARATE, PLEXDGFUSED};
  PetscReal         norms[2][3];
  Vec               exact, U;
  DM                dm, whole;
  char              of[128];

  PetscFunctionBegin;
  PetscCall(SmallMesh(PETSC_COMM_WORLD, p, &dm));
  PetscCall(SmallMesh(PETSC_COMM_SELF, p, &whole));
  PetscCall(Steps(dm, p, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, 10, NULL, NULL, &exact, norms[0]));
  for (int t = host ? 0 : 3 - ways; t < (host ? 1 : 3); ++t)
    for (int precision = 0; precision < 2; ++precision) {
      const PetscReal most = precision ? 2e-5 : 1e-12;
      PetscReal       error, worst = 0.;

      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, dimension %" PetscInt_FMT "%s, %s %s %s", p->system, p->dim,
                              p->round  ? ", ball"
                              : p->side ? ", one side"
                                        : "",
                              backend, types[t], PlexPrecisions[precision]));
      PetscCall(Steps(dm, p, backend, types[t], (PlexPrecision)precision, 10, NULL, NULL, &U, norms[0]));
      PetscCall(VecAXPY(U, -1., exact));
      PetscCall(VecNorm(U, NORM_2, &error));
      PetscCall(VecDestroy(&U));
      PetscCall(PlexTestReportOf((PetscBool)(error <= most * norms[0][0]), of, "the host's steps",
                                 "difference %g of %g", (double)error, (double)norms[0][0]));
      if (precision) continue;
      PetscCall(Steps(whole, p, backend, types[t], (PlexPrecision)precision, 10, NULL, NULL, &U, norms[1]));
      PetscCall(VecDestroy(&U));
      for (int k = 0; k < 3; ++k) worst = PetscMax(worst, PetscAbsReal(norms[0][k] / norms[1][k] - 1.));
      PetscCall(PlexTestReportOf((PetscBool)(worst <= 1e-12), of, "several processes do as one", "difference %g",
                                 (double)worst));
    }
  PetscCall(VecDestroy(&exact));
  PetscCall(DMDestroy(&whole));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A checkpoint of a layer with another profile, by options */
typedef struct {
  DM           dm;
  const Pulse *p;
  const char  *backend, *type, *file;
} Other;

static PetscErrorCode LoadOther(void *ctx)
{
  const Other *o = (const Other *)ctx;
  PlexDG       dg;
  Vec          U;

  PetscFunctionBegin;
  PetscCall(PulseCreate(o->p, LAYER, o->dm, o->backend, o->type, PLEX_PRECISION_DOUBLE, &dg));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGLoadCheckpoint(dg, NULL, o->file, U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRestart(const Pulse *p, const char backend[], const char type[], PlexPrecision precision)
{
  PetscReal   norms[2][3], error;
  Vec         U, V;
  DM          dm;
  PetscMPIInt size;
  char        file[PETSC_MAX_PATH_LEN], name[128];

  PetscFunctionBegin;
  PetscCall(PlexTestOwnFile("dgpml", "h5", sizeof(file), file));
  PetscCall(SmallMesh(PETSC_COMM_WORLD, p, &dm));
  PetscCall(Steps(dm, p, backend, type, precision, 10, NULL, NULL, &U, norms[0]));
  PetscCall(Steps(dm, p, backend, type, precision, 5, NULL, file, &V, norms[1]));
  PetscCall(VecDestroy(&V));
  PetscCall(Steps(dm, p, backend, type, precision, 10, file, NULL, &V, norms[1]));
  PetscCall(VecAXPY(V, -1., U));
  PetscCall(VecNorm(V, NORM_INFINITY, &error));
  PetscCall(PetscSNPrintf(name, sizeof(name), "a run goes on with the same bits, %s %s %s", backend, type,
                          PlexPrecisions[precision]));
  PetscCall(PlexTestReport((PetscBool)(error == 0. && norms[0][2] == norms[1][2]), name,
                           "difference %g, rates %.17g and %.17g", (double)error, (double)norms[0][2],
                           (double)norms[1][2]));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int k = 0; k < 3 && size == 1 && !precision; ++k) {
    const char *const profiles[] = {"-plex_dg_pml_reflection 1e-5", "-plex_dg_pml_power 2", "-plex_dg_pml_alpha 0.3"};
    Other             other      = {dm, p, backend, type, file};

    PetscCall(PetscOptionsInsertString(NULL, profiles[k]));
    EXPECT(profiles[k], LoadOther, &other, "another perfectly matched layer", "-plex_dg_restart_changed");
    PetscCall(PlexTestClearOptions(profiles[k]));
  }
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&U));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const Pulse     cases[] = {
    {"maxwell",   2, 3, PETSC_FALSE, 0., PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"maxwell",   3, 2, PETSC_FALSE, 0., PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"maxwell",   3, 1, PETSC_TRUE,  0., PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"acoustics", 3, 1, PETSC_FALSE, 0., PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"acoustics", 3, 1, PETSC_TRUE,  0., PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}
  };
  const Pulse steps[] = {
    {"maxwell",   2, 3, PETSC_FALSE, 0., PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"acoustics", 3, 1, PETSC_FALSE, 0., PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"maxwell",   2, 2, PETSC_FALSE, 0., PETSC_FALSE, PETSC_TRUE, PETSC_TRUE,  PETSC_FALSE}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    PetscCall(TestTypes(&cases[k], backend, k < (PlexTestLong() ? 2 : 1) ? 3 : 1));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(steps); ++k)
    PetscCall(TestTypes(&steps[k], backend, k ? 1 : PlexTestLong() ? 3 : 2));
  PetscCall(TestRestart(&steps[0], backend, host ? PLEXDGHOST : PLEXDGFUSED, PLEX_PRECISION_DOUBLE));
  PetscCall(TestRestart(&cases[0], backend, host ? PLEXDGHOST : PLEXDGFUSED, PLEX_PRECISION_DOUBLE));
  if (!host) PetscCall(TestRestart(&cases[0], backend, PLEXDGFUSED, PLEX_PRECISION_SINGLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Messages
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  DM          dm;
  const char *label, *shape, *kind, *system;
  PetscReal   sigma;   /* everywhere */
  PetscReal   epsilon; /* of the layer's cells, 0: as elsewhere */
  const char *scheme, *type;
  PetscBool   curved, dispersive, adapts, quadrature;
} Wrong;

static PetscErrorCode Bend(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  (void)dim;
  (void)ctx;
  x[0] -= 0.1 * PetscSinReal(PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WrongEpsilon(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                   void *ctx)
{
  const Wrong *w = (const Wrong *)ctx;

  PetscFunctionBegin;
  (void)dim;
  (void)cell;
  (void)n;
  if (w->epsilon > 0. && x[0] > 2.) k[0] = w->epsilon;
  if (w->epsilon < 0. && x[1] > 1.5) k[0] = -w->epsilon; /* a layer of the medium */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpWrong(void *ctx)
{
  const Wrong *w = (const Wrong *)ctx;
  PlexDG       dg;
  TS           ts;
  Vec          U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(w->dm, &dg));
  PetscCall(PlexDGSetSystem(dg, w->system ? w->system : "maxwell"));
  PetscCall(PlexDGSetDegree(dg, w->curved ? 2 : 1));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, w->kind ? w->kind : "absorbing"));
  PetscCall(PlexDGSetPML(dg, w->label ? w->label : "layer", PETSC_DETERMINE, w->shape ? w->shape : "box"));
  if (w->sigma > 0.) PetscCall(PlexDGSetConstant(dg, "sigma", 1, &w->sigma));
  if (w->quadrature) PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  if (w->curved) PetscCall(PlexDGSetCurve(dg, "walls", 1, Bend, NULL));
  if (w->dispersive) PetscCall(PlexDGAddDispersion(dg, NULL, PETSC_DETERMINE, "drude", 2, (const PetscReal[]){1., 1.}));
  if (w->epsilon != 0.) PetscCall(PlexDGSetCoefficients(dg, WrongEpsilon, ctx));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)w->dm), &ts));
  if (w->type) PetscCall(TSSetType(ts, w->type));
  if (w->scheme) PetscCall(TSPlexLowStorageSetScheme(ts, w->scheme));
  if (w->adapts) {
    TSAdapt adapt;

    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTBASIC));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetProfile(void *ctx)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate((DM)ctx, &dg));
  PetscCall(PlexDGSetPMLProfile(dg, 2., 3, PETSC_DETERMINE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The power that is taken where none is set: where cells are all beyond the box, 0 of degrees from 4 on, and in sheets */
static PetscErrorCode TestPower(DM dm, const char system[], PetscInt N, const char shape[], const char expected[])
{
  PlexDG dg;
  char   text[8192], name[160], *found;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGSetPML(dg, "layer", PETSC_DETERMINE, shape));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, expected, &found));
  PetscCall(PetscSNPrintf(name, sizeof(name), "of a layer of %s, degree %" PetscInt_FMT ", %s: %s", system, N, shape,
                          expected));
  PetscCall(PlexTestReport((PetscBool)(found != NULL), name, "%s", text));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind one side four sheets of cells, of different thickness, or, bent, a plane that cells cross */
static PetscErrorCode SheetMesh(PetscBool bent, DM *dm)
{
  const PlexTestLayerBox b = {
    .dim = 2, .n = {7,          3       },
         .high = {7.,         3.      },
         .inner = {{-1., -1.}, {3., 4.}}
  };
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2) {
    const PetscReal beyond = PetscMax(0., PetscRealPart(x[i]) - 3.);

    x[i] += 0.1 * beyond * beyond;
    if (bent && beyond == 2. && PetscRealPart(x[i + 1]) == 1.) x[i] += 0.2;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rates of a layer in sheets: in each the mean of one that grows with the distance */
static PetscErrorCode TestSheets(PetscBool bent)
{
  const PetscReal planes[] = {0., 1.1, 2.4, 3.9, 5.6}, L = 5.6;
  PetscReal       worst = 0.;
  PetscInt        n     = 0;
  PlexDG          dg;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(SheetMesh(bent, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, bent ? 4 : 1));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGSetPML(dg, "layer", PETSC_DETERMINE, "box"));
  PetscCall(PlexDGSetUp(dg));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal center = -3., rate, expected = 0.;
    PetscInt  k = 0, end;

    for (PetscInt v = 0; v < dg->mesh->nv; ++v) center += dg->mesh->x[(e * dg->mesh->nv + v) * 2] / dg->mesh->nv;
    if (center > 0.) {
      while (center > planes[k + 1]) ++k;
      end = k + 1;
      if (bent && (k == 1 || k == 2)) k = 1, end = 3;
      expected = dg->pml->alpha - PetscLogReal(1e-12) * (planes[k] + planes[end]) / (2. * L * L);
    }
    rate  = dg->pml->damping[e];
    worst = PetscMax(worst, PetscAbsReal(rate - expected));
    n += center > 0.;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(worst < 1e-12 && n == 24),
                           bent ? "rates of a layer in three steps, where cells cross a plane"
                                : "rates of a layer in four steps, sheets of cells",
                           "%" PetscInt_FMT " cells, error %.1e", n, (double)worst));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether elements of the layer are the last ones in each window of the order */
static PetscErrorCode GetTogether(PlexDG dg, PetscInt window, PetscBool *together)
{
  const PlexDGPML p = dg->pml;
  PetscBool      *in;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(dg->mesh->Ne, &in));
  for (PetscInt k = 0; k < p->items; ++k) in[p->elements[k]] = PETSC_TRUE;
  *together = (PetscBool)(p->items > 0 && p->items < dg->mesh->Ne);
  for (PetscInt e = 1; e < dg->mesh->Ne; ++e)
    *together = (PetscBool)(*together && (e % window == 0 || in[e] >= in[e - 1]));
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of elements, of a layer by its label or by numbers as well; along the curve alone they are not together */
static PetscErrorCode TestOrder(DM dm, const char shape[])
{
  const PetscInt windows[] = {0, 16, PETSC_DETERMINE};
  char           name[160];

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(windows); ++k) {
    PlexDG    dg;
    PetscBool together = PETSC_FALSE;

    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "maxwell"));
    PetscCall(PlexDGSetDegree(dg, 1));
    PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
    PetscCall(PlexDGSetPML(dg, "layer", PETSC_DETERMINE, shape));
    if (windows[k] >= 0) dg->pmlWindow = windows[k];
    PetscCall(PlexDGSetUp(dg));
    PetscCall(GetTogether(dg, dg->pmlWindow ? dg->pmlWindow : PETSC_INT_MAX, &together));
    PetscCall(PetscSNPrintf(name, sizeof(name), "elements of a layer, %s, in windows of %" PetscInt_FMT, shape,
                            dg->pmlWindow));
    PetscCall(PlexTestReport((PetscBool)(together == (PetscBool)(windows[k] != 0)), name, " "));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a box, whose label has cells that are not of the layer of the numbers, and a ball, all of whose cells have it */
static PetscErrorCode TestOrders(void)
{
  const PlexTestLayerBox b = {
    .dim = 2, .n = {8,        8       },
         .high = {8.,       8.      },
         .inner = {{3., 3.}, {5., 5.}}
  };
  const PetscReal radii[] = {0., 0.6, 1.2, 2.};
  PetscInt        cStart, cEnd;
  DMLabel         label;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_SELF, &b, &dm));
  PetscCall(TestOrder(dm, "box"));
  PetscCall(TestOrder(dm, "box,1,1,7,7"));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestBall(PETSC_COMM_SELF, 3, radii, 0, &dm));
  PetscCall(PlexTestGetLabel(dm, "layer", &label));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMLabelSetValue(label, c, 1));
  PetscCall(TestOrder(dm, "sphere,0,0,0,1.2"));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the options say, and the view; media that differ across the way out are right */
static PetscErrorCode TestView(DM dm)
{
  const PlexTestLayerBox b = {
    .dim = 2, .n = {3,         2       },
         .high = {3.,        3.      },
         .inner = {{1., -1.}, {2., 4.}}
  };
  Wrong     layered = {.epsilon = -4.};
  PetscReal thickness[4], alpha;
  PetscInt  cells;
  PlexDG    dg;
  char      text[8192], *found;

  PetscFunctionBegin;
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_SELF, &b, &layered.dm));
  PetscCall(SetUpWrong(&layered));
  PetscCall(DMDestroy(&layered.dm));
  PetscCall(PlexTestReport(PETSC_TRUE, "media that change along the layer", " "));
  PetscCall(PetscOptionsInsertString(NULL,
                                     "-plex_dg_pml_layer box,1,1,2,2 -plex_dg_pml_alpha 0.25 -plex_dg_bc absorbing"));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexTestClearOptions("-plex_dg_pml_layer x -plex_dg_pml_alpha x -plex_dg_bc x"));
  PetscCall(PlexDGGetPML(dg, &cells, thickness, &alpha));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text,
                        "perfectly matched layer: 16 cells, x 1. to 0., x 2. to 3., y 1. to 0., y 2. to 3.; for "
                        "reflection 1e-12",
                        &found));
  PetscCall(PlexTestReport((PetscBool)(found && cells == 16 && thickness[0] == 1. && thickness[3] == 1. &&
                                       alpha == 0.25),
                           "a layer by options", "%" PetscInt_FMT " cells, %s", cells, text));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  const Pulse p = {.system = "maxwell", .dim = 2, .N = 1};
  DM          dm, mixed;
  Wrong       w;

  PetscFunctionBegin;
  PetscCall(SmallMesh(PETSC_COMM_SELF, &p, &dm));
  EXPECT("a label that there is not", SetUpWrong, (&(Wrong){.dm = dm, .label = "other"}), "label other",
         "-plex_dg_pml");
  EXPECT("a shape that there is not", SetUpWrong, (&(Wrong){.dm = dm, .shape = "egg,1"}), "shape egg,1",
         "circle,x,y,r");
  EXPECT("a box without extent", SetUpWrong, (&(Wrong){.dm = dm, .shape = "box,1,1,1,2"}), "lower coordinates");
  EXPECT("a circle whose cells are not all of the layer", SetUpWrong,
         (&(Wrong){.dm = dm, .shape = "circle,1.5,1.5,0.6"}), "reaches beyond the circle");
  EXPECT("a conductor in the layer", SetUpWrong, (&(Wrong){.dm = dm, .sigma = 1.}), "conducts", "-plex_dg_material");
  EXPECT("a medium that changes on the way out", SetUpWrong, (&(Wrong){.dm = dm, .epsilon = 4.}), "The medium changes");
  EXPECT("a wave through the layer", SetUpWrong, (&(Wrong){.dm = dm, .kind = "incident"}), "cannot enter");
  EXPECT("a system without layers", SetUpWrong, (&(Wrong){.dm = dm, .system = "advection", .kind = "outflow"}),
         "PLEX_DG_STRETCH");
  EXPECT("another method", SetUpWrong, (&(Wrong){.dm = dm, .type = TSRK}), "-ts_type lowstorage");
  EXPECT("a scheme of means", SetUpWrong, (&(Wrong){.dm = dm, .type = TSPLEXLOWSTORAGE, .scheme = "ssp3"}), "ck45");
  EXPECT("steps by an error", SetUpWrong, (&(Wrong){.dm = dm, .type = TSPLEXLOWSTORAGE, .adapts = PETSC_TRUE}),
         "-ts_adapt_type none");
  EXPECT("curved cells of the layer", SetUpWrong, (&(Wrong){.dm = dm, .curved = PETSC_TRUE}), "straight cells",
         "-plex_dg_curve");
  EXPECT("a dispersive medium in the layer", SetUpWrong, (&(Wrong){.dm = dm, .dispersive = PETSC_TRUE}),
         "dispersive medium", "-plex_dg_drude");
  EXPECT("DG with quadrature", SetUpWrong,
         (&(Wrong){.dm = dm, .system = "acoustics_uniform", .kind = "wall", .quadrature = PETSC_TRUE}),
         "quadrature DG has no perfectly matched layer");
  PetscCall(PlexTestMixedCreate(PETSC_COMM_SELF, PLEX_TEST_MIX_ROWS, 3, &mixed));
  EXPECT("triangles and quadrilaterals", SetUpWrong,
         (&(Wrong){.dm         = mixed,
                   .label      = "sides",
                   .system     = "acoustics_uniform",
                   .kind       = "wall",
                   .quadrature = PETSC_TRUE}),
         "quadrature DG has no perfectly matched layer", "-plex_dg_pml");
  PetscCall(DMDestroy(&mixed));
  EXPECT("a reflection above 1", SetProfile, dm, "reflection 2");
  w = (Wrong){.dm = dm, .label = "inside"};
  {
    DMLabel  label;
    PetscInt cStart, cEnd;

    PetscCall(PlexTestGetLabel(dm, "inside", &label));
    PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
    PetscCall(DMLabelSetValue(label, (cStart + cEnd) / 2, 1));
    EXPECT("a layer inside alone", SetUpWrong, &w, "has no thickness");
    for (PetscInt c = cStart; c < cEnd; ++c) {
      PetscReal x[3], volume;

      PetscCall(DMPlexComputeCellGeometryFVM(dm, c, &volume, x, NULL));
      if (x[0] > 2.) PetscCall(DMLabelSetValue(label, c, 1));
    }
  }
  EXPECT("a layer that is inside, too", SetUpWrong, &w, "is not beyond the box");
  PetscCall(TestView(dm));
  PetscCall(TestPower(dm, "maxwell", 3, "box", "power 3"));
  PetscCall(TestPower(dm, "maxwell", 4, "box", "power 0"));
  PetscCall(TestPower(dm, "maxwell", 4, "box,0.8,1,2,2", "power 3"));
  PetscCall(TestPower(dm, "acoustics", 4, "box", "power 0, alpha"));
  PetscCall(DMDestroy(&dm));
  for (int bent = 0; bent < 2; ++bent) {
    PetscCall(SheetMesh((PetscBool)bent, &dm));
    PetscCall(TestPower(dm, "maxwell", 1, "box", bent ? "power 3" : "power 0 in 4 steps"));
    PetscCall(TestPower(dm, "maxwell", 4, "box", bent ? "power 0 in 3 steps" : "power 0 in 4 steps"));
    PetscCall(TestPower(dm, "maxwell", 1, "box,-1,-1,3.5,4", "power 3"));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(SmallMesh(PETSC_COMM_SELF, &(const Pulse){.dim = 3}, &dm));
  PetscCall(TestPower(dm, "acoustics", 4, "box", "power 3"));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Several runs of one operator
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PlexDG dg;
  TS     ts[2];
  Vec    U[2];
} Runs;

static PetscErrorCode MoreSteps(TS ts, Vec U, PetscInt n)
{
  PetscInt step;

  PetscFunctionBegin;
  PetscCall(TSGetStepNumber(ts, &step));
  PetscCall(TSSetMaxSteps(ts, step + n));
  PetscCall(TSSolve(ts, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareRuns(Vec U, Vec exact, const char what[])
{
  PetscReal error, norm;
  Vec       d;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(U, &d));
  PetscCall(VecCopy(U, d));
  PetscCall(VecAXPY(d, -1., exact));
  PetscCall(VecNorm(d, NORM_INFINITY, &error));
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13 * norm), "runs", what, "error %.3g", (double)(error / norm)));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ByTurns(void *ctx)
{
  Runs *r = (Runs *)ctx;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) PetscCall(MoreSteps(r->ts[k % 2], r->U[k % 2], 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AfterChange(void *ctx)
{
  Runs *r = (Runs *)ctx;

  PetscFunctionBegin;
  PetscCall(TSSetStepNumber(r->ts[0], 0));
  PetscCall(VecScale(r->U[0], 0.5)); /* another run */
  PetscCall(MoreSteps(r->ts[0], r->U[0], 2));
  PetscCall(PlexDGSetConstant(r->dg, "alpha", 1, &(const PetscReal){1.}));
  PetscCall(MoreSteps(r->ts[0], r->U[0], 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variables of the layer go on with a run, and begin with another one */
static PetscErrorCode TestRuns(void)
{
  const Pulse     p    = {.system = "maxwell", .dim = 2, .N = 2};
  const PetscReal c[4] = {1., 1., 0., 0.5};
  Runs            r;
  DM              dm;
  Vec             exact;
  char            file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PulseMesh(&p, LAYER, &dm));
  PetscCall(PulseCreate(&p, LAYER, dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, &r.dg));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexDGCreateVec(r.dg, &r.U[k]));
    PetscCall(PlexDGProject(r.dg, 0., Blob, (void *)c, r.U[k]));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &r.ts[k]));
    PetscCall(TSSetType(r.ts[k], TSPLEXLOWSTORAGE));
    PetscCall(PlexDGSetTS(r.dg, r.ts[k]));
    PetscCall(TSSetMaxTime(r.ts[k], 100.));
    PetscCall(TSSetExactFinalTime(r.ts[k], TS_EXACTFINALTIME_STEPOVER));
  }
  PetscCall(MoreSteps(r.ts[0], r.U[0], 40));
  PetscCall(VecDuplicate(r.U[0], &exact));
  PetscCall(VecCopy(r.U[0], exact));
  PetscCall(PlexDGProject(r.dg, 0., Blob, (void *)c, r.U[0]));
  PetscCall(TSSetTime(r.ts[0], 0.)); /* the number of the step goes on */
  PetscCall(MoreSteps(r.ts[0], r.U[0], 40));
  PetscCall(CompareRuns(r.U[0], exact, "another one, from t = 0"));
  PetscCall(PlexDGProject(r.dg, 0., Blob, (void *)c, r.U[0]));
  PetscCall(TSSetTime(r.ts[0], 0.));
  PetscCall(TSSetStepNumber(r.ts[0], 0));
  PetscCall(MoreSteps(r.ts[0], r.U[0], 20));
  PetscCall(TSSetStepNumber(r.ts[0], 0)); /* of the same run */
  PetscCall(MoreSteps(r.ts[0], r.U[0], 20));
  PetscCall(CompareRuns(r.U[0], exact, "one whose steps are counted anew"));
  PetscCall(PlexTestOwnFile("dgpml-runs", "h5", sizeof(file), file));
  PetscCall(PlexDGProject(r.dg, 0., Blob, (void *)c, r.U[0]));
  PetscCall(TSSetTime(r.ts[0], 0.));
  PetscCall(TSSetStepNumber(r.ts[0], 0));
  PetscCall(PlexDGSaveCheckpoint(r.dg, r.ts[0], r.U[0], file)); /* after a run, before the next one */
  PetscCall(PlexDGLoadCheckpoint(r.dg, r.ts[0], file, r.U[0]));
  PetscCall(MoreSteps(r.ts[0], r.U[0], 40));
  PetscCall(CompareRuns(r.U[0], exact, "one that begins with a checkpoint of its beginning"));
  PetscCall(PlexTestRemoveFile(file));
  PetscCall(PlexDGSetTS(r.dg, r.ts[0]));
  EXPECT("two TS by turns", ByTurns, &r, "Another TS", "PlexDG for each");
  EXPECT("an operator that is changed within a run", AfterChange, &r, "lost", "checkpoint");
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&r.U[k]));
    PetscCall(TSDestroy(&r.ts[k]));
  }
  PetscCall(VecDestroy(&exact));
  PetscCall(PlexDGDestroy(&r.dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Pulse pulses[] = {
    {"maxwell",   2, 3, PETSC_FALSE, 2.5, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"maxwell",   2, 3, PETSC_FALSE, 2.5, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_TRUE },
    {"maxwell",   2, 3, PETSC_FALSE, 2.5, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}, /* steps: twice the error */
    {"acoustics", 2, 3, PETSC_FALSE, 2.5, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {"maxwell",   3, 1, PETSC_TRUE,  2.,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}
  };
  const PetscReal    errors[] = {1e-3, 1e-3, 2e-3, 1e-3, 2e-2};
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) PetscCall(TestBackend(backends[k]));
  for (int bent = 0; bent < 2; ++bent) PetscCall(TestSheets((PetscBool)bent));
  if (size == 1) {
    PetscCall(TestMessages());
    PetscCall(TestOrders());
    PetscCall(TestRuns());
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pulses); ++k) PetscCall(TestPulse(&pulses[k], errors[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
