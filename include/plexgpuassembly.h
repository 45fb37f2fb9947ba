/*
  PlexAssembly: finite element residuals and Jacobians of DMPlex problems, assembled straight into PETSc's Vec and Mat.
*/
#pragma once

#include <plexgpubackend.h>
#include <plexgpumesh.h>
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>
#include <petscts.h>

/* MANSEC = PlexGPU */

/*S
  PlexAssembly - assembles the residual and Jacobian of the discretized problem that a `DM` of type `DMPLEX` and its
  `PetscDS` describe

  Level: beginner

.seealso: `PlexAssemblyCreate()`, `PlexAssemblySetSNESLocal()`, `PlexAssemblyType`
S*/
typedef struct _p_PlexAssembly *PlexAssembly;

/*J
  PlexAssemblyType - name of an assembly strategy: what a thread owns (an element, a non-zero, a row) and where the
  element data lives (global, shared or local memory)

  Values:
+ `PLEXASSEMBLYELEMENTCOLOR`  - a thread an element, a launch a colour (Cecka, Lew and Darve 2011, 4.1)
. `PLEXASSEMBLYELEMENTATOMIC` - a thread an element, sums by atomic addition
. `PLEXASSEMBLYGLOBALNZ`      - element data in global memory, a thread a non-zero (4.2)
. `PLEXASSEMBLYGLOBALROW`     - element data in global memory, a thread a row (Table III)
. `PLEXASSEMBLYSHAREDNZ`      - element data in shared memory, a thread a non-zero (4.3)
. `PLEXASSEMBLYSHAREDROW`     - element data in shared memory, a thread a row
. `PLEXASSEMBLYLOCALNZ`       - a thread a non-zero, computing just the element entries that it sums (4.4)
- `PLEXASSEMBLYLOCALROW`      - a thread a row, computing just the element rows that it sums

  Level: beginner

.seealso: `PlexAssemblySetType()`, `PlexAssemblySetResidualType()`, `PlexAssemblySetJacobianType()`,
`PlexAssemblyRegister()`
J*/
typedef const char *PlexAssemblyType;
#define PLEXASSEMBLYAUTO          "auto"
#define PLEXASSEMBLYELEMENTCOLOR  "element_color"
#define PLEXASSEMBLYELEMENTATOMIC "element_atomic"
#define PLEXASSEMBLYGLOBALNZ      "global_nz"
#define PLEXASSEMBLYGLOBALROW     "global_row"
#define PLEXASSEMBLYSHAREDNZ      "shared_nz"
#define PLEXASSEMBLYSHAREDROW     "shared_row"
#define PLEXASSEMBLYLOCALNZ       "local_nz"
#define PLEXASSEMBLYLOCALROW      "local_row"

/* Type of a matrix that is applied and not assembled */
#define MATPLEXGPU "plexgpu"
/* Type of a preconditioner: multigrid of degrees on one mesh */
#define PCPLEXPMG "plexpmg"

/*E
  PlexIntegration - how element data is integrated

  Level: intermediate

.seealso: `PlexAssemblySetIntegration()`
E*/
typedef enum {
  PLEX_INTEGRATION_AUTO,
  PLEX_INTEGRATION_QUADRATURE,
  PLEX_INTEGRATION_TENSOR
} PlexIntegration;
PETSC_EXTERN const char *const PlexIntegrations[];

/*E
  PlexApply - what products with a matrix of type `MATPLEXGPU` are made of

  Values:
+ `PLEX_APPLY_AUTO`      - coefficients are stored where a product then moves less, and where there is memory
. `PLEX_APPLY_STORED`    - coefficients of the linearized form, evaluated at the points once a state
- `PLEX_APPLY_EVALUATED` - pointwise functions and geometry, in each product

  Level: intermediate

.seealso: `PlexAssemblySetApply()`, `MATPLEXGPU`
E*/
typedef enum {
  PLEX_APPLY_AUTO,
  PLEX_APPLY_STORED,
  PLEX_APPLY_EVALUATED
} PlexApply;
PETSC_EXTERN const char *const PlexApplies[];

/*E
  PlexTune - whether ways to assemble are timed on the user's own mesh, and how many of them

  Values:
+ `PLEX_TUNE_NONE`  - none: type and sizes are those that were asked for, or chosen by a cost model
. `PLEX_TUNE_QUICK` - every type with every way to integrate, and block sizes of the best one
- `PLEX_TUNE_FULL`  - besides, block, team and partition sizes of every type that is not far behind

  Level: intermediate

.seealso: `PlexAssemblySetTune()`, `PlexAssemblySetTuneTime()`, `PlexAssemblySetTuneArchive()`
E*/
typedef enum {
  PLEX_TUNE_NONE,
  PLEX_TUNE_QUICK,
  PLEX_TUNE_FULL
} PlexTune;
PETSC_EXTERN const char *const PlexTunes[];

/*E
  PlexPartitioner - what cuts a mesh into partitions, for the strategies that partition it

  Values:
+ `PLEX_PARTITIONER_AUTO`  - METIS for small meshes, the curve for large ones
. `PLEX_PARTITIONER_METIS` - METIS, on the graph of elements that share nodes
- `PLEX_PARTITIONER_CURVE` - runs of a Hilbert curve

  Level: advanced

.seealso: `PlexAssemblySetPartitioner()`, `PlexAssemblySetPartitionSize()`
E*/
typedef enum {
  PLEX_PARTITIONER_AUTO,
  PLEX_PARTITIONER_METIS,
  PLEX_PARTITIONER_CURVE
} PlexPartitioner;
PETSC_EXTERN const char *const PlexPartitioners[];

/*S
  PlexAssemblyCounts - how many residuals and Jacobians an assembly has computed, and how many it has left to PETSc

  Level: intermediate

.seealso: `PlexAssemblyGetCounts()`
S*/
typedef struct {
  PetscInt residuals, jacobians;         /* computed by PlexGPU */
  PetscInt residualsLeft, jacobiansLeft; /* left to PETSc's host path */
} PlexAssemblyCounts;

PETSC_EXTERN PetscClassId PLEXASSEMBLY_CLASSID;

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate(DM, PlexAssembly *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetResidualType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetResidualType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetJacobianType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetJacobianType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetVariants(PlexAssembly, const char *residual[], const char *jacobian[]);
PETSC_EXTERN PetscErrorCode PlexAssemblySetBackend(PlexAssembly, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetBackend(PlexAssembly, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetIntegration(PlexAssembly, PlexIntegration);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetIntegration(PlexAssembly, PlexIntegration *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetApply(PlexAssembly, PlexApply);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetApply(PlexAssembly, PlexApply *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetJacobianDependence(PlexAssembly, PetscBool solution, PetscBool position,
                                                              PetscBool auxiliary);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetJacobianDependence(PlexAssembly, PetscBool *solution, PetscBool *position,
                                                              PetscBool *auxiliary);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPrecision(PlexAssembly, PlexPrecision);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetPrecision(PlexAssembly, PlexPrecision *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPointwiseSource(PlexAssembly, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetPointwiseSource(PlexAssembly, const char **);
PETSC_EXTERN PetscErrorCode PlexAssemblySetSymmetric(PlexAssembly, PetscBool);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetSymmetric(PlexAssembly, PetscBool *, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetMemory(PlexAssembly, PetscInt64);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetMemory(PlexAssembly, PetscInt64 *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTensorDegree(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetTensorDegree(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetBlockSize(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetBlockSize(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTeamSize(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetTeamSize(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPartitionSize(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetPartitionSize(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPartitioner(PlexAssembly, PlexPartitioner);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetPartitioner(PlexAssembly, PlexPartitioner *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetSharedMemory(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetSharedMemory(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetExpectedAssemblies(PlexAssembly, PetscInt);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetExpectedAssemblies(PlexAssembly, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetDeterministic(PlexAssembly, PetscBool);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetDeterministic(PlexAssembly, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetFallback(PlexAssembly, PetscBool);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetFallback(PlexAssembly, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetCheckTolerance(PlexAssembly, PetscReal);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetCheckTolerance(PlexAssembly, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTune(PlexAssembly, PlexTune);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetTune(PlexAssembly, PlexTune *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTuneTime(PlexAssembly, PetscReal);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetTuneTime(PlexAssembly, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTuneArchive(PlexAssembly, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetTuneArchive(PlexAssembly, const char **);
PETSC_EXTERN PetscErrorCode PlexAssemblySetEssentialRows(PlexAssembly, IS, Vec, Vec);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetEssentialRows(PlexAssembly, IS *, Vec *, Vec *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetOptionsPrefix(PlexAssembly, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetOptionsPrefix(PlexAssembly, const char **);
PETSC_EXTERN PetscErrorCode PlexAssemblySetFromOptions(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblySetUp(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyView(PlexAssembly, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexAssemblyViewFromOptions(PlexAssembly, PetscObject, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblyReset(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyDestroy(PlexAssembly *);

PETSC_EXTERN PetscErrorCode PlexAssemblyCreateMatrix(PlexAssembly, Mat *);
PETSC_EXTERN PetscErrorCode PlexAssemblyComputeFunction(PlexAssembly, Vec, Vec, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexAssemblyComputeRHSFunction(PlexAssembly, Vec, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexAssemblyComputeJacobian(PlexAssembly, Vec, Vec, PetscReal, PetscReal, Mat, Mat);
PETSC_EXTERN PetscErrorCode PlexAssemblyAddCohesiveFunction(PlexAssembly, const PetscFormKey[], IS, Vec, Vec, PetscReal,
                                                            Vec);
PETSC_EXTERN PetscErrorCode PlexAssemblyAddCohesiveJacobian(PlexAssembly, const PetscFormKey[], IS, Vec, Vec, PetscReal,
                                                            PetscReal, Mat, Mat);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetCounts(PlexAssembly, PlexAssemblyCounts *);

PETSC_EXTERN PetscErrorCode PlexAssemblySetSNESLocal(DM, void *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTSLocal(DM, void *);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetFromDM(DM, PlexAssembly *);
PETSC_EXTERN PetscErrorCode PlexGPUSetTakeOver(PetscBool);

PETSC_EXTERN PetscErrorCode PlexAssemblyRegister(const char[], PetscErrorCode (*)(PlexAssembly));
