/* Selafin files, also called Serafin: meshes of triangles with fields at their vertices, as TELEMAC-MASCARET has them.

   Fortran's unformatted records, big-endian: each begins and ends with its length in bytes.
     title                               80 characters, the last 8 of which say whether reals have 4 or 8 bytes
     nvar, nvar2                         numbers of fields
     name and unit                       a record of 32 characters each
     10 integers                         the last one 1: a record of 6 integers, the date, comes next
     nc, nv, 3, 1                        triangles, vertices, corners
     cells [nc][3]                       from 1
     numbers [nv]                        of vertices on the boundary; not used here
     x [nv]
     y [nv]
     and for each time: t; each field [nv] */
#pragma once

#include <petscsys.h>

typedef struct {
  PetscInt   nc, nv, nvar;
  PetscInt  *cells;  /* [nc][3] from 0 */
  PetscReal *x;      /* [nv][2] */
  char (*names)[33]; /* [nvar] */
  PetscReal *values; /* [nvar][nv] at the first time */
} Selafin;

PetscErrorCode SelafinRead(const char path[], Selafin *s);
PetscErrorCode SelafinDestroy(Selafin *s);

/* *values: those of the first field whose name begins with one of two, owned by s */
PetscErrorCode SelafinGetVariable(const Selafin *s, const char name[], const char other[], PetscReal **values);
