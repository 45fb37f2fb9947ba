/* Where element matrices go in the CSR values of a matrix. */
#include "elementsimpl.h"

/* Asked again after each assembly of the matrix, which may then have other ones */
PetscErrorCode PlexMatGetBlocks(Mat mat, Mat *diagonal, Mat *offdiagonal, const PetscInt **garray)
{
  PetscBool mpi, is;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)mat, MATMPIAIJ, &mpi));
  PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATIS, &is));
  *diagonal    = mat;
  *offdiagonal = NULL;
  if (garray) *garray = NULL;
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(mat, diagonal, offdiagonal, garray));
  if (is) {
    Mat local;

    PetscCall(MatISGetLocalMat(mat, &local));
    if (local) *diagonal = local;
    PetscCall(MatISRestoreLocalMat(mat, &local));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a type stores its values in CSR format alone. Exact names: other types derived from AIJ keep copies in
   formats of their own (CRL, PERM, SELL, MKL), which would not see new values */
PetscErrorCode PlexMatIsWritten(Mat mat, PetscBool *written)
{
  const char *const outer[]  = {MATSEQAIJ,          MATMPIAIJ, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MATSEQAIJHIPSPARSE,
                                MATMPIAIJHIPSPARSE, MATIS};
  const char *const blocks[] = {MATSEQAIJ, MATSEQAIJCUSPARSE, MATSEQAIJHIPSPARSE};
  Mat               block[2] = {NULL, NULL};
  PetscBool         is;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(outer) && !*written; ++k)
    PetscCall(PetscObjectTypeCompare((PetscObject)mat, outer[k], written));
  if (!*written) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatGetBlocks(mat, &block[0], &block[1], NULL));
  for (PetscInt b = 0; b < 2 && *written; ++b) {
    if (!block[b]) continue; /* of a matrix that is still to be preallocated */
    *written = PETSC_FALSE;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(blocks) && !*written; ++k)
      PetscCall(PetscObjectTypeCompare((PetscObject)block[b], blocks[k], written));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATIS, &is));
  /* each process has its own local matrix */
  if (is)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, written, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)mat)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a MATIS: the rows are those of its local matrix; a dof may have none there */
static PetscErrorCode PlexPatternSetUpLocalRows(PlexPattern pattern, const PetscInt global[])
{
  ISLocalToGlobalMapping map;
  PetscInt               Nl = pattern->elements->Nl;
  void                  *all;

  PetscFunctionBegin;
  PetscCall(MatISGetLocalToGlobalMapping(pattern->mat, &map, NULL));
  PetscCall(PetscObjectContainerQuery((PetscObject)pattern->mat, PLEX_ALL_DOFS, &all));
  if (!all) PetscCall(ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, Nl, global, NULL, pattern->column));
  for (PetscInt l = 0; l < Nl && all; ++l) pattern->column[l] = l;
  for (PetscInt l = 0; l < Nl; ++l) {
    if (pattern->column[l] < 0) pattern->column[l] = -1;
    pattern->row[l] = (int)pattern->column[l];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row and column of each local dof, -1 where it is constrained (PETSc's map has some negative number there) */
typedef struct {
  PlexPattern     pattern;
  const PetscInt *global; /* [Nl] */
  PetscInt        N;      /* rows of the matrix, all processes together */
  PlexLowest      beyond; /* the first dof whose row is not among them */
} PlexPatternRows;

static void PlexPatternRowsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexPatternRows  *r       = (PlexPatternRows *)ctx;
  const PlexPattern pattern = r->pattern;

  for (PetscInt l = begin; l < end; ++l) {
    const PetscInt g = r->global[l];

    pattern->column[l] = g < 0 ? -1 : g;
    pattern->row[l]    = g >= pattern->rstart && g < pattern->rstart + pattern->m ? (int)(g - pattern->rstart) : -1;
    if (g >= r->N) PlexLowestPut(&r->beyond, l);
  }
}

PetscErrorCode PlexPatternSetUpRows(PlexPattern pattern)
{
  PlexPatternRows        rows = {.pattern = pattern};
  ISLocalToGlobalMapping map;
  PetscInt               n, beyond, Nl = pattern->elements->Nl;

  PetscFunctionBegin;
  PetscCall(MatGetSize(pattern->mat, &rows.N, NULL));
  PetscCall(PlexGetLocalToGlobalMapping(pattern->elements->dm, &map));
  PetscCall(ISLocalToGlobalMappingGetSize(map, &n));
  PetscCheck(n == Nl, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The DM's local-to-global mapping has %" PetscInt_FMT " entries and its local vectors have %" PetscInt_FMT,
             n, Nl);
  PetscCall(PetscMalloc1(Nl, &pattern->row));
  PetscCall(PetscMalloc1(Nl, &pattern->column));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &rows.global));
  if (pattern->subdomain) PetscCall(PlexPatternSetUpLocalRows(pattern, rows.global));
  else {
    PlexLowestInit(&rows.beyond, Nl);
    PetscCall(PlexThreadsRun(Nl, PLEX_SECTION_LEAST, PlexPatternRowsLoop, &rows));
    beyond = PlexLowestGet(&rows.beyond);
    PetscCheck(beyond == Nl, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "The matrix has %" PetscInt_FMT " rows and the DM a dof in row %" PetscInt_FMT
               ": create it with DMCreateMatrix()",
               rows.N, rows.global[beyond]);
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &rows.global));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPatternFillElements(PlexPattern pattern, PlexElements el)
{
  PetscScalar *zeros;
  PetscInt    *rows;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->ef * el->ef, &zeros));
  PetscCall(PetscMalloc1(el->ef, &rows));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    for (PetscInt i = 0; i < el->ef; ++i) rows[i] = pattern->column[el->dofs[(size_t)e * el->ef + i]];
    PetscCall(MatSetValues(pattern->subdomain ? pattern->diagonal : pattern->mat, el->ef, rows, el->ef, rows, zeros,
                           ADD_VALUES));
  }
  PetscCall(PetscFree(zeros));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds zeros at every entry of every element matrix, so that the matrix has them; values that it holds stay */
static PetscErrorCode PlexPatternFill(PlexPattern pattern)
{
  PetscFunctionBegin;
  PetscCall(MatSetUp(pattern->mat));
  for (PetscInt k = 0; k < pattern->nall; ++k) PetscCall(PlexPatternFillElements(pattern, pattern->all[k]));
  PetscCall(MatAssemblyBegin(pattern->mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(pattern->mat, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The CSR pattern of a matrix that is copied */
typedef struct {
  PlexPattern     pattern;
  const PetscInt *i, *j;
  PlexLowest      unsorted; /* the first row whose columns do not ascend */
} PlexPatternCSR;

static void PlexPatternCopyLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexPatternCSR   *c       = (PlexPatternCSR *)ctx;
  const PlexPattern pattern = c->pattern;

  for (PetscInt r = begin; r < end; ++r) {
    const PetscInt first = c->i[r], last = c->i[r + 1];
    int            ascending = 1;

    pattern->i[r] = first;
    for (PetscInt s = first; s < last; ++s) pattern->j[s] = pattern->rstart + c->j[s];
    for (PetscInt s = first + 1; s < last; ++s) ascending &= c->j[s - 1] < c->j[s];
    if (!ascending) PlexLowestPut(&c->unsorted, r);
  }
}

/* Copies the CSR pattern of the diagonal block; rows without entries are in it (MatGetRowIJ() does not compress) */
static PetscErrorCode PlexPatternCopy(PlexPattern pattern)
{
  PlexPatternCSR c = {.pattern = pattern};
  PetscInt       m, unsorted;
  PetscBool      done;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(pattern->mat, &pattern->diagonal, &pattern->offdiagonal, NULL));
  PetscCall(MatGetRowIJ(pattern->diagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &c.i, &c.j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)pattern->mat)->type_name);
  pattern->nnz = pattern->nA = c.i[m];
  PetscCall(PetscMalloc1(m + 1, &pattern->i));
  PetscCall(PetscMalloc1(pattern->nnz + PLEX_PATTERN_PAD, &pattern->j));
  pattern->i[m] = c.i[m];
  PetscCall(PetscArrayzero(&pattern->j[pattern->nnz], PLEX_PATTERN_PAD));
  PlexLowestInit(&c.unsorted, m);
  PetscCall(PlexThreadsRun(m, PLEX_THREADS_LEAST, PlexPatternCopyLoop, &c));
  unsorted = PlexLowestGet(&c.unsorted);
  PetscCheck(unsorted == m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " of the matrix has unsorted columns",
             unsorted);
  PetscCall(MatRestoreRowIJ(pattern->diagonal, 0, PETSC_FALSE, PETSC_FALSE, &m, &c.i, &c.j, &done));
  PetscCall(MatGetNonzeroState(pattern->mat, &pattern->nonzerostate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A search in all local dofs or elements, and the first that it finds */
typedef struct {
  PlexPattern  pattern;
  PlexElements el;
  PlexLowest   first;
} PlexPatternSearch;

static void PlexPatternNoDiagonalLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexPatternSearch *s       = (PlexPatternSearch *)ctx;
  const PlexPattern  pattern = s->pattern;

  for (PetscInt l = begin; l < end; ++l) {
    if (pattern->row[l] < 0 || PlexPatternFind(pattern, pattern->row[l], pattern->column[l]) >= 0) continue;
    PlexLowestPut(&s->first, l);
    return;
  }
}

/* Whether rows with dofs lack their diagonal on some process, as those of a matrix that was only preallocated do */
static PetscErrorCode PlexPatternIsEmpty(PlexPattern pattern, PetscBool *empty)
{
  PlexPatternSearch s = {.pattern = pattern};
  PetscMPIInt       first;

  PetscFunctionBegin;
  PlexLowestInit(&s.first, pattern->elements->Nl);
  PetscCall(PlexThreadsRun(pattern->elements->Nl, PLEX_THREADS_LEAST, PlexPatternNoDiagonalLoop, &s));
  PetscCall(PlexFindFirst(PetscObjectComm((PetscObject)pattern->mat),
                          (PetscBool)(PlexLowestGet(&s.first) < pattern->elements->Nl), &first));
  *empty = (PetscBool)(first >= 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots of row i of an element, a short row of the matrix, in slots[ef]; *missing: it lacks one */
static inline void PlexPatternGetShortSlots(const PlexPattern pattern, PetscInt ef, const int dofs[], PetscInt first,
                                            PetscInt n, int slots[], PetscInt *missing)
{
  const PetscInt *columnOf = pattern->column, *columns = &pattern->j[first];

  for (PetscInt j = 0; j < ef; ++j) {
    const PetscInt c  = columnOf[dofs[j]];
    const int      at = PlexPatternFindShort(columns, n, c);

    slots[j] = at ? (int)first + at - 1 : -1;
    if (!at & (c >= 0)) *missing = j;
  }
}

/* Finds the slots of an element matrix. Dofs of one mesh node have neighbouring columns and equal rows: in long rows
   the slot next to the last one, and that of the row before, are tried before a search. False: there is no slot for
   dofs missing[0], missing[1] */
static inline PetscBool PlexPatternFindElementSlots(const PlexPattern pattern, PlexElements el, PetscInt e, int slots[],
                                                    PetscInt missing[2])
{
  const PetscInt ef   = el->ef;
  const int     *dofs = &el->dofs[(size_t)e * ef];

  for (PetscInt i = 0; i < ef; ++i) {
    const PetscInt r = pattern->row[dofs[i]], above = i ? pattern->row[dofs[i - 1]] : -1;
    const PetscInt start = r < 0 ? 0 : pattern->i[r], end = r < 0 ? 0 : pattern->i[r + 1],
                   last = above < 0 ? 0 : pattern->i[above];

    if (end - start <= PLEX_PATTERN_PAD) {
      missing[1] = -1;
      if (r >= 0) PlexPatternGetShortSlots(pattern, ef, dofs, start, end - start, &slots[i * ef], &missing[1]);
      for (PetscInt j = 0; r < 0 && j < ef; ++j) slots[i * ef + j] = -1;
      missing[0] = i;
      if (missing[1] >= 0) return PETSC_FALSE;
      continue;
    }
    for (PetscInt j = 0, slot = -1; j < ef; ++j) {
      const PetscInt c = pattern->column[dofs[j]], next = slot + 1,
                     same = above < 0 || slots[(i - 1) * ef + j] < 0 ? end : start + slots[(i - 1) * ef + j] - last;

      if (c < 0) {
        slots[i * ef + j] = -1;
        continue;
      }
      if (slot >= 0 && next < end && pattern->j[next] == c) slot = next;
      else if (same < end && pattern->j[same] == c) slot = same;
      else slot = PlexPatternFind(pattern, r, c);
      if (slot < 0) {
        missing[0] = i;
        missing[1] = j;
        return PETSC_FALSE;
      }
      slots[i * ef + j] = (int)slot;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexPatternGetElementSlots(PlexPattern pattern, PetscInt e, int slots[])
{
  const PlexElements el   = pattern->elements;
  const int         *dofs = &el->dofs[(size_t)e * el->ef];
  PetscInt           missing[2];

  PetscFunctionBeginHot;
  PetscCheck(PlexPatternFindElementSlots(pattern, el, e, slots, missing), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The matrix has no entry at row %" PetscInt_FMT ", column %" PetscInt_FMT ", where cell %" PetscInt_FMT
             " contributes: create it with DMCreateMatrix()",
             pattern->column[dofs[missing[0]]], pattern->column[dofs[missing[1]]], el->cells[e]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Attached to a matrix that was made with all entries that the elements of a DM couple */
typedef struct {
  PetscObjectId    dm;
  PetscObjectState pattern;
} PlexMatComplete;

PetscErrorCode PlexMatSetComplete(Mat mat, DM dm)
{
  PlexMatComplete *complete;

  PetscFunctionBegin;
  PetscCall(PetscNew(&complete));
  PetscCall(PetscObjectGetId((PetscObject)dm, &complete->dm));
  PetscCall(MatGetNonzeroState(mat, &complete->pattern));
  PetscCall(PetscObjectContainerCompose((PetscObject)mat, "PlexGPU complete", complete, PetscCtxDestroyDefault));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether it is such a matrix still, and need not be looked through */
static PetscErrorCode PlexMatIsComplete(Mat mat, DM dm, PetscBool *is)
{
  PlexMatComplete *complete;
  PetscObjectState state;
  PetscObjectId    id;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(PetscObjectContainerQuery((PetscObject)mat, "PlexGPU complete", &complete));
  if (!complete) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)dm, &id));
  PetscCall(MatGetNonzeroState(mat, &state));
  *is = (PetscBool)(complete->dm == id && complete->pattern == state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexPatternMissingLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexPatternSearch *s = (PlexPatternSearch *)ctx;
  PetscInt           missing[2];
  int               *slots = (int *)malloc(sizeof(int) * (size_t)(s->el->ef * s->el->ef));

  for (PetscInt e = begin; slots && e < end; ++e) {
    if (PlexPatternFindElementSlots(s->pattern, s->el, e, slots, missing)) continue;
    PlexLowestPut(&s->first, e);
    break;
  }
  if (!slots) PlexLowestPut(&s->first, -1);
  free(slots);
}

/* Looks for the first entry that some element adds to and the matrix has not, on all processes */
static PetscErrorCode PlexPatternFindMissing(PlexPattern pattern)
{
  MPI_Comm    comm       = PetscObjectComm((PetscObject)pattern->mat);
  PetscInt    missing[2] = {0, 0};
  PetscBool   known      = PETSC_FALSE;
  PetscMPIInt unknown;
  int        *slots;

  PetscFunctionBegin;
  PetscCall(PlexMatIsComplete(pattern->mat, pattern->elements->dm, &known));
  PetscCall(PlexFindFirst(comm, (PetscBool)!known, &unknown)); /* all look, or none */
  if (unknown < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < pattern->nall && !pattern->missing; ++k) {
    const PlexElements el = pattern->all[k];
    PlexPatternSearch  s  = {.pattern = pattern, .el = el};
    char               text[256];
    PetscInt           e;
    const int         *dofs;

    PlexLowestInit(&s.first, el->Ne);
    PetscCall(PlexThreadsRun(el->Ne, PLEX_THREADS_LEAST / 16, PlexPatternMissingLoop, &s));
    e = PlexLowestGet(&s.first);
    PetscCheck(e >= 0, PETSC_COMM_SELF, PETSC_ERR_MEM,
               "No memory for the slots of an element of %" PetscInt_FMT " dofs", el->ef);
    if (e == el->Ne) continue;
    PetscCall(PetscMalloc1(el->ef * el->ef, &slots));
    dofs = &el->dofs[(size_t)e * el->ef];
    (void)PlexPatternFindElementSlots(pattern, el, e, slots, missing);
    PetscCall(PetscFree(slots));
    PetscCall(PetscSNPrintf(text, sizeof(text),
                            "no entry at row %" PetscInt_FMT ", column %" PetscInt_FMT ", where cell %" PetscInt_FMT
                            " contributes",
                            pattern->column[dofs[missing[0]]], pattern->column[dofs[missing[1]]], el->cells[e]));
    PetscCall(PetscStrallocpy(text, &pattern->missing));
  }
  PetscCall(PlexAgreeOnText(comm, &pattern->missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexPatternCreate - Takes the non-zero pattern of a matrix, and the rows of the local dofs

  Collective

  Input Parameters:
+ elements - the elements
- mat      - a matrix of type `MATAIJ` or `MATAIJCUSPARSE`, or `MATIS` with such local matrices, as from
             `DMCreateMatrix()`

  Output Parameter:
. pattern - the pattern

  Note:
  A matrix that was only preallocated, or assembled without its entries, is filled with zeros first.
*/
PetscErrorCode PlexPatternCreate(PlexElements elements, Mat mat, PlexPattern *pattern)
{
  PlexPattern p;

  PetscFunctionBegin;
  *pattern = NULL;
  PetscCall(PlexPatternCreateForAll(1, &elements, mat, &p));
  if (p->missing) {
    PetscErrorCode ierr = PetscError(PetscObjectComm((PetscObject)mat), __LINE__, PETSC_FUNCTION_NAME, __FILE__,
                                     PETSC_ERR_ARG_WRONG, PETSC_ERROR_INITIAL,
                                     "The matrix has %s: create it with DMCreateMatrix()", p->missing);

    (void)PlexPatternDestroy(&p);
    return ierr; /* PetscError() has left the function, which PETSc counts with --with-debugging=1 */
  }
  *pattern = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPatternCreateForAll(PetscInt nall, PlexElements elements[], Mat mat, PlexPattern *pattern)
{
  PlexPattern p;
  PetscInt    M, N, m, n;
  PetscBool   mpi, is, written, assembled, empty = PETSC_FALSE;

  PetscFunctionBegin;
  *pattern = NULL;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)mat, MATMPIAIJ, &mpi));
  PetscCall(PetscObjectTypeCompare((PetscObject)mat, MATIS, &is));
  if (is) PetscCall(MatSetUp(mat));
  PetscCall(PlexMatIsWritten(mat, &written));
  PetscCheck(written, PetscObjectComm((PetscObject)mat), PETSC_ERR_SUP,
             "Matrix of type %s: use -dm_mat_type aij or aijcusparse", ((PetscObject)mat)->type_name);
  PetscCall(MatGetSize(mat, &M, &N));
  PetscCall(MatGetLocalSize(mat, &m, &n));
  PetscCheck(M == N && m == n, PetscObjectComm((PetscObject)mat), PETSC_ERR_ARG_SIZ,
             "The matrix is %" PetscInt_FMT " x %" PetscInt_FMT " (%" PetscInt_FMT " x %" PetscInt_FMT
             " on this process), not square",
             M, N, m, n);
  PetscCall(PetscNew(&p));
  p->elements = elements[0];
  p->all      = elements;
  p->nall     = nall;
  p->mat      = mat;
  if (is) {
    PetscCall(PlexMatGetBlocks(mat, &p->diagonal, &p->offdiagonal, NULL));
    PetscCall(MatGetSize(p->diagonal, &m, NULL));
    p->subdomain = PETSC_TRUE;
  } else PetscCall(MatGetOwnershipRange(mat, &p->rstart, NULL));
  p->m = p->mA = m;
  PetscCall(PlexPatternSetUpRows(p));
  PetscCall(MatAssembled(mat, &assembled));
  if (assembled) {
    PetscCall(PlexPatternCopy(p));
    PetscCall(PlexPatternIsEmpty(p, &empty));
    if (empty) {
      PetscCall(PetscFree(p->i));
      PetscCall(PetscFree(p->j));
      assembled = PETSC_FALSE;
    }
  }
  if (!assembled) {
    PetscCall(PlexPatternFill(p));
    PetscCall(PlexPatternCopy(p));
  }
  if (mpi) PetscCall(PlexHaloCreate(p));
  if (!p->missing) PetscCall(PlexPatternFindMissing(p));
  p->all   = NULL;
  *pattern = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPatternCreateView(PlexElements elements, PlexPattern whole, PlexPattern *pattern)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(pattern));
  **pattern            = *whole;
  (*pattern)->elements = elements;
  (*pattern)->view     = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPatternDestroy(PlexPattern *pattern)
{
  PetscFunctionBegin;
  if (!*pattern) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(*pattern)->view) {
    PetscCall(PetscFree((*pattern)->i));
    PetscCall(PetscFree((*pattern)->j));
    PetscCall(PetscFree((*pattern)->row));
    PetscCall(PetscFree((*pattern)->column));
    PetscCall(PetscFree((*pattern)->missing));
    PetscCall(PlexHaloDestroy(&(*pattern)->halo));
  }
  PetscCall(PetscFree(*pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}
