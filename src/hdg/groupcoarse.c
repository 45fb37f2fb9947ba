/* The coarse space of the trace's preconditioner, continuous functions of degree 1, with faces of several degrees */
#include "groups.h"

/* Values at vertices to traces: a face of degree k has the rows of that degree. Vertices of known traces are left out */
static PetscErrorCode PlexHDGGroupsCreateP(PlexHDG hdg, PlexHDGCoarse c, const PetscInt number[], PetscInt pStart)
{
  PlexHDGGroups  G                                = hdg->groups;
  const PetscInt nv                               = c->nv;
  PetscReal     *weights[PLEX_HDG_MAX_DEGREE + 1] = {NULL};
  PetscInt      *i, *j, vertices[4];
  PetscScalar   *values;

  PetscFunctionBegin;
  for (PetscInt k = G->range[0]; k <= G->range[1]; ++k) {
    PetscCall(PetscMalloc1(nv * PlexHDGBasisSize(G->face, k), &weights[k]));
    PetscCall(PlexHDGVertexWeights_Private(G->face, k, weights[k]));
  }
  PetscCall(PetscMalloc3(G->own + 1, &i, G->own * nv, &j, G->own * nv, &values));
  i[0] = 0;
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l) {
    const PetscInt n = G->start[l + 1] - G->start[l];

    PetscCall(PlexHDGMeshFaceVertices_Private(hdg->mesh, hdg->mesh->facePoint[l], nv, vertices));
    for (PetscInt m = 0; m < n; ++m) {
      const PetscInt r  = G->start[l] + m;
      PetscInt       at = i[r];

      for (PetscInt v = 0; v < nv; ++v) {
        const PetscReal w = weights[G->degree[l]][v * n + m];

        if (number[vertices[v] - pStart] < 0 || PetscAbsReal(w) < 1e-12) continue;
        j[at]        = number[vertices[v] - pStart];
        values[at++] = w;
      }
      if (at > i[r] + 1) PetscCall(PetscSortIntWithScalarArray(at - i[r], &j[i[r]], &values[i[r]]));
      i[r + 1] = at;
    }
  }
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &c->P));
  PetscCall(MatSetSizes(c->P, G->own, c->n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(c->P, MATAIJ));
  PetscCall(PlexHDGMatSetRows_Private(c->P, i, j, values));
  PetscCall(PetscObjectSetName((PetscObject)c->P, "P"));
  PetscCall(PetscFree3(i, j, values));
  for (PetscInt k = G->range[0]; k <= G->range[1]; ++k) PetscCall(PetscFree(weights[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsCreateCoarse_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  PetscInt pStart, *number;

  PetscFunctionBegin;
  c->nv = DMPolytopeTypeGetNumVertices(hdg->groups->face);
  PetscCall(DMPlexGetChart(hdg->dm, &pStart, NULL));
  PetscCall(PlexHDGCoarseNumber_Private(hdg, c, &number));
  PetscCall(PlexHDGGroupsCreateP(hdg, c, number, pStart));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of K's present values */
PetscErrorCode PlexHDGGroupsUpdateCoarse_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  MatNullSpace space;

  PetscFunctionBegin;
  if (!c->N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatPtAP(hdg->A, c->P, c->A ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DETERMINE, &c->A));
  PetscCall(MatSetOption(c->A, MAT_SYMMETRIC, PlexHDGIsUnsymmetric(hdg) ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SPD, hdg->singular || PlexHDGIsGeneral(hdg) ? PETSC_FALSE : PETSC_TRUE));
  if (hdg->singular) { /* values that are all the same */
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_TRUE, 0, NULL, &space));
    PetscCall(MatSetNullSpace(c->A, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
