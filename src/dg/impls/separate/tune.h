/*
  The empirical optimiser of section 6: the choices of type separate are timed on the operator's own mesh, each kernel
  by itself, and kept in an archive.
*/
#pragma once

#include "separateimpl.h"

/* A row of the archive's table: a kernel, its choices and its time. On several processes: the longest time, and sums of
   bytes and flops */
typedef struct {
  int    part; /* PlexDGPartKind */
  int    microblock, align;
  int    way;                    /* of the gather PlexDGGatherWay, of lift and differentiation PlexDGShared */
  int    partition, microblocks; /* of the gather by blocks */
  int    parallel, inlined, sequential, rows;
  double seconds; /* of all elements, the median; 0: does not run here */
  double bytes, flops;
} PlexDGCandidate;

/* What has to agree for a result of tuning to apply */
typedef struct {
  char     device[256], backend[32], version[32], precision[16], system[64];
  char     fixed[512]; /* what options have set, and is not tuned */
  PetscInt dim, degree;
} PlexDGTuneKey;

typedef struct {
  PlexDGTuneKey    key;
  double           elements; /* of a process, the mean; within a factor of sqrt(2) it is of use */
  PetscInt         processes, skipped;
  double           budget, spent; /* seconds */
  char             date[32];      /* UTC */
  PetscInt         n;
  PlexDGCandidate *candidates; /* [n] */
} PlexDGTuneResult;

/* ---- search.c */
/* Collective: what is not fixed is varied and measured, as far as the budget goes */
PETSC_INTERN PetscErrorCode PlexDGSearch_Private(PlexDG, PlexDGSeparate *, const PlexDGFixed *, PlexDGTuneResult *);
/* The line of the table with the least sum of times; *found is false where some kernel was not measured for any size of
   microblocks */
PETSC_INTERN PetscErrorCode PlexDGTuneBest_Private(PlexDG, const PlexDGTuneResult *, PlexDGTable *, double *seconds,
                                                   PetscBool *found);

/* ---- archive.c: not collective. In a file of text, that of assembly's tuning if it is wanted */
PETSC_INTERN PetscErrorCode PlexDGArchiveFind_Private(const char path[], const PlexDGTuneKey *, double elements,
                                                      PlexDGTuneResult *, PetscBool *found);
PETSC_INTERN PetscErrorCode PlexDGArchiveAdd_Private(const char path[], const PlexDGTuneResult *, const char **why,
                                                     PetscBool *written);
