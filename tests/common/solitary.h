/* A solitary wave that runs up a plane beach: Synolakis (1987), J. Fluid Mech. 185. Lengths are in depths d of the sea
   off the beach, times in sqrt(d/g), velocities in sqrt(g d). The shore at rest is x = 0, the sea at x > 0:

     depth = x/cot for x < cot,   1 from the toe x = cot on

   At first the wave has its crest at X, so far out that it is a twentieth as high at the toe: cot + acosh(sqrt(20))/k,

     eta = H / cosh(k (x - X))^2,   k = sqrt(3 H/4),   velocity -eta

   Shallow water: the solution is linear from the toe on; on the beach it is the nonlinear one of the waves that the
   linear one has at the toe. It is not exact: waves off the beach are, to first order in H. */
#pragma once

#include <petscsys.h>

#define PLEX_TEST_COT 19.85 /* of the slope of the beach */

typedef struct {
  PetscReal  height, center, decay; /* H, X, k */
  PetscInt   n;                     /* wave numbers */
  PetscReal *number;                /* [n] */
  PetscReal *wave;                  /* [n][2] complex amplitudes at the shore, those of J0(2 number sqrt(x cot)) */
  PetscReal *toe;                   /* [n][2] of the wave that leaves the toe */
  PetscReal *bessel;                /* [points][n][2] J0, and 2 J1 over sigma, at points of equal distances in sigma */
  PetscReal  time;                  /* of what follows, set by PlexTestSolitarySetTime() */
  PetscReal *x, *eta;               /* [points] of the beach: positions from the shore on, and elevations there */
} PlexTestSolitary;

PetscErrorCode PlexTestSolitaryCreate(PetscReal H, PlexTestSolitary *wave);
PetscErrorCode PlexTestSolitaryDestroy(PlexTestSolitary *wave);

PetscReal PlexTestBeachDepth(PetscReal x);
PetscReal PlexTestSolitaryInitial(const PlexTestSolitary *wave, PetscReal x);

/* The elevation at a place and the time that was set, where there is no water that of the ground */
PetscErrorCode PlexTestSolitarySetTime(PlexTestSolitary *wave, PetscReal t);
PetscReal      PlexTestSolitaryElevation(const PlexTestSolitary *wave, PetscReal x);
/* The highest ground that it reaches */
PetscReal PlexTestSolitaryRunup(const PlexTestSolitary *wave);
