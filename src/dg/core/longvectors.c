/*
  Vectors of which a process has more entries than BLAS counts.

  A PETSc with 64-bit indices has long vectors, and most have BLAS with numbers of 32 bits: VecNorm() and VecAXPY() of
  more than 2^31 - 1 entries of a process are errors there. Here the norm is that of pieces, sqrt(sum of squares of their
  norms), and a sum is a loop. Shorter vectors are PETSc's.
*/
#include "coreimpl.h"
#include <petscblaslapack.h>

PetscErrorCode PlexDGVecNorm(Vec v, PetscInt64 most, PetscReal *norm)
{
  const PetscScalar *x;
  const PetscBLASInt one = 1;
  PetscInt           N, n;
  PetscInt64         longest;
  PetscReal          sum = 0.;

  PetscFunctionBegin;
  PetscCall(VecGetSize(v, &N));
  PetscCall(VecGetLocalSize(v, &n));
  longest = N;
  if (longest > most) { /* a process may have less; all do the same */
    longest = n;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &longest, 1, MPIU_INT64, MPI_MAX, PetscObjectComm((PetscObject)v)));
  }
  if (longest <= most) {
    PetscCall(VecNorm(v, NORM_2, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt64 first = 0; first < n; first += most) {
    const PetscBLASInt piece = (PetscBLASInt)PetscMin(most, (PetscInt64)n - first);

    sum += PetscSqr(BLASnrm2_(&piece, x + first, &one));
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)v)));
  *norm = PetscSqrtReal(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGVecAXPBY(Vec y, PetscScalar a, PetscScalar b, Vec x, PetscInt64 most)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  if (n <= most) {
    if (b == 1.) PetscCall(VecAXPY(y, a, x));
    else PetscCall(VecAXPBY(y, a, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  if (b == 0.) /* what is there need not be a number */
    for (PetscInt k = 0; k < n; ++k) to[k] = a * from[k];
  else
    for (PetscInt k = 0; k < n; ++k) to[k] = a * from[k] + b * to[k];
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}
