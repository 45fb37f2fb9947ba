/*
  The pattern of a matrix, made from the elements. PETSc's DMCreateMatrix() finds the neighbours of each dof in hash
  tables; here they are found once for each mesh node, whose dofs all have the same, and every row is written in order.
*/
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h> /* prealloc_skip, prealloc_only */

#define MATRIX_AHEAD 6 /* nodes, of which each has a few elements around it */

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

/* The elements around each mesh node, and the nodes of each element */
typedef struct {
  PetscInt  per;    /* nodes an element */
  int      *conn;   /* [Ne][per] */
  PlexLists around; /* of each node */
  int      *stamp;  /* [Nnodes] work: the last node that a node was found near to */
  int      *near;   /* nodes near one; room for as many as elements around it have, and one */
} MatrixGraph;

static PetscErrorCode MatrixGraphCreate(PlexElements el, MatrixGraph *graph)
{
  PetscInt most = 0;

  PetscFunctionBegin;
  PetscCall(PlexElementsGetNodes(el, &graph->per, &graph->conn));
  PetscCall(PlexListsInvert(el->Ne, graph->per, graph->conn, el->Nnodes, &graph->around));
  for (PetscInt k = 0; k < el->Nnodes; ++k) most = PetscMax(most, graph->around.start[k + 1] - graph->around.start[k]);
  PetscCall(PetscMalloc1(most * graph->per + 1, &graph->near));
  PetscCall(PetscMalloc1(el->Nnodes, &graph->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixGraphDestroy(MatrixGraph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->conn));
  PetscCall(PlexListsDestroy(&graph->around));
  PetscCall(PetscFree(graph->near));
  PetscCall(PetscFree(graph->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the nodes in the elements around node k, each once, into near[]; whether one was there before is too irregular
   to branch on */
static PetscInt MatrixNear(const MatrixGraph *graph, PetscInt k)
{
  const PetscInt per   = graph->per;
  int           *stamp = graph->stamp, *near = graph->near;
  PetscInt       n = 0;

  for (PetscInt t = graph->around.start[k]; t < graph->around.start[k + 1]; ++t) {
    const int *element = &graph->conn[(size_t)graph->around.items[t] * per];

    for (PetscInt a = 0; a < per; ++a) {
      near[n] = element[a];
      n += stamp[element[a]] != (int)k;
      stamp[element[a]] = (int)k;
    }
  }
  return n;
}

/* Fetches the elements around a node that comes a few later. Inlined by force: a compiler may leave out a call that has
   no effect but this one */
static inline __attribute__((always_inline)) void MatrixFetch(const MatrixGraph *graph, PetscInt k)
{
  for (PetscInt t = graph->around.start[k]; t < graph->around.start[k + 1]; ++t)
    PlexFetch(&graph->conn[(size_t)graph->around.items[t] * graph->per]);
}

/* length[m]: entries of each row */
static PetscErrorCode MatrixCount(PlexElements el, const MatrixNodes *nodes, const MatrixGraph *graph,
                                  PetscInt length[])
{
  PetscInt64 nnz = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < el->Nnodes; ++k) graph->stamp[k] = -1;
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    PetscInt n, sum = 0;

    if (k + MATRIX_AHEAD < el->Nnodes) MatrixFetch(graph, k + MATRIX_AHEAD);
    if (nodes->first[k] < 0) continue;
    n = MatrixNear(graph, k);
    for (PetscInt a = 0; a < n; ++a) sum += nodes->rows[graph->near[a]];
    for (PetscInt r = 0; r < nodes->rows[k]; ++r) length[nodes->first[k] + r] = sum;
    nnz += (PetscInt64)sum * nodes->rows[k];
  }
  PetscCheck(nnz <= PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "The matrix has more than %" PetscInt_FMT " non-zeros: use more ranks, or PETSc with 64-bit indices",
             PETSC_INT_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* j[] of the rows i[m+1]. Nodes are near to each other, so each writes its columns into the rows of those that it is
   near to: when all have done so in the order of their columns, every row is in order. */
static PetscErrorCode MatrixFill(PlexElements el, const MatrixNodes *nodes, const MatrixGraph *graph, PetscInt m,
                                 const PetscInt i[], PetscInt j[])
{
  int *at, *end; /* [m] the node that begins at a row, -1: none; [Nnodes] where its first row ends so far */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m, &at, el->Nnodes, &end));
  for (PetscInt r = 0; r < m; ++r) at[r] = -1;
  for (PetscInt k = 0; k < el->Nnodes; ++k) {
    graph->stamp[k] = -1;
    if (nodes->first[k] < 0) continue;
    at[nodes->first[k]] = (int)k;
    end[k]              = (int)i[nodes->first[k]];
  }
  for (PetscInt r = 0; r < m; r += nodes->rows[at[r]]) {
    const PetscInt rows = nodes->rows[at[r]], later = r + MATRIX_AHEAD * rows, n = MatrixNear(graph, at[r]);

    if (later < m && later > r && at[later] >= 0) MatrixFetch(graph, at[later]);
    for (PetscInt a = 0; a < n; ++a) {
      const int k = graph->near[a];

      if (!nodes->rows[k]) continue;
      for (PetscInt c = 0; c < rows; ++c) j[end[k]++] = r + c;
    }
  }
  for (PetscInt k = 0; k < el->Nnodes; ++k)
    for (PetscInt r = 1; r < nodes->rows[k]; ++r)
      PetscCall(PetscArraycpy(&j[i[nodes->first[k] + r]], &j[i[nodes->first[k]]],
                              i[nodes->first[k] + 1] - i[nodes->first[k]]));
  PetscCall(PetscFree2(at, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of a new matrix, values zero. The columns are written where the matrix has them:
   MatSeqAIJSetPreallocationCSR() would look for the place of each. */
static PetscErrorCode MatrixSetPattern(PlexElements el, const MatrixNodes *nodes, Mat mat)
{
  MatrixGraph     graph;
  PetscInt        m, n, *length;
  const PetscInt *i, *j;
  PetscScalar    *a;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(mat, &m, NULL));
  PetscCall(MatrixGraphCreate(el, &graph));
  PetscCall(PetscCalloc1(m, &length));
  PetscCall(MatrixCount(el, nodes, &graph, length));
  PetscCall(MatSeqAIJSetPreallocation(mat, 0, length));
  PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)mat)->type_name);
  PetscCall(MatrixFill(el, nodes, &graph, m, i, (PetscInt *)j));
  n = i[m];
  if (n) PetscCall(MatSeqAIJSetColumnIndices(mat, (PetscInt *)j)); /* says that they are there */
  PetscCall(MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatSeqAIJGetArrayWrite(mat, &a));
  PetscCall(PetscArrayzero(a, n));
  PetscCall(MatSeqAIJRestoreArrayWrite(mat, &a));
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(length));
  PetscCall(MatrixGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dof is coupled to those of the elements around it, which is PETSc's choice for finite elements, in each field */
static PetscErrorCode MatrixHasElementCoupling(PlexElements el, PetscBool *has)
{
  PetscErrorCode (*adjacency)(DM, PetscInt, PetscInt *, PetscInt[], void *);
  PetscInt Nds;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(el->dm, &Nds));
  PetscCall(DMPlexGetAdjacencyUser(el->dm, &adjacency, NULL));
  *has = (PetscBool)(Nds == 1 && !adjacency); /* else these elements are not all, or not what the program says */
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscBool useCone, useClosure;

    PetscCall(DMGetAdjacency(el->dm, f, &useCone, &useClosure));
    if (useCone || !useClosure) *has = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsCreateMatrixBy_Private(PlexElements el, PetscErrorCode (*create)(DM, Mat *), Mat *mat)
{
  MatrixNodes nodes;
  PetscMPIInt size;
  PetscBool   mayBe, coupling = PETSC_FALSE, aij = PETSC_FALSE, inOrder = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)el->dm), &size));
  /* and what it ends up as is seen below */
  PetscCall(PetscStrcmpAny(el->dm->mattype, &mayBe, MATAIJ, MATAIJCUSPARSE, size > 1 ? MATMPIAIJ : MATSEQAIJ,
                           size > 1 ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, ""));
  PetscCall(MatrixNodesCreate(el, &nodes, &inOrder));
  PetscCall(MatrixHasElementCoupling(el, &coupling));
  if (mayBe && (size > 1 || inOrder) && coupling && !el->dm->prealloc_skip && !el->dm->prealloc_only) {
    PetscCall(DMSetMatrixPreallocateSkip(el->dm, PETSC_TRUE));
    PetscCall((*create)(el->dm, mat));
    PetscCall(DMSetMatrixPreallocateSkip(el->dm, PETSC_FALSE));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)*mat, &aij, size > 1 ? MATMPIAIJ : MATSEQAIJ,
                                        size > 1 ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, ""));
    if (!aij) PetscCall(MatDestroy(mat));
  }
  if (aij && size > 1) PetscCall(PlexMatrixSetUpDistributed(el, *mat));
  else if (aij) PetscCall(MatrixSetPattern(el, &nodes, *mat));
  else PetscCall((*create)(el->dm, mat));
  if (aij) PetscCall(PlexMatSetComplete(*mat, el->dm));
  PetscCall(PetscFree2(nodes.first, nodes.rows));
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
  With the types `MATAIJ` and `MATAIJCUSPARSE`, and on one rank with PETSc's own numbering, the pattern is made from the
  elements, many times faster than in PETSc's `DMCreateMatrix()`; elsewhere that is what is called.
*/
PetscErrorCode PlexElementsCreateMatrix(PlexElements el, Mat *mat)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsCreateMatrixBy_Private(el, DMCreateMatrix, mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}
