/*
  The order of the nodes of VTK's Lagrange cells: corners, then nodes inside the edges, inside the faces, and inside the
  cell, where the nodes of faces and cell are those of a smaller simplex in the same order
*/
#include "vtk.h"

PetscInt PlexVTKSize_Private(PetscInt dim, PetscInt N)
{
  PetscInt n = 1;

  for (PetscInt d = 1; d <= dim; ++d) n = n * (N + d) / d;
  return n;
}

/* A simplex of the element's vertices corner[], of degree n: its nodes have the multi-indices base[] plus n shared
   among the corners */
typedef struct {
  PetscInt corner[4], n, base[4];
} PlexVTKSimplex;

/* A node: the shares that corners a and b have of n; the rest, in a node on neither an edge nor a corner, is in
   base[] */
static void PlexVTKAdd(const PlexVTKSimplex *s, PetscInt a, PetscInt na, PetscInt b, PetscInt nb, PetscInt m[][4],
                       PetscInt *at)
{
  for (PetscInt v = 0; v < 4; ++v) m[*at][v] = s->base[v];
  m[*at][s->corner[a]] += na;
  m[(*at)++][s->corner[b]] += nb;
}

/* Corners and edges of a simplex with nv corners */
static void PlexVTKAddRim(const PlexVTKSimplex *s, PetscInt nv, PetscInt m[][4], PetscInt *at)
{
  static const PetscInt edges[6][2] = {
    {0, 1},
    {1, 2},
    {2, 0},
    {0, 3},
    {1, 3},
    {2, 3}
  };

  if (s->n == 0) { /* all corners are one node */
    PlexVTKAdd(s, 0, 0, 0, 0, m, at);
    return;
  }
  for (PetscInt v = 0; v < nv; ++v) PlexVTKAdd(s, v, s->n, v, 0, m, at);
  for (PetscInt e = 0; e < (nv == 3 ? 3 : 6); ++e)
    for (PetscInt k = 1; k < s->n; ++k) PlexVTKAdd(s, edges[e][0], s->n - k, edges[e][1], k, m, at);
}

/* One step inwards: each of the nv corners has at least one more */
static void PlexVTKShrink(PlexVTKSimplex *s, PetscInt nv)
{
  for (PetscInt v = 0; v < nv; ++v) ++s->base[s->corner[v]];
  s->n -= nv;
}

static void PlexVTKAddTriangle(PlexVTKSimplex s, PetscInt m[][4], PetscInt *at)
{
  for (; s.n >= 0; PlexVTKShrink(&s, 3)) PlexVTKAddRim(&s, 3, m, at);
}

static void PlexVTKAddTetrahedron(PlexVTKSimplex s, PetscInt m[][4], PetscInt *at)
{
  static const PetscInt faces[4][3] = {
    {0, 1, 3},
    {2, 3, 1},
    {0, 3, 2},
    {0, 2, 1}
  };

  for (; s.n >= 0; PlexVTKShrink(&s, 4)) {
    PlexVTKAddRim(&s, 4, m, at);
    for (PetscInt f = 0; s.n >= 3 && f < 4; ++f) {
      PlexVTKSimplex face = s;

      for (PetscInt v = 0; v < 3; ++v) face.corner[v] = s.corner[faces[f][v]];
      PlexVTKShrink(&face, 3);
      PlexVTKAddTriangle(face, m, at);
    }
  }
}

PetscErrorCode PlexVTKGetNodes_Private(PetscInt dim, PetscInt N, PetscInt m[][4])
{
  const PlexVTKSimplex element = {
    {0, 1, 2, 3},
    N, {0, 0, 0, 0}
  };
  PetscInt n = 0;

  PetscFunctionBegin;
  if (dim == 2) PlexVTKAddTriangle(element, m, &n);
  else PlexVTKAddTetrahedron(element, m, &n);
  PetscCheck(n == PlexVTKSize_Private(dim, N), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " nodes of degree %" PetscInt_FMT, n, N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of a quadrilateral or hexahedron with free coordinates, the first of them fastest, the others being 0 or N as
   start[] says */
static void PlexVTKAddInside(PetscInt dim, PetscInt N, PetscInt nfree, const PetscInt isfree[], const PetscInt start[],
                             PetscReal points[], PetscInt *n)
{
  PetscInt count = 1;

  for (PetscInt k = 0; k < nfree; ++k) count *= N - 1;
  for (PetscInt i = 0; i < count; ++i, ++*n) {
    PetscInt rest = i;

    for (PetscInt a = 0; a < dim; ++a) {
      PetscInt at = start[a] * N;

      for (PetscInt k = 0; k < nfree; ++k) {
        if (isfree[k] != a) continue;
        at = 1 + rest % (N - 1);
        rest /= N - 1;
      }
      points[*n * dim + a] = 2. * at / N - 1.;
    }
  }
}

/* Corners, nodes inside the edges along the coordinate that changes, of a hexahedron inside the faces r_0 = -1, 1,
   r_1 = -1, ..., and inside */
static void PlexVTKGetTensor(PetscInt dim, PetscInt N, PetscReal points[])
{
  static const PetscInt ring[4][3] = {
    {0, 0, 0},
    {1, 1, 0},
    {0, 0, 1},
    {1, 0, 0}
  }; /* coordinate that changes; start */
  const PetscInt all[3] = {0, 1, 2}, up[1] = {2};
  PetscInt       n = 0, start[3] = {0, 0, 0};

  for (PetscInt v = 0; v < 1 << dim; ++v, ++n) {
    start[0] = v % 4 == 1 || v % 4 == 2;
    start[1] = v % 4 > 1;
    start[2] = v / 4;
    for (PetscInt a = 0; a < dim; ++a) points[n * dim + a] = 2. * start[a] - 1.;
  }
  for (PetscInt e = 0; e < (dim == 2 ? 4 : 8); ++e) {
    start[0] = ring[e % 4][1];
    start[1] = ring[e % 4][2];
    start[2] = e / 4;
    PlexVTKAddInside(dim, N, 1, &ring[e % 4][0], start, points, &n);
  }
  for (PetscInt v = 0; dim == 3 && v < 4; ++v) {
    start[0] = v == 1 || v == 2;
    start[1] = v > 1;
    PlexVTKAddInside(dim, N, 1, up, start, points, &n);
  }
  for (PetscInt f = 0; dim == 3 && f < 6; ++f) {
    const PetscInt across[2] = {f < 2 ? 1 : 0, f < 4 ? 2 : 1};

    start[f / 2] = f % 2;
    PlexVTKAddInside(dim, N, 2, across, start, points, &n);
  }
  PlexVTKAddInside(dim, N, dim, all, start, points, &n);
}

PetscErrorCode PlexVTKGetPoints_Private(PetscInt dim, PetscBool tensor, PetscInt N, PetscReal points[])
{
  const PetscInt n = PlexVTKSize_Private(dim, N);
  PetscInt (*m)[4];

  PetscFunctionBegin;
  if (tensor) {
    PlexVTKGetTensor(dim, N, points);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &m));
  PetscCall(PlexVTKGetNodes_Private(dim, N, m));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt a = 0; a < dim; ++a) points[i * dim + a] = 2. * (m[i][a + 1] / (PetscReal)N) - 1.;
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
