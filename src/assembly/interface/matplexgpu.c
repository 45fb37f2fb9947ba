/*
  MATPLEXGPU: the Jacobian of an assembly at a state, as a matrix without entries. It keeps the state, and its products are
  the actions of action.c.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../impls/stored/plan.h"
#include <petsc/private/dmimpl.h> /* vectype */
#include <petsc/private/matimpl.h>

typedef struct {
  PlexAssembly     asm_;        /* NULL: there is no state yet */
  DM               dm;          /* that of the assembly, which it need not own */
  PlexKept         kept;        /* the state */
  PetscInt64       state;       /* its number */
  PetscScalar     *blocks;      /* inverses of the diagonal's blocks, of */
  PetscObjectState blocksState; /* this state of the matrix */
} Mat_PlexGPU;

/* ---- The state */

static PetscInt64 MatStates_PlexGPU = 0; /* states that matrices were set to, of this process */

static PetscErrorCode MatResetState_PlexGPU(Mat A)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;

  PetscFunctionBegin;
  PetscCall(PlexKeptReset_Private(&a->kept));
  PetscCall(PlexAssemblyDestroy(&a->asm_));
  PetscCall(DMDestroy(&a->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To that of a moment, or that which another matrix keeps */
static PetscErrorCode MatSetState_PlexGPU(Mat A, PlexAssembly asm_, const PlexMoment *at, const PlexKept *kept,
                                          PetscBool single)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;
  PetscSection section;
  PetscInt     n, m;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalSection(asm_->dm, &section));
  PetscCall(PetscSectionGetConstrainedStorageSize(section, &n));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows here and global vectors of the DM have %" PetscInt_FMT
             ": make it with DMCreateMatrix()",
             m, n);
  if (a->asm_ != asm_) {
    PetscCall(MatResetState_PlexGPU(A));
    PetscCall(PetscObjectReference((PetscObject)asm_));
    PetscCall(PetscObjectReference((PetscObject)asm_->dm));
    a->asm_ = asm_;
    a->dm   = asm_->dm;
    PetscCall(MatSetVecType(A, a->dm->vectype));
  }
  if (kept) PetscCall(PlexKeptCopy_Private(kept, &a->kept));
  else PetscCall(PlexKeptSet_Private(asm_, at, &a->kept));
  a->state       = ++MatStates_PlexGPU;
  a->kept.single = single;
  PetscCall(PetscArrayzero(a->kept.fresh, PLEX_ACTIONS));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operation by which an assembly lets the matrix be its Jacobian at a moment; single: and the matrix for the
   preconditioner; preconditioner: that one alone */
static PetscErrorCode MatSetMoment_PlexGPU(Mat A, PlexAssembly asm_, const PlexMoment *outer, PetscBool single,
                                           PetscBool preconditioner)
{
  PlexRequest r = {.asm_ = asm_};
  PlexMoment  at;

  PetscFunctionBegin;
  PetscCall(PlexEssentialBegin_Private(asm_, outer, &at));
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_INTEGRALS));
  PetscCall(PlexAssemblyCheckActions_Private(asm_, preconditioner));
  PetscCall(MatSetState_PlexGPU(A, asm_, &at, NULL, single));
  PetscCall(PlexEssentialEnd_Private(asm_, outer, &at, NULL, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of a matrix, and whose it is; *asm_ is NULL where there is none */
PetscErrorCode MatPlexGPUGetKept_Private(Mat A, PlexAssembly *asm_, const PlexKept **kept)
{
  Mat_PlexGPU *a = NULL;
  PetscBool    acts;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATPLEXGPU, &acts));
  if (acts) a = (Mat_PlexGPU *)A->data;
  *asm_ = a ? a->asm_ : NULL;
  *kept = a ? &a->kept : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of an assembled matrix, in a matrix of type plexgpu that goes with it */
PetscErrorCode MatPlexGPUKeepMoment_Private(Mat P, PlexAssembly asm_, const PlexMoment *at)
{
  Mat kept;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)P, PLEX_KEEP_MOMENT, (PetscObject *)&kept));
  if (!kept) {
    PetscCall(MatCreate(PetscObjectComm((PetscObject)P), &kept));
    PetscCall(MatSetSizes(kept, P->rmap->n, P->cmap->n, P->rmap->N, P->cmap->N));
    PetscCall(MatSetType(kept, MATPLEXGPU));
    PetscCall(MatSetUp(kept));
    PetscCall(PetscObjectCompose((PetscObject)P, PLEX_KEEP_MOMENT, (PetscObject)kept));
    PetscCall(PetscObjectDereference((PetscObject)kept));
  }
  PetscCall(MatSetState_PlexGPU(kept, asm_, at, NULL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products */

static PetscErrorCode MatGetState_PlexGPU(Mat A, Mat_PlexGPU **a)
{
  PetscFunctionBegin;
  *a = (Mat_PlexGPU *)A->data;
  PetscCheck((*a)->asm_, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "A matrix of type plexgpu without a state: PlexAssemblyComputeJacobian(), which SNES and TS call with the "
             "DM's Jacobian (PlexAssemblySetSNESLocal()), sets it");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds what the action gives to y, which is zero or not; x NULL: of the diagonal */
static PetscErrorCode MatAct_PlexGPU(Mat A, PlexAction action, PetscInt component, PetscBool zero, Vec x, Vec y)
{
  Mat_PlexGPU *a;
  Vec          own = NULL;

  PetscFunctionBegin;
  PetscCall(MatGetState_PlexGPU(A, &a));
  a->asm_->applied = a->state;
  if (a->kept.scale != (PetscScalar)1.0 && !zero) PetscCall(VecDuplicate(y, &own));
  if (own) PetscCall(VecSet(own, 0.0));
  PetscCall(PlexAssemblyComputeAction_Private(a->asm_, action, &a->kept, component, own ? PETSC_TRUE : zero, x,
                                              own ? own : y));
  if (own) PetscCall(VecAXPY(y, a->kept.scale, own));
  else if (a->kept.scale != (PetscScalar)1.0) PetscCall(VecScale(y, a->kept.scale));
  PetscCall(VecDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_PlexGPU(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecSet(y, 0.0));
  PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_APPLY, -1, PETSC_TRUE, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_PlexGPU(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecSet(y, 0.0));
  PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_TRANSPOSE, -1, PETSC_TRUE, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_PlexGPU(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_APPLY, -1, PETSC_FALSE, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTransposeAdd_PlexGPU(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_TRANSPOSE, -1, PETSC_FALSE, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatScale_PlexGPU(Mat A, PetscScalar by)
{
  Mat_PlexGPU *a;

  PetscFunctionBegin;
  PetscCall(MatGetState_PlexGPU(A, &a));
  a->kept.scale *= by;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The diagonal, and its blocks */

static PetscErrorCode MatGetDiagonal_PlexGPU(Mat A, Vec d)
{
  PetscFunctionBegin;
  PetscCall(VecSet(d, 0.0));
  PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_DIAGONAL, -1, PETSC_TRUE, NULL, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B[n][n] = B^-1, by columns or rows alike: Gauss-Jordan with pivots of columns. *zero: there is none */
static void MatInvertBlock_PlexGPU(PetscInt n, PetscScalar B[], PetscInt order[], PetscBool *zero)
{
  *zero = PETSC_FALSE;
  for (PetscInt k = 0; k < n && !*zero; ++k) {
    PetscInt    pivot = k;
    PetscScalar scale;

    for (PetscInt i = k + 1; i < n; ++i)
      if (PetscAbsScalar(B[i * n + k]) > PetscAbsScalar(B[pivot * n + k])) pivot = i;
    order[k] = pivot;
    *zero    = (PetscBool)(B[pivot * n + k] == (PetscScalar)0.0);
    if (*zero) break;
    for (PetscInt j = 0; j < n; ++j) {
      const PetscScalar own = B[k * n + j];

      B[k * n + j]     = B[pivot * n + j];
      B[pivot * n + j] = own;
    }
    scale        = (PetscScalar)1.0 / B[k * n + k];
    B[k * n + k] = 1.0;
    for (PetscInt j = 0; j < n; ++j) B[k * n + j] *= scale;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscScalar factor = B[i * n + k];

      if (i == k) continue;
      B[i * n + k] = 0.0;
      for (PetscInt j = 0; j < n; ++j) B[i * n + j] -= factor * B[k * n + j];
    }
  }
  for (PetscInt k = n - 1; k >= 0 && !*zero; --k) { /* rows that were exchanged are columns of the inverse */
    for (PetscInt i = 0; i < n && order[k] != k; ++i) {
      const PetscScalar own = B[i * n + k];

      B[i * n + k]        = B[i * n + order[k]];
      B[i * n + order[k]] = own;
    }
  }
}

/* The blocks of the nodes' components: column k of all of them is an action. PETSc has them by columns */
static PetscErrorCode MatGetBlocks_PlexGPU(Mat A, PetscInt bs, PetscInt m)
{
  Mat_PlexGPU       *a = (Mat_PlexGPU *)A->data;
  Vec                column;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &column, NULL));
  for (PetscInt k = 0; k < bs; ++k) {
    PetscCall(VecSet(column, 0.0));
    PetscCall(MatAct_PlexGPU(A, PLEX_ACTION_DIAGONAL, bs > 1 ? k : -1, PETSC_FALSE, NULL, column));
    PetscCall(VecGetArrayRead(column, &values));
    for (PetscInt r = 0; r < m; ++r) a->blocks[(r / bs * bs + k) * bs + r % bs] = values[r];
    PetscCall(VecRestoreArrayRead(column, &values));
  }
  PetscCall(VecDestroy(&column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatInvertBlockDiagonal_PlexGPU(Mat A, const PetscScalar **values)
{
  Mat_PlexGPU     *a;
  PlexElements     el;
  PetscObjectState state;
  PetscInt         bs, m, *order;
  PetscBool        zero;

  PetscFunctionBegin;
  PetscCall(MatGetState_PlexGPU(A, &a));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  *values = a->blocks;
  if (a->blocks && a->blocksState == state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  el = a->asm_->elements;
  PetscCheck(bs == 1 || (el && el->Nf == 1 && !el->vectors && el->Nc[0] == bs && !a->asm_->essential),
             PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "Blocks of %" PetscInt_FMT " of a matrix of type plexgpu: they are there for one field with as many "
             "components, without essential rows. Use MatGetDiagonal() (-pc_type jacobi), or -dm_mat_type aij",
             bs);
  PetscCall(PetscFree(a->blocks));
  PetscCall(PetscMalloc1(m * bs, &a->blocks));
  PetscCall(MatGetBlocks_PlexGPU(A, bs, m));
  PetscCall(PetscMalloc1(bs, &order));
  for (PetscInt k = 0; k < m / bs; ++k) {
    MatInvertBlock_PlexGPU(bs, &a->blocks[k * bs * bs], order, &zero);
    PetscCheck(!zero, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Block %" PetscInt_FMT " of the diagonal, of %" PetscInt_FMT " rows, is singular", k, bs);
  }
  PetscCall(PetscFree(order));
  a->blocksState = state;
  *values        = a->blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Conversion, copies */

/* The assembled Jacobian at the state: beside a matrix for the preconditioner, where this is not one itself */
static PetscErrorCode MatAssemble_PlexGPU(Mat_PlexGPU *a, Mat J)
{
  const PlexMoment *at = &a->kept.at;
  PlexRequest       r  = {.asm_ = a->asm_};
  Mat               P  = J;
  PetscScalar      *others;
  PetscErrorCode    ierr;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
  PetscCall(PlexKeptCheckForm_Private(a->asm_, &a->kept));
  PetscCall(PlexKeptCheckMesh_Private(a->asm_, &a->kept));
  if (!a->kept.single && a->asm_->preconditioner) PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &P));
  PetscCall(PlexKeptConstantsBegin_Private(a->dm, &a->kept, &others));
  ierr = PlexAssemblyComputeJacobian(a->asm_, at->locX, at->locX_t, at->t, at->shift, J, P);
  PetscCall(PlexKeptConstantsEnd_Private(a->dm, &others));
  PetscCall(ierr);
  if (P != J) PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_PlexGPU(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Mat_PlexGPU *a;
  Mat          J;
  PetscBool    half, set, symmetric;
  char        *kept;

  PetscFunctionBegin;
  PetscCall(MatGetState_PlexGPU(A, &a));
  PetscCall(PetscStrendswith(type, MATSBAIJ, &half));
  PetscCall(MatIsSymmetricKnown(A, &set, &symmetric));
  PetscCheck(!half || (set && symmetric) || a->asm_->symmetric == PETSC_BOOL3_TRUE, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_WRONG,
             "A matrix of type plexgpu that is not known to be symmetric, as one of type %s: call "
             "MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE), or convert to " MATAIJ,
             type);
  if (reuse == MAT_REUSE_MATRIX) J = *B;
  else {
    PetscCall(PetscStrallocpy(a->dm->mattype, &kept));
    PetscCall(DMSetMatType(a->dm, type));
    PetscCall(PlexAssemblyCreateMatrix(a->asm_, &J));
    PetscCall(DMSetMatType(a->dm, kept));
    PetscCall(PetscFree(kept));
  }
  PetscCall(MatAssemble_PlexGPU(a, J));
  PetscCall(MatScale(J, a->kept.scale));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &J));
  else *B = J;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own products with parts of vectors. An update there is none that its users would see */
static PetscErrorCode MatCreateSubMatrix_PlexGPU(Mat A, IS rows, IS columns, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatCreateSubMatrixVirtual(A, rows, columns, B));
  else {
    PetscCall(MatSubMatrixVirtualUpdate(*B, A, rows, columns));
    PetscCall(PetscObjectStateIncrease((PetscObject)*B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_PlexGPU(Mat A, MatDuplicateOption op, Mat *B)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, MATPLEXGPU));
  PetscCall(MatSetUp(*B));
  PetscCall(MatGetDM(A, &dm));
  PetscCall(MatSetDM(*B, dm));
  if (A->rmap->mapping) PetscCall(MatSetLocalToGlobalMapping(*B, A->rmap->mapping, A->cmap->mapping));
  if (a->asm_ && op == MAT_COPY_VALUES) PetscCall(MatSetState_PlexGPU(*B, a->asm_, NULL, &a->kept, a->kept.single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What it takes */

/* Bytes on this process: the state, two local vectors that come and go where products need them, the blocks; of these coefficients, which all matrices of an
   assembly have in common */
static PetscErrorCode MatGetBytes_PlexGPU(Mat A, double *bytes, double *stored)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;
  PlexAssembly apply;
  PetscInt     n, m, bs, vectors;

  PetscFunctionBegin;
  *bytes = *stored = 0.0;
  if (!a->asm_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(a->kept.at.locX, &n));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PlexStoredGetBytes_Private(a->asm_, stored));
  apply   = a->asm_->action[PLEX_ACTION_APPLY];
  vectors = (a->kept.at.locX_t ? 2 : 1) + (apply && PlexStoredIsDirect_Private(apply) ? 0 : 2);
  *bytes  = *stored + (double)sizeof(PetscScalar) * ((double)vectors * (double)n + (a->blocks ? (double)m * bs : 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyGetPlanBytes_Private(PlexAssembly asm_, double *bytes)
{
  PetscFunctionBegin;
  *bytes = 0.0;
  for (PetscInt k = 0; k < PLEX_ACTIONS; ++k) {
    for (PlexAssembly term = asm_->action[k]; term; term = term->next) {
      *bytes += term->product[PLEX_RESIDUAL].memory.bytes;
      if (term->xDevice) *bytes += (double)sizeof(PetscReal) * term->elements->Nx * term->elements->dim;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetInfo_PlexGPU(Mat A, MatInfoType which, MatInfo *info)
{
  MPI_Op op = which == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM;
  double bytes, stored;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof(*info)));
  PetscCall(MatGetBytes_PlexGPU(A, &bytes, &stored));
  if (which != MAT_LOCAL)
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, op, PetscObjectComm((PetscObject)A)));
  info->block_size = 1.0;
  info->memory     = bytes;
  info->assemblies = (PetscLogDouble)A->num_ass;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_PlexGPU(Mat A, PetscViewer viewer)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;
  PetscBool    ascii;
  MatInfo      info;
  double       bytes, stored, plans = 0.0;
  PetscInt     N;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCheck(ascii, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of type plexgpu has no entries to show: view what MatConvert() makes of it");
  PetscCall(MatGetInfo_PlexGPU(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetBytes_PlexGPU(A, &bytes, &stored));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &stored, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)A)));
  PetscCall(MatGetSize(A, &N, NULL));
  if (!a->asm_) PetscCall(PetscViewerASCIIPrintf(viewer, "  there is no state yet\n"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "  the Jacobian at a state, without entries: %.0f bytes, %.4g a row\n",
                                     info.memory, info.memory / (double)PetscMax(N, 1)));
  if (stored > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  of these stored coefficients: %.0f bytes\n", stored));
  if (a->asm_) PetscCall(PlexAssemblyGetPlanBytes_Private(a->asm_, &plans));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &plans, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)A)));
  if (plans > 0.0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  plans of the products, which matrices share: %.0f bytes, %.4g a row\n",
                                     plans, plans / (double)PetscMax(N, 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetValues_PlexGPU(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                                           const PetscScalar values[], InsertMode mode)
{
  PetscFunctionBegin;
  (void)m, (void)rows, (void)n, (void)cols, (void)values, (void)mode;
  SETERRQ(
    PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
    "A matrix of type plexgpu has no entries to set: call PlexAssemblySetSNESLocal() before DMCreateMatrix(); with "
    "-dll_append PlexGPU make it after SNESSetFromOptions(); with -pc_type mg, whose interpolation gets this type, "
    "use -pc_type plexpmg or -plex_assembly_apply; or -dm_mat_type aij");
}

/* A matrix that is not square is no Jacobian: DMPLEX makes its interpolations, of coordinates too, of the DM's type. Where
   entries of such a one are announced it becomes an AIJ */
static PetscErrorCode MatBecomeAIJ_PlexGPU(Mat A)
{
  PetscFunctionBegin;
  if (A->rmap->N != A->cmap->N) PetscCall(MatSetType(A, MATAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSeqAIJSetPreallocation_PlexGPU(Mat A, PetscInt nz, const PetscInt nnz[])
{
  PetscFunctionBegin;
  PetscCall(MatBecomeAIJ_PlexGPU(A));
  if (A->ops->mult != MatMult_PlexGPU) PetscCall(MatSeqAIJSetPreallocation(A, nz, nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMPIAIJSetPreallocation_PlexGPU(Mat A, PetscInt nz, const PetscInt nnz[], PetscInt onz,
                                                        const PetscInt onnz[])
{
  PetscFunctionBegin;
  PetscCall(MatBecomeAIJ_PlexGPU(A));
  if (A->ops->mult != MatMult_PlexGPU) PetscCall(MatMPIAIJSetPreallocation(A, nz, nnz, onz, onnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_PlexGPU(Mat A)
{
  Mat_PlexGPU *a = (Mat_PlexGPU *)A->data;

  PetscFunctionBegin;
  PetscCall(MatResetState_PlexGPU(A));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, PLEX_MAT_SET_MOMENT, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C", NULL));
  PetscCall(PetscFree(a->blocks));
  PetscCall(PetscFree(A->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  MATPLEXGPU = "plexgpu" - the Jacobian of a `PlexAssembly` at a state, as a matrix that is applied and never assembled

  Options Database Keys:
+ -dm_mat_type plexgpu              - `DMCreateMatrix()` makes it, of a `DM` with `PlexAssemblySetSNESLocal()` or
                                      `PlexAssemblySetTSLocal()`
- -plex_assembly_apply (true|false|auto|stored|evaluated) - J of a `SNES` is of this type, beside P as `DMCreateMatrix()`
                                      makes it, and what products are made of: `PlexAssemblySetApply()`

  Level: intermediate

  Notes:
  `PlexAssemblyComputeJacobian()`, which `SNES` and `TS` call, copies the state into it: local vectors of the solution
  and its time derivative, the time, the shift and the constants of the `PetscDS`. A product is one sum of integrals, with the functions g0..g3 of the
  Jacobian at that state,

  $(A v)_i = \sum_e \int_e \phi_i (g_0 v + g_1 \cdot \nabla v) + \nabla\phi_i \cdot (g_2 v + g_3 \nabla v)$

  over cells of all regions and facets of boundary conditions, for all that is assembled but hanging nodes and cohesive
  cells. Of cells the linearized form is stored at the points where `PlexAssemblySetApply()` says so, by default where a
  product then moves less; else functions are evaluated again in each product. Both are in the precision of the assembly.
  Values of auxiliary fields are those at the product. Where the pointwise functions, fields or boundary conditions of the
  `DM` have changed since, products and conversions are errors; where the mesh has moved, all but products of which there
  were some before and that no other matrix has had since.

  `MatMult()`, `MatMultAdd()`, their transposes, `MatGetDiagonal()`, `MatInvertBlockDiagonal()` (`PCPBJACOBI`; of one
  field, with its components as block size), `MatConvert()` to a type that is assembled, `MatScale()`, `MatDuplicate()` and
  `MatGetInfo()`, with the bytes of the state in `memory`, are there. There is no diagonal with a basis transform.

  As J beside another matrix P that is assembled, it is the Jacobian proper, and P has the functions of a preconditioner
  if there are some\:
.vb
  DMSetMatType(dm, MATPLEXGPU);
  DMCreateMatrix(dm, &J);
  DMSetMatType(dm, MATAIJ);
  DMCreateMatrix(dm, &P);
  SNESSetJacobian(snes, J, P, NULL, NULL);
.ve
  As J and P it takes preconditioners that need no entries, as `PCJACOBI`, `PCPBJACOBI` and `PCPLEXPMG`.

  Source: Cecka, Lew and Darve (2011), section 5.

.seealso: `PlexAssembly`, `PlexAssemblyComputeJacobian()`, `PlexAssemblySetSNESLocal()`, `DMSetMatType()`, `MATMFFD`,
          `PCPLEXPMG`
M*/
PETSC_INTERN PetscErrorCode MatCreate_PlexGPU(Mat);

PetscErrorCode MatCreate_PlexGPU(Mat A)
{
  Mat_PlexGPU *a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  A->data                     = a;
  A->ops->mult                = MatMult_PlexGPU;
  A->ops->multadd             = MatMultAdd_PlexGPU;
  A->ops->multtranspose       = MatMultTranspose_PlexGPU;
  A->ops->multtransposeadd    = MatMultTransposeAdd_PlexGPU;
  A->ops->scale               = MatScale_PlexGPU;
  A->ops->getdiagonal         = MatGetDiagonal_PlexGPU;
  A->ops->invertblockdiagonal = MatInvertBlockDiagonal_PlexGPU;
  A->ops->convert             = MatConvert_PlexGPU;
  A->ops->duplicate           = MatDuplicate_PlexGPU;
  A->ops->createsubmatrix     = MatCreateSubMatrix_PlexGPU;
  A->ops->getinfo             = MatGetInfo_PlexGPU;
  A->ops->view                = MatView_PlexGPU;
  A->ops->setvalues           = MatSetValues_PlexGPU;
  A->ops->destroy             = MatDestroy_PlexGPU;
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATPLEXGPU));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, PLEX_MAT_SET_MOMENT, MatSetMoment_PlexGPU));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C",
                                       MatSeqAIJSetPreallocation_PlexGPU));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C",
                                       MatMPIAIJSetPreallocation_PlexGPU));
  PetscFunctionReturn(PETSC_SUCCESS);
}
