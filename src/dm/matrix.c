/*
  The pattern of a matrix, made from the elements. PETSc's DMCreateMatrix() finds the neighbours of each dof in hash
  tables; here they are found once for each mesh node, whose dofs all have the same, and sorted. Nodes are gone through
  in threads.
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
  PetscInt   per;    /* nodes an element */
  const int *conn;   /* [Ne][per] */
  int       *own;    /* the same, unless they are the elements' dofs */
  PlexLists  around; /* of each node */
  PetscInt   most;   /* nodes of the elements around one */
} MatrixGraph;

static PetscErrorCode MatrixGraphCreate(PlexElements el, MatrixGraph *graph)
{
  PetscInt most = 0;

  PetscFunctionBegin;
  graph->per  = el->ef;
  graph->conn = el->dofs;
  graph->own  = NULL;
  if (!PlexElementsDofsAreNodes(el)) {
    PetscCall(PlexElementsGetNodes(el, &graph->per, &graph->own));
    graph->conn = graph->own;
  }
  PetscCall(PlexListsInvert(el->Ne, graph->per, graph->conn, el->Nnodes, &graph->around));
  for (PetscInt k = 0; k < el->Nnodes; ++k) most = PetscMax(most, graph->around.start[k + 1] - graph->around.start[k]);
  graph->most = most * graph->per;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixGraphDestroy(MatrixGraph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->own));
  PetscCall(PlexListsDestroy(&graph->around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Work of one thread: a set of nodes, by open addressing, and the nodes in it */
typedef struct {
  PetscInt  size; /* a power of two, more than twice the nodes */
  int      *set;  /* [size] node, -1: none */
  int      *near; /* [most] nodes, each once */
  uint64_t *keys; /* [2 * most] */
} MatrixWork;

static PetscBool MatrixWorkCreate(const MatrixGraph *graph, MatrixWork *work)
{
  for (work->size = 16; work->size <= 2 * graph->most;) work->size *= 2;
  work->set  = (int *)malloc(sizeof(int) * (size_t)work->size);
  work->near = (int *)malloc(sizeof(int) * (size_t)(graph->most + 1));
  work->keys = (uint64_t *)malloc(sizeof(uint64_t) * (size_t)(2 * graph->most + 1));
  if (!work->set || !work->near || !work->keys) return PETSC_FALSE;
  for (PetscInt k = 0; k < work->size; ++k) work->set[k] = -1;
  return PETSC_TRUE;
}

static void MatrixWorkDestroy(MatrixWork *work)
{
  free(work->set);
  free(work->near);
  free(work->keys);
}

static inline PetscInt MatrixPlace(int node, PetscInt mask)
{
  return (PetscInt)((unsigned int)node * 2654435769u >> 7) & mask;
}

/* Puts the nodes in the elements around node k, each once, into near[]; whether one was there before is too irregular
   to branch on */
static PetscInt MatrixNear(const MatrixGraph *graph, PetscInt k, MatrixWork *work)
{
  const PetscInt per = graph->per, mask = work->size - 1;
  int           *set = work->set, *near = work->near;
  PetscInt       n = 0;

  for (PetscInt t = graph->around.start[k]; t < graph->around.start[k + 1]; ++t) {
    const int *element = &graph->conn[(size_t)graph->around.items[t] * per];

    for (PetscInt a = 0; a < per; ++a) {
      PetscInt at = MatrixPlace(element[a], mask);

      while (set[at] >= 0 && set[at] != element[a]) at = (at + 1) & mask;
      near[n] = element[a];
      n += set[at] < 0;
      set[at] = element[a];
    }
  }
  /* the set is emptied from a node's place on to the next empty one, whichever node was put first */
  for (PetscInt a = 0; a < n; ++a)
    for (PetscInt at = MatrixPlace(near[a], mask); set[at] >= 0; at = (at + 1) & mask) set[at] = -1;
  return n;
}

/* Ascending: keys[n], work[n] */
static void MatrixSort(PetscInt n, uint64_t keys[], uint64_t work[])
{
  const PetscInt run = 16;

  for (PetscInt first = 0; first < n; first += run)
    for (PetscInt i = first + 1; i < PetscMin(first + run, n); ++i) {
      const uint64_t key = keys[i];
      PetscInt       at  = i;

      for (; at > first && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
      keys[at] = key;
    }
  for (PetscInt size = run; size < n; size *= 2) {
    for (PetscInt first = 0; first < n; first += 2 * size) {
      const PetscInt middle = PetscMin(first + size, n), end = PetscMin(first + 2 * size, n);

      for (PetscInt k = first, a = first, b = middle; k < end; ++k)
        work[k] = b == end || (a < middle && keys[a] <= keys[b]) ? keys[a++] : keys[b++];
    }
    for (PetscInt k = 0; k < n; ++k) keys[k] = work[k];
  }
}

/* Fetches the elements around a node that comes a few later. Inlined by force: a compiler may leave out a call that has
   no effect but this one */
static inline __attribute__((always_inline)) void MatrixFetch(const MatrixGraph *graph, PetscInt k)
{
  for (PetscInt t = graph->around.start[k]; t < graph->around.start[k + 1]; ++t)
    PlexFetch(&graph->conn[(size_t)graph->around.items[t] * graph->per]);
}

/* What loops over nodes read and write */
typedef struct {
  const MatrixNodes *nodes;
  const MatrixGraph *graph;
  PetscInt           Nnodes;
  PetscInt          *length; /* [m] entries of each row */
  const PetscInt    *i;      /* [m+1] */
  PetscInt          *j;
  PlexCount          nnz, failed; /* loops without memory for their work */
} MatrixLoop;

static void MatrixCountLoop(void *ctx, PetscInt begin, PetscInt end)
{
  MatrixLoop        *l     = (MatrixLoop *)ctx;
  const MatrixNodes *nodes = l->nodes;
  MatrixWork         work;
  PetscInt64         nnz = 0;
  const PetscBool    can = MatrixWorkCreate(l->graph, &work);

  for (PetscInt k = begin; k < end && can; ++k) {
    PetscInt n, sum = 0;

    if (k + MATRIX_AHEAD < l->Nnodes) MatrixFetch(l->graph, k + MATRIX_AHEAD);
    if (nodes->first[k] < 0) continue;
    n = MatrixNear(l->graph, k, &work);
    for (PetscInt a = 0; a < n; ++a) sum += nodes->rows[work.near[a]];
    for (PetscInt r = 0; r < nodes->rows[k]; ++r) l->length[nodes->first[k] + r] = sum;
    nnz += (PetscInt64)sum * nodes->rows[k];
  }
  PlexCountAdd(&l->nnz, nnz);
  PlexCountAdd(&l->failed, !can);
  MatrixWorkDestroy(&work);
}

/* j[] of the rows of each node, ascending: those of the nodes near to it in the order of their first rows */
static void MatrixFillLoop(void *ctx, PetscInt begin, PetscInt end)
{
  MatrixLoop        *l     = (MatrixLoop *)ctx;
  const MatrixNodes *nodes = l->nodes;
  MatrixWork         work;
  const PetscBool    can = MatrixWorkCreate(l->graph, &work);

  for (PetscInt k = begin; k < end && can; ++k) {
    PetscInt *to, n, m = 0, columns = 0;

    if (k + MATRIX_AHEAD < l->Nnodes) MatrixFetch(l->graph, k + MATRIX_AHEAD);
    if (nodes->first[k] < 0) continue;
    n = MatrixNear(l->graph, k, &work);
    for (PetscInt a = 0; a < n; ++a) {
      const int near = work.near[a];

      if (nodes->rows[near]) work.keys[m++] = (uint64_t)nodes->first[near] << 32 | (uint64_t)nodes->rows[near];
    }
    MatrixSort(m, work.keys, &work.keys[m]);
    to = &l->j[l->i[nodes->first[k]]];
    for (PetscInt a = 0; a < m; ++a) {
      const PetscInt first = (PetscInt)(work.keys[a] >> 32), rows = (PetscInt)(work.keys[a] & 0xffffffffu);

      for (PetscInt c = 0; c < rows; ++c) to[columns++] = first + c;
    }
    for (PetscInt r = 1; r < nodes->rows[k]; ++r)
      memcpy(&l->j[l->i[nodes->first[k] + r]], to, sizeof(*to) * (size_t)columns);
  }
  PlexCountAdd(&l->failed, !can);
  MatrixWorkDestroy(&work);
}

static PetscErrorCode MatrixRunLoop(MatrixLoop *l, PlexThreadsLoop loop)
{
  PetscFunctionBegin;
  PlexCountInit(&l->nnz);
  PlexCountInit(&l->failed);
  PetscCall(PlexThreadsRun(l->Nnodes, PLEX_THREADS_LEAST / 4, loop, l));
  PetscCheck(!PlexCountGet(&l->failed), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for the %" PetscInt_FMT " nodes of the elements around a node", l->graph->most);
  PetscCheck(PlexCountGet(&l->nnz) <= PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "The matrix has more than %" PetscInt_FMT " non-zeros: use more ranks, or PETSc with 64-bit indices",
             PETSC_INT_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void MatrixZeroLoop(void *ctx, PetscInt begin, PetscInt end)
{
  memset((PetscScalar *)ctx + begin, 0, sizeof(PetscScalar) * (size_t)(end - begin));
}

/* The pattern of a new matrix, values zero. The columns are written where the matrix has them:
   MatSeqAIJSetPreallocationCSR() would look for the place of each. */
static PetscErrorCode MatrixSetPattern(PlexElements el, const MatrixNodes *nodes, Mat mat)
{
  MatrixGraph     graph;
  MatrixLoop      l = {.nodes = nodes, .graph = &graph, .Nnodes = el->Nnodes};
  PetscInt        m, n;
  const PetscInt *i, *j;
  PetscScalar    *a;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(mat, &m, NULL));
  PetscCall(MatrixGraphCreate(el, &graph));
  PetscCall(PetscCalloc1(m, &l.length));
  PetscCall(MatrixRunLoop(&l, MatrixCountLoop));
  PetscCall(MatSeqAIJSetPreallocation(mat, 0, l.length));
  PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)mat)->type_name);
  l.i = i;
  l.j = (PetscInt *)j;
  PetscCall(MatrixRunLoop(&l, MatrixFillLoop));
  n = i[m];
  if (n) PetscCall(MatSeqAIJSetColumnIndices(mat, (PetscInt *)j)); /* says that they are there */
  PetscCall(MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatSeqAIJGetArrayWrite(mat, &a));
  PetscCall(PlexThreadsRun(n, PLEX_SECTION_LEAST, MatrixZeroLoop, a));
  PetscCall(MatSeqAIJRestoreArrayWrite(mat, &a));
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(l.length));
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
