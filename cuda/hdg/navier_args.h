/* Navier-Stokes equations, navier.cuh: what their kernels read and write besides those of Stokes's equations. One layout for
   host C and device C++: passed by value. T = DIM NT unknowns of an element's trace */
#ifndef PLEX_HDG_NAVIER_ARGS_H
#define PLEX_HDG_NAVIER_ARGS_H

#include "stokes_args.h"

/* Velocities in H(div) without divergence, src/hdg/solenoidal.c: tables, and what elements have on their faces. NF1
   functions of a face of degree P + 1, the first NF of which are those of degree P; NC = FACES NF1 + NP - 1 conditions */
typedef struct {
  const double *psi;        /* [TURNS][NQF][NF1] */
  const double *moments;    /* [FACES][TURNS][NF1][NU] */
  const double *turn;       /* [TURNS][NF1][NF1] */
  const double *divergence; /* [DIM][NP - 1][NU] */
  const double *solve;      /* [NC][DIM][NU] */
  double       *own;        /* [Ne][FACES][DIM][NF1] moments of u, */
  double       *other;      /* and of the neighbours' u */
} PlexHDGSolenoidalArgs;

typedef struct {
  PlexHDGStokesArgs stokes;
  const double     *dU;    /* [DIM][NQ][NU] derivatives of U by reference coordinates at an element's points */
  const double     *UFace; /* [FACES][NQF][NU] U at the faces' points */
  const int        *outer; /* [Ne][FACES] whether a face is on the boundary of the domain */
  double            rho;   /* the density */
  double           *carrier, *trace; /* [Ne][DIM][NU], [Ne][T] with known ones: what matrices are linearized about */
  int               linearized;      /* about nothing: 0, by Picard's iteration: 1, by Newton's method: 2 */
  void *pivots; /* [Ne][DIM NU + NP - 1] which row of A is where: on the host as LAPACK has it, of kernels int */
  /* a residual */
  int           transported; /* has convection */
  const double *u, *ut, *p;  /* [Ne][DIM][NU], [Ne][DIM][NU] (NULL: zero), [Ne][NP] */
  double       *r, *rp;      /* [Ne][DIM][NU], [Ne][NP]; NULL: not wanted */
  /* a local problem */
  const double *f, *fp;  /* [Ne][DIM][NU], [Ne][NP] right-hand sides */
  double       *du, *dp; /* [Ne][DIM][NU], [Ne][NP]; NULL: b alone */
  /* [Ne][DIM NU + NP - 1] of kernels: what b leaves for du and dp, which are asked for after it */
  double *y;
  /* [Ne] function 0 of rp and of dp, which are given; of a local problem for b alone that of fp, which is written */
  double               *constant;
  PlexHDGSolenoidalArgs solenoidal; /* of convection that is explicit in time */
} PlexHDGNavierArgs;

#endif
