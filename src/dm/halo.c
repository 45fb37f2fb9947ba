/*
  Interface rows of a distributed matrix: those that several processes add to, or that have columns elsewhere.

  Example, two processes with an element each that share the edge of dofs 1 and 2: process 0 owns rows 0 1 2, process 1
  row 3.

    process 0    interface rows 1 2 (both have column 3)
                 B = (1,0) (1,1) (1,2) (2,0) (2,1) (2,2) | | received
    process 1    interface rows 3 (own), 1 2 (others')
                 B = (3,1) (3,2) (3,3) | (1,1) (1,2) (1,3) (2,1) (2,2) (2,3) |

  Process 1 sends its rows 1 and 2. Process 0 then has for A(1,1) the terms (1,1) of its own and (1,1) received, for
  A(1,3) the one received: its lists of sums. Row 0 is written in place by process 0's element.
*/
#include "matrixgraph.h"

typedef struct {
  PlexElements el;
  const char  *marked; /* [Nl] */
  char        *has;    /* [Ne] */
} HaloMarks;

static void HaloMarksLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloMarks     *h  = (HaloMarks *)ctx;
  const PetscInt ef = h->el->ef;

  for (PetscInt e = begin; e < end; ++e) {
    const int *dofs = &h->el->dofs[(size_t)e * ef];
    char       has  = 0;

    for (PetscInt k = 0; k < ef; ++k) has |= h->marked[dofs[k]];
    h->has[e] = has;
  }
}

/* The few elements of each p->all that have a marked dof, ascending */
typedef struct {
  PetscInt *n;        /* [nall] */
  int     **elements; /* [nall][n] */
} HaloElements;

static PetscErrorCode HaloElementsCreate(PlexPattern p, const char marked[], HaloElements *around)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->nall, &around->n, p->nall, &around->elements));
  for (PetscInt a = 0; a < p->nall; ++a) {
    const PlexElements el    = p->all[a];
    HaloMarks          marks = {.el = el, .marked = marked};

    PetscCall(PetscMalloc1(el->Ne, &marks.has));
    PetscCall(PlexThreadsRun(el->Ne, PLEX_THREADS_LEAST, HaloMarksLoop, &marks));
    PetscCall(PlexThreadsSelect(el->Ne, marks.has, PETSC_FALSE, &around->n[a], &around->elements[a]));
    PetscCall(PetscFree(marks.has));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HaloElementsDestroy(PlexPattern p, HaloElements *around)
{
  PetscFunctionBegin;
  for (PetscInt a = 0; a < p->nall; ++a) PetscCall(PetscFree(around->elements[a]));
  PetscCall(PetscFree2(around->n, around->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexPattern p;
  char       *is;   /* [Nl] */
  PlexCount   most; /* of these */
} HaloOthers;

static void HaloOthersLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloOthers       *h = (HaloOthers *)ctx;
  const PlexPattern p = h->p;
  PetscInt          n = 0;

  for (PetscInt l = begin; l < end; ++l) {
    h->is[l] = p->column[l] >= 0 && (p->column[l] < p->rstart || p->column[l] >= p->rstart + p->mA);
    n += h->is[l];
  }
  PlexCountAdd(&h->most, n);
}

/* Local dofs, ascending by their global row, whose row others own and elements here add to, and these elements */
static PetscErrorCode PlexHaloFindOthers(PlexPattern p, PetscInt *n, int *dofs[], HaloElements *around)
{
  const PetscInt Nl = p->elements->Nl;
  HaloOthers     h  = {.p = p};
  PetscInt      *rows, most;
  char          *others;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(Nl, &others));
  h.is = others;
  PlexCountInit(&h.most);
  PetscCall(PlexThreadsRun(Nl, PLEX_THREADS_LEAST, HaloOthersLoop, &h));
  most = (PetscInt)PlexCountGet(&h.most);
  PetscCall(PetscMalloc1(most, &rows));
  PetscCall(PetscMalloc1(most, dofs));
  PetscCall(HaloElementsCreate(p, others, around));
  for (PetscInt a = 0; a < p->nall; ++a) {
    const PetscInt ef = p->all[a]->ef;

    for (PetscInt k = 0; k < around->n[a] * ef; ++k) {
      const int l = p->all[a]->dofs[(size_t)around->elements[a][k / ef] * ef + k % ef];

      if (!others[l]) continue;
      others[l]   = 0;
      rows[*n]    = p->column[l];
      (*dofs)[*n] = l;
      *n += 1;
    }
  }
  PetscCall(PetscSortIntWithMPIIntArray(*n, rows, *dofs));
  PetscCall(PetscFree(others));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements that have one of n dofs (-1: none) */
static PetscErrorCode PlexHaloFindAround(PlexPattern p, PetscInt n, const int dofs[], HaloElements *around)
{
  char *marked;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->elements->Nl, &marked));
  for (PetscInt k = 0; k < n; ++k)
    if (dofs[k] >= 0) marked[dofs[k]] = 1;
  PetscCall(HaloElementsCreate(p, marked, around));
  PetscCall(PetscFree(marked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of rows, each sorted, without repetitions, in place; end[] comes to where it ends then */
typedef struct {
  const PetscInt *start;
  PetscInt       *end, *cols, most; /* most columns of a row */
  PlexCount       failed;
} HaloSort;

static void HaloSortLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloSort *h    = (HaloSort *)ctx;
  uint64_t *keys = (uint64_t *)malloc(sizeof(uint64_t) * (size_t)(2 * h->most + 1));

  for (PetscInt k = begin; k < end && keys; ++k) {
    PetscInt *cols = &h->cols[h->start[k]], length = h->end[k] - h->start[k];

    for (PetscInt c = 0; c < length; ++c) keys[c] = (uint64_t)cols[c];
    length = PlexMatrixSortOnce(length, keys, &keys[length]);
    for (PetscInt c = 0; c < length; ++c) cols[c] = (PetscInt)keys[c];
    h->end[k] = h->start[k] + length;
  }
  PlexCountAdd(&h->failed, !keys);
  free(keys);
}

static PetscErrorCode PlexHaloSort(PetscInt n, const PetscInt start[], PetscInt end[], PetscInt cols[])
{
  HaloSort h = {.start = start, .end = end, .cols = cols};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) h.most = PetscMax(h.most, end[k] - start[k]);
  PlexCountInit(&h.failed);
  PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST / 16, HaloSortLoop, &h));
  PetscCheck(!PlexCountGet(&h.failed), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for the %" PetscInt_FMT " columns of an interface row", h.most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CSR pattern start[n+1], cols[] of the rows of n local dofs (-1: a row without), as the elements around couple
   them: global columns, ascending */
static PetscErrorCode PlexHaloCouple(PlexPattern p, const HaloElements *around, PetscInt n, const int dofs[],
                                     PetscInt **start, PetscInt **cols)
{
  const PetscInt Nl = p->elements->Nl;
  PetscInt      *next, total = 0;
  int           *number; /* of the row of a local dof, -1: none */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Nl, &number));
  for (PetscInt l = 0; l < Nl; ++l) number[l] = -1;
  for (PetscInt k = 0; k < n; ++k)
    if (dofs[k] >= 0) number[dofs[k]] = (int)k;
  PetscCall(PetscCalloc1(n + 1, start));
  PetscCall(PetscMalloc1(n, &next));
  for (PetscInt a = 0; a < p->nall; ++a) {
    const PetscInt ef = p->all[a]->ef;

    for (PetscInt k = 0; k < around->n[a] * ef; ++k) {
      const int row = number[p->all[a]->dofs[(size_t)around->elements[a][k / ef] * ef + k % ef]];

      if (row >= 0) (*start)[row + 1] += ef;
    }
  }
  for (PetscInt k = 0; k < n; ++k) (*start)[k + 1] += (*start)[k];
  PetscCall(PetscArraycpy(next, *start, n));
  PetscCall(PetscMalloc1((*start)[n], cols));
  for (PetscInt a = 0; a < p->nall; ++a) {
    const PetscInt ef = p->all[a]->ef;

    for (PetscInt k = 0; k < around->n[a]; ++k) {
      const int *L = &p->all[a]->dofs[(size_t)around->elements[a][k] * ef];

      for (PetscInt i = 0; i < ef; ++i) {
        if (number[L[i]] < 0) continue;
        for (PetscInt j = 0; j < ef; ++j)
          if (p->column[L[j]] >= 0) (*cols)[next[number[L[i]]]++] = p->column[L[j]];
      }
    }
  }
  PetscCall(PlexHaloSort(n, *start, next, *cols));
  for (PetscInt k = 0; k < n; ++k) { /* each row behind the one before */
    const PetscInt length = next[k] - (*start)[k];

    PetscCall(PetscArraymove(&(*cols)[total], &(*cols)[(*start)[k]], length));
    (*start)[k] = total;
    total += length;
  }
  (*start)[n] = total;
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which process gets which of others' rows: first[nto+1] into them */
static PetscErrorCode PlexHaloFindOwners(PlexPattern p, PetscInt n, const PetscInt rows[], PetscMPIInt **to,
                                         PetscMPIInt *nto, PetscInt **first)
{
  const PetscInt *ranges;
  PetscMPIInt     rank = 0;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRanges(p->mat, &ranges));
  *nto = 0;
  PetscCall(PetscMalloc1(n + 1, first));
  PetscCall(PetscMalloc1(n, to));
  for (PetscInt k = 0; k < n; ++k) {
    if (k && rows[k] < ranges[rank + 1]) continue;
    while (rows[k] >= ranges[rank + 1]) ++rank;
    (*first)[*nto] = k;
    (*to)[*nto]    = rank;
    *nto += 1;
  }
  (*first)[*nto] = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who sends here and how much: sizes[nfrom][3] rows, entries, position of the first entry among those that the sender
   sends */
static PetscErrorCode PlexHaloFindSenders(PlexHalo h, MPI_Comm comm, const PetscInt first[], const PetscInt start[],
                                          PetscInt **sizes)
{
  PetscInt    *mine, *theirs;
  PetscMPIInt *unsorted, *perm;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * h->nto, &mine));
  for (PetscMPIInt k = 0; k < h->nto; ++k) {
    mine[3 * k]     = first[k + 1] - first[k];
    mine[3 * k + 1] = start[first[k + 1]] - start[first[k]];
    mine[3 * k + 2] = start[first[k]];
  }
  PetscCall(PetscCommBuildTwoSided(comm, 3, MPIU_INT, h->nto, h->to, mine, &h->nfrom, &unsorted, &theirs));
  PetscCall(PetscMalloc1(h->nfrom, &h->from));
  PetscCall(PetscMalloc1(3 * h->nfrom, sizes));
  PetscCall(PetscMalloc1(h->nfrom, &perm));
  PetscCall(PetscArraycpy(h->from, unsorted, h->nfrom));
  for (PetscMPIInt k = 0; k < h->nfrom; ++k) perm[k] = k;
  /* the order of the sums does not depend on who came first */
  PetscCall(PetscSortMPIIntWithArray(h->nfrom, h->from, perm));
  for (PetscMPIInt k = 0; k < h->nfrom; ++k) PetscCall(PetscArraycpy(&(*sizes)[3 * k], &theirs[3 * perm[k]], 3));
  PetscCall(PetscFree(perm));
  PetscCall(PetscFree(unsorted));
  PetscCall(PetscFree(theirs));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A message holds the global rows [nrows], their lengths [nrows] and their columns */
static PetscErrorCode PlexHaloPack(PetscInt n, const PetscInt rows[], const PetscInt start[], const PetscInt cols[],
                                   PetscInt **message, PetscMPIInt *length)
{
  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(2 * n + start[n] - start[0], length));
  PetscCall(PetscMalloc1(*length, message));
  PetscCall(PetscArraycpy(*message, rows, n));
  for (PetscInt k = 0; k < n; ++k) (*message)[n + k] = start[k + 1] - start[k];
  PetscCall(PetscArraycpy(*message + 2 * n, &cols[start[0]], start[n] - start[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a sender's rows to those received */
static PetscErrorCode PlexHaloUnpack(PlexHalo h, PetscInt n, const PetscInt message[])
{
  PetscInt *start = &h->receivedI[h->nreceived];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(&h->receivedRow[h->nreceived], message, n));
  for (PetscInt k = 0; k < n; ++k) start[k + 1] = start[k] + message[n + k];
  PetscCall(PetscArraycpy(&h->receivedJ[start[0]], message + 2 * n, start[n] - start[0]));
  h->nreceived += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells the owners which entries they will get, and sets up the star forest that brings them. rows[first[nto]], start,
   cols: others' rows, CSR */
static PetscErrorCode PlexHaloConnect(PlexHalo h, Mat mat, const PetscInt first[], const PetscInt rows[],
                                      const PetscInt start[], const PetscInt cols[])
{
  MPI_Comm     comm = PetscObjectComm((PetscObject)mat);
  PetscInt   **out, **in, *sizes, nrows = 0, entries = 0;
  MPI_Request *requests;
  PetscSFNode *remote;
  PetscMPIInt  tag, length;

  PetscFunctionBegin;
  PetscCall(PlexHaloFindSenders(h, comm, first, start, &sizes));
  PetscCall(PetscObjectGetNewTag((PetscObject)mat, &tag));
  PetscCall(PetscMalloc3(h->nto, &out, h->nfrom, &in, h->nto + h->nfrom, &requests));
  for (PetscMPIInt k = 0; k < h->nfrom; ++k) {
    PetscCall(PetscMPIIntCast(2 * sizes[3 * k] + sizes[3 * k + 1], &length));
    PetscCall(PetscMalloc1(length, &in[k]));
    PetscCallMPI(MPIU_Irecv(in[k], length, MPIU_INT, h->from[k], tag, comm, &requests[h->nto + k]));
    nrows += sizes[3 * k];
    entries += sizes[3 * k + 1];
  }
  for (PetscMPIInt k = 0; k < h->nto; ++k) {
    PetscCall(PlexHaloPack(first[k + 1] - first[k], &rows[first[k]], &start[first[k]], cols, &out[k], &length));
    PetscCallMPI(MPIU_Isend(out[k], length, MPIU_INT, h->to[k], tag, comm, &requests[k]));
  }
  PetscCallMPI(MPI_Waitall(h->nto + h->nfrom, requests, MPI_STATUSES_IGNORE));
  PetscCall(PetscMalloc1(nrows, &h->receivedRow));
  PetscCall(PetscCalloc1(nrows + 1, &h->receivedI));
  PetscCall(PetscMalloc1(entries, &h->receivedJ));
  PetscCall(PetscMalloc1(entries, &remote));
  for (PetscMPIInt k = 0; k < h->nfrom; ++k) {
    for (PetscInt e = 0; e < sizes[3 * k + 1]; ++e)
      remote[h->received + e] = (PetscSFNode){.rank = h->from[k], .index = sizes[3 * k + 2] + e};
    h->received += sizes[3 * k + 1];
    PetscCall(PlexHaloUnpack(h, sizes[3 * k], in[k]));
    PetscCall(PetscFree(in[k]));
  }
  for (PetscMPIInt k = 0; k < h->nto; ++k) PetscCall(PetscFree(out[k]));
  PetscCall(PetscFree3(out, in, requests));
  PetscCall(PetscFree(sizes));
  PetscCall(PetscSFCreate(comm, &h->sf));
  PetscCall(PetscSFSetFromOptions(h->sf));
  PetscCall(PetscSFSetGraph(h->sf, h->sent, h->received, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(h->sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexPattern     p;
  const PetscInt *i;     /* rows of the other block */
  char           *is;    /* [mA] an interface row */
  int            *dofOf; /* [mA] local dof, -1: none */
} HaloOwned;

static void HaloOwnedRowsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloOwned *o = (HaloOwned *)ctx;

  for (PetscInt r = begin; r < end; ++r) {
    o->is[r]    = o->i[r + 1] > o->i[r];
    o->dofOf[r] = -1;
  }
}

static void HaloOwnedDofsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloOwned *o = (HaloOwned *)ctx;

  for (PetscInt l = begin; l < end; ++l)
    if (o->p->row[l] >= 0) o->dofOf[o->p->row[l]] = (int)l;
}

/* The owned interface rows, ascending, and the local dof of each, -1 where there is none */
static PetscErrorCode PlexHaloFindOwned(PlexPattern p, PetscInt *n, PetscInt *rows[], int *dofs[])
{
  PlexHalo        h = p->halo;
  const PetscInt *j;
  PetscInt        m;
  PetscBool       done;
  HaloOwned       o = {.p = p};
  int            *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mA, &o.is));
  PetscCall(PetscMalloc1(p->mA, &o.dofOf));
  PetscCall(MatGetRowIJ(p->offdiagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &o.i, &j, &done));
  PetscCall(PlexThreadsRun(p->mA, PLEX_THREADS_LEAST, HaloOwnedRowsLoop, &o));
  PetscCall(MatRestoreRowIJ(p->offdiagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &o.i, &j, &done));
  for (PetscInt k = 0; k < h->nreceived; ++k) o.is[h->receivedRow[k] - p->rstart] = 1;
  PetscCall(PlexThreadsRun(p->elements->Nl, PLEX_THREADS_LEAST, HaloOwnedDofsLoop, &o));
  PetscCall(PlexThreadsSelect(p->mA, o.is, PETSC_FALSE, n, &own));
  PetscCall(PetscMalloc1(*n, rows));
  PetscCall(PetscMalloc1(*n, dofs));
  for (PetscInt k = 0; k < *n; ++k) {
    (*rows)[k] = p->rstart + own[k];
    (*dofs)[k] = o.dofOf[own[k]];
  }
  PetscCall(PetscFree(own));
  PetscCall(PetscFree(o.dofOf));
  PetscCall(PetscFree(o.is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends interface rows to the pattern: n of them behind the k that are there */
static PetscErrorCode PlexHaloAppend(PlexPattern p, PetscInt n, const PetscInt rows[], const int dofs[],
                                     const PetscInt start[], const PetscInt cols[])
{
  PetscFunctionBegin;
  PetscCheck((PetscInt64)p->nnz + start[n] < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 non-zeros on one process: distribute the mesh over more processes");
  PetscCall(PetscRealloc(sizeof(PetscInt) * (p->m + n + 1), &p->i));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (p->nnz + start[n] + PLEX_PATTERN_PAD), &p->j));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (p->halo->n + n), &p->halo->rows));
  PetscCall(PetscArraycpy(&p->halo->rows[p->halo->n], rows, n));
  PetscCall(PetscArraycpy(&p->j[p->nnz], cols, start[n]));
  PetscCall(PetscArrayzero(&p->j[p->nnz + start[n]], PLEX_PATTERN_PAD));
  for (PetscInt k = 0; k < n; ++k) {
    p->i[p->m + k + 1] = p->nnz + start[k + 1];
    if (dofs[k] >= 0) p->row[dofs[k]] = (int)(p->m + k);
  }
  p->m += n;
  p->nnz += start[n];
  p->halo->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What finds the value that each entry of B is a term of, row by row: its own rows, then those received */
typedef struct {
  PlexPattern     p;
  const PetscInt *firstValue; /* [nown+1] */
  const PetscInt *Oi, *Oj;    /* the other block, whose columns are garray[nghosts] */
  const PetscInt *garray;
  PetscInt        nghosts;
  int            *sumOf;   /* [own+received] */
  PlexLowest      missing; /* the first entry that the matrix has not */
} HaloSums;

/* Number, among the values of owned interface row k, of the one in a global column: those of the diagonal block come
   first; -1 where the matrix has no such entry */
static PetscInt HaloFindValue(const HaloSums *h, PetscInt k, PetscInt column)
{
  const PlexPattern p = h->p;
  const PetscInt    r = p->halo->rows[k] - p->rstart, nr = p->i[r + 1] - p->i[r];
  PetscInt          ghost, value;

  if (column >= p->rstart && column < p->rstart + p->mA) return PlexFindColumn(nr, &p->j[p->i[r]], column);
  ghost = PlexFindColumn(h->nghosts, h->garray, column);
  if (ghost < 0) return -1;
  value = PlexFindColumn(h->Oi[r + 1] - h->Oi[r], &h->Oj[h->Oi[r]], ghost);
  return value < 0 ? -1 : nr + value;
}

/* Row of B, and the entries before it; *owned: the interface row that it adds to */
static PetscInt HaloRow(const HaloSums *h, PetscInt row, PetscInt *owned, const PetscInt **j, PetscInt *before)
{
  const PlexPattern p    = h->p;
  const PlexHalo    halo = p->halo;
  const PetscInt    k    = row - halo->nown;

  *owned = k < 0 ? row : PlexFindColumn(halo->nown, halo->rows, halo->receivedRow[k]);
  if (k < 0) {
    *j      = &p->j[p->i[p->mA + row]];
    *before = p->i[p->mA + row] - p->i[p->mA];
    return p->i[p->mA + row + 1] - p->i[p->mA + row];
  }
  *j      = &halo->receivedJ[halo->receivedI[k]];
  *before = halo->own + halo->receivedI[k];
  return halo->receivedI[k + 1] - halo->receivedI[k];
}

static void HaloSumsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  HaloSums *h = (HaloSums *)ctx;

  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt *j;
    PetscInt        k, before, n = HaloRow(h, row, &k, &j, &before);

    for (PetscInt e = 0; e < n; ++e) {
      const PetscInt value = HaloFindValue(h, k, j[e]);

      h->sumOf[before + e] = (int)(h->firstValue[k] + value);
      if (value < 0) PlexLowestPut(&h->missing, before + e);
    }
  }
}

/* sumOf[own+received]: the value that each entry of B, its own and its received part, is a term of. missing: global row
   and column of the first that the matrix has not, else -1 */
static PetscErrorCode PlexHaloFindSums(PlexPattern p, const PetscInt firstValue[], const PetscInt Oi[],
                                       const PetscInt Oj[], int sumOf[], PetscInt missing[2])
{
  PlexHalo       halo = p->halo;
  const PetscInt all = halo->own + halo->received, rows = halo->nown + halo->nreceived;
  HaloSums       h = {.p = p, .firstValue = firstValue, .Oi = Oi, .Oj = Oj, .sumOf = sumOf};
  PetscInt       first;

  PetscFunctionBegin;
  missing[0] = missing[1] = -1;
  PetscCall(MatMPIAIJGetSeqAIJ(p->mat, NULL, NULL, &h.garray));
  PetscCall(MatGetSize(p->offdiagonal, NULL, &h.nghosts));
  PlexLowestInit(&h.missing, all);
  PetscCall(PlexThreadsRun(rows, PLEX_THREADS_LEAST / 16, HaloSumsLoop, &h));
  first = PlexLowestGet(&h.missing);
  for (PetscInt row = 0; row < rows && first < all && missing[0] < 0; ++row) {
    const PetscInt *j;
    PetscInt        k, before, n = HaloRow(&h, row, &k, &j, &before);

    if (first >= before + n) continue;
    missing[0] = halo->rows[k];
    missing[1] = j[first - before];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What each value of the owned interface rows sums, its own part of B first, then sender by sender */
static PetscErrorCode PlexHaloSetUpSums(PlexPattern p, PetscInt missing[2])
{
  PlexHalo        h = p->halo;
  const PetscInt *Oi, *Oj;
  PetscInt        m, *firstValue, n = 0;
  PetscBool       done;
  int            *sumOf;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(p->offdiagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &Oi, &Oj, &done));
  PetscCall(PetscMalloc1(h->nown + 1, &firstValue));
  for (PetscInt k = 0; k < h->nown; ++k) {
    const PetscInt r = h->rows[k] - p->rstart;

    firstValue[k] = n;
    n += p->i[r + 1] - p->i[r] + Oi[r + 1] - Oi[r];
    p->unused += p->i[r + 1] - p->i[r];
  }
  h->nsums = n;
  PetscCall(PetscMalloc1(n, &h->sumTarget));
  for (PetscInt k = 0, v = 0; k < h->nown; ++k) {
    const PetscInt r = h->rows[k] - p->rstart;

    for (PetscInt s = p->i[r]; s < p->i[r + 1]; ++s) h->sumTarget[v++] = (int)s;
    for (PetscInt s = Oi[r]; s < Oi[r + 1]; ++s) h->sumTarget[v++] = (int)(-s - 1);
  }
  PetscCall(PetscMalloc1(h->own + h->received, &sumOf));
  PetscCall(PlexHaloFindSums(p, firstValue, Oi, Oj, sumOf, missing));
  PetscCall(MatRestoreRowIJ(p->offdiagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &Oi, &Oj, &done));
  PetscCall(PetscCalloc1(n + 1, &h->sumStart));
  PetscCall(PetscMalloc1(h->own + h->received, &h->sumItems));
  if (missing[0] < 0) {
    for (PetscInt e = 0; e < h->own + h->received; ++e) h->sumStart[sumOf[e] + 1]++;
    for (PetscInt v = 0; v < n; ++v) h->sumStart[v + 1] += h->sumStart[v];
    for (PetscInt e = 0; e < h->own + h->received; ++e)
      h->sumItems[h->sumStart[sumOf[e]]++] = (int)(e < h->own ? e : e + h->sent);
    for (PetscInt v = n; v > 0; --v) h->sumStart[v] = h->sumStart[v - 1];
    h->sumStart[0] = 0;
  }
  PetscCall(PetscFree(sumOf));
  PetscCall(PetscFree(firstValue));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says on all processes what the first process to have it misses */
static PetscErrorCode PlexHaloCheckMissing(PlexPattern p, const PetscInt missing[2])
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)p->mat);
  PetscMPIInt first;
  PetscInt    entry[2] = {missing[0], missing[1]};
  char        text[256];

  PetscFunctionBegin;
  PetscCall(PlexFindFirst(comm, (PetscBool)(missing[0] >= 0), &first));
  if (first < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(entry, 2, MPIU_INT, first, comm));
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "no entry at row %" PetscInt_FMT " of process %d, column %" PetscInt_FMT
                          ", where cells contribute",
                          entry[0], (int)first, entry[1]));
  PetscCall(PetscStrallocpy(text, &p->missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Others' rows, CSR, of local dofs, and with their owners' knowledge: halo->to and what is received are there then */
static PetscErrorCode PlexHaloBegin(PlexPattern p, PetscInt *n, int *dofs[], PetscInt *rows[], PetscInt *start[],
                                    PetscInt *cols[])
{
  HaloElements around;
  PetscInt    *first;
  PlexHalo     h;

  PetscFunctionBegin;
  PetscCall(PetscNew(&h));
  p->halo = h;
  PetscCall(PlexHaloFindOthers(p, n, dofs, &around));
  PetscCall(PlexHaloCouple(p, &around, *n, *dofs, start, cols));
  PetscCall(HaloElementsDestroy(p, &around));
  PetscCall(PetscMalloc1(*n, rows));
  for (PetscInt k = 0; k < *n; ++k) (*rows)[k] = p->column[(*dofs)[k]];
  h->sent = (*start)[*n];
  PetscCall(PlexHaloFindOwners(p, *n, *rows, &h->to, &h->nto, &first));
  PetscCall(PlexHaloConnect(h, p->mat, first, *rows, *start, *cols));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHaloReceiveRows(PlexPattern p)
{
  PetscInt n, *rows, *start, *cols;
  int     *dofs;

  PetscFunctionBegin;
  PetscCall(PlexHaloBegin(p, &n, &dofs, &rows, &start, &cols));
  PetscCall(PetscFree(dofs));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHaloCreate(PlexPattern p)
{
  PetscInt     n, *start, *cols, nown, *rows, *ownStart, *ownCols, missing[2] = {-1, -1};
  int         *dofs, *ownDofs;
  PetscInt    *others;
  PlexHalo     h;
  HaloElements around;

  PetscFunctionBegin;
  PetscCall(PlexHaloBegin(p, &n, &dofs, &others, &start, &cols));
  h = p->halo;
  PetscCall(PlexHaloFindOwned(p, &nown, &rows, &ownDofs));
  PetscCall(PlexHaloFindAround(p, nown, ownDofs, &around));
  PetscCall(PlexHaloCouple(p, &around, nown, ownDofs, &ownStart, &ownCols));
  PetscCall(HaloElementsDestroy(p, &around));
  h->nown = nown;
  h->own  = ownStart[nown];
  PetscCall(PlexHaloAppend(p, nown, rows, ownDofs, ownStart, ownCols));
  PetscCall(PlexHaloAppend(p, n, others, dofs, start, cols));
  PetscCall(PetscFree(others));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(cols));
  PetscCall(PetscFree(dofs));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree(ownStart));
  PetscCall(PetscFree(ownCols));
  PetscCall(PetscFree(ownDofs));
  PetscCall(PlexHaloSetUpSums(p, missing));
  PetscCall(PlexHaloCheckMissing(p, missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHaloDestroy(PlexHalo *halo)
{
  PlexHalo h = *halo;

  PetscFunctionBegin;
  if (!h) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(h->rows));
  PetscCall(PetscFree(h->to));
  PetscCall(PetscFree(h->from));
  PetscCall(PetscFree(h->receivedRow));
  PetscCall(PetscFree(h->receivedI));
  PetscCall(PetscFree(h->receivedJ));
  PetscCall(PetscSFDestroy(&h->sf));
  PetscCall(PetscFree(h->sumStart));
  PetscCall(PetscFree(h->sumItems));
  PetscCall(PetscFree(h->sumTarget));
  PetscCall(PetscFree(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}
