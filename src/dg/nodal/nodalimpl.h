/* The reference element's faces: shared by the files of src/dg/ above src/dg/nodal/; faces.c */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* Reference coordinates points[n][dim] of the places s[n][dim - 1] of face f */
PETSC_INTERN void PlexDGFacePoints_Private(PlexDGReference, PetscInt f, PetscInt n, const PetscReal s[],
                                           PetscReal points[]);
/* Outward normal N[dim] of face f of the reference element, times the Jacobian of its parameters: -1, 0 or 1 each */
PETSC_INTERN void PlexDGReferenceNormal_Private(PetscInt dim, PetscBool tensor, PetscInt f, PetscReal N[]);
/* meet[faces + 1][turns][Nfp], as PlexDGHostBlock has it; the caller frees it */
PETSC_INTERN PetscErrorCode PlexDGGetMeet_Private(PlexDGReference, int **meet);
