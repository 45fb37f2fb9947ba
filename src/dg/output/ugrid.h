/* Cells of elements of one kind: ugridcells.c */
#pragma once

#include "outputimpl.h"
#include "../interface/points.h"

typedef struct {
  PlexDG       dg;
  PetscInt     nv, ncells, nq; /* corners of a cell, cells of an element, points of a cell */
  PetscReal   *shapes;         /* [ncells][nv][nx] basis of the coordinates at corners */
  PlexDGPoints points;         /* [ncells nq] */
} PlexUGRIDPart;

/* n x n cells of each element */
PETSC_INTERN PetscErrorCode PlexUGRIDPartCreate_Private(PlexDG, PetscInt n, PlexUGRIDPart *);
PETSC_INTERN PetscErrorCode PlexUGRIDPartDestroy_Private(PlexUGRIDPart *);
/* means[Ne][ncells] of row k of values[Ne][nrows][Np] */
PETSC_INTERN void PlexUGRIDPartMeans_Private(const PlexUGRIDPart *, const PetscScalar values[], PetscInt nrows,
                                             PetscInt k, PetscReal means[]);
/* x[Ne][ncells][width][2]; behind the corners that there are NAN */
PETSC_INTERN PetscErrorCode PlexUGRIDPartCorners_Private(const PlexUGRIDPart *, PetscInt width, PetscReal x[]);
