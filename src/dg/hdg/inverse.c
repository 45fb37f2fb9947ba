/*
  A direct solver by the inverse of a matrix, dense: a GPU multiplies by it in one launch, where a host's factors take two copies and wait for them, and a GPU's factors one step after the other. PETSc's
  dense matrices make it, cuSOLVER on a GPU: N^3 * 7/3 flops once (11/3 by LU), 8 N^2 bytes to keep, three times as many meanwhile, and 8 N^2 to read for each right-hand side.
*/
#include "hdgimpl.h"

static PetscErrorCode PlexHDGInverseSetUp(PC pc)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)pc);
  Mat       A, unit, factor, inverse = NULL;
  PetscInt  N;
  PetscBool device, known, spd;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &inverse));
  PetscCall(MatDestroy(&inverse));
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &device));
  PetscCall(MatCreate(comm, &unit));
  PetscCall(MatSetSizes(unit, N, N, N, N));
  PetscCall(MatSetType(unit, device ? MATSEQDENSECUDA : MATSEQDENSE));
  PetscCall(MatSetUp(unit));
  PetscCall(MatZeroEntries(unit));
  PetscCall(MatAssemblyBegin(unit, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(unit, MAT_FINAL_ASSEMBLY));
  PetscCall(MatShift(unit, 1.));
  PetscCall(MatMatMult(A, unit, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &factor));
  PetscCall(MatIsSPDKnown(A, &known, &spd));
  if (known && spd) {
    PetscCall(MatSetOption(factor, MAT_SPD, PETSC_TRUE));
    PetscCall(MatCholeskyFactor(factor, NULL, NULL));
  } else PetscCall(MatLUFactor(factor, NULL, NULL, NULL));
  PetscCall(MatDuplicate(unit, MAT_DO_NOT_COPY_VALUES, &inverse));
  PetscCall(MatMatSolve(factor, unit, inverse));
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&unit));
  PetscCall(PCShellSetContext(pc, inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGInverseApply(PC pc, Vec b, Vec x)
{
  Mat inverse = NULL;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &inverse));
  PetscCall(MatMult(inverse, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGInverseDestroy(PC pc)
{
  Mat inverse = NULL;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &inverse));
  PetscCall(MatDestroy(&inverse));
  PetscCall(PCShellSetContext(pc, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetInverse_Private(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, "inverse of the matrix, dense"));
  PetscCall(PCShellSetSetUp(pc, PlexHDGInverseSetUp));
  PetscCall(PCShellSetApply(pc, PlexHDGInverseApply));
  PetscCall(PCShellSetDestroy(pc, PlexHDGInverseDestroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
