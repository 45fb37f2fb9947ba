/* Balls of tetrahedra: for tests of far fields and sources of Maxwell's equations */
#pragma once

#include <petscdmplex.h>

/*
  A ball of n shells of tetrahedra, the outside of shell l being the sphere of radius[l], l from 1 to n: a cube of 2 n
  cells a side whose vertices are moved to the spheres. Without the shells up to `hollow`, 0 for all of it. Label "shell"
  has the number of each cell's shell; label "sphere" of each facet on a sphere its number. On several processes the
  first has all cells.
*/
PetscErrorCode PlexTestBall(MPI_Comm comm, PetscInt n, const PetscReal radius[], PetscInt hollow, DM *dm);
/* Multiplies a radius by what the facets on sphere `number` need to surround the volume of the sphere */
PetscErrorCode PlexTestBallRadius(PetscInt number, PetscReal *radius);
