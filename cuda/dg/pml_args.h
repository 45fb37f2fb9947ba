/* What a perfectly matched layer reads and writes: dg/pml.h. One layout for host C and device C++, passed by value. States
   and residuals are [Ne][NF][NP] of float where `single`, else double. */
#ifndef PLEX_DG_PML_ARGS_H
#define PLEX_DG_PML_ARGS_H

#define PLEX_PML_RADIAL  8  /* kind of an element: bits 1, 2, 4 of the axes that are stretched there, or this */
#define PLEX_PML_FIELDS  16 /* PLEX_DG_MAX_FIELDS */
#define PLEX_PML_VECTORS 4

typedef struct {
  const int *elements; /* [n] */
  const int *kinds;    /* [n] */
  const int *first;    /* [n + 1] variable v of item i is variable first[i] + v of values, [first[n]][NQ] */
  const int *at;       /* [n] likewise of `numbers` */
  const double
    *numbers; /* [at[n]][NQ] rates of the axes that are stretched; or sigma, its mean from the center, n[dim] */
  const double *interpolate, *project; /* [NP][NQ] to the points, [NQ][NP] from them */
  double        alpha;
  int           n, NP, NQ, NF, dim, nvectors;
  int           vectors[PLEX_PML_VECTORS];   /* first fields of vectors */
  signed char   stretch[PLEX_PML_FIELDS][3]; /* powers of the axes' factors in that of a field */
} PlexDGPMLArgs;

/* Adds factor times the layer's rates of u to r, and weight times that to next; NULL: not there. Memory variables and their
   residuals take a stage of a low-storage scheme if `update`: residual = a residual + dt rate, value += b residual */
typedef struct {
  const void *u;
  void       *r, *next;
  double      factor, weight;
  void       *values, *residual; /* float where `narrow`, else double */
  double      a, b, dt;
  int         single, narrow, update;
} PlexDGPMLStage;

#endif
