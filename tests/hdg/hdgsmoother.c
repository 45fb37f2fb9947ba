static char
  help[] = "The trace's smoother by the upper halves of the elements' numbers, -plex_hdg_smoother_precision: its "
           "matrix, the preconditioner that it is part of, iterations beside those with all of the numbers, "
           "when there is no K at all.\n\n";

#include "hdgproblem.h"
#include "meshes.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PlexHDGSystem  system;
  PetscInt       P, n;             /* degree; cells a side of the unit box */
  PetscReal      contrast, lambda; /* kappa, or mu, is that in half of 4 x 4 (x 4) boxes, like a chessboard, else 1 */
  PetscBool      neumann;
} Case;

/* The first ones are for all backends, on any number of processes */
#define FEW 8
static const Case cases[] = {
  {"triangles, P = 3",              DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  3, 8, 1.,  0.,   PETSC_FALSE},
  {"triangles, P = 2, 1e6",         DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  2, 8, 1e6, 0.,   PETSC_FALSE},
  {"quadrilaterals, P = 4, 1e6",    DM_POLYTOPE_QUADRILATERAL, PLEX_HDG_DIFFUSION,  4, 8, 1e6, 0.,   PETSC_FALSE},
  {"tetrahedra, P = 2",             DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  2, 4, 1.,  0.,   PETSC_FALSE},
  {"tetrahedra, P = 3",             DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  3, 3, 1.,  0.,   PETSC_FALSE},
  {"hexahedra, P = 1, 1e6, lambda", DM_POLYTOPE_HEXAHEDRON,    PLEX_HDG_DIFFUSION,  1, 4, 1e6, 1e4,  PETSC_FALSE},
  {"elasticity of triangles, 1e3",  DM_POLYTOPE_TRIANGLE,      PLEX_HDG_ELASTICITY, 2, 8, 1e3, 0.,   PETSC_FALSE},
  {"Stokes on quadrilaterals",      DM_POLYTOPE_QUADRILATERAL, PLEX_HDG_STOKES,     1, 8, 1.,  0.,   PETSC_FALSE},
  {"triangles, P = 6, 1e6",         DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  6, 8, 1e6, 0.,   PETSC_FALSE},
  {"tetrahedra, P = 1, 1e6",        DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  1, 8, 1e6, 0.,   PETSC_FALSE},
  {"hexahedra, P = 2, 1e6",         DM_POLYTOPE_HEXAHEDRON,    PLEX_HDG_DIFFUSION,  2, 4, 1e6, 0.,   PETSC_FALSE},
  {"triangles, Neumann's, 1e6",     DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  3, 8, 1e6, 0.,   PETSC_TRUE },
  {"tetrahedra, Neumann's",         DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  2, 4, 1.,  0.,   PETSC_TRUE },
  {"triangles, lambda = 1e8",       DM_POLYTOPE_TRIANGLE,      PLEX_HDG_DIFFUSION,  2, 8, 1.,  1e8,  PETSC_FALSE},
  {"quadrilaterals, waves",         DM_POLYTOPE_QUADRILATERAL, PLEX_HDG_DIFFUSION,  3, 8, 1.,  -90., PETSC_FALSE},
  {"elasticity of tetrahedra, 1e4", DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_ELASTICITY, 1, 4, 1e4, 0.,   PETSC_FALSE},
  {"Stokes on triangles, 1e3",      DM_POLYTOPE_TRIANGLE,      PLEX_HDG_STOKES,     2, 8, 1e3, 0.,   PETSC_FALSE},
  {"Stokes on tetrahedra, P = 1",   DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_STOKES,     1, 3, 1.,  0.,   PETSC_FALSE},
  {"tetrahedra, P = 3, 1e6",        DM_POLYTOPE_TETRAHEDRON,   PLEX_HDG_DIFFUSION,  3, 4, 1e6, 0.,   PETSC_FALSE}
};

static PetscReal Contrast(PetscInt dim, const PetscReal x[], const Case *c)
{
  PetscInt sum = 0;

  for (PetscInt d = 0; d < dim; ++d) sum += (PetscInt)(4. * x[d]);
  return sum % 2 ? c->contrast : 1.;
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim * dim; ++d) kappa[d] = d % (dim + 1) ? 0. : Contrast(dim, x, (const Case *)ctx);
  *lambda = ((const Case *)ctx)->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Material(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal *lambda, PetscReal *mu,
                               void *ctx)
{
  PetscFunctionBegin;
  *mu     = Contrast(dim, x, (const Case *)ctx);
  *lambda = *mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = PetscSinReal(7. * x[0] + d) * PetscCosReal(5. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Case *c, const char backend[], const char precision[], PlexHDG *hdg)
{
  DM  dm;
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_WORLD, c->cell, c->n, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, c->system));
  PetscCall(PlexHDGSetDegree(*hdg, c->P));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  if (c->system == PLEX_HDG_DIFFUSION) PetscCall(PlexHDGSetCoefficients(*hdg, Coefficients, (void *)c));
  else PetscCall(PlexHDGSetMaterial(*hdg, Material, (void *)c));
  PetscCall(PlexHDGSetSource(*hdg, Load, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, c->neumann ? PLEX_HDG_NEUMANN : PLEX_HDG_DIRICHLET, NULL,
                               NULL));
  PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_trace", "elements"));
  if (precision) PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_smoother_precision", precision));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the smoother, after a solve */
static PetscErrorCode GetSmoother(PlexHDG hdg, Mat *K)
{
  KSP ksp, smoother;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetSmoother(pc, 1, &smoother));
  PetscCall(KSPGetOperators(smoother, K, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fill(Vec x, PetscReal frequency)
{
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt k = begin; k < end; ++k) a[k - begin] = PetscSinReal(1. + frequency * k) + PetscCosReal(0.01 * k);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K~ is near K, as near as 21 bits are, and is another one; both are symmetric */
static PetscErrorCode CheckMatrix(const char of[], PlexHDG hdg)
{
  Mat         K, smoothed;
  Vec         x[2], y[3];
  PetscScalar product[2];
  PetscReal   size, largest, difference;

  PetscFunctionBegin;
  PetscCall(PlexHDGAssemble(hdg, &K));
  PetscCall(GetSmoother(hdg, &smoothed));
  PetscCall(MatCreateVecs(K, &x[0], &x[1]));
  for (int k = 0; k < 2; ++k) PetscCall(Fill(x[k], k ? 0.37 : 1.71));
  for (int k = 0; k < 3; ++k) PetscCall(VecDuplicate(x[0], &y[k]));
  for (int k = 0; k < 2; ++k) PetscCall(MatMult(smoothed, x[k], y[k]));
  PetscCall(MatMult(K, x[0], y[2]));
  PetscCall(VecDot(y[0], x[1], &product[0]));
  PetscCall(VecDot(y[1], x[0], &product[1]));
  PetscCall(VecNorm(y[0], NORM_2, &size));
  PetscCall(VecNorm(x[1], NORM_2, &largest));
  size *= largest;
  PetscCall(VecNorm(y[2], NORM_INFINITY, &largest));
  PetscCall(VecAXPY(y[2], -1., y[0]));
  PetscCall(VecNorm(y[2], NORM_INFINITY, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(K != smoothed && difference < 4e-6 * largest && difference > 1e-9 * largest &&
                                         PetscAbsScalar(product[0] - product[1]) < 1e-14 * size),
                             of, "the smoother's matrix is near K, and symmetric",
                             "differences %g of %g, products differ by %g of %g", (double)difference, (double)largest,
                             (double)PetscAbsScalar(product[0] - product[1]), (double)size));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&x[k]));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&y[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Linear, symmetric and positive, to rounding */
static PetscErrorCode CheckPreconditioner(const char of[], PlexHDG hdg)
{
  KSP         ksp;
  PC          pc;
  Mat         K;
  Vec         x[3], y[3];
  PetscScalar product[4];
  PetscReal   size, difference;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetOperators(pc, &K, NULL));
  for (int k = 0; k < 3; ++k) PetscCall(MatCreateVecs(K, &x[k], &y[k]));
  for (int k = 0; k < 2; ++k) PetscCall(Fill(x[k], k ? 0.37 : 1.71));
  PetscCall(VecWAXPY(x[2], -3., x[1], x[0]));
  for (int k = 0; k < 3; ++k) PetscCall(PCApply(pc, x[k], y[k]));
  for (int k = 0; k < 4; ++k) PetscCall(VecDot(x[k / 2], y[k % 2], &product[k]));
  PetscCall(VecNorm(y[2], NORM_2, &size));
  PetscCall(VecAXPY(y[2], -1., y[0]));
  PetscCall(VecAXPY(y[2], 3., y[1]));
  PetscCall(VecNorm(y[2], NORM_2, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-11 * size && PetscRealPart(product[0]) > 0. &&
                                         PetscRealPart(product[3]) > 0. &&
                                         PetscAbsScalar(product[1] - product[2]) <
                                           1e-11 * PetscSqrtReal(PetscRealPart(product[0] * product[3]))),
                             of, "the preconditioner is linear, symmetric and positive",
                             "sums differ by %g of %g; products %g, %g, %g and %g", (double)difference, (double)size,
                             (double)PetscRealPart(product[0]), (double)PetscRealPart(product[1]),
                             (double)PetscRealPart(product[2]), (double)PetscRealPart(product[3])));
  for (int k = 0; k < 3; ++k) {
    PetscCall(VecDestroy(&x[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the numbers, by their upper halves, which is the default. Hundreds of iterations differ by a few between backends, too */
static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexHDG   hdg[2];
  PetscInt  its[2];
  Vec       u[2];
  PetscReal difference;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(c, backend, k ? NULL : "double", &hdg[k]));
    PetscCall(PlexTestHDGIterations(hdg[k], &its[k]));
    PetscCall(PlexHDGGetSolution(hdg[k], NULL, &u[k], NULL, NULL));
  }
  PetscCall(PlexTestDifference(u[0], u[1], &difference));
  PetscCall(PlexTestReportOf((PetscBool)(its[1] <= its[0] + 1 + its[0] / 50 && its[0] > 3 && difference < 1e-7), of,
                             "no more iterations by upper halves, and the same solution",
                             "%" PetscInt_FMT " and %" PetscInt_FMT " iterations, differences %g", its[0], its[1],
                             (double)difference));
  if (c->system != PLEX_HDG_STOKES) {
    PetscCall(CheckMatrix(of, hdg[1]));
    if (c->contrast == 1. && !c->neumann && c->lambda >= 0.) PetscCall(CheckPreconditioner(of, hdg[1]));
  }
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other numbers of one that has been solved: the smoother's eigenvalues are estimated again */
static PetscErrorCode TestUpdate(const char backend[])
{
  Case     c[2] = {cases[3], cases[3]};
  PetscInt its[3];
  PlexHDG  hdg[2];
  char     of[128];

  PetscFunctionBegin;
  c[1].lambda = 1e5;
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(&c[k], backend, NULL, &hdg[k]));
    PetscCall(PlexTestHDGIterations(hdg[k], &its[k]));
  }
  c[0].lambda = c[1].lambda;
  PetscCall(PlexHDGUpdate(hdg[0]));
  PetscCall(PlexTestHDGIterations(hdg[0], &its[2]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PetscCall(PlexTestReportOf((PetscBool)(its[2] == its[1] && its[0] > its[1]), of,
                             "after an update as many iterations as anew",
                             "%" PetscInt_FMT " before, %" PetscInt_FMT " after and %" PetscInt_FMT " anew", its[0],
                             its[2], its[1]));
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Richardson's iteration leaves all to PCMG, residuals too: they are those of K */
static PetscErrorCode TestRichardson(const char backend[])
{
  PlexHDG            hdg[2];
  Vec                u[2];
  PetscReal          difference;
  KSP                ksp;
  KSPConvergedReason reason;
  KSPType            type;
  char               of[128];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(&cases[3], backend, NULL, &hdg[k]));
    PetscCall(PlexHDGGetKSP(hdg[k], &ksp));
    if (k) PetscCall(KSPSetType(ksp, KSPRICHARDSON));
    PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, 1000));
    PetscCall(PlexHDGSolve(hdg[k]));
    PetscCall(PlexHDGGetSolution(hdg[k], NULL, &u[k], NULL, NULL));
  }
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(PlexTestDifference(u[0], u[1], &difference));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, cases[3].name));
  PetscCall(PlexTestReportOf((PetscBool)(!strcmp(type, KSPRICHARDSON) && reason > 0 && difference < 1e-10), of,
                             "Richardson's iteration ends at the solution of K", "%s, %s, differences %g", type,
                             KSPConvergedReasons[reason], (double)difference));
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *what, *backend;
  int         of; /* case */
  PetscReal   ratio;
  const char *option, *value;
  PetscBool   without;
} Choice;

/* What is taken by default */
static PetscErrorCode TestChoice(const char backend[])
{
  const Choice choices[] = {
    {"tetrahedra",                       backend,         3,       1.,   NULL,                          NULL,       PETSC_TRUE },
    {"triangles with 9 functions",       backend,         1,       1.,   NULL,                          NULL,       PETSC_TRUE },
    {"triangles with 24 functions",      backend,         8,       1.,   "-plex_hdg_degree",            "7",        PETSC_TRUE },
    {"elasticity",                       backend,         6,       1.,   NULL,                          NULL,       PETSC_TRUE },
    {"Stokes's equations on tetrahedra", backend,         FEW + 9, 1.,   NULL,                          NULL,       PETSC_TRUE },
    {"no preconditioner",                backend,         3,       1.,   "-plex_hdg_pc_type",           "none",     PETSC_TRUE },
    {"the host",                         PLEXBACKENDHOST, 3,       1.,   NULL,                          NULL,       PETSC_FALSE},
    {"K by an option",                   backend,         3,       1.,   "-plex_hdg_trace",             "aij",      PETSC_FALSE},
    {"algebraic multigrid",              backend,         3,       1.,   "-plex_hdg_pc_type",           "gamg",     PETSC_FALSE},
    {"factors",                          backend,         3,       1.,   "-plex_hdg_pc_type",           "lu",       PETSC_FALSE},
    {"overlapping parts",                backend,         3,       1.,   "-plex_hdg_pc_type",           "asm",      PETSC_FALSE},
    {"blocks of processes",              backend,         3,       1.,   "-plex_hdg_pc_type",           "bjacobi",  PETSC_FALSE},
    {"a smoother of options",            backend,         3,       1.,   "-plex_hdg_mg_levels_pc_type", "pbjacobi", PETSC_FALSE},
    {"a smoother of the finest level",   backend,         3,       1.,   "-plex_hdg_mg_fine_pc_type",   "sor",      PETSC_FALSE},
    {"factors of a velocity",            backend,         FEW + 9, 1.,   "-plex_hdg_velocity_pc_type",  "lu",       PETSC_FALSE},
    {"a copy of K",                      backend,         3,       1.,   "-plex_hdg_sell",              "true",     PETSC_FALSE},
    {"a direct solver",                  backend,         FEW + 7, 100., NULL,                          NULL,       PETSC_FALSE},
    {"convection",                       backend,         3,       1.,   "-plex_hdg_velocity",          "1,0,0",    PETSC_FALSE}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(choices); ++k) {
    const Choice *choice = &choices[k];
    const Case   *c      = &cases[choice->of];
    PlexHDG       hdg;
    Mat           K;
    PetscBool     shell, asked;
    char          of[128];
    DM            dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_WORLD, c->cell, 2, &dm));
    PetscCall(PlexHDGCreate(dm, &hdg));
    PetscCall(PlexHDGSetSystem(hdg, c->system));
    PetscCall(PlexHDGSetDegree(hdg, c->P));
    PetscCall(PlexHDGSetBackend(hdg, choice->backend));
    PetscCall(PlexHDGSetLame(hdg, choice->ratio, 1.));
    PetscCall(PlexHDGSetSource(hdg, Load, NULL));
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
    if (choice->option) PetscCall(PetscOptionsSetValue(NULL, choice->option, choice->value));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    if (choice->option) PetscCall(PetscOptionsClearValue(NULL, choice->option));
    shell = hdg->without;
    PetscCall(PlexHDGAssemble(hdg, &K));
    PetscCall(PetscObjectTypeCompare((PetscObject)K, MATSHELL, &asked));
    PetscCall(PetscSNPrintf(of, sizeof(of), "%s, by default", backend));
    PetscCall(PlexTestReportOf((PetscBool)(shell == choice->without && !asked), of, choice->what,
                               "without K: %d; when asked for, it is of type %s", (int)shell,
                               ((PetscObject)K)->type_name));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K after a solve without it: where the program asks for it, and where it changes the preconditioner. Vectors of before
   stay, with what is in them, and so does a second solution */
static PetscErrorCode TestLater(const char backend[], const Case *c, PetscBool asks)
{
  const PetscBool  fluid = (PetscBool)(c->system == PLEX_HDG_STOKES);
  PlexHDG          hdg;
  KSP              ksp;
  PC               pc;
  Mat              K       = NULL;
  PetscBool        is      = PETSC_TRUE, before, same, kept;
  PetscReal        product = 0., size = 1., difference, norm;
  const PetscReal *x[2];
  Vec              v[2][3], copy, r;
  char             of[128];

  PetscFunctionBegin;
  PetscCall(Create(c, backend, NULL, &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", "auto"));
  PetscCall(PlexHDGSolve(hdg));
  before = hdg->without;
  PetscCall(PlexHDGGetSolution(hdg, &v[0][0], &v[0][1], NULL, NULL));
  v[0][2] = v[1][2] = NULL;
  if (fluid) PetscCall(PlexHDGGetPressure(hdg, &v[0][2]));
  PetscCall(PlexHDGGetNodes(hdg, NULL, NULL, &x[0]));
  PetscCall(VecDuplicate(v[0][1], &copy));
  PetscCall(VecCopy(v[0][1], copy));
  PetscCall(VecDuplicate(v[0][0], &r));
  if (asks) {
    PetscCall(PlexHDGAssemble(hdg, &K));
    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)K, &is, MATSEQAIJ, MATMPIAIJ, ""));
    if (!fluid) {
      PetscCall(MatMult(K, v[0][0], r));
      PetscCall(VecNorm(hdg->rhs, NORM_2, &size));
      PetscCall(VecAXPY(r, -1., hdg->rhs));
      PetscCall(VecNorm(r, NORM_2, &product));
    }
  } else {
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCBJACOBI));
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &v[1][0], &v[1][1], NULL, NULL));
  if (fluid) PetscCall(PlexHDGGetPressure(hdg, &v[1][2]));
  PetscCall(PlexHDGGetNodes(hdg, NULL, NULL, &x[1]));
  kept = (PetscBool)(x[0] == x[1] && v[0][0] == v[1][0] && v[0][1] == v[1][1] && v[0][2] == v[1][2]);
  PetscCall(VecNorm(copy, NORM_2, &norm));
  PetscCall(VecAXPY(copy, -1., v[1][1]));
  PetscCall(VecNorm(copy, NORM_2, &difference));
  same = (PetscBool)(difference < 1e-7 * norm && norm > 0. && product < 1e-8 * size);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PetscCall(PlexTestReportOf((PetscBool)(before && !hdg->without && is && kept && same), of,
                             asks ? "K where the program asks for it after a solve"
                                  : "K where the program has taken another preconditioner after a solve",
                             "without K before %d, after %d; its type %d, vectors kept %d, K t - f %g of %g, u %g of "
                             "%g",
                             (int)before, (int)hdg->without, (int)is, (int)kept, (double)product, (double)size,
                             (double)difference, (double)norm));
  PetscCall(VecDestroy(&copy));
  PetscCall(VecDestroy(&r));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* There is no K of one material, and the direct solver of another takes it */
static PetscErrorCode TestMaterial(const char backend[])
{
  const Case *c = &cases[FEW + 7];
  PlexHDG     hdg;
  PetscBool   before;
  DM          dm;
  char        of[128];

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_WORLD, c->cell, 2, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, c->system));
  PetscCall(PlexHDGSetDegree(hdg, c->P));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetLame(hdg, 1., 1.));
  PetscCall(PlexHDGSetSource(hdg, Load, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", "auto"));
  PetscCall(PlexHDGSolve(hdg));
  before = hdg->without;
  PetscCall(PlexHDGSetLame(hdg, 100., 1.));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, -plex_hdg_trace auto", backend));
  PetscCall(PlexTestReportOf((PetscBool)(before && !hdg->without), of, "K where another material's solver takes it",
                             "without K before %d, after %d", (int)before, (int)hdg->without));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveAIJ(void *ctx)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(Create(&cases[0], PLEXBACKENDHOST, "single", &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", "aij"));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveHalf(void *ctx)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(Create(&cases[0], PLEXBACKENDHOST, "half", &hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGView((PlexHDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  PlexHDG hdg;
  char    text[4096];

  PetscFunctionBegin;
  EXPECT("single precision of K", SolveAIJ, NULL, "-plex_hdg_smoother_precision single", "-plex_hdg_trace elements");
  EXPECT("an unknown precision", SolveHalf, NULL, "half", "-plex_hdg_smoother_precision");
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(&cases[0], PLEXBACKENDHOST, k ? "double" : NULL, &hdg));
    PetscCall(PlexHDGSetUp(hdg));
    PetscCall(PlexTestCapture(View, hdg, text, sizeof(text)));
    PetscCall(PlexTestReport((PetscBool)(strstr(text, k ? "smoother: by all 64 bits"
                                                        : "smoother: by the upper 32 bits") != NULL),
                             k ? "the view of all numbers' bits" : "the view of upper halves", "%s", text));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    if (k < FEW || PlexTestLong()) PetscCall(TestCase(backend, &cases[k]));
  PetscCall(TestUpdate(backend));
  PetscCall(TestRichardson(backend));
  if (strcmp(backend, PLEXBACKENDHOST)) {
    PetscCall(TestLater(backend, &cases[0], PETSC_TRUE));
    PetscCall(TestLater(backend, &cases[0], PETSC_FALSE));
    PetscCall(TestLater(backend, &cases[7], PETSC_TRUE));
  }
  if (size == 1 && strcmp(backend, PLEXBACKENDHOST)) {
    PetscCall(TestChoice(backend));
    PetscCall(TestMaterial(backend));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestEachBackend(TestBackend, size == 1 ? TestHost : NULL));
  if (size > 1) PetscCall(TestHost());
  else PetscCall(TestMessages());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
