/* Meshes of triangles and quadrilaterals */
#pragma once

#include <petscdmplex.h>

typedef enum {
  PLEX_TEST_MIX_RANDOM, /* half of the squares are two triangles, all over the mesh */
  PLEX_TEST_MIX_ROWS, /* those of the lower third are: where n is 6, half of the cells, so that 2 processes have a kind each */
  PLEX_TEST_MIX_APART,   /* all squares are, and another mesh of quadrilaterals, without a common face, lies beside */
  PLEX_TEST_MIX_ALL,     /* all squares are */
  PLEX_TEST_MIX_PERIODIC /* as RANDOM, on a torus, where there are no sides */
} PlexTestMix;

/* n x n squares of the unit square, whose vertices inside are moved. Label "sides" as PlexTestLabelSides() sets it. On
   several processes the first has all cells; Distribute: of PETSC_COMM_WORLD, distributed */
PetscErrorCode PlexTestMixedCreate(MPI_Comm comm, PlexTestMix mix, PetscInt n, DM *dm);
PetscErrorCode PlexTestMixedDistribute(PlexTestMix mix, PetscInt n, DM *dm);
