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

static PetscErrorCode PlexRowsFill(PlexRowsWalk *w, PetscInt b0, PetscInt b1, int next[], int items[], unsigned short place[])
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
        for (PetscInt j = 0; slots && j < EF; ++j) place[c * EF + j] = slots[i * EF + j] < 0 ? 0xffff : (unsigned short)(slots[i * EF + j] - asm_->pattern->i[asm_->pattern->row[l]]);
      }
    }
  }
  PetscCall(PetscFree(slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexBlocks *blocks, PetscInt b0, PetscInt b1, PetscInt nrows, const int dofs[], const int part[], PlexRows *rows)
{
  PlexElements    elements = asm_->elements;
  const PetscInt  length   = product->kind == PLEX_JACOBIAN ? elements->ef : 1;
  int            *list, *start, *next, *items, *ids, *lengths;
  unsigned short *place;
  PlexRowsWalk    w;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(rows, sizeof(*rows)));
  rows->nrows = nrows;
  PetscCheck((PetscInt64)(blocks->elementStart[b1] - blocks->elementStart[b0]) * elements->ef < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^31 rows of element data at once: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks");
  PetscCall(PetscMalloc1(elements->Nl, &list));
  PetscCall(PetscMalloc3(nrows, &ids, nrows, &lengths, nrows, &next));
  PetscCall(PetscCalloc1(nrows + 1, &start));
  for (PetscInt l = 0; l < elements->Nl; ++l) list[l] = -1;
  for (PetscInt k = 0; k < nrows; ++k) {
    const PetscInt l = dofs[k], r = product->kind == PLEX_JACOBIAN ? asm_->pattern->row[l] : l;

    list[l]       = (int)k;
    ids[k]        = (int)(product->kind == PLEX_JACOBIAN ? asm_->pattern->i[r] : l);
    lengths[k]    = (int)(product->kind == PLEX_JACOBIAN ? asm_->pattern->i[r + 1] - asm_->pattern->i[r] : 1);
    rows->longest = PetscMax(rows->longest, lengths[k]);
  }
  PetscCheck(rows->longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "A row of the matrix has %" PetscInt_FMT " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s", rows->longest, PLEXASSEMBLYGLOBALNZ);
  w = (PlexRowsWalk){asm_, product, blocks, list, part};
  PetscCall(PlexRowsCount(&w, b0, b1, start));
  for (PetscInt k = 0; k < nrows; ++k) start[k + 1] += start[k];
  PetscCall(PetscArraycpy(next, start, nrows));
  PetscCall(PetscMalloc1(start[nrows], &items));
  PetscCall(PetscMalloc1((size_t)start[nrows] * length, &place));
  PetscCall(PlexRowsFill(&w, b0, b1, next, items, place));
  PetscCall(PlexBackendUpload(asm_->backend, start, sizeof(int) * (nrows + 1), (void **)&rows->device.start));
  PetscCall(PlexBackendUpload(asm_->backend, items, sizeof(int) * start[nrows], (void **)&rows->device.items));
  PetscCall(PlexBackendUpload(asm_->backend, place, sizeof(*place) * start[nrows] * length, (void **)&rows->device.place));
  PetscCall(PlexBackendUpload(asm_->backend, ids, sizeof(int) * nrows, (void **)&rows->device.ids));
  PetscCall(PlexBackendUpload(asm_->backend, lengths, sizeof(int) * nrows, (void **)&rows->device.length));
  rows->contributions = start[nrows];
  rows->bytes         = 12.0 * nrows + (4.0 + 2.0 * length) * start[nrows];
  PetscCall(PetscFree(place));
  PetscCall(PetscFree(items));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree3(ids, lengths, next));
  PetscCall(PetscFree(list));
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
