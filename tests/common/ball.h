/* Balls, and what scatters waves in them: for tests of far fields and sources of Maxwell's equations */
#pragma once

#include <petscdmplex.h>
#include <complex.h>
#undef I

/*
  A ball of n shells of tetrahedra, the outside of shell l being the sphere of radius[l], l from 1 to n: a cube of 2 n
  cells a side whose vertices are moved to the spheres. Without the shells up to `hollow`, 0 for all of it. Label "shell"
  has the number of each cell's shell; label "sphere" of each facet on a sphere its number. On several processes the
  first has all cells.
*/
PetscErrorCode PlexTestBall(MPI_Comm comm, PetscInt n, const PetscReal radius[], PetscInt hollow, DM *dm);
/* Multiplies a radius by what the facets on sphere `number` need to surround the volume of the sphere */
PetscErrorCode PlexTestBallRadius(PetscInt number, PetscReal *radius);

/*
  Mie's series (Bohren and Huffman, chapter 4): amplitudes S[0], in the plane of the incident magnetic field, and S[1], of
  the electric one, at an angle from the direction of a wave of wavenumber k that a sphere of radius a scatters. The
  sphere is a perfect conductor, or has the refractive index m, where the conductivity is in its imaginary part; mu is
  that of its surroundings. Cross-sections are 4 pi |S|^2/k^2.
*/
PetscErrorCode PlexTestMie(PetscReal k, PetscReal a, PetscBool conductor, double _Complex m, PetscReal angle,
                           double _Complex S[2]);
