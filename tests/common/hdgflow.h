/* A flow whose velocity, gradient and pressure are known, for Stokes's and Navier-Stokes equations by hybridized DG: the
   first member of a test's problem, which is the context of the functions below */
#pragma once

#include <plexgpu/private/hdgimpl.h>

typedef struct PlexTestFlow PlexTestFlow;
struct PlexTestFlow {
  /* At x: u, g[d][e] = du_d/dx_e, whose trace is zero, p, and the viscosity */
  void (*evaluate)(const PlexTestFlow *, PetscInt dim, const PetscReal x[], PetscReal u[3], PetscReal g[3][3],
                   PetscReal *p, PetscReal *mu);
  PetscBool symmetric; /* the stress mu (g + g^T) - p I in the place of mu g - p I */
};

/* What of it an error is of: PlexHDGComputeL2Error(), PlexHDGComputePressureError() */
PetscErrorCode PlexTestFlowVelocity(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx);
PetscErrorCode PlexTestFlowGradient(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx);
PetscErrorCode PlexTestFlowPressure(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar p[], void *ctx);
/* Conditions: the velocity; the stress times the normal, with alpha u added, alpha = 0.7, where Robin's condition asks for
   alpha; component 0 of the velocity, and of the others the traction */
PetscErrorCode PlexTestFlowKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                 PetscScalar g[], void *ctx);
PetscErrorCode PlexTestFlowTraction(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                    PetscScalar t[], void *ctx);
PetscErrorCode PlexTestFlowSlip(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                PetscScalar g[], void *ctx);
/* Errors of u, of its gradient and of p */
PetscErrorCode PlexTestFlowErrors(PlexHDG, PlexTestFlow *, PetscReal error[3]);
/* Reports on the rates of errors on a mesh and on one of half its size, of degree P: u of order P + 2, the others of order
   P + 1, between `below` less and `above` more; the last errors are less than `most` */
PetscErrorCode PlexTestFlowReportRates(const char of[], PetscInt P, PetscReal error[2][3], PetscReal below,
                                       PetscReal above, PetscReal most);
