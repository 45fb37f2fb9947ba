/* A box of tetrahedra */
#ifndef BENCH_TETRAHEDRA_H
#define BENCH_TETRAHEDRA_H

#include <petscdmplex.h>

/* n[0] x n[1] x n[2] unit cubes on process 0, each cut into the six tetrahedra around its diagonal, one for each way to go along
   the three axes from its first corner to its last; neighbours are cut alike, so faces meet */
static PetscErrorCode MeshTetrahedra(MPI_Comm comm, const PetscInt n[3], DM *dm)
{
  const PetscInt ways[6][3] = {
    {0, 1, 2},
    {1, 2, 0},
    {2, 0, 1},
    {0, 2, 1},
    {2, 1, 0},
    {1, 0, 2}
  };
  const PetscInt stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
  PetscMPIInt    rank;
  PetscInt       Ne = 0, Nx = 0, *cells, *cell;
  PetscReal     *x, *at;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    Ne = 6 * n[0] * n[1] * n[2];
    Nx = stride[2] * (n[2] + 1);
  }
  PetscCall(PetscMalloc2(4 * Ne, &cells, 3 * Nx, &x));
  cell = cells;
  at   = x;
  for (PetscInt k = 0; k <= n[2] && !rank; ++k) {
    for (PetscInt j = 0; j <= n[1]; ++j) {
      for (PetscInt i = 0; i <= n[0]; ++i) {
        *at++ = i;
        *at++ = j;
        *at++ = k;
        if (i == n[0] || j == n[1] || k == n[2]) continue;
        for (PetscInt w = 0; w < 6; ++w, cell += 4) {
          cell[0] = i + j * stride[1] + k * stride[2];
          for (PetscInt c = 0; c < 3; ++c) cell[c + 1] = cell[c] + stride[ways[w][c]];
          if (w < 3) { /* an even permutation of the axes, whose orientation is opposite to that of PETSc's reference cell */
            const PetscInt first = cell[0];

            cell[0] = cell[1];
            cell[1] = first;
          }
        }
      }
    }
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, Ne, Nx, 4, PETSC_TRUE, cells, 3, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
