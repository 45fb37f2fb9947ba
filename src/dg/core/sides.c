/*
  What lies across the faces of elements.

  A face is known by its DMPlex point, so nothing is compared by coordinates, and a periodic mesh is like any other. How
  the two sides' vertices meet follows from the orientations that the face has in the cones of both cells: position n of
  an oriented face is vertex arrangement[n] of the face itself. A side's place in the cone, the orientation there and
  whether the cell is turned say all of that, so it is found once for each of these, and the faces are gone through in
  threads.
*/
#include "coreimpl.h"
#include <petsc/private/sectionimpl.h> /* cones and supports of millions of points are read where they are */
#include <petsc/private/dmpleximpl.h>

/* Which of PETSc's vertices of a simplex are on each face of the cone, as DMPlex numbers them */
static const PetscInt PlexConeVertices[2][4][3] = {
  {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {-1, -1, -1}},
  {{0, 1, 2},  {0, 3, 1},  {0, 2, 3},  {2, 1, 3}   }
};

/* ------------------------------------------------------------------------------------------------------------------
   How a side lies. canon[v]: which vertex of the face's point is vertex v of the face
   ------------------------------------------------------------------------------------------------------------------ */

/* Side c of the cone of a quadrilateral, from its vertex c to the next one, or of a hexahedron, whose faces have the
   vertices that DMPlex gives them */
static void PlexDGSideGetTensor(PetscInt dim, PetscInt c, PetscInt orientation, PlexDGSide *side, PetscInt canon[])
{
  const PetscInt *arrangement = DMPolytopeTypeGetVertexArrangement(dim == 2 ? DM_POLYTOPE_SEGMENT
                                                                            : DM_POLYTOPE_QUADRILATERAL,
                                                                   orientation);
  const PetscBool descends    = (PetscBool)(dim == 2 && c == 3); /* from vertex 3 to 0 */

  for (PetscInt v = 0; v < PlexDGFaceSize(dim, PETSC_TRUE); ++v) canon[v] = arrangement[descends ? 1 - v : v];
  side->face = c;
}

/* Side c of the cone of a simplex */
static void PlexDGSideGetSimplex(PetscInt dim, PetscInt c, PetscInt orientation, PlexDGSide *side, PetscInt canon[])
{
  const PetscInt *vertices    = PlexConeVertices[dim - 2][c];
  const PetscInt *arrangement = DMPolytopeTypeGetVertexArrangement(dim == 2 ? DM_POLYTOPE_SEGMENT
                                                                            : DM_POLYTOPE_TRIANGLE,
                                                                   orientation);
  PetscInt        position[4] = {-1, -1, -1, -1}, n = 0;

  for (PetscInt k = 0; k < dim; ++k) position[PlexDGVertexNumber(dim, vertices[k])] = k;
  for (PetscInt v = 0; v <= dim; ++v) {
    if (position[v] < 0) side->face = v ? v - 1 : dim;
    else canon[n++] = arrangement[position[v]];
  }
}

/* The vertex of the reference element whose r_0 and r_1 are those of vertex v exchanged */
static PetscInt PlexMirrorVertex(PetscInt dim, PetscBool tensor, PetscInt v)
{
  return tensor ? (v % 2 ? v / 4 * 4 + 4 - v % 4 : v) : dim > 1 && (v == 1 || v == 2) ? 3 - v : v;
}

/* A side as that of a cell that is turned: its vertices there are the exchanged ones */
static void PlexDGSideMirror(PetscInt dim, PetscBool tensor, PlexDGSide *side, PetscInt canon[])
{
  const PetscInt n = PlexDGFaceSize(dim, tensor), faces = tensor ? 2 * dim : dim + 1;
  PetscInt       old[4], turned[4], vertices[4], found = 0;

  PlexDGFaceVertices(dim, tensor, side->face, old);
  for (PetscInt f = 0; f < faces && found < n; ++f) {
    PlexDGFaceVertices(dim, tensor, f, vertices);
    found = 0;
    for (PetscInt v = 0; v < n; ++v)
      for (PetscInt w = 0; w < n; ++w)
        if (old[w] == PlexMirrorVertex(dim, tensor, vertices[v])) {
          turned[v] = canon[w];
          ++found;
        }
    if (found == n) side->face = f;
  }
  for (PetscInt v = 0; v < n; ++v) canon[v] = turned[v];
}

/* Turn, and how the point lies, once face and canon are there */
static void PlexDGSideFinish(PetscInt dim, PetscBool tensor, PlexDGSide *side, const PetscInt canon[])
{
  const PetscInt n = PlexDGFaceSize(dim, tensor), nv = tensor ? 1 << dim : dim + 1;
  /* vertices of the point go round as those of the face */
  const PetscInt next = n == 2 ? canon[0] == 0 : (canon[1] - canon[0] + n) % n == 1;
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
  side->turn = PlexDGTurnNumber(n, canon);
  side->outward = (PetscBool)((volume > 0.) == (next != 0));
}

/* Which vertex of the other side is vertex v of this one */
static PetscInt PlexDGTurnBetween(PetscInt n, PetscInt here, PetscInt there)
{
  PetscInt a[4], b[4], p[4] = {0, 0, 0, 0};

  PlexDGTurnGet(n, here, a);
  PlexDGTurnGet(n, there, b);
  for (PetscInt v = 0; v < n; ++v)
    for (PetscInt w = 0; w < n; ++w)
      if (b[w] == a[v]) p[v] = w;
  return PlexDGTurnNumber(n, p);
}

/* All sides that an element may have, and all ways in which two may meet */
static void PlexDGFacesTabulate(PlexDGFaces *F)
{
  const PetscInt  dim = F->mesh->dim, n = PlexDGFaceSize(dim, F->mesh->tensor);
  const PetscBool tensor = F->mesh->tensor;
  PetscInt        canon[4];

  for (PetscInt turned = 0; turned < 2; ++turned) {
    for (PetscInt c = 0; c < F->mesh->faces; ++c) {
      for (PetscInt o = -n; o < n; ++o) {
        PlexDGSide *side = &F->side[turned][c][4 + o];

        if (dim == 2 && (o < -1 || o > 0)) continue; /* of a segment there are two */
        if (tensor) PlexDGSideGetTensor(dim, c, o, side, canon);
        else PlexDGSideGetSimplex(dim, c, o, side, canon);
        if (turned) PlexDGSideMirror(dim, tensor, side, canon);
        PlexDGSideFinish(dim, tensor, side, canon);
      }
    }
  }
  for (PetscInt here = 0; here < F->mesh->turns; ++here)
    for (PetscInt there = 0; there < F->mesh->turns; ++there)
      F->between[here][there] = PlexDGTurnBetween(n, here, there);
}

/* ------------------------------------------------------------------------------------------------------------------
   Faces
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode PlexDGFacesCreate_Private(PlexDGMesh mesh, PetscInt nparts, PlexDGFaces *F)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  F->mesh  = mesh;
  F->other = NULL;
  PetscCall(DMPlexGetChart(mesh->dm, &F->pStart, &F->pEnd));
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 1, &F->fStart, &F->fEnd));
  PetscCall(PlexGetCones(mesh->dm, &F->cones));
  PetscCall(PetscMalloc1(F->fEnd - F->fStart, &F->sides));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)mesh->dm), &size));
  F->parallel = (PetscBool)(size > 1);
  if (F->parallel || nparts > 1) PetscCall(PetscMalloc1(F->pEnd - F->pStart, &F->other));
  PlexDGFacesTabulate(F);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesDestroy_Private(PlexDGFaces *F)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(F->sides));
  PetscCall(PetscFree(F->other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sides of faces by their supports */
typedef struct {
  PlexDGFaces    *F;
  PetscInt        cStart, cEnd;
  PetscInt       *number;                     /* [cEnd - cStart] element of each cell, -1: none */
  const PetscInt *sizes, *offsets, *supports; /* of the points, from supportStart on */
  PetscInt        supportStart;
  PlexCount       found; /* sides, of those that there should be */
} PlexDGSupports;

static void PlexDGSupportsNumberLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGSupports *s = (PlexDGSupports *)ctx;

  for (PetscInt e = begin; e < end; ++e) s->number[s->F->mesh->cells[e] - s->cStart] = e;
}

static void PlexDGSupportsSidesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGSupports *s     = (PlexDGSupports *)ctx;
  PlexDGFaces    *F     = s->F;
  const PetscInt  faces = F->mesh->faces;
  PetscInt        found = 0;

  for (PetscInt p = begin; p < end; ++p) {
    const PetscInt *support = &s->supports[s->offsets[F->fStart + p - s->supportStart]];
    PetscInt       *own = F->sides[p], n = 0;

    own[0] = own[1] = -1;
    for (PetscInt k = 0; k < s->sizes[F->fStart + p - s->supportStart]; ++k) {
      const PetscInt  cell = support[k], e = cell >= s->cStart && cell < s->cEnd ? s->number[cell - s->cStart] : -1;
      const PetscInt *cone  = &F->cones.points[PlexConesAt(&F->cones, cell)];
      PetscInt        times = 0, c = -1;

      if (e < 0) continue;
      for (PetscInt j = 0; j < k; ++j) times += support[j] == cell; /* a cell is on both sides of the face */
      do ++c;
      while (c < faces && (cone[c] != F->fStart + p || times-- > 0));
      if (c < faces && n < 2) own[n] = e * faces + c;
      if (c < faces) ++n;
    }
    if (n == 2 && own[0] > own[1]) {
      const PetscInt side = own[0];

      own[0] = own[1];
      own[1] = side;
    }
    if (n > 2) PlexLowestPut(&F->broken, p);
    found += n;
  }
  PlexCountAdd(&s->found, found);
}

/* *all: each side of each element is found, and no face has more than two. Not so where supports are not those of the
   cones, or where there are none */
static PetscErrorCode PlexDGFacesUseSupports(PlexDGFaces *F, PetscBool *all)
{
  const DM_Plex *plex = (const DM_Plex *)F->mesh->dm->data;
  PlexDGSupports s    = {.F = F, .supports = plex->supports};
  PetscSection   section;

  PetscFunctionBegin;
  *all = PETSC_FALSE;
  PetscCall(DMPlexGetSupportSection(F->mesh->dm, &section));
  if (!s.supports) PetscFunctionReturn(PETSC_SUCCESS);
  s.sizes        = section->atlasDof;
  s.offsets      = section->atlasOff;
  s.supportStart = section->pStart;
  PetscCall(DMPlexGetHeightStratum(F->mesh->dm, 0, &s.cStart, &s.cEnd));
  PetscCall(PetscMalloc1(s.cEnd - s.cStart, &s.number));
  for (PetscInt c = 0; c < s.cEnd - s.cStart; ++c) s.number[c] = -1;
  PlexCountInit(&s.found);
  PlexLowestInit(&F->broken, F->fEnd - F->fStart);
  PetscCall(PlexThreadsRun(F->mesh->Ne, PLEX_THREADS_LEAST, PlexDGSupportsNumberLoop, &s));
  PetscCall(PlexThreadsRun(F->fEnd - F->fStart, PLEX_THREADS_LEAST, PlexDGSupportsSidesLoop, &s));
  PetscCall(PetscFree(s.number));
  *all = (PetscBool)(PlexCountGet(&s.found) == (PetscInt64)F->mesh->Ne * F->mesh->faces &&
                     PlexLowestGet(&F->broken) == F->fEnd - F->fStart);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesSetSides_Private(PlexDGFaces *F)
{
  PlexDGMesh mesh = F->mesh;
  PetscBool  all;

  PetscFunctionBegin;
  PetscCall(PlexDGFacesUseSupports(F, &all));
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt p = 0; p < F->fEnd - F->fStart; ++p) F->sides[p][0] = F->sides[p][1] = -1;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone = &F->cones.points[PlexConesAt(&F->cones, mesh->cells[e])];

    for (PetscInt c = 0; c < mesh->faces; ++c) {
      PetscInt *own = F->sides[cone[c] - F->fStart];

      PetscCheck(own[1] < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Face %" PetscInt_FMT " is one of more than two cells, cell %" PetscInt_FMT
                 " among them: nodal DG needs a manifold",
                 cone[c], mesh->cells[e]);
      own[own[0] < 0 ? 0 : 1] = e * mesh->faces + c;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFacesCheck_Private(const PlexDGFaces *F, PetscInt trace, PetscInt point, PetscBool here,
                                        PetscBool there)
{
  PlexDGMesh     mesh = F->mesh;
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

/* Links between own elements */
static void PlexDGFacesLinksLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGFaces *F    = (PlexDGFaces *)ctx;
  PlexDGMesh   mesh = F->mesh;

  for (PetscInt p = begin; p < end; ++p) {
    const PlexDGSide *side[2];
    PetscInt          trace[2];

    if (F->sides[p][1] < 0) continue;
    for (PetscInt k = 0; k < 2; ++k) side[k] = PlexDGFacesGetSide(F, F->sides[p][k], &trace[k]);
    for (PetscInt k = 0; k < 2; ++k)
      mesh->links[trace[k]] = (int)(trace[1 - k] * mesh->turns + F->between[side[k]->turn][side[1 - k]->turn]);
    if (side[0]->outward == side[1]->outward) PlexLowestPut(&F->inverted, p);
  }
}

/* Whether face p is on the boundary */
static inline PetscBool PlexDGFacesIsFacet(const PlexDGFaces *F, PetscInt p)
{
  return (PetscBool)(F->sides[p][0] >= 0 && F->sides[p][1] < 0 &&
                     (!F->other || F->other[F->fStart + p - F->pStart] < 0));
}

/* Links of faces between own elements, and the boundary's facets */
PetscErrorCode PlexDGFacesSetLinks_Private(PlexDGFaces *F)
{
  PlexDGMesh     mesh = F->mesh;
  const PetscInt n    = F->fEnd - F->fStart;
  PetscInt       trace[2], p;

  PetscFunctionBegin;
  PlexLowestInit(&F->inverted, n);
  PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST, PlexDGFacesLinksLoop, F));
  p = PlexLowestGet(&F->inverted);
  if (p < n) {
    const PlexDGSide *side[2];

    for (PetscInt k = 0; k < 2; ++k) side[k] = PlexDGFacesGetSide(F, F->sides[p][k], &trace[k]);
    PetscCall(PlexDGFacesCheck_Private(F, trace[mesh->turned[trace[1] / mesh->faces]], F->fStart + p, side[0]->outward,
                                       side[1]->outward));
  }
  for (p = 0; p < n; ++p) mesh->nfacets += PlexDGFacesIsFacet(F, p);
  PetscCall(PetscMalloc2(mesh->nfacets, &mesh->facet, mesh->nfacets, &mesh->facetPoint));
  mesh->nfacets = 0;
  for (p = 0; p < n; ++p) {
    if (!PlexDGFacesIsFacet(F, p)) continue;
    (void)PlexDGFacesGetSide(F, F->sides[p][0], &trace[0]);
    mesh->facet[mesh->nfacets]      = (int)trace[0];
    mesh->facetPoint[mesh->nfacets] = F->fStart + p;
    mesh->links[trace[0]]           = (int)(-++mesh->nfacets);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
