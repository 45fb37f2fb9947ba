static char
  help[] = "Coefficients of nodal DG that vary within cells: rates of modes, energy, constants, types, processes, "
           "steps, checkpoints, errors.\n\n";

#include "dgproblem.h"
#include "report.h"
#include "roundmesh.h"
#include <unistd.h>

/* ---- Modes between x = 0 and 1 of a medium with epsilon = s^-2, s = 1 + x, there up to x = 1 or, in part, 1/2, from where
   on it is 3, and mu = 1:

     e'' = -w^2 epsilon e,   E_z = e cos w t,   H_y = e' sin(w t)/w
     e = s^(1/2) sin(v log s),   w^2 = v^2 + 1/4,   and C sin(3^(1/2) w (1 - x)) on the right

   Dual of mu = s^-2: H_z and -E_y; of sound, kappa = s^2: p and -v_x */
#define BEYOND 3.

typedef enum {
  ELECTRIC,
  MAGNETIC,
  SOUND
} Field;

typedef struct {
  Field     field;
  PetscBool part;
  PetscReal w, C;
} Mode;

static void ModeLeft(PetscReal w, PetscReal x, PetscReal *e, PetscReal *de)
{
  const PetscReal v = PetscSqrtReal(w * w - 0.25), s = 1. + x, angle = v * PetscLogReal(s), root = PetscSqrtReal(s);

  *e  = root * PetscSinReal(angle);
  *de = (0.5 * PetscSinReal(angle) + v * PetscCosReal(angle)) / root;
}

static void ModeRight(PetscReal w, PetscReal x, PetscReal *e, PetscReal *de)
{
  const PetscReal k = w * PetscSqrtReal(BEYOND);

  *e  = PetscSinReal(k * (1. - x));
  *de = -k * PetscCosReal(k * (1. - x));
}

static PetscReal ModeGap(PetscReal w)
{
  PetscReal l, dl, r, dr;

  ModeLeft(w, 0.5, &l, &dl);
  ModeRight(w, 0.5, &r, &dr);
  return l * dr - dl * r;
}

static Mode ModeFind(Field field, PetscBool part)
{
  const PetscReal v   = PETSC_PI / PetscLogReal(2.);
  PetscReal       low = 1., high = 1.1, l, dl, r, dr;

  if (!part) return (Mode){field, part, PetscSqrtReal(v * v + 0.25), 0.};
  while (ModeGap(low) * ModeGap(high) > 0.) {
    low = high;
    high += 0.1;
  }
  for (int i = 0; i < 60; ++i) {
    const PetscReal middle = 0.5 * (low + high);

    if (ModeGap(low) * ModeGap(middle) > 0.) low = middle;
    else high = middle;
  }
  ModeLeft(low, 0.5, &l, &dl);
  ModeRight(low, 0.5, &r, &dr);
  return (Mode){field, part, low, l / r};
}

static PetscErrorCode ModeState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Mode *m = (const Mode *)ctx;
  PetscReal   e, de;

  PetscFunctionBegin;
  if (m->part && x[0] > 0.5) {
    ModeRight(m->w, x[0], &e, &de);
    e *= m->C;
    de *= m->C;
  } else ModeLeft(m->w, x[0], &e, &de);
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  e *= PetscCosReal(m->w * t);
  de *= PetscSinReal(m->w * t) / m->w;
  if (m->field == ELECTRIC) {
    u[2] = e;
    u[4] = de;
  } else if (m->field == MAGNETIC) {
    u[5] = e;
    u[1] = -de;
  } else {
    u[0] = e;
    u[1] = -de;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ModeMedium(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx)
{
  const Mode *m = (const Mode *)ctx;

  PetscFunctionBegin;
  if (m->field == SOUND) k[1] = (1. + x[0]) * (1. + x[0]);
  else k[m->field == MAGNETIC] = 1. / ((1. + x[0]) * (1. + x[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Boxes: cells have the label "half", 1 where x < 1/2 and 2 beyond */

static PetscErrorCode Box(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, DM *dm)
{
  PetscInt  cStart, cEnd;
  PetscReal x[3], volume;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(comm, dim, n, periodic, dm));
  if (!periodic) PetscCall(PlexTestLabelSides(*dm));
  PetscCall(DMCreateLabel(*dm, "half"));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, c, &volume, x, NULL));
    PetscCall(DMSetLabelValue(*dm, "half", c, x[0] < 0.5 ? 1 : 2));
  }
  PetscCall(PlexTestSpread(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kinds[3]: of ends along x, sides along y, and along z; NULL: there are none */
static PetscErrorCode Create(DM dm, const char system[], PetscInt N, const char backend[], const char *const kinds[],
                             PetscReal alpha, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  for (PetscInt k = 3; kinds && k-- > 0;) {
    PetscCall(PlexDGAddBoundary(*dg, k == 2 ? NULL : "sides", k == 2 ? PETSC_DETERMINE : 2 * k + 1, kinds[k]));
    if (k < 2) PetscCall(PlexDGAddBoundary(*dg, "sides", 2 * k + 2, kinds[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates */

/* levels: of local time steps at most; those that there are */
static PetscErrorCode ModeError(const char backend[], PetscInt dim, PetscInt n, PetscInt N, const Mode *m,
                                PetscInt *levels, PetscReal *error)
{
  static const char *const kinds[3][3] = {
    {"pec",  "pmc",  "pec" },
    {"pmc",  "pec",  "pmc" },
    {"free", "wall", "wall"}
  };
  const PetscReal beyond[3][2] = {
    {BEYOND, 1.         },
    {1.,     BEYOND     },
    {1.,     1. / BEYOND}
  };
  const PetscReal T = 0.4;
  PetscReal       norm;
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, &dm));
  PetscCall(Create(dm, m->field == SOUND ? "acoustics" : "maxwell", N, backend, kinds[m->field], 1., &dg));
  PetscCall(PlexDGSetMaterialFunction(dg, m->part ? "half" : NULL, m->part ? 1 : PETSC_DETERMINE, ModeMedium,
                                      (void *)m));
  if (m->part) PetscCall(PlexDGAddMaterial(dg, "half", 2, 2, beyond[m->field]));
  PetscCall(PlexDGSetLevels(dg, *levels));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGGetLevelSizes(dg, levels, NULL, NULL));
  PetscCall(PlexDGComputeL2Error(dg, T, ModeState, (void *)m, U, &norm));
  if (*levels > 1) PetscCall(PetscOptionsSetValue(NULL, "-ts_type", TSPLEXMULTIRATE));
  PetscCall(PlexTestRun(dg, T, ModeState, (void *)m, U));
  PetscCall(PetscOptionsClearValue(NULL, "-ts_type"));
  PetscCall(PlexDGComputeL2Error(dg, T, ModeState, (void *)m, U, error));
  *error /= norm;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestModes(const char backend[])
{
  static const char *const names[3] = {"E", "H", "sound"};
  static const struct {
    PetscInt  dim, n, N;
    Field     field;
    PetscBool part;
    PetscInt  levels;
  } cases[] = {
    {2, 4, 1, ELECTRIC, PETSC_FALSE, 1},
    {2, 4, 2, ELECTRIC, PETSC_TRUE,  1},
    {2, 4, 3, ELECTRIC, PETSC_FALSE, 1},
    {2, 4, 4, ELECTRIC, PETSC_TRUE,  1},
    {2, 4, 2, MAGNETIC, PETSC_FALSE, 1},
    {2, 4, 3, MAGNETIC, PETSC_TRUE,  1},
    {2, 2, 5, MAGNETIC, PETSC_TRUE,  1},
    {2, 4, 2, SOUND,    PETSC_TRUE,  1},
    {2, 4, 3, SOUND,    PETSC_FALSE, 1},
    {3, 2, 2, ELECTRIC, PETSC_TRUE,  1},
    {3, 2, 3, MAGNETIC, PETSC_TRUE,  1},
    {2, 4, 3, ELECTRIC, PETSC_TRUE,  2}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const PetscInt N = cases[k].N;
    const Mode     m = ModeFind(cases[k].field, cases[k].part);
    PetscReal      error[2], rate;
    PetscInt       levels[2];
    char           of[160];

    for (PetscInt i = 0; i < 2; ++i) {
      levels[i] = cases[k].levels;
      PetscCall(ModeError(backend, cases[k].dim, cases[k].n << i, N, &m, &levels[i], &error[i]));
    }
    rate = PetscLog2Real(error[0] / error[1]);
    PetscCall(PetscSNPrintf(of, sizeof(of),
                            "%s, a mode of %s in %" PetscInt_FMT "D, %s graded, degree %" PetscInt_FMT "%s", backend,
                            names[m.field], cases[k].dim, m.part ? "half" : "all", N,
                            cases[k].levels > 1 ? ", local steps" : ""));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0],
                          (double)error[1], (double)rate));
    PetscCall(PlexTestReportOf((PetscBool)(rate > N + 1 - 0.35 && error[1] < 0.05 && levels[0] == cases[k].levels &&
                                           levels[1] == cases[k].levels),
                               of, "the error falls as h^(N+1)", "errors %g, %g, rate %g", (double)error[0],
                               (double)error[1], (double)rate));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Right-hand sides: constants, energy, types */

typedef enum {
  NONE,
  CONSTANT, /* the function leaves coefficients as they are */
  ROUGH,    /* it jumps between its cells and others, and where the box is periodic */
  STEEP     /* it changes by a factor of 8 across the box */
} Medium;

static PetscErrorCode Function(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx)
{
  const Medium medium = *(const Medium *)ctx;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(n, 2); ++i) {
    if (medium == ROUGH) k[i] *= 1. + (1. + i) * x[0] + 0.3 * PetscSinReal(3. * x[1] + i);
    if (medium == STEEP) k[i] *= PetscExpReal((i ? 1. : 2.) * x[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char   *system, *backend, *type;
  PlexPrecision precision;
  PetscInt      N;
  Medium        medium;
  PetscReal     alpha;
  PetscBool     jumps; /* the state is by numbers of entries */
} Way;

/* The right-hand side, twice its energy's change and what it could be, and the state after two steps of a low-storage scheme;
   R and after may be NULL */
static PetscErrorCode Compute(DM dm, const Way *w, PetscReal numbers[4], Vec *R, Vec *after)
{
  const PetscBool   maxwell          = (PetscBool)!strcmp(w->system, "maxwell");
  const char *const kinds[3]         = {maxwell ? "pec" : "wall", maxwell ? "absorbing" : "free",
                                        maxwell ? "impedance:0.6" : "wall"},
                    *const closed[3] = {maxwell ? "pec" : "wall", maxwell ? "pmc" : "free", maxwell ? "pec" : "wall"};
  PetscReal                e[2], dt;
  DMLabel                  boundary;
  PlexDG                   dg;
  Vec                      U, W, rates;
  TS                       ts;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "sides", &boundary));
  PetscCall(Create(dm, w->system, w->N, w->backend, !boundary ? NULL : w->jumps ? closed : kinds, w->alpha, &dg));
  if (w->type) PetscCall(PlexDGSetType(dg, w->type));
  PetscCall(PlexDGSetPrecision(dg, w->precision));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  if (w->medium) PetscCall(PlexDGSetMaterialFunction(dg, "half", 1, Function, (void *)&w->medium));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &rates));
  PetscCall(VecDuplicate(U, &W));
  if (w->jumps) PetscCall(PlexTestJumps(U));
  else PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, rates));
  PetscCall(PlexDGComputeEnergy(dg, U, &numbers[0]));
  PetscCall(PlexDGComputeEnergy(dg, rates, &numbers[1]));
  for (int sign = 0; sign < 2; ++sign) {
    PetscCall(VecWAXPY(W, sign ? -1. : 1., rates, U));
    PetscCall(PlexDGComputeEnergy(dg, W, &e[sign]));
  }
  numbers[2] = 0.5 * (e[0] - e[1]);
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  numbers[3] = dt;
  if (R) *R = rates;
  else PetscCall(VecDestroy(&rates));
  if (after) {
    PetscCall(TSCreate(PetscObjectComm((PetscObject)dm), &ts));
    PetscCall(TSSetSolution(ts, U));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSSetTimeStep(ts, dt));
    PetscCall(TSSetMaxSteps(ts, 2));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, NULL));
    PetscCall(TSDestroy(&ts));
    *after = U;
  } else PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&W));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A function of constants: energy and time step are the same as without, and so is what does not depend on the order of
   elements of the right-hand side, its energy */
static PetscErrorCode TestConstants(const char backend[], PetscInt dim, const char system[])
{
  PetscReal numbers[2][4], apart = 0.;
  char      of[128];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  for (int k = 0; k < 2; ++k) {
    const Way w = {system, backend, NULL, PLEX_PRECISION_DOUBLE, 3, k ? CONSTANT : NONE, 0.7, PETSC_FALSE};

    PetscCall(Compute(dm, &w, numbers[k], NULL, NULL));
  }
  for (int i = 0; i < 4; ++i)
    apart = PetscMax(apart, PetscAbsReal(numbers[1][i] - numbers[0][i]) /
                              (i == 2 ? numbers[0][1] : PetscAbsReal(numbers[0][i])));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D, a function of constants", backend, system,
                          dim));
  PetscCall(PlexTestReportOf((PetscBool)(apart < 1e-12), of, "energies and step as without", "%g apart",
                             (double)apart));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Periodic: the function jumps there */
static PetscErrorCode TestEnergy(const char backend[], PetscInt dim, PetscInt N, const char system[],
                                 PetscBool periodic)
{
  char of[160];
  DM   dm;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, periodic ? 3 : 2, periodic, &dm));
  for (int k = 0; k < 2; ++k) {
    const Way w =
      {system, backend,   strcmp(backend, PLEXBACKENDHOST) ? PLEXDGFUSED : NULL, PLEX_PRECISION_DOUBLE, N, ROUGH,
       k,      PETSC_TRUE};
    PetscReal numbers[4], most;

    PetscCall(Compute(dm, &w, numbers, NULL, NULL));
    most = 2. * PetscSqrtReal(numbers[0] * numbers[1]);
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D%s, degree %" PetscInt_FMT, backend, system,
                            dim, periodic ? ", periodic" : "", N));
    if (k)
      PetscCall(PlexTestReportOf((PetscBool)(numbers[2] < -1e-3 * most), of, "the upwind flux takes energy away",
                                 "%g, where %g could be", (double)numbers[2], (double)most));
    else
      PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(numbers[2]) < 1e-12 * most), of,
                                 "the central flux conserves energy", "%g, where %g could be", (double)numbers[2],
                                 (double)most));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apart(Vec a, Vec b, PetscReal *apart)
{
  PetscReal norm;
  Vec       c, host;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &host)); /* a may be on a device */
  PetscCall(VecCopy(a, host));
  PetscCall(VecDuplicate(b, &c));
  PetscCall(VecWAXPY(c, -1., b, host));
  PetscCall(VecNorm(b, NORM_INFINITY, &norm));
  PetscCall(VecNorm(c, NORM_INFINITY, apart));
  *apart /= norm;
  PetscCall(VecDestroy(&c));
  PetscCall(VecDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTypes(const char backend[], PetscInt dim, PetscInt N, const char system[])
{
  static const char *const types[] = {PLEXDGPLAIN, PLEXDGFUSED};
  const PetscBool          host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  Way                      w       = {system, PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, N, ROUGH, 0.6, PETSC_FALSE};
  PetscReal                numbers[2][4], apart[3];
  Vec                      R[2], after[2];
  DM                       dm;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  PetscCall(Compute(dm, &w, numbers[0], &R[0], &after[0]));
  w.backend = backend;
  for (int t = 0; t < (host ? 1 : 2); ++t)
    for (int p = host ? 1 : 0; p < 2; ++p) {
      const PetscReal tolerance = p ? 4e-5 : 1e-12;
      char            of[160];

      w.type      = host ? NULL : types[t];
      w.precision = (PlexPrecision)p;
      PetscCall(Compute(dm, &w, numbers[1], &R[1], &after[1]));
      apart[0] = PetscAbsReal(numbers[1][0] - numbers[0][0]) / numbers[0][0];
      PetscCall(Apart(R[1], R[0], &apart[1]));
      PetscCall(Apart(after[1], after[0], &apart[2]));
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend,
                              host ? "host" : types[t], PlexPrecisions[p], system, dim, N));
      PetscCall(PlexTestReportOf((PetscBool)(apart[0] < 1e-12 && apart[1] < tolerance && apart[2] < tolerance), of,
                                 "the host's energy, right-hand side and state after two steps", "%g, %g, %g apart",
                                 (double)apart[0], (double)apart[1], (double)apart[2]));
      PetscCall(VecDestroy(&R[1]));
      PetscCall(VecDestroy(&after[1]));
    }
  PetscCall(VecDestroy(&R[0]));
  PetscCall(VecDestroy(&after[0]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProcesses(const char backend[], PetscInt dim, PetscBool periodic)
{
  PetscReal   numbers[2][4], apart = 0.;
  PetscMPIInt size;
  char        of[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    const Way w = {"maxwell", backend, NULL, PLEX_PRECISION_DOUBLE, 2, ROUGH, 0.6, PETSC_FALSE};
    DM        dm;

    PetscCall(Box(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, dim, 3, periodic, &dm));
    PetscCall(Compute(dm, &w, numbers[k], NULL, NULL));
    PetscCall(DMDestroy(&dm));
  }
  for (int i = 0; i < 4; ++i)
    apart = PetscMax(apart, PetscAbsReal(numbers[1][i] - numbers[0][i]) /
                              (i == 2 ? numbers[0][1] : PetscAbsReal(numbers[0][i])));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D%s", backend, dim, periodic ? ", periodic" : ""));
  PetscCall(PlexTestReportOf((PetscBool)(apart < 1e-12), of, "what one process computes", "%g apart", (double)apart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rough states lose energy at the default step, also where coefficients change much within a cell */
static PetscErrorCode TestStep(const char backend[], PetscInt dim, PetscInt N)
{
  static const char *const kinds[3] = {"pec", "pec", "pec"};
  Medium                   medium   = STEEP;
  PetscReal                energy[2];
  PetscBool                falls = PETSC_TRUE;
  char                     of[128];
  DM                       dm;
  PlexDG                   dg;
  Vec                      U;
  TS                       ts;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, 1, PETSC_FALSE, &dm));
  PetscCall(Create(dm, "maxwell", N, backend, kinds, 1., &dg));
  PetscCall(PlexDGSetMaterialFunction(dg, NULL, PETSC_DETERMINE, Function, &medium));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 200));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetUp(ts));
  for (PetscInt step = 0; step < 200; ++step) {
    PetscCall(TSStep(ts));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
    if (!(energy[1] <= energy[0])) falls = PETSC_FALSE;
    energy[0] = energy[1];
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend, dim, N));
  PetscCall(PlexTestReportOf(falls, of, "energy falls in each of 200 steps", "it ends at %g", (double)energy[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Errors */

static PetscErrorCode Bad(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx)
{
  const PetscReal *values = (const PetscReal *)ctx;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(n, 3); ++i) k[i] = values[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *system, *kind, *label, *type, *option, *text;
  PetscReal   values[3];
  PetscBool   restart, other;
} Wrong;

static PetscErrorCode RunWrong(void *ctx)
{
  Wrong      *w        = (Wrong *)ctx;
  const char *kind     = w->kind ? w->kind : !w->system ? "pec" : "wall";
  const char *kinds[3] = {kind, kind, kind};
  Medium      medium   = w->other ? STEEP : ROUGH;
  DM          dm;
  PlexDG      dg;
  Vec         U;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_SELF, 2, 2, PETSC_FALSE, &dm));
  PetscCall(Create(dm, w->system ? w->system : "maxwell", 1, w->type ? PLEXBACKENDEMULATE : PLEXBACKENDHOST, kinds, 1.,
                   &dg));
  if (w->type) PetscCall(PlexDGSetType(dg, w->type));
  if (w->restart) PetscCall(PlexDGSetMaterialFunction(dg, "half", 1, Function, &medium));
  else PetscCall(PlexDGSetMaterialFunction(dg, w->label ? w->label : "half", w->label ? 7 : 1, Bad, w->values));
  if (w->option) {
    PetscErrorCode ierr;

    PetscCall(PetscOptionsSetValue(NULL, w->option, w->text));
    ierr = PlexDGSetFromOptions(dg);
    if (!ierr) ierr = PlexDGSetUp(dg);
    PetscCall(PetscOptionsClearValue(NULL, w->option));
    PetscCall(ierr);
  }
  PetscCall(PlexDGCreateVec(dg, &U));
  if (w->restart) PetscCall(PlexDGLoadCheckpoint(dg, NULL, "graded.h5", U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  EXPECT("a negative epsilon", RunWrong,
         (&(Wrong){
           .values = {-1., 1., 0.}
  }),
         "epsilon = -1", "does not allow");
  EXPECT("a number that is none", RunWrong,
         (&(Wrong){
           .values = {1., NAN, 0.}
  }),
         "mu = nan");
  EXPECT("a conductor", RunWrong,
         (&(Wrong){
           .values = {1., 1., 0.5}
  }),
         "sigma", "PlexDGAddMaterial()");
  EXPECT("an incident wave", RunWrong,
         (&(Wrong){
           .values = {1., 1., 0.},
             .kind = "incident"
  }),
         "incident", "uniform medium");
  EXPECT("a label that the mesh has not", RunWrong,
         (&(Wrong){
           .values = {1., 1., 0.},
             .label = "lens"
  }),
         "no label lens");
  EXPECT("a value that no cell has", RunWrong,
         (&(Wrong){
           .values = {1., 1., 0.},
             .label = "half"
  }),
         "value 7", "no cell has");
  EXPECT("a dispersive medium", RunWrong,
         (&(Wrong){
           .values = {2., 1., 0.},
             .option = "-plex_dg_debye", .text = "1,0.1"
  }),
         "dispersive", "one or the other");
  EXPECT("a current", RunWrong,
         (&(Wrong){
           .values = {2., 1., 0.},
             .option = "-plex_dg_current", .text = "0,0,1"
  }),
         "current or source", "dipoles");
  EXPECT("a dipole", RunWrong,
         (&(Wrong){
           .values = {2., 1., 0.},
             .option = "-plex_dg_dipole_position", .text = "0.2,0.3"
  }),
         "dipole");
  EXPECT("another system", RunWrong,
         (&(Wrong){
           .system = "elastic", .values = {1., 1., 0.5}
  }),
         "elastic", "PLEX_DG_WEIGHTS");
  EXPECT("type separate", RunWrong,
         (&(Wrong){
           .type = PLEXDGSEPARATE, .values = {2., 1., 0.}
  }),
         "coefficients vary", "separate", "fused, plain or host");
#if PetscDefined(HAVE_HDF5)
  {
    static const char *const kinds[3] = {"pec", "pec", "pec"};
    Medium                   medium   = ROUGH;
    DM                       dm;
    PlexDG                   dg;
    Vec                      U;

    PetscCall(Box(PETSC_COMM_SELF, 2, 2, PETSC_FALSE, &dm));
    PetscCall(Create(dm, "maxwell", 1, PLEXBACKENDHOST, kinds, 1., &dg));
    PetscCall(PlexDGSetMaterialFunction(dg, "half", 1, Function, &medium));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGSaveCheckpoint(dg, NULL, U, "graded.h5"));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
    PetscCall(PlexTestReport((PetscBool)!RunWrong(&(Wrong){.restart = PETSC_TRUE}), "a checkpoint of the same function",
                             "an error"));
    EXPECT("a checkpoint of another function", RunWrong, (&(Wrong){.restart = PETSC_TRUE, .other = PETSC_TRUE}),
           "epsilon", "-plex_dg_restart_changed");
    (void)unlink("graded.h5");
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    /* what does not depend on the way is looked at on the host and on GPUs */
    const PetscBool all = (PetscBool)strcmp(backends[b], PLEXBACKENDEMULATE);

    for (PetscInt dim = 2; dim <= 3; ++dim) {
      PetscCall(TestTypes(backends[b], dim, 2, "maxwell"));
      if (dim == 2 || all) PetscCall(TestTypes(backends[b], dim, 3, "acoustics"));
      for (int periodic = 0; periodic < 2 && (all || dim == 2); ++periodic)
        PetscCall(TestProcesses(backends[b], dim, (PetscBool)periodic));
      for (PetscInt N = 1; N <= 7 - dim && all; ++N) {
        PetscCall(TestEnergy(backends[b], dim, N, "maxwell", PETSC_FALSE));
        if (N < 3) PetscCall(TestEnergy(backends[b], dim, N, "maxwell", PETSC_TRUE));
        if (N < 4) PetscCall(TestEnergy(backends[b], dim, N, "acoustics", PETSC_FALSE));
        if (size == 1) PetscCall(TestStep(backends[b], dim, N));
      }
      if (all) PetscCall(TestConstants(backends[b], dim, "maxwell"));
      if (all) PetscCall(TestConstants(backends[b], dim, "acoustics"));
    }
    if (all && size == 1) PetscCall(TestModes(backends[b]));
  }
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
