/*
  The pattern of a matrix, made from the elements. PETSc's DMCreateMatrix() finds the neighbours of each dof in hash
  tables; here they are found once for each mesh node, whose dofs all have the same, and sorted. Nodes are gone through
  in threads.
*/
#include "matrixgraph.h"
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
  PetscCall(PlexGetLocalToGlobalMapping(el->dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  for (PetscInt l = 0; l < el->Nl; ++l) {
    const int k = el->node[l];

    if (global[l] < 0) continue;
    if (nodes->first[k] < 0) nodes->first[k] = (int)global[l];
    if (nodes->first[k] + nodes->rows[k] != global[l]) *inOrder = PETSC_FALSE;
    ++nodes->rows[k];
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What loops over nodes read and write */
typedef struct {
  const MatrixNodes     *nodes;
  const PlexMatrixGraph *graph;
  PetscInt               Nnodes;
  PetscInt              *length; /* [m] entries of each row */
  const PetscInt        *i;      /* [m+1] */
  PetscInt              *j;
  PlexCount              nnz, failed; /* loops without memory for their work */
} MatrixLoop;

static void MatrixCountLoop(void *ctx, PetscInt begin, PetscInt end)
{
  MatrixLoop        *l     = (MatrixLoop *)ctx;
  const MatrixNodes *nodes = l->nodes;
  PlexMatrixWork     work;
  PetscInt64         nnz = 0;
  const PetscBool    can = PlexMatrixWorkCreate(l->graph, 0, &work);

  for (PetscInt k = begin; k < end && can; ++k) {
    PetscInt n, sum = 0;

    if (k + PLEX_MATRIX_AHEAD < l->Nnodes) PlexMatrixFetch(l->graph, k + PLEX_MATRIX_AHEAD);
    if (nodes->first[k] < 0) continue;
    n = PlexMatrixNear(l->graph, k, &work);
    for (PetscInt a = 0; a < n; ++a) sum += nodes->rows[work.near[a]];
    for (PetscInt r = 0; r < nodes->rows[k]; ++r) l->length[nodes->first[k] + r] = sum;
    nnz += (PetscInt64)sum * nodes->rows[k];
  }
  PlexCountAdd(&l->nnz, nnz);
  PlexCountAdd(&l->failed, !can);
  PlexMatrixWorkDestroy(&work);
}

/* j[] of the rows of each node, ascending: those of the nodes near to it in the order of their first rows */
static void MatrixFillLoop(void *ctx, PetscInt begin, PetscInt end)
{
  MatrixLoop        *l     = (MatrixLoop *)ctx;
  const MatrixNodes *nodes = l->nodes;
  PlexMatrixWork     work;
  const PetscBool    can = PlexMatrixWorkCreate(l->graph, 0, &work);

  for (PetscInt k = begin; k < end && can; ++k) {
    PetscInt *to, n, m = 0, columns = 0;

    if (k + PLEX_MATRIX_AHEAD < l->Nnodes) PlexMatrixFetch(l->graph, k + PLEX_MATRIX_AHEAD);
    if (nodes->first[k] < 0) continue;
    n = PlexMatrixNear(l->graph, k, &work);
    for (PetscInt a = 0; a < n; ++a) {
      const int near = work.near[a];

      if (nodes->rows[near]) work.keys[m++] = (uint64_t)nodes->first[near] << 32 | (uint64_t)nodes->rows[near];
    }
    PlexMatrixSort(m, work.keys, &work.keys[m]);
    to = &l->j[l->i[nodes->first[k]]];
    for (PetscInt a = 0; a < m; ++a) {
      const PetscInt first = (PetscInt)(work.keys[a] >> 32), rows = (PetscInt)(work.keys[a] & 0xffffffffu);

      for (PetscInt c = 0; c < rows; ++c) to[columns++] = first + c;
    }
    for (PetscInt r = 1; r < nodes->rows[k]; ++r)
      memcpy(&l->j[l->i[nodes->first[k] + r]], to, sizeof(*to) * (size_t)columns);
  }
  PlexCountAdd(&l->failed, !can);
  PlexMatrixWorkDestroy(&work);
}

static PetscErrorCode MatrixRunLoop(MatrixLoop *l, PlexThreadsLoop loop)
{
  PetscFunctionBegin;
  PlexCountInit(&l->nnz);
  PlexCountInit(&l->failed);
  PetscCall(PlexThreadsRun(l->Nnodes, PLEX_THREADS_LEAST / 4, loop, l));
  PetscCheck(!PlexCountGet(&l->failed), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for the %" PetscInt_FMT " nodes of the elements around a node", l->graph->most);
  PetscCheck(PlexCountGet(&l->nnz) <= PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "The matrix has more than %d non-zeros on a process, whose slots are 32-bit numbers: use more ranks",
             PETSC_INT32_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of a new matrix, values zero. The columns are written where the matrix has them:
   MatSeqAIJSetPreallocationCSR() would look for the place of each. */
static PetscErrorCode MatrixSetPattern(PlexElements el, const MatrixNodes *nodes, Mat mat)
{
  PlexMatrixGraph graph;
  MatrixLoop      l = {.nodes = nodes, .graph = &graph, .Nnodes = el->Nnodes};
  PetscInt        m, n;
  const PetscInt *i, *j;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(mat, &m, NULL));
  PetscCall(PlexMatrixGraphCreate(el, PETSC_FALSE, &graph));
  PetscCall(PetscCalloc1(m, &l.length));
  PetscCall(MatrixRunLoop(&l, MatrixCountLoop));
  PetscCall(MatSeqAIJSetPreallocation(mat, 0, l.length));
  PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)mat)->type_name);
  l.i = i;
  l.j = (PetscInt *)j;
  PetscCall(MatrixRunLoop(&l, MatrixFillLoop));
  PetscCall(PlexMatrixSetColumns(mat, j));
  PetscCall(MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(l.length));
  PetscCall(PlexMatrixGraphDestroy(&graph));
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
  else if (aij) {
    PetscCall(MatrixSetPattern(el, &nodes, *mat));
    PetscCall(PlexMatrixSetSubMatrix(*mat));
  } else PetscCall((*create)(el->dm, mat));
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
