/* Meshes of triangles and quadrilaterals */
#include "mixedmesh.h"
#include "dgproblem.h"

static PetscReal Random(PetscInt k)
{
  const PetscReal s = PetscSinReal(12.9898 * k + 4.1414) * 43758.5453;

  return s - PetscFloorReal(s);
}

/* Which corners of square (i, j) the cells have; sides differ in where cells begin and, some, in how they turn */
static PetscInt SquareCells(PetscInt square, PetscBool triangles, PetscInt sizes[2], PetscInt corners[2][4])
{
  const PetscInt first = (PetscInt)(4. * Random(3 * square)), n = triangles ? 2 : 1;

  for (PetscInt c = 0; c < n; ++c) {
    const PetscInt ring[4] = {first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4};
    const PetscInt begin   = (PetscInt)(3. * Random(5 * square + c));

    sizes[c] = triangles ? 3 : 4;
    for (PetscInt v = 0; v < sizes[c]; ++v) {
      const PetscInt w = triangles ? (v + begin) % 3 : v;

      corners[c][v] = !triangles ? ring[w] : c ? ring[(w + 2) % 4] : ring[w];
    }
    if (square % 5 == 3) { /* clockwise */
      const PetscInt v = corners[c][0];

      corners[c][0]            = corners[c][sizes[c] - 1];
      corners[c][sizes[c] - 1] = v;
      if (sizes[c] == 4) {
        const PetscInt w = corners[c][1];

        corners[c][1] = corners[c][2];
        corners[c][2] = w;
      }
    }
  }
  return n;
}

PetscErrorCode PlexTestMixedCreate(MPI_Comm comm, PlexTestMix mix, PetscInt n, DM *newdm)
{
  const PetscBool periodic = (PetscBool)(mix == PLEX_TEST_MIX_PERIODIC);
  const PetscInt  nv = n + !periodic, blocks = mix == PLEX_TEST_MIX_APART ? 2 : 1;
  PetscInt        sizes[2], corners[2][4], counts[2] = {0, 0}, size = 0, *coneSizes, *cones, *orientations;
  PetscReal      *x;
  PetscMPIInt     rank;
  DM              dm, interpolated;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(DMCreate(comm, &dm));
  PetscCall(DMSetType(dm, DMPLEX));
  PetscCall(DMSetDimension(dm, 2));
  PetscCall(DMSetCoordinateDim(dm, 2));
  counts[0] = rank ? 0 : nv * nv * blocks;
  PetscCall(PetscCalloc4(2 * n * n * blocks + counts[0], &coneSizes, 8 * n * n * blocks, &cones, 8 * n * n * blocks,
                         &orientations, 2 * counts[0], &x));
  for (PetscInt b = 0; b < blocks && !rank; ++b) {
    for (PetscInt s = 0; s < n * n; ++s) {
      const PetscInt  i = s % n, j = s / n, right = (i + 1) % nv, above = (j + 1) % nv,
                      corner[4] = {j * nv + i, j * nv + right, above * nv + right, above * nv + i};
      const PetscBool triangles = (PetscBool)(mix == PLEX_TEST_MIX_RANDOM || periodic ? Random(s + 77) < 0.5
                                              : mix == PLEX_TEST_MIX_ROWS             ? j < n / 3
                                                                                      : !b);
      const PetscInt  cells     = SquareCells(s, triangles, sizes, corners);

      for (PetscInt c = 0; c < cells; ++c) {
        coneSizes[counts[1]++] = sizes[c];
        for (PetscInt v = 0; v < sizes[c]; ++v) cones[size++] = b * nv * nv + corner[corners[c][v]];
      }
    }
    for (PetscInt v = 0; v < nv * nv; ++v) {
      const PetscInt  at[2]     = {v % nv, v / nv};
      const PetscBool inside[2] = {(PetscBool)(at[0] > 0 && at[0] < n), (PetscBool)(at[1] > 0 && at[1] < n)};

      for (PetscInt d = 0; d < 2; ++d)
        x[2 * (b * nv * nv + v) + d] = (at[d] + (inside[0] && inside[1] ? 0.3 * (Random(2 * v + d) - 0.5) : 0.)) / n +
                                       (d ? 0. : 2. * b);
    }
  }
  for (PetscInt k = 0; k < size; ++k) cones[k] += counts[1];
  PetscCall(DMPlexCreateFromDAG(dm, 1, counts, coneSizes, cones, orientations, x));
  PetscCall(PetscFree4(coneSizes, cones, orientations, x));
  PetscCall(DMPlexInterpolate(dm, &interpolated));
  PetscCall(DMDestroy(&dm));
  *newdm = interpolated;
  if (periodic) {
    const PetscReal most[] = {1.5 / n, 1.5 / n}, zero[] = {0., 0.}, length[] = {1., 1.};

    PetscCall(DMSetPeriodicity(*newdm, most, zero, length));
    PetscCall(DMLocalizeCoordinates(*newdm));
  } else PetscCall(PlexTestLabelSides(*newdm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMixedDistribute(PlexTestMix mix, PetscInt n, DM *dm)
{
  DM               parallel = NULL;
  PetscPartitioner partitioner;

  PetscFunctionBegin;
  PetscCall(PlexTestMixedCreate(PETSC_COMM_WORLD, mix, n, dm));
  if (mix == PLEX_TEST_MIX_ROWS) {
    PetscCall(DMPlexGetPartitioner(*dm, &partitioner));
    PetscCall(PetscPartitionerSetType(partitioner, PETSCPARTITIONERSIMPLE));
  }
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &parallel));
  if (parallel) {
    PetscCall(DMDestroy(dm));
    *dm = parallel;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
