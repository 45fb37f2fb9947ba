/*
  Matrices whose values are not in CSR format, or not in CSR format alone: block rows (BAIJ), their upper half (SBAIJ),
  all entries (DENSE), AIJ with copies in a format of its own (PERM, SELL, CRL), and matrices of type IS with such
  local ones. Their values are computed into a matrix of type AIJ, or IS with local AIJ, that belongs to them, and copied:

    value t of P = value source[t] of Q, or 0 where Q has no such entry

  Of a block on the diagonal of SBAIJ the upper half counts, as when PETSc sets values.
*/
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h> /* mattype */

typedef enum {
  PLEX_FORMAT_NONE, /* cannot be written here */
  PLEX_FORMAT_AIJ,
  PLEX_FORMAT_BAIJ,
  PLEX_FORMAT_SBAIJ,
  PLEX_FORMAT_DENSE
} PlexFormat;

/* A sequential matrix with values of this process: one of two blocks of a matrix of columns of its own and of others */
typedef struct {
  Mat             mat;
  PlexFormat      format;
  PetscInt        bs;
  PetscInt        first;  /* column c is number first + c, */
  const PetscInt *garray; /* or that of block column c is garray[c], unless this is NULL */
} PlexLeaf;

struct _n_PlexMatCopy {
  PetscObjectId id; /* of P: a duplicate of it has the same attachment */
  PetscInt64    state;
  Mat           P; /* not owned: this is attached to it */
  Mat           Q;
  PetscInt      rstart, m; /* rows of this process */
  PetscInt      nleaves;
  PetscInt      n[2];      /* values of each block of P that have a source, */
  PetscInt     *source[2]; /* [n] value s of the diagonal block of Q, value -s - 2 of the off-diagonal one, -1: none */
  PetscObjectState pattern, patternQ; /* that sources are for */
};

static PetscErrorCode PlexMatGetFormat(Mat mat, PlexFormat *format)
{
  static const struct {
    const char *type;
    PlexFormat  format;
  } formats[] = {
    {MATSEQAIJ,         PLEX_FORMAT_AIJ  },
    {MATSEQAIJCUSPARSE, PLEX_FORMAT_AIJ  },
    {MATSEQAIJPERM,     PLEX_FORMAT_AIJ  },
    {MATSEQAIJSELL,     PLEX_FORMAT_AIJ  },
    {MATSEQAIJCRL,      PLEX_FORMAT_AIJ  },
    {MATSEQBAIJ,        PLEX_FORMAT_BAIJ },
    {MATSEQSBAIJ,       PLEX_FORMAT_SBAIJ},
    {MATSEQDENSE,       PLEX_FORMAT_DENSE}
  };
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  *format = PLEX_FORMAT_NONE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(formats) && !same; ++k) {
    PetscCall(PetscObjectTypeCompare((PetscObject)mat, formats[k].type, &same));
    if (same) *format = formats[k].format;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sequential matrices that a matrix consists of; *n is 0 where it is of another type */
static PetscErrorCode PlexMatGetLeaves(Mat mat, PetscInt *n, PlexLeaf leaves[2])
{
  Mat       block[2] = {mat, NULL};
  PetscBool is, aij, baij, dense;
  PetscInt  first = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(leaves, 2 * sizeof(*leaves)));
  PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATIS, &is));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)mat, &aij, MATMPIAIJ, MATMPIAIJPERM, MATMPIAIJSELL, MATMPIAIJCRL,
                                      ""));
  /* PETSC_VERSION_LT(3, 26, 0): PETSc gives no blocks of MATMPISBAIJ */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)mat, &baij, MATMPIBAIJ,
                                      PETSC_VERSION_LT(3, 26, 0) ? MATMPIBAIJ : MATMPISBAIJ, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATMPIDENSE, &dense));
  if (!is) PetscCall(MatGetOwnershipRange(mat, &first, NULL));
  if (is) PetscCall(PlexMatGetBlocks(mat, &block[0], &block[1], NULL));
  else if (aij) PetscCall(MatMPIAIJGetSeqAIJ(mat, &block[0], &block[1], &leaves[1].garray));
  else if (baij) PetscCall(MatMPIBAIJGetSeqBAIJ(mat, &block[0], &block[1], &leaves[1].garray));
  else if (dense) {
    PetscCall(MatDenseGetLocalMatrix(mat, &block[0]));
    first = 0;
  }
  *n = 0;
  for (PetscInt k = 0; k < 2 && block[k]; ++k) {
    leaves[k].mat   = block[k];
    leaves[k].first = first;
    PetscCall(MatGetBlockSize(block[k], &leaves[k].bs));
    PetscCall(PlexMatGetFormat(block[k], &leaves[k].format));
    if (leaves[k].format == PLEX_FORMAT_NONE) break;
    if (leaves[k].format != PLEX_FORMAT_BAIJ && leaves[k].format != PLEX_FORMAT_SBAIJ) leaves[k].bs = 1;
    ++*n;
  }
  if (*n && *n < 2 && block[1]) *n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatIsCopied(Mat mat, PetscBool *copied)
{
  PlexLeaf leaves[2];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PlexMatIsWritten(mat, copied));
  if (*copied) {
    *copied = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexMatGetLeaves(mat, &n, leaves));
  *copied = (PetscBool)(n > 0);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, copied, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)mat)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMatCopyReset(PlexMatCopy copy)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscFree(copy->source[k]));
  copy->nleaves = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMatCopyDestroy(PetscCtxRt ctx)
{
  PlexMatCopy copy = *(PlexMatCopy *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexMatCopyReset(copy));
  PetscCall(MatDestroy(&copy->Q));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of type IS with the maps of P, and local ones of type AIJ, without entries */
static PetscErrorCode PlexMatCreateSubdomains(Mat P, Mat *Q)
{
  ISLocalToGlobalMapping rows, columns;
  PetscInt               m, n, M, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(P, &m, &n));
  PetscCall(MatGetSize(P, &M, &N));
  PetscCall(MatISGetLocalToGlobalMapping(P, &rows, &columns));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)P), Q));
  PetscCall(MatSetSizes(*Q, m, n, M, N));
  PetscCall(MatSetType(*Q, MATIS));
  PetscCall(MatISSetLocalMatType(*Q, MATAIJ));
  PetscCall(MatSetLocalToGlobalMapping(*Q, rows, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of type AIJ with the entries that the elements couple; *Q NULL: options make it one of another type */
static PetscErrorCode PlexMatCreateAIJ(PlexElements el, Mat P, Mat *Q)
{
  DM        dm = el->dm;
  char     *type;
  PetscInt  n[2], N[2];
  PetscBool written, fits;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(dm->mattype, &type));
  PetscCall(DMSetMatType(dm, MATAIJ));
  PetscCall(PlexElementsCreateMatrix(el, Q));
  PetscCall(DMSetMatType(dm, type));
  PetscCall(PetscFree(type));
  PetscCall(PlexMatIsWritten(*Q, &written));
  PetscCall(MatGetLocalSize(P, &n[0], NULL));
  PetscCall(MatGetLocalSize(*Q, &n[1], NULL));
  PetscCall(MatGetSize(P, &N[0], &N[1]));
  fits = (PetscBool)(written && n[0] == n[1] && N[0] == N[1]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)P)));
  if (!fits) PetscCall(MatDestroy(Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatCopyGet(Mat P, PlexElements el, PetscInt64 state, PlexMatCopy *copy)
{
  PetscObjectId id;
  PetscBool     is;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)P, &id));
  PetscCall(PetscObjectContainerQuery((PetscObject)P, "PlexGPU copy", copy));
  if (*copy && (*copy)->id == id && (*copy)->state == state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(copy));
  (*copy)->id    = id;
  (*copy)->state = state;
  (*copy)->P     = P;
  PetscCall(PetscObjectTypeCompare((PetscObject)P, MATIS, &is));
  if (is) PetscCall(PlexMatCreateSubdomains(P, &(*copy)->Q));
  else PetscCall(PlexMatCreateAIJ(el, P, &(*copy)->Q));
  PetscCall(PetscObjectContainerCompose((PetscObject)P, "PlexGPU copy", *copy, PlexMatCopyDestroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatCopyGetMat(PlexMatCopy copy, Mat *Q)
{
  PetscFunctionBegin;
  *Q = copy->Q;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of Q: the CSR patterns of its blocks, and which values have become sources */
typedef struct {
  PlexLeaf        leaves[2];
  PetscInt        nleaves, m, n; /* rows and columns of the diagonal block */
  const PetscInt *i[2], *j[2];
  PetscInt        others; /* columns of the off-diagonal block */
  char           *used[2];
} PlexCopyFrom;

static PetscErrorCode PlexCopyFromCreate(Mat Q, PlexCopyFrom *from)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(from, sizeof(*from)));
  PetscCall(PlexMatGetLeaves(Q, &from->nleaves, from->leaves));
  PetscCall(MatGetLocalSize(from->leaves[0].mat, &from->m, &from->n));
  for (PetscInt k = 0; k < from->nleaves; ++k) {
    PetscInt m;

    PetscCall(MatGetRowIJ(from->leaves[k].mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &from->i[k], &from->j[k], &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type AIJ does not give out its rows");
    PetscCall(PetscCalloc1(from->i[k][m], &from->used[k]));
  }
  if (from->nleaves == 2) PetscCall(MatGetLocalSize(from->leaves[1].mat, NULL, &from->others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCopyFromDestroy(PlexCopyFrom *from)
{
  PetscBool done;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < from->nleaves; ++k) {
    PetscInt m;

    PetscCall(MatRestoreRowIJ(from->leaves[k].mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &from->i[k], &from->j[k], &done));
    PetscCall(PetscFree(from->used[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The source of row r of this process, column c of all */
static PetscInt PlexCopyFind(PlexCopyFrom *from, PetscInt r, PetscInt c)
{
  const PetscInt first = from->leaves[0].first;
  const PetscInt k     = c >= first && c < first + from->n ? 0 : 1;
  PetscInt       at;

  if (k >= from->nleaves || r >= from->m) return -1;
  c = k ? PlexFindColumn(from->others, from->leaves[1].garray, c) : c - first;
  if (c < 0) return -1;
  at = PlexFindColumn(from->i[k][r + 1] - from->i[k][r], &from->j[k][from->i[k][r]], c);
  if (at < 0) return -1;
  at += from->i[k][r];
  from->used[k][at] = 1;
  return k ? -at - 2 : at;
}

/* Sources of a block of P, in the order of its values: of AIJ row by row, of block rows block by block, columns first */
static PetscErrorCode PlexCopyListSources(const PlexLeaf *leaf, PetscInt rstart, PlexCopyFrom *from, PetscInt *n,
                                          PetscInt *source[])
{
  const PetscInt  bs = leaf->bs;
  const PetscInt *i, *j;
  PetscInt        m, at = 0;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(leaf->mat, 0, PETSC_FALSE, (PetscBool)(bs > 1), &m, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)leaf->mat)->type_name);
  *n = i[m] * bs * bs;
  PetscCall(PetscMalloc1(*n, source));
  for (PetscInt br = 0; br < m; ++br) {
    for (PetscInt k = i[br]; k < i[br + 1]; ++k) {
      const PetscInt  column = leaf->garray ? leaf->garray[j[k]] * bs : leaf->first + j[k] * bs;
      const PetscBool half   = (PetscBool)(leaf->format == PLEX_FORMAT_SBAIJ && column == rstart + br * bs);

      for (PetscInt c = 0; c < bs; ++c)
        for (PetscInt r = 0; r < bs; ++r)
          (*source)[at++] = half ? PlexCopyFind(from, br * bs + PetscMin(r, c), column + PetscMax(r, c))
                                 : PlexCopyFind(from, br * bs + r, column + c);
    }
  }
  PetscCall(MatRestoreRowIJ(leaf->mat, 0, PETSC_FALSE, (PetscBool)(bs > 1), &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first entry of Q that has no place in P; of SBAIJ the upper half is to have one */
static PetscErrorCode PlexCopyFindMissing(const PlexCopyFrom *from, PetscInt rstart, const PlexLeaf *leaf,
                                          char **missing)
{
  const PetscInt bs = leaf->bs;
  char           text[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < from->nleaves && !*missing; ++k) {
    for (PetscInt r = 0; r < from->m && !*missing; ++r) {
      for (PetscInt s = from->i[k][r]; s < from->i[k][r + 1] && !*missing; ++s) {
        const PetscInt row    = rstart + r,
                       column = k ? from->leaves[1].garray[from->j[k][s]] : from->leaves[0].first + from->j[k][s];

        if (from->used[k][s]) continue;
        if (leaf->format == PLEX_FORMAT_SBAIJ && (column / bs < row / bs || (column / bs == row / bs && column < row)))
          continue;
        PetscCall(PetscSNPrintf(text, sizeof(text), "no entry at row %" PetscInt_FMT ", column %" PetscInt_FMT, row,
                                column));
        PetscCall(PetscStrallocpy(text, missing));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds zeros to P, which was only preallocated, at all entries of Q; SBAIJ drops those of the lower half. Rows and
   columns of a matrix of type IS are those of its local matrix */
static PetscErrorCode PlexMatCopyInsertZeros(PlexMatCopy copy, const PlexCopyFrom *from, const PlexLeaf leaves[])
{
  Mat          P = copy->P;
  PetscScalar *zeros;
  PetscInt    *columns, most = 0;
  PetscBool    is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)P, MATIS, &is));
  if (is) P = leaves[0].mat;
  if (leaves[0].format == PLEX_FORMAT_SBAIJ) PetscCall(MatSetOption(P, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt k = 0; k < from->nleaves; ++k)
    for (PetscInt r = 0; r < from->m; ++r) most = PetscMax(most, from->i[k][r + 1] - from->i[k][r]);
  PetscCall(PetscMalloc1(most, &columns));
  PetscCall(PetscCalloc1(most, &zeros));
  for (PetscInt k = 0; k < from->nleaves; ++k) {
    for (PetscInt r = 0; r < from->m; ++r) {
      const PetscInt row = from->leaves[0].first + r, start = from->i[k][r], n = from->i[k][r + 1] - start;

      for (PetscInt s = 0; s < n; ++s)
        columns[s] = k ? from->leaves[1].garray[from->j[k][start + s]] : from->leaves[0].first + from->j[k][start + s];
      PetscCall(MatSetValues(P, 1, &row, n, columns, zeros, ADD_VALUES));
    }
  }
  PetscCall(PetscFree(columns));
  PetscCall(PetscFree(zeros));
  PetscCall(MatAssemblyBegin(copy->P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(copy->P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the pattern of Q is there. *missing: an entry that P lacks, the same text on all processes */
PetscErrorCode PlexMatCopySetUp(PlexMatCopy copy, char **missing)
{
  PetscObjectState pattern, patternQ;
  PlexLeaf         leaves[2];
  PlexCopyFrom     from;
  PetscBool        assembled;

  PetscFunctionBegin;
  *missing = NULL;
  PetscCall(MatAssembled(copy->P, &assembled));
  PetscCall(MatGetNonzeroState(copy->P, &pattern));
  PetscCall(MatGetNonzeroState(copy->Q, &patternQ));
  if (assembled && copy->nleaves && copy->pattern == pattern && copy->patternQ == patternQ)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatCopyReset(copy));
  PetscCall(PlexMatGetLeaves(copy->P, &copy->nleaves, leaves));
  PetscCall(PlexCopyFromCreate(copy->Q, &from));
  if (!assembled) {
    PetscCall(PlexMatCopyInsertZeros(copy, &from, leaves));
    PetscCall(PlexMatGetLeaves(copy->P, &copy->nleaves, leaves));
    PetscCall(MatGetNonzeroState(copy->P, &pattern));
  }
  copy->rstart = from.leaves[0].first;
  copy->m      = from.m;
  for (PetscInt k = 0; k < copy->nleaves && leaves[k].format != PLEX_FORMAT_DENSE; ++k)
    PetscCall(PlexCopyListSources(&leaves[k], copy->rstart, &from, &copy->n[k], &copy->source[k]));
  if (leaves[0].format != PLEX_FORMAT_DENSE) PetscCall(PlexCopyFindMissing(&from, copy->rstart, leaves, missing));
  PetscCall(PlexAgreeOnText(PetscObjectComm((PetscObject)copy->P), missing));
  PetscCall(PlexCopyFromDestroy(&from));
  if (*missing) PetscCall(PlexMatCopyReset(copy));
  copy->pattern  = pattern;
  copy->patternQ = patternQ;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLeafGetArray(const PlexLeaf *leaf, PetscBool get, PetscScalar **a)
{
  PetscFunctionBegin;
  switch (leaf->format) {
  case PLEX_FORMAT_BAIJ:
    PetscCall(get ? MatSeqBAIJGetArray(leaf->mat, a) : MatSeqBAIJRestoreArray(leaf->mat, a));
    break;
  case PLEX_FORMAT_SBAIJ:
    PetscCall(get ? MatSeqSBAIJGetArray(leaf->mat, a) : MatSeqSBAIJRestoreArray(leaf->mat, a));
    break;
  case PLEX_FORMAT_DENSE:
    PetscCall(get ? MatDenseGetArrayWrite(leaf->mat, a) : MatDenseRestoreArrayWrite(leaf->mat, a));
    break;
  default:
    PetscCall(get ? MatSeqAIJGetArrayWrite(leaf->mat, a) : MatSeqAIJRestoreArrayWrite(leaf->mat, a));
    break;
  }
  if (!get) PetscCall(PetscObjectStateIncrease((PetscObject)leaf->mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const PetscInt    *source;
  const PetscScalar *q[2];
  PetscScalar       *p;
} PlexCopyValues;

static void PlexCopyValuesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexCopyValues *c = (const PlexCopyValues *)ctx;

  for (PetscInt t = begin; t < end; ++t) {
    const PetscInt s = c->source[t];

    c->p[t] = s >= 0 ? c->q[0][s] : s < -1 ? c->q[1][-s - 2] : 0.;
  }
}

/* All rows of a dense matrix */
static PetscErrorCode PlexCopyDense(const PlexCopyFrom *from, const PlexCopyValues *c, const PlexLeaf *leaf)
{
  PetscInt lda, m, n;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(leaf->mat, &lda));
  PetscCall(MatGetSize(leaf->mat, &m, &n));
  for (PetscInt col = 0; col < n; ++col) PetscCall(PetscArrayzero(&c->p[(size_t)col * lda], m));
  for (PetscInt k = 0; k < from->nleaves; ++k) {
    for (PetscInt r = 0; r < from->m; ++r) {
      for (PetscInt s = from->i[k][r]; s < from->i[k][r + 1]; ++s) {
        const PetscInt col = k ? from->leaves[1].garray[from->j[k][s]] : from->leaves[0].first + from->j[k][s];

        c->p[(size_t)col * lda + r] = c->q[k][s];
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says that the matrix has new values: none was set through P itself */
static PetscErrorCode PlexMatCopyFinish(PlexMatCopy copy, const PlexLeaf leaves[])
{
  PetscBool own;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < copy->nleaves; ++k) {
    PetscCall(MatAssemblyBegin(leaves[k].mat, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(leaves[k].mat, MAT_FINAL_ASSEMBLY));
  }
  if (leaves[0].mat == copy->P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOption(copy->P, MAT_NO_OFF_PROC_ENTRIES, &own));
  PetscCall(MatSetOption(copy->P, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(copy->P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(copy->P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(copy->P, MAT_NO_OFF_PROC_ENTRIES, own));
  PetscCall(PetscObjectStateIncrease((PetscObject)copy->P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatCopyFill(PlexMatCopy copy)
{
  PlexLeaf       leaves[2], own[2];
  PlexCopyFrom   from;
  PlexCopyValues c;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(PlexMatGetLeaves(copy->P, &copy->nleaves, leaves));
  PetscCall(PlexMatGetLeaves(copy->Q, &n, own));
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatSeqAIJGetArrayRead(own[k].mat, &c.q[k]));
  for (PetscInt k = 0; k < copy->nleaves; ++k) {
    PetscCall(PlexLeafGetArray(&leaves[k], PETSC_TRUE, &c.p));
    c.source = copy->source[k];
    if (leaves[k].format == PLEX_FORMAT_DENSE) {
      PetscCall(PlexCopyFromCreate(copy->Q, &from));
      PetscCall(PlexCopyDense(&from, &c, &leaves[k]));
      PetscCall(PlexCopyFromDestroy(&from));
    } else PetscCall(PlexThreadsRun(copy->n[k], PLEX_THREADS_LEAST, PlexCopyValuesLoop, &c));
    PetscCall(PlexLeafGetArray(&leaves[k], PETSC_FALSE, &c.p));
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatSeqAIJRestoreArrayRead(own[k].mat, &c.q[k]));
  PetscCall(PlexMatCopyFinish(copy, leaves));
  PetscFunctionReturn(PETSC_SUCCESS);
}
