#include <plexgpu/impl.h>
#include "assemblyimpl.h"

#define PLEX_CHECK_SHOWN 5 /* differing entries listed in the message */

/* What is wrong, entry by entry; more than PLEX_CHECK_SHOWN are only counted */
typedef struct {
  PetscInt  differ;
  PetscReal largest; /* of the reference's entries */
  char      text[1024];
} PlexDifferences;

static PetscErrorCode PlexDifferencesAdd(PlexDifferences *d, PetscReal tolerance, PetscInt row, PetscInt column, PetscScalar here, PetscScalar petsc)
{
  size_t length;

  PetscFunctionBegin;
  if (PetscAbsScalar(here - petsc) <= tolerance * d->largest) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->differ++ < PLEX_CHECK_SHOWN) {
    PetscCall(PetscStrlen(d->text, &length));
    if (column >= 0) PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length, "\n  (%" PetscInt_FMT ", %" PetscInt_FMT "): %.15g here, %.15g by PETSc", row, column, (double)PetscRealPart(here), (double)PetscRealPart(petsc)));
    else PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length, "\n  %" PetscInt_FMT ": %.15g here, %.15g by PETSc", row, (double)PetscRealPart(here), (double)PetscRealPart(petsc)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec locF, PlexDifferences *d)
{
  Vec                reference;
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locF, &reference));
  PetscCall(VecSet(reference, 0.0));
  if (asm_->integral.explicitPart) PetscCall(DMPlexTSComputeRHSFunctionFEM(asm_->dm, t, locX, reference, NULL));
  else if (locX_t) PetscCall(DMPlexTSComputeIFunctionFEM(asm_->dm, t, locX, locX_t, reference, NULL));
  else PetscCall(DMPlexSNESComputeResidualFEM(asm_->dm, locX, reference, NULL));
  PetscCall(VecGetLocalSize(locF, &n));
  PetscCall(VecGetArrayRead(locF, &a));
  PetscCall(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) d->largest = PetscMax(d->largest, PetscAbsScalar(b[i]));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PlexDifferencesAdd(d, asm_->check, i, -1, a[i], b[i]));
  PetscCall(VecRestoreArrayRead(reference, &b));
  PetscCall(VecRestoreArrayRead(locF, &a));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckJacobian(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Mat P, PlexDifferences *d)
{
  Mat                reference, other; /* other: the Jacobian beside a preconditioner's matrix */
  const PetscScalar *a, *b;
  PlexPattern        pattern = asm_->pattern;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(P, MAT_DO_NOT_COPY_VALUES, &reference));
  if (asm_->inner) PetscCall(MatDuplicate(P, MAT_DO_NOT_COPY_VALUES, &other));
  else {
    other = reference;
    PetscCall(PetscObjectReference((PetscObject)reference));
  }
  if (locX_t) PetscCall(DMPlexTSComputeIJacobianFEM(asm_->dm, t, locX, locX_t, shift, other, reference, NULL));
  else PetscCall(DMPlexSNESComputeJacobianFEM(asm_->dm, locX, other, reference, NULL));
  PetscCall(MatDestroy(&other));
  PetscCall(MatSeqAIJGetArrayRead(P, &a));
  PetscCall(MatSeqAIJGetArrayRead(reference, &b));
  for (PetscInt k = 0; k < pattern->nnz; ++k) d->largest = PetscMax(d->largest, PetscAbsScalar(b[k]));
  for (PetscInt r = 0; r < pattern->m; ++r)
    for (PetscInt k = pattern->i[r]; k < pattern->i[r + 1]; ++k) PetscCall(PlexDifferencesAdd(d, asm_->check, r, pattern->j[k], a[k], b[k]));
  PetscCall(MatSeqAIJRestoreArrayRead(reference, &b));
  PetscCall(MatSeqAIJRestoreArrayRead(P, &a));
  PetscCall(MatDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_assembly_check: PETSc's own assembly of the same thing, compared entry by entry */
PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly asm_, PlexProductKind kind, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Vec locF, Mat P)
{
  PlexDifferences d = {.differ = 0, .largest = 0.0, .text = ""};

  PetscFunctionBegin;
  if (kind == PLEX_RESIDUAL) PetscCall(PlexAssemblyCheckFunction(asm_, locX, locX_t, t, locF, &d));
  else PetscCall(PlexAssemblyCheckJacobian(asm_, locX, locX_t, t, shift, P, &d));
  PetscCheck(!d.differ, PetscObjectComm((PetscObject)asm_), PETSC_ERR_PLIB, "-plex_assembly_check: %" PetscInt_FMT " entries of the %s differ from PETSc's by more than %g of the largest (%g); type %s, backend %s. The first:%s", d.differ, kind == PLEX_RESIDUAL ? "residual" : "Jacobian",
             (double)asm_->check, (double)d.largest, ((PetscObject)asm_)->type_name ? ((PetscObject)asm_)->type_name : "host", ((PetscObject)asm_->backend)->type_name, d.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
