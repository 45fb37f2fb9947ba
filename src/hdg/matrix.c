/*
  The matrix K of the trace, and what each of its blocks sums: Algorithms 1 and 2 of King and others (2014), by faces.

  A row of blocks belongs to a face. Its elements, at most two, are found by sorting the block rows of all elements by
  face: counting, a prefix sum, and placing them. Each block of K is then the sum of blocks of at most two elements'
  matrices, in an order that is always the same: nobody waits for anybody, and the bits are the same in every run. An
  element of another process sends its block row, which lies behind those of this process's elements.
*/
#include "hdgimpl.h"

/* Block rows of each own face: start[nown + 1], rows[] */
static PetscErrorCode PlexHDGSortRows(PlexHDGMesh mesh, PetscInt **start, PetscInt **rows)
{
  const PetscInt n = mesh->Ne * mesh->faces;
  PetscInt      *at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->nown + 2, start));
  PetscCall(PetscMalloc1(n + mesh->nreceived, rows));
  at = *start + 1; /* at[l] becomes the end of l while rows are placed */
  for (PetscInt r = 0; r < n + mesh->nreceived; ++r) {
    const PetscInt l = r < n ? mesh->face[r] : mesh->receivedFace[r - n];

    if (l < mesh->nown) ++at[l + 1];
  }
  for (PetscInt l = 0; l < mesh->nown; ++l) at[l + 1] += at[l];
  for (PetscInt r = 0; r < n + mesh->nreceived; ++r) {
    const PetscInt l = r < n ? mesh->face[r] : mesh->receivedFace[r - n];

    if (l < mesh->nown) (*rows)[at[l]++] = r;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks that own face l sums, columns ascending: column[k], source[k] of n, where columns repeat. At most two
   elements' faces */
static PetscInt PlexHDGGetColumns(PlexHDG hdg, PetscInt begin, PetscInt end, const PetscInt rows[], PetscInt column[],
                                  PetscInt64 source[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  PetscInt         n    = 0;

  for (PetscInt k = begin; k < end; ++k) {
    const PetscInt own = mesh->Ne * mesh->faces, r = rows[k];

    for (PetscInt g = 0; g < mesh->faces; ++g) {
      PetscInt c, at;

      if (r >= own) c = mesh->receivedFaces[(r - own) * mesh->faces + g];
      else {
        const PetscInt l = mesh->face[r / mesh->faces * mesh->faces + g];

        c = l < mesh->nown + mesh->nghost ? mesh->faceGlobal[l] : -1;
      }
      if (c < 0) continue;
      for (at = n++; at > 0 && column[at - 1] > c; --at) {
        column[at] = column[at - 1];
        source[at] = source[at - 1];
      }
      column[at] = c;
      source[at] = (PetscInt64)r * R->Nf * R->Nt + g * R->Nf;
    }
  }
  return n;
}

/* Columns of all rows of K, i[] and j[], and the blocks */
static PetscErrorCode PlexHDGPlan(PlexHDG hdg, const PetscInt start[], const PetscInt rows[], PetscInt *i, PetscInt *j,
                                  PlexHDGBlock *blocks)
{
  PlexHDGMesh      mesh    = hdg->mesh;
  PlexHDGReference R       = hdg->reference;
  const PetscInt   Nf      = R->Nf;
  PetscInt64       done[2] = {0, 0}; /* values of both parts */

  PetscFunctionBegin;
  PetscCheck((PetscInt64)mesh->nownGlobal * Nf < PETSC_INT_MAX, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "The trace has %" PetscInt64_FMT " unknowns, more than %" PetscInt_FMT ": use a PETSc with 64-bit indices",
             (PetscInt64)mesh->nownGlobal * Nf, PETSC_INT_MAX);
  hdg->nblocks = 0;
  i[0]         = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    PetscInt   column[2 * PLEX_HDG_MAX_FACES], n, width[2] = {0, 0}, place[2] = {0, 0};
    PetscInt64 source[2 * PLEX_HDG_MAX_FACES];

    PetscCheck(start[l + 1] - start[l] <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Face %" PetscInt_FMT " has %" PetscInt_FMT " sides", mesh->facePoint[l], start[l + 1] - start[l]);
    n = PlexHDGGetColumns(hdg, start[l], start[l + 1], rows, column, source);
    for (PetscInt k = 0; k < n; ++k)
      if (!k || column[k] != column[k - 1]) ++width[column[k] < mesh->first || column[k] >= mesh->first + mesh->nown];
    for (PetscInt k = 0; k < n;) {
      const PetscInt part = column[k] < mesh->first || column[k] >= mesh->first + mesh->nown;
      PlexHDGBlock   b    = {
        (int)part, -1, done[part] + place[part]++ * Nf, width[part] * Nf, {-1, -1}
      };
      const PetscInt c = column[k];

      for (PetscInt s = 0; k < n && column[k] == c; ++k, ++s) {
        PetscCheck(s < 2, PETSC_COMM_SELF, PETSC_ERR_SUP,
                   "Cells around face %" PetscInt_FMT
                   " are neighbours in too many ways: a periodic mesh needs at least 3 cells in each direction",
                   mesh->facePoint[l]);
        b.source[s] = source[k];
      }
      if (c == mesh->first + l && hdg->robinOf[l] >= 0) b.robin = hdg->robinOf[l] * (int)(Nf * Nf);
      if (blocks) blocks[hdg->nblocks] = b;
      ++hdg->nblocks;
      for (PetscInt m = 0; j && m < Nf; ++m) {
        const PetscInt at = i[l * Nf + m] + (place[0] + place[1] - 1) * Nf; /* of all columns, which ascend */

        for (PetscInt m2 = 0; m2 < Nf; ++m2) j[at + m2] = c * Nf + m2;
      }
    }
    for (PetscInt m = 0; m < Nf; ++m) i[l * Nf + m + 1] = i[l * Nf + m] + (width[0] + width[1]) * Nf;
    for (int part = 0; part < 2; ++part) done[part] += (PetscInt64)Nf * Nf * width[part];
    PetscCheck(done[0] + done[1] < PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "K has more than %" PetscInt_FMT " values on one process: use more of them", PETSC_INT_MAX);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCreateVec_Private(PlexHDG hdg, MPI_Comm comm, PetscInt n, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetSizes(*v, n, PETSC_DETERMINE));
  PetscCall(VecSetType(*v, hdg->backend->device ? VECCUDA : VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant trace is a multiple of the faces' first functions, which are all the same constant */
static PetscErrorCode PlexHDGSetNullSpace(PlexHDG hdg)
{
  const PetscInt Nf = hdg->reference->Nf;
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
  PetscCall(MatSetNullSpace(hdg->A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCreateMatrix(PlexHDG hdg, const PetscInt i[], const PetscInt j[])
{
  const PetscInt n = hdg->mesh->nown * hdg->reference->Nf;
  Mat            diagonal, other;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &hdg->A));
  PetscCall(MatSetSizes(hdg->A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(hdg->A, hdg->reference->Nf));
  PetscCall(MatSetType(hdg->A, hdg->backend->device ? MATAIJCUSPARSE : MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(hdg->A, i, j, NULL));
  PetscCall(MatMPIAIJSetPreallocationCSR(hdg->A, i, j, NULL));
  PetscCall(PlexMatGetBlocks(hdg->A, &diagonal, &other, NULL));
  /* which PETSc 3.26 leaves at 1 where the matrix is on a GPU, and PCPBJACOBI inverts blocks of that size */
  PetscCall(MatSetBlockSize(diagonal, hdg->reference->Nf));
  PetscCall(MatSetOption(hdg->A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRIC, hdg->nonlinear ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(hdg->A, MAT_SPD, hdg->singular || hdg->nonlinear ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(PetscObjectSetName((PetscObject)hdg->A, "K"));
  if (hdg->singular) PetscCall(PlexHDGSetNullSpace(hdg));
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
- star  - post-processed u, [element][function of degree P + 1]

  Level: intermediate

  Note:
  Functions are orthonormal on the reference cell and its faces: docs/hdg.md. They live where the discretization is
  computed.

.seealso: `PlexHDG`, `PlexHDGRecover()`, `PlexHDGPostprocess()`
@*/
PetscErrorCode PlexHDGCreateVecs(PlexHDG hdg, Vec *trace, Vec *u, Vec *q, Vec *star)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)hdg);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetUp(hdg));
  if (trace) {
    PetscCall(PlexHDGCreateVec_Private(hdg, comm, hdg->mesh->nown * hdg->reference->Nf, trace));
    PetscCall(VecSetBlockSize(*trace, hdg->reference->Nf));
  }
  if (u) PetscCall(PlexHDGCreateVec_Private(hdg, comm, hdg->mesh->Ne * hdg->reference->Np, u));
  if (q) PetscCall(PlexHDGCreateVec_Private(hdg, comm, hdg->mesh->Ne * hdg->reference->dim * hdg->reference->Np, q));
  if (star) PetscCall(PlexHDGCreateVec_Private(hdg, comm, hdg->mesh->Ne * hdg->reference->Npost, star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of other processes' faces */
static PetscErrorCode PlexHDGCreateGhosts(PlexHDG hdg)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf   = hdg->reference->Nf;
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

/* What messages need, made once: their types, and memory that a device copies to without a detour */
static PetscErrorCode PlexHDGSetUpExchange(PlexHDG hdg, const PlexHDGBlock blocks[])
{
  const PetscInt   Nf = hdg->reference->Nf, width[2] = {Nf, Nf * hdg->reference->Nt};
  const PetscInt64 own = (PetscInt64)hdg->mesh->Ne * hdg->mesh->faces * width[1];
  PlexHDGBlock    *late;
  PetscMPIInt      size, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  hdg->nlate = 0;
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
  PetscCall(PetscMalloc1(hdg->nblocks, &late));
  for (PetscInt k = 0; k < hdg->nblocks; ++k)
    if (blocks[k].source[0] >= own || blocks[k].source[1] >= own) late[hdg->nlate++] = blocks[k];
  PetscCall(PlexHDGUpload(hdg, late, sizeof(*late) * hdg->nlate, (const void **)&hdg->late));
  PetscCall(PetscFree(late));
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

/* sides[nown][2] of the sorted block rows */
static PetscErrorCode PlexHDGUploadSides(PlexHDG hdg, const PetscInt start[], const PetscInt rows[])
{
  int *sides;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * hdg->mesh->nown, &sides));
  for (PetscInt l = 0; l < hdg->mesh->nown; ++l)
    for (PetscInt s = 0; s < 2; ++s) sides[2 * l + s] = start[l] + s < start[l + 1] ? (int)rows[start[l] + s] : -1;
  PetscCall(PlexHDGUpload(hdg, sides, sizeof(int) * 2 * hdg->mesh->nown, (const void **)&hdg->sides));
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpMatrix_Private(PlexHDG hdg)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt Nf = hdg->reference->Nf, Nt = hdg->reference->Nt;
  PetscInt      *start, *rows, *i, *j;
  PlexHDGBlock  *blocks;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Plan, hdg, 0, 0, 0));
  PetscCall(PlexHDGSortRows(mesh, &start, &rows));
  PetscCall(PetscMalloc1(mesh->nown * Nf + 1, &i));
  PetscCall(PlexHDGPlan(hdg, start, rows, i, NULL, NULL));
  PetscCall(PetscMalloc2(hdg->nblocks, &blocks, i[mesh->nown * Nf], &j));
  PetscCall(PlexHDGPlan(hdg, start, rows, i, j, blocks));
  PetscCall(PlexHDGCreateMatrix(hdg, i, j));
  PetscCall(PetscMalloc2(mesh->nown + 1, &hdg->blockStart, hdg->nblocks, &hdg->blockColumn));
  for (PetscInt l = 0; l <= mesh->nown; ++l) hdg->blockStart[l] = i[l * Nf] / (Nf * Nf);
  for (PetscInt l = 0; l < mesh->nown; ++l)
    for (PetscInt k = hdg->blockStart[l]; k < hdg->blockStart[l + 1]; ++k)
      hdg->blockColumn[k] = j[i[l * Nf] + (k - hdg->blockStart[l]) * Nf] / Nf;
  PetscCall(PlexHDGUpload(hdg, blocks, sizeof(*blocks) * hdg->nblocks, (const void **)&hdg->blocks));
  PetscCall(PlexHDGSetUpExchange(hdg, blocks));
  PetscCall(PlexHDGUploadSides(hdg, start, rows));
  PetscCall(PlexHDGUpload(hdg, mesh->sent, sizeof(int) * mesh->nsent, (const void **)&hdg->sent));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * mesh->nsent * Nf * Nt, (void **)&hdg->packed));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * (mesh->Ne * mesh->faces + mesh->nreceived) * Nf,
                            (void **)&hdg->args.b));
  PetscCall(PlexHDGCreateGhosts(hdg));
  PetscCall(PetscFree2(blocks, j));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree(i));
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
  PetscCall(PetscSFBcastBegin(mesh->sf, hdg->rows[width != hdg->reference->Nf], hdg->staged[0], hdg->staged[1],
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
  PetscCall(PetscSFBcastEnd(mesh->sf, hdg->rows[width != hdg->reference->Nf], hdg->staged[0], hdg->staged[1],
                            MPI_REPLACE));
  if (mesh->nreceived)
    PetscCall(PlexBackendCopyIn(hdg->backend, received, hdg->staged[1], sizeof(double) * mesh->nreceived * width));
  PetscCall(PetscLogEventEnd(PLEX_Exchange, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGExchangeRows_Private(PlexHDG hdg, PetscInt width, double received[])
{
  PetscFunctionBegin;
  PetscCall(PlexHDGExchangeBegin_Private(hdg, width));
  PetscCall(PlexHDGExchangeEnd_Private(hdg, width, received));
  PetscFunctionReturn(PETSC_SUCCESS);
}
