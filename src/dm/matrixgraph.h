/*
  Who is near to whom: the mesh nodes, or the dofs, of the elements around one, of which the pattern of a matrix is made
  (matrix.c, matrixdistributed.c)
*/
#pragma once

#include "elementsimpl.h"

/* The elements around each node, and the nodes of each element: mesh nodes, or dofs */
typedef struct {
  PetscInt   per;    /* nodes an element */
  const int *conn;   /* [Ne][per] */
  int       *own;    /* the same, unless they are the elements' dofs */
  PlexLists  around; /* of each node */
  PetscInt   most;   /* nodes of the elements around one */
} PlexMatrixGraph;

PETSC_INTERN PetscErrorCode PlexMatrixGraphCreate(PlexElements, PetscBool ofDofs, PlexMatrixGraph *);
PETSC_INTERN PetscErrorCode PlexMatrixGraphDestroy(PlexMatrixGraph *);

/* Work of one thread: a set of nodes, by open addressing, and the nodes in it */
typedef struct {
  PetscInt  size; /* a power of two, more than twice the nodes */
  int      *set;  /* [size] node, -1: none */
  int      *near; /* [most] nodes, each once */
  uint64_t *keys; /* [2 * (most + more)] */
} PlexMatrixWork;

/* with so many keys more than there are nodes; false: there is no memory */
PETSC_INTERN PetscBool PlexMatrixWorkCreate(const PlexMatrixGraph *, PetscInt more, PlexMatrixWork *);
PETSC_INTERN void      PlexMatrixWorkDestroy(PlexMatrixWork *);
/* Puts the nodes in the elements around node k, each once, into near[], and tells their number */
PETSC_INTERN PetscInt PlexMatrixNear(const PlexMatrixGraph *, PetscInt k, PlexMatrixWork *);
/* Ascending: keys[n], with work[n] */
PETSC_INTERN void PlexMatrixSort(PetscInt n, uint64_t keys[], uint64_t work[]);
/* ... and each once: how many there are */
PETSC_INTERN PetscInt PlexMatrixSortOnce(PetscInt n, uint64_t keys[], uint64_t work[]);

/* Fetches the elements around a node that comes a few later. Inlined by force: a compiler may leave out a call that has
   no effect but this one */
static inline __attribute__((always_inline)) void PlexMatrixFetch(const PlexMatrixGraph *graph, PetscInt k)
{
  for (PetscInt t = graph->around.start[k]; t < graph->around.start[k + 1]; ++t)
    PlexFetch(&graph->conn[(size_t)graph->around.items[t] * graph->per]);
}

#define PLEX_MATRIX_AHEAD 6 /* nodes, of which each has a few elements around it */

/* Has a matrix that is preallocated take the columns that are in its array j[] already, and zero as its values */
PETSC_INTERN PetscErrorCode PlexMatrixSetColumns(Mat, const PetscInt j[]);
/* MatCreateSubMatrix() of a matrix of one process is that of submatrix.c */
PETSC_INTERN PetscErrorCode PlexMatrixSetSubMatrix(Mat);
