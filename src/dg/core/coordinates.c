/*
  Coordinates of the elements: vertices, the nodes of curved ones, and the maps of those with straight sides. All are
  gathered from the DM at once, then gone through in threads.
*/
#include "coreimpl.h"
#include "../../dm/elementsimpl.h" /* PlexCofactors(), PlexGatherCoordinates() */

PetscErrorCode PlexDGMeshGatherNodes_Private(PlexDGMesh mesh, PetscReal **nodes)
{
  const PetscInt size = mesh->nx * mesh->dim;
  PetscInt       e, n;

  PetscFunctionBegin;
  if (mesh->shape) {
    PetscCall(PlexDGMeshGatherShape_Private(mesh, nodes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1((size_t)mesh->Ne * size, nodes));
  PetscCall(PlexGatherCoordinates(mesh->dm, mesh->Ne, mesh->cells, size, *nodes, &e, &n));
  PetscCheck(e < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT " coordinates, and its coordinate space %" PetscInt_FMT
             ": all cells have to be of one type, and have straight sides in a mesh of triangles and quadrilaterals",
             mesh->cells[e], n, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[nv][dim] of coordinate nodes that are not vertices alone */
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
static void PlexDGMeshGetVertices(PlexDGMesh mesh, const PetscReal nodes[], PetscReal x[])
{
  const PetscInt dim = mesh->dim;

  if (mesh->corners) PlexDGMeshGetCorners(mesh, nodes, x);
  else
    for (PetscInt v = 0; v <= dim; ++v)
      for (PetscInt d = 0; d < dim; ++d) x[PlexDGVertexNumber(dim, v) * dim + d] = nodes[v * dim + d];
}

void PlexDGMeshGetCenter_Private(PlexDGMesh mesh, const PetscReal nodes[], PetscReal center[])
{
  const PetscInt dim = mesh->dim;
  PetscReal      x[8 * 3];

  PlexDGMeshGetVertices(mesh, nodes, x);
  for (PetscInt d = 0; d < dim; ++d) {
    center[d] = 0.;
    for (PetscInt v = 0; v < mesh->nv; ++v) center[d] += x[v * dim + d] / mesh->nv;
  }
}

/* ------------------------------------------------------------------------------------------------------------------
   Nodal DG: simplices with straight sides
   ------------------------------------------------------------------------------------------------------------------ */

/* dr/dx[dim][dim] of the map x = x_0 + sum_a (1 + r_a)/2 (x_{a+1} - x_0). To be inlined: dim is then a number */
static inline void PlexDGMeshInvert(const PetscInt dim, const PetscReal x[], PetscReal rx[], PetscReal *det)
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

/* Whether an element with vertices x[dim + 1][dim] has no volume to speak of */
static inline PetscBool PlexDGMeshIsFlat(const PetscInt dim, const PetscReal x[], PetscReal det)
{
  PetscReal size = 0., volume = 1.;

  for (PetscInt v = 0; v <= dim; ++v)
    for (PetscInt d = 0; d < dim; ++d) size = PetscMax(size, PetscAbsReal(x[v * dim + d] - x[d]));
  for (PetscInt d = 0; d < dim; ++d) volume *= size;
  return (PetscBool)!(det > PETSC_MACHINE_EPSILON * volume);
}

/* What loops over elements read and find */
typedef struct {
  PlexDGMesh       mesh;
  const PetscReal *nodes; /* of the cells, in the order that they had */
  const int       *order; /* [Ne] */
  const PetscReal *dB;    /* [nx][dim] of the basis of the coordinates at the center */
  PlexLowest       flat;  /* the first element that is */
  PlexCount        turned;
} PlexDGCoordinates;

static inline void PlexDGCoordinatesStraight(PlexDGCoordinates *n, const PetscInt dim, PetscInt begin, PetscInt end)
{
  PlexDGMesh mesh = n->mesh;

  for (PetscInt e = begin; e < end; ++e) {
    PetscReal *x = &mesh->x[e * (dim + 1) * dim], *rx = &mesh->rx[e * dim * dim];

    if (e + PLEX_FETCH_AHEAD < end) PlexFetch(&n->nodes[(size_t)n->order[e + PLEX_FETCH_AHEAD] * ((dim + 1) * dim)]);
    PlexDGMeshGetVertices(mesh, &n->nodes[(size_t)n->order[e] * ((dim + 1) * dim)], x);
    PlexDGMeshInvert(dim, x, rx, &mesh->detJ[e]);
    mesh->turned[e] = (PetscBool)(mesh->detJ[e] < 0.);
    if (mesh->turned[e]) PlexDGMeshSwap(dim, x, rx, &mesh->detJ[e]);
    if (PlexDGMeshIsFlat(dim, x, mesh->detJ[e])) PlexLowestPut(&n->flat, e);
  }
}

static void PlexDGCoordinatesStraightLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGCoordinates *n = (PlexDGCoordinates *)ctx;

  if (n->mesh->dim == 2) PlexDGCoordinatesStraight(n, 2, begin, end);
  else PlexDGCoordinatesStraight(n, 3, begin, end);
}

/* An error that names the element */
static PetscErrorCode PlexDGMeshFlat(PlexDGMesh mesh, PetscInt flat)
{
  const PetscInt dim       = mesh->dim;
  PetscReal      center[3] = {0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt v = 0; v <= dim; ++v)
    for (PetscInt d = 0; d < dim; ++d) center[d] += mesh->x[(flat * (dim + 1) + v) * dim + d] / (dim + 1);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "Cell %" PetscInt_FMT " is flat: its Jacobian determinant is %g, centroid (%g, %g, %g). Correct the mesh",
          mesh->cells[flat], (double)mesh->detJ[flat], (double)center[0], (double)center[1], (double)center[2]);
}

static PetscErrorCode PlexDGMeshSetStraight(PlexDGCoordinates *n)
{
  PlexDGMesh mesh = n->mesh;
  PetscInt   flat;

  PetscFunctionBegin;
  PlexLowestInit(&n->flat, mesh->Ne);
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexDGCoordinatesStraightLoop, n));
  flat = PlexLowestGet(&n->flat);
  if (flat < mesh->Ne) PetscCall(PlexDGMeshFlat(mesh, flat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Any coordinate space: DG with quadrature, and curved elements
   ------------------------------------------------------------------------------------------------------------------ */

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

/* A cell with a negative Jacobian at its center is turned; of nodal DG, whose vertices are the other way round: where it
   is bent too far, that is found later */
static void PlexDGCoordinatesTurnedLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGCoordinates *n    = (PlexDGCoordinates *)ctx;
  PlexDGMesh         mesh = n->mesh;
  const PetscInt     dim = mesh->dim, nx = mesh->nx;
  PetscInt           turned = 0;

  for (PetscInt e = begin; e < end; ++e) {
    const PetscReal *nodes   = &n->nodes[(size_t)n->order[e] * (nx * dim)];
    PetscReal        J[3][3] = {{0.}}, C[3][3];

    if (mesh->shape) {
      PetscReal x[4 * 3];

      PlexDGMeshGetCorners(mesh, nodes, x);
      for (PetscInt d = 0; d < dim; ++d)
        for (PetscInt a = 0; a < dim; ++a) J[d][a] = 0.5 * (x[(a + 1) * dim + d] - x[d]);
    } else
      for (PetscInt v = 0; v < nx; ++v)
        for (PetscInt d = 0; d < dim; ++d)
          for (PetscInt a = 0; a < dim; ++a) J[d][a] += nodes[v * dim + d] * n->dB[v * dim + a];
    mesh->turned[e] = (PetscBool)(PlexCofactors(dim, J, C) < 0.);
    turned += mesh->turned[e];
  }
  PlexCountAdd(&n->turned, turned);
}

/* Coordinate nodes, of cells that are turned in the mirror's order, and vertices */
static void PlexDGCoordinatesCurvedLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGCoordinates *n    = (const PlexDGCoordinates *)ctx;
  PlexDGMesh               mesh = n->mesh;
  const PetscInt           dim = mesh->dim, nx = mesh->nx;

  for (PetscInt e = begin; e < end; ++e) {
    const PetscReal *from = &n->nodes[(size_t)n->order[e] * (nx * dim)];
    PetscReal       *to   = &mesh->nodes[(size_t)e * (nx * dim)];

    for (PetscInt i = 0; i < nx; ++i)
      for (PetscInt d = 0; d < dim; ++d) to[i * dim + d] = from[(mesh->turned[e] ? mesh->mirror[i] : i) * dim + d];
    PlexDGMeshGetCorners(mesh, to, &mesh->x[(size_t)e * (mesh->nv * dim)]);
  }
}

static PetscErrorCode PlexDGMeshSetCurved(PlexDGCoordinates *n)
{
  PlexDGMesh     mesh = n->mesh;
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal     *B, *dB, center[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * nx * dim, &mesh->nodes));
  PetscCall(PetscMalloc2(nx, &B, nx * dim, &dB));
  for (PetscInt a = 0; a < dim; ++a) center[a] = mesh->tensor ? 0. : 2. / (dim + 1) - 1.;
  PetscCall(PlexDGMeshTabulate(mesh, 1, center, B, dB));
  n->dB = dB;
  PlexCountInit(&n->turned);
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexDGCoordinatesTurnedLoop, n));
  if (PlexCountGet(&n->turned)) PetscCall(PlexDGMeshSetMirror(mesh));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexDGCoordinatesCurvedLoop, n));
  PetscCall(PetscFree2(B, dB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maps of elements by their vertices, of nodal DG, where some are curved: those of the others */
static PetscErrorCode PlexDGMeshSetAffine(PlexDGMesh mesh)
{
  const PetscInt dim = mesh->dim;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *x = &mesh->x[(size_t)e * (dim + 1) * dim];

    PlexDGMeshInvert(dim, x, &mesh->rx[(size_t)e * dim * dim], &mesh->detJ[e]);
    if (PlexDGMeshCurvedIndex(mesh, e) < 0 && PlexDGMeshIsFlat(dim, x, mesh->detJ[e]))
      PetscCall(PlexDGMeshFlat(mesh, e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshSetNodes_Private(PlexDGMesh mesh, const PetscReal nodes[], const int order[])
{
  PlexDGCoordinates n = {.mesh = mesh, .nodes = nodes, .order = order};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->Ne, &mesh->turned));
  if (mesh->corners) {
    PetscCall(PlexDGMeshSetCurved(&n));
    if (!mesh->quadrature) PetscCall(PlexDGMeshSetAffine(mesh));
  } else {
    mesh->nodes = mesh->x;
    PetscCall(PlexDGMeshSetStraight(&n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshCellName_Private(PlexDGMesh mesh, PetscInt e, size_t size, char name[])
{
  const PetscInt dim  = mesh->dim;
  PetscReal      x[3] = {0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < mesh->nv; ++v)
    for (PetscInt d = 0; d < dim; ++d) x[d] += mesh->x[(e * mesh->nv + v) * dim + d] / mesh->nv;
  PetscCall(PetscSNPrintf(name, size, "cell %" PetscInt_FMT ", centroid (%g, %g, %g)", mesh->cells[e], (double)x[0],
                          (double)x[1], (double)x[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
