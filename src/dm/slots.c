/* Slots of all element matrices, found where the kernels are that use them: cuda/dm/slots.cu. */
#include "elementsimpl.h"

#define PLEX_SLOTS_BLOCK 256 /* threads */

/* What the kernel reads of a pattern, in the backend's memory */
typedef struct {
  int        *row;         /* [Nl] */
  PetscInt   *column;      /* [Nl] */
  const void *i, *j;       /* PetscInt [m+1], [nnz]: */
  const int  *matI, *matJ; /* the matrix's own where it has them there, and they are int, else: */
  PetscInt   *ownI, *ownJ;
  Mat         mat; /* whose they are */
} PlexSlotsArrays;

static PetscErrorCode PlexSlotsArraysCreate(PlexPattern pattern, PlexBackend backend, PlexSlotsArrays *a)
{
  const PetscInt Nl = pattern->elements->Nl;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(a, sizeof(*a)));
  PetscCall(PlexBackendUpload(backend, pattern->row, sizeof(int) * Nl, (void **)&a->row));
  PetscCall(PlexBackendUpload(backend, pattern->column, sizeof(PetscInt) * Nl, (void **)&a->column));
  if (!pattern->halo) PetscCall(PlexBackendMatGetRows(backend, pattern->mat, &a->matI, &a->matJ));
  if (a->matI) {
    a->mat = pattern->mat;
    a->i   = a->matI;
    a->j   = a->matJ;
  } else {
    PetscCall(PlexBackendUpload(backend, pattern->i, sizeof(PetscInt) * (pattern->m + 1), (void **)&a->ownI));
    PetscCall(PlexBackendUpload(backend, pattern->j, sizeof(PetscInt) * pattern->nnz, (void **)&a->ownJ));
    a->i = a->ownI;
    a->j = a->ownJ;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSlotsArraysDestroy(PlexBackend backend, PlexSlotsArrays *a)
{
  PetscFunctionBegin;
  if (a->mat) PetscCall(PlexBackendMatRestoreRows(backend, a->mat, &a->matI, &a->matJ));
  PetscCall(PlexBackendFree(backend, (void **)&a->row));
  PetscCall(PlexBackendFree(backend, (void **)&a->column));
  PetscCall(PlexBackendFree(backend, (void **)&a->ownI));
  PetscCall(PlexBackendFree(backend, (void **)&a->ownJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of the first element whose entries the matrix lacks */
static PetscErrorCode PlexPatternReportMissing(PlexPattern pattern)
{
  const PetscInt ef = pattern->elements->ef;
  int           *slots;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ef * ef, &slots));
  for (PetscInt e = 0; e < pattern->elements->Ne; ++e) PetscCall(PlexPatternGetElementSlots(pattern, e, slots));
  PetscCall(PetscFree(slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPatternGetSlots(PlexPattern pattern, PlexBackend backend, size_t positions, PetscInt interleave,
                                   const int plan[], PetscInt items, PetscInt firstDof, int **slots)
{
  PlexModule      module;
  PlexKernel      kernel;
  PlexSlotsArrays a;
  PetscInt64      n = (PetscInt64)positions * pattern->elements->ef * pattern->elements->ef;
  int   K = (int)items, first = (int)firstDof, EF = (int)pattern->elements->ef, W = (int)interleave, none = 0, *missing;
  void *args[] = {&plan, &K, &first, &EF, &W, &n, &a.row, &a.column, &a.i, &a.j, slots, &missing};

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(backend, sizeof(int) * n, (void **)slots));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(backend, "dm/slots.cu", &module));
  PetscCall(PlexModuleGetKernel(module, "plex_find_slots", &kernel));
  PetscCall(PlexSlotsArraysCreate(pattern, backend, &a));
  PetscCall(PlexBackendUpload(backend, &none, sizeof(none), (void **)&missing));
  PetscCall(PlexKernelLaunch(kernel, (PetscInt)((n + PLEX_SLOTS_BLOCK - 1) / PLEX_SLOTS_BLOCK), PLEX_SLOTS_BLOCK, 0,
                             args));
  PetscCall(PlexBackendCopyOut(backend, &none, missing, sizeof(none))); /* after the kernel */
  PetscCall(PlexBackendFree(backend, (void **)&missing));
  PetscCall(PlexSlotsArraysDestroy(backend, &a));
  PetscCall(PlexModuleDestroy(&module));
  if (none) PetscCall(PlexPatternReportMissing(pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}
