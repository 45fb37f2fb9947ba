/*
  Tetrahedra in shells around a sphere. The triangles of an icosahedron are cut into n^2 and moved to spheres around 0.
  Between two of these are prisms of three tetrahedra. Inside the first one the 20 tetrahedra with the vertex 0 are cut into
  n^3, as Kuhn's simplex n >= p_0 >= p_1 >= p_2 >= 0 is by cubes of side 1, and p_0 = l is the sphere of l/n of its radius.
*/
#ifndef PLEX_SHELLS_H
#define PLEX_SHELLS_H

#include <petscdmplex.h>

typedef struct {
  PetscInt   n;
  PetscInt  *first;      /* [n + 2] directions of inner sphere l are from first[l] on; 0 is the middle */
  PetscInt  *found;      /* [n + 1] how many of these are known so far */
  PetscReal *directions; /* [first[n + 1]][3] */
  PetscInt  *cells, ncells;
  PetscReal *x;     /* [nvertices][3] */
  PetscInt  *level; /* [nvertices] number of the sphere, from 1 on, or 0 inside the first one */
  PetscInt   nvertices;
} Shells;

/* Vertex v of the icosahedron with edges of length 2: permutations in a circle of (+-1, +-g, 0) */
static inline void ShellsCorner(PetscInt v, PetscReal x[3])
{
  const PetscReal g = (1. + PetscSqrtReal(5.)) / 2.;

  x[v / 4]           = v % 2 ? 1. : -1.;
  x[(v / 4 + 1) % 3] = v % 4 < 2 ? g : -g;
  x[(v / 4 + 2) % 3] = 0.;
}

static inline PetscBool ShellsNeighbours(PetscInt v, PetscInt w)
{
  PetscReal x[3], y[3];

  ShellsCorner(v, x);
  ShellsCorner(w, y);
  return (PetscBool)(PetscSqr(x[0] - y[0]) + PetscSqr(x[1] - y[1]) + PetscSqr(x[2] - y[2]) < 4.1);
}

/* Number of the direction of p in the simplex over a face with these corners */
static inline PetscInt ShellsFind(Shells *s, const PetscInt corners[3], const PetscInt p[3])
{
  const PetscInt l    = p[0];
  PetscReal      y[3] = {0., 0., 0.}, size;
  PetscInt       v;

  if (!l) return 0;
  for (int k = 0; k < 3; ++k) {
    PetscReal corner[3];

    ShellsCorner(corners[k], corner);
    for (int d = 0; d < 3; ++d) y[d] += (PetscReal)(p[k] - (k < 2 ? p[k + 1] : 0)) * corner[d];
  }
  size = PetscSqrtReal(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  for (v = s->first[l]; v < s->first[l] + s->found[l]; ++v) {
    const PetscReal *x = &s->directions[3 * v];

    if (PetscAbsReal(x[0] - y[0] / size) + PetscAbsReal(x[1] - y[1] / size) + PetscAbsReal(x[2] - y[2] / size) < 1e-9)
      return v;
  }
  for (int d = 0; d < 3; ++d) s->directions[3 * v + d] = y[d] / size;
  ++s->found[l];
  return v;
}

static inline void ShellsAdd(Shells *s, PetscInt a, PetscInt b, PetscInt c, PetscInt d)
{
  PetscInt *cell = &s->cells[4 * s->ncells++];

  cell[0] = a;
  cell[1] = b;
  cell[2] = c;
  cell[3] = d;
}

/* The cubes' tetrahedra in Kuhn's simplex over a face, unless there is to be nothing inside, and the prisms on the
   triangles of its outer side */
static inline PetscErrorCode ShellsOverFace(Shells *s, const PetscInt corners[3], PetscBool hollow, PetscInt layers)
{
  const PetscInt n = s->n, shift = hollow ? s->first[n] : 0, many = s->first[n + 1] - s->first[n];
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {0, 2, 1},
    {1, 0, 2},
    {1, 2, 0},
    {2, 0, 1},
    {2, 1, 0}
  };

  PetscFunctionBegin;
  for (PetscInt cube = 0; cube < n * n * n; ++cube)
    for (int path = 0; path < 6; ++path) {
      PetscInt  p[3] = {cube / (n * n), cube / n % n, cube % n}, v[4], top[3], outside = 0;
      PetscBool inside = PETSC_TRUE;

      for (int k = 0; k < 4; ++k) {
        if (k) ++p[paths[path][k - 1]];
        inside = (PetscBool)(inside && p[0] >= p[1] && p[1] >= p[2]);
        if (!inside) break;
        v[k] = ShellsFind(s, corners, p) - shift;
        if (p[0] == n && outside < 3) top[outside++] = v[k];
      }
      if (!inside) continue;
      if (!hollow) ShellsAdd(s, v[0], v[1], v[2], v[3]);
      if (outside < 3) continue;
      PetscCall(PetscSortInt(3, top)); /* diagonals of prisms' sides go by the numbers of vertices */
      for (PetscInt l = 0; l < layers; ++l)
        for (int k = 0; k < 3; ++k) {
          const PetscInt low = l * many, high = low + many;

          ShellsAdd(s, top[0] + low, top[1] + (k < 2 ? low : high), k ? top[k < 2 ? 1 : 0] + high : top[2] + low,
                    top[2] + high);
        }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of vertices, and PETSc's order in cells */
static inline void ShellsSetVertices(Shells *s, PetscBool hollow, PetscInt nradii, const PetscReal radii[])
{
  const PetscInt n = s->n, shift = hollow ? s->first[n] : 0, inner = s->first[n] - shift,
                 many = s->first[n + 1] - s->first[n];

  s->nvertices = inner + nradii * many;
  for (PetscInt v = 0, l = 0; v < s->nvertices; ++v) {
    const PetscInt   sphere    = v < inner ? 0 : 1 + (v - inner) / many;
    const PetscReal *direction = &s->directions[3 * (sphere ? s->first[n] + (v - inner) % many : v)];

    while (!sphere && v >= s->first[l + 1]) ++l;
    s->level[v] = sphere;
    for (int d = 0; d < 3; ++d)
      s->x[3 * v + d] = direction[d] * (sphere ? radii[sphere - 1] : radii[0] * (PetscReal)l / (PetscReal)n);
  }
  for (PetscInt c = 0; c < s->ncells; ++c) {
    PetscInt      *cell = &s->cells[4 * c];
    PetscReal      e[3][3];
    const PetscInt second = cell[1];

    for (int k = 0; k < 9; ++k) e[k / 3][k % 3] = s->x[3 * cell[1 + k / 3] + k % 3] - s->x[3 * cell[0] + k % 3];
    if (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]) <
        0.)
      continue;
    cell[1] = cell[2];
    cell[2] = second;
  }
}

/* Label "shell": of each cell the number of the sphere that it is within; label "sphere": of facets that of theirs. level:
   as Shells has it */
static inline PetscErrorCode ShellsSetLabels(const PetscInt level[], DM dm)
{
  PetscInt cStart, cEnd, fStart, fEnd, vStart, vEnd;
  DMLabel  labels[2];

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "shell"));
  PetscCall(DMCreateLabel(dm, "sphere"));
  PetscCall(DMGetLabel(dm, "shell", &labels[0]));
  PetscCall(DMGetLabel(dm, "sphere", &labels[1]));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt p = cStart; p < fEnd; p = p == cEnd - 1 ? fStart : p + 1) {
    PetscInt *closure = NULL, size, low = PETSC_INT_MAX, high = 0;

    PetscCall(DMPlexGetTransitiveClosure(dm, p, PETSC_TRUE, &size, &closure));
    for (PetscInt c = 0; c < size; ++c) {
      if (closure[2 * c] < vStart || closure[2 * c] >= vEnd) continue;
      low  = PetscMin(low, level[closure[2 * c] - vStart]);
      high = PetscMax(high, level[closure[2 * c] - vStart]);
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, p, PETSC_TRUE, &size, &closure));
    if (p < cEnd) PetscCall(DMLabelSetValue(labels[0], p, PetscMax(high, 1)));
    else if (low == high && low) PetscCall(DMLabelSetValue(labels[1], p, low));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Shells between spheres around 0 with these radii, of 20 n^2 prisms each, inside the first of which there are 20 n^3
  tetrahedra, or nothing where it is hollow. A cell has the label "shell", the number of the sphere that it is within, from
  1 on; a facet on a sphere the label "sphere", its number. On several processes the first one has all cells.
*/
static inline PetscErrorCode ShellsCreate(MPI_Comm comm, PetscInt n, PetscBool hollow, PetscInt nradii,
                                          const PetscReal radii[], DM *dm)
{
  Shells      s = {.n = n};
  PetscMPIInt rank;
  PetscInt    most;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc1(n + 2, &s.first));
  PetscCall(PetscCalloc1(n + 1, &s.found));
  s.first[0] = 0;
  for (PetscInt l = 0; l <= n; ++l) s.first[l + 1] = s.first[l] + (l ? 10 * l * l + 2 : 1);
  most = s.first[n + 1] + nradii * (10 * n * n + 2);
  PetscCall(PetscCalloc1(3 * s.first[n + 1], &s.directions));
  PetscCall(PetscMalloc3(80 * n * n * (n + 3 * nradii), &s.cells, 3 * most, &s.x, most, &s.level));
  for (PetscInt a = 0; a < 12; ++a)
    for (PetscInt b = a + 1; b < 12; ++b)
      for (PetscInt c = b + 1; c < 12; ++c)
        if (ShellsNeighbours(a, b) && ShellsNeighbours(b, c) && ShellsNeighbours(a, c))
          PetscCall(ShellsOverFace(&s, (const PetscInt[]){a, b, c}, hollow, nradii - 1));
  ShellsSetVertices(&s, hollow, nradii, radii);
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, rank ? 0 : s.ncells, rank ? 0 : s.nvertices, 4, PETSC_TRUE, s.cells,
                                          3, s.x, dm));
  PetscCall(ShellsSetLabels(s.level, *dm));
  PetscCall(PetscFree3(s.cells, s.x, s.level));
  PetscCall(PetscFree(s.directions));
  PetscCall(PetscFree(s.found));
  PetscCall(PetscFree(s.first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
