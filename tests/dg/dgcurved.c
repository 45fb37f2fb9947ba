static char
  help[] = "Nodal DG on curved elements: rates of modes of a disk and of a spherical shell, constant states, energy, "
           "coordinates of a higher degree, types, processes, probes, errors.\n\n";

#include "dgproblem.h"
#include "report.h"
#include "roundmesh.h"

/* ---- Meshes and operators */

/* Moves x to the circle or sphere of radius 1 or 0.5 around 0 that is nearer */
static PetscErrorCode Round(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscReal r = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) r += x[d] * x[d];
  r = PetscSqrtReal(r);
  for (PetscInt d = 0; d < dim; ++d) x[d] *= (r > 0.75 ? 1. : 0.5) / r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateRoundOn(MPI_Comm comm, PetscInt dim, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  if (dim == 2) PetscCall(PlexTestDisk(comm, 2 * level, PETSC_FALSE, dm));
  else PetscCall(PlexTestShell(comm, 2 * level, level, dm));
  PetscCall(PlexTestSpread(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateRound(PetscInt dim, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(CreateRoundOn(PETSC_COMM_WORLD, dim, level, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(DM dm, const char system[], PetscInt N, const char backend[], const char kind[],
                                     PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kind));
  PetscCall(PlexDGSetCurve(*dg, "Face Sets", PETSC_DETERMINE, Round, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Modes. Disk: E_z = J_1(k r) cos(angle) cos(k t), zero at r = 1; shell: p = (j_1 + c y_1)(k r) z/r cos(k t),
   whose derivative is zero at r = 0.5 and 1; E = (j_1 + c y_1)(k r) (-y, x, 0)/r cos(k t), which is zero there */

#define DISK_K 3.8317059702075123 /* J_1(k) = 0 */

static PetscReal J1(PetscReal x)
{
  return PetscSinReal(x) / (x * x) - PetscCosReal(x) / x;
}

static PetscReal Y1(PetscReal x)
{
  return -PetscCosReal(x) / (x * x) - PetscSinReal(x) / x;
}

static PetscReal DJ1(PetscReal x) /* j_0 - 2 j_1/x */
{
  return PetscSinReal(x) / x - 2. * J1(x) / x;
}

static PetscReal DY1(PetscReal x)
{
  return -PetscCosReal(x) / x - 2. * Y1(x) / x;
}

typedef struct {
  PetscBool electric;
  PetscReal k, c;
} Shell;

/* What is zero at the wave number of a mode */
static PetscReal ShellGap(PetscBool electric, PetscReal k)
{
  return electric ? J1(0.5 * k) * Y1(k) - J1(k) * Y1(0.5 * k) : DJ1(0.5 * k) * DY1(k) - DJ1(k) * DY1(0.5 * k);
}

static Shell ShellMode(PetscBool electric)
{
  PetscReal low = electric ? 5. : 1., high = low;

  while (ShellGap(electric, low) * ShellGap(electric, high) > 0.) {
    low = high;
    high += 0.05;
  }
  for (int i = 0; i < 60; ++i) {
    const PetscReal middle = 0.5 * (low + high);

    if (ShellGap(electric, low) * ShellGap(electric, middle) > 0.) low = middle;
    else high = middle;
  }
  return (Shell){electric, low, electric ? -J1(low) / Y1(low) : -DJ1(low) / DY1(low)};
}

static PetscErrorCode DiskMode(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal r = PetscMax(1e-9, PetscSqrtReal(x[0] * x[0] + x[1] * x[1])), k = DISK_K, c = x[0] / r, s = x[1] / r,
                  R = jn(1, k * r), dR = k * (jn(0, k * r) - R / (k * r)), along = dR * c * c + R * s * s / r,
                  across = (dR - R / r) * c * s; /* derivatives of R cos(angle) along x and y */

  PetscFunctionBegin;
  u[2] = R * c * PetscCosReal(k * t);
  u[3] = -across * PetscSinReal(k * t) / k;
  u[4] = along * PetscSinReal(k * t) / k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const Shell    *m = (const Shell *)ctx;
  const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), k = m->k,
                  f = J1(k * r) + m->c * Y1(k * r), df = k * (DJ1(k * r) + m->c * DY1(k * r)), g = f / r,
                  dg = (df - g) / r;

  PetscFunctionBegin;
  if (m->electric) { /* curl (g z^ x r) = g'/r (z^ r^2 - r z) + 2 g z^ */
    u[0] = -g * x[1] * PetscCosReal(k * t);
    u[1] = g * x[0] * PetscCosReal(k * t);
    for (int d = 0; d < 3; ++d)
      u[3 + d] = -(dg / r * ((d == 2 ? r * r : 0.) - x[d] * x[2]) + (d == 2 ? 2. * g : 0.)) * PetscSinReal(k * t) / k;
  } else { /* p = g z */
    u[0] = g * x[2] * PetscCosReal(k * t);
    for (int d = 0; d < 3; ++d) u[1 + d] = -(dg * x[d] / r * x[2] + (d == 2 ? g : 0.)) * PetscSinReal(k * t) / k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U from time 0 to T, by a method of order 8 */
static PetscErrorCode Run(PlexDG dg, PetscReal T, PlexDGFn *func, void *ctx, Vec U)
{
  TS ts;

  PetscFunctionBegin;
  PetscCall(PlexDGProject(dg, 0., func, ctx, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetType(ts, TSRK));
  PetscCall(TSRKSetType(ts, TSRK8VR));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt    dim, N, level; /* of the coarser mesh */
  const char *system;
  PetscReal   T;
} Rate;

/* The relative error */
static PetscErrorCode GetError(const char backend[], const Rate *c, PetscInt level, PetscReal *error)
{
  const PetscBool maxwell = (PetscBool)!strcmp(c->system, "maxwell");
  Shell           mode;
  PlexDGFn       *func = c->dim == 2 ? DiskMode : ShellState;
  PetscReal       norm;
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  if (c->dim == 3) mode = ShellMode(maxwell);
  PetscCall(CreateRound(c->dim, level, &dm));
  PetscCall(CreateOperator(dm, c->system, c->N, backend, maxwell ? "pec" : "wall", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(Run(dg, c->T, func, &mode, U));
  PetscCall(PlexDGComputeL2Error(dg, c->T, func, &mode, U, error));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, c->T, func, &mode, U, &norm));
  *error /= norm;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], const Rate *c)
{
  PetscReal error[2], rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(GetError(backend, c, c->level * (k + 1), &error[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, a mode of %s, degree %" PetscInt_FMT, backend, c->system,
                          c->dim == 2 ? "a disk" : "a spherical shell", c->N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > c->N + 1 - 0.35), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Rate rates[] = {
  {2, 1, 2, "maxwell",   0.3 },
  {2, 2, 2, "maxwell",   0.3 },
  {2, 3, 2, "maxwell",   0.3 },
  {2, 4, 1, "maxwell",   0.3 },
  {2, 5, 1, "maxwell",   0.3 },
  {3, 1, 2, "acoustics", 0.2 },
  {3, 2, 1, "acoustics", 0.2 },
  {3, 3, 2, "acoustics", 0.04},
  {3, 4, 1, "acoustics", 0.05},
  {3, 2, 2, "maxwell",   0.05},
  {3, 3, 1, "maxwell",   0.05}
};

/* On one mesh the error falls with the degree, by three times or more from each to the next one that is tried */
static PetscErrorCode TestDegrees(const char backend[], PetscInt dim)
{
  const PetscInt each = dim == 2 ? 1 : 2, most = dim == 2 ? 8 : 6;
  PetscReal      before = PETSC_MAX_REAL, error;
  char           of[128];

  PetscFunctionBegin;
  for (PetscInt N = each; N <= most; N += each) {
    const Rate c = {dim, N, 1, "maxwell", dim == 2 ? 0.1 : 0.02};

    PetscCall(GetError(backend, &c, 1, &error));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, one mesh of %s, degree %" PetscInt_FMT, backend,
                            dim == 2 ? "a disk" : "a spherical shell", N));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: error %.3g\n", of, (double)error));
    PetscCall(PlexTestReportOf((PetscBool)(error < before / 3.), of, "the error falls with the degree", "%g, %g before",
                               (double)error, (double)before));
    before = error;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Constant states */

static PetscErrorCode Constant(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal wave[6] = {0., 0., 1., 0.8, -0.6, 0.}; /* H = d x E, d = (0.6, 0.8, 0) */

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = Nf == 6 ? wave[k] : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Advection with outflow everywhere, and an incident wave of frequency 0 */
static PetscErrorCode TestConstant(const char backend[], PetscInt dim, PetscInt N, const char system[])
{
  const PetscBool maxwell   = (PetscBool)!strcmp(system, "maxwell");
  const PetscReal frequency = 0.;
  PetscReal       norm;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U, R;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  PetscCall(CreateOperator(dm, system, N, backend, maxwell ? "incident" : "outflow", &dg));
  if (!strcmp(backend, PLEXBACKENDEMULATE)) PetscCall(PlexDGSetType(dg, PLEXDGFUSED)); /* as on a GPU */
  if (maxwell) {
    PetscCall(PlexDGSetConstant(dg, "direction", 3, (const PetscReal[]){0.6, 0.8, 0.}));
    PetscCall(PlexDGSetConstant(dg, "polarization", 3, (const PetscReal[]){0., 0., 1.}));
    PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  } else PetscCall(PlexDGSetConstant(dg, "velocity", 3, (const PetscReal[]){1., 0.7, -0.4}));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., Constant, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecNorm(R, NORM_INFINITY, &norm));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT, backend, system,
                          dim == 2 ? "a disk" : "a spherical shell", N));
  PetscCall(PlexTestReportOf((PetscBool)(norm < 1e-11 * PetscPowInt(N + 1, 2)), of, "a constant state stays",
                             "its time derivative is %g", (double)norm));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Energy: its time derivative <U, R> is (E(U + R) - E(U - R))/2, as E is quadratic */

static PetscErrorCode TestEnergy(const char backend[], PetscInt dim, PetscInt N, const char system[])
{
  const char *kind = !strcmp(system, "maxwell") ? "pec" : "wall";
  PetscReal   energy, most, change[2];
  char        of[128];
  DM          dm;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscReal alpha = k;
    PetscReal       e[2];
    PlexDG          dg;
    Vec             U, R, W;

    PetscCall(CreateOperator(dm, system, N, backend, kind, &dg));
    if (!strcmp(backend, PLEXBACKENDEMULATE)) PetscCall(PlexDGSetType(dg, PLEXDGFUSED)); /* as on a GPU */
    PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
    if (strcmp(system, "elastic")) PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R));
    PetscCall(VecDuplicate(U, &W));
    PetscCall(PlexTestJumps(U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy));
    PetscCall(PlexDGComputeEnergy(dg, R, &most));
    for (int sign = 0; sign < 2; ++sign) {
      PetscCall(VecWAXPY(W, sign ? -1. : 1., R, U));
      PetscCall(PlexDGComputeEnergy(dg, W, &e[sign]));
    }
    change[k] = 0.5 * (e[0] - e[1]);
    most      = 2. * PetscSqrtReal(energy * most);
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(VecDestroy(&W));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT, backend, system,
                          dim == 2 ? "a disk" : "a spherical shell", N));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(change[0]) < 1e-11 * PetscMax(most, -change[1])), of,
                             "the central flux conserves energy", "%g, where %g could be", (double)change[0],
                             (double)most));
  PetscCall(PlexTestReportOf((PetscBool)(change[1] < -1e-3 * most), of, "the upwind flux takes energy away",
                             "%g, where %g could be", (double)change[1], (double)most));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Time step: rough states lose energy at the default one */

static PetscErrorCode TestStep(const char backend[], PetscInt dim, PetscInt N, const char system[])
{
  PetscReal energy[2];
  PetscBool falls = PETSC_TRUE;
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  PetscCall(CreateOperator(dm, system, N, backend, !strcmp(system, "maxwell") ? "pec" : "wall", &dg));
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
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, degree %" PetscInt_FMT, backend, system,
                          dim == 2 ? "a disk" : "a spherical shell", N));
  PetscCall(PlexTestReportOf(falls, of, "energy falls in each of 200 steps", "it ends at %g", (double)energy[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Types: right-hand side, energy and a run of a low-storage scheme as on the host */

/* In the order of the elements' nodes, which is the same for all types */
static PetscErrorCode GetResults(DM dm, const char system[], PetscInt N, const char backend[], const char type[],
                                 PlexPrecision precision, PetscReal *energy, Vec *R, Vec *after)
{
  const PetscReal alpha = 0.6;
  PetscReal       dt;
  PlexDG          dg;
  Vec             U;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(CreateOperator(dm, system, N, backend,
                           !strcmp(system, "acoustics")   ? "absorbing"
                           : !strcmp(system, "advection") ? "inflow"
                                                          : "incident",
                           &dg));
  if (type) PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  if (!strcmp(system, "maxwell")) PetscCall(PlexDGSetConstant(dg, "current", 3, (const PetscReal[]){0.3, 0.2, 1.}));
  if (!strcmp(system, "maxwell")) PetscCall(PlexDGSetConstant(dg, "sigma", 1, &alpha)); /* a conductor */
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, energy));
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, *R));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetTimeStep(ts, dt));
  PetscCall(TSSetMaxSteps(ts, 2));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(TSDestroy(&ts));
  *after = U;
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Distance(Vec a, Vec b, PetscReal *apart)
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
  PetscReal                energy[2], apart[3];
  Vec                      R[2], after[2];
  DM                       dm;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  PetscCall(GetResults(dm, system, N, PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, &energy[0], &R[0], &after[0]));
  for (int t = 0; t < (host ? 1 : 2); ++t)
    for (int p = host ? 1 : 0; p < 2; ++p) {
      const PetscReal tolerance = p ? 2e-5 : 1e-12;
      char            of[160];

      PetscCall(GetResults(dm, system, N, backend, host ? NULL : types[t], (PlexPrecision)p, &energy[1], &R[1],
                           &after[1]));
      apart[0] = PetscAbsReal(energy[1] - energy[0]) / energy[0];
      PetscCall(Distance(R[1], R[0], &apart[1]));
      PetscCall(Distance(after[1], after[0], &apart[2]));
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, backend,
                              host ? "host" : types[t], PlexPrecisions[p], system, dim, N));
      PetscCall(PlexTestReportOf((PetscBool)(apart[0] < 1e-12), of, "the host's energy", "%g apart", (double)apart[0]));
      PetscCall(PlexTestReportOf((PetscBool)(apart[1] < tolerance), of, "the host's right-hand side", "%g apart",
                                 (double)apart[1]));
      PetscCall(PlexTestReportOf((PetscBool)(apart[2] < tolerance), of, "the host's state after two steps", "%g apart",
                                 (double)apart[2]));
      PetscCall(VecDestroy(&R[1]));
      PetscCall(VecDestroy(&after[1]));
    }
  PetscCall(VecDestroy(&R[0]));
  PetscCall(VecDestroy(&after[0]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel on tensor cores in parts that do not come out even: two tiles of nodes of a warp, tiles of points in two, and
   three, passes, a face at a time */
static PetscErrorCode TestSizes(const char backend[])
{
  PetscReal energy[2], apart[2];
  Vec       R[2], after[2];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(CreateRound(3, 1, &dm));
  for (int k = 0; k < 2; ++k) {
    if (k) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_curved_sizes", "2,2,2,1,1,1"));
    PetscCall(GetResults(dm, "maxwell", 3, k ? backend : PLEXBACKENDHOST, k ? PLEXDGFUSED : NULL, PLEX_PRECISION_DOUBLE,
                         &energy[k], &R[k], &after[k]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_curved_sizes"));
  PetscCall(Distance(R[1], R[0], &apart[0]));
  PetscCall(Distance(after[1], after[0], &apart[1]));
  PetscCall(PlexTestReportOf((PetscBool)(apart[0] < 1e-12 && apart[1] < 1e-12), backend,
                             "the host's results by blocks of uneven parts", "%g, %g apart", (double)apart[0],
                             (double)apart[1]));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&R[k]));
    PetscCall(VecDestroy(&after[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Meshes whose coordinates are of degree 2 */

/* The time derivative of a state that jumps, and the operator's number of curved elements */
static PetscErrorCode GetRates(DM dm, PetscInt N, const char backend[], PetscBool bend, PetscInt *curved, Vec *R)
{
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(CreateOperator(dm, "maxwell", N, backend, "pec", &dg));
  if (!bend) PetscCall(PlexDGSetCurve(dg, "Face Sets", PETSC_DETERMINE, NULL, NULL));
  PetscCall(PlexDGSetCurveDegree(dg, 2));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, *R));
  PetscCall(PlexDGGetCurved(dg, curved));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Straight elements with nodes on their edges: what is computed is what is without them, in all bits */
static PetscErrorCode TestStraight(const char backend[], PetscInt dim)
{
  PetscInt  curved[2];
  PetscBool same = PETSC_TRUE;
  PetscReal norm, apart;
  char      of[128];
  DM        dm;
  Vec       R[2];

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestSpread(&dm));
  for (PetscInt k = 0; k < 2; ++k) {
    if (k) PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
    PetscCall(GetRates(dm, 2, backend, PETSC_FALSE, &curved[k], &R[k]));
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(VecEqual(R[0], R[1], &same));
  PetscCall(VecNorm(R[0], NORM_INFINITY, &norm));
  PetscCall(Distance(R[1], R[0], &apart));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, straight elements with coordinates of degree 2 in %" PetscInt_FMT "D",
                          backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(!curved[0] && !curved[1]), of, "none is curved", "%" PetscInt_FMT " are",
                             curved[1]));
  PetscCall(PlexTestReportOf((PetscBool)(same && norm > 0.), of, "the same bits as of degree 1", "they are %g apart",
                             (double)apart));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&R[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the nodes of the boundary's edges in a coordinate space of degree 2 */
static PetscErrorCode BendCoordinates(DM dm)
{
  PetscInt     dim, fStart, fEnd;
  DMLabel      label;
  PetscSection section;
  PetscScalar *x;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscInt *closure = NULL, size, value;

    PetscCall(DMLabelGetValue(label, f, &value));
    if (value < 0) continue;
    PetscCall(DMPlexGetTransitiveClosure(dm, f, PETSC_TRUE, &size, &closure));
    for (PetscInt k = 0; k < size; ++k) {
      PetscInt dof, at;

      PetscCall(PetscSectionGetDof(section, closure[2 * k], &dof));
      PetscCall(PetscSectionGetOffset(section, closure[2 * k], &at));
      if (dof) PetscCall(Round(dim, &x[at], NULL));
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, f, PETSC_TRUE, &size, &closure));
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements that are bent to degree 2 are those whose edges have their middle moved. Of one process: others have edges
   on the boundary, too */
static PetscErrorCode TestCoordinates(const char backend[], PetscInt dim)
{
  PetscInt    curved[2];
  PetscReal   apart;
  PetscMPIInt size;
  char        of[128];
  Vec         R[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) {
    DM dm;

    PetscCall(CreateRound(dim, 1, &dm));
    if (k) PetscCall(BendCoordinates(dm));
    PetscCall(GetRates(dm, 3, backend, (PetscBool)!k, &curved[k], &R[k]));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(Distance(R[1], R[0], &apart));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, coordinates of degree 2 in %" PetscInt_FMT "D", backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(curved[0] == curved[1] && curved[0] > 0), of,
                             "as many are curved as were bent", "%" PetscInt_FMT " and %" PetscInt_FMT, curved[1],
                             curved[0]));
  PetscCall(PlexTestReportOf((PetscBool)(apart < 1e-12), of, "the right-hand side of bent elements", "%g apart",
                             (double)apart));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&R[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Output and processes */

/* (1 + k) x - y */
static PetscErrorCode Positions(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = (1. + k) * x[0] - x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions are polynomials of the elements: states of them are exact everywhere, near the curved boundary too, where
   some points are beyond the chords */
static PetscErrorCode TestPositions(const char backend[], PetscInt dim)
{
  const PetscInt n = 24;
  PetscReal      error, points[24 * 3], values[24 * 6], apart = 0., exact[6];
  char           of[128];
  DM             dm;
  PlexDG         dg;
  PlexDGProbes   probes;
  Vec            U;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  PetscCall(CreateOperator(dm, "maxwell", 3, backend, "pec", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Positions, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, 0., Positions, NULL, U, &error));
  for (PetscInt p = 0; p < n; ++p) {
    const PetscReal angle = 0.05 + 2. * PETSC_PI * p / n, height = dim == 3 ? -0.9 + 1.8 * p / n : 0., r = 0.985,
                    flat = r * PetscSqrtReal(1. - height * height);

    points[dim * p]     = flat * PetscCosReal(angle);
    points[dim * p + 1] = flat * PetscSinReal(angle);
    if (dim == 3) points[dim * p + 2] = r * height;
  }
  PetscCall(PlexDGProbesCreate(dg, n, points, NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, values));
  for (PetscInt p = 0; p < n; ++p) {
    PetscCall(Positions(dim, 0., &points[dim * p], 6, exact, NULL));
    for (PetscInt k = 0; k < 6; ++k) apart = PetscMax(apart, PetscAbsReal(values[6 * p + k] - exact[k]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, positions as a state in %" PetscInt_FMT "D", backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(error < 1e-12), of, "no error in L2", "%g", (double)error));
  PetscCall(PlexTestReportOf((PetscBool)(apart < 1e-12), of, "exact at probes near the boundary", "%g apart",
                             (double)apart));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What does not depend on the order of elements: numbers[4] of a state and its time derivative */
static PetscErrorCode GetNumbers(MPI_Comm comm, PetscInt dim, const char backend[], PetscReal numbers[])
{
  DM     dm;
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  PetscCall(CreateRoundOn(comm, dim, 1, &dm));
  PetscCall(CreateOperator(dm, "maxwell", 2, backend, "pec", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(PlexDGComputeEnergy(dg, R, &numbers[0]));
  PetscCall(PlexDGComputeL2Error(dg, 0., PlexTestRough, NULL, R, &numbers[1]));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &numbers[2]));
  PetscCall(PlexDGComputeL2Error(dg, 0., Positions, NULL, R, &numbers[3]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProcesses(const char backend[], PetscInt dim)
{
  PetscReal   numbers[2][4], apart = 0.;
  PetscMPIInt size;
  char        of[128];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetNumbers(PETSC_COMM_WORLD, dim, backend, numbers[0]));
  PetscCall(GetNumbers(PETSC_COMM_SELF, dim, backend, numbers[1]));
  for (int k = 0; k < 4; ++k)
    apart = PetscMax(apart, PetscAbsReal(numbers[0][k] - numbers[1][k]) / PetscAbsReal(numbers[1][k]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D", backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(apart < 1e-12), of, "what one process computes", "%g apart", (double)apart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Errors */

typedef struct {
  PetscInt    dim;
  const char *system, *type, *option, *text, *second, *secondText;
  PetscBool   fold, shift;       /* by functions */
  PetscBool   space, quadrature; /* coordinates of degree 2; DG with quadrature */
} Wrong;

/* Leaves vertices where they are, and moves chords of the outer boundary far inwards */
static PetscErrorCode Fold(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscReal r = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) r += x[d] * x[d];
  r = PetscSqrtReal(r);
  for (PetscInt d = 0; d < dim; ++d) x[d] *= (1. - 40. * (1. - r)) / r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No projection */
static PetscErrorCode Shift(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  x[dim - 1] += 0.01;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunWrong(void *ctx)
{
  const Wrong *w = (const Wrong *)ctx;
  DM           dm;
  PlexDG       dg;

  PetscFunctionBegin;
  PetscCall(CreateRound(w->dim, 1, &dm));
  if (w->space) PetscCall(BendCoordinates(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, w->system));
  if (w->quadrature) PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, !strcmp(w->system, "maxwell") ? "pec" : "wall"));
  if (w->type) PetscCall(PlexDGSetBackend(dg, PLEXBACKENDEMULATE));
  else PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  if (w->type) PetscCall(PlexDGSetType(dg, w->type));
  PetscCall(PetscOptionsSetValue(NULL, w->option, w->text));
  if (w->second) PetscCall(PetscOptionsSetValue(NULL, w->second, w->secondText));
  if (w->fold) PetscCall(PlexDGSetCurve(dg, "Face Sets", 1, Fold, NULL));
  if (w->shift) PetscCall(PlexDGSetCurve(dg, "Face Sets", 1, Shift, NULL));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(void)
{
  static const struct {
    const char *name, *words[3];
    Wrong       wrong;
  } cases[] = {
    {"a function that is no projection",
     {"moves a point that it has moved", "Face Sets", "leave those there"},
     {.dim = 3, .system = "maxwell", .option = "-plex_dg_degree", .text = "2", .shift = PETSC_TRUE}               },
    {"a circle that inverts elements",
     {"Cell", "inverted", "Correct the mesh"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_curve_1", .text = "circle,0,0,0.3"}                      },
    {"a sphere that inverts elements",
     {"Cell", "inverted", "Correct the mesh"},
     {.dim = 3, .system = "maxwell", .option = "-plex_dg_curve_1", .text = "sphere,0,0,0,0.4"}                    },
    {"sides that are bent through their elements",
     {"Cell", "inverted", "bend it less"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_degree", .text = "3", .fold = PETSC_TRUE}                },
    {"faces that are bent through their elements",
     {"Cell", "inverted", "bend it less"},
     {.dim = 3, .system = "maxwell", .option = "-plex_dg_degree", .text = "3", .fold = PETSC_TRUE}                },
    {"type separate",
     {"curved", "separate", "fused, plain or host"},
     {.dim = 2, .system = "maxwell", .type = PLEXDGSEPARATE, .option = "-plex_dg_curve_1", .text = "circle,0,0,1"}},
    {"a system in flux form",
     {"acoustics_uniform", "flux form", "-plex_dg_discretization quadrature"},
     {.dim = 2, .system = "acoustics_uniform", .option = "-plex_dg_curve_1", .text = "circle,0,0,1"}              },
    {"a value that no facet has",
     {"Face Sets", "7", "no facet"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_curve_7", .text = "circle,0,0,1"}                        },
    {"a label that the mesh has not",
     {"hull", "no facet", "-dm_view"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_curve_hull", .text = "circle,0,0,1"}                     },
    {"a surface of other dimensions",
     {"sphere,0,0,0,1", "no surface in 2", "circle,x,y,radius"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_curve_1", .text = "sphere,0,0,0,1"}                      },
    {"a radius that is not positive",
     {"cylinder,0,0,0,0,0,1,0", "radius", "positive"},
     {.dim = 3, .system = "maxwell", .option = "-plex_dg_curve_1", .text = "cylinder,0,0,0,0,0,1,0"}              },
    {"coordinates of degree 2 and a curve",
     {"degree 2 already", "-plex_dg_curve", "degree 1"},
     {.dim = 2, .system = "maxwell", .option = "-plex_dg_curve_1", .text = "circle,0,0,1", .space = PETSC_TRUE}   },
    {"DG with quadrature",
     {"-plex_dg_curve", "quadrature", "DMPlexCreateCoordinateSpace"},
     {.dim        = 2,
      .system     = "acoustics_uniform",
      .option     = "-plex_dg_curve_1",
      .text       = "circle,0,0,1",
      .quadrature = PETSC_TRUE}                                                                                   },
    {"a degree that is too high",
     {"degrees 1 to 9", "12", "-plex_dg_curve_degree"},
     {.dim        = 2,
      .system     = "maxwell",
      .option     = "-plex_dg_curve_1",
      .text       = "circle,0,0,1",
      .second     = "-plex_dg_curve_degree",
      .secondText = "12"}                                                                                         }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    EXPECT(cases[k].name, RunWrong, (void *)&cases[k].wrong, cases[k].words[0], cases[k].words[1], cases[k].words[2]);
    PetscCall(PetscOptionsClearValue(NULL, cases[k].wrong.option));
    if (cases[k].wrong.second) PetscCall(PetscOptionsClearValue(NULL, cases[k].wrong.second));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    /* what does not depend on the way is looked at on the host and on GPUs */
    const PetscBool all = (PetscBool)strcmp(backends[b], PLEXBACKENDEMULATE);

    for (PetscInt dim = 2; dim <= 3; ++dim) {
      PetscCall(TestTypes(backends[b], dim, 2, "maxwell"));
      PetscCall(TestTypes(backends[b], dim, 3, "acoustics"));
      PetscCall(TestTypes(backends[b], dim, 1, "advection"));
      PetscCall(TestTypes(backends[b], dim, 2, "elastic"));
      PetscCall(TestStraight(backends[b], dim));
      PetscCall(TestCoordinates(backends[b], dim));
      PetscCall(TestPositions(backends[b], dim));
      PetscCall(TestProcesses(backends[b], dim));
    }
    if (strcmp(backends[b], PLEXBACKENDHOST)) PetscCall(TestSizes(backends[b]));
    for (PetscInt dim = 2; dim <= 3 && all; ++dim)
      for (PetscInt N = 1; N <= (PlexTestLong() ? 4 : 2); ++N) {
        PetscCall(TestConstant(backends[b], dim, N, N % 2 ? "maxwell" : "advection"));
        PetscCall(TestConstant(backends[b], dim, N, N % 2 ? "advection" : "maxwell"));
        PetscCall(TestEnergy(backends[b], dim, N, "maxwell"));
        PetscCall(TestEnergy(backends[b], dim, N, "acoustics"));
        PetscCall(TestEnergy(backends[b], dim, N, "elastic"));
      }
    for (PetscInt dim = 2; dim <= 3 && all && size == 1; ++dim)
      for (PetscInt N = 1; N <= 7 - dim; N += 2)
        PetscCall(TestStep(backends[b], dim, N, N == 3 ? "acoustics" : "maxwell"));
    if (!all) PetscCall(TestConstant(backends[b], 3, 2, "maxwell"));
    if (!all) PetscCall(TestEnergy(backends[b], 3, 2, "maxwell"));
    for (PetscInt dim = 2; dim <= 3 && all && size == 1; ++dim) PetscCall(TestDegrees(backends[b], dim));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates) && all && size == 1; ++k)
      PetscCall(TestRate(backends[b], &rates[k]));
  }
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
