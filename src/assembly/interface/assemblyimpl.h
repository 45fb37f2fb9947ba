/* Shared by the files of src/assembly/interface/ */
#pragma once

#include <plexgpu/impl.h>

PETSC_INTERN PetscErrorCode PlexPartsReset_Private(PlexParts *);
/* A number that changes with the problem that the DM describes */
PETSC_INTERN PetscErrorCode PlexAssemblyGetState_Private(PlexAssembly, PetscInt64 *);
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
PETSC_INTERN void PlexFormGetJets_Private(PlexForm, PlexProductKind, PlexJets *);
/* Sums of the rows that several processes add to: memory and lists of a pattern's halo, for as long as the pattern stays */
PETSC_INTERN PetscErrorCode PlexExchangeCreate_Private(PlexBackend, PlexHalo, PlexExchange *);
PETSC_INTERN PetscErrorCode PlexExchangeDestroy_Private(PlexExchange *);
PETSC_INTERN PetscScalar   *PlexExchangeGetArray_Private(PlexExchange); /* B of PlexArgs */
/* Collective: sends others' rows, receives, and writes the values of the interface rows in both blocks A and O. early: others' rows
   are complete once the side queue gets there; else once the main queue does */
PETSC_INTERN PetscErrorCode PlexExchangeSum_Private(PlexExchange, PlexHalo, PetscBool early, PetscScalar A[], PetscScalar O[]);
/* The rows to be sent are complete before the rest of the matrix */
PETSC_INTERN PetscBool      PlexAssemblySendsEarly_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexExchangeView_Private(PlexExchange, PlexHalo, PetscBool early, double seconds, PetscViewer);
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly, PlexProductKind, Vec, Vec, PetscReal, PetscReal, Vec, Mat);

/* Callbacks of SNES and TS: snes.c, ts.c */
PETSC_INTERN PetscErrorCode PlexAssemblySNESBoundary_Private(DM, Vec, void *);
PETSC_INTERN PetscErrorCode PlexAssemblySNESFunction_Private(DM, Vec, Vec, void *);
PETSC_INTERN PetscErrorCode PlexAssemblySNESJacobian_Private(DM, Vec, Mat, Mat, void *);
PETSC_INTERN PetscErrorCode PlexAssemblyTSBoundary_Private(DM, PetscReal, Vec, Vec, void *);
PETSC_INTERN PetscErrorCode PlexAssemblyTSIFunction_Private(DM, PetscReal, Vec, Vec, Vec, void *);
PETSC_INTERN PetscErrorCode PlexAssemblyTSIJacobian_Private(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *);
PETSC_INTERN PetscErrorCode PlexAssemblyTSRHSFunction_Private(DM, PetscReal, Vec, Vec, void *);
PETSC_INTERN PetscErrorCode PlexAssemblyInsertBoundary_Private(PlexAssembly, PetscReal, Vec, Vec, PetscBool *);
PETSC_INTERN PetscErrorCode PlexAssemblyPrepareBoundary_Private(PlexAssembly);
/* Makes what is made once, before it is needed */
PETSC_INTERN PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly, PetscBool residual, Mat J, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyCreateOn_Private(MPI_Comm, DM, PlexAssembly *);
/* Assemblies that DMs own, for a view at the end: view.c */
PETSC_INTERN PetscErrorCode PlexLiveInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexLiveAdd_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexLiveRemove_Private(PlexAssembly);
/* What is left to PETSc: leave.c. The first says so once, or is an error where that is not allowed. */
PETSC_INTERN PetscErrorCode PlexAssemblySayLeft_Private(PlexAssembly, const char what[], const char reason[]);
PETSC_INTERN PetscErrorCode PlexMatWritable_Private(Mat, PetscBool *);
PETSC_INTERN PetscErrorCode PlexAssemblyLeaveJacobian_Private(PlexAssembly, Mat, Mat, PetscBool *);
/* Lets DMCreateMatrix() of a DM make matrices as PlexAssemblyCreateMatrix() does: matrix.c */
PETSC_INTERN PetscErrorCode PlexAssemblyTakeMatrix_Private(DM);
/* Types of SNES and TS that take over: takeover.c */
PETSC_INTERN PetscErrorCode PlexTakeOverRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexSolveGetCurrent_Private(PlexSolve *);
