/* The ways of DG with quadrature: shared by the files of src/dg/impls/quadrature/ */
#pragma once

#include "../../quadrature/quadratureimpl.h"
#include <dg/quadrature_args.h>

/* On the host, by BLAS: host.c. Kernels one after the other, with products by own ones or by the backend's library:
   kernels.c. One kernel: fused.c */
PETSC_INTERN PetscErrorCode PlexDGCreateQuadrature_Host_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGCreateQuadrature_Kernels_Private(PlexDG, PetscBool library);
PETSC_INTERN PetscErrorCode PlexDGCreateQuadrature_Fused_Private(PlexDG);

/* One thread an element, a variant of fused.c: whether it is possible, whether it is preferred, bytes of a block's
   shared memory, the kernel's matrices, which the caller frees; element.c */
PETSC_INTERN PetscBool      PlexDGElementFits_Private(PlexDG);
PETSC_INTERN PetscBool      PlexDGElementIsFaster_Private(PlexDG);
PETSC_INTERN size_t         PlexDGElementShared_Private(PlexDG, PetscInt elements);
PETSC_INTERN PetscErrorCode PlexDGElementTables_Private(PlexDG, void **numbers);

/* points.c. PlexDGCompile() with PLEX_DG_NG, PLEX_DG_MG and PLEX_DG_AFFINE besides */
PETSC_INTERN PetscErrorCode PlexDGCompilePoints_Private(PlexDG, const char file[], PetscInt ndefines,
                                                        const char *const defines[], PlexModule *);
/* What kernels read at points; the inverse mass matrices too */
PETSC_INTERN PetscErrorCode PlexDGUploadPointArgs_Private(PlexDG, PlexDGPointArgs *);

/* What fused_points.cuh reads of elements whose coefficients vary, in blocks of `elements`; numbers.c. Numbers of an
   element's faces and geometry, PLEX_DG_FACE_NUMBERS + PLEX_DG_GEOMETRY; numbers of all; M^-1 by its lower triangle */
PETSC_INTERN PetscInt       PlexDGFaceNumbers_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGUploadNumbers_Private(PlexDG, PetscInt elements, const void **numbers);
PETSC_INTERN PetscErrorCode PlexDGUploadHalfMass_Private(PlexDG, PetscInt elements, const void **Minv);
