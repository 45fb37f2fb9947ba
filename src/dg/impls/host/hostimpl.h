/* The type host: what it shares with the host's way of DG with quadrature; host.c */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* Right-hand side of elements first .. first + n - 1, in the operator's precision */
typedef PetscErrorCode PlexDGBlockFn(PlexDG, const PlexDGArgs *, PetscInt first, PetscInt n, const void *u, void *r);
/* Computes all elements of args by blocks, on the host. U and R are work: the numbers of a block, in single
   precision */
PETSC_INTERN PetscErrorCode PlexDGComputeBlocks_Private(PlexDG, const PlexDGArgs *, PetscInt block, void *U, void *R,
                                                        PlexDGBlockFn *);
