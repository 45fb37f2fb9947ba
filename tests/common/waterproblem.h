/* Problems of linear shallow water by DG with quadrature that several tests share */
#pragma once

#include "dgproblem.h"

typedef enum {
  PLEX_TEST_AFFINE,   /* triangles, or squares */
  PLEX_TEST_STRAIGHT, /* with straight sides; of quadrilaterals opposite ones are not parallel */
  PLEX_TEST_CURVED    /* a quarter of a ring, 1 <= r <= 2, of coordinates of the degree of the operator */
} PlexTestShape;
extern const char *const PlexTestShapes[];

/* n x n squares, or twice as many triangles, of the unit square or the ring; on several processes the first has all
   cells. Label "sides" as PlexTestLabelSides() sets it */
PetscErrorCode PlexTestBasin(MPI_Comm comm, PetscBool quadrilaterals, PlexTestShape shape, PetscInt n, PetscInt degree,
                             DM *dm);

/* A channel of length 1 and width 1/10 of n squares along it, each cut into 2 triangles, whose vertices inside are moved by
   up to a fifth of a cell. On several processes the first has all cells */
PetscErrorCode PlexTestChannel(MPI_Comm comm, PetscBool quadrilaterals, PetscInt n, DM *dm);

/* shallow_water_linear of degree N with quadrature, walls everywhere; depth 0.8, gravity 1.7 */
PetscErrorCode PlexTestBasinCreate(DM dm, PetscInt N, PlexDG *dg);
/* A standing wave in the basin; ctx is its shape */
PetscErrorCode PlexTestBasinWave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx);
/* A vortex in shallow_water of depth 1 and gravity 9.81, that a stream of this velocity carries along: v^2/r = g dH/dr */
#define PLEX_TEST_STREAM 0.8, -0.5
PetscErrorCode PlexTestVortex(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
/* The right-hand side of PlexTestJumps(), which are less than a depth of 1, at time t, on the host and of this process
   alone */
PetscErrorCode PlexTestJumpRHS(PlexDG dg, PetscReal t, Vec *values);

/* ---- Water that falls dry, in the unit square */

/* A bottom of islands and ponds that changes as much as it can from node to node; water at the level *ctx, a PetscReal */
PetscErrorCode PlexTestIslands(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx);
PetscErrorCode PlexTestLevel(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
/* A paraboloid and the plane surface that turns around in it, Thacker (1981), J. Fluid Mech. 107 */
#define PLEX_TEST_BOWL_DEPTH  0.1
#define PLEX_TEST_BOWL_RADIUS 0.35
#define PLEX_TEST_BOWL_SHIFT  0.07
PetscErrorCode PlexTestBowl(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx);
PetscErrorCode PlexTestThacker(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx);
