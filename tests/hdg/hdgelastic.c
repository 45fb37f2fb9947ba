static char
  help[] = "Linear elasticity by hybridized DG: displacements of order P + 2 and stresses of order P + 1, in nearly\n\
incompressible media, too; linear displacements exact with all conditions, on curved cells and where moduli jump; kernels\n\
as the host; several processes as one.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  PetscReal lambda, mu;
  PetscBool linear; /* u, else it has sines */
  PetscReal ratio;  /* of mu for x < 1/2, and lambda; the others are 1: layers, with u linear in each. 0: no layers */
} Problem;

static PetscReal Sign(PetscInt d)
{
  return d & 1 ? -1. : 1.;
}

/* u, and its gradient g[d][e] = du_d/dx_e. Shear, and a part whose divergence is of the order of 1/lambda */
static void Evaluate(const Problem *p, PetscInt dim, const PetscReal x[], PetscScalar u[], PetscReal g[3][3])
{
  const PetscReal soft = x[0] < 0.5 ? 1. / p->ratio : 1.;

  for (PetscInt d = 0; d < dim; ++d) {
    const PetscInt  e = (d + 1) % dim;
    const PetscReal a = 2. * x[e] + 0.3 + d, b = 1.5 * x[d] + d;

    for (PetscInt k = 0; k < 3; ++k) g[d][k] = 0.;
    if (p->ratio != 0.) { /* the same traction in both */
      u[d]    = (d + 1.) * (x[0] - 0.5) * soft;
      g[d][0] = (d + 1.) * soft;
    } else if (p->linear) {
      u[d] = 0.1 * d;
      for (PetscInt k = 0; k < dim; ++k) {
        g[d][k] = 0.3 - 0.2 * k + 0.25 * d * k - 0.1 * d;
        u[d] += g[d][k] * x[k];
      }
    } else {
      u[d]    = Sign(d) * PetscSinReal(a) + PetscCosReal(b) / p->lambda;
      g[d][e] = Sign(d) * 2. * PetscCosReal(a);
      g[d][d] = -1.5 * PetscSinReal(b) / p->lambda;
    }
  }
}

static PetscErrorCode Displacement(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscReal g[3][3];

  PetscFunctionBegin;
  PetscCheck(n == dim, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " numbers of a displacement", n);
  Evaluate((Problem *)ctx, dim, x, u, g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Material(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal *lambda, PetscReal *mu,
                               void *ctx)
{
  const Problem *p = (Problem *)ctx;

  PetscFunctionBegin;
  *lambda = p->ratio != 0. && x[0] < 0.5 ? p->ratio : p->lambda;
  *mu     = p->ratio != 0. && x[0] < 0.5 ? p->ratio : p->mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stress(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar s[], void *ctx)
{
  PetscReal   g[3][3], lambda, mu, trace = 0.;
  PetscScalar u[3];
  PetscInt    ab = 0;

  PetscFunctionBegin;
  PetscCheck(n == dim * (dim + 1) / 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " numbers of a stress", n);
  Evaluate((Problem *)ctx, dim, x, u, g);
  PetscCall(Material(dim, x, 0, &lambda, &mu, ctx));
  for (PetscInt d = 0; d < dim; ++d) trace += g[d][d];
  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt b = a; b < dim; ++b) s[ab++] = mu * (g[a][b] + g[b][a]) + (a == b ? lambda * trace : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem *p = (Problem *)ctx;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d)
    f[d] = p->linear || p->ratio != 0. ? 0.
                                       : 4. * p->mu * Sign(d) * PetscSinReal(2. * x[(d + 1) % dim] + 0.3 + d) +
                                           2.25 * (p->lambda + 2. * p->mu) / p->lambda * PetscCosReal(1.5 * x[d] + d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Held(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                           void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Displacement(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The traction; with alpha u added where Robin's condition asks for alpha */
static PetscErrorCode Traction(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                               void *ctx)
{
  PetscScalar s[6], u[3];
  PetscReal   gradient[3][3], full[3][3];
  PetscInt    ab = 0;

  PetscFunctionBegin;
  PetscCall(Stress(dim, x, dim * (dim + 1) / 2, s, ctx));
  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt b = a; b < dim; ++b) full[a][b] = full[b][a] = PetscRealPart(s[ab++]);
  Evaluate((Problem *)ctx, dim, x, u, gradient);
  for (PetscInt a = 0; a < dim; ++a) {
    g[a] = 0.;
    for (PetscInt b = 0; b < dim; ++b) g[a] += full[a][b] * normal[b];
    if (n > dim) g[a] += 0.7 * u[a];
  }
  if (n > dim) g[dim] = 0.7;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Component 0 of the displacement, the traction of the others */
static PetscErrorCode Roller(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                             void *ctx)
{
  PetscReal   gradient[3][3];
  PetscScalar u[3];

  PetscFunctionBegin;
  PetscCall(Traction(dim, x, normal, n, g, ctx));
  Evaluate((Problem *)ctx, dim, x, u, gradient);
  g[0] = u[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  HELD,
  MIXED, /* all kinds, by "sides" */
  FREE   /* tractions alone */
} Conditions;

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, Conditions conditions, const char backend[], PlexHDG *hdg)
{
  const PetscInt x = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_ELASTICITY));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetLame(*hdg, p->lambda, p->mu));
  if (p->ratio != 0.) PetscCall(PlexHDGSetMaterial(*hdg, Material, p));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetSource(*hdg, Force, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, conditions == FREE ? PLEX_HDG_NEUMANN : PLEX_HDG_DIRICHLET,
                               conditions == FREE ? Traction : Held, p));
  if (conditions == MIXED) {
    PetscCall(PlexTestLabelUnitSides(dm));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 1, PLEX_HDG_NEUMANN, Traction, p));
    PetscCall(PlexHDGAddBoundaryComponents(*hdg, "sides", 2, 1, &x, Roller, p));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 3, PLEX_HDG_ROBIN, Traction, p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P, n; /* degree, cells a side of the coarser mesh */
  PetscReal      nu;   /* Poisson's ratio */
  Conditions     conditions;
  PetscReal      below; /* by how much rates may miss their order; they approach it from below */
} Rate;

static const Rate rates[] = {
  {"triangles",                             DM_POLYTOPE_TRIANGLE,      1, 8, 0.3,    MIXED, 0.4},
  {"triangles",                             DM_POLYTOPE_TRIANGLE,      2, 4, 0.3,    MIXED, 0.3},
  {"triangles",                             DM_POLYTOPE_TRIANGLE,      3, 4, 0.3,    HELD,  0.2},
  {"triangles, nearly incompressible",      DM_POLYTOPE_TRIANGLE,      1, 8, 0.4999, HELD,  0.4},
  {"triangles, nearly incompressible",      DM_POLYTOPE_TRIANGLE,      2, 4, 0.4999, MIXED, 0.3},
  {"quadrilaterals",                        DM_POLYTOPE_QUADRILATERAL, 1, 4, 0.3,    MIXED, 0.2},
  {"quadrilaterals, nearly incompressible", DM_POLYTOPE_QUADRILATERAL, 2, 4, 0.4999, HELD,  0.2},
  {"tetrahedra",                            DM_POLYTOPE_TETRAHEDRON,   1, 2, 0.3,    MIXED, 0.6},
  {"tetrahedra, nearly incompressible",     DM_POLYTOPE_TETRAHEDRON,   2, 1, 0.4999, HELD,  0.4},
  {"tetrahedra",                            DM_POLYTOPE_TETRAHEDRON,   3, 1, 0.3,    HELD,  0.4},
  {"hexahedra",                             DM_POLYTOPE_HEXAHEDRON,    1, 2, 0.3,    MIXED, 0.3}
};

static PetscErrorCode TestRate(const Rate *r)
{
  Problem   p = {.lambda = 2. * r->nu / (1. - 2. * r->nu), .mu = 1.};
  PetscReal error[2][3], jump[2];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, r->name, r->P));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, r->cell, r->n << k, &dm));
    PetscCall(Create(dm, r->P, &p, r->conditions, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGComputeL2Error(hdg, Displacement, Stress, &p, error[k]));
    PetscCall(PlexHDGComputeFluxJump(hdg, &jump[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 2; ++k) {
    const PetscReal rate = PetscLog2Real(error[0][k] / error[1][k]), order = r->P + 2 - k;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: errors %.3g, %.3g, rate %.2f\n", of, k ? "stress" : "u",
                          (double)error[0][k], (double)error[1][k], (double)rate));
    PetscCall(PlexTestReportOf((PetscBool)(rate > order - r->below && rate < order + 0.5 && error[1][k] < 0.2), of,
                               k ? "the stress falls as h^(P+1)" : "u falls as h^(P+2)", "errors %g, %g, rate %g",
                               (double)error[0][k], (double)error[1][k], (double)rate));
  }
  PetscCall(PlexTestReportOf((PetscBool)(jump[1] < 1e-6), of, "tractions do not jump", "%g", (double)jump[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves what is exact; curved: coordinates of degree 2, which u = x is in for P >= 2 */
static PetscErrorCode TestExact(const char name[], DMPolytopeType cell, PetscInt P, PetscBool curved, Problem *p,
                                Conditions conditions)
{
  const PetscReal most = p->ratio != 0. ? 1e-7 : 1e-9; /* jumps of 1e6 cost digits of a residual of 1e-13 */
  PetscReal       error[3];
  PlexHDG         hdg;
  KSP             ksp;
  DM              dm;

  PetscFunctionBegin;
  if (p->ratio != 0.) PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, cell, 4, &dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, cell, 0, &dm));
  PetscCall(PlexTestLabelUnitSides(dm));
  if (curved) PetscCall(PlexTestBend(dm));
  PetscCall(Create(dm, P, p, conditions, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGComputeMaxError(hdg, Displacement, Stress, p, error));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < most && (conditions == FREE || error[0] < most)), name,
                             "a linear displacement is exact", "errors %g, stress %g", (double)error[0],
                             (double)error[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestExactAll(void)
{
  Problem linear = {.lambda = 1.3, .mu = 0.8, .linear = PETSC_TRUE}, layers = {.lambda = 1., .mu = 1., .ratio = 1e6};

  PetscFunctionBegin;
  PetscCall(TestExact("irregular triangles, all conditions", DM_POLYTOPE_TRIANGLE, 1, PETSC_FALSE, &linear, MIXED));
  PetscCall(TestExact("curved triangles, all conditions", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, &linear, MIXED));
  PetscCall(TestExact("irregular quadrilaterals, all conditions", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_FALSE, &linear,
                      MIXED));
  PetscCall(TestExact("tetrahedra, all conditions", DM_POLYTOPE_TETRAHEDRON, 1, PETSC_FALSE, &linear, MIXED));
  PetscCall(TestExact("hexahedra, tractions alone", DM_POLYTOPE_HEXAHEDRON, 1, PETSC_FALSE, &linear, FREE));
  PetscCall(TestExact("triangles, tractions alone", DM_POLYTOPE_TRIANGLE, 2, PETSC_FALSE, &linear, FREE));
  PetscCall(TestExact("moduli that jump by 1e6", DM_POLYTOPE_TRIANGLE, 1, PETSC_FALSE, &layers, MIXED));
  layers.ratio = 1e-6;
  PetscCall(TestExact("moduli that jump by 1e-6", DM_POLYTOPE_QUADRILATERAL, 2, PETSC_FALSE, &layers, HELD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another material and another source cost no new set-up, and are right; the second is solved with directly */
static PetscErrorCode TestUpdate(void)
{
  Problem   p = {.lambda = 1., .mu = 1.}, other = {.lambda = 70., .mu = 2.};
  PetscReal error[2][3];
  PlexHDG   hdg;
  KSP       ksp;
  Mat       A[2];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 4, &dm));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(dm, 2, k ? &other : &p, MIXED, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGAssemble(hdg, &A[0]));
    if (!k) { /* the first becomes the second */
      p = other;
      PetscCall(PlexHDGSetLame(hdg, p.lambda, p.mu));
      PetscCall(PlexHDGUpdate(hdg));
      PetscCall(PlexHDGSolve(hdg));
      PetscCall(PlexHDGAssemble(hdg, &A[1]));
      PetscCall(PlexTestReportOf((PetscBool)(A[0] == A[1]), "another material", "without another set-up",
                                 "K is another matrix"));
    }
    PetscCall(PlexHDGComputeL2Error(hdg, Displacement, Stress, &other, error[k]));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[0][0] - error[1][0]) < 1e-10 * error[1][0] &&
                                         PetscAbsReal(error[0][1] - error[1][1]) < 1e-10 * error[1][1]),
                             "another material", "as if it had been set first", "errors %g, %g", (double)error[0][0],
                             (double)error[1][0]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      curved, keep;
} Kernels;

/* K, and of it a right-hand side and local problems of a given trace: no solver stands between */
static PetscErrorCode TestKernels(const char backend[], const Kernels *c)
{
  Problem     p = {.lambda = 3., .mu = 0.7};
  PlexHDG     hdg[2];
  Vec         rhs[2], trace[2], u[2], q[2];
  Mat         A[2], B;
  PetscReal   error[3], norm[2];
  PetscRandom random;
  DM          dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(PlexTestLabelUnitSides(dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(dm, c->P, &p, MIXED, k ? backend : PLEXBACKENDHOST, &hdg[k]));
    PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_keep", PetscBools[c->keep]));
    PetscCall(PlexHDGAssemble(hdg[k], &A[k]));
    PetscCall(PlexHDGCreateVecs(hdg[k], &trace[k], &u[k], &q[k], NULL));
    PetscCall(VecDuplicate(trace[k], &rhs[k]));
    PetscCall(PlexHDGComputeRHS(hdg[k], rhs[k]));
    if (k) PetscCall(VecCopy(trace[0], trace[1]));
    else PetscCall(VecSetRandom(trace[0], random));
    PetscCall(PlexHDGRecover(hdg[k], trace[k], u[k], q[k]));
  }
  PetscCall(MatDuplicate(A[0], MAT_COPY_VALUES, &B));
  PetscCall(MatNorm(B, NORM_INFINITY, &norm[0]));
  PetscCall(MatAXPY(B, -1., A[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_INFINITY, &norm[1]));
  PetscCall(PlexTestDifference(rhs[0], rhs[1], &error[0]));
  PetscCall(PlexTestDifference(u[0], u[1], &error[1]));
  PetscCall(PlexTestDifference(q[0], q[1], &error[2]));
  PetscCall(PlexTestReportOf((PetscBool)(norm[1] < 1e-12 * norm[0] && error[0] < 1e-12 && error[1] < 1e-12 &&
                                         error[2] < 1e-12),
                             backend, c->name, "K %g, right-hand side %g, u %g, stress %g", (double)(norm[1] / norm[0]),
                             (double)error[0], (double)error[1], (double)error[2]));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&rhs[k]));
    PetscCall(VecDestroy(&trace[k]));
    PetscCall(VecDestroy(&u[k]));
    PetscCall(VecDestroy(&q[k]));
    PetscCall(PlexHDGDestroy(&hdg[k]));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestEachKernel(const char backend[])
{
  static const Kernels cases[] = {
    {"triangles as the host",             DM_POLYTOPE_TRIANGLE,      2, PETSC_FALSE, PETSC_TRUE },
    {"curved quadrilaterals as the host", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_TRUE,  PETSC_FALSE},
    {"tetrahedra as the host",            DM_POLYTOPE_TETRAHEDRON,   1, PETSC_FALSE, PETSC_TRUE }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestKernels(backend, &cases[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes, and each one alone */
static PetscErrorCode TestParallel(const char name[], DMPolytopeType cell, PetscInt P, Conditions conditions)
{
  Problem   p = {.lambda = 2., .mu = 1.};
  PetscReal error[2][3], norm[2], size[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    Vec     q;
    Mat     A;
    DM      dm;

    PetscCall(PlexTestMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, cell, 0, &dm));
    if (!k) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(Create(dm, P, &p, conditions, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGComputeL2Error(hdg, Displacement, Stress, &p, error[k]));
    PetscCall(PlexHDGGetSolution(hdg, NULL, NULL, &q, NULL));
    PetscCall(VecNorm(q, NORM_2, &size[k]));
    PetscCall(PlexHDGAssemble(hdg, &A));
    PetscCall(MatNorm(A, NORM_FROBENIUS, &norm[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(norm[0] - norm[1]) < 1e-13 * norm[1]), name,
                             "K as on one process", "norms %.17g, %.17g", (double)norm[0], (double)norm[1]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[0][1] - error[1][1]) < 1e-12 * size[1] &&
                                         PetscAbsReal(size[0] - size[1]) < 1e-12 * size[1] &&
                                         (conditions == FREE || PetscAbsReal(error[0][0] - error[1][0]) < 1e-12)),
                             name, "u and the stress as on one process", "errors %.17g, %.17g, stress %.17g, %.17g",
                             (double)error[0][0], (double)error[1][0], (double)error[0][1], (double)error[1][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpWrong(void *ctx)
{
  const PetscReal *lame = (const PetscReal *)ctx;
  Problem          p    = {.lambda = lame[0], .mu = lame[1]};
  PlexHDG          hdg;
  DM               dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 1, &dm));
  PetscCall(Create(dm, 1, &p, HELD, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexHDGSetUp(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  WRONG_COMPONENT,
  WRONG_ALL,
  WRONG_SYSTEM,
  WRONG_VELOCITY,
  WRONG_STATE,
  WRONG_FREE
} Wrong;

static PetscErrorCode UseWrong(void *ctx)
{
  const PetscInt components[] = {0, 2};
  Problem        p            = {.lambda = 1., .mu = 1.};
  PlexHDG        hdg;
  Vec            X;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 2, &dm));
  if (*(Wrong *)ctx == WRONG_FREE) PetscCall(PlexTestBend(dm));
  PetscCall(Create(dm, 1, &p, *(Wrong *)ctx == WRONG_FREE ? FREE : HELD, PLEXBACKENDHOST, &hdg));
  switch (*(Wrong *)ctx) {
  case WRONG_COMPONENT:
    PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 1, &components[1], NULL, NULL));
    break;
  case WRONG_ALL:
    PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 2, components, NULL, NULL));
    break;
  case WRONG_SYSTEM:
    PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 1, components, NULL, NULL));
    PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_DIFFUSION));
    PetscCall(PlexHDGSetUp(hdg));
    break;
  case WRONG_VELOCITY:
    PetscCall(PlexHDGSetVelocity(hdg, 2, (const PetscReal[]){1., 0.}));
    PetscCall(PlexHDGSetUp(hdg));
    break;
  case WRONG_STATE:
    PetscCall(PlexHDGCreateStateVec(hdg, &X));
    break;
  case WRONG_FREE:
    PetscCall(PlexHDGSetUp(hdg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  PetscReal lame[][2] = {
    {1.,  0. },
    {-2., 1. },
    {1.,  1e9}
  };
  Wrong wrong[] = {WRONG_COMPONENT, WRONG_ALL, WRONG_SYSTEM, WRONG_VELOCITY, WRONG_STATE, WRONG_FREE};

  PetscFunctionBegin;
  EXPECT("mu = 0", SetUpWrong, lame[0], "mu of cell", "has to be positive", "-plex_hdg_lame");
  EXPECT("lambda too small", SetUpWrong, lame[1], "lambda of cell", "lambda + 2 mu/2", "PlexHDGSetMaterial()");
  lame[2][0] = 1e18;
  EXPECT("lambda too large", SetUpWrong, lame[2], "lambda of cell", "1e+09 times mu", "at most 1e8 mu");
  EXPECT("component 2 in 2D", UseWrong, &wrong[0], "Component 2 of the displacement", "0 to 1");
  EXPECT("all components", UseWrong, &wrong[1], "2 components", "PLEX_HDG_DIRICHLET");
  EXPECT("components of diffusion", UseWrong, &wrong[2], "PlexHDGAddBoundaryComponents()",
         "systems elasticity, stokes and navierstokes", "-plex_hdg_system");
  EXPECT("convection", UseWrong, &wrong[3], "Convection is for the system diffusion", "-plex_hdg_system");
  EXPECT("a state", UseWrong, &wrong[4], "A state, for SNES or TS, is for the system diffusion");
  EXPECT("tractions alone on curved cells", UseWrong, &wrong[5], "held by no condition", "a higher -plex_hdg_degree");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestMessages());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k) PetscCall(TestRate(&rates[k]));
  PetscCall(TestExactAll());
  PetscCall(TestUpdate());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    PetscCall(TestParallel("triangles, all conditions", DM_POLYTOPE_TRIANGLE, 2, MIXED));
    PetscCall(TestParallel("tetrahedra, all conditions", DM_POLYTOPE_TETRAHEDRON, 1, MIXED));
    PetscCall(TestParallel("quadrilaterals, tractions alone", DM_POLYTOPE_QUADRILATERAL, 1, FREE));
  } else PetscCall(PlexTestEachBackend(TestEachKernel, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
