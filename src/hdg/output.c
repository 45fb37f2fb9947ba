/*
  Solutions as VTKHDF files of Lagrange cells of degree P + 1, which ParaView draws at the degree that they have

    /VTKHDF                      the cells: src/io/vtkcells.c; each element has nodes of its own, as u and q jump
                                 between them
      PointData/u, q, star       [elements nodes], q [...][3]; error where the exact solution is given, star minus that

  and of elasticity u [...][3], stress [...][6] in VTK's order xx, yy, zz, xy, yz, xz, von_mises;
  of Stokes's equations u, and pressure [...], and solenoidal [...][3] where there is one.

  VTK's nodes are equidistant: polynomials are evaluated there, which makes them the same polynomials on those nodes.
*/
#include "stokes.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */
#include "../io/vtk.h"

/* What an element's nodes have */
typedef struct {
  PetscInt   n;
  PetscReal *points, *phi, *phiPost, *shape, *dshape; /* [n][dim], [n][Np], [n][Npost], of the coordinates */
} PlexHDGNodes;

static PetscBool PlexHDGIsTensor(DMPolytopeType cell)
{
  return (PetscBool)(cell == DM_POLYTOPE_QUADRILATERAL || cell == DM_POLYTOPE_HEXAHEDRON);
}

static PetscErrorCode PlexHDGNodesCreate(PlexHDG hdg, PlexHDGNodes *nodes)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, N = R->P + 1, n = R->Npost;

  PetscFunctionBegin;
  nodes->n = n;
  PetscCall(PetscMalloc5(n * dim, &nodes->points, n * R->Np, &nodes->phi, n * n, &nodes->phiPost, n * hdg->mesh->Nv,
                         &nodes->shape, n * hdg->mesh->Nv * dim, &nodes->dshape));
  PetscCall(PlexVTKGetPoints_Private(dim, PlexHDGIsTensor(R->cell), N, nodes->points));
  PetscCall(PlexHDGBasis(R->cell, R->P, n, nodes->points, nodes->phi, NULL));
  PetscCall(PlexHDGBasis(R->cell, N, n, nodes->points, nodes->phiPost, NULL));
  if (hdg->mesh->nmapped)
    PetscCall(PlexCoordinateTabulate(hdg->mesh->fe, hdg->mesh->Nv, n, nodes->points, nodes->shape, nodes->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where node i of element e is, x[3] */
static void PlexHDGNodePosition(PlexHDG hdg, const PlexHDGNodes *nodes, PetscInt e, PetscInt i, PetscReal x[])
{
  const PetscInt dim = hdg->reference->dim, Nv = hdg->mesh->Nv;
  PetscReal      J[3][3];

  x[2] = 0.;
  PlexHDGMeshMap_Private(hdg->mesh, e, &nodes->points[i * dim], &nodes->shape[i * Nv], &nodes->dshape[i * Nv * dim], x,
                         J);
}

static PetscErrorCode PlexHDGWriteCells(PlexHDG hdg, PlexH5 *h, const PlexHDGNodes *nodes)
{
  const PetscInt        Ne = hdg->mesh->Ne, n = nodes->n;
  const PlexVTKElements elements = {PlexHDGIsTensor(hdg->mesh->cell), Ne, n};
  PetscReal            *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)Ne * n, &x));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < n; ++i) PlexHDGNodePosition(hdg, nodes, e, i, &x[3 * ((size_t)e * n + i)]);
  PetscCall(PlexVTKCreateCells_Private(h, hdg->mesh->dim, 1, &elements, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field of the file, at each node the sum of a vector's coefficients times basis functions */
typedef struct {
  const char      *name;       /* path in the file */
  PetscInt         components; /* of the field */
  PetscInt         width;      /* numbers of a node in the file: the components, then zeros */
  PetscInt         m;          /* basis functions */
  const PetscReal *phi;        /* [nodes][m] their values */
  Vec              v;          /* [Ne][components][m] coefficients */
  PlexHDGFn       *exact;      /* is taken from the components; NULL: nothing is */
  void            *ctx;        /* of exact */
} PlexHDGField;

static PetscErrorCode PlexHDGWriteField(PlexHDG hdg, PlexH5 *h, const PlexHDGNodes *nodes, const PlexHDGField *f)
{
  const PetscInt     Ne = hdg->mesh->Ne, n = nodes->n;
  const PetscScalar *c;
  PetscReal         *values;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)Ne * n * f->width, &values));
  PetscCall(VecGetArrayRead(f->v, &c));
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal *at = &values[((size_t)e * n + i) * f->width], x[3];

      for (PetscInt d = 0; d < f->components; ++d)
        for (PetscInt j = 0; j < f->m; ++j)
          at[d] += f->phi[i * f->m + j] * PetscRealPart(c[((size_t)e * f->components + d) * f->m + j]);
      if (f->exact) {
        PetscScalar u[3] = {0., 0., 0.};

        PlexHDGNodePosition(hdg, nodes, e, i, x);
        PetscCall((*f->exact)(hdg->reference->dim, x, f->components, u, f->ctx));
        for (PetscInt d = 0; d < f->components; ++d) at[d] -= PetscRealPart(u[d]);
      }
    }
  }
  PetscCall(VecRestoreArrayRead(f->v, &c));
  PetscCall(PlexH5CreateArray(h, f->name, PLEX_H5_DOUBLE, (PetscInt64)hdg->mesh->NeGlobal * n, f->width > 1, &f->width,
                              PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, f->name, PLEX_H5_DOUBLE, 0, (PetscInt64)Ne * n, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stress at nodes, [][6] in VTK's order, with that across the plane in 2D, and von Mises' */
static PetscErrorCode PlexHDGWriteStress(PlexHDG hdg, PlexH5 *h, const PlexHDGNodes *nodes)
{
  static const int order[2][6] = {
    {0, 2, -1, 1, -1, -1},
    {0, 3, 5,  1, 4,  2 }
  };
  PlexHDGReference   R  = hdg->reference;
  const PetscInt     Ne = hdg->mesh->Ne, n = nodes->n, width = 6;
  const PetscScalar *c;
  PetscReal         *values, *mises, *material;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)Ne * n * width, &values, (size_t)Ne * n, &mises, (size_t)Ne * 2, &material));
  if (Ne)
    PetscCall(PlexBackendCopyOut(hdg->backend, material, hdg->elastic->args.material, sizeof(double) * (size_t)Ne * 2));
  PetscCall(VecGetArrayRead(hdg->q, &c));
  for (PetscInt k = 0; k < Ne * n; ++k) {
    const PetscInt e = k / n, i = k % n;
    PetscReal     *s = &values[(size_t)k * width], nu;

    for (PetscInt v = 0; v < width; ++v) {
      const int from = order[R->dim - 2][v];

      s[v] = 0.;
      for (PetscInt j = 0; from >= 0 && j < R->Np; ++j)
        s[v] += nodes->phi[i * R->Np + j] * PetscRealPart(c[((size_t)e * R->nab + from) * R->Np + j]);
    }
    nu = material[2 * e] / (2. * (material[2 * e] + material[2 * e + 1]));
    if (R->dim == 2) s[2] = nu * (s[0] + s[1]); /* plane strain */
    mises[k] = PetscSqrtReal(0.5 * (PetscSqr(s[0] - s[1]) + PetscSqr(s[1] - s[2]) + PetscSqr(s[2] - s[0])) +
                             3. * (PetscSqr(s[3]) + PetscSqr(s[4]) + PetscSqr(s[5])));
  }
  PetscCall(VecRestoreArrayRead(hdg->q, &c));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/PointData/stress", PLEX_H5_DOUBLE, (PetscInt64)hdg->mesh->NeGlobal * n, 1,
                              &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/PointData/stress", PLEX_H5_DOUBLE, 0, (PetscInt64)Ne * n, values));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/PointData/von_mises", PLEX_H5_DOUBLE, (PetscInt64)hdg->mesh->NeGlobal * n, 0,
                              &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "VTKHDF/PointData/von_mises", PLEX_H5_DOUBLE, 0, (PetscInt64)Ne * n, mises));
  PetscCall(PetscFree3(values, mises, material));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGWriteVTKHDF - Writes a solution to a file that ParaView (5.12 and newer) draws at its degree

  Collective

  Input Parameters:
+ hdg   - the discretization, after `PlexHDGSolve()`
. file  - name of the file, which ends in .vtkhdf
. exact - gives the exact solution, one number or dim of elasticity and Stokes's equations, at a point; `NULL`: there is none
- ctx   - its context

  Level: beginner

  Notes:
  Lagrange cells of degree P + 1: `u`, `q` as a vector, post-processed u as `star`, and `error`, that minus the exact
  solution. Of elasticity it is `u` as a vector, minus the exact one in `error`, `stress` as a symmetric tensor and von
  Mises' stress as `von_mises`, of plane strain in 2D. Of Stokes's equations it is `u`, `error` likewise,
  `pressure`, and after `PlexHDGGetSolenoidalVelocity()` that as `solenoidal`. Elements are triangles, quadrilaterals, tetrahedra or hexahedra.

  All of it goes through the first process, in pieces.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG hdg, const char file[], PlexHDGFn *exact, void *ctx)
{
  PlexHDGReference R;
  PlexHDGNodes     nodes;
  PlexHDGField     u, q, star, error;
  PlexH5           h;
  Vec              v;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  R = hdg->reference;
  PetscCall(PlexHDGNodesCreate(hdg, &nodes));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)hdg), file, PLEX_H5_CREATE, &h));
  PetscCall(PlexHDGWriteCells(hdg, &h, &nodes));
  u     = (PlexHDGField){"VTKHDF/PointData/u", 1, 1, R->Np, nodes.phi, hdg->u, NULL, NULL};
  q     = (PlexHDGField){"VTKHDF/PointData/q", R->dim, 3, R->Np, nodes.phi, hdg->q, NULL, NULL};
  star  = (PlexHDGField){"VTKHDF/PointData/star", 1, 1, R->Npost, nodes.phiPost, hdg->star, NULL, NULL};
  error = (PlexHDGField){"VTKHDF/PointData/error", 1, 1, R->Npost, nodes.phiPost, hdg->star, exact, ctx};
  if (hdg->elastic) {
    u     = (PlexHDGField){"VTKHDF/PointData/u", R->dim, 3, R->Npost, nodes.phiPost, hdg->u, NULL, NULL};
    error = (PlexHDGField){"VTKHDF/PointData/error", R->dim, 3, R->Npost, nodes.phiPost, hdg->u, exact, ctx};
    if (!hdg->stokes) PetscCall(PlexHDGWriteStress(hdg, &h, &nodes));
  }
  if (hdg->stokes) {
    q = (PlexHDGField){"VTKHDF/PointData/pressure", 1, 1, R->Np, nodes.phi, hdg->stokes->pressure, NULL, NULL};
    PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &q));
    PetscCall(PlexHDGSolenoidalGet_Private(hdg, &v));
    q = (PlexHDGField){"VTKHDF/PointData/solenoidal", R->dim, 3, R->Npost, nodes.phiPost, v, NULL, NULL};
    if (v) PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &q));
  }
  PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &u));
  if (!hdg->elastic) {
    PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &q));
    PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &star));
  }
  if (exact) PetscCall(PlexHDGWriteField(hdg, &h, &nodes, &error));
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscFree5(nodes.points, nodes.phi, nodes.phiPost, nodes.shape, nodes.dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}
