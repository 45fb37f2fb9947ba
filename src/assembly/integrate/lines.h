/* Elements whose basis functions are products of functions of one coordinate each, tabulated at points of such a grid: what
   cuda/integrate/lines.cuh sums along lines of points */
#pragma once

#include <plexgpu/impl.h>

#define PLEX_LINES_NODES  4 /* nodes along a line, most */
#define PLEX_LINES_POINTS 5 /* points along a line, most */

/* Node (x, y, z) has the number (x n + y) n + z, in two dimensions x n + y, and points likewise: the first coordinate is the slowest. */
typedef struct {
  PetscInt  dim, N, Q;                               /* nodes, points along a line */
  PetscInt  dof[64], point[125];                     /* of a node the element's dof, of a point the quadrature's */
  PetscReal weight[125];                             /* of a point */
  PetscReal B[PLEX_LINES_NODES * PLEX_LINES_POINTS]; /* [N][Q] function n at point q */
  PetscReal D[PLEX_LINES_NODES * PLEX_LINES_POINTS]; /* [N][Q] its derivative */
  PetscBool mirror;                                  /* a line seen from its other end is the same: function n at point q is function N - 1 - n at point Q - 1 - q */
  PetscBool corners;                                 /* the coordinates are of degree 1, a product as well: */
  PetscInt  corner[8];                               /* of corner x + 2 y + 4 z the coordinate node */
  PetscReal L[2 * PLEX_LINES_POINTS], G[2];          /* [2][Q] as B; derivatives, which are constant */
} PlexLineTables;

/* *serves: the basis of the first field, which is the only one and scalar, is such a product */
PETSC_INTERN PetscErrorCode PlexLineTablesCreate_Private(PlexElements, PlexLineTables *, PetscBool *serves);
/* Definitions and tables for cuda/integrate/lines.cuh */
PETSC_INTERN PetscErrorCode PlexLineTablesWrite_Private(const PlexLineTables *, FILE *);

/* *serves: a thread can compute an element vector of this residual by cuda/integrate/lines_vector.cuh, and it would take a team otherwise */
PETSC_INTERN PetscErrorCode PlexLinesServeResidual_Private(PlexAssembly, PlexProduct *, PlexLineTables *, PetscBool *serves);
/* Operations of one element's */
PETSC_INTERN double PlexLinesResidualFlops_Private(PlexAssembly, PlexProduct *, const PlexLineTables *);
