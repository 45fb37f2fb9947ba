/* Fields whose dofs are values at nodes: which node and component each dof is, and the coordinate basis at the nodes. */
#include "elementsimpl.h"
#include "nodalspace.h"

/* The functionals of a space of values at nodes: one 1 in each row of the matrix from values at nodes to dofs. *value
   NULL: it is of another kind; else functional i is the value number value[i] = node * Nc + component. */
static PetscErrorCode PlexDualSpaceGetNodes(PetscDualSpace sp, PetscQuadrature *nodes, PetscInt *value[])
{
  Mat       all;
  PetscInt  m, k;
  PetscBool nodal;

  PetscFunctionBegin;
  *value = NULL;
  PetscCall(PetscDualSpaceGetFormDegree(sp, &k));
  PetscCall(PetscDualSpaceGetAllData(sp, nodes, &all));
  nodal = (PetscBool)(!k && all);
  if (!nodal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(all, &m, NULL));
  PetscCall(PetscMalloc1(m, value));
  for (PetscInt i = 0; i < m && nodal; ++i) {
    const PetscInt    *cols;
    const PetscScalar *a;
    PetscInt           n, ones = 0;

    PetscCall(MatGetRow(all, i, &n, &cols, &a));
    for (PetscInt j = 0; j < n; ++j) {
      if (a[j] == 1.) {
        (*value)[i] = cols[j];
        ++ones;
      } else if (a[j] != 0.) nodal = PETSC_FALSE;
    }
    PetscCall(MatRestoreRow(all, i, &n, &cols, &a));
    if (ones != 1) nodal = PETSC_FALSE;
  }
  if (!nodal) PetscCall(PetscFree(*value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNodalSpaceCreate(DM dm, PetscDS ds, PetscInt f, PetscInt cell, PlexNodalSpace *space)
{
  PetscFE         fe, coordinateFE;
  PetscDualSpace  sp;
  PetscQuadrature quad;
  PetscTabulation T;
  DMPolytopeType  ct;
  PetscReal      *dpsi;
  PetscBool       map;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(space, sizeof(*space)));
  PetscCall(PetscDSGetDiscretization(ds, f, (PetscObject *)&fe));
  PetscCall(PetscFEGetDualSpace(fe, &sp));
  PetscCall(PlexDualSpaceGetNodes(sp, &quad, &space->value));
  if (!space->value || cell < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFEGetDimension(fe, &space->Nb));
  PetscCall(PetscFEGetNumComponents(fe, &space->Nc));
  PetscCall(PetscDSGetTotalDimension(ds, &space->ef));
  PetscCall(PetscDSGetFieldOffset(ds, f, &space->offset));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &space->Nn, &space->xi, NULL));
  PetscCall(PetscMalloc1(space->Nn, &space->number));
  PetscCall(DMPlexGetCellType(dm, cell, &ct));
  PetscCall(PlexGetCoordinateFE(dm, ct, &coordinateFE));
  PetscCall(PetscFECreateTabulation(coordinateFE, 1, space->Nn, space->xi, 1, &T));
  PetscCall(PlexTabulationGetNodes(T, 0, &space->Nv, &space->psi, &dpsi, &map));
  if (!map) PetscCall(PetscFree(space->value));
  PetscCall(PetscFree(dpsi));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&coordinateFE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNodalSpaceDestroy(PlexNodalSpace *space)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(space->value));
  PetscCall(PetscFree(space->psi));
  PetscCall(PetscFree(space->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGetMostComponents(DM dm, PetscInt *most)
{
  PetscDS  ds;
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetTotalComponents(ds, most));
  PetscCall(DMGetCoordinateDim(dm, &dim));
  *most = PetscMax(*most, dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}
