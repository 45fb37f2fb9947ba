/*
  Meshes of triangles and quadrilaterals: an operator that has two others, its parts, one of the triangles and one of the
  quadrilaterals. Each has mesh, reference element, quadrature and kernels of its own. An edge has the same nodes from
  both kinds of cell, so a face between them is to both parts what a face between processes is: the values at its nodes
  come from where ghosts are.

  A state has the values of the triangles, and behind them those of the quadrilaterals. The whole has settings, system and
  exchange, and what its functions compute is the sum, or the largest, of what those of its parts do.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

PetscErrorCode PlexDGCheckOneKind_Private(PlexDG dg, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!dg->parts[0], PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "%s is for meshes of one kind of cell, and this one has triangles and quadrilaterals: leave it out, or "
             "make all cells triangles, with -dm_refine 1 -dm_plex_transform_type refine_tosimplex",
             what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part's values as a vector, without a copy */
static PetscErrorCode PlexDGPartsGetIS(PlexDG dg, Vec U, PetscInt k, IS *is)
{
  PetscInt begin;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(U, &begin, NULL));
  if (k) begin += PlexDGGetLocalSize(dg->parts[0]);
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)dg), PlexDGGetLocalSize(dg->parts[k]), begin, 1, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPartsGetVec(PlexDG dg, Vec U, PetscInt k, Vec *part)
{
  IS is;

  PetscFunctionBegin;
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsGetIS(dg, U, k, &is));
  PetscCall(VecGetSubVector(U, is, part));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPartsRestoreVec(PlexDG dg, Vec U, PetscInt k, Vec *part)
{
  IS is;

  PetscFunctionBegin;
  PetscCall(PlexDGPartsGetIS(dg, U, k, &is));
  PetscCall(VecRestoreSubVector(U, is, part));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPartsDo_Private(PlexDG dg, Vec U, PetscErrorCode (*compute)(PlexDG, Vec, void *), void *ctx)
{
  PetscFunctionBegin;
  if (!dg->parts[0]) {
    PetscCall((*compute)(dg, U, ctx));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < 2; ++k) {
    Vec part;

    PetscCall(PlexDGPartsGetVec(dg, U, k, &part));
    PetscCall((*compute)(dg->parts[k], part, ctx));
    PetscCall(PlexDGPartsRestoreVec(dg, U, k, &part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
