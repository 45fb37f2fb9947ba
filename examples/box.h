/* The unit square or cube cut into triangles or tetrahedra, for programs that need no mesh file */
#ifndef PLEX_BOX_H
#define PLEX_BOX_H

#include <petscdmplex.h>

/* n cells a side, each of them 2 triangles or 6 tetrahedra: paths from the first corner of a cell to its last along the
   axes. The first process has all of it. */
static inline PetscErrorCode BoxCreate(MPI_Comm comm, PetscInt dim, PetscInt n, DM *dm)
{
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {1, 0, 2},
    {1, 2, 0},
    {2, 1, 0},
    {2, 0, 1},
    {0, 2, 1}
  }; /* even and odd in turns */
  const PetscInt side = n + 1, nv = side * side * (dim == 3 ? side : 1), each = dim == 2 ? 2 : 6,
                 nc = n * n * (dim == 3 ? n : 1) * each, stride[3] = {1, side, side * side};
  PetscInt      *cells;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(nc * (dim + 1), &cells, nv * dim, &x));
  for (PetscInt v = 0; v < nv; ++v)
    for (PetscInt d = 0, rest = v; d < dim; ++d, rest /= side) x[v * dim + d] = (rest % side) / (PetscReal)n;
  for (PetscInt c = 0; c < nc; ++c) {
    const PetscInt cube = c / each, *path = paths[c % each],
                   first = cube % n + cube / n % n * side + (dim == 3 ? cube / n / n * side * side : 0);
    PetscInt      *cell  = &cells[c * (dim + 1)];

    cell[0] = first;
    for (PetscInt v = 1; v <= dim; ++v) cell[v] = cell[v - 1] + stride[path[v - 1]];
    /* as PETSc has them: triangles turn left, the first face of tetrahedra does seen from outside */
    if (c % 2 == (dim == 2)) {
      const PetscInt swap = cell[1];

      cell[1] = cell[2];
      cell[2] = swap;
    }
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, dim, rank ? 0 : nc, rank ? 0 : nv, dim + 1, PETSC_TRUE, cells, dim, x,
                                          dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
