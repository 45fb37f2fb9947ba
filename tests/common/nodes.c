/* Nodes of elements of degree 1 to 3, from the vertices of cells */
#include "nodes.h"

#define MAX_NODES 20

/* nodes[][dim] += sum_v weights[v] x[v][dim] of n vertices */
static void Add(PetscInt dim, PetscInt n, const PetscReal x[], const PetscReal weights[], PetscInt *count,
                PetscReal nodes[])
{
  for (PetscInt d = 0; d < dim; ++d) {
    nodes[*count * dim + d] = 0.;
    for (PetscInt v = 0; v < n; ++v) nodes[*count * dim + d] += weights[v] * x[v * dim + d];
  }
  ++*count;
}

/* Vertices, points of edges, the middle of faces */
static PetscInt SimplexNodes(PetscInt dim, PetscInt degree, const PetscReal s[], const PetscReal x[], PetscReal nodes[])
{
  const PetscInt n     = dim + 1;
  PetscInt       count = 0;

  for (PetscInt a = 0; a < n; ++a) {
    Add(dim, n, x, (PetscReal[4]){a == 0, a == 1, a == 2, a == 3}, &count, nodes);
    for (PetscInt b = a + 1; b < n; ++b) {
      for (PetscInt i = 1; i < degree; ++i) {
        PetscReal weights[4] = {0.};

        weights[a] = 1. - s[i];
        weights[b] = s[i];
        Add(dim, n, x, weights, &count, nodes);
      }
      for (PetscInt c = b + 1; degree == 3 && c < n; ++c) {
        PetscReal weights[4] = {0.};

        weights[a] = weights[b] = weights[c] = 1. / 3.;
        Add(dim, n, x, weights, &count, nodes);
      }
    }
  }
  return count;
}

/* Vertices in a ring */
static PetscInt QuadrilateralNodes(PetscInt degree, const PetscReal s[], const PetscReal x[], PetscReal nodes[])
{
  PetscInt count = 0;

  for (PetscInt j = 0; j <= degree; ++j)
    for (PetscInt i = 0; i <= degree; ++i)
      Add(2, 4, x, (PetscReal[4]){(1. - s[i]) * (1. - s[j]), s[i] * (1. - s[j]), s[i] * s[j], (1. - s[i]) * s[j]},
          &count, nodes);
  return count;
}

/* The largest distance of n nodes each from the nearest of x[n] */
static PetscReal Distance(PetscInt dim, PetscInt n, const PetscReal nodes[], const PetscReal x[])
{
  PetscReal largest = 0.;

  for (PetscInt i = 0; i < n; ++i) {
    PetscReal least = PETSC_INFINITY;

    for (PetscInt j = 0; j < n; ++j) {
      PetscReal sum = 0.;

      for (PetscInt d = 0; d < dim; ++d) sum += PetscSqr(nodes[i * dim + d] - x[j * dim + d]);
      least = PetscMin(least, PetscSqrtReal(sum));
    }
    largest = PetscMax(largest, least);
  }
  return largest;
}

PetscErrorCode PlexTestNodesDistance(DM dm, PetscInt degree, PetscInt Ne, PetscInt Np, const PetscReal x[],
                                     PetscReal *distance)
{
  const PetscReal inner        = 0.5 - 0.5 / PetscSqrtReal(5.); /* Gauss-Lobatto points in [0, 1] */
  const PetscReal points[3][4] = {
    {0., 1.},
    {0., 0.5, 1.},
    {0., inner, 1. - inner, 1.}
  };
  PetscInt dim, begin, end;

  PetscFunctionBegin;
  *distance = 0.;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &begin, &end));
  if (Ne != end - begin) *distance = PETSC_INFINITY;
  for (PetscInt c = begin; c < end; ++c) {
    const PetscScalar *array;
    PetscScalar       *vertices = NULL;
    PetscReal          nodes[MAX_NODES * 3], v[12];
    PetscInt           n, count, found = 0;
    PetscBool          localized;

    PetscCall(DMPlexGetCellCoordinates(dm, c, &localized, &n, &array, &vertices));
    for (PetscInt i = 0; i < n; ++i) v[i] = PetscRealPart(vertices[i]);
    PetscCall(DMPlexRestoreCellCoordinates(dm, c, &localized, &n, &array, &vertices));
    count = n == 8 ? QuadrilateralNodes(degree, points[degree - 1], v, nodes)
                   : SimplexNodes(dim, degree, points[degree - 1], v, nodes);
    if (count != Np) *distance = PETSC_INFINITY;
    for (PetscInt e = 0; count == Np && e < Ne; ++e) {
      const PetscReal here = Distance(dim, Np, nodes, &x[(size_t)e * Np * dim]);

      if (here > 1e-3) continue;
      *distance = PetscMax(*distance, here);
      ++found;
    }
    if (found != 1) *distance = PETSC_INFINITY;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
