/*
  Parts of an assembled matrix of one process, as PCFIELDSPLIT takes blocks of fields, in threads: MatCreateSubMatrix()
  of matrices whose pattern was made from the elements. Where columns are not given in ascending order it is PETSc's,
  which goes through rows one by one and sorts them.
*/
#include "matrixgraph.h"
#include <petsc/private/matimpl.h>

typedef struct {
  const PetscInt    *rows, *columns; /* of the part, in the matrix */
  PetscInt          *map;            /* [N] 1 + column of the part, 0: none */
  PetscInt          *length;         /* [m] entries of rows of the part */
  const PetscInt    *i, *j, *ci;     /* of the matrix; rows of the part */
  const PetscInt    *own;            /* columns of a part that is there already */
  PetscInt          *cj;             /* or those to be written, else NULL */
  const PetscScalar *a;
  PetscScalar       *c;
  PlexCount          differ; /* rows of other entries than the part has */
} SubMatrix;

static void SubMatrixMapLoop(void *ctx, PetscInt begin, PetscInt end)
{
  SubMatrix *s = (SubMatrix *)ctx;

  for (PetscInt k = begin; k < end; ++k) s->map[s->columns[k]] = k + 1;
}

static void SubMatrixCountLoop(void *ctx, PetscInt begin, PetscInt end)
{
  SubMatrix *s      = (SubMatrix *)ctx;
  PetscInt   differ = 0;

  for (PetscInt r = begin; r < end; ++r) {
    const PetscInt length = s->ci ? s->ci[r + 1] - s->ci[r] : 0;
    PetscInt       n = 0, other = 0;

    for (PetscInt e = s->i[s->rows[r]]; e < s->i[s->rows[r] + 1]; ++e) {
      const PetscInt column = s->map[s->j[e]];

      if (!column) continue;
      other += n < length && s->own[s->ci[r] + n] != column - 1;
      ++n;
    }
    if (s->ci) differ += other || n != length;
    else s->length[r] = n;
  }
  if (differ) PlexCountAdd(&s->differ, differ);
}

static void SubMatrixFillLoop(void *ctx, PetscInt begin, PetscInt end)
{
  SubMatrix *s = (SubMatrix *)ctx;

  for (PetscInt r = begin; r < end; ++r) {
    PetscInt to = s->ci[r];

    for (PetscInt e = s->i[s->rows[r]]; e < s->i[s->rows[r] + 1]; ++e) {
      const PetscInt column = s->map[s->j[e]];

      if (!column) continue;
      if (s->cj) s->cj[to] = column - 1;
      s->c[to++] = s->a[e];
    }
  }
}

static PetscErrorCode SubMatrixRun(PetscInt n, PlexThreadsLoop loop, SubMatrix *s)
{
  PetscFunctionBegin;
  PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST / 4, loop, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SubMatrixCreate(Mat A, IS isrow, IS iscol, PetscInt m, PetscInt n, SubMatrix *s, Mat *C)
{
  PetscInt rbs, cbs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m, &s->length));
  PetscCall(SubMatrixRun(m, SubMatrixCountLoop, s));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), C));
  PetscCall(MatSetSizes(*C, m, n, m, n));
  PetscCall(ISGetBlockSize(isrow, &rbs));
  PetscCall(ISGetBlockSize(iscol, &cbs));
  PetscCall(MatSetBlockSizes(*C, rbs, cbs));
  PetscCall(MatSetType(*C, ((PetscObject)A)->type_name));
  PetscCall(MatSeqAIJSetPreallocation(*C, 0, s->length));
  PetscCall(PetscFree(s->length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreateSubMatrix_Plex(Mat A, IS isrow, IS iscol, MatReuse reuse, Mat *C)
{
  SubMatrix       s = {.ci = NULL};
  const PetscInt *cj;
  PetscInt        m, n, N, k;
  PetscBool       sorted, done, size = PETSC_TRUE, same = PETSC_TRUE;
  Mat            *one;

  PetscFunctionBegin;
  PetscCall(ISGetInfo(iscol, IS_SORTED, IS_LOCAL, PETSC_TRUE, &sorted));
  if (sorted) PetscCall(ISGetInfo(iscol, IS_UNIQUE, IS_LOCAL, PETSC_TRUE, &sorted));
  if (!sorted || A->structure_only) {
    one = C;
    PetscCall(MatCreateSubMatrices(A, 1, &isrow, &iscol, reuse, &one));
    if (reuse == MAT_REUSE_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
    *C = *one;
    PetscCall(PetscFree(one));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ISGetLocalSize(isrow, &m));
  PetscCall(ISGetLocalSize(iscol, &n));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(ISGetIndices(isrow, &s.rows));
  PetscCall(ISGetIndices(iscol, &s.columns));
  PetscCheck(!n || s.columns[n - 1] < N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Column %" PetscInt_FMT " of a matrix of %" PetscInt_FMT, s.columns[n - 1], N);
  PetscCall(PetscCalloc1(N, &s.map));
  PlexCountInit(&s.differ);
  PetscCall(SubMatrixRun(n, SubMatrixMapLoop, &s));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &k, &s.i, &s.j, &done));
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(SubMatrixCreate(A, isrow, iscol, m, n, &s, C));
  PetscCall(MatGetRowIJ(*C, 0, PETSC_FALSE, PETSC_FALSE, &k, &s.ci, &cj, &done));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatGetSize(*C, NULL, &N));
    size  = (PetscBool)(done && k == m && N == n);
    s.own = cj;
    if (size) PetscCall(SubMatrixRun(m, SubMatrixCountLoop, &s));
    same = (PetscBool)!PlexCountGet(&s.differ);
  } else s.cj = (PetscInt *)cj;
  if (size && same) {
    PetscCall(MatSeqAIJGetArrayRead(A, &s.a));
    PetscCall(MatSeqAIJGetArrayWrite(*C, &s.c));
    PetscCall(SubMatrixRun(m, SubMatrixFillLoop, &s));
    PetscCall(MatSeqAIJRestoreArrayWrite(*C, &s.c));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &s.a));
    if (s.cj && s.ci[m]) PetscCall(MatSeqAIJSetColumnIndices(*C, s.cj)); /* says that they are there */
  }
  PetscCall(MatRestoreRowIJ(*C, 0, PETSC_FALSE, PETSC_FALSE, &k, &s.ci, &cj, &done));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &k, &s.i, &s.j, &done));
  PetscCall(PetscFree(s.map));
  PetscCall(ISRestoreIndices(iscol, &s.columns));
  PetscCall(ISRestoreIndices(isrow, &s.rows));
  PetscCheck(size, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "Cannot reuse matrix. wrong size: a part of %" PetscInt_FMT " x %" PetscInt_FMT
             " is made by MAT_INITIAL_MATRIX",
             m, n);
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "Cannot reuse matrix. wrong nonzeros: a part with other entries is made by MAT_INITIAL_MATRIX");
#if PetscDefined(HAVE_DEVICE)
  PetscCall(MatBindToCPU(*C, A->boundtocpu));
#endif
  PetscCall(MatAssemblyBegin(*C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMatrixSetSubMatrix(Mat A)
{
  PetscFunctionBegin;
  A->ops->createsubmatrix = MatCreateSubMatrix_Plex;
  PetscFunctionReturn(PETSC_SUCCESS);
}
