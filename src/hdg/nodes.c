/*
  Nodes of the elements, and the values that solutions have there: HDG itself has coefficients of orthonormal functions.
*/
#include "hdgimpl.h"            /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */

/* points[Np][dim]: the nodes of PETSc's Lagrange element of degree P, as many as there are functions */
static PetscErrorCode PlexHDGReferenceNodes(PlexHDGReference R, PetscReal points[])
{
  PetscDualSpace space;
  DM             K;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateReferenceCell(PETSC_COMM_SELF, R->cell, &K));
  PetscCall(PetscDualSpaceCreate(PETSC_COMM_SELF, &space));
  PetscCall(PetscDualSpaceSetType(space, PETSCDUALSPACELAGRANGE));
  PetscCall(PetscDualSpaceSetDM(space, K));
  PetscCall(PetscDualSpaceSetNumComponents(space, 1));
  PetscCall(PetscDualSpaceSetOrder(space, R->P));
  PetscCall(PetscDualSpaceLagrangeSetTensor(space, (PetscBool)(R->cell == DM_POLYTOPE_QUADRILATERAL ||
                                                               R->cell == DM_POLYTOPE_HEXAHEDRON)));
  PetscCall(PetscDualSpaceSetUp(space));
  PetscCall(PetscDualSpaceGetDimension(space, &n));
  PetscCheck(n == R->Np, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " nodes for %" PetscInt_FMT " functions", n,
             R->Np);
  for (PetscInt i = 0; i < n; ++i) {
    PetscQuadrature  at;
    const PetscReal *x;

    PetscCall(PetscDualSpaceGetFunctional(space, i, &at));
    PetscCall(PetscQuadratureGetData(at, NULL, NULL, NULL, &x, NULL));
    PetscCall(PetscArraycpy(&points[i * R->dim], x, R->dim));
  }
  PetscCall(PetscDualSpaceDestroy(&space));
  PetscCall(DMDestroy(&K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* hdg->nodes and hdg->nodesReference, where they are not there yet */
static PetscErrorCode PlexHDGSetUpNodes(PlexHDG hdg)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt   dim = R->dim, Np = R->Np, Nv = mesh->Nv;
  PetscReal       *shape, *dshape, x[3], J[3][3];

  PetscFunctionBegin;
  if (hdg->nodes) PetscFunctionReturn(PETSC_SUCCESS);
  if (!hdg->nodesReference) {
    PetscCall(PetscMalloc1(Np * dim, &hdg->nodesReference));
    PetscCall(PlexHDGReferenceNodes(R, hdg->nodesReference));
  }
  PetscCall(PetscCalloc2(Np * Nv, &shape, Np * Nv * dim, &dshape));
  if (mesh->nmapped) PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, Np, hdg->nodesReference, shape, dshape));
  PetscCall(PetscMalloc1((size_t)mesh->Ne * Np * dim, &hdg->nodes));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt i = 0; i < Np; ++i) {
      PlexHDGMeshMap_Private(mesh, e, &hdg->nodesReference[i * dim], &shape[i * Nv], &dshape[i * Nv * dim], x, J);
      for (PetscInt d = 0; d < dim; ++d) hdg->nodes[((size_t)e * Np + i) * dim + d] = x[d];
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetNodes - Gets the positions of nodes of the elements, for pictures and comparisons

  Collective

  Input Parameter:
. hdg - the discretization, which is set up if it is not yet

  Output Parameters:
+ Ne - elements of this process
. Np - nodes of an element, as many as a polynomial of degree P has coefficients
- x  - [Ne][Np][dim] positions on the host, in the units of the mesh's coordinates

  Level: intermediate

  Notes:
  The nodes are those of PETSc's Lagrange element of degree P, in the order of its dual space
  (`PETSCDUALSPACELAGRANGE`). Elements are in the order of the vectors of `PlexHDGCreateVecs()`. These have coefficients
  of orthonormal functions; `PlexHDGComputeNodeValues()` makes values at the nodes of them. A node on a face is there
  once for each element. Any of the three may be `NULL`.

  The array belongs to the discretization. It is computed at the first call, and is valid until `PlexHDGReset()`,
  `PlexHDGDestroy()` or a change of a setting that undoes the set-up, such as `PlexHDGSetDegree()`.

.seealso: `PlexHDG`, `PlexHDGComputeNodeValues()`, `PlexHDGCreateVecs()`, `PlexHDGSetUp()`
@*/
PetscErrorCode PlexHDGGetNodes(PlexHDG hdg, PetscInt *Ne, PetscInt *Np, const PetscReal *x[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGCheckUniform_Private(hdg, "PlexHDGGetNodes()"));
  PetscCall(PlexHDGSetUp(hdg));
  if (Ne) *Ne = hdg->mesh->Ne;
  if (Np) *Np = hdg->reference->Np;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSetUpNodes(hdg));
  *x = hdg->nodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGComputeNodeValues - Computes the values that u, q or post-processed u have at the nodes

  Collective

  Input Parameters:
+ hdg - the discretization
. Nc  - components: 1 of u and of post-processed u, the mesh's dimension of q; of elasticity the dimension of u, dim
        (dim + 1)/2 of q; of Stokes's equations dim of u, dim^2 of its gradient q, 1 of the pressure
- v   - coefficients, a vector of `PlexHDGCreateVecs()`, `PlexHDGGetSolution()` or `PlexHDGGetPressure()`: u, q, star or the pressure

  Output Parameter:
. values - [Ne][Nc][Np] at the nodes of `PlexHDGGetNodes()`, on the host

  Level: intermediate

  Notes:
  Values of the polynomials: at a node that two elements share each has its own. A vector of another length, such as the
  trace, is an error (`PETSC_ERR_ARG_SIZ`). A vector on a GPU is copied to the host.

.seealso: `PlexHDG`, `PlexHDGGetNodes()`, `PlexHDGGetSolution()`, `PlexHDGCreateVecs()`
@*/
PetscErrorCode PlexHDGComputeNodeValues(PlexHDG hdg, PetscInt Nc, Vec v, PetscScalar values[])
{
  PlexHDGReference   R;
  const PetscScalar *c;
  PetscReal         *phi;
  PetscInt           Ne, Np, n, m;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveInt(hdg, Nc, 2);
  PetscValidHeaderSpecific(v, VEC_CLASSID, 3);
  PetscCall(PlexHDGCheckUniform_Private(hdg, "PlexHDGComputeNodeValues()"));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGSetUpNodes(hdg));
  R  = hdg->reference;
  Ne = hdg->mesh->Ne;
  Np = R->Np;
  PetscCall(VecGetLocalSize(v, &n));
  /* functions of the vector */
  m = (Nc == 1 || hdg->elastic) && n == Ne * Nc * R->Npost ? R->Npost : Np;
  PetscCheck((Nc == 1 || Nc == R->dim || (hdg->elastic && Nc == PlexHDGSizeQ(hdg) / Np)) && n == Ne * Nc * m,
             PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A vector of %" PetscInt_FMT " numbers is no u, q or star of %" PetscInt_FMT
             " components on %" PetscInt_FMT
             " elements: take one of PlexHDGCreateVecs(), with 1 component of u and star, %" PetscInt_FMT " of q",
             n, Nc, Ne, R->dim);
  if (Ne) PetscAssertPointer(values, 4);
  PetscCall(PetscMalloc1(Np * m, &phi));
  PetscCall(PlexHDGBasis(R->cell, m == Np ? R->P : R->P + 1, Np, hdg->nodesReference, phi, NULL));
  PetscCall(VecGetArrayRead(v, &c));
  for (PetscInt k = 0; k < Ne * Nc; ++k) { /* an element's component */
    for (PetscInt i = 0; i < Np; ++i) {
      PetscScalar sum = 0.;

      for (PetscInt j = 0; j < m; ++j) sum += phi[i * m + j] * c[(size_t)k * m + j];
      values[(size_t)k * Np + i] = sum;
    }
  }
  PetscCall(VecRestoreArrayRead(v, &c));
  PetscCall(PetscFree(phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
