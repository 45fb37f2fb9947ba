/* Fields whose dofs are values at nodes, which functions can be evaluated at. */
#pragma once

#include <plexgpu/private/meshimpl.h>

/* A space of values at nodes, with the coordinate basis at the nodes: the same in all cells of one type */
typedef struct {
  PetscInt         Nb, Nc; /* basis functions; components */
  PetscInt         Nn, Nv; /* nodes; basis functions of a coordinate */
  PetscInt         ef;     /* dofs of a cell, all fields */
  PetscInt         offset; /* of the field's dofs among them */
  PetscInt        *value;  /* [Nb] basis function i is component value[i] % Nc at node value[i] / Nc */
  const PetscReal *xi;     /* [Nn][dim] nodes in the reference cell, the dual space's */
  PetscReal       *psi;    /* [Nn][Nv] coordinate basis */
  PetscInt        *number; /* [Nn] work: numbers of a cell's nodes in the record, -1: none yet */
} PlexNodalSpace;

/* Of field f of the PetscDS of a cell. value NULL: the space, or that of the coordinates, is of another kind. cell -1:
   only whether it is */
PETSC_INTERN PetscErrorCode PlexNodalSpaceCreate(DM, PetscDS, PetscInt f, PetscInt cell, PlexNodalSpace *);
PETSC_INTERN PetscErrorCode PlexNodalSpaceDestroy(PlexNodalSpace *);

/* A function for a vector or for all fields may stand at a field with fewer components. PETSc evaluates point after
   point, so that what is too much is overwritten by the next one, and has room behind the last. */
PETSC_INTERN PetscErrorCode PlexGetMostComponents(DM, PetscInt *);
