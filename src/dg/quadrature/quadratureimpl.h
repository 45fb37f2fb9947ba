/* DG with quadrature: shared by the files of src/dg/quadrature/ and what is above them */
#pragma once

#include "../nodal/nodalimpl.h"

/* C, detJ, normals, rate, and whether all elements are affine. Collective; geometry.c */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetGeometry_Private(PlexDGQuadrature, PlexDGMesh, PlexDGReference);
/* Likewise at all points of all own elements, affine or not */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetJacobians_Private(PlexDGQuadrature, PlexDGMesh, PlexDGReference);
/* Points of elements, for polynomials of Q->degree, and of faces, and the bases there; quadrature.c */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetRules_Private(PlexDGQuadrature, PlexDGReference, PetscInt faceDegree);
/* Inverse mass matrices, once the geometry is there; mass.c */
PETSC_INTERN PetscErrorCode PlexDGQuadratureSetMass_Private(PlexDGQuadrature, PlexDGMesh, PlexDGReference);

/* The norm in which curved elements of nodal DG keep energy, u^T M M_{1/J}^-1 M u = sum_g w_g/det J(g) z(g)^2 with
   z = T u: T[ncurved][Np j][Np i] = M_{1/J}^-1 M, i fastest, computed when it is asked for first; curved.c */
PETSC_INTERN PetscErrorCode PlexDGCurvedGetNorm_Private(PlexDG, const PetscReal *norm[]);

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
/* x and the facets alone; and C that was kept of affine elements of which lengths are scaled */
PETSC_INTERN PetscErrorCode PlexDGUploadPositions_Private(PlexDG, const void **x);
PETSC_INTERN PetscErrorCode PlexDGUploadFlatGeometry_Private(PlexDG, const void **C);
/* Coefficients that vary at the points of element e, K[NK][1 + dim][NG], and at those of all faces, inside and outside,
   KM and KP[Ne][faces][NK][MG]; variables.c */
PETSC_INTERN void           PlexDGElementVariables_Private(PlexDG, PetscInt e, PetscReal K[]);
PETSC_INTERN PetscErrorCode PlexDGFaceVariables_Private(PlexDG, PetscReal KM[], PetscReal KP[]);
/* K, KM, KP as PlexDGPointBlock has them, or NULL; variables.c */
PETSC_INTERN PetscErrorCode PlexDGUploadVariables_Private(PlexDG, const void **K, const void **KM, const void **KP);
/* Of both parts of a mixed mesh, values at nodes of what lies across ghosts, [places of both parts][NK][Nfp]; across.c */
PETSC_INTERN PetscErrorCode PlexDGShareVariables_Private(PlexDG part, PetscReal received[]);

/* Sets the nodal values of coefficients that vary in an element; variables.c */
PETSC_INTERN PetscErrorCode PlexDGSetUpVariables_Private(PlexDG);

/* Wetting and drying; shore.c. Create makes coefficients linear in elements that may fall dry, once they are known at
   the nodes, and `shore` of the operator or of its parts, which stays NULL where nothing falls dry. SetUp needs the
   geometry. Arrays are in the backend's
   memory, in single precision if isSingle */
/* degree of the quadrature, if the user leaves it to PlexDG */
PETSC_INTERN PetscInt       PlexDGShoreGetDegree_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreCreate_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreDestroy_Private(PlexDGShore *);
PETSC_INTERN PetscErrorCode PlexDGShoreLimit_Private(PlexDG, void *u, PetscBool isSingle);
/* Adds d = factor * correction(u) to r, and weight * d to next unless next is NULL; then limits `limited`, unless that is */
PETSC_INTERN PetscErrorCode PlexDGShoreCorrect_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next,
                                                       PetscReal weight, void *limited, PetscBool isSingle);
PETSC_INTERN void           PlexDGShoreProject_Private(PlexDG, PetscScalar u[]);
/* Whether rates are corrected so that energy does not grow; entropy.c */
PETSC_INTERN PetscBool PlexDGHasEntropy_Private(PlexDG);
PETSC_INTERN PetscReal PlexDGEntropyRate_Private(PlexDG); /* the largest, in units of wave speed over length */
/* PlexDGPointArgs.energy */
PETSC_INTERN PetscErrorCode PlexDGUploadEntropy_Private(PlexDG, const void **energy);
/* Elements with a linear bottom; bottom.c. Linear: linear functions of the vertices at n reference points, B[n][nv], and
   their derivatives dB[dim][n][nv] or NULL. Vertices: the nodes that are vertices. Share: behind flags of own elements,
   flags[parts][Ne], those across faces between processes and parts. MakeLinear: the first `count`
   coefficients in elements with may[e], and on their faces in `others` */
PETSC_INTERN void           PlexDGBottomLinear_Private(PetscBool tensor, PetscInt n, const PetscReal r[], double B[],
                                                       double dB[]);
PETSC_INTERN PetscErrorCode PlexDGBottomVertices_Private(PlexDGReference, PetscInt nv, const double linear[],
                                                         int vertices[]);
PETSC_INTERN PetscErrorCode PlexDGBottomShare_Private(PlexDG, int *flags[]);
PETSC_INTERN PetscErrorCode PlexDGBottomMakeLinear_Private(PlexDG, const int may[], PetscInt count, PetscInt *others);
PETSC_INTERN PetscErrorCode PlexDGBottomLimit_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGBottomView_Private(PlexDG, PetscViewer);
/* may[e] = true for each element e that may fall dry */
PETSC_INTERN void PlexDGShoreMay_Private(PlexDG, PetscBool may[]);
/* value of a constant of a system of water; negative: the system has no such constant */
PETSC_INTERN PetscReal PlexDGWaterConstant_Private(PlexDG, const char name[]);
/* points[n][dim], those of an element and then of its faces, behind the nodes where these are wanted; B[n][Np], the basis
   there; the largest sum of |B| over the basis functions. And the least of a polynomial, at nodes and there; depth.c */
PETSC_INTERN PetscErrorCode PlexDGTabulatePoints_Private(PlexDG, PetscBool nodes, PetscReal points[], PetscReal B[],
                                                         PetscReal *most);
PETSC_INTERN PetscReal      PlexDGLeast_Private(PetscInt Np, PetscInt n, const PetscReal B[], const PetscReal nodal[]);
/* Depth of water, between nodes too; depth.c. CheckDepth: an error if the depth of the state u[Ne][Nf][Np], or at rest
   (NULL), is 0 or less anywhere. GetLeastDepths: an element's least depth at rest, at its nodes (node[Ne]) and anywhere
   (all[Ne]) */
PETSC_INTERN PetscErrorCode PlexDGCheckDepth_Private(PlexDG, const PetscScalar u[]);
PETSC_INTERN PetscErrorCode PlexDGGetLeastDepths_Private(PlexDG, PetscReal node[], PetscReal all[]);
/* whether the depth at rest is more than 0 everywhere, on all processes, or need not be */
PETSC_INTERN PetscErrorCode PlexDGIsDeep_Private(PlexDG, PetscBool *);
PETSC_INTERN PetscErrorCode PlexDGShoreView_Private(PlexDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexDGShoreGetCounts_Private(PlexDG, PetscInt count[4]); /* for tests */
/* Multiplies the geometry by the coefficient that scales lengths; sphere.c */
PETSC_INTERN PetscErrorCode PlexDGScaleGeometry_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGGetScale_Private(PlexDG, PetscInt e, const PetscReal basis[]);

/* Values in time of boundaries; driven.c. Where a series is, as text, and its values at a time; set-up after conditions,
   coefficients and geometry; the values of time t for the next right-hand side or stage */
PETSC_INTERN PetscErrorCode PlexDGSeriesName_Private(const PlexDGSeries *, size_t size, char text[]);
PETSC_INTERN PetscErrorCode PlexDGDrivenSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGDrivenSetTime_Private(PlexDG, PetscReal t);
PETSC_INTERN PetscErrorCode PlexDGDrivenDestroy_Private(PlexBackend, PlexDGDriven *);
