/* Fields on a surface, transformed in time, and what they are far away: shared by farfield.c, farpattern.c and
   farcheckpoint.c */
#pragma once

#include "outputimpl.h"

#define PLEX_DFT_SAMPLES     8                      /* summed at once: cuda/dg/farfield.cu */
#define PLEX_DFT_FREQUENCIES 4000                   /* at most: an attribute of HDF5 has 64 kB */
#define PLEX_DFT_PLACES      (PLEX_DFT_SAMPLES + 1) /* of samples */

/*
  A sample is the fields at the nodes of the surface's sides, [sides][Nf][Nfp], n values in all; n of this process. The
  integral of u exp(i w t) dt is a sum by the trapezoidal rule: a sample's weight is known when the next one is there, so
  the last one waits.
*/
struct _n_PlexDGFarField {
  PlexDG         dg;     /* referenced */
  PetscInt64     resets; /* of it, when this was made */
  PlexBackend    backend;
  PlexDGFarField next; /* of the operator's list */
  char          *label;
  PetscInt       value;
  PlexDGSurface  surface;
  PetscBool      wave;        /* one comes in */
  PetscReal      epsilon, mu; /* around the surface */
  PetscInt       nf;
  PetscReal     *frequencies;    /* [nf] angular */
  PetscReal      start;          /* samples before this time are left out */
  PetscInt       every;          /* steps of a TS between samples */
  PetscInt       angles, halves; /* directions of a file */
  PetscInt       n;
  PetscBool      skipped; /* there were samples before the start */
  /* in the backend's memory: [sides], [faces][Nfp], [PLACES][n], [SAMPLES][nf][2], [nf][2][n] */
  int       *traces, *faceNodes;
  double    *samples, *weights, *sums;
  PlexModule module[2];
  PlexKernel pack, dft;
  PetscInt   first, count;           /* the place of the first sample that is not summed yet, and how many there are */
  PetscReal  times[PLEX_DFT_PLACES]; /* of these */
  PetscReal  before;                 /* of the sample before the first of these; that itself where there is none */
  PetscInt   total;                  /* samples so far */
  PetscReal *spectrum;               /* [nf][2] of the incident wave at x = 0, likewise */
};

/* An error where the operator was changed since */
PETSC_INTERN PetscErrorCode PlexDGFarFieldCheck_Private(PlexDGFarField);
/* Sums with the part of the sample that waits: sums[nf][2][n], spectrum[nf][2] on the host; or NULL */
PETSC_INTERN PetscErrorCode PlexDGFarFieldGetSums_Private(PlexDGFarField, double sums[], PetscReal spectrum[]);
/* Sums all samples but the last */
PETSC_INTERN PetscErrorCode PlexDGFarFieldFlush_Private(PlexDGFarField);
