#include "ball.h"
#include "examples/shells.h"

/* Number of the vertex with these coordinates, each from -n to n */
static PetscInt BallVertex(PetscInt n, const PetscInt at[3])
{
  return ((at[2] + n) * (2 * n + 1) + at[1] + n) * (2 * n + 1) + at[0] + n;
}

static PetscInt BallLevel(const PetscInt at[3])
{
  return PetscMax(PetscAbsInt(at[0]), PetscMax(PetscAbsInt(at[1]), PetscAbsInt(at[2])));
}

/* The six tetrahedra of a cell of an octant, paths along the axes away from 0: each has a vertex inside its shell. The
   cell is from low on, outwards */
static void BallCell(PetscInt n, const PetscInt low[3], const PetscInt sign[3], PetscInt cells[6][4])
{
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {1, 0, 2},
    {1, 2, 0},
    {2, 1, 0},
    {2, 0, 1},
    {0, 2, 1}
  };

  for (int c = 0; c < 6; ++c) {
    PetscInt at[3];

    for (int v = 0; v < 4; ++v) {
      for (int d = 0; d < 3; ++d) at[d] = low[d];
      for (int w = 0; w < v; ++w) ++at[paths[c][w]];
      for (int d = 0; d < 3; ++d) at[d] *= sign[d];
      cells[c][v] = BallVertex(n, at);
    }
    if ((c % 2 == 0) == (sign[0] * sign[1] * sign[2] > 0)) { /* PETSc's tetrahedra */
      const PetscInt swap = cells[c][1];

      cells[c][1] = cells[c][2];
      cells[c][2] = swap;
    }
  }
}

PetscErrorCode PlexTestBall(MPI_Comm comm, PetscInt n, const PetscReal radius[], PetscInt hollow, DM *dm)
{
  const PetscInt side = 2 * n + 1, all = side * side * side;
  PetscInt (*cells)[4], *number, *level, *used, nc = 0, nv = 0, at[3], sign[3];
  PetscReal  *x;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc5(48 * n * n * n, &cells, all, &number, all, &level, all, &used, 3 * all, &x));
  for (int octant = 0; octant < 8; ++octant) {
    for (int d = 0; d < 3; ++d) sign[d] = octant >> d & 1 ? -1 : 1;
    for (at[2] = 0; at[2] < n; ++at[2])
      for (at[1] = 0; at[1] < n; ++at[1])
        for (at[0] = 0; at[0] < n; ++at[0])
          if (BallLevel(at) + 1 > hollow) {
            BallCell(n, at, sign, &cells[nc]);
            nc += 6;
          }
  }
  for (PetscInt v = 0; v < all; ++v) number[v] = -1;
  for (PetscInt c = 0; c < 4 * nc; ++c) number[cells[c / 4][c % 4]] = 0;
  for (PetscInt v = 0; v < all; ++v) {
    PetscReal size = 0.;

    if (number[v] < 0) continue;
    at[0] = v % side - n;
    at[1] = v / side % side - n;
    at[2] = v / side / side - n;
    for (int d = 0; d < 3; ++d) size += at[d] * at[d];
    level[nv] = BallLevel(at);
    for (int d = 0; d < 3; ++d) x[3 * nv + d] = level[nv] ? radius[level[nv]] * at[d] / PetscSqrtReal(size) : 0.;
    number[v] = nv++;
  }
  for (PetscInt c = 0; c < 4 * nc; ++c) cells[c / 4][c % 4] = number[cells[c / 4][c % 4]];
  PetscCall(DMPlexCreateFromCellListPetsc(comm, 3, rank ? 0 : nc, rank ? 0 : nv, 4, PETSC_TRUE, &cells[0][0], 3, x,
                                          dm));
  PetscCall(ShellsSetLabels(level, *dm));
  PetscCall(PetscFree5(cells, number, level, used, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestBallRadius(PetscInt number, PetscReal *radius)
{
  PetscReal *radii, volume = 0.;
  PetscInt   cStart, cEnd;
  DM         dm;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(number + 1, &radii));
  for (PetscInt l = 0; l <= number; ++l) radii[l] = (PetscReal)l / number;
  PetscCall(PlexTestBall(PETSC_COMM_SELF, number, radii, 0, &dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal part;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, &part, NULL, NULL));
    volume += part;
  }
  *radius *= PetscPowReal(4. / 3. * PETSC_PI / volume, 1. / 3.);
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFree(radii));
  PetscFunctionReturn(PETSC_SUCCESS);
}
