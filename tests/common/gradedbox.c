/* Boxes of simplices of different sizes: gradedbox.h */
#include "gradedbox.h"

/* x + strength sin(2 pi x)/(2 pi) in each coordinate: sizes are 1 - strength in the middle, 1 + strength at the sides */
static PetscErrorCode Grade(DM dm, PetscReal strength)
{
  Vec coordinates[2];

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates[0]));
  PetscCall(DMGetCellCoordinatesLocal(dm, &coordinates[1]));
  for (int k = 0; k < 2; ++k) {
    PetscScalar *x;
    PetscInt     n;

    if (!coordinates[k]) continue;
    PetscCall(VecGetLocalSize(coordinates[k], &n));
    PetscCall(VecGetArray(coordinates[k], &x));
    for (PetscInt i = 0; i < n; ++i) x[i] += strength * PetscSinReal(2. * PETSC_PI * x[i]) / (2. * PETSC_PI);
    PetscCall(VecRestoreArray(coordinates[k], &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestGradedBox(MPI_Comm comm, PetscInt dim, PetscInt n, PetscBool periodic, PetscReal strength,
                                 DM *dm)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PlexTestSimplexBox(comm, dim, n, periodic, dm));
  if (size > 1) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(Grade(*dm, strength));
  PetscFunctionReturn(PETSC_SUCCESS);
}
