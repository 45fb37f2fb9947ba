/* What kernels read and write that evaluate the pointwise functions of a hybridized DG discretization, coefficients.cu and
   boundary.cu. One layout for host C and device C++: passed by value */
#ifndef PLEX_HDG_POINTS_ARGS_H
#define PLEX_HDG_POINTS_ARGS_H

/* What is to be done, bits of PlexHDGPointsArgs.todo */
#define PLEX_HDG_TODO_VALUES   1  /* kappa and lambda of elements */
#define PLEX_HDG_TODO_TAU      2  /* tau */
#define PLEX_HDG_TODO_FOLLOW   4  /* only where it is more than twice as large as it was, or less than half */
#define PLEX_HDG_KAPPA_FORCED  8  /* kappa is that of args, whatever the function gives */
#define PLEX_HDG_LAMBDA_FORCED 16 /* likewise */
#define PLEX_HDG_TAU_FORCED    32 /* likewise */
#define PLEX_HDG_ZERO_ALLOWED  64 /* kappa may be zero, beside convection */

/* What they find. Numbers that are not negative are in the order of their bits */
typedef struct {
  unsigned long long speed;    /* largest |beta|^2 */
  unsigned long long through;  /* largest |beta . n| on the boundary */
  unsigned long long tauLeast; /* least and largest tau */
  unsigned long long tauMost;
  int                bad;      /* an element or facet where a value is an error; -1: none */
  int                changed;  /* a number of K is another one than before */
  int                reacts;   /* lambda is not zero somewhere, */
  int                negative; /* negative */
  int                holds;    /* a facet is Dirichlet's, or Robin's with some alpha */
} PlexHDGFound;

typedef struct {
  /* as PlexHDGArgs has them, of the elements of a launch */
  const double *x;
  double       *kappa, *reaction, *tau;
  double       *kappaq, *kinv, *dkinv; /* dkinv NULL: not wanted */
  double       *flow, *flowFace;
  const double *u; /* [Ne][NP] of kappa(u); NULL: zero */
  /* points of elements, of faces, and centers of the element and its faces on the reference cell, [n][DIM] */
  const double *points, *pointsFace, *centers;
  const double *weights, *weightsFace, *phi;
  /* the coordinates' functions there, [n][NV], and their derivatives, [n][NV][DIM]; affine elements: NULL */
  const double *shape, *dshape, *shapeFace, *dshapeFace, *shapeCenters, *dshapeCenters;
  const int    *outer;     /* [Ne][FACES] the face is on the boundary */
  const double *constants; /* of all functions */
  PlexHDGFound *found;     /* [1] */
  double        t;
  double        kappa0, reaction0, tau0; /* where no function gives them */
  double        factor, length, speed;   /* of the default of tau, src/hdg/coefficients.c */
  int           todo, Ne;
} PlexHDGPointsArgs;

/* A facet with a condition */
typedef struct {
  int condition; /* its number */
  int kind;      /* PlexHDGBoundary: 0 Dirichlet, 1 Neumann, 2 Robin */
  int turn;      /* how its element sees it */
  int target;    /* of known traces, or own face */
  int matrix;    /* of Dirichlet's inverses, or Robin's */
} PlexHDGFacet;

typedef struct {
  const PlexHDGFacet *facets;  /* [n] */
  const double       *points;  /* [n][NQF][2 DIM + 1] positions, outward normals, weights times lengths */
  const double       *inverse; /* [][NF][NF] of the products of a facet's functions */
  const double       *psi;     /* [TURNS][NQF][NF] */
  const double       *constants;
  double             *fixed, *natural, *robin; /* [][NF], [][NF], [][NF][NF] */
  PlexHDGFound       *found;
  double              t;
} PlexHDGFacetsArgs;

#endif
