/* What every kernel of a hybridized DG discretization reads and writes. One layout for host C and device C++: passed by
   value.

   NP functions of an element, NF functions of a face, FACES faces, NT = FACES NF, all double. Faces have numbers of
   this process: first the NOWN whose unknowns are rows of its part of K, then those whose unknowns other processes
   have, then those of known trace (Dirichlet).

   The tables of the reference element are those of PlexHDGReference, include/plexgpu/private/hdgimpl.h */
#ifndef PLEX_HDG_ARGS_H
#define PLEX_HDG_ARGS_H

typedef struct {
  /* [Ne][NV][DIM] nodes of the coordinates; affine elements: vertex 0 and those at the end of each coordinate's axis */
  const double *x;
  const double *kappa;    /* [Ne][DIM][DIM] symmetric */
  const double *reaction; /* [Ne] lambda */
  const double *tau;      /* [Ne][FACES] */
  const int    *turns;    /* [Ne][FACES] how the element sees the face */
  const int    *faces;    /* [Ne][FACES] number of the face */
  const double *f;        /* [Ne][NP] moments of the source; NULL: none */
  /* [Ne][NQ][DIM][DIM] where kappa is given pointwise: it, its inverse, and the derivative of that by u */
  const double *kappaq, *kinv, *dkinv;
  const double *ut;     /* [Ne][NP] derivative of u by time; NULL: zero */
  double       *r;      /* [Ne][NP] residual of u */
  const double *owned;  /* [NOWN][NF] trace; NULL: zero */
  const double *ghosts; /* [NGHOST][NF] trace; NULL: zero */
  const double *fixed;  /* [NFIXED][NF] known trace; NULL: zero */
  double       *K;      /* [Ne][NT][NT] */
  /* [Ne][NP + NT][NP] L and (L^-1 R)^T of what was eliminated, where it is kept, else NULL; of general matrices
     [Ne][NP + NT][NP + NT], and [NP] places of pivots behind them where there are any */
  double *factor;
  double *u;     /* [Ne][NP] */
  double *q;     /* [Ne][DIM][NP] */
  double *b;     /* [Ne][NT] minus the flux through the faces; NULL: not wanted */
  double *star;  /* [Ne][NPP] post-processed u */
  double *work;  /* [blocks][PLEX_HDG_WORK] where shared memory is too small, else NULL */
  double  shift; /* added to lambda */
  int     nown, nghost;
  int     begin, end; /* the elements to compute; K and factor begin with element `begin` */

  const double *D, *S, *E, *F, *H, *T; /* affine elements */
  const double *Dt, *Ft;               /* [DIM][NP j][NP i], [FACES][TURNS][NF][NP]: D and F with i fastest */
  /* squarecondense.cu: sums' terms as src/hdg/squares.c has them; NULL where it does not serve */
  const double *squareS, *squareR, *squareT, *squareQ;
  const double *squareLists; /* likewise of teamcondense.cu, src/hdg/squareteams.c */
  const double *numbers;     /* [Ne / 8 + 1][8 PLEX_HDG_NUMBERS] with which it sums; likewise */
  const double *Spost, *Ppost;
  const double *phi, *dphi, *phiFace, *psi, *weights, *weightsFace; /* others */
  const double *phiPost, *dphiPost;
  const double *dshape, *dshapeFace; /* of the coordinates: [NQ][NV][DIM], [FACES][NQF][NV][DIM] */
  int          *bad;                 /* [1] an element whose matrix has a pivot that is not positive; -1: none */
  /* Convection at the points of elements and faces, times their weights: [Ne][NQ][DIM] det r_a . beta, and
     [Ne][FACES][NQF][4], convection.cuh; NULL: none */
  const double *flow, *flowFace;
} PlexHDGArgs;

/* Elasticity, elastic.cuh: what its kernels read besides. NU functions of a component of u in an element; a face has
   the trace [DIM][NF], and NT of what is above is that of all components */
typedef struct {
  PlexHDGArgs   hdg;
  const double *material;  /* [Ne][2] Lame's lambda and mu */
  const double *D;         /* [DIM][NP][NU] (d phi_i/dr_a, U_j); affine elements */
  const double *F;         /* [FACES][TURNS][NP][NF] <phi_i, psi_m>; likewise */
  const double *U;         /* [NQ][NU] U_j at points; others */
  const double *E;         /* [FACES][NU][NU] <Pi U_i, Pi U_j>, Pi the projection to the face's functions */
  const double *Q;         /* [FACES][TURNS][NF][NU] <psi_m, U_j> */
  const int    *functions; /* [NU] their places among those of degree P + 1, [NPOST], which u has */
  const int    *held;      /* [Ne][FACES] place of a face in what follows, -1: not there; NULL: none is */
  const int    *bits;      /* of the face's components that are known, though it has unknowns */
  const double *known;     /* [][DIM][NF] and their trace */
} PlexHDGElasticArgs;

/* A block of K, NF x NF: entry (i, j) = sum over k of K[source[k] + i NT + j], and of Robin's matrices R[robin + i
   NF + j] */
typedef struct {
  int       part;      /* of the matrix: 0 the diagonal one, 1 the other */
  int       robin;     /* -1: none */
  long long target;    /* of entry (0, 0) in its values */
  long long stride;    /* between rows */
  long long source[2]; /* -1: none */
} PlexHDGBlock;

/* Moments of the source, source.cu */
typedef struct {
  const double *x;                      /* as above */
  const double *points, *weights, *phi; /* [NQ][DIM], [NQ], [NQ][NP] */
  const double *shape, *dshape;         /* of the coordinates, [NQ][NV] and [NQ][NV][DIM]; affine elements: NULL */
  const double *constants;              /* of the function */
  double       *moments;                /* [Ne][NP] */
  double        t;
  int           Ne;
  int          *bad; /* [1] an element where the source is not finite; -1: none */
} PlexHDGSourceArgs;

/* Parts of the coarse matrix, precondition.cu */
typedef struct {
  const int          *vertices;   /* [NOWN][VERTICES] unknowns of the coarse space at a face's vertices, -1: none */
  const int          *blockStart; /* [NOWN + 1] K's blocks of a face */
  const int          *columns;    /* faces of these blocks' columns */
  int                *pairs;      /* [NOWN + 1] counts of a face's pairs, then those before it */
  int                *counts;     /* [NOWN + 1] likewise of their items */
  int                *start, *items, *diagonal;
  unsigned long long *keys; /* [pairs][VERTICES] */
  int                 nown, bits;
  int                 none; /* row of the key of a vertex that is no unknown */
} PlexHDGPairArgs;

/* What blocks are made of, plan.cu */
typedef struct {
  const int *faces;    /* [Ne][FACES] number of the face */
  const int *sides;    /* [NOWN][2] block rows of a face ascending, -1: none */
  const int *robin;    /* [NOWN] its matrix among those of Robin's conditions, -1: none */
  const int *ghosts;   /* [NGHOST] global numbers */
  const int *received; /* [][FACES] global numbers of the columns of others' block rows, -1 where the trace is known */
  int       *start;    /* [NOWN + 1] counts of a face's blocks, then those before it */
  int       *other;    /* [NOWN + 1] of them those of the matrix's other part */
  PlexHDGBlock *blocks;
  int          *columns; /* global numbers of the blocks' columns */
  int          *bad;     /* [1] a face with a block of more than two elements; -1: none */
  int           rows;    /* block rows of own elements */
  int           nown, nghost;
  int           first; /* global number of own face 0 */
} PlexHDGPlanArgs;

#endif
