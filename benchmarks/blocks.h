/* A box in blocks of equal shape, one a process: made by process 0, distributed, refined by all, so that none ever
   holds more than its part of the fine one */
#ifndef BENCH_BLOCKS_H
#define BENCH_BLOCKS_H

#include <petscdmplex.h>

/* Near-cubic blocks, or squares: each prime factor of the number of processes goes to the axis, of dim, with the fewest
   so far */
static inline void BlocksMakeGrid(PetscInt dim, PetscInt size, PetscInt grid[3])
{
  grid[0] = grid[1] = grid[2] = 1;
  for (PetscInt factor = 2; size > 1;) {
    PetscInt d = 0;

    if (size % factor) {
      ++factor;
      continue;
    }
    for (PetscInt k = 1; k < dim; ++k)
      if (grid[k] < grid[d]) d = k;
    grid[d] *= factor;
    size /= factor;
  }
}

/* n[0] x n[1] x n[2] unit cubes on process 0, each cut into the six tetrahedra around its diagonal, one for each way to
   go along the three axes from its first corner to its last; neighbours are cut alike, so faces meet */
static inline PetscErrorCode BlocksCreateTetrahedra(MPI_Comm comm, const PetscInt n[3], DM *dm)
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
          /* an even permutation of the axes, whose orientation is opposite to that of PETSc's reference cell */
          if (w < 3) {
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

/* n[0] x n[1] unit squares on process 0, each cut in two where wanted */
static inline PetscErrorCode BlocksCreateSquares(MPI_Comm comm, const PetscInt n[2], PetscBool triangles, DM *dm)
{
  const PetscInt stride = n[0] + 1, nc = triangles ? 3 : 4;
  PetscMPIInt    rank;
  PetscInt       Ne = 0, Nx = 0, *cells, *cell;
  PetscReal     *x, *at;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    Ne = (triangles ? 2 : 1) * n[0] * n[1];
    Nx = stride * (n[1] + 1);
  }
  PetscCall(PetscMalloc2(nc * Ne, &cells, 2 * Nx, &x));
  cell = cells;
  at   = x;
  for (PetscInt j = 0; j <= n[1] && !rank; ++j) {
    for (PetscInt i = 0; i <= n[0]; ++i) {
      const PetscInt first = i + j * stride, corners[4] = {first, first + 1, first + 1 + stride, first + stride};

      *at++ = i;
      *at++ = j;
      if (i == n[0] || j == n[1]) continue;
      for (PetscInt half = 0; half < (triangles ? 2 : 1); ++half)
        for (PetscInt v = 0; v < nc; ++v) *cell++ = corners[(v + 2 * half) % 4];
    }
  }
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 2, Ne, Nx, nc, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each cell of the mesh on process 0 goes to the process whose block its centroid is in */
static inline PetscErrorCode BlocksDistribute(const PetscInt grid[3], const PetscInt n[3], DM *dm)
{
  PetscPartitioner part;
  PetscMPIInt      size;
  PetscInt         cStart, cEnd, *owner, *sizes, *start, *points;
  DM               distributed;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc2(cEnd - cStart, &owner, cEnd - cStart, &points));
  PetscCall(PetscCalloc2(size, &sizes, size + 1, &start));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal centroid[3] = {0., 0., 0.};
    PetscInt  block[3];

    PetscCall(DMPlexComputeCellGeometryFVM(*dm, c, NULL, centroid, NULL));
    for (PetscInt d = 0; d < 3; ++d)
      block[d] = PetscMin(grid[d] - 1, (PetscInt)(PetscFloorReal(centroid[d]) * grid[d] / n[d]));
    owner[c - cStart] = (block[2] * grid[1] + block[1]) * grid[0] + block[0];
    ++sizes[owner[c - cStart]];
  }
  for (PetscMPIInt p = 0; p < size; ++p) start[p + 1] = start[p] + sizes[p];
  for (PetscInt c = cStart; c < cEnd; ++c) points[start[owner[c - cStart]]++] = c;
  PetscCall(DMPlexGetPartitioner(*dm, &part));
  PetscCall(PetscPartitionerSetType(part, PETSCPARTITIONERSHELL));
  PetscCall(PetscPartitionerShellSetPartition(part, size, sizes, points));
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &distributed));
  if (distributed) {
    PetscCall(DMDestroy(dm));
    *dm = distributed;
  }
  PetscCall(PetscFree2(owner, points));
  PetscCall(PetscFree2(sizes, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BlocksRefine(PetscInt levels, DM *mesh)
{
  DM next;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < levels; ++l) {
    PetscCall(DMPlexSetRefinementUniform(*mesh, PETSC_TRUE));
    PetscCall(DMRefine(*mesh, PETSC_COMM_WORLD, &next));
    PetscCall(DMDestroy(mesh));
    *mesh = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
