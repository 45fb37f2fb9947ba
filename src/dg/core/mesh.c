/*
  What the DG operator reads of a DM of triangles, tetrahedra, quadrilaterals or hexahedra: elements and their maps,
  what lies across each face, and which traces travel between processes.

  A face is known by its DMPlex point, so nothing is compared by coordinates, and a periodic mesh is like any other. How
  the two sides' vertices meet follows from the orientations that the face has in the cones of both cells: position n of
  an oriented face is vertex arrangement[n] of the face itself.
*/
#include "coreimpl.h"
#include "../../dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */

/* PETSc's vertices of a cell as ours, and which of its own are on each face of the cone, as DMPlex numbers them. Ours
   have a positive Jacobian, where the cell is not turned: PlexDGMesh.turned. */
static const PetscInt PlexVertexNumber[2][4] = {
  {0, 1, 2, -1},
  {0, 2, 1, 3 }
};
static const PetscInt PlexConeVertices[2][4][3] = {
  {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {-1, -1, -1}},
  {{0, 1, 2},  {0, 3, 1},  {0, 2, 3},  {2, 1, 3}   }
};

/* One side of a face, while the mesh is read */
typedef struct {
  PetscInt face;     /* of our numbering */
  PetscInt point;    /* DMPlex point */
  PetscInt canon[4]; /* which vertex of the point itself is our vertex v of the face */
  PetscInt turn;     /* PlexDGTurnNumber() of it */
  /* the point's vertices turn left seen from outside of the cell (of an edge: the cell is on its left); else right */
  PetscBool outward;
} PlexSide;

/* Side c of the cone of a quadrilateral, from its vertex c to the next one, or of a hexahedron, whose faces have the
   vertices that DMPlex gives them */
static void PlexSideGetTensor(PetscInt dim, const PetscInt cone[], const PetscInt orientations[], PetscInt c,
                              PlexSide *side)
{
  const PetscInt *arrangement = DMPolytopeTypeGetVertexArrangement(dim == 2 ? DM_POLYTOPE_SEGMENT
                                                                            : DM_POLYTOPE_QUADRILATERAL,
                                                                   orientations[c]);
  const PetscBool descends    = (PetscBool)(dim == 2 && c == 3); /* from vertex 3 to 0 */

  for (PetscInt v = 0; v < PlexDGFaceSize(dim, PETSC_TRUE); ++v) side->canon[v] = arrangement[descends ? 1 - v : v];
  side->face  = c;
  side->point = cone[c];
}

/* Side c of a cell's cone */
static void PlexSideGet(PetscInt dim, const PetscInt cone[], const PetscInt orientations[], PetscInt c, PlexSide *side)
{
  const PetscInt *number = PlexVertexNumber[dim - 2], *vertices = PlexConeVertices[dim - 2][c];
  const PetscInt *arrangement = DMPolytopeTypeGetVertexArrangement(dim == 2 ? DM_POLYTOPE_SEGMENT
                                                                            : DM_POLYTOPE_TRIANGLE,
                                                                   orientations[c]);
  PetscInt        position[4] = {-1, -1, -1, -1}, n = 0;

  for (PetscInt k = 0; k < dim; ++k) position[number[vertices[k]]] = k;
  for (PetscInt v = 0; v <= dim; ++v) {
    if (position[v] < 0) side->face = v ? v - 1 : dim;
    else side->canon[n++] = arrangement[position[v]];
  }
  side->point = cone[c];
}

/* The vertex of the reference element whose r_0 and r_1 are those of vertex v exchanged */
static PetscInt PlexMirrorVertex(PetscInt dim, PetscBool tensor, PetscInt v)
{
  return tensor ? (v % 2 ? v / 4 * 4 + 4 - v % 4 : v) : dim > 1 && (v == 1 || v == 2) ? 3 - v : v;
}

/* A side as that of a cell that is turned: its vertices there are the exchanged ones */
static void PlexSideMirror(PetscInt dim, PetscBool tensor, PlexSide *side)
{
  const PetscInt n = PlexDGFaceSize(dim, tensor), faces = tensor ? 2 * dim : dim + 1;
  PetscInt       old[4], canon[4], vertices[4], found = 0;

  PlexDGFaceVertices(dim, tensor, side->face, old);
  for (PetscInt f = 0; f < faces && found < n; ++f) {
    PlexDGFaceVertices(dim, tensor, f, vertices);
    found = 0;
    for (PetscInt v = 0; v < n; ++v)
      for (PetscInt w = 0; w < n; ++w)
        if (old[w] == PlexMirrorVertex(dim, tensor, vertices[v])) {
          canon[v] = side->canon[w];
          ++found;
        }
    if (found == n) side->face = f;
  }
  for (PetscInt v = 0; v < n; ++v) side->canon[v] = canon[v];
}

/* Turn, and how the point lies, once face and canon are there */
static void PlexSideFinish(PetscInt dim, PetscBool tensor, PlexSide *side)
{
  const PetscInt n = PlexDGFaceSize(dim, tensor), nv = tensor ? 1 << dim : dim + 1;
  /* vertices of the point go round as those of the face */
  const PetscInt next = n == 2 ? side->canon[0] == 0 : (side->canon[1] - side->canon[0] + n) % n == 1;
  PetscInt       vertices[4];
  PetscReal      x[4][3], inside[3] = {0., 0., 0.}, volume;

  PlexDGFaceVertices(dim, tensor, side->face, vertices);
  for (PetscInt v = 0; v < nv; ++v) {
    PlexDGVertex(dim, tensor, v, x[0]);
    for (PetscInt a = 0; a < dim; ++a) inside[a] += x[0][a] / nv;
  }
  for (PetscInt v = 0; v < dim; ++v) {
    PlexDGVertex(dim, tensor, vertices[v], x[v]);
    for (PetscInt a = 0; a < dim; ++a) x[v][a] -= inside[a];
  }
  volume     = dim == 2
               ? x[0][0] * x[1][1] - x[0][1] * x[1][0]
               : x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                   x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
  side->turn = PlexDGTurnNumber(n, side->canon);
  side->outward = (PetscBool)((volume > 0.) == (next != 0));
}

/* Which vertex of the other side is vertex v of this one */
static PetscInt PlexTurnBetween(PlexDGMesh mesh, PetscInt here, PetscInt there)
{
  const PetscInt n = PlexDGFaceSize(mesh->dim, mesh->tensor);
  PetscInt       a[4], b[4], p[4];

  PlexDGTurnGet(n, here, a);
  PlexDGTurnGet(n, there, b);
  for (PetscInt v = 0; v < n; ++v)
    for (PetscInt w = 0; w < n; ++w)
      if (b[w] == a[v]) p[v] = w;
  return PlexDGTurnNumber(n, p);
}

/* Exchanges a number >= 0 of each point between the processes that know one, two at most. other[]: the other process's
   number, -1: none. mine[], other[]: [pEnd - pStart]. Collective */
static PetscErrorCode PlexPointsExchange(DM dm, const PetscInt64 mine[], PetscInt64 other[])
{
  PetscInt64 *low, *high;
  PetscInt    pStart, pEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PetscCall(PetscMalloc2(pEnd - pStart, &low, pEnd - pStart, &high));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    low[p]  = mine[p] < 0 ? PETSC_INT64_MAX : mine[p];
    high[p] = mine[p];
  }
  PetscCall(PlexPointsCombine(dm, MPI_MIN, MPIU_INT64, low));
  PetscCall(PlexPointsCombine(dm, MPI_MAX, MPIU_INT64, high));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    other[p] = mine[p] == low[p] ? high[p] : low[p];
    if (other[p] == mine[p] || other[p] == PETSC_INT64_MAX) other[p] = -1;
  }
  PetscCall(PetscFree2(low, high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells that are this process's own, and of what shape; cells[] is PetscFree()d */
static PetscErrorCode PlexDGMeshGetCells(DM dm, PetscInt dim, PetscBool quadrature, PetscInt *n, PetscInt **cells)
{
  PetscFunctionBegin;
  PetscCall(PlexCellsGetOwned(dm, n, cells));
  for (PetscInt k = 0; k < *n; ++k) {
    const PetscInt c = (*cells)[k];
    DMPolytopeType type;

    PetscCall(DMPlexGetCellType(dm, c, &type));
    if (quadrature) {
      PetscCheck(type == (dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON) ||
                   type == (dim == 2 ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_HEXAHEDRON),
                 PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "DG with quadrature is on triangles, quadrilaterals, tetrahedra or hexahedra, and cell %" PetscInt_FMT
                 " is a %s",
                 c, DMPolytopeTypes[type]);
    } else
      PetscCheck(type == (dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON), PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Nodal DG is on triangles and tetrahedra, and cell %" PetscInt_FMT " is a %s: %s", c,
                 DMPolytopeTypes[type],
                 dim == 2 ? "use a mesh of triangles, as -dm_refine 1 -dm_plex_transform_type refine_tosimplex makes "
                            "of quadrilaterals, or -plex_dg_discretization quadrature, which takes systems in flux form"
                          : "use a mesh of tetrahedra, or -plex_dg_discretization quadrature, which takes hexahedra "
                            "for systems in flux form, such as acoustics_uniform");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nodes[nx][dim] of a cell, in the order of the coordinate space */
static PetscErrorCode PlexDGMeshGetNodes(PlexDGMesh mesh, PetscInt cell, PetscReal nodes[])
{
  const PetscScalar *array;
  PetscScalar       *coordinates = NULL;
  PetscInt           n;
  PetscBool          isDG;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellCoordinates(mesh->dm, cell, &isDG, &n, &array, &coordinates));
  PetscCheck(n == mesh->nx * mesh->dim, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT " coordinates, and its coordinate space %" PetscInt_FMT
             ": all cells have to be of one type",
             cell, n, mesh->nx * mesh->dim);
  for (PetscInt i = 0; i < n; ++i) nodes[i] = PetscRealPart(coordinates[i]);
  PetscCall(DMPlexRestoreCellCoordinates(mesh->dm, cell, &isDG, &n, &array, &coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[dim+1][dim] of a cell, in the order of the reference element */
static PetscErrorCode PlexDGMeshGetSimplex(DM dm, PetscInt dim, PetscInt cell, PetscReal x[])
{
  const PetscScalar *array;
  PetscScalar       *coordinates = NULL;
  PetscInt           n;
  PetscBool          isDG;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellCoordinates(dm, cell, &isDG, &n, &array, &coordinates));
  PetscCheck(n == (dim + 1) * dim, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Nodal DG is on elements with straight sides, and cell %" PetscInt_FMT " has %" PetscInt_FMT
             " coordinates, not %" PetscInt_FMT ": use a coordinate space of degree 1",
             cell, n, (dim + 1) * dim);
  for (PetscInt v = 0; v <= dim; ++v)
    for (PetscInt d = 0; d < dim; ++d)
      x[PlexVertexNumber[dim - 2][v] * dim + d] = PetscRealPart(coordinates[v * dim + d]);
  PetscCall(DMPlexRestoreCellCoordinates(dm, cell, &isDG, &n, &array, &coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[nv][dim] of the coordinate nodes of DG with quadrature */
static void PlexDGMeshGetCorners(PlexDGMesh mesh, const PetscReal nodes[], PetscReal x[])
{
  const PetscInt dim = mesh->dim;

  for (PetscInt v = 0; v < mesh->nv; ++v) {
    for (PetscInt d = 0; d < dim; ++d) {
      x[v * dim + d] = 0.;
      for (PetscInt i = 0; i < mesh->nx; ++i) x[v * dim + d] += mesh->corners[v * mesh->nx + i] * nodes[i * dim + d];
    }
  }
}

/* x[nv][dim] of a cell as DMPlex has it, in the order of the reference element */
static PetscErrorCode PlexDGMeshGetVertices(PlexDGMesh mesh, PetscInt cell, PetscReal x[])
{
  const PetscInt dim = mesh->dim;
  PetscReal     *nodes;

  PetscFunctionBegin;
  if (!mesh->quadrature) {
    PetscCall(PlexDGMeshGetSimplex(mesh->dm, dim, cell, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(mesh->nx * dim, &nodes));
  PetscCall(PlexDGMeshGetNodes(mesh, cell, nodes));
  PlexDGMeshGetCorners(mesh, nodes, x);
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dr/dx[dim][dim] of the map x = x_0 + sum_a (1 + r_a)/2 (x_{a+1} - x_0) */
static void PlexDGMeshInvert(PetscInt dim, const PetscReal x[], PetscReal rx[], PetscReal *det)
{
  PetscReal J[3][3], C[3][3]; /* J[d][a] = dx_d/dr_a; C[a][d] = det J dr_a/dx_d */

  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt d = 0; d < dim; ++d) J[d][a] = 0.5 * (x[(a + 1) * dim + d] - x[d]);
  *det = PlexCofactors(dim, J, C);
  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt d = 0; d < dim; ++d) rx[a * dim + d] = C[a][d] / *det;
}

/* Vertices 1 and 2 exchanged, and with them r_0 and r_1 */
static void PlexDGMeshSwap(PetscInt dim, PetscReal x[], PetscReal rx[], PetscReal *det)
{
  for (PetscInt d = 0; d < dim; ++d) {
    const PetscReal vertex = x[dim + d], row = rx[d];

    x[dim + d]     = x[2 * dim + d];
    x[2 * dim + d] = vertex;
    rx[d]          = rx[dim + d];
    rx[dim + d]    = row;
  }
  *det = -*det;
}

static PetscErrorCode PlexDGMeshSetGeometry(PlexDGMesh mesh)
{
  const PetscInt dim = mesh->dim;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *x = &mesh->x[e * (dim + 1) * dim], center[3] = {0., 0., 0.}, size = 0., volume = 1.;

    PetscCall(PlexDGMeshGetVertices(mesh, mesh->cells[e], x));
    PlexDGMeshInvert(dim, x, &mesh->rx[e * dim * dim], &mesh->detJ[e]);
    mesh->turned[e] = (PetscBool)(mesh->detJ[e] < 0.);
    if (mesh->turned[e]) PlexDGMeshSwap(dim, x, &mesh->rx[e * dim * dim], &mesh->detJ[e]);
    for (PetscInt v = 0; v <= dim; ++v) {
      for (PetscInt d = 0; d < dim; ++d) {
        center[d] += x[v * dim + d] / (dim + 1);
        size = PetscMax(size, PetscAbsReal(x[v * dim + d] - x[d]));
      }
    }
    for (PetscInt d = 0; d < dim; ++d) volume *= size;
    PetscCheck(mesh->detJ[e] > PETSC_MACHINE_EPSILON * volume, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Cell %" PetscInt_FMT
               " is flat: its Jacobian determinant is %g, centroid (%g, %g, %g). Correct the mesh",
               mesh->cells[e], (double)mesh->detJ[e], (double)center[0], (double)center[1], (double)center[2]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the cells: first those without faces of other processes; each of both parts along a curve. remote[c]: whether
   cell cells[c] has such a face */
static PetscErrorCode PlexDGMeshOrder(PlexDGMesh mesh, const PetscBool remote[])
{
  const PetscInt dim   = mesh->dim;
  PetscInt      *cells = mesh->cells, *part;
  PetscReal     *x, vertices[24];
  int           *order;
  PetscInt       done = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mesh->Ne, &part, mesh->Ne * dim, &x, mesh->Ne, &order));
  PetscCall(PetscMalloc1(mesh->Ne, &mesh->cells));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscInt n = 0;

    for (PetscInt c = 0; c < mesh->Ne; ++c) {
      if (remote[c] != (PetscBool)k) continue;
      PetscCall(PlexDGMeshGetVertices(mesh, cells[c], vertices));
      for (PetscInt d = 0; d < dim; ++d) {
        x[n * dim + d] = 0.;
        for (PetscInt v = 0; v < mesh->nv; ++v) x[n * dim + d] += vertices[v * dim + d] / mesh->nv;
      }
      part[n++] = cells[c];
    }
    if (n) PetscCall(PlexCurveOrder(n, dim, x, order));
    for (PetscInt i = 0; i < n; ++i) mesh->cells[done + i] = part[order[i]];
    done += n;
    if (!k) mesh->Ninterior = n;
  }
  PetscCall(PetscFree3(part, x, order));
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sides[2] of each face, by point - fStart: the own elements' sides as e * faces + (place in the cone), -1: none */
static PetscErrorCode PlexDGMeshGetSides(PlexDGMesh mesh, PetscInt fStart, PetscInt fEnd, PetscInt (*sides)[2])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < fEnd - fStart; ++p) sides[p][0] = sides[p][1] = -1;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone;

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    for (PetscInt c = 0; c < mesh->faces; ++c) {
      PetscInt *own = sides[cone[c] - fStart];

      PetscCheck(own[1] < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Face %" PetscInt_FMT " is one of more than two cells, cell %" PetscInt_FMT
                 " among them: nodal DG needs a manifold",
                 cone[c], mesh->cells[e]);
      own[own[0] < 0 ? 0 : 1] = e * mesh->faces + c;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The side of a face with the number that PlexDGMeshGetSides() gives, as a trace */
static PetscErrorCode PlexDGMeshGetSide(PlexDGMesh mesh, PetscInt number, PlexSide *side, PetscInt *trace)
{
  const PetscInt  e = number / mesh->faces;
  const PetscInt *cone, *orientations;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
  PetscCall(DMPlexGetConeOrientation(mesh->dm, mesh->cells[e], &orientations));
  if (mesh->tensor) PlexSideGetTensor(mesh->dim, cone, orientations, number % mesh->faces, side);
  else PlexSideGet(mesh->dim, cone, orientations, number % mesh->faces, side);
  if (mesh->turned[e]) PlexSideMirror(mesh->dim, mesh->tensor, side);
  PlexSideFinish(mesh->dim, mesh->tensor, side);
  *trace = e * mesh->faces + side->face;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error if two cells are on the same side of a face: they overlap. here, there: how the face lies as each of them
   sees it */
static PetscErrorCode PlexDGMeshCheckSides(PlexDGMesh mesh, PetscInt trace, PetscInt point, PetscBool here,
                                           PetscBool there)
{
  const PetscInt e = trace / mesh->faces, dim = mesh->dim;
  PetscReal      x[3] = {0., 0., 0.};

  PetscFunctionBegin;
  if (here != there) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt v = 0; v < mesh->nv; ++v)
    for (PetscInt d = 0; d < dim; ++d) x[d] += mesh->x[(e * mesh->nv + v) * dim + d] / mesh->nv;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "Cell %" PetscInt_FMT ", centroid (%g, %g, %g), or its neighbour at face %" PetscInt_FMT
          " is inverted: both lie on the same side of that face. Correct the mesh",
          mesh->cells[e], (double)x[0], (double)x[1], (double)x[2], point);
}

/* Processes, numbers of traces that are sent, and how the side lies, its turn and outward, in one number of 64 bits */
#define PLEX_RECORD(rank, index, lies) (((PetscInt64)(rank) << 40) | ((PetscInt64)(index) << 4) | (lies))
#define PLEX_RECORD_RANK(record)       ((PetscInt)((record) >> 40))
#define PLEX_RECORD_INDEX(record)      ((PetscInt)(((record) >> 4) & (((PetscInt64)1 << 36) - 1)))
#define PLEX_RECORD_LIES(record)       ((PetscInt)((record) & 15))
#define PLEX_RECORD_TURN(record)       ((PetscInt)((record) & 7))
#define PLEX_RECORD_OUTWARD(record)    ((PetscBool)(((record) >> 3) & 1))

static int PlexCompareRecords(const void *a, const void *b, void *ctx)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  (void)ctx;
  return (x > y) - (x < y);
}

/* Renumbers the traces that are sent: by process, ascending, so that a message is contiguous on both sides. Within a
   message both sides use the order in which the process of the lower rank had numbered them. mine, theirs: what either
   side of a face says, by points */
static PetscErrorCode PlexDGMeshSortGhosts(PlexDGMesh mesh, PetscInt pStart, PetscInt fStart, PetscInt fEnd,
                                           PetscInt64 mine[], const PetscInt64 theirs[])
{
  PetscInt   n = 0, *sent, *face;
  PetscInt64 m, t, *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mesh->nghosts, &sent, mesh->nghosts, &face, mesh->nghosts, &key));
  for (PetscInt p = fStart; p < fEnd; ++p) {
    m = mine[p - pStart];
    t = theirs[p - pStart];
    if (m < 0) continue;
    PetscCheck(t >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No other process has face %" PetscInt_FMT, p);
    key[n]  = PLEX_RECORD(PLEX_RECORD_RANK(t),
                          PLEX_RECORD_RANK(m) < PLEX_RECORD_RANK(t) ? PLEX_RECORD_INDEX(m) : PLEX_RECORD_INDEX(t), 0);
    face[n] = p;
    ++n;
  }
  if (n > 1) PetscCall(PetscTimSortWithArray(n, key, sizeof(*key), face, sizeof(*face), PlexCompareRecords, NULL));
  for (n = 0; n < mesh->nghosts; ++n) {
    m                      = mine[face[n] - pStart];
    sent[n]                = mesh->sent[PLEX_RECORD_INDEX(m)];
    mine[face[n] - pStart] = PLEX_RECORD(PLEX_RECORD_RANK(m), n, PLEX_RECORD_LIES(m));
  }
  for (n = 0; n < mesh->nghosts; ++n) mesh->sent[n] = (int)sent[n];
  PetscCall(PetscFree3(sent, face, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the traces that are sent, first in the order of own elements, tells the other side, and links the faces to
   its answer */
static PetscErrorCode PlexDGMeshSetGhosts(PlexDGMesh mesh, PetscInt fStart, PetscInt fEnd, PetscInt (*sides)[2],
                                          const PetscInt64 other[])
{
  MPI_Comm     comm = PetscObjectComm((PetscObject)mesh->dm);
  PetscInt     pStart, pEnd, n = 0, trace;
  PetscInt64  *mine, *theirs;
  PetscSFNode *remote;
  PlexSide     side;
  PetscMPIInt  rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  for (PetscInt p = fStart; p < fEnd; ++p)
    n += sides[p - fStart][0] >= 0 && sides[p - fStart][1] < 0 && other[p - pStart] >= 0;
  mesh->nghosts = n;
  PetscCall(PetscMalloc1(n, &mesh->sent));
  PetscCall(PetscMalloc3(pEnd - pStart, &mine, pEnd - pStart, &theirs, n, &remote));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) mine[p] = -1;
  n = 0;
  for (PetscInt e = mesh->Ninterior; e < mesh->Ne; ++e) {
    const PetscInt *cone;

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    for (PetscInt c = 0; c < mesh->faces; ++c) {
      const PetscInt p = cone[c];

      if (sides[p - fStart][1] >= 0 || other[p - pStart] < 0) continue;
      PetscCall(PlexDGMeshGetSide(mesh, sides[p - fStart][0], &side, &trace));
      mesh->sent[n]    = (int)trace;
      mine[p - pStart] = PLEX_RECORD(rank, n++, side.turn | (side.outward ? 8 : 0));
    }
  }
  PetscCheck(n == mesh->nghosts, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " traces to be sent, %" PetscInt_FMT " expected", n, mesh->nghosts);
  PetscCall(PlexPointsExchange(mesh->dm, mine, theirs));
  PetscCall(PlexDGMeshSortGhosts(mesh, pStart, fStart, fEnd, mine, theirs));
  PetscCall(PlexPointsExchange(mesh->dm, mine, theirs));
  for (PetscInt p = fStart; p < fEnd; ++p) {
    const PetscInt64 m = mine[p - pStart], t = theirs[p - pStart];

    if (m < 0) continue;
    n = PLEX_RECORD_INDEX(m);
    PetscCall(PlexDGMeshCheckSides(mesh, mesh->sent[n], p, PLEX_RECORD_OUTWARD(m), PLEX_RECORD_OUTWARD(t)));
    mesh->links[mesh->sent[n]] = (int)((mesh->Ne * mesh->faces + n) * mesh->turns +
                                       PlexTurnBetween(mesh, PLEX_RECORD_TURN(m), PLEX_RECORD_TURN(t)));
    remote[n].rank             = PLEX_RECORD_RANK(t);
    remote[n].index            = PLEX_RECORD_INDEX(t);
  }
  PetscCall(PetscSFCreate(comm, &mesh->sf));
  PetscCall(PetscSFSetGraph(mesh->sf, mesh->nghosts, mesh->nghosts, NULL, PETSC_COPY_VALUES, remote,
                            PETSC_COPY_VALUES));
  PetscCall(PetscFree3(mine, theirs, remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Links of faces between own elements, and the boundary's facets */
static PetscErrorCode PlexDGMeshSetLinks(PlexDGMesh mesh, PetscInt fStart, PetscInt fEnd, PetscInt (*sides)[2],
                                         const PetscInt64 other[])
{
  PetscInt pStart, trace[2];
  PlexSide side[2];

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, NULL));
  for (PetscInt p = fStart; p < fEnd; ++p)
    mesh->nfacets += sides[p - fStart][0] >= 0 && sides[p - fStart][1] < 0 && other[p - pStart] < 0;
  PetscCall(PetscMalloc2(mesh->nfacets, &mesh->facet, mesh->nfacets, &mesh->facetPoint));
  mesh->nfacets = 0;
  for (PetscInt p = fStart; p < fEnd; ++p) {
    const PetscInt *own = sides[p - fStart];

    if (own[0] < 0) continue;
    PetscCall(PlexDGMeshGetSide(mesh, own[0], &side[0], &trace[0]));
    if (own[1] >= 0) {
      PetscCall(PlexDGMeshGetSide(mesh, own[1], &side[1], &trace[1]));
      PetscCall(PlexDGMeshCheckSides(mesh, trace[mesh->turned[trace[1] / mesh->faces]], p, side[0].outward,
                                     side[1].outward));
      for (PetscInt k = 0; k < 2; ++k)
        mesh->links[trace[k]] = (int)(trace[1 - k] * mesh->turns +
                                      PlexTurnBetween(mesh, side[k].turn, side[1 - k].turn));
    } else if (other[p - pStart] < 0) {
      mesh->facet[mesh->nfacets]      = (int)trace[0];
      mesh->facetPoint[mesh->nfacets] = p;
      mesh->links[trace[0]]           = (int)(-++mesh->nfacets);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* other[]: by point, >= 0 where another process has a cell on the other side of an own one's face */
static PetscErrorCode PlexDGMeshFindRemote(PlexDGMesh mesh, PetscInt fStart, PetscInt fEnd, PetscInt (*sides)[2],
                                           PetscInt64 other[], PetscBool remote[])
{
  PetscInt    pStart, pEnd;
  PetscInt64 *mine;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &rank));
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc1(pEnd - pStart, &mine));
  for (PetscInt p = pStart; p < pEnd; ++p)
    mine[p - pStart] = p >= fStart && p < fEnd && sides[p - fStart][0] >= 0 && sides[p - fStart][1] < 0 ? rank : -1;
  PetscCall(PlexPointsExchange(mesh->dm, mine, other));
  for (PetscInt e = 0; e < mesh->Ne; ++e) remote[e] = PETSC_FALSE;
  for (PetscInt p = fStart; p < fEnd; ++p) {
    if (mine[p - pStart] >= 0 && other[p - pStart] >= 0) remote[sides[p - fStart][0] / mesh->faces] = PETSC_TRUE;
  }
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinate space of DG with quadrature, and its basis at the vertices. Collective */
static PetscErrorCode PlexDGMeshSetUpSpace(PlexDGMesh mesh)
{
  PetscReal      corners[8 * 3];
  DMPolytopeType type;

  PetscFunctionBegin;
  PetscCall(PlexGetCellType(mesh->dm, mesh->Ne, mesh->cells, &type));
  PetscCheck((int)type >= 0, PetscObjectComm((PetscObject)mesh->dm), PETSC_ERR_ARG_WRONG, "The mesh has no cells");
  mesh->tensor = (PetscBool)(type == DM_POLYTOPE_QUADRILATERAL || type == DM_POLYTOPE_HEXAHEDRON);
  mesh->nv     = mesh->tensor ? 1 << mesh->dim : mesh->dim + 1;
  mesh->faces  = mesh->tensor ? 2 * mesh->dim : mesh->dim + 1;
  for (PetscInt c = 0; c < mesh->Ne; ++c) {
    DMPolytopeType own;

    PetscCall(DMPlexGetCellType(mesh->dm, mesh->cells[c], &own));
    PetscCheck(own == type, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Cell %" PetscInt_FMT
               " is a %s, and others are %ss: DG with quadrature is on meshes of one type of cells",
               mesh->cells[c], DMPolytopeTypes[own], DMPolytopeTypes[type]);
  }
  PetscCall(PlexGetCoordinateFE(mesh->dm, type, &mesh->fe));
  PetscCall(PetscFEGetDimension(mesh->fe, &mesh->nx));
  mesh->nx /= mesh->dim;
  PetscCall(PetscMalloc1(mesh->nv * mesh->nx, &mesh->corners));
  for (PetscInt v = 0; v < mesh->nv; ++v) PlexDGVertex(mesh->dim, mesh->tensor, v, &corners[v * mesh->dim]);
  PetscCall(PlexDGMeshTabulate(mesh, mesh->nv, corners, mesh->corners, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshTabulate(PlexDGMesh mesh, PetscInt n, const PetscReal points[], PetscReal B[], PetscReal dB[])
{
  const PetscInt dim = mesh->dim;

  PetscFunctionBegin;
  if (!mesh->quadrature) { /* barycentric coordinates */
    for (PetscInt q = 0; q < n; ++q) {
      B[q * mesh->nx] = 1.;
      for (PetscInt a = 0; a < dim; ++a) B[q * mesh->nx] -= B[q * mesh->nx + a + 1] = 0.5 * (1. + points[q * dim + a]);
      for (PetscInt v = 0; dB && v <= dim; ++v)
        for (PetscInt a = 0; a < dim; ++a) dB[(q * mesh->nx + v) * dim + a] = v ? (v == a + 1 ? 0.5 : 0.) : -0.5;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->nx, n, points, B, dB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshGetPosition(PlexDGMesh mesh, PetscInt e, const PetscReal shapes[], PetscReal x[])
{
  const PetscInt   dim   = mesh->dim;
  const PetscReal *nodes = &mesh->nodes[(size_t)e * mesh->nx * dim];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    x[d] = 0.;
    for (PetscInt v = 0; v < mesh->nx; ++v) x[d] += shapes[v] * nodes[v * dim + d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mirror[nx]: basis function i of the coordinates at any point is function mirror[i] where r_0 and r_1 are exchanged */
static PetscErrorCode PlexDGMeshSetMirror(PlexDGMesh mesh)
{
  const PetscInt n = 3, dim = mesh->dim, nx = mesh->nx;
  PetscReal     *B[2], points[2][9];

  PetscFunctionBegin;
  /* in no plane of symmetry */
  for (PetscInt q = 0; q < n; ++q)
    for (PetscInt a = 0; a < dim; ++a) points[0][q * dim + a] = -0.9 + 0.17 * q + 0.23 * a + 0.05 * q * a;
  for (PetscInt q = 0; q < n; ++q)
    for (PetscInt a = 0; a < dim; ++a) points[1][q * dim + a] = points[0][q * dim + (a < 2 ? 1 - a : a)];
  PetscCall(PetscMalloc2(n * nx, &B[0], n * nx, &B[1]));
  PetscCall(PetscMalloc1(nx, &mesh->mirror));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDGMeshTabulate(mesh, n, points[k], B[k], NULL));
  for (PetscInt i = 0; i < nx; ++i) {
    mesh->mirror[i] = -1;
    for (PetscInt j = 0; j < nx; ++j) {
      PetscReal apart = 0.;

      for (PetscInt q = 0; q < n; ++q) apart = PetscMax(apart, PetscAbsReal(B[0][q * nx + i] - B[1][q * nx + j]));
      if (apart < 1e-8) mesh->mirror[i] = j;
    }
    PetscCheck(mesh->mirror[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A cell has its vertices clockwise, and its coordinate space is not one that could be turned: give its "
               "vertices the other way round");
  }
  PetscCall(PetscFree2(B[0], B[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turns a cell with a negative Jacobian at its center: nodes[nx][dim] */
static PetscErrorCode PlexDGMeshTurn(PlexDGMesh mesh, const PetscReal dB[], PetscReal nodes[], PetscBool *turned)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal      J[3][3] = {{0.}}, C[3][3], *copy;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < nx; ++v)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt a = 0; a < dim; ++a) J[d][a] += nodes[v * dim + d] * dB[v * dim + a];
  *turned = (PetscBool)(PlexCofactors(dim, J, C) < 0.);
  if (!*turned) PetscFunctionReturn(PETSC_SUCCESS);
  if (!mesh->mirror) PetscCall(PlexDGMeshSetMirror(mesh));
  PetscCall(PetscMalloc1(nx * dim, &copy));
  PetscCall(PetscArraycpy(copy, nodes, nx * dim));
  for (PetscInt i = 0; i < nx; ++i) PetscCall(PetscArraycpy(&nodes[mesh->mirror[i] * dim], &copy[i * dim], dim));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices and coordinate nodes of DG with quadrature */
static PetscErrorCode PlexDGMeshSetNodes(PlexDGMesh mesh)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal     *B, *dB, center[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * nx * dim, &mesh->nodes));
  PetscCall(PetscMalloc2(nx, &B, nx * dim, &dB));
  for (PetscInt a = 0; a < dim; ++a) center[a] = mesh->tensor ? 0. : 2. / (dim + 1) - 1.;
  PetscCall(PlexDGMeshTabulate(mesh, 1, center, B, dB));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *nodes = &mesh->nodes[(size_t)e * nx * dim];

    PetscCall(PlexDGMeshGetNodes(mesh, mesh->cells[e], nodes));
    PetscCall(PlexDGMeshTurn(mesh, dB, nodes, &mesh->turned[e]));
    PlexDGMeshGetCorners(mesh, nodes, &mesh->x[(size_t)e * mesh->nv * dim]);
  }
  PetscCall(PetscFree2(B, dB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshCreate(DM dm, PetscBool quadrature, PlexDGMesh *newmesh)
{
  PlexDGMesh mesh;
  PetscInt   dim, fStart, fEnd, pStart, pEnd;
  PetscInt (*sides)[2];
  PetscInt64 *other;
  PetscBool  *remote;

  PetscFunctionBegin;
  *newmesh = NULL;
  PetscCall(PlexCellsSupported(dm, quadrature ? "DG with quadrature" : "Nodal DG"));
  PetscCall(PetscNew(&mesh));
  *newmesh = mesh;
  PetscCall(DMGetCoordinatesLocalSetUp(dm));
  PetscCall(DMGetCellCoordinatesLocalSetUp(dm));
  PetscCall(DMGetDimension(dm, &dim));
  mesh->dm         = dm;
  mesh->dim        = dim;
  mesh->quadrature = quadrature;
  mesh->nv = mesh->nx = mesh->faces = dim + 1;
  PetscCall(PlexDGMeshGetCells(dm, dim, quadrature, &mesh->Ne, &mesh->cells));
  if (quadrature) PetscCall(PlexDGMeshSetUpSpace(mesh));
  mesh->turns = PlexDGTurns(dim, mesh->tensor);
  PetscCall(PlexDGSizeCheck_Private(mesh->Ne, 2 * mesh->faces * mesh->turns, "codes of faces"));
  PetscCall(PlexDGSizeCheck_Private(mesh->Ne, mesh->nx * dim, "coordinates of nodes"));
  PetscCallMPI(MPIU_Allreduce(&mesh->Ne, &mesh->NeGlobal, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dm)));
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(PetscMalloc3(fEnd - fStart, &sides, pEnd - pStart, &other, mesh->Ne, &remote));
  PetscCall(PlexDGMeshGetSides(mesh, fStart, fEnd, sides));
  PetscCall(PlexDGMeshFindRemote(mesh, fStart, fEnd, sides, other, remote));
  PetscCall(PlexDGMeshOrder(mesh, remote));
  PetscCall(PlexDGMeshGetSides(mesh, fStart, fEnd, sides)); /* in the new order */
  PetscCall(PetscMalloc4(mesh->Ne * mesh->nv * dim, &mesh->x, quadrature ? 0 : mesh->Ne * dim * dim, &mesh->rx,
                         quadrature ? 0 : mesh->Ne, &mesh->detJ, mesh->Ne * mesh->faces, &mesh->links));
  PetscCall(PetscCalloc1(mesh->Ne, &mesh->turned));
  if (quadrature) PetscCall(PlexDGMeshSetNodes(mesh));
  else {
    mesh->nodes = mesh->x;
    PetscCall(PlexDGMeshSetGeometry(mesh));
  }
  PetscCall(PlexDGMeshSetLinks(mesh, fStart, fEnd, sides, other));
  PetscCall(PlexDGMeshSetGhosts(mesh, fStart, fEnd, sides, other));
  PetscCall(PetscFree3(sides, other, remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshDestroy(PlexDGMesh *newmesh)
{
  PlexDGMesh mesh = *newmesh;

  PetscFunctionBegin;
  if (!mesh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(mesh->cells));
  if (mesh->quadrature) PetscCall(PetscFree(mesh->nodes));
  PetscCall(PetscFree(mesh->corners));
  PetscCall(PetscFree(mesh->turned));
  PetscCall(PetscFree(mesh->mirror));
  PetscCall(PetscFEDestroy(&mesh->fe));
  PetscCall(PetscFree4(mesh->x, mesh->rx, mesh->detJ, mesh->links));
  PetscCall(PetscFree(mesh->sent));
  PetscCall(PetscSFDestroy(&mesh->sf));
  PetscCall(PetscFree2(mesh->facet, mesh->facetPoint));
  PetscCall(PetscFree(*newmesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
