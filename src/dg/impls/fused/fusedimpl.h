/* The type fused: what it shares with the fused kernel of DG with quadrature; fused.c */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* Fragments: nmatrices matrices [rows][columns], one behind the other, in the order [tile][step][matrix][lane] in which
   warps read them. Meeting: PlexDGFragments.meet */
/* bytes of an element's record, PLEX_DG_RECORD of cuda/dg/block.cuh */
PETSC_INTERN size_t         PlexDGRecordBytes_Private(PlexDG, PetscInt reals);
PETSC_INTERN size_t         PlexDGMeetingBytes_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGUploadFragments_Private(PlexDG, PetscInt tiles, PetscInt nmatrices,
                                                          const PetscReal *matrices, PetscInt rows, PetscInt columns,
                                                          const void **at);
PETSC_INTERN PetscErrorCode PlexDGUploadMeeting_Private(PlexDG, const void **at);
/* " N registers a thread," of the kernel of stages, or that of right-hand sides; nothing where neither is compiled yet */
PETSC_INTERN PetscErrorCode PlexDGKernelRegisters_Private(const PlexKernel kernels[2], size_t size, char text[]);
