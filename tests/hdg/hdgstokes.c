static char help[] =
  "Stokes's equations by hybridized DG: velocities of order P + 2, gradients and pressures of order P + 1; linear\n\
velocities exact with all conditions, on curved cells and where the viscosity jumps; iterations that do not grow as cells\n\
get smaller; kernels as the host; several processes as one.\n\n";

#include "hdgflow.h"
#include "hdgproblem.h"
#include "report.h"

typedef struct {
  PlexTestFlow flow; /* by AtPoint() */
  PetscReal    mu;
  PetscBool    linear; /* u and p, else they have sines and cosines */
  PetscReal    ratio;  /* of the viscosity for x < 1/2, that of the others is 1: layers. 0: none */
} Problem;

/* u, g[d][e] = du_d/dx_e, whose trace is zero, and p; *fp: the pressure's derivatives */
static void Evaluate(const Problem *p, PetscInt dim, const PetscReal x[], PetscReal u[], PetscReal g[3][3],
                     PetscReal *pressure, PetscReal fp[3])
{
  const PetscReal soft = p->ratio != 0. && x[0] < 0.5 ? 1. / p->ratio : 1.;

  *pressure = p->linear || p->ratio != 0. ? 0.4 + 0.6 * x[0] - 0.3 * x[1] : PetscSinReal(2. * x[0]) + x[1] * x[1];
  fp[0]     = p->linear || p->ratio != 0. ? 0.6 : 2. * PetscCosReal(2. * x[0]);
  fp[1]     = p->linear || p->ratio != 0. ? -0.3 : 2. * x[1];
  fp[2]     = 0.;
  for (PetscInt d = 0; d < dim; ++d) {
    const PetscInt  e = (d + 1) % dim;
    const PetscReal a = 2. * x[e] + 0.3 + d;

    for (PetscInt k = 0; k < 3; ++k) g[d][k] = 0.;
    if (p->ratio != 0.) { /* shear, with the same stress in both layers */
      u[d]    = d ? (x[0] - 0.5) * soft : 0.;
      g[d][0] = d ? soft : 0.;
    } else if (p->linear) {
      u[d] = 0.1 * d;
      for (PetscInt k = 0; k < dim; ++k) {
        g[d][k] = d != k ? 0.3 - 0.2 * k + 0.25 * d * k - 0.1 * d : d == dim - 1 ? 0.2 * (1. - dim) : 0.2;
        u[d] += g[d][k] * x[k];
      }
    } else {
      u[d]    = PetscSinReal(a);
      g[d][e] = 2. * PetscCosReal(a);
    }
  }
}

static PetscReal ViscosityAt(const Problem *p, const PetscReal x[])
{
  return p->ratio != 0. ? (x[0] < 0.5 ? p->ratio : 1.) : p->mu;
}

static void AtPoint(const PlexTestFlow *flow, PetscInt dim, const PetscReal x[], PetscReal u[3], PetscReal g[3][3],
                    PetscReal *p, PetscReal *mu)
{
  PetscReal fp[3];

  Evaluate((const Problem *)flow, dim, x, u, g, p, fp);
  *mu = ViscosityAt((const Problem *)flow, x);
}

static PetscErrorCode Viscosity(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal *lambda, PetscReal *mu,
                                void *ctx)
{
  PetscFunctionBegin;
  *mu = ViscosityAt((const Problem *)ctx, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -mu Laplacian(u) + grad p, whatever the stress is, as div u = 0 */
static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem *p = (Problem *)ctx;
  PetscReal      u[3], g[3][3], value, fp[3];

  PetscFunctionBegin;
  Evaluate(p, dim, x, u, g, &value, fp);
  for (PetscInt d = 0; d < n; ++d) f[d] = fp[d] + (p->linear || p->ratio != 0. ? 0. : 4. * p->mu * u[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  KNOWN,
  MIXED, /* all kinds, by "sides" */
  SLIP,  /* component 0 known where x is 1, all of the velocity elsewhere: p has a free constant */
  OPEN   /* tractions alone */
} Conditions;

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, Conditions conditions, const char backend[], PlexHDG *hdg)
{
  const PetscInt x = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_STOKES));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetViscosity(*hdg, p->mu));
  if (p->ratio != 0.) PetscCall(PlexHDGSetMaterial(*hdg, Viscosity, p));
  PetscCall(PlexHDGSetSymmetricStress(*hdg, p->flow.symmetric));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetSource(*hdg, Force, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, conditions == OPEN ? PLEX_HDG_NEUMANN : PLEX_HDG_DIRICHLET,
                               conditions == OPEN ? PlexTestFlowTraction : PlexTestFlowKnown, p));
  if (conditions == MIXED || conditions == SLIP) {
    PetscCall(PlexTestLabelUnitSides(dm));
    PetscCall(PlexHDGAddBoundaryComponents(*hdg, "sides", 2, 1, &x, PlexTestFlowSlip, p));
  }
  if (conditions == MIXED) {
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 1, PLEX_HDG_NEUMANN, PlexTestFlowTraction, p));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 3, PLEX_HDG_ROBIN, PlexTestFlowTraction, p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P, n; /* degree, cells a side of the coarser mesh */
  PetscBool      symmetric;
  Conditions     conditions;
  PetscReal      below; /* by how much rates may miss their order; they approach it from below */
  PetscInt       most;  /* iterations on the finer mesh */
} Rate;

static const Rate rates[] = {
  {"triangles",                        DM_POLYTOPE_TRIANGLE,      1, 8, PETSC_FALSE, KNOWN, 0.4, 95 },
  {"triangles, symmetric stress",      DM_POLYTOPE_TRIANGLE,      2, 4, PETSC_TRUE,  MIXED, 0.3, 80 },
  {"triangles",                        DM_POLYTOPE_TRIANGLE,      3, 4, PETSC_FALSE, SLIP,  0.3, 95 },
  {"quadrilaterals, symmetric stress", DM_POLYTOPE_QUADRILATERAL, 1, 4, PETSC_TRUE,  MIXED, 0.3, 60 },
  {"quadrilaterals",                   DM_POLYTOPE_QUADRILATERAL, 2, 4, PETSC_FALSE, KNOWN, 0.3, 60 },
  {"tetrahedra, symmetric stress",     DM_POLYTOPE_TETRAHEDRON,   1, 2, PETSC_TRUE,  MIXED, 0.6, 235},
  {"tetrahedra",                       DM_POLYTOPE_TETRAHEDRON,   2, 1, PETSC_FALSE, KNOWN, 0.5, 155},
  {"hexahedra",                        DM_POLYTOPE_HEXAHEDRON,    1, 2, PETSC_FALSE, MIXED, 0.3, 115}
};

static PetscErrorCode TestRate(const Rate *r)
{
  Problem p = {
    .flow = {AtPoint, r->symmetric},
      .mu = 0.6
  };
  PetscReal error[2][3], jump[2];
  PetscInt  iterations[2];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, r->name, r->P));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, r->cell, r->n << k, &dm));
    PetscCall(Create(dm, r->P, &p, r->conditions, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGComputeFluxJump(hdg, &jump[k]));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &iterations[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestFlowReportRates(of, r->P, error, r->below, 0.8, 0.2));
  PetscCall(PlexTestReportOf((PetscBool)(jump[1] < 1e-6), of, "tractions do not jump", "%g", (double)jump[1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: iterations %" PetscInt_FMT ", %" PetscInt_FMT "\n", of, iterations[0],
                        iterations[1]));
  PetscCall(PlexTestReportOf((PetscBool)(iterations[1] <= r->most), of, "iterations stay few",
                             "%" PetscInt_FMT ", %" PetscInt_FMT, iterations[0], iterations[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves what is exact; curved: coordinates of degree 2, which u = x is in for P >= 2 */
static PetscErrorCode TestExact(const char name[], DMPolytopeType cell, PetscInt P, PetscBool curved, Problem *p,
                                Conditions conditions)
{
  const PetscReal most = p->ratio != 0. ? 1e-7 : 1e-9; /* jumps of 1e6 cost digits */
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
  PetscCall(PlexTestFlowErrors(hdg, &p->flow, error));
  PetscCall(PlexTestReportOf((PetscBool)((error[1] < most || (conditions == OPEN && p->flow.symmetric)) &&
                                         error[2] < most && (conditions == OPEN || error[0] < most)),
                             name, "a linear velocity is exact", "errors %g, gradient %g, pressure %g",
                             (double)error[0], (double)error[1], (double)error[2]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestExactAll(void)
{
  Problem linear =
            {
              .flow = {AtPoint, PETSC_TRUE},
                .mu = 0.8, .linear = PETSC_TRUE
  },
          layers   = {.flow = {AtPoint, PETSC_FALSE}, .mu = 1., .ratio = 1e6},
          gradient = {.flow = {AtPoint, PETSC_FALSE}, .mu = 0.8, .linear = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(TestExact("irregular triangles, all conditions", DM_POLYTOPE_TRIANGLE, 1, PETSC_FALSE, &linear, MIXED));
  PetscCall(TestExact("curved triangles, all conditions", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, &gradient, MIXED));
  PetscCall(TestExact("irregular quadrilaterals, slip", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_FALSE, &linear, SLIP));
  PetscCall(TestExact("tetrahedra, all conditions", DM_POLYTOPE_TETRAHEDRON, 1, PETSC_FALSE, &gradient, MIXED));
  PetscCall(TestExact("hexahedra, tractions alone", DM_POLYTOPE_HEXAHEDRON, 1, PETSC_FALSE, &gradient, OPEN));
  PetscCall(TestExact("triangles, tractions alone", DM_POLYTOPE_TRIANGLE, 2, PETSC_FALSE, &linear, OPEN));
  PetscCall(TestExact("a viscosity that jumps by 1e6", DM_POLYTOPE_TRIANGLE, 1, PETSC_FALSE, &layers, MIXED));
  layers.ratio          = 1e-6;
  layers.flow.symmetric = PETSC_TRUE;
  PetscCall(TestExact("a viscosity that jumps by 1e-6", DM_POLYTOPE_QUADRILATERAL, 2, PETSC_FALSE, &layers, KNOWN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another viscosity and another source cost no new set-up, and are right */
static PetscErrorCode TestUpdate(void)
{
  Problem   p =
              {
                .flow = {AtPoint, PETSC_FALSE},
                  .mu = 1.
  },
            other = {.flow = {AtPoint, PETSC_FALSE}, .mu = 30.};
  PetscReal error[2][3];
  PlexHDG   hdg;
  KSP       ksp;
  Mat       A[2];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 3, &dm));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(dm, 2, k ? &other : &p, SLIP, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGAssemble(hdg, &A[0]));
    if (!k) { /* the first becomes the second */
      p = other;
      PetscCall(PlexHDGSetViscosity(hdg, p.mu));
      PetscCall(PlexHDGUpdate(hdg));
      PetscCall(PlexHDGSolve(hdg));
      PetscCall(PlexHDGAssemble(hdg, &A[1]));
      PetscCall(PlexTestReportOf((PetscBool)(A[0] == A[1]), "another viscosity", "without another set-up",
                                 "K is another matrix"));
    }
    PetscCall(PlexTestFlowErrors(hdg, &other.flow, error[k]));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[0][0] - error[1][0]) < 1e-9 * error[1][0] &&
                                         PetscAbsReal(error[0][2] - error[1][2]) < 1e-9 * error[1][2]),
                             "another viscosity", "as if it had been set first", "errors %g, %g, of p %g, %g",
                             (double)error[0][0], (double)error[1][0], (double)error[0][2], (double)error[1][2]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      curved, symmetric;
} Kernels;

/* K, and of it a right-hand side and local problems of a given trace: no solver stands between */
static PetscErrorCode TestKernels(const char backend[], const Kernels *c)
{
  Problem p = {
    .flow = {AtPoint, c->symmetric},
      .mu = 0.7
  };
  PlexHDG     hdg[2];
  Vec         rhs[2], trace[2], u[2], q[2], pressure[2];
  Mat         A[2], B;
  PetscReal   error[4], norm[2];
  PetscRandom random;
  DM          dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(PlexTestLabelUnitSides(dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(dm, c->P, &p, MIXED, k ? backend : PLEXBACKENDHOST, &hdg[k]));
    PetscCall(PlexTestHDGOption(hdg[k], "-plex_hdg_trace", "aij")); /* K is looked at */
    PetscCall(PlexHDGSolve(hdg[k]));
    PetscCall(PlexHDGAssemble(hdg[k], &A[k]));
    PetscCall(PlexHDGCreateVecs(hdg[k], &trace[k], &u[k], &q[k], NULL));
    PetscCall(VecDuplicate(trace[k], &rhs[k]));
    PetscCall(PlexHDGComputeRHS(hdg[k], rhs[k]));
    if (k) PetscCall(VecCopy(trace[0], trace[1]));
    else PetscCall(VecSetRandom(trace[0], random));
    PetscCall(PlexHDGRecover(hdg[k], trace[k], u[k], q[k]));
    PetscCall(PlexHDGGetPressure(hdg[k], &pressure[k]));
  }
  PetscCall(MatDuplicate(A[0], MAT_COPY_VALUES, &B));
  PetscCall(MatNorm(B, NORM_INFINITY, &norm[0]));
  PetscCall(MatAXPY(B, -1., A[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_INFINITY, &norm[1]));
  PetscCall(PlexTestDifference(rhs[0], rhs[1], &error[0]));
  PetscCall(PlexTestDifference(u[0], u[1], &error[1]));
  PetscCall(PlexTestDifference(q[0], q[1], &error[2]));
  PetscCall(PlexTestDifference(pressure[0], pressure[1], &error[3])); /* with constants of two solves */
  PetscCall(PlexTestReportOf((PetscBool)(norm[1] < 1e-12 * norm[0] && error[0] < 1e-12 && error[1] < 1e-12 &&
                                         error[2] < 1e-12 && error[3] < 1e-8),
                             backend, c->name, "K %g, right-hand side %g, u %g, gradient %g, pressure %g",
                             (double)(norm[1] / norm[0]), (double)error[0], (double)error[1], (double)error[2],
                             (double)error[3]));
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
    {"triangles as the host",             DM_POLYTOPE_TRIANGLE,      2, PETSC_FALSE, PETSC_FALSE},
    {"curved quadrilaterals as the host", DM_POLYTOPE_QUADRILATERAL, 1, PETSC_TRUE,  PETSC_TRUE },
    {"tetrahedra as the host",            DM_POLYTOPE_TETRAHEDRON,   1, PETSC_FALSE, PETSC_TRUE }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestKernels(backend, &cases[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes, and each one alone */
static PetscErrorCode TestParallel(const char name[], DMPolytopeType cell, PetscInt P, Conditions conditions)
{
  Problem p = {
    .flow = {AtPoint, PETSC_TRUE},
      .mu = 2.
  };
  PetscReal error[2][3], norm[2][3], worst = 0.;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    Vec     u, pressure;
    Mat     A;
    DM      dm;

    PetscCall(PlexTestMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, cell, 0, &dm));
    if (!k) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(Create(dm, P, &p, conditions, PLEXBACKENDHOST, &hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
    PetscCall(PlexHDGGetPressure(hdg, &pressure));
    PetscCall(VecNorm(u, NORM_2, &norm[k][0]));
    PetscCall(VecNorm(pressure, NORM_2, &norm[k][1]));
    PetscCall(PlexHDGAssemble(hdg, &A));
    PetscCall(MatNorm(A, NORM_FROBENIUS, &norm[k][2]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) /* the pressure to what its solver leaves */
    worst = PetscMax(worst, PetscAbsReal(norm[0][k] / norm[1][k] - 1.) * (k == 1 ? 1e-3 : 1.));
  PetscCall(PlexTestReportOf((PetscBool)(worst < 1e-12 &&
                                         PetscAbsReal(error[0][0] - error[1][0]) < 1e-9 * error[1][0] &&
                                         PetscAbsReal(error[0][2] - error[1][2]) < 1e-9 * error[1][2]),
                             name, "as one process", "norms of u, p, K differ by %g, %g, %g; errors of u %g, %g",
                             (double)(norm[0][0] / norm[1][0] - 1.), (double)(norm[0][1] / norm[1][1] - 1.),
                             (double)(norm[0][2] / norm[1][2] - 1.), (double)error[0][0], (double)error[1][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  WRONG_VISCOSITY,
  WRONG_LAME,
  WRONG_BALANCE,
  WRONG_PC,
  WRONG_KSP,
  WRONG_PRESSURE,
  WRONG_COMPONENT,
  WRONG_MANY
} Wrong;

static PetscErrorCode Inflow(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                             void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) g[d] = x[0] < 0.01 && !d ? 1. : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UseWrong(void *ctx)
{
  const Wrong    wrong     = *(Wrong *)ctx;
  const PetscInt component = 2;
  Problem        p         = {
    .flow = {AtPoint, PETSC_FALSE},
      .mu = wrong == WRONG_VISCOSITY ? 0. : 1.
  };
  PlexHDG hdg;
  KSP     ksp;
  Vec     pressure;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 2, &dm));
  PetscCall(Create(dm, 1, &p, KNOWN, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  switch (wrong) {
  case WRONG_LAME:
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_lame", "1,1"));
    break;
  case WRONG_BALANCE:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Inflow, NULL));
    break;
  case WRONG_PC: {
    PC pc;

    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCLU));
  } break;
  case WRONG_KSP:
    PetscCall(KSPSetType(ksp, KSPCG));
    break;
  case WRONG_PRESSURE:
    PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_ELASTICITY));
    PetscCall(PlexHDGGetPressure(hdg, &pressure));
    break;
  case WRONG_COMPONENT:
    PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 1, &component, NULL, NULL));
    break;
  case WRONG_MANY:
    PetscCall(PlexHDGSolveMany(hdg, 1, NULL, NULL, NULL, NULL, NULL, NULL));
    break;
  default:
    break;
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  Wrong wrong[WRONG_MANY + 1];

  PetscFunctionBegin;
  for (int k = 0; k <= WRONG_MANY; ++k) wrong[k] = (Wrong)k;
  EXPECT("mu = 0", UseWrong, &wrong[WRONG_VISCOSITY], "mu of cell", "has to be positive", "-plex_hdg_viscosity");
  EXPECT("Lame's parameters", UseWrong, &wrong[WRONG_LAME], "-plex_hdg_lame is for the system elasticity",
         "one of stokes");
  EXPECT("an inflow alone", UseWrong, &wrong[WRONG_BALANCE], "flow out of the domain in all", "PLEX_HDG_NEUMANN");
  EXPECT("LU of all", UseWrong, &wrong[WRONG_PC], "-plex_hdg_pc_type lu", "-plex_hdg_velocity_pc_type lu");
  EXPECT("conjugate gradients", UseWrong, &wrong[WRONG_KSP], "needs a positive definite matrix", "Stokes's equations");
  EXPECT("a pressure of elasticity", UseWrong, &wrong[WRONG_PRESSURE],
         "PlexHDGGetPressure() is for the systems stokes and navierstokes");
  EXPECT("component 2 in 2D", UseWrong, &wrong[WRONG_COMPONENT], "Component 2 of the velocity", "0 to 1");
  EXPECT("several problems", UseWrong, &wrong[WRONG_MANY], "PlexHDGSolveMany() is for the system diffusion");
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
    PetscCall(TestParallel("tetrahedra, known velocities", DM_POLYTOPE_TETRAHEDRON, 1, KNOWN));
    PetscCall(TestParallel("quadrilaterals, slip", DM_POLYTOPE_QUADRILATERAL, 1, SLIP));
  } else PetscCall(PlexTestEachBackend(TestEachKernel, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
