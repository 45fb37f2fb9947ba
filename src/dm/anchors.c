/*
  Hanging nodes: points whose dofs are combinations of those of other points, their anchors (DMPlexSetAnchors()). PETSc
  makes local vectors obey them in DMGlobalToLocal() and DMLocalToGlobal(), outside of assembly, and element matrices as
  it adds them to a matrix. With C, which takes the dofs of a cell from those of the mesh that are not anchored,

    sum_e C_e^T A_e C_e = C^T A C   A: the sum of element matrices where all local dofs are free,
                                    row l of C: that of the DM's default constraints where dof l is anchored, else 1 at l

  A is a local matrix, of a matrix of type IS that belongs to the assembly, and the product is added to the matrix
  of the program row by row. Dofs that are held have rows in A, and none in that matrix.
*/
#include "elementsimpl.h"

struct _n_PlexAnchors {
  DM               dm; /* not owned: this belongs to its assembly */
  PetscInt         Nl;
  PetscObjectState state;      /* of the constraints when C was made */
  Mat              C;          /* [Nl][Nl] */
  Mat              Q[2], T[2]; /* IS, whose local matrix is A; C^T A C; NULL before they are needed */
  PetscInt        *global;     /* [Nl] row in the program's matrix, < 0: none */
};

/* Collective: of one process alone the DM may have anchors, while C^T A C and its matrices are of all */
PetscErrorCode PlexAnchorsAre(DM dm, PetscBool *are)
{
  PetscSection anchors;

  PetscFunctionBegin;
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  *are = (PetscBool)(anchors != NULL);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, are, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAnchorsCreate(DM dm, PlexAnchors *anchors)
{
  ISLocalToGlobalMapping map;
  const PetscInt        *global;
  PlexAnchors            a;

  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  a->dm = dm;
  PetscCall(PlexGetLocalToGlobalMapping(dm, &map));
  PetscCall(ISLocalToGlobalMappingGetSize(map, &a->Nl));
  PetscCall(PetscMalloc1(a->Nl, &a->global));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  PetscCall(PetscArraycpy(a->global, global, a->Nl));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  *anchors = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAnchorsDestroy(PlexAnchors *anchors)
{
  PetscFunctionBegin;
  if (!*anchors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&(*anchors)->C));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&(*anchors)->Q[k]));
    PetscCall(MatDestroy(&(*anchors)->T[k]));
  }
  PetscCall(PetscFree((*anchors)->global));
  PetscCall(PetscFree(*anchors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of number k that is computed. It has a row for each local dof, whatever the DM's numbering is */
PetscErrorCode PlexAnchorsGetMat(PlexAnchors a, PetscInt k, Mat *computed)
{
  MPI_Comm               comm = PetscObjectComm((PetscObject)a->dm);
  ISLocalToGlobalMapping map;
  IS                     all;
  PetscInt               begin = 0;

  PetscFunctionBegin;
  *computed = a->Q[k];
  if (a->Q[k]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Scan(&a->Nl, &begin, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(ISCreateStride(comm, a->Nl, begin - a->Nl, 1, &all));
  PetscCall(ISLocalToGlobalMappingCreateIS(all, &map));
  PetscCall(ISDestroy(&all));
  PetscCall(MatCreate(comm, &a->Q[k]));
  PetscCall(MatSetSizes(a->Q[k], a->Nl, a->Nl, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(a->Q[k], MATIS));
  PetscCall(MatISSetLocalMatType(a->Q[k], MATSEQAIJ));
  PetscCall(MatSetLocalToGlobalMapping(a->Q[k], map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscCall(PetscObjectContainerCompose((PetscObject)a->Q[k], PLEX_ALL_DOFS, a, NULL));
  *computed = a->Q[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of anchored dofs: place[l] is row place[l] of the DM's constraints, or -1. anchored is NULL where this process
   has none */
static PetscErrorCode PlexAnchorsGetPlaces(PlexAnchors a, PetscSection anchored, PetscInt place[])
{
  PetscSection section;
  PetscInt     pStart, pEnd, n, from, to;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < a->Nl; ++l) place[l] = -1;
  if (!anchored) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLocalSection(a->dm, &section));
  PetscCall(PetscSectionGetChart(anchored, &pStart, &pEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscCall(PetscSectionGetDof(anchored, p, &n));
    if (n <= 0) continue;
    PetscCall(PetscSectionGetOffset(anchored, p, &from));
    PetscCall(PetscSectionGetOffset(section, p, &to));
    for (PetscInt k = 0; k < n; ++k) place[to + k] = from + k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C, again where the constraints have other values */
static PetscErrorCode PlexAnchorsUpdate(PlexAnchors a)
{
  const PetscScalar one = 1.0;
  PetscSection      anchored;
  Mat               constraints;
  PetscInt         *place, *n;
  PetscObjectState  state = 0;

  PetscFunctionBegin;
  PetscCall(DMGetDefaultConstraints(a->dm, &anchored, &constraints, NULL));
  if (constraints) PetscCall(PetscObjectStateGet((PetscObject)constraints, &state));
  if (a->C && a->state == state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&a->C));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatDestroy(&a->T[k]));
  PetscCall(PetscMalloc2(a->Nl, &place, a->Nl, &n));
  PetscCall(PlexAnchorsGetPlaces(a, anchored, place));
  for (PetscInt l = 0; l < a->Nl; ++l) {
    n[l] = 1;
    if (place[l] < 0) continue;
    PetscCall(MatGetRow(constraints, place[l], &n[l], NULL, NULL));
    PetscCall(MatRestoreRow(constraints, place[l], NULL, NULL, NULL));
  }
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, a->Nl, a->Nl, 0, n, &a->C));
  for (PetscInt l = 0; l < a->Nl; ++l) {
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscInt           size;

    if (place[l] < 0) {
      PetscCall(MatSetValues(a->C, 1, &l, 1, &l, &one, INSERT_VALUES));
      continue;
    }
    PetscCall(MatGetRow(constraints, place[l], &size, &columns, &values));
    PetscCall(MatSetValues(a->C, 1, &l, size, columns, values, INSERT_VALUES));
    PetscCall(MatRestoreRow(constraints, place[l], &size, &columns, &values));
  }
  PetscCall(MatAssemblyBegin(a->C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a->C, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree2(place, n));
  a->state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P = C^T A C of matrix number k, with the sums of all processes */
PetscErrorCode PlexAnchorsFill(PlexAnchors a, PetscInt k, Mat P)
{
  Mat       A;
  PetscInt *columns, most = 0;

  PetscFunctionBegin;
  PetscCall(PlexAnchorsUpdate(a));
  PetscCall(MatISGetLocalMat(a->Q[k], &A));
  PetscCall(MatPtAP(A, a->C, a->T[k] ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DETERMINE, &a->T[k]));
  PetscCall(MatISRestoreLocalMat(a->Q[k], &A));
  PetscCall(MatZeroEntries(P));
  for (PetscInt l = 0; l < a->Nl; ++l) {
    PetscInt n;

    PetscCall(MatGetRow(a->T[k], l, &n, NULL, NULL));
    most = PetscMax(most, n);
    PetscCall(MatRestoreRow(a->T[k], l, &n, NULL, NULL));
  }
  PetscCall(PetscMalloc1(most, &columns));
  for (PetscInt l = 0; l < a->Nl; ++l) {
    const PetscInt     row = a->global[l], *local;
    const PetscScalar *values;
    PetscInt           n;

    if (row < 0) continue;
    PetscCall(MatGetRow(a->T[k], l, &n, &local, &values));
    for (PetscInt j = 0; j < n; ++j) columns[j] = a->global[local[j]];
    PetscCall(MatSetValues(P, 1, &row, n, columns, values, ADD_VALUES));
    PetscCall(MatRestoreRow(a->T[k], l, &n, &local, &values));
  }
  PetscCall(PetscFree(columns));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
