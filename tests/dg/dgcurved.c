static char help[] = "Nodal DG on curved elements: rates of modes of a disk and of a spherical shell, constant states, energy, "
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

static PetscErrorCode CreateRound(PetscInt dim, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  if (dim == 2) PetscCall(PlexTestDisk(PETSC_COMM_WORLD, 2 * level, PETSC_FALSE, dm));
  else PetscCall(PlexTestShell(PETSC_COMM_WORLD, 2 * level, level, dm));
  PetscCall(PlexTestSpread(dm));
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

/* ---- Modes. Disk: E_z = J_1(k r) cos(angle) cos(k t), zero at r = 1; shell: p = (j_1 + c y_1)(k r) z/r cos(k t), whose
   derivative is zero at r = 0.5 and 1; E = (j_1 + c y_1)(k r) (-y, x, 0)/r cos(k t), which is zero there */

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

static PetscErrorCode ShellState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
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
    for (int d = 0; d < 3; ++d)
      u[1 + d] = -(dg * x[d] / r * x[2] + (d == 2 ? g : 0.)) * PetscSinReal(k * t) / k;
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
  const PetscBool maxwell      = (PetscBool)!strcmp(system, "maxwell");
  const PetscReal frequency    = 0.;
  PetscReal       norm;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U, R;

  PetscFunctionBegin;
  PetscCall(CreateRound(dim, 1, &dm));
  PetscCall(CreateOperator(dm, system, N, backend, maxwell ? "incident" : "outflow", &dg));
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
    PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
    PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
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
                           !strcmp(system, "acoustics") ? "absorbing"
                           : !strcmp(system, "advection") ? "inflow"
                                                          : "incident",
                           &dg));
  if (type) PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  if (!strcmp(system, "maxwell")) PetscCall(PlexDGSetConstant(dg, "current", 3, (const PetscReal[]){0.3, 0.2, 1.}));
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

      PetscCall(GetResults(dm, system, N, backend, host ? NULL : types[t], (PlexPrecision)p, &energy[1], &R[1], &after[1]));
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

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt dim = 2; dim <= 3; ++dim) {
      PetscCall(TestTypes(backends[b], dim, 2, "maxwell"));
      PetscCall(TestTypes(backends[b], dim, 3, "acoustics"));
      PetscCall(TestTypes(backends[b], dim, 1, "advection"));
    }
    for (PetscInt dim = 2; dim <= 3; ++dim)
      for (PetscInt N = 1; N <= 4; ++N) {
        PetscCall(TestConstant(backends[b], dim, N, N % 2 ? "maxwell" : "advection"));
        PetscCall(TestConstant(backends[b], dim, N, N % 2 ? "advection" : "maxwell"));
        PetscCall(TestEnergy(backends[b], dim, N, "maxwell"));
        PetscCall(TestEnergy(backends[b], dim, N, "acoustics"));
      }
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k) PetscCall(TestRate(backends[b], &rates[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
