/* Shared by the files of src/dg/ */
#pragma once

#include <plexgpu/dg.h>

PETSC_EXTERN PetscLogEvent PLEX_DGRHS;

/* What kernels on tensor cores share, of type fused: nmatrices matrices[rows][columns] one behind the other, in the
   order [tile][step][matrix][lane] in which warps read them; PlexDGFragments.meet */
PETSC_INTERN size_t         PlexDGRecordBytes_Private(PlexDG, PetscInt reals); /* of an element: PLEX_DG_RECORD of cuda/dg/block.cuh */
PETSC_INTERN size_t         PlexDGMeetingBytes_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGUploadFragments_Private(PlexDG, PetscInt tiles, PetscInt nmatrices, const PetscReal *matrices, PetscInt rows, PetscInt columns, const void **at);
PETSC_INTERN PetscErrorCode PlexDGUploadMeeting_Private(PlexDG, const void **at);
/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);

PETSC_INTERN PetscErrorCode PlexDGSystemRegisterAll_Private(void);
PETSC_INTERN PetscErrorCode PlexDGSystemFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexDGFindType_Private(PlexDG, PlexDGType, PetscErrorCode (**create)(PlexDG));
PETSC_INTERN PetscErrorCode PlexDGJoinNames_Private(PetscInt n, const char *const names[], size_t size, char text[]);

/* Boundary conditions: those of the options, and the kind of each facet of the mesh; conditions.c */
PETSC_INTERN PetscErrorCode PlexDGConditionsSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGConditionsApply_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGConditionsCount_Private(PlexDG, PetscInt count[]); /* facets of each kind, of all processes: count[nkinds] */
PETSC_INTERN PetscErrorCode PlexDGConditionsDestroy_Private(PlexDG);

/* Parameters of the system: of the options, and the coefficients of all elements; parameters.c */
PETSC_INTERN PetscErrorCode PlexDGParametersReset_Private(PlexDG); /* to the system's defaults */
PETSC_INTERN PetscErrorCode PlexDGParametersSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSetUpCoefficients_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGParametersCheck_Private(PlexDG); /* what the system says that they have to be, once conditions and coefficients are there */
PETSC_INTERN PetscErrorCode PlexDGSetUpConstants_Private(PlexDG);  /* `actual`, once the geometry is there; timestep.c */

/* Traces between processes; exchange.c. Begin packs and sends what others need of u, End receives into args.ghosts. In between the
   elements that need no ghosts are computed: launched before the messages are waited for. */
PETSC_INTERN PetscErrorCode PlexDGExchangeCreate_Private(PlexDG, PlexDGExchange *);
PETSC_INTERN PetscErrorCode PlexDGExchangeDestroy_Private(PlexDGExchange *);
PETSC_INTERN PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange, const void *u, PetscBool single); /* of the state's numbers; those that travel are double */
PETSC_INTERN PetscErrorCode PlexDGExchangeSend_Private(PlexDGExchange);
PETSC_INTERN PetscErrorCode PlexDGExchangeReceive_Private(PlexDGExchange);

/* An error where n * each is no number of 32 bits, and whether a vector is of the operator's size: compute.c */
PETSC_INTERN PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGCheckVec_Private(PlexDG, Vec);

/* Monitors that options ask for, in src/dg/output/ */
PETSC_INTERN PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG, TS);

/* The loops of maxwell_current.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellCurrentHost_Private(PetscInt dim);

/* Right-hand side of elements first .. first + n - 1, in the operator's precision */
typedef PetscErrorCode PlexDGBlockFn(PlexDG, const PlexDGArgs *, PetscInt first, PetscInt n, const void *u, void *r);
/* All elements of args by blocks, on the host; U and R hold a block's numbers where these are single; src/dg/impls/host/host.c */
PETSC_INTERN PetscErrorCode PlexDGComputeBlocks_Private(PlexDG, const PlexDGArgs *, PetscInt block, void *U, void *R, PlexDGBlockFn *);

/* Wetting and drying, shore.c of src/dg/quadrature/: Create makes coefficients linear where elements may fall dry, once they are known at the nodes, and leaves
   `shore` NULL where there are none; SetUp needs the geometry. Arrays are in the backend's memory, of float where `single`. */
PETSC_INTERN PetscInt       PlexDGShoreGetDegree_Private(PlexDG); /* of the quadrature, where that is left to PlexDG */
PETSC_INTERN PetscErrorCode PlexDGShoreCreate_Private(PlexDG, PlexDGShore *);
PETSC_INTERN PetscErrorCode PlexDGShoreSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreDestroy_Private(PlexDGShore *);
PETSC_INTERN PetscErrorCode PlexDGShoreLimit_Private(PlexDG, void *u, PetscBool isSingle);
/* Adds factor times the correction for state u to r, and weight times that to next, unless that is NULL */
PETSC_INTERN PetscErrorCode PlexDGShoreCorrect_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next, PetscReal weight, PetscBool isSingle);
PETSC_INTERN void           PlexDGShoreProject_Private(PlexDG, PetscScalar u[]);
PETSC_INTERN void           PlexDGShoreMay_Private(PlexDG, PetscBool may[]);        /* may[Ne] becomes true of elements that may fall dry */
PETSC_INTERN PetscReal      PlexDGWaterConstant_Private(PlexDG, const char name[]); /* the number of a constant of a system of water; negative: it has none */
/* Depth between nodes, depth.c: an error where water of the state u[Ne][Nf][Np], or at rest (NULL), is not deeper than 0; the least depths of the bottom, node[Ne] at the nodes, all[Ne] between them too */
PETSC_INTERN PetscErrorCode PlexDGCheckDepth_Private(PlexDG, const PetscScalar u[]);
PETSC_INTERN PetscErrorCode PlexDGGetLeastDepths_Private(PlexDG, PetscReal node[], PetscReal all[]);
PETSC_INTERN PetscErrorCode PlexDGIsDeep_Private(PlexDG, PetscBool *); /* whether that is more than 0 everywhere, on all processes, or need not be */
PETSC_INTERN PetscErrorCode PlexDGShoreView_Private(PlexDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexDGShoreGetCounts_Private(PlexDG, PetscInt count[4]); /* for tests */
/* The coefficient that lengths are multiplied by into the geometry; sphere.c */
PETSC_INTERN PetscErrorCode PlexDGScaleGeometry_Private(PlexDG);
PETSC_INTERN PetscReal      PlexDGGetScale_Private(PlexDG, PetscInt e, const PetscReal basis[]);

/* The values at the nodes of coefficients that vary in an element; src/dg/quadrature/variables.c */
PETSC_INTERN PetscErrorCode PlexDGSetUpVariables_Private(PlexDG);
/* meet[faces + 1][turns][Nfp], as PlexDGHostBlock has it; the caller frees it; meet.c */
PETSC_INTERN PetscErrorCode PlexDGGetMeet_Private(PlexDGReference, int **meet);
