/* Sizes of arrays and vectors: whether they are what they have to be */
#include "coreimpl.h"

/* Products of numbers that 32 bits have to hold, and 64 do */
PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(n * each <= PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt64_FMT " times %" PetscInt64_FMT
             " %s are more than %d, what one process can have: use more processes, or a lower degree",
             n, each, what, PETSC_INT32_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckVec_Private(PlexDG dg, Vec v)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  if (n == PlexDGGetLocalSize(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->parts[0], PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A vector has %" PetscInt_FMT " entries here, and the operator %" PetscInt_FMT
             " values: use PlexDGCreateVec()",
             n, PlexDGGetLocalSize(dg));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
          "A vector has %" PetscInt_FMT " entries here, and the operator %" PetscInt_FMT " elements of %" PetscInt_FMT
          " fields at %" PetscInt_FMT " nodes: use PlexDGCreateVec()",
          n, dg->mesh->Ne, dg->system->Nf, dg->reference->Np);
}
