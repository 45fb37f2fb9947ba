/*
  Solutions as VTKHDF files of Lagrange cells of degree P + 1, which ParaView draws at the degree that they have

    /VTKHDF                      the cells: src/io/vtkcells.c; each element has nodes of its own, as u and q jump
                                 between them
      PointData/u, q, star       [elements nodes], q [...][3]; error where the exact solution is given, star minus that

  and of elasticity u [...][3], stress [...][6] in VTK's order xx, yy, zz, xy, yz, xz, von_mises;
  of Stokes's equations u, and pressure [...], and solenoidal [...][3] where there is one.

  VTK's nodes are equidistant: polynomials are evaluated there, which makes them the same polynomials on those nodes.
*/
#include "groups.h"
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

/* What a solution is written of: the discretization itself, or the parts of one with several groups of elements */
typedef struct {
  PetscInt            n;
  const PlexHDGGroup *groups; /* [n] or NULL */
  PlexHDG             whole;
  PlexHDGNodes       *nodes; /* [n] */
} PlexHDGParts;

static PlexHDG PlexHDGPartsGet(const PlexHDGParts *parts, PetscInt k)
{
  return parts->groups ? parts->groups[k].part : parts->whole;
}

static PetscErrorCode PlexHDGPartsCreate(PlexHDG hdg, PlexHDGParts *parts)
{
  PetscFunctionBegin;
  parts->n      = hdg->groups ? hdg->groups->n : 1;
  parts->groups = hdg->groups ? hdg->groups->group : NULL;
  parts->whole  = hdg;
  PetscCall(PetscMalloc1(parts->n, &parts->nodes));
  for (PetscInt k = 0; k < parts->n; ++k) PetscCall(PlexHDGNodesCreate(PlexHDGPartsGet(parts, k), &parts->nodes[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPartsDestroy(PlexHDGParts *parts)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < parts->n; ++k) {
    PlexHDGNodes *nodes = &parts->nodes[k];

    PetscCall(PetscFree5(nodes->points, nodes->phi, nodes->phiPost, nodes->shape, nodes->dshape));
  }
  PetscCall(PetscFree(parts->nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of this process, and of all */
static void PlexHDGPartsCount(const PlexHDGParts *parts, size_t *own, PetscInt64 *all)
{
  *own = 0;
  *all = 0;
  for (PetscInt k = 0; k < parts->n; ++k) {
    PlexHDGMesh mesh = PlexHDGPartsGet(parts, k)->mesh;

    *own += (size_t)mesh->Ne * parts->nodes[k].n;
    *all += (PetscInt64)mesh->NeGlobal * parts->nodes[k].n;
  }
}

static PetscErrorCode PlexHDGWriteCells(const PlexHDGParts *parts, PlexH5 *h)
{
  PlexVTKElements *elements;
  PetscReal       *x;
  size_t           n, at = 0;
  PetscInt64       all;

  PetscFunctionBegin;
  PlexHDGPartsCount(parts, &n, &all);
  PetscCall(PetscMalloc2(3 * n, &x, parts->n, &elements));
  for (PetscInt k = 0; k < parts->n; ++k) {
    const PlexHDG part = PlexHDGPartsGet(parts, k);

    elements[k] = (PlexVTKElements){PlexHDGIsTensor(part->mesh->cell), part->mesh->Ne, parts->nodes[k].n};
    for (PetscInt e = 0; e < part->mesh->Ne; ++e)
      for (PetscInt i = 0; i < parts->nodes[k].n; ++i, ++at)
        PlexHDGNodePosition(part, &parts->nodes[k], e, i, &x[3 * at]);
  }
  PetscCall(PlexVTKCreateCells_Private(h, parts->whole->mesh->dim, parts->n, elements, x));
  PetscCall(PetscFree2(x, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field of the file, at each node the sum of a vector's coefficients times basis functions */
typedef struct {
  const char *name;       /* path in the file */
  PetscInt    components; /* of the field */
  PetscInt    width;      /* numbers of a node in the file: the components, then zeros */
  PetscBool   post;       /* functions are those of degree P + 1 */
  Vec         v;          /* [Ne][components][functions] coefficients, part after part */
  PlexHDGFn  *exact;      /* is taken from the components; NULL: nothing is */
  void       *ctx;        /* of exact */
} PlexHDGField;

/* Of a part, whose coefficients are c: at its nodes */
static PetscErrorCode PlexHDGFieldEvaluate(PlexHDG part, const PlexHDGNodes *nodes, const PlexHDGField *f,
                                           const PetscScalar c[], PetscReal values[])
{
  const PetscInt   Ne = part->mesh->Ne, n = nodes->n, m = f->post ? part->reference->Npost : part->reference->Np;
  const PetscReal *phi = f->post ? nodes->phiPost : nodes->phi;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal *at = &values[((size_t)e * n + i) * f->width], x[3];

      for (PetscInt d = 0; d < f->components; ++d)
        for (PetscInt j = 0; j < m; ++j)
          at[d] += phi[i * m + j] * PetscRealPart(c[((size_t)e * f->components + d) * m + j]);
      if (f->exact) {
        PetscScalar u[3] = {0., 0., 0.};

        PlexHDGNodePosition(part, nodes, e, i, x);
        PetscCall((*f->exact)(part->reference->dim, x, f->components, u, f->ctx));
        for (PetscInt d = 0; d < f->components; ++d) at[d] -= PetscRealPart(u[d]);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGWriteField(const PlexHDGParts *parts, PlexH5 *h, const PlexHDGField *f)
{
  const PetscScalar *c;
  PetscReal         *values;
  size_t             n, node = 0, at = 0;
  PetscInt64         all;

  PetscFunctionBegin;
  PlexHDGPartsCount(parts, &n, &all);
  PetscCall(PetscCalloc1(n * f->width, &values));
  PetscCall(VecGetArrayRead(f->v, &c));
  for (PetscInt k = 0; k < parts->n; ++k) {
    const PlexHDG part = PlexHDGPartsGet(parts, k);

    PetscCall(PlexHDGFieldEvaluate(part, &parts->nodes[k], f, c + at, values + node * f->width));
    node += (size_t)part->mesh->Ne * parts->nodes[k].n;
    at += (size_t)part->mesh->Ne * f->components * (f->post ? part->reference->Npost : part->reference->Np);
  }
  PetscCall(VecRestoreArrayRead(f->v, &c));
  PetscCall(PlexH5CreateArray(h, f->name, PLEX_H5_DOUBLE, all, f->width > 1, &f->width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, f->name, PLEX_H5_DOUBLE, 0, (PetscInt64)n, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The degrees of elements, at their nodes */
static PetscErrorCode PlexHDGWriteDegrees(const PlexHDGParts *parts, PlexH5 *h)
{
  const char *const name  = "VTKHDF/PointData/degree";
  const PetscInt    width = 1;
  PetscReal        *values;
  size_t            n, at = 0;
  PetscInt64        all;

  PetscFunctionBegin;
  PlexHDGPartsCount(parts, &n, &all);
  PetscCall(PetscMalloc1(n, &values));
  for (PetscInt k = 0; k < parts->n; ++k) {
    const size_t end = at + (size_t)PlexHDGPartsGet(parts, k)->mesh->Ne * parts->nodes[k].n;

    while (at < end) values[at++] = (PetscReal)PlexHDGPartsGet(parts, k)->degree;
  }
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, all, 0, &width, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, (PetscInt64)n, values));
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
  Where they have several degrees (`PlexHDGSetDegrees()`) each is a cell of its own degree P + 1, and `degree` is P.

  All of it goes through the first process, in pieces.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG hdg, const char file[], PlexHDGFn *exact, void *ctx)
{
  PetscInt     dim;
  PlexHDGParts parts;
  PlexHDGField u, q, star, error;
  PlexH5       h;
  Vec          v;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  dim = hdg->mesh->dim;
  PetscCall(PlexHDGPartsCreate(hdg, &parts));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)hdg), file, PLEX_H5_CREATE, &h));
  PetscCall(PlexHDGWriteCells(&parts, &h));
  u     = (PlexHDGField){"VTKHDF/PointData/u", 1, 1, PETSC_FALSE, hdg->u, NULL, NULL};
  q     = (PlexHDGField){"VTKHDF/PointData/q", dim, 3, PETSC_FALSE, hdg->q, NULL, NULL};
  star  = (PlexHDGField){"VTKHDF/PointData/star", 1, 1, PETSC_TRUE, hdg->star, NULL, NULL};
  error = (PlexHDGField){"VTKHDF/PointData/error", 1, 1, PETSC_TRUE, hdg->star, exact, ctx};
  if (hdg->elastic) {
    u     = (PlexHDGField){"VTKHDF/PointData/u", dim, 3, PETSC_TRUE, hdg->u, NULL, NULL};
    error = (PlexHDGField){"VTKHDF/PointData/error", dim, 3, PETSC_TRUE, hdg->u, exact, ctx};
    if (!hdg->stokes) PetscCall(PlexHDGWriteStress(hdg, &h, &parts.nodes[0]));
  }
  if (hdg->stokes) {
    q = (PlexHDGField){"VTKHDF/PointData/pressure", 1, 1, PETSC_FALSE, hdg->stokes->pressure, NULL, NULL};
    PetscCall(PlexHDGWriteField(&parts, &h, &q));
    PetscCall(PlexHDGSolenoidalGet_Private(hdg, &v));
    q = (PlexHDGField){"VTKHDF/PointData/solenoidal", dim, 3, PETSC_TRUE, v, NULL, NULL};
    if (v) PetscCall(PlexHDGWriteField(&parts, &h, &q));
  }
  PetscCall(PlexHDGWriteField(&parts, &h, &u));
  if (!hdg->elastic) {
    PetscCall(PlexHDGWriteField(&parts, &h, &q));
    PetscCall(PlexHDGWriteField(&parts, &h, &star));
  }
  if (exact) PetscCall(PlexHDGWriteField(&parts, &h, &error));
  if (hdg->groups) PetscCall(PlexHDGWriteDegrees(&parts, &h));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexHDGPartsDestroy(&parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
