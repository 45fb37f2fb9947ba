/* Comparison with PETSc's own residual and Jacobian: -plex_assembly_check */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

#define PLEX_CHECK_SHOWN 5 /* differing entries listed in the message */

/* Entries that differ; those beyond PLEX_CHECK_SHOWN are only counted */
typedef struct {
  PetscInt  differ;
  PetscReal largest; /* of the reference's entries */
  char      text[1024];
} PlexDifferences;

static PetscErrorCode PlexValueText(PetscScalar value, char text[], size_t length)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, length, "%.15g", (double)PetscRealPart(value)));
  if (PetscDefined(USE_COMPLEX))
    PetscCall(PetscSNPrintf(text, length, "%.15g%+.15gi", (double)PetscRealPart(value),
                            (double)PetscImaginaryPart(value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDifferencesAdd(PlexDifferences *d, PetscReal tolerance, PetscInt row, PetscInt column,
                                         PetscScalar here, PetscScalar petsc)
{
  size_t length;
  char   text[2][64];

  PetscFunctionBegin;
  if (PetscAbsScalar(here - petsc) <= tolerance * d->largest) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->differ++ < PLEX_CHECK_SHOWN) {
    PetscCall(PetscStrlen(d->text, &length));
    PetscCall(PlexValueText(here, text[0], sizeof(text[0])));
    PetscCall(PlexValueText(petsc, text[1], sizeof(text[1])));
    if (column >= 0)
      PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length,
                              "\n  (%" PetscInt_FMT ", %" PetscInt_FMT "): %s here, %s by PETSc", row, column, text[0],
                              text[1]));
    else
      PetscCall(PetscSNPrintf(d->text + length, sizeof(d->text) - length, "\n  %" PetscInt_FMT ": %s here, %s by PETSc",
                              row, text[0], text[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's residual, and its largest entry */
static PetscErrorCode PlexReferenceFunction(const PlexRequest *r, const PlexMoment *at, Vec reference,
                                            PetscReal *largest)
{
  DM                 dm = r->asm_->dm;
  const PetscScalar *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecSet(reference, 0.0));
  if (r->explicitPart) PetscCall((*PlexPetsc.rhsfunction)(dm, at->t, at->locX, reference, NULL));
  else if (at->locX_t) PetscCall((*PlexPetsc.ifunction)(dm, at->t, at->locX, at->locX_t, reference, NULL));
  else PetscCall(PlexPetscFunction_Private(dm, at->locX, reference));
  PetscCall(VecGetLocalSize(reference, &n));
  PetscCall(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) {
    if (!PetscIsInfOrNanScalar(b[i])) *largest = PetscMax(*largest, PetscAbsScalar(b[i]));
  }
  PetscCall(VecRestoreArrayRead(reference, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a solution the terms of a residual cancel, and only rounding is left. The size of the terms is estimated by the
   residual at a vector that is no solution: locX with its entries multiplied by 1/2, 1 and 3/2 in turn. */
static PetscErrorCode PlexTermsOfFunction(const PlexRequest *r, Vec work, PetscReal *largest)
{
  PlexMoment   other = *r->at;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(r->at->locX, &other.locX));
  PetscCall(VecCopy(r->at->locX, other.locX));
  PetscCall(VecGetLocalSize(other.locX, &n));
  PetscCall(VecGetArray(other.locX, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= 0.5 * (1 + i % 3);
  PetscCall(VecRestoreArray(other.locX, &x));
  PetscCall(PlexReferenceFunction(r, &other, work, largest));
  PetscCall(VecDestroy(&other.locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckFunction(const PlexRequest *r, Vec locF, PlexDifferences *d)
{
  Vec                reference;
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locF, &reference));
  PetscCall(PlexTermsOfFunction(r, reference, &d->largest));
  PetscCall(PlexReferenceFunction(r, r->at, reference, &d->largest));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->largest, 1, MPIU_REAL, MPIU_MAX,
                              PetscObjectComm((PetscObject)r->first)));
  PetscCall(VecGetLocalSize(locF, &n));
  PetscCall(VecGetArrayRead(locF, &a));
  PetscCall(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PlexDifferencesAdd(d, r->asm_->check, i, -1, a[i], b[i]));
  PetscCall(VecRestoreArrayRead(reference, &b));
  PetscCall(VecRestoreArrayRead(locF, &a));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block of the matrix: rows from rstart, columns from cstart or those of garray[] */
static PetscErrorCode PlexAssemblyCheckBlock(PlexAssembly asm_, Mat A, Mat B, PetscInt rstart, const PetscInt garray[],
                                             PlexDifferences *d, PetscBool compare)
{
  const PetscScalar *a, *b;
  const PetscInt    *i, *j;
  PetscInt           m;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(MatSeqAIJGetArrayRead(B, &b));
  for (PetscInt r = 0; r < m; ++r) {
    for (PetscInt k = i[r]; k < i[r + 1]; ++k) {
      if (compare)
        PetscCall(PlexDifferencesAdd(d, asm_->check, rstart + r, garray ? garray[j[k]] : rstart + j[k], a[k], b[k]));
      else d->largest = PetscMax(d->largest, PetscAbsScalar(b[k]));
    }
  }
  PetscCall(MatSeqAIJRestoreArrayRead(B, &b));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCheckJacobian(const PlexRequest *r, PlexDifferences *d)
{
  const PlexMoment *at      = r->at;
  PlexPattern       pattern = r->first->pattern;
  /* other: the Jacobian beside a preconditioner's matrix, or that matrix beside the Jacobian. PETSc adds the terms of
     both on facets where it gets one matrix for two */
  const PetscBool two = (PetscBool)(r->beside || r->first != r->asm_);
  Mat             P = r->P, reference, other, J, pre, blocks[2] = {NULL, NULL};
  const PetscInt *garray = NULL;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(P, MAT_DO_NOT_COPY_VALUES, &reference));
  if (two) PetscCall(MatDuplicate(P, MAT_DO_NOT_COPY_VALUES, &other));
  else {
    other = reference;
    PetscCall(PetscObjectReference((PetscObject)reference));
  }
  J   = r->beside ? reference : other;
  pre = r->beside ? other : reference;
  if (at->locX_t) PetscCall((*PlexPetsc.ijacobian)(r->asm_->dm, at->t, at->locX, at->locX_t, at->shift, J, pre, NULL));
  else PetscCall((*PlexPetsc.jacobian)(r->asm_->dm, at->locX, J, pre, NULL));
  PetscCall(MatDestroy(&other));
  if (!pattern->subdomain) PetscCall(PlexEssentialMatrix_Private(r->asm_, reference));
  PetscCall(PlexMatGetBlocks(reference, &blocks[0], &blocks[1], &garray));
  for (PetscInt compare = 0; compare < 2; ++compare) {
    PetscCall(PlexAssemblyCheckBlock(r->asm_, pattern->diagonal, blocks[0], pattern->rstart, NULL, d,
                                     (PetscBool)compare));
    if (blocks[1])
      PetscCall(PlexAssemblyCheckBlock(r->asm_, pattern->offdiagonal, blocks[1], pattern->rstart, garray, d,
                                       (PetscBool)compare));
    if (!compare)
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)P)));
  }
  PetscCall(MatDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of entries that differ, on all processes, and the text of the first process that has some */
static PetscErrorCode PlexDifferencesReduce(MPI_Comm comm, PlexDifferences *d)
{
  PetscMPIInt rank, first, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  first = d->differ ? rank : size;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d->differ, 1, MPIU_INT, MPI_SUM, comm));
  if (first < size) PetscCallMPI(MPI_Bcast(d->text, sizeof(d->text), MPI_CHAR, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDifferencesSay(const PlexRequest *r, PetscBool residual, PlexDifferences *d)
{
  MPI_Comm     comm  = PetscObjectComm((PetscObject)r->asm_);
  PlexAssembly first = r->first;

  PetscFunctionBegin;
  PetscCall(PlexDifferencesReduce(comm, d));
  PetscCheck(!d->differ, comm, PETSC_ERR_PLIB,
             "-plex_assembly_check: %" PetscInt_FMT " entries of the %s differ from PETSc's by more than %g of the "
             "largest (%g); type %s, backend %s. The first:%s",
             d->differ, residual ? "residual" : "Jacobian", (double)r->asm_->check, (double)d->largest,
             first->strategy[r->kind].type ? first->strategy[r->kind].type : "host",
             ((PetscObject)first->backend)->type_name, d->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_assembly_check: PETSc's own assembly of the same thing, compared entry by entry */
PetscErrorCode PlexAssemblyCheck_Private(const PlexRequest *r, Vec locF)
{
  PlexDifferences d = {.differ = 0, .largest = 0.0, .text = ""};
  DMField         coordinates;

  PetscFunctionBegin;
  /* PETSc's assembly makes it where it is not there, collectively, and a process without cells does not come to it */
  PetscCall(DMGetCoordinateField(r->asm_->dm, &coordinates));
  if (locF) PetscCall(PlexAssemblyCheckFunction(r, locF, &d));
  else PetscCall(PlexAssemblyCheckJacobian(r, &d));
  PetscCall(PlexDifferencesSay(r, (PetscBool)(locF != NULL), &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of two matrices with rows of this process, of one pattern; compare false: the largest one of B */
static PetscErrorCode PlexAssemblyCheckRows(PlexAssembly asm_, Mat A, Mat B, PlexDifferences *d, PetscBool compare)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt r = begin; r < end; ++r) {
    const PetscInt    *columns, *other;
    const PetscScalar *a, *b;
    PetscInt           n, m;

    PetscCall(MatGetRow(A, r, &n, &columns, &a));
    PetscCall(MatGetRow(B, r, &m, &other, &b));
    for (PetscInt k = 0; k < n; ++k)
      if (compare) PetscCall(PlexDifferencesAdd(d, asm_->check, r, columns[k], a[k], b[k]));
      else d->largest = PetscMax(d->largest, PetscAbsScalar(b[k]));
    PetscCall(MatRestoreRow(B, r, &m, &other, &b));
    PetscCall(MatRestoreRow(A, r, &n, &columns, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of hanging nodes: matrices of the program */
PetscErrorCode PlexAssemblyCheckAnchors_Private(const PlexRequest *r, Mat J, Mat P)
{
  const PlexMoment *at = r->at;
  PlexDifferences   d[2];
  Mat               here[2] = {J, P}, petsc[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    d[k] = (PlexDifferences){.differ = 0, .largest = 0.0, .text = ""};
    if (k && J == P) petsc[1] = petsc[0];
    else PetscCall(MatDuplicate(here[k], MAT_DO_NOT_COPY_VALUES, &petsc[k]));
  }
  if (at->locX_t)
    PetscCall((*PlexPetsc.ijacobian)(r->asm_->dm, at->t, at->locX, at->locX_t, at->shift, petsc[0], petsc[1], NULL));
  else PetscCall((*PlexPetsc.jacobian)(r->asm_->dm, at->locX, petsc[0], petsc[1], NULL));
  for (PetscInt k = J == P ? 1 : 0; k < 2; ++k) {
    PetscCall(PlexAssemblyCheckRows(r->asm_, here[k], petsc[k], &d[k], PETSC_FALSE));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d[k].largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)P)));
    PetscCall(PlexAssemblyCheckRows(r->asm_, here[k], petsc[k], &d[k], PETSC_TRUE));
    PetscCall(PlexDifferencesSay(r, PETSC_FALSE, &d[k]));
    PetscCall(MatDestroy(&petsc[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over cohesive cells alone, of which the largest entry is the scale */
PetscErrorCode PlexAssemblyCheckCohesive_Private(const PlexRequest *r, Vec here, Vec petsc, Mat hereA, Mat petscA)
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)r->asm_);
  PlexDifferences    d    = {.differ = 0, .largest = 0.0, .text = ""};
  Mat                A[2], B[2];
  const PetscInt    *garray = NULL;
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBegin;
  if (here) PetscCall(VecNorm(petsc, NORM_INFINITY, &d.largest));
  if (hereA) {
    PetscCall(PlexMatGetBlocks(hereA, &A[0], &A[1], &garray));
    PetscCall(PlexMatGetBlocks(petscA, &B[0], &B[1], NULL));
  }
  for (PetscInt compare = 0; compare < 2; ++compare) {
    for (PetscInt k = 0; k < 2 && hereA; ++k)
      if (A[k])
        PetscCall(PlexAssemblyCheckBlock(r->asm_, A[k], B[k], r->first->pattern->rstart, k ? garray : NULL, &d,
                                         (PetscBool)compare));
    if (!compare) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &d.largest, 1, MPIU_REAL, MPIU_MAX, comm));
  }
  if (here) {
    PetscCall(VecGetLocalSize(here, &n));
    PetscCall(VecGetArrayRead(here, &a));
    PetscCall(VecGetArrayRead(petsc, &b));
    for (PetscInt i = 0; i < n; ++i) PetscCall(PlexDifferencesAdd(&d, r->asm_->check, i, -1, a[i], b[i]));
    PetscCall(VecRestoreArrayRead(petsc, &b));
    PetscCall(VecRestoreArrayRead(here, &a));
  }
  PetscCall(PlexDifferencesSay(r, (PetscBool)(here != NULL), &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
