/* Meshes with a fault for tests: boxes of bent cells that cohesive cells cut in two, with fields, functions of
   cohesive.h and auxiliary fields. */
#pragma once

#include <petscdmplex.h>

#define PLEX_TEST_COHESIVE "tests/common/cohesive.h" /* from the top folder, where tests run */

/* What a problem has besides a vector field on all cells and a cohesive one */
enum {
  PLEX_TEST_FAULT_AUX    = 1,  /* auxiliary fields of both sides and of the cells */
  PLEX_TEST_FAULT_TIME   = 2,  /* a time derivative: the test's own business */
  PLEX_TEST_FAULT_PRE    = 4,  /* functions of a preconditioner */
  PLEX_TEST_FAULT_SCALAR = 8,  /* scalar fields, on all cells and cohesive */
  PLEX_TEST_FAULT_PART   = 16, /* the fault ends inside */
  /* f1 of cohesive fields, which PETSc does not transform */
  PLEX_TEST_FAULT_DERIVATIVES = 32
};

/* A box of n cells, or boxes of simplices, along an edge; degree of the fields */
typedef struct {
  DMPolytopeType cell;
  PetscInt       n, degree, has;
} PlexTestFault;

/* The keys are those that DMPlexSNESComputeResidualFEM() makes: two values of a label with parts 0 and 1, for the sides,
   and a label for the cells with part 2. cells: the cohesive cells of this process */
PetscErrorCode PlexTestFaultCreate(MPI_Comm, const PlexTestFault *, PetscFormKey keys[3], IS *cells, DM *);

/* A vector of numbers that look random */
PetscErrorCode PlexTestFillVector(Vec, PetscInt seed);
