/* Small unstructured meshes for tests. */
#pragma once

#include <petscdmplex.h>

/*
  An irregular mesh of nine segments or 20 to 40 triangles, quadrilaterals, tetrahedra or hexahedra. Vertices inside have differing
  numbers of cells around them, the vertices of each cell are rotated at random, so faces meet in all orientations,
  cells and vertices are numbered at random, and vertices are moved. Another variant is another mesh; the same variant
  always is the same one. The label "boundary" holds 1 on all points of the boundary. On several processes the first has
  all cells.
*/
PetscErrorCode PlexTestMesh(MPI_Comm comm, DMPolytopeType ct, PetscInt variant, DM *dm);
/* Layers of prisms over the irregular triangles of PlexTestMesh(), without their labels */
PetscErrorCode PlexTestPrisms(PetscInt layers, DM *dm);

/* The same mesh, or nine segments, bent in a space of more dimensions: a surface, or a curve */
PetscErrorCode PlexTestMeshInSpace(MPI_Comm comm, DMPolytopeType ct, PetscInt space, PetscInt variant, DM *dm);

/* n triangles around one vertex, with that label */
PetscErrorCode PlexTestFan(MPI_Comm comm, PetscInt n, DM *dm);

/* n hexahedra around one edge, likewise */
PetscErrorCode PlexTestHexahedronFan(MPI_Comm comm, PetscInt n, DM *dm);

/* n[0] n[1] n[2] hexahedra in a box, the first coordinate the fastest, or numbered at random, their vertices rotated at
   random and those inside moved, with that label */
PetscErrorCode PlexTestHexahedronBox(MPI_Comm comm, const PetscInt n[3], PetscBool shuffled, DM *dm);

/* The facets on the boundary, [n]; the caller frees them */
PetscErrorCode PlexTestGetBoundary(DM dm, PetscInt *n, PetscInt **facets);

/* The label of this name, made where there is none */
PetscErrorCode PlexTestGetLabel(DM dm, const char name[], DMLabel *label);

/* A mesh of the first process goes to all processes, by runs of cells (PETSCPARTITIONERSIMPLE) */
PetscErrorCode PlexTestDistributeDefault(DM *dm, PetscInt overlap);

/* Likewise, or all but the last where that is to be idle: cells in their order, equal shares */
PetscErrorCode PlexTestDistribute(DM *dm, PetscInt overlap, PetscBool idle);

/* Vectors and matrices of the DM are of CUDA types */
PetscErrorCode PlexTestUseDevice(DM dm);
