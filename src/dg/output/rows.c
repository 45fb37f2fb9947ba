/*
  Rows of a file that elements or facets know by keys: each process reads a share of them, finds out whose they are, and
  sends them there
*/
#include "outputimpl.h"

static int PlexDGCompareKeys(const void *a, const void *b, void *ctx)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  (void)ctx;
  return x < y ? -1 : x > y;
}

/* 16 bytes for each of all keys */
PetscErrorCode PlexDGCheckpointFindKeys_Private(MPI_Comm comm, PetscInt nall, PetscInt n, const PetscInt64 keys[],
                                                PetscInt nmine, const PetscInt64 mine[], PetscInt rows[],
                                                PetscInt *missing)
{
  PetscInt64  *all;
  PetscInt    *row;
  PetscMPIInt *counts, *starts, size, count;

  PetscFunctionBegin;
  *missing = -1;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(nall, &count)); /* where they begin is counted so, too */
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc4(nall, &all, nall, &row, size, &counts, size, &starts));
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm));
  starts[0] = 0;
  for (PetscMPIInt r = 1; r < size; ++r) starts[r] = starts[r - 1] + counts[r - 1];
  PetscCallMPI(MPI_Allgatherv(keys, count, MPIU_INT64, all, counts, starts, MPIU_INT64, comm));
  for (PetscInt k = 0; k < nall; ++k) row[k] = k;
  PetscCall(PetscTimSortWithArray(nall, all, sizeof(*all), row, sizeof(*row), PlexDGCompareKeys, NULL));
  for (PetscInt e = 0; e < nmine; ++e) {
    PetscInt low = 0, high = nall;

    while (high - low > 1) {
      const PetscInt middle = low + (high - low) / 2;

      if (all[middle] <= mine[e]) low = middle;
      else high = middle;
    }
    rows[e] = row[low];
    if (all[low] != mine[e]) *missing = e;
  }
  PetscCall(PetscFree4(all, row, counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each process reads a share of the rows. Then rows of n numbers go to the processes that own their elements: from[] as
   read, to[] by own element */
PetscErrorCode PlexDGCheckpointSend_Private(PetscSF sf, PetscInt n, const PetscReal from[], PetscReal to[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)n, MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(sf, unit, from, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, from, to, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
