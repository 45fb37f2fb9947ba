/* Waves along a plane surface of an elastic medium, or along the plane between two, that stand: Rayleigh's, Scholte's,
   Stoneley's; plane waves */
#pragma once

#include "dgproblem.h"

typedef struct {
  PetscReal rho, cp, cs; /* cs 0: a fluid */
} ElasticMedium;

/*
  Medium 1 is y > 0, medium 0 y < 0, or nothing where its rho is 0. Displacements, with s = |y|,

    u_x = A(y) sin(k x) cos(w t),   u_y = B(y) cos(k x) cos(w t)

  are of potentials phi = a exp(-p s) cos(k x) of P waves and psi = b exp(-r s) sin(k x) of S waves. The speed c = w/k is
  such that traction, and what both media share of the displacement, agree at y = 0.
*/
typedef struct {
  ElasticMedium media[2];
  PetscReal     k, c, a[2], b[2];
} ElasticMode;

/* The one of the least speed; an error where there is none */
PetscErrorCode ElasticModeInitialize(const ElasticMedium media[2], PetscReal k, ElasticMode *mode);
/* Velocity and stress in 2D; in 3D nothing depends on z. For PlexDGProject(); ctx: the mode */
PetscErrorCode ElasticModeValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx);
/* rho, cp, cs by the centroid, for PlexDGSetCoefficients() */
PetscErrorCode ElasticModeMedium(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[],
                                 void *ctx);

/* A plane wave, v = P cos(w (t - d.x/c)), stress -(lambda (d.P) I + mu (d P + P d))/c times the cosine */
typedef struct {
  PetscReal d[3], P[3], rho, cp, cs, w, c;
} ElasticPlane;

/* For PlexDGProject() */
PetscErrorCode ElasticPlaneValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx);
/* Of S or P waves, askew */
void ElasticPlaneInitialize(PetscInt dim, PetscBool shear, ElasticPlane *p);

/* A wave along x of degree N, u = q (x - 1/3)^N, with q those of a plane wave; at time 1 its rate, -c du/dx */
typedef struct {
  ElasticPlane plane;
  PetscInt     N;
} ElasticLeaving;

/* For PlexDGProject() */
PetscErrorCode ElasticLeavingValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                    void *ctx);

/* Uneven solids, and fluids among them, for PlexDGSetCoefficients() */
PetscErrorCode ElasticUneven(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx);

PetscErrorCode ElasticDistribute(DM *dm);

PetscErrorCode ElasticCreate(DM dm, const char backend[], PetscInt N, PlexDG *dg);

/* The error at T over the solution's norm */
PetscErrorCode ElasticGetError(PlexDG dg, PetscReal T, PlexDGFn *func, void *ctx, Vec U, PetscReal *error);

PetscErrorCode ElasticReportRate(const char of[], PetscInt N, const PetscReal error[2]);
