/* Shared by the files of src/assembly/interface/ */
#pragma once

#include "../integrate/integrate.h"
#include "../../util/prefix.h"

/* A hash of what the DM describes: mesh, fields, form, boundary conditions */
PETSC_INTERN PetscErrorCode PlexAssemblyGetState_Private(PlexAssembly, PetscInt64 *);
PETSC_INTERN PetscErrorCode PlexAssemblyResetProduct_Private(PlexAssembly, PlexProduct *);
/* Chooses the types that the user left open, and sets the operations of both products */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseTypes_Private(PlexAssembly);
/* Sets the types of both products. types[kind] NULL: that type stays. option: named in the error about an unknown
   type */
PETSC_INTERN PetscErrorCode PlexAssemblySetTypes_Private(PlexAssembly, const PlexAssemblyType types[PLEX_PRODUCTS],
                                                         const char option[]);
/* Makes a product's strategy the current one. Call it before any of the strategy's operations */
PETSC_INTERN PetscErrorCode PlexAssemblySelect_Private(PlexAssembly, PlexProductKind);
PETSC_INTERN PetscErrorCode PlexAssemblyDestroyStrategies_Private(PlexAssembly);
/* Whether both products have the same type */
PETSC_INTERN PetscErrorCode PlexAssemblyIsOneType_Private(PlexAssembly, PetscBool *);
/* Set-up of a product: of the Jacobian into P, or, P NULL, of the residual. Ready makes the pattern of P and chooses
   integration and sizes. Plan then makes plan and kernel, unless they are there; it is not collective */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly, PlexProduct *, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyReadyProduct_Private(PlexAssembly, PlexProduct *, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyPlanProduct_Private(PlexAssembly, PlexProduct *);
/* PlexAssemblySetUp() without the choice of types */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpElements_Private(PlexAssembly);
/* After form and elements: finds whether elements are affine or have a dof twice, and copies arrays to the device */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegral_Private(PlexAssembly);
/* The integrals of a sum. Make and MakeExplicit create them once; Reset frees them; Has says whether an integral has a
   function for a product */
PETSC_INTERN PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyMakeExplicit_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly);
PETSC_INTERN PetscBool      PlexAssemblyHasProduct_Private(PlexAssembly, PlexProductKind);
/* Sets up the product of each integral of a sum, that of `first` first. If one cannot be set up, the user's assembly
   asm is left to PETSc, for the reason in the error */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegrals_Private(PlexAssembly asm_, PlexAssembly first, PlexProductKind,
                                                               Mat);
/* CheckGeometry leaves an assembly to PETSc if a cell of the sum is inside out on any process. CheckMotion resets an
   assembly that was left for this reason and whose cells have moved. Collective */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckGeometry_Private(PlexAssembly asm_, PlexAssembly first);
PETSC_INTERN PetscErrorCode PlexAssemblyCheckMotion_Private(PlexAssembly);
/* Resets an assembly whose auxiliary fields are on another DM than when it was set up */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckAuxiliary_Private(PlexAssembly);
/* Computes a product of all integrals, into locF or into P */
PETSC_INTERN PetscErrorCode PlexAssemblyCompute_Private(PlexAssembly, PlexProductKind, Vec locX, Vec locX_t,
                                                        PetscReal t, PetscReal shift, Vec locF, Mat P);
/* Chooses the integration of a product, at each assembly. Resets a product that was set up for another integration */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseIntegration_Private(PlexAssembly, PlexProduct *);
/* Sums the rows that several processes add to. Lists and memory are those of a pattern's halo, and stay as long as the
   pattern */
PETSC_INTERN PetscErrorCode PlexExchangeCreate_Private(PlexBackend, PlexHalo, PlexExchange *);
PETSC_INTERN PetscErrorCode PlexExchangeDestroy_Private(PlexExchange *);
PETSC_INTERN PetscScalar   *PlexExchangeGetArray_Private(PlexExchange); /* B of PlexArgs */
/* Sends the rows of other processes, receives this process's, and writes the interface rows of the blocks A and O.
   early: rows to be sent are complete on the side queue; else on the main queue. Collective */
PETSC_INTERN PetscErrorCode PlexExchangeSum_Private(PlexExchange, PlexHalo, PetscBool early, PetscScalar A[],
                                                    PetscScalar O[]);
/* Whether rows to be sent are complete before the rest of the matrix */
PETSC_INTERN PetscBool      PlexAssemblySendsEarly_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexExchangeView_Private(PlexExchange, PlexHalo, PetscBool early, double seconds,
                                                     PetscViewer);
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(PlexAssembly, PlexProductKind, Vec, Vec, PetscReal, PetscReal,
                                                      Vec, Mat);

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
/* Makes plans and kernels before the first assembly needs them */
PETSC_EXTERN PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly, PetscBool residual, Mat J, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyCreateOn_Private(MPI_Comm, DM, PlexAssembly *);
/* Assemblies that DMs own, for a view at the end: view.c */
PETSC_INTERN PetscErrorCode PlexLiveInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexLiveAdd_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexLiveRemove_Private(PlexAssembly);
/* Products that are left to PETSc: leave.c. SayLeft says so once per text, or is an error where -plex_assembly_fallback
   forbids it */
PETSC_INTERN PetscErrorCode PlexAssemblySayLeft_Private(PlexAssembly, const char what[], const char reason[],
                                                        const char detail[]);
PETSC_INTERN PetscErrorCode PlexAssemblyLeave_Private(PlexAssembly, const char reason[], const char detail[]);
PETSC_INTERN PetscErrorCode PlexAssemblyLeaveJacobian_Private(PlexAssembly, Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode PlexAssemblyLeavePattern_Private(PlexAssembly asm_, PlexAssembly first, Mat, PetscBool *);
/* Watches for callbacks of the program's own that call PETSc's assembly: foreign.c. WatchBegin and WatchEnd stand
   around the work of a solver. ForeignView prints what no view has printed yet, ForeignEnd does so at the end of the
   run */
PETSC_INTERN PetscErrorCode PlexWatchBegin_Private(DM, PetscBool *watching);
PETSC_INTERN PetscErrorCode PlexWatchEnd_Private(PetscBool watching);
/* The lines that name them: foreignlist.c. Notes `fn`, unless it is PETSc's or ours */
PETSC_INTERN PetscErrorCode PlexForeignNote_Private(PetscVoidFn *fn, PetscVoidFn *petsc, PetscVoidFn *ours,
                                                    const char what[]);
PETSC_INTERN PetscErrorCode PlexForeignView_Private(PetscViewer);
PETSC_INTERN PetscErrorCode PlexForeignEnd_Private(void);
PETSC_INTERN PetscErrorCode PlexForeignFinalize_Private(void);
/* Lets DMCreateMatrix() of a DM make matrices as PlexAssemblyCreateMatrix() does: matrix.c */
PETSC_INTERN PetscErrorCode PlexAssemblyTakeMatrix_Private(DM);
/* Types of SNES and TS that take over: takeover.c */
PETSC_INTERN PetscErrorCode PlexTakeOverRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverFinalize_Private(void);
/* The nonlinear solve that is under way: solve.c. Begin and End around one; `outer`: the one that it is within */
typedef struct {
  PetscInt64 id;
  SNES       snes;
} PlexSolveOuter;
PETSC_INTERN PetscErrorCode PlexSolveGetCurrent_Private(PlexSolve *);
PETSC_INTERN void           PlexSolveBegin_Private(SNES, PlexSolveOuter *outer);
PETSC_INTERN void           PlexSolveEnd_Private(const PlexSolveOuter *outer);
/* The operations of src/assembly/tune/, which is a layer above this folder and sets them when the package starts */
typedef struct {
  PetscErrorCode (*restore)(PlexAssembly); /* sets back what tuning changed, when an assembly is reset */
  PetscErrorCode (*lookup)(PlexAssembly);  /* takes a result from the archive, at set-up */
  /* whether something is still to be measured: plans that are made before may change */
  PetscBool (*ispending)(PlexAssembly);
  /* measures what is pending, at a state and with the pattern of P; P NULL: residuals alone */
  PetscErrorCode (*tune)(PlexAssembly, const PlexMoment *, Mat P);
  PetscErrorCode (*destroy)(PlexTuner *);
  PetscErrorCode (*setfromoptions)(PlexAssembly, PetscOptionItems);
  /* the type that the cost model prefers for a product, and why; the present type if it has no clear preference */
  PetscErrorCode (*choose)(PlexAssembly, PlexProductKind, PlexAssemblyType *, char **why);
} PlexTuning;
PETSC_INTERN PlexTuning PlexAssemblyTuning;
/* The names of all types; PetscFree() the array */
PETSC_INTERN PetscErrorCode PlexAssemblyGetTypes_Private(int *n, const char ***names);
/* *create NULL: there is no such type */
PETSC_INTERN PetscErrorCode PlexAssemblyFindType_Private(PlexAssemblyType, PetscErrorCode (**create)(PlexAssembly));
/* Gives a product another type: resets the product, and leaves the integrals */
PETSC_INTERN PetscErrorCode PlexAssemblySwitchType_Private(PlexAssembly, PlexProductKind, PlexAssemblyType);
/* A variant of a type by its name, or NULL: variants.c */
PETSC_INTERN PetscErrorCode PlexVariantFind_Private(const char type[], PlexProductKind, const char name[],
                                                    const PlexVariant **);
/* Appends TYPE[:VARIANT|VARIANT...] */
PETSC_INTERN PetscErrorCode PlexVariantsSay_Private(const char type[], char text[], size_t);
/* After the plan of a product: an error where another variant was asked for than the one it has */
PETSC_INTERN PetscErrorCode PlexVariantCheck_Private(PlexAssembly, const PlexProduct *);
/* Makes the pattern of P anew if P has changed. IsSymmetric: whether half of each element matrix suffices */
PETSC_EXTERN PetscErrorCode PlexAssemblyUpdatePattern_Private(PlexAssembly, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyIsSymmetric_Private(PlexAssembly, Mat P, PetscBool *);
/* The parts of an assembly that tuning times. Update brings coordinates and constants up to date (collective). Launch
   runs one integral's kernels, which write the caller's arrays alone; args is PlexArgs */
PETSC_INTERN PetscErrorCode PlexAssemblyUpdate_Private(PlexAssembly asm_, PlexAssembly first);
PETSC_INTERN PetscErrorCode PlexAssemblyLaunch_Private(PlexAssembly, PlexProductKind, const void *args);
