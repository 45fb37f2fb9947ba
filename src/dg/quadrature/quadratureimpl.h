/* Shared by the files of src/dg/quadrature/ */
#pragma once

#include <plexgpu/private/dgimpl.h>

/* Reference coordinates points[n][dim] of the places s[n][dim - 1] of face f */
PETSC_INTERN void PlexDGFacePoints_Private(PlexDGReference, PetscInt f, PetscInt n, const PetscReal s[],
                                           PetscReal points[]);
/* Outward normal N[dim] of face f of the reference element, times the Jacobian of its parameters: -1, 0 or 1 each;
   geometry.c */
PETSC_INTERN void PlexDGReferenceNormal_Private(PetscInt dim, PetscBool tensor, PetscInt f, PetscReal N[]);
/* C, detJ, normals, rate, and whether all elements are affine. Collective; geometry.c */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetGeometry_Private(PlexDGQuadrature, PlexDGMesh, PlexDGReference);
/* Inverse mass matrices, once the geometry is there; mass.c */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetMass_Private(PlexDGQuadrature, PlexDGMesh, PlexDGReference);

/* Matrices of the products, first index slowest, of what collocates and redistributes; tables.c */
typedef struct {
  PetscReal *W0;   /* [Np][NG] basis at the points */
  PetscReal *W2;   /* [NG][Np] weights times basis */
  PetscReal *W3;   /* [dim][NG][Np] weights times derivatives; the sign is that of an integration by parts */
  PetscReal *W4;   /* [Nfp][MG] basis of a face at its points */
  PetscReal *W5;   /* [faces][MG][Np] weights times basis, at the nodes of each face */
  PetscReal *face; /* [MG][Nfp] likewise of one face, by its nodes */
} PlexDGTables;
/* solved: W2, W3, W5 times the inverse mass matrix of the reference element */
PETSC_INTERN PetscErrorCode PlexDGTablesCreate_Private(PlexDGQuadrature, PlexDGReference, PetscBool solved,
                                                       PlexDGTables *);
PETSC_INTERN PetscErrorCode PlexDGTablesDestroy_Private(PlexDGTables *);
/* Geometry in the backend's memory and the operator's precision; x [Ne][NG][dim], the points, where the system's source
   asks for them, else NULL; and where the points of the boundary's facets are, as PlexDGArgs.facets. upload.c */
PETSC_INTERN PetscErrorCode PlexDGUploadGeometry_Private(PlexDG, const void **C, const void **detJ,
                                                         const void **normals, const void **x);
/* K, KM, KP as PlexDGPointBlock has them, or NULL; variables.c */
PETSC_INTERN PetscErrorCode PlexDGUploadVariables_Private(PlexDG, const void **K, const void **KM, const void **KP);
