/*
  PlexDG: discontinuous Galerkin operators of hyperbolic systems on DMPlex meshes.
*/
#pragma once

#include <plexgpubackend.h>
#include <petscdmplex.h>
#include <petscts.h>

/* MANSEC = PlexGPU */

/*S
  PlexDG - nodal discontinuous Galerkin operator of a hyperbolic system on a `DM` of type `DMPLEX` with triangles or
  tetrahedra

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
. `PLEXDGSEPARATE` - the kernels of Kloeckner, Warburton, Bridge and Hesthaven 2009: gather, differentiation, lift,
  update
. `PLEXDGFUSED` - one kernel on tensor cores, which with a low-storage scheme updates the state as well
- `PLEXDGQUADRATURE` - the one of `PLEX_DG_QUADRATURE`: products of matrices by BLAS on the host; option -plex_dg_gemm
  chooses kernels

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
#define TSPLEXMULTIRATE  "multirate"  /* a TSType: elements of a PlexDG have steps of their own */
#define TSADAPTPLEXDGCFL "plexdgcfl"  /* a TSAdaptType: steps that follow the speed of the state */

/*E
  PlexDGDiscretization - how a `PlexDG` is discretized

  Values:
+ `PLEX_DG_NODAL`      - matrices of the reference element alone (Kloeckner, Warburton, Bridge and Hesthaven 2009):
  triangles or tetrahedra; curved ones of systems that are not in flux form
- `PLEX_DG_QUADRATURE` - integrals by quadrature (Henry de Frahan 2011): triangles, quadrilaterals, tetrahedra or
  hexahedra, straight or curved; or straight triangles and quadrilaterals in one mesh

  Level: beginner

.seealso: `PlexDGSetDiscretization()`
E*/
typedef enum {
  PLEX_DG_NODAL,
  PLEX_DG_QUADRATURE
} PlexDGDiscretization;
PETSC_EXTERN const char *const PlexDGDiscretizations[];

/*S
  PlexDGSystem - a system of equations that a `PlexDG` solves; plexgpu/private/dgimpl.h

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

/*S
  PlexDGFarField - transforms in time of the fields on a closed surface in a mesh of a `PlexDG` of Maxwell's equations,
  and the far field that follows from them

  Level: intermediate

.seealso: `PlexDGFarFieldCreate()`, `PlexDGFarFieldSetTS()`, `PlexDGFarFieldGetCrossSections()`, `PlexDGMonitorFarField()`
S*/
typedef struct _n_PlexDGFarField *PlexDGFarField;

/* u[Nf] at x[dim] and time t; coefficients k[n] of the element with centroid x[dim], a point of the mesh */
typedef PetscErrorCode PlexDGFn(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                void *ctx);
typedef PetscErrorCode PlexDGCoefficientFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                           void *ctx);
/* Coefficients k[n] at x[dim], in k[] those of the element */
typedef PetscErrorCode PlexDGMaterialFn(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx);
/* Moves x[dim] to the nearest point of a surface, or another one nearby that depends smoothly on it */
typedef PetscErrorCode PlexDGCurveFn(PetscInt dim, PetscReal x[], void *ctx);

PETSC_EXTERN PetscClassId PLEXDG_CLASSID;

PETSC_EXTERN PetscErrorCode PlexDGCreate(DM, PlexDG *);
PETSC_EXTERN PetscErrorCode PlexDGSetType(PlexDG, PlexDGType);
PETSC_EXTERN PetscErrorCode PlexDGGetType(PlexDG, PlexDGType *);
PETSC_EXTERN PetscErrorCode PlexDGSetDegree(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetDegree(PlexDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexDGSetDiscretization(PlexDG, PlexDGDiscretization);
PETSC_EXTERN PetscErrorCode PlexDGSetQuadratureDegree(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetQuadratureDegree(PlexDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexDGGetDiscretization(PlexDG, PlexDGDiscretization *);
PETSC_EXTERN PetscErrorCode PlexDGSetSystem(PlexDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGGetSystem(PlexDG, const char **);
PETSC_EXTERN PetscErrorCode PlexDGGetFields(PlexDG, PetscInt *, const char *const *[]);
PETSC_EXTERN PetscErrorCode PlexDGSetConstant(PlexDG, const char[], PetscInt, const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGGetConstant(PlexDG, const char[], PetscInt *, const PetscReal *[]);
PETSC_EXTERN PetscErrorCode PlexDGSetCoefficients(PlexDG, PlexDGCoefficientFn *, void *);
PETSC_EXTERN PetscErrorCode PlexDGGetCoefficients(PlexDG, PlexDGCoefficientFn **, void **);
PETSC_EXTERN PetscErrorCode PlexDGAddMaterial(PlexDG, const char[], PetscInt, PetscInt, const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetMaterialFunction(PlexDG, const char[], PetscInt, PlexDGMaterialFn *, void *);
PETSC_EXTERN PetscErrorCode PlexDGAddDispersion(PlexDG, const char[], PetscInt, const char[], PetscInt,
                                                const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGAddBoundary(PlexDG, const char[], PetscInt, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGAddSheet(PlexDG, const char[], PetscInt, PetscReal);
PETSC_EXTERN PetscErrorCode PlexDGFitConductor(const PetscReal[], PetscInt *, PetscReal *, PetscReal[], PetscReal[],
                                               PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGSetTotalField(PlexDG, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGAddDipole(PlexDG, const PetscReal[], const PetscReal[], const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetPML(PlexDG, const char[], PetscInt, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetPMLProfile(PlexDG, PetscReal, PetscInt, PetscReal);
PETSC_EXTERN PetscErrorCode PlexDGGetPMLProfile(PlexDG, PetscReal *, PetscInt *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGGetPML(PlexDG, PetscInt *, PetscReal[], PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGSetCurve(PlexDG, const char[], PetscInt, PlexDGCurveFn *, void *);
PETSC_EXTERN PetscErrorCode PlexDGSetCurveDegree(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetCurveDegree(PlexDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexDGGetCurved(PlexDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexDGSetBoundarySeries(PlexDG, const char[], PetscInt, PetscInt, const PetscReal[],
                                                    const PetscReal[], const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetBoundaryTide(PlexDG, const char[], PetscInt, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGSetBackend(PlexDG, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexDGGetBackend(PlexDG, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexDGSetPrecision(PlexDG, PlexPrecision);
PETSC_EXTERN PetscErrorCode PlexDGGetPrecision(PlexDG, PlexPrecision *);
PETSC_EXTERN PetscErrorCode PlexDGSetCFL(PlexDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexDGGetCFL(PlexDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGSetLevels(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetLevels(PlexDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexDGGetLevelSizes(PlexDG, PetscInt *, PetscInt64[], PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGSetOptionsPrefix(PlexDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGGetOptionsPrefix(PlexDG, const char **);
PETSC_EXTERN PetscErrorCode PlexDGSetFromOptions(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGSetUp(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGView(PlexDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexDGReset(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGDestroy(PlexDG *);
PETSC_EXTERN PetscErrorCode PlexDGRegister(const char[], PetscErrorCode (*)(PlexDG));
PETSC_EXTERN PetscErrorCode PlexDGSystemRegister(const char[], PetscErrorCode (*)(PlexDGSystem));

PETSC_EXTERN PetscErrorCode PlexDGCreateVec(PlexDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexDGGetNodes(PlexDG, PetscInt *, PetscInt *, const PetscReal *[]);
PETSC_EXTERN PetscErrorCode PlexDGProject(PlexDG, PetscReal, PlexDGFn *, void *, Vec);
PETSC_EXTERN PetscErrorCode PlexDGComputeRHS(PlexDG, PetscReal, Vec, Vec);
PETSC_EXTERN PetscErrorCode PlexDGComputeTimeStep(PlexDG, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeL2Error(PlexDG, PetscReal, PlexDGFn *, void *, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeEnergy(PlexDG, Vec, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGComputeIntegrals(PlexDG, Vec, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGSetTS(PlexDG, TS);
PETSC_EXTERN PetscErrorCode PlexDGLimit(PlexDG, Vec);
PETSC_EXTERN PetscErrorCode TSPlexLowStorageSetScheme(TS, const char[]);
PETSC_EXTERN PetscErrorCode TSPlexLowStorageGetScheme(TS, const char **);
PETSC_EXTERN PetscErrorCode TSPlexMultirateGetEvaluations(TS, PetscInt64 *);
PETSC_EXTERN PetscErrorCode PlexDGSetAdaptiveStep(PlexDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexDGGetAdaptiveStep(PlexDG, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexDGSetShockCapturing(PlexDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexDGGetShockCapturing(PlexDG, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexDGSetStabilityCheck(PlexDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetStabilityCheck(PlexDG, PetscInt *);

PETSC_EXTERN PetscErrorCode PlexDGSaveCheckpoint(PlexDG, TS, Vec, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGLoadCheckpoint(PlexDG, TS, const char[], Vec);
PETSC_EXTERN PetscErrorCode PlexDGRestartFromOptions(PlexDG, TS, Vec, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexDGMonitorCheckpoint(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGWriteVTKHDF(PlexDG, const char[], PetscBool, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexDGMonitorSolution(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGWriteUGRID(PlexDG, const char[], PetscBool, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexDGMonitorUGRID(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGMonitorEnergy(PlexDG, TS, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGMonitorProbes(PlexDG, TS, PetscInt, const PetscReal[], const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGMonitorExtrema(PlexDG, TS, PetscReal, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexDGGetExtrema(PlexDG, PetscReal[], PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGProbesCreate(PlexDG, PetscInt, const PetscReal[], PetscBool[], PlexDGProbes *);
PETSC_EXTERN PetscErrorCode PlexDGProbesEvaluate(PlexDGProbes, Vec, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGProbesDestroy(PlexDGProbes *);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldCreate(PlexDG, const char[], PetscInt, PetscInt, const PetscReal[],
                                                 PlexDGFarField *);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldSetTS(PlexDGFarField, TS, PetscInt, PetscReal);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldSample(PlexDGFarField, PetscReal, Vec);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldReset(PlexDGFarField);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldGetAmplitudes(PlexDGFarField, PetscInt, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldGetSpectrum(PlexDGFarField, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldGetCrossSections(PlexDGFarField, PetscInt, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldWrite(PlexDGFarField, PetscInt, PetscInt, const char[]);
PETSC_EXTERN PetscErrorCode PlexDGFarFieldDestroy(PlexDGFarField *);
PETSC_EXTERN PetscErrorCode PlexDGMonitorFarField(PlexDG, TS, const char[], PetscInt, PetscInt, const PetscReal[],
                                                  const char[], PetscInt);
