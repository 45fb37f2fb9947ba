/* The unit square or cube cut into triangles or tetrahedra, for programs that need no mesh file */
#ifndef PLEX_BOX_H
#define PLEX_BOX_H

#include <petscdmplex.h>

/* n[dim] cells along the sides, each of them a square or cube of size 1/n[0] in 2 triangles or 6 tetrahedra: paths from the
   first corner of a cell to its last along the axes. The first process has all of it. */
static inline PetscErrorCode BoxCreateLong(MPI_Comm comm, PetscInt dim, const PetscInt n[], DM *dm)
{
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {1, 0, 2},
    {1, 2, 0},
    {2, 1, 0},
    {2, 0, 1},
    {0, 2, 1}
  }; /* even and odd in turns */
  const PetscInt side[3] = {n[0] + 1, n[1] + 1, dim == 3 ? n[2] + 1 : 1}, nv = side[0] * side[1] * side[2],
                 each = dim == 2 ? 2 : 6, nc = n[0] * n[1] * (dim == 3 ? n[2] : 1) * each,
                 stride[3] = {1, side[0], side[0] * side[1]};
  PetscInt      *cells;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(nc * (dim + 1), &cells, nv * dim, &x));
  for (PetscInt v = 0; v < nv; ++v)
    for (PetscInt d = 0, rest = v; d < dim; rest /= side[d++]) x[v * dim + d] = (rest % side[d]) / (PetscReal)n[0];
  for (PetscInt c = 0; c < nc; ++c) {
    const PetscInt cube = c / each, *path = paths[c % each],
                   first = cube % n[0] + cube / n[0] % n[1] * stride[1] + cube / n[0] / n[1] * stride[2];
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

/* n cells a side of the unit square or cube */
static inline PetscErrorCode BoxCreate(MPI_Comm comm, PetscInt dim, PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(BoxCreateLong(comm, dim, (PetscInt[3]){n, n, n}, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
