/* The matrix K of the trace, vectors, and block rows that travel between processes */
#include "elastic.h"
#include "groups.h"
#include "trace.h"

PetscErrorCode PlexHDGGetLengths_Private(PlexHDG hdg, PetscInt n[4])
{
  PetscFunctionBegin;
  n[0] = hdg->groups ? hdg->groups->own : hdg->mesh->nown * PlexHDGBlockSize(hdg);
  n[1] = hdg->groups ? hdg->groups->lengths[0] : hdg->mesh->Ne * PlexHDGSizeU(hdg);
  n[2] = hdg->groups ? hdg->groups->lengths[1] : hdg->mesh->Ne * PlexHDGSizeQ(hdg);
  n[3] = hdg->groups ? hdg->groups->lengths[2] : hdg->mesh->Ne * hdg->reference->Npost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCreateTrace(PlexHDG hdg, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), hdg->mesh->nown * PlexHDGBlockSize(hdg),
                                     v));
  PetscCall(VecSetBlockSize(*v, PlexHDGBlockSize(hdg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSetMotions(PlexHDG hdg)
{
  Vec v;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateTrace(hdg, &v));
  PetscCall(PlexHDGElasticSetNullSpaces_Private(hdg, v));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant trace is a multiple of the faces' first functions, which are all the same constant */
static PetscErrorCode PlexHDGSetNullSpace(PlexHDG hdg)
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);
  Vec            v;
  PetscScalar   *a;
  MatNullSpace   space;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), hdg->mesh->nown * Nf, &v));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt k = 0; k < hdg->mesh->nown * Nf; ++k)
    a[k] = k % Nf ? 0. : 1. / PetscSqrtReal((PetscReal)hdg->mesh->nownGlobal);
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_FALSE, 1, &v, &space));
  PetscCall(PlexHDGSetConstants_Private(hdg->A, &space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Under which a matrix keeps the null space of constants that it has where lambda + shift is zero */
#define PLEX_HDG_CONSTANTS "PlexHDG_constants"

PetscErrorCode PlexHDGSetConstants_Private(Mat A, MatNullSpace *space)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)A, PLEX_HDG_CONSTANTS, (PetscObject)*space));
  PetscCall(MatSetNullSpace(A, *space));
  PetscCall(MatNullSpaceDestroy(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGHoldConstants_Private(PlexHDG hdg, Mat A)
{
  MatNullSpace constants;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, PLEX_HDG_CONSTANTS, (PetscObject *)&constants));
  if (constants) PetscCall(MatSetNullSpace(A, hdg->args.shift == 0. ? constants : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexHDG         hdg;
  const PetscInt *offdiagonal; /* [nown + 1] of off-diagonal blocks in the block rows before a face */
  PetscInt       *length[2];   /* [nown Nf] of rows, in both parts of the matrix */
  PetscInt       *columns;     /* of one part */
  PetscBool       isDiagonal;  /* of the diagonal part */
} PlexHDGPattern;

static void PlexHDGLengthsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPattern *p  = (PlexHDGPattern *)ctx;
  const PetscInt  Nf = PlexHDGBlockSize(p->hdg), *start = p->hdg->blockStart;

  for (PetscInt l = begin; l < end; ++l) {
    const PetscInt noff = p->offdiagonal[l + 1] - p->offdiagonal[l], all = start[l + 1] - start[l];

    for (PetscInt m = 0; m < Nf; ++m) {
      p->length[0][l * Nf + m] = (all - noff) * Nf;
      p->length[1][l * Nf + m] = noff * Nf;
    }
  }
}

/* The Nf rows of a face have the same columns: numbers of this process in the diagonal part, global ones in the
   off-diagonal part */
static void PlexHDGColumnsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPattern *p    = (PlexHDGPattern *)ctx;
  PlexHDGMesh     mesh = p->hdg->mesh;
  const PetscInt  Nf = PlexHDGBlockSize(p->hdg), *start = p->hdg->blockStart, first = p->isDiagonal ? mesh->first : 0;

  for (PetscInt l = begin; l < end; ++l) {
    PetscInt *row  = &p->columns[(p->isDiagonal ? start[l] - p->offdiagonal[l] : p->offdiagonal[l]) * Nf * Nf],
             width = 0;

    for (PetscInt k = start[l]; k < start[l + 1]; ++k) {
      const PetscInt c = p->hdg->blockColumn[k];

      if ((c >= mesh->first && c < mesh->first + mesh->nown) != p->isDiagonal) continue;
      for (PetscInt m = 0; m < Nf; ++m) row[width++] = (c - first) * Nf + m;
    }
    for (PetscInt m = 1; m < Nf; ++m)
      for (PetscInt k = 0; k < width; ++k) row[m * width + k] = row[k];
  }
}

/* Writes the columns of one part of the matrix where the matrix has them. MatSeqAIJSetPreallocationCSR() would search
   for each one */
static PetscErrorCode PlexHDGSetColumns(PlexHDGPattern *p, Mat A, PetscBool isDiagonal)
{
  PlexHDG         hdg  = p->hdg;
  const PetscInt  nown = hdg->mesh->nown;
  const PetscInt *i, *j;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)A)->type_name);
  p->isDiagonal = isDiagonal;
  p->columns    = (PetscInt *)j;
  PetscCall(PlexThreadsRun(nown, PLEX_THREADS_LEAST, PlexHDGColumnsLoop, p));
  if (isDiagonal ? hdg->blockStart[nown] > p->offdiagonal[nown] : p->offdiagonal[nown] > 0)
    PetscCall(MatSeqAIJSetColumnIndices(A, p->columns)); /* says that they are there */
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMatSetRows_Private(Mat A, const PetscInt i[], const PetscInt j[], const PetscScalar values[])
{
  const PetscInt *rows, *columns;
  PetscInt       *length, m, n;
  PetscScalar    *a;
  PetscMPIInt     size;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) {
    PetscCall(MatMPIAIJSetPreallocationCSR(A, i, j, values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(PetscMalloc1(m, &length));
  for (PetscInt r = 0; r < m; ++r) length[r] = i[r + 1] - i[r];
  PetscCall(MatSeqAIJSetPreallocation(A, 0, length));
  PetscCall(PetscFree(length));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows, &columns, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)A)->type_name);
  PetscCall(PetscArraycpy((PetscInt *)columns, j, i[m]));
  if (i[m]) PetscCall(MatSeqAIJSetColumnIndices(A, (PetscInt *)columns)); /* says that they are there */
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows, &columns, &done));
  PetscCall(MatSeqAIJGetArrayWrite(A, &a));
  if (values) PetscCall(PetscArraycpy(a, values, i[m]));
  else PetscCall(PetscArrayzero(a, i[m]));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &a));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of K. It has no values until it is assembled. offdiagonal[nown + 1]: the number of off-diagonal blocks in
   the block rows before a face */
static PetscErrorCode PlexHDGSetPattern(PlexHDG hdg, const PetscInt offdiagonal[])
{
  const PetscInt n = hdg->mesh->nown * PlexHDGBlockSize(hdg);
  PlexHDGPattern p = {.hdg = hdg, .offdiagonal = offdiagonal};
  Mat            diagonal, rest;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &p.length[0], n, &p.length[1]));
  PetscCall(PlexThreadsRun(hdg->mesh->nown, PLEX_THREADS_LEAST, PlexHDGLengthsLoop, &p));
  PetscCall(MatSeqAIJSetPreallocation(hdg->A, 0, p.length[0]));
  PetscCall(MatMPIAIJSetPreallocation(hdg->A, 0, p.length[0], 0, p.length[1]));
  PetscCall(PetscFree2(p.length[0], p.length[1]));
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &rest, NULL));
  PetscCall(PlexHDGSetColumns(&p, diagonal, PETSC_TRUE));
  if (rest) PetscCall(PlexHDGSetColumns(&p, rest, PETSC_FALSE));
  /* only kernels on the host use inodes */
  if (hdg->backend->device) PetscCall(MatSetOption(diagonal, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatSetOption(hdg->A, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(hdg->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(hdg->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its type, and its pattern */
static PetscErrorCode PlexHDGCreateAIJ(PlexHDG hdg, const PetscInt offdiagonal[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg), n = hdg->mesh->nown * Nf;
  Mat            diagonal, rest;

  PetscFunctionBegin;
  PetscCheck((PetscInt64)hdg->mesh->nownGlobal * Nf < PETSC_INT_MAX, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "The trace has %" PetscInt64_FMT " unknowns, more than %" PetscInt_FMT ": use a PETSc with 64-bit indices",
             (PetscInt64)hdg->mesh->nownGlobal * Nf, PETSC_INT_MAX);
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &hdg->A));
  PetscCall(MatSetSizes(hdg->A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(hdg->A, Nf));
  PetscCall(MatSetType(hdg->A, PlexBackendMatType(hdg->backend)));
  PetscCall(PlexHDGSetPattern(hdg, offdiagonal));
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &rest, NULL));
  /* PETSc 3.26 leaves it at 1 for a matrix on a GPU. PCPBJACOBI inverts blocks of that size */
  PetscCall(MatSetBlockSize(diagonal, Nf));
  PetscCall(MatSetOption(hdg->A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* offdiagonal NULL: as what it does */
static PetscErrorCode PlexHDGCreateMatrix(PlexHDG hdg, const PetscInt offdiagonal[])
{
  const PetscBool transported = (PetscBool)(hdg->navier && hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT),
                  unsymmetric = (PetscBool)(PlexHDGIsUnsymmetric(hdg) || transported);

  PetscFunctionBegin;
  if (offdiagonal) PetscCall(PlexHDGCreateAIJ(hdg, offdiagonal));
  else PetscCall(PlexHDGTraceCreate_Private(hdg));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRIC, unsymmetric ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SPD,
                         hdg->singular || PlexHDGIsGeneral(hdg) || transported ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SPD_ETERNAL, PETSC_TRUE)); /* values that come later, too */
  PetscCall(PetscObjectSetName((PetscObject)hdg->A, "K"));
  if (hdg->elastic) PetscCall(PlexHDGSetMotions(hdg));
  else if (hdg->singular) PetscCall(PlexHDGSetNullSpace(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGCreateVecs - Creates vectors of a discretization

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ trace - the unknowns of K, [face][function of the face], without faces of known trace; `NULL`: not wanted, and
          likewise
. u     - [element][function]
. q     - [element][coordinate][function]
- star  - post-processed u, [element][function of degree P + 1]; of elasticity and Stokes's equations `NULL`

  Level: intermediate

  Note:
  Of `PLEX_HDG_ELASTICITY` the trace is [face][component][function of the face], u [element][component][function of
  degree P + 1], and q the stress, [element][component of sigma][function of degree P] (`PlexHDGSetSystem()`). Of
  `PLEX_HDG_STOKES` trace and u are the same, and q is the gradient, [element][i][j][function of degree P] of du_i/dx_j.

  Of elements of several types or degrees (`PlexHDGSetDegrees()`) each face and each element has the functions of its own
  degree. Elements are sorted by type, degree, and the largest degree of their faces; `PlexHDGGetElements()` has the order.

  Functions are orthonormal on the reference cell and its faces: docs/hdg.md. They live where the discretization is
  computed.

.seealso: `PlexHDG`, `PlexHDGRecover()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGCreateVecs(PlexHDG hdg, Vec *trace, Vec *u, Vec *q, Vec *star)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)hdg);
  PetscInt n[4];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGGetLengths_Private(hdg, n));
  if (trace && hdg->groups) PetscCall(PlexHDGCreateVec_Private(hdg, comm, n[0], trace));
  else if (trace) PetscCall(PlexHDGCreateTrace(hdg, trace));
  if (u) PetscCall(PlexHDGCreateVec_Private(hdg, comm, n[1], u));
  if (q) PetscCall(PlexHDGCreateVec_Private(hdg, comm, n[2], q));
  if (star) *star = NULL;
  if (star && !hdg->elastic) PetscCall(PlexHDGCreateVec_Private(hdg, comm, n[3], star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of other processes' faces */
static PetscErrorCode PlexHDGCreateGhosts(PlexHDG hdg)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf   = PlexHDGBlockSize(hdg);
  PetscMPIInt    size;
  IS             is;
  Vec            v;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGCreateVec_Private(hdg, PETSC_COMM_SELF, mesh->nghost * Nf, &hdg->ghosts));
  PetscCall(PlexHDGCreateVec_Private(hdg, PetscObjectComm((PetscObject)hdg), mesh->nown * Nf, &v));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, Nf, mesh->nghost, mesh->faceGlobal + mesh->nown, PETSC_COPY_VALUES, &is));
  PetscCall(VecScatterCreate(v, is, hdg->ghosts, NULL, &hdg->scatter));
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates the MPI datatypes and the pinned buffers of the exchange */
static PetscErrorCode PlexHDGSetUpExchange(PlexHDG hdg)
{
  const PetscInt Nf = PlexHDGBlockSize(hdg), width[2] = {Nf, Nf * PlexHDGTraceSize(hdg)};
  PetscMPIInt    size, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    PetscCall(PetscMPIIntCast(width[k], &count));
    PetscCallMPI(MPI_Type_contiguous(count, MPIU_REAL, &hdg->rows[k]));
    PetscCallMPI(MPI_Type_commit(&hdg->rows[k]));
  }
  for (int k = 0; k < 2; ++k) {
    const size_t n = PetscMax(1, (size_t)(k ? hdg->mesh->nreceived : hdg->mesh->nsent) * width[1]);

    if (hdg->backend->device) PetscCall(PlexBackendStagingMalloc(n, &hdg->staged[k]));
    else PetscCall(PetscMalloc1(n, &hdg->staged[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGResetExchange_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  if (!hdg->staged[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    PetscCallMPI(MPI_Type_free(&hdg->rows[k]));
    if (hdg->backend->device) PetscCall(PlexBackendStagingFree(&hdg->staged[k]));
    else PetscCall(PetscFree(hdg->staged[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpMatrix_Private(PlexHDG hdg)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf = PlexHDGBlockSize(hdg), Nt = PlexHDGTraceSize(hdg);
  PetscInt      *offdiagonal;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Plan, hdg, 0, 0, 0));
  PetscCall(PlexHDGSetUpPlan_Private(hdg, &offdiagonal));
  PetscCall(PlexHDGCreateMatrix(hdg, offdiagonal));
  PetscCall(PetscFree(offdiagonal));
  PetscCall(PlexHDGSetUpExchange(hdg));
  PetscCall(PlexHDGUpload(hdg, mesh->sent, sizeof(int) * mesh->nsent, (const void **)&hdg->sent));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * mesh->nsent * Nf * Nt, (void **)&hdg->packed));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * (mesh->Ne * mesh->faces + mesh->nreceived) * Nf,
                            (void **)&hdg->args.b));
  PetscCall(PlexHDGCreateGhosts(hdg));
  PetscCall(PetscLogEventEnd(PLEX_Plan, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block rows begin .. end of `width` numbers each, in the backend's memory: those of them that are sent are put
   aside */
PetscErrorCode PlexHDGPackRows_Private(PlexHDG hdg, PetscInt width, const double rows[], PetscInt begin, PetscInt end)
{
  PetscFunctionBegin;
  if (hdg->mesh->nsent) PetscUseTypeMethod(hdg, pack, width, rows, begin, end, hdg->packed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends what was put aside */
PetscErrorCode PlexHDGExchangeBegin_Private(PlexHDG hdg, PetscInt width)
{
  PlexHDGMesh mesh = hdg->mesh;

  PetscFunctionBegin;
  if (!hdg->staged[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_Exchange, hdg, 0, 0, 0));
  if (mesh->nsent)
    PetscCall(PlexBackendCopyOut(hdg->backend, hdg->staged[0], hdg->packed, sizeof(double) * mesh->nsent * width));
  PetscCall(PetscSFBcastBegin(mesh->sf, hdg->rows[width != PlexHDGBlockSize(hdg)], hdg->staged[0], hdg->staged[1],
                              MPI_REPLACE));
  PetscCall(PetscLogEventEnd(PLEX_Exchange, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Receives[nreceived][width], in the backend's memory */
PetscErrorCode PlexHDGExchangeEnd_Private(PlexHDG hdg, PetscInt width, double received[])
{
  PlexHDGMesh mesh = hdg->mesh;

  PetscFunctionBegin;
  if (!hdg->staged[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_Exchange, hdg, 0, 0, 0));
  PetscCall(PetscSFBcastEnd(mesh->sf, hdg->rows[width != PlexHDGBlockSize(hdg)], hdg->staged[0], hdg->staged[1],
                            MPI_REPLACE));
  if (mesh->nreceived)
    PetscCall(PlexBackendCopyIn(hdg->backend, received, hdg->staged[1], sizeof(double) * mesh->nreceived * width));
  PetscCall(PetscLogEventEnd(PLEX_Exchange, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fluxes args.b[Ne][faces][Nf] of own elements go to the processes that have unknowns of their faces, and those of others come
   behind them */
PetscErrorCode PlexHDGExchangeFluxes_Private(PlexHDG hdg)
{
  const PetscInt Nf = PlexHDGBlockSize(hdg), rows = hdg->mesh->Ne * hdg->mesh->faces;

  PetscFunctionBegin;
  PetscCall(PlexHDGPackRows_Private(hdg, Nf, hdg->args.b, 0, rows));
  PetscCall(PlexHDGExchangeBegin_Private(hdg, Nf));
  PetscCall(PlexHDGExchangeEnd_Private(hdg, Nf, hdg->args.b + (size_t)rows * Nf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
