/* Shared by the files of benchmarks/hdgcg/ */
#pragma once

#include "cg.h"
#include "../../src/hdg/hdgimpl.h"

typedef struct {
  PlexHDGKernel condense, recover;
} PlexHDGCGKernels;

/* cgnumber.c */
PETSC_INTERN PetscErrorCode PlexHDGCGNumber_Private(PlexHDGCG);
/* cgplan.c: A, vectors, and the KSP */
PETSC_INTERN PetscErrorCode PlexHDGCGSetUpMatrix_Private(PlexHDGCG);
/* cghost.c: the stages by BLAS and LAPACK */
PETSC_INTERN PetscErrorCode PlexHDGCGCondense_Host(PlexHDGCG, const PlexHDGCGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGCGRecover_Host(PlexHDGCG, const PlexHDGCGArgs *);

/* Registered with the first PlexHDGCG */
extern PetscLogEvent PLEX_HDGCGLocal, PLEX_HDGCGAssemble, PLEX_HDGCGSolve, PLEX_HDGCGRecover;
