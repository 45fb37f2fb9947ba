/*
  The pattern of a distributed matrix, made from the elements of all processes: the owned rows as the elements here
  couple them, and what others tell of those that their elements add to (halo.c). Rows are gone through in threads.
*/
#include "matrixgraph.h"

/* What loops over local dofs read and write, of the rows that are owned */
typedef struct {
  PlexPattern     p;
  PlexMatrixGraph graph;        /* of dofs */
  PlexLists       received;     /* of each owned row the received rows */
  PetscInt        most;         /* columns received of a row */
  PetscInt        cstart, cend; /* columns of the diagonal block */
  PetscInt       *length[2];    /* [m] entries of each row in the diagonal block, and the other one */
  const PetscInt *i[2];         /* [m+1] */
  PetscInt       *j[2];         /* columns, in the other block global ones */
  PlexCount       nnz, failed;  /* entries; loops without memory for their work */
} MatrixRows;

static PetscErrorCode MatrixRowsCreate(PlexPattern p, MatrixRows *rows)
{
  PlexHalo h = p->halo;
  int     *owned;

  PetscFunctionBegin;
  *rows = (MatrixRows){.p = p};
  PetscCall(MatGetOwnershipRangeColumn(p->mat, &rows->cstart, &rows->cend));
  PetscCall(PlexMatrixGraphCreate(p->elements, PETSC_TRUE, &rows->graph));
  PetscCall(PetscMalloc1(h->nreceived, &owned));
  for (PetscInt k = 0; k < h->nreceived; ++k) owned[k] = (int)(h->receivedRow[k] - p->rstart);
  PetscCall(PlexListsInvert(h->nreceived, 1, owned, p->m, &rows->received));
  PetscCall(PetscFree(owned));
  for (PetscInt r = 0; r < p->m; ++r) {
    PetscInt n = 0;

    for (PetscInt t = rows->received.start[r]; t < rows->received.start[r + 1]; ++t)
      n += h->receivedI[rows->received.items[t] + 1] - h->receivedI[rows->received.items[t]];
    rows->most = PetscMax(rows->most, n);
  }
  for (int b = 0; b < 2; ++b) PetscCall(PetscCalloc1(p->m, &rows->length[b]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixRowsDestroy(MatrixRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PlexMatrixGraphDestroy(&rows->graph));
  PetscCall(PlexListsDestroy(&rows->received));
  for (int b = 0; b < 2; ++b) PetscCall(PetscFree(rows->length[b]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of the row of local dof l, ascending, in work->keys: their number */
static PetscInt MatrixRowsGet(const MatrixRows *rows, PetscInt l, PlexMatrixWork *work)
{
  const PlexPattern p = rows->p;
  const PlexHalo    h = p->halo;
  const PetscInt    r = p->row[l], near = PlexMatrixNear(&rows->graph, l, work);
  uint64_t         *keys = work->keys;
  PetscInt          n    = 0;

  for (PetscInt a = 0; a < near; ++a)
    if (p->column[work->near[a]] >= 0) keys[n++] = (uint64_t)p->column[work->near[a]];
  for (PetscInt t = rows->received.start[r]; t < rows->received.start[r + 1]; ++t) {
    const PetscInt k = rows->received.items[t];

    for (PetscInt c = h->receivedI[k]; c < h->receivedI[k + 1]; ++c) keys[n++] = (uint64_t)h->receivedJ[c];
  }
  return PlexMatrixSortOnce(n, keys, &keys[n]);
}

/* The lengths of rows, or with j[] their columns */
static void MatrixRowsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  MatrixRows       *rows = (MatrixRows *)ctx;
  const PlexPattern p    = rows->p;
  PlexMatrixWork    work;
  PetscInt64        nnz = 0;
  const PetscBool   can = PlexMatrixWorkCreate(&rows->graph, rows->most, &work);

  for (PetscInt l = begin; l < end && can; ++l) {
    PetscInt n, in[2] = {0, 0};

    if (l + PLEX_MATRIX_AHEAD < end) PlexMatrixFetch(&rows->graph, l + PLEX_MATRIX_AHEAD);
    if (p->row[l] < 0) continue;
    n = MatrixRowsGet(rows, l, &work);
    for (PetscInt a = 0; a < n; ++a) {
      const PetscInt column = (PetscInt)work.keys[a], b = column < rows->cstart || column >= rows->cend;

      if (rows->j[0]) rows->j[b][rows->i[b][p->row[l]] + in[b]] = b ? column : column - rows->cstart;
      ++in[b];
    }
    for (int b = 0; b < 2; ++b) rows->length[b][p->row[l]] = in[b];
    nnz += n;
  }
  PlexCountAdd(&rows->nnz, nnz);
  PlexCountAdd(&rows->failed, !can);
  PlexMatrixWorkDestroy(&work);
}

static PetscErrorCode MatrixRowsRun(MatrixRows *rows)
{
  PetscFunctionBegin;
  PlexCountInit(&rows->nnz);
  PlexCountInit(&rows->failed);
  PetscCall(PlexThreadsRun(rows->p->elements->Nl, PLEX_THREADS_LEAST / 4, MatrixRowsLoop, rows));
  PetscCheck(!PlexCountGet(&rows->failed), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for the %" PetscInt_FMT " dofs of the elements around a dof", rows->graph.most);
  PetscCheck(PlexCountGet(&rows->nnz) <= PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "The matrix has more than %d non-zeros on a process, whose slots are 32-bit numbers: use more ranks",
             PETSC_INT32_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preallocates both blocks and writes the columns where they have them: MatMPIAIJSetPreallocationCSR() would look for
   the place of each. Columns of the other block are global until the assembly */
static PetscErrorCode MatrixRowsSet(MatrixRows *rows, Mat mat)
{
  Mat             block[2];
  PetscInt        n[2];
  const PetscInt *j[2];
  PetscBool       done[2];

  PetscFunctionBegin;
  PetscCall(MatrixRowsRun(rows));
  PetscCall(MatMPIAIJSetPreallocation(mat, 0, rows->length[0], 0, rows->length[1]));
  PetscCall(MatMPIAIJGetSeqAIJ(mat, &block[0], &block[1], NULL));
  for (int b = 0; b < 2; ++b) {
    PetscCall(MatGetRowIJ(block[b], 0, PETSC_FALSE, PETSC_FALSE, &n[b], &rows->i[b], &j[b], &done[b]));
    PetscCheck(done[b], PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
               ((PetscObject)block[b])->type_name);
    rows->j[b] = (PetscInt *)j[b];
  }
  PetscCall(MatrixRowsRun(rows));
  for (int b = 0; b < 2; ++b) {
    PetscCall(PlexMatrixSetColumns(block[b], j[b]));
    PetscCall(MatRestoreRowIJ(block[b], 0, PETSC_FALSE, PETSC_FALSE, &n[b], &rows->i[b], &j[b], &done[b]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatrixSetUpDistributed(PlexElements el, Mat mat)
{
  PlexPattern p;
  MatrixRows  rows;
  PetscLayout rmap, cmap;

  PetscFunctionBegin;
  PetscCall(MatGetLayouts(mat, &rmap, &cmap));
  PetscCall(PetscLayoutSetUp(rmap));
  PetscCall(PetscLayoutSetUp(cmap));
  PetscCall(PetscNew(&p));
  p->elements = el;
  p->all      = &el;
  p->nall     = 1;
  p->mat      = mat;
  PetscCall(MatGetLocalSize(mat, &p->m, NULL));
  PetscCall(MatGetOwnershipRange(mat, &p->rstart, NULL));
  p->mA = p->m;
  PetscCall(PlexPatternSetUpRows(p));
  PetscCall(PlexHaloReceiveRows(p));
  PetscCall(MatrixRowsCreate(p, &rows));
  PetscCall(MatrixRowsSet(&rows, mat));
  PetscCall(MatrixRowsDestroy(&rows));
  PetscCall(PlexPatternDestroy(&p));
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(mat, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
