/* A problem of the hybridized DG method that several tests share: two plane waves, u = sin(p . x + 0.3) + cos(r . x),
   in any tensor kappa */
#pragma once

#include <plexgpu/private/hdgimpl.h>
#include "dgproblem.h"

typedef struct {
  PetscInt  dim;
  PetscReal p[3], r[3];
  PetscReal kappa[9], lambda, alpha, tau; /* tau 0: the default */
  PetscBool mixed;                        /* conditions of all kinds, else Dirichlet's */
  PetscReal center[3];                    /* of the cell whose coefficients were asked for last */
} PlexTestWaves;

/* kappa: a multiple of the identity, or a full tensor */
void PlexTestWavesInitialize(PetscInt dim, PetscReal frequency, PetscBool tensor, PetscBool mixed, PlexTestWaves *);
/* The discretization on a mesh, all set but for the backend; tau differs by face where the problem is mixed */
PetscErrorCode PlexTestHDGCreate(DM dm, PetscInt degree, PlexTestWaves *, const char backend[], PlexHDG *);
/* Sets a discretization from one option of the database more, which is not there afterwards */
PetscErrorCode PlexTestHDGOption(PlexHDG, const char name[], const char value[]);
/* Solves with a direct solver, or to rounding on several processes */
PetscErrorCode PlexTestHDGSolve(PlexHDG);
PetscErrorCode PlexTestWavesU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx);
PetscErrorCode PlexTestWavesQ(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx);
/* g of Neumann's condition; of Robin's with alpha, where n is 2 */
PetscErrorCode PlexTestWavesNatural(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                    PetscScalar g[], void *ctx);
/* Errors of u, q and u* of the problem on a mesh */
PetscErrorCode PlexTestHDGErrors(DM dm, PetscInt degree, PlexTestWaves *, const char backend[], PetscReal error[]);
/* Conditions of all kinds: before coordinates of a higher degree */
PetscErrorCode PlexTestLabelKinds(DM dm);
/* Coordinates of degree 2, and moved: curved elements inside and at the boundary */
PetscErrorCode PlexTestBend(DM dm);
/* Likewise, with the middle of one edge moved: the cells beside it are curved */
PetscErrorCode PlexTestBendOne(DM dm);
/* A label "sides" of the boundary of the unit square or cube: 1 where x < 0.01, 2 where x > 0.99, 3 where y < 0.01 */
PetscErrorCode PlexTestLabelUnitSides(DM dm);
/* A unit box of n cells a side */
PetscErrorCode PlexTestHDGBox(MPI_Comm, DMPolytopeType, PetscInt n, DM *dm);
/* The largest difference of two vectors over the largest number of the first */
PetscErrorCode PlexTestDifference(Vec, Vec, PetscReal *largest);
/* Solves, and gives the iterations of the solver of the trace */
PetscErrorCode PlexTestHDGIterations(PlexHDG, PetscInt *its);
