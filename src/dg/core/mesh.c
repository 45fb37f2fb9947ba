/*
  What the DG operator reads of a DM of triangles, tetrahedra, quadrilaterals or hexahedra: elements, in an order of our
  own, and their maps (coordinates.c), what lies across each face (sides.c), and which traces travel between processes
  (ghosts.c).
*/
#include "coreimpl.h"
#include "../../dm/elementsimpl.h" /* PlexGetCoordinateFE(), PlexCoordinateTabulate(), PlexFindOtherType() */

/* An error unless DG takes cell c */
static PetscErrorCode PlexDGMeshCheckCell(DM dm, PetscInt dim, PetscBool quadrature, PetscInt c)
{
  DMPolytopeType type;

  PetscFunctionBegin;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells that are this process's own, of a kind unless it is DM_POLYTOPE_UNKNOWN; cells[] is PetscFree()d */
static PetscErrorCode PlexDGMeshGetCells(DM dm, PetscInt dim, PetscBool quadrature, DMPolytopeType kind, PetscInt *n,
                                         PetscInt **cells)
{
  PetscInt other;

  PetscFunctionBegin;
  PetscCall(PlexCellsGetOwned(dm, n, cells));
  if (kind != DM_POLYTOPE_UNKNOWN) {
    const PetscInt all = *n;

    *n = 0;
    for (PetscInt k = 0; k < all; ++k) {
      DMPolytopeType type;

      PetscCall(DMPlexGetCellType(dm, (*cells)[k], &type));
      if (type == kind) (*cells)[(*n)++] = (*cells)[k];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexFindOtherType(dm, *n, *cells, &other));
  for (PetscInt k = 0; k<*n; k += other> k ? other - k : 1) /* those before the other are as the first */
    PetscCall(PlexDGMeshCheckCell(dm, dim, quadrature, (*cells)[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinate space of DG with quadrature, and its basis at the vertices. kind: of the cells, if the mesh has others,
   too. Collective */
static PetscErrorCode PlexDGMeshSetUpSpace(PlexDGMesh mesh, DMPolytopeType kind)
{
  PetscReal      corners[8 * 3];
  DMPolytopeType type = kind;
  PetscInt       other;

  PetscFunctionBegin;
  if (kind == DM_POLYTOPE_UNKNOWN) PetscCall(PlexGetCellType(mesh->dm, mesh->Ne, mesh->cells, &type));
  PetscCheck((int)type >= 0, PetscObjectComm((PetscObject)mesh->dm), PETSC_ERR_ARG_WRONG, "The mesh has no cells");
  mesh->tensor = (PetscBool)(type == DM_POLYTOPE_QUADRILATERAL || type == DM_POLYTOPE_HEXAHEDRON);
  mesh->nv     = mesh->tensor ? 1 << mesh->dim : mesh->dim + 1;
  mesh->faces  = mesh->tensor ? 2 * mesh->dim : mesh->dim + 1;
  PetscCall(PlexFindOtherType(mesh->dm, mesh->Ne, mesh->cells, &other));
  for (PetscInt c = 0; c<mesh->Ne; c += other> c ? other - c : 1) { /* those before the other are as the first */
    DMPolytopeType own;

    PetscCall(DMPlexGetCellType(mesh->dm, mesh->cells[c], &own));
    PetscCheck(own == type, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Cell %" PetscInt_FMT
               " is a %s, and others are %ss: DG with quadrature is on meshes of one type of cells, or in 2 "
               "dimensions of triangles and quadrilaterals",
               mesh->cells[c], DMPolytopeTypes[own], DMPolytopeTypes[type]);
  }
  if (kind == DM_POLYTOPE_UNKNOWN) PetscCall(PlexGetCoordinateFE(mesh->dm, type, &mesh->fe));
  else
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, mesh->dim, mesh->dim, type, 1, PETSC_DETERMINE, &mesh->fe));
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
  if (mesh->shape) {
    PetscReal *own = NULL;

    if (dB) PetscCall(PetscMalloc1((size_t)dim * n * mesh->nx, &own));
    PetscCall(PlexDGReferenceTabulate(mesh->shape, n, points, B, own));
    for (PetscInt q = 0; dB && q < n * mesh->nx; ++q)
      for (PetscInt a = 0; a < dim; ++a) dB[q * dim + a] = own[(size_t)a * n * mesh->nx + q];
    PetscCall(PetscFree(own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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

/* What loops over cells read and write, while they are put in order */
typedef struct {
  PlexDGMesh       mesh;
  const PetscReal *nodes;   /* [Ne][nx][dim] */
  const PetscInt  *part;    /* cells of a part; NULL: all */
  PetscReal       *centers; /* [n][dim] of the part */
  const PetscInt  *from;    /* [Ne] the cells before */
  const int       *order;   /* [Ne] */
} PlexDGOrder;

static void PlexDGOrderCentersLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGOrder *o    = (const PlexDGOrder *)ctx;
  const PetscInt     dim  = o->mesh->dim;
  const size_t       size = (size_t)(o->mesh->nx * dim);

  for (PetscInt k = begin; k < end; ++k)
    PlexDGMeshGetCenter_Private(o->mesh, &o->nodes[(o->part ? o->part[k] : k) * size], &o->centers[k * dim]);
}

static void PlexDGOrderCellsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGOrder *o = (const PlexDGOrder *)ctx;

  for (PetscInt e = begin; e < end; ++e) o->mesh->cells[e] = o->from[o->order[e]];
}

/* Of each window of the cells order[n], those that are in[] behind the others, both in their order */
static PetscErrorCode PlexDGOrderTogether(PetscInt window, const PetscBool in[], PetscInt n, int order[])
{
  int *last;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PetscMin(window, n), &last));
  for (PetscInt begin = 0; begin < n;) {
    const PetscInt end = begin + PetscMin(window, n - begin);
    PetscInt       to  = begin;

    for (PetscInt i = begin; i < end; ++i)
      if (in[order[i]]) last[i - to] = order[i];
      else order[to++] = order[i];
    PetscCall(PetscArraycpy(&order[to], last, end - to));
    begin = end;
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the cells: first those without faces of other processes, curved ones last; each of the four parts by levels,
   and each level along a curve, of which PlexDGTogether takes windows. remote[c]: whether cell cells[c] has such a face; NULL: none has; likewise curved[c]. order[Ne]: which cell
   element e was, of nodes[Ne][nx][dim] */
static PetscErrorCode PlexDGMeshOrder(PlexDGMesh mesh, const PetscBool remote[], const PetscBool curved[],
                                      const PetscReal nodes[], int order[])
{
  PlexDGOrder     o       = {.mesh = mesh, .nodes = nodes, .from = mesh->cells, .order = order};
  const PetscInt  nlevels = PlexDGMeshLevelsN(mesh);
  const PetscBool some    = (PetscBool)(remote || curved || mesh->levels);
  PetscInt        done = 0, *part = NULL;
  PetscBool      *in = NULL;

  PetscFunctionBegin;
  if (mesh->together.window) {
    PetscCall(PetscCalloc1(mesh->Ne, &in));
    PetscCall((*mesh->together.find)(mesh->together.ctx, mesh, nodes, in));
  }
  PetscCall(PetscMalloc1(mesh->Ne * mesh->dim, &o.centers));
  PetscCall(PetscMalloc1(4 * (nlevels + 1), &mesh->begins));
  if (some) PetscCall(PetscMalloc1(mesh->Ne, &part));
  o.part = part;
  for (PetscInt k = 0; k < 4; ++k) {
    PetscInt *begins = &mesh->begins[k * (nlevels + 1)];

    begins[0] = done;
    for (PetscInt l = 0; l < nlevels; ++l) {
      PetscInt n = some || k ? 0 : mesh->Ne;

      for (PetscInt c = 0; some && c < mesh->Ne; ++c)
        if ((remote && remote[c] ? 2 : 0) + (curved && curved[c] ? 1 : 0) == k &&
            (!mesh->levels || mesh->levels->level[o.from[c] - mesh->levels->cStart] == l))
          part[n++] = c;
      PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST, PlexDGOrderCentersLoop, &o));
      if (n) PetscCall(PlexCurveOrder(n, mesh->dim, o.centers, &order[done]));
      for (PetscInt i = 0; some && i < n; ++i) order[done + i] = (int)part[order[done + i]];
      if (in) PetscCall(PlexDGOrderTogether(mesh->together.window, in, n, &order[done]));
      begins[l + 1] = done += n;
    }
    if (k < 2) mesh->Ninterior = done;
    if (k % 2) mesh->ncurved[k / 2] = done - begins[0];
  }
  PetscCall(PetscMalloc1(mesh->Ne, &mesh->cells));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_SECTION_LEAST, PlexDGOrderCellsLoop, &o));
  PetscCall(PetscFree(o.from));
  PetscCall(PetscFree(o.centers));
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a part in their order, and what lies across their faces in it */
static PetscErrorCode PlexDGMeshSetPart(PlexDGFaces *faces, const PetscBool remote[], const PetscBool curved[],
                                        const PetscReal nodes[])
{
  PlexDGMesh     mesh = faces->mesh;
  const PetscInt dim  = mesh->dim;
  int           *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->Ne, &order));
  PetscCall(PlexDGMeshOrder(mesh, remote, curved, nodes, order));
  PetscCall(PlexDGFacesSetSides_Private(faces)); /* in the new order */
  PetscCall(PetscMalloc4(mesh->Ne * mesh->nv * dim, &mesh->x, mesh->quadrature ? 0 : mesh->Ne * dim * dim, &mesh->rx,
                         mesh->quadrature ? 0 : mesh->Ne, &mesh->detJ, mesh->Ne * mesh->faces, &mesh->links));
  PetscCall(PlexDGMeshSetNodes_Private(mesh, nodes, order));
  PetscCall(PlexDGFacesSetLinks_Private(faces));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of all n parts, and what lies across their faces, after all sizes; moved to curves[ncurves], with coefficients
   that vary by gradings[ngradings]. Collective */
static PetscErrorCode PlexDGMeshSetElements(PetscInt n, const PlexDGMesh meshes[], PetscInt ncurves,
                                            const PlexDGCurve curves[], PetscInt ngradings,
                                            const PlexDGGrading gradings[], PetscSF *sf)
{
  PetscBool  *remote[2] = {NULL, NULL}, *curved[2] = {NULL, NULL};
  PlexDGFaces faces[2];
  PetscReal  *nodes[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGMeshGatherNodes_Private(meshes[k], &nodes[k]));
    if (ncurves) PetscCall(PlexDGMeshBend_Private(meshes[k], ncurves, curves, nodes[k]));
    if (meshes[k]->shape)
      PetscCall(PlexDGMeshFindCurved_Private(meshes[k], ngradings, gradings, &nodes[k], &curved[k]));
    PetscCall(PlexDGFacesCreate_Private(meshes[k], n, &faces[k]));
    if (!faces[k].other) continue;
    PetscCall(PetscMalloc1(meshes[k]->Ne, &remote[k]));
    PetscCall(PlexDGFacesSetSides_Private(&faces[k]));
  }
  if (faces[0].other) PetscCall(PlexDGFacesFindRemote_Private(n, faces, remote));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGMeshSetPart(&faces[k], remote[k], curved[k], nodes[k]));
  PetscCall(PlexDGFacesSetGhosts_Private(n, faces, sf));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGFacesDestroy_Private(&faces[k]));
    PetscCall(PetscFree(remote[k]));
    PetscCall(PetscFree(curved[k]));
    PetscCall(PetscFree(nodes[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells and sizes; kind: of the cells, if the mesh has others, too; bent: the degree that elements are bent to, or 0; graded:
   coefficients vary in some */
static PetscErrorCode PlexDGMeshBegin(DM dm, PetscBool quadrature, DMPolytopeType kind, PetscInt bent, PetscBool graded,
                                      PlexDGMesh *newmesh)
{
  PlexDGMesh mesh;
  PetscInt   dim;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mesh));
  *newmesh = mesh;
  PetscCall(DMGetCoordinatesLocalSetUp(dm));
  PetscCall(DMGetCellCoordinatesLocalSetUp(dm));
  PetscCall(DMGetDimension(dm, &dim));
  mesh->dm         = dm;
  mesh->dim        = dim;
  mesh->quadrature = quadrature;
  mesh->nv = mesh->nx = mesh->faces = dim + 1;
  PetscCall(PlexDGMeshGetCells(dm, dim, quadrature, kind, &mesh->Ne, &mesh->cells));
  if (quadrature) PetscCall(PlexDGMeshSetUpSpace(mesh, kind));
  else PetscCall(PlexDGMeshSetUpShape_Private(mesh, bent, graded));
  mesh->turns = PlexDGTurns(dim, mesh->tensor);
  PetscCall(PlexDGIntCheck_Private(mesh->Ne, mesh->faces * mesh->turns, "codes of faces"));
  PetscCall(PlexDGSizeCheck_Private(mesh->Ne, mesh->nx * dim, "coordinates of nodes"));
  PetscCallMPI(MPIU_Allreduce(&mesh->Ne, &mesh->NeGlobal, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshCreate(DM dm, PetscBool quadrature, PlexDGMesh *mesh)
{
  PetscFunctionBegin;
  *mesh = NULL;
  PetscCall(PlexCellsSupported(dm, quadrature ? "DG with quadrature" : "Nodal DG"));
  PetscCall(PlexDGMeshBegin(dm, quadrature, DM_POLYTOPE_UNKNOWN, 0, PETSC_FALSE, mesh));
  PetscCall(PlexDGMeshSetElements(1, mesh, 0, NULL, 0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshCreateNodal(DM dm, PetscInt n, const PlexDGCurve curves[], PetscInt degree, PetscInt ngradings,
                                     const PlexDGGrading gradings[], PlexDGLevels levels, PlexDGTogether together,
                                     PlexDGMesh *mesh)
{
  PetscFunctionBegin;
  *mesh = NULL;
  PetscCall(PlexCellsSupported(dm, "Nodal DG"));
  PetscCall(PlexDGMeshBegin(dm, PETSC_FALSE, DM_POLYTOPE_UNKNOWN, degree, (PetscBool)(ngradings > 0), mesh));
  (*mesh)->levels   = levels;
  (*mesh)->together = together;
  PetscCall(PlexDGMeshSetElements(1, mesh, n, curves, ngradings, gradings, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshCreateMixed(DM dm, PlexDGMesh meshes[2], PetscSF *sf)
{
  const DMPolytopeType kinds[2] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDGMeshBegin(dm, PETSC_TRUE, kinds[k], 0, PETSC_FALSE, &meshes[k]));
  PetscCall(PlexDGMeshSetElements(2, meshes, 0, NULL, 0, NULL, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshIsMixed(DM dm, PetscBool *mixed)
{
  PetscBool kinds[2] = {PETSC_FALSE, PETSC_FALSE};
  PetscInt  n, other, dim, *cells;

  PetscFunctionBegin;
  *mixed = PETSC_FALSE;
  PetscCall(DMGetDimension(dm, &dim));
  if (dim != 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCellsSupported(dm, "DG with quadrature"));
  PetscCall(PlexCellsGetOwned(dm, &n, &cells));
  PetscCall(PlexFindOtherType(dm, n, cells, &other));
  for (PetscInt k = 0; k<n; k += other> k ? other - k : 1) { /* those before the other are as the first */
    DMPolytopeType type;

    PetscCall(DMPlexGetCellType(dm, cells[k], &type));
    kinds[0] = (PetscBool)(kinds[0] || type == DM_POLYTOPE_TRIANGLE);
    kinds[1] = (PetscBool)(kinds[1] || type == DM_POLYTOPE_QUADRILATERAL);
  }
  PetscCall(PetscFree(cells));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dm)));
  *mixed = (PetscBool)(kinds[0] && kinds[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshDestroy(PlexDGMesh *newmesh)
{
  PlexDGMesh mesh = *newmesh;

  PetscFunctionBegin;
  if (!mesh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(mesh->cells));
  PetscCall(PetscFree(mesh->begins));
  if (mesh->nodes != mesh->x) PetscCall(PetscFree(mesh->nodes));
  PetscCall(PlexDGReferenceDestroy(&mesh->shape));
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
