/* Problems of compressible flow that several tests share: gamma is 1.4 */
#pragma once

#include "waterproblem.h"

#define PLEX_TEST_GAMMA 1.4

/* u[Nf] of the primitive state w = (rho, v, p) */
void PlexTestGasState(PetscInt Nf, const PetscReal w[], PetscScalar u[]);

/* Registers euler_vortex: system euler with boundary condition `inflow`, outside of which is the vortex of gasvortex.h */
PetscErrorCode PlexTestRegisterGas(void);
/* That vortex, in a stream of this velocity; ctx is not used */
#define PLEX_TEST_WIND 0.8, -0.5
PetscErrorCode PlexTestGasVortex(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx);

/* Two gases that meet at x = 1/2: Riemann's problem, whose solution PlexTestTubeState() has; ctx is such a tube, which
   PlexTestTubeSolve() completes */
typedef struct {
  PetscReal left[3], right[3]; /* density, velocity along x, pressure */
  PetscReal p, v;              /* between the waves */
  PetscReal shock;             /* speed of the wave to the right where it is a shock; else of its head */
} PlexTestTube;
void           PlexTestTubeSolve(PlexTestTube *);
PetscErrorCode PlexTestTubeState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx);
