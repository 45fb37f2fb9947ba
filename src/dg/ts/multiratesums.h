/* Arrays and sums of local time steps; multiratesums.c */
#pragma once

#include "tsimpl.h"
#include <dg/multirate_args.h>

/* What sources, and boundaries with values of their own, add to rates; multiratesources.c */
typedef struct _n_PlexMultirateSources *PlexMultirateSources;

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
  PlexKernel           sum, keep, evaluate, halve, drive, sample;
  PlexMultirateSources sources;   /* NULL: none */
  const void          *constants; /* of the operator without these; NULL: as they are */
  /* variables of a perfectly matched layer: derivatives in time, and their mean over a step; NULL: there is none */
  double *layer[PLEX_MULTIRATE_ORDER - 1], *layerMean;
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
/* n values, by a kernel or, where there is none, a loop with ctx */
PETSC_INTERN PetscErrorCode PlexMultirateRun_Private(PlexKernel, long long n, void **arguments, PlexThreadsLoop,
                                                     void *ctx);

/* Sets `sources` and `constants`. Check: an error of an operator where that cannot be right */
PETSC_INTERN PetscErrorCode PlexMultirateSourcesCheck_Private(PlexDG, MPI_Comm);
PETSC_INTERN PetscErrorCode PlexMultirateSourcesCreate_Private(PlexMultirate);
PETSC_INTERN PetscErrorCode PlexMultirateSourcesDestroy_Private(PlexMultirate);
/* Samples of a level, whose step h begins at t; changes `mean` */
PETSC_INTERN PetscErrorCode PlexMultirateSourcesSample_Private(PlexMultirate, PetscInt level, PetscReal t, PetscReal h);
/* Adds to rates[][] of a level's elements their derivative k in time where its step begins, or, k = -1, h times their mean
   over the step */
PETSC_INTERN PetscErrorCode PlexMultirateSourcesAdd_Private(PlexMultirate, PetscInt level, PetscReal h, PetscInt k,
                                                            double *rates);
/* Elements of this process that have any */
PETSC_INTERN PetscInt64 PlexMultirateSourcesGetSize_Private(PlexMultirate);

/* Variables of a perfectly matched layer; multiratelayer.c. Differentiate: with derivative k of the state, u of k = 0, of
   levels that begin a step, their derivative k + 1; adds what they add to rates[k]. Mean: of a step h. Update: the end of the step,
   of u too */
PETSC_INTERN PetscErrorCode PlexMultirateLayerCreate_Private(PlexMultirate);
PETSC_INTERN PetscErrorCode PlexMultirateLayerDestroy_Private(PlexMultirate);
PETSC_INTERN PetscErrorCode PlexMultirateLayerDifferentiate_Private(PlexMultirate, PetscInt first, PetscInt last,
                                                                    PetscInt k, double *u);
PETSC_INTERN PetscErrorCode PlexMultirateLayerMean_Private(PlexMultirate, PetscInt level, PetscReal h);
PETSC_INTERN PetscErrorCode PlexMultirateLayerUpdate_Private(PlexMultirate, PetscInt level, PetscReal h, double *u);
/* A sum of values begin .. end */
PETSC_INTERN PetscErrorCode PlexMultirateSumRange_Private(PlexMultirate, long long begin, long long end,
                                                          const PlexDGMultirateSum *);
