static char help[] = "What is left to PETSc, and the reason given.\n\n";

#include <plexgpu/private/meshimpl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* A mesh of triangles with Nf scalar fields */
static PetscErrorCode CreateProblem(PetscInt Nf, DM *dm, PetscDS *ds)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 1, dm));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 1, 2, &fe));
    PetscCall(DMSetField(*dm, f, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, ds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One scalar field of degree 1 or more on a mesh that is there */
static PetscErrorCode AddField(DM dm, PetscInt degree)
{
  DMPolytopeType ct;
  PetscFE        fe;
  PetscInt       dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, ct, degree, degree + 1, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* expected: a part of the reason; NULL: none. Destroys the DM. */
static PetscErrorCode CheckReason(DM *dm, const char expected[], const char name[])
{
  char *reason, *found = NULL;

  PetscFunctionBegin;
  PetscCall(PlexElementsSupported(*dm, &reason));
  if (reason && expected) PetscCall(PetscStrstr(reason, expected, &found));
  PetscCall(PlexTestReport(expected ? (PetscBool)(found != NULL) : (PetscBool)!reason, name, "%s, expected %s",
                           reason ? reason : "no reason", expected ? expected : "none"));
  PetscCall(PetscFree(reason));
  PetscCall(DMDestroy(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void flux(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                 const PetscScalar constants[], PetscScalar f[])
{
  f[0] = 1.;
}

static void stiffness(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                      const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                      const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                      PetscReal t, PetscReal shift, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                      const PetscScalar constants[], PetscScalar g[])
{
  g[0] = 1.;
}

/* A natural boundary: nothing to integrate, a function, a preconditioner's */
static PetscErrorCode TestBoundary(void)
{
  const char *const names[] = {"natural boundary without functions", "natural boundary with a function",
                               "preconditioner's function on a boundary"};
  const PetscInt    one     = 1;
  DM                dm;
  DMLabel           label;
  PetscDS           ds;
  PetscWeakForm     wf;
  PetscInt          bd;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(CreateProblem(1, &dm, &ds));
    PetscCall(DMGetLabel(dm, "boundary", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "outlet", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
    PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    if (k) PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, 1, 0, 0, 0, flux, 0, NULL));
    if (k == 2)
      PetscCall(PetscWeakFormSetIndexBdJacobianPreconditioner(wf, label, 1, 0, 0, 0, 0, stiffness, 0, NULL, 0, NULL, 0,
                                                              NULL));
    PetscCall(CheckReason(&dm, NULL, names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two regions: constants on one of them reach nowhere; a linear field reaches into cells of the other; facets */
static PetscErrorCode TestRegions(void)
{
  const char *const names[]          = {"constant field on a region", "linear field on a region",
                                        "natural boundary with two regions"},
                    *const reasons[] = {NULL, "dofs of a field of another region", "boundary integrals on boundary"};
  const PetscInt           one       = 1;
  DM                       dm;
  DMLabel                  label, boundary;
  PetscDS                  ds;
  PetscFE                  fe;
  PetscWeakForm            wf;
  PetscInt                 bd;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 1, &dm));
    PetscCall(DMCreateLabel(dm, "part"));
    PetscCall(DMGetLabel(dm, "part", &label));
    for (PetscInt c = 0; c < 4; ++c) PetscCall(DMLabelSetValue(label, c, 1));
    if (k == 1) PetscCall(DMPlexLabelComplete(dm, label));
    for (PetscInt f = 0; f < 2; ++f) {
      PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, f && k != 1 ? 0 : 1, 2, &fe));
      PetscCall(DMAddField(dm, f ? label : NULL, (PetscObject)fe));
      PetscCall(PetscFEDestroy(&fe));
    }
    PetscCall(DMCreateDS(dm));
    if (k == 2) {
      PetscCall(DMGetDS(dm, &ds));
      PetscCall(DMGetLabel(dm, "boundary", &boundary));
      PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "outlet", boundary, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
      PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
      PetscCall(PetscWeakFormSetIndexBdResidual(wf, boundary, 1, 0, 0, 0, flux, 0, NULL));
    }
    PetscCall(CheckReason(&dm, reasons[k], names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFields(void)
{
  DM              dm;
  PetscDS         ds;
  PetscFE         fe;
  PetscFV         fv;
  PetscQuadrature quad;

  PetscFunctionBegin;
  PetscCall(CreateProblem(0, &dm, &ds));
  PetscCall(CheckReason(&dm, "no fields", "no fields"));
  PetscCall(CreateProblem(40, &dm, &ds));
  PetscCall(CheckReason(&dm, NULL, "40 fields"));

  PetscCall(CreateProblem(2, &dm, &ds));
  PetscCall(PetscDSSetImplicit(ds, 1, PETSC_FALSE));
  PetscCall(CheckReason(&dm, NULL, "explicit field"));

  PetscCall(CreateProblem(2, &dm, &ds));
  PetscCall(PetscDSSetForceQuad(ds, PETSC_FALSE));
  PetscCall(PetscDSGetDiscretization(ds, 1, (PetscObject *)&fe));
  PetscCall(PetscDTStroudConicalQuadrature(2, 1, 4, -1., 1., &quad));
  PetscCall(PetscFESetQuadrature(fe, quad));
  PetscCall(PetscQuadratureDestroy(&quad));
  PetscCall(CheckReason(&dm, "fields 0 and 1 have different quadratures", "two quadratures"));

  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_QUADRILATERAL, 1, &dm));
  PetscCall(PetscFVCreate(PETSC_COMM_SELF, &fv));
  PetscCall(PetscFVSetSpatialDimension(fv, 2));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fv));
  PetscCall(PetscFVDestroy(&fv));
  PetscCall(DMCreateDS(dm));
  PetscCall(CheckReason(&dm, "finite volume field 0", "finite volumes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quadrilateral and a triangle */
static PetscErrorCode CreateMixedMesh(DM *dm)
{
  const PetscInt    numPoints[2] = {5, 2}, coneSize[7] = {4, 3, 0, 0, 0, 0, 0}, cones[7] = {2, 3, 4, 5, 3, 6, 4},
                    orientations[7] = {0};
  const PetscScalar coordinates[10] = {0., 0., 1., 0., 1., 1., 0., 1., 2., 0.};
  DM                plain;

  PetscFunctionBegin;
  PetscCall(DMPlexCreate(PETSC_COMM_SELF, &plain));
  PetscCall(DMSetDimension(plain, 2));
  PetscCall(DMPlexCreateFromDAG(plain, 1, numPoints, coneSize, cones, orientations, coordinates));
  PetscCall(DMPlexInterpolate(plain, dm));
  PetscCall(DMDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMeshes(void)
{
  DM             dm, dmAux;
  PetscDS        ds;
  PetscFE        fe;
  Vec            aux;
  PetscSection   anchors;
  IS             anchorIS;
  PetscInt       vStart, cone[2], bd;
  DMLabel        label;
  PetscWeakForm  wf;
  const PetscInt one = 1;

  PetscFunctionBegin;
  PetscCall(CreateMixedMesh(&dm));
  PetscCall(CheckReason(&dm, "mixed cell types", "a quadrilateral and a triangle"));

  for (PetscInt degree = 1; degree < 3; ++degree) {
    PetscCall(DMPlexCreateReferenceCell(PETSC_COMM_SELF, DM_POLYTOPE_TRI_PRISM, &dm));
    PetscCall(AddField(dm, degree));
    PetscCall(CheckReason(&dm, degree == 1 ? NULL : "prisms of a degree", degree == 1 ? "prism" : "prism, degree 2"));
  }
  PetscCall(DMPlexCreateReferenceCell(PETSC_COMM_SELF, DM_POLYTOPE_PYRAMID, &dm));
  PetscCall(CheckReason(&dm, "cells of type", "pyramid"));

  PetscCall(DMPlexCreateSphereMesh(PETSC_COMM_SELF, 2, PETSC_TRUE, 1., &dm));
  PetscCall(AddField(dm, 1));
  PetscCall(CheckReason(&dm, NULL, "sphere"));

  PetscCall(PlexTestMeshInSpace(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 3, 0, &dm));
  PetscCall(AddField(dm, 1));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "outlet", label, 1, &one, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, 1, 0, 0, 0, flux, 0, NULL));
  PetscCall(CheckReason(&dm, "boundary integrals on boundary \"outlet\" of cells of dimension 2 in 3",
                        "boundary of a surface"));

  PetscCall(CreateProblem(1, &dm, &ds));
  PetscCall(DMCreateLocalVector(dm, &aux));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, aux));
  PetscCall(VecDestroy(&aux));
  PetscCall(CheckReason(&dm, NULL, "auxiliary field"));

  PetscCall(CreateProblem(1, &dm, &ds));
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 1, 3, &fe));
  PetscCall(DMAddField(dmAux, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(DMCreateLocalVector(dmAux, &aux));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, aux));
  PetscCall(VecDestroy(&aux));
  PetscCall(DMDestroy(&dmAux));
  PetscCall(CheckReason(&dm, "auxiliary field 0 has", "auxiliary field with a quadrature of its own"));

  PetscCall(PetscOptionsSetValue(NULL, "-printed_dm_plex_print_fem", "2"));
  PetscCall(CreateProblem(1, &dm, &ds));
  PetscCall(DMSetOptionsPrefix(dm, "printed_"));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(CheckReason(&dm, "printed", "element data printed"));

  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 1, &dm));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, NULL));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &anchors));
  PetscCall(PetscSectionSetChart(anchors, vStart, vStart + 1));
  PetscCall(PetscSectionSetDof(anchors, vStart, 2));
  PetscCall(PetscSectionSetUp(anchors));
  cone[0] = vStart + 1;
  cone[1] = vStart + 2;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 2, cone, PETSC_COPY_VALUES, &anchorIS));
  PetscCall(DMPlexSetAnchors(dm, anchors, anchorIS));
  PetscCall(PetscSectionDestroy(&anchors));
  PetscCall(ISDestroy(&anchorIS));
  PetscCall(AddField(dm, 1));
  PetscCall(CheckReason(&dm, NULL, "anchors"));

  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_QUADRILATERAL, 1, &dm));
  PetscCall(AddField(dm, 2));
  PetscCall(DMPlexSetClosurePermutationTensor(dm, PETSC_DETERMINE, NULL));
  PetscCall(CheckReason(&dm, "closure permutation", "permuted closure"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of vectors at vertices and edges; of which one component is held somewhere; with two nodes an edge */
static PetscErrorCode TestBasis(void)
{
  const char *const names[] = {"basis transform", "basis transform, one component held", "basis transform, degree 3"},
                    *reasons[] = {NULL, "held and others are free", "several nodes at a mesh point"};
  PlexTestProblem   problem    = {.cell = DM_POLYTOPE_TRIANGLE, .components = 2, .form = PLEX_TEST_GENERAL};
  DM                dm;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    problem.degree = k == 2 ? 3 : 2;
    problem.whole  = (PetscBool)(k != 1);
    PetscCall(PlexTestProblemCreate(&problem, &dm));
    PetscCall(DMPlexCreateBasisRotation(dm, 0.3, 0., 0.));
    PetscCall(CheckReason(&dm, reasons[k], names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestBoundary());
  PetscCall(TestRegions());
  PetscCall(TestFields());
  PetscCall(TestMeshes());
  PetscCall(TestBasis());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
