/* Statically condensed continuous elements beside a hybridized DG discretization: shared by cg.c, cgplan.c and
   cgsolve.c */
#pragma once

#include "hdgimpl.h"

typedef struct {
  PlexHDGKernel condense, recover;
  PlexModule    module;
  PlexKernel    sums;
} PlexHDGCGKernels;

/* cgplan.c: A, and what its entries and those of the right-hand side sum */
PETSC_INTERN PetscErrorCode PlexHDGCGSetUpMatrix_Private(PlexHDGCG);
/* cghost.c: the stages by BLAS and LAPACK */
PETSC_INTERN PetscErrorCode PlexHDGCGCondense_Host(PlexHDGCG, const PlexHDGCGArgs *);
PETSC_INTERN PetscErrorCode PlexHDGCGRecover_Host(PlexHDGCG, const PlexHDGCGArgs *);
