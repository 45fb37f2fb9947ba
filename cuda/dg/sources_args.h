/* Sources that do not depend on the state: what dg/sources.h reads. One layout for host C and device C++.

   A surface, on one side of which the state is the total field, on the other the scattered one: neighbours there differ
   by the incident wave. And currents at points. Elements that have either come once in a list. */
#ifndef PLEX_DG_SOURCES_ARGS_H
#define PLEX_DG_SOURCES_ARGS_H

typedef struct {
  int         n;             /* elements with sides of the surface */
  int         npoints;       /* elements with currents at points */
  const int  *elements;      /* [n] */
  const int  *starts;        /* [n + 1] of their sides */
  const int  *sides;         /* 2 f + 1 where the element's state is the total field, else 2 f, of its face f */
  const void *x;             /* [sides][NFP][DIM] plex_real: where the nodes are */
  const int  *pointElements; /* [npoints] */
  const int  *pointStarts;   /* [npoints + 1] of their currents */
  const void *basis;         /* [currents][NP] plex_real: what a current of size 1 adds at the nodes */
  const void *numbers;       /* [currents][3 + PLEX_DG_PULSE] plex_real: direction and size, change in time */
  double      t;
  const int  *kinds; /* [sides] their boundary conditions, where sides are facets of the boundary; else NULL */
} PlexDGSourceArgs;

/* What the rates are added to: factor times them to r, and weight times that to next, unless it is NULL; of float where
   `single`, else double. Values of element e are those of places[e] times `apart` on, or, where `places` is NULL, as in a
   state */
typedef struct {
  void      *r, *next;
  double     factor, weight;
  int        single;
  const int *places; /* [Ne] */
  long long  apart;
} PlexDGSourceTarget;

#endif
