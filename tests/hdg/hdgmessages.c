static char help[] = "Hybridized DG: what bad input gets, options and view.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char *backend;
  DM          dm;
  int         what;
  PetscInt    value; /* of a label */
} Context;

static PetscErrorCode BadTau(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau, void *ctx)
{
  PetscFunctionBegin;
  *tau = cell == 5 ? -2. : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of cell 7: not symmetric, not positive definite, lambda infinite */
static PetscErrorCode BadKappa(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda,
                               void *ctx)
{
  const int what = *(int *)ctx;

  PetscFunctionBegin;
  if (cell == 7 && what == 0) kappa[1] = 0.3;
  if (cell == 7 && what == 1) kappa[1] = kappa[2] = 1.5;
  if (cell == 7 && what == 2) *lambda = -INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Negative(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                               void *ctx)
{
  PetscFunctionBegin;
  g[n - 1] = -1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Infinite(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  f[0] = x[0] > 0.5 ? INFINITY : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NotANumber(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                 PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  g[0] = PetscSqrtReal(x[0] - 2.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Point(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = 1. + x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(void *ctx)
{
  Context *c = (Context *)ctx;
  PlexHDG  hdg;
  PetscInt bad = c->what % 10;
  Vec      v, u;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(c->dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, c->backend));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  if (c->what != 2) PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  switch (c->what) {
  case 0:
    PetscCall(PlexHDGSetTau(hdg, 0.));
    break;
  case 1:
    PetscCall(PlexHDGSetStabilization(hdg, BadTau, NULL));
    break;
  case 3:
    PetscCall(PlexHDGAddBoundary(hdg, c->value ? "side" : "no such label", c->value, PLEX_HDG_NEUMANN, NULL, NULL));
    break;
  case 4:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, Negative, NULL));
    break;
  case 5:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_ROBIN, NULL, NULL));
    break;
  case 6:
    PetscCall(PlexHDGSetDegree(hdg, 10));
    break;
  case 7:
    PetscCall(PlexHDGSetDegree(hdg, 3));
    PetscCall(PlexHDGSetTau(hdg, 1.));
    /* infinite once it is multiplied by the reference element's matrices */
    PetscCall(PlexHDGSetDiffusion(hdg, 1.5e308, 0.));
    break;
  case 8:
    PetscCall(PlexHDGGetSolution(hdg, &v, NULL, NULL, NULL));
    break;
  case 9:
    PetscCall(PlexHDGCreateVecs(hdg, NULL, &u, NULL, NULL));
    PetscCall(PlexHDGComputeRHS(hdg, u));
    break;
  case 10:
  case 11:
  case 12:
    PetscCall(PlexHDGSetCoefficients(hdg, BadKappa, &bad));
    break;
  case 15:
    PetscCall(PlexHDGSetMemory(hdg, 100)); /* of a triangle of degree 1: 288 */
    break;
  case 16:
    PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_tile", "-2"));
    break;
  case 14:
    PetscCall(PlexHDGSetDiffusion(hdg, -1., 0.));
    break;
  case 17:
    PetscCall(PlexHDGSetSource(hdg, Infinite, NULL));
    break;
  case 18:
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NotANumber, NULL));
    break;
  case 19:
    PetscCall(PlexHDGSetDiffusion(hdg, 1., INFINITY));
    break;
  case 20:
    PetscCall(PlexHDGSetTauFactor(hdg, -3.));
    break;
  case 21: /* options that contradict each other */
    PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_tau", "2"));
    PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_tau_factor", "2"));
    PetscCall(PlexHDGSetFromOptions(hdg));
    break;
  case 22: /* and one that has no effect */
    PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_kappa", "2"));
    PetscCall(PlexHDGSetPointwise(hdg, Point, PETSC_FALSE, NULL));
    PetscCall(PlexHDGSetFromOptions(hdg));
    break;
  case 23:
    PetscCall(PlexHDGSetDiffusion(hdg, INFINITY, 0.));
    break;
  }
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestErrors(const char backend[])
{
  Context c = {backend, NULL, 0, 0};
  char    name[128];

#define TRY(number, text, ...) \
  do { \
    c.what = number; \
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s", backend, text)); \
    EXPECT(name, Run, &c, __VA_ARGS__); \
  } while (0)
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &c.dm));
  TRY(0, "tau is 0", "tau of face", "of cell", "has to be positive", "-plex_hdg_tau");
  TRY(1, "tau of an element is negative", "tau of face", "of cell 5", "is -2", "PlexHDGSetStabilization()");
  TRY(2, "no boundary condition", "no condition at facet", "PlexHDGAddBoundary()", "one of the mesh: ");
  TRY(3, "a label that is not there", "no label no such label", "neumann");
  c.value = 17;
  PetscCall(DMCreateLabel(c.dm, "side"));
  TRY(3, "a value that no facet has", "condition neumann is for the value 17 of label side",
      "no facet of the boundary");
  c.value = 0;
  TRY(4, "alpha is negative", "alpha of Robin's condition is -1", "at least 0");
  TRY(5, "Robin's condition without a function", "needs a function that gives g and alpha");
  TRY(6, "degree 10", "degrees 1 to 9, not 10", "-plex_hdg_degree");
  TRY(7, "kappa is too large", "local problem of cell", "not positive definite to rounding");
  TRY(8, "no solution yet", "call PlexHDGSolve()");
  TRY(9, "a vector of another size", "the right-hand side", "PlexHDGCreateVecs()");
  TRY(10, "kappa is not symmetric", "kappa of cell 7", "not symmetric and positive definite",
      "PlexHDGSetCoefficients()");
  TRY(11, "kappa is not positive definite", "kappa of cell 7", "not symmetric and positive definite");
  TRY(12, "lambda is minus infinity", "lambda of cell 7", "is -inf", "-plex_hdg_lambda");
  TRY(14, "kappa is negative everywhere", "kappa of cell", "its first number is -1", "-plex_hdg_kappa");
  TRY(15, "no memory for one element", "one element of degree 1 takes 288 bytes", "room for 100", "-plex_hdg_memory");
  TRY(16, "a tile of less than one element", "A tile of -2 elements", "-plex_hdg_tile");
  TRY(17, "the source is infinite", "The source is inf", "in cell", "PlexHDGSetSource()");
  TRY(18, "a boundary value is not a number", "g of a boundary condition dirichlet is ", "PlexHDGAddBoundary()");
  TRY(19, "lambda is infinite", "lambda of cell", "has to be finite");
  TRY(20, "a factor of tau that is negative", "The factor of tau is -3", "-plex_hdg_tau_factor");
  TRY(21, "tau and a factor of it", "-plex_hdg_tau 2", "-plex_hdg_tau_factor 2", "give one of them");
  PetscCall(PlexTestClearOptions("-plex_hdg_tau 2 -plex_hdg_tau_factor 2"));
  TRY(22, "an option for kappa at points", "-plex_hdg_kappa 2", "has no effect", "PlexHDGSetPointwise()");
  PetscCall(PlexTestClearOptions("-plex_hdg_kappa 2"));
  TRY(23, "kappa is infinite", "kappa of cell", "not symmetric and positive definite");
  PetscCall(DMDestroy(&c.dm));
#undef TRY
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver that stops too early, where there is something to solve */
static PetscErrorCode RunStopped(void *ctx)
{
  Context      *c = (Context *)ctx;
  PlexTestWaves w;
  PlexHDG       hdg;
  KSP           ksp;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &w);
  PetscCall(PlexTestHDGCreate(c->dm, 2, &w, c->backend, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 0., PETSC_CURRENT, 1));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A triangle and a quadrilateral */
static PetscErrorCode MixedCells(DM *dm)
{
  const PetscInt    numPoints[2] = {5, 2}, coneSize[7] = {3, 4, 0, 0, 0, 0, 0}, cones[7] = {3, 6, 4, 2, 3, 4, 5},
                    orientations[7] = {0, 0, 0, 0, 0, 0, 0};
  const PetscScalar x[10]           = {0., 0., 1., 0., 1., 1., 0., 1., 2., 0.};
  DM                interpolated;

  PetscFunctionBegin;
  PetscCall(DMCreate(PETSC_COMM_WORLD, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetDimension(*dm, 2));
  PetscCall(DMPlexCreateFromDAG(*dm, 1, numPoints, coneSize, cones, orientations, x));
  PetscCall(DMPlexInterpolate(*dm, &interpolated));
  PetscCall(DMDestroy(dm));
  *dm = interpolated;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tetrahedron and a prism behind one of its faces, which PETSc counts among neither simplices nor boxes */
static PetscErrorCode TetrahedronAndPrism(DM *dm)
{
  const PetscInt    numPoints[2] = {7, 2}, coneSize[9] = {4, 6, 0, 0, 0, 0, 0, 0, 0},
                    cones[10] = {2, 4, 3, 5, 6, 7, 8, 2, 3, 4}, orientations[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const PetscScalar x[21] = {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., -1., 0., 1., -1., 1., 0., -1.};
  DM                interpolated;

  PetscFunctionBegin;
  PetscCall(DMCreate(PETSC_COMM_WORLD, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetDimension(*dm, 3));
  PetscCall(DMPlexCreateFromDAG(*dm, 1, numPoints, coneSize, cones, orientations, x));
  PetscCall(DMPlexSetCellType(*dm, 1, DM_POLYTOPE_TRI_PRISM));
  PetscCall(DMPlexInterpolate(*dm, &interpolated));
  PetscCall(DMDestroy(dm));
  *dm = interpolated;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the message advises: other cells by a transformation */
static PetscErrorCode Transform(const char type[], DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-dm_refine", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-dm_plex_transform_type", type));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(PetscOptionsClearValue(NULL, "-dm_refine"));
  PetscCall(PetscOptionsClearValue(NULL, "-dm_plex_transform_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells that are turned inside out: the message's way of putting them right works */
static PetscErrorCode TestReversed(const char backend[], DMPolytopeType cell)
{
  Context        c = {backend, NULL, 99, 0};
  PetscInt       cStart, cEnd;
  char           of[128];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s: %ss in the reverse order", backend, DMPolytopeTypes[cell]));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, &c.dm));
  PetscCall(DMPlexGetHeightStratum(c.dm, 0, &cStart, &cEnd));
  for (PetscInt k = cStart; k < cEnd; ++k) PetscCall(DMPlexOrientPoint(c.dm, k, -1));
  EXPECT(of, Run, &c, "in the reverse order", "DMPlexOrientPoint(dm, c, -1)");
  for (PetscInt k = cStart; k < cEnd; ++k) PetscCall(DMPlexOrientPoint(c.dm, k, -1));
  ierr = Run(&c);
  PetscCall(PlexTestReportOf((PetscBool)!ierr, of, "put right as the message says", "error %d", (int)ierr));
  PetscCall(DMDestroy(&c.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCells(const char backend[])
{
  Context        c = {backend, NULL, 99, 0};
  PetscErrorCode ierr;
  PetscBool      host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(MixedCells(&c.dm));
  if (host) {
    ierr = Run(&c);
    PetscCall(PlexTestReportOf((PetscBool)!ierr, backend, "a triangle and a quadrilateral", "error %d", (int)ierr));
  } else
    EXPECT("cells of two types", Run, &c, "several types have no kernels", "-plex_hdg_backend host",
           "refine_tosimplex");
  PetscCall(Transform("refine_tosimplex", &c.dm));
  ierr = Run(&c);
  PetscCall(PlexTestReportOf((PetscBool)!ierr, backend, "triangles of them as the message says", "error %d",
                             (int)ierr));
  PetscCall(DMDestroy(&c.dm));
  PetscCall(TetrahedronAndPrism(&c.dm));
  EXPECT("a prism beside a tetrahedron", Run, &c, "is a triangular_prism", "refine_tobox");
  PetscCall(Transform("refine_tobox", &c.dm));
  ierr = Run(&c);
  PetscCall(PlexTestReportOf((PetscBool)!ierr, backend, "hexahedra of them as the message says", "error %d",
                             (int)ierr));
  PetscCall(DMDestroy(&c.dm));
  PetscCall(TestReversed(backend, DM_POLYTOPE_TRIANGLE));
  PetscCall(TestReversed(backend, DM_POLYTOPE_QUADRILATERAL));
  PetscCall(TestReversed(backend, DM_POLYTOPE_TETRAHEDRON));
  PetscCall(TestReversed(backend, DM_POLYTOPE_HEXAHEDRON));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes that 32-bit indices do not count: a process's elements of degree 9 */
typedef struct {
  PlexHDGReference reference;
  PetscInt         Ne;
} Sizes;

static PetscErrorCode CheckSizes(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCheckSizes(((Sizes *)ctx)->reference, ((Sizes *)ctx)->Ne));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSizes(void)
{
  Sizes s = {NULL, 3253764}; /* times 660 numbers of q */

  PetscFunctionBegin;
  PetscCall(PlexHDGReferenceCreate(DM_POLYTOPE_TETRAHEDRON, 9, &s.reference));
  PetscCall(PlexHDGCheckSizes(s.reference, 3253763));
  EXPECT("more numbers of q than indices count", CheckSizes, &s, "3253764 elements of degree 9", "660 numbers of q",
         "use more processes");
  PetscCall(PlexHDGReferenceDestroy(&s.reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PlexHDG hdg = (PlexHDG)ctx;

  PetscFunctionBegin;
  PetscCall(PlexHDGView(hdg, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What options say, and the view */
static PetscErrorCode TestOptions(const char backend[])
{
  static const char *const words[] = {"triangle", "tau: ", "facets dirichlet", "facets neumann", "facets robin", "MB"};
  PlexTestWaves            w;
  PlexHDG                  hdg;
  DM                       dm;
  KSP                      ksp;
  char                     text[4096];
  PetscBool                good = PETSC_TRUE, cg;
  PetscReal                rtol;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-my_plex_hdg_degree 2 -my_plex_hdg_keep -my_plex_hdg_ksp_rtol 1e-7 "
                                           "-my_plex_hdg_ksp_type fcg"));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_TRUE, &w);
  PetscCall(PlexTestHDGCreate(dm, 1, &w, backend, &hdg));
  PetscCall(PlexHDGSetOptionsPrefix(hdg, "my_"));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPFCG, &cg));
  PetscCall(PlexTestReportOf((PetscBool)(cg && rtol == 1e-7), backend, "options of the trace's solver", "rtol %g",
                             (double)rtol));
  PetscCall(PlexTestReportOf((PetscBool)(hdg->degree == 2 && hdg->mesh->affine && hdg->reference->Np == 6 &&
                                         hdg->reference->Nf == 3 && hdg->stabilization && hdg->kept),
                             backend, "what options and functions have set",
                             "degree %" PetscInt_FMT ", %" PetscInt_FMT " functions, %" PetscInt_FMT
                             " of a face, factors kept %d",
                             hdg->degree, hdg->reference->Np, hdg->reference->Nf, (int)hdg->kept));
  PetscCall(PlexTestCapture(View, hdg, text, sizeof(text)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); ++k) good = (PetscBool)(good && strstr(text, words[k]));
  PetscCall(PlexTestReportOf(good, backend, "the view says what there is", "%s", text));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestClearOptions("-my_plex_hdg_degree 2 -my_plex_hdg_keep 1 -my_plex_hdg_ksp_rtol 1e-7 "
                                 "-my_plex_hdg_ksp_type fcg"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option sets its own number in the place of a function's, and nothing else; a line says so. K is that of the number
   in the program: what 0: lambda, 1: kappa, 2: tau of all faces */
static char line[1024];

static PetscErrorCode KeepErrors(FILE *file, const char format[], va_list args)
{
  size_t length;

  PetscFunctionBegin;
  if (file == PETSC_STDERR) PetscCall(PetscVSNPrintf(line, sizeof(line), format, &length, args));
  else PetscCall(PetscVFPrintfDefault(file, format, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOverride(const char backend[], int what, const char option[], PetscReal value,
                                   const char words[])
{
  PlexTestWaves w[2];
  PlexHDG       hdg[2];
  DM            dm;
  Mat           K;
  PetscReal     norm[3]; /* by functions alone, with the option, with the number in the program */
  char          of[128], number[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %g", backend, option, (double)value));
  PetscCall(PetscSNPrintf(number, sizeof(number), "%g", (double)value));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  for (int k = 0; k < 2; ++k) {
    PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_TRUE, &w[k]);
    if (k && what == 0) w[k].lambda = value;
    for (PetscInt d = 0; k && what == 1 && d < 4; ++d) w[k].kappa[d] = d % 3 ? 0. : value;
    PetscCall(PlexTestHDGCreate(dm, 2, &w[k], backend, &hdg[k]));
  }
  if (what == 2) PetscCall(PlexHDGSetTau(hdg[1], value));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexHDGAssemble(hdg[k], &K));
    PetscCall(MatNorm(K, NORM_FROBENIUS, &norm[2 * k]));
  }
  PetscCall(PetscOptionsSetValue(NULL, option, number));
  line[0]       = 0;
  PetscVFPrintf = KeepErrors;
  PetscCall(PlexHDGSetFromOptions(hdg[0]));
  PetscVFPrintf = PetscVFPrintfDefault;
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(PlexTestReportOf((PetscBool)(strstr(line, option) && strstr(line, "takes the place of") &&
                                         strstr(line, words)),
                             of, "a line says what it takes the place of", "%s", line));
  PetscCall(PlexHDGAssemble(hdg[0], &K));
  PetscCall(MatNorm(K, NORM_FROBENIUS, &norm[1]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(norm[1] - norm[2]) < 1e-12 * norm[2] &&
                                         (w[0].lambda == value || PetscAbsReal(norm[1] - norm[0]) > 1e-4 * norm[0])),
                             of, "it sets its number alone",
                             "norms of K: functions %.15g, with the option %.15g, with the number in the program %.15g",
                             (double)norm[0], (double)norm[1], (double)norm[2]));
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PointOfU(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                               void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = 1. + u * u;
    slope[d * (dim + 1)] = 2. * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace's solver, asked for at first, follows K's symmetry; not where the program or an option has chosen it */
static PetscErrorCode TestSolver(const char backend[])
{
  static const struct {
    const char *what, *option;
    KSPType     chosen, type[2]; /* with kappa(u), without */
  } cases[] = {
    {"follows symmetry",           NULL,   NULL,    {KSPGMRES, KSPCG} },
    {"the program's choice stays", NULL,   KSPBCGS, {KSPBCGS, KSPBCGS}},
    {"an option's choice stays",   KSPFCG, NULL,    {KSPFCG, KSPFCG}  }
  };
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    PlexHDG   hdg;
    KSP       ksp;
    KSPType   type;
    PetscBool same, good = PETSC_TRUE;

    if (cases[k].option) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_ksp_type", cases[k].option));
    PetscCall(PlexHDGCreate(dm, &hdg));
    PetscCall(PlexHDGSetBackend(hdg, backend));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    if (cases[k].chosen) PetscCall(KSPSetType(ksp, cases[k].chosen));
    for (int n = 0; n < 2; ++n) {
      PetscCall(PlexHDGSetPointwise(hdg, n ? NULL : PointOfU, n ? PETSC_FALSE : PETSC_TRUE, NULL));
      PetscCall(PlexHDGGetKSP(hdg, &ksp));
      PetscCall(KSPGetType(ksp, &type));
      PetscCall(PetscStrcmp(type, cases[k].type[n], &same));
      good = (PetscBool)(good && same);
    }
    PetscCall(PlexTestReportOf(good, backend, cases[k].what, "last type %s", type));
    PetscCall(PlexHDGDestroy(&hdg));
    if (cases[k].option) PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_ksp_type"));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  Context            c = {NULL, NULL, 99, 0};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(TestSizes());
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(TestErrors(backends[b]));
    PetscCall(TestOptions(backends[b]));
    c.backend = backends[b];
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &c.dm));
    EXPECT("a solver that stops early", RunStopped, &c, "not solved: DIVERGED_ITS", "-plex_hdg_ksp_max_it");
    PetscCall(DMDestroy(&c.dm));
    PetscCall(TestCells(backends[b]));
    /* what the function says, too */
    PetscCall(TestOverride(backends[b], 0, "-plex_hdg_lambda", 1., "PlexHDGSetCoefficients() gives; its kappa stays"));
    PetscCall(TestOverride(backends[b], 0, "-plex_hdg_lambda", 3., "PlexHDGSetCoefficients() gives; its kappa stays"));
    PetscCall(TestOverride(backends[b], 1, "-plex_hdg_kappa", 3., "PlexHDGSetCoefficients() gives; its lambda stays"));
    PetscCall(TestOverride(backends[b], 2, "-plex_hdg_tau", 3., "PlexHDGSetStabilization()"));
    PetscCall(TestSolver(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
