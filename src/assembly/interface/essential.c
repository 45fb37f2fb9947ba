/*
  Rows of essential values that a program keeps in its vectors and matrices, the first of the two ways of Cecka, Lew and
  Darve (2011), 3.3. With R these rows, g their values and x' the vector x with g at R, the problem is

    G_i(x) = F_i(x')     i not in R        dG_i/dx_j = dF_i/dx_j (x')   neither i nor j in R
    G_i(x) = x_i - g_i   i in R                      = 1 on the diagonal of R, else 0

  A matrix with zero rows and columns is the Jacobian of G itself, and right-hand sides need no correction. A plan computes
  the entries of R like all others, and a kernel overwrites them when sums are complete: so plans stay as they are, also
  where rows come and go.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

#define PLEX_ESSENTIAL_BLOCK 128 /* threads a block */

/* A vector as it was once; id 0: none */
typedef struct {
  PetscObjectId    id;
  PetscObjectState state;
} PlexSeen;

struct _n_PlexEssential {
  IS            rows;      /* global rows, as the program gave them */
  Vec           values[2]; /* of the solution and of its time derivative, global vectors; NULL: zero */
  PetscObjectId section;   /* that the following is for; 0: there is none */
  Vec           marks;     /* global: 1 at the rows */
  PetscInt      n;         /* dofs of these rows here */
  int          *dofs;      /* [n] local dof, or -1 - dof where another process owns the row */
  int          *dofsDevice;
  Vec           local[2]; /* values[] on this process; NULL: not there yet */
  PlexSeen      seen[2];  /* values[] when these were taken */
  PlexModule    module;   /* NULL without kernels */
  PlexArray     array[3]; /* in use: the solution, values, the residual */
};

/* What is overwritten of a matrix: of its diagonal and its off-diagonal block */
struct _n_PlexEssentialEntries {
  PetscInt n[2];
  int     *at[2]; /* [n] position in the CSR values, which becomes 0; -1 - position: 1 */
  int     *atDevice[2];
};

/* ---- Vectors as they were */

static PetscErrorCode PlexSeenSet(Vec v, PlexSeen *seen)
{
  PetscFunctionBegin;
  *seen = (PlexSeen){0, 0};
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)v, &seen->id));
  PetscCall(PetscObjectStateGet((PetscObject)v, &seen->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a vector is the one that was seen, unchanged. Of a vector whose memory others write to, the state says
   nothing */
static PetscErrorCode PlexSeenIsSame(Vec v, PlexSeen seen, PetscBool *same)
{
  PlexSeen    now;
  PetscObject shared = NULL;

  PetscFunctionBegin;
  PetscCall(PlexSeenSet(v, &now));
  if (v) PetscCall(PetscObjectQuery((PetscObject)v, "PlexGPU shared", &shared));
  *same = (PetscBool)(now.id == seen.id && now.state == seen.state && !shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the program says */

static PetscErrorCode PlexEssentialReset(PlexAssembly asm_)
{
  PlexEssential e = asm_->essential;

  PetscFunctionBegin;
  if (!e || !e->section) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&e->marks));
  for (PetscInt s = 0; s < 2; ++s) PetscCall(VecDestroy(&e->local[s]));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(PlexArrayReset(asm_->backend, &e->array[k]));
  PetscCall(PetscFree(e->dofs));
  if (e->dofsDevice) PetscCall(PlexBackendFree(asm_->backend, (void **)&e->dofsDevice));
  PetscCall(PlexModuleDestroy(&e->module));
  e->section = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexEssentialEntriesDestroy_Private(PlexAssembly first)
{
  PlexEssentialEntries e = first->entries;

  PetscFunctionBegin;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt b = 0; b < 2; ++b) {
    PetscCall(PetscFree(e->at[b]));
    if (e->atDevice[b]) PetscCall(PlexBackendFree(first->backend, (void **)&e->atDevice[b]));
  }
  PetscCall(PetscFree(first->entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees what was made of the rows; `all`: and forgets them */
PetscErrorCode PlexEssentialReset_Private(PlexAssembly asm_, PetscBool all)
{
  PlexEssential e = asm_->essential;

  PetscFunctionBegin;
  PetscCall(PlexEssentialReset(asm_));
  if (!e || !all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISDestroy(&e->rows));
  for (PetscInt s = 0; s < 2; ++s) PetscCall(VecDestroy(&e->values[s]));
  PetscCall(PetscFree(asm_->essential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetEssentialRows - Says which rows of the vectors and matrices of a `DM` hold essential values

  Collective

  Input Parameters:
+ asm      - the assembly
. rows     - global rows, of which each process lists any; `NULL`: there are none
. values   - global vector with the values at these rows, or `NULL` where they are zero
- values_t - global vector with their time derivatives, or `NULL` where they are zero

  Level: intermediate

  Notes:
  It is for programs whose `PetscSection` does not constrain these dofs, so that they are unknowns, and that would call
  `MatZeroRowsColumns()` after each assembly. With x' the solution with the values at these rows, the residual is that of
  x' in the other rows, and x minus the values in these. Jacobians are those of x', with zeros in these rows and columns
  and ones on the diagonal, which is the derivative of this residual. For a linear problem matrix and right-hand side are
  those of `MatZeroRowsColumns()` with 1 on the diagonal. A right-hand side of an explicit part is zero in these rows.

  No pass over the matrix is added: a kernel overwrites the entries of these rows and columns. The matrix keeps its
  pattern. The vectors are read at each residual and Jacobian, so the program changes their entries as it likes, for
  instance with the time; it keeps references to them. Rows of the solution need not have the values.

  `MatZeroRowsColumns()` may be called as well, or in the place of this: it keeps the pattern too. `MatZeroRows()` needs
  `MatSetOption()` with `MAT_KEEP_NONZERO_PATTERN`.

.seealso: `PlexAssembly`, `PlexAssemblyGetEssentialRows()`, `PlexAssemblyGetFromDM()`, `MatZeroRowsColumns()`
@*/
PetscErrorCode PlexAssemblySetEssentialRows(PlexAssembly asm_, IS rows, Vec values, Vec values_t)
{
  Vec v[2] = {values, values_t};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (rows) PetscValidHeaderSpecific(rows, IS_CLASSID, 2);
  if (values) PetscValidHeaderSpecific(values, VEC_CLASSID, 3);
  if (values_t) PetscValidHeaderSpecific(values_t, VEC_CLASSID, 4);
  if (rows) PetscCall(PetscObjectReference((PetscObject)rows));
  for (PetscInt s = 0; s < 2; ++s)
    if (v[s]) PetscCall(PetscObjectReference((PetscObject)v[s]));
  PetscCall(PlexEssentialReset_Private(asm_, PETSC_TRUE));
  for (PlexAssembly first = asm_; first; first = first == asm_ ? asm_->preconditioner : NULL)
    PetscCall(PlexEssentialEntriesDestroy_Private(first));
  if (!rows) {
    for (PetscInt s = 0; s < 2; ++s) PetscCall(VecDestroy(&v[s]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscNew(&asm_->essential));
  asm_->essential->rows = rows;
  for (PetscInt s = 0; s < 2; ++s) asm_->essential->values[s] = v[s];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetEssentialRows - Gets the rows that hold essential values

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameters:
+ rows     - global rows, or `NULL`
. values   - their values, or `NULL`
- values_t - their time derivatives, or `NULL`

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetEssentialRows()`
@*/
PetscErrorCode PlexAssemblyGetEssentialRows(PlexAssembly asm_, IS *rows, Vec *values, Vec *values_t)
{
  PlexEssential e;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  e = asm_->essential;
  if (rows) *rows = e ? e->rows : NULL;
  if (values) *values = e ? e->values[0] : NULL;
  if (values_t) *values_t = e ? e->values[1] : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexEssentialView_Private(PlexAssembly asm_, PetscViewer viewer)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetSize(asm_->essential->rows, &n));
  PetscCall(PetscViewerASCIIPrintf(viewer, "rows of essential values: %" PetscInt_FMT "\n", n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Local dofs of the rows, and their values */

static PetscErrorCode PlexEssentialMark(PlexAssembly asm_)
{
  PlexEssential   e = asm_->essential;
  const PetscInt *rows;
  PetscInt        n, N;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(asm_->dm, &e->marks));
  PetscCall(VecGetSize(e->marks, &N));
  PetscCall(ISGetLocalSize(e->rows, &n));
  PetscCall(ISGetIndices(e->rows, &rows));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCheck(rows[k] >= 0 && rows[k] < N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Essential row %" PetscInt_FMT ": the vectors of the DM have rows 0 to %" PetscInt_FMT, rows[k], N - 1);
    PetscCall(VecSetValue(e->marks, rows[k], 1.0, INSERT_VALUES));
  }
  PetscCall(ISRestoreIndices(e->rows, &rows));
  PetscCall(VecAssemblyBegin(e->marks));
  PetscCall(VecAssemblyEnd(e->marks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local dofs of marked rows */
static PetscErrorCode PlexEssentialGetDofs(PlexAssembly asm_)
{
  PlexEssential          e = asm_->essential;
  Vec                    local;
  ISLocalToGlobalMapping map;
  const PetscScalar     *mark;
  const PetscInt        *global;
  PetscInt               Nl, rstart, rend;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(asm_->dm, &local));
  PetscCall(VecZeroEntries(local)); /* of constrained dofs nothing comes */
  PetscCall(DMGlobalToLocalBegin(asm_->dm, e->marks, INSERT_VALUES, local));
  PetscCall(DMGlobalToLocalEnd(asm_->dm, e->marks, INSERT_VALUES, local));
  PetscCall(DMGetLocalToGlobalMapping(asm_->dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  PetscCall(VecGetOwnershipRange(e->marks, &rstart, &rend));
  PetscCall(VecGetLocalSize(local, &Nl));
  PetscCall(VecGetArrayRead(local, &mark));
  e->n = 0;
  for (PetscInt l = 0; l < Nl; ++l) e->n += mark[l] != 0.0;
  PetscCall(PetscMalloc1(e->n, &e->dofs));
  e->n = 0;
  for (PetscInt l = 0; l < Nl; ++l)
    if (mark[l] != 0.0) e->dofs[e->n++] = (int)(global[l] >= rstart && global[l] < rend ? l : -1 - l);
  PetscCall(VecRestoreArrayRead(local, &mark));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(DMRestoreLocalVector(asm_->dm, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexEssentialSetUp(PlexAssembly asm_)
{
  PlexEssential e = asm_->essential;
  PlexBackend   backend;
  PetscSection  section;
  PetscObjectId id;
  Mat           constraints;
  PetscBool     transform;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(asm_->dm, &section));
  PetscCall(PetscObjectGetId((PetscObject)section, &id));
  if (e->section == id) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetBackend(asm_, &backend));
  PetscCall(PlexEssentialReset(asm_));
  PetscCall(DMHasBasisTransform(asm_->dm, &transform));
  PetscCall(DMGetDefaultConstraints(asm_->dm, NULL, &constraints, NULL));
  PetscCheck(!transform && !constraints, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Essential rows on a DM with %s: constrain these dofs in its section (DMAddBoundary())",
             transform ? "a basis transform" : "hanging nodes");
  PetscCall(PlexEssentialMark(asm_));
  PetscCall(PlexEssentialGetDofs(asm_));
  if (backend->kernels && e->n) {
    PetscCall(PlexBackendMalloc(backend, sizeof(int) * e->n, (void **)&e->dofsDevice));
    PetscCall(PlexBackendCopyIn(backend, e->dofsDevice, e->dofs, sizeof(int) * e->n));
  }
  e->section = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexEssentialGetKernel(PlexAssembly asm_, const char name[], PlexKernel *kernel)
{
  PlexEssential e = asm_->owner->essential;

  PetscFunctionBegin;
  if (!e->module) PetscCall(PlexBackendCompileFile(asm_->backend, "dm/essential.cu", &e->module));
  PetscCall(PlexModuleGetKernel(e->module, name, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexEssentialLaunch(PlexAssembly asm_, const char name[], PetscInt n, void *args[])
{
  PlexKernel kernel;

  PetscFunctionBegin;
  PetscCall(PlexEssentialGetKernel(asm_, name, &kernel));
  PetscCall(PlexKernelLaunch(kernel, (n + PLEX_ESSENTIAL_BLOCK - 1) / PLEX_ESSENTIAL_BLOCK, PLEX_ESSENTIAL_BLOCK, 0,
                             args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings the values to this process, if they are others than before */
static PetscErrorCode PlexEssentialGetValues(PlexAssembly asm_, PetscInt s)
{
  PlexEssential e = asm_->essential;
  PetscInt      n, m;
  PetscBool     same = PETSC_FALSE;

  PetscFunctionBegin;
  if (!e->values[s]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSeenIsSame(e->values[s], e->seen[s], &same));
  if (e->local[s] && same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(e->values[s], &n));
  PetscCall(VecGetLocalSize(e->marks, &m));
  PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The vector of essential values has %" PetscInt_FMT " entries here and the DM's global vectors have "
             "%" PetscInt_FMT,
             n, m);
  if (!e->local[s]) {
    PetscCall(DMCreateLocalVector(asm_->dm, &e->local[s]));
    PetscCall(VecZeroEntries(e->local[s]));
  }
  PetscCall(DMGlobalToLocalBegin(asm_->dm, e->values[s], INSERT_VALUES, e->local[s]));
  PetscCall(DMGlobalToLocalEnd(asm_->dm, e->values[s], INSERT_VALUES, e->local[s]));
  PetscCall(PlexSeenSet(e->values[s], &e->seen[s]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F NULL: values, zero where they are NULL, go into x. Else F gets x minus the values, or zero where x is NULL */
static PetscErrorCode PlexEssentialApply(PlexAssembly asm_, Vec values, Vec x, Vec F)
{
  PlexEssential e        = asm_->essential;
  PlexBackend   backend  = asm_->backend;
  Vec           vec[3]   = {x, x ? values : NULL, F};
  PlexAccess    access[] = {F ? PLEX_READ : PLEX_CHANGE, PLEX_READ, PLEX_CHANGE};
  PetscScalar  *a[3]     = {NULL, NULL, NULL};
  int           n        = (int)e->n;
  void         *args[]   = {&n, &e->dofsDevice, &a[1], &a[0], &a[2]};

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 3; ++k) {
    if (vec[k]) PetscCall(PlexBackendVecGet(backend, vec[k], access[k], &e->array[k]));
    if (vec[k]) a[k] = e->array[k].array;
  }
  if (backend->kernels)
    PetscCall(PlexEssentialLaunch(asm_, F ? "plex_essential_residual" : "plex_essential_solution", n, args));
  for (PetscInt k = 0; k < n && !backend->kernels; ++k) {
    const int         l     = e->dofs[k] < 0 ? -1 - e->dofs[k] : e->dofs[k];
    const PetscScalar value = a[1] ? a[1][l] : 0.0;

    if (F) a[2][l] = x && e->dofs[k] >= 0 ? a[0][l] - value : 0.0;
    else a[0][l] = value;
  }
  for (PetscInt k = 2; k >= 0; --k)
    if (vec[k]) PetscCall(PlexBackendVecRestore(backend, &e->array[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Around a residual and a Jacobian */

static PetscErrorCode PlexEssentialCopy(PlexAssembly asm_, PetscInt s, Vec *x)
{
  Vec from = *x;

  PetscFunctionBegin;
  if (!from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexEssentialGetValues(asm_, s));
  PetscCall(DMGetLocalVector(asm_->dm, x));
  PetscCall(VecCopy(from, *x));
  PetscCall(PlexEssentialApply(asm_, asm_->essential->local[s], *x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *inner: where the functions are evaluated, x' */
PetscErrorCode PlexEssentialBegin_Private(PlexAssembly asm_, const PlexMoment *at, PlexMoment *inner)
{
  PetscFunctionBegin;
  *inner = *at;
  if (!asm_->essential) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexEssentialSetUp(asm_));
  PetscCall(PlexEssentialCopy(asm_, 0, &inner->locX));
  PetscCall(PlexEssentialCopy(asm_, 1, &inner->locX_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of a residual locF; explicitPart: of a right-hand side; locF NULL: of a Jacobian there is nothing left to do */
PetscErrorCode PlexEssentialEnd_Private(PlexAssembly asm_, const PlexMoment *at, PlexMoment *inner, Vec locF,
                                        PetscBool explicitPart)
{
  PetscFunctionBegin;
  if (!asm_->essential) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexEssentialSetUp(asm_)); /* the assembly may have been reset since */
  PetscCall(PlexEssentialGetValues(asm_, 0));
  if (locF) PetscCall(PlexEssentialApply(asm_, asm_->essential->local[0], explicitPart ? NULL : at->locX, locF));
  if (inner->locX_t) PetscCall(DMRestoreLocalVector(asm_->dm, &inner->locX_t));
  PetscCall(DMRestoreLocalVector(asm_->dm, &inner->locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Around an action of the matrix with zero rows and columns, 1 on their diagonal: before it locV gets zeros there, after
   it (locW) that has what locV had */
PetscErrorCode PlexEssentialAction_Private(PlexAssembly asm_, Vec locV, Vec locW)
{
  PetscFunctionBegin;
  PetscCall(PlexEssentialSetUp(asm_));
  PetscCall(PlexEssentialApply(asm_, NULL, locV, locW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows and columns of a matrix that PETSc has assembled */
PetscErrorCode PlexEssentialMatrix_Private(PlexAssembly asm_, Mat A)
{
  PetscBool shell;

  PetscFunctionBegin;
  if (!asm_->essential || !A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &shell, MATMFFD, MATSHELL, MATPLEXGPU, ""));
  if (!shell) PetscCall(MatZeroRowsColumnsIS(A, asm_->essential->rows, 1.0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Entries of a matrix */

/* Of one block: rows and columns that are marked; `diagonal`: column r is that of row r */
static PetscErrorCode PlexEssentialFind(Mat block, const PetscScalar row[], const PetscScalar column[],
                                        PetscBool diagonal, PetscInt *n, int *at[])
{
  const PetscInt *i, *j;
  PetscInt        m;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)block)->type_name);
  for (PetscInt pass = 0; pass < 2; ++pass) {
    *n = 0;
    for (PetscInt r = 0; r < m; ++r) {
      for (PetscInt s = i[r]; s < i[r + 1]; ++s) {
        if (row[r] == 0.0 && column[j[s]] == 0.0) continue;
        if (pass) (*at)[*n] = (int)(diagonal && j[s] == r ? -1 - s : s);
        ++*n;
      }
    }
    if (!pass) PetscCall(PetscMalloc1(*n, at));
  }
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The marks of the columns of the off-diagonal block */
static PetscErrorCode PlexEssentialGetGhosts(Vec marks, Mat block, const PetscInt garray[], Vec *ghosts)
{
  VecScatter scatter;
  IS         columns;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(block, NULL, &n));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, ghosts));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, garray, PETSC_COPY_VALUES, &columns));
  PetscCall(VecScatterCreate(marks, columns, *ghosts, NULL, &scatter));
  PetscCall(VecScatterBegin(scatter, marks, *ghosts, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, marks, *ghosts, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(ISDestroy(&columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexEssentialEntriesCreate(PlexAssembly first, Mat P)
{
  PlexBackend          backend = first->backend;
  Vec                  marks, ghosts;
  PlexEssentialEntries e;
  Mat                  block[2];
  const PetscInt      *garray;
  const PetscScalar   *own, *ghost;

  PetscFunctionBegin;
  PetscCall(PlexEssentialSetUp(first->owner));
  marks = first->owner->essential->marks;
  PetscCall(PetscNew(&e));
  PetscCall(PlexMatGetBlocks(P, &block[0], &block[1], &garray));
  PetscCall(VecGetArrayRead(marks, &own));
  PetscCall(PlexEssentialFind(block[0], own, own, PETSC_TRUE, &e->n[0], &e->at[0]));
  PetscCall(VecRestoreArrayRead(marks, &own));
  if (block[1]) {
    PetscCall(PlexEssentialGetGhosts(marks, block[1], garray, &ghosts));
    PetscCall(VecGetArrayRead(marks, &own));
    PetscCall(VecGetArrayRead(ghosts, &ghost));
    PetscCall(PlexEssentialFind(block[1], own, ghost, PETSC_FALSE, &e->n[1], &e->at[1]));
    PetscCall(VecRestoreArrayRead(ghosts, &ghost));
    PetscCall(VecRestoreArrayRead(marks, &own));
    PetscCall(VecDestroy(&ghosts));
  }
  for (PetscInt b = 0; b < 2 && backend->kernels; ++b) {
    if (!e->n[b]) continue;
    PetscCall(PlexBackendMalloc(backend, sizeof(int) * e->n[b], (void **)&e->atDevice[b]));
    PetscCall(PlexBackendCopyIn(backend, e->atDevice[b], e->at[b], sizeof(int) * e->n[b]));
  }
  first->entries = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros and ones in the values of P's diagonal and off-diagonal block, which are summed up */
PetscErrorCode PlexEssentialEntries_Private(PlexAssembly first, Mat P, PetscScalar *A, PetscScalar *O)
{
  PetscScalar         *values[2] = {A, O};
  PlexEssentialEntries e;

  PetscFunctionBegin;
  if (!first->owner->essential || first->pattern->subdomain) PetscFunctionReturn(PETSC_SUCCESS);
  if (!first->entries) PetscCall(PlexEssentialEntriesCreate(first, P));
  e = first->entries;
  for (PetscInt b = 0; b < 2; ++b) {
    int   n      = (int)e->n[b];
    void *args[] = {&n, &e->atDevice[b], &values[b]};

    if (!n) continue;
    if (first->backend->kernels) PetscCall(PlexEssentialLaunch(first, "plex_essential_entries", n, args));
    for (PetscInt k = 0; k < n && !first->backend->kernels; ++k)
      values[b][e->at[b][k] < 0 ? -1 - e->at[b][k] : e->at[b][k]] = e->at[b][k] < 0 ? 1.0 : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
