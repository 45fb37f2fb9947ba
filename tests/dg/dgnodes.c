static char
  help[] = "PlexDGGetNodes(): the nodes that cells have to have, and those at which states are projected.\n\n";

#include "dgproblem.h"
#include "nodes.h"
#include "report.h"

/* The positions at which it is called, in order */
typedef struct {
  PetscReal *x;
  PetscInt   n;
} Seen;

static PetscErrorCode Note(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  Seen *seen = (Seen *)ctx;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 1. + k + x[k % dim];
  PetscCall(PetscArraycpy(&seen->x[seen->n], x, dim));
  seen->n += dim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(DMPolytopeType cell, PetscInt degree, DM *dm, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexDGCreate(*dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "acoustics_uniform"));
  PetscCall(PlexDGSetDegree(*dg, degree));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  if (cell == DM_POLYTOPE_QUADRILATERAL) PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNodes(DMPolytopeType cell, PetscInt degree)
{
  const PetscReal   *x, *again;
  const PetscScalar *u;
  PetscReal          worst[3] = {0.}, largest[3]; /* distance, positions, values */
  PetscInt           Ne, Np, Nf, dim;
  const char *const *names;
  Seen               seen = {0};
  char               of[64];
  DM                 dm;
  PlexDG             dg;
  Vec                U;

  PetscFunctionBegin;
  PetscCall(CreateOperator(cell, degree, &dm, &dg));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexTestNodesDistance(dm, degree, Ne, Np, x, &worst[0]));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PetscMalloc1(Ne * Np * dim + 1, &seen.x));
  PetscCall(PlexDGProject(dg, 0., Note, &seen, U));
  if (seen.n != Ne * Np * dim) worst[1] = PETSC_INFINITY;
  else
    for (PetscInt i = 0; i < seen.n; ++i) worst[1] = PetscMax(worst[1], PetscAbsReal(seen.x[i] - x[i]));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt k = 0; k < 1 + dim; ++k)
      for (PetscInt i = 0; i < Np; ++i)
        worst[2] = PetscMax(worst[2], PetscAbsScalar(u[(e * (1 + dim) + k) * Np + i] -
                                                     (1. + k + x[(e * Np + i) * dim + k % dim])));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGGetFields(dg, &Nf, &names));
  PetscCall(PlexTestReport((PetscBool)(Nf == 1 + dim && !strcmp(names[0], "p") && !strcmp(names[1], "vx")),
                           "PlexDGGetFields()", "%" PetscInt_FMT " fields, the first one %s", Nf, names[0]));
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &again));
  PetscCallMPI(MPIU_Allreduce(worst, largest, 3, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s of degree %" PetscInt_FMT, DMPolytopeTypes[cell], degree));
  PetscCall(PlexTestReportOf((PetscBool)(largest[0] < 1e-14), of, "the cells' nodes", "%g", (double)largest[0]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[1] == 0.), of, "positions of a projection", "%g", (double)largest[1]));
  PetscCall(PlexTestReportOf((PetscBool)(largest[2] == 0.), of, "values of a state", "%g", (double)largest[2]));
  PetscCall(PlexTestReportOf((PetscBool)(again == x), of, "the same array again", "another one"));
  PetscCall(PlexDGSetDegree(dg, degree + 1));
  PetscCall(PlexDGGetNodes(dg, NULL, &Ne, NULL));
  PetscCall(PlexTestReportOf((PetscBool)(Ne > Np), of, "more nodes of another degree", "%" PetscInt_FMT, Ne));
  PetscCall(PetscFree(seen.x));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithoutSystem(void *ctx)
{
  const PetscReal *x;
  DM               dm;
  PlexDG           dg;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_QUADRILATERAL};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cells); ++k)
    for (PetscInt degree = 1; degree <= 3; ++degree) PetscCall(TestNodes(cells[k], degree));
  EXPECT("no system", WithoutSystem, NULL, "no system of equations", "PlexDGSetSystem()");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
