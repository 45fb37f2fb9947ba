/* What elements of a perfectly matched layer whose rates are constant read and write: dg/pml_constant.h. One layout for
   host C and device C++, passed by value. Variables of an element, in the order of rounds and, in a round, of fields:
   [variables][NP] */
#ifndef PLEX_DG_PML_CONSTANT_ARGS_H
#define PLEX_DG_PML_CONSTANT_ARGS_H

#define PLEX_PML_ROUNDS 3 /* sections of a field, at most: an axis each */

typedef struct {
  long long   first;             /* its first variable's place among the variables */
  int         element;           /* of the mesh */
  short       row;               /* of numbers */
  signed char rounds, variables; /* the most sections that a field has, 0: its rates are not constant; of all fields */
} PlexDGPMLItem;

typedef struct {
  const PlexDGPMLItem *items; /* [n] in the order of their variables */
  /* [rows][PLEX_PML_ROUNDS][NF][2] t and l of a field's section, l < 0: it has none; float where variables are */
  const void *numbers;
  long long   n;
  int         NP, NF;
} PlexDGPMLConstantArgs;

/* Likewise in the kernel of a stage */
typedef struct {
  const PlexDGPMLItem *items; /* [Ne] of all elements */
  const void          *numbers;
  void                *values, *residual;
} PlexDGLayer;

#endif
