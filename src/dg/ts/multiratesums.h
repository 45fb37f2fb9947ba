/* Arrays and sums of local time steps; multiratesums.c */
#pragma once

#include "tsimpl.h"
#include <dg/multirate_args.h>

typedef struct _n_PlexMultirate *PlexMultirate;
struct _n_PlexMultirate {
  PlexDG      dg; /* not owned */
  PlexBackend backend;
  PetscInt    nlevels, size; /* values of an element */
  size_t      n;             /* values of a state */
  /* in the backend's memory, [Ne][Nf][Np]: derivatives in time above the state's own, and the mean of the state over a
     step */
  double *rates[PLEX_MULTIRATE_ORDER - 1], *mean;
  /* [nlevels] of level l: elements beside level l + 1, and beside level l - 1 */
  PlexDGMultirateKept *kept;
  PlexDGMultirateHalf *half;
  PlexArray            solution; /* the TS's vector */
  PetscInt64           bytes;    /* of these arrays */
  PlexModule           module;
  PlexKernel           sum, keep, evaluate, halve;
};
/* For an operator that is set up, whose arrays these are as long as it is not reset */
PETSC_INTERN PetscErrorCode PlexMultirateCreate_Private(PlexDG, PlexMultirate *);
PETSC_INTERN PetscErrorCode PlexMultirateDestroy_Private(PlexMultirate *);
/* out = sum of c_j in_j at all values of a level */
PETSC_INTERN PetscErrorCode PlexMultirateSum_Private(PlexMultirate, PetscInt level, const PlexDGMultirateSum *);
/* Keeps the derivatives of u, rates[], of the elements of level l beside finer ones; evaluates what is kept */
PETSC_INTERN PetscErrorCode PlexMultirateKeep_Private(PlexMultirate, PetscInt level, const double *u);
PETSC_INTERN PetscErrorCode PlexMultirateEvaluate_Private(PlexMultirate, PetscInt level, const PlexDGMultirateValues *);
/* Of the means of elements of level l beside coarser ones, of the first or the second one of two steps */
PETSC_INTERN PetscErrorCode PlexMultirateHalf_Private(PlexMultirate, PetscInt level, PetscBool ends);
