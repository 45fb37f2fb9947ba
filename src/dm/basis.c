/*
  Basis transforms: DMPlexCreateBasisRotation(). Global vectors and matrices are in a basis that is rotated against that
  in which cells are integrated. With T of one block R, [d][d], for the node of each field with d components at each point of
  the mesh, and 1 elsewhere, PETSc computes

    locX = T^T X         in DMGlobalToLocal()
    F    = T locF        in DMLocalToGlobal()
    A    = sum of T_e A_e T_e^T over the elements, which is T (sum of A_e) T^T

  So residuals are the same as without T, and a Jacobian is transformed when it is there: block by block, which needs
  all rows and columns of a block to be in the matrix.
*/
#include "basisimpl.h"
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h> /* transform */

static PetscErrorCode PlexBasisSay(char **reason, const char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of T, and the first of the dofs of each: [n] */
typedef struct {
  PetscInt     n;
  int         *first;
  PetscScalar *R;       /* [n][d * d] */
  PetscBool    several; /* a point has several nodes of a field */
} PlexBasisDofs;

static PetscErrorCode PlexBasisGetDofs(DM dm, PetscInt d, PlexBasisDofs *dofs)
{
  PetscSection       section, blocks;
  const PetscScalar *R;
  PetscInt           Nf, pStart, pEnd, size, n, all;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(DMGetLocalSection(dm->transformDM, &blocks));
  PetscCall(PetscSectionGetNumFields(section, &Nf));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PlexSectionGetSize(blocks, &size));
  dofs->n       = 0;
  dofs->several = PETSC_FALSE;
  PetscCall(PetscMalloc2(size / (d * d), &dofs->first, size, &dofs->R));
  PetscCall(VecGetArrayRead(dm->transform, &R));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    for (PetscInt f = 0; f < Nf; ++f) {
      PetscInt first, at;

      PetscCall(PetscSectionGetFieldDof(blocks, p, f, &n));
      if (n != d * d) continue;
      PetscCall(PetscSectionGetFieldDof(section, p, f, &all));
      if (all != d) dofs->several = PETSC_TRUE;
      PetscCall(PetscSectionGetFieldOffset(section, p, f, &first));
      PetscCall(PetscSectionGetFieldOffset(blocks, p, f, &at));
      PetscCall(PetscArraycpy(&dofs->R[dofs->n * d * d], &R[at], d * d));
      dofs->first[dofs->n++] = (int)first;
    }
  }
  PetscCall(VecRestoreArrayRead(dm->transform, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all blocks are the same, on all processes, and each is held as a whole or not at all. Of several nodes at a
   point PETSc transforms the first one that it meets, in a Jacobian that of each element */
static PetscErrorCode PlexBasisCheck(DM dm, PetscInt d, const PlexBasisDofs *dofs, PetscScalar R[], char **reason)
{
  MPI_Comm               comm = PetscObjectComm((PetscObject)dm);
  ISLocalToGlobalMapping map;
  const PetscInt        *global;
  PetscReal              most[18];
  PetscBool              is[4] = {PETSC_TRUE, PETSC_TRUE, (PetscBool)!dofs->several, PETSC_TRUE};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 18; ++k) most[k] = -PETSC_MAX_REAL;
  for (PetscInt k = 0; k < dofs->n * d * d; ++k) {
    const PetscReal r = PetscRealPart(dofs->R[k]);

    if (PetscImaginaryPart(dofs->R[k]) != 0.) is[3] = PETSC_FALSE;
    most[k % (d * d)]     = PetscMax(most[k % (d * d)], r);
    most[9 + k % (d * d)] = PetscMax(most[9 + k % (d * d)], -r);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 18, MPIU_REAL, MPIU_MAX, comm));
  for (PetscInt k = 0; k < d * d; ++k) {
    R[k] = most[k];
    if (most[k] != -most[9 + k] && most[k] != -PETSC_MAX_REAL) is[0] = PETSC_FALSE;
  }
  PetscCall(PlexGetLocalToGlobalMapping(dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  for (PetscInt k = 0; k < dofs->n && is[1]; ++k) {
    for (PetscInt a = 1; a < d; ++a)
      if ((global[dofs->first[k]] < 0) != (global[dofs->first[k] + a] < 0)) is[1] = PETSC_FALSE;
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, is, 4, MPI_C_BOOL, MPI_LAND, comm));
  if (!is[2]) PetscCall(PlexBasisSay(reason, "a basis transform of fields with several nodes at a mesh point"));
  else if (!is[3]) PetscCall(PlexBasisSay(reason, "a basis transform with complex entries"));
  else if (!is[0]) PetscCall(PlexBasisSay(reason, "a basis transform that differs from place to place"));
  else if (!is[1])
    PetscCall(PlexBasisSay(reason, "a basis transform where some components of a vector are held and others are free"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisCreate(DM dm, PlexBackend backend, PlexBasis *basis, char **reason)
{
  PlexBasisDofs dofs;
  PetscBool     has;
  PetscScalar   R[9];
  PetscInt      cdim;

  PetscFunctionBegin;
  if (basis) *basis = NULL;
  PetscCall(DMHasBasisTransform(dm, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  if (cdim != 2 && cdim != 3) {
    PetscCall(PlexBasisSay(reason, "a basis transform in one dimension"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBasisGetDofs(dm, cdim, &dofs));
  PetscCall(PlexBasisCheck(dm, cdim, &dofs, R, reason));
  if (basis && !*reason) {
    PlexBasis b;

    PetscCall(PetscNew(basis));
    b          = *basis;
    b->backend = backend;
    PetscCall(PetscObjectReference((PetscObject)backend));
    b->d = cdim;
    b->n = dofs.n;
    PetscCall(PetscArraycpy(b->R, R, cdim * cdim));
    PetscCall(PetscMalloc1(b->n, &b->first));
    PetscCall(PetscArraycpy(b->first, dofs.first, b->n));
    PetscCall(PlexBackendUpload(backend, b->first, sizeof(int) * b->n, (void **)&b->firstDevice));
    PetscCall(PlexStepsCreate(backend, "dm/basis.h", &b->steps));
    PetscCall(PetscObjectGetId((PetscObject)dm->transform, &b->id));
  }
  PetscCall(PetscFree2(dofs.first, dofs.R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisDestroy(PlexBasis *basis)
{
  PlexBasis b = *basis;

  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(b->backend, (void **)&b->firstDevice));
  PetscCall(PlexStepsDestroy(&b->steps));
  PetscCall(PlexBackendDestroy(&b->backend));
  PetscCall(PetscFree(b->first));
  PetscCall(PetscFree(*basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisIsOf(PlexBasis b, Vec transform, PetscBool *is)
{
  PetscObjectId id = 0;

  PetscFunctionBegin;
  if (transform) PetscCall(PetscObjectGetId((PetscObject)transform, &id));
  *is = (PetscBool)(id && id == b->id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexBasisSetArgs(PlexBasis b, PlexBasisArgs *args)
{
  *args = (PlexBasisArgs){.d = (int)b->d};
  for (PetscInt k = 0; k < b->d * b->d; ++k) args->R[k] = b->R[k];
}

/* By a kernel where the vector is in the backend's memory, else by a loop */
PetscErrorCode PlexBasisTransformVec(PlexBasis b, PetscBool global, Vec v)
{
  const PetscBool device  = b->backend->device;
  PetscMemType    memtype = PETSC_MEMTYPE_HOST;
  PlexBasisArgs   args;

  PetscFunctionBegin;
  PlexBasisSetArgs(b, &args);
  args.global = global;
  if (device) PetscCall(VecGetArrayAndMemType(v, &args.x, &memtype));
  else PetscCall(VecGetArray(v, &args.x));
  if (!device || PetscMemTypeDevice(memtype)) {
    args.first = b->firstDevice;
    PetscCall(PlexStepsRun(b->steps, PLEX_STEP_OF(plex_basis_vector), b->n, &args));
  } else {
    args.first = b->first;
    plex_basis_vector(0, b->n, &args);
  }
  if (device) PetscCall(VecRestoreArrayAndMemType(v, &args.x));
  else PetscCall(VecRestoreArray(v, &args.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a row or a column is: the first dof of a block of T, another one, or none */
enum {
  PLEX_BASIS_NONE,
  PLEX_BASIS_FIRST,
  PLEX_BASIS_OTHER
};

/* place[mA] of the rows that this process has */
static PetscErrorCode PlexBasisGetPlaces(PlexBasis b, PlexPattern pattern, char place[])
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(place, pattern->mA));
  for (PetscInt k = 0; k < b->n; ++k) {
    const PetscInt *column = &pattern->column[b->first[k]], row = column[0] - pattern->rstart;

    if (column[0] < 0 || row < 0 || row >= pattern->mA) continue;
    for (PetscInt a = 0; a < b->d; ++a) {
      PetscCheck(column[a] == column[0] + a, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The components of a vector are not in rows that follow each other");
      place[row + a] = a ? PLEX_BASIS_OTHER : PLEX_BASIS_FIRST;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* place[n] of the columns of the off-diagonal block: what the owners' rows are */
static PetscErrorCode PlexBasisGetPlacesOf(PlexPattern pattern, const char own[], PetscInt n, const PetscInt columns[],
                                           char place[])
{
  Vec                global, local;
  IS                 from;
  VecScatter         scatter;
  PetscScalar       *x;
  const PetscScalar *y;

  PetscFunctionBegin;
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)pattern->mat), pattern->mA, PETSC_DETERMINE, &global));
  PetscCall(VecGetArrayWrite(global, &x));
  for (PetscInt r = 0; r < pattern->mA; ++r) x[r] = own[r];
  PetscCall(VecRestoreArrayWrite(global, &x));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &local));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, columns, PETSC_USE_POINTER, &from));
  PetscCall(VecScatterCreate(global, from, local, NULL, &scatter));
  PetscCall(VecScatterBegin(scatter, global, local, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, global, local, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(local, &y));
  for (PetscInt c = 0; c < n; ++c) place[c] = (char)PetscRealPart(y[c]);
  PetscCall(VecRestoreArrayRead(local, &y));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&local));
  PetscCall(VecDestroy(&global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A CSR matrix and the places of its rows and columns */
typedef struct {
  PetscInt        d, m;
  const PetscInt *i, *j;
  const char     *row, *column;
} PlexBasisCSR;

/* The block that begins with value s of row r: item[4], or false where there is none. Entries that are not in all rows
   and columns of a block are of no element, and zero */
static PetscBool PlexBasisGetBlock(const PlexBasisCSR *csr, PetscInt r, PetscInt s, int item[4])
{
  const PetscInt j = csr->j[s], rows = csr->row[r] == PLEX_BASIS_FIRST ? csr->d : 1,
                 columns = csr->column[j] == PLEX_BASIS_FIRST ? csr->d : 1;

  if (csr->row[r] == PLEX_BASIS_OTHER || csr->column[j] == PLEX_BASIS_OTHER || rows * columns == 1) return PETSC_FALSE;
  item[0] = item[1] = item[2] = (int)s;
  item[3]                     = (rows > 1 ? PLEX_BASIS_ROWS : 0) | (columns > 1 ? PLEX_BASIS_COLUMNS : 0);
  for (PetscInt a = 0; a < rows; ++a) {
    const PetscInt start = csr->i[r + a], n = csr->i[r + a + 1] - start, at = PlexFindColumn(n, &csr->j[start], j);

    if (at < 0 || at + columns > n) return PETSC_FALSE;
    for (PetscInt c = 1; c < columns; ++c)
      if (csr->j[start + at + c] != j + c || csr->column[j + c] != PLEX_BASIS_OTHER) return PETSC_FALSE;
    item[a] = (int)(start + at);
  }
  return PETSC_TRUE;
}

static PetscErrorCode PlexBasisListBlocks(const PlexBasisCSR *csr, PetscInt *n, int **items)
{
  PetscInt all = 0;
  int      item[4];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < csr->m; ++r)
    for (PetscInt s = csr->i[r]; s < csr->i[r + 1]; ++s) all += PlexBasisGetBlock(csr, r, s, item);
  PetscCall(PetscMalloc1(4 * all, items));
  *n = 0;
  for (PetscInt r = 0; r < csr->m; ++r) {
    for (PetscInt s = csr->i[r]; s < csr->i[r + 1]; ++s)
      if (PlexBasisGetBlock(csr, r, s, &(*items)[4 * *n])) ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks of one of the matrix's blocks, in the backend's memory */
static PetscErrorCode PlexBasisSetUpBlocks(PlexBasis b, Mat A, const char row[], const char column[], PetscInt *n,
                                           int **device)
{
  PlexBasisCSR csr = {.d = b->d, .row = row, .column = column};
  PetscBool    done;
  int         *items;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &csr.m, &csr.i, &csr.j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not give out its rows",
             ((PetscObject)A)->type_name);
  PetscCall(PlexBasisListBlocks(&csr, n, &items));
  PetscCall(PlexBackendUpload(b->backend, items, sizeof(int) * 4 * *n, (void **)device));
  PetscCall(PetscFree(items));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &csr.m, &csr.i, &csr.j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisBlocksCreate(PlexBasis b, PlexPattern pattern, PlexBasisBlocks *blocks)
{
  Mat             diagonal, offdiagonal;
  const PetscInt *garray;
  char           *row, *column;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(PetscNew(blocks));
  (*blocks)->backend = b->backend;
  PetscCall(PetscObjectReference((PetscObject)b->backend));
  PetscCall(PlexMatGetBlocks(pattern->mat, &diagonal, &offdiagonal, &garray));
  PetscCall(PetscMalloc1(pattern->mA, &row));
  PetscCall(PlexBasisGetPlaces(b, pattern, row));
  PetscCall(PlexBasisSetUpBlocks(b, diagonal, row, row, &(*blocks)->n[0], &(*blocks)->items[0]));
  if (offdiagonal) {
    PetscCall(MatGetLocalSize(offdiagonal, NULL, &n));
    PetscCall(PetscMalloc1(n, &column));
    PetscCall(PlexBasisGetPlacesOf(pattern, row, n, garray, column));
    PetscCall(PlexBasisSetUpBlocks(b, offdiagonal, row, column, &(*blocks)->n[1], &(*blocks)->items[1]));
    PetscCall(PetscFree(column));
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisBlocksDestroy(PlexBasisBlocks *blocks)
{
  PetscFunctionBegin;
  if (!*blocks) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexBackendFree((*blocks)->backend, (void **)&(*blocks)->items[k]));
  PetscCall(PlexBackendDestroy(&(*blocks)->backend));
  PetscCall(PetscFree(*blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBasisTransformMat(PlexBasis b, PlexBasisBlocks blocks, PetscScalar A[], PetscScalar O[])
{
  PlexBasisArgs args;

  PetscFunctionBegin;
  PlexBasisSetArgs(b, &args);
  for (PetscInt k = 0; k < 2; ++k) {
    args.items = blocks->items[k];
    args.A     = k ? O : A;
    PetscCall(PlexStepsRun(b->steps, PLEX_STEP_OF(plex_basis_blocks), blocks->n[k], &args));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
