#include "tensorforms.h"
#include "meshes.h"
#include "problem.h"
#include "benchmarks/shuffle.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "coefficients.h"

// clang-format off
static const PlexTestTensorForm forms[] = {
  {"Laplacian", {NULL, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_TRUE, PETSC_FALSE,
   PETSC_FALSE},
  {"all parts", {g0_any, g1_any, g2_any, g3_any}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_FALSE},
  {"all parts, vector", {g0_any, g1_any, g2_any, g3_any}, {NULL}, PETSC_TRUE, PETSC_FALSE, -1, 0, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"elasticity", {NULL, NULL, NULL, g3_elastic}, {NULL}, PETSC_TRUE, PETSC_FALSE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_FALSE},
  {"mixed", {g0_any, NULL, NULL, g3_elastic}, {NULL}, PETSC_TRUE, PETSC_TRUE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_FALSE},
  {"constants", {g0_constants, NULL, NULL, g3_constants}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"time shift", {g0_shift, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_TRUE, PETSC_FALSE,
   PETSC_FALSE},
  {"dynamic", {NULL, NULL, g2_any, g3_laplace}, {g0_any, g1_any, NULL, NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0,
   PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
  {"coefficient, degree 0", {g0_any, NULL, NULL, g3_coefficient}, {NULL}, PETSC_FALSE, PETSC_FALSE, 0, 0, PETSC_TRUE,
   PETSC_FALSE, PETSC_FALSE},
  {"coefficient, degree 1", {g0_any, NULL, NULL, g3_coefficient}, {NULL}, PETSC_TRUE, PETSC_FALSE, 1, 1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"coefficient, degree 2", {g0_any, NULL, NULL, g3_coefficient}, {NULL}, PETSC_FALSE, PETSC_FALSE, 2, 2, PETSC_TRUE,
   PETSC_FALSE, PETSC_FALSE},
  {"coefficient squared", {g0_squared, g1_slope, g2_any, g3_any}, {NULL}, PETSC_FALSE, PETSC_FALSE, 1, 2, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"position", {NULL, NULL, NULL, g3_position}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 2, PETSC_TRUE, PETSC_TRUE,
   PETSC_FALSE},
  {"nonlinear", {g0_nonlinear, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"branch, negative", {g0_negative, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"branch, large", {g0_hot, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"branch, derivative", {g0_steep, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"branch, zero", {g0_still, NULL, NULL, g3_laplace}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"everything", {g0_squared, g1_slope, g2_any, g3_constants}, {g0_shift, g1_any, NULL, NULL}, PETSC_FALSE, PETSC_FALSE,
   1, 2, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
  /* beyond polynomials; a number that only one value of a coefficient makes; for quadrature */
  {"wave", {NULL, NULL, NULL, g3_wave}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 4, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE},
  {"material", {NULL, NULL, NULL, g3_material}, {NULL}, PETSC_FALSE, PETSC_FALSE, 0, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_FALSE},
  {"nonlinear, all parts", {g0_nonlinear, g1_nonlinear, g2_nonlinear, g3_nonlinear}, {g0_any, NULL, NULL, g3_laplace},
   PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
  {"nonlinear, isotropic", {NULL, NULL, g2_nonlinear, g3_isotropic}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1,
   PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
  {"nonlinear, narrow", {NULL, NULL, NULL, g3_narrow}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"nonlinear, gradients", {NULL, NULL, NULL, g3_isotropic}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  /* all components of a node held, or none */
  {"elasticity, held", {NULL, NULL, NULL, g3_elastic}, {NULL}, PETSC_TRUE, PETSC_FALSE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_TRUE},
  {"stiffness, held", {NULL, NULL, NULL, g3_any}, {NULL}, PETSC_TRUE, PETSC_FALSE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_TRUE},
  {"stiffness, scalar", {NULL, NULL, NULL, g3_any}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_TRUE},
  {"anisotropic, held", {NULL, NULL, NULL, g3_anisotropic}, {NULL}, PETSC_FALSE, PETSC_FALSE, -1, 0, PETSC_TRUE,
   PETSC_FALSE, PETSC_TRUE},
  /* by a number of each element */
  {"anisotropic, each", {NULL, NULL, NULL, g3_anisotropic_each}, {NULL}, PETSC_FALSE, PETSC_FALSE, 0, 0, PETSC_TRUE,
   PETSC_FALSE, PETSC_TRUE},
  {"elasticity, each", {NULL, NULL, NULL, g3_elastic_each}, {NULL}, PETSC_TRUE, PETSC_FALSE, 0, 0, PETSC_FALSE,
   PETSC_FALSE, PETSC_FALSE},
  {"stiffness, each", {NULL, NULL, NULL, g3_any_each}, {NULL}, PETSC_TRUE, PETSC_FALSE, 0, 0, PETSC_FALSE, PETSC_FALSE,
   PETSC_TRUE}
};
// clang-format on

PetscErrorCode PlexTestGetTensorForm(PetscInt k, const PlexTestTensorForm **form)
{
  PetscFunctionBegin;
  PetscCheck(k >= 0 && k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(forms), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "No form %" PetscInt_FMT, k);
  *form = &forms[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFindTensorForm(const char name[], const PlexTestTensorForm **form)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(forms) && !same; ++k) {
    *form = &forms[k];
    PetscCall(PetscStrcmp(name, forms[k].name, &same));
  }
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "No form '%s'", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMoveBox(DM dm, PetscReal bend)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) x[i + 1] += bend * x[i] * x[i];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateBox(DMPolytopeType cell, DM *dm)
{
  const PetscInt faces[3] = {3, 2, 2}, dim = DMPolytopeTypeGetDim(cell);
  Vec            coordinates;
  PetscScalar   *x;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    x[i] += 0.3 * x[i + 1];
    if (dim == 3) x[i + 1] += 0.2 * x[i + 2];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "held" is 1 on one facet of the boundary, 2 on another, so that small meshes keep dofs that are free */
static PetscErrorCode MarkHeld(DM dm)
{
  DMLabel  held;
  PetscInt n, *facets;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "held", &held));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  if (n) PetscCall(DMLabelSetValue(held, facets[0], 1));
  if (n) PetscCall(DMLabelSetValue(held, facets[n - 1], 2));
  PetscCall(PetscFree(facets));
  PetscCall(DMPlexLabelComplete(dm, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(DM dm, const PlexTestTensorSpace *space, PetscInt components, PetscInt degree,
                               PetscInt order)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, DMPolytopeTypeGetDim(space->cell), components, space->cell,
                                        degree, order, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddCoefficient(DM dm, const PlexTestTensorSpace *space, PetscInt degree)
{
  DM      dmAux;
  Vec     a;
  PetscFE fe, main;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(AddField(dmAux, space, 1, degree, PETSC_DETERMINE));
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&main));
  PetscCall(DMGetField(dmAux, 0, NULL, (PetscObject *)&fe));
  PetscCall(PetscFECopyQuadrature(main, fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(PlexTestLocalVector(dmAux, 5, &a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestTensorProblemCreate(const PlexTestTensorSpace *space, const PlexTestTensorForm *form, DM *dm)
{
  const PetscInt    one = 1, two = 2, component = 0, dim = DMPolytopeTypeGetDim(space->cell);
  const PetscScalar constants[4] = {0.6, 1.4, 0.3, -0.2};
  PetscBool         shuffle;
  PetscDS           ds;
  DMLabel           held;
  DMField           field;

  PetscFunctionBegin;
  if (space->box) PetscCall(CreateBox(space->cell, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, space->cell, 0, dm));
  PetscCall(PlexTestKeepCells(dm, PetscMax(0, space->cells)));
  for (PetscInt k = 0; k < -space->cells; ++k) {
    DM finer;

    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_WORLD, &finer));
    PetscCall(DMDestroy(dm));
    *dm = finer;
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, "-shuffle", &shuffle));
  if (shuffle) PetscCall(MeshShuffle(dm, 0));
  PetscCall(MarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(DMGetCoordinateField(*dm, &field));
  PetscCall(AddField(*dm, space, form->vector ? dim : 1, space->degree, space->degree));
  if (form->mixed) PetscCall(AddField(*dm, space, 1, space->degree - 1, space->degree));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, form->g[0], form->g[1], form->g[2], form->g[3]));
  if (form->d[0] || form->d[1])
    PetscCall(PetscDSSetDynamicJacobian(ds, 0, 0, form->d[0], form->d[1], form->d[2], form->d[3]));
  if (form->mixed) {
    PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, g2_gradient, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, g1_divergence, NULL, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_any, NULL, NULL, NULL));
  }
  PetscCall(PetscDSSetConstants(ds, 4, (PetscScalar *)constants));
  PetscCall(DMGetLabel(*dm, "held", &held));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                          NULL, NULL));
  if (!form->held)
    PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "guided", held, 1, &two, 0, 1, &component,
                            (PetscVoidFn *)PlexTestZero, NULL, NULL, NULL));
  if (form->aux >= 0) PetscCall(AddCoefficient(*dm, space, form->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}
