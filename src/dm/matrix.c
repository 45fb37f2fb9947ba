/*
  The pattern of a matrix, made from the elements. PETSc's DMCreateMatrix() finds the neighbours of each dof in hash tables; here
  they are found once for each mesh node, whose dofs all have the same, and every row is written in order.
*/
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h> /* prealloc_skip, prealloc_only */

/* Mesh nodes as the pattern needs them: the rows of one follow each other */
typedef struct {
  int *first; /* [Nnodes] first row, -1: none */
  int *rows;  /* [Nnodes] number of rows */
} MatrixNodes;

/* Whether every node's rows follow each other, as in the sections that PETSc makes, and where they are */
static PetscErrorCode MatrixNodesCreate(PlexElements el, MatrixNodes *nodes, PetscBool *inOrder)
{
  ISLocalToGlobalMapping map;
  const PetscInt        *global;

  PetscFunctionBegin;
  *inOrder = PETSC_TRUE;
  PetscCall(PetscMalloc2(el->Nnodes, &nodes->first, el->Nnodes, &nodes->rows));
  PetscCall(PetscArrayzero(nodes->rows, el->Nnodes));
  for (PetscInt k = 0; k < el->Nnodes; ++k) nodes->first[k] = -1;
  PetscCall(DMGetLocalToGlobalMapping(el->dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  for (PetscInt l = 0; l < el->Nl; ++l) {
    const int k = el->node[l];

    if (global[l] < 0) continue;
    if (nodes->first[k] < 0) nodes->first[k] = (int)global[l];
    if (nodes->first[k] + nodes->rows[k] != global[l]) *inOrder = PETSC_FALSE;
    ++nodes->rows[k];
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes with rows in the elements around node k, ascending by row: near[n]; stamp[] is work, where k marks those found */
static PetscErrorCode MatrixNear(const MatrixNodes *nodes, PetscInt per, const int conn[], const PlexLists *around, PetscInt k, int stamp[], PetscInt near[], PetscInt *n)
{
  PetscFunctionBeginHot;
  *n = 0;
  for (PetscInt t = around->start[k]; t < around->start[k + 1]; ++t) {
    const int *element = &conn[(size_t)around->items[t] * per];

    for (PetscInt i = 0; i < per; ++i) {
      if (stamp[element[i]] == (int)k || nodes->first[element[i]] < 0) continue;
      stamp[element[i]] = (int)k;
      near[(*n)++]      = nodes->first[element[i]];
    }
  }
  PetscCall(PetscSortInt(*n, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* i[m+1], j[] of the rows: first their lengths, then their columns */
static PetscErrorCode MatrixPattern(PlexElements el, const MatrixNodes *nodes, PetscInt m, PetscInt **i, PetscInt **j)
{
  PlexLists around;
  PetscInt  per = 0, most = 0, *near;
  int      *conn, *stamp, *rowsAt;

  PetscFunctionBegin;
  PetscCall(PlexElementsGetNodes(el, &per, &conn));
  PetscCall(PlexListsInvert(el->Ne, per, conn, el->Nnodes, &around));
  for (PetscInt k = 0; k < el->Nnodes; ++k) most = PetscMax(most, around.start[k + 1] - around.start[k]);
  PetscCall(PetscMalloc1(PetscMax(1, most * per), &near));
  PetscCall(PetscMalloc1(el->Nnodes, &stamp));
  PetscCall(PetscMalloc1(m, &rowsAt)); /* [m] number of rows of the node that begins at a row */
  PetscCall(PetscCalloc1(m + 1, i));
  for (PetscInt k = 0; k < el->Nnodes; ++k)
    if (nodes->first[k] >= 0) rowsAt[nodes->first[k]] = nodes->rows[k];
  for (PetscInt fill = 0; fill < 2; ++fill) {
    for (PetscInt k = 0; k < el->Nnodes; ++k) stamp[k] = -1;
    for (PetscInt k = 0; k < el->Nnodes; ++k) {
      PetscInt n, length = 0, *row;

      if (nodes->first[k] < 0) continue;
      PetscCall(MatrixNear(nodes, per, conn, &around, k, stamp, near, &n));
      if (!fill) {
        for (PetscInt a = 0; a < n; ++a) length += rowsAt[near[a]];
        for (PetscInt r = 0; r < nodes->rows[k]; ++r) (*i)[nodes->first[k] + r + 1] = length;
        continue;
      }
      row = &(*j)[(*i)[nodes->first[k]]];
      for (PetscInt a = 0; a < n; ++a)
        for (PetscInt c = 0; c < rowsAt[near[a]]; ++c) row[length++] = near[a] + c;
      for (PetscInt r = 1; r < nodes->rows[k]; ++r) PetscCall(PetscArraycpy(&row[r * length], row, length));
    }
    for (PetscInt r = 0; r < m && !fill; ++r) {
      PetscCheck((*i)[r] <= PETSC_INT_MAX - (*i)[r + 1], PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW, "The matrix has more than %" PetscInt_FMT " non-zeros: use more ranks, or PETSc with 64-bit indices", PETSC_INT_MAX);
      (*i)[r + 1] += (*i)[r];
    }
    if (!fill) PetscCall(PetscMalloc1((*i)[m], j));
  }
  PetscCall(PetscFree(near));
  PetscCall(PetscFree(stamp));
  PetscCall(PetscFree(rowsAt));
  PetscCall(PetscFree(conn));
  PetscCall(PlexListsDestroy(&around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dof is coupled to those of the elements around it, which is PETSc's choice for finite elements, in each field */
static PetscErrorCode MatrixHasElementCoupling(PlexElements el, PetscBool *has)
{
  PetscInt Nds;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(el->dm, &Nds));
  *has = (PetscBool)(Nds == 1); /* else these elements are not all */
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscBool useCone, useClosure;

    PetscCall(DMGetAdjacency(el->dm, f, &useCone, &useClosure));
    if (useCone || !useClosure) *has = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexElementsCreateMatrix - Creates the matrix of a `DM` with its pattern, values zero

  Collective

  Input Parameter:
. el - the elements

  Output Parameter:
. mat - the matrix, as from `DMCreateMatrix()`

  Note:
  With a type derived from `MATAIJ`, and on one rank with PETSc's own numbering, the pattern is made from the elements, many times faster than
  in `DMCreateMatrix()`; elsewhere that is what is called.
*/
PetscErrorCode PlexElementsCreateMatrix(PlexElements el, Mat *mat)
{
  MatrixNodes nodes;
  PetscInt    m, *i, *j;
  PetscMPIInt size;
  PetscBool   coupling = PETSC_FALSE, aij = PETSC_FALSE, inOrder = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)el->dm), &size));
  PetscCall(MatrixNodesCreate(el, &nodes, &inOrder));
  PetscCall(MatrixHasElementCoupling(el, &coupling));
  if ((size > 1 || inOrder) && coupling && !el->dm->prealloc_skip && !el->dm->prealloc_only) {
    PetscCall(DMSetMatrixPreallocateSkip(el->dm, PETSC_TRUE));
    PetscCall(DMCreateMatrix(el->dm, mat));
    PetscCall(DMSetMatrixPreallocateSkip(el->dm, PETSC_FALSE));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)*mat, size > 1 ? MATMPIAIJ : MATSEQAIJ, &aij));
    if (!aij) PetscCall(MatDestroy(mat));
  }
  if (aij && size > 1) PetscCall(PlexMatrixSetUpDistributed(el, *mat));
  else if (aij) {
    PetscCall(MatGetLocalSize(*mat, &m, NULL));
    PetscCall(MatrixPattern(el, &nodes, m, &i, &j));
    PetscCall(MatSeqAIJSetPreallocationCSR(*mat, i, j, NULL));
    PetscCall(PetscFree(i));
    PetscCall(PetscFree(j));
  } else PetscCall(DMCreateMatrix(el->dm, mat));
  PetscCall(PetscFree2(nodes.first, nodes.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
