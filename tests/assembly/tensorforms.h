/* Jacobians of coefficients.h on small meshes that all processes share: for tensor integration. */
#pragma once

#include <petscdmplex.h>

#define PLEX_TEST_COEFFICIENTS "tests/assembly/coefficients.h" /* from the top folder, where tests run */
#define PLEX_TEST_TENSOR_FORMS 18                              /* that all cells and degrees are tried with */

typedef struct {
  const char      *name;
  PetscPointJacFn *g[4], *d[4]; /* of the Jacobian and the dynamic one, of field 0 */
  PetscBool        vector, mixed;
  PetscInt         aux;       /* degree of a coefficient, -1: none */
  PetscInt         degree;    /* of tensors; -1: the functions depend on the solution */
  PetscBool        symmetric; /* G is, of one component */
  PetscBool        position;  /* tensors only where asked for */
  PetscBool        held;      /* no node is held in one component alone */
} PlexTestTensorForm;

typedef struct {
  DMPolytopeType cell;
  /* quadrilaterals and hexahedra: parallelograms and parallelepipeds, cells of no box are distorted */
  PetscBool box;
  /* cells: so many of the mesh, 0: all; or, less than 0, the mesh is refined so many times */
  PetscInt cells, degree;
} PlexTestTensorSpace;

/* By number, and by name */
PetscErrorCode PlexTestGetTensorForm(PetscInt k, const PlexTestTensorForm **form);
PetscErrorCode PlexTestFindTensorForm(const char name[], const PlexTestTensorForm **form);

/* Mesh, fields, auxiliary field, boundary values and Jacobian. -shuffle: the mesh is numbered at random */
PetscErrorCode PlexTestTensorProblemCreate(const PlexTestTensorSpace *, const PlexTestTensorForm *, DM *);

/* x_1 += bend x_0^2: a box's cells are then no parallelograms */
PetscErrorCode PlexTestMoveBox(DM dm, PetscReal bend);
