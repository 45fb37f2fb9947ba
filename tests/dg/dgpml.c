static char help
  [] = "Perfectly matched layers of nodal DG: reflection at angles beside that of the absorbing boundary, dipoles in "
       "boxes and spheres, long runs, types, restarts, messages.\n\n";

#include "ball.h"
#include "layerbox.h"
#include "report.h"
#include "../../src/dg/core/coreimpl.h"
#include <petscblaslapack.h>

/* ------------------------------------------------------------------------------------------------------------------
   Reflection in a guide between walls at y = 0 and 1, whose mode has two plane waves that meet the layer at an angle
   ------------------------------------------------------------------------------------------------------------------ */

#define STATIONS 32
/* Length of the guide between both layers, and where stations begin: far from the current the next mode has died out */
#define LENGTH(g) ((g)->angle > 0. ? 4. : 6.)
#define FIRST(g)  ((g)->angle > 0. ? 1.5 : 3.5)

typedef struct {
  PetscInt    N, n, layers; /* degree, squares a unit of length, in the layer */
  PetscReal   angle;        /* degrees from the normal; 0: a wave along the guide */
  const char *outer, *system;
} Guide;

typedef struct {
  PlexDG    dg;
  PetscReal w;
  PetscInt  n, *at, *station; /* entries of the state at stations */
  PetscReal sum[STATIONS][2]; /* Fourier transform there */
  PetscInt  stations;
} Record;

/* Entries of the field at nodes y = 1/2 of stations, spaced as the squares */
static PetscErrorCode RecordCreate(PlexDG dg, const Guide *g, PetscInt field, Record *r)
{
  const PetscReal *x;
  PetscInt         Ne, Np, Nf;

  PetscFunctionBegin;
  PetscCall(PlexDGGetFields(dg, &Nf, NULL));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(PetscMalloc2(Ne * Np, &r->at, Ne * Np, &r->station));
  r->dg       = dg;
  r->n        = 0;
  r->stations = (PetscInt)((LENGTH(g) - FIRST(g)) * (PetscReal)g->n + 1e-9);
  PetscCall(PetscArrayzero(&r->sum[0][0], 2 * STATIONS));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal *at = &x[(e * Np + i) * 2], s = (at[0] - FIRST(g)) * (PetscReal)g->n;
      const PetscInt   k = (PetscInt)PetscFloorReal(s + 0.5);

      if (PetscAbsReal(at[1] - 0.5) > 1e-9 || PetscAbsReal(s - (PetscReal)k) > 1e-9 || k < 0 || k >= r->stations)
        continue;
      r->at[r->n]        = (e * Nf + field) * Np + i;
      r->station[r->n++] = k;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RecordMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Record            *r = (Record *)ctx;
  const PetscScalar *u;

  PetscFunctionBegin;
  (void)ts;
  (void)step;
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt k = 0; k < r->n; ++k) {
    r->sum[r->station[k]][0] += PetscRealPart(u[r->at[k]]) * PetscCosReal(r->w * t);
    r->sum[r->station[k]][1] -= PetscRealPart(u[r->at[k]]) * PetscSinReal(r->w * t);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f_k = A z^k + B z^-k, with the z of the discrete wave, of f_(k - 1) + f_(k + 1) = 2 Re(z) f_k: reflection |B|/|A| */
static PetscErrorCode RecordGetReflection(Record *r, PetscReal *reflection)
{
  PetscReal a = 0., b = 0., c, s, M[2] = {0., 0.}, rhs[2][2] = {{0.}}, size[2];
  PetscReal (*f)[2] = r->sum;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &r->sum[0][0], 2 * STATIONS, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  for (PetscInt k = 1; k < r->stations - 1; ++k)
    for (int i = 0; i < 2; ++i) {
      a += f[k][i] * (f[k - 1][i] + f[k + 1][i]);
      b += 2. * f[k][i] * f[k][i];
    }
  c = a / b;
  s = PetscSqrtReal(PetscMax(0., 1. - c * c));
  /* least squares for A and B, with z = exp(-i p): normal equations [n, conj(M); M, n] */
  {
    const PetscReal p = PetscAtan2Real(s, c);

    for (PetscInt k = 0; k < r->stations; ++k) {
      const PetscReal C = PetscCosReal(p * k), S = PetscSinReal(p * k);

      M[0] += PetscCosReal(2. * p * k);
      M[1] += PetscSinReal(2. * p * k);
      rhs[0][0] += C * f[k][0] - S * f[k][1]; /* sum of conj(z^k) f */
      rhs[0][1] += C * f[k][1] + S * f[k][0];
      rhs[1][0] += C * f[k][0] + S * f[k][1]; /* of z^k f */
      rhs[1][1] += C * f[k][1] - S * f[k][0];
    }
  }
  for (int side = 0; side < 2; ++side) { /* A: n rhs0 - M rhs1, M = sum conj(z)^(2k); B: n rhs1 - conj(M) rhs0 */
    const PetscReal sign = side ? -1. : 1., n = (PetscReal)r->stations, *o = rhs[1 - side];

    size[side] = PetscSqrtReal(PetscSqr(n * rhs[side][0] - (M[0] * o[0] - sign * M[1] * o[1])) +
                               PetscSqr(n * rhs[side][1] - (M[0] * o[1] + sign * M[1] * o[0])));
  }
  *reflection = size[1] / size[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GuideMesh(const Guide *g, DM *dm)
{
  const PetscReal  L = (PetscReal)g->layers / (PetscReal)g->n;
  PlexTestLayerBox b = {
    .dim   = 2,
    .n     = {(PetscInt)LENGTH(g) * g->n + 2 * g->layers, g->n           },
    .low   = {-L,                                         0.             },
    .high  = {LENGTH(g) + L,                              1.             },
    .inner = {{0., -1.},                                  {LENGTH(g), 2.}}
  };

  PetscFunctionBegin;
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GuideReflection(const Guide *g, PetscReal *reflection)
{
  const PetscReal a = g->angle * PETSC_PI / 180., w = g->angle > 0. ? PETSC_PI / PetscSinReal(a) : 3.;
  /* in time a Gaussian, narrow enough around w not to have the frequency where the mode stops, PI */
  const PetscReal width = g->angle > 0. ? 5.4 / (w - PETSC_PI) : 3., delay = 2.6 * width, radius = 0.3;
  const PetscReal P[3] = {0., g->angle > 0. ? 0. : 1., g->angle > 0. ? 1. : 0.}, center[3] = {0.5, 0.5, 0.};
  PlexDG          dg;
  DM              dm;
  TS              ts;
  Vec             U;
  Record          r = {.w = w};

  PetscFunctionBegin;
  PetscCall(GuideMesh(g, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, g->N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGAddBoundary(dg, "walls", 1, g->outer));
  PetscCall(PlexDGAddBoundary(dg, "walls", 2, g->outer));
  if (g->layers) PetscCall(PlexDGSetPML(dg, "layer", PETSC_DETERMINE, "box"));
  PetscCall(PlexDGSetConstant(dg, "current", 3, P));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &w));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &width));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(RecordCreate(dg, g, g->angle > 0. ? 2 : 1, &r));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 2. * delay + (g->angle > 0. ? 60. : 20.)));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, RecordMonitor, &r, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(RecordGetReflection(&r, reflection));
  PetscCall(PetscFree2(r.at, r.station));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An absorbing boundary alone reflects (1 - cos a)/(1 + cos a) */
static PetscErrorCode TestGuide(PetscInt N, PetscInt n, PetscInt layers, PetscReal angle, PetscReal most)
{
  const Guide     g = {.N = N, .n = n, .layers = layers, .angle = angle, .outer = "absorbing"};
  const PetscReal c = PetscCosReal(angle * PETSC_PI / 180.);
  PetscReal       R = 0.;
  char            name[160];

  PetscFunctionBegin;
  PetscCall(GuideReflection(&g, &R));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "reflection at %g degrees, degree %" PetscInt_FMT ", %" PetscInt_FMT
                          " cells: %.1e, of an absorbing boundary %.1e",
                          (double)angle, N, layers, (double)R, (double)((1. - c) / (1. + c))));
  PetscCall(PlexTestReport((PetscBool)(R < most), name, "at most %g", (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  if (end == LAYER)
    PetscCall(PlexDGSetPML(*dg, p->round ? "shell" : "layer", PETSC_DETERMINE, p->round ? "sphere,0,0,0,1.2" : "box"));
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
   Long runs, types, processes, restarts
   ------------------------------------------------------------------------------------------------------------------ */

/* A run in a cube with layers at all sides */
typedef struct {
  const char *system;
  PetscInt    dim, N, layers, steps;
  PetscReal   reflection; /* that of the profile */
  PetscBool   uneven;     /* the last axis is stretched, and cells grow along all axes */
  PetscBool   rough;      /* the first state; else it is a pulse inside */
} Long;

static PetscErrorCode Uneven(DM dm)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     dim, n;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= (0.4 + 0.6 * PetscRealPart(x[i])) * (i % dim == dim - 1 ? 5. : 1.);
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SAMPLES 10

/* With the default step; from a pulse that is inside at first, or a rough state, which leaves static fields in the layer. These
   change as 1/alpha by factors of up to (1 + sigma/alpha)^2, and there are slow oscillations between fields and variables: it is
   the energy of both that decays. That of fields is at most, in the second half of the run, what it was in the first */
static PetscErrorCode TestLong(const Long *l)
{
  const Pulse      p = {.system = l->system, .dim = l->dim, .N = l->N};
  PlexTestLayerBox b = {.dim = l->dim};
  PetscReal        energy[SAMPLES + 1], most[2] = {0., 0.}, middle[4] = {0.5, 0.5, 0.5, 0.12};
  char             all[256] = "";
  PlexDG           dg;
  DM               dm;
  TS               ts;
  Vec              U;
  char             name[160];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < l->dim; ++d) {
    b.n[d]        = 2 * l->layers + 2;
    b.high[d]     = 1.;
    b.inner[0][d] = (PetscReal)l->layers / (PetscReal)b.n[d];
    b.inner[1][d] = 1. - b.inner[0][d];
  }
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, &dm));
  if (l->uneven) PetscCall(Uneven(dm));
  PetscCall(PulseCreate(&p, LAYER, dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, &dg));
  PetscCall(PlexDGSetPMLProfile(dg, l->reflection, 3, PETSC_DETERMINE));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., l->rough ? PlexTestRough : Blob, middle, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  for (PetscInt k = 1; k <= SAMPLES; ++k) {
    char text[24];

    PetscCall(TSSetMaxSteps(ts, k * l->steps / SAMPLES));
    PetscCall(TSSolve(ts, U));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[k]));
    PetscCall(PetscSNPrintf(text, sizeof(text), " %.4g", (double)energy[k]));
    PetscCall(PetscStrlcat(all, text, sizeof(all)));
    most[k > SAMPLES / 2] = PetscMax(most[k > SAMPLES / 2], energy[k]);
  }
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "energy of %s in a layer, dimension %" PetscInt_FMT ", degree %" PetscInt_FMT
                          ", %" PetscInt_FMT " cells, for reflection %g%s%s, over %" PetscInt_FMT " steps",
                          l->system, l->dim, l->N, l->layers, (double)l->reflection, l->uneven ? ", uneven" : "",
                          l->rough ? ", rough" : "", l->steps));
  PetscCall(PlexTestReport((PetscBool)(most[1] < (1. + 1e-9) * most[0]), name, "%g,%s", (double)energy[0], all));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step of the default scheme and size, of fields and variables, as a matrix: no eigenvalue is outside the unit circle.
   Layers of one cell at all sides of n cells, or at the upper ones */
typedef struct {
  const char *system;
  PetscInt    dim, N, n;
  PetscBool   lower; /* sides, too */
  PetscReal   reflection, alpha;
  PetscBool   uneven;
} Spectrum;

static PetscErrorCode SpectrumMatrix(PlexDG dg, TS ts, Vec U, PetscInt nu, PetscInt n, PetscReal A[])
{
  double *values = (double *)dg->pml->values;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscScalar *u;

    PetscCall(VecZeroEntries(U));
    PetscCall(PetscArrayzero(values, n - nu));
    PetscCall(VecGetArray(U, &u));
    if (k < nu) u[k] = 1.;
    else values[k - nu] = 1.;
    PetscCall(VecRestoreArray(U, &u));
    PetscCall(TSSetTime(ts, 0.));
    PetscCall(TSSetStepNumber(ts, 1)); /* with 0 variables begin at 0 */
    PetscCall(TSSetMaxSteps(ts, 2));
    PetscCall(TSSolve(ts, U));
    PetscCall(VecGetArray(U, &u));
    for (PetscInt i = 0; i < nu; ++i) A[k * n + i] = PetscRealPart(u[i]);
    PetscCall(VecRestoreArray(U, &u));
    PetscCall(PetscArraycpy(&A[k * n + nu], values, n - nu));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSpectrum(const Spectrum *s)
{
  const Pulse      p = {.system = s->system, .dim = s->dim, .N = s->N};
  PlexTestLayerBox b = {.dim = s->dim};
  PetscReal       *A, *re, *im, *work, none, most = 0.;
  PetscInt         nu, n;
  PetscBLASInt     size, space, info, one = 1;
  PlexDG           dg;
  DM               dm;
  TS               ts;
  Vec              U;
  char             name[160];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < s->dim; ++d) {
    b.n[d]        = s->n;
    b.high[d]     = 1.;
    b.inner[0][d] = s->lower ? 1. / (PetscReal)s->n : 0.;
    b.inner[1][d] = 1. - 1. / (PetscReal)s->n;
  }
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_SELF, &b, &dm));
  if (s->uneven) PetscCall(Uneven(dm));
  PetscCall(PulseCreate(&p, LAYER, dm, PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE, &dg));
  PetscCall(PlexDGSetPMLProfile(dg, s->reflection, 3, s->alpha));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecGetLocalSize(U, &nu));
  n = nu + (PetscInt)(dg->pml->bytes / sizeof(double));
  PetscCall(PetscBLASIntCast(n, &size));
  PetscCall(PetscBLASIntCast(40 * n, &space));
  PetscCall(PetscMalloc4(n * n, &A, n, &re, n, &im, 40 * n, &work));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorCancel(ts)); /* which says where states grow, as the columns do */
  PetscCall(SpectrumMatrix(dg, ts, U, nu, n, A));
  PetscCallBLAS("LAPACKgeev",
                LAPACKgeev_("N", "N", &size, A, &size, re, im, &none, &one, &none, &one, work, &space, &info));
  for (PetscInt k = 0; k < n; ++k) most = PetscMax(most, PetscSqrtReal(PetscSqr(re[k]) + PetscSqr(im[k])));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "eigenvalues of a step of %s in a layer, dimension %" PetscInt_FMT ", degree %" PetscInt_FMT
                          ", for reflection %g%s%s",
                          s->system, s->dim, s->N, (double)s->reflection, s->alpha == 0. ? ", alpha 0" : "",
                          s->uneven ? ", uneven" : ""));
  PetscCall(PlexTestReport((PetscBool)(!info && most < 1. + 1e-9), name, "the largest is 1 + %g of %" PetscInt_FMT,
                           (double)(most - 1.), n));
  PetscCall(PetscFree4(A, re, im, work));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
                              p->round ? ", ball" : "", backend, types[t], PlexPrecisions[precision]));
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

static PetscErrorCode TestRestart(const Pulse *p, const char backend[], const char type[], PlexPrecision precision)
{
  PetscReal norms[2][3], error;
  Vec       U, V;
  DM        dm;
  char      file[PETSC_MAX_PATH_LEN], name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(file, sizeof(file), "build/tests/dgpml-%s-%s-%d.h5", backend, type, (int)precision));
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
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&U));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const PetscBool host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const Pulse     cases[] = {
    {"maxwell",   2, 3, PETSC_FALSE, 0., PETSC_FALSE},
    {"maxwell",   3, 2, PETSC_FALSE, 0., PETSC_FALSE},
    {"maxwell",   3, 1, PETSC_TRUE,  0., PETSC_FALSE},
    {"acoustics", 3, 1, PETSC_FALSE, 0., PETSC_FALSE},
    {"acoustics", 3, 1, PETSC_TRUE,  0., PETSC_FALSE}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestTypes(&cases[k], backend, k < 2 ? 3 : 1));
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
  DM          dm;
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
  EXPECT("local time steps", SetUpWrong, (&(Wrong){.dm = dm, .type = TSPLEXMULTIRATE}), "perfectly matched layer",
         "-ts_type lowstorage");
  EXPECT("steps by an error", SetUpWrong, (&(Wrong){.dm = dm, .type = TSPLEXLOWSTORAGE, .adapts = PETSC_TRUE}),
         "-ts_adapt_type none");
  EXPECT("curved cells of the layer", SetUpWrong, (&(Wrong){.dm = dm, .curved = PETSC_TRUE}), "straight cells",
         "-plex_dg_curve");
  EXPECT("a dispersive medium in the layer", SetUpWrong, (&(Wrong){.dm = dm, .dispersive = PETSC_TRUE}),
         "dispersive medium", "-plex_dg_drude");
  EXPECT("DG with quadrature", SetUpWrong,
         (&(Wrong){.dm = dm, .system = "acoustics_uniform", .kind = "wall", .quadrature = PETSC_TRUE}),
         "quadrature DG has no perfectly matched layer");
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
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Pulse pulses[] = {
    {"maxwell",   2, 3, PETSC_FALSE, 2.5, PETSC_FALSE},
    {"maxwell",   2, 3, PETSC_FALSE, 2.5, PETSC_TRUE },
    {"acoustics", 2, 3, PETSC_FALSE, 2.5, PETSC_FALSE},
    {"maxwell",   3, 1, PETSC_TRUE,  2.,  PETSC_FALSE}
  };
  const PetscReal errors[] = {1e-3, 1e-3, 1e-3, 2e-2};
  const Long      runs[]   = {
    {"maxwell",   2, 3, 1, 4000, 1e-12, PETSC_FALSE, PETSC_TRUE},
    {"acoustics", 3, 1, 1, 1000, 1e-12, PETSC_FALSE, PETSC_TRUE}
  };
  const Spectrum spectra[] = {
    {"maxwell",   2, 2, 3, PETSC_TRUE,  1e-120, PETSC_DETERMINE, PETSC_TRUE },
    {"maxwell",   2, 4, 2, PETSC_FALSE, 1e-12,  0.,              PETSC_FALSE},
    {"maxwell",   3, 1, 2, PETSC_FALSE, 1e-120, PETSC_DETERMINE, PETSC_TRUE },
    {"acoustics", 2, 3, 3, PETSC_TRUE,  1e-120, PETSC_DETERMINE, PETSC_TRUE },
    {"acoustics", 3, 1, 2, PETSC_FALSE, 1e-120, PETSC_DETERMINE, PETSC_TRUE }
  };
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) PetscCall(TestBackend(backends[k]));
  if (size == 1) {
    PetscCall(TestMessages());
    PetscCall(TestGuide(4, 3, 4, 0., 1e-5));
    PetscCall(TestGuide(3, 2, 4, 75., 1e-3));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pulses); ++k) PetscCall(TestPulse(&pulses[k], errors[k]));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spectra); ++k) PetscCall(TestSpectrum(&spectra[k]));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(runs); ++k) PetscCall(TestLong(&runs[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
