/* Shared by the files of src/assembly/interface/ */
#pragma once

#include <plexgpu/impl.h>

PETSC_INTERN PetscErrorCode PlexPartsReset_Private(PlexParts *);
PETSC_INTERN PetscErrorCode PlexAssemblyResetProduct_Private(PlexAssembly, PlexProduct *);
/* Type, chosen where the user has not: sets the ops */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseType_Private(PlexAssembly);
/* The pattern of P and the product of the Jacobian into it, or the product of the residual (P NULL) */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly, PlexProduct *, Mat P);
/* Tables of the basis in the order of cuda/integrate/quadrature.cuh: fields, coordinates, weights */
PETSC_INTERN PetscErrorCode PlexTablesCreate_Private(PlexElements, PetscInt *n, PetscReal **tables);
PETSC_INTERN PetscBool      PlexTablesCompiled_Private(PlexElements);
/* Parts of jets that the functions of a product use */
typedef struct {
  PetscBool testValue, testGrad, trialValue, trialGrad;
} PlexJets;
PETSC_INTERN void           PlexFormGetJets_Private(PlexForm, PlexProductKind, PlexJets *);
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly, PlexProductKind, Vec, Vec, PetscReal, PetscReal, Vec, Mat);
