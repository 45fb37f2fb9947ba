/* What the kernels of continuous elements read and write. One layout for host C and device C++: passed by value. */
#ifndef PLEX_HDG_CG_ARGS_H
#define PLEX_HDG_CG_ARGS_H

#include "hdg/hdg_args.h"

/* Statically condensed continuous elements: nodes of an element are the NI inside, then the NB on its boundary.
   Functions are 1 at one node each */
typedef struct {
  PlexHDGArgs   e;          /* geometry, kappa, reaction; e.u receives the solution in the functions of the element */
  const double *S, *M;      /* affine elements: [NAB][NP][NP] stiffness, [NP][NP] mass */
  const double *phi, *dphi; /* others: [NQ][NP], [DIM][NQ][NP] */
  const double *C;          /* [NP][NP] coefficient i of the element's functions of the node j */
  const double *f;          /* [Ne][NP] moments of the source; NULL: none */
  const int    *nodes;      /* [Ne][NB] numbers, of known values from nfree on */
  const double *known;      /* [nfixed] */
  const double *unknown;    /* [nfree] solution */
  double       *K, *b;      /* [Ne][NB][NB], [Ne][NB] */
  int           nfree;
} PlexHDGCGArgs;

#endif
