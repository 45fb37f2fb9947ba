/* Shared by the files of src/dg/hdg/ */
#pragma once

#include <plexgpu/hdg.h>

PETSC_EXTERN PetscLogEvent PLEX_HDGLocal, PLEX_HDGAssemble, PLEX_HDGRHS, PLEX_HDGSolve, PLEX_HDGSpread, PLEX_HDGRecover, PLEX_HDGPost;

PETSC_INTERN PetscErrorCode PlexHDGCreate_Host(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGCreate_Kernels(PlexHDG);

/* mesh.c: reference element and mesh, with the conditions' faces apart */
PETSC_INTERN PetscErrorCode PlexHDGMeshCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGMeshDestroy_Private(PlexHDGMesh *);
/* geometry.c: coordinates of the elements, whether they are affine */
PETSC_INTERN PetscErrorCode PlexHDGMeshSetGeometry_Private(PlexHDGMesh, PlexHDGReference);
/* Where a point is at which the coordinates' functions are these, PlexCoordinateTabulate(): x[dim], J[d][a] = dx_d/dr_a; affine elements: at xi[dim] */
PETSC_INTERN void PlexHDGMeshMap_Private(PlexHDGMesh, PetscInt e, const PetscReal xi[], const PetscReal shape[], const PetscReal dshape[], PetscReal x[], PetscReal J[3][3]);

/* conditions.c: the condition that holds for a facet, an error where there is none */
PETSC_INTERN PetscErrorCode PlexHDGConditionsFind_Private(PlexHDG, PetscInt n, const PetscInt points[], int condition[]);
PETSC_INTERN PetscErrorCode PlexHDGConditionsDestroy_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGGetCenter_Private(DM, PetscInt point, PetscReal x[]);
/* data.c: coefficients, source, boundary values of all elements, and what goes to the backend */
PETSC_INTERN PetscErrorCode PlexHDGSetUpData_Private(PlexHDG);
/* matrix.c: the matrix, what each of its blocks sums, vectors */
PETSC_INTERN PetscErrorCode PlexHDGSetUpMatrix_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGExchangeRows_Private(PlexHDG, PetscInt width, double rows[]);
