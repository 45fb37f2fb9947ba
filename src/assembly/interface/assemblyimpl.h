/* Shared by the files of src/assembly/interface/ */
#pragma once

#include "../integrate/integrate.h"
#include "../../util/prefix.h"

/* A number that changes with the problem that the DM describes */
PETSC_INTERN PetscErrorCode PlexAssemblyGetState_Private(PlexAssembly, PetscInt64 *);
PETSC_INTERN PetscErrorCode PlexAssemblyResetProduct_Private(PlexAssembly, PlexProduct *);
/* Types of the products, chosen where the user has not: sets the ops */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseTypes_Private(PlexAssembly);
/* Types as asked for, of both products at once; NULL: this one stays as it is. option: what an unknown type is an error of */
PETSC_INTERN PetscErrorCode PlexAssemblySetTypes_Private(PlexAssembly, const PlexAssemblyType types[PLEX_PRODUCTS], const char option[]);
/* Puts the strategy of a product to work: before any call of its operations */
PETSC_INTERN PetscErrorCode PlexAssemblySelect_Private(PlexAssembly, PlexProductKind);
PETSC_INTERN PetscErrorCode PlexAssemblyDestroyStrategies_Private(PlexAssembly);
/* Both products have one type */
PETSC_INTERN PetscErrorCode PlexAssemblyIsOneType_Private(PlexAssembly, PetscBool *);
/* The pattern of P and the product of the Jacobian into it, or the product of the residual (P NULL); in two steps: pattern, integration and
   sizes, then, unless the plan is there, plan and kernel. The second is not collective */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly, PlexProduct *, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyReadyProduct_Private(PlexAssembly, PlexProduct *, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyPlanProduct_Private(PlexAssembly, PlexProduct *);
/* PlexAssemblySetUp() without the choice of types */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpElements_Private(PlexAssembly);
/* Once form and elements are there: what is known of them, arrays on the device */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegral_Private(PlexAssembly);
/* Integrals of a sum: makes them once, those of the explicit part too; frees them; whether one has any function of a product; sets up all
   products of a kind, the first integral's first */
PETSC_INTERN PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyMakeExplicit_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscBool      PlexAssemblyHasProduct_Private(PlexAssembly, PlexProductKind);
/* of the sum that begins with `first`, of the user's assembly asm; what cannot be set up there leaves asm to PETSc, with its reason */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegrals_Private(PlexAssembly asm_, PlexAssembly first, PlexProductKind, Mat);
/* Leaves an assembly to PETSc where the cells of a sum are inside out (on some process); resets it where they were and have moved. Collective */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckGeometry_Private(PlexAssembly asm_, PlexAssembly first);
PETSC_INTERN PetscErrorCode PlexAssemblyCheckMotion_Private(PlexAssembly);
/* Resets an assembly whose auxiliary fields are on another DM than when it was set up */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckAuxiliary_Private(PlexAssembly);
/* Runs a product of all integrals: into locF, or into P */
PETSC_INTERN PetscErrorCode PlexAssemblyCompute_Private(PlexAssembly, PlexProductKind, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Vec locF, Mat P);
/* At each assembly: the integration of a product; resets one that was made for another */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseIntegration_Private(PlexAssembly, PlexProduct *);
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
PETSC_EXTERN PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly, PetscBool residual, Mat J, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyCreateOn_Private(MPI_Comm, DM, PlexAssembly *);
/* Assemblies that DMs own, for a view at the end: view.c */
PETSC_INTERN PetscErrorCode PlexLiveInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexLiveAdd_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexLiveRemove_Private(PlexAssembly);
/* What is left to PETSc: leave.c. The first says so once, or is an error where that is not allowed. */
PETSC_INTERN PetscErrorCode PlexAssemblySayLeft_Private(PlexAssembly, const char what[], const char reason[], const char detail[]);
PETSC_INTERN PetscErrorCode PlexAssemblyLeave_Private(PlexAssembly, const char reason[], const char detail[]);
PETSC_INTERN PetscErrorCode PlexAssemblyLeaveJacobian_Private(PlexAssembly, Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode PlexAssemblyLeavePattern_Private(PlexAssembly asm_, PlexAssembly first, Mat, PetscBool *);
/* Callbacks of the program's own that call PETSc's assembly: foreign.c. Around the work of a solver; then in a view, or at the end */
PETSC_INTERN PetscErrorCode PlexWatchBegin_Private(DM, PetscBool *watching);
PETSC_INTERN PetscErrorCode PlexWatchEnd_Private(PetscBool watching);
PETSC_INTERN PetscErrorCode PlexForeignView_Private(PetscViewer);
PETSC_INTERN PetscErrorCode PlexForeignEnd_Private(void);
PETSC_INTERN PetscErrorCode PlexForeignFinalize_Private(void);
/* Lets DMCreateMatrix() of a DM make matrices as PlexAssemblyCreateMatrix() does: matrix.c */
PETSC_INTERN PetscErrorCode PlexAssemblyTakeMatrix_Private(DM);
/* Types of SNES and TS that take over: takeover.c */
PETSC_INTERN PetscErrorCode PlexTakeOverRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexSolveGetCurrent_Private(PlexSolve *);
/* Tuning and the choice of types, src/assembly/tune/, which stands above this folder and sets these when the package starts */
typedef struct {
  PetscErrorCode (*restore)(PlexAssembly);                         /* what was asked for, when an assembly is reset */
  PetscErrorCode (*lookup)(PlexAssembly);                          /* a result in the archive, at set-up */
  PetscBool (*ispending)(PlexAssembly);                            /* something is still to be measured: plans that are made before may not stay */
  PetscErrorCode (*tune)(PlexAssembly, const PlexMoment *, Mat P); /* measures that, at this state and with the pattern of P, or, P NULL, for residuals alone */
  PetscErrorCode (*destroy)(PlexTuner *);
  PetscErrorCode (*setfromoptions)(PlexAssembly, PetscOptionItems);
  PetscErrorCode (*choose)(PlexAssembly, PlexProductKind, PlexAssemblyType *, char **why); /* the type that the cost model prefers for a product, and why; the present choice where it has no clear preference */
} PlexTuning;
PETSC_INTERN PlexTuning PlexAssemblyTuning;
/* The names of all types, PetscFree() the array; the operations of another type for a product, which is reset, while integrals stay */
PETSC_INTERN PetscErrorCode PlexAssemblyGetTypes_Private(int *n, const char ***names);
PETSC_INTERN PetscErrorCode PlexAssemblyFindType_Private(PlexAssemblyType, PetscErrorCode (**create)(PlexAssembly)); /* NULL: there is none */
PETSC_INTERN PetscErrorCode PlexAssemblySwitchType_Private(PlexAssembly, PlexProductKind, PlexAssemblyType);
/* A variant of a type by its name, or NULL: variants.c */
PETSC_INTERN PetscErrorCode PlexVariantFind_Private(const char type[], PlexProductKind, const char name[], const PlexVariant **);
/* Appends TYPE[:VARIANT|VARIANT...] */
PETSC_INTERN PetscErrorCode PlexVariantsSay_Private(const char type[], char text[], size_t);
/* TYPE:VARIANT of a product that is set up */
PETSC_INTERN PetscErrorCode PlexVariantName_Private(PlexAssembly, const PlexProduct *, char name[], size_t);
PETSC_INTERN PetscErrorCode PlexVariantCheck_Private(PlexAssembly, const PlexProduct *);
/* The pattern of P, and whether half of its Jacobian suffices */
PETSC_EXTERN PetscErrorCode PlexAssemblyUpdatePattern_Private(PlexAssembly, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyIsSymmetric_Private(PlexAssembly, Mat P, PetscBool *);
/* What tuning times: coordinates and constants are brought up to date (collective), then one integral's launches into arrays of the
   caller's, which write nothing else and exchange nothing; args is PlexArgs */
PETSC_INTERN PetscErrorCode PlexAssemblyUpdate_Private(PlexAssembly asm_, PlexAssembly first);
PETSC_INTERN PetscErrorCode PlexAssemblyLaunch_Private(PlexAssembly, PlexProductKind, const void *args);
