/* What wetting and drying reads: elements that may fall dry. One layout for host C and device C++: passed by value.
   Everything is double, whatever the operator's precision; NP nodes, NG points, NV vertices; FIELDS = 1 + DIM. AFFINE
   elements have one Jacobian. */
#ifndef PLEX_DG_SHORE_ARGS_H
#define PLEX_DG_SHORE_ARGS_H

#define PLEX_SHORE_DIM      2
#define PLEX_SHORE_FIELDS   3
#define PLEX_SHORE_VERTICES 4   /* at most */
#define PLEX_SHORE_BLOCK    128 /* threads of a block of a kernel, */
#define PLEX_SHORE_THREADS  4   /* of an element */
#define PLEX_SHORE_ELEMENTS (PLEX_SHORE_BLOCK / PLEX_SHORE_THREADS)
#define PLEX_SHORE_FIRST    (PLEX_SHORE_FIELDS * PLEX_SHORE_VERTICES)
/* Numbers that those who work on an element share, odd as they are in banks; behind the first ones there is room for a
   state, too */
#define PLEX_SHORE_WORK(NP, NG) \
  ((PLEX_SHORE_FIRST + ((NP) > 2 * (NG) ? PLEX_SHORE_FIELDS * (NP) : PLEX_SHORE_DIM * ((NP) + (NG)))) | 1)
#define PLEX_SHORE_LARGE    1e300
#define PLEX_SHORE_SHEET    5   /* a vertex with the mean depth over this has a sheet of water, less is a film */
#define PLEX_SHORE_FRICTION 0.9 /* of energy that a projection makes, what is taken from discharges */
#define PLEX_SHORE_THIN     0.3 /* water is thin at a node where the least depth is less than so much of the largest */

typedef struct {
  const int    *elements;     /* [n] */
  const int    *vertices;     /* [NV] nodes that are vertices */
  const double *depth;        /* [n][NV] there, and linear (of quadrilaterals bilinear) between */
  const double *weights;      /* affine: [NP] the mean of a function from its values at the nodes; else [n][NP] */
  const double *volumes;      /* affine: [NG] weights of the points; else [n][NG], times det J */
  const double *linear;       /* [NP][NV] the function that is 1 at a vertex and 0 at the others, at the nodes, */
  const double *linearPoints; /* [NG][NV] at the points, */
  const double *linearSlopes; /* [DIM][NG][NV] its derivatives there, */
  /* [checked][NV] and at the points of elements and faces together, where depth is looked at, */
  const double *linearChecked;
  const double *checks; /* [checked][NP] as are the basis functions */
  /* affine: [NV][NP] values at the vertices of the linear function that is nearest in L2; else [n][NV][NP] */
  const double *project;
  const double *redistribute; /* [NG][NP] W2 of DG with quadrature; affine: solved */
  const double *C;            /* affine: [n][DIM][DIM] divided by det J; else [n][DIM][DIM][NG] */
  const double *Minv;         /* affine: NULL; else [n][NP][NP] */
  double        most;         /* of the sum of |checks| over the nodes */
  double        dry, gravity;
  int           n, NP, NG, NV, checked, affine;
} PlexDGShoreArgs;

#endif
