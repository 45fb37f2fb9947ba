static char help[] = "PlexHDGGetNodes() and PlexHDGComputeNodeValues(): the nodes that cells have to have, and the "
                     "values of a solution that is known.\n\n";

#include "hdgproblem.h"
#include "nodes.h"
#include "report.h"

/* u = 1 + x + 2 y + 3 z, q = grad u */
static PetscErrorCode Linear(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  u[0] = 1.;
  for (PetscInt d = 0; d < dim; ++d) u[0] += (1. + d) * x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Linear(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of u, q or star at the nodes */
static PetscErrorCode NodeError(PlexHDG hdg, PetscInt dim, PetscInt Nc, Vec v, PetscReal *error)
{
  const PetscReal *x;
  PetscScalar     *values, exact;
  PetscInt         Ne, Np;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PetscMalloc1(Ne * Nc * Np + 1, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, Nc, v, values));
  *error = 0.;
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt c = 0; c < Nc; ++c) {
        exact = 1. + c;
        if (Nc == 1) PetscCall(Linear(dim, &x[(e * Np + i) * dim], 1, &exact, NULL));
        *error = PetscMax(*error, PetscAbsScalar(values[(e * Nc + c) * Np + i] - exact));
      }
    }
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(DMPolytopeType cell, PetscInt degree, DM *dm, PlexHDG *hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexHDGCreate(*dm, hdg));
  PetscCall(PlexHDGSetDegree(*hdg, degree));
  PetscCall(PlexHDGSetBackend(*hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNodes(DMPolytopeType cell, PetscInt degree)
{
  const PetscReal *x, *again;
  PetscReal        worst[4], largest[4]; /* distance; errors of u, q, star */
  PetscInt         Ne, Np, dim;
  char             of[64];
  DM               dm;
  PlexHDG          hdg;
  Vec              u, q, star;

  PetscFunctionBegin;
  PetscCall(CreateProblem(cell, degree, &dm, &hdg));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexTestNodesDistance(dm, degree, Ne, Np, x, &worst[0]));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, &q, &star));
  PetscCall(NodeError(hdg, dim, 1, u, &worst[1]));
  PetscCall(NodeError(hdg, dim, dim, q, &worst[2]));
  PetscCall(NodeError(hdg, dim, 1, star, &worst[3]));
  PetscCall(PlexHDGGetNodes(hdg, NULL, NULL, &again));
  PetscCallMPI(MPIU_Allreduce(worst, largest, 4, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s of degree %" PetscInt_FMT, DMPolytopeTypes[cell], degree));
  PetscCall(PlexTestReportOf((PetscBool)(largest[0] < 1e-14), of, "the cells' nodes", "%g", (double)largest[0]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[1] < 1e-11), of, "u", "%g", (double)largest[1]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[2] < 1e-10), of, "q", "%g", (double)largest[2]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[3] < 1e-11), of, "star", "%g", (double)largest[3]));
  PetscCall(PlexTestReportOf((PetscBool)(again == x), of, "the same array again", "another one"));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the trace, or of u as if it were q */
static PetscErrorCode WrongVector(void *ctx)
{
  const PetscBool which = *(PetscBool *)ctx;
  PetscScalar     values[1];
  DM              dm;
  PlexHDG         hdg;
  Vec             trace, u, q, star;

  PetscFunctionBegin;
  PetscCall(CreateProblem(DM_POLYTOPE_TRIANGLE, 2, &dm, &hdg));
  PetscCall(PlexHDGCreateVecs(hdg, &trace, &u, &q, &star));
  PetscCall(PlexHDGComputeNodeValues(hdg, which ? 2 : 1, which ? u : trace, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_QUADRILATERAL};
  PetscBool            which[] = {PETSC_FALSE, PETSC_TRUE};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cells); ++k)
    for (PetscInt degree = 1; degree <= 3; ++degree) PetscCall(TestNodes(cells[k], degree));
  EXPECT("values of the trace", WrongVector, &which[0], "is no u, q or star", "PlexHDGCreateVecs()");
  EXPECT("u with two components", WrongVector, &which[1], "of 2 components", "1 component of u and star");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
