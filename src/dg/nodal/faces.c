/* Faces of the reference element: points, normals, and where the nodes of two elements meet */
#include "nodalimpl.h"

void PlexDGFacePoints_Private(PlexDGReference R, PetscInt f, PetscInt n, const PetscReal s[], PetscReal points[])
{
  const PetscInt dim = R->dim, nf = PlexDGFaceSize(dim, R->tensor);
  PetscInt       v[4];
  PetscReal      corner[4][3];

  PlexDGFaceVertices(dim, R->tensor, f, v);
  for (PetscInt k = 0; k < nf; ++k) PlexDGVertex(dim, R->tensor, v[k], corner[k]);
  for (PetscInt g = 0; g < n; ++g)
    for (PetscInt a = 0; a < dim; ++a) {
      points[g * dim + a] = corner[0][a];
      for (PetscInt c = 0; c < dim - 1; ++c)
        points[g * dim + a] += 0.5 * (1. + s[g * (dim - 1) + c]) * (corner[c ? nf - 1 : 1][a] - corner[0][a]);
    }
}

void PlexDGReferenceNormal_Private(PetscInt dim, PetscBool tensor, PetscInt f, PetscReal N[])
{
  PetscInt  vertices[4];
  PetscReal first[3], r[3];

  if (!tensor) {
    for (PetscInt a = 0; a < dim; ++a) N[a] = f == dim ? 1. : f == a ? -1. : 0.;
    return;
  }
  PlexDGFaceVertices(dim, tensor, f, vertices);
  PlexDGVertex(dim, tensor, vertices[0], first);
  for (PetscInt a = 0; a < dim; ++a) N[a] = first[a];
  for (PetscInt v = 1; v < PlexDGFaceSize(dim, tensor); ++v) {
    PlexDGVertex(dim, tensor, vertices[v], r);
    for (PetscInt a = 0; a < dim; ++a)
      if (r[a] != first[a]) N[a] = 0.;
  }
}

PetscErrorCode PlexDGGetMeet_Private(PlexDGReference R, int **meet)
{
  const PetscInt Nfp = R->Nfp;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((R->faces + 1) * R->turns * Nfp, meet));
  for (PetscInt f = 0; f <= R->faces; ++f) {
    for (PetscInt t = 0; t < R->turns; ++t) {
      for (PetscInt m = 0; m < Nfp; ++m) {
        const int node = R->turn[t * Nfp + m];

        (*meet)[(f * R->turns + t) * Nfp + m] = f < R->faces ? R->faceNodes[f * Nfp + node] : node;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
