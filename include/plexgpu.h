/*
  PlexGPU: finite element residuals and Jacobians of DMPlex problems, assembled on the GPU straight into PETSc's Vec and Mat.

  This is the whole public interface. What a strategy or backend of your own needs besides is in plexgpu/impl.h.
*/
#pragma once

#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>
#include <petscts.h>

/* MANSEC = PlexGPU */

PETSC_EXTERN PetscErrorCode PlexGPUInitializePackage(void);
PETSC_EXTERN PetscErrorCode PlexGPUFinalizePackage(void);
PETSC_EXTERN PetscErrorCode PlexGPUSetTakeOver(PetscBool);

/*S
  PlexBackend - where assembly runs: memory, compiled kernels and their launches

  Level: intermediate

.seealso: `PlexBackendType`, `PlexAssemblySetBackend()`
S*/
typedef struct _p_PlexBackend *PlexBackend;

/*J
  PlexBackendType - name of a `PlexBackend`

  Values:
+ `PLEXBACKENDAUTO`    - `cuda` where a GPU is, else `host`
. `PLEXBACKENDCUDA`    - CUDA driver API, kernels compiled at run time with NVRTC and kept on disk
. `PLEXBACKENDHOST`    - vectorized C on one core a rank, calling the application's pointwise functions directly
- `PLEXBACKENDEMULATE` - the CUDA kernels, compiled by the host's C++ compiler and run thread by thread: slow and exact, for tests

  Level: beginner

.seealso: `PlexAssemblySetBackend()`
J*/
typedef const char *PlexBackendType;
#define PLEXBACKENDAUTO    "auto"
#define PLEXBACKENDCUDA    "cuda"
#define PLEXBACKENDHOST    "host"
#define PLEXBACKENDEMULATE "emulate"

/*S
  PlexAssembly - assembles the residual and Jacobian of the discretized problem that a `DM` of type `DMPLEX` and its `PetscDS` describe

  Level: beginner

.seealso: `PlexAssemblyCreate()`, `PlexAssemblySetSNESLocal()`, `PlexAssemblyType`
S*/
typedef struct _p_PlexAssembly *PlexAssembly;

/*J
  PLEXREORDERHILBERT - an order of dofs for `DMReorderSectionSetType()`: the cells along a Hilbert curve, each followed by those points of
  its closure that no cell before it has

  Options Database Keys:
. -dm_reorder_section -dm_reorder_section_type hilbert - likewise, read by `DMSetFromOptions()`

  Level: intermediate

  Notes:
  Elements that are neighbours in space then have neighbouring entries in vectors and rows in matrices, whatever order the mesh was numbered
  in. Points of the mesh keep their numbers: what reads vectors through the `PetscSection` sees no difference, and what counts on the
  dofs of a point coming at the place of its number does.

  With `DMReorderSectionSetDefault(dm, DM_REORDER_DEFAULT_TRUE)`, for a `DM` of type `DMPLEX` that was created after
  `PlexGPUInitializePackage()`, or given to `PlexAssemblyCreate()`, `PlexAssemblySetSNESLocal()` or `PlexAssemblySetTSLocal()`, before its local section is
  made, which the first vector, matrix or `DMGetLocalSection()` does. A mesh without coordinates keeps its order.

.seealso: `PlexAssemblySetSNESLocal()`, `PlexGPUInitializePackage()`, `DMReorderSectionSetType()`, `DMReorderSectionSetDefault()`
J*/
#define PLEXREORDERHILBERT "hilbert"

/*S
  PlexDG - nodal discontinuous Galerkin operator of a hyperbolic system on a `DM` of type `DMPLEX` with triangles or tetrahedra

  Level: beginner

.seealso: `PlexDGCreate()`, `PlexDGSetSystem()`, `PlexDGSetTS()`, `PlexDGComputeRHS()`
S*/
typedef struct _p_PlexDG *PlexDG;

/*J
  PlexDGType - name of a way to compute the right-hand side of a `PlexDG`

  Values:
+ `PLEXDGAUTO`  - `plain` where kernels run, else `host`
. `PLEXDGHOST`  - on the host: products of matrices by BLAS, in blocks of elements
. `PLEXDGPLAIN` - one kernel, a thread a node: fluxes of all faces, derivatives, lift
. `PLEXDGSEPARATE` - the kernels of Kloeckner, Warburton, Bridge and Hesthaven 2009: gather, differentiation, lift, update
. `PLEXDGFUSED` - one kernel on tensor cores, which with a low-storage scheme updates the state as well
- `PLEXDGQUADRATURE` - the one of `PLEX_DG_QUADRATURE`: products of matrices by BLAS on the host; option -plex_dg_gemm chooses kernels

  Level: beginner

.seealso: `PlexDGSetType()`, `PlexDGRegister()`
J*/
typedef const char *PlexDGType;
#define PLEXDGAUTO       "auto"
#define PLEXDGHOST       "host"
#define PLEXDGPLAIN      "plain"
#define PLEXDGSEPARATE   "separate"
#define PLEXDGFUSED      "fused"
#define PLEXDGQUADRATURE "quadrature"

#define TSPLEXLOWSTORAGE "lowstorage" /* a TSType: explicit Runge-Kutta schemes of two registers */

/*E
  PlexDGDiscretization - how a `PlexDG` is discretized

  Values:
+ `PLEX_DG_NODAL`      - matrices of the reference element alone (Kloeckner, Warburton, Bridge and Hesthaven 2009): triangles or tetrahedra with straight sides
- `PLEX_DG_QUADRATURE` - integrals by quadrature (Henry de Frahan 2011): triangles, quadrilaterals, tetrahedra or hexahedra, straight or curved

  Level: beginner

.seealso: `PlexDGSetDiscretization()`
E*/
typedef enum {
  PLEX_DG_NODAL,
  PLEX_DG_QUADRATURE
} PlexDGDiscretization;
PETSC_EXTERN const char *const PlexDGDiscretizations[];

/*S
  PlexDGSystem - a system of equations that a `PlexDG` solves; plexgpu/dg.h

  Level: developer

.seealso: `PlexDGSystemRegister()`, `PlexDGSetSystem()`
S*/
typedef struct _n_PlexDGSystem *PlexDGSystem;

/*S
  PlexDGProbes - points at which the fields of a `PlexDG` are evaluated

  Level: intermediate

.seealso: `PlexDGProbesCreate()`, `PlexDGProbesEvaluate()`, `PlexDGMonitorProbes()`
S*/
typedef struct _n_PlexDGProbes *PlexDGProbes;

/* u[Nf] at x[dim] and time t; coefficients k[n] of the element with centroid x[dim], a point of the mesh */
typedef PetscErrorCode PlexDGFn(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
typedef PetscErrorCode PlexDGCoefficientFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx);

/*S
  PlexHDG - hybridized discontinuous Galerkin discretization of -div(kappa grad u) + lambda u = f on a `DM` of type `DMPLEX`

  Level: beginner

.seealso: `PlexHDGCreate()`, `PlexHDGAddBoundary()`, `PlexHDGSolve()`
S*/
typedef struct _p_PlexHDG *PlexHDG;

/*E
  PlexHDGBoundary - a boundary condition of a `PlexHDG`, with q = kappa grad u and the outward normal n

  Values:
+ `PLEX_HDG_DIRICHLET` - u = g
. `PLEX_HDG_NEUMANN`   - q . n = g
- `PLEX_HDG_ROBIN`     - q . n + alpha u = g, alpha >= 0

  Level: beginner

.seealso: `PlexHDGAddBoundary()`
E*/
typedef enum {
  PLEX_HDG_DIRICHLET,
  PLEX_HDG_NEUMANN,
  PLEX_HDG_ROBIN
} PlexHDGBoundary;
PETSC_EXTERN const char *const PlexHDGBoundaries[];

/* u[n] at x[dim]; g[n] at x[dim] of the boundary with the outward normal n[dim]: g, of Robin's condition alpha besides; kappa[dim][dim] and lambda of the element with
   centroid x[dim], a point of the mesh; tau of its face with center x[dim], likewise a point of the mesh */
typedef PetscErrorCode PlexHDGFn(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx);
typedef PetscErrorCode PlexHDGBoundaryFn(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[], void *ctx);
typedef PetscErrorCode PlexHDGCoefficientFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda, void *ctx);
typedef PetscErrorCode PlexHDGPointFn(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[], void *ctx);
typedef PetscErrorCode PlexHDGStabilizationFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau, void *ctx);

/*J
  PlexAssemblyType - name of an assembly strategy: what a thread owns (an element, a non-zero, a row) and where the element data
  lives (global, shared or local memory)

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

.seealso: `PlexAssemblySetType()`, `PlexAssemblySetResidualType()`, `PlexAssemblySetJacobianType()`, `PlexAssemblyRegister()`
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

/*E
  PlexPrecision - arithmetic and element data of a `PlexAssembly`; the residual and the matrix stay `PetscScalar`

  Level: intermediate

.seealso: `PlexAssemblySetPrecision()`
E*/
typedef enum {
  PLEX_PRECISION_DOUBLE,
  PLEX_PRECISION_SINGLE
} PlexPrecision;
PETSC_EXTERN const char *const PlexPrecisions[];

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

PETSC_EXTERN PetscClassId PLEXBACKEND_CLASSID;
PETSC_EXTERN PetscClassId PLEXASSEMBLY_CLASSID;
PETSC_EXTERN PetscClassId PLEXDG_CLASSID;
PETSC_EXTERN PetscClassId PLEXHDG_CLASSID;

PETSC_EXTERN PetscErrorCode PlexBackendCreate(PlexBackendType, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexBackendDestroy(PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexBackendGetType(PlexBackend, PlexBackendType *);
PETSC_EXTERN PetscErrorCode PlexBackendView(PlexBackend, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexBackendIsAvailable(PlexBackendType, PetscBool *);

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate(DM, PlexAssembly *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetResidualType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetResidualType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetJacobianType(PlexAssembly, PlexAssemblyType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetJacobianType(PlexAssembly, PlexAssemblyType *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetBackend(PlexAssembly, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetBackend(PlexAssembly, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetIntegration(PlexAssembly, PlexIntegration);
PETSC_EXTERN PetscErrorCode PlexAssemblySetJacobianDependence(PlexAssembly, PetscBool solution, PetscBool position, PetscBool auxiliary);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetJacobianDependence(PlexAssembly, PetscBool *solution, PetscBool *position, PetscBool *auxiliary);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPrecision(PlexAssembly, PlexPrecision);
PETSC_EXTERN PetscErrorCode PlexAssemblySetPointwiseSource(PlexAssembly, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblySetSymmetric(PlexAssembly, PetscBool);
PETSC_EXTERN PetscErrorCode PlexAssemblySetMemory(PlexAssembly, PetscInt64);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTune(PlexAssembly, PlexTune);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTuneTime(PlexAssembly, PetscReal);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTuneArchive(PlexAssembly, const char[]);
PETSC_EXTERN PetscErrorCode PlexAssemblySetOptionsPrefix(PlexAssembly, const char[]);
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
PETSC_EXTERN PetscErrorCode PlexAssemblyGetCounts(PlexAssembly, PetscInt *, PetscInt *, PetscInt *, PetscInt *);

PETSC_EXTERN PetscErrorCode PlexAssemblySetSNESLocal(DM, void *);
PETSC_EXTERN PetscErrorCode PlexAssemblySetTSLocal(DM, void *);
PETSC_EXTERN PetscErrorCode PlexAssemblyGetFromDM(DM, PlexAssembly *);

PETSC_EXTERN PetscErrorCode PlexAssemblyRegister(const char[], PetscErrorCode (*)(PlexAssembly));
PETSC_EXTERN PetscErrorCode PlexBackendRegister(const char[], PetscErrorCode (*)(PlexBackend));

PETSC_EXTERN PetscErrorCode PlexDGCreate(DM, PlexDG *);
PETSC_EXTERN PetscErrorCode PlexDGSetType(PlexDG, PlexDGType);
PETSC_EXTERN PetscErrorCode PlexDGGetType(PlexDG, PlexDGType *);
PETSC_EXTERN PetscErrorCode PlexDGSetDegree(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGSetDiscretization(PlexDG, PlexDGDiscretization);
PETSC_EXTERN PetscErrorCode PlexDGSetSystem(PlexDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetConstant(PlexDG, const char[], PetscInt, const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetCoefficients(PlexDG, PlexDGCoefficientFn *, void *);
PETSC_EXTERN PetscErrorCode PlexDGAddBoundary(PlexDG, const char[], PetscInt, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetBackend(PlexDG, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexDGGetBackend(PlexDG, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexDGSetPrecision(PlexDG, PlexPrecision);
PETSC_EXTERN PetscErrorCode PlexDGSetCFL(PlexDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexDGSetOptionsPrefix(PlexDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetFromOptions(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGSetUp(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGView(PlexDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexDGReset(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGDestroy(PlexDG *);
PETSC_EXTERN PetscErrorCode PlexDGRegister(const char[], PetscErrorCode (*)(PlexDG));
PETSC_EXTERN PetscErrorCode PlexDGSystemRegister(const char[], PetscErrorCode (*)(PlexDGSystem));

PETSC_EXTERN PetscErrorCode PlexDGCreateVec(PlexDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexDGProject(PlexDG, PetscReal, PlexDGFn *, void *, Vec);
PETSC_EXTERN PetscErrorCode PlexDGComputeRHS(PlexDG, PetscReal, Vec, Vec);
PETSC_EXTERN PetscErrorCode PlexDGComputeTimeStep(PlexDG, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeL2Error(PlexDG, PetscReal, PlexDGFn *, void *, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeEnergy(PlexDG, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeIntegrals(PlexDG, Vec, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetTS(PlexDG, TS);
PETSC_EXTERN PetscErrorCode PlexDGLimit(PlexDG, Vec);
PETSC_EXTERN PetscErrorCode TSPlexLowStorageSetScheme(TS, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetStabilityCheck(PlexDG, PetscInt);

PETSC_EXTERN PetscErrorCode PlexDGSaveCheckpoint(PlexDG, TS, Vec, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGLoadCheckpoint(PlexDG, TS, const char[], Vec);
PETSC_EXTERN PetscErrorCode PlexDGRestartFromOptions(PlexDG, TS, Vec, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexDGMonitorCheckpoint(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGWriteVTKHDF(PlexDG, const char[], PetscBool, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexDGMonitorSolution(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGMonitorEnergy(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGMonitorProbes(PlexDG, TS, PetscInt, const PetscReal[], const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGProbesCreate(PlexDG, PetscInt, const PetscReal[], PetscBool[], PlexDGProbes *);
PETSC_EXTERN PetscErrorCode PlexDGProbesEvaluate(PlexDGProbes, Vec, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGProbesDestroy(PlexDGProbes *);

PETSC_EXTERN PetscErrorCode PlexHDGCreate(DM, PlexHDG *);
PETSC_EXTERN PetscErrorCode PlexHDGSetDegree(PlexHDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexHDGSetDiffusion(PlexHDG, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGSetCoefficients(PlexHDG, PlexHDGCoefficientFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGSetPointwise(PlexHDG, PlexHDGPointFn *, PetscBool, void *);
PETSC_EXTERN PetscErrorCode PlexHDGSetTau(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGSetTauFactor(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGSetStabilization(PlexHDG, PlexHDGStabilizationFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGSetSource(PlexHDG, PlexHDGFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGAddBoundary(PlexHDG, const char[], PetscInt, PlexHDGBoundary, PlexHDGBoundaryFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGSetBackend(PlexHDG, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexHDGGetBackend(PlexHDG, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexHDGSetKeep(PlexHDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexHDGSetTensorCores(PlexHDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexHDGSetSELL(PlexHDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexHDGSetTile(PlexHDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexHDGSetMemory(PlexHDG, PetscInt64);
PETSC_EXTERN PetscErrorCode PlexHDGSetOptionsPrefix(PlexHDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetFromOptions(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGSetUp(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGView(PlexHDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexHDGReset(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGDestroy(PlexHDG *);

PETSC_EXTERN PetscErrorCode PlexHDGGetKSP(PlexHDG, KSP *);
PETSC_EXTERN PetscErrorCode PlexHDGCreateVecs(PlexHDG, Vec *, Vec *, Vec *, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGAssemble(PlexHDG, Mat *);
PETSC_EXTERN PetscErrorCode PlexHDGComputeRHS(PlexHDG, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGRecover(PlexHDG, Vec, Vec, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGPostprocess(PlexHDG, Vec, Vec, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGSolve(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGSolveTrace(PlexHDG, Vec rhs, Vec trace);
PETSC_EXTERN PetscErrorCode PlexHDGGetSolution(PlexHDG, Vec *, Vec *, Vec *, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGCreateStateVec(PlexHDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGProjectState(PlexHDG, PlexHDGFn *, void *, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGSetState(PlexHDG, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGSetTimeVariable(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetSNES(PlexHDG, SNES);
PETSC_EXTERN PetscErrorCode PlexHDGSetTS(PlexHDG, TS);
PETSC_EXTERN PetscErrorCode PlexHDGComputeL2Error(PlexHDG, PlexHDGFn *, PlexHDGFn *, void *, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeMaxError(PlexHDG, PlexHDGFn *, PlexHDGFn *, void *, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeFluxJump(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG, const char[], PlexHDGFn *, void *);
