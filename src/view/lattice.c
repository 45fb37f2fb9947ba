/*
  How a cell is divided into simplices for a picture.

  A cube with vertices 0 and 1 is the union of dim! simplices, one a permutation s: the path 0, e_s(1), e_s(1) + e_s(2),
  ... (Kuhn). A quadrilateral or hexahedron is N^dim such cubes.  A simplex of nodes i_1, ..., i_dim >= 0 with sum <= N
  is, with a_1 = i_1 + ... + i_dim, a_2 = i_2 + ... + i_dim, ..., that of N >= a_1 >= a_2 >= ... >= 0: those of the
  cubes' simplices all of whose vertices are in it are N^dim, and fill it.
*/
#include "viewimpl.h"

static const PetscInt PlexPermutations[6][3] = {
  {0, 1, 2},
  {1, 0, 2},
  {0, 2, 1},
  {1, 2, 0},
  {2, 0, 1},
  {2, 1, 0}
}; /* in two dimensions, the first two */

/* a: of all N + 1 nodes a direction; whether the cell has it */
static PetscBool PlexLatticeHas(PetscInt dim, PetscBool tensor, PetscInt N, const PetscInt a[])
{
  for (PetscInt d = 0; d < dim; ++d) {
    if (a[d] < 0 || a[d] > N) return PETSC_FALSE;
    if (!tensor && d && a[d] > a[d - 1]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscInt PlexLatticeAt(PetscInt dim, PetscInt N, const PetscInt a[])
{
  PetscInt at = 0;

  for (PetscInt d = dim - 1; d >= 0; --d) at = at * (N + 1) + a[d];
  return at;
}

/* Vertices of the simplex of permutation p in the cube at a; false: the cell does not have it */
static PetscBool PlexLatticeSimplex(PetscInt dim, PetscBool tensor, PetscInt N, const PetscInt a[], PetscInt p,
                                    const PetscInt number[], PetscInt vertices[])
{
  PetscInt b[3] = {0, 0, 0};

  for (PetscInt d = 0; d < dim; ++d) b[d] = a[d];
  for (PetscInt v = 0; v <= dim; ++v) {
    if (v) ++b[PlexPermutations[p][v - 1]];
    if (!PlexLatticeHas(dim, tensor, N, b)) return PETSC_FALSE;
    vertices[v] = number[PlexLatticeAt(dim, N, b)];
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexLatticeCreate_Private(PetscInt dim, PetscBool tensor, PetscInt N, PlexLattice *l)
{
  const PetscInt permutations = dim == 2 ? 2 : 6;
  PetscInt       all = 1, a[3] = {0, 0, 0}, *number;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) all *= N + 1;
  PetscCall(PetscMalloc1(all, &number));
  PetscCall(PetscMalloc1(all * dim, &l->nodes));
  PetscCall(PetscMalloc1(all * permutations * (dim + 1), &l->vertices));
  l->n = l->m = 0;
  for (PetscInt k = 0; k < all; ++k) {
    for (PetscInt d = 0, rest = k; d < dim; ++d, rest /= N + 1) a[d] = rest % (N + 1);
    number[k] = -1;
    if (!PlexLatticeHas(dim, tensor, N, a)) continue;
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscInt i = tensor || d == dim - 1 ? a[d] : a[d] - a[d + 1];

      l->nodes[l->n * dim + d] = 2. * i / N - 1.;
    }
    number[k] = l->n++;
  }
  for (PetscInt k = 0; k < all; ++k) {
    for (PetscInt d = 0, rest = k; d < dim; ++d, rest /= N + 1) a[d] = rest % (N + 1);
    for (PetscInt p = 0; p < permutations; ++p)
      if (PlexLatticeSimplex(dim, tensor, N, a, p, number, &l->vertices[l->m * (dim + 1)])) ++l->m;
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLatticeDestroy_Private(PlexLattice *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->nodes));
  PetscCall(PetscFree(l->vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}
