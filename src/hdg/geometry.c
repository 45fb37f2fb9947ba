/*
  The maps from the reference cell to the elements of a hybridized DG method: affine, or by the coordinates' own finite
  element.

  The affine map A that vertex 0 and the ends of the axes say is that of an element if it takes the nodes xi_v of the
  coordinates' finite element, whose basis they determine, to where they are: with its Jacobian J and eps that of the
  machine

    |J^-1 (x_v - A(xi_v))| <= 1e-11 + 4 eps |J^-1| |x|    in every component,

  relative to the element's size in every direction, however thin it is, but for the rounding of coordinates. Triangles
  and tetrahedra with straight edges are affine, quadrilaterals and hexahedra that are parallelograms and
  parallelepipeds. Elements that are not come first.
*/
#include "hdgimpl.h"
#include "../dm/elementsimpl.h" /* PlexCofactors(), PlexGetCoordinateFE(), PlexCoordinateTabulate() */

void PlexHDGMeshMap_Private(PlexHDGMesh mesh, PetscInt e, const PetscReal xi[], const PetscReal shape[],
                            const PetscReal dshape[], PetscReal x[], PetscReal J[3][3])
{
  const PetscInt   dim    = mesh->dim;
  const PetscBool  affine = PlexHDGMeshIsAffine(mesh, e);
  const PetscReal *nodes  = &mesh->x[PlexHDGMeshPlaceX(mesh, e)];

  for (PetscInt d = 0; d < dim; ++d) {
    x[d] = affine ? nodes[d] : 0.;
    for (PetscInt a = 0; a < dim; ++a) J[d][a] = affine ? 0.5 * (nodes[(a + 1) * dim + d] - nodes[d]) : 0.;
    for (PetscInt a = 0; affine && a < dim; ++a) x[d] += J[d][a] * (1. + xi[a]);
    for (PetscInt v = 0; !affine && v < mesh->Nv; ++v) {
      x[d] += shape[v] * nodes[v * dim + d];
      for (PetscInt a = 0; a < dim; ++a) J[d][a] += dshape[v * dim + a] * nodes[v * dim + d];
    }
  }
}

/* Of an element: at how many points det J was looked at; where it is negative, zero; the last of these, and det J
   there */
typedef struct {
  PetscInt  n, reversed, flat;
  PetscReal x[3], det;
} PlexHDGMeshFlaws;

/* What loops over elements read and find. Until elements are in their order all have nodes */
typedef struct {
  PlexHDGMesh      mesh;
  PlexHDGReference R;
  PetscReal       *shape, *dshape;
  PetscReal       *corners;  /* [dim + 1][Nv] the coordinates' functions at vertex 0 and the ends of the axes */
  PetscReal       *xi;       /* [Nv][dim] the nodes */
  PetscBool        straight; /* simplices with straight edges */
  PetscBool        affine;   /* that elements are is of use */
  PetscBool       *mapped;   /* [Ne] of an element: it is not affine */
  PlexLowest       wrong;    /* the first element that is an error */
  PetscInt        *place;    /* [Ne] of an element in the order */
  PetscReal       *x;        /* in that order */
  PetscInt        *cells;
} PlexHDGGeometry;

static void PlexHDGMeshExamine(PlexHDGGeometry *g, PetscInt e, PlexHDGMeshFlaws *flaws)
{
  PlexHDGMesh    mesh = g->mesh;
  const PetscInt dim  = mesh->dim;
  PetscReal      J[3][3], C[3][3], x[3] = {0., 0., 0.}, det;

  *flaws = (PlexHDGMeshFlaws){.n = g->mapped[e] ? g->R->Nq : 1}; /* J of affine ones is the same at all points */
  for (PetscInt q = 0; q < flaws->n; ++q) {
    PetscReal volume = 1., size = 0.;

    PlexHDGMeshMap_Private(mesh, e, NULL, &g->shape[q * mesh->Nv], &g->dshape[q * mesh->Nv * dim], x, J);
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt a = 0; a < dim; ++a) size = PetscMax(size, PetscAbsReal(J[d][a]));
    for (PetscInt d = 0; d < dim; ++d) volume *= size;
    det = PlexCofactors(dim, J, C);
    if (det < -PETSC_MACHINE_EPSILON * volume) ++flaws->reversed;
    else if (!(det > PETSC_MACHINE_EPSILON * volume)) ++flaws->flat;
    else continue;
    for (PetscInt d = 0; d < 3; ++d) flaws->x[d] = x[d];
    flaws->det = det;
  }
}

/* Whether an element with these nodes is affine */
static PetscBool PlexHDGMeshFindAffine(const PlexHDGGeometry *g, const PetscReal nodes[])
{
  const PetscInt dim = g->mesh->dim, Nv = g->mesh->Nv;
  PetscReal      x[4][3], J[3][3], C[3][3], det, far = 0., bound[3];

  for (PetscInt k = 0; k <= dim; ++k) {
    for (PetscInt d = 0; d < dim; ++d) {
      x[k][d] = 0.;
      for (PetscInt v = 0; v < Nv; ++v) x[k][d] += g->corners[k * Nv + v] * nodes[v * dim + d];
      if (k) J[d][k - 1] = 0.5 * (x[k][d] - x[0][d]);
    }
  }
  det = PlexCofactors(dim, J, C);
  if (!(PetscAbsReal(det) > 0.)) return PETSC_FALSE;
  for (PetscInt k = 0; k < Nv * dim; ++k) far = PetscMax(far, PetscAbsReal(nodes[k]));
  for (PetscInt a = 0; a < dim; ++a) {
    bound[a] = 0.;
    for (PetscInt d = 0; d < dim; ++d) bound[a] += PetscAbsReal(C[a][d] / det);
    bound[a] = 1e-11 + 4. * PETSC_MACHINE_EPSILON * far * bound[a];
  }
  for (PetscInt v = 0; v < Nv; ++v) {
    PetscReal apart[3];

    for (PetscInt d = 0; d < dim; ++d) {
      apart[d] = nodes[v * dim + d] - x[0][d];
      for (PetscInt a = 0; a < dim; ++a) apart[d] -= J[d][a] * (1. + g->xi[v * dim + a]);
    }
    for (PetscInt a = 0; a < dim; ++a) {
      PetscReal sum = 0.;

      for (PetscInt d = 0; d < dim; ++d) sum += C[a][d] / det * apart[d];
      if (!(PetscAbsReal(sum) <= bound[a])) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* An error where determinants of an element are not positive */
static PetscErrorCode PlexHDGMeshCheck(PlexHDGMesh mesh, PetscInt e, const PlexHDGMeshFlaws *flaws)
{
  const PetscReal *x = flaws->x;

  PetscFunctionBegin;
  PetscCheck(flaws->reversed < flaws->n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "Cell %" PetscInt_FMT
             ", at (%g, %g, %g), has its vertices in the reverse order (clockwise, in 2D): call DMPlexOrientPoint(dm, "
             "c, -1) for each such cell c of the DM before it is given to PlexHDGCreate()",
             mesh->cells[e], (double)x[0], (double)x[1], (double)x[2]);
  PetscCheck(!flaws->reversed && !flaws->flat, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Cell %" PetscInt_FMT " is %s: its Jacobian determinant is %g at (%g, %g, %g). Correct the mesh",
             mesh->cells[e], flaws->reversed ? "folded over" : "flat", (double)flaws->det, (double)x[0], (double)x[1],
             (double)x[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a simplex with straight edges is far from flat: det J by the first point's derivatives dshape[Nv][dim] */
static PetscBool PlexHDGMeshIsGood(PlexHDGMesh mesh, PetscInt e, const PetscReal dshape[])
{
  const PetscInt   dim    = mesh->dim;
  const PetscReal *nodes  = &mesh->x[(size_t)e * (dim + 1) * dim];
  PetscReal        volume = 1., size = 0., J[3][3], C[3][3];

  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt a = 0; a < dim; ++a) {
      J[d][a] = 0.;
      for (PetscInt v = 0; v <= dim; ++v) J[d][a] += dshape[v * dim + a] * nodes[v * dim + d];
      size = PetscMax(size, PetscAbsReal(J[d][a]));
    }
  }
  for (PetscInt d = 0; d < dim; ++d) volume *= size;
  return (PetscBool)(PlexCofactors(dim, J, C) > 1e-6 * volume);
}

static void PlexHDGMeshExamineLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGGeometry *g    = (PlexHDGGeometry *)ctx;
  const PetscInt   size = g->mesh->Nv * g->mesh->dim;
  PlexHDGMeshFlaws flaws;

  for (PetscInt e = begin; e < end; ++e) {
    g->mapped[e] = (PetscBool)(!g->straight && !PlexHDGMeshFindAffine(g, &g->mesh->x[(size_t)e * size]));
    if (!g->straight || !PlexHDGMeshIsGood(g->mesh, e, g->dshape)) {
      PlexHDGMeshExamine(g, e, &flaws);
      if (flaws.reversed || flaws.flat) PlexLowestPut(&g->wrong, e);
    }
    if (!g->affine) g->mapped[e] = PETSC_TRUE;
  }
}

/* Positive determinants, and which elements are not affine */
static PetscErrorCode PlexHDGMeshExamineAll(PlexHDGGeometry *g)
{
  PlexHDGMeshFlaws flaws;
  PetscInt         e;

  PetscFunctionBegin;
  PlexLowestInit(&g->wrong, g->mesh->Ne);
  PetscCall(PlexThreadsRun(g->mesh->Ne, PLEX_THREADS_LEAST, PlexHDGMeshExamineLoop, g));
  e = PlexLowestGet(&g->wrong);
  if (e == g->mesh->Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PlexHDGMeshExamine(g, e, &flaws);
  PetscCall(PlexHDGMeshCheck(g->mesh, e, &flaws));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements to their places: cells, nodes; in place of those of affine ones vertex 0 and the ends of the axes, where the
   map takes them */
static void PlexHDGMeshPlaceLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGGeometry *g    = (PlexHDGGeometry *)ctx;
  PlexHDGMesh      mesh = g->mesh;
  const PetscInt   dim = mesh->dim, size = mesh->Nv * dim;

  for (PetscInt e = begin; e < end; ++e) {
    const PetscReal *nodes = &mesh->x[(size_t)e * size];
    PetscReal       *v;

    g->cells[g->place[e]] = mesh->cells[e];
    if (g->mapped[e]) {
      v = &g->x[(size_t)g->place[e] * size];
      for (PetscInt k = 0; k < size; ++k) v[k] = nodes[k];
      continue;
    }
    v = &g->x[PlexHDGMeshAffineOffset(mesh) + (size_t)g->place[e] * (dim + 1) * dim];
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal x = 0., J[3];

      for (PetscInt a = 0; a < dim; ++a) J[a] = 0.;
      for (PetscInt n = 0; n < mesh->Nv; ++n) {
        x += g->shape[n] * nodes[n * dim + d];
        for (PetscInt a = 0; a < dim; ++a) J[a] += g->dshape[n * dim + a] * nodes[n * dim + d];
      }
      for (PetscInt a = 0; a < dim; ++a) x -= J[a] * (1. + g->R->points[a]);
      v[d] = x;
      for (PetscInt a = 0; a < dim; ++a) v[(a + 1) * dim + d] = x + 2. * J[a];
    }
  }
}

PetscErrorCode PlexHDGMeshGetNodes_Private(PlexHDGMesh mesh)
{
  PetscInt Nb, n, e;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(mesh->dm, mesh->cell, &mesh->fe));
  PetscCall(PetscFEGetDimension(mesh->fe, &Nb));
  mesh->Nv = Nb / mesh->dim;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * Nb, &mesh->x));
  PetscCall(PlexGatherCoordinates(mesh->dm, mesh->Ne, mesh->cells, Nb, mesh->x, &e, &n));
  PetscCheck(e < 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT
             " coordinates, and the coordinates' finite element %" PetscInt_FMT,
             mesh->cells[e], n, Nb);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates' functions: shape[Nq][Nv], dshape[Nq][Nv][dim]; corners; nodes */
static PetscErrorCode PlexHDGGeometryTabulate(PlexHDGGeometry *g)
{
  PlexHDGMesh      mesh = g->mesh;
  PlexHDGReference R    = g->R;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;
  PetscReal        vertices[4 * 3];
  PetscDualSpace   dual;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(R->Nq * Nv, &g->shape, R->Nq * Nv * dim, &g->dshape, (dim + 1) * Nv, &g->corners, Nv * dim,
                         &g->xi));
  PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, R->Nq, R->points, g->shape, g->dshape));
  for (PetscInt k = 0; k <= dim; ++k)
    for (PetscInt a = 0; a < dim; ++a) vertices[k * dim + a] = k == a + 1 ? 1. : -1.;
  PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, dim + 1, vertices, g->corners, NULL));
  PetscCall(PetscFEGetDualSpace(mesh->fe, &dual));
  for (PetscInt v = 0; v < Nv; ++v) PetscCall(PlexDualSpaceGetNode(dual, v * dim, dim, &g->xi[v * dim]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshSetGeometry_Private(PlexHDGMesh mesh, PlexHDGReference R, PetscBool affine)
{
  const PetscBool straight = (PetscBool)(mesh->faces == mesh->dim + 1 && mesh->Nv == mesh->dim + 1);
  PlexHDGGeometry g        = {.mesh = mesh, .R = R, .straight = straight, .affine = affine};
  PetscInt        next[2]  = {0, 0}; /* places of elements that are not affine, and of those that are */

  PetscFunctionBegin;
  PetscCall(PlexHDGGeometryTabulate(&g));
  PetscCall(PetscMalloc2(mesh->Ne, &g.mapped, mesh->Ne, &g.place));
  mesh->nmapped = mesh->Ne; /* all have nodes */
  PetscCall(PlexHDGMeshExamineAll(&g));
  mesh->nmapped = 0;
  for (PetscInt e = 0; e < mesh->Ne; ++e) mesh->nmapped += g.mapped[e];
  next[1] = mesh->nmapped;
  for (PetscInt e = 0; e < mesh->Ne; ++e) g.place[e] = next[!g.mapped[e]]++;
  PetscCallMPI(MPIU_Allreduce(&mesh->nmapped, &mesh->nmappedGlobal, 1, MPIU_INT, MPI_SUM,
                              PetscObjectComm((PetscObject)mesh->dm)));
  mesh->affine = (PetscBool)(!mesh->nmappedGlobal);
  if (mesh->nmapped < mesh->Ne) {
    PetscCall(PetscMalloc1(mesh->Ne, &g.cells));
    PetscCall(PetscMalloc1(PlexHDGMeshSizeX(mesh), &g.x));
    PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGMeshPlaceLoop, &g));
    PetscCall(PetscFree(mesh->x));
    PetscCall(PetscFree(mesh->cells));
    mesh->x     = g.x;
    mesh->cells = g.cells;
  }
  if (!mesh->nmapped) mesh->Nv = mesh->dim + 1;
  PetscCall(PetscFree2(g.mapped, g.place));
  PetscCall(PetscFree4(g.shape, g.dshape, g.corners, g.xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
