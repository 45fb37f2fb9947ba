static char help[] = "Hybridized DG: the default stabilization. Where kappa jumps by orders of magnitude, and in any "
                     "units, errors are near those of the best tau, rates are those of the method, iterations few.\n\n"
                     "  -shard <k>/<n>  every n-th case from the k-th\n"
                     "  -table          instead: jumps of kappa by 1e-6 to 1e6, all cells, P = 1 to 6, as a table\n\n";

#include "hdgproblem.h"
#include "report.h"

/* u = a/kappa + b where kappa is k[0] left of the middle, k[1] right of it; the flux of a does not jump, as a is 0
   there and its flux is that of kappa u; b has no flux through the middle. layer: u is a sum of exp(-sqrt(lambda/kappa)
   x_d) instead */
typedef struct {
  PetscReal k[2], lambda, middle;
  PetscReal wave; /* number, over the size of the domain: 2 middle */
  PetscBool layer;
} Problem;

static PetscReal Kappa(const Problem *p, const PetscReal x[])
{
  return p->k[x[0] < p->middle ? 0 : 1];
}

/* a and b, their gradients, and the Laplacian of both over the function itself */
static PetscReal Parts(const Problem *p, PetscInt dim, const PetscReal x[], PetscReal value[2],
                       PetscReal gradient[2][3])
{
  const PetscReal w = p->wave / (2. * p->middle), X = w * (x[0] - p->middle), Y = w * x[1] + 0.3,
                  Z = dim > 2 ? 0.7 * w * x[2] : 0.;

  value[0]       = PetscSinReal(X) * PetscSinReal(Y) * PetscCosReal(Z);
  gradient[0][0] = w * PetscCosReal(X) * PetscSinReal(Y) * PetscCosReal(Z);
  gradient[0][1] = w * PetscSinReal(X) * PetscCosReal(Y) * PetscCosReal(Z);
  gradient[0][2] = -0.7 * w * PetscSinReal(X) * PetscSinReal(Y) * PetscSinReal(Z);
  value[1]       = PetscCosReal(X) * PetscCosReal(Y) * PetscCosReal(Z);
  gradient[1][0] = -w * PetscSinReal(X) * PetscCosReal(Y) * PetscCosReal(Z);
  gradient[1][1] = -w * PetscCosReal(X) * PetscSinReal(Y) * PetscCosReal(Z);
  gradient[1][2] = -0.7 * w * PetscCosReal(X) * PetscCosReal(Y) * PetscSinReal(Z);
  return -w * w * (dim > 2 ? 2.49 : 2.);
}

static PetscErrorCode U(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const Problem *p = (Problem *)ctx;
  PetscReal      value[2], gradient[2][3];

  PetscFunctionBegin;
  (void)Parts(p, dim, x, value, gradient);
  u[0] = value[0] / Kappa(p, x) + value[1];
  if (p->layer) u[0] = 0.;
  for (PetscInt d = 0; p->layer && d < dim; ++d) u[0] += PetscExpReal(-PetscSqrtReal(p->lambda / Kappa(p, x)) * x[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Q(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const Problem  *p     = (Problem *)ctx;
  const PetscReal kappa = Kappa(p, x), root = PetscSqrtReal(p->lambda / kappa);
  PetscReal       value[2], gradient[2][3];

  PetscFunctionBegin;
  (void)Parts(p, dim, x, value, gradient);
  for (PetscInt d = 0; d < dim; ++d)
    q[d] = p->layer ? -kappa * root * PetscExpReal(-root * x[d]) : gradient[0][d] + kappa * gradient[1][d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem  *p     = (Problem *)ctx;
  const PetscReal kappa = Kappa(p, x);
  PetscReal       value[2], gradient[2][3], laplacian;

  PetscFunctionBegin;
  laplacian = Parts(p, dim, x, value, gradient);
  f[0]      = p->layer ? 0. : -laplacian * (value[0] + kappa * value[1]) + p->lambda * (value[0] / kappa + value[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(U(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = Kappa((Problem *)ctx, x);
  *lambda = ((Problem *)ctx)->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A square or cube of side 2 middle, n cells a side or pairs or sixes of simplices */
static PetscErrorCode MakeMesh(const Problem *p, DMPolytopeType cell, PetscInt n, DM *dm)
{
  const PetscInt  dim = DMPolytopeTypeGetDim(cell), cells[3] = {n, n, n};
  const PetscBool simplex = (PetscBool)(cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON);
  Vec             x;

  PetscFunctionBegin;
  if (simplex) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, cells, NULL, NULL, NULL, PETSC_TRUE, 0,
                                  PETSC_FALSE, dm));
  PetscCall(DMGetCoordinates(*dm, &x));
  PetscCall(VecScale(x, 2. * p->middle));
  PetscCall(DMSetCoordinates(*dm, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* factor 0: nothing is said of tau */
static PetscErrorCode Solve(DM dm, Problem *p, PetscInt degree, const char backend[], PetscReal factor,
                            PetscReal error[], PetscInt *its)
{
  PlexHDG hdg;
  KSP     ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetCoefficients(hdg, Coefficients, p));
  PetscCall(PlexHDGSetSource(hdg, Source, p));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, p));
  if (factor > 0.) PetscCall(PlexHDGSetTauFactor(hdg, factor));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(PlexHDGComputeL2Error(hdg, U, Q, p, error));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DMPolytopeType cell;
  PetscInt       P, n; /* cells a side of the coarser mesh */
} Mesh;

static const Mesh meshes[] = {
  {DM_POLYTOPE_TRIANGLE,      1, 8},
  {DM_POLYTOPE_TRIANGLE,      2, 8},
  {DM_POLYTOPE_TRIANGLE,      3, 4},
  {DM_POLYTOPE_TRIANGLE,      4, 4},
  {DM_POLYTOPE_QUADRILATERAL, 1, 8},
  {DM_POLYTOPE_QUADRILATERAL, 2, 8},
  {DM_POLYTOPE_QUADRILATERAL, 3, 4},
  {DM_POLYTOPE_QUADRILATERAL, 4, 4},
  {DM_POLYTOPE_TETRAHEDRON,   1, 4},
  {DM_POLYTOPE_TETRAHEDRON,   2, 2},
  {DM_POLYTOPE_TETRAHEDRON,   3, 2},
  {DM_POLYTOPE_HEXAHEDRON,    1, 4},
  {DM_POLYTOPE_HEXAHEDRON,    2, 2},
  {DM_POLYTOPE_HEXAHEDRON,    3, 2}
};

/* Without a word on tau: errors of u, q, u* on a mesh and on the finer one, there beside the least with any of n multiples
   of that tau, and iterations */
typedef struct {
  PetscReal error[2][3], best[3], rate[3];
  PetscInt  its[2];
} Errors;

static PetscErrorCode Measure(const char backend[], Problem p, const Mesh *m, size_t n, const PetscReal factors[],
                              Errors *r)
{
  PetscReal other[3];
  PetscInt  ignored;
  DM        dm;

  PetscFunctionBegin;
  if (DMPolytopeTypeGetDim(m->cell) == 3) p.wave *= 0.5; /* as coarse as these meshes are */
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MakeMesh(&p, m->cell, m->n << k, &dm));
    PetscCall(Solve(dm, &p, m->P, backend, 0., r->error[k], &r->its[k]));
    if (!k) PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscArraycpy(r->best, r->error[1], 3));
  for (size_t f = 0; f < n; ++f) {
    PetscCall(Solve(dm, &p, m->P, backend, factors[f], other, &ignored));
    for (int k = 0; k < 3; ++k) r->best[k] = PetscMin(r->best[k], other[k]);
  }
  PetscCall(DMDestroy(&dm));
  for (int k = 0; k < 3; ++k) r->rate[k] = PetscLog2Real(r->error[0][k] / r->error[1][k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most: of u, q, u* over the least */
static PetscErrorCode TestCase(const char backend[], const char name[], Problem p, const Mesh *m, PetscBool rates,
                               const PetscReal most[])
{
  static const PetscReal factors[] = {1. / 64., 1. / 8., 8., 64.};
  const PetscInt         P         = m->P;
  Errors                 r;
  char                   of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %ss of degree %" PetscInt_FMT, backend, name,
                          DMPolytopeTypes[m->cell], P));
  PetscCall(Measure(backend, p, m, PETSC_STATIC_ARRAY_LENGTH(factors), factors, &r));
  PetscCall(PlexTestReportOf((PetscBool)(r.error[1][0] <= most[0] * r.best[0] && r.error[1][1] <= most[1] * r.best[1] &&
                                         r.error[1][2] <= most[2] * r.best[2]),
                             of, "errors are near those of the best tau", "u, q, u*: %g, %g, %g times the least",
                             (double)(r.error[1][0] / r.best[0]), (double)(r.error[1][1] / r.best[1]),
                             (double)(r.error[1][2] / r.best[2])));
  if (rates)
    PetscCall(PlexTestReportOf((PetscBool)(r.rate[0] > P + 0.7 && r.rate[1] > P + 0.7 && r.rate[2] > P + 1.7), of,
                               "rates P + 1, P + 1, P + 2", "%.2f, %.2f, %.2f", (double)r.rate[0], (double)r.rate[1],
                               (double)r.rate[2]));
  PetscCall(PlexTestReportOf((PetscBool)(r.its[1] <= 36 && r.its[1] <= r.its[0] + 8), of, "iterations are few and flat",
                             "%" PetscInt_FMT ", %" PetscInt_FMT, r.its[0], r.its[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -table: a row a cell and a jump, the worst of P = 1 to 6 */
static PetscErrorCode PrintTable(void)
{
  static const PetscReal      jumps[]   = {1e-6, 1e-3, 1., 1e3, 1e6};
  static const PetscReal      factors[] = {1. / 64., 1. / 16., 1. / 4., 1. / 2., 2., 4., 16., 64.};
  static const DMPolytopeType cells[]   = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                           DM_POLYTOPE_HEXAHEDRON};

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "| cells, jump of kappa | u, P = 1 | 2 | 3 | 4 | 5 | 6 | q, at most | u* | "
                        "rate of u, least | of q | of u* | iterations, most |\n|---%s|\n",
                        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:"));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cells); ++c) {
    const PetscInt dim = DMPolytopeTypeGetDim(cells[c]);

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(jumps); ++k) {
      const Problem p = {
        {1., jumps[k]},
        0., 0.5, 4., PETSC_FALSE
      };
      PetscReal most[3] = {0., 0., 0.}, rate[3] = {100., 100., 100.};
      PetscInt  its = 0;

      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %ss, %g", DMPolytopeTypes[cells[c]], (double)jumps[k]));
      for (PetscInt P = 1; P <= 6; ++P) {
        const Mesh m = {cells[c], P, dim == 2 ? (P < 3 ? 8 : P < 5 ? 4 : 2) : (P < 2 ? 4 : 2)};
        Errors     r;

        PetscCall(Measure(PLEXBACKENDHOST, p, &m, PETSC_STATIC_ARRAY_LENGTH(factors), factors, &r));
        for (int i = 0; i < 3; ++i) {
          most[i] = PetscMax(most[i], r.error[1][i] / r.best[i]);
          rate[i] = PetscMin(rate[i], r.rate[i] - P);
        }
        its = PetscMax(its, r.its[1]);
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.2f", (double)(r.error[1][0] / r.best[0])));
      }
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.1f | %.1f | P + %.2f | P + %.2f | P + %.2f | %" PetscInt_FMT " |\n",
                            (double)most[1], (double)most[2], (double)rate[0], (double)rate[1], (double)rate[2], its));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa that jumps, lambda, layers */
static PetscErrorCode TestCases(const char backend[])
{
  static const struct {
    const char *name;
    Problem     p;
    PetscBool   rates;
    PetscReal   most[3];
  } problems[] = {
    {"kappa 1",               {{1., 1.}, 0., 0.5, 4., PETSC_FALSE},     PETSC_TRUE,  {1.5, 3., 4.} },
    {"kappa jumps by 1e3",    {{1., 1e3}, 0., 0.5, 4., PETSC_FALSE},    PETSC_TRUE,  {1.5, 3., 4.} },
    {"kappa jumps by 1e6",    {{1., 1e6}, 0., 0.5, 4., PETSC_FALSE},    PETSC_TRUE,  {1.5, 3., 4.} },
    {"kappa jumps by 1e-3",   {{1., 1e-3}, 0., 0.5, 4., PETSC_FALSE},   PETSC_TRUE,  {1.5, 3., 4.} },
    {"lambda 10",             {{1., 1.}, 10., 0.5, 4., PETSC_FALSE},    PETSC_TRUE,  {1.5, 3., 4.} },
    /* elements are far from resolving layers, and rates of q and u* come later */
    {"lambda 1e4",            {{1., 1.}, 1e4, 0.5, 4., PETSC_FALSE},    PETSC_FALSE, {1.5, 3., 4.} },
    {"kappa 1e-6",            {{1e-6, 1e-6}, 1., 0.5, 4., PETSC_FALSE}, PETSC_FALSE, {1.5, 3., 4.} },
    {"layers of length 1/30", {{1., 1.}, 900., 0.5, 4., PETSC_TRUE},    PETSC_FALSE, {3.5, 1.5, 2.}}
  };
  PetscBool emulate;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDEMULATE, &emulate));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k) {
    for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(meshes); ++m) {
      /* all of them where kappa jumps by 1e6 */
      if (k != 2 && (meshes[m].P == 3 || (DMPolytopeTypeGetDim(meshes[m].cell) == 3 && k % 2))) continue;
      if (emulate && (k != 1 || meshes[m].P != 1 || DMPolytopeTypeGetDim(meshes[m].cell) == 3)) continue;
      if (problems[k].p.layer && DMPolytopeTypeGetDim(meshes[m].cell) == 3) continue; /* which takes finer meshes */
      if (PlexTestWanted())
        PetscCall(TestCase(backend, problems[k].name, problems[k].p, &meshes[m], problems[k].rates, problems[k].most));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Metres or kilometres, kappa in any unit: the same error. u is a number, b alone where kappa is large */
static PetscErrorCode TestUnits(const char backend[], DMPolytopeType cell)
{
  static const PetscReal length[] = {1., 1e3, 1e-2}, kappa[] = {1., 1e-4, 1e5};
  PetscReal              error[3][3], change                 = 0.;
  PetscInt               its;
  char                   of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %ss", backend, DMPolytopeTypes[cell]));
  for (int k = 0; k < 3; ++k) {
    Problem p = {
      {kappa[k], kappa[k]},
      30. * kappa[k] / PetscSqr(length[k]), 0.5 * length[k], 4., PETSC_TRUE
    };
    DM dm;

    PetscCall(MakeMesh(&p, cell, 4, &dm));
    PetscCall(Solve(dm, &p, 2, backend, 0., error[k], &its));
    PetscCall(DMDestroy(&dm));
    for (int c = 0; c < 3; c += 2) { /* of u and u*: L2 is u times length^(dim/2) */
      error[k][c] /= PetscPowReal(length[k], 0.5 * DMPolytopeTypeGetDim(cell));
      change = PetscMax(change, PetscAbsReal(error[k][c] / error[0][c] - 1.));
    }
  }
  PetscCall(PlexTestReportOf((PetscBool)(change < 1e-5), of, "errors do not depend on units",
                             "u: %g, %g, %g, relative change %g", (double)error[0][0], (double)error[1][0],
                             (double)error[2][0], (double)change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa = 1e-3 + u^2 where u is about 2: that of u = 0 says nothing of it. q = kappa grad u = grad (1e-3 u + u^3/3) */
static PetscErrorCode NonlinearKappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[],
                                     PetscReal slope[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = 1e-3 + u * u;
    slope[d * (dim + 1)] = 2. * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NonlinearU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 2. + PetscSinReal(3. * x[0]) * PetscCosReal(2. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Two(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 2.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NonlinearKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                     PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(NonlinearU(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NonlinearSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const PetscReal s = PetscSinReal(3. * x[0]), c = PetscCosReal(3. * x[0]), S = PetscSinReal(2. * x[1]),
                  C = PetscCosReal(2. * x[1]), u = 2. + s * C;

  PetscFunctionBegin;
  f[0] = (1e-3 + u * u) * 13. * s * C - 2. * u * (9. * c * c * C * C + 4. * s * s * S * S);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau 0: the default */
static PetscErrorCode SolveNonlinear(const char backend[], PetscReal tau, PetscReal error[], PetscInt *its)
{
  PlexHDG hdg;
  DM      dm;
  SNES    snes;
  Vec     X;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 4, PETSC_FALSE, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, 2));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetPointwise(hdg, NonlinearKappa, PETSC_TRUE, NULL));
  PetscCall(PlexHDGSetSource(hdg, NonlinearSource, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NonlinearKnown, NULL));
  if (tau > 0.) PetscCall(PlexHDGSetTau(hdg, tau));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-10, 1e-10, PETSC_CURRENT, 30, PETSC_CURRENT));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, Two, NULL, X));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(SNESGetIterationNumber(snes, its));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGComputeL2Error(hdg, NonlinearU, NULL, NULL, error));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNonlinear(const char backend[])
{
  PetscReal error[2][3];
  PetscInt  its[2];

  PetscFunctionBegin;
  PetscCall(SolveNonlinear(backend, 0., error[0], &its[0]));
  PetscCall(SolveNonlinear(backend, 24., error[1], &its[1])); /* 6 kappa where u is 2 */
  PetscCall(PlexTestReportOf((PetscBool)(error[0][0] < 1.5 * error[1][0] && error[0][2] < 2. * error[1][2]), backend,
                             "tau follows kappa(u)", "u %g, and with a good tau %g; u* %g, %g", (double)error[0][0],
                             (double)error[1][0], (double)error[0][2], (double)error[1][2]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0] <= its[1] + 2), backend, "in as many steps of Newton's method",
                             "%" PetscInt_FMT ", %" PetscInt_FMT, its[0], its[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const char backend[])
{
  PetscFunctionBegin;
  PetscCall(TestCases(backend));
  if (PlexTestWanted()) PetscCall(TestUnits(backend, DM_POLYTOPE_TRIANGLE));
  if (PlexTestWanted()) PetscCall(TestUnits(backend, DM_POLYTOPE_HEXAHEDRON));
  if (PlexTestWanted()) PetscCall(TestNonlinear(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(Test(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool table = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-table", &table, NULL));
  if (table) PetscCall(PrintTable());
  else PetscCall(PlexTestEachBackend(Test, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
