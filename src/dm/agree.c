/* Makes known to all processes what one of them finds, so that all take the same branch. */
#include "elementsimpl.h"

PetscErrorCode PlexFindFirst(MPI_Comm comm, PetscBool here, PetscMPIInt *rank)
{
  PetscMPIInt mine, size, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &mine));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (!here) mine = size;
  PetscCallMPI(MPIU_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  *rank = first < size ? first : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAgreeOnText(MPI_Comm comm, char **text)
{
  PetscMPIInt first, rank, length = 0;
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PlexFindFirst(comm, (PetscBool)(*text != NULL), &first));
  if (first < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == first) {
    PetscCall(PetscStrlen(*text, &n));
    PetscCall(PetscMPIIntCast((PetscInt)n + 1, &length));
  } else PetscCall(PetscFree(*text));
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, first, comm));
  if (rank != first) PetscCall(PetscMalloc1(length, text));
  PetscCallMPI(MPI_Bcast(*text, length, MPI_CHAR, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
