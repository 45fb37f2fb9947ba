/*
  PlexHDG: hybridized discontinuous Galerkin discretizations of elliptic problems on DMPlex meshes.
*/
#pragma once

#include <plexgpubackend.h>
#include <petscdmplex.h>
#include <petscds.h>
#include <petscksp.h>
#include <petscsnes.h>
#include <petscts.h>

/* MANSEC = PlexGPU */

/*S
  PlexHDG - hybridized discontinuous Galerkin discretization of -div(kappa grad u) + beta . grad u + lambda u = f, or of
  linear elasticity (`PlexHDGSetSystem()`), on a `DM` of type `DMPLEX`

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

/*E
  PlexHDGConvection - the form of a `PlexHDG`'s convection with the velocity beta

  Values:
+ `PLEX_HDG_ADVECTIVE`    - beta . grad u
- `PLEX_HDG_CONSERVATIVE` - div(beta u), which is beta . grad u + (div beta) u

  Level: beginner

.seealso: `PlexHDGSetConvection()`
E*/
typedef enum {
  PLEX_HDG_ADVECTIVE,
  PLEX_HDG_CONSERVATIVE
} PlexHDGConvection;
PETSC_EXTERN const char *const PlexHDGConvections[];

/*E
  PlexHDGSystem - the equations of a `PlexHDG`

  Values:
+ `PLEX_HDG_DIFFUSION`  - -div(kappa grad u) + beta . grad u + lambda u = f of a number u
. `PLEX_HDG_ELASTICITY` - -div sigma = f of a displacement u, sigma = 2 mu eps(u) + lambda (div u) I
. `PLEX_HDG_STOKES`     - -div(mu grad u) + grad p = f, div u = 0 of a velocity u and a pressure p
- `PLEX_HDG_NAVIER_STOKES` - rho (du/dt + u . grad u) - div(mu grad u) + grad p = f, div u = 0

  Level: beginner

.seealso: `PlexHDGSetSystem()`
E*/
typedef enum {
  PLEX_HDG_DIFFUSION,
  PLEX_HDG_ELASTICITY,
  PLEX_HDG_STOKES,
  PLEX_HDG_NAVIER_STOKES
} PlexHDGSystem;
PETSC_EXTERN const char *const PlexHDGSystems[];

/*E
  PlexHDGTransport - how a `PlexHDG` of Navier-Stokes equations treats convection, rho u . grad u

  Values:
+ `PLEX_HDG_TRANSPORT_IMPLICIT` - with all else, by Newton's method
. `PLEX_HDG_TRANSPORT_EXPLICIT` - explicit in time, and all else implicit
- `PLEX_HDG_TRANSPORT_NONE`     - there is none: Stokes's equations, with du/dt in steps of time

  Level: intermediate

.seealso: `PlexHDGSetTransport()`
E*/
typedef enum {
  PLEX_HDG_TRANSPORT_IMPLICIT,
  PLEX_HDG_TRANSPORT_EXPLICIT,
  PLEX_HDG_TRANSPORT_NONE
} PlexHDGTransport;
PETSC_EXTERN const char *const PlexHDGTransports[];

/* Types of TSARKIMEX for convection that is explicit, of order 2 and 3 */
#define PLEXHDGIMEX2 "plexhdgimex2"
#define PLEXHDGIMEX3 "plexhdgimex3"

/* u[n] at x[dim]; g[n] at x[dim] of the boundary with the outward normal n[dim]: g, of Robin's condition alpha besides;
   kappa[dim][dim] and lambda of the element with centroid x[dim], a point of the mesh; tau of its face with center
   x[dim], likewise a point of the mesh; beta[dim] at x[dim] */
typedef PetscErrorCode PlexHDGFn(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx);
typedef PetscErrorCode PlexHDGBoundaryFn(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                         PetscScalar g[], void *ctx);
typedef PetscErrorCode PlexHDGCoefficientFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                            PetscReal *lambda, void *ctx);
typedef PetscErrorCode PlexHDGPointFn(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[],
                                      PetscReal slope[], void *ctx);
typedef PetscErrorCode PlexHDGStabilizationFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face,
                                              PetscReal *tau, void *ctx);
typedef PetscErrorCode PlexHDGConvectionFn(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx);
/* Lame's lambda and mu of the element with centroid x[dim], a point of the mesh */
typedef PetscErrorCode PlexHDGMaterialFn(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal *lambda,
                                         PetscReal *mu, void *ctx);
/* Sets source and boundary values of problem k */
typedef PetscErrorCode PlexHDGProblemFn(PlexHDG hdg, PetscInt k, void *ctx);

PETSC_EXTERN PetscClassId PLEXHDG_CLASSID;

PETSC_EXTERN PetscErrorCode PlexHDGCreate(DM, PlexHDG *);
PETSC_EXTERN PetscErrorCode PlexHDGSetDegree(PlexHDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexHDGGetDegree(PlexHDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexHDGSetDegrees(PlexHDG, const PetscInt[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetDegrees(PlexHDG, PetscInt[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetDegreesByLabel(PlexHDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetElements(PlexHDG, PetscInt *, const PetscInt *[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeErrorIndicator(PlexHDG, PetscReal[], PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGAdaptDegrees(PlexHDG, PetscReal, PetscInt, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexHDGSetSystem(PlexHDG, PlexHDGSystem);
PETSC_EXTERN PetscErrorCode PlexHDGGetSystem(PlexHDG, PlexHDGSystem *);
PETSC_EXTERN PetscErrorCode PlexHDGSetLame(PlexHDG, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetLame(PlexHDG, PetscReal *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetMaterial(PlexHDG, PlexHDGMaterialFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetMaterial(PlexHDG, PlexHDGMaterialFn **, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetViscosity(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetViscosity(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetSymmetricStress(PlexHDG, PetscBool);
PETSC_EXTERN PetscErrorCode PlexHDGGetSymmetricStress(PlexHDG, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexHDGSetDensity(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetDensity(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetPicard(PlexHDG, PetscInt);
PETSC_EXTERN PetscErrorCode PlexHDGGetPicard(PlexHDG, PetscInt *);
PETSC_EXTERN PetscErrorCode PlexHDGSetTransport(PlexHDG, PlexHDGTransport);
PETSC_EXTERN PetscErrorCode PlexHDGGetTransport(PlexHDG, PlexHDGTransport *);
PETSC_EXTERN PetscErrorCode PlexHDGGetSNES(PlexHDG, SNES *);
PETSC_EXTERN PetscErrorCode PlexHDGGetPressure(PlexHDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGGetSolenoidalVelocity(PlexHDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGComputeDivergence(PlexHDG, Vec, PetscReal *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGComputePressureError(PlexHDG, PlexHDGFn *, void *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetDiffusion(PlexHDG, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetDiffusion(PlexHDG, PetscReal *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetCoefficients(PlexHDG, PlexHDGCoefficientFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetCoefficients(PlexHDG, PlexHDGCoefficientFn **, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetPointwise(PlexHDG, PlexHDGPointFn *, PetscBool, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetPointwise(PlexHDG, PlexHDGPointFn **, PetscBool *, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetConvection(PlexHDG, PlexHDGConvection, PlexHDGConvectionFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetConvection(PlexHDG, PlexHDGConvection *, PlexHDGConvectionFn **, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetVelocity(PlexHDG, PetscInt n, const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetVelocity(PlexHDG, PetscInt *n, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetTau(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetTau(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetTauFactor(PlexHDG, PetscReal);
PETSC_EXTERN PetscErrorCode PlexHDGGetTauFactor(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGSetStabilization(PlexHDG, PlexHDGStabilizationFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetStabilization(PlexHDG, PlexHDGStabilizationFn **, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetSource(PlexHDG, PlexHDGFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGGetSource(PlexHDG, PlexHDGFn **, void **);
PETSC_EXTERN PetscErrorCode PlexHDGSetSourcePoint(PlexHDG, PetscPointFn *, PetscInt n, const PetscScalar constants[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetSourcePoint(PlexHDG, PetscPointFn **, PetscInt *n,
                                                  const PetscScalar *constants[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetCoefficientsPoint(PlexHDG, PetscPointFn *, PetscInt n, const PetscScalar[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetCoefficientsPoint(PlexHDG, PetscPointFn **, PetscInt *n, const PetscScalar *[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetKappaPoint(PlexHDG, PetscPointFn *, PetscPointFn *, PetscInt n,
                                                 const PetscScalar[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetKappaPoint(PlexHDG, PetscPointFn **, PetscPointFn **, PetscInt *n,
                                                 const PetscScalar *[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetConvectionPoint(PlexHDG, PlexHDGConvection, PetscPointFn *, PetscInt n,
                                                      const PetscScalar[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetConvectionPoint(PlexHDG, PlexHDGConvection *, PetscPointFn **, PetscInt *n,
                                                      const PetscScalar *[]);
PETSC_EXTERN PetscErrorCode PlexHDGSetPointwiseSource(PlexHDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetPointwiseSource(PlexHDG, const char **);
PETSC_EXTERN PetscErrorCode PlexHDGAddBoundary(PlexHDG, const char[], PetscInt, PlexHDGBoundary, PlexHDGBoundaryFn *,
                                               void *);
PETSC_EXTERN PetscErrorCode PlexHDGAddBoundaryPoint(PlexHDG, const char[], PetscInt, PlexHDGBoundary, PetscBdPointFn *,
                                                    PetscInt n, const PetscScalar[]);
PETSC_EXTERN PetscErrorCode PlexHDGAddBoundaryComponents(PlexHDG, const char[], PetscInt, PetscInt n, const PetscInt[],
                                                         PlexHDGBoundaryFn *, void *);
PETSC_EXTERN PetscErrorCode PlexHDGSetBackend(PlexHDG, PlexBackendType);
PETSC_EXTERN PetscErrorCode PlexHDGGetBackend(PlexHDG, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexHDGSetMemory(PlexHDG, PetscInt64);
PETSC_EXTERN PetscErrorCode PlexHDGGetMemory(PlexHDG, PetscInt64 *);
PETSC_EXTERN PetscErrorCode PlexHDGSetOptionsPrefix(PlexHDG, const char[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetOptionsPrefix(PlexHDG, const char **);
PETSC_EXTERN PetscErrorCode PlexHDGSetFromOptions(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGSetUp(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGView(PlexHDG, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexHDGUpdate(PlexHDG);
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
PETSC_EXTERN PetscErrorCode PlexHDGSolveMany(PlexHDG, PetscInt n, PlexHDGProblemFn *, void *, Vec[], Vec[], Vec[],
                                             Vec[]);
PETSC_EXTERN PetscErrorCode PlexHDGGetSolution(PlexHDG, Vec *, Vec *, Vec *, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGGetNodes(PlexHDG, PetscInt *, PetscInt *, const PetscReal *[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeNodeValues(PlexHDG, PetscInt, Vec, PetscScalar[]);
PETSC_EXTERN PetscErrorCode PlexHDGCreateStateVec(PlexHDG, Vec *);
PETSC_EXTERN PetscErrorCode PlexHDGProjectState(PlexHDG, PlexHDGFn *, void *, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGSetState(PlexHDG, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGComputeStatePressure(PlexHDG, Vec);
PETSC_EXTERN PetscErrorCode PlexHDGSetTimeVariable(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGGetTimeVariable(PlexHDG, PetscReal **);
PETSC_EXTERN PetscErrorCode PlexHDGSetSNES(PlexHDG, SNES);
PETSC_EXTERN PetscErrorCode PlexHDGSetTS(PlexHDG, TS);
PETSC_EXTERN PetscErrorCode PlexHDGComputeL2Error(PlexHDG, PlexHDGFn *, PlexHDGFn *, void *, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeMaxError(PlexHDG, PlexHDGFn *, PlexHDGFn *, void *, PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexHDGComputeFluxJump(PlexHDG, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG, const char[], PlexHDGFn *, void *);
