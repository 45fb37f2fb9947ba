/* Elements whose basis functions are products of functions of one coordinate each, tabulated at points of such a grid:
   what cuda/integrate/lines.cuh sums along lines of points */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

#define PLEX_LINES_NODES       4 /* nodes along a line, most that kernels for entries take */
#define PLEX_LINES_POINTS      5 /* points along a line, likewise */
#define PLEX_LINES_MOST_NODES  9 /* of any */
#define PLEX_LINES_MOST_POINTS 10
#define PLEX_LINES_MOST_TABLE  (PLEX_LINES_MOST_NODES * PLEX_LINES_MOST_POINTS)

/* Node (x, y, z) has the number (x n + y) n + z, in two dimensions x n + y, and points likewise: the first coordinate
   is the slowest. */
typedef struct {
  PetscInt dim, N, Q; /* nodes, points along a line */
  PetscInt dof[729],
    point[1000];          /* of a node the element's (of several components its number), of a point the quadrature's */
  PetscReal weight[1000]; /* of a point */
  PetscReal B[PLEX_LINES_MOST_TABLE]; /* [N][Q] function n at point q */
  PetscReal D[PLEX_LINES_MOST_TABLE]; /* [N][Q] its derivative */
  /* a line seen from its other end is the same: function n at point q is function N - 1 - n at point Q - 1 - q */
  PetscBool mirror;
  PetscBool corners;                             /* the coordinates are of degree 1, a product as well: */
  PetscInt  corner[8];                           /* of corner x + 2 y + 4 z the coordinate node */
  PetscReal L[2 * PLEX_LINES_MOST_POINTS], G[2]; /* [2][Q] as B; derivatives, which are constant */
} PlexLineTables;

/* *serves: the basis of the first field, which is the only one and scalar, is such a product */
PETSC_INTERN PetscErrorCode PlexLineTablesCreate_Private(PlexElements, PlexLineTables *, PetscBool *serves);
/* Definitions and tables for cuda/integrate/lines.cuh */
PETSC_INTERN PetscErrorCode PlexLineTablesWrite_Private(const PlexLineTables *, FILE *);

/* ---- Jacobians: sumfactor.c */

/* Whether this way serves a Jacobian: one scalar field on quadrilaterals or hexahedra, by quadrature, with tables that
   are products */
PETSC_INTERN PetscErrorCode PlexLinesServe_Private(PlexAssembly, PlexProduct *, PlexLineTables *, PetscBool *serves);
/* The numbers D_q of a point are symmetric, by what is known of the functions */
PETSC_INTERN PetscBool PlexLinesIsSymmetric_Private(PlexAssembly, const PlexProduct *);
/* Whether element matrices are kept in the place of points' numbers: cuda/integrate/trilinear.cuh */
PETSC_INTERN PetscBool PlexLinesHaveMatrix_Private(PlexAssembly, const PlexProduct *, const PlexLineTables *);
/* Of these the number of the entry of nodes i and j, which are not the same, of PlexLineTables */
PETSC_INTERN PetscInt PlexTrilinearEntry_Private(PetscInt i, PetscInt j);
/* Of a hexahedron's matrix by sums over lines (cuda/integrate/lines_matrix.cuh) the numbers of a point (y, z), with
   ix = jx and with ix < jx; returns parts of a function */
PETSC_INTERN PetscInt PlexLinesMatrixNumbers_Private(PlexAssembly, PetscInt *same, PetscInt *other);
/* Of its 378 entries, i[3] and j[3] numbers of the nodes along the lines: which of its pair (ix, jx) the entry is, and
   which pair of its kind that is */
PETSC_INTERN PetscInt PlexLinesMatrixEntry_Private(const PetscInt i[3], const PetscInt j[3], PetscBool *same,
                                                   PetscInt *pair);
/* Multiplications and additions of one */
PETSC_INTERN double PlexLinesMatrixFlops_Private(PlexAssembly, const PlexLineTables *);
/* Multiplications and additions of a row by sums over lines */
PETSC_INTERN double PlexLinesRowFlops_Private(PlexAssembly, const PlexLineTables *);
