/* Stokes's equations, stokes.cuh: what its kernels read and write besides those of elasticity. One layout for host C and
   device C++: passed by value */
#ifndef PLEX_HDG_STOKES_ARGS_H
#define PLEX_HDG_STOKES_ARGS_H

#include "hdg_args.h"

typedef struct {
  PlexHDGElasticArgs elastic;
  double            *net;       /* [Ne][FACES][DIM][NF] <phi_0, psi n> of the traces' functions */
  double            *volume;    /* [Ne] (phi_0, phi_0) */
  double            *integral;  /* [Ne] (phi_0, p) */
  const double      *mean;      /* [Ne] coefficient of phi_0, a constant, in p; NULL: zero */
  double            *p;         /* [Ne][NP]; NULL: not wanted */
  int                symmetric; /* the stress is 2 mu eps(u) - p I, else mu grad u - p I */
} PlexHDGStokesArgs;

#endif
