/* Rows and what they sum */
#include "blocks.h"

/* Calls for each contribution: row k of the list sums row i of the element at position p (counted from `base`) */
typedef struct {
  PlexAssembly      asm_;
  PlexProduct      *product;
  const PlexBlocks *blocks;
  const int        *list; /* [Nl] place of a local dof's row in the list, -1: none */
  const int        *part; /* [Nl] or NULL */
} PlexRowsWalk;

static PetscErrorCode PlexRowsCount(PlexRowsWalk *w, PetscInt b0, PetscInt b1, int start[])
{
  PlexElements elements = w->asm_->elements;

  PetscFunctionBegin;
  for (PetscInt b = b0; b < b1; ++b) {
    for (PetscInt p = w->blocks->elementStart[b]; p < w->blocks->elementStart[b + 1]; ++p) {
      const PetscInt e = w->blocks->elements[p];

      for (PetscInt i = 0; e >= 0 && i < elements->ef; ++i) {
        const int l = elements->dofs[e * elements->ef + i];

        if (w->list[l] >= 0 && (!w->part || w->part[l] == b)) start[w->list[l] + 1]++;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRowsFill(PlexRowsWalk *w, PetscInt b0, PetscInt b1, int next[], int items[],
                                   unsigned short place[])
{
  PlexAssembly   asm_     = w->asm_;
  PlexElements   elements = asm_->elements;
  const PetscInt EF = elements->ef, length = w->product->kind == PLEX_JACOBIAN ? EF : 1;
  int           *slots = NULL;

  PetscFunctionBegin;
  if (length > 1 || w->product->kind == PLEX_JACOBIAN) PetscCall(PetscMalloc1(EF * EF, &slots));
  for (PetscInt b = b0; b < b1; ++b) {
    const PetscInt base = w->blocks->elementStart[w->part ? b : b0];

    for (PetscInt p = w->blocks->elementStart[b]; p < w->blocks->elementStart[b + 1]; ++p) {
      const PetscInt e = w->blocks->elements[p];

      if (e < 0) continue;
      if (slots) PetscCall(PlexPatternGetElementSlots(asm_->pattern, e, slots));
      for (PetscInt i = 0; i < EF; ++i) {
        const int l = elements->dofs[e * EF + i];
        size_t    c;

        if (w->list[l] < 0 || (w->part && w->part[l] != b)) continue;
        c        = (size_t)next[w->list[l]]++;
        items[c] = (int)((p - base) * EF + i);
        if (!slots) place[c] = 0;
        for (PetscInt j = 0; slots && j < EF; ++j)
          place[c * EF + j] = slots[i * EF + j] < 0
                              ? 0xffff
                              : (unsigned short)(slots[i * EF + j] - asm_->pattern->i[asm_->pattern->row[l]]);
      }
    }
  }
  PetscCall(PetscFree(slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowListsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexBlocks *blocks,
                                          PetscInt b0, PetscInt b1, PetscInt nrows, const int dofs[], const int part[],
                                          PlexRowLists *lists)
{
  PlexElements   elements = asm_->elements;
  const PetscInt length   = product->kind == PLEX_JACOBIAN ? elements->ef : 1;
  int           *list, *next;
  PlexRowsWalk   w;

  PetscFunctionBegin;
  *lists = (PlexRowLists){.nrows = nrows};
  PetscCheck((PetscInt64)(blocks->elementStart[b1] - blocks->elementStart[b0]) * elements->ef < PETSC_INT32_MAX,
             PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 rows of element data at once: use a smaller -plex_assembly_memory, or distribute the mesh "
             "over more ranks");
  PetscCall(PetscMalloc2(elements->Nl, &list, nrows, &next));
  PetscCall(PetscMalloc2(nrows, &lists->ids, nrows, &lists->length));
  PetscCall(PetscCalloc1(nrows + 1, &lists->start));
  for (PetscInt l = 0; l < elements->Nl; ++l) list[l] = -1;
  for (PetscInt k = 0; k < nrows; ++k) {
    const PetscInt l = dofs[k], r = product->kind == PLEX_JACOBIAN ? asm_->pattern->row[l] : l;

    list[l]          = (int)k;
    lists->ids[k]    = (int)(product->kind == PLEX_JACOBIAN ? asm_->pattern->i[r] : l);
    lists->length[k] = (int)(product->kind == PLEX_JACOBIAN ? asm_->pattern->i[r + 1] - asm_->pattern->i[r] : 1);
    lists->longest   = PetscMax(lists->longest, lists->length[k]);
  }
  PetscCheck(lists->longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %" PetscInt_FMT
             " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s",
             lists->longest, PLEXASSEMBLYGLOBALNZ);
  w = (PlexRowsWalk){asm_, product, blocks, list, part};
  PetscCall(PlexRowsCount(&w, b0, b1, lists->start));
  for (PetscInt k = 0; k < nrows; ++k) lists->start[k + 1] += lists->start[k];
  PetscCall(PetscArraycpy(next, lists->start, nrows));
  PetscCall(PetscMalloc2(lists->start[nrows], &lists->items, (size_t)lists->start[nrows] * length, &lists->place));
  PetscCall(PlexRowsFill(&w, b0, b1, next, lists->items, lists->place));
  PetscCall(PetscFree2(list, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowListsDestroy_Private(PlexRowLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(lists->items, lists->place));
  PetscCall(PetscFree(lists->start));
  PetscCall(PetscFree2(lists->ids, lists->length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexBlocks *blocks, PetscInt b0,
                                      PetscInt b1, PetscInt nrows, const int dofs[], const int part[], PlexRows *rows)
{
  const PetscInt length = product->kind == PLEX_JACOBIAN ? asm_->elements->ef : 1;
  PlexRowLists   lists;

  PetscFunctionBegin;
  PetscCall(PlexRowListsCreate_Private(asm_, product, blocks, b0, b1, nrows, dofs, part, &lists));
  *rows = (PlexRows){.nrows = nrows, .longest = lists.longest, .contributions = lists.start[nrows]};
  PetscCall(PlexBackendUpload(asm_->backend, lists.start, sizeof(int) * (nrows + 1), (void **)&rows->device.start));
  PetscCall(PlexBackendUpload(asm_->backend, lists.items, sizeof(int) * rows->contributions,
                              (void **)&rows->device.items));
  PetscCall(PlexBackendUpload(asm_->backend, lists.place, sizeof(*lists.place) * rows->contributions * length,
                              (void **)&rows->device.place));
  PetscCall(PlexBackendUpload(asm_->backend, lists.ids, sizeof(int) * nrows, (void **)&rows->device.ids));
  PetscCall(PlexBackendUpload(asm_->backend, lists.length, sizeof(int) * nrows, (void **)&rows->device.length));
  rows->bytes = 12.0 * nrows + (4.0 + 2.0 * length) * (double)rows->contributions;
  PetscCall(PlexRowListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsDestroy_Private(PlexAssembly asm_, PlexRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.start));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.items));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.place));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.ids));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
