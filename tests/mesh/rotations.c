static char help[] = "Rotations of the reference cell that permute the bases of elements.\n\n";

#include <plexgpu/private/meshimpl.h>
#include "problem.h"
#include "report.h"

/* Basis of the coordinates at the nodes of field 0, [Nn][Nv]: both are Lagrange's */
static PetscErrorCode TabulateNodes(PlexElements el, PetscReal psi[])
{
  PetscFE         fe, linear;
  PetscDualSpace  dual;
  PetscTabulation T;
  PetscReal      *xi;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscMalloc1(el->Nn[0] * el->dim, &xi));
  for (PetscInt n = 0; n < el->Nn[0]; ++n) {
    PetscQuadrature  functional;
    const PetscReal *point;

    PetscCall(PetscDualSpaceGetFunctional(dual, n * el->Nc[0], &functional));
    PetscCall(PetscQuadratureGetData(functional, NULL, NULL, NULL, &point, NULL));
    PetscCall(PetscArraycpy(&xi[n * el->dim], point, el->dim));
  }
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, el->dim, 1, el->cellType, 1, PETSC_DETERMINE, &linear));
  PetscCall(PetscFECreateTabulation(linear, 1, el->Nn[0], xi, 0, &T));
  PetscCall(PetscArraycpy(psi, T->T[0], el->Nn[0] * el->Nv));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&linear));
  PetscCall(PetscFree(xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dof of a turned element is where the dof that it stands for was, with its component; x[Nv][dim] are any numbers */
static PetscReal Distance(PlexElements el, const PetscReal psi[], const PetscReal x[], const int dofs[],
                          const int vertices[])
{
  const PetscInt Nc   = el->Nc[0];
  PetscReal      most = 0.;

  for (PetscInt i = 0; i < el->ef; ++i) {
    if (dofs[i] < 0 || dofs[i] >= el->ef || dofs[i] % Nc != i % Nc) return PETSC_INFINITY;
    for (PetscInt d = 0; d < el->dim; ++d) {
      PetscReal turned = 0., was = 0.;

      for (PetscInt v = 0; v < el->Nv; ++v) {
        turned += psi[i / Nc * el->Nv + v] * x[vertices[v] * el->dim + d];
        was += psi[dofs[i] / Nc * el->Nv + v] * x[v * el->dim + d];
      }
      most = PetscMax(most, PetscAbsReal(turned - was));
    }
  }
  return most;
}

/* det J at the first point, of element 0 with its nodes in another order: a reflection would change its sign */
static PetscReal Determinant(PlexElements el, const int vertices[])
{
  const PetscInt dim  = el->dim;
  PetscReal      J[9] = {0.};

  for (PetscInt v = 0; v < el->Nv; ++v)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt k = 0; k < dim; ++k)
        J[d * dim + k] += el->x[el->vertices[vertices[v]] * dim + d] * el->dpsi[v * dim + k];
  if (dim == 2) return J[0] * J[3] - J[1] * J[2];
  return J[0] * (J[4] * J[8] - J[5] * J[7]) + J[1] * (J[5] * J[6] - J[3] * J[8]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

/* expected rotations, all different, with and without the quadrature's points */
static PetscErrorCode TestCell(DMPolytopeType cell, PetscInt degree, PetscInt components, PetscInt expected)
{
  const PlexTestProblem problem = {.cell       = cell,
                                   .degree     = degree,
                                   .components = components,
                                   .form       = PLEX_TEST_GENERAL,
                                   .cells      = 4};
  PlexElements          el;
  DM                    dm;
  PetscReal            *psi, x[24], most = 0., least = PETSC_INFINITY;
  PetscInt              n[2], twice = 0;
  int                  *dofs, *vertices;
  char                  name[128];

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PetscMalloc1(el->Nn[0] * el->Nv, &psi));
  PetscCall(TabulateNodes(el, psi));
  for (PetscInt i = 0; i < el->Nv * el->dim; ++i) x[i] = PetscSinReal(12.9898 * (i + 1));
  PetscCall(PlexElementsGetRotations(el, PETSC_FALSE, &n[0], &dofs, &vertices));
  for (PetscInt k = 0; k < n[0]; ++k) {
    PetscBool same = PETSC_FALSE;

    most  = PetscMax(most, Distance(el, psi, x, &dofs[k * el->ef], &vertices[k * el->Nv]));
    least = PetscMin(least, Determinant(el, &vertices[k * el->Nv]));
    for (PetscInt m = 0; m < k && !same; ++m)
      PetscCall(PetscArraycmp(&vertices[k * el->Nv], &vertices[m * el->Nv], el->Nv, &same));
    twice += same;
  }
  PetscCall(PlexElementsRestoreRotations(&dofs, &vertices));
  PetscCall(PlexElementsGetRotations(el, PETSC_TRUE, &n[1], &dofs, &vertices));
  PetscCall(PlexElementsRestoreRotations(&dofs, &vertices));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s of degree %" PetscInt_FMT ", %" PetscInt_FMT " components: %" PetscInt_FMT " rotations",
                          DMPolytopeTypes[cell], degree, components, expected));
  PetscCall(PlexTestReport((PetscBool)(n[0] == expected && n[1] == expected && !twice && most < 1e-10 && least > 0.),
                           name,
                           "%" PetscInt_FMT " and with quadrature %" PetscInt_FMT ", %" PetscInt_FMT
                           " twice, dofs off by %g, determinant %g",
                           n[0], n[1], twice, (double)most, (double)least));
  PetscCall(PetscFree(psi));
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt degree = 1; degree <= 3; ++degree) {
    PetscCall(TestCell(DM_POLYTOPE_TRIANGLE, degree, 2, 3));
    PetscCall(TestCell(DM_POLYTOPE_QUADRILATERAL, degree, 1, 4));
    PetscCall(TestCell(DM_POLYTOPE_TETRAHEDRON, degree, 1, 12));
    PetscCall(TestCell(DM_POLYTOPE_HEXAHEDRON, degree, degree == 1 ? 3 : 1, 24));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
