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
/* Whether some boundary has functions for a preconditioner */
PETSC_INTERN PetscErrorCode PlexBoundariesPrecondition_Private(DM, PetscBool *has);
/* Another term of a sum, which asm_ owns: it writes, or it is additive; NULL where it adds nothing. And puts it at the
   end of the sum, if there is one */
PETSC_INTERN PetscErrorCode PlexAssemblyCreateTerm_Private(PlexAssembly asm_, const PlexIntegral *, PetscBool additive,
                                                           PlexAssembly *);
PETSC_INTERN void           PlexAssemblyAppend_Private(PlexAssembly first, PlexAssembly term);
/* Sums over cohesive cells: cohesive.c. HasCohesive: whether a field of the DM is one of such cells. AddCohesiveRegions:
   adds what PETSc's residual of SNES has of them. SumsGet: first term of sum number k, of those that have terms; NULL:
   there are not so many */
PETSC_INTERN PetscErrorCode PlexHasCohesive_Private(DM, PetscBool *);
PETSC_INTERN PetscErrorCode PlexAssemblyAddCohesiveRegions_Private(PlexAssembly, Vec locX, Vec locF);
PETSC_INTERN PetscErrorCode PlexCohesiveSumsDestroy_Private(PlexAssembly);
PETSC_INTERN PlexAssembly   PlexCohesiveSumsGet_Private(PlexAssembly, PetscInt k);
/* What is asked for: a product of a sum */
typedef struct {
  PlexAssembly      asm_;         /* the owner */
  PetscBool         explicitPart; /* the sum is that part's */
  PlexAssembly      first;        /* first term of the sum, once there is one */
  PlexProductKind   kind;
  Mat               P;         /* PLEX_JACOBIAN: the matrix that the sum goes into; else NULL */
  const PlexMoment *at;        /* NULL: before there is a state; nothing is tuned then, and no function is called */
  PetscBool         beside;    /* P is the Jacobian beside a preconditioner's matrix */
  Vec               direction; /* of actions: local vector that the Jacobian is applied to, or NULL */
  PetscInt          component; /* of the diagonal: see PlexArgs */
  PetscBool         zero;      /* of actions: what is added to is zero */
  PetscBool         leave;     /* the product, or the whole assembly, is left to PETSc */
  PetscBool         tuned;     /* types and sizes are other ones, and so are all integrals but the owner */
} PlexRequest;
/* Computes the terms of r->first, whose plans exist, into locF or r->P. PLEX_WRITE: the first term writes, the others add;
   PLEX_CHANGE: all of them add to what is there */
PETSC_INTERN PetscErrorCode PlexAssemblyComputeTerms_Private(const PlexRequest *r, PlexAccess, Vec locF);
/* What it needs up to date, in this order */
typedef enum {
  PLEX_REFRESH_ELEMENTS,
  PLEX_REFRESH_TYPES,
  PLEX_REFRESH_INTEGRALS, /* that the terms of a sum are there */
  PLEX_REFRESH_SUM,       /* coordinates and pattern of a sum */
  PLEX_REFRESH_CONSTANTS, /* its constants */
  PLEX_REFRESH_PRODUCTS   /* its plans and kernels */
} PlexRefreshStage;
/* Makes again what is not right any more: refresh.c. Collective */
PETSC_INTERN PetscErrorCode PlexAssemblyRefresh_Private(PlexRequest *, PlexRefreshStage from, PlexRefreshStage to);
/* What it makes: the owner's elements and form; the terms of its sums; the pattern of P. And the product of each term:
   if one cannot be set up, the owner is left to PETSc, for the reason in the error */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpElements_Private(PlexRequest *);
PETSC_INTERN PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexRequest *);
/* -plex_assembly_source auto: finds the files of the terms from `first` on, or leaves the forms to PETSc. Collective. */
PETSC_INTERN PetscErrorCode PlexAssemblyFindSource_Private(PlexAssembly, PlexAssembly first);
PETSC_EXTERN PetscErrorCode PlexAssemblyUpdatePattern_Private(PlexRequest *);
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProducts_Private(PlexRequest *);
/* Set-up of one product: of the Jacobian into P, whose pattern is there, or, P NULL, of the residual. Not collective */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly, PlexProduct *, Mat P);
/* After form and elements: finds whether elements are affine or have a dof twice, and copies arrays to the device */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpIntegral_Private(PlexAssembly);
/* Frees all integrals but the owner */
PETSC_INTERN PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly);
/* Whether an integral has a function for a product */
PETSC_INTERN PetscBool PlexAssemblyHasProduct_Private(PlexAssembly, PlexProductKind);
/* The auxiliary vector that a product takes, and its DM's number; 0: there is none */
PETSC_INTERN PetscErrorCode PlexIntegralFindAuxiliary_Private(DM, const PlexIntegral *, PetscInt kind, Vec *,
                                                              PetscObjectId *);
/* Chooses the integration of a product, at each assembly. Resets a product that was set up for another integration */
PETSC_INTERN PetscErrorCode PlexAssemblyChooseIntegration_Private(PlexAssembly, PlexProduct *);
/* Sums the rows that several processes add to. Lists and memory are those of a pattern's halo, and stay as long as the
   pattern */
PETSC_INTERN PetscErrorCode PlexExchangeCreate_Private(PlexBackend, PlexHalo, PlexExchange *);
PETSC_INTERN PetscErrorCode PlexExchangeDestroy_Private(PlexExchange *);
PETSC_INTERN PetscScalar   *PlexExchangeGetArray_Private(PlexExchange); /* B of PlexArgs */
/* Sends the rows of other processes, receives this process's, and writes the interface rows of the blocks A and O.
   early: rows to be sent are complete on the side queue; else on the main queue. add: adds to the interface rows in
   place of writing them. Collective */
PETSC_INTERN PetscErrorCode PlexExchangeSum_Private(PlexExchange, PlexHalo, PetscBool early, PetscBool add,
                                                    PetscScalar A[], PetscScalar O[]);
/* Zeroes what this process's elements add to */
PETSC_INTERN PetscErrorCode PlexExchangeZero_Private(PlexExchange, PlexHalo);
/* Whether rows to be sent are complete before the rest of the matrix */
PETSC_INTERN PetscBool      PlexAssemblySendsEarly_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexExchangeView_Private(PlexExchange, PlexHalo, PetscBool early, double seconds,
                                                     PetscViewer);
/* Compares what cohesive cells add, vectors or matrices, with PETSc's */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckCohesive_Private(const PlexRequest *, Vec here, Vec petsc, Mat hereA,
                                                              Mat petscA);
/* Compares matrices of hanging nodes with PETSc's own; J is P where there is one */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckAnchors_Private(const PlexRequest *, Mat J, Mat P);
/* Compares what was computed, in locF or in P, with PETSc's own */
PETSC_INTERN PetscErrorCode PlexAssemblyCheck_Private(const PlexRequest *, Vec locF);

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
/* The basis transform of the DM, and local vectors transformed where they live: basis.c */
PETSC_INTERN PetscErrorCode PlexAssemblySetUpBasis_Private(PlexAssembly);
/* Makes plans and kernels before the first assembly needs them */
PETSC_EXTERN PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly, PetscBool residual, Mat J, Mat P);
PETSC_INTERN PetscErrorCode PlexAssemblyCreateOn_Private(MPI_Comm, PlexAssembly owner, PlexAssembly *);
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
PETSC_INTERN PetscErrorCode PlexAssemblyLeavePattern_Private(PlexRequest *);
PETSC_INTERN PetscErrorCode PlexAssemblyLeaveCopy_Private(PlexRequest *, PlexMatCopy);
/* Leaves an assembly to PETSc if a cell of the sum is inside out on any process. Collective */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckGeometry_Private(PlexAssembly asm_, PlexAssembly first);
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
/* What a matrix without entries keeps: kept.c */
typedef struct {
  PlexMoment   at; /* its vectors are owned */
  PetscInt64   form, moves;
  PetscInt     nconstants;
  PetscScalar *constants;
  PetscScalar  scale;               /* the matrix is so many times the Jacobian */
  PetscBool    single;              /* it is that of the preconditioner, too */
  PetscBool    fresh[PLEX_ACTIONS]; /* an action was set up for this state */
} PlexKept;
/* Set: to the form that the assembly was last set up with, and to the mesh and the constants as they are; collective */
PETSC_INTERN PetscErrorCode PlexKeptSet_Private(PlexAssembly, const PlexMoment *, PlexKept *);
PETSC_INTERN PetscErrorCode PlexKeptCopy_Private(const PlexKept *from, PlexKept *to);
PETSC_INTERN PetscErrorCode PlexKeptReset_Private(PlexKept *);
/* Errors where the form that the assembly is set up with, or the mesh, is another one; Mesh is collective */
PETSC_INTERN PetscErrorCode PlexKeptCheckForm_Private(PlexAssembly, const PlexKept *);
PETSC_INTERN PetscErrorCode PlexKeptCheckMesh_Private(PlexAssembly, const PlexKept *);
/* From Begin to End the PetscDS have the kept constants; *others NULL: they have them anyway, or another number of them */
PETSC_INTERN PetscErrorCode PlexKeptConstantsBegin_Private(DM, const PlexKept *, PetscScalar **others);
PETSC_INTERN PetscErrorCode PlexKeptConstantsEnd_Private(DM, PetscScalar **others);
/* How often the coordinates have changed, on any process, as far as it was asked for: state.c. Collective */
PETSC_INTERN PetscErrorCode PlexAssemblyCountMoves_Private(PlexAssembly, PetscInt64 *);
/* Actions of the Jacobian: action.c, integrals.c, essential.c. MakeAction: the terms of one. ComputeAction: component: see
   PlexArgs. x and y are global; adds to y, which is zero or not; x NULL: of the diagonal */
PETSC_INTERN PetscErrorCode PlexAssemblyMakeAction_Private(PlexAssembly, PlexAction);
PETSC_INTERN PetscErrorCode PlexAssemblyComputeAction_Private(PlexAssembly, PlexAction, PlexKept *, PetscInt component,
                                                              PetscBool zero, Vec x, Vec y);
PETSC_INTERN PetscErrorCode PlexEssentialAction_Private(PlexAssembly, Vec locV, Vec locW);
/* An error where the Jacobian of an assembly has no action here */
PETSC_INTERN PetscErrorCode PlexAssemblyCheckActions_Private(PlexAssembly, PetscBool preconditioner);
/* -plex_assembly_apply: whether a SNES applies its Jacobian; *how, unless NULL: what products are made of, where it is said */
PETSC_INTERN PetscErrorCode PlexApplyRead_Private(const char prefix[], PetscBool *apply, PlexApply *how);
/* Name of an operation of matrices of type MATPLEXGPU (matplexgpu.c), by which they become the Jacobian at a moment; single:
   and the matrix for the preconditioner; preconditioner: that one beside another J */
#define PLEX_MAT_SET_MOMENT "PlexAssemblySetMoment_C"
/* The state of a matrix of that type; *asm_ NULL: of another type, or without one. KeepMoment: an assembled matrix keeps
   its state, under this name, where the DM has the function under the same name */
#define PLEX_KEEP_MOMENT "PlexAssemblyKeepMoment_C"
PETSC_INTERN PetscErrorCode MatPlexGPUGetKept_Private(Mat, PlexAssembly *asm_, const PlexKept **);
PETSC_INTERN PetscErrorCode MatPlexGPUKeepMoment_Private(Mat, PlexAssembly, const PlexMoment *);
/* Of the plans of actions on this process, in the backend's memory */
PETSC_INTERN PetscErrorCode PlexAssemblyGetPlanBytes_Private(PlexAssembly, double *bytes);
/* Name under which the DM of one field, as PCFIELDSPLIT has, keeps the DM of all of them */
#define PLEX_DM_OF_FIELD "PlexDMOfField"
/* Lets DMCreateMatrix() of a DM make matrices as PlexAssemblyCreateMatrix() does: matrix.c */
PETSC_INTERN PetscErrorCode PlexAssemblyTakeMatrix_Private(DM);
/* Lets mass matrices of a DM be assembled here, those of DMCreateMassMatrix() and of ...Lumped(): mass.c */
PETSC_INTERN PetscErrorCode PlexAssemblyTakeMass_Private(DM);
/* Lets functions be projected into a DM here, and into its clones: project.c. ...New: where PlexGPU takes over, or where
   the DM that it is a clone of, or NULL, does so. View: a line, where there were some */
PETSC_INTERN PetscErrorCode PlexTakeProjection_Private(DM);
PETSC_INTERN PetscErrorCode PlexTakeProjectionNew_Private(DM, DM from);
PETSC_INTERN PetscErrorCode PlexProjectionsView_Private(DM, PetscViewer);
/* PETSc's own functions, also where libplexgpu_preload.so stands before their names: petscown.c */
typedef struct {
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *);
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *);
  PetscErrorCode (*ijacobian)(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *);
  PetscErrorCode (*rhsfunction)(DM, PetscReal, Vec, Vec, void *);
  PetscErrorCode (*cohesivefunction)(DM, PetscFormKey[], IS, PetscReal, Vec, Vec, PetscReal, Vec, void *);
  PetscErrorCode (*cohesivejacobian)(DM, PetscFormKey[], IS, PetscReal, PetscReal, Vec, Vec, Mat, Mat, void *);
  PetscErrorCode (*massmatrix)(DM, DM, Mat *);
  PetscErrorCode (*masslumped)(DM, Vec *, Vec *);
} PlexPetscFunctions;
PETSC_INTERN PlexPetscFunctions PlexPetsc;
/* Rows of essential values: essential.c. Begin and End around a residual or Jacobian: `inner` is where it is computed.
   Entries: of a matrix of the sum, whose values are complete. Matrix: of one that PETSc has assembled */
PETSC_INTERN PetscErrorCode PlexEssentialBegin_Private(PlexAssembly, const PlexMoment *at, PlexMoment *inner);
PETSC_INTERN PetscErrorCode PlexEssentialEnd_Private(PlexAssembly, const PlexMoment *at, PlexMoment *inner, Vec locF,
                                                     PetscBool explicitPart);
PETSC_INTERN PetscErrorCode PlexEssentialEntries_Private(PlexAssembly first, Mat P, PetscScalar *A, PetscScalar *O);
PETSC_INTERN PetscErrorCode PlexEssentialMatrix_Private(PlexAssembly, Mat);
PETSC_INTERN PetscErrorCode PlexEssentialEntriesDestroy_Private(PlexAssembly first);
PETSC_INTERN PetscErrorCode PlexEssentialReset_Private(PlexAssembly, PetscBool all);
PETSC_INTERN PetscErrorCode PlexEssentialView_Private(PlexAssembly, PetscViewer);
/* PETSc's residual of SNES, cohesive cells too; and whether one is under way */
PETSC_INTERN PetscErrorCode PlexPetscFunction_Private(DM, Vec locX, Vec locF);
PETSC_INTERN PetscBool      PlexIsPetscs_Private(void);
PETSC_INTERN PetscErrorCode PlexInterposeInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexInterposeFinalize_Private(void);
/* Whether libplexgpu_preload.so stands before their names; *within, unless NULL: whether a call of one is under way */
PETSC_INTERN PetscBool PlexInterposes_Private(PetscBool *within);
/* A call comes by such a name (1), and returns (-1) */
PETSC_INTERN void PlexInterposeEnter_Private(PetscInt calls);
/* Types of SNES and TS that take over: takeover.c */
/* Output that options ask for, of solvers whose functions are ours; monitor.c */
PETSC_INTERN PetscErrorCode PlexAssemblyMonitorTS_Private(TS);
PETSC_INTERN PetscErrorCode PlexAssemblyMonitorSNES_Private(SNES);
PETSC_INTERN PetscErrorCode PlexTakeOverWanted_Private(DM, PetscBool *wanted);
PETSC_INTERN void           PlexTakeOverForget_Private(void); /* at the end */
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
/* A type that is chosen */
typedef struct {
  PlexAssemblyType type;  /* static, as all here but the reason */
  char            *why;   /* freed with PetscFree() */
  PlexFollower     later; /* a faster one, whose plan pays only after some assemblies */
} PlexChoice;
#define PLEX_LATER_SHARE 0.75 /* of a follower's plan that would have been saved when it follows */
/* A faster type that follows: later.c. Whether the next assembly is to be timed; counts one that took so long, if it
   was; makes the change where it is due */
PETSC_INTERN PetscBool      PlexAssemblyMeasuresLater_Private(const PlexRequest *);
PETSC_INTERN PetscErrorCode PlexAssemblyCountLater_Private(const PlexRequest *, PetscLogDouble seconds);
PETSC_INTERN PetscErrorCode PlexAssemblyChangeLater_Private(PlexRequest *);
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
  /* the type that the cost model prefers for a product */
  PetscErrorCode (*choose)(PlexAssembly, PlexProductKind, PlexChoice *);
} PlexTuning;
PETSC_INTERN PlexTuning PlexAssemblyTuning;
/* The names of all types; PetscFree() the array */
PETSC_INTERN PetscErrorCode PlexAssemblyGetTypes_Private(int *n, const char ***names);
/* Whether a type serves the elements that are there: vector spaces have few */
PETSC_INTERN PetscErrorCode PlexTypeServes_Private(PlexAssembly, PlexAssemblyType, PetscBool *serves);
/* *create NULL: there is no such type */
PETSC_INTERN PetscErrorCode PlexAssemblyFindType_Private(PlexAssemblyType, PetscErrorCode (**create)(PlexAssembly));
/* Gives a product another type: resets the product, and leaves the integrals */
PETSC_INTERN PetscErrorCode PlexAssemblySwitchType_Private(PlexAssembly, PlexProductKind, PlexAssemblyType);
/* A variant of a type by its name, or NULL: variants.c */
PETSC_INTERN PetscErrorCode PlexVariantFind_Private(const char type[], PlexProductKind, const char name[],
                                                    const PlexVariant **);
/* Appends TYPE[:VARIANT|VARIANT...] */
PETSC_INTERN PetscErrorCode PlexVariantsSay_Private(const char type[], char text[], size_t);
/* An error where another variant, of any type, has its name */
PETSC_INTERN PetscErrorCode PlexVariantCheckNew_Private(const PlexVariant *);
/* After the plan of a product: an error where another variant was asked for than the one it has */
PETSC_INTERN PetscErrorCode PlexVariantCheck_Private(PlexAssembly, const PlexProduct *);
/* Whether half of each element matrix suffices */
PETSC_INTERN PetscErrorCode PlexAssemblyIsSymmetric_Private(PlexAssembly, Mat P, PetscBool *);
/* Runs the kernels of one integral, with its geometry, constants and auxiliary fields. Takes the time if that is asked
   for. args is PlexArgs: what the terms of a sum have in common */
PETSC_INTERN PetscErrorCode PlexAssemblyLaunch_Private(PlexAssembly, PlexProductKind, const void *args);
