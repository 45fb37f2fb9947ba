static char
  help[] = "Boundaries of a resistance in nodal DG: modes of cavities with such a wall, of conductors, with curved "
           "cells and local time steps, reflection of pulses, the limits pec, absorbing and pmc, energy, types, "
           "processes, checkpoints, errors.\n\n";

#include "dgproblem.h"
#include "report.h"
#include "roundmesh.h"
#include <complex.h>
#include <unistd.h>

#define EPSILON 2.
#define MU      1.5

typedef double _Complex Number;

/* ---- Modes of a box of conductors, epsilon and mu, whose wall x = 1 has the resistance R: fields of exp(-i w t)

     TE  E_z = sin(k x) cos(q y),  sin k = R k cos k/(i w mu)
     TM  H_z = cos(k x) cos(q y),  k sin k = -i w epsilon R cos k,   w^2 epsilon mu = k^2 + q^2

   with epsilon + i sigma/w in the place of epsilon where the medium conducts, which the conditions at the wall are, E_z = -R H_y and E_y = R H_z: reflection at the complex angle cos = k/(w sqrt(epsilon
   mu)) by (R cos - Z)/(R cos + Z) and (R - Z cos)/(R + Z cos) */
typedef struct {
  PetscBool magnetic; /* TM */
  PetscReal q, R, sigma;
  Number    k, w;
} Mode;

static Number ModeFrequency(const Mode *m, Number k)
{
  const Number loss = -0.5 * _Complex_I * m->sigma / EPSILON;

  return loss + csqrt(loss * loss + (k * k + m->q * m->q) / (EPSILON * MU));
}

static Number ModeGap(const Mode *m, Number k)
{
  const Number w = ModeFrequency(m, k);

  return m->magnetic ? k * csin(k) + (_Complex_I * w * EPSILON - m->sigma) * m->R * ccos(k)
                     : _Complex_I * w * MU * csin(k) - m->R * k * ccos(k);
}

/* By Newton's method, from the mode of normal incidence */
static PetscErrorCode ModeFind(PetscBool magnetic, PetscReal q, PetscReal R, PetscReal sigma, Mode *m)
{
  const PetscReal r = R / PetscSqrtReal(MU / EPSILON);

  PetscFunctionBegin;
  *m = (Mode){magnetic,
              q,
              R,
              sigma,
              r < 1. ? PETSC_PI - _Complex_I * atanh(r) : 1.5 * PETSC_PI - _Complex_I * atanh(1. / r),
              0.};
  for (int i = 0; i < 100; ++i) {
    const Number h = 1e-6, slope = (ModeGap(m, m->k + h) - ModeGap(m, m->k - h)) / (2. * h);

    m->k -= ModeGap(m, m->k) / slope;
  }
  m->w = ModeFrequency(m, m->k);
  PetscCheck(cabs(ModeGap(m, m->k)) < 1e-11 && cabs(m->k) > 1. && cimag(m->w) < 0., PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "No mode");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ModeState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Mode     *m     = (const Mode *)ctx;
  const Number    phase = cexp(-_Complex_I * m->w * t), s = csin(m->k * x[0]) * phase, c = ccos(m->k * x[0]) * phase,
                  over = 1. / (_Complex_I * m->w), epsilon = EPSILON + _Complex_I * m->sigma / m->w;
  const PetscReal Y = m->q * x[1];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  if (m->magnetic) {
    u[0] = creal(m->q * c * over / epsilon) * sin(Y);
    u[1] = -creal(m->k * s * over / epsilon) * cos(Y);
    u[5] = creal(c) * cos(Y);
  } else {
    u[2] = creal(s) * cos(Y);
    u[3] = -creal(m->q * s * over / MU) * sin(Y);
    u[4] = -creal(m->k * c * over / MU) * cos(Y);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Boxes and operators */

static PetscErrorCode Box(MPI_Comm comm, PetscInt dim, PetscInt n, DM *dm)
{
  PetscInt fStart, fEnd, value;
  DMLabel  sides;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(comm, dim, n, PETSC_FALSE, dm));
  PetscCall(PlexTestLabelSides(*dm));
  PetscCall(DMCreateLabel(*dm, "Face Sets"));
  PetscCall(DMGetLabel(*dm, "sides", &sides));
  PetscCall(DMPlexGetHeightStratum(*dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscCall(DMLabelGetValue(sides, f, &value));
    if (value > 0) PetscCall(DMSetLabelValue(*dm, "Face Sets", f, value));
  }
  PetscCall(PlexTestSpread(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  PLAIN,
  CURVED = 1, /* cells of degree 2, of which the box's sides are straight */
  LOCAL  = 2  /* cells of different sizes, which have local time steps */
} Way;

static PetscErrorCode Bend(DM dm, PetscInt way)
{
  PetscInt     n, dim;
  PetscScalar *x;
  Vec          coordinates;

  PetscFunctionBegin;
  if (way & CURVED) PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    const PetscReal move = 0.06 * PetscSinReal(PETSC_PI * PetscRealPart(x[i])) *
                           PetscSinReal(PETSC_PI * PetscRealPart(x[i + 1]));

    if (way & LOCAL) x[i] += 0.7 * PetscSinReal(2. * PETSC_PI * PetscRealPart(x[i])) / (2. * PETSC_PI);
    if (way & CURVED) x[i] += move;
    if (way & CURVED) x[i + 1] -= move;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kinds[3]: of x = 0, of sides along y, of sides along z; kind: of x = 1 */
static PetscErrorCode Create(DM dm, PetscInt N, const char backend[], const char *const kinds[], const char kind[],
                             PetscReal alpha, PlexDG *dg)
{
  const PetscReal epsilon = EPSILON, mu = MU;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetConstant(*dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(*dg, "mu", 1, &mu));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kinds[2]));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 3, kinds[1]));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 4, kinds[1]));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 1, kinds[0]));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 2, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *same: there are curved cells, and levels of time steps, or not, as the way says */
static PetscErrorCode ModeError(const char backend[], PetscInt dim, PetscInt n, PetscInt N, const Mode *m, PetscInt way,
                                PetscReal alpha, PetscReal *error, PetscBool *same)
{
  const char *const kinds[2][3] = {
    {"pec", "pmc", "pec"},
    {"pec", "pec", "pmc"}
  };
  const PetscReal T = 0.3;
  PetscReal       norm;
  PetscInt        levels;
  char            kind[64];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(kind, sizeof(kind), "impedance:%.17g", (double)m->R));
  PetscCall(Box(PETSC_COMM_WORLD, dim, n, &dm));
  PetscCall(Bend(dm, way));
  PetscCall(Create(dm, N, backend, kinds[m->magnetic], kind, alpha, &dg));
  PetscCall(PlexDGSetConstant(dg, "sigma", 1, &m->sigma));
  PetscCall(PlexDGSetLevels(dg, way & LOCAL ? 3 : 1));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGGetLevelSizes(dg, &levels, NULL, NULL));
  *same = (PetscBool)((levels > 1) == !!(way & LOCAL) && !!dg->curved == !!(way & CURVED));
  PetscCall(PlexDGComputeL2Error(dg, T, ModeState, (void *)m, U, &norm));
  if (way & LOCAL) PetscCall(PetscOptionsSetValue(NULL, "-ts_type", TSPLEXMULTIRATE));
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
  static const struct {
    PetscInt  dim, n, N;
    PetscBool magnetic;
    PetscReal q, R, alpha, sigma;
    PetscInt  way;
  } cases[] = {
    {2, 2, 2, PETSC_FALSE, 0.,       0.3, 1.,  0.,  PLAIN         },
    {2, 2, 3, PETSC_FALSE, PETSC_PI, 0.4, 1.,  0.,  PLAIN         },
    {2, 2, 3, PETSC_TRUE,  PETSC_PI, 0.4, 1.,  0.,  PLAIN         },
    {2, 2, 3, PETSC_FALSE, PETSC_PI, 3.,  1.,  0.,  PLAIN         },
    {2, 2, 3, PETSC_TRUE,  PETSC_PI, 3.,  0.4, 0.,  PLAIN         },
    {2, 2, 4, PETSC_TRUE,  0.,       5.,  1.,  0.,  PLAIN         },
    {3, 2, 3, PETSC_FALSE, PETSC_PI, 0.4, 1.,  0.,  PLAIN         },
    {3, 2, 3, PETSC_TRUE,  PETSC_PI, 3.,  1.,  0.,  PLAIN         },
    {2, 2, 3, PETSC_TRUE,  PETSC_PI, 0.4, 1.,  2.5, PLAIN         },
    {2, 4, 3, PETSC_FALSE, PETSC_PI, 0.4, 1.,  0.,  CURVED        },
    {2, 4, 3, PETSC_TRUE,  PETSC_PI, 0.4, 1.,  0.,  LOCAL         },
    {2, 4, 3, PETSC_FALSE, PETSC_PI, 3.,  1.,  2.5, CURVED | LOCAL}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const PetscInt N = cases[k].N;
    PetscReal      error[2], rate;
    PetscBool      same[2];
    char           of[160];
    Mode           m;

    PetscCall(ModeFind(cases[k].magnetic, cases[k].q, cases[k].R, cases[k].sigma, &m));
    for (PetscInt i = 0; i < 2; ++i)
      PetscCall(ModeError(backend, cases[k].dim, cases[k].n << i, N, &m, cases[k].way, cases[k].alpha, &error[i],
                          &same[i]));
    rate = PetscLog2Real(error[0] / error[1]);
    PetscCall(PetscSNPrintf(of, sizeof(of),
                            "%s, %s in %" PetscInt_FMT
                            "D, %s incidence, R %g, alpha %g, sigma %g, degree %" PetscInt_FMT "%s%s",
                            backend, m.magnetic ? "TM" : "TE", cases[k].dim, m.q > 0. ? "oblique" : "normal",
                            (double)m.R, (double)cases[k].alpha, (double)m.sigma, N,
                            cases[k].way & CURVED ? ", curved" : "", cases[k].way & LOCAL ? ", local steps" : ""));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f, w %.4g %+.4gi\n", of, (double)error[0],
                          (double)error[1], (double)rate, creal(m.w), cimag(m.w)));
    PetscCall(PlexTestReportOf((PetscBool)(rate > N + (cases[k].alpha < 1. ? 0.5 : 0.6) && error[1] < 0.05 && same[0] &&
                                           same[1]),
                               of, "the error falls as h^(N+1)", "errors %g, %g, rate %g", (double)error[0],
                               (double)error[1], (double)rate));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reflection: E_z = f(x - v t) + G f(2 - x - v t), f = exp(-((x - 0.5)/0.1)^2) */

static PetscErrorCode Pulse(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal G = *(const PetscReal *)ctx, v = 1. / PetscSqrtReal(EPSILON * MU), Y = PetscSqrtReal(EPSILON / MU),
                  there = (x[0] - v * t - 0.5) / 0.1, back = (2. - x[0] - v * t - 0.5) / 0.1,
                  f = PetscExpReal(-there * there), g = G * PetscExpReal(-back * back);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 0.;
  u[2] = f + g;
  u[4] = Y * (g - f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestReflection(const char backend[])
{
  const char *const kinds[3] = {"absorbing", "pmc", "pec"};
  const PetscReal   T = PetscSqrtReal(EPSILON * MU), Z = PetscSqrtReal(MU / EPSILON), ratios[] = {0., 0.5, 1., 4., 1e6};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(ratios); ++k) {
    PetscReal R = ratios[k] * Z, G = (R - Z) / (R + Z), none = 0., error, before, after;
    char      text[64], of[128];
    DM        dm;
    PlexDG    dg;
    Vec       U;

    PetscCall(Box(PETSC_COMM_WORLD, 2, 5, &dm));
    PetscCall(Create(dm, 6, backend, kinds, "pec", 1., &dg));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%.17g", (double)R)); /* options come after what a program sets */
    PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_impedance_2", text));
    PetscCall(PlexDGSetFromOptions(dg));
    PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_impedance_2"));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., Pulse, &none, U));
    PetscCall(PlexDGComputeEnergy(dg, U, &before));
    PetscCall(PlexTestRun(dg, T, Pulse, &none, U));
    PetscCall(PlexDGComputeEnergy(dg, U, &after));
    PetscCall(PlexDGComputeL2Error(dg, T, Pulse, &G, U, &error));
    error /= PetscSqrtReal(before);
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, reflection of a pulse, R %g Z", backend, (double)ratios[k]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %.6f, (R - Z)/(R + Z) %.6f, error %.2g\n", of,
                          (double)PetscSqrtReal(after / before), (double)G, (double)error));
    PetscCall(PlexTestReportOf((PetscBool)(error < 1e-3 &&
                                           PetscAbsReal(PetscSqrtReal(after / before) - PetscAbsReal(G)) < 2e-4),
                               of, "(R - Z)/(R + Z)", "error %g", (double)error));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Right-hand sides: limits, energy, types */

static PetscErrorCode Rates(DM dm, const char backend[], const char type[], PlexPrecision precision, PetscBool jumps,
                            const char kind[], PetscReal alpha, PetscReal *energy, PetscReal *change, Vec *R)
{
  const char *const all[3] = {kind, kind, kind};
  PetscReal         e[2];
  PlexDG            dg;
  Vec               U, W;

  PetscFunctionBegin;
  PetscCall(Create(dm, 3, backend, all, kind, alpha, &dg));
  if (type) PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(VecDuplicate(U, &W));
  if (jumps) PetscCall(PlexTestJumps(U));
  else PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, *R));
  PetscCall(PlexDGComputeEnergy(dg, *R, energy));
  for (int sign = 0; sign < 2; ++sign) {
    PetscCall(VecWAXPY(W, sign ? -1. : 1., *R, U));
    PetscCall(PlexDGComputeEnergy(dg, W, &e[sign]));
  }
  *change = 0.5 * (e[0] - e[1]);
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&W));
  PetscCall(PlexDGDestroy(&dg));
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

/* R = 0 is pec, and R without end pmc; absorbing is R = Z where all elements have one Z. Of any alpha. And no R gives
   energy: that of a state changes by less than with pec, since what jumps inside is the same */
static PetscErrorCode TestLimits(const char backend[], PetscInt dim)
{
  static const char *const kinds[2][2] = {
    {"pec", "impedance:0"   },
    {"pmc", "impedance:1e14"}
  };
  DM dm;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, 1 + (dim == 2), &dm));
  for (PetscReal alpha = 0.; alpha < 1.1; alpha += 0.5) {
    PetscReal energy, change[3], apart[2];
    Vec       R[2];
    char      of[128];

    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 2; ++i)
        PetscCall(Rates(dm, backend, NULL, PLEX_PRECISION_DOUBLE, PETSC_TRUE, kinds[k][i], alpha, &energy, &change[i],
                        &R[i]));
      PetscCall(Apart(R[1], R[0], &apart[k]));
      for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&R[i]));
    }
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, alpha %g", backend, dim, (double)alpha));
    PetscCall(PlexTestReportOf((PetscBool)(apart[0] < 1e-13), of, "a resistance of 0 is pec", "%g apart",
                               (double)apart[0]));
    PetscCall(PlexTestReportOf((PetscBool)(apart[1] < 1e-12), of, "a large resistance is pmc", "%g apart",
                               (double)apart[1]));
    for (PetscReal R0 = 0.05; R0 < 100.; R0 *= 6.) {
      char kind[64];

      PetscCall(PetscSNPrintf(kind, sizeof(kind), "impedance:%g", (double)R0));
      PetscCall(Rates(dm, backend, NULL, PLEX_PRECISION_DOUBLE, PETSC_TRUE, kind, alpha, &energy, &change[2], &R[0]));
      PetscCall(VecDestroy(&R[0]));
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, alpha %g, R %g", backend, dim, (double)alpha,
                              (double)R0));
      PetscCall(PlexTestReportOf((PetscBool)(change[2] < -1e-6 && (alpha > 0. || change[0] > -1e-10)), of,
                                 "energy leaves", "%g, with pmc %g", (double)change[2], (double)change[0]));
    }
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTypes(const char backend[], PetscInt dim)
{
  static const char *const types[] = {PLEXDGPLAIN, PLEXDGFUSED, PLEXDGSEPARATE};
  const PetscBool          host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  PetscReal                energy[2], change[2], apart;
  Vec                      R[2];
  DM                       dm;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_WORLD, dim, 1, &dm));
  PetscCall(Rates(dm, PLEXBACKENDHOST, NULL, PLEX_PRECISION_DOUBLE, PETSC_FALSE, "impedance:0.7", 0.6, &energy[0],
                  &change[0], &R[0]));
  for (int t = 0; t < (host ? 1 : 3); ++t)
    for (int p = host ? 1 : 0; p < (t == 2 ? 1 : 2); ++p) {
      char of[128];

      PetscCall(Rates(dm, backend, host ? NULL : types[t], (PlexPrecision)p, PETSC_FALSE, "impedance:0.7", 0.6,
                      &energy[1], &change[1], &R[1]));
      PetscCall(Apart(R[1], R[0], &apart));
      PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s in %" PetscInt_FMT "D", backend, host ? "host" : types[t],
                              PlexPrecisions[p], dim));
      PetscCall(PlexTestReportOf((PetscBool)(apart < (p ? 2e-5 : 1e-12)), of, "the host's right-hand side", "%g apart",
                                 (double)apart));
      PetscCall(VecDestroy(&R[1]));
    }
  PetscCall(VecDestroy(&R[0]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProcesses(const char backend[], PetscInt dim)
{
  PetscReal   energy[2], change[2];
  PetscMPIInt size;
  char        of[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    DM  dm;
    Vec R;

    PetscCall(Box(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, dim, 2, &dm));
    PetscCall(Rates(dm, backend, NULL, PLEX_PRECISION_DOUBLE, PETSC_FALSE, "impedance:0.7", 0.6, &energy[k], &change[k],
                    &R));
    PetscCall(VecDestroy(&R));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D", backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy[0] - energy[1]) < 1e-12 * energy[1] &&
                                         PetscAbsReal(change[0] - change[1]) < 1e-12 * energy[1]),
                             of, "what one process computes", "%g, %g", (double)(energy[0] - energy[1]),
                             (double)(change[0] - change[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Restarts: four steps at once, or two and two */

static PetscErrorCode TestRestart(void)
{
#if PetscDefined(HAVE_HDF5)
  const char *const kinds[3] = {"pec", "impedance:0.2", "pmc"};
  Vec               U[2];
  DM                dm;
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_SELF, 2, 2, &dm));
  for (int run = 0; run < 3; ++run) {
    PlexDG dg;
    TS     ts;
    Vec    V;

    PetscCall(Create(dm, 2, PLEXBACKENDHOST, kinds, "impedance:0.7", 1., &dg));
    PetscCall(PlexDGCreateVec(dg, &V));
    PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, V));
    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, run == 1 ? 2 : 4));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    if (run == 2) PetscCall(PlexDGLoadCheckpoint(dg, ts, "impedance.h5", V));
    PetscCall(TSSolve(ts, V));
    if (run == 1) PetscCall(PlexDGSaveCheckpoint(dg, ts, V, "impedance.h5"));
    if (run == 1) PetscCall(VecDestroy(&V));
    else U[run / 2] = V;
    PetscCall(TSDestroy(&ts));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(VecEqual(U[0], U[1], &same));
  PetscCall(PlexTestReport(same, "a run of two resistances goes on with the same bits", "other ones"));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&U[k]));
  PetscCall(DMDestroy(&dm));
  (void)unlink("impedance.h5");
#else
  PetscFunctionBegin;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Errors */

typedef struct {
  const char *kind, *option, *value;
  PetscBool   many, restart;
} Wrong;

static PetscErrorCode RunWrong(void *ctx)
{
  const Wrong   *w        = (const Wrong *)ctx;
  const char    *kinds[3] = {"pec", "pec", "pec"};
  PetscErrorCode ierr;
  DM             dm;
  PlexDG         dg;
  Vec            U;

  PetscFunctionBegin;
  PetscCall(Box(PETSC_COMM_SELF, 2, 2, &dm));
  PetscCall(Create(dm, 1, PLEXBACKENDHOST, kinds, w->kind ? w->kind : "pec", 1., &dg));
  for (int k = 0; w->many && k < 17; ++k) {
    char kind[32];

    PetscCall(PetscSNPrintf(kind, sizeof(kind), "impedance:%d", k + 1));
    PetscCall(PlexDGAddBoundary(dg, "sides", 2, kind));
  }
  if (w->option) {
    PetscCall(PetscOptionsSetValue(NULL, w->option, w->value));
    ierr = PlexDGSetFromOptions(dg);
    PetscCall(PetscOptionsClearValue(NULL, w->option));
    PetscCall(ierr);
  }
  PetscCall(PlexDGCreateVec(dg, &U));
  if (w->restart) PetscCall(PlexDGLoadCheckpoint(dg, NULL, "impedance.h5", U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(void)
{
  PetscFunctionBegin;
  EXPECT("no resistance", RunWrong, (&(Wrong){.kind = "impedance"}), "impedance needs a resistance", "impedance:0.5",
         "none");
  EXPECT("a negative resistance", RunWrong, (&(Wrong){.kind = "impedance:-1"}), "at least 0", "not -1");
  EXPECT("a word", RunWrong, (&(Wrong){.option = "-plex_dg_impedance_2", .value = "much"}), "at least 0", "not much");
  EXPECT("a number of another condition", RunWrong, (&(Wrong){.kind = "pec:1"}), "no boundary condition pec:1",
         "a number is that of impedance");
  EXPECT("a label that is none", RunWrong, (&(Wrong){.option = "-plex_dg_impedance_hull", .value = "1"}),
         "no label hull", "impedance:1");
  EXPECT("17 resistances", RunWrong, (&(Wrong){.many = PETSC_TRUE}), "more than 16", "17");
#if PetscDefined(HAVE_HDF5)
  {
    const char *const kinds[3] = {"pec", "pec", "pec"};
    DM                dm;
    PlexDG            dg;
    Vec               U;

    PetscCall(Box(PETSC_COMM_SELF, 2, 2, &dm));
    PetscCall(Create(dm, 1, PLEXBACKENDHOST, kinds, "impedance:0.5", 1., &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGSaveCheckpoint(dg, NULL, U, "impedance.h5"));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
    PetscCall(PlexTestReport((PetscBool)!RunWrong(&(Wrong){.kind = "impedance:0.5", .restart = PETSC_TRUE}),
                             "a checkpoint of the same resistance", "an error"));
    EXPECT("a checkpoint of another resistance", RunWrong, (&(Wrong){.kind = "impedance:0.6", .restart = PETSC_TRUE}),
           "boundary", "-plex_dg_restart_changed");
    (void)unlink("impedance.h5");
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
      PetscCall(TestTypes(backends[b], dim));
      PetscCall(TestProcesses(backends[b], dim));
      if (all) PetscCall(TestLimits(backends[b], dim));
    }
    if (all && size == 1) PetscCall(TestModes(backends[b]));
    if (all && size == 1) PetscCall(TestReflection(backends[b]));
  }
  if (size == 1) PetscCall(TestRestart());
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
