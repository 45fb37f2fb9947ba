/* What the kernels of DG with quadrature read besides PlexDGArgs. One layout for host C and device C++: passed by
   value. Reals are plex_real; NG points an element, MG a face. AFFINE elements have one Jacobian, the others one at
   each point. */
#ifndef PLEX_DG_QUADRATURE_ARGS_H
#define PLEX_DG_QUADRATURE_ARGS_H

typedef struct {
  const void *C;    /* affine: [Ne][DIM][DIM] dr_a/dx_d; else [Ne][DIM][DIM][NG], times det J */
  const void *detJ; /* [Ne][NG]; affine: NULL */
  /* affine: [Ne][FACES][DIM] divided by det J; else [Ne][FACES][DIM][MG]; of the length of the face's Jacobian */
  const void *normals;
  const void *Minv; /* affine: [NP][NP] of the reference element; else [Ne][NP][NP] */
  /* [Ne][NK][1 + DIM][NG] coefficients that vary in an element, and their derivatives; else NULL */
  const void *K;
  const void *KM, *KP; /* [Ne][FACES][NK][MG] likewise on both sides of a face, without derivatives */
  const void *x;       /* [Ne][NG][DIM] the points; NULL where the system's source does not ask */
  /* where energy is looked at: [NG][NP] basis, [NG][NP] weights times basis, [NG] and [MG] weights of points, the
     largest rate of the correction, and [NP] sums of weights times basis; else NULL */
  const void *energy;
} PlexDGPointArgs;

/* An element's balance of energy, entropy.h; sums over points are divided by det J where elements are affine */
enum {
  PLEX_DG_CROSSING, /* what leaves through its faces, in a unit of time */
  PLEX_DG_AREA,
  PLEX_DG_DEPTH,   /* mean depth of water */
  PLEX_DG_LEAST,   /* negative: there is less water than counts as dry at a point */
  PLEX_DG_INVERSE, /* mean size of dr/dx, of the order of 1/length */
  PLEX_DG_BALANCES
};

/* Of the separate kernels: faces in the order of PlexDGArgs.links' first sides, those between processes last */
typedef struct {
  const int *left; /* [nT] the trace whose normal a face has */
  const int *face; /* [Ne][FACES] 2 t + side of a trace: 0 left, 1 right */
  /* [nT][2][NF][NFP], [nT][2][NF][MG] traces at nodes and points, those of both sides at the same place; boundary:
     right is left */
  void *UF, *UFg;
  void *q, *Q;               /* [nT][NF][MG], [nT][NF][NFP] fluxes out of the left */
  void *Ug, *f, *s, *B;      /* [Ne][NF][NG], [Ne][NF][DIM][NG], [Ne][NF][NG], [Ne][NF][NP] */
  int   firstFace, lastFace; /* the faces to compute */
} PlexDGFaceArgs;

#define PLEX_DG_GIVEN_CONSTANTS 24

/* Of the fused kernel: matrices in the order in which a warp reads them, as PlexDGFragments */
typedef struct {
  const void *W0; /* [tiles of NG][steps of NP][32] */
  /* [tiles of FACES MG][steps of NP][32]: the element's basis functions at the points of its faces */
  const void *inside;
  const void *across;   /* [tiles of FACES MG][steps of FACES NFP][32]: those of each face's nodes at its points */
  const void *W;        /* [tiles of NP][steps of (DIM + source) NG + FACES MG][32] */
  const void *weighted; /* [tiles of NP][steps of NG][32], of the correction by energy: weights times basis */
  /* of systems whose coefficients vary, fused_points.cuh: in the place of `inside` and `across` the basis functions of a
     face at its points, [MG][NFP]; numbers at points of elements and faces; and the lower triangle of M^-1, [NP (NP + 1)/2]:
     affine: of the reference element; else of each */
  const void *basis, *numbers, *Minv;
  double      constants[PLEX_DG_GIVEN_CONSTANTS]; /* of the system, the first */
  /* [Ne][PLEX_DG_RECORD] bytes: what lies across the faces, PlexDGFace, then reals; quadrature_fused.cu */
  const void *records;
  const void *meet; /* short [FACES][TURNS][NFP], then [FACES][NFP], as PlexDGFragments.meet */
} PlexDGPointFragments;

#endif
