/*
  Rotations of the reference cell that permute the bases of the fields and of the coordinates. An element may be read in
  the order of its nodes that any of them gives: its dof j is then what was dof dofs[j], its coordinate node v what was
  vertices[v]. So a row of element data can always be computed as that of one of a few dofs, one of each orbit.
*/
#include "elementsimpl.h"

#define PLEX_ROTATIONS 48 /* most, of the cube with its reflections */
#define PLEX_SAMPLES   5  /* points at which functions are compared */

typedef struct {
  PetscReal M[9], b[3]; /* xi -> M xi + b */
} PlexRotation;

static PetscReal PlexDeterminant(PetscInt dim, const PetscReal M[])
{
  if (dim == 1) return M[0];
  if (dim == 2) return M[0] * M[3] - M[1] * M[2];
  return M[0] * (M[4] * M[8] - M[5] * M[7]) + M[1] * (M[5] * M[6] - M[3] * M[8]) + M[2] * (M[3] * M[7] - M[4] * M[6]);
}

/* p becomes permutation number k of n things */
static void PlexPermutation(PetscInt n, PetscInt k, PetscInt p[])
{
  PetscInt left[8];

  for (PetscInt i = 0; i < n; ++i) left[i] = i;
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt f = 1, at;

    for (PetscInt m = 2; m < n - i; ++m) f *= m;
    at   = k / f % (n - i);
    p[i] = left[at];
    for (PetscInt m = at; m < n - i - 1; ++m) left[m] = left[m + 1];
  }
}

/* Maps of the simplex with vertices -1 and -1 + 2 e_k onto itself that take vertex k to vertex p[k] */
static PetscInt PlexSimplexRotations(PetscInt dim, PetscBool reflections, PlexRotation rotations[])
{
  const PetscInt all = dim == 2 ? 6 : 24;
  PetscInt       n   = 0, p[4];

  for (PetscInt k = 0; k < all; ++k) {
    PlexRotation *r = &rotations[n];

    PlexPermutation(dim + 1, k, p);
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscReal first = p[0] == d + 1 ? 1. : -1.; /* coordinate d of the image of vertex 0 */

      r->b[d] = first;
      for (PetscInt c = 0; c < dim; ++c) {
        r->M[d * dim + c] = ((p[c + 1] == d + 1 ? 1. : -1.) - first) / 2.;
        r->b[d] += r->M[d * dim + c]; /* vertex 0 is -1 */
      }
    }
    if (reflections || PlexDeterminant(dim, r->M) > 0.) ++n;
  }
  return n;
}

/* Signed permutations of the axes */
static PetscInt PlexCubeRotations(PetscInt dim, PetscBool reflections, PlexRotation rotations[])
{
  const PetscInt all = dim == 2 ? 2 : 6;
  PetscInt       n   = 0, p[3];

  for (PetscInt k = 0; k < all; ++k) {
    PlexPermutation(dim, k, p);
    for (PetscInt signs = 0; signs < 1 << dim; ++signs) {
      PlexRotation *r = &rotations[n];

      PetscCallAbort(PETSC_COMM_SELF, PetscMemzero(r, sizeof(*r)));
      for (PetscInt d = 0; d < dim; ++d) r->M[d * dim + p[d]] = signs & (1 << d) ? -1. : 1.;
      if (reflections || PlexDeterminant(dim, r->M) > 0.) ++n;
    }
  }
  return n;
}

static void PlexRotate(PetscInt dim, const PlexRotation *r, PetscInt n, const PetscReal xi[], PetscReal image[])
{
  for (PetscInt s = 0; s < n; ++s) {
    for (PetscInt d = 0; d < dim; ++d) {
      image[s * dim + d] = r->b[d];
      for (PetscInt c = 0; c < dim; ++c) image[s * dim + d] += r->M[d * dim + c] * xi[s * dim + c];
    }
  }
}

/* to[j]: the function whose values at the images are those of function j at the points; values[PLEX_SAMPLES][N] */
static PetscBool PlexMatch(PetscInt N, const PetscReal at[], const PetscReal image[], int to[])
{
  for (PetscInt j = 0; j < N; ++j) {
    to[j] = -1;
    for (PetscInt m = 0; m < N && to[j] < 0; ++m) {
      PetscBool same = PETSC_TRUE;

      for (PetscInt s = 0; s < PLEX_SAMPLES && same; ++s)
        same = (PetscBool)(PetscAbsReal(at[s * N + j] - image[s * N + m]) < 1e4 * PETSC_MACHINE_EPSILON);
      if (same) to[j] = (int)m;
    }
    if (to[j] < 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* A quadrature's points and weights are those of their images */
static PetscBool PlexQuadratureRotates(PetscInt dim, PetscInt Nq, const PetscReal points[], const PetscReal weights[],
                                       const PlexRotation *r)
{
  for (PetscInt q = 0; q < Nq; ++q) {
    PetscReal image[3];
    PetscBool found = PETSC_FALSE;

    PlexRotate(dim, r, 1, &points[q * dim], image);
    for (PetscInt k = 0; k < Nq && !found; ++k) {
      found = (PetscBool)(PetscAbsReal(weights[k] - weights[q]) < 1e3 * PETSC_MACHINE_EPSILON);
      for (PetscInt d = 0; d < dim && found; ++d)
        found = (PetscBool)(PetscAbsReal(image[d] - points[k * dim + d]) < 1e3 * PETSC_MACHINE_EPSILON);
    }
    if (!found) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode PlexTabulateBoth(PetscFE fe, const PetscReal points[], PetscInt n, PetscInt N, PetscReal values[])
{
  PetscTabulation T;
  PetscInt        Nc;

  PetscFunctionBegin;
  PetscCall(PetscFEGetNumComponents(fe, &Nc));
  PetscCall(PetscFECreateTabulation(fe, 1, n, points, 0, &T));
  for (PetscInt s = 0; s < n; ++s)
    for (PetscInt k = 0; k < N; ++k) values[s * N + k] = T->T[0][(s * T->Nb + k * Nc) * Nc];
  PetscCall(PetscTabulationDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexElementsGetMaps(PlexElements el, PetscBool quadrature, PetscBool reflections, PetscInt *n,
                                          int **dofs, int **vertices)
{
  const PetscInt   dim     = el->dim;
  const PetscBool  simplex = (PetscBool)(el->cellType == DM_POLYTOPE_TRIANGLE ||
                                         el->cellType == DM_POLYTOPE_TETRAHEDRON),
                   cube    = (PetscBool)(el->cellType == DM_POLYTOPE_QUADRILATERAL ||
                                         el->cellType == DM_POLYTOPE_HEXAHEDRON);
  PlexRotation     rotations[PLEX_ROTATIONS];
  const PetscReal *points, *weights;
  PetscReal        xi[2][PLEX_SAMPLES * 3], *values[2];
  PetscFE          fe, coordinates;
  PetscQuadrature  quad;
  PetscInt         all, most = el->Nv, Nq;
  int             *to;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt f = 0; f < el->Nf; ++f) most = PetscMax(most, el->Nn[f]);
  if (!PlexElementsFillSpace(el) || el->vectors) all = 0;
  else
    all = simplex ? PlexSimplexRotations(dim, reflections, rotations)
        : cube    ? PlexCubeRotations(dim, reflections, rotations)
                  : 0;
  for (PetscInt s = 0; s < PLEX_SAMPLES; ++s)
    for (PetscInt d = 0; d < dim; ++d)
      xi[0][s * dim + d] = -0.83 + 0.137 * (PetscReal)((3 * s + 5 * d + s * d) % 7) + 0.031 * (PetscReal)d;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetQuadrature(fe, &quad));
  PetscCall(PetscQuadratureGetData(quad, NULL, NULL, &Nq, &points, &weights));
  PetscCall(PlexGetCoordinateFE(el->dm, el->cellType, &coordinates));
  PetscCall(PetscMalloc2(PetscMax(all, 1) * el->ef, dofs, PetscMax(all, 1) * el->Nv, vertices));
  PetscCall(PetscMalloc3(PLEX_SAMPLES * most, &values[0], PLEX_SAMPLES * most, &values[1], most, &to));
  for (PetscInt k = 0; k < all; ++k) {
    PetscBool good = PETSC_TRUE;

    if (quadrature && !PlexQuadratureRotates(dim, Nq, points, weights, &rotations[k])) continue;
    PlexRotate(dim, &rotations[k], PLEX_SAMPLES, xi[0], xi[1]);
    for (PetscInt f = -1; f < el->Nf && good; ++f) { /* -1: the coordinates */
      const PetscInt N = f < 0 ? el->Nv : el->Nn[f];

      if (f < 0) fe = coordinates;
      else PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
      for (PetscInt i = 0; i < 2; ++i) PetscCall(PlexTabulateBoth(fe, xi[i], PLEX_SAMPLES, N, values[i]));
      good = PlexMatch(N, values[0], values[1], to);
      for (PetscInt m = 0; m < N && good; ++m) {
        if (f < 0) (*vertices)[*n * el->Nv + m] = to[m];
        else
          for (PetscInt c = 0; c < el->Nc[f]; ++c)
            (*dofs)[*n * el->ef + el->offset[f] + m * el->Nc[f] + c] = (int)(el->offset[f] + to[m] * el->Nc[f] + c);
      }
    }
    if (good) ++*n;
  }
  PetscCall(PetscFree3(values[0], values[1], to));
  PetscCall(PetscFEDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsGetRotations(PlexElements el, PetscBool quadrature, PetscInt *n, int **dofs, int **vertices)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsGetMaps(el, quadrature, PETSC_FALSE, n, dofs, vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsGetSymmetries(PlexElements el, PetscInt *n, int **dofs, int **vertices)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsGetMaps(el, PETSC_FALSE, PETSC_TRUE, n, dofs, vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsRestoreRotations(int **dofs, int **vertices)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(*dofs, *vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}
