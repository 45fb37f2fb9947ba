/*
  Solutions as VTKHDF files of Lagrange cells of degree P + 1, which ParaView draws at the degree that they have

    /VTKHDF                      the cells: src/io/vtkcells.c; each element has nodes of its own, as u and q jump between them
      PointData/u, q, star       [elements nodes], q [...][3]; error where the exact solution is given, star minus that

  VTK's nodes are equidistant: polynomials are evaluated there, which makes them the same polynomials on those nodes.
*/
#include "hdgimpl.h"            /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */
#include "../io/vtk.h"

/* What an element's nodes have */
typedef struct {
  PetscInt   n;
  PetscReal *points, *phi, *phiPost, *shape, *dshape; /* [n][dim], [n][Np], [n][Npost], of the coordinates */
} PlexHDGNodes;

static PetscErrorCode PlexHDGNodesCreate(PlexHDG hdg, PlexHDGNodes *nodes)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, N = R->P + 1, n = R->Npost;

  PetscFunctionBegin;
  PetscCheck(R->cell != DM_POLYTOPE_HEXAHEDRON, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP, "VTKHDF files are written of triangles, quadrilaterals and tetrahedra, and these elements are hexahedra");
  nodes->n = n;
  PetscCall(PetscMalloc5(n * dim, &nodes->points, n * R->Np, &nodes->phi, n * n, &nodes->phiPost, n * hdg->mesh->Nv, &nodes->shape, n * hdg->mesh->Nv * dim, &nodes->dshape));
  PetscCall(PlexVTKGetPoints_Private(dim, (PetscBool)(R->cell == DM_POLYTOPE_QUADRILATERAL), N, nodes->points));
  PetscCall(PlexHDGBasis(R->cell, R->P, n, nodes->points, nodes->phi, NULL));
  PetscCall(PlexHDGBasis(R->cell, N, n, nodes->points, nodes->phiPost, NULL));
  if (!hdg->mesh->affine) PetscCall(PlexCoordinateTabulate(hdg->mesh->fe, hdg->mesh->Nv, n, nodes->points, nodes->shape, nodes->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where node i of element e is, x[3] */
static void PlexHDGNodePosition(PlexHDG hdg, const PlexHDGNodes *nodes, PetscInt e, PetscInt i, PetscReal x[])
{
  const PetscInt dim = hdg->reference->dim, Nv = hdg->mesh->Nv;
  PetscReal      J[3][3];

  x[2] = 0.;
  PlexHDGMeshMap_Private(hdg->mesh, e, &nodes->points[i * dim], &nodes->shape[i * Nv], &nodes->dshape[i * Nv * dim], x, J);
}

static PetscErrorCode PlexHDGWriteCells(PlexHDG hdg, PlexH5 *h, const PlexHDGNodes *nodes)
{
  const PetscInt Ne = hdg->mesh->Ne, n = nodes->n;
  PetscReal     *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)Ne * n, &x));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < n; ++i) PlexHDGNodePosition(hdg, nodes, e, i, &x[3 * ((size_t)e * n + i)]);
  PetscCall(PlexVTKCreateCells_Private(h, hdg->mesh->dim, (PetscBool)(hdg->mesh->cell == DM_POLYTOPE_QUADRILATERAL), Ne, n, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field of `width` components, coefficients c[Ne][components][m] of the functions phi[n][m]; components behind the last are zero. exact: minus what it gives */
static PetscErrorCode PlexHDGWriteField(PlexHDG hdg, PlexH5 *h, const PlexHDGNodes *nodes, const char name[], PetscInt components, PetscInt width, PetscInt m, const PetscReal phi[], Vec v, PlexHDGFn *exact, void *ctx)
{
  const PetscInt     Ne = hdg->mesh->Ne, n = nodes->n;
  const PetscScalar *c;
  PetscReal         *values;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)Ne * n * width, &values));
  PetscCall(VecGetArrayRead(v, &c));
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal *at = &values[((size_t)e * n + i) * width], x[3];

      for (PetscInt d = 0; d < components; ++d)
        for (PetscInt j = 0; j < m; ++j) at[d] += phi[i * m + j] * PetscRealPart(c[((size_t)e * components + d) * m + j]);
      if (exact) {
        PetscScalar u = 0.;

        PlexHDGNodePosition(hdg, nodes, e, i, x);
        PetscCall((*exact)(hdg->reference->dim, x, 1, &u, ctx));
        at[0] -= PetscRealPart(u);
      }
    }
  }
  PetscCall(VecRestoreArrayRead(v, &c));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, (PetscInt64)hdg->mesh->NeGlobal * n, width > 1, &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, (PetscInt64)Ne * n, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGWriteVTKHDF - Writes a solution to a file that ParaView (5.12 and newer) draws at its degree

  Collective

  Input Parameters:
+ hdg   - the discretization, after `PlexHDGSolve()`
. file  - name of the file, which ends in .vtkhdf
. exact - gives the exact solution, one number, at a point; `NULL`: there is none
- ctx   - its context

  Level: beginner

  Notes:
  Lagrange cells of degree P + 1: `u`, `q` as a vector, post-processed u as `star`, and `error`, that minus the exact solution. Elements are triangles, quadrilaterals
  or tetrahedra.

  All of it goes through the first process, in pieces.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG hdg, const char file[], PlexHDGFn *exact, void *ctx)
{
  PlexHDGReference R;
  PlexHDGNodes     nodes;
  PlexH5           h;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER, "There is no solution yet: call PlexHDGSolve()");
  R = hdg->reference;
  PetscCall(PlexHDGNodesCreate(hdg, &nodes));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)hdg), file, PLEX_H5_CREATE, &h));
  PetscCall(PlexHDGWriteCells(hdg, &h, &nodes));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/u", 1, 1, R->Np, nodes.phi, hdg->u, NULL, NULL));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/q", R->dim, 3, R->Np, nodes.phi, hdg->q, NULL, NULL));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/star", 1, 1, R->Npost, nodes.phiPost, hdg->star, NULL, NULL));
  if (exact) PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/error", 1, 1, R->Npost, nodes.phiPost, hdg->star, exact, ctx));
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscFree5(nodes.points, nodes.phi, nodes.phiPost, nodes.shape, nodes.dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}
