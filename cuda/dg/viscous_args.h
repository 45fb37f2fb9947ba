/* What viscous fluxes read and write. One layout for host C and device C++: passed by value. Everything but the state is
   double, whatever the operator's precision; NV variables with viscous fluxes, NP nodes, NG points, MG points and NFP
   nodes of a face; links and traces as PlexDGArgs has them, geometry as PlexDGPointArgs. */
#ifndef PLEX_DG_VISCOUS_ARGS_H
#define PLEX_DG_VISCOUS_ARGS_H

/* There is no viscosity in elements with less than so much of their largest inertia somewhere */
#define PLEX_VISCOUS_THIN 0.1

typedef struct {
  const int    *links, *kinds;             /* [Ne][FACES], [nfacets] */
  const int    *sent;                      /* [nghosts] own traces that are sent */
  const int    *faceNodes;                 /* [FACES][NFP] */
  const int    *meet;                      /* [FACES + 1][TURNS][NFP] as in PlexDGHostBlock */
  const double *phi, *dphi;                /* [NG][NP], [DIM][NG][NP] */
  const double *psi, *sides;               /* [MG][NFP], [FACES MG][NP]: basis of a face and of the element there */
  const double *weights, *faceWeights;     /* [NG], [MG] */
  const double *C, *detJ, *normals, *Minv; /* as PlexDGPointArgs has them */
  const double *penalty;                   /* [Ne][FACES] 1/length, the same from both sides */
  const double *coefficients, *constants;  /* [Ne + nghosts][NK], [NC] */
  const double *K, *KM, *KP;               /* as PlexDGPointArgs has them */
  const void   *ghosts;                    /* [nghosts][NF][NFP] of the state: float where `single`, else double */
  double       *w;                         /* [Ne][NV][NP] */
  double       *acts;                      /* [Ne] 1: there is viscosity in the element; else 0 */
  double       *F;                         /* [Ne][NV][DIM][NP] */
  double       *outW, *inW, *outF, *inF;   /* [nghosts][NV NFP + 1] w and `acts`; [nghosts][NV][DIM][NFP] */
  int           Ne, nghosts, NP, NFP, NG, MG, FACES, TURNS, affine, single;
  int           work; /* numbers that the computation of an element needs */
} PlexDGViscousArgs;

/* The state and what rates are added to: s times them to r, and b times that to next unless it is NULL; of float where
   `single`, else double */
typedef struct {
  const void *u;
  void       *r, *next;
  double      s, b;
  int         single;
} PlexDGViscousStage;

/* The steps: w and `acts`; F; the rates. Between them traces travel */
enum {
  PLEX_VISCOUS_VARIABLES,
  PLEX_VISCOUS_FLUX,
  PLEX_VISCOUS_RATE,
  PLEX_VISCOUS_STEPS
};

#endif
