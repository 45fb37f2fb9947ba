static char help[] = "Dispersive media of Maxwell's equations: modes of a cavity, the order in time, stiff poles, and "
                     "reflection by a slab "
                     "at many frequencies of one pulse, against exact solutions.\n\n";

#include "dgproblem.h"
#include "dispersive.h"
#include "report.h"

static PetscErrorCode Create(DM dm, PetscInt N, const Medium *m, const char label[], const char bc[], PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(MediumAdd(m, label, *dg));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of the TS, of the default length times factor, or to time T */
static PetscErrorCode March(PlexDG dg, const char scheme[], PetscReal dt, PetscInt steps, PetscReal T, Vec U)
{
  TS ts;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  if (scheme) {
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(TSPlexLowStorageSetScheme(ts, scheme));
  }
  PetscCall(PlexDGSetTS(dg, ts));
  if (dt > 0.) PetscCall(TSSetTimeStep(ts, dt));
  PetscCall(TSSetMaxTime(ts, steps ? 1e9 : T));
  if (steps) PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetExactFinalTime(ts, steps ? TS_EXACTFINALTIME_STEPOVER : TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A mode of a cavity: E_z = sin(pi x) sin(pi y) T(t), of which epsilon_t T' + P' + sigma T = -k^2 S, S' = T, k^2 = 2 pi^2,
   from T = 1 and S = P = 0. Its Laplace transform is epsilon s/D(s), D = s^2 (epsilon + chi) + sigma s + k^2, so that

     T = sum over the roots r of D of epsilon r exp(r t)/D'(r),

   the frequencies i r of the mode. D is multiplied by the denominators of chi, Q, to a polynomial */

#define DEGREE 16

typedef struct {
  PetscInt  n; /* degree */
  PetscReal c[DEGREE + 1];
} Polynomial;

static Polynomial Times(const Polynomial *a, const Polynomial *b)
{
  Polynomial p = {.n = a->n + b->n};

  for (PetscInt i = 0; i <= a->n; ++i)
    for (PetscInt j = 0; j <= b->n; ++j) p.c[i + j] += a->c[i] * b->c[j];
  return p;
}

static Polynomial Plus(const Polynomial *a, const Polynomial *b)
{
  Polynomial p = {.n = PetscMax(a->n, b->n)};

  for (PetscInt i = 0; i <= p.n; ++i) p.c[i] = a->c[i] + b->c[i];
  return p;
}

/* Adds the fraction a/b to P/Q */
static void AddFraction(Polynomial a, Polynomial b, Polynomial *P, Polynomial *Q)
{
  const Polynomial left = Times(P, &b), right = Times(&a, Q);

  *P = Plus(&left, &right);
  *Q = Times(Q, &b);
}

static Complex At(const Polynomial *p, Complex s)
{
  Complex sum = 0.;

  for (PetscInt i = p->n; i >= 0; --i) sum = sum * s + p->c[i];
  return sum;
}

static Complex SlopeAt(const Polynomial *p, Complex s)
{
  Complex sum = 0.;

  for (PetscInt i = p->n; i >= 1; --i) sum = sum * s + i * p->c[i];
  return sum;
}

typedef struct {
  const Medium *m;
  PetscInt      n;
  Complex       roots[DEGREE], weights[DEGREE];
} Oscillation;

/* All roots at once (Durand 1960, Kerner 1966), then steps of Newton's method */
static void FindRoots(const Polynomial *p, Complex roots[])
{
  PetscReal size = 0.;

  for (PetscInt i = 0; i < p->n; ++i)
    size = PetscMax(size, PetscPowReal(PetscAbsReal(p->c[i] / p->c[p->n]), 1. / (p->n - i)));
  for (PetscInt k = 0; k < p->n; ++k) roots[k] = size * cexp(I * (0.4 + 2. * PETSC_PI * k / p->n));
  for (int sweep = 0; sweep < 500; ++sweep)
    for (PetscInt k = 0; k < p->n; ++k) {
      Complex product = p->c[p->n];

      for (PetscInt l = 0; l < p->n; ++l)
        if (l != k) product *= roots[k] - roots[l];
      roots[k] -= At(p, roots[k]) / product;
    }
  for (int step = 0; step < 3; ++step)
    for (PetscInt k = 0; k < p->n; ++k) roots[k] -= At(p, roots[k]) / SlopeAt(p, roots[k]);
}

static PetscErrorCode OscillationCreate(const Medium *m, Oscillation *o)
{
  const PetscReal  k2 = 2. * PETSC_PI * PETSC_PI;
  const Polynomial s =
                     {
                       1, {0., 1.}
  },
                   own = {2, {k2, m->sigma, m->epsilon}};
  Polynomial       P = {0, {0.}}, Q = {0, {1.}}, D, N, square;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < m->ndebye; ++k)
    AddFraction(
      (Polynomial){
        0, {m->debye[k][0]}
    },
      (Polynomial){1, {1., m->debye[k][1]}}, &P, &Q);
  for (PetscInt k = 0; k < m->ndrude; ++k)
    AddFraction(
      (Polynomial){
        0, {PetscSqr(m->drude[k][0])}
    },
      (Polynomial){2, {0., m->drude[k][1], 1.}}, &P, &Q);
  for (PetscInt k = 0; k < m->nlorentz; ++k) {
    const PetscReal w2 = PetscSqr(m->lorentz[k][1]);

    AddFraction(
      (Polynomial){
        0, {m->lorentz[k][0] * w2}
    },
      (Polynomial){2, {w2, m->lorentz[k][2], 1.}}, &P, &Q);
  }
  square = Times(&s, &s);
  P      = Times(&P, &square);
  D      = Times(&own, &Q);
  D      = Plus(&D, &P);
  N      = Times(&s, &Q);
  while (D.c[0] == 0.) { /* a root 0 of numerator and denominator, which a Drude pole brings in */
    for (PetscInt i = 0; i < D.n; ++i) D.c[i] = D.c[i + 1];
    for (PetscInt i = 0; i < N.n; ++i) N.c[i] = N.c[i + 1];
    D.c[D.n--] = 0.;
    N.c[N.n--] = 0.;
  }
  *o = (Oscillation){.m = m, .n = D.n};
  FindRoots(&D, o->roots);
  for (PetscInt k = 0; k < o->n; ++k) {
    const Complex w = I * o->roots[k]; /* the dispersion relation, which knows nothing of polynomials */

    PetscCheck(cabs(w * w * MediumEpsilon(m, w) - k2) < 1e-6 * k2 * (1. + cabs(w * w)), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Frequency (%g, %g) is none of a mode of %s", creal(w), cimag(w), m->name);
    o->weights[k] = m->epsilon * At(&N, o->roots[k]) / SlopeAt(&D, o->roots[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mode(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Oscillation *o = (const Oscillation *)ctx;
  const PetscReal    X = PETSC_PI * x[0], Y = PETSC_PI * x[1];
  Complex            S = 0., T = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->n; ++k) {
    const Complex r = o->roots[k], e = cexp(r * t);

    T += o->weights[k] * e;
    S += o->weights[k] * (e - 1.) / r;
  }
  u[2] = PetscSinReal(X) * PetscSinReal(Y) * creal(T);
  u[3] = -PETSC_PI * PetscSinReal(X) * PetscCosReal(Y) * creal(S);
  u[4] = PETSC_PI * PetscCosReal(X) * PetscSinReal(Y) * creal(S);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Medium media[] = {
  {"debye", 1.5, 0., 1, 0, 0, .debye = {{2., 0.3}}},
  {"drude", 2., 0., 0, 1, 0, .drude = {{7., 1.}}},
  {"lorentz", 1., 0., 0, 0, 1, .lorentz = {{1.5, 6., 1.}}},
  {"debye, conducts", 2., 1.5, 2, 0, 0, .debye = {{1., 0.05}, {2., 1.}}},
  {"all, conducts", 1.2, 0.3, 1, 1, 2, .debye = {{1., 0.1}}, .drude = {{3., 0.5}},
   .lorentz = {{0.5, 8., 0.4}, {1., 15., 2.}}}
};

static PetscErrorCode TestMode(PetscInt dim, PetscInt n, PetscInt N, const Medium *m)
{
  const PetscReal T = 0.8;
  PetscReal       error[2], size, rate;
  Oscillation     o;
  char            of[128];

  PetscFunctionBegin;
  PetscCall(OscillationCreate(m, &o));
  for (int k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n << k, PETSC_FALSE, &dm));
    PetscCall(Create(dm, N, m, NULL, "pec", &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGComputeL2Error(dg, T, Mode, &o, U, &size));
    PetscCall(PlexDGProject(dg, 0., Mode, &o, U));
    PetscCall(March(dg, NULL, 0., 0, T, U));
    PetscCall(PlexDGComputeL2Error(dg, T, Mode, &o, U, &error[k]));
    error[k] /= size;
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT, m->name, dim, N));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.6 && error[1] < 0.2), of, "a mode is that of the exact solution",
                             "errors %.3g, %.3g, rate %.2f", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The order in time, of a medium in a half of the box */

/* The label "medium" is of cells with x > 1/2 */
static PetscErrorCode HalfBox(PetscInt dim, PetscInt n, DM *dm)
{
  PetscInt  cStart, cEnd;
  PetscReal x[3];
  DMLabel   label;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  PetscCall(PlexTestGetLabel(*dm, "medium", &label));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, c, NULL, x, NULL));
    if (x[0] > 0.5) PetscCall(DMLabelSetValue(label, c, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fields(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[2] = PetscSinReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]);
  u[4] = PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(2. * PETSC_PI * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The medium's rates are `stiff` over a step */
static PetscErrorCode TestOrder(const char scheme[], PetscReal order, PetscReal stiff)
{
  PetscReal dt, error[3], rate;
  Medium    m = {.epsilon = 1.};
  char      of[128];
  DM        dm;
  PlexDG    dg;
  Vec       U, exact;

  PetscFunctionBegin;
  PetscCall(HalfBox(2, 4, &dm));
  PetscCall(Create(dm, 3, &m, "medium", "pec", &dg));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PlexDGDestroy(&dg));
  dt *= 0.5;
  m = (Medium){.epsilon  = 1.,
               .sigma    = 0.3 * stiff / dt,
               .ndebye   = 1,
               .ndrude   = 1,
               .nlorentz = 1,
               .debye    = {{0.7, dt / stiff}},
               .drude    = {{stiff / dt, 0.2 * stiff / dt}},
               .lorentz  = {{1., 1.5 * stiff / dt, 0.3 * stiff / dt}}};
  PetscCall(Create(dm, 3, &m, "medium", "pec", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &exact));
  for (int k = 3; k >= 0; --k) {
    const PetscInt finer = k < 3 ? 1 << k : 32;

    PetscCall(PlexDGProject(dg, 0., Fields, NULL, U));
    PetscCall(March(dg, k < 3 ? scheme : "ck45", dt / finer, 16 * finer, 0., U));
    if (k == 3) PetscCall(VecCopy(U, exact));
    PetscCall(VecAXPY(U, -1., exact));
    if (k < 3) PetscCall(VecNorm(U, NORM_2, &error[k]));
  }
  rate = PetscLog2Real(error[1] / error[2]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, frequencies times step %g", scheme, (double)stiff));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - order) < 0.35), of, "the scheme's order",
                             "errors %.3g, %.3g, %.3g, rate %.2f", (double)error[0], (double)error[1], (double)error[2],
                             (double)rate));
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Poles as stiff as they come: the state does not grow. The step is that of the medium without them where they do not
   oscillate, and else 1.7 over their frequency at most */

/* frequency: 0 where it does not oscillate */
static PetscErrorCode TestStiff(PetscInt dim, PetscInt N, const char scheme[], PetscReal alpha, const Medium *m,
                                PetscReal frequency)
{
  PetscReal before, after, dt[2], worst = 0.;
  char      of[128];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(HalfBox(dim, 2, &dm));
  for (int k = 0; k < 2; ++k) { /* without poles first: the step */
    const Medium without = {.epsilon = m->epsilon};
    PlexDG       dg;
    TS           ts;
    Vec          U;

    PetscCall(Create(dm, N, k ? m : &without, "medium", "pec", &dg));
    PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
    PetscCall(VecNorm(U, NORM_2, &before));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSGetTimeStep(ts, &dt[k]));
    PetscCall(TSDestroy(&ts));
    for (int part = 0; part < (k ? 4 : 0); ++part) {
      PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
      PetscCall(March(dg, scheme, 0., 50 << part, 0., U));
      PetscCall(VecNorm(U, NORM_2, &after));
      worst = PetscMax(worst, after / before);
    }
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s, alpha %g", m->name,
                          dim, N, scheme, (double)alpha));
  if (frequency > 0.) dt[0] = PetscMin(dt[0], 1.7 / frequency);
  PetscCall(PlexTestReportOf((PetscBool)(worst < 2. && PetscAbsReal(dt[1] / dt[0] - 1.) < 1e-6), of,
                             "stiff poles are stable with the step that they leave",
                             "norm %.3g times that of the beginning, step %g and not %g", (double)worst, (double)dt[1],
                             (double)dt[0]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  Medium    m;
  PetscReal frequency;
} stiff[] = {
  {{"tau 1e-6", 1., 0., 1, 0, 0, .debye = {{3., 1e-6}}},            0.  },
  {{"tau 0.003", 1., 0., 1, 0, 0, .debye = {{3., 3e-3}}},           0.  },
  {{"plasma 1e3", 1., 0., 0, 1, 0, .drude = {{1e3, 0.}}},           1e3 },
  {{"plasma 40, epsilon 4", 4., 0., 0, 1, 0, .drude = {{40., 0.}}}, 20. },
  {{"plasma, gamma", 1., 0., 0, 1, 0, .drude = {{100., 1e5}}},      0.  },
  {{"w0 100", 1., 0., 0, 0, 1, .lorentz = {{3., 100., 0.}}},        200.},
  {{"all of them, conducts", 1., 1e6, 1, 1, 1, .debye = {{2., 1e-3}}, .drude = {{30., 1e6}},
    .lorentz = {{2., 40., 0.}}},
   40.                                                                  }
};

/* ---- Reflection of a slab. A strip of triangles along x, whose long sides (pmc) do not see waves along it with E_z and
   H_y; a pulse that goes to the right, and what comes back at a point before the slab */

#define FREQUENCIES 20
#define CELL        0.125
#define LEFT        (-2.5)
#define CELLS       32  /* to x = 1.5 */
#define SLAB        0.5 /* [0, SLAB] */
#define CENTER      (-1.6)
#define WIDTH       0.15
#define PROBE       (-2.3125)

static PetscErrorCode Strip(DM *dm)
{
  PetscInt  cells[6 * CELLS], n, *facets, cStart, cEnd;
  PetscReal x[4 * (CELLS + 1)], at[3];
  DMLabel   ends, slab;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= CELLS; ++k)
    for (PetscInt j = 0; j < 2; ++j) {
      x[4 * k + 2 * j]     = LEFT + CELL * k;
      x[4 * k + 2 * j + 1] = CELL * j;
    }
  for (PetscInt k = 0; k < CELLS; ++k) {
    const PetscInt v = 2 * k, two[6] = {v, v + 2, v + 3, v, v + 3, v + 1};

    PetscCall(PetscArraycpy(&cells[6 * k], two, 6));
  }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_WORLD, 2, 2 * CELLS, 2 * (CELLS + 1), 3, PETSC_TRUE, cells, 2, x,
                                          dm));
  PetscCall(PlexTestGetLabel(*dm, "ends", &ends));
  PetscCall(PlexTestGetLabel(*dm, "slab", &slab));
  PetscCall(PlexTestGetBoundary(*dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, facets[k], NULL, at, NULL));
    if (at[0] < LEFT + 1e-6 || at[0] > LEFT + CELL * CELLS - 1e-6) PetscCall(DMLabelSetValue(ends, facets[k], 1));
  }
  PetscCall(PetscFree(facets));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscCall(DMPlexComputeCellGeometryFVM(*dm, c, NULL, at, NULL));
    if (at[0] > 0. && at[0] < SLAB) PetscCall(DMLabelSetValue(slab, c, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E_z = g(x - t), H_y = -E_z: to the right */
static PetscErrorCode Pulse(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  u[2] = PetscExpReal(-PetscSqr((x[0] - t - CENTER) / WIDTH));
  u[4] = -u[2];
  return PETSC_SUCCESS;
}

typedef struct {
  PlexDG       dg;
  PlexDGProbes probe;
  PetscReal    last; /* time of the last sample */
  Complex      sums[FREQUENCIES], value[FREQUENCIES];
  PetscReal    left; /* |E| at the end */
} Transform;

static PetscReal Frequency(PetscInt k)
{
  return 0.75 + 0.5 * k; /* to 10.25, where the pulse has 55 % of its spectrum */
}

/* The integral of (E - incident) exp(i w t) by the trapezoidal rule */
static PetscErrorCode Sample(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Transform      *f    = (Transform *)ctx;
  const PetscReal x[2] = {PROBE, CELL / 2.};
  PetscReal       u[6], v[6] = {0.};

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(f->probe, U, u));
  PetscCall(Pulse(2, t, x, 6, v, NULL));
  f->left = PetscAbsReal(u[2] - v[2]);
  for (PetscInt k = 0; k < FREQUENCIES; ++k) {
    const Complex now = (u[2] - v[2]) * cexp(I * Frequency(k) * t);

    if (step) f->sums[k] += 0.5 * (t - f->last) * (now + f->value[k]);
    f->value[k] = now;
  }
  f->last = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slab's reflection coefficient at its front, of E ~ exp(-i w t) */
static Complex Reflection(const Medium *m, PetscReal w)
{
  const Complex n = csqrt(MediumEpsilon(m, w)), r = (1. - n) / (1. + n), turn = cexp(2. * I * n * w * SLAB);

  return r * (1. - turn) / (1. - r * r * turn);
}

static PetscErrorCode TestSlab(const Medium *m)
{
  const PetscReal x[2]  = {PROBE, CELL / 2.};
  Transform       f     = {0};
  PetscReal       worst = 0., most = 0., least = PETSC_MAX_REAL, worstSize = 0.;
  DM              dm;
  TS              ts;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(Strip(&dm));
  PetscCall(Create(dm, 5, m, "slab", "pmc", &f.dg));
  PetscCall(PlexDGAddBoundary(f.dg, "ends", 1, "absorbing"));
  PetscCall(PlexDGCreateVec(f.dg, &U));
  PetscCall(PlexDGProject(f.dg, 0., Pulse, NULL, U));
  PetscCall(PlexDGProbesCreate(f.dg, 1, x, NULL, &f.probe));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(f.dg, ts));
  PetscCall(TSMonitorSet(ts, Sample, &f, NULL));
  PetscCall(TSSetMaxTime(ts, 24.));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  for (PetscInt k = 0; k < FREQUENCIES; ++k) {
    const PetscReal w        = Frequency(k),
                    spectrum = PetscSqrtReal(PETSC_PI) * WIDTH * PetscExpReal(-PetscSqr(w * WIDTH / 2.));
    const Complex   wave = spectrum * cexp(-I * w * CENTER) * cexp(-I * w * PROBE); /* of the pulse, reflected at 0 */
    const Complex   r = f.sums[k] / wave, exact = Reflection(m, w);

    worst     = PetscMax(worst, cabs(r - exact));
    worstSize = PetscMax(worstSize, PetscAbsReal(cabs(r) - cabs(exact)) / cabs(exact));
    most      = PetscMax(most, cabs(exact));
    least     = PetscMin(least, cabs(exact));
  }
  PetscCall(PlexTestReportOf((PetscBool)(worst < 0.01 && worst < 0.01 * most && worstSize < 0.01), m->name,
                             "a slab reflects at 20 frequencies what it has to",
                             "errors up to %.2g, of sizes %.2g, of |r| from %.3g to %.3g; field in the end %.1g",
                             (double)worst, (double)worstSize, (double)least, (double)most, (double)f.left));
  PetscCall(PlexDGProbesDestroy(&f.probe));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&f.dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Medium slabs[] = {
  {"drude", 1., 0., 0, 1, 0, .drude = {{5., 1.}}},
  {"lorentz", 1.5, 0., 0, 0, 1, .lorentz = {{2., 5., 1.}}},
  {"debye", 2., 0., 1, 0, 0, .debye = {{3., 0.2}}},
  {"all, conducts", 1.2, 0.3, 1, 1, 2, .debye = {{1., 0.1}}, .drude = {{3., 0.8}},
   .lorentz = {{0.5, 4., 0.8}, {1., 8., 2.}}}
};

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(media); ++k)
    for (PetscInt N = 1; N <= (PlexTestLong() ? 4 : 2); ++N) PetscCall(TestMode(2, N == 1 ? 8 : 4, N, &media[k]));
  PetscCall(TestMode(3, 2, 3, &media[4]));
  for (PetscReal rate = 0.1; rate < 2.; rate *= 4.) {
    PetscCall(TestOrder("ck45", 4., rate));
    PetscCall(TestOrder("williamson3", 3., rate));
    PetscCall(TestOrder("midpoint", 2., rate));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(stiff); ++k) {
    PetscCall(TestStiff(2, 1, "ck45", 1., &stiff[k].m, stiff[k].frequency));
    PetscCall(TestStiff(2, 4, "ck45", 1., &stiff[k].m, stiff[k].frequency));
    PetscCall(TestStiff(2, 4, "ck45", 0., &stiff[k].m, stiff[k].frequency));
    PetscCall(TestStiff(2, 2, "williamson3", 1., &stiff[k].m, stiff[k].frequency));
    PetscCall(TestStiff(3, 2, "ck45", 1., &stiff[k].m, stiff[k].frequency));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(slabs); ++k) PetscCall(TestSlab(&slabs[k]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
