/*
  The pattern of a distributed matrix, made from the elements of all processes: the owned rows as the elements here
  couple them, and what others tell of those that their elements add to (halo.c).
*/
#include "elementsimpl.h"

/* Sources of the columns of an owned row */
typedef struct {
  PlexPattern p;
  PlexLists   around;   /* elements of each local dof */
  PlexLists   received; /* of each owned row the received rows */
  int        *stamp;    /* [Nl] work: the last dof that a dof was found near to */
  PetscInt   *near;     /* columns of a row; most of them */
  PetscInt    most;
} MatrixRows;

static PetscErrorCode MatrixRowsCreate(PlexPattern p, MatrixRows *rows)
{
  PlexElements el = p->elements;
  PlexHalo     h  = p->halo;
  PetscInt    *others;
  int         *owned;

  PetscFunctionBegin;
  rows->p    = p;
  rows->most = 0;
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &rows->around));
  PetscCall(PetscMalloc1(h->nreceived, &owned));
  for (PetscInt k = 0; k < h->nreceived; ++k) owned[k] = (int)(h->receivedRow[k] - p->rstart);
  PetscCall(PlexListsInvert(h->nreceived, 1, owned, p->m, &rows->received));
  PetscCall(PetscFree(owned));
  PetscCall(PetscCalloc1(p->m, &others));
  for (PetscInt k = 0; k < h->nreceived; ++k)
    others[h->receivedRow[k] - p->rstart] += h->receivedI[k + 1] - h->receivedI[k];
  for (PetscInt l = 0; l < el->Nl; ++l)
    if (p->row[l] >= 0)
      rows->most = PetscMax(rows->most,
                            others[p->row[l]] + el->ef * (rows->around.start[l + 1] - rows->around.start[l]));
  PetscCall(PetscFree(others));
  PetscCall(PetscMalloc1(rows->most, &rows->near));
  PetscCall(PetscMalloc1(el->Nl, &rows->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixRowsDestroy(MatrixRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PlexListsDestroy(&rows->around));
  PetscCall(PlexListsDestroy(&rows->received));
  PetscCall(PetscFree(rows->near));
  PetscCall(PetscFree(rows->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The n columns of the row of local dof l, ascending where `sorted` */
static PetscErrorCode MatrixRowsGet(const MatrixRows *rows, PetscInt l, PetscBool sorted, PetscInt *n)
{
  const PlexElements el  = rows->p->elements;
  const PlexLists   *all = &rows->around, *in = &rows->received;
  const PlexHalo     h = rows->p->halo;
  const PetscInt     r = rows->p->row[l];

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt t = all->start[l]; t < all->start[l + 1]; ++t) {
    const int *dofs = &el->dofs[(size_t)all->items[t] * el->ef];

    for (PetscInt a = 0; a < el->ef; ++a) {
      if (rows->stamp[dofs[a]] == (int)l || rows->p->column[dofs[a]] < 0) continue;
      rows->stamp[dofs[a]] = (int)l;
      rows->near[(*n)++]   = rows->p->column[dofs[a]];
    }
  }
  for (PetscInt t = in->start[r]; t < in->start[r + 1]; ++t)
    for (PetscInt k = h->receivedI[in->items[t]]; k < h->receivedI[in->items[t] + 1]; ++k)
      rows->near[(*n)++] = h->receivedJ[k];
  if (in->start[r + 1] > in->start[r]) PetscCall(PetscSortRemoveDupsInt(n, rows->near));
  else if (sorted) PetscCall(PetscSortInt(*n, rows->near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* i[m+1], j[] of the owned rows: first their lengths, then their columns */
static PetscErrorCode MatrixRowsCSR(const MatrixRows *rows, PetscInt **i, PetscInt **j)
{
  const PlexPattern p   = rows->p;
  const PetscInt    Nl  = p->elements->Nl;
  PetscInt64        nnz = 0;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->m + 1, i));
  for (PetscInt l = 0; l < Nl; ++l) rows->stamp[l] = -1;
  for (PetscInt l = 0; l < Nl; ++l) {
    if (p->row[l] < 0) continue;
    PetscCall(MatrixRowsGet(rows, l, PETSC_FALSE, &n));
    (*i)[p->row[l] + 1] = n;
    nnz += n;
  }
  PetscCheck(nnz <= PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "The matrix has more than %" PetscInt_FMT
             " non-zeros on a process: use more ranks, or PETSc with 64-bit indices",
             PETSC_INT_MAX);
  for (PetscInt r = 0; r < p->m; ++r) (*i)[r + 1] += (*i)[r];
  PetscCall(PetscMalloc1((*i)[p->m], j));
  for (PetscInt l = 0; l < Nl; ++l) rows->stamp[l] = -1;
  for (PetscInt l = 0; l < Nl; ++l) {
    if (p->row[l] < 0) continue;
    PetscCall(MatrixRowsGet(rows, l, PETSC_TRUE, &n));
    PetscCall(PetscArraycpy(&(*j)[(*i)[p->row[l]]], rows->near, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatrixSetUpDistributed(PlexElements el, Mat mat)
{
  PlexPattern p;
  MatrixRows  rows;
  PetscLayout rmap, cmap;
  PetscInt   *i, *j;

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
  PetscCall(MatrixRowsCSR(&rows, &i, &j));
  PetscCall(MatrixRowsDestroy(&rows));
  PetscCall(PlexPatternDestroy(&p));
  PetscCall(MatMPIAIJSetPreallocationCSR(mat, i, j, NULL));
  PetscCall(PetscFree(i));
  PetscCall(PetscFree(j));
  PetscFunctionReturn(PETSC_SUCCESS);
}
