/* Meshes of round things, with straight sides */
#pragma once

#include <petscdmplex.h>

/* Triangles between the circles of radius `inner` (0: a disk) and 1: `rings` of them, ring k of which has 6 (k + 1)
   vertices outside; those of a disk's inner half are left out where inner is 0.5. Facets on the boundary have "Face Sets" 1 outside
   and 2 inside. On several processes the first has all cells */
PetscErrorCode PlexTestDisk(MPI_Comm comm, PetscInt rings, PetscBool hole, DM *dm);
/* Tetrahedra between the spheres of radius 0.5 and 1, on an octahedron whose edges are cut into n, in `layers`;
   likewise */
PetscErrorCode PlexTestShell(MPI_Comm comm, PetscInt n, PetscInt layers, DM *dm);
/* Parts on all processes, from a mesh that the first has; nothing on one process */
PetscErrorCode PlexTestSpread(DM *dm);
