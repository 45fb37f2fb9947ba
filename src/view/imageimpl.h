/* The class PlexImage */
#pragma once

#include "viewimpl.h"
#include <petsc/private/petscimpl.h>

struct _p_PlexImage {
  PETSCHEADER(int);
  char      field[64]; /* empty: the first one */
  PetscInt  component; /* PETSC_DETERMINE: the length of a vector */
  PetscReal range[2];
  PetscBool ranged; /* range[] is set */
  PetscInt  w, h;
  PetscReal window[2][2]; /* [direction][low, high] */
  PetscBool windowed;     /* window[] is set */
  PetscReal point[3], normal[3];
  PetscBool pointed, leaning; /* point[], normal[] are set */
  PetscInt  divide;           /* intervals of an edge; 0: by the degree */
};
