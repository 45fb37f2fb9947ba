/* Shared by the files of src/assembly/interface/ */
#pragma once

#include <plexgpu/impl.h>

PETSC_INTERN PetscErrorCode PlexPartsReset_Private(PlexParts *);
PETSC_INTERN PetscErrorCode PlexAssemblyResetProduct_Private(PlexAssembly, PlexProduct *);
/* Type, chosen where the user has not: sets the ops */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseType_Private(PlexAssembly);
/* The pattern of P and the product of the Jacobian into it, or the product of the residual (P NULL) */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly, PlexProduct *, Mat P);
/* Once form and elements are there: type, arrays on the device */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegral_Private(PlexAssembly);
/* Integrals of a sum: makes them once, those of the explicit part too; frees them; whether one has any function of a product; sets up all
   products of a kind, the first integral's first */
PETSC_INTERN PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyMakeExplicit_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscBool      PlexAssemblyHasProduct_Private(PlexAssembly, PlexProductKind);
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegrals_Private(PlexAssembly, PlexProductKind, Mat);
/* Resets an assembly whose auxiliary fields are on another DM than when it was set up */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckAuxiliary_Private(PlexAssembly);
/* Runs a product of all integrals: into locF, or into P */
PETSC_INTERN PetscErrorCode PlexAssemblyCompute_Private(PlexAssembly, PlexProductKind, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Vec locF, Mat P);
/* Tables of the basis in the order of cuda/integrate/quadrature.cuh: fields, coordinates, weights */
PETSC_INTERN PetscErrorCode PlexTablesCreate_Private(PlexElements, PetscInt *n, PetscReal **tables);
PETSC_INTERN PetscBool      PlexTablesCompiled_Private(PlexElements);
/* Parts of jets that the functions of a product use */
typedef struct {
  PetscBool testValue, testGrad, trialValue, trialGrad;
} PlexJets;
PETSC_INTERN void           PlexFormGetJets_Private(PlexForm, PlexProductKind, PlexJets *);
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly, PlexProductKind, Vec, Vec, PetscReal, PetscReal, Vec, Mat);
