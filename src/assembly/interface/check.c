#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

#define PLEX_CHECK_SHOWN 5 /* differing entries listed in the message */

/* Entries that differ; those beyond PLEX_CHECK_SHOWN are only counted */
typedef struct {
  PetscInt  differ;
  PetscReal largest; /* of the reference's entries */
  char      text[1024];
} PlexDifferences;

static PetscErrorCode PlexDifferencesAdd(PlexDifferences *d, PetscReal tolerance, PetscInt row, PetscInt column,
                                         PetscScalar here, PetscScalar petsc)
{
  size_t length;

  PetscFunctionBegin;
  if (PetscAbsScalar(here - petsc) <= tolerance * d->largest) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->differ++ < PLEX_CHECK_SHOWN) {
    PetscCall(PetscStrlen(d->text, &length));
    if (column >= 0)
      PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length,
                              "\n  (%" PetscInt_FMT ", %" PetscInt_FMT "): %.15g here, %.15g by PETSc", row, column,
                              (double)PetscRealPart(here), (double)PetscRealPart(petsc)));
    else
      PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length,
                              "\n  %" PetscInt_FMT ": %.15g here, %.15g by PETSc", row, (double)PetscRealPart(here),
                              (double)PetscRealPart(petsc)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's residual, and its largest entry */
static PetscErrorCode PlexReferenceFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec reference,
                                            PetscReal *largest)
{
  const PetscScalar *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecSet(reference, 0.0));
  if (asm_->integral.explicitPart) PetscCall(DMPlexTSComputeRHSFunctionFEM(asm_->dm, t, locX, reference, NULL));
  else if (locX_t) PetscCall(DMPlexTSComputeIFunctionFEM(asm_->dm, t, locX, locX_t, reference, NULL));
  else PetscCall(DMPlexSNESComputeResidualFEM(asm_->dm, locX, reference, NULL));
  PetscCall(VecGetLocalSize(reference, &n));
  PetscCall(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) {
    if (!PetscIsInfOrNanScalar(b[i])) *largest = PetscMax(*largest, PetscAbsScalar(b[i]));
  }
  PetscCall(VecRestoreArrayRead(reference, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a solution the terms of a residual cancel, and only rounding is left. The size of the terms is estimated by the
   residual at a vector that is no solution: locX with its entries multiplied by 1/2, 1 and 3/2 in turn. */
static PetscErrorCode PlexTermsOfFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec work,
                                          PetscReal *largest)
{
  Vec          other;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locX, &other));
  PetscCall(VecCopy(locX, other));
  PetscCall(VecGetLocalSize(other, &n));
  PetscCall(VecGetArray(other, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= 0.5 * (1 + i % 3);
  PetscCall(VecRestoreArray(other, &x));
  PetscCall(PlexReferenceFunction(asm_, other, locX_t, t, work, largest));
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec locF,
                                                PlexDifferences *d)
{
  Vec                reference;
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locF, &reference));
  PetscCall(PlexTermsOfFunction(asm_, locX, locX_t, t, reference, &d->largest));
  PetscCall(PlexReferenceFunction(asm_, locX, locX_t, t, reference, &d->largest));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)asm_)));
  PetscCall(VecGetLocalSize(locF, &n));
  PetscCall(VecGetArrayRead(locF, &a));
  PetscCall(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PlexDifferencesAdd(d, asm_->check, i, -1, a[i], b[i]));
  PetscCall(VecRestoreArrayRead(reference, &b));
  PetscCall(VecRestoreArrayRead(locF, &a));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block of the matrix: rows from rstart, columns from cstart or those of garray[] */
static PetscErrorCode PlexAssemblyCheckBlock(PlexAssembly asm_, Mat A, Mat B, PetscInt rstart, const PetscInt garray[],
                                             PlexDifferences *d, PetscBool compare)
{
  const PetscScalar *a, *b;
  const PetscInt    *i, *j;
  PetscInt           m;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(MatSeqAIJGetArrayRead(B, &b));
  for (PetscInt r = 0; r < m; ++r) {
    for (PetscInt k = i[r]; k < i[r + 1]; ++k) {
      if (compare)
        PetscCall(PlexDifferencesAdd(d, asm_->check, rstart + r, garray ? garray[j[k]] : rstart + j[k], a[k], b[k]));
      else d->largest = PetscMax(d->largest, PetscAbsScalar(b[k]));
    }
  }
  PetscCall(MatSeqAIJRestoreArrayRead(B, &b));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckJacobian(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, PetscReal shift,
                                                Mat P, PlexDifferences *d)
{
  PlexPattern     pattern = asm_->pattern;
  Mat             reference, other, blocks[2] = {NULL, NULL}; /* other: the Jacobian beside a preconditioner's matrix */
  const PetscInt *garray = NULL;

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
  PetscCall(PlexMatGetBlocks(reference, &blocks[0], &blocks[1], &garray));
  for (PetscInt compare = 0; compare < 2; ++compare) {
    PetscCall(PlexAssemblyCheckBlock(asm_, pattern->diagonal, blocks[0], pattern->rstart, NULL, d, (PetscBool)compare));
    if (blocks[1])
      PetscCall(PlexAssemblyCheckBlock(asm_, pattern->offdiagonal, blocks[1], pattern->rstart, garray, d,
                                       (PetscBool)compare));
    if (!compare)
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)P)));
  }
  PetscCall(MatDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of entries that differ, on all processes, and the text of the first process that has some */
static PetscErrorCode PlexDifferencesReduce(MPI_Comm comm, PlexDifferences *d)
{
  PetscMPIInt rank, first, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  first = d->differ ? rank : size;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->differ, 1, MPIU_INT, MPI_SUM, comm));
  if (first < size) PetscCallMPI(MPI_Bcast(d->text, sizeof(d->text), MPI_CHAR, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_assembly_check: PETSc's own assembly of the same thing, compared entry by entry */
PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly asm_, PlexProductKind kind, Vec locX, Vec locX_t, PetscReal t,
                                         PetscReal shift, Vec locF, Mat P)
{
  PlexDifferences d = {.differ = 0, .largest = 0.0, .text = ""};

  PetscFunctionBegin;
  if (kind == PLEX_RESIDUAL) PetscCall(PlexAssemblyCheckFunction(asm_, locX, locX_t, t, locF, &d));
  else PetscCall(PlexAssemblyCheckJacobian(asm_, locX, locX_t, t, shift, P, &d));
  PetscCall(PlexDifferencesReduce(PetscObjectComm((PetscObject)asm_), &d));
  PetscCheck(!d.differ, PetscObjectComm((PetscObject)asm_), PETSC_ERR_PLIB,
             "-plex_assembly_check: %" PetscInt_FMT " entries of the %s differ from PETSc's by more than %g of the "
             "largest (%g); type %s, backend %s. The first:%s",
             d.differ, kind == PLEX_RESIDUAL ? "residual" : "Jacobian", (double)asm_->check, (double)d.largest,
             asm_->strategy[kind].type ? asm_->strategy[kind].type : "host", ((PetscObject)asm_->backend)->type_name,
             d.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
