/* The matrix of statically condensed continuous elements: PETSc's sums of elements' matrices and right-hand sides by
   coordinates (MatSetPreallocationCOO()), on the device where they are there. Entries of known nodes have no row. */
#include "cgimpl.h"

/* Numbers of all processes of node k of all elements, -1: known */
static PetscInt PlexHDGCGGlobal(PlexHDGCG cg, PetscInt k)
{
  return cg->nodes[k] < cg->nfree ? cg->global[cg->nodes[k]] : -1;
}

static PetscErrorCode PlexHDGCGCreateMatrix(PlexHDGCG cg)
{
  const PetscInt   Nb = cg->Nb;
  const PetscCount n  = (PetscCount)cg->hdg->mesh->Ne * Nb;
  PetscInt        *rows, *columns;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)cg->hdg), &cg->A));
  PetscCall(MatSetSizes(cg->A, cg->nown, cg->nown, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(cg->A, cg->hdg->backend->device ? MATAIJCUSPARSE : MATAIJ));
  PetscCall(PetscMalloc2(n * Nb, &rows, n * Nb, &columns));
  for (PetscCount k = 0; k < n; ++k)
    for (PetscInt j = 0; j < Nb; ++j) {
      rows[k * Nb + j]    = PlexHDGCGGlobal(cg, (PetscInt)k);
      columns[k * Nb + j] = PlexHDGCGGlobal(cg, (PetscInt)(k - k % Nb + j));
    }
  PetscCall(MatSetPreallocationCOO(cg->A, n * Nb, rows, columns));
  PetscCall(MatSetOption(cg->A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(cg->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(MatCreateVecs(cg->A, &cg->x, &cg->rhs));
  for (PetscCount k = 0; k < n; ++k) rows[k] = PlexHDGCGGlobal(cg, (PetscInt)k);
  PetscCall(VecSetOption(cg->rhs, VEC_IGNORE_NEGATIVE_INDICES, PETSC_TRUE));
  PetscCall(VecSetPreallocationCOO(cg->rhs, n, rows));
  PetscCall(PetscFree2(rows, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGSetUpMatrix_Private(PlexHDGCG cg)
{
  PlexHDG     hdg = cg->hdg;
  PC          pc;
  IS          is;
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGCreateMatrix(cg));
  PetscCall(VecCreate(PETSC_COMM_SELF, &cg->local));
  PetscCall(VecSetSizes(cg->local, cg->nfree, cg->nfree));
  PetscCall(VecSetType(cg->local, hdg->backend->device ? VECSEQCUDA : VECSEQ));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, cg->nfree, cg->global, PETSC_USE_POINTER, &is));
  PetscCall(VecScatterCreate(cg->x, is, cg->local, NULL, &cg->scatter));
  PetscCall(ISDestroy(&is));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)hdg), &cg->ksp));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  PetscCall(KSPSetOptionsPrefix(cg->ksp, prefix));
  PetscCall(KSPAppendOptionsPrefix(cg->ksp, "plex_hdg_cg_"));
  PetscCall(KSPSetType(cg->ksp, KSPCG));
  PetscCall(KSPGetPC(cg->ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetTolerances(cg->ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(cg->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
