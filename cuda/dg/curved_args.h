/* What the kernel of curved elements reads besides PlexDGArgs and PlexDGStage. One layout for host C and device C++:
   passed by value. NG points an element, MG points a face */
#ifndef PLEX_DG_CURVED_ARGS_H
#define PLEX_DG_CURVED_ARGS_H

typedef struct {
  /* plex_real matrices of the reference element, what is computed fastest: values and derivatives at the points,
     [NP j][1 + DIM][NG g]; these times weights and M^-1, [1 + DIM][NG g][NP i] */
  const void *evaluate, *redistribute;
  const void *psi;     /* [NFP][MG] basis of a face at its points */
  const void *lift;    /* [FACES][MG][NP i] weights times basis of the faces, times M^-1 */
  const void *C;       /* [ncurved][DIM][DIM][NG] det J dr_a/dx_d */
  const void *J;       /* [ncurved][NG] 1/det J; PLEX_DG_GRADED: [ncurved][PLEX_DG_WEIGHTS][NG] */
  const void *k;       /* PLEX_DG_GRADED: [ncurved][FACES][2][NK][MG] coefficients on both sides of a face; else NULL */
  const void *normals; /* [ncurved][FACES][DIM][MG] outward, times the Jacobian of the face */
  const void *x;       /* [ncurved][NP][DIM] the nodes; NULL where no source asks for them */
  int         index;   /* which of these arrays the first element, PlexDGArgs.begin, is */
} PlexDGCurvedArgs;

#endif
