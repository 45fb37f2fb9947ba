/*
  Meshes of other codes, as DMs of type DMPLEX.
*/
#pragma once

#include <petscdmplex.h>

/* MANSEC = PlexGPU */

/*S
  PlexDMArraysField - a field of another code's mesh: Lagrange's element of a degree, with its nodes in any order

  Level: intermediate

.seealso: `PlexDMArrays`, `PlexDMCreateFromArrays()`
S*/
typedef struct {
  PetscInt         degree, components;
  PetscInt         nodes; /* of an element */
  const PetscReal *xi;    /* [nodes][dim] where they are in the reference cell; NULL: as PETSc has them */
  const PetscInt  *dofs;  /* [elements][nodes] local number of a node's first dof; the other components follow it */
} PlexDMArraysField;

/*S
  PlexDMArrays - the elements that a process has of another code's mesh, with the location matrices of its fields

  Level: intermediate

  Notes:
  Dofs 0 to owned - 1 are those that the process owns; globally they are numbered process by process. Behind them are
  the ghosts, which elements of this process have in common with those of others.

  PETSc's reference cells have vertices with coordinates -1 and 1; with `unit` they are 0 and 1, as those of FIAT and
  Basix.

.seealso: `PlexDMArraysField`, `PlexDMCreateFromArrays()`
S*/
typedef struct {
  DMPolytopeType           cell;       /* of all elements: triangle, quadrilateral, tetrahedron or hexahedron */
  PetscInt                 elements;   /* of this process */
  PetscBool                unit;       /* the reference cell of all xi[] */
  PetscInt                 degree;     /* of the coordinates, which are Lagrange's */
  PetscInt                 nodes;      /* coordinate nodes of an element, */
  const PetscReal         *xi;         /* [nodes][dim] where they are in the reference cell; NULL: as PETSc has them, */
  const PetscInt          *vertices;   /* [elements][nodes] and which they are */
  PetscInt                 points;     /* coordinate nodes in all, */
  const PetscReal         *x;          /* [points][dim] and their coordinates */
  PetscInt                 quadrature; /* degree of PETSc's quadrature; PETSC_DETERMINE: the fields' highest */
  PetscInt                 nfields;
  const PlexDMArraysField *fields;        /* [nfields] */
  PetscInt                 owned, ghosts; /* dofs */
  const PetscInt          *global;        /* [ghosts] their global numbers */
} PlexDMArrays;

PETSC_EXTERN PetscErrorCode PlexDMCreateFromArrays(MPI_Comm, const PlexDMArrays *, DM *);
