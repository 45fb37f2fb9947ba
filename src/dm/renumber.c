/*
  An order of dofs: type "hilbert" of DMReorderSectionSetType(), in addition to the types of DMPLEX.

  Points of the mesh keep their numbers; the section has them in another order. Cells are sorted along a Hilbert curve.
  Each is followed by those points of its closure that no cell before it has. So elements that are close in space have
  neighbouring rows of the matrix.
*/
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h>

static PetscErrorCode (*PlexSectionPermutationPETSc)(DM, IS *, PetscBT *) = NULL; /* DMPLEX's own */

/* x[p][dim]: centres of all points; that of a point is the mean of the centres of its cone. *done false: a vertex has
   no coordinates */
static PetscErrorCode PlexPointsGetCentres(DM dm, PetscInt dim, PetscReal x[], PetscBool *done)
{
  PetscSection       section;
  Vec                coordinates;
  const PetscScalar *values;
  PetscInt           depth, first, end, vFirst, vEnd;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  if (!coordinates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &first, &end));
  PetscCall(DMPlexGetDepth(dm, &depth));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vFirst, &vEnd));
  PetscCall(VecGetArrayRead(coordinates, &values));
  *done = PETSC_TRUE;
  for (PetscInt v = vFirst; v < vEnd && *done; ++v) {
    PetscInt dof = 0, offset = 0;

    if (v >= first && v < end) {
      PetscCall(PetscSectionGetDof(section, v, &dof));
      PetscCall(PetscSectionGetOffset(section, v, &offset));
    }
    *done = (PetscBool)(dof >= dim);
    for (PetscInt d = 0; d < dim && *done; ++d) x[(size_t)v * dim + d] = PetscRealPart(values[offset + d]);
  }
  PetscCall(VecRestoreArrayRead(coordinates, &values));
  for (PetscInt k = 1; k <= depth && *done; ++k) {
    PetscCall(DMPlexGetDepthStratum(dm, k, &first, &end));
    for (PetscInt p = first; p < end; ++p) {
      const PetscInt *cone;
      PetscInt        n;

      PetscCall(DMPlexGetConeSize(dm, p, &n));
      PetscCall(DMPlexGetCone(dm, p, &cone));
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal sum = 0.;

        for (PetscInt i = 0; i < n; ++i) sum += x[(size_t)cone[i] * dim + d];
        x[(size_t)p * dim + d] = n ? sum / (PetscReal)n : 0.;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends to perm[] the points of the closure of p that it does not have yet */
static PetscErrorCode PlexPointsTake(DM dm, PetscInt p, PetscBT taken, PetscInt perm[], PetscInt *n)
{
  const PetscInt *cone;
  PetscInt        size;

  PetscFunctionBegin;
  if (PetscBTLookupSet(taken, p)) PetscFunctionReturn(PETSC_SUCCESS); /* and so is its closure */
  perm[(*n)++] = p;
  PetscCall(DMPlexGetConeSize(dm, p, &size));
  PetscCall(DMPlexGetCone(dm, p, &cone));
  for (PetscInt i = 0; i < size; ++i) PetscCall(PlexPointsTake(dm, cone[i], taken, perm, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* permutation[k]: the point whose dofs come k-th; NULL if vertices have no coordinates */
static PetscErrorCode PlexPointsCurveOrder(DM dm, IS *permutation)
{
  PetscInt   pStart, pEnd, cStart, cEnd, dim, n = 0, *perm;
  int       *order;
  PetscReal *x;
  PetscBT    taken;
  PetscBool  done;

  PetscFunctionBegin;
  *permutation = NULL;
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMGetCoordinateDim(dm, &dim));
  if (pStart || dim < 1 || dim > 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)pEnd * dim, &x));
  PetscCall(PlexPointsGetCentres(dm, dim, x, &done));
  if (done) {
    PetscCall(PetscMalloc1(cEnd - cStart, &order));
    PetscCall(PlexCurveOrder(cEnd - cStart, dim, x + (size_t)cStart * dim, order));
    PetscCall(PetscMalloc1(pEnd, &perm));
    PetscCall(PetscBTCreate(pEnd, &taken));
    for (PetscInt c = 0; c < cEnd - cStart; ++c) PetscCall(PlexPointsTake(dm, cStart + order[c], taken, perm, &n));
    /* points in the closure of no cell */
    for (PetscInt p = 0; p < pEnd; ++p) PetscCall(PlexPointsTake(dm, p, taken, perm, &n));
    PetscCall(PetscBTDestroy(&taken));
    PetscCall(PetscFree(order));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, pEnd, perm, PETSC_OWN_POINTER, permutation));
    PetscCall(ISSetPermutation(*permutation));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces the operation of DMPLEX */
static PetscErrorCode DMCreateSectionPermutation_PlexGPU(DM dm, IS *permutation, PetscBT *blockStarts)
{
  DMReorderDefaultFlag reorder;
  MatOrderingType      type;
  PetscBool            hilbert = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMReorderSectionGetDefault(dm, &reorder));
  PetscCall(DMReorderSectionGetType(dm, &type));
  if (reorder == DM_REORDER_DEFAULT_TRUE) PetscCall(PetscStrcmp(type, PLEXREORDERHILBERT, &hilbert));
  if (hilbert) PetscCall(PlexPointsCurveOrder(dm, permutation));
  else PetscCall((*PlexSectionPermutationPETSc)(dm, permutation, blockStarts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTakeSection_Private(DM dm)
{
  struct _DMOps ops;

  PetscFunctionBegin;
  PetscCall(PlexGetOperations_Private(&ops));
  PlexSectionPermutationPETSc = ops.createsectionpermutation;
  if (dm->ops->createsectionpermutation == PlexSectionPermutationPETSc)
    dm->ops->createsectionpermutation = DMCreateSectionPermutation_PlexGPU;
  PetscFunctionReturn(PETSC_SUCCESS);
}
