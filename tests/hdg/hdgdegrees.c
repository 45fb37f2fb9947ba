static char
  help[] = "Hybridized DG with elements of several degrees, and of triangles with quadrilaterals: polynomials, "
           "orders, processes, p-adaptivity, files, messages.\n\n";

#include "hdgproblem.h"
#include "meshes.h"
#include "mixedmesh.h"
#include "report.h"
#if PetscDefined(HAVE_HDF5)
  #include <hdf5.h>
#endif
#include <unistd.h>

/* Cells whose vertices go round clockwise are turned */
static PetscErrorCode OrientCells(DM dm)
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    const PetscScalar *array;
    PetscScalar       *x = NULL;
    PetscInt           n;
    PetscBool          localized;
    PetscReal          area = 0.;

    PetscCall(DMPlexGetCellCoordinates(dm, c, &localized, &n, &array, &x));
    for (PetscInt v = 0; v < n / 2; ++v) {
      const PetscInt w = (v + 1) % (n / 2);

      area += PetscRealPart(x[2 * v] * x[2 * w + 1] - x[2 * w] * x[2 * v + 1]);
    }
    PetscCall(DMPlexRestoreCellCoordinates(dm, c, &localized, &n, &array, &x));
    if (area < 0.) PetscCall(DMPlexOrientPoint(dm, c, -1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Meshes of one type, or of triangles and quadrilaterals */
static PetscErrorCode MakeMesh(MPI_Comm comm, DMPolytopeType cell, DM *dm)
{
  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_UNKNOWN) {
    PetscCall(PlexTestMixedCreate(comm, PLEX_TEST_MIX_RANDOM, 4, dm));
    PetscCall(OrientCells(*dm));
  } else PetscCall(PlexTestMesh(comm, cell, 0, dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *NameOf(DMPolytopeType cell)
{
  return cell == DM_POLYTOPE_UNKNOWN ? "triangles and quadrilaterals" : DMPolytopeTypes[cell];
}

/* least to largest, by where an element is, the same on all processes: all over the mesh, or in two halves */
static PetscErrorCode SetDegrees(PlexHDG hdg, PetscInt least, PetscInt largest, PetscBool halves)
{
  PetscInt cStart, cEnd, *degrees;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &degrees));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal x[3] = {0., 0., 0.}, s;

    PetscCall(DMPlexComputeCellGeometryFVM(hdg->dm, c, NULL, x, NULL));
    s                   = halves ? (x[0] < 0.5 ? -1. : 1.) : PetscSinReal(37. * x[0] + 91. * x[1] + 53. * x[2]);
    degrees[c - cStart] = least + (PetscInt)(0.4999 * (1. + s) * (largest - least + 1));
  }
  PetscCall(PlexHDGSetDegrees(hdg, degrees));
  PetscCall(PetscFree(degrees));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = x^2 - x y + 2 y^2 + z^2/2 + y z with convection and reaction of either sign: exact at degree 2 */
typedef struct {
  PetscReal lambda;
  PetscBool convects;
} Quadratic;

static const PetscReal kappa[3]    = {1.5, 0.7, 2.1};
static const PetscReal velocity[3] = {3., -2., 1.};

static PetscErrorCode QuadraticU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = x[0] * x[0] - x[0] * x[1] + 2. * x[1] * x[1] + (dim == 3 ? 0.5 * x[2] * x[2] + x[1] * x[2] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticQ(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const PetscReal z = dim == 3 ? x[2] : 0.;

  PetscFunctionBegin;
  q[0] = kappa[0] * (2. * x[0] - x[1]);
  q[1] = kappa[1] * (4. * x[1] - x[0] + z);
  if (dim == 3) q[2] = kappa[2] * (z + x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticSource(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Quadratic *problem = (Quadratic *)ctx;
  PetscScalar      q[3], u;

  PetscFunctionBegin;
  PetscCall(QuadraticU(dim, x, 1, &u, NULL));
  PetscCall(QuadraticQ(dim, x, dim, q, NULL));
  f[0] = problem->lambda * u - 2. * kappa[0] - 4. * kappa[1] - (dim == 3 ? kappa[2] : 0.);
  for (PetscInt d = 0; problem->convects && d < dim; ++d) f[0] += velocity[d] * q[d] / kappa[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticCoefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal k[],
                                            PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) k[d * (dim + 1)] = kappa[d];
  *lambda = ((Quadratic *)ctx)->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                     PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(QuadraticU(dim, x, 1, g, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticNatural(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                       PetscScalar g[], void *ctx)
{
  PetscScalar q[3], u;

  PetscFunctionBegin;
  PetscCall(QuadraticQ(dim, x, dim, q, NULL));
  g[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) g[0] += q[d] * normal[d];
  if (n > 1) {
    PetscCall(QuadraticU(dim, x, 1, &u, NULL));
    g[1] = 2. + x[0];
    g[0] += g[1] * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QuadraticCreate(DM dm, Quadratic *problem, PlexHDG *hdg)
{
  PetscInt dim;
  KSP      ksp;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetCoefficients(*hdg, QuadraticCoefficients, problem));
  if (problem->convects) PetscCall(PlexHDGSetVelocity(*hdg, dim, velocity));
  PetscCall(PlexHDGSetSource(*hdg, QuadraticSource, problem));
  PetscCall(PlexTestLabelKinds(dm));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, QuadraticKnown, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 1, PLEX_HDG_NEUMANN, QuadraticNatural, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "kinds", 2, PLEX_HDG_ROBIN, QuadraticNatural, NULL));
  PetscCall(PlexHDGSetBackend(*hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A polynomial of the least degree is found as it is, with the solver that it has by default */
static PetscErrorCode TestExact(DMPolytopeType cell, PetscReal lambda, PetscBool convects)
{
  Quadratic problem = {lambda, convects};
  PlexHDG   hdg;
  DM        dm;
  KSP       ksp;
  PetscReal error[3], jump;
  PetscInt  iterations;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, lambda %g%s", NameOf(cell), (double)lambda,
                          convects ? ", convection" : ""));
  PetscCall(MakeMesh(PETSC_COMM_WORLD, cell, &dm));
  PetscCall(QuadraticCreate(dm, &problem, &hdg));
  PetscCall(SetDegrees(hdg, 2, DMPolytopeTypeGetDim(cell) == 3 ? 3 : 4, PETSC_FALSE));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PlexHDGComputeMaxError(hdg, QuadraticU, QuadraticQ, NULL, error));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] < 1e-9 && error[1] < 1e-8 && error[2] < 1e-9 && jump < 1e-10), of,
                             "exact where u is of degree 2", "errors %g, %g, %g, flux jumps by %g", (double)error[0],
                             (double)error[1], (double)error[2], (double)jump));
  PetscCall(PlexTestReportOf((PetscBool)(iterations < 80), of, "iterations of the default solver", "%" PetscInt_FMT,
                             iterations));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n cells a side */
static PetscErrorCode MakeFine(DMPolytopeType cell, PetscBool curved, PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_UNKNOWN) {
    PetscCall(PlexTestMixedCreate(PETSC_COMM_WORLD, PLEX_TEST_MIX_RANDOM, n, dm));
    PetscCall(OrientCells(*dm));
  } else PetscCall(PlexTestHDGBox(PETSC_COMM_WORLD, cell, n, dm));
  if (curved) PetscCall(PlexTestBend(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DMPolytopeType cell;
  PetscBool      curved;
  PetscInt       P, largest;
  PetscBool      halves; /* of the domain have the least and the largest degree, else all over it */
} Order;

/* Orders P + 1, P + 1 and P + 2 of the least degree P. All conditions, a tensor, tau of each side. Irregular meshes are
   not refinements of each other */
static PetscErrorCode TestOrder(const Order *o)
{
  const char *const what[] = {"u", "q", "post-processed u"};
  const PetscReal   less   = o->cell == DM_POLYTOPE_UNKNOWN ? 0.3 : 0.2;
  const PetscInt    n[]    = {o->P < 3 ? 6 : 3, o->P < 3 ? 18 : 9};
  PlexTestWaves     w;
  PetscReal         error[2][3], estimate = 0.;
  char              of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s%s of degrees %" PetscInt_FMT " and %" PetscInt_FMT "%s",
                          o->curved ? "curved " : "", NameOf(o->cell), o->P, o->largest,
                          o->halves           ? " in two halves"
                          : o->P < o->largest ? " all over"
                                              : ""));
  PlexTestWavesInitialize(2, 4., PETSC_TRUE, PETSC_TRUE, &w);
  for (PetscInt level = 0; level < 2; ++level) {
    PlexHDG hdg;
    DM      dm;

    PetscCall(MakeFine(o->cell, o->curved, n[level], &dm));
    PetscCall(PlexTestHDGCreate(dm, o->P, &w, PLEXBACKENDHOST, &hdg));
    PetscCall(SetDegrees(hdg, o->P, o->largest, o->halves));
    PetscCall(PlexTestHDGSolve(hdg));
    PetscCall(PlexHDGComputeL2Error(hdg, PlexTestWavesU, PlexTestWavesQ, &w, error[level]));
    PetscCall(PlexHDGComputeErrorIndicator(hdg, NULL, &estimate));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) {
    const PetscReal rate = PetscLogReal(error[0][k] / error[1][k]) / PetscLogReal(3.), order = o->P + 1 + (k == 2);

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors of %s %.3g, %.3g, rate %.2f\n", of, what[k],
                          (double)error[0][k], (double)error[1][k], (double)rate));
    PetscCall(PlexTestReportOf((PetscBool)(rate > order - less), of, what[k], "errors %g, %g, rate %g",
                               (double)error[0][k], (double)error[1][k], (double)rate));
  }
  PetscCall(PlexTestReportOf((PetscBool)(estimate > 0.8 * error[1][0] && estimate < 1.25 * error[1][0]), of,
                             "the error of u is estimated", "%g, and it is %g", (double)estimate, (double)error[1][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Probe(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const PetscInt k = *(PetscInt *)ctx;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) u[i] = 2. * PetscSinReal((3. + k) * x[0] + (7. - 2. * k) * x[1] + 1.3 * i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same solution as on one process: distances to functions, the estimate, and what is adapted */
static PetscErrorCode TestProcesses(DMPolytopeType cell)
{
  PlexTestWaves w;
  PetscReal     distance[2][3], estimate[2], difference = 0.;
  PetscInt      unknowns[2], raised[2];
  PlexHDG       hdg[2];
  KSP           ksp;

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(cell) == 3 ? 3 : 2, 2., PETSC_TRUE, PETSC_TRUE, &w);
  for (int k = 0; k < 2; ++k) {
    DM  dm;
    Vec trace;

    PetscCall(MakeMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, cell, &dm));
    PetscCall(PlexTestHDGCreate(dm, 1, &w, PLEXBACKENDHOST, &hdg[k]));
    PetscCall(SetDegrees(hdg[k], 1, 3, PETSC_FALSE));
    PetscCall(PlexHDGGetKSP(hdg[k], &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(PlexHDGSolve(hdg[k]));
    PetscCall(PlexHDGGetSolution(hdg[k], &trace, NULL, NULL, NULL));
    PetscCall(VecGetSize(trace, &unknowns[k]));
    PetscCall(PlexHDGComputeErrorIndicator(hdg[k], NULL, &estimate[k]));
    PetscCall(DMDestroy(&dm));
  }
  difference = PetscAbsReal(estimate[0] - estimate[1]) / estimate[1];
  for (PetscInt probe = 0; probe < 3; ++probe) {
    for (int k = 0; k < 2; ++k) PetscCall(PlexHDGComputeL2Error(hdg[k], Probe, Probe, &probe, distance[k]));
    for (int k = 0; k < 3; ++k)
      difference = PetscMax(difference, PetscAbsReal(distance[0][k] - distance[1][k]) / distance[1][k]);
  }
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexHDGAdaptDegrees(hdg[k], 0.5, 9, &raised[k]));
    PetscCall(PlexHDGDestroy(&hdg[k]));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &difference, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12 && unknowns[0] == unknowns[1] && raised[0] == raised[1] &&
                                         raised[0] > 0),
                             NameOf(cell), "as on one process",
                             "distances to functions differ by %g, %" PetscInt_FMT " and %" PetscInt_FMT
                             " unknowns, %" PetscInt_FMT " and %" PetscInt_FMT " raised",
                             (double)difference, unknowns[0], unknowns[1], raised[0], raised[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One degree for all is what PlexHDGSetDegree() says, to the bit; twice the same is the same; other data is read */
static PetscErrorCode TestSettings(void)
{
  Quadratic       problem = {1., PETSC_FALSE};
  PlexTestWaves   w;
  PlexHDG         hdg;
  DM              dm;
  Vec             u, first[2];
  PetscBool       same[2];
  PetscReal       error[3];
  PetscInt        cStart, cEnd, Ne, n, sum = 0, *degrees;
  const PetscInt *cells;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(MakeMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, &dm));
  PetscCall(PlexTestHDGCreate(dm, 2, &w, PLEXBACKENDHOST, &hdg));
  for (int k = 0; k < 4; ++k) { /* uniform, several degrees, and again */
    if (k % 2) PetscCall(SetDegrees(hdg, 1, 3, PETSC_FALSE));
    else if (k) PetscCall(SetDegrees(hdg, 2, 2, PETSC_FALSE));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
    if (k < 2) {
      PetscCall(VecDuplicate(u, &first[k]));
      PetscCall(VecCopy(u, first[k]));
    } else {
      PetscCall(VecEqual(u, first[k - 2], &same[k - 2]));
    }
  }
  PetscCall(PlexTestReport(same[0], "one degree for all gives the same bits", "it does not"));
  PetscCall(PlexTestReport(same[1], "several degrees twice give the same bits", "they do not"));
  PetscCall(PlexHDGGetElements(hdg, &Ne, &cells));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &degrees));
  PetscCall(PlexHDGGetDegrees(hdg, degrees));
  PetscCall(VecGetLocalSize(u, &n));
  for (PetscInt e = 0; e < Ne; ++e) sum += (degrees[cells[e] - cStart] + 1) * (degrees[cells[e] - cStart] + 2) / 2;
  PetscCall(PlexTestReport((PetscBool)(sum == n), "u has as many numbers as elements of these degrees",
                           "%" PetscInt_FMT ", not %" PetscInt_FMT, n, sum));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMSetLabelValue(dm, "P", c, degrees[c - cStart]));
  PetscCall(PlexHDGSetDegree(hdg, 4));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_degrees_label", "P"));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(VecEqual(u, first[1], &same[1]));
  PetscCall(PlexTestReport(same[1], "degrees by a label give the same bits", "they do not"));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&first[k]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(QuadraticCreate(dm, &problem, &hdg));
  PetscCall(SetDegrees(hdg, 2, 3, PETSC_FALSE));
  PetscCall(PlexHDGSolve(hdg));
  problem.lambda = 3.;
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGComputeMaxError(hdg, QuadraticU, QuadraticQ, NULL, error));
  PetscCall(PlexTestReport((PetscBool)(error[0] < 1e-9), "another lambda and source after PlexHDGUpdate()", "error %g",
                           (double)error[0]));
  PetscCall(PetscFree(degrees));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r^(2/3) sin(2 a/3) */
static PetscErrorCode Corner(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscPowReal(x[0] * x[0] + x[1] * x[1], 1. / 3.) * PetscSinReal(2. / 3. * PetscAtan2Real(x[1], x[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CornerKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                  PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Corner(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CornerSolve(PlexHDG hdg, PetscInt *unknowns, PetscReal *error)
{
  PetscReal errors[3];
  Vec       trace;

  PetscFunctionBegin;
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, unknowns));
  PetscCall(PlexHDGComputeL2Error(hdg, Corner, NULL, NULL, errors));
  *error = errors[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a mesh that is graded towards a corner with a singularity: the error of degree 7 with fewer unknowns */
static PetscErrorCode TestAdaptivity(void)
{
  PetscInt     n[2], raised, steps = 0;
  PetscReal    error[2];
  PlexHDG      hdg;
  DM           dm;
  Vec          coordinates;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 6, PETSC_FALSE, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n[0]));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n[0]; ++k) x[k] *= x[k];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, CornerKnown, NULL));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetDegree(hdg, 7));
  PetscCall(CornerSolve(hdg, &n[0], &error[0]));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  do {
    PetscCall(CornerSolve(hdg, &n[1], &error[1]));
    PetscCall(PlexHDGAdaptDegrees(hdg, 0.2, 9, &raised));
  } while (error[1] > error[0] && raised && ++steps < 20);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "a corner: degree 7 has error %.3g with %" PetscInt_FMT
                        " unknowns, degrees after %" PetscInt_FMT " steps %.3g with %" PetscInt_FMT "\n",
                        (double)error[0], n[0], steps, (double)error[1], n[1]));
  PetscCall(PlexTestReport((PetscBool)(error[1] <= error[0] && n[1] < 0.75 * n[0]),
                           "p-adaptivity takes fewer unknowns than one degree",
                           "errors %g, %g with %" PetscInt_FMT ", %" PetscInt_FMT " unknowns", (double)error[0],
                           (double)error[1], n[0], n[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_HDF5)
static PetscErrorCode Read(const char file[], const char name[], PetscInt *n, PetscReal **values)
{
  hid_t h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set, space;

  PetscFunctionBegin;
  set   = H5Dopen2(h, name, H5P_DEFAULT);
  space = H5Dget_space(set);
  *n    = (PetscInt)H5Sget_simple_extent_npoints(space);
  PetscCall(PetscMalloc1(*n, values));
  PetscCheck(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0, PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "%s", name);
  (void)H5Sclose(space);
  (void)H5Dclose(set);
  (void)H5Fclose(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of triangles and quadrilaterals of several degrees: u is the polynomial at each point, cells have the numbers
   of points of their degrees */
static PetscErrorCode TestFile(void)
{
  Quadratic   problem = {1., PETSC_FALSE};
  PlexHDG     hdg;
  DM          dm;
  PetscReal  *x, *u, *star, *error, *degree, *offsets, *types, off = 0.;
  PetscInt    n, m, cells, wrong = 0;
  PetscMPIInt rank;
  char        file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PlexTestOwnFile("hdgdegrees", "vtkhdf", sizeof(file), file));
  PetscCall(MakeMesh(PETSC_COMM_WORLD, DM_POLYTOPE_UNKNOWN, &dm));
  PetscCall(QuadraticCreate(dm, &problem, &hdg));
  PetscCall(SetDegrees(hdg, 2, 4, PETSC_FALSE));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGWriteVTKHDF(hdg, file, QuadraticU, NULL));
  if (!rank) {
    PetscCall(Read(file, "VTKHDF/Points", &m, &x));
    PetscCall(Read(file, "VTKHDF/PointData/u", &n, &u));
    PetscCall(Read(file, "VTKHDF/PointData/star", &n, &star));
    PetscCall(Read(file, "VTKHDF/PointData/error", &n, &error));
    PetscCall(Read(file, "VTKHDF/PointData/degree", &n, &degree));
    PetscCall(Read(file, "VTKHDF/Offsets", &cells, &offsets));
    PetscCall(Read(file, "VTKHDF/Types", &cells, &types));
    for (PetscInt k = 0; k < n; ++k) {
      PetscScalar exact;

      PetscCall(QuadraticU(2, &x[3 * k], 1, &exact, NULL));
      off = PetscMax(off,
                     PetscMax(PetscAbsReal(u[k] - PetscRealPart(exact)), PetscAbsReal(star[k] - PetscRealPart(exact))));
      off = PetscMax(off, PetscAbsReal(error[k]));
    }
    for (PetscInt c = 0; c < cells; ++c) { /* Lagrange triangles are of type 69, quadrilaterals 70 */
      const PetscInt P = (PetscInt)degree[(PetscInt)offsets[c]], points = (PetscInt)(offsets[c + 1] - offsets[c]);

      if (points != (types[c] == 69. ? (P + 2) * (P + 3) / 2 : (P + 2) * (P + 2)) || P < 2 || P > 4) ++wrong;
    }
    PetscCall(PetscFree(x));
    PetscCall(PetscFree(u));
    PetscCall(PetscFree(star));
    PetscCall(PetscFree(error));
    PetscCall(PetscFree(degree));
    PetscCall(PetscFree(offsets));
    PetscCall(PetscFree(types));
    (void)remove(file);
  }
  PetscCallMPI(MPI_Bcast(&off, 1, MPIU_REAL, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(&wrong, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(off < 1e-9 && !wrong),
                           "a file of triangles and quadrilaterals of several degrees",
                           "off by %g, %" PetscInt_FMT " cells of other degrees", (double)off, wrong));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode SetUpIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSetUp((PlexHDG)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LevelsOfIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSolve((PlexHDG)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StateOfIt(void *ctx)
{
  Vec X;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateStateVec((PlexHDG)ctx, &X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SameProblem(PlexHDG hdg, PetscInt k, void *ctx)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode ManyOfIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSolveMany((PlexHDG)ctx, 2, SameProblem, NULL, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NodesOfIt(void *ctx)
{
  PetscInt Ne;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes((PlexHDG)ctx, &Ne, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DegreeTen(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(SetDegrees((PlexHDG)ctx, 10, 10, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoLabel(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSetDegreesByLabel((PlexHDG)ctx, "no such"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoSolution(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGAdaptDegrees((PlexHDG)ctx, 0.5, 9, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Nonlinear(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal k[], PetscReal slope[],
                                void *ctx)
{
  for (PetscInt d = 0; d < dim; ++d) k[d * (dim + 1)] = 1. + u * u;
  return PETSC_SUCCESS;
}

static PetscErrorCode TestMessages(void)
{
  Quadratic problem = {1., PETSC_FALSE};
  PlexHDG   hdg;
  DM        dm;

  PetscFunctionBegin;
  PetscCall(MakeMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, &dm));
  PetscCall(QuadraticCreate(dm, &problem, &hdg));
  EXPECT("degree 10", DegreeTen, hdg, "degrees 1 to 9, not 10", "PlexHDGSetDegrees()");
  EXPECT("no label", NoLabel, hdg, "no label 'no such'", "-plex_hdg_degrees_label");
  EXPECT("adaptivity without a solution", NoSolution, hdg, "no solution yet", "PlexHDGSolve()");
  PetscCall(SetDegrees(hdg, 1, 2, PETSC_FALSE));
  EXPECT("a state of several degrees", StateOfIt, hdg, "SNES or TS", "one type and one degree", "PlexHDGSetDegree()");
  EXPECT("several problems", ManyOfIt, hdg, "PlexHDGSolveMany()", "one type and one degree");
  EXPECT("nodes", NodesOfIt, hdg, "PlexHDGGetNodes()", "one type and one degree");
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_sell", "true"));
  EXPECT("SELL", LevelsOfIt, hdg, "-plex_hdg_sell", "leave the option out");
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_sell", "false"));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_lines", "true"));
  EXPECT("lines", LevelsOfIt, hdg, "-plex_hdg_lines", "leave the option out");
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_lines", "unknown"));
  PetscCall(PlexHDGSetPointwise(hdg, Nonlinear, PETSC_TRUE, NULL));
  EXPECT("kappa(u)", SetUpIt, hdg, "kappa depends on u", "several degrees", "PlexHDGSetDegree()");
  PetscCall(PlexHDGSetPointwise(hdg, NULL, PETSC_FALSE, NULL));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDEMULATE));
  EXPECT("kernels", SetUpIt, hdg, "several degrees have no kernels", "-plex_hdg_backend host");
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetCoefficients(hdg, NULL, NULL));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_STOKES));
  EXPECT("a system of several degrees", SetUpIt, hdg, "several degrees are for the system diffusion", "one of stokes",
         "PlexHDGSetDegree()");
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(MakeMesh(PETSC_COMM_WORLD, DM_POLYTOPE_UNKNOWN, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_ELASTICITY));
  EXPECT("elasticity of several types", SetUpIt, hdg, "several types are for the system diffusion", "one of elasticity",
         "refine_tosimplex");
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Order orders[] = {
  {DM_POLYTOPE_TRIANGLE, PETSC_FALSE, 1, 3, PETSC_FALSE},
  {DM_POLYTOPE_TRIANGLE, PETSC_FALSE, 1, 2, PETSC_TRUE },
  {DM_POLYTOPE_TRIANGLE, PETSC_FALSE, 2, 3, PETSC_TRUE },
  {DM_POLYTOPE_TRIANGLE, PETSC_TRUE,  2, 3, PETSC_TRUE },
  {DM_POLYTOPE_UNKNOWN,  PETSC_FALSE, 1, 1, PETSC_FALSE},
  {DM_POLYTOPE_UNKNOWN,  PETSC_FALSE, 3, 3, PETSC_FALSE},
  {DM_POLYTOPE_UNKNOWN,  PETSC_FALSE, 2, 4, PETSC_TRUE }
};

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON, DM_POLYTOPE_UNKNOWN};
  PetscMPIInt          size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cells); ++k) {
    if (size == 1) PetscCall(TestExact(cells[k], 1., PETSC_FALSE));
    else if (size == 2 || cells[k] == DM_POLYTOPE_UNKNOWN) PetscCall(TestProcesses(cells[k]));
  }
  PetscCall(TestExact(DM_POLYTOPE_UNKNOWN, 0., PETSC_TRUE));
  if (size == 1) {
    PetscCall(TestExact(DM_POLYTOPE_TETRAHEDRON, 1., PETSC_TRUE));
    PetscCall(TestExact(DM_POLYTOPE_TRIANGLE, -3., PETSC_FALSE));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(orders); ++k) PetscCall(TestOrder(&orders[k]));
    PetscCall(TestMessages());
    PetscCall(TestSettings());
    PetscCall(TestAdaptivity());
  }
#if PetscDefined(HAVE_HDF5)
  PetscCall(TestFile());
#endif
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
