/* Element vectors of larger elements, for which a team of threads would be needed: by sum factorization, a thread an
   element (cuda/integrate/lines_vector.cuh), or on tensor cores (cuda/integrate/units_vector.cuh) */
#pragma once

#include "lines.h"
#include "units.h"

/* Takes the variant "sumfactor" or "tensorcores" of a residual where one serves: product->variant, ->lines, which are
   `tables`, or ->units, ->team, ->work and ->block. work: bytes of shared memory that a thread then has for itself */
PETSC_INTERN PetscErrorCode PlexVectorsChoose_Private(PlexAssembly, PlexProduct *, size_t work, PlexLineTables *tables);
/* Whether it has been taken */
PETSC_INTERN PetscBool PlexVectorsChosen_Private(const PlexProduct *);
/* Elements of a block of threads, where each team has one unless it has been taken */
PETSC_INTERN PetscInt PlexVectorsElements_Private(const PlexProduct *);
/* Operations of all elements' data, by this way or another, each element once */
PETSC_INTERN double         PlexVectorsFlops_Private(PlexAssembly, PlexProduct *);
PETSC_INTERN PetscErrorCode PlexVectorsView_Private(const PlexProduct *, PetscViewer);
