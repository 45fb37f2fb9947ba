/* What the kernel of curved elements on tensor cores reads besides PlexDGArgs and PlexDGStage. One layout for host C
   and device C++: passed by value. NG points an element, MG points a face.

   Matrices are in the order in which a warp reads them: tile of 8 rows, step of PLEX_UNIT_K columns, matrix, lane;
   cuda/dg/unit.cuh. Rows of a tile, and points of a tile in the geometry, are in the order 0, 4, 1, 5, 2, 6, 3, 7, so
   that a lane, which has two neighbouring ones, has two that are 4 apart */
#ifndef PLEX_DG_CURVED_FUSED_ARGS_H
#define PLEX_DG_CURVED_FUSED_ARGS_H

typedef struct {
  const void *evaluate;     /* 1 + DIM matrices [NG][NP]: values and derivatives at the points */
  const void *redistribute; /* 1 + DIM matrices [NP][NG]: these times weights and M^-1 */
  const void *psi;          /* [MG][NFP] basis of a face at its points */
  const void *basis;        /* the same, plex_real [NFP][MG] */
  /* [NP][groups of faces][points of the group's faces]: weights times basis of the faces, times M^-1 */
  const void *lift;
  const void *C; /* [ncurved][tiles of points][DIM][DIM][8] det J dr_a/dx_d */
  const void
    *J; /* [ncurved][tiles of points][8] 1/det J; PLEX_DG_GRADED: [ncurved][PLEX_DG_WEIGHTS][tiles of points][8] */
  const void *
    k; /* PLEX_DG_GRADED: [ncurved][FACES][tiles of points][2][NK][8] coefficients on both sides of a face; else NULL */
  const void
    *normals;        /* [ncurved][FACES][tiles of points][DIM + 1][8] outward, of length 1; the Jacobian of the face */
  const void *x;     /* [ncurved][NP][DIM] the nodes; NULL where no source asks for them */
  const void *meet;  /* as PlexDGFragments.meet */
  int         index; /* which of these arrays the first element, PlexDGArgs.begin, is */
} PlexDGCurvedFusedArgs;

#endif
