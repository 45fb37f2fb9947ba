/* Shared by the files of src/dg/ */
#pragma once

#include <plexgpu/private/dgimpl.h>

PETSC_EXTERN PetscLogEvent PLEX_DGRHS;

/* What kernels on tensor cores share; src/dg/impls/fused/fused.c. Fragments: nmatrices matrices [rows][columns], one
   behind the other, in the order [tile][step][matrix][lane] in which warps read them. Meeting: PlexDGFragments.meet */
/* bytes of an element's record, PLEX_DG_RECORD of cuda/dg/block.cuh */
PETSC_INTERN size_t         PlexDGRecordBytes_Private(PlexDG, PetscInt reals);
PETSC_INTERN size_t         PlexDGMeetingBytes_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGUploadFragments_Private(PlexDG, PetscInt tiles, PetscInt nmatrices,
                                                          const PetscReal *matrices, PetscInt rows, PetscInt columns,
                                                          const void **at);
PETSC_INTERN PetscErrorCode PlexDGUploadMeeting_Private(PlexDG, const void **at);
/* The operator that PlexDGSetTS() gave to a TS, or NULL */
PETSC_INTERN PetscErrorCode PlexDGGetOfTS_Private(TS, PlexDG *);
PETSC_INTERN PetscErrorCode TSCreate_LowStorage_Private(TS);

PETSC_INTERN PetscErrorCode PlexDGSystemRegisterAll_Private(void);
PETSC_INTERN PetscErrorCode PlexDGSystemFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexDGFindType_Private(PlexDG, PlexDGType, PetscErrorCode (**create)(PlexDG));
PETSC_INTERN PetscErrorCode PlexDGJoinNames_Private(PetscInt n, const char *const names[], size_t size, char text[]);

/* Boundary conditions: reads options, finds the kind of each facet of the mesh; conditions.c */
PETSC_INTERN PetscErrorCode PlexDGConditionsSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGConditionsApply_Private(PlexDG);
/* count[nkinds] facets of each kind, on all processes together */
PETSC_INTERN PetscErrorCode PlexDGConditionsCount_Private(PlexDG, PetscInt count[]);
PETSC_INTERN PetscErrorCode PlexDGConditionsDestroy_Private(PlexDG);

/* Parameters of the system: reads options, makes the coefficients of all elements; parameters.c */
PETSC_INTERN PetscErrorCode PlexDGParametersReset_Private(PlexDG); /* to the system's defaults */
PETSC_INTERN PetscErrorCode PlexDGParametersSetFromOptions_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGSetUpCoefficients_Private(PlexDG);
/* an error where a parameter is outside the system's bounds; after conditions and coefficients */
PETSC_INTERN PetscErrorCode PlexDGParametersCheck_Private(PlexDG);
/* sets `actual`, the constants that kernels get; after the geometry; timestep.c */
PETSC_INTERN PetscErrorCode PlexDGSetUpConstants_Private(PlexDG);

/* Exchange of traces between processes; exchange.c. Pack and Send take what others need of u, Receive puts what arrives
   into args.ghosts. Elements that need no ghosts are launched in between */
PETSC_INTERN PetscErrorCode PlexDGExchangeCreate_Private(PlexDG, PlexDGExchange *);
PETSC_INTERN PetscErrorCode PlexDGExchangeDestroy_Private(PlexDGExchange *);
/* single: u is in single precision; messages are always in double */
PETSC_INTERN PetscErrorCode PlexDGExchangePack_Private(PlexDGExchange, const void *u, PetscBool single);
PETSC_INTERN PetscErrorCode PlexDGExchangeSend_Private(PlexDGExchange);
PETSC_INTERN PetscErrorCode PlexDGExchangeReceive_Private(PlexDGExchange);

/* SizeCheck: an error if n * each does not fit into 32 bits. CheckVec: an error if a vector does not have the
   operator's size. compute.c */
PETSC_INTERN PetscErrorCode PlexDGSizeCheck_Private(PetscInt64 n, PetscInt64 each, const char what[]);
PETSC_INTERN PetscErrorCode PlexDGCheckVec_Private(PlexDG, Vec);

/* Monitors that options ask for, in src/dg/output/ */
PETSC_INTERN PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG, TS);

/* The loops of maxwell_current.h */
PETSC_INTERN const PlexDGHost *const *PlexDGMaxwellCurrentHost_Private(PetscInt dim);

/* Right-hand side of elements first .. first + n - 1, in the operator's precision */
typedef PetscErrorCode PlexDGBlockFn(PlexDG, const PlexDGArgs *, PetscInt first, PetscInt n, const void *u, void *r);
/* Computes all elements of args by blocks, on the host. U and R are work: the numbers of a block, in single precision;
   src/dg/impls/host/host.c */
PETSC_INTERN PetscErrorCode PlexDGComputeBlocks_Private(PlexDG, const PlexDGArgs *, PetscInt block, void *U, void *R,
                                                        PlexDGBlockFn *);

/* Wetting and drying; src/dg/quadrature/shore.c. Create makes coefficients linear in elements that may fall dry, once
   they are known at the nodes; `shore` stays NULL if there are no such elements. SetUp needs the geometry. Arrays are
   in the backend's memory, in single precision if isSingle */
/* degree of the quadrature, if the user leaves it to PlexDG */
PETSC_INTERN PetscInt       PlexDGShoreGetDegree_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreCreate_Private(PlexDG, PlexDGShore *);
PETSC_INTERN PetscErrorCode PlexDGShoreSetUp_Private(PlexDG);
PETSC_INTERN PetscErrorCode PlexDGShoreDestroy_Private(PlexDGShore *);
PETSC_INTERN PetscErrorCode PlexDGShoreLimit_Private(PlexDG, void *u, PetscBool isSingle);
/* Adds d = factor * correction(u) to r, and weight * d to next unless next is NULL */
PETSC_INTERN PetscErrorCode PlexDGShoreCorrect_Private(PlexDG, const void *u, void *r, PetscReal factor, void *next,
                                                       PetscReal weight, PetscBool isSingle);
PETSC_INTERN void           PlexDGShoreProject_Private(PlexDG, PetscScalar u[]);
/* may[e] = true for each element e that may fall dry */
PETSC_INTERN void PlexDGShoreMay_Private(PlexDG, PetscBool may[]);
/* value of a constant of a system of water; negative: the system has no such constant */
PETSC_INTERN PetscReal PlexDGWaterConstant_Private(PlexDG, const char name[]);
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

/* Sets the nodal values of coefficients that vary in an element; src/dg/quadrature/variables.c */
PETSC_INTERN PetscErrorCode PlexDGSetUpVariables_Private(PlexDG);
/* meet[faces + 1][turns][Nfp], as PlexDGHostBlock has it; the caller frees it; meet.c */
PETSC_INTERN PetscErrorCode PlexDGGetMeet_Private(PlexDGReference, int **meet);
