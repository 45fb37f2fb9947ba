/* Nodes near to a node, each once and in order, and the columns of a matrix that are written in place */
#include "matrixgraph.h"

PetscErrorCode PlexMatrixGraphCreate(PlexElements el, PetscBool ofDofs, PlexMatrixGraph *graph)
{
  const PetscInt n    = ofDofs ? el->Nl : el->Nnodes;
  PetscInt       most = 0;

  PetscFunctionBegin;
  graph->per  = el->ef;
  graph->conn = el->dofs;
  graph->own  = NULL;
  if (!ofDofs && !PlexElementsDofsAreNodes(el)) {
    PetscCall(PlexElementsGetNodes(el, &graph->per, &graph->own));
    graph->conn = graph->own;
  }
  PetscCall(PlexListsInvert(el->Ne, graph->per, graph->conn, n, &graph->around));
  for (PetscInt k = 0; k < n; ++k) most = PetscMax(most, graph->around.start[k + 1] - graph->around.start[k]);
  graph->most = most * graph->per;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatrixGraphDestroy(PlexMatrixGraph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->own));
  PetscCall(PlexListsDestroy(&graph->around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexMatrixWorkCreate(const PlexMatrixGraph *graph, PetscInt more, PlexMatrixWork *work)
{
  for (work->size = 16; work->size <= 2 * graph->most;) work->size *= 2;
  work->set  = (int *)malloc(sizeof(int) * (size_t)work->size);
  work->near = (int *)malloc(sizeof(int) * (size_t)(graph->most + 1));
  work->keys = (uint64_t *)malloc(sizeof(uint64_t) * (size_t)(2 * (graph->most + more) + 1));
  if (!work->set || !work->near || !work->keys) return PETSC_FALSE;
  for (PetscInt k = 0; k < work->size; ++k) work->set[k] = -1;
  return PETSC_TRUE;
}

void PlexMatrixWorkDestroy(PlexMatrixWork *work)
{
  free(work->set);
  free(work->near);
  free(work->keys);
}

static inline PetscInt MatrixPlace(int node, PetscInt mask)
{
  return (PetscInt)((unsigned int)node * 2654435769u >> 7) & mask;
}

/* Whether a node was there before is too irregular to branch on */
PetscInt PlexMatrixNear(const PlexMatrixGraph *graph, PetscInt k, PlexMatrixWork *work)
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

void PlexMatrixSort(PetscInt n, uint64_t keys[], uint64_t work[])
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

PetscInt PlexMatrixSortOnce(PetscInt n, uint64_t keys[], uint64_t work[])
{
  PetscInt once = 0;

  PlexMatrixSort(n, keys, work);
  for (PetscInt a = 0; a < n; ++a)
    if (!once || keys[once - 1] != keys[a]) keys[once++] = keys[a];
  return once;
}

static void MatrixZeroLoop(void *ctx, PetscInt begin, PetscInt end)
{
  memset((PetscScalar *)ctx + begin, 0, sizeof(PetscScalar) * (size_t)(end - begin));
}

PetscErrorCode PlexMatrixSetColumns(Mat mat, const PetscInt j[])
{
  MatInfo      info;
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(mat, MAT_LOCAL, &info));
  n = (PetscInt)info.nz_allocated;
  if (n) PetscCall(MatSeqAIJSetColumnIndices(mat, (PetscInt *)j)); /* says that they are there */
  PetscCall(MatSeqAIJGetArrayWrite(mat, &a));
  PetscCall(PlexThreadsRun(n, PLEX_SECTION_LEAST, MatrixZeroLoop, a));
  PetscCall(MatSeqAIJRestoreArrayWrite(mat, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
