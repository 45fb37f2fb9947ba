/* What elements of a perfectly matched layer whose rates are constant read and write: dg/pml_constant.h. One layout for
   host C and device C++, passed by value. Variables of an element, in the order of fields and of a field's sections:
   [variables][NP] */
#ifndef PLEX_DG_PML_CONSTANT_ARGS_H
#define PLEX_DG_PML_CONSTANT_ARGS_H

#define PLEX_PML_SECTIONS 3 /* of a field, at most: an axis each */

typedef struct {
  long long first;    /* its first variable's place among the variables */
  int       element;  /* of the mesh */
  unsigned  sections; /* of field f in bits 2 f and 2 f + 1; 0: its rates are not constant */
  short     row;      /* of numbers */
  short     variables;
} PlexDGPMLItem;

typedef struct {
  const PlexDGPMLItem *items; /* [n] in the order of their variables */
  /* [rows][NF][PLEX_PML_SECTIONS][2] t and l of a field's sections; float where variables are */
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
