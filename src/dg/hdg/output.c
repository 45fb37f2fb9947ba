/*
  Solutions as VTKHDF files of Lagrange cells of degree P + 1, which ParaView draws at the degree that they have

    /VTKHDF                      attributes Version, Type
      Points                     [elements nodes][3]   each element has nodes of its own, as u and q jump between them
      Connectivity, Offsets, Types, NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
      PointData/u, q, star       [elements nodes], q [...][3]; error where the exact solution is given, star minus that

  VTK's nodes are equidistant: polynomials are evaluated there, which makes them the same polynomials on those nodes.
*/
#include "hdgimpl.h" /*I "plexgpu.h" I*/
#include "../output/outputimpl.h"

#define PLEX_VTK_LAGRANGE_TRIANGLE      69
#define PLEX_VTK_LAGRANGE_QUADRILATERAL 70
#define PLEX_VTK_LAGRANGE_TETRAHEDRON   71

/* What an element's nodes have */
typedef struct {
  PetscInt   n, type;
  PetscReal *points, *phi, *phiPost, *shape, *dshape; /* [n][dim], [n][Np], [n][Npost], of the coordinates */
} PlexHDGNodes;

/* VTK's order of the nodes of a square of degree N, [(N + 1)^2][2]: corners, edges along the axes (lower, right, upper, left), the inside in rows */
static void PlexHDGSquareNodes(PetscInt N, PetscReal points[])
{
  PetscInt at = 0;

#define ADD(i, j) \
  do { \
    points[2 * at]     = 2. * (i) / N - 1.; \
    points[2 * at + 1] = 2. * (j) / N - 1.; \
    ++at; \
  } while (0)
  ADD(0, 0);
  ADD(N, 0);
  ADD(N, N);
  ADD(0, N);
  for (PetscInt k = 1; k < N; ++k) ADD(k, 0);
  for (PetscInt k = 1; k < N; ++k) ADD(N, k);
  for (PetscInt k = 1; k < N; ++k) ADD(k, N);
  for (PetscInt k = 1; k < N; ++k) ADD(0, k);
  for (PetscInt j = 1; j < N; ++j)
    for (PetscInt i = 1; i < N; ++i) ADD(i, j);
#undef ADD
}

static PetscErrorCode PlexHDGNodesCreate(PlexHDG hdg, PlexHDGNodes *nodes)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, N = R->P + 1, n = R->Npost;

  PetscFunctionBegin;
  PetscCheck(R->cell != DM_POLYTOPE_HEXAHEDRON, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP, "VTKHDF files are written of triangles, quadrilaterals and tetrahedra, and these elements are hexahedra");
  nodes->n    = n;
  nodes->type = R->cell == DM_POLYTOPE_TRIANGLE ? PLEX_VTK_LAGRANGE_TRIANGLE : R->cell == DM_POLYTOPE_TETRAHEDRON ? PLEX_VTK_LAGRANGE_TETRAHEDRON : PLEX_VTK_LAGRANGE_QUADRILATERAL;
  PetscCall(PetscMalloc5(n * dim, &nodes->points, n * R->Np, &nodes->phi, n * n, &nodes->phiPost, n * hdg->mesh->Nv, &nodes->shape, n * hdg->mesh->Nv * dim, &nodes->dshape));
  if (R->cell == DM_POLYTOPE_QUADRILATERAL) PlexHDGSquareNodes(N, nodes->points);
  else {
    PetscInt (*m)[4];

    PetscCall(PetscMalloc1(n, &m));
    PetscCall(PlexDGGetVTKNodes_Private(dim, N, m));
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt a = 0; a < dim; ++a) nodes->points[i * dim + a] = 2. * m[i][a + 1] / N - 1.;
    PetscCall(PetscFree(m));
  }
  PetscCall(PlexHDGBasis(R->cell, R->P, n, nodes->points, nodes->phi, NULL));
  PetscCall(PlexHDGBasis(R->cell, N, n, nodes->points, nodes->phiPost, NULL));
  if (!hdg->mesh->affine) PetscCall(PlexHDGMeshTabulate_Private(hdg->mesh, n, nodes->points, nodes->shape, nodes->dshape));
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
  const PetscInt   Ne = hdg->mesh->Ne, n = nodes->n;
  const PetscInt64 own = (PetscInt64)Ne * n, cells = hdg->mesh->NeGlobal, all = cells * n, numbers[3] = {all, all, cells};
  PetscInt64       first = 0, mine = Ne, *index;
  PetscReal       *x;
  unsigned char   *types;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&mine, &first, 1, MPIU_INT64, MPI_SUM, h->comm));
  if (!h->rank) first = 0;
  PetscCall(PetscMalloc3(3 * own, &x, PetscMax(own, Ne), &index, Ne, &types));
  for (PetscInt e = 0; e < Ne; ++e) {
    types[e] = (unsigned char)nodes->type;
    for (PetscInt i = 0; i < n; ++i) PlexHDGNodePosition(hdg, nodes, e, i, &x[3 * ((size_t)e * n + i)]);
  }
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Points", H5T_NATIVE_DOUBLE, all, 1, (const PetscInt[]){3}, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Points", H5T_NATIVE_DOUBLE, 0, own, x));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Types", H5T_NATIVE_UCHAR, cells, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Types", H5T_NATIVE_UCHAR, 0, Ne, types));
  for (PetscInt64 i = 0; i < own; ++i) index[i] = first * n + i;
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Connectivity", H5T_NATIVE_INT64, all, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Connectivity", H5T_NATIVE_INT64, 0, own, index));
  for (PetscInt e = 0; e < Ne; ++e) index[e] = (first + e + 1) * n; /* behind the first offset, which is 0 */
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Offsets", H5T_NATIVE_INT64, cells + 1, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", H5T_NATIVE_INT64, 1, Ne, index));
  index[0] = 0;
  PetscCall(PlexH5WriteRows(h, "VTKHDF/Offsets", H5T_NATIVE_INT64, 0, h->rank ? 0 : 1, index));
  for (int k = 0; k < 3; ++k) {
    const char *const names[] = {"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfConnectivityIds", "VTKHDF/NumberOfCells"};

    PetscCall(PlexH5CreateArray(h, names[k], H5T_NATIVE_INT64, 1, 0, NULL, PETSC_FALSE));
    PetscCall(PlexH5WriteRows(h, names[k], H5T_NATIVE_INT64, 0, h->rank ? 0 : 1, &numbers[k]));
  }
  PetscCall(PetscFree3(x, index, types));
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
  PetscCall(PlexH5CreateArray(h, name, H5T_NATIVE_DOUBLE, (PetscInt64)hdg->mesh->NeGlobal * n, width > 1, &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, H5T_NATIVE_DOUBLE, 0, (PetscInt64)Ne * n, values));
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
  const int        version[] = {2, 0};
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
  PetscCall(PlexH5Group(&h, "VTKHDF"));
  PetscCall(PlexH5Group(&h, "VTKHDF/PointData"));
  PetscCall(PlexH5SetNumbers(&h, "VTKHDF", "Version", H5T_NATIVE_INT, 2, version));
  PetscCall(PlexH5SetText(&h, "VTKHDF", "Type", "UnstructuredGrid"));
  PetscCall(PlexHDGWriteCells(hdg, &h, &nodes));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/u", 1, 1, R->Np, nodes.phi, hdg->u, NULL, NULL));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/q", R->dim, 3, R->Np, nodes.phi, hdg->q, NULL, NULL));
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/star", 1, 1, R->Npost, nodes.phiPost, hdg->star, NULL, NULL));
  if (exact) PetscCall(PlexHDGWriteField(hdg, &h, &nodes, "VTKHDF/PointData/error", 1, 1, R->Npost, nodes.phiPost, hdg->star, exact, ctx));
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscFree5(nodes.points, nodes.phi, nodes.phiPost, nodes.shape, nodes.dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}
