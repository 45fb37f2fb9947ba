/*
  The meshes grow from a few simplices: a square cut at random diagonals, a cube or a tetrahedron around a vertex
  inside, some of them split at their centroids. Quadrilaterals and hexahedra come of cutting each simplex into one of
  them a corner.
*/
#include "meshes.h"

#define MAX_VERTICES 256
#define MAX_CELLS    64

typedef struct {
  PetscInt  dim, nv, nc, corners;
  PetscReal x[MAX_VERTICES][3];
  /* the ascending simplex vertices whose centroid the vertex is, -1 behind the last */
  PetscInt origin[MAX_VERTICES][4];
  PetscInt cell[MAX_CELLS][8];
  unsigned state; /* of the random numbers */
} CellList;

static PetscInt Draw(CellList *list, PetscInt n) /* in [0, n) */
{
  list->state = list->state * 1664525u + 1013904223u;
  return (PetscInt)((list->state >> 8) % (unsigned)n);
}

static void Swap(PetscInt *a, PetscInt *b)
{
  const PetscInt t = *a;

  *a = *b;
  *b = t;
}

static PetscInt AddVertex(CellList *list, PetscReal x, PetscReal y, PetscReal z)
{
  list->x[list->nv][0] = x;
  list->x[list->nv][1] = y;
  list->x[list->nv][2] = z;
  return list->nv++;
}

static void AddSimplex(CellList *list, PetscInt a, PetscInt b, PetscInt c, PetscInt d)
{
  const PetscInt v[4] = {a, b, c, d};

  for (PetscInt k = 0; k <= list->dim; ++k) list->cell[list->nc][k] = v[k];
  ++list->nc;
}

/* Twice, or six times, the signed volume */
static PetscReal SimplexVolume(const CellList *list, const PetscInt v[])
{
  PetscReal e[3][3];

  for (PetscInt k = 0; k < list->dim; ++k) {
    for (PetscInt d = 0; d < 3; ++d) e[k][d] = list->x[v[k + 1]][d] - list->x[v[0]][d];
  }
  if (list->dim == 1) return e[0][0];
  if (list->dim == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* The unit interval in N segments */
static void BuildLine(CellList *list, PetscInt N)
{
  for (PetscInt i = 0; i <= N; ++i) AddVertex(list, i / (PetscReal)N, 0., 0.);
  for (PetscInt i = 0; i < N; ++i) AddSimplex(list, i, i + 1, -1, -1);
}

/* The unit square in N x N squares, each cut at one or the other diagonal */
static void BuildSquare(CellList *list, PetscInt N)
{
  for (PetscInt j = 0; j <= N; ++j) {
    for (PetscInt i = 0; i <= N; ++i) AddVertex(list, i / (PetscReal)N, j / (PetscReal)N, 0.);
  }
  for (PetscInt j = 0; j < N; ++j) {
    for (PetscInt i = 0; i < N; ++i) {
      const PetscInt a = j * (N + 1) + i, b = a + 1, c = b + N + 1, d = a + N + 1;

      if (Draw(list, 2)) {
        AddSimplex(list, a, b, c, -1);
        AddSimplex(list, a, c, d, -1);
      } else {
        AddSimplex(list, a, b, d, -1);
        AddSimplex(list, b, c, d, -1);
      }
    }
  }
}

/* The unit cube in twelve tetrahedra around a vertex inside; each side is cut at one or the other diagonal */
static void BuildCube(CellList *list)
{
  const PetscInt sides[6][4] = {
    {0, 1, 3, 2},
    {4, 5, 7, 6},
    {0, 1, 5, 4},
    {2, 3, 7, 6},
    {0, 2, 6, 4},
    {1, 3, 7, 5}
  };
  PetscInt center;

  for (PetscInt k = 0; k < 8; ++k) AddVertex(list, k & 1, (k >> 1) & 1, k >> 2);
  center = AddVertex(list, 0.55, 0.45, 0.5);
  for (PetscInt s = 0; s < 6; ++s) {
    const PetscInt turn = Draw(list, 2), a = sides[s][turn], b = sides[s][turn + 1], c = sides[s][turn + 2],
                   d = sides[s][(turn + 3) % 4];

    AddSimplex(list, a, b, c, center);
    AddSimplex(list, a, c, d, center);
  }
}

static void BuildTetrahedron(CellList *list)
{
  PetscInt v[5];

  v[0] = AddVertex(list, 0., 0., 0.);
  v[1] = AddVertex(list, 1.1, 0., 0.);
  v[2] = AddVertex(list, 0., 1., 0.1);
  v[3] = AddVertex(list, 0.1, 0., 1.);
  v[4] = AddVertex(list, 0.3, 0.25, 0.28);
  for (PetscInt k = 0; k < 4; ++k) AddSimplex(list, v[k == 0], v[k < 2 ? 2 : 1], v[k < 3 ? 3 : 2], v[4]);
}

/* Splits a cell at its centroid into dim + 1 */
static void SplitSimplex(CellList *list, PetscInt c)
{
  PetscInt  v[4];
  PetscReal x[3] = {0., 0., 0.};
  PetscInt  center;

  for (PetscInt k = 0; k <= list->dim; ++k) {
    v[k] = list->cell[c][k];
    for (PetscInt d = 0; d < 3; ++d) x[d] += list->x[v[k]][d] / (list->dim + 1);
  }
  center           = AddVertex(list, x[0], x[1], x[2]);
  list->cell[c][0] = center;
  for (PetscInt k = 1; k <= list->dim; ++k) {
    AddSimplex(list, v[0], v[1], v[2], v[3]);
    list->cell[list->nc - 1][k] = center;
  }
}

/* The vertex at the centroid of n vertices of a simplex, made when it is first asked for */
static PetscInt CentroidVertex(CellList *list, PetscInt n, const PetscInt v[])
{
  PetscInt  key[4] = {-1, -1, -1, -1}, i;
  PetscReal x[3]   = {0., 0., 0.};

  for (PetscInt k = 0; k < n; ++k) { /* by insertion */
    for (i = k; i > 0 && key[i - 1] > v[k]; --i) key[i] = key[i - 1];
    key[i] = v[k];
    for (PetscInt d = 0; d < 3; ++d) x[d] += list->x[v[k]][d] / n;
  }
  for (i = 0; i < list->nv; ++i) {
    if (list->origin[i][0] == key[0] && list->origin[i][1] == key[1] && list->origin[i][2] == key[2] &&
        list->origin[i][3] == key[3])
      return i;
  }
  for (PetscInt k = 0; k < 4; ++k) list->origin[i][k] = key[k];
  return AddVertex(list, x[0], x[1], x[2]);
}

/* One quadrilateral or hexahedron for each corner of each simplex. In the list of cells comes corner (i, j, k) of the
   reference cube at i + 2j + 4k: the centroid of the simplex corner and those others of the simplex whose bit is
   set. */
static void CutSimplices(CellList *list)
{
  const PetscInt dim = list->dim, ns = list->nc;
  PetscInt       simplices[MAX_CELLS][4];

  for (PetscInt s = 0; s < ns; ++s) {
    for (PetscInt k = 0; k <= dim; ++k) simplices[s][k] = list->cell[s][k];
  }
  for (PetscInt i = 0; i < MAX_VERTICES; ++i) {
    list->origin[i][0] = i < list->nv ? i : -2;
    for (PetscInt k = 1; k < 4; ++k) list->origin[i][k] = -1;
  }
  list->corners = 1 << dim;
  list->nc      = 0;
  for (PetscInt s = 0; s < ns; ++s) {
    for (PetscInt corner = 0; corner <= dim; ++corner) {
      PetscInt v[4], subset[4];

      for (PetscInt k = 0; k <= dim; ++k) v[k] = simplices[s][k];
      Swap(&v[0], &v[corner]);
      if (SimplexVolume(list, v) < 0) Swap(&v[1], &v[2]);
      for (PetscInt bits = 0; bits < list->corners; ++bits) {
        PetscInt n = 0;

        subset[n++] = v[0];
        for (PetscInt d = 0; d < dim; ++d) {
          if (bits & (1 << d)) subset[n++] = v[d + 1];
        }
        list->cell[list->nc][bits] = CentroidVertex(list, n, subset);
      }
      ++list->nc;
    }
  }
}

/* Each vertex by up to an eighth of the least distance between any two */
static void MoveVertices(CellList *list)
{
  PetscReal h2 = PETSC_MAX_REAL;

  for (PetscInt i = 0; i < list->nv; ++i) {
    for (PetscInt j = 0; j < i; ++j) {
      PetscReal r2 = 0.;

      for (PetscInt d = 0; d < 3; ++d) r2 += PetscSqr(list->x[i][d] - list->x[j][d]);
      h2 = PetscMin(h2, r2);
    }
  }
  for (PetscInt i = 0; i < list->nv; ++i) {
    for (PetscInt d = 0; d < list->dim; ++d) list->x[i][d] += PetscSqrtReal(h2) * (Draw(list, 2001) - 1000) / 8000.;
  }
}

/* Vertices of a simplex by an even permutation, so that its volume has the sign PETSc wants: positive in 1D and 2D,
   negative in 3D */
static void RotateSimplex(CellList *list, PetscInt v[])
{
  for (PetscInt k = list->dim; k > 0; --k) Swap(&v[k], &v[Draw(list, k + 1)]);
  if ((SimplexVolume(list, v) < 0) == (list->dim < 3)) Swap(&v[0], &v[1]);
}

/* Corners of the cube by one of its rotations, then from i + 2j + 4k to PETSc's order */
static void RotateCube(CellList *list, PetscInt v[])
{
  const PetscInt order[2][8] =
    {
      {0, 1, 3, 2},
      {0, 2, 3, 1, 4, 5, 7, 6}
  },
                 dim = list->dim;
  PetscInt axis[3] = {0, 1, 2}, flip, turned[8], odd = 0;

  for (PetscInt k = dim - 1; k > 0; --k) {
    const PetscInt l = Draw(list, k + 1);

    Swap(&axis[k], &axis[l]);
    odd ^= k != l;
  }
  flip = Draw(list, 1 << dim);
  for (PetscInt d = 0; d < dim; ++d) odd ^= (flip >> d) & 1;
  if (odd) flip ^= 1;
  for (PetscInt bits = 0; bits < list->corners; ++bits) {
    PetscInt to = 0;

    for (PetscInt d = 0; d < dim; ++d) to |= ((bits >> d) & 1) << axis[d];
    turned[to ^ flip] = v[bits];
  }
  for (PetscInt k = 0; k < list->corners; ++k) v[k] = turned[order[dim - 2][k]];
}

static PetscErrorCode BuildList(DMPolytopeType ct, PetscInt variant, CellList *list)
{
  const PetscBool simplex = ct != DM_POLYTOPE_QUADRILATERAL && ct != DM_POLYTOPE_HEXAHEDRON ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(list, sizeof(*list)));
  list->dim     = DMPolytopeTypeGetDim(ct);
  list->corners = list->dim + 1;
  list->state   = 12345u + 777u * (unsigned)variant;
  switch (ct) {
  case DM_POLYTOPE_SEGMENT:
    BuildLine(list, 9);
    break;
  case DM_POLYTOPE_TRIANGLE:
    BuildSquare(list, 3);
    break;
  case DM_POLYTOPE_QUADRILATERAL:
    BuildSquare(list, 2);
    break;
  case DM_POLYTOPE_TETRAHEDRON:
    BuildCube(list);
    break;
  case DM_POLYTOPE_HEXAHEDRON:
    BuildTetrahedron(list);
    break;
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "No test mesh of cells of type %s", DMPolytopeTypes[ct]);
  }
  for (PetscInt k = 0; k < (simplex ? 3 : 1) && list->dim > 1; ++k) SplitSimplex(list, Draw(list, list->nc));
  if (!simplex) CutSimplices(list);
  MoveVertices(list);
  for (PetscInt c = 0; c < list->nc; ++c) {
    if (simplex) RotateSimplex(list, list->cell[c]);
    else RotateCube(list, list->cell[c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MarkBoundary(DM dm)
{
  DMLabel boundary;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "boundary"));
  PetscCall(DMGetLabel(dm, "boundary", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, boundary));
  PetscCall(DMPlexLabelComplete(dm, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMesh(MPI_Comm comm, DMPolytopeType ct, PetscInt variant, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMeshInSpace(comm, ct, DMPolytopeTypeGetDim(ct), variant, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMeshInSpace(MPI_Comm comm, DMPolytopeType ct, PetscInt space, PetscInt variant, DM *dm)
{
  CellList   *list;
  PetscInt   *cells, number[MAX_VERTICES], place[MAX_CELLS];
  PetscReal  *x;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscNew(&list));
  PetscCall(BuildList(ct, variant, list));
  for (PetscInt i = 0; i < list->nv; ++i) number[i] = i;
  for (PetscInt c = 0; c < list->nc; ++c) place[c] = c;
  for (PetscInt i = list->nv - 1; i > 0; --i) Swap(&number[i], &number[Draw(list, i + 1)]);
  for (PetscInt c = list->nc - 1; c > 0; --c) Swap(&place[c], &place[Draw(list, c + 1)]);
  PetscCall(PetscMalloc2(list->nc * list->corners, &cells, list->nv * space, &x));
  for (PetscInt c = 0; c < list->nc; ++c) {
    for (PetscInt k = 0; k < list->corners; ++k) cells[place[c] * list->corners + k] = number[list->cell[c][k]];
  }
  for (PetscInt i = 0; i < list->nv; ++i) {
    for (PetscInt d = 0; d < space; ++d)
      x[number[i] * space + d] = d < list->dim
                                 ? list->x[i][d]
                                 : 0.4 * PetscSinReal(3. * list->x[i][0] + d) + 0.3 * PetscSqr(list->x[i][1]);
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, list->dim, rank ? 0 : list->nc, rank ? 0 : list->nv, list->corners,
                                          PETSC_TRUE, cells, space, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(PetscFree(list));
  PetscCall(MarkBoundary(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFan(MPI_Comm comm, PetscInt n, DM *dm)
{
  PetscInt   *cells;
  PetscReal  *x;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(3 * n, &cells, 2 * (n + 1), &x));
  x[0] = x[1] = 0.1;
  for (PetscInt k = 0; k < n; ++k) {
    cells[3 * k]       = 0;
    cells[3 * k + 1]   = k + 1;
    cells[3 * k + 2]   = (k + 1) % n + 1;
    x[2 * (k + 1)]     = PetscCosReal(2 * PETSC_PI * k / n);
    x[2 * (k + 1) + 1] = PetscSinReal(2 * PETSC_PI * k / n);
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 2, rank ? 0 : n, rank ? 0 : n + 1, 3, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(MarkBoundary(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices of a level: the one in the middle, n around it, and n outside */
PetscErrorCode PlexTestHexahedronFan(MPI_Comm comm, PetscInt n, DM *dm)
{
  /* numbers of a cell's lower and upper vertices go round the other way */
  const PetscInt level = 2 * n + 1, side[4] = {0, 1, 2, 3}, up[4] = {0, 3, 2, 1};
  PetscInt      *cells;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(8 * n, &cells, 6 * level, &x));
  for (PetscInt z = 0; z < 2; ++z) {
    for (PetscInt v = 0; v < level; ++v) {
      const PetscReal radius = v == 0 ? 0. : v <= n ? 1. : 1.2, angle = v == 0 ? 0. : v <= n ? v - 1 : v - n - 0.5;

      x[3 * (z * level + v)]     = 0.1 * (v == 0) + radius * PetscCosReal(2 * PETSC_PI * angle / n);
      x[3 * (z * level + v) + 1] = radius * PetscSinReal(2 * PETSC_PI * angle / n);
      x[3 * (z * level + v) + 2] = z + 0.2 * z * (v == 0);
    }
  }
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt quadrilateral[4] = {0, k + 1, n + k + 1, (k + 1) % n + 1};

    for (PetscInt v = 0; v < 4; ++v) {
      cells[8 * k + v]     = quadrilateral[up[v]];
      cells[8 * k + 4 + v] = level + quadrilateral[side[v]];
    }
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, rank ? 0 : n, rank ? 0 : 2 * level, 8, PETSC_TRUE, cells, 3, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(MarkBoundary(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestHexahedronBox(MPI_Comm comm, const PetscInt n[3], PetscBool shuffled, DM *dm)
{
  const PetscInt nv[3] = {n[0] + 1, n[1] + 1, n[2] + 1}, vertices = nv[0] * nv[1] * nv[2], nc = n[0] * n[1] * n[2];
  CellList       list = {.dim = 3, .corners = 8, .state = 7};
  PetscInt      *cells;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(8 * nc, &cells, 3 * vertices, &x));
  for (PetscInt v = 0; v < vertices; ++v) {
    const PetscInt at[3] = {v % nv[0], v / nv[0] % nv[1], v / (nv[0] * nv[1])};

    for (PetscInt d = 0; d < 3; ++d)
      x[3 * v + d] = (PetscReal)at[d] + (at[d] > 0 && at[d] < n[d] ? 0.02 * (PetscReal)(Draw(&list, 11) - 5) : 0.);
  }
  for (PetscInt c = 0; c < nc; ++c) {
    const PetscInt first = c % n[0] + nv[0] * (c / n[0] % n[1] + nv[1] * (c / (n[0] * n[1])));

    for (PetscInt k = 0; k < 8; ++k) cells[8 * c + k] = first + (k & 1) + nv[0] * ((k >> 1 & 1) + nv[1] * (k >> 2));
    RotateCube(&list, &cells[8 * c]);
  }
  for (PetscInt c = nc - 1; c > 0 && shuffled; --c) {
    const PetscInt other = Draw(&list, c + 1);

    for (PetscInt k = 0; k < 8; ++k) Swap(&cells[8 * c + k], &cells[8 * other + k]);
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, rank ? 0 : nc, rank ? 0 : vertices, 8, PETSC_TRUE, cells, 3, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(MarkBoundary(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestGetBoundary(DM dm, PetscInt *n, PetscInt **facets)
{
  DMLabel         all;
  IS              is;
  const PetscInt *points;

  PetscFunctionBegin;
  PetscCall(DMLabelCreate(PETSC_COMM_SELF, "facets", &all));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, all));
  PetscCall(DMLabelGetStratumSize(all, 1, n));
  PetscCall(PetscMalloc1(*n, facets));
  PetscCall(DMLabelGetStratumIS(all, 1, &is));
  if (is) { /* NULL where there are none */
    PetscCall(ISGetIndices(is, &points));
    PetscCall(PetscArraycpy(*facets, points, *n));
    PetscCall(ISRestoreIndices(is, &points));
    PetscCall(ISDestroy(&is));
  }
  PetscCall(DMLabelDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestGetLabel(DM dm, const char name[], DMLabel *label)
{
  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, name));
  PetscCall(DMGetLabel(dm, name, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equal shares of the cells, in their order, for the first processes */
static PetscErrorCode SetPartition(DM dm, PetscMPIInt parts)
{
  PetscPartitioner part;
  PetscMPIInt      size;
  PetscInt         cStart, cEnd, *sizes, *points;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &size));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PetscCalloc2(size, &sizes, cEnd - cStart, &points));
  for (PetscInt p = 0; p < parts; ++p) sizes[p] = (cEnd - cStart) * (p + 1) / parts - (cEnd - cStart) * p / parts;
  for (PetscInt c = cStart; c < cEnd; ++c) points[c - cStart] = c;
  PetscCall(DMPlexGetPartitioner(dm, &part));
  PetscCall(PetscPartitionerSetType(part, PETSCPARTITIONERSHELL));
  PetscCall(PetscPartitionerShellSetPartition(part, size, sizes, points));
  PetscCall(PetscFree2(sizes, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestDistributeDefault(DM *dm, PetscInt overlap)
{
  PetscPartitioner partitioner;
  DM               distributed;

  PetscFunctionBegin;
  PetscCall(DMPlexGetPartitioner(*dm, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner,
                                    PETSCPARTITIONERSIMPLE)); /* PETSc's own varies with how it was built */
  PetscCall(DMPlexDistribute(*dm, overlap, NULL, &distributed));
  if (distributed) {
    PetscCall(DMDestroy(dm));
    *dm = distributed;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestDistribute(DM *dm, PetscInt overlap, PetscBool idle)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)*dm), &size));
  PetscCall(SetPartition(*dm, idle ? PetscMax(1, size - 1) : size));
  PetscCall(PlexTestDistributeDefault(dm, overlap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestUseDevice(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMSetVecType(dm, VECCUDA));
  PetscCall(DMSetMatType(dm, MATAIJCUSPARSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestPrisms(PetscInt layers, DM *dm)
{
  DM      triangles;
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &triangles));
  PetscCall(DMRemoveLabel(triangles, "boundary", &label));
  PetscCall(DMLabelDestroy(&label));
  PetscCall(DMPlexExtrude(triangles, layers, 0.6, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, NULL, NULL, NULL, dm));
  PetscCall(DMDestroy(&triangles));
  PetscFunctionReturn(PETSC_SUCCESS);
}
