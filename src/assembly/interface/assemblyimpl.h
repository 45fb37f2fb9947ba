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
PETSC_INTERN void PlexFormGetJets_Private(PlexForm, PlexProductKind, PlexJets *);
/* Sums of the rows that several processes add to: memory and lists of a pattern's halo, for as long as the pattern stays */
PETSC_INTERN PetscErrorCode PlexExchangeCreate_Private(PlexBackend, PlexHalo, PlexExchange *);
PETSC_INTERN PetscErrorCode PlexExchangeDestroy_Private(PlexExchange *);
PETSC_INTERN PetscScalar   *PlexExchangeGetArray_Private(PlexExchange); /* B of PlexArgs */
/* Collective: sends others' rows, receives, and writes (or adds to) the values of the interface rows in both blocks A and O */
PETSC_INTERN PetscErrorCode PlexExchangeSum_Private(PlexExchange, PlexHalo, PetscScalar A[], PetscScalar O[], PetscBool add);
PETSC_INTERN PetscErrorCode PlexExchangeView_Private(PlexExchange, PlexHalo, double seconds, PetscViewer);
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly, PlexProductKind, Vec, Vec, PetscReal, PetscReal, Vec, Mat);
