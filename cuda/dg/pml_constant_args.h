/* What elements of a perfectly matched layer whose rates are constant read and write: dg/pml_constant.h. One layout for
   host C and device C++, passed by value. Variables of an element, in the order of rounds and, in a round, of fields:
   [variables][NP] */
#ifndef PLEX_DG_PML_CONSTANT_ARGS_H
#define PLEX_DG_PML_CONSTANT_ARGS_H

#define PLEX_PML_ROUNDS 3  /* sections of a field, at most: an axis each */
#define PLEX_PML_AXIS   -1 /* in the place of rounds: one axis is stretched, of which each field has a section */

typedef struct {
  long long   first;   /* its first variable's place among the variables */
  int         element; /* of the mesh */
  short       row;     /* of numbers */
  signed char rounds,
    variables; /* the most sections that a field has, 0: its rates are not constant, or PLEX_PML_AXIS; of all fields */
} PlexDGPMLItem;

/* Of a row of PLEX_PML_AXIS: t = -rate and l = alpha + rate of fields whose bit is set, else rate and alpha */
typedef struct {
  double rate;
  int    down, unused;
} PlexDGPMLAxis;

typedef struct {
  const PlexDGPMLItem *items; /* [n] in the order of their variables */
  /* [rows][PLEX_PML_ROUNDS][NF][2] t and l of a field's section, l < 0: it has none; float where variables are */
  const void          *numbers;
  const PlexDGPMLAxis *axes; /* [rows] */
  double               alpha;
  long long            n;
  int                  NP, NF;
} PlexDGPMLConstantArgs;

/* Likewise in the kernel of a stage */
typedef struct {
  const PlexDGPMLItem *items; /* [Ne] of all elements */
  const void          *numbers;
  const PlexDGPMLAxis *axes;
  double               alpha;
  void                *values, *residual;
} PlexDGLayer;

#endif
