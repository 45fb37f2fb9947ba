/* What a perfectly matched layer reads and writes: dg/pml.h. One layout for host C and device C++, passed by value. States
   and residuals are [Ne][NF][NP] of float where `single`, else double; memory variables and numbers are float where
   `narrow`, else double.

   Elements are in batches of PLEX_PML_ELEMENTS that have the same axes, in tiles of 8 nodes, or of 8 points:

     variables of a batch of one axis:  [NF][tiles of nodes][16][8, of the last tile those that there are]
     of others:                         [variables][tiles of points][16][8]
     numbers:                           [numbers][tiles of points][16][8]

   where points that there are not have the number 0 */
#ifndef PLEX_DG_PML_ARGS_H
#define PLEX_DG_PML_ARGS_H

#define PLEX_PML_RADIAL   8  /* kind of an element: bits 1, 2, 4 of the axes that are stretched there, or this */
#define PLEX_PML_FIELDS   16 /* PLEX_DG_MAX_FIELDS */
#define PLEX_PML_VECTORS  4
#define PLEX_PML_ELEMENTS 16 /* of a batch */

typedef struct {
  long long first, at; /* its first variable's place among the variables, its first number's among the numbers */
  int       kind, n;   /* n elements; behind them their last one again */
} PlexDGPMLBatch;

typedef struct {
  const PlexDGPMLBatch *batches;  /* [nbatches] */
  const int            *elements; /* [nbatches][PLEX_PML_ELEMENTS] */
  /* rates of the axes that are stretched; or sigma, its mean from the center, n[dim] */
  const void *numbers;
  /* to the points, and from them. Of the host [NQ][NP] and [NP][NQ] double, of kernels fragments, unit.cuh, with columns of
     a tile in the order 0, 2, 4, 6, 1, 3, 5, 7 */
  const void *interpolate, *project;
  double      alpha;
  int         nbatches, NP, NQ, NF, dim, nvectors;
  int         vectors[PLEX_PML_VECTORS];   /* first fields of vectors */
  signed char stretch[PLEX_PML_FIELDS][3]; /* powers of the axes' factors in that of a field */
} PlexDGPMLArgs;

/* Adds factor times the layer's rates of u to r, and weight times that to next; NULL: not there. Memory variables and their
   residuals take a stage of a low-storage scheme if `update`: residual = a residual + dt rate, value += b residual */
typedef struct {
  const void *u;
  void       *r, *next;
  double      factor, weight;
  void       *values, *residual;
  double      a, b, dt;
  int         single, narrow, update;
} PlexDGPMLStage;

#endif
