/*
  Curved elements of nodal DG: coordinates of the degree that the DM has, or that facets of a label are bent to, and
  which elements are affine.

  Bending. Vertices, edges and faces of the facets of a curve are moved by its projection P. With barycentric
  coordinates l, straight positions y(l) = sum_v l_v X_v and the vertices X_v moved already,

    edge (a, b)        D_ab(p) = P(y) - y at y = p_a X_a + p_b X_b,   p = ((1 + l_a - l_b)/2, (1 - l_a + l_b)/2)
    face (a, b, c)     D_abc(m) = P(y) - y - sum of its edges,   m_k = l_k + l_o/3, o the fourth vertex
    x(l)               y(l) + sum_edges D_ab l_a l_b/(p_a p_b) + sum_faces D_abc l_a l_b l_c/(m_a m_b m_c)

  (Hesthaven and Warburton, Nodal discontinuous Galerkin methods, 2008, 9.1.1, and likewise for faces). D vanish at
  the ends of the edge and at the edges of the face, so that the quotients are smooth: a derivative of order k is of
  order h^k, which rates of N + 1 need. On a face x depends on what the face has alone: elements that share it have
  the same nodes.
*/
#include "coreimpl.h"
#include "../../dm/elementsimpl.h" /* PlexGetCoordinateFE(), PlexCoordinateTabulate(), PlexGatherCoordinates() */

#define PLEX_DG_STRAIGHT 1e-12 /* of an element's size: nodes are so near to where those of an affine map are */

PetscErrorCode PlexDGCurvesDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ncurves; ++k) PetscCall(PetscFree(dg->curves[k].label));
  PetscCall(PetscFree(dg->curves));
  dg->ncurves = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshSetUpShape_Private(PlexDGMesh mesh, PetscInt degree, PetscBool graded)
{
  PetscFE    fe;
  PetscSpace space;
  PetscInt   own;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(mesh->dm, mesh->dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, &fe));
  PetscCall(PetscFEGetBasisSpace(fe, &space));
  PetscCall(PetscSpaceGetDegree(space, &own, NULL));
  PetscCall(PetscFEDestroy(&fe));
  PetscCheck(own <= 1 || !degree, PetscObjectComm((PetscObject)mesh->dm), PETSC_ERR_SUP,
             "The mesh has coordinates of degree %" PetscInt_FMT
             " already, and -plex_dg_curve, PlexDGSetCurve() bend straight ones: leave it out, or use a mesh of degree "
             "1",
             own);
  if (!degree && own <= 1 && !graded) PetscFunctionReturn(PETSC_SUCCESS);
  degree = PetscMax(1, PetscMax(degree, own));
  PetscCheck(degree <= PLEX_DG_MAX_DEGREE, PetscObjectComm((PetscObject)mesh->dm), PETSC_ERR_SUP,
             "Coordinates of degree %" PetscInt_FMT
             " are more than %d, which nodal DG takes: use a mesh of lower degree",
             degree, PLEX_DG_MAX_DEGREE);
  PetscCall(PlexDGReferenceCreate(mesh->dim, degree, &mesh->shape));
  mesh->nx = mesh->shape->Np;
  PetscCall(PetscMalloc1(mesh->nv * mesh->nx, &mesh->corners));
  for (PetscInt v = 0; v < mesh->nv; ++v)
    for (PetscInt i = 0; i < mesh->nx; ++i)
      mesh->corners[v * mesh->nx + i] = mesh->shape->lambda[i * mesh->nv + v] > 1. - 1e-10 ? 1. : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshGatherShape_Private(PlexDGMesh mesh, PetscReal **newnodes)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscInt       fx, e, n;
  PetscReal     *B, *x, *nodes;
  PetscFE        fe;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(mesh->dm, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, &fe));
  PetscCall(PetscFEGetDimension(fe, &fx));
  fx /= dim;
  PetscCall(PetscMalloc2(nx * fx, &B, (size_t)mesh->Ne * fx * dim, &x));
  PetscCall(PetscMalloc1((size_t)mesh->Ne * nx * dim, newnodes));
  nodes = *newnodes;
  PetscCall(PlexCoordinateTabulate(fe, fx, nx, mesh->shape->r, B, NULL));
  for (PetscInt k = 0; k < nx * fx; ++k) { /* those that are 0 and 1 are so exactly: vertices stay what they are */
    if (PetscAbsReal(B[k]) < 1e-13) B[k] = 0.;
    if (PetscAbsReal(B[k] - 1.) < 1e-13) B[k] = 1.;
  }
  PetscCall(PlexGatherCoordinates(mesh->dm, mesh->Ne, mesh->cells, fx * dim, x, &e, &n));
  PetscCheck(e < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT " coordinates, and its coordinate space %" PetscInt_FMT
             ": all cells have to have those of one degree",
             mesh->cells[e], n, fx * dim);
  for (e = 0; e < mesh->Ne; ++e)
    for (PetscInt i = 0; i < nx; ++i)
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal sum = 0.;

        for (PetscInt v = 0; v < fx; ++v) sum += B[i * fx + v] * x[((size_t)e * fx + v) * dim + d];
        nodes[((size_t)e * nx + i) * dim + d] = sum;
      }
  PetscCall(PetscFree2(B, x));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Bending
   ------------------------------------------------------------------------------------------------------------------ */

/* The curves of points of the mesh: 1 + their number; of facets, and of what lies in the closure of those of any
   process */
typedef struct {
  PetscInt           dim, pStart, pEnd;
  const PlexDGCurve *curves;
  int               *facet, *least, *most; /* [pEnd - pStart] 0: none */
} PlexDGMarks;

/* facet[]: the last curve that holds; an error where one holds nowhere */
static PetscErrorCode PlexDGMarksSetFacets(DM dm, PetscInt n, PlexDGMarks *m)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dm);
  PetscInt  fStart, fEnd;
  PetscBool held, holds;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt k = 0; k < n; ++k) {
    const PlexDGCurve *c = &m->curves[k];
    DMLabel            label;

    held = PETSC_FALSE;
    PetscCall(DMGetLabel(dm, c->label, &label));
    for (PetscInt f = fStart; label && f < fEnd; ++f) {
      PetscCall(PlexLabelHolds(label, c->value, f, &holds));
      if (holds) m->facet[f - m->pStart] = (int)k + 1;
      if (holds) held = PETSC_TRUE;
    }
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &held, 1, MPI_C_BOOL, MPI_LOR, comm));
    PetscCheck(held, comm, PETSC_ERR_ARG_WRONG,
               "A curve is for label %s, value %" PetscInt_FMT
               " (-1: any), which no facet of the mesh has: -dm_view shows the labels and their values",
               c->label, c->value == PETSC_DETERMINE ? -1 : c->value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGMarksCreate(DM dm, PetscInt n, const PlexDGCurve curves[], PlexDGMarks *m)
{
  PetscInt eStart, eEnd;

  PetscFunctionBegin;
  m->curves = curves;
  PetscCall(DMGetDimension(dm, &m->dim));
  PetscCall(DMPlexGetChart(dm, &m->pStart, &m->pEnd));
  PetscCall(PetscCalloc3(m->pEnd - m->pStart, &m->facet, m->pEnd - m->pStart, &m->least, m->pEnd - m->pStart,
                         &m->most));
  PetscCall(PlexDGMarksSetFacets(dm, n, m));
  PetscCall(PlexPointsCombine(dm, MPI_MAX, MPI_INT, m->facet));
  for (PetscInt p = 0; p < m->pEnd - m->pStart; ++p) m->least[p] = PETSC_INT32_MAX;
  for (PetscInt f = 0; f < m->pEnd - m->pStart; ++f) {
    PetscInt *closure = NULL, size;

    if (!m->facet[f]) continue;
    PetscCall(DMPlexGetTransitiveClosure(dm, m->pStart + f, PETSC_TRUE, &size, &closure));
    for (PetscInt c = 0; c < size; ++c) {
      const PetscInt p = closure[2 * c] - m->pStart;

      m->least[p] = PetscMin(m->least[p], m->facet[f]);
      m->most[p]  = PetscMax(m->most[p], m->facet[f]);
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, m->pStart + f, PETSC_TRUE, &size, &closure));
  }
  PetscCall(PlexPointsCombine(dm, MPI_MAX, MPI_INT, m->most));
  PetscCall(PlexPointsCombine(dm, MPI_MIN, MPI_INT, m->least));
  PetscCall(DMPlexGetDepthStratum(dm, 1, &eStart, &eEnd));
  for (PetscInt e = eStart; e < eEnd && m->dim == 3; ++e) {
    const int most = m->most[e - m->pStart], least = m->least[e - m->pStart];

    PetscCheck(!most || most == least, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Edge %" PetscInt_FMT
               " is on two curves, of labels %s and %s: move it to both by one function, PlexDGSetCurve()",
               e, curves[least - 1].label, curves[most - 1].label);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A simplex that is bent: moved vertices, the edges and faces that are on curves, by vertices of the reference
   element */
typedef struct {
  const PlexDGMarks *marks;
  PetscInt           dim, nedges, nfaces, edge[6][2], face[4][3];
  int                edgeCurve[6], faceCurve[4];
  PetscReal          X[4][3];
} PlexDGBent;

static PetscErrorCode PlexDGBentMove(const PlexDGBent *b, int curve, PetscReal x[])
{
  const PlexDGCurve *c = &b->marks->curves[curve - 1];

  PetscFunctionBegin;
  PetscCall((*c->func)(b->dim, x, c->option ? (void *)c->shape : c->ctx));
  for (PetscInt d = 0; d < b->dim; ++d)
    PetscCheck(PetscIsNormalReal(x[d]) || x[d] == 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "The curve of label %s has no point near one of the mesh: coordinate %" PetscInt_FMT " becomes %g",
               c->label, d, (double)x[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves vertex x; an error where the function moves it again, so that sides would not end there. size: of the element */
static PetscErrorCode PlexDGBentMoveVertex(const PlexDGBent *b, int curve, PetscReal size, PetscReal x[])
{
  PetscReal again[3] = {0., 0., 0.}, apart = 0.;

  PetscFunctionBegin;
  PetscCall(PlexDGBentMove(b, curve, x));
  PetscCall(PetscArraycpy(again, x, b->dim));
  PetscCall(PlexDGBentMove(b, curve, again));
  for (PetscInt d = 0; d < b->dim; ++d) apart = PetscMax(apart, PetscAbsReal(again[d] - x[d]));
  PetscCheck(apart <= 1e-8 * size, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The function of the curve of label %s moves a point that it has moved, (%g, %g, %g), by another %g: it "
             "has to "
             "move points to a surface, and to leave those there as they are",
             b->marks->curves[curve - 1].label, (double)x[0], (double)x[1], b->dim == 3 ? (double)x[2] : 0.,
             (double)apart);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds D_ab times l_a l_b/(p_a p_b) to x */
static PetscErrorCode PlexDGBentAddEdge(const PlexDGBent *b, PetscInt edge, const PetscReal l[], PetscReal x[])
{
  const PetscInt *v  = b->edge[edge];
  const PetscReal la = l[v[0]], lb = l[v[1]], p[2] = {0.5 * (1. + la - lb), 0.5 * (1. - la + lb)};
  PetscReal       y[3], to[3];

  PetscFunctionBegin;
  if (la < 1e-14 || lb < 1e-14) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt d = 0; d < b->dim; ++d) to[d] = y[d] = p[0] * b->X[v[0]][d] + p[1] * b->X[v[1]][d];
  PetscCall(PlexDGBentMove(b, b->edgeCurve[edge], to));
  for (PetscInt d = 0; d < b->dim; ++d) x[d] += (to[d] - y[d]) * (la * lb) / (p[0] * p[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGBentAddFace(const PlexDGBent *b, PetscInt face, const PetscReal l[], PetscReal x[])
{
  const PetscInt *v    = b->face[face];
  const PetscReal all  = l[v[0]] + l[v[1]] + l[v[2]];
  PetscReal       m[4] = {0., 0., 0., 0.}, y[3], to[3], weight = 1.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    if (l[v[k]] < 1e-14) PetscFunctionReturn(PETSC_SUCCESS);
    m[v[k]] = l[v[k]] + (1. - all) / 3.;
    weight *= l[v[k]] / m[v[k]];
  }
  for (PetscInt d = 0; d < 3; ++d) {
    y[d] = 0.;
    for (PetscInt k = 0; k < 3; ++k) y[d] += m[v[k]] * b->X[v[k]][d];
    to[d] = y[d];
  }
  PetscCall(PlexDGBentMove(b, b->faceCurve[face], to));
  for (PetscInt k = 0; k < b->nedges; ++k) /* m is 0 at the fourth vertex, and so are edges that the face has not */
    PetscCall(PlexDGBentAddEdge(b, k, m, y));
  for (PetscInt d = 0; d < 3; ++d) x[d] += weight * (to[d] - y[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of cell c is on curves, and whether anything is; vertices X[] are moved */
static PetscErrorCode PlexDGBentSet(PlexDGMesh mesh, PetscInt c, const PetscReal nodes[], PlexDGBent *b,
                                    PetscBool *bent)
{
  const PlexDGMarks *m       = b->marks;
  const PetscInt     dim     = mesh->dim;
  PetscInt          *closure = NULL, size, vStart, vEnd, vertex[4], n = 0;
  PetscReal          extent = 0.;

  PetscFunctionBegin;
  b->nedges = b->nfaces = 0;
  *bent                 = PETSC_FALSE;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(DMPlexGetTransitiveClosure(mesh->dm, c, PETSC_TRUE, &size, &closure));
  for (PetscInt k = 0; k < size; ++k) {
    if (m->most[closure[2 * k] - m->pStart]) *bent = PETSC_TRUE;
    if (closure[2 * k] >= vStart && closure[2 * k] < vEnd) vertex[PlexDGVertexNumber(dim, n++)] = closure[2 * k];
  }
  for (PetscInt v = 0; *bent && v <= dim; ++v) {
    for (PetscInt d = 0; d < dim; ++d) {
      b->X[v][d] = 0.;
      for (PetscInt i = 0; i < mesh->nx; ++i) b->X[v][d] += mesh->corners[v * mesh->nx + i] * nodes[i * dim + d];
    }
    for (PetscInt d = 0; d < dim; ++d) extent = PetscMax(extent, PetscAbsReal(b->X[v][d] - b->X[0][d]));
  }
  for (PetscInt v = 0; *bent && v <= dim; ++v)
    if (m->most[vertex[v] - m->pStart])
      PetscCall(PlexDGBentMoveVertex(b, m->most[vertex[v] - m->pStart], extent, b->X[v]));
  for (PetscInt k = 1; *bent && k < size; ++k) {
    const PetscInt p   = closure[2 * k];
    PetscInt      *own = NULL, ownSize, at[4], count = 0;

    if (p >= vStart && p < vEnd) continue;
    if (!m->most[p - m->pStart]) continue;
    PetscCall(DMPlexGetTransitiveClosure(mesh->dm, p, PETSC_TRUE, &ownSize, &own));
    for (PetscInt q = 0; q < ownSize; ++q)
      for (PetscInt v = 0; v <= dim; ++v)
        if (own[2 * q] == vertex[v]) at[count++] = v;
    PetscCall(DMPlexRestoreTransitiveClosure(mesh->dm, p, PETSC_TRUE, &ownSize, &own));
    if (count == 2) {
      PetscCall(PetscArraycpy(b->edge[b->nedges], at, 2));
      b->edgeCurve[b->nedges++] = m->most[p - m->pStart];
    } else if (count == 3 && dim == 3) {
      PetscCall(PetscArraycpy(b->face[b->nfaces], at, 3));
      b->faceCurve[b->nfaces++] = m->most[p - m->pStart];
    }
  }
  PetscCall(DMPlexRestoreTransitiveClosure(mesh->dm, c, PETSC_TRUE, &size, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshBend_Private(PlexDGMesh mesh, PetscInt n, const PlexDGCurve curves[], PetscReal nodes[])
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PlexDGMarks    marks = {0};
  PlexDGBent     b     = {.marks = &marks, .dim = dim};

  PetscFunctionBegin;
  PetscCall(PlexDGMarksCreate(mesh->dm, n, curves, &marks));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *x = &nodes[(size_t)e * nx * dim];
    PetscBool  bent;

    PetscCall(PlexDGBentSet(mesh, mesh->cells[e], x, &b, &bent));
    for (PetscInt i = 0; bent && i < nx; ++i) {
      const PetscReal *l = &mesh->shape->lambda[i * (dim + 1)];

      for (PetscInt d = 0; d < dim; ++d) {
        x[i * dim + d] = 0.;
        for (PetscInt v = 0; v <= dim; ++v) x[i * dim + d] += l[v] * b.X[v][d];
      }
      for (PetscInt k = 0; k < b.nedges; ++k) PetscCall(PlexDGBentAddEdge(&b, k, l, &x[i * dim]));
      for (PetscInt k = 0; k < b.nfaces; ++k) PetscCall(PlexDGBentAddFace(&b, k, l, &x[i * dim]));
    }
  }
  PetscCall(PetscFree3(marks.facet, marks.least, marks.most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Which elements are curved
   ------------------------------------------------------------------------------------------------------------------ */

static PetscBool PlexDGIsStraight(PlexDGMesh mesh, const PetscReal x[])
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal      size = 0., most = 0., apart = 0., X[4][3];

  for (PetscInt v = 0; v <= dim; ++v)
    for (PetscInt d = 0; d < dim; ++d) {
      X[v][d] = 0.;
      for (PetscInt i = 0; i < nx; ++i) X[v][d] += mesh->corners[v * nx + i] * x[i * dim + d];
      size = PetscMax(size, PetscAbsReal(X[v][d] - X[0][d]));
      most = PetscMax(most, PetscAbsReal(X[v][d]));
    }
  for (PetscInt i = 0; i < nx; ++i)
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal y = 0.;

      for (PetscInt v = 0; v <= dim; ++v) y += mesh->shape->lambda[i * (dim + 1) + v] * X[v][d];
      apart = PetscMax(apart, PetscAbsReal(x[i * dim + d] - y));
    }
  return (PetscBool)(apart <= PLEX_DG_STRAIGHT * size + 32. * PETSC_MACHINE_EPSILON * most);
}

/* Vertices alone, as DMPlex has them, where no element is curved */
static PetscErrorCode PlexDGMeshDropShape(PlexDGMesh mesh, PetscReal **nodes)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx;
  PetscReal     *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * (dim + 1) * dim, &x));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    for (PetscInt v = 0; v <= dim; ++v)
      for (PetscInt i = 0; i < nx; ++i)
        if (mesh->corners[PlexDGVertexNumber(dim, v) * nx + i] > 0.)
          PetscCall(PetscArraycpy(&x[((size_t)e * (dim + 1) + v) * dim], &(*nodes)[((size_t)e * nx + i) * dim], dim));
  PetscCall(PetscFree(*nodes));
  PetscCall(PetscFree(mesh->corners));
  PetscCall(PlexDGReferenceDestroy(&mesh->shape));
  *nodes   = x;
  mesh->nx = dim + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGradingFind_Private(DM dm, PetscInt n, const PlexDGGrading gradings[], PetscInt cell,
                                         PetscInt *found)
{
  PetscFunctionBegin;
  *found = -1;
  for (PetscInt k = n; k-- > 0 && *found < 0;) {
    PetscBool holds = PETSC_TRUE;

    if (gradings[k].label) {
      DMLabel label;

      PetscCall(DMGetLabel(dm, gradings[k].label, &label));
      PetscCheck(label, PetscObjectComm((PetscObject)dm), PETSC_ERR_ARG_WRONG,
                 "The mesh has no label %s, which PlexDGSetMaterialFunction() is for: -dm_view shows what it has",
                 gradings[k].label);
      PetscCall(PlexLabelHolds(label, gradings[k].value, cell, &holds));
    }
    if (holds) *found = k;
  }
  if (*found >= 0 && !gradings[*found].func) *found = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets curved[] of cells with coefficients that vary, and of those that share a facet with one: both sides of a face of
   such a cell compute the flux at the same points */
static PetscErrorCode PlexDGMeshFindGraded(PlexDGMesh mesh, PetscInt n, const PlexDGGrading gradings[],
                                           PetscBool curved[])
{
  PetscInt        pStart, pEnd, found;
  int            *near;
  const PetscInt *cone;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscCalloc1(pEnd - pStart, &near));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscCall(PlexDGGradingFind_Private(mesh->dm, n, gradings, mesh->cells[e], &found));
    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    for (PetscInt f = 0; found >= 0 && f < mesh->faces; ++f) near[cone[f] - pStart] = 1;
  }
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MAX, MPI_INT, near));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    for (PetscInt f = 0; f < mesh->faces; ++f)
      if (near[cone[f] - pStart]) curved[e] = PETSC_TRUE;
  }
  PetscCall(PetscFree(near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMeshFindCurved_Private(PlexDGMesh mesh, PetscInt ngradings, const PlexDGGrading gradings[],
                                            PetscReal **nodes, PetscBool **curved)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->Ne, curved));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    (*curved)[e] = (PetscBool)!PlexDGIsStraight(mesh, &(*nodes)[(size_t)e * (mesh->nx * mesh->dim)]);
  if (ngradings) PetscCall(PlexDGMeshFindGraded(mesh, ngradings, gradings, *curved));
  for (PetscInt e = 0; e < mesh->Ne; ++e) n += (*curved)[e];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)mesh->dm)));
  if (n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(*curved));
  PetscCall(PlexDGMeshDropShape(mesh, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
