/* Sizes: shared by the files of src/dg/core/ and what is above them. Mesh, text of kernels and copies in the backend's
   memory are in plexgpu/private/dgimpl.h, since types from outside the library use them, too */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* SizeCheck: an error if n * each does not fit into 32 bits. CheckVec: an error if a vector does not have the
   operator's size. sizes.c */
PETSC_INTERN PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGCheckVec_Private(PlexDG, Vec);
